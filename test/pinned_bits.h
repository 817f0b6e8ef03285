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
	{"plates", 0xbaeee4ee47b3f58a},
	{"wall", 0x32640d1f4e3b680e},
	{"pane", 0x92c4f689e42b31ac},
	{"cracks", 0x7ce77ea058652585},
	{"bonds", 0x19e6339c34cc6a4d},
	{"live", 0xf3ad7c4da685d040},
};
// clang-format on
