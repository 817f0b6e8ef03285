// SPDX-License-Identifier: MIT

// Voronoi cells on one core, against voro++ where it is there: both bin the sites, make every cell and its volume. And whole
// models into pieces, with UVs, materials and bonds.

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
	snprintf(name, sizeof(name), "shatter: %s of %d triangles into %d, %d workers", model, triangles, count,
			 workerCount);
	brWorkersDef workers = brDefaultWorkersDef();
	workers.workerCount = workerCount;
	data.context.workers = brCreateWorkers(&workers);
	brDVec3* sites = malloc((size_t)count * sizeof(brDVec3));
	brSiteDef siteDef = brDefaultSiteDef();
	siteDef.count = count;
	if (brBench_Wants(bench, name) && brMakeSites(NULL, data.mesh, &siteDef, sites, &data.def.siteCount, NULL) >= 0)
	{
		data.def.sites = sites;
		brBench_Row(bench, name, 1e3 * brBench_Median(5, benchPieces, &data), 0.0, "ms");
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
