// SPDX-License-Identifier: MIT

// The command line as a user meets it: exit codes, JSON keys, sentences, files that appear complete or not at all.

#include "brittle/gpu.h"
#include "brittle/material.h"
#include "brittle/render.h"
#include "harness.h"
#include "io_help.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Run
{
	int exitCode;
	char out[16384];
	char err[16384];
} Run;

static void readAll(const char* path, char* buffer, size_t capacity)
{
	FILE* file = fopen(path, "rb");
	CHECK_MESSAGE(file != NULL, "%s cannot be opened", path);
	size_t used = fread(buffer, 1, capacity - 1, file);
	buffer[used] = 0;
	fclose(file);
}

// Runs the program with a shell line of arguments; %s in it are the scratch paths given.
// `input`: a file that it reads on stdin.
static Run runBrittleFrom(const char* arguments, const char* input)
{
	static Run run;
	char out[256];
	char err[256];
	snprintf(out, sizeof(out), "%s", brTest_ScratchPath("stdout"));
	snprintf(err, sizeof(err), "%s", brTest_ScratchPath("stderr"));
	char line[4096];
	snprintf(line, sizeof(line), "%s %s >%s 2>%s <%s", brTest_Program(), arguments, out, err, input);
	run.exitCode = brTest_Shell(line);
	readAll(out, run.out, sizeof(run.out));
	readAll(err, run.err, sizeof(run.err));
	return run;
}

static Run runBrittle(const char* arguments)
{
	return runBrittleFrom(arguments, "/dev/null");
}

static void checkKeys(const Run* run, const char* const* keys)
{
	CHECK_MESSAGE(run->out[0] == '{' && strchr(run->out, '\n') == run->out + strlen(run->out) - 1,
				  "not one JSON object on one line: %s", run->out);
	for (; *keys != NULL; ++keys)
	{
		char quoted[64];
		snprintf(quoted, sizeof(quoted), "\"%s\":", *keys);
		CHECK_MESSAGE(strstr(run->out, quoted) != NULL, "the key %s is missing in %s", *keys, run->out);
	}
}

static const char* command(const char* format, const char* a, const char* b)
{
	static char line[2048];
	snprintf(line, sizeof(line), format, a, b);
	return line;
}

BR_TEST(cli_without_a_command_shows_the_overview_and_exits_2)
{
	Run run = runBrittle("");
	CHECK_EQUAL(run.exitCode, 2);
	CHECK(strstr(run.err, "commands:") != NULL && run.out[0] == 0);
	run = runBrittle("--help");
	CHECK_EQUAL(run.exitCode, 0);
	CHECK(strstr(run.out, "check") != NULL && run.err[0] == 0);
	run = runBrittle("chekc x.obj");
	CHECK_EQUAL(run.exitCode, 2);
	CHECK(strstr(run.err, "did you mean check?") != NULL);
}

BR_TEST(cli_wrong_words_are_told_what_is_wanted)
{
	static const struct
	{
		const char *words, *said, *unsaid;
	} rows[] = {
		{"bogus", "there is no command 'bogus'", "did you mean"},
		{"rn", "did you mean run?", "run run"},
		{"drop vase --size 0", "--size takes the longest side in meters, above 0", "note"},
		{"drop vase --ground marbel", "--ground: there is no material 'marbel'; did you mean marble?", "yaml"},
		{"drop vase --thicken 1e9", "--thicken takes up to", "yaml"},
		{"shoot vase --mass 1e-300", "--mass 1e-05 to", "yaml"},
		{"shoot vase --at 1e9,0,0", "--at takes a place within", "note"},
		{"shatter vase.obj --energy -1 -o x.glb", "--energy takes joules above 0", "usage"},
		{"tet vase.obj --tets 0 -o x.msh", "--tets N or --edge H, positive", "usage"},
		{"make vase -p height=3000 -o x.obj", "height of vase takes 0.02 to 5, not '3000'", "usage"},
		{"drop vase --seed -1", "--seed takes a whole number from 0 to", "usage"},
		{"shatter vase.obj -n 3000000000 -o x.glb", "a whole number within 2e9", "usage"},
		{"make box -o \"\"", "-o takes the name of a file", "ending"},
		{"crack vase.obj -m glass --hit 0,0,1 --impulse 0,0,0 -o x.glb", "--impulse x,y,z, which is not zero", "usage"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
	{
		Run run = runBrittle(rows[i].words);
		CHECK_MESSAGE(run.exitCode == 2 && strstr(run.err, rows[i].said) != NULL, "%s: %s", rows[i].words, run.err);
		CHECK_MESSAGE(strstr(run.err, rows[i].unsaid) == NULL, "%s: %s", rows[i].words, run.err);
	}
}

BR_TEST(cli_every_command_has_a_help_page_with_an_example)
{
	const char* commands[] = {"info", "check",  "collide", "convert", "cut",  "make",
							  "run",  "render", "shatter", "tet",     "bench"};
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); ++i)
	{
		Run run = runBrittle(command("%s --help", commands[i], ""));
		CHECK_EQUAL(run.exitCode, 0);
		CHECK(strstr(run.out, "usage: brittle ") != NULL && strstr(run.out, "example:") != NULL);
		CHECK(strstr(run.out, "--workers") != NULL && strstr(run.out, "--seed") != NULL);
		run = runBrittle(command("%s --no-such-option", commands[i], ""));
		CHECK_EQUAL(run.exitCode, 2);
		CHECK(strstr(run.err, "--no-such-option") != NULL && run.out[0] == 0);
	}
}

BR_TEST(cli_info_lists_version_devices_and_features)
{
	Run run = runBrittle("info --json");
	CHECK_EQUAL(run.exitCode, 0);
	const char* keys[] = {"version", "devices", "features", "seconds", NULL};
	checkKeys(&run, keys);
}

BR_TEST(cli_make_then_check_is_a_clean_solid)
{
	const char* path = brTest_ScratchPath("vase.obj");
	Run run = runBrittle(command("make vase --res 24 -o %s --json", path, ""));
	CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
	const char* made[] = {"vertices", "triangles", "seconds", NULL};
	checkKeys(&run, made);

	run = runBrittle(command("check %s --json", path, ""));
	CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
	const char* keys[] = {"vertices",
						  "faces",
						  "triangles",
						  "closed",
						  "oriented",
						  "manifold",
						  "components",
						  "boundary_edges",
						  "nonmanifold_edges",
						  "degenerate_faces",
						  "self_intersections",
						  "volume",
						  "area",
						  "bounds",
						  "seconds",
						  NULL};
	checkKeys(&run, keys);
	CHECK(strstr(run.out, "\"closed\":true") != NULL && strstr(run.out, "\"bounds\":{\"min\":[") != NULL);
	CHECK(strstr(run.out, "\"self_intersections\":0") != NULL);
}

BR_TEST(cli_check_of_an_open_mesh_exits_1_and_names_the_edge)
{
	const char* path = brTest_ScratchPath("open.off");
	FILE* file = fopen(path, "w");
	fputs("OFF\n4 3 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n", file);
	fclose(file);
	Run run = runBrittle(command("check %s", path, ""));
	CHECK_EQUAL(run.exitCode, 1);
	CHECK_MESSAGE(strstr(run.err, "edge") != NULL || strstr(run.err, "face") != NULL, "names no element: %s", run.err);
	CHECK(strstr(run.out, "boundary edges") != NULL);
}

BR_TEST(cli_missing_and_bad_files_get_one_sentence_and_exit_1)
{
	Run run = runBrittle("check /nowhere/none.obj");
	CHECK_EQUAL(run.exitCode, 1);
	CHECK(strstr(run.err, "cannot open /nowhere/none.obj") != NULL);
	CHECK(strchr(run.err, '\n') == run.err + strlen(run.err) - 1);

	run = runBrittle("check --json /nowhere/none.obj");
	CHECK_EQUAL(run.exitCode, 1);
	CHECK(strstr(run.out, "\"error\":\"cannot open") != NULL);

	run = runBrittle("check picture.bmp");
	CHECK_EQUAL(run.exitCode, 1);
	CHECK(strstr(run.err, "format") != NULL);

	const char* path = brTest_ScratchPath("bad.off");
	FILE* file = fopen(path, "w");
	fputs("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n", file);
	fclose(file);
	run = runBrittle(command("check %s", path, ""));
	CHECK_EQUAL(run.exitCode, 1);
	CHECK_MESSAGE(strstr(run.err, ":6:") != NULL && strstr(run.err, "7") != NULL, "no place in: %s", run.err);

	// A solid of a nanometer that is meant so: bodies as small left the finite numbers.
	path = brTest_ScratchPath("tiny.off");
	file = fopen(path, "w");
	fputs("OFF\n4 4 0\n0 0 0\n1e-9 0 0\n0 1e-9 0\n0 0 1e-9\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n", file);
	fclose(file);
	run = runBrittle(command("drop %s --no-pictures --size 1e-9", path, ""));
	CHECK_EQUAL(run.exitCode, 1);
	CHECK_MESSAGE(strstr(run.err, "--size") != NULL, "%s", run.err);
}

// What a file really is, where its first bytes tell, and what has nothing to break.
BR_TEST(cli_files_that_are_no_meshes_are_told_what_they_are)
{
	const struct
	{
		const char *name, *text, *command, *says;
	} cases[] = {
		{"lfs.obj", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "check %s",
		 "git lfs pull"},
		{"page.stl", "<!DOCTYPE html><html><body>404</body></html>", "shatter %s -o x.glb", "web page"},
		{"page.ply", "<HTML>not found</HTML>", "tet %s -o x.msh", "web page"},
		{"wide.obj", "\xff\xfev x", "drop %s", "UTF-16"},
		{"packed.obj", "\x1f\x8b\x08xyz", "cut %s --normal 0,0,1 -o x", "unpack"},
		{"crate.usdc", "PXR-USDCxxxx", "hulls %s x.glb", "usdcat"},
		{"points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "shatter %s -o x.glb", "no face, of 3 points"},
		{"sliver.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1e-8\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n", "drop %s",
		 "too thin"},
		{"huge.obj", "v 0 0 0\nv 1e200 0 0\nv 0 1e200 0\nv 0 0 1e200\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n", "drop %s",
		 "3.4e38"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		const char* path = brTest_ScratchPath(cases[i].name);
		FILE* file = fopen(path, "w");
		fputs(cases[i].text, file);
		fclose(file);
		Run run = runBrittle(command(cases[i].command, path, ""));
		CHECK_EQUAL(run.exitCode, 1);
		CHECK_MESSAGE(strstr(run.err, cases[i].says) != NULL, "%s: %s", cases[i].name, run.err);
	}
}

BR_TEST(cli_bad_usage_exits_2)
{
	const char* lines[] = {
		"check",
		"check a.obj b.obj --json",
		"make",
		"make vase",
		"make no_such_model -o /tmp/x.obj",
		"make vase --res -3 -o /tmp/x.obj",
		"make vase --res many -o /tmp/x.obj",
		"make vase -p height -o /tmp/x.obj",
		"make vase -p height=nan -o /tmp/x.obj",
		"make vase -p nothing=1 -o /tmp/x.obj",
		"convert a.obj",
		"convert a.obj b.msh --msh-version 3",
		"convert a.obj b.obj --scale 0",
		"render a.obj",
		"render a.obj -o a.png --size 3x3",
		"render a.obj -o a.png --size big",
		"render a.obj -o a.jpg",
		"shoot vase --speed 1e7",
		"render a.obj -o a.png --clip 0,0,0,1",
		"check a.obj --workers 1000",
		"check a.obj --seed x",
		"check a.obj --device fpga",
		"check a.obj --json=yes",
		"serve a.msh b.msh --set a=1",
		"serve a.yaml --move 1,0,0",
	};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); ++i)
	{
		Run run = runBrittle(lines[i]);
		CHECK_MESSAGE(run.exitCode == 2, "brittle %s exits %d, expected 2: %s", lines[i], run.exitCode, run.err);
		CHECK_MESSAGE(run.err[0] != 0 && run.out[0] == 0, "brittle %s says nothing", lines[i]);
	}
	Run run = runBrittle("drop vase --heigth 3");
	CHECK_MESSAGE(run.exitCode == 2 && strstr(run.err, "did you mean --height?") != NULL, "%s", run.err);
}

BR_TEST(cli_convert_writes_all_or_nothing)
{
	char source[256];
	char target[256];
	snprintf(source, sizeof(source), "%s", brTest_ScratchPath("box.obj"));
	snprintf(target, sizeof(target), "%s", brTest_ScratchPath("box.ply"));
	CHECK_EQUAL(runBrittle(command("make box -o %s", source, "")).exitCode, 0);
	Run run = runBrittle(command("convert %s %s --json", source, target));
	CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
	const char* keys[] = {"parts", "meshes", "seconds", NULL};
	checkKeys(&run, keys);
	struct stat before;
	CHECK(stat(target, &before) == 0 && before.st_size > 100);

#ifndef _WIN32
	// A file-size limit stands in for a full disk: the old file stays, nothing half-written is left beside it.
	char line[1024];
	snprintf(line, sizeof(line), "(ulimit -f 0; trap '' XFSZ; %s convert %s %s) 2>%s", brTest_Program(), source, target,
			 brTest_ScratchPath("err"));
	CHECK(brTest_Shell(line) == 1);
	struct stat after;
	CHECK(stat(target, &after) == 0 && after.st_size == before.st_size);
	snprintf(line, sizeof(line), "ls %s.*.tmp >/dev/null 2>&1", target);
	CHECK_MESSAGE(brTest_Shell(line) != 0, "a temporary file was left behind");
#endif

	run = runBrittle(command("convert %s %s", source, "/nowhere/box.ply"));
	CHECK_EQUAL(run.exitCode, 1);
	run = runBrittle(command("convert %s %s", source, "/tmp/box.xyz"));
	CHECK_EQUAL(run.exitCode, 1);
}

BR_TEST(cli_same_output_for_any_number_of_workers)
{
	char one[256];
	char three[256];
	snprintf(one, sizeof(one), "%s", brTest_ScratchPath("one.ply"));
	snprintf(three, sizeof(three), "%s", brTest_ScratchPath("three.ply"));
	CHECK_EQUAL(runBrittle(command("make blob --res 20 --seed 7 --workers 1 -o %s", one, "")).exitCode, 0);
	CHECK_EQUAL(runBrittle(command("make blob --res 20 --seed 7 --workers 3 -o %s", three, "")).exitCode, 0);
	CHECK(ioSameBytes(one, three));
}

static int32_t countLines(const char* path)
{
	FILE* file = fopen(path, "rb");
	CHECK_MESSAGE(file != NULL, "%s cannot be opened", path);
	int32_t lines = 0;
	for (int c = fgetc(file); c != EOF; c = fgetc(file))
	{
		lines += c == '\n';
	}
	fclose(file);
	return lines;
}

BR_TEST(cli_collide_finds_pairs_of_meshes_and_boxes)
{
	const char *vase = brTest_ScratchPath("vase.obj"), *pairs = brTest_ScratchPath("pairs.csv");
	CHECK_EQUAL(runBrittle(command("make vase --res 12 -o %s", vase, "")).exitCode, 0);
	const char* keys[] = {"primitives", "candidates", "pairs", "method", "device", "stages", "seconds", NULL};
	Run run = runBrittle(command("collide %s --json", vase, ""));
	CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
	checkKeys(&run, keys);
	CHECK(strstr(run.out, "\"pairs\":0,") != NULL && strstr(run.out, "\"candidates\":0,") == NULL);

	// A mesh against itself: every triangle meets its twin.
	run = runBrittle(command("collide %s %s --json --method brute", vase, vase));
	CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
	checkKeys(&run, keys);
	CHECK(strstr(run.out, "\"method\":\"brute\"") != NULL && strstr(run.out, "\"pairs\":0,") == NULL);

	// The next frame equal to this one: swept features are those at rest.
	char line[1024];
	snprintf(line, sizeof(line), "collide %s --next %s --pairs %s --json", vase, vase, pairs);
	run = runBrittle(line);
	CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
	checkKeys(&run, keys);
	const char* swept = strstr(run.out, "\"candidates\":");
	CHECK(swept != NULL && strstr(run.out, "\"vertex_face\":") != NULL && strstr(run.out, "\"edge_edge\":") != NULL);
	CHECK_EQUAL(countLines(pairs), 1 + atoi(swept + strlen("\"candidates\":")));

	// Three boxes, two of which touch.
	const char* boxes = brTest_ScratchPath("boxes.bin");
	const float values[18] = {0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 5, 5, 5, 6, 6, 6};
	FILE* file = fopen(boxes, "wb");
	CHECK(file != NULL && fwrite(values, sizeof(values), 1, file) == 1);
	fclose(file);
	run = runBrittle(command("collide %s --pairs %s --json", boxes, pairs));
	CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
	checkKeys(&run, keys);
	CHECK(strstr(run.out, "\"primitives\":3,\"candidates\":1,\"pairs\":null") != NULL);
	CHECK_EQUAL(countLines(pairs), 2);
}

BR_TEST(cli_collide_tracks_frames)
{
	// Every strategy ends with the pairs of a rebuild.
	static const char* const strategies[] = {"auto",     "groups",      "unordered", "static",
											 "periodic", "restructure", "reference"};
	char plain[512], tracked[512], line[2048]; // copies: each run takes scratch paths of its own
	snprintf(plain, sizeof(plain), "%s", brTest_ScratchPath("plain.csv"));
	snprintf(tracked, sizeof(tracked), "%s", brTest_ScratchPath("tracked.csv"));
	snprintf(line, sizeof(line), "collide --scene cloth_ball --res 12 --frame 70.75 --prims boxes --pairs %s", plain);
	CHECK_EQUAL(runBrittle(line).exitCode, 0);
	for (size_t i = 0; i < sizeof(strategies) / sizeof(strategies[0]); ++i)
	{
		snprintf(line, sizeof(line),
				 "collide --scene cloth_ball --res 12 --frame 70 --frames 4 --step 0.25 --method front --strategy %s "
				 "--json --pairs %s",
				 strategies[i], tracked);
		Run run = runBrittle(line);
		CHECK_EQUAL(run.exitCode, 0);
		CHECK(strstr(run.out, "\"frames\"") != NULL && strstr(run.out, strategies[i]) != NULL);
		CHECK(ioSameBytes(plain, tracked));
	}
	if (brGetGpuCount(NULL) > 0)
	{
		snprintf(line, sizeof(line),
				 "collide --scene cloth_ball --res 12 --frame 70 --frames 4 --step 0.25 --method front --device gpu "
				 "--json --pairs %s",
				 tracked);
		Run run = runBrittle(line);
		CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
		CHECK(strstr(run.out, "\"device\":\"gpu\"") != NULL);
		CHECK(ioSameBytes(plain, tracked));
	}
	char box[512];
	snprintf(box, sizeof(box), "%s", brTest_ScratchPath("box.obj"));
	CHECK_EQUAL(runBrittle(command("make box -o %s", box, "")).exitCode, 0);
	CHECK_EQUAL(runBrittle(command("collide --sequence %s %s --method front", box, box)).exitCode, 0);
	CHECK_EQUAL(runBrittle(command("collide %s %s --method front --json", box, box)).exitCode, 0);
	CHECK_EQUAL(runBrittle(command("collide --sequence %s --method kdet", box, "")).exitCode, 2);
	CHECK_EQUAL(runBrittle(command("collide --sequence %s --method front --strategy odd", box, "")).exitCode, 2);
	CHECK_EQUAL(runBrittle(command("collide %s --frames 3", box, "")).exitCode, 2);
}

BR_TEST(cli_collide_finds_contacts_between_frames)
{
	// A small triangle falls by 1 a frame on a large one below it at 1.5, and goes on.
	char frames[4][256]; // more runs follow than there are buffers of paths
	for (int i = 0; i < 4; ++i)
	{
		char name[32];
		snprintf(name, sizeof(name), "fall%d.obj", i);
		snprintf(frames[i], sizeof(frames[i]), "%s", brTest_ScratchPath(name));
		FILE* file = fopen(frames[i], "wb");
		CHECK(file != NULL);
		double z = 3.0 - i;
		fprintf(file, "v -9 -9 1.5\nv 9 -9 1.5\nv 0 9 1.5\nf 1 2 3\n");
		fprintf(file, "v 0 0 %g\nv 1 0 %g\nv 0 1 %g\nf 4 5 6\n", z, z + 0.25, z + 0.25);
		fclose(file);
	}
	char line[2048];
	const char* pairs = brTest_ScratchPath("contacts.csv");
	const char* keys[] = {"primitives", "candidates", "pairs",   "first_time", "steps",
						  "method",     "stages",     "seconds", NULL};
	snprintf(line, sizeof(line), "collide --ccd %s %s %s %s --json --pairs %s", frames[0], frames[1], frames[2],
			 frames[3], pairs);
	Run run = runBrittle(line);
	CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
	checkKeys(&run, keys);
	const char* first = strstr(run.out, "\"first_time\":");
	CHECK_NEAR(atof(first + strlen("\"first_time\":")), 1.5, 1e-7);
	CHECK(strstr(run.out, "\"vertex_face_pairs\":3,") != NULL); // one vertex, then the other two
	CHECK_EQUAL(countLines(pairs), 1 + 3);

	// One step as objects, and with a distance to keep.
	snprintf(line, sizeof(line), "collide --ccd %s --next %s --separation 0.25 --json", frames[1], frames[2]);
	run = runBrittle(line);
	CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
	first = strstr(run.out, "\"first_time\":");
	CHECK_NEAR(atof(first + strlen("\"first_time\":")), 0.25, 1e-7);
	run = runBrittle(command("collide --ccd %s %s --json", frames[0], frames[1]));
	CHECK(run.exitCode == 0 && strstr(run.out, "\"first_time\":null") != NULL);
	run = runBrittle("collide --ccd --scene cloth_ball --res 30 --frame 70");
	CHECK(run.exitCode == 0 && strstr(run.out, "candidates meet") != NULL);

	CHECK_EQUAL(runBrittle(command("collide --ccd %s", frames[0], "")).exitCode, 2);
	CHECK_EQUAL(runBrittle(command("collide --ccd %s %s --tolerance 0", frames[0], frames[1])).exitCode, 2);
	CHECK_EQUAL(runBrittle(command("collide --ccd %s %s --method kdet", frames[0], frames[1])).exitCode, 2);
	CHECK_EQUAL(runBrittle(command("collide %s %s --separation 1", frames[0], frames[1])).exitCode, 2);
	CHECK_EQUAL(runBrittle(command("collide --ccd %s /nowhere/b.obj", frames[0], "")).exitCode, 1);
	const char* box = brTest_ScratchPath("other.obj");
	CHECK_EQUAL(runBrittle(command("make box -o %s", box, "")).exitCode, 0);
	run = runBrittle(command("collide --ccd %s %s", frames[0], box));
	CHECK(run.exitCode == 1 && strstr(run.err, "vertices") != NULL);
}

BR_TEST(cli_collide_finds_pairs_of_tets)
{
	char box[512], tets[512], pairs[512]; // every run uses paths of its own, and there are only sixteen
	snprintf(box, sizeof(box), "%s", brTest_ScratchPath("box.obj"));
	snprintf(tets, sizeof(tets), "%s", brTest_ScratchPath("box.vtk"));
	snprintf(pairs, sizeof(pairs), "%s", brTest_ScratchPath("tet_pairs.csv"));
	CHECK_EQUAL(runBrittle(command("make box -o %s", box, "")).exitCode, 0);
	CHECK_EQUAL(runBrittle(command("tet %s --tets 500 -o %s", box, tets)).exitCode, 0);
	const char* keys[] = {"primitives", "candidates", "pairs", "method", "test", "device", "stages", "seconds", NULL};
	static const char* const methods[] = {
		"kdet --layers 1 --k 2", "oi", "brute", "kdet --device gpu --group-size 32 --layers 2 --k 1", "oi --device gpu",
		"brute --device gpu"};
	for (int i = 0; i < (brGetGpuCount(NULL) > 0 ? 6 : 3); ++i)
	{
		// Alone it does not cross itself; with itself, every tet meets its twin.
		char line[2048];
		snprintf(line, sizeof(line), "collide %s --prims tets --method %s --json", tets, methods[i]);
		Run run = runBrittle(line);
		CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
		checkKeys(&run, keys);
		CHECK(strstr(run.out, "\"pairs\":0,") != NULL && strstr(run.out, "\"candidates\":0,") == NULL);
		snprintf(line, sizeof(line), "collide %s %s --prims tets --method %s --pairs %s --test sat-mtv --json", tets,
				 tets, methods[i], pairs);
		run = runBrittle(line);
		CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
		checkKeys(&run, keys);
		const char* found = strstr(run.out, "\"pairs\":");
		CHECK(found != NULL && atoi(found + strlen("\"pairs\":")) >= 400);
		CHECK_EQUAL(countLines(pairs), 1 + atoi(found + strlen("\"pairs\":")));
	}
	Run run = runBrittle(command("collide %s --prims tets --k-free --hash djb2 --method kdet --json", tets, ""));
	CHECK(run.exitCode == 0 && strstr(run.out, "\"k\":") != NULL);
	CHECK_EQUAL(runBrittle(command("collide %s --prims tets", box, "")).exitCode, 1);
	CHECK_EQUAL(runBrittle(command("collide %s --prims tets --test guess", tets, "")).exitCode, 2);
	CHECK_EQUAL(runBrittle(command("collide %s --prims tets --hash md5", tets, "")).exitCode, 2);
	CHECK_EQUAL(runBrittle("collide --scene bodies --prims tets").exitCode, 2);
}

BR_TEST(cli_collide_says_what_is_wrong)
{
	const char* boxes = brTest_ScratchPath("short.bin");
	FILE* file = fopen(boxes, "wb");
	CHECK(file != NULL);
	fputs("12345", file);
	fclose(file);
	Run run = runBrittle(command("collide %s", boxes, ""));
	CHECK_EQUAL(run.exitCode, 1);
	CHECK(strstr(run.err, "not a whole number of boxes") != NULL && run.out[0] == 0);
	CHECK_EQUAL(runBrittle("collide /nowhere/mesh.obj").exitCode, 1);
	CHECK_EQUAL(runBrittle("collide").exitCode, 2);
	CHECK_EQUAL(runBrittle("collide a.obj --method magic").exitCode, 2);
	CHECK_EQUAL(runBrittle("collide a.obj --prims lines").exitCode, 2);
	CHECK_EQUAL(runBrittle("collide a.obj b.obj --next c.obj").exitCode, 2);
	CHECK_EQUAL(runBrittle("collide a.obj b.bin").exitCode, 2);

	// What would have no effect is not passed over in silence.
	static const char* const idle[] = {"a.obj --self --k-free",
									   "a.obj --test gjk",
									   "a.obj --hash djb2",
									   "a.msh --prims tets --layers 2",
									   "a.msh --prims tets --method oi --k 4",
									   "a.obj --method oi --group-size 64",
									   "a.obj --method kdet --queue 64",
									   "a.obj --strategy restructure",
									   "a.obj --step 2",
									   "a.obj --frame 3",
									   "a.msh --prims tets --method kdet --layers 30",
									   "a.msh --prims tets --method kdet --group-size 100"};
	for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); ++i)
	{
		run = runBrittle(command("collide %s%s", idle[i], ""));
		CHECK_MESSAGE(run.exitCode == 2 && run.err[0] != 0, "collide %s: %d %s", idle[i], run.exitCode, run.err);
	}
}

static int32_t countText(const char* text, const char* end, const char* word)
{
	int32_t count = 0;
	for (const char* at = strstr(text, word); at != NULL && at < end; at = strstr(at + 1, word))
	{
		count += 1;
	}
	return count;
}

static void checkHalves(const char* path)
{
	char text[4096];
	FILE* file = fopen(path, "rb");
	CHECK(file != NULL);
	size_t size = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[size] = 0;
	const char* piece = text;
	for (int32_t i = 0; i < 2; ++i)
	{
		const char* faces = strstr(piece, "\"faces\":");
		CHECK(faces != NULL);
		const char* vertices = strstr(faces, "\"vertices\":");
		CHECK(vertices != NULL);
		const char* seams = strstr(vertices, "\"seams\":");
		CHECK(seams != NULL);
		const char* end = strchr(seams, '}');
		CHECK(end != NULL);
		CHECK_EQUAL(countText(faces, vertices, "[\"source\",-1,"), 5);
		CHECK_EQUAL(countText(faces, vertices, "[\"cap_"), 1);
		CHECK_EQUAL(countText(vertices, seams, "[\"source\",-1,"), 4);
		CHECK_EQUAL(countText(vertices, seams, "[\"new\",-1,-1]"), 4);
		CHECK_EQUAL(countText(seams, end, "["), 2); // the list and its one loop
		CHECK_EQUAL(countText(seams, end, ","), 3);
		piece = end;
	}
	CHECK(strstr(piece, "\"faces\":") == NULL);
}

BR_TEST(cli_cut_writes_pieces_and_tells_of_them)
{
	static const char* const keys[] = {"op",     "pieces",    "file",       "vertices", "faces", "closed",
									   "volume", "volume_in", "volume_out", "seconds",  NULL};
	char box[256], other[256], folder[256];
	snprintf(box, sizeof(box), "%s", brTest_ScratchPath("cut_box.obj"));
	snprintf(other, sizeof(other), "%s", brTest_ScratchPath("cut_other.obj"));
	snprintf(folder, sizeof(folder), "%s", brTest_ScratchPath("cut_pieces/deep"));
	CHECK_EQUAL(runBrittle(command("make box -o %s%s", box, "")).exitCode, 0);
	CHECK_EQUAL(runBrittle(command("make box -p width=0.5 -p depth=2 -p height=0.5 -o %s%s", other, "")).exitCode, 0);

	char line[1280];
	snprintf(line, sizeof(line), "cut %s %s -o %s --op difference --format obj --json", box, other, folder);
	Run run = runBrittle(line);
	CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
	checkKeys(&run, keys);
	CHECK(strstr(run.out, "\"op\":\"difference\"") != NULL && strstr(run.out, "\"closed\":true") != NULL);
	char path[512];
	snprintf(path, sizeof(path), "%s/piece_0000.obj", folder);
	CHECK_EQUAL(access(path, R_OK), 0);
	CHECK_EQUAL(runBrittle(command("check %s%s", path, "")).exitCode, 0);

	// A plane, without a cutter.
	snprintf(line, sizeof(line), "cut %s -o %s --normal 0,0,1 --point 0,0,0.5 --json", box, folder);
	run = runBrittle(line);
	CHECK_EQUAL(run.exitCode, 0);
	CHECK(strstr(run.out, "piece_0001.ply") != NULL && strstr(run.out, "piece_0002.ply") == NULL);

	// The map of that cut: each half has four vertices of the box, four new ones and one loop of four around its cap.
	char map[256];
	snprintf(map, sizeof(map), "%s", brTest_ScratchPath("cut_map.json"));
	snprintf(line, sizeof(line), "cut %s -o %s --normal 0,0,1 --point 0,0,0.5 --map %s -q", box, folder, map);
	CHECK_EQUAL(runBrittle(line).exitCode, 0);
	checkHalves(map);

	// Two cutters at once, one mesh resolved, a plane with caps, crossings counted.
	snprintf(line, sizeof(line), "cut %s %s %s -o %s --json --count-crossings", box, other, other, folder);
	run = runBrittle(line);
	CHECK(run.exitCode == 0 && strstr(run.out, "\"self_crossings\":0") != NULL);
	snprintf(line, sizeof(line), "cut %s -o %s --op resolve --json", box, folder);
	run = runBrittle(line);
	CHECK(run.exitCode == 0 && strstr(run.out, "\"op\":\"resolve\"") != NULL);
	snprintf(line, sizeof(line), "cut %s -o %s --op fill --normal 0,0,1 --point 0,0,0.5 --json", box, folder);
	run = runBrittle(line);
	CHECK(run.exitCode == 0 && strstr(run.out, "\"open_edges\":0") != NULL);
	snprintf(line, sizeof(line), "cut %s %s -o %s --op resolve", box, other, folder);
	CHECK_EQUAL(runBrittle(line).exitCode, 2);

	// Bad usage, and data that says no.
	snprintf(line, sizeof(line), "cut %s %s -o %s --op minus", box, other, folder);
	CHECK_EQUAL(runBrittle(line).exitCode, 2);
	snprintf(line, sizeof(line), "cut %s %s", box, other);
	CHECK_EQUAL(runBrittle(line).exitCode, 2);
	snprintf(line, sizeof(line), "cut %s -o %s", box, folder);
	CHECK_EQUAL(runBrittle(line).exitCode, 2);
	snprintf(line, sizeof(line), "cut %s nothing.obj -o %s --json", box, folder);
	run = runBrittle(line);
	CHECK_EQUAL(run.exitCode, 1);
	CHECK(strstr(run.out, "\"error\":") != NULL);
}

BR_TEST(cli_shatter_writes_closed_pieces_that_add_up)
{
	static const char* const keys[] = {"pieces", "volume_in", "volume_out", "bonds", "seconds", NULL};
	char ball[256], out[256];
	snprintf(ball, sizeof(ball), "%s", brTest_ScratchPath("ball.obj"));
	snprintf(out, sizeof(out), "%s", brTest_ScratchPath("pieces.obj"));
	CHECK_EQUAL(runBrittle(command("make icosphere --res 6 -o %s", ball, "")).exitCode, 0);
	Run run = runBrittle(command("shatter %s --pieces 12 -o %s --json", ball, out));
	CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
	checkKeys(&run, keys);
	double before = atof(strstr(run.out, "\"volume_in\":") + strlen("\"volume_in\":"));
	double after = atof(strstr(run.out, "\"volume_out\":") + strlen("\"volume_out\":"));
	CHECK(atoi(strstr(run.out, "\"pieces\":") + strlen("\"pieces\":")) >= 12);
	CHECK_NEAR(after, before, 1e-10 * before);

	// Pieces touch; each is a solid of its own. A part with a hole is named.
	run = runBrittle(command("check %s --json", out, ""));
	CHECK(run.exitCode == 0 && strstr(run.out, "parts, each a clean closed solid") != NULL);
	CHECK(strstr(run.out, "\"closed\":true,\"oriented\":true,\"manifold\":true") != NULL);
	static const char open[] =
		"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\no whole\nf 1 3 2\n"
		"f 1 2 4\nf 2 3 4\nf 3 1 4\no holed\nf 5 7 6\nf 5 6 8\nf 6 7 8\n";
	ioSaveBytes(brTest_ScratchPath("holed.obj"), open, strlen(open));
	run = runBrittle(command("check %s", brTest_ScratchPath("holed.obj"), ""));
	CHECK_EQUAL(run.exitCode, 1);
	CHECK_MESSAGE(strstr(run.err, "1 of 2 parts are no clean solid; holed: ") != NULL, "%s", run.err);
	run = runBrittle(command("check %s %s", brTest_ScratchPath("holed.obj"), out));
	CHECK_EQUAL(run.exitCode, 1);
	CHECK(strstr(run.err, "holed") != NULL && strstr(run.err, "each a clean closed solid") != NULL);

	// A file a piece; hulls; clusters.
	char folder[256], last[300];
	snprintf(folder, sizeof(folder), "%s", brTest_ScratchPath("separate"));
	run = runBrittle(command("shatter %s --pieces 12 --format ply --hulls --cluster 4 -o %s --json", ball, folder));
	CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
	CHECK(strstr(run.out, "\"levels\":[{\"clusters\":") != NULL);
	snprintf(last, sizeof(last), "%s/piece_0011.ply", folder);
	CHECK_EQUAL(runBrittle(command("check %s", last, "")).exitCode, 0);
	CHECK_EQUAL(runBrittle(command("shatter %s -o %s --format nothing", ball, folder)).exitCode, 2);
	CHECK_EQUAL(runBrittle(command("shatter %s -o %s --format ply", ball, ball)).exitCode, 2);

	CHECK_EQUAL(runBrittle(command("shatter %s -o %s --pattern stars", ball, out)).exitCode, 2);
	CHECK_EQUAL(runBrittle(command("shatter %s", ball, "")).exitCode, 2);
	run = runBrittle(command("shatter %s -o %s --pieces 0", ball, out));
	CHECK(run.exitCode == 2 && strstr(run.err, "--pieces takes 1 to") != NULL);
	CHECK_EQUAL(runBrittle(command("shatter /nowhere/%s -o %s", "none.obj", out)).exitCode, 1);
}

// Surfaces come after the pieces, whose meshes are in their file by then. Tables are written beside the old ones and
// take their place when they are complete: who has the old one open still reads it.
BR_TEST(cli_crack_writes_pieces_and_surfaces)
{
	char brick[256], pieces[256], surfaces[256], curve[256], line[1280];
	snprintf(curve, sizeof(curve), "%s", brTest_ScratchPath("curve.csv"));
#ifndef _WIN32 // where what is open cannot be replaced
	FILE* old = fopen(curve, "w+");
	CHECK(old != NULL && fputs("old", old) >= 0 && fflush(old) == 0);
#endif
	snprintf(brick, sizeof(brick), "%s", brTest_ScratchPath("brick.obj"));
	snprintf(pieces, sizeof(pieces), "%s", brTest_ScratchPath("pieces.glb"));
	snprintf(surfaces, sizeof(surfaces), "%s", brTest_ScratchPath("surfaces.glb"));
	CHECK_EQUAL(runBrittle(command("make brick -o %s", brick, "")).exitCode, 0);
	snprintf(line, sizeof(line),
			 "crack %s -o %s --tets 800 --material glass --hit 0.12,0.05,0.065 --impulse 0,0,-20 --surfaces %s "
			 "--curve %s",
			 brick, pieces, surfaces, curve);
	Run run = runBrittle(line);
	CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
#ifndef _WIN32
	rewind(old);
	CHECK(fgets(line, sizeof(line), old) != NULL && strcmp(line, "old") == 0);
	fclose(old);
#endif
	for (int k = 0; k < 2; ++k)
	{
		FILE* file = fopen(k == 0 ? pieces : surfaces, "rb");
		CHECK(file != NULL && fclose(file) == 0);
	}
}

// A blow far beside the mesh acts where that is nearest, as the note says. Its arm about the middle was as long as it was
// off: 1 N s a kilometer from a brick had the energy of a bomb.
BR_TEST(cli_crack_moves_a_blow_beside_the_mesh_onto_it)
{
	char brick[256], pieces[256], line[1280];
	snprintf(brick, sizeof(brick), "%s", brTest_ScratchPath("brick.obj"));
	snprintf(pieces, sizeof(pieces), "%s", brTest_ScratchPath("pieces.glb"));
	CHECK_EQUAL(runBrittle(command("make brick -o %s", brick, "")).exitCode, 0);
	double energies[2];
	for (int i = 0; i < 2; ++i)
	{
		snprintf(line, sizeof(line), "crack %s -o %s --tets 800 --material glass --hit %s --impulse 0,0,-1 --json",
				 brick, pieces, i == 0 ? "0,0,1000" : "0,0,0.065");
		Run run = runBrittle(line);
		CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
		CHECK((strstr(run.err, "the blow acts where that is nearest") != NULL) == (i == 0));
		const char* energy = strstr(run.out, "\"energy\":");
		CHECK_MESSAGE(energy != NULL, "%s", run.out);
		energies[i] = atof(energy + strlen("\"energy\":"));
	}
	CHECK_NEAR(energies[0], energies[1], 1e-9);
}

// Bodies whose boxes share much are told only if they are in each other: a ball in a bowl is not.
BR_TEST(cli_run_tells_bodies_that_start_in_each_other)
{
	char path[256], folder[256], line[1280];
	snprintf(path, sizeof(path), "%s", brTest_ScratchPath("inside.yaml"));
	snprintf(folder, sizeof(folder), "%s", brTest_ScratchPath("inside"));
	for (int i = 0; i < 2; ++i)
	{
		snprintf(line, sizeof(line),
				 "scene: inside\nduration: 0.1\nbodies:\n  - {name: bowl, model: bowl}\n"
				 "  - {name: ball, model: icosphere, scale: 0.05, position: [0, 0, %s]}\n",
				 i == 0 ? "0.02" : "0");
		ioSaveBytes(path, line, strlen(line));
		snprintf(line, sizeof(line), "run %s --no-pictures -o %s", path, folder);
		Run run = runBrittle(line);
		CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
		CHECK_MESSAGE((strstr(run.err, "bowl and ball start in each other") != NULL) == (i == 1), "%s", run.err);
	}
}

// Hulls in a file are clean solids, and what was mended on the way has a name.
BR_TEST(cli_hulls_are_clean_and_say_what_they_are)
{
	char ball[256], hulls[256], line[1280];
	snprintf(ball, sizeof(ball), "%s", brTest_ScratchPath("open.off"));
	snprintf(hulls, sizeof(hulls), "%s", brTest_ScratchPath("hulls.glb"));
	static const char text[] = "OFF\n8 5 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n"
							   "4 0 3 2 1\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n";
	ioSaveBytes(ball, text, strlen(text));
	snprintf(line, sizeof(line), "hulls %s %s", ball, hulls);
	Run run = runBrittle(line);
	CHECK_MESSAGE(run.exitCode == 0 && strstr(run.err, "open.off was mended: filled 1 hole") != NULL, "%s", run.err);
	CHECK_EQUAL(runBrittle(command("make icosphere -o %s", ball, "")).exitCode, 0);
	run = runBrittle(line);
	CHECK_MESSAGE(run.exitCode == 0 && strstr(run.err, "too little volume") != NULL, "%s", run.err);
	CHECK_EQUAL(runBrittle(command("check %s", hulls, "")).exitCode, 0);
}

// Every material that breaks can be asked for, and a wrong name is answered with all of them. `crack` knew eight by
// heart.
BR_TEST(cli_materials_are_listed)
{
	char line[1024];
	Run info = runBrittle("info");
	const char* lines[] = {"crack box.obj -o a.glb --hit 0,0,0 --impulse 0,0,1 --material granit",
						   "shatter box.obj -o a.glb --energy 1 --material granit"};
	for (int i = 0; i < 2; ++i)
	{
		Run run = runBrittle(lines[i]);
		CHECK_MESSAGE(run.exitCode == 2, "%s: %d %s", lines[i], run.exitCode, run.err);
		for (int32_t k = 0; k < brGetMaterialCount(); ++k)
		{
			snprintf(line, sizeof(line), " %s", brGetMaterial(k)->name);
			CHECK_MESSAGE(strstr(run.err, line) != NULL && strstr(info.out, line) != NULL, "no%s", line);
		}
	}
}

// Options that a case has no key for were dropped in silence: 61 pieces where main cracks leave 5.
BR_TEST(cli_crack_options_go_with_a_case)
{
	char path[256], pieces[256], line[1024];
	snprintf(path, sizeof(path), "%s", brTest_ScratchPath("blow.yaml"));
	snprintf(pieces, sizeof(pieces), "%s", brTest_ScratchPath("pieces.ply"));
	FILE* file = fopen(path, "w");
	CHECK(file != NULL);
	fputs("model: {name: box}\nmaterial: glass\ntets: 500\nimpact: {hit: [0.2, 0.1, 1], impulse: [0, 0, -1000000]}\n",
		  file);
	fclose(file);
	snprintf(line, sizeof(line), "crack %s -o %s --json --efficiency 0", path, pieces);
	Run run = runBrittle(line);
	CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
	const char *all = strstr(run.out, "\"pieces\":"), *first = strstr(run.out, "\"main_pieces\":");
	CHECK(all != NULL && first != NULL);
	CHECK_MESSAGE(atoi(all + 9) == atoi(first + 14) && atoi(all + 9) > 1, "%.60s", all);
	int mainPieces = atoi(first + 14), pieceCount = 0, count = 0;
	run = runBrittle(command("crack %s -o %s", path, pieces));
	CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
	bool isTold = sscanf(run.out, "%d pieces: %d by", &pieceCount, &count) == 2;
	CHECK_MESSAGE(isTold && count == mainPieces && pieceCount > count &&
					  strstr(run.out, ", split further by the energy that was left\n") != NULL,
				  "%.100s", run.out);
}

// What breaks depends on the size: a file in millimeters is not taken for a house in silence.
BR_TEST(cli_crack_and_shatter_tell_a_file_in_millimeters)
{
	char small[256], large[256], pieces[256], line[1024];
	snprintf(small, sizeof(small), "%s", brTest_ScratchPath("meters.obj"));
	snprintf(large, sizeof(large), "%s", brTest_ScratchPath("millimeters.obj"));
	snprintf(pieces, sizeof(pieces), "%s", brTest_ScratchPath("pieces.ply"));
	CHECK_EQUAL(runBrittle(command("make brick -o %s", small, "")).exitCode, 0);
	CHECK_EQUAL(runBrittle(command("convert %s %s --scale 1000", small, large)).exitCode, 0);
	for (int k = 0; k < 4; ++k)
	{
		snprintf(line, sizeof(line), "%s %s -o %s",
				 k / 2 == 0 ? "crack -m glass --tets 200 --hit 0,0,1 --impulse 0,0,-1e-3" : "shatter --energy 1e-3",
				 k % 2 == 0 ? small : large, pieces);
		Run run = runBrittle(line);
		CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
		CHECK((strstr(run.err, "seems to be in units of 0.001 m") != NULL) == (k % 2 == 1));
	}
}

BR_TEST(cli_help_of_a_command_by_either_word)
{
	Run run = runBrittle("help cut");
	CHECK_EQUAL(run.exitCode, 0);
	CHECK(strncmp(run.out, "brittle cut:", 12) == 0 && run.err[0] == 0);
	run = runBrittle("help cutt");
	CHECK_EQUAL(run.exitCode, 2);
	CHECK(strstr(run.err, "did you mean cut?") != NULL);
	run = runBrittle("-V"); // like nothing there is
	CHECK_EQUAL(run.exitCode, 2);
	CHECK(strstr(run.err, "did you mean") == NULL);
}

BR_TEST(cli_shatter_takes_the_vertices_of_a_file_as_sites)
{
	char box[256], points[256];
	snprintf(box, sizeof(box), "%s", brTest_ScratchPath("box.obj"));
	snprintf(points, sizeof(points), "%s", brTest_ScratchPath("points.ply"));
	CHECK_EQUAL(runBrittle(command("make box -q -o %s", box, "")).exitCode, 0);
	FILE* file = fopen(points, "w");
	fputs("ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\nproperty double z\nelement "
		  "face 0\nproperty list uchar int vertex_indices\nend_header\n0.1 0 0.1\n-0.1 0 0.3\n0 0.2 0.5\n",
		  file);
	fclose(file);
	char line[1024];
	snprintf(line, sizeof(line), "shatter %s -o %s.glb --sites %s --json", box, box, points);
	Run run = runBrittle(line);
	CHECK_MESSAGE(run.exitCode == 0 && strstr(run.out, "\"sites\":3") != NULL, "exit %d, %s", run.exitCode, run.err);
	snprintf(line, sizeof(line), "shatter %s -o %s.glb --sites %s.none", box, box, points);
	CHECK_EQUAL(runBrittle(line).exitCode, 1);
}

// Height of a file along y: 0.3 m of a vase that stands there, 0.2 of one that lies.
static double heightAlongY(const char* path)
{
	brMesh* mesh = BR_MADE(brMesh, brLoadMesh, NULL, path);
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDestroyMesh(mesh);
	return box.upper.y - box.lower.y;
}

BR_TEST(cli_what_stands_on_z_stands_on_y_in_gltf)
{
	char vase[256], out[256], line[1024];
	snprintf(vase, sizeof(vase), "%s", brTest_ScratchPath("vase.obj"));
	CHECK_EQUAL(runBrittle(command("make vase --res 12 -q -o %s", vase, "")).exitCode, 0);
	const char* const commands[] = {"shatter %s -n 4 -o %s", "convert %s %s", "shatter %s -n 4 -o %s --z-up"};
	for (int32_t i = 0; i < 3; ++i)
	{
		snprintf(out, sizeof(out), "%s", brTest_ScratchPath("stands.glb"));
		snprintf(line, sizeof(line), commands[i], vase, out);
		Run run = runBrittle(line);
		CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
		CHECK_EQUAL(strstr(run.err, "seems to have z up") != NULL, i < 2);
		CHECK_EQUAL(heightAlongY(out) > 0.25, i < 2);
	}
	// What stands on y goes into USD as it is, and the file says so.
	CHECK_EQUAL(runBrittle(command("make vase --res 12 -q -o %s", out, "")).exitCode, 0);
	snprintf(line, sizeof(line), "convert %s %s.usda -q", out, vase);
	CHECK_EQUAL(runBrittle(line).exitCode, 0);
	snprintf(line, sizeof(line), "%s.usda", vase);
	char head[512] = {0};
	FILE* file = fopen(line, "r");
	CHECK(file != NULL && fread(head, 1, sizeof(head) - 1, file) > 0);
	fclose(file);
	CHECK(strstr(head, "upAxis = \"Y\"") != NULL);
	CHECK(heightAlongY(line) > 0.25);
}

// A small box a thousand kilometers away, as surveys have them: floats would make a brick of it.
BR_TEST(cli_what_lies_far_away_keeps_its_shape_in_floats)
{
	char box[256], out[256], line[1024];
	snprintf(box, sizeof(box), "%s", brTest_ScratchPath("far.obj"));
	FILE* file = fopen(box, "w");
	CHECK(file != NULL);
	for (int32_t i = 0; i < 8; ++i)
	{
		fprintf(file, "v %.17g %.17g %.17g\n", 1e6 + 0.1 * (i & 1), 2e6 + 0.1 * (i >> 1 & 1), 100 + 0.1 * (i >> 2));
	}
	fprintf(file, "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
	fclose(file);
	snprintf(out, sizeof(out), "%s", brTest_ScratchPath("far.glb"));
	CHECK_EQUAL(runBrittle(command("convert %s %s -q", box, out)).exitCode, 0);
	brMesh* mesh = BR_MADE(brMesh, brLoadMesh, NULL, out);
	brDBox3 bounds = brMesh_ComputeBounds(mesh);
	CHECK(fabs(brMesh_ComputeMass(mesh, 1.0).volume - 1e-3) < 1e-6 && fabs(bounds.upper.y - 2e6) < 0.2);
	brDestroyMesh(mesh);
	const char* const endings[] = {"stl", "glb", "obj"};
	for (int32_t i = 0; i < 3; ++i)
	{
		snprintf(out, sizeof(out), "%s", brTest_ScratchPath(endings[i]));
		snprintf(line, sizeof(line), "shatter %s -n 4 --format %s -o %s", box, endings[i], out);
		Run run = runBrittle(line);
		CHECK_MESSAGE(run.exitCode == 0 && (strstr(run.err, "moved by -1000000, -2000000") != NULL) == (i < 2), "%s",
					  run.err);
		snprintf(line, sizeof(line), "check %s/piece_0000.%s -q", out, endings[i]);
		CHECK_EQUAL(runBrittle(line).exitCode, 0);
	}
}

BR_TEST(cli_shatter_puts_sites_where_a_picture_is_bright)
{
	// One bright column of four, at low x: pieces there are many and small.
	char box[256], picture[256], out[256], line[1024];
	uint8_t pixels[4 * 4 * 4] = {0};
	for (int32_t i = 0; i < 16; ++i)
	{
		memset(&pixels[4 * i], i % 4 == 0 ? 255 : 2, 3);
		pixels[4 * i + 3] = 255;
	}
	snprintf(box, sizeof(box), "%s", brTest_ScratchPath("slab.obj"));
	snprintf(picture, sizeof(picture), "%s", brTest_ScratchPath("bright.png"));
	snprintf(out, sizeof(out), "%s", brTest_ScratchPath("bright.ply"));
	CHECK_EQUAL(runBrittle(command("make box -q -o %s", box, "")).exitCode, 0);
	CHECK(brSavePng(NULL, picture, 4, 4, pixels, NULL) >= 0);
	snprintf(line, sizeof(line), "shatter %s -n 60 --site-map %s --axis 0,1,0 -o %s -q", box, picture, out);
	Run run = runBrittle(line);
	CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
	brMesh *model = NULL, *pieces = NULL;
	brReport report = {0};
	CHECK_RESULT(brLoadMesh(NULL, box, &model, &report), &report);
	CHECK_RESULT(brLoadMesh(NULL, out, &pieces, &report), &report);
	brDBox3 bounds = brMesh_ComputeBounds(model);
	int32_t low = 0;
	for (int32_t v = 0; v < pieces->vertexCount; ++v)
	{
		low += pieces->positions[v].x < brDLerp(bounds.lower, bounds.upper, 0.3).x;
	}
	CHECK_MESSAGE(low > 0.7 * pieces->vertexCount, "%d of %d", low, pieces->vertexCount);
	brDestroyMesh(model);
	brDestroyMesh(pieces);
	snprintf(line, sizeof(line), "shatter %s --site-map %s --site 0,0,0 -o %s -q", box, picture, out);
	CHECK_EQUAL(runBrittle(line).exitCode, 2);
}

BR_TEST(cli_run_takes_a_scene_from_stdin)
{
	char folder[256], line[1024];
	snprintf(folder, sizeof(folder), "%s", brTest_ScratchPath("from_stdin"));
	snprintf(line, sizeof(line), "run - -o %s --no-pictures -q", folder);
	const char scene[] =
		"ground: marble\nduration: 0.1\nbodies:\n  - {model: box, material: brick, position: [0, 0, 1]}\n";
	char input[256];
	snprintf(input, sizeof(input), "%s", brTest_ScratchPath("told.yaml"));
	ioSaveBytes(input, scene, strlen(scene));
	Run run = runBrittleFrom(line, input);
	CHECK_MESSAGE(run.exitCode == 0, "%s", run.err);
	const char* const written[] = {"scene.brec", "scene.yaml"};
	for (int32_t i = 0; i < 2; ++i)
	{
		snprintf(line, sizeof(line), "%s/%s", folder, written[i]);
		struct stat info;
		CHECK_MESSAGE(stat(line, &info) == 0 && info.st_size > 0, "%s", line);
	}
	snprintf(line, sizeof(line), "run - -o %s --no-pictures -q", folder);
	ioSaveBytes(input, "bodies: [[[", strlen("bodies: [[["));
	run = runBrittleFrom(line, input);
	CHECK_MESSAGE(run.exitCode == 1 && strstr(run.err, "scene.yaml") != NULL, "%d, %s", run.exitCode, run.err);
}

BR_TEST(cli_numbers_out_of_range_are_bad_usage)
{
	char box[256], line[1024];
	snprintf(box, sizeof(box), "%s", brTest_ScratchPath("box.obj"));
	CHECK_EQUAL(runBrittle(command("make box -q -o %s", box, "")).exitCode, 0);
	const char* const endings[] = {
		"shatter %s -o %s.glb -n 0",
		"shatter %s -o %s.glb -n -5",
		"shatter %s -o %s.glb -n 2000000000",
		"shatter %s -o %s.glb --strength 7",
		"shatter %s -o %s.glb --rough=-1",
		"shatter %s -o %s.glb --site nan,0,0",
		"shatter %s -o %s.glb --site 0,0,0 --sites points.ply",
		"shatter %s -o %s.glb --energy 1 --sites points.ply",
		"shatter %s -o %s.nothing",
		"tet %s -o %s.nothing",
		"crack %s -o %s.vtu --hit 0,0,0 --impulse 0,0,1",
		"crack %s -o %s.glb --hit 0,0,0 --impulse 0,0,1 --edge=-1",
		"crack %s -o %s.glb --hit 0,0,0 --impulse 0,0,1 --edge 1e300",
		"crack %s -o %s.glb --hit 0,0,0 --impulse 0,0,1 --tets 0",
		"crack %s -o %s.glb --hit 0,0,0 --impulse 0,0,1 --cracks 0",
		"crack %s -o %s.glb --hit 0,0,0 --impulse 0,0,1 --striker 0",
		"cut %s %s -o halves --normal 0,0,1", // a cutter and a plane
	};
	for (int i = 0; i < (int)(sizeof(endings) / sizeof(endings[0])); ++i)
	{
		snprintf(line, sizeof(line), endings[i], box, box);
		Run run = runBrittle(line);
		CHECK_MESSAGE(run.exitCode == 2 && strchr(run.err, '\n') == run.err + strlen(run.err) - 1, "%s: exit %d, %s",
					  line, run.exitCode, run.err);
	}
	// A folder is no file of forces.
	Run run = runBrittle(command("crack %s -o %s.glb --load .", box, box));
	CHECK(run.exitCode == 1 && strstr(run.err, "cannot be read") != NULL);
}

#ifndef _WIN32
BR_TEST(cli_devices_and_links_stay_what_they_are)
{
	struct stat info;
	if (stat("/dev/full", &info) != 0 || !S_ISCHR(info.st_mode))
	{
		brTest_Skip("there is no /dev/full");
	}
	char box[256], device[256], link[256], line[1024];
	snprintf(box, sizeof(box), "%s", brTest_ScratchPath("box.obj"));
	snprintf(device, sizeof(device), "%s", brTest_ScratchPath("full.ply"));
	snprintf(link, sizeof(link), "%s", brTest_ScratchPath("link.obj"));
	CHECK_EQUAL(runBrittle(command("make box -q -o %s", box, "")).exitCode, 0);
	CHECK(symlink("/dev/full", device) == 0 && symlink(strrchr(box, '/') + 1, link) == 0);
	const char* const lines[] = {"convert %s %s", "collide %s --pairs %s"};
	for (int i = 0; i < 2; ++i)
	{
		snprintf(line, sizeof(line), lines[i], box, device);
		Run run = runBrittle(line);
		CHECK_MESSAGE(run.exitCode == 1 && strstr(run.err, "No space left") != NULL, "%s: exit %d, %s", line,
					  run.exitCode, run.err);
		CHECK(stat("/dev/full", &info) == 0 && S_ISCHR(info.st_mode));
	}
	CHECK_EQUAL(runBrittle(command("make vase --res 8 -q -o %s", link, "")).exitCode, 0);
	CHECK(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
	Run run = runBrittle(command("check %s --json", box, ""));
	CHECK(run.exitCode == 0 && strstr(run.out, "\"vertices\":8,") == NULL); // the vase went where the link leads

	// What is told on stdout must arrive, too.
	snprintf(line, sizeof(line), "%s check %s --json >/dev/full 2>/dev/null", brTest_Program(), box);
	CHECK_EQUAL(brTest_Shell(line), 1);
}
#endif

BR_TEST(cli_pieces_of_an_earlier_cut_go)
{
	char box[256], folder[256], path[512];
	struct stat info;
	snprintf(box, sizeof(box), "%s", brTest_ScratchPath("box.obj"));
	snprintf(folder, sizeof(folder), "%s", brTest_ScratchPath("pieces"));
	snprintf(path, sizeof(path), "%s/piece_0001.ply", folder);
	CHECK_EQUAL(runBrittle(command("make box -q -o %s", box, "")).exitCode, 0);
	CHECK_EQUAL(runBrittle(command("shatter %s -n 5 --format ply -o %s", box, folder)).exitCode, 0);
	CHECK(stat(path, &info) == 0);
	CHECK_EQUAL(runBrittle(command("shatter %s -n 1 --format ply -o %s", box, folder)).exitCode, 0);
	CHECK(stat(path, &info) != 0);
	CHECK_EQUAL(runBrittle(command("cut %s -o %s --normal 0,0,1 --point 0,0,0.5", box, folder)).exitCode, 0);
	CHECK(stat(path, &info) == 0);
	Run run = runBrittle(command("cut %s -o %s --normal 0,0,1 --point 0,0,5", box, folder));
	CHECK(run.exitCode == 0 && stat(path, &info) != 0 && strstr(run.err, "1 piece,") != NULL);
}

#ifndef _WIN32
// Heavy libraries are opened by what needs them: nothing of theirs is loaded at the start, no thread of theirs hangs for
// want of memory. Where there is no room for the stacks of all workers, fewer do the work.
BR_TEST(cli_starts_without_heavy_libraries)
{
	char line[2048];
	snprintf(line, sizeof(line), "LD_TRACE_LOADED_OBJECTS=1 %s | grep -iE 'openblas|petsc|assimp|opencl' >&2",
			 brTest_Program());
	CHECK_MESSAGE(brTest_Shell(line) == 1, "a heavy library is loaded at the start");
#ifndef BR_SANITIZED // their shadow memory is larger than any limit
	for (int32_t limit = 60000; limit <= 300000; limit += 30000)
	{
		snprintf(line, sizeof(line), "(ulimit -v %d; timeout 60 %s make box -o %s -q --workers 16)", limit,
				 brTest_Program(), brTest_ScratchPath("lean.obj"));
		CHECK_MESSAGE(brTest_Shell(line) == 0, "exit %d within %d KiB", brTest_Shell(line), limit);
	}
#endif
}
#endif

BR_TEST(cli_device_is_refused_where_there_is_no_work_for_it)
{
	char box[512];
	snprintf(box, sizeof(box), "%s", brTest_ScratchPath("device_box.obj"));
	CHECK_EQUAL(runBrittle(command("make box -o %s --device cpu", box, "")).exitCode, 0);
	static const char* const lines[] = {"check %s --device gpu", "check %s --device gpu:", "collide %s --device gpu:",
										"check %s --device xpu", "run %s --device cuda",   "tet %s --device gpu:0"};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); ++i)
	{
		Run run = runBrittle(command(lines[i], box, ""));
		CHECK_MESSAGE(run.exitCode == 2, "%s: %d", lines[i], run.exitCode);
		CHECK_MESSAGE(strstr(run.err, "--device") != NULL, "%s", run.err);
	}
}

// An OpenCL driver that aborts or never answers takes a child with it, not the program.
BR_TEST(cli_survives_a_broken_opencl_driver)
{
#if defined(BR_HAVE_OPENCL) && !defined(BR_SANITIZED)
	char fake[1024], box[512], cache[512], line[4096];
	snprintf(fake, sizeof(fake), "%s", brTest_Program());
	snprintf(strrchr(fake, '/'), 32, "/fake_opencl");
	snprintf(box, sizeof(box), "%s", brTest_ScratchPath("asked_box.obj"));
	snprintf(cache, sizeof(cache), "%s", brTest_ScratchPath("cache"));
	CHECK_EQUAL(runBrittle(command("make box -o %s", box, "")).exitCode, 0);
	static const char* const ways[] = {"abort", "hang"};
	static const char* const words[] = {"ended the process that asked it", "did not answer within 0.5 s"};
	for (int32_t i = 0; i < 2; ++i)
	{
		char before[3000];
		snprintf(before, sizeof(before),
				 "FAKE_OPENCL=%s BRITTLE_ASK_SECONDS=0.5 XDG_CACHE_HOME=%s LD_LIBRARY_PATH=%s %s", ways[i], cache, fake,
				 brTest_Program());
		const char* out = brTest_ScratchPath("asked");
		snprintf(line, sizeof(line), "%s info >%s 2>&1", before, out);
		CHECK_EQUAL(brTest_Shell(line), 0);
		char text[8192];
		readAll(out, text, sizeof(text));
		CHECK_MESSAGE(strstr(text, words[i]) != NULL && strstr(text, "websockets") != NULL, "%s", text);
		snprintf(line, sizeof(line), "%s collide %s --device auto >/dev/null 2>&1", before, box);
		CHECK_EQUAL(brTest_Shell(line), 0);
		// Remembered: no child is asked again, so this takes no time; the driver is not asked here either.
		static const char* const calls[] = {"collide %s", "shatter %s -n 5 -o %s.pieces.obj"};
		for (size_t k = 0; k < sizeof(calls) / sizeof(calls[0]); ++k)
		{
			char call[1000];
			snprintf(call, sizeof(call), calls[k], box, box);
			snprintf(line, sizeof(line), "%s %s --device gpu >%s 2>&1", before, call, out);
			CHECK_EQUAL(brTest_Shell(line), 0);
			readAll(out, text, sizeof(text));
			CHECK_MESSAGE(strstr(text, words[i]) != NULL && strstr(text, "the processor does the work") != NULL, "%s",
						  text);
		}
	}
#endif
}
