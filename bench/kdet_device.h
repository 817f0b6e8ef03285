// SPDX-License-Identifier: MIT
#pragma once

// The frames of `brittle-bench kdet --csv` on a device, by the grid or by brute force.

#include "kdet_scenes.h"

typedef struct KdetDeviceWay
{
	bool isBrute, isPairwise; // every pair; with a thread for each
	bool isSelf;
	uint32_t hash;     // as in grid_key.h
	int32_t groupSize; // 0: the device's own
	brTetTest test;
} KdetDeviceWay;

/// One pose.
typedef struct KdetDeviceFrame
{
	double host;       // from positions here to counts here, the mean of the runs [s]
	double build;      // on the device: before the search
	double search;     // candidates
	double narrow;     // which of them meet, and how deep if the test measures
	int64_t boxes;     // pairs of boxes that overlap
	int64_t tested;    // without neighbors
	brPairBuffer list; // pairs that meet
} KdetDeviceFrame;

typedef struct KdetDevice KdetDevice;

/// Null, with a sentence on stderr, without a device or with a test that it does not have. BRITTLE_BENCH_DEVICE chooses
/// one.
KdetDevice* kdetOpenDevice(const KdetBodies* bodies, const KdetDeviceWay* way);
void kdetCloseDevice(KdetDevice* device);

/// Runs the pose that `bodies` is in. The list is the device's, until the next call.
void kdetRunDevice(KdetDevice* device, const KdetBodies* bodies, int32_t runs, KdetDeviceFrame* outFrame);
