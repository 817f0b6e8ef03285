// SPDX-License-Identifier: MIT

// Reading distance grids: interpolation, slope, bounds.

#include "base/report.h"
#include "brittle/distance_grid.h"

#include <string.h>

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
