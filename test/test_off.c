// SPDX-License-Identifier: MIT
#include "io_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIANGLE "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"

BR_TEST(off_reads_headers_of_all_kinds)
{
	static const char* const files[] = {
		"OFF\n3 1 0\n" TRIANGLE,
		"OFF 3 1 0\n" TRIANGLE,
		"OFF\n3 1\n" TRIANGLE,
		"3 1 0\n" TRIANGLE,
		"# first\n\nOFF # word\n# more\n3 1 0 # counts\n\n0 0 0 # vertex\n1 0 0\n\n0 1 0\n# faces\n3 0 1 2\n",
		"OFF\r\n3 1 0\r\n0 0 0\r\n1 0 0\r\n0 1 0\r\n3 0 1 2",
		"OFF\n3 1 0\n0 0 0 255 0 0\n1 0 0 0 0 1\n0\n1 0\n3 0 1 2 255 0 0\n",
		"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3\n0 1\n2 0.5 0.5 0.5\n",
	};
	brMesh* first = ioReadText(br_formatOff, files[0]);
	CHECK(first->vertexCount == 3 && first->faceCount == 1 && first->positions[1].x == 1.0 && first->corners[2] == 2);
	CHECK(first->colors == NULL && first->normals == NULL && first->uvs == NULL);
	for (size_t i = 1; i < sizeof(files) / sizeof(files[0]); ++i)
	{
		brMesh* mesh = ioReadText(br_formatOff, files[i]);
		CHECK_SAME(first, mesh, ioAll);
		brDestroyMesh(mesh);
	}
	brDestroyMesh(first);
	brMesh* empty = ioReadText(br_formatOff, "OFF\n0 0 0\n");
	CHECK(empty->vertexCount == 0 && empty->faceCount == 0);
	brDestroyMesh(empty);
	brMesh* flat = ioReadText(br_formatOff, "OFF\n3 1 0\n0 0\n2 0\n0 3\n3 0 1 2\n");
	CHECK(flat->positions[1].x == 2.0 && flat->positions[2].y == 3.0 && flat->positions[2].z == 0.0);
	brDestroyMesh(flat);
}

BR_TEST(off_reads_attributes_of_vertices)
{
	brMesh* mesh = ioReadText(br_formatOff, "STCNOFF\n3 1 0\n"
											"0 0 0  0 0 1  1 0 0 0.5  0 0\n"
											"1 0 0  0 1 0  0 1 0 1    1 0\n"
											"0 1 0  1 0 0  0 0 0 1    0.5 1\n3 2 1 0\n");
	CHECK(mesh->normals[0].x == 1.0f && mesh->normals[2].z == 1.0f);
	CHECK(mesh->colors[0].x == 1.0f && mesh->colors[0].w == 0.5f && mesh->colors[1].y == 1.0f);
	CHECK(mesh->uvs[0].x == 0.5f && mesh->uvs[0].y == 1.0f && mesh->uvs[1].x == 1.0f);
	brDestroyMesh(mesh);

	// Bytes, with and without alpha.
	mesh = ioReadText(br_formatOff, "COFF\n2 0 0\n0 0 0 255 0 51\n1 0 0 0 0 0 0\n");
	CHECK(mesh->colors[0].x == 1.0f && mesh->colors[0].z == 0.2f && mesh->colors[0].w == 1.0f);
	CHECK(mesh->colors[1].w == 0.0f);
	brDestroyMesh(mesh);

	brAssembly* assembly = NULL;
	brReport report = {0};
	const char* odd =
		"STCNOFF\n3 1 0\n0 0 0 0 nan 1 1 1 1 inf 0 0\n1 0 0 0 0 1 0 0 0 1 -inf 0\n0 1 0 0 0 1 0 0 0 1 0 0\n"
		"3 0 1 2\n";
	CHECK_EQUAL(brReadAssembly(NULL, odd, strlen(odd), br_formatOff, NULL, &assembly, &report), br_remarkDropped);
	CHECK(strstr(report.text, "3 numbers") != NULL);
	CHECK(assembly->meshes[0]->normals[0].y == 0.0f && assembly->meshes[0]->normals[0].z == 1.0f);
	CHECK(assembly->meshes[0]->colors[0].x == 1.0f && assembly->meshes[0]->uvs[1].x == 0.0f);
	brDestroyAssembly(assembly);
}

BR_TEST(off_refuses_with_the_line)
{
	static const struct
	{
		const char* text;
		brResult code;
		const char* words;
	} cases[] = {
		{"", br_errorFormat, "memory:1: the file is empty"},
		{"# only this\n", br_errorFormat, "the file is empty"},
		{"OFF", br_errorFormat, "memory:1: counts of vertices and faces expected"},
		{"PLY\n", br_errorFormat, "memory:1: this is no OFF file, it starts with \"PLY\""},
		{"\x7f\x45LF", br_errorFormat, "this is no OFF file"},
		{"OFF BINARY\n", br_errorUnsupported, "memory:1: binary OFF files are not read"},
		{"OFF\nBINARY\n", br_errorUnsupported, "binary OFF files are not read"},
		{"4OFF\n", br_errorUnsupported, "\"4OFF\" files are not read"},
		{"nOFF\n3\n", br_errorUnsupported, "\"nOFF\" files are not read"},
		{"STC4NOFF\n3\n", br_errorUnsupported, "\"STC4NOFF\" files are not read"},
		{"OFF\nthree\n", br_errorFormat, "memory:2: counts of vertices and faces expected"},
		{"OFF\n3\n", br_errorFormat, "counts of vertices and faces expected"},
		{"OFF\n-3 1 0\n", br_errorFormat, "counts of vertices and faces expected"},
		{"OFF\n3 1 0 9\n", br_errorFormat, "memory:2: three counts expected on this line"},
		{"OFF\n1000000 1 0\n" TRIANGLE, br_errorFormat, "memory:2: 1000000 vertices and 1 faces cannot fit"},
		{"OFF\n1 2000000000 0\n0 0 0\n", br_errorFormat, "cannot fit"},
		{"OFF\n3 1 0\n0 0 0.000\n1 0 0\n0 1\n", br_errorFormat, "memory:6: the file ends at vertex 2 of 3"},
		{"OFF\n3 1 0\n0 0 0\n1 0 x\n0 1 0\n3 0 1 2\n", br_errorFormat,
		 "memory:4: vertex 1: three coordinates expected"},
		{"OFF\n3 1 0\n0 0 0\n1 0 0x\n0 1 0\n3 0 1 2\n", br_errorFormat, "memory:4: vertex 1: a number expected"},
		{"OFF\n3 1 0\n0 0 0\n1 0 inf\n0 1 0\n3 0 1 2\n", br_errorFormat,
		 "memory:4: vertex 1: a coordinate is not finite"},
		{"NOFF\n1 0 0\n0 0 0 1 0\n", br_errorFormat, "vertex 0: three numbers of its normal expected"},
		{"COFF\n1 0 0\n0 0 0 1 0\n", br_errorFormat, "vertex 0: three or four numbers of its color expected"},
		{"STOFF\n1 0 0\n0 0 0 1\n", br_errorFormat, "vertex 0: two texture coordinates expected"},
		{"OFF\n3 2 0\n0 0 0.0000000\n1 0 0\n0 1 0\n3 0 1 2\n", br_errorFormat,
		 "memory:7: the file ends at face 1 of 2"},
		{"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\nx 0 1 2\n", br_errorFormat, "memory:6: face 0: a count of corners expected"},
		{"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n-2 0 1    \n", br_errorFormat, "memory:6: face 0 has -2 corners"},
		{"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", br_errorFormat,
		 "memory:6: face 0 names vertex 3, there are 3 from 0"},
		{"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", br_errorFormat, "names vertex -1"},
		{"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 x\n", br_errorFormat, "memory:6: face 0: 3 corners expected, 2 found"},
		{"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2.5\n", br_errorFormat, "face 0: a blank expected behind its corners"},
		{"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2000000000 0 1 2\n", br_errorFormat,
		 "face 0: 2000000000 corners expected, 3 found"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		ioTextFails(br_formatOff, cases[i].text, cases[i].code, cases[i].words);
	}
}

BR_TEST(off_survives_any_cut)
{
	const char* text =
		"STCNOFF\n3 1 0\n0 0 0  0 0 1  1 0 0 0.5  0 0\n1 0 0  0 1 0  0 1 0 1 1 0\n0 1 0 1 0 0 0 0 0 1 .5 1\n3 2 1 0\n";
	CHECK(ioTruncate(br_formatOff, text, strlen(text)) >= 2);
	CHECK(ioTruncate(br_formatOff, "OFF 3 1 0\n" TRIANGLE, strlen("OFF 3 1 0\n" TRIANGLE)) >= 2);
}

BR_TEST(off_walks_allocations)
{
	const char* text =
		"STCNOFF\n3 1 0\n0 0 0  0 0 1  1 0 0 0.5  0 0\n1 0 0  0 1 0  0 1 0 1 1 0\n0 1 0 1 0 0 0 0 0 1 .5 1\n3 2 1 0\n";
	ioWalkReader(br_formatOff, text, strlen(text), NULL);
	brRandom random = brTest_Random(test);
	IoSampleDef def = {.size = 3, .parts = ioAll, .polygons = true, .perVertex = true};
	brMesh* mesh = ioMakeSample(&random, &def);
	ioWalkWriter(mesh, brTest_ScratchPath("walk.off"), NULL);
	brSaveDef save = brDefaultSaveDef();
	save.triangulate = true;
	ioWalkWriter(mesh, brTest_ScratchPath("walk.off"), &save);
	brDestroyMesh(mesh);
}

BR_TEST(off_keeps_what_it_holds)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 40); ++round)
	{
		IoSampleDef def = {.size = 1 + round % 7,
						   .parts = (uint32_t)brRandom_Below(&random, ioAll + 1) & (ioUvs | ioNormals | ioColors),
						   .polygons = round % 2 == 0,
						   .doubles = round % 3 != 0,
						   .perVertex = true};
		brMesh* mesh = ioMakeSample(&random, &def);
		brReport report = {0};
		const char* path = brTest_ScratchPath("bits.off");
		CHECK_EQUAL(brSaveMesh(NULL, mesh, path, NULL, &report), br_success);
		brMesh* again = BR_MADE(brMesh, brLoadMesh, NULL, path);
		CHECK_SAME(mesh, again, ioAll);
		brDestroyMesh(again);
		brDestroyMesh(mesh);
	}
}

BR_TEST(off_says_what_it_leaves_out)
{
	brRandom random = brTest_Random(test);
	IoSampleDef def = {.size = 5, .parts = ioAll};
	brMesh* mesh = ioMakeSample(&random, &def);
	brReport report = {0};
	CHECK_EQUAL(brSaveMesh(NULL, mesh, brTest_ScratchPath("less.off"), NULL, &report), br_remarkApproximate);
	CHECK(strstr(report.text, "normals that differ at one vertex") != NULL && strstr(report.text, "groups") != NULL);
	CHECK(strstr(report.text, "colors") == NULL);
	brDestroyMesh(mesh);
}

// Faces of two corners are no faces: the rest is read, and a remark counts them.
BR_TEST(off_and_obj_skip_faces_of_two_corners)
{
	static const struct
	{
		const char* text;
		brFileFormat format;
	} files[] = {
		{"OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n2 0 1\n3 0 1 2\n1 3\n3 1 3 2\n", br_formatOff},
		{"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nf 1/1 2/1\nf 1 2 3\nf 4\nf 2 4 3\n", br_formatObj},
	};
	for (int k = 0; k < 2; ++k)
	{
		brAssembly* assembly = NULL;
		brReport report = {0};
		brResult result =
			brReadAssembly(NULL, files[k].text, strlen(files[k].text), files[k].format, NULL, &assembly, &report);
		CHECK_EQUAL(result, br_remarkDropped);
		CHECK_MESSAGE(strstr(report.text, "2 faces") != NULL, "%s", report.text);
		const brMesh* mesh = assembly->meshes[0];
		CHECK_EQUAL(mesh->faceCount, 2);
		CHECK(mesh->corners[0] == 0 && mesh->corners[3] == 1 && mesh->corners[5] == 2);
		brDestroyAssembly(assembly);
	}
}
