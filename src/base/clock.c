// SPDX-License-Identifier: MIT
#include "base/clock.h"

#include <time.h>

int64_t brClockNanoseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double brSecondsSince(int64_t start)
{
	return 1e-9 * (double)(brClockNanoseconds() - start);
}
