// SPDX-License-Identifier: MIT

// A scene that plays. One frame: events that are due, steps with a row of the books each, then the recorder looks at what is there.

#include "scene/run_state.h"

#include "base/clock.h"
#include "base/hash.h"
#include "brittle/models.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>

#define RUN_SLAB 0.02 // height of the slab that shows the ground, against its width

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
	brDestroyWorld(run->world);
	brDestroyRecording(run->recording);
	BR_FREE(&allocator, run->ids, run->scene->bodyCount);
	BR_FREE(&allocator, run->modelMeshes, run->scene->modelCount);
	BR_FREE_ARRAY(&allocator, &run->live);
	BR_FREE_ARRAY(&allocator, &run->slots);
	BR_FREE_ARRAY(&allocator, &run->steps);
	BR_FREE(&allocator, run, 1);
}

// The world

static brResult runEnter(brRun* run, int32_t index, brReport* report)
{
	const brSceneBody* body = &run->scene->bodies[index];
	const brSceneModel* model = &run->scene->models[body->model];
	brBodyDef def = brDefaultBodyDef();
	def.kind = body->kind;
	def.shape = model->shape;
	def.pose = body->pose;
	def.velocity = body->velocity;
	def.spin = body->spin;
	// A box or a ball is not quite the mesh: the mass is the mesh's.
	def.mass = body->mass > 0.0 ? body->mass : model->mass > 0.0 ? model->mass : 0.0;
	def.linearDamping = body->linearDamping;
	def.angularDamping = body->angularDamping;
	def.gravityScale = body->gravityScale;
	def.userData = (uint64_t)index + 1;
	// Copies of one entry are as strong as chance has it, each on its own.
	brBreakDef breaking = model->breaking;
	bool canBreak = breaking.method != br_breakNone || model->isCluster;
	breaking.mesh = canBreak ? model->mesh : NULL;
	breaking.seed = brHash64(brHash64(run->scene->seed + breaking.seed) + (uint64_t)index);
	brReport inner = {0};
	run->ids[index] = brWorld_CreateBreakable(run->world, &def, &breaking, &inner);
	if (run->ids[index].index1 == 0)
	{
		return brFail(report, inner.code < 0 ? inner.code : br_errorMisuse, "body %s: %s", body->name, inner.text);
	}
	return br_success;
}

static brResult runMakeGround(brRun* run, brReport* report)
{
	const brScene* scene = run->scene;
	brShapeDef plane = brDefaultShapeDef(br_shapeHalfSpace);
	plane.offset = scene->groundHeight;
	brShape* shape = NULL;
	brResult result = brCreateShape(&run->context, &plane, &shape, report);
	if (result < 0)
	{
		return result;
	}
	brBodyDef def = brDefaultBodyDef();
	def.kind = br_bodyStatic;
	def.shape = shape;
	brBreakDef breaking = brDefaultBreakDef();
	breaking.method = br_breakNone;
	breaking.material = scene->groundMaterial;
	run->ground = brWorld_CreateBreakable(run->world, &def, &breaking, report);
	brDestroyShape(shape);
	return run->ground.index1 != 0 ? br_success : br_errorMemory;
}

static brResult runMakeJoint(brRun* run, const brSceneJoint* joint, brReport* report)
{
	brJointDef def = brDefaultJointDef();
	def.kind = joint->kind;
	def.bodyA = joint->bodies[0] < 0 ? run->ground : run->ids[joint->bodies[0]];
	def.bodyB = run->ids[joint->bodies[1]];
	def.anchor = joint->anchor;
	def.axis = joint->axis;
	def.breakForce = joint->breakForce;
	brReport inner = {0};
	if (brWorld_CreateJoint(run->world, &def, &inner).index1 == 0)
	{
		return brFail(report, inner.code < 0 ? inner.code : br_errorMisuse, "joint of %s: %s",
					  run->scene->bodies[joint->bodies[1]].name, inner.text);
	}
	return br_success;
}

static brResult runMakeWorld(brRun* run, brReport* report)
{
	const brScene* scene = run->scene;
	brWorldDef def = brDefaultWorldDef();
	def.gravity = scene->gravity;
	def.substeps = scene->substeps;
	def.enableSleep = scene->enableSleep;
	def.maxBodies = scene->budget.bodies;
	def.maxContacts = scene->budget.contacts;
	brBreakBudget budget = brDefaultBreakBudget();
	budget.piecesPerStep = scene->budget.piecesPerStep;
	budget.bodies = scene->budget.bodies;
	budget.secondsPerStep = scene->budget.secondsPerStep;
	budget.dustSize = scene->budget.dustSize;
	budget.dustTime = scene->budget.dustTime;
	brResult result = brCreateWorld(&run->context, &def, &run->world, report);
	result = result < 0 ? result : brWorld_SetBreakBudget(run->world, &budget, report);
	if (result >= 0 && scene->hasGround)
	{
		result = runMakeGround(run, report);
	}
	for (int32_t i = 0; i < scene->bodyCount && result >= 0; ++i)
	{
		if (!(scene->bodies[i].time > 0.0))
		{
			result = runEnter(run, i, report);
		}
	}
	for (int32_t i = 0; i < scene->jointCount && result >= 0; ++i)
	{
		result = runMakeJoint(run, &scene->joints[i], report);
	}
	return result;
}

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
	*outCount = brWorld_Bodies(run->world, NULL, 0);
	brBodyId* ids = BR_ALLOC(&run->allocator, brBodyId, *outCount);
	if (ids != NULL)
	{
		brWorld_Bodies(run->world, ids, *outCount);
	}
	return ids;
}

// Energy and mass now, for the books before and after events.
static bool runTotals(const brRun* run, double* outEnergy, double* outMass)
{
	int32_t count;
	brBodyId* ids = runBodies(run, &count);
	if (ids == NULL)
	{
		return false;
	}
	brWorldEnergy energy = brWorld_Energy(run->world);
	*outEnergy = energy.kinetic + energy.potential;
	*outMass = runMass(run, ids, count);
	BR_FREE(&run->allocator, ids, count);
	return true;
}

static brResult runEvent(brRun* run, const brSceneEvent* event, brReport* report)
{
	brBodyId none = {0, 0};
	brBodyId id = event->body >= 0 ? run->ids[event->body] : none;
	switch (event->kind)
	{
		case br_sceneEnter:
			return runEnter(run, event->body, report);
		case br_sceneRemove:
			brWorld_DestroyBody(run->world, id); // one that broke before is gone already
			return br_success;
		case br_sceneVelocity:
			brWorld_SetVelocity(run->world, id, event->vector, event->spin);
			return br_success;
		case br_sceneGravity:
			brWorld_SetGravity(run->world, event->vector);
			return br_success;
	}
	return br_success;
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
		brResult result = runEvent(run, &scene->events[run->nextEvent], report);
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
	return br_success;
}

static brResult runAddRow(brRun* run, double seconds, brReport* report)
{
	brStepStats stats = brWorld_Stats(run->world);
	brWorldEnergy energy = brWorld_Energy(run->world);
	int32_t count;
	brBodyId* ids = runBodies(run, &count);
	if (ids == NULL)
	{
		return brFailMemory(report);
	}
	brBreakStats broken = brWorld_BreakStats(run->world);
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
	row.potential = energy.potential;
	row.energyIn = run->energyIn;
	row.mass = runMass(run, ids, count);
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

// The mesh of a model in the recording, copied there the first time.
static int32_t runModelMesh(brRun* run, int32_t model, brReport* report)
{
	if (run->modelMeshes[model] < 0)
	{
		brMesh* copy = NULL;
		if (brCopyMesh(&run->context, run->scene->models[model].mesh, &copy, report) >= 0)
		{
			run->modelMeshes[model] = brRecording_AddMesh(run->recording, copy);
			if (run->modelMeshes[model] < 0)
			{
				brDestroyMesh(copy);
			}
		}
	}
	return run->modelMeshes[model];
}

// A slab of the scene's size whose top is the ground.
static brResult runRecordGround(brRun* run, brReport* report)
{
	const brScene* scene = run->scene;
	brDBox3 box = brMakeDBox3Empty();
	for (int32_t i = 0; i < scene->bodyCount; ++i)
	{
		box = brDBox3_Include(box, scene->bodies[i].pose.p);
	}
	brDVec3 middle = brDLerp(box.lower, box.upper, 0.5), extent = brDSub(box.upper, box.lower);
	double size = scene->groundSize > 0.0 ? scene->groundSize : 3.0 * fmax(fmax(extent.x, extent.y), extent.z) + 2.0;
	size = fmin(size, 1000.0);
	brModelDef def = brDefaultModelDef("box");
	brModelDef_Set(&def, "width", size);
	brModelDef_Set(&def, "depth", size);
	brModelDef_Set(&def, "height", RUN_SLAB * size);
	brMesh* mesh = NULL;
	brResult result = brMakeModel(&run->context, &def, &mesh, report);
	if (result < 0)
	{
		return result;
	}
	for (int32_t i = 0; i < mesh->materialCount; ++i)
	{
		snprintf(mesh->materials[i].name, sizeof(mesh->materials[i].name), "ground");
		mesh->materials[i].baseColor = scene->groundColor;
		mesh->materials[i].roughness = 0.9f;
	}
	int32_t index = brRecording_AddMesh(run->recording, mesh);
	if (index < 0)
	{
		brDestroyMesh(mesh);
		return brFailMemory(report);
	}
	brTransform pose = brMakeTransformIdentity();
	pose.p = brMakeDVec3(middle.x, middle.y, scene->groundHeight - RUN_SLAB * size);
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
		if (!brRecording_Move(run->recording, live.recorded, brWorld_GetPose(run->world, live.id)))
		{
			return brFailMemory(report);
		}
		run->live.data[kept++] = live;
	}
	run->live.count = kept;
	return br_success;
}

// A piece has a mesh of its own, copied from the world.
static int32_t runPieceMesh(brRun* run, brBodyId id, brReport* report)
{
	brMesh* copy = NULL;
	if (brCopyMesh(&run->context, brWorld_GetMesh(run->world, id), &copy, report) < 0)
	{
		return -1;
	}
	int32_t mesh = brRecording_AddMesh(run->recording, copy);
	if (mesh < 0)
	{
		brDestroyMesh(copy);
	}
	return mesh;
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
	int32_t mesh =
		isPiece ? runPieceMesh(run, id, report) : runModelMesh(run, scene->bodies[userData - 1].model, report);
	if (mesh < 0 || !BR_RESERVE(&run->allocator, &run->live, 1))
	{
		return brFailMemory(report);
	}
	char name[64];
	snprintf(name, sizeof(name), isPiece ? "%.40s_piece_%d" : "%s",
			 isOfScene ? scene->bodies[userData - 1].name : "body", run->recording->bodyCount);
	int32_t recorded =
		brRecording_AddBody(run->recording, name, mesh, parent, isPiece ? br_recordedPiece : br_recordedBody,
							brWorld_GetPose(run->world, id));
	if (recorded < 0)
	{
		return brFailMemory(report);
	}
	run->live.data[run->live.count++] = (brRunLive){id, recorded};
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

// Breaks of the last step; they belong to the frame that is recorded next.
static brResult runRecordBreaks(brRun* run, brReport* report)
{
	int32_t count;
	const brBreakEvent* events = brWorld_BreakEvents(run->world, &count);
	for (int32_t i = 0; i < count; ++i)
	{
		brRecordedBreak what = {
			.frame = run->recording->frameCount,
			.body = runRecorded(run, events[i].parent),
			.pieces = events[i].pieceCount,
			.point = {(float)events[i].point.x, (float)events[i].point.y, (float)events[i].point.z},
			.energy = (float)events[i].energy,
		};
		if (!brRecording_AddBreak(run->recording, &what))
		{
			return brFailMemory(report);
		}
	}
	return br_success;
}

static brResult runRecord(brRun* run, int32_t firstStep, brReport* report)
{
	brStepStats stats = brWorld_Stats(run->world);
	brWorldEnergy energy = brWorld_Energy(run->world);
	brRecordedFrame frame = {
		.bodies = brWorld_BodyCount(run->world),
		.awake = stats.awake,
		.contacts = stats.contacts,
		.kinetic = (float)energy.kinetic,
		.potential = (float)energy.potential,
	};
	for (int32_t i = firstStep; i < run->steps.count; ++i)
	{
		frame.stepSeconds = fmaxf(frame.stepSeconds, (float)run->steps.data[i].seconds);
	}
	if (!brRecording_BeginFrame(run->recording, &frame))
	{
		return brFailMemory(report);
	}
	bool isFirst = run->recording->frameCount == 1;
	brResult result = isFirst && run->scene->hasGround ? runRecordGround(run, report) : br_success;
	result = result < 0 ? result : runRecordMoves(run, report);
	return result < 0 ? result : runRecordBirths(run, report);
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
	result = run->recording != NULL ? runMakeWorld(run, report) : brFailMemory(report);
	if (result >= 0 && !runTotals(run, &run->energyIn, &run->massIn))
	{
		result = brFailMemory(report);
	}
	result = result < 0 ? result : runRecord(run, 0, report);
	if (result < 0)
	{
		brDestroyRun(run);
		return result;
	}
	*outRun = run;
	return brSucceed(report);
}

brResult brRun_Frame(brRun* run, brReport* report)
{
	const brScene* scene = run->scene;
	int32_t firstStep = run->steps.count;
	double dt = 1.0 / (scene->frameRate * scene->stepsPerFrame);
	for (int32_t i = 0; i < scene->stepsPerFrame; ++i)
	{
		int64_t start = brClockNanoseconds();
		brResult result = runEvents(run, run->step * dt, report);
		result = result < 0 ? result : brWorld_Step(run->world, dt, report);
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
	return runRecord(run, firstStep, report);
}

int32_t brRun_FrameTotal(const brRun* run)
{
	return (int32_t)ceil(run->scene->duration * run->scene->frameRate - 1e-9);
}

bool brRun_IsDone(const brRun* run)
{
	return run->frame >= brRun_FrameTotal(run);
}

int32_t brRun_FrameCount(const brRun* run)
{
	return run->frame;
}

brWorld* brRun_World(brRun* run)
{
	return run->world;
}

const brRecording* brRun_Recording(const brRun* run)
{
	return run->recording;
}

int32_t brRun_BreakCount(const brRun* run)
{
	return run->breakCount;
}

int32_t brRun_PieceCount(const brRun* run)
{
	return run->pieceCount;
}

const brRunStep* brRun_Steps(const brRun* run, int32_t* outCount)
{
	*outCount = run->steps.count;
	return run->steps.data;
}
