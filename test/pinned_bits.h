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
	{"plates", 0xf584d6d73839c680},
	{"wall", 0x09b9ee3d1583050e},
	{"pane", 0xff094ba2c2894be0},
	{"cracks", 0x6ff07076a620d0ec},
	{"bonds", 0x05cef3b22f9104d4},
	{"live", 0x80ebfaeb45f9d83c},
};
// clang-format on
