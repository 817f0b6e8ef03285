// SPDX-License-Identifier: MIT

// Small pieces that join their neighbors and incisions that close: what is left must be as if the cutter had not been
// there.

#include "brittle/brittle.h"
#include "cut_cases.h"
#include "harness.h"
#include "shapes.h"

#include <math.h>

// A square across z, as wide as `size`, with its middle at (x, 0, z).
static brMesh* healSquare(double size, double x, double z)
{
	brDVec3 p[4] = {{x - size, -size, z}, {x + size, -size, z}, {x + size, size, z}, {x - size, size, z}};
	int32_t corners[4] = {0, 1, 2, 3}, starts[2] = {0, 4};
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = 4, def.positions = p;
	def.faceCount = 1, def.corners = corners, def.faceStarts = starts;
	return BR_MADE(brMesh, brCreateMesh, NULL, &def);
}

static brMesh* healCube(void)
{
	brMesh* mesh = brShape_Model("box", 0);
	return mesh;
}

static brCutResult* healCut(const brMesh* source, const brMesh* const* cutters, int32_t count, double minShare,
							bool healIncisions)
{
	brCutDef def = brDefaultCutDef();
	def.minShare = minShare;
	def.healIncisions = healIncisions;
	brCutResult* result = BR_MADE(brCutResult, brCutMeshByMany, NULL, source, cutters, count, &def);
	const char* flaw = brCutCase_Flaw(result);
	CHECK_MESSAGE(flaw == NULL, "%s", flaw);
	return result;
}

// Half a cut closes without a trace: the faces of the source are whole again.
BR_TEST(cut_heal_closes_an_incision)
{
	brMesh* cube = healCube();
	brDBox3 box = brMesh_ComputeBounds(cube);
	double side = box.upper.x - box.lower.x, middle = 0.5 * (box.lower.z + box.upper.z);
	brMesh* half = healSquare(side, box.lower.x - 0.7 * side, middle + 0.1 * side);
	const brMesh* cutters[1] = {half};
	brCutResult* open = healCut(cube, cutters, 1, 0.0, false);
	brCutResult* healed = healCut(cube, cutters, 1, 0.0, true);
	CHECK(open->pieceCount == 1 && open->pieces[0].mesh->faceCount > cube->faceCount);
	CHECK_EQUAL(healed->pieceCount, 1);
	CHECK_EQUAL(healed->pieces[0].mesh->faceCount, cube->faceCount);
	CHECK_EQUAL(healed->pieces[0].mesh->vertexCount, cube->vertexCount);
	CHECK_NEAR(healed->pieces[0].volume, healed->stats.volumeIn, 1e-15 * healed->stats.volumeIn);
	brDestroyCutResult(open);
	brDestroyCutResult(healed);
	brDestroyMesh(half);
	brDestroyMesh(cube);
}

// A slab between two cuts joins the side that shares more of it, exactly, and keeps to itself if it is not small.
BR_TEST(cut_heal_joins_a_slab)
{
	brMesh* cube = healCube();
	brDBox3 box = brMesh_ComputeBounds(cube);
	double side = box.upper.x - box.lower.x, low = box.lower.z, thick = 1e-3 * side;
	// The upper cut has a part of the slab cut off beside it: the slab's upper face is shared with two pieces.
	brMesh* sheets[2] = {healSquare(2.0 * side, 0.0, low + 0.5 * side),
						 healSquare(2.0 * side, 0.0, low + 0.5 * side + thick)};
	const brMesh* cutters[3] = {sheets[0], sheets[1], NULL};
	brDVec3 p[4] = {{box.lower.x + 0.3 * side, -2.0 * side, low + 0.5 * side + 0.5 * thick},
					{box.lower.x + 0.3 * side, 2.0 * side, low + 0.5 * side + 0.5 * thick},
					{box.lower.x + 0.3 * side, 2.0 * side, low + 2.0 * side},
					{box.lower.x + 0.3 * side, -2.0 * side, low + 2.0 * side}};
	int32_t corners[4] = {0, 1, 2, 3}, starts[2] = {0, 4};
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = 4, def.positions = p, def.faceCount = 1, def.corners = corners, def.faceStarts = starts;
	brMesh* wall = BR_MADE(brMesh, brCreateMesh, NULL, &def);
	cutters[2] = wall;
	brCutResult* four = healCut(cube, cutters, 3, 0.5 * thick / side, true);
	brCutResult* three = healCut(cube, cutters, 3, 2.0 * thick / side, true);
	CHECK_EQUAL(four->pieceCount, 4);
	CHECK_EQUAL(four->stats.joined, 0);
	CHECK_EQUAL(three->pieceCount, 3);
	CHECK_EQUAL(three->stats.joined, 1);
	double volume = side * side * side, lowest = 0.0;
	for (int32_t i = 0; i < three->pieceCount; ++i)
	{
		brDBox3 bounds = brMesh_ComputeBounds(three->pieces[i].mesh);
		lowest = bounds.lower.z == low ? three->pieces[i].volume : lowest;
	}
	CHECK_NEAR(lowest, (0.5 + 1e-3) * volume, 1e-12 * volume);
	brDestroyCutResult(four);
	brDestroyCutResult(three);
	brDestroyMesh(sheets[0]);
	brDestroyMesh(sheets[1]);
	brDestroyMesh(wall);
	brDestroyMesh(cube);
}

// Sheets that fold over each other leave crumbs of all sizes, some thinner than rounding. With healing no small piece
// is left that has a neighbor, none is lost, and volume is kept.
BR_TEST(cut_heal_random)
{
	brRandom random = brTest_Random(test);
	int32_t joined = 0, closed = 0, parted = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 120); ++round)
	{
		brCutCase pair = brCutCase_Make(&random, (brCutCaseKind)(round % br_cutCaseCount));
		double share = round % 3 == 0 ? 0.0 : round % 3 == 1 ? 1e-3 : 0.3;
		bool isHealing = round % 2 == 0;
		const brMesh* cutters[1] = {pair.cutter};
		brCutResult* plain = healCut(pair.source, cutters, 1, 0.0, false);
		brCutResult* healed = healCut(pair.source, cutters, 1, share, isHealing);
		double bound = brCutCase_VolumeBound(pair.source, pair.cutter);
		CHECK_NEAR(healed->stats.volumeOut + healed->stats.crumbVolume, healed->stats.volumeIn, bound);
		CHECK(healed->pieceCount <= plain->pieceCount);
		CHECK(plain->pieceCount + plain->stats.crumbs >= healed->pieceCount + healed->stats.joined);
		for (int32_t i = 0; i < healed->pieceCount; ++i)
		{
			const brCutPiece* piece = &healed->pieces[i];
			bool hasCaps = false;
			for (int32_t f = 0; f < piece->mesh->faceCount; ++f)
			{
				hasCaps |= piece->faceKinds[f] != br_faceSource;
			}
			CHECK_MESSAGE(!hasCaps || pair.source->faceCount == 0 ||
							  piece->volume >= (share - 1e-9) * fabs(healed->stats.volumeIn),
						  "round %d: a piece of %.3g of %.3g is left", round, piece->volume, healed->stats.volumeIn);
			parted += hasCaps ? 1 : 0;
			// What has but one piece has no caps: all walls have it on both sides.
			CHECK(!isHealing || healed->pieceCount > 1 || !hasCaps || pair.isCutterClosed);
		}
		joined += healed->stats.joined;
		closed += plain->pieceCount == 1 && isHealing ? 1 : 0;
		brDestroyCutResult(plain);
		brDestroyCutResult(healed);
		brCutCase_Free(&pair);
	}
	CHECK(test->intensity < 1.0 || (joined > 10 && closed > 3 && parted > 20));
}

static brResult healForFault(const brContext* context, void* user)
{
	const brCutCase* pair = user;
	brCutDef def = brDefaultCutDef();
	def.minShare = 0.1;
	def.healIncisions = true;
	brCutResult* result = NULL;
	brResult answer = brCutMesh(context, pair->source, pair->cutter, &def, &result, NULL);
	if (answer >= 0)
	{
		brDestroyCutResult(result);
	}
	return answer;
}

BR_TEST(cut_heal_survives_failing_allocations)
{
	brRandom random = brTest_Random(test);
	brCutCase pair = brCutCase_Make(&random, br_cutCaseFold);
	CHECK(brTest_WalkAllocations(healForFault, &pair) > 30);
	brCutCase_Free(&pair);
}
