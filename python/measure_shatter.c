// SPDX-License-Identifier: MIT

// What python/measure.py compares with: a mesh from arrays, sites, 100 pieces, in milliseconds, the best of 15.

#include "brittle/brittle.h"

#include <stdio.h>
#include <time.h>

static double now(void)
{
	return (double)clock() / CLOCKS_PER_SEC; // of the processor: other programs do not count
}

int main(int count, char** words)
{
	brMesh* source = NULL;
	if (count < 2 || brLoadMesh(NULL, words[1], &source, NULL) < 0)
	{
		return 1;
	}
	double best = 1e9;
	for (int i = 0; i < 15; ++i)
	{
		double begin = now();
		brMeshDef def = brDefaultMeshDef();
		def.vertexCount = source->vertexCount, def.positions = source->positions;
		def.faceCount = source->faceCount, def.corners = source->corners;
		brMesh* mesh = NULL;
		brSiteDef sites = brDefaultSiteDef();
		sites.count = 100, sites.seed = 1;
		brDVec3 points[100];
		brShatterDef shatter = brDefaultShatterDef();
		shatter.sites = points;
		brShatter* pieces = NULL;
		if (brCreateMesh(NULL, &def, &mesh, NULL) < 0 ||
			brMakeSites(NULL, mesh, &sites, points, &shatter.siteCount, NULL) < 0 ||
			brCreateShatter(NULL, mesh, &shatter, &pieces, NULL) < 0)
		{
			return 1;
		}
		brDestroyShatter(pieces);
		brDestroyMesh(mesh);
		double seconds = now() - begin;
		best = seconds < best ? seconds : best;
	}
	printf("%.4f\n", 1e3 * best);
	brDestroyMesh(source);
	return 0;
}
