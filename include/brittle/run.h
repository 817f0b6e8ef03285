// SPDX-License-Identifier: MIT
#pragma once

/// @file run.h
/// Plays a scene frame by frame: it owns the world, carries out the events, keeps the energy balance and records.
///
///     brRun* run;
///     brCreateRun(NULL, scene, &run, NULL);
///     while (!brRun_IsDone(run)) brRun_PlayFrame(run, NULL);
///     brSaveRecording(NULL, brRun_GetRecording(run), "glass.brec", NULL);
///     brRun_SaveStatistics(run, NULL, "glass.csv", NULL);
///     brDestroyRun(run);
///
/// The same scene gives the same hash (brWorld_ComputeHash) for any number of workers, and after a checkpoint too.

#include "brittle/gpu.h"
#include "brittle/recording.h"
#include "brittle/scene.h"

/// Opaque. One thread at a time may use it.
typedef struct brRun brRun;

/// Energy and mass balance of all dynamic bodies after one step. energyIn and massIn are what the start, events and
/// kinematic bodies have put in, less dust that was removed. energyIn is the sum of kinetic, potential and the five
/// energies below it, which are losses of all steps so far.
typedef struct brRunStep
{
	int32_t step;                                                       ///< From 1.
	double time;                                                        ///< At the end of the step. [s]
	int32_t bodies, awake, islands, contacts, points, joints, setAside; ///< Counts as in brStepStats.
	int32_t breaks, pieces;    ///< Bodies that broke in this step, and pieces they broke into.
	int32_t waiting;           ///< Bodies that will break as soon as the break budget allows it.
	double kinetic, potential; ///< Energy of motion and spin, and energy of height. [J]
	double energyIn;           ///< Energy at the start plus what was added since. [J]
	double energyBroken;       ///< Spent on new surface. [J]
	double energyFriction, energyRestitution, energyDamping, energySolver; ///< Lost, as in brWorldEnergy. [J]
	double mass;                                                           ///< Of all dynamic bodies. [kg]
	double massIn;           ///< Mass at the start plus what events have added since, less dust that was removed. [kg]
	brDVec3 momentum;        ///< Linear. [kg m/s]
	brDVec3 angularMomentum; ///< About the origin. [kg m^2/s]
	double broadSeconds, narrowSeconds, islandSeconds, prepareSeconds, solveSeconds, finishSeconds, breakSeconds;
	double seconds; ///< Of the whole step, by the clock. [s]
} brRunStep;

/// Makes the world of a scene and an empty recording. The scene must outlive the run. The context's allocator,
/// workers and log are used until the run is destroyed. `context` and `report` may be null.
BR_API brResult brCreateRun(const brContext* context, const brScene* scene, brRun** outRun, brReport* report);

/// Frees `run`, which may be null.
BR_API void brDestroyRun(brRun* run);

/// Moves work to a GPU; call it before the first frame. While the world has only half-spaces, spheres, boxes and
/// hulls that do not break (see brGpuWorld), its bodies live there: faster for thousands of them, with other poses and
/// hashes than on the CPU. Otherwise the bodies stay on the CPU and the device does parts of each step with the same
/// bits (see brGpuStages). The device must outlive the run. Null: the CPU alone. `report` may be null.
BR_API brResult brRun_SetDevice(brRun* run, brGpu* gpu, brReport* report);

/// Steps so far in which pairs were found and contacts solved on the device.
BR_API int32_t brRun_GetDeviceStepCount(const brRun* run);

/// How many bodies the device has cut so far (brGpuStages_GetBreakCount): those that break by Voronoi cells.
BR_API int64_t brRun_GetDeviceBreakCount(const brRun* run);

/// Plays one frame of the scene and records it. If it fails, the world may be in the middle of the frame, and the
/// recording holds the complete frames. `report` may be null.
BR_API brResult brRun_PlayFrame(brRun* run, brReport* report);

/// Whether the duration of the scene has been played.
BR_API bool brRun_IsDone(const brRun* run);

/// Frames played so far, not counting the first pose.
BR_API int32_t brRun_GetFrameCount(const brRun* run);

/// Frames of the whole scene.
BR_API int32_t brRun_GetFrameTotal(const brRun* run);

/// The world of the run, to look at between frames. Changes are not recorded as events. Valid until the run is
/// destroyed.
BR_API brWorld* brRun_GetWorld(brRun* run);

/// The frames so far. The run's; valid until it is destroyed.
BR_API const brRecording* brRun_GetRecording(const brRun* run);

/// Bodies that broke so far.
BR_API int32_t brRun_GetBreakCount(const brRun* run);

/// Pieces made so far.
BR_API int32_t brRun_GetPieceCount(const brRun* run);

/// One row for each step so far. The run's; valid until the next frame. `outCount` may not be null.
BR_API const brRunStep* brRun_GetSteps(const brRun* run, int32_t* outCount);

/// Writes these rows as CSV with a header line. The file appears complete or not at all. `context` and `report` may
/// be null.
BR_API brResult brRun_SaveStatistics(const brRun* run, const brContext* context, const char* path, brReport* report);

/// Writes everything needed to go on later, for the same build of the library. `context` and `report` may be null.
BR_API brResult brRun_SaveCheckpoint(const brRun* run, const brContext* context, const char* path, brReport* report);

/// Goes on from a checkpoint, with the same bits as without the pause. The scene must be the same; only its duration
/// may differ. `context` and `report` may be null.
BR_API brResult brRestoreRun(const brContext* context, const brScene* scene, const char* path, brRun** outRun,
							 brReport* report);
