// SPDX-License-Identifier: MIT

// Loads that no closing speed shows: what rests on a body, and blows that come through a third one.
//
// The solver leaves the impulse that each contact gave over the last step. What a body has carried for two steps rests
// on it: all its contacts press at once, its own inertia takes the difference, and its strength is that of a slow test.
// What is far above that came suddenly, from a contact that was closed already: an energy J^2 / (2 m) like that of a
// blow. Either breaks the body one step later than a hit does.

#include "math/power.h"
#include "world/cluster.h"
#include "world/world_state.h"

#include <math.h>

#define LOAD_POINTS 32   // contact points of a body that are looked at
#define LOAD_GROWTH 1.1  // a resting load is judged again when it has grown by this
#define LOAD_SUDDEN 4.0  // times the load of the step before: a blow
#define LOAD_CLOSED 0.05 // contacts that closed faster were judged as hits [m/s]

// A contact point of a body with what it gave.
typedef struct LoadPoint
{
	brHitSides sides;
	double impulse;
} LoadPoint;

typedef struct BodyLoad
{
	LoadPoint points[LOAD_POINTS];
	int32_t count;
	double total; // of the impulses
	bool isHit;   // a contact closed in this step
} BodyLoad;

static void loadAdd(const brDynamics* dynamics, const brContact* contact, int32_t body, BodyLoad* load)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	bool isA = contact->bodyA == body;
	for (int32_t m = 0; m < contact->manifoldCount; ++m)
	{
		const brManifold* manifold = brContact_Manifold(dynamics, contact, m);
		brDVec3 normal = brQuat_Rotate(a->rotation, brToDVec3(manifold->normal)); // from A to B
		load->isHit = load->isHit || (double)manifold->approach > LOAD_CLOSED;
		for (int32_t k = 0; k < manifold->pointCount; ++k)
		{
			const brContactPoint* point = &manifold->points[k];
			double impulse = (double)point->total;
			if (!(impulse > 0.0) || load->count == LOAD_POINTS)
			{
				continue;
			}
			brDVec3 pA = brDAdd(a->position, brQuat_Rotate(a->rotation, brToDVec3(point->anchorA)));
			brDVec3 pB = brDAdd(b->position, brQuat_Rotate(b->rotation, brToDVec3(point->anchorB)));
			LoadPoint* out = &load->points[load->count++];
			out->sides = isA ? (brHitSides){body, contact->bodyB, pA, pB, brDNeg(normal)}
							 : (brHitSides){body, contact->bodyA, pB, pA, normal};
			out->impulse = impulse;
			load->total += impulse;
		}
	}
}

static void loadKeep(brWorld* world, const brHitSides* sides, double force, const brImpact* impact)
{
	int32_t body = sides->a;
	brBreakBody* record = &world->breaking.bodies.data[body];
	brTransform pose = brWorld_GetPose(world, brDynamics_BodyId(&world->dynamics, body));
	const brHitSurface* surface = brBreaking_Surface(world, body);
	if (surface == NULL)
	{
		return;
	}
	record->hit = (brHit){
		.point = brHitSurface_Nearest(surface, brTransform_InvPoint(pose, sides->pointA)),
		.inward = brQuat_InvRotate(pose.q, sides->normal),
		.normal = sides->normal,
		.otherPoint = sides->pointB,
		.stress = impact->stress,
		.force = force,
		.ratio = impact->ratio,
		.radius = impact->contactRadius,
		.duration = impact->contactTime,
		.energy = impact->bodyEnergy,
		// A load at rest: energy goes as its square.
		.parting = impact->ratio > 0.0 ? 1.0 / (impact->ratio * impact->ratio) : 0.0,
		.partingForce = impact->ratio > 0.0 ? force / impact->ratio : 0.0,
		.other = sides->b,
		.otherGeneration = world->dynamics.bodies.data[sides->b].generation,
		.isThere = true,
	};
}

// All contacts press with the part of their load that has been there for two steps.
static void loadJudgeRest(brWorld* world, int32_t body, const BodyLoad* load, double force, brImpactModel* model)
{
	brBreakBody* record = &world->breaking.bodies.data[body];
	brTransform pose = brWorld_GetPose(world, brDynamics_BodyId(&world->dynamics, body));
	if (force <= LOAD_GROWTH * record->restForce || brImpactModel_IsRestSafe(model, force, record->strength))
	{
		return;
	}
	brRestLoad rests[LOAD_POINTS];
	const LoadPoint* worst = &load->points[0];
	for (int32_t i = 0; i < load->count; ++i)
	{
		const LoadPoint* point = &load->points[i];
		brDVec3 direction = brQuat_InvRotate(pose.q, point->sides.normal);
		rests[i] = (brRestLoad){brTransform_InvPoint(pose, point->sides.pointA),
								brDMul(force * point->impulse / load->total, direction)};
		worst = point->impulse > worst->impulse ? point : worst;
	}
	brImpact impact = brImpactModel_Rest(model, rests, load->count, record->strength);
	world->breaking.loads.data[body].judged = force;
	if (impact.ratio >= 1.0)
	{
		loadKeep(world, &worst->sides, impact.force, &impact);
	}
}

// Speed of the fastest body.
static double loadFastest(const brDynamics* dynamics)
{
	double fastest = 0.0;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		const brBody* b = &dynamics->bodies.data[i];
		fastest = brBody_IsThere(b) && b->kind == br_bodyDynamic ? fmax(fastest, brDLengthSq(b->velocity)) : fastest;
	}
	return sqrt(fastest);
}

// The contact that gave most, as a blow of the same impulse. False without memory.
static bool loadAddSudden(brWorld* world, int32_t body, const BodyLoad* load, double before, brImpactModel* model)
{
	const brBreaking* breaking = &world->breaking;
	const brBreakBody* record = &breaking->bodies.data[body];
	const LoadPoint* worst = &load->points[0];
	for (int32_t i = 1; i < load->count; ++i)
	{
		worst = load->points[i].impulse > worst->impulse ? &load->points[i] : worst;
	}
	double mass = brBreaking_EffectiveMass(&world->dynamics, &worst->sides);
	double impulse = worst->impulse * (1.0 - before / load->total);
	if (!isfinite(mass) || !(impulse > 0.0))
	{
		return true;
	}
	// What others press from behind makes an impulse of any size; it does no more work than by the speed of the fastest
	// of them.
	double energy = fmin(0.5 * impulse * impulse / mass, impulse * record->lastFastest);
	brBlow blow = {.touch = {.sides = worst->sides}, .model = model};
	blow.strike = (brStrike){.mass = mass, .energy = energy, .strength = record->strength};
	const brBreakBody* other = brBreaking_Body(breaking, worst->sides.b);
	if (other != NULL)
	{
		blow.strike.other = breaking->settings.data[other->settings].def.material;
	}
	if (brImpactModel_IsSafe(model, &blow.strike))
	{
		return true;
	}
	return brBreaking_Place(world, worst->sides.normal, &blow) &&
		   BR_PUSH(&world->dynamics.allocator, &world->breaking.blows, blow);
}

void brBreaking_JudgeLoads(brWorld* world, int32_t count)
{
	brBreaking* breaking = &world->breaking;
	for (int32_t i = 0; i < count; ++i)
	{
		const brBlow* blow = &breaking->blows.data[i];
		brBreakBody* record = &breaking->bodies.data[blow->touch.sides.a];
		const brBreakDef* def = &breaking->settings.data[record->settings].def;
		if (blow->impact.ratio >= 1.0)
		{
			loadKeep(world, &blow->touch.sides, blow->impact.force, &blow->impact);
			record->hit.energy = def->efficiency * fmax(0.0, blow->strike.energy - blow->impact.threshold);
			record->hit.parting = blow->impact.parting / blow->strike.energy;
			record->hit.partingForce = blow->impact.partingForce;
			if (blow->isRough)
			{
				brBreaking_KeepRough(&record->hit, &blow->strike);
			}
		}
	}
}

// Impulses of all contacts, added up by body: those that carry little are not looked at closely.
static bool loadSums(brWorld* world)
{
	brDynamics* dynamics = &world->dynamics;
	brBreaking* breaking = &world->breaking;
	breaking->loads.count = 0;
	if (!BR_RESERVE(&dynamics->allocator, &breaking->loads, breaking->bodies.count))
	{
		return false;
	}
	for (int32_t i = 0; i < breaking->bodies.count; ++i)
	{
		uint32_t generation = dynamics->bodies.data[i].generation;
		breaking->loads.data[breaking->loads.count++] = (brBreakLoad){.generation = generation};
	}
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = brDynamics_PairContact(dynamics, i);
		double sum = 0.0;
		for (int32_t m = 0; m < contact->manifoldCount; ++m)
		{
			const brManifold* manifold = brContact_Manifold(dynamics, contact, m);
			for (int32_t k = 0; k < manifold->pointCount; ++k)
			{
				sum += (double)manifold->points[k].total;
			}
		}
		const int32_t ends[2] = {contact->bodyA, contact->bodyB};
		for (int k = 0; k < 2; ++k)
		{
			if (ends[k] < breaking->loads.count)
			{
				breaking->loads.data[ends[k]].impulse += sum;
			}
		}
	}
	return true;
}

// The bonds of a cluster are solved again when what rests on it has grown.
static void loadJudgeCluster(brWorld* world, int32_t body, double dt)
{
	brBreaking* breaking = &world->breaking;
	const brBreakBody* record = &breaking->bodies.data[body];
	brCluster* cluster = breaking->clusters.data[record->cluster];
	double force = fmin(breaking->loads.data[body].impulse, record->lastLoad) / dt;
	if (force > LOAD_GROWTH * record->restForce &&
		brCluster_IsLoaded(cluster, &breaking->settings.data[record->settings].def.material, force))
	{
		breaking->loads.data[body].judged = force;
		cluster->needsSolve = true;
	}
}

// Rest is judged at once, blows are listed. False without memory.
static bool loadLook(brWorld* world, int32_t body, double dt)
{
	brDynamics* dynamics = &world->dynamics;
	const brBreakBody* record = &world->breaking.bodies.data[body];
	double now = world->breaking.loads.data[body].impulse, before = record->lastLoad;
	brImpactModel* model = body < world->breaking.ready.count ? world->breaking.ready.data[body].model : NULL;
	double steady = fmin(now, before) / dt;
	bool isSudden = now > LOAD_SUDDEN * before && before > 0.0;
	bool isGrown = steady > LOAD_GROWTH * record->restForce && !(model == NULL) &&
				   !brImpactModel_IsRestSafe(model, steady, record->strength);
	if (model == NULL || record->hit.isThere || (!isSudden && !isGrown))
	{
		return true;
	}
	BodyLoad load = {.count = 0};
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		uint64_t key = dynamics->pairs.data[i].key;
		if ((int32_t)(key >> 32) == body || (int32_t)(key & 0xFFFFFFFFu) == body)
		{
			loadAdd(dynamics, brDynamics_PairContact(dynamics, i), body, &load);
		}
	}
	if (load.count == 0)
	{
		return true;
	}
	if (isGrown)
	{
		loadJudgeRest(world, body, &load, steady, model);
	}
	bool isBlow = isSudden && !load.isHit && !record->hit.isThere;
	return !isBlow || loadAddSudden(world, body, &load, before, model);
}

bool brBreaking_FindLoads(brWorld* world, double dt)
{
	brBreaking* breaking = &world->breaking;
	breaking->loadTime = dt;
	breaking->loadFastest = loadFastest(&world->dynamics);
	if (!loadSums(world))
	{
		return false;
	}
	for (int32_t i = 0; i < breaking->bodies.count; ++i)
	{
		const brBreakBody* record = brBreaking_Body(breaking, i);
		if (record != NULL && record->cluster >= 0)
		{
			loadJudgeCluster(world, i, dt);
		}
		else if (record != NULL && record->strength < INFINITY)
		{
			if (!loadLook(world, i, dt))
			{
				return false;
			}
		}
	}
	return true;
}

void brBreaking_KeepLoads(brWorld* world)
{
	brBreaking* breaking = &world->breaking;
	for (int32_t i = 0; i < breaking->loads.count && i < breaking->bodies.count; ++i)
	{
		const brBreakLoad* load = &breaking->loads.data[i];
		brBreakBody* record = brBreaking_Body(breaking, i);
		if (record != NULL && load->generation == world->dynamics.bodies.data[i].generation)
		{
			record->lastLoad = load->impulse;
			record->restForce = fmax(record->restForce, load->judged);
			record->lastFastest = breaking->loadFastest;
		}
	}
	breaking->loads.count = 0;
}
