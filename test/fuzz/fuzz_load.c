// SPDX-License-Identifier: MIT

// What `brittle crack` reads beside the mesh: the file of --load, and the maps of --strength-map and --grain-map. The
// first byte chooses.

#include "fuzz_help.h"

#include "brittle/scalar_map.h"
#include "crack_load.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	if (size == 0)
	{
		return 0;
	}
	const char* endings[] = {".load", ".png", ".vtk"};
	uint32_t kind = data[0] % 3;
	const char* path = fuzzSave(endings[kind], data + 1, size - 1);
	brAllocator allocator = {fuzzAlloc, fuzzFree, NULL};
	brContext context = {.allocator = &allocator};
	brReport report = {0};
	if (kind == 0)
	{
		static CrackLoad load;
		bool isRead = readCrackLoad(path, &load, &report);
		fuzzCheck(isRead || report.text[0] != 0, "a load or a word");
		fuzzCheck(load.forceCount <= crackMostLoads && load.supportCount <= crackMostLoads,
				  "no more than there is room");
		return 0;
	}
	brScalarMap* map = NULL;
	brResult result = brLoadScalarMap(&context, path, &map, &report);
	fuzzCheck((result >= 0) == (map != NULL) && (result >= 0 || report.text[0] != 0), "a map or a word");
	if (map != NULL)
	{
		brScalarMap_Sample(map, brMakeDVec3(0.3, 0.5, 0.7));
		brScalarMap_Sample(map, brMakeDVec3(-1e300, 1e300, 0.0));
	}
	brDestroyScalarMap(map);
	fuzzCheck(fuzzUsed == 0, "all memory is back");
	return 0;
}
