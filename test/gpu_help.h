// SPDX-License-Identifier: MIT
#pragma once

// What the tests of devices share.

#include "gpu/gpu.h"
#include "harness.h"

#ifdef BR_HAVE_OPENCL

/// The first device there is, or the one that BRITTLE_TEST_DEVICE names, with its kernels; skips the test without one.
brGpu* openAny(void);

/// The same; skips the test if the device has no doubles.
brGpu* openAnyWithDoubles(void);

/// A simulator of every work item wants little.
int32_t maxElements(const brTest* test);

/// `host` is sorted here; `device` must be already.
void checkSame(const brPair* device, int64_t deviceCount, brPair* host, int64_t hostCount);

/// Seven kinds: points, flat boxes, duplicates, everything in one place, one that covers all, boxes on a lattice that
/// touch.
void drawBoxes(brRandom* random, brBox3* boxes, int32_t count, uint32_t kind);

#endif
