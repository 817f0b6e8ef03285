// SPDX-License-Identifier: MIT

// brittle run as a user meets it: files, keys, exit codes, sentences, Ctrl-C and --resume.

#include "brittle/io.h"
#include "brittle/recording.h"
#include "harness.h"
#include "io_help.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef _WIN32
#include <signal.h>
#include <sys/wait.h>
#endif

typedef struct SceneRun
{
	int exitCode;
	char out[8192];
	char err[8192];
} SceneRun;

static void readOutput(const char* path, char* buffer, size_t capacity)
{
	FILE* file = fopen(path, "rb");
	CHECK_MESSAGE(file != NULL, "%s cannot be opened", path);
	buffer[fread(buffer, 1, capacity - 1, file)] = 0;
	fclose(file);
}

static SceneRun* runLine(const char* words)
{
	static SceneRun run;
	char line[4096], out[256], err[256];
	snprintf(out, sizeof(out), "%s", brTest_ScratchPath("run.out"));
	snprintf(err, sizeof(err), "%s", brTest_ScratchPath("run.err"));
	snprintf(line, sizeof(line), "%s run %s >%s 2>%s </dev/null", brTest_Program(), words, out, err);
	run.exitCode = brTest_Shell(line);
	readOutput(out, run.out, sizeof(run.out));
	readOutput(err, run.err, sizeof(run.err));
	return &run;
}

static const char* const s_drop =
	"scene: A drop\nduration: 0.4\nground: concrete\n"
	"bodies:\n"
	"  - {name: vase, model: {make: vase, res: 12}, material: terracotta, position: [0, 0, 0.2],\n"
	"     rotation: [80, 0, 0], velocity: [0, 0, -4], fracture: {pieces: 8}}\n"
	"  - {name: box, model: box, scale: 0.1, position: [0.5, 0, 0]}\n"
	"output: {poster_size: [64, 48], sheet_grid: [2, 1], samples: 1}\n";

static const char* sceneFile(const char* text)
{
	const char* path = brTest_ScratchPath("drop.yaml");
	ioSaveBytes(path, text, strlen(text));
	return path;
}

static bool exists(const char* folder, const char* ending)
{
	char path[1024];
	snprintf(path, sizeof(path), "%s/%s", folder, ending);
	return access(path, F_OK) == 0;
}

// The scene's name, which begins its files' names.
static const char* stemOf(const char* scene)
{
	static char stem[256];
	snprintf(stem, sizeof(stem), "%s", strrchr(scene, '/') + 1);
	*strrchr(stem, '.') = 0;
	return stem;
}

static bool hasFile(const char* folder, const char* scene, const char* ending)
{
	char name[512];
	snprintf(name, sizeof(name), "%s%s", stemOf(scene), ending);
	return exists(folder, name);
}

#ifndef _WIN32
static int32_t countFiles(const char* folder)
{
	DIR* directory = opendir(folder);
	int32_t count = 0;
	for (struct dirent* entry = directory != NULL ? readdir(directory) : NULL; entry != NULL;
		 entry = readdir(directory))
	{
		count += entry->d_name[0] != '.';
	}
	if (directory != NULL)
	{
		closedir(directory);
	}
	return count;
}
#endif

BR_TEST(run_command_writes_everything_and_says_where)
{
	char scene[256], folder[256], words[1024], path[1024];
	snprintf(scene, sizeof(scene), "%s", sceneFile(s_drop));
	snprintf(folder, sizeof(folder), "%s", brTest_ScratchPath("out/deep"));
	snprintf(words, sizeof(words), "%s -o %s --json", scene, folder);
	SceneRun* run = runLine(words);
	CHECK_MESSAGE(run->exitCode == 0, "%s", run->err);
	const char* keys[] = {"frames", "bodies", "breaks", "pieces", "hash", "seconds", "stages", "solve", "files"};
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i)
	{
		char quoted[64];
		snprintf(quoted, sizeof(quoted), "\"%s\":", keys[i]);
		CHECK_MESSAGE(strstr(run->out, quoted) != NULL, "%s is missing in %s", keys[i], run->out);
	}
	CHECK(strstr(run->out, "\"frames\":24") != NULL && strstr(run->out, "\"breaks\":0") == NULL);
	CHECK(hasFile(folder, scene, ".csv") && hasFile(folder, scene, ".brec") && hasFile(folder, scene, ".usda"));
	CHECK(exists(folder, "poster.png") && exists(folder, "sheet.png"));
	snprintf(path, sizeof(path), "%s/%s.brec", folder, stemOf(scene));
	brRecording* recording = BR_MADE(brRecording, brLoadRecording, NULL, path);
	CHECK_EQUAL(recording->frameCount, 25);
	int32_t bodies = recording->bodyCount;
	brDestroyRecording(recording);
	snprintf(path, sizeof(path), "%s/%s.glb", folder, stemOf(scene));
	brAssembly* assembly = BR_MADE(brAssembly, brLoadAssembly, NULL, path);
	CHECK_EQUAL(assembly->partCount, bodies);
	brDestroyAssembly(assembly);

	// The same again with other workers and another seed.
	char hash[64] = "";
	CHECK(sscanf(strstr(run->out, "\"hash\":\""), "\"hash\":\"%63[0-9a-f]", hash) == 1);
	snprintf(words, sizeof(words), "%s -o %s --json --workers 3 --no-pictures", scene, folder);
	CHECK(strstr(runLine(words)->out, hash) != NULL);
	snprintf(words, sizeof(words), "%s -o %s --json --seed 99 --no-pictures", scene, folder);
	run = runLine(words);
	CHECK(run->exitCode == 0 && strstr(run->out, hash) == NULL);
	snprintf(words, sizeof(words), "%s -o %s --time 0.1 --set bodies.0.fracture=none --json --no-pictures", scene,
			 folder);
	run = runLine(words);
	CHECK(strstr(run->out, "\"frames\":6") != NULL && strstr(run->out, "\"breaks\":0") != NULL);
}

// A file that is executed in ffmpeg's place.
#ifndef _WIN32
static void fakeFfmpeg(const char* folder, const char* script)
{
	char path[512];
	CHECK(mkdir(folder, 0755) == 0 || exists(folder, "."));
	snprintf(path, sizeof(path), "%s/ffmpeg", folder);
	ioSaveBytes(path, script, strlen(script));
	CHECK(chmod(path, 0755) == 0);
}

BR_TEST(run_command_makes_frames_and_a_video_if_ffmpeg_is_there)
{
	char scene[256], folder[256], fake[256], words[2048], before[1024];
	snprintf(scene, sizeof(scene), "%s", sceneFile(s_drop));
	snprintf(folder, sizeof(folder), "%s", brTest_ScratchPath("film"));
	snprintf(fake, sizeof(fake), "%s", brTest_ScratchPath("fake"));
	snprintf(before, sizeof(before),
			 "%s -o %s --set output.glb=false --set output.usda=false "
			 "--set 'output.video_size=[33, 18]' --set output.poster=false --set output.sheet=false",
			 scene, folder);

	// Pictures alone, one a frame and the start; a shorter run leaves none of the longer one's.
	snprintf(words, sizeof(words), "%s --frames --time 0.2", before);
	SceneRun* run = runLine(words);
	CHECK_MESSAGE(run->exitCode == 0, "%s", run->err);
	CHECK(exists(folder, "frames/frame_00000.png") && exists(folder, "frames/frame_00012.png"));
	CHECK(!exists(folder, "frames/frame_00013.png") && !hasFile(folder, scene, ".mp4"));
	snprintf(words, sizeof(words), "%s --frames --time 0.1", before);
	CHECK_EQUAL(runLine(words)->exitCode, 0);
	char frames[512];
	snprintf(frames, sizeof(frames), "%s/frames", folder);
	CHECK_EQUAL(countFiles(frames), 7);

	// Without ffmpeg, and with one that fails: one sentence, no half a video, and the pictures stay.
	char path[4096];
	snprintf(path, sizeof(path), "%s", getenv("PATH") != NULL ? getenv("PATH") : "/usr/bin:/bin");
	for (int32_t k = 0; k < 2; ++k)
	{
		fakeFfmpeg(fake, k == 0 ? "#!/nowhere/sh\n" : "#!/bin/sh\necho half > \"$(eval echo \\${$#})\"\nexit 1\n");
		char paths[5120];
		snprintf(paths, sizeof(paths), k == 0 ? "%s" : "%s:%s", fake, path);
		CHECK(setenv("PATH", paths, 1) == 0);
		snprintf(words, sizeof(words), "%s --video --time 0.1", before);
		run = runLine(words);
		CHECK(setenv("PATH", path, 1) == 0);
		CHECK_MESSAGE(run->exitCode == 0, "%s", run->err);
		CHECK_MESSAGE(strstr(run->err, "no video, since ffmpeg") != NULL, "%s", run->err);
		CHECK(!hasFile(folder, scene, ".mp4") && !hasFile(folder, scene, ".partial.mp4"));
		CHECK_EQUAL(countFiles(frames), 7);
	}

	// The real one, where it is: an mp4 begins with a box of type ftyp.
	if (system("ffmpeg -version >/dev/null 2>&1") == 0)
	{
		CHECK_EQUAL(runLine(words)->exitCode, 0);
		char video[1024], head[16] = "";
		snprintf(video, sizeof(video), "%s/%s.mp4", folder, stemOf(scene));
		FILE* file = fopen(video, "rb");
		CHECK(file != NULL && fread(head, 1, 12, file) == 12);
		fclose(file);
		CHECK(memcmp(head + 4, "ftyp", 4) == 0);
	}
}
#endif

BR_TEST(run_command_refuses_bad_scenes_and_leaves_nothing)
{
	const struct
	{
		const char *text, *words;
	} cases[] = {
		{"bodies:\n  - {model: box, weight: 3}\n", "yaml:2: a body has no key 'weight'"},
		{"bodies:\n  - {model: {file: nowhere.obj}}\n", "nowhere.obj"},
		{"bodies:\n  - {model: box, mass: -3}\n", "mass is a number above 0"},
		{"bodies:\n  - {model: box, repeat: {grid: [1000, 1000, 1000]}}\n", "at most 100000 bodies"},
		{"bodies: [\n", "not YAML"},
		{"", "no bodies"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		char scene[256], folder[256], words[1024];
		snprintf(scene, sizeof(scene), "%s", sceneFile(cases[i].text));
		snprintf(folder, sizeof(folder), "%s", brTest_ScratchPath("nothing"));
		snprintf(words, sizeof(words), "%s -o %s --json", scene, folder);
		SceneRun* run = runLine(words);
		CHECK_EQUAL(run->exitCode, 1);
		CHECK_MESSAGE(strstr(run->err, cases[i].words) != NULL, "%s", run->err);
		CHECK(strchr(run->err, '\n') == run->err + strlen(run->err) - 1);
		CHECK(strncmp(run->out, "{\"error\":", 9) == 0);
		CHECK(access(folder, F_OK) != 0);
	}
	CHECK_EQUAL(runLine("/nowhere/at/all.yaml")->exitCode, 1);
	CHECK_EQUAL(runLine("")->exitCode, 2);
	CHECK_EQUAL(runLine("x.yaml --time -1")->exitCode, 2);
	CHECK_EQUAL(runLine("x.yaml --no-such")->exitCode, 2);
	// Zero gravity is a scene like any other.
	char words[1024];
	snprintf(words, sizeof(words), "%s -o %s --time 0.05 --no-pictures",
			 sceneFile("gravity: 0\nbodies: [{model: box, velocity: [1, 0, 0]}]\n"), brTest_ScratchPath("weightless"));
	CHECK_EQUAL(runLine(words)->exitCode, 0);
	// A folder that cannot be, since it would lie in a file.
	snprintf(words, sizeof(words), "%s -o %s/x --time 0.05", sceneFile(s_drop), sceneFile(s_drop));
	SceneRun* run = runLine(words);
	CHECK(run->exitCode == 1 && strstr(run->err, "drop.yaml") != NULL);
}

BR_TEST(run_command_resumes_and_goes_further)
{
	char scene[256], whole[256], part[256], words[1024];
	snprintf(scene, sizeof(scene), "%s", sceneFile(s_drop));
	snprintf(whole, sizeof(whole), "%s", brTest_ScratchPath("whole"));
	snprintf(part, sizeof(part), "%s", brTest_ScratchPath("part"));
	snprintf(words, sizeof(words), "%s -o %s --no-pictures --json", scene, whole);
	CHECK_EQUAL(runLine(words)->exitCode, 0);
	snprintf(words, sizeof(words), "%s -o %s --no-pictures --resume", scene, part);
	CHECK_EQUAL(runLine(words)->exitCode, 1); // there is nothing to go on from
	CHECK(access(part, F_OK) != 0);
	// A run of milliseconds is played again sooner than its checkpoint is loaded; a long one keeps it.
	static char soon[] = "BRITTLE_CHECKPOINT_SECONDS=1e-9", later[] = "BRITTLE_CHECKPOINT_SECONDS=";
	CHECK(!exists(whole, "checkpoint.brcp"));
	snprintf(words, sizeof(words), "%s -o %s --no-pictures --time 0.15", scene, part);
	putenv(soon);
	CHECK_EQUAL(runLine(words)->exitCode, 0);
	putenv(later);
	CHECK(exists(part, "checkpoint.brcp"));
	// As on an older processor: what the checkpoint holds says nothing of the one that wrote it.
	static char narrow[] = "BRITTLE_VECTORS=scalar", any[] = "BRITTLE_VECTORS=";
	putenv(narrow);
	snprintf(words, sizeof(words), "%s -o %s --no-pictures --resume --json", scene, part);
	SceneRun* run = runLine(words);
	putenv(any);
	CHECK_MESSAGE(run->exitCode == 0, "%s", run->err);
	CHECK(strstr(run->out, "\"resumed\":true") != NULL && strstr(run->out, "\"frames\":24") != NULL);
	CHECK(!exists(part, "checkpoint.brcp"));
	// Both ways give the same files, to the byte; only the times in the table differ.
	const char* endings[] = {".usda", ".glb", ".brec"};
	for (int32_t i = 0; i < 3; ++i)
	{
		char a[1024], b[1024];
		snprintf(a, sizeof(a), "%s/%s%s", whole, stemOf(scene), endings[i]);
		snprintf(b, sizeof(b), "%s/%s%s", part, stemOf(scene), endings[i]);
		if (access(a, F_OK) != 0)
		{
			continue;
		}
		size_t aCount, bCount;
		void *aBytes = ioLoadBytes(a, &aCount), *bBytes = ioLoadBytes(b, &bCount);
		CHECK_MESSAGE(aCount == bCount && memcmp(aBytes, bBytes, aCount) == 0, "%s differs", endings[i]);
		free(aBytes);
		free(bBytes);
	}
	// Without a checkpoint it begins at the start.
	snprintf(words, sizeof(words), "%s -o %s --no-pictures --resume --time 0.5 --json", scene, part);
	putenv(soon);
	run = runLine(words);
	putenv(later);
	CHECK(run->exitCode == 0 && strstr(run->out, "\"frames\":30") != NULL);
	CHECK(strstr(run->out, "\"resumed\":false") != NULL && strstr(run->err, "begins at the start") != NULL);
	snprintf(words, sizeof(words), "%s -o %s --no-pictures --resume --set bodies.1.scale=0.2", scene, part);
	run = runLine(words);
	CHECK(run->exitCode == 1 && strstr(run->err, "another scene") != NULL);
}

#ifndef _WIN32
static void stopBySignal(int number)
{
	char scene[256], folder[256];
	// Long enough to be caught in the middle on any machine.
	snprintf(scene, sizeof(scene), "%s",
			 sceneFile("duration: 3000\nground: wood\nsleep: off\n"
					   "bodies: [{model: box, scale: 0.1, repeat: {grid: [5, 5, 5], spacing: [0.2, 0.2, 0.2]}}]\n"));
	snprintf(folder, sizeof(folder), "%s", brTest_ScratchPath("stopped"));
	pid_t child = fork();
	if (child == 0)
	{
		FILE* sink = freopen("/dev/null", "w", stderr);
		sink = sink != NULL ? freopen(brTest_ScratchPath("stopped.out"), "w", stdout) : NULL;
		if (sink != NULL)
		{
			execl(brTest_Program(), brTest_Program(), "run", scene, "-o", folder, "--json", (char*)NULL);
		}
		_exit(99);
	}
	CHECK(child > 0);
	// The folder is there when it plays; then a little longer.
	for (int32_t i = 0; i < 200 && access(folder, F_OK) != 0; ++i)
	{
		nanosleep(&(struct timespec){0, 20000000}, NULL);
	}
	nanosleep(&(struct timespec){0, 300000000}, NULL);
	kill(child, number);
	int status = 0;
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_MESSAGE(WIFEXITED(status) && WEXITSTATUS(status) == 128 + number, "ended with %d", status);
	CHECK(hasFile(folder, scene, ".csv") && hasFile(folder, scene, ".brec") && hasFile(folder, scene, ".usda"));
	CHECK(exists(folder, "checkpoint.brcp"));
	char path[1024];
	snprintf(path, sizeof(path), "%s/%s.brec", folder, stemOf(scene));
	brRecording* recording = BR_MADE(brRecording, brLoadRecording, NULL, path);
	CHECK(recording->frameCount > 1 && recording->frameCount < 180001);
	brDestroyRecording(recording);
	CHECK(countFiles(folder) <= 5); // nothing temporary is left, and no time went into pictures
}

BR_TEST(run_command_stops_at_ctrl_c_with_whole_files)
{
	stopBySignal(SIGINT);
}

// Batch systems, containers and `timeout` send this one.
BR_TEST(run_command_stops_at_sigterm_with_whole_files)
{
	stopBySignal(SIGTERM);
}

// Killed at any instant, and asked to go on: every file is that of a run that was left alone, but for times in the
// table.
BR_TEST(run_command_resumes_after_being_killed)
{
	char scene[256], whole[256], part[256], words[2048];
	snprintf(scene, sizeof(scene), "%s", sceneFile(s_drop));
	snprintf(whole, sizeof(whole), "%s", brTest_ScratchPath("whole"));
	snprintf(part, sizeof(part), "%s", brTest_ScratchPath("killed"));
	snprintf(words, sizeof(words), "%s -o %s --no-pictures", scene, whole);
	CHECK_EQUAL(runLine(words)->exitCode, 0);
	brRandom random = brTest_Random(test);
	bool wasFinished = false;
	for (int32_t i = 0; i < brTest_Rounds(test, 12) && !wasFinished; ++i)
	{
		pid_t child = fork();
		if (child == 0)
		{
			FILE* sink = freopen("/dev/null", "w", stderr);
			sink = sink != NULL ? freopen("/dev/null", "w", stdout) : NULL;
			execl(brTest_Program(), brTest_Program(), "run", scene, "-o", part, "--no-pictures",
				  i > 0 ? "--resume" : "--quiet", (char*)NULL);
			_exit(99);
		}
		CHECK(child > 0);
		nanosleep(&(struct timespec){0, (long)(brRandom_Next(&random) % 30000000)}, NULL);
		kill(child, i % 2 == 0 ? SIGKILL : SIGTERM);
		int status = 0;
		CHECK(waitpid(child, &status, 0) == child);
		wasFinished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	}
	snprintf(words, sizeof(words), "%s -o %s --no-pictures --resume", scene, part);
	SceneRun* run = runLine(words);
	if (run->exitCode != 0) // killed before it had put anything there
	{
		snprintf(words, sizeof(words), "%s -o %s --no-pictures", scene, part);
		run = runLine(words);
	}
	CHECK_MESSAGE(run->exitCode == 0, "%s", run->err);
	const char* endings[] = {".usda", ".glb", ".brec"};
	for (int32_t i = 0; i < 3; ++i)
	{
		char other[1024];
		snprintf(words, sizeof(words), "%s/%s%s", whole, stemOf(scene), endings[i]);
		snprintf(other, sizeof(other), "%s/%s%s", part, stemOf(scene), endings[i]);
		CHECK_MESSAGE(!hasFile(whole, scene, endings[i]) || ioSameBytes(words, other), "%s differs", endings[i]);
	}
	CHECK_EQUAL(countFiles(part), countFiles(whole));
}
#endif

static const char* readFile(const char* path, size_t* outSize)
{
	static char bytes[2][1 << 20];
	static int32_t next = 0;
	char* buffer = bytes[next++ % 2];
	FILE* file = fopen(path, "rb");
	CHECK_MESSAGE(file != NULL, "%s cannot be opened", path);
	*outSize = fread(buffer, 1, sizeof(bytes[0]) - 1, file);
	buffer[*outSize] = 0;
	fclose(file);
	return buffer;
}

// Any command of the program; its output is thrown away.
static int brittleLine(const char* words)
{
	char line[8192];
	snprintf(line, sizeof(line), "%s %s >/dev/null 2>&1 </dev/null", brTest_Program(), words);
	return brTest_Shell(line);
}

// A recording is as good as the run that made it: the same picture to the byte, the same .glb, the rubble at any time.
BR_TEST(run_command_recordings_are_files_like_others)
{
	char scene[256], folder[256], words[4096], stem[520];
	snprintf(scene, sizeof(scene), "%s", sceneFile(s_drop));
	snprintf(folder, sizeof(folder), "%s", brTest_ScratchPath("first_class"));
	snprintf(words, sizeof(words), "%s -o %s --set output.poster_time=0.25", scene, folder);
	CHECK_EQUAL(runLine(words)->exitCode, 0);
	snprintf(stem, sizeof(stem), "%s/%s", folder, stemOf(scene));
	size_t size[2];
	snprintf(words, sizeof(words), "render %s.brec --time 0.25 -o %s.png", stem, stem);
	CHECK_EQUAL(brittleLine(words), 0);
	snprintf(words, sizeof(words), "%s/poster.png", folder);
	const char* poster = readFile(words, &size[0]);
	snprintf(words, sizeof(words), "%s.png", stem);
	const char* picture = readFile(words, &size[1]);
	CHECK(size[0] == size[1] && memcmp(poster, picture, size[0]) == 0);
	const char* const endings[2] = {"glb", "usda"};
	for (int32_t i = 0; i < 2; ++i)
	{
		snprintf(words, sizeof(words), "convert %s.brec %s_again.%s", stem, stem, endings[i]);
		CHECK_EQUAL(brittleLine(words), 0);
		snprintf(words, sizeof(words), "%s.%s", stem, endings[i]);
		const char* made = readFile(words, &size[0]);
		snprintf(words, sizeof(words), "%s_again.%s", stem, endings[i]);
		const char* again = readFile(words, &size[1]);
		CHECK(size[0] == size[1] && memcmp(made, again, size[0]) == 0);
	}
	// Pieces in the end, from the recording and from the animation; one whole vase at the start.
	snprintf(words, sizeof(words), "convert %s.brec %s_end.obj --last", stem, stem);
	CHECK_EQUAL(brittleLine(words), 0);
	snprintf(words, sizeof(words), "convert %s.glb %s_glb.obj --last", stem, stem);
	CHECK_EQUAL(brittleLine(words), 0);
	snprintf(words, sizeof(words), "convert %s.glb %s_start.obj", stem, stem);
	CHECK_EQUAL(brittleLine(words), 0);
	const char* const names[3] = {"end", "glb", "start"};
	int32_t counts[3];
	for (int32_t i = 0; i < 3; ++i)
	{
		snprintf(words, sizeof(words), "%s_%s.obj", stem, names[i]);
		counts[i] = ioCountText(readFile(words, &size[0]), "\no ");
	}
	CHECK_EQUAL(counts[1], counts[0] + 1); // with the ground
	CHECK_EQUAL(counts[2], 3);             // vase, box, ground
	CHECK(counts[0] > 3);
	snprintf(words, sizeof(words), "trim %s.brec %s_short.brec --from 0.1 --to 0.3 --every 2", stem, stem);
	CHECK_EQUAL(brittleLine(words), 0);
	snprintf(words, sizeof(words), "check %s_short.brec --last --skip-crossings", stem);
	CHECK_EQUAL(brittleLine(words), 0);
	snprintf(words, sizeof(words), "collide %s_short.brec --time 0.05", stem);
	CHECK_EQUAL(brittleLine(words), 0);
	snprintf(words, sizeof(words), "trim %s.brec %s.obj", stem, stem);
	CHECK_EQUAL(brittleLine(words), 2);
}

// The meshes of a large run go into a file of their own, which is gone when a smaller one follows.
BR_TEST(run_command_splits_large_usd)
{
	char scene[256], folder[256], words[4096], meshes[800];
	snprintf(scene, sizeof(scene), "%s",
			 sceneFile("duration: 0.02\nbodies:\n  - {name: ball, model: {make: icosphere, res: 131}, kind: static}\n"
					   "output: {glb: false, csv: false}\n"));
	snprintf(folder, sizeof(folder), "%s", brTest_ScratchPath("split_run"));
	snprintf(meshes, sizeof(meshes), "%s/%s_meshes.usda", folder, stemOf(scene));
	size_t size;
	for (int32_t i = 0; i < 2; ++i)
	{
		snprintf(words, sizeof(words), "%s -o %s --no-pictures%s", scene, folder,
				 i == 0 ? "" : " --set bodies.0.model.res=4");
		CHECK_EQUAL(runLine(words)->exitCode, 0);
		FILE* file = fopen(meshes, "rb");
		CHECK((file != NULL) == (i == 0));
		file != NULL ? (void)fclose(file) : (void)0;
		snprintf(words, sizeof(words), "%s/%s.usda", folder, stemOf(scene));
		CHECK((strstr(readFile(words, &size), "faceVertexCounts") == NULL) == (i == 0));
		brMesh* mesh = NULL;
		CHECK(brLoadMesh(NULL, words, &mesh, NULL) >= 0);
		CHECK_EQUAL(mesh->faceCount, i == 0 ? 20 * 131 * 131 : 20 * 4 * 4);
		brDestroyMesh(mesh);
	}
}

// Fewer triangles, and still a solid when the file is read back.
BR_TEST(run_command_decimate_leaves_a_solid)
{
	char words[1024], small[256];
	snprintf(small, sizeof(small), "%s", brTest_ScratchPath("small.stl"));
	const char* model = brTest_ScratchPath("large.ply");
	snprintf(words, sizeof(words), "make statue -o %s", model);
	CHECK_EQUAL(brittleLine(words), 0);
	snprintf(words, sizeof(words), "decimate %s %s --triangles 2000", model, small);
	int exitCode = brittleLine(words);
	if (exitCode == 1)
	{
		brTest_Skip("this build has no meshoptimizer");
	}
	CHECK_EQUAL(exitCode, 0);
	snprintf(words, sizeof(words), "check %s", small);
	CHECK_EQUAL(brittleLine(words), 0);
	brMesh* mesh = BR_MADE(brMesh, brLoadMesh, NULL, small);
	CHECK(mesh->faceCount > 1000 && mesh->faceCount < 2200);
	brDestroyMesh(mesh);
	snprintf(words, sizeof(words), "decimate %s %s --triangles -3", model, small);
	CHECK_EQUAL(brittleLine(words), 2);
}
