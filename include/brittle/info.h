// SPDX-License-Identifier: MIT
#pragma once

/// @file info.h
/// What this build of the library is and can do.

#include "brittle/context.h"

/// Version of the library that runs, as text: "0.2.0". Never null.
BR_API const char* brGetVersion(void);

/// The same as a number: 200 for 0.2.0. BR_VERSION is that of the headers.
BR_API int32_t brGetVersionNumber(void);

/// Whether a program that was compiled against headers of version `headers` can use the library that runs. Pass
/// BR_VERSION. Before 1.0 major and minor must be equal; from 1.0 on the library may have a higher minor. A program
/// that does not fit gets br_errorMisuse and a sentence with both versions; any other call of it may then read structs
/// of another layout. Call it once at the start if the library was loaded by dlopen or through a binding; a program
/// linked against it is checked by the loader. `report` may be null.
BR_API brResult brCheckVersion(int32_t headers, brReport* report);

/// A library that adds something and is not linked: it is opened when a call first needs it.
typedef struct brCapability
{
	const char* name;    ///< "assimp", "opencl"...
	const char* gives;   ///< What it adds, one phrase.
	const char* package; ///< The Debian package that brings it.
	bool isPresent;      ///< The build can use it. Whether this machine has it: see brOpenCapability.
} brCapability;

/// Number of optional capabilities that the library knows, present or not.
BR_API int32_t brGetCapabilityCount(void);

/// The i-th capability; null out of range.
BR_API const brCapability* brGetCapability(int32_t index);

/// Whether the i-th capability works on this machine: opens its library now. False with a sentence that names the
/// package to install. `report` may be null.
BR_API bool brOpenCapability(int32_t index, brReport* report);

/// Cores this process may use, at least 1.
BR_API int32_t brGetCoreCount(void);

/// The vector instructions that the library uses here: "avx512", "avx2", "sse2", "neon", "simd128" or "scalar". The
/// environment variable BRITTLE_VECTORS asks for narrower ones (avx2, sse2, scalar); results are the same bits.
BR_API const char* brGetVectorPath(void);
