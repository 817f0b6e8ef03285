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
	{"plates", 0x98ab65d05b311815},
	{"wall", 0x9118485fa1d82875},
	{"pane", 0x94020acf3a59cd7b},
	{"cracks", 0x932179353035fe35},
	{"bonds", 0x39913b5553781322},
	{"live", 0xc81dbb7fb1f4233e},
};
// clang-format on
