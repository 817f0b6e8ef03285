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
	{"plates", 0xef11a6cfa2eb34d5},
	{"wall", 0x8c92e46f4d1295e5},
	{"pane", 0x75a29d28995fb0a4},
	{"cracks", 0x8b1a834451ce2382},
	{"bonds", 0xfa32be1113448c43},
	{"live", 0x16436adc566d2124},
};
// clang-format on
