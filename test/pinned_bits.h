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
	{"plates", 0xa3b60f1a42714eca},
	{"wall", 0xd65402cd07cffda9},
	{"pane", 0xe059de459b256193},
	{"cracks", 0x5fa8bc3262cea107},
	{"bonds", 0x68cef3bc9cdac1a9},
	{"live", 0x7c63400f4d0859cd},
};
// clang-format on
