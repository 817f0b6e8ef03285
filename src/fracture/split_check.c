// SPDX-License-Identifier: MIT

// Whether the faces of a cut stay inside the part that they cut: bumps may come out of a thin wall, or a curved face
// out of an edge that it meets at a small angle. The faces themselves are a graph over their plane or ball and cannot
// cross each other.

#include "fracture/split.h"

#include "base/lanes.h"
#include "base/sort.h"
#include "narrow/triangle_pair.h"

#include <math.h>
#include <string.h>

// Of the product of three edges: a volume larger than this has the sign that exact numbers give it. Differences,
// products and their sums are off by at most twelve roundings of 1.1e-16.
#define CHECK_SURE 4e-15

#define CHECK_FAR 1e-12 // of heights and places: more than rounding does to them

// Between which heights over the plane of a cut something lies; over a ball all heights are the same.
typedef struct CheckSlab
{
	double lower, upper;
} CheckSlab;

typedef struct CheckTriangle
{
	brDBox3 box;
	CheckSlab slab;
	brDVec3 at, normal; // its plane
	double sure;        // and the least height over it, times the normal, whose sign is sure
	int32_t corners[3];
} CheckTriangle;

#define CHECK_LANES 8

// Faces side by side.
typedef struct CheckEight
{
	_Alignas(64) double slab[2][CHECK_LANES];
	double lower[3][CHECK_LANES], upper[3][CHECK_LANES];
	double at[3][CHECK_LANES], normal[3][CHECK_LANES], sure[CHECK_LANES];
	double corners[3][CHECK_LANES]; // their numbers
} CheckEight;

#define BR_LANES_WIDEST
#define BR_LANES_FILE "fracture/check_lanes.h"
#include "base/each_lanes.h"

typedef uint32_t (*CheckKernel)(const CheckEight* faces, const CheckTriangle* triangle, const brDVec3* at);

// Eight faces one after the other.
typedef struct CheckGroup
{
	CheckEight faces;
	brDBox3 box;
	CheckSlab slab;
	CheckSlab reach; // along the order: none after it begins below the lower end, none up to it ends above the upper
} CheckGroup;

typedef struct Check
{
	const brSplitWork* work;
	brDVec3 normal;       // of the plane; 0 for a ball
	CheckTriangle* faces; // [faceCount] of the cut
	CheckGroup* groups;
	CheckKernel kernel;
	brDBox3 box; // of them all
	CheckSlab slab;
	double size;   // no two points of the part are farther from each other
	double far;    // triangles with all corners higher than this, or lower than its negative, are off all faces
	brDVec3 along; // the axis that faces are ordered by
	int32_t faceCount;
} Check;

// fmin and fmax without their care for what is no number.
static double checkLess(double a, double b)
{
	return a < b ? a : b;
}

static double checkMore(double a, double b)
{
	return a > b ? a : b;
}

// No less than the length.
static double checkSize(brDVec3 a)
{
	return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

static CheckSlab checkHeights(const Check* check, const int32_t corners[3])
{
	const brDVec3* at = check->work->positions.data;
	double x = brDDot(check->normal, at[corners[0]]), y = brDDot(check->normal, at[corners[1]]),
		   z = brDDot(check->normal, at[corners[2]]);
	return (CheckSlab){checkLess(x, checkLess(y, z)), checkMore(x, checkMore(y, z))};
}

static void checkPlane(const Check* check, const int32_t corners[3], CheckTriangle* out)
{
	const brDVec3* at = check->work->positions.data;
	brDVec3 a = at[corners[0]], ab = brDSub(at[corners[1]], a), ac = brDSub(at[corners[2]], a);
	out->at = a;
	out->normal = brDCross(ab, ac);
	out->sure = CHECK_SURE * check->size * checkSize(ab) * checkSize(ac);
}

static void checkTriangle(const Check* check, const int32_t corners[3], CheckSlab slab, CheckTriangle* out)
{
	const brDVec3* at = check->work->positions.data;
	brDVec3 a = at[corners[0]], b = at[corners[1]], c = at[corners[2]];
	memcpy(out->corners, corners, sizeof(out->corners));
	out->slab = slab;
	out->box.lower = brMakeDVec3(checkLess(a.x, checkLess(b.x, c.x)), checkLess(a.y, checkLess(b.y, c.y)),
								 checkLess(a.z, checkLess(b.z, c.z)));
	out->box.upper = brMakeDVec3(checkMore(a.x, checkMore(b.x, c.x)), checkMore(a.y, checkMore(b.y, c.y)),
								 checkMore(a.z, checkMore(b.z, c.z)));
	checkPlane(check, corners, out);
}

// On which side of a plane points are but for those of `shared`: 1 all above it for sure, -1 below, 0 else or none.
static int checkSide(const brDVec3* at, const CheckTriangle* plane, const int32_t points[3], const int32_t shared[3])
{
	bool isOver = true, isUnder = true, isOther = false;
	for (int k = 0; k < 3 && (isOver || isUnder); ++k)
	{
		int32_t v = points[k];
		if (v != shared[0] && v != shared[1] && v != shared[2])
		{
			double above = brDDot(plane->normal, brDSub(at[v], plane->at));
			isOther = true;
			isOver = isOver && above > plane->sure;
			isUnder = isUnder && above < -plane->sure;
		}
	}
	return isOther ? (int)isOver - (int)isUnder : 0;
}

// Whether a plane through an edge of a and the tip of b, its corner farthest from a's plane, has the rest of each on a
// side of its own: of b it has the tip and what they share of the edge, so they meet nowhere else.
static bool checkIsParted(const Check* check, const CheckTriangle* a, const CheckTriangle* b)
{
	const brDVec3* at = check->work->positions.data;
	double most = 0.0;
	int32_t tip = -1;
	for (int k = 0; k < 3; ++k)
	{
		int32_t v = b->corners[k];
		double far = fabs(brDDot(a->normal, brDSub(at[v], a->at)));
		bool isMore = far > most && v != a->corners[0] && v != a->corners[1] && v != a->corners[2];
		most = isMore ? far : most;
		tip = isMore ? v : tip;
	}
	for (int k = 0; tip >= 0 && k < 3; ++k)
	{
		const int32_t through[3] = {a->corners[k], a->corners[k < 2 ? k + 1 : 0], tip};
		CheckTriangle plane;
		checkPlane(check, through, &plane);
		int side = checkSide(at, &plane, a->corners, through);
		if (side != 0 && checkSide(at, &plane, b->corners, through) == -side)
		{
			return true;
		}
	}
	return false;
}

// Of two that the lanes could not tell apart.
static bool checkMeets(const Check* check, const CheckTriangle* a, const CheckTriangle* b)
{
	const brDVec3* at = check->work->positions.data;
	// The other corners of one are all on one side of the plane of the other: then they share no more than corners.
	if (checkSide(at, a, b->corners, a->corners) != 0 || checkIsParted(check, a, b) || checkIsParted(check, b, a))
	{
		return false;
	}
	brDVec3 p[3] = {at[a->corners[0]], at[a->corners[1]], at[a->corners[2]]};
	brDVec3 q[3] = {at[b->corners[0]], at[b->corners[1]], at[b->corners[2]]};
	return brTrianglePair_MeetsBeyond(p, a->corners, q, b->corners);
}

// Heights that do not overlap: what lies between them shares no more than corners.
static bool checkIsOff(const CheckSlab* a, const CheckSlab* b)
{
	return a->lower > b->upper || a->upper < b->lower;
}

// The same by the heights that said which side a vertex is on: most triangles are sent home by them alone.
static bool checkIsFar(const Check* check, const int32_t corners[3])
{
	const double* heights = check->work->heights.data;
	double x = heights[corners[0]], y = heights[corners[1]], z = heights[corners[2]];
	return checkLess(x, checkLess(y, z)) > check->far || checkMore(x, checkMore(y, z)) < -check->far;
}

// Heights are those over a plane but for its bumps. Over a bend or a ball they say nothing about flat triangles.
static double checkFar(const Check* check)
{
	const brSplitShape* shape = &check->work->surface.shape;
	double origin = brDDot(shape->n, shape->origin), upper = fabs(check->slab.upper - origin),
		   lower = fabs(check->slab.lower - origin);
	double most = checkMore(upper, lower) + BR_SPLIT_HIGHEST * shape->height;
	return shape->radius > 0.0 || shape->bend != 0.0 ? INFINITY : most + CHECK_FAR * (most + fabs(origin));
}

// Whether one triangle of the surface meets a face.
static bool checkSurface(const Check* check, const CheckTriangle* triangle)
{
	double from = brDDot(check->along, triangle->box.lower), to = brDDot(check->along, triangle->box.upper);
	int32_t low = 0, high = (check->faceCount + 7) / 8;
	while (low < high)
	{
		int32_t middle = (low + high) / 2;
		bool isBefore = check->groups[middle].reach.upper < from;
		low = isBefore ? middle + 1 : low;
		high = isBefore ? high : middle;
	}
	const brDVec3* at = check->work->positions.data;
	for (int32_t first = 8 * low; first < check->faceCount && !(check->groups[first / 8].reach.lower > to); first += 8)
	{
		const CheckGroup* group = &check->groups[first / 8];
		if (checkIsOff(&triangle->slab, &group->slab) || !brDBox3_Overlaps(triangle->box, group->box))
		{
			continue;
		}
		uint32_t bits = check->kernel(&group->faces, triangle, at);
		for (int32_t n = first; bits != 0; bits >>= 1, ++n)
		{
			if ((bits & 1) != 0 && checkMeets(check, triangle, &check->faces[n]))
			{
				return true;
			}
		}
	}
	return false;
}

static void checkPut(brDVec3 from, double out[3][CHECK_LANES], int32_t lane)
{
	out[0][lane] = from.x, out[1][lane] = from.y, out[2][lane] = from.z;
}

// A face as the next of a group.
static void checkGrow(CheckGroup* group, const CheckTriangle* face, int32_t lane)
{
	CheckEight* eight = &group->faces;
	checkPut(face->box.lower, eight->lower, lane);
	checkPut(face->box.upper, eight->upper, lane);
	checkPut(face->at, eight->at, lane);
	checkPut(face->normal, eight->normal, lane);
	checkPut(brMakeDVec3(face->corners[0], face->corners[1], face->corners[2]), eight->corners, lane);
	eight->slab[0][lane] = face->slab.lower, eight->slab[1][lane] = face->slab.upper;
	eight->sure[lane] = face->sure;
	group->box = brDBox3_Union(group->box, face->box);
	group->slab.lower = checkLess(group->slab.lower, face->slab.lower);
	group->slab.upper = checkMore(group->slab.upper, face->slab.upper);
}

// Faces along the longest side of the box of them all, so that those of a group are neighbors. False without memory.
static bool checkOrder(Check* check, uint32_t* order)
{
	const brSplitWork* work = check->work;
	const brAllocator* a = &work->allocator;
	int32_t count = check->faceCount;
	brDBox3 box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
	for (int32_t i = 0; i < work->corners.count; ++i)
	{
		brDVec3 p = work->positions.data[work->corners.data[i]];
		box = brDBox3_Union(box, (brDBox3){p, p});
	}
	brDVec3 size = brDSub(box.upper, box.lower);
	brDVec3 along = size.x >= size.y && size.x >= size.z ? brMakeDVec3(1.0, 0.0, 0.0)
					: size.y >= size.z                   ? brMakeDVec3(0.0, 1.0, 0.0)
														 : brMakeDVec3(0.0, 0.0, 1.0);
	check->along = along;
	double scale = 1e6 / brDDot(along, size), from = brDDot(along, box.lower);
	uint64_t* keys = BR_ALLOC(a, uint64_t, 2 * (int64_t)count);
	uint32_t* room = BR_ALLOC(a, uint32_t, count);
	bool isGood = keys != NULL && room != NULL;
	for (int32_t n = 0; isGood && n < count; ++n)
	{
		keys[n] = (uint64_t)(scale * (brDDot(along, work->positions.data[work->corners.data[3 * n]]) - from));
		order[n] = (uint32_t)n;
	}
	isGood = isGood && brSortPairs64(NULL, a, keys, order, keys + count, room, count);
	BR_FREE(a, keys, 2 * (int64_t)count);
	BR_FREE(a, room, count);
	return isGood;
}

// The faces of the cut, their heights wider by what rounding can do to those of a point.
static void checkFaces(Check* check, const uint32_t* order)
{
	const brDBox3 none = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
	check->box = none, check->slab = (CheckSlab){INFINITY, -INFINITY};
	for (int32_t first = 0; first < check->faceCount; first += CHECK_LANES)
	{
		CheckGroup* group = &check->groups[first / CHECK_LANES];
		group->box = none, group->slab = (CheckSlab){INFINITY, -INFINITY};
		for (int32_t lane = 0; lane < CHECK_LANES; ++lane)
		{
			// The last group has its last face several times, and then no box.
			int32_t n = first + lane < check->faceCount ? first + lane : check->faceCount - 1;
			CheckTriangle* face = &check->faces[n];
			const int32_t* corners = check->work->corners.data + 3 * (int64_t)order[n];
			checkTriangle(check, corners, checkHeights(check, corners), face);
			double sure = CHECK_SURE * (brDLength(face->box.lower) + brDLength(face->box.upper));
			face->slab.lower -= sure, face->slab.upper += sure;
			checkGrow(group, face, lane);
			group->faces.lower[0][lane] = n == first + lane ? face->box.lower.x : INFINITY;
		}
		check->box = brDBox3_Union(check->box, group->box);
		check->slab.lower = checkLess(check->slab.lower, group->slab.lower);
		check->slab.upper = checkMore(check->slab.upper, group->slab.upper);
	}
	double upper = -INFINITY, lower = INFINITY;
	for (int32_t g = 0, count = (check->faceCount + 7) / 8; g < count; ++g)
	{
		CheckGroup *group = &check->groups[g], *back = &check->groups[count - 1 - g];
		upper = checkMore(upper, brDDot(check->along, group->box.upper));
		lower = checkLess(lower, brDDot(check->along, back->box.lower));
		group->reach.upper = upper, back->reach.lower = lower;
	}
}

// The sum of the sides of the box of the part.
static double checkPartSize(const brSplitWork* work)
{
	const brDVec3* at = work->positions.data;
	brDVec3 lower = at[0], upper = at[0];
	for (int32_t v = 1; v < work->positions.count; ++v)
	{
		lower = brMakeDVec3(checkLess(lower.x, at[v].x), checkLess(lower.y, at[v].y), checkLess(lower.z, at[v].z));
		upper = brMakeDVec3(checkMore(upper.x, at[v].x), checkMore(upper.y, at[v].y), checkMore(upper.z, at[v].z));
	}
	return checkSize(brDSub(upper, lower));
}

bool brSplitWork_IsInside(const brSplitWork* work, bool* outIsInside)
{
	const brSplitShape* shape = &work->surface.shape;
	const brAllocator* a = &work->allocator;
	int32_t count = work->corners.count / 3, groups = (count + CHECK_LANES - 1) / CHECK_LANES;
	Check check = {.work = work, .faceCount = count, .kernel = BR_WIDEST(brCpu_Best(), checkEight)};
	check.size = checkPartSize(work);
	check.normal = shape->radius > 0.0 ? brMakeDVec3(0.0, 0.0, 0.0) : shape->n;
	check.faces = BR_ALLOC(a, CheckTriangle, count);
	check.groups = BR_ALLOC(a, CheckGroup, groups);
	uint32_t* order = BR_ALLOC(a, uint32_t, count);
	bool isGood = check.faces != NULL && check.groups != NULL && order != NULL && checkOrder(&check, order);
	if (isGood)
	{
		checkFaces(&check, order);
		check.far = checkFar(&check);
	}
	*outIsInside = true;
	const brSplitTriangles* sides[2] = {&work->below, &work->above};
	for (int32_t k = 0; isGood && k < 2; ++k)
	{
		for (int32_t t = 0; t < sides[k]->count && *outIsInside; ++t)
		{
			const int32_t* corners = sides[k]->data[t].corners;
			if (checkIsFar(&check, corners))
			{
				continue;
			}
			CheckSlab slab = checkHeights(&check, corners);
			if (checkIsOff(&slab, &check.slab))
			{
				continue;
			}
			CheckTriangle triangle;
			checkTriangle(&check, corners, slab, &triangle);
			*outIsInside = !brDBox3_Overlaps(triangle.box, check.box) || !checkSurface(&check, &triangle);
		}
	}
	BR_FREE(a, order, count);
	BR_FREE(a, check.faces, count);
	BR_FREE(a, check.groups, groups);
	return isGood;
}
