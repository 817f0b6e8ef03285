// SPDX-License-Identifier: MIT

// Sides of edges are told by the volume that an edge spans with the ray (Plucker coordinates about its origin): two
// triangles that share an edge find the same volume with the other sign. What rounding may do to it counts as inside,
// so no ray slips between triangles, at their corners neither. A triangle that is seen edge on, so that rounding could
// turn it over, is not met: its neighbors are. All numbers are floats and no sum runs over lanes: the same picture on
// every machine.

#include "scene/render_rays.h"

#include "index/box_tree.h"
#include "index/compact_order.h"

// What rounding may do to a volume, by the largest coordinate and the largest side of the triangle: some ten roundings.
#define RAY_SLACK 0x1p-20f

// Eight triangles: coordinates [corner][axis] side by side.
typedef struct RayCorners
{
	brFloat8 corners[3][3];
} RayCorners;

typedef struct RayGroup
{
	brFloat8 corners[3][3];
	int32_t triangles[8];
} RayGroup;

struct brRayTree
{
	brAllocator allocator;
	int32_t triangleCount;
	int32_t groupCount;
	bool hasAvx2; // which copy of the walks to run; both give the same bits
	brBoxTree boxes;
	brTreeBoxes* boxBlock; // [boxes.groupTotal]
	RayGroup* groups;      // [groupCount]
	RayCorners* moves;     // [groupCount] from time 0 to 1; null: nothing moves
};

typedef struct RayWalk
{
	float origin[3], direction[3], inverse[3];
	float from, to, time;
} RayWalk;

typedef struct RayFound
{
	float distance, u, v;
	int32_t group, lane;
} RayFound;

#define BR_LANES_FILE "scene/render_rays_lanes.h"
#include "base/each_lanes.h"

static brVec3 rayVertex(float (*vertices)[3], uint32_t index)
{
	return brMakeVec3(vertices[index][0], vertices[index][1], vertices[index][2]);
}

static void raySetLane(brFloat8 to[3], int32_t lane, brVec3 value)
{
	to[0][lane] = value.x, to[1][lane] = value.y, to[2][lane] = value.z;
}

// Groups in compact order, and the boxes around them. The last group is filled up by its last triangle.
static void rayFill(brRayTree* tree, float (*vertices)[3], float (*later)[3], uint32_t (*triangles)[3],
					const uint64_t* keys, brBox3* things)
{
	float reach = 0.0f;
	for (int32_t i = 0; i < BR_TREE_ARITY * tree->groupCount; ++i)
	{
		int32_t group = i / BR_TREE_ARITY, lane = i % BR_TREE_ARITY;
		int32_t triangle = brCompactOrder_At(keys, i < tree->triangleCount ? i : tree->triangleCount - 1);
		brBox3 box = lane == 0 ? brMakeBox3Empty() : things[group];
		tree->groups[group].triangles[lane] = triangle;
		for (int k = 0; k < 3; ++k)
		{
			brVec3 p = rayVertex(vertices, triangles[triangle][k]);
			raySetLane(tree->groups[group].corners[k], lane, p);
			box.lower = brMin(box.lower, p), box.upper = brMax(box.upper, p);
			if (later != NULL)
			{
				brVec3 q = rayVertex(later, triangles[triangle][k]);
				raySetLane(tree->moves[group].corners[k], lane, brSub(q, p));
				box.lower = brMin(box.lower, q), box.upper = brMax(box.upper, q);
			}
		}
		things[group] = box;
		brVec3 far = brMax(brSub(brMakeVec3(0.0f, 0.0f, 0.0f), box.lower), box.upper);
		reach = fmaxf(reach, fmaxf(far.x, fmaxf(far.y, far.z)));
	}
	brBoxTree_Fill(&tree->boxes, tree->boxBlock, things, tree->groupCount, 0x1p-21f * reach);
}

brRayTree* brMakeRayTree(const brAllocator* allocator, float (*vertices)[3], float (*later)[3],
						 uint32_t (*triangles)[3], int32_t triangleCount)
{
	brRayTree* tree = BR_ALLOC_ZERO(allocator, brRayTree, 1);
	if (tree == NULL)
	{
		return NULL;
	}
	tree->allocator = *allocator;
	tree->hasAvx2 = brCpu_Best() >= br_cpuAvx2;
	tree->triangleCount = triangleCount;
	tree->groupCount = (triangleCount + BR_TREE_ARITY - 1) / BR_TREE_ARITY;
	if (triangleCount == 0)
	{
		return tree;
	}
	tree->boxes = brMakeBoxTree(tree->groupCount);
	tree->boxBlock = BR_ALLOC(allocator, brTreeBoxes, tree->boxes.groupTotal);
	tree->groups = BR_ALLOC(allocator, RayGroup, tree->groupCount);
	tree->moves = later != NULL ? BR_ALLOC(allocator, RayCorners, tree->groupCount) : NULL;
	brVec3* centers = BR_ALLOC(allocator, brVec3, triangleCount);
	uint64_t* keys = BR_ALLOC(allocator, uint64_t, triangleCount);
	brBox3* things = BR_ALLOC(allocator, brBox3, tree->groupCount);
	bool isComplete = tree->boxBlock != NULL && tree->groups != NULL && (later == NULL || tree->moves != NULL) &&
					  centers != NULL && keys != NULL && things != NULL;
	for (int32_t i = 0; isComplete && i < triangleCount; ++i)
	{
		brVec3 a = rayVertex(vertices, triangles[i][0]), b = rayVertex(vertices, triangles[i][1]);
		brVec3 c = rayVertex(vertices, triangles[i][2]);
		centers[i] = brAdd(brMin(a, brMin(b, c)), brMax(a, brMax(b, c))); // twice the middle of the box
	}
	if (isComplete)
	{
		brMakeCompactOrder(centers, keys, triangleCount);
		rayFill(tree, vertices, later, triangles, keys, things);
	}
	BR_FREE(allocator, centers, triangleCount);
	BR_FREE(allocator, keys, triangleCount);
	BR_FREE(allocator, things, tree->groupCount);
	if (!isComplete)
	{
		brRayTree_Destroy(tree);
		return NULL;
	}
	return tree;
}

void brRayTree_Destroy(brRayTree* tree)
{
	if (tree != NULL)
	{
		brAllocator allocator = tree->allocator;
		BR_FREE(&allocator, tree->boxBlock, tree->boxes.groupTotal);
		BR_FREE(&allocator, tree->groups, tree->groupCount);
		BR_FREE(&allocator, tree->moves, tree->groupCount);
		BR_FREE(&allocator, tree, 1);
	}
}

static RayWalk rayStart(const brRenderRay* ray)
{
	const float least = 1e-20f; // a ray that goes less along an axis stays in its slab
	RayWalk walk = {{ray->origin.x, ray->origin.y, ray->origin.z},
					{ray->direction.x, ray->direction.y, ray->direction.z},
					{0.0f, 0.0f, 0.0f},
					ray->from,
					ray->to,
					ray->time};
	brFloat4 ways = {1.0f, 1.0f, 1.0f, 1.0f};
	for (int k = 0; k < 3; ++k)
	{
		ways[k] = fabsf(walk.direction[k]) > least ? walk.direction[k] : copysignf(least, walk.direction[k]);
	}
	ways = 1.0f / ways;
	walk.inverse[0] = ways[0], walk.inverse[1] = ways[1], walk.inverse[2] = ways[2];
	return walk;
}

bool brRayTree_Hit(const brRayTree* tree, const brRenderRay* ray, brRenderHit* outHit)
{
	RayWalk walk = rayStart(ray);
	RayFound found;
	if (tree->triangleCount == 0 || !BR_ON_LANES(tree->hasAvx2, rayNearest, (tree, &walk, &found)))
	{
		return false;
	}
	brVec3 corners[3];
	const RayGroup* group = &tree->groups[found.group];
	for (int i = 0; i < 3; ++i)
	{
		corners[i] = brMakeVec3(group->corners[i][0][found.lane], group->corners[i][1][found.lane],
								group->corners[i][2][found.lane]);
		if (tree->moves != NULL)
		{
			const brFloat8* move = tree->moves[found.group].corners[i];
			corners[i] = brMulAdd(corners[i], ray->time,
								  brMakeVec3(move[0][found.lane], move[1][found.lane], move[2][found.lane]));
		}
	}
	*outHit = (brRenderHit){
		.distance = found.distance,
		.triangle = group->triangles[found.lane],
		.u = found.u,
		.v = found.v,
		.normal = brNormalize(brCross(brSub(corners[1], corners[0]), brSub(corners[2], corners[0]))),
	};
	return true;
}

bool brRayTree_Blocks(const brRayTree* tree, const brRenderRay* ray)
{
	RayWalk walk = rayStart(ray);
	return tree->triangleCount > 0 && BR_ON_LANES(tree->hasAvx2, rayAny, (tree, &walk));
}
