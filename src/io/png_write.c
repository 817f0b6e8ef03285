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

static uint8_t pngGuess(int32_t filter, int32_t left, int32_t above, int32_t corner)
{
	int32_t guess = left + above - corner;
	int32_t a = abs(guess - left), b = abs(guess - above), c = abs(guess - corner);
	int32_t paeth = a <= b && a <= c ? left : b <= c ? above : corner;
	const int32_t guesses[5] = {0, left, above, (left + above) / 2, paeth};
	return (uint8_t)guesses[filter];
}

// One row with its filter in front; returns how large its bytes are, taken as signed.
static uint64_t pngFilter(uint8_t* out, const uint8_t* row, const uint8_t* above, size_t count, int32_t filter)
{
	uint64_t size = 0;
	out[0] = (uint8_t)filter;
	for (size_t i = 0; i < count; ++i)
	{
		int32_t left = i >= 4 ? row[i - 4] : 0, up = above != NULL ? above[i] : 0;
		int32_t corner = i >= 4 && above != NULL ? above[i - 4] : 0;
		uint8_t byte = (uint8_t)(row[i] - pngGuess(filter, left, up, corner));
		out[1 + i] = byte;
		size += byte < 128 ? byte : 256u - byte;
	}
	return size;
}

// All rows, filtered.
static bool pngFilterRows(const brAllocator* allocator, int32_t width, int32_t height, const uint8_t* pixels,
						  uint8_t* rows)
{
	size_t count = 4 * (size_t)width;
	uint8_t* trial = brAlloc(allocator, count + 1);
	for (int32_t y = 0; y < height && trial != NULL; ++y)
	{
		const uint8_t* row = pixels + count * (size_t)y;
		uint8_t* out = rows + (count + 1) * (size_t)y;
		const uint8_t* above = y > 0 ? row - count : NULL;
		uint64_t best = UINT64_MAX;
		for (int32_t filter = 0; filter < 5; ++filter)
		{
			uint64_t size = pngFilter(trial, row, above, count, filter);
			if (size < best)
			{
				best = size;
				memcpy(out, trial, count + 1);
			}
		}
	}
	brFree(allocator, trial, count + 1);
	return trial != NULL;
}

static bool pngPack(const brAllocator* allocator, int32_t width, int32_t height, const uint8_t* pixels, brBytes* packed)
{
	size_t count = (4 * (size_t)width + 1) * (size_t)height;
	uint8_t* rows = brAlloc(allocator, count);
	bool isDone = rows != NULL && pngFilterRows(allocator, width, height, pixels, rows) &&
				  brDeflate(allocator, rows, count, packed);
	brFree(allocator, rows, count);
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
	if (!pngPack(&allocator, width, height, pixels, &packed))
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
