// SPDX-License-Identifier: MIT
#include "brittle/mesh.h"

#include "harness.h"
#include "tet_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A cube of n^3 cells, six tets each, all positive; nodes are shared.
brTetMesh* makeTetCube(int32_t n)
{
	int32_t side = n + 1;
	brTetMeshDef def = brDefaultTetMeshDef();
	def.nodeCount = side * side * side;
	def.tetCount = 6 * n * n * n;
	brDVec3* nodes = malloc((size_t)def.nodeCount * sizeof(*nodes));
	int32_t(*tets)[4] = malloc((size_t)def.tetCount * sizeof(*tets));
	for (int32_t i = 0; i < def.nodeCount; ++i)
	{
		nodes[i] = brMakeDVec3(i % side, i / side % side, i / (side * side));
	}
	// The six ways from corner 0 to corner 7 along the axes; odd ones turn the tet over.
	static const int32_t orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
	const int32_t steps[3] = {1, side, side * side};
	int32_t t = 0;
	for (int32_t cell = 0; cell < n * n * n; ++cell)
	{
		int32_t corner = cell % n + cell / n % n * side + cell / (n * n) * side * side;
		for (int32_t o = 0; o < 6; ++o, ++t)
		{
			int32_t a = corner + steps[orders[o][0]];
			int32_t b = a + steps[orders[o][1]];
			int32_t tet[4] = {corner, o < 3 ? a : b, o < 3 ? b : a, b + steps[orders[o][2]]};
			memcpy(tets[t], tet, sizeof(tet));
		}
	}
	def.nodes = nodes;
	def.tets = (const int32_t(*)[4])tets;
	brTetMesh* mesh = BR_MADE(brTetMesh, brCreateTetMesh, NULL, &def);
	free(nodes);
	free(tets);
	return mesh;
}

static brTetMeshStats checkTets(const brTetMesh* mesh)
{
	brTetMeshStats stats;
	brReport report = {0};
	CHECK_RESULT(brTetMesh_Check(mesh, NULL, &stats, &report), &report);
	return stats;
}

BR_TEST(tet_check_of_a_cube_of_tets)
{
	for (int32_t n = 1; n <= 6; ++n)
	{
		brTetMesh* mesh = makeTetCube(n);
		brTetMeshStats stats = checkTets(mesh);
		CHECK_EQUAL(stats.positiveTets, 6 * n * n * n);
		CHECK_EQUAL(stats.negativeTets + stats.zeroTets + stats.repeatedIndexTets + stats.unusedNodes, 0);
		CHECK_EQUAL(stats.boundaryFaces, 12 * n * n);
		CHECK_EQUAL(stats.overfullFaces + stats.misorientedFaces, 0);
		CHECK_EQUAL(stats.components, 1);
		CHECK(stats.isSurfaceClosed);
		CHECK_EQUAL(stats.firstBadTet, -1);
		CHECK_NEAR(stats.volume, (double)n * n * n, 1e-12 * n * n * n);
		// Tets of a cube split along its diagonal: 45, 60 and 90 degrees.
		CHECK_NEAR(stats.minDihedral, BR_PI / 4.0, 1e-15);
		CHECK_NEAR(stats.maxDihedral, BR_PI / 2.0, 1e-15);
		brDestroyTetMesh(mesh);
	}
}

BR_TEST(tet_check_finds_what_is_wrong)
{
	brTetMesh* mesh = makeTetCube(2);
	int32_t* tet = mesh->tets[17];
	int32_t kept[4];
	memcpy(kept, tet, sizeof(kept));

	// Turned over: negative, and its four faces disagree with their neighbors or with the boundary.
	tet[0] = kept[1], tet[1] = kept[0];
	brTetMeshStats stats = checkTets(mesh);
	CHECK_EQUAL(stats.negativeTets, 1);
	CHECK_EQUAL(stats.firstBadTet, 17);
	CHECK_EQUAL(stats.boundaryFaces, 48);
	CHECK(stats.misorientedFaces > 0);
	CHECK_NEAR(stats.volume, 8.0 - 2.0 / 6.0, 1e-12);

	// A repeated node: flat, and gone as far as faces go.
	memcpy(tet, kept, sizeof(kept));
	tet[0] = kept[1];
	stats = checkTets(mesh);
	CHECK_EQUAL(stats.zeroTets, 1);
	CHECK_EQUAL(stats.repeatedIndexTets, 1);
	CHECK_EQUAL(stats.firstBadTet, 17);
	CHECK_EQUAL(stats.components, 2);
	CHECK(stats.isSurfaceClosed);

	// The same tet twice: its faces are overfull or double.
	memcpy(tet, mesh->tets[16], sizeof(kept));
	stats = checkTets(mesh);
	CHECK_EQUAL(stats.positiveTets, 48);
	CHECK(stats.overfullFaces > 0);
	brDestroyTetMesh(mesh);
}

BR_TEST(tet_check_signs_are_exact)
{
	// d lies 2^-60 above the plane x + y + z = 1.5 through points that make plain arithmetic round to either side.
	brDVec3 nodes[5] = {{0.5, 0.5, 0.5}, {1.5, 0.0, 0.0}, {0.0, 1.5, 0.0}, {0.1, 0.3, 0.0}, {100.0, 100.0, 100.0}};
	nodes[3].z = 1.5 - nodes[3].x - nodes[3].y;
	int32_t tets[2][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}};
	brTetMeshDef def = brDefaultTetMeshDef();
	def.nodeCount = 5;
	def.nodes = nodes;
	def.tetCount = 2;
	def.tets = (const int32_t(*)[4])tets;
	// Exactly: sum of the doubles against 1.5, in integers of 2^-60 (all parts are multiples of that).
	int64_t sum = (int64_t)ldexp(nodes[3].x, 60) + (int64_t)ldexp(nodes[3].y, 60) + (int64_t)ldexp(nodes[3].z, 60);
	int64_t plane = (int64_t)ldexp(1.5, 60);
	brTetMesh* mesh = BR_MADE(brTetMesh, brCreateTetMesh, NULL, &def);
	brTetMeshStats stats = checkTets(mesh);
	CHECK_EQUAL(stats.zeroTets, sum == plane ? 2 : 0);
	CHECK_EQUAL(stats.positiveTets, sum == plane ? 0 : 1);
	CHECK_EQUAL(stats.negativeTets, sum == plane ? 0 : 1);
	CHECK_EQUAL(stats.firstBadTet, sum == plane ? 0 : sum > plane);
	CHECK_EQUAL(stats.unusedNodes, 1);
	brDestroyTetMesh(mesh);
}

// Slow twin: every pair of faces compared.
static void bruteFaces(const brTetMesh* mesh, int32_t* outBoundary, int32_t* outOverfull)
{
	static const int32_t faces[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
	int32_t boundary = 0;
	int32_t overfull = 0;
	int32_t count = 4 * mesh->tetCount;
	int32_t(*sorted)[3] = malloc((size_t)count * sizeof(*sorted) + 1);
	for (int32_t i = 0; i < count; ++i)
	{
		for (int32_t k = 0; k < 3; ++k)
		{
			sorted[i][k] = mesh->tets[i / 4][faces[i % 4][k]];
		}
		for (int32_t step = 0; step < 3; ++step)
		{
			int32_t k = step % 2;
			if (sorted[i][k] > sorted[i][k + 1])
			{
				int32_t swap = sorted[i][k];
				sorted[i][k] = sorted[i][k + 1];
				sorted[i][k + 1] = swap;
			}
		}
	}
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t same = 0;
		bool isFirst = true;
		for (int32_t k = 0; k < count; ++k)
		{
			bool isSame = memcmp(sorted[i], sorted[k], sizeof(sorted[i])) == 0;
			same += isSame;
			isFirst = isFirst && !(isSame && k < i);
		}
		boundary += same == 1;
		overfull += isFirst && same > 2;
	}
	free(sorted);
	*outBoundary = boundary;
	*outOverfull = overfull;
}

BR_TEST(tet_check_equals_brute_force_on_random_tets)
{
	brRandom random = brTest_Random(test);
	int32_t overfullSeen = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 100); ++round)
	{
		// Few nodes give many shared faces; a hub node makes one bucket large.
		int32_t nodeCount = 5 + (int32_t)brRandom_Below(&random, 20);
		int32_t tetCount = 1 + (int32_t)brRandom_Below(&random, 120);
		brDVec3 nodes[32];
		int32_t tets[128][4];
		for (int32_t v = 0; v < nodeCount; ++v)
		{
			nodes[v] = brMakeDVec3(brRandom_Unit(&random), brRandom_Unit(&random), brRandom_Unit(&random));
		}
		for (int32_t t = 0; t < tetCount; ++t)
		{
			for (int32_t k = 0; k < 4; ++k)
			{
				bool isNew = false;
				while (!isNew)
				{
					tets[t][k] = k == 0 && round % 2 == 0 ? 0 : (int32_t)brRandom_Below(&random, (uint32_t)nodeCount);
					isNew = true;
					for (int32_t j = 0; j < k; ++j)
					{
						isNew = isNew && tets[t][j] != tets[t][k];
					}
				}
			}
		}
		brTetMeshDef def = brDefaultTetMeshDef();
		def.nodeCount = nodeCount;
		def.nodes = nodes;
		def.tetCount = tetCount;
		def.tets = (const int32_t(*)[4])tets;
		brTetMesh* mesh = BR_MADE(brTetMesh, brCreateTetMesh, NULL, &def);
		brTetMeshStats stats = checkTets(mesh);
		int32_t boundary, overfull;
		bruteFaces(mesh, &boundary, &overfull);
		CHECK_EQUAL(stats.boundaryFaces, boundary);
		CHECK_EQUAL(stats.overfullFaces, overfull);
		CHECK_EQUAL(stats.positiveTets + stats.negativeTets + stats.zeroTets, tetCount);
		overfullSeen += overfull;

		brMesh* surface = BR_MADE(brMesh, brTetMesh_MakeSurface, mesh, NULL);
		CHECK_EQUAL(surface->faceCount, boundary);
		brDestroyMesh(surface);
		brDestroyTetMesh(mesh);
	}
	CHECK(overfullSeen > 0);
}

BR_TEST(tet_check_survives_a_hub_and_is_fast)
{
	// A fan of 20000 tets round one edge: two nodes that all faces share.
	int32_t n = 20000;
	brTetMeshDef def = brDefaultTetMeshDef();
	brDVec3* nodes = malloc((size_t)(n + 2) * sizeof(*nodes));
	int32_t(*tets)[4] = malloc((size_t)n * sizeof(*tets));
	nodes[0] = brMakeDVec3(0, 0, 0);
	nodes[1] = brMakeDVec3(0, 0, 1);
	for (int32_t i = 0; i < n; ++i)
	{
		double angle = 2.0 * BR_PI * i / n;
		nodes[i + 2] = brMakeDVec3(cos(angle), sin(angle), 0.5);
		int32_t tet[4] = {0, i + 2, (i + 1) % n + 2, 1};
		memcpy(tets[i], tet, sizeof(tet));
	}
	def.nodeCount = n + 2;
	def.nodes = nodes;
	def.tetCount = n;
	def.tets = (const int32_t(*)[4])tets;
	brTetMesh* mesh = BR_MADE(brTetMesh, brCreateTetMesh, NULL, &def);
	brTetMeshStats stats = checkTets(mesh);
	CHECK_EQUAL(stats.positiveTets, n);
	CHECK_EQUAL(stats.boundaryFaces, 2 * n);
	CHECK_EQUAL(stats.components, 1);
	CHECK(stats.isSurfaceClosed);
	brDestroyTetMesh(mesh);
	free(nodes);
	free(tets);
}

BR_TEST(tet_check_volume_and_angles_hold_at_any_scale)
{
	for (int32_t exponent = -300; exponent <= 300; exponent += 50)
	{
		brTetMesh* mesh = makeTetCube(1);
		for (int32_t v = 0; v < mesh->nodeCount; ++v)
		{
			mesh->nodes[v] = brDMul(ldexp(1.0, exponent), mesh->nodes[v]);
		}
		brTetMeshStats stats = checkTets(mesh);
		CHECK_EQUAL(stats.positiveTets, 6);
		CHECK_NEAR(stats.minDihedral, BR_PI / 4.0, 1e-15);
		CHECK_NEAR(stats.volume / ldexp(1.0, 3 * exponent), 1.0, 1e-15);
		brDestroyTetMesh(mesh);
	}
}

BR_TEST(tet_surface_is_closed_outward_and_in_node_order)
{
	brTetMesh* mesh = makeTetCube(3);
	brMesh* surface = BR_MADE(brMesh, brTetMesh_MakeSurface, mesh, NULL);
	CHECK_EQUAL(surface->faceCount, 108);
	CHECK_EQUAL(surface->vertexCount, 56); // 64 less the 8 inside
	double volume = 0.0;
	for (int32_t f = 0; f < surface->faceCount; ++f)
	{
		const int32_t* c = surface->corners + 3 * f;
		volume += brDDot(surface->positions[c[0]], brDCross(surface->positions[c[1]], surface->positions[c[2]])) / 6.0;
	}
	CHECK_NEAR(volume, 27.0, 1e-12);
	int32_t node = -1;
	for (int32_t v = 0; v < surface->vertexCount; ++v)
	{
		int32_t found = node + 1;
		while (found < mesh->nodeCount && memcmp(&mesh->nodes[found], &surface->positions[v], sizeof(brDVec3)) != 0)
		{
			found += 1;
		}
		CHECK(found < mesh->nodeCount);
		node = found;
	}
	brDestroyMesh(surface);
	brDestroyTetMesh(mesh);
}

BR_TEST(tet_check_of_nothing)
{
	brTetMeshDef def = brDefaultTetMeshDef();
	brTetMesh* mesh = BR_MADE(brTetMesh, brCreateTetMesh, NULL, &def);
	brTetMeshStats stats = checkTets(mesh);
	CHECK_EQUAL(stats.boundaryFaces, 0);
	CHECK(!stats.isSurfaceClosed);
	brMesh* surface = BR_MADE(brMesh, brTetMesh_MakeSurface, mesh, NULL);
	CHECK_EQUAL(surface->faceCount, 0);
	brDestroyMesh(surface);
	brDestroyTetMesh(mesh);
	CHECK(brTetMesh_Check(NULL, NULL, &stats, NULL) == br_errorMisuse);
	CHECK(brTetMesh_MakeSurface(NULL, NULL, &surface, NULL) == br_errorMisuse);
}

BR_TEST(tet_check_is_the_same_for_any_number_of_workers)
{
	brTetMesh* mesh = makeTetCube(20); // three blocks
	brRandom random = brTest_Random(test);
	for (int32_t v = 0; v < mesh->nodeCount; ++v)
	{
		mesh->nodes[v].x += brRandom_Range(&random, -0.2, 0.2);
		mesh->nodes[v].y += brRandom_Range(&random, -0.2, 0.2);
	}
	brTetMeshStats alone = checkTets(mesh);
	for (int32_t count = 2; count <= 4; ++count)
	{
		brContext context = {.workers = brTest_Workers(count)};
		brTetMeshStats stats;
		CHECK_RESULT(brTetMesh_Check(mesh, &context, &stats, NULL), NULL);
		CHECK(memcmp(&stats, &alone, sizeof(stats)) == 0);
		brDestroyWorkers(context.workers);
	}
	brDestroyTetMesh(mesh);
}

static brResult checkAndSurface(const brContext* context, void* user)
{
	brTetMeshStats stats;
	brMesh* surface = NULL;
	brResult result = brTetMesh_Check(user, context, &stats, NULL);
	result = result < 0 ? result : brTetMesh_MakeSurface(user, context, &surface, NULL);
	brDestroyMesh(surface);
	return result;
}

BR_TEST(tet_check_survives_every_failing_allocation)
{
	brTetMesh* mesh = makeTetCube(3);
	CHECK(brTest_WalkAllocations(checkAndSurface, mesh) > 8);
	brDestroyTetMesh(mesh);
}
