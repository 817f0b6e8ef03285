// SPDX-License-Identifier: MIT

// glTF as a reader meets it: documents made by hand for each feature, hostile ones, and damaged ones.

#include "brittle/io.h"
#include "gltf_cases.h"
#include "harness.h"

#include "base/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A .glb in memory: JSON text plus binary chunk. Freed with free().
typedef struct Glb
{
	uint8_t* bytes;
	size_t byteCount;
} Glb;

static Glb makeGlb(const char* json, const void* data, size_t dataBytes)
{
	size_t jsonBytes = (strlen(json) + 3) & ~(size_t)3;
	size_t padded = (dataBytes + 3) & ~(size_t)3;
	Glb glb = {.byteCount = 20 + jsonBytes + (dataBytes > 0 ? 8 + padded : 0)};
	glb.bytes = calloc(1, glb.byteCount);
	CHECK(glb.bytes != NULL);
	uint32_t head[5] = {0x46546C67u, 2, (uint32_t)glb.byteCount, (uint32_t)jsonBytes, 0x4E4F534Au};
	memcpy(glb.bytes, head, sizeof(head));
	memset(glb.bytes + 20, ' ', jsonBytes);
	memcpy(glb.bytes + 20, json, strlen(json));
	if (dataBytes > 0)
	{
		uint32_t chunk[2] = {(uint32_t)padded, 0x004E4942u};
		memcpy(glb.bytes + 20 + jsonBytes, chunk, sizeof(chunk));
		memcpy(glb.bytes + 28 + jsonBytes, data, dataBytes);
	}
	return glb;
}

static brResult readGlb(const char* json, const void* data, size_t dataBytes, brAssembly** outAssembly,
						brReport* report)
{
	Glb glb = makeGlb(json, data, dataBytes);
	brResult result = brReadAssembly(NULL, glb.bytes, glb.byteCount, br_formatGlb, NULL, outAssembly, report);
	free(glb.bytes);
	return result;
}

static brAssembly* mustRead(const char* json, const void* data, size_t dataBytes)
{
	brAssembly* assembly = NULL;
	brReport report = {0};
	CHECK_RESULT(readGlb(json, data, dataBytes, &assembly, &report), &report);
	return assembly;
}

// Expects a refusal whose sentence holds `words`.
static void mustRefuse(const char* json, const void* data, size_t dataBytes, brResult code, const char* words)
{
	brAssembly* assembly = NULL;
	brReport report = {0};
	brResult result = readGlb(json, data, dataBytes, &assembly, &report);
	CHECK_MESSAGE(result == code, "%s instead of %s for %s: %s", brResult_GetName(result), brResult_GetName(code), json,
				  report.text);
	CHECK_MESSAGE(strstr(report.text, words) != NULL, "\"%s\" does not speak of \"%s\"", report.text, words);
	CHECK(assembly == NULL);
}

#define ASSET "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],"
#define TRIANGLE_MESH "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"

static const float unitTriangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

BR_TEST(gltf_reads_a_triangle_of_every_component_type)
{
	brTest_NeedGltf();
	// x, y, z of three corners in each type, normalized or not, and what the specification makes of them.
	static const struct
	{
		int32_t type, bytes;
		bool isNormalized;
		int64_t raw;
		double value;
	} cases[] = {
		{5120, 1, false, -128, -128.0}, {5120, 1, true, -128, -1.0},     {5120, 1, true, 127, 1.0},
		{5120, 1, true, -127, -1.0},    {5120, 1, true, 0, 0.0},         {5121, 1, false, 255, 255.0},
		{5121, 1, true, 255, 1.0},      {5121, 1, true, 51, 51.0 / 255}, {5122, 2, false, -32768, -32768.0},
		{5122, 2, true, -32768, -1.0},  {5122, 2, true, 32767, 1.0},     {5123, 2, false, 65535, 65535.0},
		{5123, 2, true, 65535, 1.0},    {5123, 2, true, 13107, 0.2},
	};
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); ++c)
	{
		// Four-byte aligned elements, the value in x of the first corner.
		uint8_t data[36] = {0};
		size_t stride = cases[c].bytes == 1 ? 4 : 8;
		memcpy(data, &cases[c].raw, (size_t)cases[c].bytes);
		data[stride] = 1;
		data[2 * stride + (size_t)cases[c].bytes] = 1;
		char json[1024];
		snprintf(json, sizeof(json),
				 ASSET TRIANGLE_MESH
				 "\"extensionsRequired\":[\"KHR_mesh_quantization\"],\"buffers\":[{\"byteLength\":36}],"
				 "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36,\"byteStride\":%zu}],"
				 "\"accessors\":[{\"bufferView\":0,\"componentType\":%d,\"count\":3,\"type\":\"VEC3\","
				 "\"normalized\":%s}]}",
				 stride, cases[c].type, cases[c].isNormalized ? "true" : "false");
		brAssembly* assembly = mustRead(json, data, sizeof(data));
		CHECK_EQUAL(assembly->meshCount, 1);
		CHECK_EQUAL(assembly->meshes[0]->faceCount, 1);
		double x = assembly->meshes[0]->positions[assembly->meshes[0]->corners[0]].x;
		CHECK_MESSAGE(x == (double)(float)cases[c].value, "type %d raw %lld gave %.9g", cases[c].type,
					  (long long)cases[c].raw, x);
		brDestroyAssembly(assembly);
	}
}

BR_TEST(gltf_reads_lists_strips_and_fans)
{
	brTest_NeedGltf();
	static const float points[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0};
	static const int32_t strips[9] = {0, 1, 2, 1, 3, 2, 2, 3, 4};
	static const int32_t fans[9] = {1, 2, 0, 2, 3, 0, 3, 4, 0};
	for (int32_t mode = 4; mode <= 6; ++mode)
	{
		for (int32_t indexed = 0; indexed < 2; ++indexed)
		{
			uint8_t data[sizeof(points) + 5];
			memcpy(data, points, sizeof(points));
			memcpy(data + sizeof(points), "\0\1\2\3\4", 5);
			char json[1024];
			snprintf(
				json, sizeof(json),
				ASSET
				"\"meshes\":[{\"primitives\":[{\"mode\":%d,\"attributes\":{\"POSITION\":0}%s}]}],"
				"\"buffers\":[{\"byteLength\":65}],"
				"\"bufferViews\":[{\"buffer\":0,\"byteLength\":60},{\"buffer\":0,\"byteOffset\":60,\"byteLength\":5}],"
				"\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":5,\"type\":\"VEC3\"},"
				"{\"bufferView\":1,\"componentType\":5121,\"count\":5,\"type\":\"SCALAR\"}]}",
				mode, indexed ? ",\"indices\":1" : "");
			brAssembly* assembly = NULL;
			brReport report = {0};
			brResult result = readGlb(json, data, sizeof(data), &assembly, &report);
			CHECK_EQUAL(result, mode == 4 ? br_remarkDropped : br_success); // five do not make whole triangles
			const brMesh* mesh = assembly->meshes[0];
			CHECK_EQUAL(mesh->faceCount, mode == 4 ? 1 : 3);
			for (int32_t k = 0; k < mesh->cornerCount; ++k)
			{
				CHECK_EQUAL(mesh->corners[k], mode == 4 ? k : mode == 5 ? strips[k] : fans[k]);
			}
			brDestroyAssembly(assembly);
		}
	}
}

BR_TEST(gltf_reads_sparse_and_interleaved_data)
{
	brTest_NeedGltf();
	// Zeros without a view, three elements replaced.
	struct
	{
		uint16_t indices[4];
		float values[9];
	} sparse = {{0, 1, 3, 0}, {5, 6, 7, 1, 0, 0, 0, 1, 0}};
	brAssembly* assembly = mustRead(
		ASSET "\"meshes\":[{\"primitives\":[{\"mode\":5,\"attributes\":{\"POSITION\":0}}]}],\"buffers\":[{"
			  "\"byteLength\":44}],"
			  "\"bufferViews\":[{\"buffer\":0,\"byteLength\":6},{\"buffer\":0,\"byteOffset\":8,\"byteLength\":36}],"
			  "\"accessors\":[{\"componentType\":5126,\"count\":4,\"type\":\"VEC3\",\"sparse\":{\"count\":3,"
			  "\"indices\":{\"bufferView\":0,\"componentType\":5123},\"values\":{\"bufferView\":1}}}]}",
		&sparse, sizeof(sparse));
	const brMesh* mesh = assembly->meshes[0];
	CHECK_EQUAL(mesh->vertexCount, 4);
	CHECK(mesh->positions[0].x == 5.0 && mesh->positions[0].z == 7.0);
	CHECK(mesh->positions[2].x == 0.0 && mesh->positions[2].y == 0.0);
	CHECK(mesh->positions[3].y == 1.0);
	brDestroyAssembly(assembly);

	// Position, normal, texture coordinate and color bytes side by side.
	struct
	{
		float position[3], normal[3], uv[2];
		uint8_t color[4];
	} vertices[4] = {
		{{0, 0, 0}, {0, 0, 1}, {0.25f, 0.0f}, {255, 0, 0, 255}},
		{{1, 0, 0}, {0, 0, 1}, {0.5f, 0.25f}, {0, 255, 0, 255}},
		{{0, 1, 0}, {0, 0, 1}, {0.75f, 1.0f}, {0, 0, 51, 0}},
		{{-0.0f, 0, 0}, {1, 0, 0}, {0, 0.5f}, {255, 0, 0, 255}}, // the first again: only a zero's sign differs
	};
	assembly = mustRead(
		ASSET
		"\"meshes\":[{\"primitives\":[{\"mode\":5,\"attributes\":{\"POSITION\":0,\"NORMAL\":1,\"TEXCOORD_0\":2,\"COLOR_"
		"0\":3}}]}],"
		"\"buffers\":[{\"byteLength\":144}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":144,\"byteStride\":36}],"
		"\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
		"{\"bufferView\":0,\"byteOffset\":12,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
		"{\"bufferView\":0,\"byteOffset\":24,\"componentType\":5126,\"count\":4,\"type\":\"VEC2\"},"
		"{\"bufferView\":0,\"byteOffset\":32,\"componentType\":5121,\"count\":4,\"type\":\"VEC4\",\"normalized\":true}]"
		"}",
		vertices, sizeof(vertices));
	mesh = assembly->meshes[0];
	CHECK_EQUAL(mesh->vertexCount, 3);
	CHECK_EQUAL(mesh->faceCount, 2);
	CHECK_EQUAL(mesh->corners[4], 0); // strip (1, 3, 2): the welded one
	CHECK(mesh->normals[4].x == 1.0f && mesh->normals[0].x == 0.0f);
	CHECK(mesh->uvs[0].x == 0.25f && mesh->uvs[0].y == 1.0f && mesh->uvs[2].y == 0.0f && mesh->uvs[4].y == 0.5f);
	CHECK(mesh->colors[2].z == 0.2f && mesh->colors[2].w == 0.0f && mesh->colors[0].x == 1.0f);
	brDestroyAssembly(assembly);
}

BR_TEST(gltf_multiplies_node_trees_into_placements)
{
	brTest_NeedGltf();
	const char* tail =
		TRIANGLE_MESH "\"buffers\":[{\"byteLength\":36}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
					  "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}]}";
	char json[2048];
	snprintf(
		json, sizeof(json),
		"{\"asset\":{\"version\":\"2.0\"},\"scene\":1,\"scenes\":[{\"nodes\":[4]},{\"nodes\":[0,3]}],\"nodes\":["
		"{\"translation\":[1,2,3],\"children\":[1,2],\"name\":\"top\"},"
		"{\"rotation\":[0,0,0.7071067811865476,0.7071067811865476],\"scale\":[2,3,4],\"mesh\":0,\"name\":\"turned\"},"
		"{\"matrix\":[-1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,5,1],\"mesh\":0},"
		"{\"name\":\"alone\",\"children\":[5]},{\"mesh\":0,\"name\":\"other scene\"},{\"mesh\":0}],%s",
		tail);
	brAssembly* assembly = mustRead(json, unitTriangle, sizeof(unitTriangle));
	CHECK_EQUAL(assembly->partCount, 3);
	CHECK_EQUAL(assembly->meshCount, 1);
	CHECK(strcmp(assembly->parts[0].name, "turned") == 0);
	CHECK(strcmp(assembly->parts[1].name, "") == 0);      // its parent has two children: no name to inherit
	CHECK(strcmp(assembly->parts[2].name, "alone") == 0); // a chain passes its name down
	brDVec3 p = brAffine_Point(&assembly->parts[0].placement, (brDVec3){1.0, 1.0, 1.0});
	CHECK_NEAR(p.x, 1.0 - 3.0, 1e-12);
	CHECK_NEAR(p.y, 2.0 + 2.0, 1e-12);
	CHECK_NEAR(p.z, 3.0 + 4.0, 1e-12);
	CHECK(brMat3_Determinant(&assembly->parts[1].placement.m) < 0.0); // mirrors stay in the placement
	CHECK(assembly->parts[1].placement.p.z == 8.0);
	brDestroyAssembly(assembly);

	// Without scenes every root shows, and a mesh that no node places stands at the origin.
	snprintf(json, sizeof(json), "{\"asset\":{\"version\":\"2.0\"},%s", tail);
	assembly = mustRead(json, unitTriangle, sizeof(unitTriangle));
	CHECK_EQUAL(assembly->partCount, 1);
	brDestroyAssembly(assembly);
}

BR_TEST(gltf_reads_gpu_instances)
{
	brTest_NeedGltf();
	struct
	{
		float triangle[9], translations[6];
		int8_t rotations[8];
	} data = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {1, 2, 3, 4, 5, 6}, {0, 0, 0, 127, 127, 0, 0, 0}};
	brAssembly* assembly = mustRead(
		"{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0,\"name\":\"leaf\","
		"\"scale\":[2,2,2],"
		"\"extensions\":{\"EXT_mesh_gpu_instancing\":{\"attributes\":{\"TRANSLATION\":1,\"ROTATION\":2}}}}]"
		"," TRIANGLE_MESH "\"buffers\":[{\"byteLength\":68}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},"
		"{\"buffer\":0,\"byteOffset\":36,\"byteLength\":24},{\"buffer\":0,\"byteOffset\":60,\"byteLength\":8}],"
		"\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
		"{\"bufferView\":1,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"},"
		"{\"bufferView\":2,\"componentType\":5120,\"normalized\":true,\"count\":2,\"type\":\"VEC4\"}]}",
		&data, sizeof(data));
	CHECK_EQUAL(assembly->partCount, 2);
	CHECK(strcmp(assembly->parts[1].name, "leaf_1") == 0);
	CHECK(assembly->parts[1].placement.p.x == 8.0 && assembly->parts[1].placement.p.z == 12.0);
	CHECK(assembly->parts[1].placement.m.cy.y == -2.0); // half a turn about x
	brDestroyAssembly(assembly);
}

BR_TEST(gltf_reads_buffers_from_uris_and_files)
{
	brTest_NeedGltf();
	// "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA" is the unit triangle.
	const char* head =
		ASSET TRIANGLE_MESH "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
							"\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
							"\"buffers\":[{\"byteLength\":36,\"uri\":\"";
	static const struct
	{
		const char* uri;
		brResult result;
		const char* words;
	} cases[] = {
		{"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA", br_success, ""},
		{"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA", br_success, ""},
		{"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAA", br_errorFormat, "promises 36 bytes"},
		{"data:;base64,AAAAAAAAAAAAAAAAAACAPw*AAAAAAAAAAAAAAAAAgD8AAAAA", br_errorFormat, "no base64"},
		{"data:;base64,AAAAA", br_errorFormat, "whole number"},
		{"data:;base64,", br_errorFormat, "promises 36"},
		{"data:text/plain,AAAA", br_errorFormat, "not base64"},
		{"data:", br_errorFormat, "not base64"},
		{"tri%20angle.bin", br_success, ""},
		{"./tri angle.bin", br_success, ""},
		{"missing.bin", br_errorFile, "cannot open"},
		{"/etc/hostname", br_errorFormat, "names no file in the folder"},
		{"../x.bin", br_errorFormat, "names no file in the folder"},
		{"a/..", br_errorFormat, "names no file in the folder"},
		{"%2e%2e/x.bin", br_errorFormat, "names no file in the folder"},
		{"file:///etc/hostname", br_errorFormat, "names no file in the folder"},
		{"a%00b", br_errorFormat, "names no file in the folder"},
		{"a%2", br_errorFormat, "names no file in the folder"},
		{"..\\\\x", br_errorFormat, "names no file in the folder"},
	};
	// A folder of its own, because the name of the companion is fixed.
	char folder[300], path[400];
	snprintf(folder, sizeof(folder), "%s", brTest_ScratchPath("gltf_uris"));
	CHECK(brOs_MakeFolder(folder) == 0);
	snprintf(path, sizeof(path), "%s/tri angle.bin", folder);
	FILE* file = fopen(path, "wb");
	CHECK(file != NULL && fwrite(unitTriangle, 1, 36, file) == 36 && fclose(file) == 0);
	snprintf(path, sizeof(path), "%s/x.gltf", folder);
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); ++c)
	{
		char json[2048];
		snprintf(json, sizeof(json), "%s%s\"}]}", head, cases[c].uri);
		brAssembly* assembly = NULL;
		brReport report = {0};
		brResult result = brReadAssembly(NULL, json, strlen(json), br_formatGltf, path, &assembly, &report);
		CHECK_MESSAGE(result == cases[c].result && strstr(report.text, cases[c].words) != NULL, "%s: %s %s",
					  cases[c].uri, brResult_GetName(result), report.text);
		if (result >= 0)
		{
			CHECK(assembly->meshes[0]->positions[1].x == 1.0);
		}
		brDestroyAssembly(assembly);
		if (strncmp(cases[c].uri, "data:", 5) != 0)
		{
			result = brReadAssembly(NULL, json, strlen(json), br_formatGltf, NULL, &assembly, &report);
			CHECK_EQUAL(result, br_errorFile); // memory has no files beside it
		}
	}
}

BR_TEST(gltf_refuses_lies_with_a_sentence)
{
	brTest_NeedGltf();
#define VIEW "\"buffers\":[{\"byteLength\":36}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
#define FLOATS "\"componentType\":5126,\"type\":\"VEC3\""
	static const struct
	{
		const char* json;
		brResult code;
		const char* words;
	} cases[] = {
		{"[]", br_errorFormat, "no object"},
		{"{\"asset\":{\"version\":\"2.0\"}", br_errorFormat, "breaks off"},
		{"{\"asset\":{\"version\":\"2.0\"}} x", br_errorFormat, "behind the end"},
		{"{}", br_errorFormat, "asset"},
		{"{\"asset\":{\"version\":\"1.0\"}}", br_errorUnsupported, "version 1.0"},
		{"{\"asset\":{\"version\":\"2.0\"},\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]}",
		 br_errorUnsupported, "KHR_draco_mesh_compression"},
		{"{\"asset\":{\"version\":\"2.0\"},\"extensionsRequired\":[\"EXT_meshopt_compression\"]}", br_errorUnsupported,
		 "EXT_meshopt_compression"},
		{"{\"asset\":{\"version\":\"2.0\"},\"nodes\":3}", br_errorFormat, "no array"},
		{"{\"asset\":{\"version\":\"2.0\"},\"nodes\":[3]}", br_errorFormat, "no object"},
		{"{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"children\":[1]},{\"children\":[0]}]}", br_errorFormat,
		 "cycle"},
		{"{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"children\":[0]}]}", br_errorFormat, "cycle"},
		{"{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"children\":[2]},{\"children\":[2]},{}]}", br_errorFormat,
		 "both node"},
		{"{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"children\":[7]}]}", br_errorFormat, "does not exist"},
		{"{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"children\":[1.5]},{},{}]}", br_errorFormat, "does not exist"},
		{"{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[1]}],\"nodes\":[{\"children\":[1]},{}]}",
		 br_errorFormat, "child of node 0"},
		{"{\"asset\":{\"version\":\"2.0\"},\"scene\":4,\"scenes\":[{}]}", br_errorFormat, "scene that does not exist"},
		{"{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}]}", br_errorFormat, "mesh that does not exist"},
		{"{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"matrix\":[1,2]}]}", br_errorFormat, "not made of numbers"},
		{"{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"translation\":[1,2,1e999]}]}", br_errorFormat,
		 "not made of numbers"},
		{"{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"matrix\":[1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1]}]}", br_errorFormat,
		 "last row"},
		{ASSET "\"meshes\":[{}]}", br_errorFormat, "no primitives"},
		{ASSET TRIANGLE_MESH VIEW "\"accessors\":[]}", br_errorFormat, "primitive 0"},
		{ASSET TRIANGLE_MESH VIEW "\"accessors\":[{\"bufferView\":0,\"count\":4," FLOATS "}]}", br_errorFormat,
		 "needs 48 bytes"},
		{ASSET TRIANGLE_MESH VIEW "\"accessors\":[{\"bufferView\":0,\"count\":2147483648," FLOATS "}]}", br_errorLimit,
		 "2147483648"},
		{ASSET TRIANGLE_MESH VIEW "\"accessors\":[{\"bufferView\":0,\"count\":2147483646," FLOATS "}]}", br_errorFormat,
		 "bytes, its buffer view"},
		{ASSET TRIANGLE_MESH VIEW "\"accessors\":[{\"count\":2147483646," FLOATS "}]}", br_errorLimit, "unfolds"},
		{ASSET TRIANGLE_MESH VIEW "\"accessors\":[{\"bufferView\":0,\"byteOffset\":9007199254740992,\"count\":3," FLOATS
								  "}]}",
		 br_errorFormat, "needs"},
		{ASSET TRIANGLE_MESH VIEW "\"accessors\":[{\"bufferView\":0,\"byteOffset\":-4,\"count\":3," FLOATS "}]}",
		 br_errorFormat, "no byte count"},
		{ASSET TRIANGLE_MESH VIEW "\"accessors\":[{\"bufferView\":0,\"count\":-3," FLOATS "}]}", br_errorFormat,
		 "no count"},
		{ASSET TRIANGLE_MESH VIEW "\"accessors\":[{\"bufferView\":1,\"count\":3," FLOATS "}]}", br_errorFormat,
		 "buffer view"},
		{ASSET TRIANGLE_MESH VIEW
		 "\"accessors\":[{\"bufferView\":0,\"count\":3,\"componentType\":5126,\"type\":\"MAT3\"}]}",
		 br_errorFormat, "neither scalars nor vectors"},
		{ASSET TRIANGLE_MESH VIEW
		 "\"accessors\":[{\"bufferView\":0,\"count\":3,\"componentType\":5126,\"type\":\"VEC2\"}]}",
		 br_errorFormat, "type of a position"},
		{ASSET TRIANGLE_MESH VIEW
		 "\"accessors\":[{\"bufferView\":0,\"count\":3,\"componentType\":5124,\"type\":\"VEC3\"}]}",
		 br_errorFormat, "component type"},
		{ASSET TRIANGLE_MESH "\"buffers\":[{\"byteLength\":37}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
							 "\"accessors\":[{\"bufferView\":0,\"count\":3," FLOATS "}]}",
		 br_errorFormat, "promises 37"},
		{ASSET TRIANGLE_MESH "\"buffers\":[{\"byteLength\":36}],\"bufferViews\":[{\"buffer\":0,\"byteOffset\":4,"
							 "\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"count\":3," FLOATS "}]}",
		 br_errorFormat, "reaches beyond"},
		{ASSET TRIANGLE_MESH
		 "\"buffers\":[{\"byteLength\":36}],\"bufferViews\":[{\"buffer\":0,\"byteOffset\":9007199254740991,"
		 "\"byteLength\":9007199254740991}],\"accessors\":[{\"bufferView\":0,\"count\":3," FLOATS "}]}",
		 br_errorFormat, "reaches beyond"},
		{ASSET TRIANGLE_MESH "\"buffers\":[{\"byteLength\":36}],\"bufferViews\":[{\"buffer\":0,\"byteStride\":3,"
							 "\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"count\":3," FLOATS "}]}",
		 br_errorFormat, "stride of 3"},
		{ASSET TRIANGLE_MESH "\"buffers\":[{\"byteLength\":36},{\"byteLength\":36}],\"bufferViews\":[{\"buffer\":1,"
							 "\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"count\":3," FLOATS "}]}",
		 br_errorFormat, "buffer 1 has no bytes"},
		{ASSET "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}]," VIEW
			   "\"accessors\":[{\"bufferView\":0,\"count\":3," FLOATS
			   "},{\"bufferView\":0,\"byteOffset\":12,\"count\":3,"
			   "\"componentType\":5125,\"type\":\"SCALAR\"}]}",
		 br_errorFormat, "accessor 1 holds index 1065353216"},
		{ASSET "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":0}]}]," VIEW
			   "\"accessors\":[{\"bufferView\":0,\"count\":3," FLOATS "}]}",
		 br_errorFormat, "type of indices"},
		{ASSET "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"NORMAL\":1}}]}]," VIEW
			   "\"accessors\":[{\"bufferView\":0,\"count\":3," FLOATS "},{\"bufferView\":0,\"count\":2," FLOATS "}]}",
		 br_errorFormat, "2 normals for 3 positions"},
		{ASSET TRIANGLE_MESH VIEW
		 "\"accessors\":[{\"bufferView\":0,\"count\":3," FLOATS ",\"sparse\":{\"count\":1,\"indices\":"
		 "{\"bufferView\":0,\"byteOffset\":14,\"componentType\":5121},\"values\":{\"bufferView\":0}}}]}",
		 br_errorFormat, "replaces element 128"},
		{ASSET TRIANGLE_MESH VIEW "\"accessors\":[{\"bufferView\":0,\"count\":3," FLOATS
								  ",\"sparse\":{\"count\":4,\"indices\":"
								  "{\"bufferView\":0,\"componentType\":5121},\"values\":{\"bufferView\":0}}}]}",
		 br_errorFormat, "valid count"},
		{ASSET "\"meshes\":[{\"primitives\":[{\"mode\":9,\"attributes\":{\"POSITION\":0}}]}]," VIEW
			   "\"accessors\":[{\"bufferView\":0,\"count\":3," FLOATS "}]}",
		 br_errorFormat, "bad mode"},
	};
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); ++c)
	{
		mustRefuse(cases[c].json, unitTriangle, sizeof(unitTriangle), cases[c].code, cases[c].words);
	}
	float points[9] = {0, 0, 0, 1, 0, 0, 0, NAN, 0};
	mustRefuse(ASSET TRIANGLE_MESH VIEW "\"accessors\":[{\"bufferView\":0,\"count\":3," FLOATS "}]}", points,
			   sizeof(points), br_errorGeometry, "position 2 of accessor 0");
}

BR_TEST(gltf_drops_points_and_lines_with_a_remark)
{
	brTest_NeedGltf();
	brAssembly* assembly = NULL;
	brReport report = {0};
	brResult result = readGlb(ASSET "\"meshes\":[{\"primitives\":[{\"mode\":1,\"attributes\":{\"POSITION\":0}},"
									"{\"attributes\":{\"POSITION\":0}}]}]," VIEW
									"\"accessors\":[{\"bufferView\":0,\"count\":3," FLOATS "}]}",
							  unitTriangle, sizeof(unitTriangle), &assembly, &report);
	CHECK_EQUAL(result, br_remarkDropped);
	CHECK(strstr(report.text, "points or lines") != NULL);
	CHECK_EQUAL(assembly->partCount, 1);
	CHECK_EQUAL(assembly->meshes[0]->faceCount, 1);
	brDestroyAssembly(assembly);
	assembly = NULL;
	result = readGlb(ASSET "\"meshes\":[{\"primitives\":[{\"mode\":0,\"attributes\":{\"POSITION\":0}}]}]," VIEW
						   "\"accessors\":[{\"bufferView\":0,\"count\":3," FLOATS "}]}",
					 unitTriangle, sizeof(unitTriangle), &assembly, &report);
	CHECK_EQUAL(result, br_remarkDropped);
	CHECK_EQUAL(assembly->partCount, 0);
	brDestroyAssembly(assembly);
}

BR_TEST(gltf_small_files_cannot_unfold_without_end)
{
	brTest_NeedGltf();
	// 4000 primitives that show the same 30000 triangles: 120 million from a file of 300 kB.
	size_t capacity = 400000;
	char* json = malloc(capacity);
	CHECK(json != NULL);
	size_t used = (size_t)snprintf(json, capacity, ASSET "\"meshes\":[{\"primitives\":[");
	for (int32_t i = 0; i < 4000; ++i)
	{
		used += (size_t)snprintf(json + used, capacity - used, "%s{\"attributes\":{\"POSITION\":0},\"indices\":1}",
								 i > 0 ? "," : "");
	}
	snprintf(
		json + used, capacity - used,
		"]}],\"buffers\":[{\"byteLength\":90036}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},"
		"{\"buffer\":0,\"byteOffset\":36,\"byteLength\":90000}],\"accessors\":[{\"bufferView\":0,\"count\":3," FLOATS
		"},"
		"{\"bufferView\":1,\"count\":90000,\"componentType\":5121,\"type\":\"SCALAR\"}]}");
	uint8_t* data = calloc(1, 90036);
	CHECK(data != NULL);
	mustRefuse(json, data, 90036, br_errorLimit, "unfolds");
	free(data);
	free(json);

	// A tower of 20000 nodes is no trouble.
	capacity = 1 << 20;
	json = malloc(capacity);
	used = (size_t)snprintf(json, capacity, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[");
	for (int32_t i = 1; i < 20000; ++i)
	{
		used += (size_t)snprintf(json + used, capacity - used, "{\"children\":[%d]},", i);
	}
	snprintf(json + used, capacity - used,
			 "{\"mesh\":0}]," TRIANGLE_MESH VIEW "\"accessors\":[{\"bufferView\":0,\"count\":3," FLOATS "}]}");
	brAssembly* assembly = mustRead(json, unitTriangle, sizeof(unitTriangle));
	CHECK_EQUAL(assembly->partCount, 1);
	brDestroyAssembly(assembly);
	free(json);
}

BR_TEST(gltf_cut_anywhere_is_refused)
{
	brTest_NeedGltf();
	Glb glb = makeGlb(ASSET TRIANGLE_MESH VIEW "\"accessors\":[{\"bufferView\":0,\"count\":3," FLOATS "}]}",
					  unitTriangle, sizeof(unitTriangle));
	for (size_t length = 0; length < glb.byteCount; ++length)
	{
		for (int32_t lie = 0; lie < 2; ++lie)
		{
			// Once with the header's length as it was, once adjusted to the cut, so that later checks are reached too.
			uint8_t* cut = malloc(length + 1);
			CHECK(cut != NULL);
			memcpy(cut, glb.bytes, length);
			uint32_t total = (uint32_t)length;
			if (lie == 1 && length >= 12)
			{
				memcpy(cut + 8, &total, sizeof(total));
			}
			brAssembly* assembly = NULL;
			brReport report = {0};
			brResult result = brReadAssembly(NULL, cut, length, br_formatGlb, NULL, &assembly, &report);
			CHECK_MESSAGE(result < 0 && report.text[0] != 0, "cut at %zu of %zu was read", length, glb.byteCount);
			free(cut);
		}
	}
	free(glb.bytes);
}

BR_TEST(gltf_random_damage_never_breaks_the_reader)
{
	brTest_NeedGltf();
	brAssembly* scene = brTestScene();
	const char* path = brTest_ScratchPath("damage.glb");
	CHECK_RESULT(brSaveAssembly(NULL, scene, path, NULL, NULL), NULL);
	brDestroyAssembly(scene);
	FILE* file = fopen(path, "rb");
	CHECK(file != NULL);
	static uint8_t bytes[65536], damaged[65536];
	size_t byteCount = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	CHECK(byteCount > 1000 && byteCount < sizeof(bytes));
	brRandom random = brTest_Random(test);
	int32_t accepted = 0, refused = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 3000); ++round)
	{
		memcpy(damaged, bytes, byteCount);
		int32_t hits = 1 + (int32_t)brRandom_Below(&random, 4);
		for (int32_t h = 0; h < hits; ++h)
		{
			damaged[brRandom_Below(&random, (uint32_t)byteCount)] = (uint8_t)brRandom_Next(&random);
		}
		brAssembly* assembly = NULL;
		brReport report = {0};
		brResult result = brReadAssembly(NULL, damaged, byteCount, br_formatGlb, NULL, &assembly, &report);
		CHECK(result >= 0 || report.text[0] != 0);
		accepted += result >= 0;
		refused += result < 0;
		brDestroyAssembly(assembly);
	}
	CHECK(accepted > 0 && refused > 0);
}

// Files of the corpus: seeds for the fuzzer and what it found. None may do harm.
static void readWithoutHarm(const char* path)
{
	static uint8_t bytes[1 << 20];
	FILE* file = fopen(path, "rb");
	CHECK(file != NULL);
	size_t byteCount = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	brAssembly* assembly = NULL;
	brReport report = {0};
	brResult result = brReadAssembly(NULL, bytes, byteCount, br_formatGlb, NULL, &assembly, &report);
	CHECK(result >= 0 || report.text[0] != 0);
	brDestroyAssembly(assembly);
}

BR_TEST(gltf_corpus_does_no_harm)
{
	brTest_NeedGltf();
	const char* const folders[] = {BR_SOURCE_DIR "/test/corpus/gltf", BR_SOURCE_DIR "/test/corpus/glb"};
	int32_t count = 0;
	for (int i = 0; i < 2; ++i)
	{
		brFolderNames* names = brOs_OpenFolder(folders[i]);
		CHECK(names != NULL);
		for (const char* name; (name = brOs_NextName(names)) != NULL; ++count)
		{
			char path[1024];
			snprintf(path, sizeof(path), "%s/%s", folders[i], name);
			readWithoutHarm(path);
		}
		brOs_CloseFolder(names);
	}
	CHECK(count >= 4);
}

BR_TEST(gltf_says_when_a_file_is_something_else)
{
	brTest_NeedGltf();
	const char* const files[] = {"", "   \n", "solid of another kind", "[1, 2]"};
	for (int i = 0; i < 4; ++i)
	{
		brReport report = {0};
		brAssembly* assembly = NULL;
		brResult result = brReadAssembly(NULL, files[i], strlen(files[i]), br_formatGlb, NULL, &assembly, &report);
		CHECK_EQUAL(result, br_errorFormat);
		CHECK(assembly == NULL && strstr(report.text, "this is no glTF file") != NULL);
	}
}
