// SPDX-License-Identifier: MIT
#include "io_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLY_TRIANGLE                                                                                                   \
	"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"                  \
	"element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"

BR_TEST(ply_reads_text)
{
	brMesh* mesh = ioReadText(br_formatPly, PLY_TRIANGLE);
	CHECK(mesh->vertexCount == 3 && mesh->faceCount == 1 && mesh->corners[2] == 2 && mesh->positions[1].x == 1.0);
	brDestroyMesh(mesh);

	// Declared float, read as float: 0.1 is the float nearest to a tenth.
	mesh = ioReadText(br_formatPly, "ply\nformat ascii 1.0\ncomment any text\nobj_info more\nelement vertex 1\n"
									"property float x\nproperty double y\nproperty int z\nend_header\n0.1 0.1 -7\n");
	CHECK(mesh->positions[0].x == (double)0.1f && mesh->positions[0].y == 0.1 && mesh->positions[0].z == -7.0);
	brDestroyMesh(mesh);
}

// In text, in binary, and with other properties beside the corners.
BR_TEST(ply_skips_faces_of_two_corners)
{
	static const char* texts[] = {
		"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face "
		"4\n"
		"property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n3 0 1 2\n0\n1 2\n",
		"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty float "
		"u\n"
		"property float v\nelement face 3\nproperty uchar flags\nproperty list uchar int vertex_indices\nend_header\n"
		"0 0 0 0 0\n1 0 0 1 0\n0 1 0 0 1\n0 2 2 0\n0 3 0 1 2\n0 2 1 0\n"};
	for (int k = 0; k < 2; ++k)
	{
		brMesh* mesh = ioReadText(br_formatPly, texts[k]);
		CHECK(mesh->faceCount == 1 && mesh->cornerCount == 3 && mesh->corners[0] == 0 && mesh->corners[2] == 2);
		CHECK((mesh->uvs != NULL) == (k == 1) && (k == 0 || mesh->uvs[1].x == 1.0f));
		brDestroyMesh(mesh);
	}
}

BR_TEST(ply_reads_any_order_and_passes_over_the_rest)
{
	brMesh* mesh = ioReadText(br_formatPly,
							  "ply\r\nformat ascii 1.0\r\n"
							  "element camera 1\r\nproperty float view_px\r\nproperty list uchar float extra\r\n"
							  "element face 2\r\nproperty uchar flags\r\nproperty list char short vertex_index\r\n"
							  "property list int float unknown\r\n"
							  "element nothing 3\r\n"
							  "element vertex 4\r\nproperty double z\r\nproperty uchar quality\r\nproperty float x\r\n"
							  "property list uchar int neighbors\r\nproperty float y\r\n"
							  "element edge 1\r\nproperty int vertex1\r\nproperty int vertex2\r\nend_header\r\n"
							  "1.5 2 7 8\r\n"
							  "1 3 0 1 2 0\r\n0 4 0 1 2 3 2 0.5 0.5\r\n"
							  "0 1 0 0 0\r\n0 1 1 2 5 6 0\r\n0 1 1 0 1\r\n0.25 1 0 0 1\r\n"
							  "0 1\r\n");
	CHECK(mesh->vertexCount == 4 && mesh->faceCount == 2 && mesh->cornerCount == 7);
	CHECK(mesh->positions[2].x == 1.0 && mesh->positions[2].y == 1.0 && mesh->positions[3].z == 0.25);
	CHECK(mesh->corners[6] == 3);
	brDestroyMesh(mesh);
}

BR_TEST(ply_reads_attributes_of_vertices)
{
	brMesh* mesh =
		ioReadText(br_formatPly, "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
								 "property float z\nproperty float nx\nproperty float ny\nproperty float nz\n"
								 "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\n"
								 "property float texture_u\nproperty float texture_v\nelement face 1\n"
								 "property list uchar uint vertex_indices\nend_header\n"
								 "0 0 0 0 0 1 255 0 51 255 0 0.5\n1 0 0 0 1 0 0 0 0 0 1 0.25\n0 1 0 1 0 0 1 2 3 4 0 1\n"
								 "3 2 1 0\n");
	CHECK(mesh->normals[0].x == 1.0f && mesh->normals[2].z == 1.0f);
	CHECK(mesh->uvs[0].y == 1.0f && mesh->uvs[1].x == 1.0f && mesh->uvs[1].y == 0.25f);
	CHECK(mesh->colors[0].x == 1.0f && mesh->colors[0].z == 0.2f && mesh->colors[1].w == 0.0f);
	brDestroyMesh(mesh);

	// Colors of other types, no alpha; only s without t is no texture coordinate.
	mesh = ioReadText(br_formatPly, "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
									"property float z\nproperty float s\nproperty ushort r\nproperty float g\n"
									"property double b\nend_header\n0 0 0 0.5 65535 0.25 0.125\n");
	CHECK(mesh->colors[0].x == 1.0f && mesh->colors[0].y == 0.25f && mesh->colors[0].z == 0.125f);
	CHECK(mesh->colors[0].w == 1.0f && mesh->uvs == NULL);
	brDestroyMesh(mesh);
}

BR_TEST(ply_reads_attributes_of_faces)
{
	brMesh* mesh =
		ioReadText(br_formatPly, "ply\nformat ascii 1.0\ncomment TextureFile wood.png\n"
								 "comment TextureFile a b.png\nelement vertex 3\nproperty float x\n"
								 "property float y\nproperty float z\nelement face 3\n"
								 "property list uchar float texcoord\nproperty list uchar int vertex_indices\n"
								 "property int texnumber\nend_header\n0 0 0\n1 0 0\n0 1 0\n"
								 "6 0 0 1 0 0.5 1 3 0 1 2 1\n0 3 2 1 0 0\n6 1 1 1 1 1 1 3 0 1 2 -1\n");
	CHECK(mesh->uvs[1].x == 1.0f && mesh->uvs[2].y == 1.0f && mesh->uvs[3].x == 0.0f && mesh->uvs[8].x == 1.0f);
	CHECK(mesh->materialCount == 2 && strcmp(mesh->materials[1].texture, "a b.png") == 0);
	CHECK(mesh->faceMaterials[0] == 1 && mesh->faceMaterials[1] == 0 && mesh->faceMaterials[2] == -1);
	brDestroyMesh(mesh);

	// Materials and groups that nobody defines are made; what cannot be one is left out with a remark.
	const char* text =
		"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
		"element face 3\nproperty list uchar int vertex_indices\nproperty int material_index\n"
		"property float group\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 4 0\n3 0 1 2 -1 0.5\n3 0 1 2 70000 2\n";
	brAssembly* assembly = NULL;
	brReport report = {0};
	CHECK_EQUAL(brReadAssembly(NULL, text, strlen(text), br_formatPly, NULL, &assembly, &report), br_remarkDropped);
	mesh = assembly->meshes[0];
	CHECK(mesh->materialCount == 5 && mesh->groupCount == 3 && strstr(report.text, "2 attributes") != NULL);
	CHECK(mesh->faceMaterials[0] == 4 && mesh->faceMaterials[1] == -1 && mesh->faceMaterials[2] == -1);
	CHECK(mesh->faceGroups[0] == 0 && mesh->faceGroups[1] == -1 && mesh->faceGroups[2] == 2);
	brDestroyAssembly(assembly);
}

// The same mesh in the three encodings, by hand.
BR_TEST(ply_reads_both_byte_orders)
{
	static const char header[] =
		"element vertex 3\nproperty double x\nproperty float y\nproperty short z\n"
		"element face 2\nproperty list ushort uchar vertex_indices\nproperty int group\nend_header\n";
	static const unsigned char big[] = {0x40, 0x09, 0x21, 0xfb, 0x54, 0x44, 0x2d, 0x18, 0x3f, 0x80, 0, 0, 0xff, 0xfe, //
										0,    0,    0,    0,    0,    0,    0,    0,    0xc0, 0,    0, 0, 0,    1,    //
										0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0, 0, 1,    0,    //
										0,    3,    0,    1,    2,    0,    0,    0,    1,    0,    4, 0, 1,    2,
										1,    0,    0,    0,    0};
	unsigned char little[sizeof(big)];
	static const int32_t sizes[] = {8, 4, 2, 8, 4, 2, 8, 4, 2, 2, 1, 1, 1, 4, 2, 1, 1, 1, 1, 4};
	size_t at = 0;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i)
	{
		for (int32_t k = 0; k < sizes[i]; ++k)
		{
			little[at + (size_t)k] = big[at + (size_t)(sizes[i] - 1 - k)];
		}
		at += (size_t)sizes[i];
	}
	CHECK_EQUAL(at, sizeof(big));
	char file[1024];
	int bigHeader = snprintf(file, sizeof(file), "ply\nformat binary_big_endian 1.0\n%s", header);
	memcpy(file + bigHeader, big, sizeof(big));
	brMesh* a = ioRead(br_formatPly, file, (size_t)bigHeader + sizeof(big));
	CHECK(ioTruncate(br_formatPly, file, (size_t)bigHeader + sizeof(big)) == 1);
	int littleHeader = snprintf(file, sizeof(file), "ply\nformat binary_little_endian 1.0\n%s", header);
	memcpy(file + littleHeader, little, sizeof(little));
	brMesh* b = ioRead(br_formatPly, file, (size_t)littleHeader + sizeof(little));
	CHECK_SAME(a, b, ioAll);
	CHECK(a->positions[0].x == 3.141592653589793 && a->positions[0].y == 1.0 && a->positions[0].z == -2.0);
	CHECK(a->positions[1].y == -2.0 && a->positions[2].z == 256.0 && a->faceGroups[0] == 1 && a->faceCount == 2);
	brDestroyMesh(a);
	brDestroyMesh(b);
}

// Binary data that starts with a byte that could be half a line end.
BR_TEST(ply_finds_where_binary_data_starts)
{
	static const char* const ends[] = {"\n", "\r\n", "\r"};
	for (int32_t i = 0; i < 3; ++i)
	{
		char file[400];
		const char* e = ends[i];
		int length = snprintf(file, sizeof(file),
							  "ply%sformat binary_little_endian 1.0%selement vertex 1%sproperty uchar x%s"
							  "property uchar y%sproperty uchar z%send_header%s\n\r\n",
							  e, e, e, e, e, e, e);
		brMesh* mesh = ioRead(br_formatPly, file, (size_t)length);
		CHECK(mesh->positions[0].x == 10.0 && mesh->positions[0].y == 13.0 && mesh->positions[0].z == 10.0);
		brDestroyMesh(mesh);
	}
}

BR_TEST(ply_refuses_with_the_place)
{
#define HEAD "ply\nformat ascii 1.0\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"
	static const struct
	{
		const char* text;
		brResult code;
		const char* words;
	} cases[] = {
		{"", br_errorFormat, "memory:1: this is no PLY file"},
		{"plyx\n", br_errorFormat, "this is no PLY file"},
		{"ply\n", br_errorFormat, "the header does not end"},
		{"ply\nformat ascii 1.0\n", br_errorFormat, "the header does not end"},
		{"ply\nend_header\n", br_errorFormat, "memory:2: the header has no line \"format\""},
		{"ply\nformat middle_endian 1.0\n", br_errorFormat, "memory:2: \"middle_endian\" is no encoding of PLY"},
		{HEAD "property float x\n", br_errorFormat, "memory:3: a property before the first element"},
		{HEAD "element vertex\n", br_errorFormat, "memory:3: an element needs a name and a count"},
		{HEAD "element vertex -1\n", br_errorFormat, "an element needs a name and a count"},
		{HEAD "element vertex 99999999999\n", br_errorFormat, "a count of 0 to 2147483647"},
		{HEAD "element vertex 1\nelement vertex 1\n", br_errorFormat, "memory:4: the element vertex is there twice"},
		{HEAD "element vertex 1\nproperty half x\n", br_errorFormat, "memory:4: a property needs a known type"},
		{HEAD "element vertex 1\nproperty list float int x\n", br_errorFormat, "a property needs a known type"},
		{HEAD "nonsense\n", br_errorFormat, "memory:3: \"nonsense\" has no meaning"},
		{HEAD "element vertex 1\nproperty float x\nproperty float y\nend_header\n0 0\n", br_errorFormat,
		 "memory:6: vertices need properties x, y and z"},
		{HEAD "element face 1\nproperty int a\nend_header\n0\n", br_errorFormat, "faces need a list vertex_indices"},
		{HEAD "element tristrips 1\nproperty list int int vertex_indices\nend_header\n3 0 1 2\n", br_errorUnsupported,
		 "triangle strips are not read"},
		{HEAD "element vertex 1000\n" XYZ "end_header\n0 0 0\n", br_errorFormat, "more than the file holds"},
		{HEAD "element vertex 2\n" XYZ "end_header\n0 0 0\n0 0            \n", br_errorFormat,
		 "memory:10: the file ends in vertex 1 of 2"},
		{HEAD "element vertex 1\n" XYZ "end_header\n0 0 zero\n", br_errorFormat, "memory:8: vertex 0: a number"},
		{HEAD "element vertex 1\n" XYZ "end_header\n0 0 0x\n", br_errorFormat, "memory:8: vertex 0: a number"},
		{HEAD "element vertex 1\n" XYZ "end_header\n0 nan 0\n", br_errorFormat,
		 "memory:8: vertex 0: a coordinate is not finite"},
		{HEAD "element vertex 1\nproperty uchar x\nproperty float y\nproperty float z\nend_header\n256 0 0\n",
		 br_errorFormat, "vertex 0: a number of the property's type expected"},
		{HEAD "element vertex 1\n" XYZ
			  "element face 1\nproperty list char int vertex_indices\nend_header\n0 0 0\n-3 0 0 0\n",
		 br_errorFormat, "memory:11: face 0: a count of list values expected"},
		{HEAD "element vertex 1\n" XYZ
			  "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n3 0 0 1\n",
		 br_errorFormat, "memory:11: face 0 of 1 names vertex 1, there are 1"},
		{HEAD "element vertex 1\n" XYZ
			  "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n3 0 0 -1\n",
		 br_errorFormat, "names vertex -1"},
		{HEAD "element vertex 1\n" XYZ
			  "element face 1\nproperty list uchar float vertex_indices\nend_header\n0 0 0\n3 0 0 0.5\n",
		 br_errorFormat, "names vertex 0.5"},
		{HEAD "element vertex 1\n" XYZ "element face 1\nproperty list uchar int vertex_indices\n"
			  "property list uchar float texcoord\nend_header\n0 0 0\n3 0 0 0 5 1 2 3 4 5\n",
		 br_errorFormat, "face 0: its list texcoord needs two numbers a corner"},
		{HEAD "element vertex 1\n" XYZ "element face 1\nproperty list uchar int vertex_indices\n"
			  "property list uchar float normals\nend_header\n0 0 0\n3 0 0 0 6 1 2 3 4 5 6\n",
		 br_errorFormat, "face 0: its list normals needs three numbers a corner"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		ioTextFails(br_formatPly, cases[i].text, cases[i].code, cases[i].words);
	}
#undef HEAD
}

BR_TEST(ply_refuses_binary_with_the_byte)
{
	static const char header[] = "ply\nformat binary_little_endian 1.0\nelement vertex 1\n" XYZ
								 "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
	size_t start = sizeof(header) - 1;
	unsigned char file[512] = {0};
	memcpy(file, header, start);
	unsigned char* face = file + start + 12;
	char words[100];

	face[0] = 3;
	brMesh* mesh = ioRead(br_formatPly, file, start + 25);
	brDestroyMesh(mesh);
	face[9] = 1;
	snprintf(words, sizeof(words), "memory: byte %zu: face 0 of 1 names vertex 1, there are 1", start + 12);
	ioReadFails(br_formatPly, file, start + 25, br_errorFormat, words);
	memset(face + 9, 0xFF, 4);
	ioReadFails(br_formatPly, file, start + 25, br_errorFormat, "names vertex -1");
	face[0] = 4;
	ioReadFails(br_formatPly, file, start + 25, br_errorFormat, "face 0 of 1: the file ends");
	static const unsigned char nan[4] = {0, 0, 0xC0, 0x7F};
	face[0] = 3;
	memset(face + 9, 0, 4);
	memcpy(file + start + 4, nan, 4);
	snprintf(words, sizeof(words), "byte %zu: vertex 0 of 1: a coordinate is not finite", start);
	ioReadFails(br_formatPly, file, start + 25, br_errorFormat, words);
#undef XYZ
}

BR_TEST(ply_survives_any_cut)
{
	CHECK_EQUAL(ioTruncate(br_formatPly, PLY_TRIANGLE, strlen(PLY_TRIANGLE)), 2); // the last line end may be missing
	brRandom random = brTest_Random(test);
	IoSampleDef def = {.size = 2, .parts = ioAll, .polygons = true};
	brMesh* mesh = ioMakeSample(&random, &def);
	for (int32_t i = 0; i < 3; ++i)
	{
		brSaveDef save = brDefaultSaveDef();
		save.ascii = i == 0;
		save.bigEndian = i == 1;
		const char* path = brTest_ScratchPath("cut.ply");
		CHECK_RESULT(brSaveMesh(NULL, mesh, path, &save, NULL), NULL);
		size_t byteCount;
		void* bytes = ioLoadBytes(path, &byteCount);
		CHECK(ioTruncate(br_formatPly, bytes, byteCount) <= 8);
		free(bytes);
	}
	brDestroyMesh(mesh);
}

BR_TEST(ply_walks_allocations)
{
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < 4; ++i)
	{
		IoSampleDef def = {.size = 2, .parts = ioAll, .polygons = true, .perVertex = i == 1};
		brMesh* mesh = ioMakeSample(&random, &def);
		brSaveDef save = brDefaultSaveDef();
		save.ascii = i == 0;
		save.triangulate = i == 2;
		const char* path = brTest_ScratchPath("walk.ply");
		ioWalkWriter(mesh, path, &save);
		size_t byteCount;
		void* bytes = ioLoadBytes(path, &byteCount);
		ioWalkReader(br_formatPly, bytes, byteCount, NULL);
		free(bytes);
		brDestroyMesh(mesh);
	}
	const char* used = "ply\nformat ascii 1.0\ncomment TextureFile a.png\nelement vertex 3\nproperty float x\n"
					   "property float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\n"
					   "property int material\nproperty int group\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 1 1\n";
	ioWalkReader(br_formatPly, used, strlen(used), NULL);
}

BR_TEST(ply_keeps_every_bit)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 60); ++round)
	{
		IoSampleDef def = {.size = 1 + round % 7,
						   .parts = (uint32_t)brRandom_Below(&random, ioAll + 1) | ioTextures | ioMaterialLooks,
						   .polygons = round % 2 == 0,
						   .doubles = round % 3 != 0,
						   .perVertex = round % 5 == 0};
		brMesh* mesh = ioMakeSample(&random, &def);
		brSaveDef save = brDefaultSaveDef();
		save.ascii = round % 3 == 0;
		save.bigEndian = round % 3 == 1;
		save.doubles = round % 7 == 0;
		for (int32_t v = 0; v < mesh->vertexCount && mesh->colors != NULL && round % 4 == 0; ++v)
		{
			// Colors that came from bytes go back as bytes.
			float* c = &mesh->colors[v].x;
			for (int32_t i = 0; i < 4; ++i)
			{
				c[i] = (float)brRandom_Below(&random, 256) / 255.0f;
			}
			c[3] = round % 8 == 0 ? 1.0f : c[3];
		}
		brReport report = {0};
		const char* path = brTest_ScratchPath("bits.ply");
		CHECK_EQUAL(brSaveMesh(NULL, mesh, path, &save, &report), br_success);
		brMesh* again = BR_MADE(brMesh, brLoadMesh, NULL, path);
		CHECK_SAME(mesh, again, ioAll);
		brDestroyMesh(again);
		brDestroyMesh(mesh);
	}
}

// A face with more corners than a byte can count.
BR_TEST(ply_keeps_large_faces)
{
	enum
	{
		cornerCount = 700
	};
	static brDVec3 positions[cornerCount];
	static int32_t corners[cornerCount];
	static brVec2 uvs[cornerCount];
	for (int32_t i = 0; i < cornerCount; ++i)
	{
		positions[i] = (brDVec3){i, (double)i * i, 0.0};
		corners[i] = i % 350;
		uvs[i] = (brVec2){(float)i, 1.0f};
	}
	int32_t starts[2] = {0, cornerCount};
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = cornerCount, def.faceCount = 1;
	def.positions = positions, def.corners = corners, def.faceStarts = starts, def.uvs = uvs;
	brMesh* mesh = BR_MADE(brMesh, brCreateMesh, NULL, &def);
	for (int32_t i = 0; i < 2; ++i)
	{
		brSaveDef save = brDefaultSaveDef();
		save.ascii = i == 0;
		brMesh* again = ioRoundTrip(mesh, brTest_ScratchPath("large.ply"), &save);
		CHECK_SAME(mesh, again, ioAll);
		brDestroyMesh(again);
	}
	brDestroyMesh(mesh);
}

// What the file weighs says which types were chosen.
BR_TEST(ply_chooses_the_smallest_exact_types)
{
	brRandom random = brTest_Random(test);
	IoSampleDef def = {.size = 3, .parts = ioColors};
	brMesh* mesh = ioMakeSample(&random, &def);
	static const char* const expected[] = {"property float x", "property double x", "property uchar red",
										   "property float red"};
	for (int32_t i = 0; i < 4; ++i)
	{
		for (int32_t v = 0; v < mesh->vertexCount; ++v)
		{
			mesh->colors[v] = (brVec4){i == 3 ? 0.3f : 0.2f, 1.0f, 0.0f, 1.0f};
		}
		mesh->positions[1].y = i == 1 ? 0.1 : (double)0.1f;
		const char* path = brTest_ScratchPath("types.ply");
		CHECK_RESULT(brSaveMesh(NULL, mesh, path, NULL, NULL), NULL);
		size_t byteCount;
		char* bytes = ioLoadBytes(path, &byteCount);
		CHECK_MESSAGE(strstr(bytes, expected[i]) != NULL, "%s is not in: %s", expected[i], bytes);
		CHECK(strstr(bytes, "alpha") == NULL && strstr(bytes, "binary_little_endian") != NULL);
		free(bytes);
	}
	brDestroyMesh(mesh);
}
