// SPDX-License-Identifier: MIT

// Live worlds without sockets: commands, what clients see, who drives, what hostile messages change (nothing), and what
// it costs.

#include "brittle/live.h"

#include "harness.h"
#include "live/command.h"
#include "live/hand.h"
#include "live_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static brScene* loadScene(const char* name)
{
	char path[1024];
	snprintf(path, sizeof(path), "%s/scenes/%s.yaml", BR_SOURCE_DIR, name);
	brReport report = {0};
	brScene* scene = NULL;
	brResult result = brLoadScene(NULL, path, NULL, &scene, &report);
	if (result == br_errorUnavailable)
	{
		brTest_Skip("%s", report.text);
	}
	CHECK_RESULT(result, &report);
	return scene;
}

static brScene* readScene(const char* text)
{
	brReport report = {0};
	brScene* scene = NULL;
	brResult result = brReadScene(NULL, text, strlen(text), NULL, NULL, &scene, &report);
	if (result == br_errorUnavailable)
	{
		brTest_Skip("%s", report.text);
	}
	CHECK_RESULT(result, &report);
	return scene;
}

static const char smallScene[] =
	"ground: marble\n"
	"bodies:\n"
	"  - {name: pane, model: {make: pane, with: {width: 0.4, height: 0.4, thickness: 0.01}}, "
	"material: glass, fracture: {method: shatter, pieces: 8, strength: 0.5}}\n"
	"  - {name: block, model: {make: box, with: {width: 0.1, depth: 0.1, height: 0.1}}, "
	"material: wood, position: [0.6, 0, 0]}\n";

static brLive* makeLive(const brContext* context, const brScene* scene, const brLiveDef* def)
{
	return BR_MADE(brLive, brCreateLive, context, scene, def);
}

static brResult send(brLive* live, int32_t client, brLiveCommand command)
{
	uint8_t bytes[BR_LIVE_MAX_COMMAND];
	return brLive_Receive(live, client, bytes, brLiveCommand_Encode(&command, bytes), NULL);
}

static brLiveCommand throwAtPane(void)
{
	return (brLiveCommand){.kind = br_liveThrow,
						   .point = brMakeDVec3(0.05, -0.6, 0.25),
						   .velocity = brMakeDVec3(0.0, 12.0, 0.5),
						   .value = 0.03};
}

static void advance(brLive* live, double seconds)
{
	brReport report = {0};
	for (int32_t i = (int32_t)(seconds * 60.0 + 0.5); i > 0; --i)
	{
		CHECK_RESULT(brLive_Advance(live, 1.0 / 60.0, &report), &report);
	}
}

static float randomFloat(brRandom* random, double reach)
{
	return (float)brRandom_Range(random, -reach, reach);
}

static brDVec3 randomVector(brRandom* random, double reach)
{
	float x = randomFloat(random, reach), y = randomFloat(random, reach);
	return brMakeDVec3((double)x, (double)y, (double)randomFloat(random, reach));
}

static brLiveCommand randomCommand(brRandom* random)
{
	brLiveCommand command = {.kind = (brLiveCommandKind)(1 + brRandom_Below(random, br_liveSwing))};
	switch (command.kind)
	{
		case br_liveThrow:
			command.point = randomVector(random, 2.0);
			command.velocity = randomVector(random, 20.0);
			command.value = (double)(float)brRandom_Range(random, 0.001, 1.0);
			break;
		case br_liveSwing:
			command.target = randomVector(random, 2.0);
			command.point = randomVector(random, 2.0);
			command.velocity = randomVector(random, 20.0);
			command.value = (double)(float)brRandom_Range(random, 0.001, 1.0);
			break;
		case br_liveGrab:
			command.body = (brBodyId){(int32_t)brRandom_Below(random, 40), brRandom_Below(random, 3)};
			command.point = randomVector(random, 0.2);
			command.target = randomVector(random, 1.0);
			break;
		case br_livePull:
			command.target = randomVector(random, 1.0);
			break;
		case br_liveGravity:
			command.point = randomVector(random, 20.0);
			break;
		case br_liveSpeed:
			command.value = (double)(float)brRandom_Range(random, 0.5, 2.0);
			break;
		case br_liveMaterial:
			command.material = (int32_t)brRandom_Below(random, (uint32_t)brGetMaterialCount() + 1);
			break;
		case br_liveRelease:
		case br_liveBegin:
		case br_liveStep:
			break;
	}
	return command;
}

BR_TEST(live_commands_come_back_as_they_were_and_nothing_else_decodes)
{
	brRandom random = brTest_Random(test);
	int32_t decoded = 0, refused = 0;
	for (int32_t i = 0; i < brTest_Rounds(test, 20000); ++i)
	{
		brLiveCommand command = randomCommand(&random), back;
		memset(&back, 0x55, sizeof(back));
		uint8_t bytes[BR_LIVE_MAX_COMMAND + 1] = {0}, again[BR_LIVE_MAX_COMMAND];
		size_t count = brLiveCommand_Encode(&command, bytes);
		CHECK(count <= BR_LIVE_MAX_COMMAND);
		CHECK_RESULT(brLiveCommand_Decode(bytes, count, &back, NULL), NULL);
		CHECK(brLiveCommand_Encode(&back, again) == count && memcmp(bytes, again, count) == 0);
		CHECK(back.kind == command.kind && back.value == command.value && back.material == command.material);
		CHECK(brDDistance(back.point, command.point) == 0.0 && brDDistance(back.target, command.target) == 0.0);
		// Any other length is none.
		brLiveCommand untouched = back;
		size_t other = brRandom_Below(&random, BR_LIVE_MAX_COMMAND + 1);
		if (other != count)
		{
			CHECK(brLiveCommand_Decode(bytes, other, &back, NULL) == br_errorFormat);
			CHECK(memcmp(&untouched, &back, sizeof(back)) == 0);
		}
		// Damaged bytes either decode to what they say, in range, or to nothing.
		for (uint32_t k = 1 + brRandom_Below(&random, 4); k > 0; --k)
		{
			bytes[brRandom_Below(&random, (uint32_t)count)] = (uint8_t)brRandom_Next(&random);
		}
		if (brLiveCommand_Decode(bytes, count, &back, NULL) >= 0)
		{
			CHECK(brLiveCommand_Encode(&back, again) == count && memcmp(bytes, again, count) == 0);
			CHECK(brDIsFinite(back.point) && brDIsFinite(back.velocity) && brDIsFinite(back.target));
			CHECK(back.value >= 0.0 && back.material <= brGetMaterialCount());
			decoded += 1;
		}
		else
		{
			CHECK(memcmp(&untouched, &back, sizeof(back)) == 0);
			refused += 1;
		}
	}
	CHECK(decoded > 0 && refused > 0);
}

BR_TEST(live_a_thrown_ball_breaks_a_pane_and_clients_see_it)
{
	brScene* scene = readScene(smallScene);
	brLive* live = makeLive(NULL, scene, NULL);
	LiveTestClient first, late;
	liveClient_Join(&first, live);
	CHECK(liveClient_Take(&first, live) >= 3 && first.isDriver && first.clientCount == 1);
	liveClient_Check(&first, live);
	CHECK(first.pieceCount == 0 && first.bodyCount == 2);
	CHECK_RESULT(send(live, first.number, throwAtPane()), NULL);
	for (int32_t i = 0; i < 60; ++i)
	{
		advance(live, 1.0 / 60.0);
		liveClient_Take(&first, live);
		liveClient_Check(&first, live);
		CHECK(i > 0 || first.bodyCount == 3); // the ball is there at once
	}
	CHECK(first.pieceCount >= 3 && first.breaks >= 1 && first.forgets == 1);
	const LiveClientBody* piece = liveClient_Find(&first, br_livePiece);
	CHECK(piece->stress > 1e6f && piece->parent > 0);

	// Who comes late sees the same.
	liveClient_Join(&late, live);
	liveClient_Take(&late, live);
	liveClient_Check(&late, live);
	CHECK(!late.isDriver && late.clientCount == 2 && late.count == first.count);
	for (int32_t i = 0; i < first.count; ++i)
	{
		CHECK(memcmp(&first.bodies[i], &late.bodies[i], sizeof(LiveClientBody)) == 0);
	}
	advance(live, 0.3);
	liveClient_Take(&late, live);
	liveClient_Check(&late, live);

	// A new beginning: nothing is broken any more.
	liveClient_Take(&first, live);
	CHECK_RESULT(send(live, first.number, (brLiveCommand){.kind = br_liveBegin}), NULL);
	advance(live, 1.0 / 60.0);
	liveClient_Take(&first, live);
	liveClient_Take(&late, live);
	liveClient_Check(&first, live);
	liveClient_Check(&late, live);
	CHECK(first.pieceCount == 0 && first.bodyCount == 2 && first.forgets == 2 && first.time < 0.05);
	liveClient_Destroy(&first);
	liveClient_Destroy(&late);
	brDestroyLive(live);
	brDestroyScene(scene);
}

BR_TEST(live_clients_follow_whatever_the_driver_does)
{
	brRandom random = brTest_Random(test);
	brScene* scene = readScene(smallScene);
	int32_t broke = 0, grabbed = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 6); ++round)
	{
		brLive* live = makeLive(NULL, scene, NULL);
		LiveTestClient client;
		liveClient_Join(&client, live);
		liveClient_Take(&client, live);
		for (int32_t i = 0; i < 150; ++i)
		{
			bool isThrow = i % 40 == 3, isGrab = i % 40 == 8;
			if (isThrow || isGrab || brRandom_Below(&random, 4) == 0)
			{
				brLiveCommand command = isThrow ? throwAtPane() : randomCommand(&random);
				command.kind = isGrab ? br_liveGrab : command.kind;
				if (command.kind == br_liveGrab && client.count > 0)
				{
					const LiveClientBody* body = &client.bodies[brRandom_Below(&random, (uint32_t)client.count)];
					command.body = body->id;
					grabbed += body->kind != br_liveGround;
				}
				if (command.kind != br_liveBegin || i % 10 == 0)
				{
					CHECK_RESULT(send(live, client.number, command), NULL);
				}
			}
			advance(live, 1.0 / 60.0);
			liveClient_Take(&client, live);
			liveClient_Check(&client, live);
			broke += client.pieceCount > 0;
		}
		liveClient_Destroy(&client);
		brDestroyLive(live);
	}
	CHECK(broke > 0 && grabbed > 0);
	brDestroyScene(scene);
}

BR_TEST(live_one_drives_and_the_next_takes_over)
{
	brScene* scene = readScene(smallScene);
	brLiveDef def = brDefaultLiveDef();
	def.maxClients = 3;
	brLive* live = makeLive(NULL, scene, &def);
	LiveTestClient clients[3];
	for (int32_t i = 0; i < 3; ++i)
	{
		liveClient_Join(&clients[i], live);
	}
	CHECK_EQUAL(brLive_Join(live), -1);
	CHECK(brLive_IsDriver(live, clients[0].number) && !brLive_IsDriver(live, clients[1].number));
	CHECK_EQUAL(send(live, clients[1].number, (brLiveCommand){.kind = br_liveSpeed, .value = 0.5}), br_remarkDropped);
	CHECK_EQUAL(send(live, clients[0].number, (brLiveCommand){.kind = br_liveSpeed, .value = 0.25}), br_success);
	advance(live, 0.1);
	for (int32_t i = 0; i < 3; ++i)
	{
		liveClient_Take(&clients[i], live);
		CHECK(clients[i].speed == 0.25f && clients[i].clientCount == 3 && clients[i].isDriver == (i == 0));
	}
	// It leaves with something in its hand, which falls.
	liveClient_Take(&clients[0], live);
	brBodyId block = clients[0].bodies[2].id;
	brLiveCommand grab = {.kind = br_liveGrab, .body = block, .target = brMakeDVec3(0.6, 0.0, 5.0)};
	CHECK_EQUAL(send(live, clients[0].number, grab), br_success);
	brLive_Leave(live, clients[0].number);
	brLive_Leave(live, clients[0].number); // twice does no harm
	advance(live, 0.5);
	CHECK(brWorld_GetPose(brLive_GetWorld(live), block).p.z < 0.1);
	CHECK_EQUAL(brLive_Receive(live, clients[0].number, "\x08", 1, NULL), br_errorMisuse);
	CHECK(brLive_IsDriver(live, clients[1].number));
	LiveTestClient back;
	liveClient_Join(&back, live); // the first again, now the last in line
	advance(live, 0.1);
	liveClient_Take(&clients[1], live);
	liveClient_Take(&clients[2], live);
	liveClient_Take(&back, live);
	CHECK(clients[1].isDriver && !clients[2].isDriver && !back.isDriver && back.speed == 0.25f);
	CHECK_EQUAL(send(live, back.number, (brLiveCommand){.kind = br_liveBegin}), br_remarkDropped);
	for (int32_t i = 0; i < 3; ++i)
	{
		liveClient_Destroy(&clients[i]);
	}
	liveClient_Destroy(&back);
	brDestroyLive(live);
	brDestroyScene(scene);
}

BR_TEST(live_hostile_messages_change_nothing)
{
	brRandom random = brTest_Random(test);
	brScene* scene = readScene(smallScene);
	brLive* live = makeLive(NULL, scene, NULL);
	brLive* twin = makeLive(NULL, scene, NULL);
	LiveTestClient driver, watcher;
	liveClient_Join(&driver, live);
	liveClient_Join(&watcher, live);
	int32_t sent = 0;
	for (int32_t i = 0; i < 60; ++i)
	{
		for (int32_t k = 0; k < brTest_Rounds(test, 50); ++k)
		{
			uint8_t bytes[256];
			for (size_t b = 0; b < sizeof(bytes); ++b)
			{
				bytes[b] = (uint8_t)brRandom_Next(&random);
			}
			bytes[0] = (uint8_t)brRandom_Below(&random, 12);
			brLiveCommand command = randomCommand(&random);
			bool isWell = brRandom_Below(&random, 2) == 0;
			size_t count = isWell ? brLiveCommand_Encode(&command, bytes) : brRandom_Below(&random, sizeof(bytes));
			brLiveCommand decoded;
			bool decodes = brLiveCommand_Decode(bytes, count, &decoded, NULL) >= 0;
			// The driver may send what is well formed, so from it comes only what is not.
			int32_t from = decodes ? watcher.number : driver.number;
			brResult result = brLive_Receive(live, from, bytes, count, NULL);
			CHECK_EQUAL(result, decodes ? br_remarkDropped : br_errorFormat);
			sent += 1;
		}
		advance(live, 1.0 / 60.0);
		advance(twin, 1.0 / 60.0);
		liveClient_Take(&driver, live);
		liveClient_Check(&driver, live);
		CHECK(brWorld_ComputeHash(brLive_GetWorld(live)) == brWorld_ComputeHash(brLive_GetWorld(twin)));
	}
	CHECK_EQUAL(brLive_GetStats(live).refused, sent);
	CHECK(brLive_GetStats(live).step == brLive_GetStats(twin).step && brLive_GetStats(live).speed == 1.0);
	liveClient_Destroy(&driver);
	liveClient_Destroy(&watcher);
	brDestroyLive(live);
	brDestroyLive(twin);
	brDestroyScene(scene);
}

BR_TEST(live_more_messages_than_allowed_are_dropped)
{
	brScene* scene = readScene(smallScene);
	brLiveDef def = brDefaultLiveDef();
	def.messagesPerSecond = 100.0;
	brLive* live = makeLive(NULL, scene, &def);
	int32_t client = brLive_Join(live);
	int32_t taken = 0;
	for (int32_t i = 0; i < 120; ++i) // two seconds of a thousand a second
	{
		for (int32_t k = 0; k < 16; ++k)
		{
			taken += send(live, client, (brLiveCommand){.kind = br_livePull}) == br_success;
		}
		advance(live, 1.0 / 60.0);
	}
	CHECK_MESSAGE(taken >= 200 && taken <= 260, "%d of 1920", taken);
	CHECK_EQUAL(brLive_GetStats(live).refused, 1920 - taken);
	brDestroyLive(live);
	brDestroyScene(scene);
}

BR_TEST(live_a_client_that_reads_nothing_costs_no_more_than_its_queue)
{
	brScene* scene = readScene(smallScene);
	brTestAllocator allocator;
	brTestAllocator_Init(&allocator);
	brContext context = {.allocator = &allocator.allocator};
	brLiveDef def = brDefaultLiveDef();
	def.queueBytes = 100000;
	brLive* live = makeLive(&context, scene, &def);
	LiveTestClient driver, slow;
	liveClient_Join(&driver, live);
	liveClient_Join(&slow, live);
	liveClient_Take(&slow, live);
	int64_t most = 0;
	for (int32_t i = 0; i < 40; ++i)
	{
		CHECK_RESULT(send(live, driver.number, throwAtPane()), NULL);
		CHECK_RESULT(send(live, driver.number, (brLiveCommand){.kind = br_liveBegin}), NULL);
		CHECK_RESULT(send(live, driver.number, throwAtPane()), NULL);
		advance(live, 0.5);
		liveClient_Take(&driver, live);
		most = i == 5 ? allocator.liveBytes : most;
		CHECK_MESSAGE(i <= 5 || allocator.liveBytes < most + 400000, "%lld bytes, %lld before",
					  (long long)allocator.liveBytes, (long long)most);
	}
	liveClient_Take(&slow, live);
	advance(live, 0.1);
	liveClient_Take(&slow, live);
	liveClient_Check(&slow, live);
	liveClient_Destroy(&driver);
	liveClient_Destroy(&slow);
	brDestroyLive(live);
	CHECK_EQUAL(allocator.liveBlocks, 0);
	brTestAllocator_Destroy(&allocator);
	brDestroyScene(scene);
}

typedef struct CommandLog
{
	struct
	{
		int64_t step;
		size_t count;
		uint8_t bytes[BR_LIVE_MAX_COMMAND];
	} entries[512];
	int32_t count;
} CommandLog;

static void logCommand(int64_t step, const void* bytes, size_t byteCount, void* user)
{
	CommandLog* log = user;
	CHECK(log->count < 512 && byteCount <= BR_LIVE_MAX_COMMAND);
	log->entries[log->count].step = step;
	log->entries[log->count].count = byteCount;
	memcpy(log->entries[log->count].bytes, bytes, byteCount);
	log->count += 1;
}

BR_TEST(live_commands_and_their_steps_give_the_same_bits_for_any_workers)
{
	brRandom random = brTest_Random(test);
	brScene* scene = readScene(smallScene);
	static CommandLog log;
	log.count = 0;
	brLiveDef def = brDefaultLiveDef();
	def.onCommand = logCommand;
	def.user = &log;
	brLive* live = makeLive(NULL, scene, &def);
	LiveTestClient client;
	liveClient_Join(&client, live);
	for (int32_t i = 0; i < 120; ++i)
	{
		liveClient_Take(&client, live);
		if (i % 7 == 2)
		{
			brLiveCommand command = i % 28 == 2 ? throwAtPane() : randomCommand(&random);
			command.body = client.bodies[brRandom_Below(&random, (uint32_t)client.count)].id;
			CHECK_RESULT(send(live, client.number, command), NULL);
		}
		// Uneven time: several steps at once, or none.
		brReport report = {0};
		CHECK_RESULT(brLive_Advance(live, brRandom_Range(&random, 0.0, 0.05), &report), &report);
	}
	uint64_t hash = brWorld_ComputeHash(brLive_GetWorld(live));
	int64_t steps = brLive_GetStats(live).step;
	CHECK(steps > 100 && log.count >= 17);
	for (int32_t workers = 1; workers <= 3; workers += 2)
	{
		brContext context = {.workers = brTest_Workers(workers)};
		brLive* twin = makeLive(&context, scene, NULL);
		for (int32_t i = 0; i <= log.count; ++i)
		{
			int64_t until = i < log.count ? log.entries[i].step : steps;
			while (brLive_GetStats(twin).step < until)
			{
				CHECK_RESULT(brLive_Step(twin, NULL), NULL);
			}
			if (i < log.count)
			{
				CHECK_RESULT(brLive_Apply(twin, log.entries[i].bytes, log.entries[i].count, NULL), NULL);
			}
		}
		CHECK(brWorld_ComputeHash(brLive_GetWorld(twin)) == hash);
		brDestroyLive(twin);
		brDestroyWorkers(context.workers);
	}
	liveClient_Destroy(&client);
	brDestroyLive(live);
	brDestroyScene(scene);
}

BR_TEST(live_a_hand_brings_things_where_it_goes_and_does_not_shake_them)
{
	brScene* scene =
		readScene("gravity: 9.81\n"
				  "ground: wood\n"
				  "bodies:\n"
				  "  - {name: rod, model: {make: box, with: {width: 1, depth: 0.02, height: 0.02}}, "
				  "material: steel}\n"
				  "  - {name: plate, model: {make: plate, res: 12}, material: porcelain, position: [0, 1, 0]}\n"
				  "  - {name: cube, model: {make: box, with: {width: 0.2, depth: 0.2, height: 0.2}}, "
				  "material: rubber, position: [0, 2, 0]}\n");
	for (int32_t b = 0; b < 3; ++b)
	{
		brLive* live = makeLive(NULL, scene, NULL);
		LiveTestClient client;
		liveClient_Join(&client, live);
		liveClient_Take(&client, live);
		brBodyId id = client.bodies[1 + b].id; // after the ground
		brDVec3 point = b == 0 ? brMakeDVec3(0.49, 0.0, 0.01) : brMakeDVec3(0.09, 0.0, 0.01);
		brDVec3 target = brMakeDVec3(0.2, (double)b, 0.8);
		// Clients know bodies about their centers.
		const brWorld* world = brLive_GetWorld(live);
		brDVec3 center = brTransform_InvPoint(brWorld_GetPose(world, id), brWorld_GetCenter(world, id));
		brLiveCommand grab = {.kind = br_liveGrab, .body = id, .point = brDSub(point, center), .target = target};
		CHECK_RESULT(send(live, client.number, grab), NULL);
		double highest = 0.0;
		for (int32_t i = 0; i < 240; ++i)
		{
			advance(live, 1.0 / 60.0);
			liveClient_Take(&client, live);
			highest = fmax(highest, brTransform_Point(brWorld_GetPose(brLive_GetWorld(live), id), point).z);
		}
		brDVec3 at = brTransform_Point(brWorld_GetPose(brLive_GetWorld(live), id), point);
		// It hangs below the hand by its weight: g over the spring's stiffness, about 2 cm.
		CHECK_MESSAGE(brDDistance(at, target) < 0.05, "body %d is %g m away", b, brDDistance(at, target));
		CHECK_MESSAGE(highest < 0.88, "body %d went up to %g m", b, highest);
		CHECK(brDLength(brWorld_GetVelocity(brLive_GetWorld(live), id)) < 0.5);
		CHECK_RESULT(send(live, client.number, (brLiveCommand){.kind = br_liveRelease}), NULL);
		advance(live, 0.3);
		CHECK(brTransform_Point(brWorld_GetPose(brLive_GetWorld(live), id), point).z < 0.6);
		liveClient_Destroy(&client);
		brDestroyLive(live);
	}
	brDestroyScene(scene);
}

BR_TEST(live_material_changes_what_is_still_whole)
{
	brScene* scene = readScene(smallScene);
	brLive* live = makeLive(NULL, scene, NULL);
	LiveTestClient client;
	liveClient_Join(&client, live);
	liveClient_Take(&client, live);
	brDVec3 place = brWorld_GetPose(brLive_GetWorld(live), client.bodies[1].id).p;
	int32_t ice = 0;
	while (strcmp(brGetMaterial(ice)->name, "ice") != 0)
	{
		ice += 1;
	}
	CHECK_RESULT(send(live, client.number, (brLiveCommand){.kind = br_liveMaterial, .material = ice + 1}), NULL);
	advance(live, 1.0 / 60.0);
	liveClient_Take(&client, live);
	liveClient_Check(&client, live);
	CHECK(client.material == ice + 1 && client.forgets == 1);
	int32_t changed = 0;
	for (int32_t i = 1; i < client.count; ++i)
	{
		const brMaterial* material = brWorld_GetMaterial(brLive_GetWorld(live), client.bodies[i].id);
		changed += strcmp(material->name, "ice") == 0;
		if (strcmp(material->name, "ice") == 0)
		{
			CHECK(brDDistance(brWorld_GetPose(brLive_GetWorld(live), client.bodies[i].id).p, place) < 0.01);
			const brMesh* mesh = brWorld_GetMesh(brLive_GetWorld(live), client.bodies[i].id);
			CHECK(strcmp(mesh->materials[0].name, "ice") == 0);
			CHECK_NEAR(brWorld_GetMass(brLive_GetWorld(live), client.bodies[i].id), 0.4 * 0.4 * 0.01 * 917.0, 0.1);
		}
	}
	CHECK_EQUAL(changed, 1); // the block of wood stays
	liveClient_Destroy(&client);
	brDestroyLive(live);
	brDestroyScene(scene);
}

BR_TEST(live_slow_motion_pause_and_single_steps)
{
	brScene* scene = readScene(smallScene);
	brLive* live = makeLive(NULL, scene, NULL);
	int32_t client = brLive_Join(live);
	CHECK_RESULT(send(live, client, (brLiveCommand){.kind = br_liveSpeed, .value = 0.25}), NULL);
	advance(live, 2.0);
	CHECK_NEAR(brLive_GetStats(live).time, 0.5, 0.03);
	CHECK_NEAR(brLive_GetStats(live).rate, 1.0, 0.05);
	CHECK_RESULT(send(live, client, (brLiveCommand){.kind = br_liveSpeed, .value = 0.0}), NULL);
	advance(live, 1.0);
	int64_t step = brLive_GetStats(live).step;
	CHECK_RESULT(send(live, client, (brLiveCommand){.kind = br_liveStep}), NULL);
	CHECK_RESULT(send(live, client, throwAtPane()), NULL);
	advance(live, 1.0);
	CHECK_EQUAL(brLive_GetStats(live).step, step + 1);
	CHECK_EQUAL(brLive_GetStats(live).balls, 1); // it hangs in the air
	brDestroyLive(live);
	brDestroyScene(scene);
}

BR_TEST(live_balls_are_counted_and_the_oldest_goes)
{
	brScene* scene = readScene(smallScene);
	brLiveDef def = brDefaultLiveDef();
	def.maxBalls = 3;
	brLive* live = makeLive(NULL, scene, &def);
	LiveTestClient client;
	liveClient_Join(&client, live);
	for (int32_t i = 0; i < 8; ++i)
	{
		brLiveCommand command = {.kind = br_liveThrow, .point = brMakeDVec3(-1.0, 0.2 * i, 0.5), .value = 0.02};
		CHECK_RESULT(send(live, client.number, command), NULL);
		advance(live, 0.1);
		liveClient_Take(&client, live);
		liveClient_Check(&client, live);
		CHECK_EQUAL(brLive_GetStats(live).balls, i < 3 ? i + 1 : 3);
	}
	brLiveCommand far = {.kind = br_liveThrow, .point = brMakeDVec3(9e4, 0.0, 0.0), .value = 0.02};
	CHECK_RESULT(send(live, client.number, far), NULL);
	advance(live, 0.1);
	CHECK_EQUAL(brLive_GetStats(live).balls, 3);
	liveClient_Destroy(&client);
	brDestroyLive(live);
	brDestroyScene(scene);
}

// A wrecking ball swings about its hook, breaks what is in its way, is there once, and clients know its rope.
BR_TEST(live_a_wrecking_ball_swings_on_its_rope)
{
	brScene* scene = readScene(smallScene);
	brLive* live = makeLive(NULL, scene, NULL);
	LiveTestClient client;
	liveClient_Join(&client, live);
	brDVec3 hook = brMakeDVec3(0.05, 0.0, 1.25), rope = brMakeDVec3(0.0, 0.75, 0.75);
	brLiveCommand swing = {.kind = br_liveSwing, .target = hook, .point = brDSub(hook, rope), .value = 0.05};
	int32_t bodies = brWorld_GetBodyCount(brLive_GetWorld(live));
	for (int32_t i = 0; i < 2; ++i)
	{
		CHECK_RESULT(send(live, client.number, swing), NULL);
		advance(live, 1.0 / 60.0);
	}
	CHECK_EQUAL(brWorld_GetBodyCount(brLive_GetWorld(live)), bodies + 2); // the second is there in place of the first
	double lowest = 10.0;
	for (int32_t i = 0; i < 90; ++i)
	{
		advance(live, 1.0 / 60.0);
		liveClient_Take(&client, live);
		liveClient_Check(&client, live);
		const LiveClientBody* ball = liveClient_Find(&client, br_liveHungBall);
		CHECK(ball != NULL);
		brTransform pose = brWorld_GetPose(brLive_GetWorld(live), ball->id);
		brDVec3 end = brMakeDVec3((double)ball->rope[0], (double)ball->rope[1], (double)ball->rope[2]);
		double off = brDDistance(brTransform_Point(pose, end), hook);
		CHECK_MESSAGE(off < 2e-3, "the rope ends %g m from its hook", off);
		lowest = fmin(lowest, pose.p.z);
	}
	CHECK_MESSAGE(fabs(lowest - (hook.z - brDLength(rope))) < 0.05, "its lowest is %g", lowest);
	CHECK(client.breaks > 0 && brLive_GetStats(live).balls == 1);

	// However fast it was, it hangs below its hook in the end, where a hand finds it.
	swing.velocity = brMakeDVec3(8.0, 0.0, 0.0);
	CHECK_RESULT(send(live, client.number, swing), NULL);
	for (int32_t i = 0; i < 480; ++i)
	{
		advance(live, 1.0 / 60.0);
	}
	liveClient_Take(&client, live);
	brDVec3 below = brDMulAdd(hook, -brDLength(rope), brMakeDVec3(0.0, 0.0, 1.0));
	double astray =
		brDDistance(brWorld_GetCenter(brLive_GetWorld(live), liveClient_Find(&client, br_liveHungBall)->id), below);
	CHECK_MESSAGE(astray < 0.1, "it hangs %g m from its lowest", astray);

	// A hand takes it along its sphere and lets it go.
	const LiveClientBody* ball = liveClient_Find(&client, br_liveHungBall);
	brDVec3 side = brDMulAdd(hook, brDLength(rope), brDNormalize(brMakeDVec3(1.0, 0.0, -1.0)));
	brLiveCommand grab = {.kind = br_liveGrab, .body = ball->id, .target = side};
	CHECK_RESULT(send(live, client.number, grab), NULL);
	for (int32_t i = 0; i < 90; ++i)
	{
		advance(live, 1.0 / 60.0);
	}
	double away = brDDistance(brWorld_GetCenter(brLive_GetWorld(live), ball->id), side);
	CHECK_MESSAGE(away < 0.1, "the hand holds the ball %g m from where it points", away);
	CHECK_RESULT(send(live, client.number, (brLiveCommand){.kind = br_liveRelease}), NULL);

	// A rope of no length hangs nothing, and the one that hangs stays; balls that are thrown push it out in the end.
	brLiveCommand none = {.kind = br_liveSwing, .target = hook, .point = hook, .value = 0.05};
	CHECK_RESULT(send(live, client.number, none), NULL);
	advance(live, 0.1);
	liveClient_Take(&client, live);
	CHECK(liveClient_Find(&client, br_liveHungBall) != NULL);
	for (int32_t i = 0; i < brDefaultLiveDef().maxBalls; ++i)
	{
		brLiveCommand command = {.kind = br_liveThrow, .point = brMakeDVec3(-2.0, 0.2 * i, 0.5), .value = 0.02};
		CHECK_RESULT(send(live, client.number, command), NULL);
		advance(live, 0.1);
	}
	liveClient_Take(&client, live);
	liveClient_Check(&client, live);
	CHECK(liveClient_Find(&client, br_liveHungBall) == NULL);
	liveClient_Destroy(&client);
	brDestroyLive(live);
	brDestroyScene(scene);
}

// Two thousand bodies that all move: in flight, turning, then in a heap.
BR_TEST(live_two_thousand_moving_pieces_take_less_than_2_megabytes_a_second)
{
	brScene* scene = readScene("ground: marble\n"
							   "sleep: false\n"
							   "bodies:\n"
							   "  - {name: piece, model: {make: box, with: {width: 0.05, depth: 0.04, height: 0.03}}, "
							   "material: brick, velocity: [1, 0.5, 2], spin: [3, 5, 2], repeat: {scatter: 2000, box: "
							   "[[-1.2, -1.2, 0.5], [1.2, 1.2, 2.7]], seed: 5}}\n");
	brLive* live = makeLive(NULL, scene, NULL);
	LiveTestClient client;
	liveClient_Join(&client, live);
	liveClient_Take(&client, live);
	liveClient_Check(&client, live);
	CHECK_EQUAL(client.bodyCount, 2000);
	double worst = 0.0, moving = 0.0;
	int32_t seconds = brTest_Rounds(test, 2);
	for (int32_t s = 0; s < seconds; ++s)
	{
		int64_t bytes = client.bytes, moves = client.moves;
		for (int32_t i = 0; i < 60; ++i)
		{
			CHECK_RESULT(brLive_Step(live, NULL), NULL);
			liveClient_Take(&client, live);
		}
		worst = fmax(worst, (double)(client.bytes - bytes));
		moving = fmax(moving, (double)(client.moves - moves) / 60.0);
	}
	liveClient_Check(&client, live);
	printf("%.2f MB/s for %.0f moving bodies, %.1f bytes each\n", 1e-6 * worst, moving, worst / 60.0 / moving);
	CHECK_MESSAGE(moving > 1980.0, "only %g moved", moving); // the first lie still before a second is over
	CHECK_MESSAGE(worst < 2e6, "%g bytes a second", worst);
	liveClient_Destroy(&client);
	brDestroyLive(live);
	brDestroyScene(scene);
}

static double processorSeconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// All plates are smashed one after the other on one thread. The time it took is told; whether a server keeps its rate is
// for make test-long.
BR_TEST(live_smashing_plates_breaks_them)
{
	brScene* scene = loadScene("live_plates");
	brLive* live = makeLive(NULL, scene, NULL);
	LiveTestClient client;
	liveClient_Join(&client, live);
	liveClient_Take(&client, live);
	double start = processorSeconds(), worst = 0.0;
	int32_t steps = 0;
	for (int32_t i = 0; i < 6 * 45; ++i)
	{
		if (i % 45 == 5)
		{
			int32_t plate = i / 45;
			brLiveCommand command = {.kind = br_liveThrow, .value = (double)client.ballRadius};
			command.point = brMakeDVec3(0.36 * (plate % 3 - 1) + 0.03, 0.42 * (plate / 3 - 0.5), 0.9);
			command.velocity = brMakeDVec3(0.0, 0.0, -(double)client.throwSpeed);
			CHECK_RESULT(send(live, client.number, command), NULL);
		}
		double before = processorSeconds();
		advance(live, 1.0 / 60.0);
		worst = fmax(worst, processorSeconds() - before);
		liveClient_Take(&client, live);
		steps += 1;
	}
	double seconds = processorSeconds() - start, played = (double)steps / 60.0;
	brLiveStats stats = brLive_GetStats(live);
	printf("%d breaks, %d pieces; %.2f s played in %.2f s of one processor, worst step %.0f ms\n", stats.breaks,
		   stats.pieces, played, seconds, 1e3 * worst);
	CHECK_MESSAGE(stats.breaks >= 5 && stats.pieces >= 40, "%d breaks, %d pieces", stats.breaks, stats.pieces);
	liveClient_Destroy(&client);
	brDestroyLive(live);
	brDestroyScene(scene);
}

static brResult liveCall(const brContext* context, void* user)
{
	brLive* live = NULL;
	brResult result = brCreateLive(context, user, NULL, &live, NULL);
	if (result < 0)
	{
		return result;
	}
	int32_t client = brLive_Join(live);
	uint8_t bytes[BR_LIVE_MAX_COMMAND];
	brLiveCommand command = throwAtPane();
	result =
		client >= 0 ? brLive_Receive(live, client, bytes, brLiveCommand_Encode(&command, bytes), NULL) : br_errorMemory;
	for (int32_t i = 0; i < 3 && result >= 0; ++i)
	{
		result = brLive_Advance(live, 1.0 / 60.0, NULL);
		size_t size;
		// Memory that was missing shows as a new beginning, not as a failure.
		while (brLive_PeekMessage(live, client, &size) != NULL)
		{
			brLive_PopMessage(live, client);
		}
	}
	command.kind = br_liveBegin;
	result = result < 0 ? result : brLive_Apply(live, bytes, brLiveCommand_Encode(&command, bytes), NULL);
	brDestroyLive(live);
	return result;
}

BR_TEST(live_survives_every_failed_allocation)
{
	brScene* scene = readScene("bodies:\n"
							   "  - {name: block, model: {make: box, with: {width: 0.1, depth: 0.1, height: 0.1}}, "
							   "material: glass, fracture: {method: shatter, pieces: 3}}\n");
	brTestAllocator allocator;
	brTestAllocator_Init(&allocator);
	brContext context = {.allocator = &allocator.allocator};
	CHECK_RESULT(liveCall(&context, scene), NULL);
	int64_t needed = allocator.allocations;
	int32_t refused = 0;
	for (int64_t i = 0; i < needed; ++i)
	{
		allocator.allocations = 0;
		allocator.failAt = i;
		brResult result = liveCall(&context, scene);
		CHECK_MESSAGE(result >= 0 || result == br_errorMemory, "allocation %lld: %s", (long long)i,
					  brResult_GetName(result));
		refused += result < 0;
		CHECK_EQUAL(allocator.liveBlocks, 0);
	}
	CHECK(refused > 20);
	brTestAllocator_Destroy(&allocator);
	brDestroyScene(scene);
}
