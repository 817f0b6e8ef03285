// SPDX-License-Identifier: MIT
#include "base/memory.h"
#include "brittle/io.h"
#include "harness.h"
#include "mesh/half_edge.h"
#include "mesh/topology.h"
#include "shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static brMeshCheck checkShape(const brMesh* mesh)
{
	brMeshCheck check;
	brReport report = {0};
	CHECK_RESULT(brCheckTopology(NULL, mesh, &check, &report), &report);
	CHECK_EQUAL(check.selfIntersections, -1);
	CHECK(check.verdict[0] != 0);
	return check;
}

// Half-edges

// The slow twin: all pairs of half-edges.
static void checkTwinsByBruteForce(const brMesh* mesh, const brHalfEdges* edges)
{
	int32_t edgeCount = 0;
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		int32_t a = mesh->corners[c], b = brHalfEdges_Target(edges, c);
		int32_t along = 0, against = 0, other = -1, lower = 0;
		for (int32_t d = 0; d < mesh->cornerCount && a != b; ++d)
		{
			int32_t p = mesh->corners[d], q = brHalfEdges_Target(edges, d);
			along += p == a && q == b;
			against += p == b && q == a;
			other = p == b && q == a ? d : other;
			lower += d < c && ((p == a && q == b) || (p == b && q == a));
		}
		int32_t expected = a == b                ? br_twinVoid
						   : along + against > 2 ? br_twinNonmanifold
						   : along == 2          ? br_twinMisoriented
						   : against == 0        ? br_twinBoundary
												 : other;
		CHECK_EQUAL(edges->twins[c], expected);
		edgeCount += a != b && lower == 0;
	}
	CHECK_EQUAL(edges->edgeCount, edgeCount);
	for (int32_t e = 0; e < edges->edgeCount; ++e)
	{
		for (int32_t k = edges->edgeStarts[e] + 1; k < edges->edgeStarts[e + 1]; ++k)
		{
			CHECK(edges->edgeCorners[k - 1] < edges->edgeCorners[k]);
		}
	}
}

BR_TEST(half_edges_match_brute_force)
{
	brRandom random = brTest_Random(test);
	int32_t marks[5] = {0};
	for (int32_t round = 0; round < brTest_Rounds(test, 300); ++round)
	{
		// Few vertices, so that every kind of edge comes up.
		brDVec3 positions[24];
		int32_t corners[120], sizes[24], cornerCount = 0;
		int32_t vertexCount = 3 + (int32_t)brRandom_Below(&random, 20);
		int32_t faceCount = (int32_t)brRandom_Below(&random, 24);
		for (int32_t f = 0; f < faceCount; ++f)
		{
			sizes[f] = 3 + (int32_t)brRandom_Below(&random, 3);
			for (int32_t k = 0; k < sizes[f]; ++k)
			{
				corners[cornerCount++] = (int32_t)brRandom_Below(&random, (uint32_t)vertexCount);
			}
		}
		memset(positions, 0, sizeof(positions));
		brMesh* mesh = brShape_Make(positions, vertexCount, corners, sizes, faceCount);
		brHalfEdges edges;
		CHECK_EQUAL(brMakeHalfEdges(NULL, mesh, &edges), br_success);
		checkTwinsByBruteForce(mesh, &edges);
		for (int32_t c = 0; c < mesh->cornerCount; ++c)
		{
			marks[edges.twins[c] < 0 ? -edges.twins[c] : 0] += 1;
			CHECK_EQUAL(brHalfEdges_Previous(&edges, brHalfEdges_Next(&edges, c)), c);
			CHECK(c >= mesh->faceStarts[edges.faces[c]] && c < mesh->faceStarts[edges.faces[c] + 1]);
		}
		brFreeHalfEdges(&edges);
		brDestroyMesh(mesh);
	}
	for (int k = 0; k < 5; ++k)
	{
		CHECK(marks[k] > 0);
	}
}

BR_TEST(half_edges_walk_fans)
{
	brMesh* mesh = brShape_Sphere(3);
	brHalfEdges edges;
	CHECK_EQUAL(brMakeHalfEdges(NULL, mesh, &edges), br_success);
	CHECK_EQUAL(edges.edgeCount, 3 * mesh->faceCount / 2);
	int32_t visited = 0;
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		int32_t first = edges.vertexCorners[v], c = first;
		do
		{
			CHECK_EQUAL(mesh->corners[c], v);
			visited += 1;
			CHECK_EQUAL(brHalfEdges_TurnRight(&edges, brHalfEdges_TurnLeft(&edges, c)), c);
			c = brHalfEdges_TurnLeft(&edges, c);
		} while (c != first);
	}
	CHECK_EQUAL(visited, mesh->cornerCount);
	brFreeHalfEdges(&edges);
	brDestroyMesh(mesh);

	// An open fan starts where it can be walked to the left from end to end.
	brDVec3 positions[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
	int32_t corners[9] = {2, 3, 0, 0, 1, 2, 3, 4, 0};
	mesh = brShape_Make(positions, 5, corners, NULL, 3);
	CHECK_EQUAL(brMakeHalfEdges(NULL, mesh, &edges), br_success);
	int32_t c = edges.vertexCorners[0];
	CHECK_EQUAL(c, 3);
	c = brHalfEdges_TurnLeft(&edges, c);
	CHECK_EQUAL(c, 2);
	c = brHalfEdges_TurnLeft(&edges, c);
	CHECK_EQUAL(c, 8);
	CHECK_EQUAL(brHalfEdges_TurnLeft(&edges, c), br_twinBoundary);
	brFreeHalfEdges(&edges);
	brDestroyMesh(mesh);
}

// A vertex of thousands of faces must not take thousands squared.
BR_TEST(half_edges_of_a_hub)
{
	int32_t count = brTest_Rounds(test, 100000) + 100;
	brDVec3* positions = calloc((size_t)count + 2, sizeof(brDVec3));
	int32_t* corners = malloc((size_t)count * 6 * sizeof(int32_t));
	for (int32_t i = 0; i < count; ++i)
	{
		// A double cone; rims are numbered so that buckets are not sorted to begin with.
		int32_t a = 2 + i * 7919LL % count, b = 2 + (i + 1LL) % count * 7919LL % count;
		int32_t faces[6] = {0, a, b, 1, b, a};
		memcpy(corners + 6 * (size_t)i, faces, sizeof(faces));
	}
	brMesh* mesh = brShape_Make(positions, count + 2, corners, NULL, 2 * count);
	brContext context = {.workers = brTest_Workers(3)};
	brHalfEdges alone, shared;
	CHECK_EQUAL(brMakeHalfEdges(NULL, mesh, &alone), br_success);
	CHECK_EQUAL(brMakeHalfEdges(&context, mesh, &shared), br_success);
	CHECK_EQUAL(alone.edgeCount, 3 * count);
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		int32_t twin = alone.twins[c];
		CHECK(twin >= 0 && alone.twins[twin] == c && mesh->corners[twin] == brHalfEdges_Target(&alone, c));
	}
	CHECK(memcmp(alone.twins, shared.twins, (size_t)mesh->cornerCount * sizeof(int32_t)) == 0);
	CHECK(memcmp(alone.edgeCorners, shared.edgeCorners, (size_t)alone.halfEdgeCount * sizeof(int32_t)) == 0);
	brFreeHalfEdges(&alone);
	brFreeHalfEdges(&shared);
	brDestroyWorkers(context.workers);
	brDestroyMesh(mesh);
	free(positions);
	free(corners);
}

// The check

BR_TEST(topology_of_clean_solids)
{
	brMesh* mesh = brShape_Torus(12, 8, 2.0, 0.5);
	brMeshCheck check = checkShape(mesh);
	CHECK_EQUAL(check.vertices, 96);
	CHECK_EQUAL(check.faces, 96);
	CHECK_EQUAL(check.triangles, 192);
	CHECK_EQUAL(check.edges, 192);
	CHECK_EQUAL(check.maxFaceSize, 4);
	CHECK_EQUAL(check.components, 1);
	CHECK_EQUAL(check.euler, 0);
	CHECK(check.isClosed && check.isOriented && check.isManifold && check.isSolid);
	CHECK(check.volume == brMesh_ComputeMass(mesh, 1.0).volume && check.area == brMesh_ComputeArea(mesh));
	CHECK(strcmp(check.verdict, "a clean closed solid") == 0);
	brAffine mirror = brMakeAffineIdentity();
	mirror.m.cx.x = -1.0;
	brMesh_Transform(mesh, &mirror);
	CHECK(checkShape(mesh).isSolid);
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		mesh->positions[v].x = -mesh->positions[v].x;
	}
	check = checkShape(mesh);
	CHECK(!check.isSolid && check.isClosed && check.volume < 0.0);
	CHECK(strstr(check.verdict, "inside out") != NULL);
	brDestroyMesh(mesh);
}

BR_TEST(topology_counts_each_defect)
{
	// One of everything on a tetrahedron.
	brDVec3 p[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0}, {0, 0, 0}, {9, 9, 9}, {3, 0, 0}};

	int32_t open[9] = {0, 2, 1, 0, 1, 3, 1, 2, 3};
	brMesh* mesh = brShape_Make(p, 4, open, NULL, 3);
	brMeshCheck check = checkShape(mesh);
	CHECK_EQUAL(check.boundaryEdges, 3);
	CHECK(!check.isClosed && check.isOriented && check.isManifold && !check.isSolid && check.volume == 0.0);
	CHECK(strcmp(check.verdict, "edge 0-2 of face 0 has no second face: the surface is open (such edges: 3)") == 0);
	CHECK_EQUAL(check.euler, 1);
	brDestroyMesh(mesh);

	int32_t turned[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 3, 0};
	mesh = brShape_Make(p, 4, turned, NULL, 4);
	check = checkShape(mesh);
	CHECK_EQUAL(check.misorientedEdges, 3);
	CHECK(check.isClosed && !check.isOriented && check.isManifold && check.volume == 0.0);
	CHECK(strstr(check.verdict, "turned over") != NULL);
	brDestroyMesh(mesh);

	// A fin on edge 0-1 of the closed tetrahedron, and a vertex nobody uses, and one at the place of another.
	int32_t fin[15] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 1, 6};
	mesh = brShape_Make(p, 7, fin, NULL, 5);
	check = checkShape(mesh);
	CHECK_EQUAL(check.nonmanifoldEdges, 1);
	CHECK_EQUAL(check.boundaryEdges, 2);
	CHECK_EQUAL(check.unusedVertices, 2);
	CHECK_EQUAL(check.duplicatePositions, 1);
	CHECK_EQUAL(check.nonmanifoldVertices, 0); // the edge is to blame
	CHECK(!check.isManifold);
	brDestroyMesh(mesh);

	int32_t repeated[6] = {0, 1, 1, 0, 1, 4};
	mesh = brShape_Make(p, 6, repeated, NULL, 2);
	check = checkShape(mesh);
	CHECK_EQUAL(check.repeatedIndexFaces, 1);
	CHECK_EQUAL(check.zeroAreaFaces, 1); // the repeated one is counted apart
	CHECK_EQUAL(check.nonmanifoldVertices, 0);
	brDestroyMesh(mesh);

	// Flat polygons, equal corners first.
	int32_t flat[5] = {0, 5, 1, 4, 7};
	int32_t sizes[1] = {5};
	mesh = brShape_Make(p, 8, flat, sizes, 1);
	CHECK_EQUAL(checkShape(mesh).zeroAreaFaces, 1);
	mesh->positions[7].y = 0x1p-1074;
	CHECK_EQUAL(checkShape(mesh).zeroAreaFaces, 0);
	brDestroyMesh(mesh);

	mesh = brShape_Make(p, 3, flat, NULL, 0);
	check = checkShape(mesh);
	CHECK(!check.isClosed && !check.isSolid && check.components == 0 && check.euler == 0 && check.unusedVertices == 3);
	CHECK(check.bounds.lower.x > check.bounds.upper.x);
	brDestroyMesh(mesh);
}

BR_TEST(topology_tells_pinched_vertices_from_edges)
{
	// Two tetrahedra that share vertex 3 only.
	brDVec3 p[7] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 2}, {1, 0, 2}, {0, 1, 2}};
	int32_t corners[24] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 4, 5, 6, 4, 3, 5, 5, 3, 6, 6, 3, 4};
	brMesh* mesh = brShape_Make(p, 7, corners, NULL, 8);
	brMeshCheck check = checkShape(mesh);
	CHECK_EQUAL(check.nonmanifoldVertices, 1);
	CHECK_EQUAL(check.components, 1);
	CHECK_EQUAL(check.euler, 3);
	CHECK(check.isSolid);
	CHECK(strstr(check.verdict, "pinched at vertex 3") != NULL);
	brDestroyMesh(mesh);

	// Two tetrahedra that share edge 0-1: the edge is not manifold, each of its ends is one set of faces, and volume is
	// still well defined since every edge is run along as often one way as the other.
	brDVec3 q[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}, {0, 0, -1}};
	int32_t shared[24] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 4, 1, 0, 1, 5, 1, 4, 5, 4, 0, 5};
	mesh = brShape_Make(q, 6, shared, NULL, 8);
	check = checkShape(mesh);
	CHECK_EQUAL(check.nonmanifoldEdges, 1);
	CHECK_EQUAL(check.nonmanifoldVertices, 0);
	CHECK_NEAR(check.volume, 1.0 / 3.0, 1e-15);
	CHECK(check.isClosed && check.isOriented && !check.isManifold && !check.isSolid);
	brDestroyMesh(mesh);
}

static brResult checkOnce(const brContext* context, void* user)
{
	brMeshCheck check;
	return brCheckTopology(context, user, &check, NULL);
}

BR_TEST(topology_survives_failing_allocations)
{
	brMesh* mesh = brShape_Sphere(3);
	CHECK(brTest_WalkAllocations(checkOnce, mesh) >= 9);
	brDestroyMesh(mesh);
}

// The table of the mesh collection, computed by another program

typedef struct TableRow
{
	char file[256];
	char fields[15][64];
	int32_t fieldCount;
} TableRow;

static bool readTableRow(FILE* file, TableRow* row)
{
	char line[1024];
	if (fgets(line, sizeof(line), file) == NULL)
	{
		return false;
	}
	line[strcspn(line, "\r\n")] = 0;
	memset(row, 0, sizeof(*row));
	char* rest = line;
	char* field = brTest_NextField(&rest, ',');
	snprintf(row->file, sizeof(row->file), "%s", field);
	while (rest != NULL && row->fieldCount < 15)
	{
		field = brTest_NextField(&rest, ',');
		snprintf(row->fields[row->fieldCount++], sizeof(row->fields[0]), "%.60s", field);
	}
	return true;
}

static void compareColumn(const TableRow* row, int32_t column, int32_t actual, const char* name)
{
	CHECK_MESSAGE(actual == atoi(row->fields[column]), "%s: %s is %d, the table says %s", row->file, name, actual,
				  row->fields[column]);
}

static void compareRow(const TableRow* row, const brMesh* mesh)
{
	brMeshCheck check = checkShape(mesh);
	compareColumn(row, 0, check.vertices, "vertices");
	compareColumn(row, 1, check.faces, "faces");
	compareColumn(row, 2, check.maxFaceSize, "maxFaceSize");
	compareColumn(row, 3, check.components, "components");
	compareColumn(row, 4, check.euler, "euler");
	compareColumn(row, 5, check.boundaryEdges, "boundaryEdges");
	compareColumn(row, 6, check.nonmanifoldEdges, "nonmanifoldEdges");
	compareColumn(row, 7, check.misorientedEdges, "misorientedEdges");
	compareColumn(row, 8, check.repeatedIndexFaces, "repeatedIndexFaces");
	compareColumn(row, 9, check.zeroAreaFaces, "zeroAreaFaces");
	compareColumn(row, 10, check.duplicatePositions, "duplicatePositions");
	bool isClosed = check.isClosed && check.isOriented && check.isManifold;
	CHECK_MESSAGE(isClosed == (strcmp(row->fields[12], "yes") == 0), "%s: closed is %d, the table says %s", row->file,
				  isClosed, row->fields[12]);
	// The table has six digits.
	if (strstr(row->file, "blobby_2D") != NULL)
	{
		return; // two coordinates a vertex: the other program took the next numbers for the third
	}
	double area = atof(row->fields[13]);
	CHECK_MESSAGE(fabs(check.area - area) <= 6e-6 * area, "%s: area is %.9g, the table says %s", row->file, check.area,
				  row->fields[13]);
	if (isClosed)
	{
		double volume = atof(row->fields[14]);
		CHECK_MESSAGE(fabs(check.volume - volume) <= 6e-6 * fabs(volume), "%s: volume is %.9g, the table says %s",
					  row->file, check.volume, row->fields[14]);
	}
}

BR_TEST(topology_agrees_with_the_table_of_the_collection)
{
	const char* path = brTest_DataPath("MESHES.csv");
	if (path == NULL)
	{
		brTest_Skip("the mesh collection is not there");
	}
	FILE* file = fopen(path, "r");
	CHECK(file != NULL);
	TableRow row;
	CHECK(readTableRow(file, &row)); // headings
	int32_t compared = 0;
	while (readTableRow(file, &row))
	{
		brMesh* mesh = NULL;
		brReport report = {0};
		if (row.fieldCount < 15 || strcmp(row.fields[11], "0") != 0)
		{
			continue; // what the other program could not read
		}
		CHECK_RESULT(brLoadMesh(NULL, brTest_DataPath(row.file), &mesh, &report), &report);
		compareRow(&row, mesh);
		compared += 1;
		brDestroyMesh(mesh);
	}
	fclose(file);
	CHECK(compared > 100);
}
