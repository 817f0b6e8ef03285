// SPDX-License-Identifier: MIT

// The search for the nearest triangle, included by triangle_tree.c once for each vector path: LANE(name) names the copy
// and LANE_TARGET says which instructions it may use. Both copies do the same operations on the same eight lanes, so
// their bits are equal. On a device it is read once (gpu/kernels/mesh_memory.cl). No include guard: it is meant to be
// read more than once.

#ifndef SPLAT
#define SPLAT(x) LANE(brSplat8)(x)
#define CHOOSE BR_CHOOSE8
#define TRIANGLE_FARTHEST_SQ 1e36f // of BR_TREE_NOWHERE
#endif

typedef struct LANE(NearNode)
{
	float distanceSq;
	int32_t level; // -1: a group
	int32_t index;
} LANE(NearNode);

// The least of eight and the first lane that has it.
LANE_INLINE int32_t LANE(laneLeast)(brFloat8 a, float* outLeast)
{
	float least = LANE(brLeast8)(a);
	*outLeast = least;
	return __builtin_ctz(LANE(brBits8)(LANE(brEqual8)(a, SPLAT(least))));
}

LANE_INLINE brFloat8 LANE(laneClamp)(brFloat8 t)
{
	return LANE(brMin8)(LANE(brMax8)(t, SPLAT(0.0f)), SPLAT(1.0f));
}

// Squared distances of a point to eight triangles, each in its own axes: the height over the plane, and within it
// nothing over the inside, else the way to the nearest of three sides.
LANE_INLINE void LANE(groupDistances)(const BR_FAR brTriangleGroup* g, brVec3 p, brFloat8* outSq)
{
	const brFloat8 zero = SPLAT(0.0f);
	brFloat8 qx = SPLAT(p.x) - g->corner[0], qy = SPLAT(p.y) - g->corner[1], qz = SPLAT(p.z) - g->corner[2];
	brFloat8 s = qx * g->along[0] + qy * g->along[1] + qz * g->along[2];
	brFloat8 t = qx * g->up[0] + qy * g->up[1] + qz * g->up[2];
	brFloat8 height = qx * g->normal[0] + qy * g->normal[1] + qz * g->normal[2];
	brFloat8 cx = g->cx, cy = g->cy, length = g->length;

	brFloat8 k;
	k = LANE(brMax8)(s, zero);
	k = LANE(brMin8)(k, length);
	brFloat8 x = s - k, best = x * x + t * t;
	k = (s * cx + t * cy) * g->inv1;
	k = LANE(laneClamp)(k);
	x = s - k * cx;
	brFloat8 y = t - k * cy, other = x * x + y * y;
	best = LANE(brMin8)(best, other);
	brFloat8 rest = s - length, back = cx - length;
	k = (rest * back + t * cy) * g->inv2;
	k = LANE(laneClamp)(k);
	x = rest - k * back, y = t - k * cy;
	other = x * x + y * y;
	best = LANE(brMin8)(best, other);

	brInt8 isOver = LANE(brAtLeast8)(t, zero) & LANE(brAtLeast8)(s * cy - t * cx, zero) &
					LANE(brAtLeast8)(back * t - cy * rest, zero);
	best = CHOOSE(isOver, zero, best);
	*outSq = height * height + best;
}

// Cell of a coordinate in cells from the first cell's center.
LANE_INLINE brInt8 LANE(cellLanes)(brFloat8 at, int32_t count)
{
	const brFloat8 zero = SPLAT(0.0f), last = SPLAT((float)(count - 1));
	at += SPLAT(0.5f);
	at = LANE(brMax8)(at, zero);
	at = LANE(brMin8)(at, last);
	return BR_TO_INTS8(at);
}

LANE_TARGET static uint32_t LANE(boundLanes)(const brSolid* solid, const brFloat8 p[3], float limit, brFieldBounds* out)
{
	const BR_FAR brShape* shape = solid->shape;
	const float origin[3] = {solid->cellOrigin.x, solid->cellOrigin.y, solid->cellOrigin.z};
	const float size[3] = {solid->cellSize.x, solid->cellSize.y, solid->cellSize.z};
	const float inv[3] = {solid->invCellSize.x, solid->invCellSize.y, solid->invCellSize.z};
	const float center[3] = {shape->boxCenter.x, shape->boxCenter.y, shape->boxCenter.z};
	const float half[3] = {shape->half.x, shape->half.y, shape->half.z};
	const brFloat8 zero = SPLAT(0.0f);
	brFloat8 waySq = zero, boxSq = zero;
	brInt8 cells[3];
	for (int k = 0; k < 3; ++k)
	{
		brFloat8 at = p[k] - SPLAT(origin[k]), c = p[k] - SPLAT(center[k]), minus = zero - c;
		cells[k] = LANE(cellLanes)(at * SPLAT(inv[k]), solid->cellCounts[k]);
		brFloat8 way = at - BR_TO_FLOATS8(cells[k]) * SPLAT(size[k]);
		waySq += way * way;
		c = LANE(brMax8)(c, minus);
		c -= SPLAT(half[k]);
		c = LANE(brMax8)(c, zero);
		boxSq += c * c;
	}
	int32_t nx = solid->cellCounts[0], ny = solid->cellCounts[1];
	brInt8 index = (cells[2] * ny + cells[1]) * nx + cells[0];
	brFloat8 known, off, box;
	for (int32_t lane = 0; lane < BR_TRIANGLE_LANES; ++lane)
	{
		brSolidCell cell = solid->cells[index[lane]];
		known[lane] = solid->isOpen ? fabsf(cell.distance) : cell.distance;
		out->hints[lane] = cell.triangle;
	}
	off = LANE(brRoot8)(waySq);
	box = LANE(brRoot8)(boxSq);
	off = off * SPLAT(1.0f + 1e-5f) + SPLAT(2e-6f * shape->radius);
	box = CHOOSE(LANE(brMore8)(boxSq, zero), box * SPLAT(1.0f - 1e-5f), SPLAT(-INFINITY));
	brFloat8 least = known - off;
	out->least = LANE(brMax8)(least, box);
	out->most = known + off;
	return LANE(brBits8)(LANE(brLess8)(out->least, SPLAT(limit)));
}

// The heights of eight places over one more plane, as far as they are the highest.
LANE_INLINE brFloat8 LANE(planeOver)(brFloat8 least, brVec4 plane, const brFloat8 p[3])
{
	brFloat8 height = SPLAT(plane.x) * p[0] + SPLAT(plane.y) * p[1] + SPLAT(plane.z) * p[2] - SPLAT(plane.w);
	return LANE(brMax8)(least, height);
}

#define PLANE_LANES(name, memory)                                                                                      \
	LANE_TARGET static uint32_t LANE(name)(const memory brVec4* planes, int32_t count, float slack,                    \
										   const brFloat8 p[3], float limit, brFloat8* outLeast)                       \
	{                                                                                                                  \
		brFloat8 least = SPLAT(-INFINITY);                                                                             \
		for (int32_t i = 0; i < count; ++i)                                                                            \
		{                                                                                                              \
			least = LANE(planeOver)(least, planes[i], p);                                                              \
		}                                                                                                              \
		*outLeast = least - SPLAT(slack);                                                                              \
		return LANE(brBits8)(LANE(brLess8)(*outLeast, SPLAT(limit)));                                                  \
	}

PLANE_LANES(planeLanes, BR_FAR)
#ifdef __OPENCL_VERSION__
PLANE_LANES(ownPlaneLanes, )
#endif
#undef PLANE_LANES

LANE_TARGET static uint32_t LANE(placeBlock)(const brSolid* solid, int32_t block, const brRelativePose* pose,
											 brBox3 box, brFloat8 out[3])
{
	brFloat8 x = solid->places[0][block], y = solid->places[1][block], z = solid->places[2][block];
	out[0] = SPLAT(pose->x.x) * x + SPLAT(pose->y.x) * y + SPLAT(pose->z.x) * z + SPLAT(pose->p.x);
	out[1] = SPLAT(pose->x.y) * x + SPLAT(pose->y.y) * y + SPLAT(pose->z.y) * z + SPLAT(pose->p.y);
	out[2] = SPLAT(pose->x.z) * x + SPLAT(pose->y.z) * y + SPLAT(pose->z.z) * z + SPLAT(pose->p.z);
	brInt8 isIn = LANE(brAtLeast8)(out[0], SPLAT(box.lower.x)) & LANE(brAtMost8)(out[0], SPLAT(box.upper.x)) &
				  LANE(brAtLeast8)(out[1], SPLAT(box.lower.y)) & LANE(brAtMost8)(out[1], SPLAT(box.upper.y)) &
				  LANE(brAtLeast8)(out[2], SPLAT(box.lower.z)) & LANE(brAtMost8)(out[2], SPLAT(box.upper.z));
	return LANE(brBits8)(isIn);
}

LANE_TARGET static int32_t LANE(extremePoint)(const brSolid* solid, brVec3 n)
{
	// In each lane the farthest and its block, whole blocks only: what is beyond the last point is far away in every
	// direction.
	brFloat8 most = SPLAT(-INFINITY);
	brInt8 blocks = LANE(brIntSplat8)(0), one = LANE(brIntSplat8)(1), block = blocks;
	int32_t whole = solid->pointCount / BR_TRIANGLE_LANES;
	for (int32_t i = 0; i < whole; ++i, block += one)
	{
		brFloat8 at =
			SPLAT(n.x) * solid->places[0][i] + SPLAT(n.y) * solid->places[1][i] + SPLAT(n.z) * solid->places[2][i];
		brInt8 isFarther = LANE(brMore8)(at, most);
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

LANE_TARGET static int32_t LANE(nearestTriangle)(const brSolid* solid, brVec3 p, int32_t hint, float* boundSq)
{
	float best = *boundSq < TRIANGLE_FARTHEST_SQ ? *boundSq : TRIANGLE_FARTHEST_SQ;
	int32_t bestPlace = -1, known = hint >= 0 ? hint / BR_TRIANGLE_LANES : -1;
	if (known >= 0)
	{
		brFloat8 distances;
		float least;
		LANE(groupDistances)(&solid->groups[known], p, &distances);
		int32_t lane = LANE(laneLeast)(distances, &least);
		if (least <= best)
		{
			best = least, bestPlace = BR_TRIANGLE_LANES * known + lane;
		}
	}
	LANE(NearNode) stack[BR_TREE_STACK + 1];
	int32_t depth = 0;
	stack[depth++] = (LANE(NearNode)){0.0f, solid->tree.levelCount - 1, 0};
	while (depth > 0)
	{
		LANE(NearNode) top = stack[--depth];
		if (top.distanceSq > best)
		{
			continue;
		}
		brFloat8 distances;
		float least;
		if (top.level < 0)
		{
			if (top.index == known)
			{
				continue;
			}
			LANE(groupDistances)(&solid->groups[top.index], p, &distances);
			if (LANE(brBits8)(LANE(brAtMost8)(distances, SPLAT(best))) == 0)
			{
				continue;
			}
			int32_t place = BR_TRIANGLE_LANES * top.index + LANE(laneLeast)(distances, &least);
			// Of equals the lowest, in whatever order groups are visited.
			if (least < best || bestPlace < 0 || place < bestPlace)
			{
				best = least, bestPlace = place;
			}
			continue;
		}
		const float q[3] = {p.x, p.y, p.z};
		distances = LANE(brBoxDistances)(&solid->tree.levels[top.level][top.index], q);
		uint32_t bits = LANE(brBits8)(LANE(brAtMost8)(distances, SPLAT(best)));
		if (bits == 0)
		{
			continue;
		}
		// The nearest is looked at next; the others wait and may be out of reach by then.
		int32_t nearest = __builtin_ctz(bits);
		if ((bits & (bits - 1)) != 0)
		{
			nearest = LANE(laneLeast)(distances, &least);
			for (bits &= ~(1u << nearest); bits != 0; bits &= bits - 1)
			{
				int lane = __builtin_ctz(bits);
				stack[depth++] = (LANE(NearNode)){distances[lane], top.level - 1, BR_TRIANGLE_LANES * top.index + lane};
			}
		}
		stack[depth++] = (LANE(NearNode)){distances[nearest], top.level - 1, BR_TRIANGLE_LANES * top.index + nearest};
	}
	*boundSq = best;
	return bestPlace;
}
