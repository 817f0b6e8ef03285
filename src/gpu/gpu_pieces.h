// SPDX-License-Identifier: MIT
#pragma once

// A model broken on a device: its triangles stay there, sites go over, and pieces appear as meshes of their own in
// device memory.
//
//     sites -> cells -> triangles that may meet a cell -> rings -> corners inside -> caps -> pieces
//
// Every decision is a sign with a bound. Where doubles leave one open, or the surface crosses itself, the run says so
// by its counts and the answer is not to be used: brCreateShatter has it, exactly. Parts of a cell that do not hang
// together are one piece here.

#include "fracture/surface_clip.h"
#include "gpu/gpu_voronoi.h"

#ifdef BR_HAVE_OPENCL

/// Where one of the surfaces of a brGpuModel is, and how large.
typedef struct brGpuModelPart
{
	int32_t firstTriangle, triangleCount;
	int32_t firstBlock;
	brDBox3 box;
} brGpuModelPart;

/// Closed triangle surfaces on the device, one behind the other.
typedef struct brGpuModel
{
	int32_t partCount;
	brGpuModelPart* parts;
	brGpuBuffer positions;  // double[3]
	brGpuBuffer triangles;  // int32_t[3]
	brGpuBuffer edges;      // int32_t[3]: number of each edge, the same for both its triangles
	brGpuBuffer boxes;      // float4[2] a triangle, rounded outward
	brGpuBuffer blockBoxes; // the same for 64 triangles of a surface
} brGpuModel;

/// The meshes are closed and manifold, and of triangles alone. On failure nothing is left.
brResult brGpuModel_Set(brGpuModel* model, brGpu* gpu, const brMesh* const* meshes, int32_t count, brReport* report);

/// The same for one with triangles that are known, and without edges, which rings do not need. It may hold another model, whose
/// memory it keeps.
brResult brGpuModel_SetTriangles(brGpuModel* model, brGpu* gpu, const brMesh* mesh, const brTriangulation* triangles,
								 brReport* report);
void brGpuModel_Free(brGpuModel* model, brGpu* gpu);

#define BR_PIECE_MOMENTS 10

typedef struct brGpuPieces
{
	brGpuVoronoi voronoi;
	int64_t pairCapacity;
	int64_t cornerCapacity; // of rings
	int64_t vertexCapacity;
	int64_t scratchCapacity;
	int64_t triangleCapacity;
	brGpuBuffer counters;
	brGpuBuffer pairs;                                 // int2: cell, triangle
	brGpuBuffer cellPairs;                             // uint2 by cell
	brGpuBuffer rings;                                 // labels of each pair
	brGpuBuffer sizes;                                 // uchar
	brGpuBuffer polygons;                              // first corner of each pair's ring
	brGpuBuffer labels, names, places, table, numbers; // of ring corners
	brGpuBuffer cellRings;                             // uint4 by cell
	brGpuBuffer windings;                              // int32_t by corner of cells
	brGpuBuffer isKnown;                               // uchar by cell
	brGpuBuffer cellVertices;                          // uint2 by cell
	brGpuBuffer scratchInts, scratchReals;
	brGpuBuffer events;    // uint2, two for each corner: where edges in a facet begin and end
	brGpuBuffer capRuns;   // uint2 by facet
	brGpuBuffer vertices;  // double[3] of pieces
	brGpuBuffer triangles; // int32_t[3] of pieces, from 0 in each
	brGpuBuffer pieces;    // uint4 by cell: first vertex, vertices, first triangle, triangles
	brGpuBuffer skins;     // uint32_t by cell: how many of these triangles, the first, are of the model's surface
	brGpuBuffer masses;    // double[BR_PIECE_MOMENTS] by cell: volume, center, inertia about it of density 1
} brGpuPieces;

/// What a run made. The pieces are good if the last three are 0.
typedef struct brGpuPieceCounts
{
	int64_t pieceCount; // cells with anything in them
	int64_t vertexCount;
	int64_t triangleCount;
	int64_t failedCount;  // cells with more corners than a group holds
	int64_t unsureCount;  // triangles with a side that doubles do not settle
	int64_t tangledCount; // places where the surface crosses itself, or is too finely cut
} brGpuPieceCounts;

void brGpuPieces_Init(brGpuPieces* pieces, brGpu* gpu);
void brGpuPieces_Free(brGpuPieces* pieces);

/// What is to be broken next, all in one go. Sites are in their model's space; the box of each diagram is the model's
/// with room all round, as in brCreateShatter. Cells are numbered through.
brResult brGpuPieces_SetBreaks(brGpuPieces* pieces, const brGpuModel* model, const brGpuBreak* breaks, int32_t count,
							   brReport* report);

/// The first half alone, from sites to the rings of triangles in cells, in `pairs`, `sizes` and `rings`; none if a cell
/// failed.
brResult brGpuPieces_RunRings(brGpuPieces* pieces, const brGpuModel* model, const brVoronoiDef* def,
							  brGpuCells* outCells, int64_t* outPairCount, brReport* report);

/// Enqueues everything from sites to pieces.
void brGpuPieces_Enqueue(brGpuPieces* pieces, const brGpuModel* model);

/// Runs it and looks at the counts; makes room and runs again where a list was too short.
brResult brGpuPieces_Run(brGpuPieces* pieces, const brGpuModel* model, brGpuPieceCounts* outCounts, brReport* report);

#endif
