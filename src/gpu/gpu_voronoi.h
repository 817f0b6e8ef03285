// SPDX-License-Identifier: MIT
#pragma once

// Voronoi cells on a device: sites go over, cells stay there, and a diagram as fracture/voronoi.h has it can be read
// back.
//
//     sites -> lattice, bins -> cells -> corners with the CPU's bits, the corner that stands for each

#include "fracture/voronoi.h"
#include "gpu/gpu_sort.h"

#ifdef BR_HAVE_OPENCL

/// One of the bodies that are broken at once: its cells, and where the triangles of its model are.
typedef struct brGpuCellBody
{
	brVoronoiDef cells;
	int32_t firstTriangle, triangleCount, firstBlock;
} brGpuCellBody;

typedef struct brGpuVoronoi
{
	brGpu* gpu;
	int32_t siteCount; // of all bodies
	int32_t bodyCount;
	int32_t binCount;
	brSiteLattice lattice; // of the first body
	int64_t capacity;      // corners of cells
	brGpuSorter sorter;
	brGpuBuffer sites;    // double[3]
	brGpuBuffer bodies;   // CellBody of voronoi.cl
	brGpuBuffer troubles; // uint32_t by body: other than 0 where doubles or room do not suffice
	brGpuBuffer count;    // uint32_t
	brGpuBuffer places;   // int4 by site, with its body
	brGpuBuffer sorted;   // int4 by bin, with its number
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

/// Copies the sites of bodies over, which are numbered through. Fails on a box that has no lattice.
brResult brGpuVoronoi_SetBodies(brGpuVoronoi* voronoi, const brGpuCellBody* bodies, int32_t count, brReport* report);

/// Enqueues everything from sites to cells; with `isLinked` the corners' bits and owners too.
void brGpuVoronoi_Enqueue(brGpuVoronoi* voronoi, bool isLinked);

/// Runs it and looks at the counts; makes room and runs again while there are more corners than room.
brResult brGpuVoronoi_Run(brGpuVoronoi* voronoi, bool isLinked, brGpuCells* outCells, brReport* report);

/// Copies the diagram here, after a linked run in which no cell failed.
brResult brGpuVoronoi_Read(brGpuVoronoi* voronoi, const brContext* context, const brGpuCells* cells,
						   brVoronoi** outVoronoi, brReport* report);

#endif
