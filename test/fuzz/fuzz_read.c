// SPDX-License-Identifier: MIT

// One fuzz target a format: any bytes either fail with a sentence or give an assembly that keeps every promise.
//
//     build-asan/fuzz_obj test/corpus/obj -max_total_time=120

#include "invariants.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t byteCount);

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t byteCount)
{
	brAssembly* assembly = NULL;
	brReport report = {0};
	brResult result = brReadAssembly(NULL, bytes, byteCount, BR_FUZZ_FORMAT, NULL, &assembly, &report);
	bool isExplained = result == br_success ? report.text[0] == 0 : report.text[0] != 0;
	if (!isExplained || report.code != result || (result < 0) != (assembly == NULL))
	{
		abort();
	}
	if (assembly != NULL && brAssemblyInvariant(assembly) != NULL)
	{
		abort();
	}
	brDestroyAssembly(assembly);
	return 0;
}
