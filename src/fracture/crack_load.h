// SPDX-License-Identifier: MIT
#pragma once

// What pulls at a cracking body, on the nodes of its lattice.

#include "base/array.h"
#include "brittle/crack.h"
#include "brittle/elastic.h"

typedef struct brCrackLoad
{
	BR_ARRAY(int32_t) nodes;
	BR_ARRAY(brDVec3) forces;
	BR_ARRAY(int32_t) fixedNodes;
	BR_ARRAY(uint32_t) fixedAxes;
	double force;       // largest of one impact or force. [N]
	double contactTime; // [s]
	double energy;      // of the impact, INFINITY without one. [J]
} brCrackLoad;

/// Spreads the impact by Hertz's contact time and the forces over the surface nodes nearest to their points, and finds the nodes that
/// are held. Refuses a load of nothing.
brResult brCrackLoad_Make(const brAllocator* allocator, const brMesh* mesh, const brTetMesh* tets, double edge,
						  const brCrackDef* def, brCrackLoad* outLoad, brReport* report);
void brCrackLoad_Free(const brAllocator* allocator, brCrackLoad* load);
