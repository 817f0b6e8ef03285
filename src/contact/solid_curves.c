// SPDX-License-Identifier: MIT

// How a smooth part of a mesh curves at its points.
//
// A wheel of flat facets that rolls hits the ground with each of them and stops within a turn or two; what it stands
// for is round. At a vertex where normals turn by less than 25 degrees the surface meant is the one through the
// vertices with the normals there. Along a side e to a neighbour its curvature is (N' - N).e / e.e, exact for balls and
// cylinders; over all sides of the vertex a symmetric 2 x 2 matrix is fitted to these, and its larger eigenvalues are
// kept as radii. Flat and hollow directions have none.

#include "contact/solid.h"
#include "math/rotation.h"

#include <string.h>

// Normals nearer than this cosine are of one smooth part; those that turn by less than this part of 1 are flat.
#define CURVE_SMOOTH 0.9
#define CURVE_FLAT 2e-7

// Faces that turn from the normal of their vertex by more, 12 degrees, are too coarse to stand for a curve.
#define CURVE_COARSE 0.022

// Radii larger than so many of the body's are flat.
#define CURVE_WIDEST 16.0

// Where facets turn by less than this part of what they turn by in the other direction, it is by the error of the
// normals.
#define CURVE_SLIGHT 0.1

// The square of the cosine from which on a side goes along a sharp edge: 18 degrees.
#define CURVE_ALONG 0.9

// The least cosine between where an edge bends and the normal of the face beside it that bends with it; the outline of
// a flat face is no curve.
#define CURVE_FACING 0.5

// A side shorter than this part of the radius along a curve lies on it.
#define CURVE_CHORD 0.02f

// Adds to the diagonal: with sides in two directions only, what lies between is taken as their mean.
#define CURVE_DOUBT 1e-6

// The fit at a point: k = a c^2 + 2 b c s + d s^2 along (c, s), as the normal equations of (a, 2 b, d).
typedef struct CurveFit
{
	double sums[5]; // of c^4, c^3 s, c^2 s^2, c s^3, s^4
	double right[3];
	double reach[2]; // the longest sides: c^2 and s^2 of their squares
	double turn;     // 1 - cosine, the most of a face in its cluster; 0 if nothing is smooth here
	brDVec3 normal;
	brDVec3 x;        // across it; the other direction is their product
	brDVec3 edge;     // on a sharp edge about its direction, else 0
	brDVec3 bend;     // sum of its sides e as e / e.e
	brDVec3 ahead;    // the same, all along the direction
	int32_t bends;    // number of these sides
	double edgeReach; // the square of its longest side
	int32_t cluster;  // of the point's normals
} CurveFit;

typedef struct CurveWork
{
	const brSolidTriangles* triangles;
	const int32_t* pointOf;
	brSamples* samples;
	CurveFit* fits;        // of points
	int8_t (*clusters)[3]; // which of its point's normals a corner belongs to, or -1
} CurveWork;

size_t brCurveScratchBytes(int32_t triangleCount, int32_t vertexCount)
{
	return sizeof(CurveFit) * (size_t)vertexCount + sizeof(int8_t[3]) * (size_t)triangleCount;
}

// Of a corner between two sides, as a part of the normal of its vertex (Max 1999): exact on a ball, and the same
// however quads are divided.
static brDVec3 curveCorner(brDVec3 a, brDVec3 b)
{
	double scale = brDLengthSq(a) * brDLengthSq(b);
	return scale > 0.0 ? brDMul(1.0 / scale, brDCross(a, b)) : brMakeDVec3(0.0, 0.0, 0.0);
}

// Which of the normals at a point is nearest to another one and like it, and the cosine between them; or -1.
static int32_t curveCluster(const brPointNormals* normals, brDVec3 n, double* outCosine)
{
	int32_t best = -1;
	double most = CURVE_SMOOTH;
	for (int32_t k = 0; k < normals->count; ++k)
	{
		double cosine = brDDot(brToDVec3(normals->normals[k]), n);
		best = cosine > most ? k : best;
		most = cosine > most ? cosine : most;
	}
	*outCosine = best < 0 ? 1.0 : most;
	return best;
}

// A part of the surface that is meant to be round.
static bool curveIsSmooth(const CurveFit* fit)
{
	return fit->turn > CURVE_FLAT && fit->turn < CURVE_COARSE;
}

// One side from a point to a neighbour.
static void curveAddSide(const brSamples* samples, CurveFit* fits, int32_t from, int32_t to)
{
	CurveFit* fit = &fits[from];
	brDVec3 n = fit->normal, m = fits[to].normal;
	double cosine;
	int32_t there = curveCluster(&samples->normals[to], n, &cosine);
	brDVec3 e = brDSub(brToDVec3(samples->places[to]), brToDVec3(samples->places[from]));
	double lengthSq = brDLengthSq(e), on = brDDot(e, fit->edge);
	if (on * on > CURVE_ALONG * lengthSq)
	{
		fit->bend = brDMulAdd(fit->bend, 1.0 / lengthSq, e);
		fit->ahead = brDMulAdd(fit->ahead, (on > 0.0 ? 1.0 : -1.0) / lengthSq, e);
		fit->bends += 1;
		fit->edgeReach = fmax(fit->edgeReach, lengthSq);
	}
	if (there < 0 || !(lengthSq > 0.0))
	{
		return;
	}
	bool isSmooth = curveIsSmooth(&fits[to]) && there == fits[to].cluster;
	m = isSmooth ? m : brToDVec3(samples->normals[to].normals[there]);
	double k = brDDot(brDSub(m, n), e) / lengthSq;
	double c = brDDot(e, fit->x), s = brDDot(e, brDCross(n, fit->x)), square = c * c, other = s * s;
	fit->reach[0] = square > fit->reach[0] ? square : fit->reach[0];
	fit->reach[1] = other > fit->reach[1] ? other : fit->reach[1];
	double length = sqrt(square + other), scale = 1.0 / (length > 1e-300 ? length : 1e-300);
	c *= scale, s *= scale;
	const double terms[3] = {c * c, c * s, s * s};
	fit->sums[0] += terms[0] * terms[0], fit->sums[1] += terms[0] * terms[1], fit->sums[2] += terms[1] * terms[1];
	fit->sums[3] += terms[1] * terms[2], fit->sums[4] += terms[2] * terms[2];
	for (int i = 0; i < 3; ++i)
	{
		fit->right[i] += terms[i] * k;
	}
}

// A sharp edge rolls on the curve that it is itself: of the faces beside it, slanted against its plane, each curves
// less. Seen from a point of a circle of radius r any other one is at e with e / e.e = t / (2 r tan) - n / (2 r): of
// two, the difference is tangent, and what the sum has across it is n / r. False where it bends within a face, as the
// outline of a flat one does.
static bool curveOfEdge(const CurveFit* fit, double widest, brPointCurve* out)
{
	brDVec3 along = brDNormalize(fit->ahead), bend = brDMulAdd(fit->bend, -brDDot(fit->bend, along), along);
	double curvature = brDLength(bend);
	if (fit->bends != 2 || !(curvature * widest > 1.0) || !(brDDot(bend, fit->normal) < -CURVE_FACING * curvature))
	{
		return false;
	}
	*out = (brPointCurve){.normal = brToVec3(brDMul(-1.0 / curvature, bend)), .along = brToVec3(along)};
	out->radii[0] = (float)(1.0 / curvature);
	out->reach[0] = (float)(0.5 * sqrt(fit->edgeReach));
	return true;
}

// On another sharp edge only the curve along it counts.
static brPointCurve curveSolve(const CurveFit* fit, brVec3 normal, double widest)
{
	brPointCurve curve = {.normal = normal};
	const double* m = fit->sums;
	brMat3 a = {{m[0] + CURVE_DOUBT, m[1], m[2]}, {m[1], m[2] + CURVE_DOUBT, m[3]}, {m[2], m[3], m[4] + CURVE_DOUBT}};
	double determinant = brMat3_Determinant(&a);
	if (!(fabs(determinant) > 0.0))
	{
		return curve;
	}
	brMat3 cofactor = brMat3_Cofactor(&a); // symmetric, as the matrix
	brDVec3 k =
		brDMul(1.0 / determinant, brMat3_MulV(&cofactor, brMakeDVec3(fit->right[0], fit->right[1], fit->right[2])));
	double xx = k.x, xy = 0.5 * k.y, yy = k.z, half = 0.5 * (xx - yy), root = sqrt(half * half + xy * xy);
	double values[2] = {0.5 * (xx + yy) + root, 0.5 * (xx + yy) - root};
	// The direction of the larger; where both are alike any will do.
	double c = half + root, s = xy;
	if (half < 0.0)
	{
		c = xy, s = root - half;
	}
	double length = sqrt(c * c + s * s);
	c = length > 0.0 ? c / length : 1.0, s = length > 0.0 ? s / length : 0.0;
	brDVec3 n = brToDVec3(normal), x = brDAcross(n), y = brDCross(n, x);
	if (brDLengthSq(fit->edge) > 0.0)
	{
		c = brDDot(fit->edge, x), s = brDDot(fit->edge, y);
		values[0] = xx * c * c + 2.0 * xy * c * s + yy * s * s, values[1] = 0.0;
	}
	curve.along = brToVec3(brDMulAdd(brDMul(c, x), s, y));
	// Half the way to the next vertex, of sides along each direction.
	double reach[2] = {0.5 * sqrt(c * c * fit->reach[0] + s * s * fit->reach[1]),
					   0.5 * sqrt(s * s * fit->reach[0] + c * c * fit->reach[1])};
	for (int i = 0; i < 2; ++i)
	{
		bool isCurved = values[i] * widest > 1.0 && values[i] * reach[i] > CURVE_SLIGHT * values[0] * reach[0];
		curve.radii[i] = isCurved ? (float)(1.0 / values[i]) : 0.0f;
		curve.reach[i] = (float)reach[i];
	}
	return curve;
}

// How far faces turn at each point, from the nearest of its normals. Returns the largest distance of a point from the
// middle.
static double curveMeasureTurns(const CurveWork* work)
{
	const brSolidTriangles* t = work->triangles;
	const brSamples* samples = work->samples;
	float sizeSq = 0.0f;
	for (int32_t i = 0; i < t->triangleCount; ++i)
	{
		brDVec3 n = t->normals[i];
		for (int32_t k = 0; k < 3 && t->areas[i] > 0.0; ++k)
		{
			int32_t point = work->pointOf[t->triangles[i][k]];
			float lengthSq = brDot(samples->places[point], samples->places[point]);
			sizeSq = lengthSq > sizeSq ? lengthSq : sizeSq;
			double cosine;
			int32_t cluster = curveCluster(&samples->normals[point], n, &cosine);
			CurveFit* fit = &work->fits[point];
			// Which turns more is as good as random: no branch.
			double turn = 1.0 - cosine;
			bool isMore = turn > fit->turn;
			fit->cluster = isMore ? cluster : fit->cluster;
			fit->turn = isMore ? turn : fit->turn;
			work->clusters[i][k] = (int8_t)cluster;
		}
	}
	return (double)sqrtf(sizeSq);
}

// The normals of smooth parts, and axes across them.
static void curveMakeNormals(const CurveWork* work)
{
	const brSolidTriangles* t = work->triangles;
	for (int32_t i = 0; i < t->triangleCount; ++i)
	{
		const int32_t* c = t->triangles[i];
		for (int32_t k = 0; k < 3; ++k)
		{
			CurveFit* fit = &work->fits[work->pointOf[c[k]]];
			if (fit->turn > CURVE_FLAT && work->clusters[i][k] == fit->cluster)
			{
				brDVec3 p = brToDVec3(t->vertices[c[k]]);
				brDVec3 a = brDSub(brToDVec3(t->vertices[c[(k + 1) % 3]]), p);
				brDVec3 b = brDSub(brToDVec3(t->vertices[c[(k + 2) % 3]]), p);
				fit->normal = brDAdd(fit->normal, curveCorner(a, b));
			}
		}
	}
	for (int32_t i = 0; i < work->samples->pointCount; ++i)
	{
		CurveFit* fit = &work->fits[i];
		bool isTurned = fit->turn > CURVE_FLAT && brDLengthSq(fit->normal) > 0.0;
		fit->normal = isTurned ? brDNormalize(fit->normal) : fit->normal;
		fit->turn = isTurned ? CURVE_FLAT : 0.0;
	}
}

// How far faces turn from these normals, and axes across them. Those by area lean to where a vertex has more triangles,
// by degrees.
static void curveMakeAxes(const CurveWork* work)
{
	const brSolidTriangles* t = work->triangles;
	for (int32_t i = 0; i < t->triangleCount; ++i)
	{
		for (int32_t k = 0; k < 3; ++k)
		{
			CurveFit* fit = &work->fits[work->pointOf[t->triangles[i][k]]];
			bool isIts = fit->turn > 0.0 && work->clusters[i][k] == fit->cluster;
			fit->turn = isIts ? fmax(fit->turn, 1.0 - brDDot(t->normals[i], fit->normal)) : fit->turn;
		}
	}
	for (int32_t i = 0; i < work->samples->pointCount; ++i)
	{
		CurveFit* fit = &work->fits[i];
		const brPointNormals* normals = &work->samples->normals[i];
		if (!curveIsSmooth(fit))
		{
			continue;
		}
		fit->x = brDAcross(fit->normal);
		if (normals->count == 2)
		{
			brDVec3 edge = brDCross(fit->normal, brToDVec3(normals->normals[1 - fit->cluster]));
			fit->edge = brDLengthSq(edge) > 0.0 ? brDNormalize(edge) : edge;
		}
	}
}

static void curveAddSides(const CurveWork* work)
{
	const brSolidTriangles* t = work->triangles;
	for (int32_t i = 0; i < t->triangleCount; ++i)
	{
		for (int32_t k = 0; k < 3; ++k)
		{
			int32_t point = work->pointOf[t->triangles[i][k]];
			const CurveFit* fit = &work->fits[point];
			// At a corner of three faces only its neighbors want to know the normal.
			if (curveIsSmooth(fit) && work->clusters[i][k] == fit->cluster && work->samples->normals[point].count < 3)
			{
				curveAddSide(work->samples, work->fits, point, work->pointOf[t->triangles[i][(k + 1) % 3]]);
				curveAddSide(work->samples, work->fits, point, work->pointOf[t->triangles[i][(k + 2) % 3]]);
			}
		}
	}
}

void brMeasureCurves(const brSolidTriangles* t, const int32_t* pointOf, void* scratch, brSamples* samples)
{
	CurveWork work = {t, pointOf, samples, scratch, NULL};
	int32_t count = samples->pointCount;
	work.clusters = (int8_t(*)[3])(void*)(work.fits + t->vertexCount);
	memset(work.fits, 0, sizeof(CurveFit) * (size_t)count);
	memset(work.clusters, -1, sizeof(*work.clusters) * (size_t)t->triangleCount);
	double size = curveMeasureTurns(&work);
	curveMakeNormals(&work);
	curveMakeAxes(&work);
	curveAddSides(&work);
	for (int32_t i = 0; i < count; ++i)
	{
		const brPointNormals* normals = &samples->normals[i];
		const CurveFit* fit = &work.fits[i];
		brVec3 none = {0.0f, 0.0f, 0.0f};
		samples->curves[i] = (brPointCurve){.normal = normals->count > 0 ? normals->normals[0] : none};
		if (!curveIsSmooth(fit) || normals->count > 2)
		{
			continue;
		}
		if (!curveOfEdge(fit, CURVE_WIDEST * size, &samples->curves[i]))
		{
			samples->curves[i] = curveSolve(fit, brToVec3(fit->normal), CURVE_WIDEST * size);
		}
		samples->hasCurves = samples->hasCurves || samples->curves[i].radii[0] > 0.0f;
	}
}

brPointCurve brMakeSampleCurve(const brSamples* samples, int32_t a, int32_t b, brVec3 normal, bool isEdge)
{
	const brPointCurve *first = &samples->curves[a], *second = &samples->curves[b];
	const brPointCurve* from = first->radii[0] > 0.0f ? first : second;
	brPointCurve curve = *from;
	curve.normal = normal;
	// Its direction into the plane across the new normal; of another face it says nothing.
	brVec3 along = brMulAdd(from->along, -brDot(from->along, normal), normal);
	float length = brLength(along);
	bool isLike = brDot(from->normal, normal) > (float)CURVE_SMOOTH && length > 0.5f;
	curve.along = isLike ? brMul(1.0f / length, along) : from->along;
	curve.radii[0] = isLike ? curve.radii[0] : 0.0f;
	curve.radii[1] = isLike ? curve.radii[1] : 0.0f;
	// On a chord it is off the curve, which the vertices have between them: its own circle would be a bump.
	brVec3 chord = brSub(samples->places[b], samples->places[a]), across = brCross(normal, curve.along);
	for (int i = 0; i < 2; ++i)
	{
		bool isOff = !isEdge || fabsf(brDot(chord, i == 0 ? curve.along : across)) > CURVE_CHORD * curve.radii[i];
		curve.reach[i] = curve.radii[i] > 0.0f && isOff ? 0.0f : curve.reach[i];
	}
	return curve;
}
