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

#include "base/cpu.h"
#include "base/lanes.h"
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

static void hullJoinFace(HullTriangle* triangle, int32_t face, int32_t* lastFaces)
{
	triangle->face = face;
	for (int32_t k = 0; k < 3; ++k)
	{
		lastFaces[triangle->v[k]] = face;
	}
}

// A polygon stays a disk: a triangle meets it in one side with a corner that is new to it, or in more sides.
static bool hullKeepsDisk(const HullWork* work, int32_t triangle, int32_t face, const int32_t* lastFaces)
{
	int32_t sides = 0, corner = -1;
	for (int32_t k = 0; k < 3; ++k)
	{
		if (work->triangles[hullBeside(work, triangle, k)].face == face)
		{
			sides += 1;
			corner = work->triangles[triangle].v[k > 0 ? k - 1 : 2];
		}
	}
	return sides > 1 || lastFaces[corner] != face;
}

// The polygon of a triangle and all that join it near its plane, as a list that rises. Returns how many these are.
// `lastFaces`: the latest polygon at each corner of the hull.
static int32_t hullGrowFace(HullWork* work, int32_t seed, int32_t face, double tolerance, const brHull* hull,
							int32_t lastFaces[BR_HULL_CORNERS], int32_t members[BR_HULL_TRIANGLES])
{
	HullTriangle* triangles = work->triangles;
	brDVec3 normal = brDNormalize(triangles[seed].area);
	brDVec3 origin = work->points[hull->vertices[triangles[seed].v[0]]];
	int32_t stack[BR_HULL_TRIANGLES], depth = 0, count = 0;
	hullJoinFace(&triangles[seed], face, lastFaces);
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
			int32_t next = hullBeside(work, from, side);
			HullTriangle* t = &triangles[next];
			bool isNear = t->face < 0 && brDDot(normal, t->area) > 0.0;
			for (int32_t k = 0; k < 3 && isNear; ++k)
			{
				brDVec3 p = work->points[hull->vertices[t->v[k]]];
				isNear = fabs(brDDot(normal, brDSub(p, origin))) <= tolerance;
			}
			if (isNear && hullKeepsDisk(work, next, face, lastFaces))
			{
				hullJoinFace(t, face, lastFaces);
				stack[depth++] = next;
			}
		}
	}
	return count;
}

// Its outline: directed edges whose twin is in another polygon, one after the other.
static void hullOutline(const HullWork* work, const int32_t* members, int32_t memberCount, brHull* out)
{
	int32_t next[BR_HULL_CORNERS], first = -1, count = 0;
	for (int32_t i = 0; i < memberCount; ++i)
	{
		const HullTriangle* t = &work->triangles[members[i]];
		for (int32_t k = 0; k < 3; ++k)
		{
			int32_t a = t->v[k], b = t->v[k < 2 ? k + 1 : 0];
			if (work->triangles[hullBeside(work, members[i], k)].face != t->face)
			{
				first = first < 0 ? a : first;
				next[a] = b;
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
	int32_t seed, lastFaces[BR_HULL_CORNERS];
	memset(lastFaces, -1, sizeof(lastFaces));
	while ((seed = hullLargest(areas, work.triangleCount)) >= 0)
	{
		int32_t members[BR_HULL_TRIANGLES];
		int32_t count = hullGrowFace(&work, seed, outHull->faceCount, tolerance, outHull, lastFaces, members);
		hullOutline(&work, members, count, outHull);
		for (int32_t i = 0; i < count; ++i)
		{
			areas[members[i]] = -1.0;
		}
	}
	hullDropUnused(outHull);
	return br_success;
}

// Points outside that are looked at together: as many lanes as there may be, and those that have to find another
// triangle at once.
#define HULL_LANES 4
#define HULL_SOME 64

// Points that are not corners, side by side, and what is known of them: the triangle that each is nearest to, of those
// that it sees; triangles move as others go. One that is inside by now has no area and is nearer than any until the
// rest is moved together.
typedef struct HullPoints
{
	double *origin[3], *area[3], *distanceSq;
	int32_t* points;
	int32_t* left; // numbers of those whose triangle sees the new corner
	int32_t count, insideCount;
} HullPoints;

// A triangle for many points to meet.
typedef struct HullFace
{
	brDVec3 corners[3], sides[3], inward[3], area;
	double sideSq[3], areaSq;
} HullFace;

typedef struct HullSome
{
	_Alignas(64) double at[3][HULL_SOME];
	double distanceSq[HULL_SOME];
	int64_t faces[HULL_SOME];
	int32_t count;
} HullSome;

#define BR_LANES_FILE "mesh/hull_lanes.h"
#include "base/each_lanes.h"

static HullFace hullFace(const HullWork* work, int32_t triangle)
{
	const HullTriangle* t = &work->triangles[triangle];
	HullFace face = {.area = t->area, .areaSq = brDLengthSq(t->area)};
	for (int32_t k = 0; k < 3; ++k)
	{
		face.corners[k] = work->points[t->v[k]];
	}
	for (int32_t k = 0; k < 3; ++k)
	{
		face.sides[k] = brDSub(face.corners[(k + 1) % 3], face.corners[k]);
		face.sideSq[k] = brDLengthSq(face.sides[k]);
		face.inward[k] = brDCross(face.area, face.sides[k]);
	}
	return face;
}

static void hullSetInside(HullPoints* points, int32_t i)
{
	points->area[0][i] = points->area[1][i] = points->area[2][i] = 0.0;
	points->distanceSq[i] = -1.0;
}

// The nearest of the triangles from `first` on that each of the points that left theirs sees. What sees none of them is
// inside (Barber et al. 1996).
static void hullAssign(const HullWork* work, int32_t first, HullPoints* points, int32_t leftCount)
{
	bool hasAvx2 = brCpu_Best() >= br_cpuAvx2;
	HullSome some = {0};
	for (int32_t begin = 0; begin < leftCount; begin += HULL_SOME)
	{
		some.count = leftCount - begin < HULL_SOME ? leftCount - begin : HULL_SOME;
		const int32_t* left = points->left + begin;
		for (int32_t i = 0; i < some.count + HULL_LANES && i < HULL_SOME; ++i)
		{
			brDVec3 at = work->points[points->points[left[i < some.count ? i : 0]]];
			some.at[0][i] = at.x, some.at[1][i] = at.y, some.at[2][i] = at.z;
			some.distanceSq[i] = INFINITY;
		}
		for (int32_t k = first; k < work->triangleCount; ++k)
		{
			HullFace face = hullFace(work, k);
			BR_ON_LANES(hasAvx2, hullMeet, (&face, k, &some));
		}
		for (int32_t i = 0; i < some.count; ++i)
		{
			int32_t to = left[i];
			if (!(some.distanceSq[i] < INFINITY))
			{
				hullSetInside(points, to);
				points->insideCount += 1;
				continue;
			}
			const HullTriangle* t = &work->triangles[some.faces[i]];
			brDVec3 origin = work->points[t->v[0]];
			points->origin[0][to] = origin.x, points->origin[1][to] = origin.y, points->origin[2][to] = origin.z;
			points->area[0][to] = t->area.x, points->area[1][to] = t->area.y, points->area[2][to] = t->area.z;
			points->distanceSq[to] = some.distanceSq[i];
		}
	}
}

// Moves those outside together, in their order, once a quarter is inside; the rest of the last lanes is inside.
static void hullMoveTogether(HullPoints* points)
{
	if (4 * points->insideCount <= points->count)
	{
		return;
	}
	int32_t kept = 0;
	for (int32_t i = 0; i < points->count; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			points->origin[k][kept] = points->origin[k][i];
			points->area[k][kept] = points->area[k][i];
		}
		points->points[kept] = points->points[i];
		bool isOutside = points->distanceSq[i] >= 0.0;
		points->distanceSq[kept] = points->distanceSq[i];
		kept += isOutside;
	}
	for (int32_t i = kept; i < points->count && i < kept + HULL_LANES; ++i)
	{
		hullSetInside(points, i);
	}
	points->count = kept, points->insideCount = 0;
}

// All points, with the triangles of the first four corners. False without memory.
static bool hullBeginPoints(const HullWork* work, const brAllocator* allocator, HullPoints* points)
{
	int32_t capacity = (work->pointCount + HULL_LANES - 1) / HULL_LANES * HULL_LANES;
	*points = (HullPoints){.count = work->pointCount};
	double* rows = BR_ALLOC_ZERO(allocator, double, 8 * (int64_t)capacity);
	if (rows == NULL)
	{
		return false;
	}
	for (int32_t k = 0; k < 3; ++k)
	{
		points->origin[k] = rows + k * (int64_t)capacity, points->area[k] = rows + (3 + k) * (int64_t)capacity;
	}
	points->distanceSq = rows + 6 * (int64_t)capacity;
	points->points = (int32_t*)(void*)(rows + 7 * (int64_t)capacity);
	points->left = points->points + capacity;
	for (int32_t i = 0; i < capacity; ++i)
	{
		hullSetInside(points, i);
		points->points[i] = i < work->pointCount ? i : 0;
		points->left[i] = i;
	}
	hullAssign(work, 0, points, points->count);
	hullMoveTogether(points);
	return true;
}

static void hullFreePoints(const HullWork* work, const brAllocator* allocator, HullPoints* points)
{
	int32_t capacity = (work->pointCount + HULL_LANES - 1) / HULL_LANES * HULL_LANES;
	BR_FREE(allocator, points->origin[0], 8 * (int64_t)capacity);
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
	brResult result = hullBegin(&work, points, pointCount, report);
	if (result < 0)
	{
		return result;
	}
	HullPoints outside;
	if (!hullBeginPoints(&work, allocator, &outside))
	{
		return brFailMemory(report);
	}
	bool hasAvx2 = brCpu_Best() >= br_cpuAvx2;
	fit->isTooLarge = false;
	while (true)
	{
		double most = BR_ON_LANES(hasAvx2, hullFarthest, (&outside));
		fit->error = sqrt(most);
		fit->isTooLarge = hullIsTooLarge(&work, fit, outside.count - outside.insideCount);
		if (!(fit->error > fit->tolerance) || work.triangleCount / 2 + 2 >= fit->most || fit->isTooLarge)
		{
			break;
		}
		int32_t farthest = 0;
		while (outside.distanceSq[farthest] != most)
		{
			farthest += 1;
		}
		int32_t corner = outside.points[farthest], first = hullAddPoint(&work, corner);
		hullSetInside(&outside, farthest);
		outside.insideCount += 1;
		int32_t leftCount = BR_ON_LANES(hasAvx2, hullFindLeft, (&outside, points[corner], outside.left));
		hullAssign(&work, first, &outside, leftCount);
		hullMoveTogether(&outside);
	}
	fit->count = hullCollect(&work, fit->corners);
	hullFreePoints(&work, allocator, &outside);
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
