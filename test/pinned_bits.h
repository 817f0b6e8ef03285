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
	{"plates", 0x3d696320ee91f7e4},
	{"wall", 0x3547bdc3271450bb},
	{"pane", 0x8b7cb43c08673e0b},
	{"cracks", 0x7f87e03df1f8d74a},
	{"bonds", 0x262c1aab970d2ba2},
	{"live", 0xc3460ba911528e92},
};
// clang-format on
