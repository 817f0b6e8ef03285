// SPDX-License-Identifier: MIT
#pragma once

// `cut --map`: where everything in the pieces comes from.

#include "command.h"

/// Writes faces, vertices and seams of all pieces as JSON (docs/cutting.md). False with a sentence in the report.
bool saveCutMap(const char* path, const brCutResult* cut, const brMesh* source, const brMesh* const* cutters,
				int32_t cutterCount, brReport* report);
