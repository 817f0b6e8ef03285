// SPDX-License-Identifier: MIT

// Rows of a swept grid, included by grid_sweep.c once for each vector path. No include guard: it is meant to be read
// more than once.

// Each node of a row takes what the node of another row has if that is nearer; `y` and `z` lead from this row to the
// other.
LANE_TARGET static void LANE(sweepTake)(const brGridSweep* sweep, int64_t to, int64_t from, float y, float z)
{
	for (int64_t i = 0; i < sweep->rowLength; i += BR_SWEEP_LANES)
	{
		brFloat8 own[3], other[3];
		for (int k = 0; k < 3; ++k)
		{
			own[k] = *(const brFloat8*)(sweep->ways[k] + to + i);
			other[k] = *(const brFloat8*)(sweep->ways[k] + from + i);
		}
		other[1] += LANE(brSplat8)(y);
		other[2] += LANE(brSplat8)(z);
		brFloat8 ownSq = own[0] * own[0] + own[1] * own[1] + own[2] * own[2];
		brFloat8 otherSq = other[0] * other[0] + other[1] * other[1] + other[2] * other[2];
		brInt8 isNearer = LANE(brLess8)(otherSq, ownSq);
		if (LANE(brBits8)(isNearer) == 0)
		{
			continue;
		}
		for (int k = 0; k < 3; ++k)
		{
			*(brFloat8*)(sweep->ways[k] + to + i) = BR_CHOOSE8(isNearer, other[k], own[k]);
		}
		brInt8* triangles = (brInt8*)(sweep->triangles + to + i);
		*triangles = (isNearer & *(const brInt8*)(sweep->triangles + from + i)) | (~isNearer & *triangles);
	}
}
