// SPDX-License-Identifier: MIT

// The random campaign: seeded cuts of all kinds, each checked for closed, oriented, manifold pieces and for volume. Quick here;
// `make campaign-cut` runs the same tests a hundred times as long.

#include "cut_cases.h"
#include "harness.h"

#include <math.h>
#include <stdio.h>

static double campaignVolume(const brMesh* source, const brMesh* cutter, brCutOp op, const char* what,
							 uint64_t* outHash, double* outWhole)
{
	brCutDef def = brDefaultCutDef();
	def.op = op;
	def.keepCrumbs = true;
	brReport report = {0};
	brCutResult* result = NULL;
	brResult code = brCutMesh(NULL, source, cutter, &def, &result, &report);
	CHECK_MESSAGE(code >= 0, "%s, op %d: %s", what, op, report.text);
	const char* flaw = brCutCase_Flaw(result);
	CHECK_MESSAGE(flaw == NULL, "%s, op %d: %s", what, op, flaw);
	double volume = result->stats.volumeOut;
	*outWhole = result->stats.volumeIn;
	*outHash = brCutCase_Hash(result);
	brDestroyCutResult(result);
	return volume;
}

static void campaignRound(uint64_t seed, int32_t round, brCutCaseKind kind)
{
	brRandom random = brMakeRandom(seed, (uint64_t)round);
	brCutCase test = brCutCase_Make(&random, kind);
	char what[96];
	snprintf(what, sizeof(what), "seed %llu, round %d, kind %d", (unsigned long long)seed, round, kind);
	double whole, other;
	double bound = brCutCase_VolumeBound(test.source, test.cutter);
	uint64_t hash, again;
	double split = campaignVolume(test.source, test.cutter, br_cutSplit, what, &hash, &whole);
	CHECK_MESSAGE(fabs(split - whole) <= bound, "%s: pieces have %.17g of %.17g, bound %g", what, split, whole, bound);
	if (round % 8 == 0)
	{
		campaignVolume(test.source, test.cutter, br_cutSplit, what, &again, &whole);
		CHECK_MESSAGE(hash == again, "%s: two runs differ", what);
	}
	if (test.isCutterClosed)
	{
		double otherBound = brCutCase_VolumeBound(test.cutter, test.source);
		double common = campaignVolume(test.source, test.cutter, br_cutIntersection, what, &hash, &whole);
		double less = campaignVolume(test.source, test.cutter, br_cutDifference, what, &hash, &whole);
		double both = campaignVolume(test.source, test.cutter, br_cutUnion, what, &hash, &whole);
		double turned = campaignVolume(test.cutter, test.source, br_cutIntersection, what, &hash, &other);
		CHECK_MESSAGE(fabs(common + less - whole) <= bound + otherBound, "%s: A*B + A-B = %.17g, A = %.17g", what,
					  common + less, whole);
		if (test.isClean)
		{
			CHECK_MESSAGE(fabs(both + common - whole - other) <= bound + otherBound,
						  "%s: A+B + A*B = %.17g, A, B = %.17g", what, both + common, whole + other);
			CHECK_MESSAGE(fabs(common - turned) <= bound + otherBound, "%s: A*B = %.17g, B*A = %.17g", what, common,
						  turned);
		}
	}
	brCutCase_Free(&test);
}

static void campaignKind(const brTest* test, brCutCaseKind kind, int32_t rounds)
{
	rounds = brTest_Rounds(test, rounds);
	for (int32_t i = 0; i < rounds; ++i)
	{
		campaignRound(test->seed, i, kind);
	}
}

BR_TEST(cut_campaign_planes)
{
	campaignKind(test, br_cutCasePlane, 60);
}

BR_TEST(cut_campaign_sheets)
{
	campaignKind(test, br_cutCaseSheet, 40);
}

BR_TEST(cut_campaign_folds)
{
	campaignKind(test, br_cutCaseFold, 40);
}

BR_TEST(cut_campaign_incisions)
{
	campaignKind(test, br_cutCaseIncision, 60);
}

BR_TEST(cut_campaign_solids)
{
	campaignKind(test, br_cutCaseSolid, 25);
}

BR_TEST(cut_campaign_coplanar)
{
	campaignKind(test, br_cutCaseCoplanar, 60);
}

BR_TEST(cut_campaign_identical)
{
	campaignKind(test, br_cutCaseIdentical, 12);
}

BR_TEST(cut_campaign_vertices)
{
	campaignKind(test, br_cutCaseVertices, 60);
}

BR_TEST(cut_campaign_touching)
{
	campaignKind(test, br_cutCaseTouching, 15);
}

BR_TEST(cut_campaign_grid)
{
	campaignKind(test, br_cutCaseGrid, 100);
}
