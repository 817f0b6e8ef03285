// SPDX-License-Identifier: MIT

// Thin concave bodies that are fast: what is said to pass by does, what meets is met in time, and nothing goes through
// unseen.

#include "contact/swept_hulls.h"
#include "dynamics/dynamics.h"
#include "harness.h"
#include "mesh_scenes.h"
#include "world/world_state.h"
#include "world_scenes.h"

#include "brittle/brittle.h"

#include <math.h>
#include <stdlib.h>

#define FAST_MAX_SHARDS 11

// Pieces of a plate, 5 mm thick and 5 to 20 cm long.
static int32_t fastShards(brShape** outShapes)
{
	brMesh* plate = brScene_Model("plate", 32, 0.27);
	brDBox3 box = brMesh_ComputeBounds(plate);
	brDVec3 size = brDSub(box.upper, box.lower), sites[FAST_MAX_SHARDS];
	brRandom random = brMakeRandom(3, 3);
	for (int32_t i = 0; i < FAST_MAX_SHARDS; ++i)
	{
		double x = brRandom_Unit(&random), y = brRandom_Unit(&random), z = brRandom_Unit(&random);
		sites[i] = brMakeDVec3(box.lower.x + x * size.x, box.lower.y + y * size.y, box.lower.z + z * size.z);
	}
	brShatterDef def = brDefaultShatterDef();
	def.sites = sites;
	def.siteCount = FAST_MAX_SHARDS;
	brShatter* shatter = BR_MADE(brShatter, brCreateShatter, NULL, plate, &def);
	int32_t count = 0;
	for (int32_t i = 0; i < shatter->pieceCount && count < FAST_MAX_SHARDS; ++i)
	{
		brShapeDef shape = brDefaultShapeDef(br_shapeMesh);
		shape.mesh = shatter->pieces[i].mesh;
		shape.keepMesh = true;
		CHECK_RESULT(brCreateShape(NULL, &shape, &outShapes[count], NULL), NULL);
		count += 1;
	}
	brDestroyShatter(shatter);
	brDestroyMesh(plate);
	CHECK(count > 4);
	return count;
}

static void fastFree(brShape** shapes, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brDestroyShape(shapes[i]);
	}
}

static brDVec3 fastVector(brRandom* random, double most)
{
	double x = brRandom_Range(random, -most, most), y = brRandom_Range(random, -most, most);
	double z = brRandom_Range(random, -most, most);
	return brMakeDVec3(x, y, z);
}

static brQuat fastTurn(brRandom* random)
{
	brDVec3 axis = fastVector(random, 1.0);
	return brMakeQuatAxisAngle(brDNormalize(brDAdd(axis, brMakeDVec3(0.0, 0.0, 1e-3))),
							   brRandom_Range(random, 0.0, 6.0));
}

// A pose on a path, by the definition.
static brRelativePose fastPose(const brPairPath* path, double t)
{
	brBody bodies[2];
	for (int k = 0; k < 2; ++k)
	{
		double speed = brDLength(path->spins[k]);
		brQuat turn =
			speed > 0.0 ? brMakeQuatAxisAngle(brDMul(1.0 / speed, path->spins[k]), speed * t) : brMakeQuatIdentity();
		bodies[k] = (brBody){.position = brDMulAdd(path->positions[k], t, path->velocities[k]),
							 .rotation = brQuat_Mul(turn, path->rotations[k])};
	}
	return brMakeRelativePose(&bodies[0], &bodies[1],
							  brQuat_Mul(brQuat_Conjugate(bodies[0].rotation), bodies[1].rotation));
}

// The lowest separation of contact points at a time; INFINITY without any.
static float fastLowest(const brPairPath* path, double t, float margin)
{
	brRelativePose pose = fastPose(path, t);
	if (brLength(pose.p) > path->shapes[0]->radius + path->shapes[1]->radius)
	{
		return INFINITY;
	}
	brTouch touches[BR_PAIR_MANIFOLDS];
	brPairMemory memory = {0};
	int32_t count = brCollideShapes(path->shapes[0], path->shapes[1], &pose, margin, &memory, NULL, touches);
	float lowest = INFINITY;
	for (int32_t i = 0; i < count; ++i)
	{
		for (int32_t k = 0; k < touches[i].count; ++k)
		{
			lowest = fminf(lowest, touches[i].separations[k]);
		}
	}
	return lowest;
}

// Two bodies, the second a shard, that fly at or by each other at up to 300 m/s while they turn.
static brPairPath fastPath(brRandom* random, brShape* const* shards, int32_t count, const brShape* other)
{
	brPairPath path = {.dt = 1.0 / 60.0};
	path.shapes[1] = shards[brRandom_Below(random, (uint32_t)count)];
	path.shapes[0] = other != NULL ? other : shards[brRandom_Below(random, (uint32_t)count)];
	double speed =
		brRandom_Below(random, 2) == 0 ? brRandom_Range(random, 1.0, 10.0) : brRandom_Range(random, 10.0, 300.0);
	brDVec3 way = brDNormalize(brDAdd(fastVector(random, 1.0), brMakeDVec3(0.0, 0.0, 1e-3)));
	double when = brRandom_Range(random, 0.0, path.dt);
	for (int k = 0; k < 2; ++k)
	{
		path.rotations[k] = fastTurn(random);
		path.spins[k] = fastVector(random, 20.0);
	}
	path.velocities[0] = fastVector(random, 2.0);
	path.velocities[1] = brDMulAdd(path.velocities[0], speed, way);
	brDVec3 miss = fastVector(random, 0.1);
	path.positions[1] = brDMulAdd(miss, -when * speed, way);
	path.closing = speed;
	for (int k = 0; k < 2; ++k)
	{
		path.closing += brDLength(path.spins[k]) * (double)path.shapes[k]->radius;
	}
	return path;
}

BR_TEST(mesh_ways_with_a_plane_between_them_do_not_touch)
{
	brRandom random = brTest_Random(test);
	brShape* shards[FAST_MAX_SHARDS];
	int32_t count = fastShards(shards);
	brShape* others[3] = {brScene_Sphere(0.04), brScene_Box(0.1, 0.08, 0.004), brScene_Capsule(0.01, 0.05)};
	int32_t parted = 0, together = 0;
	for (int32_t i = 0; i < brTest_Rounds(test, 400); ++i)
	{
		brPairPath path = fastPath(&random, shards, count, i % 2 == 0 ? NULL : others[i / 2 % 3]);
		brHullWay ways[2];
		brDVec3 origin = path.positions[0];
		double span = brRandom_Range(&random, 0.0, 0.1) * path.dt, start = brRandom_Range(&random, 0.0, path.dt - span);
		for (int k = 0; k < 2; ++k)
		{
			brBody none = {.rotation = brMakeQuatIdentity()};
			brPairPath own = path;
			// The pose of body k as seen from a body that stands still.
			own.positions[0] = origin, own.rotations[0] = none.rotation;
			own.velocities[0] = own.spins[0] = brMakeDVec3(0.0, 0.0, 0.0);
			own.positions[1] = path.positions[k], own.rotations[1] = path.rotations[k];
			own.velocities[1] = path.velocities[k], own.spins[1] = path.spins[k];
			ways[k] =
				(brHullWay){.shape = path.shapes[k],
							.from = fastPose(&own, start),
							.to = fastPose(&own, start + span),
							.sag = (float)(0.125 * span * span * brDLengthSq(path.spins[k])) * path.shapes[k]->radius};
		}
		brVec3 direction = {0.0f, 0.0f, 0.0f};
		bool isParted = brAreWaysParted(&ways[0], &ways[1], 1e-4f, &direction);
		parted += isParted, together += !isParted;
		float lowest = INFINITY;
		for (int32_t k = 0; k <= 20; ++k)
		{
			lowest = fminf(lowest, fastLowest(&path, start + span * k / 20.0, 0.0f));
		}
		CHECK_MESSAGE(!isParted || lowest > 0.0f, "pair %d is said to be parted and %g m deep", i, (double)-lowest);
	}
	CHECK_MESSAGE(test->intensity < 1.0 || (parted > together / 20 && together > parted / 20), "%d parted, %d not",
				  parted, together);
	fastFree(others, 3);
	fastFree(shards, count);
}

BR_TEST(mesh_shards_meet_where_fine_sampling_says)
{
	// Wherever samples a tenth of a thickness apart find the two a tenth of a thickness deep in each other, they must
	// have been met, and not later than there.
	brRandom random = brTest_Random(test);
	brShape* shards[FAST_MAX_SHARDS];
	int32_t count = fastShards(shards), hits = 0, misses = 0;
	for (int32_t i = 0; i < brTest_Rounds(test, 60); ++i)
	{
		brPairPath path = fastPath(&random, shards, count, NULL);
		float thickness = fminf(path.shapes[0]->thickness, path.shapes[1]->thickness), deepest = INFINITY;
		int32_t samples = (int32_t)fmin(4000.0, ceil(path.closing * path.dt / (0.1 * (double)thickness)));
		if (fastLowest(&path, 0.0, 0.0f) < INFINITY)
		{
			continue; // begins in each other
		}
		for (int32_t k = 0; k <= samples && deepest > -0.1f * thickness; ++k)
		{
			deepest = fminf(deepest, fastLowest(&path, path.dt * k / samples, 0.0f));
		}
		brMeeting meeting = {.count = 0};
		brPairMemory memory = {0};
		bool isMet = brPairPath_Meet(&path, &memory, &meeting);
		bool isHit = deepest <= -0.1f * thickness;
		hits += isHit, misses += !isHit;
		CHECK_MESSAGE(!isHit || isMet, "pair %d goes through at %g m/s", i, path.closing);
		for (int32_t m = 0; isMet && m < meeting.count; ++m)
		{
			for (int32_t k = 0; k < meeting.touches[m].count; ++k)
			{
				float separation = meeting.touches[m].separations[k];
				CHECK_MESSAGE(separation > -0.2f * thickness, "pair %d is met %g m too deep", i, (double)-separation);
			}
		}
	}
	CHECK_MESSAGE(hits > misses / 10 && misses > hits / 10, "%d pairs meet, %d do not", hits, misses);
	fastFree(shards, count);
}

BR_TEST(mesh_shards_shot_at_each_other_feel_it)
{
	// At 50 to 300 m/s a shard moves by up to a thousand thicknesses a step. Where its way goes through the other the
	// two must have hit.
	brRandom random = brTest_Random(test);
	brShape* shards[FAST_MAX_SHARDS];
	int32_t count = fastShards(shards), hits = 0;
	brWorldDef worldDef = brDefaultWorldDef();
	worldDef.gravity = brMakeDVec3(0.0, 0.0, 0.0);
	worldDef.enableSleep = false;
	for (int32_t i = 0; i < brTest_Rounds(test, 60); ++i)
	{
		brWorld* world = brScene_World(NULL, &worldDef);
		double speed = brRandom_Range(&random, 50.0, 300.0), when = brRandom_Range(&random, 0.1, 0.9) / 60.0;
		brBodyId ids[2];
		for (int k = 0; k < 2; ++k)
		{
			brBodyDef def = brDefaultBodyDef();
			def.shape = shards[brRandom_Below(&random, (uint32_t)count)];
			def.density = 2500.0;
			def.pose.q = fastTurn(&random);
			def.spin = fastVector(&random, 5.0);
			def.velocity.z = k == 0 ? 0.0 : -speed;
			brDVec3 middle = brShape_ComputeMass(def.shape, 1.0).center, off = fastVector(&random, 0.015);
			off.z = k == 0 ? 0.0 : 0.12 + speed * when;
			def.pose.p = brDSub(off, brQuat_Rotate(def.pose.q, middle));
			ids[k] = brWorld_CreateBody(world, &def, NULL);
		}
		// What a straight way says.
		const brContact pair = {.bodyA = 0, .bodyB = 1};
		CHECK_RESULT(brDynamics_FindPairs(&world->dynamics, 2.0 / 60.0, NULL), NULL);
		brPairPath path = brMakePairPath(&world->dynamics, &pair, 2.0 / 60.0);
		double thickness = (double)fminf(path.shapes[0]->thickness, path.shapes[1]->thickness);
		int32_t samples = (int32_t)ceil(path.closing * path.dt / (0.25 * thickness));
		float deepest = INFINITY;
		for (int32_t k = 0; k <= samples && (double)deepest > -0.3 * thickness; ++k)
		{
			deepest = fminf(deepest, fastLowest(&path, path.dt * k / samples, 0.0f));
		}
		brScene_Run(world, 2);
		double lost = brDDistance(brWorld_GetVelocity(world, ids[1]), brMakeDVec3(0.0, 0.0, -speed));
		bool isHit = (double)deepest <= -0.3 * thickness;
		hits += isHit;
		CHECK_MESSAGE(!isHit || lost > 1e-4 * speed, "shot %d at %g m/s goes through: it loses %g m/s", i, speed, lost);
		brDVec3 momentum = brWorld_ComputeEnergy(world).momentum;
		double whole = speed * brWorld_GetMass(world, ids[1]);
		CHECK_MESSAGE(fabs(momentum.z + whole) < 1e-5 * whole, "shot %d: momentum is off by %g", i, momentum.z + whole);
		brDestroyWorld(world);
	}
	CHECK_MESSAGE(hits > brTest_Rounds(test, 60) / 2, "%d shots hit", hits);
	fastFree(shards, count);
}

// A ball of 5 g throws a shard of some grams at a plate behind it, both at rest until then, all within a step.
BR_TEST(mesh_shard_thrown_by_a_hit_stops_at_the_next)
{
	brRandom random = brTest_Random(test);
	int32_t rounds = brTest_Rounds(test, 40), through = 0, struck = 0;
	brShape* shards[FAST_MAX_SHARDS];
	int32_t count = fastShards(shards);
	brShape *ball = brScene_Sphere(0.01), *plate = brScene_MeshBox(0.5, 0.5, 0.005, 4);
	brWorldDef worldDef = brDefaultWorldDef();
	worldDef.gravity = brMakeDVec3(0.0, 0.0, 0.0);
	worldDef.enableSleep = false;
	for (int32_t i = 0; i < rounds; ++i)
	{
		brWorld* world = brScene_World(NULL, &worldDef);
		brBodyDef def = brDefaultBodyDef();
		def.shape = plate;
		def.mass = 1.0;
		brBodyId target = brWorld_CreateBody(world, &def, NULL);
		def = brDefaultBodyDef();
		def.shape = shards[i % count];
		def.density = 2500.0;
		def.pose.q = fastTurn(&random);
		brDVec3 middle = brShape_ComputeMass(def.shape, 1.0).center;
		def.pose.p =
			brDSub(brMakeDVec3(0.0, 0.0, 0.15 + brRandom_Range(&random, 0.0, 0.1)), brQuat_Rotate(def.pose.q, middle));
		brBodyId shard = brWorld_CreateBody(world, &def, NULL);
		def = brDefaultBodyDef();
		def.shape = ball;
		def.mass = 0.005;
		def.velocity.z = -brRandom_Range(&random, 100.0, 200.0);
		def.pose.p.z = 0.5;
		brWorld_CreateBody(world, &def, NULL);
		double lowest = INFINITY;
		for (int32_t k = 0; k < 3; ++k)
		{
			brScene_Run(world, 1);
			brDVec3 p = brTransform_InvPoint(brWorld_GetPose(world, target), brWorld_GetCenter(world, shard));
			bool isBeside = fabs(p.x) > 0.25 || fabs(p.y) > 0.25;
			lowest = isBeside ? lowest : fmin(lowest, p.z);
		}
		through += lowest < 0.0;
		struck += brDLength(brWorld_GetVelocity(world, target)) > 0.01;
		brDestroyWorld(world);
	}
	brDestroyShape(ball);
	brDestroyShape(plate);
	fastFree(shards, count);
	// Shards that come edge on at tens of meters a second may still cut in: one in twenty.
	CHECK_MESSAGE(through <= rounds / 10, "%d of %d shards go through", through, rounds);
	CHECK_MESSAGE(struck > rounds / 3, "only %d of %d plates were hit", struck, rounds);
}

// A dozen shards and a ball thrown together in a heap; how many parts the worst step took.
static uint64_t fastHeapHash(brWorkers* workers, brShape* const* shards, int32_t count, int32_t saveAt,
							 int32_t* outParts)
{
	brContext context = {.workers = workers};
	brWorld* world = brScene_World(&context, NULL);
	brScene_Ground(world);
	brRandom random = brMakeRandom(11, 1);
	for (int32_t i = 0; i < 12; ++i)
	{
		brBodyDef def = brDefaultBodyDef();
		def.shape = shards[i % count];
		def.density = 2500.0;
		def.pose.q = fastTurn(&random);
		def.pose.p = brDAdd(fastVector(&random, 0.2), brMakeDVec3(0.0, 0.0, 0.6));
		def.velocity = brDMul(-20.0, brDSub(def.pose.p, brMakeDVec3(0.0, 0.0, 0.5)));
		def.spin = fastVector(&random, 20.0);
		brWorld_CreateBody(world, &def, NULL);
	}
	for (int32_t i = 0; i < 40; ++i)
	{
		brScene_Run(world, 1);
		*outParts = brWorld_GetStats(world).slices > *outParts ? brWorld_GetStats(world).slices : *outParts;
		if (i == saveAt)
		{
			size_t bytes = brWorld_Save(world, NULL, 0);
			void* block = malloc(bytes);
			CHECK(brWorld_Save(world, block, bytes) == bytes);
			brDestroyWorld(world);
			world = NULL;
			CHECK_RESULT(brRestoreWorld(&context, block, bytes, &world, NULL), NULL);
			free(block);
		}
	}
	CHECK_EQUAL(brWorld_GetStats(world).setAside, 0);
	uint64_t hash = brWorld_ComputeHash(world);
	brDestroyWorld(world);
	return hash;
}

BR_TEST(mesh_fast_shards_have_one_hash_for_all_workers_and_after_a_restore)
{
	brShape* shards[FAST_MAX_SHARDS];
	int32_t count = fastShards(shards), parts = 1;
	uint64_t alone = fastHeapHash(NULL, shards, count, -1, &parts);
	CHECK(fastHeapHash(NULL, shards, count, 3, &parts) == alone);
	CHECK_MESSAGE(parts > 1, "no step was made in parts");
	const int32_t counts[3] = {2, 3, 8};
	for (int32_t i = 0; i < 3; ++i)
	{
		brWorkers* workers = brTest_Workers(counts[i]);
		CHECK_MESSAGE(fastHeapHash(workers, shards, count, -1, &parts) == alone, "%d workers give another hash",
					  counts[i]);
		brDestroyWorkers(workers);
	}
	fastFree(shards, count);
}
