// SPDX-License-Identifier: MIT

// The walk of wide_query.h for pairs of triangles, less those that are certainly apart, for sets without lane masks:
// one lane after the other. Included after it, with the same definitions.
//
// Two triangles are certainly apart if one lies on one side of the plane of the other. The signed volume s = n . x - d
// of a corner x against a plane is trusted if it is farther from zero than its error. Coordinates count from a corner
// of the group, so they are small; let M bound them in both groups, seen from either, and e = 2^-24 M what one may be
// off. With sides L and K of the two boxes, which overlap, x is at most L + K from the plane's corner on each axis.
// Then edges are off by 4 e, the normal by 32 L e, and s by less than 320 e L (L + K), shifting between the groups
// included. We take 256 e L (2 L + K + 8 e). Corners that both triangles share are left out of the question: if all
// others are on one side, what is shared is all they have in common. That answers neighbors too; triangles with the
// same three corners stay.

// Whether corners of one triangle, those shared left out, are all beyond `error` on one side. `volumes` against the
// plane.
BR_WIDE_TARGET static inline bool BR_WIDE_NAME(oneSided)(const float volumes[3], uint32_t shared, float error)
{
	bool above = true, below = true;
	for (int i = 0; i < 3; ++i)
	{
		bool isShared = (shared >> i & 1u) != 0;
		above &= isShared || volumes[i] > error;
		below &= isShared || volumes[i] < -error;
	}
	return shared != 7u && (above || below);
}

// Which corners of lane i of `a` lane j of `b` has too, as three bits.
BR_WIDE_TARGET static inline uint32_t BR_WIDE_NAME(shared)(const brLaneTriangles* a, int32_t i,
														   const brLaneTriangles* b, int32_t j)
{
	uint32_t shared = 0;
	for (int k = 0; k < 3; ++k)
	{
		int32_t v = a->vertex[k][i];
		shared |= (uint32_t)(v == b->vertex[0][j] || v == b->vertex[1][j] || v == b->vertex[2][j]) << k;
	}
	return shared;
}

// Is lane i of `a` on one side of the plane of lane j of `b`? `shift` is the way from the center of b to that of a.
BR_WIDE_TARGET static inline bool BR_WIDE_NAME(isBeside)(const brLaneTriangles* a, int32_t i, const brLaneTriangles* b,
														 int32_t j, const float shift[3], float slack, uint32_t shared)
{
	float volumes[3];
	for (int k = 0; k < 3; ++k)
	{
		volumes[k] = b->plane[0][j] * (a->corner[k][0][i] + shift[0]) +
					 b->plane[1][j] * (a->corner[k][1][i] + shift[1]) +
					 b->plane[2][j] * (a->corner[k][2][i] + shift[2]) - b->plane[3][j];
	}
	float size = b->size[j];
	return BR_WIDE_NAME(oneSided)(volumes, shared, slack * size * (2.0f * size + a->size[i] + slack));
}

// Lanes of the mask that share no settled vertex with a row of mine.
BR_WIDE_TARGET static inline uint32_t BR_WIDE_NAME(notSettled)(const brLaneTriangles* mine, int32_t row,
															   const brLaneTriangles* others, uint32_t mask)
{
	uint32_t kept = 0;
	for (uint32_t bits = mask & 0xFFFFu; bits != 0; bits &= bits - 1)
	{
		int32_t lane = __builtin_ctz(bits);
		bool isSettled = false;
		for (int k = 0; k < 3; ++k)
		{
			int32_t v = mine->vertex[k][row];
			isSettled |=
				v < 0 && (v == others->vertex[0][lane] || v == others->vertex[1][lane] || v == others->vertex[2][lane]);
		}
		kept |= (uint32_t)!isSettled << lane;
	}
	return kept;
}

BR_WIDE_TARGET static inline uint32_t BR_WIDE_NAME(beforePlane)(brNeighborRule rule, const brLaneTriangles* mine,
																int32_t row, const brLaneTriangles* others,
																const brLaneSight* sight, uint32_t mask)
{
	for (uint32_t bits = mask & 0xFFFFu; bits != 0; bits &= bits - 1)
	{
		int32_t lane = __builtin_ctz(bits);
		uint32_t shared = rule == br_neighborsKeep ? 0 : BR_WIDE_NAME(shared)(others, lane, mine, row);
		bool isApart = BR_WIDE_NAME(isBeside)(others, lane, mine, row, sight->shift, sight->slack, shared);
		mask &= ~((uint32_t)isApart << lane);
	}
	return mask & 0xFFFFu;
}

BR_WIDE_TARGET static inline uint32_t BR_WIDE_NAME(aroundPlanes)(brNeighborRule rule, const brLaneTriangles* mine,
																 int32_t row, const brLaneTriangles* others,
																 const brLaneSight* sight, uint32_t mask)
{
	const float back[3] = {-sight->shift[0], -sight->shift[1], -sight->shift[2]};
	for (uint32_t bits = mask & 0xFFFFu; bits != 0; bits &= bits - 1)
	{
		int32_t lane = __builtin_ctz(bits);
		uint32_t shared = rule == br_neighborsKeep ? 0 : BR_WIDE_NAME(shared)(mine, row, others, lane);
		bool isApart = BR_WIDE_NAME(isBeside)(mine, row, others, lane, back, sight->slack, shared);
		mask &= ~((uint32_t)isApart << lane);
	}
	return mask & 0xFFFFu;
}

BR_WIDE_TARGET static void BR_WIDE_NAME(findTriangles)(const brWideQuery* query, int32_t begin, int32_t end,
													   brWideScratch* scratch, brPairBuffer* pairs)
{
	const brWideTree *queries = query->queries, *target = query->target;
	for (int32_t group = begin; group < end; ++group)
	{
		const brLaneBoxes *mine = &queries->levels[0][group], *parent = &queries->levels[1][group / BR_WIDE_ARITY];
		const brLaneTriangles* myTriangles = &queries->triangles[group];
		const uint32_t* myIds = queries->ids + (size_t)BR_WIDE_ARITY * (size_t)group;
		int32_t touchedCount =
			BR_WIDE_NAME(touchedGroups)(target, parent, group % BR_WIDE_ARITY, query->isSelf ? group : 0, scratch);
		for (int32_t i = 0; i < touchedCount; ++i)
		{
			int32_t other = scratch->lists[0][i];
			const brLaneTriangles* triangles = &target->triangles[other];
			const uint32_t* ids = target->ids + (size_t)BR_WIDE_ARITY * (size_t)other;
			brLaneSight sight = brLaneTriangles_Sight(myTriangles, triangles, query->error);
			uint32_t rows = BR_WIDE_NAME(test)(mine, &target->levels[1][other / BR_WIDE_ARITY], other % BR_WIDE_ARITY);
			if (!brPairBuffer_Reserve(pairs, BR_WIDE_ARITY * (BR_WIDE_ARITY + 1)))
			{
				return;
			}
			for (; rows != 0; rows &= rows - 1)
			{
				int32_t row = __builtin_ctz(rows);
				uint32_t mask = BR_WIDE_NAME(test)(&target->levels[0][other], mine, row);
				mask &= query->isSelf && other == group ? ~1u << row : ~0u;
				scratch->candidates += __builtin_popcount(mask & 0xFFFFu);
				if (query->rule != br_neighborsKeep)
				{
					mask = BR_WIDE_NAME(notSettled)(myTriangles, row, triangles, mask);
				}
				mask = BR_WIDE_NAME(beforePlane)(query->rule, myTriangles, row, triangles, &sight, mask);
				mask = BR_WIDE_NAME(aroundPlanes)(query->rule, myTriangles, row, triangles, &sight, mask);
				pairs->count +=
					BR_WIDE_NAME(emit)(mask, myIds[row], ids, query->isOrdered, pairs->pairs + pairs->count);
			}
		}
	}
}
