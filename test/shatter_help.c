// SPDX-License-Identifier: MIT

#include "shatter_help.h"

#include "harness.h"
#include "mesh/topology.h"

brShatter* brShatterBy(const brContext* context, const brMesh* mesh, const brDVec3* sites, int32_t count)
{
	brShatterDef def = brDefaultShatterDef();
	def.sites = sites, def.siteCount = count;
	return BR_MADE(brShatter, brCreateShatter, context, mesh, &def);
}

static double cutArea(const brMesh* mesh)
{
	double sum = 0.0;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		if (mesh->faceMaterials[f] != mesh->materialCount - 1)
		{
			continue;
		}
		const int32_t* c = mesh->corners + mesh->faceStarts[f];
		brDVec3 area = {0.0, 0.0, 0.0};
		for (int32_t n = 1; n + 1 < brMesh_GetFaceSize(mesh, f); ++n)
		{
			area = brDAdd(area, brDCross(brDSub(mesh->positions[c[n]], mesh->positions[c[0]]),
										 brDSub(mesh->positions[c[n + 1]], mesh->positions[c[0]])));
		}
		sum += 0.5 * brDLength(area);
	}
	return sum;
}

void brCheckPiecesOf(const brShatter* shatter, double tolerance, bool isTangled)
{
	double sum = 0.0, areas = 0.0;
	for (int32_t i = 0; i < shatter->pieceCount; ++i)
	{
		brMeshCheck check;
		CHECK_RESULT(brCheckTopology(NULL, shatter->pieces[i].mesh, &check, NULL), NULL);
		CHECK_MESSAGE(check.boundaryEdges == 0 && check.nonmanifoldEdges == 0 && check.misorientedEdges == 0 &&
						  check.nonmanifoldVertices == 0,
					  "piece %d of %d: %s", i, shatter->pieceCount, check.verdict);
		CHECK(shatter->pieces[i].mass.volume > 0.0 || isTangled);
		CHECK(i == 0 || shatter->pieces[i].site >= shatter->pieces[i - 1].site);
		sum += shatter->pieces[i].mass.volume;
		areas += cutArea(shatter->pieces[i].mesh);
	}
	CHECK(sum == shatter->volumeOut);
	CHECK_NEAR(shatter->volumeOut / shatter->volumeIn, 1.0, tolerance);
	double bonds = 0.0;
	for (int32_t b = 0; b < shatter->bondCount; ++b)
	{
		const brBond* bond = &shatter->bonds[b];
		CHECK(bond->pieces[0] < bond->pieces[1] && bond->pieces[1] < shatter->pieceCount && bond->area > 0.0);
		bonds += bond->area;
	}
	CHECK_NEAR(areas, 2.0 * bonds, 1e-9 * (1.0 + bonds));
}

void brCheckPieces(const brShatter* shatter, double tolerance)
{
	brCheckPiecesOf(shatter, tolerance, false);
}

int32_t brUniformSites(const brMesh* mesh, int32_t count, uint64_t seed, brDVec3* sites)
{
	brSiteDef def = brDefaultSiteDef();
	def.count = count, def.seed = seed;
	int32_t made = 0;
	brReport report = {0};
	CHECK_RESULT(brMakeSites(NULL, mesh, &def, sites, &made, &report), &report);
	return made;
}
