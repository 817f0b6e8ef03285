// SPDX-License-Identifier: MIT

// Cells and pieces from a device against the CPU's: the same topology, corners with the same bits. Runs on the first
// OpenCL device there is, PoCL in most cases.

#include "brittle/brittle.h"
#include "gpu/gpu_pieces.h"
#include "gpu_help.h"
#include "harness.h"
#include "shapes.h"
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

// To the bit, in the same order; but volumes, which are sums.
static void checkSameCells(const brVoronoi* device, const brVoronoi* host)
{
	CHECK_EQUAL(device->siteCount, host->siteCount);
	CHECK_EQUAL(device->facetCount, host->facetCount);
	CHECK_EQUAL(device->cornerCount, host->cornerCount);
	CHECK_EQUAL(device->vertexCount, host->vertexCount);
	brDVec3 extent = brDSub(brSiteLattice_Box(&host->lattice).upper, brSiteLattice_Box(&host->lattice).lower);
	for (int32_t i = 0; i < host->siteCount; ++i)
	{
		CHECK_NEAR(device->volumes[i], host->volumes[i], 1e-13 * (extent.x * extent.y * extent.z));
	}
	const struct
	{
		const void *device, *host;
		size_t bytes;
	} arrays[] = {
		{device->places, host->places, (size_t)host->siteCount * sizeof(int32_t[3])},
		{device->sites, host->sites, (size_t)host->siteCount * sizeof(brDVec3)},
		{device->cellStarts, host->cellStarts, (size_t)(host->siteCount + 1) * sizeof(int32_t)},
		{device->facetSites, host->facetSites, (size_t)host->facetCount * sizeof(int32_t)},
		{device->facetStarts, host->facetStarts, (size_t)(host->facetCount + 1) * sizeof(int32_t)},
		{device->corners, host->corners, (size_t)host->cornerCount * sizeof(int32_t)},
		{device->beyond, host->beyond, (size_t)host->cornerCount * sizeof(int32_t)},
		{device->vertices, host->vertices, (size_t)host->vertexCount * sizeof(brDVec3)},
		{device->names, host->names, (size_t)host->vertexCount * sizeof(int32_t[4])},
	};
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i)
	{
		CHECK_MESSAGE(memcmp(arrays[i].device, arrays[i].host, arrays[i].bytes) == 0, "array %d differs", (int)i);
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
		CHECK_RESULT(brGpuVoronoi_SetBodies(&device, &(brGpuCellBody){.cells = def}, 1, &report), &report);
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
	double* masses;
	brDVec3* vertices;
	int32_t* triangles;
} ReadPieces;

static ReadPieces readPieces(const brGpuPieces* device, const brGpuPieceCounts* counts)
{
	brGpu* gpu = device->voronoi.gpu;
	size_t n = (size_t)device->voronoi.siteCount;
	ReadPieces read = {malloc(n * sizeof(cl_uint4)), malloc(BR_PIECE_MOMENTS * n * sizeof(double)),
					   malloc((size_t)(counts->vertexCount + 1) * sizeof(brDVec3)),
					   malloc((size_t)(counts->triangleCount + 1) * sizeof(int32_t[3]))};
	brReport report = {0};
	CHECK_RESULT(brGpu_Read(gpu, &device->pieces, 0, read.pieces, n * sizeof(cl_uint4), &report), &report);
	CHECK_RESULT(brGpu_Read(gpu, &device->masses, 0, read.masses, BR_PIECE_MOMENTS * n * sizeof(double), &report),
				 &report);
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
	free(read->masses);
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
		CHECK_NEAR(read->masses[BR_PIECE_MOMENTS * i], volumes[i], 1e-12 * host->volumeIn);
		CHECK_EQUAL(read->pieces[i].s[1], vertices[i]);
		checkClosed(read->triangles + 3 * (size_t)read->pieces[i].s[2], (int32_t)read->pieces[i].s[3],
					(int32_t)read->pieces[i].s[1]);
		sum += read->masses[BR_PIECE_MOMENTS * i];
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
		CHECK_RESULT(brGpuModel_Set(&model, gpu, (const brMesh*[]){mesh}, 1, &report), &report);
		CHECK_RESULT(brGpuPieces_SetBreaks(&device, &model, &(brGpuBreak){0, sites, count}, 1, &report), &report);
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

// Two sites whose bisector holds the diagonals of two faces of a box.
static void sitesAcrossDiagonals(const brMesh* mesh, brDVec3 outSites[2])
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 middle = brDLerp(box.lower, box.upper, 0.5), side = brDSub(middle, box.lower);
	outSites[0] = brDAdd(middle, brMakeDVec3(0.5 * side.x, -0.5 * side.y, 0.0));
	outSites[1] = brDAdd(middle, brMakeDVec3(-0.5 * side.x, 0.5 * side.y, 0.0));
}

static void checkSameBytes(const void* a, const void* b, size_t bytes)
{
	CHECK((a == NULL) == (b == NULL) && (a == NULL || memcmp(a, b, bytes) == 0));
}

static void checkSameMeshes(const brMesh* a, const brMesh* b)
{
	CHECK_EQUAL(a->vertexCount, b->vertexCount);
	CHECK_EQUAL(a->faceCount, b->faceCount);
	CHECK_EQUAL(a->cornerCount, b->cornerCount);
	checkSameBytes(a->positions, b->positions, (size_t)a->vertexCount * sizeof(brDVec3));
	checkSameBytes(a->faceStarts, b->faceStarts, (size_t)(a->faceCount + 1) * sizeof(int32_t));
	checkSameBytes(a->corners, b->corners, (size_t)a->cornerCount * sizeof(int32_t));
	checkSameBytes(a->uvs, b->uvs, (size_t)a->cornerCount * sizeof(brVec2));
	checkSameBytes(a->normals, b->normals, (size_t)a->cornerCount * sizeof(brVec3));
	checkSameBytes(a->colors, b->colors, (size_t)a->vertexCount * sizeof(brVec4));
	checkSameBytes(a->faceMaterials, b->faceMaterials, (size_t)a->faceCount * sizeof(int32_t));
}

// To the last bit.
static void checkSameShatter(const brShatter* device, const brShatter* host)
{
	CHECK_EQUAL(device->pieceCount, host->pieceCount);
	CHECK_EQUAL(device->bondCount, host->bondCount);
	for (int32_t i = 0; i < host->pieceCount; ++i)
	{
		CHECK_EQUAL(device->pieces[i].site, host->pieces[i].site);
		CHECK(device->pieces[i].mass.volume == host->pieces[i].mass.volume);
		checkSameMeshes(device->pieces[i].mesh, host->pieces[i].mesh);
	}
	for (int32_t i = 0; i < host->bondCount; ++i)
	{
		CHECK(memcmp(device->bonds[i].pieces, host->bonds[i].pieces, sizeof(int32_t[2])) == 0);
		CHECK(device->bonds[i].area == host->bonds[i].area);
	}
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
	brCheckPieces(device, 1e-12);
	checkSameShatter(device, host);
	brDestroyShatter(device);
	brDestroyShatter(host);
	brDestroyMesh(mesh);
	brCloseGpu(gpu);
}

// Models with attributes and polygons, sites on symmetry planes and in rows, stretched cells along an axis and askew,
// few sites joined to pieces: what doubles do not settle is made on the CPU, and all bits are the same.
BR_TEST(gpu_shatter_of_any_model_is_that_of_the_cpu)
{
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	static const char* const models[] = {"vase", "knot", "piggy_bank", "box", "cylinder", "statue", "wine_glass"};
	static const brSitePattern patterns[] = {br_sitesUniform, br_sitesGrid, br_sitesClustered, br_sitesSlices};
	brGpu* gpu = openAnyWithDoubles();
	int32_t rounds = brTest_Rounds(test, 8);
	for (int32_t k = 0; k < rounds; ++k)
	{
		brMesh* mesh = brShape_Model(models[k % 7], 0);
		brReport report = {0};
		brDBox3 box = brMesh_ComputeBounds(mesh);
		brDVec3 sites[120];
		brSiteDef siteDef = brDefaultSiteDef();
		siteDef.pattern = patterns[k % 4];
		siteDef.count = 40 + 20 * (k % 5);
		siteDef.jitter = k % 3 == 0 ? 0.0 : 0.5;
		siteDef.at = brDLerp(box.lower, box.upper, 0.5);
		siteDef.seed = test->seed + (uint64_t)k;
		brShatterDef def = brDefaultShatterDef();
		CHECK_RESULT(brMakeSites(NULL, mesh, &siteDef, sites, &def.siteCount, &report), &report);
		def.sites = sites;
		if (k % 7 == 3)
		{
			def.siteCount = 4;
			sitesAcrossDiagonals(mesh, sites);
			sites[2] = brMakeDVec3(sites[0].x, sites[1].y, sites[0].z);
			sites[3] = brMakeDVec3(sites[1].x, sites[0].y, sites[0].z);
		}
		def.stretch = k % 4 == 2 ? brMakeDVec3(4.0, 1.0, 1.0) : def.stretch;
		def.along = k % 8 == 6 ? brMakeDVec3(1.0, 2.0, 3.0) : def.along;
		def.smallest = k % 3 == 1 ? 0.005 : 0.0;
		brShatter *device = NULL, *host = NULL;
		CHECK_RESULT(brGpu_CreateShatter(gpu, NULL, mesh, &def, &device, &report), &report);
		CHECK_RESULT(brCreateShatter(NULL, mesh, &def, &host, &report), &report);
		checkSameShatter(device, host);
		brDestroyShatter(device);
		brDestroyShatter(host);
		brDestroyMesh(mesh);
	}
	brCloseGpu(gpu);
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
	CHECK_RESULT(brGpuModel_Set(&model, gpu, (const brMesh*[]){mesh}, 1, &report), &report);
	CHECK_RESULT(brGpuPieces_SetBreaks(&device, &model, &(brGpuBreak){0, sites, 2}, 1, &report), &report);
	CHECK_RESULT(brGpuPieces_Run(&device, &model, &counts, &report), &report);
	CHECK(counts.unsureCount > 0);
	brGpuPieces_Free(&device);
	brGpuModel_Free(&model, gpu);
	brDestroyMesh(mesh);
	brCloseGpu(gpu);
}

// The pieces of one body: [begin, end).
typedef struct BodyPieces
{
	int32_t begin, end;
} BodyPieces;

static double skinArea(const brGpuShatter* shatter, BodyPieces run)
{
	double area = 0.0;
	for (int32_t i = run.begin; i < run.end; ++i)
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

// Volume, first moments and inertia about the origin.
typedef struct SiteMoments
{
	double values[10];
} SiteMoments;

static void addMoments(SiteMoments* sum, double volume, brDVec3 center, const double inertia[6])
{
	double x = center.x, y = center.y, z = center.z;
	const double about[6] = {y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z};
	sum->values[0] += volume;
	sum->values[1] += volume * x, sum->values[2] += volume * y, sum->values[3] += volume * z;
	for (int32_t k = 0; k < 6; ++k)
	{
		sum->values[4 + k] += inertia[k] + volume * about[k];
	}
}

// Against the mass of the CPU's pieces, site by site.
static void checkMoments(const brGpuShatter* shatter, BodyPieces run, const brShatter* host, int32_t siteCount,
						 double size)
{
	SiteMoments* sums = calloc((size_t)siteCount, sizeof(SiteMoments));
	for (int32_t i = 0; i < host->pieceCount; ++i)
	{
		brMassProperties mass = brMesh_ComputeMass(host->pieces[i].mesh, 1.0);
		const brMat3* j = &mass.inertia;
		addMoments(&sums[host->pieces[i].site], mass.volume, mass.center,
				   (double[6]){j->cx.x, j->cy.y, j->cz.z, j->cy.x, j->cz.x, j->cz.y});
	}
	for (int32_t i = run.begin; i < run.end; ++i)
	{
		const brGpuPiece* piece = &shatter->pieces[i];
		SiteMoments own = {{0.0}};
		addMoments(&own, piece->volume, piece->center, piece->inertia);
		for (int32_t k = 0; k < 10; ++k)
		{
			double unit = host->volumeIn * (k == 0 ? 1.0 : k < 4 ? size : size * size);
			CHECK_NEAR(own.values[k], sums[piece->site].values[k], 1e-12 * unit);
			sums[piece->site].values[k] -= own.values[k];
		}
	}
	for (int32_t i = 0; i < siteCount; ++i)
	{
		CHECK_NEAR(sums[i].values[0], 0.0, 1e-12 * host->volumeIn);
	}
	free(sums);
}

// What a caller gets of a break: pieces of the CPU's mass, rising by site, closed, whose skins together are the model's
// surface. They begin at `begin` with these vertices and triangles; returns where they end.
static int32_t checkBody(const brGpuShatter* shatter, const brMesh* mesh, const brGpuBreak* from, int32_t body,
						 int32_t begin, int32_t* vertexCount, int32_t* triangleCount)
{
	brShatter* host = brShatterBy(NULL, mesh, from->sites, from->siteCount);
	BodyPieces run = {begin, begin};
	int32_t site = -1;
	double sum = 0.0;
	for (; run.end < shatter->pieceCount && shatter->pieces[run.end].body == body; ++run.end)
	{
		const brGpuPiece* piece = &shatter->pieces[run.end];
		CHECK(piece->site > site && piece->site < from->siteCount);
		site = piece->site;
		CHECK_EQUAL(piece->firstVertex, *vertexCount);
		CHECK_EQUAL(piece->firstTriangle, *triangleCount);
		CHECK(piece->skinCount >= 0 && piece->skinCount <= piece->triangleCount);
		checkClosed(shatter->triangles + 3 * (size_t)*triangleCount, piece->triangleCount, piece->vertexCount);
		*vertexCount += piece->vertexCount, *triangleCount += piece->triangleCount;
		sum += piece->volume;
	}
	CHECK_NEAR(sum, host->volumeIn, 1e-12 * host->volumeIn);
	double area = brMesh_ComputeArea(mesh);
	CHECK_NEAR(skinArea(shatter, run), area, 1e-10 * area);
	brDBox3 box = brMesh_ComputeBounds(mesh);
	checkMoments(shatter, run, host, from->siteCount, fmax(brDLength(box.lower), brDLength(box.upper)));
	brDestroyShatter(host);
	return run.end;
}

static void checkShatter(const brGpuShatter* shatter, const brMesh* const* meshes, const brGpuBreak* breaks,
						 int32_t breakCount)
{
	int32_t begin = 0, vertexCount = 0, triangleCount = 0;
	for (int32_t i = 0; i < breakCount; ++i)
	{
		begin = checkBody(shatter, meshes[breaks[i].model], &breaks[i], i, begin, &vertexCount, &triangleCount);
	}
	CHECK_EQUAL(begin, shatter->pieceCount);
	CHECK_EQUAL(vertexCount, shatter->vertexCount);
	CHECK_EQUAL(triangleCount, shatter->triangleCount);
}

BR_TEST(gpu_shatterer_breaks_a_model_again_and_again)
{
	brGpu* gpu = openAnyWithDoubles();
	const brMesh* mesh = makeTriangles("torus", 0.0);
	brGpuShatterer* shatterer = NULL;
	brGpuShatter shatter;
	brReport report = {0};
	CHECK_RESULT(brCreateGpuShatterer(NULL, gpu, &mesh, 1, &shatterer, &report), &report);
	brDVec3 sites[64];
	brGpuBreak one = {.sites = sites};
	static const int32_t counts[] = {3, 64, 1, 17};
	for (int32_t i = 0; i < (test->intensity < 0.05 ? 1 : 4); ++i)
	{
		one.siteCount = brUniformSites(mesh, counts[i], test->seed + (uint64_t)i, sites);
		CHECK_RESULT(brGpuShatterer_Break(shatterer, &one, 1, &shatter, &report), &report);
		checkShatter(&shatter, &mesh, &one, 1);
		CHECK_EQUAL(shatter.cpuCount, 0);
	}
	sites[0].x = NAN;
	CHECK(brGpuShatterer_Break(shatterer, &one, 1, &shatter, &report) < 0);
	one.siteCount = 0;
	CHECK(brGpuShatterer_Break(shatterer, &one, 1, &shatter, &report) < 0);
	CHECK(brGpuShatterer_Break(shatterer, &(brGpuBreak){1, sites, 1}, 1, &shatter, &report) == br_errorMisuse);
	CHECK(brGpuShatterer_Break(shatterer, &(brGpuBreak){0, NULL, 1}, 1, &shatter, &report) == br_errorMisuse);
	CHECK(brGpuShatterer_Break(shatterer, NULL, 1, &shatter, &report) == br_errorMisuse);
	CHECK(brGpuShatterer_Break(shatterer, &one, 0, &shatter, &report) == br_errorMisuse);
	brDestroyGpuShatterer(shatterer);
	brDestroyMesh((brMesh*)(uintptr_t)mesh);
	brCloseGpu(gpu);
}

// Bodies of several models in one go are what each of them is alone: one of a single piece, and one that only the CPU
// settles, in between.
BR_TEST(gpu_shatterer_breaks_many_bodies_at_once)
{
	enum
	{
		bodyCount = 9,
		most = 24,
	};
	brGpu* gpu = openAnyWithDoubles();
	static const char* const names[] = {"torus", "box", "vase"};
	brMesh* meshes[3];
	for (int32_t i = 0; i < 3; ++i)
	{
		meshes[i] = makeTriangles(names[i], 0.0);
	}
	const brMesh* const* models = (const brMesh* const*)meshes;
	brGpuShatterer* shatterer = NULL;
	brGpuShatter shatter;
	brReport report = {0};
	CHECK_RESULT(brCreateGpuShatterer(NULL, gpu, models, 3, &shatterer, &report), &report);
	static brDVec3 sites[bodyCount][most];
	brGpuBreak breaks[bodyCount];
	int32_t count = test->intensity < 0.05 ? 2 : bodyCount;
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t wanted = i == 4 ? 1 : 3 + (int32_t)brRandom_Below(&random, most - 2);
		breaks[i] = (brGpuBreak){i % 3, sites[i], 0};
		breaks[i].siteCount = brUniformSites(meshes[i % 3], wanted, test->seed + (uint64_t)i, sites[i]);
	}
	if (count == bodyCount)
	{
		sitesAcrossDiagonals(meshes[1], sites[7]);
		breaks[7].siteCount = 2;
	}
	CHECK_RESULT(brGpuShatterer_Break(shatterer, breaks, count, &shatter, &report), &report);
	CHECK_EQUAL(shatter.cpuCount, count == bodyCount);
	checkShatter(&shatter, models, breaks, count);
	brDestroyGpuShatterer(shatterer);
	for (int32_t i = 0; i < 3; ++i)
	{
		brDestroyMesh(meshes[i]);
	}
	brCloseGpu(gpu);
}

// As above, where the device gives no answer: the caller does not notice but by the count.
BR_TEST(gpu_shatterer_leaves_what_is_unsure_to_the_cpu)
{
	brGpu* gpu = openAnyWithDoubles();
	brMesh* mesh = makeTriangles("box", 0.0);
	const brMesh* const* models = (const brMesh* const*)&mesh;
	brDVec3 sites[2];
	sitesAcrossDiagonals(mesh, sites);
	brGpuShatterer* shatterer = NULL;
	brGpuShatter shatter;
	brReport report = {0};
	brGpuBreak one = {0, sites, 2};
	CHECK_RESULT(brCreateGpuShatterer(NULL, gpu, models, 1, &shatterer, &report), &report);
	CHECK_RESULT(brGpuShatterer_Break(shatterer, &one, 1, &shatter, &report), &report);
	CHECK_EQUAL(shatter.cpuCount, 1);
	CHECK_EQUAL(shatter.pieceCount, 2);
	checkShatter(&shatter, models, &one, 1);
	brDestroyGpuShatterer(shatterer);
	mesh->faceCount -= 1; // open
	CHECK(brCreateGpuShatterer(NULL, gpu, models, 1, &shatterer, &report) == br_errorGeometry);
	mesh->faceCount += 1;
	CHECK(brCreateGpuShatterer(NULL, gpu, models, 0, &shatterer, &report) == br_errorMisuse);
	brDestroyMesh(mesh);
	brCloseGpu(gpu);
}

// Things that fall and break by cells, the second kind again, and a cluster that the device cuts beforehand.
static brWorld* makeBreaking(const brContext* context, brGpuStages* stages)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brReport report = {0};
	brWorld* world = BR_MADE(brWorld, brCreateWorld, context, &worldDef);
	brWorld_SetGpuStages(world, stages);
	brShapeDef shapeDef = brDefaultShapeDef(br_shapeHalfSpace);
	brBodyDef body = brDefaultBodyDef();
	brShape* ground = BR_MADE(brShape, brCreateShape, NULL, &shapeDef);
	body.shape = ground;
	body.kind = br_bodyStatic;
	CHECK(brWorld_CreateBody(world, &body, &report).index1 > 0);
	brDestroyShape(ground);
	static const char* const models[] = {"vase", "brick", "bowl"};
	static const brSitePattern patterns[] = {br_sitesUniform, br_sitesClustered, br_sitesGrid};
	for (int32_t i = 0; i < 4; ++i)
	{
		brMesh* mesh = brShape_Model(models[i % 3], 0);
		brBreakDef def = brDefaultBreakDef();
		def.mesh = mesh;
		def.pattern = patterns[i % 3];
		def.pieces = 40;
		def.strength = 0.2;
		body = brDefaultBodyDef();
		body.pose.p = brMakeDVec3(0.6 * i, 0.0, i < 3 ? 0.02 : 1.0);
		body.velocity.z = i < 3 ? -12.0 : 0.0;
		brClusterDef cluster = brDefaultClusterDef();
		cluster.breaking = def;
		brBodyId id = i < 3 ? brWorld_CreateBreakable(world, &body, &def, &report)
							: brWorld_CreateCluster(world, &body, &cluster, &report);
		CHECK_MESSAGE(id.index1 > 0, "%s", report.text);
		brDestroyMesh(mesh);
	}
	return world;
}

static uint64_t playBreaking(brWorld* world, int32_t* outPieces)
{
	brReport report = {0};
	*outPieces = 0;
	for (int32_t i = 0; i < 6; ++i)
	{
		CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, &report), &report);
		*outPieces += brWorld_GetBreakStats(world).pieces;
	}
	return brWorld_ComputeHash(world);
}

// Of a driver that answers so many copies and then none.
static struct
{
	const brOpenCl* well;
	brOpenCl table;
	int32_t left;
} s_mortal;

static cl_int CL_API_CALL mortalRead(cl_command_queue queue, cl_mem buffer, cl_bool isBlocking, size_t offset,
									 size_t size, void* to, cl_uint count, const cl_event* events, cl_event* event)
{
	return s_mortal.left-- <= 0
			   ? CL_INVALID_COMMAND_QUEUE
			   : s_mortal.well->clEnqueueReadBuffer(queue, buffer, isBlocking, offset, size, to, count, events, event);
}

static void countCuts(brLogLevel level, const char* text, void* user)
{
	(void)level;
	*(int32_t*)user += strstr(text, "the CPU cuts in its place") != NULL;
}

// Worlds break with one hash by the CPU, by a device, and by a device that goes away in the middle of it, which is said
// once.
BR_TEST(gpu_breaks_of_worlds_are_those_of_the_cpu)
{
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	int32_t pieces, most = 0;
	brWorld* world = makeBreaking(NULL, NULL);
	uint64_t hash = playBreaking(world, &pieces);
	most = pieces;
	CHECK(most > 20);
	brDestroyWorld(world);
	static const int32_t lives[] = {INT32_MAX, 0, 7, 40};
	for (int32_t i = 0; i < 4; ++i)
	{
		brGpu* gpu = openAnyWithDoubles();
		brReport report = {0};
		brGpuStages* stages = NULL;
		int32_t told = 0;
		brContext context = {.log = countCuts, .logUser = &told};
		CHECK_RESULT(brCreateGpuStages(NULL, gpu, &stages, &report), &report);
		s_mortal.well = gpu->cl, s_mortal.table = *gpu->cl, s_mortal.left = lives[i];
		s_mortal.table.clEnqueueReadBuffer = mortalRead;
		gpu->cl = &s_mortal.table;
		world = makeBreaking(&context, stages);
		CHECK_EQUAL(playBreaking(world, &pieces), hash);
		CHECK_EQUAL(pieces, most);
		CHECK_EQUAL(told, i > 0);
		int64_t cuts = brGpuStages_GetBreakCount(stages);
		CHECK_MESSAGE(i == 0 ? cuts >= 4 : i == 1 ? cuts == 0 : cuts < 4, "%lld cuts", (long long)cuts);
		gpu->cl = s_mortal.well;
		brDestroyWorld(world);
		brDestroyGpuStages(stages);
		brCloseGpu(gpu);
	}
}

typedef struct BrokenModel
{
	brGpu* gpu;
	brMesh* mesh;
	brDVec3 sites[2][6]; // settled by the device, and not
} BrokenModel;

static brResult breakModel(const brContext* context, void* user)
{
	BrokenModel* model = user;
	brGpuShatterer* shatterer = NULL;
	brGpuShatter shatter;
	brAllocator well = model->gpu->allocator;
	model->gpu->allocator = brContext_Allocator(context);
	const brMesh* const models[] = {model->mesh, model->mesh};
	const brGpuBreak breaks[] = {{0, model->sites[0], 2}, {1, model->sites[1], 2}};
	brResult result = brCreateGpuShatterer(context, model->gpu, models, 2, &shatterer, NULL);
	result = result < 0 ? result : brGpuShatterer_Break(shatterer, breaks, 2, &shatter, NULL);
	brDestroyGpuShatterer(shatterer);
	model->gpu->allocator = well;
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
	CHECK(breakModel(NULL, &model) >= 0); // kernels are there: a cache without memory is done without
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
	brResult result = brGpuVoronoi_SetBodies(&device, &(brGpuCellBody){.cells = def}, 1, NULL);
	result = result < 0 ? result : brGpuVoronoi_Run(&device, true, &cells, NULL);
	result = result < 0 ? result : brGpuVoronoi_Read(&device, context, &cells, &read, NULL);
	brDestroyVoronoi(result >= 0 ? read : NULL);
	brGpuVoronoi_Free(&device);
	return result;
}

static brResult cutOnDevice(const brContext* context, void* user)
{
	const BrokenModel* model = user;
	brShatterDef def = brDefaultShatterDef();
	def.siteCount = 6, def.sites = model->sites[0];
	brShatter* shatter = NULL;
	brResult result = brGpu_CreateShatter(model->gpu, context, model->mesh, &def, &shatter, NULL);
	brDestroyShatter(result >= 0 ? shatter : NULL);
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
	// What the device finds no room for may still be cut on the CPU.
	BrokenModel model = {.gpu = gpu, .mesh = makeTriangles("box", 0.0)};
	brUniformSites(model.mesh, 6, 7, model.sites[0]);
	CHECK(brTest_WalkSpareAllocations(cutOnDevice, &model) >= 40);
	brDestroyMesh(model.mesh);
	brCloseGpu(gpu);
}

#endif
