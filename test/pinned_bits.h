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
	{"plates", 0x778c35164f3cc1c7},
	{"wall", 0xbdd3952600853715},
	{"pane", 0xe9d34c5de805a163},
	{"cracks", 0x638b61d6c6e0c935},
	{"bonds", 0xd028cafcf464e92a},
	{"live", 0x3839d9ee8f48ca92},
};
// clang-format on
