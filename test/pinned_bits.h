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
	{"plates", 0xa10b1ab8b2bf019c},
	{"wall", 0xbc2052d9baa31155},
	{"pane", 0x62e1da376221f3c8},
	{"cracks", 0xa8093af925eb7d21},
	{"bonds", 0x0134392f8fb1ed1d},
	{"live", 0xab0af72d8df60cc6},
};
// clang-format on
