// SPDX-License-Identifier: MIT

// Steps of the walk of wide_query.h for sets without lane masks: one lane after the other. Included by them, with the
// same definitions.

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
