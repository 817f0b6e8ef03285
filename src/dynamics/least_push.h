// SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Velocities of eight bodies at most, turning included.
#define BR_PUSH_DIMENSIONS 48

/// One point at which bodies push each other: what a push of 1 there gives them as momentum, and what that changes of
/// their velocities.
typedef struct brPushRow
{
	double push[BR_PUSH_DIMENSIONS], change[BR_PUSH_DIMENSIONS];
	double lack; ///< Of the speed with which the point should part. What parts faster has a negative one. [m/s]
	double impulse;
} brPushRow;

/// The least pushes, none of them a pull, after which no point lacks more than `accuracy` [m/s]. Exact to rounding
/// however near points are to each other. `dimensions`: those that are used, six a body. False where none would do, as
/// of what is held from both sides; impulses then mean nothing.
bool brFindLeastPush(brPushRow* rows, int32_t count, int32_t dimensions, double accuracy);
