// SPDX-License-Identifier: MIT

// The inner loops of cell cutting, in voronoi_kernels.c once for each set of lanes (base/lanes.h). Lanes hold eight
// corners, edges or sites, each on its own.

// The sign bits of eight lanes, taken apart by hand: a function of such a wide vector would get it in memory.
#define CELL_PART(mask, ...) __builtin_shufflevector(mask, mask, __VA_ARGS__)
#if LANE_BYTES == 64
#define CELL_BITS(mask) ((uint64_t)_mm512_movepi64_mask((__m512i)(mask)))
#elif LANE_BYTES == 32
#define CELL_BITS(mask)                                                                                                \
	((uint64_t)(_mm256_movemask_pd((__m256d)CELL_PART(mask, 0, 1, 2, 3)) |                                             \
				_mm256_movemask_pd((__m256d)CELL_PART(mask, 4, 5, 6, 7)) << 4))
#else
#define CELL_TWO(mask, at) ((uint64_t)LANE(brBits)((brLong2)CELL_PART(mask, at, at + 1)) << (at))
#define CELL_BITS(mask) (CELL_TWO(mask, 0) | CELL_TWO(mask, 2) | CELL_TWO(mask, 4) | CELL_TWO(mask, 6))
#endif

// Bits of corners `begin` to `end`, at most 64, that are at least `level` above the plane.
LANE_INLINE uint64_t LANE(cellAbove)(const brVoronoiCell* cell, int32_t begin, int32_t end, double kx, double ky,
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

LANE_TARGET static int32_t LANE(cellNextCut)(const brVoronoiCell* cell, const brCellCandidates* candidates,
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
			cell->unsure[begin / 64] = LANE(cellAbove)(cell, begin, end, kx, ky, kz, d, -bound);
			any |= cell->unsure[begin / 64];
		}
		if (any == 0)
		{
			continue;
		}
		for (int32_t begin = 0; begin < count; begin += 64)
		{
			int32_t end = count - begin < 64 ? count : begin + 64;
			uint64_t beyond = LANE(cellAbove)(cell, begin, end, kx, ky, kz, d, bound);
			cell->beyond[begin / 64] = beyond;
			cell->unsure[begin / 64] &= ~beyond;
		}
		return n;
	}
	return candidates->count;
}

// x y z d of two planes.
LANE_INLINE void LANE(cellLoadPair)(const brCellPlane* low, const brCellPlane* high, CL* out)
{
	*out = __builtin_shufflevector(*(const brDouble4*)low, *(const brDouble4*)high, 0, 1, 2, 3, 4, 5, 6, 7);
}

// Four pairs, of planes i and i + 4, to x, y, z, d of eight lanes.
LANE_INLINE void LANE(cellTurn)(CL p[4])
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

LANE_INLINE double LANE(cellMost)(const CL* lanes)
{
	CL halves = __builtin_shufflevector(*lanes, *lanes, 4, 5, 6, 7, 4, 5, 6, 7);
	CL four = CELL_MAX(halves, *lanes);
	CL quarters = __builtin_shufflevector(four, four, 2, 3, 2, 3, 2, 3, 2, 3);
	CL two = CELL_MAX(quarters, four);
	return two[0] > two[1] ? two[0] : two[1];
}

// Where two planes of an edge meet the third, with a bound for the error.
LANE_TARGET static uint64_t LANE(cellPlace)(brVoronoiCell* cell, const brCellPlane* plane, int32_t count)
{
	const double cx = plane->x, cy = plane->y, cz = plane->z, cd = plane->d;
	uint64_t weak = 0;
	for (int32_t i = 0; i < count; i += CELL_LANES)
	{
		const brCellCutEdge* rim = cell->rim + i;
		const brCellPlane* planes = cell->planes.data;
		CL a[4], b[4];
		LANE(cellLoadPair)(&planes[rim[0].a], &planes[rim[4].a], &a[0]);
		LANE(cellLoadPair)(&planes[rim[1].a], &planes[rim[5].a], &a[1]);
		LANE(cellLoadPair)(&planes[rim[2].a], &planes[rim[6].a], &a[2]);
		LANE(cellLoadPair)(&planes[rim[3].a], &planes[rim[7].a], &a[3]);
		LANE(cellLoadPair)(&planes[rim[0].b], &planes[rim[4].b], &b[0]);
		LANE(cellLoadPair)(&planes[rim[1].b], &planes[rim[5].b], &b[1]);
		LANE(cellLoadPair)(&planes[rim[2].b], &planes[rim[6].b], &b[2]);
		LANE(cellLoadPair)(&planes[rim[3].b], &planes[rim[7].b], &b[3]);
		LANE(cellTurn)(a);
		LANE(cellTurn)(b);
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
		// Planes that are all but parallel: the bound must stay small for the filters to answer, and d of the right
		// sign.
		CM isGood = (d > 4.0 * BR_PREDICATE_U * dSize) & (error <= 0x1p-40 * (1.0 + size));
		CL none = {0.0};
		CL counted = CELL_SELECT(isGood, error, none);
		double most = LANE(cellMost)(&counted);
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

LANE_TARGET static double LANE(cellFarthest)(const brVoronoiCell* cell)
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
	return LANE(cellMost)(&largest);
}

#if LANE_BYTES == 64
// Compressed in registers: the instruction that compresses into memory is slow on some processors. Lanes behind the
// last one are overwritten later; there is room for them.
LANE_INLINE void LANE(cellAppend)(brCellCandidates* candidates, uint32_t bits, int32_t first, const CL* x, const CL* y,
								  const CL* z, const CL* distanceSq)
{
	__mmask8 mask = (__mmask8)bits;
	int32_t n = candidates->count;
	_mm512_storeu_pd(candidates->x + n, _mm512_maskz_compress_pd(mask, *(const __m512d*)x));
	_mm512_storeu_pd(candidates->y + n, _mm512_maskz_compress_pd(mask, *(const __m512d*)y));
	_mm512_storeu_pd(candidates->z + n, _mm512_maskz_compress_pd(mask, *(const __m512d*)z));
	_mm512_storeu_pd(candidates->distanceSq + n, _mm512_maskz_compress_pd(mask, *(const __m512d*)distanceSq));
	__m256i indices = _mm256_add_epi32(_mm256_set1_epi32(first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
	_mm256_storeu_si256((__m256i*)(candidates->indices + n), _mm256_maskz_compress_epi32(mask, indices));
	candidates->count = n + __builtin_popcount(bits);
}
#else
LANE_INLINE void LANE(cellAppend)(brCellCandidates* candidates, uint32_t bits, int32_t first, const CL* x, const CL* y,
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

LANE_TARGET static void LANE(cellGather)(brCellCandidates* candidates, const brCellSites* sites, int32_t begin,
										 int32_t end, const int32_t place[3], double farSq)
{
	for (int32_t i = begin; i < end; i += CELL_LANES)
	{
		CL x = __builtin_convertvector(*(const brLooseInt8*)(sites->x + i) - place[0], CL);
		CL y = __builtin_convertvector(*(const brLooseInt8*)(sites->y + i) - place[1], CL);
		CL z = __builtin_convertvector(*(const brLooseInt8*)(sites->z + i) - place[2], CL);
		CL distanceSq = x * x + y * y + z * z;
		CM isNear = distanceSq <= farSq;
		uint32_t bits = (uint32_t)CELL_BITS(isNear);
		bits &= end - i < CELL_LANES ? (1u << (end - i)) - 1 : 255u;
		if (bits != 0)
		{
			LANE(cellAppend)(candidates, bits, i, &x, &y, &z, &distanceSq);
		}
	}
}

static const brCellKernels LANE(cellKernels) = {LANE(cellNextCut), LANE(cellPlace), LANE(cellFarthest),
												LANE(cellGather)};

#undef CELL_PART
#undef CELL_TWO
#undef CELL_BITS
