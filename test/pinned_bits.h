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
	{"plates", 0x11214006600d3e80},
	{"wall", 0x05cd7fb5839d1814},
	{"pane", 0xac1a1602eb9198c1},
	{"cracks", 0xb0ddff024d3ffa37},
	{"bonds", 0x4acfa162b8b16a0d},
	{"live", 0x6f8d20e9ae1eb17c},
};
// clang-format on
