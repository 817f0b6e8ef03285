// SPDX-License-Identifier: MIT
#include "io/formats.h"

brResult brReadMsh(const brReadJob* job, brAssembly* assembly)
{
	(void)assembly;
	return brFail(job->report, br_errorUnsupported, "msh is not read yet");
}

brResult brWriteMsh(const brWriteJob* job)
{
	return brFail(job->report, br_errorUnsupported, "msh is not written yet");
}
