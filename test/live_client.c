// SPDX-License-Identifier: MIT

#include "live_client.h"

#include "harness.h"
#include "scene/recording_file.h"

#include <stdlib.h>
#include <string.h>

void liveClient_Join(LiveTestClient* client, brLive* live)
{
	memset(client, 0, sizeof(*client));
	client->number = brLive_Join(live);
	CHECK(client->number >= 0);
}

void liveClient_Destroy(LiveTestClient* client)
{
	free(client->bodies);
}

static void takeHello(LiveTestClient* client, brByteCursor* cursor)
{
	CHECK_EQUAL(brByteCursor_GetCount(cursor, 100), BR_LIVE_VERSION);
	client->unit = brByteCursor_GetDouble(cursor);
	CHECK(brByteCursor_GetDouble(cursor) == BR_LIVE_ROTATION_STEP);
	client->dt = brByteCursor_GetDouble(cursor);
	char text[128];
	brByteCursor_GetText(cursor, text, sizeof(text));
	int64_t materials = brByteCursor_GetCount(cursor, 100);
	CHECK_EQUAL(materials, brGetMaterialCount());
	for (int64_t i = 0; i < materials; ++i)
	{
		brByteCursor_GetText(cursor, text, sizeof(text));
		CHECK(brFindMaterial(text) != NULL);
	}
	client->ballRadius = brByteCursor_GetFloat(cursor);
	client->throwSpeed = brByteCursor_GetFloat(cursor);
	for (int32_t i = 0; i < 6; ++i)
	{
		brByteCursor_GetFloat(cursor);
	}
}

static void takeStatus(LiveTestClient* client, brByteCursor* cursor)
{
	client->isDriver = brByteCursor_GetCount(cursor, 1) == 1;
	client->clientCount = (int32_t)brByteCursor_GetCount(cursor, 64);
	client->speed = brByteCursor_GetFloat(cursor);
	for (int32_t i = 0; i < 3; ++i)
	{
		brByteCursor_GetFloat(cursor);
	}
	client->material = (int32_t)brByteCursor_GetCount(cursor, brGetMaterialCount());
}

static LiveClientBody* findNumber(LiveTestClient* client, uint32_t number)
{
	for (int32_t i = 0; i < client->count; ++i)
	{
		if (client->bodies[i].number == number)
		{
			return &client->bodies[i];
		}
	}
	return NULL;
}

static void takeBirth(LiveTestClient* client, brByteCursor* cursor, uint32_t number)
{
	LiveClientBody body = {.number = number};
	body.kind = (int32_t)brByteCursor_GetCount(cursor, br_liveHungBall);
	body.id.index1 = (int32_t)brByteCursor_GetCount(cursor, INT32_MAX);
	body.id.generation = (uint32_t)brByteCursor_GetCount(cursor, UINT32_MAX);
	body.parent = (uint32_t)brByteCursor_GetCount(cursor, number);
	body.stress = brByteCursor_GetFloat(cursor);
	for (int32_t k = 0; k < (body.kind == br_liveHungBall ? 3 : 0); ++k)
	{
		body.rope[k] = brByteCursor_GetFloat(cursor);
	}
	body.mesh = (uint32_t)brByteCursor_GetCount(cursor, UINT32_MAX);
	if (brByteCursor_GetCount(cursor, 1) == 1)
	{
		brMesh* mesh = NULL;
		CHECK(brByteCursor_GetMesh(cursor, NULL, &mesh) >= 0 && mesh->faceCount > 0 && mesh->uvs == NULL);
		brDestroyMesh(mesh);
	}
	else
	{
		bool isKnown = false;
		for (int32_t i = 0; i < client->count; ++i)
		{
			isKnown = isKnown || client->bodies[i].mesh == body.mesh;
		}
		CHECK(isKnown);
	}
	for (int32_t k = 0; k < 7; ++k)
	{
		body.pose.steps[k] = (int32_t)brByteCursor_GetSigned(cursor);
	}
	for (int32_t k = 0; k < 7; ++k)
	{
		body.change.steps[k] = (int32_t)brByteCursor_GetSigned(cursor);
	}
	if (client->count == client->capacity)
	{
		client->capacity = 2 * client->capacity + 64;
		client->bodies = realloc(client->bodies, sizeof(LiveClientBody) * (size_t)client->capacity);
	}
	client->bodies[client->count++] = body;
}

static void takeFrame(LiveTestClient* client, brByteCursor* cursor)
{
	if (brByteCursor_GetCount(cursor, 1) == 1)
	{
		client->count = 0;
		client->forgets += 1;
	}
	client->time = brByteCursor_GetDouble(cursor);
	client->bodyCount = (int32_t)brByteCursor_GetCount(cursor, INT32_MAX);
	brByteCursor_GetCount(cursor, INT32_MAX);
	brByteCursor_GetCount(cursor, INT32_MAX);
	client->pieceCount = (int32_t)brByteCursor_GetCount(cursor, INT32_MAX);
	client->breaks = (int32_t)brByteCursor_GetCount(cursor, INT32_MAX);
	for (int32_t i = 0; i < 5; ++i)
	{
		CHECK(brByteCursor_GetFloat(cursor) >= 0.0f);
	}
	uint32_t number = 0;
	for (int64_t n = brByteCursor_GetCount(cursor, INT32_MAX); n > 0; --n)
	{
		number += 1 + (uint32_t)brByteCursor_GetCount(cursor, INT32_MAX);
		LiveClientBody* body = findNumber(client, number);
		CHECK_MESSAGE(body != NULL, "%u goes and was never there", number);
		int32_t at = (int32_t)(body - client->bodies);
		memmove(body, body + 1, sizeof(*body) * (size_t)(client->count - at - 1));
		client->count -= 1;
	}
	number = 0;
	int32_t first = client->count;
	for (int64_t n = brByteCursor_GetCount(cursor, INT32_MAX); n > 0; --n)
	{
		number += 1 + (uint32_t)brByteCursor_GetCount(cursor, INT32_MAX);
		CHECK(findNumber(client, number) == NULL);
		takeBirth(client, cursor, number);
	}
	// What is not listed stands still.
	bool* isListed = calloc((size_t)client->count + 1, sizeof(bool));
	number = 0;
	for (int64_t n = brByteCursor_GetCount(cursor, INT32_MAX); n > 0; --n)
	{
		number += 1 + (uint32_t)brByteCursor_GetCount(cursor, INT32_MAX);
		LiveClientBody* body = findNumber(client, number);
		CHECK(body != NULL && body < client->bodies + first);
		isListed[body - client->bodies] = true;
		client->moves += 1;
		for (int32_t k = 0; k < 7; ++k)
		{
			body->change.steps[k] += (int32_t)brByteCursor_GetSigned(cursor);
			body->pose.steps[k] += body->change.steps[k];
		}
	}
	for (int32_t i = 0; i < first; ++i)
	{
		if (!isListed[i])
		{
			memset(&client->bodies[i].change, 0, sizeof(brLivePose));
		}
	}
	free(isListed);
}

int32_t liveClient_Take(LiveTestClient* client, brLive* live)
{
	size_t size;
	const uint8_t* bytes;
	int32_t count = 0;
	while ((bytes = brLive_PeekMessage(live, client->number, &size)) != NULL)
	{
		brByteCursor cursor = {bytes + 1, bytes + size, false};
		CHECK(size > 1);
		switch (bytes[0])
		{
			case br_liveHello:
				takeHello(client, &cursor);
				break;
			case br_liveStatus:
				takeStatus(client, &cursor);
				break;
			case br_liveFrame:
				takeFrame(client, &cursor);
				break;
			default:
				CHECK_MESSAGE(false, "a message of kind %d", bytes[0]);
		}
		CHECK_MESSAGE(!cursor.failed && cursor.at == cursor.end, "a message of kind %d has the wrong size", bytes[0]);
		client->messages += 1;
		client->bytes += (int64_t)size;
		count += 1;
		brLive_PopMessage(live, client->number);
	}
	return count;
}

void liveClient_Check(const LiveTestClient* client, const brLive* live)
{
	const brWorld* world = brLive_GetWorld(live);
	int32_t seen = 0, pieces = 0, hooks = 0;
	for (int32_t i = 0; i < client->count; ++i)
	{
		const LiveClientBody* body = &client->bodies[i];
		CHECK(i == 0 || body->number > client->bodies[i - 1].number);
		if (body->kind == br_liveGround)
		{
			continue;
		}
		CHECK_MESSAGE(brWorld_IsBody(world, body->id), "body %u is not in the world", body->number);
		// About the center of mass; the world's own may differ from that of the mesh by rounding.
		brTransform center = {brWorld_GetCenter(world, body->id), brWorld_GetPose(world, body->id).q};
		brLivePose pose = brLivePose_From(center, client->unit, &body->pose);
		for (int32_t k = 0; k < 7; ++k)
		{
			int32_t off = pose.steps[k] - body->pose.steps[k];
			CHECK_MESSAGE(off >= -(k < 3) && off <= (k < 3), "body %u is elsewhere", body->number);
		}
		CHECK(body->kind == br_livePiece ? body->stress > 0.0f : body->stress == 0.0f);
		seen += 1;
		pieces += body->kind == br_livePiece;
		hooks += body->kind == br_liveHungBall;
	}
	CHECK_EQUAL(seen, client->bodyCount);
	CHECK_EQUAL(pieces, client->pieceCount);
	CHECK_EQUAL(seen, brLive_GetStats(live).bodies);
	int32_t inWorld = brWorld_GetBodyCount(world), ground = inWorld - seen - hooks;
	CHECK_MESSAGE(ground == 0 || ground == 1, "%d bodies in the world, %d seen", inWorld, seen);
}

const LiveClientBody* liveClient_Find(const LiveTestClient* client, int32_t kind)
{
	for (int32_t i = 0; i < client->count; ++i)
	{
		if (client->bodies[i].kind == kind)
		{
			return &client->bodies[i];
		}
	}
	return NULL;
}
