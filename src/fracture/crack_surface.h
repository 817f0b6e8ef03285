// SPDX-License-Identifier: MIT
#pragma once

// A crack as a triangle surface that grows at its front.
//
// The front is a list of directed edges: as the triangle that has it turns, so that new triangles go to its right. A
// step moves front vertices to new places and fills the strip between with triangles; long new edges are divided, short
// ones joined (thesis fig. 6.8), so that the front keeps its spacing. What does not move stays part of the front.
//
//            a' ---- b'        new front a' -> b'
//           /  \    /          triangles (b, a, a'), (b, a', b')
//     ---- a ---- b ----       old front a -> b

#include "base/array.h"
#include "brittle/elastic.h"
#include "brittle/mesh.h"
#include "brittle/scalar_map.h"

typedef struct brCrackEdge
{
	int32_t a, b;
} brCrackEdge;

typedef struct brCrackTriangle
{
	int32_t v[3];
} brCrackTriangle;

// Where a front point that has turned far in a slow load was moved to.
typedef struct brCrackKink
{
	brDVec3 tip;
	double drive; // energy that the kink set free, at the load as given. [J/m^2]
	double leg;   // crack since the kink. [m]
} brCrackKink;

typedef struct brGrowingCrack
{
	BR_ARRAY(brDVec3) positions;
	BR_ARRAY(uint8_t) states;  // brFrontState of each vertex
	BR_ARRAY(uint8_t) outside; // of each vertex: how many steps its line has been out of the solid
	BR_ARRAY(brCrackTriangle) triangles;
	BR_ARRAY(brCrackEdge) front;
	BR_ARRAY(brCrackKink) kinks; // of the last step
	double spacing;              // of the front. [m]
	brDVec3 start, normal;
	int32_t branchOf;   // crack, or -1
	brDVec3 lastBranch; // where it last branched, or began
	double largestG;
	bool isGrowing, isFinished;
	bool isTearing; // it takes the last that carries a load without a time
	int32_t noted;  // vertices around which no other crack may start any more
} brGrowingCrack;

/// A flat crack to begin with.
typedef struct brCrackDisk
{
	brDVec3 center, normal;
	brDVec3 along; // where its first vertex lies from the center, about; not along the normal
	double radius;
	double spacing; // of its front
} brCrackDisk;

brResult brGrowingCrack_Start(const brAllocator* allocator, brGrowingCrack* crack, const brCrackDisk* disk,
							  brReport* report);

/// Half a disk about `center` that goes `forward`: the branch of a front that runs along forward x normal there. Its
/// straight side is no front.
brResult brGrowingCrack_StartBranch(const brAllocator* allocator, brGrowingCrack* crack, brDVec3 center,
									brDVec3 forward, brDVec3 normal, double radius, double spacing, brReport* report);
/// From an open surface. Which of its border edges are fronts is for the caller: all are at first, divided to the
/// spacing.
brResult brGrowingCrack_FromMesh(const brContext* context, brGrowingCrack* crack, const brMesh* mesh, double spacing,
								 brReport* report);
void brGrowingCrack_Free(const brAllocator* allocator, brGrowingCrack* crack);

/// As the elastic body wants it; points into the crack.
brCrackSurface brGrowingCrack_View(const brGrowingCrack* crack);

/// Moves the front: `moves` has one vector a vertex, zero for those that stay. Returns false without memory; the crack
/// is then good for nothing but to be freed.
bool brGrowingCrack_Extend(const brAllocator* allocator, brGrowingCrack* crack, const brDVec3* moves);

/// Puts a vertex into a front edge. Its triangle is looked for from `firstTriangle` on. False without memory, or if it
/// has none.
bool brGrowingCrack_DivideFront(const brAllocator* allocator, brGrowingCrack* crack, int32_t index, brDVec3 point,
								int32_t firstTriangle);

/// Makes all border edges fronts, in the direction of their triangles. False without memory.
bool brGrowingCrack_FindBorder(const brAllocator* allocator, brGrowingCrack* crack);

/// Where front vertices would go straight on: unit vectors, zero for all other vertices. `outWays` has one a vertex.
void brGrowingCrack_FrontWays(const brGrowingCrack* crack, brDVec3* outWays);

/// How much of the way from p to q it is to the first triangle; INFINITY: there is none. For a vertex `from` of this
/// crack triangles around it and their neighbors do not count: a front that folds beside the surface of the solid has
/// not met itself. -1: all count.
double brGrowingCrack_Crossing(const brGrowingCrack* crack, brDVec3 p, brDVec3 q, int32_t from);

/// Distance of the nearest vertex.
double brGrowingCrack_Distance(const brGrowingCrack* crack, brDVec3 point);

typedef struct brCrackGrain
{
	double height; // 0: smooth [m]
	double size;   // of a bump, or of a map laid along the crack. [m]
	uint64_t seed;
	const brScalarMap* map; // null: noise
} brCrackGrain;

/// A mesh for the cutter. With grain each triangle is divided until its edges are below half a bump and its vertices
/// are moved along the normal there.
brResult brGrowingCrack_MakeMesh(const brGrowingCrack* crack, const brContext* context, const brCrackGrain* grain,
								 brMesh** outMesh, brReport* report);
