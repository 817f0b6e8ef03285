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
	{"plates", 0xd06fd041e720325c},
	{"wall", 0x7269ea58999c3020},
	{"pane", 0xcc66a72c1b8d95b8},
	{"cracks", 0x1932a7fff5b6d534},
	{"bonds", 0x4acfa162b8b16a0d},
	{"live", 0x496d58a40d31a8ad},
};
// clang-format on
