// SPDX-License-Identifier: MIT

// The headers in C++, under the host's warnings.

#include "brittle/brittle.h"

int guestVersion();

int guestVersion()
{
	return brGetVersionNumber() - BR_VERSION;
}
