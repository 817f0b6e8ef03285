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
	{"plates", 0xced59a596e8763ff},
	{"wall", 0xde3b699836a7f724},
	{"pane", 0xb2ff2ef287b8ecb6},
	{"cracks", 0xcafeda8c5f541c3d},
	{"bonds", 0x1a1c7ee5d1923c2f},
	{"live", 0x4450c4ddeea79fe1},
};
// clang-format on
