// SPDX-License-Identifier: MIT
#pragma once

/// @file gpu.h
/// Work on an OpenCL device: pairs, Voronoi pieces, elastic solutions, and parts of a world's steps.
///
///     brGpuDef def = brDefaultGpuDef();
///     brGpu* gpu;
///     if (brOpenGpu(NULL, &def, &gpu, &report) == br_success)
///     {
///         brGpu_CollideMeshes(gpu, NULL, meshes, count, NULL, &collision, &report);
///         brCloseGpu(gpu);
///     }
///
/// The loader of the machine (libOpenCL.so.1) is opened when the first function here is called: a program runs without
/// it, and the answer is then br_errorUnavailable with a sentence that says what is missing. Answers are those of the
/// CPU, pair for pair and bit for bit, since the CPU settles what the device's arithmetic cannot. Two calls differ:
/// depths of tets by br_tetSatMtv, to within 1e-12 of their size, and steps of a brGpuWorld, whose solver is simpler.

#include "brittle/collide.h"
#include "brittle/elastic.h"
#include "brittle/shatter.h"
#include "brittle/track.h"
#include "brittle/world.h"

/// Opaque. An OpenCL device with its command queue. One thread at a time may use it.
typedef struct brGpu brGpu;

typedef enum brGpuKind
{
	br_gpuKindGpu = 0,
	br_gpuKindCpu = 1, ///< A processor through OpenCL, as PoCL offers.
	br_gpuKindOther = 2,
} brGpuKind;

/// What a device is.
typedef struct brGpuInfo
{
	char name[128];
	char vendor[128];
	char driver[128];
	brGpuKind kind;
	int32_t computeUnits;
	uint64_t memoryBytes;      ///< Global memory.
	uint64_t localMemoryBytes; ///< Of one work-group.
	bool hasDouble;
} brGpuInfo;

/// Number of OpenCL devices, or -1 if the machine has no OpenCL loader; the report says what is missing. `report` may
/// be null.
BR_API int32_t brGetGpuCount(brReport* report);

/// Describes the i-th device. False out of range.
BR_API bool brGetGpuInfo(int32_t index, brGpuInfo* outInfo);

/// Start from brDefaultGpuDef().
typedef struct brGpuDef
{
	const char* device; ///< A number as in brGetGpuInfo, or part of a name; null: the first GPU, else the first device.
	const char* cacheFolder; ///< Where compiled kernels are kept from run to run; made if missing. Null: nowhere.
	uint32_t stamp;          ///< Written by the default function. Leave it alone.
} brGpuDef;

BR_API brGpuDef brDefaultGpuDef(void);

/// Opens a device. Kernels are compiled when first used, which takes seconds unless a cache folder is given.
/// `context` and `report` may be null.
BR_API brResult brOpenGpu(const brContext* context, const brGpuDef* def, brGpu** outGpu, brReport* report);

/// Closes the device. Everything made with it must be destroyed before. `gpu` may be null.
BR_API void brCloseGpu(brGpu* gpu);

/// Describes an open device.
BR_API brGpuInfo brGpu_GetInfo(const brGpu* gpu);

/// As brCollideBoxes, by any method. Pairs come sorted.
BR_API brResult brGpu_CollideBoxes(brGpu* gpu, const brContext* context, const brBox3* boxes, int32_t count,
								   const int32_t* groupStarts, int32_t groupCount, const brCollideDef* def,
								   brCollision** outCollision, brReport* report);

/// As brCollideMeshes, by any method. Pairs come sorted.
BR_API brResult brGpu_CollideMeshes(brGpu* gpu, const brContext* context, const brMesh* const* meshes,
									int32_t meshCount, const brCollideDef* def, brCollision** outCollision,
									brReport* report);

/// As brCollideTets, by all tests but br_tetExact; a null `def` means the default with br_pairsKdet.
/// Pairs come sorted. Depths and directions have the bits of the CPU with br_tetGjk; with br_tetSatMtv they are within
/// 1e-12 of the size of the tets.
BR_API brResult brGpu_CollideTets(brGpu* gpu, const brContext* context, const brTetMesh* const* meshes,
								  int32_t meshCount, const brCollideDef* def, brCollision** outCollision,
								  brReport* report);

/// Opaque. As brTracker: overlapping boxes frame after frame, with a front that stays on the device.
typedef struct brGpuTracker brGpuTracker;

/// Makes a tracker that keeps its pair front on the device. It reads method (br_trackAuto, br_trackGroups or
/// br_trackRebuild), enableSelf and enableInter of `def`; null means the default. `gpu` and the allocator of
/// `context` must outlive the tracker. `context` and `report` may be null.
BR_EXPERIMENTAL BR_API brResult brCreateGpuTracker(const brContext* context, brGpu* gpu, const brTrackDef* def,
												   brGpuTracker** outTracker, brReport* report);

/// Frees `tracker`, which may be null.
BR_EXPERIMENTAL BR_API void brDestroyGpuTracker(brGpuTracker* tracker);

/// Finds the pairs of one frame: triangles of meshes, each an object. Meshes with the same triangles as in the last
/// frame go on from it, others start anew. If it fails there are no pairs, and the next frame starts anew too.
BR_EXPERIMENTAL BR_API brResult brGpuTracker_UpdateMeshes(brGpuTracker* tracker, const brContext* context,
														  const brMesh* const* meshes, int32_t meshCount,
														  brReport* report);

/// Overlapping pairs of the last frame, sorted. The tracker's; valid until the next frame. `outCount` may be null.
BR_EXPERIMENTAL BR_API const brPair* brGpuTracker_GetPairs(const brGpuTracker* tracker, int64_t* outCount);

/// What the last frame did.
BR_EXPERIMENTAL BR_API brTrackStats brGpuTracker_GetStats(const brGpuTracker* tracker);

/// As brCreateShatter, with a device that makes the Voronoi cells and clips the surface to them. Pieces and bonds are
/// those of the CPU, bit for bit. If the device fails, the log says so and the CPU cuts.
BR_API brResult brGpu_CreateShatter(brGpu* gpu, const brContext* context, const brMesh* mesh, const brShatterDef* def,
									brShatter** outShatter, brReport* report);

/// Opaque. Models that stay on a device and are broken there, by any sites and as often as one likes, many bodies in
/// one go. The whole way from sites to closed pieces takes about a millisecond on a large device.
///
///     brCreateGpuShatterer(NULL, gpu, models, 2, &shatterer, &report);
///     brGpuBreak breaks[] = {{0, sites, 20}, {0, others, 15}, {1, more, 40}};
///     brGpuShatterer_Break(shatterer, breaks, 3, &pieces, &report);
typedef struct brGpuShatterer brGpuShatterer;

/// A body that breaks.
typedef struct brGpuBreak
{
	int32_t model;        ///< Of the shatterer's.
	const brDVec3* sites; ///< [siteCount] in the model's space.
	int32_t siteCount;
} brGpuBreak;

/// What is nearest to one site, in the arrays of a brGpuShatter.
typedef struct brGpuPiece
{
	int32_t body; ///< Number of the break.
	int32_t site; ///< Of this break.
	int32_t firstVertex, vertexCount;
	int32_t firstTriangle, triangleCount;
	int32_t skinCount; ///< That many triangles come first and are of the model's surface; the others are cuts.
	double volume;     ///< [m^3]
	brDVec3 center;    ///< Of mass. [m]
	double inertia[6]; ///< About the center, of density 1: xx, yy, zz, xy, xz, yz of the tensor. [m^5]
} brGpuPiece;

/// Pieces of all breaks, one after another. Each is closed; parts of a cell that do not hang together are one piece.
typedef struct brGpuShatter
{
	int32_t pieceCount;
	int32_t vertexCount;
	int32_t triangleCount;
	const brGpuPiece* pieces; ///< [pieceCount] rising by body and site; a site without anything of the model has none.
	const brDVec3* vertices;  ///< [vertexCount]
	const int32_t* triangles; ///< [3 * triangleCount] vertices, from 0 in each piece.
	int32_t cpuCount; ///< Breaks that the CPU made: doubles did not settle every side, or the surface crosses itself.
} brGpuShatter;

/// Copies meshes to the device, to be broken there many times. They are as for brCreateShatter; attributes are left
/// behind. `gpu` and the allocator of `context` must outlive the shatterer. A device without doubles is
/// br_errorUnavailable. `context` and `report` may be null.
BR_EXPERIMENTAL BR_API brResult brCreateGpuShatterer(const brContext* context, brGpu* gpu, const brMesh* const* meshes,
													 int32_t meshCount, brGpuShatterer** outShatterer,
													 brReport* report);

/// Frees `shatterer`, which may be null.
BR_EXPERIMENTAL BR_API void brDestroyGpuShatterer(brGpuShatterer* shatterer);

/// Makes pieces of bodies by 1 to 10 million sites each, 60 million in all. They are the shatterer's and valid until
/// the next call. Bodies of which the device cannot decide everything exactly are made by brCreateShatter on the CPU,
/// with the same cuts. `report` may be null.
BR_EXPERIMENTAL BR_API brResult brGpuShatterer_Break(brGpuShatterer* shatterer, const brGpuBreak* breaks,
													 int32_t breakCount, brGpuShatter* outShatter, brReport* report);

/// Makes a device ready for elastic solves: set it as brElasticSolveDef.device or brCrackDef.device, of one body after
/// another. Matrix and hierarchy are made on the CPU, copied over, and stay there while solves are of the same body and
/// its cracks do not change; displacements have the bits of the CPU. A device without doubles is br_errorUnavailable.
/// `gpu` and the allocator of `context` must outlive it. `context` and `report` may be null.
BR_EXPERIMENTAL BR_API brResult brCreateGpuElastic(const brContext* context, brGpu* gpu, brElasticDevice** outDevice,
												   brReport* report);

/// Frees `device`, which may be null.
BR_EXPERIMENTAL BR_API void brDestroyGpuElastic(brElasticDevice* device);

/// Opaque. Bodies that live on a device: copied there once, stepped there, and copied back when you want to see them.
/// For thousands of bodies. Its solver lacks much of brWorld_Step: nobody sleeps, fast thin bodies may pass through each
/// other, and poses differ from those of the CPU (docs/gpu.md). brGpuStages has none of these limits.
typedef struct brGpuWorld brGpuWorld;

/// What the last step did.
typedef struct brGpuStepStats
{
	int32_t pairs;    ///< Of bodies whose boxes overlap.
	int32_t contacts; ///< Manifolds.
	int32_t points;
	int32_t colors;   ///< Sets of contacts without a common body.
	int32_t setAside; ///< Bodies that were no longer finite, in all steps so far.
} brGpuStepStats;

/// Takes over the bodies of a world as they are, of all shapes, static, kinematic or dynamic. A world with joints, with
/// bodies that can break or with a mesh of more than 4,096 contact points is br_errorUnavailable, and the sentence says
/// why: it steps on the CPU. `context` and `report` may be null. The world is not kept.
BR_EXPERIMENTAL BR_API brResult brCreateGpuWorld(const brContext* context, brGpu* gpu, const brWorld* world,
												 brGpuWorld** outWorld, brReport* report);

/// Frees `world`, which may be null.
BR_EXPERIMENTAL BR_API void brDestroyGpuWorld(brGpuWorld* world);

/// Steps all bodies by `dt` > 0 [s] with the settings of the world they came from. The same device gives the same bits
/// again; other devices and the CPU give others.
BR_EXPERIMENTAL BR_API brResult brGpuWorld_Step(brGpuWorld* world, double dt, brReport* report);

/// Copies poses and velocities back into the world the bodies came from, or one with the same bodies. `report` may be
/// null.
BR_EXPERIMENTAL BR_API brResult brGpuWorld_Download(brGpuWorld* gpuWorld, brWorld* world, brReport* report);

/// What the last step did.
BR_EXPERIMENTAL BR_API brGpuStepStats brGpuWorld_GetStats(const brGpuWorld* world);

/// What brGpuWorld_Break did.
typedef struct brGpuBirths
{
	int32_t brokenCount; ///< Bodies that broke; those that the device did not settle stay whole.
	int32_t pieceCount;
	int32_t bodyCount; ///< Of the world now.
} brGpuBirths;

/// Breaks bodies of the device's world where they are, bodies[i] into the pieces of breaks[i], without anything leaving
/// the device but counts. Models are in the axes of the bodies' shapes. Bodies are dynamic, each is there once, and
/// none has been broken before. Pieces collide as hulls of up to 32 corners, have the mass of their meshes, and keep
/// momentum and angular momentum of the body; cutting costs no energy. The first piece of a body takes its number, the
/// others come behind all bodies but half-spaces, by break and site. `outIsBroken` [breakCount] says which bodies broke
/// and may be null. On failure all bodies are whole. From then on brGpuWorld_ReadBodies reads the world back.
BR_EXPERIMENTAL BR_API brResult brGpuWorld_Break(brGpuWorld* world, brGpuShatterer* shatterer, const brBodyId* bodies,
												 const brGpuBreak* breaks, int32_t breakCount, bool* outIsBroken,
												 brGpuBirths* outBirths, brReport* report);

/// A body as brGpuWorld_ReadBodies has it.
typedef struct brGpuBody
{
	brTransform pose; ///< Of the model that it is a piece of; of a body that is none, of its shape's center and axes.
	brDVec3 center;   ///< Of mass. [m]
	brDVec3 velocity; ///< [m/s]
	brDVec3 spin;     ///< [rad/s]
	double mass;      ///< 0: it does not move by forces. [kg]
	brMat3 inertia;   ///< About the center, in the world. [kg m^2]
} brGpuBody;

/// Bodies by number, those with a box before half-spaces. Returns how many there are, or less than 0 on failure; no
/// more than `capacity` are written. `report` may be null.
BR_EXPERIMENTAL BR_API int32_t brGpuWorld_ReadBodies(brGpuWorld* world, brGpuBody* outBodies, int32_t capacity,
													 brReport* report);

/// Opaque. A device's part in a world that lives on the CPU. It finds which boxes of bodies overlap and where meshes
/// touch, makes the solver's passes, cuts bodies that break into Voronoi cells (as brGpu_CreateShatter), and solves for
/// the stress of those that break by cracks (brCreateGpuElastic). All kinds of bodies, joints and breaks are allowed.
/// On a device that divides and takes roots exactly, every bit of the world is that of the CPU. It pays where hundreds
/// of pairs of meshes touch; other worlds may get slower (docs/gpu.md).
typedef struct brGpuStages brGpuStages;

/// Makes a device ready for worlds that live on the CPU. `context` and `report` may be null. The device must outlive
/// it.
BR_EXPERIMENTAL BR_API brResult brCreateGpuStages(const brContext* context, brGpu* gpu, brGpuStages** outStages,
												  brReport* report);

/// `stages` may be null. No world may use it any more.
BR_EXPERIMENTAL BR_API void brDestroyGpuStages(brGpuStages* stages);

/// Lets the device work for this world from the next step on; null: the CPU alone. If the device fails or has too
/// little memory, the world's log says so and the CPU repeats the step with the same bits.
BR_EXPERIMENTAL BR_API void brWorld_SetGpuStages(brWorld* world, brGpuStages* stages);

/// Whether the device still works for it.
BR_EXPERIMENTAL BR_API bool brWorld_HasGpuStages(const brWorld* world);

/// How many bodies and clusters the device has cut, in all worlds that it worked for. Those that break by a cascade of
/// cracks, the default, are cut on the CPU and not counted. `stages` may be null.
BR_EXPERIMENTAL BR_API int64_t brGpuStages_GetBreakCount(const brGpuStages* stages);
