// SPDX-License-Identifier: MIT

// Dirty variants of clean models, the built-in ones and those of the mesh collection where it is there, at any scale and
// attitude, and what mending makes of them: a clean solid, nowhere farther from the intact part than half a per cent of
// the size. Intact is what no hole took away and nothing that was added covers. Covers of holes stay as near, or nearer
// than what is missing leaves its own plane: a bump that a hole took away is nowhere to be known from.

#include "brittle/brittle.h"
#include "harness.h"
#include "model_list.h"
#include "shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum Dirt
{
	dirtHoles,
	dirtTurned,
	dirtDoubled,
	dirtCopied,
	dirtBoxed,
	dirtSheet,
	dirtSoup,
	dirtShaken,
	dirtAll,
	dirtCount,
} Dirt;

static const char* const s_dirtNames[] = {"holes", "turned", "doubled", "copied", "boxed",
										  "sheet", "soup",   "shaken",  "all"};

// All of the surface that a hole took away lies in here.
typedef struct Ball
{
	brDVec3 center;
	double radius;
	double rise; // how far apart the faces that went are, along their mean normal
} Ball;

#define HOLES 6

// What of a model is not intact.
typedef struct Damage
{
	bool* isGone; // [vertexCount] a hole took a face of it, or a copy covers it
	Ball holes[HOLES];
	int32_t holeCount;
} Damage;

typedef struct Faces
{
	const brMesh* mesh;
	brDVec3* positions;
	int32_t (*triangles)[3];
	Damage damage;
	int32_t vertexCount, triangleCount, capacity;
} Faces;

static Faces copyFaces(const brMesh* mesh)
{
	brTriangulation* triangles = BR_MADE(brTriangulation, brTriangulateMesh, NULL, mesh);
	Faces faces = {.mesh = mesh, .vertexCount = mesh->vertexCount, .triangleCount = triangles->triangleCount};
	faces.capacity = 3 * faces.triangleCount + 1000;
	faces.positions = malloc((size_t)(4 * faces.vertexCount + 3 * faces.capacity) * sizeof(brDVec3));
	faces.triangles = malloc((size_t)faces.capacity * sizeof(int32_t[3]));
	faces.damage.isGone = calloc((size_t)mesh->vertexCount, sizeof(bool));
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

// The rise of all faces of the clean mesh that lie in the ball, where other holes may have been at work too.
static double findRise(const brMesh* mesh, const Ball* ball)
{
	brDVec3 normal = {0.0, 0.0, 0.0};
	double lower = INFINITY, upper = -INFINITY;
	for (int32_t pass = 0; pass < 2; ++pass)
	{
		for (int32_t f = 0; f < mesh->faceCount; ++f)
		{
			const int32_t* c = &mesh->corners[mesh->faceStarts[f]];
			int32_t count = brMesh_GetFaceSize(mesh, f);
			bool isIn = true;
			for (int32_t k = 0; k < count; ++k)
			{
				isIn = isIn && brDDistance(mesh->positions[c[k]], ball->center) <= ball->radius * (1.0 + 1e-9);
			}
			for (int32_t k = 0; k < count && isIn; ++k)
			{
				brDVec3 a = mesh->positions[c[0]], b = mesh->positions[c[k]], d = mesh->positions[c[(k + 1) % count]];
				normal = pass == 0 ? brDAdd(normal, brDCross(brDSub(b, a), brDSub(d, a))) : normal;
				lower = pass == 1 ? fmin(lower, brDDot(normal, b)) : lower;
				upper = pass == 1 ? fmax(upper, brDDot(normal, b)) : upper;
			}
		}
		normal = brDNormalize(normal);
	}
	return upper > lower ? upper - lower : 0.0;
}

static void makeHoles(Faces* faces, brRandom* random, double size)
{
	for (int32_t hole = 0; hole < HOLES; ++hole)
	{
		int32_t at = (int32_t)brRandom_Below(random, (uint32_t)faces->triangleCount);
		brDVec3 center = faces->positions[faces->triangles[at][0]];
		double reach = brRandom_Range(random, 0.005, 0.03) * size;
		int32_t kept = 0;
		Ball* ball = &faces->damage.holes[faces->damage.holeCount++];
		*ball = (Ball){.center = center};
		for (int32_t t = 0; t < faces->triangleCount; ++t)
		{
			bool isGone = t == at || brDDistance(faces->positions[faces->triangles[t][1]], center) < reach;
			if (!isGone || faces->triangleCount - t < 12)
			{
				memmove(faces->triangles[kept++], faces->triangles[t], sizeof(int32_t[3]));
				continue;
			}
			for (int32_t i = 0; i < 3; ++i)
			{
				faces->damage.isGone[faces->triangles[t][i]] = true;
				ball->radius = fmax(ball->radius, brDDistance(center, faces->positions[faces->triangles[t][i]]));
			}
		}
		faces->triangleCount = kept;
		ball->rise = findRise(faces->mesh, ball);
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

// A copy of the whole, moved by up to 0.35 %: everything crosses.
static void crossWithCopy(Faces* faces, brRandom* random, double size)
{
	brDVec3 off = {brRandom_Range(random, -1, 1), brRandom_Range(random, -1, 1), brRandom_Range(random, -1, 1)};
	int32_t vertices = faces->vertexCount, triangles = faces->triangleCount;
	brDVec3* back = malloc((size_t)vertices * sizeof(brDVec3));
	double* windings = malloc((size_t)vertices * sizeof(double));
	brSurfaceTree* tree = BR_MADE(brSurfaceTree, brCreateSurfaceTree, NULL, faces->mesh);
	for (int32_t v = 0; v < vertices; ++v)
	{
		faces->positions[faces->vertexCount++] = brDMulAdd(faces->positions[v], 0.002 * size, off);
		back[v] = brDMulAdd(faces->positions[v], -0.002 * size, off);
	}
	for (int32_t t = 0; t < triangles; ++t)
	{
		for (int32_t i = 0; i < 3; ++i)
		{
			faces->triangles[faces->triangleCount][i] = faces->triangles[t][i] + vertices;
		}
		faces->triangleCount += 1;
	}
	brSurfaceTree_ComputeWinding(tree, NULL, back, vertices, windings);
	for (int32_t v = 0; v < vertices; ++v)
	{
		faces->damage.isGone[v] = windings[v] > 0.5;
	}
	brDestroySurfaceTree(tree);
	free(windings);
	free(back);
}

// A box through the surface.
static void crossWithBox(Faces* faces, brRandom* random, double size)
{
	int32_t place = (int32_t)brRandom_Below(random, (uint32_t)faces->mesh->vertexCount);
	brDVec3 center = faces->positions[place];
	brMesh* box = brShape_Box(0.05 * size, 0.04 * size, 0.06 * size);
	Faces part = copyFaces(box);
	brDBox3 bounds = brMesh_ComputeBounds(box);
	brDVec3 off = brDSub(center, brDLerp(bounds.lower, bounds.upper, 0.5));
	brDBox3 covered = {brDAdd(bounds.lower, off), brDAdd(bounds.upper, off)};
	for (int32_t v = 0; v < faces->mesh->vertexCount; ++v)
	{
		faces->damage.isGone[v] =
			faces->damage.isGone[v] || brDBox3_Overlaps(covered, (brDBox3){faces->positions[v], faces->positions[v]});
	}
	for (int32_t t = 0; t < part.triangleCount; ++t)
	{
		for (int32_t i = 0; i < 3; ++i)
		{
			faces->triangles[faces->triangleCount][i] = part.triangles[t][i] + faces->vertexCount;
		}
		faces->triangleCount += 1;
	}
	for (int32_t v = 0; v < part.vertexCount; ++v)
	{
		faces->positions[faces->vertexCount++] = brDAdd(part.positions[v], off);
	}
	free(part.positions);
	free(part.triangles);
	free(part.damage.isGone);
	brDestroyMesh(box);
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

static brMesh* makeDirty(const brMesh* mesh, Dirt dirt, brRandom* random, Damage* outDamage)
{
	Faces faces = copyFaces(mesh);
	brDBox3 box = brMesh_ComputeBounds(mesh);
	double size = brDDistance(box.lower, box.upper);
	dirt == dirtHoles || dirt == dirtAll ? makeHoles(&faces, random, size) : (void)0;
	dirt == dirtTurned || dirt == dirtAll ? turnSome(&faces, random) : (void)0;
	dirt == dirtCopied ? crossWithCopy(&faces, random, size) : (void)0;
	dirt == dirtBoxed ? crossWithBox(&faces, random, size) : (void)0;
	dirt == dirtDoubled || dirt == dirtAll ? doubleSome(&faces, random) : (void)0;
	dirt == dirtSheet || dirt == dirtAll ? addSheet(&faces, box) : (void)0;
	dirt == dirtSoup || dirt == dirtAll ? makeSoup(&faces, random, 0.0) : (void)0;
	dirt == dirtShaken ? makeSoup(&faces, random, 1e-6 * size) : (void)0;
	brMesh* dirty = brShape_Make(faces.positions, faces.vertexCount, &faces.triangles[0][0], NULL, faces.triangleCount);
	free(faces.positions);
	free(faces.triangles);
	*outDamage = faces.damage;
	return dirty;
}

// How far intact vertices of the clean mesh are from the mended one at most.
static double farthest(const brMesh* clean, const bool* isGone, const brMesh* mended)
{
	brSurfaceTree* tree = BR_MADE(brSurfaceTree, brCreateSurfaceTree, NULL, mended);
	brClosestPoint* closest = malloc((size_t)clean->vertexCount * sizeof(brClosestPoint));
	brSurfaceTree_FindClosest(tree, NULL, clean->positions, clean->vertexCount, closest);
	double most = 0.0;
	for (int32_t v = 0; v < clean->vertexCount; ++v)
	{
		most = isGone[v] ? most : fmax(most, closest[v].distance);
	}
	free(closest);
	brDestroySurfaceTree(tree);
	return most;
}

// How far vertices of the mended mesh are at most from the clean one, but for covers: those are where a hole took
// something away, and other covers are near what a copy covers. Null: everything is intact.
static double strayed(const brMesh* clean, const Damage* damage, const brMesh* mended)
{
	brSurfaceTree* tree = BR_MADE(brSurfaceTree, brCreateSurfaceTree, NULL, clean);
	brClosestPoint* closest = malloc((size_t)mended->vertexCount * sizeof(brClosestPoint));
	brSurfaceTree_FindClosest(tree, NULL, mended->positions, mended->vertexCount, closest);
	double most = 0.0;
	for (int32_t v = 0; v < mended->vertexCount; ++v)
	{
		bool isIntact = true;
		for (int32_t h = 0; damage != NULL && h < damage->holeCount; ++h)
		{
			isIntact = isIntact && brDDistance(mended->positions[v], damage->holes[h].center) > damage->holes[h].radius;
		}
		for (int32_t c = clean->faceStarts[closest[v].face]; c < clean->faceStarts[closest[v].face + 1]; ++c)
		{
			isIntact = isIntact && (damage == NULL || damage->holeCount > 0 || !damage->isGone[clean->corners[c]]);
		}
		most = isIntact ? fmax(most, closest[v].distance) : most;
	}
	free(closest);
	brDestroySurfaceTree(tree);
	return most;
}

typedef struct Covers
{
	int32_t count; // holes
	int32_t far;   // those whose covers are farther than 0.5 % of the size from what was there
	double worst;  // distance over what is allowed
} Covers;

// How far covers, the middles of their triangles, are from what a hole took away.
static void judgeCovers(const brMesh* clean, const Damage* damage, const brMesh* mended, double size, Covers* covers)
{
	brSurfaceTree* tree = NULL;
	brTriangulation* triangles = NULL;
	CHECK_RESULT(brCreateSurfaceTree(NULL, clean, &tree, NULL), NULL);
	CHECK_RESULT(brTriangulateMesh(NULL, mended, &triangles, NULL), NULL);
	covers->worst = 0.0;
	for (int32_t h = 0; h < damage->holeCount; ++h)
	{
		const Ball* hole = &damage->holes[h];
		double most = 0.0;
		for (int32_t t = 0; t < triangles->triangleCount; ++t)
		{
			brDVec3 middle = {0.0, 0.0, 0.0};
			for (int k = 0; k < 3; ++k)
			{
				int32_t vertex = mended->corners[triangles->corners[3 * t + k]];
				middle = brDMulAdd(middle, 1.0 / 3.0, mended->positions[vertex]);
			}
			brClosestPoint closest = {0};
			if (brDDistance(middle, hole->center) < hole->radius)
			{
				brSurfaceTree_FindClosest(tree, NULL, &middle, 1, &closest);
			}
			most = fmax(most, closest.distance);
		}
		covers->count += 1;
		covers->far += most > 0.005 * size;
		covers->worst = fmax(covers->worst, most / fmax(0.005 * size, hole->rise));
	}
	brDestroyTriangulation(triangles);
	brDestroySurfaceTree(tree);
}

// A clean model in meters, millimeters or inches, z-up or y-up; null where there is none or it is no solid itself.
static brMesh* makeClean(int32_t number, int32_t* outScale, char name[64])
{
	static const double scales[] = {1.0, 1000.0, 39.37007874015748, 0.001};
	int32_t models = brGetModelCount();
	brMesh* clean = NULL;
	if (number < models)
	{
		brModelDef def = brDefaultModelDef(brGetModelInfo(number)->name);
		snprintf(name, 64, "%s", def.name);
		CHECK_RESULT(brMakeModel(NULL, &def, &clean, NULL), NULL);
	}
	else
	{
		snprintf(name, 64, "models/%s", collectedModels[number - models]);
		const char* path = brTest_DataPath(name);
		if (path == NULL || brLoadMesh(NULL, path, &clean, NULL) < 0)
		{
			return NULL;
		}
		brMeshCheck check;
		CHECK_RESULT(brMesh_Check(clean, NULL, NULL, &check, NULL), NULL);
		if (!check.isSolid)
		{
			brDestroyMesh(clean);
			return NULL;
		}
	}
	brAffine map = brMakeAffineIdentity();
	double scale = scales[*outScale % 4];
	map.m.cx = brMakeDVec3(scale, 0, 0);
	map.m.cy = *outScale % 2 == 0 ? brMakeDVec3(0, scale, 0) : brMakeDVec3(0, 0, scale);
	map.m.cz = *outScale % 2 == 0 ? brMakeDVec3(0, 0, scale) : brMakeDVec3(0, -scale, 0);
	brMesh_Transform(clean, &map);
	return clean;
}

// One round takes every third of the built-in models and one of the collection, another kind of dirt for each; 40 rounds
// take all there is.
BR_TEST(mend_corpus_of_dirty_models)
{
	brRandom random = brTest_Random(test);
	int32_t total = 0, fresh = 0, third = (brGetModelCount() + 2) / 3;
	int32_t rounds = brTest_Rounds(test, 1);
	Covers covers = {0};
	for (int32_t n = 0; n < rounds * (third + 1); ++n)
	{
		int32_t round = n / (third + 1), k = n % (third + 1), scale = n;
		char name[64];
		int32_t number =
			k < third ? (3 * k + round % 3) % brGetModelCount() : brGetModelCount() + round % COLLECTED_MODEL_COUNT;
		brMesh* clean = makeClean(number, &scale, name);
		if (clean == NULL)
		{
			continue;
		}
		Dirt dirt = (Dirt)((n + (int32_t)test->seed) % dirtCount);
		Damage damage;
		brMesh *dirty = makeDirty(clean, dirt, &random, &damage), *mended = NULL;
		brMendInfo info;
		brReport report = {0};
		brResult result = brMendMesh(NULL, dirty, NULL, &mended, &info, &report);
		CHECK_MESSAGE(result >= 0, "%s, %s: %s", name, s_dirtNames[dirt], report.text);
		brMeshCheck check;
		CHECK_RESULT(brMesh_Check(mended, NULL, NULL, &check, NULL), NULL);
		CHECK_MESSAGE(check.isSolid, "%s, %s: %s", name, s_dirtNames[dirt], check.verdict);
		brDBox3 box = brMesh_ComputeBounds(clean);
		double size = brDDistance(box.lower, box.upper);
		double off = farthest(clean, damage.isGone, mended) / size;
		judgeCovers(clean, &damage, mended, size, &covers);
		CHECK_MESSAGE(covers.worst < 1.0 || info.isRemeshed, "%s, %s: a cover is %.3g of what is allowed off", name,
					  s_dirtNames[dirt], covers.worst);
		// A box that was added is part of the thing.
		double stray = (dirt == dirtBoxed ? strayed(dirty, NULL, mended) : strayed(clean, &damage, mended)) / size;
		CHECK_MESSAGE((off < 0.005 && stray < 0.005) || info.isRemeshed, "%s, %s: %g and %g of the size off (%s)", name,
					  s_dirtNames[dirt], off, stray, info.summary);
		total += 1;
		fresh += info.isRemeshed;
		free(damage.isGone);
		brDestroyMesh(mended);
		brDestroyMesh(dirty);
		brDestroyMesh(clean);
	}
	CHECK_MESSAGE(10 * covers.far <= covers.count + 10, "%d of %d covers are farther than 0.5 %%", covers.far,
				  covers.count);
	CHECK_MESSAGE(20 * fresh <= total, "%d of %d needed a new surface", fresh, total);
}
