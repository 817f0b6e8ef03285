// SPDX-License-Identifier: MIT

// Triangles over a loop of points in space.
//
// Of all triangulations of the loop the one whose sharpest fold is least, and of those the one with least area, is found
// by dynamic programming (Barequet and Sharir 1995, with the folds of Liepa 2003): the best cover of the points i..k
// takes one triangle (i, m, k) and the best covers of i..m and m..k. Folds against the faces around the hole count too,
// so the cover leaves the border as the surface does. Cost: cubic in the points, so a longer loop is first split along
// the chord that is shortest for the way around it.

#include "base/array.h"
#include "mend/mend_stages.h"

#include <math.h>

// Loops of this many points take 15 ms; cost grows with the third power.
#define FILL_MAX_POINTS 96

typedef struct FillCell
{
	double fold; // cosine of the sharpest fold, negated: -1 is flat, 1 is folded back
	double area;
	int32_t middle;
} FillCell;

typedef struct FillJob
{
	const brDVec3* points;
	const brDVec3* borders;
	int32_t pointCount;
	brAllocator allocator;
	FillCell* cells; // [FILL_MAX_POINTS^2]
	int32_t (*triangles)[3];
	int32_t triangleCount;
} FillJob;

static brDVec3 fillNormal(const FillJob* job, const int32_t* loop, int32_t i, int32_t m, int32_t k)
{
	brDVec3 a = job->points[loop[i]];
	return brDCross(brDSub(job->points[loop[m]], a), brDSub(job->points[loop[k]], a));
}

// The fold between a triangle of unit normal `normal` and what lies beyond its edge from place i to place k > i: a face
// of the mesh if they follow each other in the whole loop, else the triangle of the best cover of i..k.
static double fillFold(const FillJob* job, const int32_t* loop, int32_t count, int32_t i, int32_t k, brDVec3 normal)
{
	brDVec3 other;
	if (k == i + 1)
	{
		other = loop[k] == loop[i] + 1 ? job->borders[loop[i]] : normal; // a chord: nothing is known beyond it yet
	}
	else
	{
		int32_t m = job->cells[i * count + k].middle;
		other = brDNormalize(fillNormal(job, loop, i, m, k));
	}
	return -brDDot(normal, other);
}

static void fillBest(FillJob* job, const int32_t* loop, int32_t count, int32_t i, int32_t k)
{
	FillCell best = {INFINITY, INFINITY, i + 1};
	for (int32_t m = i + 1; m < k; ++m)
	{
		brDVec3 cross = fillNormal(job, loop, i, m, k), normal = brDNormalize(cross);
		const FillCell *left = &job->cells[i * count + m], *right = &job->cells[m * count + k];
		double area = 0.5 * brDLength(cross) + left->area + right->area;
		double fold = fmax(left->fold, right->fold);
		fold = fmax(fold, fillFold(job, loop, count, i, m, normal));
		fold = fmax(fold, fillFold(job, loop, count, m, k, normal));
		if (i == 0 && k == count - 1)
		{
			bool isBorder = loop[0] == 0 && loop[k] == job->pointCount - 1; // the edge that closes the whole loop
			fold = isBorder ? fmax(fold, -brDDot(normal, job->borders[loop[k]])) : fold;
		}
		fold = brDLengthSq(cross) > 0.0 ? fold : 1.0;
		// Folds within a tenth of a radian of flat are alike: there the area decides.
		double soft = fold < -0.995 ? -1.0 : fold;
		if (soft < best.fold - 1e-9 || (soft <= best.fold + 1e-9 && area < best.area))
		{
			best = (FillCell){soft, area, m};
		}
	}
	job->cells[i * count + k] = best;
}

static void fillEmit(FillJob* job, const int32_t* loop, int32_t count, int32_t i, int32_t k)
{
	while (k - i >= 2)
	{
		int32_t m = job->cells[i * count + k].middle;
		int32_t* triangle = job->triangles[job->triangleCount++];
		triangle[0] = loop[i], triangle[1] = loop[m], triangle[2] = loop[k];
		fillEmit(job, loop, count, i, m);
		i = m;
	}
}

static void fillSmall(FillJob* job, const int32_t* loop, int32_t count)
{
	for (int32_t i = 0; i + 1 < count; ++i)
	{
		job->cells[i * count + i + 1] = (FillCell){-1.0, 0.0, -1};
	}
	for (int32_t span = 2; span < count; ++span)
	{
		for (int32_t i = 0; i + span < count; ++i)
		{
			fillBest(job, loop, count, i, i + span);
		}
	}
	fillEmit(job, loop, count, 0, count - 1);
}

// The chord that is shortest for the way around, with a third of the points at least on each side.
static void fillChord(const FillJob* job, const int32_t* loop, int32_t count, int32_t* outFrom, int32_t* outTo)
{
	double best = INFINITY;
	int32_t stride = count > 2000 ? count / 1000 : 1; // a rough choice does for very long loops
	for (int32_t i = 0; i < count; i += stride)
	{
		for (int32_t k = i + count / 3; k < count && k - i <= count - count / 3; k += stride)
		{
			double length = brDDistance(job->points[loop[i]], job->points[loop[k]]);
			if (length < best)
			{
				best = length;
				*outFrom = i, *outTo = k;
			}
		}
	}
}

static bool fillSplit(FillJob* job, const int32_t* loop, int32_t count)
{
	if (count <= FILL_MAX_POINTS)
	{
		fillSmall(job, loop, count);
		return true;
	}
	int32_t from = 0, to = count / 2;
	fillChord(job, loop, count, &from, &to);
	int32_t innerCount = to - from + 1, outerCount = count - innerCount + 2;
	int32_t* halves = BR_ALLOC(&job->allocator, int32_t, innerCount + outerCount);
	if (halves == NULL)
	{
		return false;
	}
	for (int32_t i = 0; i < innerCount; ++i)
	{
		halves[i] = loop[from + i];
	}
	for (int32_t i = 0; i < outerCount; ++i)
	{
		halves[innerCount + i] = loop[i <= from ? i : to + i - from - 1];
	}
	bool complete = fillSplit(job, halves, innerCount) && fillSplit(job, halves + innerCount, outerCount);
	BR_FREE(&job->allocator, halves, innerCount + outerCount);
	return complete;
}

bool brFillLoop(const brAllocator* allocator, const brDVec3* points, const brDVec3* borders, int32_t count,
				int32_t (*outTriangles)[3])
{
	int32_t most = count < FILL_MAX_POINTS ? count : FILL_MAX_POINTS;
	FillJob job = {.points = points, .borders = borders, .pointCount = count};
	job.allocator = *allocator;
	job.triangles = outTriangles;
	job.cells = BR_ALLOC(allocator, FillCell, (int64_t)most * most);
	int32_t* loop = BR_ALLOC(allocator, int32_t, count);
	bool complete = job.cells != NULL && loop != NULL;
	for (int32_t i = 0; complete && i < count; ++i)
	{
		loop[i] = i;
	}
	complete = complete && fillSplit(&job, loop, count);
	BR_FREE(allocator, loop, count);
	BR_FREE(allocator, job.cells, (int64_t)most * most);
	return complete;
}
