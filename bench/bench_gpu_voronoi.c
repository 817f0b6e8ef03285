// SPDX-License-Identifier: MIT

// Voronoi cells and pieces on a device, from sites that are already there to the counts on the host.

#include "bench_gpu.h"

#include "base/random.h"
#include "brittle/brittle.h"
#include "gpu/gpu_voronoi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef BR_HAVE_OPENCL

typedef struct CellsBench
{
	brGpuVoronoi voronoi;
	bool isLinked;
	brGpuCells cells;
} CellsBench;

static void runCells(void* user)
{
	CellsBench* data = user;
	brReport report = {0};
	if (brGpuVoronoi_Run(&data->voronoi, data->isLinked, &data->cells, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
}

static void benchCells(brBench* bench, brGpu* gpu, int32_t count)
{
	char name[128];
	snprintf(name, sizeof(name), "voronoi, %d cells in a box", count);
	if (!brBench_Wants(bench, name))
	{
		return;
	}
	brDVec3* sites = malloc((size_t)count * sizeof(brDVec3));
	brRandom random = brMakeRandom(7, 0);
	for (int32_t i = 0; i < count; ++i)
	{
		sites[i] = brMakeDVec3(brRandom_Unit(&random), brRandom_Unit(&random), brRandom_Unit(&random));
	}
	brVoronoiDef def = {.siteCount = count, .sites = sites, .box = {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}}};
	brVoronoi *host = NULL, *read = NULL;
	brReport report = {0};
	CellsBench data = {.isLinked = true};
	brGpuVoronoi_Init(&data.voronoi, gpu);
	if (brCreateVoronoi(NULL, &def, &host, &report) < 0 || brGpuVoronoi_SetSites(&data.voronoi, &def, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	runCells(&data);
	if (data.cells.failedCount > 0 || brGpuVoronoi_Read(&data.voronoi, NULL, &data.cells, &read, &report) < 0)
	{
		brBench_Fail("%lld cells failed on the device: %s", (long long)data.cells.failedCount, report.text);
	}
	if (read->facetCount != host->facetCount || read->cornerCount != host->cornerCount ||
		read->vertexCount != host->vertexCount)
	{
		brBench_Fail("%d facets, %d corners, %d vertices on the device, %d, %d, %d here", read->facetCount,
					 read->cornerCount, read->vertexCount, host->facetCount, host->cornerCount, host->vertexCount);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		if (!(fabs(read->volumes[i] - host->volumes[i]) <= 1e-12))
		{
			brBench_Fail("cell %d has volume %g on the device, %g here", i, read->volumes[i], host->volumes[i]);
		}
	}
	int32_t runs = gpu->info.kind == br_gpuKindGpu ? 51 : 1;
	data.isLinked = false;
	double bare = brBench_Median(runs, runCells, &data);
	data.isLinked = true;
	double linked = brBench_Median(runs, runCells, &data);
	brBench_Row(bench, name, 1e3 * bare, 0.0, "ms");
	snprintf(name, sizeof(name), "voronoi, %d cells, corners shared", count);
	brBench_Row(bench, name, 1e3 * linked, 0.0, "ms");
	gpuBenchProfile(gpu, runCells, &data);
	brDestroyVoronoi(host);
	brDestroyVoronoi(read);
	brGpuVoronoi_Free(&data.voronoi);
	free(sites);
}

void gpuBenchVoronoi(brBench* bench, brGpu* gpu)
{
	bool isGpu = gpu->info.kind == br_gpuKindGpu;
	benchCells(bench, gpu, 1000);
	if (isGpu)
	{
		benchCells(bench, gpu, 10000);
		benchCells(bench, gpu, 100000);
	}
}

#endif
