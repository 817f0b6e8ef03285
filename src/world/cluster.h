// SPDX-License-Identifier: MIT
#pragma once

// One body of pieces that bonds hold together: cells of its mesh, cut once, nodes and links of the bond graph. Node i
// is what lies nearest to site i, in one cell or several.

#include "fracture/bonds.h"
#include "world/break_state.h"

/// What a mesh was cut into, shared by all that comes of it.
typedef struct brClusterCells
{
	brAllocator allocator;
	int32_t users;
	int32_t count;
	brMesh** meshes;
} brClusterCells;

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
	double minArea; // of a link that matters
	brClusterCells* cells;
	int32_t cellCount;
	int32_t* cellNumbers; // [cellCount] among all cells; rising by node
	int32_t* cellNodes;   // [cellCount]
} brCluster;

/// With room for meshes that are not there yet; null without memory. It has one user, who made it.
brClusterCells* brAllocCells(const brAllocator* allocator, int32_t count);

/// One user less; the last one frees them. `cells` may be null.
void brReleaseCells(brClusterCells* cells);

/// The cluster becomes a user of the cells, if there are any.
brCluster* brAllocCluster(const brAllocator* allocator, int32_t nodeCount, int32_t linkCount, brClusterCells* cells,
						  int32_t cellCount);

/// `cluster` may be null.
void brFreeCluster(brCluster* cluster);

/// A slot for a cluster in a world; -1 without memory.
int32_t brBreaking_AddCluster(brWorld* world, brCluster* cluster);

/// Could a hit of this force and energy break a bond at all?
bool brCluster_IsMoved(const brCluster* cluster, const brMaterial* material, double force, double energy);

/// Could a force that rests on it break a bond at all?
bool brCluster_IsLoaded(const brCluster* cluster, const brMaterial* material, double force);

/// Lets bonds fail under the body's weight, what rests on it, and its hit, if it has one. Fills a job if the body falls
/// apart; its groups [nodeCount] tell the set that each node belongs to, and its cellPieces [cellCount] the piece of
/// each cell.
bool brCluster_Run(brWorld* world, int32_t body, brBreakJob* outJob);

/// The nodes of one set as a cluster of their own, with the cells of one piece; null without memory.
brCluster* brCluster_Extract(const brCluster* cluster, const brBreakJob* job, int32_t group, int32_t piece);
