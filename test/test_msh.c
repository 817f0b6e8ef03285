// SPDX-License-Identifier: MIT
#include "harness.h"
#include "io_help.h"
#include "tet_samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Nodes with wild numbers; a tet, a curved tet, two triangles in groups, a quad, a line and a point.
static const char msh2Text[] =
	"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
	"$PhysicalNames\n1\n2 9 \"skin\"\n$EndPhysicalNames\n"
	"$Comments\nanything 1 2 3\n$EndComments\n"
	"$Nodes\n11\n5 0 0 0\n9000000000 1 0 0\n7 0 1 0\n-3 0 0 1\n"
	"20 1 1 1\n21 1 0 1\n22 0.5 0 0\n23 0.5 0.5 0\n24 0 0.5 0\n25 0 0 0.5\n26 0.5 0 0.5\n$EndNodes\n"
	"$Elements\n7\n"
	"1 15 2 0 1 5\n2 1 2 0 1 5 7\n3 2 2 9 1 5 7 9000000000\n4 2 2 0 1 5 7 -3\n"
	"5 3 2 0 1 5 7 20 21\n6 4 2 3 1 5 9000000000 7 -3\n"
	"7 11 2 4 1 9000000000 7 -3 20 22 23 24 25 26 21\n$EndElements\n";

BR_TEST(msh_reads_sparse_numbers_groups_and_corners_of_curved_tets)
{
	brAssembly* assembly = NULL;
	brReport report = {0};
	brResult result = brReadAssembly(NULL, msh2Text, strlen(msh2Text), br_formatMsh, NULL, &assembly, &report);
	CHECK_EQUAL(result, br_remarkDropped);
	CHECK(strstr(report.text, "1 point, 1 line, 1 polygon") != NULL);
	CHECK(strstr(report.text, "of 1 curved elements only the corners") != NULL);
	CHECK_EQUAL(assembly->tetMeshCount, 1);
	const brTetMesh* mesh = assembly->tetMeshes[0];
	CHECK_EQUAL(mesh->nodeCount, 11);
	CHECK_EQUAL(mesh->tetCount, 2);
	static const int32_t tets[2][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}};
	CHECK(memcmp(mesh->tets, tets, sizeof(tets)) == 0);
	CHECK(mesh->tetTags[0] == 3 && mesh->tetTags[1] == 4);
	CHECK_EQUAL(mesh->triangleCount, 2);
	CHECK(mesh->triangleTags[0] == 9 && mesh->triangleTags[1] == 0);
	CHECK(mesh->triangles[1][2] == 3);
	brDestroyAssembly(assembly);
}

BR_TEST(msh_without_tets_is_a_surface_with_named_groups)
{
	brAssembly* assembly =
		readText("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
				 "$PhysicalNames\n3\n2 8 \"upper side\"\n3 8 \"inside\"\n2 4 \"unused\"\n$EndPhysicalNames\n"
				 "$Entities\n0 0 2 0\n1 0 0 0 1 1 1 1 8 0\n2 0 0 0 1 1 1 0 0\n$EndEntities\n"
				 "$Nodes\n2 5 1 9\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n1 1 0\n"
				 "2 2 1 2\n8\n9\n0 1 0 0.5 0.5\n2 1 0 0.5 0.5\n$EndNodes\n"
				 "$Elements\n2 2 1 2\n2 1 3 1\n1 1 2 3 8\n2 2 2 1\n2 2 9 3\n$EndElements\n",
				 br_formatMsh);
	CHECK_EQUAL(assembly->meshCount, 1);
	const brMesh* mesh = assembly->meshes[0];
	CHECK_EQUAL(mesh->faceCount, 2);
	CHECK_EQUAL(mesh->cornerCount, 7);
	CHECK_EQUAL(mesh->corners[3], 3);
	CHECK_EQUAL(mesh->corners[5], 4);
	CHECK_EQUAL(mesh->groupCount, 2);
	CHECK(strcmp(mesh->groupNames[0], "unused") == 0 && strcmp(mesh->groupNames[1], "upper side") == 0);
	CHECK(mesh->faceGroups[0] == 1 && mesh->faceGroups[1] == -1);
	brDestroyAssembly(assembly);
}

BR_TEST(msh_elementary_entities_are_tags_only_if_they_differ)
{
	const char* pattern = "$NOD\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -1\n$ENDNOD\n"
						  "$ELM\n2\n1 4 0 6 4 1 2 3 4\n2 4 0 %d 4 1 3 2 5\n$ENDELM\n";
	for (int32_t second = 6; second <= 7; ++second)
	{
		char text[300];
		snprintf(text, sizeof(text), pattern, second);
		brAssembly* assembly = readText(text, br_formatMsh);
		const int32_t* tags = assembly->tetMeshes[0]->tetTags;
		CHECK((tags != NULL) == (second == 7));
		CHECK(tags == NULL || (tags[0] == 6 && tags[1] == 7));
		brDestroyAssembly(assembly);
	}
}

BR_TEST(msh_version_40_is_read)
{
	brAssembly* assembly = readText("$MeshFormat\n4 0 8\n$EndMeshFormat\n"
									"$Entities\n1 0 0 1\n1 0 0 0 0 0 0 0\n1 0 0 0 1 1 1 1 77 0\n$EndEntities\n"
									"$Nodes\n1 4\n1 3 0 4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n9 0 0 1\n$EndNodes\n"
									"$Elements\n1 1\n1 3 4 1\n1 1 2 3 9\n$EndElements\n",
									br_formatMsh);
	CHECK_EQUAL(assembly->tetMeshes[0]->tets[0][3], 3);
	CHECK_EQUAL(assembly->tetMeshes[0]->tetTags[0], 77);
	brDestroyAssembly(assembly);
}

// Bytes of all 4-byte or 8-byte numbers of a binary file turned round, text left as it is.
typedef struct Swapper
{
	uint8_t bytes[4096];
	size_t count;
} Swapper;

static void putText(Swapper* out, const char* text)
{
	memcpy(out->bytes + out->count, text, strlen(text));
	out->count += strlen(text);
}

static void putBig(Swapper* out, uint64_t value, int size)
{
	for (int i = size - 1; i >= 0; --i)
	{
		out->bytes[out->count++] = (uint8_t)(value >> (8 * i));
	}
}

static void putBigDouble(Swapper* out, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, 8);
	putBig(out, bits, 8);
}

BR_TEST(msh_binary_of_the_other_byte_order_is_read)
{
	for (int32_t version = 22; version <= 41; version += 19)
	{
		Swapper out = {.count = 0};
		putText(&out, version == 22 ? "$MeshFormat\n2.2 1 8\n" : "$MeshFormat\n4.1 1 8\n");
		putBig(&out, 1, 4);
		putText(&out, "\n$EndMeshFormat\n$Nodes\n");
		if (version == 41)
		{
			const uint64_t totals[4] = {1, 4, 1, 4};
			const uint64_t block[3] = {3, 1, 0};
			for (int i = 0; i < 4; ++i)
			{
				putBig(&out, totals[i], 8);
			}
			for (int i = 0; i < 3; ++i)
			{
				putBig(&out, block[i], 4);
			}
			putBig(&out, 4, 8);
			for (uint64_t i = 1; i <= 4; ++i)
			{
				putBig(&out, i, 8);
			}
		}
		else
		{
			putText(&out, "4\n");
		}
		for (int v = 0; v < 4; ++v)
		{
			if (version == 22)
			{
				putBig(&out, (uint64_t)v + 1, 4);
			}
			for (int k = 1; k <= 3; ++k)
			{
				putBigDouble(&out, v == k ? 0.3 : 0.0);
			}
		}
		putText(&out, "\n$EndNodes\n$Elements\n");
		if (version == 41)
		{
			const uint64_t totals[4] = {1, 1, 1, 1};
			for (int i = 0; i < 4; ++i)
			{
				putBig(&out, totals[i], 8);
			}
			putBig(&out, 3, 4);
			putBig(&out, 1, 4);
			putBig(&out, 4, 4);
			for (uint64_t i = 0; i < 6; ++i)
			{
				putBig(&out, i < 2 ? 1 : i - 1, 8);
			}
		}
		else
		{
			putText(&out, "1\n");
			const uint64_t numbers[] = {4, 1, 2, 1, 6, 6, 1, 2, 3, 4};
			for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i)
			{
				putBig(&out, numbers[i], 4);
			}
		}
		putText(&out, "\n$EndElements\n");
		brAssembly* assembly = readBytes(out.bytes, out.count, br_formatMsh);
		const brTetMesh* mesh = assembly->tetMeshes[0];
		CHECK_EQUAL(mesh->tetCount, 1);
		CHECK(mesh->nodes[1].x == 0.3 && mesh->nodes[3].z == 0.3);
		CHECK(mesh->tets[0][0] == 0 && mesh->tets[0][3] == 3);
		CHECK(version == 41 || mesh->tetTags[0] == 6);
		brDestroyAssembly(assembly);
	}
}

static brSaveDef mshDef(int32_t variant)
{
	brSaveDef def = brDefaultSaveDef();
	def.mshVersion = variant & 1 ? 22 : 41;
	def.ascii = (variant & 2) != 0;
	return def;
}

BR_TEST(msh_writes_what_it_reads)
{
	for (int32_t variant = 0; variant < 4; ++variant)
	{
		brSaveDef def = mshDef(variant);
		brTetMesh* meshes[2] = {makeTaggedTets(), makeTetCube(3)};
		for (int32_t i = 0; i < 2; ++i)
		{
			brTetMesh* back = passTets(meshes[i], "pass.msh", &def);
			checkSameTets(back, meshes[i]);
			brDestroyTetMesh(back);
			brDestroyTetMesh(meshes[i]);
		}

		// Hexagons are split: what comes back is written again and then stays.
		for (int32_t withGroups = 0; withGroups < 2; ++withGroups)
		{
			brMesh* polygons = makePolygons(withGroups);
			brMesh* once = passSurface(polygons, "surface.msh", &def, br_remarkApproximate);
			CHECK_EQUAL(once->faceCount, 8);
			CHECK_EQUAL(once->groupCount, withGroups ? 2 : 0);
			CHECK(!withGroups || once->faceGroups[7] == 0);
			brMesh* twice = passSurface(once, "surface.msh", &def, br_success);
			checkSameSurface(twice, once);
			def.triangulate = true;
			brMesh* triangles = passSurface(once, "surface.msh", &def, br_success);
			CHECK_EQUAL(triangles->cornerCount, 3 * triangles->faceCount);
			def.triangulate = false;
			brDestroyMesh(polygons);
			brDestroyMesh(once);
			brDestroyMesh(twice);
			brDestroyMesh(triangles);
		}
	}
}

BR_TEST(msh_merges_placed_tet_parts)
{
	brAssembly* assembly = brCreateAssembly(NULL);
	int32_t cube = brAssembly_AddTetMesh(assembly, makeTetCube(1));
	for (int32_t i = 0; i < 2; ++i)
	{
		brPart part = brDefaultPart();
		part.tetMesh = cube;
		part.placement.m.cx.x = i == 0 ? 1.0 : -2.0; // the second is a mirror image
		part.placement.p.y = 5.0 * i;
		brAssembly_AddPart(assembly, NULL, &part);
	}
	const char* path = brTest_ScratchPath("parts.msh");
	brReport report = {0};
	CHECK_RESULT(brSaveAssembly(NULL, assembly, path, NULL, &report), &report);
	brTetMesh* merged = BR_MADE(brTetMesh, brLoadTetMesh, NULL, path);
	brTetMeshStats stats;
	CHECK_RESULT(brTetMesh_Check(merged, NULL, &stats, NULL), NULL);
	CHECK_EQUAL(stats.positiveTets, 12);
	CHECK_EQUAL(stats.components, 2);
	CHECK_NEAR(stats.volume, 3.0, 1e-14);
	brDestroyTetMesh(merged);
	brDestroyAssembly(assembly);
}

BR_TEST(msh_refuses_in_one_sentence)
{
#define HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
	static const char* const cases[][2] = {
		{"", "without nodes"},
		{"solid", "section name"},
		{"$MeshFormat\n3.1 0 8\n$EndMeshFormat\n", "version 3.1"},
		{"$MeshFormat\n2.2\n$EndMeshFormat\n", "memory:2: the header"},
		{"$MeshFormat\n2.2 1 4\n", "data size of 4"},
		{"$MeshFormat\n2.2 1 8\nxxxxxx", "byte order"},
		{"$Nodes\n", "$MeshFormat must come before $Nodes"},
		{HEAD NODES, "without elements"},
		{HEAD "$Nodes\n99999999999\n1 0 0 0\n", "memory:5: 99999999999 nodes cannot follow"},
		{HEAD "$Nodes\n1\n1 0 nan 0\n$EndNodes\n", "memory:6: node 1 is not finite"},
		{HEAD "$Nodes\n1\n1 0 1e999 0\n$EndNodes\n", "memory:6: node 1 is not finite"},
		{HEAD "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n", "node 1 is there twice"},
		{HEAD "$Nodes\n2\n1 0 0 0\n$EndNodes\n", "node 2 of 2"},
		{HEAD "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", "$EndNodes is missing"},
		{HEAD NODES NODES, "second list of nodes"},
		{HEAD "$Elements\n", "before the nodes"},
		{HEAD NODES "$Elements\n1\n1 4 2 0 0 1 2 3 5\n$EndElements\n", "element 1 names node 5"},
		{HEAD NODES "$Elements\n1\n1 4 2 0 0 1 2 3\n$EndElements\n", "element 1 ends before its 4 nodes"},
		{HEAD NODES "$Elements\n1\n1 140 2 0 0 1 2 3\n$EndElements\n", "unknown type 140"},
		{HEAD NODES "$Elements\n1 2\n", "number of elements is expected"},
		{HEAD NODES "$Elements\n5\n1 5 0 1 2 3 4 1 2 3 4\n$EndElements\n", "element 2 of 5"},
		{HEAD NODES "$Elements\n1\n1 5 0 1 2 3 4 1 2 3 4\n$EndElements\n", "holds 1 hexahedron, but no tetrahedra"},
		{HEAD "$Odd\n1 2 3\n", "section $Odd has no end"},
		{"$NOD\n1\n1 0 0 0\n$ENDNOD\n$ELM\n1\n1 4 0 0 3 1 1 1\n$ENDELM\n", "element 1 has 3 nodes, its type 4 has 4"},
		{"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 3 1 3\n2 1 0 2\n1\n2\n0 0 0\n0 0 0\n$EndNodes\n",
		 "hold 2 nodes, the header says 3"},
		{"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 1 1 1\n2 1 0 2\n1\n2\n0 0 0\n0 0 0\n$EndNodes\n",
		 "a block of 2 nodes, where 1 of 1"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		checkTextRefused(cases[i][0], br_formatMsh, cases[i][1]);
	}
	brSaveDef def = brDefaultSaveDef();
	def.mshVersion = 30;
	brTetMesh* mesh = makeTetCube(1);
	CHECK_EQUAL(brSaveTetMesh(NULL, mesh, brTest_ScratchPath("bad.msh"), &def, NULL), br_errorMisuse);
	brDestroyTetMesh(mesh);
}

BR_TEST(msh_prefixes_and_failing_allocations_do_no_harm)
{
	size_t textLength = strlen(msh2Text);
	CHECK_EQUAL(readPrefixes(msh2Text, textLength, br_formatMsh), (int64_t)textLength - 1);
	walkReading(msh2Text, textLength, br_formatMsh);
	brTetMesh* tets = makeTaggedTets();
	brMesh* surface = makePolygons(true);
	for (int32_t variant = 0; variant < 4; ++variant)
	{
		brSaveDef def = mshDef(variant);
		for (int32_t kind = 0; kind < 2; ++kind)
		{
			const char* path = brTest_ScratchPath("prefix.msh");
			brResult result =
				kind == 0 ? brSaveTetMesh(NULL, tets, path, &def, NULL) : brSaveMesh(NULL, surface, path, &def, NULL);
			CHECK(result >= 0);
			size_t byteCount;
			uint8_t* bytes = ioLoadBytes(path, &byteCount);
			CHECK_EQUAL(readPrefixes(bytes, byteCount, br_formatMsh), (int64_t)byteCount - 1);
			walkReading(bytes, byteCount, br_formatMsh);
			walkWriting(kind == 0 ? tets : NULL, kind == 0 ? NULL : surface, "walk.msh", &def);
			free(bytes);
		}
	}
	brDestroyTetMesh(tets);
	brDestroyMesh(surface);
}
