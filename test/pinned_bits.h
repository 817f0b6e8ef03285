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
	{"plates", 0x4a28b68526dd49e1},
	{"wall", 0x4ba1122c3ddd8789},
	{"pane", 0x7ed5b4bfc9d3d6e7},
	{"cracks", 0xa8d1ad715ca29014},
	{"bonds", 0x262c1aab970d2ba2},
	{"live", 0xc3460ba911528e92},
};
// clang-format on
