// SPDX-License-Identifier: MIT

// Predicates: nanoseconds a call. The peer of the filtered path is the bare determinant in doubles, which is often
// wrong; the peer of the exact path is the filtered one.

#include "bench.h"

#include "base/random.h"
#include "math/predicates.h"

#include <stdio.h>
#include <stdlib.h>

#define PREDICATE_COUNT 200000

typedef struct PredicateBench
{
	brDVec3* points; // [PREDICATE_COUNT + 5], question i asks about points i, i + 1...
	int64_t sum;
} PredicateBench;

#define FLAT(v) ((brDVec2){(v).x, (v).y})

#define STREAM(name, call)                                                                                             \
	static void name(void* user)                                                                                       \
	{                                                                                                                  \
		PredicateBench* data = user;                                                                                   \
		int64_t sum = 0;                                                                                               \
		for (int32_t i = 0; i < PREDICATE_COUNT; ++i)                                                                  \
		{                                                                                                              \
			const brDVec3* p = data->points + i;                                                                       \
			sum += (call);                                                                                             \
		}                                                                                                              \
		data->sum = sum;                                                                                               \
	}

static int32_t bareOrient2d(const brDVec3* p)
{
	double det = (p[0].x - p[2].x) * (p[1].y - p[2].y) - (p[0].y - p[2].y) * (p[1].x - p[2].x);
	return (det > 0.0) - (det < 0.0);
}

static int32_t bareOrient3d(const brDVec3* p)
{
	double det = brDDot(brDCross(brDSub(p[1], p[0]), brDSub(p[2], p[0])), brDSub(p[3], p[0]));
	return (det > 0.0) - (det < 0.0);
}

STREAM(streamBare2d, bareOrient2d(p))
STREAM(streamBare3d, bareOrient3d(p))
STREAM(streamOrient2d, brOrient2d(FLAT(p[0]), FLAT(p[1]), FLAT(p[2])))
STREAM(streamOrient3d, brOrient3d(p[0], p[1], p[2], p[3]))
STREAM(streamInCircle, brInCircle(FLAT(p[0]), FLAT(p[1]), FLAT(p[2]), FLAT(p[3])))
STREAM(streamOrient2dExact, brOrient2d_Exact(FLAT(p[0]), FLAT(p[1]), FLAT(p[2])))
STREAM(streamOrient3dExact, brOrient3d_Exact(p[0], p[1], p[2], p[3]))
STREAM(streamInCircleExact, brInCircle_Exact(FLAT(p[0]), FLAT(p[1]), FLAT(p[2]), FLAT(p[3])))

typedef struct PredicateRow
{
	const char* name;
	void (*filtered)(void* user);
	void (*exact)(void* user);
	void (*bare)(void* user);
} PredicateRow;

static void fillPoints(PredicateBench* data, bool isFlat, double grid)
{
	brRandom random = brMakeRandom(7, 0);
	for (int32_t i = 0; i < PREDICATE_COUNT + 5; ++i)
	{
		brDVec3 p = {brRandom_Range(&random, -1.0, 1.0), brRandom_Range(&random, -1.0, 1.0),
					 brRandom_Range(&random, -1.0, 1.0)};
		if (grid > 0.0)
		{
			p = brMakeDVec3(floor(p.x * grid), floor(p.y * grid), floor(p.z * grid));
		}
		data->points[i] = isFlat ? brMakeDVec3(p.x, p.y, 0.5) : p;
	}
}

static double nanosecondsOf(PredicateBench* data, void (*call)(void* user))
{
	return 1e9 / PREDICATE_COUNT * brBench_Median(9, call, data);
}

BR_BENCH(predicates)
{
	static const PredicateRow rows[] = {
		{"orient2d", streamOrient2d, streamOrient2dExact, streamBare2d},
		{"orient3d", streamOrient3d, streamOrient3dExact, streamBare3d},
		{"incircle", streamInCircle, streamInCircleExact, NULL},
	};
	PredicateBench data = {malloc((PREDICATE_COUNT + 5) * sizeof(brDVec3)), 0};
	char name[96];
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
	{
		fillPoints(&data, false, 0.0);
		rows[i].exact(&data);
		int64_t expected = data.sum;
		rows[i].filtered(&data);
		if (data.sum != expected)
		{
			brBench_Fail("%s: signs sum to %lld, exactly to %lld", rows[i].name, (long long)data.sum,
						 (long long)expected);
		}
		double filtered = nanosecondsOf(&data, rows[i].filtered);
		double exact = nanosecondsOf(&data, rows[i].exact);
		snprintf(name, sizeof(name), "%s, random points%s", rows[i].name,
				 rows[i].bare != NULL ? ", to the bare determinant" : "");
		brBench_Row(bench, name, filtered, rows[i].bare != NULL ? nanosecondsOf(&data, rows[i].bare) : 0.0, "ns");
		snprintf(name, sizeof(name), "%s, exact stage, random points, to the filter", rows[i].name);
		brBench_Row(bench, name, exact, filtered, "ns");
		fillPoints(&data, false, 100.0);
		snprintf(name, sizeof(name), "%s, exact stage, integer grid, to the filter", rows[i].name);
		brBench_Row(bench, name, nanosecondsOf(&data, rows[i].exact), filtered, "ns");
	}
	fillPoints(&data, true, 0.0);
	streamOrient3d(&data);
	if (data.sum != 0)
	{
		brBench_Fail("orient3d of points in one plane is not zero");
	}
	brBench_Row(bench, "orient3d, points in one axis plane", nanosecondsOf(&data, streamOrient3d), 0.0, "ns");
	free(data.points);
}
