// SPDX-License-Identifier: MIT

// Recipes from bytes: a recipe or a sentence. Nothing is made of it: samples are made by calls with fuzzers of their
// own.

#include "fuzz_help.h"

#include "brittle/dataset.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	brAllocator allocator = {fuzzAlloc, fuzzFree, NULL};
	brContext context = {.allocator = &allocator};
	brReport report = {0};
	brRecipe* recipe = NULL;
	brResult result = brReadRecipe(&context, data, size, NULL, &recipe, &report);
	fuzzCheck((result >= 0) == (recipe != NULL) && (result >= 0 || report.text[0] != 0), "a recipe or a word");
	if (recipe != NULL)
	{
		brRecipeInfo info = brRecipe_GetInfo(recipe);
		fuzzCheck(info.sampleCount >= 1 && info.samplesPerShard >= 1 && info.objectCount >= 1,
				  "there is something to do");
		fuzzCheck(brRecipe_GetObjectName(recipe, info.objectCount - 1) != NULL, "objects have names");
	}
	brDestroyRecipe(recipe);
	fuzzCheck(fuzzUsed == 0, "all memory is back");
	return 0;
}
