// SPDX-License-Identifier: MIT

// Farthest points, eight lanes at a time, included by point_order.c once for each vector path: KERNEL(name) names the copy and
// KERNEL_TARGET says which instructions it may use. Both copies do the same operations on the same lanes, so their bits are
// equal. No include guard: it is meant to be read more than once.

#define KERNEL_INLINE KERNEL_TARGET __attribute__((always_inline)) static inline

KERNEL_INLINE uint32_t KERNEL(orderBits)(brLaneMask8 mask)
{
#if defined(__x86_64__)
	const __m128* halves = (const __m128*)(const void*)&mask;
	return (uint32_t)_mm_movemask_ps(halves[0]) | (uint32_t)_mm_movemask_ps(halves[1]) << 4;
#else
	uint32_t bits = 0;
	for (int i = 0; i < BR_TRIANGLE_LANES; ++i)
	{
		bits |= (uint32_t)(mask[i] != 0) << i;
	}
	return bits;
#endif
}

// The greatest of eight distances, of equals the lowest point.
KERNEL_INLINE OrderFar KERNEL(orderFarthest)(brLanes8 distances, const int32_t* points)
{
#if defined(__x86_64__)
	const __m128* halves = (const __m128*)(const void*)&distances;
	__m128 v = _mm_max_ps(halves[0], halves[1]);
	v = _mm_max_ps(v, _mm_movehl_ps(v, v));
	v = _mm_max_ss(v, _mm_shuffle_ps(v, v, 1));
	float most = _mm_cvtss_f32(v);
#else
	float most = distances[0];
	for (int i = 1; i < BR_TRIANGLE_LANES; ++i)
	{
		most = distances[i] > most ? distances[i] : most;
	}
#endif
	uint32_t bits = KERNEL(orderBits)(distances == SPLAT(most));
	OrderFar far = {most, points[__builtin_ctz(bits)]};
	for (bits &= bits - 1; bits != 0; bits &= bits - 1)
	{
		int32_t other = points[__builtin_ctz(bits)];
		far.point = other < far.point ? other : far.point;
	}
	return far;
}

// Distances of eight points against a new one, and who of them is now farthest.
KERNEL_INLINE OrderFar KERNEL(orderBlock)(OrderWork* work, int32_t block, const OrderSeed* seed)
{
	const brLanes8* x = (const brLanes8*)(const void*)work->x + block;
	const brLanes8* y = (const brLanes8*)(const void*)work->y + block;
	const brLanes8* z = (const brLanes8*)(const void*)work->z + block;
	brLanes8* distanceSq = (brLanes8*)(void*)work->distanceSq + block;
	brLaneMask8* owners = (brLaneMask8*)(void*)work->owners + block;
	brLanes8 dx = *x - SPLAT(seed->x), dy = *y - SPLAT(seed->y), dz = *z - SPLAT(seed->z);
	brLanes8 d = dx * dx + dy * dy + dz * dz, old = *distanceSq;
	brLaneMask8 isNearer = d < old;
	const brLaneMask8 mine = {seed->place, seed->place, seed->place, seed->place,
							  seed->place, seed->place, seed->place, seed->place};
	old = CHOOSE(isNearer, d, old);
	*distanceSq = old;
	*owners = (isNearer & mine) | (~isNearer & *owners);
	return KERNEL(orderFarthest)(old, work->points + BR_TRIANGLE_LANES * block);
}

// One node of the tree and all below it that a new point may concern: what lies nearer to the point than to those before it.
KERNEL_TARGET static OrderFar KERNEL(orderVisit)(OrderWork* work, int32_t level, int32_t index, const OrderSeed* seed)
{
	OrderNode* node = &work->levels[level][index];
	const float p[3] = {seed->x, seed->y, seed->z};
	brLanes8 distanceSq = SPLAT(0.0f);
	for (int k = 0; k < 3; ++k)
	{
		// The same operations as on a point, and each is monotonous: rounding makes no box farther than a point in it.
		brLanes8 below = node->lower[k] - SPLAT(p[k]), above = SPLAT(p[k]) - node->upper[k], d;
		d = KERNEL_MAX(below, above);
		d = KERNEL_MAX(d, SPLAT(0.0f));
		distanceSq = k == 0 ? d * d : distanceSq + d * d;
	}
	for (uint32_t bits = KERNEL(orderBits)(distanceSq <= node->most); bits != 0; bits &= bits - 1)
	{
		int32_t lane = __builtin_ctz(bits), below = BR_TRIANGLE_LANES * index + lane;
		OrderFar far =
			level == 0 ? KERNEL(orderBlock)(work, below, seed) : KERNEL(orderVisit)(work, level - 1, below, seed);
		((float*)&node->most)[lane] = far.distanceSq;
		node->farthest[lane] = far.point;
	}
	return KERNEL(orderFarthest)(node->most, node->farthest);
}

// All distances against a new point. Returns the point that is now farthest, of equals the lowest.
KERNEL_TARGET static int32_t KERNEL(orderPass)(OrderWork* work, const OrderSeed* seed)
{
	brLanes8 px = SPLAT(seed->x), py = SPLAT(seed->y), pz = SPLAT(seed->z), best = SPLAT(-2.0f);
	brLaneMask8 index = {0, 1, 2, 3, 4, 5, 6, 7}, bestIndex = index;
	const brLaneMask8 step = {8, 8, 8, 8, 8, 8, 8, 8};
	const brLaneMask8 mine = {seed->place, seed->place, seed->place, seed->place,
							  seed->place, seed->place, seed->place, seed->place};
	for (int32_t i = 0; i < work->padded; i += BR_TRIANGLE_LANES, index += step)
	{
		brLanes8 dx = *(const brLanes8*)(const void*)(work->x + i) - px,
				 dy = *(const brLanes8*)(const void*)(work->y + i) - py,
				 dz = *(const brLanes8*)(const void*)(work->z + i) - pz;
		brLanes8* distanceSq = (brLanes8*)(void*)(work->distanceSq + i);
		brLaneMask8* owners = (brLaneMask8*)(void*)(work->owners + i);
		brLanes8 d = dx * dx + dy * dy + dz * dz, old = *distanceSq;
		brLaneMask8 isNearer = d < old;
		old = CHOOSE(isNearer, d, old);
		*distanceSq = old;
		*owners = (isNearer & mine) | (~isNearer & *owners);
		brLaneMask8 isFarther = old > best;
		best = CHOOSE(isFarther, old, best);
		bestIndex = (isFarther & index) | (~isFarther & bestIndex);
	}
	int32_t indices[BR_TRIANGLE_LANES];
	memcpy(indices, &bestIndex, sizeof(indices));
	return KERNEL(orderFarthest)(best, indices).point;
}

#undef KERNEL_INLINE
