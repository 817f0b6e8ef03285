// SPDX-License-Identifier: MIT

// The native side of web/test/speed.mjs: processor seconds of the same work on one thread, warm, the best of five.
//
//     cc -O2 -Iinclude web/test/speed.c build/libbrittle.a -lpthread -lm -ldl -o build-wasm/speed && build-wasm/speed

#include "brittle/brittle.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static brMesh* model(const char* name, int32_t resolution)
{
	brModelDef def = brDefaultModelDef(name);
	def.resolution = resolution;
	brMesh* mesh = NULL;
	brMakeModel(NULL, &def, &mesh, NULL);
	return mesh;
}

static void shatter(void)
{
	brMesh* statue = model("statue", 40);
	brSiteDef sites = brDefaultSiteDef();
	sites.count = 200, sites.seed = 1;
	brDVec3 points[200];
	brShatterDef def = brDefaultShatterDef();
	def.sites = points;
	brMakeSites(NULL, statue, &sites, points, &def.siteCount, NULL);
	brShatter* pieces = NULL;
	brCreateShatter(NULL, statue, &def, &pieces, NULL);
	brDestroyShatter(pieces);
	brDestroyMesh(statue);
}

static void crack(void)
{
	brMesh* plate = model("plate", 24);
	brCrackDef def = brDefaultCrackDef();
	def.material = *brFindMaterial("porcelain");
	def.hit = brMakeDVec3(0.0, 0.0, brMesh_ComputeBounds(plate).upper.z);
	def.impulse = brMakeDVec3(0.0, 0.0, -3.0);
	def.tets = 3000;
	brCracks* cracks = NULL;
	brCreateCracks(NULL, plate, &def, &cracks, NULL);
	brDestroyCracks(cracks);
	brDestroyMesh(plate);
}

static void steps(void)
{
	brScene* scene = NULL;
	brRun* run = NULL;
	if (brLoadScene(NULL, "scenes/plates.yaml", NULL, &scene, NULL) < 0 || brCreateRun(NULL, scene, &run, NULL) < 0)
	{
		exit(1);
	}
	for (int32_t i = 0; i < 120; ++i)
	{
		brRun_PlayFrame(run, NULL);
	}
	brDestroyRun(run);
	brDestroyScene(scene);
}

int main(void)
{
	static const struct
	{
		const char* name;
		void (*run)(void);
	} jobs[] = {{"shatter", shatter}, {"crack", crack}, {"steps", steps}};
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); ++i)
	{
		double best = 1e9;
		for (int32_t k = 0; k < 5; ++k)
		{
			double start = seconds();
			jobs[i].run();
			double used = seconds() - start;
			best = used < best ? used : best;
		}
		printf("%s %.4f\n", jobs[i].name, best);
	}
	return 0;
}
