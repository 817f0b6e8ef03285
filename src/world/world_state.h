// SPDX-License-Identifier: MIT
#pragma once

#include "dynamics/dynamics.h"
#include "world/break_state.h"
#include "world/query_tree.h"

struct brWorld
{
	brDynamics dynamics;
	brBreaking breaking;
	brPairFilter pairFilter;
	brQueryTree* queries; // questions build it, so it changes behind a const world
};
