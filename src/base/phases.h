// SPDX-License-Identifier: MIT
#pragma once

// Loops one behind the other without a pause for workers in between.
//
// A pass of the contact solver is a loop for each color, some microseconds long: to open each for the team, and to wait
// until all have left it, would take as long again. Here all are one loop. Each worker takes the items at its own place
// in every phase, so that what these work on stays in its cache, then what others have not begun, and waits until the
// phase is done. Nobody has to come: one thread alone does all of them in order.

#include "brittle/context.h"

/// One item, of all items of all phases, and the phase that it belongs to.
typedef void brPhaseFcn(int32_t phase, int32_t item, void* user);

#define BR_PHASES_ITEMS 4096

/// `ends` has, for each phase, where its items end among all, which are BR_PHASES_ITEMS at most. Items of a phase come
/// in any order.
void brParallelPhases(brWorkers* workers, const int32_t* ends, int32_t phaseCount, brPhaseFcn* run, void* user);

/// For loops that look at a word until it changes.
static inline void brSpinOnce(void)
{
#if defined(__x86_64__) && !defined(BR_SCALAR)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}
