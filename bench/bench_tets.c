// SPDX-License-Identifier: MIT

// Checking and reading a mesh of a million tets.

#include "bench.h"
#include "brittle/io.h"
#include "brittle/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A cube of n^3 cells, six tets each, with coordinates of many digits.
static brTetMesh* benchTetCube(int32_t n)
{
	static const int32_t orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
	int32_t side = n + 1;
	const int32_t steps[3] = {1, side, side * side};
	brTetMeshDef def = brDefaultTetMeshDef();
	def.nodeCount = side * side * side;
	def.tetCount = 6 * n * n * n;
	brDVec3* nodes = malloc((size_t)def.nodeCount * sizeof(*nodes));
	int32_t(*tets)[4] = malloc((size_t)def.tetCount * sizeof(*tets));
	for (int32_t i = 0; i < def.nodeCount; ++i)
	{
		nodes[i] = brMakeDVec3(i % side / 3.0, i / side % side / 7.0, i / (side * side) / 11.0);
	}
	int32_t t = 0;
	for (int32_t cell = 0; cell < n * n * n; ++cell)
	{
		int32_t corner = cell % n + cell / n % n * side + cell / (n * n) * side * side;
		for (int32_t o = 0; o < 6; ++o, ++t)
		{
			int32_t a = corner + steps[orders[o][0]];
			int32_t b = a + steps[orders[o][1]];
			int32_t tet[4] = {corner, o < 3 ? a : b, o < 3 ? b : a, b + steps[orders[o][2]]};
			memcpy(tets[t], tet, sizeof(tet));
		}
	}
	def.nodes = nodes;
	def.tets = (const int32_t(*)[4])tets;
	brTetMesh* mesh = NULL;
	if (brCreateTetMesh(NULL, &def, &mesh, NULL) < 0)
	{
		brBench_Fail("there is no memory for a million tets");
	}
	free(nodes);
	free(tets);
	return mesh;
}

typedef struct TetBench
{
	const brTetMesh* mesh;
	const char* path;
} TetBench;

static void benchTetCheck(void* user)
{
	TetBench* job = user;
	brTetMeshStats stats;
	if (brTetMesh_Check(job->mesh, NULL, &stats, NULL) < 0 || stats.positiveTets != job->mesh->tetCount)
	{
		brBench_Fail("the check does not find all tets positive");
	}
}

static void benchTetSurface(void* user)
{
	TetBench* job = user;
	brMesh* surface = NULL;
	if (brTetMesh_MakeSurface(job->mesh, NULL, &surface, NULL) < 0)
	{
		brBench_Fail("there is no surface");
	}
	brDestroyMesh(surface);
}

static void benchTetRead(void* user)
{
	TetBench* job = user;
	brTetMesh* mesh = NULL;
	brReport report = {0};
	if (brLoadTetMesh(NULL, job->path, &mesh, &report) < 0 ||
		memcmp(mesh->tets, job->mesh->tets, (size_t)mesh->tetCount * sizeof(mesh->tets[0])) != 0)
	{
		brBench_Fail("what was written is not read back: %s", report.text);
	}
	brDestroyTetMesh(mesh);
}

BR_BENCH(tets)
{
	brTetMesh* mesh = benchTetCube(55);
	TetBench job = {.mesh = mesh};
	brBench_Row(bench, "check 1M tets", 1e3 * brBench_Median(5, benchTetCheck, &job), 0.0, "ms");
	brBench_Row(bench, "surface of 1M tets", 1e3 * brBench_Median(5, benchTetSurface, &job), 0.0, "ms");

	static const struct
	{
		const char* row;
		const char* ending;
		int32_t mshVersion;
		bool ascii;
	} files[] = {
		{"read msh 2.2 ASCII, 1M tets", "msh", 22, true},    {"read msh 2.2 binary, 1M tets", "msh", 22, false},
		{"read msh 4.1 ASCII, 1M tets", "msh", 41, true},    {"read msh 4.1 binary, 1M tets", "msh", 41, false},
		{"read vtk legacy ASCII, 1M tets", "vtk", 41, true}, {"read vtk legacy binary, 1M tets", "vtk", 41, false},
		{"read Medit, 1M tets", "mesh", 41, true},
	};
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); ++i)
	{
		if (!brBench_Wants(bench, files[i].row))
		{
			continue;
		}
		char path[100];
		snprintf(path, sizeof(path), "/tmp/brittle_bench_%d.%s", (int)getpid(), files[i].ending);
		brSaveDef def = brDefaultSaveDef();
		def.mshVersion = files[i].mshVersion;
		def.ascii = files[i].ascii;
		brReport report = {0};
		struct stat info;
		if (brSaveTetMesh(NULL, mesh, path, &def, &report) < 0 || stat(path, &info) != 0)
		{
			brBench_Fail("%s", report.text);
		}
		job.path = path;
		double seconds = brBench_Median(5, benchTetRead, &job);
		unlink(path);
		brBench_Row(bench, files[i].row, 1e-6 * (double)info.st_size / seconds, 0.0, "MB/s");
	}
	brDestroyTetMesh(mesh);
}
