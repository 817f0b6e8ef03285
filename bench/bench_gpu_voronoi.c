// SPDX-License-Identifier: MIT

// Voronoi cells and pieces on a device, from sites that are already there to the counts on the host.

#include "bench_gpu.h"

#include "base/clock.h"
#include "base/random.h"
#include "brittle/brittle.h"
#include "gpu/gpu_pieces.h"

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
	if (brCreateVoronoi(NULL, &def, &host, &report) < 0 ||
		brGpuVoronoi_SetBodies(&data.voronoi, &(brGpuCellBody){.cells = def}, 1, &report) < 0)
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

typedef struct PiecesBench
{
	brGpuModel model;
	brGpuPieces pieces;
	const brDVec3* sites;
	int32_t count;
	brGpuPieceCounts counts;
} PiecesBench;

static void runPieces(void* user)
{
	PiecesBench* data = user;
	brReport report = {0};
	if (brGpuPieces_Run(&data->pieces, &data->model, &data->counts, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
}

static void runSitesAndPieces(void* user)
{
	PiecesBench* data = user;
	brReport report = {0};
	if (brGpuPieces_SetBreaks(&data->pieces, &data->model, &(brGpuBreak){0, data->sites, data->count}, 1, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	runPieces(user);
}

typedef struct BreakBench
{
	brGpuShatterer* shatterer;
	const brDVec3* sites;
	int32_t count;
	brGpuShatter shatter;
} BreakBench;

static void runBreak(void* user)
{
	BreakBench* data = user;
	brReport report = {0};
	if (brGpuShatterer_Break(data->shatterer, &(brGpuBreak){0, data->sites, data->count}, 1, &data->shatter, &report) <
		0)
	{
		brBench_Fail("%s", report.text);
	}
	if (data->shatter.cpuCount > 0)
	{
		brBench_Fail("the device did not settle every side");
	}
}

// The public call: sites from the host, pieces back there.
static void benchBreak(brBench* bench, brGpu* gpu, const brMesh* mesh, const brDVec3* sites, int32_t count,
					   int32_t runs, const char* name)
{
	BreakBench data = {.sites = sites, .count = count};
	brReport report = {0};
	if (brCreateGpuShatterer(NULL, gpu, &mesh, 1, &data.shatterer, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	runBreak(&data);
	brBench_Row(bench, name, 1e3 * brBench_Median(runs, runBreak, &data), 0.0, "ms");
	brDestroyGpuShatterer(data.shatterer);
}

static void benchPieces(brBench* bench, brGpu* gpu, int32_t resolution, int32_t count)
{
	char name[128];
	brModelDef modelDef = brDefaultModelDef("blob");
	modelDef.resolution = resolution;
	snprintf(name, sizeof(name), "voronoi, %d pieces of %d triangles", count, 20 * resolution * resolution);
	if (!brBench_Wants(bench, name))
	{
		return;
	}
	brMesh* mesh = NULL;
	brReport report = {0};
	brDVec3* sites = malloc((size_t)count * sizeof(brDVec3));
	brSiteDef siteDef = brDefaultSiteDef();
	siteDef.count = count;
	PiecesBench data = {.sites = sites};
	brGpuPieces_Init(&data.pieces, gpu);
	brShatterDef shatterDef = brDefaultShatterDef();
	brShatter* host = NULL;
	if (brMakeModel(NULL, &modelDef, &mesh, &report) < 0 ||
		brMakeSites(NULL, mesh, &siteDef, sites, &data.count, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	shatterDef.sites = sites, shatterDef.siteCount = data.count;
	int64_t begin = brClockNanoseconds();
	brResult result = brCreateShatter(NULL, mesh, &shatterDef, &host, &report);
	double hostTime = brSecondsSince(begin);
	if (result < 0 || brGpuModel_Set(&data.model, gpu, (const brMesh*[]){mesh}, 1, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	runSitesAndPieces(&data);
	double* masses = calloc(BR_PIECE_MOMENTS * (size_t)data.count, sizeof(double));
	double* expected = calloc((size_t)data.count, sizeof(double));
	if (brGpu_Read(gpu, &data.pieces.masses, 0, masses, BR_PIECE_MOMENTS * (size_t)data.count * sizeof(double),
				   &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	for (int32_t i = 0; i < host->pieceCount; ++i)
	{
		expected[host->pieces[i].site] += host->pieces[i].mass.volume;
	}
	for (int32_t i = 0; i < data.count; ++i)
	{
		if (!(fabs(masses[BR_PIECE_MOMENTS * i] - expected[i]) <= 1e-10 * host->volumeIn))
		{
			brBench_Fail("piece %d has volume %g on the device, %g here", i, masses[BR_PIECE_MOMENTS * i], expected[i]);
		}
	}
	if (data.counts.failedCount + data.counts.unsureCount + data.counts.tangledCount > 0)
	{
		brBench_Fail("%lld cells failed, %lld triangles unsure, %lld places tangled",
					 (long long)data.counts.failedCount, (long long)data.counts.unsureCount,
					 (long long)data.counts.tangledCount);
	}
	fprintf(stderr, "  %d triangles, %lld pieces of %lld triangles, %.1f MB on the device, CPU %.1f ms\n",
			mesh->faceCount, (long long)data.counts.pieceCount, (long long)data.counts.triangleCount,
			1e-6 * (double)gpu->bytesHeld, 1e3 * hostTime);
	int32_t runs = gpu->info.kind == br_gpuKindGpu ? 51 : 1;
	brBench_Row(bench, name, 1e3 * brBench_Median(runs, runPieces, &data), 0.0, "ms");
	snprintf(name, sizeof(name), "voronoi, %d pieces of %d triangles, sites copied", count,
			 20 * resolution * resolution);
	brBench_Row(bench, name, 1e3 * brBench_Median(runs, runSitesAndPieces, &data), 0.0, "ms");
	snprintf(name, sizeof(name), "voronoi, %d pieces of %d triangles, sites and pieces copied", count,
			 20 * resolution * resolution);
	benchBreak(bench, gpu, mesh, sites, data.count, runs, name);
	gpuBenchProfile(gpu, runPieces, &data);
	brDestroyShatter(host);
	brDestroyMesh(mesh);
	brGpuModel_Free(&data.model, gpu);
	brGpuPieces_Free(&data.pieces);
	free(masses);
	free(expected);
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
	benchPieces(bench, gpu, 16, isGpu ? 1000 : 100);
	if (isGpu)
	{
		benchPieces(bench, gpu, 40, 1000);
		benchPieces(bench, gpu, 40, 100);
	}
}

#endif
