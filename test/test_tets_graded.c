// SPDX-License-Identifier: MIT

// Lattices with cells of several sizes along the surface: finer in balls and along thin walls.

#include "brittle/brittle.h"
#include "harness.h"
#include "model_list.h"
#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEGREES (BR_PI / 180.0)

// Sound, closed, all dihedral angles within 9 and 165 degrees.
static brTetMeshStats checkGraded(const brTetMesh* mesh, const char* name)
{
	brTetFaults verdict;
	brReport report = {0};
	CHECK_RESULT(brTetMesh_FindFaults(mesh, NULL, &verdict, &report), &report);
	CHECK_MESSAGE(verdict.isSound && verdict.stats.isSurfaceClosed, "%s: %s", name, verdict.text);
	CHECK_MESSAGE(verdict.stats.minDihedral >= 9.0 * DEGREES && verdict.stats.maxDihedral <= 165.0 * DEGREES,
				  "%s: angles from %g to %g degrees", name, verdict.stats.minDihedral / DEGREES,
				  verdict.stats.maxDihedral / DEGREES);
	return verdict.stats;
}

// Up to three balls about vertices of the model, with cells down to an eighth of the rest.
static brTetDef randomBalls(brRandom* random, const brMesh* mesh, brTetRefinement balls[3])
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 extent = brDSub(box.upper, box.lower);
	double size = fmax(extent.x, fmax(extent.y, extent.z));
	brTetDef def = brDefaultTetDef();
	def.targetTets = 0;
	def.edge = size / brRandom_Range(random, 10.0, 16.0);
	def.coarsening = (int32_t)brRandom_Below(random, 3);
	def.allowBroken = true;
	def.refinements = balls;
	def.refinementCount = 1 + (int32_t)brRandom_Below(random, 3);
	for (int32_t i = 0; i < def.refinementCount; ++i)
	{
		balls[i].center = mesh->positions[brRandom_Below(random, (uint32_t)mesh->vertexCount)];
		balls[i].radius = size * brRandom_Range(random, 0.05, 0.2);
		balls[i].edge = def.edge / (2 << brRandom_Below(random, 3)) * 1.01;
	}
	return def;
}

BR_TEST(graded_tets_are_sound_with_good_angles)
{
	brRandom random = brTest_Random(test);
	static const char* const names[4] = {"blob", "statue", "torus", "knot"};
	for (int32_t round = 0; round < brTest_Rounds(test, 8); ++round)
	{
		brMesh* surface = brShape_Model(names[round % 4], 24);
		brTetRefinement balls[3];
		brTetDef def = randomBalls(&random, surface, balls);
		brTetInfo info;
		brReport report = {0};
		brTetMesh* mesh = NULL;
		CHECK_RESULT(brMakeTetMesh(NULL, surface, &def, &mesh, &info, &report), &report);
		brTetMeshStats stats = checkGraded(mesh, names[round % 4]);
		CHECK_NEAR(stats.volume, info.surfaceVolume, 0.1 * info.surfaceVolume);
		CHECK(info.edge <= 0.51 * def.edge && info.deviation >= def.edge);
		brFreeTetInfo(&info);
		brDestroyTetMesh(mesh);
		brDestroyMesh(surface);
	}
}

// Boundary triangles are small in the ball and large away from it, and all boundary nodes are on the surface.
BR_TEST(graded_tets_are_fine_where_asked)
{
	brMesh* ball = brShape_Sphere(4);
	brTetRefinement refinement = {{1.0, 0.0, 0.0}, 0.4, 0.05};
	brTetDef def = brDefaultTetDef();
	def.targetTets = 0, def.edge = 0.2, def.matchVolume = false;
	def.refinements = &refinement, def.refinementCount = 1;
	brTetMesh* mesh = NULL;
	brTetInfo info;
	brReport report = {0};
	CHECK_RESULT(brMakeTetMesh(NULL, ball, &def, &mesh, &info, &report), &report);
	checkGraded(mesh, "ball");
	brMesh* boundary = BR_MADE(brMesh, brTetMesh_MakeSurface, mesh, NULL);
	double areas[2] = {0.0, 0.0};
	int32_t counts[2] = {0, 0};
	for (int32_t f = 0; f < boundary->faceCount; ++f)
	{
		const int32_t* c = boundary->corners + boundary->faceStarts[f];
		brDVec3 a = boundary->positions[c[0]], b = boundary->positions[c[1]], d = boundary->positions[c[2]];
		double distance = brDDistance(a, refinement.center);
		int32_t side = distance < 0.3 ? 0 : distance > 1.2 ? 1 : -1;
		if (side >= 0)
		{
			areas[side] += 0.5 * brDLength(brDCross(brDSub(b, a), brDSub(d, a)));
			++counts[side];
		}
	}
	CHECK(counts[0] > 50 && counts[1] > 50);
	double ratio = areas[1] / counts[1] / (areas[0] / counts[0]);
	CHECK_MESSAGE(ratio > 10.0 && ratio < 25.0, "areas in the ratio %g, 16 for a quarter of the edge", ratio);
	brSurfaceTree* tree = BR_MADE(brSurfaceTree, brCreateSurfaceTree, NULL, ball);
	brClosestPoint* closest = malloc((size_t)boundary->vertexCount * sizeof(brClosestPoint));
	brSurfaceTree_FindClosest(tree, NULL, boundary->positions, boundary->vertexCount, closest);
	for (int32_t v = 0; v < boundary->vertexCount; ++v)
	{
		CHECK(closest[v].distance < 1e-9);
	}
	free(closest);
	brDestroySurfaceTree(tree);
	brDestroyMesh(boundary);
	brFreeTetInfo(&info);
	brDestroyTetMesh(mesh);
	brDestroyMesh(ball);
}

// A bowl with walls thinner than a cell: refused as it is, one solid when walls are refined; a count is met too.
BR_TEST(graded_tets_hold_thin_walls)
{
	brMesh* bowl = brShape_Model("bowl", 48);
	brTetDef def = brDefaultTetDef();
	def.targetTets = 0, def.edge = 0.03;
	brTetMesh* mesh = NULL;
	brReport report = {0};
	CHECK_EQUAL(brMakeTetMesh(NULL, bowl, &def, &mesh, NULL, &report), br_errorGeometry);
	def.refineThin = true;
	brTetInfo info;
	CHECK_RESULT(brMakeTetMesh(NULL, bowl, &def, &mesh, &info, &report), &report);
	brTetMeshStats stats = checkGraded(mesh, "bowl");
	CHECK_EQUAL(stats.components, 1);
	CHECK_NEAR(info.volume, info.surfaceVolume, 0.03 * info.surfaceVolume);
	brFreeTetInfo(&info);
	brDestroyTetMesh(mesh);
	mesh = NULL;
	def.targetTets = 60000, def.edge = 0.0;
	CHECK_RESULT(brMakeTetMesh(NULL, bowl, &def, &mesh, NULL, &report), &report);
	checkGraded(mesh, "bowl");
	CHECK(abs(mesh->tetCount - 60000) <= 9000);
	brDestroyTetMesh(mesh);
	brDestroyMesh(bowl);
}

BR_TEST(graded_tets_do_not_depend_on_workers)
{
	brMesh* surface = brShape_Model("blob", 16);
	brRandom random = brTest_Random(test);
	brTetRefinement balls[3];
	brTetDef def = randomBalls(&random, surface, balls);
	brContext context = {.workers = brTest_Workers(3)};
	brTetMesh *alone = NULL, *shared = NULL;
	brReport report = {0};
	CHECK_RESULT(brMakeTetMesh(NULL, surface, &def, &alone, NULL, &report), &report);
	CHECK_RESULT(brMakeTetMesh(&context, surface, &def, &shared, NULL, &report), &report);
	CHECK(alone->nodeCount == shared->nodeCount && alone->tetCount == shared->tetCount);
	CHECK(memcmp(alone->nodes, shared->nodes, (size_t)alone->nodeCount * sizeof(brDVec3)) == 0);
	CHECK(memcmp(alone->tets, shared->tets, (size_t)alone->tetCount * sizeof(int32_t[4])) == 0);
	brDestroyTetMesh(alone);
	brDestroyTetMesh(shared);
	brDestroyWorkers(context.workers);
	brDestroyMesh(surface);
}

static brResult gradeOnce(const brContext* context, void* user)
{
	brTetRefinement ball = {{0.0, 0.0, 0.0}, 0.5, 0.2};
	brTetDef def = brDefaultTetDef();
	def.targetTets = 0, def.edge = 0.4, def.matchVolume = false, def.allowBroken = true;
	def.refinements = &ball, def.refinementCount = 1, def.refineThin = true;
	brTetMesh* mesh = NULL;
	brResult result = brMakeTetMesh(context, user, &def, &mesh, NULL, NULL);
	brDestroyTetMesh(mesh);
	return result;
}

BR_TEST(graded_tets_survive_failing_memory_and_bad_balls)
{
	brMesh* surface = brShape_LPrism();
	CHECK(brTest_WalkAllocations(gradeOnce, surface) > 30);
	brTetRefinement ball = {{0.0, 0.0, 0.0}, 1.0, 0.0};
	brTetDef def = brDefaultTetDef();
	def.refinements = &ball, def.refinementCount = 1;
	brTetMesh* none = NULL;
	brReport report = {0};
	CHECK_EQUAL(brMakeTetMesh(NULL, surface, &def, &none, NULL, &report), br_errorMisuse);
	CHECK(none == NULL && report.text[0] != 0);
	ball.edge = 0.1, def.embed = true;
	CHECK_EQUAL(brMakeTetMesh(NULL, surface, &def, &none, NULL, &report), br_errorMisuse);
	brDestroyMesh(surface);
}

// The collection: every model with random balls; five of them in an ordinary run, all at intensity 10.
BR_TEST(graded_tets_of_collected_models)
{
	if (brTest_DataPath("models/spot.obj") == NULL)
	{
		brTest_Skip("the mesh collection is not there");
	}
	brRandom random = brTest_Random(test);
	int32_t wanted = brTest_Rounds(test, 5);
	for (int32_t n = 0; n < wanted && n < COLLECTED_MODEL_COUNT; ++n)
	{
		char path[128];
		snprintf(path, sizeof(path), "models/%s", collectedModels[n]);
		brReport report = {0};
		brMesh* surface = BR_MADE(brMesh, brLoadMesh, NULL, brTest_DataPath(path));
		brTetRefinement balls[3];
		brTetDef def = randomBalls(&random, surface, balls);
		brTetMesh* mesh = NULL;
		if (brMakeTetMesh(NULL, surface, &def, &mesh, NULL, &report) >= 0)
		{
			checkGraded(mesh, collectedModels[n]);
		}
		else
		{
			CHECK_MESSAGE(n >= 5 && report.text[0] != 0, "%s: %s", collectedModels[n], report.text);
		}
		brDestroyTetMesh(mesh);
		brDestroyMesh(surface);
	}
}
