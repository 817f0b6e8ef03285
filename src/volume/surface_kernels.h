// SPDX-License-Identifier: MIT

// The queries themselves, in surface_query.c once for each set of lanes (base/lanes.h).

// Winding number

LANE_TARGET static double LANE(treeWindingAt)(const brSurfaceTree* tree, brDVec3 point)
{
	brDVec3 local = brSurfaceTree_ToLocal(tree, point);
	float qx = (float)local.x, qy = (float)local.y, qz = (float)local.z;
	brFloat8 far = SPLAT(0.0f);
	double near = 0.0;
	TreePlace stack[QUERY_STACK];
	int32_t depth = 0;
	stack[depth++] = (TreePlace){tree->levelCount - 1, 0};
	while (depth > 0)
	{
		TreePlace place = stack[--depth];
		const brTreeMoments* m = &tree->moments[place.level][place.group];
		brFloat8 x = m->center[0] - SPLAT(qx), y = m->center[1] - SPLAT(qy), z = m->center[2] - SPLAT(qz);
		brFloat8 lengthSq = x * x + y * y + z * z;
		brInt8 isFar = LANE(brMore8)(lengthSq, m->reachSq);
		uint32_t nearBits = ~LANE(brBits8)(isFar) & 0xFFu;
		brFloat8 length = LANE(brRoot8)(lengthSq);
		brFloat8 inv3 = SPLAT(1.0f) / (lengthSq * length);
		brFloat8 quadratic = x * (m->second[0] * x + SPLAT(2.0f) * (m->second[3] * y + m->second[4] * z)) +
							 y * (m->second[1] * y + SPLAT(2.0f) * m->second[5] * z) + m->second[2] * z * z;
		brFloat8 linear = m->normal[0] * x + m->normal[1] * y + m->normal[2] * z + m->trace;
		brFloat8 value = (linear - SPLAT(3.0f) * quadratic / lengthSq) * inv3;
		far += (brFloat8)(isFar & (brInt8)value);
		for (; nearBits != 0; nearBits &= nearBits - 1)
		{
			int32_t child = BR_TREE_ARITY * place.group + __builtin_ctz(nearBits);
			if (place.level > 0)
			{
				stack[depth++] = (TreePlace){place.level - 1, child};
			}
			else
			{
				near += brTriangleWinding(tree->corners[child], point);
			}
		}
	}
	double sum = 0.0;
	for (int i = 0; i < BR_TREE_ARITY; ++i)
	{
		sum += (double)far[i];
	}
	return near + sum * (0.25 / BR_PI);
}

// Closest point

// Squared distance of a point to eight boxes, never too large.
LANE_INLINE void LANE(boxDistances)(const brTreeBoxes* boxes, const float* q, brFloat8* outDistanceSq)
{
	brFloat8 sum = SPLAT(0.0f);
	for (int k = 0; k < 3; ++k)
	{
		brFloat8 below = boxes->lower[k] - SPLAT(q[k]), above = SPLAT(q[k]) - boxes->upper[k];
		brFloat8 d = LANE(brMax8)(LANE(brMax8)(below, above), SPLAT(0.0f));
		sum += d * d;
	}
	*outDistanceSq = sum * SPLAT(QUERY_SHRINK);
}

LANE_TARGET static brClosestPoint LANE(treeClosestWithin)(const brSurfaceTree* tree, brDVec3 point, double limit)
{
	brDVec3 local = brSurfaceTree_ToLocal(tree, point);
	const float q[3] = {(float)local.x, (float)local.y, (float)local.z};
	brClosestPoint best = {.distance = limit, .triangle = -1, .face = -1};
	double bestSq = limit * limit;
	// Float boxes are compared in tree coordinates, where the point may be off by half an ulp of its size.
	double size = fmax(1.0, fmax(fabs(local.x), fmax(fabs(local.y), fabs(local.z))));
	double slack = size * 0x1p-22;
	double reach = limit * tree->scale + slack;
	float bound = reach < 1e16 ? brRoundUp(reach * reach) : 1e32f; // empty lanes are farther
	NearPlace stack[QUERY_STACK];
	int32_t depth = 0;
	int32_t bestPlace = -1;
	stack[depth++] = (NearPlace){0.0f, {tree->levelCount - 1, 0}};
	while (depth > 0)
	{
		NearPlace top = stack[--depth];
		if (top.distanceSq > bound)
		{
			continue;
		}
		brFloat8 distances;
		LANE(boxDistances)(&tree->boxes[top.place.level][top.place.group], q, &distances);
		uint32_t bits = LANE(brBits8)(LANE(brAtMost8)(distances, SPLAT(bound)));
		if (top.place.level > 0)
		{
			// Farthest first, so that the nearest is looked at next.
			int32_t first = depth;
			for (; bits != 0; bits &= bits - 1)
			{
				int lane = __builtin_ctz(bits);
				NearPlace child = {distances[lane], {top.place.level - 1, BR_TREE_ARITY * top.place.group + lane}};
				int32_t i = depth++;
				for (; i > first && stack[i - 1].distanceSq < child.distanceSq; --i)
				{
					stack[i] = stack[i - 1];
				}
				stack[i] = child;
			}
			continue;
		}
		for (; bits != 0; bits &= bits - 1)
		{
			int lane = __builtin_ctz(bits);
			if (distances[lane] > bound)
			{
				continue;
			}
			int32_t place = BR_TREE_ARITY * top.place.group + lane;
			brSurfaceFeature feature;
			int32_t index;
			brDVec3 closest = brTriangleClosest(tree->corners[place], point, &feature, &index);
			double distanceSq = brDLengthSq(brDSub(closest, point));
			if (distanceSq < bestSq)
			{
				bestSq = distanceSq;
				bestPlace = place;
				best.point = closest;
				best.feature = feature;
				best.featureIndex = index;
				reach = sqrt(distanceSq) * tree->scale + slack;
				bound = brRoundUp(reach * reach);
			}
		}
	}
	if (bestPlace >= 0)
	{
		best.distance = sqrt(bestSq);
		best.triangle = tree->order[bestPlace];
		best.face = tree->faces[best.triangle];
	}
	return best;
}

// Crossings

LANE_TARGET static int32_t LANE(treeCrossingsAt)(const brSurfaceTree* tree, brDVec3 point)
{
	brDVec3 local = brSurfaceTree_ToLocal(tree, point);
	float size = (float)fmax(1.0, fmax(fabs(local.x), fmax(fabs(local.y), fabs(local.z))));
	float slack = size * 0x1p-22f;
	float x = (float)local.x - slack;
	float y[2] = {(float)local.y - slack, (float)local.y + slack};
	float z[2] = {(float)local.z - slack, (float)local.z + slack};
	int32_t crossings = 0;
	TreePlace stack[QUERY_STACK];
	int32_t depth = 0;
	stack[depth++] = (TreePlace){tree->levelCount - 1, 0};
	while (depth > 0)
	{
		TreePlace place = stack[--depth];
		const brTreeBoxes* b = &tree->boxes[place.level][place.group];
		brInt8 meets = LANE(brAtLeast8)(b->upper[0], SPLAT(x)) & LANE(brAtMost8)(b->lower[1], SPLAT(y[1])) &
					   LANE(brAtLeast8)(b->upper[1], SPLAT(y[0])) & LANE(brAtMost8)(b->lower[2], SPLAT(z[1])) &
					   LANE(brAtLeast8)(b->upper[2], SPLAT(z[0]));
		for (uint32_t bits = LANE(brBits8)(meets); bits != 0; bits &= bits - 1)
		{
			int32_t child = BR_TREE_ARITY * place.group + __builtin_ctz(bits);
			if (place.level > 0)
			{
				stack[depth++] = (TreePlace){place.level - 1, child};
				continue;
			}
			const brDVec3* p = tree->corners[child];
			int32_t sign = brLineCrossing(p, point.y, point.z);
			if (sign == 0)
			{
				continue;
			}
			// Behind the plane, seen along +x, the crossing is still ahead.
			int32_t side = brOrient3d(p[0], p[1], p[2], point);
			crossings += side * sign < 0 ? sign : 0;
		}
	}
	return crossings;
}

// Segments, rays and tets

// Which of eight boxes the segment from t = 0 to `reach` may meet.
LANE_INLINE uint32_t LANE(segmentBoxes)(const brTreeBoxes* boxes, const LocalSegment* s, float reach)
{
	brFloat8 enter = SPLAT(0.0f), leave = SPLAT(reach);
	for (int k = 0; k < 3; ++k)
	{
		brFloat8 t0 = (boxes->lower[k] - SPLAT(s->start[k] + s->slack)) * SPLAT(s->inv[k]);
		brFloat8 t1 = (boxes->upper[k] - SPLAT(s->start[k] - s->slack)) * SPLAT(s->inv[k]);
		brInt8 isRising = LANE(brAtMost8)(t0, t1);
		brFloat8 low = CHOOSE(isRising, t0, t1), high = CHOOSE(isRising, t1, t0);
		enter = LANE(brMax8)(low, enter);
		leave = LANE(brMin8)(high, leave);
	}
	brInt8 meets = LANE(brAtMost8)(enter, leave * SPLAT(1.0f + 0x1p-18f));
	return LANE(brBits8)(meets);
}

LANE_TARGET static int32_t LANE(treeSegment)(const brSurfaceTree* tree, brDVec3 start, brDVec3 end,
											 brSegmentHit* outHits, int32_t capacity)
{
	LocalSegment segment = localSegment(tree, start, end);
	int32_t count = 0, kept = 0;
	TreePlace stack[QUERY_STACK];
	int32_t depth = 0;
	stack[depth++] = (TreePlace){tree->levelCount - 1, 0};
	while (depth > 0)
	{
		TreePlace place = stack[--depth];
		uint32_t bits = LANE(segmentBoxes)(&tree->boxes[place.level][place.group], &segment, 1.0f);
		for (; bits != 0; bits &= bits - 1)
		{
			int32_t child = BR_TREE_ARITY * place.group + __builtin_ctz(bits);
			if (place.level > 0)
			{
				stack[depth++] = (TreePlace){place.level - 1, child};
				continue;
			}
			brSegmentHit hit = {.triangle = tree->order[child]};
			hit.t = segmentTriangle(tree->corners[child], start, end, &hit.sign);
			if (!(hit.t >= -1e-9 && hit.t <= 1.0 + 1e-9))
			{
				continue;
			}
			hit.t = hit.t < 0.0 ? 0.0 : hit.t > 1.0 ? 1.0 : hit.t;
			count += 1;
			int32_t i = kept < capacity ? kept++ : kept;
			for (; i > 0 &&
				   (outHits[i - 1].t > hit.t || (outHits[i - 1].t == hit.t && outHits[i - 1].triangle > hit.triangle));
				 --i)
			{
				if (i < capacity)
				{
					outHits[i] = outHits[i - 1];
				}
			}
			if (i < capacity)
			{
				outHits[i] = hit;
			}
		}
	}
	return count;
}

LANE_TARGET static double LANE(treeRaycast)(const brSurfaceTree* tree, brDVec3 origin, brDVec3 direction, double reach,
											int32_t* outTriangle)
{
	// Nothing lies beyond the far side of the box.
	double most = brDDistance(origin, tree->center) + 2.0 * tree->reach;
	reach = reach < most ? reach : most;
	brDVec3 end = brDMulAdd(origin, reach, direction);
	LocalSegment segment = localSegment(tree, origin, end);
	double best = INFINITY;
	int32_t triangle = -1;
	TreePlace stack[QUERY_STACK];
	int32_t depth = 0;
	stack[depth++] = (TreePlace){tree->levelCount - 1, 0};
	while (depth > 0)
	{
		TreePlace place = stack[--depth];
		float limit = best < 1.0 ? brRoundUp(best) : 1.0f;
		uint32_t bits = LANE(segmentBoxes)(&tree->boxes[place.level][place.group], &segment, limit);
		for (; bits != 0; bits &= bits - 1)
		{
			int32_t child = BR_TREE_ARITY * place.group + __builtin_ctz(bits);
			if (place.level > 0)
			{
				stack[depth++] = (TreePlace){place.level - 1, child};
				continue;
			}
			int32_t sign;
			double t = segmentTriangle(tree->corners[child], origin, end, &sign);
			if (t >= 0.0 && t <= 1.0 && (t < best || (t == best && tree->order[child] < triangle)))
			{
				best = t;
				triangle = tree->order[child];
			}
		}
	}
	if (outTriangle != NULL)
	{
		*outTriangle = triangle;
	}
	return best * reach;
}

LANE_TARGET static bool LANE(treeTouchesTet)(const brSurfaceTree* tree, const brDVec3* corners)
{
	brDBox3 box = brMakeDBox3Empty();
	for (int k = 0; k < 4; ++k)
	{
		box = brDBox3_Include(box, brSurfaceTree_ToLocal(tree, corners[k]));
	}
	float slack = 0x1p-21f * (float)fmax(1.0, fmax(brDLength(box.lower), brDLength(box.upper)));
	float low[3] = {(float)box.lower.x - slack, (float)box.lower.y - slack, (float)box.lower.z - slack};
	float high[3] = {(float)box.upper.x + slack, (float)box.upper.y + slack, (float)box.upper.z + slack};
	TreePlace stack[QUERY_STACK];
	int32_t depth = 0;
	stack[depth++] = (TreePlace){tree->levelCount - 1, 0};
	while (depth > 0)
	{
		TreePlace place = stack[--depth];
		const brTreeBoxes* b = &tree->boxes[place.level][place.group];
		brInt8 meets = LANE(brAtMost8)(b->lower[0], SPLAT(high[0])) & LANE(brAtLeast8)(b->upper[0], SPLAT(low[0])) &
					   LANE(brAtMost8)(b->lower[1], SPLAT(high[1])) & LANE(brAtLeast8)(b->upper[1], SPLAT(low[1])) &
					   LANE(brAtMost8)(b->lower[2], SPLAT(high[2])) & LANE(brAtLeast8)(b->upper[2], SPLAT(low[2]));
		for (uint32_t bits = LANE(brBits8)(meets); bits != 0; bits &= bits - 1)
		{
			int32_t child = BR_TREE_ARITY * place.group + __builtin_ctz(bits);
			if (place.level > 0)
			{
				stack[depth++] = (TreePlace){place.level - 1, child};
			}
			else if (triangleTouchesTet(tree->corners[child], corners))
			{
				return true;
			}
		}
	}
	return false;
}
