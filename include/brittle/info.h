// SPDX-License-Identifier: MIT
#pragma once

/// @file info.h
/// What this build of the library is and can do.

#include "brittle/context.h"

/// "0.1.0"
BR_API const char* brGetVersion(void);

/// One optional capability of the build.
typedef struct brCapability
{
	const char* name;  ///< "embree", "png", "cjson"...
	const char* gives; ///< What it adds, one phrase.
	bool isPresent; ///< The build has it. Its library may be one that is opened when first needed: see brFeature_Open.
} brCapability;

/// How many features are known, present or not, and the i-th; null out of range.
BR_API int32_t brGetCapabilityCount(void);
BR_API const brCapability* brGetCapability(int32_t index);

/// Whether the i-th feature works on this machine. Embree, MUMPS and OpenCL are opened when a call first needs them;
/// this opens them now. False with a sentence that names the package to install. `report` may be null.
BR_API bool brFeature_Open(int32_t index, brReport* report);

/// Cores this process may use, at least 1.
BR_API int32_t brGetCoreCount(void);

/// Widest vector path the processor allows: "avx512", "avx2", "sse2", "scalar".
BR_API const char* brGetVectorPath(void);
