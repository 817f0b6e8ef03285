// SPDX-License-Identifier: MIT

// Scenes that break have one hash: for any compiler, level, number of workers and vector path. pinned_bits.h is the
// table.

#include "brittle/live.h"
#include "brittle/run.h"
#include "harness.h"
#include "live/command.h"
#include "pinned_bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct PinnedCase
{
	const char* name;
	const char* file; // or null
	const char* text; // of a scene
	double seconds;
	bool isLive;
	bool isSmall; // quick enough for an emulator
} PinnedCase;

static const char s_bonds[] =
	"ground: concrete\nbodies:\n"
	"  - {model: {make: box, with: {width: 0.6, depth: 0.1, height: 0.6}}, material: brick, position: [0, 0, 0.31],\n"
	"     fracture: {method: bonds, pieces: 16, bond_strength: 0.2}}\n"
	"  - {model: {make: box, with: {width: 0.1, depth: 0.1, height: 0.1}}, position: [0, -0.4, 0.4], velocity: [0, 20, "
	"0]}\n";

static const char s_live[] =
	"ground: marble\nbodies:\n"
	"  - {model: {make: box, with: {width: 0.4, depth: 0.4, height: 0.02}}, material: glass, position: [0, 0, 0.3],\n"
	"     fracture: {method: shatter, pieces: 12}}\n"
	"  - {model: {make: box, with: {width: 0.2, depth: 0.2, height: 0.2}}, position: [0, 0, 0.1]}\n";

static const char s_crack[] =
	"ground: concrete\nbodies:\n"
	"  - {model: {make: box, with: {width: 0.4, depth: 0.08, height: 0.05}}, material: concrete,\n"
	"     position: [0, 0, 0.14], velocity: [0, 0, -15], fracture: {method: crack, generations: 1}}\n"
	"  - {model: {make: box, with: {width: 0.02, depth: 0.4, height: 0.1}}, kind: static, position: [0, 0, 0.05]}\n";

static const PinnedCase s_cases[] = {
	{"plates", "plates", NULL, 0.6, false, false}, {"wall", "wall", NULL, 0.9, false, false},
	{"pane", "pane", NULL, 0.4, false, false},     {"cracks", NULL, s_crack, 0.05, false, true},
	{"bonds", NULL, s_bonds, 0.2, false, true},    {"live", NULL, s_live, 0.6, true, true},
};

enum
{
	pinnedCount = sizeof(s_cases) / sizeof(s_cases[0]),
};

static brScene* pinnedScene(const brContext* context, const PinnedCase* pinned)
{
	char duration[64], path[1024];
	snprintf(duration, sizeof(duration), "duration=%g", pinned->seconds);
	const char* items[1] = {duration};
	brSceneChanges changes = {1, items};
	brScene* scene = NULL;
	brReport report = {0};
	if (pinned->file != NULL)
	{
		snprintf(path, sizeof(path), "%s/scenes/%s.yaml", BR_SOURCE_DIR, pinned->file);
		CHECK_RESULT(brLoadScene(context, path, &changes, &scene, &report), &report);
	}
	else
	{
		CHECK_RESULT(brReadScene(context, pinned->text, strlen(pinned->text), NULL, &changes, &scene, &report),
					 &report);
	}
	return scene;
}

static uint64_t playPinned(const brContext* context, const PinnedCase* pinned)
{
	brScene* scene = pinnedScene(context, pinned);
	brReport report = {0};
	brRun* run = BR_MADE(brRun, brCreateRun, context, scene);
	while (!brRun_IsDone(run))
	{
		CHECK_RESULT(brRun_PlayFrame(run, &report), &report);
	}
	CHECK_MESSAGE(brRun_GetBreakCount(run) > 0, "nothing broke in %s", pinned->name);
	uint64_t hash = brWorld_ComputeHash(brRun_GetWorld(run));
	brDestroyRun(run);
	brDestroyScene(scene);
	return hash;
}

// A ball is thrown through the pane by a client that drives.
static uint64_t livePinned(const brContext* context, const PinnedCase* pinned)
{
	brScene* scene = pinnedScene(context, pinned);
	brReport report = {0};
	brLive* live = BR_MADE(brLive, brCreateLive, context, scene, NULL);
	brLiveCommand command;
	memset(&command, 0, sizeof(command));
	command.kind = br_liveThrow;
	command.point = brMakeDVec3(0.05, 0.0, 1.0);
	command.velocity = brMakeDVec3(0.0, 0.0, -15.0);
	command.value = 0.05;
	uint8_t bytes[BR_LIVE_MAX_COMMAND];
	size_t count = brLiveCommand_Encode(&command, bytes);
	int32_t steps = (int32_t)(pinned->seconds * 60.0);
	int32_t before = brWorld_GetBodyCount(brLive_GetWorld(live));
	for (int32_t i = 0; i < steps; ++i)
	{
		if (i == 5)
		{
			CHECK_RESULT(brLive_Apply(live, bytes, count, &report), &report);
		}
		CHECK_RESULT(brLive_Step(live, &report), &report);
	}
	CHECK_MESSAGE(brWorld_GetBodyCount(brLive_GetWorld(live)) > before + 2, "nothing broke in the live world");
	uint64_t hash = brWorld_ComputeHash(brLive_GetWorld(live));
	brDestroyLive(live);
	brDestroyScene(scene);
	return hash;
}

static uint64_t pinnedHash(const PinnedCase* pinned, int32_t workerCount)
{
	brWorkers* workers = brTest_Workers(workerCount);
	brContext context = {.workers = workers};
	uint64_t hash = pinned->isLive ? livePinned(&context, pinned) : playPinned(&context, pinned);
	brDestroyWorkers(workers);
	return hash;
}

// A crack, bonds and a shattered pane, on one worker.
BR_TEST(golden_hashes_of_small_scenes)
{
	for (int32_t i = 0; i < pinnedCount; ++i)
	{
		uint64_t hash = s_cases[i].isSmall ? pinnedHash(&s_cases[i], 1) : s_pinnedBits[i].hash;
		CHECK_MESSAGE(hash == s_pinnedBits[i].hash, "%s: 0x%016llx, expected 0x%016llx", s_cases[i].name,
					  (unsigned long long)hash, (unsigned long long)s_pinnedBits[i].hash);
	}
}

static void writeTable(const uint64_t hashes[pinnedCount])
{
	static const char path[] = BR_SOURCE_DIR "/test/pinned_bits.h";
	char text[8192];
	FILE* file = fopen(path, "r");
	CHECK(file != NULL);
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	char* rows = strstr(text, "s_pinnedBits[] = {\n");
	CHECK(rows != NULL && (file = fopen(path, "w")) != NULL);
	fprintf(file, "%.*ss_pinnedBits[] = {\n", (int)(rows - text), text);
	for (int32_t i = 0; i < pinnedCount; ++i)
	{
		fprintf(file, "\t{\"%s\", 0x%016llx},\n", s_cases[i].name, (unsigned long long)hashes[i]);
	}
	fprintf(file, "};\n// clang-format on\n");
	CHECK(fclose(file) == 0);
}

BR_TEST(pinned_bits)
{
	static const int32_t workerCounts[] = {2, 3, 8};
	uint64_t hashes[pinnedCount];
	bool isSame = sizeof(s_pinnedBits) / sizeof(s_pinnedBits[0]) == pinnedCount;
	for (int32_t i = 0; i < pinnedCount; ++i)
	{
		hashes[i] = pinnedHash(&s_cases[i], 1);
		int32_t workers = workerCounts[i % 3];
		CHECK_MESSAGE(pinnedHash(&s_cases[i], workers) == hashes[i], "%s: %d workers give other bits", s_cases[i].name,
					  workers);
		bool isKnown = isSame && strcmp(s_pinnedBits[i].name, s_cases[i].name) == 0;
		isSame = isSame && isKnown && s_pinnedBits[i].hash == hashes[i];
		printf("%s{\"%s\", 0x%016llx},\n", isSame ? "  " : "# ", s_cases[i].name, (unsigned long long)hashes[i]);
	}
	if (getenv("PINNED_UPDATE") != NULL)
	{
		writeTable(hashes);
		return;
	}
	CHECK_MESSAGE(isSame, "a scene that breaks has another hash. If that is meant: PINNED_UPDATE=1 "
						  "build/brittle_tests pinned_bits, and the commit says why");
}
