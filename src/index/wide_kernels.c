// SPDX-License-Identifier: MIT

// The buffer that inner loops write pairs to.

#include "index/wide_kernels.h"

#include <string.h>

bool brPairBuffer_Reserve(brPairBuffer* buffer, int64_t extra)
{
	int64_t needed = buffer->count + extra;
	if (buffer->pairs != NULL && needed <= buffer->capacity)
	{
		return true;
	}
	int64_t capacity = buffer->capacity + buffer->capacity / 2;
	capacity = capacity > needed ? capacity : needed;
	capacity = capacity > 4096 ? capacity : 4096;
	brPair* pairs = BR_ALLOC(&buffer->allocator, brPair, capacity);
	if (pairs == NULL)
	{
		buffer->isFull = true;
		return false;
	}
	if (buffer->count > 0)
	{
		memcpy(pairs, buffer->pairs, (size_t)buffer->count * sizeof(brPair));
	}
	BR_FREE(&buffer->allocator, buffer->pairs, buffer->capacity);
	buffer->pairs = pairs;
	buffer->capacity = capacity;
	return true;
}

void brPairBuffer_Free(brPairBuffer* buffer)
{
	BR_FREE(&buffer->allocator, buffer->pairs, buffer->capacity);
	buffer->pairs = NULL;
	buffer->count = buffer->capacity = 0;
	buffer->isFull = false;
}
