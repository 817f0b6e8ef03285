// SPDX-License-Identifier: MIT
#include "io/formats.h"

brResult brReadGltf(const brReadJob* job, brAssembly* assembly)
{
	(void)assembly;
	return brFail(job->report, br_errorUnsupported, "gltf is not read yet");
}

brResult brWriteGltf(const brWriteJob* job)
{
	return brFail(job->report, br_errorUnsupported, "gltf is not written yet");
}
