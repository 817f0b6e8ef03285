// SPDX-License-Identifier: MIT

// glTF as a reader meets it: documents made by hand for each feature, hostile ones, and what our writer makes of a scene.

#include "brittle/io.h"
#include "gltf_cases.h"
#include "harness.h"
#include "io/vertex_weld.h"

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
	CHECK_MESSAGE(result == code, "%s instead of %s for %s: %s", brResult_Name(result), brResult_Name(code), json,
				  report.text);
	CHECK_MESSAGE(strstr(report.text, words) != NULL, "\"%s\" does not speak of \"%s\"", report.text, words);
	CHECK(assembly == NULL);
}

static void needJson(void)
{
	brReport report = {0};
	brAssembly* assembly = NULL;
	if (brReadAssembly(NULL, "{}", 2, br_formatGltf, NULL, &assembly, &report) == br_errorUnavailable)
	{
		brTest_Skip("this build reads no glTF: %s", report.text);
	}
}

#define ASSET "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],"
#define TRIANGLE_MESH "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"

static const float unitTriangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

BR_TEST(gltf_reads_a_triangle_of_every_component_type)
{
	needJson();
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
	needJson();
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
	needJson();
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

	// Position, normal, texture coordinate and colour bytes side by side.
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
	needJson();
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
	needJson();
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
	needJson();
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
	char command[800];
	snprintf(command, sizeof(command), "mkdir -p '%s'", folder);
	CHECK(system(command) == 0);
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
					  cases[c].uri, brResult_Name(result), report.text);
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
	needJson();
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
	needJson();
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
	needJson();
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
	needJson();
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
	needJson();
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

// Writing

static void checkSameMesh(const brMesh* a, const brMesh* b)
{
	CHECK_EQUAL(a->vertexCount, b->vertexCount);
	CHECK_EQUAL(a->faceCount, b->faceCount);
	CHECK_EQUAL(a->cornerCount, b->cornerCount);
	CHECK(memcmp(a->positions, b->positions, (size_t)a->vertexCount * sizeof(brDVec3)) == 0);
	CHECK(memcmp(a->faceStarts, b->faceStarts, ((size_t)a->faceCount + 1) * sizeof(int32_t)) == 0);
	CHECK(memcmp(a->corners, b->corners, (size_t)a->cornerCount * sizeof(int32_t)) == 0);
	CHECK((a->uvs != NULL) == (b->uvs != NULL) && (a->normals != NULL) == (b->normals != NULL));
	CHECK((a->colors != NULL) == (b->colors != NULL) && (a->faceMaterials != NULL) == (b->faceMaterials != NULL));
	CHECK(a->uvs == NULL || memcmp(a->uvs, b->uvs, (size_t)a->cornerCount * sizeof(brVec2)) == 0);
	CHECK(a->normals == NULL || memcmp(a->normals, b->normals, (size_t)a->cornerCount * sizeof(brVec3)) == 0);
	CHECK(a->colors == NULL || memcmp(a->colors, b->colors, (size_t)a->vertexCount * sizeof(brVec4)) == 0);
	CHECK(a->faceMaterials == NULL ||
		  memcmp(a->faceMaterials, b->faceMaterials, (size_t)a->faceCount * sizeof(int32_t)) == 0);
	CHECK_EQUAL(a->materialCount, b->materialCount);
	for (int32_t m = 0; m < a->materialCount; ++m)
	{
		CHECK(strcmp(a->materials[m].name, b->materials[m].name) == 0);
		CHECK(memcmp(&a->materials[m].baseColor, &b->materials[m].baseColor, sizeof(brVec4)) == 0);
		CHECK(a->materials[m].metallic == b->materials[m].metallic &&
			  a->materials[m].roughness == b->materials[m].roughness);
		CHECK_NEAR(a->materials[m].emission.y, b->materials[m].emission.y, 1e-6);
	}
}

// Triangles with everything: unit normals, coordinates on the grid that survives the flip, colours, sorted materials.
static brMesh* randomMesh(brRandom* random, int32_t vertexCount, int32_t faceCount, bool isPlain)
{
	brDVec3* positions = calloc((size_t)vertexCount, sizeof(brDVec3));
	int32_t* corners = calloc((size_t)faceCount * 3, sizeof(int32_t));
	brVec3* normals = calloc((size_t)faceCount * 3, sizeof(brVec3));
	brVec2* uvs = calloc((size_t)faceCount * 3, sizeof(brVec2));
	brVec4* colors = calloc((size_t)vertexCount, sizeof(brVec4));
	int32_t* faceMaterials = calloc((size_t)faceCount, sizeof(int32_t));
	for (int32_t v = 0; v < vertexCount; ++v)
	{
		positions[v] =
			brToDVec3((brVec3){(float)brRandom_Range(random, -1, 1), (float)brRandom_Range(random, -1, 1), (float)v});
		bool isUnorm = brRandom_Below(random, 2) == 0;
		for (int32_t k = 0; k < 4; ++k)
		{
			((float*)&colors[v])[k] =
				isUnorm ? (float)brRandom_Below(random, 256) / 255.0f : (float)brRandom_Unit(random);
		}
	}
	for (int32_t c = 0; c < 3 * faceCount; ++c)
	{
		corners[c] = (int32_t)brRandom_Below(random, (uint32_t)vertexCount);
		brDVec3 n = {brRandom_Range(random, -1, 1), brRandom_Range(random, -1, 1), 0.5};
		// Few different ones, so that some corners share a written vertex and some do not.
		normals[c] = brRandom_Below(random, 2) == 0 ? (brVec3){0, 0, 1} : brToVec3(brDNormalize(n));
		uvs[c] = (brVec2){(float)brRandom_Unit(random), (float)brRandom_Below(random, 1u << 24) * 0x1p-24f};
		uvs[c] = brRandom_Below(random, 2) == 0 ? (brVec2){0.5f, 0.25f} : uvs[c];
	}
	for (int32_t f = 0; f < faceCount; ++f)
	{
		faceMaterials[f] = f < faceCount / 2 ? 0 : f < faceCount - 1 ? 1 : -1;
	}
	brSurfaceMaterial materials[2] = {brDefaultSurfaceMaterial(), brDefaultSurfaceMaterial()};
	snprintf(materials[0].name, sizeof(materials[0].name), "outside");
	materials[1].roughness = 0.1f;
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = vertexCount, def.positions = positions;
	def.faceCount = faceCount, def.corners = corners;
	if (!isPlain)
	{
		def.normals = normals, def.uvs = uvs, def.colors = colors;
		def.faceMaterials = faceMaterials, def.materialCount = 2, def.materials = materials;
	}
	brMesh* mesh = NULL;
	CHECK_RESULT(brCreateMesh(NULL, &def, &mesh, NULL), NULL);
	free(positions), free(corners), free(normals), free(uvs), free(colors), free(faceMaterials);
	return mesh;
}

BR_TEST(gltf_writes_and_reads_back_the_same_bits)
{
	needJson();
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 40); ++round)
	{
		// The last rounds cross the border of 16-bit indices.
		int32_t vertexCount = round < 36 ? 3 + (int32_t)brRandom_Below(&random, 300) : 65534 + (round - 36);
		brMesh* mesh = randomMesh(&random, vertexCount, 4 + (int32_t)brRandom_Below(&random, 500), round % 3 == 0);
		const char* path = brTest_ScratchPath(round % 2 == 0 ? "same.glb" : "same.gltf");
		brReport report = {0};
		CHECK_MESSAGE(brSaveMesh(NULL, mesh, path, NULL, &report) == br_success, "%s", report.text);
		brMesh* back = NULL;
		CHECK_RESULT(brLoadMesh(NULL, path, &back, &report), &report);
		checkSameMesh(mesh, back);
		brDestroyMesh(mesh);
		brDestroyMesh(back);
	}
}

BR_TEST(gltf_texture_coordinates_settle_after_one_flip)
{
	needJson();
	brRandom random = brTest_Random(test);
	int32_t lossy = 0;
	for (int32_t i = 0; i < 20000; ++i)
	{
		float v = i % 2 == 0 ? (float)brRandom_Unit(&random) : (float)brRandom_Range(&random, -1.0, 2.0);
		float once = 1.0f - v;
		CHECK_NEAR(once, 1.0 - (double)v, 0x1p-24);
		CHECK(1.0f - (1.0f - once) == once); // bits stay from the second conversion on
		lossy += 1.0f - once != v;
	}
	CHECK(lossy > 0); // the remark of the writer is about something

	brMesh* mesh = randomMesh(&random, 3, 1, false);
	mesh->uvs[0].y = 0.1f;
	brReport report = {0};
	CHECK_EQUAL(brSaveMesh(NULL, mesh, brTest_ScratchPath("uv.glb"), NULL, &report), br_remarkApproximate);
	CHECK(strstr(report.text, "texture coordinates were rounded") != NULL);
	brDestroyMesh(mesh);
}

BR_TEST(gltf_says_what_it_could_not_keep)
{
	needJson();
	brRandom random = brTest_Random(test);
	brMesh* mesh = randomMesh(&random, 30, 20, false);
	mesh->positions[3].x = 0.1;
	mesh->normals[0] = (brVec3){0.0f, 0.0f, 0.0f};
	mesh->normals[1] = (brVec3){0.0f, 3.0f, 0.0f};
	mesh->normals[2] = (brVec3){NAN, 0.0f, 0.0f};
	mesh->uvs[0].x = INFINITY;
	mesh->colors[mesh->corners[0]].x = 2.0f;
	const char* path = brTest_ScratchPath("kept.glb");
	brReport report = {0};
	CHECK_EQUAL(brSaveMesh(NULL, mesh, path, NULL, &report), br_remarkApproximate);
	CHECK(strstr(report.text, "rounded to float") != NULL);
	CHECK(strstr(report.text, "unit vectors") != NULL);
	CHECK(strstr(report.text, "clamped") != NULL);
	brMesh* back = NULL;
	CHECK_EQUAL(brLoadMesh(NULL, path, &back, &report), br_success);
	for (int32_t c = 0; c < back->cornerCount; ++c)
	{
		CHECK_NEAR(brDLength(brToDVec3(back->normals[c])), 1.0, 1e-3);
		CHECK(isfinite(back->uvs[c].x));
	}
	CHECK(back->normals[1].y == 1.0f);
	brDestroyMesh(back);
	mesh->positions[3].x = 1e300;
	CHECK_EQUAL(brSaveMesh(NULL, mesh, path, NULL, &report), br_errorGeometry);
	CHECK(strstr(report.text, "range of float") != NULL);
	brDestroyMesh(mesh);
}

BR_TEST(gltf_writes_scenes_that_read_back)
{
	needJson();
	for (int32_t yUp = 0; yUp < 2; ++yUp)
	{
		brAssembly* scene = brTestScene();
		brSaveDef def = brDefaultSaveDef();
		def.yUp = yUp == 1;
		const char* path = brTest_ScratchPath(yUp ? "scene.gltf" : "scene.glb");
		brReport report = {0};
		CHECK_EQUAL(brSaveAssembly(NULL, scene, path, &def, &report), br_remarkApproximate); // polygons
		brAssembly* back = NULL;
		CHECK_RESULT(brLoadAssembly(NULL, path, &back, &report), &report);
		CHECK_EQUAL(back->partCount, TEST_SCENE_PARTS);
		CHECK_EQUAL(back->meshCount, scene->meshCount);
		brAffine turn = brMakeAffineIdentity();
		if (yUp == 1)
		{
			turn.m.cy = (brDVec3){0.0, 0.0, -1.0};
			turn.m.cz = (brDVec3){0.0, 1.0, 0.0};
		}
		for (int32_t p = 0; p < TEST_SCENE_PARTS; ++p)
		{
			const brPart* a = &scene->parts[p];
			const brPart* b = &back->parts[p];
			CHECK_EQUAL(b->mesh, a->mesh);
			brTransform pose = a->keyCount > 0 ? scene->keys[a->firstKey].pose : brMakeTransformIdentity();
			for (int32_t k = 0; k < 4; ++k)
			{
				brDVec3 x = {k == 1, k == 2, k == 3};
				brDVec3 expected = brAffine_Point(&turn, brTransform_Point(pose, brAffine_Point(&a->placement, x)));
				CHECK_NEAR(brDDistance(brAffine_Point(&b->placement, x), expected), 0.0, 1e-14);
			}
			bool isSheared = p == 3;
			if (yUp == 0 && a->keyCount == 0 && !isSheared)
			{
				CHECK(memcmp(&a->placement, &b->placement, sizeof(brAffine)) == 0); // to the bit
			}
		}
		CHECK(strcmp(back->parts[1].name, "pri\"sm\\ \xC3\xBC \xEF\xBF\xBD") == 0);
		CHECK(strcmp(back->parts[3].name, "part_3") == 0);
		CHECK(strcmp(back->parts[6].name, "9 lives") == 0); // from the node that carries the motion
		CHECK(strcmp(back->meshes[0]->materials[0].texture, "my%20texture.png") == 0);
		CHECK(strcmp(back->meshes[0]->materials[0].name, "glass \"clear\"") == 0);
		CHECK_NEAR(back->meshes[0]->materials[1].emission.x, 4.0, 1e-6);
		CHECK_EQUAL(back->meshes[0]->vertexCount, 8);
		CHECK_EQUAL(back->meshes[1]->faceCount, 16);
		CHECK_EQUAL(back->meshes[2]->vertexCount, 5);
		CHECK(memcmp(back->meshes[1]->colors, scene->meshes[1]->colors, 10 * sizeof(brVec4)) == 0);
		brDestroyAssembly(scene);
		brDestroyAssembly(back);
	}
}

// The text of the JSON chunk, terminated, in a static buffer.
static const char* jsonOf(const char* path)
{
	static char text[65536];
	FILE* file = fopen(path, "rb");
	CHECK(file != NULL && fseek(file, 20, SEEK_SET) == 0);
	size_t length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = 0;
	return text;
}

static int32_t countWords(const char* text, const char* word)
{
	int32_t count = 0;
	for (const char* at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
	{
		count += 1;
	}
	return count;
}

BR_TEST(gltf_writes_motion_and_visibility)
{
	brAssembly* scene = brTestScene();
	const char* path = brTest_ScratchPath("motion.glb");
	CHECK_RESULT(brSaveAssembly(NULL, scene, path, NULL, NULL), NULL);
	const char* json = jsonOf(path);
	CHECK_EQUAL(countWords(json, "\"path\":\"translation\""), 2);
	CHECK_EQUAL(countWords(json, "\"path\":\"rotation\""), 2);
	CHECK_EQUAL(countWords(json, "\"path\":\"scale\""), 2);
	CHECK_EQUAL(countWords(json, "\"STEP\""), 2);
	CHECK_EQUAL(countWords(json, "\"LINEAR\""), 4);
	// Times: {0..1} and {0.25..0.75} once each for two tracks, {0, 0.25, 0.75} and {0, 0.75}: four accessors with bounds,
	// beside the three of positions.
	CHECK_EQUAL(countWords(json, "\"min\":"), 7);

	// Negative times are shifted, a part that is gone before it is born never shows, still tracks vanish.
	for (int32_t k = 0; k < scene->keyCount; ++k)
	{
		scene->keys[k].time -= 1.0;
		scene->keys[k].pose = brMakeTransformIdentity();
	}
	scene->parts[7].bornTime = 3.0;
	brReport report = {0};
	CHECK_EQUAL(brSaveAssembly(NULL, scene, path, NULL, &report), br_remarkApproximate);
	CHECK(strstr(report.text, "shifted") != NULL);
	json = jsonOf(path);
	CHECK_EQUAL(countWords(json, "\"path\":\"translation\""), 0);
	CHECK_EQUAL(countWords(json, "\"path\":\"scale\""), 2);
	scene->keys[2].pose.p.x = NAN;
	CHECK_EQUAL(brSaveAssembly(NULL, scene, path, NULL, &report), br_errorGeometry);
	CHECK(strstr(report.text, "part 5") != NULL);
	brDestroyAssembly(scene);
}

BR_TEST(gltf_writes_empty_things)
{
	needJson();
	brAssembly* empty = brCreateAssembly(NULL);
	const char* path = brTest_ScratchPath("empty.glb");
	CHECK_EQUAL(brSaveAssembly(NULL, empty, path, NULL, NULL), br_success);
	brAssembly* back = NULL;
	CHECK_EQUAL(brLoadAssembly(NULL, path, &back, NULL), br_success);
	CHECK_EQUAL(back->partCount, 0);
	brDestroyAssembly(back);

	// A part without faces, sheared so that its nodes are two.
	brMeshDef def = brDefaultMeshDef();
	brMesh* mesh = NULL;
	CHECK_EQUAL(brCreateMesh(NULL, &def, &mesh, NULL), br_success);
	brPart part = brDefaultPart();
	part.mesh = brAssembly_AddMesh(empty, mesh);
	part.placement.m.cx.y = 0.5;
	brAssembly_AddPart(empty, "nothing", &part);
	CHECK_EQUAL(brSaveAssembly(NULL, empty, path, NULL, NULL), br_remarkApproximate);
	CHECK_EQUAL(brLoadAssembly(NULL, path, &back, NULL), br_success);
	CHECK_EQUAL(back->partCount, 0);
	brDestroyAssembly(back);
	brDestroyAssembly(empty);
}

BR_TEST(gltf_and_usda_write_tets_as_their_surface)
{
	static const brDVec3 nodes[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
	static const int32_t tets[2][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}};
	brTetMeshDef def = brDefaultTetMeshDef();
	def.nodeCount = 5, def.nodes = nodes, def.tetCount = 2, def.tets = tets;
	brTetMesh* mesh = NULL;
	CHECK_RESULT(brCreateTetMesh(NULL, &def, &mesh, NULL), NULL);
	brReport report = {0};
	CHECK_EQUAL(brSaveTetMesh(NULL, mesh, brTest_ScratchPath("tets.usda"), NULL, &report), br_remarkApproximate);
	CHECK(strstr(report.text, "surface") != NULL);
	const char* path = brTest_ScratchPath("tets.glb");
	CHECK_EQUAL(brSaveTetMesh(NULL, mesh, path, NULL, &report), br_remarkApproximate);
	CHECK(strstr(report.text, "surface") != NULL);
	brDestroyTetMesh(mesh);
	needJson();
	brMesh* back = NULL;
	CHECK_EQUAL(brLoadMesh(NULL, path, &back, &report), br_success);
	CHECK_EQUAL(back->faceCount, 6); // eight faces, two of them the shared one
	CHECK_EQUAL(back->vertexCount, 5);
	brDestroyMesh(back);
}

static brResult readAndDestroy(const brContext* context, void* user)
{
	const Glb* glb = user;
	brAssembly* assembly = NULL;
	brResult result = brReadAssembly(context, glb->bytes, glb->byteCount, br_formatGlb, NULL, &assembly, NULL);
	brDestroyAssembly(assembly);
	return result;
}

typedef struct SaveCall
{
	const brAssembly* scene;
	const char* path;
} SaveCall;

static brResult saveScene(const brContext* context, void* user)
{
	const SaveCall* call = user;
	return brSaveAssembly(context, call->scene, call->path, NULL, NULL);
}

BR_TEST(gltf_survives_every_failing_allocation)
{
	needJson();
	brAssembly* scene = brTestScene();
	SaveCall call = {scene, brTest_ScratchPath("walk.glb")};
	CHECK(brTest_WalkAllocations(saveScene, &call) > 30);
	static uint8_t bytes[65536];
	FILE* file = fopen(call.path, "rb");
	CHECK(file != NULL);
	Glb glb = {bytes, fread(bytes, 1, sizeof(bytes), file)};
	fclose(file);
	CHECK(brTest_WalkAllocations(readAndDestroy, &glb) > 30);
	call.path = brTest_ScratchPath("walk.gltf");
	CHECK(brTest_WalkAllocations(saveScene, &call) > 30);
	brDestroyAssembly(scene);
}

static bool cancelAlways(double progress, void* user)
{
	(void)progress;
	*(int32_t*)user += 1;
	return true;
}

BR_TEST(gltf_stops_when_told)
{
	needJson();
	brAssembly* scene = brTestScene();
	int32_t asked = 0;
	brContext context = {.cancel = cancelAlways, .cancelUser = &asked};
	const char* path = brTest_ScratchPath("cancel.glb");
	CHECK_EQUAL(brSaveAssembly(&context, scene, path, NULL, NULL), br_errorCancelled);
	CHECK(access(path, F_OK) != 0);
	CHECK_RESULT(brSaveAssembly(NULL, scene, path, NULL, NULL), NULL);
	brAssembly* back = NULL;
	CHECK_EQUAL(brLoadAssembly(&context, path, &back, NULL), br_errorCancelled);
	CHECK_EQUAL(asked, 2);
	brDestroyAssembly(scene);
}

BR_TEST(gltf_reads_the_public_samples)
{
	needJson();
	// Parts and triangles counted from the JSON of each file.
	static const struct
	{
		const char* name;
		int32_t parts, triangles, vertices;
	} samples[] = {
		{"Box.glb", 1, 12, 8},
		{"BoxAnimated.glb", 2, 254, 88},
		{"BoxInterleaved.glb", 1, 12, 8},
		{"BoxTextured.glb", 1, 12, 8},
		{"Duck.glb", 1, 4212, 2108},
		{"GlassBrokenWindow.glb", 3, 987, 524},
		{"MorphPrimitivesTest.glb", 1, 32, 25},
		{"NegativeScaleTest.glb", 11, 7724, 2014},
		{"RiggedSimple.glb", 1, 188, 96},
		{"SimpleInstancing.glb", 125, 1500, 8},
		{"SimpleMeshes.gltf", 2, 2, 3},
		{"SimpleMorph.gltf", 1, 1, 3},
		{"SimpleSparseAccessor.gltf", 1, 12, 14},
		{"Triangle.gltf", 1, 1, 3},
		{"TriangleWithoutIndices.gltf", 1, 1, 3},
	};
	if (brTest_DataPath("gltf/Box.glb") == NULL)
	{
		brTest_Skip("the public mesh collection is not there");
	}
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); ++i)
	{
		char name[64];
		snprintf(name, sizeof(name), "gltf/%s", samples[i].name);
		brAssembly* assembly = NULL;
		brReport report = {0};
		CHECK_RESULT(brLoadAssembly(NULL, brTest_DataPath(name), &assembly, &report), &report);
		int64_t triangles = 0, vertices = 0;
		for (int32_t p = 0; p < assembly->partCount; ++p)
		{
			triangles += assembly->meshes[assembly->parts[p].mesh]->faceCount;
		}
		for (int32_t m = 0; m < assembly->meshCount; ++m)
		{
			vertices += assembly->meshes[m]->vertexCount;
		}
		CHECK_MESSAGE(assembly->partCount == samples[i].parts && triangles == samples[i].triangles &&
						  vertices == samples[i].vertices,
					  "%s: %d parts, %lld triangles, %lld vertices", samples[i].name, assembly->partCount,
					  (long long)triangles, (long long)vertices);

		// Out and in again: the same meshes at the same places, to the bit.
		const char* path = brTest_ScratchPath("sample.glb");
		brAssembly* back = NULL;
		CHECK_RESULT(brSaveAssembly(NULL, assembly, path, NULL, &report), &report);
		CHECK_RESULT(brLoadAssembly(NULL, path, &back, &report), &report);
		CHECK_EQUAL(back->partCount, assembly->partCount);
		for (int32_t p = 0; p < back->partCount; ++p)
		{
			CHECK(memcmp(&back->parts[p].placement, &assembly->parts[p].placement, sizeof(brAffine)) == 0);
			checkSameMesh(assembly->meshes[assembly->parts[p].mesh], back->meshes[back->parts[p].mesh]);
		}
		brDestroyAssembly(assembly);
		brDestroyAssembly(back);
	}
}

// Files of the corpus: seeds for the fuzzer and what it found. None may do harm.
BR_TEST(gltf_corpus_does_no_harm)
{
	needJson();
	FILE* list = popen("ls '" BR_SOURCE_DIR "'/test/corpus/gltf/* '" BR_SOURCE_DIR "'/test/corpus/glb/*", "r");
	CHECK(list != NULL);
	char path[1024];
	int32_t count = 0;
	while (fgets(path, sizeof(path), list) != NULL)
	{
		path[strcspn(path, "\n")] = 0;
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
		count += 1;
	}
	CHECK(pclose(list) == 0 && count >= 4);
}

// Welding

static int32_t weldSlowly(const float* keys, int32_t words, int32_t count, int32_t* map)
{
	int32_t unique = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t found = -1;
		for (int32_t j = 0; j < i && found < 0; ++j)
		{
			bool isEqual = true;
			for (int32_t w = 0; w < words; ++w)
			{
				isEqual &= keys[i * words + w] == keys[j * words + w];
			}
			found = isEqual ? map[j] : -1;
		}
		map[i] = found >= 0 ? found : unique++;
	}
	return unique;
}

BR_TEST(weld_agrees_with_comparing_all_pairs)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	for (int32_t round = 0; round < brTest_Rounds(test, 200); ++round)
	{
		float keys[7 * 300];
		int32_t map[300], slow[300];
		int32_t words = 3 + (int32_t)brRandom_Below(&random, 5);
		int32_t count = (int32_t)brRandom_Below(&random, 300);
		uint32_t variety = 1 + brRandom_Below(&random, 6);
		for (int32_t i = 0; i < words * count; ++i)
		{
			float value = (float)brRandom_Below(&random, variety);
			keys[i] = value == 0.0f && brRandom_Below(&random, 2) == 0 ? -0.0f : value;
		}
		brWeldKeys weldKeys = {(const uint8_t*)keys, (size_t)words * sizeof(float), words, count};
		CHECK_EQUAL(brWeldVertices(&allocator, &weldKeys, map), weldSlowly(keys, words, count, slow));
		CHECK(memcmp(map, slow, (size_t)count * sizeof(int32_t)) == 0);
	}
}

// Keys whose hashes all fall into a few slots, by running the hash backwards: the table would take quadratic time.
static uint64_t inverseOf(uint64_t odd)
{
	uint64_t inverse = odd;
	for (int32_t i = 0; i < 6; ++i)
	{
		inverse *= 2 - odd * inverse;
	}
	return inverse;
}

BR_TEST(weld_keeps_its_pace_on_hostile_keys)
{
	// The last steps are h = (g ^ g >> 32) * K with g = (f ^ f >> 32 ^ z) * K, f = (y << 32 | x) * C. For a wanted h whose
	// top bits are zero, g follows; with z fixed f follows, and x, y from f.
	const uint64_t K = inverseOf(0xD6E8FEB86659FD93u);
	const uint64_t C = inverseOf(0x9E3779B97F4A7C15u);
	enum
	{
		count = 60000
	};
	float* keys = malloc(sizeof(float) * 3 * count);
	int32_t* map = malloc(sizeof(int32_t) * count);
	CHECK(keys != NULL && map != NULL);
	for (uint32_t i = 0; i < count; ++i)
	{
		uint64_t h = (uint64_t)(i + 1) << 20;
		uint64_t g = h * K;
		g ^= g >> 32;
		uint64_t f = g * K;
		f ^= f >> 32;
		uint64_t xy = f * C;
		uint32_t x[3] = {(uint32_t)xy, (uint32_t)(xy >> 32), 0};
		memcpy(keys + 3 * (size_t)i, x, sizeof(x));
	}
	memcpy(keys + 3 * (count - 1), keys, 3 * sizeof(float)); // one double
	brTestAllocator counting;
	brTestAllocator_Init(&counting);
	brWeldKeys weldKeys = {(const uint8_t*)keys, 3 * sizeof(float), 3, count};
	CHECK_EQUAL(brWeldVertices(&counting.allocator, &weldKeys, map), count - 1);
	CHECK(counting.allocations > 1); // it did take the way out
	CHECK_EQUAL(counting.liveBlocks, 0);
	CHECK_EQUAL(map[count - 1], 0);
	brTestAllocator_Destroy(&counting);
	free(keys), free(map);
}

// What others say of our files: the format's own validator, where node and its packages are installed.
BR_TEST(gltf_validator_finds_nothing)
{
	if (access(BR_SOURCE_DIR "/test/node/node_modules/gltf-validator", R_OK) != 0)
	{
		brTest_Skip("run npm ci in test/node for the validator");
	}
	brAssembly* scene = brTestScene();
	brRandom random = brTest_Random(test);
	brMesh* mesh = randomMesh(&random, 200, 400, false);
	mesh->normals[5] = (brVec3){0.0f, 0.0f, 0.0f};
	mesh->uvs[3].x = NAN;
	mesh->colors[mesh->corners[7]].y = -3.0f;
	brSaveDef def = brDefaultSaveDef();
	const char* paths[3] = {brTest_ScratchPath("valid.glb"), brTest_ScratchPath("valid.gltf"),
							brTest_ScratchPath("mesh.glb")};
	CHECK_RESULT(brSaveAssembly(NULL, scene, paths[0], &def, NULL), NULL);
	def.yUp = true;
	CHECK_RESULT(brSaveAssembly(NULL, scene, paths[1], &def, NULL), NULL);
	CHECK_RESULT(brSaveMesh(NULL, mesh, paths[2], NULL, NULL), NULL);
	char command[2048];
	snprintf(command, sizeof(command), "node '" BR_SOURCE_DIR "/test/node/check_gltf.mjs' '%s' '%s' '%s' 1>&2",
			 paths[0], paths[1], paths[2]);
	CHECK_EQUAL(system(command), 0);
	brDestroyAssembly(scene);
	brDestroyMesh(mesh);
}
