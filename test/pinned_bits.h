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
	{"plates", 0x54f64a2c33f3e0b5},
	{"wall", 0x438d0d8df32d2239},
	{"pane", 0x11116761c4c8e15e},
	{"cracks", 0xffffad8763f3005d},
	{"bonds", 0x4acfa162b8b16a0d},
	{"live", 0xc39f3f4b0e2928ac},
};
// clang-format on
