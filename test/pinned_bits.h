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
	{"plates", 0x1b96837792f68e24},
	{"wall", 0x17d260d0781781fd},
	{"pane", 0xd59be614fb866453},
	{"cracks", 0xf886408e35920b40},
	{"bonds", 0xfa32be1113448c43},
	{"live", 0x8b39b8b415b816d5},
};
// clang-format on
