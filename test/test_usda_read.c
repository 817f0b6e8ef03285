// SPDX-License-Identifier: MIT

// USD text that others and we ourselves wrote, read back: faces, places, looks, motion; and what is refused.

#include "brittle/io.h"
#include "gltf_cases.h"
#include "harness.h"
#include "io_help.h"
#include "shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static brAssembly* readUsdaText(const char* text, brResult expected, const char* words)
{
	brAssembly* assembly = NULL;
	brReport report = {0};
	brResult result = brReadAssembly(NULL, text, strlen(text), br_formatUsda, NULL, &assembly, &report);
	CHECK_MESSAGE(result == expected, "%s: %s", brResult_GetName(result), report.text);
	CHECK_MESSAGE(words == NULL || strstr(report.text, words) != NULL, "'%s' not in: %s", words, report.text);
	return assembly;
}

static brAssembly* loadUsdaCorpus(const char* name, brResult expected, const char* words)
{
	char path[512];
	snprintf(path, sizeof(path), BR_SOURCE_DIR "/test/corpus/usda/%s", name);
	size_t byteCount;
	char* bytes = ioLoadBytes(path, &byteCount);
	brAssembly* assembly = NULL;
	brReport report = {0};
	brResult result = brReadAssembly(NULL, bytes, byteCount, br_formatUsda, NULL, &assembly, &report);
	CHECK_MESSAGE(result == expected, "%s: %s", brResult_GetName(result), report.text);
	CHECK_MESSAGE(strstr(report.text, words) != NULL, "'%s' not in: %s", words, report.text);
	free(bytes);
	return assembly;
}

static double farApart(brDVec3 a, double x, double y, double z)
{
	return brDDistance(a, brMakeDVec3(x, y, z));
}

BR_TEST(usda_read_what_blender_writes)
{
	brAssembly* scene = loadUsdaCorpus("blender.usda", br_remarkDropped, "1 shapes that are no Mesh");
	CHECK_EQUAL(scene->partCount, 1);
	const brPart* part = &scene->parts[0];
	CHECK(strcmp(part->name, "Cube") == 0);
	const brMesh* mesh = scene->meshes[part->mesh];
	CHECK_EQUAL(mesh->faceCount, 6);
	CHECK_EQUAL(mesh->cornerCount, 24);
	// (1, 1, 1): twice as far along x, turned by 90 degrees about z, moved.
	CHECK(farApart(brAffine_Point(&part->placement, mesh->positions[0]), 1 - 1, 2 + 2, 3 + 1) < 1e-15);
	CHECK(fabs(brMesh_ComputeMass(mesh, 1.0).volume - 8.0) < 1e-12);
	CHECK(mesh->normals != NULL && mesh->normals[0].z == 1.0f && mesh->normals[23].y == 1.0f);
	CHECK(mesh->uvs != NULL && mesh->uvs[21].x == 0.875f && mesh->uvs[23].y == 0.75f);
	CHECK_EQUAL(mesh->materialCount, 2);
	CHECK(strcmp(mesh->materials[0].texture, "./textures/crate.png") == 0);
	CHECK(mesh->materials[0].metallic == 0.25f && mesh->materials[0].roughness == 0.5f);
	CHECK(mesh->materials[0].baseColor.x == 1.0f);
	CHECK(strcmp(mesh->materials[1].name, "Glaze") == 0);
	CHECK(mesh->materials[1].baseColor.y == 0.1f && mesh->materials[1].baseColor.w == 0.5f);
	for (int32_t f = 0; f < 6; ++f)
	{
		CHECK_EQUAL(mesh->faceMaterials[f], f == 1 || f == 5);
	}
	brDestroyAssembly(scene);
}

static brDVec3 placeAt(const brAssembly* scene, int32_t p, int32_t key, brDVec3 point)
{
	const brPart* part = &scene->parts[p];
	brDVec3 place = brAffine_Point(&part->placement, point);
	return key < 0 ? place : brTransform_Point(scene->keys[part->firstKey + key].pose, place);
}

BR_TEST(usda_read_composes_prims_in_metres)
{
	brAssembly* scene = loadUsdaCorpus("composed.usda", br_remarkDropped, "1 references to other files");
	CHECK_EQUAL(scene->partCount, 2); // hidden ones, other variants and classes are not there
	CHECK_EQUAL(scene->meshCount, 2); // one as it is, one turned over
	const brPart *one = &scene->parts[0], *moving = &scene->parts[1];
	const brMesh* mesh = scene->meshes[one->mesh];
	CHECK_EQUAL(mesh->faceCount, 4); // the face of two corners is skipped
	CHECK(farApart(placeAt(scene, 0, -1, mesh->positions[1]), 0.0, 0.1, 0.0) < 1e-15);
	CHECK_EQUAL(mesh->materialCount, 1);
	CHECK(mesh->colors == NULL && mesh->materials[0].baseColor.y == 0.5f);
	CHECK(brMesh_ComputeMass(mesh, 1.0).volume > 0.0);
	CHECK(brMesh_ComputeMass(scene->meshes[moving->mesh], 1.0).volume < 0.0);

	CHECK_EQUAL(moving->keyCount, 3); // at 0, 25 and 50 of 25 a second
	CHECK(moving->bornTime == 10.0 / 25.0 && moving->goneTime == 40.0 / 25.0);
	CHECK(scene->keys[moving->firstKey + 2].time == 2.0);
	brDVec3 tip = {10.0, 0.0, 0.0};
	CHECK(farApart(placeAt(scene, 1, 0, tip), 0.1, 0.0, 0.0) < 1e-12);
	// Halfway through the turn of 90 degrees, at the end of the way.
	CHECK(farApart(placeAt(scene, 1, 1, tip), 1.0 + 0.1 * sqrt(0.5), 0.1 * sqrt(0.5), 0.0) < 1e-8);
	CHECK(farApart(placeAt(scene, 1, 2, tip), 1.0, 0.1, 0.0) < 1e-8);
	brDestroyAssembly(scene);
}

// The pose of a part at a time, as its keys say.
static brDVec3 placeInTime(const brAssembly* scene, int32_t p, double time, brDVec3 point)
{
	const brPart* part = &scene->parts[p];
	int32_t key = -1;
	for (int32_t k = 0; k < part->keyCount; ++k)
	{
		key = scene->keys[part->firstKey + k].time <= time + 1e-9 ? k : key;
	}
	return placeAt(scene, p, part->keyCount > 0 && key < 0 ? 0 : key, point);
}

static brDVec3 turnUp(brDVec3 v)
{
	return brMakeDVec3(v.x, v.z, 0.0 - v.y);
}

BR_TEST(usda_read_gives_back_what_was_written)
{
	for (int32_t yUp = 0; yUp < 2; ++yUp)
	{
		brAssembly *scene = brTestScene(), *back = NULL;
		brSaveDef def = brDefaultSaveDef();
		def.yUp = yUp;
		const char* path = brTest_ScratchPath("again.usda");
		brReport report = {0};
		CHECK_RESULT(brSaveAssembly(NULL, scene, path, &def, &report), &report);
		CHECK_RESULT(brLoadAssembly(NULL, path, &back, &report), &report);
		CHECK_EQUAL(back->partCount, scene->partCount);
		CHECK_EQUAL(back->meshCount, scene->meshCount); // shared ones stay shared
		for (int32_t p = 0; p < scene->partCount; ++p)
		{
			const brPart *a = &scene->parts[p], *b = &back->parts[p];
			CHECK(fabs(a->goneTime - b->goneTime) < 1e-12 || a->goneTime == b->goneTime);
			brMesh* turned = NULL; // with y up meshes are turned as well as their places
			CHECK_RESULT(brCopyMesh(NULL, scene->meshes[a->mesh], &turned, NULL), NULL);
			for (int32_t v = 0; v < turned->vertexCount && yUp; ++v)
			{
				turned->positions[v] = turnUp(turned->positions[v]);
			}
			for (int32_t c = 0; c < turned->cornerCount && yUp && turned->normals != NULL; ++c)
			{
				turned->normals[c] = brToVec3(turnUp(brToDVec3(turned->normals[c])));
			}
			CHECK_SAME(turned, back->meshes[b->mesh],
					   ioUvs | ioNormals | ioColors | ioMaterials | ioMaterialLooks | ioTextures);
			brDestroyMesh(turned);
			for (int32_t k = 0; k < a->keyCount; ++k)
			{
				double time = scene->keys[a->firstKey + k].time;
				brDVec3 tip = {0.3, -0.2, 0.7}, expected = placeInTime(scene, p, time, tip);
				expected = yUp ? turnUp(expected) : expected;
				brDVec3 got = placeInTime(back, p, time, yUp ? turnUp(tip) : tip);
				CHECK_MESSAGE(brDDistance(expected, got) < 1e-9, "part %d key %d: %g off", p, k,
							  brDDistance(expected, got));
			}
		}
		brMesh *flat = NULL, *flatBack = NULL;
		CHECK_RESULT(brAssembly_Flatten(back, NULL, &flatBack, &report), &report);
		brMeshFrame frame = brGuessMeshFrame(path, flatBack);
		CHECK(frame.isStated && frame.isYUp == (yUp == 1) && frame.unit == 1.0);
		brDestroyMesh(flat);
		brDestroyMesh(flatBack);
		brDestroyAssembly(scene);
		brDestroyAssembly(back);
	}
}

BR_TEST(usda_read_refuses_with_a_line)
{
	ioTextFails(br_formatUsda, "", br_errorFormat, "#usda");
	ioTextFails(br_formatUsda, "PXR-USDC\x01\x02", br_errorUnsupported, "binary USD");
	ioTextFails(br_formatUsda, "#usda 1.0\ndef Mesh \"m\"\n{\n", br_errorFormat, ":4: the file ends inside a prim");
	ioTextFails(br_formatUsda, "#usda 1.0\ndef Mesh m {}\n", br_errorFormat, ":2: a prim needs a name");
	ioTextFails(br_formatUsda, "#usda 1.0\ndef \"m\" {\nint[] a = [1, 2\n}\n", br_errorFormat,
				":3: a value does not end");
	ioTextFails(br_formatUsda,
				"#usda 1.0\ndef Mesh \"m\" {\npoint3f[] points = [(0,0,0),(1,0,0),(0,1,0)]\n"
				"int[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0,1,3]\n}\n",
				br_errorFormat, ":3: corner 2 of the mesh of these points names point 3, there are 3");
	ioTextFails(br_formatUsda,
				"#usda 1.0\ndef Mesh \"m\" {\npoint3f[] points = [(0,0,0),(1,0,0),(0,1,nan)]\n"
				"int[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0,1,2]\n}\n",
				br_errorFormat, ":3: point 2 is not finite");
	ioTextFails(br_formatUsda, "#usda 1.0\ndef Xform \"m\" {\nuniform token[] xformOpOrder = [\"xformOp:wobble\"]\n}\n",
				br_errorFormat, ":3: 'xformOp:wobble' is no transform");
	// A prim that holds itself, and one that unfolds into 8^7 of its kind.
	ioTextFails(br_formatUsda, "#usda 1.0\ndef \"a\" { def \"b\" (references = </a>) {} }\n", br_errorFormat, "circle");
	char text[4096] = "#usda 1.0\n";
	for (int32_t level = 0; level < 8; ++level)
	{
		size_t used = strlen(text);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s \"l%d\" {", level == 0 ? "def" : "class", level);
		for (int32_t i = 0; i < 8; ++i)
		{
			used += (size_t)snprintf(text + used, sizeof(text) - used, "def \"c%d\" (inherits = </l%d>) {}\n", i,
									 level + 1);
		}
		snprintf(text + used, sizeof(text) - used, "}\n");
	}
	ioTextFails(br_formatUsda, text, br_errorLimit, "unfolds");
	brDestroyAssembly(readUsdaText("#usda 1.0\n", br_success, NULL));
}

BR_TEST(usda_read_survives_cut_files_and_no_memory)
{
	ioReadCorpus("usda", br_formatUsda, false, 2);
	static const char* const names[] = {"blender.usda", "composed.usda"};
	for (size_t i = 0; i < 2; ++i)
	{
		char path[512];
		snprintf(path, sizeof(path), BR_SOURCE_DIR "/test/corpus/usda/%s", names[i]);
		size_t byteCount;
		void* bytes = ioLoadBytes(path, &byteCount);
		ioWalkReader(br_formatUsda, bytes, byteCount, NULL);
		free(bytes);
	}
}

// A package (.usdz) is its first file; one that is cut short at any byte is refused.
BR_TEST(usda_read_opens_packages)
{
	char path[512];
	snprintf(path, sizeof(path), "%s", brTest_ScratchPath("box.usdz"));
	brMesh *box = brShape_Box(1.0, 2.0, 3.0), *again = NULL;
	brReport report = {0};
	CHECK_RESULT(brSaveMesh(NULL, box, path, NULL, &report), &report);
	CHECK_RESULT(brLoadMesh(NULL, path, &again, &report), &report);
	CHECK(again->vertexCount == 8 && again->faceCount == box->faceCount);
	CHECK_NEAR(brMesh_ComputeMass(again, 1.0).volume, 6.0, 1e-6);
	size_t byteCount;
	char* bytes = ioLoadBytes(path, &byteCount);
	for (size_t count = 0; count < byteCount - 200; count += 7) // the list of files at the end is not looked at
	{
		brAssembly* assembly = NULL;
		brResult result = brReadAssembly(NULL, bytes, count, br_formatUsda, NULL, &assembly, &report);
		CHECK_MESSAGE(result == br_errorFormat && assembly == NULL, "%zu of %zu bytes", count, byteCount);
	}
	free(bytes);
	brDestroyMesh(box);
	brDestroyMesh(again);
}

static int32_t saveSplit(const char* path, brReport* report)
{
	brAssembly* assembly = brCreateAssembly(NULL);
	int32_t shapes[2] = {brAssembly_AddMesh(assembly, brShape_Box(1.0, 2.0, 3.0)),
						 brAssembly_AddMesh(assembly, brShape_Box(2.0, 2.0, 2.0))};
	for (int32_t i = 0; i < 3; ++i)
	{
		brPart part = brDefaultPart();
		part.mesh = shapes[i / 2];
		part.placement.p.x = 4.0 * i;
		CHECK(brAssembly_AddPart(assembly, NULL, &part) == i);
	}
	brSaveDef def = brDefaultSaveDef();
	def.split = true;
	CHECK_RESULT(brSaveAssembly(NULL, assembly, path, &def, report), report);
	brDestroyAssembly(assembly);
	return 2;
}

// Meshes in a file of their own, each once; without it, or where a prim is in both, a remark says so.
BR_TEST(usda_read_follows_files_it_is_laid_over)
{
	char path[512], meshes[512];
	snprintf(path, sizeof(path), "%s", brTest_ScratchPath("two.usda"));
	snprintf(meshes, sizeof(meshes), "%s", brTest_ScratchPath("two_meshes.usda"));
	brReport report = {0};
	int32_t meshCount = saveSplit(path, &report);
	brAssembly* again = BR_MADE(brAssembly, brLoadAssembly, NULL, path);
	CHECK(again->partCount == 3 && again->meshCount == meshCount);
	double volume = 0.0;
	for (int32_t i = 0; i < again->partCount; ++i)
	{
		volume += brMesh_ComputeMass(again->meshes[again->parts[i].mesh], 1.0).volume;
		CHECK_NEAR(again->parts[i].placement.p.x, 4.0 * i, 1e-6);
	}
	CHECK_NEAR(volume, 6.0 + 6.0 + 8.0, 1e-6);
	brDestroyAssembly(again);

	// The first file alone holds no shape.
	size_t byteCount;
	char* bytes = ioLoadBytes(path, &byteCount);
	CHECK(strstr(bytes, "faceVertexCounts") == NULL && strstr(bytes, "two_meshes.usda") != NULL);
	brResult result = brReadAssembly(NULL, bytes, byteCount, br_formatUsda, NULL, &again, &report);
	CHECK_MESSAGE(result == br_remarkDropped && strstr(report.text, "other files") != NULL, "%s", report.text);
	brDestroyAssembly(again);
	free(bytes);

	FILE* other = fopen(meshes, "w");
	CHECK(other != NULL);
	fputs("#usda 1.0\n(\n\tdoc = \"a ) in \\\" quotes\"\n)\ndef Xform \"root\"\n{\n}\n", other);
	fclose(other);
	result = brLoadAssembly(NULL, path, &again, &report);
	CHECK_MESSAGE(result == br_remarkDropped && strstr(report.text, "other files") != NULL, "%s", report.text);
	brDestroyAssembly(again);
}
