// SPDX-License-Identifier: MIT
#include "io/corner_values.h"

#include "base/hash.h"
#include "base/slots.h"

#include <string.h>

bool brCornerValues_Find(brCornerValues* values, const brAllocator* allocator, const void* data, size_t elementBytes,
						 int32_t cornerCount)
{
	const unsigned char* bytes = data;
	*values = (brCornerValues){.cornerCount = cornerCount};
	values->indices = BR_ALLOC(allocator, int32_t, cornerCount);
	values->firsts = BR_ALLOC(allocator, int32_t, cornerCount);
	brSlots slots;
	if (!brSlots_Init(&slots, allocator, cornerCount) || values->indices == NULL || values->firsts == NULL)
	{
		brSlots_Free(&slots, allocator);
		return false;
	}
	for (int32_t c = 0; c < cornerCount; ++c)
	{
		const unsigned char* value = bytes + (size_t)c * elementBytes;
		int64_t at = brSlots_First(&slots, brHashBytes(BR_HASH_SEED, value, elementBytes));
		while (slots.values[at] >= 0 &&
			   memcmp(bytes + (size_t)values->firsts[slots.values[at]] * elementBytes, value, elementBytes) != 0)
		{
			at = brSlots_Next(&slots, at);
		}
		if (slots.values[at] < 0)
		{
			slots.values[at] = values->count;
			values->firsts[values->count++] = c;
		}
		values->indices[c] = slots.values[at];
	}
	brSlots_Free(&slots, allocator);
	return true;
}

void brCornerValues_Free(brCornerValues* values, const brAllocator* allocator)
{
	BR_FREE(allocator, values->indices, values->cornerCount);
	BR_FREE(allocator, values->firsts, values->cornerCount);
}
