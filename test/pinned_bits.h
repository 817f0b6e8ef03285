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
	{"plates", 0x17588b79afd4a1ae},
	{"wall", 0x4fc5cdd66676086a},
	{"pane", 0x16d0d401b631c2a7},
	{"cracks", 0xda1a3a79bbc7917f},
	{"bonds", 0x9e38dbbf672a3327},
	{"live", 0x8ac16afcb6e1566f},
};
// clang-format on
