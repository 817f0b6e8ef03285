// SPDX-License-Identifier: MIT
#pragma once

// What a world keeps about bodies that can break, and the stages of breaking.
//
// Whether a hit breaks a body is decided before the contacts are solved: the closing speed at the points that will
// touch within the step says it, so nothing has moved yet, nothing needs to be taken back, and the pieces are there
// when the step is solved.
//
// A step: hits (break_hits.c) -> jobs with pieces (break_step.c) -> energy out of the motion -> parents replaced
// (break_replace.c).

#include "base/array.h"
#include "brittle/break.h"
#include "brittle/crack.h"
#include "brittle/modal.h"
#include "dynamics/dynamics.h"
#include "fracture/breakup.h"
#include "fracture/impact_guess.h"
#include "fracture/surface_clip.h"

/// Shared by a body and all that comes of it.
typedef struct brBreakSettings
{
	brBreakDef def;    // without the mesh, with maps of its own; `smallest` resolved
	double rootVolume; // of the body that the caller made
	int32_t users;     // 0: the slot is free
	int32_t mapsSaved; // in a snapshot: which of its maps follow, strength 1 and grain 2
} brBreakSettings;

/// Two bodies that hit each other, each with the point of its surface that will, where that is now.
typedef struct brHitSides
{
	int32_t a, b;
	brDVec3 pointA, pointB;
	brDVec3 normal; // unit, from B into A
} brHitSides;

/// What of a brStrike is not in its hit.
typedef struct brRoughBlow
{
	double mass, energy;
	double otherYoung, otherPoisson, otherHardness, otherRadius, otherGive;
} brRoughBlow;

/// The worst hit of a body in this step, or one that waits.
typedef struct brHit
{
	brDVec3 point;      // in the mesh's axes
	brDVec3 inward;     // unit, in the mesh's axes
	brDVec3 normal;     // the same in the world
	brDVec3 otherPoint; // of what hits, in the world, now
	double speed;       // closing when they touch
	double time;        // until they do [s]
	double mass;        // effective
	double stress;
	double energy;       // for cracks
	double parting;      // least part of the blow that pulls the body apart, whatever chips,
	double partingForce; // and its peak
	double force;        // peak
	double ratio;        // of the load to what the body stands: 1 and more breaks it
	double radius;       // of the contact
	double duration;     // of the contact [s]
	double otherRadius;  // of the surface of what hits; 0: flat
	double reach;        // radius of what hits as a whole
	brRoughBlow rough;   // if it is
	int32_t other;       // body slot, or -1
	uint32_t otherGeneration;
	bool isThere;
	bool isWaiting; // from an earlier step: its energy has gone already
	bool isRough;   // it breaks the body, but by how much is asked when it is the body's turn
	bool isOff;     // the point is near the surface; where on it is asked when it is the body's turn
	bool padding[4];
} brHit;

/// Beside the body of the same slot.
typedef struct brBreakBody
{
	brMesh* mesh; // or null
	uint64_t meshHash;
	int32_t settings; // slot, or -1: no such body
	int32_t generation;
	brBodyId parent;
	brMeshMeasure measure;
	double size;        // edge of a cube of its volume
	double strength;    // INFINITY: never breaks
	double dustAge;     // or below 0: it is not dust
	double youth;       // for how long yet it answers for energy that comes from nowhere [s]
	double damage;      // by blows it has stood: breaks at 1
	double blow;        // greatest ratio in this step
	double worst;       // greatest ratio of a blow that came near, or 0
	double lastLoad;    // impulses of its contacts over the last step [N s]
	double restForce;   // greatest load that was judged at rest [N]
	double lastFastest; // speed of the fastest body of the world a step ago [m/s]
	brHit hit;
	brBodyId passer; // what goes through a hole in it as long as it is young, or none
	int32_t cluster; // slot, or -1
	bool isSound;    // the mesh is closed and manifold
	bool padding[3];
} brBreakBody;

/// What can be found out about a mesh before it is hit. It decides nothing: without it, it is made when it is needed.
typedef struct brBreakReady
{
	brHitSurface* surface; // or null
	brClipMesh* known;     // or null
	brImpactModel* model;  // or null; one of the world's
	const brModes* modes;  // or null; some of the world's
	bool isOdd;            // no model can be made of the mesh
} brBreakReady;

/// Fracture modes that equal bodies share.
typedef struct brKnownModes
{
	uint64_t name;
	brModes* modes;
	int32_t users;
} brKnownModes;

struct brCluster;

/// What the contacts of a body gave. Records learn of it at the end of the step: one that fails is repeated with the
/// same loads.
typedef struct brBreakLoad
{
	double impulse;      // of all of them over the last step [N s]
	double judged;       // load at rest that was looked at, or 0 [N]
	uint32_t generation; // of the body
} brBreakLoad;

/// A piece that made no body, where it broke off.
typedef struct brCrumb
{
	brMesh* mesh;
	brTransform pose;
} brCrumb;

typedef struct brBreaking
{
	BR_ARRAY(brBreakSettings) settings;
	BR_ARRAY(brBreakBody) bodies; // by body slot; shorter than the world's list if the last ones cannot break
	BR_ARRAY(brBreakReady) ready; // beside the bodies
	BR_ARRAY(struct brCluster*) clusters;
	BR_ARRAY(brImpactModel*) models; // of whole bodies; equal ones share one
	BR_ARRAY(brKnownModes) modes;    // of bodies that break by them
	BR_ARRAY(struct brBreakJob) jobs;
	BR_ARRAY(struct brBlow) blows;          // scratch: that may break something in this step
	BR_ARRAY(struct brMeetingFace) meeting; // scratch: what they came through
	BR_ARRAY(brStrike) strikes;             // scratch: those of one model
	BR_ARRAY(brBlowNeed) needs;             // scratch: of them
	BR_ARRAY(brImpact) impacts;             // and what they do
	BR_ARRAY(brBreakEvent) events;
	BR_ARRAY(brBodyId) pieces;
	bool keepsCrumbs;            // for who wants all of a body, as data sets do; no part of a world's state
	BR_ARRAY(brCrumb) crumbs;    // of all steps
	BR_ARRAY(brBodyId) young;    // scratch: pieces of the last breaks
	BR_ARRAY(brBreakLoad) loads; // by body slot, within a step
	double loadTime;             // length of the step [s]
	double loadFastest;          // speed of the fastest body as it begins [m/s]
	BR_ARRAY(double) stops;      // scratch, by body: when something that holds stops it; INFINITY: nothing
	BR_ARRAY(uint8_t) marks;     // scratch, by body: of what pairs are looked for
	brBreakBudget budget;
	brBreakStats stats;
	double dustKinetic;              // energy of dust that was born and gone at once, of all breaks [J]
	double spent;                    // of the budget in seconds, in this step
	int32_t rounds;                  // of this step that have ended
	bool isUnfinished;               // the last step failed for want of memory: the next one repeats it
	double energyLeft;               // that the world may have after a step with young pieces; INFINITY without any
	struct brElasticDevice* elastic; // solves for bodies that crack; null: the CPU. No part of a world's state
	const brCellDevice* cells;       // makes cells of bodies that break by sites; the same
} brBreaking;

/// A point of a contact that will touch within the step, seen from one of the two: where on the surfaces of both, how
/// fast, and when.
typedef struct brBlowTouch
{
	brHitSides sides;
	brDVec3 inward; // the normal in the world, as it will be against A when they touch and A has turned
	double speed;
	double mass; // effective, as they touch; 0: as they lie
	double time; // until then
} brBlowTouch;

#define BR_CONTACT_POINTS (BR_PAIR_MANIFOLDS * BR_MANIFOLD_POINTS) // of one contact
#define BR_TOUCH_POINTS 33                                         // of one pair that is followed within a step

/// A point of a contact as both bodies have it, A of the contact first.
brHitSides brBreaking_Sides(const brDynamics* dynamics, const brContact* contact, int32_t manifold, int32_t point);

/// Touches of a pair up to the time `until`, as it moves by then (break_slaps.c): those of its first touch, or all that
/// follow it, dated `first`. Each gives two entries, one for each body. Returns the number of entries.
int32_t brBreaking_FindSlaps(brWorld* world, const brContact* contact, bool isFirst, double first, double until,
							 brBlowTouch out[2 * BR_TOUCH_POINTS]);

/// Whether one of the two lands on a plane and turns so far until then that it may come down on another place than the
/// contact says.
bool brBreaking_TurnsOntoPlane(const brWorld* world, const brContact* contact, double until);

/// A touch that one of the two may not stand.
typedef struct brBlow
{
	brBlowTouch touch;
	brStrike strike;
	brImpact impact;
	brImpactModel* model; // that says what it does; null: it is known
	bool isRough;         // what is known is that it breaks the body
	bool isOff;           // its point is near the surface, and not put onto it yet
} brBlow;

/// Faces of two bodies that meet.
typedef struct brMeetingFace
{
	int32_t a, b, pair;
	double time;
	int32_t firstBlow, blowCount;
	bool isBroken; // what waits to be broken holds nothing
} brMeetingFace;

/// What a piece needs to become a body, found before any of them does.
typedef struct brBornPiece
{
	brShape* shape; // null: what came of the cut is no body, or it has it
	brMeshMeasure measure;
	uint64_t meshHash;
	brResult result; // of making the shape
	bool isHeld;     // by what held the parent
	bool isDust;     // too small or too flat for a body, or crushed by a bullet
} brBornPiece;

/// How a static body that breaks is held.
typedef struct brHold
{
	bool isStatic; // false: nothing holds it
	bool isPlate;  // held along its rim
	brDVec3 normal;
	double thickness;
} brHold;

/// One body that breaks in this step.
typedef struct brBreakJob
{
	int32_t body;
	int32_t result; // of the cut
	brHit hit;
	brBreakupDef fragments; // without a mesh: it has been cut already
	brBreakupPlan plan;
	brShatter* shatter;
	brBornPiece* born; // [shatter->pieceCount]
	brHold hold;
	const brImpactModel* model; // that says the stress of the blow for a cascade, or null
	const brModes* modes;       // that say where it parts, or null
	brStressSample* samples;    // [sampleCount] of a cascade, or null
	int32_t sampleCount;
	int32_t shards;         // pieces of sites below this are small, the others what is left around
	double energy;          // taken
	double lost;            // energy that the striker loses by taking dust and plug along [J]
	brDVec3 driving;        // momentum that the plug gets from the striker
	bool isThrough;         // the striker goes on through the hole that it made
	brDVec3 velocity, spin; // of the body before the blow
	double dust;            // mass that a bullet crushed
	double crumbs;          // mass too small for bodies
	int32_t* groups;        // [groupCount] of a cluster: the set of each node; else null
	int32_t groupCount;
	int32_t cellCount;
	int32_t* cellPieces; // [cellCount] of a cluster: the piece of each cell
} brBreakJob;

/// Whether the numbers of a def are in range; its mesh is the caller's affair.
brResult brCheckBreakDef(const brBreakDef* def, brReport* report);

void brBreaking_Init(brBreaking* breaking);
void brBreaking_Free(brBreaking* breaking, const brAllocator* allocator);

/// The record of a slot, or null.
static inline brBreakBody* brBreaking_Body(const brBreaking* breaking, int32_t slot)
{
	bool isThere = slot < breaking->bodies.count && breaking->bodies.data[slot].settings >= 0;
	return isThere ? &breaking->bodies.data[slot] : NULL;
}

/// A body goes: so does its record.
void brBreaking_Forget(brWorld* world, int32_t slot);

/// Before a step: events of the last one go.
void brBreaking_Begin(brWorld* world);

/// Between contacts and solver. `outChanged`: bodies have come and gone.
brResult brBreaking_Run(brWorld* world, double dt, bool* outChanged, brReport* report);

/// After a step: energy that came from nowhere goes, dust grows old.
void brBreaking_End(brWorld* world, double dt);

/// Marks the worst hit of every body that will not stand it, and what of the blows that were listed before is not
/// stood. False without memory.
bool brBreaking_FindHits(brWorld* world, double dt);

/// The same for loads that rest on bodies; those that come through others are listed as blows. Before
/// brBreaking_FindHits. False without memory.
bool brBreaking_FindLoads(brWorld* world, double dt);

/// Of the first blows, which loads are, those that are not stood.
void brBreaking_JudgeLoads(brWorld* world, int32_t count);

/// At the end of a step that has not failed: the loads it found are those of the step before.
void brBreaking_KeepLoads(brWorld* world);

/// Makes the hit of a body that of a blow which is only known to break it.
void brBreaking_KeepRough(brHit* hit, const brStrike* strike);

/// Asks what the hit of a body does that is only known to break it, and those of a few behind it with it; it may turn
/// out to be stood. False without memory.
bool brBreaking_Settle(brWorld* world, int32_t body);

/// Where and which way the first body is hit, on its surface, in the axes of its mesh. Rounded so that blows at one
/// place share an answer, which is the same however the body came there. What closed forms judge need not know where on
/// the surface, which is not made before such a body breaks. False without memory.
bool brBreaking_Place(brWorld* world, brDVec3 inward, brBlow* blow);

/// Puts the hit of a body onto its surface. False without memory.
bool brBreaking_PutOn(brWorld* world, int32_t body);

/// Shapes and measures of the pieces of all jobs, on all workers. Jobs that find no memory have none.
void brBreaking_Prepare(brWorld* world);

/// Tells the dynamics which pairs go through each other's holes. False without memory.
bool brBreaking_TellPassers(brWorld* world);

/// The middle one of the striker's three half extents: a hole of this radius lets it through. 0: the striker is gone or
/// does not move.
double brBreaking_Through(const brWorld* world, const brHit* hit);

/// How the body of a job is held, and whether that holds a piece.
brHold brBreaking_Hold(const brWorld* world, int32_t body);
bool brBreaking_IsPieceHeld(const brWorld* world, const brBreakJob* job, const brPiece* piece);

/// Whether the striker would go through a piece, in the axes of the parent, if it went on.
bool brBreaking_IsInWay(const brHit* hit, const brMesh* mesh);

/// The body of a job goes, its pieces come. False if there was no memory; then nothing has changed.
bool brBreaking_Replace(brWorld* world, brBreakJob* job);

void brBreaking_FreeJob(brWorld* world, brBreakJob* job);

/// How well a shape must follow its mesh.
typedef enum brBreakFit
{
	br_fitWhole, // nothing has broken yet: a hull only where the mesh is one
	br_fitRest,  // what a break left around it: a hull that it fills by four fifths
	br_fitShard, // a hull that it fills by two fifths
} brBreakFit;

/// What a mesh collides as. `mass` is the mesh's at any density, `area` that of its faces.
brResult brMakeBreakShape(const brContext* context, const brMesh* mesh, const brMassProperties* mass, double area,
						  brBreakFit fit, brShape** outShape, brReport* report);

/// Adds a record for a body that exists; the mesh is taken over. False without memory.
bool brBreaking_Add(brWorld* world, int32_t slot, const brBreakBody* record);

/// What is known of a body beforehand; null without memory.
brBreakReady* brBreaking_Ready(brWorld* world, int32_t slot);

/// The surface of a body that is hit, made if it is not there; null without memory.
const brHitSurface* brBreaking_Surface(brWorld* world, int32_t slot);

/// How a whole body gives way and breaks; null for pieces, which are judged in closed form. Null too without memory, and
/// `outHasMemory` is cleared.
brImpactModel* brBreaking_Model(brWorld* world, int32_t slot, bool* outHasMemory);

/// The fracture modes of a whole body of that method, else null. Null too without memory, and `outHasMemory` is cleared.
const brModes* brBreaking_Modes(brWorld* world, int32_t slot, bool* outHasMemory);

/// One user less; the last one frees them. `modes` may be null.
void brBreaking_ReleaseModes(brBreaking* breaking, const brModes* modes);

/// Pieces at density 1 by modes: those that carry most under the blow open. One piece: there are no modes.
brResult brMakeModalBreakup(const brContext* context, const brModes* modes, const brBreakupDef* def,
							brShatter** outShatter, brReport* report);

/// All that can be made ahead for a body that can break. False without memory.
bool brBreaking_MakeReady(brWorld* world, int32_t slot);

/// Strength of a specimen of this body's material; INFINITY if it is too small or too often broken to break.
double brBreaking_Strength(const brBreakSettings* settings, const brMesh* mesh, double volume, int32_t generation,
						   uint64_t seed);

/// Copies the maps of a def for one that is kept. False without memory; then it has none.
bool brBreakMaps_Keep(const brContext* context, const brBreakDef* def, brBreakDef* own);
void brBreakMaps_Free(brBreakDef* own);

/// Strength at a point of the mesh's axes, over that of the material.
double brBreakMaps_Factor(const brBreakDef* def, brDVec3 point);

/// What the map takes from a body that is stressed alike all over its surface: (mean of factor^-m)^(-1/m), m Weibull's
/// modulus.
double brBreakMaps_Strength(const brBreakDef* def, const brMesh* mesh);

/// Content of a mesh, for the world's hash.
uint64_t brHashMesh(const brMesh* mesh);

/// Everything that decides what happens next, chained.
uint64_t brBreaking_Hash(const brBreaking* breaking, uint64_t hash);

/// The state as bytes; writes them if `out` is not null. Returns how many there are, a multiple of 8.
size_t brBreaking_Save(const brBreaking* breaking, char* out);

/// From such bytes, into a world whose bodies are there already.
brResult brBreaking_Restore(brWorld* world, const char* bytes, size_t byteCount, brReport* report);

/// Speed at which the two close along the normal; negative if they part.
brDVec3 brBreaking_Approach(const brDynamics* dynamics, const brHitSides* sides); // velocity of B against A
double brBreaking_Closing(const brDynamics* dynamics, const brHitSides* sides);

/// 1 / (inverse masses and turning) along the normal; INFINITY if neither can move.
double brBreaking_EffectiveMass(const brDynamics* dynamics, const brHitSides* sides);

/// Equal and opposite impulses along the normal, into A and out of B.
void brBreaking_Push(brDynamics* dynamics, const brHitSides* sides, double impulse);
