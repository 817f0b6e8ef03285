// SPDX-License-Identifier: MIT

// What this build is and can do.

#include "brittle/info.h"

#include "base/cpu.h"
#include "base/library.h"
#include "base/report.h"

#include <string.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char* brGetVersion(void)
{
	return TEXT(BR_VERSION_MAJOR) "." TEXT(BR_VERSION_MINOR) "." TEXT(BR_VERSION_PATCH);
}

int32_t brGetVersionNumber(void)
{
	return BR_VERSION;
}

brResult brCheckVersion(int32_t headers, brReport* report)
{
	int32_t major = headers / 10000, minor = headers / 100 % 100;
	bool fits = major == BR_VERSION_MAJOR && (major == 0 ? minor == BR_VERSION_MINOR : minor <= BR_VERSION_MINOR);
	if (headers < 0 || !fits)
	{
		return brFail(report, br_errorMisuse,
					  "the program was compiled for brittle %d.%d and the library that runs is %s", (int)major,
					  (int)minor, brGetVersion());
	}
	return brSucceed(report);
}

static const brCapability features[] = {
	{"assimp", "reads FBX, COLLADA, 3MF, X3D and Blender files",
#ifdef BR_HAVE_ASSIMP
	 true
#else
	 false
#endif
	},
	{"embree", "renders pictures",
#ifdef BR_HAVE_EMBREE
	 true
#else
	 false
#endif
	},
	{"meshoptimizer", "decimates surfaces",
#ifdef BR_HAVE_MESHOPTIMIZER
	 true
#else
	 false
#endif
	},
	{"mumps", "solves elastic bodies directly",
#ifdef BR_HAVE_MUMPS
	 true
#else
	 false
#endif
	},
	{"opencl", "runs on devices",
#ifdef BR_HAVE_OPENCL
	 true
#else
	 false
#endif
	},
	{"png", "writes pictures",
#ifdef BR_HAVE_PNG
	 true
#else
	 false
#endif
	},
	{"yaml", "reads scene files",
#ifdef BR_HAVE_YAML
	 true
#else
	 false
#endif
	},
	{"zlib", "reads compressed VTU",
#ifdef BR_HAVE_ZLIB
	 true
#else
	 false
#endif
	},
};

int32_t brGetCapabilityCount(void)
{
	return (int32_t)(sizeof(features) / sizeof(features[0]));
}

const brCapability* brGetCapability(int32_t index)
{
	return index >= 0 && index < brGetCapabilityCount() ? &features[index] : 0;
}

bool brOpenCapability(int32_t index, brReport* report)
{
	static const char* const opened[br_libraryCount] = {[br_libraryAssimp] = "assimp",
														[br_libraryEmbree] = "embree",
														[br_libraryMumps] = "mumps",
														[br_libraryOpenCl] = "opencl"};
	const brCapability* feature = brGetCapability(index);
	if (feature == NULL || !feature->isPresent)
	{
		brFail(report, br_errorUnavailable, "this build has no %s", feature != NULL ? feature->name : "such feature");
		return false;
	}
	for (int32_t i = 0; i < br_libraryCount; ++i)
	{
		if (strcmp(opened[i], feature->name) == 0)
		{
			return brLibrary_Open((brLibrary)i, report);
		}
	}
	return true;
}

const char* brGetVectorPath(void)
{
	return brCpuPath_Name(brCpu_Best());
}
