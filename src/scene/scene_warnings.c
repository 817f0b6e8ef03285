// SPDX-License-Identifier: MIT

// Scenes that can be played but are hardly meant so: wrong units, bodies in the ground or in each other, gravity that
// points up. Each kind of trouble is told once, in one line.

#include "base/report.h"
#include "scene/scene_reader.h"

#include <stdlib.h>

// Longest side of what people break. [m]
#define WARN_LONGEST 100.0
#define WARN_SHORTEST 1e-4

// Boxes that share more than this part of the smaller one: the bodies are most likely in each other.
#define WARN_OVERLAP 0.6

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

static void warnOverlaps(const brContext* context, const brScene* scene, WarnBody* list, int32_t count)
{
	qsort(list, (size_t)count, sizeof(WarnBody), warnCompare);
	int32_t pairs = 0, first[2] = {0, 0};
	for (int32_t i = 0; i < count; ++i)
	{
		for (int32_t k = i + 1; k < count && list[k].box.lower.x < list[i].box.upper.x; ++k)
		{
			brDBox3 shared = {brDMax(list[i].box.lower, list[k].box.lower),
							  brDMin(list[i].box.upper, list[k].box.upper)};
			if (warnVolume(shared) > WARN_OVERLAP * fmin(warnVolume(list[i].box), warnVolume(list[k].box)))
			{
				first[0] = pairs == 0 ? list[i].body : first[0];
				first[1] = pairs == 0 ? list[k].body : first[1];
				pairs += 1;
			}
		}
	}
	if (pairs > 0)
	{
		brLog(context, br_logWarning,
			  "%d pairs of bodies start in each other, %s and %s first: they will fly apart; a repeat needs spacing",
			  pairs, scene->bodies[first[0]].name, scene->bodies[first[1]].name);
	}
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
	warnOverlaps(context, scene, list, count);
	BR_FREE(&allocator, list, scene->bodyCount);
	return true;
}
