// SPDX-License-Identifier: MIT
#pragma once

// The Voronoi diagram of sites in a box, exact in its topology, each vertex computed once.
//
// Sites are moved to a lattice (site_lattice.h) first. The combinatorics are those of the exact diagram of these sites
// with ties settled by infinitesimal weights (voronoi_cell.h), so every vertex has three edges in each of its cells,
// and two cells list their common facet with the same vertices in opposite order. Where sites are cocircular or
// cospherical some edges have no length and some facets no area; all else is as drawn in books.
//
//     cell i:   facets cellStarts[i] .. cellStarts[i + 1], each with its neighbor
//     facet f:  corners facetStarts[f] .. facetStarts[f + 1], turning left seen from outside of the cell
//     corner c: a vertex, and the plane beyond the edge from this corner to the next of its facet
//
// Facets of a cell rise by their neighbors, each begins with the edge to the lowest plane, and vertices are numbered as
// they first appear, so the same sites give the same arrays, whoever makes them.
//
// Cost: linear in the number of sites that are spread evenly; sites are binned and looked up in growing shells until
// they are twice as far as the farthest corner of the cell.

#include "fracture/site_lattice.h"

#include "brittle/context.h"

typedef struct brVoronoi
{
	int32_t siteCount;
	int32_t facetCount;
	int32_t cornerCount;
	int32_t vertexCount;
	brSiteLattice lattice;
	int32_t (*places)[3]; // [siteCount] on the lattice
	brDVec3* sites;       // [siteCount] the same in meters, exactly
	double* volumes;      // [siteCount] [m^3]
	int32_t* cellStarts;  // [siteCount + 1] facets; a site at the place of an earlier one has none
	int32_t* facetSites;  // [facetCount] neighbor, or -1 - side of the box: -x +x -y +y -z +z
	int32_t* facetStarts; // [facetCount + 1]
	int32_t* corners;     // [cornerCount] vertex
	int32_t* beyond;      // [cornerCount] site or -1 - side across the edge from this corner to the next
	brDVec3* vertices;    // [vertexCount] [m]
	int32_t (*names)[4];  // [vertexCount] the cells and sides that meet there: sides first, then sites, rising
	brAllocator allocator;
} brVoronoi;

typedef struct brVoronoiDef
{
	int32_t siteCount;
	const brDVec3* sites; // finite; those outside the box are moved onto it
	brDBox3 box;
	bool onlyVolumes; // no facets, no vertices: their counts are 0 and arrays null
} brVoronoiDef;

/// Fails on memory, a cancel, or a box that has no lattice. `context` and `report` may be null.
brResult brCreateVoronoi(const brContext* context, const brVoronoiDef* def, brVoronoi** outVoronoi, brReport* report);

/// `voronoi` may be null.
void brDestroyVoronoi(brVoronoi* voronoi);

/// Four names in rising order: sides of the box are negative, so they come first.
static inline void brVoronoi_SortName(int32_t name[4])
{
	for (int32_t i = 1; i < 4; ++i)
	{
		for (int32_t j = i; j > 0 && name[j - 1] > name[j]; --j)
		{
			int32_t swap = name[j];
			name[j] = name[j - 1];
			name[j - 1] = swap;
		}
	}
}
