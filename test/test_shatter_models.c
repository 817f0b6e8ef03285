// SPDX-License-Identifier: MIT

// The public collection in pieces. At intensity 5 or more: every model into 10, 100 and 1000, and hostile sites on all.

#include "brittle/brittle.h"
#include "harness.h"
#include "mesh/topology.h"
#include "model_list.h"
#include "shapes.h"
#include "shatter_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A model of the collection, or null if it is open; then it must be refused.
static brMesh* loadClosed(const char* name, bool* outIsTangled)
{
	char path[128];
	snprintf(path, sizeof(path), "models/%s", name);
	brReport report = {0};
	brMesh* mesh = BR_MADE(brMesh, brLoadMesh, NULL, brTest_DataPath(path));
	brMeshCheck check;
	brMeshCheckDef def = brDefaultMeshCheckDef();
	CHECK_RESULT(brMesh_Check(mesh, NULL, &def, &check, &report), &report);
	*outIsTangled = check.selfIntersections > 0;
	if (check.boundaryEdges == 0)
	{
		return mesh;
	}
	brDVec3 site = {0.0, 0.0, 0.0};
	brShatterDef shatter = brDefaultShatterDef();
	shatter.sites = &site, shatter.siteCount = 1;
	brShatter* none = NULL;
	CHECK_EQUAL(brCreateShatter(NULL, mesh, &shatter, &none, &report), br_errorGeometry);
	CHECK(none == NULL && report.text[0] != 0);
	brDestroyMesh(mesh);
	return NULL;
}

BR_TEST(shatter_of_collected_models)
{
	if (brTest_DataPath("models/fandisk.obj") == NULL)
	{
		brTest_Skip("the mesh collection is not there");
	}
	brDVec3* sites = malloc(1000 * sizeof(brDVec3));
	int32_t wanted = brTest_Rounds(test, 9), closed = 0;
	for (int32_t n = 0; n < wanted && n < COLLECTED_MODEL_COUNT; ++n)
	{
		bool isTangled;
		brMesh* mesh = loadClosed(collectedModels[n], &isTangled);
		for (int32_t count = 10; mesh != NULL && count <= 1000; count *= 10)
		{
			int32_t made = brUniformSites(mesh, count, test->seed, sites);
			brShatter* shatter = brShatterBy(NULL, mesh, sites, made);
			brCheckPiecesOf(shatter, 1e-10, isTangled);
			CHECK(shatter->pieceCount >= made - shatter->crumbCount);
			brDestroyShatter(shatter);
		}
		closed += mesh != NULL;
		brDestroyMesh(mesh);
	}
	CHECK(closed >= 1);
	free(sites);
}

// Sites on the model's own vertices, in its planes of symmetry, on one line, on one sphere, all but at one place.
static int32_t hostileSites(brRandom* random, const brMesh* mesh, int32_t set, int32_t count, brDVec3* sites)
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 extent = brDSub(box.upper, box.lower), middle = brDLerp(box.lower, box.upper, 0.5);
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 unit = {brRandom_Unit(random), brRandom_Unit(random), brRandom_Unit(random)};
		brDVec3 p = {box.lower.x + extent.x * unit.x, box.lower.y + extent.y * unit.y, box.lower.z + extent.z * unit.z};
		brDVec3 vertex = mesh->positions[brRandom_Below(random, (uint32_t)mesh->vertexCount)];
		switch (set)
		{
			case 0: // on vertices of the model
				p = vertex;
				break;
			case 1: // mirror images about a plane through a vertex: the bisector goes through it
				p = i % 2 == 0 ? p : brMakeDVec3(2.0 * vertex.x - sites[i - 1].x, sites[i - 1].y, sites[i - 1].z);
				break;
			case 2: // one plane
				p.z = middle.z;
				break;
			case 3: // one line
				p = brDLerp(box.lower, box.upper, (i + 0.5) / count);
				break;
			case 4: // a grid: cocircular and cospherical everywhere
				p = brMakeDVec3(box.lower.x + extent.x * (i % 4) / 3.0, box.lower.y + extent.y * (i / 4 % 4) / 3.0,
								box.lower.z + extent.z * (i / 16 % 4) / 3.0);
				break;
			case 5: // all but at one place, some at the very same
				p = i % 3 == 0 ? middle : brDMulAdd(middle, 1e-7, brDSub(p, middle));
				break;
			default: // far outside, and one inside
				p = i == 0 ? middle : brDMulAdd(middle, 1e3, brDSub(p, middle));
				break;
		}
		sites[i] = p;
	}
	return count;
}

BR_TEST(shatter_of_collected_models_by_hostile_sites)
{
	if (brTest_DataPath("models/fandisk.obj") == NULL)
	{
		brTest_Skip("the mesh collection is not there");
	}
	brRandom random = brTest_Random(test);
	brDVec3 sites[64];
	int32_t wanted = brTest_Rounds(test, 9);
	for (int32_t n = 0; n < wanted && n < COLLECTED_MODEL_COUNT; ++n)
	{
		bool isTangled;
		brMesh* mesh = loadClosed(collectedModels[n], &isTangled);
		for (int32_t set = 0; mesh != NULL && set < 7; ++set)
		{
			int32_t count = hostileSites(&random, mesh, set, 64, sites);
			brShatter* shatter = brShatterBy(NULL, mesh, sites, count);
			brCheckPiecesOf(shatter, 1e-10, isTangled);
			brDestroyShatter(shatter);
		}
		brDestroyMesh(mesh);
	}
}

// Pieces as files: rounded to floats and read back they are clean solids still.
BR_TEST(shatter_pieces_pass_the_check_after_reading)
{
	static const char* const models[] = {"column", "plate", "statue", "wine_glass"};
	static const char* const endings[] = {"stl", "ply", "obj", "glb"};
	for (size_t m = 0; m < sizeof(models) / sizeof(models[0]); ++m)
	{
		brMesh* mesh = NULL;
		brModelDef model = brDefaultModelDef(models[m]);
		CHECK_RESULT(brMakeModel(NULL, &model, &mesh, NULL), NULL);
		brDVec3 sites[40];
		brSiteDef site = brDefaultSiteDef();
		site.count = brTest_Rounds(test, 30) < 40 ? brTest_Rounds(test, 30) : 40;
		site.seed = test->seed;
		brShatterDef def = brDefaultShatterDef();
		CHECK_RESULT(brMakeSites(NULL, mesh, &site, sites, &def.siteCount, NULL), NULL);
		def.sites = sites;
		brShatter* shatter = BR_MADE(brShatter, brCreateShatter, NULL, mesh, &def);
		for (int32_t i = 0; i < shatter->pieceCount; ++i)
		{
			const char* ending = endings[i % 4];
			char name[32];
			snprintf(name, sizeof(name), "piece.%s", ending);
			const char* path = brTest_ScratchPath(name);
			brReport report = {0};
			CHECK_RESULT(brSaveMesh(NULL, shatter->pieces[i].mesh, path, NULL, &report), &report);
			brMesh* back = NULL;
			brMeshCheck check;
			brResult loaded = brLoadMesh(NULL, path, &back, &report);
			if (loaded == br_errorUnavailable)
			{
				continue; // written without a library, but not read
			}
			CHECK_RESULT(loaded, &report);
			CHECK_RESULT(brMesh_Check(back, NULL, NULL, &check, NULL), NULL);
			CHECK_MESSAGE(check.isSolid, "%s, piece %d as .%s: %s", models[m], i, ending, check.verdict);
			brDestroyMesh(back);
		}
		brDestroyShatter(shatter);
		brDestroyMesh(mesh);
	}
}

// A block with bars through it, taken out: the cut between two pieces has a hole for each, and bridges to them must not
// cross.
BR_TEST(shatter_cuts_with_many_holes)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 6); ++round)
	{
		brMesh *block = brShape_Box(1, 1, 1), *bars[25], *tools = NULL;
		int32_t side = 3 + round % 3;
		for (int32_t i = 0; i < side * side; ++i)
		{
			double cell = 1.0 / side;
			bars[i] =
				brShape_Box(2.0, brRandom_Range(&random, 0.3, 0.6) * cell, brRandom_Range(&random, 0.3, 0.6) * cell);
			brAffine map = brMakeAffineIdentity();
			map.p = brMakeDVec3(-0.5, cell * (i % side + 0.2), cell * (i / side + 0.2));
			brMesh_Transform(bars[i], &map);
		}
		CHECK_RESULT(brMergeMeshes(NULL, (const brMesh* const*)bars, side * side, &tools, NULL), NULL);
		brCutDef cut = brDefaultCutDef();
		cut.op = br_cutDifference;
		brCutResult* pierced = BR_MADE(brCutResult, brCutMesh, NULL, block, tools, &cut);
		CHECK_EQUAL(pierced->pieceCount, 1);
		brDVec3 sites[2] = {{0.25, 0.5, 0.5},
							{0.75, brRandom_Range(&random, 0.4, 0.6), brRandom_Range(&random, 0.4, 0.6)}};
		brShatter* shatter = brShatterBy(NULL, pierced->pieces[0].mesh, sites, 2);
		for (int32_t i = 0; i < shatter->pieceCount; ++i)
		{
			brMeshCheck check;
			CHECK_RESULT(brMesh_Check(shatter->pieces[i].mesh, NULL, NULL, &check, NULL), NULL);
			CHECK_MESSAGE(check.isSolid, "round %d, piece %d: %s", round, i, check.verdict);
		}
		brDestroyShatter(shatter);
		brDestroyCutResult(pierced);
		brDestroyMesh(tools);
		for (int32_t i = 0; i < side * side; ++i)
		{
			brDestroyMesh(bars[i]);
		}
		brDestroyMesh(block);
	}
}
