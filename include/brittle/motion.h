// SPDX-License-Identifier: MIT
#pragma once

/// @file motion.h
/// Made-up moving scenes for collision detection: what the published benchmarks show, computed for any frame and size.
///
///     brMotionDef def = brDefaultMotionDef("cloth_ball");
///     def.frame = 60;
///     brMotion* motion;
///     brMakeMotion(NULL, &def, &motion, NULL);
///     brCollideMeshes(NULL, (const brMesh* const*)motion->meshes, motion->meshCount, NULL, &collision, NULL);
///
/// The scenes follow formulas, not physics: sheets fold and pass through themselves, bodies overlap. That is their use.
/// A frame depends on the def alone, vertices keep their numbers from frame to frame.

#include "brittle/mesh.h"

/// One scene of the list.
typedef struct brMotionInfo
{
	const char* name;
	const char* description;
	int32_t frameCount;
	int32_t resolution; ///< Default: quads along a side of the cloth, or segments round a body.
} brMotionInfo;

/// How many scenes there are, and the i-th; null out of range.
BR_API int32_t brMotion_Count(void);
BR_API const brMotionInfo* brMotion_Info(int32_t index);

/// Start from brDefaultMotionDef(name).
typedef struct brMotionDef
{
	const char* name;
	double frame;       ///< 0 to the scene's frameCount, fractions allowed.
	int32_t resolution; ///< 0: the scene's default. At most 2000.
	uint64_t seed;      ///< For the bodies.
	uint32_t stamp;     ///< Written by the default function. Leave it alone.
} brMotionDef;

BR_API brMotionDef brDefaultMotionDef(const char* name);

/// The objects of a scene at one frame.
typedef struct brMotion
{
	int32_t meshCount;
	brMesh** meshes; ///< [meshCount]
	brAllocator allocator;
} brMotion;

/// Refuses unknown names with the list of names. `context` and `report` may be null.
BR_API brResult brMakeMotion(const brContext* context, const brMotionDef* def, brMotion** outMotion, brReport* report);

/// `motion` may be null.
BR_API void brDestroyMotion(brMotion* motion);
