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
	{"plates", 0x700c6713a1cf1aab},
	{"wall", 0x3c87790185dadf95},
	{"pane", 0xaa30ecc99edf1983},
	{"cracks", 0xacb0fcea42982cfe},
	{"bonds", 0x4acfa162b8b16a0d},
	{"live", 0x496d58a40d31a8ad},
};
// clang-format on
