// SPDX-License-Identifier: MIT
#pragma once

// The ways to find pairs that are kept to be compared with, as engines of a search.

#include "brittle/research.h"
#include "index/pairs.h"

extern const brPairEngine brBspEngine;
extern const brPairEngine brLbvhEngine;
extern const brPairEngine brFrontEngines[5]; // by brPairFrontStrategy
