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
	{"plates", 0x35ada3f69707174b},
	{"wall", 0x9e8242d38675eb5a},
	{"pane", 0x8850b79da0e599c5},
	{"cracks", 0x0e9d0c4364d20279},
	{"bonds", 0xd5133086d592d6a0},
	{"live", 0xc5cac4eb31c986a2},
};
// clang-format on
