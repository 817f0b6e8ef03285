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
	{"plates", 0xa225896254a96027},
	{"wall", 0x809b33221aac6cba},
	{"pane", 0xbee64c9ec7469d81},
	{"cracks", 0xf15d65a0f4be36d7},
	{"bonds", 0x4acfa162b8b16a0d},
	{"live", 0xc39f3f4b0e2928ac},
};
// clang-format on
