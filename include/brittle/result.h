// SPDX-License-Identifier: MIT
#pragma once

/// @file result.h
/// How the library says yes, no, and why.
///
/// Every call that can fail on data returns a brResult and fills an optional, caller-owned brReport with one sentence
/// a user can act on. Nothing is printed, nothing is global.
///
///     brReport report = {0};
///     brMesh* mesh = NULL;
///     if (brLoadMesh(NULL, "vase.obj", &mesh, &report) < 0)
///     {
///         fprintf(stderr, "%s\n", report.text);   // vase.obj:812: vertex 9001 does not exist, there are 4002
///     }

#include "brittle/api.h"

/// Zero is success, negative is failure (outputs untouched), positive is success with a remark worth reading.
typedef enum brResult
{
	br_success = 0,

	br_remarkDropped = 1,     ///< Done, but something in the input was left out; the report says what.
	br_remarkApproximate = 2, ///< Done, but the output holds less than the input (precision, polygons, attributes).

	br_errorMisuse = -1,      ///< The call itself is wrong: null where it may not be, a stamp missing, a bad range.
	br_errorMemory = -2,      ///< The allocator said no.
	br_errorCanceled = -3,    ///< The cancel callback said stop.
	br_errorFile = -4,        ///< A file could not be opened, read or written.
	br_errorFormat = -5,      ///< The content breaks the rules of its format.
	br_errorUnsupported = -6, ///< Valid content that this build does not read or write.
	br_errorLimit = -7,       ///< More elements than 32-bit counts or the stated limits allow.
	br_errorGeometry = -8,    ///< The shape says no: open, empty, not finite, self-crossing.
	br_errorUnavailable = -9, ///< An optional dependency or device is not there.
} brResult;

/// Why a call failed or what it remarked. Owned by the caller, start from {0}; every pointer to one may be null.
typedef struct brReport
{
	int64_t line;    ///< Line in a text file, from 1, or 0. First, so that {0} starts one in C++ too.
	int64_t byte;    ///< Byte offset in a binary file, or 0.
	int64_t element; ///< Index of the face, vertex, tet... the sentence names, or -1.
	brResult code;   ///< Same as the call returned.
	char text[480];  ///< One sentence without newline; empty after plain success.
} brReport;

/// The name of a code as in the enum, for logs and tests. Never null.
BR_API const char* brResult_GetName(brResult result);

/// What a code means in one sentence, for callers without a report. Never null.
BR_API const char* brResult_Describe(brResult result);
