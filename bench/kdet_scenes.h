// SPDX-License-Identifier: MIT
#pragma once

// The scenes of the kDet thesis (chapter 5) rebuilt: two tetrahedral models that fall on, run into or pass through each
// other, at four resolutions, deformed by formula; and a block of tets of any number at one density.

#include "narrow/tet_search.h"

#define KDET_SCENE_COUNT 4

typedef struct KdetScene
{
	const char* name;
	const char* title;
	const char* files[2];  // surfaces in the collection
	const char* models[2]; // built in, if they are not there
} KdetScene;

extern const KdetScene kdetScenes[KDET_SCENE_COUNT];

/// Null if there is none of that name.
const KdetScene* kdetFindScene(const char* name);

/// Tets of both models in one list, moved from pose to pose.
typedef struct KdetBodies
{
	const KdetScene* scene; // null for the block
	int32_t nodeCounts[2];
	int32_t starts[3]; // first tet of each, and the end
	int32_t objectCount;
	brDVec3* rest;
	brDVec3* nodes; // of the last pose
	int32_t (*tets)[4];
	brBoxSource source;
	double depth; // how far the boxes of the two overlap along the axis of motion, as a part of the smaller one
} KdetBodies;

/// Resolution 1 to 4: about 10, 25, 50 and 90 thousand tets each. Stops the program if it cannot be had.
KdetBodies kdetMakeBodies(const KdetScene* scene, int32_t resolution);

/// A block of cubes of six tets each, all nodes a little off their place.
KdetBodies kdetMakeBlock(int32_t tetCount);

void kdetFreeBodies(KdetBodies* bodies);

/// The pose at time 0 to 1; they meet from about 0.3 on.
void kdetPose(KdetBodies* bodies, double time);
