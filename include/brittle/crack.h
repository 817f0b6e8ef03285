// SPDX-License-Identifier: MIT
#pragma once

/// @file crack.h
/// Breaks one solid by fracture mechanics: a load makes stress, stress starts cracks, cracks grow while they release
/// more energy than their surface costs, and the surface of the solid is cut exactly along them.
///
///     brCrackDef def = brDefaultCrackDef();
///     def.material = *brFindMaterial("glass");
///     def.hit = brMakeDVec3(0.0, 0.0, 0.1), def.impulse = brMakeDVec3(0.0, 0.0, -0.4);
///     brCracks* cracks;
///     brCreateCracks(NULL, vase, &def, &cracks, NULL);
///     printf("%d cracks, %d pieces\n", cracks->crackCount, cracks->pieceCount);
///     brDestroyCracks(cracks);
///
/// The elastic part is elastic.h on a lattice of tetrahedra that need not follow the details of the mesh; the cut is
/// cut.h on the mesh itself. docs/crack-method.md says how, docs/truth.md how well. The same def and mesh give the same
/// bits for any workers.

#include "brittle/elastic.h"
#include "brittle/material.h"
#include "brittle/scalar_map.h"
#include "brittle/shatter.h"
#include "brittle/volume.h"

/// Most cracks of a body.
#define BR_MAX_CRACKS 64

/// A force at a place of the surface, for loads that are no impact.
typedef struct brCrackForce
{
	brDVec3 point; ///< The nearest part of the surface takes it. [m]
	brDVec3 force; ///< [N]
} brCrackForce;

/// Something that holds the body. Without isRoller: all nodes of the lattice in a box are held along `axes`, so a wide
/// box also keeps the body from turning. With isRoller: a force along one axis, spread along a line and as large as
/// balance demands; the body can turn about the line.
typedef struct brCrackSupport
{
	brDBox3 box;
	uint32_t axes; ///< BR_AXIS_X 1, BR_AXIS_Y 2, BR_AXIS_Z 4, combined with |: a roller has one. 7 holds all.
	brDVec3 shift; ///< Displacement at which the nodes are held; grows with the load. Not read for rollers. [m]
	bool isRoller;
	brDVec3 line[2]; ///< Both ends of a roller. [m]
} brCrackSupport;

/// A load on the part of the surface that lies in a box. A thin box, less than half as thick as it is wide in both
/// other directions (within the bounds of the mesh), is meant to select one face of the body: only surface across its
/// thickness is loaded, not the narrow strips of the side faces that also lie in it.
typedef struct brCrackPressure
{
	brDBox3 box;
	double pressure;  ///< Pushes inward. [Pa]
	brDVec3 traction; ///< Force per area besides. [Pa]
} brCrackPressure;

/// Free strain at a point: expansion times temperature. [1]
typedef double brSwellingFcn(brDVec3 point, void* user);

/// Factor on strength and toughness at a point, > 0. Called from the calling thread.
typedef double brStrengthFcn(brDVec3 point, void* user);

/// Sees the elastic body after each solve: its cracks are those of that step. elastic.h has what can be asked and
/// saved.
typedef void brCrackWatchFcn(const brElasticBody* body, int32_t step, void* user);

/// Strength or stiffness by a map, for brCrackDef.strength and brCrackDef.stiffness with one of these as their user:
/// values from 0 to 1 become factors from `weakest` to `strongest`.
typedef struct brStrengthMap
{
	const brScalarMap* map;
	double weakest;   ///< > 0 [1]
	double strongest; ///< > 0 [1]
} brStrengthMap;

/// The brStrengthFcn that goes with a brStrengthMap.
BR_API double brStrengthFromMap(brDVec3 point, void* strengthMap);

/// Start from brDefaultCrackDef().
typedef struct brCrackDef
{
	brMaterial material; ///< Glass by default.

	// The lattice
	/// About how many tetrahedra the lattice has, 10000 by default. More resolve the stress better and cost time;
	/// where walls are thinner than a cell, the tets are only partly solid.
	int32_t tets;
	double edge; ///< If > 0: edge of the lattice's cells, instead of `tets`. [m]
	/// [refinementCount] or null: balls with finer cells, around a notch or the end of a crack. They need `edge`, for
	/// the rest, and walls that the lattice can show. Fronts inside go on by an edge of the ball in each step.
	const brTetRefinement* refinements;
	int32_t refinementCount;
	/// Turns the lattice about this axis by the vector's length. If the answer changes, that part of it is owed to the
	/// lattice. Without it the lattice follows the body's axes of inertia, so a turned body breaks alike. [rad]
	brDVec3 latticeTurn;

	// The load: an impact, forces, or both
	brDVec3 hit;     ///< Where the impact acts: the nearest part of the surface takes it. [m]
	brDVec3 impulse; ///< Impulse of the impact. Zero: no impact. [N s]
	/// Radius of the striker, a rigid ball. A larger one makes a slightly shorter, larger force. 0.02 by default. [m]
	double strikerRadius;
	/// If > 0: duration of the impact, instead of the one that follows from the bodies. Shorter means a larger force.
	/// [s]
	double contactTime;
	const brCrackForce* forces; ///< [forceCount] constant forces. May be null.
	int32_t forceCount;
	const brCrackSupport* supports; ///< [supportCount] Without any, the body is free. May be null.
	int32_t supportCount;
	const brCrackPressure* pressures; ///< [pressureCount] may be null.
	int32_t pressureCount;
	brDVec3 acceleration;    ///< Gravity and the like, on all mass. [m/s^2]
	brSwellingFcn* swelling; ///< Thermal strain, or null. Called from the calling thread.
	void* swellingUser;
	/// Without an impact: raise the load as far as cracks need, beyond the given one too. brCrackStats.load is the
	/// highest share that was needed; above 1 the body holds under the given load. Off by default: the load stays below
	/// what is given.
	bool isFollowed;

	// Cracks that are there
	const brMesh* const* given; ///< [givenCount] open surfaces, copied. May be null.
	int32_t givenCount;
	bool onlyGiven; ///< No other cracks start.

	// The material's scatter
	uint64_t seed; ///< Chooses the strength of each place within the scatter of the material (Weibull modulus).
	brStrengthFcn* strength; ///< Factor on strength and toughness at a point, or null: 1 everywhere.
	void* strengthUser;
	/// Factor on Young's modulus at a point, > 0, or null: 1 everywhere. Stiff places draw stress, and cracks turn
	/// toward soft ones. Called from the calling thread. [1]
	brStrengthFcn* stiffness;
	void* stiffnessUser;

	// Growth
	int32_t maxCracks; ///< How many there are follows from load and energy; never more than this. 48 by default.
	/// Limit on pieces, kept approximately: growth ends when there are that many, and they are not split into many
	/// more. 0, the default: no limit.
	int32_t maxPieces;
	int32_t maxSteps; ///< Limit on steps of growth; all cracks grow together in each. 100 by default.
	double growth;    ///< How far a front goes in a step, in edges of the lattice. 1 by default. [1]
	double energy;    ///< Energy available for new surface. 0: that of the impact, or no limit without one. [J]
	/// Of the energy of a blow beyond what is needed to break the body, this share splits the pieces further once the
	/// main cracks have run: hard blows make many small pieces. 0: main cracks only. 0.02 by default, as in worlds. [1]
	double efficiency;
	/// A crack front branches where its energy release rate is more than this many times the fracture energy.
	/// Experiments find 9 to 16. 0, the default: never. [1]
	double branching;
	/// How stress intensities along fronts are found. The integral, the default, is right to 1 or 2 %; correlation
	/// reads the opening behind the front, as the thesis does: faster where fronts are long, and off by several
	/// percent.
	brIntensityMethod intensity;
	bool keepIncisions; ///< Keep cracks that end inside as slits, instead of closing them. Off by default.
	/// A piece of the main cracks smaller than this share of the body's volume is joined to the neighbor with which it
	/// shares the largest crack area. 2e-4 by default. 0: all pieces stay. [1]
	double crumb;

	bool keepFronts; ///< Fill brCracks.fronts. Off by default.

	brElasticSolver solver;    ///< What solves for the displacements. Iterative by default.
	const char* solverOptions; ///< As brElasticSolveDef.options. May be null.
	brElasticDevice* device;   ///< Solves there (brCreateGpuElastic), with the bits of the CPU. Null: the CPU.

	brCrackWatchFcn* watch; ///< Called after each solve from the calling thread, or null.
	void* watchUser;

	// Looks
	double grain;     ///< Height of the roughness of crack faces. 0: smooth. [m]
	double grainSize; ///< Wavelength of that roughness. 0: two edges of the lattice. [m]
	/// Null: noise. Else heights: its unit box is laid along each crack, again every grainSize; 0 lowest, 1 highest.
	const brScalarMap* grainMap;
	brSurfaceMaterial interior; ///< How crack faces look.
	uint32_t stamp;             ///< Written by the default function. Leave it alone.
} brCrackDef;

BR_API brCrackDef brDefaultCrackDef(void);

/// Why growth came to its end.
typedef enum brCrackEnd
{
	br_crackEndHolds = 0,  ///< The load starts no crack, or is too small to make one grow.
	br_crackEndParted = 1, ///< A static load has cut the body in two.
	br_crackEndTime = 2,   ///< The blow was over.
	br_crackEndEnergy = 3, ///< The energy of the blow was used up.
	br_crackEndRest = 4,   ///< Cracks hardly grew any more.
	br_crackEndPieces = 5, ///< brCrackDef.maxPieces.
	br_crackEndSteps = 6,  ///< brCrackDef.maxSteps.
	br_crackEndSolver = 7, ///< The equations of the cracked body could not be solved well enough to go on.
} brCrackEnd;

/// One sentence that says why growth ended.
BR_API const char* brCrackEndText(brCrackEnd end);

/// What happened on the way, and how long it took. Times are in seconds by the clock.
typedef struct brCrackStats
{
	int32_t tets, nodes;  ///< Of the lattice.
	bool isEmbedded;      ///< Walls are thinner than the lattice, so tets are only partly solid.
	int32_t steps;        ///< Steps of growth.
	int32_t solves;       ///< Elastic solves.
	int32_t deviceSolves; ///< Those on brCrackDef.device.
	brCrackEnd end;       ///< Why growth ended.
	int32_t latticeParts; ///< Connected parts of the cracked lattice that have more than 1 % of the volume.
	int32_t mainPieces;   ///< Pieces after the main cracks, before they were split further (brCrackDef.efficiency).
	bool isCapped;        ///< The energy would have made more pieces than brCrackDef.maxPieces.
	bool isFinest; ///< Most of the energy found nothing to split: pieces are as small as the lattice lets them be.
	/// A crack that runs in from the contact breaks the body before the stress elsewhere (`peakStress`) does.
	bool isContact;
	int32_t largePieces; ///< Those of more than 1 % of the volume. Equals latticeParts if the cut followed the cracks.
	double onset;        ///< Share of the load at which the first crack starts. [1]
	double load;         ///< Highest share of the load that was needed. [1]
	/// Share of a slow load at which material is crushed somewhere, away from loads and supports (Mohr and Coulomb).
	/// Cracks do not know of it. INFINITY: under none. [1]
	double crushed;
	/// Of a slow load on a body that nothing holds: force, with moments over half its size, that rollers do not take.
	/// Its inertia does. 0 in balance. [N]
	double unbalanced;
	double edge;            ///< Edge of the lattice's cells. [m]
	double crackEdge;       ///< > 0: a given crack is finer than the lattice can show; this edge would do. [m]
	double wallEdge;        ///< > 0: walls are thinner than the lattice can show; this edge would do. [m]
	double gapEdge;         ///< > 0: the same for gaps and notches of the surface. [m]
	double force;           ///< Largest force of the load. [N]
	double contactTime;     ///< Duration of the impact; 0 without one. [s]
	double peakStress;      ///< Tension where the first crack starts, at the peak of the load without cracks. [Pa]
	double strength;        ///< Tension at which a crack starts there; depends on volume, duration and seed. [Pa]
	double area;            ///< Area of all cracks inside the solid. [m^2]
	double energy;          ///< That area times the fracture energy. [J]
	double energyAvailable; ///< Energy that the impact offers; INFINITY without one. [J]
	int32_t joined;         ///< Pieces too small to keep that joined a neighbor.
	double residual;        ///< Largest relative residual of all solves: how far the equations were from being met. [1]
	double volumeIn;        ///< Of the body. [m^3]
	double volumeOut;       ///< Of all pieces. [m^3]
	double tetSeconds, solveSeconds, growSeconds, cutSeconds, seconds;
} brCrackStats;

/// One crack as it grew.
typedef struct brCrack
{
	brMesh* surface;  ///< Open; reaches out of the solid where it got to its surface.
	brDVec3 start;    ///< Where it began. [m]
	brDVec3 normal;   ///< Of its first disk: the direction of the tension.
	int32_t branchOf; ///< The crack that it branched off, or -1.
	bool isParting;   ///< It takes part in cutting something off.
	double largestG;  ///< Largest energy release rate seen along it. [J/m^2]
} brCrack;

/// One step of growth.
typedef struct brCrackStep
{
	double load;  ///< Share of the load that the next growth or start needs. [1]
	double area;  ///< Area of all cracks inside the solid. [m^2]
	double force; ///< Sum of all forces at that load; without forces, the reaction of the supports that move. [N]
	double displacement; ///< Along them: force times displacement is twice the strain energy. [m]
	double energy;       ///< Strain energy at that load. [J]
	int32_t cracks;      ///< Cracks so far.
	int32_t parts;       ///< Connected parts of the cracked lattice.
} brCrackStep;

/// A point of a front, at a step.
typedef struct brCrackFrontRecord
{
	int32_t step;            ///< Which of brCracks.steps.
	int32_t crack;           ///< Which of brCracks.cracks.
	brCrackFrontPoint point; ///< Intensities and G (elastic.h) under the whole load, not the share that was needed.
} brCrackFrontRecord;

/// The result. One piece means that the body holds; the piece is the whole body.
typedef struct brCracks
{
	int32_t pieceCount;
	int32_t crackCount;
	int32_t bondCount;
	brPiece* pieces; ///< [pieceCount] `site` is -1.
	brBond* bonds;   ///< [bondCount] Pieces on both sides of a crack, rising by pieces.
	brCrack* cracks; ///< [crackCount]
	int32_t stepCount;
	int32_t frontCount;
	brCrackStep* steps;         ///< [stepCount]
	brCrackFrontRecord* fronts; ///< [frontCount] if brCrackDef.keepFronts.
	brCrackStats stats;
	brAllocator allocator;
} brCracks;

/// Loads a closed mesh, lets cracks start and grow, and cuts the mesh along them. Takes 0.1 s to some seconds for
/// 10000 tets. `context` and `report` may be null.
BR_API brResult brCreateCracks(const brContext* context, const brMesh* mesh, const brCrackDef* def,
							   brCracks** outCracks, brReport* report);

/// Frees `cracks`, which may be null.
BR_API void brDestroyCracks(brCracks* cracks);
