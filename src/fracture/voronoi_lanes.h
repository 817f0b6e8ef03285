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

#define CELL_LANES 8
#define CELL_INLINE CELL_TARGET static inline __attribute__((always_inline))
#define CL CELL_NAME(Lanes)
#define CM CELL_NAME(Mask)

typedef double CL __attribute__((vector_size(64), may_alias));
typedef int64_t CM __attribute__((vector_size(64)));
typedef int32_t CELL_NAME(Ints) __attribute__((vector_size(32), aligned(4), may_alias));

#define CELL_LOAD(p) (*(const CL*)(p))
#define CELL_STORE(p, v) (*(CL*)(p) = (v))
#define CELL_SELECT(mask, a, b) ((CL)(((mask) & (CM)(a)) | (~(mask) & (CM)(b))))
#define CELL_ABS(a) ((CL)((CM)(a) & INT64_MAX))
#define CELL_MAX(a, b) CELL_SELECT((a) > (b), a, b)

// One bound serves all corners: their own errors, and three products, three sums of rounding.
CELL_TARGET static int32_t CELL_NAME(nextCut)(const brVoronoiCell* cell, const brCellCandidates* candidates,
											  int32_t from)
{
	const int32_t count = cell->count;
	const int32_t groups = (count + CELL_LANES - 1) / CELL_LANES;
	const uint64_t last = UINT64_MAX >> (63 - (uint32_t)(count - 1) % 64);
	const double reachSq = cell->reachSq;
	const double spread = cell->error + 8.0 * BR_PREDICATE_U * sqrt(reachSq); // no coordinate is larger than the reach
	for (int32_t n = from; n < candidates->count; ++n)
	{
		int32_t c = candidates->order[n];
		double d = candidates->distanceSq[c];
		if (d > reachSq)
		{
			continue;
		}
		double kx = candidates->x[c], ky = candidates->y[c], kz = candidates->z[c];
		double bound = (fabs(kx) + fabs(ky) + fabs(kz)) * spread + 8.0 * BR_PREDICATE_U * d;
		uint64_t any = 0, beyond = 0, unsure = 0;
		for (int32_t g = 0; g < groups; ++g)
		{
			CL heights = kx * CELL_LOAD(cell->x + CELL_LANES * g) + ky * CELL_LOAD(cell->y + CELL_LANES * g) +
						 kz * CELL_LOAD(cell->z + CELL_LANES * g) - d;
			uint64_t isBeyond = CELL_BITS(heights > bound), isNotBelow = CELL_BITS(heights >= -bound);
			beyond |= isBeyond << (CELL_LANES * g % 64);
			unsure |= (isNotBelow & ~isBeyond) << (CELL_LANES * g % 64);
			if (g % 8 == 7 || g + 1 == groups)
			{
				uint64_t valid = g + 1 == groups ? last : UINT64_MAX;
				cell->beyond[g / 8] = beyond & valid;
				cell->unsure[g / 8] = unsure & valid;
				any |= (beyond | unsure) & valid;
				beyond = unsure = 0;
			}
		}
		if (any != 0)
		{
			return n;
		}
	}
	return candidates->count;
}

// Where two planes of an edge meet the third, with a bound for the error.
CELL_TARGET static void CELL_NAME(place)(const brVoronoiCell* cell, const brCellPlane* plane, int32_t count)
{
	const brCellRim* rim = &cell->rim;
	const double cx = plane->x, cy = plane->y, cz = plane->z, cd = plane->d;
	for (int32_t i = 0; i < count; i += CELL_LANES)
	{
		CL ax = CELL_LOAD(rim->ax + i), ay = CELL_LOAD(rim->ay + i), az = CELL_LOAD(rim->az + i);
		CL bx = CELL_LOAD(rim->bx + i), by = CELL_LOAD(rim->by + i), bz = CELL_LOAD(rim->bz + i);
		CL ad = CELL_LOAD(rim->ad + i), bd = CELL_LOAD(rim->bd + i);
		// Exact: 24 bits times 24 bits.
		CL bcx = by * cz - bz * cy, bcy = bz * cx - bx * cz, bcz = bx * cy - by * cx;
		CL cax = cy * az - cz * ay, cay = cz * ax - cx * az, caz = cx * ay - cy * ax;
		CL abx = ay * bz - az * by, aby = az * bx - ax * bz, abz = ax * by - ay * bx;
		CL dx = ax * bcx, dy = ay * bcy, dz = az * bcz;
		CL d = dx + dy + dz;
		CL inv = 1.0 / d;
		CL x = (ad * bcx + bd * cax + cd * abx) * inv;
		CL y = (ad * bcy + bd * cay + cd * aby) * inv;
		CL z = (ad * bcz + bd * caz + cd * abz) * inv;
		// Each sum of three products is off by at most 3u times the sum of their sizes, and the division adds 2u.
		CL dSize = CELL_ABS(dx) + CELL_ABS(dy) + CELL_ABS(dz);
		CL bcSize = CELL_ABS(bcx) + CELL_ABS(bcy) + CELL_ABS(bcz);
		CL caSize = CELL_ABS(cax) + CELL_ABS(cay) + CELL_ABS(caz);
		CL abSize = CELL_ABS(abx) + CELL_ABS(aby) + CELL_ABS(abz);
		CL nSize = ad * bcSize + bd * caSize + cd * abSize;
		CL size = CELL_ABS(x) + CELL_ABS(y) + CELL_ABS(z);
		CL error = 4.0 * BR_PREDICATE_U * ((nSize + size * dSize) * CELL_ABS(inv) + size);
		// Planes that are all but parallel: the bound must stay small for the filters to answer, and d of the right sign.
		CM isGood = (d > 4.0 * BR_PREDICATE_U * dSize) & (error <= 0x1p-40 * (1.0 + size));
		CL infinite = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
		CELL_STORE(rim->x + i, x);
		CELL_STORE(rim->y + i, y);
		CELL_STORE(rim->z + i, z);
		// Each operation loses a part in 2^53, and the corner may be off by `error` on each axis.
		CELL_STORE(rim->distanceSq + i,
				   (x * x + y * y + z * z) * (1.0 + 8.0 * BR_PREDICATE_U) + 4.0 * error * (size + error));
		CELL_STORE(rim->error + i, CELL_SELECT(isGood, error, infinite));
	}
}

CELL_TARGET static double CELL_NAME(farthest)(const brVoronoiCell* cell)
{
	CL largest = {0.0};
	for (int32_t i = 0; i < cell->count; i += CELL_LANES)
	{
		CL value = CELL_LOAD(cell->distancesSq + i);
		largest = CELL_MAX(value, largest);
	}
	double most = 0.0;
	for (int32_t lane = 0; lane < CELL_LANES; ++lane)
	{
		most = largest[lane] > most ? largest[lane] : most;
	}
	return most;
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
		uint32_t bits = (uint32_t)CELL_BITS(distanceSq <= farSq);
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
