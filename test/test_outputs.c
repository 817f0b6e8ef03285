// SPDX-License-Identifier: MIT

// What the program must never replace or remove: what it reads, and files that it did not write.

#include "harness.h"
#include "io_help.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char s_err[8192];

// brittle WORDS inside a folder; words may be followed by any shell text. Returns the exit code; s_err has stderr.
static int brittleIn(const char* folder, const char* words)
{
	char line[4096], err[256];
	snprintf(err, sizeof(err), "%s", brTest_ScratchPath("outputs.err"));
	snprintf(line, sizeof(line), "cd %s && %s %s >/dev/null 2>%s </dev/null", folder, brTest_Program(), words, err);
	int status = system(line);
	FILE* file = fopen(err, "rb");
	CHECK(WIFEXITED(status) && file != NULL);
	s_err[fread(s_err, 1, sizeof(s_err) - 1, file)] = 0;
	fclose(file);
	return WEXITSTATUS(status);
}

static int shellIn(const char* folder, const char* words)
{
	char line[4096];
	snprintf(line, sizeof(line), "cd %s && %s", folder, words);
	int status = system(line); // a variable: WEXITSTATUS of macOS takes its address
	return WEXITSTATUS(status);
}

// A folder with a box in it.
static const char* boxFolder(void)
{
	static char folder[256];
	snprintf(folder, sizeof(folder), "%s", brTest_ScratchPath("outputs"));
	CHECK(mkdir(folder, 0777) == 0);
	CHECK_EQUAL(brittleIn(folder, "make box -o box.ply"), 0);
	return folder;
}

BR_TEST(outputs_in_a_folder_leave_what_others_wrote)
{
	const char* folder = boxFolder();
	// "Cut one of the pieces once more" in a folder of pieces that brittle did not write there.
	CHECK_EQUAL(shellIn(folder, "mkdir d && for i in 0 1 2 3 4; do cp box.ply d/piece_000$i.ply; done"), 0);
	CHECK_EQUAL(brittleIn(folder, "cut d/piece_0004.ply --normal 1,0,0 -o d"), 1);
	CHECK_MESSAGE(strstr(s_err, "brittle did not write it") != NULL, "%s", s_err);
	CHECK_EQUAL(shellIn(folder, "for i in 0 1 2 3 4; do cmp -s box.ply d/piece_000$i.ply || exit 1; done"), 0);
	CHECK_EQUAL(brittleIn(folder, "shatter box.ply --format ply -n 3 -o d"), 1);
	CHECK_EQUAL(shellIn(folder, "for i in 0 1 2 3 4; do cmp -s box.ply d/piece_000$i.ply || exit 1; done"), 0);
	// Files with other names are no hindrance and stay; so does a folder that has a piece's name beyond ours.
	CHECK_EQUAL(shellIn(folder, "mkdir -p e/piece_0002.ply && echo mine >e/notes.txt"), 0);
	CHECK_EQUAL(brittleIn(folder, "cut box.ply --normal 1,0,0 -o e"), 0);
	CHECK_EQUAL(shellIn(folder, "test -d e/piece_0002.ply && grep -q mine e/notes.txt && test -f e/piece_0001.ply"), 0);
}

BR_TEST(outputs_of_an_earlier_cut_are_replaced_and_no_others)
{
	const char* folder = boxFolder();
	CHECK_EQUAL(brittleIn(folder, "shatter box.ply --format ply -n 6 -o d"), 0);
	CHECK_EQUAL(shellIn(folder, "test $(ls d | wc -l) = 6 && echo mine >d/piece_0006.ply"), 0);
	CHECK_EQUAL(brittleIn(folder, "cut box.ply --normal 1,0,0 -o d"), 0);
	CHECK_MESSAGE(strstr(s_err, "4 files") != NULL, "%s", s_err);
	CHECK_EQUAL(shellIn(folder, "test $(ls d | wc -l) = 3 && grep -q mine d/piece_0006.ply"), 0);
	// A name that was ours and went is a stranger's when it comes again.
	CHECK_EQUAL(shellIn(folder, "echo mine >d/piece_0002.ply"), 0);
	CHECK_EQUAL(brittleIn(folder, "shatter box.ply --format ply -n 3 -o d"), 1);
	CHECK_EQUAL(shellIn(folder, "grep -q mine d/piece_0002.ply"), 0);
	// What is read is not replaced, though it is ours; nor through another name.
	CHECK_EQUAL(brittleIn(folder, "cut d/piece_0001.ply --normal 0,1,0 -o d"), 1);
	CHECK_MESSAGE(strstr(s_err, "it is what is read") != NULL, "%s", s_err);
	CHECK_EQUAL(shellIn(folder, "ln d/piece_0001.ply other.ply"), 0);
	CHECK_EQUAL(brittleIn(folder, "cut other.ply --normal 0,1,0 -o d"), 1);
	CHECK_EQUAL(shellIn(folder, "test -s d/piece_0000.ply && test -s d/piece_0001.ply"), 0);
}

BR_TEST(outputs_that_are_inputs_are_refused)
{
	const char* folder = boxFolder();
	CHECK_EQUAL(brittleIn(folder, "convert box.ply box.obj"), 0);
	CHECK_EQUAL(shellIn(folder, "cp box.ply keep.ply && ln -s box.ply link.ply && mkdir sub && touch stray.mtl"), 0);
	static const char* const lines[] = {
		"convert box.ply box.ply",
		"convert box.ply ./sub/../box.ply",
		"convert box.ply link.ply",
		"shatter box.ply -n 3 -o box.ply",
		"tet box.ply --tets 50 -o box.ply",
		"render box.ply -o box.ply",
		"collide box.ply --pairs box.ply",
		"collide box.ply --next keep.ply --pairs keep.ply",
		"crack box.ply -m glass --hit 0,0,0.5 --impulse 0,0,-1 -o box.ply",
		"crack box.ply -m glass --load keep.ply -o keep.ply",
		"convert box.ply stray.obj", // would replace a .mtl of something else
	};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); ++i)
	{
		CHECK_MESSAGE(brittleIn(folder, lines[i]) == 2, "%s: %s", lines[i], s_err);
		CHECK_MESSAGE(shellIn(folder, "cmp -s box.ply keep.ply && test ! -s stray.mtl") == 0, "%s", lines[i]);
	}
	CHECK_EQUAL(brittleIn(folder, "convert box.ply other.ply"), 0);
	CHECK_EQUAL(brittleIn(folder, "convert box.ply other.ply"), 0); // replaced, as asked
}

BR_TEST(outputs_of_a_run_leave_what_others_wrote)
{
	const char* folder = boxFolder();
	char path[512];
	static const char text[] =
		"duration: 0.05\nbodies: [{model: {file: fall.obj}}]\noutput: {poster: false, sheet: false}\n";
	snprintf(path, sizeof(path), "%s/fall.yaml", folder);
	ioSaveBytes(path, text, strlen(text));
	// The model has the name of an output.
	CHECK_EQUAL(brittleIn(folder, "convert box.ply fall.obj"), 0);
	CHECK_EQUAL(shellIn(folder, "echo mine >fall.csv"), 0);
	CHECK_EQUAL(brittleIn(folder, "run fall.yaml -o ."), 1);
	CHECK_MESSAGE(strstr(s_err, "fall.csv is there, and brittle did not write it") != NULL, "%s", s_err);
	CHECK_EQUAL(shellIn(folder, "grep -q mine fall.csv && test ! -e fall.brec && rm fall.csv"), 0);
	CHECK_EQUAL(brittleIn(folder, "run fall.yaml -o ."), 0);
	CHECK_EQUAL(brittleIn(folder, "run fall.yaml -o ."), 0); // its own files, again
	CHECK_EQUAL(brittleIn(folder, "run fall.yaml -o . --resume"), 0);
	CHECK_EQUAL(brittleIn(folder, "view fall.brec -o fall.brec --no-open"), 2);
	CHECK_EQUAL(shellIn(folder, "echo mine >fall.html"), 0);
	CHECK_EQUAL(brittleIn(folder, "view fall.brec --no-open"), 1);
	CHECK_EQUAL(shellIn(folder, "grep -q mine fall.html && head -c 4 fall.brec | grep -q BREC"), 0);
	// Pictures of a longer run go; a stranger's picture beyond them does not.
	const char* film = "run fall.yaml -o film --frames --set 'output.video_size=[32, 18]' --time";
	char words[512];
	snprintf(words, sizeof(words), "%s 0.1", film);
	CHECK_EQUAL(brittleIn(folder, words), 0);
	CHECK_EQUAL(shellIn(folder, "echo mine >film/frames/frame_00007.png"), 0);
	snprintf(words, sizeof(words), "%s 0.05", film);
	CHECK_EQUAL(brittleIn(folder, words), 0);
	CHECK_EQUAL(shellIn(folder, "test $(ls film/frames | wc -l) = 5 && grep -q mine film/frames/frame_00007.png"), 0);
	snprintf(words, sizeof(words), "%s 0.2", film);
	CHECK_EQUAL(brittleIn(folder, words), 1);
	CHECK_EQUAL(shellIn(folder, "grep -q mine film/frames/frame_00007.png"), 0);
}

// A temporary file whose writer died goes with the next command; one that is being written stays.
BR_TEST(outputs_with_a_number_leave_what_others_wrote)
{
	const char* folder = boxFolder();
	CHECK_EQUAL(shellIn(folder, "mkdir d && echo mine >d/turn_002.png && echo mine >d/step_00_stress.png"), 0);
	CHECK_EQUAL(brittleIn(folder, "render box.ply -o d/other.png --turntable 3 --size 16x16 --samples 1"), 0);
	CHECK_EQUAL(brittleIn(folder, "render box.ply -o d/turn.png --turntable 3 --size 16x16 --samples 1"), 1);
	CHECK_MESSAGE(strstr(s_err, "brittle did not write it") != NULL, "%s", s_err);
	CHECK_EQUAL(shellIn(folder, "grep -q mine d/turn_002.png && test ! -e d/turn_000.png"), 0);
	CHECK_EQUAL(brittleIn(folder, "render box.ply -o d/other.png --turntable 2 --size 16x16 --samples 1"), 0);
	CHECK_EQUAL(shellIn(folder, "test -e d/other_001.png && test ! -e d/other_002.png"), 0);
	CHECK_EQUAL(brittleIn(folder, "crack box.ply -m glass --hit 0.5,0,0.1 --impulse -3,0,0 --tets 300 --debug d/step "
								  "-o d/pieces.obj"),
				1);
	CHECK_EQUAL(shellIn(folder, "grep -q mine d/step_00_stress.png && test ! -e d/step_00_stress.vtk"), 0);
}

BR_TEST(outputs_left_half_written_are_cleared)
{
	const char* folder = boxFolder();
	CHECK_EQUAL(brittleIn(folder, "cut box.ply --normal 1,0,0 -o d"), 0);
	CHECK_EQUAL(shellIn(folder, "echo half >d/piece_0007.ply.brittle-0.tmp && echo half >box.off.brittle-0.tmp && "
								"echo busy >d/piece_0000.ply.brittle-0.tmp && echo mine >d/my.brittle.tmp"),
				0);
	char path[512];
	snprintf(path, sizeof(path), "%s/d/piece_0000.ply.brittle-0.tmp", folder);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(file >= 0 && flock(file, LOCK_EX) == 0);
	CHECK_EQUAL(brittleIn(folder, "cut box.ply --normal 1,0,0 -o d"), 0);
	CHECK_EQUAL(brittleIn(folder, "convert box.ply box.off"), 0);
	CHECK_EQUAL(shellIn(folder, "test ! -e d/piece_0007.ply.brittle-0.tmp && test ! -e box.off.brittle-0.tmp && "
								"grep -q busy d/piece_0000.ply.brittle-0.tmp && grep -q mine d/my.brittle.tmp && "
								"grep -q OFF box.off"),
				0);
	close(file);
}

// Bytes that no page can show.
BR_TEST(view_refuses_what_is_no_glb)
{
	const char* folder = boxFolder();
	CHECK_EQUAL(shellIn(folder, "echo nonsense >bad.glb"), 0);
	CHECK_EQUAL(brittleIn(folder, "view bad.glb --no-open -o page.html"), 1);
	CHECK_MESSAGE(strstr(s_err, "bad.glb") != NULL, "%s", s_err);
	CHECK_EQUAL(shellIn(folder, "test ! -e page.html"), 0);
}
