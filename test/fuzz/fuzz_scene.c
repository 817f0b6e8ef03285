// SPDX-License-Identifier: MIT

// Scene files from bytes: a scene or a sentence. The first byte chooses between YAML and a .brec recording. Models are
// made, so inputs that ask for large ones are slow and not wrong: what they may ask for is bounded by the allocator.

#include "brittle/recording.h"
#include "brittle/scene.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BYTES (64 << 20)

static size_t used;

static void* fuzzAlloc(size_t bytes, void* user)
{
	(void)user;
	if (bytes > MAX_BYTES || used > MAX_BYTES - bytes)
	{
		return NULL;
	}
	used += bytes;
	return aligned_alloc(64, (bytes + 64) & ~(size_t)63);
}

static void fuzzFree(void* memory, size_t bytes, void* user)
{
	(void)user;
	used -= memory != NULL ? bytes : 0;
	free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	brAllocator allocator = {fuzzAlloc, fuzzFree, NULL};
	brContext context = {.allocator = &allocator};
	brReport report = {0};
	if (size == 0)
	{
		return 0;
	}
	bool isRecording = data[0] == 'B';
	brScene* scene = NULL;
	brRecording* recording = NULL;
	brResult result = isRecording ? brReadRecording(&context, data, size, NULL, &recording, &report)
								  : brReadScene(&context, data, size, NULL, NULL, &scene, &report);
	bool isThere = scene != NULL || recording != NULL;
	if ((result >= 0) != isThere || (result < 0 && report.text[0] == 0))
	{
		abort();
	}
	brDestroyScene(scene);
	brDestroyRecording(recording);
	if (used != 0)
	{
		abort();
	}
	return 0;
}
