// SPDX-License-Identifier: MIT

// The walk of wide_query.h for pairs of triangles, less those that are certainly apart. Included after it by sets
// without lane masks, with the same definitions.
//
// Two triangles are certainly apart if one lies on one side of the plane of the other. The signed volume s = n . x - d
// of a corner x against a plane is trusted if it is farther from zero than its error. Coordinates count from a corner
// of the group, so they are small; let M bound them in both groups, seen from either, and e = 2^-24 M what one may be
// off. With sides L and K of the two boxes, which overlap, x is at most L + K from the plane's corner on each axis.
// Then edges are off by 4 e, the normal by 32 L e, and s by less than 320 e L (L + K), shifting between the groups
// included. We take 256 e L (2 L + K + 8 e). Corners that both triangles share are left out of the question: if all
// others are on one side, what is shared is all they have in common. That answers neighbors too; triangles with the
// same three corners stay.
//
// It takes pairs, not rows: of the sixteen lanes of a row that meets a group three are hit, and one of these is no
// settled neighbor. So pairs are listed first, as 16 row + lane, and looked at eight together.

// Numbers of eight lanes of a group.
LANE_INLINE brFloat8 LANE(widePick)(brInt8 at, const float values[BR_WIDE_ARITY])
{
#if LANE_BYTES == 32
	__m256 low = _mm256_permutevar8x32_ps(_mm256_load_ps(values), (__m256i)at);
	__m256 high = _mm256_permutevar8x32_ps(_mm256_load_ps(values + 8), (__m256i)at);
	return (brFloat8)_mm256_blendv_ps(low, high, (__m256)(at << 28)); // bit 3 says which half
#else
	union
	{
		brFloat4 halves[2]; // in registers: lanes that are written one by one are slow to read
		brFloat8 all;
	} picked = {{(brFloat4){values[at[0]], values[at[1]], values[at[2]], values[at[3]]},
				 (brFloat4){values[at[4]], values[at[5]], values[at[6]], values[at[7]]}}};
	return picked.all;
#endif
}

LANE_INLINE brInt8 LANE(widePickVertex)(brInt8 at, const int32_t values[BR_WIDE_ARITY])
{
	return (brInt8)LANE(widePick)(at, (const float*)(const void*)values);
}

// Lanes whose vertex is one of three.
LANE_INLINE brInt8 LANE(wideIsAny)(brInt8 vertex, const brInt8 others[3])
{
	return LANE(brIntEqual8)(vertex, others[0]) | LANE(brIntEqual8)(vertex, others[1]) |
		   LANE(brIntEqual8)(vertex, others[2]);
}

// Eight pairs of a list from place i on. Returns which are in it; wideFillUp was called for those that are not.
LANE_INLINE uint32_t LANE(widePairs)(const int32_t* places, int32_t i, int32_t count, brInt8* outRows, brInt8* outLanes)
{
	brInt8 at;
	__builtin_memcpy(&at, places + i, sizeof(at));
	*outRows = at >> 4;
	*outLanes = at & 15;
	return count - i < 8 ? (1u << (count - i)) - 1u : 0xFFu;
}

// Eight more entries behind a list, which stand for no pair.
LANE_INLINE void LANE(wideFillUp)(int32_t* places, int32_t count)
{
	const brInt8 none = {0};
	__builtin_memcpy(places + count, &none, sizeof(none));
}

// Moves those of eight entries whose bit is set to the front of `out`, which may begin before them and has room for all.
// Returns how many. Without a branch: how many there are is what the processor cannot foresee.
LANE_INLINE int32_t LANE(wideKeep)(uint32_t bits, const int32_t places[8], int32_t* out)
{
#if LANE_BYTES == 32
	__m256i all = _mm256_loadu_si256((const __m256i*)(const void*)places);
	_mm256_storeu_si256((__m256i*)(void*)out, _mm256_permutevar8x32_epi32(all, LANE(wideChosen)(bits)));
	return __builtin_popcount(bits);
#else
	int32_t count = 0;
	BR_UNROLL
	for (int k = 0; k < 8; ++k)
	{
		out[count] = places[k];
		count += (int32_t)(bits >> k & 1u);
	}
	return count;
#endif
}

// Drops pairs that share a settled vertex: most of all pairs of a surface. Returns how many are left.
LANE_INLINE int32_t LANE(wideDropSettled)(const brLaneTriangles* mine, const brLaneTriangles* others, int32_t* places,
										  int32_t count)
{
	int32_t left = 0;
	LANE(wideFillUp)(places, count);
	for (int32_t i = 0; i < count; i += 8)
	{
		brInt8 rows, lanes, isSettled = {0}, theirs[3];
		uint32_t bits = LANE(widePairs)(places, i, count, &rows, &lanes);
		BR_UNROLL
		for (int k = 0; k < 3; ++k)
		{
			theirs[k] = LANE(widePickVertex)(lanes, others->vertex[k]);
		}
		BR_UNROLL
		for (int k = 0; k < 3; ++k)
		{
			brInt8 v = LANE(widePickVertex)(rows, mine->vertex[k]);
			isSettled |= v >> 31 & LANE(wideIsAny)(v, theirs);
		}
		left += LANE(wideKeep)(bits & ~LANE(brBits8)(isSettled), places + i, places + left);
	}
	return left;
}

// Which of eight triangles a are not on one side of the plane of b, corners that both have left out if they `mayShare`
// some. `shift` is the way from the center of b to that of a.
LANE_INLINE uint32_t LANE(wideAroundPlane)(bool mayShare, const brLaneTriangles* a, brInt8 aLanes,
										   const brLaneTriangles* b, brInt8 bLanes, const float shift[3], float slack)
{
	brFloat8 nx = LANE(widePick)(bLanes, b->plane[0]), ny = LANE(widePick)(bLanes, b->plane[1]);
	brFloat8 nz = LANE(widePick)(bLanes, b->plane[2]), offset = LANE(widePick)(bLanes, b->plane[3]);
	offset = offset - nx * LANE(brSplat8)(shift[0]) - ny * LANE(brSplat8)(shift[1]) - nz * LANE(brSplat8)(shift[2]);
	brFloat8 size = LANE(widePick)(bLanes, b->size), wideSlack = LANE(brSplat8)(slack);
	brFloat8 error = wideSlack * size * (size + size + LANE(widePick)(aLanes, a->size) + wideSlack);
	brFloat8 volumes[3];
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		volumes[k] = nx * LANE(widePick)(aLanes, a->corner[k][0]) + ny * LANE(widePick)(aLanes, a->corner[k][1]) +
					 nz * LANE(widePick)(aLanes, a->corner[k][2]) - offset;
	}
	if (!mayShare)
	{
		brFloat8 least = LANE(brMin8)(LANE(brMin8)(volumes[0], volumes[1]), volumes[2]);
		brFloat8 most = LANE(brMax8)(LANE(brMax8)(volumes[0], volumes[1]), volumes[2]);
		return ~LANE(brBits8)(LANE(brMore8)(least, error) | LANE(brLess8)(most, -error)) & 0xFFu;
	}
	brInt8 above = BR_ALL8, below = BR_ALL8, same = BR_ALL8, theirs[3];
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		theirs[k] = LANE(widePickVertex)(bLanes, b->vertex[k]);
	}
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		brInt8 isShared = LANE(wideIsAny)(LANE(widePickVertex)(aLanes, a->vertex[k]), theirs);
		above &= isShared | LANE(brMore8)(volumes[k], error);
		below &= isShared | LANE(brLess8)(volumes[k], -error);
		same &= isShared;
	}
	return LANE(brBits8)(same | ~(above | below));
}

// Which triangles of a group have a vertex that is not settled. Those of the others share nothing with who is left: who
// shares a settled vertex is gone.
LANE_INLINE uint32_t LANE(wideUnsettled)(const brLaneTriangles* group)
{
	uint32_t bits = 0;
	BR_UNROLL
	for (int half = 0; half < 2; ++half)
	{
		brInt8 all = BR_ALL8;
		BR_UNROLL
		for (int k = 0; k < 3; ++k)
		{
			all &= *(const brInt8*)(const void*)(group->vertex[k] + 8 * half);
		}
		bits |= LANE(brBits8)(all) << 8 * half;
	}
	return ~bits & 0xFFFFu;
}

// Is the row of one of eight pairs among these?
LANE_INLINE bool LANE(wideHasAny)(uint32_t rows, const int32_t places[8])
{
	uint32_t found = 0;
	for (int k = 0; k < 8 && rows != 0; ++k)
	{
		found |= rows >> (places[k] >> 4);
	}
	return (found & 1u) != 0;
}

LANE_TARGET static void LANE(wide_findTriangles)(const brWideQuery* query, int32_t begin, int32_t end,
												 brWideScratch* scratch, brPairBuffer* pairs)
{
	const brWideTree *queries = query->queries, *target = query->target;
	int32_t places[BR_WIDE_ARITY * (BR_WIDE_ARITY + 1)];
	for (int32_t group = begin; group < end; ++group)
	{
		const brLaneBoxes *mine = &queries->levels[0][group], *parent = &queries->levels[1][group / BR_WIDE_ARITY];
		const brLaneTriangles* myTriangles = &queries->triangles[group];
		const uint32_t* myIds = queries->ids + (size_t)BR_WIDE_ARITY * (size_t)group;
		const uint32_t unsettled = query->rule != br_neighborsKeep ? LANE(wideUnsettled)(myTriangles) : 0;
		int32_t touchedCount =
			BR_WIDE_NAME(touchedGroups)(target, parent, group % BR_WIDE_ARITY, query->isSelf ? group : 0, scratch);
		for (int32_t i = 0; i < touchedCount; ++i)
		{
			int32_t other = scratch->lists[0][i], count = 0;
			const brLaneTriangles* triangles = &target->triangles[other];
			uint32_t rows = BR_WIDE_NAME(test)(mine, &target->levels[1][other / BR_WIDE_ARITY], other % BR_WIDE_ARITY);
			for (; rows != 0; rows &= rows - 1)
			{
				int32_t row = __builtin_ctz(rows);
				uint32_t mask = BR_WIDE_NAME(test)(&target->levels[0][other], mine, row);
				mask &= query->isSelf && other == group ? ~1u << row : ~0u;
				count += BR_WIDE_NAME(append)(mask, BR_WIDE_ARITY * row, places + count);
			}
			scratch->candidates += count;
			if (query->rule != br_neighborsKeep)
			{
				count = LANE(wideDropSettled)(myTriangles, triangles, places, count);
			}
			if (count == 0)
			{
				continue;
			}
			if (!brPairBuffer_Reserve(pairs, count))
			{
				return;
			}
			LANE(wideFillUp)(places, count);
			const uint32_t* ids = target->ids + (size_t)BR_WIDE_ARITY * (size_t)other;
			brLaneSight sight = brLaneTriangles_Sight(myTriangles, triangles, query->error);
			const float back[3] = {-sight.shift[0], -sight.shift[1], -sight.shift[2]};
			for (int32_t first = 0; first < count; first += 8)
			{
				brInt8 mineAt, theirsAt;
				uint32_t bits = LANE(widePairs)(places, first, count, &mineAt, &theirsAt);
				bool mayShare = LANE(wideHasAny)(unsettled, places + first);
				bits &=
					LANE(wideAroundPlane)(mayShare, triangles, theirsAt, myTriangles, mineAt, sight.shift, sight.slack);
				if (bits == 0)
				{
					continue;
				}
				bits &= LANE(wideAroundPlane)(mayShare, myTriangles, mineAt, triangles, theirsAt, back, sight.slack);
				for (; bits != 0; bits &= bits - 1)
				{
					int32_t place = places[first + __builtin_ctz(bits)];
					uint32_t a = myIds[place >> 4], b = ids[place & 15];
					bool swap = query->isOrdered && b < a;
					pairs->pairs[pairs->count++] = (brPair){(int32_t)(swap ? b : a), (int32_t)(swap ? a : b)};
				}
			}
		}
	}
}
