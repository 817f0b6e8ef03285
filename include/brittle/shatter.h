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
/// Each piece is what lies nearer to its site than to any other, cut exactly: closed, with the true cross-section as cap,
/// and neighbours share every vertex of it bit for bit. Sites are moved to a lattice of 2^24 steps across the model
/// first, by less than 1e-7 of its size; which side of a cut a vertex is on is then decided without rounding.

#include "brittle/mesh.h"

/// How sites are spread.
typedef enum brSitePattern
{
	br_sitesUniform = 0,   ///< Evenly inside the model.
	br_sitesClustered = 1, ///< Most of them round `at`, fewer with distance.
	br_sitesRadial = 2,    ///< Rings and spokes round `at` in the plane across `axis`, as in a pane of glass.
	br_sitesGrid = 3,      ///< Cubes with jitter: bricks.
	br_sitesSlices = 4,    ///< A row along `axis` with jitter: slabs, tilted by the jitter.
	br_sitesDensity = 5,   ///< Inside the model by `density` or `image`.
} brSitePattern;

/// How likely a site is at a point, 0 to 1. Called from the calling thread.
typedef double brDensityFcn(brDVec3 point, void* user);

/// Start from brDefaultSiteDef(). The same def and mesh give the same sites.
typedef struct brSiteDef
{
	brSitePattern pattern;
	int32_t count; ///< At most so many; patterns that do not fill the model's box give fewer. 1 to 10 million.
	uint64_t seed;
	brDVec3 at;      ///< The impact, for clustered and radial. [m]
	double radius;   ///< Clustered: half of the cluster is nearer than this. Radial: of the outer ring. 0: by size. [m]
	double strength; ///< Clustered: share of sites that belong to the cluster, 0 to 1. [1]
	brDVec3 axis;    ///< Radial, slices, image: a direction, any length but 0. Default z.
	int32_t spokes;  ///< Radial: sites on each ring. 0: by count.
	double jitter;   ///< Radial, grid, slices: how irregular, 0 to 1. [1]
	brDensityFcn* density; ///< For br_sitesDensity, or null.
	void* densityUser;
	const float* image; ///< Rows from low to high, 0 to 1, laid over the model's box across the main axis of `axis`.
	int32_t imageWidth, imageHeight;
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brSiteDef;

BR_API brSiteDef brDefaultSiteDef(void);

/// Fills `outSites`, which has room for def->count, and says how many there are: at least one. Refuses a mesh that is not
/// closed. `context` and `report` may be null.
BR_API brResult brMakeSites(const brContext* context, const brMesh* mesh, const brSiteDef* def, brDVec3* outSites,
							int32_t* outCount, brReport* report);
