// SPDX-License-Identifier: MIT
#pragma once

/// @file break.h
/// Bodies that break where they are hit, and clusters held together by bonds.
///
///     brBreakDef breaking = brDefaultBreakDef();
///     breaking.mesh = vase, breaking.material = *brFindMaterial("porcelain");
///     brBodyDef body = brDefaultBodyDef();
///     body.pose.p.z = 1.0;
///     brWorld_CreateBreakable(world, &body, &breaking, NULL);
///     while (...)
///     {
///         brWorld_Step(world, 1.0 / 60.0, NULL);
///         int32_t count, pieceCount;
///         const brBreakEvent* events = brWorld_GetBreakEvents(world, &count);
///         const brBodyId* pieces = brWorld_GetBreakPieces(world, &pieceCount);
///         for (int32_t i = 0; i < count; ++i)
///             for (int32_t k = 0; k < events[i].pieceCount; ++k)
///                 draw(brWorld_GetMesh(world, pieces[events[i].firstPiece + k]));
///     }
///
/// A body breaks in the step in which it is hit. Its pieces replace it before contacts are solved; together they have
/// its mass, momentum and spin, and its id is stale after that step. The energy of the new surface is taken from the
/// motion of the two bodies that hit. Pieces of a static body stay static along the rim of a pane and where they touch
/// other static bodies; the others become dynamic. Pieces keep the axes of the parent's mesh, so a piece's mesh under
/// brWorld_GetPose lies where it was in the parent.

#include "brittle/material.h"
#include "brittle/scalar_map.h"
#include "brittle/shatter.h"
#include "brittle/world.h"

/// How a body becomes pieces.
typedef enum brBreakMethod
{
	br_breakNone = 0,    ///< Never breaks, but has a mesh and a material.
	br_breakShatter = 1, ///< Pieces by a pattern or by the energy of the blow, at 0.1 to 1.5 ms each.
	/// Cracks by fracture mechanics (crack.h): fewer, truer pieces, at a hundred milliseconds a break.
	br_breakCrack = 2,
	/// By fracture modes (modal.h), found once when the body is made, or by the first of several equal ones: seconds
	/// then, some milliseconds a break. Pieces that break again do so as br_breakShatter.
	br_breakModal = 3,
} brBreakMethod;

/// How a body breaks. Start from brDefaultBreakDef().
typedef struct brBreakDef
{
	brBreakMethod method; ///< Shatter by default.
	/// A closed mesh in the axes of the body's pose; the world copies it. Null only with br_breakNone and a shape.
	const brMesh* mesh;
	/// Glass by default. Its density, friction and restitution replace those of the brBodyDef.
	brMaterial material;
	/// br_sitesImpact by default: cracks from the hit as far as its energy lasts (cascade.h); br_sitesRadial is the
	/// same. The other patterns make Voronoi cells; br_sitesDensity is refused.
	brSitePattern pattern;
	int32_t pieces; ///< Most pieces of one break, 2 to 10000; fewer if the energy does not suffice. 300 by default.
	/// Pieces are not made smaller than this, and a piece below twice this does not break. It is the edge of a cube of
	/// the same volume. Small values make many bodies. 0: 1/25 of the body. [m]
	double smallest;
	/// How often in a row pieces may break again: 1 means only this body. Each generation multiplies the number of
	/// bodies. 2 by default.
	int32_t generations;
	/// Factor on the tensile strength of the material, > 0. Below 1 the body breaks more easily. [1]
	double strength;
	/// Share of the hit's energy above the threshold that makes cracks, 0 to 1. 0.02 by default. [1]
	double efficiency;
	/// Blows that the body survives weaken it: each adds ratio^fatigueExponent to its damage, and at 1 it breaks
	/// (Miner's rule). Off by default.
	bool fatigue;
	/// Chooses the strength of this body within the material's scatter, and the pattern. Equal seeds give equal
	/// breaks.
	uint64_t seed;
	/// Where the material is weak, in the axes of the mesh. The map's values 0 to 1 become factors from `weakest` to 1
	/// on strength and toughness. Cracks start and run where it is low, and the body as a whole is as strong as a
	/// specimen with such flaws all over its surface (Weibull). Null: equally strong everywhere. The world copies it.
	const brScalarMap* strengthMap;
	double weakest; ///< > 0. 0.2 by default. [1]
	/// Roughness of crack faces, for br_breakCrack: as in brCrackDef. The world copies the map. [m]
	double grain, grainSize;
	const brScalarMap* grainMap;
	brSurfaceMaterial interior; ///< How faces look that a break made.
	uint32_t stamp;             ///< Written by the default function. Leave it alone.
} brBreakDef;

BR_API brBreakDef brDefaultBreakDef(void);

/// Adds a body with the mesh and material of `breaking`. The density, friction and restitution of `body` are not
/// read; without a shape one is made from the mesh. Returns a null id if a def is refused or memory ran out; the
/// report says why. `report` may be null.
BR_API brBodyId brWorld_CreateBreakable(brWorld* world, const brBodyDef* body, const brBreakDef* breaking,
										brReport* report);

/// Breaks a body in the next step as if it were hit at `point` in the world [m] along `direction`. `energy` is what
/// the cracks may cost [J]: more makes more and smaller pieces. It is not taken from any motion. False if the body
/// cannot break.
BR_API bool brWorld_BreakBody(brWorld* world, brBodyId id, brDVec3 point, brDVec3 direction, double energy);

/// A body that broke in the last step.
typedef struct brBreakEvent
{
	brBodyId parent;    ///< The body that broke. Its id is stale now.
	brBodyId other;     ///< What it hit, or a null id; stale if that broke too.
	brDVec3 point;      ///< Where it was hit. [m]
	brDVec3 normal;     ///< Unit vector into the body that broke.
	double speed;       ///< Closing speed at that point. [m/s]
	double impulse;     ///< Impulse that would have stopped the closing: effective mass times speed. [N s]
	double ratio;       ///< Load of the blow over the load that just breaks the body, 1 or more. See impact.h. [1]
	double force;       ///< Peak force of the contact. [N]
	double duration;    ///< Time of the contact: with force and energy, what a sound needs. [s]
	double stress;      ///< Tension far from the contact; below `strength` if the body broke at the contact. [Pa]
	double strength;    ///< Tension at which this body breaks. [Pa]
	double energy;      ///< Energy taken from the motion for the new surface. [J]
	double area;        ///< Area of the cracks. [m^2]
	double mass;        ///< Mass of the body that broke. [kg]
	double dust;        ///< Part of that mass that made no body: crushed by a bullet, or crumbs. [kg]
	int32_t firstPiece; ///< Its pieces are [firstPiece, firstPiece + pieceCount) of brWorld_GetBreakPieces.
	int32_t pieceCount;
	bool isCapped; ///< The energy was good for more pieces than brBreakDef.pieces or the budget allowed.
} brBreakEvent;

/// Breaks of the last step in the order in which they happened. The world's; valid until the next step.
BR_API const brBreakEvent* brWorld_GetBreakEvents(const brWorld* world, int32_t* outCount);

/// Ids of the pieces made in the last step, event after event. One that broke again in the same step is stale and the
/// parent of a later event. The world's; valid until the next step.
BR_API const brBodyId* brWorld_GetBreakPieces(const brWorld* world, int32_t* outCount);

// Queries. Null or zero for bodies that were made without a brBreakDef, and for stale ids.

/// The mesh of a body in the axes of brWorld_GetPose. The world's; valid until the body is destroyed or breaks.
BR_API const brMesh* brWorld_GetMesh(const brWorld* world, brBodyId id);

/// The material of a body. The world's; valid until the body is destroyed or breaks.
BR_API const brMaterial* brWorld_GetMaterial(const brWorld* world, brBodyId id);

/// The body of the step before that a piece came from, as a stale id; null for bodies that the caller made.
BR_API brBodyId brWorld_GetParent(const brWorld* world, brBodyId id);

/// 0 for bodies made by the caller, 1 for their pieces, and so on.
BR_API int32_t brWorld_GetGeneration(const brWorld* world, brBodyId id);

/// Tension at which this body breaks; INFINITY if it never does. [Pa]
BR_API double brWorld_GetStrength(const brWorld* world, brBodyId id);

/// How near the hardest blow so far came to breaking the body: 0.5 is half the load. 0 if none came near. To ask about
/// a blow that has not happened, see impact.h. [1]
BR_API double brWorld_GetUtilization(const brWorld* world, brBodyId id);

/// Damage by blows that the body survived, 0 to 1; 0 unless brBreakDef.fatigue is set. [1]
BR_API double brWorld_GetDamage(const brWorld* world, brBodyId id);

/// Limits on breaking, so that a step stays short. A break over a limit waits for a later step, then gets fewer
/// pieces, then is given up. Start from brDefaultBreakBudget().
typedef struct brBreakBudget
{
	int32_t piecesPerStep; ///< Pieces made in one step. 0: no limit.
	int32_t bodies;        ///< Nothing breaks while the world has this many bodies. 0: no limit.
	/// Time for breaking in one step, estimated from counts and not by the clock, so results stay repeatable. 0: no
	/// limit. [s]
	double secondsPerStep;
	/// Pieces smaller than this are dust and are removed after dustTime; edge of a cube. Mass is lost with them
	/// (brBreakStats.dustMass). 0: no dust. [m]
	double dustSize;
	double dustTime; ///< How long dust stays. [s]
	uint32_t stamp;  ///< Written by the default function. Leave it alone.
} brBreakBudget;

/// 500 pieces and 0.02 s in a step, any number of bodies, no dust.
BR_API brBreakBudget brDefaultBreakBudget(void);

/// New limits from the next step on. `report` may be null.
BR_API brResult brWorld_SetBreakBudget(brWorld* world, const brBreakBudget* budget, brReport* report);

/// What breaking has done.
typedef struct brBreakStats
{
	int32_t breaks;  ///< Bodies that broke in the last step.
	int32_t pieces;  ///< Pieces made in the last step.
	int32_t waiting; ///< Bodies that will break when the budget allows.
	int32_t failed;  ///< Breaks given up in all steps, because memory ran out or a mesh could not be cut.
	double seconds;  ///< Time for breaking in the last step, by the clock.
	double energy;   ///< Energy spent on new surface in all steps. [J]
	/// Largest share of a parent's mass that its pieces lacked before they were scaled to match. [1]
	double massError;
	int32_t dustGone; ///< Pieces removed as dust in all steps.
	double dustMass;  ///< Their mass, what bullets crushed, and crumbs too small for bodies. [kg]
} brBreakStats;

/// Counts of the last step and sums over all steps.
BR_API brBreakStats brWorld_GetBreakStats(const brWorld* world);

/// An object that is cut into pieces beforehand and moves as one body as long as the bonds between its pieces hold.
/// Weight, hits and anchors load the bonds; a bond fails when its stress is too high. What no longer hangs on an
/// anchor falls. Start from brDefaultClusterDef().
typedef struct brClusterDef
{
	/// Mesh, material, pattern, number of pieces and seed. Pieces of a cluster do not break any further.
	brBreakDef breaking;
	/// Pieces that are cut already, copied: by brCreateShatter, brCreateCascade, or brCreateShatterOfGroups for those
	/// of a file. `breaking.mesh` may then be null: it is what the pieces make together. Null: cut by the sites.
	const brShatter* pieces;
	/// [siteCount] points in the mesh's axes, one for each piece; or null: chosen by breaking.pattern and
	/// breaking.pieces.
	const brDVec3* sites;
	int32_t siteCount;   ///< Number of sites; not read if `sites` is null.
	double bondStrength; ///< Factor on the material's tensile strength for bonds; below 1 for mortar. [1]
	/// Pieces in a cluster, and clusters in one of the next level, as in brShatterDef; 2 or more. A hit separates
	/// clusters first; a harder or second one breaks them up. 0, the default: no levels. Not read if `pieces` has
	/// levels.
	int32_t clusterSize;
	int32_t levelCount; ///< Most levels, 1 to BR_SHATTER_MAX_LEVELS.
	/// Bonds inside a cluster are this many times as strong as those between clusters, once for each level; 1 or more.
	/// 2 by default.
	double levelStrength;
	/// [anchorCount] boxes in the mesh's axes. A piece whose center is in one does not move. May be null.
	const brDBox3* anchors;
	int32_t anchorCount; ///< If there are any, the body's kind must be dynamic.
	uint32_t stamp;      ///< Written by the default function. Leave it alone.
} brClusterDef;

BR_API brClusterDef brDefaultClusterDef(void);

/// Adds a cluster. Returns a null id if a def is refused or memory ran out; the report says why. `report` may be
/// null.
BR_API brBodyId brWorld_CreateCluster(brWorld* world, const brBodyDef* body, const brClusterDef* cluster,
									  brReport* report);

/// Pieces of a body's cluster that still hold together; 0 for other bodies.
BR_API int32_t brWorld_GetClusterPieceCount(const brWorld* world, brBodyId id);

/// Bonds of a body's cluster that still hold; 0 for other bodies.
BR_API int32_t brWorld_GetClusterBondCount(const brWorld* world, brBodyId id);
