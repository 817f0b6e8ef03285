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
	{"plates", 0xfac8c571dab1861d},
	{"wall", 0x7940bfbd112c73fa},
	{"pane", 0x5d7ec13c8737ff75},
	{"cracks", 0x6617c816124b304e},
	{"bonds", 0x8b6e9e86afc4a3db},
	{"live", 0x448bdc218b1c8ce2},
};
// clang-format on
