// SPDX-License-Identifier: MIT
#include "io_help.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A binary file in memory: header, count, triangles of the given corners.
static size_t makeBinary(unsigned char* file, const char* header, uint32_t claimed, const float (*corners)[3],
						 int32_t triangleCount)
{
	memset(file, 0, 84 + 50 * (size_t)triangleCount);
	memcpy(file, header, strlen(header));
	for (int32_t i = 0; i < 4; ++i)
	{
		file[80 + i] = (unsigned char)(claimed >> (8 * i));
	}
	for (int32_t c = 0; c < 3 * triangleCount; ++c)
	{
		unsigned char* at = file + 84 + 50 * (c / 3) + 12 + 12 * (c % 3);
		for (int32_t k = 0; k < 3; ++k)
		{
			uint32_t word;
			memcpy(&word, &corners[c][k], sizeof(word));
			for (int32_t i = 0; i < 4; ++i)
			{
				at[4 * k + i] = (unsigned char)(word >> (8 * i));
			}
		}
	}
	return 84 + 50 * (size_t)triangleCount;
}

static const float tetrahedron[12][3] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1},
										 {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 0}, {0, 0, 0}, {0, 0, 1}};

BR_TEST(stl_welds_binary_triangles)
{
	unsigned char file[400];
	static const char* const headers[] = {"", "solid of a program that does not care", "binary"};
	for (int32_t i = 0; i < 3; ++i)
	{
		size_t byteCount = makeBinary(file, headers[i], 4, tetrahedron, 4);
		brMesh* mesh = ioRead(br_formatStl, file, byteCount);
		static const int32_t expected[] = {0, 1, 2, 0, 2, 3, 2, 1, 3, 1, 0, 3};
		CHECK(mesh->vertexCount == 4 && mesh->faceCount == 4);
		CHECK(memcmp(mesh->corners, expected, sizeof(expected)) == 0);
		CHECK(mesh->positions[1].y == 1.0 && mesh->positions[3].z == 1.0);
		brDestroyMesh(mesh);

		// Bytes behind the last triangle are passed over.
		file[byteCount] = '\n';
		mesh = ioRead(br_formatStl, file, byteCount + 1);
		CHECK_EQUAL(mesh->faceCount, 4);
		brDestroyMesh(mesh);
	}
}

BR_TEST(stl_welds_both_zeros)
{
	static const float corners[6][3] = {{-0.0f, 0, 0},    {1, 0, 0},     {0, 1, 0},
										{0.0f, -0.0f, 0}, {0, 1, -0.0f}, {0, 0, 1}};
	unsigned char file[400];
	brMesh* mesh = ioRead(br_formatStl, file, makeBinary(file, "", 2, corners, 2));
	CHECK_EQUAL(mesh->vertexCount, 4);
	CHECK(signbit(mesh->positions[0].x)); // as it first appeared
	CHECK(mesh->corners[3] == 0 && mesh->corners[4] == 2);
	brDestroyMesh(mesh);
}

BR_TEST(stl_reads_text_of_all_kinds)
{
	brMesh* mesh = ioReadText(
		br_formatStl,
		"solid two words\n"
		"facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
		"FACET NORMAL nan nan nan OUTER LOOP VERTEX 0 0 0 VERTEX 0 1 0\r\n VERTEX 0 0 1e-3 ENDLOOP ENDFACET\n"
		"endsolid two words\n"
		"Solid\nfacet normal 1 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0.1 1 "
		"5\nendloop\nendfacet\nendsolid\n"
		"solid other\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 "
		"0\nendloop\nendfacet\nendsolid something\n");
	CHECK(mesh->faceCount == 4 && mesh->vertexCount == 6 && mesh->groupCount == 2);
	static const int32_t groups[] = {0, 0, -1, 1};
	CHECK(memcmp(mesh->faceGroups, groups, sizeof(groups)) == 0);
	CHECK(strcmp(mesh->groupNames[0], "two words") == 0 && strcmp(mesh->groupNames[1], "other") == 0);
	CHECK(mesh->positions[4].x == 0.1); // text keeps doubles
	CHECK_EQUAL(brMesh_GetFaceSize(mesh, 3), 4);
	brDestroyMesh(mesh);

	mesh = ioReadText(br_formatStl, "solid\nendsolid\n");
	CHECK(mesh->vertexCount == 0 && mesh->faceGroups == NULL);
	brDestroyMesh(mesh);
	mesh = ioReadText(br_formatStl, "\n  solid named and empty\nendsolid");
	CHECK(mesh->vertexCount == 0 && mesh->groupCount == 1);
	brDestroyMesh(mesh);
}

// The same places written in many ways, on lines of their own or several on one: each is one vertex, in order of first
// appearance.
BR_TEST(stl_welds_text_by_place_however_it_is_written)
{
	static const char* const writings[6] = {"%d %d %d\n", "%d.0 %d %d\r\n",    "\t%de0\t%d\n%d\n",
											"%d %d %d ",  "%d.%0120d %d %d\n", " %d %d %d endloop outer loop\n"};
	enum
	{
		facets = 400,
		span = 4
	};
	static char text[facets * 700];
	static brDVec3 expected[span * span * span];
	int32_t corners[3 * facets], used = 0, vertexOf[span * span * span];
	memset(vertexOf, 0xFF, sizeof(vertexOf));
	brRandom random = brTest_Random(test);
	char* at = text + sprintf(text, "solid\n");
	for (int32_t c = 0; c < 3 * facets; ++c)
	{
		uint32_t place = brRandom_Below(&random, span * span * span), way = brRandom_Below(&random, 6);
		int x = (int)(place % span), y = (int)(place / span % span), z = (int)(place / span / span);
		if (vertexOf[place] < 0)
		{
			expected[used] = brMakeDVec3(x, y, z);
			vertexOf[place] = used++;
		}
		corners[c] = vertexOf[place];
		at += sprintf(at, "%svertex ", c % 3 == 0 ? "facet normal 0 0 1\nouter loop\n" : "");
		at += way == 4 ? sprintf(at, writings[4], x, 0, y, z) : sprintf(at, writings[way], x, y, z);
		at += sprintf(at, "%s", c % 3 == 2 ? "\nendloop\nendfacet\n" : "");
	}
	sprintf(at, "endsolid\n");
	brMesh* mesh = ioReadText(br_formatStl, text);
	CHECK(mesh->faceCount == facets && mesh->vertexCount == used);
	CHECK(memcmp(mesh->corners, corners, sizeof(corners)) == 0);
	for (int32_t v = 0; v < used; ++v)
	{
		CHECK(brDDistance(mesh->positions[v], expected[v]) == 0.0);
	}
	brDestroyMesh(mesh);
}

#define FACET "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"

BR_TEST(stl_refuses_text_with_the_line)
{
	static const struct
	{
		const char* text;
		const char* words;
	} cases[] = {
		{"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\nendfacet\nendsolid a\n",
		 "memory:7: facet 0 has 2 vertices, three are needed"},
		{"solid a\n" FACET "facet normal 0 0 1\nouter loop\nvertex 0 0\nendloop\n",
		 "memory:12: facet 1: three coordinates expected"},
		{"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n",
		 "memory:4: facet 0 has a coordinate that is not finite"},
		{"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0x\n", "memory:4: facet 0: three coordinates expected"},
		{"solid a\nhello\n", "memory:2: \"facet\" or \"endsolid\" expected, \"hello\" found"},
		{"solid a\nfacet normal 0 0 1\nhello\n", "memory:3: \"vertex\" or \"endfacet\" expected, \"hello\" found"},
		{"solid a\nendsolid\nhello\n", "memory:3: \"solid\" expected, \"hello\" found"},
		{"solid a\n", "the file ends within the solid, before its first facet"},
		{"solid a\n" FACET, "the file ends within the solid, after facet 0"},
		{"solid a\n" FACET "facet normal 0 0 1\n", "the file ends within facet 1"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		ioTextFails(br_formatStl, cases[i].text, br_errorFormat, cases[i].words);
	}
}

BR_TEST(stl_refuses_binary_with_the_byte)
{
	unsigned char file[400];
	ioReadFails(br_formatStl, "", 0, br_errorFormat, "byte 0: the file is shorter than the 84 bytes");
	ioReadFails(br_formatStl, "hello", 5, br_errorFormat, "shorter than the 84 bytes");
	size_t byteCount = makeBinary(file, "", 5, tetrahedron, 4);
	ioReadFails(br_formatStl, file, byteCount, br_errorFormat, "byte 284: the file ends within triangle 4 of 5");
	makeBinary(file, "", 0xFFFFFFFFu, tetrahedron, 4);
	ioReadFails(br_formatStl, file, byteCount, br_errorFormat, "within triangle 4 of 4294967295");
	float bad[12][3];
	memcpy(bad, tetrahedron, sizeof(bad));
	bad[7][1] = INFINITY;
	ioReadFails(br_formatStl, file, makeBinary(file, "", 4, (const float(*)[3])bad, 4), br_errorFormat,
				"byte 208: triangle 2 has a coordinate that is not finite");
}

BR_TEST(stl_survives_any_cut)
{
	const char* text = "solid a b\n" FACET "endsolid\nSOLID c\n" FACET FACET "endsolid c\n";
	CHECK(ioTruncate(br_formatStl, text, strlen(text)) > 4);
	unsigned char file[400];
	CHECK_EQUAL(ioTruncate(br_formatStl, file, makeBinary(file, "x", 4, tetrahedron, 4)), 1);
}

BR_TEST(stl_walks_allocations)
{
	const char* text = "solid a b\n" FACET "endsolid\nSOLID c\n" FACET FACET "endsolid c\n";
	ioWalkReader(br_formatStl, text, strlen(text), NULL);
	unsigned char file[400];
	ioWalkReader(br_formatStl, file, makeBinary(file, "x", 4, tetrahedron, 4), NULL);
	brRandom random = brTest_Random(test);
	IoSampleDef def = {.size = 3, .parts = ioAll, .polygons = true};
	brMesh* mesh = ioMakeSample(&random, &def);
	for (int32_t i = 0; i < 2; ++i)
	{
		brSaveDef save = brDefaultSaveDef();
		save.ascii = i == 0;
		ioWalkWriter(mesh, brTest_ScratchPath("walk.stl"), &save);
	}
	brDestroyMesh(mesh);
}

BR_TEST(stl_keeps_triangles)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 40); ++round)
	{
		bool isText = round % 2 == 0;
		IoSampleDef def = {.size = 1 + round % 9, .doubles = isText, .parts = isText ? ioGroups : 0};
		brMesh* mesh = ioMakeSample(&random, &def);
		brSaveDef save = brDefaultSaveDef();
		save.ascii = isText;
		brReport report = {0};
		const char* path = brTest_ScratchPath("bits.stl");
		CHECK_EQUAL(brSaveMesh(NULL, mesh, path, &save, &report), br_success);
		brMesh* again = BR_MADE(brMesh, brLoadMesh, NULL, path);
		if (mesh->groupCount > 0)
		{
			// Groups are numbered as faces name them, so the names tell them apart.
			for (int32_t f = 0; f < mesh->faceCount; ++f)
			{
				int32_t a = mesh->faceGroups[f];
				int32_t b = again->faceGroups != NULL ? again->faceGroups[f] : -1;
				CHECK((a < 0) == (b < 0) && (a < 0 || strcmp(mesh->groupNames[a], again->groupNames[b]) == 0));
			}
		}
		CHECK_SAME(mesh, again, 0);
		brDestroyMesh(again);
		brDestroyMesh(mesh);
	}
}

BR_TEST(stl_says_what_it_leaves_out)
{
	brRandom random = brTest_Random(test);
	IoSampleDef def = {.size = 3, .parts = ioAll, .polygons = true, .doubles = true};
	brMesh* mesh = ioMakeSample(&random, &def);
	brReport report = {0};
	const char* path = brTest_ScratchPath("less.stl");
	CHECK_EQUAL(brSaveMesh(NULL, mesh, path, NULL, &report), br_remarkApproximate);
	static const char* const words[] = {
		"texture coordinates", "normals", "colors", "materials", "groups", "polygons", "float"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); ++i)
	{
		CHECK_MESSAGE(strstr(report.text, words[i]) != NULL, "%s is not in: %s", words[i], report.text);
	}
	brMesh* again = BR_MADE(brMesh, brLoadMesh, NULL, path);
	CHECK_EQUAL(again->faceCount, mesh->cornerCount - 2 * mesh->faceCount);
	CHECK_EQUAL(again->vertexCount, mesh->vertexCount);
	brDestroyMesh(again);

	mesh->positions[0].x = 1e300;
	CHECK_EQUAL(brSaveMesh(NULL, mesh, path, NULL, &report), br_errorLimit);
	brDestroyMesh(mesh);
}

BR_TEST(stl_writes_unit_normals)
{
	brRandom random = brTest_Random(test);
	IoSampleDef def = {.size = 3};
	brMesh* mesh = ioMakeSample(&random, &def);
	const char* path = brTest_ScratchPath("normals.stl");
	CHECK_RESULT(brSaveMesh(NULL, mesh, path, NULL, NULL), NULL);
	size_t byteCount;
	unsigned char* bytes = ioLoadBytes(path, &byteCount);
	CHECK_EQUAL(byteCount, 84 + 50 * mesh->faceCount);
	CHECK(memcmp(bytes, "solid", 5) != 0);
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		float n[3];
		memcpy(n, bytes + 84 + 50 * f, sizeof(n));
		CHECK_NEAR((double)n[0] * n[0] + (double)n[1] * n[1] + (double)n[2] * n[2], 1.0, 1e-6);
		CHECK(n[2] > 0.0f); // the grid is seen from above
	}
	free(bytes);
	brDestroyMesh(mesh);
}

// Two triangles in the file, a count of one: half a model without a word would be worse.
BR_TEST(stl_says_when_the_count_is_too_small)
{
	uint8_t bytes[84 + 2 * 50] = {0};
	bytes[80] = 1;
	for (int t = 0; t < 2; ++t)
	{
		const float corners[9] = {0, 0, (float)t, 1, 0, (float)t, 0, 1, (float)t};
		memcpy(bytes + 84 + 50 * t + 12, corners, sizeof(corners));
	}
	brReport report = {0};
	brAssembly* assembly = NULL;
	CHECK_EQUAL(brReadAssembly(NULL, bytes, sizeof(bytes), br_formatStl, NULL, &assembly, &report), br_remarkDropped);
	CHECK(assembly->meshes[0]->faceCount == 1 && strstr(report.text, "room for 2") != NULL);
	brDestroyAssembly(assembly);

	bytes[80] = 2;
	CHECK_EQUAL(brReadAssembly(NULL, bytes, sizeof(bytes), br_formatStl, NULL, &assembly, &report), br_success);
	brDestroyAssembly(assembly);
}
