// SPDX-License-Identifier: MIT

// Presets, and numbers that follow from a material.
//
// Values are means of what handbooks and standards give; a real batch scatters by a third. Glass: soda-lime, EN 572-1
// (45 MPa in bending), toughness after Wiederhorn 1969. Porcelain: C 110 of IEC 60672-3. Concrete: C30/37 of EN
// 1992-1-1, toughness after Shah and Swartz 1987. Marble: Carrara, Atkinson 1984. Ice: granular at -10 C, Schulson and
// Duval 2009. Brick, terracotta and plaster: Ashby, Materials Selection in Mechanical Design, and EN 772. Restitution
// is that of small solid bodies at a few m/s.

#include "brittle/material.h"

#include "base/hash.h"
#include "base/random.h"
#include "math/power.h"

#include <math.h>
#include <string.h>

// name, density, Young, Poisson, tensile, compressive, toughness, friction, restitution, Weibull, specimen, fatigue,
// hardness, rolling, grain, spinning, surface stress, film
static const brMaterial materialPresets[] = {
	{"bone_china", 2700.0, 80e9, 0.25, 75e6, 700e6, 1.4e6, 0.40, 0.40, 12.0, 0.0, 25.0, 0.0, 0.002, 20e-6, 0.02, 0.0,
	 0.0},
	{"brick", 1900.0, 15e9, 0.20, 8.0e6, 25e6, 0.6e6, 0.65, 0.20, 8.0, 7e-6, 30.0, 120e6, 0.01, 1e-3, 0.02, 0.0, 0.0},
	{"concrete", 2400.0, 33e9, 0.20, 4.5e6, 38e6, 1.0e6, 0.65, 0.20, 12.0, 0.0, 30.0, 0.0, 0.01, 5e-3, 0.02, 0.0, 0.0},
	{"glass", 2500.0, 72e9, 0.23, 60e6, 900e6, 0.75e6, 0.40, 0.40, 7.0, 0.0, 16.0, 0.0, 0.001, 0.0, 0.02, 0.0, 0.0},
	{"granite", 2650.0, 55e9, 0.25, 14e6, 180e6, 1.6e6, 0.60, 0.35, 15.0, 0.0, 40.0, 0.0, 0.005, 2e-3, 0.02, 0.0, 0.0},
	{"ice", 917.0, 9.3e9, 0.33, 0.8e6, 10e6, 0.10e6, 0.05, 0.25, 6.0, 0.0, 0.0, 0.0, 0.001, 3e-3, 0.02, 0.0, 0.0},
	{"laminated_glass", 2450.0, 70e9, 0.23, 60e6, 900e6, 0.75e6, 0.40, 0.30, 7.0, 0.0, 16.0, 0.0, 0.001, 0.0, 0.02, 0.0,
	 3000.0},
	{"marble", 2700.0, 50e9, 0.25, 14e6, 110e6, 0.9e6, 0.55, 0.35, 15.0, 0.0, 40.0, 0.0, 0.005, 0.5e-3, 0.02, 0.0, 0.0},
	{"plaster", 1200.0, 5e9, 0.22, 4.0e6, 10e6, 0.15e6, 0.60, 0.15, 8.0, 0.0, 25.0, 0.0, 0.01, 0.2e-3, 0.02, 0.0, 0.0},
	{"porcelain", 2400.0, 70e9, 0.22, 55e6, 500e6, 1.2e6, 0.40, 0.40, 12.0, 0.0, 25.0, 0.0, 0.002, 20e-6, 0.02, 0.0,
	 0.0},
	{"sugar_glass", 1500.0, 9e9, 0.25, 4.0e6, 40e6, 0.1e6, 0.40, 0.25, 6.0, 0.0, 16.0, 0.0, 0.002, 0.0, 0.02, 0.0, 0.0},
	{"tempered_glass", 2500.0, 72e9, 0.23, 150e6, 1000e6, 0.75e6, 0.40, 0.40, 14.0, 0.0, 70.0, 0.0, 0.001, 0.0, 0.02,
	 100e6, 0.0},
	{"terracotta", 1900.0, 12e9, 0.20, 17e6, 35e6, 1.0e6, 0.60, 0.25, 9.0, 0.0, 25.0, 0.0, 0.01, 0.3e-3, 0.02, 0.0,
	 0.0},
	{"tile", 2300.0, 50e9, 0.20, 35e6, 250e6, 1.2e6, 0.50, 0.35, 10.0, 0.0, 25.0, 0.0, 0.002, 50e-6, 0.02, 0.0, 0.0},
};

int32_t brGetMaterialCount(void)
{
	return (int32_t)(sizeof(materialPresets) / sizeof(materialPresets[0]));
}

const brMaterial* brGetMaterial(int32_t index)
{
	return index >= 0 && index < brGetMaterialCount() ? &materialPresets[index] : NULL;
}

const brMaterial* brFindMaterial(const char* name)
{
	for (int32_t i = 0; name != NULL && i < brGetMaterialCount(); ++i)
	{
		if (strcmp(materialPresets[i].name, name) == 0)
		{
			return &materialPresets[i];
		}
	}
	return NULL;
}

static bool materialIsPositive(double x)
{
	return x > 0.0 && x < 1e30;
}

const char* brMaterial_Check(const brMaterial* material)
{
	if (material == NULL)
	{
		return "there is no material";
	}
	if (memchr(material->name, 0, sizeof(material->name)) == NULL)
	{
		return "the name of a material is not terminated";
	}
	if (!materialIsPositive(material->density) || !materialIsPositive(material->youngsModulus))
	{
		return "density and stiffness of a material must be positive";
	}
	if (!(material->poissonRatio >= 0.0 && material->poissonRatio < 0.5))
	{
		return "Poisson's ratio of a material must be at least 0 and below 0.5";
	}
	if (!materialIsPositive(material->tensileStrength) || !materialIsPositive(material->compressiveStrength) ||
		!materialIsPositive(material->toughness))
	{
		return "strengths and toughness of a material must be positive";
	}
	if (!(material->friction >= 0.0 && material->friction < 1e6) ||
		!(material->restitution >= 0.0 && material->restitution <= 1.0))
	{
		return "friction of a material must not be negative, its restitution within 0 and 1";
	}
	if (!(material->specimenVolume >= 0.0 && material->specimenVolume < 1e30) ||
		!(material->fatigueExponent == 0.0 || (material->fatigueExponent >= 1.0 && material->fatigueExponent < 1e6)) ||
		!(material->hardness >= 0.0 && material->hardness < 1e30) ||
		!(material->rolling >= 0.0 && material->rolling < 1e6) || !(material->grain >= 0.0 && material->grain < 1e30))
	{
		return "specimen volume, hardness, rolling and grain of a material must not be negative, its fatigue exponent "
			   "0 or at least 1";
	}
	if (!(material->weibullModulus == 0.0 || (material->weibullModulus >= 1.0 && material->weibullModulus < 1e6)))
	{
		return "the Weibull modulus of a material must be 0 or at least 1";
	}
	if (!(material->spinning >= 0.0 && material->spinning < 1e6))
	{
		return "resistance of a material against spinning must not be negative";
	}
	if (!(material->surfaceStress >= 0.0 && material->surfaceStress < 1e30) ||
		!(material->film >= 0.0 && material->film < 1e30))
	{
		return "surface stress and film of a material must not be negative";
	}
	return NULL;
}

double brMaterial_GetFractureEnergy(const brMaterial* material)
{
	return material->toughness * material->toughness * (1.0 - material->poissonRatio * material->poissonRatio) /
		   material->youngsModulus;
}

// Gamma(1 + x) for 0 <= x <= 1, to 3e-7 (Abramowitz and Stegun 6.1.36).
static double materialGamma(double x)
{
	static const double b[8] = {-0.577191652, 0.988205891, -0.897056937, 0.918206857,
								-0.756704078, 0.482199394, -0.193527818, 0.035868343};
	double sum = 0.0;
	for (int k = 7; k >= 0; --k)
	{
		sum = (sum + b[k]) * x;
	}
	return 1.0 + sum;
}

double brMaterial_SampleStrength(const brMaterial* material, uint64_t seed)
{
	if (material->weibullModulus == 0.0)
	{
		return material->tensileStrength;
	}
	brRandom random = brMakeRandom(brHash64(seed), 0x57656962756c6cu);
	// 1 - u is in (0, 1]; a draw of u = 0 would give a body without strength.
	double survival = 1.0 - brRandom_Unit(&random), power = 1.0 / material->weibullModulus;
	double hazard = fmax(-brLogarithm(survival), 1e-12);
	return material->tensileStrength * brPower(hazard, power) / materialGamma(power);
}
