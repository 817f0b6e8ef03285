// SPDX-License-Identifier: MIT
#include "io/formats.h"

brResult brReadVtu(const brReadJob* job, brAssembly* assembly)
{
	(void)assembly;
	return brFail(job->report, br_errorUnsupported, "vtu is not read yet");
}
