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
	{"plates", 0x654df6dd40c3d0aa},
	{"wall", 0x42e05773f7836fb5},
	{"pane", 0xb160079bfe21b77c},
	{"cracks", 0xae8f6c2088557a78},
	{"bonds", 0x39913b5553781322},
	{"live", 0xce4bb7c4919f4930},
};
// clang-format on
