// SPDX-License-Identifier: MIT
#pragma once

/// @file volume.h
/// The inside of a surface: inside or outside, distance, tetrahedra.
///
///     brSurfaceTree* tree;
///     brCreateSurfaceTree(NULL, mesh, &tree, NULL);
///     double winding;
///     brSurfaceTree_ComputeWinding(tree, NULL, &point, 1, &winding);  // 1 inside, 0 outside, between at holes
///     brDestroySurfaceTree(tree);
///
///     brTetDef def = brDefaultTetDef();
///     def.targetTets = 10000;
///     brTetMesh* solid;
///     brMakeTetMesh(NULL, mesh, &def, &solid, NULL, NULL);
///     brDestroyTetMesh(solid);
///
/// Batches run on the context's workers; every answer depends on its own point alone, so it has the same bits in any
/// batch and for any number of workers. A point that is not finite, or farther away than 1e15 sizes of the surface, is
/// outside and has no closest point: distance INFINITY, triangle -1.

#include "brittle/mesh.h"

// Surface trees

/// The triangles of a mesh in a tree that answers questions about points. Opaque; keeps copies, not the mesh.
typedef struct brSurfaceTree brSurfaceTree;

/// Makes a tree over the triangles of a mesh, to ask about points. Refuses a mesh without triangles. `context` and
/// `report` may be null.
BR_API brResult brCreateSurfaceTree(const brContext* context, const brMesh* mesh, brSurfaceTree** outTree,
									brReport* report);

/// Frees `tree`, which may be null.
BR_API void brDestroySurfaceTree(brSurfaceTree* tree);

/// Number of triangles, numbered as brTriangulateMesh does.
BR_API int32_t brSurfaceTree_GetTriangleCount(const brSurfaceTree* tree);

/// Whether every edge is run along as often one way as the other: the surface bounds something, and crossing numbers
/// mean something. Self-crossings do not matter.
BR_API bool brSurfaceTree_IsClosed(const brSurfaceTree* tree);

/// Volume within a closed surface, counted as often as it is wrapped; 0 if the tree is not closed. [m^3]
BR_API double brSurfaceTree_GetVolume(const brSurfaceTree* tree);

/// Generalized winding number of each point: solid angle of the surface over that of the sphere. Far parts of the
/// surface are taken as dipoles with second moments (Barill et al. 2018) when they are twice their radius away; the
/// error against the exact sum is below 0.05 and mostly below 0.005. `outWinding` has room for `count`. `context` may
/// be null.
BR_API void brSurfaceTree_ComputeWinding(const brSurfaceTree* tree, const brContext* context, const brDVec3* points,
										 int32_t count, double* outWinding);

/// The winding number as the exact sum over all triangles: slow, for checking.
BR_API double brSurfaceTree_ComputeExactWinding(const brSurfaceTree* tree, brDVec3 point);

/// How sure a winding number is: 1 at whole numbers, 0 half way between.
static inline double brWindingConfidence(double winding)
{
	return 1.0 - 2.0 * fabs(winding - floor(winding + 0.5));
}

/// How often a closed surface wraps each point, exactly: signed crossings of the ray along +x, decided by exact signs.
/// 1 inside a clean solid, 0 outside; a point on the surface counts as on one side of it by a fixed rule. Means nothing
/// for trees that are not closed. `context` may be null.
BR_API void brSurfaceTree_CountCrossings(const brSurfaceTree* tree, const brContext* context, const brDVec3* points,
										 int32_t count, int32_t* outCrossings);

/// What part of a triangle a closest point lies on.
typedef enum brSurfaceFeature
{
	br_featureFace = 0,
	br_featureEdge = 1,   ///< From corner `featureIndex` to the next.
	br_featureVertex = 2, ///< Corner `featureIndex`.
} brSurfaceFeature;

typedef struct brClosestPoint
{
	double distance; ///< >= 0 [m]
	brDVec3 point;   ///< On the surface.
	int32_t triangle;
	int32_t face; ///< Of the mesh.
	brSurfaceFeature feature;
	int32_t featureIndex; ///< Corner 0, 1 or 2 of the triangle; 0 for a face.
} brClosestPoint;

/// The exact closest point of the surface to each point, up to rounding. `context` may be null.
BR_API void brSurfaceTree_FindClosest(const brSurfaceTree* tree, const brContext* context, const brDVec3* points,
									  int32_t count, brClosestPoint* outClosest);

/// Where the ray from `origin` along the unit vector `direction` first meets the surface; INFINITY if it does not
/// within `reach`. [m] `outTriangle` may be null.
BR_API double brSurfaceTree_CastRay(const brSurfaceTree* tree, brDVec3 origin, brDVec3 direction, double reach,
									int32_t* outTriangle);

// Tetrahedra

/// A ball in which cells along the surface are finer.
typedef struct brTetRefinement
{
	brDVec3 center; ///< [m]
	double radius;  ///< >= 0 [m]
	double edge;    ///< Of lattice cells there, > 0. [m]
} brTetRefinement;

/// How to fill a surface. Start from brDefaultTetDef().
typedef struct brTetDef
{
	/// About how many tets; met within 15 % or refused with a sentence. 0: `edge` decides. 10000 by default.
	int32_t targetTets;
	double edge; ///< Edge of the lattice cells along the surface, if targetTets is 0. [m]

	/// How often cells may merge by eights away from the surface: 0 gives one size everywhere. 2 by default.
	int32_t coarsening;

	/// Keep whole lattice tets that touch the solid instead of cutting them to the surface; brTetInfo.fills says how
	/// much of each is inside. Holds thin walls together on a coarse lattice.
	bool embed;

	/// Grow a closed surface, by a small part of an edge, so that the tets have its volume: straight facets and details
	/// that the lattice misses always lose some. Not done for surfaces that overlap themselves. Off: boundary nodes lie
	/// on the surface itself. On by default.
	bool matchVolume;

	/// Answer with what came out even if walls thinner than the lattice fell apart.
	bool allowBroken;

	/// [refinementCount] or null: balls with finer cells; the rest has `edge`, or what the count leaves. Not with
	/// `embed`.
	const brTetRefinement* refinements;
	int32_t refinementCount;

	/// Finer cells along walls that are thinner than a cell and a third, as far as coarsening leaves levels: 5 in all.
	bool refineThin;

	int64_t maxCells; ///< Of the lattice over the box; more is refused. 2^28 by default.
	uint32_t stamp;   ///< Written by the default function. Leave it alone.
} brTetDef;

BR_API brTetDef brDefaultTetDef(void);

/// What brMakeTetMesh did. Free with brFreeTetInfo.
typedef struct brTetInfo
{
	double edge;   ///< Edge of the finest cells. [m]
	double offset; ///< How far outside the surface the boundary nodes are, to match the volume. [m]
	/// No point of the boundary is farther from the surface (embed: than the lattice tets reach). [m]
	double deviation;
	double surfaceVolume;  ///< Within the surface, or 0 if it is not closed. [m^3]
	double volume;         ///< Of the tets; of their inside parts if embedded. [m^3]
	int32_t components;    ///< Sets of tets joined through faces.
	int32_t droppedSpecks; ///< Loose bits below 1 % of the volume that were left out.
	bool isClosed;         ///< The surface is closed: inside was decided exactly. Else by winding number.
	bool isRepaired;       ///< Only after welding and turning faces.
	bool isInverted;       ///< The surface is inside out; it was read the right way round.
	int32_t fillCount;     ///< Tets if embedded, else 0.
	double* fills;         ///< [fillCount] share of each tet that is inside, 0 to 1.
	brAllocator allocator;
} brTetInfo;

/// Frees the arrays inside `info`, which may be null.
BR_API void brFreeTetInfo(brTetInfo* info);

/// Fills a surface with tets: isosurface stuffing on a body-centered lattice (Labelle and Shewchuk 2007). All tets are
/// positive and conforming, dihedral angles lie between 10.5 and 163.8 degrees (with refinement between 9 and 165 as
/// measured, not proved), and every boundary node is on the surface (or brTetInfo.offset outside). Open and
/// self-crossing surfaces are filled where their winding number is above one half. Edges of the boundary have two faces:
/// where tets touch along an edge alone there are two nodes in one place, or the edge is halved. Walls thinner than the lattice that
/// would fall apart are refused with the edge length they need. `context`, `outInfo` and `report` may be null; a null
/// `def` means the default.
BR_API brResult brMakeTetMesh(const brContext* context, const brMesh* mesh, const brTetDef* def, brTetMesh** outMesh,
							  brTetInfo* outInfo, brReport* report);

/// How thick the solid is: the distance straight through to the other side from spread-out places of the surface, in
/// rising order of share: `outQuantiles[i]` is what a share i / (count - 1) of the area does not exceed. Means
/// something for closed surfaces. False without memory. `context` may be null.
BR_API bool brSurfaceTree_MeasureThickness(const brSurfaceTree* tree, const brContext* context, int32_t count,
										   double* outQuantiles);

// Foreign tet meshes

/// What is wrong with a tet mesh from elsewhere, by name. Indices are -1 where there is nothing of the kind.
typedef struct brTetFaults
{
	brTetMeshStats stats;
	int32_t invertedTet;    ///< First tet of negative volume.
	int32_t flatTet;        ///< First tet of no volume, or with a node twice.
	int32_t crowdedTet;     ///< First tet with a face that three tets or more have.
	int32_t overlapTets[2]; ///< Two tets whose faces lie on each other without sharing their nodes: a hanging node.
	int32_t danglingNode;   ///< First node in no tet.
	int32_t looseTet;       ///< First tet that hangs on the rest by no face, where there are other parts.
	/// Nothing is wrong, or only things that solvers can live with: several components, nodes in no tet.
	bool isSound;
	char text[200]; ///< One sentence naming the first fault; says so if there is none.
} brTetFaults;

/// Looks for everything that keeps a solver from using a tet mesh, and names the first in a sentence. `context` and
/// `report` may be null.
BR_API brResult brTetMesh_FindFaults(const brTetMesh* mesh, const brContext* context, brTetFaults* outVerdict,
									 brReport* report);

// Points in tets

/// Finds the tet around a point by a grid of lists. Opaque; keeps the pointer to the mesh, which must outlive it.
typedef struct brTetLocator brTetLocator;

/// Makes a grid that finds the tet around a point. Keeps the pointer to the mesh, which must outlive it. Refuses a
/// mesh without tets. `context` and `report` may be null.
BR_API brResult brCreateTetLocator(const brContext* context, const brTetMesh* mesh, brTetLocator** outLocator,
								   brReport* report);

/// Frees `locator`, which may be null.
BR_API void brDestroyTetLocator(brTetLocator* locator);

/// Where a point is in a tet mesh.
typedef struct brTetPoint
{
	int32_t tet;       ///< The tet around it, the lowest of several; or the nearest one, or -1.
	double weights[4]; ///< Of the nodes, summing to 1; some are negative outside.
	double distance;   ///< To that tet; 0 inside. [m]
} brTetPoint;

/// The tet around each point; -1 and INFINITY for points in none. `context` may be null.
BR_API void brTetLocator_Find(const brTetLocator* locator, const brContext* context, const brDVec3* points,
							  int32_t count, brTetPoint* outPoints);

/// The tet around each point, or the nearest one: binds the vertices of a surface to the tets that carry it. `context`
/// may be null.
BR_API void brTetLocator_Embed(const brTetLocator* locator, const brContext* context, const brDVec3* points,
							   int32_t count, brTetPoint* outPoints);

/// The point with these weights after the nodes have moved to `nodes`.
static inline brDVec3 brTetPoint_Place(const brTetPoint* point, const brTetMesh* mesh, const brDVec3* nodes)
{
	const int32_t* n = mesh->tets[point->tet];
	brDVec3 a = brDAdd(brDMul(point->weights[0], nodes[n[0]]), brDMul(point->weights[1], nodes[n[1]]));
	return brDAdd(a, brDAdd(brDMul(point->weights[2], nodes[n[2]]), brDMul(point->weights[3], nodes[n[3]])));
}

// Fewer triangles

/// A surface of about `targetTriangles` triangles, by edge collapses, for collision proxies. Stops before corners move
/// by more than `maxError` times the longest side of the box. Needs meshoptimizer at build time, else
/// br_errorUnavailable. Attributes are left out. `outError`, `context` and `report` may be null.
BR_EXPERIMENTAL BR_API brResult brDecimateMesh(const brContext* context, const brMesh* mesh, int32_t targetTriangles,
											   double maxError, brMesh** outMesh, double* outError, brReport* report);
