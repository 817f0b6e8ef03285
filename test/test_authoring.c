// SPDX-License-Identifier: MIT

// What is authored before anything breaks: splinters, cut-outs, hulls, modes, maps of strength and stiffness, levels of
// clusters.

#include "brittle/brittle.h"
#include "brittle/research.h"
#include "harness.h"
#include "index/pairs.h"
#include "shapes.h"
#include "world_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Pieces are closed, hold together without gaps and have the model's volume.
static void authorCheckPieces(const brShatter* shatter, double volume, double density)
{
	double sum = 0.0;
	for (int32_t i = 0; i < shatter->pieceCount; ++i)
	{
		const brPiece* piece = &shatter->pieces[i];
		brMeshCheck check;
		brMeshCheckDef def = brDefaultMeshCheckDef();
		def.findSelfIntersections = false;
		CHECK_RESULT(brMesh_Check(piece->mesh, NULL, &def, &check, NULL), NULL);
		CHECK_MESSAGE(check.isClosed, "piece %d is open", i);
		double own = brMesh_ComputeMass(piece->mesh, 1.0).volume;
		CHECK_NEAR(piece->mass.mass, density * own, 1e-9 * density * volume);
		sum += own;
	}
	CHECK_NEAR(sum, volume, 1e-10 * volume);
}

BR_TEST(author_splinters_lie_along_any_direction)
{
	brMesh* box = brShape_Box(1.0, 0.7, 0.4);
	brSiteDef sites = brDefaultSiteDef();
	sites.count = 80;
	brDVec3 points[80], along = brDNormalize(brMakeDVec3(1.0, 2.0, 0.5));
	brShatterDef def = brDefaultShatterDef();
	def.sites = points, def.density = 2.0;
	CHECK_RESULT(brMakeSites(NULL, box, &sites, points, &def.siteCount, NULL), NULL);
	def.stretch = brMakeDVec3(16.0, 1.0, 1.0), def.along = along;
	brReport report = {0};
	brShatter* shatter = BR_MADE(brShatter, brCreateShatter, NULL, box, &def);
	authorCheckPieces(shatter, 0.28, 2.0);
	// Bonds of splinters face sideways: their normals lie across the direction, nearly all.
	double across = 0.0, all = 0.0;
	for (int32_t i = 0; i < shatter->bondCount; ++i)
	{
		across += shatter->bonds[i].area * fabs(brDDot(shatter->bonds[i].normal, along));
		all += shatter->bonds[i].area;
	}
	CHECK_MESSAGE(across < 0.15 * all, "%g of the cut faces looks along the splinters", across / all);
	// Corners of the model have their own bits.
	for (int32_t k = 0; k < box->vertexCount; ++k)
	{
		bool isThere = false;
		for (int32_t i = 0; i < shatter->pieceCount; ++i)
		{
			const brMesh* mesh = shatter->pieces[i].mesh;
			for (int32_t v = 0; v < mesh->vertexCount; ++v)
			{
				isThere = isThere || memcmp(&mesh->positions[v], &box->positions[k], sizeof(brDVec3)) == 0;
			}
		}
		CHECK_MESSAGE(isThere, "corner %d of the model has moved", k);
	}
	brDestroyShatter(shatter);
	def.along = brMakeDVec3(0.0, 0.0, 0.0);
	CHECK(brCreateShatter(NULL, box, &def, &shatter, &report) == br_errorMisuse);
	brDestroyMesh(box);
}

static brResult authorHulls(const brContext* context, void* mesh)
{
	brConvexParts* parts = NULL;
	brResult result = brCreateConvexParts(context, mesh, NULL, &parts, NULL);
	brDestroyConvexParts(parts);
	return result;
}

BR_TEST(author_hulls_fit_what_they_stand_for)
{
	struct
	{
		brMesh* mesh;
		int32_t most; // hulls that are needed
		double error; // that is left
	} cases[4] = {{brShape_Box(1.0, 2.0, 3.0), 1, 1e-12},
				  {brShape_LPrism(), 2, 1e-12},
				  {brShape_Torus(24, 12, 1.0, 0.3), 16, 0.2},
				  {brShape_Sphere(3), 1, 0.0}};
	for (int32_t i = 0; i < 4; ++i)
	{
		brConvexDef def = brDefaultConvexDef();
		brConvexParts* parts = BR_MADE(brConvexParts, brCreateConvexParts, NULL, cases[i].mesh, &def);
		CHECK_MESSAGE(parts->count <= cases[i].most && parts->error <= cases[i].error, "shape %d: %d hulls, error %g",
					  i, parts->count, parts->error);
		CHECK_NEAR(parts->volume, brMesh_ComputeMass(cases[i].mesh, 1.0).volume, 1e-9);
		// Nothing of the solid is outside of all hulls.
		for (int32_t v = 0; v < cases[i].mesh->vertexCount; ++v)
		{
			double nearest = INFINITY;
			for (int32_t k = 0; k < parts->count; ++k)
			{
				const brMesh* hull = parts->hulls[k];
				double farthest = -INFINITY;
				for (int32_t f = 0; f < hull->faceCount; ++f)
				{
					const int32_t* c = hull->corners + hull->faceStarts[f];
					brDVec3 a = hull->positions[c[0]], n = {0.0, 0.0, 0.0};
					for (int32_t j = 2; j < hull->faceStarts[f + 1] - hull->faceStarts[f]; ++j)
					{
						brDVec3 u = brDSub(hull->positions[c[j - 1]], a), w = brDSub(hull->positions[c[j]], a);
						n = brDAdd(n, brDCross(u, w));
					}
					n = brDNormalize(n);
					farthest = fmax(farthest, brDDot(n, brDSub(cases[i].mesh->positions[v], a)));
				}
				nearest = fmin(nearest, farthest);
			}
			CHECK_MESSAGE(nearest < parts->outside + 1e-5, "shape %d: vertex %d is %g outside of %d hulls, not %g", i,
						  v, nearest, parts->count, parts->outside);
		}
		brDestroyConvexParts(parts);
	}
	CHECK(brTest_WalkAllocations(authorHulls, cases[1].mesh) > 5);
	for (int32_t i = 0; i < 4; ++i)
	{
		brDestroyMesh(cases[i].mesh);
	}
}

enum
{
	authorPixels = 64
};

// Dark lines on white: a cross, and a ring round its middle if `hasRing`.
static brScalarMap* authorPicture(bool hasRing)
{
	static float values[authorPixels * authorPixels];
	for (int32_t i = 0; i < authorPixels * authorPixels; ++i)
	{
		int32_t x = i % authorPixels, y = i / authorPixels, half = authorPixels / 2;
		double radius = sqrt((double)((x - half) * (x - half) + (y - half) * (y - half)));
		bool isDark = x == half || y == half || (hasRing && fabs(radius - 16.0) < 1.0);
		values[i] = isDark ? 0.0f : 1.0f;
	}
	return BR_MADE(brScalarMap, brCreateScalarMap, NULL, (const int32_t[3]){authorPixels, 1, authorPixels}, values);
}

static brResult authorCut(const brContext* context, void* user)
{
	brShatter* shatter = NULL;
	const void* const* both = user;
	brCutoutDef def = brDefaultCutoutDef();
	def.picture = both[1];
	brResult result = brCreateCutout(context, both[0], &def, &shatter, NULL);
	brDestroyShatter(shatter);
	return result;
}

BR_TEST(author_cutout_has_a_piece_for_each_region)
{
	brMesh* box = brShape_Box(1.0, 1.0, 0.2);
	for (int32_t ring = 0; ring < 2; ++ring)
	{
		brScalarMap* picture = authorPicture(ring == 1);
		brCutoutDef def = brDefaultCutoutDef();
		def.picture = picture, def.density = 3.0;
		brShatter* shatter = BR_MADE(brShatter, brCreateCutout, NULL, box, &def);
		CHECK_EQUAL(shatter->pieceCount, ring == 1 ? 8 : 4);
		authorCheckPieces(shatter, 0.2, 3.0);
		CHECK_MESSAGE(shatter->bondCount >= (ring == 1 ? 12 : 4), "%d bonds", shatter->bondCount);
		if (ring == 1)
		{
			// Of the eight, four are quarters of a disk of a quarter of the width.
			int32_t inner = 0;
			for (int32_t i = 0; i < 8; ++i)
			{
				inner += fabs(shatter->pieces[i].mass.volume - 0.2 * 3.14159 / 4.0 / 16.0) < 0.002; // a pixel off
			}
			CHECK_EQUAL(inner, 4);
		}
		brDestroyShatter(shatter);
		if (ring == 0)
		{
			const void* both[2] = {box, picture};
			CHECK(brTest_WalkAllocations(authorCut, both) > 5);
		}
		brDestroyScalarMap(picture);
	}
	brDestroyMesh(box);
}

// Two blocks and a thin bar between them, along x; the bar's section is 0.1 by 0.1.
static brMesh* authorDumbbell(void)
{
	brMesh* parts[3] = {brShape_Box(1.0, 1.0, 1.0), brShape_Box(1.0, 1.0, 1.0), brShape_Box(1.4, 0.1, 0.1)};
	brAffine map = brMakeAffineIdentity();
	map.p = brMakeDVec3(2.0, 0.0, 0.0);
	brMesh_Transform(parts[1], &map);
	map.p = brMakeDVec3(0.8, 0.45, 0.45);
	brMesh_Transform(parts[2], &map);
	brMesh* mesh = BR_MADE(brMesh, brUniteMeshes, NULL, (const brMesh* const*)parts, 3);
	for (int32_t i = 0; i < 3; ++i)
	{
		brDestroyMesh(parts[i]);
	}
	return mesh;
}

static brResult authorModes(const brContext* context, void* mesh)
{
	brModalDef def = brDefaultModalDef();
	def.cells = 12, def.modes = 3;
	brModes* modes = NULL;
	brShatter* shatter = NULL;
	brModalBlow blow = brDefaultModalBlow();
	blow.force = brMakeDVec3(0.0, 0.0, -1.0), blow.mustBreak = true;
	brResult result = brCreateModes(context, mesh, &def, &modes, NULL);
	result = result < 0 ? result : brModes_Break(modes, context, &blow, &shatter, NULL);
	brDestroyShatter(shatter);
	brDestroyModes(modes);
	return result;
}

BR_TEST(author_modes_find_the_neck_and_blows_break_it)
{
	brMesh* mesh = authorDumbbell();
	double volume = brMesh_ComputeMass(mesh, 1.0).volume;
	brModalDef def = brDefaultModalDef();
	def.cells = 300, def.modes = 12;
	brReport report = {0};
	brModes* modes = BR_MADE(brModes, brCreateModes, NULL, mesh, &def);
	brMode first = brModes_Get(modes, 0);
	CHECK_MESSAGE(first.area < 0.03 && fabs(first.share - 0.5) < 0.02 && fabs(first.normal.x) > 0.8,
				  "the first mode cuts %g m^2 and parts %g of the volume", first.area, first.share);
	// A force along z at the end of one block bends the neck as a beam: half of the mass hangs on it.
	brModalBlow blow = brDefaultModalBlow();
	blow.point = brMakeDVec3(3.0, 0.5, 1.0), blow.force = brMakeDVec3(0.0, 0.0, -100.0);
	double ratio = brModes_GetRatio(modes, &blow);
	blow.force.z = -200.0;
	CHECK_NEAR(brModes_GetRatio(modes, &blow), 2.0 * ratio, 1e-9 * ratio);
	brShatter* shatter = NULL;
	blow.force.z = -100.0 * 0.99 / ratio;
	CHECK_RESULT(brModes_Break(modes, NULL, &blow, &shatter, &report), &report);
	CHECK_EQUAL(shatter->pieceCount, 1);
	brDestroyShatter(shatter);
	blow.force.z = -100.0 * 1.01 / ratio;
	CHECK_RESULT(brModes_Break(modes, NULL, &blow, &shatter, &report), &report);
	CHECK_EQUAL(shatter->pieceCount, 2);
	authorCheckPieces(shatter, volume, def.material.density);
	for (int32_t i = 0; i < 2; ++i)
	{
		CHECK_MESSAGE(shatter->pieces[i].mass.volume > 0.45 * volume, "a piece has %g of %g m^3",
					  shatter->pieces[i].mass.volume, volume);
	}
	brDestroyShatter(shatter);
	// Harder blows part no less, and energy is a limit.
	int32_t before = 2;
	for (int32_t k = 1; k < 8; k *= 2)
	{
		blow.force.z = -100.0 * k * 10.0 / ratio;
		CHECK_RESULT(brModes_Break(modes, NULL, &blow, &shatter, &report), &report);
		CHECK(shatter->pieceCount >= before);
		before = shatter->pieceCount;
		brDestroyShatter(shatter);
	}
	blow.energy = 0.0;
	CHECK_RESULT(brModes_Break(modes, NULL, &blow, &shatter, &report), &report);
	CHECK_EQUAL(shatter->pieceCount, 1);
	brDestroyShatter(shatter);
	brDestroyModes(modes);
	CHECK(brTest_WalkSpareAllocations(authorModes, mesh) > 5);
	brDestroyMesh(mesh);
}

// A map of one value, or weak where x is small.
static brScalarMap* authorMap(float low, float high)
{
	const float values[2] = {low, high};
	return BR_MADE(brScalarMap, brCreateScalarMap, NULL, (const int32_t[3]){2, 1, 1}, values);
}

// A pane that a ball falls on, in a world that is saved and restored half way if asked for. Returns the pieces.
static int32_t authorFall(const brScalarMap* map, brBreakMethod method, bool isRestored, double* outStrength,
						  uint64_t* outHash)
{
	brMesh* pane = brShape_Box(0.4, 0.4, 0.02);
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Ground(world);
	brBreakDef def = brDefaultBreakDef();
	def.mesh = pane, def.method = method, def.strengthMap = map, def.pieces = 40, def.generations = 1;
	def.grain = method == br_breakCrack ? 1e-3 : 0.0;
	brBodyDef body = brDefaultBodyDef();
	body.pose.p.z = 0.03, body.velocity.z = -6.0;
	body.pose.q = brMakeQuatAxisAngle(brMakeDVec3(0.3, 1.0, 0.0), 0.2);
	body.pose.p.z = 0.15;
	brReport report = {0};
	brBodyId id = brWorld_CreateBreakable(world, &body, &def, &report);
	CHECK_MESSAGE(id.index1 != 0, "%s", report.text);
	*outStrength = brWorld_GetStrength(world, id);
	for (int32_t i = 0; i < 6; ++i)
	{
		CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, &report), &report);
		if (i == 0 && isRestored)
		{
			size_t bytes = brWorld_Save(world, NULL, 0);
			void* state = malloc(bytes);
			CHECK(brWorld_Save(world, state, bytes) == bytes);
			brDestroyWorld(world);
			world = NULL;
			CHECK_RESULT(brRestoreWorld(NULL, state, bytes, &world, &report), &report);
			free(state);
		}
	}
	*outHash = brWorld_ComputeHash(world);
	int32_t count = brWorld_GetBodyCount(world) - 1;
	brDestroyWorld(world);
	brDestroyMesh(pane);
	return count;
}

BR_TEST(author_strength_maps_weaken_worlds_and_outlive_a_snapshot)
{
	brScalarMap *strong = authorMap(1.0f, 1.0f), *weak = authorMap(0.0f, 0.0f), *half = authorMap(0.0f, 1.0f);
	half->box = (brDBox3){{0.0, 0.0, 0.0}, {0.4, 1.0, 1.0}};
	double plain, same, low, between;
	uint64_t hashes[5];
	authorFall(NULL, br_breakShatter, false, &plain, &hashes[0]);
	authorFall(strong, br_breakShatter, false, &same, &hashes[1]);
	CHECK(authorFall(weak, br_breakShatter, false, &low, &hashes[2]) > 1);
	CHECK_NEAR(same, plain, 1e-12 * plain);
	CHECK_NEAR(low, 0.2 * plain, 1e-9 * plain);
	CHECK(hashes[2] != hashes[0]);
	for (int32_t k = 0; k < 3; ++k)
	{
		brBreakMethod method = (brBreakMethod)(br_breakShatter + k);
		CHECK(authorFall(half, method, false, &between, &hashes[3]) > 1);
		authorFall(half, method, true, &between, &hashes[4]);
		CHECK(between > low && between < 0.8 * plain);
		CHECK(hashes[3] == hashes[4]);
	}
	brDestroyScalarMap(strong);
	brDestroyScalarMap(weak);
	brDestroyScalarMap(half);
}

static double authorSoft(brDVec3 point, void* user)
{
	(void)point;
	return *(const double*)user;
}

// A bar that is pulled gives way in proportion to what the map takes from its stiffness, and K by either way grows the
// crack.
BR_TEST(author_stiffness_maps_soften_cracking_bodies)
{
	brMesh* bar = brShape_Box(0.2, 0.05, 0.05);
	const brCrackSupport support = {.box = {{-1.0, -1.0, -1.0}, {1e-6, 1.0, 1.0}}, .axes = 7};
	const brCrackForce force = {.point = {0.2, 0.025, 0.025}, .force = {1e5, 0.0, 2e4}};
	double gives[2];
	for (int32_t i = 0; i < 3; ++i)
	{
		double factor = i == 1 ? 0.25 : 1.0;
		brCrackDef def = brDefaultCrackDef();
		def.tets = 1500, def.maxSteps = 3;
		def.supports = &support, def.supportCount = 1, def.forces = &force, def.forceCount = 1;
		def.stiffness = i == 1 ? authorSoft : NULL, def.stiffnessUser = &factor;
		def.intensity = i == 2 ? br_intensityCorrelation : br_intensityIntegral;
		brCracks* cracks = BR_MADE(brCracks, brCreateCracks, NULL, bar, &def);
		CHECK(cracks->stepCount > 0 && cracks->crackCount > 0);
		if (i < 2)
		{
			gives[i] = cracks->steps[0].displacement / cracks->steps[0].force;
		}
		brDestroyCracks(cracks);
	}
	CHECK_NEAR(gives[1] / gives[0], 4.0, 0.01);
	brDestroyMesh(bar);
}

// How many bodies a hard hit leaves of a block of 120 pieces, and the fewest pieces that hang together in one.
static int32_t authorHit(int32_t clusterSize, double levelStrength, int32_t* outFewest)
{
	brMesh* block = brShape_Box(0.5, 0.5, 0.5);
	brWorld* world = brScene_World(NULL, NULL);
	brClusterDef def = brDefaultClusterDef();
	def.breaking.mesh = block, def.breaking.pieces = 120;
	def.breaking.material = *brFindMaterial("plaster");
	def.bondStrength = 0.1, def.clusterSize = clusterSize, def.levelStrength = levelStrength, def.levelCount = 1;
	brBodyDef body = brDefaultBodyDef();
	brReport report = {0};
	CHECK_MESSAGE(brWorld_CreateCluster(world, &body, &def, &report).index1 != 0, "%s", report.text);
	brShapeDef ball = brDefaultShapeDef(br_shapeSphere);
	ball.radius = 0.1;
	brShape* shape = BR_MADE(brShape, brCreateShape, NULL, &ball);
	body.shape = shape, body.density = 8000.0;
	body.pose.p = brMakeDVec3(0.25, 0.25, 0.62), body.velocity = brMakeDVec3(0.0, 0.0, -30.0);
	brWorld_CreateBody(world, &body, NULL);
	for (int32_t i = 0; i < 6; ++i)
	{
		CHECK_RESULT(brWorld_Step(world, 1.0 / 120.0, &report), &report);
	}
	int32_t count = brWorld_GetBodyCount(world);
	brBodyState* states = malloc((size_t)count * sizeof(brBodyState));
	brWorld_GetStates(world, states, count);
	*outFewest = INT32_MAX;
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t pieces = brWorld_GetClusterPieceCount(world, states[i].id);
		bool isPiece = brWorld_GetMesh(world, states[i].id) != NULL;
		*outFewest = isPiece && pieces < *outFewest ? pieces : *outFewest;
	}
	free(states);
	brDestroyWorld(world);
	brDestroyShape(shape);
	brDestroyMesh(block);
	return count;
}

BR_TEST(author_clusters_part_at_their_levels_first)
{
	int32_t fewest;
	int32_t loose = authorHit(0, 2.0, &fewest);
	CHECK_MESSAGE(loose > 4 && fewest <= 1, "%d bodies, the smallest of %d pieces", loose, fewest);
	int32_t firm = authorHit(12, 1e6, &fewest);
	CHECK_MESSAGE(firm > 2 && fewest > 1, "%d bodies, the smallest of %d pieces; %d without levels", firm, fewest,
				  loose);
}

static void authorDone(brWorld* world, brResult result, void* user)
{
	int32_t count;
	brWorld_GetBreakEvents(world, &count);
	int32_t* sums = user;
	sums[0] += result >= 0;
	sums[1] += count;
}

// Steps beside the caller's thread have the bits of others, and tell of breaks from there.
BR_TEST(author_steps_on_a_thread_of_their_own)
{
	brMesh* pane = brShape_Box(0.4, 0.4, 0.01);
	uint64_t hashes[2];
	int32_t sums[2] = {0, 0}, breaks = 0;
	for (int32_t isBeside = 0; isBeside < 2; ++isBeside)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brScene_Ground(world);
		brBreakDef def = brDefaultBreakDef();
		def.mesh = pane;
		brBodyDef body = brDefaultBodyDef();
		body.pose.p.z = 0.1, body.velocity.z = -5.0;
		body.pose.q = brMakeQuatAxisAngle(brMakeDVec3(0.3, 1.0, 0.0), 0.2);
		brReport report = {0};
		brWorld_CreateBreakable(world, &body, &def, &report);
		for (int32_t i = 0; i < 8; ++i)
		{
			if (isBeside == 0)
			{
				int32_t count;
				CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, &report), &report);
				brWorld_GetBreakEvents(world, &count);
				breaks += count;
				continue;
			}
			CHECK_RESULT(brWorld_StartStep(world, 1.0 / 60.0, authorDone, sums, &report), &report);
			CHECK(brWorld_StartStep(world, 1.0 / 60.0, NULL, NULL, &report) == br_errorMisuse);
			CHECK_RESULT(brWorld_EndStep(world, &report), &report);
		}
		CHECK(brWorld_EndStep(world, &report) == br_errorMisuse);
		hashes[isBeside] = brWorld_ComputeHash(world);
		brDestroyWorld(world);
	}
	CHECK(hashes[0] == hashes[1]);
	CHECK_EQUAL(sums[0], 8);
	CHECK_EQUAL(sums[1], breaks);
	CHECK(breaks > 0);
	// A world that goes while it steps waits for the step.
	brWorld* world = brScene_World(NULL, NULL);
	CHECK_RESULT(brWorld_StartStep(world, 1.0 / 60.0, NULL, NULL, NULL), NULL);
	brDestroyWorld(world);
	brDestroyMesh(pane);
}

BR_TEST(author_traversals_find_the_same_pairs_with_any_settings)
{
	brMesh* meshes[2] = {brShape_Sphere(3), brShape_Torus(20, 10, 1.0, 0.3)};
	int64_t expected = -1;
	for (int32_t entry = -1; entry < 9; entry += 3)
	{
		for (int32_t step = 0; step <= 4; ++step)
		{
			brBspDef bsp = brDefaultBspDef();
			bsp.entry = entry, bsp.depthStep = step;
			brPairEngine* engine = BR_MADE(brPairEngine, brCreateBspEngine, NULL, &bsp);
			brCollideDef def = brDefaultCollideDef();
			def.engine = engine, def.enableSelf = true;
			brCollision* collision = BR_MADE(brCollision, brCollideMeshes, NULL, (const brMesh* const*)meshes, 2, &def);
			expected = expected < 0 ? collision->candidateCount : expected;
			CHECK_EQUAL(collision->candidateCount, expected);
			brDestroyCollision(collision);
			brDestroyEngine(NULL, engine);
		}
	}
	CHECK(expected > 0);
	brBspDef bsp = brDefaultBspDef();
	brPairEngine* engine = NULL;
	bsp.depthStep = 5;
	CHECK(brCreateBspEngine(NULL, &bsp, &engine, NULL) == br_errorMisuse);
	// Step 0: writers times 4^step pairs fit the queue, and no larger step's do.
	static const int32_t rules[][3] = {{512, 0, 3}, {512, 1, 4}, {512, 16, 2}, {256, 4, 3}, {64, 2, 2}, {4, 1, 1}};
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); ++i)
	{
		bsp = brDefaultBspDef();
		bsp.depthStep = 0, bsp.queue = rules[i][0], bsp.writers = rules[i][1];
		CHECK_RESULT(brCreateBspEngine(NULL, &bsp, &engine, NULL), NULL);
		CHECK_EQUAL(engine->bsp.depthStep, rules[i][2]);
		brDestroyEngine(NULL, engine);
	}
	brDestroyMesh(meshes[0]);
	brDestroyMesh(meshes[1]);
}
