// SPDX-License-Identifier: MIT

// Scenes that can be played but are hardly meant so: wrong units, bodies in the ground or in each other, gravity that
// points up. Each kind of trouble is told once, in one line.

#include "base/report.h"
#include "brittle/volume.h"
#include "scene/scene_reader.h"

#include <stdlib.h>

// Longest side of what people break. [m]
#define WARN_LONGEST 100.0
#define WARN_SHORTEST 1e-4

// Boxes that share more than this part of the smaller one: the bodies may be in each other. So many pairs are looked at.
#define WARN_OVERLAP 0.6
#define WARN_PAIRS 64

// A body may start this deep in the ground, as a share of its height.
#define WARN_DEPTH 0.01

typedef struct WarnBody
{
	brDBox3 box;
	int32_t body;
} WarnBody;

static brDBox3 warnBounds(const brScene* scene, const brSceneBody* body)
{
	const brMesh* mesh = scene->models[body->model].mesh;
	brDBox3 box = brMakeDBox3Empty();
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		box = brDBox3_Include(box, brTransform_Point(body->pose, mesh->positions[v]));
	}
	return box;
}

static double warnVolume(brDBox3 box)
{
	double x = box.upper.x - box.lower.x, y = box.upper.y - box.lower.y, z = box.upper.z - box.lower.z;
	return x > 0.0 && y > 0.0 && z > 0.0 ? x * y * z : 0.0;
}

static int warnCompare(const void* a, const void* b)
{
	const WarnBody *one = a, *two = b;
	int byPlace = (one->box.lower.x > two->box.lower.x) - (one->box.lower.x < two->box.lower.x);
	return byPlace != 0 ? byPlace : (one->body > two->body) - (one->body < two->body);
}

// Corners and middles of faces of a body, as another one sees them.
static int32_t warnSamples(const brScene* scene, const brSceneBody* body, const brSceneBody* seenBy, brDVec3* out)
{
	const brMesh* mesh = scene->models[body->model].mesh;
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		out[v] = brTransform_InvPoint(seenBy->pose, brTransform_Point(body->pose, mesh->positions[v]));
	}
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		int32_t size = brMesh_GetFaceSize(mesh, f);
		brDVec3 sum = {0.0, 0.0, 0.0};
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			sum = brDMulAdd(sum, 1.0 / size, out[mesh->corners[c]]);
		}
		out[mesh->vertexCount + f] = sum;
	}
	return mesh->vertexCount + mesh->faceCount;
}

// Is something of `body` inside of `other`? A ball in a bowl is not, though its box is. 1, 0, or a failure.
static brResult warnIsIn(const brContext* context, const brScene* scene, const brSceneBody* body,
						 const brSceneBody* other)
{
	brAllocator allocator = brContext_Allocator(context);
	const brMesh* mesh = scene->models[body->model].mesh;
	int32_t most = mesh->vertexCount + mesh->faceCount;
	brDVec3* points = BR_ALLOC(&allocator, brDVec3, most);
	int32_t* crossings = BR_ALLOC(&allocator, int32_t, most);
	brSurfaceTree* tree = NULL;
	brResult result = points != NULL && crossings != NULL
						  ? brCreateSurfaceTree(context, scene->models[other->model].mesh, &tree, NULL)
						  : br_errorMemory;
	bool isIn = false;
	if (result >= 0)
	{
		int32_t count = warnSamples(scene, body, other, points);
		brSurfaceTree_CountCrossings(tree, context, points, count, crossings);
		for (int32_t i = 0; i < count && brSurfaceTree_IsClosed(tree); ++i)
		{
			isIn = isIn || crossings[i] > 0;
		}
	}
	brDestroySurfaceTree(tree);
	BR_FREE(&allocator, points, most);
	BR_FREE(&allocator, crossings, most);
	return result < 0 ? result : isIn;
}

static bool warnMayBeIn(const WarnBody* a, const WarnBody* b)
{
	brDBox3 shared = {brDMax(a->box.lower, b->box.lower), brDMin(a->box.upper, b->box.upper)};
	return warnVolume(shared) > WARN_OVERLAP * fmin(warnVolume(a->box), warnVolume(b->box));
}

// The first pair that is in each other is told. False without memory.
static bool warnOverlaps(const brContext* context, const brScene* scene, WarnBody* list, int32_t count)
{
	qsort(list, (size_t)count, sizeof(WarnBody), warnCompare);
	for (int32_t i = 0, pairs = 0; i < count; ++i)
	{
		for (int32_t k = i + 1; k < count && list[k].box.lower.x < list[i].box.upper.x && pairs < WARN_PAIRS; ++k)
		{
			if (!warnMayBeIn(&list[i], &list[k]))
			{
				continue;
			}
			pairs += 1;
			const brSceneBody *a = &scene->bodies[list[i].body], *b = &scene->bodies[list[k].body];
			brResult result = warnIsIn(context, scene, a, b);
			result = result == 0 ? warnIsIn(context, scene, b, a) : result;
			if (result == br_errorMemory)
			{
				return false;
			}
			if (result > 0)
			{
				brLog(context, br_logWarning,
					  "%s and %s start in each other, and maybe more bodies: they will fly apart%s", a->name, b->name,
					  a->model == b->model ? "; a repeat needs spacing" : "");
				return true;
			}
		}
	}
	return true;
}

static void warnSizes(const brContext* context, const brScene* scene)
{
	for (int32_t i = 0; i < scene->modelCount; ++i)
	{
		brDBox3 box = brMesh_ComputeBounds(scene->models[i].mesh);
		double longest = fmax(box.upper.x - box.lower.x, fmax(box.upper.y - box.lower.y, box.upper.z - box.lower.z));
		if (longest > WARN_LONGEST || longest < WARN_SHORTEST)
		{
			brLog(context, br_logWarning, "%s is %.3g m long; unit: (mm, cm, inch) or size: (metres) set another size",
				  scene->models[i].name, longest);
			return;
		}
	}
}

bool brScene_Warn(const brContext* context, const brScene* scene)
{
	if (context == NULL || context->log == NULL)
	{
		return true; // nobody listens
	}
	brAllocator allocator = brContext_Allocator(context);
	if (scene->gravity.z > 0.0)
	{
		brLog(context, br_logWarning,
			  "gravity points up: a single number is taken downwards, so write 9.81, or [0, 0, -9.81]");
	}
	warnSizes(context, scene);
	WarnBody* list = BR_ALLOC(&allocator, WarnBody, scene->bodyCount);
	if (list == NULL)
	{
		return false;
	}
	int32_t count = 0, sunk = 0, firstSunk = 0;
	for (int32_t i = 0; i < scene->bodyCount; ++i)
	{
		const brSceneBody* body = &scene->bodies[i];
		if (body->kind != br_bodyDynamic || body->time > 0.0)
		{
			continue;
		}
		WarnBody entry = {warnBounds(scene, body), i};
		double height = entry.box.upper.z - entry.box.lower.z;
		if (scene->hasGround && entry.box.lower.z < scene->groundHeight - WARN_DEPTH * height)
		{
			firstSunk = sunk == 0 ? i : firstSunk;
			sunk += 1;
		}
		list[count++] = entry;
	}
	if (sunk > 0)
	{
		brLog(context, br_logWarning,
			  "%d %s in the ground, %s first: raise it, or write on: floor, which puts its lowest point there", sunk,
			  sunk == 1 ? "body starts" : "bodies start", scene->bodies[firstSunk].name);
	}
	bool complete = warnOverlaps(context, scene, list, count);
	BR_FREE(&allocator, list, scene->bodyCount);
	return complete;
}
