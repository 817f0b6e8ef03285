// SPDX-License-Identifier: MIT

// Reading and writing of big files, against assimp where it is there. Rates are file bytes over time, files in the page
// cache.
//
// Our readers give shared vertices. assimp gives three vertices of its own to each triangle unless it is told to join
// equal ones, so the first row of a format is assimp with the joining, and its number of vertices must be ours; the row
// "as is" is assimp without it, another answer.

#include "bench.h"
#include "brittle/io.h"
#include "mesh/mesh_build.h"

#include "base/clock.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef BR_HAVE_ASSIMP
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#endif

#define READ_RUNS 7
#define WRITE_RUNS 3
#define PEER_RUNS 3

// A torus with bumps: every vertex has six triangles, positions are floats, two triangles a grid cell.
static brMesh* makeBumpyTorus(int32_t around, int32_t across, bool doubles, bool attributes)
{
	brAllocator allocator = brContext_Allocator(NULL);
	int32_t cells = around * across;
	brMeshShape shape = {.vertexCount = cells,
						 .faceCount = 2 * cells,
						 .cornerCount = 6 * cells,
						 .hasUvs = attributes,
						 .hasNormals = attributes};
	brMesh* mesh = brAllocMesh(&allocator, &shape);
	if (mesh == NULL)
	{
		brBench_Fail("no memory for a mesh of %d triangles", shape.faceCount);
	}
	for (int32_t i = 0; i < around; ++i)
	{
		for (int32_t j = 0; j < across; ++j)
		{
			double u = 2.0 * BR_PI * i / around;
			double v = 2.0 * BR_PI * j / across;
			double r = 0.4 + 0.03 * brSin(11.0 * u) * brCos(7.0 * v);
			brDVec3 p = {(1.0 + r * brCos(v)) * brCos(u), (1.0 + r * brCos(v)) * brSin(u), r * brSin(v)};
			mesh->positions[i * across + j] = doubles ? p : brToDVec3(brToVec3(p));
		}
	}
	for (int32_t cell = 0; cell < cells; ++cell)
	{
		int32_t i = cell / across;
		int32_t j = cell % across;
		int32_t a = cell;
		int32_t b = i * across + (j + 1) % across;
		int32_t c = (i + 1) % around * across + (j + 1) % across;
		int32_t d = (i + 1) % around * across + j;
		int32_t corners[6] = {a, c, b, a, d, c};
		memcpy(mesh->corners + 6 * (size_t)cell, corners, sizeof(corners));
		mesh->faceStarts[2 * cell + 1] = 6 * cell + 3;
		mesh->faceStarts[2 * cell + 2] = 6 * cell + 6;
	}
	for (int32_t c = 0; c < shape.cornerCount && attributes; ++c)
	{
		int32_t v = mesh->corners[c];
		mesh->uvs[c] = (brVec2){(float)(v / across) / (float)around, (float)(v % across) / (float)across};
		mesh->normals[c] = brToVec3(brDNormalize(mesh->positions[v]));
	}
	return mesh;
}

typedef struct IoCase
{
	const char* path;
	const brMesh* mesh;
	const brSaveDef* def;
	brContext* context;
} IoCase;

static void loadOnce(void* user)
{
	const IoCase* input = user;
	brMesh* mesh = NULL;
	brReport report = {0};
	if (brLoadMesh(input->context, input->path, &mesh, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	if (mesh->vertexCount != input->mesh->vertexCount || mesh->faceCount != input->mesh->faceCount)
	{
		brBench_Fail("%s loads with %d vertices and %d faces, %d and %d were written", input->path, mesh->vertexCount,
					 mesh->faceCount, input->mesh->vertexCount, input->mesh->faceCount);
	}
	brDestroyMesh(mesh);
}

static void saveOnce(void* user)
{
	const IoCase* input = user;
	brReport report = {0};
	if (brSaveMesh(NULL, input->mesh, input->path, input->def, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
}

#ifdef BR_HAVE_ASSIMP
static void readByPeer(const IoCase* input, bool isJoined)
{
	// Normals of triangles, as STL has them, keep equal positions apart: they go where the mesh had none.
	bool dropsNormals = isJoined && input->mesh->normals == NULL;
	struct aiPropertyStore* settings = aiCreatePropertyStore();
	aiSetImportPropertyInteger(settings, AI_CONFIG_PP_RVC_FLAGS, dropsNormals ? aiComponent_NORMALS : 0);
	unsigned int steps =
		(isJoined ? aiProcess_JoinIdenticalVertices : 0) | (dropsNormals ? aiProcess_RemoveComponent : 0);
	const struct aiScene* scene = aiImportFileExWithProperties(input->path, steps, NULL, settings);
	int32_t vertices = 0;
	int32_t faces = 0;
	for (unsigned int m = 0; scene != NULL && m < scene->mNumMeshes; ++m)
	{
		vertices += (int32_t)scene->mMeshes[m]->mNumVertices;
		faces += (int32_t)scene->mMeshes[m]->mNumFaces;
	}
	if (faces != input->mesh->faceCount || (isJoined && vertices != input->mesh->vertexCount))
	{
		brBench_Fail("assimp loads %s with %d vertices and %d faces: %s", input->path, vertices, faces,
					 aiGetErrorString());
	}
	aiReleaseImport(scene);
	aiReleasePropertyStore(settings);
}

static void loadPeer(void* user)
{
	readByPeer(user, true);
}

static void loadPeerAsIs(void* user)
{
	readByPeer(user, false);
}
#endif

static void benchFormat(brBench* bench, const char* folder, const char* title, const char* file, const brMesh* mesh,
						bool ascii, bool hasPeer)
{
	char path[256];
	char row[128];
	char writeRow[128];
	snprintf(row, sizeof(row), "read %s", title);
	snprintf(writeRow, sizeof(writeRow), "write %s", title);
	if (!brBench_Wants(bench, row) && !brBench_Wants(bench, writeRow))
	{
		return;
	}
	snprintf(path, sizeof(path), "%s/%s", folder, file);
	brSaveDef def = brDefaultSaveDef();
	def.ascii = ascii;
	IoCase input = {.path = path, .mesh = mesh, .def = &def};
	double saving = brBench_Median(WRITE_RUNS, saveOnce, &input);
	struct stat info;
	if (stat(path, &info) != 0)
	{
		brBench_Fail("%s was not written", path);
	}
	double megabytes = 1e-6 * (double)info.st_size;
	double loading = brBench_Median(READ_RUNS, loadOnce, &input);
	brWorkersDef team = brDefaultWorkersDef();
	team.workerCount = 2;
	brContext context = {.workers = brCreateWorkers(&team)};
	input.context = &context;
	double shared = brBench_Median(READ_RUNS, loadOnce, &input);
	input.context = NULL;
	brDestroyWorkers(context.workers);
	double joined = 0.0;
	double asIs = 0.0;
#ifdef BR_HAVE_ASSIMP
	joined = hasPeer ? brBench_Median(PEER_RUNS, loadPeer, &input) : 0.0;
	asIs = hasPeer ? brBench_Median(PEER_RUNS, loadPeerAsIs, &input) : 0.0;
#else
	(void)hasPeer;
#endif
	snprintf(row, sizeof(row), "read %s, %d triangles, %.0f MB", title, mesh->faceCount, megabytes);
	brBench_Row(bench, row, megabytes / loading, joined > 0.0 ? megabytes / joined : 0.0, "MB/s");
	snprintf(row, sizeof(row), "read %s, two workers", title);
	brBench_Row(bench, row, megabytes / shared, joined > 0.0 ? megabytes / joined : 0.0, "MB/s");
	if (asIs > 0.0)
	{
		snprintf(row, sizeof(row), "read %s, peer as is", title);
		brBench_Row(bench, row, megabytes / loading, megabytes / asIs, "MB/s");
	}
	brBench_Row(bench, writeRow, megabytes / saving, 0.0, "MB/s");
	unlink(path);
}

BR_BENCH(io)
{
	char folder[] = "/tmp/brittle_bench_XXXXXX";
	if (mkdtemp(folder) == NULL)
	{
		brBench_Fail("cannot make a scratch folder");
	}
	brMesh* plain = makeBumpyTorus(1000, 500, false, false);
	brMesh* exact = makeBumpyTorus(1000, 500, true, false);
	brMesh* rich = makeBumpyTorus(600, 300, false, true);
	benchFormat(bench, folder, "OBJ", "plain.obj", exact, false, true);
	benchFormat(bench, folder, "OBJ, uvs and normals", "rich.obj", rich, false, true);
	benchFormat(bench, folder, "PLY binary", "plain.ply", plain, false, true);
	benchFormat(bench, folder, "PLY text", "text.ply", plain, true, true);
	benchFormat(bench, folder, "STL binary", "plain.stl", plain, false, true);
	benchFormat(bench, folder, "STL text", "text.stl", plain, true, true);
	benchFormat(bench, folder, "OFF", "plain.off", exact, false, true);
	benchFormat(bench, folder, "GLB", "plain.glb", plain, false, true);
	benchFormat(bench, folder, "GLB, uvs and normals", "rich.glb", rich, false, true);
	benchFormat(bench, folder, "MSH 4.1 binary", "plain.msh", exact, false, false);
	benchFormat(bench, folder, "VTK binary", "plain.vtk", exact, false, false);
	brDestroyMesh(plain);
	brDestroyMesh(exact);
	brDestroyMesh(rich);
	rmdir(folder);
}
