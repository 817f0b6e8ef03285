// SPDX-License-Identifier: MIT
#include "io/formats.h"

brResult brReadOff(const brReadJob* job, brAssembly* assembly)
{
	(void)assembly;
	return brFail(job->report, br_errorUnsupported, "off is not read yet");
}

brResult brWriteOff(const brWriteJob* job)
{
	return brFail(job->report, br_errorUnsupported, "off is not written yet");
}
