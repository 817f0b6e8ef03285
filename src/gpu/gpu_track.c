// SPDX-License-Identifier: MIT

// As track.h, on a device: triangles stay there, positions go over, and a front lies there from frame to frame.

#include "gpu/gpu_pairs.h"

#include "base/assert.h"
#include "base/clock.h"
#include "narrow/triangle_soup.h"

#include <string.h>

#ifdef BR_HAVE_OPENCL

struct brGpuTracker
{
	brAllocator allocator;
	brGpu* gpu;
	brTrackDef def;
	brGpuPairs pairs;
	brBoxMaker maker;
	bool hasElements;      // on the device: those of the last frame
	int32_t elementCount;  //
	int32_t meshCount;     //
	brStageMemory corners; // int32_t[3] an element
	brStageMemory starts;  // int32_t
	brStageMemory objects; // uint32_t an element
	brStageMemory found;   // brPair
	brTrackStats stats;
};

brResult brCreateGpuTracker(const brContext* context, brGpu* gpu, const brTrackDef* def, brGpuTracker** outTracker,
							brReport* report)
{
	brTrackDef defaults = brDefaultTrackDef();
	def = def != NULL ? def : &defaults;
	if (gpu == NULL || outTracker == NULL || def->stamp != BR_STAMP(*def) || def->method < br_trackAuto ||
		def->method > br_trackGroups || def->engine != NULL)
	{
		return brFail(report, br_errorMisuse,
					  "brCreateGpuTracker needs a device and a def with its stamp and one of the methods auto, rebuild "
					  "and groups");
	}
	brAllocator allocator = brContext_Allocator(context);
	brGpuTracker* tracker = BR_ALLOC_ZERO(&allocator, brGpuTracker, 1);
	if (tracker == NULL)
	{
		return brFailMemory(report);
	}
	tracker->allocator = allocator;
	tracker->gpu = gpu;
	tracker->def = *def;
	tracker->maker.allocator = allocator;
	tracker->maker.kernels = brGetWideKernels(0);
	brGpuPairs_Init(&tracker->pairs, gpu);
	tracker->pairs.method = def->method == br_trackRebuild ? br_deviceOi : br_deviceFront;
	*outTracker = tracker;
	return brSucceed(report);
}

void brDestroyGpuTracker(brGpuTracker* tracker)
{
	if (tracker == NULL)
	{
		return;
	}
	brAllocator allocator = tracker->allocator;
	brStageMemory* all[] = {&tracker->corners, &tracker->starts, &tracker->objects, &tracker->found};
	for (int32_t i = 0; i < BR_COUNT(all); ++i)
	{
		brStageMemory_Free(all[i], &allocator);
	}
	brGpuPairs_Free(&tracker->pairs);
	brBoxMaker_Free(&tracker->maker);
	BR_FREE(&allocator, tracker, 1);
}

static bool gpuTrackIsSame(const brGpuTracker* tracker, const brTriangleSoup* soup)
{
	return tracker->hasElements && tracker->elementCount == soup->triangleCount &&
		   tracker->meshCount == soup->meshCount &&
		   memcmp(tracker->starts.data, soup->meshStarts, ((size_t)soup->meshCount + 1) * sizeof(int32_t)) == 0 &&
		   memcmp(tracker->corners.data, soup->triangles, (size_t)soup->triangleCount * sizeof(int32_t[3])) == 0;
}

// Triangles that are not those of the last frame.
static brResult gpuTrackElements(brGpuTracker* tracker, const brTriangleSoup* soup, const brBoxSource* source,
								 brReport* report)
{
	int32_t count = soup->triangleCount;
	tracker->hasElements = false;
	if (!brStageMemory_Ensure(&tracker->corners, &tracker->allocator, count, sizeof(int32_t[3])) ||
		!brStageMemory_Ensure(&tracker->starts, &tracker->allocator, (int64_t)soup->meshCount + 1, sizeof(int32_t)) ||
		!brStageMemory_Ensure(&tracker->objects, &tracker->allocator, count, sizeof(uint32_t)))
	{
		return brFailMemory(report);
	}
	memcpy(tracker->corners.data, soup->triangles, (size_t)count * sizeof(int32_t[3]));
	memcpy(tracker->starts.data, soup->meshStarts, ((size_t)soup->meshCount + 1) * sizeof(int32_t));
	uint32_t *objects = tracker->objects.data, object = 0;
	for (int32_t k = 0; k < soup->meshCount; ++k) // those without triangles are passed over
	{
		for (int32_t i = soup->meshStarts[k]; i < soup->meshStarts[k + 1]; ++i)
		{
			objects[i] = object;
		}
		object += soup->meshStarts[k] < soup->meshStarts[k + 1];
	}
	brResult result = brGpuPairs_SetElements(&tracker->pairs, source, objects, report);
	tracker->hasElements = result >= 0;
	tracker->elementCount = count;
	tracker->meshCount = soup->meshCount;
	return result;
}

static brResult gpuTrackFrame(brGpuTracker* tracker, const brContext* context, const brTriangleSoup* soup,
							  brReport* report)
{
	brGpuPairs* pairs = &tracker->pairs;
	brBoxSource source = brTriangleSoup_Source(soup);
	brResult result = brBoxMaker_Prepare(&tracker->maker, context != NULL ? context->workers : NULL, &source, report);
	if (result >= 0 && !gpuTrackIsSame(tracker, soup))
	{
		result = gpuTrackElements(tracker, soup, &source, report);
	}
	if (result < 0)
	{
		return result;
	}
	int64_t renewals = pairs->front.renewals;
	brGpuFound found = {0};
	brGpuPairs_SetFrame(pairs, &tracker->maker, NULL);
	result = brGpuPairs_Run(pairs, tracker->def.enableSelf, tracker->def.enableInter, false, false, &found, report);
	if (result >= 0 &&
		!brStageMemory_Ensure(&tracker->found, &tracker->allocator, found.candidateCount, sizeof(brPair)))
	{
		result = brFailMemory(report);
	}
	if (result >= 0)
	{
		result = brGpuPairs_Read(pairs, false, found.candidateCount, tracker->found.data, report);
	}
	if (result >= 0)
	{
		bool isByFront = pairs->method == br_deviceFront && pairs->front.isKept;
		tracker->stats.operation = !isByFront                         ? br_operationRebuild
								   : pairs->front.renewals > renewals ? br_operationGenerate
																	  : br_operationPreserve;
		tracker->stats.entryCount = isByFront ? pairs->front.length : 0;
		tracker->stats.testCount = tracker->stats.entryCount;
		tracker->stats.bytes = (int64_t)(pairs->front.list.bytes + pairs->boxes.bytes);
		tracker->stats.pairCount = found.candidateCount;
	}
	return result;
}

brResult brGpuTracker_UpdateMeshes(brGpuTracker* tracker, const brContext* context, const brMesh* const* meshes,
								   int32_t meshCount, brReport* report)
{
	if (tracker == NULL || meshes == NULL || meshCount < 0)
	{
		return brFail(report, br_errorMisuse, "brGpuTracker_UpdateMeshes needs a tracker and meshes");
	}
	int64_t start = brClockNanoseconds();
	tracker->stats = (brTrackStats){0};
	brTriangleSoup soup;
	brResult result = brTriangleSoup_Make(&soup, context, meshes, meshCount, report);
	if (result < 0)
	{
		return result;
	}
	tracker->stats.primitiveCount = soup.triangleCount;
	if (soup.triangleCount > 0)
	{
		result = gpuTrackFrame(tracker, context, &soup, report);
	}
	brTriangleSoup_Free(&soup);
	if (result < 0)
	{
		tracker->hasElements = false;
		return result;
	}
	tracker->stats.seconds = brSecondsSince(start);
	return brSucceed(report);
}

const brPair* brGpuTracker_GetPairs(const brGpuTracker* tracker, int64_t* outCount)
{
	if (outCount != NULL)
	{
		*outCount = tracker->stats.pairCount;
	}
	return tracker->found.data;
}

brTrackStats brGpuTracker_GetStats(const brGpuTracker* tracker)
{
	return tracker->stats;
}

#endif
