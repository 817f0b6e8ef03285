// SPDX-License-Identifier: MIT
#pragma once

/// @file collide.h
/// All pairs of things that overlap: boxes first, then triangles and tetrahedra exactly.
///
///     brCollideDef def = brDefaultCollideDef();
///     def.enableSelf = true;
///     brCollision* collision;
///     brCollideMeshes(NULL, (const brMesh* const*)&cloth, 1, &def, &collision, NULL);
///     printf("%lld of %lld candidates meet\n", (long long)collision->pairCount, (long long)collision->candidateCount);
///     brDestroyCollision(collision);
///
/// Intervals are closed: boxes and triangles that touch are pairs. Each unordered pair is reported once, smaller index
/// first, in an order that does not depend on the number of workers. Trees are built from scratch in every call.

#include "brittle/mesh.h"

/// How candidate pairs are found. All methods find the same pairs.
typedef enum brPairMethod
{
	br_pairsOi = 0,    ///< Implicit trees along the Hilbert curve, as wide as the processor's vectors.
	br_pairsBrute = 1, ///< Every pair is tested: for checking the others.
	br_pairsKdet = 2,  ///< A hashed grid with a layer for each size of element.
} brPairMethod;

/// A method of finding pairs that is slower than those above and kept to be measured against; opaque. Experimental:
/// research.h, the header of libbrittle_research, has them.
typedef struct brPairEngine brPairEngine;

/// Two primitives by index, over all meshes of the call one after another.
typedef struct brPair
{
	int32_t a, b;
} brPair;

/// How two solids are in each other: moving the second by depth times direction leaves them touching.
typedef struct brPenetration
{
	double depth;      ///< >= 0. [m]
	brDVec3 direction; ///< Of length 1, away from the first.
} brPenetration;

/// How pairs of tetrahedra are tested.
typedef enum brTetTest
{
	br_tetSat = 0,        ///< Separating planes, sixteen pairs at a time, exact signs for what is left: exact.
	br_tetSatNoEdges = 1, ///< Axes of faces only, in rounded doubles: calls some pairs meeting that are not.
	br_tetSatMtv = 2,     ///< All 44 axes measured, in rounded doubles, with depth and direction.
	br_tetGjk = 3,        ///< GJK in rounded doubles, with depth and direction by EPA.
	br_tetExact = 4,      ///< Exact signs alone: for checking the first.
} brTetTest;

/// Time spent in each stage. [s]
typedef struct brPairStages
{
	double boxes;  ///< Boxes, and their codes along a curve through space.
	double sort;   ///< Order along the curve.
	double build;  ///< Levels of the tree.
	double search; ///< Candidate pairs, with the filter of the exact test when true pairs are asked for.
	double narrow; ///< Exact tests.
} brPairStages;

/// How to look for pairs. Start from brDefaultCollideDef().
typedef struct brCollideDef
{
	brPairMethod method;
	bool enableSelf;  ///< Pairs within one mesh. Off by default.
	bool enableInter; ///< Pairs of different meshes. On by default.
	/// Also report true pairs of triangles that share a vertex. Candidates always include them. Off by default.
	bool keepNeighbors;
	bool findTrue;       ///< Test the candidates exactly. Off: only boxes are compared. On by default.
	bool keepCandidates; ///< List the candidates, not only their number. Off by default.
	brTetTest tetTest;   ///< For brCollideTets.
	/// Boxes tested at once: 16, 8, 1, or 0 for the most this processor can. Results do not depend on it.
	int32_t lanes;
	const brPairEngine* engine; ///< Experimental. Null: `method`.
	uint32_t stamp;             ///< Written by the default function. Leave it alone.
} brCollideDef;

BR_API brCollideDef brDefaultCollideDef(void);

/// What a call found. Constant once made.
typedef struct brCollision
{
	int32_t primitiveCount;
	int64_t candidateCount;      ///< Overlapping boxes.
	brPair* candidates;          ///< [candidateCount], or null unless kept.
	int64_t pairCount;           ///< Pairs that truly meet; -1 unless asked for.
	brPair* pairs;               ///< [pairCount] or null.
	brPenetration* penetrations; ///< [pairCount] of tets tested by br_tetSatMtv or br_tetGjk, else null.
	brPairStages stages;
	brAllocator allocator;
} brCollision;

/// Finds all pairs of boxes that overlap or touch. Boxes come in groups, each standing for a mesh: group k is boxes
/// [groupStarts[k], groupStarts[k + 1]). Null `groupStarts` means one group of all `count`. Boxes that are not finite
/// or inside out are refused. `context`, `groupStarts` and `report` may be null; a null `def` means the default with
/// enableSelf.
BR_API brResult brCollideBoxes(const brContext* context, const brBox3* boxes, int32_t count, const int32_t* groupStarts,
							   int32_t groupCount, const brCollideDef* def, brCollision** outCollision,
							   brReport* report);

/// Finds all pairs of triangles that meet, exactly. Triangles are those of brTriangulateMesh, numbered over all
/// meshes one after another. `context`, `def` and `report` may be null.
BR_API brResult brCollideMeshes(const brContext* context, const brMesh* const* meshes, int32_t meshCount,
								const brCollideDef* def, brCollision** outCollision, brReport* report);

/// Finds all pairs of tetrahedra that overlap or touch, numbered over all meshes one after another. A tet inside
/// another counts. Tets may be turned over or flat. `context`, `def` and `report` may be null.
BR_API brResult brCollideTets(const brContext* context, const brTetMesh* const* meshes, int32_t meshCount,
							  const brCollideDef* def, brCollision** outCollision, brReport* report);

/// Frees `collision`, which may be null.
BR_API void brDestroyCollision(brCollision* collision);
