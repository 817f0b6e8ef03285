// SPDX-License-Identifier: MIT
#pragma once

// A device's part in a world that steps on the CPU: it finds which boxes overlap. Pairs are the same, so every bit of the world is.

#include "brittle/gpu.h"

typedef struct brGpuBroad brGpuBroad;

/// `context` and `report` may be null. The device must outlive it.
brResult brCreateGpuBroad(brGpu* gpu, const brContext* context, brGpuBroad** outBroad, brReport* report);

/// `broad` may be null. No world may use it any more.
void brDestroyGpuBroad(brGpuBroad* broad);

/// From now on the world asks it; null: nobody.
void brGpuBroad_Serve(brGpuBroad* broad, brWorld* world);
