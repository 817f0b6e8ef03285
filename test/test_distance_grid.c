// SPDX-License-Identifier: MIT

// Distance grids against the tree and closed forms, their files, point location, decimation.

#include "harness.h"
#include "shapes.h"

#include "brittle/brittle.h"
#include "brittle/distance_grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static brSurfaceTree* gridTree(const brMesh* mesh)
{
	return BR_MADE(brSurfaceTree, brCreateSurfaceTree, NULL, mesh);
}

static brDistanceGrid* gridOf(const brSurfaceTree* tree, int32_t resolution, int32_t brick, bool isSigned)
{
	brDistanceGridDef def = brDefaultDistanceGridDef();
	def.resolution = resolution;
	def.brick = brick;
	def.isSigned = isSigned;
	return BR_MADE(brDistanceGrid, brCreateDistanceGrid, NULL, tree, &def);
}

static brDVec3 pointIn(brRandom* random, const brDistanceGrid* grid)
{
	return brMakeDVec3(grid->origin.x + grid->spacing * brRandom_Range(random, 0, grid->counts[0] - 1),
					   grid->origin.y + grid->spacing * brRandom_Range(random, 0, grid->counts[1] - 1),
					   grid->origin.z + grid->spacing * brRandom_Range(random, 0, grid->counts[2] - 1));
}

BR_TEST(distance_grids_agree_with_the_tree)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 4); ++round)
	{
		brModelDef model = brDefaultModelDef(round % 2 == 0 ? "blob" : "torus");
		model.seed = (uint64_t)round;
		model.resolution = 24;
		brMesh* mesh = BR_MADE(brMesh, brMakeModel, NULL, &model);
		brSurfaceTree* tree = gridTree(mesh);
		brDistanceGrid* grid = gridOf(tree, 16, round < 2 ? 0 : 4, true);
		int32_t inside = 0;
		for (int32_t z = 0, i = 0; z < grid->counts[2]; ++z)
		{
			for (int32_t y = 0; y < grid->counts[1]; ++y)
			{
				for (int32_t x = 0; x < grid->counts[0]; ++x, ++i)
				{
					brDVec3 p = {grid->origin.x + grid->spacing * x, grid->origin.y + grid->spacing * y,
								 grid->origin.z + grid->spacing * z};
					brClosestPoint closest;
					int32_t crossings;
					brSurfaceTree_FindClosest(tree, NULL, &p, 1, &closest);
					brSurfaceTree_CountCrossings(tree, NULL, &p, 1, &crossings);
					double value = (double)grid->values[i];
					// Never too small; too large by less than the slack off the band.
					CHECK(fabs(value) >= closest.distance * (1.0 - 1e-6));
					double allowed = closest.distance <= grid->spacing ? 1e-6 * closest.distance : 0.6 * grid->slack;
					CHECK_NEAR(fabs(value), closest.distance, allowed + 1e-12);
					// Within rounding of the surface either side will do.
					CHECK((value < 0.0) == (crossings > 0) || closest.distance < 1e-9 * grid->spacing);
					inside += value < 0.0;
				}
			}
		}
		CHECK(inside > 100);
		for (int32_t i = 0; i < 2000; ++i)
		{
			brDVec3 p = pointIn(&random, grid);
			brClosestPoint closest;
			int32_t crossings;
			brSurfaceTree_FindClosest(tree, NULL, &p, 1, &closest);
			brSurfaceTree_CountCrossings(tree, NULL, &p, 1, &crossings);
			double truth = crossings > 0 ? -closest.distance : closest.distance;
			double lower, upper;
			brDistanceGrid_ComputeBounds(grid, p, &lower, &upper);
			CHECK_MESSAGE(lower <= truth && truth <= upper, "%g is not in [%g, %g]", truth, lower, upper);
			CHECK_NEAR(brDistanceGrid_Sample(grid, p, NULL), truth, 1.2 * grid->spacing);
		}
		brDestroyDistanceGrid(grid);
		brDestroySurfaceTree(tree);
		brDestroyMesh(mesh);
	}
}

// All values of a grid, far ones too: the same for every set of instructions.
BR_TEST(distance_grids_have_pinned_bits)
{
	brMesh* mesh = brShape_Model("blob", 12);
	brSurfaceTree* tree = gridTree(mesh);
	brDistanceGrid* grid = gridOf(tree, 30, 0, true);
	uint64_t hash = 0;
	int64_t count = (int64_t)grid->counts[0] * grid->counts[1] * grid->counts[2];
	for (int64_t i = 0; i < count; ++i)
	{
		uint32_t bits;
		memcpy(&bits, &grid->values[i], sizeof(bits));
		hash = 0x9e3779b97f4a7c15u * (hash ^ bits);
	}
	CHECK(hash == 0x886acdde9112b5fdu);
	brDestroyDistanceGrid(grid);
	brDestroySurfaceTree(tree);
	brDestroyMesh(mesh);
}

BR_TEST(distance_to_a_ball_converges_and_slopes_outward)
{
	brRandom random = brTest_Random(test);
	brMesh* mesh = brShape_Sphere(5);
	brSurfaceTree* tree = gridTree(mesh);
	double worst[3] = {0}, slope = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		brDistanceGrid* grid = gridOf(tree, k == 0 ? 8 : 16, k == 2 ? 4 : 0, true);
		CHECK((grid->brickCount > 0) == (k == 2));
		for (int32_t i = 0; i < 4000; ++i)
		{
			// Along the surface, where bricks are.
			brDVec3 p = brDNormalize(brMakeDVec3(brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1),
												 brRandom_Range(&random, -1, 1)));
			p = brDMul(brRandom_Range(&random, 0.97, 1.03), p);
			brDVec3 gradient;
			double d = brDistanceGrid_Sample(grid, p, &gradient);
			worst[k] = fmax(worst[k], fabs(d - (brDLength(p) - 1.0)));
			slope = fmax(slope, k == 2 ? brDDistance(gradient, brDNormalize(p)) : 0.0);
		}
		brDestroyDistanceGrid(grid);
	}
	CHECK_MESSAGE(worst[1] < 0.45 * worst[0] && worst[2] < 0.45 * worst[1], "%g %g %g", worst[0], worst[1], worst[2]);
	CHECK_MESSAGE(slope < 0.15, "%g", slope); // the sphere is made of facets, which turn by 0.1
	// Outside the box the way to it is added.
	brDistanceGrid* grid = gridOf(tree, 12, 0, true);
	CHECK_NEAR(brDistanceGrid_Sample(grid, brMakeDVec3(50, 0, 0), NULL), 49.0, 0.02);
	brDestroyDistanceGrid(grid);
	grid = gridOf(tree, 12, 0, false);
	CHECK(brDistanceGrid_Sample(grid, brMakeDVec3(0, 0, 0), NULL) > 0.9);
	brDestroyDistanceGrid(grid);
	brDestroySurfaceTree(tree);
	brDestroyMesh(mesh);
}

BR_TEST(distance_grids_come_back_as_voxels)
{
	brMesh* mesh = brShape_Box(1, 2, 3);
	brSurfaceTree* tree = gridTree(mesh);
	brDistanceGrid* grid = gridOf(tree, 8, 3, true);
	char path[256];
	snprintf(path, sizeof(path), "%s", brTest_ScratchPath("grid.vtk"));
	brReport report = {0};
	CHECK_RESULT(brSaveDistanceGrid(NULL, grid, path, &report), &report);
	brScalarMap* back = BR_MADE(brScalarMap, brLoadScalarMap, NULL, path);
	CHECK(memcmp(grid->counts, back->counts, sizeof(grid->counts)) == 0);
	size_t nodes = (size_t)grid->counts[0] * (size_t)grid->counts[1] * (size_t)grid->counts[2];
	CHECK(memcmp(grid->values, back->values, nodes * sizeof(float)) == 0);
	CHECK_NEAR(back->box.lower.z, grid->origin.z, 0.0);
	CHECK_NEAR(back->box.upper.x, grid->origin.x + (grid->counts[0] - 1) * grid->spacing, 1e-12);
	CHECK_EQUAL(brSaveDistanceGrid(NULL, NULL, path, &report), br_errorMisuse);
	brDestroyScalarMap(back);
	brDestroyDistanceGrid(grid);
	brDestroySurfaceTree(tree);
	brDestroyMesh(mesh);
}

typedef struct GridCall
{
	const brSurfaceTree* tree;
	const brTetMesh* tets;
	const brMesh* mesh;
} GridCall;

static brResult gridOnce(const brContext* context, void* user)
{
	const GridCall* call = user;
	brDistanceGridDef def = brDefaultDistanceGridDef();
	def.resolution = 4, def.brick = 2;
	brDistanceGrid* grid = NULL;
	brResult result = brCreateDistanceGrid(context, call->tree, &def, &grid, NULL);
	if (result >= 0)
	{
		result = brSaveDistanceGrid(context, grid, brTest_ScratchPath("fault.vtk"), NULL);
	}
	brDestroyDistanceGrid(grid);
	return result;
}

static brResult locatorOnce(const brContext* context, void* user)
{
	brTetLocator* locator = NULL;
	brResult result = brCreateTetLocator(context, ((const GridCall*)user)->tets, &locator, NULL);
	brDestroyTetLocator(locator);
	return result;
}

static brResult decimateOnce(const brContext* context, void* user)
{
	brMesh* mesh = NULL;
	brResult result = brDecimateMesh(context, ((const GridCall*)user)->mesh, 50, 1.0, &mesh, NULL, NULL);
	brDestroyMesh(mesh);
	return result == br_errorUnavailable ? br_success : result;
}

static brTetMesh* tetsOfSphere(int32_t target)
{
	brMesh* surface = brShape_Sphere(4);
	brTetDef def = brDefaultTetDef();
	def.targetTets = target;
	brTetMesh* mesh = NULL;
	brReport report = {0};
	CHECK_RESULT(brMakeTetMesh(NULL, surface, &def, &mesh, NULL, &report), &report);
	brDestroyMesh(surface);
	return mesh;
}

BR_TEST(grids_locators_and_decimation_survive_failing_memory)
{
	brMesh* mesh = brShape_Sphere(2);
	GridCall call = {gridTree(mesh), tetsOfSphere(500), mesh};
	CHECK(brTest_WalkAllocations(gridOnce, &call) > 8);
	CHECK(brTest_WalkAllocations(locatorOnce, &call) > 2);
	CHECK(brTest_WalkAllocations(decimateOnce, &call) > 2);
	brDestroySurfaceTree((brSurfaceTree*)call.tree);
	brDestroyTetMesh((brTetMesh*)call.tets);
	brDestroyMesh(mesh);
}

BR_TEST(locators_find_the_tet_around_a_point)
{
	brRandom random = brTest_Random(test);
	brTetMesh* mesh = tetsOfSphere(3000);
	brTetLocator* locator = BR_MADE(brTetLocator, brCreateTetLocator, NULL, mesh);
	int32_t inside = 0, outside = 0;
	for (int32_t i = 0; i < brTest_Rounds(test, 600); ++i)
	{
		brDVec3 p = {brRandom_Range(&random, -1.3, 1.3), brRandom_Range(&random, -1.3, 1.3),
					 brRandom_Range(&random, -1.3, 1.3)};
		brTetPoint found, bound;
		brTetLocator_Find(locator, NULL, &p, 1, &found);
		brTetLocator_Embed(locator, NULL, &p, 1, &bound);
		CHECK(bound.tet >= 0);
		CHECK_NEAR(brDDistance(brTetPoint_Place(&bound, mesh, mesh->nodes), p), 0.0, 1e-12);
		// The slow twin: all tets.
		int32_t around = -1;
		for (int32_t t = 0; t < mesh->tetCount && around < 0; ++t)
		{
			const int32_t* n = mesh->tets[t];
			static const uint8_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
			bool isIn = true;
			for (int f = 0; f < 4 && isIn; ++f)
			{
				brDVec3 a = mesh->nodes[n[faces[f][0]]], b = mesh->nodes[n[faces[f][1]]],
						c = mesh->nodes[n[faces[f][2]]];
				isIn = brDDot(brDCross(brDSub(b, a), brDSub(c, a)), brDSub(p, a)) <= 0.0;
			}
			around = isIn ? t : -1;
		}
		CHECK_EQUAL(found.tet, around);
		if (around >= 0)
		{
			CHECK_EQUAL(bound.tet, around);
			inside += 1;
		}
		else
		{
			CHECK_NEAR(bound.distance, brDLength(p) - 1.0, 0.04);
			outside += 1;
		}
	}
	CHECK(inside > 0 && outside > 0);
	brDestroyTetLocator(locator);
	brDestroyTetMesh(mesh);
}

BR_TEST(decimation_keeps_surfaces_closed)
{
	brMesh* mesh = brShape_Sphere(5);
	brMesh* small = NULL;
	double error = -1.0;
	brReport report = {0};
	brResult result = brDecimateMesh(NULL, mesh, 500, 1.0, &small, &error, &report);
	if (result == br_errorUnavailable)
	{
		CHECK(strstr(report.text, "meshoptimizer") != NULL);
		brDestroyMesh(mesh);
		brTest_Skip("this build has no meshoptimizer");
	}
	CHECK_RESULT(result, &report);
	CHECK(small->faceCount <= 500 && small->faceCount > 300);
	CHECK(error >= 0.0 && error < 0.1);
	brMeshCheck check;
	CHECK_RESULT(brMesh_Check(small, NULL, NULL, &check, NULL), NULL);
	CHECK(check.isClosed && check.isOriented && check.isManifold);
	CHECK_NEAR(check.volume, 4.0 / 3.0 * BR_PI, 0.2);
	brDestroyMesh(small);
	brDestroyMesh(mesh);
	CHECK_EQUAL(brDecimateMesh(NULL, NULL, 1, 1.0, &small, NULL, &report), br_errorMisuse);
}
