// SPDX-License-Identifier: MIT

// The inner loops of cell cutting, written once for eight lanes and compiled for each set of instructions. Whoever includes
// this file has defined
//   CELL_NAME(name)  the name of a function in this set
//   CELL_TARGET      the attribute that lets the compiler use the set's instructions
//   CELL_BITS(mask)  the sign bits of eight 64-bit lanes as an integer
//   CELL_APPEND(...) optional: appends chosen lanes to candidates
//
// Lanes hold corners, edges or sites, each on its own, so every set gives the same bits.

#include "fracture/voronoi_cell.h"

#include "math/predicates.h"

#include <string.h>

#define CELL_LANES BR_CELL_LANES
#define CELL_INLINE CELL_TARGET static inline __attribute__((always_inline))
#define CL CELL_NAME(Lanes)
#define CM CELL_NAME(Mask)

typedef double CL __attribute__((vector_size(64), may_alias));
typedef int64_t CM __attribute__((vector_size(64)));
typedef double CELL_NAME(Half) __attribute__((vector_size(32), may_alias));
typedef int32_t CELL_NAME(Ints) __attribute__((vector_size(32), aligned(4), may_alias));

#define CELL_LOAD(p) (*(const CL*)(p))
#define CELL_STORE(p, v) (*(CL*)(p) = (v))
#define CELL_SELECT(mask, a, b) ((CL)(((mask) & (CM)(a)) | (~(mask) & (CM)(b))))
#define CELL_ABS(a) ((CL)((CM)(a)&INT64_MAX))
#define CELL_MAX(a, b) CELL_SELECT((a) > (b), a, b)

// Bits of corners `begin` to `end`, at most 64, that are at least `level` above the plane.
CELL_INLINE uint64_t CELL_NAME(above)(const brVoronoiCell* cell, int32_t begin, int32_t end, double kx, double ky,
									  double kz, double d, double level)
{
	uint64_t bits = 0;
	const brCellGroup* group = cell->points + begin / CELL_LANES;
	for (int32_t i = 0; i < end - begin; i += CELL_LANES, ++group)
	{
		CL heights = kx * CELL_LOAD(group->x) + ky * CELL_LOAD(group->y) + kz * CELL_LOAD(group->z) - d;
		CM isAbove = heights >= level;
		bits |= CELL_BITS(isAbove) << i;
	}
	return end - begin < 64 ? bits & ~(UINT64_MAX << (end - begin)) : bits;
}

CELL_TARGET static int32_t CELL_NAME(nextCut)(const brVoronoiCell* cell, const brCellCandidates* candidates,
											  int32_t from)
{
	const int32_t count = cell->count;
	const double reachSq = cell->reachSq;
	const double spread = cell->error + 8.0 * BR_PREDICATE_U * cell->magnitude;
	for (int32_t n = from; n < candidates->count; ++n)
	{
		int32_t c = candidates->order[n];
		double d = candidates->distanceSq[c];
		if (d > reachSq)
		{
			continue;
		}
		// One bound serves all corners: their own errors, and three products, three sums of rounding.
		double kx = candidates->x[c], ky = candidates->y[c], kz = candidates->z[c];
		double bound = (fabs(kx) + fabs(ky) + fabs(kz)) * spread + 8.0 * BR_PREDICATE_U * d;
		uint64_t any = 0;
		for (int32_t begin = 0; begin < count; begin += 64)
		{
			int32_t end = count - begin < 64 ? count : begin + 64;
			cell->unsure[begin / 64] = CELL_NAME(above)(cell, begin, end, kx, ky, kz, d, -bound);
			any |= cell->unsure[begin / 64];
		}
		if (any == 0)
		{
			continue;
		}
		for (int32_t begin = 0; begin < count; begin += 64)
		{
			int32_t end = count - begin < 64 ? count : begin + 64;
			uint64_t beyond = CELL_NAME(above)(cell, begin, end, kx, ky, kz, d, bound);
			cell->beyond[begin / 64] = beyond;
			cell->unsure[begin / 64] &= ~beyond;
		}
		return n;
	}
	return candidates->count;
}

// x y z d of two planes.
CELL_INLINE void CELL_NAME(loadPair)(const brCellPlane* low, const brCellPlane* high, CL* out)
{
	typedef CELL_NAME(Half) Half;
	*out = __builtin_shufflevector(*(const Half*)low, *(const Half*)high, 0, 1, 2, 3, 4, 5, 6, 7);
}

// Four pairs, of planes i and i + 4, to x, y, z, d of eight lanes.
CELL_INLINE void CELL_NAME(turn)(CL p[4])
{
	CL xz01 = __builtin_shufflevector(p[0], p[1], 0, 8, 2, 10, 4, 12, 6, 14);
	CL yd01 = __builtin_shufflevector(p[0], p[1], 1, 9, 3, 11, 5, 13, 7, 15);
	CL xz23 = __builtin_shufflevector(p[2], p[3], 0, 8, 2, 10, 4, 12, 6, 14);
	CL yd23 = __builtin_shufflevector(p[2], p[3], 1, 9, 3, 11, 5, 13, 7, 15);
	p[0] = __builtin_shufflevector(xz01, xz23, 0, 1, 8, 9, 4, 5, 12, 13);
	p[1] = __builtin_shufflevector(yd01, yd23, 0, 1, 8, 9, 4, 5, 12, 13);
	p[2] = __builtin_shufflevector(xz01, xz23, 2, 3, 10, 11, 6, 7, 14, 15);
	p[3] = __builtin_shufflevector(yd01, yd23, 2, 3, 10, 11, 6, 7, 14, 15);
}

CELL_INLINE double CELL_NAME(most)(const CL* lanes)
{
	CL halves = __builtin_shufflevector(*lanes, *lanes, 4, 5, 6, 7, 4, 5, 6, 7);
	CL four = CELL_MAX(halves, *lanes);
	CL quarters = __builtin_shufflevector(four, four, 2, 3, 2, 3, 2, 3, 2, 3);
	CL two = CELL_MAX(quarters, four);
	return two[0] > two[1] ? two[0] : two[1];
}

// Where two planes of an edge meet the third, with a bound for the error.
CELL_TARGET static uint64_t CELL_NAME(place)(brVoronoiCell* cell, const brCellPlane* plane, int32_t count)
{
	const double cx = plane->x, cy = plane->y, cz = plane->z, cd = plane->d;
	uint64_t weak = 0;
	for (int32_t i = 0; i < count; i += CELL_LANES)
	{
		const brCellCutEdge* rim = cell->rim + i;
		const brCellPlane* planes = cell->planes.data;
		CL a[4], b[4];
		CELL_NAME(loadPair)(&planes[rim[0].a], &planes[rim[4].a], &a[0]);
		CELL_NAME(loadPair)(&planes[rim[1].a], &planes[rim[5].a], &a[1]);
		CELL_NAME(loadPair)(&planes[rim[2].a], &planes[rim[6].a], &a[2]);
		CELL_NAME(loadPair)(&planes[rim[3].a], &planes[rim[7].a], &a[3]);
		CELL_NAME(loadPair)(&planes[rim[0].b], &planes[rim[4].b], &b[0]);
		CELL_NAME(loadPair)(&planes[rim[1].b], &planes[rim[5].b], &b[1]);
		CELL_NAME(loadPair)(&planes[rim[2].b], &planes[rim[6].b], &b[2]);
		CELL_NAME(loadPair)(&planes[rim[3].b], &planes[rim[7].b], &b[3]);
		CELL_NAME(turn)(a);
		CELL_NAME(turn)(b);
		// Exact: 24 bits times 24 bits.
		CL bcx = b[1] * cz - b[2] * cy, bcy = b[2] * cx - b[0] * cz, bcz = b[0] * cy - b[1] * cx;
		CL cax = cy * a[2] - cz * a[1], cay = cz * a[0] - cx * a[2], caz = cx * a[1] - cy * a[0];
		CL abx = a[1] * b[2] - a[2] * b[1], aby = a[2] * b[0] - a[0] * b[2], abz = a[0] * b[1] - a[1] * b[0];
		CL dx = a[0] * bcx, dy = a[1] * bcy, dz = a[2] * bcz;
		CL d = dx + dy + dz;
		CL inv = 1.0 / d;
		CL x = (a[3] * bcx + b[3] * cax + cd * abx) * inv;
		CL y = (a[3] * bcy + b[3] * cay + cd * aby) * inv;
		CL z = (a[3] * bcz + b[3] * caz + cd * abz) * inv;
		// Each sum of three products is off by at most 3u times the sum of their sizes, and the division adds 2u.
		CL dSize = CELL_ABS(dx) + CELL_ABS(dy) + CELL_ABS(dz);
		CL bcSize = CELL_ABS(bcx) + CELL_ABS(bcy) + CELL_ABS(bcz);
		CL caSize = CELL_ABS(cax) + CELL_ABS(cay) + CELL_ABS(caz);
		CL abSize = CELL_ABS(abx) + CELL_ABS(aby) + CELL_ABS(abz);
		CL nSize = a[3] * bcSize + b[3] * caSize + cd * abSize;
		CL size = CELL_ABS(x) + CELL_ABS(y) + CELL_ABS(z);
		CL error = 4.0 * BR_PREDICATE_U * ((nSize + size * dSize) * CELL_ABS(inv) + size);
		// Planes that are all but parallel: the bound must stay small for the filters to answer, and d of the right sign.
		CM isGood = (d > 4.0 * BR_PREDICATE_U * dSize) & (error <= 0x1p-40 * (1.0 + size));
		CL none = {0.0};
		CL counted = CELL_SELECT(isGood, error, none);
		double most = CELL_NAME(most)(&counted);
		cell->error = most > cell->error ? most : cell->error;
		uint64_t weakLanes = ~CELL_BITS(isGood) & (count - i < CELL_LANES ? (1u << (count - i)) - 1 : 255u);
		weak = i < 64 ? weak | weakLanes << i : weakLanes != 0 ? UINT64_MAX : weak;
		brCellGroup* out = cell->places + i / CELL_LANES;
		CELL_STORE(out->x, x);
		CELL_STORE(out->y, y);
		CELL_STORE(out->z, z);
		// Each operation loses a part in 2^53, and the corner may be off by `error` on each axis.
		CELL_STORE(out->distanceSq,
				   (x * x + y * y + z * z) * (1.0 + 8.0 * BR_PREDICATE_U) + 4.0 * error * (size + error));
	}
	return weak;
}

CELL_TARGET static double CELL_NAME(farthest)(const brVoronoiCell* cell)
{
	CL largest = {0.0}, none = {0.0};
	CM lanes = {0, 1, 2, 3, 4, 5, 6, 7};
	for (int64_t i = 0; i < cell->count; i += CELL_LANES)
	{
		CL value = CELL_LOAD(cell->points[i / CELL_LANES].distanceSq);
		CM isThere = lanes < cell->count - i;
		value = CELL_SELECT(isThere, value, none);
		largest = CELL_MAX(value, largest);
	}
	return CELL_NAME(most)(&largest);
}

#ifndef CELL_APPEND
#define CELL_APPEND CELL_NAME(append)
CELL_INLINE void CELL_NAME(append)(brCellCandidates* candidates, uint32_t bits, int32_t first, const CL* x, const CL* y,
								   const CL* z, const CL* distanceSq)
{
	double lanes[4][CELL_LANES];
	memcpy(lanes[0], x, sizeof(CL));
	memcpy(lanes[1], y, sizeof(CL));
	memcpy(lanes[2], z, sizeof(CL));
	memcpy(lanes[3], distanceSq, sizeof(CL));
	int32_t n = candidates->count;
	for (; bits != 0; bits &= bits - 1)
	{
		int32_t lane = __builtin_ctz(bits);
		candidates->x[n] = lanes[0][lane];
		candidates->y[n] = lanes[1][lane];
		candidates->z[n] = lanes[2][lane];
		candidates->distanceSq[n] = lanes[3][lane];
		candidates->indices[n++] = first + lane;
	}
	candidates->count = n;
}
#endif

CELL_TARGET static void CELL_NAME(gather)(brCellCandidates* candidates, const brCellSites* sites, int32_t begin,
										  int32_t end, const int32_t place[3], double farSq)
{
	typedef CELL_NAME(Ints) Ints;
	for (int32_t i = begin; i < end; i += CELL_LANES)
	{
		CL x = __builtin_convertvector(*(const Ints*)(sites->x + i) - place[0], CL);
		CL y = __builtin_convertvector(*(const Ints*)(sites->y + i) - place[1], CL);
		CL z = __builtin_convertvector(*(const Ints*)(sites->z + i) - place[2], CL);
		CL distanceSq = x * x + y * y + z * z;
		CM isNear = distanceSq <= farSq;
		uint32_t bits = (uint32_t)CELL_BITS(isNear);
		bits &= end - i < CELL_LANES ? (1u << (end - i)) - 1 : 255u;
		if (bits != 0)
		{
			CELL_APPEND(candidates, bits, i, &x, &y, &z, &distanceSq);
		}
	}
}

#define CELL_KERNELS                                                                                                   \
	{                                                                                                                  \
		CELL_NAME(nextCut), CELL_NAME(place), CELL_NAME(farthest), CELL_NAME(gather)                                   \
	}
