// SPDX-License-Identifier: MIT
#pragma once

// What fuzz targets share: an allocator with a limit that counts, a file of any bytes, and edits of a good block.
//
// Blocks with a size and a hash inside (recordings, checkpoints, snapshots) would be refused for those after any change.
// So the bytes of the fuzzer are a list of edits to a good block, made by this build; the target makes size and hash
// right again. Nothing has to be kept in the corpus when a struct changes.

#include "brittle/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static size_t fuzzUsed;

#define FUZZ_MOST_BYTES ((size_t)256 << 20)

static inline void* fuzzAlloc(size_t bytes, void* user)
{
	(void)user;
	if (bytes > FUZZ_MOST_BYTES || fuzzUsed > FUZZ_MOST_BYTES - bytes)
	{
		return NULL;
	}
	fuzzUsed += bytes;
	return aligned_alloc(64, (bytes + 64) & ~(size_t)63);
}

static inline void fuzzFree(void* memory, size_t bytes, void* user)
{
	(void)user;
	fuzzUsed -= memory != NULL ? bytes : 0;
	free(memory);
}

static inline void fuzzCheck(bool holds, const char* what)
{
	if (!holds)
	{
		fprintf(stderr, "does not hold: %s\n", what);
		abort();
	}
}

/// A path of this process's own with that ending, in memory where there is such a folder.
static inline const char* fuzzPath(const char* ending)
{
	static char path[128];
	const char* folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
	snprintf(path, sizeof(path), "%s/brittle_fuzz_%d%s", folder, (int)getpid(), ending);
	return path;
}

static inline const char* fuzzSave(const char* ending, const void* bytes, size_t count)
{
	const char* path = fuzzPath(ending);
	FILE* file = fopen(path, "wb");
	fuzzCheck(file != NULL && fwrite(bytes, 1, count, file) == count && fclose(file) == 0, "a file can be written");
	return path;
}

typedef struct FuzzBlock
{
	uint8_t* bytes;
	size_t count;
} FuzzBlock;

/// A copy of `base` with edits: each takes an operation, three bytes of place and up to eight of value.
static inline FuzzBlock fuzzEdit(const FuzzBlock* base, const uint8_t* data, size_t size)
{
	static const double odd[] = {0.0, -0.0, -1.0, 1e300, -1e300, 5e-324, 1e-300, (double)INT32_MAX + 1.0};
	FuzzBlock block = {malloc(base->count + 4096), base->count};
	fuzzCheck(block.bytes != NULL, "there is memory");
	memcpy(block.bytes, base->bytes, base->count);
	while (size >= 5 && block.count >= 8)
	{
		size_t place = ((size_t)data[1] | (size_t)data[2] << 8 | (size_t)data[3] << 16) % (block.count - 7);
		uint8_t* at = block.bytes + place;
		size_t used = 5;
		uint64_t word;
		switch (data[0] % 8)
		{
			case 0: // one byte
				*at = data[4];
				break;
			case 1: // one bit
				*at ^= (uint8_t)(1u << (data[4] & 7));
				break;
			case 2: // a small number, signed
				word = (uint64_t)(int64_t)(int8_t)data[4];
				memcpy(block.bytes + (place & ~(size_t)3), &word, 4);
				break;
			case 3: // a double that is odd
				memcpy(block.bytes + (place & ~(size_t)7), &odd[data[4] % 8], 8);
				break;
			case 4: // not a number, or infinite
				word = data[4] & 1 ? 0x7ff8000000000000u : 0x7ff0000000000000u | (uint64_t)(data[4] & 2) << 62;
				memcpy(block.bytes + (place & ~(size_t)7), &word, 8);
				break;
			case 5: // eight bytes as they are
				if (size >= 12)
				{
					memcpy(at, data + 4, 8);
					used = 12;
				}
				break;
			case 6: // from somewhere else
				memmove(at, block.bytes + place / 3, 8);
				break;
			default: // the end goes
				block.count -= data[4] % 16 == 0 ? place % 64 : 0;
				break;
		}
		data += used;
		size -= used;
	}
	return block;
}
