// SPDX-License-Identifier: MIT

// The nearest points of a surface, handed from node to node (Danielsson 1980): a node has the way to the nearest point
// that it heard of, and takes that of a neighbor if it leads to a nearer one. Four passes, in both directions along y
// and z, and in each row both ways along x: so any straight line from a node to its point runs with one of them. Points
// of nodes beside the surface lie about a cell apart, so at a distance of d cells the point found is too far by 1 / (4
// d) of a cell or so; the triangle that it lies on is near enough to measure again.
//
// Rows are taken eight nodes at a time from the rows behind; along a row one node follows the other.

#include "research/grid_sweep.h"

#include "base/lanes.h"
#include "base/memory.h"

#define BR_LANES_FILE "research/sweep_kernels.h"
#include "base/each_lanes.h"

bool brGridSweep_Init(brGridSweep* sweep, const brAllocator* allocator, const int32_t counts[3])
{
	*sweep = (brGridSweep){.counts = {counts[0], counts[1], counts[2]}};
	sweep->rowLength = ((int64_t)counts[0] + BR_SWEEP_LANES - 1) / BR_SWEEP_LANES * BR_SWEEP_LANES;
	int64_t nodes = brGridSweep_Nodes(sweep);
	bool isReady = true;
	for (int k = 0; k < 3; ++k)
	{
		sweep->ways[k] = BR_ALLOC(allocator, float, nodes);
		isReady = isReady && sweep->ways[k] != NULL;
	}
	sweep->triangles = BR_ALLOC(allocator, int32_t, nodes);
	if (!isReady || sweep->triangles == NULL)
	{
		brGridSweep_Free(sweep, allocator);
		return false;
	}
	for (int64_t i = 0; i < nodes; ++i)
	{
		sweep->ways[0][i] = sweep->ways[1][i] = sweep->ways[2][i] = INFINITY;
		sweep->triangles[i] = -1;
	}
	return true;
}

void brGridSweep_Free(brGridSweep* sweep, const brAllocator* allocator)
{
	for (int k = 0; k < 3; ++k)
	{
		BR_FREE(allocator, sweep->ways[k], brGridSweep_Nodes(sweep));
	}
	BR_FREE(allocator, sweep->triangles, brGridSweep_Nodes(sweep));
	*sweep = (brGridSweep){0};
}

// Along a row, upward or downward.
static void sweepAlong(const brGridSweep* sweep, int64_t row, int32_t step)
{
	float* x = sweep->ways[0] + row;
	float* y = sweep->ways[1] + row;
	float* z = sweep->ways[2] + row;
	int32_t* triangles = sweep->triangles + row;
	int32_t count = sweep->counts[0], first = step > 0 ? 0 : count - 1;
	float bx = x[first], by = y[first], bz = z[first], restSq = by * by + bz * bz;
	for (int32_t i = first + step; i >= 0 && i < count; i += step)
	{
		bx -= (float)step;
		if (bx * bx + restSq < x[i] * x[i] + (y[i] * y[i] + z[i] * z[i]))
		{
			x[i] = bx, y[i] = by, z[i] = bz, triangles[i] = triangles[i - step];
			continue;
		}
		bx = x[i], by = y[i], bz = z[i], restSq = by * by + bz * bz;
	}
}

void brGridSweep_Run(const brGridSweep* sweep)
{
	bool hasAvx2 = brCpu_Best() >= br_cpuAvx2;
	int64_t strideY = sweep->rowLength, strideZ = strideY * sweep->counts[1];
	for (int pass = 0; pass < 4; ++pass)
	{
		int32_t stepY = (pass & 1) != 0 ? -1 : 1, stepZ = (pass & 2) != 0 ? -1 : 1;
		for (int32_t kz = 0; kz < sweep->counts[2]; ++kz)
		{
			int32_t z = stepZ > 0 ? kz : sweep->counts[2] - 1 - kz;
			for (int32_t ky = 0; ky < sweep->counts[1]; ++ky)
			{
				int32_t y = stepY > 0 ? ky : sweep->counts[1] - 1 - ky;
				int64_t row = strideY * y + strideZ * z;
				if (kz > 0)
				{
					BR_ON_LANES(hasAvx2, sweepTake, (sweep, row, row - stepZ * strideZ, 0.0f, (float)-stepZ));
				}
				if (ky > 0)
				{
					BR_ON_LANES(hasAvx2, sweepTake, (sweep, row, row - stepY * strideY, (float)-stepY, 0.0f));
				}
				sweepAlong(sweep, row, 1);
				sweepAlong(sweep, row, -1);
			}
		}
	}
}
