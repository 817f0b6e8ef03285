// SPDX-License-Identifier: MIT
#pragma once

// Cracks from first tension to rest: solve, start where stress beats strength, grow where energy beats toughness, again.

#include "brittle/volume.h"
#include "fracture/crack_load.h"
#include "fracture/crack_surface.h"

// Sums over the pieces of tets around a node, r from the node to the middle of the tet.
typedef struct brWallMoments
{
	brDVec3 first;     // of fill times volume: r
	double second[6];  // r r^T as xx yy zz xy xz yz
	brStress along[3]; // of stress times volume: r.x, r.y, r.z
} brWallMoments;

typedef struct brCrackGrowth
{
	const brContext* context;
	brAllocator allocator;
	const brCrackDef* def;
	const brMesh* mesh;           // only looked at where tets are partly solid
	const brSurfaceTree* surface; // of the mesh: the lattice does not reach into all its corners
	const brTetMesh* tets;
	const double* fills; // [tetCount] share of each tet that is solid, or null: all of it
	double edge;         // of the lattice. [m]
	double reach;        // how far a front may go in the time of contact. [m]
	double available;    // energy for surface. [J]
	double onset;        // share of the load's peak at which cracks start. [1]
	brElasticBody* body;
	brTetLocator* locator;
	brCrackLoad load;
	BR_ARRAY(brGrowingCrack) cracks;
	brElasticElement* pieces; // scratch
	int32_t pieceCount, pieceCapacity;
	double* strengths;    // [tetCount] [Pa]
	brStress* nodeStress; // [nodeCount]
	double* nodeVolumes;  // [nodeCount]
	brDVec3* wallNormals; // [tetCount] if there are fills, else null, as all about walls
	double*
		wallSpreads; // [tetCount] 0: in no wall; else what stress gains on a face for its slope across the wall. [m]
	brWallMoments* wallMoments; // [nodeCount]
	brCrackStats* stats;
} brCrackGrowth;

static inline void brStress_Add(brStress* sum, double weight, const brStress* stress)
{
	sum->xx += weight * stress->xx, sum->yy += weight * stress->yy, sum->zz += weight * stress->zz;
	sum->xy += weight * stress->xy, sum->xz += weight * stress->xz, sum->yz += weight * stress->yz;
}

static inline brDVec3 brTetCenter(const brTetMesh* tets, int32_t tet)
{
	const int32_t* v = tets->tets[tet];
	return brDMul(0.25,
				  brDAdd(brDAdd(tets->nodes[v[0]], tets->nodes[v[1]]), brDAdd(tets->nodes[v[2]], tets->nodes[v[3]])));
}

/// Everything; leaves the cracks in growth->cracks, none if it holds.
brResult brCrackGrowth_Run(brCrackGrowth* growth, brReport* report);
void brCrackGrowth_Free(brCrackGrowth* growth);

/// In edges: how far a front goes beyond the crack that ends it, so that the cut joins the two. Front points are 0.8 edges apart and cracks meet
/// obliquely: at 0.15 their neighbors leave gaps through which pieces hang together.
#define BR_CRACK_PAST 0.5

/// How much of `want` a front point of crack `index` goes until it meets a crack; INFINITY: it meets none.
double brCrackGrowth_WayToCrack(const brCrackGrowth* growth, int32_t index, const brCrackFrontPoint* point,
								brDVec3 want);

// crack_wall.c

/// Where a line of front points [count] goes through a wall thinner than the lattice, it goes on as one: `wants` become what keeps it straight and across the
/// wall. Points that it decides about are marked in `isGuided`.
void brCrackGrowth_GuideWalls(brCrackGrowth* growth, int32_t index, const brCrackFrontPoint* points, int32_t count,
							  bool isClosed, uint8_t* isGuided, brDVec3* wants);

// crack_wall_stress.c

/// Evens out the shares of tets that are solid; none is nearly empty after that.
brResult brSmoothWallFills(const brAllocator* allocator, const brTetMesh* tets, double* fills, brReport* report);

/// Normals and spreads of walls.
brResult brCrackGrowth_FindWalls(brCrackGrowth* growth, brReport* report);

/// Moments of the stress around each node; after nodeStress and nodeVolumes.
void brCrackGrowth_AddWallMoments(brCrackGrowth* growth);

/// Stress on that face of the wall where it is highest; of a tet that is in no wall `mean`, the mean around it.
brStress brCrackGrowth_WallStress(const brCrackGrowth* growth, int32_t tet, brStress mean);

// crack_start.c

/// Share of a tet that is solid; of the tet around a point, 0 outside the lattice.
double brCrackGrowth_Fill(const brCrackGrowth* growth, int32_t tet);
double brCrackGrowth_FillAt(const brCrackGrowth* growth, brDVec3 point);

/// Whether the mesh wraps a point.
bool brCrackGrowth_IsSolid(const brCrackGrowth* growth, brDVec3 point);

/// Strengths of all tets, and what stress needs.
brResult brCrackGrowth_PrepareStart(brCrackGrowth* growth, brReport* report);

/// Stress in the solid part of a tet, as it counts for the start of cracks; since the last start.
brStress brCrackGrowth_TetStress(const brCrackGrowth* growth, int32_t tet);

/// After a solve: adds a crack where stress beats strength by most, if it does.
brResult brCrackGrowth_Start(brCrackGrowth* growth, brReport* report);

// crack_finish.c

/// After the last step: fronts go on to the surface of the mesh, or to another crack, where it is near.
brResult brCrackGrowth_Finish(brCrackGrowth* growth, brReport* report);
