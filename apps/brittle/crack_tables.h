// SPDX-License-Identifier: MIT
#pragma once

// Tables of `brittle crack`: intensities along fronts and the curve of load over displacement, by the ending of the file.

#include "brittle/crack.h"

/// .csv, .json or .vtk: one row a front point and step, at the load as given. False with a sentence in the report.
bool saveCrackFronts(const brCracks* cracks, const char* path, brReport* report);

/// .csv or .json: one row a step.
bool saveCrackCurve(const brCracks* cracks, const char* path, brReport* report);
