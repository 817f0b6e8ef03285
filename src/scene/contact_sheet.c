// SPDX-License-Identifier: MIT

// Key frames of a motion in one picture.

#include "brittle/render.h"

#include "base/assert.h"
#include "base/memory.h"
#include "base/report.h"

#include <string.h>

#define SHEET_GAP 8

// Progress of one picture as progress of all.
typedef struct SheetProgress
{
	const brContext* context;
	int32_t done, count;
} SheetProgress;

static bool sheetCancel(double progress, void* user)
{
	const SheetProgress* sheet = user;
	return sheet->context->cancel((sheet->done + progress) / sheet->count, sheet->context->cancelUser);
}

brResult brSaveContactSheet(const brContext* context, const brAssembly* assembly, const brRenderDef* defs,
							int32_t count, int32_t columns, const char* path, brReport* report)
{
	const brRenderDef* def = defs; // of the size of all
	if (def == NULL || def->stamp != BR_STAMP(*def) || count < 1 || columns < 1 || count > 4096)
	{
		return brFail(report, br_errorMisuse, "a contact sheet needs 1 to 4096 defs and a number of columns");
	}
	columns = columns < count ? columns : count;
	int32_t rows = (count + columns - 1) / columns;
	int64_t width = (int64_t)columns * (def->width + SHEET_GAP) + SHEET_GAP;
	int64_t height = (int64_t)rows * (def->height + SHEET_GAP) + SHEET_GAP;
	if (width > 32768 || height > 32768)
	{
		return brFail(report, br_errorLimit, "a contact sheet of %lld x %lld pixels is too large", (long long)width,
					  (long long)height);
	}
	brAllocator allocator = brContext_Allocator(context);
	size_t sheetBytes = 4 * (size_t)width * (size_t)height, tileBytes = 4 * (size_t)def->width * (size_t)def->height;
	uint8_t* sheet = BR_ALLOC(&allocator, uint8_t, (int64_t)sheetBytes);
	uint8_t* tile = BR_ALLOC(&allocator, uint8_t, (int64_t)tileBytes);
	brResult result = sheet != NULL && tile != NULL ? br_success : brFailMemory(report);
	if (result >= 0)
	{
		memset(sheet, 255, sheetBytes);
	}
	SheetProgress progress = {context, 0, count};
	brContext inner = context != NULL ? *context : (brContext){0};
	inner.cancel = context != NULL && context->cancel != NULL ? sheetCancel : NULL;
	inner.cancelUser = &progress;
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		progress.done = i;
		brRenderDef one = defs[i];
		one.width = def->width, one.height = def->height;
		result = brRender(&inner, assembly, &one, tile, report);
		int64_t left = SHEET_GAP + (int64_t)(i % columns) * (def->width + SHEET_GAP);
		int64_t top = SHEET_GAP + (int64_t)(i / columns) * (def->height + SHEET_GAP);
		for (int32_t y = 0; y < def->height && result >= 0; ++y)
		{
			memcpy(sheet + 4 * ((size_t)(top + y) * (size_t)width + (size_t)left),
				   tile + 4 * (size_t)y * (size_t)def->width, 4 * (size_t)def->width);
		}
	}
	result = result < 0 ? result : brSavePng(context, path, (int32_t)width, (int32_t)height, sheet, report);
	BR_FREE(&allocator, sheet, (int64_t)sheetBytes);
	BR_FREE(&allocator, tile, (int64_t)tileBytes);
	return result;
}
