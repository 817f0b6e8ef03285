// SPDX-License-Identifier: MIT

// How thick a solid is: rays inward from places spread evenly over its surface, until they meet the other side.

#include "base/memory.h"
#include "volume/surface_tree.h"

#include <stdlib.h>

#define THICKNESS_SAMPLES 2048

static int compareThickness(const void* a, const void* b)
{
	double x = *(const double*)a, y = *(const double*)b;
	return (x > y) - (x < y);
}

bool brSurfaceTree_MeasureThickness(const brSurfaceTree* tree, const brContext* context, int32_t count,
									double* outQuantiles)
{
	if (tree == NULL)
	{
		return false;
	}
	brAllocator allocator = brContext_Allocator(context);
	double* samples = BR_ALLOC(&allocator, double, THICKNESS_SAMPLES);
	double total = 0.0;
	for (int32_t t = 0; t < tree->triangleCount; ++t)
	{
		const brDVec3* p = tree->corners[t];
		total += brDLength(brDCross(brDSub(p[1], p[0]), brDSub(p[2], p[0])));
	}
	if (samples == NULL)
	{
		return false;
	}
	// Places at equal steps of area along the tree's order, so that they are spread out.
	int32_t used = 0;
	double step = total / THICKNESS_SAMPLES, along = 0.0, next = 0.5 * step;
	for (int32_t t = 0; t < tree->triangleCount; ++t)
	{
		const brDVec3* p = tree->corners[t];
		brDVec3 n = brDCross(brDSub(p[1], p[0]), brDSub(p[2], p[0]));
		double area = brDLength(n);
		along += area;
		for (int32_t turn = 0; next < along && used < THICKNESS_SAMPLES; next += step, ++turn)
		{
			// Different places of a large triangle: a walk by irrational steps.
			double u = fmod(0.5 + 0.7548776662466927 * turn, 1.0), v = fmod(0.5 + 0.5698402909980532 * turn, 1.0);
			u = turn == 0 ? 1.0 / 3.0 : u, v = turn == 0 ? 1.0 / 3.0 : v;
			double fold = u + v > 1.0 ? 1.0 : 0.0;
			u = fold > 0.0 ? 1.0 - u : u, v = fold > 0.0 ? 1.0 - v : v;
			brDVec3 q = brDAdd(brDMulAdd(p[0], u, brDSub(p[1], p[0])), brDMul(v, brDSub(p[2], p[0])));
			brDVec3 inward = brDMul(tree->leaning < 0.0 ? 1.0 : -1.0, brDNormalize(n));
			double start = 1e-9 * tree->reach;
			double depth = brSurfaceTree_CastRay(tree, brDMulAdd(q, start, inward), inward, INFINITY, NULL);
			samples[used++] = isfinite(depth) ? depth : 4.0 * tree->reach;
		}
	}
	qsort(samples, (size_t)used, sizeof(double), compareThickness);
	for (int32_t i = 0; i < count; ++i)
	{
		int64_t place = used > 0 && count > 1 ? (int64_t)i * (used - 1) / (count - 1) : 0;
		outQuantiles[i] = used > 0 ? samples[place] : 0.0;
	}
	BR_FREE(&allocator, samples, THICKNESS_SAMPLES);
	return true;
}
