// SPDX-License-Identifier: MIT

// Where cracks go: the three modes in a cube with an edge crack (thesis fig. 6.7 and 6.9), weak zones (fig. 6.13),
// branches.

#include "brittle/brittle.h"
#include "fracture/crack_grow.h"
#include "harness.h"
#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
	gridPoints = 6, // forces along an edge of a face
	maxForces = 4 * gridPoints * gridPoints,
};

// A cube of edge 1 with a crack across half of it at half height: from x = 0 to 0.5, its front along y.
typedef struct EdgeCrack
{
	brMesh* mesh;
	brTetMesh* tets;
	brSurfaceTree* surface;
	brTetInfo info;
	brCrackDef def;
	brCrackForce forces[maxForces];
	brCrackStats stats;
	brContext context;
	brCrackGrowth growth;
	int32_t oldTriangles, oldVertices;
} EdgeCrack;

static brMesh* makeBox(double x, double y, double z)
{
	brModelDef model = brDefaultModelDef("box");
	model.resolution = 1;
	const char* keys[3] = {"width", "depth", "height"};
	double values[3] = {x, y, z};
	for (int i = 0; i < 3; ++i)
	{
		CHECK(brModelDef_SetParameter(&model, keys[i], values[i]));
	}
	return BR_MADE(brMesh, brMakeModel, NULL, &model);
}

// Traction `pull` on the face with the larger coordinate along `axis`, its opposite on the other one, as forces on a
// grid.
static void pullFaces(EdgeCrack* edge, int axis, brDVec3 pull)
{
	brDBox3 box = brMesh_ComputeBounds(edge->mesh);
	const double *lower = &box.lower.x, *upper = &box.upper.x;
	int u = (axis + 1) % 3, v = (axis + 2) % 3;
	for (int32_t i = 0; i < 2 * gridPoints * gridPoints; ++i)
	{
		int32_t side = i % 2, k = i / 2;
		double at[3];
		at[axis] = side == 0 ? upper[axis] : lower[axis];
		at[u] = lower[u] + (upper[u] - lower[u]) * (k % gridPoints + 0.5) / gridPoints;
		at[v] = lower[v] + (upper[v] - lower[v]) * (k / gridPoints + 0.5) / gridPoints;
		edge->forces[edge->def.forceCount++] = (brCrackForce){
			brMakeDVec3(at[0], at[1], at[2]),
			brDMul((side == 0 ? 1.0 : -1.0) / (gridPoints * gridPoints), pull),
		};
	}
}

// A sheet as a crack that can grow at its end of largest x.
static brGrowingCrack makeSheet(const brAllocator* allocator, double left, double right, double back, double front,
								double z, double spacing)
{
	brGrowingCrack crack;
	memset(&crack, 0, sizeof(crack));
	crack.spacing = spacing;
	crack.isGrowing = true;
	crack.start = brMakeDVec3(right, 0.5 * (back + front), z);
	crack.normal = brMakeDVec3(0.0, 0.0, 1.0);
	int32_t nx = (int32_t)((right - left) / spacing) + 1, ny = (int32_t)((front - back) / spacing) + 1;
	for (int32_t i = 0; i < (nx + 1) * (ny + 1); ++i)
	{
		brDVec3 p = {left + (right - left) * (i % (nx + 1)) / nx, back + (front - back) * (i / (nx + 1)) / ny, z};
		CHECK(BR_PUSH(allocator, &crack.positions, p) && BR_PUSH(allocator, &crack.states, br_frontRuns) &&
			  BR_PUSH(allocator, &crack.outside, 0));
	}
	for (int32_t i = 0; i < nx * ny; ++i)
	{
		int32_t a = i % nx + (nx + 1) * (i / nx), b = a + 1, c = b + nx + 1, d = a + nx + 1;
		CHECK(BR_PUSH(allocator, &crack.triangles, ((brCrackTriangle){{a, b, c}})));
		CHECK(BR_PUSH(allocator, &crack.triangles, ((brCrackTriangle){{a, c, d}})));
		if (i % nx == nx - 1)
		{
			CHECK(BR_PUSH(allocator, &crack.front, ((brCrackEdge){b, c})));
		}
	}
	return crack;
}

static void openEdgeCrack(EdgeCrack* edge, int32_t tets, int32_t steps)
{
	memset(edge, 0, sizeof(*edge));
	edge->mesh = makeBox(1.0, 1.0, 1.0);
	brReport report = {0};
	brTetDef tetDef = brDefaultTetDef();
	tetDef.targetTets = tets;
	tetDef.coarsening = 0;
	CHECK_RESULT(brMakeTetMesh(NULL, edge->mesh, &tetDef, &edge->tets, &edge->info, &report), &report);
	edge->def = brDefaultCrackDef();
	edge->def.forces = edge->forces;
	edge->def.maxCracks = 1;
	edge->def.maxSteps = steps;
	edge->def.material.tensileStrength = 1e9; // no crack but ours
	edge->def.material.compressiveStrength = 1e10;
	edge->def.material.toughness = 2e5;
}

static void growEdgeCrack(EdgeCrack* edge)
{
	brReport report = {0};
	brDBox3 box = brMesh_ComputeBounds(edge->mesh);
	double h = edge->info.edge, z = 0.5 * (box.lower.z + box.upper.z) + 0.13 * h;
	CHECK_RESULT(brCreateSurfaceTree(NULL, edge->mesh, &edge->surface, &report), &report);
	edge->growth = (brCrackGrowth){.def = &edge->def,
								   .tets = edge->tets,
								   .surface = edge->surface,
								   .edge = h,
								   .stats = &edge->stats,
								   .context = &edge->context,
								   .allocator = edge->mesh->allocator};
	brCrackGrowth* growth = &edge->growth;
	CHECK_RESULT(brCrackLoad_Make(&growth->allocator, edge->mesh, edge->tets, h, &edge->def, &growth->load, &report),
				 &report);
	brGrowingCrack crack = makeSheet(&growth->allocator, box.lower.x - h, 0.5 * (box.lower.x + box.upper.x) + 0.2 * h,
									 box.lower.y - h, box.upper.y + h, z, 0.8 * h);
	edge->oldTriangles = crack.triangles.count;
	edge->oldVertices = crack.positions.count;
	CHECK(BR_PUSH(&growth->allocator, &growth->cracks, crack));
	CHECK_RESULT(brCrackGrowth_Run(growth, &report), &report);
}

static void closeEdgeCrack(EdgeCrack* edge)
{
	brCrackGrowth_Free(&edge->growth);
	brDestroySurfaceTree(edge->surface);
	brFreeTetInfo(&edge->info);
	brDestroyTetMesh(edge->tets);
	brDestroyMesh(edge->mesh);
}

// Angle of what grew from +x to +z, by area, over the part of the front with y between two shares of the cube. [rad]
static double grownAngle(const EdgeCrack* edge, double from, double to)
{
	const brGrowingCrack* crack = &edge->growth.cracks.data[0];
	brDBox3 box = brMesh_ComputeBounds(edge->mesh);
	brDVec3 sum = {0.0, 0.0, 0.0};
	int32_t count = 0;
	for (int32_t t = edge->oldTriangles; t < crack->triangles.count; ++t)
	{
		const int32_t* v = crack->triangles.data[t].v;
		brDVec3 a = crack->positions.data[v[0]], b = crack->positions.data[v[1]], c = crack->positions.data[v[2]];
		double y = ((a.y + b.y + c.y) / 3.0 - box.lower.y) / (box.upper.y - box.lower.y);
		if (y >= from && y <= to)
		{
			sum = brDAdd(sum, brDCross(brDSub(b, a), brDSub(c, a)));
			count += 1;
		}
	}
	CHECK(count > 2);
	return brAtan2(-sum.x, sum.z); // the normal (-sin, 0, cos)
}

BR_TEST(crack_growth_opening_goes_straight)
{
	EdgeCrack edge;
	openEdgeCrack(&edge, brTest_Rounds(test, 9000) < 9000 ? 5000 : 9000, 3);
	pullFaces(&edge, 2, brMakeDVec3(0.0, 0.0, 1e6));
	growEdgeCrack(&edge);
	double angle = grownAngle(&edge, 0.25, 0.75);
	if (test->intensity >= 10.0)
	{
		printf("opening: %+.1f degrees\n", 57.2958 * angle);
	}
	CHECK_MESSAGE(fabs(angle) < 0.09, "turned by %.1f degrees", 57.2958 * angle);
	closeEdgeCrack(&edge);
}

// Pure shear: all faces along the crack's normal and its way are pulled along each other. Sliding kinks by 70.5 degrees
// away from it.
BR_TEST(crack_growth_sliding_kinks_by_seventy_degrees)
{
	for (int sign = -1; sign <= 1; sign += 2)
	{
		EdgeCrack edge;
		openEdgeCrack(&edge, 9000, 1);
		pullFaces(&edge, 2, brMakeDVec3(sign * 1e6, 0.0, 0.0));
		pullFaces(&edge, 0, brMakeDVec3(0.0, 0.0, sign * 1e6));
		growEdgeCrack(&edge);
		double degrees = 57.29578 * grownAngle(&edge, 0.25, 0.75);
		if (test->intensity >= 10.0)
		{
			printf("sliding %+d: %+.1f degrees\n", sign, degrees);
		}
		CHECK_MESSAGE(fabs(degrees + sign * 70.5) < 5.0, "kinked by %.1f degrees", degrees);
		closeEdgeCrack(&edge);
	}
}

// Tearing: no kink on the whole, and the two ends of the front turn opposite ways, since the free faces let them slide.
BR_TEST(crack_growth_tearing_twists_the_front)
{
	EdgeCrack edge;
	openEdgeCrack(&edge, 9000, 3);
	pullFaces(&edge, 2, brMakeDVec3(0.0, 1e6, 0.0));
	pullFaces(&edge, 1, brMakeDVec3(0.0, 0.0, 1e6));
	growEdgeCrack(&edge);
	double middle = grownAngle(&edge, 0.4, 0.6), low = grownAngle(&edge, 0.05, 0.3),
		   high = grownAngle(&edge, 0.7, 0.95);
	if (test->intensity >= 10.0)
	{
		printf("tearing: %+.1f, %+.1f and %+.1f degrees along the front\n", 57.2958 * low, 57.2958 * middle,
			   57.2958 * high);
	}
	CHECK_MESSAGE(fabs(middle) < 0.2, "the middle turned by %.1f degrees", 57.2958 * middle);
	CHECK_MESSAGE(low * high < 0.0 && fabs(low) > 0.15 && fabs(high) > 0.15, "the ends turned by %.1f and %.1f degrees",
				  57.2958 * low, 57.2958 * high);
	CHECK_MESSAGE(fabs(low + high) < 0.5 * fabs(low - high), "the ends turned by %.1f and %.1f degrees", 57.2958 * low,
				  57.2958 * high);
	closeEdgeCrack(&edge);
}

// Tets around a wall reach out of it. Where they held on to a part that had come off, its load stayed on the rest and
// broke that too: this pane was in five pieces, one part of the lattice.
BR_TEST(crack_growth_sees_what_comes_off_a_wall)
{
	brMesh* mesh = brShape_Model("pane", 0);
	brCrackDef def = brDefaultCrackDef();
	def.tets = 4000;
	def.hit = brMakeDVec3(0.1, 0.003, 0.3);
	def.impulse = brMakeDVec3(0.0, -20.0, 0.0);
	def.efficiency = 0.0;
	brCracks* cracks = BR_MADE(brCracks, brCreateCracks, NULL, mesh, &def);
	CHECK_MESSAGE(cracks->stats.largePieces == 2 && cracks->stats.latticeParts == 2,
				  "%d pieces, %d parts of the lattice", cracks->stats.largePieces, cracks->stats.latticeParts);
	brDestroyCracks(cracks);
	brDestroyMesh(mesh);
}

// In a wall thinner than the lattice the points of a front go on as one: cracks are ribbons across the wall. Left to
// themselves they crumple and crumbs come off where a surface folds over itself.
BR_TEST(crack_growth_is_a_ribbon_in_a_thin_wall)
{
	brMesh* mesh = brShape_Model("pane", 0);
	brCrackDef def = brDefaultCrackDef();
	def.tets = 4000;
	def.hit = brMakeDVec3(0.1, 0.003, 0.3);
	def.impulse = brMakeDVec3(0.0, -40.0, 0.0);
	def.crumb = 0.0;
	def.efficiency = 0.0; // the cracks that the lattice has grown
	brCracks* cracks = BR_MADE(brCracks, brCreateCracks, NULL, mesh, &def);
	CHECK(cracks->stats.isEmbedded && cracks->pieceCount > 2);
	// Faces that no pane has: those of cracks.
	double area = 0.0, along = 0.0;
	for (int32_t i = 0; i < cracks->pieceCount; ++i)
	{
		const brMesh* piece = cracks->pieces[i].mesh;
		for (int32_t f = 0; f < piece->faceCount; ++f)
		{
			brDVec3 first = piece->positions[piece->corners[piece->faceStarts[f]]], n = {0.0, 0.0, 0.0};
			for (int32_t c = piece->faceStarts[f] + 1; c + 1 < piece->faceStarts[f + 1]; ++c)
			{
				n = brDAdd(n, brDCross(brDSub(piece->positions[piece->corners[c]], first),
									   brDSub(piece->positions[piece->corners[c + 1]], first)));
			}
			bool isCrack = piece->faceMaterials[f] == mesh->materialCount;
			area += isCrack ? 0.5 * brDLength(n) : 0.0;
			along += isCrack ? 0.5 * fabs(n.y) : 0.0; // of what lies along the wall
		}
	}
	CHECK_MESSAGE(along < 0.02 * area, "%.1f %% of %.3g m^2 of cracks lie along the wall", 100.0 * along / area, area);
	int32_t crumbs = 0;
	for (int32_t i = 0; i < cracks->pieceCount; ++i)
	{
		crumbs += cracks->pieces[i].mass.volume < 1e-4 * cracks->stats.volumeIn ? 1 : 0;
	}
	CHECK_MESSAGE(5 * crumbs <= cracks->pieceCount, "%d crumbs of %d pieces", crumbs, cracks->pieceCount);
	if (test->intensity >= 10.0)
	{
		printf("pane: %.2f %% of the cracks along the wall, %d pieces, %d crumbs\n", 100.0 * along / area,
			   cracks->pieceCount, crumbs);
	}
	brDestroyCracks(cracks);
	brDestroyMesh(mesh);
}

// A wide pane hit in the middle: with energy to spare fronts branch, and branching cracks cut more pieces off; without
// they do not.
BR_TEST(crack_growth_branches_when_energy_allows)
{
	brMesh* mesh = brShape_Model("pane", 0);
	int32_t counts[3];
	for (int32_t i = 0; i < 3; ++i)
	{
		brCrackDef def = brDefaultCrackDef();
		def.tets = 3000;
		def.hit = brMakeDVec3(0.0, 0.003, 0.3);
		def.impulse = brMakeDVec3(0.0, -20.0, 0.0);
		def.maxCracks = 12; // six start by themselves
		def.branching = i == 0 ? 0.0 : 12.0;
		def.energy = i == 2 ? 0.01 : 0.0; // enough for a crack or two, not for branches
		brCracks* cracks = BR_MADE(brCracks, brCreateCracks, NULL, mesh, &def);
		counts[i] = 0;
		for (int32_t k = 0; k < cracks->crackCount; ++k)
		{
			CHECK(cracks->cracks[k].branchOf < k);
			counts[i] += cracks->cracks[k].branchOf >= 0 ? 1 : 0;
		}
		CHECK_NEAR(cracks->stats.volumeOut, cracks->stats.volumeIn, 1e-9 * cracks->stats.volumeIn);
		brDestroyCracks(cracks);
	}
	CHECK_MESSAGE(counts[0] == 0 && counts[1] > 0 && counts[2] == 0, "%d, %d and %d branches", counts[0], counts[1],
				  counts[2]);
	brDestroyMesh(mesh);
}

// A bar that is bent breaks where it is weak, not where stress is highest (thesis fig. 6.13), and the crack stays in
// the weak zone.
BR_TEST(crack_growth_goes_where_the_material_is_weak)
{
	brMesh* mesh = makeBox(1.0, 0.2, 0.2);
	brDBox3 box = brMesh_ComputeBounds(mesh);
	// Weak between x = 0.2 and 0.3: black voxels.
	int32_t counts[3] = {101, 1, 1};
	float values[101];
	for (int32_t i = 0; i < 101; ++i)
	{
		values[i] = i >= 70 && i <= 80 ? 0.0f : 1.0f;
	}
	brScalarMap* map = BR_MADE(brScalarMap, brCreateScalarMap, NULL, counts, values);
	map->box = box;
	brStrengthMap strength = {map, 0.2, 1.0};
	for (int32_t isWeak = 0; isWeak < 2; ++isWeak)
	{
		brCrackDef def = brDefaultCrackDef();
		def.material = *brFindMaterial("glass");
		def.material.weibullModulus = 0.0; // no scatter
		def.tets = 6000;
		def.maxCracks = 1;
		double z = box.upper.z;
		brCrackForce forces[3] = {{{0.0, 0.0, z}, {0.0, 0.0, -8e5}},
								  {{box.lower.x + 0.05, 0.0, box.lower.z}, {0.0, 0.0, 4e5}},
								  {{box.upper.x - 0.05, 0.0, box.lower.z}, {0.0, 0.0, 4e5}}};
		def.forces = forces, def.forceCount = 3;
		def.strength = isWeak != 0 ? brStrengthFromMap : NULL;
		def.strengthUser = &strength;
		brCracks* cracks = BR_MADE(brCracks, brCreateCracks, NULL, mesh, &def);
		CHECK(cracks->crackCount == 1);
		double x = cracks->cracks[0].start.x;
		CHECK_MESSAGE(isWeak != 0 ? x > 0.18 && x < 0.32 : fabs(x) < 0.1, "the crack starts at x = %g", x);
		if (isWeak != 0)
		{
			CHECK_EQUAL(cracks->pieceCount, 2);
			const brMesh* surface = cracks->cracks[0].surface;
			for (int32_t i = 0; i < surface->vertexCount; ++i)
			{
				CHECK(surface->positions[i].x > 0.1 && surface->positions[i].x < 0.4);
			}
		}
		brDestroyCracks(cracks);
	}
	brDestroyScalarMap(map);
	brDestroyMesh(mesh);
}

// A map of heights shows on the faces: steps of a black and white picture.
BR_TEST(crack_grain_follows_its_map)
{
	brAllocator allocator = brContext_Allocator(NULL);
	brGrowingCrack crack;
	brCrackDisk disk = {.normal = {0.0, 0.0, 1.0}, .along = {1.0, 0.0, 0.0}, .radius = 1.0, .spacing = 0.4};
	CHECK_RESULT(brGrowingCrack_Start(&allocator, &crack, &disk, NULL), NULL);
	int32_t counts[3] = {64, 1, 64};
	float* values = malloc(sizeof(float) * 64 * 64);
	for (int32_t i = 0; i < 64 * 64; ++i)
	{
		values[i] = i % 64 < 32 ? 0.0f : 1.0f;
	}
	brScalarMap* map = BR_MADE(brScalarMap, brCreateScalarMap, NULL, counts, values);
	free(values);
	brCrackGrain grain = {0.05, 1.0, 0, map};
	brMesh* mesh = BR_MADE(brMesh, brGrowingCrack_MakeMesh, &crack, NULL, &grain);
	int32_t low = 0, high = 0;
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		CHECK(fabs(mesh->positions[i].z) < 0.0501);
		low += mesh->positions[i].z < -0.0499 ? 1 : 0;
		high += mesh->positions[i].z > 0.0499 ? 1 : 0;
	}
	CHECK(low > mesh->vertexCount / 3 && high > mesh->vertexCount / 3);
	brDestroyMesh(mesh);
	brDestroyScalarMap(map);
	brGrowingCrack_Free(&allocator, &crack);
}
