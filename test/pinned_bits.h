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
	{"plates", 0x759f0483ce62ac41},
	{"wall", 0x586d4f2d99b84dd4},
	{"pane", 0xd20e418054931cfb},
	{"cracks", 0x92b9a8b774c673f8},
	{"bonds", 0x4acfa162b8b16a0d},
	{"live", 0xc39f3f4b0e2928ac},
};
// clang-format on
