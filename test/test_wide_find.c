// SPDX-License-Identifier: MIT
#include "harness.h"
#include "index/wide_find.h"

#include <string.h>

enum
{
	most = 900
};

static brBox3 boxes[most];
static bool visited[most];

static void drawBoxes(brRandom* random, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brVec3 p = {(float)brRandom_Below(random, 20), (float)brRandom_Range(random, 0, 20),
					(float)brRandom_Below(random, 3)};
		float size = brRandom_Below(random, 3) == 0 ? 0.0f : (float)brRandom_Unit(random);
		boxes[i] = (brBox3){p, brAdd(p, brMakeVec3(size, 1.0f, 0.5f * size))};
	}
}

static bool visitAll(uint32_t primitive, void* user)
{
	(void)user;
	CHECK(!visited[primitive]);
	visited[primitive] = true;
	return true;
}

static bool visitFirst(uint32_t primitive, void* user)
{
	(void)primitive;
	*(int32_t*)user += 1;
	return false;
}

static double boxDistanceSq(brBox3 box, brDVec3 p)
{
	double x = fmax(fmax(box.lower.x - p.x, p.x - box.upper.x), 0.0);
	double y = fmax(fmax(box.lower.y - p.y, p.y - box.upper.y), 0.0);
	double z = fmax(fmax(box.lower.z - p.z, p.z - box.upper.z), 0.0);
	return x * x + y * y + z * z;
}

static double nearBox(uint32_t primitive, double limitSq, void* user)
{
	return fmin(limitSq, boxDistanceSq(boxes[primitive], *(brDVec3*)user));
}

typedef struct Ray
{
	brDVec3 origin, direction;
	int32_t asked;
} Ray;

// First t >= 0 where the ray is in the box, or infinity; slabs in plain doubles.
static double enterBox(brBox3 box, const Ray* ray)
{
	double o[3] = {ray->origin.x, ray->origin.y, ray->origin.z};
	double d[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
	double lower[3] = {box.lower.x, box.lower.y, box.lower.z}, upper[3] = {box.upper.x, box.upper.y, box.upper.z};
	double enter = 0.0, leave = INFINITY;
	for (int k = 0; k < 3; ++k)
	{
		if (d[k] == 0.0)
		{
			leave = o[k] < lower[k] || o[k] > upper[k] ? -1.0 : leave;
			continue;
		}
		double a = (lower[k] - o[k]) / d[k], b = (upper[k] - o[k]) / d[k];
		enter = fmax(enter, fmin(a, b));
		leave = fmin(leave, fmax(a, b));
	}
	return enter <= leave ? enter : INFINITY;
}

static double hitBox(uint32_t primitive, double limit, void* user)
{
	Ray* ray = user;
	ray->asked += 1;
	return fmin(limit, enterBox(boxes[primitive], ray));
}

BR_TEST(wide_tree_answers_boxes_rays_and_points)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	brWideBvh bvh;
	brWideBvh_Init(&bvh, &allocator, 0);
	int64_t asked = 0, hits = 0, total = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 100); ++round)
	{
		int32_t count = (int32_t)brRandom_Below(&random, most + 1);
		drawBoxes(&random, count);
		brBoxSource source = {.count = count, .boxes = boxes};
		CHECK_RESULT(brWideBvh_Build(&bvh, NULL, &source, NULL, 1, NULL), NULL);
		const brWideTree* tree = brWideBvh_Tree(&bvh, 0);
		for (int32_t question = 0; question < 20; ++question)
		{
			brVec3 p = {(float)brRandom_Below(&random, 21), (float)brRandom_Below(&random, 21),
						(float)brRandom_Below(&random, 3)};
			brBox3 box = {p, brAdd(p, brMakeVec3((float)brRandom_Below(&random, 3), 0.0f, 0.0f))};
			memset(visited, 0, sizeof(visited));
			CHECK(brWideTree_VisitBox(tree, box, visitAll, NULL));
			int32_t expected = 0;
			for (int32_t i = 0; i < count; ++i)
			{
				CHECK_EQUAL(visited[i], brBox3_Overlaps(boxes[i], box));
				expected += visited[i];
			}
			int32_t calls = 0;
			CHECK_EQUAL(brWideTree_VisitBox(tree, box, visitFirst, &calls), expected == 0);
			CHECK_EQUAL(calls, expected > 0);

			brDVec3 point = {brRandom_Range(&random, -5, 25), brRandom_Range(&random, -5, 25),
							 brRandom_Range(&random, -5, 5)};
			double nearest = INFINITY;
			Ray ray = {point, {0.0, brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1)}, 0};
			ray.direction.x = brRandom_Below(&random, 2) == 0 ? 0.0 : brRandom_Range(&random, -1, 1);
			ray.direction.z = brRandom_Below(&random, 2) == 0 ? 0.0 : ray.direction.z;
			ray.origin.x = brRandom_Below(&random, 2) == 0 ? floor(point.x) : point.x; // along faces of boxes
			double first = INFINITY;
			for (int32_t i = 0; i < count; ++i)
			{
				nearest = fmin(nearest, boxDistanceSq(boxes[i], point));
				first = fmin(first, enterBox(boxes[i], &ray));
			}
			CHECK(brWideTree_VisitNear(tree, point, INFINITY, nearBox, &point) == nearest);
			CHECK(brWideTree_VisitRay(tree, ray.origin, ray.direction, INFINITY, hitBox, &ray) == first);
			asked += ray.asked, total += count;
			hits += first < INFINITY;
		}
	}
	CHECK(hits > 0 && asked * 5 < total); // the tree is of use
	brWideBvh_Free(&bvh);
}
