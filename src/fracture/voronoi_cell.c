// SPDX-License-Identifier: MIT

// Cutting one cell, after Chlubna's box cutting and the dual form of Ray, Sokolov, Lefebvre and Levy (2018): what a
// plane cuts off is a patch of corners around which one new corner per edge is strung.
//
// Sizes of the whole numbers: offsets k up to 2^24 an axis, d = k.k up to 2^49.6, cross products of offsets up to 2^49
// (exact in doubles), determinants of three offsets up to 2^74.4 and of four planes up to 2^126.6.

#include "fracture/voronoi_cell.h"

#include "base/assert.h"
#include "math/predicates.h"

#include <string.h>

#define CELL_FIRST_ROOM 64 // corners; a cell of evenly spread sites has 27 or so
#define CELL_BYTES                                                                                                     \
	(2 * sizeof(double[4]) + sizeof(brCellCutEdge) + 9 * sizeof(int32_t) + 1) // a corner, with two bits of masks
#define CANDIDATE_BYTES (4 * sizeof(double) + 2 * sizeof(int32_t))

void brVoronoiCell_Init(brVoronoiCell* cell, const brAllocator* allocator, brCpuPath path)
{
	*cell = (brVoronoiCell){.allocator = *allocator, .kernels = brGetCellKernels(path)};
}

void brVoronoiCell_Free(brVoronoiCell* cell)
{
	brFreeArray(&cell->allocator, cell->block, cell->capacity, CELL_BYTES);
	BR_FREE_ARRAY(&cell->allocator, &cell->planes);
	BR_FREE_ARRAY(&cell->allocator, &cell->names);
	BR_FREE_ARRAY(&cell->allocator, &cell->starts);
}

// Arrays of a cell with room for `capacity` corners, one behind the other in a block. All start at whole groups of
// lanes.
static void cellLayOut(brVoronoiCell* cell, void* block, int32_t capacity)
{
	cell->points = block;
	cell->places = cell->points + capacity / BR_CELL_LANES;
	cell->rim = (brCellCutEdge*)(cell->places + capacity / BR_CELL_LANES);
	cell->corners = (int32_t*)(cell->rim + capacity);
	cell->twins = cell->corners + 4 * (int64_t)capacity;
	cell->slots = cell->twins + 4 * (int64_t)capacity;
	cell->beyond = (uint64_t*)(cell->slots + capacity);
	cell->unsure = cell->beyond + capacity / 64;
	cell->block = block;
	cell->capacity = capacity;
}

// Room for the next cut, which adds at most two corners in all, and a group of lanes behind them.
static bool cellReserve(brVoronoiCell* cell, int32_t count)
{
	if (count + 3 + BR_CELL_LANES <= cell->capacity)
	{
		return true;
	}
	brVoronoiCell old = *cell;
	int64_t capacity = old.capacity > 0 ? 2 * (int64_t)old.capacity : CELL_FIRST_ROOM;
	void* block = capacity <= INT32_MAX / 16 ? brAllocZeroArray(&cell->allocator, capacity, CELL_BYTES) : NULL;
	if (block == NULL)
	{
		return false;
	}
	cellLayOut(cell, block, (int32_t)capacity);
	if (old.count > 0)
	{
		memcpy(cell->points, old.points, (size_t)old.capacity / BR_CELL_LANES * sizeof(brCellGroup));
		memcpy(cell->corners, old.corners, (size_t)old.count * sizeof(int32_t[4]));
		memcpy(cell->twins, old.twins, (size_t)old.count * sizeof(int32_t[4]));
	}
	brFreeArray(&cell->allocator, old.block, old.capacity, CELL_BYTES);
	return true;
}

static inline void cellSetPoint(brVoronoiCell* cell, int32_t corner, double x, double y, double z, double distanceSq)
{
	brCellGroup* group = &cell->points[(uint32_t)corner / BR_CELL_LANES];
	uint32_t lane = (uint32_t)corner % BR_CELL_LANES;
	group->x[lane] = x;
	group->y[lane] = y;
	group->z[lane] = z;
	group->distanceSq[lane] = distanceSq;
}

static void cellEmpty(brVoronoiCell* cell)
{
	cell->count = 0;
	cell->reachSq = -1.0;
}

// Corner b of the box has the upper side of axis a if bit a is set. Its planes turn left seen from outside; the edge
// between two of them flips the axis of the third, and at its other end the planes turn the other way.
static const int32_t s_boxCorners[8][4] = {{0, 4, 2}, {1, 2, 4}, {0, 3, 4}, {1, 4, 3},
										   {0, 2, 5}, {1, 5, 2}, {0, 5, 3}, {1, 3, 5}};
static const int32_t s_boxTwins[8][4] = {{4 * 2 + 2, 4 * 1 + 1, 4 * 4 + 0}, {4 * 5 + 2, 4 * 0 + 1, 4 * 3 + 0},
										 {4 * 6 + 2, 4 * 3 + 1, 4 * 0 + 0}, {4 * 1 + 2, 4 * 2 + 1, 4 * 7 + 0},
										 {4 * 0 + 2, 4 * 5 + 1, 4 * 6 + 0}, {4 * 7 + 2, 4 * 4 + 1, 4 * 1 + 0},
										 {4 * 4 + 2, 4 * 7 + 1, 4 * 2 + 0}, {4 * 3 + 2, 4 * 6 + 1, 4 * 5 + 0}};

bool brVoronoiCell_Start(brVoronoiCell* cell, int32_t site, const int32_t place[3], const int32_t size[3])
{
	cell->planes.count = 0;
	cell->count = 0;
	cell->names.count = 0;
	if (!BR_RESERVE(&cell->allocator, &cell->planes, 6) || !BR_RESERVE(&cell->allocator, &cell->names, 6) ||
		!cellReserve(cell, 8))
	{
		return false;
	}
	cell->site = site;
	cell->error = 0.0;
	for (int32_t side = 0; side < 6; ++side)
	{
		int32_t axis = side / 2;
		double sign = side % 2 == 0 ? -1.0 : 1.0;
		double d = 2.0 * (side % 2 == 0 ? place[axis] : size[axis] - place[axis]);
		cell->planes.data[side] =
			(brCellPlane){axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0, d};
		cell->names.data[side] = -1 - side;
	}
	cell->planes.count = cell->names.count = 6;
	memcpy(cell->corners, s_boxCorners, sizeof(s_boxCorners));
	memcpy(cell->twins, s_boxTwins, sizeof(s_boxTwins));
	for (int32_t b = 0; b < 8; ++b)
	{
		double x = b & 1 ? cell->planes.data[1].d : -cell->planes.data[0].d;
		double y = b & 2 ? cell->planes.data[3].d : -cell->planes.data[2].d;
		double z = b & 4 ? cell->planes.data[5].d : -cell->planes.data[4].d;
		cellSetPoint(cell, b, x, y, z, (x * x + y * y + z * z) * (1.0 + 8.0 * BR_PREDICATE_U));
	}
	cell->count = 8;
	cell->reachSq = cell->kernels->farthest(cell);
	cell->magnitude = sqrt(cell->reachSq);
	return true;
}

typedef struct CellInts
{
	int64_t x, y, z, d;
} CellInts;

static CellInts cellInts(const brCellPlane* plane)
{
	return (CellInts){(int64_t)plane->x, (int64_t)plane->y, (int64_t)plane->z, (int64_t)plane->d};
}

static CellInts cellCross(CellInts a, CellInts b)
{
	return (CellInts){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, 0};
}

// a b + c d + e f
static brInt128 cellSum(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f)
{
	return brInt128_Add(brInt128_Add(brInt128_Product(a, b), brInt128_Product(c, d)), brInt128_Product(e, f));
}

static brInt128 cellDot(CellInts a, CellInts b)
{
	return cellSum(a.x, b.x, a.y, b.y, a.z, b.z);
}

void brCellCorner_Exact(const brCellPlane* a, const brCellPlane* b, const brCellPlane* c, brInt128 outPoint[3],
						brInt128* outDenominator)
{
	CellInts ka = cellInts(a), kb = cellInts(b), kc = cellInts(c);
	CellInts bc = cellCross(kb, kc), ca = cellCross(kc, ka), ab = cellCross(ka, kb);
	outPoint[0] = cellSum(ka.d, bc.x, kb.d, ca.x, kc.d, ab.x);
	outPoint[1] = cellSum(ka.d, bc.y, kb.d, ca.y, kc.d, ab.y);
	outPoint[2] = cellSum(ka.d, bc.z, kb.d, ca.z, kc.d, ab.z);
	*outDenominator = cellDot(ka, bc);
}

// Exact: whether a corner lies beyond plane `last`. With the cofactors C of the column d,
//   (k_m . X - d_m) D = d_a C_a + d_b C_b + d_c C_c - d_m D.
// Weights add e_i - e_j to the d of the plane to site j, and of those weights the one with the lowest index rules.
static bool cellIsBeyondExact(const brVoronoiCell* cell, int32_t corner, const brCellPlane* last, int32_t lastSite)
{
	const int32_t* three = cell->corners + 4 * (int64_t)corner;
	const brCellPlane* planes[4] = {&cell->planes.data[three[0]], &cell->planes.data[three[1]],
									&cell->planes.data[three[2]], last};
	int32_t sites[4] = {cell->names.data[three[0]], cell->names.data[three[1]], cell->names.data[three[2]], lastSite};
	CellInts k[4] = {cellInts(planes[0]), cellInts(planes[1]), cellInts(planes[2]), cellInts(planes[3])};
	CellInts bc = cellCross(k[1], k[2]);
	brInt128 cofactors[4] = {cellDot(k[3], bc), cellDot(k[3], cellCross(k[2], k[0])),
							 cellDot(k[3], cellCross(k[0], k[1])), brInt128_Negate(cellDot(k[0], bc))};
	// The corners turn left, so D > 0 and the sum has the sign of the height.
	BR_ASSERT(brInt128_Sign(cofactors[3]) < 0);
	const brInt128 zero = brInt128_Product(0, 0);
	brInt128 sum = zero, own = zero;
	for (int32_t i = 0; i < 4; ++i)
	{
		sum = brInt128_Add(sum, brInt128_Scale(cofactors[i], k[i].d));
		own = brInt128_Add(own, sites[i] >= 0 ? cofactors[i] : zero);
	}
	if (brInt128_Sign(sum) != 0)
	{
		return brInt128_Sign(sum) > 0;
	}
	int32_t ruler = brInt128_Sign(own) != 0 ? cell->site : INT32_MAX;
	brInt128 change = own;
	for (int32_t i = 0; i < 4; ++i)
	{
		if (sites[i] >= 0 && sites[i] < ruler && brInt128_Sign(cofactors[i]) != 0)
		{
			ruler = sites[i];
			change = brInt128_Negate(cofactors[i]);
		}
	}
	BR_ASSERT(brInt128_Sign(change) != 0);
	return brInt128_Sign(change) > 0;
}

// Settles what the filter left open.
static void cellSettle(const brVoronoiCell* cell, const brCellPlane* plane, int32_t site)
{
	for (int32_t w = 0; w <= (cell->count - 1) / 64; ++w)
	{
		for (uint64_t bits = cell->unsure[w]; bits != 0; bits &= bits - 1)
		{
			int32_t bit = __builtin_ctzll(bits);
			cell->beyond[w] |= (uint64_t)cellIsBeyondExact(cell, 64 * w + bit, plane, site) << bit;
		}
	}
}

static inline int32_t cellIsKept(const uint64_t* beyond, int32_t halfEdge)
{
	return 1 - (int32_t)(beyond[halfEdge >> 8] >> (halfEdge >> 2 & 63) & 1);
}

// Lists the corners beyond a plane, and the edges that leave this patch. A tree of r corners of three edges has r + 2
// leaves; where whole facets go there are fewer.
static int32_t cellListRim(const brVoronoiCell* cell, int32_t* outRimCount)
{
	const int32_t *twins = cell->twins, *corners = cell->corners;
	const uint64_t* beyond = cell->beyond;
	int32_t* slots = cell->slots;
	brCellCutEdge* rim = cell->rim;
	int32_t removed = 0, count = 0;
	for (int32_t w = 0; w <= (cell->count - 1) / 64; ++w)
	{
		for (uint64_t bits = beyond[w]; bits != 0; bits &= bits - 1)
		{
			int32_t v = 64 * w + __builtin_ctzll(bits);
			slots[removed++] = v;
			// Whether an edge leaves is as good as random, so all are written and those that leave are kept.
			const int32_t *ends = twins + 4 * (int64_t)v, *planes = corners + 4 * (int64_t)v;
			int32_t a = planes[0], b = planes[1], c = planes[2];
			rim[count] = (brCellCutEdge){ends[0], a, b, 0};
			count += cellIsKept(beyond, ends[0]);
			rim[count] = (brCellCutEdge){ends[1], b, c, 0};
			count += cellIsKept(beyond, ends[1]);
			rim[count] = (brCellCutEdge){ends[2], c, a, 0};
			count += cellIsKept(beyond, ends[2]);
		}
	}
	BR_ASSERT(count <= removed + 2);
	memset(rim + count, 0, BR_CELL_LANES * sizeof(brCellCutEdge)); // lanes that count for nothing
	*outRimCount = count;
	return removed;
}

// A corner of the rim that lies on planes all but parallel.
static void cellPlaceExact(brVoronoiCell* cell, int32_t n, const brCellPlane* plane)
{
	brInt128 exact[3], denominator;
	brCellCorner_Exact(&cell->planes.data[cell->rim[n].a], &cell->planes.data[cell->rim[n].b], plane, exact,
					   &denominator);
	BR_ASSERT(brInt128_Sign(denominator) > 0);
	double d = brInt128_ToDouble(denominator);
	double x = brInt128_ToDouble(exact[0]) / d, y = brInt128_ToDouble(exact[1]) / d,
		   z = brInt128_ToDouble(exact[2]) / d;
	double size = fabs(x) + fabs(y) + fabs(z);
	double error = 4.0 * BR_PREDICATE_U * size;
	cell->error = error > cell->error ? error : cell->error;
	brCellGroup* group = &cell->places[n / BR_CELL_LANES];
	int32_t lane = n % BR_CELL_LANES;
	group->x[lane] = x, group->y[lane] = y, group->z[lane] = z;
	group->distanceSq[lane] = (x * x + y * y + z * z) * (1.0 + 8.0 * BR_PREDICATE_U) + 4.0 * error * (size + error);
}

// Puts the rim's corners where removed ones were, then behind the last, and strings them in a ring about the new plane.
static void cellLinkRim(brVoronoiCell* cell, int32_t added, int32_t rimCount, int32_t removedCount)
{
	const brCellCutEdge* rim = cell->rim;
	int32_t *starts = cell->starts.data, *corners = cell->corners, *twins = cell->twins, *slots = cell->slots;
	for (int32_t n = removedCount; n < rimCount; ++n)
	{
		slots[n] = cell->count + n - removedCount;
	}
	for (int32_t n = 0; n < rimCount; ++n)
	{
		int32_t slot = slots[n];
		corners[4 * slot] = rim[n].a, corners[4 * slot + 1] = rim[n].b, corners[4 * slot + 2] = added;
		twins[4 * slot] = rim[n].twin;
		twins[rim[n].twin] = 4 * slot;
		starts[rim[n].a] = slot;
		const brCellGroup* from = &cell->places[n / BR_CELL_LANES];
		int32_t lane = n % BR_CELL_LANES;
		cellSetPoint(cell, slot, from->x[lane], from->y[lane], from->z[lane], from->distanceSq[lane]);
	}
	for (int32_t n = 0; n < rimCount; ++n)
	{
		int32_t slot = slots[n], other = starts[rim[n].b];
		twins[4 * slot + 1] = 4 * other + 2;
		twins[4 * other + 2] = 4 * slot + 1;
	}
}

// Corner `from` becomes corner `to`; its neighbors hear of it.
static void cellMoveCorner(brVoronoiCell* cell, int32_t from, int32_t to)
{
	const brCellGroup* group = &cell->points[from / BR_CELL_LANES];
	int32_t lane = from % BR_CELL_LANES;
	cellSetPoint(cell, to, group->x[lane], group->y[lane], group->z[lane], group->distanceSq[lane]);
	memcpy(cell->corners + 4 * (int64_t)to, cell->corners + 4 * (int64_t)from, sizeof(int32_t[4]));
	for (int32_t e = 0; e < 3; ++e)
	{
		int32_t twin = cell->twins[4 * from + e];
		cell->twins[4 * to + e] = twin;
		cell->twins[twin] = 4 * to + e;
	}
}

// Cuts off the corners that are `beyond` the plane of a site.
static bool cellCut(brVoronoiCell* cell, const brCellPlane* plane, int32_t site)
{
	int32_t count = cell->count, rimCount;
	int32_t removedCount = cellListRim(cell, &rimCount);
	if (removedCount == 0)
	{
		return true;
	}
	if (removedCount == count)
	{
		// Only a site outside the box can be nearer everywhere.
		cellEmpty(cell);
		return true;
	}
	int32_t added = cell->planes.count;
	if (!BR_PUSH(&cell->allocator, &cell->planes, *plane) || !BR_PUSH(&cell->allocator, &cell->names, site) ||
		!BR_RESERVE(&cell->allocator, &cell->starts, added + 1 - cell->starts.count))
	{
		return false;
	}
	cell->magnitude = sqrt(cell->reachSq); // as it was: what is cut off makes it no larger
	uint64_t weak = cell->kernels->place(cell, plane, rimCount);
	for (int32_t n = 0; weak != 0 && n < rimCount; ++n)
	{
		if (n >= 64 || (weak >> n & 1))
		{
			cellPlaceExact(cell, n, plane);
		}
	}
	cellLinkRim(cell, added, rimCount, removedCount);
	// Holes that are left take the last corners that stay.
	for (int32_t low = rimCount, high = removedCount - 1, last = count - 1; low <= high; --last)
	{
		if (cell->slots[high] == last)
		{
			--high;
		}
		else
		{
			cellMoveCorner(cell, last, cell->slots[low++]);
		}
	}
	cell->count = count + rimCount - removedCount;
	cell->reachSq = cell->kernels->farthest(cell);
	return cellReserve(cell, cell->count);
}

bool brVoronoiCell_Cut(brVoronoiCell* cell, const brCellCandidates* candidates, const int32_t* names)
{
	int32_t n = 0;
	while (cell->count > 0 && (n = cell->kernels->nextCut(cell, candidates, n)) < candidates->count)
	{
		int32_t c = candidates->order[n++];
		int32_t site = names[candidates->indices[c]];
		brCellPlane plane = {candidates->x[c], candidates->y[c], candidates->z[c], candidates->distanceSq[c]};
		if (plane.d == 0.0)
		{
			// At our own place; the first site of a place has it all.
			if (site < cell->site)
			{
				cellEmpty(cell);
			}
			continue;
		}
		cellSettle(cell, &plane, site);
		if (!cellCut(cell, &plane, site))
		{
			return false;
		}
	}
	return true;
}

double brVoronoiCell_Volume(const brVoronoiCell* cell)
{
	// Cones from the site over all facets, each a fan about the foot of the site on its plane, which is k itself (d k
	// on a side of the box). An edge between two facets is in two triangles: (foot b - foot a) . (p x q).
	double sum = 0.0;
	for (int32_t i = 0; i < cell->count; ++i)
	{
		const int32_t* planes = cell->corners + 4 * (int64_t)i;
		const brCellGroup* from = &cell->points[i / BR_CELL_LANES];
		double px = from->x[i % BR_CELL_LANES], py = from->y[i % BR_CELL_LANES], pz = from->z[i % BR_CELL_LANES];
		for (int32_t e = 0; e < 3; ++e)
		{
			int32_t n = cell->twins[4 * i + e] >> 2;
			if (n < i)
			{
				continue;
			}
			const brCellGroup* to = &cell->points[n / BR_CELL_LANES];
			double qx = to->x[n % BR_CELL_LANES], qy = to->y[n % BR_CELL_LANES], qz = to->z[n % BR_CELL_LANES];
			int32_t left = planes[e], right = planes[e == 2 ? 0 : e + 1];
			const brCellPlane *a = &cell->planes.data[left], *b = &cell->planes.data[right];
			double sa = left < 6 ? a->d : 1.0, sb = right < 6 ? b->d : 1.0;
			sum += (sb * b->x - sa * a->x) * (py * qz - pz * qy) + (sb * b->y - sa * a->y) * (pz * qx - px * qz) +
				   (sb * b->z - sa * a->z) * (px * qy - py * qx);
		}
	}
	return sum / 48.0; // six for the determinant, eight for the doubled coordinates
}

bool brCellCandidates_Reserve(brCellCandidates* candidates, const brAllocator* allocator, int32_t extra)
{
	int64_t needed = (int64_t)candidates->count + extra + BR_CELL_LANES;
	if (needed <= candidates->capacity)
	{
		return true;
	}
	brCellCandidates old = *candidates;
	int64_t capacity = 256;
	while (capacity < needed)
	{
		capacity *= 2;
	}
	double* block = capacity <= INT32_MAX ? brAllocZeroArray(allocator, capacity, CANDIDATE_BYTES) : NULL;
	if (block == NULL)
	{
		return false;
	}
	*candidates = (brCellCandidates){.count = old.count, .capacity = (int32_t)capacity, .block = block};
	candidates->x = block;
	candidates->y = block + capacity;
	candidates->z = block + 2 * capacity;
	candidates->distanceSq = block + 3 * capacity;
	candidates->indices = (int32_t*)(block + 4 * capacity);
	candidates->order = candidates->indices + capacity;
	if (old.count > 0)
	{
		size_t reals = (size_t)old.count * sizeof(double);
		memcpy(candidates->x, old.x, reals);
		memcpy(candidates->y, old.y, reals);
		memcpy(candidates->z, old.z, reals);
		memcpy(candidates->distanceSq, old.distanceSq, reals);
		memcpy(candidates->indices, old.indices, (size_t)old.count * sizeof(int32_t));
	}
	brFreeArray(allocator, old.block, old.capacity, CANDIDATE_BYTES);
	return true;
}

void brCellCandidates_Free(brCellCandidates* candidates, const brAllocator* allocator)
{
	brFreeArray(allocator, candidates->block, candidates->capacity, CANDIDATE_BYTES);
	*candidates = (brCellCandidates){0};
}

// The leading bits of a positive double: eight steps for every doubling.
static inline int32_t cellRing(double distanceSq)
{
	uint64_t bits;
	memcpy(&bits, &distanceSq, sizeof(bits));
	return (int32_t)(bits >> 49);
}

// Counted into rings of distance.
void brCellCandidates_Sort(brCellCandidates* candidates)
{
	enum
	{
		ringCount = 64,
	};
	int32_t count = candidates->count;
	double farthest = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		farthest = candidates->distanceSq[i] > farthest ? candidates->distanceSq[i] : farthest;
	}
	int32_t base = cellRing(farthest) - (ringCount - 1);
	int32_t ends[ringCount] = {0};
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t ring = cellRing(candidates->distanceSq[i]) - base;
		++ends[ring < 0 ? 0 : ring];
	}
	for (int32_t ring = 1; ring < ringCount; ++ring)
	{
		ends[ring] += ends[ring - 1];
	}
	for (int32_t i = count - 1; i >= 0; --i)
	{
		int32_t ring = cellRing(candidates->distanceSq[i]) - base;
		candidates->order[--ends[ring < 0 ? 0 : ring]] = i;
	}
}
