// SPDX-License-Identifier: MIT
#include "gltf_cases.h"
#include "harness.h"

#include <stdio.h>
#include <string.h>

static brMesh* sceneCube(void)
{
	// A unit cube of quads; faces sorted by material, a normal and a texture square on each face.
	static const brDVec3 positions[8] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
										 {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
	static const int32_t quads[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
										{1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
	static const brVec3 directions[6] = {{0, 0, -1}, {0, 0, 1}, {0, -1, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}};
	static const int32_t materials[6] = {0, 0, 0, 0, 1, 1};
	int32_t starts[7], corners[24];
	brVec3 normals[24];
	brVec2 uvs[24];
	for (int32_t f = 0; f <= 6; ++f)
	{
		starts[f] = 4 * f;
		for (int32_t k = 0; k < 4 && f < 6; ++k)
		{
			corners[4 * f + k] = quads[f][k];
			normals[4 * f + k] = directions[f];
			uvs[4 * f + k] = (brVec2){k == 1 || k == 2 ? 0.75f : 0.25f, k >= 2 ? 0.875f : 0.0f};
		}
	}
	brSurfaceMaterial surfaces[2] = {brDefaultSurfaceMaterial(), brDefaultSurfaceMaterial()};
	snprintf(surfaces[0].name, sizeof(surfaces[0].name), "glass \"clear\"");
	snprintf(surfaces[0].texture, sizeof(surfaces[0].texture), "my texture.png");
	surfaces[0].baseColor = (brVec4){0.5f, 0.75f, 1.0f, 0.25f};
	snprintf(surfaces[1].name, sizeof(surfaces[1].name), "inside");
	surfaces[1].emission = (brVec3){4.0f, 2.0f, 0.0f};
	surfaces[1].metallic = 0.5f;

	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = 8, def.positions = positions;
	def.faceCount = 6, def.faceStarts = starts, def.corners = corners;
	def.normals = normals, def.uvs = uvs;
	def.materialCount = 2, def.materials = surfaces, def.faceMaterials = materials;
	return BR_MADE(brMesh, brCreateMesh, NULL, &def);
}

static brMesh* scenePrism(void)
{
	// A prism over a concave pentagon, colored per vertex, without normals.
	static const double outline[5][2] = {{0, 0}, {2, 0}, {2, 2}, {1, 0.5}, {0, 2}};
	brDVec3 positions[10];
	brVec4 colors[10];
	int32_t corners[30], starts[8] = {0, 5, 10, 14, 18, 22, 26, 30};
	for (int32_t i = 0; i < 10; ++i)
	{
		positions[i] = (brDVec3){outline[i % 5][0], outline[i % 5][1], i / 5 * 0.5};
		colors[i] = (brVec4){(float)(i % 5) / 255.0f, 1.0f, 17.0f / 255.0f, 1.0f};
	}
	for (int32_t k = 0; k < 5; ++k)
	{
		corners[k] = 4 - k;
		corners[5 + k] = 5 + k;
		int32_t side[4] = {k, (k + 1) % 5, 5 + (k + 1) % 5, 5 + k};
		memcpy(corners + 10 + 4 * k, side, sizeof(side));
	}
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = 10, def.positions = positions, def.colors = colors;
	def.faceCount = 7, def.faceStarts = starts, def.corners = corners;
	return BR_MADE(brMesh, brCreateMesh, NULL, &def);
}

static brMesh* sceneTetrahedron(void)
{
	static const brDVec3 positions[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {9, 9, 9}}; // the last is unused
	static const int32_t corners[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = 5, def.positions = positions;
	def.faceCount = 4, def.corners = corners;
	return BR_MADE(brMesh, brCreateMesh, NULL, &def);
}

brAssembly* brTestScene(void)
{
	brAssembly* scene = brCreateAssembly(NULL);
	CHECK(scene != NULL);
	int32_t cube = brAssembly_AddMesh(scene, sceneCube());
	int32_t prism = brAssembly_AddMesh(scene, scenePrism());
	int32_t tetrahedron = brAssembly_AddMesh(scene, sceneTetrahedron());

	brPart part = brDefaultPart();
	part.mesh = cube;
	brAssembly_AddPart(scene, "cube", &part);
	part.mesh = prism;
	part.placement.p = (brDVec3){3.0, 0.1, 0.0};
	brAssembly_AddPart(scene, "pri\"sm\\ \xC3\xBC \xFF", &part);
	part.placement.m.cx.x = -1.0; // mirrored
	brAssembly_AddPart(scene, "mirror image", &part);
	part.mesh = tetrahedron;
	part.placement.m = (brMat3){{1.0, 0.25, 0.0}, {0.5, 2.0, 0.125}, {0.0, 0.75, 1.0}}; // sheared
	brAssembly_AddPart(scene, "", &part);
	part.placement = brMakeAffineIdentity();
	part.placement.m = brMakeMat3FromQuat((brQuat){0.5, 0.5, 0.5, 0.5});
	brAssembly_AddPart(scene, "9 lives", &part);

	// Moving: a full turn in four steps, on which quaternions change sign; then the same, born late, gone early,
	// placed.
	brMotionKey keys[5];
	for (int32_t k = 0; k < 5; ++k)
	{
		static const brQuat turns[5] = {
			{0, 0, 0, 1}, {0, 0, 0.8, 0.6}, {0, 0, -1, 0}, {0, 0, 0.6, -0.8}, {0, 0, 0, -1}};
		keys[k] = (brMotionKey){0.25 * k, {{0.5 * k, 0.0, 4.0}, turns[k]}};
	}
	part.placement = brMakeAffineIdentity();
	int32_t moving = brAssembly_AddPart(scene, "moving", &part);
	CHECK(brAssembly_SetMotion(scene, moving, keys, 5));
	part.placement.p.x = 2.0;
	part.bornTime = 0.25;
	part.goneTime = 0.75;
	int32_t shard = brAssembly_AddPart(scene, "9 lives", &part);
	CHECK(brAssembly_SetMotion(scene, shard, keys + 1, 3));
	part.bornTime = -INFINITY;
	brAssembly_AddPart(scene, "materials", &part); // still, but gone at 0.75
	CHECK_EQUAL(scene->partCount, TEST_SCENE_PARTS);
	return scene;
}

void brTest_NeedGltf(void)
{
	brReport report = {0};
	brAssembly* assembly = NULL;
	if (brReadAssembly(NULL, "{}", 2, br_formatGltf, NULL, &assembly, &report) == br_errorUnavailable)
	{
		brTest_Skip("this build reads no glTF: %s", report.text);
	}
}
