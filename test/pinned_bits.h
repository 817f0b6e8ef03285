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
	{"plates", 0x840a92a18cb44ef2},
	{"wall", 0x7675d1da411384a9},
	{"pane", 0x8d51d24b3cc108e1},
	{"cracks", 0x0e9d0c4364d20279},
	{"bonds", 0xd5133086d592d6a0},
	{"live", 0xea1b874c78c9b080},
};
// clang-format on
