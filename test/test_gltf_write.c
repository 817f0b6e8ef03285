// SPDX-License-Identifier: MIT

// glTF as we write it: the same bits back, remarks for what cannot be kept, and the format's validator as judge.

#include "brittle/io.h"
#include "gltf_cases.h"
#include "harness.h"
#include "io_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

// Triangles with everything: unit normals, coordinates on the grid that survives the flip, colors, sorted materials.
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
	brMesh* mesh = BR_MADE(brMesh, brCreateMesh, NULL, &def);
	free(positions), free(corners), free(normals), free(uvs), free(colors), free(faceMaterials);
	return mesh;
}

BR_TEST(gltf_writes_and_reads_back_the_same_bits)
{
	brTest_NeedGltf();
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 40); ++round)
	{
		// The last rounds cross the border of 16-bit indices.
		int32_t vertexCount = round < 36 ? 3 + (int32_t)brRandom_Below(&random, 300) : 65534 + (round - 36);
		brMesh* mesh = randomMesh(&random, vertexCount, 4 + (int32_t)brRandom_Below(&random, 500), round % 3 == 0);
		const char* path = brTest_ScratchPath(round % 2 == 0 ? "same.glb" : "same.gltf");
		brReport report = {0};
		CHECK_MESSAGE(brSaveMesh(NULL, mesh, path, NULL, &report) == br_success, "%s", report.text);
		brMesh* back = BR_MADE(brMesh, brLoadMesh, NULL, path);
		checkSameMesh(mesh, back);
		brDestroyMesh(mesh);
		brDestroyMesh(back);
	}
}

BR_TEST(gltf_texture_coordinates_settle_after_one_flip)
{
	brTest_NeedGltf();
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
	brTest_NeedGltf();
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
	brTest_NeedGltf();
	for (int32_t yUp = 0; yUp < 2; ++yUp)
	{
		brAssembly* scene = brTestScene();
		brSaveDef def = brDefaultSaveDef();
		def.yUp = yUp == 1;
		const char* path = brTest_ScratchPath(yUp ? "scene.gltf" : "scene.glb");
		brReport report = {0};
		CHECK_EQUAL(brSaveAssembly(NULL, scene, path, &def, &report), br_remarkApproximate); // polygons
		brAssembly* back = BR_MADE(brAssembly, brLoadAssembly, NULL, path);
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
			CHECK_EQUAL(b->keyCount > 0, a->keyCount > 0 || isfinite(a->bornTime) || isfinite(a->goneTime));
			for (int32_t k = 0; k < 12; ++k)
			{
				brDVec3 x = {k % 4 == 1, k % 4 == 2, k % 4 == 3};
				double time = 0.4 * (k / 4);
				brDVec3 there =
					brTransform_Point(brAssembly_FindPose(scene, p, time), brAffine_Point(&a->placement, x));
				brTransform pose = brAssembly_FindPose(back, p, time);
				// With y up the mesh is turned as well as its place.
				x = brMat3_MulV(&turn.m, x);
				brDVec3 here = brTransform_Point(pose, brAffine_Point(&b->placement, x));
				CHECK_NEAR(brDDistance(here, brAffine_Point(&turn, there)), 0.0, b->keyCount > 0 ? 2e-6 : 1e-14);
			}
			bool isSheared = p == 3;
			if (yUp == 0 && a->keyCount == 0 && !isSheared)
			{
				CHECK(memcmp(&a->placement, &b->placement, sizeof(brAffine)) == 0); // to the bit
			}
		}
		CHECK(strcmp(back->parts[1].name, "pri\"sm\\ \xC3\xBC \xEF\xBF\xBD") == 0);
		CHECK(strcmp(back->parts[3].name, "part_3") == 0);
		CHECK(strncmp(back->parts[6].name, "9 lives", 7) == 0);
		CHECK(back->parts[6].bornTime == scene->parts[6].bornTime &&
			  back->parts[6].goneTime == scene->parts[6].goneTime);
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

BR_TEST(gltf_writes_motion_and_visibility)
{
	brAssembly* scene = brTestScene();
	const char* path = brTest_ScratchPath("motion.glb");
	CHECK_RESULT(brSaveAssembly(NULL, scene, path, NULL, NULL), NULL);
	const char* json = jsonOf(path);
	CHECK_EQUAL(ioCountText(json, "\"path\":\"translation\""), 2);
	CHECK_EQUAL(ioCountText(json, "\"path\":\"rotation\""), 2);
	CHECK_EQUAL(ioCountText(json, "\"path\":\"scale\""), 2);
	CHECK_EQUAL(ioCountText(json, "\"STEP\""), 2);
	CHECK_EQUAL(ioCountText(json, "\"LINEAR\""), 4);
	// Times: {0..1} and {0.25..0.75} once each for two tracks, {0, 0.25, 0.75} and {0, 0.75}: four accessors with
	// bounds, beside the three of positions.
	CHECK_EQUAL(ioCountText(json, "\"min\":"), 7);

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
	CHECK_EQUAL(ioCountText(json, "\"path\":\"translation\""), 0);
	CHECK_EQUAL(ioCountText(json, "\"path\":\"scale\""), 2);
	scene->keys[2].pose.p.x = NAN;
	CHECK_EQUAL(brSaveAssembly(NULL, scene, path, NULL, &report), br_errorGeometry);
	CHECK(strstr(report.text, "part 5") != NULL);
	brDestroyAssembly(scene);
}

BR_TEST(gltf_writes_empty_things)
{
	brTest_NeedGltf();
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
	brTetMesh* mesh = BR_MADE(brTetMesh, brCreateTetMesh, NULL, &def);
	brReport report = {0};
	CHECK_EQUAL(brSaveTetMesh(NULL, mesh, brTest_ScratchPath("tets.usda"), NULL, &report), br_remarkApproximate);
	CHECK(strstr(report.text, "surface") != NULL);
	const char* path = brTest_ScratchPath("tets.glb");
	CHECK_EQUAL(brSaveTetMesh(NULL, mesh, path, NULL, &report), br_remarkApproximate);
	CHECK(strstr(report.text, "surface") != NULL);
	brDestroyTetMesh(mesh);
	brTest_NeedGltf();
	brMesh* back = NULL;
	CHECK_EQUAL(brLoadMesh(NULL, path, &back, &report), br_success);
	CHECK_EQUAL(back->faceCount, 6); // eight faces, two of them the shared one
	CHECK_EQUAL(back->vertexCount, 5);
	brDestroyMesh(back);
}

typedef struct FileBytes
{
	uint8_t* bytes;
	size_t byteCount;
} FileBytes;

static brResult readAndDestroy(const brContext* context, void* user)
{
	const FileBytes* glb = user;
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
	brTest_NeedGltf();
	brAssembly* scene = brTestScene();
	SaveCall call = {scene, brTest_ScratchPath("walk.glb")};
	CHECK(brTest_WalkAllocations(saveScene, &call) > 30);
	static uint8_t bytes[65536];
	FILE* file = fopen(call.path, "rb");
	CHECK(file != NULL);
	FileBytes glb = {bytes, fread(bytes, 1, sizeof(bytes), file)};
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
	brTest_NeedGltf();
	brAssembly* scene = brTestScene();
	int32_t asked = 0;
	brContext context = {.cancel = cancelAlways, .cancelUser = &asked};
	const char* path = brTest_ScratchPath("cancel.glb");
	CHECK_EQUAL(brSaveAssembly(&context, scene, path, NULL, NULL), br_errorCanceled);
	CHECK(access(path, F_OK) != 0);
	CHECK_RESULT(brSaveAssembly(NULL, scene, path, NULL, NULL), NULL);
	brAssembly* back = NULL;
	CHECK_EQUAL(brLoadAssembly(&context, path, &back, NULL), br_errorCanceled);
	CHECK_EQUAL(asked, 2);
	brDestroyAssembly(scene);
}

BR_TEST(gltf_reads_the_public_samples)
{
	brTest_NeedGltf();
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
		brTest_Skip("the mesh collection is not there");
	}
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); ++i)
	{
		char name[64];
		snprintf(name, sizeof(name), "gltf/%s", samples[i].name);
		brReport report = {0};
		brAssembly* assembly = BR_MADE(brAssembly, brLoadAssembly, NULL, brTest_DataPath(name));
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
