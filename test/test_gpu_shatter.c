// SPDX-License-Identifier: MIT

// Cells and pieces from a device against the CPU's: the same topology, corners with the same bits. Runs on the first OpenCL device there
// is, PoCL in most cases.

#include "brittle/brittle.h"
#include "gpu/gpu_pieces.h"
#include "gpu_help.h"
#include "harness.h"
#include "shatter_help.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef BR_HAVE_OPENCL

enum
{
	sites_random,
	sites_lattice, // ties everywhere
	sites_plane,
	sites_line,
	sites_shell, // cospherical exactly, about one in the middle
	sites_twice, // many at one place
	sites_cluster,
	sites_box, // on the box itself
	sites_flat,
	sites_kinds,
};

static int32_t drawSites(brRandom* random, int32_t kind, int32_t count, brDVec3* sites)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 p = {brRandom_Unit(random), brRandom_Unit(random), brRandom_Unit(random)};
		int32_t turn = i % 6;
		switch (kind)
		{
			case sites_lattice:
				p = brMakeDVec3((i % 4 + 0.5) / 4, (i / 4 % 4 + 0.5) / 4, (i / 16 + 0.5) / 8);
				break;
			case sites_plane:
				p.z = 0.5;
				break;
			case sites_line:
				p = brMakeDVec3((i + 0.5) / count, 0.25, 0.5);
				break;
			case sites_shell:
				p = brMakeDVec3(0.5, 0.5, 0.5);
				p.x += (turn == 0) * 0.25 - (turn == 1) * 0.25;
				p.y += (turn == 2) * 0.25 - (turn == 3) * 0.25;
				p.z += i == count - 1 ? 0.0 : (turn == 4) * 0.25 - (turn == 5) * 0.25;
				if (i >= 6 && i + 1 < count)
				{
					// 1, 2, 2 and 3, 0, 0 are as long.
					double s = 0.25 / 3.0;
					p = brMakeDVec3(0.5 + s * (i & 1 ? 1 : -1) * (i % 3 == 0 ? 1 : 2),
									0.5 + s * (i & 2 ? 1 : -1) * (i % 3 == 1 ? 1 : 2),
									0.5 + s * (i & 4 ? 1 : -1) * (i % 3 == 2 ? 1 : 2));
				}
				break;
			case sites_twice:
				p = i % 2 == 1 ? sites[i - 1] : p;
				break;
			case sites_cluster:
				p = i % 8 != 0 ? brMakeDVec3(0.3 + 1e-4 * p.x, 0.6 + 1e-4 * p.y, 0.2 + 1e-4 * p.z) : p;
				break;
			case sites_box:
				p = brMakeDVec3(i & 1, i & 2 ? 1.0 : 0.0, i & 4 ? p.z : 0.0);
				break;
			case sites_flat:
				p.z *= 0.01;
				break;
			default:
				break;
		}
		sites[i] = p;
	}
	return count;
}

static bool isSamePlace(brDVec3 p, brDVec3 q)
{
	return p.x == q.x && p.y == q.y && p.z == q.z;
}

// Facet for facet, from whichever corner a loop starts.
static void checkSameCells(const brVoronoi* device, const brVoronoi* host)
{
	CHECK_EQUAL(device->siteCount, host->siteCount);
	CHECK_EQUAL(device->facetCount, host->facetCount);
	CHECK_EQUAL(device->cornerCount, host->cornerCount);
	CHECK_EQUAL(device->vertexCount, host->vertexCount);
	brDVec3 extent = brDSub(brSiteLattice_Box(&host->lattice).upper, brSiteLattice_Box(&host->lattice).lower);
	double all = extent.x * extent.y * extent.z;
	for (int32_t i = 0; i < host->siteCount; ++i)
	{
		CHECK(memcmp(device->places[i], host->places[i], sizeof(int32_t[3])) == 0);
		CHECK(isSamePlace(device->sites[i], host->sites[i]));
		CHECK_NEAR(device->volumes[i], host->volumes[i], 1e-13 * all);
		int32_t count = host->cellStarts[i + 1] - host->cellStarts[i];
		CHECK_EQUAL(device->cellStarts[i + 1] - device->cellStarts[i], count);
		for (int32_t f = host->cellStarts[i]; f < host->cellStarts[i + 1]; ++f)
		{
			int32_t g = device->cellStarts[i];
			while (g < device->cellStarts[i + 1] && device->facetSites[g] != host->facetSites[f])
			{
				++g;
			}
			CHECK_MESSAGE(g < device->cellStarts[i + 1], "cell %d has no facet to %d", i, host->facetSites[f]);
			const int32_t *loop = host->beyond + host->facetStarts[f], *other = device->beyond + device->facetStarts[g];
			int32_t size = host->facetStarts[f + 1] - host->facetStarts[f], turn = 0;
			CHECK_EQUAL(device->facetStarts[g + 1] - device->facetStarts[g], size);
			while (turn < size && other[turn] != loop[0])
			{
				++turn;
			}
			for (int32_t n = 0; n < size; ++n)
			{
				int32_t m = (n + turn) % size;
				CHECK_EQUAL(other[m], loop[n]);
				int32_t v = host->corners[host->facetStarts[f] + n], w = device->corners[device->facetStarts[g] + m];
				CHECK(memcmp(device->names[w], host->names[v], sizeof(int32_t[4])) == 0);
				CHECK(isSamePlace(device->vertices[w], host->vertices[v]));
			}
		}
	}
}

BR_TEST(gpu_voronoi_cells_are_those_of_the_cpu)
{
	brGpu* gpu = openAnyWithDoubles();
	brRandom random = brTest_Random(test);
	brGpuVoronoi device;
	brGpuVoronoi_Init(&device, gpu);
	brDVec3 sites[400];
	int32_t rounds = brTest_Rounds(test, 6 * sites_kinds);
	for (int32_t round = 0; round < (rounds > 3 ? rounds : 3); ++round)
	{
		int32_t kind = round % sites_kinds, most = test->intensity < 0.05 ? 12 : 400;
		int32_t count = kind == sites_box       ? 12
						: kind == sites_lattice ? 128
												: 1 + (int32_t)brRandom_Below(&random, most);
		count = count > most ? most : count;
		drawSites(&random, kind, count, sites);
		brVoronoiDef def = {.siteCount = count, .sites = sites, .box = {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}}};
		def.box.upper.z = kind == sites_flat ? 0.01 : 1.0;
		brReport report = {0};
		brVoronoi *host = NULL, *read = NULL;
		brGpuCells cells;
		CHECK_RESULT(brCreateVoronoi(NULL, &def, &host, &report), &report);
		CHECK_RESULT(brGpuVoronoi_SetSites(&device, &def, &report), &report);
		CHECK_RESULT(brGpuVoronoi_Run(&device, true, &cells, &report), &report);
		CHECK_EQUAL(cells.failedCount, 0);
		CHECK_RESULT(brGpuVoronoi_Read(&device, NULL, &cells, &read, &report), &report);
		checkSameCells(read, host);
		brDestroyVoronoi(host);
		brDestroyVoronoi(read);
	}
	brGpuVoronoi_Free(&device);
	brCloseGpu(gpu);
}

typedef struct ReadPieces
{
	cl_uint4* pieces;
	double* volumes;
	brDVec3* vertices;
	int32_t* triangles;
} ReadPieces;

static ReadPieces readPieces(const brGpuPieces* device, const brGpuPieceCounts* counts)
{
	brGpu* gpu = device->voronoi.gpu;
	size_t n = (size_t)device->voronoi.siteCount;
	ReadPieces read = {malloc(n * sizeof(cl_uint4)), malloc(n * sizeof(double)),
					   malloc((size_t)(counts->vertexCount + 1) * sizeof(brDVec3)),
					   malloc((size_t)(counts->triangleCount + 1) * sizeof(int32_t[3]))};
	brReport report = {0};
	CHECK_RESULT(brGpu_Read(gpu, &device->pieces, 0, read.pieces, n * sizeof(cl_uint4), &report), &report);
	CHECK_RESULT(brGpu_Read(gpu, &device->volumes, 0, read.volumes, n * sizeof(double), &report), &report);
	CHECK_RESULT(
		brGpu_Read(gpu, &device->vertices, 0, read.vertices, (size_t)counts->vertexCount * sizeof(brDVec3), &report),
		&report);
	CHECK_RESULT(brGpu_Read(gpu, &device->triangles, 0, read.triangles,
							(size_t)counts->triangleCount * sizeof(int32_t[3]), &report),
				 &report);
	return read;
}

static void freePieces(ReadPieces* read)
{
	free(read->pieces);
	free(read->volumes);
	free(read->vertices);
	free(read->triangles);
}

static int compareKeys(const void* left, const void* right)
{
	uint64_t a = *(const uint64_t*)left, b = *(const uint64_t*)right;
	return (a > b) - (a < b);
}

// Every edge as often one way as the other: closed and oriented.
static void checkClosed(const int32_t* corners, int32_t count, int32_t vertexCount)
{
	uint64_t* there = malloc(3 * (size_t)count * sizeof(uint64_t));
	uint64_t* back = malloc(3 * (size_t)count * sizeof(uint64_t));
	for (int32_t i = 0; i < 3 * count; ++i)
	{
		uint32_t a = (uint32_t)corners[i], b = (uint32_t)corners[i % 3 == 2 ? i - 2 : i + 1];
		CHECK(a < (uint32_t)vertexCount && a != b);
		there[i] = (uint64_t)a << 32 | b;
		back[i] = (uint64_t)b << 32 | a;
	}
	qsort(there, 3 * (size_t)count, sizeof(uint64_t), compareKeys);
	qsort(back, 3 * (size_t)count, sizeof(uint64_t), compareKeys);
	CHECK_MESSAGE(memcmp(there, back, 3 * (size_t)count * sizeof(uint64_t)) == 0, "a piece of %d triangles is open",
				  count);
	free(there);
	free(back);
}

// Against the CPU: what it makes of a site, however many parts that has, is one piece here.
static void checkPieces(const ReadPieces* read, const brGpuPieceCounts* counts, const brShatter* host,
						int32_t siteCount)
{
	double* volumes = calloc((size_t)siteCount, sizeof(double));
	int32_t* vertices = calloc((size_t)siteCount, sizeof(int32_t));
	double sum = 0.0;
	int32_t pieces = 0;
	for (int32_t i = 0; i < host->pieceCount; ++i)
	{
		volumes[host->pieces[i].site] += host->pieces[i].mass.volume;
		vertices[host->pieces[i].site] += host->pieces[i].mesh->vertexCount;
	}
	for (int32_t i = 0; i < siteCount; ++i)
	{
		CHECK_NEAR(read->volumes[i], volumes[i], 1e-12 * host->volumeIn);
		CHECK_EQUAL(read->pieces[i].s[1], vertices[i]);
		checkClosed(read->triangles + 3 * (size_t)read->pieces[i].s[2], (int32_t)read->pieces[i].s[3],
					(int32_t)read->pieces[i].s[1]);
		sum += read->volumes[i];
		pieces += read->pieces[i].s[3] > 0;
	}
	CHECK_EQUAL(pieces, counts->pieceCount);
	CHECK_NEAR(sum, host->volumeIn, 1e-12 * host->volumeIn);
	free(volumes);
	free(vertices);
}

static brMesh* makeTriangles(const char* name, double resolution)
{
	brModelDef def = brDefaultModelDef(name);
	if (resolution > 0.0)
	{
		CHECK(brModelDef_SetParameter(&def, "resolution", resolution));
	}
	brMesh *mesh = NULL, *triangles = NULL;
	brTriangulation* cut = NULL;
	brReport report = {0};
	CHECK_RESULT(brMakeModel(NULL, &def, &mesh, &report), &report);
	CHECK_RESULT(brTriangulateMesh(NULL, mesh, &cut, &report), &report);
	int32_t* corners = malloc((size_t)cut->triangleCount * sizeof(int32_t[3]));
	for (int32_t i = 0; i < 3 * cut->triangleCount; ++i)
	{
		corners[i] = mesh->corners[cut->corners[i]];
	}
	brMeshDef meshDef = brDefaultMeshDef();
	meshDef.vertexCount = mesh->vertexCount, meshDef.positions = mesh->positions;
	meshDef.faceCount = cut->triangleCount, meshDef.corners = corners;
	CHECK_RESULT(brCreateMesh(NULL, &meshDef, &triangles, &report), &report);
	free(corners);
	brDestroyTriangulation(cut);
	brDestroyMesh(mesh);
	return triangles;
}

BR_TEST(gpu_pieces_are_those_of_the_cpu)
{
	brGpu* gpu = openAnyWithDoubles();
	static const struct
	{
		const char* name;
		int32_t sites;
	} cases[] = {{"box", 5}, {"torus", 12}, {"box", 300}, {"vase", 40}, {"blob", 150}, {"knot", 60}};
	int32_t caseCount = test->intensity < 0.05 ? 1 : (int32_t)(sizeof(cases) / sizeof(cases[0]));
	for (int32_t k = 0; k < caseCount; ++k)
	{
		brMesh* mesh = makeTriangles(cases[k].name, 0.0);
		brDVec3 sites[300];
		int32_t count = brUniformSites(mesh, cases[k].sites, test->seed + (uint64_t)k, sites);
		brShatter* host = brShatterBy(NULL, mesh, sites, count);
		brGpuModel model = {0};
		brGpuPieces device;
		brGpuPieceCounts counts;
		brReport report = {0};
		brGpuPieces_Init(&device, gpu);
		CHECK_RESULT(brGpuModel_Set(&model, gpu, NULL, mesh, &report), &report);
		CHECK_RESULT(brGpuPieces_SetSites(&device, &model, sites, count, &report), &report);
		CHECK_RESULT(brGpuPieces_Run(&device, &model, &counts, &report), &report);
		CHECK_EQUAL(counts.failedCount, 0);
		CHECK_EQUAL(counts.unsureCount, 0);
		CHECK_EQUAL(counts.tangledCount, 0);
		ReadPieces read = readPieces(&device, &counts);
		checkPieces(&read, &counts, host, count);
		freePieces(&read);
		brGpuPieces_Free(&device);
		brGpuModel_Free(&model, gpu);
		brDestroyShatter(host);
		brDestroyMesh(mesh);
	}
	brCloseGpu(gpu);
}

// The public call: pieces and bonds of the CPU, to the bit.
BR_TEST(gpu_shatter_is_that_of_the_cpu)
{
	brGpu* gpu = openAnyWithDoubles();
	brMesh* mesh = makeTriangles("box", 0.0);
	int32_t most = test->intensity < 0.05 ? 6 : 80;
	brDVec3 sites[80];
	brShatterDef def = brDefaultShatterDef();
	def.siteCount = brUniformSites(mesh, most, test->seed, sites);
	def.sites = sites;
	brShatter *device = NULL, *host = NULL;
	brReport report = {0};
	CHECK_RESULT(brGpu_CreateShatter(gpu, NULL, mesh, &def, &device, &report), &report);
	CHECK_RESULT(brCreateShatter(NULL, mesh, &def, &host, &report), &report);
	CHECK_EQUAL(device->pieceCount, host->pieceCount);
	CHECK_EQUAL(device->bondCount, host->bondCount);
	brCheckPieces(device, 1e-12);
	for (int32_t i = 0; i < host->pieceCount; ++i)
	{
		CHECK_EQUAL(device->pieces[i].site, host->pieces[i].site);
		CHECK_EQUAL(device->pieces[i].mesh->vertexCount, host->pieces[i].mesh->vertexCount);
		CHECK_EQUAL(device->pieces[i].mesh->faceCount, host->pieces[i].mesh->faceCount);
		CHECK_NEAR(device->pieces[i].mass.volume, host->pieces[i].mass.volume, 1e-14);
	}
	for (int32_t i = 0; i < host->bondCount; ++i)
	{
		CHECK(memcmp(device->bonds[i].pieces, host->bonds[i].pieces, sizeof(int32_t[2])) == 0);
		CHECK_NEAR(device->bonds[i].area, host->bonds[i].area, 1e-14);
	}
	brDestroyShatter(device);
	brDestroyShatter(host);
	brDestroyMesh(mesh);
	brCloseGpu(gpu);
}

// Two sites whose bisector holds the diagonals of two faces of a box.
static void sitesAcrossDiagonals(const brMesh* mesh, brDVec3 outSites[2])
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 middle = brDLerp(box.lower, box.upper, 0.5), side = brDSub(middle, box.lower);
	outSites[0] = brDAdd(middle, brMakeDVec3(0.5 * side.x, -0.5 * side.y, 0.0));
	outSites[1] = brDAdd(middle, brMakeDVec3(-0.5 * side.x, 0.5 * side.y, 0.0));
}

// Bisectors through vertices and along faces: doubles do not settle these, and the run says so instead of answering.
BR_TEST(gpu_pieces_say_when_they_are_not_sure)
{
	brGpu* gpu = openAnyWithDoubles();
	brMesh* mesh = makeTriangles("box", 0.0);
	brDVec3 sites[2];
	sitesAcrossDiagonals(mesh, sites);
	brGpuModel model = {0};
	brGpuPieces device;
	brGpuPieceCounts counts;
	brReport report = {0};
	brGpuPieces_Init(&device, gpu);
	CHECK_RESULT(brGpuModel_Set(&model, gpu, NULL, mesh, &report), &report);
	CHECK_RESULT(brGpuPieces_SetSites(&device, &model, sites, 2, &report), &report);
	CHECK_RESULT(brGpuPieces_Run(&device, &model, &counts, &report), &report);
	CHECK(counts.unsureCount > 0);
	brGpuPieces_Free(&device);
	brGpuModel_Free(&model, gpu);
	brDestroyMesh(mesh);
	brCloseGpu(gpu);
}

static double skinArea(const brGpuShatter* shatter)
{
	double area = 0.0;
	for (int32_t i = 0; i < shatter->pieceCount; ++i)
	{
		const brGpuPiece* piece = &shatter->pieces[i];
		const brDVec3* vertices = shatter->vertices + piece->firstVertex;
		for (int32_t k = 0; k < piece->skinCount; ++k)
		{
			const int32_t* corners = shatter->triangles + 3 * (size_t)(piece->firstTriangle + k);
			brDVec3 a = vertices[corners[0]];
			area += 0.5 * brDLength(brDCross(brDSub(vertices[corners[1]], a), brDSub(vertices[corners[2]], a)));
		}
	}
	return area;
}

// What a caller gets: pieces of the CPU's volumes, rising by site, closed, whose skins together are the model's surface.
static void checkShatter(const brGpuShatter* shatter, const brMesh* mesh, const brDVec3* sites, int32_t siteCount)
{
	brShatter* host = brShatterBy(NULL, mesh, sites, siteCount);
	double* volumes = calloc((size_t)siteCount, sizeof(double));
	for (int32_t i = 0; i < host->pieceCount; ++i)
	{
		volumes[host->pieces[i].site] += host->pieces[i].mass.volume;
	}
	int32_t vertexCount = 0, triangleCount = 0, site = -1;
	double sum = 0.0;
	for (int32_t i = 0; i < shatter->pieceCount; ++i)
	{
		const brGpuPiece* piece = &shatter->pieces[i];
		CHECK(piece->site > site && piece->site < siteCount);
		site = piece->site;
		CHECK_EQUAL(piece->firstVertex, vertexCount);
		CHECK_EQUAL(piece->firstTriangle, triangleCount);
		CHECK(piece->skinCount >= 0 && piece->skinCount <= piece->triangleCount);
		CHECK_NEAR(piece->volume, volumes[site], 1e-12 * host->volumeIn);
		checkClosed(shatter->triangles + 3 * (size_t)triangleCount, piece->triangleCount, piece->vertexCount);
		vertexCount += piece->vertexCount, triangleCount += piece->triangleCount;
		sum += piece->volume;
	}
	CHECK_EQUAL(vertexCount, shatter->vertexCount);
	CHECK_EQUAL(triangleCount, shatter->triangleCount);
	CHECK_NEAR(sum, host->volumeIn, 1e-12 * host->volumeIn);
	double area = brMesh_ComputeArea(mesh);
	CHECK_NEAR(skinArea(shatter), area, 1e-10 * area);
	free(volumes);
	brDestroyShatter(host);
}

BR_TEST(gpu_shatterer_breaks_a_model_again_and_again)
{
	brGpu* gpu = openAnyWithDoubles();
	brMesh* mesh = makeTriangles("torus", 0.0);
	brGpuShatterer* shatterer = NULL;
	brGpuShatter shatter;
	brReport report = {0};
	CHECK_RESULT(brCreateGpuShatterer(NULL, gpu, mesh, &shatterer, &report), &report);
	brDVec3 sites[64];
	static const int32_t counts[] = {3, 64, 1, 17};
	for (int32_t i = 0; i < (test->intensity < 0.05 ? 1 : 4); ++i)
	{
		int32_t count = brUniformSites(mesh, counts[i], test->seed + (uint64_t)i, sites);
		CHECK_RESULT(brGpuShatterer_Break(shatterer, sites, count, &shatter, &report), &report);
		checkShatter(&shatter, mesh, sites, count);
		CHECK(!shatter.isFromCpu);
	}
	sites[0].x = NAN;
	CHECK(brGpuShatterer_Break(shatterer, sites, 1, &shatter, &report) < 0);
	CHECK(brGpuShatterer_Break(shatterer, sites, 0, &shatter, &report) < 0);
	CHECK(brGpuShatterer_Break(shatterer, NULL, 1, &shatter, &report) == br_errorMisuse);
	brDestroyGpuShatterer(shatterer);
	brDestroyMesh(mesh);
	brCloseGpu(gpu);
}

// As above, where the device gives no answer: the caller does not notice but by the flag.
BR_TEST(gpu_shatterer_leaves_what_is_unsure_to_the_cpu)
{
	brGpu* gpu = openAnyWithDoubles();
	brMesh* mesh = makeTriangles("box", 0.0);
	brDVec3 sites[2];
	sitesAcrossDiagonals(mesh, sites);
	brGpuShatterer* shatterer = NULL;
	brGpuShatter shatter;
	brReport report = {0};
	CHECK_RESULT(brCreateGpuShatterer(NULL, gpu, mesh, &shatterer, &report), &report);
	CHECK_RESULT(brGpuShatterer_Break(shatterer, sites, 2, &shatter, &report), &report);
	CHECK(shatter.isFromCpu);
	CHECK_EQUAL(shatter.pieceCount, 2);
	checkShatter(&shatter, mesh, sites, 2);
	brDestroyGpuShatterer(shatterer);
	mesh->faceCount -= 1; // open
	CHECK(brCreateGpuShatterer(NULL, gpu, mesh, &shatterer, &report) == br_errorGeometry);
	mesh->faceCount += 1;
	brDestroyMesh(mesh);
	brCloseGpu(gpu);
}

typedef struct BrokenModel
{
	brGpu* gpu;
	brMesh* mesh;
	brDVec3 sites[2][2]; // settled by the device, and not
} BrokenModel;

static brResult breakModel(const brContext* context, void* user)
{
	BrokenModel* model = user;
	brGpuShatterer* shatterer = NULL;
	brGpuShatter shatter;
	brResult result = brCreateGpuShatterer(context, model->gpu, model->mesh, &shatterer, NULL);
	for (int32_t i = 0; i < 2 && result >= 0; ++i)
	{
		result = brGpuShatterer_Break(shatterer, model->sites[i], 2, &shatter, NULL);
	}
	brDestroyGpuShatterer(shatterer);
	return result;
}

BR_TEST(gpu_shatterer_survives_any_failed_allocation)
{
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	BrokenModel model = {.gpu = openAnyWithDoubles(), .mesh = makeTriangles("box", 0.0)};
	brUniformSites(model.mesh, 2, 7, model.sites[0]);
	sitesAcrossDiagonals(model.mesh, model.sites[1]);
	CHECK(brTest_WalkAllocations(breakModel, &model) >= 20);
	brDestroyMesh(model.mesh);
	brCloseGpu(model.gpu);
}

static brResult shatterOnDevice(const brContext* context, void* user)
{
	static const brDVec3 points[4] = {{0.1, 0.2, 0.3}, {0.4, 0.3, 0.9}, {0.7, 0.8, 0.2}, {0.2, 0.9, 0.8}};
	brVoronoiDef def = {.siteCount = 4, .sites = points, .box = {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}}};
	brGpuVoronoi device;
	brGpuCells cells;
	brVoronoi* read = NULL;
	brGpuVoronoi_Init(&device, user);
	brResult result = brGpuVoronoi_SetSites(&device, &def, NULL);
	result = result < 0 ? result : brGpuVoronoi_Run(&device, true, &cells, NULL);
	result = result < 0 ? result : brGpuVoronoi_Read(&device, context, &cells, &read, NULL);
	brDestroyVoronoi(result >= 0 ? read : NULL);
	brGpuVoronoi_Free(&device);
	return result;
}

BR_TEST(gpu_shatter_survives_any_failed_allocation)
{
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	brGpu* gpu = openAnyWithDoubles();
	CHECK(brTest_WalkAllocations(shatterOnDevice, gpu) >= 10);
	brCloseGpu(gpu);
}

#endif
