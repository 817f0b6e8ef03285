// SPDX-License-Identifier: MIT
#pragma once

// How a whole body gives way to a force at one place of its surface, and what it is pulled by elsewhere: a small
// elastic model, factored once.
//
// The body lies in a lattice of cubes of edge c, each of six tets (Kuhn), each tet with ten nodes (quadratic), turned
// by a fixed odd rotation so that no wall lies along it. Nothing is meshed: a tet that holds some solid is kept whole,
// and its stiffness is integrated over the solid inside by six points that have the solid's volume, center and
// covariance. For a wall of thickness t << c the points of a pair lie on its two faces, so bending stiffness and the
// stress of the faces come out right. Linear tets of the same number are 10 to 20 times too stiff there.
//
// A free body accelerates under the force and is loaded by its own inertia; one that is held rests on springs along its
// rim. Stiffness is that of Young's modulus 1: displacements go as 1 / E, stresses do not depend on it.

#include "base/memory.h"
#include "brittle/mesh.h"
#include "elastic/front_factor.h"

#define BR_FLEX_TETS 700 // a lattice of so many is what bodies have

typedef struct brFlexTet
{
	int32_t cube[3];
	int32_t order;     // which of the six: the order in which its path walks the axes
	double volume;     // of the solid inside
	double fill;       // share of the tet that is solid
	brDVec3 center;    // of the solid, from the cube's lowest corner in edges
	brDVec3 spread[3]; // half the distance between the points of each pair, in edges
} brFlexTet;

/// A triangle of the surface in a ball, to be passed over quickly.
typedef struct brFlexBall
{
	brDVec3 center;
	double radius;
} brFlexBall;

typedef struct brFlexModel
{
	brAllocator allocator;
	brMat3 turn; // from the axes of the mesh to those of the lattice
	double poissonRatio;
	double edge; // of a cube [m]
	double
		scale; // a length of the body, that of cubes of a lattice of BR_FLEX_TETS: forces at the surface are spread by it, however fine the cubes are [m]
	brDVec3 origin;
	int32_t cubeCounts[3];
	int32_t tetCount, nodeCount, triangleCount;
	brFlexTet* tets;
	int32_t (*nodes)[BR_FRONT_NODES]; // of the tets
	int32_t (*cubes)[3];              // the tets' once more, for the factor
	int32_t* cubeStarts;              // [cubes + 1] first tet of each cube, x fastest
	brDVec3 (*points)[6];             // [tetCount] where the solid of each tet is integrated, in the lattice's axes
	brDVec3* nodePlaces;              // [nodeCount] in the lattice's axes
	brDVec3 (*triangles)[3];          // the surface, in the lattice's axes
	brFlexBall* balls;                // [triangleCount] about them
	double volume, area;              // of the body
	double wall;                      // 2 volume / area: the thickness of a wall, a third of a ball's diameter
	brDVec3 center;                   // in the lattice's axes
	brMat3 invInertia;                // of the solid at density 1, about the center
	double (*inertiaLoads)[6];  // [3 nodeCount] loads by unit accelerations: three along the axes, three about them
	double (*inertiaValues)[6]; // [3 nodeCount] displacements by those loads alone, with the pins pushing back
	double* springs;            // [3 nodeCount] of the six pins or the held rim
	brFrontFactor* factor;
	double (*loads)[BR_FRONT_LANES];  // [3 nodeCount] of the question at hand, up to four side by side
	double (*values)[BR_FRONT_LANES]; // [3 nodeCount] displacements that answer it
	double (*scratch)[BR_FRONT_LANES];
	int32_t* near; // [tetCount] answer of brFlexModel_Near
	bool isHeld;
} brFlexModel;

typedef struct brFlexDef
{
	const brMesh* mesh; // closed
	double volume;      // of the mesh
	double poissonRatio;
	int32_t tets; // about so many in walls, fewer in lumps
	bool isHeld;  // by its rim if it is a plate, else everywhere a little
} brFlexDef;

/// br_errorGeometry if there is nothing solid in the mesh.
brResult brCreateFlexModel(const brAllocator* allocator, const brFlexDef* def, brFlexModel** outModel);
void brDestroyFlexModel(brFlexModel* model);

/// The same model with room for questions of its own, so that several threads may ask at once. False without
/// memory; it is freed all the same.
bool brFlexModel_MakeTwin(const brFlexModel* model, brFlexModel* out);
void brFlexModel_FreeTwin(brFlexModel* twin);

/// Edge of cubes that gives about `tets` of them.
double brFlexEdge(double volume, double area, double tets);

/// The lattice without its matrix; a stage of brCreateFlexModel.
brResult brFlexModel_MakeLattice(brFlexModel* model, double lineSpacing);

/// Values of the ten shape functions at a place in a tet, from the cube's lowest corner in edges.
void brFlexShape(int32_t order, brDVec3 place, double out[BR_FRONT_NODES]);

/// Slopes of the ten shape functions, per edge.
void brFlexSlopes(int32_t order, brDVec3 place, brDVec3 out[BR_FRONT_NODES]);

/// Point k of six of a tet, from the cube's lowest corner in edges.
static inline brDVec3 brFlexTet_Point(const brFlexTet* tet, int32_t k)
{
	return brDMulAdd(tet->center, (k & 1) != 0 ? -1.0 : 1.0, tet->spread[k >> 1]);
}

/// From a place in a tet's cube to the lattice's axes.
static inline brDVec3 brFlexModel_Place(const brFlexModel* model, const brFlexTet* tet, brDVec3 place)
{
	brDVec3 cube = {tet->cube[0], tet->cube[1], tet->cube[2]};
	return brDMulAdd(model->origin, model->edge, brDAdd(cube, place));
}

/// Tets with any of their six points within reach, and some more, in rising order: written into `model->near`. Returns
/// how many.
int32_t brFlexModel_Near(const brFlexModel* model, brDVec3 at, double reach);

/// Points of the surface where something presses, with their shares; in the lattice's axes.
typedef struct brFlexPatch
{
	brDVec3* points;
	double* shares; // add up to 1
	int32_t count;
} brFlexPatch;

/// A new question: no loads.
void brFlexModel_Begin(const brFlexModel* model);

/// Adds a force, spread over the patch and the material near it, to a lane of the loads.
void brFlexModel_Press(const brFlexModel* model, const brFlexPatch* patch, brDVec3 force, int32_t lane);

/// Displacements of all lanes. A free body accelerates, and its inertia is added to the loads. `outWork` takes loads
/// times displacements, or null.
void brFlexModel_Solve(const brFlexModel* model, double outWork[BR_FRONT_LANES]);

/// Stress in a tet, in the axes of the lattice, as xx yy zz xy xz yz: that of the solid's center and how it changes
/// along each spread.
typedef struct brFlexStress
{
	double center[6];
	double slopes[3][6];
} brFlexStress;

/// Under the displacements of each lane.
void brFlexModel_Stress(const brFlexModel* model, int32_t tet, brFlexStress out[BR_FRONT_LANES]);

/// The stress of the solid's centre alone.
void brFlexModel_CenterStress(const brFlexModel* model, int32_t tet, double out[BR_FRONT_LANES][6]);

/// Greatest principal stress; 0 if it is found to be below `least`.
double brGreatestPullAbove(const double stress[6], double least);
