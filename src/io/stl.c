// SPDX-License-Identifier: MIT
#include "io/formats.h"

brResult brReadStl(const brReadJob* job, brAssembly* assembly)
{
	(void)assembly;
	return brFail(job->report, br_errorUnsupported, "stl is not read yet");
}

brResult brWriteStl(const brWriteJob* job)
{
	return brFail(job->report, br_errorUnsupported, "stl is not written yet");
}
