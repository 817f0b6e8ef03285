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
	{"plates", 0xeada880ad4ab039b},
	{"wall", 0x2160e8c3202c1211},
	{"pane", 0x25a06c48d3bb3c04},
	{"cracks", 0x33e1fbf1fee2dc90},
	{"bonds", 0x4acfa162b8b16a0d},
	{"live", 0x496d58a40d31a8ad},
};
// clang-format on
