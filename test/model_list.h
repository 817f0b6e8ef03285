// SPDX-License-Identifier: MIT
#pragma once

// The closed and nearly closed surfaces of the mesh collection, small ones of every kind first: these are what an
// ordinary run takes.

#define COLLECTED_MODEL_COUNT 40
extern const char* const collectedModels[COLLECTED_MODEL_COUNT]; // in its folder models
