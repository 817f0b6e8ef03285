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
	{"plates", 0x78cdaea984c31fe6},
	{"wall", 0x0e0e19cc4cc629f3},
	{"pane", 0x7501c8aed3296364},
	{"cracks", 0x1c623e18531a133f},
	{"bonds", 0x64efb9d35564c20c},
	{"live", 0xbc172d4199dfda19},
};
// clang-format on
