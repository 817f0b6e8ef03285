// SPDX-License-Identifier: MIT
#pragma once

// Which pieces of a cut lie on both sides of a crack, and how much of it they share.

#include "brittle/cut.h"
#include "brittle/shatter.h"

/// Pairs every cap with the one on the other side of its crack face whose middle is nearest. Bonds rise by pieces.
brResult brMakeCutBonds(const brAllocator* allocator, const brCutResult* cut, brBond** outBonds, int32_t* outCount,
						brReport* report);
