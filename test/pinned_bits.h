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
	{"plates", 0x86e8cfd20fcf62bb},
	{"wall", 0x7cd69e265e039279},
	{"pane", 0xb160079bfe21b77c},
	{"cracks", 0xbc6da235444f093a},
	{"bonds", 0x39913b5553781322},
	{"live", 0xce4bb7c4919f4930},
};
// clang-format on
