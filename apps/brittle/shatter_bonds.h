// SPDX-License-Identifier: MIT
#pragma once

#include "brittle/brittle.h"

/// Writes masses of pieces, bonds and levels as JSON. False with a sentence in the report.
bool saveBonds(const char* path, const brShatter* shatter, brReport* report);
