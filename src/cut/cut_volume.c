// SPDX-License-Identifier: MIT

// Volumes, as sums over blocks of triangles that keep what rounding takes from them (Neumaier).

#include "cut/cut_job.h"

enum
{
	CUT_VOLUME_BLOCK = 4096
};

typedef struct CutSum
{
	double value, rest;
} CutSum;

typedef struct CutVolume
{
	const brCutJob* job;
	int32_t (*triangles)[3];
	const int32_t* order;
	CutSum* sums; // one a block
} CutVolume;

static void cutSumAdd(CutSum* sum, double x)
{
	double total = sum->value + x;
	sum->rest += fabs(sum->value) >= fabs(x) ? (sum->value - total) + x : (x - total) + sum->value;
	sum->value = total;
}

// Tetrahedra from the middle of the source, so that far objects lose nothing.
static void cutSumBlock(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CutVolume* volume = user;
	const brCutPoint* points = volume->job->points.data;
	brDVec3 middle = volume->job->middle;
	CutSum sum = {0};
	for (int32_t i = begin; i < end; ++i)
	{
		const int32_t* v = volume->triangles[volume->order != NULL ? volume->order[i] : i];
		brDVec3 a = brDSub(points[v[0]].at, middle), b = brDSub(points[v[1]].at, middle),
				c = brDSub(points[v[2]].at, middle);
		cutSumAdd(&sum, brDDot(a, brDCross(b, c)) / 6.0);
	}
	volume->sums[begin / CUT_VOLUME_BLOCK] = sum;
}

bool brCut_Volume(brCutJob* job, int32_t (*triangles)[3], const int32_t* order, int32_t count, double* outVolume)
{
	int32_t blockCount = (count + CUT_VOLUME_BLOCK - 1) / CUT_VOLUME_BLOCK;
	CutVolume volume = {job, triangles, order, BR_ALLOC(&job->allocator, CutSum, blockCount)};
	if (volume.sums == NULL)
	{
		return brCut_FailMemory(job);
	}
	brParallelFor(brCut_Workers(job), count, CUT_VOLUME_BLOCK, cutSumBlock, &volume);
	CutSum total = {0};
	for (int32_t i = 0; i < blockCount; ++i)
	{
		cutSumAdd(&total, volume.sums[i].value);
		cutSumAdd(&total, volume.sums[i].rest);
	}
	BR_FREE(&job->allocator, volume.sums, blockCount);
	*outVolume = total.value + total.rest;
	return true;
}
