// SPDX-License-Identifier: MIT

// Cutting one cell, after Chlubna's box cutting and the dual form of Ray, Sokolov, Lefebvre and Levy (2018): what a plane
// cuts off is a patch of corners around which one new corner per edge is strung.
//
// Sizes of the whole numbers: offsets k up to 2^24 an axis, d = k.k up to 2^49.6, cross products of offsets up to 2^49
// (exact in doubles), determinants of three offsets up to 2^74.4 and of four planes up to 2^126.6.

#include "fracture/voronoi_cell.h"

#include "base/assert.h"
#include "math/predicates.h"

#include <string.h>

#define CELL_GROUP 8       // lanes that are read or written at once
#define CELL_FIRST_ROOM 64 // corners; a cell of evenly spread sites has 27 or so
#define CELL_REALS 17      // arrays of a cell
#define CELL_BYTES (CELL_REALS * sizeof(double) + 12 * sizeof(int32_t) + 1) // a corner, with two bits of masks
#define CANDIDATE_BYTES (4 * sizeof(double) + 2 * sizeof(int32_t))

const brCellKernels* brCellKernels_For(brCpuPath path)
{
#if defined(__x86_64__)
	if (path >= br_cpuAvx512)
	{
		return &brCellKernelsAvx512;
	}
	if (path >= br_cpuAvx2)
	{
		return &brCellKernelsAvx2;
	}
#endif
	(void)path;
	return &brCellKernelsPlain;
}

void brVoronoiCell_Init(brVoronoiCell* cell, const brAllocator* allocator, brCpuPath path)
{
	*cell = (brVoronoiCell){.allocator = *allocator, .kernels = brCellKernels_For(path)};
}

void brVoronoiCell_Free(brVoronoiCell* cell)
{
	brFreeArray(&cell->allocator, cell->block, cell->capacity, CELL_BYTES);
	BR_FREE_ARRAY(&cell->allocator, &cell->planes);
	BR_FREE_ARRAY(&cell->allocator, &cell->starts);
}

// Arrays of a cell with room for `capacity` corners, one behind the other in a block. All start at whole groups of lanes.
static void cellLayOut(brVoronoiCell* cell, void* block, int32_t capacity)
{
	double** reals[CELL_REALS] = {
		&cell->x,      &cell->y,      &cell->z,      &cell->distancesSq, &cell->rim.ax, &cell->rim.ay,
		&cell->rim.az, &cell->rim.ad, &cell->rim.bx, &cell->rim.by,      &cell->rim.bz, &cell->rim.bd,
		&cell->rim.x,  &cell->rim.y,  &cell->rim.z,  &cell->rim.error,   &cell->rim.distanceSq,
	};
	double* real = block;
	for (int32_t i = 0; i < CELL_REALS; ++i, real += capacity)
	{
		*reals[i] = real;
	}
	int32_t* whole = (int32_t*)real;
	cell->corners = whole;
	cell->twins = whole + 4 * (int64_t)capacity;
	cell->removed = whole + 8 * (int64_t)capacity;
	cell->rim.twins = whole + 9 * (int64_t)capacity;
	cell->rim.a = whole + 10 * (int64_t)capacity;
	cell->rim.b = whole + 11 * (int64_t)capacity;
	cell->beyond = (uint64_t*)(whole + 12 * (int64_t)capacity);
	cell->unsure = cell->beyond + capacity / 64;
	cell->block = block;
	cell->capacity = capacity;
}

// Room for the next cut, which adds at most two corners in all, and a group of lanes behind them.
static bool cellReserve(brVoronoiCell* cell, int32_t count)
{
	if (count + 2 + CELL_GROUP <= cell->capacity)
	{
		return true;
	}
	brVoronoiCell old = *cell;
	int64_t capacity = old.capacity > 0 ? 2 * (int64_t)old.capacity : CELL_FIRST_ROOM;
	while (capacity < (int64_t)count + 2 + CELL_GROUP)
	{
		capacity *= 2;
	}
	void* block = capacity <= INT32_MAX / 16 ? brAllocZeroArray(&cell->allocator, capacity, CELL_BYTES) : NULL;
	if (block == NULL)
	{
		return false;
	}
	cellLayOut(cell, block, (int32_t)capacity);
	if (old.count > 0)
	{
		size_t count8 = (size_t)old.count * sizeof(double), count16 = (size_t)old.count * sizeof(int32_t[4]);
		memcpy(cell->x, old.x, count8);
		memcpy(cell->y, old.y, count8);
		memcpy(cell->z, old.z, count8);
		memcpy(cell->distancesSq, old.distancesSq, count8);
		memcpy(cell->corners, old.corners, count16);
		memcpy(cell->twins, old.twins, count16);
	}
	brFreeArray(&cell->allocator, old.block, old.capacity, CELL_BYTES);
	return true;
}

// Ends the list of corners, with nothing far behind the last one.
static void cellSetCount(brVoronoiCell* cell, int32_t count)
{
	cell->count = count;
	memset(cell->distancesSq + count, 0, CELL_GROUP * sizeof(double));
}

static void cellEmpty(brVoronoiCell* cell)
{
	cellSetCount(cell, 0);
	cell->reachSq = -1.0;
}

bool brVoronoiCell_Start(brVoronoiCell* cell, int32_t site, const int32_t place[3], const int32_t size[3])
{
	cell->planes.count = 0;
	cell->count = 0;
	if (!BR_RESERVE(&cell->allocator, &cell->planes, 6) || !cellReserve(cell, 8))
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
			(brCellPlane){axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0, d, -1 - side};
	}
	cell->planes.count = 6;
	// Corner b has the upper side of axis a if bit a is set. Two planes meet in the edge that flips the third's axis, and all
	// three turn the other way there: the edge between e and e + 1 is the one between 1 and 2, 0 and 1, 2 and 0 again.
	static const int32_t across[3] = {2, 1, 0};
	for (int32_t b = 0; b < 8; ++b)
	{
		bool isEven = (b & 1 ? 1 : -1) * (b & 2 ? 1 : -1) * (b & 4 ? 1 : -1) > 0;
		int32_t axes[3] = {0, isEven ? 1 : 2, isEven ? 2 : 1};
		double point[3];
		for (int32_t e = 0; e < 3; ++e)
		{
			int32_t axis = axes[e];
			int32_t plane = 2 * axis + (b >> axis & 1);
			cell->corners[4 * b + e] = plane;
			cell->twins[4 * b + e] = 4 * (b ^ (1 << axes[(e + 2) % 3])) + across[e];
			point[axis] = plane % 2 == 0 ? -cell->planes.data[plane].d : cell->planes.data[plane].d;
		}
		cell->x[b] = point[0];
		cell->y[b] = point[1];
		cell->z[b] = point[2];
		cell->distancesSq[b] = (point[0] * point[0] + point[1] * point[1] + point[2] * point[2]) * (1.0 + 0x1p-50);
	}
	cellSetCount(cell, 8);
	cell->reachSq = cell->kernels->farthest(cell);
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

static brInt128 cellDot(CellInts a, CellInts b)
{
	return (brInt128)a.x * b.x + (brInt128)a.y * b.y + (brInt128)a.z * b.z;
}

void brCellCorner_Exact(const brCellPlane* a, const brCellPlane* b, const brCellPlane* c, brInt128 outPoint[3],
						brInt128* outDenominator)
{
	CellInts ka = cellInts(a), kb = cellInts(b), kc = cellInts(c);
	CellInts bc = cellCross(kb, kc), ca = cellCross(kc, ka), ab = cellCross(ka, kb);
	outPoint[0] = (brInt128)ka.d * bc.x + (brInt128)kb.d * ca.x + (brInt128)kc.d * ab.x;
	outPoint[1] = (brInt128)ka.d * bc.y + (brInt128)kb.d * ca.y + (brInt128)kc.d * ab.y;
	outPoint[2] = (brInt128)ka.d * bc.z + (brInt128)kb.d * ca.z + (brInt128)kc.d * ab.z;
	*outDenominator = cellDot(ka, bc);
}

// Exact: whether a corner lies beyond plane `last`. With the cofactors C of the column d,
//   (k_m . X - d_m) D = d_a C_a + d_b C_b + d_c C_c - d_m D.
// Weights add e_i - e_j to the d of the plane to site j, and of those weights the one with the lowest index rules.
static bool cellIsBeyondExact(const brVoronoiCell* cell, int32_t corner, const brCellPlane* last)
{
	const int32_t* names = cell->corners + 4 * (int64_t)corner;
	const brCellPlane* planes[4] = {&cell->planes.data[names[0]], &cell->planes.data[names[1]],
									&cell->planes.data[names[2]], last};
	CellInts k[4] = {cellInts(planes[0]), cellInts(planes[1]), cellInts(planes[2]), cellInts(planes[3])};
	CellInts bc = cellCross(k[1], k[2]);
	brInt128 cofactors[4] = {cellDot(k[3], bc), cellDot(k[3], cellCross(k[2], k[0])),
							 cellDot(k[3], cellCross(k[0], k[1])), -cellDot(k[0], bc)};
	// The corners turn left, so D > 0 and the sum has the sign of the height.
	BR_ASSERT(cofactors[3] < 0);
	brInt128 sum = 0;
	brInt128 own = 0;
	for (int32_t i = 0; i < 4; ++i)
	{
		sum += k[i].d * cofactors[i];
		own += planes[i]->site >= 0 ? cofactors[i] : 0;
	}
	if (sum != 0)
	{
		return sum > 0;
	}
	int32_t ruler = own != 0 ? cell->site : INT32_MAX;
	brInt128 change = own;
	for (int32_t i = 0; i < 4; ++i)
	{
		if (planes[i]->site >= 0 && planes[i]->site < ruler && cofactors[i] != 0)
		{
			ruler = planes[i]->site;
			change = -cofactors[i];
		}
	}
	BR_ASSERT(change != 0);
	return change > 0;
}

// Lists the corners beyond a plane; what the filter left open is settled.
static int32_t cellListRemoved(const brVoronoiCell* cell, const brCellPlane* plane)
{
	int32_t removed = 0;
	for (int32_t w = 0; w <= (cell->count - 1) / 64; ++w)
	{
		for (uint64_t bits = cell->unsure[w]; bits != 0; bits &= bits - 1)
		{
			int32_t bit = __builtin_ctzll(bits);
			bool isBeyond = cellIsBeyondExact(cell, 64 * w + bit, plane);
			cell->beyond[w] |= (uint64_t)isBeyond << bit;
		}
		for (uint64_t bits = cell->beyond[w]; bits != 0; bits &= bits - 1)
		{
			cell->removed[removed++] = 64 * w + __builtin_ctzll(bits);
		}
	}
	return removed;
}

// Edges that leave the removed patch, with their planes. A tree of r corners of three edges has r + 2 leaves; where whole
// facets are removed there are fewer.
static int32_t cellListRim(const brVoronoiCell* cell, int32_t removedCount)
{
	const brCellRim* rim = &cell->rim;
	const brCellPlane* planes = cell->planes.data;
	int32_t count = 0;
	for (int32_t r = 0; r < removedCount; ++r)
	{
		int32_t first = 4 * cell->removed[r];
		for (int32_t e = 0; e < 3; ++e)
		{
			int32_t twin = cell->twins[first + e];
			if (cell->beyond[twin >> 8] >> (twin >> 2 & 63) & 1)
			{
				continue;
			}
			BR_ASSERT(count < removedCount + 2);
			int32_t a = cell->corners[first + e], b = cell->corners[first + (e == 2 ? 0 : e + 1)];
			rim->twins[count] = twin;
			rim->a[count] = a, rim->b[count] = b;
			rim->ax[count] = planes[a].x, rim->ay[count] = planes[a].y, rim->az[count] = planes[a].z;
			rim->bx[count] = planes[b].x, rim->by[count] = planes[b].y, rim->bz[count] = planes[b].z;
			rim->ad[count] = planes[a].d, rim->bd[count] = planes[b].d;
			++count;
		}
	}
	return count;
}

// A corner of the rim that lies on planes all but parallel.
static void cellPlaceExact(brVoronoiCell* cell, int32_t n, const brCellPlane* plane)
{
	brCellRim* rim = &cell->rim;
	brInt128 exact[3], denominator;
	brCellCorner_Exact(&cell->planes.data[rim->a[n]], &cell->planes.data[rim->b[n]], plane, exact, &denominator);
	BR_ASSERT(denominator > 0);
	double x = (double)exact[0] / (double)denominator;
	double y = (double)exact[1] / (double)denominator;
	double z = (double)exact[2] / (double)denominator;
	double size = fabs(x) + fabs(y) + fabs(z);
	double error = 4.0 * BR_PREDICATE_U * size;
	rim->x[n] = x, rim->y[n] = y, rim->z[n] = z;
	rim->error[n] = error;
	rim->distanceSq[n] = (x * x + y * y + z * z) * (1.0 + 8.0 * BR_PREDICATE_U) + 4.0 * error * (size + error);
}

// Puts the rim's corners where removed ones were, then behind the last, and strings them in a ring about the new plane.
static void cellLinkRim(brVoronoiCell* cell, int32_t added, int32_t rimCount, int32_t removedCount)
{
	const brCellRim* rim = &cell->rim;
	int32_t* starts = cell->starts.data;
	double error = cell->error;
	for (int32_t n = 0; n < rimCount; ++n)
	{
		int32_t slot = n < removedCount ? cell->removed[n] : cell->count + n - removedCount;
		int32_t* corner = cell->corners + 4 * (int64_t)slot;
		corner[0] = rim->a[n], corner[1] = rim->b[n], corner[2] = added;
		cell->twins[4 * slot] = rim->twins[n];
		cell->twins[rim->twins[n]] = 4 * slot;
		starts[rim->a[n]] = slot;
		cell->x[slot] = rim->x[n];
		cell->y[slot] = rim->y[n];
		cell->z[slot] = rim->z[n];
		cell->distancesSq[slot] = rim->distanceSq[n];
		error = rim->error[n] > error ? rim->error[n] : error;
	}
	cell->error = error;
	for (int32_t n = 0; n < rimCount; ++n)
	{
		int32_t slot = n < removedCount ? cell->removed[n] : cell->count + n - removedCount;
		int32_t other = starts[rim->b[n]];
		cell->twins[4 * slot + 1] = 4 * other + 2;
		cell->twins[4 * other + 2] = 4 * slot + 1;
	}
}

// Corner `from` becomes corner `to`; its neighbours hear of it.
static void cellMoveCorner(brVoronoiCell* cell, int32_t from, int32_t to)
{
	memcpy(cell->corners + 4 * (int64_t)to, cell->corners + 4 * (int64_t)from, sizeof(int32_t[4]));
	cell->x[to] = cell->x[from];
	cell->y[to] = cell->y[from];
	cell->z[to] = cell->z[from];
	cell->distancesSq[to] = cell->distancesSq[from];
	for (int32_t e = 0; e < 3; ++e)
	{
		int32_t twin = cell->twins[4 * from + e];
		cell->twins[4 * to + e] = twin;
		cell->twins[twin] = 4 * to + e;
	}
}

// Cuts off what is `beyond` the plane and, where that is `unsure`, what exact arithmetic finds beyond it.
static bool cellCut(brVoronoiCell* cell, const brCellPlane* plane)
{
	int32_t count = cell->count;
	int32_t removedCount = cellListRemoved(cell, plane);
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
	if (!BR_PUSH(&cell->allocator, &cell->planes, *plane) ||
		!BR_RESERVE(&cell->allocator, &cell->starts, added + 1 - cell->starts.count))
	{
		return false;
	}
	int32_t rimCount = cellListRim(cell, removedCount);
	cell->kernels->place(cell, plane, rimCount);
	for (int32_t n = 0; n < rimCount; ++n)
	{
		if (cell->rim.error[n] == INFINITY)
		{
			cellPlaceExact(cell, n, plane);
		}
	}
	cellLinkRim(cell, added, rimCount, removedCount);
	// Holes that are left take the last corners that stay.
	for (int32_t low = rimCount, high = removedCount - 1, last = count - 1; low <= high; --last)
	{
		if (cell->removed[high] == last)
		{
			--high;
		}
		else
		{
			cellMoveCorner(cell, last, cell->removed[low++]);
		}
	}
	cellSetCount(cell, count + rimCount - removedCount);
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
		brCellPlane plane = {candidates->x[c], candidates->y[c], candidates->z[c], candidates->distanceSq[c], site};
		if (plane.d == 0.0)
		{
			// At our own place; the first site of a place has it all.
			if (site < cell->site)
			{
				cellEmpty(cell);
			}
			continue;
		}
		if (!cellCut(cell, &plane))
		{
			return false;
		}
	}
	return true;
}

double brVoronoiCell_Volume(const brVoronoiCell* cell)
{
	// Cones from the site over all facets, each a fan about the foot of the site on its plane, which is k itself (d k on a side
	// of the box). An edge between two facets is in two triangles: (foot b - foot a) . (p x q).
	const double *x = cell->x, *y = cell->y, *z = cell->z;
	double sum = 0.0;
	for (int32_t i = 0; i < cell->count; ++i)
	{
		const int32_t* planes = cell->corners + 4 * (int64_t)i;
		for (int32_t e = 0; e < 3; ++e)
		{
			int32_t n = cell->twins[4 * i + e] >> 2;
			if (n < i)
			{
				continue;
			}
			const brCellPlane *a = &cell->planes.data[planes[e]], *b = &cell->planes.data[planes[e == 2 ? 0 : e + 1]];
			double sa = a->site < 0 ? a->d : 1.0, sb = b->site < 0 ? b->d : 1.0;
			sum += (sb * b->x - sa * a->x) * (y[i] * z[n] - z[i] * y[n]) +
				   (sb * b->y - sa * a->y) * (z[i] * x[n] - x[i] * z[n]) +
				   (sb * b->z - sa * a->z) * (x[i] * y[n] - y[i] * x[n]);
		}
	}
	return sum / 48.0; // six for the determinant, eight for the doubled coordinates
}

bool brCellCandidates_Reserve(brCellCandidates* candidates, const brAllocator* allocator, int32_t extra)
{
	int64_t needed = (int64_t)candidates->count + extra + CELL_GROUP;
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
