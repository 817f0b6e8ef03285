// SPDX-License-Identifier: MIT
#pragma once

// One body of pieces that bonds hold together: sites that say how to cut its mesh, nodes and links of the bond graph. Node i is what lies
// nearest to site i, in one part or several.

#include "fracture/bonds.h"
#include "world/break_state.h"

typedef struct brCluster
{
	brAllocator allocator;
	int32_t nodeCount, linkCount;
	int32_t linkCapacity; // links fail, the memory stays
	bool needsSolve;      // loads or links have changed
	bool isHeld;          // a node is fixed
	bool padding[2];
	double strength; // factor on the material's
	brBondNode* nodes;
	brDVec3* sites;
	brBondLink* links;
	double leastArea; // of a link that matters
} brCluster;

brCluster* brAllocCluster(const brAllocator* allocator, int32_t nodeCount, int32_t linkCount);

/// `cluster` may be null.
void brFreeCluster(brCluster* cluster);

/// A slot for a cluster in a world; -1 without memory.
int32_t brBreaking_AddCluster(brWorld* world, brCluster* cluster);

/// Could a hit of this force and energy break a bond at all?
bool brCluster_IsMoved(const brCluster* cluster, const brMaterial* material, double force, double energy);

/// Lets bonds fail under the body's weight and its hit, if it has one. Fills a job if the body falls apart; its groups
/// [nodeCount] tell the set that each node belongs to.
bool brCluster_Run(brWorld* world, int32_t body, brBreakJob* outJob);

/// The nodes of one set as a cluster of their own; null without memory.
brCluster* brCluster_Extract(const brCluster* cluster, const int32_t* groups, int32_t group);
