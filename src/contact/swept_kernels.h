// SPDX-License-Identifier: MIT

// How far points reach along two directions, in swept_hulls.c once for each set of lanes (base/lanes.h).

LANE_TARGET static void LANE(partedReach)(const brSolid* solid, const brVec3 n[2], int32_t blockCount, PartedReach* out)
{
	for (int32_t i = 0; i < blockCount; ++i)
	{
		brFloat8 x = solid->places[0][i], y = solid->places[1][i], z = solid->places[2][i];
		for (int k = 0; k < 2; ++k)
		{
			brFloat8 value = x * n[k].x + y * n[k].y + z * n[k].z;
			brInt8 isMore = LANE(brMore8)(value, out->values[k]);
			out->values[k] = BR_CHOOSE8(isMore, value, out->values[k]);
			out->blocks[k] = (isMore & i) | (~isMore & out->blocks[k]);
		}
	}
}
