// SPDX-License-Identifier: MIT
#include "base/os.h"
#include "harness.h"
#include "tet_samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void writeText(const char* path, const char* text)
{
	FILE* file = fopen(path, "wb");
	CHECK(file != NULL);
	CHECK(fwrite(text, 1, strlen(text), file) == strlen(text));
	fclose(file);
}

static const char nodeText[] =
	"# from TetGen\n5 3 1 1\n\n1 0 0 0 0.5 7\n2 1 0 0 0.5 7\n3 0 1 0 0.5 7 # last of the base\n"
	"4 0 0 1 0.5 7\n5 1 1 1 0.5 7\n";
static const char eleText[] = "2 4 1\n1 1 2 3 4 -2\n2 2 3 4 5 6.0\n# end\n";
static const char faceText[] = "1 1\n1 1 3 2 -1\n";

BR_TEST(tetgen_finds_the_other_file_by_either_name)
{
	const char* node = brTest_ScratchPath("model.node");
	const char* ele = brTest_ScratchPath("model.ele");
	const char* face = brTest_ScratchPath("model.face");
	writeText(node, nodeText);
	brMesh* points = NULL;
	brReport report = {0};
	CHECK_EQUAL(brLoadMesh(NULL, node, &points, &report), br_remarkDropped);
	CHECK(strstr(report.text, "nodes only") != NULL);
	CHECK(points->vertexCount == 5 && points->faceCount == 0);
	brDestroyMesh(points);
	writeText(ele, eleText);
	for (int32_t i = 0; i < 3; ++i)
	{
		if (i == 2)
		{
			writeText(face, faceText);
		}
		brTetMesh* mesh = BR_MADE(brTetMesh, brLoadTetMesh, NULL, i == 1 ? ele : node);
		CHECK_EQUAL(mesh->nodeCount, 5);
		CHECK_EQUAL(mesh->tetCount, 2);
		CHECK(mesh->tets[1][0] == 1 && mesh->tets[1][3] == 4);
		CHECK(mesh->tetTags[0] == -2 && mesh->tetTags[1] == 6);
		CHECK_EQUAL(mesh->triangleCount, i == 2);
		CHECK(i != 2 || (mesh->triangles[0][1] == 2 && mesh->triangleTags[0] == -1));
		brDestroyTetMesh(mesh);
	}
	unlink(node);
	brTetMesh* mesh = NULL;
	CHECK_EQUAL(brLoadTetMesh(NULL, ele, &mesh, &report), br_errorFile);
	CHECK(strstr(report.text, ".node file beside") != NULL && mesh == NULL);
}

BR_TEST(tetgen_counts_from_zero_and_keeps_corners_of_ten_nodes)
{
	const char* node = brTest_ScratchPath("ten.node");
	writeText(node,
			  "10 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 0 0 0\n5 0 0 0\n6 0 0 0\n7 0 0 0\n8 0 0 0\n9 0 0 0\n");
	writeText(brTest_ScratchPath("ten.ele"), "1 10 0\n0 0 1 2 3 4 5 6 7 8 9\n");
	brTetMesh* mesh = NULL;
	brReport report = {0};
	CHECK_EQUAL(brLoadTetMesh(NULL, node, &mesh, &report), br_remarkDropped);
	CHECK(strstr(report.text, "only the corners") != NULL);
	CHECK(mesh->tetCount == 1 && mesh->tets[0][3] == 3 && mesh->tetTags == NULL);
	brDestroyTetMesh(mesh);
}

BR_TEST(tetgen_refuses_in_one_sentence)
{
	static const char* const memory[][2] = {
		{"", "starts with a number of points"},
		{"4 2 0 0\n", "starts with a number of points"},
		{"99999999 3 0 0\n0 0 0 0\n", "99999999 nodes cannot follow"},
		{"2 3 0 0\n0 0 0 0\n", "node 2 of 2"},
		{"2 3 0 0\n0 0 0 0\n2 0 0 0\n", "memory:3: node 2 has the number 2"},
		{"1 3 0 0\n5 0 0 0\n", "node 1 has the number 5"},
		{"1 3 0 0\n0 0 nan 0\n", "node 0 is not finite"},
		{"1 4 0\n0 0 1 2 3\n", ".node file beside them"},
	};
	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); ++i)
	{
		checkTextRefused(memory[i][0], br_formatTetgen, memory[i][1]);
	}
	static const char* const pairs[][2] = {
		{"1 4 0\n1 1 2 3 6\n", "tetrahedron 1 names node 6"},
		{"1 4 0\n1 0 2 3 4\n", "tetrahedron 1 names node 0"},
		{"1 5 0\n1 1 2 3 4\n", "4 or 10"},
		{"2 4 0\n1 1 2 3 4\n", "tetrahedron 2 of 2"},
		{"1 4 1\n1 1 2 3 4\n", "has no region"},
		{"70000000 4 0\n1 1 2 3 4\n", "70000000 tetrahedra cannot follow"},
	};
	const char* node = brTest_ScratchPath("bad.node");
	const char* ele = brTest_ScratchPath("bad.ele");
	writeText(node, nodeText);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); ++i)
	{
		writeText(ele, pairs[i][0]);
		brAssembly* assembly = NULL;
		brReport report = {0};
		CHECK(brLoadAssembly(NULL, node, &assembly, &report) < 0 && assembly == NULL);
		CHECK_MESSAGE(strstr(report.text, pairs[i][1]) != NULL && strstr(report.text, "bad.ele") != NULL,
					  "\"%s\" does not say \"%s\"", report.text, pairs[i][1]);
	}
}

BR_TEST(tetgen_writes_what_it_reads)
{
	brTetMesh* meshes[2] = {makeTaggedTets(), makeTetCube(2)};
	for (int32_t i = 0; i < 2; ++i)
	{
		// The second has no triangles: those of the first must not be left beside it.
		const char* path = brTest_ScratchPath(i == 0 ? "pass.ele" : "pass.node");
		brReport report = {0};
		CHECK_RESULT(brSaveTetMesh(NULL, meshes[i], path, NULL, &report), &report);
		brTetMesh* back = BR_MADE(brTetMesh, brLoadTetMesh, NULL, path);
		checkSameTets(back, meshes[i]);
		brDestroyTetMesh(back);
		brDestroyTetMesh(meshes[i]);
	}
	brMesh* surface = makePolygons(false);
	brReport report = {0};
	CHECK_EQUAL(brSaveMesh(NULL, surface, brTest_ScratchPath("no.node"), NULL, &report), br_errorGeometry);
	CHECK(strstr(report.text, "hold tetrahedra") != NULL);
	CHECK(access(brTest_ScratchPath("no.node"), F_OK) != 0);
	brDestroyMesh(surface);
}

BR_TEST(tetgen_leaves_all_files_or_none)
{
	// A folder in the place of the second file: its rename fails after the first was made.
	brTetMesh* mesh = makeTetCube(1);
	const char* folder = brTest_ScratchPath("blocked.ele");
	CHECK(brOs_MakeFolder(folder) == 0);
	brReport report = {0};
	CHECK_EQUAL(brSaveTetMesh(NULL, mesh, brTest_ScratchPath("blocked.node"), NULL, &report), br_errorFile);
	CHECK(strstr(report.text, "blocked.ele") != NULL);
	CHECK(access(brTest_ScratchPath("blocked.node"), F_OK) != 0);
	CHECK(access(brTest_ScratchPath("blocked.face"), F_OK) != 0);
	rmdir(folder);
	brDestroyTetMesh(mesh);
}

static brResult loadPair(const brContext* context, void* user)
{
	brTetMesh* mesh = NULL;
	brReport report = {0};
	brResult result = brLoadTetMesh(context, user, &mesh, &report);
	brDestroyTetMesh(mesh);
	return result;
}

BR_TEST(tetgen_prefixes_and_failing_allocations_do_no_harm)
{
	CHECK(readPrefixes(nodeText, strlen(nodeText), br_formatTetgen) > 100);
	brTetMesh* mesh = makeTaggedTets();
	char path[300];
	snprintf(path, sizeof(path), "%s", brTest_ScratchPath("walk.node"));
	CHECK_RESULT(brSaveTetMesh(NULL, mesh, path, NULL, NULL), NULL);
	CHECK(brTest_WalkAllocations(loadPair, path) > 8);
	walkWriting(mesh, NULL, "walk.node", NULL);

	// All prefixes of the .ele, with the .node complete.
	for (size_t length = 0; length < strlen(eleText); ++length)
	{
		char prefix[200];
		memcpy(prefix, eleText, length);
		prefix[length] = 0;
		writeText(brTest_ScratchPath("cut.node"), nodeText);
		writeText(brTest_ScratchPath("cut.ele"), prefix);
		brAssembly* assembly = NULL;
		brReport report = {0};
		brResult result = brLoadAssembly(NULL, brTest_ScratchPath("cut.node"), &assembly, &report);
		CHECK((result < 0) == (assembly == NULL) && (result < 0 || length > 29));
		brDestroyAssembly(assembly);
	}
	brDestroyTetMesh(mesh);
}
