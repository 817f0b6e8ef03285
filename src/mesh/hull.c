// SPDX-License-Identifier: MIT

// Convex hull of points, one point at a time.
//
// A point outside sees some triangles of the hull so far; they go, and the rim of the hole is joined to the point.
// Which triangles it sees is decided exactly and strictly: a point in the plane of a triangle does not see it. A rim
// edge is then never in line with the point (it would lie in the planes of both its triangles, which would both be
// unseen), so no triangle is flat and the surface stays closed. Each triangle keeps its plane in plain doubles, which
// answers unless the point is within the rounding of it; then the exact predicate does. Cost: points times triangles,
// which is fine for the small hulls that bodies have. Then triangles near one plane, largest first, are joined into
// polygons, since contacts are clipped between polygons.

#include "mesh/hull.h"

#include "base/memory.h"
#include "math/predicates.h"

#include <string.h>

typedef struct HullTriangle
{
	int32_t v[3];
	int32_t face; // polygon, or -1
	brDVec3 area; // twice, along the normal
	bool isSeen;
} HullTriangle;

typedef struct HullEdge
{
	int32_t a, b;
} HullEdge;

typedef struct HullWork
{
	const brDVec3* points;
	int32_t pointCount;
	double doubt; // volumes below may have the wrong sign
	int32_t triangleCount, rimCount;
	HullTriangle triangles[BR_HULL_TRIANGLES];
	HullEdge rim[3 * BR_HULL_TRIANGLES];
	int16_t beside[BR_HULL_CORNERS * BR_HULL_CORNERS]; // the triangle with this directed edge
} HullWork;

static void hullAddTriangle(HullWork* work, int32_t a, int32_t b, int32_t c)
{
	const brDVec3* p = work->points;
	brDVec3 area = brDCross(brDSub(p[b], p[a]), brDSub(p[c], p[a]));
	work->triangles[work->triangleCount++] = (HullTriangle){{a, b, c}, -1, area, false};
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
		if (d > best && (d > work->doubt || brOrient3d(p[0], p[out[1]], p[out[2]], p[i]) != 0))
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

// What the plane of a triangle may say wrongly about a point: the volume is a sum of six products of three differences,
// none of them more than the longest side of the box of all points, and fewer than 64 roundings of half an ulp go into
// it.
static double hullDoubt(const brDVec3* points, int32_t count)
{
	brDBox3 box = brMakeDBox3Empty();
	for (int32_t i = 0; i < count; ++i)
	{
		box = brDBox3_Include(box, points[i]);
	}
	brDVec3 size = brDSub(box.upper, box.lower);
	double side = fmax(size.x, fmax(size.y, size.z));
	double doubt = 64.0 * BR_PREDICATE_U * side * side * side;
	// Where squares and cubes leave the range of good doubles nothing is sure.
	return doubt > 1e-250 && doubt < 1e250 ? doubt : INFINITY;
}

// Returns the first of the new triangles, which are the last of all.
static int32_t hullAddPoint(HullWork* work, int32_t point)
{
	const brDVec3* p = work->points;
	int32_t seenCount = 0;
	for (int32_t i = 0; i < work->triangleCount; ++i)
	{
		HullTriangle* t = &work->triangles[i];
		double volume = brDDot(t->area, brDSub(p[point], p[t->v[0]]));
		bool isSure = volume > work->doubt || volume < -work->doubt;
		t->isSeen = isSure ? volume > 0.0 : brOrient3d(p[t->v[0]], p[t->v[1]], p[t->v[2]], p[point]) > 0;
		seenCount += t->isSeen;
	}
	if (seenCount == 0)
	{
		return work->triangleCount;
	}

	// The rim: edges of seen triangles whose other side is not seen.
	work->rimCount = 0;
	int32_t kept = 0;
	for (int32_t i = 0; i < work->triangleCount; ++i)
	{
		const HullTriangle* t = &work->triangles[i];
		for (int32_t k = 0; k < 3 && t->isSeen; ++k)
		{
			int32_t a = t->v[k], b = t->v[(k + 1) % 3], twin = 0;
			while (twin < work->rimCount && !(work->rim[twin].a == b && work->rim[twin].b == a))
			{
				twin += 1;
			}
			if (twin < work->rimCount)
			{
				work->rim[twin] = work->rim[--work->rimCount];
			}
			else
			{
				work->rim[work->rimCount++] = (HullEdge){a, b};
			}
		}
		if (!t->isSeen && kept < i)
		{
			work->triangles[kept] = *t;
		}
		kept += !t->isSeen;
	}
	work->triangleCount = kept;
	for (int32_t i = 0; i < work->rimCount; ++i)
	{
		hullAddTriangle(work, work->rim[i].a, work->rim[i].b, point);
	}
	return kept;
}

// Numbers the points that triangles use, rising, and the triangles' corners by them; then who is beside whom.
static void hullLink(HullWork* work, brHull* out)
{
	int32_t count = 0;
	for (int32_t i = 0; i < 3 * work->triangleCount; ++i)
	{
		int32_t point = work->triangles[i / 3].v[i % 3], at = count;
		while (at > 0 && out->vertices[at - 1] > point)
		{
			at -= 1;
		}
		if (at == 0 || out->vertices[at - 1] != point)
		{
			memmove(out->vertices + at + 1, out->vertices + at, sizeof(int32_t) * (size_t)(count - at));
			out->vertices[at] = point;
			count += 1;
		}
	}
	out->vertexCount = count;
	for (int32_t i = 0; i < work->triangleCount; ++i)
	{
		int32_t* v = work->triangles[i].v;
		for (int32_t k = 0; k < 3; ++k)
		{
			int32_t lower = 0, upper = count - 1;
			while (lower < upper)
			{
				int32_t middle = (lower + upper) / 2;
				lower = out->vertices[middle] < v[k] ? middle + 1 : lower;
				upper = out->vertices[middle] < v[k] ? upper : middle;
			}
			v[k] = lower;
		}
		work->beside[v[0] * BR_HULL_CORNERS + v[1]] = (int16_t)i;
		work->beside[v[1] * BR_HULL_CORNERS + v[2]] = (int16_t)i;
		work->beside[v[2] * BR_HULL_CORNERS + v[0]] = (int16_t)i;
	}
}

// The largest of these, each at least 0 or taken: then it is -1. Returns -1 if all are taken.
static int32_t hullLargest(const double* areas, int32_t count)
{
	int32_t seed = -1;
	double largest = -1.0;
	for (int32_t i = 0; i < count; ++i)
	{
		seed = areas[i] > largest ? i : seed;
		largest = areas[i] > largest ? areas[i] : largest;
	}
	return seed;
}

static int32_t hullBeside(const HullWork* work, int32_t triangle, int32_t side)
{
	const int32_t* v = work->triangles[triangle].v;
	return work->beside[v[side < 2 ? side + 1 : 0] * BR_HULL_CORNERS + v[side]];
}

// The polygon of a triangle and all that join it near its plane, as a list that rises. Returns how many these are.
static int32_t hullGrowFace(HullWork* work, int32_t seed, int32_t face, double tolerance, const brHull* hull,
							int32_t members[BR_HULL_TRIANGLES])
{
	HullTriangle* triangles = work->triangles;
	brDVec3 normal = brDNormalize(triangles[seed].area);
	brDVec3 origin = work->points[hull->vertices[triangles[seed].v[0]]];
	int32_t stack[BR_HULL_TRIANGLES], depth = 0, count = 0;
	triangles[seed].face = face;
	stack[depth++] = seed;
	while (depth > 0)
	{
		int32_t from = stack[--depth], at = count++;
		for (; at > 0 && members[at - 1] > from; --at)
		{
			members[at] = members[at - 1];
		}
		members[at] = from;
		for (int32_t side = 0; side < 3; ++side)
		{
			HullTriangle* t = &triangles[hullBeside(work, from, side)];
			bool isNear = t->face < 0 && brDDot(normal, t->area) > 0.0;
			for (int32_t k = 0; k < 3 && isNear; ++k)
			{
				brDVec3 p = work->points[hull->vertices[t->v[k]]];
				isNear = fabs(brDDot(normal, brDSub(p, origin))) <= tolerance;
			}
			if (isNear)
			{
				t->face = face;
				stack[depth++] = (int32_t)(t - triangles);
			}
		}
	}
	return count;
}

// Its outline: directed edges whose twin is in another polygon, one after the other.
static void hullOutline(const HullWork* work, const int32_t* members, int32_t memberCount, brHull* out)
{
	int32_t next[BR_HULL_CORNERS], first = -1, count = 0;
	memset(next, -1, sizeof(next));
	for (int32_t i = 0; i < memberCount; ++i)
	{
		const HullTriangle* t = &work->triangles[members[i]];
		for (int32_t k = 0; k < 3; ++k)
		{
			int32_t a = t->v[k], b = t->v[k < 2 ? k + 1 : 0];
			if (work->triangles[hullBeside(work, members[i], k)].face != t->face)
			{
				first = first < 0 ? a : first;
				next[a] = next[a] < 0 ? b : next[a];
				count += 1;
			}
		}
	}
	for (int32_t step = 0, at = first; step < count; ++step, at = next[at])
	{
		out->corners[out->cornerCount++] = at;
	}
	out->faceStarts[++out->faceCount] = out->cornerCount;
}

// Drops the vertices within polygons.
static void hullDropUnused(brHull* hull)
{
	int32_t numbers[BR_HULL_CORNERS], count = 0;
	memset(numbers, -1, sizeof(numbers));
	for (int32_t i = 0; i < hull->cornerCount; ++i)
	{
		numbers[hull->corners[i]] = 0;
	}
	for (int32_t v = 0; v < hull->vertexCount; ++v)
	{
		if (numbers[v] == 0)
		{
			numbers[v] = count;
			hull->vertices[count++] = hull->vertices[v];
		}
	}
	hull->vertexCount = count;
	for (int32_t i = 0; i < hull->cornerCount; ++i)
	{
		hull->corners[i] = numbers[hull->corners[i]];
	}
}

// The first four corners.
static brResult hullBegin(HullWork* work, const brDVec3* points, int32_t pointCount, brReport* report)
{
	work->points = points, work->pointCount = pointCount;
	work->triangleCount = 0;
	int32_t start[4];
	for (int32_t i = 0; i < pointCount; ++i)
	{
		if (!brDIsFinite(points[i]))
		{
			return brFailAt(report, br_errorGeometry, i, "point %d of the hull is not finite", i);
		}
	}
	work->doubt = hullDoubt(points, pointCount);
	if (pointCount < 4 || !hullStart(work, start))
	{
		return brFail(report, br_errorGeometry, "the %d points of the hull lie in one plane", pointCount);
	}
	for (int32_t k = 0; k < 4; ++k)
	{
		// Faces of a positive tet, outward: opposite its corner k.
		static const int32_t sides[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
		hullAddTriangle(work, start[sides[k][0]], start[sides[k][1]], start[sides[k][2]]);
	}
	return br_success;
}

brResult brBuildHull(const brDVec3* points, int32_t pointCount, double tolerance, brHull* outHull, brReport* report)
{
	HullWork work;
	brResult result = hullBegin(&work, points, pointCount, report);
	if (result < 0)
	{
		return result;
	}
	for (int32_t i = 0; i < pointCount; ++i)
	{
		hullAddPoint(&work, i);
		if (work.triangleCount > 2 * BR_HULL_MAX_VERTICES)
		{
			return brFail(report, br_errorLimit, "the hull has more than %d corners", BR_HULL_MAX_VERTICES);
		}
	}
	outHull->faceCount = outHull->cornerCount = outHull->faceStarts[0] = 0;
	hullLink(&work, outHull);
	double areas[BR_HULL_TRIANGLES];
	for (int32_t i = 0; i < work.triangleCount; ++i)
	{
		areas[i] = brDLengthSq(work.triangles[i].area);
	}
	int32_t seed;
	while ((seed = hullLargest(areas, work.triangleCount)) >= 0)
	{
		int32_t members[BR_HULL_TRIANGLES];
		int32_t count = hullGrowFace(&work, seed, outHull->faceCount, tolerance, outHull, members);
		hullOutline(&work, members, count, outHull);
		for (int32_t i = 0; i < count; ++i)
		{
			areas[members[i]] = -1.0;
		}
	}
	hullDropUnused(outHull);
	return br_success;
}

// What is known of a point that is not a corner: the triangle that it is nearest to, of those that it sees.
typedef struct HullOutside
{
	int32_t point;
	brDVec3 origin, area; // of that triangle; triangles move as others go
	double distanceSq;
} HullOutside;

// Squared distance of a point to a triangle.
static double hullDistanceSq(const brDVec3* p, const HullTriangle* t, brDVec3 at)
{
	const brDVec3 corners[4] = {p[t->v[0]], p[t->v[1]], p[t->v[2]], p[t->v[0]]};
	bool isAbove = true;
	for (int32_t k = 0; k < 3 && isAbove; ++k)
	{
		brDVec3 side = brDSub(corners[k + 1], corners[k]);
		isAbove = brDDot(brDCross(t->area, side), brDSub(at, corners[k])) >= 0.0;
	}
	if (isAbove)
	{
		double height = brDDot(t->area, brDSub(at, corners[0]));
		return height * height / brDLengthSq(t->area);
	}
	double best = INFINITY;
	for (int32_t k = 0; k < 3; ++k)
	{
		brDVec3 side = brDSub(corners[k + 1], corners[k]), to = brDSub(at, corners[k]);
		double along = brDDot(to, side) / brDLengthSq(side);
		along = along > 0.0 ? along : 0.0;
		double distanceSq = brDLengthSq(brDMulAdd(to, along < 1.0 ? -along : -1.0, side));
		best = distanceSq < best ? distanceSq : best;
	}
	return best;
}

// The nearest of the triangles from `first` on that a point sees. False if it sees none of them: then it is inside.
static bool hullAssign(const HullWork* work, int32_t first, HullOutside* outside)
{
	brDVec3 at = work->points[outside->point];
	outside->distanceSq = INFINITY;
	for (int32_t i = first; i < work->triangleCount; ++i)
	{
		const HullTriangle* t = &work->triangles[i];
		double height = brDDot(t->area, brDSub(at, work->points[t->v[0]]));
		// No triangle is nearer than its plane.
		if (height > 0.0 && height * height < outside->distanceSq * brDLengthSq(t->area))
		{
			double distanceSq = hullDistanceSq(work->points, t, at);
			if (distanceSq < outside->distanceSq)
			{
				*outside = (HullOutside){outside->point, work->points[t->v[0]], t->area, distanceSq};
			}
		}
	}
	return outside->distanceSq < INFINITY;
}

// Does a new corner leave the triangle that a point is nearest to? Where rounding says yes and it is not so, the point only seems farther outside.
static bool hullKeeps(const HullWork* work, const HullOutside* outside, int32_t corner)
{
	return !(brDDot(outside->area, brDSub(work->points[corner], outside->origin)) > 0.0);
}

// The corners that triangles use. Returns how many there are.
static int32_t hullCollect(const HullWork* work, brDVec3* out)
{
	int32_t used[BR_HULL_CORNERS], count = 0;
	for (int32_t i = 0; i < 3 * work->triangleCount; ++i)
	{
		int32_t point = work->triangles[i / 3].v[i % 3], k = 0;
		while (k < count && used[k] != point)
		{
			k += 1;
		}
		if (k == count)
		{
			used[count] = point;
			out[count++] = work->points[point];
		}
	}
	return count;
}

static double hullVolume(const HullWork* work)
{
	const brDVec3* p = work->points;
	brDVec3 from = p[work->triangles[0].v[0]];
	double sum = 0.0;
	for (int32_t i = 0; i < work->triangleCount; ++i)
	{
		sum += brDDot(work->triangles[i].area, brDSub(p[work->triangles[i].v[0]], from)) / 6.0;
	}
	return sum;
}

// Looked at as long as that is little beside what a corner costs.
static bool hullIsTooLarge(const HullWork* work, const brHullFit* fit, int32_t outsideCount)
{
	return fit->mostVolume > 0.0 && outsideCount > work->triangleCount && hullVolume(work) > fit->mostVolume;
}

brResult brFitHull(const brAllocator* allocator, const brDVec3* points, int32_t pointCount, brHullFit* fit,
				   brReport* report)
{
	HullWork work;
	int32_t outsideCount = 0;
	brResult result = hullBegin(&work, points, pointCount, report);
	if (result < 0)
	{
		return result;
	}
	HullOutside* outside = BR_ALLOC(allocator, HullOutside, pointCount);
	if (outside == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t i = 0; i < pointCount; ++i)
	{
		outside[outsideCount].point = i;
		outsideCount += hullAssign(&work, 0, &outside[outsideCount]);
	}
	fit->isTooLarge = false;
	while (true)
	{
		int32_t farthest = -1;
		double most = 0.0;
		for (int32_t i = 0; i < outsideCount; ++i)
		{
			farthest = outside[i].distanceSq > most ? i : farthest;
			most = outside[i].distanceSq > most ? outside[i].distanceSq : most;
		}
		fit->error = sqrt(most);
		fit->isTooLarge = hullIsTooLarge(&work, fit, outsideCount);
		if (!(fit->error > fit->tolerance) || work.triangleCount / 2 + 2 >= fit->most || fit->isTooLarge)
		{
			break;
		}
		// Points that see none of the new triangles in place of their own are inside by now (Barber et al. 1996).
		int32_t corner = outside[farthest].point, first = hullAddPoint(&work, corner), kept = 0;
		for (int32_t i = 0; i < outsideCount; ++i)
		{
			bool isOutside =
				i != farthest && (hullKeeps(&work, &outside[i], corner) || hullAssign(&work, first, &outside[i]));
			if (isOutside && kept < i)
			{
				outside[kept] = outside[i];
			}
			kept += isOutside;
		}
		outsideCount = kept;
	}
	fit->count = hullCollect(&work, fit->corners);
	BR_FREE(allocator, outside, pointCount);
	return br_success;
}

brResult brHull_ToMesh(const brHull* hull, const brContext* context, const brDVec3* points, brMesh** outMesh,
					   brReport* report)
{
	brDVec3 positions[BR_HULL_CORNERS];
	for (int32_t v = 0; v < hull->vertexCount; ++v)
	{
		positions[v] = points[hull->vertices[v]];
	}
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = hull->vertexCount;
	def.positions = positions;
	def.faceCount = hull->faceCount;
	def.faceStarts = hull->faceStarts;
	def.corners = hull->corners;
	return brCreateMesh(context, &def, outMesh, report);
}

brResult brMakeHull(const brContext* context, const brDVec3* points, int32_t pointCount, double tolerance,
					brMesh** outHull, brReport* report)
{
	brHull hull;
	brResult result = brBuildHull(points, pointCount, tolerance, &hull, report);
	return result < 0 ? result : brHull_ToMesh(&hull, context, points, outHull, report);
}
