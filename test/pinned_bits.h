// SPDX-License-Identifier: MIT
#pragma once

// Hashes of worlds after scenes in which something breaks. A change of physics changes them:
//
//     PINNED_UPDATE=1 build/brittle_tests pinned_bits
//
// writes the table anew; the commit says why. A change for one compiler, level, number of workers or vector path alone
// is a defect.

typedef struct PinnedBits
{
	const char* name;
	unsigned long long hash;
} PinnedBits;

// clang-format off
static const PinnedBits s_pinnedBits[] = {
	{"plates", 0x9eb3cfdc42f103dd},
	{"wall", 0x81f7698d7d907a19},
	{"pane", 0xe78b7e022490dba6},
	{"cracks", 0xca71a63f4c96d95f},
	{"bonds", 0xd5133086d592d6a0},
	{"live", 0xea1b874c78c9b080},
};
// clang-format on
