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
	{"plates", 0xca35ba216461ce67},
	{"wall", 0x37d263f68de61f36},
	{"pane", 0x3297c805ab8a8c52},
	{"cracks", 0xf886408e35920b40},
	{"bonds", 0xfa32be1113448c43},
	{"live", 0x73a298b9958d246b},
};
// clang-format on
