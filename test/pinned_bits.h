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
	{"plates", 0x11d93d2cc3aa3de1},
	{"wall", 0x6870d98edd40b4d2},
	{"pane", 0xb26e50a072a6a380},
	{"cracks", 0xca71a63f4c96d95f},
	{"bonds", 0xd5133086d592d6a0},
	{"live", 0xc5cac4eb31c986a2},
};
// clang-format on
