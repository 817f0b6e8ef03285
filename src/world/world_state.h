// SPDX-License-Identifier: MIT
#pragma once

#include "dynamics/dynamics.h"
#include "world/break_state.h"

struct brWorld
{
	brDynamics dynamics;
	brBreaking breaking;
};
