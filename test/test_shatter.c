// SPDX-License-Identifier: MIT

// Shattering: closed pieces whose volumes add up, bonds that match, points in the piece of the nearest site.

#include "brittle/brittle.h"
#include "harness.h"
#include "mesh/topology.h"
#include "shapes.h"
#include "shatter_help.h"

#include <stdlib.h>
#include <string.h>

BR_TEST(shatter_of_one_site_is_the_model)
{
	brMesh* torus = brShape_Torus(24, 12, 1.0, 0.4);
	brDVec3 site = {0.0, 0.0, 0.0};
	brShatter* shatter = brShatterBy(NULL, torus, &site, 1);
	brCheckPieces(shatter, 1e-12);
	CHECK_EQUAL(shatter->pieceCount, 1);
	CHECK_EQUAL(shatter->pieces[0].mesh->faceCount, torus->faceCount);
	CHECK_EQUAL(shatter->pieces[0].mesh->vertexCount, torus->vertexCount);
	CHECK_EQUAL(shatter->bondCount, 0);
	brDestroyShatter(shatter);
	brDestroyMesh(torus);
}

// Cells that stay together leave no line on the surface.
BR_TEST(shatter_of_one_group_is_the_model)
{
	brDVec3 sites[60];
	int32_t groups[60] = {0};
	brMesh* sphere = brShape_Sphere(3);
	brShatterDef def = brDefaultShatterDef();
	def.sites = sites, def.siteCount = brUniformSites(sphere, 60, 4, sites), def.groups = groups;
	brShatter* shatter = BR_MADE(brShatter, brCreateShatter, NULL, sphere, &def);
	brCheckPieces(shatter, 1e-12);
	CHECK_EQUAL(shatter->pieceCount, 1);
	CHECK_EQUAL(shatter->pieces[0].mesh->faceCount, sphere->faceCount);
	CHECK_EQUAL(shatter->pieces[0].mesh->vertexCount, sphere->vertexCount);
	brDestroyShatter(shatter);
	brDestroyMesh(sphere);
}

// Whatever groups there are, lines that separate nothing go and the rest stays closed.
BR_TEST(shatter_by_groups_is_closed_and_has_few_lines)
{
	brRandom random = brTest_Random(test);
	int32_t fewer = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 8); ++round)
	{
		brMesh* mesh = round % 3 == 0   ? brShape_Torus(24, 12, 1.0, 0.4)
					   : round % 3 == 1 ? brShape_Sphere(3)
										: brShape_LPrism();
		brDVec3 sites[30];
		int32_t groups[30], count = brUniformSites(mesh, 30, brRandom_Next(&random), sites), faces[2] = {0, 0};
		for (int32_t i = 0; i < count; ++i)
		{
			groups[i] = sites[i].x < 0.1 ? 0 : sites[i].y < 0.0 ? 1 : -1;
		}
		for (int32_t k = 0; k < 2; ++k)
		{
			brShatterDef def = brDefaultShatterDef();
			def.sites = sites, def.siteCount = count, def.groups = k == 0 ? NULL : groups;
			def.roughness = round % 8 == 3 ? 0.03 : 0.0;
			brShatter* shatter = BR_MADE(brShatter, brCreateShatter, NULL, mesh, &def);
			brCheckPieces(shatter, round % 8 == 3 ? 1e-3 : 1e-11);
			for (int32_t i = 0; i < shatter->pieceCount; ++i)
			{
				const brMesh* piece = shatter->pieces[i].mesh;
				for (int32_t f = 0; f < piece->faceCount; ++f)
				{
					faces[k] += piece->faceMaterials[f] != piece->materialCount - 1;
				}
			}
			brDestroyShatter(shatter);
		}
		CHECK(faces[1] <= faces[0]);
		fewer += faces[1] < faces[0];
		brDestroyMesh(mesh);
	}
	CHECK(fewer > 0);
}

// A cut along the middle of a box, of a torus (two pieces on one side... of each), of a tube (caps with a hole).
BR_TEST(shatter_of_simple_cuts)
{
	brDVec3 sites[2] = {{0.25, 0.5, 0.5}, {0.75, 0.5, 0.5}};
	brMesh* box = brShape_Box(1.0, 1.0, 1.0);
	brShatter* shatter = brShatterBy(NULL, box, sites, 2);
	brCheckPieces(shatter, 1e-12);
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
	shatter = brShatterBy(NULL, torus, row, 3);
	brCheckPieces(shatter, 1e-12);
	CHECK_EQUAL(shatter->pieceCount, 4);
	CHECK_EQUAL(shatter->bondCount, 4);
	brDestroyShatter(shatter);

	// The plane z = 0 cuts it as a ring: a cap with a hole.
	brDVec3 stack[2] = {{0.0, 0.0, -1.0}, {0.0, 0.0, 1.0}};
	shatter = brShatterBy(NULL, torus, stack, 2);
	brCheckPieces(shatter, 1e-12);
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
		int32_t count = brUniformSites(mesh, counts[round / 4 % 3], test->seed + (uint64_t)round, sites);
		brShatter* shatter = brShatterBy(NULL, mesh, sites, count);
		brCheckPieces(shatter, 1e-12);
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

// Sites that meet the model and each other in every special way.
BR_TEST(shatter_of_hostile_sites)
{
	brMesh* meshes[3] = {brShape_Box(1.0, 1.0, 1.0), brShape_LPrism(), brShape_Sphere(2)};
	brDVec3 sites[128];
	for (int32_t m = 0; m < 3; ++m)
	{
		brDBox3 box = brMesh_ComputeBounds(meshes[m]);
		brDVec3 extent = brDSub(box.upper, box.lower);
		for (int32_t set = 0; set < 7; ++set)
		{
			int32_t count = 0;
			for (int32_t i = 0; i < 64; ++i)
			{
				double x = i % 4, y = i / 4 % 4, z = i / 16;
				brDVec3 p = {(x + 0.5) / 4, (y + 0.5) / 4, (z + 0.5) / 4}; // bisectors through corners and along edges
				p = set == 1 ? brMakeDVec3(x / 3, y / 3, z / 3) : p;       // sites on the surface
				p = set == 2 ? brMakeDVec3((x + 0.5) / 4, 0.5, 0.5) : p;   // a row, sixteen at each place
				p = set == 3 ? brMakeDVec3(0.5, 0.5, 0.5) : p;             // all at one place
				p = set == 4 ? brMakeDVec3((x + 0.5) / 4, (y + 0.5) / 4, 0.5) : p;
				p = set == 5 ? brMakeDVec3(x * 3 - 4, y * 3 - 4, z * 3 - 4) : p; // most of them outside
				p = set == 6 ? brMakeDVec3(x / 2, y / 2, z / 2) : p;             // bisectors on faces of the L
				sites[count++] = brMakeDVec3(box.lower.x + extent.x * p.x, box.lower.y + extent.y * p.y,
											 box.lower.z + extent.z * p.z);
			}
			brShatter* shatter = brShatterBy(NULL, meshes[m], sites, count);
			brCheckPieces(shatter, 1e-12);
			CHECK(set != 0 || m != 0 || shatter->pieceCount == 64);
			CHECK(set != 2 || m != 0 || shatter->pieceCount == 4);
			CHECK(set != 3 || shatter->pieceCount == 1);
			brDestroyShatter(shatter);
		}
	}
	for (int32_t m = 0; m < 3; ++m)
	{
		brDestroyMesh(meshes[m]);
	}
}

// Every random point of a model is inside one piece, that of the nearest site, and points outside are in none. Of points
// that are as near to two sites as the lattice is fine (1e-6 of the model) either answer will do. A million inside at
// intensity 50.
static void checkPointsAreInNearest(brTest* test, const brMesh* mesh, int32_t siteCount, int32_t points)
{
	brRandom random = brTest_Random(test);
	brDVec3* sites = malloc((size_t)siteCount * sizeof(brDVec3));
	int32_t count = brUniformSites(mesh, siteCount, test->seed, sites);
	brShatter* shatter = brShatterBy(NULL, mesh, sites, count);
	brDVec3* p = malloc((size_t)points * sizeof(brDVec3));
	brDVec3* near = malloc((size_t)points * sizeof(brDVec3));
	int32_t* nearIndices = malloc((size_t)points * sizeof(int32_t));
	int32_t* crossings = malloc((size_t)points * sizeof(int32_t));
	int32_t* inModel = malloc((size_t)points * sizeof(int32_t));
	int32_t* found = calloc((size_t)points, sizeof(int32_t));
	brDBox3 box = brMesh_ComputeBounds(mesh);
	double slack = 1e-6 * brDLength(brDSub(box.upper, box.lower));
	for (int32_t i = 0; i < points; ++i)
	{
		p[i] = brMakeDVec3(brRandom_Range(&random, box.lower.x, box.upper.x),
						   brRandom_Range(&random, box.lower.y, box.upper.y),
						   brRandom_Range(&random, box.lower.z, box.upper.z));
	}
	brSurfaceTree* tree = BR_MADE(brSurfaceTree, brCreateSurfaceTree, NULL, mesh);
	brSurfaceTree_CountCrossings(tree, NULL, p, points, inModel);
	brDestroySurfaceTree(tree);
	for (int32_t n = 0; n < shatter->pieceCount; ++n)
	{
		const brPiece* piece = &shatter->pieces[n];
		brDBox3 bounds = brMesh_ComputeBounds(piece->mesh);
		int32_t nearCount = 0;
		for (int32_t i = 0; i < points; ++i)
		{
			bool isNear = p[i].x >= bounds.lower.x && p[i].x <= bounds.upper.x && p[i].y >= bounds.lower.y &&
						  p[i].y <= bounds.upper.y && p[i].z >= bounds.lower.z && p[i].z <= bounds.upper.z;
			near[nearCount] = p[i];
			nearIndices[nearCount] = i;
			nearCount += isNear;
		}
		CHECK_RESULT(brCreateSurfaceTree(NULL, piece->mesh, &tree, NULL), NULL);
		brSurfaceTree_CountCrossings(tree, NULL, near, nearCount, crossings);
		brDestroySurfaceTree(tree);
		for (int32_t i = 0; i < nearCount; ++i)
		{
			CHECK(crossings[i] == 0 || crossings[i] == 1);
			found[nearIndices[i]] += crossings[i];
			double own = brDDistance(near[i], sites[piece->site]);
			for (int32_t s = 0; s < count && crossings[i] != 0; ++s)
			{
				CHECK(own <= brDDistance(near[i], sites[s]) + slack);
			}
		}
	}
	int32_t inside = 0;
	for (int32_t i = 0; i < points; ++i)
	{
		CHECK_EQUAL(found[i], inModel[i]);
		inside += inModel[i];
	}
	CHECK(inside > points / 50 && inside < points);
	free(p);
	free(near);
	free(nearIndices);
	free(crossings);
	free(inModel);
	free(found);
	free(sites);
	brDestroyShatter(shatter);
}

BR_TEST(shatter_point_is_in_piece_of_nearest_site)
{
	brMesh* torus = brShape_Torus(40, 20, 1.0, 0.35);
	checkPointsAreInNearest(test, torus, 60, brTest_Rounds(test, 45000));
	brDestroyMesh(torus);
	brMesh* vase = brShape_Model("vase", 24);
	checkPointsAreInNearest(test, vase, 100, brTest_Rounds(test, 25000));
	brDestroyMesh(vase);
}

// Every vertex on a cut is in both neighbors with the same bits, and on the far side the caps run the other way round.
BR_TEST(shatter_neighbors_share_cuts_bit_for_bit)
{
	brMesh* box = brShape_Box(1.0, 1.5, 2.0);
	brDVec3 sites[30];
	int32_t count = brUniformSites(box, 30, test->seed, sites);
	brShatter* shatter = brShatterBy(NULL, box, sites, count);
	int32_t matched = 0;
	for (int32_t a = 0; a < shatter->pieceCount; ++a)
	{
		const brMesh* mesh = shatter->pieces[a].mesh;
		for (int32_t f = 0; f < mesh->faceCount; ++f)
		{
			if (mesh->faceMaterials[f] != mesh->materialCount - 1)
			{
				continue;
			}
			const int32_t* c = mesh->corners + mesh->faceStarts[f];
			int32_t size = brMesh_GetFaceSize(mesh, f), partners = 0;
			for (int32_t b = 0; b < shatter->pieceCount; ++b)
			{
				const brMesh* other = shatter->pieces[b].mesh;
				for (int32_t g = 0; b != a && g < other->faceCount; ++g)
				{
					const int32_t* d = other->corners + other->faceStarts[g];
					bool isMirror = brMesh_GetFaceSize(other, g) == size;
					for (int32_t n = 0; isMirror && n < size; ++n)
					{
						isMirror =
							memcmp(&mesh->positions[c[n]], &other->positions[d[size - 1 - n]], sizeof(brDVec3)) == 0;
					}
					partners += isMirror;
				}
			}
			CHECK_EQUAL(partners, 1);
			++matched;
		}
	}
	CHECK(matched > 60);
	brDestroyShatter(shatter);
	brDestroyMesh(box);
}

BR_TEST(shatter_stretch_and_merging)
{
	brMesh* box = brShape_Box(1.0, 1.0, 1.0);
	brDVec3 sites[200];
	int32_t count = brUniformSites(box, 200, test->seed, sites);
	brShatterDef def = brDefaultShatterDef();
	def.sites = sites, def.siteCount = count, def.stretch = brMakeDVec3(1.0, 1.0, 16.0);
	brShatter* splinters = BR_MADE(brShatter, brCreateShatter, NULL, box, &def);
	brCheckPieces(splinters, 1e-12);
	double height = 0.0, width = 0.0;
	for (int32_t i = 0; i < splinters->pieceCount; ++i)
	{
		brDBox3 b = brMesh_ComputeBounds(splinters->pieces[i].mesh);
		height += b.upper.z - b.lower.z;
		width += b.upper.x - b.lower.x;
	}
	CHECK(height > 2.0 * width);
	brDestroyShatter(splinters);

	def.stretch.z = 1.0, def.smallest = 0.005;
	brShatter* merged = BR_MADE(brShatter, brCreateShatter, NULL, box, &def);
	brCheckPieces(merged, 1e-12);
	CHECK(merged->mergedCount > 0);
	CHECK_EQUAL(merged->pieceCount + merged->mergedCount, count);
	for (int32_t i = 0; i < merged->pieceCount; ++i)
	{
		CHECK(merged->pieces[i].mass.volume >= 0.005 * merged->volumeIn);
	}
	brDestroyShatter(merged);
	brDestroyMesh(box);
}

BR_TEST(shatter_cavity_stays_with_its_piece)
{
	// A cube with a small cubic hole in its left half.
	brMesh* outer = brShape_Box(1.0, 1.0, 1.0);
	brMesh* inner = brShape_Box(0.1, 0.1, 0.1);
	brAffine map = brMakeAffineIdentity();
	map.p = brMakeDVec3(0.1, 0.4, 0.4);
	brMesh_Transform(inner, &map);
	for (int32_t f = 0; f < inner->faceCount; ++f)
	{
		for (int32_t a = inner->faceStarts[f], b = inner->faceStarts[f + 1] - 1; a < b; ++a, --b)
		{
			int32_t swap = inner->corners[a];
			inner->corners[a] = inner->corners[b];
			inner->corners[b] = swap;
		}
	}
	brMesh* both = BR_MADE(brMesh, brMergeMeshes, NULL, (const brMesh* const[]){outer, inner}, 2);
	brDVec3 sites[2] = {{0.25, 0.5, 0.5}, {0.75, 0.5, 0.5}};
	brShatter* shatter = brShatterBy(NULL, both, sites, 2);
	brCheckPieces(shatter, 1e-12);
	CHECK_EQUAL(shatter->pieceCount, 2);
	CHECK_NEAR(shatter->pieces[0].mass.volume, 0.499, 1e-14);
	CHECK_NEAR(shatter->pieces[1].mass.volume, 0.5, 1e-14);
	brDestroyShatter(shatter);
	brDestroyMesh(both);
	brDestroyMesh(inner);
	brDestroyMesh(outer);
}

BR_TEST(shatter_is_the_same_for_any_workers)
{
	brMesh* torus = brShape_Torus(60, 30, 1.0, 0.35);
	brDVec3 sites[100];
	int32_t count = brUniformSites(torus, 100, test->seed, sites);
	brContext context = {.workers = brTest_Workers(3)};
	brShatter* alone = brShatterBy(NULL, torus, sites, count);
	brShatter* shared = brShatterBy(&context, torus, sites, count);
	CHECK_EQUAL(shared->pieceCount, alone->pieceCount);
	CHECK_EQUAL(shared->bondCount, alone->bondCount);
	for (int32_t i = 0; i < alone->pieceCount; ++i)
	{
		const brMesh *a = alone->pieces[i].mesh, *b = shared->pieces[i].mesh;
		CHECK(a->vertexCount == b->vertexCount && a->cornerCount == b->cornerCount);
		CHECK(memcmp(a->positions, b->positions, (size_t)a->vertexCount * sizeof(brDVec3)) == 0);
		CHECK(memcmp(a->corners, b->corners, (size_t)a->cornerCount * sizeof(int32_t)) == 0);
		CHECK(memcmp(a->uvs, b->uvs, (size_t)a->cornerCount * sizeof(brVec2)) == 0);
	}
	CHECK(memcmp(alone->bonds, shared->bonds, (size_t)alone->bondCount * sizeof(brBond)) == 0);
	brDestroyShatter(alone);
	brDestroyShatter(shared);
	brDestroyWorkers(context.workers);
	brDestroyMesh(torus);
}

static double outerArea(const brShatter* shatter)
{
	double sum = 0.0;
	for (int32_t i = 0; i < shatter->pieceCount; ++i)
	{
		brMeshCheck check;
		CHECK_RESULT(brCheckTopology(NULL, shatter->pieces[i].mesh, &check, NULL), NULL);
		sum += check.area;
	}
	for (int32_t b = 0; b < shatter->bondCount; ++b)
	{
		sum -= 2.0 * shatter->bonds[b].area;
	}
	return sum;
}

// Rough cuts: pieces are clean solids and fit as before, the surface is what it was, bumps are no higher than asked
// for, and there are bumps.
BR_TEST(shatter_rough_cuts_fit_and_do_not_cross)
{
	brMesh* meshes[3] = {brShape_Box(1.0, 1.0, 1.0), brShape_Torus(24, 12, 1.0, 0.45), brShape_LPrism()};
	brDVec3 sites[40];
	for (int32_t m = 0; m < 3; ++m)
	{
		for (int32_t stretched = 0; stretched < 2; ++stretched)
		{
			brShatterDef def = brDefaultShatterDef();
			def.sites = sites, def.siteCount = brUniformSites(meshes[m], 12 + 28 * stretched, test->seed, sites);
			def.stretch.z = stretched ? 4.0 : 1.0;
			brShatter *flat = NULL, *rough = NULL;
			brReport report = {0};
			CHECK_RESULT(brCreateShatter(NULL, meshes[m], &def, &flat, &report), &report);
			def.roughness = 0.04, def.roughnessLength = 0.35, def.roughnessSeed = test->seed;
			CHECK_RESULT(brCreateShatter(NULL, meshes[m], &def, &rough, &report), &report);
			brCheckPieces(rough, 1e-12);
			CHECK_EQUAL(rough->pieceCount, flat->pieceCount);
			CHECK_NEAR(outerArea(rough), outerArea(flat), 1e-9 * outerArea(flat));
			double before = 0.0, after = 0.0;
			for (int32_t b = 0; b < flat->bondCount; ++b)
			{
				before += flat->bonds[b].area;
			}
			for (int32_t b = 0; b < rough->bondCount; ++b)
			{
				after += rough->bonds[b].area;
			}
			CHECK_MESSAGE(after > (stretched ? 1.0 : 1.002) * before && after < 1.5 * before,
						  "model %d: cut area %g, flat %g, smoothed %d of %d", m, after, before, rough->smoothCount,
						  rough->pieceCount);
			for (int32_t i = 0; i < rough->pieceCount; ++i)
			{
				brMeshCheck was, is;
				CHECK_RESULT(brMesh_Check(flat->pieces[i].mesh, NULL, NULL, &was, &report), &report);
				CHECK_RESULT(brMesh_Check(rough->pieces[i].mesh, NULL, NULL, &is, &report), &report);
				CHECK_MESSAGE(is.selfIntersections <= was.selfIntersections, "piece %d: %s", i, is.verdict);
				brDBox3 a = was.bounds, b = is.bounds;
				CHECK(brDLength(brDSub(a.lower, b.lower)) < 2.0 * def.roughness &&
					  brDLength(brDSub(a.upper, b.upper)) < 2.0 * def.roughness);
			}
			brDestroyShatter(flat);
			brDestroyShatter(rough);
		}
		brDestroyMesh(meshes[m]);
	}
}

BR_TEST(shatter_rough_cuts_do_not_depend_on_workers)
{
	brMesh* torus = brShape_Torus(30, 16, 1.0, 0.4);
	brDVec3 sites[30];
	brShatterDef def = brDefaultShatterDef();
	def.sites = sites, def.siteCount = brUniformSites(torus, 30, test->seed, sites);
	def.roughness = 0.03, def.clusterSize = 4, def.makeHulls = true;
	brContext context = {.workers = brTest_Workers(3)};
	brShatter *alone = NULL, *shared = NULL;
	brReport report = {0};
	CHECK_RESULT(brCreateShatter(NULL, torus, &def, &alone, &report), &report);
	CHECK_RESULT(brCreateShatter(&context, torus, &def, &shared, &report), &report);
	CHECK(shared->pieceCount == alone->pieceCount && shared->levelCount == alone->levelCount);
	for (int32_t i = 0; i < alone->pieceCount; ++i)
	{
		const brMesh *a = alone->pieces[i].mesh, *b = shared->pieces[i].mesh;
		CHECK(a->vertexCount == b->vertexCount && a->cornerCount == b->cornerCount);
		CHECK(memcmp(a->positions, b->positions, (size_t)a->vertexCount * sizeof(brDVec3)) == 0);
		CHECK(memcmp(a->corners, b->corners, (size_t)a->cornerCount * sizeof(int32_t)) == 0);
	}
	brDestroyShatter(alone);
	brDestroyShatter(shared);
	brDestroyWorkers(context.workers);
	brDestroyMesh(torus);
}

// Clusters hang together, fill all pieces, are of the size asked for, and nest; their bonds are the sums of what is
// between.
BR_TEST(shatter_clusters_nest_and_hang_together)
{
	brMesh* torus = brShape_Torus(40, 20, 1.0, 0.35);
	brDVec3 sites[400];
	brShatterDef def = brDefaultShatterDef();
	def.sites = sites, def.siteCount = brUniformSites(torus, 400, test->seed, sites), def.clusterSize = 6;
	brShatter* shatter = BR_MADE(brShatter, brCreateShatter, NULL, torus, &def);
	CHECK(shatter->levelCount >= 3);
	int32_t pieces = shatter->pieceCount, nodes = pieces;
	int32_t* reached = malloc((size_t)pieces * sizeof(int32_t));
	for (int32_t l = 0; l < shatter->levelCount; ++l)
	{
		const brShatterLevel* level = &shatter->levels[l];
		CHECK(level->clusterCount < nodes && level->clusterCount >= nodes / 9);
		nodes = level->clusterCount;
		// Pieces that the lowest piece of their cluster reaches by bonds inside it.
		int32_t firsts = 0;
		for (int32_t p = 0; p < pieces; ++p)
		{
			CHECK(level->clusters[p] >= 0 && level->clusters[p] <= firsts);
			reached[p] = level->clusters[p] == firsts;
			firsts += reached[p];
			for (int32_t q = 0; l > 0 && q < p; ++q)
			{
				const int32_t* finer = shatter->levels[l - 1].clusters;
				CHECK(finer[p] != finer[q] || level->clusters[p] == level->clusters[q]);
			}
		}
		CHECK_EQUAL(firsts, level->clusterCount);
		for (int32_t c = 0; l == 0 && c < level->clusterCount; ++c)
		{
			int32_t size = 0;
			for (int32_t p = 0; p < pieces; ++p)
			{
				size += level->clusters[p] == c;
			}
			CHECK(size >= def.clusterSize / 2); // smaller ones join a neighbor
		}
		double between = 0.0, sum = 0.0;
		for (int32_t round = 0; round < pieces; ++round)
		{
			for (int32_t b = 0; b < shatter->bondCount; ++b)
			{
				const brBond* bond = &shatter->bonds[b];
				bool isInside = level->clusters[bond->pieces[0]] == level->clusters[bond->pieces[1]];
				bool isReached = isInside && (reached[bond->pieces[0]] || reached[bond->pieces[1]]);
				reached[bond->pieces[0]] |= isReached;
				reached[bond->pieces[1]] |= isReached;
				between += round == 0 && !isInside ? bond->area : 0.0;
			}
		}
		for (int32_t p = 0; p < pieces; ++p)
		{
			CHECK(reached[p]);
		}
		for (int32_t b = 0; b < level->bondCount; ++b)
		{
			const brBond* bond = &level->bonds[b];
			CHECK(bond->pieces[0] < bond->pieces[1] && bond->pieces[1] < level->clusterCount && bond->area > 0.0);
			CHECK(b == 0 || bond[-1].pieces[0] < bond->pieces[0] ||
				  (bond[-1].pieces[0] == bond->pieces[0] && bond[-1].pieces[1] < bond->pieces[1]));
			sum += bond->area;
		}
		CHECK_NEAR(sum, between, 1e-12 * (1.0 + between));
	}
	CHECK_EQUAL(shatter->levels[shatter->levelCount - 1].clusterCount, 1);
	free(reached);
	brDestroyShatter(shatter);
	brDestroyMesh(torus);
}

// A hull is convex, holds its piece, and of a box cut into convex pieces is the piece itself.
BR_TEST(shatter_hulls_hold_their_pieces)
{
	brMesh* meshes[2] = {brShape_Box(1.0, 1.0, 1.0), brShape_Torus(24, 12, 1.0, 0.4)};
	for (int32_t m = 0; m < 2; ++m)
	{
		brDVec3 sites[20];
		brShatterDef def = brDefaultShatterDef();
		def.sites = sites, def.siteCount = brUniformSites(meshes[m], 20, test->seed, sites), def.makeHulls = true;
		brShatter* shatter = BR_MADE(brShatter, brCreateShatter, NULL, meshes[m], &def);
		for (int32_t i = 0; i < shatter->pieceCount; ++i)
		{
			const brMesh *piece = shatter->pieces[i].mesh, *hull = shatter->pieces[i].hull;
			CHECK(hull != NULL);
			double volume = brMesh_ComputeMass(hull, 1.0).volume;
			CHECK(volume > shatter->pieces[i].mass.volume * (1.0 - 1e-9));
			CHECK(m == 1 || volume < shatter->pieces[i].mass.volume * (1.0 + 1e-9));
			for (int32_t f = 0; f < hull->faceCount; ++f)
			{
				const int32_t* c = hull->corners + hull->faceStarts[f];
				brDVec3 a = hull->positions[c[0]], normal = {0.0, 0.0, 0.0};
				for (int32_t n = 1; n + 1 < brMesh_GetFaceSize(hull, f); ++n)
				{
					normal = brDAdd(normal,
									brDCross(brDSub(hull->positions[c[n]], a), brDSub(hull->positions[c[n + 1]], a)));
				}
				normal = brDNormalize(normal);
				for (int32_t v = 0; v < piece->vertexCount; ++v)
				{
					CHECK(brDDot(normal, brDSub(piece->positions[v], a)) < 1e-8);
				}
			}
		}
		brDestroyShatter(shatter);
		brDestroyMesh(meshes[m]);
	}
}

BR_TEST(shatter_refuses_bad_calls)
{
	brMesh* box = brShape_Box(1.0, 1.0, 1.0);
	brDVec3 site = {0.5, 0.5, 0.5}, bad = {NAN, 0.0, 0.0};
	brShatter* none = NULL;
	brReport report = {0};
	brShatterDef good = brDefaultShatterDef();
	good.sites = &site, good.siteCount = 1;
	brShatterDef defs[8] = {good, good, good, good, good, good, good, good};
	defs[5].clusterSize = 1, defs[6].levelCount = 0, defs[7].roughness = NAN;
	defs[0].stamp = 0, defs[1].siteCount = 0, defs[2].stretch.x = 0.0, defs[3].smallest = NAN, defs[4].density = -1.0;
	for (int32_t i = 0; i < 8; ++i)
	{
		CHECK_EQUAL(brCreateShatter(NULL, box, &defs[i], &none, &report), br_errorMisuse);
		CHECK(none == NULL && report.text[0] != 0);
	}
	good.sites = &bad;
	CHECK_EQUAL(brCreateShatter(NULL, box, &good, &none, &report), br_errorGeometry);
	CHECK_EQUAL(report.element, 0);
	good.sites = &site;
	--box->faceCount;
	box->cornerCount -= 4;
	CHECK_EQUAL(brCreateShatter(NULL, box, &good, &none, &report), br_errorGeometry);
	++box->faceCount;
	box->cornerCount += 4;
	CHECK(none == NULL);
	brDestroyMesh(box);
}

typedef struct ShatterWalk
{
	const brMesh* mesh;
	const brDVec3* sites;
	int32_t count;
	double roughness;
} ShatterWalk;

static brResult walkShatter(const brContext* context, void* user)
{
	const ShatterWalk* walk = user;
	brShatterDef def = brDefaultShatterDef();
	def.sites = walk->sites, def.siteCount = walk->count, def.smallest = 0.02;
	def.stretch = brMakeDVec3(2.0, 1.0, 1.0);
	def.clusterSize = 3, def.makeHulls = true;
	def.roughness = walk->roughness, def.roughnessLength = 1.5;
	brShatter* shatter = NULL;
	brResult result = brCreateShatter(context, walk->mesh, &def, &shatter, NULL);
	brDestroyShatter(shatter);
	return result;
}

BR_TEST(shatter_survives_failed_allocations)
{
	brMesh* torus = brShape_Torus(6, 4, 1.0, 0.35);
	brDVec3 sites[6];
	ShatterWalk walk = {torus, sites, brUniformSites(torus, 6, 3, sites), 0.0};
	CHECK(brTest_WalkAllocations(walkShatter, &walk) > 50);
	walk.roughness = 0.1, walk.count = 2;
	CHECK(brTest_WalkAllocations(walkShatter, &walk) > 50);
	brDestroyMesh(torus);
}
