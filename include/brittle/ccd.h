// SPDX-License-Identifier: MIT
#pragma once

/// @file ccd.h
/// Continuous collisions: what meets on the way from one frame to the next, and when.
///
///     brCcd* ccd;
///     const brMesh *before[] = {cloth}, *after[] = {clothLater};
///     brCollideMovingMeshes(NULL, before, after, 1, NULL, &ccd, NULL);
///     printf("%lld contacts, the first at %g of the step\n", (long long)(ccd->vertexFaceCount + ccd->edgeEdgeCount),
///            ccd->firstTime);
///     brDestroyCcd(ccd);
///
/// Each vertex moves straight and evenly from its place at the start of a step, time 0, to its place at the end, time
/// 1. Two surfaces that are apart at the start touch first where a vertex meets a face or an edge an edge, so these two
/// kinds of pairs are tested.
///
/// The tests are conservative: a pair that meets, in exact arithmetic on the given doubles, is always reported, and
/// never with a time later than its first contact. A pair that does not meet is reported only if it comes so close that
/// the certificates of the test cannot tell: at the reported time its distance is at most separation + 2 tolerance
/// times the way that its corners move against each other + 1e-13 of its size.

#include "brittle/collide.h"

/// Start from brDefaultCcdDef().
typedef struct brCcdDef
{
	double separation;   ///< Features that come as near as this count as meeting, >= 0. By default 0. [m]
	double tolerance;    ///< Shortest time looked at, as a part of the step, 1e-12 to 1. By default 1e-8. [1]
	bool enableSelf;     ///< Pairs within one mesh. On by default.
	bool enableInter;    ///< Pairs of different meshes. On by default.
	brPairMethod method; ///< How candidates are found: br_pairsOi or br_pairsBrute.
	int32_t lanes;       ///< As in brCollideDef. Same answers.
	uint32_t stamp;      ///< Written by the default function. Leave it alone.
} brCcdDef;

BR_API brCcdDef brDefaultCcdDef(void);

/// Whether a vertex, corner 0, meets a face, corners 1 to 3, between the start and the end of a step. `outTime` then
/// gets a time from 0 to 1 before which they do not meet; else it is not written. Flat faces are fine. Coordinates
/// that are not finite or beyond 1e300, and a def that is refused, count as meeting at time 0. `def` and `outTime`
/// may be null.
BR_API bool brVertexMeetsFace(const brDVec3 start[4], const brDVec3 end[4], const brCcdDef* def, double* outTime);

/// The same for two edges: corners 0 and 1, and corners 2 and 3.
BR_API bool brEdgeMeetsEdge(const brDVec3 start[4], const brDVec3 end[4], const brCcdDef* def, double* outTime);

/// Two features that meet, and when.
typedef struct brCcdHit
{
	int32_t a;   ///< Vertex, or edge.
	int32_t b;   ///< Triangle, or edge above `a`.
	double time; ///< From 0 to 1: they do not meet before.
} brCcdHit;

/// What brCollideMovingMeshes found. Constant once made. Vertices and triangles are numbered over all meshes one after
/// another.
typedef struct brCcd
{
	int32_t vertexCount;
	int32_t edgeCount;
	int32_t triangleCount;
	int32_t (*edges)[2];          ///< [edgeCount] smaller index first, sorted by larger index, then smaller.
	int64_t vertexFaceCandidates; ///< Pairs whose swept boxes overlap, neighbors and unwanted ones left out.
	int64_t edgeEdgeCandidates;
	int64_t vertexFaceCount;
	brCcdHit* vertexFaces; ///< [vertexFaceCount]
	int64_t edgeEdgeCount;
	brCcdHit* edgeEdges; ///< [edgeEdgeCount]
	double firstTime;    ///< The least time of all; 2 if nothing meets.
	int64_t coarseCount; ///< Of all hits: those for which the tolerance had to be widened.
	brPairStages stages; ///< Of both kinds together; `narrow` is the continuous test.
	brAllocator allocator;
} brCcd;

/// Finds all contacts of meshes while they move. next[i] has the vertices of meshes[i] at the end of the step; only
/// its positions are read. A vertex against its own face and edges with a common vertex are left out. Lists do not
/// depend on the number of workers. `context`, `def` and `report` may be null.
BR_API brResult brCollideMovingMeshes(const brContext* context, const brMesh* const* meshes, const brMesh* const* next,
									  int32_t meshCount, const brCcdDef* def, brCcd** outCcd, brReport* report);

/// Frees `ccd`, which may be null.
BR_API void brDestroyCcd(brCcd* ccd);
