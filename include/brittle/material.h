// SPDX-License-Identifier: MIT
#pragma once

/// @file material.h
/// What solids are made of, in SI units. How a face looks is a brSurfaceMaterial, another thing; what a hit does to a
/// body is in impact.h.
///
///     const brMaterial* glass = brFindMaterial("glass");
///     printf("a crack takes %g J/m^2\n", brMaterial_GetFractureEnergy(glass));

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
	/// Volume that a specimen of the strength test stresses evenly: a body that is stressed in more volume is weaker.
	/// 0: that of a plate bent by four rolls (EN 1288-3). [m^3]
	double specimenVolume;
	/// How strength falls with the time of the load, as time^(-1/exponent): 16 for glass, 40 and more for materials that
	/// hardly tire. It raises the strength under short blows, and says how much each survived blow counts. 0: no effect
	/// of time. [1]
	double fatigueExponent;
	double hardness; ///< Pressure at which a contact crushes. 0: 8 times the compressive strength. [Pa]
	double rolling;  ///< Rolling resistance, as brBodyDef.rolling. [1]
	double grain;    ///< Size of its grains, for your brCrackDef.grain: no call reads it from here. [m]
	double spinning; ///< Resistance against spinning on the spot, as of brBodyDef. [1]
	/// Pressure that is frozen into the faces, as in tempered glass. Once the body breaks anywhere, its energy makes
	/// crumbs everywhere; more pressure makes smaller ones. 0: none. [Pa]
	double surfaceStress;
	/// Energy that a film inside takes per area of crack before pieces separate, as in laminated glass. Where a blow has
	/// less, pieces stay together. 0: no film. [J/m^2]
	double film;
} brMaterial;

/// Number of presets.
BR_API int32_t brGetMaterialCount(void);

/// A preset by number, in alphabetical order; null out of range.
BR_API const brMaterial* brGetMaterial(int32_t index);

/// A preset by name: bone_china, brick, concrete, glass, granite, ice, laminated_glass, marble, plaster, porcelain,
/// sugar_glass, tempered_glass, terracotta, tile. Null if there is none. The library's; constant. docs/materials.md
/// says where the numbers are from.
BR_API const brMaterial* brFindMaterial(const char* name);

/// Null if all numbers are in range, else one sentence that names the first that is not.
BR_API const char* brMaterial_Check(const brMaterial* material);

/// Energy that a unit of crack area takes, G_c = K_Ic^2 (1 - nu^2) / E. [J/m^2]
BR_API double brMaterial_GetFractureEnergy(const brMaterial* material);

/// Strength of one body out of many: Weibull with the mean at the tensile strength, the same for the same seed. [Pa]
BR_API double brMaterial_SampleStrength(const brMaterial* material, uint64_t seed);
