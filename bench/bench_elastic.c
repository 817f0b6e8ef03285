// SPDX-License-Identifier: MIT

// Elastic blocks: about 100,000 unknowns beside Eigen's conjugate gradients and CHOLMOD, which run as programs of their
// own on the same matrix, then 100,000 to 3 million by the built-in solver and by PETSc. Under mpirun PETSc spreads
// over the ranks, and each prints its own rows:
//
//     mpirun -n 2 brittle-bench elastic --only PETSc

#include "elastic_block.h"

#include "base/clock.h"
#include "elastic/body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
	blockRuns = 9
};

// Writes the matrix without held axes as scalars, and the load, for the peers: counts, row starts, columns, values of
// the lower triangle by rows, load.
static void writeSystem(const char* path, const brElasticBody* body, const brDVec3* load)
{
	const brBlockMatrix* matrix = body->system;
	int32_t* numbers = malloc(sizeof(int32_t) * 3 * (size_t)matrix->rowCount);
	int32_t counts[2] = {0, 0};
	for (int32_t i = 0; i < 3 * matrix->rowCount; ++i)
	{
		numbers[i] = (body->heldAxes[i / 3] >> i % 3 & 1) != 0 ? -1 : counts[0]++;
	}
	FILE* file = fopen(path, "wb");
	if (file == NULL)
	{
		brBench_Fail("cannot write %s", path);
	}
	for (int pass = 0; pass < 5; ++pass)
	{
		int32_t start = 0;
		if (pass == 1)
		{
			fwrite(counts, 4, 2, file);
			fwrite(&start, 4, 1, file);
		}
		for (int32_t i = 0; i < 3 * matrix->rowCount; ++i)
		{
			if (numbers[i] < 0)
			{
				continue;
			}
			for (int32_t k = matrix->starts[i / 3]; k < matrix->starts[i / 3 + 1]; ++k)
			{
				for (int c = 0; c < 3; ++c)
				{
					int32_t column = numbers[3 * matrix->columns[k] + c];
					if (column < 0 || column > numbers[i])
					{
						continue;
					}
					start += 1;
					if (pass == 2)
					{
						fwrite(&column, 4, 1, file);
					}
					else if (pass == 3)
					{
						fwrite(&matrix->blocks[9 * (size_t)k + (size_t)(3 * c + i % 3)], 8, 1, file);
					}
				}
			}
			if (pass == 1)
			{
				fwrite(&start, 4, 1, file);
			}
			else if (pass == 4)
			{
				fwrite(&(&load[i / 3].x)[i % 3], 8, 1, file);
			}
		}
		counts[1] = start;
	}
	fclose(file);
	free(numbers);
}

// Seconds that a peer reports for `what`, or 0 if it is not built or takes more than two minutes.
static double askPeer(const char* program, const char* path, const char* what)
{
	char folder[4096], command[9000], word[64];
	ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	folder[length > 0 ? length : 0] = 0;
	char* slash = strrchr(folder, '/');
	snprintf(command, sizeof(command), "timeout 120 %.*s/%s %s 2>/dev/null", slash != NULL ? (int)(slash - folder) : 1,
			 slash != NULL ? folder : ".", program, path);
	FILE* pipe = popen(command, "r");
	double seconds = 0.0, value;
	long long count;
	while (pipe != NULL && fscanf(pipe, "%63s %lld %lf", word, &count, &value) == 3)
	{
		seconds = strcmp(word, what) == 0 ? value : seconds;
	}
	if (pipe != NULL)
	{
		pclose(pipe);
	}
	return seconds;
}

static void benchBlock(brBench* bench, const brContext* context)
{
	brTetMesh* mesh = brBench_MakeBlock(32, 32, 31);
	PulledBlock block = brBench_MakePull(mesh, 33 * 33);
	brReport report = {0};
	double all[blockRuns], again[blockRuns];
	brElasticStats stats = {0};
	brElasticBody* body = NULL;
	for (int32_t run = 0; run < blockRuns; ++run)
	{
		brDestroyElasticBody(body);
		body = brBench_MakeElasticBody(context, mesh);
		brBench_Must(brElasticBody_SetSupports(body, context, block.held, block.axes, NULL, block.count, &report),
					 &report);
		brBench_Must(brElasticBody_Assemble(body, context, &report), &report);
		// As for the peers, the clock starts with the matrix.
		int64_t start = brClockNanoseconds();
		brBench_Must(brElasticBody_Solve(body, context, &block.load, NULL, &stats, &report), &report);
		all[run] = brSecondsSince(start);
		start = brClockNanoseconds();
		brBench_Must(brElasticBody_Solve(body, context, &block.load, NULL, &stats, &report), &report);
		again[run] = brSecondsSince(start);
		if (!(stats.residual <= 1.05e-8))
		{
			brBench_Fail("the residual is %g", stats.residual);
		}
	}
	char path[] = "/tmp/brittle-bench-XXXXXX";
	int file = mkstemp(path);
	if (file < 0)
	{
		brBench_Fail("no scratch file");
	}
	close(file);
	brDVec3* full = calloc((size_t)mesh->nodeCount, sizeof(brDVec3));
	for (int32_t i = 0; i < block.count; ++i)
	{
		full[block.loaded[i]] = block.forces[i];
	}
	writeSystem(path, body, full);
	double ours = 1e3 * brBench_MedianOf(all, blockRuns), second = 1e3 * brBench_MedianOf(again, blockRuns);
	char name[96];
	snprintf(name, sizeof(name), "solve %d unknowns to 1e-8 / Eigen CG, Jacobi", 3 * (mesh->nodeCount - block.count));
	brBench_Row(bench, name, ours, 1e3 * askPeer("brittle-peer-eigen", path, "jacobi"), "ms");
	brBench_Row(bench, "  / CHOLMOD, supernodal", ours, 1e3 * askPeer("brittle-peer-cholmod", path, "solve"), "ms");
	brBench_Row(bench, "  again with the hierarchy kept", second, 0.0, "ms");
	brBench_Row(bench, "  iterations", stats.iterations, 0.0, "iterations");
	unlink(path);
	free(full);
	brBench_FreePull(&block);
	brDestroyElasticBody(body);
	brDestroyTetMesh(mesh);
}

// The most memory that this process ever had, in megabytes; 0 where the system does not say.
static double peakMemory(void)
{
	FILE* file = fopen("/proc/self/status", "r");
	char line[256];
	double kilobytes = 0.0;
	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
	{
		sscanf(line, "VmHWM: %lf", &kilobytes);
	}
	if (file != NULL)
	{
		fclose(file);
	}
	return kilobytes / 1024.0;
}

// Body, matrix and solution of a cube, once: what is large is measured by itself, smallest first, for the peak of
// memory.
static void benchCube(brBench* bench, const brContext* context, int32_t cells, brElasticSolver solver)
{
	char title[64], name[96];
	snprintf(title, sizeof(title), "%s, %d unknowns", solver == br_solverPetsc ? "PETSc" : "built-in",
			 3 * (cells + 1) * (cells + 1) * cells);
	if (!brBench_Wants(bench, title))
	{
		return;
	}
	brTetMesh* mesh = brBench_MakeBlock(cells, cells, cells);
	PulledBlock block = brBench_MakePull(mesh, (cells + 1) * (cells + 1));
	brElasticSolveDef def = brDefaultElasticSolveDef();
	def.solver = solver;
	brElasticStats stats = {0};
	brReport report = {0};
	int64_t start = brClockNanoseconds();
	brElasticBody* body = brBench_MakeElasticBody(context, mesh);
	brBench_Must(brElasticBody_SetSupports(body, context, block.held, block.axes, NULL, block.count, &report), &report);
	brResult result = brElasticBody_Solve(body, context, &block.load, &def, &stats, &report);
	if (result != br_errorUnavailable)
	{
		brBench_Must(result, &report);
		snprintf(name, sizeof(name), "%s to 1e-8", title);
		brBench_Row(bench, name, brSecondsSince(start), 0.0, "s");
		snprintf(name, sizeof(name), "%s: iterations", title);
		brBench_Row(bench, name, stats.iterations, 0.0, "iterations");
		snprintf(name, sizeof(name), "%s: peak memory of the process", title);
		brBench_Row(bench, name, peakMemory(), 0.0, "MB");
	}
	brDestroyElasticBody(body);
	brBench_FreePull(&block);
	brDestroyTetMesh(mesh);
}

BR_BENCH(elastic)
{
	static const int32_t cells[] = {32, 69, 100};
	brWorkersDef def = brDefaultWorkersDef();
	brContext context = {0};
	context.workers = brCreateWorkers(&def);
	if (brBench_Wants(bench, "Eigen CHOLMOD hierarchy iterations"))
	{
		benchBlock(bench, &context);
	}
	for (int32_t i = 0; i < 3; ++i)
	{
		benchCube(bench, &context, cells[i], br_solverPetsc);
	}
	for (int32_t i = 0; i < 3; ++i)
	{
		benchCube(bench, &context, cells[i], br_solverIterative);
	}
	brDestroyWorkers(context.workers);
}
