// SPDX-License-Identifier: MIT
#pragma once

// Scenes that the collision benchmarks share: public frames where the collection is there, else scenes by formula.

#include "narrow/triangle_search.h"
#include "narrow/triangle_soup.h"

typedef struct CollideScene
{
	const char* name;
	const char* file;   // in the collection
	const char* motion; // made instead if the file is not there
	double frame;
	int64_t candidates;        // known counts of the file, or -1
	int64_t selfIntersections; // as CGAL counts
} CollideScene;

#define COLLIDE_SCENE_COUNT 3
extern const CollideScene collideScenes[COLLIDE_SCENE_COUNT];

/// One mesh of all triangles of a file of the collection, or of a scene by formula if it is not there or null;
/// `resolution` of that one, 0: its own. Stops the program if it cannot be had. `outIsPublic` may be null.
brMesh* collideLoadFrame(const char* file, const char* motionName, double frame, int32_t resolution, bool* outIsPublic);

/// One mesh of all triangles of the scene. Stops the program if it cannot be had. `outIsPublic` may be null.
brMesh* collideLoadScene(const CollideScene* scene, bool* outIsPublic);
