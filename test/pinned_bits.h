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
	{"plates", 0x174608e9ce13b50b},
	{"wall", 0xa4097dfd1ab3106d},
	{"pane", 0x96a0d58b08c44a7b},
	{"cracks", 0xb74a130fdc5911c2},
	{"bonds", 0x4ee133c66c6a9c97},
	{"live", 0x317c9d4f280233c5},
};
// clang-format on
