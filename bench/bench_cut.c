// SPDX-License-Identifier: MIT

// The cutter: plane split and booleans of blobs, all outputs made, set-up included. The peers are manifold-3d from npm and CGAL's
// corefinement, run as programs of their own by bench/peers when they are installed; else rows have no peer.

#include "bench.h"

#include "brittle/cut.h"
#include "brittle/models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct CutBench
{
	brMesh* source;
	brMesh* cutter;
	brCutDef def;
	brContext context;
	bool isPlane;
	double volume;
	int32_t pieces;
} CutBench;

static void cutOnce(void* user)
{
	CutBench* bench = user;
	brCutResult* result = NULL;
	brReport report = {0};
	brResult code = bench->isPlane
						? brCutMeshByPlane(&bench->context, bench->source, (brDVec3){0.001, 0.002, 0.1},
										   (brDVec3){0.3, 0.2, 1.0}, &bench->def, &result, &report)
						: brCutMesh(&bench->context, bench->source, bench->cutter, &bench->def, &result, &report);
	if (code < 0)
	{
		brBench_Fail("cut: %s", report.text);
	}
	bench->volume = result->stats.volumeOut;
	bench->pieces = result->pieceCount;
	brDestroyCutResult(result);
}

static brMesh* benchBlob(int32_t resolution, uint64_t seed, double shift)
{
	brModelDef def = brDefaultModelDef("blob");
	def.resolution = resolution;
	def.seed = seed;
	brMesh* mesh = NULL;
	brReport report = {0};
	if (brMakeModel(NULL, &def, &mesh, &report) < 0)
	{
		brBench_Fail("blob: %s", report.text);
	}
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		mesh->positions[v].x += shift;
	}
	return mesh;
}

// Seconds of a peer for the same meshes, or 0: the program prints "seconds volume".
static double peerSeconds(const CutBench* bench, const char* name, const char* peer, const char* op)
{
	const char* folder = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
	char source[256], cutter[256], command[1024];
	snprintf(source, sizeof(source), "%s/brittle_bench_source.off", folder);
	snprintf(cutter, sizeof(cutter), "%s/brittle_bench_cutter.off", folder);
	const brMesh* meshes[2] = {bench->source, bench->isPlane ? NULL : bench->cutter};
	for (int i = 0; i < 2; ++i)
	{
		FILE* file = fopen(i == 0 ? source : cutter, "w");
		if (file == NULL)
		{
			return 0.0;
		}
		int32_t vertices = meshes[i] != NULL ? meshes[i]->vertexCount : 0,
				faces = meshes[i] != NULL ? meshes[i]->faceCount : 0;
		fprintf(file, "OFF\n%d %d 0\n", vertices, faces);
		for (int32_t v = 0; v < vertices; ++v)
		{
			fprintf(file, "%.17g %.17g %.17g\n", meshes[i]->positions[v].x, meshes[i]->positions[v].y,
					meshes[i]->positions[v].z);
		}
		for (int32_t f = 0; f < faces; ++f)
		{
			const int32_t* c = meshes[i]->corners + meshes[i]->faceStarts[f];
			fprintf(file, "3 %d %d %d\n", c[0], c[1], c[2]);
		}
		fclose(file);
	}
	snprintf(command, sizeof(command), "%s %s %s %s 2>/dev/null", peer, op, source, cutter);
	FILE* pipe = popen(command, "r");
	double seconds = 0.0, volume = 0.0;
	if (pipe == NULL || fscanf(pipe, "%lf %lf", &seconds, &volume) != 2)
	{
		seconds = 0.0;
	}
	if (pipe != NULL)
	{
		pclose(pipe);
	}
	if (seconds > 0.0 && fabs(volume - bench->volume) > 1e-5 * fabs(bench->volume))
	{
		brBench_Fail("%s: volume %.9g, the peer has %.9g", name, bench->volume, volume);
	}
	return seconds;
}

static void cutRow(brBench* bench, CutBench* data, const char* name, const char* op)
{
	if (!brBench_Wants(bench, name))
	{
		return;
	}
	double ours = brBench_Median(5, cutOnce, data);
	char text[160];
	snprintf(text, sizeof(text), "%s, manifold-3d", name);
	double manifold = peerSeconds(data, name, "node " BR_SOURCE_DIR "/bench/peers/manifold_cut.mjs", op);
	brBench_Row(bench, text, 1e3 * ours, 1e3 * manifold, "ms");
	const char* cgal = getenv("BRITTLE_CGAL_CUT");
	double corefinement = cgal != NULL ? peerSeconds(data, name, cgal, op) : 0.0;
	if (corefinement > 0.0)
	{
		snprintf(text, sizeof(text), "%s, CGAL corefinement", name);
		brBench_Row(bench, text, 1e3 * ours, 1e3 * corefinement, "ms");
	}
}

BR_BENCH(cut)
{
	const struct
	{
		const char* name;
		int32_t resolution;
		bool isPlane;
		const char* op;
	} rows[] = {
		{"plane split 82k", 64, true, "plane"},
		{"intersection 20k x 20k", 32, false, "intersection"},
		{"intersection 82k x 82k", 64, false, "intersection"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
	{
		CutBench data = {.def = brDefaultCutDef(), .isPlane = rows[i].isPlane};
		data.source = benchBlob(rows[i].resolution, 1, 0.0);
		data.cutter = benchBlob(rows[i].resolution, 2, 0.0501);
		data.def.op = rows[i].isPlane ? br_cutSplit : br_cutIntersection;
		cutRow(bench, &data, rows[i].name, rows[i].op);
		brDestroyMesh(data.source);
		brDestroyMesh(data.cutter);
	}

	// Two workers against one on the large case.
	const char* name = "intersection 82k x 82k, two workers against one";
	if (brBench_Wants(bench, name))
	{
		CutBench data = {.def = brDefaultCutDef()};
		data.source = benchBlob(64, 1, 0.0);
		data.cutter = benchBlob(64, 2, 0.0501);
		data.def.op = br_cutIntersection;
		double one = brBench_Median(5, cutOnce, &data);
		brWorkersDef def = brDefaultWorkersDef();
		def.workerCount = 2;
		data.context.workers = brCreateWorkers(&def);
		double two = brBench_Median(5, cutOnce, &data);
		brBench_Row(bench, name, 1e3 * two, 1e3 * one, "ms");
		brDestroyWorkers(data.context.workers);
		brDestroyMesh(data.source);
		brDestroyMesh(data.cutter);
	}
}
