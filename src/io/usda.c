// SPDX-License-Identifier: MIT
#include "io/formats.h"

brResult brWriteUsda(const brWriteJob* job)
{
	return brFail(job->report, br_errorUnsupported, "usda is not written yet");
}
