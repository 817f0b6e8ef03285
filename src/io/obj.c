// SPDX-License-Identifier: MIT
#include "io/formats.h"

brResult brReadObj(const brReadJob* job, brAssembly* assembly)
{
	(void)assembly;
	return brFail(job->report, br_errorUnsupported, "obj is not read yet");
}

brResult brWriteObj(const brWriteJob* job)
{
	return brFail(job->report, br_errorUnsupported, "obj is not written yet");
}
