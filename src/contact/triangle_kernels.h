// SPDX-License-Identifier: MIT

// The search for the nearest triangle, included by triangle_tree.c once for each vector path: KERNEL(name) names the copy and
// KERNEL_TARGET says which instructions it may use. Both copies do the same operations on the same eight lanes, so their bits
// are equal. No include guard: it is meant to be read more than once.

KERNEL_TARGET static inline uint32_t KERNEL(laneBits)(const brLaneMask8* mask)
{
#if defined(__x86_64__)
	const __m128* halves = (const __m128*)(const void*)mask;
	return (uint32_t)_mm_movemask_ps(halves[0]) | (uint32_t)_mm_movemask_ps(halves[1]) << 4;
#else
	uint32_t bits = 0;
	for (int i = 0; i < BR_TRIANGLE_LANES; ++i)
	{
		bits |= (uint32_t)((*mask)[i] != 0) << i;
	}
	return bits;
#endif
}

KERNEL_TARGET static inline void KERNEL(laneMax)(const brLanes8* a, const brLanes8* b, brLanes8* out)
{
	KERNEL_EACH(_max_ps, a, b, out, >);
}

KERNEL_TARGET static inline void KERNEL(laneMin)(const brLanes8* a, const brLanes8* b, brLanes8* out)
{
	KERNEL_EACH(_min_ps, a, b, out, <);
}

// The least of eight and the first lane that has it.
KERNEL_TARGET static inline int32_t KERNEL(laneLeast)(const brLanes8* a, float* outLeast)
{
#if defined(__x86_64__)
	const __m128* halves = (const __m128*)(const void*)a;
	__m128 v = _mm_min_ps(halves[0], halves[1]);
	v = _mm_min_ps(v, _mm_movehl_ps(v, v));
	v = _mm_min_ss(v, _mm_shuffle_ps(v, v, 1));
	float least = _mm_cvtss_f32(v);
	brLaneMask8 isLeast = *a == SPLAT(least);
	*outLeast = least;
	return __builtin_ctz(KERNEL(laneBits)(&isLeast));
#else
	int32_t first = 0;
	for (int32_t i = 1; i < BR_TRIANGLE_LANES; ++i)
	{
		first = (*a)[i] < (*a)[first] ? i : first;
	}
	*outLeast = (*a)[first];
	return first;
#endif
}

KERNEL_TARGET static inline void KERNEL(laneClamp)(brLanes8* t)
{
	const brLanes8 zero = SPLAT(0.0f), one = SPLAT(1.0f);
	KERNEL(laneMax)(t, &zero, t);
	KERNEL(laneMin)(t, &one, t);
}

// Squared distances of a point to eight boxes; a little too small rather than too large.
KERNEL_TARGET static inline void KERNEL(nodeDistances)(const brTriangleNode* node, brVec3 p, brLanes8* outSq)
{
	const float q[3] = {p.x, p.y, p.z};
	brLanes8 sum = SPLAT(0.0f);
	for (int k = 0; k < 3; ++k)
	{
		brLanes8 below = node->lower[k] - SPLAT(q[k]), above = SPLAT(q[k]) - node->upper[k];
		brLanes8 d, zero = SPLAT(0.0f);
		KERNEL(laneMax)(&below, &above, &d);
		KERNEL(laneMax)(&d, &zero, &d);
		sum += d * d;
	}
	*outSq = sum * SPLAT(1.0f - 0x1p-20f);
}

// Squared distances of a point to eight triangles: to the plane over the inside, else to the nearest of three sides.
KERNEL_TARGET static inline void KERNEL(groupDistances)(const brTriangleGroup* g, brVec3 p, brLanes8* outSq)
{
	brLanes8 qx = SPLAT(p.x) - g->corner[0], qy = SPLAT(p.y) - g->corner[1], qz = SPLAT(p.z) - g->corner[2];
	brLanes8 ax = g->side0[0], ay = g->side0[1], az = g->side0[2];
	brLanes8 bx = g->side1[0], by = g->side1[1], bz = g->side1[2];
	brLanes8 nx = g->normal[0], ny = g->normal[1], nz = g->normal[2];
	brLanes8 qa = qx * ax + qy * ay + qz * az, qb = qx * bx + qy * by + qz * bz;

	brLanes8 t = qa * g->inv00;
	KERNEL(laneClamp)(&t);
	brLanes8 x = qx - t * ax, y = qy - t * ay, z = qz - t * az;
	brLanes8 best = x * x + y * y + z * z;
	t = qb * g->inv11;
	KERNEL(laneClamp)(&t);
	x = qx - t * bx, y = qy - t * by, z = qz - t * bz;
	brLanes8 other = x * x + y * y + z * z;
	KERNEL(laneMin)(&best, &other, &best);
	t = (qb - qa + g->along) * g->inv22;
	KERNEL(laneClamp)(&t);
	x = qx - ax - t * (bx - ax), y = qy - ay - t * (by - ay), z = qz - az - t * (bz - az);
	other = x * x + y * y + z * z;
	KERNEL(laneMin)(&best, &other, &best);

	// Over the inside all three areas that the point makes with the sides are positive; together they are the triangle's.
	brLanes8 mx = ny * az - nz * ay, my = nz * ax - nx * az, mz = nx * ay - ny * ax; // n x side0
	brLanes8 ox = by * nz - bz * ny, oy = bz * nx - bx * nz, oz = bx * ny - by * nx; // side1 x n
	brLanes8 first = mx * qx + my * qy + mz * qz, third = ox * qx + oy * qy + oz * qz;
	brLanes8 area = mx * bx + my * by + mz * bz;
	brLanes8 second = area - first - third;
	brLanes8 height = nx * qx + ny * qy + nz * qz;
	const brLanes8 zero = SPLAT(0.0f);
	brLaneMask8 isOver = (first >= zero) & (second >= zero) & (third >= zero) & (area > zero);
	other = height * height;
	*outSq = CHOOSE(isOver, other, best);
}

KERNEL_TARGET static int32_t KERNEL(nearestTriangle)(const brSolid* solid, brVec3 p, float* boundSq)
{
	float best = *boundSq < TRIANGLE_FARTHEST_SQ ? *boundSq : TRIANGLE_FARTHEST_SQ;
	int32_t bestPlace = -1;
	NearNode stack[TRIANGLE_STACK];
	int32_t depth = 0;
	stack[depth++] = (NearNode){0.0f, solid->levelCount - 1, 0};
	while (depth > 0)
	{
		NearNode top = stack[--depth];
		if (top.distanceSq > best)
		{
			continue;
		}
		brLanes8 distances;
		float least;
		if (top.level < 0)
		{
			KERNEL(groupDistances)(&solid->groups[top.index], p, &distances);
			int32_t place = BR_TRIANGLE_LANES * top.index + KERNEL(laneLeast)(&distances, &least);
			// Of equals the lowest, in whatever order groups are visited.
			if (least < best || (least == best && (bestPlace < 0 || place < bestPlace)))
			{
				best = least, bestPlace = place;
			}
			continue;
		}
		KERNEL(nodeDistances)(&solid->levels[top.level][top.index], p, &distances);
		brLaneMask8 isNear = distances <= SPLAT(best);
		uint32_t bits = KERNEL(laneBits)(&isNear);
		if (bits == 0)
		{
			continue;
		}
		// The nearest is looked at next; the others wait and may be out of reach by then.
		int32_t nearest = KERNEL(laneLeast)(&distances, &least);
		for (bits &= ~(1u << nearest); bits != 0; bits &= bits - 1)
		{
			int lane = __builtin_ctz(bits);
			stack[depth++] = (NearNode){distances[lane], top.level - 1, BR_TRIANGLE_LANES * top.index + lane};
		}
		stack[depth++] = (NearNode){least, top.level - 1, BR_TRIANGLE_LANES * top.index + nearest};
	}
	*boundSq = best;
	return bestPlace;
}
