// SPDX-License-Identifier: MIT

// How deep pairs of tets are in each other, by an expanding polytope and GJK: a thread a pair, by the CPU's own files
// (narrow/tet_gjk.c, tet_epa_lanes.h), so with its bits. As brPenetration: four doubles; pairs that are apart get depth
// 0 along x.

static brDVec3 depthCorner(__global const double* positions, __global const int* corners, uint tet, int k)
{
	__global const double* p = positions + 3 * (size_t)corners[4 * (size_t)tet + k];
	return (brDVec3){p[0], p[1], p[2]};
}

__kernel void brk_expandTets(__global const ulong* pairs, uint count, __global const int* corners,
							 __global const void* positionBytes, __global void* penetrationBytes)
{
	__global const double* positions = positionBytes;
	__global double* penetrations = penetrationBytes;
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		brTetCorners tets;
		for (int k = 0; k < 4; ++k)
		{
			tets.a[k] = depthCorner(positions, corners, (uint)(pairs[i] >> 32), k);
			tets.b[k] = depthCorner(positions, corners, (uint)pairs[i], k);
		}
		brPenetration out = {0.0, {1.0, 0.0, 0.0}};
		epaMeasurePlain(&tets, 1, &out);
		vstore4((double4)(out.depth, out.direction.x, out.direction.y, out.direction.z), i, penetrations);
	}
}

#else

__kernel void brk_expandTets(void)
{
}

#endif
