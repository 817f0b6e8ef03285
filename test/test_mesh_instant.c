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
#include <time.h>

enum
{
	instantSites = 110
};

typedef struct InstantScene
{
	brWorld* world;
	int32_t pieces, pairs; // pairs that share faces
	int32_t maxPoints;     // of one of them
	double meanPoints, mass;
	int32_t firstBody;
} InstantScene;

// What is let go, and how.
typedef struct InstantDef
{
	int32_t sites;
	bool isBorn; // with contacts from shared faces
	bool enableRecycle;
	bool isWeightless;
	double friction;
} InstantDef;

static InstantDef instantDefault(void)
{
	return (InstantDef){instantSites, true, true, false, 0.6};
}

static brShatter* instantShatter(const brMesh* mesh, int32_t count)
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brRandom random = brMakeRandom(5, 5);
	static brDVec3 sites[instantSites];
	for (int32_t i = 0; i < count; ++i)
	{
		sites[i] = brMakeDVec3(brRandom_Range(&random, box.lower.x, box.upper.x),
							   brRandom_Range(&random, box.lower.y, box.upper.y),
							   brRandom_Range(&random, box.lower.z, box.upper.z));
	}
	brShatterDef def = brDefaultShatterDef();
	def.sites = sites;
	def.siteCount = count;
	def.roughness = 0.012;
	def.roughnessLength = 0.06;
	return BR_MADE(brShatter, brCreateShatter, NULL, mesh, &def);
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
	scene->maxPoints = points > scene->maxPoints ? points : scene->maxPoints;
	return brDynamics_AddBirth(&scene->world->dynamics, scene->firstBody + a, scene->firstBody + b, touches, count);
}

// A block on the ground, in pieces that were born in this very step.
static InstantScene instantScene(const InstantDef* instant)
{
	InstantScene scene = {0};
	brWorldDef def = brDefaultWorldDef();
	def.enableSleep = false;
	def.enableRecycle = instant->enableRecycle;
	def.gravity = instant->isWeightless ? brMakeDVec3(0.0, 0.0, 0.0) : def.gravity;
	scene.world = brScene_World(NULL, &def);
	brScene_Ground(scene.world);
	brMesh* mesh = brScene_Model("box", 1, 0.5);
	brShatter* shatter = instantShatter(mesh, instant->sites);
	double lift = -brMesh_ComputeBounds(mesh).lower.z;
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
		brShape* shape = BR_MADE(brShape, brCreateShape, NULL, &shapeDef);
		meshes[i] = shatter->pieces[i].mesh;
		frames[i] = shape->frame;
		brBodyDef body = brDefaultBodyDef();
		body.shape = shape;
		body.density = 2000.0;
		body.friction = instant->friction;
		body.pose.p.z = lift;
		brBodyId id = brWorld_CreateBody(scene.world, &body, NULL);
		CHECK(id.index1 == scene.firstBody + i + 1);
		dynamics->bodies.data[id.index1 - 1].isNewborn = true;
		dynamics->bodies.data[id.index1 - 1].isPiece = true;
		scene.mass += dynamics->bodies.data[id.index1 - 1].mass;
		brDestroyShape(shape);
	}
	if (instant->isBorn)
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
	InstantDef instant = instantDefault();
	InstantScene scene = instantScene(&instant);
	CHECK(scene.pieces >= 90 && scene.pairs > 3 * scene.pieces);
	CHECK_MESSAGE(scene.meanPoints <= 12.0 && scene.maxPoints <= 16, "%g points a pair, %d at most", scene.meanPoints,
				  scene.maxPoints);
	brWorldEnergy start = brWorld_ComputeEnergy(scene.world);
	double before = start.kinetic + start.potential, gain = 0.0, fastest = 0.0;
	for (int32_t step = 0; step < (test->intensity < 1.0 ? 3 : 30); ++step)
	{
		brScene_Run(scene.world, 1);
		brWorldEnergy now = brWorld_ComputeEnergy(scene.world);
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

// A block in 2, 8, 27 and 100 pieces: on the ground, without friction, and without weight.
BR_TEST(mesh_pieces_let_go_stay_in_place)
{
	static const int32_t counts[4] = {2, 8, 27, instantSites};
	int32_t most = test->intensity < 1.0 ? 2 : 4;
	for (int32_t k = 0; k < 3 * most; ++k)
	{
		InstantDef instant = instantDefault();
		instant.sites = counts[k / 3];
		instant.friction = k % 3 == 1 ? 0.0 : instant.friction;
		instant.isWeightless = k % 3 == 2;
		InstantScene scene = instantScene(&instant);
		static double heights[instantSites];
		const brBody* bodies = scene.world->dynamics.bodies.data + scene.firstBody;
		for (int32_t i = 0; i < scene.pieces; ++i)
		{
			heights[i] = bodies[i].position.z;
		}
		brWorldEnergy start = brWorld_ComputeEnergy(scene.world);
		double gain = 0.0, lift = 0.0, sink = 0.0, speed = 0.0;
		for (int32_t step = 0; step < 30; ++step)
		{
			brScene_Run(scene.world, 1);
			brWorldEnergy now = brWorld_ComputeEnergy(scene.world);
			gain = fmax(gain, now.kinetic + now.potential - start.kinetic - start.potential);
			for (int32_t i = 0; i < scene.pieces; ++i)
			{
				lift = fmax(lift, bodies[i].position.z - heights[i]);
				sink = fmax(sink, heights[i] - bodies[i].position.z);
				speed = fmax(speed, brDLength(bodies[i].velocity));
			}
		}
		// M g times a share of the size.
		double share = k % 3 == 1 ? 0.002 : 0.001;
		CHECK_MESSAGE(gain < share * scene.mass * 9.81 * 0.5, "%d pieces gain %g J", scene.pieces, gain);
		if (instant.isWeightless)
		{
			CHECK_MESSAGE(speed < 0.005, "%d pieces without weight: %g m/s", scene.pieces, speed);
		}
		else
		{
			// The middle of all never rises; one piece may be wedged up by neighbors that sink, but no farther than
			// they do.
			CHECK_MESSAGE(lift <= sink + 1e-4 || k % 3 == 1,
						  "one of %d pieces rises by %g m, the deepest sinks by %g m", scene.pieces, lift, sink);
			CHECK_MESSAGE(sink < 0.01 * 0.5 || k % 3 == 1, "one of %d pieces sinks by %g m", scene.pieces, sink);
		}
		brDestroyWorld(scene.world);
	}
}

static double instantSeconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Processor time of the longest of the first steps, or of their middle one.
static double instantStepTime(const InstantDef* instant, bool isMost)
{
	enum
	{
		steps = 15
	};
	InstantScene scene = instantScene(instant);
	double times[steps];
	for (int32_t step = 0; step < steps; ++step)
	{
		double start = instantSeconds();
		brScene_Run(scene.world, 1);
		times[step] = instantSeconds() - start;
		for (int32_t i = step; i > 0 && times[i - 1] > times[i]; --i)
		{
			double t = times[i];
			times[i] = times[i - 1], times[i - 1] = t;
		}
	}
	brDestroyWorld(scene.world);
	return isMost ? times[steps - 1] : times[steps / 2];
}

// The step of the break and those after it against a steady step that searches for every contact. Noise only adds, so
// the least of three runs counts.
BR_TEST(mesh_no_step_after_a_break_is_long)
{
	if (test->intensity < 1.0)
	{
		brTest_Skip("times mean nothing with a sanitizer");
	}
	InstantDef instant = instantDefault(), steady = instant;
	steady.enableRecycle = false;
	double most = INFINITY, usual = INFINITY;
	for (int32_t i = 0; i < 3; ++i)
	{
		most = fmin(most, instantStepTime(&instant, true));
		usual = fmin(usual, instantStepTime(&steady, false));
	}
	// Times depend on what else the machine does: they are judged in make test-long alone.
	CHECK_MESSAGE(test->intensity < 10.0 || most < 2.0 * usual, "a step takes %g ms, a steady one %g", 1e3 * most,
				  1e3 * usual);
}

BR_TEST(mesh_siblings_are_found_by_the_faces_they_share)
{
	InstantDef instant = instantDefault();
	InstantScene scene = instantScene(&instant);
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
