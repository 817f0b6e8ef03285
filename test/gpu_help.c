// SPDX-License-Identifier: MIT
#include "gpu_help.h"

#include "brittle/brittle.h"
#include "pair_sequence.h"
#include "shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef BR_HAVE_OPENCL

brGpu* openAny(void)
{
	brReport report = {0};
	brGpuDef def = brDefaultGpuDef();
	def.device = getenv("BRITTLE_TEST_DEVICE");
	def.cacheFolder = brTest_ScratchPath("kernels");
	brGpu* gpu = NULL;
	if (brGetGpuCount(&report) <= 0)
	{
		brTest_Skip("no OpenCL device");
	}
	CHECK_RESULT(brOpenGpu(NULL, &def, &gpu, &report), &report);
	CHECK_RESULT(brGpu_Prepare(gpu, &report), &report);
	return gpu;
}

brGpu* openAnyWithDoubles(void)
{
	brGpu* gpu = openAny();
	if (!gpu->info.hasDouble)
	{
		brCloseGpu(gpu);
		brTest_Skip("the device has no doubles");
	}
	return gpu;
}

int32_t maxElements(const brTest* test)
{
	return test->intensity < 0.05 ? 2100 : 1000000;
}

void checkSame(const brPair* device, int64_t deviceCount, brPair* host, int64_t hostCount)
{
	CHECK_EQUAL(deviceCount, hostCount);
	if (hostCount > 0)
	{
		qsort(host, (size_t)hostCount, sizeof(brPair), brTest_ComparePairs);
		CHECK(memcmp(device, host, (size_t)hostCount * sizeof(brPair)) == 0);
	}
}

void drawBoxes(brRandom* random, brBox3* boxes, int32_t count, uint32_t kind)
{
	float size = kind == 1 ? 0.0f : kind == 2 ? 0.5f : 0.08f;
	for (int32_t i = 0; i < count; ++i)
	{
		float low[3], side[3];
		for (int k = 0; k < 3; ++k)
		{
			low[k] = (float)brRandom_Range(random, -1.0, 1.0);
			side[k] = (float)brRandom_Range(random, 0.0, 1.0) * size;
			low[k] = kind == 3 ? floorf(4.0f * low[k]) : kind == 4 ? 0.25f : low[k];
			side[k] = kind == 3 ? 1.0f : kind == 4 ? 0.0f : side[k];
		}
		side[2] = kind == 5 ? 0.0f : side[2];
		boxes[i] = (brBox3){{low[0], low[1], low[2]}, {low[0] + side[0], low[1] + side[1], low[2] + side[2]}};
	}
	if (kind == 6 && count > 0)
	{
		boxes[0] = (brBox3){{-1e30f, -1e30f, -1e30f}, {1e30f, 1e30f, 1e30f}};
	}
}

#endif
