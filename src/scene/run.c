// SPDX-License-Identifier: MIT

// A scene that plays. One frame: events that are due, steps with a row of the books each, then the recorder looks at
// what is there.

#include "scene/run_state.h"

#include "base/clock.h"
#include "math/rotation.h"
#include "scene/scene_world.h"

#include <stdio.h>
#include <string.h>

brResult brRun_Make(const brContext* context, const brScene* scene, brRun** outRun, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	brRun* run = BR_ALLOC_ZERO(&allocator, brRun, 1);
	if (run == NULL)
	{
		return brFailMemory(report);
	}
	run->allocator = allocator;
	run->scene = scene;
	if (context != NULL)
	{
		run->context = *context;
	}
	run->context.cancel = NULL; // a frame is short; the caller asks between frames
	run->ids = BR_ALLOC_ZERO(&allocator, brBodyId, scene->bodyCount);
	run->modelMeshes = BR_ALLOC(&allocator, int32_t, scene->modelCount);
	if (run->ids == NULL || run->modelMeshes == NULL)
	{
		brDestroyRun(run);
		return brFailMemory(report);
	}
	for (int32_t i = 0; i < scene->modelCount; ++i)
	{
		run->modelMeshes[i] = -1;
	}
	*outRun = run;
	return br_success;
}

void brDestroyRun(brRun* run)
{
	if (run == NULL)
	{
		return;
	}
	brAllocator allocator = run->allocator;
	brDestroyGpuWorld(run->onDevice);
	brDestroyWorld(run->world);
	brDestroyGpuStages(run->stages);
	brDestroyRecording(run->recording);
	BR_FREE(&allocator, run->ids, run->scene->bodyCount);
	BR_FREE(&allocator, run->modelMeshes, run->scene->modelCount);
	BR_FREE_ARRAY(&allocator, &run->live);
	BR_FREE_ARRAY(&allocator, &run->slots);
	BR_FREE_ARRAY(&allocator, &run->steps);
	BR_FREE(&allocator, run, 1);
}

// The books

// Sum over dynamic bodies in slot order.
static double runMass(const brRun* run, const brBodyId* ids, int32_t count)
{
	double mass = 0.0, carry = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		double value = brWorld_GetMass(run->world, ids[i]) - carry, sum = mass + value;
		carry = (sum - mass) - value;
		mass = sum;
	}
	return mass;
}

// Ids of all bodies; the block is freed with BR_FREE(&run->allocator, ids, count). Null without memory.
static brBodyId* runBodies(const brRun* run, int32_t* outCount)
{
	*outCount = brWorld_GetBodies(run->world, NULL, 0);
	brBodyId* ids = BR_ALLOC(&run->allocator, brBodyId, *outCount);
	if (ids != NULL)
	{
		brWorld_GetBodies(run->world, ids, *outCount);
	}
	return ids;
}

// Gravity after the events so far.
static brDVec3 runGravity(const brRun* run)
{
	brDVec3 gravity = run->scene->gravity;
	for (int32_t i = 0; i < run->nextEvent; ++i)
	{
		gravity = run->scene->events[i].kind == br_sceneEventGravity ? run->scene->events[i].vector : gravity;
	}
	return gravity;
}

// What can break but stands still, parts of clusters that anchors hold among them, has no mass to the world. It is
// booked by its mesh, so that nothing comes out of nowhere when it comes loose. Asked again only after breaks and
// events.
static void runFindHeld(brRun* run, const brBodyId* ids, int32_t count)
{
	if (run->isHeldKnown)
	{
		return;
	}
	brDVec3 gravity = runGravity(run);
	run->heldMass = run->heldPotential = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		const brMesh* mesh = brWorld_GetMesh(run->world, ids[i]);
		if (mesh != NULL && brWorld_GetMass(run->world, ids[i]) == 0.0)
		{
			brMassProperties mass = brMesh_ComputeMass(mesh, brWorld_GetMaterial(run->world, ids[i])->density);
			brDVec3 center = brTransform_Point(brWorld_GetPose(run->world, ids[i]), mass.center);
			run->heldMass += mass.mass;
			run->heldPotential -= mass.mass * brDDot(gravity, center);
		}
	}
	run->isHeldKnown = true;
}

// Energy and mass now, for the books before and after events.
static bool runTotals(brRun* run, double* outEnergy, double* outMass)
{
	int32_t count;
	brBodyId* ids = runBodies(run, &count);
	if (ids == NULL)
	{
		return false;
	}
	run->isHeldKnown = false;
	runFindHeld(run, ids, count);
	brWorldEnergy energy = brWorld_ComputeEnergy(run->world);
	*outEnergy = energy.kinetic + energy.potential + run->heldPotential;
	*outMass = runMass(run, ids, count) + run->heldMass;
	BR_FREE(&run->allocator, ids, count);
	return true;
}

// All events up to `time`; what they bring in or take away goes to the books.
static brResult runEvents(brRun* run, double time, brReport* report)
{
	const brScene* scene = run->scene;
	if (run->nextEvent == scene->eventCount || scene->events[run->nextEvent].time > time)
	{
		return br_success;
	}
	double energyBefore, massBefore, energy, mass;
	if (!runTotals(run, &energyBefore, &massBefore))
	{
		return brFailMemory(report);
	}
	while (run->nextEvent < scene->eventCount && scene->events[run->nextEvent].time <= time)
	{
		brResult result = brSceneWorld_Event(&run->context, scene, run->nextEvent, NULL, run->world, run->ids, report);
		if (result < 0)
		{
			return result;
		}
		run->nextEvent += 1;
	}
	if (!runTotals(run, &energy, &mass))
	{
		return brFailMemory(report);
	}
	run->energyIn += energy - energyBefore;
	run->massIn += mass - massBefore;
	brDestroyGpuWorld(run->onDevice);
	run->onDevice = NULL;
	run->isOffDevice = false;
	return br_success;
}

static brResult runAddRow(brRun* run, double seconds, brReport* report)
{
	brStepStats stats = brWorld_GetStats(run->world);
	brWorldEnergy energy = brWorld_ComputeEnergy(run->world);
	int32_t count;
	brBodyId* ids = runBodies(run, &count);
	if (ids == NULL)
	{
		return brFailMemory(report);
	}
	brBreakStats broken = brWorld_GetBreakStats(run->world);
	run->isHeldKnown = run->isHeldKnown && broken.breaks == 0;
	runFindHeld(run, ids, count);
	brRunStep row;
	memset(&row, 0, sizeof(row));
	row.breaks = broken.breaks;
	row.pieces = broken.pieces;
	row.waiting = broken.waiting;
	row.energyBroken = broken.energy;
	row.breakSeconds = broken.seconds;
	run->breakCount += broken.breaks;
	run->pieceCount += broken.pieces;
	row.step = run->step;
	row.time = run->step / (run->scene->frameRate * run->scene->stepsPerFrame);
	row.bodies = stats.bodies;
	row.awake = stats.awake;
	row.islands = stats.islands;
	row.contacts = stats.contacts;
	row.points = stats.points;
	row.joints = stats.joints;
	row.setAside = stats.setAside;
	row.kinetic = energy.kinetic;
	row.potential = energy.potential + run->heldPotential;
	row.energyIn = run->energyIn + energy.driven - energy.dust;
	row.energyFriction = energy.friction;
	row.energyRestitution = energy.restitution;
	row.energyDamping = energy.damping;
	row.energySolver = energy.solver;
	row.mass = runMass(run, ids, count) + run->heldMass;
	row.massIn = run->massIn - broken.dustMass;
	row.momentum = energy.momentum;
	row.angularMomentum = energy.angularMomentum;
	row.broadSeconds = stats.broadSeconds;
	row.narrowSeconds = stats.narrowSeconds;
	row.islandSeconds = stats.islandSeconds;
	row.prepareSeconds = stats.prepareSeconds;
	row.solveSeconds = stats.solveSeconds;
	row.finishSeconds = stats.finishSeconds;
	row.seconds = seconds;
	BR_FREE(&run->allocator, ids, count);
	return BR_PUSH(&run->allocator, &run->steps, row) ? br_success : brFailMemory(report);
}

// The recorder

// Copies a mesh into the recording with `center` as its origin. -1 without memory.
static int32_t runAddMesh(brRun* run, const brMesh* mesh, brDVec3 center, brReport* report)
{
	brMesh* copy = NULL;
	if (brCopyMesh(&run->context, mesh, &copy, report) < 0)
	{
		return -1;
	}
	brAffine move = brMakeAffineIdentity();
	move.p = brDNeg(center);
	brMesh_Transform(copy, &move);
	int32_t index = brRecording_AddMesh(run->recording, copy);
	if (index < 0)
	{
		brDestroyMesh(copy);
	}
	return index;
}

// The mesh of a model in the recording, copied there the first time.
static int32_t runModelMesh(brRun* run, int32_t model, brDVec3 center, brReport* report)
{
	if (run->modelMeshes[model] < 0)
	{
		run->modelMeshes[model] = runAddMesh(run, run->scene->models[model].mesh, center, report);
	}
	return run->modelMeshes[model];
}

// Where a recorded mesh is: its origin is the center of mass.
static brTransform runRecordedPose(const brRun* run, brBodyId id, brDVec3 center)
{
	brTransform pose = brWorld_GetPose(run->world, id);
	return (brTransform){brTransform_Point(pose, center), pose.q};
}

// A slab whose top is the ground.
static brResult runRecordGround(brRun* run, brReport* report)
{
	brMesh* mesh = NULL;
	brTransform pose;
	brResult result = brMakeGroundSlab(&run->context, run->scene, &mesh, &pose, report);
	if (result < 0)
	{
		return result;
	}
	int32_t index = brRecording_AddMesh(run->recording, mesh);
	if (index < 0)
	{
		brDestroyMesh(mesh);
		return brFailMemory(report);
	}
	bool done = brRecording_AddBody(run->recording, "ground", index, -1, br_recordedGround, pose) >= 0;
	return done ? br_success : brFailMemory(report);
}

// What has become of the bodies that were there, in their order; those that are gone leave the list.
static brResult runRecordMoves(brRun* run, brReport* report)
{
	int32_t kept = 0;
	for (int32_t i = 0; i < run->live.count; ++i)
	{
		brRunLive live = run->live.data[i];
		if (!brWorld_IsBody(run->world, live.id))
		{
			brRecording_EndBody(run->recording, live.recorded);
			continue;
		}
		brTransform pose = runRecordedPose(run, live.id, live.center);
		if (!brRecording_MoveBody(run->recording, live.recorded, pose, brWorld_GetSpin(run->world, live.id)))
		{
			return brFailMemory(report);
		}
		run->live.data[kept++] = live;
	}
	run->live.count = kept;
	return br_success;
}

// The body of the recording that an id of the world, perhaps stale, stands for; -1 if it came and went between frames.
static int32_t runRecorded(const brRun* run, brBodyId id)
{
	bool isKnown =
		id.index1 > 0 && id.index1 <= run->slots.count && run->slots.data[id.index1 - 1].generation == id.generation;
	return isKnown ? run->slots.data[id.index1 - 1].recorded : -1;
}

static brResult runRecordBirth(brRun* run, brBodyId id, int32_t parent, brReport* report)
{
	const brScene* scene = run->scene;
	bool isPiece = brWorld_GetGeneration(run->world, id) > 0;
	uint64_t userData = brWorld_GetUserData(run->world, id);
	bool isOfScene = userData > 0 && userData <= (uint64_t)scene->bodyCount;
	if (!isPiece && !isOfScene)
	{
		return br_success; // the ground
	}
	int32_t model = isPiece ? -1 : scene->bodies[userData - 1].model;
	const brMesh* shown = isPiece ? brWorld_GetMesh(run->world, id) : scene->models[model].mesh;
	brDVec3 center = brMesh_ComputeMass(shown, 1.0).center;
	int32_t mesh = isPiece ? runAddMesh(run, shown, center, report) : runModelMesh(run, model, center, report);
	if (mesh < 0 || !BR_RESERVE(&run->allocator, &run->live, 1))
	{
		return brFailMemory(report);
	}
	char name[64];
	snprintf(name, sizeof(name), isPiece ? "%.40s_piece_%d" : "%s",
			 isOfScene ? scene->bodies[userData - 1].name : "body", run->recording->bodyCount);
	int32_t recorded =
		brRecording_AddBody(run->recording, name, mesh, parent, isPiece ? br_recordedPiece : br_recordedBody,
							runRecordedPose(run, id, center));
	if (recorded < 0)
	{
		return brFailMemory(report);
	}
	run->recording->bodies[recorded].generation = brWorld_GetGeneration(run->world, id);
	run->recording->bodies[recorded].mass = (float)brWorld_GetMass(run->world, id);
	run->live.data[run->live.count++] = (brRunLive){id, recorded, center};
	return br_success;
}

static brResult runRecordBirths(brRun* run, brReport* report)
{
	int32_t count;
	brBodyId* ids = runBodies(run, &count);
	if (ids == NULL)
	{
		return brFailMemory(report);
	}
	brResult result = br_success;
	int32_t slotCount = count > 0 ? ids[count - 1].index1 : 0;
	while (run->slots.count < slotCount && result >= 0)
	{
		result = BR_PUSH(&run->allocator, &run->slots, (brRunSlot){0, -1}) ? br_success : brFailMemory(report);
	}
	int32_t firstNew = run->live.count;
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		if (runRecorded(run, ids[i]) < 0)
		{
			result = runRecordBirth(run, ids[i], runRecorded(run, brWorld_GetParent(run->world, ids[i])), report);
		}
	}
	// Slots are passed on only now: until here they led to the parents.
	for (int32_t i = firstNew; i < run->live.count; ++i)
	{
		brRunLive live = run->live.data[i];
		run->slots.data[live.id.index1 - 1] = (brRunSlot){live.id.generation, live.recorded};
	}
	BR_FREE(&run->allocator, ids, count);
	return result;
}

// A turn that takes x to this unit vector.
static brQuat runTurnToAxis(brDVec3 axis)
{
	brDVec3 other = fabs(axis.x) < 0.5 ? brMakeDVec3(1.0, 0.0, 0.0) : brMakeDVec3(0.0, 1.0, 0.0);
	brDVec3 y = brDNormalize(brDCross(axis, other));
	brMat3 axes = {axis, y, brDCross(axis, y)};
	return brMakeQuatFromMat3(&axes);
}

// Joints are made with the world: its bodies are where they were then.
static brResult runRecordJoints(brRun* run, brReport* report)
{
	const brScene* scene = run->scene;
	for (int32_t i = 0; i < scene->jointCount; ++i)
	{
		const brSceneJoint* made = &scene->joints[i];
		brTransform at = {.p = made->anchor, .q = brMakeQuatIdentity()};
		at.q = made->kind == br_jointHinge ? runTurnToAxis(made->axis) : at.q;
		brAssemblyJoint joint = {.kind = (int32_t)made->kind, .breakForce = made->breakForce};
		for (int32_t k = 0; k < 2; ++k)
		{
			joint.parts[k] = made->bodies[k] < 0 ? -1 : runRecorded(run, run->ids[made->bodies[k]]);
			joint.frames[k] = at;
			if (joint.parts[k] >= 0)
			{
				brTransform pose = brRecordedPose_ToTransform(run->recording->bodies[joint.parts[k]].pose);
				joint.frames[k] =
					(brTransform){brTransform_InvPoint(pose, at.p), brQuat_Mul(brQuat_Conjugate(pose.q), at.q)};
			}
		}
		if (!brRecording_AddJoint(run->recording, &joint))
		{
			return brFailMemory(report);
		}
	}
	return br_success;
}

// Breaks of the last step; they belong to the frame that is recorded next.
static brResult runRecordBreaks(brRun* run, brReport* report)
{
	int32_t count;
	const brBreakEvent* events = brWorld_GetBreakEvents(run->world, &count);
	for (int32_t i = 0; i < count; ++i)
	{
		brRecordedBreak what = {
			.frame = run->recording->frameCount,
			.body = runRecorded(run, events[i].parent),
			.pieces = events[i].pieceCount,
			.point = {(float)events[i].point.x, (float)events[i].point.y, (float)events[i].point.z},
			.energy = (float)events[i].energy,
			.stress = (float)fmin(events[i].stress, 1e30),
		};
		if (!brRecording_AddBreak(run->recording, &what))
		{
			return brFailMemory(report);
		}
	}
	return br_success;
}

static brResult runRecord(brRun* run, brReport* report)
{
	brStepStats stats = brWorld_GetStats(run->world);
	brWorldEnergy energy = brWorld_ComputeEnergy(run->world);
	brRecordedFrame frame = {
		.bodies = brWorld_GetBodyCount(run->world),
		.awake = stats.awake,
		.contacts = stats.contacts,
		.kinetic = (float)energy.kinetic,
		.potential = (float)energy.potential,
	};
	if (!brRecording_BeginFrame(run->recording, &frame))
	{
		return brFailMemory(report);
	}
	bool isFirst = run->recording->frameCount == 1;
	brResult result = isFirst && run->scene->hasGround ? runRecordGround(run, report) : br_success;
	result = result < 0 ? result : runRecordMoves(run, report);
	result = result < 0 ? result : runRecordBirths(run, report);
	return result < 0 || !isFirst ? result : runRecordJoints(run, report);
}

static brRecordedCamera runCamera(const brScene* scene)
{
	return (brRecordedCamera){
		.azimuth = scene->camera.azimuth,
		.elevation = scene->camera.elevation,
		.fieldOfView = scene->camera.fieldOfView,
		.zoom = scene->camera.zoom,
		.frame = scene->camera.frame,
		.isFixed = scene->camera.frame.lower.x <= scene->camera.frame.upper.x,
		.ground = scene->hasGround,
		.groundHeight = scene->groundHeight,
		.width = scene->output.posterWidth,
		.height = scene->output.posterHeight,
		.samples = scene->output.samples,
		.seed = scene->seed,
	};
}

brResult brCreateRun(const brContext* context, const brScene* scene, brRun** outRun, brReport* report)
{
	if (scene == NULL || outRun == NULL)
	{
		return brFail(report, br_errorMisuse, "a run needs a scene");
	}
	brRun* run = NULL;
	brResult result = brRun_Make(context, scene, &run, report);
	if (result < 0)
	{
		return result;
	}
	run->recording = brCreateRecording(&run->context, scene->frameRate);
	if (run->recording != NULL)
	{
		run->recording->camera = runCamera(scene);
		run->recording->gravity = scene->gravity;
	}
	result = run->recording != NULL
				 ? brMakeSceneWorld(&run->context, scene, NULL, run->ids, &run->world, &run->ground, report)
				 : brFailMemory(report);
	if (result >= 0 && !runTotals(run, &run->energyIn, &run->massIn))
	{
		result = brFailMemory(report);
	}
	result = result < 0 ? result : runRecord(run, report);
	if (result < 0)
	{
		brDestroyRun(run);
		return result;
	}
	*outRun = run;
	return brSucceed(report);
}

brResult brRun_SetDevice(brRun* run, brGpu* gpu, brReport* report)
{
	if (run == NULL)
	{
		return brFail(report, br_errorMisuse, "a device needs a run");
	}
	brWorld_SetGpuStages(run->world, NULL);
	brDestroyGpuWorld(run->onDevice);
	brDestroyGpuStages(run->stages);
	run->onDevice = NULL, run->stages = NULL, run->gpu = NULL, run->isOffDevice = false;
	brResult result = gpu != NULL ? brCreateGpuStages(&run->context, gpu, &run->stages, report) : br_success;
	if (result < 0 || gpu == NULL)
	{
		return result;
	}
	run->gpu = gpu;
	brWorld_SetGpuStages(run->world, run->stages);
	return brSucceed(report);
}

int32_t brRun_GetDeviceStepCount(const brRun* run)
{
	if (run == NULL)
	{
		return 0;
	}
	return run->deviceSteps;
}

int64_t brRun_GetDeviceBreakCount(const brRun* run)
{
	return run != NULL ? brGpuStages_GetBreakCount(run->stages) : 0;
}

// Copies the world to the device if that does all that there is in it. What it has no room for stays here, as does what
// it does not do.
static void runGoToDevice(brRun* run)
{
	brReport trouble = {0};
	brResult result = brCreateGpuWorld(&run->context, run->gpu, run->world, &run->onDevice, &trouble);
	run->isOffDevice = result < 0;
	if (result < 0 && result != br_errorUnavailable)
	{
		brLog(&run->context, br_logWarning, "%s; the CPU goes on", trouble.text);
	}
}

// A step of a world that lives on the device. False if it does not answer any more: the world is as it was after the
// step before.
static bool runStepThere(brRun* run, double dt)
{
	brReport trouble = {0};
	brResult result = brGpuWorld_Step(run->onDevice, dt, &trouble);
	result = result < 0 ? result : brGpuWorld_Download(run->onDevice, run->world, &trouble);
	if (result >= 0)
	{
		return true;
	}
	brLog(&run->context, br_logWarning, "%s; the CPU goes on", trouble.text);
	brDestroyGpuWorld(run->onDevice);
	run->onDevice = NULL;
	run->isOffDevice = true;
	return false;
}

// One step of the world, on the device if it does all that there is.
static brResult runStep(brRun* run, double dt, brReport* report)
{
	if (run->gpu != NULL && run->onDevice == NULL && !run->isOffDevice)
	{
		runGoToDevice(run);
	}
	if (run->onDevice != NULL && runStepThere(run, dt))
	{
		run->deviceSteps += 1;
		return br_success;
	}
	brResult result = brWorld_Step(run->world, dt, report);
	run->deviceSteps += result >= 0 && brWorld_HasGpuStages(run->world);
	return result;
}

// What pictures show: what happens in the time of the poster and the contact sheet, and the scene's frame at the least.
static void runFrameCamera(brRun* run)
{
	const brScene* scene = run->scene;
	const brSceneOutput* output = &scene->output;
	if (!scene->camera.isExact)
	{
		double end = run->frame / scene->frameRate, poster = output->posterTime >= 0.0 ? output->posterTime : 0.5 * end;
		double from = fmin(output->sheetFrom, poster),
			   to = output->sheetTo >= 0.0 ? fmax(output->sheetTo, poster) : end;
		brDBox3 box = brDBox3_Union(scene->camera.frame, brRecording_FindAction(run->recording, from, to));
		run->recording->camera.frame = box;
	}
}

brResult brRun_PlayFrame(brRun* run, brReport* report)
{
	if (run == NULL)
	{
		return brFail(report, br_errorMisuse, "brRun_PlayFrame needs run");
	}
	const brScene* scene = run->scene;
	double dt = 1.0 / (scene->frameRate * scene->stepsPerFrame);
	for (int32_t i = 0; i < scene->stepsPerFrame; ++i)
	{
		int64_t start = brClockNanoseconds();
		brResult result = runEvents(run, run->step * dt, report);
		result = result < 0 ? result : runStep(run, dt, report);
		if (result < 0)
		{
			return result;
		}
		run->step += 1;
		result = runAddRow(run, brSecondsSince(start), report);
		result = result < 0 ? result : runRecordBreaks(run, report);
		if (result < 0)
		{
			return result;
		}
	}
	run->frame += 1;
	brResult result = runRecord(run, report);
	if (result >= 0 && brRun_IsDone(run))
	{
		runFrameCamera(run);
	}
	return result;
}

int32_t brRun_GetFrameTotal(const brRun* run)
{
	if (run == NULL)
	{
		return 0;
	}
	return (int32_t)ceil(run->scene->duration * run->scene->frameRate - 1e-9);
}

bool brRun_IsDone(const brRun* run)
{
	if (run == NULL)
	{
		return false;
	}
	return run->frame >= brRun_GetFrameTotal(run);
}

int32_t brRun_GetFrameCount(const brRun* run)
{
	if (run == NULL)
	{
		return 0;
	}
	return run->frame;
}

brWorld* brRun_GetWorld(brRun* run)
{
	if (run == NULL)
	{
		return NULL;
	}
	return run->world;
}

const brRecording* brRun_GetRecording(const brRun* run)
{
	if (run == NULL)
	{
		return NULL;
	}
	return run->recording;
}

int32_t brRun_GetBreakCount(const brRun* run)
{
	if (run == NULL)
	{
		return 0;
	}
	return run->breakCount;
}

int32_t brRun_GetPieceCount(const brRun* run)
{
	if (run == NULL)
	{
		return 0;
	}
	return run->pieceCount;
}

const brRunStep* brRun_GetSteps(const brRun* run, int32_t* outCount)
{
	if (outCount != NULL)
	{
		*outCount = run != NULL ? run->steps.count : 0;
	}
	return run != NULL ? run->steps.data : NULL;
}
