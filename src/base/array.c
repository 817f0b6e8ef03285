// SPDX-License-Identifier: MIT
#include "base/array.h"

#include <string.h>

// The data member has a type of its own (int32_t*, brVec3*...), so it is read and written as bytes.
static void* arrayData(const void* dataPointer)
{
	void* data;
	memcpy(&data, dataPointer, sizeof(data));
	return data;
}

static void arraySetData(void* dataPointer, void* data)
{
	memcpy(dataPointer, &data, sizeof(data));
}

bool brGrowArray(const brAllocator* allocator, void* dataPointer, int32_t count, int32_t* capacity, int64_t extra,
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
	void* data = arrayData(dataPointer);
	if (count > 0)
	{
		memcpy(larger, data, (size_t)count * elementBytes);
	}
	brFreeArray(allocator, data, *capacity, elementBytes);
	arraySetData(dataPointer, larger);
	*capacity = (int32_t)grown;
	return true;
}

void* brTakeArray(const brAllocator* allocator, void* dataPointer, int32_t* count, int32_t* capacity,
				  size_t elementBytes)
{
	void* data = arrayData(dataPointer);
	void* exact = data;
	if (*count != *capacity)
	{
		exact = *count > 0 ? brAllocArray(allocator, *count, elementBytes) : NULL;
		if (exact == NULL && *count > 0)
		{
			return NULL;
		}
		if (*count > 0)
		{
			memcpy(exact, data, (size_t)*count * elementBytes);
		}
		brFreeArray(allocator, data, *capacity, elementBytes);
	}
	arraySetData(dataPointer, NULL);
	*count = 0;
	*capacity = 0;
	return exact;
}
