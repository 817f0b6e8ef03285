// SPDX-License-Identifier: MIT

// Cells put together again: closed, of the right volume, and as a cut by groups would have them.

#include "brittle/brittle.h"
#include "fracture/cell_join.h"
#include "harness.h"
#include "mesh/topology.h"
#include "shapes.h"
#include "shatter_help.h"

#include <math.h>
#include <string.h>

#define JOIN_SITES 40

static brMesh* joinModel(int32_t kind)
{
	return kind == 0   ? brShape_Box(1.0, 0.8, 3.0)
		   : kind == 1 ? brShape_Torus(32, 16, 1.0, 0.35)
		   : kind == 2 ? brShape_LPrism()
					   : brShape_Sphere(3);
}

// All cells of a shatter.
typedef struct JoinCells
{
	const brMesh* meshes[4 * JOIN_SITES];
	int32_t sites[4 * JOIN_SITES];
	int32_t pieces[4 * JOIN_SITES];
	int32_t count;
} JoinCells;

static JoinCells joinCellsOf(const brShatter* shatter)
{
	JoinCells cells = {.count = shatter->pieceCount};
	CHECK(cells.count <= 4 * JOIN_SITES);
	for (int32_t i = 0; i < cells.count; ++i)
	{
		cells.meshes[i] = shatter->pieces[i].mesh;
		cells.sites[i] = shatter->pieces[i].site;
	}
	return cells;
}

static brShatter* joinBy(JoinCells* cells, const int32_t* groups, double volume)
{
	brCellJoin def = {
		.cells = cells->meshes, .sites = cells->sites, .cellCount = cells->count, .groups = groups, .volume = volume};
	return BR_MADE(brShatter, brJoinCells, NULL, &def, cells->pieces);
}

BR_TEST(join_of_cells_by_random_groups_is_the_cut_by_groups)
{
	brRandom random = brTest_Random(test);
	int32_t several = 0, bonds = 0, aligned = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 24); ++round)
	{
		brMesh* mesh = joinModel(round % 4);
		brDVec3 sites[JOIN_SITES];
		int32_t groups[JOIN_SITES], groupCount = 1 + (int32_t)brRandom_Below(&random, 8);
		int32_t count = brUniformSites(mesh, JOIN_SITES, brRandom_Next(&random), sites);
		for (int32_t i = 0; i < count; ++i)
		{
			groups[i] = (int32_t)brRandom_Below(&random, (uint32_t)groupCount);
		}
		brShatterDef def = brDefaultShatterDef();
		def.sites = sites, def.siteCount = count, def.groups = groups, def.density = 1.0;
		brShatter *cut = NULL, *fine = brShatterBy(NULL, mesh, sites, count);
		CHECK_RESULT(brCreateShatter(NULL, mesh, &def, &cut, NULL), NULL);
		JoinCells cells = joinCellsOf(fine);
		brShatter* joined = joinBy(&cells, groups, fine->volumeIn);
		brCheckPieces(joined, 1e-11);
		CHECK_EQUAL(joined->pieceCount, cut->pieceCount);
		CHECK_EQUAL(joined->bondCount, cut->bondCount);
		several += joined->pieceCount > 1;
		for (int32_t i = 0; i < joined->pieceCount; ++i)
		{
			// A cell all round which lie others of its group has no face left to tell the cut its site.
			CHECK(joined->pieces[i].site <= cut->pieces[i].site);
			CHECK_EQUAL(groups[joined->pieces[i].site], groups[cut->pieces[i].site]);
			CHECK_NEAR(joined->pieces[i].mass.volume, cut->pieces[i].mass.volume, 1e-11 * fine->volumeIn);
			CHECK(brDDistance(joined->pieces[i].mass.center, cut->pieces[i].mass.center) < 1e-8);
		}
		for (int32_t i = 0; i < joined->bondCount; ++i)
		{
			CHECK_EQUAL(joined->bonds[i].pieces[0], cut->bonds[i].pieces[0]);
			CHECK_EQUAL(joined->bonds[i].pieces[1], cut->bonds[i].pieces[1]);
			CHECK_NEAR(joined->bonds[i].area, cut->bonds[i].area, 1e-10);
			// Where groups are mixed the faces between two look every way, and their mean is chance.
			bonds += 1;
			aligned += brDDot(joined->bonds[i].normal, cut->bonds[i].normal) > 0.99;
		}
		for (int32_t i = 0; i < cells.count; ++i)
		{
			CHECK_EQUAL(groups[joined->pieces[cells.pieces[i]].site], groups[cells.sites[i]]);
		}
		brDestroyShatter(joined);
		brDestroyShatter(cut);
		brDestroyShatter(fine);
		brDestroyMesh(mesh);
	}
	CHECK(several > 0 && bonds > 0 && aligned > 0.95 * bonds);
}

BR_TEST(join_of_all_cells_is_the_model)
{
	for (int32_t kind = 0; kind < 4; ++kind)
	{
		brMesh* mesh = joinModel(kind);
		brDVec3 sites[JOIN_SITES];
		int32_t groups[JOIN_SITES] = {0}, count = brUniformSites(mesh, JOIN_SITES, 7, sites);
		brShatter* fine = brShatterBy(NULL, mesh, sites, count);
		JoinCells cells = joinCellsOf(fine);
		brShatter* joined = joinBy(&cells, groups, fine->volumeIn);
		CHECK_EQUAL(joined->pieceCount, 1);
		CHECK_EQUAL(joined->bondCount, 0);
		CHECK_NEAR(brMesh_ComputeArea(joined->pieces[0].mesh), brMesh_ComputeArea(mesh),
				   1e-10 * brMesh_ComputeArea(mesh));
		CHECK_NEAR(joined->volumeOut, fine->volumeIn, 1e-11 * fine->volumeIn);
		brDestroyShatter(joined);
		brDestroyShatter(fine);
		brDestroyMesh(mesh);
	}
}

// What is cut again by the same planes gets slivers along its old cuts, twice as many each time; what is joined gets
// none.
BR_TEST(join_of_fewer_and_fewer_cells_has_fewer_and_fewer_faces)
{
	brMesh* mesh = brShape_Box(0.8, 0.8, 4.0);
	brDVec3 sites[JOIN_SITES];
	int32_t groups[JOIN_SITES], count = brUniformSites(mesh, JOIN_SITES, 3, sites);
	brShatter* fine = brShatterBy(NULL, mesh, sites, count);
	JoinCells cells = joinCellsOf(fine);
	int32_t total = 0;
	for (int32_t i = 0; i < cells.count; ++i)
	{
		total += cells.meshes[i]->faceCount;
	}
	for (int32_t gone = 0; gone < count; ++gone)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			groups[i] = i < gone ? 1 + i : 0;
		}
		brShatter* joined = joinBy(&cells, groups, fine->volumeIn);
		int32_t faces = 0;
		for (int32_t i = 0; i < joined->pieceCount; ++i)
		{
			faces += joined->pieces[i].mesh->faceCount;
		}
		CHECK(faces <= total);
		brCheckPieces(joined, 1e-11);
		brDestroyShatter(joined);
	}
	brDestroyShatter(fine);
	brDestroyMesh(mesh);
}

static brResult joinMemoryWalk(const brContext* context, void* user)
{
	const brShatter* fine = user;
	JoinCells cells = joinCellsOf(fine);
	int32_t groups[JOIN_SITES];
	for (int32_t i = 0; i < JOIN_SITES; ++i)
	{
		groups[i] = i % 3;
	}
	brCellJoin def = {.cells = cells.meshes,
					  .sites = cells.sites,
					  .cellCount = cells.count,
					  .groups = groups,
					  .volume = fine->volumeIn};
	brShatter* joined = NULL;
	brResult result = brJoinCells(context, &def, cells.pieces, &joined, NULL);
	CHECK(result < 0 ? joined == NULL : joined->pieceCount > 1);
	brDestroyShatter(joined);
	return result;
}

BR_TEST(join_survives_every_failing_allocation)
{
	brMesh* mesh = brShape_LPrism();
	brDVec3 sites[JOIN_SITES];
	brShatter* fine = brShatterBy(NULL, mesh, sites, brUniformSites(mesh, 12, 5, sites));
	CHECK(brTest_WalkAllocations(joinMemoryWalk, fine) > 10);
	brDestroyShatter(fine);
	brDestroyMesh(mesh);
}
