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
	{"plates", 0xdc7137ea92217360},
	{"wall", 0x9fcb9dc46264190c},
	{"pane", 0x520f69101cde02b3},
	{"cracks", 0xcbcb6f7619dfcbe3},
	{"bonds", 0x0fa5e8f898b4d3d2},
	{"live", 0xdc1b5a18fd757ac6},
};
// clang-format on
