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
	{"plates", 0x99918b38ce4ebeb6},
	{"wall", 0x638e4de963afb7f4},
	{"pane", 0x5b38ae4ba92290d0},
	{"cracks", 0x3463ad2cab3d989b},
	{"bonds", 0xb40dc14a2c543535},
	{"live", 0x29bb3655a89537eb},
};
// clang-format on
