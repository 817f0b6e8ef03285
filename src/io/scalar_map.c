// SPDX-License-Identifier: MIT

// Grids of numbers from pictures and voxel files.

#include "brittle/scalar_map.h"

#include "io/deflate.h"
#include "io/file.h"
#include "io/number.h"
#include "io/png.h"
#include "io/text.h"
#include "io/vtk_grid.h"

#include <string.h>

enum
{
	mapMostNodes = 1 << 28,
};

static brScalarMap* mapAllocate(const brAllocator* allocator, const int32_t counts[3])
{
	brScalarMap* map = BR_ALLOC_ZERO(allocator, brScalarMap, 1);
	int64_t count = (int64_t)counts[0] * counts[1] * counts[2];
	float* values = map != NULL ? BR_ALLOC(allocator, float, count) : NULL;
	if (values == NULL)
	{
		BR_FREE(allocator, map, 1);
		return NULL;
	}
	memcpy(map->counts, counts, 3 * sizeof(int32_t));
	map->values = values;
	map->box = (brDBox3){{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}};
	map->allocator = *allocator;
	return map;
}

static bool mapIsSized(const double counts[3])
{
	double product = 1.0;
	bool isGood = true;
	for (int i = 0; i < 3; ++i)
	{
		isGood = isGood && counts[i] >= 1.0 && counts[i] <= mapMostNodes && counts[i] == floor(counts[i]);
		product *= counts[i];
	}
	return isGood && product <= mapMostNodes;
}

brResult brCreateScalarMap(const brContext* context, const int32_t counts[3], const float* values, brScalarMap** outMap,
						   brReport* report)
{
	if (values == NULL || outMap == NULL || counts == NULL ||
		!mapIsSized((const double[3]){counts[0], counts[1], counts[2]}))
	{
		return brFail(report, br_errorMisuse, "a map needs 1 to 2^28 values");
	}
	brAllocator allocator = brContext_Allocator(context);
	brScalarMap* map = mapAllocate(&allocator, counts);
	if (map == NULL)
	{
		return brFailMemory(report);
	}
	memcpy(map->values, values, sizeof(float) * (size_t)counts[0] * (size_t)counts[1] * (size_t)counts[2]);
	*outMap = map;
	return brSucceed(report);
}

void brDestroyScalarMap(brScalarMap* map)
{
	if (map != NULL)
	{
		brAllocator allocator = map->allocator;
		BR_FREE(&allocator, map->values, (int64_t)map->counts[0] * map->counts[1] * map->counts[2]);
		BR_FREE(&allocator, map, 1);
	}
}

double brScalarMap_Sample(const brScalarMap* map, brDVec3 point)
{
	const double *p = &point.x, *lower = &map->box.lower.x, *upper = &map->box.upper.x;
	int64_t nodes[3][2], strides[3] = {1, map->counts[0], (int64_t)map->counts[0] * map->counts[1]};
	double weights[3][2];
	for (int i = 0; i < 3; ++i)
	{
		int32_t count = map->counts[i];
		double size = upper[i] - lower[i], t = size > 0.0 ? (p[i] - lower[i]) / size : 0.0;
		// A tiled grid has one more step, from its last node to its first.
		double at = map->isTiled ? (t - floor(t)) * count : fmin(fmax(t, 0.0), 1.0) * (count - 1);
		at = at >= 0.0 ? at : 0.0; // also for NaN
		int32_t first = (int32_t)fmin(floor(at), count - 1.0);
		double share = at - first;
		int32_t next = first + 1 < count ? first + 1 : map->isTiled ? 0 : first;
		nodes[i][0] = strides[i] * first, nodes[i][1] = strides[i] * next;
		weights[i][0] = 1.0 - share, weights[i][1] = share;
	}
	double sum = 0.0;
	for (int k = 0; k < 8; ++k)
	{
		double weight = weights[0][k & 1] * weights[1][k >> 1 & 1] * weights[2][k >> 2];
		sum += weight > 0.0 ? weight * map->values[nodes[0][k & 1] + nodes[1][k >> 1 & 1] + nodes[2][k >> 2]] : 0.0;
	}
	return sum;
}

static brResult mapReadPng(const brAllocator* allocator, const char* path, const uint8_t* bytes, size_t byteCount,
						   brScalarMap** outMap, brReport* report)
{
	int32_t width = 0, height = 0;
	const char* problem = brPng_Measure(bytes, byteCount, &width, &height);
	if (problem != NULL)
	{
		return brFail(report, br_errorFormat, "%s: %s", path, problem);
	}
	if (!mapIsSized((double[3]){width, 1.0, height}))
	{
		return brFail(report, br_errorLimit, "%s: more than 2^28 pixels", path);
	}
	int64_t count = (int64_t)width * height;
	// Packed rows of gray cannot be longer than so many times their packed form.
	if (count / 8 > (int64_t)byteCount * BR_INFLATE_MAX_RATIO)
	{
		return brFail(report, br_errorFormat, "%s: the picture is larger than its data", path);
	}
	float* pixels = BR_ALLOC(allocator, float, count);
	brScalarMap* map = pixels != NULL ? mapAllocate(allocator, (int32_t[3]){width, 1, height}) : NULL;
	problem = map != NULL ? brPng_ReadGray(allocator, bytes, byteCount, pixels) : brPng_NoMemory;
	for (int32_t z = 0; z < height && problem == NULL; ++z) // the lowest row first
	{
		memcpy(map->values + (int64_t)width * z, pixels + (int64_t)width * (height - 1 - z),
			   (size_t)width * sizeof(float));
	}
	BR_FREE(allocator, pixels, count);
	if (problem != NULL)
	{
		brDestroyScalarMap(map);
		return problem == brPng_NoMemory ? brFailMemory(report)
										 : brFail(report, br_errorFormat, "%s: %s", path, problem);
	}
	*outMap = map;
	return br_success;
}

// What the header of a voxel file says.
typedef struct MapHeader
{
	double counts[3], origin[3], spacing[3];
	bool isBinary, hasCounts;
	brNumberType type; // of the values, br_numberNone: none yet
} MapHeader;

static bool mapTakeThree(brTextCursor* text, double out[3])
{
	for (int i = 0; i < 3; ++i)
	{
		brText_SkipSpace(text, 0);
		const char* after = brScanDouble(text->at, text->end, &out[i]);
		if (after == NULL || !isfinite(out[i]))
		{
			return false;
		}
		text->at = after;
	}
	return true;
}

// Lines up to LOOKUP_TABLE, or what is wrong with them.
static const char* mapReadHeader(brTextCursor* text, MapHeader* header)
{
	if ((size_t)(text->end - text->at) < 26 || memcmp(text->at, "# vtk DataFile Version", 22) != 0)
	{
		return "no legacy VTK file";
	}
	brText_NextLine(text);
	brText_NextLine(text);
	while (text->at < text->end)
	{
		brText_SkipSpace(text, 0);
		if (brText_TakeWord(text, "BINARY"))
		{
			header->isBinary = true;
		}
		else if (brText_TakeWord(text, "DATASET"))
		{
			brText_SkipBlanks(text);
			if (!brText_TakeWord(text, "STRUCTURED_POINTS"))
			{
				return "its data are no STRUCTURED_POINTS";
			}
		}
		else if (brText_TakeWord(text, "DIMENSIONS"))
		{
			header->hasCounts = mapTakeThree(text, header->counts);
		}
		else if (brText_TakeWord(text, "ORIGIN"))
		{
			mapTakeThree(text, header->origin);
		}
		else if (brText_TakeWord(text, "SPACING") || brText_TakeWord(text, "ASPECT_RATIO"))
		{
			mapTakeThree(text, header->spacing);
		}
		else if (brText_TakeWord(text, "SCALARS"))
		{
			const char* word;
			brText_SkipBlanks(text);
			brText_Word(text, &word);
			brText_SkipBlanks(text);
			size_t length = brText_Word(text, &word);
			header->type = brVtk_NumberType(word, length);
			if (brNumberType_Bytes(header->type) == 0)
			{
				return "its scalars are of no known type";
			}
			brText_NextLine(text);
			if (brText_TakeWord(text, "LOOKUP_TABLE"))
			{
				brText_NextLine(text);
			}
			break;
		}
		brText_NextLine(text);
	}
	return !header->hasCounts || header->type == br_numberNone ? "it has no DIMENSIONS or SCALARS" : NULL;
}

static brResult mapReadVtk(const brAllocator* allocator, const char* path, const uint8_t* bytes, size_t byteCount,
						   brScalarMap** outMap, brReport* report)
{
	MapHeader header = {.counts = {1.0, 1.0, 1.0}, .spacing = {1.0, 1.0, 1.0}};
	brTextCursor text = brMakeTextCursor(bytes, byteCount);
	const char* wrong = mapReadHeader(&text, &header);
	if (wrong == NULL && !mapIsSized(header.counts))
	{
		wrong = "its DIMENSIONS are not 1 to 2^28 nodes in all";
	}
	// Values are there before anything is allocated for them: a text has a digit and a blank for each.
	size_t left = (size_t)(text.end - text.at), bytesEach = brNumberType_Bytes(header.type);
	double nodes = header.counts[0] * header.counts[1] * header.counts[2];
	if (wrong == NULL && nodes * (double)(header.isBinary ? bytesEach : 2) > (double)left + 1.0)
	{
		wrong = "it ends before its values do";
	}
	if (wrong != NULL)
	{
		return brFail(report, br_errorFormat, "%s: %s", path, wrong);
	}
	int32_t counts[3] = {(int32_t)header.counts[0], (int32_t)header.counts[1], (int32_t)header.counts[2]};
	brScalarMap* map = mapAllocate(allocator, counts);
	if (map == NULL)
	{
		return brFailMemory(report);
	}
	for (int64_t i = 0; i < (int64_t)nodes; ++i)
	{
		if (header.isBinary)
		{
			const uint8_t* at = (const uint8_t*)text.at + (size_t)i * bytesEach;
			map->values[i] = (float)brLoadNumber(header.type, at, !brIsBigEndianHost());
		}
		else
		{
			brText_SkipSpace(&text, 0);
			text.at = brScanFloat(text.at, text.end, &map->values[i]);
		}
		if (text.at == NULL || !isfinite(map->values[i]))
		{
			brDestroyScalarMap(map);
			return brFailAt(report, br_errorFormat, (int32_t)i, "%s: value %lld is no finite number", path,
							(long long)i);
		}
	}
	for (int i = 0; i < 3; ++i)
	{
		(&map->box.lower.x)[i] = header.origin[i];
		(&map->box.upper.x)[i] = header.origin[i] + header.spacing[i] * (counts[i] - 1);
	}
	*outMap = map;
	return br_success;
}

brResult brLoadScalarMap(const brContext* context, const char* path, brScalarMap** outMap, brReport* report)
{
	if (path == NULL || outMap == NULL)
	{
		return brFail(report, br_errorMisuse, "loading a map needs a path and a place for it");
	}
	size_t length = strlen(path);
	const char* ending = length >= 4 ? path + length - 4 : "";
	bool isPng = strcmp(ending, ".png") == 0;
	if (!isPng && strcmp(ending, ".vtk") != 0)
	{
		return brFail(report, br_errorUnsupported, "%s: maps are .png or .vtk files", path);
	}
	brAllocator allocator = brContext_Allocator(context);
	uint8_t* bytes = NULL;
	size_t byteCount = 0;
	brResult result = brReadFile(context, &allocator, path, &bytes, &byteCount, report);
	if (result < 0)
	{
		return result;
	}
	result = isPng ? mapReadPng(&allocator, path, bytes, byteCount, outMap, report)
				   : mapReadVtk(&allocator, path, bytes, byteCount, outMap, report);
	BR_FREE(&allocator, bytes, byteCount + 1);
	return result < 0 ? result : brSucceed(report);
}
