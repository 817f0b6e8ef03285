// SPDX-License-Identifier: MIT

// Two triangles by exact signs.
//
// The whole case analysis rests on one fact: if two closed triangles meet, then an edge of one meets the other. It
// holds for crossing and for coplanar triangles, and for flat ones, which are the union of their edges. An edge meets a
// triangle either across its plane, decided by the signs of four volumes, or inside it. The second case is decided in
// the three coordinate projections: sets in a common plane meet exactly if all three shadows meet, because one of the
// projections is one-to-one on that plane. So no projection axis has to be chosen.

#include "narrow/triangle_pair.h"

#include "math/predicates.h"

#include <math.h>

// Signs

static int pairVolumeSign(brDVec3 a, brDVec3 b, brDVec3 c, brDVec3 d)
{
	// Flat parts of models often lie square to an axis; the filter of the predicate cannot see that.
	if ((a.x == b.x && b.x == c.x && c.x == d.x) || (a.y == b.y && b.y == c.y && c.y == d.y) ||
		(a.z == b.z && b.z == c.z && c.z == d.z))
	{
		return 0;
	}
	return brOrient3d(a, b, c, d);
}

// Coordinate `axis` of a point, and its shadow along an axis.
static double pairCoordinate(brDVec3 a, int axis)
{
	return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static brDVec2 pairShadow(brDVec3 a, int axis)
{
	return axis == 0 ? (brDVec2){a.y, a.z} : axis == 1 ? (brDVec2){a.z, a.x} : (brDVec2){a.x, a.y};
}

static bool pairIsSame(brDVec3 a, brDVec3 b)
{
	return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool pairIsCollinear(brDVec3 a, brDVec3 b, brDVec3 c)
{
	for (int axis = 0; axis < 3; ++axis)
	{
		if (brOrient2d(pairShadow(a, axis), pairShadow(b, axis), pairShadow(c, axis)) != 0)
		{
			return false;
		}
	}
	return true;
}

// For p on the line through a and b: is it on the closed segment?
static bool pairIsBetween(brDVec3 p, brDVec3 a, brDVec3 b)
{
	for (int axis = 0; axis < 3; ++axis)
	{
		double x = pairCoordinate(p, axis), u = pairCoordinate(a, axis), v = pairCoordinate(b, axis);
		if (x < fmin(u, v) || x > fmax(u, v))
		{
			return false;
		}
	}
	return true;
}

// In a plane

static bool pairIntervalsMeet(double a, double b, double c, double d)
{
	return fmax(fmin(a, b), fmin(c, d)) <= fmin(fmax(a, b), fmax(c, d));
}

// Closed segments, points included.
static bool pairSegmentsMeet2(brDVec2 p, brDVec2 q, brDVec2 r, brDVec2 s)
{
	int pr = brOrient2d(p, q, r), ps = brOrient2d(p, q, s);
	int rp = brOrient2d(r, s, p), rq = brOrient2d(r, s, q);
	if (pr == 0 && ps == 0 && rp == 0 && rq == 0)
	{
		return pairIntervalsMeet(p.x, q.x, r.x, s.x) && pairIntervalsMeet(p.y, q.y, r.y, s.y);
	}
	return pr * ps <= 0 && rp * rq <= 0;
}

static bool pairSegmentMeetsTriangle2(brDVec2 p, brDVec2 q, const brDVec2 t[3])
{
	bool hasLeft = false, hasRight = false;
	for (int i = 0; i < 3; ++i)
	{
		brDVec2 a = t[i], b = t[(i + 1) % 3];
		if (pairSegmentsMeet2(p, q, a, b))
		{
			return true;
		}
		int side = brOrient2d(a, b, p);
		hasLeft |= side > 0;
		hasRight |= side < 0;
	}
	// No edge is met: the segment is inside or outside as a whole. A flat triangle has no inside.
	return hasLeft != hasRight;
}

static bool pairShadowsMeet(brDVec3 p, brDVec3 q, const brDVec3 t[3])
{
	for (int axis = 0; axis < 3; ++axis)
	{
		brDVec2 shadow[3] = {pairShadow(t[0], axis), pairShadow(t[1], axis), pairShadow(t[2], axis)};
		if (!pairSegmentMeetsTriangle2(pairShadow(p, axis), pairShadow(q, axis), shadow))
		{
			return false;
		}
	}
	return true;
}

// In space

// `sp` and `sq` are the sides of p and q of the plane of t.
static bool pairEdgeMeets(brDVec3 p, brDVec3 q, int sp, int sq, const brDVec3 t[3])
{
	if (sp * sq > 0)
	{
		return false;
	}
	bool hasLeft = false, hasRight = false;
	for (int i = 0; i < 3; ++i)
	{
		int side = pairVolumeSign(p, q, t[i], t[(i + 1) % 3]);
		hasLeft |= side > 0;
		hasRight |= side < 0;
	}
	if (sp != 0 || sq != 0)
	{
		return !(hasLeft && hasRight); // the line pierces the plane once; is that inside all three edges?
	}
	// Either the edge lies in the plane of t and all volumes vanish, or t is flat and they tell whether its line and
	// the edge are in one plane.
	return !hasLeft && !hasRight && pairShadowsMeet(p, q, t);
}

static bool pairSegmentMeets(brDVec3 p, brDVec3 q, const brDVec3 t[3])
{
	return pairEdgeMeets(p, q, pairVolumeSign(t[0], t[1], t[2], p), pairVolumeSign(t[0], t[1], t[2], q), t);
}

// Sides of the corners of b of the plane of a. False if all are strictly on one side.
static bool pairSides(const brDVec3 a[3], const brDVec3 b[3], int outSides[3])
{
	for (int i = 0; i < 3; ++i)
	{
		outSides[i] = pairVolumeSign(a[0], a[1], a[2], b[i]);
	}
	return !(outSides[0] != 0 && outSides[0] == outSides[1] && outSides[0] == outSides[2]);
}

// The corner that is alone on its side, for three sides that are not zero and not all equal.
static int pairLoneCorner(const int sides[3])
{
	return sides[1] == sides[2] ? 0 : sides[0] == sides[2] ? 1 : 2;
}

// Both triangles cross the other's plane properly: each covers an interval of the common line, between the two edges at
// its lone corner. The intervals meet if each begins before the other ends (Guigue and Devillers 2003): two volumes.
static bool pairIntervalsCross(const brDVec3 a[3], const int sideOfB[3], const brDVec3 b[3], const int sideOfA[3])
{
	int i = pairLoneCorner(sideOfB), j = pairLoneCorner(sideOfA);
	brDVec3 p = a[i], q = a[(i + 1) % 3], r = a[(i + 2) % 3];
	brDVec3 s = b[j], t = b[(j + 1) % 3], u = b[(j + 2) % 3];
	// Turning one triangle over mirrors the sides of the other; with both lone corners above, the intervals run alike.
	bool flipB = sideOfB[i] < 0, flipA = sideOfA[j] < 0;
	brDVec3 q1 = flipA ? r : q, r1 = flipA ? q : r, t1 = flipB ? u : t, u1 = flipB ? t : u;
	return pairVolumeSign(p, q1, s, t1) <= 0 && pairVolumeSign(p, r1, u1, s) <= 0;
}

// A dot product with a difference is off by at most so much of the product of their lengths, if that is no tiny number.
#define PAIR_SURE 4e-15
#define PAIR_TINY 1e-280

// Whether a direction keeps two triangles apart for sure. Any direction will do, however it was rounded.
static bool pairSeparates(brDVec3 direction, const brDVec3 p[3], const brDVec3 q[3], double reach)
{
	double sure = PAIR_SURE * brDLength(direction) * reach, lower[2], upper[2];
	for (int n = 0; n < 2; ++n)
	{
		const brDVec3* corners = n == 0 ? p : q;
		double at[3];
		for (int k = 0; k < 3; ++k)
		{
			at[k] = brDDot(direction, brDSub(corners[k], p[0]));
		}
		lower[n] = fmin(at[0], fmin(at[1], at[2]));
		upper[n] = fmax(at[0], fmax(at[1], at[2]));
	}
	return sure > PAIR_TINY && (upper[0] + sure < lower[1] || upper[1] + sure < lower[0]);
}

// True if plain numbers are enough to tell that the triangles have no point in common; false says nothing. It tries the
// directions across an edge of each, and those in their planes. Needles, whose planes say nothing, and triangles in one
// plane are nearly always told apart so, at a hundredth of the cost of exact signs.
static bool trianglesAreApart(const brDVec3 p[3], const brDVec3 q[3])
{
	brDVec3 edges[2][3], normals[2];
	double reach = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		edges[0][k] = brDSub(p[(k + 1) % 3], p[k]);
		edges[1][k] = brDSub(q[(k + 1) % 3], q[k]);
		reach = fmax(reach, fmax(brDDistance(p[k], p[0]), brDDistance(q[k], p[0])));
	}
	normals[0] = brDCross(edges[0][0], edges[0][1]);
	normals[1] = brDCross(edges[1][0], edges[1][1]);
	for (int n = 0; n < 9; ++n)
	{
		if (pairSeparates(brDCross(edges[0][n / 3], edges[1][n % 3]), p, q, reach))
		{
			return true;
		}
	}
	for (int n = 0; n < 12; ++n)
	{
		if (pairSeparates(brDCross(normals[n / 6], edges[n % 2][n % 3]), p, q, reach))
		{
			return true;
		}
	}
	return false;
}

bool brTrianglePair_Meets(const brDVec3 a[3], const brDVec3 b[3])
{
	int sideOfA[3], sideOfB[3];
	if (!pairSides(a, b, sideOfA) || !pairSides(b, a, sideOfB))
	{
		return false;
	}
	if (sideOfA[0] * sideOfA[1] * sideOfA[2] * sideOfB[0] * sideOfB[1] * sideOfB[2] != 0)
	{
		return pairIntervalsCross(a, sideOfB, b, sideOfA);
	}
	if (trianglesAreApart(a, b))
	{
		return false;
	}
	for (int i = 0; i < 3; ++i)
	{
		int j = (i + 1) % 3;
		if (pairEdgeMeets(a[i], a[j], sideOfB[i], sideOfB[j], b) ||
			pairEdgeMeets(b[i], b[j], sideOfA[i], sideOfA[j], a))
		{
			return true;
		}
	}
	return false;
}

// Neighbors

// What is left of a triangle seen from a corner it shares: the parts that leave the corner, each with the edge (or
// point) that ends it. Two parts only for a flat triangle with the corner in its middle.
typedef struct PairFan
{
	int count;
	brDVec3 far[2][2];
} PairFan;

static PairFan pairMakeFan(brDVec3 v, const brDVec3 t[3])
{
	brDVec3 others[2];
	int count = 0;
	for (int i = 0; i < 3; ++i)
	{
		if (!pairIsSame(t[i], v) && count < 2)
		{
			others[count++] = t[i];
		}
	}
	if (count == 2 && pairIsCollinear(v, others[0], others[1]) && pairIsBetween(v, others[0], others[1]))
	{
		return (PairFan){2, {{others[0], others[0]}, {others[1], others[1]}}};
	}
	if (count == 2)
	{
		return (PairFan){1, {{others[0], others[1]}}};
	}
	return (PairFan){count, {{others[0], others[0]}}};
}

// Cones from v over edges pq and st in one plane, by the first shadow in which both have an area: they meet exactly if
// an edge of one lies in the other. -1 if there is no such shadow: one is flat.
static int pairPlanarConesMeet(brDVec3 v, brDVec3 p, brDVec3 q, brDVec3 s, brDVec3 t)
{
	for (int axis = 0; axis < 3; ++axis)
	{
		brDVec2 o = pairShadow(v, axis), p2 = pairShadow(p, axis), q2 = pairShadow(q, axis);
		brDVec2 s2 = pairShadow(s, axis), t2 = pairShadow(t, axis);
		int pq = brOrient2d(o, p2, q2), st = brOrient2d(o, s2, t2);
		if (pq != 0 && st != 0)
		{
			int ps = brOrient2d(o, p2, s2), pt = brOrient2d(o, p2, t2);
			int qs = brOrient2d(o, q2, s2), qt = brOrient2d(o, q2, t2);
			bool isIn = (pq * ps >= 0 && pq * qs <= 0) || (pq * pt >= 0 && pq * qt <= 0) ||
						(st * ps <= 0 && st * pt >= 0) || (st * qs <= 0 && st * qt >= 0);
			return isIn ? 1 : 0;
		}
	}
	return -1;
}

// With v at the origin the two parts are cones over edges pq and st, and the four vectors have one dependency, whose
// coefficients are the volumes of the others: p |q s t| - q |p s t| + s |p q t| - t |p q s| = 0. The cones have a ray in
// common exactly if those of p and q are not against those of s and t. 1 or 0, or -1 if that does not settle it.
static int pairConesMeet(brDVec3 v, brDVec3 p, brDVec3 q, brDVec3 s, brDVec3 t)
{
	int ofP = pairVolumeSign(v, q, s, t), ofQ = -pairVolumeSign(v, p, s, t);
	if (ofP * ofQ < 0)
	{
		return 0;
	}
	if (ofP == 0 && ofQ == 0)
	{
		return pairPlanarConesMeet(v, p, q, s, t);
	}
	int ofS = -pairVolumeSign(v, p, q, t), ofT = pairVolumeSign(v, p, q, s);
	return ofP * ofQ * ofS * ofT == 0 ? -1 : ofS == ofT && ofS == ofP ? 1 : 0;
}

// Parts that share a corner meet elsewhere exactly if the common ray leaves one of them through its far edge inside the
// other.
static bool pairMeetsBeyondVertex(brDVec3 v, const brDVec3 a[3], const brDVec3 b[3])
{
	// Volumes settle almost all; what is flat or coplanar has one that vanishes.
	brDVec3 far[2][2];
	for (int i = 0; i < 2; ++i)
	{
		const brDVec3* t = i == 0 ? a : b;
		int corner = pairIsSame(t[0], v) ? 0 : pairIsSame(t[1], v) ? 1 : 2;
		far[i][0] = t[(corner + 1) % 3], far[i][1] = t[(corner + 2) % 3];
	}
	int answer = pairConesMeet(v, far[0][0], far[0][1], far[1][0], far[1][1]);
	if (answer >= 0)
	{
		return answer > 0;
	}
	PairFan fanA = pairMakeFan(v, a), fanB = pairMakeFan(v, b);
	for (int i = 0; i < fanA.count; ++i)
	{
		for (int j = 0; j < fanB.count; ++j)
		{
			brDVec3 partA[3] = {v, fanA.far[i][0], fanA.far[i][1]};
			brDVec3 partB[3] = {v, fanB.far[j][0], fanB.far[j][1]};
			if (pairSegmentMeets(partA[1], partA[2], partB) || pairSegmentMeets(partB[1], partB[2], partA))
			{
				return true;
			}
		}
	}
	return false;
}

// On which end of the segment vw does p stick out, for p on its line? 0: it does not.
static int pairOutside(brDVec3 v, brDVec3 w, brDVec3 p)
{
	return pairIsBetween(p, v, w) ? 0 : pairIsBetween(v, p, w) ? -1 : 1;
}

// Triangles vwa and vwb.
static bool pairMeetsBeyondEdge(brDVec3 v, brDVec3 w, brDVec3 a, brDVec3 b)
{
	if (pairVolumeSign(v, w, a, b) != 0)
	{
		return false;
	}
	// In one plane: they overlap if both lie on the same side of the edge, and a flat one cannot leave the edge's line.
	bool isOnLine = true;
	for (int axis = 0; axis < 3; ++axis)
	{
		brDVec2 v2 = pairShadow(v, axis), w2 = pairShadow(w, axis);
		int sideA = brOrient2d(v2, w2, pairShadow(a, axis)), sideB = brOrient2d(v2, w2, pairShadow(b, axis));
		if (sideA * sideB > 0)
		{
			return true;
		}
		isOnLine &= sideA == 0 && sideB == 0;
	}
	return isOnLine && pairOutside(v, w, a) * pairOutside(v, w, b) > 0;
}

bool brTrianglePair_MeetsBeyond(const brDVec3 a[3], const int32_t ia[3], const brDVec3 b[3], const int32_t ib[3])
{
	// Corners of a that are shared, each place once, and the corners of either that are not.
	brDVec3 shared[3];
	int count = 0;
	bool isSharedA[3] = {false}, isSharedB[3] = {false};
	for (int i = 0; i < 3; ++i)
	{
		for (int j = 0; j < 3; ++j)
		{
			if (ia != NULL ? ia[i] == ib[j] : pairIsSame(a[i], b[j]))
			{
				isSharedA[i] = isSharedB[j] = true;
			}
		}
		bool isNew = isSharedA[i];
		for (int k = 0; k < count; ++k)
		{
			isNew &= !pairIsSame(shared[k], a[i]);
		}
		if (isNew)
		{
			shared[count++] = a[i];
		}
	}
	switch (count)
	{
		case 0:
			return brTrianglePair_Meets(a, b);
		case 1:
			return pairMeetsBeyondVertex(shared[0], a, b);
		case 2:
		{
			// A third corner that is shared too repeats a place: the triangle is its edge.
			brDVec3 thirdA = shared[0], thirdB = shared[0];
			for (int i = 0; i < 3; ++i)
			{
				thirdA = isSharedA[i] ? thirdA : a[i];
				thirdB = isSharedB[i] ? thirdB : b[i];
			}
			return pairMeetsBeyondEdge(shared[0], shared[1], thirdA, thirdB);
		}
		default:
			return !pairIsCollinear(a[0], a[1], a[2]);
	}
}

// The common segment
