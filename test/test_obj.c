// SPDX-License-Identifier: MIT
#include "io_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

BR_TEST(obj_keeps_vertices_and_polygons)
{
	brMesh* mesh = ioReadText(br_formatObj, "# a square and a triangle\n"
											"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.125\n"
											"v 0 0 0 1.0\n" // same place, with a weight: stays apart
											"f 1 2 3 4\r\n"
											"f -5 -4 -1 # backwards\n");
	CHECK_EQUAL(mesh->vertexCount, 5);
	CHECK_EQUAL(mesh->faceCount, 2);
	CHECK_EQUAL(brMesh_GetFaceSize(mesh, 0), 4);
	CHECK_EQUAL(brMesh_GetFaceSize(mesh, 1), 3);
	CHECK(mesh->corners[4] == 0 && mesh->corners[5] == 1 && mesh->corners[6] == 4);
	CHECK(mesh->positions[3].z == 0.125);
	CHECK(mesh->uvs == NULL && mesh->normals == NULL && mesh->colors == NULL && mesh->faceGroups == NULL);
	brDestroyMesh(mesh);
}

BR_TEST(obj_reads_every_form_of_corner)
{
	brMesh* mesh = ioReadText(br_formatObj, "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
											"vt 0.5 0.25\nvt 1\nvt 0.5 0.75 9\n"
											"vn 0 0 1\nvn 0 1 0\n"
											"f 1 2 3\n"
											"f 1/1 2/2 3/3\n"
											"f 1//1 2//2 3//1\n"
											"f 1/1/1 2/2/2 3/-1/-1\n"
											"f 1/ 2// 3/1/\n");
	CHECK_EQUAL(mesh->faceCount, 5);
	CHECK(mesh->uvs != NULL && mesh->normals != NULL);
	CHECK(mesh->uvs[0].x == 0.0f && mesh->uvs[3].x == 0.5f && mesh->uvs[3].y == 0.25f);
	CHECK(mesh->uvs[4].x == 1.0f && mesh->uvs[4].y == 0.0f && mesh->uvs[5].y == 0.75f);
	CHECK(mesh->normals[3].z == 0.0f && mesh->normals[6].z == 1.0f && mesh->normals[7].y == 1.0f);
	CHECK(mesh->uvs[11].y == 0.75f && mesh->normals[11].y == 1.0f);
	CHECK(mesh->uvs[12].x == 0.0f && mesh->uvs[14].x == 0.5f && mesh->normals[14].z == 0.0f);
	brDestroyMesh(mesh);
}

// Texture coordinates and normals that start late, come and go, and go with faces that are none: each corner keeps its
// own.
BR_TEST(obj_reads_attributes_that_come_and_go)
{
	enum
	{
		faces = 3000,
		firstUv = 500,
		firstNormal = 1200,
		lineBytes = 64
	};
	char* text = malloc((size_t)2 * faces * lineBytes);
	CHECK(text != NULL);
	size_t used = (size_t)sprintf(text, "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.5 0.25\nvt 1 0\nvn 0 0 1\n");
	for (int32_t i = 0; i < faces; ++i)
	{
		bool hasUv = i >= firstUv && i % 7 != 3, hasNormal = i >= firstNormal && i % 5 != 2;
		const char* corner = hasUv && hasNormal ? "%d/%d/1" : hasUv ? "%d/%d" : hasNormal ? "%d//1" : "%d";
		used += (size_t)sprintf(text + used, i % 11 == 4 ? "f 1/1/1 2/1/1\nf" : "f");
		for (int32_t k = 1; k <= 3; ++k)
		{
			text[used++] = ' ';
			used += (size_t)sprintf(text + used, corner, k, 1 + i % 2);
		}
		text[used++] = '\n';
	}
	text[used] = 0;
	brMesh* mesh = ioReadText(br_formatObj, text);
	CHECK(mesh->faceCount == faces && mesh->uvs != NULL && mesh->normals != NULL);
	for (int32_t c = 0; c < 3 * faces; ++c)
	{
		int32_t i = c / 3;
		bool hasUv = i >= firstUv && i % 7 != 3, hasNormal = i >= firstNormal && i % 5 != 2;
		CHECK(mesh->corners[c] == c % 3 && mesh->normals[c].z == (hasNormal ? 1.0f : 0.0f));
		CHECK(mesh->uvs[c].x == (!hasUv ? 0.0f : i % 2 == 0 ? 0.5f : 1.0f));
	}
	brDestroyMesh(mesh);
	free(text);
}

BR_TEST(obj_reads_faces_before_their_vertices)
{
	brMesh* mesh = ioReadText(br_formatObj, "f 1/1 2/1 3/1\nvt 0 1\nv 0 0 0\nv 1 0 0\nv 0 1 0\n");
	CHECK(mesh->faceCount == 1 && mesh->vertexCount == 3 && mesh->uvs[2].y == 1.0f);
	brDestroyMesh(mesh);
}

BR_TEST(obj_joins_lines_behind_a_backslash)
{
	brMesh* mesh = ioReadText(br_formatObj, "v 0 \\\n 0 0\nv 1 0\\\r\n 0\nv 0 1 0\nunknown a \\\nf 9 9 9\n"
											"f 1 2 \\\n\\\n3\nf 3 2 1 \\\n");
	CHECK(mesh->vertexCount == 3 && mesh->faceCount == 2);
	brDestroyMesh(mesh);

	// The count of lines goes on behind it.
	ioTextFails(br_formatObj, "v 0 \\\n 0 0\nv x 0 0\n", br_errorFormat,
				"memory:3: three coordinates expected, \"x\" found");
}

BR_TEST(obj_reads_all_line_ends)
{
	brMesh* unix = ioReadText(br_formatObj, "v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 3");
	brMesh* dos = ioReadText(br_formatObj, "v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\n\r\nf 1 2 3\r\n");
	brMesh* mac = ioReadText(br_formatObj, "v 0 0 0\rv 1 0 0\rv 0 1 0\r\rf 1 2 3\r");
	CHECK_SAME(unix, dos, ioAll);
	CHECK_SAME(unix, mac, ioAll);
	CHECK_EQUAL(unix->faceCount, 1);
	brDestroyMesh(unix);
	brDestroyMesh(dos);
	brDestroyMesh(mac);
	ioTextFails(br_formatObj, "v 0 0 0\rv 1 0 0\r\nv 0 1 0\nf 1 2 4\n", br_errorFormat,
				":4: vertex 4 does not exist, there are 3");
}

BR_TEST(obj_reads_vertex_colors)
{
	brMesh* mesh = ioReadText(br_formatObj, "v 0 0 0\nv 1 0 0 0.5 0.25 1\nv 0 1 0 1 0 0 0.125\nv 0 0 1\n");
	CHECK(mesh->colors != NULL);
	CHECK(mesh->colors[0].x == 1.0f && mesh->colors[0].w == 1.0f);
	CHECK(mesh->colors[1].x == 0.5f && mesh->colors[1].y == 0.25f && mesh->colors[1].w == 1.0f);
	CHECK(mesh->colors[2].y == 0.0f && mesh->colors[2].w == 0.125f);
	CHECK(mesh->colors[3].z == 1.0f);
	brDestroyMesh(mesh);
}

BR_TEST(obj_makes_groups_of_objects_and_groups)
{
	brMesh* mesh =
		ioReadText(br_formatObj, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
								 "o body\nf 1 2 3\ng left side\nf 1 2 3\ng\nf 1 2 3\no body\nf 1 2 3\ng empty\n");
	static const int32_t expected[] = {-1, 0, 1, -1, 0};
	CHECK(mesh->groupCount == 3 && memcmp(mesh->faceGroups, expected, sizeof(expected)) == 0);
	CHECK(strcmp(mesh->groupNames[0], "body") == 0 && strcmp(mesh->groupNames[1], "left side") == 0);
	CHECK(strcmp(mesh->groupNames[2], "empty") == 0);
	brDestroyMesh(mesh);

	// Names longer than we keep are cut, Latin-1 becomes UTF-8.
	char text[400];
	snprintf(text, sizeof(text), "g K\xF6rper\nv 0 0 0\nv 1 0 0\nv 0 1 0\ng %0100d\nf 1 2 3\n", 7);
	mesh = ioReadText(br_formatObj, text);
	CHECK(mesh->groupCount == 2 && strcmp(mesh->groupNames[0], "K\xC3\xB6rper") == 0);
	CHECK_EQUAL(strlen(mesh->groupNames[1]), 63);
	brDestroyMesh(mesh);
}

BR_TEST(obj_names_materials_without_their_file)
{
	brMesh* mesh = ioReadText(br_formatObj, "mtllib none.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
											"usemtl red glass\nf 1 2 3\nusemtl stone\nf 1 2 3\nusemtl\nf 1 2 3\n");
	static const int32_t expected[] = {-1, 0, 1, -1};
	CHECK(mesh->materialCount == 2 && memcmp(mesh->faceMaterials, expected, sizeof(expected)) == 0);
	CHECK(strcmp(mesh->materials[0].name, "red glass") == 0 && strcmp(mesh->materials[1].name, "stone") == 0);
	brDestroyMesh(mesh);
}

static const char* const materialText = "# looks\nKd 9 9 9\nnewmtl glass\nKd 0.1 0.2 0.3\nKe 1 2 3\nd 0.5\nNs 6\n"
										"newmtl gold leaf\r\nKd 1\nTr 0.25\nPr 0.125\nPm 1\nNs 100\nillum 2\n"
										"map_Kd -s 1 1 1 -clamp on textures/gold leaf.png\n"
										"newmtl odd\nKd nan 0 0\nd x\nKe\n";

BR_TEST(obj_reads_materials_beside_it)
{
	ioSaveBytes(brTest_ScratchPath("looks.mtl"), materialText, strlen(materialText));
	const char* path = brTest_ScratchPath("looks.obj");
	char text[512];
	const char* slash = strrchr(brTest_ScratchPath("looks.mtl"), '/');
	const char* faces = "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl gold leaf\nf 1 2 3\nusemtl other\nf 1 2 3\n";
	static const char* const forms[] = {"mtllib %s\n%s", "mtllib missing.mtl %s\n%s", "mtllib C:\\models\\%s\n%s",
										"mtllib /nowhere/at/all/%s\n%s", "mtllib ./%s\n%s"};
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); ++i)
	{
		snprintf(text, sizeof(text), forms[i], slash + 1, faces); // NOLINT: the forms are ours
		ioSaveBytes(path, text, strlen(text));
		brMesh* mesh = NULL;
		brReport report = {0};
		brResult result = brLoadMesh(NULL, path, &mesh, &report);
		CHECK_MESSAGE(result == (i == 1 ? br_remarkDropped : br_success), "%s", report.text);
		CHECK(i != 1 || strstr(report.text, "missing.mtl") != NULL);
		CHECK_EQUAL(mesh->materialCount, 4);
		CHECK(mesh->faceMaterials[0] == 1 && mesh->faceMaterials[1] == 3);
		const brSurfaceMaterial* glass = &mesh->materials[0];
		CHECK(strcmp(glass->name, "glass") == 0 && glass->baseColor.y == 0.2f && glass->baseColor.w == 0.5f);
		CHECK(glass->emission.z == 3.0f && glass->roughness == 0.5f && glass->metallic == 0.0f);
		const brSurfaceMaterial* gold = &mesh->materials[1];
		CHECK(strcmp(gold->name, "gold leaf") == 0 && gold->baseColor.z == 1.0f && gold->baseColor.w == 0.75f);
		CHECK(gold->roughness == 0.125f && gold->metallic == 1.0f);
		CHECK_MESSAGE(strcmp(gold->texture, "textures/gold leaf.png") == 0, "%s", gold->texture);
		brSurfaceMaterial plain = brDefaultSurfaceMaterial();
		CHECK(mesh->materials[2].baseColor.x == plain.baseColor.x && mesh->materials[3].roughness == plain.roughness);
		brDestroyMesh(mesh);
	}
}

BR_TEST(obj_remarks_a_missing_material_file)
{
	const char* text = "mtllib gone.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n";
	const char* path = brTest_ScratchPath("gone.obj");
	ioSaveBytes(path, text, strlen(text));
	brMesh* mesh = NULL;
	brReport report = {0};
	CHECK_EQUAL(brLoadMesh(NULL, path, &mesh, &report), br_remarkDropped);
	CHECK(strstr(report.text, "gone.mtl") != NULL);
	CHECK(mesh->materialCount == 1 && strcmp(mesh->materials[0].name, "a") == 0);
	brDestroyMesh(mesh);

	// From memory without a name no file is looked for, so there is nothing to remark.
	mesh = ioReadText(br_formatObj, text);
	brDestroyMesh(mesh);
}

BR_TEST(obj_passes_over_what_it_does_not_hold)
{
	brMesh* mesh = ioReadText(br_formatObj, "v 0 0 0\nv 1 0 0\nv 0 1 0\nvp 0.5\nl 1 2\np 1\ns off\ncstype bezier\n"
											"shadow_obj x\nwhatever\nf 1 2 3\n");
	CHECK(mesh->vertexCount == 3 && mesh->faceCount == 1);
	brDestroyMesh(mesh);
	mesh = ioReadText(br_formatObj, "");
	CHECK(mesh->vertexCount == 0 && mesh->faceCount == 0);
	brDestroyMesh(mesh);
	mesh = ioReadText(br_formatObj, "# nothing\n\n");
	CHECK(mesh->vertexCount == 0);
	brDestroyMesh(mesh);

	brAssembly* assembly = NULL;
	brReport report = {0};
	const char* odd = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn nan 0 1\nvt inf\nf 1/1/1 2/1/1 3/1/1\n";
	CHECK_EQUAL(brReadAssembly(NULL, odd, strlen(odd), br_formatObj, NULL, &assembly, &report), br_remarkDropped);
	CHECK(assembly->meshes[0]->normals[0].x == 0.0f && assembly->meshes[0]->normals[0].z == 1.0f);
	CHECK(strstr(report.text, "2 numbers") != NULL);
	brDestroyAssembly(assembly);
	const char* colors = "v 0 0 0 1 nan 0.5\nv 1 0 0 inf\nv 0 1 0 0 0 1 inf\n"; // the second has a weight, no color
	CHECK_EQUAL(brReadAssembly(NULL, colors, strlen(colors), br_formatObj, NULL, &assembly, &report), br_remarkDropped);
	CHECK(assembly->meshes[0]->colors[0].y == 0.0f && assembly->meshes[0]->colors[0].z == 0.5f);
	CHECK(assembly->meshes[0]->colors[1].y == 1.0f && assembly->meshes[0]->colors[2].w == 0.0f);
	CHECK(strstr(report.text, "2 numbers") != NULL);
	brDestroyAssembly(assembly);
}

BR_TEST(obj_refuses_with_the_line)
{
	static const struct
	{
		const char* text;
		const char* words;
	} cases[] = {
		{"v 0 0\n", "memory:1: three coordinates expected, the line ends"},
		{"v 0 0 zero\n", "three coordinates expected, \"zero\" found"},
		{"v 0 0 0 red\n", "memory:1: a number expected, \"red\" found"},
		{"v 0 0 1x\n", "a number expected, \"x\" found"},
		{"\nv nan 0 0\n", "memory:2: vertex 1 is not finite"},
		{"v 0 0 0\nv 0 -inf 0\n", "memory:2: vertex 2 is not finite"},
		{"v 0 0 1e999\n", "memory:1: vertex 1 is not finite"},
		{"vt\n", "memory:1: a number expected, the line ends"},
		{"vn 1 2\n", "memory:1: a number expected, the line ends"},
		{"vn 1 2 3 4\n", "the end of the line expected, \"4\" found"},
		{"v 0 0 0\nf 1 1 2\n", "memory:2: vertex 2 does not exist, there are 1"},
		{"v 0 0 0\nf 1 1 0\n", "memory:2: vertex 0 does not exist"},
		{"v 0 0 0\nf 1 1 -2\n", "memory:2: vertex -2 does not exist"},
		{"v 0 0 0\nf 1 1 99999999999999999999\n", "does not exist"},
		{"v 0 0 0\nf 7 9 8\nf 1 1 1\n", "memory:2: vertex 9 does not exist, there are 1"},
		{"v 0 0 0\nf 1/1 1/1 1/1\n", "memory:2: texture coordinate 1 does not exist, there are 0"},
		{"v 0 0 0\nvt 0 0\nf 1/0 1/1 1/1\n", "memory:3: texture coordinate 0 does not exist"},
		{"v 0 0 0\nvn 0 0 1\nf 1//1 1//2 1//1\n", "memory:3: normal 2 does not exist, there are 1"},
		{"v 0 0 0\nvn 0 0 1\nf 1//-2 1//1 1//1\n", "memory:3: normal -2 does not exist"},
		{"v 0 0 0\nf 1 1 1.5\n", "memory:2: a blank behind the index expected, \".5\" found"},
		{"v 0 0 0\nf 1/x 1 1\n", "a texture coordinate index expected, \"x\" found"},
		{"v 0 0 0\nf 1//x 1 1\n", "a normal index expected, \"x\" found"},
		{"v 0 0 0\nf 1 a 1\n", "a vertex index expected, \"a\" found"},
		{"v 0 0 0\nf 1/1/1/1 1 1\n", "a blank behind the index expected"},
		{"this is a letter\nto somebody\n", "memory:1: this is no OBJ file"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		ioTextFails(br_formatObj, cases[i].text, br_errorFormat, cases[i].words);
	}
	static const char binary[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
	ioReadFails(br_formatObj, binary, sizeof(binary), br_errorFormat, "no OBJ file");
}

BR_TEST(obj_survives_any_cut)
{
	const char* text =
		"mtllib a.mtl\no x\nv 0 0 0 1 0 0\nv 1 0 0 \\\n 1 1 1\nv 0 1e-3 0\nv 1 1 -1.5e+2\nvt 0 1\nvn 0 0 1\n"
		"g a\nusemtl m\nf 1/1/1 2/1/1 3/1/1\nf -4//-1 -3//1 -2//1 4//1\ns 1\nl 1 2\n";
	CHECK(ioTruncate(br_formatObj, text, strlen(text)) > 10);
}

BR_TEST(obj_walks_allocations)
{
	const char* text =
		"mtllib walk.mtl other.mtl\nv 0 0 0 1 0 0\nv 1 0 0\nv 0 1 0\nvt 0 1\nvn 0 0 1\ng a\nusemtl glass\n"
		"f 1/1/1 2/1/1 3/1/1\ng b\nusemtl m\nf 1 2 3\n";
	const char* path = brTest_ScratchPath("walk.obj");
	char library[300];
	snprintf(library, sizeof(library), "%.*s/walk.mtl", (int)(strrchr(path, '/') - path), path);
	ioSaveBytes(library, materialText, strlen(materialText));
	ioWalkReader(br_formatObj, text, strlen(text), path);
	unlink(library);

	brRandom random = brTest_Random(test);
	IoSampleDef def = {.size = 3, .parts = ioAll, .polygons = true};
	brMesh* mesh = ioMakeSample(&random, &def);
	ioWalkWriter(mesh, path, NULL);
	brSaveDef save = brDefaultSaveDef();
	save.triangulate = true;
	ioWalkWriter(mesh, path, &save);
	brDestroyMesh(mesh);
}

BR_TEST(obj_keeps_every_bit)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 40); ++round)
	{
		IoSampleDef def = {.size = 1 + round % 7,
						   .parts = (uint32_t)brRandom_Below(&random, ioAll + 1) | ioTextures | ioMaterialLooks,
						   .polygons = round % 2 == 0,
						   .doubles = round % 3 != 0,
						   .perVertex = round % 5 == 0};
		brMesh* mesh = ioMakeSample(&random, &def);
		brReport report = {0};
		const char* path = brTest_ScratchPath("bits.obj");
		CHECK_EQUAL(brSaveMesh(NULL, mesh, path, NULL, &report), br_success);
		brMesh* again = BR_MADE(brMesh, brLoadMesh, NULL, path);
		CHECK_SAME(mesh, again, ioAll);
		brDestroyMesh(again);
		brDestroyMesh(mesh);
	}
}

BR_TEST(obj_writes_names_it_can_read)
{
	brRandom random = brTest_Random(test);
	IoSampleDef def = {.size = 4, .parts = ioGroups | ioMaterials};
	brMesh* mesh = ioMakeSample(&random, &def);
	snprintf(mesh->groupNames[0], 64, "%s", "");
	snprintf(mesh->groupNames[1], 64, "%s", "same");
	snprintf(mesh->groupNames[2], 64, "%s", "same");
	snprintf(mesh->materials[0].name, 64, "%s", " #blank\\");
	snprintf(mesh->materials[1].name, 64, "%s", "");
	snprintf(mesh->materials[2].name, 64, "%s", "two\nlines");
	brMesh* again = ioRoundTrip(mesh, brTest_ScratchPath("names.obj"), NULL);
	CHECK_EQUAL(again->groupCount, 3);
	CHECK(memcmp(again->faceGroups, mesh->faceGroups, (size_t)mesh->faceCount * sizeof(int32_t)) == 0);
	CHECK(memcmp(again->faceMaterials, mesh->faceMaterials, (size_t)mesh->faceCount * sizeof(int32_t)) == 0);
	CHECK(strcmp(again->groupNames[0], "group_1") == 0 && strcmp(again->groupNames[2], "same_3") == 0);
	CHECK_MESSAGE(strcmp(again->materials[0].name, "_#blank_") == 0, "%s", again->materials[0].name);
	CHECK(strcmp(again->materials[1].name, "material_2") == 0 && strcmp(again->materials[2].name, "two_lines") == 0);
	brDestroyMesh(again);
	brDestroyMesh(mesh);
}

BR_TEST(obj_triangulates_when_asked)
{
	brRandom random = brTest_Random(test);
	IoSampleDef def = {.size = 5, .parts = ioAll, .polygons = true};
	brMesh* mesh = ioMakeSample(&random, &def);
	brSaveDef save = brDefaultSaveDef();
	save.triangulate = true;
	brReport report = {0};
	CHECK_EQUAL(brSaveMesh(NULL, mesh, brTest_ScratchPath("split.obj"), &save, &report), br_success);
	brMesh* again = ioRoundTrip(mesh, brTest_ScratchPath("split.obj"), &save);
	CHECK_EQUAL(again->faceCount, mesh->cornerCount - 2 * mesh->faceCount);
	CHECK_EQUAL(again->cornerCount, 3 * again->faceCount);
	CHECK_EQUAL(again->vertexCount, mesh->vertexCount);
	CHECK(again->uvs != NULL && again->normals != NULL && again->faceGroups != NULL && again->faceMaterials != NULL);
	brDestroyMesh(again);
	brDestroyMesh(mesh);
}

// Some editors begin text files with the mark EF BB BF: the first line must not be lost by it.
BR_TEST(text_files_may_begin_with_a_byte_order_mark)
{
	const char* const files[] = {
		"\xEF\xBB\xBFv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
		"\xEF\xBB\xBFOFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
		"\xEF\xBB\xBFsolid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
		"0\nendloop\nendfacet\n"
		"endsolid a\n",
	};
	const brFileFormat formats[] = {br_formatObj, br_formatOff, br_formatStl};
	for (int i = 0; i < 3; ++i)
	{
		brAssembly* assembly = BR_MADE(brAssembly, brReadAssembly, NULL, files[i], strlen(files[i]), formats[i], NULL);
		CHECK_EQUAL(assembly->meshes[0]->vertexCount, 3);
		CHECK_EQUAL(assembly->meshes[0]->faceCount, 1);
		brDestroyAssembly(assembly);
	}
}
