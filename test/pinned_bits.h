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
	{"plates", 0x1c5c297e67f5acaf},
	{"wall", 0xc9c355e54e1bbdd9},
	{"pane", 0xbbc60f03cdb9a7bc},
	{"cracks", 0xdc89a8b86c76c168},
	{"bonds", 0xad91be81f400476c},
	{"live", 0x0f0c0e6f98bbd1fa},
};
// clang-format on
