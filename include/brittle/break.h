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
/// A body breaks in the step in which it is hit: the parent goes, its pieces are there before the contacts are solved,
/// and they have together its mass, momentum and spin. The energy of the new surface comes out of the motion of the two
/// that hit. Pieces of a static body stay where it was held: along the rim of a pane, and where they touch other static
/// bodies; the others are dynamic. The id of the parent is stale after that step. Pieces keep the axes of the parent's mesh, so a piece's
/// mesh under brWorld_GetPose lies where it was in the parent.

#include "brittle/material.h"
#include "brittle/shatter.h"
#include "brittle/world.h"

typedef enum brBreakMethod
{
	br_breakNone = 0,    ///< Never breaks; keeps mesh and material.
	br_breakShatter = 1, ///< Pieces by a pattern, at some tens of microseconds each.
	/// Cracks by fracture mechanics (crack.h): fewer, truer pieces, at a hundred milliseconds a break.
	br_breakCrack = 2,
} brBreakMethod;

/// How a body breaks. Start from brDefaultBreakDef().
typedef struct brBreakDef
{
	brBreakMethod method; ///< Shatter by default.
	const brMesh* mesh;   ///< Closed, in the axes of the body's pose; copied. Null only with br_breakNone and a shape.
	brMaterial material;  ///< Glass by default. Its density, friction and restitution go to the body.
	/// Impact by default: cracks from the hit as far as the energy lasts (cascade.h); radial is the same. The others make
	/// Voronoi cells. No density.
	brSitePattern pattern;
	int32_t pieces; ///< At most so many of one break, 2 to 10000; fewer if the energy does not suffice. 300 by default.
	/// Pieces are not made smaller than this, nor broken below twice it; edge of a cube. 0: 1/25 of the body. [m]
	double smallest;
	int32_t generations; ///< How many times in a row pieces may break: 1 only this body. 2 by default.
	double strength;     ///< Factor on the material's tensile strength, > 0. [1]
	/// Share of the hit's energy above the threshold that makes cracks, 0 to 1. 0.02 by default. [1]
	double efficiency;
	uint64_t seed;              ///< For strength and pattern.
	brSurfaceMaterial interior; ///< Of cut faces.
	uint32_t stamp;             ///< Written by the default function. Leave it alone.
} brBreakDef;

BR_API brBreakDef brDefaultBreakDef(void);

/// A body of `breaking`'s mesh and material. Of `body`, density, friction and restitution are not read, and without a
/// shape one is made from the mesh. Null id if a def says no or memory ran out; the report says why and may be null.
BR_API brBodyId brWorld_CreateBreakable(brWorld* world, const brBodyDef* body, const brBreakDef* breaking,
										brReport* report);

/// Breaks a body in the next step as if it were hit there. `point` is in the world [m], `direction` that of the blow,
/// `energy` what is there for cracks and taken from nothing [J]. False if it cannot break.
BR_API bool brWorld_BreakBody(brWorld* world, brBodyId id, brDVec3 point, brDVec3 direction, double energy);

/// One body that broke in the last step.
typedef struct brBreakEvent
{
	brBodyId parent;    ///< Stale now.
	brBodyId other;     ///< What it hit, or none; stale if that broke too.
	brDVec3 point;      ///< Of the hit. [m]
	brDVec3 normal;     ///< Into the parent.
	double speed;       ///< Closing. [m/s]
	double impulse;     ///< That would have stopped the closing: effective mass times speed. [N s]
	double stress;      ///< Reached. [Pa]
	double strength;    ///< Of this body. [Pa]
	double energy;      ///< Taken from the motion for the new surface. [J]
	double area;        ///< Of the cracks. [m^2]
	double mass;        ///< Of the parent. [kg]
	double dust;        ///< Of that, what was crushed in the way of a bullet and made no body. [kg]
	int32_t firstPiece; ///< In brWorld_GetBreakPieces.
	int32_t pieceCount;
	bool isCapped; ///< The energy was good for more pieces than brBreakDef.pieces or the budget allowed.
} brBreakEvent;

/// Of the last step, in the order of parents. Valid until the next step.
BR_API const brBreakEvent* brWorld_GetBreakEvents(const brWorld* world, int32_t* outCount);
BR_API const brBodyId* brWorld_GetBreakPieces(const brWorld* world, int32_t* outCount);

// Queries. Null or zero for bodies that were made without a brBreakDef, and for stale ids.

/// In the axes of brWorld_GetPose; the world's, until the body goes.
BR_API const brMesh* brWorld_GetMesh(const brWorld* world, brBodyId id);
BR_API const brMaterial* brWorld_GetMaterial(const brWorld* world, brBodyId id);

/// The body that a piece came from (a stale id), none for bodies made by the caller.
BR_API brBodyId brWorld_GetParent(const brWorld* world, brBodyId id);

/// 0 for bodies made by the caller, 1 for their pieces, and so on.
BR_API int32_t brWorld_GetGeneration(const brWorld* world, brBodyId id);

/// Tension at which this body breaks; INFINITY if it never does. [Pa]
BR_API double brWorld_GetStrength(const brWorld* world, brBodyId id);

/// Limits on breaking. Breaks over a limit wait for later steps, get fewer pieces, or are given up, in that order.
/// Start from brDefaultBreakBudget().
typedef struct brBreakBudget
{
	int32_t piecesPerStep; ///< 0: no limit.
	int32_t bodies;        ///< No break beyond this number of bodies in the world. 0: no limit.
	/// By estimate from counts, not by the clock, so that results stay the same. 0: no limit. [s]
	double secondsPerStep;
	double dustSize; ///< Pieces smaller than this (edge of a cube) are dust. 0: none is. [m]
	double dustTime; ///< Dust goes after so long. [s]
	uint32_t stamp;  ///< Written by the default function. Leave it alone.
} brBreakBudget;

/// 500 pieces and 0.02 s a step, no limit of bodies, no dust.
BR_API brBreakBudget brDefaultBreakBudget(void);
BR_API brResult brWorld_SetBreakBudget(brWorld* world, const brBreakBudget* budget, brReport* report);

/// What breaking has done.
typedef struct brBreakStats
{
	int32_t breaks;   ///< In the last step.
	int32_t pieces;   ///< Born in the last step.
	int32_t waiting;  ///< Bodies that will break when the budget allows.
	int32_t failed;   ///< Breaks given up in all steps: no memory, or a mesh that could not be cut.
	double seconds;   ///< In the last step.
	double energy;    ///< Taken for surfaces in all steps. [J]
	double massError; ///< Largest share of a parent's mass that its pieces lacked before they were scaled to it. [1]
	int32_t dustGone; ///< In all steps.
	double dustMass;  ///< That, and what bullets crushed. [kg]
} brBreakStats;
BR_API brBreakStats brWorld_GetBreakStats(const brWorld* world);

/// An object cut into pieces beforehand, one body as long as its bonds hold. Bonds fail by stress: weight, hits and
/// anchors are balanced over the graph of bonds. What no longer hangs on an anchor falls. Start from
/// brDefaultClusterDef().
typedef struct brClusterDef
{
	brBreakDef breaking;    ///< Mesh, material, pattern, number of pieces, seed. Pieces do not break any further.
	const brDVec3* sites;   ///< [siteCount] in the mesh's axes, or null: by breaking.pattern and pieces.
	int32_t siteCount;      ///<
	double bondStrength;    ///< Factor on the material's tensile strength, for mortar < 1. [1]
	const brDBox3* anchors; ///< [anchorCount] in the mesh's axes: pieces whose middle is in one are held. May be null.
	int32_t anchorCount;    ///< With any, the body's kind must be dynamic; the part that is held does not move.
	uint32_t stamp;         ///< Written by the default function. Leave it alone.
} brClusterDef;

BR_API brClusterDef brDefaultClusterDef(void);
BR_API brBodyId brWorld_CreateCluster(brWorld* world, const brBodyDef* body, const brClusterDef* cluster,
									  brReport* report);

/// Pieces and bonds of a body's cluster that still hold; 0 for other bodies.
BR_API int32_t brWorld_GetClusterPieceCount(const brWorld* world, brBodyId id);
BR_API int32_t brWorld_GetClusterBondCount(const brWorld* world, brBodyId id);
