// SPDX-License-Identifier: MIT

// Which bodies are hit too hard in this step.
//
// A contact point with separation s whose bodies close at u, pulled together at a by gravity, is hit within the time t if u t + a t^2 / 2 >= s, at
// the speed sqrt(u^2 + 2 a s). Where several points of a contact are, the middle of them is the hit, with the mean of their speeds.

#include "world/cluster.h"
#include "world/world_state.h"

#include <math.h>

#define BREAK_REACH 3.0     // depth of a hit in radii of curvature
#define BREAK_TOGETHER 0.05 // of a step: points that touch within this time are one hit
#define BREAK_SLOWEST 0.02  // hits below this are not looked at [m/s]

static brDVec3 breakVelocity(const brDynamics* dynamics, int32_t body, brDVec3 point)
{
	if (body < 0)
	{
		return brMakeDVec3(0.0, 0.0, 0.0);
	}
	const brBody* b = &dynamics->bodies.data[body];
	return brDAdd(b->velocity, brDCross(b->spin, brDSub(point, b->position)));
}

double brBreaking_Closing(const brDynamics* dynamics, int32_t a, int32_t b, brDVec3 point, brDVec3 normal)
{
	brDVec3 relative = brDSub(breakVelocity(dynamics, b, point), breakVelocity(dynamics, a, point));
	return brDDot(relative, normal);
}

// Inverse inertia times a vector, in the world.
static brDVec3 breakTurn(const brBody* body, brDVec3 torque)
{
	brDVec3 t = brQuat_InvRotate(body->rotation, torque);
	t = brMakeDVec3(t.x * body->invInertia.x, t.y * body->invInertia.y, t.z * body->invInertia.z);
	return brQuat_Rotate(body->rotation, t);
}

static double breakInverseMass(const brDynamics* dynamics, int32_t body, brDVec3 point, brDVec3 normal)
{
	if (body < 0)
	{
		return 0.0;
	}
	const brBody* b = &dynamics->bodies.data[body];
	brDVec3 lever = brDCross(brDSub(point, b->position), normal);
	return b->invMass + brDDot(lever, breakTurn(b, lever));
}

double brBreaking_EffectiveMass(const brDynamics* dynamics, int32_t a, int32_t b, brDVec3 point, brDVec3 normal)
{
	double sum = breakInverseMass(dynamics, a, point, normal) + breakInverseMass(dynamics, b, point, normal);
	return sum > 0.0 ? 1.0 / sum : INFINITY;
}

static void breakPushBody(brDynamics* dynamics, int32_t body, brDVec3 point, brDVec3 impulse)
{
	brBody* b = &dynamics->bodies.data[body];
	b->velocity = brDMulAdd(b->velocity, b->invMass, impulse);
	b->spin = brDAdd(b->spin, breakTurn(b, brDCross(brDSub(point, b->position), impulse)));
}

void brBreaking_Push(brDynamics* dynamics, int32_t a, int32_t b, brDVec3 point, brDVec3 normal, double impulse)
{
	breakPushBody(dynamics, a, point, brDMul(impulse, normal));
	breakPushBody(dynamics, b, point, brDMul(-impulse, normal));
}

static double breakPull(const brDynamics* dynamics, int32_t body, brDVec3 normal)
{
	const brBody* b = &dynamics->bodies.data[body];
	bool isPulled = b->kind == br_bodyDynamic && brBody_IsMoving(b);
	return isPulled ? (double)b->gravityScale * brDDot(dynamics->def.gravity, normal) : 0.0;
}

// The hit of one contact: its place on the surfaces of both, and speed > 0, or 0.
typedef struct BreakTouch
{
	brDVec3 pointA, pointB;
	brDVec3 normal; // from A to B
	double speed;
} BreakTouch;

static BreakTouch breakTouch(const brDynamics* dynamics, const brContact* contact, const brManifold* manifold,
							 double dt)
{
	// The solver brakes what will touch in the substep after.
	double t = dt + dynamics->h;
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	BreakTouch touch = {.normal = brQuat_Rotate(a->rotation, brToDVec3(manifold->normal))};
	brDVec3 toA = brDNeg(touch.normal), middle = {0.0, 0.0, 0.0};
	double pull = breakPull(dynamics, contact->bodyB, toA) - breakPull(dynamics, contact->bodyA, toA);
	// When, where and how fast each point would touch; those that come first make the hit.
	double times[BR_MANIFOLD_POINTS], speeds[BR_MANIFOLD_POINTS], gaps[BR_MANIFOLD_POINTS], first = t;
	brDVec3 points[BR_MANIFOLD_POINTS];
	for (int32_t k = 0; k < manifold->pointCount; ++k)
	{
		const brContactPoint* point = &manifold->points[k];
		brDVec3 pA = brDAdd(a->position, brQuat_Rotate(a->rotation, brToDVec3(point->anchorA)));
		brDVec3 pB = brDAdd(b->position, brQuat_Rotate(b->rotation, brToDVec3(point->anchorB)));
		double s = fmax(0.0, (double)point->separation + brDDot(touch.normal, brDSub(pB, pA)));
		double u = brBreaking_Closing(dynamics, contact->bodyA, contact->bodyB, pA, toA);
		double squared = u * u + 2.0 * pull * s;
		bool isHit = u > 0.0 && squared > BREAK_SLOWEST * BREAK_SLOWEST && u * t + 0.5 * pull * t * t >= s;
		points[k] = pA;
		gaps[k] = s;
		speeds[k] = isHit ? sqrt(squared) : 0.0;
		times[k] = isHit ? 2.0 * s / (u + speeds[k]) : INFINITY;
		first = fmin(first, times[k]);
	}
	double sum = 0.0, apart = 0.0;
	int32_t count = 0;
	for (int32_t k = 0; k < manifold->pointCount; ++k)
	{
		if (times[k] <= first + BREAK_TOGETHER * dt)
		{
			sum += speeds[k];
			apart += gaps[k];
			middle = brDAdd(middle, points[k]);
			count += 1;
		}
	}
	if (count > 0)
	{
		// Contact points lie halfway between the surfaces.
		middle = brDMul(1.0 / count, middle);
		touch.pointA = brDMulAdd(middle, -0.5 * apart / count, touch.normal);
		touch.pointB = brDMulAdd(middle, 0.5 * apart / count, touch.normal);
		touch.speed = sum / count;
	}
	return touch;
}

// 1 / radius of curvature: from the hit to the centre (thesis 6.7); what stands still counts as flat.
static double breakCurvature(const brDynamics* dynamics, int32_t body, brDVec3 point)
{
	const brBody* b = &dynamics->bodies.data[body];
	double distance = brDDistance(point, b->position);
	return b->kind == br_bodyDynamic && distance > 0.0 ? 1.0 / distance : 0.0;
}

// Does body A stand the hit by B?
static void breakJudge(brWorld* world, int32_t a, int32_t b, const BreakTouch* touch)
{
	brDVec3 normal = brDNeg(touch->normal);
	brDynamics* dynamics = &world->dynamics;
	brBreakBody* record = brBreaking_Body(&world->breaking, a);
	bool isCluster = record != NULL && record->cluster >= 0;
	// Pieces have stood what made them; what is left of a cluster meets the same hit with other bonds.
	if (dynamics->bodies.data[a].isNewborn && !isCluster)
	{
		return;
	}
	if (record == NULL || (!isCluster && !(record->strength < INFINITY)) || record->hit.isWaiting)
	{
		return;
	}
	const brBreakSettings* settings = &world->breaking.settings.data[record->settings];
	const brBreakBody* other = brBreaking_Body(&world->breaking, b);
	// Pieces of one body jostle as they part; what that could break is broken already.
	if (other != NULL && record->parent.index1 != 0 && record->parent.index1 == other->parent.index1 &&
		record->parent.generation == other->parent.generation)
	{
		return;
	}
	double curvature = breakCurvature(dynamics, a, touch->pointA) + breakCurvature(dynamics, b, touch->pointB);
	brImpactDef def = brDefaultImpactDef();
	def.a = &settings->def.material;
	def.b = other != NULL ? &world->breaking.settings.data[other->settings].def.material : NULL;
	def.mass = brBreaking_EffectiveMass(dynamics, a, b, touch->pointA, normal);
	def.radius = curvature > 0.0 ? 1.0 / curvature : record->measure.radius;
	def.speed = touch->speed;
	// A hit loads a body no deeper than some times the size of what hits, however thick it is.
	double deepest = 2.0 * BREAK_REACH * def.radius;
	def.thickness = fmin(record->measure.thickness, deepest);
	if (!isfinite(def.mass))
	{
		return;
	}
	// Most contacts are far below; those that are not are looked at closely.
	def.thickness = isCluster ? deepest : def.thickness;
	brImpact guess = brComputeImpact(&def);
	if (isCluster ? !brCluster_IsMoved(world->breaking.clusters.data[record->cluster], def.a, guess.force, guess.energy)
				  : guess.stress < record->strength)
	{
		return;
	}
	brTransform pose = brWorld_GetPose(world, brDynamics_BodyId(dynamics, a));
	// The middle of several points may lie beside the body: under a foot ring, or in the hollow of what collides as its hull.
	brDVec3 point = brMesh_Nearest(record->mesh, brTransform_InvPoint(pose, touch->pointA));
	brDVec3 inward = brQuat_InvRotate(pose.q, normal);
	double chord = brMesh_Chord(record->mesh, point, inward, NULL);
	// Lines that cut a corner off are no measure of what holds there.
	def.thickness = fmin(fmax(chord, record->measure.thickness), deepest);
	brImpact impact = brComputeImpact(&def);
	// Whether a cluster stands it is decided by its bonds.
	bool isWorse = !record->hit.isThere || impact.stress > record->hit.stress;
	if (!isWorse || (!isCluster && impact.stress < record->strength))
	{
		return;
	}
	double least = isCluster ? 0.0 : brThresholdSpeed(&def, record->strength);
	record->hit = (brHit){
		.point = point,
		.inward = inward,
		.normal = normal,
		.speed = touch->speed,
		.mass = def.mass,
		.stress = impact.stress,
		.force = impact.force,
		.reach =
			breakCurvature(dynamics, b, touch->pointB) > 0.0 ? 1.0 / breakCurvature(dynamics, b, touch->pointB) : 0.0,
		.energy = settings->def.efficiency * fmax(0.0, impact.energy - 0.5 * def.mass * least * least),
		.other = b,
		.otherGeneration = dynamics->bodies.data[b].generation,
		.isThere = true,
	};
}

void brBreaking_FindHits(brWorld* world, double dt)
{
	brDynamics* dynamics = &world->dynamics;
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = &dynamics->contacts.data[dynamics->pairs.data[i].contact];
		bool canBreak = brBreaking_Body(&world->breaking, contact->bodyA) != NULL ||
						brBreaking_Body(&world->breaking, contact->bodyB) != NULL;
		bool isMoving = brBody_IsMoving(&dynamics->bodies.data[contact->bodyA]) ||
						brBody_IsMoving(&dynamics->bodies.data[contact->bodyB]);
		for (int32_t k = 0; canBreak && isMoving && k < contact->manifoldCount; ++k)
		{
			BreakTouch touch = breakTouch(dynamics, contact, brContact_Manifold(dynamics, contact, k), dt);
			BreakTouch turned = {touch.pointB, touch.pointA, brDNeg(touch.normal), touch.speed};
			breakJudge(world, contact->bodyA, contact->bodyB, &touch);
			breakJudge(world, contact->bodyB, contact->bodyA, &turned);
		}
	}
}
