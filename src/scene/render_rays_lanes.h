// SPDX-License-Identifier: MIT

// Walks along a ray, in render_rays.c once for each set of lanes (base/lanes.h).

#define SPLAT(x) LANE(brSplat8)(x)

typedef struct LANE(RayMeet)
{
	brFloat8 distance, u, v;
} LANE(RayMeet);

LANE_INLINE void LANE(rayCross)(const brFloat8 a[3], const brFloat8 b[3], brFloat8 out[3])
{
	out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

LANE_INLINE brFloat8 LANE(rayDot)(const brFloat8 a[3], const brFloat8 b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The volume that an edge spans with the ray: its sign tells on which side the ray passes. The same number with the
// other sign for the triangle across, as sums and differences are taken in either order.
LANE_INLINE brFloat8 LANE(rayPasses)(const brFloat8 from[3], const brFloat8 to[3], const brFloat8 direction[3])
{
	brFloat8 edge[3], twice[3], area[3];
	for (int k = 0; k < 3; ++k)
	{
		edge[k] = to[k] - from[k], twice[k] = to[k] + from[k];
	}
	LANE(rayCross)(edge, twice, area);
	return LANE(rayDot)(area, direction);
}

// Which of eight triangles the ray meets before the limit, by bits.
LANE_INLINE uint32_t LANE(rayMeets)(const brRayTree* tree, int32_t group, const RayWalk* walk, float limit,
									LANE(RayMeet) * outMeet)
{
	const RayGroup* at = &tree->groups[group];
	brFloat8 p[3][3], direction[3];
	for (int k = 0; k < 3; ++k)
	{
		direction[k] = SPLAT(walk->direction[k]);
		for (int i = 0; i < 3; ++i)
		{
			p[i][k] = at->corners[i][k];
			if (tree->moves != NULL)
			{
				p[i][k] += SPLAT(walk->time) * tree->moves[group].corners[i][k];
			}
			p[i][k] -= SPLAT(walk->origin[k]);
		}
	}
	brFloat8 zero = SPLAT(0.0f), reach = zero, size = zero;
	for (int k = 0; k < 3; ++k)
	{
		brFloat8 low = LANE(brMin8)(LANE(brMin8)(p[0][k], p[1][k]), p[2][k]);
		brFloat8 high = LANE(brMax8)(LANE(brMax8)(p[0][k], p[1][k]), p[2][k]);
		reach = LANE(brMax8)(reach, LANE(brMax8)(high, zero - low));
		size = LANE(brMax8)(size, high - low);
	}
	brFloat8 u = LANE(rayPasses)(p[0], p[2], direction);
	brFloat8 v = LANE(rayPasses)(p[1], p[0], direction);
	brFloat8 w = LANE(rayPasses)(p[2], p[1], direction);
	brFloat8 sum = u + v + w, slack = reach * size * SPLAT(RAY_SLACK);
	brFloat8 least = LANE(brMin8)(LANE(brMin8)(u, v), w), most = LANE(brMax8)(LANE(brMax8)(u, v), w);
	brInt8 isInside = (LANE(brAtLeast8)(least, zero - slack) & LANE(brMore8)(sum, slack)) |
					  (LANE(brAtMost8)(most, slack) & LANE(brLess8)(sum, zero - slack));
	if (LANE(brBits8)(isInside) == 0)
	{
		return 0;
	}
	// The place is one of the triangle, whatever rounding says.
	u = LANE(brMin8)(LANE(brMax8)(u / sum, zero), SPLAT(1.0f));
	v = LANE(brMin8)(LANE(brMax8)(v / sum, zero), SPLAT(1.0f) - u);
	brFloat8 along[3];
	for (int i = 0; i < 3; ++i)
	{
		along[i] = LANE(rayDot)(p[i], direction);
	}
	brFloat8 distance = along[0] + u * (along[1] - along[0]) + v * (along[2] - along[0]);
	outMeet->distance = distance, outMeet->u = u, outMeet->v = v;
	return LANE(brBits8)(isInside & LANE(brMore8)(distance, SPLAT(walk->from)) &
						 LANE(brAtMost8)(distance, SPLAT(limit)));
}

// Where the ray enters eight boxes; those it meets before the limit, by bits.
LANE_INLINE uint32_t LANE(rayEnters)(const brTreeBoxes* boxes, const RayWalk* walk, float limit, brFloat8* outEnter)
{
	brFloat8 enter = SPLAT(walk->from), leave = SPLAT(limit);
	for (int k = 0; k < 3; ++k)
	{
		brFloat8 inverse = SPLAT(walk->inverse[k]), origin = SPLAT(walk->origin[k]);
		bool isFalling = walk->inverse[k] < 0.0f;
		const brFloat8* near = isFalling ? &boxes->upper[k] : &boxes->lower[k];
		const brFloat8* far = isFalling ? &boxes->lower[k] : &boxes->upper[k];
		enter = LANE(brMax8)((*near - origin) * inverse, enter);
		leave = LANE(brMin8)((*far - origin) * inverse, leave);
	}
	*outEnter = enter;
	return LANE(brBits8)(LANE(brAtMost8)(enter, leave * SPLAT(1.0f + 0x1p-20f)));
}

// A group of the tree, or on level -1 of triangles, and where the ray enters its box.
typedef struct LANE(RayStop)
{
	float enter;
	int32_t level, group;
} LANE(RayStop);

// The nearest hit, or any. For the nearest, boxes that wait are looked at from near to far. Most groups have one box or
// two that the ray meets: those are told apart without sorting.
LANE_INLINE bool LANE(rayWalk)(const brRayTree* tree, const RayWalk* walk, bool isAny, RayFound* out)
{
	LANE(RayStop) stack[BR_TREE_STACK], at = {walk->from, tree->boxes.levelCount - 1, 0};
	float limit = walk->to;
	bool isFound = false;
	for (int32_t depth = 0;;)
	{
		uint32_t bits = 0;
		brFloat8 enters = SPLAT(0.0f);
		if (at.enter <= limit && at.level < 0)
		{
			LANE(RayMeet) meet;
			for (uint32_t met = LANE(rayMeets)(tree, at.group, walk, limit, &meet); met != 0; met &= met - 1)
			{
				int32_t lane = __builtin_ctz(met);
				if (!isFound || meet.distance[lane] < limit)
				{
					isFound = true;
					limit = meet.distance[lane];
					*out = (RayFound){limit, meet.u[lane], meet.v[lane], at.group, lane};
				}
			}
			if (isFound && isAny)
			{
				return true;
			}
		}
		else if (at.enter <= limit)
		{
			bits = LANE(rayEnters)(&tree->boxes.levels[at.level][at.group], walk, limit, &enters);
		}
		if (bits == 0)
		{
			if (depth == 0)
			{
				return isFound;
			}
			at = stack[--depth];
			continue;
		}
		int32_t level = at.level - 1, first = depth, lane = __builtin_ctz(bits), eight = BR_TREE_ARITY * at.group;
		at = (LANE(RayStop)){enters[lane], level, eight + lane};
		for (bits &= bits - 1; bits != 0; bits &= bits - 1)
		{
			lane = __builtin_ctz(bits);
			LANE(RayStop) next = {enters[lane], level, eight + lane};
			bool isNearer = isAny || next.enter <= at.enter;
			LANE(RayStop) far = isNearer ? at : next;
			at = isNearer ? next : at;
			int32_t i = depth++;
			for (; !isAny && i > first && stack[i - 1].enter < far.enter; --i)
			{
				stack[i] = stack[i - 1];
			}
			stack[i] = far;
		}
	}
}

LANE_TARGET static bool LANE(rayNearest)(const brRayTree* tree, const RayWalk* walk, RayFound* out)
{
	return LANE(rayWalk)(tree, walk, false, out);
}

LANE_TARGET static bool LANE(rayAny)(const brRayTree* tree, const RayWalk* walk)
{
	RayFound found;
	return LANE(rayWalk)(tree, walk, true, &found);
}

#undef SPLAT
