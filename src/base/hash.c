// SPDX-License-Identifier: MIT
#include "base/hash.h"

#include "base/assert.h"

#include <string.h>

// Eight bytes a round, each round a multiply and a mix; the length goes in last so that trailing zeros count.

static uint64_t hashLoadTail(const unsigned char* bytes, size_t count)
{
	uint64_t word = 0;
	for (size_t i = 0; i < count; ++i)
	{
		word |= (uint64_t)bytes[i] << (8 * i);
	}
	return word;
}

// Written out, so that compilers see one load.
static inline __attribute__((always_inline)) uint64_t hashLoadWord(const unsigned char* b)
{
	return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 |
		   (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

uint64_t brHashBytes(uint64_t hash, const void* bytes, size_t byteCount)
{
	const unsigned char* at = bytes;
	size_t left = byteCount;
	for (; left >= 8; left -= 8, at += 8)
	{
		hash = brHash64(hash ^ hashLoadWord(at)) * 0x9e3779b97f4a7c15u;
	}
	hash = brHash64(hash ^ hashLoadTail(at, left)) * 0x9e3779b97f4a7c15u;
	return brHash64(hash ^ (uint64_t)byteCount);
}

static size_t hashRecordBytes(const brFieldRun* runs, int32_t runCount)
{
	size_t bytes = 0;
	for (int32_t i = 0; i < runCount; ++i)
	{
		bytes += (size_t)runs[i].width * runs[i].count;
	}
	return bytes;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__

// A record with the bytes of each field turned round.
static void hashTurnRecord(const unsigned char* record, const brFieldRun* runs, int32_t runCount, unsigned char* out)
{
	for (int32_t i = 0; i < runCount; ++i)
	{
		for (int32_t k = 0; k < runs[i].count; ++k, record += runs[i].width, out += runs[i].width)
		{
			for (int32_t b = 0; b < runs[i].width; ++b)
			{
				out[b] = record[runs[i].width - 1 - b];
			}
		}
	}
}

uint64_t brHashRecords(uint64_t hash, const void* records, size_t count, const brFieldRun* runs, int32_t runCount)
{
	// Room for a record behind up to seven bytes of the one before: words do not end where records do.
	unsigned char turned[BR_HASH_RECORD_BYTES + 7];
	size_t recordBytes = hashRecordBytes(runs, runCount), held = 0;
	BR_ASSERT(recordBytes <= BR_HASH_RECORD_BYTES);
	for (size_t i = 0; i < count; ++i)
	{
		hashTurnRecord((const unsigned char*)records + i * recordBytes, runs, runCount, turned + held);
		held += recordBytes;
		size_t words = held / 8;
		for (size_t w = 0; w < words; ++w)
		{
			hash = brHash64(hash ^ hashLoadWord(turned + 8 * w)) * 0x9e3779b97f4a7c15u;
		}
		held -= 8 * words;
		memmove(turned, turned + 8 * words, held);
	}
	hash = brHash64(hash ^ hashLoadTail(turned, held)) * 0x9e3779b97f4a7c15u;
	return brHash64(hash ^ (uint64_t)(count * recordBytes));
}

#else

uint64_t brHashRecords(uint64_t hash, const void* records, size_t count, const brFieldRun* runs, int32_t runCount)
{
	return brHashBytes(hash, records, count * hashRecordBytes(runs, runCount));
}

#endif

uint64_t brHashFile(const void* header, size_t headerBytes, size_t hashAt, const void* rest, size_t restBytes)
{
	unsigned char copy[256];
	BR_ASSERT(headerBytes <= sizeof(copy) && hashAt + sizeof(uint64_t) <= headerBytes);
	memcpy(copy, header, headerBytes);
	memset(copy + hashAt, 0, sizeof(uint64_t));
	return brHashBytes(brHashBytes(BR_HASH_SEED, copy, headerBytes), rest, restBytes);
}

uint64_t brHashBlock(uint64_t hash, const void* bytes, size_t byteCount)
{
	// Each chain waits for its own multiplications only.
	static const uint64_t keys[4] = {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu,
									 0xc2b2ae3d27d4eb4fu};
	const unsigned char* at = bytes;
	size_t left = byteCount;
	uint64_t chains[4];
	for (int k = 0; k < 4; ++k)
	{
		chains[k] = hash ^ keys[3 - k];
	}
	for (; left >= 64; left -= 64, at += 64)
	{
		for (int k = 0; k < 4; ++k)
		{
			chains[k] = brHashFold(chains[k] ^ hashLoadWord(at + 16 * k), keys[k] ^ hashLoadWord(at + 16 * k + 8));
		}
	}
	for (int k = 0; k < 4; ++k)
	{
		hash = brHash64(hash ^ chains[k]) * keys[0];
	}
	return brHashBytes(hash ^ (uint64_t)byteCount, at, left);
}
