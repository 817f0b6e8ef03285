// SPDX-License-Identifier: MIT
#pragma once

// Hashes with fixed values on every platform: for content ids, state hashes and hash tables.

#include "base/wide_int.h"

#include <stddef.h>
#include <stdint.h>

#define BR_HASH_SEED 0xcbf29ce484222325u

/// The longest record that brHashRecords takes.
#define BR_HASH_RECORD_BYTES 512

/// Mixes all bits of one word (splitmix64 finalizer); a bijection.
static inline uint64_t brHash64(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	x ^= x >> 31;
	return x;
}

/// Upper half of a product xor its lower half: two words well mixed by one multiplication, unless one of them is 0.
static inline uint64_t brHashFold(uint64_t a, uint64_t b)
{
	brTwoWords product = brWide_MultiplyAdd(a, b, 0);
	return product.high ^ product.low;
}

/// Of a run of bytes, chained: start from BR_HASH_SEED or an earlier hash. Bytes are read little-endian.
uint64_t brHashBytes(uint64_t hash, const void* bytes, size_t byteCount);

/// Fields of equal width [bytes] one after the other in a record.
typedef struct brFieldRun
{
	uint8_t width, count;
} brFieldRun;

/// Of records in memory, as their bytes would stand on a little-endian machine: the same on every machine. The runs are
/// the fields of a record, without gaps, BR_HASH_RECORD_BYTES at most.
uint64_t brHashRecords(uint64_t hash, const void* records, size_t count, const brFieldRun* runs, int32_t runCount);

/// Of numbers in memory that all have this width [bytes].
static inline uint64_t brHashNumbers(uint64_t hash, const void* numbers, size_t count, size_t width)
{
	return brHashRecords(hash, numbers, count, &(brFieldRun){(uint8_t)width, 1}, 1);
}

/// Of a file: its header with the eight bytes of the hash itself, at `hashAt`, taken as zero, then what follows it.
/// `headerBytes` is at most 256.
uint64_t brHashFile(const void* header, size_t headerBytes, size_t hashAt, const void* rest, size_t restBytes);

/// The same for blocks of many kilobytes, in four chains at once: ten times as fast, and another value.
uint64_t brHashBlock(uint64_t hash, const void* bytes, size_t byteCount);
