// SPDX-License-Identifier: MIT

// USD text: what must stand in the file, and what an independent reader makes of it.

#include "brittle/io.h"
#include "brittle/models.h"
#include "gltf_cases.h"
#include "harness.h"
#include "io_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char usdaText[1 << 17];

static const char* saveUsda(const brAssembly* scene, const brSaveDef* def, brResult expected, const char** outPath)
{
	const char* path = brTest_ScratchPath("scene.usda");
	brReport report = {0};
	brResult result = brSaveAssembly(NULL, scene, path, def, &report);
	CHECK_MESSAGE(result == expected, "%s: %s", brResult_GetName(result), report.text);
	FILE* file = fopen(path, "rb");
	CHECK(file != NULL);
	size_t length = fread(usdaText, 1, sizeof(usdaText) - 1, file);
	fclose(file);
	usdaText[length] = 0;
	if (outPath != NULL)
	{
		*outPath = path;
	}
	return usdaText;
}

BR_TEST(usda_holds_the_scene)
{
	brAssembly* scene = brTestScene();
	const char* text = saveUsda(scene, NULL, br_success, NULL);
	CHECK(strncmp(text, "#usda 1.0\n", 10) == 0);
	CHECK(strstr(text, "upAxis = \"Z\"") != NULL);
	CHECK(strstr(text, "metersPerUnit = 1\n") != NULL);
	CHECK(strstr(text, "timeCodesPerSecond = 24\n") != NULL);
	CHECK(strstr(text, "endTimeCode = 24\n") != NULL);
	CHECK_EQUAL(ioCountText(text, "\tdef Xform \""), TEST_SCENE_PARTS);
	CHECK_EQUAL(ioCountText(text, "prepend inherits"), 7); // all but the cube share their meshes
	CHECK_EQUAL(ioCountText(text, "instanceable = true"), 7);
	CHECK_EQUAL(ioCountText(text, "class Xform"), 2);
	CHECK_EQUAL(ioCountText(text, "def GeomSubset"), 2);
	CHECK_EQUAL(ioCountText(text, "interpolation = \"faceVarying\""), 2);
	CHECK_EQUAL(ioCountText(text, "visibility.timeSamples"), 2);
	CHECK_EQUAL(ioCountText(text, "def Material"), 2);

	// Identifiers: no blanks, no leading digits, no two alike, none that is taken.
	CHECK(strstr(text, "def Xform \"_9_lives\"") != NULL);
	CHECK(strstr(text, "def Xform \"_9_lives_6\"") != NULL);
	CHECK(strstr(text, "def Xform \"materials_7\"") != NULL);
	CHECK(strstr(text, "def Xform \"part_3\"") != NULL);
	CHECK(strstr(text, "inputs:file = @my texture.png@") != NULL);
	// Polygons stay.
	CHECK(strstr(text, "faceVertexCounts = [5, 5, 4, 4, 4, 4, 4]") != NULL);
	brSaveDef def = brDefaultSaveDef();
	def.triangulate = true;
	def.yUp = true;
	text = saveUsda(scene, &def, br_remarkApproximate, NULL);
	CHECK(strstr(text, "faceVertexCounts = [5,") == NULL);
	CHECK(strstr(text, "upAxis = \"Y\"") != NULL);
	brDestroyAssembly(scene);
}

BR_TEST(usda_times_are_frames_where_they_can_be)
{
	static const struct
	{
		double step;
		const char* rate;
	} cases[] = {{1.0 / 24, " = 24\n"}, {1.0 / 25, " = 25\n"}, {1.0 / 30, " = 30\n"},
				 {1.0 / 60, " = 60\n"}, {0.001, " = 1000\n"},  {0.0123456789, " = 24\n"}};
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); ++c)
	{
		brAssembly* scene = brTestScene();
		for (int32_t p = 0; p < scene->partCount; ++p)
		{
			scene->parts[p].bornTime = -INFINITY;
			scene->parts[p].goneTime = p == 1 ? 3 * cases[c].step : INFINITY;
			for (int32_t k = 0; k < scene->parts[p].keyCount; ++k)
			{
				scene->keys[scene->parts[p].firstKey + k].time = k * cases[c].step;
			}
		}
		const char* text = saveUsda(scene, NULL, br_success, NULL);
		char line[64];
		snprintf(line, sizeof(line), "timeCodesPerSecond%s", cases[c].rate);
		CHECK_MESSAGE(strstr(text, line) != NULL, "step %g", cases[c].step);
		CHECK_EQUAL(strstr(text, "\t\t\t3: (") != NULL, c < 5);
		brDestroyAssembly(scene);
	}
}

BR_TEST(usda_names_stay_apart_in_a_crowd)
{
	brAssembly* scene = brTestScene();
	brPart part = brDefaultPart();
	part.mesh = 2;
	for (int32_t i = 0; i < 200; ++i)
	{
		char name[16];
		snprintf(name, sizeof(name), "p_%d", 100 + i / 2); // meets the numbers that the others get
		brAssembly_AddPart(scene, i % 2 == 0 ? "p" : name, &part);
	}
	const char* text = saveUsda(scene, NULL, br_success, NULL);
	char seen[400][64];
	int32_t count = 0;
	for (const char* at = strstr(text, "\tdef Xform \""); at != NULL; at = strstr(at + 1, "\tdef Xform \""))
	{
		sscanf(at, "\tdef Xform \"%63[^\"]\"", seen[count]);
		for (int32_t i = 0; i < count; ++i)
		{
			CHECK_MESSAGE(strcmp(seen[i], seen[count]) != 0, "%s twice", seen[i]);
		}
		count += 1;
	}
	CHECK_EQUAL(count, TEST_SCENE_PARTS + 200);
	brDestroyAssembly(scene);
}

typedef struct UsdaCall
{
	const brAssembly* scene;
	const char* path;
} UsdaCall;

static brResult saveUsdaScene(const brContext* context, void* user)
{
	const UsdaCall* call = user;
	brSaveDef def = brDefaultSaveDef();
	def.triangulate = true;
	return brSaveAssembly(context, call->scene, call->path, &def, NULL);
}

BR_TEST(usda_survives_every_failing_allocation)
{
	brAssembly* scene = brTestScene();
	UsdaCall call = {scene, brTest_ScratchPath("walk.usda")};
	CHECK(brTest_WalkAllocations(saveUsdaScene, &call) > 10);
	brDestroyAssembly(scene);
}

static brResult saveUsdaByTwo(const brContext* context, void* user)
{
	brContext inner = *context;
	inner.workers = brTest_Workers(2);
	brResult result = inner.workers != NULL ? saveUsdaScene(&inner, user) : br_errorMemory;
	brDestroyWorkers(inner.workers);
	return result;
}

// Parts of groups that come in turns, a mesh that is shown twice, and one that is too large to be held.
static brAssembly* makeUsdaHeap(void)
{
	brAssembly* scene = brCreateAssembly(NULL);
	CHECK(scene != NULL);
	for (int32_t i = 0; i < 40; ++i)
	{
		brModelDef model = brDefaultModelDef("torus");
		model.resolution = i == 17 ? 400 : 20 + i;
		brPart part = brDefaultPart();
		brMesh* mesh = BR_MADE(brMesh, brMakeModel, NULL, &model);
		part.mesh = i == 30 ? 4 : brAssembly_AddMesh(scene, mesh);
		i == 30 ? brDestroyMesh(mesh) : (void)0;
		part.group = i < 2 ? brAssembly_AddGroup(scene, i == 0 ? "cup" : "jar") : i % 3 - 1;
		CHECK(part.mesh >= 0 && brAssembly_AddPart(scene, "piece", &part) == i);
	}
	return scene;
}

BR_TEST(usda_of_many_workers_is_that_of_one)
{
	brAssembly* scene = makeUsdaHeap();
	char paths[2][256];
	for (int32_t split = 0; split < 2; ++split)
	{
		for (int32_t k = 0; k < 2; ++k)
		{
			brContext context = {.workers = brTest_Workers(k == 0 ? 1 : 3)};
			snprintf(paths[k], sizeof(paths[k]), "%s", brTest_ScratchPath(k == 0 ? "one.usda" : "many.usda"));
			brSaveDef save = brDefaultSaveDef();
			save.split = split != 0;
			CHECK_RESULT(brSaveAssembly(&context, scene, paths[k], &save, NULL), NULL);
			brDestroyWorkers(context.workers);
		}
		CHECK(split != 0 || ioSameBytes(paths[0], paths[1])); // the name of the shapes' file is in the other
		snprintf(paths[0], sizeof(paths[0]), "%s", brTest_ScratchPath("one_meshes.usda"));
		snprintf(paths[1], sizeof(paths[1]), "%s", brTest_ScratchPath("many_meshes.usda"));
		CHECK(split == 0 || ioSameBytes(paths[0], paths[1]));
	}
	brDestroyAssembly(scene);
	scene = brTestScene();
	UsdaCall call = {scene, brTest_ScratchPath("walk.usda")};
	CHECK(brTest_WalkAllocations(saveUsdaByTwo, &call) > 10);
	brDestroyAssembly(scene);
}

BR_TEST(usda_refuses_what_it_cannot_say)
{
	brAssembly* scene = brTestScene();
	brReport report = {0};
	const char* path = brTest_ScratchPath("refused.usda");
	scene->meshes[0]->positions[2].y = -1e39;
	CHECK_EQUAL(brSaveAssembly(NULL, scene, path, NULL, &report), br_errorGeometry);
	CHECK(strstr(report.text, "vertex 2") != NULL);
	CHECK(access(path, F_OK) != 0);
	scene->meshes[0]->positions[2].y = 0.1;
	CHECK_EQUAL(brSaveAssembly(NULL, scene, path, NULL, &report), br_remarkApproximate);
	scene->parts[2].placement.p.x = INFINITY;
	CHECK_EQUAL(brSaveAssembly(NULL, scene, path, NULL, &report), br_errorGeometry);
	scene->parts[2].placement.p.x = 0.0;
	scene->parts[2].mesh = 99;
	CHECK_EQUAL(brSaveAssembly(NULL, scene, path, NULL, &report), br_errorMisuse);
	scene->parts[2].mesh = 0;
	brDestroyAssembly(scene);
}

// TinyUSDZ, where node and its packages are installed.
BR_TEST(usda_is_read_by_others)
{
	if (access(BR_SOURCE_DIR "/test/node/node_modules/tinyusdz", R_OK) != 0)
	{
		brTest_Skip("run npm ci in test/node for the reader");
	}
	brAssembly* scene = brTestScene();
	const char* path = NULL;
	saveUsda(scene, NULL, br_success, &path);
	brDestroyAssembly(scene);
	char command[1024];
	// Poses 2 * (5 + 3), visibility 3 + 2.
	snprintf(command, sizeof(command),
			 "node '" BR_SOURCE_DIR "/test/node/check_usda.mjs' '%s' parts=8 triangles=64 samples=21 1>&2", path);
	CHECK_EQUAL(system(command), 0);
}

BR_TEST(usdz_is_a_stored_archive_that_can_be_mapped)
{
	brAssembly* scene = brTestScene();
	char plain[256], packed[256];
	snprintf(plain, sizeof(plain), "%s", brTest_ScratchPath("scene.usda"));
	snprintf(packed, sizeof(packed), "%s", brTest_ScratchPath("scene.usdz"));
	CHECK_RESULT(brSaveAssembly(NULL, scene, plain, NULL, NULL), NULL);
	CHECK_RESULT(brSaveAssembly(NULL, scene, packed, NULL, NULL), NULL);
	static char text[1 << 17], bytes[1 << 17];
	FILE* file = fopen(plain, "rb");
	size_t textBytes = file != NULL ? fread(text, 1, sizeof(text), file) : 0;
	CHECK(file != NULL && textBytes > 100 && fclose(file) == 0);
	file = fopen(packed, "rb");
	size_t byteCount = file != NULL ? fread(bytes, 1, sizeof(bytes), file) : 0;
	CHECK(file != NULL && byteCount < sizeof(bytes) && fclose(file) == 0);
	// Local header: stored, sizes, then the text at a multiple of 64.
	uint32_t size;
	uint16_t name, extra;
	memcpy(&size, bytes + 22, sizeof(size));
	memcpy(&name, bytes + 26, sizeof(name));
	memcpy(&extra, bytes + 28, sizeof(extra));
	size_t start = (size_t)30 + name + extra;
	CHECK(memcmp(bytes, "PK\003\004", 4) == 0 && bytes[8] == 0 && size == textBytes && start % 64 == 0);
	CHECK(memcmp(bytes + start, text, textBytes) == 0);
	CHECK(memcmp(bytes + byteCount - 22, "PK\005\006", 4) == 0);
	strcat(packed, ".layer");
	CHECK(fopen(packed, "rb") == NULL);
	brDestroyAssembly(scene);
}
