// SPDX-License-Identifier: MIT

// Moving scenes by formula: a cloth draped over a turning ball, a cloth pulled through a funnel, 305 bodies in a box.

#include "brittle/moving_scene.h"

#include "base/assert.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "mesh/mesh_build.h"

#include <string.h>

enum
{
	motionBodies = 305,
	motionMostResolution = 2000
};

static const brMovingSceneInfo motionInfos[] = {
	{"bodies", "305 round bodies flying about in a box", 75, 22},
	{"cloth_ball", "a cloth draped over a ball that turns and winds it up", 94, 212},
	{"funnel", "a cloth with two balls on it pulled through a funnel", 500, 84},
};

int32_t brGetMovingSceneCount(void)
{
	return (int32_t)(sizeof(motionInfos) / sizeof(motionInfos[0]));
}

const brMovingSceneInfo* brGetMovingSceneInfo(int32_t index)
{
	return index >= 0 && index < brGetMovingSceneCount() ? &motionInfos[index] : NULL;
}

static const brMovingSceneInfo* motionFind(const char* name)
{
	for (int32_t i = 0; i < brGetMovingSceneCount(); ++i)
	{
		if (name != NULL && strcmp(name, motionInfos[i].name) == 0)
		{
			return &motionInfos[i];
		}
	}
	return NULL;
}

brMovingSceneDef brDefaultMovingSceneDef(const char* name)
{
	return (brMovingSceneDef){.name = name, .stamp = BR_STAMP(brMovingSceneDef)};
}

// Shapes

// A grid of (n + 1) x (m + 1) vertices in row order, two triangles a cell; positions are left to fill. With `isRound`
// the last column is the first again.
static brMesh* motionGrid(const brAllocator* allocator, int32_t n, int32_t m, bool isRound)
{
	int32_t columns = isRound ? m : m + 1;
	brMeshShape shape = {.vertexCount = (n + 1) * columns, .faceCount = 2 * n * m, .cornerCount = 6 * n * m};
	brMesh* mesh = brAllocMesh(allocator, &shape);
	if (mesh == NULL)
	{
		return NULL;
	}
	int32_t face = 0;
	for (int32_t i = 0; i < n; ++i)
	{
		for (int32_t j = 0; j < m; ++j)
		{
			int32_t k = (j + 1) % columns;
			int32_t corners[6] = {i * columns + j,       (i + 1) * columns + j, (i + 1) * columns + k,
								  (i + 1) * columns + k, i * columns + k,       i * columns + j};
			for (int32_t c = 0; c < 6; ++c)
			{
				mesh->corners[3 * face + c] = corners[c];
			}
			face += 2;
		}
	}
	for (int32_t i = 0; i <= shape.faceCount; ++i)
	{
		mesh->faceStarts[i] = 3 * i;
	}
	return mesh;
}

// A ball of segments x segments / 2 cells, turned about z. Its poles are fans of flat triangles, cut away a little.
static brMesh* motionBall(const brAllocator* allocator, int32_t segments, brDVec3 center, double radius, double turn)
{
	int32_t rings = segments / 2;
	brMesh* mesh = motionGrid(allocator, rings, segments, true);
	for (int32_t i = 0; mesh != NULL && i <= rings; ++i)
	{
		double polar = BR_PI * (0.02 + 0.96 * i / rings);
		for (int32_t j = 0; j < segments; ++j)
		{
			double around = 2.0 * BR_PI * j / segments + turn;
			brDVec3 d = {brSin(polar) * brCos(around), brSin(polar) * brSin(around), brCos(polar)};
			mesh->positions[i * segments + j] = brDMulAdd(center, radius, d);
		}
	}
	return mesh;
}

static double motionSmooth(double x)
{
	x = x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
	return x * x * (3.0 - 2.0 * x);
}

// Scenes. Each fills the meshes in order and says how many; a null among them is lack of memory.

// The sheet comes down on the ball, hangs from its equator in pleats, and is wound up from below as the ball turns.
static brDVec3 motionDrape(double u, double v, double progress)
{
	const double radius = 1.05, side = 5.0;
	double r = 0.5 * side * sqrt(u * u + v * v), around = brAtan2(v, u);
	double fall = motionSmooth(2.0 * progress), wind = motionSmooth(2.0 * progress - 1.0);
	double polar = r / radius < 0.5 * BR_PI ? r / radius : 0.5 * BR_PI;
	double below = r - radius * polar; // length that hangs
	double pleats = 0.18 * below * brCos(14.0 * around + 3.0 * wind * below) + 0.05 * below * brCos(37.0 * around);
	double twist = around + 1.6 * wind * (1.0 + below) + 0.1 * below * brSin(9.0 * around);
	double reach = (radius * brSin(polar) + pleats) * (1.0 - 0.55 * wind * (below < 1.0 ? below : 1.0));
	brDVec3 draped = {reach * brCos(twist), reach * brSin(twist), radius * brCos(polar) - below};
	brDVec3 flat = {r * brCos(around), r * brSin(around), 1.6 - 0.5 * fall};
	return brDLerp(flat, draped, fall);
}

static int32_t motionClothBall(const brAllocator* allocator, const brMovingSceneDef* def, int32_t n, double progress,
							   brMesh** meshes)
{
	(void)def;
	brMesh* cloth = motionGrid(allocator, n, n, false);
	for (int32_t i = 0; cloth != NULL && i <= n; ++i)
	{
		for (int32_t j = 0; j <= n; ++j)
		{
			cloth->positions[i * (n + 1) + j] = motionDrape(2.0 * j / n - 1.0, 2.0 * i / n - 1.0, progress);
		}
	}
	meshes[0] = cloth;
	meshes[1] = motionBall(allocator, 8 + n / 4, brMakeDVec3(0, 0, 0), 1.0, 3.0 * motionSmooth(2.0 * progress - 1.0));
	return 2;
}

// Radius of the funnel at a height: a cone that ends in a pipe.
static double motionFunnelRadius(double z)
{
	return z > 0.0 ? 0.35 + 1.1 * z : 0.35;
}

static int32_t motionFunnel(const brAllocator* allocator, const brMovingSceneDef* def, int32_t n, double progress,
							brMesh** meshes)
{
	(void)def;
	double sink = 2.6 * motionSmooth(progress);
	brMesh* cloth = motionGrid(allocator, n, n, false);
	for (int32_t i = 0; cloth != NULL && i <= n; ++i)
	{
		for (int32_t j = 0; j <= n; ++j)
		{
			double u = 2.0 * j / n - 1.0, v = 2.0 * i / n - 1.0;
			double r = 1.5 * sqrt(u * u + v * v), around = brAtan2(v, u);
			// The middle sinks first; what the wall leaves no room for goes into pleats.
			double z = 1.2 - sink + 0.8 * r * motionSmooth(sink);
			double room = motionFunnelRadius(z) - 0.02, reach = r < room ? r : room;
			double spare = r - reach;
			reach -= 0.6 * spare / (1.0 + spare) * (0.5 + 0.5 * brCos(11.0 * around + 2.0 * r));
			around += 0.25 * spare * brSin(11.0 * around);
			cloth->positions[i * (n + 1) + j] = brMakeDVec3(reach * brCos(around), reach * brSin(around), z);
		}
	}
	int32_t around = n / 2 + 8, along = n / 4 + 4;
	brMesh* funnel = motionGrid(allocator, along, around, true);
	for (int32_t i = 0; funnel != NULL && i <= along; ++i)
	{
		double z = 1.4 - 3.0 * i / along;
		for (int32_t j = 0; j < around; ++j)
		{
			double angle = 2.0 * BR_PI * j / around, radius = motionFunnelRadius(z);
			funnel->positions[i * around + j] = brMakeDVec3(radius * brCos(angle), radius * brSin(angle), z);
		}
	}
	meshes[0] = cloth;
	meshes[1] = funnel;
	meshes[2] = motionBall(allocator, n / 4 + 8, brMakeDVec3(0.05, 0.0, 1.42 - sink), 0.2, progress);
	meshes[3] = motionBall(allocator, n / 4 + 8, brMakeDVec3(-0.1, 0.1, 1.75 - 0.95 * sink), 0.15, -progress);
	return 4;
}

// A point that flies straight and bounces off the sides of [-1, 1].
static double motionBounce(double x)
{
	double turn = x - 4.0 * floor(0.25 * (x + 1.0)); // in [-1, 3)
	return turn <= 1.0 ? turn : 2.0 - turn;
}

static int32_t motionManyBodies(const brAllocator* allocator, const brMovingSceneDef* def, int32_t n, double progress,
								brMesh** meshes)
{
	for (int32_t i = 0; i < motionBodies; ++i)
	{
		brRandom random = brMakeRandom(def->seed, (uint64_t)i);
		double place[3], radius = brRandom_Range(&random, 0.05, 0.11);
		for (int k = 0; k < 3; ++k)
		{
			double start = brRandom_Range(&random, -1.0, 1.0), speed = brRandom_Range(&random, -2.0, 2.0);
			place[k] = 0.9 * motionBounce(start + speed * progress);
		}
		meshes[i] = motionBall(allocator, n, brMakeDVec3(place[0], place[1], place[2]), radius, 6.0 * progress);
	}
	return motionBodies;
}

brResult brMakeMovingScene(const brContext* context, const brMovingSceneDef* def, brMovingScene** outMotion,
						   brReport* report)
{
	if (def == NULL || def->stamp != BR_STAMP(*def) || outMotion == NULL)
	{
		return brFail(report, br_errorMisuse, "brMakeMovingScene needs a def with its stamp and a place for the scene");
	}
	const brMovingSceneInfo* info = motionFind(def->name);
	if (info == NULL)
	{
		return brFail(report, br_errorMisuse, "there is no scene '%s'; there are bodies, cloth_ball and funnel",
					  def->name != NULL ? def->name : "");
	}
	int32_t resolution = def->resolution != 0 ? def->resolution : info->resolution;
	if (resolution < 4 || resolution > motionMostResolution || !(def->frame >= 0.0 && def->frame <= info->frameCount))
	{
		return brFail(report, br_errorMisuse, "scene %s takes a resolution from 4 to %d and a frame from 0 to %d",
					  info->name, motionMostResolution, info->frameCount);
	}
	brAllocator allocator = brContext_Allocator(context);
	brMesh* meshes[motionBodies] = {NULL};
	double progress = def->frame / info->frameCount;
	int32_t count = info == &motionInfos[0]   ? motionManyBodies(&allocator, def, resolution, progress, meshes)
					: info == &motionInfos[1] ? motionClothBall(&allocator, def, resolution, progress, meshes)
											  : motionFunnel(&allocator, def, resolution, progress, meshes);
	brMovingScene* motion = BR_ALLOC_ZERO(&allocator, brMovingScene, 1);
	brMesh** list = BR_ALLOC(&allocator, brMesh*, count);
	bool isWhole = motion != NULL && list != NULL;
	for (int32_t i = 0; i < count; ++i)
	{
		isWhole &= meshes[i] != NULL;
	}
	if (!isWhole)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			brDestroyMesh(meshes[i]);
		}
		BR_FREE(&allocator, list, count);
		BR_FREE(&allocator, motion, 1);
		return brFailMemory(report);
	}
	memcpy(list, meshes, (size_t)count * sizeof(brMesh*));
	*motion = (brMovingScene){count, list, allocator};
	*outMotion = motion;
	return brSucceed(report);
}

void brDestroyMovingScene(brMovingScene* motion)
{
	if (motion == NULL)
	{
		return;
	}
	brAllocator allocator = motion->allocator;
	for (int32_t i = 0; i < motion->meshCount; ++i)
	{
		brDestroyMesh(motion->meshes[i]);
	}
	BR_FREE(&allocator, motion->meshes, motion->meshCount);
	BR_FREE(&allocator, motion, 1);
}
