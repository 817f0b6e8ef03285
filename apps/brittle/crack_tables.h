// SPDX-License-Identifier: MIT
#pragma once

// What `brittle crack` says of fronts: tables of intensities along them and the curve of load over displacement, by the
// ending of the file, and a summary of given cracks.

#include "command.h"

#include "brittle/crack.h"

/// .csv, .json or .vtk: one row a front point and step, at the load as given. False with a sentence in the report.
bool saveCrackFronts(const brCracks* cracks, const char* path, brReport* report);

/// .csv or .json: one row a step.
bool saveCrackCurve(const brCracks* cracks, const char* path, brReport* report);

/// A line for each of the cracks that were there: mean intensities along its front before it grows, at the load as
/// given.
void printGivenCracks(const brCracks* cracks, const brCrackDef* def);

/// The same for programs: an array of objects.
void writeGivenCracks(Json* json, const brCracks* cracks, const brCrackDef* def);
