// SPDX-License-Identifier: MIT

// Runs: the books balance, the hash does not depend on workers, a checkpoint goes on to the same bits, and small random
// scenes neither crash nor explode.

#include "brittle/brittle.h"
#include "harness.h"
#include "io_help.h"
#include "random_scene.h"

#include "base/hash.h"
#include "scene/run_state.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static brScene* sceneOf(const char* text)
{
	return BR_MADE(brScene, brReadScene, NULL, text, strlen(text), NULL, NULL);
}

static brRun* playScene(const brContext* context, const brScene* scene, int32_t frames)
{
	brReport report = {0};
	brRun* run = BR_MADE(brRun, brCreateRun, context, scene);
	for (int32_t i = 0; i < frames && !brRun_IsDone(run); ++i)
	{
		CHECK_RESULT(brRun_PlayFrame(run, &report), &report);
	}
	return run;
}

static const char* const s_mixed =
	"duration: 0.8\nseed: 3\nground: concrete\n"
	"bodies:\n"
	"  - {name: glass, model: {make: wine_glass, res: 16}, material: glass, position: [0, 0, 1.2], velocity: [0, 0, "
	"-4], "
	"rotation: [60, 0, 0],\n"
	"     fracture: {method: shatter, pieces: 20}}\n"
	"  - {name: brick, model: {make: brick, res: 4}, material: brick, position: [0.5, 0, 0],\n"
	"     repeat: {grid: [2, 1, 3], spacing: [0.22, 0.1, 0.066], stagger: 0.5}}\n"
	"events:\n"
	"  - {at: 0.2, throw: {name: ball, model: {make: icosphere, res: 3, with: {diameter: 0.1}}, position: [-0.8, 0, "
	"0.2],\n"
	"     velocity: [6, 0, 0]}}\n"
	"  - {at: 0.5, remove: ball}\n";

// Mass in is mass there, and energy is never more than came in. Contacts are soft, so a sliver of what moves may come
// back within a step: a thousandth of what has come in.
static void checkBooks(const brRun* run, const char* name)
{
	int32_t count;
	const brRunStep* steps = brRun_GetSteps(run, &count);
	CHECK(count > 0);
	double lowest = INFINITY, scale = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		double energy = steps[i].kinetic + steps[i].potential;
		lowest = fmin(lowest, energy);
		scale = fmax(scale, fmax(fabs(steps[i].energyIn), fabs(energy)));
		CHECK_MESSAGE(fabs(steps[i].mass - steps[i].massIn) <= 1e-9 * steps[i].massIn + 1e-12,
					  "%s: step %d has %.17g kg, %.17g came in", name, steps[i].step, steps[i].mass, steps[i].massIn);
		CHECK_MESSAGE(energy <= steps[i].energyIn - steps[i].energyBroken + 1e-3 * scale + 1e-9,
					  "%s: step %d has %g J and %g J in cracks, %g J came in", name, steps[i].step, energy,
					  steps[i].energyBroken, steps[i].energyIn);
		CHECK(isfinite(energy) && steps[i].setAside == 0);
	}
}

BR_TEST(run_keeps_its_books_and_records_everything)
{
	brScene* scene = sceneOf(s_mixed);
	brRun* run = playScene(NULL, scene, 1000);
	CHECK(brRun_IsDone(run));
	CHECK_EQUAL(brRun_GetFrameCount(run), 48);
	checkBooks(run, "mixed");
	CHECK(brRun_GetBreakCount(run) >= 1 && brRun_GetPieceCount(run) >= 5);
	const brRecording* recording = brRun_GetRecording(run);
	CHECK_EQUAL(recording->frameCount, 49);
	CHECK_EQUAL(recording->breakCount, brRun_GetBreakCount(run));
	// The glass is gone when its pieces come; all of them know it.
	int32_t pieces = 0, alive = 0;
	for (int32_t i = 0; i < recording->bodyCount; ++i)
	{
		const brRecordedBody* body = &recording->bodies[i];
		alive += body->goneFrame == INT32_MAX;
		if (body->kind == br_recordedPiece)
		{
			pieces += 1;
			CHECK(body->parent >= 0 && recording->bodies[body->parent].goneFrame == body->bornFrame);
			CHECK(strncmp(body->name, "glass", 5) == 0 || strncmp(body->name, "brick", 5) == 0);
		}
		if (strcmp(body->name, "ball") == 0)
		{
			CHECK(body->bornFrame == 13 && body->goneFrame == 31);
		}
	}
	CHECK(pieces > 0);
	CHECK_EQUAL(alive, brWorld_GetBodyCount(brRun_GetWorld(run))); // the ground is one of both
	// Poses in the last frame are those of the world.
	int32_t bodyCount = brWorld_GetBodies(brRun_GetWorld(run), NULL, 0), found = 0;
	brBodyId* ids = malloc((size_t)bodyCount * sizeof(brBodyId));
	brWorld_GetBodies(brRun_GetWorld(run), ids, bodyCount);
	for (int32_t i = 0; i < bodyCount; ++i)
	{
		// About the center of mass.
		brTransform at = {brWorld_GetCenter(brRun_GetWorld(run), ids[i]),
						  brWorld_GetPose(brRun_GetWorld(run), ids[i]).q};
		brRecordedPose pose = brMakeRecordedPose(at);
		for (int32_t b = 0; b < recording->bodyCount; ++b)
		{
			brRecordedPose known = recording->bodies[b].pose;
			brDVec3 place = brRecordedPose_ToTransform(known).p;
			bool isThere = brDDistance(place, at.p) < 2.0 * BR_RECORDING_UNIT;
			if (isThere && memcmp(known.rotation, pose.rotation, sizeof(pose.rotation)) == 0)
			{
				found += 1;
				break;
			}
		}
	}
	CHECK(found >= bodyCount - 1); // the ground's slab lies elsewhere
	// Origins are centers of mass: whatever a piece does between two frames, a player moves it along its path.
	for (int32_t i = 0; i < recording->bodyCount; ++i)
	{
		const brMesh* mesh = recording->meshes[recording->bodies[i].mesh];
		brDBox3 box = brMesh_ComputeBounds(mesh);
		double size = brDDistance(box.lower, box.upper), off = brDLength(brMesh_ComputeMass(mesh, 1.0).center);
		CHECK_MESSAGE(recording->bodies[i].kind == br_recordedGround || off < 1e-9 * size, "%s is %g m off its center",
					  recording->bodies[i].name, off);
	}
	free(ids);
	brDestroyRun(run);
	brDestroyScene(scene);
}

BR_TEST(run_statistics_read_back)
{
	brScene* scene = sceneOf(s_mixed);
	brRun* run = playScene(NULL, scene, 20);
	const char* path = brTest_ScratchPath("books.csv");
	brReport report = {0};
	CHECK_RESULT(brRun_SaveStatistics(run, NULL, path, &report), &report);
	FILE* file = fopen(path, "r");
	CHECK(file != NULL);
	static char line[4096];
	CHECK(fgets(line, sizeof(line), file) != NULL);
	CHECK(strncmp(line, "step,time,bodies,", 17) == 0 && strstr(line, ",momentum_x,momentum_y,momentum_z,") != NULL);
	int32_t columns = 1, rows = 0, count;
	for (const char* c = line; *c != 0; ++c)
	{
		columns += *c == ',';
	}
	const brRunStep* steps = brRun_GetSteps(run, &count);
	while (fgets(line, sizeof(line), file) != NULL)
	{
		int32_t commas = 0;
		for (const char* c = line; *c != 0; ++c)
		{
			commas += *c == ',';
		}
		CHECK_EQUAL(commas + 1, columns);
		CHECK_EQUAL(atoi(line), steps[rows].step);
		rows += 1;
	}
	fclose(file);
	CHECK_EQUAL(rows, count);
	brDestroyRun(run);
	brDestroyScene(scene);
}

static uint64_t hashWith(const brScene* scene, int32_t workerCount, uint64_t* outRecording)
{
	brContext context = {.workers = brTest_Workers(workerCount)};
	brRun* run = playScene(&context, scene, 1000);
	uint64_t hash = brWorld_ComputeHash(brRun_GetWorld(run));
	const brRecording* recording = brRun_GetRecording(run);
	*outRecording = (uint64_t)recording->keyCount << 32 | (uint32_t)recording->bodyCount;
	brDestroyRun(run);
	brDestroyWorkers(context.workers);
	return hash;
}

BR_TEST(run_workers_do_not_change_the_hash)
{
	brScene* scene = sceneOf(s_mixed);
	uint64_t recordings[3];
	uint64_t one = hashWith(scene, 1, &recordings[0]);
	uint64_t two = hashWith(scene, 2, &recordings[1]);
	uint64_t five = hashWith(scene, 5, &recordings[2]);
	CHECK(one == two && one == five);
	CHECK(recordings[0] == recordings[1] && recordings[0] == recordings[2]);
	brDestroyScene(scene);
}

BR_TEST(run_goes_on_from_a_checkpoint_to_the_same_bits)
{
	brScene* scene = sceneOf(s_mixed);
	const char* path = brTest_ScratchPath("half.brcp");
	brReport report = {0};
	brRun* whole = playScene(NULL, scene, 1000);
	for (int32_t stop = 0; stop <= 40; stop += 8)
	{
		brRun* half = playScene(NULL, scene, stop);
		CHECK_RESULT(brRun_SaveCheckpoint(half, NULL, path, &report), &report);
		brDestroyRun(half);
		brRun* again = BR_MADE(brRun, brRestoreRun, NULL, scene, path);
		CHECK_EQUAL(brRun_GetFrameCount(again), stop);
		while (!brRun_IsDone(again))
		{
			CHECK_RESULT(brRun_PlayFrame(again, &report), &report);
		}
		CHECK(brWorld_ComputeHash(brRun_GetWorld(again)) == brWorld_ComputeHash(brRun_GetWorld(whole)));
		const brRecording *a = brRun_GetRecording(whole), *b = brRun_GetRecording(again);
		CHECK_EQUAL(a->keyCount, b->keyCount);
		CHECK_EQUAL(a->bodyCount, b->bodyCount);
		CHECK(memcmp(a->keys, b->keys, (size_t)a->keyCount * sizeof(*a->keys)) == 0);
		CHECK(brRun_GetPieceCount(whole) == brRun_GetPieceCount(again));
		brDestroyRun(again);
	}
	brScene* other = sceneOf("bodies: [{model: box}]\n");
	brRun* run = NULL;
	CHECK(brRestoreRun(NULL, other, path, &run, &report) < 0 && run == NULL);
	CHECK(strstr(report.text, "another scene") != NULL);
	brDestroyScene(other);
	brDestroyRun(whole);
	brDestroyScene(scene);
}

// Every byte of the header and many of the rest: the hash covers all of them.
BR_TEST(run_checkpoint_with_any_byte_changed_is_refused)
{
	brScene* scene = sceneOf(s_mixed);
	const char* path = brTest_ScratchPath("bytes.brcp");
	brReport report = {0};
	brRun* run = playScene(NULL, scene, 25);
	CHECK_RESULT(brRun_SaveCheckpoint(run, NULL, path, &report), &report);
	brDestroyRun(run);
	run = NULL;
	size_t byteCount;
	uint8_t* bytes = ioLoadBytes(path, &byteCount);
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < 160 + brTest_Rounds(test, 60); ++round)
	{
		size_t at = round < 160 ? (size_t)round : brRandom_Below(&random, (uint32_t)byteCount);
		uint8_t old = bytes[at];
		bytes[at] ^= (uint8_t)(1 + brRandom_Below(&random, 255));
		ioSaveBytes(path, bytes, round >= 160 && round % 2 == 0 ? at : byteCount);
		CHECK_MESSAGE(brRestoreRun(NULL, scene, path, &run, &report) < 0 && run == NULL,
					  "byte %d was changed and nobody saw it", (int)at);
		CHECK(report.text[0] != 0);
		bytes[at] = old;
	}
	free(bytes);
	brDestroyScene(scene);
}

// The same with the hash made right: no number of the header is believed that the rest of the file does not bear out.
BR_TEST(run_checkpoint_header_fields_are_checked)
{
	brScene* scene = sceneOf(s_mixed);
	const char* path = brTest_ScratchPath("fields.brcp");
	brReport report = {0};
	brRun* run = playScene(NULL, scene, 40);
	CHECK(brRun_GetBreakCount(run) > 0);
	CHECK_RESULT(brRun_SaveCheckpoint(run, NULL, path, &report), &report);
	brDestroyRun(run);
	run = NULL;
	size_t byteCount;
	uint8_t* bytes = ioLoadBytes(path, &byteCount);
	const brCheckpointHeader good = *(const brCheckpointHeader*)bytes;
	for (size_t at = 0; at < sizeof(good); at += 4)
	{
		if (at == offsetof(brCheckpointHeader, padding) ||
			(at >= offsetof(brCheckpointHeader, hash) && at < offsetof(brCheckpointHeader, hash) + 8))
		{
			continue;
		}
		for (int32_t odd = 0; odd < 5; ++odd)
		{
			brCheckpointHeader header = good;
			int32_t number;
			memcpy(&number, (char*)&header + at, 4);
			const int32_t values[5] = {number + 1, number ^ 0x100, -5, INT32_MAX, INT32_MIN};
			memcpy((char*)&header + at, &values[odd], 4);
			header.hash = brHashFile(&header, sizeof(header), offsetof(brCheckpointHeader, hash),
									 bytes + sizeof(header), byteCount - sizeof(header));
			memcpy(bytes, &header, sizeof(header));
			ioSaveBytes(path, bytes, byteCount);
			CHECK_MESSAGE(brRestoreRun(NULL, scene, path, &run, &report) < 0 && run == NULL,
						  "the number at byte %d may become %d", (int)at, (int)values[odd]);
		}
	}
	// The centers of live bodies place the meshes of the recording.
	brCheckpointHeader header = good;
	size_t live = sizeof(good) + sizeof(brBodyId) * (size_t)good.bodyCount + sizeof(int32_t) * (size_t)good.modelCount;
	const double places[3] = {NAN, 1e300, -INFINITY};
	for (int32_t odd = 0; odd < 3; ++odd)
	{
		uint8_t* at = bytes + live + offsetof(brRunLive, center);
		double kept;
		memcpy(&kept, at, sizeof(kept));
		memcpy(at, &places[odd], sizeof(kept));
		header.hash = brHashFile(&header, sizeof(header), offsetof(brCheckpointHeader, hash), bytes + sizeof(header),
								 byteCount - sizeof(header));
		memcpy(bytes, &header, sizeof(header));
		ioSaveBytes(path, bytes, byteCount);
		CHECK_MESSAGE(brRestoreRun(NULL, scene, path, &run, &report) < 0 && run == NULL, "a center may be %g",
					  places[odd]);
		memcpy(at, &kept, sizeof(kept));
	}
	memcpy(bytes, &good, sizeof(good));
	ioSaveBytes(path, bytes, byteCount);
	CHECK_RESULT(brRestoreRun(NULL, scene, path, &run, &report), &report);
	brDestroyRun(run);
	free(bytes);
	brDestroyScene(scene);
}

static brResult walkRun(const brContext* context, void* user)
{
	brReport report = {0};
	brRun* run = NULL;
	brResult result = brCreateRun(context, user, &run, &report);
	for (int32_t i = 0; i < 3 && result >= 0; ++i)
	{
		result = brRun_PlayFrame(run, &report);
	}
	brDestroyRun(run);
	return result;
}

BR_TEST(run_survives_every_failed_allocation)
{
	brScene* scene =
		sceneOf("ground: wood\nbodies:\n"
				"  - {model: box, material: glass, position: [0, 0, 0.001], fracture: shatter}\n"
				"  - {model: box, position: [3, 0, 0]}\n"
				"events: [{at: 0.01, throw: {model: icosphere, position: [9, 0, 9]}}, {at: 0.03, gravity: 1}]\n");
	CHECK(brTest_WalkAllocations(walkRun, scene) > 20);
	brDestroyScene(scene);
}

// `make campaign-run` plays a thousand for two seconds each; here it is a few for a short while.
BR_TEST(run_campaign_of_random_scenes)
{
	brRandom random = brTest_Random(test);
	int32_t broken = 0, rounds = brTest_Rounds(test, 8);
	double duration = test->intensity > 2.0 ? 2.0 : 0.5;
	for (int32_t round = 0; round < rounds; ++round)
	{
		static char text[8192];
		double thrown = brTest_WriteRandomScene(&random, duration, text, sizeof(text));
		brScene* scene = sceneOf(text);
		brRun* run = playScene(NULL, scene, 100000);
		int32_t count;
		const brRunStep* steps = brRun_GetSteps(run, &count);
		double mass = steps[0].massIn, fastest = 40.0 + thrown;
		for (int32_t i = 0; i < count; ++i)
		{
			const brRunStep* step = &steps[i];
			CHECK_MESSAGE(step->setAside == 0, "round %d step %d: %d bodies set aside in\n%s", round, i, step->setAside,
						  text);
			CHECK_MESSAGE(fabs(step->mass - step->massIn) <= 1e-9 * step->massIn,
						  "round %d step %d: mass %.17g of %.17g in\n%s", round, i, step->mass, step->massIn, text);
			mass = fmax(mass, step->mass);
			// The mean speed of everything: an explosion would pass it.
			double speed = sqrt(2.0 * step->kinetic / step->mass);
			CHECK_MESSAGE(isfinite(speed) && speed < fastest, "round %d step %d: mean speed %g in\n%s", round, i, speed,
						  text);
		}
		broken += brRun_GetBreakCount(run) > 0;
		brDestroyRun(run);
		brDestroyScene(scene);
	}
	CHECK_MESSAGE(broken > 0 || rounds < 8, "nothing broke in %d scenes", rounds);
}

// The column of a name in a header line, or -1.
static int32_t columnOf(const char* header, const char* name)
{
	int32_t column = 0;
	size_t length = strlen(name);
	for (const char* at = header; at != NULL; ++column)
	{
		if (strncmp(at, name, length) == 0 && strchr(",\r\n", at[length]) != NULL)
		{
			return column;
		}
		at = strchr(at, ',');
		at = at != NULL ? at + 1 : NULL;
	}
	return -1;
}

static double cellOf(const char* line, int32_t column)
{
	for (; column > 0; --column)
	{
		line = strchr(line, ',') + 1;
	}
	return strtod(line, NULL);
}

// The same books as a stranger reads them: from the table alone.
static void checkTable(const brRun* run, const char* name)
{
	static char header[4096], line[4096];
	char path[512];
	snprintf(path, sizeof(path), "%s", brTest_ScratchPath("table.csv"));
	CHECK_RESULT(brRun_SaveStatistics(run, NULL, path, NULL), NULL);
	FILE* file = fopen(path, "r");
	CHECK(file != NULL && fgets(header, sizeof(header), file) != NULL);
	static const char* const names[] = {"mass",           "mass_in",       "energy_in",         "set_aside",
										"kinetic",        "potential",     "energy_broken",     "energy_friction",
										"energy_damping", "energy_solver", "energy_restitution"};
	int32_t columns[11];
	for (int32_t i = 0; i < 11; ++i)
	{
		columns[i] = columnOf(header, names[i]);
		CHECK(columns[i] >= 0);
	}
	double scale = 0.0, gone = 0.0, solver = 0.0;
	int32_t rows = 0;
	for (; fgets(line, sizeof(line), file) != NULL; ++rows)
	{
		double mass = cellOf(line, columns[0]), massIn = cellOf(line, columns[1]);
		double energyIn = cellOf(line, columns[2]), sum = 0.0;
		for (int32_t i = 4; i < 11; ++i)
		{
			sum += cellOf(line, columns[i]);
			scale = fmax(scale, fabs(cellOf(line, columns[i])));
		}
		solver = cellOf(line, columns[9]);
		gone = energyIn - cellOf(line, columns[4]) - cellOf(line, columns[5]);
		CHECK_MESSAGE(fabs(mass - massIn) <= 1e-9 * massIn + 1e-12, "%s: row %d has %.17g of %.17g kg", name, rows,
					  mass, massIn);
		CHECK_MESSAGE(fabs(sum - energyIn) <= 1e-5 * scale + 1e-9, "%s: row %d adds up to %g of %g J", name, rows, sum,
					  energyIn);
		CHECK(cellOf(line, columns[3]) == 0.0);
	}
	// What no law explains is a small part of what went. Where little fell slowly, as a stack that settles, a step is
	// too coarse to tell.
	CHECK_MESSAGE(fabs(solver) <= 0.1 * fabs(gone) + 0.01 * scale, "%s: the solver took %g of %g J", name, solver,
				  gone);
	fclose(file);
	CHECK(rows > 0);
}

// Two vases meet where there is no gravity: whatever breaks, all momentum is what it was. The bound is against what the
// hit exchanges, which is the momentum of one of them.
BR_TEST(run_momentum_is_kept_through_breaks)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/scenes/head_on.yaml", BR_SOURCE_DIR);
	const char* items[] = {"models.vase.res=16", "bodies.0.fracture.pieces=12", "bodies.1.fracture.pieces=12"};
	brSceneChanges changes = {3, items};
	brScene* scene = BR_MADE(brScene, brLoadScene, NULL, path, &changes);
	brRun* run = playScene(NULL, scene, 20);
	CHECK(brRun_GetBreakCount(run) >= 2);
	int32_t count;
	const brRunStep* steps = brRun_GetSteps(run, &count);
	double exchanged = 4.0 * scene->models[0].mass;
	for (int32_t i = 1; i < count; ++i)
	{
		double change = brDDistance(steps[i].momentum, steps[0].momentum);
		CHECK_MESSAGE(change < 3e-5 * exchanged, "step %d: momentum is off by %g of %g", steps[i].step, change,
					  exchanged);
		// From one step to the next, breaks included.
		double jump = brDDistance(steps[i].momentum, steps[i - 1].momentum);
		CHECK_MESSAGE(jump < 1e-5 * exchanged, "step %d: momentum jumps by %g of %g", steps[i].step, jump, exchanged);
	}
	brDestroyRun(run);
	brDestroyScene(scene);
}

// Plays until something has broken and `more` frames on; to the end if nothing does.
static brRun* playToBreak(const brScene* scene, int32_t more)
{
	brRun* run = playScene(NULL, scene, 0);
	brReport report = {0};
	while (!brRun_IsDone(run) && more > 0)
	{
		CHECK_RESULT(brRun_PlayFrame(run, &report), &report);
		more -= brRun_GetBreakCount(run) > 0;
	}
	return run;
}

// Every scene of the project: it loads, plays, breaks and keeps its books through the first break; all of it at high
// intensity.
BR_TEST(run_scenes_of_the_project_keep_their_books)
{
	char folder[512];
	snprintf(folder, sizeof(folder), "%s/scenes", BR_SOURCE_DIR);
	DIR* directory = opendir(folder);
	CHECK(directory != NULL);
	int32_t count = 0;
	for (struct dirent* entry; (entry = readdir(directory)) != NULL;)
	{
		size_t length = strlen(entry->d_name);
		if (length < 5 || strcmp(entry->d_name + length - 5, ".yaml") != 0)
		{
			continue;
		}
		char path[1024];
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		brScene* scene = BR_MADE(brScene, brLoadScene, NULL, path, NULL);
		brRun* run = test->intensity < 0.5   ? playScene(NULL, scene, 3)
					 : test->intensity > 2.0 ? playScene(NULL, scene, 100000)
											 : playToBreak(scene, 4);
		checkBooks(run, entry->d_name);
		checkTable(run, entry->d_name);
		// What is to be watched live may wait for a visitor to break it.
		bool isLive = strncmp(entry->d_name, "live_", 5) == 0;
		CHECK_MESSAGE(isLive || test->intensity < 0.5 || brRun_GetBreakCount(run) > 0, "%s: nothing broke",
					  entry->d_name);
		brDestroyRun(run);
		brDestroyScene(scene);
		count += 1;
	}
	closedir(directory);
	CHECK(count >= 14);
}
