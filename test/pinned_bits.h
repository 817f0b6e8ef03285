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
	{"plates", 0x1a9f811f70518ff6},
	{"wall", 0x8cebd47a04a3ee94},
	{"pane", 0x13a60464c1baa5cc},
	{"cracks", 0x0e9d0c4364d20279},
	{"bonds", 0xd5133086d592d6a0},
	{"live", 0xc5cac4eb31c986a2},
};
// clang-format on
