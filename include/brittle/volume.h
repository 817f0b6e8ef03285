// SPDX-License-Identifier: MIT
#pragma once

/// @file volume.h
/// The inside of a surface: inside or outside, distance, tetrahedra.
///
///     brSurfaceTree* tree;
///     brCreateSurfaceTree(NULL, mesh, &tree, NULL);
///     double winding;
///     brSurfaceTree_Winding(NULL, tree, &point, 1, &winding);      // 1 inside, 0 outside; between where there are holes
///     brDestroySurfaceTree(tree);
///
///     brTetDef def = brDefaultTetDef();
///     def.targetTets = 10000;
///     brTetMesh* solid;
///     brMakeTetMesh(NULL, mesh, &def, &solid, NULL, NULL);
///     brDestroyTetMesh(solid);
///
/// Batches run on the context's workers; every answer depends on its own point alone, so it has the same bits in any batch
/// and for any number of workers.

#include "brittle/mesh.h"

// Surface trees

/// The triangles of a mesh in a tree that answers questions about points. Opaque; keeps copies, not the mesh.
typedef struct brSurfaceTree brSurfaceTree;

/// Refuses a mesh without triangles. `context` and `report` may be null.
BR_API brResult brCreateSurfaceTree(const brContext* context, const brMesh* mesh, brSurfaceTree** outTree,
									brReport* report);

/// `tree` may be null.
BR_API void brDestroySurfaceTree(brSurfaceTree* tree);

/// Triangles, as brTriangulate gives them.
BR_API int32_t brSurfaceTree_TriangleCount(const brSurfaceTree* tree);

/// Whether every edge is run along as often one way as the other: the surface bounds something, and crossing numbers mean
/// something. Self-crossings do not matter.
BR_API bool brSurfaceTree_IsClosed(const brSurfaceTree* tree);

/// Volume within a closed surface, counted as often as it is wrapped; 0 if the tree is not closed. [m^3]
BR_API double brSurfaceTree_Volume(const brSurfaceTree* tree);

/// Generalised winding number of each point: solid angle of the surface over that of the sphere. Far parts of the surface are
/// taken as dipoles with second moments (Barill et al. 2018) when they are twice their radius away; the error against
/// the exact sum is below 0.05 and mostly below 0.005. `outWinding` has room for `count`. `context` may be null.
BR_API void brSurfaceTree_Winding(const brContext* context, const brSurfaceTree* tree, const brDVec3* points,
								  int32_t count, double* outWinding);

/// The exact sum over all triangles, slowly, for checking.
BR_API double brSurfaceTree_WindingExact(const brSurfaceTree* tree, brDVec3 point);

/// How sure a winding number is: 1 at whole numbers, 0 half way between.
static inline double brWindingConfidence(double winding)
{
	return 1.0 - 2.0 * fabs(winding - floor(winding + 0.5));
}

/// How often a closed surface wraps each point, exactly: signed crossings of the ray along +x, decided by exact signs. 1
/// inside a clean solid, 0 outside; a point on the surface counts as on one side of it by a fixed rule. Means nothing
/// for trees that are not closed. `context` may be null.
BR_API void brSurfaceTree_Crossings(const brContext* context, const brSurfaceTree* tree, const brDVec3* points,
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
BR_API void brSurfaceTree_Closest(const brContext* context, const brSurfaceTree* tree, const brDVec3* points,
								  int32_t count, brClosestPoint* outClosest);

/// Where the ray from `origin` along the unit vector `direction` first meets the surface; INFINITY if it does not within
/// `reach`. [m] `outTriangle` may be null.
BR_API double brSurfaceTree_Raycast(const brSurfaceTree* tree, brDVec3 origin, brDVec3 direction, double reach,
									int32_t* outTriangle);
