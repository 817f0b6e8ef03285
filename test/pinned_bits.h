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
	{"plates", 0xcd372a9c236492ea},
	{"wall", 0x41747fd9d14978ed},
	{"pane", 0xc7a5b1fcc7e678ed},
	{"cracks", 0xe79916525b6cc732},
	{"bonds", 0x19e6339c34cc6a4d},
	{"live", 0x2f32636345a5046e},
};
// clang-format on
