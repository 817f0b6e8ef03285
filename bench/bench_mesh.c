// SPDX-License-Identifier: MIT

// Polygon meshes: connectivity, check, triangulation, mass and repair of a sphere of about 100k faces, and large
// outlines.

#include "bench.h"
#include "brittle/brittle.h"
#include "mesh/half_edge.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct MeshBench
{
	brContext context;
	brMesh* mesh;
	brMesh* soup; // every corner its own vertex
	brMesh* torn; // holes and crossings
} MeshBench;

static brMesh* makeGrid(int32_t around, int32_t across)
{
	// A torus of quads, cut into triangles: 2 * around * across faces.
	int32_t count = around * across;
	brDVec3* positions = malloc((size_t)count * sizeof(brDVec3));
	int32_t* corners = malloc((size_t)count * 6 * sizeof(int32_t));
	for (int32_t i = 0; i < around; ++i)
	{
		for (int32_t j = 0; j < across; ++j)
		{
			double u = 2.0 * BR_PI * i / around, v = 2.0 * BR_PI * j / across, r = 2.0 + 0.5 * cos(v);
			int32_t k = i * across + j, right = (i + 1) % around * across, up = (j + 1) % across;
			positions[k] = (brDVec3){r * cos(u), r * sin(u), 0.5 * sin(v)};
			int32_t quad[6] = {k, right + j, right + up, k, right + up, i * across + up};
			for (int c = 0; c < 6; ++c)
			{
				corners[6 * k + c] = quad[c];
			}
		}
	}
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = count, def.positions = positions;
	def.faceCount = 2 * count, def.corners = corners;
	brMesh* mesh = NULL;
	if (brCreateMesh(NULL, &def, &mesh, NULL) < 0)
	{
		brBench_Fail("no memory for the torus");
	}
	free(positions);
	free(corners);
	return mesh;
}

static brMesh* makeSoup(const brMesh* mesh)
{
	brDVec3* positions = malloc((size_t)mesh->cornerCount * sizeof(brDVec3));
	int32_t* corners = malloc((size_t)mesh->cornerCount * sizeof(int32_t));
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		positions[c] = mesh->positions[mesh->corners[c]];
		corners[c] = c;
	}
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = mesh->cornerCount, def.positions = positions;
	def.faceCount = mesh->faceCount, def.corners = corners;
	brMesh* soup = NULL;
	if (brCreateMesh(NULL, &def, &soup, NULL) < 0)
	{
		brBench_Fail("no memory for the soup");
	}
	free(positions);
	free(corners);
	return soup;
}

// A star of `count` corners whose radius jumps.
static brMesh* makeStarFace(int32_t count)
{
	brDVec3* positions = malloc((size_t)count * sizeof(brDVec3));
	int32_t* corners = malloc((size_t)count * sizeof(int32_t));
	for (int32_t i = 0; i < count; ++i)
	{
		double angle = 2.0 * BR_PI * i / count, radius = 0.2 + (double)(i * 2654435761u >> 8 & 0xffff) / 65536.0;
		positions[i] = (brDVec3){radius * cos(angle), radius * sin(angle), 0.0};
		corners[i] = i;
	}
	int32_t starts[2] = {0, count};
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = count, def.positions = positions;
	def.faceCount = 1, def.faceStarts = starts, def.corners = corners;
	brMesh* mesh = NULL;
	if (brCreateMesh(NULL, &def, &mesh, NULL) < 0)
	{
		brBench_Fail("no memory for the star");
	}
	free(positions);
	free(corners);
	return mesh;
}

static void runHalfEdges(void* user)
{
	MeshBench* data = user;
	brHalfEdges edges;
	if (brMakeHalfEdges(&data->context, data->mesh, &edges) < 0 || edges.edgeCount * 2 != data->mesh->cornerCount)
	{
		brBench_Fail("the torus has the wrong number of edges");
	}
	brFreeHalfEdges(&edges);
}

static void runTopology(void* user)
{
	MeshBench* data = user;
	brMeshCheck check;
	if (brCheckTopology(&data->context, data->mesh, &check, NULL) < 0 || !check.isSolid || check.euler != 0)
	{
		brBench_Fail("the torus is not seen as one");
	}
}

static void runTriangulate(void* user)
{
	MeshBench* data = user;
	brTriangulation* triangles = NULL;
	if (brTriangulateMesh(&data->context, data->mesh, &triangles, NULL) < 0)
	{
		brBench_Fail("no memory for triangles");
	}
	brDestroyTriangulation(triangles);
}

static void runMass(void* user)
{
	MeshBench* data = user;
	if (!(brMesh_ComputeMass(data->mesh, 1.0).volume > 0.0))
	{
		brBench_Fail("the torus has no volume");
	}
}

static void runRepair(void* user)
{
	MeshBench* data = user;
	brMesh* repaired = NULL;
	if (brRepairMesh(&data->context, data->soup, NULL, &repaired, NULL, NULL) < 0 ||
		repaired->vertexCount != data->mesh->vertexCount)
	{
		brBench_Fail("the soup does not weld back into the torus");
	}
	brDestroyMesh(repaired);
}

// The torus with 100 holes, each of the faces around a place, and 100 tetrahedra stuck through it: some 2,000 crossings.
static brMesh* makeTorn(const brMesh* torus, int32_t rows, int32_t columns)
{
	enum
	{
		SPIKES = 100
	};
	brMeshDef def = brDefaultMeshDef();
	brDVec3* positions = malloc(((size_t)torus->vertexCount + 4 * SPIKES) * sizeof(*positions));
	int32_t* corners = malloc(((size_t)torus->cornerCount + 12 * SPIKES) * sizeof(*corners));
	brMesh* mesh = NULL;
	if (positions == NULL || corners == NULL)
	{
		brBench_Fail("no memory for the torn torus");
	}
	memcpy(positions, torus->positions, (size_t)torus->vertexCount * sizeof(*positions));
	int32_t faces = 0, vertices = torus->vertexCount;
	for (int32_t f = 0; f < torus->faceCount; ++f)
	{
		int32_t v = torus->corners[torus->faceStarts[f]], row = v / columns % 25 - 12, column = v % columns % 20 - 10;
		if (row * row + column * column > 6)
		{
			memcpy(corners + 3 * faces++, torus->corners + torus->faceStarts[f], 3 * sizeof(int32_t));
		}
	}
	for (int32_t k = 0; k < SPIKES; ++k)
	{
		static const brDVec3 tips[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
		static const int32_t sides[12] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2};
		int32_t place = (k % 20 * (rows / 20)) * columns + k / 20 * (columns / 5);
		for (int32_t i = 0; i < 4; ++i)
		{
			positions[vertices + i] = brDMulAdd(torus->positions[place], 0.03 * (1.0 + 0.005 * k), tips[i]);
		}
		for (int32_t i = 0; i < 12; ++i)
		{
			corners[3 * faces + i] = vertices + sides[i];
		}
		faces += 4, vertices += 4;
	}
	def.vertexCount = vertices, def.positions = positions, def.faceCount = faces, def.corners = corners;
	if (brCreateMesh(NULL, &def, &mesh, NULL) < 0)
	{
		brBench_Fail("no memory for the torn torus");
	}
	free(positions);
	free(corners);
	return mesh;
}

static void runMend(void* user)
{
	MeshBench* data = user;
	brMendDef def = brDefaultMendDef();
	brMendInfo info;
	brMesh* mended = NULL;
	def.effort = br_mendFull;
	if (brMendMesh(&data->context, data->torn, &def, &mended, &info, NULL) < 0 || info.filledHoles != 100 ||
		info.resolvedCrossings < 1000)
	{
		brBench_Fail("the torn torus is not mended");
	}
	brDestroyMesh(mended);
}

BR_BENCH(mesh)
{
	MeshBench data = {.mesh = makeGrid(500, 100)};
	data.soup = makeSoup(data.mesh);
	brBench_Row(bench, "half-edges, 100k triangles", 1e3 * brBench_Median(9, runHalfEdges, &data), 0.0, "ms");
	brBench_Row(bench, "topological check, 100k triangles", 1e3 * brBench_Median(9, runTopology, &data), 0.0, "ms");
	brBench_Row(bench, "mass properties, 100k triangles", 1e3 * brBench_Median(9, runMass, &data), 0.0, "ms");
	brBench_Row(bench, "repair of 100k loose triangles", 1e3 * brBench_Median(5, runRepair, &data), 0.0, "ms");
	data.torn = makeTorn(data.mesh, 500, 100);
	brBench_Row(bench, "mend 100k triangles: 100 holes, 2,000 crossings", 1e3 * brBench_Median(5, runMend, &data), 0.0,
				"ms");
	brDestroyMesh(data.torn);
	brDestroyMesh(data.mesh);
	brDestroyMesh(data.soup);
	data.mesh = makeStarFace(10000);
	brBench_Row(bench, "triangulate a star of 10k corners", 1e3 * brBench_Median(9, runTriangulate, &data), 0.0, "ms");
	brDestroyMesh(data.mesh);
	data.mesh = makeStarFace(200000);
	brBench_Row(bench, "triangulate a star of 200k corners", 1e3 * brBench_Median(5, runTriangulate, &data), 0.0, "ms");
	brDestroyMesh(data.mesh);
}
