// SPDX-License-Identifier: MIT

// The search for the nearest triangle, included by triangle_tree.c once for each vector path: KERNEL(name) names the copy and
// KERNEL_TARGET says which instructions it may use. Both copies do the same operations on the same eight lanes, so their bits
// are equal. No include guard: it is meant to be read more than once.

KERNEL_TARGET static inline uint32_t KERNEL(laneBits)(const brLaneMask8* mask)
{
#if defined(__x86_64__) && !defined(BR_SCALAR)
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
#if defined(__x86_64__) && !defined(BR_SCALAR)
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

// Squared distances of a point to eight triangles, each in its own axes: the height over the plane, and within it nothing over the
// inside, else the way to the nearest of three sides.
KERNEL_TARGET __attribute__((always_inline)) static inline void KERNEL(groupDistances)(const brTriangleGroup* g,
																					   brVec3 p, brLanes8* outSq)
{
	const brLanes8 zero = SPLAT(0.0f);
	brLanes8 qx = SPLAT(p.x) - g->corner[0], qy = SPLAT(p.y) - g->corner[1], qz = SPLAT(p.z) - g->corner[2];
	brLanes8 s = qx * g->along[0] + qy * g->along[1] + qz * g->along[2];
	brLanes8 t = qx * g->up[0] + qy * g->up[1] + qz * g->up[2];
	brLanes8 height = qx * g->normal[0] + qy * g->normal[1] + qz * g->normal[2];
	brLanes8 cx = g->cx, cy = g->cy, length = g->length;

	brLanes8 k;
	KERNEL(laneMax)(&s, &zero, &k);
	KERNEL(laneMin)(&k, &length, &k);
	brLanes8 x = s - k, best = x * x + t * t;
	k = (s * cx + t * cy) * g->inv1;
	KERNEL(laneClamp)(&k);
	x = s - k * cx;
	brLanes8 y = t - k * cy, other = x * x + y * y;
	KERNEL(laneMin)(&best, &other, &best);
	brLanes8 rest = s - length, back = cx - length;
	k = (rest * back + t * cy) * g->inv2;
	KERNEL(laneClamp)(&k);
	x = rest - k * back, y = t - k * cy;
	other = x * x + y * y;
	KERNEL(laneMin)(&best, &other, &best);

	brLaneMask8 isOver = (t >= zero) & (s * cy - t * cx >= zero) & (back * t - cy * rest >= zero);
	best = (brLanes8)(~isOver & (brLaneMask8)best);
	*outSq = height * height + best;
}

// Cell of a coordinate in cells from the first cell's center.
KERNEL_TARGET static inline brLaneMask8 KERNEL(cellLanes)(brLanes8 at, int32_t count)
{
	const brLanes8 zero = SPLAT(0.0f), last = SPLAT((float)(count - 1));
	at += SPLAT(0.5f);
	KERNEL(laneMax)(&at, &zero, &at);
	KERNEL(laneMin)(&at, &last, &at);
	return __builtin_convertvector(at, brLaneMask8);
}

KERNEL_TARGET static uint32_t KERNEL(boundLanes)(const brSolid* solid, const brLanes8 p[3], float limit,
												 brFieldBounds* out)
{
	const brShape* shape = solid->shape;
	const float origin[3] = {solid->cellOrigin.x, solid->cellOrigin.y, solid->cellOrigin.z};
	const float size[3] = {solid->cellSize.x, solid->cellSize.y, solid->cellSize.z};
	const float inv[3] = {solid->invCellSize.x, solid->invCellSize.y, solid->invCellSize.z};
	const float center[3] = {shape->boxCenter.x, shape->boxCenter.y, shape->boxCenter.z};
	const float half[3] = {shape->half.x, shape->half.y, shape->half.z};
	const brLanes8 zero = SPLAT(0.0f);
	brLanes8 waySq = zero, boxSq = zero;
	brLaneMask8 cells[3];
	for (int k = 0; k < 3; ++k)
	{
		brLanes8 at = p[k] - SPLAT(origin[k]), c = p[k] - SPLAT(center[k]), minus = zero - c;
		cells[k] = KERNEL(cellLanes)(at * SPLAT(inv[k]), solid->cellCounts[k]);
		brLanes8 way = at - __builtin_convertvector(cells[k], brLanes8) * SPLAT(size[k]);
		waySq += way * way;
		KERNEL(laneMax)(&c, &minus, &c);
		c -= SPLAT(half[k]);
		KERNEL(laneMax)(&c, &zero, &c);
		boxSq += c * c;
	}
	int32_t nx = solid->cellCounts[0], ny = solid->cellCounts[1];
	brLaneMask8 index = (cells[2] * ny + cells[1]) * nx + cells[0];
	brLanes8 known, off, box;
	for (int32_t lane = 0; lane < BR_TRIANGLE_LANES; ++lane)
	{
		brSolidCell cell = solid->cells[index[lane]];
		known[lane] = solid->isOpen ? fabsf(cell.distance) : cell.distance;
		out->hints[lane] = cell.triangle;
	}
	KERNEL_ROOT(&waySq, &off);
	KERNEL_ROOT(&boxSq, &box);
	off = off * SPLAT(1.0f + 1e-5f) + SPLAT(2e-6f * shape->radius);
	box = CHOOSE(boxSq > zero, box * SPLAT(1.0f - 1e-5f), SPLAT(-INFINITY));
	brLanes8 least = known - off;
	KERNEL(laneMax)(&least, &box, &out->least);
	out->most = known + off;
	brLaneMask8 isNear = out->least < SPLAT(limit);
	return KERNEL(laneBits)(&isNear);
}

KERNEL_TARGET static uint32_t KERNEL(planeLanes)(const brVec4* planes, int32_t count, float slack, const brLanes8 p[3],
												 float limit, brLanes8* outLeast)
{
	brLanes8 x = p[0], y = p[1], z = p[2], least = SPLAT(-INFINITY);
	for (int32_t i = 0; i < count; ++i)
	{
		brLanes8 height = SPLAT(planes[i].x) * x + SPLAT(planes[i].y) * y + SPLAT(planes[i].z) * z - SPLAT(planes[i].w);
		KERNEL(laneMax)(&least, &height, &least);
	}
	*outLeast = least - SPLAT(slack);
	brLaneMask8 isNear = *outLeast < SPLAT(limit);
	return KERNEL(laneBits)(&isNear);
}

KERNEL_TARGET static uint32_t KERNEL(placeBlock)(const brSolid* solid, int32_t block, const brRelativePose* pose,
												 brBox3 box, brLanes8 out[3])
{
	brLanes8 x = solid->places[0][block], y = solid->places[1][block], z = solid->places[2][block];
	out[0] = SPLAT(pose->x.x) * x + SPLAT(pose->y.x) * y + SPLAT(pose->z.x) * z + SPLAT(pose->p.x);
	out[1] = SPLAT(pose->x.y) * x + SPLAT(pose->y.y) * y + SPLAT(pose->z.y) * z + SPLAT(pose->p.y);
	out[2] = SPLAT(pose->x.z) * x + SPLAT(pose->y.z) * y + SPLAT(pose->z.z) * z + SPLAT(pose->p.z);
	brLaneMask8 isIn = (out[0] >= SPLAT(box.lower.x)) & (out[0] <= SPLAT(box.upper.x)) &
					   (out[1] >= SPLAT(box.lower.y)) & (out[1] <= SPLAT(box.upper.y)) &
					   (out[2] >= SPLAT(box.lower.z)) & (out[2] <= SPLAT(box.upper.z));
	return KERNEL(laneBits)(&isIn);
}

KERNEL_TARGET static int32_t KERNEL(extremePoint)(const brSolid* solid, brVec3 n)
{
	// In each lane the farthest and its block, whole blocks only: what is beyond the last point is far away in every direction.
	brLanes8 most = SPLAT(-INFINITY);
	brLaneMask8 blocks = {0}, one = blocks + 1, block = blocks;
	int32_t whole = solid->pointCount / BR_TRIANGLE_LANES;
	for (int32_t i = 0; i < whole; ++i, block += one)
	{
		brLanes8 at =
			SPLAT(n.x) * solid->places[0][i] + SPLAT(n.y) * solid->places[1][i] + SPLAT(n.z) * solid->places[2][i];
		brLaneMask8 isFarther = at > most;
		most = CHOOSE(isFarther, at, most);
		blocks = (isFarther & block) | (~isFarther & blocks);
	}
	int32_t best = 0;
	float farthest = -INFINITY;
	for (int32_t lane = 0; lane < BR_TRIANGLE_LANES && whole > 0; ++lane)
	{
		int32_t point = BR_TRIANGLE_LANES * blocks[lane] + lane;
		if (most[lane] > farthest || (most[lane] == farthest && point < best))
		{
			farthest = most[lane], best = point;
		}
	}
	for (int32_t i = BR_TRIANGLE_LANES * whole; i < solid->pointCount; ++i)
	{
		brVec3 p = solid->points[i].place;
		float at = n.x * p.x + n.y * p.y + n.z * p.z;
		if (at > farthest)
		{
			farthest = at, best = i;
		}
	}
	return best;
}

KERNEL_TARGET static int32_t KERNEL(nearestTriangle)(const brSolid* solid, brVec3 p, int32_t hint, float* boundSq)
{
	float best = *boundSq < TRIANGLE_FARTHEST_SQ ? *boundSq : TRIANGLE_FARTHEST_SQ;
	int32_t bestPlace = -1, known = hint >= 0 ? hint / BR_TRIANGLE_LANES : -1;
	if (known >= 0)
	{
		brLanes8 distances;
		float least;
		KERNEL(groupDistances)(&solid->groups[known], p, &distances);
		int32_t lane = KERNEL(laneLeast)(&distances, &least);
		if (least <= best)
		{
			best = least, bestPlace = BR_TRIANGLE_LANES * known + lane;
		}
	}
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
			if (top.index == known)
			{
				continue;
			}
			KERNEL(groupDistances)(&solid->groups[top.index], p, &distances);
			brLaneMask8 isNearer = distances <= SPLAT(best);
			if (KERNEL(laneBits)(&isNearer) == 0)
			{
				continue;
			}
			int32_t place = BR_TRIANGLE_LANES * top.index + KERNEL(laneLeast)(&distances, &least);
			// Of equals the lowest, in whatever order groups are visited.
			if (least < best || bestPlace < 0 || place < bestPlace)
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
		int32_t nearest = __builtin_ctz(bits);
		if ((bits & (bits - 1)) != 0)
		{
			nearest = KERNEL(laneLeast)(&distances, &least);
			for (bits &= ~(1u << nearest); bits != 0; bits &= bits - 1)
			{
				int lane = __builtin_ctz(bits);
				stack[depth++] = (NearNode){distances[lane], top.level - 1, BR_TRIANGLE_LANES * top.index + lane};
			}
		}
		stack[depth++] = (NearNode){distances[nearest], top.level - 1, BR_TRIANGLE_LANES * top.index + nearest};
	}
	*boundSq = best;
	return bestPlace;
}
