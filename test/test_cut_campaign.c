// SPDX-License-Identifier: MIT

// The random campaign: seeded cuts of all kinds, each checked for closed, oriented, manifold pieces and for volume.
// Quick here; `make campaign-cut` runs the same tests a hundred times as long.

#include "brittle/io.h"
#include "cut_cases.h"
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double campaignVolume(const brContext* context, const brMesh* source, const brMesh* cutter, brCutOp op,
							 const char* what, uint64_t* outHash, double* outWhole)
{
	brCutDef def = brDefaultCutDef();
	def.op = op;
	def.keepCrumbs = true;
	brReport report = {0};
	brCutResult* result = NULL;
	brResult code = brCutMesh(context, source, cutter, &def, &result, &report);
	CHECK_MESSAGE(code >= 0, "%s, op %d: %s", what, op, report.text);
	const char* flaw = brCutCase_Flaw(result);
	CHECK_MESSAGE(flaw == NULL, "%s, op %d: %s", what, op, flaw);
	double volume = result->stats.volumeOut;
	*outWhole = result->stats.volumeIn;
	*outHash = brCutCase_Hash(result);
	brDestroyCutResult(result);
	return volume;
}

// Every few rounds the same cut on three workers: the same bits.
static void campaignRound(const brContext* context, uint64_t seed, int32_t round, brCutCaseKind kind)
{
	brRandom random = brMakeRandom(seed, (uint64_t)round);
	brCutCase test = brCutCase_Make(&random, kind);
	char what[96];
	snprintf(what, sizeof(what), "seed %llu, round %d, kind %d", (unsigned long long)seed, round, kind);
	double whole, other;
	double bound = brCutCase_VolumeBound(test.source, test.cutter);
	uint64_t hash, again;
	double split = campaignVolume(NULL, test.source, test.cutter, br_cutSplit, what, &hash, &whole);
	CHECK_MESSAGE(fabs(split - whole) <= bound, "%s: pieces have %.17g of %.17g, bound %g", what, split, whole, bound);
	if (round % 3 == 0)
	{
		campaignVolume(context, test.source, test.cutter, br_cutSplit, what, &again, &whole);
		CHECK_MESSAGE(hash == again, "%s: three workers give another result", what);
	}
	if (test.isCutterClosed)
	{
		double otherBound = brCutCase_VolumeBound(test.cutter, test.source);
		double common = campaignVolume(NULL, test.source, test.cutter, br_cutIntersection, what, &hash, &whole);
		double less = campaignVolume(NULL, test.source, test.cutter, br_cutDifference, what, &hash, &whole);
		double both = campaignVolume(NULL, test.source, test.cutter, br_cutUnion, what, &hash, &whole);
		double turned = campaignVolume(NULL, test.cutter, test.source, br_cutIntersection, what, &hash, &other);
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
	brContext context = {.workers = brTest_Workers(3)};
	for (int32_t i = 0; i < rounds; ++i)
	{
		campaignRound(&context, test->seed, i, kind);
	}
	brDestroyWorkers(context.workers);
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

// Public meshes that are closed, by planes, sheets, themselves moved a little, and each other.
BR_TEST(cut_campaign_models)
{
	static const char* const names[] = {
		"models/cow.obj",       "models/spot.obj",    "models/bunny-closed-oded.obj", "models/3holes.off",
		"models/hand.off",      "models/fandisk.obj", "models/dragon-lowpoly.obj",    "models/rocker-arm.obj",
		"models/torus-oded.obj"};
	if (brTest_DataPath(names[0]) == NULL)
	{
		brTest_Skip("the mesh collection is not there");
	}
	brRandom random = brTest_Random(test);
	int32_t rounds = brTest_Rounds(test, 12), closed = 0;
	for (int32_t i = 0; i < rounds; ++i)
	{
		const char* name = names[i % 9];
		brMesh* mesh = NULL;
		brReport report = {0};
		if (brTest_DataPath(name) == NULL || brLoadMesh(NULL, brTest_DataPath(name), &mesh, &report) < 0)
		{
			continue;
		}
		brDBox3 box = brMesh_ComputeBounds(mesh);
		double size = brDDistance(box.lower, box.upper);
		uint32_t kind = brRandom_Below(&random, 3);
		brMesh* cutter = NULL;
		brAffine map = brMakeAffineIdentity();
		if (kind == 2)
		{
			CHECK(brCopyMesh(NULL, mesh, &cutter, NULL) >= 0);
			map.p = (brDVec3){0.1 * size, brRandom_Range(&random, -0.1, 0.1) * size, 0.0};
		}
		else
		{
			cutter = brCutCase_Sheet(&random, kind == 0 ? 1 : 12, kind == 0 ? 0.0 : 0.03, i % 2 == 0);
			brQuat turn =
				brQuat_Normalize((brQuat){brRandom_Range(&random, -1.0, 1.0), brRandom_Range(&random, -1.0, 1.0),
										  brRandom_Range(&random, -1.0, 1.0), brRandom_Range(&random, -1.0, 1.0)});
			map.m = brMakeMat3FromQuat(turn);
			map.m.cx = brDMul(size, map.m.cx), map.m.cy = brDMul(size, map.m.cy), map.m.cz = brDMul(size, map.m.cz);
			map.p = brDLerp(box.lower, box.upper, 0.5);
		}
		brMesh_Transform(cutter, &map);
		brCutResult* result = NULL;
		brResult code = brCutMesh(NULL, mesh, cutter, NULL, &result, &report);
		bool isOpen = code < 0 && strstr(report.text, "the source is open") != NULL;
		CHECK_MESSAGE(code >= 0 || isOpen, "%s, round %d: %s", name, i, report.text);
		if (!isOpen)
		{
			closed += 1;
			const char* flaw = brCutCase_Flaw(result);
			CHECK_MESSAGE(flaw == NULL, "%s, round %d: %s", name, i, flaw);
			CHECK_MESSAGE(fabs(result->stats.volumeOut + result->stats.crumbVolume - result->stats.volumeIn) <=
							  brCutCase_VolumeBound(mesh, cutter),
						  "%s, round %d: pieces have %.17g of %.17g", name, i, result->stats.volumeOut,
						  result->stats.volumeIn);
		}
		brDestroyCutResult(result);
		brDestroyMesh(cutter);
		brDestroyMesh(mesh);
	}
	CHECK(closed > rounds / 2);
}
