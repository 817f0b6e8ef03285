// SPDX-License-Identifier: MIT

// Unpacking. A code of up to FAST_BITS bits is one look into a table; longer ones, which are rare, are walked by length:
// codes of one length are consecutive numbers (canonical Huffman codes, RFC 1951 3.2.2).

#include "io/deflate.h"

#include <string.h>

#define FAST_BITS 10

const brDeflateRange brDeflateLengths[br_deflateLengthRanges] = {
	{3, 0},  {4, 0},  {5, 0},  {6, 0},   {7, 0},   {8, 0},   {9, 0},   {10, 0},  {11, 1}, {13, 1},
	{15, 1}, {17, 1}, {19, 2}, {23, 2},  {27, 2},  {31, 2},  {35, 3},  {43, 3},  {51, 3}, {59, 3},
	{67, 4}, {83, 4}, {99, 4}, {115, 4}, {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}};
const brDeflateRange brDeflateDistances[br_deflateDistanceRanges] = {
	{1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},     {9, 2},     {13, 2},
	{17, 3},    {25, 3},    {33, 4},    {49, 4},     {65, 5},     {97, 5},    {129, 6},   {193, 6},
	{257, 7},   {385, 7},   {513, 8},   {769, 8},    {1025, 9},   {1537, 9},  {2049, 10}, {3073, 10},
	{4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}};
const uint8_t brDeflateLengthOrder[br_deflateCodeLengths] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
															 11, 4,  12, 3, 13, 2, 14, 1, 15};

typedef struct InflateCode
{
	uint16_t fast[1 << FAST_BITS]; // 16 * symbol + bits; 0 for longer codes and those that do not exist
	uint16_t counts[br_deflateMaxBits + 1];
	uint16_t symbols[288]; // by length, then by number
} InflateCode;

typedef struct Inflater
{
	const uint8_t* in;
	const uint8_t* inEnd;
	uint8_t* out; // next byte
	uint8_t* outBegin;
	uint8_t* outEnd;
	uint64_t bits;
	int32_t bitCount;
	int32_t missing; // zero bits that were made up behind the end
	InflateCode literals, distances;
} Inflater;

// At least 32 bits, zeros behind the end of the input.
static void inflateFill(Inflater* inflater)
{
	while (inflater->bitCount <= 56)
	{
		if (inflater->in < inflater->inEnd)
		{
			inflater->bits |= (uint64_t)*inflater->in++ << inflater->bitCount;
		}
		else
		{
			inflater->missing += 8;
		}
		inflater->bitCount += 8;
	}
}

static uint32_t inflateTake(Inflater* inflater, int32_t count)
{
	if (inflater->bitCount < count)
	{
		inflateFill(inflater);
	}
	uint32_t value = (uint32_t)(inflater->bits & (((uint64_t)1 << count) - 1));
	inflater->bits >>= count;
	inflater->bitCount -= count;
	return value;
}

static uint32_t inflateReverse(uint32_t code, int32_t bits)
{
	uint32_t reversed = 0;
	for (int32_t i = 0; i < bits; ++i)
	{
		reversed |= (code >> i & 1) << (bits - 1 - i);
	}
	return reversed;
}

// False if lengths ask for more codes than there are.
static bool inflateMakeCode(InflateCode* code, const uint8_t* lengths, int32_t count)
{
	memset(code, 0, sizeof(*code));
	for (int32_t i = 0; i < count; ++i)
	{
		code->counts[lengths[i]] += 1;
	}
	code->counts[0] = 0;
	uint32_t next[br_deflateMaxBits + 2] = {0};
	uint16_t places[br_deflateMaxBits + 2] = {0};
	for (int32_t bits = 1; bits <= br_deflateMaxBits; ++bits)
	{
		next[bits + 1] = (next[bits] + code->counts[bits]) << 1;
		places[bits + 1] = (uint16_t)(places[bits] + code->counts[bits]);
		if (next[bits] + code->counts[bits] > 1u << bits)
		{
			return false;
		}
	}
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t bits = lengths[i];
		if (bits == 0)
		{
			continue;
		}
		code->symbols[places[bits]++] = (uint16_t)i;
		uint32_t reversed = inflateReverse(next[bits]++, bits);
		for (uint32_t at = reversed; bits <= FAST_BITS && at < 1u << FAST_BITS; at += 1u << bits)
		{
			code->fast[at] = (uint16_t)(16 * i + bits);
		}
	}
	return true;
}

// The next symbol, or -1 if no code begins so.
static int32_t inflateSymbol(Inflater* inflater, const InflateCode* code)
{
	if (inflater->bitCount < br_deflateMaxBits)
	{
		inflateFill(inflater);
	}
	uint16_t entry = code->fast[inflater->bits & ((1 << FAST_BITS) - 1)];
	if (entry != 0)
	{
		inflater->bits >>= entry & 15;
		inflater->bitCount -= entry & 15;
		return entry >> 4;
	}
	int32_t number = 0, first = 0, place = 0;
	for (int32_t bits = 1; bits <= br_deflateMaxBits; ++bits)
	{
		number |= (int32_t)(inflater->bits >> (bits - 1) & 1);
		int32_t count = code->counts[bits];
		if (number - first < count)
		{
			inflater->bits >>= bits;
			inflater->bitCount -= bits;
			return code->symbols[place + number - first];
		}
		place += count;
		first = (first + count) << 1;
		number <<= 1;
	}
	return -1;
}

static bool inflateStored(Inflater* inflater)
{
	inflateTake(inflater, inflater->bitCount & 7);
	uint32_t length = inflateTake(inflater, 16), complement = inflateTake(inflater, 16);
	if ((length ^ complement) != 0xFFFF || length > (size_t)(inflater->outEnd - inflater->out))
	{
		return false;
	}
	for (uint32_t i = 0; i < length; ++i)
	{
		*inflater->out++ = (uint8_t)inflateTake(inflater, 8);
	}
	return inflater->missing <= inflater->bitCount;
}

// Literals and copies up to the end of the block.
static bool inflateBlock(Inflater* inflater)
{
	while (inflater->missing <= inflater->bitCount)
	{
		int32_t symbol = inflateSymbol(inflater, &inflater->literals);
		if (symbol == 256)
		{
			return inflater->missing <= inflater->bitCount;
		}
		if (symbol < 256)
		{
			if (symbol < 0 || inflater->out == inflater->outEnd)
			{
				return false;
			}
			*inflater->out++ = (uint8_t)symbol;
			continue;
		}
		if (symbol - 257 >= br_deflateLengthRanges)
		{
			return false;
		}
		brDeflateRange range = brDeflateLengths[symbol - 257];
		size_t length = range.base + inflateTake(inflater, range.extra);
		symbol = inflateSymbol(inflater, &inflater->distances);
		if (symbol < 0 || symbol >= br_deflateDistanceRanges)
		{
			return false;
		}
		range = brDeflateDistances[symbol];
		size_t distance = range.base + inflateTake(inflater, range.extra);
		if (distance > (size_t)(inflater->out - inflater->outBegin) ||
			length > (size_t)(inflater->outEnd - inflater->out))
		{
			return false;
		}
		// Byte by byte: a copy may overlap what it writes.
		for (; length > 0; --length, ++inflater->out)
		{
			*inflater->out = *(inflater->out - distance);
		}
	}
	return false;
}

static bool inflateFixedCodes(Inflater* inflater)
{
	uint8_t lengths[288];
	for (int32_t i = 0; i < 288; ++i)
	{
		lengths[i] = i < 144 || i >= 280 ? 8 : i < 256 ? 9 : 7;
	}
	uint8_t distances[30];
	memset(distances, 5, sizeof(distances));
	return inflateMakeCode(&inflater->literals, lengths, 288) && inflateMakeCode(&inflater->distances, distances, 30);
}

static bool inflateOwnCodes(Inflater* inflater)
{
	int32_t literalCount = 257 + (int32_t)inflateTake(inflater, 5);
	int32_t distanceCount = 1 + (int32_t)inflateTake(inflater, 5);
	int32_t orderCount = 4 + (int32_t)inflateTake(inflater, 4);
	uint8_t lengths[320] = {0};
	for (int32_t i = 0; i < orderCount; ++i)
	{
		lengths[brDeflateLengthOrder[i]] = (uint8_t)inflateTake(inflater, 3);
	}
	if (literalCount > br_deflateLiterals || !inflateMakeCode(&inflater->literals, lengths, br_deflateCodeLengths))
	{
		return false;
	}
	int32_t total = literalCount + distanceCount;
	for (int32_t i = 0; i < total;)
	{
		int32_t symbol = inflateSymbol(inflater, &inflater->literals);
		if (symbol < 0)
		{
			return false;
		}
		if (symbol < 16)
		{
			lengths[i++] = (uint8_t)symbol;
			continue;
		}
		if (symbol == 16 && i == 0)
		{
			return false;
		}
		int32_t repeat = symbol == 16   ? 3 + (int32_t)inflateTake(inflater, 2)
						 : symbol == 17 ? 3 + (int32_t)inflateTake(inflater, 3)
										: 11 + (int32_t)inflateTake(inflater, 7);
		if (repeat > total - i)
		{
			return false;
		}
		memset(lengths + i, symbol == 16 ? lengths[i - 1] : 0, (size_t)repeat);
		i += repeat;
	}
	return inflateMakeCode(&inflater->literals, lengths, literalCount) &&
		   inflateMakeCode(&inflater->distances, lengths + literalCount, distanceCount);
}

uint32_t brAdler32(const uint8_t* bytes, size_t count)
{
	uint32_t low = 1, high = 0;
	while (count > 0)
	{
		size_t block = count < 5552 ? count : 5552; // the sums of so many fit 32 bits
		for (size_t i = 0; i < block; ++i)
		{
			low += *bytes++;
			high += low;
		}
		low %= 65521, high %= 65521;
		count -= block;
	}
	return high << 16 | low;
}

static bool inflateBlocks(Inflater* inflater, const uint8_t* in, size_t inCount, uint8_t* out, size_t outCount)
{
	inflater->in = in, inflater->inEnd = in + inCount;
	inflater->out = inflater->outBegin = out, inflater->outEnd = out + outCount;
	inflater->bits = 0, inflater->bitCount = 0, inflater->missing = 0;
	bool isLast = false;
	while (!isLast)
	{
		isLast = inflateTake(inflater, 1) != 0;
		uint32_t kind = inflateTake(inflater, 2);
		bool isGood = kind == 0   ? inflateStored(inflater)
					  : kind == 1 ? inflateFixedCodes(inflater) && inflateBlock(inflater)
					  : kind == 2 ? inflateOwnCodes(inflater) && inflateBlock(inflater)
								  : false;
		if (!isGood)
		{
			return false;
		}
	}
	return inflater->out == inflater->outEnd;
}

bool brInflateRaw(const uint8_t* in, size_t inCount, uint8_t* out, size_t outCount)
{
	Inflater inflater;
	return inflateBlocks(&inflater, in, inCount, out, outCount) && inflater.missing <= inflater.bitCount;
}

bool brInflate(const uint8_t* in, size_t inCount, uint8_t* out, size_t outCount)
{
	Inflater inflater;
	if (inCount < 6 || (in[0] & 15) != 8 || (256 * in[0] + in[1]) % 31 != 0 || (in[1] & 32) != 0 ||
		!inflateBlocks(&inflater, in + 2, inCount - 2, out, outCount))
	{
		return false;
	}
	inflateTake(&inflater, inflater.bitCount & 7);
	uint32_t sum = 0;
	for (int i = 0; i < 4; ++i)
	{
		sum = sum << 8 | inflateTake(&inflater, 8);
	}
	return inflater.missing <= inflater.bitCount && sum == brAdler32(out, outCount);
}
