// SPDX-License-Identifier: MIT

// PNG through libpng. Its errors come back by longjmp to the one frame below, which owns everything that must be freed.

#include "base/memory.h"
#include "base/report.h"
#include "brittle/render.h"

#ifdef BR_HAVE_PNG

#include "io/file.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>

typedef struct PngSink
{
	brOutput output;
	jmp_buf escape;
	char message[160];
} PngSink;

static void pngTake(png_structp png, png_bytep bytes, size_t byteCount)
{
	PngSink* sink = png_get_io_ptr(png);
	brOutput_Write(&sink->output, bytes, byteCount);
}

static void pngFlush(png_structp png)
{
	(void)png;
}

static void pngFail(png_structp png, png_const_charp message)
{
	PngSink* sink = png_get_error_ptr(png);
	snprintf(sink->message, sizeof(sink->message), "%s", message);
	longjmp(sink->escape, 1);
}

static void pngWarn(png_structp png, png_const_charp message)
{
	(void)png;
	(void)message;
}

// Nothing here changes after setjmp but what `sink` points to, so a jump back finds all locals as they were.
static bool pngWrite(PngSink* sink, png_structp png, png_infop info, int32_t width, int32_t height,
					 const uint8_t* pixels)
{
	if (setjmp(sink->escape) != 0)
	{
		return false;
	}
	png_set_write_fn(png, sink, pngTake, pngFlush);
	png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGBA, PNG_INTERLACE_NONE,
				 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
	png_write_info(png, info);
	for (int32_t y = 0; y < height; ++y)
	{
		png_write_row(png, pixels + 4 * (size_t)width * (size_t)y);
	}
	png_write_end(png, info);
	return true;
}

static brResult pngSave(const brAllocator* allocator, const char* path, int32_t width, int32_t height,
						const uint8_t* pixels, brReport* report)
{
	PngSink* sink = BR_ALLOC_ZERO(allocator, PngSink, 1);
	if (sink == NULL)
	{
		return brFailMemory(report);
	}
	brResult result = brOutput_Open(&sink->output, allocator, path, report);
	if (result >= 0)
	{
		png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, sink, pngFail, pngWarn);
		png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
		if (info == NULL)
		{
			result = brFailMemory(report);
		}
		else if (!pngWrite(sink, png, info, width, height, pixels))
		{
			result = brFail(report, br_errorFile, "cannot write %s: %s", path, sink->message);
		}
		png_destroy_write_struct(png != NULL ? &png : NULL, info != NULL ? &info : NULL);
		if (result >= 0)
		{
			result = brOutput_Commit(&sink->output, report);
		}
		else
		{
			brOutput_Abort(&sink->output);
		}
	}
	BR_FREE(allocator, sink, 1);
	return result;
}

#else

static brResult pngSave(const brAllocator* allocator, const char* path, int32_t width, int32_t height,
						const uint8_t* pixels, brReport* report)
{
	(void)allocator, (void)path, (void)width, (void)height, (void)pixels;
	return brFail(report, br_errorUnavailable, "this build has no libpng, which writes pictures");
}

#endif

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
	brResult result = pngSave(&allocator, path, width, height, pixels, report);
	return result < 0 ? result : brSucceed(report);
}
