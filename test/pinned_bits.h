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
	{"plates", 0xc64edab342c75b2b},
	{"wall", 0xe6d52f64791b5283},
	{"pane", 0xdc4cd53e98f9bb88},
	{"cracks", 0xbc0bee01f728222f},
	{"bonds", 0x1a1c7ee5d1923c2f},
	{"live", 0x0da75260088e4b81},
};
// clang-format on
