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
	{"plates", 0x617400ac38967656},
	{"wall", 0x90314e0ab4fb1fff},
	{"pane", 0x0cbfc115c0319d05},
	{"cracks", 0x56ef79d08b6c1f28},
	{"bonds", 0xfa32be1113448c43},
	{"live", 0x73a298b9958d246b},
};
// clang-format on
