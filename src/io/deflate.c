// SPDX-License-Identifier: MIT

// Packing: repeated strings are found through chains of places with the same three bytes, one byte of hesitation lets a
// longer match win, and each block has Huffman codes of its own.

#include "io/deflate.h"

#include <string.h>

#define WINDOW 32768
#define HASH_BITS 15
#define CHAIN_LIMIT 128 // places tried for a match
#define GOOD_LENGTH 128 // a match of this length is taken at once
#define MAX_MATCH 258
#define BLOCK_TOKENS 16384
#define PART_BYTES ((size_t)1 << 18) // that one worker packs; it may copy from the window before them

// A literal (distance 0) or a copy.
typedef struct DeflateToken
{
	uint16_t value; // byte or length
	uint16_t distance;
} DeflateToken;

typedef struct DeflateCode
{
	uint16_t codes[br_deflateLiterals];
	uint8_t lengths[br_deflateLiterals];
} DeflateCode;

typedef struct Deflater
{
	const brAllocator* allocator;
	brBytes* out;
	bool failed;
	uint64_t bits;
	int32_t bitCount;
	const uint8_t* in;
	size_t end;                    // of the bytes that are packed; those before them are copied from
	int64_t heads[1 << HASH_BITS]; // last place of a hash, or -1
	int64_t links[WINDOW];         // the place before with the same hash
	DeflateToken tokens[BLOCK_TOKENS];
	int32_t tokenCount;
} Deflater;

static void deflatePut(Deflater* deflater, uint32_t value, int32_t count)
{
	deflater->bits |= (uint64_t)value << deflater->bitCount;
	deflater->bitCount += count;
	while (deflater->bitCount >= 8)
	{
		deflater->failed = !BR_PUSH(deflater->allocator, deflater->out, (uint8_t)deflater->bits) || deflater->failed;
		deflater->bits >>= 8;
		deflater->bitCount -= 8;
	}
}

// Code lengths of at most `limit` bits for the symbols that are used. Frequencies are halved until the tree is flat
// enough, which it soon is.
static void deflateLengths(uint32_t* frequencies, int32_t count, int32_t limit, uint8_t* lengths)
{
	memset(lengths, 0, (size_t)count);
	int32_t used = 0, only = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		used += frequencies[i] > 0;
		only = frequencies[i] > 0 ? i : only;
	}
	if (used <= 1)
	{
		lengths[only] = 1;
		return;
	}
	uint32_t weights[2 * br_deflateLiterals];
	int16_t parents[2 * br_deflateLiterals];
	int16_t heap[br_deflateLiterals];
	for (int32_t deepest = limit + 1; deepest > limit;)
	{
		// A heap of what has no parent yet, lightest first; of equals the lower number.
		int32_t heapCount = 0, nodeCount = count;
		for (int32_t pass = 0; pass < count; ++pass)
		{
			if (frequencies[pass] > 0)
			{
				weights[pass] = frequencies[pass];
				heap[heapCount++] = (int16_t)pass;
			}
		}
#define LIGHTER(a, b) (weights[a] < weights[b] || (weights[a] == weights[b] && (a) < (b)))
#define SIFT(start)                                                                                                    \
	for (int32_t at = (start), low; 2 * at + 1 < heapCount; at = low)                                                  \
	{                                                                                                                  \
		low = 2 * at + 1;                                                                                              \
		low += low + 1 < heapCount && LIGHTER(heap[low + 1], heap[low]);                                               \
		if (!LIGHTER(heap[low], heap[at]))                                                                             \
		{                                                                                                              \
			break;                                                                                                     \
		}                                                                                                              \
		int16_t other = heap[at];                                                                                      \
		heap[at] = heap[low], heap[low] = other;                                                                       \
	}
		for (int32_t i = heapCount / 2 - 1; i >= 0; --i)
		{
			SIFT(i)
		}
		while (heapCount > 1)
		{
			int16_t first = heap[0];
			heap[0] = heap[--heapCount];
			SIFT(0)
			int16_t second = heap[0];
			weights[nodeCount] = weights[first] + weights[second];
			parents[first] = parents[second] = (int16_t)nodeCount;
			heap[0] = (int16_t)nodeCount++;
			SIFT(0)
		}
#undef SIFT
#undef LIGHTER
		deepest = 0;
		for (int32_t i = 0; i < count; ++i)
		{
			int32_t depth = 0;
			for (int32_t node = i; frequencies[i] > 0 && node != nodeCount - 1; node = parents[node])
			{
				depth += 1;
			}
			lengths[i] = (uint8_t)(depth > 255 ? 255 : depth);
			deepest = depth > deepest ? depth : deepest;
			frequencies[i] = (frequencies[i] + 1) / 2;
		}
	}
}

// Canonical codes, their bits in the order in which they are written. Out of line and by two pointers: with the code's
// arrays in one struct gcc 12 for ARM64 counts one address from the other, and under qemu 7 the codes went elsewhere.
static __attribute__((noinline)) void deflateCodes(const uint8_t* lengths, int32_t count, uint16_t* codes)
{
	uint32_t next[br_deflateMaxBits + 2] = {0}, counts[br_deflateMaxBits + 1] = {0};
	for (int32_t i = 0; i < count; ++i)
	{
		counts[lengths[i]] += lengths[i] > 0;
	}
	for (int32_t bits = 1; bits <= br_deflateMaxBits; ++bits)
	{
		next[bits + 1] = (next[bits] + counts[bits]) << 1;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		uint32_t number = next[lengths[i]]++, reversed = 0;
		for (int32_t b = 0; b < lengths[i]; ++b)
		{
			reversed = reversed << 1 | (number >> b & 1);
		}
		codes[i] = (uint16_t)reversed;
	}
}

static int32_t deflateRange(const brDeflateRange* ranges, int32_t count, int32_t value)
{
	int32_t range = count - 1;
	while (ranges[range].base > value)
	{
		range -= 1;
	}
	return range;
}

// The header of a block: how long the code of each symbol is, one by one without the shorthand for repeats, since it is
// less than one percent of a block of a picture.
static void deflateHeader(Deflater* deflater, const DeflateCode* literals, const DeflateCode* distances)
{
	DeflateCode code;
	uint32_t frequencies[br_deflateCodeLengths] = {0};
	for (int32_t i = 0; i < br_deflateLiterals + br_deflateDistanceRanges; ++i)
	{
		uint8_t length = i < br_deflateLiterals ? literals->lengths[i] : distances->lengths[i - br_deflateLiterals];
		frequencies[length] += 1;
	}
	deflateLengths(frequencies, br_deflateCodeLengths, 7, code.lengths);
	deflateCodes(code.lengths, br_deflateCodeLengths, code.codes);
	deflatePut(deflater, br_deflateLiterals - 257, 5);
	deflatePut(deflater, br_deflateDistanceRanges - 1, 5);
	deflatePut(deflater, br_deflateCodeLengths - 4, 4);
	for (int32_t i = 0; i < br_deflateCodeLengths; ++i)
	{
		deflatePut(deflater, code.lengths[brDeflateLengthOrder[i]], 3);
	}
	for (int32_t i = 0; i < br_deflateLiterals + br_deflateDistanceRanges; ++i)
	{
		uint8_t length = i < br_deflateLiterals ? literals->lengths[i] : distances->lengths[i - br_deflateLiterals];
		deflatePut(deflater, code.codes[length], code.lengths[length]);
	}
}

static void deflateBlock(Deflater* deflater, bool isLast)
{
	uint32_t literalCounts[br_deflateLiterals] = {0}, distanceCounts[br_deflateDistanceRanges] = {0};
	literalCounts[256] = 1;
	for (int32_t i = 0; i < deflater->tokenCount; ++i)
	{
		DeflateToken token = deflater->tokens[i];
		if (token.distance == 0)
		{
			literalCounts[token.value] += 1;
			continue;
		}
		literalCounts[257 + deflateRange(brDeflateLengths, br_deflateLengthRanges, token.value)] += 1;
		distanceCounts[deflateRange(brDeflateDistances, br_deflateDistanceRanges, token.distance)] += 1;
	}
	DeflateCode literals, distances;
	deflateLengths(literalCounts, br_deflateLiterals, br_deflateMaxBits, literals.lengths);
	deflateLengths(distanceCounts, br_deflateDistanceRanges, br_deflateMaxBits, distances.lengths);
	deflateCodes(literals.lengths, br_deflateLiterals, literals.codes);
	deflateCodes(distances.lengths, br_deflateDistanceRanges, distances.codes);
	deflatePut(deflater, isLast, 1);
	deflatePut(deflater, 2, 2);
	deflateHeader(deflater, &literals, &distances);
	for (int32_t i = 0; i < deflater->tokenCount; ++i)
	{
		DeflateToken token = deflater->tokens[i];
		if (token.distance == 0)
		{
			deflatePut(deflater, literals.codes[token.value], literals.lengths[token.value]);
			continue;
		}
		int32_t range = deflateRange(brDeflateLengths, br_deflateLengthRanges, token.value);
		deflatePut(deflater, literals.codes[257 + range], literals.lengths[257 + range]);
		deflatePut(deflater, (uint32_t)(token.value - brDeflateLengths[range].base), brDeflateLengths[range].extra);
		range = deflateRange(brDeflateDistances, br_deflateDistanceRanges, token.distance);
		deflatePut(deflater, distances.codes[range], distances.lengths[range]);
		deflatePut(deflater, (uint32_t)(token.distance - brDeflateDistances[range].base),
				   brDeflateDistances[range].extra);
	}
	deflatePut(deflater, literals.codes[256], literals.lengths[256]);
	deflater->tokenCount = 0;
}

static uint32_t deflateHash(const uint8_t* at)
{
	return ((uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2]) * 2654435761u >> (32 - HASH_BITS);
}

static void deflateRemember(Deflater* deflater, size_t at)
{
	if (deflater->end - at >= 3)
	{
		uint32_t hash = deflateHash(deflater->in + at);
		deflater->links[at % WINDOW] = deflater->heads[hash];
		deflater->heads[hash] = (int64_t)at;
	}
}

// The longest match of at least three bytes for what begins at `at`; length 0 if there is none.
static DeflateToken deflateMatch(const Deflater* deflater, size_t at)
{
	DeflateToken best = {0, 0};
	size_t left = deflater->end - at, most = left < MAX_MATCH ? left : MAX_MATCH;
	if (most < 3)
	{
		return best;
	}
	const uint8_t* here = deflater->in + at;
	int64_t place = deflater->heads[deflateHash(here)];
	for (int32_t tries = 0; tries < CHAIN_LIMIT && place >= 0 && at - (size_t)place < WINDOW; ++tries)
	{
		const uint8_t* there = deflater->in + place;
		// Only what agrees where the best so far ends can be longer.
		size_t length = 0, worth = best.value < most ? best.value : most - 1;
		while (there[worth] == here[worth] && length < most && there[length] == here[length])
		{
			length += 1;
		}
		if (length >= 3 && length > best.value)
		{
			best = (DeflateToken){(uint16_t)length, (uint16_t)(at - (size_t)place)};
			if (length >= GOOD_LENGTH)
			{
				break;
			}
		}
		int64_t before = deflater->links[place % WINDOW];
		place = before < place ? before : -1;
	}
	return best;
}

// Bytes from `begin` on; only the last block of a stream says so.
static void deflateTokens(Deflater* deflater, size_t begin, bool isLast)
{
	for (size_t at = begin > WINDOW ? begin - WINDOW : 0; at < begin; ++at)
	{
		deflateRemember(deflater, at);
	}
	for (size_t at = begin; at < deflater->end;)
	{
		DeflateToken match = deflateMatch(deflater, at);
		deflateRemember(deflater, at);
		if (match.value > 0 && match.value < GOOD_LENGTH && at + 1 < deflater->end &&
			deflateMatch(deflater, at + 1).value > match.value)
		{
			match.value = 0; // the next byte begins a longer one
		}
		size_t length = match.value > 0 ? match.value : 1;
		deflater->tokens[deflater->tokenCount++] = match.value > 0 ? match : (DeflateToken){deflater->in[at], 0};
		for (size_t i = 1; i < length; ++i)
		{
			deflateRemember(deflater, at + i);
		}
		at += length;
		if (deflater->tokenCount == BLOCK_TOKENS)
		{
			deflateBlock(deflater, false);
		}
	}
	deflateBlock(deflater, isLast);
	if (!isLast)
	{
		deflatePut(deflater, 0, 3); // a block without bytes ends at a whole byte
		deflatePut(deflater, 0, -deflater->bitCount & 7);
		deflatePut(deflater, 0xFFFF0000u, 32);
	}
	deflatePut(deflater, 0, -deflater->bitCount & 7);
}

// Stretches of the input that workers pack side by side. They are the same for any number of workers.
typedef struct DeflateJob
{
	const brAllocator* allocator;
	const uint8_t* in;
	size_t inCount;
	brBytes* parts; // [partCount]
	bool* hasPart;  // [partCount]
	int32_t partCount;
} DeflateJob;

static void deflateParts(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const DeflateJob* job = user;
	Deflater* deflater = BR_ALLOC(job->allocator, Deflater, 1);
	for (int32_t i = begin; i < end && deflater != NULL; ++i)
	{
		bool isLast = i + 1 == job->partCount;
		deflater->allocator = job->allocator, deflater->out = &job->parts[i], deflater->failed = false;
		deflater->bits = 0, deflater->bitCount = 0, deflater->tokenCount = 0;
		deflater->in = job->in, deflater->end = isLast ? job->inCount : PART_BYTES * ((size_t)i + 1);
		memset(deflater->heads, 0xFF, sizeof(deflater->heads));
		deflateTokens(deflater, PART_BYTES * (size_t)i, isLast);
		job->hasPart[i] = !deflater->failed;
	}
	BR_FREE(job->allocator, deflater, 1);
}

static bool deflateAdd(const brAllocator* allocator, brBytes* out, const uint8_t* bytes, int32_t count)
{
	if (!BR_RESERVE(allocator, out, count))
	{
		return false;
	}
	memcpy(out->data + out->count, bytes, (size_t)count);
	out->count += count;
	return true;
}

bool brDeflate(brWorkers* workers, const brAllocator* allocator, const uint8_t* in, size_t inCount, brBytes* out)
{
	int32_t partCount = inCount > 0 ? (int32_t)((inCount - 1) / PART_BYTES) + 1 : 1;
	DeflateJob job = {.allocator = allocator, .in = in, .inCount = inCount, .partCount = partCount};
	job.parts = BR_ALLOC_ZERO(allocator, brBytes, partCount);
	job.hasPart = BR_ALLOC_ZERO(allocator, bool, partCount);
	bool isDone =
		job.parts != NULL && job.hasPart != NULL && deflateAdd(allocator, out, (const uint8_t[]){0x78, 0x9C}, 2);
	brParallelFor(workers, isDone ? partCount : 0, 1, deflateParts, &job);
	for (int32_t i = 0; i < partCount && job.parts != NULL; ++i)
	{
		isDone = isDone && job.hasPart[i] && deflateAdd(allocator, out, job.parts[i].data, job.parts[i].count);
		BR_FREE_ARRAY(allocator, &job.parts[i]);
	}
	uint32_t sum = brAdler32(in, inCount);
	const uint8_t tail[4] = {(uint8_t)(sum >> 24), (uint8_t)(sum >> 16), (uint8_t)(sum >> 8), (uint8_t)sum};
	isDone = isDone && deflateAdd(allocator, out, tail, 4);
	BR_FREE(allocator, job.parts, partCount);
	BR_FREE(allocator, job.hasPart, partCount);
	return isDone;
}
