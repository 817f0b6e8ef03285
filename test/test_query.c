// SPDX-License-Identifier: MIT

// Rays, overlaps, the nearest body and contact points: each against another way to the same answer.

#include "base/os.h"
#include "brittle/brittle.h"
#include "harness.h"
#include "shapes.h"
#include "world/world_state.h"
#include "world_scenes.h"

#include <math.h>
#include <string.h>

static brShape* queryMeshShape(brShapeKind kind, const brMesh* mesh)
{
	brShapeDef def = brDefaultShapeDef(kind);
	def.mesh = mesh, def.keepMesh = true;
	return BR_MADE(brShape, brCreateShape, NULL, &def);
}

static brShape* queryHull(brRandom* random)
{
	brDVec3 points[12];
	for (int i = 0; i < 12; ++i)
	{
		points[i] = brMakeDVec3(brRandom_Range(random, -0.5, 0.5), brRandom_Range(random, -0.5, 0.5),
								brRandom_Range(random, -0.5, 0.5));
	}
	brShapeDef def = brDefaultShapeDef(br_shapeHull);
	def.points = points, def.pointCount = 12;
	return BR_MADE(brShape, brCreateShape, NULL, &def);
}

static brQuat queryTurn(brRandom* random)
{
	brDVec3 axis = {brRandom_Range(random, -1, 1), brRandom_Range(random, -1, 1), brRandom_Range(random, -1, 1)};
	axis = brDLength(axis) > 0.1 ? brDNormalize(axis) : brMakeDVec3(0.0, 0.0, 1.0);
	return brMakeQuatAxisAngle(axis, brRandom_Range(random, 0.0, 6.0));
}

static brDVec3 queryPlace(brRandom* random, double size)
{
	return brMakeDVec3(brRandom_Range(random, -size, size), brRandom_Range(random, -size, size),
					   brRandom_Range(random, 0.2, size));
}

// One of each kind over the ground, far from the origin now and then.
static brWorld* queryWorld(brRandom* random, brDVec3 origin, brBodyId* outTorus, brMesh** outTorusMesh)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = brScene_World(NULL, &worldDef);
	brScene_Ground(world);
	*outTorusMesh = brShape_Torus(24, 12, 0.4, 0.15);
	brShape* shapes[] = {brScene_Sphere(0.3), brScene_Capsule(0.2, 0.4), brScene_Box(0.5, 0.3, 0.7), queryHull(random),
						 queryMeshShape(br_shapeMesh, *outTorusMesh)};
	for (int i = 0; i < 5; ++i)
	{
		for (int copy = 0; copy < 3; ++copy)
		{
			brBodyDef def = brDefaultBodyDef();
			def.shape = shapes[i];
			def.pose = (brTransform){brDAdd(origin, queryPlace(random, 2.0)), queryTurn(random)};
			def.userData = (uint64_t)i;
			brBodyId id = brWorld_CreateBody(world, &def, NULL);
			CHECK(id.index1 != 0);
			*outTorus = id;
		}
		brDestroyShape(shapes[i]);
	}
	return world;
}

BR_TEST(query_rays_stop_where_the_nearest_body_is_at_nothing)
{
	brRandom random = brTest_Random(test);
	int32_t hits = 0, misses = 0, kinds[6] = {0};
	for (int32_t round = 0; round < brTest_Rounds(test, 60); ++round)
	{
		brDVec3 origin = {round % 4 == 0 ? 3e4 : 0.0, 0.0, 0.0};
		brBodyId torus;
		brMesh* mesh;
		brWorld* world = queryWorld(&random, origin, &torus, &mesh);
		for (int32_t i = 0; i < 20; ++i)
		{
			brDVec3 from = brDAdd(origin, queryPlace(&random, 3.0)), to = brDAdd(origin, queryPlace(&random, 3.0));
			to.z -= i % 3 == 0 ? 3.0 : 0.0;
			brDVec3 way = brDSub(to, from);
			double length = brDLength(way);
			brRayHit hit;
			brNearestBody nearest;
			bool isHit = brWorld_CastRay(world, from, way, length, NULL, &hit);
			// All of the way up to there is free.
			double free = isHit ? hit.distance : length;
			for (int32_t k = 0; k < 30 && free > 0.0; ++k)
			{
				brDVec3 p = brDMulAdd(from, free / length * (k / 30.0 - (isHit ? 1e-3 : 0.0)), way);
				if (k > 0 && brWorld_FindNearest(world, p, 10.0, NULL, &nearest))
				{
					CHECK_MESSAGE(nearest.distance > -2e-4, "free at %g of %g, but %g m inside body %d",
								  free * k / 30.0, free, -nearest.distance, nearest.body.index1);
				}
			}
			if (!isHit)
			{
				misses += 1;
				continue;
			}
			hits += 1;
			uint64_t kind = brWorld_GetUserData(world, hit.body);
			kinds[hit.body.index1 == 1 ? 5 : kind] += 1;
			CHECK(hit.distance == 0.0 || brDDot(hit.normal, way) <= 0.0);
			CHECK_NEAR(brDLength(hit.normal), 1.0, 1e-5);
			CHECK_NEAR(brDDistance(hit.point, from), hit.distance, 1e-9);
			CHECK(brWorld_FindNearest(world, hit.point, 10.0, NULL, &nearest));
			CHECK_MESSAGE(hit.distance == 0.0 ? nearest.distance <= 2e-4 : fabs(nearest.distance) < 2e-4,
						  "the hit of kind %d is %g m from anything", (int)kind, nearest.distance);
			brDBox3 box = brWorld_GetBounds(world, hit.body);
			CHECK(hit.body.index1 == 1 || (hit.point.x >= box.lower.x - 1e-4 && hit.point.x <= box.upper.x + 1e-4 &&
										   hit.point.z >= box.lower.z - 1e-4 && hit.point.z <= box.upper.z + 1e-4));
		}
		brDestroyMesh(mesh);
		brDestroyWorld(world);
	}
	CHECK(hits > 0 && misses > 0);
	for (int i = 0; i < 6; ++i)
	{
		CHECK_MESSAGE(test->intensity < 1.0 || kinds[i] > 0, "kind %d was never hit", i);
	}
}

BR_TEST(query_rays_meet_meshes_where_the_surface_tree_says)
{
	brRandom random = brTest_Random(test);
	brDVec3 origin = {0.0, 0.0, 5.0};
	brBodyId torus;
	brMesh* mesh;
	brWorld* world = queryWorld(&random, origin, &torus, &mesh);
	brTransform pose = brWorld_GetPose(world, torus);
	brMesh_Transform(mesh, &(brAffine){brMakeMat3FromQuat(pose.q), pose.p});
	brSurfaceTree* tree = BR_MADE(brSurfaceTree, brCreateSurfaceTree, NULL, mesh);
	int32_t ids = brWorld_GetBodyCount(world);
	brBodyId all[32];
	brWorld_GetBodies(world, all, 32);
	for (int32_t i = 0; i < ids; ++i)
	{
		if (all[i].index1 != torus.index1)
		{
			brWorld_DestroyBody(world, all[i]);
		}
	}
	int32_t hits = 0;
	for (int32_t i = 0; i < 500; ++i)
	{
		brDVec3 from = brDAdd(pose.p, brDMul(3.0, brDNormalize(brMakeDVec3(brRandom_Range(&random, -1, 1),
																		   brRandom_Range(&random, -1, 1), 0.7))));
		// Through a corner of the mesh every third time: nothing slips between its triangles.
		brDVec3 to = i % 3 == 0 ? mesh->positions[i % mesh->vertexCount]
								: brDAdd(pose.p, brMakeDVec3(brRandom_Range(&random, -0.6, 0.6),
															 brRandom_Range(&random, -0.6, 0.6), 0.0));
		brDVec3 way = brDNormalize(brDSub(to, from));
		double truth = brSurfaceTree_CastRay(tree, from, way, 100.0, NULL);
		brRayHit hit = {.distance = INFINITY};
		bool isHit = brWorld_CastRay(world, from, way, 100.0, NULL, &hit);
		// At a silhouette the two may decide differently; inside they may not.
		double inner = brSurfaceTree_CastRay(tree, brDMulAdd(from, 1e-4, brMakeDVec3(0.3, 0.5, 0.1)), way, 100.0, NULL);
		if (isfinite(truth) && fabs(truth - inner) < 1e-2)
		{
			CHECK(isHit);
			CHECK_NEAR(hit.distance, truth, 2e-4);
		}
		hits += isHit;
	}
	CHECK(hits > 100);
	brDestroySurfaceTree(tree);
	brDestroyMesh(mesh);
	brDestroyWorld(world);
}

static bool acceptOthers(const brWorld* world, brBodyId id, void* user)
{
	CHECK(brWorld_IsBody(world, id));
	return id.index1 != ((const brBodyId*)user)->index1;
}

BR_TEST(query_balls_overlap_what_is_nearer_than_their_radius)
{
	brRandom random = brTest_Random(test);
	int32_t found = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 40); ++round)
	{
		brBodyId torus;
		brMesh* mesh;
		brWorld* world = queryWorld(&random, brMakeDVec3(0.0, 0.0, 0.0), &torus, &mesh);
		for (int32_t i = 0; i < 10; ++i)
		{
			double radius = brRandom_Range(&random, 0.05, 0.8);
			brShape* ball = brScene_Sphere(radius);
			brTransform pose = {queryPlace(&random, 2.0), queryTurn(&random)};
			brBodyId ids[32];
			int32_t count = brWorld_FindOverlaps(world, ball, pose, NULL, ids, 32);
			CHECK_EQUAL(brWorld_FindOverlaps(world, ball, pose, NULL, NULL, 0), count);
			found += count;
			// One by one the nearest goes: the same bodies within the radius.
			brNearestBody nearest;
			for (int32_t k = 0; k < count; ++k)
			{
				CHECK(k == 0 || ids[k].index1 > ids[k - 1].index1);
				brQueryFilter without = {acceptOthers, &ids[k]};
				CHECK_EQUAL(brWorld_FindOverlaps(world, ball, pose, &without, NULL, 0), count - 1);
			}
			bool isNear = brWorld_FindNearest(world, pose.p, 10.0, NULL, &nearest);
			CHECK(isNear && (nearest.distance < radius + 1e-4) >= (count > 0));
			CHECK((nearest.distance > radius - 1e-4) >= (count == 0));
			brDestroyShape(ball);
		}
		brDestroyMesh(mesh);
		brDestroyWorld(world);
	}
	CHECK(found > 0);
}

BR_TEST(query_nearest_of_a_box_is_its_distance)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = brScene_World(NULL, &worldDef);
	brShape* box = brScene_Box(2.0, 2.0, 2.0); // from -1 to 1
	brBodyId id = brScene_Body(world, box, 0.0, 0.0, 0.0);
	brDestroyShape(box);
	brNearestBody nearest;
	CHECK(brWorld_FindNearest(world, brMakeDVec3(3.0, 0.5, 0.0), 5.0, NULL, &nearest) &&
		  nearest.body.index1 == id.index1);
	CHECK_NEAR(nearest.distance, 2.0, 1e-5);
	CHECK_NEAR(nearest.point.x, 1.0, 1e-5);
	CHECK_NEAR(nearest.normal.x, 1.0, 1e-5);
	CHECK(brWorld_FindNearest(world, brMakeDVec3(2.0, 2.0, 2.0), 5.0, NULL, &nearest));
	CHECK_NEAR(nearest.distance, sqrt(3.0), 1e-5);
	CHECK(brWorld_FindNearest(world, brMakeDVec3(0.9, 0.0, 0.0), 5.0, NULL, &nearest));
	CHECK_NEAR(nearest.distance, -0.1, 1e-5);
	CHECK_NEAR(nearest.point.x, 1.0, 1e-5);
	CHECK(!brWorld_FindNearest(world, brMakeDVec3(3.0, 0.0, 0.0), 1.9, NULL, &nearest));

	brRayHit hit;
	CHECK(brWorld_CastRay(world, brMakeDVec3(5.0, 0.2, 0.1), brMakeDVec3(-10.0, 0.0, 0.0), INFINITY, NULL, &hit));
	CHECK_NEAR(hit.distance, 4.0, 1e-6);
	CHECK_NEAR(hit.normal.x, 1.0, 1e-6);
	CHECK(!brWorld_CastRay(world, brMakeDVec3(5.0, 0.0, 0.0), brMakeDVec3(1.0, 0.0, 0.0), INFINITY, NULL, &hit));
	CHECK(!brWorld_CastRay(world, brMakeDVec3(5.0, 0.0, 0.0), brMakeDVec3(-1.0, 0.0, 0.0), 3.9, NULL, &hit));
	brQueryFilter without = {acceptOthers, &id};
	CHECK(!brWorld_CastRay(world, brMakeDVec3(5.0, 0.0, 0.0), brMakeDVec3(-1.0, 0.0, 0.0), 9.0, &without, &hit));
	CHECK(brWorld_CastRay(world, brMakeDVec3(0.5, 0.0, 0.0), brMakeDVec3(0.0, 3.0, 0.0), 9.0, NULL, &hit));
	CHECK(hit.distance == 0.0 && hit.normal.y == -1.0);

	// What makes no sense finds nothing.
	brDVec3 zero = {0.0, 0.0, 0.0}, bad = {NAN, 0.0, 0.0}, far = {1e200, 0.0, 0.0};
	CHECK(!brWorld_CastRay(world, zero, zero, 1.0, NULL, &hit) && !brWorld_CastRay(world, bad, far, 1.0, NULL, &hit));
	CHECK(!brWorld_CastRay(world, zero, bad, 1.0, NULL, &hit) && !brWorld_CastRay(world, far, far, NAN, NULL, &hit));
	CHECK(!brWorld_FindNearest(world, bad, 1.0, NULL, &nearest) &&
		  !brWorld_FindNearest(world, zero, NAN, NULL, &nearest));
	CHECK(!brWorld_FindNearest(world, far, INFINITY, NULL, &nearest) || nearest.distance > 1e190);
	brWorld_DestroyBody(world, id);
	CHECK(brWorld_GetBounds(world, id).lower.x > brWorld_GetBounds(world, id).upper.x);
	CHECK_EQUAL(brWorld_GetContactPlaces(world, id, NULL, 0), 0);
	brDestroyWorld(world);
}

BR_TEST(query_contact_places_carry_the_weight)
{
	brWorld* world = brScene_World(NULL, NULL);
	brBodyId ground = brScene_Ground(world);
	brShape* box = brScene_Box(1.0, 1.0, 1.0);
	brBodyId lower = brScene_Body(world, box, 0.0, 0.0, 0.5), upper = brScene_Body(world, box, 0.0, 0.0, 1.5);
	brDestroyShape(box);
	brScene_Run(world, 120);
	brContactPlace places[16];
	int32_t count = brWorld_GetContactPlaces(world, lower, places, 16);
	CHECK_EQUAL(count, 8);
	CHECK_EQUAL(brWorld_GetContactPlaces(world, upper, NULL, 0), 4);
	CHECK_EQUAL(brWorld_GetContactPlaces(world, (brBodyId){0, 0}, NULL, 0), 8);
	double onGround = 0.0, onLower = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		bool isGround = places[i].bodyA.index1 == ground.index1 || places[i].bodyB.index1 == ground.index1;
		CHECK_NEAR(places[i].point.z, isGround ? 0.0 : 1.0, 1e-2);
		CHECK_NEAR(fabs(places[i].normal.z), 1.0, 1e-4);
		CHECK_NEAR(fabs(places[i].point.x), 0.5, 1e-2);
		CHECK_NEAR(places[i].separation, 0.0, 1e-2);
		*(isGround ? &onGround : &onLower) += places[i].impulse;
	}
	double weight = brWorld_GetMass(world, upper) * 9.81 / 60.0;
	CHECK_NEAR(onLower, weight, 0.02 * weight);
	CHECK_NEAR(onGround, 2.0 * weight, 0.04 * weight);
	brDestroyWorld(world);
}

// A floor of triangles: hit from above, not from below.
BR_TEST(query_surfaces_have_a_front)
{
	const brDVec3 corners[4] = {{-5, -5, 0}, {5, -5, 0}, {5, 5, 0}, {-5, 5, 0}};
	const int32_t face[4] = {0, 1, 2, 3}, size[1] = {4};
	brMesh* sheet = brShape_Make(corners, 4, face, size, 1);
	brShape* shape = queryMeshShape(br_shapeSurface, sheet);
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = brScene_World(NULL, &worldDef);
	brBodyDef def = brDefaultBodyDef();
	def.kind = br_bodyStatic, def.shape = shape;
	CHECK(brWorld_CreateBody(world, &def, NULL).index1 != 0);
	brRayHit hit;
	for (int i = 0; i < 20; ++i)
	{
		double x = -4.7 + 0.47 * i; // across the diagonal
		CHECK(brWorld_CastRay(world, brMakeDVec3(x, x, 2.0), brMakeDVec3(0.0, 0.0, -1.0), 5.0, NULL, &hit));
		CHECK_NEAR(hit.distance, 2.0, 1e-6);
		CHECK(!brWorld_CastRay(world, brMakeDVec3(x, x, -2.0), brMakeDVec3(0.0, 0.0, 1.0), 5.0, NULL, &hit));
	}
	brNearestBody nearest;
	for (double z = -0.7; z < 1.0; z += 1.4)
	{
		CHECK(brWorld_FindNearest(world, brMakeDVec3(1.0, 2.0, z), 5.0, NULL, &nearest));
		CHECK_NEAR(nearest.distance, 0.7, 1e-5);
		CHECK_NEAR(nearest.normal.z, z > 0.0 ? 1.0 : -1.0, 1e-5);
		CHECK_NEAR(nearest.point.z, 0.0, 1e-5);
	}
	CHECK_EQUAL(brWorld_FindOverlaps(world, shape, brMakeTransformIdentity(), NULL, NULL, 0), 0); // cannot ask
	brDestroyShape(shape);
	brDestroyMesh(sheet);
	brDestroyWorld(world);
}

// Many bodies of all kinds, near and far, some of them in the same place.
static brWorld* queryCrowd(brRandom* random, const brContext* context, int32_t count)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = brScene_World(context, &worldDef);
	brScene_Ground(world);
	brMesh* torus = brShape_Torus(16, 8, 0.4, 0.15);
	brShape* shapes[] = {
		brScene_Sphere(0.3), brScene_Capsule(0.2, 0.4),           brScene_Box(0.5, 0.3, 0.7),
		queryHull(random),   queryMeshShape(br_shapeMesh, torus), queryMeshShape(br_shapeSurface, torus)};
	double size = brRandom_Below(random, 2) == 0 ? 2.0 : 20.0;
	brDVec3 origin = {brRandom_Below(random, 3) == 0 ? 3e6 : 0.0, 0.0, 0.0};
	brBodyDef def = brDefaultBodyDef();
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t kind = (int32_t)brRandom_Below(random, 6);
		def.shape = shapes[kind];
		def.kind = kind == 5 ? br_bodyStatic : br_bodyDynamic;
		def.pose = i % 5 == 4 ? def.pose : (brTransform){brDAdd(origin, queryPlace(random, size)), queryTurn(random)};
		def.userData = (uint64_t)kind;
		CHECK(brWorld_CreateBody(world, &def, NULL).index1 != 0);
	}
	for (int i = 0; i < 6; ++i)
	{
		brDestroyShape(shapes[i]);
	}
	brDestroyMesh(torus);
	return world;
}

static bool queryTakesEven(const brWorld* world, brBodyId id, void* user)
{
	(void)user;
	return brWorld_GetUserData(world, id) % 2 == 0;
}

static brRay queryDrawRay(brRandom* random, const brWorld* world)
{
	brBodyId ids[2] = {{0}, {0}};
	int32_t count = brWorld_GetBodyCount(world);
	static brBodyId all[2048];
	brWorld_GetBodies(world, all, 2048);
	ids[0] = all[brRandom_Below(random, (uint32_t)count)], ids[1] = all[brRandom_Below(random, (uint32_t)count)];
	brDVec3 from = brDAdd(brWorld_GetCenter(world, ids[0]), queryPlace(random, 1.0));
	brDVec3 way = brDSub(brWorld_GetCenter(world, ids[1]), from);
	const brDVec3 axes[3] = {{1, 0, 0}, {0, -2, 0}, {0, 0, -1}};
	way = brRandom_Below(random, 4) == 0 || !(brDLength(way) > 0.0) ? axes[brRandom_Below(random, 3)] : way;
	const double reaches[] = {INFINITY, 0.4, 3.0, 1e5};
	return (brRay){from, way, reaches[brRandom_Below(random, 4)]};
}

BR_TEST(query_tree_answers_as_a_look_at_all_bodies)
{
	brRandom random = brTest_Random(test);
	brQueryFilter even = {queryTakesEven, NULL};
	int32_t hits = 0, overlaps = 0, nearest = 0, inside = 0;
	brShape* balls[2] = {brScene_Sphere(0.5), brScene_Box(3.0, 3.0, 3.0)};
	int32_t rounds = 3 + brTest_Rounds(test, 5), least = 5 * rounds / 4; // fewer may not be inside of anything
	for (int32_t round = 0; round < rounds; ++round)
	{
		brWorld* world = queryCrowd(&random, NULL, 32 + (int32_t)brRandom_Below(&random, 700));
		if (round % 3 == 0)
		{
			brScene_Run(world, 3);
		}
		for (int32_t i = 0; i < 200; ++i)
		{
			const brQueryFilter* filter = i % 4 == 0 ? &even : NULL;
			brRay ray = queryDrawRay(&random, world);
			brRayHit hit[2] = {{.distance = -1.0}, {.distance = -1.0}};
			brNearestBody near[2] = {{.distance = 0.0}, {.distance = 0.0}};
			brBodyId ids[2][64] = {0};
			int32_t counts[2];
			bool isHit[2], isNear[2];
			brTransform pose = {brDMulAdd(ray.origin, 0.1, ray.direction), queryTurn(&random)};
			for (int way = 0; way < 2; ++way) // all bodies, then the tree
			{
				brQueryTree_Forget(world->queries);
				world->queries->patience = way == 0 ? INT32_MAX : 0;
				isHit[way] = brWorld_CastRay(world, ray.origin, ray.direction, ray.reach, filter, &hit[way]);
				isNear[way] = brWorld_FindNearest(world, ray.origin, ray.reach, filter, &near[way]);
				counts[way] = brWorld_FindOverlaps(world, balls[i % 2], pose, filter, ids[way], 64);
				CHECK_EQUAL(brWorld_QueryTree(world, 0, NULL) != NULL, way == 1);
			}
			CHECK_EQUAL(isHit[0], isHit[1]);
			CHECK(memcmp(&hit[0], &hit[1], sizeof(hit[0])) == 0);
			CHECK_EQUAL(isNear[0], isNear[1]);
			CHECK_MESSAGE(!isNear[0] || memcmp(&near[0], &near[1], sizeof(near[0])) == 0,
						  "body %d at %.17g, by the tree body %d at %.17g", near[0].body.index1, near[0].distance,
						  near[1].body.index1, near[1].distance);
			CHECK_EQUAL(counts[0], counts[1]);
			CHECK(memcmp(ids[0], ids[1], sizeof(ids[0])) == 0);
			hits += isHit[0], nearest += isNear[0], overlaps += counts[0],
				inside += isNear[0] && near[0].distance < 0.0;
		}
		brDestroyWorld(world);
	}
	CHECK(hits > least && overlaps > least && nearest > least && inside > least);
	brDestroyShape(balls[0]);
	brDestroyShape(balls[1]);
}

// After every change the old tree must be gone.
BR_TEST(query_tree_sees_every_change)
{
	brRandom random = brTest_Random(test);
	brWorld* world = queryCrowd(&random, NULL, 100);
	world->queries->patience = 0;
	brShape* ball = brScene_Sphere(0.1);
	const brDVec3 up = {0.0, 0.0, 1.0};
	brDVec3 place = {500.0, 500.0, 100.0}, below = {500.0, 500.0, 50.0}, beside = {500.0, 510.0, 100.0};
	brRayHit hit;
	CHECK(!brWorld_CastRay(world, below, up, INFINITY, NULL, &hit));
	brBodyId id = brScene_Body(world, ball, place.x, place.y, place.z);
	CHECK(brWorld_CastRay(world, below, up, INFINITY, NULL, &hit) && hit.body.index1 == id.index1);
	CHECK_NEAR(hit.distance, 49.9, 1e-4);
	brScene_Run(world, 60); // it falls about 4.9 m
	CHECK(brWorld_CastRay(world, below, up, INFINITY, NULL, &hit));
	CHECK(hit.distance > 44.0 && hit.distance < 46.0);
	CHECK(brWorld_SetPose(world, id, (brTransform){beside, {0.0, 0.0, 0.0, 1.0}}));
	CHECK(!brWorld_CastRay(world, below, up, INFINITY, NULL, &hit));
	CHECK(brWorld_SetPose(world, id, (brTransform){place, {0.0, 0.0, 0.0, 1.0}}));
	CHECK(brWorld_CastRay(world, below, up, INFINITY, NULL, &hit));
	CHECK(brWorld_DestroyBody(world, id));
	CHECK(!brWorld_CastRay(world, below, up, INFINITY, NULL, &hit));
	brDestroyShape(ball);
	brDestroyWorld(world);
}

typedef struct QueryAsker
{
	const brWorld* world;
	const brRay* rays;
	brRayHit hits[256];
} QueryAsker;

static void queryAskAll(void* user)
{
	QueryAsker* asker = user;
	for (int32_t i = 0; i < 256; ++i)
	{
		asker->hits[i] = (brRayHit){0};
		const brRay* ray = &asker->rays[i];
		(void)brWorld_CastRay(asker->world, ray->origin, ray->direction, ray->reach, NULL, &asker->hits[i]);
	}
}

// Four threads ask while the tree comes to be; the batch says the same for any number of workers.
BR_TEST(query_workers_and_threads_hear_the_same)
{
	brRandom random = brTest_Random(test);
	static brRay rays[256];
	static brRayHit hits[256];
	static QueryAsker askers[4];
	for (int32_t round = 0; round < brTest_Rounds(test, 12); ++round)
	{
		brContext context = {.workers = round % 2 == 0 ? brTest_Workers(3) : NULL};
		brWorld* world = queryCrowd(&random, &context, 300);
		for (int32_t i = 0; i < 256; ++i)
		{
			rays[i] = queryDrawRay(&random, world);
		}
		brThread threads[4];
		for (int32_t k = 0; k < 4; ++k)
		{
			askers[k] = (QueryAsker){.world = world, .rays = rays};
			CHECK(brThread_Start(&threads[k], queryAskAll, &askers[k]));
		}
		for (int32_t k = 0; k < 4; ++k)
		{
			brThread_Join(&threads[k]);
		}
		int32_t count = brWorld_CastRays(world, rays, 256, NULL, hits), expected = 0;
		for (int32_t i = 0; i < 256; ++i)
		{
			expected += hits[i].body.index1 != 0;
			for (int32_t k = 0; k < 4; ++k)
			{
				CHECK(memcmp(&hits[i], &askers[k].hits[i], sizeof(brRayHit)) == 0);
			}
		}
		CHECK_EQUAL(count, expected);
		CHECK(count > 0 && brWorld_CastRays(world, rays, 0, NULL, hits) == 0);
		brDestroyWorld(world);
		brDestroyWorkers(context.workers);
	}
}

static brResult queryMemoryWalk(const brContext* context, void* user)
{
	const brShape* shape = user;
	brWorld* world = NULL;
	brWorldDef def = brDefaultWorldDef();
	brResult result = brCreateWorld(context, &def, &world, NULL);
	for (int32_t i = 0; i < 40 && result >= 0; ++i)
	{
		brBodyDef body = brDefaultBodyDef();
		body.shape = shape;
		body.pose.p.x = i;
		result = brWorld_CreateBody(world, &body, NULL).index1 != 0 ? br_success : br_errorMemory;
	}
	// Without memory for the tree questions are answered all the same, so the last failures do not show.
	if (result >= 0)
	{
		world->queries->patience = 0;
		brRayHit hit;
		CHECK(brWorld_CastRay(world, brMakeDVec3(20.0, 0.0, 9.0), brMakeDVec3(0.0, 0.0, -1.0), 99.0, NULL, &hit));
		CHECK_EQUAL(hit.body.index1, 21);
		result = brWorld_QueryTree(world, 0, NULL) != NULL ? br_success : br_errorMemory;
	}
	brDestroyWorld(world);
	return result;
}

BR_TEST(query_tree_survives_every_failed_allocation)
{
	brShape* shape = brScene_Sphere(0.3);
	CHECK(brTest_WalkAllocations(queryMemoryWalk, shape) > 10);
	brDestroyShape(shape);
}
