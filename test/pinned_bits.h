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
	{"plates", 0x3dfb84494eb7248c},
	{"wall", 0x1397f375cc10fb2a},
	{"pane", 0x3d7392abd41551a1},
	{"cracks", 0xa816a79535a12359},
	{"bonds", 0xb946bf33b10db0e9},
	{"live", 0x131e251e99d3ea8b},
};
// clang-format on
