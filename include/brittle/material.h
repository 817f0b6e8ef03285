// SPDX-License-Identifier: MIT
#pragma once

/// @file material.h
/// What solids are made of, in SI units, and what a hit does to them in closed form. How a face looks is a
/// brSurfaceMaterial, another thing.
///
///     const brMaterial* glass = brFindMaterial("glass");
///     brImpactDef def = brDefaultImpactDef();
///     def.a = glass, def.mass = 0.3, def.radius = 0.04, def.thickness = 0.002;
///     printf("breaks at %g m/s, after a fall of %g m\n", brThresholdSpeed(&def, glass->tensileStrength),
///            brThresholdHeight(&def, glass->tensileStrength, 9.81));

#include "brittle/api.h"

/// A brittle elastic solid. Take a preset and change what differs, or fill everything in.
typedef struct brMaterial
{
	char name[32];              ///< Lower case, terminated.
	double density;             ///< > 0. [kg/m^3]
	double youngsModulus;       ///< Stiffness E: stress over strain, > 0. Glass has 7e10. [Pa]
	double poissonRatio;        ///< How much it narrows when pulled, 0 <= value < 0.5. [1]
	double tensileStrength;     ///< Tension at which a body of this material breaks on average, > 0. [Pa]
	double compressiveStrength; ///< Pressure at which it is crushed, > 0. [Pa]
	double toughness;   ///< Critical stress intensity K_Ic: resistance against the growth of a crack, > 0. [Pa m^0.5]
	double friction;    ///< Coulomb coefficient of the material on itself. [1]
	double restitution; ///< Share of the closing speed that a bounce gives back, 0 to 1. [1]
	double weibullModulus; ///< Scatter of strength between equal bodies: 5 is much, 20 is little, 0 is none. [1]
} brMaterial;

/// Number of presets.
BR_API int32_t brGetMaterialCount(void);

/// A preset by number, in alphabetical order; null out of range.
BR_API const brMaterial* brGetMaterial(int32_t index);

/// A preset by name: brick, concrete, glass, ice, marble, plaster, porcelain, terracotta and others that
/// brGetMaterial lists. Null if there is none. The library's; constant.
BR_API const brMaterial* brFindMaterial(const char* name);

/// Null if all numbers are in range, else one sentence that names the first that is not.
BR_API const char* brMaterial_Check(const brMaterial* material);

/// Energy that a unit of crack area takes, G_c = K_Ic^2 (1 - nu^2) / E. [J/m^2]
BR_API double brMaterial_GetFractureEnergy(const brMaterial* material);

/// Strength of one body out of many: Weibull with the mean at the tensile strength, the same for the same seed. [Pa]
BR_API double brMaterial_SampleStrength(const brMaterial* material, uint64_t seed);

/// A hit of body A by body B. Start from brDefaultImpactDef().
typedef struct brImpactDef
{
	const brMaterial* a; ///< Of the body that may break. Required.
	const brMaterial* b; ///< Of the other, or null: rigid.
	double mass;         ///< Effective at the hit: 1 / (1/mA + 1/mB + turning), > 0. [kg]
	double radius;       ///< Effective: 1 / (1/rA + 1/rB), from the hit to the centers; > 0. [m]
	double thickness;    ///< Of A at the hit, along the normal; > 0. [m]
	double speed;        ///< Closing, >= 0. [m/s]
	uint32_t stamp;      ///< Written by the default function. Leave it alone.
} brImpactDef;

/// Elastic spheres after Hertz (thesis 6.7), and the tension that the load makes in a body of that thickness.
typedef struct brImpact
{
	double energy;        ///< Of closing. [J]
	double contactTime;   ///< Hertz. [s]
	double force;         ///< Peak: Hertz, or what a plate of that thickness can hold against. [N]
	double contactRadius; ///< At the peak. [m]
	double pressure;      ///< At the peak, in the middle of the contact. [Pa]
	double stress;        ///< Largest tension away from the contact. [Pa]
} brImpact;

BR_API brImpactDef brDefaultImpactDef(void);

/// Force, stress and duration of the hit. `def` comes from brDefaultImpactDef() and has its material `a`.
BR_API brImpact brComputeImpact(const brImpactDef* def);

/// Speed at which the stress reaches `strength`; def->speed is not read. [m/s]
BR_API double brThresholdSpeed(const brImpactDef* def, double strength);

/// Height of fall that gives that speed. `gravity` > 0 [m/s^2]. [m]
BR_API double brThresholdHeight(const brImpactDef* def, double strength, double gravity);
