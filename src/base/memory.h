// SPDX-License-Identifier: MIT
#pragma once

// Memory from the host's hooks, sizes in checked arithmetic, and arenas for scratch.
//
// Everything the library allocates comes through brAlloc and goes back through brFree with the same size, so a host can
// count, pool or refuse. Sizes of arrays are multiplied with a check: an overflow is a refusal, never a short block.

#include "brittle/context.h"

#define BR_ALIGNMENT 64

/// Elements of an array that is no pointer.
#define BR_COUNT(array) ((int32_t)(sizeof(array) / sizeof((array)[0])))

/// The context's allocator by value, or the default one. `context` may be null.
brAllocator brContext_Allocator(const brContext* context);

/// Uninitialized, aligned to BR_ALIGNMENT; null if refused. Zero bytes give a valid pointer that must be freed.
void* brAlloc(const brAllocator* allocator, size_t bytes);

/// `memory` may be null.
void brFree(const brAllocator* allocator, void* memory, size_t bytes);

/// count * elementBytes, or SIZE_MAX if that overflows or count is negative. brAlloc refuses SIZE_MAX.
size_t brCheckedBytes(int64_t count, size_t elementBytes);

/// Arrays by element. The count given to free must be the one given to alloc.
void* brAllocArray(const brAllocator* allocator, int64_t count, size_t elementBytes);
void* brAllocZeroArray(const brAllocator* allocator, int64_t count, size_t elementBytes);
void brFreeArray(const brAllocator* allocator, void* memory, int64_t count, size_t elementBytes);

#define BR_ALLOC(allocator, T, count) ((T*)brAllocArray((allocator), (count), sizeof(T)))
#define BR_ALLOC_ZERO(allocator, T, count) ((T*)brAllocZeroArray((allocator), (count), sizeof(T)))
#define BR_FREE(allocator, pointer, count) brFreeArray((allocator), (pointer), (count), sizeof(*(pointer)))

/// Memory that a stage keeps from frame to frame and makes larger when needed; what was in it is lost then.
typedef struct brStageMemory
{
	void* data;
	size_t bytes;
} brStageMemory;

bool brStageMemory_Ensure(brStageMemory* memory, const brAllocator* allocator, int64_t count, size_t elementBytes);
void brStageMemory_Free(brStageMemory* memory, const brAllocator* allocator);

/// Memory in small blocks that is given back all at once. Chunks double in size.
typedef struct brArena
{
	brAllocator allocator;
	struct brArenaChunk* chunks; // newest first
	size_t used;                 // in the newest chunk
} brArena;

void brArena_Init(brArena* arena, const brAllocator* allocator);
void brArena_Destroy(brArena* arena);

/// Aligned to 16 bytes, uninitialized; null if the allocator refuses.
void* brArena_Alloc(brArena* arena, size_t bytes);
void* brArena_AllocArray(brArena* arena, int64_t count, size_t elementBytes);
