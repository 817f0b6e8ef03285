// SPDX-License-Identifier: MIT

// The cascade of cracks: closed pieces that fit, numbers that grow with the energy, sizes by power laws.

#include "brittle/brittle.h"
#include "fracture/split.h"
#include "harness.h"
#include "math/power.h"
#include "shapes.h"
#include "shatter_help.h"

#include <math.h>
#include <string.h>

static brMesh* cascadeModel(const char* name, int32_t resolution)
{
	brModelDef def = brDefaultModelDef(name);
	def.resolution = resolution;
	brMesh* mesh = NULL;
	brReport report = {0};
	CHECK_RESULT(brMakeModel(NULL, &def, &mesh, &report), &report);
	return mesh;
}

// A point of the surface, seen from a random direction.
static brDVec3 cascadeHit(const brMesh* mesh, brRandom* random, brDVec3* outInward)
{
	int32_t face = (int32_t)brRandom_Below(random, (uint32_t)mesh->faceCount);
	const int32_t* c = mesh->corners + mesh->faceStarts[face];
	brDVec3 a = mesh->positions[c[0]], b = mesh->positions[c[1]], d = mesh->positions[c[2]];
	*outInward = brDNormalize(brDCross(brDSub(d, a), brDSub(b, a)));
	return brDMul(1.0 / 3.0, brDAdd(a, brDAdd(b, d)));
}

// Whatever is hit where and how hard, pieces are closed and fit together.
BR_TEST(cascade_pieces_are_closed)
{
	static const char* const names[] = {"vase", "pane", "box", "icosphere", "plate", "wine_glass", "piggy_bank"};
	static const char* const materials[] = {"glass", "porcelain", "concrete"};
	brRandom random = brTest_Random(test);
	int32_t broken = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 14); ++round)
	{
		brMesh* mesh = cascadeModel(names[round % 7], 16);
		brCascadeDef def = brDefaultCascadeDef();
		def.material = *brFindMaterial(materials[brRandom_Below(&random, 3)]);
		def.at = cascadeHit(mesh, &random, &def.direction);
		def.seed = brRandom_Next(&random);
		double size = brPower(brMesh_ComputeMass(mesh, 1.0).volume, 2.0 / 3.0);
		def.energy =
			brMaterial_GetFractureEnergy(&def.material) * size * brPower(10.0, brRandom_Range(&random, -1.0, 1.5));
		def.pieces = 300;
		def.makeHulls = round % 3 == 0;
		def.mustBreak = round % 2 == 0;
		brShatter* shatter = NULL;
		brReport report = {0};
		CHECK_RESULT(brCreateCascade(NULL, mesh, &def, &shatter, &report), &report);
		brCheckPieces(shatter, 1e-8);
		CHECK(shatter->pieceCount > 1 || !def.mustBreak);
		CHECK(shatter->pieceCount <= 300);
		broken += shatter->pieceCount > 10;
		brDestroyShatter(shatter);
		brDestroyMesh(mesh);
	}
	CHECK(broken > 0);
}

// Cut again and again by anything: planes, balls, through vertices.
BR_TEST(split_parts_stay_closed)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 20); ++round)
	{
		brMesh* mesh = round % 2 == 0 ? brShape_Torus(24, 12, 1.0, 0.4) : brShape_LPrism();
		brSplit split;
		CHECK_RESULT(brSplit_Make(NULL, mesh, &split, NULL), NULL);
		for (int32_t cut = 0; cut < 30; ++cut)
		{
			int32_t part = (int32_t)brRandom_Below(&random, (uint32_t)split.parts.count);
			if (split.parts.data[part].triangles == NULL)
			{
				continue;
			}
			// Planes through the middle or a vertex, some along axes; balls round a point of the surface.
			int32_t vertex = (int32_t)brRandom_Below(&random, (uint32_t)mesh->vertexCount);
			brSplitShape shape = {.origin = cut % 4 == 0 ? mesh->positions[vertex] : split.parts.data[part].center};
			brDVec3 n = {brRandom_Range(&random, -1.0, 1.0), brRandom_Range(&random, -1.0, 1.0), 0.1};
			n = cut % 5 == 0 ? brMakeDVec3(0.0, 0.0, 1.0) : brDNormalize(n);
			if (cut % 3 == 0)
			{
				shape.origin = cascadeHit(mesh, &random, &n);
				shape.radius = brRandom_Range(&random, 0.1, 0.4);
			}
			brSplitShape_SetNormal(&shape, n);
			shape.height = cut % 2 == 0 ? 0.02 : 0.0, shape.length = 0.3, shape.seed = (uint64_t)cut;
			brSplitChildren children;
			CHECK_RESULT(brSplit_Cut(&split, part, &shape, 0.1, &children), NULL);
		}
		brSurfaceMaterial interior = brDefaultSurfaceMaterial();
		strcpy(interior.name, "cut");
		brSplitPieceDef def = {1.0, &interior, false, true};
		brShatter* shatter = NULL;
		CHECK_RESULT(brSplit_ToShatter(&split, &def, &shatter, NULL), NULL);
		brCheckPieces(shatter, 1e-9);
		CHECK(shatter->pieceCount > 5);
		brDestroyShatter(shatter);
		brSplit_Free(&split);
		brDestroyMesh(mesh);
	}
}

// Equal blows give equal bits, with workers and without.
BR_TEST(cascade_is_repeatable)
{
	brMesh* mesh = cascadeModel("vase", 24);
	brCascadeDef def = brDefaultCascadeDef();
	def.at = brMakeDVec3(0.08, 0.0, 0.15), def.direction = brMakeDVec3(-1.0, 0.0, 0.0);
	def.energy = 0.5, def.seed = 5;
	brWorkersDef team = brDefaultWorkersDef();
	team.workerCount = 3;
	brWorkers* workers = brCreateWorkers(&team);
	CHECK(workers != NULL);
	brContext context = {.workers = workers};
	brShatter *one = NULL, *two = NULL;
	CHECK_RESULT(brCreateCascade(NULL, mesh, &def, &one, NULL), NULL);
	CHECK_RESULT(brCreateCascade(&context, mesh, &def, &two, NULL), NULL);
	CHECK_EQUAL(one->pieceCount, two->pieceCount);
	CHECK_EQUAL(one->bondCount, two->bondCount);
	CHECK(memcmp(one->bonds, two->bonds, (size_t)one->bondCount * sizeof(brBond)) == 0);
	for (int32_t i = 0; i < one->pieceCount; ++i)
	{
		const brMesh *a = one->pieces[i].mesh, *b = two->pieces[i].mesh;
		CHECK_EQUAL(a->vertexCount, b->vertexCount);
		CHECK(memcmp(a->positions, b->positions, (size_t)a->vertexCount * sizeof(brDVec3)) == 0);
		CHECK(memcmp(a->corners, b->corners, (size_t)a->cornerCount * sizeof(int32_t)) == 0);
	}
	brDestroyShatter(one);
	brDestroyShatter(two);
	brDestroyWorkers(workers);
	brDestroyMesh(mesh);
}

static brResult cascadeWalk(const brContext* context, void* user)
{
	brCascadeDef def = brDefaultCascadeDef();
	def.energy = 2.0, def.at = brMakeDVec3(1.0, 1.0, 1.0), def.pieces = 12, def.smallest = 0.3;
	def.makeHulls = true, def.clusterSize = 2;
	brShatter* shatter = NULL;
	brResult result = brCreateCascade(context, user, &def, &shatter, NULL);
	if (result >= 0)
	{
		brDestroyShatter(shatter);
	}
	return result;
}

BR_TEST(cascade_survives_no_memory)
{
	brMesh* mesh = brShape_Box(1.0, 1.0, 1.0);
	CHECK(brTest_WalkAllocations(cascadeWalk, mesh) > 50);
	brDestroyMesh(mesh);
}

BR_TEST(cascade_refuses_nonsense)
{
	brMesh* mesh = brShape_Box(1.0, 1.0, 1.0);
	brShatter* shatter = NULL;
	brReport report = {0};
	brCascadeDef def = brDefaultCascadeDef();
	def.direction = brMakeDVec3(0.0, 0.0, 0.0);
	CHECK_EQUAL(brCreateCascade(NULL, mesh, &def, &shatter, &report), br_errorMisuse);
	def = brDefaultCascadeDef();
	def.energy = NAN;
	CHECK_EQUAL(brCreateCascade(NULL, mesh, &def, &shatter, &report), br_errorMisuse);
	def = brDefaultCascadeDef();
	def.pieces = 0;
	CHECK_EQUAL(brCreateCascade(NULL, mesh, &def, &shatter, &report), br_errorMisuse);
	def = (brCascadeDef){0};
	CHECK_EQUAL(brCreateCascade(NULL, mesh, &def, &shatter, &report), br_errorMisuse);
	brDestroyMesh(mesh);
}

// Mean over seeds, energies doubling: the number of pieces never falls by more than 15 %, and a limit is kept and told.
BR_TEST(cascade_counts_grow_with_energy)
{
	static const char* const names[] = {"vase", "box", "pane", "icosphere"};
	for (int32_t m = 0; m < 4; ++m)
	{
		brMesh* mesh = cascadeModel(names[m], 12);
		brCascadeDef def = brDefaultCascadeDef();
		brRandom random = brMakeRandom(7, (uint64_t)m);
		def.at = cascadeHit(mesh, &random, &def.direction);
		def.pieces = 500;
		double surface = brMaterial_GetFractureEnergy(&def.material);
		double least = 0.05 * surface * brPower(brMesh_ComputeMass(mesh, 1.0).volume, 2.0 / 3.0), before = 0.0;
		for (int32_t step = 0; step < 7; ++step)
		{
			double sum = 0.0;
			int32_t seeds = 4 + brTest_Rounds(test, 1);
			for (int32_t seed = 0; seed < seeds; ++seed)
			{
				def.seed = (uint64_t)seed, def.energy = ldexp(least, step);
				brShatter* shatter = NULL;
				CHECK_RESULT(brCreateCascade(NULL, mesh, &def, &shatter, NULL), NULL);
				sum += shatter->pieceCount;
				brDestroyShatter(shatter);
			}
			CHECK_MESSAGE(sum / seeds >= 0.85 * before, "%s: %g pieces after %g as the energy doubles to %g J",
						  names[m], sum / seeds, before, def.energy);
			before = fmax(sum / seeds, before);
		}
		CHECK(before > 10.0);
		def.pieces = 5;
		brShatter* shatter = NULL;
		CHECK_RESULT(brCreateCascade(NULL, mesh, &def, &shatter, NULL), NULL);
		CHECK(shatter->pieceCount <= 5 && shatter->isCapped);
		brDestroyShatter(shatter);
		brDestroyMesh(mesh);
	}
}
