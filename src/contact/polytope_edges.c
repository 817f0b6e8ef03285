// SPDX-License-Identifier: MIT

// Two hulls of 26 corners have five thousand pairs of edges, and nearly all of them say nothing. Edges that look away from the other's middle part
// by less than the faces do already: with n between the normals of the edge's faces, n . x over the other is at least its inner radius less
// than at its middle, and the middle is no higher above the edge than above the nearer of the two faces. Those that are left are tried
// eight at a time.

#include "contact/polytope_edges.h"

#include "base/lanes.h"

#define EDGE_LANES 8
#define EDGE_MOST (BR_HULL_MAX_VERTICES + BR_HULL_MAX_FACES) // by Euler's formula, and room for a whole last block
#define EDGE_SLACK 1e-5f                                     // of the radius: rounding of the bound

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

// The largest ball about the origin that is inside.
static float edgeInner(const brShape* shape)
{
	const brVec4* planes = brShape_Planes(shape);
	float inner = INFINITY;
	for (int32_t f = 0; f < shape->faceCount; ++f)
	{
		inner = planes[f].w < inner ? planes[f].w : inner;
	}
	return inner > 0.0f ? inner : 0.0f;
}

// Can an edge between these faces part the shape from one with this middle and inner radius by more than `floor`? Everything in the shape's axes.
static bool edgeCounts(const brShape* shape, const int32_t* edge, brVec3 middle, float inner, float floor)
{
	const brVec4* planes = brShape_Planes(shape);
	float left = brDot(edgeNormal(shape, edge[2]), middle) - planes[edge[2]].w;
	float right = brDot(edgeNormal(shape, edge[3]), middle) - planes[edge[3]].w;
	float higher = left > right ? left : right;
	return higher > 0.0f || higher - inner > floor - EDGE_SLACK * shape->radius;
}

static void edgeChoose(const brShape* a, const brShape* b, brVec3 middle, float floor, EdgeSet* set)
{
	const int32_t(*edges)[4] = brShape_Edges(a);
	const brVec3* vertices = brShape_Vertices(a);
	float inner = edgeInner(b);
	set->count = 0;
	for (int32_t i = 0; i < a->edgeCount; ++i)
	{
		if (!edgeCounts(a, edges[i], middle, inner, floor))
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

static void edgeTry(brVec3 edgeA, brVec3 pointA, brVec3 edgeB, brVec3 pointB, int32_t indexA, int32_t indexB,
					const brVec3* kept, brEdgePair* best)
{
	brVec3 n = brCross(edgeA, edgeB);
	float lengthSq = brDot(n, n);
	if (lengthSq < 1e-4f * brDot(edgeA, edgeA) * brDot(edgeB, edgeB))
	{
		return; // parallel: faces answer
	}
	n = brMul(1.0f / sqrtf(lengthSq), n);
	if (brDot(n, pointA) < 0.0f)
	{
		n = brMul(-1.0f, n); // out of A, whose origin is inside
	}
	float s = brDot(n, brSub(pointB, pointA));
	if (s > best->separation && (kept == NULL || brDot(*kept, n) > 0.5f))
	{
		*best = (brEdgePair){s, n, indexA, indexB};
	}
}

brEdgePair brFindEdgePair(const brShape* a, const brShape* b, const brRelativePose* pose, float floor,
						  const brVec3* kept, float enough)
{
	brEdgePair best = {-INFINITY, {0.0f, 0.0f, 1.0f}, -1, -1};
	EdgeSet set;
	edgeChoose(a, b, pose->p, floor, &set);
	const int32_t(*edgesA)[4] = brShape_Edges(a);
	const int32_t(*edgesB)[4] = brShape_Edges(b);
	const brVec3 *verticesA = brShape_Vertices(a), *verticesB = brShape_Vertices(b);
	brVec3 middle = brRelativePose_InvRotate(pose, brMul(-1.0f, pose->p));
	float inner = edgeInner(a);
	const bool hasAvx2 = brCpu_Best() >= br_cpuAvx2;
	for (int32_t j = 0; j < b->edgeCount && set.count > 0; ++j)
	{
		if (!edgeCounts(b, edgesB[j], middle, inner, best.separation > floor ? best.separation : floor))
		{
			continue;
		}
		brVec3 c = brMul(-1.0f, brRelativePose_Rotate(pose, edgeNormal(b, edgesB[j][2])));
		brVec3 d = brMul(-1.0f, brRelativePose_Rotate(pose, edgeNormal(b, edgesB[j][3])));
		brVec3 pointB = brRelativePose_Point(pose, verticesB[edgesB[j][0]]);
		brVec3 edgeB = brSub(brRelativePose_Point(pose, verticesB[edgesB[j][1]]), pointB);
		for (int32_t k = 0; k < set.count; k += EDGE_LANES)
		{
			uint32_t bits = BR_ON_LANES(hasAvx2, edgeCrosses, &set.blocks[k / EDGE_LANES], c, d, edgeB);
			for (; bits != 0; bits &= bits - 1)
			{
				int32_t i = set.numbers[k + __builtin_ctz(bits)];
				brVec3 pointA = verticesA[edgesA[i][0]];
				edgeTry(brSub(verticesA[edgesA[i][1]], pointA), pointA, edgeB, pointB, i, j, kept, &best);
				if (best.separation > enough)
				{
					return best;
				}
			}
		}
	}
	return best;
}
