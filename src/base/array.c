// SPDX-License-Identifier: MIT
#include "base/array.h"

#include <string.h>

bool brGrowArray(const brAllocator* allocator, void** data, int32_t count, int32_t* capacity, int64_t extra,
				 size_t elementBytes)
{
	int64_t needed = (int64_t)count + extra;
	if (extra < 0 || needed > INT32_MAX)
	{
		return false;
	}
	int64_t grown = *capacity + (int64_t)*capacity / 2;
	grown = grown > 16 ? grown : 16;
	grown = grown > needed ? grown : needed;
	grown = grown < INT32_MAX ? grown : INT32_MAX;

	void* larger = brAllocArray(allocator, grown, elementBytes);
	if (larger == NULL)
	{
		return false;
	}
	if (count > 0)
	{
		memcpy(larger, *data, (size_t)count * elementBytes);
	}
	brFreeArray(allocator, *data, *capacity, elementBytes);
	*data = larger;
	*capacity = (int32_t)grown;
	return true;
}

void* brTakeArray(const brAllocator* allocator, void** data, int32_t* count, int32_t* capacity, size_t elementBytes)
{
	if (*count == 0)
	{
		brFreeArray(allocator, *data, *capacity, elementBytes);
		*data = NULL;
		*capacity = 0;
		return NULL;
	}
	void* exact = *data;
	if (*count != *capacity)
	{
		exact = brAllocArray(allocator, *count, elementBytes);
		if (exact == NULL)
		{
			return NULL;
		}
		memcpy(exact, *data, (size_t)*count * elementBytes);
		brFreeArray(allocator, *data, *capacity, elementBytes);
	}
	*data = NULL;
	*count = 0;
	*capacity = 0;
	return exact;
}
