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
	{"plates", 0x449c269c6741ba82},
	{"wall", 0xbe90f61daf26473c},
	{"pane", 0x6e6a122279fd4863},
	{"cracks", 0xa06625e66268eace},
	{"bonds", 0x069378cb82bf4d3e},
	{"live", 0x7f4a3be144f741cf},
};
// clang-format on
