// SPDX-License-Identifier: MIT
#include "base/clock.h"

#include "base/os.h"

int64_t brClockNanoseconds(void)
{
	return brOs_Nanoseconds();
}

double brSecondsSince(int64_t start)
{
	return 1e-9 * (double)(brClockNanoseconds() - start);
}
