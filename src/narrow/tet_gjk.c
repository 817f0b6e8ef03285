// SPDX-License-Identifier: MIT

// Distance and depth of two tetrahedra as those of the origin and their difference, the hull of the sixteen points a_i
// - b_j.
//
// The points are brought to size 1 by a power of two first, so nothing depends on the unit: a version with fixed
// tolerances loses pairs as soon as tets are small. The nearest point of a simplex is found by trying all its parts,
// which has no special cases to get wrong. The polytope need not hold the origin when it starts: the face that the
// origin is farthest beyond, or nearest to, is pushed out until it cannot be.

#include "narrow/tet_pair.h"

#include <string.h>

enum
{
	gjkPoints = 16,
	gjkMostSteps = 64,
	epaMostFaces = 128,
};

static const double gjkRelative = 0x1p-44; // of the square of a distance, beyond which a step is no progress
static const double gjkTouching = 0x1p-44; // distance that counts as 0, points being of size 1

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
		if (count == 4 || lengthSq <= gjkTouching * gjkTouching)
		{
			return 0.0;
		}
		brDVec3 next = difference->points[gjkSupport(difference, nearest)];
		if (!(lengthSq - brDDot(nearest, next) > gjkRelative * lengthSq))
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

// The expanding polytope

typedef struct EpaFace
{
	int corners[3];
	brDVec3 normal; // outward, of length 1
	double offset;  // of its plane: how far inside the origin is
} EpaFace;

typedef struct Epa
{
	const brDVec3* points;
	brDVec3 inside;
	EpaFace faces[epaMostFaces];
	int count;
} Epa;

// Appends a face that turns away from the inside. A face without area is left out.
static bool epaAdd(Epa* epa, int i, int j, int k)
{
	brDVec3 p = epa->points[i];
	brDVec3 n = brDCross(brDSub(epa->points[j], p), brDSub(epa->points[k], p));
	double length = sqrt(brDLengthSq(n));
	if (!(length > 0.0) || epa->count == epaMostFaces)
	{
		return false;
	}
	n = brDMul(1.0 / length, n);
	bool isTurned = brDDot(n, brDSub(epa->inside, p)) > 0.0;
	n = isTurned ? brDMul(-1.0, n) : n;
	epa->faces[epa->count++] =
		(EpaFace){.corners = {i, isTurned ? k : j, isTurned ? j : k}, .normal = n, .offset = brDDot(n, p)};
	return true;
}

// Four points that span a volume: the farthest from the first, from their line, from their plane.
static bool epaStart(const GjkDifference* difference, Epa* epa)
{
	const brDVec3* p = difference->points;
	int corners[4] = {0, 0, 0, 0};
	double best[4] = {0.0, 0.0, 0.0, 0.0};
	brDVec3 normal = {0.0, 0.0, 0.0};
	for (int step = 1; step < 4; ++step)
	{
		brDVec3 e = brDSub(p[corners[1]], p[0]);
		normal = brDCross(e, brDSub(p[corners[2]], p[0]));
		for (int i = 1; i < gjkPoints; ++i)
		{
			brDVec3 d = brDSub(p[i], p[0]);
			double reach = step == 1   ? brDLengthSq(d)
						   : step == 2 ? brDLengthSq(brDCross(e, d))
									   : fabs(brDDot(normal, d));
			if (reach > best[step])
			{
				best[step] = reach;
				corners[step] = i;
			}
		}
	}
	// What is thinner than rounding has no inside.
	if (!(best[3] > gjkTouching * sqrt(best[2])))
	{
		return false;
	}
	epa->points = p;
	epa->count = 0;
	epa->inside = brDMul(0.25, brDAdd(brDAdd(p[corners[0]], p[corners[1]]), brDAdd(p[corners[2]], p[corners[3]])));
	for (int f = 0; f < 4; ++f)
	{
		epaAdd(epa, corners[(f + 1) % 4], corners[(f + 2) % 4], corners[(f + 3) % 4]);
	}
	return epa->count == 4;
}

// Replaces the faces that see a point by faces to it.
static bool epaExpand(Epa* epa, int point)
{
	int edges[3 * epaMostFaces][2], edgeCount = 0, kept = 0;
	for (int i = 0; i < epa->count; ++i)
	{
		EpaFace face = epa->faces[i];
		if (brDDot(face.normal, epa->points[point]) - face.offset <= 0.0)
		{
			epa->faces[kept++] = face;
			continue;
		}
		for (int k = 0; k < 3; ++k)
		{
			// An edge met from both sides is not on the rim.
			int from = face.corners[k], to = face.corners[(k + 1) % 3], at = 0;
			while (at < edgeCount && !(edges[at][0] == to && edges[at][1] == from))
			{
				at += 1;
			}
			if (at < edgeCount)
			{
				edgeCount -= 1;
				edges[at][0] = edges[edgeCount][0], edges[at][1] = edges[edgeCount][1];
			}
			else
			{
				edges[edgeCount][0] = from, edges[edgeCount][1] = to;
				edgeCount += 1;
			}
		}
	}
	epa->count = kept;
	for (int i = 0; i < edgeCount; ++i)
	{
		if (!epaAdd(epa, edges[i][0], edges[i][1], point))
		{
			return false;
		}
	}
	return epa->count > 0;
}

bool brTetPair_Epa(const brDVec3 a[4], const brDVec3 b[4], brPenetration* outPenetration)
{
	GjkDifference difference = gjkMake(a, b);
	if (gjkDistance(&difference) > 0.0)
	{
		return false;
	}
	Epa epa;
	brPenetration found = {.depth = 0.0, .direction = {1.0, 0.0, 0.0}};
	bool isSolid = epaStart(&difference, &epa);
	for (int step = 0; step < gjkMostSteps && isSolid; ++step)
	{
		const EpaFace* nearest = &epa.faces[0];
		for (int i = 1; i < epa.count; ++i)
		{
			nearest = epa.faces[i].offset < nearest->offset ? &epa.faces[i] : nearest;
		}
		found.depth = fmax(nearest->offset, 0.0) / difference.scale;
		found.direction = nearest->normal;
		int next = gjkSupport(&difference, brDMul(-1.0, nearest->normal));
		double gain = brDDot(nearest->normal, difference.points[next]) - nearest->offset;
		if (!(gain > gjkTouching) || !epaExpand(&epa, next))
		{
			break;
		}
	}
	*outPenetration = found;
	return true;
}
