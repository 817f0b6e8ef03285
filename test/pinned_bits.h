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
	{"plates", 0x0d2fd1696e85ba64},
	{"wall", 0x13f596d42527f975},
	{"pane", 0x4c56daf2aa313053},
	{"cracks", 0xe79916525b6cc732},
	{"bonds", 0x19e6339c34cc6a4d},
	{"live", 0x16b7d1e8493c3c65},
};
// clang-format on
