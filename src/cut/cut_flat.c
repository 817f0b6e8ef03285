// SPDX-License-Identifier: MIT

// The one clean-up pass: triangles without area, in input and output. Each step changes the pairing of half-edges and
// keeps it perfect, so a closed surface stays closed:
//   two corners at one place        the triangle goes, its other two neighbors become neighbors
//   three corners on one line       the longest side is turned about inside the two triangles at it
// A turn takes the longest of the sides away, so it ends; a budget stands guard.

#include "cut/cut_job.h"
#include "math/predicates.h"
#include "mesh/topology.h"

bool brCut_IsFlat(const brCutPoint* points, const int32_t* triangle)
{
	if (triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0])
	{
		return true;
	}
	brDVec3 a = points[triangle[0]].at, b = points[triangle[1]].at, c = points[triangle[2]].at;
	brDVec3 u = brDSub(b, a), v = brDSub(c, a);
	double left = u.x * v.y, right = u.y * v.x;
	if (fabs(left - right) > 8.0 * BR_PREDICATE_U * (fabs(left) + fabs(right)) + BR_PREDICATE_TINY)
	{
		return false;
	}
	return brIsCollinear(a, b, c);
}

static void cutLink(int32_t* twins, int32_t a, int32_t b)
{
	if (a >= 0)
	{
		twins[a] = b;
	}
	if (b >= 0)
	{
		twins[b] = a;
	}
}

// The corner that lies between the other two of a flat triangle with three places.
static int32_t cutMiddleCorner(const brCutPoint* points, const int32_t* triangle)
{
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		double x[3];
		for (int i = 0; i < 3; ++i)
		{
			x[i] = brCutCoordinate(&points[triangle[i]].at, axis);
		}
		for (int i = 0; i < 3; ++i)
		{
			double y = x[(i + 1) % 3], z = x[(i + 2) % 3];
			if ((y < x[i] && x[i] < z) || (z < x[i] && x[i] < y))
			{
				return i;
			}
		}
	}
	return 0;
}

static void cutKill(int32_t* triangle)
{
	triangle[0] = -1;
}

// Turns the longest side of flat triangle t about. Returns the other triangle touched, or -1.
static int32_t cutTurnLongest(const brCutPoint* points, int32_t (*triangles)[3], int32_t* twins, int32_t* sources,
							  bool* isIntact, int32_t t)
{
	int32_t m = cutMiddleCorner(points, triangles[t]);
	int32_t i = (m + 1) % 3, j = (m + 2) % 3;
	int32_t a = triangles[t][i], b = triangles[t][j], c = triangles[t][m];
	int32_t across = twins[3 * t + i], beyondB = twins[3 * t + j], beyondC = twins[3 * t + m];
	if (across < 0)
	{
		cutLink(twins, beyondB, -1);
		cutLink(twins, beyondC, -1);
		cutKill(triangles[t]);
		return -1;
	}
	int32_t n = across / 3, k = across % 3;
	if (n == t)
	{
		return -1;
	}
	if (isIntact != NULL)
	{
		isIntact[n] = false;
	}
	int32_t d = triangles[n][(k + 2) % 3];
	int32_t alongA = twins[3 * n + (k + 1) % 3], alongB = twins[3 * n + (k + 2) % 3];
	if (d == c)
	{
		if (beyondC != 3 * n + (k + 1) % 3)
		{
			cutLink(twins, beyondC, alongA);
		}
		if (beyondB != 3 * n + (k + 2) % 3)
		{
			cutLink(twins, beyondB, alongB);
		}
		cutKill(triangles[t]);
		cutKill(triangles[n]);
		return -1;
	}
	triangles[t][0] = a, triangles[t][1] = d, triangles[t][2] = c;
	triangles[n][0] = d, triangles[n][1] = b, triangles[n][2] = c;
	cutLink(twins, 3 * t, alongA);
	cutLink(twins, 3 * t + 1, 3 * n + 2);
	cutLink(twins, 3 * t + 2, beyondC);
	cutLink(twins, 3 * n, alongB);
	cutLink(twins, 3 * n + 1, beyondB);
	sources[t] = sources[n];
	return n;
}

int32_t brCut_RemoveFlat(brCutJob* job, int32_t (*triangles)[3], int32_t* twins, int32_t* sources, bool* isIntact,
						 brCutInts* queue, int32_t* outRemoved)
{
	const brCutPoint* points = job->points.data;
	int32_t removed = 0;
	int64_t budget = 64 * (int64_t)queue->count + 64;
	for (int32_t next = 0; next < queue->count && budget > 0; ++next, --budget)
	{
		int32_t t = queue->data[next];
		int32_t* v = triangles[t];
		if (v[0] < 0 || !brCut_IsFlat(points, v))
		{
			continue;
		}
		removed += 1;
		if (isIntact != NULL)
		{
			isIntact[t] = false;
		}
		int32_t other = -1;
		if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])
		{
			int32_t k = v[0] == v[1] ? 0 : v[1] == v[2] ? 1 : 2;
			int32_t x = twins[3 * t + (k + 1) % 3], y = twins[3 * t + (k + 2) % 3];
			if (x != 3 * t + (k + 2) % 3)
			{
				cutLink(twins, x, y);
			}
			cutLink(twins, twins[3 * t + k], -1);
			cutKill(v);
		}
		else
		{
			other = cutTurnLongest(points, triangles, twins, sources, isIntact, t);
		}
		bool isMore = v[0] >= 0 && brCut_IsFlat(points, v);
		bool isOther = other >= 0 && brCut_IsFlat(points, triangles[other]);
		if ((isMore && !BR_PUSH(&job->allocator, queue, t)) || (isOther && !BR_PUSH(&job->allocator, queue, other)))
		{
			brCut_FailMemory(job);
			return -1;
		}
	}
	int32_t left = 0;
	for (int32_t i = 0; i < queue->count; ++i)
	{
		int32_t t = queue->data[i];
		left += triangles[t][0] >= 0 && brCut_IsFlat(points, triangles[t]);
	}
	*outRemoved += removed;
	return left;
}
