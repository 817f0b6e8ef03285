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
	{"plates", 0x62497f161be92bce},
	{"wall", 0x0f3e2146deb4fc45},
	{"pane", 0xda5393e7b1cdc788},
	{"cracks", 0x2ba5f2ac7f951d53},
	{"bonds", 0x262c1aab970d2ba2},
	{"live", 0x8be27f2d125795ea},
};
// clang-format on
