// SPDX-License-Identifier: MIT
#pragma once

// Hashes of worlds after scenes in which something breaks. A change of physics changes them:
//
//     GOLDEN_UPDATE=1 build/brittle_tests golden_scenes
//
// writes the table anew; the commit says why. A change for one compiler, level, number of workers or vector path alone
// is a defect.

typedef struct GoldenScene
{
	const char* name;
	unsigned long long hash;
} GoldenScene;

// clang-format off
static const GoldenScene s_goldenScenes[] = {
	{"plates", 0x835e354362af61b6},
	{"wall", 0x60da776c9c159c49},
	{"pane", 0x042e19295484a96b},
	{"cracks", 0xeedbb95f2639f9b6},
	{"bonds", 0x7d1c68cb8afda30f},
	{"live", 0xf06ccfba7ccfa253},
};
// clang-format on
