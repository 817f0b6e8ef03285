// SPDX-License-Identifier: MIT
#pragma once

// Monotonic time for stage times and budgets. Never feeds a result.

#include <stdint.h>

/// Nanoseconds since some fixed instant.
int64_t brClockNanoseconds(void);

/// Seconds since an earlier reading.
double brSecondsSince(int64_t start);
