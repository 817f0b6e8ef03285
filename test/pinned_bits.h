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
	{"plates", 0xb664b2d4fc8988d6},
	{"wall", 0x9e909cabf317157a},
	{"pane", 0xf6bfbeca52a5cad4},
	{"cracks", 0x8a78995258a76896},
	{"bonds", 0x4b26ae4d0ef10635},
	{"live", 0x30f8788c2605a6e4},
};
// clang-format on
