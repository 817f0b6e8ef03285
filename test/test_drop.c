// SPDX-License-Identifier: MIT

// brittle drop and brittle shoot as a newcomer meets them: a file or a name in, a broken thing and its scene out.

#include "brittle/io.h"
#include "brittle/models.h"
#include "harness.h"
#include "io_help.h"
#include "shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char s_out[8192], s_err[8192];

static void readText(const char* path, char* buffer, size_t capacity)
{
	FILE* file = fopen(path, "rb");
	CHECK_MESSAGE(file != NULL, "%s cannot be opened", path);
	buffer[fread(buffer, 1, capacity - 1, file)] = 0;
	fclose(file);
}

static int command(const char* words)
{
	char line[4096], out[256], err[256];
	snprintf(out, sizeof(out), "%s", brTest_ScratchPath("command.out"));
	snprintf(err, sizeof(err), "%s", brTest_ScratchPath("command.err"));
	snprintf(line, sizeof(line), "%s %s >%s 2>%s </dev/null", brTest_Program(), words, out, err);
	int code = brTest_Shell(line);
	readText(out, s_out, sizeof(s_out));
	readText(err, s_err, sizeof(s_err));
	return code;
}

static int64_t jsonCount(const char* key)
{
	const char* at = strstr(s_out, key);
	CHECK_MESSAGE(at != NULL, "no %s in %s", key, s_out);
	return atoll(at + strlen(key));
}

static void jsonHash(char* outHash)
{
	const char* at = strstr(s_out, "\"hash\":\"");
	CHECK(at != NULL);
	memcpy(outHash, at + 8, 16);
	outHash[16] = 0;
}

// The scene that a drop leaves plays the same again.
BR_TEST(drop_breaks_a_model_and_leaves_its_scene)
{
	char words[1024], first[17], again[17];
	const char* folder = brTest_ScratchPath("dropped");
	snprintf(words, sizeof(words), "drop vase --height 2 --json --no-pictures -o %s", folder);
	CHECK_MESSAGE(command(words) == 0, "%s", s_err);
	CHECK(jsonCount("\"pieces\":") > 1);
	jsonHash(first);
	snprintf(words, sizeof(words), "run %s/vase.yaml --json --no-pictures -o %s", folder, brTest_ScratchPath("again"));
	CHECK_MESSAGE(command(words) == 0, "%s", s_err);
	jsonHash(again);
	CHECK_MESSAGE(strcmp(first, again) == 0, "%s, again %s", first, again);
}

// A statue in millimetres, lying as y-up files do, stands and has its size; a dirty one is mended.
BR_TEST(drop_finds_unit_and_axes_and_mends)
{
	brMesh* statue = NULL;
	brModelDef def = brDefaultModelDef("statue");
	def.resolution = 24;
	CHECK_RESULT(brMakeModel(NULL, &def, &statue, NULL), NULL);
	brDBox3 box = brMesh_ComputeBounds(statue);
	double height = box.upper.z - box.lower.z;
	brAffine lie = brMakeAffineIdentity();
	lie.m.cx = brMakeDVec3(1000.0, 0.0, 0.0);
	lie.m.cy = brMakeDVec3(0.0, 0.0, -1000.0);
	lie.m.cz = brMakeDVec3(0.0, 1000.0, 0.0);
	brMesh_Transform(statue, &lie);
	statue->faceCount -= 5, statue->cornerCount -= 15; // a hole of five triangles
	const char* path = brTest_ScratchPath("statue_mm.obj");
	CHECK_RESULT(brSaveMesh(NULL, statue, path, NULL, NULL), NULL);
	statue->faceCount += 5, statue->cornerCount += 15;
	brMeshFrame frame = brGuessMeshFrame(path, statue);
	CHECK(frame.isYUp && !frame.isStated && frame.unit == 1e-3);
	brDestroyMesh(statue);
	char words[1024], expected[64];
	snprintf(words, sizeof(words), "run %s --time 0.1 --no-pictures -o %s", path, brTest_ScratchPath("stands"));
	CHECK_MESSAGE(command(words) == 0, "%s", s_err);
	CHECK_MESSAGE(strstr(s_err, "mended") != NULL, "%s", s_err);
	snprintf(expected, sizeof(expected), "x %.3g m", height);
	CHECK_MESSAGE(strstr(s_err, expected) != NULL, "no '%s' in %s", expected, s_err);
}

// Two boxes in one file, one above the other: the upper one goes on falling where the lower one has landed.
BR_TEST(drop_lets_solids_that_do_not_touch_move_on_their_own)
{
	const char* path = brTest_ScratchPath("pair.obj");
	FILE* file = fopen(path, "w");
	CHECK(file != NULL);
	for (int box = 0; box < 2; ++box)
	{
		for (int i = 0; i < 8; ++i)
		{
			fprintf(file, "v %g %g %g\n", 0.1 * (i & 1), 0.1 * (i >> 1 & 1), 0.1 * (i >> 2) + 0.3 * box);
		}
	}
	for (int box = 0; box < 2; ++box)
	{
		const int faces[6][4] = {{1, 3, 4, 2}, {5, 6, 8, 7}, {1, 2, 6, 5}, {3, 7, 8, 4}, {1, 5, 7, 3}, {2, 4, 8, 6}};
		for (int f = 0; f < 6; ++f)
		{
			fprintf(file, "f %d %d %d %d\n", faces[f][0] + 8 * box, faces[f][1] + 8 * box, faces[f][2] + 8 * box,
					faces[f][3] + 8 * box);
		}
	}
	CHECK(fclose(file) == 0);
	char words[1024];
	snprintf(words, sizeof(words), "drop %s --height 0.05 --method none --json --no-pictures -o %s", path,
			 brTest_ScratchPath("pair"));
	CHECK_MESSAGE(command(words) == 0, "%s", s_err);
	CHECK_MESSAGE(strstr(s_err, "2 solids that do not touch") != NULL, "%s", s_err);
	CHECK_EQUAL(jsonCount("\"bodies\":"), 3); // and the ground
}

// A stool has more area on one of its sides than under its feet: what tells is that its top is not its bottom.
BR_TEST(drop_stands_what_has_legs_on_its_feet)
{
	for (int32_t k = 0; k < 4; ++k)
	{
		brMesh *parts[6], *stool = NULL;
		for (int32_t i = 0; i < 5; ++i)
		{
			parts[i] = i == 0 ? brShape_Box(0.44, 0.44, 0.03) : brShape_Box(0.04, 0.04, 0.45);
			brDBox3 box = brMesh_ComputeBounds(parts[i]);
			brAffine map = brMakeAffineIdentity();
			map.p =
				brDSub(brMakeDVec3(i == 2 || i == 4 ? 0.4 : 0.0, i > 2 ? 0.4 : 0.0, i == 0 ? 0.45 : 0.0), box.lower);
			brMesh_Transform(parts[i], &map);
		}
		// With a back it is a chair, which differs along both axes, but does not stand on the front of its seat.
		parts[5] = brShape_Box(0.44, 0.03, 0.5);
		brAffine behind = brMakeAffineIdentity();
		behind.p = brDSub(brMakeDVec3(0.0, 0.41, 0.48), brMesh_ComputeBounds(parts[5]).lower);
		brMesh_Transform(parts[5], &behind);
		CHECK_RESULT(brMergeMeshes(NULL, (const brMesh* const*)parts, k < 2 ? 5 : 6, &stool, NULL), NULL);
		brAffine lie = brMakeAffineIdentity();
		lie.m.cy = brMakeDVec3(0.0, 0.0, -1.0), lie.m.cz = brMakeDVec3(0.0, 1.0, 0.0);
		if (k % 2 == 1)
		{
			brMesh_Transform(stool, &lie);
		}
		CHECK(brGuessMeshFrame("stool.obj", stool).isYUp == (k % 2 == 1));
		for (int32_t i = 0; i < 6; ++i)
		{
			brDestroyMesh(parts[i]);
		}
		brDestroyMesh(stool);
	}
}

// A cup of 360 m in a .glb is one in millimetres; one of a fifth of a millimetre has no unit at all. Faces on a line
// are no sheet.
BR_TEST(drop_takes_sizes_that_fit_no_unit_as_a_vase)
{
	static const double scales[] = {1000.0, 1e-7};
	char words[1024];
	for (int k = 0; k < 2; ++k)
	{
		brMesh* vase = NULL;
		brModelDef def = brDefaultModelDef("vase");
		def.resolution = 24;
		CHECK_RESULT(brMakeModel(NULL, &def, &vase, NULL), NULL);
		brAffine map = brMakeAffineIdentity();
		map.m.cx.x = map.m.cy.y = map.m.cz.z = scales[k];
		brMesh_Transform(vase, &map);
		const char* path = brTest_ScratchPath(k == 0 ? "large.glb" : "small.obj");
		CHECK_RESULT(brSaveMesh(NULL, vase, path, NULL, NULL), NULL);
		brDestroyMesh(vase);
		snprintf(words, sizeof(words), "drop %s --no-pictures -o %s", path, brTest_ScratchPath("odd"));
		CHECK_MESSAGE(command(words) == 0, "%s", s_err);
		CHECK_MESSAGE(strstr(s_err, "taken as 0.3 m long") != NULL, "%s", s_err);
		CHECK_MESSAGE(strstr(s_out, "0.3 m)") != NULL, "%s", s_out);
	}
	const char* path = brTest_ScratchPath("line.obj");
	FILE* file = fopen(path, "w");
	fputs("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", file);
	fclose(file);
	snprintf(words, sizeof(words), "drop %s --no-pictures -o %s", path, brTest_ScratchPath("odd"));
	CHECK_EQUAL(command(words), 1);
	CHECK_MESSAGE(strstr(s_err, "encloses nothing") != NULL, "%s", s_err);
}

// What is called after a material is made of it; so is what has faces of it; "spice" is no ice, and -m has the last
// word.
BR_TEST(drop_takes_the_material_from_the_name)
{
	char fileWords[600], words[1024], path[1024], text[4096], folder[512];
	snprintf(folder, sizeof(folder), "%s", brTest_ScratchPath("made_of"));
	char file[512], fileName[128];
	snprintf(file, sizeof(file), "%s", brTest_ScratchPath("BoneChina_spice.off"));
	snprintf(fileWords, sizeof(fileWords), "drop %s --size 0.1", file);
	const char* base = strrchr(file, '/') + 1;
	snprintf(fileName, sizeof(fileName), "%.*s", (int)strcspn(base, "."), base);
	const struct
	{
		const char *words, *name, *material;
	} rows[] = {
		{"drop wine_glass", "wine_glass", "glass"},
		{"shoot wine_glass", "wine_glass", "glass"},
		{"drop pane", "pane", "glass"},
		{"drop brick", "brick", "brick"},
		{"drop brick -m ice", "brick", "ice"},
		{"drop vase", "vase", "terracotta"},
		{fileWords, fileName, "bone_china"},
	};
	brModelDef def = brDefaultModelDef("box");
	brMesh* box;
	CHECK(brMakeModel(NULL, &def, &box, NULL) == br_success);
	CHECK(brSaveMesh(NULL, box, file, NULL, NULL) >= 0);
	brDestroyMesh(box);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
	{
		snprintf(words, sizeof(words), "%s --method none --no-pictures -o %s", rows[i].words, folder);
		CHECK_MESSAGE(command(words) == 0, "%s", s_err);
		snprintf(path, sizeof(path), "%s/%s.yaml", folder, rows[i].name);
		readText(path, text, sizeof(text));
		snprintf(words, sizeof(words), "    material: %s\n", rows[i].material);
		CHECK_MESSAGE(strstr(text, words) != NULL, "%s: %s", rows[i].words, text);
	}
}

// What does not break is told from where it would; that advice holds, and without a height it is followed.
BR_TEST(drop_says_what_height_breaks_it)
{
	char words[1024];
	const char* folder = brTest_ScratchPath("low");
	snprintf(words, sizeof(words), "drop wine_glass -m glass --height 0.005 --no-pictures -o %s", folder);
	CHECK_MESSAGE(command(words) == 0, "%s", s_err);
	const char* advice = strstr(s_out, "--height ");
	CHECK_MESSAGE(strstr(s_out, "did not break; from about") != NULL && advice != NULL, "%s", s_out);
	double height = atof(advice + strlen("--height "));
	CHECK_MESSAGE(height > 0.005 && height < 5.0, "%g", height);
	snprintf(words, sizeof(words), "drop wine_glass -m glass --height %g --json --no-pictures -o %s", height, folder);
	CHECK_MESSAGE(command(words) == 0, "%s", s_err);
	CHECK(jsonCount("\"pieces\":") > 1);
	// A pebble holds 1.5 m on stone, and anything on rubber.
	snprintf(words, sizeof(words), "drop icosphere --size 0.05 -m marble --no-pictures -o %s", folder);
	CHECK_MESSAGE(command(words) == 0, "%s", s_err);
	CHECK_MESSAGE(strstr(s_err, "so it is dropped from") != NULL, "%s", s_err);
	CHECK_MESSAGE(strstr(s_out, "and broke into") != NULL, "%s", s_out);
	// A bead would have to fall for a kilometer: it holds, and the height is only named.
	snprintf(words, sizeof(words), "drop icosphere --size 0.002 -m porcelain --no-pictures -o %s", folder);
	CHECK_MESSAGE(command(words) == 0, "%s", s_err);
	CHECK_MESSAGE(strstr(s_out, "fell 1.5 m onto marble and did not break; from about") != NULL, "%s", s_out);
	snprintf(words, sizeof(words), "drop box --size 0.05 -m marble --ground rubber --no-pictures -o %s", folder);
	CHECK_MESSAGE(command(words) == 0, "%s", s_err);
	CHECK_MESSAGE(strstr(s_out, "a hard --ground such as marble") != NULL, "%s", s_out);
}

// Six spikes on a cube break however strong they happen to be; what holds is dropped again from higher up.
BR_TEST(drop_goes_on_until_it_breaks)
{
	const char* path = brTest_ScratchPath("star.off");
	static const char text[] =
		"OFF\n14 24 0\n-1 -1 -1\n-1 1 -1\n1 1 -1\n1 -1 -1\n-1 -1 1\n-1 1 1\n1 1 1\n1 -1 1\n4 0 0\n0 4 0\n-4 0 0\n0 -4 "
		"0\n"
		"0 0 4\n0 0 -4\n3 0 1 13\n3 1 2 13\n3 2 3 13\n3 3 0 13\n3 3 2 8\n3 7 3 8\n3 6 7 8\n3 2 6 8\n3 7 6 12\n3 4 7 "
		"12\n"
		"3 5 4 12\n3 6 5 12\n3 4 5 10\n3 0 4 10\n3 1 0 10\n3 5 1 10\n3 1 5 9\n3 2 1 9\n3 6 2 9\n3 5 6 9\n3 0 3 11\n"
		"3 4 0 11\n3 7 4 11\n3 3 7 11\n";
	ioSaveBytes(path, text, strlen(text));
	char words[1024];
	const char* const sizes[] = {"0.05", "1"};
	for (int32_t i = 0; i < 2; ++i)
	{
		snprintf(words, sizeof(words), "drop %s --size %s --no-pictures -o %s", path, sizes[i],
				 brTest_ScratchPath("star"));
		CHECK_MESSAGE(command(words) == 0, "%s", s_err);
		CHECK_MESSAGE(strstr(s_out, "and broke into") != NULL, "%s: %s", sizes[i], s_out);
	}
}

// A sheet is refused with an option that works.
BR_TEST(drop_thickens_a_sheet_as_it_advises)
{
	const char* path = brTest_ScratchPath("sheet.obj");
	static const char text[] = "v 0 0 0\nv 30 0 0\nv 30 20 0\nv 0 20 0\nf 1 2 3 4\n"; // in centimetres
	ioSaveBytes(path, text, strlen(text));
	char words[1024];
	snprintf(words, sizeof(words), "drop %s --no-pictures -o %s", path, brTest_ScratchPath("sheet"));
	CHECK_EQUAL(command(words), 1);
	CHECK_MESSAGE(strstr(s_err, "--thicken 0.003 makes it a plate") != NULL, "%s", s_err);
	snprintf(words, sizeof(words), "drop %s --thicken 0.003 --no-pictures -o %s", path, brTest_ScratchPath("sheet"));
	CHECK_MESSAGE(command(words) == 0, "%s", s_err);
	CHECK_MESSAGE(strstr(s_err, "0.3 x 0.2 x 0.003 m") != NULL || strstr(s_err, "0.3 x 0.003 x 0.2 m") != NULL, "%s",
				  s_err);
	CHECK_MESSAGE(strstr(s_out, "and broke into") != NULL, "%s", s_out);
}

BR_TEST(shoot_breaks_a_vase)
{
	char words[1024];
	snprintf(words, sizeof(words), "shoot vase --speed 150 --json --no-pictures -o %s", brTest_ScratchPath("shot"));
	CHECK_MESSAGE(command(words) == 0, "%s", s_err);
	CHECK(jsonCount("\"breaks\":") >= 1);
}

// Without -o a shot does not replace a fall.
BR_TEST(shoot_writes_beside_drop)
{
	char line[4096];
	const char *folder = brTest_ScratchPath("here"), *out = brTest_ScratchPath("here.out");
	const char *program = brTest_Program(), *words = "vase --method none --no-pictures -q";
	snprintf(line, sizeof(line), "mkdir %s && cd %s && %s drop %s >%s && %s shoot %s >>%s", folder, folder, program,
			 words, out, program, words, out);
	CHECK(brTest_Shell(line) == 0);
	readText(out, s_out, sizeof(s_out));
	CHECK_MESSAGE(strstr(s_out, "out/vase/vase.glb") != NULL && strstr(s_out, "out/vase_shot/vase.glb") != NULL, "%s",
				  s_out);
}

// A level shot would fly over a pane that lies on the ground, or start inside of that.
BR_TEST(shoot_breaks_what_lies_flat)
{
	char words[1024];
	snprintf(words, sizeof(words), "shoot pane --rotation 90,0,0 --speed 40 --json --no-pictures -o %s",
			 brTest_ScratchPath("flat"));
	CHECK_MESSAGE(command(words) == 0, "%s", s_err);
	CHECK(jsonCount("\"breaks\":") >= 1);
}

// What stands is shot through where it is thin: a pane lost all of a ball's speed at its edge.
BR_TEST(shoot_goes_through_what_is_thin)
{
	static const struct
	{
		const char *words, *velocity;
	} rows[] = {
		{"pane", "velocity: [0, 60, 0]"},
		{"pane --rotation 0,0,90", "velocity: [60, 0, 0]"},
		{"vase", "velocity: [60, 0, 0]"},
		{"pane --direction 1,0,0 --speed 20", "velocity: [20, 0, 0]"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
	{
		char words[1024], scene[4096];
		const char* folder = brTest_ScratchPath("through");
		snprintf(words, sizeof(words), "shoot %s --method none --no-pictures -o %s", rows[i].words, folder);
		CHECK_MESSAGE(command(words) == 0, "%s", s_err);
		snprintf(words, sizeof(words), "%s/%.4s.yaml", folder, rows[i].words);
		readText(words, scene, sizeof(scene));
		CHECK_MESSAGE(strstr(scene, rows[i].velocity) != NULL, "%s: %s", rows[i].words, scene);
	}
}

BR_TEST(drop_refuses_bad_words)
{
	static const struct
	{
		const char* words;
		int exitCode;
	} cases[] = {
		{"drop", 2},
		{"drop vase --height -1", 2},
		{"drop vase --method magic", 2},
		{"drop no_such_thing.obj", 1},
		{"drop vas", 1}, // neither a file nor a model
		{"drop vase --material unobtainium", 2},
		{"shoot vase --speed 0", 2},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		CHECK_MESSAGE(command(cases[i].words) == cases[i].exitCode, "%s: %s", cases[i].words, s_err);
		CHECK(s_err[0] != 0);
	}
}
