// SPDX-License-Identifier: MIT

// Results of fixed cuts as hashes: the same for gcc and clang, any optimization and any number of workers. A change here
// moves bits of results and must be explained where it is made.

#include "brittle/cut.h"
#include "brittle/models.h"
#include "cut_cases.h"
#include "harness.h"
#include "shapes.h"

static brMesh* goldenModel(const char* name, int32_t resolution, uint64_t seed, brDVec3 shift)
{
	brModelDef def = brDefaultModelDef(name);
	def.resolution = resolution;
	def.seed = seed;
	brMesh* mesh = BR_MADE(brMesh, brMakeModel, NULL, &def);
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		mesh->positions[v] = brDAdd(mesh->positions[v], shift);
	}
	return mesh;
}

static void goldenCheck(const char* name, brCutOp op, brMesh* source, brMesh* cutter, uint64_t expected)
{
	for (int32_t workers = 1; workers <= 3; workers += 2)
	{
		brContext context = {.workers = workers > 1 ? brTest_Workers(workers) : NULL};
		brCutDef def = brDefaultCutDef();
		def.op = op;
		brCutResult* result = NULL;
		brReport report = {0};
		brResult code = cutter != NULL ? brCutMesh(&context, source, cutter, &def, &result, &report)
									   : brResolveMesh(&context, source, &def, &result, &report);
		CHECK_RESULT(code, &report);
		CHECK(result->pieceCount > 0);
		uint64_t hash = brCutCase_Hash(result);
		CHECK_MESSAGE(hash == expected, "%s on %d workers: 0x%016llx, expected 0x%016llx", name, workers,
					  (unsigned long long)hash, (unsigned long long)expected);
		brDestroyCutResult(result);
		brDestroyWorkers(context.workers);
	}
	brDestroyMesh(source);
	brDestroyMesh(cutter);
}

BR_TEST(cut_golden_blobs)
{
	static const uint64_t expected[4] = {0x42501df8238b7b08u, 0x02702f0ae918bffbu, 0x5e736e5b75b60e63u,
										 0xcc8c59008e7f7d87u};
	brDVec3 zero = {0.0, 0.0, 0.0}, aside = {0.0501, 0.01, -0.02};
	for (int op = br_cutSplit; op <= br_cutDifference; ++op)
	{
		goldenCheck("blobs", (brCutOp)op, goldenModel("blob", 12, 1, zero), goldenModel("blob", 12, 2, aside),
					expected[op]);
	}
}

// Sheets that cross themselves in thirds of planes, on an n-gon mesh with texture coordinates; a source with a hole; a
// mesh that overlaps itself.
BR_TEST(cut_golden_modes)
{
	brRandom random = brMakeRandom(7, 3);
	brDVec3 zero = {0.0, 0.0, 0.0}, aside = {0.03, 0.02, 0.01};
	brMesh* fold = brCutCase_Sheet(&random, 3, 0.8, true);
	goldenCheck("fold", br_cutSplit, brShape_Torus(9, 6, 1.0, 0.4), fold, 0x68d6bff313ba7a5bu);
	brMesh* sheet = brCutCase_Sheet(&random, 6, 0.05, false);
	goldenCheck("sheet", br_cutSplit, goldenModel("vase", 10, 1, zero), sheet, 0x67f2a342677fe598u);
	sheet = brCutCase_Sheet(&random, 6, 0.05, false);
	goldenCheck("surface", br_cutSurface, goldenModel("bowl", 10, 1, zero), sheet, 0xff1f2cf9b2417bd3u);
	sheet = brCutCase_Sheet(&random, 6, 0.05, false);
	goldenCheck("fill", br_cutFill, goldenModel("bowl", 10, 1, zero), sheet, 0xa2af11955fc73017u);
	brMesh* halves[2] = {goldenModel("blob", 8, 3, zero), goldenModel("blob", 8, 3, aside)};
	brMesh* both = NULL;
	CHECK(brMergeMeshes(NULL, (const brMesh* const*)halves, 2, &both, NULL) >= 0);
	brDestroyMesh(halves[0]);
	brDestroyMesh(halves[1]);
	goldenCheck("resolve", br_cutUnion, both, NULL, 0xae516eb4454bde89u);
}
