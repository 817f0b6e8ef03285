// SPDX-License-Identifier: MIT
#include "io/formats.h"

brResult brReadVtk(const brReadJob* job, brAssembly* assembly)
{
	(void)assembly;
	return brFail(job->report, br_errorUnsupported, "vtk is not read yet");
}

brResult brWriteVtk(const brWriteJob* job)
{
	return brFail(job->report, br_errorUnsupported, "vtk is not written yet");
}
