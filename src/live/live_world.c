// SPDX-License-Identifier: MIT

// The world of a scene as the driver has it: a beginning, steps, and what commands do to it.

#include "live/live_state.h"

#include "base/clock.h"
#include "base/report.h"
#include "brittle/models.h"

#include <string.h>

#define LIVE_BALL_RESOLUTION 8
#define LIVE_SWING_DAMPING 1.2 // [1/s] a ball on a rope hangs still after some seconds, and a hand can take it
#define LIVE_REACH 30.0        // balls start no further out than this, in sizes of the scene

static const brSceneMaterial* liveInstead(const brLive* live)
{
	return live->material > 0 ? &live->instead : NULL;
}

brResult brLive_Begin(brLive* live, brReport* report)
{
	brWorld* world = NULL;
	brBodyId ground;
	brBodyId* ids = BR_ALLOC_ZERO(&live->allocator, brBodyId, live->scene->bodyCount);
	brResult result = ids != NULL ? br_success : brFailMemory(report);
	result = result < 0
				 ? result
				 : brMakeSceneWorld(&live->context, live->scene, liveInstead(live), ids, &world, &ground, report);
	if (result < 0)
	{
		brDestroyWorld(world);
		BR_FREE(&live->allocator, ids, live->scene->bodyCount);
		return result;
	}
	brDestroyWorld(live->world);
	brWorld_SetGpuStages(world, live->stages);
	BR_FREE(&live->allocator, live->ids, live->scene->bodyCount);
	live->world = world, live->ground = ground, live->ids = ids;
	live->nextEvent = 0;
	live->worldStep = 0;
	live->debt = 0.0;
	live->hand = (brHand){.body = {0, 0}};
	memset(&live->numbers, 0, sizeof(live->numbers));
	live->numbers.rate = 1.0;
	if (live->hasGravity)
	{
		brWorld_SetGravity(world, live->gravity);
	}
	brLiveView_SetWorld(&live->view, world);
	live->isFrameDue = true;
	return br_success;
}

// Bodies that are still whole are made of something else where they are. Joints would be lost, so a scene with joints
// begins anew.
static brResult liveChangeMaterial(brLive* live, int32_t material, brReport* report)
{
	live->material = material;
	if (material > 0)
	{
		brSceneMaterial_Find(brGetMaterial(material - 1)->name, &live->instead);
	}
	live->isStatusDue = true;
	if (live->scene->jointCount > 0)
	{
		return brLive_Begin(live, report);
	}
	brLiveView_ForgetModels(&live->view);
	for (int32_t i = 0; i < live->scene->bodyCount; ++i)
	{
		brSceneBody body = live->scene->bodies[i];
		const brSceneModel* model = &live->scene->models[body.model];
		bool canBreak = model->breaking.method != br_breakNone || model->isCluster;
		if (!canBreak || !brWorld_IsBody(live->world, live->ids[i]))
		{
			continue;
		}
		body.pose = brWorld_GetPose(live->world, live->ids[i]);
		body.velocity = brWorld_GetVelocity(live->world, live->ids[i]);
		body.spin = brWorld_GetSpin(live->world, live->ids[i]);
		brWorld_DestroyBody(live->world, live->ids[i]);
		brResult result = brSceneWorld_Enter(&live->context, live->scene, &body, i, liveInstead(live), live->world,
											 live->ids, report);
		if (result < 0)
		{
			return result;
		}
	}
	return br_success;
}

static void liveDropBall(brLive* live, int32_t index)
{
	brLiveBall ball = live->view.balls.data[index];
	brWorld_DestroyBody(live->world, ball.id);
	brWorld_DestroyBody(live->world, ball.hook);
	brLiveBall* at = &live->view.balls.data[index];
	memmove(at, at + 1, sizeof(brLiveBall) * (size_t)(live->view.balls.count - index - 1));
	live->view.balls.count -= 1;
}

// Steel about its center, in the bounds of the scene; the oldest makes room for it. Where it cannot be there is none.
static brResult liveAddBall(brLive* live, const brLiveCommand* command, brBodyId* outId, brReport* report)
{
	double radius =
		fmin(fmax(command->value, 0.1 * BR_LIVE_BALL_SIZE * live->size), 4.0 * BR_LIVE_BALL_SIZE * live->size);
	brSceneMaterial steel = brDefaultSceneMaterial();
	brModelDef model = brDefaultModelDef("icosphere");
	model.resolution = LIVE_BALL_RESOLUTION;
	brModelDef_SetParameter(&model, "diameter", 2.0 * radius);
	brShapeDef sphere = brDefaultShapeDef(br_shapeSphere);
	sphere.radius = radius;
	brMesh* mesh = NULL;
	brShape* shape = NULL;
	while (live->view.balls.count > live->def.maxBalls - 1)
	{
		liveDropBall(live, 0);
	}
	bool isReady = BR_RESERVE(&live->allocator, &live->view.balls, 1);
	brResult result = isReady ? brMakeModel(&live->context, &model, &mesh, report) : brFailMemory(report);
	result = result < 0 ? result : brCreateShape(&live->context, &sphere, &shape, report);
	if (result >= 0)
	{
		for (int32_t i = 0; i < mesh->materialCount; ++i)
		{
			mesh->materials[i] = steel.look;
		}
		brBodyDef def = brDefaultBodyDef();
		def.shape = shape;
		// The model stands on its origin, the shape is about it.
		brDBox3 box = brMesh_ComputeBounds(mesh);
		brAffine move = brMakeAffineIdentity();
		move.p = brDMul(-0.5, brDAdd(box.lower, box.upper));
		brMesh_Transform(mesh, &move);
		def.pose.p = command->point;
		def.velocity = command->velocity;
		def.rolling = 0.02;
		def.linearDamping = def.angularDamping = command->kind == br_liveSwing ? LIVE_SWING_DAMPING : 0.0;
		def.userData = BR_LIVE_BALL;
		brBreakDef breaking = brDefaultBreakDef();
		breaking.method = br_breakNone;
		breaking.mesh = mesh;
		breaking.material = steel.physics;
		brReport inner = {0};
		*outId = brWorld_CreateBreakable(live->world, &def, &breaking, &inner);
		if (outId->index1 != 0)
		{
			live->view.balls.data[live->view.balls.count++] = (brLiveBall){.id = *outId};
		}
		result = outId->index1 == 0 && inner.code == br_errorMemory ? brFailMemory(report) : br_success;
	}
	brDestroyShape(shape);
	brDestroyMesh(mesh);
	return result;
}

static bool liveIsNear(const brLive* live, brDVec3 point)
{
	brDVec3 middle = brDLerp(live->box.lower, live->box.upper, 0.5);
	return brDDistance(point, middle) <= LIVE_REACH * live->size;
}

static brResult liveThrow(brLive* live, const brLiveCommand* command, brReport* report)
{
	brBodyId id = {0, 0};
	return liveIsNear(live, command->point) ? liveAddBall(live, command, &id, report) : br_success;
}

// A wrecking ball: one hangs at a time. The hook is a static body that touches nothing.
static brResult liveSwing(brLive* live, const brLiveCommand* command, brReport* report)
{
	brDVec3 rope = brDSub(command->target, command->point);
	bool isSensible = liveIsNear(live, command->point) && liveIsNear(live, command->target) &&
					  brDLength(rope) > BR_LIVE_BALL_SIZE * live->size;
	if (!isSensible)
	{
		return br_success;
	}
	for (int32_t i = live->view.balls.count - 1; i >= 0; --i)
	{
		if (!brBodyId_IsNull(live->view.balls.data[i].hook))
		{
			liveDropBall(live, i);
		}
	}
	brBodyId id = {0, 0};
	brResult result = liveAddBall(live, command, &id, report);
	if (result < 0 || id.index1 == 0)
	{
		return result;
	}
	brShapeDef sphere = brDefaultShapeDef(br_shapeSphere);
	sphere.radius = 0.1 * BR_LIVE_BALL_SIZE * live->size;
	brShape* shape = NULL;
	brReport inner = {0};
	result = brCreateShape(&live->context, &sphere, &shape, report);
	if (result >= 0)
	{
		brBodyDef hook = brDefaultBodyDef();
		hook.kind = br_bodyStatic;
		hook.isSensor = true;
		hook.shape = shape;
		hook.pose.p = command->target;
		brJointDef joint = brDefaultJointDef();
		joint.bodyA = brWorld_CreateBody(live->world, &hook, &inner);
		joint.bodyB = id;
		joint.anchor = command->target;
		live->view.balls.data[live->view.balls.count - 1].hook = joint.bodyA;
		live->view.balls.data[live->view.balls.count - 1].rope = rope;
		bool isHung =
			!brBodyId_IsNull(joint.bodyA) && !brJointId_IsNull(brWorld_CreateJoint(live->world, &joint, &inner));
		result = isHung ? br_success : inner.code == br_errorMemory ? brFailMemory(report) : br_success;
	}
	if (result < 0 || inner.code < 0)
	{
		liveDropBall(live, live->view.balls.count - 1); // not one that falls instead
	}
	brDestroyShape(shape);
	return result;
}

static void liveGrab(brLive* live, const brLiveCommand* command)
{
	const brMesh* mesh = brLiveView_Mesh(&live->view, command->body);
	live->hand = (brHand){.body = {0, 0}};
	if (mesh != NULL)
	{
		brHand_Grab(&live->hand, live->world, command->body, mesh, command->point, command->target);
	}
}

brResult brLive_StepWorld(brLive* live, brReport* report)
{
	int64_t start = brClockNanoseconds();
	double now = (double)live->worldStep * live->dt;
	while (live->nextEvent < live->scene->eventCount && live->scene->events[live->nextEvent].time <= now)
	{
		brResult happened = brSceneWorld_Event(&live->context, live->scene, live->nextEvent, liveInstead(live),
											   live->world, live->ids, report);
		if (happened < 0)
		{
			return happened;
		}
		live->nextEvent += 1;
	}
	brHand_Pull(&live->hand, live->world, live->dt);
	brResult result = brWorld_Step(live->world, live->dt, report);
	if (result < 0)
	{
		return result;
	}
	live->step += 1;
	live->worldStep += 1;
	live->isFrameDue = true;
	brStepStats stats = brWorld_GetStats(live->world);
	brBreakStats broken = brWorld_GetBreakStats(live->world);
	live->numbers.time = (double)live->worldStep * live->dt;
	live->numbers.awake = stats.awake;
	live->numbers.contacts = stats.contacts;
	live->numbers.breaks += broken.breaks;
	live->numbers.detectSeconds += stats.broadSeconds + stats.narrowSeconds;
	live->numbers.solveSeconds += stats.islandSeconds + stats.prepareSeconds + stats.solveSeconds;
	live->numbers.breakSeconds += broken.seconds;
	live->numbers.stepSeconds = fmax(live->numbers.stepSeconds, brSecondsSince(start));
	return brLiveView_NoteBreaks(&live->view) ? br_success : brFailMemory(report);
}

brResult brLive_CarryOut(brLive* live, const brLiveCommand* command, brReport* report)
{
	if (live->def.onCommand != NULL)
	{
		uint8_t bytes[BR_LIVE_MAX_COMMAND];
		size_t count = brLiveCommand_Encode(command, bytes);
		live->def.onCommand(live->step, bytes, count, live->def.user);
	}
	live->isFrameDue = true;
	switch (command->kind)
	{
		case br_liveThrow:
			return liveThrow(live, command, report);
		case br_liveSwing:
			return liveSwing(live, command, report);
		case br_liveGrab:
			liveGrab(live, command);
			return br_success;
		case br_livePull:
			live->hand.target = command->target;
			return br_success;
		case br_liveRelease:
			live->hand.body = (brBodyId){0, 0};
			return br_success;
		case br_liveGravity:
			live->gravity = command->point;
			live->hasGravity = true;
			live->isStatusDue = true;
			brWorld_SetGravity(live->world, live->gravity);
			return br_success;
		case br_liveSpeed:
			live->speed = command->value;
			live->isStatusDue = true;
			return br_success;
		case br_liveMaterial:
			return liveChangeMaterial(live, command->material, report);
		case br_liveBegin:
			return brLive_Begin(live, report);
		case br_liveStep:
			return live->speed == 0.0 ? brLive_StepWorld(live, report) : br_success;
	}
	return br_success;
}
