// SPDX-License-Identifier: MIT

// What a break costs: the moment of breaking with its bodies, whole steps, and stress on a graph of bonds (NVIDIA
// Blast, elsewhere, first and warm update: 512 nodes 0.66 and 0.10 ms, 8,000 nodes 16.5 and 1.28 ms, 27,000 nodes 86
// and 5.6 ms, to no stated residual).

#include "base/memory.h"
#include "bench.h"
#include "brittle/brittle.h"
#include "fracture/bonds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void breakGround(brWorld* world)
{
	brShapeDef def = brDefaultShapeDef(br_shapeHalfSpace);
	brShape* shape = NULL;
	if (brCreateShape(NULL, &def, &shape, NULL) < 0)
	{
		brBench_Fail("no ground");
	}
	brBodyDef body = brDefaultBodyDef();
	body.kind = br_bodyStatic;
	body.shape = shape;
	brWorld_CreateBody(world, &body, NULL);
	brDestroyShape(shape);
}

static brMesh* breakModel(const char* name, int32_t resolution)
{
	brModelDef def = brDefaultModelDef(name);
	def.resolution = resolution;
	brMesh* mesh = NULL;
	if (brMakeModel(NULL, &def, &mesh, NULL) < 0)
	{
		brBench_Fail("no model %s", name);
	}
	return mesh;
}

static int compareSeconds(const void* a, const void* b)
{
	double x = *(const double*)a, y = *(const double*)b;
	return x < y ? -1 : x > y;
}

typedef struct BreakTimes
{
	double breaking, step; // of the step with the first break
	double worst, mean;    // of all steps
	int32_t pieces, bodies;
} BreakTimes;

// One model dropped from a meter, or a stack of them.
static BreakTimes breakRun(const brMesh* mesh, int32_t count, int32_t steps)
{
	brWorldDef def = brDefaultWorldDef();
	brWorld* world = NULL;
	if (brCreateWorld(NULL, &def, &world, NULL) < 0)
	{
		brBench_Fail("no world");
	}
	breakGround(world);
	brDBox3 box = brMesh_ComputeBounds(mesh);
	for (int32_t i = 0; i < count; ++i)
	{
		brBreakDef breaking = brDefaultBreakDef();
		breaking.mesh = mesh;
		breaking.material = *brFindMaterial("porcelain");
		breaking.seed = (uint64_t)i;
		brBodyDef body = brDefaultBodyDef();
		body.pose.p = brMakeDVec3(0.02 * (i % 3), 0.03 * (i % 2), 1.0 - box.lower.z + 0.15 * i);
		if (brWorld_CreateBreakable(world, &body, &breaking, NULL).index1 == 0)
		{
			brBench_Fail("no body");
		}
	}
	BreakTimes times = {0};
	for (int32_t i = 0; i < steps; ++i)
	{
		if (brWorld_Step(world, 1.0 / 60.0, NULL) < 0)
		{
			brBench_Fail("no step");
		}
		double seconds = brWorld_GetStats(world).seconds;
		brBreakStats stats = brWorld_GetBreakStats(world);
		if (stats.breaks > 0 && times.pieces == 0)
		{
			times.breaking = stats.seconds, times.step = seconds, times.pieces = stats.pieces;
		}
		times.worst = fmax(times.worst, seconds);
		times.mean += seconds / steps;
	}
	times.bodies = brWorld_GetBodyCount(world);
	brDestroyWorld(world);
	return times;
}

static void breakVase(brBench* bench)
{
	brMesh* mesh = breakModel("vase", 22);
	double breaking[9], step[9];
	for (int32_t i = 0; i < 9; ++i)
	{
		BreakTimes times = breakRun(mesh, 1, 30);
		if (times.pieces < 40)
		{
			brBench_Fail("the vase broke into %d pieces", times.pieces);
		}
		breaking[i] = times.breaking, step[i] = times.step;
	}
	qsort(breaking, 9, sizeof(double), compareSeconds);
	qsort(step, 9, sizeof(double), compareSeconds);
	int32_t triangles = mesh->cornerCount - 2 * mesh->faceCount;
	if (triangles < 1800 || triangles > 4200)
	{
		brBench_Fail("the vase has %d triangles", triangles);
	}
	brBench_Row(bench, "vase of 4k triangles: break into 50 bodies", 1e3 * breaking[4], 0.0, "ms");
	brBench_Row(bench, "vase of 4k triangles: the whole step", 1e3 * step[4], 0.0, "ms");
	brDestroyMesh(mesh);
}

static void breakPlates(brBench* bench)
{
	brMesh* mesh = breakModel("plate", 24);
	BreakTimes times = breakRun(mesh, 10, 180);
	if (times.bodies < 100)
	{
		brBench_Fail("ten plates gave %d bodies", times.bodies);
	}
	brBench_Row(bench, "ten plates: worst step", 1e3 * times.worst, 0.0, "ms");
	brBench_Row(bench, "ten plates: mean step", 1e3 * times.mean, 0.0, "ms");
	brDestroyMesh(mesh);
}

typedef struct BondBench
{
	brBondNode* nodes;
	brBondLink* links;
	brBondLoad* loads;
	brBondStress* stress;
	brBondSystem* system;
	int32_t nodeCount, linkCount;
} BondBench;

// From nothing: equations, factors, solution, stress.
static void benchBonds(void* user)
{
	BondBench* data = user;
	brAllocator allocator = brContext_Allocator(NULL);
	brDestroyBondSystem(data->system);
	data->system = brCreateBondSystem(&allocator, data->nodes, data->nodeCount, data->links, data->linkCount);
	if (data->system == NULL)
	{
		brBench_Fail("no memory");
	}
	brBondSystem_Solve(data->system, data->loads, data->stress);
}

// The same loads again, as in a step in which nothing has changed.
static void benchBondsAgain(void* user)
{
	BondBench* data = user;
	brBondSystem_Solve(data->system, data->loads, data->stress);
}

// A cube of n^3 cubes that stands on its lowest layer.
static void breakBonds(brBench* bench, int32_t n)
{
	BondBench data = {.nodeCount = n * n * n};
	data.nodes = calloc((size_t)data.nodeCount, sizeof(*data.nodes));
	data.links = calloc(3 * (size_t)data.nodeCount, sizeof(*data.links));
	data.loads = calloc((size_t)data.nodeCount, sizeof(*data.loads));
	data.stress = calloc(3 * (size_t)data.nodeCount, sizeof(*data.stress));
	for (int32_t i = 0; i < data.nodeCount; ++i)
	{
		int32_t x = i % n, y = i / n % n, z = i / n / n;
		brDVec3 c = {x, y, z};
		data.nodes[i] = (brBondNode){.center = c, .volume = 1.0, .isFixed = z == 0};
		data.loads[i].force.z = -1.0;
		const int32_t ends[3] = {x + 1 < n ? i + 1 : -1, y + 1 < n ? i + n : -1, z + 1 < n ? i + n * n : -1};
		for (int32_t k = 0; k < 3; ++k)
		{
			brDVec3 axis = {k == 0, k == 1, k == 2};
			if (ends[k] >= 0)
			{
				data.links[data.linkCount++] = (brBondLink){{i, ends[k]}, 1.0, brDMulAdd(c, 0.5, axis), axis, 1.0};
			}
		}
	}
	double first = brBench_Median(9, benchBonds, &data), again = brBench_Median(9, benchBondsAgain, &data);
	double largest = 0.0;
	for (int32_t k = 0; k < data.linkCount; ++k)
	{
		largest = fmax(largest, data.stress[k].compression);
	}
	if (fabs(largest - (n - 1)) > 0.01 * n)
	{
		brBench_Fail("the lowest bonds carry %g, not %d", largest, n - 1);
	}
	char name[96];
	snprintf(name, sizeof(name), "bonds: %d nodes, to 0.1%%, first", data.nodeCount);
	brBench_Row(bench, name, 1e3 * first, 0.0, "ms");
	snprintf(name, sizeof(name), "bonds: %d nodes, to 0.1%%, again", data.nodeCount);
	brBench_Row(bench, name, 1e3 * again, 0.0, "ms");
	brDestroyBondSystem(data.system);
	free(data.nodes);
	free(data.links);
	free(data.loads);
	free(data.stress);
}

BR_BENCH(break)
{
	breakVase(bench);
	breakPlates(bench);
	breakBonds(bench, 8);
	breakBonds(bench, 20);
	breakBonds(bench, 30);
}
