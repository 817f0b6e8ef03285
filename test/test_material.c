// SPDX-License-Identifier: MIT

// Materials and impacts against closed forms and a slow twin that integrates the motion.

#include "brittle/material.h"
#include "harness.h"
#include "math/power.h"

#include <math.h>
#include <string.h>

BR_TEST(power_agrees_with_libm)
{
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < brTest_Rounds(test, 20000); ++i)
	{
		double x = exp(brRandom_Range(&random, -200.0, 200.0)), y = brRandom_Range(&random, -3.0, 3.0);
		CHECK_NEAR(brPower(x, y) / pow(x, y), 1.0, 3e-13); // y ln x up to 600 loses a few bits
		CHECK_NEAR(brLogarithm(x), log(x), 1e-15 * (1.0 + fabs(log(x))));
		double z = brRandom_Range(&random, -1.0, 1.0);
		CHECK_NEAR(brExponential(z), exp(z), 1e-15);
	}
	CHECK(brPower(0.0, 0.5) == 0.0 && brExponential(-800.0) == 0.0 && isinf(brExponential(800.0)));
	CHECK(brPower(1.0, 7.0) == 1.0 && brLogarithm(1.0) == 0.0);
}

BR_TEST(material_presets_are_sound_and_found_by_name)
{
	static const char* names[8] = {"brick", "concrete", "glass", "ice", "marble", "plaster", "porcelain", "terracotta"};
	CHECK_EQUAL(brGetMaterialCount(), 8);
	for (int32_t i = 0; i < 8; ++i)
	{
		const brMaterial* material = brGetMaterial(i);
		CHECK(strcmp(material->name, names[i]) == 0 && brFindMaterial(names[i]) == material);
		CHECK_MESSAGE(brMaterial_Check(material) == NULL, "%s: %s", names[i], brMaterial_Check(material));
		CHECK(material->compressiveStrength > 3.0 * material->tensileStrength); // brittle
	}
	CHECK(brGetMaterial(8) == NULL && brGetMaterial(-1) == NULL);
	CHECK(brFindMaterial("butter") == NULL && brFindMaterial(NULL) == NULL);
	// 0.75 MPa sqrt(m), 72 GPa, 0.23.
	CHECK_NEAR(brMaterial_GetFractureEnergy(brFindMaterial("glass")), 7.399, 1e-3);
}

BR_TEST(material_check_names_what_is_wrong)
{
	double bad[3] = {-1.0, NAN, INFINITY};
	for (int32_t k = 0; k < 3; ++k)
	{
		for (int32_t member = 0; member < 9; ++member)
		{
			brMaterial material = *brFindMaterial("glass");
			(&material.density)[member] = bad[k];
			CHECK_MESSAGE(brMaterial_Check(&material) != NULL, "member %d of %g", member, bad[k]);
		}
	}
	brMaterial material = *brFindMaterial("glass");
	memset(material.name, 'x', sizeof(material.name));
	CHECK(brMaterial_Check(&material) != NULL);
}

BR_TEST(material_strength_follows_weibull)
{
	for (int32_t i = 0; i < brGetMaterialCount(); ++i)
	{
		const brMaterial* material = brGetMaterial(i);
		double m = material->weibullModulus, sum = 0.0;
		double expected = pow(log(2.0), 1.0 / m) / tgamma(1.0 + 1.0 / m);
		int32_t below = 0, count = brTest_Rounds(test, 20000);
		for (int32_t k = 0; k < count; ++k)
		{
			double strength = brMaterial_SampleStrength(material, (uint64_t)k) / material->tensileStrength;
			sum += strength;
			below += strength < expected;
		}
		// Six standard deviations; that of one draw is about 1.2 / m and 0.5.
		CHECK_NEAR(sum / count, 1.0, 6.0 * 1.2 / m / sqrt(count));
		CHECK_NEAR((double)below / count, 0.5, 6.0 * 0.5 / sqrt(count));
		CHECK(brMaterial_SampleStrength(material, 7) == brMaterial_SampleStrength(material, 7));
		CHECK(brMaterial_SampleStrength(material, 7) != brMaterial_SampleStrength(material, 8));
	}
	brMaterial even = *brFindMaterial("glass");
	even.weibullModulus = 0.0;
	CHECK(brMaterial_SampleStrength(&even, 5) == even.tensileStrength);
}

// m x'' = -4/3 E sqrt(R) x^1.5 until they part, by leapfrog.
static void materialCollide(double mass, double modulus, double radius, double speed, double* outTime, double* outForce)
{
	double h = 1e-4 * pow(mass * mass / (modulus * modulus * radius * speed), 0.2), x = 0.0, v = speed, t = 0.0;
	*outForce = 0.0;
	while (x > 0.0 || t == 0.0)
	{
		double force = 4.0 / 3.0 * modulus * sqrt(radius) * x * sqrt(x);
		v -= 0.5 * h * force / mass;
		x += h * v;
		force = x > 0.0 ? 4.0 / 3.0 * modulus * sqrt(radius) * x * sqrt(x) : 0.0;
		v -= 0.5 * h * force / mass;
		t += h;
		*outForce = fmax(*outForce, force);
	}
	*outTime = t;
}

BR_TEST(impact_is_that_of_hertz)
{
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < brTest_Rounds(test, 20); ++i)
	{
		const brMaterial* a = brGetMaterial((int32_t)brRandom_Below(&random, 8));
		const brMaterial* b = brGetMaterial((int32_t)brRandom_Below(&random, 8));
		brImpactDef def = brDefaultImpactDef();
		def.a = a, def.b = i % 3 == 0 ? NULL : b;
		def.mass = brRandom_Range(&random, 0.01, 10.0);
		def.radius = brRandom_Range(&random, 0.01, 1.0);
		def.thickness = 10.0; // no plate
		def.speed = brRandom_Range(&random, 0.1, 30.0);
		brImpact impact = brComputeImpact(&def);
		double compliance = (1.0 - a->poissonRatio * a->poissonRatio) / a->youngsModulus;
		compliance += def.b != NULL ? (1.0 - b->poissonRatio * b->poissonRatio) / b->youngsModulus : 0.0;
		double time, force;
		materialCollide(def.mass, 1.0 / compliance, def.radius, def.speed, &time, &force);
		CHECK_NEAR(impact.contactTime / time, 1.0, 2e-3); // 2.87 has three digits
		CHECK_NEAR(impact.force / force, 1.0, 1e-4);
		CHECK_NEAR(impact.energy, 0.5 * def.mass * def.speed * def.speed, 1e-12 * impact.energy);
		// Pressure times area, over the half ellipsoid of Hertz, is the force.
		double area = 3.14159265358979 * impact.contactRadius * impact.contactRadius;
		CHECK_NEAR(impact.pressure * area * 2.0 / 3.0 / impact.force, 1.0, 1e-12);
	}
}

BR_TEST(impact_threshold_is_the_inverse_of_stress)
{
	brRandom random = brTest_Random(test);
	int32_t plates = 0, lumps = 0;
	for (int32_t i = 0; i < brTest_Rounds(test, 2000); ++i)
	{
		brImpactDef def = brDefaultImpactDef();
		def.a = brGetMaterial((int32_t)brRandom_Below(&random, 8));
		def.mass = brRandom_Range(&random, 0.01, 100.0);
		def.radius = brRandom_Range(&random, 0.01, 1.0);
		def.thickness = brRandom_Range(&random, 0.001, 0.3);
		double strength = brMaterial_SampleStrength(def.a, (uint64_t)i);
		def.speed = brThresholdSpeed(&def, strength);
		brImpact impact = brComputeImpact(&def);
		CHECK_NEAR(impact.stress / strength, 1.0, 1e-12);
		CHECK_NEAR(brThresholdHeight(&def, strength, 9.81), def.speed * def.speed / (2.0 * 9.81),
				   1e-9 * def.speed * def.speed);
		// In a wall the force grows as v, in a lump as v^1.2.
		def.speed *= 2.0;
		double growth = brComputeImpact(&def).stress / impact.stress;
		CHECK(growth > 1.999 && growth < 2.298);
		plates += growth < 2.001;
		lumps += growth > 2.296;
		def.speed = 0.0;
		CHECK(brComputeImpact(&def).stress == 0.0);
	}
	CHECK(plates > 0 && lumps > 0);
}
