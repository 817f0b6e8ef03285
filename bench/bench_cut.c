// SPDX-License-Identifier: MIT

// The cutter: plane split and booleans of blobs, all outputs made, set-up included. The peers are manifold-3d from npm
// and CGAL's corefinement, programs of their own in bench/peers that `make bench` installs and builds; where they are
// not, rows have no peer. A peer's volume is checked before its time counts.

#include "bench.h"

#include "brittle/cut.h"
#include "brittle/io.h"
#include "brittle/models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void writeOff(const char* path, const brMesh* mesh)
{
	FILE* file = fopen(path, "w");
	if (file == NULL)
	{
		brBench_Fail("%s cannot be written", path);
	}
	fprintf(file, "OFF\n%d %d 0\n", mesh->vertexCount, mesh->faceCount);
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		fprintf(file, "%.17g %.17g %.17g\n", mesh->positions[v].x, mesh->positions[v].y, mesh->positions[v].z);
	}
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		const int32_t* c = mesh->corners + mesh->faceStarts[f];
		fprintf(file, "3 %d %d %d\n", c[0], c[1], c[2]);
	}
	fclose(file);
}

// Both meshes as files for the peers; the caller removes them.
static void writeMeshes(const CutBench* data, char paths[2][64])
{
	for (int i = 0; i < 2; ++i)
	{
		snprintf(paths[i], sizeof(paths[i]), "/tmp/brittle_bench_cut_%d_%d.off", (int)getpid(), i);
		writeOff(paths[i], i == 0 ? data->source : data->cutter);
	}
}

// Seconds of a peer for the same meshes, or 0 if it is not there: the program prints "seconds volume".
static double peerSeconds(const CutBench* data, const char* name, const char* peer, const char* op, char paths[2][64])
{
	char command[2048];
	snprintf(command, sizeof(command), "%s %s %s %s 2>/dev/null", peer, op, paths[0], paths[1]);
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
	// manifold-3d reads floats.
	if (seconds > 0.0 && fabs(volume - data->volume) > 1e-5 * fabs(data->volume))
	{
		brBench_Fail("%s: volume %.9g, the peer has %.9g", name, data->volume, volume);
	}
	return seconds;
}

// The peer that was built beside this program.
static void cgalCommand(char command[1024])
{
	ssize_t length = readlink("/proc/self/exe", command, 960);
	command[length > 0 ? length : 0] = 0;
	char* slash = strrchr(command, '/');
	snprintf(slash != NULL ? slash : command, 64, "/brittle-peer-cgal_cut");
}

static void cutRow(brBench* bench, CutBench* data, const char* name, const char* op)
{
	if (!brBench_Wants(bench, name))
	{
		return;
	}
	double ours = brBench_Median(9, cutOnce, data);
	char text[160], command[1024], paths[2][64];
	writeMeshes(data, paths);
	snprintf(text, sizeof(text), "%s / manifold-3d", name);
	double peer = peerSeconds(data, name, "node " BR_SOURCE_DIR "/bench/peers/manifold_cut.mjs", op, paths);
	brBench_Row(bench, text, 1e3 * ours, 1e3 * peer, "ms");
	cgalCommand(command);
	snprintf(text, sizeof(text), "%s / CGAL corefinement", name);
	peer = peerSeconds(data, name, command, op, paths);
	brBench_Row(bench, text, 1e3 * ours, 1e3 * peer, "ms");
	remove(paths[0]);
	remove(paths[1]);
}

// Memory: everything the call has at its peak, its result included, against what goes in and what comes out.
typedef struct CountedMemory
{
	size_t now, peak;
} CountedMemory;

static void* countedAlloc(size_t bytes, void* user)
{
	CountedMemory* memory = user;
	void* block = aligned_alloc(64, (bytes + 63) / 64 * 64);
	memory->now += block != NULL ? bytes : 0;
	memory->peak = memory->now > memory->peak ? memory->now : memory->peak;
	return block;
}

static void countedFree(void* block, size_t bytes, void* user)
{
	CountedMemory* memory = user;
	memory->now -= block != NULL ? bytes : 0;
	free(block);
}

static size_t meshBytes(const brMesh* mesh)
{
	size_t vertices = (size_t)mesh->vertexCount, corners = (size_t)mesh->cornerCount, faces = (size_t)mesh->faceCount;
	size_t ofCorner =
		sizeof(int32_t) + (mesh->uvs != NULL ? sizeof(brVec2) : 0) + (mesh->normals != NULL ? sizeof(brVec3) : 0);
	size_t ofVertex = sizeof(brDVec3) + (mesh->colors != NULL ? sizeof(brVec4) : 0);
	size_t ofFace = sizeof(int32_t) + (mesh->faceMaterials != NULL ? sizeof(int32_t) : 0) +
					(mesh->faceGroups != NULL ? sizeof(int32_t) : 0);
	return vertices * ofVertex + corners * ofCorner + faces * ofFace;
}

static void memoryRow(brBench* bench, const char* name, brMesh* source, brMesh* cutter)
{
	if (!brBench_Wants(bench, name))
	{
		return;
	}
	CountedMemory memory = {0};
	brAllocator allocator = {countedAlloc, countedFree, &memory};
	brContext context = {.allocator = &allocator};
	brCutDef def = brDefaultCutDef();
	def.op = br_cutIntersection;
	brCutResult* result = NULL;
	if (brCutMesh(&context, source, cutter, &def, &result, NULL) < 0)
	{
		brBench_Fail("cut: no result to count the memory of");
	}
	double all = (double)(meshBytes(source) + meshBytes(cutter) + memory.now);
	brBench_Row(bench, name, 1e-6 * (double)memory.peak, 1e-6 * all, "MB");
	brDestroyCutResult(result);
}

// Flat sheets of quads through a model, as in table 7.1: what is left to store, as n-gons and as triangles.
static brMesh* benchSheet(int32_t n, brDBox3 box, double place, double angle)
{
	int32_t side = n + 1;
	brDVec3* positions = malloc((size_t)(side * side) * sizeof(brDVec3));
	int32_t* corners = malloc((size_t)(4 * n * n) * sizeof(int32_t));
	int32_t* starts = malloc((size_t)(n * n + 1) * sizeof(int32_t));
	brDVec3 middle = brDLerp(box.lower, box.upper, place);
	double size = brDDistance(box.lower, box.upper);
	brMesh* mesh = NULL;
	if (positions == NULL || corners == NULL || starts == NULL)
	{
		brBench_Fail("cut: no memory");
	}
	for (int32_t i = 0; i < side * side; ++i)
	{
		double u = size * (2.0 * (i % side) / n - 1.0), v = size * (2.0 * (i / side) / n - 1.0);
		positions[i] = brDAdd(middle, (brDVec3){u, v * brCos(angle), v * brSin(angle)});
	}
	for (int32_t f = 0; f < n * n; ++f)
	{
		int32_t a = f / n * side + f % n;
		int32_t quad[4] = {a, a + 1, a + 1 + side, a + side};
		memcpy(corners + 4 * f, quad, sizeof(quad));
		starts[f] = 4 * f;
	}
	starts[n * n] = 4 * n * n;
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = side * side, def.positions = positions;
	def.faceCount = n * n, def.faceStarts = starts, def.corners = corners;
	if (brCreateMesh(NULL, &def, &mesh, NULL) < 0)
	{
		brBench_Fail("cut: the sheet cannot be made");
	}
	free(positions);
	free(corners);
	free(starts);
	return mesh;
}

static void countRows(brBench* bench)
{
	const char* path = brBench_DataPath("models/bunny-closed-oded.obj");
	const char* model = path != NULL ? "bunny" : "blob";
	char name[128];
	snprintf(name, sizeof(name), "%s by four surfaces, polygons / triangulated", model);
	if (!brBench_Wants(bench, name))
	{
		return;
	}
	brMesh *source = NULL, *sheets[4];
	if (path == NULL)
	{
		source = benchBlob(18, 1, 0.0);
	}
	else if (brLoadMesh(NULL, path, &source, NULL) < 0)
	{
		brBench_Fail("%s cannot be read", path);
	}
	for (int i = 0; i < 4; ++i)
	{
		sheets[i] = benchSheet(40, brMesh_ComputeBounds(source), 0.25 + 0.15 * i, 0.4 * i);
	}
	double counts[2][3] = {{0}};
	for (int i = 0; i < 2; ++i)
	{
		brCutDef def = brDefaultCutDef();
		def.keepTriangles = i == 1;
		brCutResult* result = NULL;
		if (brCutMeshByMany(NULL, source, (const brMesh* const*)sheets, 4, &def, &result, NULL) < 0)
		{
			brBench_Fail("cut: the %s cannot be cut by four sheets", model);
		}
		for (int32_t p = 0; p < result->pieceCount; ++p)
		{
			counts[i][0] += result->pieces[p].mesh->vertexCount;
			counts[i][1] += 0.5 * result->pieces[p].mesh->cornerCount; // closed: two corners an edge
			counts[i][2] += result->pieces[p].mesh->faceCount;
		}
		brDestroyCutResult(result);
	}
	static const char* const what[3] = {"vertices", "edges", "polygons"};
	for (int k = 0; k < 3; ++k)
	{
		snprintf(name, sizeof(name), "%s by four surfaces, %s / triangulated", model, what[k]);
		brBench_Row(bench, name, counts[0][k], counts[1][k], "");
	}
	for (int i = 0; i < 4; ++i)
	{
		brDestroyMesh(sheets[i]);
	}
	brDestroyMesh(source);
}

BR_BENCH(cut)
{
	countRows(bench);
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

	// A mesh with a copy of itself, against an ordinary cut of the same size, and the memory of both.
	const char* names[3] = {"identical 82k meshes / intersection 82k x 82k",
							"intersection 82k x 82k, peak memory / in + out",
							"identical 82k meshes, peak memory / in + out"};
	if (brBench_Wants(bench, names[0]) || brBench_Wants(bench, names[1]) || brBench_Wants(bench, names[2]))
	{
		CutBench data = {.def = brDefaultCutDef()}, same = {.def = brDefaultCutDef()};
		data.source = benchBlob(64, 1, 0.0);
		data.cutter = benchBlob(64, 2, 0.0501);
		same.source = data.source;
		same.cutter = benchBlob(64, 1, 0.0);
		data.def.op = same.def.op = br_cutIntersection;
		double ordinary = brBench_Median(9, cutOnce, &data), identical = brBench_Median(9, cutOnce, &same);
		brBench_Row(bench, names[0], 1e3 * identical, 1e3 * ordinary, "ms");
		memoryRow(bench, names[1], data.source, data.cutter);
		memoryRow(bench, names[2], same.source, same.cutter);
		brDestroyMesh(data.source);
		brDestroyMesh(data.cutter);
		brDestroyMesh(same.cutter);
	}

	// Two workers against one on the large cases.
	static const struct
	{
		const char* name;
		int32_t resolution, runs;
	} large[2] = {{"intersection 82k x 82k, two workers / one", 64, 9},
				  {"intersection 269k x 269k, two workers / one", 116, 5}};
	for (int32_t i = 0; i < 2; ++i)
	{
		if (!brBench_Wants(bench, large[i].name))
		{
			continue;
		}
		CutBench data = {.def = brDefaultCutDef()};
		data.source = benchBlob(large[i].resolution, 1, 0.0);
		data.cutter = benchBlob(large[i].resolution, 2, 0.0501);
		data.def.op = br_cutIntersection;
		double one = brBench_Median(large[i].runs, cutOnce, &data);
		brWorkersDef def = brDefaultWorkersDef();
		def.workerCount = 2;
		data.context.workers = brCreateWorkers(&def);
		double two = brBench_Median(large[i].runs, cutOnce, &data);
		brBench_Row(bench, large[i].name, 1e3 * two, 1e3 * one, "ms");
		brDestroyWorkers(data.context.workers);
		brDestroyMesh(data.source);
		brDestroyMesh(data.cutter);
	}
}
