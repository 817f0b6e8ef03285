// SPDX-License-Identifier: MIT
#pragma once

#include "base/random.h"

#include <stddef.h>

/// The text of a small random scene: a few bodies of any model and material fall, are thrown, shot at, break. Returns
/// the speed of what is thrown.
double brTest_WriteRandomScene(brRandom* random, double duration, char* text, size_t capacity);
