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
	{"plates", 0x0a24ac36f7efb931},
	{"wall", 0x4d291cc278f649a5},
	{"pane", 0x3e95ed5e97bad656},
	{"cracks", 0xb92c1ea3bf3aa0e6},
	{"bonds", 0xd028cafcf464e92a},
	{"live", 0x3839d9ee8f48ca92},
};
// clang-format on
