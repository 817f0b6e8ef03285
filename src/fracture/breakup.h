// SPDX-License-Identifier: MIT
#pragma once

// From a hit and its energy to pieces: how many, how large, how far from the hit, and then the cut.

#include "brittle/material.h"
#include "brittle/scalar_map.h"
#include "brittle/shatter.h"
#include "fracture/hit_surface.h"
#include "fracture/stress_sample.h"

/// What a body's mesh is like; found once.
typedef struct brMeshMeasure
{
	double volume;    // [m^3]
	double area;      // [m^2]
	double thickness; // mean of walls: 2 V / S, h for a plate and a third for a cube
	double radius;    // half the diagonal of the box
} brMeshMeasure;

/// `volume` is that of brMesh_ComputeMass, which the caller has.
brMeshMeasure brMeasureMesh(const brMesh* mesh, double volume);

typedef struct brBreakupDef
{
	const brMesh* mesh;
	const brHitSurface* surface;    // of the mesh, or null
	const struct brClipMesh* known; // of the mesh, or null
	bool isSound;                   // the mesh is known to be closed and manifold
	brMeshMeasure measure;
	brSitePattern pattern;
	brDVec3 at;       // of the hit, in the mesh's axes
	brDVec3 inward;   // unit, into the body
	double crackArea; // that the energy is good for
	int32_t most;     // pieces
	double smallest;  // edge of a cube
	uint64_t seed;
	const brSurfaceMaterial* interior;
	const brMaterial* material;
	double energy;                 // for cracks
	double speed, reach, duration; // as in brCascadeDef
	double ratio;                  // of the blow, over what breaks the body; 0: not known
	double force, blow;            // at its peak; energy of closing
	const brStressSample* samples; // of the load, or null
	int32_t sampleCount;
	double chip;                    // so deep a crack from the contact gets into a lump; 0: not known [m]
	double pressed;                 // radius over which the blow presses at its peak; 0: not known
	double parting;                 // least part of the blow that pulls the body apart; 0: not known
	double partingChip;             // how deep a crack from the contact gets then
	double excess;                  // part of the blow that is more than breaks anything
	brDVec3 way;                    // unit, of what hits, against the body; 0: not known
	double through;                 // radius of what hits if it may go on through a hole, else 0
	bool isHeld;                    // something keeps it where it is
	bool isForced;                  // it breaks however little energy there is
	bool isPiece;                   // of what broke before: as in brCascadeSource
	const brScalarMap* strengthMap; // as in brBreakDef, these five
	double weakest;
	double grain, grainSize;
	const brScalarMap* grainMap;
	struct brElasticDevice* elastic;  // as brCrackDef.device
	const struct brCellDevice* cells; // or null
} brBreakupDef;

typedef struct brBreakupPlan
{
	int32_t count; // sites that get pieces of their own
	double size;   // of a piece
	double radius; // of the region that breaks; INFINITY: all
	int32_t rests; // large pieces outside of it
} brBreakupPlan;

/// Cracks of total area A among N cells of size l: A = 2.91 N l^2 in a lump (the mean of Poisson-Voronoi cells), 2 h N
/// l in a wall of thickness h. Whole patterns fill the body, so the energy gives N. Clustered ones make as many pieces
/// as they may, so it gives l and with it how far they reach: a hit on something large leaves the far side whole.
brBreakupPlan brPlanBreakup(const brBreakupDef* def);

/// Pieces at density 1. Fails on memory, or if the mesh cannot be cut.
brResult brMakeBreakup(const brContext* context, const brBreakupDef* def, const brBreakupPlan* plan,
					   brShatter** outShatter, brReport* report);

/// Pieces by a cascade of cracks (cascade.h). One piece: it holds.
brResult brMakeCascadeBreakup(const brContext* context, const brBreakupDef* def, brShatter** outShatter,
							  brReport* report);

/// Pieces by fracture mechanics (crack.h), by a cascade where cracks part nothing. One piece: it holds.
brResult brMakeCrackBreakup(const brContext* context, const brBreakupDef* def, brShatter** outShatter,
							brReport* report);
