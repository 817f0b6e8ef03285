// SPDX-License-Identifier: MIT

// Two hulls of 26 corners have five thousand pairs of edges, and nearly all of them say nothing. Those that could part
// the hulls by more than is known already, by a few places of the other (polytope_view.h), are tried eight at a time.

#include "contact/polytope_edges.h"

#include "base/lanes.h"

#define EDGE_LANES 8

#define EDGE_ROUNDING 1e-5f // of the radius
#define EDGE_FLATNESS 4e-4f // the same: faces are flat to a ten thousandth of the diagonal of the box about the corners

// The edges of A that count: the first corner, the way to the second, and the normals of both faces. Empty lanes are 0
// and cross nothing.
typedef struct EdgeBlock
{
	brFloat8 corner[3], edge[3], left[3], right[3];
} EdgeBlock;

// An edge of B in A's axes: likewise, with the normals into B.
typedef struct EdgeOne
{
	brVec3 corner, edge, left, right;
} EdgeOne;

// What directions across it and eight edges part the two by.
typedef struct EdgeGaps
{
	brFloat8 normal[3], separation;
} EdgeGaps;

typedef struct EdgeSet
{
	EdgeBlock blocks[BR_VIEW_EDGES / EDGE_LANES];
	int32_t numbers[BR_VIEW_EDGES];
	int32_t count;
} EdgeSet;

#define EDGE_PUT(lanes, lane, v) ((lanes)[0][lane] = (v).x, (lanes)[1][lane] = (v).y, (lanes)[2][lane] = (v).z)

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
	set->count = brViewFloor_FindEdges(&floor, set->numbers);
	for (int32_t i = 0; i < set->count; ++i)
	{
		const int32_t* edge = edges[set->numbers[i]];
		int32_t lane = i % EDGE_LANES;
		EdgeBlock* block = &set->blocks[i / EDGE_LANES];
		if (lane == 0)
		{
			*block = (EdgeBlock){0};
		}
		EDGE_PUT(block->corner, lane, vertices[edge[0]]);
		EDGE_PUT(block->edge, lane, brSub(vertices[edge[1]], vertices[edge[0]]));
		EDGE_PUT(block->left, lane, edgeNormal(a, edge[2]));
		EDGE_PUT(block->right, lane, edgeNormal(a, edge[3]));
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

// Two polytopes while their edges are searched.
typedef struct EdgeSearch
{
	const brPolytopeView* views; // two
	const brRelativePose* pose;
	const brVec3* kept;
	float slack, enough;
	EdgeSet set; // of A
	brEdgePair best;
} EdgeSearch;

static bool edgeIsDone(const EdgeSearch* search)
{
	return search->best.a >= 0 && search->best.separation > search->enough;
}

// Directions across edge j of B and those of a block that cross it, named by bits, that part the polytopes by more than
// the best so far. Between slivers, whose normals are mostly rounding, arcs may seem to cross that do not: so a
// direction has to prove what it promises.
static void edgeTry(EdgeSearch* search, const EdgeGaps* gaps, uint32_t bits, int32_t first, int32_t j)
{
	for (; bits != 0 && !edgeIsDone(search); bits &= bits - 1)
	{
		int32_t lane = __builtin_ctz(bits);
		brVec3 n = {gaps->normal[0][lane], gaps->normal[1][lane], gaps->normal[2][lane]};
		float s = gaps->separation[lane];
		if (s > search->best.separation && (search->kept == NULL || brDot(*search->kept, n) > 0.5f) &&
			edgeGap(search->views, search->pose, n) > s - search->slack)
		{
			search->best = (brEdgePair){s, n, search->set.numbers[first + lane], j};
		}
	}
}

// What heights over faces do not tell exactly: rounding, and that corners are below the plane of a face that was made
// of several.
static float edgeSlack(const brShape* shape)
{
	bool isJoined = shape->cornerCount > 3 * shape->faceCount;
	return (isJoined ? EDGE_ROUNDING + EDGE_FLATNESS : EDGE_ROUNDING) * shape->radius;
}

brEdgePair brFindEdgePair(const brPolytopeView views[2], const brRelativePose* pose, float floor, const brVec3* kept,
						  float enough)
{
	const brShape *a = views[0].shape, *b = views[1].shape;
	EdgeSearch search;
	search.views = views, search.pose = pose, search.kept = kept, search.enough = enough;
	search.best = (brEdgePair){floor, {0.0f, 0.0f, 1.0f}, -1, -1};
	search.slack = edgeSlack(a) + edgeSlack(b) + EDGE_ROUNDING * brLength(pose->p);
	edgeChoose(&views[0], floor - search.slack, &search.set);
	if (search.set.count == 0)
	{
		return search.best;
	}
	brViewFloor floorB;
	brPolytopeView_SetFloor(&views[1], floor - search.slack, &floorB);
	int32_t numbers[BR_VIEW_EDGES], count = brViewFloor_FindEdges(&floorB, numbers);
	const int32_t(*edges)[4] = brShape_Edges(b);
	const brVec3* vertices = brShape_Vertices(b);
	const bool hasAvx2 = brCpu_Best() >= br_cpuAvx2;
	for (int32_t i = 0; i < count && !edgeIsDone(&search); ++i)
	{
		const int32_t* edge = edges[numbers[i]];
		EdgeOne one = {.left = brMul(-1.0f, brRelativePose_Rotate(pose, edgeNormal(b, edge[2]))),
					   .right = brMul(-1.0f, brRelativePose_Rotate(pose, edgeNormal(b, edge[3]))),
					   .corner = brRelativePose_Point(pose, vertices[edge[0]])};
		one.edge = brSub(brRelativePose_Point(pose, vertices[edge[1]]), one.corner);
		for (int32_t k = 0; k < search.set.count; k += EDGE_LANES)
		{
			const EdgeBlock* block = &search.set.blocks[k / EDGE_LANES];
			EdgeGaps gaps;
			uint32_t bits = BR_ON_LANES(hasAvx2, edgeCrosses, (block, &one, search.best.separation, &gaps));
			edgeTry(&search, &gaps, bits, k, numbers[i]);
		}
	}
	return search.best;
}
