// SPDX-License-Identifier: MIT
#pragma once

// Faces of five corners and more, cut into triangles ear by ear.

#include "base/memory.h"
#include "brittle/mesh.h"

typedef struct brEarCorner
{
	brDVec2 point;
	int32_t corner; // in the mesh
	int32_t previous, next;
	int32_t ticket;     // place in the queue that counts; earlier ones are stale
	int32_t nextInCell; // other corner of the same grid cell, or -1
	int32_t beyond;     // side of a triangle, as in brFlat.links, beyond the edge to the next corner; -1: outline
	bool blocks;        // not clipped and does not turn left: may lie in an ear
} brEarCorner;

typedef struct brEarScratch
{
	int32_t capacity; // corners
	brEarCorner* corners;
	int32_t* queue;  // [3 * capacity]
	int32_t* links;  // [3 * capacity] as in brFlat
	brDVec2* points; // [capacity] of all corners
	int32_t* cells;  // [capacity]
	brDVec2 gridLower, gridScale;
	int32_t gridSide;
	double grain; // of the face at hand
} brEarScratch;

/// Room for a face of so many corners; all zero to begin with. False without memory.
bool brGrowEarScratch(const brAllocator* allocator, brEarScratch* scratch, int32_t count);
void brFreeEarScratch(const brAllocator* allocator, brEarScratch* scratch);

/// The count - 2 triangles of the face whose corners begin at `start`, as corners of the mesh.
void brClipEars(const brMesh* mesh, int32_t start, int32_t count, brEarScratch* scratch, int32_t* triangles);
