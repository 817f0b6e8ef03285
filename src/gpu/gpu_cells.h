// SPDX-License-Identifier: MIT
#pragma once

// A device's part in every break by cells, of a single model or of bodies in a world: the diagram, and each triangle
// clipped to the cells that it meets.
//
// Both are read back with the CPU's bits; from there on the CPU names corners, fills caps and makes meshes, attributes
// and bonds, so pieces are those of the CPU to the last bit. Rings that doubles do not settle are made again there, one
// by one; diagrams that a group of threads cannot hold, as a whole.

#include "gpu/gpu_pieces.h"

#ifdef BR_HAVE_OPENCL

typedef struct brGpuCutter
{
	brCellDevice device; // as brCreateShatterBy and worlds take it
	brGpuModel model;
	brGpuPieces pieces;
	int64_t breakCount; // that the device had a part in
	bool isLost;        // it did not answer and is asked no more
	bool isTold;        // that something was too much for it
} brGpuCutter;

/// The cutter may not move from then on.
void brGpuCutter_Init(brGpuCutter* cutter, brGpu* gpu);
void brGpuCutter_Free(brGpuCutter* cutter);

#endif
