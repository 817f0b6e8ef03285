// SPDX-License-Identifier: MIT
#include "brittle/assembly.h"
#include "harness.h"
#include "shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A triangle and a quad with every attribute; `tag` tells meshes apart.
static brMesh* makeDressedMesh(const brContext* context, float tag, const char* material)
{
	brDVec3 positions[5] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 1, -0.0}};
	int32_t starts[3] = {0, 3, 7};
	int32_t corners[7] = {1, 4, 2, 0, 1, 2, 3};
	brVec2 uvs[7];
	brVec3 normals[7];
	brVec4 colors[5];
	for (int k = 0; k < 7; ++k)
	{
		uvs[k] = (brVec2){tag, (float)k};
		normals[k] = (brVec3){0.0f, k < 3 ? 0.6f : 0.0f, k < 3 ? 0.8f : 1.0f};
	}
	for (int k = 0; k < 5; ++k)
	{
		colors[k] = (brVec4){tag, (float)k, 0.5f, 1.0f};
	}
	int32_t faceMaterials[2] = {1, -1};
	int32_t faceGroups[2] = {-1, 0};
	brSurfaceMaterial materials[2] = {brDefaultSurfaceMaterial(), brDefaultSurfaceMaterial()};
	snprintf(materials[0].name, sizeof(materials[0].name), "shared");
	snprintf(materials[1].name, sizeof(materials[1].name), "%s", material);
	char groups[1][64] = {"own"};
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = 5, def.positions = positions;
	def.faceCount = 2, def.faceStarts = starts, def.corners = corners;
	def.uvs = uvs, def.normals = normals, def.colors = colors;
	def.faceMaterials = faceMaterials, def.faceGroups = faceGroups;
	def.materialCount = 2, def.materials = materials;
	def.groupCount = 1, def.groupNames = (const char(*)[64])groups;
	brMesh* mesh = NULL;
	return brCreateMesh(context, &def, &mesh, NULL) >= 0 ? mesh : NULL;
}

static brMesh* makePlainMesh(const brContext* context)
{
	brDVec3 positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
	int32_t corners[3] = {0, 1, 2};
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = 3, def.positions = positions;
	def.faceCount = 1, def.corners = corners;
	brMesh* mesh = NULL;
	return brCreateMesh(context, &def, &mesh, NULL) >= 0 ? mesh : NULL;
}

BR_TEST(assembly_part_is_there_and_still_by_default)
{
	brPart part = brDefaultPart();
	CHECK(part.mesh == -1 && part.tetMesh == -1 && part.keyCount == 0 && part.name[0] == 0);
	CHECK(part.bornTime == -(double)INFINITY && part.goneTime == (double)INFINITY);
	brAffine identity = brMakeAffineIdentity();
	CHECK(memcmp(&part.placement, &identity, sizeof(identity)) == 0);
}

BR_TEST(transform_mirror_turns_faces_with_their_attributes)
{
	brMesh* mesh = makeDressedMesh(NULL, 1.0f, "glass");
	brMesh* before = makeDressedMesh(NULL, 1.0f, "glass");
	brAffine mirror = brMakeAffineIdentity();
	mirror.m.cx.x = -2.0;
	mirror.p.z = 3.0;
	brMesh_Transform(mesh, &mirror);
	int32_t expected[7] = {0, 2, 1, 3, 6, 5, 4}; // corner 0 stays first
	for (int c = 0; c < 7; ++c)
	{
		CHECK_EQUAL(mesh->corners[c], before->corners[expected[c]]);
		CHECK(mesh->uvs[c].y == before->uvs[expected[c]].y);
	}
	for (int v = 0; v < 5; ++v)
	{
		CHECK(mesh->positions[v].x == -2.0 * before->positions[v].x);
		CHECK(mesh->positions[v].z == before->positions[v].z + 3.0);
	}
	// The mirror in x leaves z normals as they are: outward stays outward.
	CHECK_NEAR(mesh->normals[0].y, 0.6f, 1e-6);
	CHECK_NEAR(mesh->normals[0].z, 0.8f, 1e-6);
	CHECK_NEAR(mesh->normals[3].z, 1.0f, 0.0);
	brDestroyMesh(mesh);
	brDestroyMesh(before);
}

BR_TEST(transform_normals_stay_square_to_their_faces)
{
	brRandom random = brTest_Random(test);
	int32_t mirrored = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 300); ++round)
	{
		brMesh* dressed = makeDressedMesh(NULL, 0.0f, "x");
		brAffine map;
		double* entries = (double*)&map;
		double scale = pow(10.0, brRandom_Range(&random, -150.0, 150.0));
		for (int k = 0; k < 12; ++k)
		{
			entries[k] = scale * brRandom_Range(&random, -1.0, 1.0);
		}
		mirrored += brMat3_Determinant(&map.m) < 0.0;
		brMesh_Transform(dressed, &map);
		const int32_t* c = dressed->corners + dressed->faceStarts[1]; // the quad, whose normal is its own
		brDVec3 a = brDMul(1.0 / scale, brDSub(dressed->positions[c[1]], dressed->positions[c[0]]));
		brDVec3 b = brDMul(1.0 / scale, brDSub(dressed->positions[c[2]], dressed->positions[c[0]]));
		brDVec3 normal = brDNormalize(brDCross(a, b));
		CHECK_NEAR(brDDot(normal, brToDVec3(dressed->normals[dressed->faceStarts[1]])), 1.0, 1e-5);
		brDestroyMesh(dressed);
	}
	CHECK(mirrored > 0);
}

BR_TEST(merge_appends_and_shares_materials)
{
	brMesh* first = makeDressedMesh(NULL, 1.0f, "glass");
	brMesh* plain = makePlainMesh(NULL);
	brMesh* second = makeDressedMesh(NULL, 2.0f, "clay");
	const brMesh* inputs[3] = {first, plain, second};
	brReport report = {0};
	brMesh* merged = BR_MADE(brMesh, brMergeMeshes, NULL, inputs, 3);
	CHECK_EQUAL(merged->vertexCount, 13);
	CHECK_EQUAL(merged->faceCount, 5);
	CHECK_EQUAL(merged->cornerCount, 17);
	CHECK_EQUAL(merged->materialCount, 3); // shared, glass, clay
	CHECK_EQUAL(merged->groupCount, 2);
	CHECK_EQUAL(merged->faceStarts[5], 17);
	CHECK_EQUAL(merged->faceMaterials[0], 1);
	CHECK_EQUAL(merged->faceMaterials[2], -1);
	CHECK_EQUAL(merged->faceMaterials[3], 2);
	CHECK_EQUAL(merged->faceGroups[1], 0);
	CHECK_EQUAL(merged->faceGroups[2], -1);
	CHECK_EQUAL(merged->faceGroups[4], 1);
	CHECK_EQUAL(merged->corners[10], second->corners[0] + 8);
	CHECK(merged->colors[5].x == 1.0f && merged->colors[5].w == 1.0f); // the plain one is white
	CHECK(merged->uvs[8].x == 0.0f && merged->uvs[10].x == 2.0f);
	brDestroyMesh(merged);

	// One mesh alone comes out as it is, and none gives an empty mesh.
	CHECK_RESULT(brMergeMeshes(NULL, inputs, 1, &merged, &report), &report);
	CHECK(brShape_Same(merged, first));
	brDestroyMesh(merged);
	CHECK_RESULT(brMergeMeshes(NULL, NULL, 0, &merged, &report), &report);
	CHECK_EQUAL(merged->vertexCount, 0);
	CHECK_EQUAL(merged->faceStarts[0], 0);
	brDestroyMesh(merged);
	CHECK_EQUAL(brMergeMeshes(NULL, NULL, 2, &merged, &report), br_errorMisuse);
	brDestroyMesh(first);
	brDestroyMesh(plain);
	brDestroyMesh(second);
}

BR_TEST(flatten_identity_keeps_every_bit)
{
	brAssembly* assembly = brCreateAssembly(NULL);
	brPart part = brDefaultPart();
	part.mesh = brAssembly_AddMesh(assembly, makeDressedMesh(NULL, 1.0f, "glass"));
	brAssembly_AddPart(assembly, "alone", &part);
	brMesh* flat = BR_MADE(brMesh, brAssembly_Flatten, assembly, NULL);
	CHECK(brShape_Same(flat, assembly->meshes[0])); // -0.0 among the positions included
	brDestroyMesh(flat);
	brDestroyAssembly(assembly);
}

BR_TEST(flatten_places_parts_and_names_groups)
{
	brAssembly* assembly = brCreateAssembly(NULL);
	int32_t plain = brAssembly_AddMesh(assembly, makePlainMesh(NULL));
	int32_t dressed = brAssembly_AddMesh(assembly, makeDressedMesh(NULL, 1.0f, "glass"));
	brPart part = brDefaultPart();
	part.mesh = plain;
	part.placement.p.x = 10.0;
	brAssembly_AddPart(assembly, "left", &part);
	part.placement.m.cy.y = -1.0;
	brAssembly_AddPart(assembly, NULL, &part);
	assembly->parts[1].name[0] = 0;
	part.mesh = dressed;
	part.placement = brMakeAffineIdentity();
	brAssembly_AddPart(assembly, "dressed", &part);
	brReport report = {0};
	brMesh* flat = BR_MADE(brMesh, brAssembly_Flatten, assembly, NULL);
	CHECK_EQUAL(flat->faceCount, 4);
	CHECK_EQUAL(flat->groupCount, 3);
	CHECK(strcmp(flat->groupNames[0], "left") == 0);
	CHECK(strcmp(flat->groupNames[1], "part_1") == 0);
	CHECK(strcmp(flat->groupNames[2], "own") == 0);
	CHECK_EQUAL(flat->faceGroups[0], 0);
	CHECK_EQUAL(flat->faceGroups[1], 1);
	CHECK_EQUAL(flat->faceGroups[2], -1);
	CHECK_EQUAL(flat->faceGroups[3], 2);
	CHECK(flat->positions[1].x == 11.0);
	CHECK_EQUAL(flat->corners[4], 3 + 2); // mirrored: turned over
	brDestroyMesh(flat);

	// What cannot be placed is refused with the part.
	flat = NULL;
	assembly->parts[1].placement.p.x = 1e308;
	assembly->parts[1].placement.m.cx.x = 1.7e308;
	CHECK_EQUAL(brAssembly_Flatten(assembly, NULL, &flat, &report), br_errorGeometry);
	CHECK(flat == NULL && report.element == 1);
	assembly->parts[1].placement = brMakeAffineIdentity();
	assembly->parts[2].mesh = 7;
	CHECK_EQUAL(brAssembly_Flatten(assembly, NULL, &flat, &report), br_errorMisuse);
	CHECK(flat == NULL && report.element == 2);
	brDestroyAssembly(assembly);

	assembly = brCreateAssembly(NULL);
	CHECK_RESULT(brAssembly_Flatten(assembly, NULL, &flat, &report), &report);
	CHECK_EQUAL(flat->faceCount, 0);
	brDestroyMesh(flat);
	brDestroyAssembly(assembly);
}

static brTetMesh* makeTet(void)
{
	brDVec3 nodes[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	int32_t tets[1][4] = {{0, 1, 2, 3}};
	brTetMeshDef def = brDefaultTetMeshDef();
	def.nodeCount = 4, def.nodes = nodes;
	def.tetCount = 1, def.tets = (const int32_t(*)[4])tets;
	return BR_MADE(brTetMesh, brCreateTetMesh, NULL, &def);
}

BR_TEST(flatten_takes_the_surface_of_tets)
{
	brAssembly* assembly = brCreateAssembly(NULL);
	brPart part = brDefaultPart();
	part.tetMesh = brAssembly_AddTetMesh(assembly, makeTet());
	part.placement.m.cx.x = -2.0;
	brAssembly_AddPart(assembly, "tet", &part);
	brMesh* flat = BR_MADE(brMesh, brAssembly_Flatten, assembly, NULL);
	CHECK_EQUAL(flat->faceCount, 4);
	CHECK_NEAR(brMesh_ComputeMass(flat, 1.0).volume, 1.0 / 3.0, 1e-15); // mirrored, and still outward
	brDestroyMesh(flat);
	brDestroyAssembly(assembly);
}

static brResult flattenOnce(const brContext* context, void* user)
{
	brMesh* flat = NULL;
	brResult result = brAssembly_Flatten(user, context, &flat, NULL);
	brDestroyMesh(flat);
	return result;
}

static brResult mergeOnce(const brContext* context, void* user)
{
	const brMesh* const* meshes = user;
	brMesh* merged = NULL;
	brResult result = brMergeMeshes(context, meshes, 2, &merged, NULL);
	brDestroyMesh(merged);
	return result;
}

BR_TEST(flatten_and_merge_survive_failing_allocations)
{
	brAssembly* assembly = brCreateAssembly(NULL);
	brPart part = brDefaultPart();
	part.mesh = brAssembly_AddMesh(assembly, makeDressedMesh(NULL, 1.0f, "glass"));
	brAssembly_AddPart(assembly, "a", &part);
	part.placement.m.cx.x = -1.0;
	brAssembly_AddPart(assembly, "b", &part);
	part.mesh = -1;
	part.tetMesh = brAssembly_AddTetMesh(assembly, makeTet());
	brAssembly_AddPart(assembly, "c", &part);
	CHECK(brTest_WalkAllocations(flattenOnce, assembly) > 10);
	const brMesh* meshes[2] = {assembly->meshes[0], assembly->meshes[0]};
	CHECK(brTest_WalkAllocations(mergeOnce, meshes) > 10);
	brDestroyAssembly(assembly);
}

BR_TEST(assembly_motion_times_must_rise)
{
	brAssembly* assembly = brCreateAssembly(NULL);
	brPart part = brDefaultPart();
	part.mesh = brAssembly_AddMesh(assembly, makePlainMesh(NULL));
	brAssembly_AddPart(assembly, "moves", &part);
	brMotionKey keys[3] = {
		{0.0, brMakeTransformIdentity()}, {1.0, brMakeTransformIdentity()}, {1.0, brMakeTransformIdentity()}};
	CHECK(!brAssembly_SetMotion(assembly, 0, keys, 3));
	CHECK(!brAssembly_SetMotion(assembly, 1, keys, 2));
	CHECK(brAssembly_SetMotion(assembly, 0, keys, 2));
	CHECK(!brAssembly_SetMotion(assembly, 0, keys, 2)); // has one already
	CHECK_EQUAL(assembly->parts[0].keyCount, 2);
	brDestroyAssembly(assembly);
}
