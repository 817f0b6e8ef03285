// SPDX-License-Identifier: MIT

// The fracture instant: an object in a hundred rough, concave pieces is let go where it is.

#include "brittle/shatter.h"
#include "contact/siblings.h"
#include "harness.h"
#include "mesh_scenes.h"
#include "world/world_state.h"
#include "world_scenes.h"

#include <math.h>
#include <stdlib.h>

enum
{
	instantSites = 110
};

typedef struct InstantScene
{
	brWorld* world;
	int32_t pieces, pairs; // pairs that share faces
	int32_t mostPoints;    // of one of them
	double meanPoints, mass;
	int32_t firstBody;
} InstantScene;

static brShatter* instantShatter(const brMesh* mesh)
{
	brDBox3 box = brMesh_Bounds(mesh);
	brRandom random = brMakeRandom(5, 5);
	static brDVec3 sites[instantSites];
	for (int32_t i = 0; i < instantSites; ++i)
	{
		sites[i] = brMakeDVec3(brRandom_Range(&random, box.lower.x, box.upper.x),
							   brRandom_Range(&random, box.lower.y, box.upper.y),
							   brRandom_Range(&random, box.lower.z, box.upper.z));
	}
	brShatterDef def = brDefaultShatterDef();
	def.sites = sites;
	def.siteCount = instantSites;
	def.roughness = 0.012;
	def.roughnessLength = 0.06;
	brShatter* shatter = NULL;
	brReport report = {0};
	CHECK_RESULT(brCreateShatter(NULL, mesh, &def, &shatter, &report), &report);
	return shatter;
}

static bool instantBirth(void* user, int32_t a, int32_t b, const brTouch* touches, int32_t count)
{
	InstantScene* scene = user;
	int32_t points = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		points += touches[i].count;
	}
	scene->pairs += 1;
	scene->meanPoints += points;
	scene->mostPoints = points > scene->mostPoints ? points : scene->mostPoints;
	return brDynamics_AddBirth(&scene->world->dynamics, scene->firstBody + a, scene->firstBody + b, touches, count);
}

// A block on the ground, in pieces that were born in this very step.
static InstantScene instantScene(bool isBorn, bool enableRecycle)
{
	InstantScene scene = {0};
	brWorldDef def = brDefaultWorldDef();
	def.enableSleep = false;
	def.enableRecycle = enableRecycle;
	scene.world = brScene_World(NULL, &def);
	brScene_Ground(scene.world);
	brMesh* mesh = brScene_Model("box", 1, 0.5);
	brShatter* shatter = instantShatter(mesh);
	double lift = -brMesh_Bounds(mesh).lower.z;
	brDynamics* dynamics = &scene.world->dynamics;
	scene.firstBody = dynamics->bodies.count;
	scene.pieces = shatter->pieceCount;
	const brMesh* meshes[instantSites];
	brTransform frames[instantSites];
	for (int32_t i = 0; i < shatter->pieceCount; ++i)
	{
		brShapeDef shapeDef = brDefaultShapeDef(br_shapeMesh);
		shapeDef.mesh = shatter->pieces[i].mesh;
		shapeDef.keepMesh = true;
		brShape* shape = NULL;
		brReport report = {0};
		CHECK_RESULT(brCreateShape(NULL, &shapeDef, &shape, &report), &report);
		meshes[i] = shatter->pieces[i].mesh;
		frames[i] = shape->frame;
		brBodyDef body = brDefaultBodyDef();
		body.shape = shape;
		body.density = 2000.0;
		body.pose.p.z = lift;
		brBodyId id = brWorld_CreateBody(scene.world, &body, NULL);
		CHECK(id.index1 == scene.firstBody + i + 1);
		dynamics->bodies.data[id.index1 - 1].isNewborn = true;
		dynamics->bodies.data[id.index1 - 1].isPiece = true;
		scene.mass += dynamics->bodies.data[id.index1 - 1].mass;
		brDestroyShape(shape);
	}
	if (isBorn)
	{
		CHECK(brTouchAllSiblings(&dynamics->allocator, meshes, frames, scene.pieces, instantBirth, &scene));
		scene.meanPoints /= scene.pairs;
	}
	brDestroyShatter(shatter);
	brDestroyMesh(mesh);
	return scene;
}

BR_TEST(mesh_hundred_pieces_let_go_do_not_pop)
{
	InstantScene scene = instantScene(true, true);
	CHECK(scene.pieces >= 90 && scene.pairs > 3 * scene.pieces);
	CHECK_MESSAGE(scene.meanPoints <= 12.0 && scene.mostPoints <= 16, "%g points a pair, %d at most", scene.meanPoints,
				  scene.mostPoints);
	brWorldEnergy start = brWorld_Energy(scene.world);
	double before = start.kinetic + start.potential, gain = 0.0, fastest = 0.0;
	for (int32_t step = 0; step < (test->intensity < 1.0 ? 3 : 30); ++step)
	{
		brScene_Run(scene.world, 1);
		brWorldEnergy now = brWorld_Energy(scene.world);
		gain = fmax(gain, now.kinetic + now.potential - before);
		for (int32_t i = 0; i < scene.pieces; ++i)
		{
			const brBody* body = &scene.world->dynamics.bodies.data[scene.firstBody + i];
			// Nothing is faster than what falls.
			fastest = fmax(fastest, brDLength(body->velocity) * 60.0 / (9.81 * (step + 1)));
		}
	}
	double allowed = scene.mass * 9.81 * 0.001 * 0.5;
	CHECK_MESSAGE(gain < allowed, "%d pieces in %d pairs gain %g J, %g are allowed", scene.pieces, scene.pairs, gain,
				  allowed);
	CHECK_MESSAGE(fastest < 1.05, "a piece is %g times as fast as if it fell", fastest);
	brDestroyWorld(scene.world);
}

BR_TEST(mesh_siblings_are_found_by_the_faces_they_share)
{
	InstantScene scene = instantScene(true, true);
	// Every pair of the first step that shares faces was born with its contacts: ids that no search gives.
	brScene_Run(scene.world, 1);
	const brDynamics* dynamics = &scene.world->dynamics;
	int32_t born = 0;
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = &dynamics->contacts.data[dynamics->pairs.data[i].contact];
		born += contact->manifoldCount > 0 && (contact->first.points[0].id & 0x60000000u) == 0x60000000u;
	}
	CHECK_MESSAGE(born == scene.pairs, "%d of %d pairs", born, scene.pairs);
	brDestroyWorld(scene.world);
}
