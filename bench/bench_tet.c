// SPDX-License-Identifier: MIT

// Volumes: tets from surfaces against the tetgen program as a separate process, winding numbers, distance grids.
//
// TetGen keeps every triangle of the surface it is given, so a fine surface sets a least number of tets, several times
// what we would be asked for. To compare like with like it runs first (-q for quality, -a for size) and ours is then
// asked for as many tets as it made. Its own clock ("Total running seconds") is taken, which leaves out starting it;
// ours is the call from a mesh in memory, tree and search included. It keeps the surface exactly, which ours does not:
// see docs/volumes.md.

#include "bench.h"

#include "base/clock.h"
#include "base/random.h"
#include "brittle/brittle.h"
#include "brittle/distance_grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct TetBench
{
	const brMesh* mesh;
	const brSurfaceTree* tree;
	int32_t target;
	int32_t tets;
	const brDVec3* points;
	int32_t pointCount;
	double* winding;
} TetBench;

static void fillOnce(void* user)
{
	TetBench* data = user;
	brTetDef def = brDefaultTetDef();
	def.targetTets = data->target;
	brTetMesh* mesh = NULL;
	brReport report = {0};
	if (brMakeTetMesh(NULL, data->mesh, &def, &mesh, NULL, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	data->tets = mesh->tetCount;
	brDestroyTetMesh(mesh);
}

static void checkFill(const TetBench* data)
{
	brTetDef def = brDefaultTetDef();
	def.targetTets = data->target;
	brTetMesh* mesh = NULL;
	brTetFaults verdict;
	if (brMakeTetMesh(NULL, data->mesh, &def, &mesh, NULL, NULL) < 0 ||
		brTetMesh_FindFaults(mesh, NULL, &verdict, NULL) < 0 || !verdict.isSound ||
		abs(mesh->tetCount - data->target) > 0.15 * data->target)
	{
		brBench_Fail("the tets are not sound or not as many as asked for");
	}
	brDestroyTetMesh(mesh);
}

// Seconds of the tetgen program for tets of the mean size asked for, and how many it made; 0 if it is not there or
// gives up.
static double runTetgen(const brMesh* mesh, double volume, int32_t tets, int32_t* outTets)
{
	if (system("command -v tetgen >/dev/null 2>&1") != 0)
	{
		return 0.0;
	}
	char folder[] = "/tmp/brittle-tetgen-XXXXXX";
	if (mkdtemp(folder) == NULL)
	{
		return 0.0;
	}
	char path[128], line[512];
	snprintf(path, sizeof(path), "%s/surface.off", folder);
	double seconds = 0.0;
	brSaveDef save = brDefaultSaveDef();
	save.triangulate = true;
	if (brSaveMesh(NULL, mesh, path, &save, NULL) >= 0)
	{
		snprintf(line, sizeof(line), "cd %s && timeout 300 tetgen -pq1.4a%.9g surface.off 2>&1", folder,
				 2.0 * volume / tets);
		FILE* pipe = popen(line, "r");
		while (pipe != NULL && fgets(line, sizeof(line), pipe) != NULL)
		{
			sscanf(line, " Total running seconds: %lf", &seconds);
			sscanf(line, " Mesh tetrahedra: %d", outTets);
		}
		if (pipe != NULL)
		{
			pclose(pipe);
		}
	}
	snprintf(line, sizeof(line), "rm -r %s", folder);
	if (system(line) != 0)
	{
		fprintf(stderr, "%s is left behind\n", folder);
	}
	return seconds;
}

static brMesh* benchModel(const char* name, int32_t resolution)
{
	brModelDef def = brDefaultModelDef(name);
	def.resolution = resolution;
	brMesh* mesh = NULL;
	brReport report = {0};
	if (brMakeModel(NULL, &def, &mesh, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	return mesh;
}

static void benchFill(brBench* bench, const char* label, const brMesh* mesh, int32_t target, bool hasPeer)
{
	char name[96];
	int32_t triangles = mesh->cornerCount - 2 * mesh->faceCount;
	snprintf(name, sizeof(name), "%s, %d triangles, ", label, triangles);
	if (!brBench_Wants(bench, name))
	{
		return;
	}
	double peer = hasPeer ? runTetgen(mesh, brMesh_ComputeMass(mesh, 1.0).volume, target, &target) : 0.0;
	TetBench data = {.mesh = mesh, .target = target};
	checkFill(&data);
	double ours = brBench_Median(target > 300000 ? 3 : 5, fillOnce, &data);
	snprintf(name, sizeof(name), "%s, %d triangles, %d tets", label, triangles, target);
	brBench_Row(bench, name, 1e3 * ours, 1e3 * peer, "ms");
}

static void askWinding(void* user)
{
	TetBench* data = user;
	brSurfaceTree_ComputeWinding(data->tree, NULL, data->points, data->pointCount, data->winding);
}

static void makeGrid(void* user)
{
	TetBench* data = user;
	brDBox3 box = brMesh_ComputeBounds(data->mesh);
	brDVec3 size = brDSub(box.upper, box.lower);
	brDistanceGridDef def = brDefaultDistanceGridDef();
	def.resolution = 0;
	def.padding = 1;
	// As many nodes as a cube of 128 has, whatever the box.
	double product = size.x * size.y * size.z, spacing = 1e-6;
	while (product / (spacing * spacing * spacing) > 126.0 * 126.0 * 126.0)
	{
		spacing *= 1.001;
	}
	def.spacing = spacing;
	brDistanceGrid* grid = NULL;
	if (brCreateDistanceGrid(NULL, data->tree, &def, &grid, NULL) < 0)
	{
		brBench_Fail("the grid was refused");
	}
	brDestroyDistanceGrid(grid);
}

static void benchQueries(brBench* bench, const brMesh* mesh)
{
	TetBench data = {.mesh = mesh, .pointCount = 1000000};
	brSurfaceTree* tree = NULL;
	if (brCreateSurfaceTree(NULL, mesh, &tree, NULL) < 0)
	{
		brBench_Fail("no tree");
	}
	data.tree = tree;
	brDVec3* points = malloc((size_t)data.pointCount * sizeof(brDVec3));
	data.winding = malloc((size_t)data.pointCount * sizeof(double));
	int32_t* crossings = malloc((size_t)data.pointCount * sizeof(int32_t));
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brRandom random = brMakeRandom(1, 1);
	for (int32_t i = 0; i < data.pointCount; ++i)
	{
		points[i] = brMakeDVec3(brRandom_Range(&random, box.lower.x, box.upper.x),
								brRandom_Range(&random, box.lower.y, box.upper.y),
								brRandom_Range(&random, box.lower.z, box.upper.z));
	}
	data.points = points;
	double winding = brBench_Median(3, askWinding, &data);
	brSurfaceTree_CountCrossings(tree, NULL, points, data.pointCount, crossings);
	for (int32_t i = 0; i < data.pointCount; ++i)
	{
		if ((data.winding[i] > 0.5) != (crossings[i] > 0))
		{
			brBench_Fail("point %d: winding number %g, crossings %d", i, data.winding[i], crossings[i]);
		}
	}
	char name[96];
	int32_t triangles = brSurfaceTree_GetTriangleCount(tree);
	snprintf(name, sizeof(name), "winding number, %d triangles, 1M points", triangles);
	brBench_Row(bench, name, winding, 0.0, "s");
	snprintf(name, sizeof(name), "signed grid of 128^3 nodes, %d triangles", triangles);
	if (brBench_Wants(bench, name))
	{
		brBench_Row(bench, name, brBench_Median(3, makeGrid, &data), 0.0, "s");
	}
	free(points);
	free(data.winding);
	free(crossings);
	brDestroySurfaceTree(tree);
}

BR_BENCH(tet)
{
	brMesh* small = benchModel("blob", 22);
	brMesh* large = benchModel("blob", 70);
	benchFill(bench, "blob, to tetgen", small, 10000, true);
	benchFill(bench, "blob, to tetgen", large, 100000, true);
	for (int32_t target = 10000; target <= 1000000; target *= 10)
	{
		benchFill(bench, "growth", large, target, false);
	}
	static const char* const files[] = {"models/horse-100k.obj", "models/dragon-100k.obj"};
	for (int32_t i = 0; i < 2; ++i)
	{
		brMesh* mesh = NULL;
		const char* path = brBench_DataPath(files[i]);
		if (path != NULL && brLoadMesh(NULL, path, &mesh, NULL) >= 0)
		{
			benchFill(bench, i == 0 ? "horse, to tetgen" : "dragon, to tetgen", mesh, 100000, true);
			if (brBench_Wants(bench, "winding number") || brBench_Wants(bench, "signed grid"))
			{
				benchQueries(bench, mesh);
			}
			brDestroyMesh(mesh);
		}
	}
	if (brBench_Wants(bench, "winding number"))
	{
		benchQueries(bench, large);
	}
	brDestroyMesh(small);
	brDestroyMesh(large);
}
