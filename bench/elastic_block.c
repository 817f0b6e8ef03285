// SPDX-License-Identifier: MIT
#include "elastic_block.h"

#include <stdlib.h>
#include <string.h>

brTetMesh* brBench_MakeBlock(int32_t nx, int32_t ny, int32_t nz)
{
	int32_t steps[3] = {1, nx + 1, (nx + 1) * (ny + 1)}, nodeCount = (nx + 1) * (ny + 1) * (nz + 1), count = 0;
	static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	static const bool isTurned[6] = {false, true, true, false, false, true};
	brDVec3* nodes = malloc(sizeof(brDVec3) * (size_t)nodeCount);
	int32_t(*tets)[4] = malloc(sizeof(*tets) * (size_t)(6 * nx * ny * nz));
	for (int32_t i = 0; i < nodeCount; ++i)
	{
		nodes[i] = (brDVec3){i % steps[1], i % steps[2] / steps[1], (double)(i / steps[2])};
	}
	for (int32_t i = 0; i < nx * ny * nz; ++i)
	{
		int32_t base = i % nx + steps[1] * (i / nx % ny) + steps[2] * (i / nx / ny);
		for (int k = 0; k < 6; ++k)
		{
			int32_t a = base + steps[orders[k][0]], b = a + steps[orders[k][1]], c = b + steps[orders[k][2]];
			int32_t tet[4] = {base, a, isTurned[k] ? c : b, isTurned[k] ? b : c};
			memcpy(tets[count++], tet, sizeof(tet));
		}
	}
	brTetMeshDef def = brDefaultTetMeshDef();
	def.nodeCount = nodeCount, def.nodes = nodes;
	def.tetCount = count, def.tets = (const int32_t(*)[4])tets;
	brTetMesh* mesh = NULL;
	brReport report = {0};
	brBench_Must(brCreateTetMesh(NULL, &def, &mesh, &report), &report);
	free(nodes);
	free(tets);
	return mesh;
}

brElasticBody* brBench_MakeElasticBody(const brContext* context, const brTetMesh* mesh)
{
	brElasticDef def = brDefaultElasticDef();
	def.mesh = mesh;
	def.poissonRatio = 0.3;
	brElasticBody* body = NULL;
	brReport report = {0};
	brBench_Must(brCreateElasticBody(context, &def, &body, &report), &report);
	return body;
}

PulledBlock brBench_MakePull(const brTetMesh* mesh, int32_t count)
{
	PulledBlock block = {.count = count, .load = brDefaultElasticLoad()};
	block.held = malloc(sizeof(int32_t) * (size_t)count);
	block.loaded = malloc(sizeof(int32_t) * (size_t)count);
	block.axes = malloc(sizeof(uint32_t) * (size_t)count);
	block.forces = malloc(sizeof(brDVec3) * (size_t)count);
	for (int32_t i = 0; i < count; ++i)
	{
		block.held[i] = i;
		block.axes[i] = 7;
		block.loaded[i] = mesh->nodeCount - 1 - i;
		block.forces[i] = (brDVec3){1e5, 0, 1e6};
	}
	block.load.forceCount = count, block.load.forceNodes = block.loaded, block.load.forces = block.forces;
	return block;
}

void brBench_FreePull(PulledBlock* block)
{
	free(block->held);
	free(block->loaded);
	free(block->axes);
	free(block->forces);
}
