// SPDX-License-Identifier: MIT

// Those who watch a live world, and the one who drives. Commands wait in a queue and are carried out between steps;
// after each call that changed something every client gets one frame.

#include "live/live_state.h"

#include "base/assert.h"
#include "base/clock.h"
#include "base/report.h"

#include <string.h>

#define LIVE_MAX_DEBT 0.25     // [s] of the world that may wait; more is given up
#define LIVE_MAX_QUEUE 1024    // commands between two calls
#define LIVE_BURST 0.5         // [s] of messages that may come at once
#define LIVE_RATE_WINDOW 1.0   // [s]
#define LIVE_STEPS_OF_SCENE 15 // a power of two of steps of a pose across the scene

brLiveDef brDefaultLiveDef(void)
{
	return (brLiveDef){
		.maxClients = 16,
		.maxBalls = 24,
		.messagesPerSecond = 240.0,
		.queueBytes = 8u << 20,
		.stepSeconds = 0.02,
		.stamp = BR_STAMP(brLiveDef),
	};
}

// Clients

static brLiveClient* liveClient(const brLive* live, int32_t client)
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
static void liveSend(brLive* live, brLiveClient* client, const brByteArray* message)
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
	brByteArray_PutCount(out, (uint64_t)brGetMaterialCount());
	for (int32_t i = 0; i < brGetMaterialCount(); ++i)
	{
		brByteArray_PutText(out, brGetMaterial(i)->name);
	}
	brByteArray_PutFloat(out, (float)(BR_LIVE_BALL_SIZE * live->size));
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
		brLiveClient* client = &live->clients[i];
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
			brDBox3 own = brMesh_ComputeBounds(live->scene->models[body->model].mesh);
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
	if (scene == NULL || outLive == NULL || def->stamp != BR_STAMP(*def) || def->maxClients < 1 ||
		def->maxClients > 64 || def->maxBalls < 1 || !(def->messagesPerSecond > 0.0) || !(def->stepSeconds > 0.0))
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
	if (result >= 0 && def->gpu != NULL)
	{
		result = brCreateGpuStages(context, def->gpu, &live->stages, report);
	}
	live->clients = BR_ALLOC_ZERO(&allocator, brLiveClient, def->maxClients);
	result = result < 0 || live->clients != NULL ? result : brFailMemory(report);
	if (result >= 0)
	{
		liveMeasure(live);
		result = brLive_Begin(live, report);
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
	brDestroyGpuStages(live->stages);
	BR_FREE(&allocator, live->ids, live->scene->bodyCount);
	BR_FREE_ARRAY(&allocator, &live->commands);
	brByteArray_Destroy(&live->message);
	BR_FREE(&allocator, live, 1);
}

int32_t brLive_Join(brLive* live)
{
	if (live == NULL)
	{
		return -1;
	}
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
	brLiveClient* client = &live->clients[free];
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
	if (live == NULL)
	{
		return;
	}
	brLiveClient* who = liveClient(live, client);
	if (who == NULL)
	{
		return;
	}
	if (brLive_IsDriver(live, client))
	{
		// Behind what it asked for before it left, which may be a grab. Without memory the next driver's first grab
		// lets go.
		(void)BR_PUSH(&live->allocator, &live->commands, (brLiveCommand){.kind = br_liveRelease});
	}
	BR_FREE_ARRAY(&live->allocator, &who->queue);
	who->isThere = false;
	live->isStatusDue = true;
}

bool brLive_IsDriver(const brLive* live, int32_t client)
{
	if (live == NULL)
	{
		return false;
	}
	return liveClient(live, client) != NULL && liveDriver(live) == client;
}

brResult brLive_Receive(brLive* live, int32_t client, const void* bytes, size_t byteCount, brReport* report)
{
	if (live == NULL)
	{
		return brFail(report, br_errorMisuse, "brLive_Receive needs live");
	}
	brLiveClient* who = liveClient(live, client);
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
	if (live == NULL)
	{
		return brFail(report, br_errorMisuse, "brLive_Apply needs live");
	}
	brLiveCommand command;
	brResult result = brLiveCommand_Decode(bytes, byteCount, &command, report);
	result = result < 0 ? result : brLive_CarryOut(live, &command, report);
	liveTell(live);
	return result;
}

brResult brLive_Step(brLive* live, brReport* report)
{
	if (live == NULL)
	{
		return brFail(report, br_errorMisuse, "brLive_Step needs live");
	}
	brResult result = brLive_StepWorld(live, report);
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
	if (live == NULL)
	{
		return brFail(report, br_errorMisuse, "brLive_Advance needs live");
	}
	int64_t start = brClockNanoseconds();
	brResult result = br_success;
	seconds = seconds > 0.0 ? fmin(seconds, 1.0) : 0.0;
	for (int32_t i = 0; i < live->def.maxClients; ++i)
	{
		brLiveClient* client = &live->clients[i];
		client->allowance =
			fmin(client->allowance + seconds * live->def.messagesPerSecond, LIVE_BURST * live->def.messagesPerSecond);
	}
	for (int32_t i = 0; i < live->commands.count && result >= 0; ++i)
	{
		result = brLive_CarryOut(live, &live->commands.data[i], report);
	}
	live->commands.count = 0;

	double wanted = seconds * live->speed, done = 0.0;
	live->debt += wanted;
	while (result >= 0 && live->debt >= live->dt && (done == 0.0 || brSecondsSince(start) < live->def.stepSeconds))
	{
		result = brLive_StepWorld(live, report);
		live->debt -= live->dt;
		done += live->dt;
	}
	live->debt = fmin(live->debt, fmax(LIVE_MAX_DEBT, live->dt));
	liveRate(live, wanted, done);
	liveTell(live);
	return result;
}

const void* brLive_PeekMessage(const brLive* live, int32_t client, size_t* outByteCount)
{
	if (live == NULL)
	{
		return NULL;
	}
	const brLiveClient* who = liveClient(live, client);
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

void brLive_PopMessage(brLive* live, int32_t client)
{
	if (live == NULL)
	{
		return;
	}
	brLiveClient* who = liveClient(live, client);
	size_t size;
	if (who != NULL && brLive_PeekMessage(live, client, &size) != NULL)
	{
		who->head += (int32_t)size + 8;
		who->queue.count = who->head == who->queue.count ? 0 : who->queue.count;
		who->head = who->queue.count == 0 ? 0 : who->head;
	}
}

brLiveStats brLive_GetStats(const brLive* live)
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

const brWorld* brLive_GetWorld(const brLive* live)
{
	if (live == NULL)
	{
		return NULL;
	}
	return live->world;
}
