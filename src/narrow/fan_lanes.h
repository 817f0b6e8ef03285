// SPDX-License-Identifier: MIT

// Which fans are graphs over a plane, in vertex_fans.c once for each set of lanes (base/lanes.h): a neighbor to a lane.

_Static_assert(BR_FAN_MAX == 8, "a fan fills eight lanes");

// The neighbors of a vertex as it sees them, axis by axis.
LANE_INLINE void LANE(fanEdges)(const brDVec3* positions, const int32_t ring[8], brDouble4 center, brFloat8 out[3])
{
	brFloat4 columns[2][3];
	BR_UNROLL
	for (int half = 0; half < 2; ++half)
	{
		brFloat4 rows[4];
		BR_UNROLL
		for (int i = 0; i < 4; ++i)
		{
			rows[i] = LANE(brRound4)(LANE(brPoint)(&positions[ring[4 * half + i]].x) - center);
		}
		LANE(brColumns4)(rows, columns[half]);
	}
	BR_UNROLL
	for (int axis = 0; axis < 3; ++axis)
	{
		out[axis] = LANE(brJoin8)(columns[0][axis], columns[1][axis]);
	}
}

// Each lane has the number of the next, the last that of the first.
LANE_INLINE brFloat8 LANE(fanNext8)(brFloat8 a)
{
	brFloat4 low = LANE(brHalf8)(a, 0), high = LANE(brHalf8)(a, 1);
	return LANE(brJoin8)(__builtin_shufflevector(low, high, 1, 2, 3, 4),
						 __builtin_shufflevector(high, low, 1, 2, 3, 4));
}

LANE_INLINE float LANE(fanSum8)(brFloat8 a)
{
	brFloat4 four = LANE(brHalf8)(a, 0) + LANE(brHalf8)(a, 1);
	brFloat4 two = four + __builtin_shufflevector(four, four, 2, 3, 0, 1);
	return two[0] + two[1];
}

LANE_INLINE brFloat8 LANE(fanAbs8)(brFloat8 a)
{
	return (brFloat8)((brInt8)a & INT32_MAX);
}

// The first neighbor fills the ring up: its sectors with itself have no area and turn nothing.
LANE_TARGET static void LANE(fanSettle)(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const FanJob* job = user;
	const int32_t(*rings)[BR_FAN_MAX] = (const int32_t(*)[BR_FAN_MAX])job->fans->rings.data;
	const uint8_t* sizes = job->fans->sizes.data;
	for (int32_t v = begin; v < end; ++v)
	{
		job->settled[v] = 0;
		if (sizes[v] == 0)
		{
			continue;
		}
		brFloat8 r[3], next[3], normals[3], most = {0}, volumes = {0}, passed = {0};
		LANE(fanEdges)(job->positions, rings[v], LANE(brPoint)(&job->positions[v].x), r);
		BR_UNROLL
		for (int k = 0; k < 3; ++k)
		{
			next[k] = LANE(fanNext8)(r[k]);
			most = LANE(brMax8)(most, LANE(fanAbs8)(r[k]));
		}
		float n[3], widest = 0.0f, extent = LANE(brMost8)(most);
		BR_UNROLL
		for (int k = 0; k < 3; ++k)
		{
			const int y = (k + 1) % 3, z = (k + 2) % 3;
			normals[k] = r[y] * next[z] - r[z] * next[y];
			n[k] = LANE(fanSum8)(normals[k]);
			widest = fabsf(n[k]) > widest ? fabsf(n[k]) : widest;
		}
		BR_UNROLL
		for (int k = 0; k < 3; ++k)
		{
			const int y = (k + 1) % 3, z = (k + 2) % 3;
			volumes += LANE(brSplat8)(n[k]) * normals[k];
			passed += LANE(brSplat8)(n[y] * r[z][0] - n[z] * r[y][0]) * r[k];
		}
		brFloat8 bound = LANE(brSplat8)(fanError * extent * extent * widest + fanTiny);
		uint32_t forward = LANE(brBits8)(LANE(brMore8)(volumes, bound));
		uint32_t ahead = LANE(brBits8)(LANE(brMore8)(passed, bound));
		uint32_t behind = LANE(brBits8)(LANE(brLess8)(passed, -bound));
		bool isSized = extent > fanSmallest && extent < fanLargest;
		job->settled[v] = isSized && fanIsGraph(forward, ahead, behind, sizes[v]);
	}
}
