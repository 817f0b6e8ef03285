// SPDX-License-Identifier: MIT

// Shattering: closed pieces whose volumes add up, bonds that match, points in the piece of the nearest site.

#include "brittle/brittle.h"
#include "harness.h"
#include "mesh/topology.h"
#include "shapes.h"

#include <stdlib.h>
#include <string.h>

static brShatter* shatterBy(const brContext* context, const brMesh* mesh, const brDVec3* sites, int32_t count)
{
	brShatterDef def = brDefaultShatterDef();
	def.sites = sites, def.siteCount = count;
	brShatter* shatter = NULL;
	brReport report = {0};
	CHECK_RESULT(brCreateShatter(context, mesh, &def, &shatter, &report), &report);
	return shatter;
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
		for (int32_t n = 1; n + 1 < brMesh_FaceSize(mesh, f); ++n)
		{
			area = brDAdd(area, brDCross(brDSub(mesh->positions[c[n]], mesh->positions[c[0]]),
										 brDSub(mesh->positions[c[n + 1]], mesh->positions[c[0]])));
		}
		sum += 0.5 * brDLength(area);
	}
	return sum;
}

// Closed, oriented, manifold, of positive volume; volumes add up; what a piece was cut on is what it is bonded by.
static void checkPieces(const brShatter* shatter, double tolerance)
{
	double sum = 0.0, areas = 0.0;
	for (int32_t i = 0; i < shatter->pieceCount; ++i)
	{
		brMeshCheck check;
		CHECK_RESULT(brCheckTopology(NULL, shatter->pieces[i].mesh, &check, NULL), NULL);
		CHECK_MESSAGE(check.boundaryEdges == 0 && check.nonmanifoldEdges == 0 && check.misorientedEdges == 0 &&
						  check.nonmanifoldVertices == 0,
					  "piece %d of %d: %s", i, shatter->pieceCount, check.verdict);
		CHECK(shatter->pieces[i].mass.volume > 0.0);
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

static int32_t uniformSites(const brMesh* mesh, int32_t count, uint64_t seed, brDVec3* sites)
{
	brSiteDef def = brDefaultSiteDef();
	def.count = count, def.seed = seed;
	int32_t made = 0;
	brReport report = {0};
	CHECK_RESULT(brMakeSites(NULL, mesh, &def, sites, &made, &report), &report);
	return made;
}

BR_TEST(shatter_of_one_site_is_the_model)
{
	brMesh* torus = brShape_Torus(24, 12, 1.0, 0.4);
	brDVec3 site = {0.0, 0.0, 0.0};
	brShatter* shatter = shatterBy(NULL, torus, &site, 1);
	checkPieces(shatter, 1e-12);
	CHECK_EQUAL(shatter->pieceCount, 1);
	CHECK_EQUAL(shatter->pieces[0].mesh->faceCount, torus->faceCount);
	CHECK_EQUAL(shatter->pieces[0].mesh->vertexCount, torus->vertexCount);
	CHECK_EQUAL(shatter->bondCount, 0);
	brDestroyShatter(shatter);
	brDestroyMesh(torus);
}

// A cut along the middle of a box, of a torus (two pieces on one side... of each), of a tube (caps with a hole).
BR_TEST(shatter_of_simple_cuts)
{
	brDVec3 sites[2] = {{0.25, 0.5, 0.5}, {0.75, 0.5, 0.5}};
	brMesh* box = brShape_Box(1.0, 1.0, 1.0);
	brShatter* shatter = shatterBy(NULL, box, sites, 2);
	checkPieces(shatter, 1e-12);
	CHECK_EQUAL(shatter->pieceCount, 2);
	CHECK_EQUAL(shatter->bondCount, 1);
	CHECK_NEAR(shatter->bonds[0].area, 1.0, 1e-14);
	CHECK_NEAR(shatter->bonds[0].normal.x, 1.0, 1e-14);
	CHECK_NEAR(shatter->bonds[0].center.x, 0.5, 1e-14);
	CHECK_NEAR(shatter->bonds[0].center.y, 0.5, 1e-14);
	CHECK_NEAR(shatter->pieces[0].mass.volume, 0.5, 1e-14);
	brDestroyShatter(shatter);
	brDestroyMesh(box);

	// Two planes x = const leave the torus in a left and a right cap and a middle of two bars.
	brMesh* torus = brShape_Torus(48, 24, 1.0, 0.3);
	brDVec3 row[3] = {{-1.0, 0.03, 0.0}, {0.05, 0.02, 0.01}, {1.0, 0.0, 0.0}};
	shatter = shatterBy(NULL, torus, row, 3);
	checkPieces(shatter, 1e-12);
	CHECK_EQUAL(shatter->pieceCount, 4);
	CHECK_EQUAL(shatter->bondCount, 4);
	brDestroyShatter(shatter);

	// The plane z = 0 cuts it as a ring: a cap with a hole.
	brDVec3 stack[2] = {{0.0, 0.0, -1.0}, {0.0, 0.0, 1.0}};
	shatter = shatterBy(NULL, torus, stack, 2);
	checkPieces(shatter, 1e-12);
	CHECK_EQUAL(shatter->pieceCount, 2);
	CHECK_EQUAL(shatter->bondCount, 1);
	CHECK_NEAR(shatter->bonds[0].area, BR_PI * (1.3 * 1.3 - 0.7 * 0.7), 0.05);
	brDestroyShatter(shatter);
	brDestroyMesh(torus);
}

BR_TEST(shatter_of_random_sites)
{
	brMesh* meshes[4] = {brShape_Sphere(4), brShape_Torus(40, 20, 1.0, 0.35), brShape_LPrism(), brShape_Box(1, 2, 3)};
	brDVec3* sites = malloc(1000 * sizeof(brDVec3));
	for (int32_t round = 0; round < brTest_Rounds(test, 12); ++round)
	{
		static const int32_t counts[3] = {10, 100, 1000};
		const brMesh* mesh = meshes[round % 4];
		int32_t count = uniformSites(mesh, counts[round / 4 % 3], test->seed + (uint64_t)round, sites);
		brShatter* shatter = shatterBy(NULL, mesh, sites, count);
		checkPieces(shatter, 1e-12);
		CHECK(shatter->pieceCount >= count);
		CHECK(count == 1 || shatter->bondCount >= count - 1);
		brDestroyShatter(shatter);
	}
	free(sites);
	for (int32_t m = 0; m < 4; ++m)
	{
		brDestroyMesh(meshes[m]);
	}
}
