// SPDX-License-Identifier: MIT

// What this build is and can do.

#include "brittle/info.h"

#include "base/cpu.h"
#include "base/library.h"
#include "base/report.h"

#include <stddef.h>

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

int32_t brGetCapabilityCount(void)
{
	return br_libraryCount;
}

const brCapability* brGetCapability(int32_t index)
{
	return index >= 0 && index < br_libraryCount ? brLibrary_Capability((brLibrary)index) : NULL;
}

bool brOpenCapability(int32_t index, brReport* report)
{
	const brCapability* capability = brGetCapability(index);
	if (capability == NULL)
	{
		brFail(report, br_errorMisuse, "there is no capability %d", (int)index);
		return false;
	}
	if (!capability->isPresent)
	{
		brLibrary_FailAbsent((brLibrary)index, report);
		return false;
	}
	return brLibrary_Open((brLibrary)index, report);
}

const char* brGetVectorPath(void)
{
	return brCpuPath_Name(brCpu_Best());
}
