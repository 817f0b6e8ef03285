// SPDX-License-Identifier: MIT
#include "io/formats.h"

brResult brWriteGltf(const brWriteJob* job)
{
	return brFail(job->report, br_errorUnsupported, "gltf is not written yet");
}
