// SPDX-License-Identifier: MIT

#include "gpu/gpu_cells.h"

#ifdef BR_HAVE_OPENCL

#include "base/report.h"
#include "fracture/shatter_build.h"

enum
{
	cutterFewest = 3, // sites; a single cut is made before a launch has begun
};

static brResult cutterReadRings(brGpuCutter* cutter, const brContext* context, int64_t count, brClipRings* out,
								brReport* report)
{
	brGpuPieces* pieces = &cutter->pieces;
	brGpu* gpu = pieces->voronoi.gpu;
	brClipRings rings = {.allocator = brContext_Allocator(context), .count = (int32_t)count};
	rings.pairs = brAllocArray(&rings.allocator, count, sizeof(int32_t[2]));
	rings.sizes = BR_ALLOC(&rings.allocator, uint8_t, count);
	rings.labels = BR_ALLOC(&rings.allocator, int8_t, BR_CLIP_RING * count);
	brResult result =
		rings.pairs != NULL && rings.sizes != NULL && rings.labels != NULL ? br_success : brFailMemory(report);
	size_t bytes = (size_t)count;
	result = result < 0 ? result : brGpu_Read(gpu, &pieces->pairs, 0, rings.pairs, bytes * sizeof(cl_int2), report);
	result = result < 0 ? result : brGpu_Read(gpu, &pieces->sizes, 0, rings.sizes, bytes, report);
	result = result < 0 ? result : brGpu_Read(gpu, &pieces->rings, 0, rings.labels, BR_CLIP_RING * bytes, report);
	if (result < 0)
	{
		brClipRings_Free(&rings);
		return result;
	}
	*out = rings;
	return br_success;
}

static brResult cutterRun(brGpuCutter* cutter, const brContext* context, const brClipMesh* known,
						  const brVoronoiDef* def, brVoronoi** outVoronoi, brClipRings* outRings, brReport* report)
{
	brGpuPieces* pieces = &cutter->pieces;
	brGpu* gpu = pieces->voronoi.gpu;
	brGpuCells cells = {0};
	int64_t pairCount = 0;
	brResult result = brGpuModel_SetTriangles(&cutter->model, gpu, known->mesh, known->triangles, report);
	result = result < 0 ? result : brGpuPieces_RunRings(pieces, &cutter->model, def, &cells, &pairCount, report);
	if (result >= 0 && cells.failedCount > 0)
	{
		result = brFail(report, br_errorLimit, "%s has no room for %lld cells with very many corners", gpu->info.name,
						(long long)cells.failedCount);
	}
	result = result < 0 ? result : brGpuVoronoi_Read(&pieces->voronoi, context, &cells, outVoronoi, report);
	if (result < 0)
	{
		return result;
	}
	result = cutterReadRings(cutter, context, pairCount, outRings, report);
	if (result < 0)
	{
		brDestroyVoronoi(*outVoronoi);
		*outVoronoi = NULL;
	}
	return result;
}

static brResult cutterMake(void* user, const brContext* context, const brClipMesh* known, const brVoronoiDef* def,
						   brVoronoi** outVoronoi, brClipRings* outRings, brReport* report)
{
	brGpuCutter* cutter = user;
	if (!cutter->isLost && def->siteCount >= cutterFewest)
	{
		brReport trouble = {0};
		brResult result = cutterRun(cutter, context, known, def, outVoronoi, outRings, &trouble);
		if (result >= 0)
		{
			cutter->breakCount += 1;
			return result;
		}
		// A box without a lattice has none on the CPU either, which then says so.
		cutter->isLost = result == br_errorUnavailable;
		if (result != br_errorGeometry && !cutter->isTold)
		{
			cutter->isTold = true;
			brLog(context, br_logWarning, "%s; the CPU cuts in its place", trouble.text);
		}
	}
	return brCreateVoronoi(context, def, outVoronoi, report);
}

void brGpuCutter_Init(brGpuCutter* cutter, brGpu* gpu)
{
	*cutter = (brGpuCutter){.device = {cutterMake, cutter}, .isLost = !gpu->info.hasDouble};
	brGpuPieces_Init(&cutter->pieces, gpu);
}

void brGpuCutter_Free(brGpuCutter* cutter)
{
	brGpu* gpu = cutter->pieces.voronoi.gpu;
	brGpuPieces_Free(&cutter->pieces);
	brGpuModel_Free(&cutter->model, gpu);
}

brResult brGpu_CreateShatter(brGpu* gpu, const brContext* context, const brMesh* mesh, const brShatterDef* def,
							 brShatter** outShatter, brReport* report)
{
	if (gpu == NULL || mesh == NULL || def == NULL || outShatter == NULL)
	{
		return brFail(report, br_errorMisuse, "brGpu_CreateShatter needs gpu, mesh, def and outShatter");
	}
	brGpuCutter cutter;
	brGpuCutter_Init(&cutter, gpu);
	brResult result = brCreateShatterBy(context, mesh, &cutter.device, def, outShatter, report);
	brGpuCutter_Free(&cutter);
	return result;
}

#endif
