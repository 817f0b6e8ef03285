// SPDX-License-Identifier: MIT
#pragma once

#include "fracture/crack_source.h"
#include "volume/surface_tree.h"

/// What is known of a blow before the lattice is asked.
typedef struct brCrackBlow
{
	brAllocator allocator;
	brCrackSource source; // all 0: nobody has judged
	brStressSample* samples;
	int32_t sampleCount;
} brCrackBlow;

/// Asks the impact model about a blow on a free body; about all else it knows nothing. `mesh` without doubled vertices.
brResult brJudgeCrackBlow(const brContext* context, const brMesh* mesh, const brSurfaceTree* surface,
						  const brCrackDef* def, brCrackBlow* out, brReport* report);
void brFreeCrackBlow(brCrackBlow* blow);
