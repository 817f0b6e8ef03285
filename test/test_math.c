// SPDX-License-Identifier: MIT
#include "base/hash.h"
#include "brittle/math.h"
#include "harness.h"
#include "math/eigen.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

static brDVec3 drawVector(brRandom* random, double size)
{
	return brMakeDVec3(brRandom_Range(random, -size, size), brRandom_Range(random, -size, size),
					   brRandom_Range(random, -size, size));
}

static brQuat drawRotation(brRandom* random)
{
	return brQuat_Normalize((brQuat){brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -1.0, 1.0),
									 brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -1.0, 1.0)});
}

static void checkVector(brDVec3 actual, brDVec3 expected, double tolerance, int line)
{
	CHECK_MESSAGE(brDDistance(actual, expected) <= tolerance, "line %d: (%g, %g, %g), expected (%g, %g, %g)", line,
				  actual.x, actual.y, actual.z, expected.x, expected.y, expected.z);
}

#define CHECK_VECTOR(actual, expected, tolerance) checkVector(actual, expected, tolerance, __LINE__)

BR_TEST(math_rotations_are_what_their_matrices_say)
{
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < brTest_Rounds(test, 2000); ++i)
	{
		brQuat q = drawRotation(&random), r = drawRotation(&random);
		brDVec3 a = drawVector(&random, 10.0);
		brMat3 m = brMakeMat3FromQuat(q);
		CHECK_VECTOR(brQuat_Rotate(q, a), brMat3_MulV(&m, a), 1e-14 * 20);
		CHECK_VECTOR(brQuat_InvRotate(q, brQuat_Rotate(q, a)), a, 1e-14 * 20);
		CHECK_VECTOR(brQuat_Rotate(brQuat_Mul(q, r), a), brQuat_Rotate(q, brQuat_Rotate(r, a)), 1e-14 * 20);
		CHECK_NEAR(brMat3_Determinant(&m), 1.0, 1e-14);
		brMat3 t = brMat3_Transpose(&m);
		brMat3 one = brMat3_Mul(&t, &m);
		CHECK_VECTOR(one.cx, brMakeDVec3(1, 0, 0), 1e-15 * 8);
		CHECK_VECTOR(one.cy, brMakeDVec3(0, 1, 0), 1e-15 * 8);
		CHECK_VECTOR(one.cz, brMakeDVec3(0, 0, 1), 1e-15 * 8);

		// A known turn: about the axis by the angle, right-handed
		brDVec3 axis = brDNormalize(drawVector(&random, 1.0));
		double angle = brRandom_Range(&random, -7.0, 7.0);
		brQuat turn = brMakeQuatAxisAngle(axis, angle);
		brDVec3 across = brDNormalize(brDCross(axis, drawVector(&random, 1.0)));
		brDVec3 expected = brDMulAdd(brDMul(brCos(angle), across), brSin(angle), brDCross(axis, across));
		CHECK_VECTOR(brQuat_Rotate(turn, across), expected, 1e-14);
		CHECK_VECTOR(brQuat_Rotate(turn, axis), axis, 1e-14);
	}
	CHECK_VECTOR(brQuat_Rotate(brMakeQuatAxisAngle(brMakeDVec3(0, 0, 1), 0.5 * BR_PI), brMakeDVec3(1, 0, 0)),
				 brMakeDVec3(0, 1, 0), 1e-15);
	brQuat none = brQuat_Normalize((brQuat){0, 0, 0, 0});
	CHECK(none.w == 1.0 && none.x == 0.0 && none.y == 0.0 && none.z == 0.0);
}

BR_TEST(math_transforms_compose_and_invert)
{
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < brTest_Rounds(test, 2000); ++i)
	{
		brTransform s = {drawVector(&random, 5.0), drawRotation(&random)};
		brTransform t = {drawVector(&random, 5.0), drawRotation(&random)};
		brDVec3 a = drawVector(&random, 5.0);
		CHECK_VECTOR(brTransform_Point(brTransform_Mul(s, t), a), brTransform_Point(s, brTransform_Point(t, a)), 1e-13);
		CHECK_VECTOR(brTransform_InvPoint(s, brTransform_Point(s, a)), a, 1e-13);
		brAffine f = {brMakeMat3FromQuat(s.q), s.p};
		brAffine g = {{drawVector(&random, 2.0), drawVector(&random, 2.0), drawVector(&random, 2.0)}, t.p};
		CHECK_VECTOR(brAffine_Point(&f, a), brTransform_Point(s, a), 1e-13);
		brAffine fg = brAffine_Mul(&f, &g);
		CHECK_VECTOR(brAffine_Point(&fg, a), brAffine_Point(&f, brAffine_Point(&g, a)), 1e-12);

		// Normals: what is across two directions stays across their images, mirrors included
		brMat3 cofactor = brMat3_Cofactor(&g.m);
		brDVec3 u = drawVector(&random, 1.0), v = drawVector(&random, 1.0);
		CHECK_VECTOR(brMat3_MulV(&cofactor, brDCross(u, v)), brDCross(brMat3_MulV(&g.m, u), brMat3_MulV(&g.m, v)),
					 1e-13 * 8);
	}
	brAffine identity = brMakeAffineIdentity();
	CHECK_VECTOR(brAffine_Point(&identity, brMakeDVec3(1, 2, 3)), brMakeDVec3(1, 2, 3), 0.0);
	CHECK_VECTOR(brTransform_Point(brMakeTransformIdentity(), brMakeDVec3(1, 2, 3)), brMakeDVec3(1, 2, 3), 0.0);
}

BR_TEST(math_normalize_takes_any_length)
{
	static const double scales[] = {0x1p-1074, 1e-310, 1e-200, 1e-100, 1.0, 1e100, 1e200, 1e308};
	for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); ++i)
	{
		brDVec3 n = brDNormalize(brMakeDVec3(0.0, -scales[i], scales[i]));
		CHECK_VECTOR(n, brMakeDVec3(0.0, -sqrt(0.5), sqrt(0.5)), 1e-15);
	}
	static const float floatScales[] = {0x1p-149f, 1e-30f, 1.0f, 1e38f};
	for (size_t i = 0; i < sizeof(floatScales) / sizeof(floatScales[0]); ++i)
	{
		brVec3 n = brNormalize(brMakeVec3(floatScales[i], 0.0f, floatScales[i]));
		CHECK_NEAR(n.x, sqrt(0.5), 1e-7);
		CHECK_NEAR(n.z, sqrt(0.5), 1e-7);
	}
	CHECK_VECTOR(brDNormalize(brMakeDVec3(0, 0, 0)), brMakeDVec3(0, 0, 0), 0.0);
	CHECK(brNormalize(brMakeVec3(0, 0, 0)).x == 0.0f);
}

static void checkRounding(double x)
{
	float down = brRoundDown(x), up = brRoundUp(x);
	CHECK_MESSAGE((double)down <= x && x <= (double)up, "%a is rounded to %a and %a", x, down, up);
	CHECK_MESSAGE(down == up || nextafterf(down, INFINITY) == up, "%a has tighter floats than %a and %a", x, down, up);
	CHECK(down != up || (double)down == x);
}

BR_TEST(math_float_boxes_round_outward)
{
	static const double hard[] = {
		0.0,  0x1p-149, 0x1p-150, 0x1.8p-150, 0x1p-1074, 0x1p-126,          0x1.fffp-127,        FLT_MAX,
		1e39, DBL_MAX,  INFINITY, 0.1,        1.0,       1.0 + DBL_EPSILON, FLT_MAX * 1.00000001};
	for (size_t i = 0; i < sizeof(hard) / sizeof(hard[0]); ++i)
	{
		checkRounding(hard[i]);
		checkRounding(-hard[i]);
	}
	CHECK(brRoundUp(1e39) == INFINITY && brRoundDown(1e39) == FLT_MAX);
	CHECK(brRoundDown(-1e39) == -INFINITY && brRoundUp(-1e39) == -FLT_MAX);
	CHECK(brRoundUp(0x1p-1074) == 0x1p-149f && brRoundDown(0x1p-1074) == 0.0f);
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < brTest_Rounds(test, 20000); ++i)
	{
		double x = ldexp(brRandom_Range(&random, -1.0, 1.0), (int)brRandom_Below(&random, 300) - 160);
		checkRounding(x);
		double y = nextafter(x, INFINITY);
		brDBox3 a = {{x, x, x}, {x, x, x}}, b = {{x, x, x}, {y, y, y}};
		CHECK(brBox3_Overlaps(brMakeBox3Outward(a), brMakeBox3Outward(b)));
	}
}

BR_TEST(math_boxes_grow_and_touch)
{
	brDBox3 box = brMakeDBox3Empty();
	CHECK(!brDBox3_Overlaps(box, box));
	box = brDBox3_Include(box, brMakeDVec3(1, 2, 3));
	CHECK(brDBox3_Overlaps(box, box));
	box = brDBox3_Include(box, brMakeDVec3(-1, 5, 3));
	CHECK_VECTOR(box.lower, brMakeDVec3(-1, 2, 3), 0.0);
	CHECK_VECTOR(box.upper, brMakeDVec3(1, 5, 3), 0.0);
	brDBox3 touching = {{1, 5, 3}, {9, 9, 9}}, apart = {{1.0 + DBL_EPSILON, 5, 3}, {9, 9, 9}};
	CHECK(brDBox3_Overlaps(box, touching) && brDBox3_Overlaps(touching, box));
	CHECK(!brDBox3_Overlaps(box, apart) && !brDBox3_Overlaps(apart, box));
	brDBox3 both = brDBox3_Union(box, touching);
	CHECK_VECTOR(both.upper, brMakeDVec3(9, 9, 9), 0.0);
	brBox3 empty = brMakeBox3Empty(), some = {{0, 0, 0}, {1, 1, 1}};
	CHECK(!brBox3_Overlaps(empty, some) && brBox3_Overlaps(brBox3_Union(empty, some), some));
	CHECK(brMakeBox3Outward(brMakeDBox3Empty()).lower.x == INFINITY);
}

// Trigonometry against long double, which has 11 bits more where it is worth a name

#if LDBL_MANT_DIG >= 64

// How many ulps of the double nearest to the truth it is off.
static double ulpsOff(double actual, long double truth)
{
	double near = fabs((double)truth);
	double ulp = nextafter(near, INFINITY) - near;
	return (double)(fabsl((long double)actual - truth) / (long double)ulp);
}

static void noteWorst(double* worst, double off, double x, const char* name, double limit)
{
	*worst = off > *worst ? off : *worst;
	CHECK_MESSAGE(off <= limit, "%s(%a) is off by %.3f ulp", name, x, off);
}

BR_TEST(math_sine_and_cosine_are_within_an_ulp)
{
	brRandom random = brTest_Random(test);
	double worst = 0.0;
	int32_t rounds = brTest_Rounds(test, 400000);
	for (int32_t i = 0; i < rounds; ++i)
	{
		double x = 0.0;
		switch (i % 4)
		{
			case 0:
				x = brRandom_Range(&random, -10.0, 10.0);
				break;
			case 1: // near a multiple of pi/2, where the reduction cancels
				x = brRandom_Below(&random, 200000) * (0.5 * BR_PI);
				x = (brRandom_Next(&random) & 1) != 0 ? x : nextafter(x, INFINITY);
				break;
			case 2:
				x = brRandom_Range(&random, -1e5, 1e5);
				break;
			default: // any size at all
				x = ldexp(1.0 + brRandom_Unit(&random), (int)brRandom_Below(&random, 1100) - 76);
				break;
		}
#ifdef _WIN32 // mingw's sinl is the processor's instruction, which knows 66 bits of pi: no reference beyond pi/4
		x = fmod(x, 0.25 * BR_PI);
#endif
		noteWorst(&worst, ulpsOff(brSin(x), sinl(x)), x, "sin", 1.0);
		noteWorst(&worst, ulpsOff(brCos(x), cosl(x)), x, "cos", 1.0);
		CHECK(brSin(-x) == -brSin(x) && brCos(-x) == brCos(x));
	}
	printf("  worst %.3f ulp\n", worst);
}

BR_TEST(math_atan2_is_within_an_ulp)
{
	brRandom random = brTest_Random(test);
	double worst = 0.0;
	int32_t rounds = brTest_Rounds(test, 400000);
	for (int32_t i = 0; i < rounds; ++i)
	{
		double y = brRandom_Range(&random, -1.0, 1.0), x = brRandom_Range(&random, -1.0, 1.0);
		if (i % 3 == 1)
		{
			y = ldexp(y, (int)brRandom_Below(&random, 100) - 50);
		}
		if (i % 3 == 2)
		{
			int e = (int)brRandom_Below(&random, 2040) - 1020;
			y = ldexp(y, e), x = ldexp(x, e + (int)brRandom_Below(&random, 5) - 2);
		}
		if (x == 0.0 || y == 0.0)
		{
			continue;
		}
		noteWorst(&worst, ulpsOff(brAtan2(y, x), atan2l(y, x)), y / x, "atan2 of slope", 1.0);
		CHECK(brAtan2(-y, x) == -brAtan2(y, x));
	}
	printf("  worst %.3f ulp\n", worst);
}

// Doubles known to lie as close to a multiple of pi/2 as doubles come.
BR_TEST(math_sine_survives_the_hardest_arguments)
{
	double hard = 6381956970095103.0 * 0x1p797;
	CHECK(ulpsOff(brCos(hard), cosl((long double)hard)) <= 1.0);
	CHECK(fabs(brCos(hard)) < 1e-17 && fabs(brSin(hard)) == 1.0);
	CHECK(ulpsOff(brSin(DBL_MAX), sinl((long double)DBL_MAX)) <= 1.0);
	CHECK(ulpsOff(brSin(0x1p53), sinl(0x1p53L)) <= 1.0);
	CHECK(ulpsOff(brSin(0x1p54), sinl(0x1p54L)) <= 1.0);
	CHECK(ulpsOff(brSin(0x1p55), sinl(0x1p55L)) <= 1.0);
}

#endif

BR_TEST(math_trigonometry_knows_its_special_values)
{
	CHECK(brSin(0.0) == 0.0 && !signbit(brSin(0.0)) && signbit(brSin(-0.0)));
	CHECK(brCos(0.0) == 1.0 && brCos(0x1p-1074) == 1.0 && brSin(0x1p-1074) == 0x1p-1074);
	CHECK(isnan(brSin(INFINITY)) && isnan(brCos(-INFINITY)) && isnan(brSin(NAN)) && isnan(brCos(NAN)));
	CHECK(brSin(0.5 * BR_PI) == 1.0 && brCos(BR_PI) == -1.0);
	CHECK_NEAR(brSin(BR_PI / 6.0), 0.5, 1e-16);
	CHECK_NEAR(brCos(BR_PI / 3.0), 0.5, 2e-16);

	CHECK(brAtan2(0.0, 0.0) == 0.0 && brAtan2(-0.0, -0.0) == 0.0);
	CHECK(brAtan2(0.0, 2.0) == 0.0 && brAtan2(0.0, -2.0) == BR_PI && brAtan2(-0.0, -2.0) == BR_PI);
	CHECK(brAtan2(3.0, 0.0) == 0.5 * BR_PI && brAtan2(-3.0, 0.0) == -0.5 * BR_PI);
	CHECK(brAtan2(1.0, 1.0) == 0.25 * BR_PI && brAtan2(7.0, -7.0) == 0.75 * BR_PI);
	CHECK(brAtan2(INFINITY, INFINITY) == 0.25 * BR_PI && brAtan2(1.0, INFINITY) == 0.0);
	CHECK(brAtan2(1.0, -INFINITY) == BR_PI && brAtan2(-INFINITY, 1.0) == -0.5 * BR_PI);
	CHECK(isnan(brAtan2(NAN, 1.0)) && isnan(brAtan2(1.0, NAN)));
	CHECK(brAtan2(DBL_MAX, DBL_MAX) == 0.25 * BR_PI);
	CHECK(brAtan2(0x1p-1074, 0x1p-1074) == 0.25 * BR_PI);
	CHECK(brAtan2(0x1p-1074, DBL_MAX) == 0.0 && brAtan2(DBL_MAX, 0x1p-1074) == 0.5 * BR_PI);
}

// The promise of equal bits, watched by a number: it must not change with compiler, flags or processor.
BR_TEST(math_trigonometry_gives_the_same_bits_everywhere)
{
	uint64_t hash = BR_HASH_SEED;
	brRandom random = brMakeRandom(2024, 7);
	for (int32_t i = 0; i < 20000; ++i)
	{
		double x = ldexp(brRandom_Range(&random, -1.0, 1.0), i % 90);
		double values[3] = {brSin(x), brCos(x), brAtan2(x, brRandom_Range(&random, -3.0, 3.0))};
		hash = brHashBytes(hash, values, sizeof(values));
	}
	CHECK_MESSAGE(hash == 0xa6ad6d0bb5ae0794u, "the hash is 0x%016llx", (unsigned long long)hash);
}

// Eigenvectors

typedef struct Symmetric
{
	double xx, yy, zz, xy, xz, yz;
} Symmetric;

static brDVec3 applySymmetric(const Symmetric* m, brDVec3 a)
{
	return brMakeDVec3(m->xx * a.x + m->xy * a.y + m->xz * a.z, m->xy * a.x + m->yy * a.y + m->yz * a.z,
					   m->xz * a.x + m->yz * a.y + m->zz * a.z);
}

// Orthonormal, right-handed, rising, and A v = lambda v, all to a few ulp of the largest eigenvalue.
static brMat3 checkEigen(const Symmetric* m, double scale, double values[3])
{
	brMat3 v = brEigenSymmetric(m->xx * scale, m->yy * scale, m->zz * scale, m->xy * scale, m->xz * scale,
								m->yz * scale, values);
	CHECK_NEAR(brMat3_Determinant(&v), 1.0, 1e-14);
	const brDVec3* columns = &v.cx;
	double size = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		values[i] /= scale;
		size = fabs(values[i]) > size ? fabs(values[i]) : size;
		CHECK_NEAR(brDLength(columns[i]), 1.0, 1e-14);
		CHECK_NEAR(brDDot(columns[i], columns[(i + 1) % 3]), 0.0, 2e-15);
	}
	CHECK(values[0] <= values[1] && values[1] <= values[2]);
	for (int i = 0; i < 3; ++i)
	{
		CHECK_VECTOR(applySymmetric(m, columns[i]), brDMul(values[i], columns[i]), 4e-15 * size);
	}
	return v;
}

// R diag(values) R^T
static Symmetric makeSymmetric(brQuat rotation, const double values[3])
{
	brMat3 r = brMakeMat3FromQuat(rotation);
	const brDVec3* c = &r.cx;
	Symmetric m = {0};
	for (int i = 0; i < 3; ++i)
	{
		m.xx += values[i] * c[i].x * c[i].x, m.yy += values[i] * c[i].y * c[i].y, m.zz += values[i] * c[i].z * c[i].z;
		m.xy += values[i] * c[i].x * c[i].y, m.xz += values[i] * c[i].x * c[i].z, m.yz += values[i] * c[i].y * c[i].z;
	}
	return m;
}

BR_TEST(math_eigenvalues_of_made_matrices_are_found_at_any_scale)
{
	static const double scales[] = {0x1p-500, 0x1p-100, 1.0, 0x1p100, 0x1p500};
	static const double spectra[][3] = {
		{1, 2, 3},  {-5, 0, 5},      {1, 1, 1},    {1, 1, 2},        {1, 2, 2},
		{0, 0, 1},  {0, 1, 1},       {-1, -1, -1}, {-2, -1e-8, 1e8}, {1, 1 + 1e-15, 2},
		{-3, 3, 3}, {1e-12, 1, 1e6}, {0, 0, 0},    {-1, 0, 0},       {1, 1 + 1e-9, 1 + 2e-9},
	};
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 200); ++round)
	{
		for (size_t s = 0; s < sizeof(spectra) / sizeof(spectra[0]); ++s)
		{
			Symmetric m = makeSymmetric(drawRotation(&random), spectra[s]);
			double values[3], size = fabs(spectra[s][0]) + fabs(spectra[s][2]);
			checkEigen(&m, scales[round % 5], values);
			for (int i = 0; i < 3; ++i)
			{
				CHECK_NEAR(values[i], spectra[s][i], 4e-15 * size);
			}
		}
	}
}

BR_TEST(math_eigenvalues_meet_closed_forms)
{
	double values[3];
	// Ones everywhere: 0, 0, 3. A path of three: 2 - sqrt 2, 2, 2 + sqrt 2.
	checkEigen(&(Symmetric){1, 1, 1, 1, 1, 1}, 1.0, values);
	CHECK_NEAR(values[0], 0.0, 1e-15);
	CHECK_NEAR(values[1], 0.0, 1e-15);
	CHECK_NEAR(values[2], 3.0, 1e-15);
	checkEigen(&(Symmetric){2, 2, 2, -1, 0, -1}, 1.0, values);
	CHECK_NEAR(values[0], 2.0 - sqrt(2.0), 2e-15);
	CHECK_NEAR(values[1], 2.0, 2e-15);
	CHECK_NEAR(values[2], 2.0 + sqrt(2.0), 2e-15);
	brMat3 v = checkEigen(&(Symmetric){3, 1, 2, 0, 0, 0}, 1.0, values);
	CHECK(values[0] == 1.0 && values[1] == 2.0 && values[2] == 3.0 && fabs(v.cx.y) == 1.0 && fabs(v.cz.x) == 1.0);

	// All there is, down to the smallest and up to the largest double
	brEigenSymmetric(0, 0, 0, 0x1p-1074, 0, 0, values);
	CHECK(values[0] == -0x1p-1074 && values[1] == 0.0 && values[2] == 0x1p-1074);
	brEigenSymmetric(DBL_MAX, -DBL_MAX, 0, 0, 0, 0, values);
	CHECK(values[0] == -DBL_MAX && values[2] == DBL_MAX);
	brEigenSymmetric(1, 1, 1, NAN, 0, 0, values);
	CHECK(isnan(values[0]));
	brEigenSymmetric(1, INFINITY, 1, 0, 0, 0, values);
	CHECK(isnan(values[2]));
}

// Each lane has the bits that it has alone, whatever the others hold: matrices of any kind and size, diagonal, flat,
// empty and no numbers.
BR_TEST(math_eigenvectors_of_four_are_those_of_one)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 5000); ++round)
	{
		double matrices[4][6], values[4][3], own[3];
		brMat3 vectors[4];
		for (int32_t k = 0; k < 24; ++k)
		{
			double draw = brRandom_Range(&random, -1.0, 1.0);
			double* entry = &matrices[k / 6][k % 6];
			*entry = ldexp(draw, (int)brRandom_Below(&random, 60) * (int)brRandom_Below(&random, 30) - 900);
			*entry = brRandom_Below(&random, 4) == 0 ? 0.0 : *entry;
			*entry = brRandom_Below(&random, 40) == 0 ? 1.0 : brRandom_Below(&random, 200) == 0 ? NAN : *entry;
		}
		memset(matrices[round % 4], 0, round % 8 == 0 ? sizeof(matrices[0]) : 0);
		brEigenSymmetricFour((const double(*)[6])matrices, values, vectors);
		for (int32_t i = 0; i < 4; ++i)
		{
			const double* m = matrices[i];
			brMat3 alone = brEigenSymmetric(m[0], m[1], m[2], m[3], m[4], m[5], own);
			CHECK(memcmp(&alone, &vectors[i], sizeof(alone)) == 0);
			CHECK(memcmp(own, values[i], sizeof(own)) == 0 || (isnan(own[0]) && isnan(values[i][2])));
		}
	}
}

BR_TEST(math_eigenvectors_of_random_matrices_hold)
{
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < brTest_Rounds(test, 20000); ++i)
	{
		Symmetric m;
		double* entries = &m.xx;
		for (int k = 0; k < 6; ++k)
		{
			int spread = i % 3 == 0 ? 40 : 1;
			entries[k] = ldexp(brRandom_Range(&random, -1.0, 1.0), -(int)brRandom_Below(&random, (uint32_t)spread));
			entries[k] = brRandom_Below(&random, 8) == 0 ? 0.0 : entries[k];
		}
		double values[3];
		checkEigen(&m, 1.0, values);
		CHECK_NEAR(values[0] + values[1] + values[2], m.xx + m.yy + m.zz, 1e-14);
	}
}
