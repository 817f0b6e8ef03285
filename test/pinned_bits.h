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
	{"plates", 0x021be0c7335590d4},
	{"wall", 0xba1332a3d41dfaa4},
	{"pane", 0xc21a2c188860e204},
	{"cracks", 0x03a7c79933e1599a},
	{"bonds", 0xcd5051f211114c3d},
	{"live", 0x7a56cd0ea09b41ee},
};
// clang-format on
