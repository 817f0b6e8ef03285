// SPDX-License-Identifier: MIT

// Distance grids as files: the nodes of the coarse level as voxels in legacy VTK, which brLoadScalarMap reads too.

#include "brittle/distance_grid.h"

#include "base/memory.h"
#include "base/report.h"
#include "io/file.h"

#include <string.h>

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
	writeVtkGrid(&output, grid, (int64_t)grid->counts[0] * grid->counts[1] * grid->counts[2]);
	return brOutput_Commit(&output, report);
}
