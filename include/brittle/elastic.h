// SPDX-License-Identifier: MIT
#pragma once

/// @file elastic.h
/// Small elastic deformation of a solid of tetrahedra with cracks in it: displacements, stress, and how hard each crack
/// front is pulled open. Not for large motion, and nothing here grows a crack.
///
/// A crack is a triangle surface through the solid that need not follow the tets: nodes beside it get a second value
/// for the other side, so the solid opens along it without a new mesh. Fronts are the edges of the surface where the
/// crack ends inside the material. The surface's triangles turn counter-clockwise seen from its + side.
///
///     brElasticDef def = brDefaultElasticDef();
///     def.mesh = tets;
///     brElasticBody* body;
///     brCreateElasticBody(NULL, &def, &body, NULL);
///     brElasticBody_SetCracks(body, NULL, &crack, 1, NULL);        // again after each growth
///     brElasticLoad load = brDefaultElasticLoad();
///     load.forceCount = 2, load.forceNodes = nodes, load.forces = forces;
///     brElasticStats stats;
///     brElasticBody_Solve(body, NULL, &load, NULL, &stats, NULL);  // a free body is held by its own inertia
///     brCrackFrontPoint points[64];
///     int32_t count;
///     brElasticBody_ComputeFrontPoints(body, NULL, 0, NULL, 64, points, &count, NULL);
///     printf("%g Pa m^0.5\n", points[0].intensity[0]);
///     brDestroyElasticBody(body);
///
/// Answers have the same bits for any number of workers.

#include "brittle/mesh.h"

/// Opaque; keeps the pointer to the mesh, which must outlive it.
typedef struct brElasticBody brElasticBody;

/// How nodes near a front are chosen. Only for comparison: the second one shortens cracks by almost an element.
typedef enum brEnrichment
{
	br_enrichBehindFront = 0, ///< All nodes beside the crack whose projection lies behind the front.
	br_enrichFullyCut = 1,    ///< Only nodes whose cut elements all lie behind the front.
} brEnrichment;

/// A body. Start from brDefaultElasticDef().
typedef struct brElasticDef
{
	const brTetMesh* mesh;     ///< Positive tets; nodes in no tet are left alone.
	double youngsModulus;      ///< > 0. Glass by default. [Pa]
	double poissonRatio;       ///< -1 < value < 0.5. [1]
	double density;            ///< > 0. [kg/m^3]
	const double* stiffnesses; ///< [tetCount] factor > 0 on Young's modulus, copied; or null: 1 everywhere. [1]
	/// [tetCount] share > 0 of each tet that is solid (brTetDef.embed), copied: stiffness and mass go with it. Null:
	/// all of it. [1]
	const double* fills;
	double sliver;           ///< Parts of a tet below this share of it go to its other parts. 1e-3 by default. [1]
	brEnrichment enrichment; ///< Leave it alone.
	uint32_t stamp;          ///< Written by the default function. Leave it alone.
} brElasticDef;

BR_API brElasticDef brDefaultElasticDef(void);

/// Makes an elastic body of a tet mesh, without cracks and supports. Refuses a mesh without tets and names the first
/// tet that is not positive. `context` and `report` may be null.
BR_API brResult brCreateElasticBody(const brContext* context, const brElasticDef* def, brElasticBody** outBody,
									brReport* report);

/// Frees `body`, which may be null.
BR_API void brDestroyElasticBody(brElasticBody* body);

// Cracks

/// Where a point of a front stands. If two points become one, the lower value counts.
typedef enum brFrontState
{
	br_frontRuns = 0, ///< It ends in the solid and may go on.
	br_frontLeft = 1, ///< It has left the lattice; the solid itself may reach a little farther.
	br_frontMet = 2,  ///< It has run into a crack and ends just beyond it.
} brFrontState;

/// A crack surface; arrays stay the caller's and are copied. It may leave the solid; where it does, its edges do not
/// matter.
typedef struct brCrackSurface
{
	int32_t vertexCount;
	int32_t triangleCount;
	int32_t frontEdgeCount;
	const brDVec3* positions;       ///< [vertexCount] [m]
	const int32_t (*triangles)[3];  ///< [triangleCount] vertices, turning alike. Flat ones are left out.
	const int32_t (*frontEdges)[2]; ///< [frontEdgeCount] vertices of edges of one triangle, or null: all such edges.
	/// [vertexCount] brFrontState, or null: all run. Beyond an edge whose ends have both met a crack the tets up to an
	/// edge length ahead count as cut too: a crack that closed within its last tet would keep the parts together there.
	const uint8_t* frontStates;
} brCrackSurface;

/// Replaces all cracks; what has not changed since the last call is kept. More than BR_MAX_CRACKS_PER_TET through one
/// tet do not all open there. Results of the last solve are carried over to the new values only as a start for the next
/// one. On failure the cracks are as they were. `cracks` may be null if count is 0; `context` and `report` may be null.
BR_API brResult brElasticBody_SetCracks(brElasticBody* body, const brContext* context, const brCrackSurface* cracks,
										int32_t count, brReport* report);

#define BR_MAX_CRACKS_PER_TET 4

/// A part of the body that is still connected: cracks may have cut the body into several.
typedef struct brElasticComponent
{
	int32_t firstTet;  ///< Lowest tet in it.
	int32_t freeModes; ///< Rigid motions that no support prevents: 6 if it is loose, 0 if it is held.
	double volume;     ///< [m^3]
	double mass;       ///< [kg]
	brDVec3 center;    ///< Of mass. [m]
} brElasticComponent;

/// How many components the cracks leave; 1 without cracks.
BR_API int32_t brElasticBody_GetComponentCount(const brElasticBody* body);

/// The components. The body's; valid until cracks or supports are set again.
BR_API const brElasticComponent* brElasticBody_GetComponents(const brElasticBody* body);

// Supports and loads

/// Axes of a node that are held. Combine with |.
#define BR_AXIS_X 1u
#define BR_AXIS_Y 2u
#define BR_AXIS_Z 4u

/// Holds nodes in place, all copied; replaces earlier supports. Count 0 frees the body. `values` are the
/// displacements at which they are held, null means 0 [m]. A node may be named once. If it fails the supports are as
/// they were. `context` and `report` may be null.
BR_API brResult brElasticBody_SetSupports(brElasticBody* body, const brContext* context, const int32_t* nodes,
										  const uint32_t* axes, const brDVec3* values, int32_t count, brReport* report);

/// What pulls at the body. Start from brDefaultElasticLoad(). Arrays stay the caller's and are read during the solve
/// only.
///
/// What no support takes up is balanced by the rigid acceleration it causes, part by part. So an impact is the force of
/// its impulse over its contact time on a few nodes.
typedef struct brElasticLoad
{
	int32_t forceCount;
	const int32_t* forceNodes; ///< [forceCount] Nodes may repeat.
	const brDVec3* forces;     ///< [forceCount] [N]

	int32_t tractionCount;
	const int32_t (*tractionTriangles)[3]; ///< [tractionCount] nodes of boundary faces of the tets, turning either way.
	const brDVec3* tractions;              ///< [tractionCount] force per area on each. [Pa]

	brDVec3 acceleration; ///< Of gravity and the like, on all mass. [m/s^2]

	/// [nodeCount] free strain, the same in all directions: expansion times temperature. Null: none. Stress is what is
	/// left of the strain after it; its gradient within the radius of an intensity is not corrected for. [1]
	const double* swelling;
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brElasticLoad;

BR_API brElasticLoad brDefaultElasticLoad(void);

// Solving

typedef enum brElasticSolver
{
	br_solverIterative = 0, ///< Conjugate gradients with multigrid. Keeps its hierarchy between solves.
	br_solverJacobi = 1,    ///< Conjugate gradients with node blocks only: much slower, sure to converge.
	/// PETSc where it is installed, else br_errorUnavailable: conjugate gradients with its GAMG, or what `options` say.
	/// If the host runs MPI, all ranks must call with the same body and load; each hands over its own rows, all get the
	/// answer.
	br_solverPetsc = 2,
} brElasticSolver;

/// Opaque. A device that does the products and iterations of solves (brCreateGpuElastic).
typedef struct brElasticDevice brElasticDevice;

/// Start from brDefaultElasticSolveDef().
typedef struct brElasticSolveDef
{
	brElasticSolver solver;
	/// Stop when the residual is below this share of the load. 1e-8 by default; crack growth needs 1e-4. Smaller
	/// costs more iterations. [1]
	double tolerance;
	int32_t maxIterations; ///< Give up after so many; the answer is then br_remarkApproximate. 2000 by default.
	bool enableWarmStart;  ///< Begin from the last solution, also after cracks have grown. Saves iterations.
	/// Crack faces push on each other instead of overlapping, without friction. Solves again until those that touch are
	/// known, mostly 2 to 5 times; once if none does. Parts that have come off are not pushed. Off by default.
	bool enableContact;
	const char* options; ///< Of PETSc, as on its command line: "-ksp_monitor". May be null.
	/// Solves br_solverIterative there, with the bits of the CPU. Bodies so small that the CPU is faster stay here; so
	/// does all the rest if the device fails, after a warning in the log. Null: the CPU.
	brElasticDevice* device;
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brElasticSolveDef;

BR_API brElasticSolveDef brDefaultElasticSolveDef(void);

/// What a solve did.
typedef struct brElasticStats
{
	/// Displacement vectors solved for: one for each node, and further ones for nodes beside cracks.
	int32_t valueCount;
	int32_t ghostCount;  ///< Second and further values of nodes beside cracks.
	int32_t cutTetCount; ///< Tets that a crack passes through.
	int32_t componentCount;
	int32_t looseComponents; ///< Components with free rigid motions.
	int32_t iterations;
	int32_t levelCount;     ///< Levels of the multigrid hierarchy.
	bool isHierarchyReused; ///< The hierarchy of the last solve was still good.
	bool isOnDevice;        ///< brElasticSolveDef.device made all iterations.
	double residual;        ///< |f - K u| over |f|, computed anew in double at the end. [1]
	double condition;       ///< Estimated condition number of the preconditioned matrix, 0 for PETSc. [1]
	double energy;          ///< Strain energy. [J]
	double assembleSeconds; ///< Time for the matrix since the cracks were set.
	double setupSeconds;    ///< Time for the hierarchy.
	double solveSeconds;
} brElasticStats;

/// Solves for the displacements under a load. Returns br_remarkApproximate if the tolerance was not met in the
/// iterations allowed. `def`, `outStats`, `context` and `report` may be null.
BR_API brResult brElasticBody_Solve(brElasticBody* body, const brContext* context, const brElasticLoad* load,
									const brElasticSolveDef* def, brElasticStats* outStats, brReport* report);

// Results of the last solve; all are zero before it.

/// Displacement of each node, on its own side of all cracks. `out` has room for nodeCount. [m]
BR_API void brElasticBody_GetDisplacements(const brElasticBody* body, brDVec3* out);

/// Symmetric stress: xx yy zz xy xz yz. [Pa]
typedef struct brStress
{
	double xx, yy, zz, xy, xz, yz;
} brStress;

/// A tet, or the part of a tet between cracks.
typedef struct brElasticElement
{
	int32_t tet;
	int32_t component; ///< The component it belongs to.
	double volume;     ///< [m^3]
	brDVec3 center;    ///< [m]
	brStress stress;   ///< [Pa]
} brElasticElement;

/// Number of elements: one for each tet, and more for tets that cracks cut.
BR_API int32_t brElasticBody_GetElementCount(const brElasticBody* body);

/// The elements with their stress after the last solve: one for each tet in order, then the further ones of cut tets.
/// `out` has room for brElasticBody_GetElementCount. `context` may be null.
BR_API void brElasticBody_GetElements(const brElasticBody* body, const brContext* context, brElasticElement* out);

/// Principal stresses in rising order [Pa] and their unit directions as columns.
BR_API brMat3 brPrincipalStresses(const brStress* stress, double outValues[3]);

/// Jump of the displacement across a crack, + side minus - side, at a point on it; zero where the tet around it is not
/// cut or there is none. [m]
BR_API brDVec3 brElasticBody_GetJump(const brElasticBody* body, int32_t crack, brDVec3 point);

// Crack fronts

typedef enum brIntensityMethod
{
	br_intensityIntegral = 0,    ///< Interaction integral around the front: accurate.
	br_intensityCorrelation = 1, ///< Displacement jump at two distances behind the front: fast.
} brIntensityMethod;

/// Start from brDefaultIntensityDef().
typedef struct brIntensityDef
{
	brIntensityMethod method;
	/// Radius of the integral around the front, in edges of the tets there. 2 by default; smaller is noisier, larger
	/// smears. [1]
	double radius;
	/// Values are averaged along the front this far each way, in edges; 1.5 by default, 0: not at all. [1]
	double window;
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brIntensityDef;

BR_API brIntensityDef brDefaultIntensityDef(void);

/// A vertex on the front of a crack.
typedef struct brCrackFrontPoint
{
	int32_t vertex;       ///< Of the crack surface.
	int32_t chain;        ///< Which line of front edges, from 0.
	bool isInside;        ///< It lies in the solid; else all below but position and frame is 0.
	brDVec3 position;     ///< [m]
	brDVec3 forward;      ///< e1, where the front would go straight on.
	brDVec3 normal;       ///< e2, to the + side.
	brDVec3 tangent;      ///< e3 = e1 x e2, along the front.
	double edge;          ///< Edge of the tets there. [m]
	double intensity[3];  ///< K I, II and III. [Pa m^0.5]
	double energyRelease; ///< G of all three. [J/m^2]
	double kinkAngle;     ///< From e1 towards e2, where the hoop stress is largest. [rad]
} brCrackFrontPoint;

/// Computes the stress intensities along all fronts of a crack, in order along each chain. Writes at most `capacity`
/// points; `outCount` is how many there are. `def`, `context` and `report` may be null; `out` may be null if capacity
/// is 0.
BR_API brResult brElasticBody_ComputeFrontPoints(const brElasticBody* body, const brContext* context, int32_t crack,
												 const brIntensityDef* def, int32_t capacity, brCrackFrontPoint* out,
												 int32_t* outCount, brReport* report);

/// G = (1 - nu^2)/E (KI^2 + KII^2) + (1 + nu)/E KIII^2, K I counted only if positive. [J/m^2]
BR_API double brEnergyReleaseRate(double youngsModulus, double poissonRatio, const double intensity[3]);

/// Angle of the largest hoop stress, K III turned into opening; -70.5 degrees for pure K II > 0. [rad]
BR_API double brKinkAngle(double poissonRatio, const double intensity[3]);

// What it looks like

/// Writes the tets as legacy VTK text: stress tensor and largest principal stress of the largest element of each tet,
/// component, stiffness, and the displacement of the nodes. `context` and `report` may be null.
BR_EXPERIMENTAL BR_API brResult brElasticBody_SaveVtk(const brElasticBody* body, const brContext* context,
													  const char* path, brReport* report);

/// Writes all crack surfaces and their fronts as legacy VTK text, with K I, II, III, G and the way forward at front
/// vertices. `def`, `context` and `report` may be null.
BR_EXPERIMENTAL BR_API brResult brElasticBody_SaveFrontsVtk(const brElasticBody* body, const brContext* context,
															const brIntensityDef* def, const char* path,
															brReport* report);

/// Makes a picture of the stress: the boundary of the tets, moved by `scale` times its displacement and colored by
/// the largest principal stress from 0 to `most` (0: to the largest there is). `outMost` gets that value. `outMost`,
/// `context` and `report` may be null.
BR_EXPERIMENTAL BR_API brResult brElasticBody_MakeStressMesh(const brElasticBody* body, const brContext* context,
															 double scale, double most, brMesh** outMesh,
															 double* outMost, brReport* report);

/// Makes a picture of the cracks: all crack surfaces in one mesh, gray, their fronts colored by G from 0 to the
/// largest. `def`, `context` and `report` may be null.
BR_EXPERIMENTAL BR_API brResult brElasticBody_MakeFrontMesh(const brElasticBody* body, const brContext* context,
															const brIntensityDef* def, brMesh** outMesh,
															brReport* report);
