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
	{"plates", 0x6c1c7d412453f711},
	{"wall", 0xfb91be964c21ad3f},
	{"pane", 0xd6a5fb57874c3430},
	{"cracks", 0x224713e749f912da},
	{"bonds", 0xa51d607b49a84f2e},
	{"live", 0x0da75260088e4b81},
};
// clang-format on
