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
	{"plates", 0x6b18e9ea33836bcb},
	{"wall", 0xb80a8e7c815addb4},
	{"pane", 0xe1f1dca0fb46fdaf},
	{"cracks", 0x33db07adb0de26ae},
	{"bonds", 0x1a1c7ee5d1923c2f},
	{"live", 0x23c87938fb8ed508},
};
// clang-format on
