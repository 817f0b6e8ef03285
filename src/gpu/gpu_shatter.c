// SPDX-License-Identifier: MIT

// Shattering with cells from a device. What a device cannot hold goes to the CPU: the answer is the same.

#include "brittle/gpu.h"

#include "fracture/shatter_build.h"
#include "gpu/gpu_voronoi.h"

#ifdef BR_HAVE_OPENCL

static brResult shatterMakeCells(void* user, const brContext* context, const brVoronoiDef* def, brVoronoi** outVoronoi,
								 brReport* report)
{
	brGpuVoronoi voronoi;
	brGpuCells cells = {0};
	brGpuVoronoi_Init(&voronoi, user);
	brResult result = brGpuVoronoi_SetSites(&voronoi, def, report);
	result = result < 0 ? result : brGpuVoronoi_Run(&voronoi, true, &cells, report);
	if (result >= 0)
	{
		result = cells.failedCount > 0 ? brCreateVoronoi(context, def, outVoronoi, report)
									   : brGpuVoronoi_Read(&voronoi, context, &cells, outVoronoi, report);
	}
	brGpuVoronoi_Free(&voronoi);
	return result;
}

brResult brGpu_CreateShatter(brGpu* gpu, const brContext* context, const brMesh* mesh, const brShatterDef* def,
							 brShatter** outShatter, brReport* report)
{
	if (gpu == NULL || mesh == NULL || def == NULL || outShatter == NULL)
	{
		return brFail(report, br_errorMisuse, "brGpu_CreateShatter needs gpu, mesh, def and outShatter");
	}
	brVoronoiMaker maker = {shatterMakeCells, gpu};
	return brCreateShatterFrom(context, mesh, &(brShatterSource){.maker = &maker}, def, outShatter, report);
}

#endif
