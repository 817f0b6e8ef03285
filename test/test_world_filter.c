// SPDX-License-Identifier: MIT

// Who meets whom, and what may change between steps.

#include "brittle/brittle.h"
#include "harness.h"
#include "shapes.h"
#include "world_scenes.h"

#include <math.h>
#include <stdlib.h>

enum
{
	filter_scenery = 1,
	filter_ghost = 2,
	filter_player = 4,
};

static brBodyId filterDrop(brWorld* world, double z, uint32_t category, uint32_t collidesWith)
{
	brShape* box = brScene_Box(0.5, 0.5, 0.5);
	brBodyDef def = brDefaultBodyDef();
	def.shape = box, def.pose.p.z = z, def.category = category, def.collidesWith = collidesWith;
	brBodyId id = brWorld_CreateBody(world, &def, NULL);
	CHECK(id.index1 != 0);
	brDestroyShape(box);
	return id;
}

BR_TEST(world_bodies_meet_only_what_both_want)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = brScene_World(NULL, &worldDef);
	brScene_Ground(world);
	brBodyId player = filterDrop(world, 0.25, filter_player, UINT32_MAX);
	brBodyId ghost = filterDrop(world, 1.0, filter_ghost, filter_scenery); // lands in the player, on the ground
	brBodyId falling = filterDrop(world, 3.0, filter_player, UINT32_MAX & ~filter_scenery); // lands on the player alone
	brScene_Run(world, 120);
	CHECK_NEAR(brWorld_GetPose(world, player).p.z, 0.25, 0.02);
	CHECK_NEAR(brWorld_GetPose(world, ghost).p.z, 0.25, 0.02);
	CHECK_NEAR(brWorld_GetPose(world, falling).p.z, 0.75, 0.02);

	// A snapshot remembers.
	size_t size = brWorld_Save(world, NULL, 0);
	void* bytes = malloc(size);
	CHECK_EQUAL((int64_t)brWorld_Save(world, bytes, size), (int64_t)size);
	brWorld* again = BR_MADE(brWorld, brRestoreWorld, NULL, bytes, size);
	free(bytes);

	// Everything at rest sleeps; who loses the ground wakes and falls.
	brScene_Run(world, 120);
	brScene_Run(again, 120);
	CHECK(brWorld_ComputeHash(world) == brWorld_ComputeHash(again));
	CHECK(!brWorld_IsAwake(world, ghost) && !brWorld_IsAwake(world, player));
	CHECK(brWorld_SetFilter(world, ghost, filter_ghost, 0));
	brScene_Run(world, 60);
	CHECK(brWorld_GetPose(world, ghost).p.z < -1.0);
	CHECK_NEAR(brWorld_GetPose(world, player).p.z, 0.25, 0.02);
	brDestroyWorld(again);
	brDestroyWorld(world);
}

BR_TEST(world_pieces_keep_the_filter_and_the_data)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = brScene_World(NULL, &worldDef);
	brMesh* mesh = brShape_Box(0.3, 0.3, 0.3);
	brBodyDef body = brDefaultBodyDef();
	body.category = filter_player, body.collidesWith = filter_scenery, body.userData = 77;
	brBreakDef breaking = brDefaultBreakDef();
	breaking.mesh = mesh, breaking.pieces = 10;
	brBodyId id = brWorld_CreateBreakable(world, &body, &breaking, NULL);
	CHECK(id.index1 != 0 && brWorld_BreakBody(world, id, brMakeDVec3(0.1, 0.1, 0.1), brMakeDVec3(0.0, 0.0, -1.0), 5.0));
	brScene_Run(world, 1);
	int32_t count;
	const brBodyId* pieces = brWorld_GetBreakPieces(world, &count);
	CHECK(count > 1);
	for (int32_t i = 0; i < count; ++i)
	{
		CHECK_EQUAL((int64_t)brWorld_GetUserData(world, pieces[i]), 77);
	}
	// Players do not meet each other: the pieces have no contacts among themselves.
	brScene_Run(world, 5);
	CHECK_EQUAL(brWorld_GetContactPlaces(world, (brBodyId){0, 0}, NULL, 0), 0);
	brDestroyMesh(mesh);
	brDestroyWorld(world);
}

BR_TEST(world_changes_between_steps_wake_and_hold)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = brScene_World(NULL, &worldDef);
	brBodyId ground = brScene_Ground(world);
	brBodyId box = filterDrop(world, 0.25, 1, UINT32_MAX);
	CHECK_EQUAL(brWorld_GetKind(world, ground), br_bodyStatic);
	CHECK_EQUAL(brWorld_GetKind(world, box), br_bodyDynamic);
	brScene_Run(world, 120);
	CHECK(!brWorld_IsAwake(world, box));
	CHECK(brWorld_SetUserData(world, box, 5) && !brWorld_IsAwake(world, box));
	CHECK_EQUAL((int64_t)brWorld_GetUserData(world, box), 5);
	CHECK(brWorld_WakeBody(world, box) && brWorld_IsAwake(world, box) && !brWorld_WakeBody(world, ground));

	// Ice under it: the ground's friction wakes what stands on it, and a push goes on.
	brScene_Run(world, 120);
	CHECK(!brWorld_IsAwake(world, box) && brWorld_SetSurface(world, ground, 0.0, 0.0) && brWorld_IsAwake(world, box));
	CHECK(brWorld_SetVelocity(world, box, brMakeDVec3(1.0, 0.0, 0.0), brMakeDVec3(0.0, 0.0, 0.0)));
	brScene_Run(world, 60);
	CHECK_NEAR(brWorld_GetVelocity(world, box).x, 1.0, 1e-2);

	CHECK(brWorld_SetGravityScale(world, box, -1.0));
	brScene_Run(world, 60);
	CHECK_NEAR(brWorld_GetVelocity(world, box).z, 9.81, 0.2);
	brDVec3 spin = brWorld_GetSpin(world, box);
	CHECK(brWorld_ApplyAngularImpulse(world, box, brMakeDVec3(0.0, 0.0, 3.0)));
	double inertia = brWorld_GetMass(world, box) * 0.25 / 6.0;
	CHECK_NEAR(brWorld_GetSpin(world, box).z - spin.z, 3.0 / inertia, 1e-6);

	// No.
	CHECK(!brWorld_SetSurface(world, box, -1.0, 0.0) && !brWorld_SetSurface(world, box, 0.5, 1.5));
	CHECK(!brWorld_SetGravityScale(world, box, NAN));
	CHECK(!brWorld_ApplyAngularImpulse(world, box, brMakeDVec3(NAN, 0.0, 0.0)));
	CHECK(!brWorld_ApplyAngularImpulse(world, ground, brMakeDVec3(1.0, 0.0, 0.0)));
	brWorld_DestroyBody(world, box);
	CHECK(!brWorld_SetFilter(world, box, 1, 1) && !brWorld_SetUserData(world, box, 1) && !brWorld_WakeBody(world, box));
	CHECK_EQUAL(brWorld_GetKind(world, box), br_bodyStatic);
	brDestroyWorld(world);
}
