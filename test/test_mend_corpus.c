// SPDX-License-Identifier: MIT

// Dirty variants of clean models, and what mending makes of them: a clean solid that lies where the intact part was.

#include "brittle/brittle.h"
#include "harness.h"
#include "shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum Dirt
{
	dirtHoles,
	dirtTurned,
	dirtDoubled,
	dirtCrossed,
	dirtSheet,
	dirtSoup,
	dirtShaken,
	dirtAll,
	dirtCount,
} Dirt;

static const char* const s_dirtNames[] = {"holes", "turned", "doubled", "crossed", "sheet", "soup", "shaken", "all"};

typedef struct Faces
{
	const brMesh* mesh;
	brDVec3* positions;
	int32_t (*triangles)[3];
	int32_t vertexCount, triangleCount, capacity;
} Faces;

static Faces copyFaces(const brMesh* mesh)
{
	brTriangulation* triangles = NULL;
	CHECK_RESULT(brTriangulateMesh(NULL, mesh, &triangles, NULL), NULL);
	Faces faces = {.mesh = mesh, .vertexCount = mesh->vertexCount, .triangleCount = triangles->triangleCount};
	faces.capacity = 3 * faces.triangleCount + 1000;
	faces.positions = malloc((size_t)(4 * faces.vertexCount + 3 * faces.capacity) * sizeof(brDVec3));
	faces.triangles = malloc((size_t)faces.capacity * sizeof(int32_t[3]));
	memcpy(faces.positions, mesh->positions, (size_t)mesh->vertexCount * sizeof(brDVec3));
	for (int32_t t = 0; t < faces.triangleCount; ++t)
	{
		for (int32_t i = 0; i < 3; ++i)
		{
			faces.triangles[t][i] = mesh->corners[triangles->corners[3 * t + i]];
		}
	}
	brDestroyTriangulation(triangles);
	return faces;
}

static void makeHoles(Faces* faces, brRandom* random, double size)
{
	for (int32_t hole = 0; hole < 6; ++hole)
	{
		int32_t at = (int32_t)brRandom_Below(random, (uint32_t)faces->triangleCount);
		brDVec3 center = faces->positions[faces->triangles[at][0]];
		double reach = brRandom_Range(random, 0.005, 0.03) * size;
		int32_t kept = 0;
		for (int32_t t = 0; t < faces->triangleCount; ++t)
		{
			bool isGone = t == at || brDDistance(faces->positions[faces->triangles[t][1]], center) < reach;
			if (!isGone || faces->triangleCount - t < 12)
			{
				memmove(faces->triangles[kept++], faces->triangles[t], sizeof(int32_t[3]));
			}
		}
		faces->triangleCount = kept;
	}
}

static void turnSome(Faces* faces, brRandom* random)
{
	for (int32_t t = 0; t < faces->triangleCount; ++t)
	{
		if (brRandom_Below(random, 3) == 0)
		{
			int32_t swap = faces->triangles[t][0];
			faces->triangles[t][0] = faces->triangles[t][1];
			faces->triangles[t][1] = swap;
		}
	}
}

static void doubleSome(Faces* faces, brRandom* random)
{
	int32_t count = faces->triangleCount / 20 + 1;
	for (int32_t k = 0; k < count; ++k)
	{
		int32_t t = (int32_t)brRandom_Below(random, (uint32_t)faces->triangleCount);
		memcpy(faces->triangles[faces->triangleCount++], faces->triangles[t], sizeof(int32_t[3]));
	}
}

// A copy of the whole, moved a little: everything crosses.
static void crossWithCopy(Faces* faces, brRandom* random, double size)
{
	brDVec3 off = {brRandom_Range(random, -1, 1), brRandom_Range(random, -1, 1), brRandom_Range(random, -1, 1)};
	int32_t vertices = faces->vertexCount, triangles = faces->triangleCount;
	for (int32_t v = 0; v < vertices; ++v)
	{
		faces->positions[faces->vertexCount++] = brDMulAdd(faces->positions[v], 0.003 * size, off);
	}
	for (int32_t t = 0; t < triangles; ++t)
	{
		for (int32_t i = 0; i < 3; ++i)
		{
			faces->triangles[faces->triangleCount][i] = faces->triangles[t][i] + vertices;
		}
		faces->triangleCount += 1;
	}
}

static void addSheet(Faces* faces, brDBox3 box)
{
	int32_t first = faces->vertexCount;
	double z = box.upper.z + 0.1 * (box.upper.z - box.lower.z);
	faces->positions[faces->vertexCount++] = brMakeDVec3(box.lower.x, box.lower.y, z);
	faces->positions[faces->vertexCount++] = brMakeDVec3(box.upper.x, box.lower.y, z);
	faces->positions[faces->vertexCount++] = brMakeDVec3(box.lower.x, box.upper.y, z);
	int32_t sheet[3] = {first, first + 1, first + 2};
	memcpy(faces->triangles[faces->triangleCount++], sheet, sizeof(sheet));
}

// Every corner a vertex of its own, moved by `shake`.
static void makeSoup(Faces* faces, brRandom* random, double shake)
{
	brDVec3* positions = malloc((size_t)(3 * faces->triangleCount) * sizeof(brDVec3));
	for (int32_t t = 0; t < faces->triangleCount; ++t)
	{
		for (int32_t i = 0; i < 3; ++i)
		{
			brDVec3 off = {brRandom_Range(random, -1, 1), brRandom_Range(random, -1, 1), brRandom_Range(random, -1, 1)};
			positions[3 * t + i] = brDMulAdd(faces->positions[faces->triangles[t][i]], shake, off);
			faces->triangles[t][i] = 3 * t + i;
		}
	}
	free(faces->positions);
	faces->positions = positions;
	faces->vertexCount = 3 * faces->triangleCount;
}

static brMesh* makeDirty(const brMesh* mesh, Dirt dirt, brRandom* random)
{
	Faces faces = copyFaces(mesh);
	brDBox3 box = brMesh_ComputeBounds(mesh);
	double size = brDDistance(box.lower, box.upper);
	dirt == dirtHoles || dirt == dirtAll ? makeHoles(&faces, random, size) : (void)0;
	dirt == dirtTurned || dirt == dirtAll ? turnSome(&faces, random) : (void)0;
	dirt == dirtCrossed ? crossWithCopy(&faces, random, size) : (void)0;
	dirt == dirtDoubled || dirt == dirtAll ? doubleSome(&faces, random) : (void)0;
	dirt == dirtSheet || dirt == dirtAll ? addSheet(&faces, box) : (void)0;
	dirt == dirtSoup || dirt == dirtAll ? makeSoup(&faces, random, 0.0) : (void)0;
	dirt == dirtShaken ? makeSoup(&faces, random, 1e-6 * size) : (void)0;
	brMesh* dirty = brShape_Make(faces.positions, faces.vertexCount, &faces.triangles[0][0], NULL, faces.triangleCount);
	free(faces.positions);
	free(faces.triangles);
	return dirty;
}

// How far the vertices of the clean mesh are from the mended one at most.
static double farthest(const brMesh* clean, const brMesh* mended)
{
	brSurfaceTree* tree = NULL;
	CHECK_RESULT(brCreateSurfaceTree(NULL, mended, &tree, NULL), NULL);
	brClosestPoint* closest = malloc((size_t)clean->vertexCount * sizeof(brClosestPoint));
	brSurfaceTree_FindClosest(tree, NULL, clean->positions, clean->vertexCount, closest);
	double most = 0.0;
	for (int32_t v = 0; v < clean->vertexCount; ++v)
	{
		most = fmax(most, closest[v].distance);
	}
	free(closest);
	brDestroySurfaceTree(tree);
	return most;
}

BR_TEST(mend_corpus_of_dirty_models)
{
	brRandom random = brTest_Random(test);
	int32_t total = 0, fresh = 0;
	int32_t rounds = brTest_Rounds(test, 1), models = brGetModelCount();
	for (int32_t round = 0; round < rounds * models; ++round)
	{
		brModelDef def = brDefaultModelDef(brGetModelInfo(round % models)->name);
		def.resolution = 0;
		brMesh* clean = NULL;
		CHECK_RESULT(brMakeModel(NULL, &def, &clean, NULL), NULL);
		Dirt dirt = (Dirt)(brRandom_Below(&random, dirtCount));
		brMesh *dirty = makeDirty(clean, dirt, &random), *mended = NULL;
		brMendInfo info;
		brReport report = {0};
		brResult result = brMendMesh(NULL, dirty, NULL, &mended, &info, &report);
		CHECK_MESSAGE(result >= 0, "%s, %s: %s", def.name, s_dirtNames[dirt], report.text);
		brMeshCheck check;
		CHECK_RESULT(brMesh_Check(mended, NULL, NULL, &check, NULL), NULL);
		CHECK_MESSAGE(check.isSolid, "%s, %s: %s", def.name, s_dirtNames[dirt], check.verdict);
		// Holes reach 3 % of the size, and a copy moved by half a per cent closes grooves that are narrower; what is whole
		// stays within half a per cent.
		brDBox3 box = brMesh_ComputeBounds(clean);
		double allowed = dirt == dirtHoles || dirt == dirtAll ? 0.04 : dirt == dirtCrossed ? 0.02 : 0.005;
		double off = farthest(clean, mended) / brDDistance(box.lower, box.upper);
		CHECK_MESSAGE(off < allowed || info.isRemeshed, "%s, %s: %g of the size off", def.name, s_dirtNames[dirt], off);
		total += 1;
		fresh += info.isRemeshed;
		brDestroyMesh(mended);
		brDestroyMesh(dirty);
		brDestroyMesh(clean);
	}
	CHECK_MESSAGE(20 * fresh <= total, "%d of %d needed a new surface", fresh, total);
}
