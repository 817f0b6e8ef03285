// SPDX-License-Identifier: MIT

// Reading and writing a big .glb, positions and indices only: half a million vertices, a million triangles, 18 MB.

#include "bench.h"
#include "brittle/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef BR_HAVE_ASSIMP
#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#endif

#define GRID 708

typedef struct GltfBench
{
	char path[64];
	brMesh* mesh;
} GltfBench;

static void gltfBenchRead(void* user)
{
	const GltfBench* data = user;
	brAssembly* assembly = NULL;
	brReport report = {0};
	if (brLoadAssembly(NULL, data->path, &assembly, &report) < 0 || assembly->meshes[0]->vertexCount != GRID * GRID)
	{
		brBench_Fail("reading the grid: %s", report.text);
	}
	brDestroyAssembly(assembly);
}

static void gltfBenchWrite(void* user)
{
	const GltfBench* data = user;
	brReport report = {0};
	if (brSaveMesh(NULL, data->mesh, data->path, NULL, &report) < 0)
	{
		brBench_Fail("writing the grid: %s", report.text);
	}
}

#ifdef BR_HAVE_ASSIMP
static void gltfBenchAssimp(void* user)
{
	// Joining equal vertices is what our reader always does.
	const GltfBench* data = user;
	const struct aiScene* scene = aiImportFile(data->path, aiProcess_JoinIdenticalVertices);
	if (scene == NULL || scene->mMeshes[0]->mNumFaces != 2 * (GRID - 1) * (GRID - 1))
	{
		brBench_Fail("assimp does not read the grid");
	}
	aiReleaseImport(scene);
}
#endif

BR_BENCH(gltf)
{
	GltfBench data;
	snprintf(data.path, sizeof(data.path), "/tmp/brittle_bench_%d.glb", (int)getpid());
	brDVec3* positions = malloc(sizeof(brDVec3) * GRID * GRID);
	int32_t* corners = malloc(sizeof(int32_t) * 6 * (GRID - 1) * (GRID - 1));
	if (positions == NULL || corners == NULL)
	{
		brBench_Fail("there is no memory for the grid");
	}
	for (int32_t i = 0; i < GRID * GRID; ++i)
	{
		double x = (double)(i / GRID), y = (double)(i % GRID);
		positions[i] = brToDVec3(brToVec3((brDVec3){0.01 * x, 0.01 * y, brSin(0.05 * x) * brCos(0.03 * y)}));
	}
	int32_t* corner = corners;
	for (int32_t i = 0; i + 1 < GRID; ++i)
	{
		for (int32_t j = 0; j + 1 < GRID; ++j)
		{
			int32_t a = i * GRID + j;
			int32_t quad[6] = {a, a + GRID, a + 1, a + 1, a + GRID, a + GRID + 1};
			for (int32_t k = 0; k < 6; ++k)
			{
				*corner++ = quad[k];
			}
		}
	}
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = GRID * GRID, def.positions = positions;
	def.faceCount = 2 * (GRID - 1) * (GRID - 1), def.corners = corners;
	if (brCreateMesh(NULL, &def, &data.mesh, NULL) < 0)
	{
		brBench_Fail("there is no memory for the grid");
	}
	double writing = brBench_Median(9, gltfBenchWrite, &data);
	struct stat info;
	if (stat(data.path, &info) != 0)
	{
		brBench_Fail("the grid was not written");
	}
	double gigabytes = 1e-9 * (double)info.st_size;
	double reading = brBench_Median(15, gltfBenchRead, &data);
	double peer = 0.0;
#ifdef BR_HAVE_ASSIMP
	peer = brBench_Median(3, gltfBenchAssimp, &data);
#endif
	brBench_Row(bench, "gltf: read 1M triangles, peer assimp", gigabytes / reading, peer > 0.0 ? gigabytes / peer : 0.0,
				"GB/s");
	brBench_Row(bench, "gltf: write 1M triangles", gigabytes / writing, 0.0, "GB/s");
	unlink(data.path);
	brDestroyMesh(data.mesh);
	free(positions), free(corners);
}
