// SPDX-License-Identifier: MIT
#pragma once

// Stress in the bonds of a cluster: pieces as rigid nodes, bonds as short elastic beams.
//
// A bond of area A between nodes at distance L resists opening with E A / L, sliding with G A / L, bending with E I / L
// and twisting with 2 G I / L, where I = A^2 / (4 pi) is that of a round section. The equations K x = f have six
// unknowns a node; they are solved by conjugate gradients. Under given loads stress does not depend on E, so E is 1. A
// cluster that nothing holds is in balance with its own inertia.
//
//     brBondSystem* system = brCreateBondSystem(&allocator, nodes, nodeCount, links, linkCount);
//     brBondSystem_Solve(system, loads, stress);   // from nothing
//     brBondSystem_Cut(system, 7);                 // a bond fails
//     brBondSystem_Solve(system, loads, stress);   // from where it was
//     brDestroyBondSystem(system);

#include "base/report.h"
#include "brittle/math.h"

typedef struct brBondNode
{
	brDVec3 center;
	double volume;
	bool isFixed; // held by an anchor
	bool padding[7];
} brBondNode;

typedef struct brBondLink
{
	int32_t nodes[2];
	double area;
	brDVec3 center;
	brDVec3 normal;  // unit, from the first to the second
	double strength; // factor on the material's: more inside a cluster of pieces than between two
} brBondLink;

typedef struct brBondLoad
{
	brDVec3 force;
	brDVec3 torque; // about the node's center
} brBondLoad;

typedef struct brBondStress
{
	double tension;     // largest principal stress at the rim of the section, 0 or more [Pa]
	double compression; // likewise, 0 or more [Pa]
} brBondStress;

/// The equations of one cluster, with the last solution.
typedef struct brBondSystem brBondSystem;

/// Null without memory. Keeps nothing of what it is given.
brBondSystem* brCreateBondSystem(const brAllocator* allocator, const brBondNode* nodes, int32_t nodeCount,
								 const brBondLink* links, int32_t linkCount);

/// `system` may be null.
void brDestroyBondSystem(brBondSystem* system);

/// This link holds no more. Takes effect in the next solve.
void brBondSystem_Cut(brBondSystem* system, int32_t link);

/// Stress in every link, to 0.1% of the energy norm, starting from the last solution; 0 in those that were cut. Returns
/// the number of iterations; none if the last solution will do.
int32_t brBondSystem_Solve(brBondSystem* system, const brBondLoad* loads, brBondStress* outStress);

/// Moves the loads of one set of nodes into balance with its inertia at density 1. For sets without fixed nodes.
void brBalanceLoads(const brBondNode* nodes, int32_t nodeCount, const int32_t* sets, int32_t set, brBondLoad* loads);

/// Numbers connected sets of nodes from 0 in the order of their lowest node. Returns how many there are.
int32_t brBondComponents(int32_t nodeCount, const brBondLink* links, int32_t linkCount, int32_t* outComponents);
