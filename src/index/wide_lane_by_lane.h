// SPDX-License-Identifier: MIT

// Steps of the walk of wide_query.h for sets without lane masks: one lane after the other. Included by them, with the same
// definitions.

BR_WIDE_TARGET static inline int32_t BR_WIDE_NAME(append)(uint32_t mask, int32_t base, int32_t* out)
{
	int32_t count = 0;
	for (uint32_t bits = mask & 0xFFFFu; bits != 0; bits &= bits - 1)
	{
		out[count++] = base + __builtin_ctz(bits);
	}
	return count;
}

BR_WIDE_TARGET static inline int32_t BR_WIDE_NAME(emit)(uint32_t mask, uint32_t id, const uint32_t* ids, bool isOrdered,
														brPair* out)
{
	int32_t count = 0;
	for (uint32_t bits = mask & 0xFFFFu; bits != 0; bits &= bits - 1)
	{
		uint32_t other = ids[__builtin_ctz(bits)];
		bool swap = isOrdered && other < id;
		out[count++] = (brPair){(int32_t)(swap ? other : id), (int32_t)(swap ? id : other)};
	}
	return count;
}

// Whether corners of one triangle, those shared left out, are all beyond `error` on one side. `volumes` against the plane.
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

BR_WIDE_TARGET static inline uint32_t BR_WIDE_NAME(beforePlane)(brNeighbourRule rule, const brLaneTriangles* mine,
																int32_t row, const brLaneTriangles* others,
																const brLaneSight* sight, uint32_t mask)
{
	for (uint32_t bits = mask & 0xFFFFu; bits != 0; bits &= bits - 1)
	{
		int32_t lane = __builtin_ctz(bits);
		uint32_t shared = rule == br_neighboursKeep ? 0 : BR_WIDE_NAME(shared)(others, lane, mine, row);
		bool isApart = BR_WIDE_NAME(isBeside)(others, lane, mine, row, sight->shift, sight->slack, shared);
		mask &= ~((uint32_t)isApart << lane);
	}
	return mask & 0xFFFFu;
}

BR_WIDE_TARGET static inline uint32_t BR_WIDE_NAME(aroundPlanes)(brNeighbourRule rule, const brLaneTriangles* mine,
																 int32_t row, const brLaneTriangles* others,
																 const brLaneSight* sight, uint32_t mask)
{
	const float back[3] = {-sight->shift[0], -sight->shift[1], -sight->shift[2]};
	for (uint32_t bits = mask & 0xFFFFu; bits != 0; bits &= bits - 1)
	{
		int32_t lane = __builtin_ctz(bits);
		uint32_t shared = rule == br_neighboursKeep ? 0 : BR_WIDE_NAME(shared)(mine, row, others, lane);
		bool isApart = BR_WIDE_NAME(isBeside)(mine, row, others, lane, back, sight->slack, shared);
		mask &= ~((uint32_t)isApart << lane);
	}
	return mask & 0xFFFFu;
}
