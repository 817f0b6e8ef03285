// SPDX-License-Identifier: MIT
#pragma once

// What the continuous calls have in common.

#include "brittle/ccd.h"

bool brCcdDef_IsGood(const brCcdDef* def);
