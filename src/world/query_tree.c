// SPDX-License-Identifier: MIT

#include "world/query_tree.h"

#include "contact/shape.h"
#include "world/world_state.h"

#include <math.h>

enum
{
	queryNone,
	queryClaimed, // somebody builds, or could not
	queryReady,
	queryBoxBlock = 512,
};

brQueryTree* brCreateQueryTree(const brAllocator* allocator)
{
	brQueryTree* tree = BR_ALLOC_ZERO(allocator, brQueryTree, 1);
	if (tree == NULL)
	{
		return NULL;
	}
	tree->allocator = *allocator;
	tree->patience = BR_QUERY_PATIENCE;
	brWideBvh_Init(&tree->bvh, allocator, 0);
	return tree;
}

void brDestroyQueryTree(brQueryTree* tree)
{
	if (tree == NULL)
	{
		return;
	}
	brAllocator allocator = tree->allocator;
	brWideBvh_Free(&tree->bvh);
	brStageMemory_Free(&tree->boxes, &allocator);
	brStageMemory_Free(&tree->slots, &allocator);
	brStageMemory_Free(&tree->boundless, &allocator);
	BR_FREE(&allocator, tree, 1);
}

void brQueryTree_Forget(brQueryTree* tree)
{
	atomic_store_explicit(&tree->state, queryNone, memory_order_relaxed);
	atomic_store_explicit(&tree->questions, 0, memory_order_relaxed);
}

brDBox3 brQueryBox(brDVec3 position, brQuat rotation, const brShape* shape)
{
	brMat3 axes = brMakeMat3FromQuat(rotation);
	brDVec3 x = axes.cx, y = axes.cy, z = axes.cz, half = brToDVec3(shape->half);
	brDVec3 middle = brDAdd(position, brQuat_Rotate(rotation, brToDVec3(shape->boxCenter)));
	brDVec3 reach = {fabs(x.x) * half.x + fabs(y.x) * half.y + fabs(z.x) * half.z,
					 fabs(x.y) * half.x + fabs(y.y) * half.y + fabs(z.y) * half.z,
					 fabs(x.z) * half.x + fabs(y.z) * half.y + fabs(z.z) * half.z};
	if (shape->kind == br_shapeSphere || shape->kind == br_shapeCapsule)
	{
		double r = shape->round, h = shape->halfLength;
		middle = position;
		reach = brMakeDVec3(fabs(z.x) * h + r, fabs(z.y) * h + r, fabs(z.z) * h + r);
	}
	return (brDBox3){brDSub(middle, reach), brDAdd(middle, reach)};
}

brBox3 brQueryTreeBox(brDVec3 position, brQuat rotation, const brShape* shape)
{
	brDBox3 box = brQueryBox(position, rotation, shape);
	double far = fmax(fabs(position.x), fmax(fabs(position.y), fabs(position.z)));
	double slack = BR_QUERY_SLACK * ((double)shape->radius + far); // more than the roundings to float
	brDVec3 grow = {slack, slack, slack};
	return (brBox3){brToVec3(brDSub(box.lower, grow)), brToVec3(brDAdd(box.upper, grow))};
}

typedef struct QueryBuild
{
	const brWorld* world;
	const int32_t* slots;
	brBox3* boxes;
} QueryBuild;

static void queryFillBoxes(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const QueryBuild* build = user;
	const brDynamics* dynamics = &build->world->dynamics;
	for (int32_t i = begin; i < end; ++i)
	{
		const brBody* body = &dynamics->bodies.data[build->slots[i]];
		build->boxes[i] = brQueryTreeBox(body->position, body->rotation, dynamics->shapes.data[body->shape].shape);
	}
}

// False without memory.
static bool queryBuild(const brWorld* world, brQueryTree* tree, brWorkers* workers)
{
	const brDynamics* dynamics = &world->dynamics;
	int32_t bodyCount = dynamics->bodies.count;
	tree->boxCount = tree->boundlessCount = 0;
	if (!brStageMemory_Ensure(&tree->boxes, &tree->allocator, bodyCount, sizeof(brBox3)) ||
		!brStageMemory_Ensure(&tree->slots, &tree->allocator, bodyCount, sizeof(int32_t)) ||
		!brStageMemory_Ensure(&tree->boundless, &tree->allocator, bodyCount, sizeof(int32_t)))
	{
		return false;
	}
	for (int32_t i = 0; i < bodyCount; ++i)
	{
		const brBody* body = &dynamics->bodies.data[i];
		if (!brBody_IsThere(body) || body->isSetAside)
		{
			continue;
		}
		bool isBoundless = dynamics->shapes.data[body->shape].shape->kind == br_shapeHalfSpace;
		int32_t* list = isBoundless ? tree->boundless.data : tree->slots.data;
		list[isBoundless ? tree->boundlessCount++ : tree->boxCount++] = i;
	}
	QueryBuild build = {world, tree->slots.data, tree->boxes.data};
	brParallelFor(workers, tree->boxCount, queryBoxBlock, queryFillBoxes, &build);
	brBoxSource source = {.count = tree->boxCount, .boxes = build.boxes};
	return brWideBvh_Build(&tree->bvh, workers, &source, NULL, 0, NULL) >= 0;
}

const brQueryTree* brWorld_QueryTree(const brWorld* world, int32_t questionCount, brWorkers* workers)
{
	brQueryTree* tree = world->queries;
	if (atomic_load_explicit(&tree->state, memory_order_acquire) == queryReady)
	{
		return tree;
	}
	if (world->dynamics.bodies.count < BR_QUERY_MIN_BODIES ||
		atomic_fetch_add_explicit(&tree->questions, questionCount, memory_order_relaxed) + questionCount <=
			tree->patience)
	{
		return NULL;
	}
	int32_t expected = queryNone;
	if (!atomic_compare_exchange_strong(&tree->state, &expected, queryClaimed))
	{
		return expected == queryReady ? tree : NULL;
	}
	if (!queryBuild(world, tree, workers))
	{
		return NULL; // and nobody tries again before the next change
	}
	atomic_store_explicit(&tree->state, queryReady, memory_order_release);
	return tree;
}
