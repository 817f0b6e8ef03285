// SPDX-License-Identifier: MIT

// Filling surfaces with tets: validity and angles on random and hostile surfaces, closed forms and rates, counts, thin
// walls.

#include "harness.h"
#include "shapes.h"

#include "brittle/brittle.h"

#include <stdlib.h>
#include <string.h>

#define DEGREES (BR_PI / 180.0)

// What stuffing.c promises.
#define MIN_ANGLE (10.5 * DEGREES)
#define MAX_ANGLE (163.8 * DEGREES)

static brMesh* modelOf(const char* name, uint64_t seed, int32_t resolution)
{
	brModelDef def = brDefaultModelDef(name);
	def.seed = seed;
	def.resolution = resolution;
	return BR_MADE(brMesh, brMakeModel, NULL, &def);
}

static brTetMeshStats checkSound(const brTetMesh* mesh)
{
	brTetFaults verdict;
	brReport report = {0};
	CHECK_RESULT(brTetMesh_FindFaults(mesh, NULL, &verdict, &report), &report);
	CHECK_MESSAGE(verdict.isSound, "%s", verdict.text);
	CHECK(verdict.stats.isSurfaceClosed);
	CHECK_EQUAL(verdict.stats.unusedNodes, 0);
	CHECK_EQUAL(verdict.stats.misorientedFaces, 0);
	CHECK_MESSAGE(verdict.stats.minDihedral >= MIN_ANGLE && verdict.stats.maxDihedral <= MAX_ANGLE,
				  "angles from %g to %g degrees", verdict.stats.minDihedral / DEGREES,
				  verdict.stats.maxDihedral / DEGREES);
	return verdict.stats;
}

static brTetMesh* fill(const brMesh* surface, const brTetDef* def, brTetInfo* info)
{
	brReport report = {0};
	brTetMesh* mesh = NULL;
	CHECK_RESULT(brMakeTetMesh(NULL, surface, def, &mesh, info, &report), &report);
	return mesh;
}

BR_TEST(tets_of_blobs_are_sound)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 12); ++round)
	{
		brMesh* surface = modelOf(round % 3 == 0 ? "statue" : round % 3 == 1 ? "blob" : "knot", round, 24);
		brTetDef def = brDefaultTetDef();
		def.targetTets = 2000 + (int32_t)brRandom_Below(&random, 10000);
		def.coarsening = round % 4;
		def.allowBroken = true;
		brTetInfo info;
		brTetMesh* mesh = fill(surface, &def, &info);
		brTetMeshStats stats = checkSound(mesh);
		CHECK_NEAR(stats.volume, info.volume, 1e-9 * info.volume);
		CHECK_NEAR(info.volume, info.surfaceVolume, 0.03 * info.surfaceVolume);
		CHECK_MESSAGE(abs(mesh->tetCount - def.targetTets) <= 0.15 * def.targetTets, "%d tets, wanted %d",
					  mesh->tetCount, def.targetTets);
		brFreeTetInfo(&info);
		brDestroyTetMesh(mesh);
		brDestroyMesh(surface);
	}
}

// Many small closed tetrahedra over each other: signs and cut points of the lattice are as good as random.
BR_TEST(tets_of_hostile_surfaces_keep_the_angle_bounds)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 8); ++round)
	{
		enum
		{
			count = 3000
		};
		static brDVec3 positions[4 * count];
		static int32_t corners[12 * count];
		static const int32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
		for (int32_t i = 0; i < count; ++i)
		{
			brDVec3 center = {brRandom_Unit(&random), brRandom_Unit(&random), brRandom_Unit(&random)};
			double size = brRandom_Range(&random, 0.02, 0.15);
			for (int k = 0; k < 4; ++k)
			{
				positions[4 * i + k] = brDAdd(center, brMakeDVec3(brRandom_Range(&random, -size, size),
																  brRandom_Range(&random, -size, size),
																  brRandom_Range(&random, -size, size)));
			}
			brDVec3* p = positions + 4 * i;
			if (brDDot(brDCross(brDSub(p[1], p[0]), brDSub(p[2], p[0])), brDSub(p[3], p[0])) < 0.0)
			{
				brDVec3 swap = p[0];
				p[0] = p[1], p[1] = swap;
			}
			for (int k = 0; k < 12; ++k)
			{
				corners[12 * i + k] = 4 * i + faces[k];
			}
		}
		brMesh* surface = brShape_Make(positions, 4 * count, corners, NULL, 4 * count);
		brTetDef def = brDefaultTetDef();
		def.targetTets = 0;
		def.edge = 0.06;
		def.coarsening = round % 2;
		def.matchVolume = false;
		def.allowBroken = true;
		brTetInfo info;
		brTetMesh* mesh = fill(surface, &def, &info);
		CHECK_MESSAGE(mesh->tetCount > 4000, "only %d tets", mesh->tetCount);
		checkSound(mesh);
		brFreeTetInfo(&info);
		brDestroyTetMesh(mesh);
		brDestroyMesh(surface);
	}
}

// Mass, center and inertia of the tets at density 1.
static brMassProperties massOfTets(const brTetMesh* mesh)
{
	brMesh* surface = BR_MADE(brMesh, brTetMesh_MakeSurface, mesh, NULL);
	brMassProperties mass = brMesh_ComputeMass(surface, 1.0);
	brDestroyMesh(surface);
	return mass;
}

BR_TEST(tet_volumes_and_inertia_converge_to_closed_forms)
{
	// A ball of radius 1 and a torus of radii 1 and 0.4 about z, both finer than any lattice here.
	for (int shape = 0; shape < 2; ++shape)
	{
		double R = 1.0, r = 0.4;
		brMesh* surface = shape == 0 ? brShape_Sphere(6) : brShape_Torus(240, 120, R, r);
		double volume = shape == 0 ? 4.0 / 3.0 * BR_PI : 2.0 * BR_PI * BR_PI * R * r * r;
		double inertia = shape == 0 ? 0.4 * volume : volume * (R * R + 0.75 * r * r);
		double errors[3];
		for (int level = 0; level < 3; ++level)
		{
			brTetDef def = brDefaultTetDef();
			def.targetTets = 0;
			def.edge = 0.24 / (1 << level);
			def.coarsening = 1;
			def.matchVolume = false;
			brTetInfo info;
			brTetMesh* mesh = fill(surface, &def, &info);
			brTetMeshStats stats = checkSound(mesh);
			brMassProperties mass = massOfTets(mesh);
			CHECK_NEAR(mass.volume, stats.volume, 1e-9 * volume);
			errors[level] = fabs(stats.volume - volume) / volume;
			if (level == 2)
			{
				CHECK_NEAR(mass.inertia.cz.z, inertia, 0.02 * inertia);
				CHECK_NEAR(brDLength(mass.center), 0.0, 2e-3);
			}
			brFreeTetInfo(&info);
			brDestroyTetMesh(mesh);
		}
		// Second order: halving the edge divides the error by about four.
		for (int level = 0; level < 2; ++level)
		{
			double rate = errors[level] / errors[level + 1];
			CHECK_MESSAGE(rate > 3.0 && rate < 5.5, "shape %d: errors %g, %g, %g", shape, errors[0], errors[1],
						  errors[2]);
		}
		brDestroyMesh(surface);
	}
}

BR_TEST(boundary_nodes_lie_where_the_info_says)
{
	brMesh* surface = modelOf("blob", 5, 32);
	brSurfaceTree* tree = BR_MADE(brSurfaceTree, brCreateSurfaceTree, NULL, surface);
	for (int match = 0; match < 2; ++match)
	{
		brTetDef def = brDefaultTetDef();
		def.targetTets = 3000;
		def.matchVolume = match == 1;
		brTetInfo info;
		brTetMesh* mesh = fill(surface, &def, &info);
		CHECK((info.offset > 0.0) == (match == 1));
		brMesh* boundary = BR_MADE(brMesh, brTetMesh_MakeSurface, mesh, NULL);
		double most = 0.0;
		for (int32_t f = 0; f < boundary->faceCount; ++f)
		{
			brDVec3 sum = {0};
			for (int k = 0; k < 3; ++k)
			{
				brDVec3 p = boundary->positions[boundary->corners[3 * f + k]];
				brClosestPoint closest;
				brSurfaceTree_FindClosest(tree, NULL, &p, 1, &closest);
				CHECK_NEAR(closest.distance, info.offset, 0.01 * info.edge);
				sum = brDAdd(sum, brDMul(1.0 / 3.0, p));
			}
			brClosestPoint closest;
			brSurfaceTree_FindClosest(tree, NULL, &sum, 1, &closest);
			most = fmax(most, closest.distance);
		}
		CHECK(most <= info.deviation);
		brDestroyMesh(boundary);
		brFreeTetInfo(&info);
		brDestroyTetMesh(mesh);
	}
	brDestroySurfaceTree(tree);
	brDestroyMesh(surface);
}

BR_TEST(tets_scale_with_powers_of_two_and_turn_inside_out_surfaces)
{
	brMesh* surface = modelOf("blob", 9, 20);
	brTetDef def = brDefaultTetDef();
	def.targetTets = 4000;
	brTetInfo info[3];
	brTetMesh* meshes[3];
	meshes[0] = fill(surface, &def, &info[0]);
	for (int32_t i = 0; i < surface->vertexCount; ++i)
	{
		surface->positions[i] = brDMul(1024.0, surface->positions[i]);
	}
	meshes[1] = fill(surface, &def, &info[1]);
	CHECK_EQUAL(meshes[1]->tetCount, meshes[0]->tetCount);
	CHECK(memcmp(meshes[0]->tets, meshes[1]->tets, (size_t)meshes[0]->tetCount * sizeof(int32_t[4])) == 0);
	for (int32_t i = 0; i < meshes[0]->nodeCount; ++i)
	{
		CHECK_NEAR(brDDistance(brDMul(1024.0, meshes[0]->nodes[i]), meshes[1]->nodes[i]), 0.0, 1e-9);
	}
	// Faces the other way round: the same solid.
	for (int32_t f = 0; f < surface->faceCount; ++f)
	{
		int32_t start = surface->faceStarts[f], end = surface->faceStarts[f + 1];
		for (int32_t i = 0; i < (end - start) / 2; ++i)
		{
			int32_t swap = surface->corners[start + i];
			surface->corners[start + i] = surface->corners[end - 1 - i];
			surface->corners[end - 1 - i] = swap;
		}
	}
	meshes[2] = fill(surface, &def, &info[2]);
	CHECK(info[2].isInverted && !info[1].isInverted);
	CHECK_EQUAL(meshes[2]->tetCount, meshes[1]->tetCount);
	CHECK_NEAR(info[2].volume, info[1].volume, 1e-6 * info[1].volume);
	for (int i = 0; i < 3; ++i)
	{
		brFreeTetInfo(&info[i]);
		brDestroyTetMesh(meshes[i]);
	}
	brDestroyMesh(surface);
}

BR_TEST(tets_of_turned_surfaces_have_the_same_volume)
{
	brRandom random = brTest_Random(test);
	brMesh* surface = modelOf("knot", 0, 32);
	double volume = brMesh_ComputeMass(surface, 1.0).volume;
	for (int32_t round = 0; round < brTest_Rounds(test, 4); ++round)
	{
		brDVec3 axis = brDNormalize(brMakeDVec3(brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1), 0.3));
		brMat3 turn = brMakeMat3FromQuat(brMakeQuatAxisAngle(axis, brRandom_Range(&random, 0, 6)));
		brAffine map = {turn, brMakeDVec3(brRandom_Range(&random, -5, 5), 3.0, -2.0)};
		brMesh_Transform(surface, &map);
		brTetInfo info;
		brTetDef def = brDefaultTetDef();
		def.targetTets = 8000;
		brTetMesh* mesh = fill(surface, &def, &info);
		checkSound(mesh);
		CHECK_NEAR(info.volume, volume, 0.02 * volume);
		CHECK_EQUAL(info.components, 1);
		brFreeTetInfo(&info);
		brDestroyTetMesh(mesh);
	}
	brDestroyMesh(surface);
}

BR_TEST(tets_do_not_depend_on_workers)
{
	brMesh* surface = modelOf("statue", 2, 32);
	brTetMesh* meshes[2];
	for (int embed = 0; embed < 2; ++embed)
	{
		brTetInfo info[2];
		for (int k = 0; k < 2; ++k)
		{
			brContext context = {.workers = brTest_Workers(1 + 3 * k)};
			brTetDef def = brDefaultTetDef();
			def.targetTets = 5000;
			def.embed = embed == 1;
			def.allowBroken = true;
			brReport report = {0};
			CHECK_RESULT(brMakeTetMesh(&context, surface, &def, &meshes[k], &info[k], &report), &report);
			brDestroyWorkers(context.workers);
		}
		CHECK_EQUAL(meshes[0]->tetCount, meshes[1]->tetCount);
		CHECK_EQUAL(meshes[0]->nodeCount, meshes[1]->nodeCount);
		CHECK(memcmp(meshes[0]->nodes, meshes[1]->nodes, (size_t)meshes[0]->nodeCount * sizeof(brDVec3)) == 0);
		CHECK(memcmp(meshes[0]->tets, meshes[1]->tets, (size_t)meshes[0]->tetCount * sizeof(int32_t[4])) == 0);
		CHECK_EQUAL(info[0].fillCount, info[1].fillCount);
		CHECK(info[0].fillCount == 0 ||
			  memcmp(info[0].fills, info[1].fills, (size_t)info[0].fillCount * sizeof(double)) == 0);
		for (int k = 0; k < 2; ++k)
		{
			brFreeTetInfo(&info[k]);
			brDestroyTetMesh(meshes[k]);
		}
	}
	brDestroyMesh(surface);
}

BR_TEST(thin_walls_are_refused_with_the_edge_they_need)
{
	brMesh* surface = modelOf("bowl", 0, 32);
	brTetDef def = brDefaultTetDef();
	def.targetTets = 1000;
	brTetMesh* mesh = NULL;
	brReport report = {0};
	CHECK_EQUAL(brMakeTetMesh(NULL, surface, &def, &mesh, NULL, &report), br_errorGeometry);
	CHECK(mesh == NULL);
	const char* text = strstr(report.text, "an edge of ");
	CHECK_MESSAGE(text != NULL, "%s", report.text);

	// That edge holds the wall together.
	def.targetTets = 0;
	def.edge = strtod(text + strlen("an edge of "), NULL);
	brTetInfo info;
	mesh = fill(surface, &def, &info);
	CHECK_EQUAL(info.components, 1);
	CHECK_NEAR(info.volume, info.surfaceVolume, 0.02 * info.surfaceVolume);
	checkSound(mesh);
	brFreeTetInfo(&info);
	brDestroyTetMesh(mesh);

	// So does embedding, on the coarse lattice.
	def.targetTets = 4000;
	def.embed = true;
	mesh = fill(surface, &def, &info);
	brTetMeshStats stats = checkSound(mesh);
	CHECK_EQUAL(stats.components, 1);
	CHECK_EQUAL(info.fillCount, mesh->tetCount);
	CHECK_NEAR(info.volume, info.surfaceVolume, 0.03 * info.surfaceVolume);
	CHECK_NEAR(stats.minDihedral, 60.0 * DEGREES, 1e-6);
	int32_t partial = 0;
	for (int32_t i = 0; i < info.fillCount; ++i)
	{
		CHECK(info.fills[i] >= 0.0 && info.fills[i] <= 1.0);
		partial += info.fills[i] > 0.0 && info.fills[i] < 1.0;
	}
	CHECK(partial > mesh->tetCount / 2);

	// Every vertex of the surface is in some tet.
	brTetLocator* locator = BR_MADE(brTetLocator, brCreateTetLocator, NULL, mesh);
	brTetPoint* points = malloc((size_t)surface->vertexCount * sizeof(brTetPoint));
	brTetLocator_Embed(locator, NULL, surface->positions, surface->vertexCount, points);
	for (int32_t i = 0; i < surface->vertexCount; ++i)
	{
		CHECK(points[i].tet >= 0 && points[i].distance < 1e-12);
		CHECK_NEAR(brDDistance(brTetPoint_Place(&points[i], mesh, mesh->nodes), surface->positions[i]), 0.0, 1e-12);
	}
	free(points);
	brDestroyTetLocator(locator);
	brFreeTetInfo(&info);
	brDestroyTetMesh(mesh);
	brDestroyMesh(surface);
}

BR_TEST(open_surfaces_are_filled_by_winding_number)
{
	// A sphere with a hole at the top, with every corner its own vertex, as from a scan.
	brMesh* sphere = brShape_Sphere(4);
	int32_t kept = 0;
	for (int32_t f = 0; f < sphere->faceCount; ++f)
	{
		const int32_t* c = sphere->corners + 3 * (int64_t)f;
		if (sphere->positions[c[0]].z < 0.9)
		{
			memmove(sphere->corners + 3 * (int64_t)kept++, c, sizeof(int32_t[3]));
		}
	}
	brMesh* open = brShape_Make(sphere->positions, sphere->vertexCount, sphere->corners, NULL, kept);
	brTetDef def = brDefaultTetDef();
	def.targetTets = 3000;
	brTetInfo info;
	brReport report = {0};
	brTetMesh* mesh = NULL;
	CHECK_EQUAL(brMakeTetMesh(NULL, open, &def, &mesh, &info, &report), br_remarkApproximate);
	CHECK(!info.isClosed);
	checkSound(mesh);
	// The hole is bridged nearly flat: up to the cap above it is gone.
	double cap = BR_PI * 0.1 * 0.1 * (3.0 - 0.1) / 3.0;
	CHECK(info.volume < 4.0 / 3.0 * BR_PI && info.volume > 4.0 / 3.0 * BR_PI - 1.5 * cap - 0.13);
	brFreeTetInfo(&info);
	brDestroyTetMesh(mesh);

	// The whole one as loose triangles is welded and then closed.
	brMesh* whole = brShape_Sphere(3);
	brMesh* loose = brShape_Soup(whole);
	brDestroyMesh(whole);
	mesh = NULL;
	CHECK(brMakeTetMesh(NULL, loose, &def, &mesh, &info, &report) >= 0 && info.isClosed && info.isRepaired);
	brFreeTetInfo(&info);
	brDestroyTetMesh(mesh);
	brDestroyMesh(loose);

	// A lone triangle encloses nothing; a flat one neither.
	const brDVec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 1}, {0, 1, 0}};
	const int32_t corners[6] = {0, 1, 2, 0, 1, 3};
	for (int i = 0; i < 2; ++i)
	{
		brMesh* lone = brShape_Make(p, 4, corners + 3 * i, NULL, 1);
		mesh = NULL;
		CHECK_EQUAL(brMakeTetMesh(NULL, lone, &def, &mesh, NULL, &report), br_errorGeometry);
		CHECK(mesh == NULL && report.text[0] != 0);
		brDestroyMesh(lone);
	}
	brDestroyMesh(open);
	brDestroyMesh(sphere);
}

BR_TEST(counts_are_met_on_shapes_along_the_axes)
{
	static const char* const names[] = {"box", "brick", "column", "icosphere", "torus"};
	for (int32_t i = 0; i < 5; ++i)
	{
		brMesh* surface = modelOf(names[i], 0, 0);
		for (int32_t target = 1000; target <= 10000; target *= 10)
		{
			brTetDef def = brDefaultTetDef();
			def.targetTets = target;
			brTetInfo info;
			brTetMesh* mesh = fill(surface, &def, &info);
			CHECK_MESSAGE(abs(mesh->tetCount - target) <= 0.15 * target, "%s: %d tets, wanted %d", names[i],
						  mesh->tetCount, target);
			checkSound(mesh);
			CHECK_NEAR(info.volume, info.surfaceVolume, (target == 1000 ? 0.05 : 0.02) * info.surfaceVolume);
			brFreeTetInfo(&info);
			brDestroyTetMesh(mesh);
		}
		brDestroyMesh(surface);
	}
}

BR_TEST(coarsening_saves_tets_inside)
{
	brMesh* surface = brShape_Sphere(5);
	int32_t last = INT32_MAX;
	for (int32_t levels = 0; levels < 4; ++levels)
	{
		brTetDef def = brDefaultTetDef();
		def.targetTets = 0;
		def.edge = 0.05;
		def.coarsening = levels;
		brTetInfo info;
		brTetMesh* mesh = fill(surface, &def, &info);
		checkSound(mesh);
		CHECK_NEAR(info.volume, info.surfaceVolume, 0.01 * info.surfaceVolume);
		CHECK(mesh->tetCount < last || levels == 3);
		last = mesh->tetCount;
		brFreeTetInfo(&info);
		brDestroyTetMesh(mesh);
	}
	brDestroyMesh(surface);
}

typedef struct FillCall
{
	const brMesh* surface;
	bool embed;
	bool isPinched; // walls as thin as a cell
} FillCall;

static brResult fillOnce(const brContext* context, void* user)
{
	const FillCall* call = user;
	brTetDef def = brDefaultTetDef();
	def.targetTets = 0;
	def.edge = call->isPinched ? 0.02 : 0.6;
	def.coarsening = 1;
	def.embed = call->embed;
	def.allowBroken = call->isPinched;
	brTetMesh* mesh = NULL;
	brTetInfo info = {0};
	brResult result = brMakeTetMesh(context, call->surface, &def, &mesh, &info, NULL);
	brDestroyTetMesh(mesh);
	brFreeTetInfo(&info);
	return result;
}

static brResult judgeOnce(const brContext* context, void* user)
{
	brTetFaults verdict;
	return brTetMesh_FindFaults(user, context, &verdict, NULL);
}

BR_TEST(tets_survive_failing_memory)
{
	brMesh* surface = brShape_LPrism();
	CHECK(brTest_WalkAllocations(fillOnce, &(FillCall){.surface = surface}) > 30);
	CHECK(brTest_WalkAllocations(fillOnce, &(FillCall){.surface = surface, .embed = true}) > 20);
	brMesh* bank = modelOf("piggy_bank", 0, 24);
	CHECK(brTest_WalkAllocations(fillOnce, &(FillCall){.surface = bank, .isPinched = true}) > 40);
	brDestroyMesh(bank);
	brMesh* soup = brShape_Soup(surface);
	CHECK(brTest_WalkAllocations(fillOnce, &(FillCall){.surface = soup}) > 40);
	brTetDef def = brDefaultTetDef();
	def.targetTets = 500;
	brTetInfo info;
	brTetMesh* mesh = fill(surface, &def, &info);
	CHECK(brTest_WalkAllocations(judgeOnce, mesh) > 10);
	brFreeTetInfo(&info);
	brDestroyTetMesh(mesh);
	brDestroyMesh(soup);
	brDestroyMesh(surface);
}

static bool cancelLater(double progress, void* user)
{
	double* last = user;
	CHECK(progress >= *last && progress <= 1.0);
	*last = progress;
	return progress > 0.0;
}

BR_TEST(filling_can_be_canceled)
{
	// A knot needs a second pass for its volume.
	brMesh* surface = modelOf("knot", 0, 24);
	double last = 0.0;
	brContext context = {.cancel = cancelLater, .cancelUser = &last};
	brTetDef def = brDefaultTetDef();
	def.targetTets = 3000;
	brTetMesh* mesh = NULL;
	brReport report = {0};
	CHECK_EQUAL(brMakeTetMesh(&context, surface, &def, &mesh, NULL, &report), br_errorCanceled);
	CHECK(mesh == NULL && last > 0.0);
	brDestroyMesh(surface);
}

BR_TEST(tet_defs_are_checked)
{
	brMesh* surface = brShape_Box(1, 1, 1);
	brTetMesh* mesh = NULL;
	brReport report = {0};
	brTetDef def = {0};
	CHECK_EQUAL(brMakeTetMesh(NULL, surface, &def, &mesh, NULL, &report), br_errorMisuse);
	def = brDefaultTetDef();
	def.targetTets = 0;
	CHECK_EQUAL(brMakeTetMesh(NULL, surface, &def, &mesh, NULL, &report), br_errorMisuse);
	def.edge = NAN;
	CHECK_EQUAL(brMakeTetMesh(NULL, surface, &def, &mesh, NULL, &report), br_errorMisuse);
	def.edge = 1e-7;
	CHECK_EQUAL(brMakeTetMesh(NULL, surface, &def, &mesh, NULL, &report), br_errorLimit);
	def.edge = 0.2;
	def.coarsening = 6;
	CHECK_EQUAL(brMakeTetMesh(NULL, surface, &def, &mesh, NULL, &report), br_errorMisuse);
	CHECK(mesh == NULL && report.text[0] != 0);
	brDestroyMesh(surface);
}

BR_TEST(public_models_fill_with_sound_tets)
{
	static const char* const names[] = {"models/cow.obj",   "models/fandisk.obj",    "models/teapot.obj",
										"models/knot1.off", "models/rocker-arm.obj", "models/suzanne.obj"};
	for (int32_t i = 0; i < 6; ++i)
	{
		const char* path = brTest_DataPath(names[i]);
		if (path == NULL)
		{
			brTest_Skip("the mesh collection is not there");
		}
		brMesh* surface = BR_MADE(brMesh, brLoadMesh, NULL, path);
		brTetDef def = brDefaultTetDef();
		brTetInfo info;
		brTetMesh* mesh = fill(surface, &def, &info);
		checkSound(mesh);
		CHECK(abs(mesh->tetCount - 10000) <= 1500);
		CHECK(!info.isClosed || fabs(info.volume / info.surfaceVolume - 1.0) <= 0.02);
		brFreeTetInfo(&info);
		brDestroyTetMesh(mesh);
		brDestroyMesh(surface);
	}
}

// Verdicts

static brTetFaults judgeTets(const brDVec3* nodes, int32_t nodeCount, const int32_t (*tets)[4], int32_t tetCount)
{
	brTetMeshDef def = brDefaultTetMeshDef();
	def.nodes = nodes, def.nodeCount = nodeCount;
	def.tets = tets, def.tetCount = tetCount;
	brTetMesh* mesh = NULL;
	brTetFaults verdict;
	CHECK_RESULT(brCreateTetMesh(NULL, &def, &mesh, NULL), NULL);
	CHECK_RESULT(brTetMesh_FindFaults(mesh, NULL, &verdict, NULL), NULL);
	brDestroyTetMesh(mesh);
	return verdict;
}

BR_TEST(verdicts_name_the_fault)
{
	const brDVec3 nodes[9] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2},    {0, 0, -2},
							  {1, 1, 0}, {0, 0, 3}, {9, 9, 9}, {0.7, 0.7, 0}};
	const int32_t sound[2][4] = {{0, 1, 2, 3}, {0, 2, 1, 4}};
	brTetFaults v = judgeTets(nodes, 5, sound, 2);
	CHECK(v.isSound && v.invertedTet < 0 && v.danglingNode < 0 && v.looseTet < 0);

	const int32_t inverted[2][4] = {{0, 1, 2, 3}, {0, 1, 2, 4}};
	v = judgeTets(nodes, 5, inverted, 2);
	CHECK(!v.isSound && v.invertedTet == 1 && strstr(v.text, "tet 1") != NULL);

	const int32_t flat[2][4] = {{0, 1, 2, 5}, {0, 2, 1, 4}};
	v = judgeTets(nodes, 6, flat, 2);
	CHECK(!v.isSound && v.flatTet == 0 && strstr(v.text, "tet 0") != NULL);

	const int32_t crowded[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 4}, {0, 1, 2, 6}};
	v = judgeTets(nodes, 7, crowded, 3);
	CHECK(!v.isSound && v.crowdedTet == 0);

	// The lower tet is in two halves that meet the upper one's face at a node it does not have.
	const int32_t hanging[3][4] = {{0, 1, 2, 3}, {0, 5, 1, 4}, {0, 2, 5, 4}};
	v = judgeTets(nodes, 6, hanging, 3);
	CHECK(!v.isSound && v.overlapTets[0] >= 0 && v.overlapTets[1] >= 0 && v.overlapTets[0] != v.overlapTets[1]);
	CHECK_MESSAGE(strstr(v.text, "not conforming") != NULL, "%s", v.text);

	v = judgeTets(nodes, 8, sound, 2);
	CHECK(v.isSound && v.danglingNode == 5);

	const brDVec3 apart[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}, {5, 0, 1}};
	const int32_t two[2][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}};
	v = judgeTets(apart, 8, two, 2);
	CHECK(v.isSound && v.looseTet == 1);
	v = judgeTets(apart, 8, two, 0);
	CHECK(!v.isSound);
}

// Two cubes with a common edge are two solids: that both are whole is no reason to call their walls thin.
BR_TEST(tets_fill_solids_that_touch_along_an_edge)
{
	brDVec3 positions[14];
	int32_t corners[48], sizes[12];
	brMesh* cube = brShape_Box(1.0, 1.0, 1.0);
	int32_t vertexCount = cube->vertexCount;
	memcpy(positions, cube->positions, 8 * sizeof(brDVec3));
	int32_t other[8];
	for (int32_t i = 0; i < 8; ++i)
	{
		brDVec3 moved = brDAdd(cube->positions[i], brMakeDVec3(1.0, 1.0, 0.0));
		other[i] = -1;
		for (int32_t k = 0; k < 8; ++k)
		{
			other[i] = brDDistance(moved, cube->positions[k]) == 0.0 ? k : other[i];
		}
		if (other[i] < 0)
		{
			positions[vertexCount] = moved;
			other[i] = vertexCount++;
		}
	}
	CHECK_EQUAL(vertexCount, 14);
	for (int32_t f = 0; f < 12; ++f)
	{
		sizes[f] = 4;
		for (int32_t k = 0; k < 4; ++k)
		{
			int32_t corner = cube->corners[4 * (f % 6) + k];
			corners[4 * f + k] = f < 6 ? corner : other[corner];
		}
	}
	brMesh* pair = brShape_Make(positions, 14, corners, sizes, 12);
	brTetDef def = brDefaultTetDef();
	def.targetTets = 3000;
	brTetMesh* tets = NULL;
	brTetInfo info = {0};
	brReport report = {0};
	CHECK_RESULT(brMakeTetMesh(NULL, pair, &def, &tets, &info, &report), &report);
	CHECK_EQUAL(info.components, 2);
	CHECK_NEAR(info.volume, 2.0, 0.05);
	brFreeTetInfo(&info);
	brDestroyTetMesh(tets);
	brDestroyMesh(pair);
	brDestroyMesh(cube);
}

// The boundary of tets on coarse lattices has two faces an edge, also where walls are as thin as a cell: it touched itself
// along edges of four.
BR_TEST(tets_of_thin_walls_have_no_pinched_edges)
{
	const struct
	{
		const char* model;
		int32_t tets;
	} cases[] = {{"wine_glass", 10000}, {"vase", 5000}, {"piggy_bank", 5000}, {"bowl", 2000}, {"plate", 1500}};
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 10); ++round)
	{
		brMesh* surface = modelOf(cases[round % 5].model, (uint64_t)round, 40);
		brTetDef def = brDefaultTetDef();
		def.targetTets = cases[round % 5].tets;
		def.targetTets += round < 5 ? 0 : (int32_t)brRandom_Below(&random, (uint64_t)def.targetTets);
		def.allowBroken = true;
		brTetMesh* tets = NULL;
		brMesh* boundary = NULL;
		brReport report = {0};
		brResult result = brMakeTetMesh(NULL, surface, &def, &tets, NULL, &report);
		if (result >= 0)
		{
			brMeshCheck check;
			brMeshCheckDef checkDef = brDefaultMeshCheckDef();
			brTetFaults faults;
			CHECK_RESULT(brTetMesh_FindFaults(tets, NULL, &faults, &report), &report);
			CHECK_MESSAGE(faults.stats.minDihedral > 0.0 && faults.stats.unusedNodes == 0, "%s", faults.text);
			CHECK_RESULT(brTetMesh_MakeSurface(tets, NULL, &boundary, &report), &report);
			CHECK_RESULT(brMesh_Check(boundary, NULL, &checkDef, &check, &report), &report);
			CHECK_MESSAGE(check.isSolid, "%s of %d tets: %s", cases[round % 5].model, tets->tetCount, check.verdict);
			brDestroyMesh(boundary);
			brDestroyTetMesh(tets);
		}
		brDestroyMesh(surface);
	}
}

// Larger than volumes can be told; the search for a lattice did not end.
BR_TEST(tets_refuse_surfaces_without_measure)
{
	brMesh* ball = brShape_Sphere(1);
	for (int32_t i = 0; i < ball->vertexCount; ++i)
	{
		ball->positions[i] = brDMul(1e300, ball->positions[i]);
	}
	brTetDef def = brDefaultTetDef();
	for (int32_t embed = 0; embed < 2; ++embed)
	{
		def.embed = embed == 1;
		brTetMesh* tets = NULL;
		brReport report = {0};
		CHECK_EQUAL(brMakeTetMesh(NULL, ball, &def, &tets, NULL, &report), br_errorGeometry);
		CHECK(strstr(report.text, "farther than") != NULL);
	}
	brDestroyMesh(ball);
}

// The best of several lattices need not be the last: its shares must be its own. An open sheet with a dent, of which
// few lattices hold anything.
BR_TEST(tets_embedded_have_a_share_each)
{
	const brDVec3 places[16] = {
		{0, 0, 0},
		{0.333333, 0, 0},
		{0.666667, 0, 0},
		{1, 0, 0},
		{0, 0.333333, 0.333333},
		{0.333333, 0.333333, 0.333333},
		{0.670394, 0.279285, 0.333333},
		{1, 0.333333, 0.333333},
		{0, 0.666667, 0.666667},
		{0.333333, 0.666667, 0.666667},
		{0.666667, 0.666667, 0.666667},
		{1, 0.666667, 0.666667},
		{0, 1, 1},
		{0.377961, 1.08385, 1},
		{0.735637, 1.01488, 0.948966},
		{0.963486, 1.09061, 1},
	};
	int32_t corners[54], count = 0;
	for (int32_t x = 0; x < 3; ++x)
	{
		for (int32_t y = 0; y < 3; ++y)
		{
			int32_t at = 4 * y + x, quad[6] = {at, at + 1, at + 4, at + 1, at + 5, at + 4};
			memcpy(corners + count, quad, sizeof(quad));
			count += 6;
		}
	}
	brMesh* sheet = brShape_Make(places, 16, corners, NULL, 18);
	brTetDef def = brDefaultTetDef();
	def.targetTets = 137;
	def.embed = true;
	brTetMesh* tets = NULL;
	brTetInfo info = {0};
	brReport report = {0};
	CHECK_RESULT(brMakeTetMesh(NULL, sheet, &def, &tets, &info, &report), &report);
	CHECK_EQUAL(info.fillCount, tets->tetCount);
	double volume = 0.0;
	for (int32_t t = 0; t < tets->tetCount; ++t)
	{
		const int32_t* n = tets->tets[t];
		brDVec3 a = tets->nodes[n[0]], b = brDSub(tets->nodes[n[1]], a), c = brDSub(tets->nodes[n[2]], a);
		volume += info.fills[t] / 6.0 * brDDot(brDCross(b, c), brDSub(tets->nodes[n[3]], a));
	}
	CHECK_NEAR(info.volume, volume, 1e-12);
	brFreeTetInfo(&info);
	brDestroyTetMesh(tets);
	brDestroyMesh(sheet);
}
