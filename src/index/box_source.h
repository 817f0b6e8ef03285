// SPDX-License-Identifier: MIT
#pragma once

// What the trees are built over: boxes as they are, or elements (points, edges, triangles, tets) of one or two frames
// of positions. The float box of an element is the smallest around its corners rounded outward, over both frames if
// there are two, so that boxes of things that touch always touch.

#include "base/report.h"
#include "index/wide_kernels.h"

typedef struct brBoxSource
{
	int32_t count; // elements

	const brBox3* boxes; // [count], or null: elements

	int32_t vertexCount;
	const brDVec3* positions;     // [vertexCount]
	const brDVec3* nextPositions; // [vertexCount] or null
	int32_t cornersEach;          // 1 to 4; 1 with null corners: every vertex is an element
	const int32_t* corners;       // [cornersEach * count], in range
	double margin;                // boxes of elements are grown by it on all sides, >= 0
} brBoxSource;

/// A source made ready: boxes of its vertices and bounds of everything.
typedef struct brBoxMaker
{
	brAllocator allocator;
	const brWideKernels* kernels;
	brBoxSource source;
	brStageMemory vertexBoxes; // brTreeBox
	brStageMemory blockBounds; // brTreeBox
	brTreeBox bounds;
} brBoxMaker;

/// Looks at every coordinate once. Refuses boxes that are not finite or have lower above upper, and positions that are
/// not finite or too large for a float, naming the first.
brResult brBoxMaker_Prepare(brBoxMaker* maker, brWorkers* workers, const brBoxSource* source, brReport* report);

/// Boxes of elements [begin, end) to outBoxes[0...].
void brBoxMaker_Fill(const brBoxMaker* maker, int32_t begin, int32_t end, brTreeBox* outBoxes);

void brBoxMaker_Free(brBoxMaker* maker);
