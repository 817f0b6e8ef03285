// SPDX-License-Identifier: MIT
#pragma once

// Sets of tets that hang together through faces.

#include "base/memory.h"
#include "brittle/mesh.h"

typedef struct brTetParts
{
	brAllocator allocator;
	int32_t tetCount;
	int32_t partCount;
	int32_t* parts;  // [tetCount] part of each tet, numbered by first tet
	double* volumes; // [partCount]
} brTetParts;

static inline double brTetVolume(const brTetMesh* tets, int32_t tet)
{
	const int32_t* v = tets->tets[tet];
	brDVec3 o = tets->nodes[v[0]], a = brDSub(tets->nodes[v[1]], o), b = brDSub(tets->nodes[v[2]], o);
	return brDDot(brDCross(a, b), brDSub(tets->nodes[v[3]], o)) / 6.0;
}

/// False without memory.
bool brFindTetParts(const brAllocator* allocator, const brTetMesh* mesh, brTetParts* outParts);
void brTetParts_Free(brTetParts* parts);

/// The tets of the parts that are marked, with the nodes they use, in order. Null without memory.
brTetMesh* brKeepTetParts(const brAllocator* allocator, const brTetMesh* mesh, const brTetParts* parts,
						  const bool* keeps);

/// Doubles nodes, and halves edges, where tets touch but along faces, if an edge of the boundary has more than two faces.
/// tet_pinches.c. False without memory.
bool brPartTetPinches(const brAllocator* allocator, brTetMesh** mesh);
