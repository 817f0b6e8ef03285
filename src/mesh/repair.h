// SPDX-License-Identifier: MIT
#pragma once

// The mesh under repair: connectivity alone, each element remembering what it came from, so that stages move integers
// and attributes are fetched once at the end.

#include "base/array.h"
#include "brittle/check.h"

typedef struct brRepair
{
	const brContext* context; // may be null
	brAllocator allocator;
	const brMesh* source;
	brRepairCounts counts;

	int32_t vertexCount;    // copies made by splitting included
	brDVec3* positions;     // [vertexCapacity]
	int32_t* vertexSources; // [vertexCapacity] vertex of the source; -1: welded away
	int32_t vertexCapacity;

	int32_t faceCount;
	int32_t cornerCount;
	int32_t* faceStarts;    // [source faceCount + 1]
	int32_t* faceSources;   // [source faceCount]
	int32_t* corners;       // [cornerCapacity]
	int32_t* cornerSources; // [cornerCapacity] corner of the source that gives attributes
	int32_t* cornerMates;   // [cornerCapacity] a second one, to take the mean with, or -1; null before splitting
	int32_t cornerCapacity;
	bool* isTurned; // [source faceCount], by source face
} brRepair;

/// The working state as a mesh without attributes, for half-edges and predicates. Nothing is copied.
brMesh brRepair_View(const brRepair* repair);

/// Keeps the faces that are marked, in order.
void brRepair_KeepFaces(brRepair* repair, const bool* keeps);

/// Takes repeated corners and spikes out of faces and drops those with fewer than three corners left.
void brRepair_Trim(brRepair* repair);

// The stages. False without memory.

bool brRepair_FoldFlatFaces(brRepair* repair);
bool brRepair_DropDuplicates(brRepair* repair);
bool brRepair_Orient(brRepair* repair);
bool brRepair_Split(brRepair* repair);
