// SPDX-License-Identifier: MIT

// A ray against each kind of shape. Round ones by their equations, polytopes by clipping at their planes, triangles
// through their tree: boxes of eight groups at a time, then each triangle in axes of its own.

#include "contact/ray.h"

#include "contact/solid.h"

// Neighbors are float each in its own axes: their sides are this share of the size thick, so that no ray slips between.
#define RAY_SEAM 1e-6

// The distance of what the ray begins in.
#define RAY_BEGINS 0.0

// Both ends of the way through a ball about the origin, or of an endless cylinder along z.
static bool rayRound(double bb, double b, double c, double* outEnter, double* outLeave)
{
	double square = b * b - bb * c;
	if (!(square >= 0.0) || !(bb > 0.0))
	{
		return false;
	}
	double root = sqrt(square);
	*outEnter = (-b - root) / bb;
	*outLeave = (-b + root) / bb;
	return true;
}

static double rayBall(brDVec3 center, double radius, brDVec3 origin, brDVec3 direction, brDVec3* outNormal)
{
	brDVec3 o = brDSub(origin, center);
	double enter, leave;
	if (!rayRound(1.0, brDDot(o, direction), brDDot(o, o) - radius * radius, &enter, &leave) || leave < 0.0)
	{
		return INFINITY;
	}
	*outNormal = enter > 0.0 ? brDMul(1.0 / radius, brDMulAdd(o, enter, direction)) : brDNeg(direction);
	return fmax(enter, RAY_BEGINS);
}

static double rayCapsule(const brShape* shape, brDVec3 o, brDVec3 d, brDVec3* outNormal)
{
	double radius = shape->round, half = shape->halfLength;
	double best = INFINITY;
	for (int end = -1; end <= 1; end += 2)
	{
		brDVec3 normal;
		double t = rayBall(brMakeDVec3(0.0, 0.0, end * half), radius, o, d, &normal);
		if (t < best)
		{
			best = t, *outNormal = normal;
		}
	}
	double enter, leave;
	double side = d.x * d.x + d.y * d.y, c = o.x * o.x + o.y * o.y - radius * radius;
	if (c <= 0.0 && fabs(o.z) <= half)
	{
		*outNormal = brDNeg(d);
		return RAY_BEGINS;
	}
	if (rayRound(side, o.x * d.x + o.y * d.y, c, &enter, &leave) && enter >= 0.0 && enter < best &&
		fabs(o.z + enter * d.z) <= half)
	{
		*outNormal = brMakeDVec3((o.x + enter * d.x) / radius, (o.y + enter * d.y) / radius, 0.0);
		return enter;
	}
	return best;
}

static double rayPolytope(const brShape* shape, brDVec3 o, brDVec3 d, double reach, brDVec3* outNormal)
{
	const brVec4* planes = brShape_Planes(shape);
	double enter = -INFINITY, leave = INFINITY;
	int32_t face = -1;
	for (int32_t i = 0; i < shape->faceCount; ++i)
	{
		brDVec3 n = {planes[i].x, planes[i].y, planes[i].z};
		double height = brDDot(n, o) - (double)planes[i].w, falls = brDDot(n, d);
		if (height > 0.0 && height + reach * falls > 0.0)
		{
			return INFINITY; // above one face all the way
		}
		if (falls < 0.0 && -height / falls > enter)
		{
			enter = -height / falls, face = i;
		}
		leave = falls > 0.0 ? fmin(leave, -height / falls) : leave;
		if (falls == 0.0 && height > 0.0)
		{
			return INFINITY;
		}
	}
	if (enter > leave || leave < 0.0)
	{
		return INFINITY;
	}
	*outNormal = enter > 0.0 ? brMakeDVec3(planes[face].x, planes[face].y, planes[face].z) : brDNeg(d);
	return fmax(enter, RAY_BEGINS);
}

// Where the ray goes into the front of a triangle.
static double rayTriangle(const brTriangleGroup* g, int lane, brDVec3 o, brDVec3 d, double slack, brDVec3* outNormal)
{
	brDVec3 n = {g->normal[0][lane], g->normal[1][lane], g->normal[2][lane]};
	brDVec3 a = {g->corner[0][lane], g->corner[1][lane], g->corner[2][lane]};
	double falls = brDDot(n, d);
	double t = falls < 0.0 ? brDDot(n, brDSub(a, o)) / falls : -1.0;
	if (!(t >= 0.0))
	{
		return INFINITY;
	}
	brDVec3 q = brDSub(brDMulAdd(o, t, d), a);
	brDVec3 along = {g->along[0][lane], g->along[1][lane], g->along[2][lane]};
	brDVec3 up = {g->up[0][lane], g->up[1][lane], g->up[2][lane]};
	double x = brDDot(q, along), y = brDDot(q, up);
	double length = g->length[lane], cx = g->cx[lane], cy = g->cy[lane], back = cx - length;
	// Heights over the three sides.
	double left = (x * cy - y * cx) / sqrt(cx * cx + cy * cy);
	double right = (back * y - cy * (x - length)) / sqrt(back * back + cy * cy);
	if (!(y >= -slack && left >= -slack && right >= -slack))
	{
		return INFINITY;
	}
	*outNormal = n;
	return t;
}

typedef struct RayQuery
{
	const brSolid* solid;
	brDVec3 o, d, normal;
	double slack, best, length; // what is walked, in lengths of d
	int32_t place;
} RayQuery;

// Of equals the lowest, in whatever order groups are visited.
static double rayVisit(int32_t group, double limit, void* user)
{
	RayQuery* query = user;
	int32_t first = BR_TRIANGLE_LANES * group, end = first + BR_TRIANGLE_LANES;
	for (int32_t place = first; place < end && place < query->solid->triangleCount; ++place)
	{
		brDVec3 normal;
		double t = rayTriangle(&query->solid->groups[group], place - first, query->o, query->d, query->slack, &normal);
		if (t < query->best || (t == query->best && place < query->place && t < INFINITY))
		{
			query->best = t, query->place = place, query->normal = normal;
			limit = t / query->length;
		}
	}
	return limit;
}

static double rayTriangles(const brShape* shape, brDVec3 o, brDVec3 d, double reach, brDVec3* outNormal)
{
	brSolid solid = brMakeSolid(shape);
	brDVec3 fromBox = brDSub(o, brToDVec3(shape->boxCenter));
	bool isInBox = fabs(fromBox.x) <= (double)shape->half.x && fabs(fromBox.y) <= (double)shape->half.y &&
				   fabs(fromBox.z) <= (double)shape->half.z;
	brFieldAnswer answer;
	if (isInBox && !solid.isOpen && brSolid_Field(&solid, brToVec3(o), 0.0f, &answer) && answer.distance <= 0.0f)
	{
		*outNormal = brDNeg(d);
		return RAY_BEGINS;
	}
	double slack = RAY_SEAM * (double)shape->radius, speed = brDLength(d);
	if (!(speed > 0.0))
	{
		return INFINITY;
	}
	// Nothing lies beyond the far side of the box.
	double most = (brDLength(fromBox) + 4.0 * (double)shape->radius) / speed;
	RayQuery query = {&solid, o, d, {0.0, 0.0, 0.0}, slack, reach, fmin(reach, most), INT32_MAX};
	brTreeSegment segment = brMakeTreeSegment(o, brDMulAdd(o, query.length, d), (float)slack);
	brWalkSegmentPlain(&solid.tree, &segment, rayVisit, &query);
	*outNormal = query.place < INT32_MAX ? query.normal : *outNormal;
	return query.place < INT32_MAX ? query.best : INFINITY;
}

double brShape_CastRay(const brShape* shape, brDVec3 origin, brDVec3 direction, double reach, brDVec3* outNormal)
{
	double t = INFINITY;
	switch (shape->kind)
	{
		case br_shapeHalfSpace:
			*outNormal = origin.z > 0.0 ? brMakeDVec3(0.0, 0.0, 1.0) : brDNeg(direction);
			t = origin.z <= 0.0 ? RAY_BEGINS : direction.z < 0.0 ? -origin.z / direction.z : INFINITY;
			break;
		case br_shapeSphere:
			t = rayBall(brMakeDVec3(0.0, 0.0, 0.0), (double)shape->round, origin, direction, outNormal);
			break;
		case br_shapeCapsule:
			t = rayCapsule(shape, origin, direction, outNormal);
			break;
		case br_shapeBox:
		case br_shapeHull:
			t = rayPolytope(shape, origin, direction, reach, outNormal);
			break;
		default:
			t = rayTriangles(shape, origin, direction, reach, outNormal);
			break;
	}
	return t <= reach ? t : INFINITY;
}
