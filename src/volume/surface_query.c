// SPDX-License-Identifier: MIT

// Questions to the tree, one point at a time, eight children at once: winding number, closest point, crossings, rays.
//
// Winding number: Barill et al., "Fast winding numbers for soups and clouds" (2018), to second order. With r = center -
// q,
//     4 pi w = (N . r + tr M) / |r|^3 - 3 r M r / |r|^5
// for a node of area vector N and moment M. Triangles that are too near are summed exactly (Van Oosterom and Strackee
// 1983).

#include "volume/surface_tree.h"

#include "math/predicates.h"

#define SPLAT(x) LANE(brSplat8)(x)

typedef struct TreePlace
{
	int32_t level;
	int32_t group;
} TreePlace;

// Winding number

void brAngleSum_Scale(double* x, double* y)
{
	for (double size = fabs(*x) + fabs(*y); size > 0.0 && size < INFINITY && !(size > 0x1p-200 && size < 0x1p200);)
	{
		double scale = size > 1.0 ? 0x1p-200 : 0x1p200;
		*x *= scale, *y *= scale;
		size = fabs(*x) + fabs(*y);
	}
	if (*x == 0.0 && *y == 0.0)
	{
		*x = 1.0;
	}
}

double brAngleSum_Winding(const brAngleSum* sum)
{
	return brAtan2(sum->y, sum->x) * (0.5 / BR_PI) + sum->turns;
}

double brSurfaceTree_ComputeExactWinding(const brSurfaceTree* tree, brDVec3 point)
{
	double sum = 0.0;
	for (int32_t i = 0; i < tree->triangleCount; ++i)
	{
		brAngleSum one = brMakeAngleSum();
		brAngleSum_AddTriangle(&one, tree->corners[i], point);
		sum += brAngleSum_Winding(&one);
	}
	return sum;
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

typedef struct ClosestQuery
{
	const brSurfaceTree* tree;
	brDVec3 point;
	brClosestPoint best;
	int32_t place;
} ClosestQuery;

static inline double closestVisit(int32_t place, double limitSq, void* user)
{
	ClosestQuery* query = user;
	brSurfaceFeature feature;
	int32_t index;
	brDVec3 closest = brTriangleClosest(query->tree->corners[place], query->point, &feature, &index);
	double distanceSq = brDLengthSq(brDSub(closest, query->point));
	if (distanceSq < limitSq)
	{
		query->best.point = closest;
		query->best.feature = feature;
		query->best.featureIndex = index;
		query->place = place;
		return distanceSq;
	}
	return limitSq;
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

typedef struct CrossingQuery
{
	const brSurfaceTree* tree;
	brDVec3 point;
	int32_t crossings;
} CrossingQuery;

static inline bool crossingVisit(int32_t place, void* user)
{
	CrossingQuery* query = user;
	const brDVec3* p = query->tree->corners[place];
	int32_t sign = brLineCrossing(p, query->point.y, query->point.z);
	// Behind the plane, seen along +x, the crossing is still ahead.
	if (sign != 0 && brOrient3d(p[0], p[1], p[2], query->point) * sign < 0)
	{
		query->crossings += sign;
	}
	return true;
}

// Segments and rays

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

typedef struct TetQuery
{
	const brSurfaceTree* tree;
	const brDVec3* corners;
	bool isTouched;
} TetQuery;

static inline bool tetVisit(int32_t place, void* user)
{
	TetQuery* query = user;
	query->isTouched = triangleTouchesTet(query->tree->corners[place], query->corners);
	return !query->isTouched;
}

#define BR_LANES_FILE "volume/surface_kernels.h"
#include "base/each_lanes.h"

#define ON_PATH(tree, name, ...) BR_ON_LANES((tree)->hasAvx2, name, (tree, __VA_ARGS__))

// Beyond so many sizes of the surface the floats of the kernels no longer hold squares and tell real boxes from empty
// lanes. False for points that are not finite, too.
#define QUERY_FARTHEST 1e15

bool brSurfaceTree_IsNear(const brSurfaceTree* tree, brDVec3 point)
{
	brDVec3 local = brSurfaceTree_ToLocal(tree, point);
	return fabs(local.x) <= QUERY_FARTHEST && fabs(local.y) <= QUERY_FARTHEST && fabs(local.z) <= QUERY_FARTHEST;
}

double brSurfaceTree_WindingAt(const brSurfaceTree* tree, brDVec3 point)
{
	return brSurfaceTree_IsNear(tree, point) ? ON_PATH(tree, treeWindingAt, point) : 0.0;
}

brClosestPoint brSurfaceTree_ClosestWithin(const brSurfaceTree* tree, brDVec3 point, double limit)
{
	ClosestQuery query = {tree, point, {.distance = limit, .triangle = -1, .face = -1}, -1};
	if (brSurfaceTree_IsNear(tree, point))
	{
		BR_ON_LANES(tree->hasAvx2, treeClosest, (&query, limit * limit));
	}
	if (query.place >= 0)
	{
		query.best.distance = brDDistance(query.best.point, point);
		query.best.triangle = tree->order[query.place];
		query.best.face = tree->faces[query.best.triangle];
	}
	return query.best;
}

void brSurfaceTree_VisitNear(const brSurfaceTree* tree, brDVec3 point, double limitSq, brLimitFcn* visit, void* user)
{
	if (brSurfaceTree_IsNear(tree, point))
	{
		ON_PATH(tree, treeNear, point, limitSq, visit, user);
	}
}

int32_t brSurfaceTree_CrossingsAt(const brSurfaceTree* tree, brDVec3 point)
{
	if (!brSurfaceTree_IsNear(tree, point))
	{
		return 0;
	}
	brDVec3 local = brSurfaceTree_ToLocal(tree, point);
	float slack = (float)fmax(1.0, fmax(fabs(local.x), fmax(fabs(local.y), fabs(local.z)))) * 0x1p-22f;
	float lower[3] = {(float)local.x - slack, (float)local.y - slack, (float)local.z - slack};
	// No box ends beyond 1 and its slack.
	float upper[3] = {2.0f, (float)local.y + slack, (float)local.z + slack};
	CrossingQuery query = {tree, point, 0};
	BR_ON_LANES(tree->hasAvx2, treeCrossings, (&query, lower, upper));
	return query.crossings;
}

void brSurfaceTree_VisitSegment(const brSurfaceTree* tree, brDVec3 start, brDVec3 end, brLimitFcn* visit, void* user)
{
	if (brSurfaceTree_IsNear(tree, start) && brSurfaceTree_IsNear(tree, end))
	{
		brTreeSegment segment =
			brMakeTreeSegment(brSurfaceTree_ToLocal(tree, start), brSurfaceTree_ToLocal(tree, end), 0x1p-21f);
		ON_PATH(tree, treeSegment, &segment, visit, user);
	}
}

typedef struct SegmentQuery
{
	const brSurfaceTree* tree;
	brDVec3 start, end;
	brSegmentHit* hits; // in order of t
	int32_t capacity;
	int32_t count;
} SegmentQuery;

static double segmentVisit(int32_t place, double limit, void* user)
{
	SegmentQuery* query = user;
	brSegmentHit hit = {.triangle = query->tree->order[place]};
	hit.t = segmentTriangle(query->tree->corners[place], query->start, query->end, &hit.sign);
	if (!(hit.t >= -1e-9 && hit.t <= 1.0 + 1e-9))
	{
		return limit;
	}
	hit.t = hit.t < 0.0 ? 0.0 : hit.t > 1.0 ? 1.0 : hit.t;
	int32_t i = query->count < query->capacity ? query->count : query->capacity;
	query->count += 1;
	for (; i > 0 && (query->hits[i - 1].t > hit.t ||
					 (query->hits[i - 1].t == hit.t && query->hits[i - 1].triangle > hit.triangle));
		 --i)
	{
		if (i < query->capacity)
		{
			query->hits[i] = query->hits[i - 1];
		}
	}
	if (i < query->capacity)
	{
		query->hits[i] = hit;
	}
	return limit;
}

int32_t brSurfaceTree_Segment(const brSurfaceTree* tree, brDVec3 start, brDVec3 end, brSegmentHit* outHits,
							  int32_t capacity)
{
	SegmentQuery query = {tree, start, end, outHits, capacity, 0};
	brSurfaceTree_VisitSegment(tree, start, end, segmentVisit, &query);
	return query.count;
}

double brSurfaceTree_RayReach(const brSurfaceTree* tree, brDVec3 origin, double reach)
{
	// Nothing lies beyond the far side of the box.
	double most = brDDistance(origin, tree->center) + 2.0 * tree->reach;
	return reach < most ? reach : most;
}

typedef struct RayQuery
{
	const brSurfaceTree* tree;
	brDVec3 start, end;
	double t;
	int32_t triangle;
} RayQuery;

static double rayVisit(int32_t place, double limit, void* user)
{
	RayQuery* query = user;
	int32_t sign, triangle = query->tree->order[place];
	double t = segmentTriangle(query->tree->corners[place], query->start, query->end, &sign);
	if (t >= 0.0 && t <= 1.0 && (t < query->t || (t == query->t && triangle < query->triangle)))
	{
		query->t = t;
		query->triangle = triangle;
		return t;
	}
	return limit;
}

double brSurfaceTree_CastRay(const brSurfaceTree* tree, brDVec3 origin, brDVec3 direction, double reach,
							 int32_t* outTriangle)
{
	double length = brSurfaceTree_RayReach(tree, origin, reach);
	RayQuery query = {tree, origin, brDMulAdd(origin, length, direction), INFINITY, -1};
	if (brDIsFinite(direction))
	{
		brSurfaceTree_VisitSegment(tree, origin, query.end, rayVisit, &query);
	}
	if (outTriangle != NULL)
	{
		*outTriangle = query.triangle;
	}
	return query.triangle >= 0 ? query.t * length : INFINITY;
}

bool brSurfaceTree_TouchesTet(const brSurfaceTree* tree, const brDVec3* corners)
{
	brDBox3 box = brMakeDBox3Empty();
	for (int k = 0; k < 4; ++k)
	{
		if (!brSurfaceTree_IsNear(tree, corners[k]))
		{
			return false;
		}
		box = brDBox3_Include(box, brSurfaceTree_ToLocal(tree, corners[k]));
	}
	float slack = 0x1p-21f * (float)fmax(1.0, fmax(brDLength(box.lower), brDLength(box.upper)));
	float lower[3] = {(float)box.lower.x - slack, (float)box.lower.y - slack, (float)box.lower.z - slack};
	float upper[3] = {(float)box.upper.x + slack, (float)box.upper.y + slack, (float)box.upper.z + slack};
	TetQuery query = {tree, corners, false};
	BR_ON_LANES(tree->hasAvx2, treeTouches, (&query, lower, upper));
	return query.isTouched;
}
