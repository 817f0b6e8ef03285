// SPDX-License-Identifier: MIT

// Convex hull of points, one point at a time.
//
// A point outside sees some triangles of the hull so far; they go, and the rim of the hole is joined to the point. Which
// triangles it sees is decided by the exact predicate, strictly: a point in the plane of a triangle does not see it. A rim edge
// is then never in line with the point (it would lie in the planes of both its triangles, which would both be unseen), so no
// triangle is flat and the surface stays closed. Cost: points times triangles, which is fine for the small hulls that bodies
// have. Then triangles near one plane, largest first, are joined into polygons, since contacts are clipped between polygons.

#include "base/array.h"
#include "contact/shape.h"
#include "math/predicates.h"

typedef struct HullTriangle
{
	int32_t v[3];
	int32_t face; // polygon, or -1
	bool isSeen;
} HullTriangle;

typedef struct HullEdge
{
	int32_t a, b;
} HullEdge;

typedef struct HullWork
{
	brAllocator allocator;
	const brDVec3* points;
	int32_t pointCount;
	BR_ARRAY(HullTriangle) triangles;
	BR_ARRAY(HullEdge) rim;
	BR_ARRAY(int32_t) corners;
	BR_ARRAY(int32_t) faceStarts;
} HullWork;

static brDVec3 hullArea(const HullWork* work, const HullTriangle* t)
{
	const brDVec3* p = work->points;
	return brDCross(brDSub(p[t->v[1]], p[t->v[0]]), brDSub(p[t->v[2]], p[t->v[0]]));
}

// Four points that span space, as large as a greedy choice finds. False if all lie in one plane.
static bool hullStart(const HullWork* work, int32_t out[4])
{
	const brDVec3* p = work->points;
	int32_t count = work->pointCount;
	double best = -1.0;
	out[0] = 0, out[1] = -1, out[2] = -1, out[3] = -1;
	for (int32_t i = 1; i < count; ++i)
	{
		double d = brDLengthSq(brDSub(p[i], p[0]));
		if (d > best)
		{
			best = d, out[1] = i;
		}
	}
	best = 0.0;
	for (int32_t i = 1; i < count; ++i)
	{
		double d = brDLengthSq(brDCross(brDSub(p[out[1]], p[0]), brDSub(p[i], p[0])));
		if (d > best)
		{
			best = d, out[2] = i;
		}
	}
	if (out[2] < 0)
	{
		return false;
	}
	best = -1.0;
	brDVec3 normal = brDCross(brDSub(p[out[1]], p[0]), brDSub(p[out[2]], p[0]));
	for (int32_t i = 1; i < count; ++i)
	{
		double d = fabs(brDDot(normal, brDSub(p[i], p[0])));
		if (d > best && brOrient3d(p[0], p[out[1]], p[out[2]], p[i]) != 0)
		{
			best = d, out[3] = i;
		}
	}
	if (out[3] < 0)
	{
		return false;
	}
	if (brOrient3d(p[0], p[out[1]], p[out[2]], p[out[3]]) < 0)
	{
		int32_t swap = out[1];
		out[1] = out[2], out[2] = swap;
	}
	return true;
}

static bool hullAddPoint(HullWork* work, int32_t point)
{
	const brDVec3* p = work->points;
	work->rim.count = 0;
	bool isOutside = false;
	for (int32_t i = 0; i < work->triangles.count; ++i)
	{
		HullTriangle* t = &work->triangles.data[i];
		t->isSeen = brOrient3d(p[t->v[0]], p[t->v[1]], p[t->v[2]], p[point]) > 0;
		isOutside = isOutside || t->isSeen;
	}
	if (!isOutside)
	{
		return true;
	}

	// The rim: edges of seen triangles whose other side is not seen.
	for (int32_t i = 0; i < work->triangles.count; ++i)
	{
		const HullTriangle* t = &work->triangles.data[i];
		for (int32_t k = 0; k < 3 && t->isSeen; ++k)
		{
			int32_t a = t->v[k], b = t->v[(k + 1) % 3];
			int32_t twin = 0;
			while (twin < work->rim.count && !(work->rim.data[twin].a == b && work->rim.data[twin].b == a))
			{
				twin += 1;
			}
			if (twin < work->rim.count)
			{
				work->rim.data[twin] = work->rim.data[--work->rim.count];
			}
			else if (!BR_PUSH(&work->allocator, &work->rim, (HullEdge){a, b}))
			{
				return false;
			}
		}
	}
	int32_t kept = 0;
	for (int32_t i = 0; i < work->triangles.count; ++i)
	{
		if (!work->triangles.data[i].isSeen)
		{
			work->triangles.data[kept++] = work->triangles.data[i];
		}
	}
	work->triangles.count = kept;
	for (int32_t i = 0; i < work->rim.count; ++i)
	{
		HullTriangle t = {{work->rim.data[i].a, work->rim.data[i].b, point}, -1, false};
		if (!BR_PUSH(&work->allocator, &work->triangles, t))
		{
			return false;
		}
	}
	return true;
}

// The unassigned triangle with the largest area, or -1.
static int32_t hullLargest(const HullWork* work)
{
	int32_t seed = -1;
	double largest = -1.0;
	for (int32_t i = 0; i < work->triangles.count; ++i)
	{
		const HullTriangle* t = &work->triangles.data[i];
		double area = t->face < 0 ? brDLengthSq(hullArea(work, t)) : -1.0;
		if (area > largest)
		{
			largest = area, seed = i;
		}
	}
	return seed;
}

static bool hullSharesEdge(const HullTriangle* a, const HullTriangle* b)
{
	int32_t shared = 0;
	for (int32_t i = 0; i < 3; ++i)
	{
		shared += a->v[i] == b->v[0] || a->v[i] == b->v[1] || a->v[i] == b->v[2];
	}
	return shared == 2;
}

// One polygon out of the largest triangle left and all that join it near its plane.
static bool hullGrowFace(HullWork* work, int32_t seed, int32_t face, double tolerance)
{
	const brDVec3* p = work->points;
	HullTriangle* triangles = work->triangles.data;
	brDVec3 normal = brDNormalize(hullArea(work, &triangles[seed]));
	brDVec3 origin = p[triangles[seed].v[0]];
	triangles[seed].face = face;
	for (bool hasGrown = true; hasGrown;)
	{
		hasGrown = false;
		for (int32_t i = 0; i < work->triangles.count; ++i)
		{
			bool isNear = triangles[i].face < 0 && brDDot(normal, hullArea(work, &triangles[i])) > 0.0;
			for (int32_t k = 0; k < 3 && isNear; ++k)
			{
				isNear = fabs(brDDot(normal, brDSub(p[triangles[i].v[k]], origin))) <= tolerance;
			}
			bool isBeside = false;
			for (int32_t j = 0; j < work->triangles.count && isNear && !isBeside; ++j)
			{
				isBeside = triangles[j].face == face && hullSharesEdge(&triangles[i], &triangles[j]);
			}
			if (isBeside)
			{
				triangles[i].face = face;
				hasGrown = true;
			}
		}
	}

	// Its outline: directed edges whose twin is in another polygon, one after the other.
	work->rim.count = 0;
	for (int32_t i = 0; i < work->triangles.count; ++i)
	{
		for (int32_t k = 0; k < 3 && triangles[i].face == face; ++k)
		{
			HullEdge edge = {triangles[i].v[k], triangles[i].v[(k + 1) % 3]};
			bool isInner = false;
			for (int32_t j = 0; j < work->triangles.count && !isInner; ++j)
			{
				for (int32_t m = 0; m < 3 && triangles[j].face == face; ++m)
				{
					isInner = isInner || (triangles[j].v[m] == edge.b && triangles[j].v[(m + 1) % 3] == edge.a);
				}
			}
			if (!isInner && !BR_PUSH(&work->allocator, &work->rim, edge))
			{
				return false;
			}
		}
	}
	int32_t at = work->rim.data[0].a;
	for (int32_t step = 0; step < work->rim.count; ++step)
	{
		if (!BR_PUSH(&work->allocator, &work->corners, at))
		{
			return false;
		}
		int32_t next = 0;
		while (next < work->rim.count && work->rim.data[next].a != at)
		{
			next += 1;
		}
		at = work->rim.data[next].b;
	}
	return BR_PUSH(&work->allocator, &work->faceStarts, work->corners.count);
}

brResult brMakeHull(const brContext* context, const brDVec3* points, int32_t pointCount, double tolerance,
					brMesh** outHull, brReport* report)
{
	HullWork work = {.allocator = brContext_Allocator(context), .points = points, .pointCount = pointCount};
	brResult result = br_success;
	int32_t* remap = NULL;
	brDVec3* used = NULL;
	int32_t start[4];
	for (int32_t i = 0; i < pointCount; ++i)
	{
		if (!brDIsFinite(points[i]))
		{
			return brFailAt(report, br_errorGeometry, i, "point %d of the hull is not finite", i);
		}
	}
	if (pointCount < 4 || !hullStart(&work, start))
	{
		return brFail(report, br_errorGeometry, "the %d points of the hull lie in one plane", pointCount);
	}

	bool isGood = true;
	for (int32_t k = 0; k < 4 && isGood; ++k)
	{
		// Faces of a positive tet, outward: opposite its corner k.
		static const int32_t sides[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
		HullTriangle t = {{start[sides[k][0]], start[sides[k][1]], start[sides[k][2]]}, -1, false};
		isGood = BR_PUSH(&work.allocator, &work.triangles, t);
	}
	for (int32_t i = 0; i < pointCount && isGood; ++i)
	{
		isGood = hullAddPoint(&work, i);
		if (isGood && work.triangles.count > 2 * BR_HULL_MAX_VERTICES)
		{
			result = brFail(report, br_errorLimit, "the hull has more than %d corners", BR_HULL_MAX_VERTICES);
			goto exit;
		}
	}
	isGood = isGood && BR_PUSH(&work.allocator, &work.faceStarts, 0);
	for (int32_t seed = hullLargest(&work), face = 0; seed >= 0 && isGood; seed = hullLargest(&work), ++face)
	{
		isGood = hullGrowFace(&work, seed, face, tolerance);
	}
	remap = isGood ? BR_ALLOC(&work.allocator, int32_t, pointCount) : NULL;
	used = remap != NULL ? BR_ALLOC(&work.allocator, brDVec3, pointCount) : NULL;
	if (used == NULL)
	{
		result = brFailMemory(report);
		goto exit;
	}

	// Only the points that polygons use, in their order.
	int32_t usedCount = 0;
	for (int32_t i = 0; i < pointCount; ++i)
	{
		remap[i] = -1;
	}
	for (int32_t i = 0; i < work.corners.count; ++i)
	{
		remap[work.corners.data[i]] = 0;
	}
	for (int32_t i = 0; i < pointCount; ++i)
	{
		if (remap[i] == 0)
		{
			remap[i] = usedCount;
			used[usedCount++] = points[i];
		}
	}
	for (int32_t i = 0; i < work.corners.count; ++i)
	{
		work.corners.data[i] = remap[work.corners.data[i]];
	}
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = usedCount;
	def.positions = used;
	def.faceCount = work.faceStarts.count - 1;
	def.faceStarts = work.faceStarts.data;
	def.corners = work.corners.data;
	result = brCreateMesh(context, &def, outHull, report);

exit:
	BR_FREE_ARRAY(&work.allocator, &work.triangles);
	BR_FREE_ARRAY(&work.allocator, &work.rim);
	BR_FREE_ARRAY(&work.allocator, &work.corners);
	BR_FREE_ARRAY(&work.allocator, &work.faceStarts);
	BR_FREE(&work.allocator, remap, pointCount);
	BR_FREE(&work.allocator, used, pointCount);
	return result;
}
