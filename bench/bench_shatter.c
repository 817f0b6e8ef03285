// SPDX-License-Identifier: MIT

// Voronoi cells on one core, against voro++ where it is there: both bin the sites, make every cell and its volume. And
// whole models into pieces, with UVs, materials and bonds; the peer is manifold-3d (bench/peers/manifold_shatter.mjs),
// which gets the cells for nothing and intersects them with the model one by one.

#include "base/random.h"
#include "bench.h"
#include "brittle/brittle.h"
#include "fracture/voronoi.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef BR_HAVE_VORO
double brPeer_VoroVolumes(const double* sites, int count, double* outVolumes);
#endif

typedef struct VoronoiBench
{
	brContext context;
	int32_t count;
	brDVec3* sites;
	double* peerVolumes;
	bool onlyVolumes;
} VoronoiBench;

static void benchVoronoi(void* user)
{
	VoronoiBench* data = user;
	brVoronoiDef def = {.siteCount = data->count, .sites = data->sites, .box = {{0, 0, 0}, {1, 1, 1}}};
	def.onlyVolumes = data->onlyVolumes;
	brVoronoi* voronoi = NULL;
	if (brCreateVoronoi(&data->context, &def, &voronoi, NULL) < 0)
	{
		brBench_Fail("no Voronoi cells of %d sites", data->count);
	}
	brDestroyVoronoi(voronoi);
}

#ifdef BR_HAVE_VORO
static void benchVoro(void* user)
{
	VoronoiBench* data = user;
	brPeer_VoroVolumes(&data->sites[0].x, data->count, data->peerVolumes);
}

static void checkVoro(const VoronoiBench* data)
{
	brVoronoiDef def = {.siteCount = data->count, .sites = data->sites, .box = {{0, 0, 0}, {1, 1, 1}}};
	brVoronoi* voronoi = NULL;
	if (brCreateVoronoi(NULL, &def, &voronoi, NULL) < 0)
	{
		brBench_Fail("no Voronoi cells of %d sites", data->count);
	}
	for (int32_t i = 0; i < data->count; ++i)
	{
		if (fabs(voronoi->volumes[i] - data->peerVolumes[i]) > 1e-9 * data->peerVolumes[i])
		{
			brBench_Fail("cell %d of %d: volume %.17g, voro++ says %.17g", i, data->count, voronoi->volumes[i],
						 data->peerVolumes[i]);
		}
	}
	brDestroyVoronoi(voronoi);
}
#endif

typedef struct PieceBench
{
	brContext context;
	brMesh* mesh;
	brShatterDef def;
} PieceBench;

static void benchPieces(void* user)
{
	PieceBench* data = user;
	brShatter* shatter = NULL;
	if (brCreateShatter(&data->context, data->mesh, &data->def, &shatter, NULL) < 0)
	{
		brBench_Fail("no pieces");
	}
	if (!(fabs(shatter->volumeOut / shatter->volumeIn - 1.0) < 1e-10))
	{
		brBench_Fail("pieces have volume %.17g, the model %.17g", shatter->volumeOut, shatter->volumeIn);
	}
	brDestroyShatter(shatter);
}

// The model and the cells of its diagram as text, for the peer.
static bool writeForPeer(const PieceBench* data, const char* modelFile, const char* cellsFile)
{
	FILE* file = fopen(modelFile, "w");
	if (file == NULL)
	{
		return false;
	}
	const brMesh* mesh = data->mesh;
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
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 room = brDMul(0.01, brDSub(box.upper, box.lower));
	brVoronoiDef def = {.siteCount = data->def.siteCount, .sites = data->def.sites};
	def.box = (brDBox3){brDSub(box.lower, room), brDAdd(box.upper, room)};
	brVoronoi* voronoi = NULL;
	file = fopen(cellsFile, "w");
	if (file == NULL || brCreateVoronoi(NULL, &def, &voronoi, NULL) < 0)
	{
		return false;
	}
	for (int32_t i = 0; i < voronoi->siteCount; ++i)
	{
		const char* separator = "";
		for (int32_t f = voronoi->cellStarts[i]; f < voronoi->cellStarts[i + 1]; ++f)
		{
			for (int32_t c = voronoi->facetStarts[f]; c < voronoi->facetStarts[f + 1]; ++c)
			{
				brDVec3 p = voronoi->vertices[voronoi->corners[c]];
				fprintf(file, "%s%.17g %.17g %.17g", separator, p.x, p.y, p.z);
				separator = " ";
			}
		}
		fprintf(file, "\n");
	}
	fclose(file);
	brDestroyVoronoi(voronoi);
	return true;
}

// Seconds of manifold-3d for the same pieces, or 0 if it is not there.
static double manifoldSeconds(const PieceBench* data, const char* name)
{
	const char* folder = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
	char model[256], cells[256], command[1024];
	snprintf(model, sizeof(model), "%s/brittle_bench_model.off", folder);
	snprintf(cells, sizeof(cells), "%s/brittle_bench_cells.txt", folder);
	if (!writeForPeer(data, model, cells))
	{
		return 0.0;
	}
	snprintf(command, sizeof(command), "node %s/bench/peers/manifold_shatter.mjs %s %s 2>/dev/null", BR_SOURCE_DIR,
			 model, cells);
	FILE* pipe = popen(command, "r");
	double seconds = 0.0, volume = 0.0;
	bool isThere = pipe != NULL && fscanf(pipe, "%lf %lf", &seconds, &volume) == 2;
	if (pipe != NULL)
	{
		pclose(pipe);
	}
	double expected = brMesh_ComputeMass(data->mesh, 1.0).volume;
	if (isThere && fabs(volume - expected) > 1e-4 * expected) // it computes in floats
	{
		brBench_Fail("%s: volume %.9g, the peer has %.9g", name, expected, volume);
	}
	return isThere ? seconds : 0.0;
}

static void benchModel(brBench* bench, const char* model, int32_t resolution, int32_t count, int32_t workerCount)
{
	PieceBench data = {.def = brDefaultShatterDef()};
	brModelDef modelDef = brDefaultModelDef(model);
	modelDef.resolution = resolution;
	if (brMakeModel(NULL, &modelDef, &data.mesh, NULL) < 0)
	{
		brBench_Fail("no model %s", model);
	}
	int32_t triangles = data.mesh->cornerCount - 2 * data.mesh->faceCount;
	char name[96];
	snprintf(name, sizeof(name), "shatter: %s of %d triangles into %d, %d workers, peer manifold-3d", model, triangles,
			 count, workerCount);
	brWorkersDef workers = brDefaultWorkersDef();
	workers.workerCount = workerCount;
	data.context.workers = brCreateWorkers(&workers);
	brDVec3* sites = malloc((size_t)count * sizeof(brDVec3));
	brSiteDef siteDef = brDefaultSiteDef();
	siteDef.count = count;
	if (brBench_Wants(bench, name) && brMakeSites(NULL, data.mesh, &siteDef, sites, &data.def.siteCount, NULL) >= 0)
	{
		data.def.sites = sites;
		double ours = brBench_Median(5, benchPieces, &data);
		brBench_Row(bench, name, 1e3 * ours, 1e3 * manifoldSeconds(&data, name), "ms");
	}
	free(sites);
	brDestroyMesh(data.mesh);
	brDestroyWorkers(data.context.workers);
}

BR_BENCH(shatter)
{
	benchModel(bench, "blob", 32, 100, 1);
	benchModel(bench, "blob", 32, 100, 2);
	benchModel(bench, "blob", 32, 500, 2);
	benchModel(bench, "blob", 8, 1000, 2);
	benchModel(bench, "blob", 224, 1000, 2);
	static const int32_t counts[2] = {10000, 100000};
	for (int32_t c = 0; c < 2; ++c)
	{
		VoronoiBench data = {.count = counts[c]};
		data.sites = malloc((size_t)data.count * sizeof(brDVec3));
		data.peerVolumes = calloc((size_t)data.count, sizeof(double));
		brRandom random = brMakeRandom(7, (uint64_t)data.count);
		brSiteLattice lattice;
		brMakeSiteLattice((brDBox3){{0, 0, 0}, {1, 1, 1}}, &lattice);
		for (int32_t i = 0; i < data.count; ++i)
		{
			brDVec3 p = {brRandom_Unit(&random), brRandom_Unit(&random), brRandom_Unit(&random)};
			int32_t place[3];
			brSiteLattice_Snap(&lattice, p, place);
			data.sites[i] = brSiteLattice_Point(&lattice, place); // so that both see the same sites
		}
		char name[96];
		snprintf(name, sizeof(name), "voronoi: %d cells and volumes, one core, peer voro++", data.count);
		if (brBench_Wants(bench, name))
		{
			double peer = 0.0;
#ifdef BR_HAVE_VORO
			peer = brBench_Median(5, benchVoro, &data);
			checkVoro(&data);
#endif
			data.onlyVolumes = true;
			double ours = brBench_Median(5, benchVoronoi, &data);
			brBench_Row(bench, name, 1e3 * ours, 1e3 * peer, "ms");
		}
		snprintf(name, sizeof(name), "voronoi: %d cells, facets and shared vertices, one core", data.count);
		if (brBench_Wants(bench, name))
		{
			data.onlyVolumes = false;
			brBench_Row(bench, name, 1e3 * brBench_Median(5, benchVoronoi, &data), 0.0, "ms");
		}
		free(data.sites);
		free(data.peerVolumes);
	}
}
