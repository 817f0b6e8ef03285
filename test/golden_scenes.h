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

static const GoldenScene s_goldenScenes[] = {
	{"plates", 0},
};
