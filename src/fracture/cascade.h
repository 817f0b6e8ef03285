// SPDX-License-Identifier: MIT
#pragma once

// What the steps of a cascade share. cascade_field.c makes samples of the stress, cascade_size.c says how small pieces
// get, cascade_plan.c where a piece is split, cascade.c goes from piece to piece.

#include "base/random.h"
#include "brittle/cascade.h"
#include "fracture/breakup.h"
#include "fracture/split.h"
#include "fracture/stress_sample.h"

/// What else is known; all of it may be nothing.
typedef struct brCascadeSource
{
	bool isPlaced;                 // the hit is on the surface
	bool isSound;                  // the mesh is closed and manifold
	bool isAside;                  // a piece beside the hit: nothing runs in from there, its own stress splits it
	bool isFull;                   // where there is energy for smaller ones, all pieces are of the smallest size
	brMeshMeasure measure;         // of such a mesh; volume 0: not known
	const brHitSurface* surface;   // of the mesh, or null
	const brStressSample* samples; // of the load, or null: closed forms
	int32_t sampleCount;
	bool isPiece; // of what broke: without samples fewer places than those of a whole body tell where its energy is
	double chip, parting, partingChip, excess; // as in brBreakupDef
	double pressed;                            // radius over which the blow presses; 0: not known
	double mass;                               // of what hits [kg]
	double through;                            // as in brBreakupDef
	brDVec3 way;                               // unit, of what hits, against the body; 0: along the direction
} brCascadeSource;

/// brCreateCascade with more known.
brResult brCreateCascadeFrom(const brContext* context, const brMesh* mesh, const brCascadeSource* source,
							 const brCascadeDef* def, brShatter** outShatter, brReport* report);

/// Whether what hits a wall cuts out a hole of this radius before it and goes on: it has pushed far before waves take
/// its momentum, or drives what is in its way along.
bool brCascadeMakesRoom(const brMaterial* material, double wall, double radius, double mass, double speed,
						double duration);

#define BR_CASCADE_RAYS 64
#define BR_CASCADE_WALLS 4 // of a hollow body that a bullet goes through

typedef enum brCascadeForm
{
	br_formBulk,  // a lump
	br_formPlate, // a flat wall
	br_formShell, // a bent one
} brCascadeForm;

// A chip through a wall that comes before all other cracks.
typedef enum brCascadeHole
{
	br_holeNone,
	br_holeRoom,   // what something heavy drives out before it
	br_holeBullet, // nothing else breaks
	br_holeCore,   // what is in the way of the bullet, out of the middle of its hole
} brCascadeHole;

// A point of the field. Stress is relieved as cracks come near.
typedef struct brCascadeSample
{
	brDVec3 position;
	double volume;
	double energy; // per volume, up to one factor for all
	double stress[3];
	brDVec3 axis[3];
} brCascadeSample;

// Numbers of a cascade that do not change.
typedef struct brCascadeRule
{
	brCascadeForm form;
	brMaterial material;
	double surface;                   // energy of crack per area [J/m^2]
	double wall;                      // thickness; 0 in bulk
	double exponent;                  // of masses: p(m) ~ m^-t
	double span;                      // of sizes at one place, largest over smallest
	double aspect;                    // how strongly the pull decides over the shape
	double jitter;                    // of normals
	double smallest;                  // volume
	bool isFull;                      // as in brCascadeSource
	brDVec3 places[BR_CASCADE_WALLS]; // where a bullet meets walls, first the hit
	brDVec3 way;                      // from one to the next
	int32_t placeCount;
	double globalLeast; // plates: sizes go down to this everywhere; 0: not so
	double volume;      // of the body
	double energy;
	double contact; // radius within which the field is even,
	double pressed; // and that within which samples of the caller are: as wide as the blow presses, if that is more
	brDVec3 hit, direction, center;
	uint64_t seed;
	double roughness, gain; // of cut faces
	double spacingLeast;    // of their points
	double lumpFactor;      // of the smallest size: v0 = (lumpFactor / energy per volume)^3
	double wallFactor;      // and in walls v0 = (wallFactor / energy per volume)^2 wall
	int32_t rayCount;
	double rays[BR_CASCADE_RAYS]; // angles round the blow; the first goes both ways
} brCascadeRule;

typedef struct brCascadeField
{
	brCascadeSample* samples;
	int32_t count, capacity;
	double total; // of energy
} brCascadeField;

/// Samples of the body under the blow. False without memory.
bool brCascadeField_Make(const brAllocator* allocator, const brCascadeSource* source, const brCascadeRule* rule,
						 brCascadeField* out);

/// How far bending waves in a wall, or waves in a lump, get in this time.
double brCascadeRule_WaveReach(const brCascadeRule* rule, double duration);

/// Leaves the field only where a wave gets within `duration`.
void brCascadeField_Limit(brCascadeField* field, const brCascadeRule* rule, double duration);

/// Whether a blow on a plate is on its face and not near its outline: samples lie all round it.
bool brCascadeField_IsOnFace(const brCascadeField* field, const brCascadeRule* rule);

/// What follows from the exponent and the span. Call it when these are set.
void brCascadeRule_SetFactors(brCascadeRule* rule);

/// Smallest and largest volume of pieces where the energy per volume is this.
double brCascadeWindow(const brCascadeRule* rule, double density, double* outLargest);

/// How many pieces the whole field is good for, about.
double brCascadeExpected(const brCascadeRule* rule, const brCascadeField* field);

/// The energy that about so many pieces take.
void brCascadeRule_FindEnergy(brCascadeRule* rule, const brCascadeField* field, int32_t pieces);

/// Raises rule->smallest until no more than `most` pieces are to be expected. True if it had to.
bool brCascadeRule_Cap(brCascadeRule* rule, const brCascadeField* field, int32_t most);

/// The chance that a piece of this volume, from one of that, is split.
double brCascadeChance(const brCascadeRule* rule, double density, double volume, double parentVolume);

/// A piece that may be split.
typedef struct brCascadeNode
{
	int32_t part;
	int32_t first, count; // samples
	double volume, parentVolume;
	double energy;
	uint64_t path;
	uint64_t rays; // main cracks still to be made in it, bits
	int32_t depth;
	int32_t misses; // cracks that did not go through
	bool hasHit;
	bool hasBack; // the back is still to be split off
	bool isPlug;  // it is driven out of a hole
	brCascadeHole hole;
	int32_t place; // of the hole, in the rule
	double crater; // radius; 0: none
	brSplitShape shape;
	double spacing;
} brCascadeNode;

/// A crack takes the pull across it out of what lies nearer than its own size. Returns the share of the energy that is
/// left.
double brCascadeField_Relieve(brCascadeField* field, const brCascadeRule* rule, const brCascadeNode* node, double area,
							  double length);

/// Where a piece is split by what pulls it.
void brCascadePlan_Split(const brCascadeRule* rule, const brCascadeField* field, const brSplit* split,
						 brCascadeNode* node);

/// Main crack `ray` of a star.
void brCascadePlan_Ray(const brCascadeRule* rule, const brSplit* split, int32_t ray, brCascadeNode* node);

/// Across the plane of main crack `ray` at a place of the rule.
brDVec3 brCascadeRay_Normal(const brCascadeRule* rule, int32_t place, int32_t ray);

/// Which way something goes through the wall at a place of the rule.
static inline brDVec3 brCascadeRule_Way(const brCascadeRule* rule, int32_t place)
{
	return place > 0 ? rule->way : rule->direction;
}

/// Finds the walls behind the first one that lie in the way.
void brCascadeRule_FindWalls(brCascadeRule* rule, const brCascadeSource* source);

/// Angles of main cracks: each splits the widest gap, so that a star of fewer is part of one of more.
void brCascadeRule_SpreadRays(brCascadeRule* rule);

/// A plane behind most of the energy. False if that is most of the body.
bool brCascadePlan_Back(const brCascadeRule* rule, const brCascadeField* field, const brSplit* split,
						brCascadeNode* node);

/// A hole of this radius in the wall at the node's place.
void brCascadePlan_Hole(const brCascadeRule* rule, brCascadeHole hole, double radius, brCascadeNode* node);

/// The largest chip round the hit that its energy pays for; 0: none.
double brCascadePlan_CraterRadius(const brCascadeRule* rule, const brCascadeField* field, const brCascadeNode* node);
void brCascadePlan_Crater(const brCascadeRule* rule, double radius, brCascadeNode* node);

/// Roughly normal, within +-3.5.
static inline double brCascadeGauss(brRandom* random)
{
	double sum = brRandom_Unit(random) + brRandom_Unit(random) + brRandom_Unit(random) + brRandom_Unit(random);
	return 1.7320508075688772 * (sum - 2.0);
}
