// SPDX-License-Identifier: MIT

// Two tetrahedra by separating planes.
//
// Let c_f(x) be the volume that x spans with face f of A, positive outside. B is apart from A exactly if there is a
// plane between them through a face of A, through a face of B, or through an edge of either. Planes through the edge of
// A where faces f and g meet, with A on one side, are p c_f + q c_g = 0 with p, q >= 0 (Ganovelli, Ponchio and Rocchini
// 2003): B is beyond one of them exactly if its four points (c_f, c_g) lie beyond a line through the origin of the
// plane that leaves the quadrant of A on the other side. So the volumes needed for the faces answer for the edges as
// well, and the 36 cross products of edges are never formed.
//
//          c_g |  . points of B here are beyond g                 With i right below and j left above, a line fits
//      j  .    |      .                                            between if c_f(i) c_g(j) > c_g(i) c_f(j). A point
//     ---------+---------- c_f                                     in the quadrant of A leaves no line.
//      A       |   . i
//
// Certainty. All volumes are determinants of differences from one corner of A. Let L bound the coordinates of A seen
// from that corner and M those of B, u = 2^-53. Differences are off by u (L + M), a determinant by 12 times that times
// L (L + M), its evaluation by 36 u L^2 M, and the volume of the fourth face, a sum of four, by four times as much:
// less than d = 256 u L (L + M)^2. Larger volumes only take B farther away, so volumes less d that separate are proof
// of apart, and volumes plus d that do not separate are proof of meeting.

#include "narrow/tet_pair.h"

#include "math/predicates.h"
#include "narrow/triangle_pair.h"

// Volumes of four points against the faces of a tet.
typedef struct TetSides
{
	double c[4][4]; // face (opposite to the corner of that number), point
	double bound;
	bool isFlat; // or too close to tell
} TetSides;

static const double tetSmallest = 0x1p-400, tetLargestBound = 0x1p400;

static double tetLargest(brDVec3 v)
{
	return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

static TetSides tetMakeSides(const brDVec3 a[4], const brDVec3 b[4])
{
	TetSides sides;
	brDVec3 e[3], x[4], n[3];
	double reachA = 0.0, reachB = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		e[k] = brDSub(a[k + 1], a[0]);
		reachA = fmax(reachA, tetLargest(e[k]));
	}
	for (int i = 0; i < 4; ++i)
	{
		x[i] = brDSub(b[i], a[0]);
		reachB = fmax(reachB, tetLargest(x[i]));
	}
	for (int k = 0; k < 3; ++k)
	{
		n[k] = brDCross(e[(k + 2) % 3], e[(k + 1) % 3]);
	}
	double reach = reachA + reachB;
	sides.bound = 256.0 * BR_PREDICATE_U * reachA * reach * reach + BR_PREDICATE_TINY * (1.0 + reach);
	double volume = -brDDot(n[0], e[0]), turn = volume < 0.0 ? -1.0 : 1.0;
	// Nor is a volume certain that is not a number, or products of two that may be lost below or above the doubles.
	sides.isFlat = !(fabs(volume) > sides.bound) || !(sides.bound > tetSmallest && sides.bound < tetLargestBound);
	for (int i = 0; i < 4; ++i)
	{
		double sum = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			sides.c[k + 1][i] = turn * brDDot(n[k], x[i]);
			sum += sides.c[k + 1][i];
		}
		sides.c[0][i] = -turn * volume - sum;
	}
	return sides;
}

// Are all points beyond face f, if the volumes are `shift` larger?
static bool tetBeyondFace(const TetSides* sides, int f, double shift)
{
	const double* c = sides->c[f];
	return fmin(fmin(c[0], c[1]), fmin(c[2], c[3])) + shift > 0.0;
}

// Are they beyond a plane through the edge of faces f and g? `favor` is 1 + a little to answer no in doubt, 1 - to
// answer yes.
static bool tetBeyondEdge(const TetSides* sides, int f, int g, double shift, double favor)
{
	double p[4], q[4];
	for (int i = 0; i < 4; ++i)
	{
		p[i] = sides->c[f][i] + shift, q[i] = sides->c[g][i] + shift;
		if (p[i] <= 0.0 && q[i] <= 0.0)
		{
			return false;
		}
	}
	for (int i = 0; i < 4; ++i)
	{
		for (int j = 0; j < 4; ++j)
		{
			if (p[i] > 0.0 && q[i] <= 0.0 && p[j] <= 0.0 && q[j] > 0.0 && !(p[i] * q[j] > favor * (q[i] * p[j])))
			{
				return false;
			}
		}
	}
	return true;
}

static bool tetSeparates(const TetSides* a, const TetSides* b, double sign, double favor)
{
	for (int f = 0; f < 4; ++f)
	{
		if (tetBeyondFace(a, f, sign * a->bound) || tetBeyondFace(b, f, sign * b->bound))
		{
			return true;
		}
	}
	for (int f = 0; f < 4; ++f)
	{
		for (int g = f + 1; g < 4; ++g)
		{
			if (tetBeyondEdge(a, f, g, sign * a->bound, favor))
			{
				return true;
			}
		}
	}
	return false;
}

brTetRelation brTetPair_Decide(const brDVec3 a[4], const brDVec3 b[4])
{
	TetSides ofA = tetMakeSides(a, b), ofB = tetMakeSides(b, a);
	if (ofA.isFlat || ofB.isFlat)
	{
		return br_tetsUnsure;
	}
	const double little = 8.0 * BR_PREDICATE_U;
	if (tetSeparates(&ofA, &ofB, -1.0, 1.0 + little))
	{
		return br_tetsApart;
	}
	return tetSeparates(&ofA, &ofB, 1.0, 1.0 - little) ? br_tetsUnsure : br_tetsMeet;
}

// Exact

// Is x in the closed tet? A flat tet has no inside.
static bool tetHolds(const brDVec3 t[4], brDVec3 x)
{
	int whole = brOrient3d(t[0], t[1], t[2], t[3]);
	for (int k = 0; k < 4; ++k)
	{
		brDVec3 c[4] = {t[0], t[1], t[2], t[3]};
		c[k] = x;
		if (whole * brOrient3d(c[0], c[1], c[2], c[3]) < 0)
		{
			return false;
		}
	}
	return whole != 0;
}

bool brTetPair_MeetsExact(const brDVec3 a[4], const brDVec3 b[4])
{
	// If the surfaces do not meet, one is inside the other as a whole.
	if (tetHolds(a, b[0]) || tetHolds(b, a[0]))
	{
		return true;
	}
	for (int f = 0; f < 4; ++f)
	{
		brDVec3 faceA[3] = {a[(f + 1) % 4], a[(f + 2) % 4], a[(f + 3) % 4]};
		for (int g = 0; g < 4; ++g)
		{
			brDVec3 faceB[3] = {b[(g + 1) % 4], b[(g + 2) % 4], b[(g + 3) % 4]};
			if (brTrianglePair_Meets(faceA, faceB))
			{
				return true;
			}
		}
	}
	return false;
}

bool brTetPair_Meets(const brDVec3 a[4], const brDVec3 b[4])
{
	brTetRelation relation = brTetPair_Decide(a, b);
	return relation == br_tetsUnsure ? brTetPair_MeetsExact(a, b) : relation == br_tetsMeet;
}

// Axes

static void tetFaceAxes(const brDVec3 t[4], brDVec3 outAxes[4])
{
	for (int f = 0; f < 4; ++f)
	{
		brDVec3 p = t[(f + 1) % 4];
		outAxes[f] = brDCross(brDSub(t[(f + 2) % 4], p), brDSub(t[(f + 3) % 4], p));
	}
}

static void tetEdges(const brDVec3 t[4], brDVec3 outEdges[6])
{
	static const int ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
	for (int k = 0; k < 6; ++k)
	{
		outEdges[k] = brDSub(t[ends[k][1]], t[ends[k][0]]);
	}
}

static void tetProject(const brDVec3 t[4], brDVec3 origin, brDVec3 axis, double* outLower, double* outUpper)
{
	*outLower = INFINITY, *outUpper = -INFINITY;
	for (int i = 0; i < 4; ++i)
	{
		double x = brDDot(axis, brDSub(t[i], origin));
		*outLower = fmin(*outLower, x), *outUpper = fmax(*outUpper, x);
	}
}

// All axes of a pair: faces of a, faces of b, edges of either. Returns how many.
static int tetAxes(const brDVec3 a[4], const brDVec3 b[4], bool withEdges, brDVec3 outAxes[44])
{
	tetFaceAxes(a, outAxes);
	tetFaceAxes(b, outAxes + 4);
	int count = 8;
	brDVec3 edgesA[6], edgesB[6];
	tetEdges(a, edgesA);
	tetEdges(b, edgesB);
	for (int i = 0; i < 36 && withEdges; ++i)
	{
		outAxes[count++] = brDCross(edgesA[i / 6], edgesB[i % 6]);
	}
	return count;
}

static bool tetAxesOverlap(const brDVec3 a[4], const brDVec3 b[4], bool withEdges)
{
	brDVec3 axes[44];
	int count = tetAxes(a, b, withEdges, axes);
	for (int i = 0; i < count; ++i)
	{
		double lowerA, upperA, lowerB, upperB;
		tetProject(a, a[0], axes[i], &lowerA, &upperA);
		tetProject(b, a[0], axes[i], &lowerB, &upperB);
		if (upperA < lowerB || upperB < lowerA)
		{
			return false;
		}
	}
	return true;
}

bool brTetPair_SatAxes(const brDVec3 a[4], const brDVec3 b[4])
{
	return tetAxesOverlap(a, b, true);
}

bool brTetPair_SatFaces(const brDVec3 a[4], const brDVec3 b[4])
{
	return tetAxesOverlap(a, b, false);
}

bool brTetPair_Mtv(const brDVec3 a[4], const brDVec3 b[4], brPenetration* outPenetration)
{
	brDVec3 axes[44], edges[12];
	int count = tetAxes(a, b, true, axes);
	tetEdges(a, edges);
	tetEdges(b, edges + 6);
	double size = 0.0;
	for (int i = 0; i < 12; ++i)
	{
		size = fmax(size, tetLargest(edges[i]));
	}
	brPenetration best = {.depth = INFINITY};
	for (int i = 0; i < count; ++i)
	{
		// Edges that are nearly parallel give no axis but noise; the faces beside them stand for it.
		double length = sqrt(brDLengthSq(axes[i]));
		if (!(length > BR_TET_AXIS_LEAST * size * size))
		{
			continue;
		}
		brDVec3 axis = brDMul(1.0 / length, axes[i]);
		double lowerA, upperA, lowerB, upperB;
		tetProject(a, a[0], axis, &lowerA, &upperA);
		tetProject(b, a[0], axis, &lowerB, &upperB);
		double ahead = upperA - lowerB, back = upperB - lowerA;
		if (ahead < 0.0 || back < 0.0)
		{
			return false;
		}
		if (fmin(ahead, back) < best.depth)
		{
			best.depth = fmin(ahead, back);
			best.direction = ahead <= back ? axis : brDMul(-1.0, axis);
		}
	}
	// Nothing but points and segments along one line: no axis at all.
	if (!(best.depth < INFINITY))
	{
		best.depth = 0.0;
		best.direction = brMakeDVec3(1.0, 0.0, 0.0);
	}
	*outPenetration = best;
	return true;
}
