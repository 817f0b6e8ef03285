// SPDX-License-Identifier: MIT
#include "base/memory.h"

#include "base/assert.h"
#include "base/os.h"

#include <string.h>

static void* defaultAlloc(size_t bytes, void* user)
{
	(void)user;
	size_t rounded = (bytes + (BR_ALIGNMENT - 1)) & ~(size_t)(BR_ALIGNMENT - 1);
	if (rounded < bytes)
	{
		return NULL;
	}
	return brOs_AllocAligned(BR_ALIGNMENT, rounded > 0 ? rounded : BR_ALIGNMENT);
}

static void defaultFree(void* memory, size_t bytes, void* user)
{
	(void)bytes;
	(void)user;
	brOs_FreeAligned(memory);
}

brAllocator brContext_Allocator(const brContext* context)
{
	if (context != NULL && context->allocator != NULL)
	{
		return *context->allocator;
	}
	return (brAllocator){defaultAlloc, defaultFree, NULL};
}

void* brAlloc(const brAllocator* allocator, size_t bytes)
{
	if (bytes > PTRDIFF_MAX)
	{
		return NULL;
	}
	void* memory = allocator->alloc(bytes, allocator->user);
	BR_ASSERT(((uintptr_t)memory & (BR_ALIGNMENT - 1)) == 0);
	return memory;
}

void brFree(const brAllocator* allocator, void* memory, size_t bytes)
{
	if (memory != NULL)
	{
		allocator->free(memory, bytes, allocator->user);
	}
}

size_t brCheckedBytes(int64_t count, size_t elementBytes)
{
	BR_ASSERT(elementBytes > 0);
	if (count < 0 || (uint64_t)count > SIZE_MAX / elementBytes)
	{
		return SIZE_MAX;
	}
	return (size_t)count * elementBytes;
}

void* brAllocArray(const brAllocator* allocator, int64_t count, size_t elementBytes)
{
	return brAlloc(allocator, brCheckedBytes(count, elementBytes));
}

void* brAllocZeroArray(const brAllocator* allocator, int64_t count, size_t elementBytes)
{
	void* memory = brAllocArray(allocator, count, elementBytes);
	if (memory != NULL)
	{
		memset(memory, 0, (size_t)count * elementBytes);
	}
	return memory;
}

void brFreeArray(const brAllocator* allocator, void* memory, int64_t count, size_t elementBytes)
{
	if (memory != NULL)
	{
		brFree(allocator, memory, (size_t)count * elementBytes);
	}
}

bool brStageMemory_Ensure(brStageMemory* memory, const brAllocator* allocator, int64_t count, size_t elementBytes)
{
	size_t bytes = brCheckedBytes(count, elementBytes);
	if (memory->data != NULL && bytes <= memory->bytes)
	{
		return true;
	}
	// What grows a little in every step, as pairs do in a cloud that falls faster and faster, is given room ahead: new
	// pages each time cost more than the step.
	size_t ahead = memory->data != NULL ? memory->bytes + memory->bytes / 2 : 0;
	bytes = bytes < ahead ? ahead : bytes;
	// What is there stays until there is more: a part of a step that is refused memory goes on with it.
	void* data = brAlloc(allocator, bytes);
	if (data != NULL)
	{
		brStageMemory_Free(memory, allocator);
		memory->data = data;
		memory->bytes = bytes;
	}
	return data != NULL;
}

void brStageMemory_Free(brStageMemory* memory, const brAllocator* allocator)
{
	brFree(allocator, memory->data, memory->bytes);
	memory->data = NULL;
	memory->bytes = 0;
}

// Arena: the header of a chunk lies in front of its bytes.

#define BR_ARENA_ALIGNMENT 16
#define BR_ARENA_FIRST_CHUNK 4096

typedef struct brArenaChunk
{
	struct brArenaChunk* next;
	size_t capacity;
	_Alignas(BR_ARENA_ALIGNMENT) unsigned char bytes[];
} brArenaChunk;

static brArenaChunk* arenaAddChunk(brArena* arena, size_t capacity)
{
	if (capacity > SIZE_MAX - sizeof(brArenaChunk))
	{
		return NULL;
	}
	brArenaChunk* chunk = brAlloc(&arena->allocator, sizeof(brArenaChunk) + capacity);
	if (chunk != NULL)
	{
		chunk->next = arena->chunks;
		chunk->capacity = capacity;
		arena->chunks = chunk;
		arena->used = 0;
	}
	return chunk;
}

static void arenaFreeChunks(brArena* arena)
{
	while (arena->chunks != NULL)
	{
		brArenaChunk* chunk = arena->chunks;
		arena->chunks = chunk->next;
		brFree(&arena->allocator, chunk, sizeof(brArenaChunk) + chunk->capacity);
	}
}

void brArena_Init(brArena* arena, const brAllocator* allocator)
{
	*arena = (brArena){.allocator = *allocator};
}

void brArena_Destroy(brArena* arena)
{
	arenaFreeChunks(arena);
	*arena = (brArena){.allocator = arena->allocator};
}

void* brArena_Alloc(brArena* arena, size_t bytes)
{
	if (bytes > PTRDIFF_MAX)
	{
		return NULL;
	}
	size_t rounded = (bytes + (BR_ARENA_ALIGNMENT - 1)) & ~(size_t)(BR_ARENA_ALIGNMENT - 1);
	brArenaChunk* chunk = arena->chunks;
	if (chunk == NULL || rounded > chunk->capacity - arena->used)
	{
		size_t capacity = chunk != NULL ? 2 * chunk->capacity : BR_ARENA_FIRST_CHUNK;
		chunk = arenaAddChunk(arena, capacity > rounded ? capacity : rounded);
		if (chunk == NULL)
		{
			return NULL;
		}
	}
	void* memory = chunk->bytes + arena->used;
	arena->used += rounded;
	return memory;
}

void* brArena_AllocArray(brArena* arena, int64_t count, size_t elementBytes)
{
	return brArena_Alloc(arena, brCheckedBytes(count, elementBytes));
}
