// SPDX-License-Identifier: MIT
#pragma once

/// @file track.h
/// Overlapping boxes frame after frame: what was found in the last frame makes the next one cheaper.
///
///     brTrackDef def = brDefaultTrackDef();
///     brTracker* tracker;
///     brCreateTracker(NULL, &def, &tracker, NULL);
///     for (each frame)
///     {
///         brTracker_UpdateMeshes(tracker, NULL, meshes, meshCount, NULL, NULL);
///         int64_t count;
///         const brPair* pairs = brTracker_GetPairs(tracker, &count);
///         ...
///     }
///     brDestroyTracker(tracker);
///
/// Pairs are the candidates of collide.h: closed intervals, each unordered pair once, smaller index first. The set of
/// pairs depends on the boxes of the frame alone, whatever the method; the order may depend on earlier frames, but
/// neither on the number of workers nor on the machine. For a single frame use collide.h.

#include "brittle/collide.h"

/// How pairs are kept from frame to frame. All methods find the same pairs.
typedef enum brTrackMethod
{
	br_trackAuto = 0,    ///< br_trackGroups as long as motion is slow enough for it to pay, else br_trackRebuild.
	br_trackRebuild = 1, ///< Wide trees anew in every frame.
	br_trackGroups = 2,  ///< Pairs of groups of sixteen boxes are kept and tested again only after they moved enough.
} brTrackMethod;

/// Start from brDefaultTrackDef().
typedef struct brTrackDef
{
	brTrackMethod method;
	bool enableSelf;            ///< Pairs within one object. On by default.
	bool enableInter;           ///< Pairs of different objects. On by default.
	int32_t lanes;              ///< Boxes tested at once: 16, 8, 1, or 0 for the most this processor can. Same pairs.
	const brPairEngine* engine; ///< Experimental. Null: `method`; else a front of research.h.
	int32_t cycle;              ///< Experimental, for `engine`: frames from update to update, 0: as motion asks for.

	/// Limit on the memory of a front: how many entries it may have for each primitive. A front
	/// that would be larger is made coarser, which costs time, or is given up. 0, the default: 32 or 48 by method.
	int32_t entriesPerPrimitive;
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brTrackDef;

BR_EXPERIMENTAL BR_API brTrackDef brDefaultTrackDef(void);

/// What a frame did.
typedef enum brTrackOperation
{
	br_operationRebuild = 0,  ///< Trees were built anew and searched; no front was used.
	br_operationGenerate = 1, ///< Trees were built anew, and a front was made from their search.
	br_operationPreserve = 2, ///< The front of the last frame was tested and kept.
	br_operationBalance = 3,  ///< It was also sorted by what its tests gave, so that the next ones are faster.
	br_operationUpdate = 4,   ///< It was also made finer or coarser where the motion asked for it.
} brTrackOperation;

typedef struct brTrackStats
{
	brTrackOperation operation;
	int32_t primitiveCount;
	int64_t pairCount;
	int64_t entryCount; ///< Of the front: entries, or listed and settled pairs.
	int64_t testCount;  ///< Entries or pairs that were tested.
	/// Pairs that began or ceased to overlap, by br_trackGroups. Those in groups that were searched anew are not
	/// counted.
	int64_t changeCount;
	int32_t rebuiltCount; ///< Primitives in subtrees that were built anew.
	int32_t droppedCount; ///< Objects whose part of the front was dropped.
	double quality;       ///< Inner over outer entries of a front of research.h (Wang et al., formula 1); else 0. [1]
	double speed; ///< Largest motion of a box since the last frame over the mean size of boxes; 0: not measured. [1]
	double orderSeconds; ///< For ordering the front. [s]
	double seconds;      ///< For the whole frame. [s]
	int64_t bytes;       ///< Memory of the front.
} brTrackStats;

/// Opaque. One thread at a time may use it.
typedef struct brTracker brTracker;

/// Makes a tracker. The allocator of `context` must outlive it. `context` and `report` may be null; a null `def`
/// means the default.
BR_EXPERIMENTAL BR_API brResult brCreateTracker(const brContext* context, const brTrackDef* def, brTracker** outTracker,
												brReport* report);

/// Frees `tracker`, which may be null.
BR_EXPERIMENTAL BR_API void brDestroyTracker(brTracker* tracker);

/// Finds the pairs of one frame of boxes, in objects as the groups of brCollideBoxes. `names` [objectCount] say which
/// object is which of the last frame: with the same name and size, box k is the same box as then. Null: objects are
/// named by number. If it fails there are no pairs, and the next frame starts from nothing. `context` lends workers
/// and may be null.
BR_EXPERIMENTAL BR_API brResult brTracker_UpdateBoxes(brTracker* tracker, const brContext* context, const brBox3* boxes,
													  int32_t count, const int32_t* objectStarts, int32_t objectCount,
													  const uint64_t* names, brReport* report);

/// Finds the pairs of one frame of triangles; each mesh is an object. A mesh whose faces have changed needs a new
/// name. `context`, `names` and `report` may be null.
BR_EXPERIMENTAL BR_API brResult brTracker_UpdateMeshes(brTracker* tracker, const brContext* context,
													   const brMesh* const* meshes, int32_t meshCount,
													   const uint64_t* names, brReport* report);

/// Overlapping pairs of the last frame. The tracker's; valid until the next frame. `outCount` may be null.
BR_EXPERIMENTAL BR_API const brPair* brTracker_GetPairs(const brTracker* tracker, int64_t* outCount);

/// What the last frame did.
BR_EXPERIMENTAL BR_API brTrackStats brTracker_GetStats(const brTracker* tracker);
