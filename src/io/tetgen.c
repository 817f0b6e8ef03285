// SPDX-License-Identifier: MIT
#include "io/formats.h"

brResult brReadTetgen(const brReadJob* job, brAssembly* assembly)
{
	(void)assembly;
	return brFail(job->report, br_errorUnsupported, "tetgen is not read yet");
}

brResult brWriteTetgen(const brWriteJob* job)
{
	return brFail(job->report, br_errorUnsupported, "tetgen is not written yet");
}
