// SPDX-License-Identifier: MIT
#pragma once

// A run against a saved one (`brittle-bench --json > saved.json`, later `--compare saved.json`): which rows got slower,
// beyond what two runs of the same program differ by.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Rows of a saved run. False, said on stderr, if there are none in the file.
bool brCompare_Load(const char* path);

/// A row of this run. Every benchmark runs twice: the better time counts, the difference is the noise.
void brCompare_Add(const char* bench, const char* name, double value, const char* unit);

/// Prints what changed. True if no row got slower.
bool brCompare_Tell(void);
