// SPDX-License-Identifier: MIT
#include "harness.h"
#include "narrow/triangle_pair.h"

#include <string.h>

// The slow twin: the common part of two triangles with small integer corners, as a list of exact rational points whose
// hull it is. One triangle is clipped by the planes that bound the other (a flat one is bounded by more planes).

typedef struct Point
{
	int64_t x, y, z, w; // (x, y, z) / w, w > 0, lowest terms
} Point;

typedef struct Plane
{
	int64_t x, y, z, d; // x X + y Y + z Z <= d
} Plane;

typedef struct Part
{
	Point points[32];
	int count;
} Part;

static int64_t gcd(int64_t a, int64_t b)
{
	a = a < 0 ? -a : a, b = b < 0 ? -b : b;
	while (b != 0)
	{
		int64_t r = a % b;
		a = b, b = r;
	}
	return a;
}

static Point reduced(Point p)
{
	int64_t g = gcd(gcd(p.x, p.y), gcd(p.z, p.w));
	g = p.w < 0 ? -g : g;
	return (Point){p.x / g, p.y / g, p.z / g, p.w / g};
}

static bool samePoint(Point a, Point b)
{
	return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

static int64_t excess(Plane plane, Point p)
{
	return plane.x * p.x + plane.y * p.y + plane.z * p.z - plane.d * p.w;
}

static void pushPoint(Part* part, Point p)
{
	for (int i = 0; i < part->count; ++i)
	{
		if (samePoint(part->points[i], p))
		{
			return;
		}
	}
	CHECK(part->count < 32);
	part->points[part->count++] = p;
}

// Every pair of points is joined: the hull of what is kept is the clipped hull, in any order.
static void clip(Part* part, Plane plane)
{
	Part old = *part;
	part->count = 0;
	for (int i = 0; i < old.count; ++i)
	{
		int64_t si = excess(plane, old.points[i]);
		if (si <= 0)
		{
			pushPoint(part, old.points[i]);
		}
		for (int j = 0; j < old.count; ++j)
		{
			int64_t sj = excess(plane, old.points[j]);
			if (si < 0 && sj > 0)
			{
				// In homogeneous numbers the excess is linear, so the crossing is this combination.
				Point p = old.points[i], q = old.points[j];
				pushPoint(part, reduced((Point){p.x * sj - q.x * si, p.y * sj - q.y * si, p.z * sj - q.z * si,
												p.w * sj - q.w * si}));
			}
		}
	}
}

typedef struct Corner
{
	int64_t x, y, z;
} Corner;

static Corner minus(Corner a, Corner b)
{
	return (Corner){a.x - b.x, a.y - b.y, a.z - b.z};
}

static Corner cross(Corner a, Corner b)
{
	return (Corner){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static int64_t dot(Corner a, Corner b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static bool isZero(Corner a)
{
	return a.x == 0 && a.y == 0 && a.z == 0;
}

static void clipBelow(Part* part, Corner normal, Corner through)
{
	clip(part, (Plane){normal.x, normal.y, normal.z, dot(normal, through)});
}

static void clipOnto(Part* part, Corner normal, Corner through)
{
	clipBelow(part, normal, through);
	clipBelow(part, (Corner){-normal.x, -normal.y, -normal.z}, through);
}

static Part commonPart(const Corner a[3], const Corner b[3])
{
	Part part = {.count = 0};
	for (int i = 0; i < 3; ++i)
	{
		pushPoint(&part, (Point){a[i].x, a[i].y, a[i].z, 1});
	}
	Corner normal = cross(minus(b[1], b[0]), minus(b[2], b[0]));
	if (!isZero(normal))
	{
		clipOnto(&part, normal, b[0]);
		for (int i = 0; i < 3; ++i)
		{
			clipBelow(&part, cross(minus(b[(i + 1) % 3], b[i]), normal), b[i]);
		}
		return part;
	}
	// Flat: the longest edge is all there is.
	int from = 0;
	int64_t longest = -1;
	for (int i = 0; i < 3; ++i)
	{
		Corner edge = minus(b[(i + 1) % 3], b[i]);
		if (dot(edge, edge) > longest)
		{
			longest = dot(edge, edge), from = i;
		}
	}
	Corner p = b[from], q = b[(from + 1) % 3], axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	for (int i = 0; i < 3; ++i)
	{
		clipOnto(&part, longest == 0 ? axes[i] : cross(minus(q, p), axes[i]), p);
	}
	clipBelow(&part, minus(p, q), p);
	clipBelow(&part, minus(q, p), q);
	return part;
}

static bool isAt(Point p, Corner c)
{
	return p.x == c.x * p.w && p.y == c.y * p.w && p.z == c.z * p.w;
}

static bool isOnSegment(Point p, Corner v, Corner w)
{
	// p - v and w - p, both scaled by the denominator of p
	Corner pv = {p.x - v.x * p.w, p.y - v.y * p.w, p.z - v.z * p.w};
	Corner wp = {w.x * p.w - p.x, w.y * p.w - p.y, w.z * p.w - p.z};
	return isZero(cross(pv, wp)) && dot(pv, wp) >= 0;
}

static bool expectBeyond(const Corner a[3], const Corner b[3], const Part* part, int* outShared)
{
	Corner shared[3];
	int count = 0;
	for (int i = 0; i < 3; ++i)
	{
		bool isShared = false, isNew = true;
		for (int j = 0; j < 3; ++j)
		{
			isShared |= isZero(minus(a[i], b[j]));
		}
		for (int k = 0; k < count; ++k)
		{
			isNew &= !isZero(minus(a[i], shared[k]));
		}
		if (isShared && isNew)
		{
			shared[count++] = a[i];
		}
	}
	*outShared = count;
	if (count == 3)
	{
		return !isZero(cross(minus(a[1], a[0]), minus(a[2], a[0])));
	}
	for (int i = 0; i < part->count; ++i)
	{
		bool isInside = (count == 1 && isAt(part->points[i], shared[0])) ||
						(count == 2 && isOnSegment(part->points[i], shared[0], shared[1]));
		if (!isInside)
		{
			return true;
		}
	}
	return false;
}

static Corner drawCorner(brRandom* random, uint32_t span, bool flat)
{
	Corner c = {brRandom_Below(random, span), brRandom_Below(random, span), brRandom_Below(random, span)};
	c.z = flat ? c.x + c.y : c.z;
	return c;
}

static brDVec3 placed(Corner c, double scale)
{
	return brMakeDVec3(scale * (double)c.x, scale * (double)c.y, scale * (double)c.z);
}

BR_TEST(triangle_pair_agrees_with_exact_clipping)
{
	brRandom random = brTest_Random(test);
	int32_t drawn[4][2] = {{0}}; // by shared corners and answer
	int32_t flatOnes = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 60000); ++round)
	{
		uint32_t span = 2 + brRandom_Below(&random, 4);
		bool flat = brRandom_Below(&random, 3) == 0;
		Corner a[3], b[3];
		for (int i = 0; i < 3; ++i)
		{
			a[i] = drawCorner(&random, span, flat);
			b[i] = brRandom_Below(&random, 4) == 0 ? a[brRandom_Below(&random, (uint32_t)i + 1)]
												   : drawCorner(&random, span, flat);
		}
		double scale = brRandom_Below(&random, 2) == 0 ? 1.0 : 0x1p-40;
		brDVec3 pa[3], pb[3];
		for (int i = 0; i < 3; ++i)
		{
			pa[i] = placed(a[i], scale), pb[i] = placed(b[i], scale);
		}
		Part part = commonPart(a, b);
		CHECK_EQUAL(brTrianglePair_Meets(pa, pb), part.count > 0);
		CHECK_EQUAL(brTrianglePair_Meets(pb, pa), part.count > 0);

		int shared;
		bool beyond = expectBeyond(a, b, &part, &shared);
		CHECK_EQUAL(brTrianglePair_MeetsBeyond(pa, NULL, pb, NULL), beyond);
		CHECK_EQUAL(brTrianglePair_MeetsBeyond(pb, NULL, pa, NULL), beyond);
		brDVec3 turned[3] = {pa[2], pa[1], pa[0]};
		CHECK_EQUAL(brTrianglePair_MeetsBeyond(turned, NULL, pb, NULL), beyond);
		drawn[shared][beyond] += 1;

		flatOnes +=
			isZero(cross(minus(a[1], a[0]), minus(a[2], a[0]))) || isZero(cross(minus(b[1], b[0]), minus(b[2], b[0])));
	}
	CHECK(flatOnes > 0);
	for (int shared = 0; shared < 4; ++shared)
	{
		CHECK_MESSAGE(drawn[shared][0] > 0 && drawn[shared][1] > 0, "never drawn: %d shared corners", shared);
	}
}

BR_TEST(triangle_pair_shares_by_index_when_asked)
{
	// Two triangles that touch in one place with different indices: apart by place, crossing by index.
	brDVec3 a[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, b[3] = {{0, 0, 0}, {-1, 0, 1}, {0, -1, 1}};
	int32_t ia[3] = {0, 1, 2}, ib[3] = {3, 4, 5}, ic[3] = {4, 0, 5};
	CHECK(!brTrianglePair_MeetsBeyond(a, NULL, b, NULL));
	CHECK(brTrianglePair_MeetsBeyond(a, ia, b, ib));
	brDVec3 c[3] = {b[1], b[0], b[2]};
	CHECK(!brTrianglePair_MeetsBeyond(a, ia, c, ic));
}

BR_TEST(triangle_pair_is_exact_where_doubles_are_not)
{
	// A corner one unit in the last place above, on and below a slanted plane.
	brDVec3 a[3] = {{0.1, 0.1, 0.1}, {0.7, 0.3, 0.2}, {0.2, 0.9, 0.6}};
	brDVec3 middle = brDMul(0.25, brDAdd(brDAdd(a[0], a[0]), brDAdd(a[1], a[2])));
	int32_t met = 0, missed = 0;
	for (int32_t step = -8; step <= 8; ++step)
	{
		brDVec3 tip = middle;
		for (int32_t i = 0; i < (step < 0 ? -step : step); ++i)
		{
			tip.z = nextafter(tip.z, step < 0 ? -1.0 : 2.0);
		}
		brDVec3 b[3] = {tip, {0.3, 0.4, 2.0}, {0.4, 0.4, 2.0}};
		bool meets = brTrianglePair_Meets(a, b);
		met += meets, missed += !meets;
		CHECK(!meets || missed == 0); // rising, it meets, then not any more
	}
	CHECK(met > 0 && missed > 0);
}
