// SPDX-License-Identifier: MIT

// Walks over a box tree, in box_tree.h once for each set of lanes (base/lanes.h). Where the function that they call is
// known, it is inlined. No include guard: it is meant to be read more than once.

// Squared distances of a point to eight boxes, never too large.
LANE_INLINE brFloat8 LANE(brBoxDistances)(const BR_FAR brTreeBoxes* boxes, const float point[3])
{
	brFloat8 zero = LANE(brSplat8)(0.0f), sum = zero;
	for (int k = 0; k < 3; ++k)
	{
		brFloat8 p = LANE(brSplat8)(point[k]), below = boxes->lower[k] - p, above = p - boxes->upper[k];
		brFloat8 d = LANE(brMax8)(LANE(brMax8)(below, above), zero);
		sum += d * d;
	}
	return sum * LANE(brSplat8)(1.0f - 0x1p-20f);
}

// Which of eight boxes overlap one, by bits.
LANE_INLINE uint32_t LANE(brBoxOverlaps)(const BR_FAR brTreeBoxes* boxes, const float lower[3], const float upper[3])
{
	brInt8 meets = BR_ALL8;
	for (int k = 0; k < 3; ++k)
	{
		meets &= LANE(brAtMost8)(boxes->lower[k], LANE(brSplat8)(upper[k])) &
				 LANE(brAtLeast8)(boxes->upper[k], LANE(brSplat8)(lower[k]));
	}
	return LANE(brBits8)(meets);
}

#ifndef __OPENCL_VERSION__ // what asks without functions to call back

// Which of eight boxes the segment may meet in its part from 0 to `reach`, by bits.
LANE_INLINE uint32_t LANE(brBoxesOnSegment)(const BR_FAR brTreeBoxes* boxes, const brTreeSegment* s, float reach)
{
	brFloat8 enter = LANE(brSplat8)(0.0f), leave = LANE(brSplat8)(reach);
	for (int k = 0; k < 3; ++k)
	{
		brFloat8 inv = LANE(brSplat8)(s->inv[k]);
		brFloat8 t0 = (boxes->lower[k] - LANE(brSplat8)(s->start[k] + s->slack)) * inv;
		brFloat8 t1 = (boxes->upper[k] - LANE(brSplat8)(s->start[k] - s->slack)) * inv;
		brInt8 isRising = LANE(brAtMost8)(t0, t1);
		enter = LANE(brMax8)(BR_CHOOSE8(isRising, t0, t1), enter);
		leave = LANE(brMin8)(BR_CHOOSE8(isRising, t1, t0), leave);
	}
	return LANE(brBits8)(LANE(brAtMost8)(enter, leave * LANE(brSplat8)(1.0f + 0x1p-18f)));
}

// All things whose boxes overlap one, in rising order. False if `visit` ended it.
LANE_INLINE bool LANE(brWalkOverlaps)(const brBoxTree* tree, const float lower[3], const float upper[3],
									  brOverlapFcn* visit, void* user)
{
	struct
	{
		int32_t level, group;
	} stack[BR_TREE_STACK];
	stack[0].level = tree->levelCount - 1, stack[0].group = 0;
	for (int32_t depth = 1; depth > 0;)
	{
		int32_t level = stack[--depth].level, group = stack[depth].group;
		uint32_t bits = LANE(brBoxOverlaps)(&tree->levels[level][group], lower, upper);
		for (; level > 0 && bits != 0; ++depth)
		{
			int32_t last = 31 - __builtin_clz(bits);
			stack[depth].level = level - 1, stack[depth].group = BR_TREE_ARITY * group + last;
			bits &= ~(1u << last);
		}
		for (; bits != 0; bits &= bits - 1)
		{
			if (!visit(BR_TREE_ARITY * group + __builtin_ctz(bits), user))
			{
				return false;
			}
		}
	}
	return true;
}

// All things that the segment may meet before the limit, from 1 on.
LANE_INLINE void LANE(brWalkSegment)(const brBoxTree* tree, const brTreeSegment* segment, brLimitFcn* visit, void* user)
{
	double limit = 1.0;
	struct
	{
		int32_t level, group;
	} stack[BR_TREE_STACK];
	stack[0].level = tree->levelCount - 1, stack[0].group = 0;
	for (int32_t depth = 1; depth > 0;)
	{
		int32_t level = stack[--depth].level, group = stack[depth].group;
		float reach = limit < 1.0 ? brRoundUp(limit) : 1.0f;
		uint32_t bits = LANE(brBoxesOnSegment)(&tree->levels[level][group], segment, reach);
		for (; bits != 0; bits &= bits - 1)
		{
			int32_t child = BR_TREE_ARITY * group + __builtin_ctz(bits);
			if (level == 0)
			{
				limit = visit(child, limit, user);
				continue;
			}
			stack[depth].level = level - 1, stack[depth++].group = child;
		}
	}
}

// The limit of a walk outward in the coordinates of the boxes, whose points are off by less than `slack`; below that of
// empty lanes.
LANE_INLINE float LANE(brNearBound)(double limitSq, double scale, double slack)
{
	double reach = sqrt(limitSq) * scale + slack;
	return reach < 1e16 ? brRoundUp(reach * reach) : 1e32f;
}

// All things nearer than a limit, near ones first. The limit and what `visit` returns are squares in units of the
// caller, of which one is `scale` in the tree.
LANE_INLINE void LANE(brWalkNear)(const brBoxTree* tree, const float point[3], double scale, double limitSq,
								  brLimitFcn* visit, void* user)
{
	double slack = 0x1p-22 * fmax(1.0, (double)fmaxf(fabsf(point[0]), fmaxf(fabsf(point[1]), fabsf(point[2]))));
	float bound = LANE(brNearBound)(limitSq, scale, slack);
	struct
	{
		float distanceSq;
		int32_t level, group;
	} stack[BR_TREE_STACK];
	stack[0].distanceSq = 0.0f, stack[0].level = tree->levelCount - 1, stack[0].group = 0;
	for (int32_t depth = 1; depth > 0;)
	{
		int32_t level = stack[--depth].level, group = stack[depth].group;
		if (stack[depth].distanceSq > bound)
		{
			continue;
		}
		brFloat8 distances = LANE(brBoxDistances)(&tree->levels[level][group], point);
		uint32_t bits = LANE(brBits8)(LANE(brAtMost8)(distances, LANE(brSplat8)(bound)));
		for (int32_t first = depth; bits != 0; bits &= bits - 1)
		{
			int32_t lane = __builtin_ctz(bits), child = BR_TREE_ARITY * group + lane;
			float distance = distances[lane];
			if (level == 0)
			{
				double next = distance > bound ? limitSq : visit(child, limitSq, user);
				bound = next < limitSq ? LANE(brNearBound)(next, scale, slack) : bound;
				limitSq = next;
				continue;
			}
			// Farthest first, so that the nearest is looked at next.
			int32_t i = depth++;
			for (; i > first && stack[i - 1].distanceSq < distance; --i)
			{
				stack[i] = stack[i - 1];
			}
			stack[i].distanceSq = distance, stack[i].level = level - 1, stack[i].group = child;
		}
	}
}

#endif
