// SPDX-License-Identifier: MIT
#pragma once

// The inner loops of the trees, one set for each width of vector the processor may have: 16, 8 or 4 boxes at a time.
// All sets give the same bits. Nothing here allocates, except the pair buffer, which grows.

#include "brittle/math.h"

#include "base/memory.h"
#include "brittle/collide.h"

#define BR_WIDE_ARITY 16

/// Before a short loop of fixed length whose arrays should become registers.
#if defined(__clang__)
#define BR_UNROLL _Pragma("unroll")
#elif defined(__OPTIMIZE__)
#define BR_UNROLL _Pragma("GCC unroll 16")
#else
#define BR_UNROLL // gcc -O0 warns that it does nothing
#endif

/// A box with its upper corner negated: the union of two is one minimum, and nothing is (+inf, +inf).
typedef struct brTreeBox
{
	_Alignas(32) float lower[4]; // the fourth is 0
	float negUpper[4];
} brTreeBox;

/// Sixteen boxes side by side. Lanes without a box have lower = +inf and upper = -inf and overlap nothing.
typedef struct brLaneBoxes
{
	_Alignas(64) float lower[3][BR_WIDE_ARITY];
	float upper[3][BR_WIDE_ARITY];
} brLaneBoxes;

static inline brTreeBox brMakeTreeBox(brBox3 box)
{
	return (brTreeBox){{box.lower.x, box.lower.y, box.lower.z, 0.0f}, {-box.upper.x, -box.upper.y, -box.upper.z, 0.0f}};
}

static inline brTreeBox brMakeTreeBoxEmpty(void)
{
	return (brTreeBox){{INFINITY, INFINITY, INFINITY, 0.0f}, {INFINITY, INFINITY, INFINITY, 0.0f}};
}

static inline brBox3 brTreeBox_Box(const brTreeBox* box)
{
	return (brBox3){{box->lower[0], box->lower[1], box->lower[2]},
					{-box->negUpper[0], -box->negUpper[1], -box->negUpper[2]}};
}

static inline brTreeBox brTreeBox_Union(const brTreeBox* a, const brTreeBox* b)
{
	brTreeBox box;
	for (int k = 0; k < 4; ++k)
	{
		box.lower[k] = a->lower[k] < b->lower[k] ? a->lower[k] : b->lower[k];
		box.negUpper[k] = a->negUpper[k] < b->negUpper[k] ? a->negUpper[k] : b->negUpper[k];
	}
	return box;
}

/// The grid that curve codes count in: cell = (center - origin) * scale, 10 bits an axis.
typedef struct brCurveGrid
{
	float origin[4];
	float scale[4];
} brCurveGrid;

#define BR_CURVE_AXIS_BITS 10
#define BR_CURVE_DIGIT_BITS 10
#define BR_CURVE_DIGITS (1 << BR_CURVE_DIGIT_BITS)
#define BR_CURVE_PASSES 3

/// Digit counts of the codes of one run of primitives.
typedef struct brCurveCounts
{
	uint32_t digits[BR_CURVE_PASSES][BR_CURVE_DIGITS];
} brCurveCounts;

/// Sixteen triangles side by side, in floats about a corner of the first, for telling quickly that two are apart.
typedef struct brLaneTriangles
{
	_Alignas(64) float corner[3][3][BR_WIDE_ARITY]; // corner, axis
	float plane[4][BR_WIDE_ARITY];                  // normal, not of unit length, and its offset
	float size[BR_WIDE_ARITY];                      // longest side of the box, rounded up
	int32_t vertex[3][BR_WIDE_ARITY];               // for telling neighbors, as brTrianglePack_Name gives them
	float center[3];                                // where the corners are counted from
	float extent;                                   // largest coordinate of a corner
	float padding[12];
} brLaneTriangles;

/// Where triangles come from and how they are brought to size 1: (position - center) * scale.
typedef struct brTrianglePack
{
	const brDVec3* positions;
	const int32_t (*triangles)[3];
	brDVec3 center;
	double scale;           // a power of two
	const uint8_t* settled; // [vertices] or null: 1 where triangles that share the vertex are known not to meet
	bool isAllSettled;      // triangles that share a vertex never count
} brTrianglePack;

/// A vertex as packed triangles know it: its index, or for a settled one the complement, which is negative.
static inline int32_t brTrianglePack_Name(const brTrianglePack* pack, int32_t vertex)
{
	bool isSettled = pack->isAllSettled || (pack->settled != NULL && pack->settled[vertex] != 0);
	return isSettled ? ~vertex : vertex;
}

/// What counts as meeting for triangles that share a vertex, told by index.
typedef enum brNeighborRule
{
	br_neighborsSkip,   // nothing
	br_neighborsBeyond, // a common point outside what they share
	br_neighborsKeep,   // any common point: they always meet
} brNeighborRule;

/// Where pairs go. Pairs found are appended in a fixed order.
typedef struct brPairBuffer
{
	brAllocator allocator;
	brPair* pairs;
	int64_t count;
	int64_t capacity;
	bool isFull; // the allocator said no: what was found since is lost
} brPairBuffer;

/// Room for `extra` more pairs; false (and isFull) without memory.
bool brPairBuffer_Reserve(brPairBuffer* buffer, int64_t extra);
void brPairBuffer_Free(brPairBuffer* buffer);

/// One tree as queries see it: level 0 holds the groups of primitives, each level above one box per group below.
#define BR_WIDE_MAX_LEVELS 9
typedef struct brWideTree
{
	int32_t levelCount; // 2 at least, or 0 for a tree of nothing
	int32_t groupCount; // on level 0
	const brLaneBoxes* levels[BR_WIDE_MAX_LEVELS];
	const uint32_t* ids;              // [16 * groupCount] primitive of each lane of level 0
	const brLaneTriangles* triangles; // [groupCount] or null
} brWideTree;

/// Lists a query fills on its way down. `lists` hold as many as the tree has groups, and 16 more.
typedef struct brWideScratch
{
	int32_t* lists[2];
	int64_t tests;      // lane groups tested so far
	int64_t candidates; // overlapping boxes found so far
} brWideScratch;

typedef struct brWideQuery
{
	const brWideTree* queries;
	const brWideTree* target;
	bool isSelf;     // both are the same tree: each unordered pair once, none with itself
	bool isOrdered;  // smaller id first; else the query's first
	bool isFiltered; // for findTriangles, with rule and error
	brNeighborRule rule;
	float error; // of a rounded distance times area, see wide_filter.h
} brWideQuery;

typedef struct brWideKernels
{
	int32_t lanes;

	/// Smallest float box of each position, negated as above; `bounds` grows.
	void (*boxVertices)(const brDVec3* positions, int32_t count, brTreeBox* outBoxes, brTreeBox* bounds);

	/// Boxes of triangles from boxes of their corners.
	void (*boxTriangles)(const brTreeBox* vertexBoxes, const int32_t (*triangles)[3], int32_t count,
						 brTreeBox* outBoxes);

	/// Union of all; `bounds` grows.
	void (*boundBoxes)(const brTreeBox* boxes, int32_t count, brTreeBox* bounds);

	/// Codes of box centers, and their digits counted.
	void (*curveCodes)(const brTreeBox* boxes, int32_t count, const brCurveGrid* grid, uint32_t* outCodes,
					   brCurveCounts* counts);

	/// Puts boxes[order[i]] (or boxes[i] for a null `order`) side by side, 16 to a group, and makes each group's box.
	void (*packGroups)(const brTreeBox* boxes, const uint32_t* order, int32_t count, brLaneBoxes* outGroups,
					   brTreeBox* outGroupBoxes);

	/// Puts triangles ids[0...] side by side; `boxes` are their groups of boxes.
	void (*packTriangles)(const brTrianglePack* pack, const uint32_t* ids, int32_t count, const brLaneBoxes* boxes,
						  brLaneTriangles* outGroups);

	/// All overlapping pairs of primitives of the query's groups [begin, end) and the target, closed intervals.
	void (*findPairs)(const brWideQuery* query, int32_t begin, int32_t end, brWideScratch* scratch,
					  brPairBuffer* pairs);

	/// The same for trees with packed triangles, less pairs that are certainly apart by the query's rule and error.
	void (*findTriangles)(const brWideQuery* query, int32_t begin, int32_t end, brWideScratch* scratch,
						  brPairBuffer* pairs);
} brWideKernels;

/// The widest this processor runs, or the widest of at most `lanes` (8, 16; 0: no limit; fewer: registers of 16 bytes).
const brWideKernels* brGetWideKernels(int32_t lanes);

/// One group of triangles seen from another.
typedef struct brLaneSight
{
	float shift[3]; // from my center to theirs
	float slack;    // how far both reach in the frame of either, times the error of a query
} brLaneSight;

static inline brLaneSight brLaneTriangles_Sight(const brLaneTriangles* mine, const brLaneTriangles* others, float error)
{
	brLaneSight sight;
	float reach = 0.0f;
	for (int k = 0; k < 3; ++k)
	{
		sight.shift[k] = others->center[k] - mine->center[k];
		reach = fabsf(sight.shift[k]) > reach ? fabsf(sight.shift[k]) : reach;
	}
	sight.slack = error * (reach + mine->extent + others->extent);
	return sight;
}
