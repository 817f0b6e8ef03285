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
	{"plates", 0x12e6d15654a23993},
	{"wall", 0x2c967f96e128cbc6},
	{"pane", 0x422dd4e4429b8a17},
	{"cracks", 0x8c2abd456279218c},
	{"bonds", 0xb6a8edb8eb33bd77},
	{"live", 0x8f6cf8610e567340},
};
// clang-format on
