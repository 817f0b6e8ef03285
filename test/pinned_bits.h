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
	{"plates", 0x635012357abed5b6},
	{"wall", 0x7667aa28c64f23dc},
	{"pane", 0xdc9fa02fa44b20bf},
	{"cracks", 0x5d19dc2ef9635ab7},
	{"bonds", 0x043b30340d490d14},
	{"live", 0xce4bb7c4919f4930},
};
// clang-format on
