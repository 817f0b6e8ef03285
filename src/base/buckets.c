// SPDX-License-Identifier: MIT
#include "base/buckets.h"

#include <string.h>

void brFillBuckets(const int32_t* keys, int32_t count, int32_t keyCount, int32_t* outStarts, int32_t* outItems)
{
	memset(outStarts, 0, ((size_t)keyCount + 1) * sizeof(int32_t));
	for (int32_t i = 0; i < count; ++i)
	{
		if (keys[i] >= 0)
		{
			outStarts[keys[i] + 1] += 1;
		}
	}
	for (int32_t k = 0; k < keyCount; ++k)
	{
		outStarts[k + 1] += outStarts[k];
	}
	// Each start moves to the end of its bucket while that fills; then all are one bucket ahead.
	for (int32_t i = 0; i < count; ++i)
	{
		if (keys[i] >= 0)
		{
			outItems[outStarts[keys[i]]++] = i;
		}
	}
	memmove(outStarts + 1, outStarts, (size_t)keyCount * sizeof(int32_t));
	outStarts[0] = 0;
}

bool brBuckets_Make(brBuckets* buckets, const brAllocator* allocator, const int32_t* keys, int32_t count,
					int32_t keyCount)
{
	*buckets = (brBuckets){.starts = BR_ALLOC(allocator, int32_t, (int64_t)keyCount + 1),
						   .items = BR_ALLOC(allocator, int32_t, count),
						   .keyCount = keyCount,
						   .count = count};
	if (buckets->starts == NULL || buckets->items == NULL)
	{
		brBuckets_Free(buckets, allocator);
		return false;
	}
	brFillBuckets(keys, count, keyCount, buckets->starts, buckets->items);
	return true;
}

void brBuckets_Free(brBuckets* buckets, const brAllocator* allocator)
{
	BR_FREE(allocator, buckets->starts, (int64_t)buckets->keyCount + 1);
	BR_FREE(allocator, buckets->items, buckets->count);
	*buckets = (brBuckets){0};
}
