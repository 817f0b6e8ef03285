// SPDX-License-Identifier: MIT

// Questions to the tree, one point at a time, eight children at once: winding number, closest point, crossings, rays.
//
// Winding number: Barill et al., "Fast winding numbers for soups and clouds" (2018), to second order. With r = center - q,
//     4 pi w = (N . r + tr M) / |r|^3 - 3 r M r / |r|^5
// for a node of area vector N and moment M. Triangles that are too near are summed exactly (Van Oosterom and Strackee 1983).

#include "volume/surface_tree.h"

#include "math/predicates.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define QUERY_STACK (BR_TREE_LEVELS * BR_TREE_ARITY)
#define QUERY_BLOCK 1024

// What a squared distance in float may lose against the true one.
#define QUERY_SHRINK (1.0f - 0x1p-20f)

// Vectors of eight

static inline uint32_t maskBits(const brMask8* mask)
{
#if defined(__x86_64__)
	const __m128* halves = (const __m128*)(const void*)mask;
	return (uint32_t)_mm_movemask_ps(halves[0]) | (uint32_t)_mm_movemask_ps(halves[1]) << 4;
#else
	uint32_t bits = 0;
	for (int i = 0; i < BR_TREE_ARITY; ++i)
	{
		bits |= ((*mask)[i] != 0) << i;
	}
	return bits;
#endif
}

static inline void rootOf8(const brFloat8* x, brFloat8* outRoot)
{
#if defined(__x86_64__)
	const __m128* from = (const __m128*)(const void*)x;
	__m128* to = (__m128*)(void*)outRoot;
	to[0] = _mm_sqrt_ps(from[0]);
	to[1] = _mm_sqrt_ps(from[1]);
#else
	for (int i = 0; i < BR_TREE_ARITY; ++i)
	{
		(*outRoot)[i] = sqrtf((*x)[i]);
	}
#endif
}

#define SPLAT(x) ((brFloat8){(x), (x), (x), (x), (x), (x), (x), (x)})

// Lane by lane: a where the mask is set, else b.
#define CHOOSE(mask, a, b) ((brFloat8)(((mask) & (brMask8)(a)) | (~(mask) & (brMask8)(b))))

typedef struct TreePlace
{
	int32_t level;
	int32_t group;
} TreePlace;

// Winding number

double brTriangleWinding(const brDVec3* corners, brDVec3 point)
{
	brDVec3 a = brDSub(corners[0], point), b = brDSub(corners[1], point), c = brDSub(corners[2], point);
	double la = brDLength(a), lb = brDLength(b), lc = brDLength(c);
	double numerator = brDDot(a, brDCross(b, c));
	double denominator = la * lb * lc + brDDot(a, b) * lc + brDDot(b, c) * la + brDDot(c, a) * lb;
	return brAtan2(numerator, denominator) * (0.5 / BR_PI);
}

double brSurfaceTree_WindingExact(const brSurfaceTree* tree, brDVec3 point)
{
	double sum = 0.0;
	for (int32_t i = 0; i < tree->triangleCount; ++i)
	{
		sum += brTriangleWinding(tree->corners[i], point);
	}
	return sum;
}

double brSurfaceTree_WindingAt(const brSurfaceTree* tree, brDVec3 point)
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
		brMask8 isFar = lengthSq > m->reachSq;
		uint32_t nearBits = ~maskBits(&isFar) & 0xFFu;
		brFloat8 length;
		rootOf8(&lengthSq, &length);
		brFloat8 inv3 = SPLAT(1.0f) / (lengthSq * length);
		brFloat8 quadratic = x * (m->second[0] * x + SPLAT(2.0f) * (m->second[3] * y + m->second[4] * z)) +
							 y * (m->second[1] * y + SPLAT(2.0f) * m->second[5] * z) + m->second[2] * z * z;
		brFloat8 linear = m->normal[0] * x + m->normal[1] * y + m->normal[2] * z + m->trace;
		brFloat8 value = (linear - SPLAT(3.0f) * quadratic / lengthSq) * inv3;
		far += (brFloat8)(isFar & (brMask8)value);
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

brDVec3 brTriangleClosest(const brDVec3* p, brDVec3 q, brSurfaceFeature* outFeature, int32_t* outIndex)
{
	// Regions of the plane in turn: corners, edges, the inside (Ericson, Real-Time Collision Detection, 5.1.5).
	brDVec3 ab = brDSub(p[1], p[0]), ac = brDSub(p[2], p[0]), aq = brDSub(q, p[0]);
	double d1 = brDDot(ab, aq), d2 = brDDot(ac, aq);
	*outFeature = br_featureVertex;
	*outIndex = 0;
	if (d1 <= 0.0 && d2 <= 0.0)
	{
		return p[0];
	}
	brDVec3 bq = brDSub(q, p[1]);
	double d3 = brDDot(ab, bq), d4 = brDDot(ac, bq);
	if (d3 >= 0.0 && d4 <= d3)
	{
		*outIndex = 1;
		return p[1];
	}
	brDVec3 cq = brDSub(q, p[2]);
	double d5 = brDDot(ab, cq), d6 = brDDot(ac, cq);
	if (d6 >= 0.0 && d5 <= d6)
	{
		*outIndex = 2;
		return p[2];
	}
	*outFeature = br_featureEdge;
	double vc = d1 * d4 - d3 * d2;
	if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0)
	{
		return brDMulAdd(p[0], d1 / (d1 - d3), ab);
	}
	double vb = d5 * d2 - d1 * d6;
	if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0)
	{
		*outIndex = 2;
		return brDMulAdd(p[0], d2 / (d2 - d6), ac);
	}
	double va = d3 * d6 - d5 * d4;
	if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0)
	{
		*outIndex = 1;
		return brDMulAdd(p[1], (d4 - d3) / ((d4 - d3) + (d5 - d6)), brDSub(p[2], p[1]));
	}
	*outFeature = br_featureFace;
	double inv = 1.0 / (va + vb + vc);
	return brDAdd(brDMulAdd(p[0], vb * inv, ab), brDMul(vc * inv, ac));
}

typedef struct NearPlace
{
	float distanceSq;
	TreePlace place;
} NearPlace;

// Squared distance of a point to eight boxes, never too large.
static inline void boxDistances(const brTreeBoxes* boxes, const float* q, brFloat8* outDistanceSq)
{
	brFloat8 sum = SPLAT(0.0f);
	for (int k = 0; k < 3; ++k)
	{
		brFloat8 below = boxes->lower[k] - SPLAT(q[k]), above = SPLAT(q[k]) - boxes->upper[k];
		brMask8 isBelow = below > above;
		brFloat8 d = CHOOSE(isBelow, below, above);
		brMask8 isOut = d > SPLAT(0.0f);
		d = (brFloat8)(isOut & (brMask8)d);
		sum += d * d;
	}
	*outDistanceSq = sum * SPLAT(QUERY_SHRINK);
}

brClosestPoint brSurfaceTree_ClosestWithin(const brSurfaceTree* tree, brDVec3 point, double limit)
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
		boxDistances(&tree->boxes[top.place.level][top.place.group], q, &distances);
		brMask8 isNear = distances <= SPLAT(bound);
		uint32_t bits = maskBits(&isNear);
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

// Crossings of lines along x

// Orientation of a, b and the point (y, z) moved by (e, e^2).
static inline int32_t orientMoved(brDVec3 a, brDVec3 b, double y, double z)
{
	int32_t sign = brOrient2d((brDVec2){a.y, a.z}, (brDVec2){b.y, b.z}, (brDVec2){y, z});
	if (sign != 0)
	{
		return sign;
	}
	return a.z != b.z ? (a.z > b.z ? 1 : -1) : (b.y > a.y) - (b.y < a.y);
}

int32_t brLineCrossing(const brDVec3* p, double y, double z)
{
	int32_t first = orientMoved(p[0], p[1], y, z);
	if (first == 0 || orientMoved(p[1], p[2], y, z) != first || orientMoved(p[2], p[0], y, z) != first)
	{
		return 0;
	}
	return first;
}

int32_t brSurfaceTree_CrossingsAt(const brSurfaceTree* tree, brDVec3 point)
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
		brMask8 meets = (b->upper[0] >= SPLAT(x)) & (b->lower[1] <= SPLAT(y[1])) & (b->upper[1] >= SPLAT(y[0])) &
						(b->lower[2] <= SPLAT(z[1])) & (b->upper[2] >= SPLAT(z[0]));
		for (uint32_t bits = maskBits(&meets); bits != 0; bits &= bits - 1)
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

// Segments and rays

typedef struct LocalSegment
{
	float start[3];
	float inv[3]; // one over the direction, huge where that is zero
	float slack;
} LocalSegment;

static LocalSegment localSegment(const brSurfaceTree* tree, brDVec3 start, brDVec3 end)
{
	brDVec3 a = brSurfaceTree_ToLocal(tree, start), b = brSurfaceTree_ToLocal(tree, end);
	const double* from = &a.x;
	const double* to = &b.x;
	LocalSegment segment = {.slack = 0x1p-21f};
	for (int k = 0; k < 3; ++k)
	{
		double d = to[k] - from[k];
		segment.start[k] = (float)from[k];
		segment.inv[k] = (float)(1.0 / (fabs(d) > 1e-12 ? d : (d < 0.0 ? -1e-12 : 1e-12)));
		float size = 0x1p-21f * (float)fabs(from[k]);
		segment.slack = size > segment.slack ? size : segment.slack;
	}
	return segment;
}

// Which of eight boxes the segment from t = 0 to `reach` may meet.
static inline uint32_t segmentBoxes(const brTreeBoxes* boxes, const LocalSegment* s, float reach)
{
	brFloat8 enter = SPLAT(0.0f), leave = SPLAT(reach);
	for (int k = 0; k < 3; ++k)
	{
		brFloat8 t0 = (boxes->lower[k] - SPLAT(s->start[k] + s->slack)) * SPLAT(s->inv[k]);
		brFloat8 t1 = (boxes->upper[k] - SPLAT(s->start[k] - s->slack)) * SPLAT(s->inv[k]);
		brMask8 isRising = t0 <= t1;
		brFloat8 low = CHOOSE(isRising, t0, t1), high = CHOOSE(isRising, t1, t0);
		brMask8 isLater = low > enter, isSooner = high < leave;
		enter = CHOOSE(isLater, low, enter);
		leave = CHOOSE(isSooner, high, leave);
	}
	brMask8 meets = enter <= leave * SPLAT(1.0f + 0x1p-18f);
	return maskBits(&meets);
}

// Where start + t (end - start) meets the triangle; INFINITY if nowhere. Signs of volumes about the start, exact where
// rounding matters, so that no segment slips through between two triangles.
static double segmentTriangle(const brDVec3* p, brDVec3 start, brDVec3 end, int32_t* outSign)
{
	int32_t s0 = brOrient3d(start, end, p[0], p[1]);
	int32_t s1 = brOrient3d(start, end, p[1], p[2]);
	int32_t s2 = brOrient3d(start, end, p[2], p[0]);
	if ((s0 < 0 || s1 < 0 || s2 < 0) && (s0 > 0 || s1 > 0 || s2 > 0))
	{
		return INFINITY;
	}
	brDVec3 n = brDCross(brDSub(p[1], p[0]), brDSub(p[2], p[0]));
	double along = brDDot(n, brDSub(end, start));
	if (along == 0.0)
	{
		return INFINITY;
	}
	*outSign = along > 0.0 ? 1 : -1;
	return brDDot(n, brDSub(p[0], start)) / along;
}

int32_t brSurfaceTree_Segment(const brSurfaceTree* tree, brDVec3 start, brDVec3 end, brSegmentHit* outHits,
							  int32_t capacity)
{
	LocalSegment segment = localSegment(tree, start, end);
	int32_t count = 0, kept = 0;
	TreePlace stack[QUERY_STACK];
	int32_t depth = 0;
	stack[depth++] = (TreePlace){tree->levelCount - 1, 0};
	while (depth > 0)
	{
		TreePlace place = stack[--depth];
		uint32_t bits = segmentBoxes(&tree->boxes[place.level][place.group], &segment, 1.0f);
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

double brSurfaceTree_Raycast(const brSurfaceTree* tree, brDVec3 origin, brDVec3 direction, double reach,
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
		uint32_t bits = segmentBoxes(&tree->boxes[place.level][place.group], &segment, limit);
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

// Tets

static bool isBeyondPlane(brDVec3 a, brDVec3 b, brDVec3 c, const brDVec3* points, int32_t count)
{
	brDVec3 n = brDCross(brDSub(b, a), brDSub(c, a));
	for (int32_t i = 0; i < count; ++i)
	{
		if (!(brDDot(n, brDSub(points[i], a)) > 0.0))
		{
			return false;
		}
	}
	return true;
}

static bool isApartAlong(brDVec3 axis, const brDVec3* p, const brDVec3* q)
{
	double low = INFINITY, high = -INFINITY, tetLow = INFINITY, tetHigh = -INFINITY;
	for (int i = 0; i < 3; ++i)
	{
		double x = brDDot(axis, p[i]);
		low = x < low ? x : low, high = x > high ? x : high;
	}
	for (int i = 0; i < 4; ++i)
	{
		double x = brDDot(axis, q[i]);
		tetLow = x < tetLow ? x : tetLow, tetHigh = x > tetHigh ? x : tetHigh;
	}
	return high < tetLow || tetHigh < low;
}

// An edge of each: the axes that the planes of their faces leave out.
static bool edgesPart(const brDVec3* triangle, const brDVec3* tet)
{
	// About a corner of the tet, so that rounding is that of small numbers.
	brDVec3 p[3], q[4];
	for (int i = 0; i < 3; ++i)
	{
		p[i] = brDSub(triangle[i], tet[0]);
	}
	for (int i = 0; i < 4; ++i)
	{
		q[i] = brDSub(tet[i], tet[0]);
	}
	for (int i = 0; i < 3; ++i)
	{
		brDVec3 side = brDSub(p[(i + 1) % 3], p[i]);
		for (int a = 0; a < 4; ++a)
		{
			for (int b = a + 1; b < 4; ++b)
			{
				if (isApartAlong(brDCross(side, brDSub(q[b], q[a])), p, q))
				{
					return true;
				}
			}
		}
	}
	return false;
}

// All separating axes, in rounded arithmetic.
static bool triangleTouchesTet(const brDVec3* p, const brDVec3* q)
{
	return !isBeyondPlane(q[0], q[2], q[1], p, 3) && !isBeyondPlane(q[0], q[1], q[3], p, 3) &&
		   !isBeyondPlane(q[1], q[2], q[3], p, 3) && !isBeyondPlane(q[2], q[0], q[3], p, 3) &&
		   !isBeyondPlane(p[0], p[1], p[2], q, 4) && !isBeyondPlane(p[0], p[2], p[1], q, 4) && !edgesPart(p, q);
}

bool brSurfaceTree_TouchesTet(const brSurfaceTree* tree, const brDVec3* corners)
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
		brMask8 meets = (b->lower[0] <= SPLAT(high[0])) & (b->upper[0] >= SPLAT(low[0])) &
						(b->lower[1] <= SPLAT(high[1])) & (b->upper[1] >= SPLAT(low[1])) &
						(b->lower[2] <= SPLAT(high[2])) & (b->upper[2] >= SPLAT(low[2]));
		for (uint32_t bits = maskBits(&meets); bits != 0; bits &= bits - 1)
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

// Batches

typedef struct QueryBatch
{
	const brSurfaceTree* tree;
	const brDVec3* points;
	double* winding;
	int32_t* crossings;
	brClosestPoint* closest;
} QueryBatch;

static void runBatch(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const QueryBatch* batch = user;
	for (int32_t i = begin; i < end; ++i)
	{
		if (batch->winding != NULL)
		{
			batch->winding[i] = brSurfaceTree_WindingAt(batch->tree, batch->points[i]);
		}
		else if (batch->crossings != NULL)
		{
			batch->crossings[i] = brSurfaceTree_CrossingsAt(batch->tree, batch->points[i]);
		}
		else
		{
			batch->closest[i] = brSurfaceTree_ClosestWithin(batch->tree, batch->points[i], INFINITY);
		}
	}
}

static void startBatch(const brContext* context, QueryBatch* batch, int32_t count)
{
	brParallelFor(context != NULL ? context->workers : NULL, count, QUERY_BLOCK, runBatch, batch);
}

void brSurfaceTree_Winding(const brContext* context, const brSurfaceTree* tree, const brDVec3* points, int32_t count,
						   double* outWinding)
{
	QueryBatch batch = {.tree = tree, .points = points, .winding = outWinding};
	startBatch(context, &batch, count);
}

void brSurfaceTree_Crossings(const brContext* context, const brSurfaceTree* tree, const brDVec3* points, int32_t count,
							 int32_t* outCrossings)
{
	QueryBatch batch = {.tree = tree, .points = points, .crossings = outCrossings};
	startBatch(context, &batch, count);
}

void brSurfaceTree_Closest(const brContext* context, const brSurfaceTree* tree, const brDVec3* points, int32_t count,
						   brClosestPoint* outClosest)
{
	QueryBatch batch = {.tree = tree, .points = points, .closest = outClosest};
	startBatch(context, &batch, count);
}
