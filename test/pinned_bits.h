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
	{"plates", 0xcbe072777b1c708b},
	{"wall", 0xbcd3a3c80f52e8bf},
	{"pane", 0x1dfd1ff2f8166e31},
	{"cracks", 0xea81f3721649817c},
	{"bonds", 0x39913b5553781322},
	{"live", 0xc81dbb7fb1f4233e},
};
// clang-format on
