// SPDX-License-Identifier: MIT

// The distance of two tetrahedra as that of the origin and their difference, the hull of the sixteen points a_i - b_j.
// Depths, by expanding polytopes, are in tet_epa_lanes.h.
//
// The points are brought to size 1 by a power of two first, so nothing depends on the unit: a version with fixed
// tolerances loses pairs as soon as tets are small. The nearest point of a simplex is found by trying all its parts,
// which has no special cases to get wrong. Compiles as OpenCL C too.

#include "narrow/tet_pair.h"

#include <string.h>

enum
{
	gjkPoints = 16,
	gjkMostSteps = 64,
};

#define GJK_RELATIVE 0x1p-44 // of the square of a distance, beyond which a step is no progress
#define GJK_TOUCHING 0x1p-44 // distance that counts as 0, points being of size 1

typedef struct GjkDifference
{
	brDVec3 points[gjkPoints];
	double scale; // by which they were multiplied
} GjkDifference;

static GjkDifference gjkMake(const brDVec3 a[4], const brDVec3 b[4])
{
	GjkDifference difference;
	double size = 0.0;
	for (int i = 0; i < gjkPoints; ++i)
	{
		brDVec3 p = brDSub(a[i / 4], b[i % 4]);
		difference.points[i] = p;
		size = fmax(size, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
	}
	int exponent = 0;
	frexp(size, &exponent);
	difference.scale = size > 0.0 ? ldexp(1.0, -exponent) : 1.0;
	for (int i = 0; i < gjkPoints; ++i)
	{
		difference.points[i] = brDMul(difference.scale, difference.points[i]);
	}
	return difference;
}

// The point farthest against a direction.
static int gjkSupport(const GjkDifference* difference, brDVec3 direction)
{
	int best = 0;
	for (int i = 1; i < gjkPoints; ++i)
	{
		best = brDDot(direction, difference->points[i]) < brDDot(direction, difference->points[best]) ? i : best;
	}
	return best;
}

// The point of the flat through `count` points that is nearest to the origin, if it is in their simplex.
static bool gjkNearestInside(const brDVec3* points, int count, brDVec3* outNearest)
{
	brDVec3 o = points[0];
	if (count == 1)
	{
		*outNearest = o;
		return true;
	}
	brDVec3 e = brDSub(points[1], o);
	double ee = brDLengthSq(e), eo = brDDot(e, o);
	if (count == 2)
	{
		double s = -eo / ee;
		*outNearest = brDMulAdd(o, s, e);
		return ee > 0.0 && s >= 0.0 && s <= 1.0;
	}
	brDVec3 f = brDSub(points[2], o);
	if (count == 3)
	{
		// Along the normal: better than the two by two system when the triangle is thin.
		brDVec3 n = brDCross(e, f);
		double nn = brDLengthSq(n);
		double s = brDDot(n, brDCross(f, o)), t = brDDot(n, brDCross(o, e));
		*outNearest = brDMul(brDDot(n, o) / nn, n);
		return nn > 0.0 && s >= 0.0 && t >= 0.0 && s + t <= nn;
	}
	brDVec3 g = brDSub(points[3], o);
	double volume = brDDot(e, brDCross(f, g)), turn = volume < 0.0 ? -1.0 : 1.0;
	double s = -turn * brDDot(o, brDCross(f, g)), t = -turn * brDDot(o, brDCross(g, e));
	double r = -turn * brDDot(o, brDCross(e, f));
	*outNearest = brMakeDVec3(0.0, 0.0, 0.0);
	return volume != 0.0 && s >= 0.0 && t >= 0.0 && r >= 0.0 && s + t + r <= turn * volume;
}

// Reduces a simplex to the part that is nearest to the origin.
static brDVec3 gjkReduce(brDVec3 simplex[4], int* count)
{
	brDVec3 best = simplex[0], bestPart[4] = {simplex[0]};
	double bestSq = INFINITY;
	int bestCount = 1;
	for (int mask = 1; mask < 1 << *count; ++mask)
	{
		brDVec3 part[4] = {simplex[0]}, nearest = simplex[0];
		int partCount = 0;
		for (int i = 0; i < *count; ++i)
		{
			if ((mask >> i & 1) != 0)
			{
				part[partCount++] = simplex[i];
			}
		}
		if (gjkNearestInside(part, partCount, &nearest) && brDLengthSq(nearest) < bestSq)
		{
			bestSq = brDLengthSq(nearest);
			best = nearest;
			bestCount = partCount;
			memcpy(bestPart, part, sizeof(part));
		}
	}
	memcpy(simplex, bestPart, sizeof(bestPart));
	*count = bestCount;
	return best;
}

static double gjkDistance(const GjkDifference* difference)
{
	brDVec3 simplex[4] = {difference->points[0]}, nearest = simplex[0];
	int count = 1;
	for (int step = 0; step < gjkMostSteps; ++step)
	{
		double lengthSq = brDLengthSq(nearest);
		if (count == 4 || lengthSq <= GJK_TOUCHING * GJK_TOUCHING)
		{
			return 0.0;
		}
		brDVec3 next = difference->points[gjkSupport(difference, nearest)];
		if (!(lengthSq - brDDot(nearest, next) > GJK_RELATIVE * lengthSq))
		{
			break;
		}
		simplex[count++] = next;
		brDVec3 reduced = gjkReduce(simplex, &count);
		if (!(brDLengthSq(reduced) < lengthSq))
		{
			break; // rounding: no step gets nearer
		}
		nearest = reduced;
	}
	return sqrt(brDLengthSq(nearest));
}

double brTetPair_Gjk(const brDVec3 a[4], const brDVec3 b[4])
{
	GjkDifference difference = gjkMake(a, b);
	return gjkDistance(&difference) / difference.scale;
}
