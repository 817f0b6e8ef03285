// SPDX-License-Identifier: MIT

// Distance grids as files: legacy VTK for looking at them, or ours.
//
// Ours: "BRDG", version 1, then the numbers of the struct little-endian, then the arrays. Counts are checked
// against the bytes that are there before anything is allocated.

#include "brittle/volume.h"

#include "base/memory.h"
#include "base/report.h"
#include "io/file.h"

#include <math.h>
#include <string.h>

#define GRID_VERSION 1

typedef struct GridHeader
{
	char magic[4];
	int32_t version;
	int32_t counts[3];
	int32_t brick;
	int32_t brickCount;
	int32_t isSigned;
	double origin[3];
	double spacing;
	double slack;
} GridHeader;

static void writeVtkGrid(brOutput* output, const brDistanceGrid* grid, int64_t nodes)
{
	brOutput_Text(output, "# vtk DataFile Version 3.0\nBrittle distance [m]\nBINARY\nDATASET STRUCTURED_POINTS\n");
	brOutput_Format(output, "DIMENSIONS %d %d %d\nORIGIN ", grid->counts[0], grid->counts[1], grid->counts[2]);
	for (int k = 0; k < 3; ++k)
	{
		brOutput_Double(output, (&grid->origin.x)[k]);
		brOutput_Text(output, k < 2 ? " " : "\nSPACING ");
	}
	for (int k = 0; k < 3; ++k)
	{
		brOutput_Double(output, grid->spacing);
		brOutput_Text(output, k < 2 ? " " : "\n");
	}
	brOutput_Format(output, "POINT_DATA %lld\nSCALARS distance float 1\nLOOKUP_TABLE default\n", (long long)nodes);
	for (int64_t i = 0; i < nodes; ++i)
	{
		uint32_t bits;
		memcpy(&bits, &grid->values[i], sizeof(bits));
		uint8_t bytes[4] = {(uint8_t)(bits >> 24), (uint8_t)(bits >> 16), (uint8_t)(bits >> 8), (uint8_t)bits};
		brOutput_Write(output, bytes, sizeof(bytes));
	}
	brOutput_Text(output, "\n");
}

brResult brSaveDistanceGrid(const brContext* context, const brDistanceGrid* grid, const char* path, brReport* report)
{
	if (grid == NULL || path == NULL)
	{
		return brFail(report, br_errorMisuse, "saving needs a grid and a path");
	}
	brAllocator allocator = brContext_Allocator(context);
	brOutput output;
	brResult result = brOutput_Open(&output, &allocator, path, report);
	if (result < 0)
	{
		return result;
	}
	int64_t nodes = (int64_t)grid->counts[0] * grid->counts[1] * grid->counts[2];
	size_t length = strlen(path);
	if (length >= 4 && strcmp(path + length - 4, ".vtk") == 0)
	{
		writeVtkGrid(&output, grid, nodes);
		return brOutput_Commit(&output, report);
	}
	GridHeader header;
	memset(&header, 0, sizeof(header));
	memcpy(header.magic, "BRDG", 4);
	header.version = GRID_VERSION;
	memcpy(header.counts, grid->counts, sizeof(header.counts));
	header.brick = grid->brick;
	header.brickCount = grid->brickCount;
	header.isSigned = grid->isSigned;
	header.origin[0] = grid->origin.x, header.origin[1] = grid->origin.y, header.origin[2] = grid->origin.z;
	header.spacing = grid->spacing;
	header.slack = grid->slack;
	brOutput_Write(&output, &header, sizeof(header));
	brOutput_Write(&output, grid->values, (size_t)nodes * sizeof(float));
	if (grid->brick > 0)
	{
		int64_t side = grid->brick + 1;
		int64_t cells = (int64_t)(grid->counts[0] - 1) * (grid->counts[1] - 1) * (grid->counts[2] - 1);
		brOutput_Write(&output, grid->bricks, (size_t)cells * sizeof(int32_t));
		brOutput_Write(&output, grid->brickValues, (size_t)(grid->brickCount * side * side * side) * sizeof(float));
	}
	return brOutput_Commit(&output, report);
}

// Counts that fit, and a size that is exactly what they ask for.
static bool isHeaderSound(const GridHeader* h, size_t byteCount)
{
	if (memcmp(h->magic, "BRDG", 4) != 0 || h->version != GRID_VERSION || h->brick < 0 || h->brick > 16 ||
		h->brickCount < 0 || !(h->spacing > 0.0) || !isfinite(h->spacing) || !(h->slack >= 0.0) ||
		!isfinite(h->slack) || !isfinite(h->origin[0]) || !isfinite(h->origin[1]) || !isfinite(h->origin[2]))
	{
		return false;
	}
	double nodes = 1.0, cells = 1.0;
	for (int k = 0; k < 3; ++k)
	{
		if (h->counts[k] < 2)
		{
			return false;
		}
		nodes *= h->counts[k];
		cells *= h->counts[k] - 1;
	}
	double side = h->brick + 1;
	double values = h->brick > 0 ? cells + h->brickCount * side * side * side : 0.0;
	return nodes < 0x1p31 && (double)sizeof(GridHeader) + 4.0 * (nodes + values) == (double)byteCount;
}

brResult brLoadDistanceGrid(const brContext* context, const char* path, brDistanceGrid** outGrid, brReport* report)
{
	if (path == NULL || outGrid == NULL)
	{
		return brFail(report, br_errorMisuse, "loading needs a path and a place for the result");
	}
	brAllocator allocator = brContext_Allocator(context);
	uint8_t* bytes = NULL;
	size_t byteCount = 0;
	brResult result = brReadFile(&allocator, path, &bytes, &byteCount, report);
	if (result < 0)
	{
		return result;
	}
	GridHeader header = {0};
	memcpy(&header, bytes, byteCount < sizeof(header) ? byteCount : sizeof(header));
	brDistanceGrid* grid = NULL;
	if (byteCount < sizeof(header) || !isHeaderSound(&header, byteCount))
	{
		result =
			brFail(report, br_errorFormat, "%s: not a distance grid of version %d, or cut short", path, GRID_VERSION);
	}
	else if ((grid = BR_ALLOC_ZERO(&allocator, brDistanceGrid, 1)) == NULL)
	{
		result = brFailMemory(report);
	}
	if (grid != NULL)
	{
		grid->allocator = allocator;
		memcpy(grid->counts, header.counts, sizeof(header.counts));
		grid->brick = header.brick;
		grid->brickCount = header.brick > 0 ? header.brickCount : 0;
		grid->isSigned = header.isSigned != 0;
		grid->origin = brMakeDVec3(header.origin[0], header.origin[1], header.origin[2]);
		grid->spacing = header.spacing;
		grid->slack = header.slack;
		int64_t nodes = (int64_t)grid->counts[0] * grid->counts[1] * grid->counts[2];
		int64_t cells = (int64_t)(grid->counts[0] - 1) * (grid->counts[1] - 1) * (grid->counts[2] - 1);
		int64_t side = grid->brick + 1, brickNodes = grid->brickCount * side * side * side;
		grid->values = BR_ALLOC(&allocator, float, nodes);
		bool complete = grid->values != NULL;
		if (grid->brick > 0)
		{
			grid->bricks = BR_ALLOC(&allocator, int32_t, cells);
			grid->brickValues = BR_ALLOC(&allocator, float, brickNodes);
			complete = complete && grid->bricks != NULL && grid->brickValues != NULL;
		}
		if (complete)
		{
			const uint8_t* at = bytes + sizeof(header);
			memcpy(grid->values, at, (size_t)nodes * sizeof(float));
			at += (size_t)nodes * sizeof(float);
			for (int64_t i = 0; i < cells && grid->brick > 0; ++i)
			{
				memcpy(&grid->bricks[i], at + sizeof(int32_t) * (size_t)i, sizeof(int32_t));
				if (grid->bricks[i] < -1 || grid->bricks[i] >= grid->brickCount)
				{
					result = brFail(report, br_errorFormat, "%s: cell %lld names brick %d, there are %d", path,
									(long long)i, grid->bricks[i], grid->brickCount);
					break;
				}
			}
			if (grid->brick > 0)
			{
				at += sizeof(int32_t) * (size_t)cells;
				memcpy(grid->brickValues, at, (size_t)brickNodes * sizeof(float));
			}
		}
		else
		{
			result = brFailMemory(report);
		}
	}
	BR_FREE(&allocator, bytes, (int64_t)byteCount + 1);
	if (result < 0)
	{
		brDestroyDistanceGrid(grid);
		return result;
	}
	*outGrid = grid;
	return brSucceed(report);
}
