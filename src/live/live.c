// SPDX-License-Identifier: MIT

// A world, those who watch it, and the one who drives. Commands wait in a queue and are carried out between steps; after each call that
// changed something every client gets one frame.

#include "brittle/live.h"

#include "base/assert.h"
#include "base/clock.h"
#include "base/report.h"
#include "brittle/models.h"
#include "live/command.h"
#include "live/hand.h"
#include "live/view.h"
#include "scene/scene_world.h"

#include <stdio.h>
#include <string.h>

#define LIVE_MAX_DEBT 0.25     // [s] of the world that may wait; more is given up
#define LIVE_MAX_QUEUE 1024    // commands between two calls
#define LIVE_BURST 0.5         // [s] of messages that may come at once
#define LIVE_RATE_WINDOW 1.0   // [s]
#define LIVE_STEPS_OF_SCENE 15 // a power of two of steps of a pose across the scene
#define LIVE_BALL 0.035        // default radius against the scene's size
#define LIVE_BALL_RESOLUTION 8
#define LIVE_REACH 30.0 // balls start no further out than this, in sizes of the scene

typedef struct LiveClient
{
	bool isThere;
	bool needsAll;           // is to be told everything before anything else
	int64_t order;           // who came first
	double allowance;        // messages
	BR_ARRAY(uint8_t) queue; // messages, each after its size in 8 bytes
	int32_t head;            // of the oldest
} LiveClient;

struct brLive
{
	brContext context;
	brAllocator allocator;
	const brScene* scene;
	brLiveDef def;
	brWorld* world;
	brBodyId ground;
	brBodyId* ids; // [scene->bodyCount]
	int32_t nextEvent;
	int64_t step, worldStep;
	double dt, debt;
	double size; // of the scene [m]
	brDBox3 box;

	double speed;
	brDVec3 gravity; // as the driver wants it
	bool hasGravity;
	int32_t material; // 0: the scene's
	brSceneMaterial instead;
	brHand hand;

	BR_ARRAY(brLiveCommand) commands;
	BR_ARRAY(brBodyId) balls; // oldest first
	brLiveView view;
	brLiveNumbers numbers;
	brByteArray message;
	LiveClient* clients; // [def.maxClients]
	int64_t nextOrder;
	bool isStatusDue;
	bool isFrameDue;
	int32_t refused;
	uint64_t sentBytes;
	double windowWanted, windowDone;
};

brLiveDef brDefaultLiveDef(void)
{
	return (brLiveDef){
		.maxClients = 16,
		.maxBalls = 24,
		.messagesPerSecond = 240.0,
		.queueBytes = 8u << 20,
		.stepSeconds = 0.02,
		.stamp = BR_STAMP,
	};
}

// The world

static const brSceneMaterial* liveInstead(const brLive* live)
{
	return live->material > 0 ? &live->instead : NULL;
}

// The scene from its start, with the driver's settings. What was there stays if it fails.
static brResult liveBegin(brLive* live, brReport* report)
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
	BR_FREE(&live->allocator, live->ids, live->scene->bodyCount);
	live->world = world, live->ground = ground, live->ids = ids;
	live->nextEvent = 0;
	live->worldStep = 0;
	live->debt = 0.0;
	live->hand = (brHand){.body = {0, 0}};
	live->balls.count = 0;
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

// Bodies that are still whole are made of something else where they are. Joints would be lost, so a scene with joints begins anew.
static brResult liveChangeMaterial(brLive* live, int32_t material, brReport* report)
{
	live->material = material;
	if (material > 0)
	{
		brSceneMaterial_Find(brMaterial_Info(material - 1)->name, &live->instead);
	}
	live->isStatusDue = true;
	if (live->scene->jointCount > 0)
	{
		return liveBegin(live, report);
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

static void liveDropBalls(brLive* live, int32_t most)
{
	int32_t extra = live->balls.count - most;
	if (extra <= 0)
	{
		return;
	}
	for (int32_t i = 0; i < extra; ++i)
	{
		brWorld_DestroyBody(live->world, live->balls.data[i]);
	}
	memmove(live->balls.data, live->balls.data + extra, sizeof(brBodyId) * (size_t)(live->balls.count - extra));
	live->balls.count -= extra;
}

static brResult liveThrow(brLive* live, const brLiveCommand* command, brReport* report)
{
	brDVec3 middle = brDLerp(live->box.lower, live->box.upper, 0.5);
	if (brDDistance(command->point, middle) > LIVE_REACH * live->size)
	{
		return br_success; // too far out to matter
	}
	double radius = fmin(fmax(command->value, 0.1 * LIVE_BALL * live->size), 4.0 * LIVE_BALL * live->size);
	brSceneMaterial steel = brDefaultSceneMaterial();
	brModelDef model = brDefaultModelDef("icosphere");
	model.resolution = LIVE_BALL_RESOLUTION;
	brModelDef_Set(&model, "diameter", 2.0 * radius);
	brShapeDef sphere = brDefaultShapeDef(br_shapeSphere);
	sphere.radius = radius;
	brMesh* mesh = NULL;
	brShape* shape = NULL;
	liveDropBalls(live, live->def.maxBalls - 1);
	bool isReady = BR_RESERVE(&live->allocator, &live->balls, 1);
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
		brDBox3 box = brMesh_Bounds(mesh);
		brAffine move = brMakeAffineIdentity();
		move.p = brDMul(-0.5, brDAdd(box.lower, box.upper));
		brMesh_Transform(mesh, &move);
		def.pose.p = command->point;
		def.velocity = command->velocity;
		def.rolling = 0.02;
		def.userData = BR_LIVE_BALL;
		brBreakDef breaking = brDefaultBreakDef();
		breaking.method = br_breakNone;
		breaking.mesh = mesh;
		breaking.material = steel.physics;
		brReport inner = {0};
		brBodyId id = brWorld_CreateBreakable(live->world, &def, &breaking, &inner);
		if (id.index1 != 0)
		{
			live->balls.data[live->balls.count++] = id;
		}
		result = id.index1 == 0 && inner.code == br_errorMemory ? brFailMemory(report) : br_success;
	}
	brDestroyShape(shape);
	brDestroyMesh(mesh);
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

static brResult liveStepWorld(brLive* live, brReport* report)
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
	brStepStats stats = brWorld_Stats(live->world);
	brBreakStats broken = brWorld_BreakStats(live->world);
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

// Carries out one command, and tells the log.
static brResult liveCarryOut(brLive* live, const brLiveCommand* command, brReport* report)
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
			return liveBegin(live, report);
		case br_liveStep:
			return live->speed == 0.0 ? liveStepWorld(live, report) : br_success;
	}
	return br_success;
}

// Clients

static LiveClient* liveClient(const brLive* live, int32_t client)
{
	bool isThere = client >= 0 && client < live->def.maxClients && live->clients[client].isThere;
	return isThere ? &live->clients[client] : NULL;
}

static int32_t liveDriver(const brLive* live)
{
	int32_t driver = -1;
	for (int32_t i = 0; i < live->def.maxClients; ++i)
	{
		bool isEarlier =
			live->clients[i].isThere && (driver < 0 || live->clients[i].order < live->clients[driver].order);
		driver = isEarlier ? i : driver;
	}
	return driver;
}

// One message behind the others. A client without room or memory for it is told everything later instead.
static void liveSend(brLive* live, LiveClient* client, const brByteArray* message)
{
	int64_t size = message->bytes.count;
	if (client->needsAll)
	{
		return;
	}
	int32_t waiting = client->queue.count - client->head;
	if (client->head > waiting)
	{
		memmove(client->queue.data, client->queue.data + client->head, (size_t)waiting);
		client->queue.count = waiting;
		client->head = 0;
	}
	bool fits = waiting == 0 || (uint64_t)waiting + (uint64_t)size + 8 <= live->def.queueBytes;
	if (message->failed || !fits || !BR_RESERVE(&live->allocator, &client->queue, size + 8))
	{
		client->queue.count = client->head = 0;
		client->needsAll = true;
		return;
	}
	memcpy(client->queue.data + client->queue.count, &size, 8);
	memcpy(client->queue.data + client->queue.count + 8, message->bytes.data, (size_t)size);
	client->queue.count += (int32_t)(size + 8);
}

static void livePutHello(const brLive* live, brByteArray* out)
{
	const uint8_t kind = br_liveHello;
	brByteArray_Add(out, &kind, 1);
	brByteArray_PutCount(out, BR_LIVE_VERSION);
	brByteArray_PutDouble(out, live->view.unit);
	brByteArray_PutDouble(out, BR_LIVE_ROTATION_STEP);
	brByteArray_PutDouble(out, live->dt);
	brByteArray_PutText(out, live->scene->title);
	brByteArray_PutCount(out, (uint64_t)brMaterial_Count());
	for (int32_t i = 0; i < brMaterial_Count(); ++i)
	{
		brByteArray_PutText(out, brMaterial_Info(i)->name);
	}
	brByteArray_PutFloat(out, (float)(LIVE_BALL * live->size));
	brByteArray_PutFloat(out, (float)(2.5 * sqrt(9.81 * live->size)));
	const brDVec3 corners[2] = {live->box.lower, live->box.upper};
	for (int32_t i = 0; i < 2; ++i)
	{
		brByteArray_PutFloat(out, (float)corners[i].x);
		brByteArray_PutFloat(out, (float)corners[i].y);
		brByteArray_PutFloat(out, (float)corners[i].z);
	}
}

static void livePutStatus(const brLive* live, int32_t client, int32_t clientCount, brByteArray* out)
{
	const uint8_t kind = br_liveStatus;
	brByteArray_Add(out, &kind, 1);
	brByteArray_PutCount(out, liveDriver(live) == client ? 1 : 0);
	brByteArray_PutCount(out, (uint64_t)clientCount);
	brByteArray_PutFloat(out, (float)live->speed);
	brDVec3 gravity = live->hasGravity ? live->gravity : live->scene->gravity;
	brByteArray_PutFloat(out, (float)gravity.x);
	brByteArray_PutFloat(out, (float)gravity.y);
	brByteArray_PutFloat(out, (float)gravity.z);
	brByteArray_PutCount(out, (uint64_t)live->material);
}

static int32_t liveClientCount(const brLive* live)
{
	int32_t count = 0;
	for (int32_t i = 0; i < live->def.maxClients; ++i)
	{
		count += live->clients[i].isThere;
	}
	return count;
}

// An empty message in the scratch.
static brByteArray* liveNewMessage(brLive* live)
{
	live->message.bytes.count = 0;
	live->message.failed = false;
	return &live->message;
}

// Everything, for those who have waited for it. Only to empty queues, so that a slow client is never sent two of them.
static void liveTellAll(brLive* live)
{
	bool isMade = false;
	for (int32_t i = 0; i < live->def.maxClients; ++i)
	{
		LiveClient* client = &live->clients[i];
		if (!client->isThere || !client->needsAll)
		{
			continue;
		}
		if (!isMade && !brLiveView_Snapshot(&live->view, &live->numbers, liveNewMessage(live)))
		{
			return; // next time
		}
		isMade = true;
		client->needsAll = false;
		liveSend(live, client, &live->message);
	}
}

static void liveTellStatus(brLive* live)
{
	int32_t count = liveClientCount(live);
	for (int32_t i = 0; i < live->def.maxClients; ++i)
	{
		if (live->clients[i].isThere)
		{
			brByteArray* message = liveNewMessage(live);
			livePutStatus(live, i, count, message);
			liveSend(live, &live->clients[i], message);
		}
	}
	live->isStatusDue = false;
}

// What has changed to everybody, and everything to those who need it.
static void liveTell(brLive* live)
{
	if (live->isFrameDue)
	{
		brByteArray* message = liveNewMessage(live);
		message->failed = !brLiveView_Frame(&live->view, &live->numbers, message);
		live->sentBytes += (uint64_t)message->bytes.count;
		for (int32_t i = 0; i < live->def.maxClients; ++i)
		{
			if (live->clients[i].isThere)
			{
				liveSend(live, &live->clients[i], message);
			}
		}
		live->isFrameDue = false;
		live->numbers.stepSeconds = live->numbers.detectSeconds = 0.0;
		live->numbers.solveSeconds = live->numbers.breakSeconds = 0.0;
	}
	// Somebody who lost messages may have lost a status too.
	for (int32_t i = 0; i < live->def.maxClients; ++i)
	{
		live->isStatusDue = live->isStatusDue || (live->clients[i].isThere && live->clients[i].needsAll);
	}
	liveTellAll(live);
	if (live->isStatusDue)
	{
		liveTellStatus(live);
	}
}

// The public calls

static void liveMeasure(brLive* live)
{
	brDBox3 box = live->scene->camera.frame;
	if (!(box.lower.x <= box.upper.x))
	{
		box = brMakeDBox3Empty();
		for (int32_t i = 0; i < live->scene->bodyCount; ++i)
		{
			const brSceneBody* body = &live->scene->bodies[i];
			brDBox3 own = brMesh_Bounds(live->scene->models[body->model].mesh);
			brDVec3 middle = brTransform_Point(body->pose, brDLerp(own.lower, own.upper, 0.5));
			double reach = 0.5 * brDDistance(own.lower, own.upper);
			brDVec3 all = brMakeDVec3(reach, reach, reach);
			box = brDBox3_Include(brDBox3_Include(box, brDSub(middle, all)), brDAdd(middle, all));
		}
	}
	bool isEmpty = !(box.lower.x <= box.upper.x);
	live->box = isEmpty ? (brDBox3){{-1.0, -1.0, 0.0}, {1.0, 1.0, 2.0}} : box;
	brDVec3 extent = brDSub(live->box.upper, live->box.lower);
	live->size = fmin(fmax(fmax(extent.x, fmax(extent.y, extent.z)), 0.02), 1e4);
	int exponent;
	frexp(live->size, &exponent);
	live->view.unit = ldexp(1.0, exponent - LIVE_STEPS_OF_SCENE);
}

brResult brCreateLive(const brContext* context, const brScene* scene, const brLiveDef* def, brLive** outLive,
					  brReport* report)
{
	brLiveDef defaults = brDefaultLiveDef();
	def = def != NULL ? def : &defaults;
	if (scene == NULL || outLive == NULL || def->stamp != BR_STAMP || def->maxClients < 1 || def->maxClients > 64 ||
		def->maxBalls < 1 || !(def->messagesPerSecond > 0.0) || !(def->stepSeconds > 0.0))
	{
		return brFail(report, br_errorMisuse, "a live world needs a scene and a def with room for clients and balls");
	}
	brAllocator allocator = brContext_Allocator(context);
	brLive* live = BR_ALLOC_ZERO(&allocator, brLive, 1);
	if (live == NULL)
	{
		return brFailMemory(report);
	}
	live->allocator = allocator;
	live->scene = scene;
	live->def = *def;
	live->speed = 1.0;
	live->dt = 1.0 / (scene->frameRate * scene->stepsPerFrame);
	live->message.allocator = allocator;
	live->nextOrder = 1;
	if (context != NULL)
	{
		live->context = *context;
	}
	live->context.cancel = NULL; // a step is short
	brResult result = brLiveView_Init(&live->view, context, scene, report);
	live->clients = BR_ALLOC_ZERO(&allocator, LiveClient, def->maxClients);
	result = result < 0 || live->clients != NULL ? result : brFailMemory(report);
	if (result >= 0)
	{
		liveMeasure(live);
		result = liveBegin(live, report);
	}
	if (result >= 0)
	{
		liveTell(live);
		*outLive = live;
		return brSucceed(report);
	}
	brDestroyLive(live);
	return result;
}

void brDestroyLive(brLive* live)
{
	if (live == NULL)
	{
		return;
	}
	brAllocator allocator = live->allocator;
	for (int32_t i = 0; i < live->def.maxClients && live->clients != NULL; ++i)
	{
		BR_FREE_ARRAY(&allocator, &live->clients[i].queue);
	}
	BR_FREE(&allocator, live->clients, live->def.maxClients);
	brLiveView_Destroy(&live->view);
	brDestroyWorld(live->world);
	BR_FREE(&allocator, live->ids, live->scene->bodyCount);
	BR_FREE_ARRAY(&allocator, &live->commands);
	BR_FREE_ARRAY(&allocator, &live->balls);
	brByteArray_Destroy(&live->message);
	BR_FREE(&allocator, live, 1);
}

int32_t brLive_Join(brLive* live)
{
	int32_t free = -1;
	for (int32_t i = live->def.maxClients - 1; i >= 0; --i)
	{
		free = live->clients[i].isThere ? free : i;
	}
	brByteArray* hello = liveNewMessage(live);
	livePutHello(live, hello);
	if (free < 0 || hello->failed)
	{
		return -1;
	}
	LiveClient* client = &live->clients[free];
	client->isThere = true;
	client->needsAll = false;
	client->order = live->nextOrder++;
	client->allowance = LIVE_BURST * live->def.messagesPerSecond;
	client->queue.count = client->head = 0;
	liveSend(live, client, hello);
	if (client->needsAll) // there was no memory for the first message, without which the others mean nothing
	{
		brLive_Leave(live, free);
		return -1;
	}
	client->needsAll = true;
	live->isStatusDue = true;
	liveTell(live);
	return free;
}

void brLive_Leave(brLive* live, int32_t client)
{
	LiveClient* who = liveClient(live, client);
	if (who == NULL)
	{
		return;
	}
	if (brLive_IsDriver(live, client))
	{
		// Behind what it asked for before it left, which may be a grab. Without memory the next driver's first grab lets go.
		(void)BR_PUSH(&live->allocator, &live->commands, (brLiveCommand){.kind = br_liveRelease});
	}
	BR_FREE_ARRAY(&live->allocator, &who->queue);
	who->isThere = false;
	live->isStatusDue = true;
}

bool brLive_IsDriver(const brLive* live, int32_t client)
{
	return liveClient(live, client) != NULL && liveDriver(live) == client;
}

brResult brLive_Receive(brLive* live, int32_t client, const void* bytes, size_t byteCount, brReport* report)
{
	LiveClient* who = liveClient(live, client);
	brLiveCommand command;
	if (who == NULL)
	{
		return brFail(report, br_errorMisuse, "client %d is not there", client);
	}
	brResult result = brLiveCommand_Decode(bytes, byteCount, &command, report);
	if (result < 0)
	{
		live->refused += 1;
		return result;
	}
	bool isTooMany = who->allowance < 1.0 || live->commands.count >= LIVE_MAX_QUEUE;
	if (isTooMany || !brLive_IsDriver(live, client))
	{
		live->refused += 1;
		return brFail(report, br_remarkDropped,
					  isTooMany ? "client %d sends more than it may" : "client %d does not drive", client);
	}
	who->allowance -= 1.0;
	return BR_PUSH(&live->allocator, &live->commands, command) ? brSucceed(report) : brFailMemory(report);
}

brResult brLive_Apply(brLive* live, const void* bytes, size_t byteCount, brReport* report)
{
	brLiveCommand command;
	brResult result = brLiveCommand_Decode(bytes, byteCount, &command, report);
	result = result < 0 ? result : liveCarryOut(live, &command, report);
	liveTell(live);
	return result;
}

brResult brLive_Step(brLive* live, brReport* report)
{
	brResult result = liveStepWorld(live, report);
	liveTell(live);
	return result;
}

// How well the world keeps up, over about a second.
static void liveRate(brLive* live, double wanted, double done)
{
	live->windowWanted += wanted;
	live->windowDone += done;
	if (live->windowWanted > 0.1 * LIVE_RATE_WINDOW)
	{
		live->numbers.rate = live->windowDone / live->windowWanted;
	}
	if (live->windowWanted > LIVE_RATE_WINDOW)
	{
		live->windowWanted *= 0.5;
		live->windowDone *= 0.5;
	}
}

brResult brLive_Advance(brLive* live, double seconds, brReport* report)
{
	int64_t start = brClockNanoseconds();
	brResult result = br_success;
	seconds = seconds > 0.0 ? fmin(seconds, 1.0) : 0.0;
	for (int32_t i = 0; i < live->def.maxClients; ++i)
	{
		LiveClient* client = &live->clients[i];
		client->allowance =
			fmin(client->allowance + seconds * live->def.messagesPerSecond, LIVE_BURST * live->def.messagesPerSecond);
	}
	for (int32_t i = 0; i < live->commands.count && result >= 0; ++i)
	{
		result = liveCarryOut(live, &live->commands.data[i], report);
	}
	live->commands.count = 0;

	double wanted = seconds * live->speed, done = 0.0;
	live->debt += wanted;
	while (result >= 0 && live->debt >= live->dt && (done == 0.0 || brSecondsSince(start) < live->def.stepSeconds))
	{
		result = liveStepWorld(live, report);
		live->debt -= live->dt;
		done += live->dt;
	}
	live->debt = fmin(live->debt, fmax(LIVE_MAX_DEBT, live->dt));
	liveRate(live, wanted, done);
	liveTell(live);
	return result;
}

const void* brLive_Message(const brLive* live, int32_t client, size_t* outByteCount)
{
	const LiveClient* who = liveClient(live, client);
	*outByteCount = 0;
	if (who == NULL || who->head == who->queue.count)
	{
		return NULL;
	}
	int64_t size;
	memcpy(&size, who->queue.data + who->head, 8);
	*outByteCount = (size_t)size;
	return who->queue.data + who->head + 8;
}

void brLive_TakeMessage(brLive* live, int32_t client)
{
	LiveClient* who = liveClient(live, client);
	size_t size;
	if (who != NULL && brLive_Message(live, client, &size) != NULL)
	{
		who->head += (int32_t)size + 8;
		who->queue.count = who->head == who->queue.count ? 0 : who->queue.count;
		who->head = who->queue.count == 0 ? 0 : who->head;
	}
}

brLiveStats brLive_Stats(const brLive* live)
{
	return (brLiveStats){
		.step = live->step,
		.time = live->numbers.time,
		.clients = liveClientCount(live),
		.bodies = live->view.bodyCount,
		.pieces = live->view.pieceCount,
		.balls = live->view.ballCount,
		.breaks = live->numbers.breaks,
		.refused = live->refused,
		.rate = live->numbers.rate,
		.speed = live->speed,
		.sentBytes = live->sentBytes,
	};
}

const brWorld* brLive_World(const brLive* live)
{
	return live->world;
}
