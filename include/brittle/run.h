// SPDX-License-Identifier: MIT
#pragma once

/// @file run.h
/// A scene that plays: world, events, books and recording, a frame at a time.
///
///     brRun* run;
///     brCreateRun(NULL, scene, &run, NULL);
///     while (!brRun_IsDone(run)) brRun_PlayFrame(run, NULL);
///     brSaveRecording(NULL, brRun_GetRecording(run), "glass.brec", NULL);
///     brRun_SaveStatistics(run, NULL, "glass.csv", NULL);
///     brDestroyRun(run);
///
/// The same scene gives the same hash for any number of workers, and after a checkpoint too.

#include "brittle/gpu.h"
#include "brittle/recording.h"
#include "brittle/scene.h"

/// Opaque.
typedef struct brRun brRun;

/// The books after one step. Energy and mass count dynamic bodies; what events, thrown bodies and kinematic ones bring
/// in is in the columns of what came in.
typedef struct brRunStep
{
	int32_t step;
	double time; ///< At its end. [s]
	int32_t bodies, awake, islands, contacts, points, joints, setAside;
	int32_t breaks, pieces; ///< In this step.
	int32_t waiting;        ///< Bodies that break when the budget allows.
	double kinetic, potential;
	double energyIn;     ///< Energy at the start and what events added since. [J]
	double energyBroken; ///< Taken for new surfaces so far. [J]
	double mass;         ///< [kg]
	double massIn;       ///< Mass at the start and what events added since, less dust that went. [kg]
	brDVec3 momentum;    ///< [kg m/s]
	brDVec3 angularMomentum;
	double broadSeconds, narrowSeconds, islandSeconds, prepareSeconds, solveSeconds, finishSeconds, breakSeconds;
	double seconds; ///< All of the step.
} brRunStep;

/// The scene must outlive the run. `context` (kept: workers, allocator) and `report` may be null.
BR_API brResult brCreateRun(const brContext* context, const brScene* scene, brRun** outRun, brReport* report);

/// `run` may be null.
BR_API void brDestroyRun(brRun* run);

/// A device takes over what it can, before the first frame: all of a step while the world has nothing but half-spaces,
/// spheres, boxes and hulls that do not break (see brCreateGpuWorld), else the search for pairs, and then every bit is
/// that of the CPU. The device must outlive the run; null: the CPU alone. `report` may be null.
BR_API brResult brRun_SetDevice(brRun* run, brGpu* gpu, brReport* report);

/// Steps so far that were made on the device as a whole.
BR_API int32_t brRun_GetDeviceStepCount(const brRun* run);

/// Plays one frame and records it. On failure the world may be inside the frame; the recording holds what was complete.
BR_API brResult brRun_PlayFrame(brRun* run, brReport* report);

/// Whether the scene's duration is over.
BR_API bool brRun_IsDone(const brRun* run);

/// Frames played, the first pose not counted; and how many there will be.
BR_API int32_t brRun_GetFrameCount(const brRun* run);
BR_API int32_t brRun_GetFrameTotal(const brRun* run);
BR_API brWorld* brRun_GetWorld(brRun* run);
BR_API const brRecording* brRun_GetRecording(const brRun* run);
BR_API int32_t brRun_GetBreakCount(const brRun* run);
BR_API int32_t brRun_GetPieceCount(const brRun* run);

/// One row per step so far.
BR_API const brRunStep* brRun_GetSteps(const brRun* run, int32_t* outCount);

/// The rows as CSV with a header line, to a temporary name first. `context` and `report` may be null.
BR_API brResult brRun_SaveStatistics(const brRun* run, const brContext* context, const char* path, brReport* report);

/// Everything that is needed to go on, as a file for the same build of the library.
BR_API brResult brRun_SaveCheckpoint(const brRun* run, const brContext* context, const char* path, brReport* report);

/// Goes on where the checkpoint was made. The scene must be the same; its duration may differ.
BR_API brResult brRestoreRun(const brContext* context, const brScene* scene, const char* path, brRun** outRun,
							 brReport* report);
