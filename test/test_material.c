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
	static const char* names[14] = {"bone_china",  "brick",           "concrete",   "glass",   "granite",
									"ice",         "laminated_glass", "marble",     "plaster", "porcelain",
									"sugar_glass", "tempered_glass",  "terracotta", "tile"};
	CHECK_EQUAL(brGetMaterialCount(), 14);
	for (int32_t i = 0; i < 14; ++i)
	{
		const brMaterial* material = brGetMaterial(i);
		CHECK(strcmp(material->name, names[i]) == 0 && brFindMaterial(names[i]) == material);
		CHECK_MESSAGE(brMaterial_Check(material) == NULL, "%s: %s", names[i], brMaterial_Check(material));
		CHECK(material->compressiveStrength > 2.0 * material->tensileStrength); // brittle
	}
	CHECK(brGetMaterial(14) == NULL && brGetMaterial(-1) == NULL);
	CHECK(brFindMaterial("butter") == NULL && brFindMaterial(NULL) == NULL);
	// 0.75 MPa sqrt(m), 72 GPa, 0.23.
	CHECK_NEAR(brMaterial_GetFractureEnergy(brFindMaterial("glass")), 7.399, 1e-3);
}

BR_TEST(material_check_names_what_is_wrong)
{
	double bad[3] = {-1.0, NAN, INFINITY};
	for (int32_t k = 0; k < 3; ++k)
	{
		for (int32_t member = 0; member < 14; ++member)
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
