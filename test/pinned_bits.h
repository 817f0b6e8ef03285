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
	{"plates", 0x58670c8a6541a12d},
	{"wall", 0xd7106d25b1d75fda},
	{"pane", 0x09364c6afc0dd455},
	{"cracks", 0x0a23318a908cf295},
	{"bonds", 0x4acfa162b8b16a0d},
	{"live", 0x1c2c5524be0d3485},
};
// clang-format on
