// SPDX-License-Identifier: MIT
#pragma once

/// @file shatter.h
/// Voronoi and patterned fracture of any closed mesh: sites, pieces, bonds.
///
///     brSiteDef sites = brDefaultSiteDef();
///     sites.count = 100;
///     sites.pattern = br_sitesClustered, sites.at = brMakeDVec3(0.1, 0.0, 0.2);
///     brDVec3 points[100];
///     int32_t count;
///     brMakeSites(NULL, vase, &sites, points, &count, NULL);
///
///     brShatterDef def = brDefaultShatterDef();
///     def.sites = points, def.siteCount = count;
///     brShatter* pieces;
///     brCreateShatter(NULL, vase, &def, &pieces, NULL);
///     printf("%d pieces, %d bonds\n", pieces->pieceCount, pieces->bondCount);
///     brDestroyShatter(pieces);
///
/// Each piece is what lies nearer to its site than to any other, cut exactly: closed, with the true cross-section as
/// cap, and neighbors share every vertex of it bit for bit. Sites are moved to a lattice of 2^24 steps across the
/// model first, by less than 1e-7 of its size; which side of a cut a vertex is on is then decided without rounding.

#include "brittle/mesh.h"

/// How sites are spread.
typedef enum brSitePattern
{
	br_sitesUniform = 0,   ///< Evenly inside the model.
	br_sitesClustered = 1, ///< Most of them round `at`, fewer with distance.
	br_sitesRadial = 2,    ///< Rings and spokes round `at` in the plane across `axis`, as in a pane of glass.
	br_sitesGrid = 3,      ///< Cubes with jitter: bricks.
	br_sitesSlices = 4,    ///< A row along `axis` with jitter: slabs, tilted by the jitter.
	/// No sites: cracks run from the hit as far as the energy lasts (cascade.h). For bodies in a world (brBreakDef)
	/// only.
	br_sitesImpact = 5,
	br_sitesDensity = 6, ///< Inside the model by `density` or `image`.
} brSitePattern;

/// How likely a site is at a point, 0 to 1. Called from the calling thread.
typedef double brDensityFcn(brDVec3 point, void* user);

/// Start from brDefaultSiteDef(). The same def and mesh give the same sites.
typedef struct brSiteDef
{
	brSitePattern pattern;
	/// At most so many sites, 1 to 10 million; patterns that do not fill the model's box give fewer. Each site
	/// becomes a piece, or several where the model is concave.
	int32_t count;
	uint64_t seed; ///< Equal seeds give equal sites.
	brDVec3 at;    ///< The impact, for clustered and radial. [m]
	/// Clustered: half of the cluster lies within this distance of `at`. Radial: radius of the outer ring. 0: from
	/// the size of the model. [m]
	double radius;
	double strength;       ///< Clustered: share of sites that belong to the cluster, 0 to 1. [1]
	brDVec3 axis;          ///< Radial, slices, image: a direction, any length but 0. Default z.
	int32_t spokes;        ///< Radial: sites on each ring. 0: by count.
	double jitter;         ///< Radial, grid, slices: how irregular, 0 to 1. [1]
	brDensityFcn* density; ///< For br_sitesDensity, or null.
	void* densityUser;
	const float* image; ///< Rows from low to high, 0 to 1, laid over the model's box across the main axis of `axis`.
	int32_t imageWidth, imageHeight;
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brSiteDef;

BR_API brSiteDef brDefaultSiteDef(void);

/// Chooses points inside a mesh. Fills `outSites`, which has room for def->count, and sets `outCount`, at least 1.
/// Refuses a mesh that is not closed. `context` and `report` may be null.
BR_API brResult brMakeSites(const brContext* context, const brMesh* mesh, const brSiteDef* def, brDVec3* outSites,
							int32_t* outCount, brReport* report);

/// A closed solid that came out of a break.
typedef struct brPiece
{
	brMesh* mesh;          ///< Closed; vertices of the model keep their bits, cut faces have the interior material.
	int32_t site;          ///< The site it belongs to; the lowest one if pieces were merged.
	brMassProperties mass; ///< Mass, center and inertia at the density of the def.
	bool isDust;           ///< By brCreateCascade: the part that a bullet crushed. A world makes no body of it.
	bool isPlug;           ///< By a world: the part of a wall that a slow body pushes out ahead of itself.
	brMesh* hull;          ///< The smallest convex solid around it, or null: not asked for, or the piece is flat.
} brPiece;

/// Two pieces that touch along cut faces.
typedef struct brBond
{
	int32_t pieces[2]; ///< Rising.
	double area;       ///< Area of all shared faces. [m^2]
	brDVec3 center;    ///< Centroid of these faces. [m]
	brDVec3 normal;    ///< Mean unit normal, from the first piece to the second.
} brBond;

#define BR_SHATTER_MAX_LEVELS 8

/// Pieces gathered into clusters that hang together by bonds: how the model may break more coarsely.
typedef struct brShatterLevel
{
	int32_t clusterCount;
	int32_t bondCount;
	int32_t* clusters; ///< [pieceCount] of each piece. Numbers rise with the lowest piece of a cluster.
	brBond* bonds;     ///< [bondCount] between clusters: the sums of those of their pieces. Rising.
} brShatterLevel;

/// Pieces of one model. Made by brCreateShatter.
typedef struct brShatter
{
	int32_t pieceCount;
	int32_t bondCount;
	brPiece* pieces;     ///< [pieceCount] rising by site.
	brBond* bonds;       ///< [bondCount] rising by pieces.
	double volumeIn;     ///< Of the model; bent concave faces count as the triangles they are cut as. [m^3]
	double volumeOut;    ///< Of all pieces. [m^3]
	int32_t mergedCount; ///< Pieces below brShatterDef.smallest that joined a neighbor.
	int32_t smoothCount; ///< Pieces whose roughness was reduced because they would have crossed themselves.
	int32_t crumbCount;  ///< Leftovers without thickness, from cuts along faces of the model, that were dropped.
	brAllocator allocator;
	int32_t levelCount;
	brShatterLevel* levels; ///< [levelCount] fine to coarse; pieces that share a cluster share all coarser ones.
	double hole;            ///< By brCreateCascade: radius of the hole that a bullet made; 0: none. [m]
	bool isCapped;          ///< By brCreateCascade: the energy would have made more pieces than the limit allowed.
} brShatter;

/// Start from brDefaultShatterDef().
typedef struct brShatterDef
{
	const brDVec3* sites; ///< [siteCount] finite.
	int32_t siteCount;    ///< 1 to 10 million.

	/// [siteCount] or null. Cells of sites with the same number >= 0 stay together where they meet; -1: a cell of its
	/// own.
	const int32_t* groups;

	/// Stretch of cells along x, y and z: 8, 1, 1 makes splinters eight times as long as wide. Rounded to powers of
	/// two, so that no vertex of the model moves by a bit. 1/1024 to 1024. [1]
	brDVec3 stretch;
	/// Direction of the first number of `stretch`, any length but 0; x by default. Along another one the other two
	/// numbers are for directions across it, and vertices of cuts are one rounding off.
	brDVec3 along;

	double smallest;            ///< Pieces of less than this share of the model's volume join a neighbor. 0: none. [1]
	double density;             ///< For mass and inertia of the pieces, > 0. [kg/m^3]
	brSurfaceMaterial interior; ///< How cut faces look.

	/// Cut faces become rough: bumps up to this height, 0 at the surface of the model, where cuts stay straight. 0:
	/// flat. At most an eighth of the length, and less where pieces would cross themselves otherwise. [m]
	double roughness;
	/// Of the bumps; cut faces become triangles of a quarter of it, or a 256th of the model. 0: ten heights. [m]
	double roughnessLength;
	uint64_t roughnessSeed;

	int32_t clusterSize; ///< Pieces in a cluster, and clusters in one of the next level; 2 or more. 0: no clusters.
	int32_t levelCount;  ///< At most so many levels, 1 to BR_SHATTER_MAX_LEVELS; fewer where all is joined before.
	bool makeHulls;      ///< Fill brPiece.hull.
	uint32_t stamp;      ///< Written by the default function. Leave it alone.
} brShatterDef;

BR_API brShatterDef brDefaultShatterDef(void);

/// Breaks a closed mesh into the Voronoi cells of def->sites. An open mesh is refused; one with non-manifold edges is
/// taken apart first. `context` and `report` may be null.
BR_API brResult brCreateShatter(const brContext* context, const brMesh* mesh, const brShatterDef* def,
								brShatter** outShatter, brReport* report);

/// Pieces that were cut before: each group of `mesh` is one, as in a file of `brittle shatter` that was loaded by
/// brLoadMesh. Bonds are the faces that two of them share corner by corner; vertices nearer than a millionth of the
/// size are one, so that files in floats and pieces moved by the nodes of a glTF file still fit. Refuses a piece that
/// is not closed. `context` and `report` may be null.
BR_API brResult brCreateShatterOfGroups(const brContext* context, const brMesh* mesh, double density,
										brShatter** outShatter, brReport* report);

/// The pieces put together again as one mesh, without the faces between them. `context` and `report` may be null.
BR_API brResult brShatter_Join(const brShatter* shatter, const brContext* context, brMesh** outMesh, brReport* report);

/// Frees `shatter`, which may be null.
BR_API void brDestroyShatter(brShatter* shatter);
