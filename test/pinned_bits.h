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
	{"plates", 0xacde40ba36573f86},
	{"wall", 0xbaac6990b3ff4980},
	{"pane", 0xd0e26f9db3591b50},
	{"cracks", 0xd1f95b50c5a65cbc},
	{"bonds", 0x39913b5553781322},
	{"live", 0x813f0f433d79a66d},
};
// clang-format on
