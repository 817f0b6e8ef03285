// SPDX-License-Identifier: MIT
#pragma once

// Filling a brReport and returning its code in one go:
//
//     return brFail(report, br_errorFormat, "face %d names vertex %d, there are %d", face, vertex, count);

#include "brittle/context.h"

/// Writes the sentence and returns `code`. It is cut at the report's size on a whole character, and is one line of
/// valid UTF-8 whatever was quoted in it. `report` may be null.
brResult brFail(brReport* report, brResult code, const char* format, ...) BR_PRINTF_LIKE(3, 4);

/// Same, with the element the sentence names.
brResult brFailAt(brReport* report, brResult code, int64_t element, const char* format, ...) BR_PRINTF_LIKE(4, 5);

/// The standard sentence for br_errorMemory.
brResult brFailMemory(brReport* report);

/// Empties the report for a call that is about to succeed. Returns br_success.
brResult brSucceed(brReport* report);

/// One line to the context's log, if it has one.
void brLog(const brContext* context, brLogLevel level, const char* format, ...) BR_PRINTF_LIKE(3, 4);

/// Asks the context whether to stop.
static inline bool brIsCanceled(const brContext* context, double progress)
{
	return context != NULL && context->cancel != NULL && context->cancel(progress, context->cancelUser);
}
