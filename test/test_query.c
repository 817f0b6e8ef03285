// SPDX-License-Identifier: MIT

// Rays, overlaps, the nearest body and contact points: each against another way to the same answer.

#include "brittle/brittle.h"
#include "harness.h"
#include "shapes.h"
#include "world_scenes.h"

#include <math.h>

static brShape* queryMeshShape(brShapeKind kind, const brMesh* mesh)
{
	brShapeDef def = brDefaultShapeDef(kind);
	def.mesh = mesh, def.keepMesh = true;
	brShape* shape = NULL;
	brReport report = {0};
	CHECK_RESULT(brCreateShape(NULL, &def, &shape, &report), &report);
	return shape;
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
	brShape* shape = NULL;
	CHECK_RESULT(brCreateShape(NULL, &def, &shape, NULL), NULL);
	return shape;
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
	brSurfaceTree* tree = NULL;
	CHECK_RESULT(brCreateSurfaceTree(NULL, mesh, &tree, NULL), NULL);
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
	brWorldDef worldDef = brDefaultWorldDef();
	worldDef.enableSleep = false;
	brWorld* world = brScene_World(NULL, &worldDef);
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
