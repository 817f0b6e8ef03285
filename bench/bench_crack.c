// SPDX-License-Identifier: MIT

// Cracks: blows from mesh to pieces (table 6.1 of the thesis again), first solves, growth steps.

#include "bench.h"
#include "elastic_block.h"

#include "base/clock.h"
#include "brittle/brittle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
	crackRuns = 9
};

// A disk of rings around a middle.
static brCrackSurface makeDisk(brDVec3 center, double radius, int32_t rings, int32_t sectors)
{
	int32_t vertexCount = 1 + rings * sectors, triangleCount = sectors * (2 * rings - 1), count = 0;
	brDVec3* positions = malloc(sizeof(brDVec3) * (size_t)vertexCount);
	int32_t(*triangles)[3] = malloc(sizeof(*triangles) * (size_t)triangleCount);
	positions[0] = center;
	for (int32_t i = 0; i < rings * sectors; ++i)
	{
		int32_t r = i / sectors, s = i % sectors, a = 1 + i, b = 1 + r * sectors + (s + 1) % sectors;
		double angle = 2.0 * BR_PI * s / sectors, reach = radius * (r + 1) / rings;
		positions[a] = (brDVec3){center.x + reach * brCos(angle), center.y + reach * brSin(angle), center.z};
		int32_t inner[2][3] = {{r == 0 ? 0 : a - sectors, a, b}, {a - sectors, b, b - sectors}};
		memcpy(triangles[count++], inner[0], sizeof(inner[0]));
		if (r > 0)
		{
			memcpy(triangles[count++], inner[1], sizeof(inner[1]));
		}
	}
	return (brCrackSurface){vertexCount, triangleCount, 0, positions, (const int32_t(*)[3])triangles, NULL, NULL};
}

// A statue of about 10,000 tets hit on one side, a crack that grows across its middle.
static void benchGrowth(brBench* bench, const brContext* context)
{
	brModelDef model = brDefaultModelDef("statue");
	brMesh* surface = NULL;
	brTetMesh* mesh = NULL;
	brReport report = {0};
	brBench_Must(brMakeModel(NULL, &model, &surface, &report), &report);
	brTetDef tetDef = brDefaultTetDef();
	tetDef.targetTets = 10000;
	if (brMakeTetMesh(NULL, surface, &tetDef, &mesh, NULL, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	brDBox3 box = brMesh_ComputeBounds(surface);
	brDVec3 middle = brDLerp(box.lower, box.upper, 0.5), size = brDSub(box.upper, box.lower);
	int32_t hit = 0;
	for (int32_t i = 0; i < mesh->nodeCount; ++i)
	{
		hit = mesh->nodes[i].x > mesh->nodes[hit].x ? i : hit;
	}
	brDVec3 force = {-1000.0, 0.0, 0.0};
	brElasticLoad load = brDefaultElasticLoad();
	load.forceCount = 1, load.forceNodes = &hit, load.forces = &force;
	brElasticSolveDef rough = brDefaultElasticSolveDef();
	rough.tolerance = 1e-4;
	double first[crackRuns], steps[4][crackRuns];
	brElasticStats stats = {0};
	for (int32_t run = 0; run < crackRuns; ++run)
	{
		int64_t start = brClockNanoseconds();
		brElasticBody* body = brBench_MakeElasticBody(context, mesh);
		brBench_Must(brElasticBody_Solve(body, context, &load, NULL, &stats, &report), &report);
		first[run] = brSecondsSince(start);
		// Half a dozen steps; the last one counts.
		for (int32_t step = 0; step < 6; ++step)
		{
			double radius = (0.05 + 0.03 * step) * size.x;
			brCrackSurface crack = makeDisk(middle, radius, 4 + step, 48);
			start = brClockNanoseconds();
			brBench_Must(brElasticBody_SetCracks(body, context, &crack, 1, &report), &report);
			steps[0][run] = brSecondsSince(start);
			int64_t solveStart = brClockNanoseconds();
			brBench_Must(brElasticBody_Solve(body, context, &load, &rough, &stats, &report), &report);
			steps[1][run] = brSecondsSince(solveStart);
			int64_t frontStart = brClockNanoseconds();
			brCrackFrontPoint points[64];
			int32_t count = 0;
			brBench_Must(brElasticBody_ComputeFrontPoints(body, context, 0, NULL, 64, points, &count, &report),
						 &report);
			steps[2][run] = brSecondsSince(frontStart);
			steps[3][run] = brSecondsSince(start);
			free((void*)crack.positions);
			free((void*)crack.triangles);
		}
		brDestroyElasticBody(body);
	}
	char name[96];
	snprintf(name, sizeof(name), "first solve of %d tets, body and all", mesh->tetCount);
	brBench_Row(bench, name, 1e3 * brBench_MedianOf(first, crackRuns), 0.0, "ms");
	brBench_Row(bench, "growth step: crack set", 1e3 * brBench_MedianOf(steps[0], crackRuns), 0.0, "ms");
	brBench_Row(bench, "growth step: solve to 1e-4", 1e3 * brBench_MedianOf(steps[1], crackRuns), 0.0, "ms");
	brBench_Row(bench, "growth step: intensities at 48 points", 1e3 * brBench_MedianOf(steps[2], crackRuns), 0.0, "ms");
	brBench_Row(bench, "growth step: all", 1e3 * brBench_MedianOf(steps[3], crackRuns), 0.0, "ms");
	brDestroyTetMesh(mesh);
	brDestroyMesh(surface);
}

// One blow from mesh to pieces, the fastest of three: crack's own clock has no other program in it that way.
static double timeBlow(const brContext* context, const brMesh* mesh, const brCrackDef* def, int32_t minPieces)
{
	double best = INFINITY;
	brReport report = {0};
	for (int32_t run = 0; run < 3; ++run)
	{
		brCracks* cracks = NULL;
		brBench_Must(brCreateCracks(context, mesh, def, &cracks, &report), &report);
		const brCrackStats* stats = &cracks->stats;
		if (cracks->pieceCount < minPieces || fabs(stats->volumeOut - stats->volumeIn) > 1e-9 * stats->volumeIn)
		{
			brBench_Fail("%d pieces with %.12g of %.12g m^3", cracks->pieceCount, stats->volumeOut, stats->volumeIn);
		}
		best = stats->seconds < best ? stats->seconds : best;
		brDestroyCracks(cracks);
	}
	return best;
}

static brMesh* makeNamed(const char* name, int32_t resolution)
{
	brModelDef def = brDefaultModelDef(name);
	def.resolution = resolution;
	brMesh* mesh = NULL;
	brReport report = {0};
	brBench_Must(brMakeModel(NULL, &def, &mesh, &report), &report);
	return mesh;
}

// From the public collection, half a meter across; null if it is not there.
static brMesh* loadNamed(const char* relative)
{
	const char* path = brBench_DataPath(relative);
	brMesh* mesh = NULL;
	if (path == NULL || brLoadMesh(NULL, path, &mesh, NULL) < 0)
	{
		return NULL;
	}
	brDBox3 box = brMesh_ComputeBounds(mesh);
	double scale = 0.5 / brDDistance(box.lower, box.upper);
	brAffine map = brMakeAffineIdentity();
	map.m.cx = brDMul(scale, map.m.cx), map.m.cy = brDMul(scale, map.m.cy), map.m.cz = brDMul(scale, map.m.cz);
	brMesh_Transform(mesh, &map);
	return mesh;
}

// A blow at the vertex farthest along -`way`, with as much speed of the whole mass as breaks it.
static brCrackDef aimBlow(const brMesh* mesh, const char* material, brDVec3 way)
{
	brCrackDef def = brDefaultCrackDef();
	def.material = *brFindMaterial(material);
	int32_t hit = 0;
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		hit = brDDot(mesh->positions[i], way) < brDDot(mesh->positions[hit], way) ? i : hit;
	}
	def.hit = mesh->positions[hit];
	double mass = brMesh_ComputeMass(mesh, def.material.density).mass;
	for (double speed = 4.0; speed < 300.0; speed *= 2.0)
	{
		brCracks* cracks = NULL;
		brReport report = {0};
		def.impulse = brDMul(speed * mass, way);
		brBench_Must(brCreateCracks(NULL, mesh, &def, &cracks, &report), &report);
		bool isBroken = cracks->pieceCount > 1;
		brDestroyCracks(cracks);
		if (isBroken)
		{
			break;
		}
	}
	return def;
}

// Table 6.1 of the thesis: what each scene breaks, from the mesh to the pieces, beside the printed total of the scene
// in seconds (i9-7920X, one thread; it has the convex decomposition and the rigid bodies in it, ours has not).
static void benchTable(brBench* bench, const brContext* context)
{
	char name[96];
	brMesh* statue = makeNamed("statue", 62);
	brCrackDef ball = brDefaultCrackDef();
	ball.material = *brFindMaterial("marble");
	ball.hit = brMakeDVec3(0.0, -0.3, 1.2), ball.impulse = brMakeDVec3(0.0, 400.0, 0.0);
	double first = timeBlow(context, statue, &ball, 2);
	snprintf(name, sizeof(name), "impact to pieces, 10000 tets in %d triangles", statue->faceCount);
	brBench_Row(bench, name, 1e3 * first, 0.0, "ms");
	snprintf(name, sizeof(name), "fig 6.1 statue and ball, %d triangles", statue->faceCount);
	brBench_Row(bench, name, first, 1539.0, "s");
	brDestroyMesh(statue);

	brMesh* block = makeNamed("brick", 8);
	brCrackDef chip = aimBlow(block, "brick", brDNormalize(brMakeDVec3(-1.0, -0.6, -0.8)));
	chip.grain = 0.001;
	snprintf(name, sizeof(name), "fig 6.12 chipped block with grain, %d polygons", block->faceCount);
	brBench_Row(bench, name, timeBlow(context, block, &chip, 2), 197.0, "s");
	brDestroyMesh(block);

	brMesh* glass = makeNamed("wine_glass", 62);
	brCrackDef drop = brDefaultCrackDef();
	drop.hit = brMakeDVec3(0.04, 0.0, 0.17), drop.impulse = brMakeDVec3(-0.3, 0.0, 0.0);
	drop.maxCracks = 12;
	snprintf(name, sizeof(name), "fig 6.14b wine glass, %d triangles", glass->faceCount);
	brBench_Row(bench, name, timeBlow(context, glass, &drop, 2), 3721.0, "s");
	brDestroyMesh(glass);

	brMesh *bunny = loadNamed("models/bunny-closed-oded.obj"),
		   *armadillo = loadNamed("models/armadillo-simplified.obj");
	if (bunny != NULL && armadillo != NULL)
	{
		brCrackDef wall = aimBlow(bunny, "porcelain", brMakeDVec3(-1.0, 0.0, 0.0));
		snprintf(name, sizeof(name), "fig 6.17a bunny at a wall, %d triangles", bunny->faceCount);
		double bunnySeconds = timeBlow(context, bunny, &wall, 2);
		brBench_Row(bench, name, bunnySeconds, 2471.0, "s");
		brCrackDef other = aimBlow(armadillo, "plaster", brMakeDVec3(0.0, 0.0, 1.0));
		snprintf(name, sizeof(name), "fig 6.17b armadillo and bunny, %d triangles",
				 bunny->faceCount + armadillo->faceCount);
		brBench_Row(bench, name, bunnySeconds + timeBlow(context, armadillo, &other, 2), 1843.0, "s");
	}
	brDestroyMesh(bunny);
	brDestroyMesh(armadillo);

	statue = makeNamed("statue", 40);
	brCrackDef fall = ball;
	fall.hit = brMakeDVec3(0.0, -0.2, 0.8), fall.impulse = brMakeDVec3(0.0, 1200.0, 0.0);
	snprintf(name, sizeof(name), "fig 6.17c marble statue, %d triangles", statue->faceCount);
	brBench_Row(bench, name, timeBlow(context, statue, &fall, 2), 1437.0, "s");
	brDestroyMesh(statue);
}

BR_BENCH(crack)
{
	brWorkersDef def = brDefaultWorkersDef();
	brContext context = {0};
	context.workers = brCreateWorkers(&def);
	benchTable(bench, &context);
	benchGrowth(bench, &context);
	brDestroyWorkers(context.workers);
}
