// SPDX-License-Identifier: MIT

#include "contact/swept_hulls.h"

#include "contact/solid.h"

// Planes that are tried. Bodies that are apart by more than a little need two to six.
#define PARTED_MOST 12

// Reach of a block of points along two directions: the best so far of each lane and the block it came from.
typedef struct PartedReach
{
	brFloat8 values[2];
	brInt8 blocks[2];
} PartedReach;

#define BR_LANES_FILE "contact/swept_kernels.h"
#include "base/each_lanes.h"

// The points of a solid that reach farthest along two directions. Lanes beyond the last point are no points, so the
// last block is looked at one by one.
static void partedSolidReach(const brSolid* solid, const brVec3 n[2], brVec3 outPoints[2])
{
	PartedReach reach;
	for (int32_t lane = 0; lane < BR_TRIANGLE_LANES; ++lane)
	{
		for (int k = 0; k < 2; ++k)
		{
			reach.values[k][lane] = -INFINITY, reach.blocks[k][lane] = -1;
		}
	}
	int32_t full = solid->pointCount / BR_TRIANGLE_LANES;
	BR_ON_LANES(solid->hasAvx2, partedReach, (solid, n, full, &reach));
	for (int k = 0; k < 2; ++k)
	{
		float best = -INFINITY;
		int32_t point = 0;
		for (int32_t lane = 0; lane < BR_TRIANGLE_LANES; ++lane)
		{
			if (reach.values[k][lane] > best)
			{
				best = reach.values[k][lane], point = BR_TRIANGLE_LANES * reach.blocks[k][lane] + lane;
			}
		}
		for (int32_t i = BR_TRIANGLE_LANES * full; i < solid->pointCount; ++i)
		{
			float value = brDot(solid->points[i].place, n[k]);
			if (value > best)
			{
				best = value, point = i;
			}
		}
		outPoints[k] = solid->points[point].place;
	}
}

// The point of a shape that reaches farthest along a direction in its axes; of round ones that of their bones.
static brVec3 partedPoint(const brShape* shape, brVec3 n)
{
	if (shape->kind == br_shapeCapsule)
	{
		return brMakeVec3(0.0f, 0.0f, n.z < 0.0f ? -shape->halfLength : shape->halfLength);
	}
	const brVec3* vertices = brShape_Vertices(shape);
	int32_t best = 0;
	float most = -INFINITY;
	for (int32_t i = 0; i < shape->vertexCount; ++i)
	{
		float along = brDot(vertices[i], n);
		best = along > most ? i : best;
		most = along > most ? along : most;
	}
	return shape->kind == br_shapeSphere ? brMakeVec3(0.0f, 0.0f, 0.0f) : vertices[best];
}

typedef struct PartedWay
{
	const brHullWay* way;
	bool isConcave;
	brSolid solid; // if it is
} PartedWay;

// What of a whole way reaches farthest along a direction.
static brVec3 partedWay(const PartedWay* swept, brVec3 n)
{
	const brHullWay* way = swept->way;
	brVec3 own[2] = {brRelativePose_InvRotate(&way->from, n), brRelativePose_InvRotate(&way->to, n)}, points[2];
	if (swept->isConcave)
	{
		partedSolidReach(&swept->solid, own, points);
	}
	else
	{
		points[0] = partedPoint(way->shape, own[0]), points[1] = partedPoint(way->shape, own[1]);
	}
	brVec3 from = brRelativePose_Point(&way->from, points[0]), to = brRelativePose_Point(&way->to, points[1]);
	return brDot(from, n) > brDot(to, n) ? from : to;
}

// Up to four points of the difference b - a.
typedef struct PartedSimplex
{
	brDVec3 points[4];
	int32_t count;
} PartedSimplex;

// Where the flat through `last` and up to three sides from it is nearest to the origin, as shares of the sides. False
// if that is not within the simplex, or the simplex is flat.
static bool partedShares(brDVec3 last, const brDVec3* sides, int32_t count, double shares[3])
{
	if (count == 1)
	{
		double square = brDLengthSq(sides[0]);
		shares[0] = -brDDot(last, sides[0]) / square;
	}
	else if (count == 2)
	{
		double aa = brDLengthSq(sides[0]), bb = brDLengthSq(sides[1]), ab = brDDot(sides[0], sides[1]);
		double a = -brDDot(last, sides[0]), b = -brDDot(last, sides[1]), det = aa * bb - ab * ab;
		shares[0] = (a * bb - b * ab) / det, shares[1] = (b * aa - a * ab) / det;
	}
	else
	{
		brDVec3 to = brDMul(-1.0, last);
		double det = brDDot(sides[0], brDCross(sides[1], sides[2]));
		shares[0] = brDDot(to, brDCross(sides[1], sides[2])) / det;
		shares[1] = brDDot(sides[0], brDCross(to, sides[2])) / det;
		shares[2] = brDDot(sides[0], brDCross(sides[1], to)) / det;
	}
	double sum = 0.0;
	bool isInside = true;
	for (int32_t i = 0; i < count; ++i)
	{
		isInside = isInside && shares[i] >= 0.0;
		sum += shares[i];
	}
	return isInside && sum <= 1.0;
}

// The point of the simplex nearest to the origin; only the points that hold it are kept. The last point always does.
static brDVec3 partedNearest(PartedSimplex* simplex)
{
	int32_t others = simplex->count - 1;
	brDVec3 last = simplex->points[others], best = last;
	uint32_t bestMask = 0;
	for (uint32_t mask = 1; mask < 1u << others; ++mask)
	{
		brDVec3 sides[3], at = last;
		double shares[3];
		int32_t count = 0;
		for (int32_t i = 0; i < others; ++i)
		{
			if (mask >> i & 1)
			{
				sides[count++] = brDSub(simplex->points[i], last);
			}
		}
		if (!partedShares(last, sides, count, shares))
		{
			continue;
		}
		for (int32_t i = 0; i < count; ++i)
		{
			at = brDMulAdd(at, shares[i], sides[i]);
		}
		if (brDLengthSq(at) < brDLengthSq(best))
		{
			best = at, bestMask = mask;
		}
	}
	int32_t kept = 0;
	for (int32_t i = 0; i < others; ++i)
	{
		if (bestMask >> i & 1)
		{
			simplex->points[kept++] = simplex->points[i];
		}
	}
	simplex->points[kept++] = last;
	simplex->count = kept;
	return best;
}

bool brAreWaysParted(const brHullWay* a, const brHullWay* b, float gap, brVec3* direction)
{
	double wanted = (double)(gap + a->sag + b->sag + a->shape->round + b->shape->round);
	brDVec3 v = brToDVec3(*direction);
	if (!(brDLengthSq(v) > 0.0))
	{
		v = brToDVec3(brSub(brAdd(b->from.p, b->to.p), brAdd(a->from.p, a->to.p)));
	}
	PartedWay ways[2];
	for (int k = 0; k < 2; ++k)
	{
		ways[k].way = k == 0 ? a : b;
		ways[k].isConcave = brShapeKind_IsConcave(ways[k].way->shape->kind);
		if (ways[k].isConcave)
		{
			ways[k].solid = brMakeSolid(ways[k].way->shape);
		}
	}
	PartedSimplex simplex = {.count = 0};
	for (int32_t i = 0; i < PARTED_MOST; ++i)
	{
		double length = brDLength(v);
		// Once v is a point of the difference nothing is farther apart than it is long.
		if (!(length > (i > 0 ? wanted : 0.0)))
		{
			return false;
		}
		brVec3 n = brToVec3(brDMul(1.0 / length, v));
		brDVec3 w = brToDVec3(brSub(partedWay(&ways[1], brMul(-1.0f, n)), partedWay(&ways[0], n)));
		if (brDDot(w, brToDVec3(n)) > wanted)
		{
			*direction = n;
			return true;
		}
		for (int32_t k = 0; k < simplex.count; ++k)
		{
			if (brDLengthSq(brDSub(simplex.points[k], w)) == 0.0)
			{
				return false; // no plane is better
			}
		}
		simplex.points[simplex.count++] = w;
		v = partedNearest(&simplex);
		if (simplex.count == 4)
		{
			return false; // the origin is inside
		}
	}
	return false;
}
