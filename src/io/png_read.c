// SPDX-License-Identifier: MIT

// Reading PNG: chunks, unpacking, the five filters, seven passes when interlaced, samples of any depth to gray.

#include "io/png.h"

#include "io/bytes.h"
#include "io/deflate.h"

#include <stdlib.h>
#include <string.h>

const char brPng_NoMemory[] = "not enough memory";

typedef struct PngPicture
{
	int32_t width, height;
	int32_t depth; // bits of a sample
	int32_t color; // 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGBA
	int32_t channels;
	bool isInterlaced;
	const uint8_t* palette; // [paletteCount * 3]
	int32_t paletteCount;
} PngPicture;

// One pass of an interlaced picture: every stepX-th pixel from firstX on.
typedef struct PngPass
{
	uint8_t firstX, firstY, stepX, stepY;
} PngPass;

static const PngPass pngPasses[7] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
									 {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
static const PngPass pngWhole = {0, 0, 1, 1};

static uint32_t pngLoad32(const uint8_t* at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static const char* pngReadHeader(const uint8_t* bytes, size_t byteCount, PngPicture* picture)
{
	if (byteCount < 33 || memcmp(bytes, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16) != 0)
	{
		return "not a PNG file";
	}
	uint32_t width = pngLoad32(bytes + 16), height = pngLoad32(bytes + 20);
	if (width < 1 || height < 1 || width > 1 << 28 || height > 1 << 28)
	{
		return "the picture is empty or more than 2^28 pixels wide or high";
	}
	static const int8_t channels[7] = {1, 0, 3, 1, 2, 0, 4};
	// Bit d is set if that color goes with samples of d bits.
	static const uint32_t depths[7] = {0x10116, 0, 0x10100, 0x116, 0x10100, 0, 0x10100};
	int32_t depth = bytes[24], color = bytes[25];
	if (color > 6 || depth > 16 || (depths[color] >> depth & 1) == 0 || bytes[26] != 0 || bytes[27] != 0 ||
		bytes[28] > 1)
	{
		return "its header names a kind of picture that PNG does not have";
	}
	*picture = (PngPicture){.width = (int32_t)width,
							.height = (int32_t)height,
							.depth = depth,
							.color = color,
							.channels = channels[color],
							.isInterlaced = bytes[28] == 1};
	return NULL;
}

const char* brPng_Measure(const uint8_t* bytes, size_t byteCount, int32_t* outWidth, int32_t* outHeight)
{
	PngPicture picture;
	const char* problem = pngReadHeader(bytes, byteCount, &picture);
	if (problem == NULL)
	{
		*outWidth = picture.width, *outHeight = picture.height;
	}
	return problem;
}

// Packed data of all IDAT chunks in one piece, and the palette.
static const char* pngCollect(const brAllocator* allocator, const uint8_t* bytes, size_t byteCount, PngPicture* picture,
							  brBytes* data)
{
	for (size_t at = 8; byteCount - at >= 12;)
	{
		size_t length = pngLoad32(bytes + at);
		if (length > byteCount - at - 12)
		{
			return "a chunk is longer than the file";
		}
		const uint8_t *kind = bytes + at + 4, *content = bytes + at + 8;
		if (memcmp(kind, "IEND", 4) == 0)
		{
			break;
		}
		if (memcmp(kind, "PLTE", 4) == 0)
		{
			picture->palette = content, picture->paletteCount = (int32_t)(length / 3 < 256 ? length / 3 : 256);
		}
		if (memcmp(kind, "IDAT", 4) == 0 && length > 0)
		{
			if (length > INT32_MAX / 2 || !BR_RESERVE(allocator, data, (int64_t)length))
			{
				return brPng_NoMemory;
			}
			memcpy(data->data + data->count, content, length);
			data->count += (int32_t)length;
		}
		at += length + 12;
	}
	return picture->color == 3 && picture->paletteCount == 0 ? "its palette is missing" : NULL;
}

static int32_t pngPassCount(int32_t size, int32_t first, int32_t step)
{
	return size > first ? (size - first + step - 1) / step : 0;
}

// Bytes of a pass: each row has its filter in front.
static size_t pngRowBytes(const PngPicture* picture, int32_t columns)
{
	return ((size_t)columns * (size_t)(picture->depth * picture->channels) + 7) / 8;
}

static uint8_t pngPaeth(int32_t left, int32_t above, int32_t corner)
{
	int32_t guess = left + above - corner;
	int32_t a = abs(guess - left), b = abs(guess - above), c = abs(guess - corner);
	return (uint8_t)(a <= b && a <= c ? left : b <= c ? above : corner);
}

// Undoes the filter of a row in place. `above` is null for the first.
static bool pngUnfilter(uint8_t* row, const uint8_t* above, size_t count, size_t pixel, int32_t filter)
{
	for (size_t i = 0; i < count && filter != 0; ++i)
	{
		int32_t left = i >= pixel ? row[i - pixel] : 0, up = above != NULL ? above[i] : 0;
		int32_t corner = i >= pixel && above != NULL ? above[i - pixel] : 0;
		int32_t guess = filter == 1   ? left
						: filter == 2 ? up
						: filter == 3 ? (left + up) / 2
									  : pngPaeth(left, up, corner);
		row[i] = (uint8_t)(row[i] + guess);
	}
	return filter <= 4;
}

static float pngGray(const PngPicture* picture, const uint8_t* row, int32_t column)
{
	int32_t samples[4] = {0};
	int32_t used = picture->channels < 3 ? 1 : 3;
	for (int32_t i = 0; i < used; ++i)
	{
		size_t at = (size_t)column * (size_t)picture->channels + (size_t)i;
		if (picture->depth == 16)
		{
			samples[i] = row[2 * at] << 8 | row[2 * at + 1];
			continue;
		}
		size_t bit = at * (size_t)picture->depth;
		samples[i] = row[bit / 8] >> (8 - picture->depth - (int32_t)(bit % 8)) & ((1 << picture->depth) - 1);
	}
	double scale = 1.0 / ((1 << picture->depth) - 1);
	if (picture->color == 3)
	{
		int32_t entry = samples[0] < picture->paletteCount ? samples[0] : picture->paletteCount - 1;
		for (int32_t i = 0; i < 3; ++i)
		{
			samples[i] = picture->palette[3 * entry + i];
		}
		scale = 1.0 / 255.0;
	}
	bool isGray = used == 1 && picture->color != 3;
	if (isGray || (samples[0] == samples[1] && samples[1] == samples[2]))
	{
		return (float)(scale * samples[0]);
	}
	return (float)(scale * (0.2126 * samples[0] + 0.7152 * samples[1] + 0.0722 * samples[2]));
}

static const char* pngDecode(const PngPicture* picture, uint8_t* rows, float* values)
{
	int32_t passCount = picture->isInterlaced ? 7 : 1;
	size_t bits = (size_t)(picture->depth * picture->channels), pixel = bits < 8 ? 1 : bits / 8;
	for (int32_t i = 0; i < passCount; ++i)
	{
		PngPass pass = picture->isInterlaced ? pngPasses[i] : pngWhole;
		int32_t columns = pngPassCount(picture->width, pass.firstX, pass.stepX);
		int32_t lines = columns > 0 ? pngPassCount(picture->height, pass.firstY, pass.stepY) : 0;
		size_t count = pngRowBytes(picture, columns);
		const uint8_t* above = NULL;
		for (int32_t y = 0; y < lines; ++y)
		{
			uint8_t* row = rows + 1;
			if (!pngUnfilter(row, above, count, pixel, rows[0]))
			{
				return "a row has a filter that PNG does not have";
			}
			float* line = values + (int64_t)picture->width * (pass.firstY + pass.stepY * y);
			for (int32_t x = 0; x < columns; ++x)
			{
				line[pass.firstX + pass.stepX * x] = pngGray(picture, row, x);
			}
			above = row;
			rows += count + 1;
		}
	}
	return NULL;
}

static size_t pngUnpackedBytes(const PngPicture* picture)
{
	size_t total = 0;
	int32_t passCount = picture->isInterlaced ? 7 : 1;
	for (int32_t i = 0; i < passCount; ++i)
	{
		PngPass pass = picture->isInterlaced ? pngPasses[i] : pngWhole;
		int32_t columns = pngPassCount(picture->width, pass.firstX, pass.stepX);
		int32_t lines = columns > 0 ? pngPassCount(picture->height, pass.firstY, pass.stepY) : 0;
		total += (size_t)lines * (pngRowBytes(picture, columns) + 1);
	}
	return total;
}

const char* brPng_ReadGray(const brAllocator* allocator, const uint8_t* bytes, size_t byteCount, float* values)
{
	PngPicture picture;
	const char* problem = pngReadHeader(bytes, byteCount, &picture);
	if (problem != NULL)
	{
		return problem;
	}
	brBytes packed = {0};
	problem = pngCollect(allocator, bytes, byteCount, &picture, &packed);
	size_t count = pngUnpackedBytes(&picture);
	uint8_t* rows = problem == NULL ? brAlloc(allocator, count) : NULL;
	if (problem == NULL && rows == NULL)
	{
		problem = brPng_NoMemory;
	}
	if (problem == NULL && !brInflate(packed.data, (size_t)packed.count, rows, count))
	{
		problem = "its data is broken or cut short";
	}
	if (problem == NULL)
	{
		problem = pngDecode(&picture, rows, values);
	}
	brFree(allocator, rows, count);
	BR_FREE_ARRAY(allocator, &packed);
	return problem;
}
