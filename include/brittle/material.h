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
	double youngsModulus;       ///< Stiffness, > 0. [Pa]
	double poissonRatio;        ///< 0 <= value < 0.5. [1]
	double tensileStrength;     ///< > 0. [Pa]
	double compressiveStrength; ///< > 0. [Pa]
	double toughness;           ///< Critical stress intensity K_Ic, > 0. [Pa*m^0.5]
	double friction;            ///< Coulomb, on itself. [1]
	double restitution;         ///< 0 to 1. [1]
	double weibullModulus;      ///< Scatter of strength between equal bodies: 5 much, 20 little. 0: none. [1]
	/// Volume that a specimen of the strength test stresses evenly: the same strength in less volume is a weaker
	/// material. 0: that of a plate bent by four rolls (EN 1288-3). [m^3]
	double specimenVolume;
	/// How strength falls with the time of the load, as time^(-1/exponent): 16 for glass, 40 and more for what hardly
	/// tires. It raises the strength for blows, and weighs blows that a body has stood. 0: no effect of time. [1]
	double fatigueExponent;
	double hardness; ///< Pressure at which a contact crushes. 0: 8 times the compressive strength. [Pa]
	double rolling;  ///< Rolling resistance as a part of the radius. [1]
	double grain;    ///< Size of what cut faces are rough by. [m]
} brMaterial;

/// Presets in alphabetical order: bone_china brick concrete glass granite ice laminated_glass marble plaster porcelain
/// sugar_glass tempered_glass terracotta tile. Null out of range. docs/materials.md says where the numbers are from.
BR_API int32_t brGetMaterialCount(void);
BR_API const brMaterial* brGetMaterial(int32_t index);

/// A preset by name, or null.
BR_API const brMaterial* brFindMaterial(const char* name);

/// Null if all numbers are in range, else one sentence.
BR_API const char* brMaterial_Check(const brMaterial* material);

/// Energy that a unit of crack area takes, G_c = K_Ic^2 (1 - nu^2) / E. [J/m^2]
BR_API double brMaterial_GetFractureEnergy(const brMaterial* material);

/// Strength of one body out of many: Weibull with the mean at the tensile strength, the same for the same seed. [Pa]
BR_API double brMaterial_SampleStrength(const brMaterial* material, uint64_t seed);
