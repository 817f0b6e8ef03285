// SPDX-License-Identifier: MIT

// Which set of inner loops this processor runs, and the buffer they write pairs to.

#include "index/wide_kernels.h"

#include "base/cpu.h"

#include <string.h>

const brWideKernels* brGetWideKernels(int32_t lanes)
{
#if defined(__x86_64__) && !defined(BR_SCALAR)
	brCpuPath best = brCpu_Best();
	if ((lanes == 0 || lanes >= 16) && best >= br_cpuAvx512)
	{
		return &brWideKernelsAvx512;
	}
	if ((lanes == 0 || lanes >= 8) && best >= br_cpuAvx2)
	{
		return &brWideKernelsAvx2;
	}
#else
	(void)lanes;
#endif
	return &brWideKernelsScalar;
}

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
