// SPDX-License-Identifier: MIT

// Reading distance grids: interpolation, slope, bounds, files.
//
// The file: "BRDG", version 1, then the numbers of the struct little-endian, then the arrays. Counts are checked
// against the bytes that are there before anything is allocated.

#include "base/report.h"
#include "brittle/volume.h"
#include "io/file.h"

#include <string.h>

#define GRID_VERSION 1

// The eight values around a point, and where in their cell it is.
typedef struct GridCell
{
	const float* values; // of corner 0
	int64_t strides[3];
	double at[3]; // 0 to 1
	double step;  // edge of the cell [m]
} GridCell;

static GridCell findCell(const brDistanceGrid* grid, brDVec3 point)
{
	int64_t cell[3];
	GridCell found;
	for (int k = 0; k < 3; ++k)
	{
		double x = ((&point.x)[k] - (&grid->origin.x)[k]) / grid->spacing;
		double last = grid->counts[k] - 2;
		double base = x > 0.0 ? (x < last ? floor(x) : last) : 0.0; // not a number: the first
		cell[k] = (int64_t)base;
		double at = x - base;
		found.at[k] = at > 0.0 ? (at < 1.0 ? at : 1.0) : 0.0;
	}
	found.strides[0] = 1, found.strides[1] = grid->counts[0];
	found.strides[2] = (int64_t)grid->counts[0] * grid->counts[1];
	found.values = grid->values + cell[0] + found.strides[1] * cell[1] + found.strides[2] * cell[2];
	found.step = grid->spacing;
	int64_t nx = grid->counts[0] - 1, ny = grid->counts[1] - 1;
	int32_t brick = grid->bricks != NULL ? grid->bricks[cell[0] + nx * (cell[1] + ny * cell[2])] : -1;
	if (brick >= 0)
	{
		int64_t side = grid->brick + 1;
		const float* values = grid->brickValues + brick * side * side * side;
		const int64_t strides[3] = {1, side, side * side};
		for (int k = 0; k < 3; ++k)
		{
			double x = found.at[k] * grid->brick;
			double base = x < grid->brick - 1 ? floor(x) : grid->brick - 1;
			found.at[k] = x - base;
			found.strides[k] = strides[k];
			values += (int64_t)base * strides[k];
		}
		found.values = values;
		found.step = grid->spacing / grid->brick;
	}
	return found;
}

static inline double cellValue(const GridCell* cell, int corner)
{
	return (double)cell->values[(corner & 1) * cell->strides[0] + (corner >> 1 & 1) * cell->strides[1] +
								(corner >> 2) * cell->strides[2]];
}

// How far the point is outside the box.
static double distanceOutside(const brDistanceGrid* grid, brDVec3 point)
{
	brDVec3 nearest = point;
	for (int k = 0; k < 3; ++k)
	{
		double low = (&grid->origin.x)[k], high = low + grid->spacing * (grid->counts[k] - 1);
		(&nearest.x)[k] = fmin(fmax((&point.x)[k], low), high);
	}
	return brDDistance(point, nearest);
}

double brDistanceGrid_Sample(const brDistanceGrid* grid, brDVec3 point, brDVec3* outGradient)
{
	GridCell cell = findCell(grid, point);
	double value = 0.0;
	brDVec3 gradient = {0};
	for (int i = 0; i < 8; ++i)
	{
		double wx = (i & 1) != 0 ? cell.at[0] : 1.0 - cell.at[0];
		double wy = (i >> 1 & 1) != 0 ? cell.at[1] : 1.0 - cell.at[1];
		double wz = (i >> 2) != 0 ? cell.at[2] : 1.0 - cell.at[2];
		double v = cellValue(&cell, i);
		value += wx * wy * wz * v;
		gradient.x += ((i & 1) != 0 ? v : -v) * wy * wz;
		gradient.y += ((i >> 1 & 1) != 0 ? v : -v) * wx * wz;
		gradient.z += ((i >> 2) != 0 ? v : -v) * wx * wy;
	}
	if (outGradient != NULL)
	{
		*outGradient = brDMul(1.0 / cell.step, gradient);
	}
	return value + distanceOutside(grid, point);
}

void brDistanceGrid_ComputeBounds(const brDistanceGrid* grid, brDVec3 point, double* outLower, double* outUpper)
{
	GridCell cell = findCell(grid, point);
	double lower = -INFINITY, upper = INFINITY;
	double outside = distanceOutside(grid, point);
	for (int i = 0; i < 8; ++i)
	{
		brDVec3 d = {((i & 1) != 0 ? 1.0 - cell.at[0] : cell.at[0]) * cell.step,
					 ((i >> 1 & 1) != 0 ? 1.0 - cell.at[1] : cell.at[1]) * cell.step,
					 ((i >> 2) != 0 ? 1.0 - cell.at[2] : cell.at[2]) * cell.step};
		double v = cellValue(&cell, i);
		double way = brDLength(d) + outside + 1e-6 * fabs(v) + 1e-9 * grid->spacing; // and the rounding to float
		lower = fmax(lower, v - way - (v > 0.0 ? grid->slack : 0.0));
		upper = fmin(upper, v + way + (v < 0.0 ? grid->slack : 0.0));
	}
	*outLower = lower, *outUpper = upper;
}

// Files

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
