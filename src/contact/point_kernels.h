// SPDX-License-Identifier: MIT

// Farthest points, eight lanes at a time, in point_order.c once for each set of lanes (base/lanes.h).

// The greatest of eight distances, of equals the lowest point.
LANE_INLINE OrderFar LANE(orderFarthest)(brFloat8 distances, const int32_t* points)
{
	float most = LANE(brMost8)(distances);
	uint32_t bits = LANE(brBits8)(LANE(brEqual8)(distances, SPLAT(most)));
	OrderFar far = {most, points[__builtin_ctz(bits)]};
	for (bits &= bits - 1; bits != 0; bits &= bits - 1)
	{
		int32_t other = points[__builtin_ctz(bits)];
		far.point = other < far.point ? other : far.point;
	}
	return far;
}

// Distances of the points of a leaf against a new one, and who of them is now farthest.
LANE_INLINE OrderFar LANE(orderLeaf)(OrderWork* work, int32_t leaf, const OrderSeed* seed)
{
	const brFloat8 px = SPLAT(seed->x), py = SPLAT(seed->y), pz = SPLAT(seed->z);
	const brInt8 mine = {seed->place, seed->place, seed->place, seed->place,
						 seed->place, seed->place, seed->place, seed->place};
	brFloat8 best = SPLAT(-2.0f);
	brInt8 bestPoint = {0};
	for (int32_t i = ORDER_LEAF * leaf; i < ORDER_LEAF * (leaf + 1); i += BR_TRIANGLE_LANES)
	{
		brFloat8 dx = *(const brFloat8*)(const void*)(work->x + i) - px,
				 dy = *(const brFloat8*)(const void*)(work->y + i) - py,
				 dz = *(const brFloat8*)(const void*)(work->z + i) - pz;
		brFloat8* distanceSq = (brFloat8*)(void*)(work->distanceSq + i);
		brInt8* owners = (brInt8*)(void*)(work->owners + i);
		brInt8 points = *(const brInt8*)(const void*)(work->points + i);
		brFloat8 d = dx * dx + dy * dy + dz * dz, old = *distanceSq;
		brInt8 isNearer = LANE(brLess8)(d, old);
		old = CHOOSE(isNearer, d, old);
		*distanceSq = old;
		*owners = (isNearer & mine) | (~isNearer & *owners);
		brInt8 isFarther = LANE(brMore8)(old, best) | (LANE(brEqual8)(old, best) & LANE(brIntLess8)(points, bestPoint));
		best = CHOOSE(isFarther, old, best);
		bestPoint = (isFarther & points) | (~isFarther & bestPoint);
	}
	return LANE(orderFarthest)(best, (const int32_t*)(const void*)&bestPoint);
}

// Which of the eight below a node a new point may concern: what holds a point that is nearer to it than to those before
// it, or the chosen point itself.
LANE_INLINE uint32_t LANE(orderConcerned)(const OrderNode* node, const OrderSeed* seed)
{
	// The same operations as on a point, and each is monotonous: rounding makes no box farther than a point in it.
	const brFloat8 px = SPLAT(seed->x), py = SPLAT(seed->y), pz = SPLAT(seed->z), zero = SPLAT(0.0f);
	brFloat8 dx = LANE(brMax8)(node->lower[0] - px, px - node->upper[0]);
	brFloat8 dy = LANE(brMax8)(node->lower[1] - py, py - node->upper[1]);
	brFloat8 dz = LANE(brMax8)(node->lower[2] - pz, pz - node->upper[2]);
	dx = LANE(brMax8)(dx, zero), dy = LANE(brMax8)(dy, zero), dz = LANE(brMax8)(dz, zero);
	return LANE(brBits8)(LANE(brAtMost8)(dx * dx + dy * dy + dz * dz, node->most));
}

// One node below the top, and all below it that a new point concerns.
LANE_TARGET static OrderFar LANE(orderVisit)(OrderWork* work, int32_t level, int32_t index, const OrderSeed* seed)
{
	OrderNode* node = &work->levels[level][index];
	// Kept in a register: a vector that was written lane by lane is slow to read.
	brFloat8 most = node->most;
	const brInt8 lanes = {0, 1, 2, 3, 4, 5, 6, 7};
	for (uint32_t bits = LANE(orderConcerned)(node, seed); bits != 0; bits &= bits - 1)
	{
		int32_t lane = __builtin_ctz(bits), below = BR_TRIANGLE_LANES * index + lane;
		OrderFar far = level == 0 ? LANE(orderLeaf)(work, below, seed) : LANE(orderVisit)(work, level - 1, below, seed);
		const brInt8 here = {lane, lane, lane, lane, lane, lane, lane, lane};
		most = CHOOSE(LANE(brIntEqual8)(lanes, here), SPLAT(far.distanceSq), most);
		node->farthest[lane] = far.point;
	}
	node->most = most;
	return LANE(orderFarthest)(most, node->farthest);
}

// The nodes of the top: first who is concerned, in all of them and without a branch, then those, then who is now
// farthest.
LANE_TARGET static int32_t LANE(orderTop)(OrderWork* work, const OrderSeed* seed)
{
	int32_t level = work->levelCount - 1, count = work->levelCounts[level];
	OrderNode* nodes = work->levels[level];
	uint64_t concerned[ORDER_TOP / 8] = {0}; // eight nodes a word
	for (int32_t i = 0; i < count; ++i)
	{
		concerned[i / 8] |= (uint64_t)LANE(orderConcerned)(&nodes[i], seed) << 8 * (i % 8);
	}
	for (int32_t word = 0; 8 * word < count; ++word)
	{
		for (uint64_t bits = concerned[word]; bits != 0; bits &= bits - 1)
		{
			int32_t below = 64 * word + __builtin_ctzll(bits);
			OrderFar far =
				level == 0 ? LANE(orderLeaf)(work, below, seed) : LANE(orderVisit)(work, level - 1, below, seed);
			OrderNode* node = &nodes[below / BR_TRIANGLE_LANES];
			((float*)&node->most)[below % BR_TRIANGLE_LANES] = far.distanceSq;
			node->farthest[below % BR_TRIANGLE_LANES] = far.point;
		}
	}
	brFloat8 best = SPLAT(-2.0f);
	brInt8 bestPoint = {0};
	for (int32_t i = 0; i < count; ++i)
	{
		brInt8 points = *(const brInt8*)(const void*)nodes[i].farthest;
		brFloat8 most = nodes[i].most;
		brInt8 isFarther =
			LANE(brMore8)(most, best) | (LANE(brEqual8)(most, best) & LANE(brIntLess8)(points, bestPoint));
		best = CHOOSE(isFarther, most, best);
		bestPoint = (isFarther & points) | (~isFarther & bestPoint);
	}
	return LANE(orderFarthest)(best, (const int32_t*)(const void*)&bestPoint).point;
}

// All distances against a new point. Returns the point that is now farthest, of equals the lowest.
LANE_TARGET static int32_t LANE(orderPass)(OrderWork* work, const OrderSeed* seed)
{
	brFloat8 px = SPLAT(seed->x), py = SPLAT(seed->y), pz = SPLAT(seed->z), best = SPLAT(-2.0f);
	brInt8 index = {0, 1, 2, 3, 4, 5, 6, 7}, bestIndex = index;
	const brInt8 step = {8, 8, 8, 8, 8, 8, 8, 8};
	const brInt8 mine = {seed->place, seed->place, seed->place, seed->place,
						 seed->place, seed->place, seed->place, seed->place};
	for (int32_t i = 0; i < work->padded; i += BR_TRIANGLE_LANES, index += step)
	{
		brFloat8 dx = *(const brFloat8*)(const void*)(work->x + i) - px,
				 dy = *(const brFloat8*)(const void*)(work->y + i) - py,
				 dz = *(const brFloat8*)(const void*)(work->z + i) - pz;
		brFloat8* distanceSq = (brFloat8*)(void*)(work->distanceSq + i);
		brInt8* owners = (brInt8*)(void*)(work->owners + i);
		brFloat8 d = dx * dx + dy * dy + dz * dz, old = *distanceSq;
		brInt8 isNearer = LANE(brLess8)(d, old);
		old = CHOOSE(isNearer, d, old);
		*distanceSq = old;
		*owners = (isNearer & mine) | (~isNearer & *owners);
		brInt8 isFarther = LANE(brMore8)(old, best);
		best = CHOOSE(isFarther, old, best);
		bestIndex = (isFarther & index) | (~isFarther & bestIndex);
	}
	int32_t indices[BR_TRIANGLE_LANES];
	memcpy(indices, &bestIndex, sizeof(indices));
	return LANE(orderFarthest)(best, indices).point;
}
