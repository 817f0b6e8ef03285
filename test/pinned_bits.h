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
	{"plates", 0xcb74e73e6aeb9723},
	{"wall", 0x28d860b646b84116},
	{"pane", 0xcd1c156d9efb8dd6},
	{"cracks", 0xaf03cbcb3fb19a2c},
	{"bonds", 0x4ee133c66c6a9c97},
	{"live", 0x218e60658a10559d},
};
// clang-format on
