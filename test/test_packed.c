// SPDX-License-Identifier: MIT

// Packed bytes and PNG pictures: what goes in comes out, others read it, damage is refused.

#include "base/report.h"
#include "brittle/render.h"
#include "harness.h"
#include "io/deflate.h"
#include "io/png.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BR_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef BR_HAVE_PNG
#include <png.h>
#endif

// Bytes of one of five kinds: noise, runs, text of few letters, slopes, one byte.
static void packedFill(brRandom* random, uint32_t kind, uint8_t* bytes, size_t count)
{
	for (size_t i = 0; i < count; ++i)
	{
		uint32_t r = (uint32_t)brRandom_Next(random);
		bytes[i] = (uint8_t)(kind == 0   ? r
							 : kind == 1 ? (i / 37) * 91 % 253
							 : kind == 2 ? (uint8_t) "abcde   "[r % 8]
							 : kind == 3 ? i / 5 + (r % 16 == 0)
										 : 7);
	}
}

BR_TEST(packed_bytes_come_back)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	brWorkers* workers = brTest_Workers(3);
	for (int32_t round = 0; round < brTest_Rounds(test, 60); ++round)
	{
		size_t count = brRandom_Below(&random, round % 10 == 0 ? 300000 : 5000);
		uint8_t *in = malloc(count + 1), *back = malloc(count + 1);
		packedFill(&random, brRandom_Below(&random, 5), in, count);
		brBytes packed = {0}, again = {0};
		CHECK(brDeflate(NULL, &allocator, in, count, &packed));
		CHECK(brDeflate(workers, &allocator, in, count, &again) && again.count == packed.count);
		CHECK(memcmp(again.data, packed.data, (size_t)again.count) == 0);
		BR_FREE_ARRAY(&allocator, &again);
		CHECK(brInflate(packed.data, (size_t)packed.count, back, count) && memcmp(in, back, count) == 0);
		CHECK(!brInflate(packed.data, (size_t)packed.count, back, count + 1));
		memset(back, 1, count); // without head and checksum
		CHECK(brInflateRaw(packed.data + 2, (size_t)packed.count - 6, back, count) && memcmp(in, back, count) == 0);
		CHECK(!brInflateRaw(packed.data + 2, (size_t)packed.count - 7, back, count));
		CHECK(count == 0 || !brInflate(packed.data, (size_t)packed.count, back, count - 1));
		CHECK(!brInflate(packed.data, (size_t)packed.count - 1, back, count));
#ifdef BR_HAVE_ZLIB
		uLongf size = (uLongf)count;
		CHECK(uncompress(back, &size, packed.data, (uLong)packed.count) == Z_OK && size == count);
		CHECK(memcmp(in, back, count) == 0);
		uLongf most = compressBound((uLong)count);
		uint8_t* theirs = malloc(most);
		size = most;
		CHECK(compress2(theirs, &size, in, (uLong)count, (int)brRandom_Below(&random, 10)) == Z_OK);
		memset(back, 1, count);
		CHECK(brInflate(theirs, size, back, count) && memcmp(in, back, count) == 0);
		// We pack about as well: within a fifth and the header of a block.
		size = most;
		CHECK(compress2(theirs, &size, in, (uLong)count, 6) == Z_OK);
		CHECK_MESSAGE((double)packed.count <= 1.2 * (double)size + 400.0, "%d bytes, zlib %d, of %d", packed.count,
					  (int)size, (int)count);
		free(theirs);
#endif
		// Damage never reads or writes out of bounds; most of it is noticed by the checksum.
		for (int32_t i = 0; i < 20 && packed.count > 0; ++i)
		{
			uint8_t* byte = &packed.data[brRandom_Below(&random, (uint32_t)packed.count)];
			uint8_t kept = *byte;
			*byte = (uint8_t)brRandom_Next(&random);
			bool isRead = brInflate(packed.data, (size_t)packed.count, back, count);
			CHECK(!isRead || memcmp(in, back, count) == 0);
			*byte = kept;
		}
		BR_FREE_ARRAY(&allocator, &packed);
		free(in);
		free(back);
	}
	brDestroyWorkers(workers);
}

static brResult packOnce(const brContext* context, void* user)
{
	brAllocator allocator = brContext_Allocator(context);
	brBytes packed = {0};
	bool isDone = brDeflate(NULL, &allocator, user, 20000, &packed);
	BR_FREE_ARRAY(&allocator, &packed);
	return isDone ? br_success : br_errorMemory;
}

BR_TEST(packed_survives_every_failing_allocation)
{
	uint8_t* bytes = malloc(20000);
	brRandom random = brTest_Random(test);
	packedFill(&random, 0, bytes, 20000);
	CHECK(brTest_WalkAllocations(packOnce, bytes) >= 3);
	free(bytes);
}

#ifdef BR_HAVE_PNG

// Every kind of picture that libpng can write, against its pixels.
BR_TEST(png_of_every_kind_is_read)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	static const int kinds[][2] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {2, 8}, {2, 16},
								   {3, 1}, {3, 2}, {3, 4}, {3, 8}, {4, 8},  {6, 8}, {6, 16}};
	for (size_t k = 0; k < 2 * sizeof(kinds) / sizeof(kinds[0]); ++k)
	{
		int color = kinds[k / 2][0], depth = kinds[k / 2][1],
			channels = color == 2   ? 3
					   : color == 4 ? 2
					   : color == 6 ? 4
									: 1;
		int32_t width = 1 + (int32_t)brRandom_Below(&random, 40), height = 1 + (int32_t)brRandom_Below(&random, 40);
		size_t rowBytes = ((size_t)width * (size_t)(channels * depth) + 7) / 8;
		uint8_t* rows = malloc(rowBytes * (size_t)height);
		for (size_t i = 0; i < rowBytes * (size_t)height; ++i)
		{
			rows[i] = (uint8_t)(i % 7 < 3 ? brRandom_Next(&random) : i);
		}
		char path[512];
		snprintf(path, sizeof(path), "%s", brTest_ScratchPath("kind.png"));
		FILE* file = fopen(path, "wb+");
		png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
		png_infop info = png_create_info_struct(png);
		png_init_io(png, file);
		png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, depth, color,
					 k % 2 == 0 ? PNG_INTERLACE_NONE : PNG_INTERLACE_ADAM7, 0, 0);
		png_color palette[256];
		for (int i = 0; i < 256; ++i)
		{
			palette[i] = (png_color){(uint8_t)i, (uint8_t)(3 * i), (uint8_t)(255 - i)};
		}
		if (color == 3)
		{
			png_set_PLTE(png, info, palette, 1 << depth);
		}
		png_set_filter(png, 0, PNG_ALL_FILTERS);
		png_bytep* pointers = malloc((size_t)height * sizeof(*pointers));
		for (int32_t y = 0; y < height; ++y)
		{
			pointers[y] = rows + rowBytes * (size_t)y;
		}
		png_set_rows(png, info, pointers);
		png_write_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
		png_destroy_write_struct(&png, &info);
		long size = ftell(file);
		uint8_t* bytes = malloc((size_t)size);
		rewind(file);
		CHECK(fread(bytes, 1, (size_t)size, file) == (size_t)size);
		fclose(file);
		float* values = malloc(sizeof(float) * (size_t)width * (size_t)height);
		const char* problem = brPng_ReadGray(&allocator, bytes, (size_t)size, values);
		CHECK_MESSAGE(problem == NULL, "color %d, depth %d: %s", color, depth, problem);
		double most = (1 << depth) - 1;
		for (int32_t i = 0; i < width * height; ++i)
		{
			const uint8_t* row = pointers[i / width];
			double s[3];
			for (int c = 0; c < 3; ++c)
			{
				int at = i % width * channels + (channels < 3 ? 0 : c), bit = at * depth;
				s[c] = depth == 16 ? (row[2 * at] << 8 | row[2 * at + 1]) / most
								   : (row[bit / 8] >> (8 - depth - bit % 8) & ((1 << depth) - 1)) / most;
			}
			if (color == 3)
			{
				int entry = (int)lround(s[0] * most);
				s[0] = palette[entry].red / 255.0, s[1] = palette[entry].green / 255.0;
				s[2] = palette[entry].blue / 255.0;
			}
			CHECK_NEAR(values[i], 0.2126 * s[0] + 0.7152 * s[1] + 0.0722 * s[2], 1e-6);
		}
		// Damage is answered, whatever it is.
		for (int32_t i = 0; i < 30; ++i)
		{
			bytes[brRandom_Below(&random, (uint32_t)size)] = (uint8_t)brRandom_Next(&random);
			int32_t w = 0, h = 0;
			if (brPng_Measure(bytes, (size_t)size, &w, &h) == NULL && w == width && h == height)
			{
				brPng_ReadGray(&allocator, bytes, (size_t)size, values);
			}
		}
		free(values), free(bytes), free(pointers), free(rows);
	}
}

#endif
