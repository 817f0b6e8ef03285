// SPDX-License-Identifier: MIT

// Voronoi cells: they fill the box, touching cells agree to the last bit, whatever the sites; and a slow twin that cuts
// each cell by every other site in another order finds the same diagram.

#include "fracture/voronoi.h"
#include "fracture/voronoi_cell.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const brDBox3 s_unitBox = {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}};

static brVoronoi* makeVoronoi(const brContext* context, const brDVec3* sites, int32_t count, brDBox3 box)
{
	brVoronoiDef def = {.siteCount = count, .sites = sites, .box = box};
	return BR_MADE(brVoronoi, brCreateVoronoi, context, &def);
}

enum
{
	set_random,
	set_grid,
	set_plane,
	set_line,
	set_circle, // cocircular exactly: signed permutations of a Pythagorean triple in a plane
	set_sphere, // cospherical exactly, about a site in the middle
	set_duplicates,
	set_cluster,
	set_corners, // on the box itself
	set_flatBox, // a thin box
	set_count,
};

// Fills up to `count` sites and returns how many.
static int32_t makeSites(brRandom* random, int32_t set, int32_t count, brDVec3* sites)
{
	static const int32_t triples[5][2] = {{0, 65}, {16, 63}, {25, 60}, {33, 56}, {39, 52}};
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 p = {brRandom_Unit(random), brRandom_Unit(random), brRandom_Unit(random)};
		switch (set)
		{
			case set_grid:
				p = brMakeDVec3((i % 4 + 0.5) / 4, (i / 4 % 4 + 0.5) / 4, (i / 16 % 8 + 0.5) / 8);
				break;
			case set_plane:
				p.z = 0.5;
				break;
			case set_line:
				p = brMakeDVec3((i + 0.5) / count, 0.25, 0.5);
				break;
			case set_circle:
			{
				const int32_t* t = triples[i / 8 % 5];
				double x = (i & 1 ? -1 : 1) * t[i >> 2 & 1] / 256.0, y = (i & 2 ? -1 : 1) * t[1 - (i >> 2 & 1)] / 256.0;
				p = brMakeDVec3(0.5 + x, 0.5 + y, i < 40 ? 0.5 : 0.75);
				break;
			}
			case set_sphere:
			{
				const int32_t* t = triples[i / 8 % 5];
				double v[3] = {(i & 1 ? -1 : 1) * t[i >> 2 & 1] / 256.0, (i & 2 ? -1 : 1) * t[1 - (i >> 2 & 1)] / 256.0,
							   0.0};
				int32_t a = i / 40 % 3;
				p = brMakeDVec3(0.5 + v[a], 0.5 + v[(a + 1) % 3], 0.5 + v[(a + 2) % 3]);
				p = i == count - 1 ? brMakeDVec3(0.5, 0.5, 0.5) : p;
				break;
			}
			case set_duplicates:
				p = i % 3 != 0 ? sites[brRandom_Below(random, (uint32_t)i)] : p;
				break;
			case set_cluster:
				p = i % 2 ? brDMulAdd(brMakeDVec3(0.3, 0.3, 0.3), 1e-6, p) : p;
				break;
			case set_corners:
				p = brMakeDVec3(i & 1, i & 2 ? 1.0 : 0.0, i & 4 ? 1.0 : i & 8 ? 0.5 : 0.0);
				break;
			default:
				break;
		}
		sites[i] = p;
	}
	return count;
}

static int32_t findFacet(const brVoronoi* v, int32_t cell, int32_t neighbor)
{
	for (int32_t f = v->cellStarts[cell]; f < v->cellStarts[cell + 1]; ++f)
	{
		if (v->facetSites[f] == neighbor)
		{
			return f;
		}
	}
	return -1;
}

// Every facet has its mirror image in the neighbor, corner by corner; cells are closed; volumes fill the box.
static void checkDiagram(const brVoronoi* v)
{
	double sum = 0.0;
	for (int32_t i = 0; i < v->siteCount; ++i)
	{
		sum += v->volumes[i];
		CHECK(v->volumes[i] >= 0.0);
		int32_t facets = v->cellStarts[i + 1] - v->cellStarts[i];
		if (facets == 0)
		{
			continue;
		}
		int32_t first = v->facetStarts[v->cellStarts[i]], last = v->facetStarts[v->cellStarts[i + 1]];
		CHECK_EQUAL((last - first) % 6, 0);
		CHECK_EQUAL((last - first) / 3 - (last - first) / 2 + facets, 2); // Euler, three edges at each corner
		for (int32_t f = v->cellStarts[i]; f < v->cellStarts[i + 1]; ++f)
		{
			int32_t size = v->facetStarts[f + 1] - v->facetStarts[f];
			const int32_t* corners = v->corners + v->facetStarts[f];
			const int32_t* beyond = v->beyond + v->facetStarts[f];
			CHECK(size >= 3);
			for (int32_t c = 0; c < size; ++c)
			{
				int32_t across = findFacet(v, i, beyond[c]);
				CHECK(across >= 0);
				CHECK(brDIsFinite(v->vertices[corners[c]]));
			}
			if (v->facetSites[f] < 0)
			{
				continue;
			}
			int32_t g = findFacet(v, v->facetSites[f], i);
			CHECK(g >= 0);
			CHECK_EQUAL(v->facetStarts[g + 1] - v->facetStarts[g], size);
			const int32_t* others = v->corners + v->facetStarts[g];
			const int32_t* otherBeyond = v->beyond + v->facetStarts[g];
			int32_t turn = 0;
			while (turn < size && others[turn] != corners[0])
			{
				++turn;
			}
			CHECK(turn < size);
			for (int32_t c = 0; c < size; ++c)
			{
				CHECK_EQUAL(others[(turn + size - c) % size], corners[c]);
				CHECK_EQUAL(otherBeyond[(turn + 2 * size - c - 1) % size], beyond[c]);
			}
		}
	}
	brDBox3 box = brSiteLattice_Box(&v->lattice);
	brDVec3 extent = brDSub(box.upper, box.lower);
	CHECK_NEAR(sum / (extent.x * extent.y * extent.z), 1.0, 1e-12);
}

BR_TEST(voronoi_cells_fill_the_box_and_agree)
{
	brRandom random = brTest_Random(test);
	brDVec3 sites[640];
	for (int32_t round = 0; round < brTest_Rounds(test, 4 * set_count); ++round)
	{
		int32_t set = round % set_count;
		int32_t count = makeSites(&random, set, set == set_corners ? 12 : 128, sites);
		brDBox3 box = s_unitBox;
		box.upper.z = set == set_flatBox ? 0.01 : 1.0;
		brVoronoi* voronoi = makeVoronoi(NULL, sites, count, box);
		checkDiagram(voronoi);
		brDestroyVoronoi(voronoi);
	}
}

BR_TEST(voronoi_of_few_sites)
{
	brDVec3 sites[3] = {{0.25, 0.5, 0.5}, {0.75, 0.5, 0.5}, {0.25, 0.5, 0.5}};
	brVoronoi* none = makeVoronoi(NULL, sites, 0, s_unitBox);
	CHECK_EQUAL(none->facetCount, 0);
	brDestroyVoronoi(none);
	brVoronoi* one = makeVoronoi(NULL, sites, 1, s_unitBox);
	checkDiagram(one);
	CHECK_EQUAL(one->vertexCount, 8);
	CHECK(one->volumes[0] == 1.0);
	brDestroyVoronoi(one);
	brVoronoi* three = makeVoronoi(NULL, sites, 3, s_unitBox);
	checkDiagram(three);
	CHECK(three->volumes[0] == 0.5 && three->volumes[1] == 0.5 && three->volumes[2] == 0.0);
	CHECK_EQUAL(three->vertexCount, 12);
	CHECK_EQUAL(three->cellStarts[2], three->cellStarts[3]); // the second at a place has nothing
	brDestroyVoronoi(three);
}

// A point at random lies in the cell of the site nearest to it: below all planes of that cell.
BR_TEST(voronoi_point_is_in_cell_of_nearest_site)
{
	brRandom random = brTest_Random(test);
	brDVec3 sites[300];
	makeSites(&random, set_random, 300, sites);
	brVoronoi* v = makeVoronoi(NULL, sites, 300, s_unitBox);
	for (int32_t round = 0; round < brTest_Rounds(test, 20000); ++round)
	{
		brDVec3 p = {brRandom_Unit(&random), brRandom_Unit(&random), brRandom_Unit(&random)};
		int32_t nearest = 0;
		for (int32_t i = 1; i < 300; ++i)
		{
			nearest = brDLengthSq(brDSub(p, v->sites[i])) < brDLengthSq(brDSub(p, v->sites[nearest])) ? i : nearest;
		}
		for (int32_t f = v->cellStarts[nearest]; f < v->cellStarts[nearest + 1]; ++f)
		{
			const int32_t* c = v->corners + v->facetStarts[f];
			brDVec3 area = {0.0, 0.0, 0.0};
			for (int32_t k = 1; k + 1 < v->facetStarts[f + 1] - v->facetStarts[f]; ++k)
			{
				area = brDAdd(area, brDCross(brDSub(v->vertices[c[k]], v->vertices[c[0]]),
											 brDSub(v->vertices[c[k + 1]], v->vertices[c[0]])));
			}
			CHECK(brDDot(area, brDSub(p, v->vertices[c[0]])) < 1e-14);
		}
	}
	brDestroyVoronoi(v);
}

// The twin: all sites, last to first, no bins.
static void checkAgainstTwin(const brVoronoi* v)
{
	brAllocator allocator = brContext_Allocator(NULL);
	brVoronoiCell cell;
	brVoronoiCell_Init(&cell, &allocator, br_cpuScalar);
	brCellCandidates one = {0};
	CHECK(brCellCandidates_Reserve(&one, &allocator, 1));
	one.count = 1;
	for (int32_t i = 0; i < v->siteCount; ++i)
	{
		CHECK(brVoronoiCell_Start(&cell, i, v->places[i], v->lattice.size));
		for (int32_t j = v->siteCount - 1; j >= 0; --j)
		{
			one.x[0] = v->places[j][0] - v->places[i][0];
			one.y[0] = v->places[j][1] - v->places[i][1];
			one.z[0] = v->places[j][2] - v->places[i][2];
			one.distanceSq[0] = one.x[0] * one.x[0] + one.y[0] * one.y[0] + one.z[0] * one.z[0];
			CHECK(j == i || brVoronoiCell_Cut(&cell, &one, &j));
		}
		int32_t corners = v->facetStarts[v->cellStarts[i + 1]] - v->facetStarts[v->cellStarts[i]];
		CHECK_EQUAL(3 * cell.count, corners);
		for (int32_t c = 0; c < cell.count; ++c)
		{
			// Each corner of the twin is a corner of the cell: some facet has one with the same two planes beside it.
			const int32_t* planes = cell.corners + 4 * c;
			int32_t a = cell.names.data[planes[0]], b = cell.names.data[planes[1]], d = cell.names.data[planes[2]];
			int32_t f = findFacet(v, i, a);
			CHECK(f >= 0);
			bool isFound = false;
			int32_t size = v->facetStarts[f + 1] - v->facetStarts[f];
			const int32_t* beyond = v->beyond + v->facetStarts[f];
			for (int32_t k = 0; k < size; ++k)
			{
				isFound = isFound || (beyond[(k + size - 1) % size] == b && beyond[k] == d);
			}
			CHECK(isFound);
		}
		double step = v->lattice.step;
		CHECK_NEAR(brVoronoiCell_Volume(&cell) * step * step * step, v->volumes[i], 1e-14);
	}
	brVoronoiCell_Free(&cell);
	brCellCandidates_Free(&one, &allocator);
}

BR_TEST(voronoi_equals_twin_that_cuts_by_all)
{
	brRandom random = brTest_Random(test);
	brDVec3 sites[160];
	for (int32_t round = 0; round < brTest_Rounds(test, 2 * set_count); ++round)
	{
		int32_t count = makeSites(&random, round % set_count, round % set_count == set_corners ? 12 : 121, sites);
		brVoronoi* v = makeVoronoi(NULL, sites, count, s_unitBox);
		checkAgainstTwin(v);
		brDestroyVoronoi(v);
	}
}

// Every set of instructions cuts the same cells, bit for bit; some cells have more corners than a word has bits.
BR_TEST(voronoi_cells_are_the_same_for_any_instructions)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	enum
	{
		most = 400
	};
	brDVec3 sites[most];
	int32_t places[3][most + BR_CELL_LANES] = {0};
	int32_t names[most];
	brSiteLattice lattice;
	CHECK(brMakeSiteLattice(s_unitBox, &lattice));
	int32_t largest = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 2 * set_count + 2); ++round)
	{
		int32_t set = (round + set_count) % (set_count + 1);
		int32_t count = makeSites(&random, set, most, sites);
		for (int32_t i = 0; i < count; ++i)
		{
			// The extra set is a shell about the first site: a cell with many facets.
			brDVec3 p = brDSub(sites[i], brMakeDVec3(0.5, 0.5, 0.5));
			p = brDMulAdd(brMakeDVec3(0.5, 0.5, 0.5), i == 0 ? 0.0 : 0.4, brDNormalize(p));
			int32_t place[3];
			brSiteLattice_Snap(&lattice, set == set_count ? p : sites[i], place);
			places[0][i] = place[0], places[1][i] = place[1], places[2][i] = place[2];
			names[i] = i;
		}
		brCellSites all = {places[0], places[1], places[2]};
		for (int32_t self = 0; self < count; self += 57)
		{
			const int32_t place[3] = {places[0][self], places[1][self], places[2][self]};
			brVoronoiCell plain = {0};
			for (brCpuPath path = br_cpuScalar; path <= brCpu_Best(); ++path)
			{
				brVoronoiCell cell;
				brVoronoiCell_Init(&cell, &allocator, path);
				brCellCandidates candidates = {0};
				CHECK(brVoronoiCell_Start(&cell, self, place, lattice.size));
				CHECK(brCellCandidates_Reserve(&candidates, &allocator, count));
				cell.kernels->gather(&candidates, &all, 0, count, place, 0.5 * cell.reachSq);
				brCellCandidates_Sort(&candidates);
				CHECK(brVoronoiCell_Cut(&cell, &candidates, names));
				brCellCandidates_Free(&candidates, &allocator);
				largest = cell.count > largest ? cell.count : largest;
				if (path == br_cpuScalar)
				{
					plain = cell;
					continue;
				}
				CHECK_EQUAL(cell.count, plain.count);
				CHECK(cell.reachSq == plain.reachSq && cell.error == plain.error);
				CHECK(memcmp(cell.corners, plain.corners, (size_t)cell.count * sizeof(int32_t[4])) == 0);
				CHECK(memcmp(cell.twins, plain.twins, (size_t)cell.count * sizeof(int32_t[4])) == 0);
				for (int32_t c = 0; c < cell.count; ++c)
				{
					const brCellGroup *p = &cell.points[c / BR_CELL_LANES], *q = &plain.points[c / BR_CELL_LANES];
					int32_t lane = c % BR_CELL_LANES;
					CHECK(p->x[lane] == q->x[lane] && p->y[lane] == q->y[lane] && p->z[lane] == q->z[lane]);
				}
				CHECK(brVoronoiCell_Volume(&cell) == brVoronoiCell_Volume(&plain));
				brVoronoiCell_Free(&cell);
			}
			brVoronoiCell_Free(&plain);
		}
	}
	CHECK(largest > 200);
}

BR_TEST(voronoi_is_the_same_for_any_workers)
{
	brRandom random = brTest_Random(test);
	brDVec3 sites[640];
	makeSites(&random, set_random, 640, sites);
	brVoronoi* alone = makeVoronoi(NULL, sites, 640, s_unitBox);
	brContext context = {.workers = brTest_Workers(3)};
	brVoronoi* shared = makeVoronoi(&context, sites, 640, s_unitBox);
	CHECK_EQUAL(shared->vertexCount, alone->vertexCount);
	CHECK_EQUAL(shared->cornerCount, alone->cornerCount);
	CHECK(memcmp(shared->vertices, alone->vertices, (size_t)alone->vertexCount * sizeof(brDVec3)) == 0);
	CHECK(memcmp(shared->corners, alone->corners, (size_t)alone->cornerCount * sizeof(int32_t)) == 0);
	CHECK(memcmp(shared->volumes, alone->volumes, 640 * sizeof(double)) == 0);
	brDestroyVoronoi(shared);
	brDestroyVoronoi(alone);
	brDestroyWorkers(context.workers);
}

BR_TEST(voronoi_lattice_holds_boxes_of_any_scale)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 2000); ++round)
	{
		double scale = ldexp(1.0, (int)brRandom_Below(&random, 600) - 300);
		double shift = scale * ldexp(brRandom_Range(&random, -1.0, 1.0), (int)brRandom_Below(&random, 20));
		brDBox3 box = {{shift, shift, -scale}, {shift, shift, scale * brRandom_Unit(&random)}};
		box.upper.x += scale * brRandom_Unit(&random);
		brSiteLattice lattice;
		CHECK(brMakeSiteLattice(box, &lattice));
		brDBox3 outer = brSiteLattice_Box(&lattice);
		CHECK(outer.lower.x <= box.lower.x && outer.lower.y <= box.lower.y && outer.lower.z <= box.lower.z);
		CHECK(outer.upper.x >= box.upper.x && outer.upper.y >= box.upper.y && outer.upper.z >= box.upper.z);
		brDVec3 p = {shift, shift, brRandom_Range(&random, -scale, 0.0)};
		int32_t place[3];
		brSiteLattice_Snap(&lattice, p, place);
		CHECK(brDDistance(brSiteLattice_Point(&lattice, place), p) <= lattice.step);
	}
	brSiteLattice lattice;
	CHECK(!brMakeSiteLattice((brDBox3){{0, 0, 0}, {0, 0, 0}}, &lattice));
	CHECK(!brMakeSiteLattice((brDBox3){{0, 0, 0}, {NAN, 1, 1}}, &lattice));
	CHECK(!brMakeSiteLattice((brDBox3){{1, 0, 0}, {0, 1, 1}}, &lattice));
	CHECK(!brMakeSiteLattice((brDBox3){{1e30, 0, 0}, {1e30, 1, 1}}, &lattice));
	brVoronoiDef def = {.box = {{1, 0, 0}, {0, 1, 1}}};
	brVoronoi* untouched = NULL;
	brReport report = {0};
	CHECK_EQUAL(brCreateVoronoi(NULL, &def, &untouched, &report), br_errorGeometry);
	CHECK(untouched == NULL && report.text[0] != 0);
}

static brResult walkVoronoi(const brContext* context, void* user)
{
	brVoronoiDef def = {.siteCount = 100, .sites = user, .box = s_unitBox};
	brVoronoi* voronoi = NULL;
	brResult result = brCreateVoronoi(context, &def, &voronoi, NULL);
	brDestroyVoronoi(voronoi);
	return result;
}

BR_TEST(voronoi_survives_failed_allocations)
{
	brRandom random = brTest_Random(test);
	brDVec3 sites[100];
	makeSites(&random, set_random, 100, sites);
	CHECK(brTest_WalkAllocations(walkVoronoi, sites) > 10);
}

// The program voro++, if it is installed.
BR_TEST(voronoi_volumes_equal_voropp)
{
	if (system("command -v voro++ >/dev/null 2>&1") != 0)
	{
		brTest_Skip("voro++ is not installed");
	}
	brRandom random = brTest_Random(test);
	enum
	{
		count = 2000
	};
	brDVec3* sites = malloc(count * sizeof(brDVec3));
	makeSites(&random, set_random, count, sites);
	brVoronoi* v = makeVoronoi(NULL, sites, count, s_unitBox);
	const char* path = brTest_ScratchPath("voro_sites");
	FILE* file = fopen(path, "w");
	for (int32_t i = 0; i < count; ++i)
	{
		fprintf(file, "%d %.17g %.17g %.17g\n", i, v->sites[i].x, v->sites[i].y, v->sites[i].z);
	}
	fclose(file);
	char command[1024];
	snprintf(command, sizeof(command), "voro++ -c '%%i %%v %%s' 0 1 0 1 0 1 %s", path);
	CHECK(system(command) == 0);
	snprintf(command, sizeof(command), "%s.vol", path);
	file = fopen(command, "r");
	CHECK(file != NULL);
	int32_t id, facets, rows = 0;
	double volume;
	while (fscanf(file, "%d %lf %d", &id, &volume, &facets) == 3)
	{
		CHECK_NEAR(v->volumes[id], volume, 1e-5 * volume); // it prints six digits; the benchmark compares all of them
		CHECK_EQUAL(v->cellStarts[id + 1] - v->cellStarts[id], facets);
		++rows;
	}
	CHECK_EQUAL(rows, count);
	fclose(file);
	brDestroyVoronoi(v);
	free(sites);
}
