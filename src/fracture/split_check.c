// SPDX-License-Identifier: MIT

// Whether the faces of a cut stay inside the part that they cut: bumps may come out of a thin wall, or a curved face out of an edge that it meets at
// a small angle. The faces themselves are a graph over their plane or ball and cannot cross each other.

#include "fracture/split.h"

#include "narrow/triangle_pair.h"

#include <math.h>

// Of the product of three edges: a volume larger than this has the sign that exact numbers give it. Differences, products
// and their sums are off by at most twelve roundings of 1.1e-16.
#define CHECK_SURE 4e-15

typedef struct CheckTriangle
{
	brDBox3 box;
	int32_t corners[3];
} CheckTriangle;

// fmin and fmax without their care for what is no number.
static double checkLess(double a, double b)
{
	return a < b ? a : b;
}

static double checkMore(double a, double b)
{
	return a > b ? a : b;
}

static CheckTriangle checkTriangle(const brSplit* split, const int32_t corners[3])
{
	const brDVec3* at = split->positions.data;
	CheckTriangle out = {.corners = {corners[0], corners[1], corners[2]}};
	brDVec3 a = at[corners[0]], b = at[corners[1]], c = at[corners[2]];
	out.box.lower = brMakeDVec3(checkLess(a.x, checkLess(b.x, c.x)), checkLess(a.y, checkLess(b.y, c.y)),
								checkLess(a.z, checkLess(b.z, c.z)));
	out.box.upper = brMakeDVec3(checkMore(a.x, checkMore(b.x, c.x)), checkMore(a.y, checkMore(b.y, c.y)),
								checkMore(a.z, checkMore(b.z, c.z)));
	return out;
}

// Whether the corners of b that a does not have are all on one side of its plane: then they share no more than corners.
static bool checkIsBeside(const CheckTriangle* a, const brDVec3 p[3], const CheckTriangle* b, const brDVec3 q[3])
{
	brDVec3 ab = brDSub(p[1], p[0]), ac = brDSub(p[2], p[0]), normal = brDCross(ab, ac);
	double edges = CHECK_SURE * brDLength(ab) * brDLength(ac);
	bool isOver = true, isUnder = true, isOther = false;
	for (int k = 0; k < 3; ++k)
	{
		int32_t v = b->corners[k];
		if (v != a->corners[0] && v != a->corners[1] && v != a->corners[2])
		{
			brDVec3 aq = brDSub(q[k], p[0]);
			double above = brDDot(normal, aq), sure = edges * brDLength(aq);
			isOther = true;
			isOver = isOver && above > sure;
			isUnder = isUnder && above < -sure;
		}
	}
	return isOther && (isOver || isUnder);
}

static bool checkMeets(const brSplit* split, const CheckTriangle* a, const CheckTriangle* b)
{
	if (!brDBox3_Overlaps(a->box, b->box))
	{
		return false;
	}
	const brDVec3* at = split->positions.data;
	brDVec3 p[3] = {at[a->corners[0]], at[a->corners[1]], at[a->corners[2]]};
	brDVec3 q[3] = {at[b->corners[0]], at[b->corners[1]], at[b->corners[2]]};
	if (checkIsBeside(a, p, b, q) || checkIsBeside(b, q, a, p) || brTrianglePair_AreApart(p, q))
	{
		return false;
	}
	return brTrianglePair_MeetsBeyond(p, a->corners, q, b->corners);
}

// Whether one triangle of the surface meets a face; `boxes` hold groups of eight faces each.
static bool checkSurface(const brSplit* split, const CheckTriangle* triangle, const CheckTriangle* faces,
						 const brDBox3* boxes, int32_t count)
{
	for (int32_t first = 0; first < count; first += 8)
	{
		for (int32_t n = first; n < count && n < first + 8 && brDBox3_Overlaps(triangle->box, boxes[first / 8]); ++n)
		{
			if (checkMeets(split, triangle, &faces[n]))
			{
				return true;
			}
		}
	}
	return false;
}

// Between which heights over the plane of a cut its faces lie; all heights for a ball.
typedef struct CheckSlab
{
	brDVec3 normal;
	double lower, upper;
} CheckSlab;

static CheckSlab checkSlab(const brSplit* split, const brSplitShape* shape, const brDBox3* all)
{
	if (shape->radius > 0.0)
	{
		return (CheckSlab){{0.0, 0.0, 0.0}, -1.0, 1.0};
	}
	CheckSlab slab = {shape->n, INFINITY, -INFINITY};
	for (int32_t i = 0; i < split->corners.count; ++i)
	{
		double height = brDDot(shape->n, split->positions.data[split->corners.data[i]]);
		slab.lower = checkLess(slab.lower, height);
		slab.upper = checkMore(slab.upper, height);
	}
	// No rounding has put a point beyond that.
	double sure = CHECK_SURE * (brDLength(all->lower) + brDLength(all->upper));
	slab.lower -= sure, slab.upper += sure;
	return slab;
}

static bool checkIsOff(const CheckSlab* slab, const brDVec3* at, const int32_t corners[3])
{
	double a = brDDot(slab->normal, at[corners[0]]), b = brDDot(slab->normal, at[corners[1]]),
		   c = brDDot(slab->normal, at[corners[2]]);
	return (a > slab->upper && b > slab->upper && c > slab->upper) ||
		   (a < slab->lower && b < slab->lower && c < slab->lower);
}

bool brSplit_IsInside(const brSplit* split, const brSplitShape* shape, bool* outIsInside)
{
	const brAllocator* a = &split->allocator;
	int32_t count = split->corners.count / 3, groups = (count + 7) / 8;
	CheckTriangle* faces = BR_ALLOC(a, CheckTriangle, count);
	brDBox3* boxes = BR_ALLOC(a, brDBox3, groups);
	bool isGood = faces != NULL && boxes != NULL;
	brDBox3 all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
	for (int32_t n = 0; isGood && n < count; ++n)
	{
		faces[n] = checkTriangle(split, split->corners.data + 3 * (int64_t)n);
		boxes[n / 8] = n % 8 == 0 ? faces[n].box : brDBox3_Union(boxes[n / 8], faces[n].box);
		all = brDBox3_Union(all, faces[n].box);
	}
	CheckSlab slab = checkSlab(split, shape, &all);
	*outIsInside = true;
	const brSplitTriangles* sides[2] = {&split->below, &split->above};
	for (int32_t k = 0; isGood && k < 2; ++k)
	{
		for (int32_t t = 0; t < sides[k]->count && *outIsInside; ++t)
		{
			const int32_t* corners = sides[k]->data[t].corners;
			if (checkIsOff(&slab, split->positions.data, corners))
			{
				continue;
			}
			CheckTriangle triangle = checkTriangle(split, corners);
			*outIsInside = !brDBox3_Overlaps(triangle.box, all) || !checkSurface(split, &triangle, faces, boxes, count);
		}
	}
	BR_FREE(a, faces, count);
	BR_FREE(a, boxes, groups);
	return isGood;
}
