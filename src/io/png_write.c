// SPDX-License-Identifier: MIT

// Writing PNG: 8 bits of red, green, blue and alpha, each row with the filter that leaves the smallest bytes.

#include "base/report.h"
#include "brittle/render.h"
#include "io/deflate.h"
#include "io/file.h"

#include <stdlib.h>
#include <string.h>

// The check value of a chunk, as ISO 3309 has it.
static uint32_t pngCheck(uint32_t check, const uint8_t* bytes, size_t count)
{
	static const uint32_t nibbles[16] = {0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4,
										 0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
										 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
	for (size_t i = 0; i < count; ++i)
	{
		check ^= bytes[i];
		check = check >> 4 ^ nibbles[check & 15];
		check = check >> 4 ^ nibbles[check & 15];
	}
	return check;
}

static void pngStore32(uint8_t* at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 24), at[1] = (uint8_t)(value >> 16), at[2] = (uint8_t)(value >> 8);
	at[3] = (uint8_t)value;
}

static void pngChunk(brOutput* output, const char* kind, const uint8_t* bytes, size_t count)
{
	uint8_t head[8], tail[4];
	pngStore32(head, (uint32_t)count);
	memcpy(head + 4, kind, 4);
	pngStore32(tail, ~pngCheck(pngCheck(~0u, head + 4, 4), bytes, count));
	brOutput_Write(output, head, 8);
	brOutput_Write(output, bytes, count);
	brOutput_Write(output, tail, 4);
}

enum
{
	png_none,
	png_left,
	png_above,
	png_mean,
	png_paeth,
	png_filterCount,
};

// Each filter is a loop of its own.
#define PNG_EACH(guess)                                                                                                \
	for (size_t i = 4; i < count; ++i)                                                                                 \
	{                                                                                                                  \
		int32_t left = row[i - 4], up = above[i], corner = above[i - 4];                                               \
		(void)left, (void)up, (void)corner;                                                                            \
		out[i] = (uint8_t)(row[i] - (guess));                                                                          \
	}

static inline int32_t pngPaeth(int32_t left, int32_t up, int32_t corner)
{
	int32_t a = abs(up - corner), b = abs(left - corner), c = abs(left + up - 2 * corner);
	return a <= b && a <= c ? left : b <= c ? up : corner;
}

// One row by a filter, whose number goes in front; returns how large its bytes are, taken as signed. Nothing is to the
// left of the first pixel.
static uint32_t pngFilter(uint8_t* out, const uint8_t* row, const uint8_t* above, size_t count, int32_t filter)
{
	*out++ = (uint8_t)filter;
	for (size_t i = 0; i < 4; ++i)
	{
		int32_t up = filter == png_above || filter == png_paeth ? above[i] : filter == png_mean ? above[i] / 2 : 0;
		out[i] = (uint8_t)(row[i] - up);
	}
	switch (filter)
	{
		case png_left:
			PNG_EACH(left)
			break;
		case png_above:
			PNG_EACH(up)
			break;
		case png_mean:
			PNG_EACH((left + up) / 2)
			break;
		case png_paeth:
			PNG_EACH(pngPaeth(left, up, corner))
			break;
		default:
			memcpy(out, row, count);
	}
	uint32_t size = 0;
	for (size_t i = 0; i < count; ++i)
	{
		size += (uint32_t)abs((int8_t)out[i]);
	}
	return size;
}

typedef struct PngRows
{
	const uint8_t* pixels;
	const uint8_t* zeros; // above the first row
	uint8_t* rows;        // filtered
	size_t count;         // bytes of a row of pixels
} PngRows;

// The filter that leaves the smallest bytes, of equals the first.
static void pngFilterRows(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const PngRows* job = user;
	size_t count = job->count;
	for (int32_t y = begin; y < end; ++y)
	{
		const uint8_t* row = job->pixels + count * (size_t)y;
		const uint8_t* above = y > 0 ? row - count : job->zeros;
		uint8_t* out = job->rows + (count + 1) * (size_t)y;
		uint32_t least = UINT32_MAX;
		int32_t best = png_none;
		for (int32_t filter = 0; filter < png_filterCount; ++filter)
		{
			uint32_t size = pngFilter(out, row, above, count, filter);
			best = size < least ? filter : best;
			least = size < least ? size : least;
		}
		if (best != png_paeth)
		{
			pngFilter(out, row, above, count, best);
		}
	}
}

static bool pngPack(const brContext* context, int32_t width, int32_t height, const uint8_t* pixels, brBytes* packed)
{
	brAllocator allocator = brContext_Allocator(context);
	brWorkers* workers = context != NULL ? context->workers : NULL;
	int64_t count = 4 * (int64_t)width, all = (count + 1) * height;
	uint8_t* zeros = BR_ALLOC_ZERO(&allocator, uint8_t, count);
	uint8_t* rows = BR_ALLOC(&allocator, uint8_t, all);
	bool isReady = zeros != NULL && rows != NULL;
	PngRows job = {pixels, zeros, rows, (size_t)count};
	brParallelFor(workers, isReady ? height : 0, 8, pngFilterRows, &job);
	bool isDone = isReady && brDeflate(workers, &allocator, rows, (size_t)all, packed);
	BR_FREE(&allocator, zeros, count);
	BR_FREE(&allocator, rows, all);
	return isDone;
}

brResult brSavePng(const brContext* context, const char* path, int32_t width, int32_t height, const uint8_t* pixels,
				   brReport* report)
{
	if (path == NULL || pixels == NULL)
	{
		return brFail(report, br_errorMisuse, "a PNG needs a path and pixels");
	}
	if (width < 1 || height < 1 || width > 65536 || height > 65536)
	{
		return brFail(report, br_errorMisuse, "a PNG is 1 to 65536 pixels wide and high, not %d x %d", width, height);
	}
	brAllocator allocator = brContext_Allocator(context);
	brBytes packed = {0};
	if (!pngPack(context, width, height, pixels, &packed))
	{
		BR_FREE_ARRAY(&allocator, &packed);
		return brFailMemory(report);
	}
	brOutput output;
	brResult result = brOutput_Open(&output, &allocator, path, report);
	if (result >= 0)
	{
		uint8_t header[13] = {[8] = 8, [9] = 6};
		pngStore32(header, (uint32_t)width);
		pngStore32(header + 4, (uint32_t)height);
		brOutput_Write(&output, "\x89PNG\r\n\x1a\n", 8);
		pngChunk(&output, "IHDR", header, sizeof(header));
		pngChunk(&output, "sRGB", (const uint8_t*)"", 1);
		pngChunk(&output, "IDAT", packed.data, (size_t)packed.count);
		pngChunk(&output, "IEND", NULL, 0);
		result = brOutput_Commit(&output, report);
	}
	BR_FREE_ARRAY(&allocator, &packed);
	return result < 0 ? result : brSucceed(report);
}
