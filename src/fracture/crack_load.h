// SPDX-License-Identifier: MIT
#pragma once

// What pulls at a cracking body, on the nodes of its lattice.

#include "base/array.h"
#include "brittle/crack.h"
#include "brittle/elastic.h"
#include "brittle/volume.h"

typedef struct brCrackLoad
{
	BR_ARRAY(int32_t) nodes;
	BR_ARRAY(brDVec3) forces;
	BR_ARRAY(int32_t) fixedNodes;
	BR_ARRAY(uint32_t) fixedAxes;
	BR_ARRAY(brDVec3) fixedValues; // where they are held. [m]
	brDVec3 acceleration;
	double* swelling;   // [nodeCount] or null
	uint8_t* isSurface; // [nodeCount] on the boundary of the tets
	double* sizes;      // [nodeCount] of the forces there, before SetBlow. [N]
	int32_t nodeCount;
	double force;       // largest of one impact or force. [N]
	double allForces;   // sum of their sizes, without the impact. [N]
	double unbalanced;  // force and moment over half the size that neither supports nor rollers take. [N]
	double shift;       // longest way that a support moves. [m]
	double spot;        // radius of the surface that takes it. [m]
	double contactTime; // [s]
	double energy;      // of the impact, INFINITY without one. [J]
	double speed;       // of the impact. [m/s]
} brCrackLoad;

/// Spreads the impact by Hertz's contact time and the forces over the surface nodes within 1.5 `length` of their
/// points, or the contact's radius if that is more, and finds the nodes that are held. Refuses a load of nothing.
brResult brCrackLoad_Make(const brAllocator* allocator, const brMesh* mesh, const brTetMesh* tets, double length,
						  const brCrackDef* def, brCrackLoad* outLoad, brReport* report);

/// A body's mass as a blow feels it at the hit, 1 / (1/m + (r x n) . J^-1 (r x n)). [kg]
double brCrackLoad_EffectiveMass(const brMassProperties* body, const brCrackDef* def);

/// The blow of a load that has no other, as it is known from elsewhere: with this force, time and energy.
void brCrackLoad_SetBlow(brCrackLoad* load, double force, double contactTime, double energy);

/// As the elastic body wants it; points into the load.
brElasticLoad brCrackLoad_View(const brCrackLoad* load);
void brCrackLoad_Free(const brAllocator* allocator, brCrackLoad* load);
