// SPDX-License-Identifier: MIT
#pragma once

/// @file info.h
/// What this build of the library is and can do.

#include "brittle/context.h"

/// "0.1.0"
BR_API const char* brVersion(void);

/// One optional capability of the build.
typedef struct brFeature
{
	const char* name;  ///< "embree", "png", "cjson"...
	const char* gives; ///< What it adds, one phrase.
	bool present; ///< The build has it. Its library may be one that is opened when first needed: see brFeature_Open.
} brFeature;

/// How many features are known, present or not, and the i-th; null out of range.
BR_API int32_t brFeature_Count(void);
BR_API const brFeature* brFeature_Get(int32_t index);

/// Whether the i-th feature works on this machine. Embree, MUMPS and OpenCL are opened when a call first needs them;
/// this opens them now. False with a sentence that names the package to install. `report` may be null.
BR_API bool brFeature_Open(int32_t index, brReport* report);

/// Cores this process may use, at least 1.
BR_API int32_t brCoreCount(void);

/// Widest vector path the processor allows: "avx512", "avx2", "sse2", "scalar".
BR_API const char* brVectorPath(void);
