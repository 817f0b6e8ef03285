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
	{"plates", 0x6281824b040d1870},
	{"wall", 0x51c4f19d81977712},
	{"pane", 0xc5dd95c61d06bccc},
	{"cracks", 0x792a5535dfa3c2a4},
	{"bonds", 0xd028cafcf464e92a},
	{"live", 0x3839d9ee8f48ca92},
};
// clang-format on
