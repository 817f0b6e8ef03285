// SPDX-License-Identifier: MIT
#pragma once

// Cracks from first tension to rest: solve, start where stress beats strength, grow where energy beats toughness, again.
//
//     crack_run.c     the loop: solve, load of the step, grow, start; when it ends and why
//     crack_stress.c  stress at nodes, good up to the surface
//     crack_start.c   strength, and where the next cracks begin
//     crack_corner.c  edges at which the solid turns inward
//     crack_grow.c    how far and where to each front point goes
//     crack_wall*.c   the same in walls thinner than the lattice
//     crack_finish.c  the last edges to the surface of the mesh
//     crack_small.c   smaller pieces of what a blow has left

#include "brittle/volume.h"
#include "fracture/crack_load.h"
#include "fracture/crack_source.h"
#include "fracture/crack_surface.h"
#include "volume/tet_parts.h"

// Sums over the pieces of tets around a node, r from the node to the middle of the tet.
typedef struct brWallMoments
{
	brDVec3 first;     // of fill times volume: r
	double second[6];  // r r^T as xx yy zz xy xz yz
	brStress along[3]; // of stress times volume: r.x, r.y, r.z
} brWallMoments;

// A part of the solid with a strength of its own: a cube of the Weibull grid.
typedef struct brStrengthCell
{
	double strength; // drawn, of a specimen. [Pa]
	double hazard; // sum over its tets of (stress over tensile strength)^m times volume, at the peak of the load. [m^3]
	double highest;  // largest tension over strength factor in it. [Pa]
	int32_t tet;     // where that is, or -1
	brDVec3 middle;  // of the tets, weighed by their hazards: lattices agree about it as they do not about `tet`. [m]
	brStress stress; // the same mean of their stresses
	double restNeed; // share of the load's peak at which it had its strength when no crack ran. [1]
	bool isAhead;    // near a front that may run
} brStrengthCell;

// The front points of a crack after a solve.
typedef struct brCrackFront
{
	brCrackFrontPoint* points; // [capacity]
	double* drives;            // [capacity] energy that the way each takes sets free: G, or that of its kink. [J/m^2]
	int32_t capacity, count;
	double edge;    // smallest of the lattice at live points. [m]
	double highest; // of live points: G at the peak of the load over what growth costs there. [1]
} brCrackFront;

typedef struct brCrackGrowth
{
	const brContext* context;
	brAllocator allocator;
	const brCrackDef* def;
	brCrackSource source;         // what else is known of the blow
	const brMesh* mesh;           // only looked at where tets are partly solid
	const brMesh* solid;          // the mesh with vertices at one place as one
	const brSurfaceTree* surface; // of the mesh: the lattice does not reach into all its corners
	const brTetMesh* tets;
	const double* fills; // [tetCount] share of each tet that is solid, or null: all of it
	double* stiffnesses; // [tetCount] of brCrackDef.stiffness, or null: 1
	double edge;         // of the lattice outside of finer balls. [m]
	double stepEdge;     // the smallest at fronts that run: all of them go on by it in a step. [m]
	double
		grainLength; // what must not follow the lattice goes by it: edge of a lattice of 10,000 tets, or `edge` if that is more. [m]
	brMat3 frame;     // columns: axes of the body, for the Weibull grid
	brDVec3 origin;   // of that. [m]
	double available; // energy for surface. [J]
	brElasticBody* body;
	brTetLocator* locator;
	brCrackLoad load;

	// The load of now
	double share;     // of the peak. [1]
	double phase;     // of a blow's half sine, 0 before its first crack. [rad]
	double level;     // its sine. [1]
	double strain;    // strain energy at the peak of the load. [J]
	double startNeed; // share of the peak at which the next crack starts; INFINITY: none does. [1]
	int32_t firstParts;
	int32_t lastParts; // of a blow, at the last step
	bool isParted;     // a crack of a blow is out all round in a wall, whose tets reach out of it and hold on
	double givenArea;  // of cracks that were there. [m^2]

	BR_ARRAY(brCrackStep) steps;
	BR_ARRAY(brCrackFrontRecord) fronts;

	BR_ARRAY(brGrowingCrack) cracks;
	brElasticElement* pieces; // of the last solve
	int32_t pieceCount, pieceCapacity;

	// Stress at nodes
	brStress* nodeStress; // [nodeCount] times nodeVolumes
	double* nodeVolumes;  // [nodeCount]
	int32_t* fitStarts;   // [nodeCount + 1] into the next two; null where tets are partly solid
	int32_t* fitTets;
	double* fitWeights; // of the tets' stresses in the stress at a node
	uint8_t* isCutTet;  // [tetCount]

	// Strength
	int32_t cellCount;
	brStrengthCell* cells; // [cellCount]
	int32_t* cellOfTet;    // [tetCount]
	double* factors;       // [tetCount] the caller's, on strength; null: 1
	double rateFactor;     // strength under a load this short over that of a slow test. [1]
	uint8_t*
		isBarred; // [tetCount] beside a load or a support, where stress is that of the lattice, or beside a crack: nothing starts there

	// Walls; null without fills
	brDVec3* wallNormals; // [tetCount]
	double* wallSpreads;  // [tetCount] 0: in no wall; else what stress gains on a face for its slope across it. [m]
	brWallMoments* wallMoments; // [nodeCount]
	brStressSample* samples;    // of a blow on the sound body, at its peak
	int32_t sampleCount;
	brCrackStats* stats;
} brCrackGrowth;

static inline void brStress_Add(brStress* sum, double weight, const brStress* stress)
{
	sum->xx += weight * stress->xx, sum->yy += weight * stress->yy, sum->zz += weight * stress->zz;
	sum->xy += weight * stress->xy, sum->xz += weight * stress->xz, sum->yz += weight * stress->yz;
}

// Tension across a plane of normal n.
static inline double brStress_Across(const brStress* s, brDVec3 n)
{
	return s->xx * n.x * n.x + s->yy * n.y * n.y + s->zz * n.z * n.z +
		   2.0 * (s->xy * n.x * n.y + s->xz * n.x * n.z + s->yz * n.y * n.z);
}

static inline brDVec3 brTetCenter(const brTetMesh* tets, int32_t tet)
{
	const int32_t* v = tets->tets[tet];
	return brDMul(0.25,
				  brDAdd(brDAdd(tets->nodes[v[0]], tets->nodes[v[1]]), brDAdd(tets->nodes[v[2]], tets->nodes[v[3]])));
}

/// Share of a tet that is solid.
static inline double brCrackGrowth_Fill(const brCrackGrowth* growth, int32_t tet)
{
	return growth->fills != NULL ? growth->fills[tet] : 1.0;
}

// crack_run.c

/// Share of the volume from which on a part counts.
#define BR_CRACK_LARGE 0.01

/// Everything; leaves the cracks in growth->cracks, none if it holds.
brResult brCrackGrowth_Run(brCrackGrowth* growth, brReport* report);
void brCrackGrowth_Free(brCrackGrowth* growth);

/// Fracture energy at a point, with the caller's factor. [J/m^2]
double brCrackGrowth_Cost(const brCrackGrowth* growth, brDVec3 point);

/// Share of the tet around a point that is solid, 0 outside the lattice.
double brCrackGrowth_FillAt(const brCrackGrowth* growth, brDVec3 point);

/// Edge of the lattice's cells at a point.
double brCrackGrowth_EdgeAt(const brCrackGrowth* growth, brDVec3 point);

/// After the stress: the component of the body around a point; -1: in none, or in a tet that a crack cuts.
int32_t brCrackGrowth_PartAt(const brCrackGrowth* growth, brDVec3 point);

/// Whether the mesh wraps a point.
bool brCrackGrowth_IsSolid(const brCrackGrowth* growth, brDVec3 point);

// crack_kink.c

/// Fills in brCrackFront.drives: under a slow load that of the kink, and right behind a kink no less than what made it;
/// under a blow G.
void brCrackGrowth_FindDrives(const brCrackGrowth* growth, int32_t index, brCrackFront* front);

/// Notes which points turn far, before they move by `wants`. False without memory.
bool brCrackGrowth_KeepKinks(const brCrackGrowth* growth, brGrowingCrack* crack, const brCrackFront* front,
							 const brDVec3* wants);

/// Under a slow load: G below it is what a lattice and a solve leave of none. [J/m^2]
double brCrackGrowth_LeastRelease(const brCrackGrowth* growth);

// crack_given.c

/// Makes cracks of the caller's surfaces. Refuses one that does not end in the solid.
brResult brCrackGrowth_AddGiven(brCrackGrowth* growth, brReport* report);

/// Fills in what the lattice is too coarse for: brCrackStats.crackEdge, wallEdge, gapEdge.
brResult brCrackGrowth_JudgeLattice(brCrackGrowth* growth, brReport* report);

// crack_grow.c

/// In edges: how far a front goes beyond the crack that ends it, so that the cut joins the two. Front points are 0.8
/// edges apart and cracks meet obliquely: at 0.15 their neighbors leave gaps through which pieces hang together.
#define BR_CRACK_PAST 0.5

/// Whether a front point can go on at all. G at points that ended at a crack is noise, thousands of times what others
/// see.
bool brGrowingCrack_IsLive(const brGrowingCrack* crack, const brCrackFrontPoint* point);

/// After a solve: the front points of a crack that has live ones.
brResult brCrackGrowth_Look(brCrackGrowth* growth, int32_t index, brCrackFront* front, brReport* report);

/// Moves the front of a crack under `share` of the load's peak.
brResult brCrackGrowth_Grow(brCrackGrowth* growth, int32_t index, const brCrackFront* front, double share,
							brReport* report);

/// How much of `want` a front point of crack `index` goes until it meets a crack; INFINITY: it meets none.
double brCrackGrowth_WayToCrack(const brCrackGrowth* growth, int32_t index, const brCrackFrontPoint* point,
								brDVec3 want);

// crack_wall.c

/// Where a line of front points [count] goes through a wall thinner than the lattice, it goes on as one: `wants` become
/// what keeps it straight and across the wall. Points that it decides about are marked in `isGuided`.
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

// crack_stress.c

/// What is needed to find the stress at nodes.
brResult brCrackGrowth_PrepareStress(brCrackGrowth* growth, brReport* report);

/// After a solve: the stress at all nodes.
brResult brCrackGrowth_FindStress(brCrackGrowth* growth, brReport* report);

/// Stress in the solid part of a tet, at weights of its nodes; in a wall that of its more tense face, whatever the
/// weights.
brStress brCrackGrowth_StressIn(const brCrackGrowth* growth, int32_t tet, const double weights[4]);

/// The same in the middle of the tet; in a wall the mean over its thickness.
brStress brCrackGrowth_MeanStress(const brCrackGrowth* growth, int32_t tet);

// crack_start.c

/// Strengths of all cells.
brResult brCrackGrowth_PrepareStart(brCrackGrowth* growth, brReport* report);

/// After the stress: hazards of all cells, and the share of the load at which the next crack starts.
brResult brCrackGrowth_FindStarts(brCrackGrowth* growth, brReport* report);

/// No crack runs under the load of now: the field is that in which flaws can open.
void brCrackGrowth_NoteRest(brCrackGrowth* growth);

/// Adds cracks where the load of now beats the strength: in a blow all that are not beside another, else one.
brResult brCrackGrowth_Start(brCrackGrowth* growth, brReport* report);

// crack_corner.c

/// Moves a point to the nearest edge within reach at which the solid turns inward. `outAlong` is its direction, 0 if
/// there is none.
brResult brCrackGrowth_ToInnerCorner(const brCrackGrowth* growth, double reach, brDVec3* point, brDVec3* outAlong,
									 brReport* report);

// crack_finish.c

/// After the last step: fronts go on to the surface of the mesh, or to another crack, where it is near.
brResult brCrackGrowth_Finish(brCrackGrowth* growth, brReport* report);

/// The same for one crack in between, if all of its live points are that near: nothing pulls at them any more.
brResult brCrackGrowth_FinishNear(brCrackGrowth* growth, int32_t index, const brCrackFront* front, brReport* report);

/// After the look at it: a front of which no point is left in the lattice goes on by an edge. Else tets at the surface
/// that are not quite cut hold the parts together, and the whole load is on them.
brResult brCrackGrowth_GoThrough(brCrackGrowth* growth, int32_t index, const brCrackFront* front, bool* outIsMoved,
								 brReport* report);

/// After the stress, when a part has come off: a crack that has parted the body is done. The energy that drove it went
/// with the part; what is left of its front would only crumple.
brResult brCrackGrowth_EndParting(brCrackGrowth* growth, int32_t index, brReport* report);

// crack_small.c

/// After the stress of the sound body: keeps it.
brResult brCrackGrowth_SampleStress(brCrackGrowth* growth, brReport* report);

/// After the cut: pieces become smaller ones as far as the energy that is left does it.
brResult brCrackGrowth_SplitPieces(const brCrackGrowth* growth, brCracks* cracks, brReport* report);
