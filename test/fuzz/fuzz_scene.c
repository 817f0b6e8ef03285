// SPDX-License-Identifier: MIT

// Scene files from bytes: a scene or a sentence. Models are made, so inputs that ask for large ones are slow and not
// wrong: what they may ask for is bounded by the allocator.

#include "fuzz_help.h"

#include "brittle/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	brAllocator allocator = {fuzzAlloc, fuzzFree, NULL};
	brContext context = {.allocator = &allocator};
	brReport report = {0};
	brScene* scene = NULL;
	brResult result = brReadScene(&context, data, size, NULL, NULL, &scene, &report);
	fuzzCheck((result >= 0) == (scene != NULL) && (result >= 0 || report.text[0] != 0), "a scene or a word");
	brDestroyScene(scene);
	fuzzCheck(fuzzUsed == 0, "all memory is back");
	return 0;
}
