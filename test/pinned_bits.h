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
	{"plates", 0xb3904b24c1e89c90},
	{"wall", 0x4314c8e4a9b19e23},
	{"pane", 0xdc2de8cd84d454ec},
	{"cracks", 0x101d5ce901c5a38a},
	{"bonds", 0x0fa5e8f898b4d3d2},
	{"live", 0xdc1b5a18fd757ac6},
};
// clang-format on
