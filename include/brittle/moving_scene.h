// SPDX-License-Identifier: MIT
#pragma once

/// @file moving_scene.h
/// Made-up moving scenes for collision detection: what the published benchmarks show, computed for any frame and size.
///
///     brMovingSceneDef def = brDefaultMovingSceneDef("cloth_ball");
///     def.frame = 60;
///     brMovingScene* motion;
///     brMakeMovingScene(NULL, &def, &motion, NULL);
///     brCollideMeshes(NULL, (const brMesh* const*)motion->meshes, motion->meshCount, NULL, &collision, NULL);
///
/// The scenes follow formulas, not physics: sheets fold and pass through themselves, bodies overlap. That is their use.
/// A frame depends on the def alone, vertices keep their numbers from frame to frame.

#include "brittle/mesh.h"

/// One scene of the list.
typedef struct brMovingSceneInfo
{
	const char* name;
	const char* description;
	int32_t frameCount;
	int32_t resolution; ///< Default: quads along a side of the cloth, or segments round a body.
} brMovingSceneInfo;

/// Number of moving scenes.
BR_EXPERIMENTAL BR_API int32_t brGetMovingSceneCount(void);

/// The i-th moving scene; null out of range.
BR_EXPERIMENTAL BR_API const brMovingSceneInfo* brGetMovingSceneInfo(int32_t index);

/// Start from brDefaultMovingSceneDef(name).
typedef struct brMovingSceneDef
{
	const char* name;
	double frame; ///< 0 to the scene's frameCount, fractions allowed.
	/// Quads along a side of a cloth, or segments round a body; triangles grow with its square. 0: the scene's
	/// default. At most 2000.
	int32_t resolution;
	uint64_t seed;  ///< For the bodies.
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brMovingSceneDef;

BR_EXPERIMENTAL BR_API brMovingSceneDef brDefaultMovingSceneDef(const char* name);

/// The objects of a scene at one frame.
typedef struct brMovingScene
{
	int32_t meshCount;
	brMesh** meshes; ///< [meshCount]
	brAllocator allocator;
} brMovingScene;

/// Makes the meshes of a scene at one frame. Refuses unknown names and lists those there are. `context` and `report`
/// may be null.
BR_EXPERIMENTAL BR_API brResult brMakeMovingScene(const brContext* context, const brMovingSceneDef* def,
												  brMovingScene** outMotion, brReport* report);

/// Frees `motion`, which may be null.
BR_EXPERIMENTAL BR_API void brDestroyMovingScene(brMovingScene* motion);
