// SPDX-License-Identifier: MIT

// Looking at planes: along which axis, in which order around an edge, and how often a surface winds around a point.

#include "cut/cut_job.h"
#include "math/predicates.h"

#include <stdatomic.h>

static int32_t cutViewSign(const brCutJob* job, const int32_t* v, int32_t axis)
{
	const brCutPoint* p = job->points.data;
	return brOrient2d(brCutFlatten(p[v[0]].at, axis), brCutFlatten(p[v[1]].at, axis), brCutFlatten(p[v[2]].at, axis));
}

int32_t brCut_View(brCutJob* job, int32_t triangle, int32_t* outSign)
{
	// Workers that ask at once write the same answer.
	uint8_t view = atomic_load_explicit(&job->views[triangle], memory_order_relaxed);
	if (view == 0)
	{
		// The axis nearest to the normal if it shows an area, else any that does; a triangle with an area has one.
		const int32_t* v = job->triangles[triangle];
		brDVec3 a = job->points.data[v[0]].at;
		brDVec3 n = brDCross(brDSub(job->points.data[v[1]].at, a), brDSub(job->points.data[v[2]].at, a));
		double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
		int32_t axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
		int32_t sign = cutViewSign(job, v, axis);
		for (int k = 0; k < 2 && sign == 0; ++k)
		{
			axis = (axis + 1) % 3;
			sign = cutViewSign(job, v, axis);
		}
		view = (uint8_t)(axis + 1 + (sign < 0 ? 4 : 0));
		atomic_store_explicit(&job->views[triangle], view, memory_order_relaxed);
	}
	*outSign = view >= 4 ? -1 : 1;
	return (view & 3) - 1;
}

int32_t brCut_TurnOn(brCutJob* job, int32_t triangle, int32_t a, int32_t b, int32_t c)
{
	int32_t sign;
	int32_t axis = brCut_View(job, triangle, &sign);
	return sign * brCutSpace_Turn(&job->space, a, b, c, axis);
}

// A vertex of the triangle strictly on the half-plane's side: opposite to the axis if that runs along an edge.
static int32_t cutApex(brCutJob* job, int32_t a, int32_t b, const brCutHalfPlane* plane)
{
	const int32_t* v = job->triangles[plane->triangle];
	if (plane->edge >= 0)
	{
		return v[(plane->edge % 3 + 2) % 3];
	}
	for (int k = 0; k < 3; ++k)
	{
		if (v[k] != a && v[k] != b && brCut_TurnOn(job, plane->triangle, a, b, v[k]) == (plane->isLeft ? 1 : -1))
		{
			return v[k];
		}
	}
	return -1;
}

// +1: q is less than half a turn counter-clockwise from p, -1: clockwise, 0: same or opposite.
static int32_t cutTurnBetween(const brCutJob* job, const brCutHalfPlane* p, const brCutHalfPlane* q)
{
	const int32_t* v = job->triangles[p->triangle];
	if (p->triangle == q->triangle || q->apex == v[0] || q->apex == v[1] || q->apex == v[2])
	{
		return 0;
	}
	const brCutPoint* points = job->points.data;
	int32_t side = brOrient3d(points[v[0]].at, points[v[1]].at, points[v[2]].at, points[q->apex].at);
	return p->isLeft ? side : -side;
}

// For half-planes in one plane: whether they are the same.
static bool cutIsSameHalf(brCutJob* job, int32_t a, int32_t b, const brCutHalfPlane* p, const brCutHalfPlane* q)
{
	if (p->triangle == q->triangle)
	{
		return p->isLeft == q->isLeft;
	}
	return brCut_TurnOn(job, p->triangle, a, b, q->apex) == (p->isLeft ? 1 : -1);
}

// Quarter of a turn, roughly, from the first: 0 same, 1 less than half a turn, 2 half, 3 more.
static int32_t cutQuarter(brCutJob* job, int32_t a, int32_t b, const brCutHalfPlane* first, const brCutHalfPlane* plane)
{
	int32_t turn = cutTurnBetween(job, first, plane);
	if (turn != 0)
	{
		return turn > 0 ? 1 : 3;
	}
	return cutIsSameHalf(job, a, b, first, plane) ? 0 : 2;
}

int32_t brCut_SortAround(brCutJob* job, int32_t a, int32_t b, brCutHalfPlane* planes, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		planes[i].apex = cutApex(job, a, b, &planes[i]);
		if (planes[i].apex < 0)
		{
			int32_t face = job->faces[planes[i].triangle];
			brCut_Fail(job, br_errorGeometry, face, "face %d has no side at one of its edges", face);
			return -1;
		}
		planes[i].cluster = i == 0 ? 0 : cutQuarter(job, a, b, &planes[0], &planes[i]);
	}
	// Insertion: by quarter, then by turn. The order within a cluster stays that of the input.
	for (int32_t i = 1; i < count; ++i)
	{
		brCutHalfPlane plane = planes[i];
		int32_t j = i;
		while (j > 0)
		{
			const brCutHalfPlane* before = &planes[j - 1];
			bool isAfter = before->cluster != plane.cluster           ? before->cluster < plane.cluster
						   : plane.cluster == 0 || plane.cluster == 2 ? true
																	  : cutTurnBetween(job, before, &plane) >= 0;
			if (isAfter)
			{
				break;
			}
			planes[j] = planes[j - 1];
			j -= 1;
		}
		planes[j] = plane;
	}
	int32_t cluster = 0, quarter = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		bool isNew = i > 0 && (planes[i].cluster != quarter ||
							   (quarter != 0 && quarter != 2 && cutTurnBetween(job, &planes[i - 1], &planes[i]) != 0));
		quarter = planes[i].cluster;
		cluster += isNew;
		planes[i].cluster = cluster;
		// The comparison with the next one reads quarters, which are those of planes not yet renumbered.
	}
	return cluster + 1;
}

// Sign of (e, e^2, e^3) . normal of a triangle
static int32_t cutMoveSign(const brCutPoint* points, const int32_t* v)
{
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		int32_t sign = brOrient2d(brCutFlatten(points[v[0]].at, axis), brCutFlatten(points[v[1]].at, axis),
								  brCutFlatten(points[v[2]].at, axis));
		if (sign != 0)
		{
			return sign;
		}
	}
	return 0;
}

int32_t brCut_MoveSide(const brCutJob* job, int32_t triangle)
{
	return cutMoveSign(job->points.data, job->triangles[triangle]);
}

// Turn of a, b and a point moved by (e, e^2), seen from above. 0 only if a and b are above each other.
static int32_t cutColumnTurn(brCutJob* job, brDVec3 a, brDVec3 b, const brCutPoint* point)
{
	int32_t turn = brCutSpace_TurnOf(&job->space, a, b, point, 2);
	if (turn == 0)
	{
		turn = a.y != b.y ? (a.y > b.y ? 1 : -1) : b.x != a.x ? (b.x > a.x ? 1 : -1) : 0;
	}
	return turn;
}

int32_t brCut_Winding(brCutJob* job, int32_t mesh, const brCutPoint* point)
{
	const brCutPoint* points = job->points.data;
	int32_t begin = mesh == 0 ? 0 : job->sourceCount, end = mesh == 0 ? job->sourceCount : job->triangleCount;
	double slack = 16.0 * BR_PREDICATE_U * job->reach;
	double x = point->at.x, y = point->at.y, z = point->at.z;
	int32_t winding = 0;
	for (int32_t t = begin; t < end; ++t)
	{
		const int32_t* v = job->triangles[t];
		const brDVec3 *a = &points[v[0]].at, *b = &points[v[1]].at, *c = &points[v[2]].at;
		if ((a->x < x - slack && b->x < x - slack && c->x < x - slack) ||
			(a->x > x + slack && b->x > x + slack && c->x > x + slack) ||
			(a->y < y - slack && b->y < y - slack && c->y < y - slack) ||
			(a->y > y + slack && b->y > y + slack && c->y > y + slack) ||
			(a->z < z - slack && b->z < z - slack && c->z < z - slack))
		{
			continue;
		}
		int32_t first = cutColumnTurn(job, *a, *b, point);
		if (first == 0 || cutColumnTurn(job, *b, *c, point) != first || cutColumnTurn(job, *c, *a, point) != first)
		{
			continue;
		}
		int32_t side = brCutSpace_Side(&job->space, *a, *b, *c, point);
		side = side != 0 ? side : cutMoveSign(points, v);
		// Below the triangle: the ray goes through it.
		winding += side * first < 0 ? first : 0;
	}
	return winding;
}
