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
	{"plates", 0xe58f52e5415010c0},
	{"wall", 0x9476ca1d97ee226a},
	{"pane", 0x024499b7e1868de3},
	{"cracks", 0x6968b35f7e0463ef},
	{"bonds", 0xb7e2c341fab0d97f},
	{"live", 0x9e26b42b23423108},
};
// clang-format on
