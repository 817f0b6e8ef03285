// SPDX-License-Identifier: MIT
#pragma once

// The file of `brittle crack --load`: "force x y z fx fy fz" or "fix x y z x y z" a line, # begins a comment.

#include "brittle/crack.h"

enum
{
	crackMostLoads = 256,
};

typedef struct CrackLoad
{
	brCrackForce forces[crackMostLoads];
	brCrackSupport supports[crackMostLoads];
	int32_t forceCount, supportCount;
} CrackLoad;

/// False with a sentence in the report.
bool readCrackLoad(const char* path, CrackLoad* outLoad, brReport* report);
