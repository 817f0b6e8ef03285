// SPDX-License-Identifier: MIT
#pragma once

#include "dynamics/dynamics.h"
#include "world/break_state.h"

struct brWorld
{
	brDynamics dynamics;
	brBreaking breaking;
};

/// Whether a def can be worked with; the sentence names what is wrong.
brResult brWorldDef_Check(const brWorldDef* def, brReport* report);
