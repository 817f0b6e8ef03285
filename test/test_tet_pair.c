// SPDX-License-Identifier: MIT

// Two tetrahedra, every way they are tested, against each other and against tests that cannot round.

#include "brittle/crowding.h"
#include "harness.h"
#include "math/predicates.h"
#include "narrow/tet_decide.h"
#include "narrow/tet_measure.h"
#include "narrow/tet_pair.h"
#include "narrow/triangle_pair.h"

#include <string.h>

static brDVec3 drawPoint(brRandom* random, double span)
{
	double z = brRandom_Range(random, -span, span), y = brRandom_Range(random, -span, span);
	return brMakeDVec3(brRandom_Range(random, -span, span), y, z);
}

static brDVec3 drawWhole(brRandom* random, int32_t span)
{
	uint32_t sides = 2u * (uint32_t)span + 1u;
	double z = brRandom_Below(random, sides), y = brRandom_Below(random, sides), x = brRandom_Below(random, sides);
	return brMakeDVec3(x - span, y - span, z - span);
}

static bool isFlat(const brDVec3 t[4])
{
	return brOrient3d(t[0], t[1], t[2], t[3]) == 0;
}

static bool measureByPolytope(const brDVec3 a[4], const brDVec3 b[4], brPenetration* out)
{
	brTetCorners pair;
	memcpy(pair.a, a, sizeof(pair.a));
	memcpy(pair.b, b, sizeof(pair.b));
	return brGetEpaTets(0)(&pair, 1, out) != 0;
}

// Small whole numbers: the 44 axes are exact, and touching is common.
BR_TEST(tet_pair_equals_exact_axes_on_whole_numbers)
{
	brRandom random = brTest_Random(test);
	int32_t met = 0, apart = 0, unsure = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 40000); ++round)
	{
		brDVec3 a[4], b[4];
		int32_t span = 1 + (int32_t)brRandom_Below(&random, 6);
		for (int i = 0; i < 4; ++i)
		{
			a[i] = drawWhole(&random, span);
			b[i] = brDAdd(drawWhole(&random, span), brMakeDVec3((double)(span / 2), 0.0, 0.0));
		}
		if (isFlat(a) || isFlat(b))
		{
			continue;
		}
		bool expected = brTetPair_SatAxes(a, b);
		CHECK(brTetPair_MeetsExact(a, b) == expected);
		CHECK(brTetPair_MeetsExact(b, a) == expected);
		CHECK(brTetPair_Meets(a, b) == expected);
		brTetRelation relation = brTetPair_Decide(a, b);
		CHECK(relation == br_tetsUnsure || (relation == br_tetsMeet) == expected);
		CHECK(!expected || brTetPair_SatFaces(a, b));
		met += expected, apart += !expected, unsure += relation == br_tetsUnsure;
	}
	CHECK(met > 100 && apart > 100 && unsure > 100);
}

BR_TEST(tet_pair_flat_tets_are_their_triangles)
{
	brRandom random = brTest_Random(test);
	int32_t met = 0, apart = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 20000); ++round)
	{
		brDVec3 a[3], b[3];
		for (int i = 0; i < 3; ++i)
		{
			a[i] = drawWhole(&random, 3), b[i] = drawWhole(&random, 3);
		}
		uint32_t repeatA = brRandom_Below(&random, 3), repeatB = brRandom_Below(&random, 3);
		brDVec3 flatA[4] = {a[0], a[1], a[2], a[repeatA]}, flatB[4] = {b[repeatB], b[2], b[1], b[0]};
		bool expected = brTrianglePair_Meets(a, b);
		CHECK(brTetPair_Meets(flatA, flatB) == expected);
		met += expected, apart += !expected;
	}
	CHECK(met > 100 && apart > 100);
}

// Tets of any size and shape: what one test is sure of, all find.
static void drawPair(brRandom* random, uint32_t kind, double scale, brDVec3 a[4], brDVec3 b[4])
{
	double far = kind == 1 ? 1e4 : 0.0;
	brDVec3 offset = brDMul(scale, drawPoint(random, kind == 2 ? 0.3 : 1.2));
	for (int i = 0; i < 4; ++i)
	{
		a[i] = drawPoint(random, scale);
		b[i] = brDAdd(drawPoint(random, kind == 3 ? 1e-3 * scale : scale), offset);
		if (kind == 4) // slivers
		{
			a[i].z *= 1e-3;
			b[i].x *= 1e-3;
		}
		a[i] = brDAdd(a[i], brMakeDVec3(far * scale, far * scale, -far * scale));
		b[i] = brDAdd(b[i], brMakeDVec3(far * scale, far * scale, -far * scale));
	}
}

BR_TEST(tet_pair_tests_agree_away_from_touching)
{
	brRandom random = brTest_Random(test);
	int32_t met = 0, apart = 0, unsure = 0, extra = 0, kinds[5] = {0};
	for (int32_t round = 0; round < brTest_Rounds(test, 20000); ++round)
	{
		uint32_t kind = brRandom_Below(&random, 5);
		kinds[kind] += 1;
		double scale = (double[]){1e-6, 1e-3, 1.0, 1e3, 1e6}[brRandom_Below(&random, 5)];
		brDVec3 a[4], b[4];
		drawPair(&random, kind, scale, a, b);
		bool expected = brTetPair_MeetsExact(a, b);
		brTetRelation relation = brTetPair_Decide(a, b);
		CHECK(relation == br_tetsUnsure || (relation == br_tetsMeet) == expected);
		unsure += relation == br_tetsUnsure;
		met += expected, apart += !expected;

		// The rounded tests may err within a trillionth of the coordinates, and at a distance of nothing.
		double close = 1e-12 * scale * (kind == 1 ? 1e4 : 1.0);
		brPenetration mtv = {0}, epa = {0};
		bool hasMtv = brTetPair_Mtv(a, b, &mtv), hasEpa = measureByPolytope(a, b, &epa);
		double distance = brTetPair_Gjk(a, b);
		CHECK(expected ? distance <= close : distance > 0.0 || hasMtv);
		CHECK(hasEpa == (distance == 0.0));
		if (expected && hasMtv && mtv.depth > 100.0 * close)
		{
			CHECK(hasEpa);
			CHECK_NEAR(epa.depth, mtv.depth, 1e-9 * scale * (kind == 1 ? 100.0 : 1.0));
			CHECK(brTetPair_SatAxes(a, b) && brTetPair_SatFaces(a, b));
			// Moved out they are apart, moved nearly out they are not.
			for (int way = 0; way < 4; ++way)
			{
				const brPenetration* p = way / 2 == 0 ? &mtv : &epa;
				double depth = p->depth + (way % 2 == 0 ? 10.0 : -10.0) * fmax(close, 1e-9 * p->depth);
				brDVec3 moved[4];
				for (int i = 0; i < 4; ++i)
				{
					moved[i] = brDMulAdd(b[i], depth, p->direction);
				}
				CHECK(brTetPair_MeetsExact(a, moved) == (way % 2 == 1));
			}
		}
		if (!expected && distance > close)
		{
			CHECK(!brTetPair_SatAxes(a, b) || distance < 100.0 * close);
			extra += brTetPair_SatFaces(a, b);
		}
	}
	int32_t least = brTest_Rounds(test, 1000);
	CHECK(met > least && apart > least && extra > 0);
	CHECK(unsure < (met + apart) / 100);
	for (int kind = 0; kind < 5; ++kind)
	{
		CHECK(kinds[kind] > 0);
	}
}

// Several pairs at once give the bits of one pair, on every set of lanes: kinds of pairs as above, with small whole
// numbers, which tie, and flat tets.
BR_TEST(tet_pair_measured_together_has_the_bits_of_one)
{
	enum
	{
		kinds = 7,
		pairs = 8
	};
	brRandom random = brTest_Random(test);
	int32_t met = 0, apart = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 1000); ++round)
	{
		brTetCorners corners[pairs];
		for (int32_t i = 0; i < pairs; ++i)
		{
			uint32_t kind = brRandom_Below(&random, kinds);
			double scale = (double[]){0x1p-300, 1e-6, 1.0, 1e6, 0x1p300}[brRandom_Below(&random, 5)];
			drawPair(&random, kind < 5 ? kind : 2, scale, corners[i].a, corners[i].b);
			for (int k = 0; k < 4 && kind >= 5; ++k)
			{
				corners[i].a[k] = brDMul(scale, drawWhole(&random, 2));
				corners[i].b[k] = brDMul(scale, kind == 6 && k == 3 ? corners[i].b[0] : drawWhole(&random, 2));
			}
		}
		brPenetration one[pairs] = {0}, first[pairs] = {0};
		uint32_t meets = 0, firstMeets = 0;
		for (int32_t i = 0; i < pairs; ++i)
		{
			meets |= (uint32_t)brTetPair_Mtv(corners[i].a, corners[i].b, &one[i]) << i;
		}
		for (int32_t lanes = 4; lanes <= 16; lanes *= 2)
		{
			int32_t count = 1 + (int32_t)brRandom_Below(&random, pairs);
			brPenetration mtv[pairs] = {0}, epa[pairs] = {0};
			CHECK(brGetMtvTets(lanes)(corners, count, mtv) == (meets & ((1u << count) - 1u)));
			for (int32_t i = 0; i < count; ++i)
			{
				CHECK(mtv[i].depth == one[i].depth && brDDistance(mtv[i].direction, one[i].direction) == 0.0);
			}
			uint32_t epaMeets = brGetEpaTets(lanes)(corners, pairs, epa);
			CHECK(lanes == 4 || (epaMeets == firstMeets && memcmp(epa, first, sizeof(epa)) == 0));
			firstMeets = epaMeets;
			memcpy(first, epa, sizeof(epa));
		}
		met += __builtin_popcount(meets), apart += pairs - __builtin_popcount(meets);
	}
	CHECK(met > 100 && apart > 100);
}

// Depths of 2,000 pairs as they were before their polytopes had vectors.
BR_TEST(tet_pair_depths_of_polytopes_are_pinned)
{
	brRandom random = brMakeRandom(11, 1);
	uint64_t hash = 0;
	int32_t met = 0;
	for (int32_t i = 0; i < 2000; ++i)
	{
		brDVec3 a[4], b[4];
		drawPair(&random, (uint32_t)i % 5, 1.0, a, b);
		brPenetration found = {0};
		met += measureByPolytope(a, b, &found);
		uint64_t words[4];
		memcpy(words, &found, sizeof(words));
		for (int k = 0; k < 4; ++k)
		{
			hash = 0x9e3779b97f4a7c15u * (hash ^ words[k]);
		}
	}
	CHECK_EQUAL(met, 472);
	CHECK(hash == 0x692835fda6f1304u);
}

BR_TEST(tet_pair_distance_is_the_distance)
{
	// A corner above a face, an edge across an edge, corner to corner; turned by swapping axes and at every scale.
	for (int exponent = -20; exponent <= 20; ++exponent)
	{
		double s = ldexp(1.0, exponent);
		brDVec3 a[4] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, -4}};
		brDVec3 above[4] = {{1, 1, 3}, {1, 2, 5}, {2, 1, 5}, {1, 1, 6}};
		brDVec3 beside[4] = {{-3, -4, 0}, {-5, -4, 0}, {-3, -6, 0}, {-4, -5, 1}};
		for (int i = 0; i < 4; ++i)
		{
			a[i] = brDMul(s, a[i]), above[i] = brDMul(s, above[i]), beside[i] = brDMul(s, beside[i]);
		}
		CHECK_NEAR(brTetPair_Gjk(a, above), 3.0 * s, 1e-12 * s);
		CHECK_NEAR(brTetPair_Gjk(above, a), 3.0 * s, 1e-12 * s);
		CHECK_NEAR(brTetPair_Gjk(a, beside), 5.0 * s, 1e-12 * s);
		CHECK(brTetPair_Gjk(a, a) == 0.0);
	}
}

BR_TEST(tet_pair_smallest_sphere_holds_the_tet)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 5000); ++round)
	{
		brDVec3 t[4];
		double longest = 0.0;
		for (int i = 0; i < 4; ++i)
		{
			t[i] = round % 3 == 0 ? drawWhole(&random, 2) : drawPoint(&random, 1.0);
			for (int j = 0; j < i; ++j)
			{
				longest = fmax(longest, sqrt(brDLengthSq(brDSub(t[i], t[j]))));
			}
		}
		// Jung 1901: the smallest sphere is at most sqrt(3/2) of the longest edge in diameter.
		double diameter = brTet_SphereDiameter(t);
		CHECK(diameter >= longest * (1.0 - 1e-9) && diameter <= longest * sqrt(1.5) * (1.0 + 1e-9));
	}
	brDVec3 regular[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
	CHECK_NEAR(brTet_SphereDiameter(regular), 2.0 * sqrt(3.0), 1e-12);
	brDVec3 blunt[4] = {{-1, 0, 0}, {1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}};
	CHECK_NEAR(brTet_SphereDiameter(blunt), 2.0, 1e-12);
}

static bool shareCorner(const brTetRecord* a, const brTetRecord* b)
{
	for (int k = 0; k < 16; ++k)
	{
		if (a->corners[k / 4] == b->corners[k % 4])
		{
			return true;
		}
	}
	return false;
}

// The wide test against exact signs, for each width: never wrong, seldom unsure.
BR_TEST(tet_pair_wide_test_is_certain)
{
	brRandom random = brTest_Random(test);
	const int32_t widths[4] = {0, 16, 8, 1};
	int64_t settled = 0, total = 0, touching = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 3000); ++round)
	{
		brTetRecord records[32];
		brDVec3 corners[32][4];
		brPair pairs[16];
		uint32_t kind = brRandom_Below(&random, 4);
		int32_t count = 1 + (int32_t)brRandom_Below(&random, 16);
		for (int32_t i = 0; i < 32; ++i)
		{
			double size = kind == 3 ? 1e-3 : 0.1;
			brDVec3 offset = drawPoint(&random, kind == 3 ? 1e-3 : 0.1);
			for (int k = 0; k < 4; ++k)
			{
				brDVec3 p = brDAdd(drawPoint(&random, size), offset);
				p = kind == 1 ? brDMul(0.125, drawWhole(&random, 3)) : p;
				p = brDAdd(p, brMakeDVec3(0.5, 0.5, -0.5));
				// Off by what rounding may do, and no more.
				corners[i][k] = p;
				records[i].x[k] = (float)p.x, records[i].y[k] = (float)p.y, records[i].z[k] = (float)p.z;
				records[i].corners[k] = (int32_t)brRandom_Below(&random, 60);
			}
			if (kind == 2) // flat
			{
				corners[i][3] = corners[i][0];
				records[i].x[3] = records[i].x[0], records[i].y[3] = records[i].y[0], records[i].z[3] = records[i].z[0];
			}
		}
		for (int32_t i = 0; i < 16; ++i)
		{
			pairs[i] = (brPair){(int32_t)brRandom_Below(&random, 32), (int32_t)brRandom_Below(&random, 32)};
		}
		bool facesOnly = brRandom_Below(&random, 4) == 0;
		brTetAnswers answers;
		brGetDecideTets(widths[round % 4])(records, pairs, count, true, facesOnly, &answers);
		CHECK((answers.neighbors >> count) == 0);
		CHECK(((answers.apart | answers.meets) >> count) == 0 && (answers.apart & answers.meets) == 0);
		for (int32_t i = 0; i < count; ++i)
		{
			bool meets = brTetPair_MeetsExact(corners[pairs[i].a], corners[pairs[i].b]);
			CHECK_EQUAL(answers.neighbors >> i & 1u, shareCorner(&records[pairs[i].a], &records[pairs[i].b]));
			CHECK((answers.apart >> i & 1u) == 0 || !meets);
			bool facesMeet = brTetPair_SatFaces(corners[pairs[i].a], corners[pairs[i].b]);
			CHECK((answers.meets >> i & 1u) == 0 || meets);
			CHECK((answers.apart >> i & 1u) == 0 || !facesOnly || !facesMeet);
			bool isSettled = ((answers.apart | answers.meets | answers.neighbors) >> i & 1u) != 0;
			settled += kind == 0 && !facesOnly && isSettled;
			total += kind == 0 && !facesOnly;
			touching += kind == 1 && !isSettled;
		}
	}
	CHECK(total > brTest_Rounds(test, 1000) && touching > 0);
	CHECK(settled > total - total / 50);
}
