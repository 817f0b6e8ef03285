// SPDX-License-Identifier: MIT

// Clipping ears, fixed by the geometry alone:
//
//   canonical order   The corner list starts at its least rotation and runs the lesser way, by position. Two copies of a
//                     face, turned or reversed, are the same list from here on, and so are their triangles.
//   projection        Along the largest part of the Newell normal; every later decision is an exact orient2d.
//   ears              A corner is an ear if it turns left and no other corner lies in its closed triangle. Only corners
//                     that do not turn left can lie there first, and those wait in a grid. Clipping an ear changes nothing
//                     but its two neighbors (O'Rourke, Computational Geometry in C, 1.4), so a queue of candidates suffices.
//
// In a simple outline with flat corners a strict ear always exists: a triangulation with all corners as nodes and no
// flat triangle exists, and its dual tree has two leaves. An outline that gets stuck is therefore not simple. It is
// tried once more with corners at the same place forgiven (bridges to holes, doubled corners), and where that is stuck
// too the thinnest corner goes: a fold that rounding made stays as small as the rounding.
//
// Ears that are thinner than rounding wait until nothing else is left, so that corners in a row are joined to others
// than their neighbors. Those that are left then are flipped away (flip_thin.h).
//
// Cost: about 3 k ear tests, each over the few grid cells that the ear covers. Memory: 76 bytes a corner of the largest
// face of each worker.

#include "mesh/ears.h"

#include "math/predicates.h"
#include "mesh/flat_face.h"
#include "mesh/flip_thin.h"

#include <float.h>
#include <string.h>

#define EAR_GRID_MAX_SIDE 1024
#define EAR_FEW 1024

// What an outline is taken for.
typedef enum EarHope
{
	ear_isSimple,
	ear_isDoubled, // corners may lie at one place
	ear_isFolded,  // it may cross itself
} EarHope;

void brFreeEarScratch(const brAllocator* allocator, brEarScratch* scratch)
{
	BR_FREE(allocator, scratch->corners, scratch->capacity);
	BR_FREE(allocator, scratch->queue, 3 * (int64_t)scratch->capacity);
	BR_FREE(allocator, scratch->links, 3 * (int64_t)scratch->capacity);
	BR_FREE(allocator, scratch->points, scratch->capacity);
	BR_FREE(allocator, scratch->cells, scratch->capacity);
	*scratch = (brEarScratch){0};
}

bool brGrowEarScratch(const brAllocator* allocator, brEarScratch* scratch, int32_t count)
{
	if (count <= scratch->capacity)
	{
		return true;
	}
	if (count > INT32_MAX / 6)
	{
		return false;
	}
	int32_t capacity = count + count / 2;
	brFreeEarScratch(allocator, scratch);
	scratch->capacity = capacity;
	scratch->corners = BR_ALLOC(allocator, brEarCorner, capacity);
	scratch->queue = BR_ALLOC(allocator, int32_t, 3 * (int64_t)capacity);
	scratch->links = BR_ALLOC(allocator, int32_t, 3 * (int64_t)capacity);
	scratch->points = BR_ALLOC(allocator, brDVec2, capacity);
	scratch->cells = BR_ALLOC(allocator, int32_t, capacity);
	if (scratch->corners != NULL && scratch->queue != NULL && scratch->links != NULL && scratch->points != NULL &&
		scratch->cells != NULL)
	{
		return true;
	}
	brFreeEarScratch(allocator, scratch);
	return false;
}

// The corners of a face as a ring that can be walked either way.
typedef struct EarRing
{
	const brMesh* mesh;
	int32_t start;
	int32_t count;
	bool reversed;
} EarRing;

static int32_t earRingCorner(const EarRing* ring, int64_t index)
{
	int32_t k = (int32_t)(index % ring->count);
	return ring->start + (ring->reversed && k > 0 ? ring->count - k : k);
}

static brDVec3 earRingPosition(const EarRing* ring, int64_t index)
{
	return ring->mesh->positions[ring->mesh->corners[earRingCorner(ring, index)]];
}

// Start of the least rotation in linear time: two candidates race, and the one that loses at offset k gives up all
// starts up to there.
static int32_t minEarRotation(const EarRing* ring)
{
	int32_t i = 0, j = 1, k = 0;
	while (i < ring->count && j < ring->count && k < ring->count)
	{
		int order = brComparePlaces(earRingPosition(ring, (int64_t)i + k), earRingPosition(ring, (int64_t)j + k));
		if (order == 0)
		{
			k += 1;
			continue;
		}
		if (order > 0)
		{
			i += k + 1;
		}
		else
		{
			j += k + 1;
		}
		j += i == j;
		k = 0;
	}
	return i < j ? i : j;
}

// Fills the scratch with the face in canonical order. Returns whether that runs against the face.
static bool loadEarCorners(const EarRing* face, brEarScratch* scratch)
{
	EarRing forward = *face;
	EarRing backward = *face;
	backward.reversed = true;
	int32_t forwardStart = minEarRotation(&forward);
	int32_t backwardStart = minEarRotation(&backward);
	int order = 0;
	for (int32_t k = 0; k < face->count && order == 0; ++k)
	{
		order = brComparePlaces(earRingPosition(&forward, (int64_t)forwardStart + k),
								earRingPosition(&backward, (int64_t)backwardStart + k));
	}
	const EarRing* ring = order <= 0 ? &forward : &backward;
	int32_t start = order <= 0 ? forwardStart : backwardStart;

	double scale = brFaceScale(face->mesh, face->mesh->corners + face->start, face->count);
	brDVec3 origin = brDMul(scale, earRingPosition(ring, start));
	brDVec3 normal = {0.0, 0.0, 0.0};
	for (int32_t k = 1; k + 1 < face->count; ++k)
	{
		brDVec3 a = brDSub(brDMul(scale, earRingPosition(ring, (int64_t)start + k)), origin);
		brDVec3 b = brDSub(brDMul(scale, earRingPosition(ring, (int64_t)start + k + 1)), origin);
		normal = brDAdd(normal, brDCross(a, b));
	}
	for (int32_t k = 0; k < face->count; ++k)
	{
		brEarCorner* corner = &scratch->corners[k];
		corner->corner = earRingCorner(ring, (int64_t)start + k);
		corner->point = brFlatten(earRingPosition(ring, (int64_t)start + k), normal);
	}
	return ring->reversed;
}

static bool earSamePoint(brDVec2 a, brDVec2 b)
{
	return a.x == b.x && a.y == b.y;
}

// Mirrors an outline that runs clockwise. The least point of a simple outline is a corner that truly turns, so its turn
// decides; false if it does not turn, which no simple outline does.
static bool turnEarsLeft(brEarScratch* scratch, int32_t count)
{
	brEarCorner* corners = scratch->corners;
	int32_t least = 0;
	for (int32_t k = 1; k < count; ++k)
	{
		brDVec2 p = corners[k].point, q = corners[least].point;
		least = p.x < q.x || (p.x == q.x && p.y < q.y) ? k : least;
	}
	int32_t before = least, after = least;
	do
	{
		before = before > 0 ? before - 1 : count - 1;
	} while (before != least && earSamePoint(corners[before].point, corners[least].point));
	do
	{
		after = after + 1 < count ? after + 1 : 0;
	} while (after != least && earSamePoint(corners[after].point, corners[least].point));
	int turn = brOrient2d(corners[before].point, corners[least].point, corners[after].point);
	for (int32_t k = 0; k < count && turn < 0; ++k)
	{
		corners[k].point.x = -corners[k].point.x;
	}
	return turn != 0;
}

// The same for an outline that folds: its area decides.
static void turnAreaLeft(brEarScratch* scratch, int32_t count)
{
	brEarCorner* corners = scratch->corners;
	brDVec2 origin = corners[0].point;
	double area = 0.0;
	for (int32_t k = 1; k + 1 < count; ++k)
	{
		brDVec2 a = corners[k].point, b = corners[k + 1].point;
		area += (a.x - origin.x) * (b.y - origin.y) - (a.y - origin.y) * (b.x - origin.x);
	}
	for (int32_t k = 0; k < count && area < 0.0; ++k)
	{
		corners[k].point.x = -corners[k].point.x;
	}
}

static int32_t earCell(double value, double lower, double scale, int32_t side)
{
	double cell = (value - lower) * scale;
	return cell >= side ? side - 1 : (cell > 0.0 ? (int32_t)cell : 0);
}

static int earTurn(const brEarCorner* corners, int32_t k)
{
	return brOrient2d(corners[corners[k].previous].point, corners[k].point, corners[corners[k].next].point);
}

// Links the ring, marks the corners that block and puts them into a grid with about one cell for each.
static void startEars(brEarScratch* scratch, int32_t count)
{
	brEarCorner* corners = scratch->corners;
	brDVec2 lower = corners[0].point, upper = corners[0].point;
	int32_t blockCount = 0;
	for (int32_t k = 0; k < count; ++k)
	{
		corners[k].previous = k > 0 ? k - 1 : count - 1;
		corners[k].next = k + 1 < count ? k + 1 : 0;
		corners[k].beyond = -1;
		lower = (brDVec2){fmin(lower.x, corners[k].point.x), fmin(lower.y, corners[k].point.y)};
		upper = (brDVec2){fmax(upper.x, corners[k].point.x), fmax(upper.y, corners[k].point.y)};
	}
	for (int32_t k = 0; k < count; ++k)
	{
		corners[k].blocks = earTurn(corners, k) <= 0;
		blockCount += corners[k].blocks;
	}

	brDVec2 extent = {upper.x - lower.x, upper.y - lower.y};
	int32_t side = isfinite(extent.x) && isfinite(extent.y) ? (int32_t)sqrt((double)blockCount) : 1;
	side = side < 1 ? 1 : (side > EAR_GRID_MAX_SIDE ? EAR_GRID_MAX_SIDE : side);
	scratch->gridSide = side;
	scratch->gridLower = lower;
	scratch->gridScale =
		(brDVec2){extent.x > side * DBL_MIN ? side / extent.x : 0.0, extent.y > side * DBL_MIN ? side / extent.y : 0.0};
	memset(scratch->cells, 0xff, (size_t)side * (size_t)side * sizeof(int32_t));
	for (int32_t k = count - 1; k >= 0; --k)
	{
		if (corners[k].blocks)
		{
			int32_t column = earCell(corners[k].point.x, lower.x, scratch->gridScale.x, side);
			int32_t row = earCell(corners[k].point.y, lower.y, scratch->gridScale.y, side);
			corners[k].nextInCell = scratch->cells[row * side + column];
			scratch->cells[row * side + column] = k;
		}
	}
}

// The columns that a triangle, given in cells, may touch in one row: the extent of its edges there, and a cell more on
// either side, which covers all rounding. Thin slanted ears meet few cells of their boxes.
static void earColumns(const brDVec2 cells[3], int32_t row, int32_t* first, int32_t* last)
{
	double lower = INFINITY, upper = -INFINITY;
	for (int k = 0; k < 3; ++k)
	{
		brDVec2 p = cells[k], q = cells[(k + 1) % 3];
		if (p.y > q.y)
		{
			brDVec2 swap = p;
			p = q;
			q = swap;
		}
		double from = fmax(p.y, row - 0.01), to = fmin(q.y, row + 1.01);
		if (from <= to)
		{
			double slope = q.y > p.y ? (q.x - p.x) / (q.y - p.y) : 0.0;
			double a = q.y > p.y ? p.x + slope * (from - p.y) : p.x;
			double b = q.y > p.y ? p.x + slope * (to - p.y) : q.x;
			lower = fmin(lower, fmin(a, b));
			upper = fmax(upper, fmax(a, b));
		}
	}
	if (lower - 1.0 > *first)
	{
		*first = lower - 1.0 < *last ? (int32_t)(lower - 1.0) : *last + 1;
	}
	if (upper + 1.0 < *last)
	{
		*last = upper + 1.0 > *first ? (int32_t)(upper + 1.0) : *first - 1;
	}
}

// Whether some blocking corner of a cell lies in the closed triangle of corner k. Corners that block no more leave
// here.
static bool earIsBlockedInCell(brEarScratch* scratch, int32_t* link, int32_t k, EarHope hope)
{
	brEarCorner* corners = scratch->corners;
	int32_t previous = corners[k].previous, next = corners[k].next;
	brDVec2 a = corners[previous].point, b = corners[k].point, c = corners[next].point;
	while (*link >= 0)
	{
		int32_t other = *link;
		if (!corners[other].blocks)
		{
			*link = corners[other].nextInCell;
			continue;
		}
		link = &corners[other].nextInCell;
		brDVec2 p = corners[other].point;
		bool isOwn = other == previous || other == k || other == next ||
					 (hope != ear_isSimple && (earSamePoint(p, a) || earSamePoint(p, b) || earSamePoint(p, c)));
		if (!isOwn && brOrient2d(a, b, p) >= 0 && brOrient2d(b, c, p) >= 0 && brOrient2d(c, a, p) >= 0)
		{
			return true;
		}
	}
	return false;
}

static bool earIsBlocked(brEarScratch* scratch, int32_t k, EarHope hope)
{
	const brEarCorner* corners = scratch->corners;
	brDVec2 points[3] = {corners[corners[k].previous].point, corners[k].point, corners[corners[k].next].point};
	brDVec2 origin = scratch->gridLower, scale = scratch->gridScale;
	brDVec2 cells[3], lower = points[0], upper = points[0];
	for (int i = 0; i < 3; ++i)
	{
		lower = (brDVec2){fmin(lower.x, points[i].x), fmin(lower.y, points[i].y)};
		upper = (brDVec2){fmax(upper.x, points[i].x), fmax(upper.y, points[i].y)};
		cells[i] = (brDVec2){(points[i].x - origin.x) * scale.x, (points[i].y - origin.y) * scale.y};
	}
	int32_t side = scratch->gridSide;
	int32_t firstColumn = earCell(lower.x, origin.x, scale.x, side);
	int32_t lastColumn = earCell(upper.x, origin.x, scale.x, side);
	int32_t lastRow = earCell(upper.y, origin.y, scale.y, side);
	for (int32_t row = earCell(lower.y, origin.y, scale.y, side); row <= lastRow; ++row)
	{
		int32_t first = firstColumn, last = lastColumn;
		if (lastColumn - firstColumn > 4)
		{
			earColumns(cells, row, &first, &last);
		}
		for (int32_t column = first; column <= last; ++column)
		{
			if (earIsBlockedInCell(scratch, &scratch->cells[row * side + column], k, hope))
			{
				return true;
			}
		}
	}
	return false;
}

// A corner with no area that doubles a neighbor, or goes out and back, can go without a look at the rest.
static bool earIsVoid(const brEarCorner* corners, int32_t k)
{
	brDVec2 a = corners[corners[k].previous].point, b = corners[k].point, c = corners[corners[k].next].point;
	return earSamePoint(a, b) || earSamePoint(b, c) || earSamePoint(a, c);
}

// What waits: thin ears, later only those thinner than rounding, at last none.
typedef enum EarThin
{
	ear_waitsThin,
	ear_waitsRounded,
	ear_waitsNone,
} EarThin;

static bool earWaits(const brEarScratch* scratch, int32_t k, EarThin thin)
{
	const brEarCorner* corners = scratch->corners;
	brDVec2 a = corners[corners[k].previous].point, c = corners[corners[k].next].point;
	return thin != ear_waitsNone &&
		   brIsThin(a, corners[k].point, c, thin == ear_waitsThin ? BR_FACE_THIN : 0.0, scratch->grain);
}

// Of the next EAR_FEW corners, so that a huge tangle takes no time of its square.
static int32_t findThinnestEar(const brEarCorner* corners, int32_t some, int32_t left)
{
	int32_t thinnest = some;
	double least = INFINITY;
	for (int32_t n = 0; n < left && n < EAR_FEW; ++n, some = corners[some].next)
	{
		brDVec2 a = corners[corners[some].previous].point, b = corners[some].point,
				c = corners[corners[some].next].point;
		double area = fabs((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
		if (area < least)
		{
			least = area;
			thinnest = some;
		}
	}
	return thinnest;
}

// Corners that wait to be looked at. Each has the ticket of its latest place in the queue; older ones are void.
typedef struct EarQueue
{
	brEarCorner* corners;
	int32_t* items;
	int32_t head, tail;
} EarQueue;

static void pushEar(EarQueue* queue, int32_t k)
{
	queue->corners[k].ticket = queue->tail;
	queue->items[queue->tail++] = k;
}

// The triangle of a corner: three places in the ring, and what lies beyond its sides.
static void emitEar(brEarScratch* scratch, int32_t k, int32_t triangle, int32_t* triangles)
{
	brEarCorner* corners = scratch->corners;
	int32_t places[3] = {corners[k].previous, k, corners[k].next};
	for (int32_t n = 0; n < 3; ++n)
	{
		int32_t side = 3 * triangle + n, beyond = n < 2 ? corners[places[n]].beyond : -1;
		triangles[side] = places[n];
		scratch->links[side] = beyond;
		if (beyond >= 0)
		{
			scratch->links[beyond] = side;
		}
	}
	corners[places[0]].beyond = 3 * triangle + 2;
}

// Takes a corner out of the ring. Its neighbors have new triangles and go to the back of the queue: cutting every second
// corner of a round outline keeps triangles fat.
static void cutEar(EarQueue* queue, int32_t k)
{
	brEarCorner* corners = queue->corners;
	int32_t neighbors[2] = {corners[k].previous, corners[k].next};
	corners[neighbors[0]].next = neighbors[1];
	corners[neighbors[1]].previous = neighbors[0];
	corners[k].blocks = false;
	for (int n = 0; n < 2; ++n)
	{
		brEarCorner* corner = &corners[neighbors[n]];
		corner->blocks = corner->blocks && earTurn(corners, neighbors[n]) <= 0;
		pushEar(queue, neighbors[n]);
	}
}

// Thin ears that were taken at last.
static void flipEars(brEarScratch* scratch, int32_t count, int32_t* triangles)
{
	for (int32_t k = 0; k < count; ++k)
	{
		scratch->points[k] = scratch->corners[k].point;
	}
	brFlat flat = {scratch->points, triangles, scratch->links, count - 2, scratch->grain};
	brFlipThin(&flat);
}

// Clips ears until three corners are left, into triangles of places in the ring. False if it gets stuck; the triangles
// written so far are then void.
static bool clipEars(brEarScratch* scratch, int32_t count, EarHope hope, int32_t* triangles)
{
	brEarCorner* corners = scratch->corners;
	startEars(scratch, count);
	EarQueue queue = {corners, scratch->queue, 0, 0};
	int32_t left = count, some = 0; // a corner that is still there
	EarThin thin = ear_waitsThin;
	for (int32_t k = 0; k < count; ++k)
	{
		pushEar(&queue, k);
	}
	while (left > 3)
	{
		bool isStuck = queue.head == queue.tail && thin == ear_waitsNone;
		if (isStuck && hope != ear_isFolded)
		{
			return false;
		}
		if (queue.head == queue.tail && !isStuck)
		{
			// Only thin ears are left: all corners are asked again.
			thin += 1;
			queue.head = queue.tail = 0;
			for (int32_t k = 0; k < left; ++k, some = corners[some].next)
			{
				pushEar(&queue, some);
			}
		}
		int32_t k = isStuck ? findThinnestEar(corners, some, left) : queue.items[queue.head++];
		if (!isStuck && corners[k].ticket != queue.head - 1)
		{
			continue;
		}
		bool isVoid = isStuck || (hope != ear_isSimple && earIsVoid(corners, k));
		if (!isVoid && (earWaits(scratch, k, thin) || earTurn(corners, k) <= 0 || earIsBlocked(scratch, k, hope)))
		{
			continue;
		}
		some = corners[k].next;
		emitEar(scratch, k, count - left, triangles);
		cutEar(&queue, k);
		left -= 1;
		thin = isStuck && left < EAR_FEW ? ear_waitsRounded : thin; // all are asked again
	}
	while (corners[queue.items[queue.head]].ticket != queue.head)
	{
		queue.head += 1;
	}
	int32_t last = queue.items[queue.head];
	int32_t beyond = corners[corners[last].next].beyond;
	emitEar(scratch, last, count - 3, triangles);
	scratch->links[3 * (count - 3) + 2] = beyond;
	if (beyond >= 0)
	{
		scratch->links[beyond] = 3 * (count - 3) + 2;
	}
	if (thin == ear_waitsNone || earWaits(scratch, last, ear_waitsRounded))
	{
		flipEars(scratch, count, triangles);
	}
	return true;
}

void brClipEars(const brMesh* mesh, int32_t start, int32_t count, brEarScratch* scratch, int32_t* triangles)
{
	EarRing face = {mesh, start, count, false};
	bool reversed = loadEarCorners(&face, scratch);
	scratch->grain = brFaceGrain(mesh, mesh->corners + start, count);
	bool isDone = turnEarsLeft(scratch, count) && (clipEars(scratch, count, ear_isSimple, triangles) ||
												   clipEars(scratch, count, ear_isDoubled, triangles));
	if (!isDone)
	{
		turnAreaLeft(scratch, count);
		clipEars(scratch, count, ear_isFolded, triangles);
	}
	for (int32_t t = 0; t < count - 2; ++t)
	{
		int32_t* triangle = triangles + 3 * (int64_t)t;
		int32_t first = triangle[reversed ? 2 : 0], last = triangle[reversed ? 0 : 2];
		triangle[0] = scratch->corners[first].corner;
		triangle[1] = scratch->corners[triangle[1]].corner;
		triangle[2] = scratch->corners[last].corner;
	}
}
