// SPDX-License-Identifier: MIT
#include "io/formats.h"

brResult brReadMedit(const brReadJob* job, brAssembly* assembly)
{
	(void)assembly;
	return brFail(job->report, br_errorUnsupported, "medit is not read yet");
}

brResult brWriteMedit(const brWriteJob* job)
{
	return brFail(job->report, br_errorUnsupported, "medit is not written yet");
}
