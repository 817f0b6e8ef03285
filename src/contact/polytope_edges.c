// SPDX-License-Identifier: MIT

// Two hulls of 26 corners have five thousand pairs of edges, and nearly all of them say nothing. Those that could part the hulls by more than is
// known already, by a few places of the other (polytope_view.h), are tried eight at a time.

#include "contact/polytope_edges.h"

#include "base/lanes.h"

#define EDGE_LANES 8
#define EDGE_MOST (BR_HULL_MAX_VERTICES + BR_HULL_MAX_FACES) // by Euler's formula, and room for a whole last block

#define EDGE_ROUNDING 1e-5f // of the radius
#define EDGE_FLATNESS 4e-4f // the same: faces are flat to a ten thousandth of the diagonal of the box about the corners

// The edges of A that count: direction and the normals of both faces. Empty lanes are 0 and cross nothing.
typedef struct EdgeBlock
{
	brFloat8 edge[3], left[3], right[3];
} EdgeBlock;

typedef struct EdgeSet
{
	EdgeBlock blocks[EDGE_MOST / EDGE_LANES];
	int32_t numbers[EDGE_MOST];
	int32_t count;
} EdgeSet;

static brVec3 edgeNormal(const brShape* shape, int32_t face)
{
	brVec4 plane = brShape_Planes(shape)[face];
	return brMakeVec3(plane.x, plane.y, plane.z);
}

static void edgeChoose(const brPolytopeView* view, float least, EdgeSet* set)
{
	brViewFloor floor;
	brPolytopeView_SetFloor(view, least, &floor);
	const brShape* a = view->shape;
	const int32_t(*edges)[4] = brShape_Edges(a);
	const brVec3* vertices = brShape_Vertices(a);
	set->count = 0;
	for (int32_t i = 0; i < a->edgeCount; ++i)
	{
		if (!brViewFloor_EdgeCounts(&floor, edges[i]))
		{
			continue;
		}
		int32_t lane = set->count % EDGE_LANES;
		EdgeBlock* block = &set->blocks[set->count / EDGE_LANES];
		if (lane == 0)
		{
			*block = (EdgeBlock){0};
		}
		brVec3 left = edgeNormal(a, edges[i][2]), right = edgeNormal(a, edges[i][3]);
		brVec3 along = brSub(vertices[edges[i][1]], vertices[edges[i][0]]);
		block->edge[0][lane] = along.x, block->edge[1][lane] = along.y, block->edge[2][lane] = along.z;
		block->left[0][lane] = left.x, block->left[1][lane] = left.y, block->left[2][lane] = left.z;
		block->right[0][lane] = right.x, block->right[1][lane] = right.y, block->right[2][lane] = right.z;
		set->numbers[set->count++] = i;
	}
}

#define BR_LANES_FILE "contact/edge_kernels.h"
#include "base/each_lanes.h"

// What a direction parts two polytopes by.
static float edgeGap(const brPolytopeView views[2], const brRelativePose* pose, brVec3 n)
{
	int32_t corner;
	brVec3 inB = brRelativePose_InvRotate(pose, n);
	float highest = -brPolytopeView_LowestCorner(&views[0], brMul(-1.0f, n), &corner);
	return brDot(n, pose->p) + brPolytopeView_LowestCorner(&views[1], inB, &corner) - highest;
}

// Two edges, each from a point on.
typedef struct EdgeTwo
{
	brVec3 edgeA, pointA, edgeB, pointB;
	int32_t a, b;
} EdgeTwo;

// The direction across both edges, if it parts the polytopes by more than the best so far. Between slivers, whose normals are mostly rounding, arcs may
// seem to cross that do not: so a direction has to prove what it promises.
static void edgeTry(const brPolytopeView views[2], const brRelativePose* pose, const EdgeTwo* two, float slack,
					const brVec3* kept, brEdgePair* best)
{
	brVec3 n = brCross(two->edgeA, two->edgeB);
	float lengthSq = brDot(n, n);
	if (lengthSq < 1e-4f * brDot(two->edgeA, two->edgeA) * brDot(two->edgeB, two->edgeB))
	{
		return; // parallel: faces answer
	}
	n = brMul(1.0f / sqrtf(lengthSq), n);
	if (brDot(n, two->pointA) < 0.0f)
	{
		n = brMul(-1.0f, n); // out of A, whose origin is inside
	}
	float s = brDot(n, brSub(two->pointB, two->pointA));
	if (s > best->separation && (kept == NULL || brDot(*kept, n) > 0.5f) && edgeGap(views, pose, n) > s - slack)
	{
		*best = (brEdgePair){s, n, two->a, two->b};
	}
}

// What heights over faces do not tell exactly: rounding, and that corners are below the plane of a face that was made of several.
static float edgeSlack(const brShape* shape)
{
	bool isJoined = shape->cornerCount > 3 * shape->faceCount;
	return (isJoined ? EDGE_ROUNDING + EDGE_FLATNESS : EDGE_ROUNDING) * shape->radius;
}

brEdgePair brFindEdgePair(const brPolytopeView views[2], const brRelativePose* pose, float floor, const brVec3* kept,
						  float enough)
{
	const brShape *a = views[0].shape, *b = views[1].shape;
	brEdgePair best = {floor, {0.0f, 0.0f, 1.0f}, -1, -1};
	float slack = edgeSlack(a) + edgeSlack(b) + EDGE_ROUNDING * brLength(pose->p);
	EdgeSet set;
	edgeChoose(&views[0], floor - slack, &set);
	const int32_t(*edgesA)[4] = brShape_Edges(a);
	const int32_t(*edgesB)[4] = brShape_Edges(b);
	const brVec3 *verticesA = brShape_Vertices(a), *verticesB = brShape_Vertices(b);
	brViewFloor floorB;
	brPolytopeView_SetFloor(&views[1], floor - slack, &floorB);
	const bool hasAvx2 = brCpu_Best() >= br_cpuAvx2;
	for (int32_t j = 0; j < b->edgeCount && set.count > 0; ++j)
	{
		if (!brViewFloor_EdgeCounts(&floorB, edgesB[j]))
		{
			continue;
		}
		brVec3 c = brMul(-1.0f, brRelativePose_Rotate(pose, edgeNormal(b, edgesB[j][2])));
		brVec3 d = brMul(-1.0f, brRelativePose_Rotate(pose, edgeNormal(b, edgesB[j][3])));
		brVec3 pointB = brRelativePose_Point(pose, verticesB[edgesB[j][0]]);
		brVec3 edgeB = brSub(brRelativePose_Point(pose, verticesB[edgesB[j][1]]), pointB);
		for (int32_t k = 0; k < set.count; k += EDGE_LANES)
		{
			uint32_t bits = BR_ON_LANES(hasAvx2, edgeCrosses, (&set.blocks[k / EDGE_LANES], c, d, edgeB));
			for (; bits != 0; bits &= bits - 1)
			{
				int32_t i = set.numbers[k + __builtin_ctz(bits)];
				brVec3 pointA = verticesA[edgesA[i][0]];
				EdgeTwo two = {brSub(verticesA[edgesA[i][1]], pointA), pointA, edgeB, pointB, i, j};
				edgeTry(views, pose, &two, slack, kept, &best);
				if (best.a >= 0 && best.separation > enough)
				{
					return best;
				}
			}
		}
	}
	return best;
}
