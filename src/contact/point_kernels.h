// SPDX-License-Identifier: MIT

// Farthest points, eight lanes at a time, included by point_order.c once for each vector path: KERNEL(name) names the
// copy and KERNEL_TARGET says which instructions it may use. Both copies do the same operations on the same lanes, so
// their bits are equal. No include guard: it is meant to be read more than once.

#define KERNEL_INLINE KERNEL_TARGET __attribute__((always_inline)) static inline

KERNEL_INLINE uint32_t KERNEL(orderBits)(brLaneMask8 mask)
{
#if defined(__x86_64__) && !defined(BR_SCALAR)
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
#if defined(__x86_64__) && !defined(BR_SCALAR)
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

// Distances of the points of a leaf against a new one, and who of them is now farthest.
KERNEL_INLINE OrderFar KERNEL(orderLeaf)(OrderWork* work, int32_t leaf, const OrderSeed* seed)
{
	const brLanes8 px = SPLAT(seed->x), py = SPLAT(seed->y), pz = SPLAT(seed->z);
	const brLaneMask8 mine = {seed->place, seed->place, seed->place, seed->place,
							  seed->place, seed->place, seed->place, seed->place};
	brLanes8 best = SPLAT(-2.0f);
	brLaneMask8 bestPoint = {0};
	for (int32_t i = ORDER_LEAF * leaf; i < ORDER_LEAF * (leaf + 1); i += BR_TRIANGLE_LANES)
	{
		brLanes8 dx = *(const brLanes8*)(const void*)(work->x + i) - px,
				 dy = *(const brLanes8*)(const void*)(work->y + i) - py,
				 dz = *(const brLanes8*)(const void*)(work->z + i) - pz;
		brLanes8* distanceSq = (brLanes8*)(void*)(work->distanceSq + i);
		brLaneMask8* owners = (brLaneMask8*)(void*)(work->owners + i);
		brLaneMask8 points = *(const brLaneMask8*)(const void*)(work->points + i);
		brLanes8 d = dx * dx + dy * dy + dz * dz, old = *distanceSq;
		brLaneMask8 isNearer = d < old;
		old = CHOOSE(isNearer, d, old);
		*distanceSq = old;
		*owners = (isNearer & mine) | (~isNearer & *owners);
		brLaneMask8 isFarther = (old > best) | ((old == best) & (points < bestPoint));
		best = CHOOSE(isFarther, old, best);
		bestPoint = (isFarther & points) | (~isFarther & bestPoint);
	}
	return KERNEL(orderFarthest)(best, (const int32_t*)(const void*)&bestPoint);
}

// Which of the eight below a node a new point may concern: what holds a point that is nearer to it than to those before
// it, or the chosen point itself.
KERNEL_INLINE uint32_t KERNEL(orderConcerned)(const OrderNode* node, const OrderSeed* seed)
{
	// The same operations as on a point, and each is monotonous: rounding makes no box farther than a point in it.
	const brLanes8 px = SPLAT(seed->x), py = SPLAT(seed->y), pz = SPLAT(seed->z), zero = SPLAT(0.0f);
	brLanes8 dx = KERNEL_MAX(node->lower[0] - px, px - node->upper[0]);
	brLanes8 dy = KERNEL_MAX(node->lower[1] - py, py - node->upper[1]);
	brLanes8 dz = KERNEL_MAX(node->lower[2] - pz, pz - node->upper[2]);
	dx = KERNEL_MAX(dx, zero), dy = KERNEL_MAX(dy, zero), dz = KERNEL_MAX(dz, zero);
	return KERNEL(orderBits)(dx * dx + dy * dy + dz * dz <= node->most);
}

// One node below the top, and all below it that a new point concerns.
KERNEL_TARGET static OrderFar KERNEL(orderVisit)(OrderWork* work, int32_t level, int32_t index, const OrderSeed* seed)
{
	OrderNode* node = &work->levels[level][index];
	// Kept in a register: a vector that was written lane by lane is slow to read.
	brLanes8 most = node->most;
	const brLaneMask8 lanes = {0, 1, 2, 3, 4, 5, 6, 7};
	for (uint32_t bits = KERNEL(orderConcerned)(node, seed); bits != 0; bits &= bits - 1)
	{
		int32_t lane = __builtin_ctz(bits), below = BR_TRIANGLE_LANES * index + lane;
		OrderFar far =
			level == 0 ? KERNEL(orderLeaf)(work, below, seed) : KERNEL(orderVisit)(work, level - 1, below, seed);
		const brLaneMask8 here = {lane, lane, lane, lane, lane, lane, lane, lane};
		most = CHOOSE(lanes == here, SPLAT(far.distanceSq), most);
		node->farthest[lane] = far.point;
	}
	node->most = most;
	return KERNEL(orderFarthest)(most, node->farthest);
}

// The nodes of the top: first who is concerned, in all of them and without a branch, then those, then who is now
// farthest.
KERNEL_TARGET static int32_t KERNEL(orderTop)(OrderWork* work, const OrderSeed* seed)
{
	int32_t level = work->levelCount - 1, count = work->levelCounts[level];
	OrderNode* nodes = work->levels[level];
	uint64_t concerned[ORDER_TOP / 8] = {0}; // eight nodes a word
	for (int32_t i = 0; i < count; ++i)
	{
		concerned[i / 8] |= (uint64_t)KERNEL(orderConcerned)(&nodes[i], seed) << 8 * (i % 8);
	}
	for (int32_t word = 0; 8 * word < count; ++word)
	{
		for (uint64_t bits = concerned[word]; bits != 0; bits &= bits - 1)
		{
			int32_t below = 64 * word + __builtin_ctzll(bits);
			OrderFar far =
				level == 0 ? KERNEL(orderLeaf)(work, below, seed) : KERNEL(orderVisit)(work, level - 1, below, seed);
			OrderNode* node = &nodes[below / BR_TRIANGLE_LANES];
			((float*)&node->most)[below % BR_TRIANGLE_LANES] = far.distanceSq;
			node->farthest[below % BR_TRIANGLE_LANES] = far.point;
		}
	}
	brLanes8 best = SPLAT(-2.0f);
	brLaneMask8 bestPoint = {0};
	for (int32_t i = 0; i < count; ++i)
	{
		brLaneMask8 points = *(const brLaneMask8*)(const void*)nodes[i].farthest;
		brLaneMask8 isFarther = (nodes[i].most > best) | ((nodes[i].most == best) & (points < bestPoint));
		best = CHOOSE(isFarther, nodes[i].most, best);
		bestPoint = (isFarther & points) | (~isFarther & bestPoint);
	}
	return KERNEL(orderFarthest)(best, (const int32_t*)(const void*)&bestPoint).point;
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
