// SPDX-License-Identifier: MIT
#include "harness.h"
#include "tet_samples.h"

#include <stdlib.h>
#include <string.h>

static const char meditText[] =
	"# a comment first\n MeshVersionFormatted 2\nDimension\n3\n\nVertices 5\n0 0 0 1\n1 0 0 1 # here too\n"
	"0 1 0 0\n0 0 1 0\n1 1 1 0\nCorners\n2\n1\n2\nEdges 1\n1 2 9\nRequiredVertices\n1 3\n"
	"Triangles\n2\n1 3 2 4\n1 2 4 0\nNormalAtVertices 1\n1 1\n"
	"Tetrahedra 2\n1 2 3 4 7\n2 3 4 5 8\nEnd\n";

BR_TEST(medit_reads_tets_and_passes_over_other_lists)
{
	brAssembly* assembly = NULL;
	brReport report = {0};
	CHECK_EQUAL(brReadAssembly(NULL, meditText, strlen(meditText), br_formatMedit, NULL, &assembly, &report),
				br_remarkDropped);
	CHECK(strstr(report.text, "left out 1 line") != NULL);
	const brTetMesh* mesh = assembly->tetMeshes[0];
	CHECK_EQUAL(mesh->nodeCount, 5);
	CHECK_EQUAL(mesh->tetCount, 2);
	CHECK(mesh->tets[1][3] == 4 && mesh->tetTags[1] == 8);
	CHECK(mesh->triangleCount == 2 && mesh->triangleTags[0] == 4 && mesh->triangleTags[1] == 0);
	brDestroyAssembly(assembly);
}

BR_TEST(medit_in_two_dimensions_is_flat)
{
	brAssembly* assembly = readText("MeshVersionFormatted 1\nDimension 2\nVertices\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
									"Quadrilaterals\n1\n1 2 3 4 -5\nTriangles\n1\n1 2 3 2",
									br_formatMedit);
	const brMesh* mesh = assembly->meshes[0];
	CHECK_EQUAL(mesh->faceCount, 2);
	CHECK_EQUAL(mesh->cornerCount, 7);
	CHECK(mesh->positions[2].z == 0.0 && mesh->positions[2].y == 1.0);
	CHECK_EQUAL(mesh->groupCount, 2);
	CHECK(strcmp(mesh->groupNames[0], "-5") == 0 && strcmp(mesh->groupNames[1], "2") == 0);
	CHECK(mesh->faceGroups[0] == 0 && mesh->faceGroups[1] == 1);
	brDestroyAssembly(assembly);
}

BR_TEST(medit_refuses_in_one_sentence)
{
#define HEAD "MeshVersionFormatted 1\nDimension 3\n"
	static const char* const cases[][2] = {
		{"", "starts with MeshVersionFormatted"},
		{"MFEM mesh v1.0\n", "starts with MeshVersionFormatted"},
		{"MeshVersionFormatted 9\n", "MeshVersionFormatted 9"},
		{HEAD, "without Vertices"},
		{"MeshVersionFormatted 1\nDimension 4\n", "memory:2: Dimension must be 2 or 3"},
		{"MeshVersionFormatted 1\nVertices\n0\n", "Dimension must come before"},
		{HEAD "Vertices\n4000000000\n0 0 0 0\n", "memory:4: 4000000000 vertices cannot follow"},
		{HEAD "Vertices\n1\n0 inf 0 0\n", "memory:5: vertex 1 is not finite"},
		{HEAD "Vertices\n2\n0 0 0 0\nEnd\n", "vertex 2 of 2"},
		{HEAD "Vertices\n1\n0 0 0 0\nVertices 1\n", "Vertices come twice"},
		{HEAD "Tetrahedra\n1\n1 2 3 4 0\n", "tetrahedra come before the vertices"},
		{HEAD "Vertices\n1\n0 0 0 0\nTetrahedra\n1\n1 1 1 2 0\n",
		 "memory:8: number 1 of the tetrahedra names vertex 2"},
		{HEAD "Vertices\n1\n0 0 0 0\nTetrahedra\n1\n1 1 1 0 0\n", "names vertex 0, there are 1"},
		{HEAD "Vertices\n1\n0 0 0 0\nTriangles\n1\n1 1 1\nEnd\n", "needs a reference"},
		{HEAD "Vertices\n1\n0 0 0 0\nTriangles\n2\n1 1 1 0\nEnd\n", "1 of the 2 triangles"},
		{HEAD "Vertices\n1\n0 0 0 0\nEdges\n9\n1 1 0\nEnd\n", "9 rows"},
		{HEAD "Vertices\n1\n0 0 0 0\nHexahedra\n1\n1 1 1 1 1 1 1 1 0\nEnd\n", "1 hexahedron, but no tetrahedra"},
		{HEAD "Vertices\n1\n0 0 0 0\n17\n", "a keyword like Vertices"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		checkTextRefused(cases[i][0], br_formatMedit, cases[i][1]);
	}
	checkRefused("\1\0\0\0\3\0\0\0", 8, br_formatMedit, "binary Medit files");
	checkRefused("\0\0\0\1\0\0\0\3", 8, br_formatMedit, "binary Medit files");
}

BR_TEST(medit_writes_what_it_reads)
{
	brTetMesh* meshes[2] = {makeTaggedTets(), makeTetCube(2)};
	for (int32_t i = 0; i < 2; ++i)
	{
		brTetMesh* back = passTets(meshes[i], "pass.mesh", NULL);
		checkSameTets(back, meshes[i]);
		brDestroyTetMesh(back);
		brDestroyTetMesh(meshes[i]);
	}
	brMesh* polygons = makePolygons(true);
	brMesh* once = passSurface(polygons, "surface.mesh", NULL, br_remarkApproximate);
	CHECK_EQUAL(once->faceCount, 8);
	CHECK(strcmp(once->groupNames[1], "2") == 0); // names are lost, numbers stay
	brMesh* twice = passSurface(once, "surface.mesh", NULL, br_success);
	checkSameSurface(twice, once);
	brDestroyMesh(polygons);
	brDestroyMesh(once);
	brDestroyMesh(twice);
}

BR_TEST(medit_prefixes_and_failing_allocations_do_no_harm)
{
	CHECK(readPrefixes(meditText, strlen(meditText), br_formatMedit) > 200);
	walkReading(meditText, strlen(meditText), br_formatMedit);
	brTetMesh* tets = makeTaggedTets();
	brMesh* surface = makePolygons(true);
	walkWriting(tets, NULL, "walk.mesh", NULL);
	walkWriting(NULL, surface, "walk.mesh", NULL);
	brDestroyTetMesh(tets);
	brDestroyMesh(surface);
}
