// SPDX-License-Identifier: MIT

// Frames that are like the last on a device: the published scenes between two of their frames in small steps there and
// back, by a front that is kept and by a whole rebuild of each. Positions of all frames lie on the device beforehand.
// The peer column is the rebuild's time.

#include "bench_gpu.h"

#include "brittle/brittle.h"
#include "gpu/gpu_pairs.h"
#include "narrow/triangle_soup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BR_HAVE_OPENCL

enum
{
	filmLength = 256,
};

typedef struct FrontBench
{
	brGpuPairs pairs;
	brGpuBuffer films[filmLength]; // positions
	int32_t frameCount;
	brGpuFound found;
} FrontBench;

static void runFrontFrame(FrontBench* film, int32_t i)
{
	brReport report = {0};
	film->pairs.vertices = film->films[i];
	if (brGpuPairs_Run(&film->pairs, true, false, true, false, &film->found, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
}

// There and back, so that the end is the beginning.
static void runFilm(void* user)
{
	FrontBench* film = user;
	for (int32_t i = 0; i < film->frameCount; ++i)
	{
		runFrontFrame(film, i);
	}
	for (int32_t i = film->frameCount - 1; i >= 0; --i)
	{
		runFrontFrame(film, i);
	}
}

static void frontPositions(const brMesh* from, const brMesh* to, double part, brDVec3* outPositions)
{
	for (int32_t v = 0; v < from->vertexCount; ++v)
	{
		outPositions[v] = brDLerp(from->positions[v], to->positions[v], part);
	}
}

// The CPU's counts of some frames.
static void checkFilm(FrontBench* film, const char* name, const brMesh* from, const brMesh* to, double step)
{
	brMesh frame = *from;
	brDVec3* positions = malloc((size_t)from->vertexCount * sizeof(brDVec3));
	frame.positions = positions;
	const brMesh* meshes[1] = {&frame};
	for (int32_t i = 0; i < film->frameCount; ++i)
	{
		runFrontFrame(film, i);
		if (i % (film->frameCount / 2) != 1 && i != film->frameCount - 1)
		{
			continue;
		}
		frontPositions(from, to, step * i, positions);
		brCollideDef def = brDefaultCollideDef();
		def.enableSelf = true;
		brCollision* host = NULL;
		brReport report = {0};
		if (brCollideMeshes(NULL, meshes, 1, &def, &host, &report) < 0)
		{
			brBench_Fail("%s", report.text);
		}
		const brGpuFound* found = &film->found;
		if (found->candidateCount != host->candidateCount || found->meetingCount > host->pairCount ||
			found->meetingCount + found->unsureCount < host->pairCount)
		{
			brBench_Fail("%s, frame %d: %lld candidates and %lld pairs on the device, %lld and %lld here", name, i,
						 (long long)found->candidateCount, (long long)found->meetingCount,
						 (long long)host->candidateCount, (long long)host->pairCount);
		}
		brDestroyCollision(host);
	}
	free(positions);
}

static void openFilm(FrontBench* film, brGpu* gpu, const brMesh* from, const brMesh* to, double step,
					 brDeviceMethod method)
{
	brReport report = {0};
	brTriangleSoup soup;
	if (brTriangleSoup_Make(&soup, NULL, (const brMesh* const*)&from, 1, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	brBoxSource source = brTriangleSoup_Source(&soup);
	brBoxMaker maker;
	memset(&maker, 0, sizeof(maker));
	memset(film, 0, sizeof(*film));
	maker.allocator = soup.allocator;
	maker.kernels = brGetWideKernels(0);
	int32_t length = step * filmLength < 1.0 ? filmLength : (int32_t)(1.0 / step);
	film->frameCount = gpu->info.kind == br_gpuKindGpu ? length : 8;
	brGpuPairs_Init(&film->pairs, gpu);
	film->pairs.method = method;
	film->pairs.dropNeighbors = true;
	if (soup.vertexCount != from->vertexCount || from->vertexCount != to->vertexCount ||
		brBoxMaker_Prepare(&maker, NULL, &source, &report) < 0 ||
		brGpuPairs_SetElements(&film->pairs, &source, NULL, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	brDVec3* positions = malloc((size_t)soup.vertexCount * sizeof(brDVec3));
	maker.source.positions = positions;
	for (int32_t i = 0; i < film->frameCount; ++i)
	{
		frontPositions(from, to, step * i, positions);
		film->pairs.vertices = (brGpuBuffer){0};
		brGpuPairs_SetFrame(&film->pairs, &maker, NULL);
		film->films[i] = film->pairs.vertices;
	}
	brGpu_Finish(gpu, NULL);
	free(positions);
	brBoxMaker_Free(&maker);
	brTriangleSoup_Free(&soup);
}

static void closeFilm(FrontBench* film)
{
	film->pairs.vertices = (brGpuBuffer){0};
	for (int32_t i = 0; i < film->frameCount; ++i)
	{
		brGpu_Free(film->pairs.gpu, &film->films[i]);
	}
	brGpuPairs_Free(&film->pairs);
}

static void benchFront(brBench* bench, brGpu* gpu, const GpuScene* scene, const char* next, double step)
{
	char name[128];
	snprintf(name, sizeof(name), "front, %s in 1/%.0f frames", scene->name, 1.0 / step);
	if (!brBench_Wants(bench, name))
	{
		return;
	}
	if (!gpu->info.hasDouble)
	{
		return; // positions are not on such a device
	}
	GpuScene later = *scene;
	later.file = next;
	later.frame += 1.0;
	bool isPublic;
	brMesh* from = gpuBenchLoad(scene, &isPublic);
	brMesh* to = gpuBenchLoad(&later, &isPublic);
	double seconds[2];
	for (int32_t k = 0; k < 2; ++k)
	{
		FrontBench film;
		openFilm(&film, gpu, from, to, step, k == 0 ? br_deviceOi : br_deviceFront);
		checkFilm(&film, name, from, to, step);
		runFilm(&film);
		const brGpuFront* front = &film.pairs.front;
		int64_t renewals = front->renewals, escapes = front->escapes;
		int32_t runs = gpu->info.kind == br_gpuKindGpu ? 5 : 1, frames = 2 * film.frameCount;
		seconds[k] = brBench_Median(runs, runFilm, &film) / frames;
		if (k == 1)
		{
			size_t others = (size_t)(film.frameCount - 1) * film.films[0].bytes;
			fprintf(stderr,
					"  %s: of %d frames and those before them %lld made a front, %lld found that it did not hold; "
					"margin %.2f of the spacing, %.1f MB\n",
					name, runs * frames, (long long)(front->renewals - renewals), (long long)(front->escapes - escapes),
					(double)front->margin / (double)front->spacing, 1e-6 * (double)(gpu->bytesHeld - others));
			brBench_Row(bench, name, 1e3 * seconds[1], 1e3 * seconds[0], "ms");
			gpuBenchProfile(gpu, runFilm, &film);
			fprintf(stderr, "    (for %d frames)\n", frames);
		}
		closeFilm(&film);
	}
	brDestroyMesh(from);
	brDestroyMesh(to);
}

void gpuBenchFront(brBench* bench, brGpu* gpu)
{
	static const char* const next[GPU_SCENE_COUNT] = {"ccd/cloth-ball/frames/cloth_ball93.ply",
													  "ccd/cloth-funnel/frames/228.ply",
													  "ccd/n-body-simulation/frames/balls16_19.ply"};
	for (int32_t i = 0; i < GPU_SCENE_COUNT; ++i)
	{
		benchFront(bench, gpu, &gpuScenes[i], next[i], 0.01);
		benchFront(bench, gpu, &gpuScenes[i], next[i], 0.002);
	}
}

#endif
