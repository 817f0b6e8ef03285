// SPDX-License-Identifier: MIT

// Maps of numbers: sampling against a slow twin, files read back, damaged files refused.

#include "brittle/render.h"
#include "brittle/scalar_map.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

BR_TEST(scalar_map_is_linear_between_nodes)
{
	brRandom random = brTest_Random(test);
	int32_t counts[3] = {5, 4, 3};
	float values[60];
	for (int32_t i = 0; i < 60; ++i)
	{
		// A field that is linear is met everywhere.
		values[i] = (float)(1.0 + 2.0 * (i % 5) - 3.0 * (i / 5 % 4) + 5.0 * (i / 20));
	}
	brScalarMap* map = BR_MADE(brScalarMap, brCreateScalarMap, NULL, counts, values);
	map->box = (brDBox3){{-1.0, 2.0, 0.0}, {3.0, 5.0, 4.0}};
	for (int32_t i = 0; i < brTest_Rounds(test, 300); ++i)
	{
		double x = brRandom_Unit(&random), y = brRandom_Unit(&random), z = brRandom_Unit(&random);
		double value = brScalarMap_Sample(map, brMakeDVec3(-1.0 + 4.0 * x, 2.0 + 3.0 * y, 4.0 * z));
		CHECK_NEAR(value, 1.0 + 8.0 * x - 9.0 * y + 10.0 * z, 1e-12);
	}
	// Beyond the box: the face's value, or the other side again.
	CHECK_NEAR(brScalarMap_Sample(map, brMakeDVec3(-100.0, 2.0, 0.0)), 1.0, 1e-12);
	CHECK_NEAR(brScalarMap_Sample(map, brMakeDVec3(NAN, NAN, NAN)), 1.0, 1e-12);
	map->isTiled = true;
	double inside = brScalarMap_Sample(map, brMakeDVec3(0.3, 2.9, 1.1));
	CHECK_NEAR(brScalarMap_Sample(map, brMakeDVec3(0.3 + 4.0, 2.9 - 6.0, 1.1 + 12.0)), inside, 1e-9);
	CHECK_NEAR(brScalarMap_Sample(map, brMakeDVec3(-1.0 + 4.0 * 4.5 / 5.0, 2.0, 0.0)), 0.5 * (9.0 + 1.0), 1e-6);
	brDestroyScalarMap(map);
	CHECK_EQUAL(brCreateScalarMap(NULL, (const int32_t[3]){0, 1, 1}, values, &map, NULL), br_errorMisuse);
}

static const char* writeText(const char* name, const char* text, size_t length)
{
	const char* path = brTest_ScratchPath(name);
	FILE* file = fopen(path, "wb");
	CHECK(file != NULL && fwrite(text, 1, length, file) == length);
	fclose(file);
	return path;
}

#define VOXELS                                                                                                         \
	"# vtk DataFile Version 3.0\nstrength\nASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS 3 2 1\nORIGIN 1 2 3\n"         \
	"SPACING 0.5 1 1\nPOINT_DATA 6\nSCALARS strength float 1\nLOOKUP_TABLE default\n0 0.25 0.5\n0.75 1 1.25\n"

BR_TEST(scalar_map_reads_voxels)
{
	brReport report = {0};
	brScalarMap* map = BR_MADE(brScalarMap, brLoadScalarMap, NULL, writeText("v.vtk", VOXELS, strlen(VOXELS)));
	CHECK(map->counts[0] == 3 && map->counts[1] == 2 && map->counts[2] == 1);
	CHECK(map->box.lower.x == 1.0 && map->box.upper.x == 2.0 && map->box.upper.y == 3.0 && map->box.upper.z == 3.0);
	CHECK_NEAR(brScalarMap_Sample(map, brMakeDVec3(1.5, 2.5, 3.0)), 0.5 * (0.25 + 1.0), 1e-7);
	brDestroyScalarMap(map);

	// Binary numbers, most significant byte first.
	char binary[400];
	int length = snprintf(binary, sizeof(binary),
						  "# vtk DataFile Version 2.0\nx\nBINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS 2 1 1\n"
						  "SCALARS s short\nLOOKUP_TABLE default\n");
	memcpy(binary + length, "\x01\x02\xff\xfe", 4);
	CHECK_RESULT(brLoadScalarMap(NULL, writeText("b.vtk", binary, (size_t)length + 4), &map, &report), &report);
	CHECK(map->values[0] == 258.0f && map->values[1] == -2.0f);
	brDestroyScalarMap(map);

	// Any type of number that VTK has; bits are none.
	static const struct
	{
		const char* type;
		size_t bytes;
	} types[] = {{"unsigned_char", 1}, {"unsigned_short", 2}, {"int", 4}, {"long", 8}, {"bit", 1}};
	for (int32_t i = 0; i < 5; ++i)
	{
		length = snprintf(binary, sizeof(binary),
						  "# vtk DataFile Version 2.0\nx\nBINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS 2 1 1\n"
						  "SCALARS s %s\nLOOKUP_TABLE default\n",
						  types[i].type);
		memset(binary + length, 0, 2 * types[i].bytes);
		binary[length + (int)types[i].bytes - 1] = 7, binary[length + 2 * (int)types[i].bytes - 1] = 9;
		brResult result =
			brLoadScalarMap(NULL, writeText("n.vtk", binary, (size_t)length + 2 * types[i].bytes), &map, &report);
		CHECK_EQUAL(result, i < 4 ? br_success : br_errorFormat);
		CHECK(result < 0 || (map->values[0] == 7.0f && map->values[1] == 9.0f));
		brDestroyScalarMap(result >= 0 ? map : NULL);
	}
}

BR_TEST(scalar_map_refuses_damaged_voxels)
{
	brRandom random = brTest_Random(test);
	brScalarMap* map = NULL;
	brReport report = {0};
#define VOXELS_START "# vtk DataFile Version 3.0\nx\nASCII\nDATASET STRUCTURED_POINTS\n"
	static const char* const bad[] = {
		"",
		"# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\n",
		(VOXELS_START "DIMENSIONS 60000 60000 1\nSCALARS a float\n"),
		(VOXELS_START "DIMENSIONS 2 1 1\nSCALARS a float\nLOOKUP_TABLE default\n1 nan\n"),
	};
	for (int32_t i = 0; i < 4; ++i)
	{
		CHECK_EQUAL(brLoadScalarMap(NULL, writeText("bad.vtk", bad[i], strlen(bad[i])), &map, &report), br_errorFormat);
	}
	CHECK_EQUAL(brLoadScalarMap(NULL, "x.txt", &map, &report), br_errorUnsupported);
	CHECK_EQUAL(brLoadScalarMap(NULL, "no/such.vtk", &map, &report), br_errorFile);
	// Any change of bytes is read or refused, and nothing is left behind.
	for (int32_t i = 0; i < brTest_Rounds(test, 200); ++i)
	{
		char text[sizeof(VOXELS)];
		memcpy(text, VOXELS, sizeof(text));
		for (int32_t k = 0; k < 3; ++k)
		{
			text[brRandom_Below(&random, sizeof(text) - 1)] = (char)brRandom_Below(&random, 256);
		}
		size_t length = brRandom_Below(&random, 4) == 0 ? brRandom_Below(&random, sizeof(text)) : sizeof(text) - 1;
		if (brLoadScalarMap(NULL, writeText("m.vtk", text, length), &map, NULL) >= 0)
		{
			brDestroyScalarMap(map);
		}
	}
}

static brResult loadOnce(const brContext* context, void* user)
{
	brScalarMap* map = NULL;
	brResult result = brLoadScalarMap(context, user, &map, NULL);
	brDestroyScalarMap(result >= 0 ? map : NULL);
	return result;
}

BR_TEST(scalar_map_survives_every_failing_allocation)
{
	char path[512];
	snprintf(path, sizeof(path), "%s", writeText("w.vtk", VOXELS, strlen(VOXELS)));
	CHECK(brTest_WalkAllocations(loadOnce, path) >= 3);
}

BR_TEST(scalar_map_reads_pictures)
{
	// Two columns, three rows, top row first: white, then gray, then black on the left; the right column is black.
	uint8_t pixels[24];
	memset(pixels, 0, sizeof(pixels));
	for (int32_t i = 0; i < 6; ++i)
	{
		pixels[4 * i + 3] = 255;
	}
	memset(pixels, 255, 3);
	memset(pixels + 8, 128, 3);
	char path[512];
	snprintf(path, sizeof(path), "%s", brTest_ScratchPath("map.png"));
	brReport report = {0};
	CHECK_RESULT(brSavePng(NULL, path, 2, 3, pixels, &report), &report);
	brScalarMap* map = BR_MADE(brScalarMap, brLoadScalarMap, NULL, path);
	CHECK(map->counts[0] == 2 && map->counts[1] == 1 && map->counts[2] == 3);
	CHECK_NEAR(brScalarMap_Sample(map, brMakeDVec3(0.0, 0.7, 1.0)), 1.0, 1e-6); // the top is up
	CHECK_NEAR(brScalarMap_Sample(map, brMakeDVec3(0.0, 0.2, 0.5)), 128.0 / 255.0, 1e-6);
	CHECK_NEAR(brScalarMap_Sample(map, brMakeDVec3(1.0, 0.2, 1.0)), 0.0, 1e-6);
	brDestroyScalarMap(map);
	CHECK(brTest_WalkAllocations(loadOnce, path) >= 4);
	CHECK_EQUAL(brLoadScalarMap(NULL, writeText("bad.png", "no picture", 10), &map, &report), br_errorFormat);
}
