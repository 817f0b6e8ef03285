// SPDX-License-Identifier: MIT
#include "io/formats.h"

brResult brReadPly(const brReadJob* job, brAssembly* assembly)
{
	(void)assembly;
	return brFail(job->report, br_errorUnsupported, "ply is not read yet");
}

brResult brWritePly(const brWriteJob* job)
{
	return brFail(job->report, br_errorUnsupported, "ply is not written yet");
}
