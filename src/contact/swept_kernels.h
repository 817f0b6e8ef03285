// SPDX-License-Identifier: MIT

// How far points reach along two directions, in swept_hulls.c once for each set of lanes (base/lanes.h).

LANE_TARGET static void LANE(partedReach)(const brSolid* solid, const brVec3 n[2], int32_t blockCount, PartedReach* out)
{
	// Vectors in memory would be written in each turn.
	brFloat8 first = out->values[0], second = out->values[1];
	brInt8 firstBlocks = out->blocks[0], secondBlocks = out->blocks[1];
	const brFloat8* places[3] = {solid->places[0], solid->places[1], solid->places[2]};
	for (int32_t i = 0; i < blockCount; ++i)
	{
		brFloat8 x = places[0][i], y = places[1][i], z = places[2][i];
		brFloat8 value = x * n[0].x + y * n[0].y + z * n[0].z;
		brInt8 isMore = LANE(brMore8)(value, first);
		first = BR_CHOOSE8(isMore, value, first);
		firstBlocks = (isMore & i) | (~isMore & firstBlocks);
		value = x * n[1].x + y * n[1].y + z * n[1].z;
		isMore = LANE(brMore8)(value, second);
		second = BR_CHOOSE8(isMore, value, second);
		secondBlocks = (isMore & i) | (~isMore & secondBlocks);
	}
	out->values[0] = first, out->values[1] = second;
	out->blocks[0] = firstBlocks, out->blocks[1] = secondBlocks;
}
