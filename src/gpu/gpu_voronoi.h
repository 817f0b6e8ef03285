// SPDX-License-Identifier: MIT
#pragma once

// Voronoi cells on a device: sites go over, cells stay there, and a diagram as fracture/voronoi.h has it can be read
// back.
//
//     sites -> lattice, bins -> cells -> corners with the CPU's bits, the corner that stands for each

#include "fracture/voronoi.h"
#include "gpu/gpu_sort.h"

#ifdef BR_HAVE_OPENCL

typedef struct brGpuVoronoi
{
	brGpu* gpu;
	int32_t siteCount;
	int32_t binCount;
	brSiteLattice lattice;
	int64_t capacity; // corners of cells
	brGpuSorter sorter;
	brGpuBuffer sites;    // double[3]
	brGpuBuffer lattices; // origin, step: double[4]
	brGpuBuffer grid;     // int32_t, see voronoi.cl
	brGpuBuffer count;    // uint32_t
	brGpuBuffer places;   // int4 by site
	brGpuBuffer sorted;   // int4 by bin
	brGpuBuffer items[2];
	brGpuBuffer binStarts;
	brGpuBuffer infos;       // uint4 by site: first facet, facets, first corner, corners
	brGpuBuffer volumes;     // double by site
	brGpuBuffer cornerNames; // int4: three planes, the site
	brGpuBuffer vertices;    // double[3] by corner
	brGpuBuffer owners;      // uint32_t: the corner that stands for it
	brGpuBuffer facetSites;
	brGpuBuffer facetStarts; // into loops
	brGpuBuffer loops;       // int2: corner of the cell, name beyond the edge to the next
	brGpuBuffer counters;    // corners, facets, failed cells
} brGpuVoronoi;

/// What became of the cells.
typedef struct brGpuCells
{
	int64_t cornerCount;
	int64_t facetCount;
	int64_t failedCount; // with more corners or planes than a group holds
} brGpuCells;

void brGpuVoronoi_Init(brGpuVoronoi* voronoi, brGpu* gpu);
void brGpuVoronoi_Free(brGpuVoronoi* voronoi);

/// Copies the sites over. Fails on a box that has no lattice.
brResult brGpuVoronoi_SetSites(brGpuVoronoi* voronoi, const brVoronoiDef* def, brReport* report);

/// Enqueues everything from sites to cells; with `isLinked` the corners' bits and owners too.
void brGpuVoronoi_Enqueue(brGpuVoronoi* voronoi, bool isLinked);

/// Runs it and looks at the counts; makes room and runs again while there are more corners than room.
brResult brGpuVoronoi_Run(brGpuVoronoi* voronoi, bool isLinked, brGpuCells* outCells, brReport* report);

/// Copies the diagram here, after a linked run in which no cell failed.
brResult brGpuVoronoi_Read(brGpuVoronoi* voronoi, const brContext* context, const brGpuCells* cells,
						   brVoronoi** outVoronoi, brReport* report);

#endif
