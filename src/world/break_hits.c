// SPDX-License-Identifier: MIT

// Which bodies are hit too hard in this step.
//
// A contact point with separation s whose bodies close at u, pulled together at a by gravity, is hit within the time t if u t + a t^2 / 2 >= s, at
// the speed sqrt(u^2 + 2 a s). Where several points of a contact are, the middle of them is the hit, with the mean of their speeds.
// Points of fast pairs were found where the two will meet, so each body has a point of its own: where its surface is now.
//
// What is fast may reach several bodies within a step. A bullet that a wall stops does not break the pane behind it: hits that come later than one that
// neither side gave way to do not count.

#include "world/cluster.h"
#include "world/world_state.h"

#include <math.h>

#define BREAK_REACH 3.0     // depth of a hit in radii of curvature
#define BREAK_TOGETHER 0.05 // of a step: points that touch within this time are one hit
#define BREAK_SLOWEST 0.02  // hits below this are not looked at [m/s]
#define BREAK_STOPS 0.3     // of its mass: what stands in the way of something fast and holds, stops it

static brDVec3 breakVelocity(const brDynamics* dynamics, int32_t body, brDVec3 point)
{
	if (body < 0)
	{
		return brMakeDVec3(0.0, 0.0, 0.0);
	}
	const brBody* b = &dynamics->bodies.data[body];
	return brDAdd(b->velocity, brDCross(b->spin, brDSub(point, b->position)));
}

double brBreaking_Closing(const brDynamics* dynamics, const brHitSides* sides)
{
	brDVec3 a = breakVelocity(dynamics, sides->a, sides->pointA), b = breakVelocity(dynamics, sides->b, sides->pointB);
	return brDDot(brDSub(b, a), sides->normal);
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

double brBreaking_EffectiveMass(const brDynamics* dynamics, const brHitSides* sides)
{
	double sum = breakInverseMass(dynamics, sides->a, sides->pointA, sides->normal) +
				 breakInverseMass(dynamics, sides->b, sides->pointB, sides->normal);
	return sum > 0.0 ? 1.0 / sum : INFINITY;
}

static void breakPushBody(brDynamics* dynamics, int32_t body, brDVec3 point, brDVec3 impulse)
{
	brBody* b = &dynamics->bodies.data[body];
	b->velocity = brDMulAdd(b->velocity, b->invMass, impulse);
	b->spin = brDAdd(b->spin, breakTurn(b, brDCross(brDSub(point, b->position), impulse)));
}

void brBreaking_Push(brDynamics* dynamics, const brHitSides* sides, double impulse)
{
	breakPushBody(dynamics, sides->a, sides->pointA, brDMul(impulse, sides->normal));
	breakPushBody(dynamics, sides->b, sides->pointB, brDMul(-impulse, sides->normal));
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
	brHitSides sides;
	double speed;
	double time; // until then
} BreakTouch;

static BreakTouch breakTouch(const brDynamics* dynamics, const brContact* contact, const brManifold* manifold,
							 double dt)
{
	// The solver brakes what will touch in the substep after.
	double t = dt + dynamics->h;
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	brDVec3 normal = brQuat_Rotate(a->rotation, brToDVec3(manifold->normal)), toA = brDNeg(normal);
	BreakTouch touch = {.sides = {.a = contact->bodyA, .b = contact->bodyB, .normal = toA}, .time = INFINITY};
	double pull = breakPull(dynamics, contact->bodyB, toA) - breakPull(dynamics, contact->bodyA, toA);
	// When, where and how fast each point would touch; those that come first make the hit.
	double times[BR_MANIFOLD_POINTS], speeds[BR_MANIFOLD_POINTS], first = t;
	brHitSides points[BR_MANIFOLD_POINTS];
	for (int32_t k = 0; k < manifold->pointCount; ++k)
	{
		const brContactPoint* point = &manifold->points[k];
		// Made halfway between the surfaces.
		double half = 0.5 * (double)point->separation;
		brDVec3 pA = brDAdd(a->position, brQuat_Rotate(a->rotation, brToDVec3(point->anchorA)));
		brDVec3 pB = brDAdd(b->position, brQuat_Rotate(b->rotation, brToDVec3(point->anchorB)));
		points[k] = touch.sides;
		points[k].pointA = brDMulAdd(pA, -half, normal), points[k].pointB = brDMulAdd(pB, half, normal);
		double s = fmax(0.0, brDDot(normal, brDSub(points[k].pointB, points[k].pointA)));
		double u = brBreaking_Closing(dynamics, &points[k]);
		double squared = u * u + 2.0 * pull * s;
		bool isHit = u > 0.0 && squared > BREAK_SLOWEST * BREAK_SLOWEST && u * t + 0.5 * pull * t * t >= s;
		speeds[k] = isHit ? sqrt(squared) : 0.0;
		times[k] = isHit ? 2.0 * s / (u + speeds[k]) : INFINITY;
		first = fmin(first, times[k]);
	}
	double sum = 0.0;
	int32_t count = 0;
	brDVec3 onA = {0.0, 0.0, 0.0}, onB = {0.0, 0.0, 0.0};
	for (int32_t k = 0; k < manifold->pointCount; ++k)
	{
		if (times[k] <= first + BREAK_TOGETHER * dt)
		{
			sum += speeds[k];
			onA = brDAdd(onA, points[k].pointA);
			onB = brDAdd(onB, points[k].pointB);
			count += 1;
		}
	}
	if (count > 0)
	{
		touch.sides.pointA = brDMul(1.0 / count, onA);
		touch.sides.pointB = brDMul(1.0 / count, onB);
		touch.speed = sum / count;
		touch.time = first;
	}
	return touch;
}

// 1 / radius of curvature: from the hit to the center (thesis 6.7); what stands still counts as flat.
static double breakCurvature(const brDynamics* dynamics, int32_t body, brDVec3 point)
{
	const brBody* b = &dynamics->bodies.data[body];
	double distance = brDDistance(point, b->position);
	return b->kind == br_bodyDynamic && distance > 0.0 ? 1.0 / distance : 0.0;
}

// Whether any hit breaks a body. Pieces have stood what made them; what is left of a cluster meets the same hit with other bonds.
static bool breakCanBreak(const brWorld* world, int32_t body)
{
	const brBreakBody* record = brBreaking_Body(&world->breaking, body);
	bool isStrong = record == NULL || !(record->strength < INFINITY) || world->dynamics.bodies.data[body].isNewborn;
	return record != NULL && (record->cluster >= 0 || !isStrong);
}

// Does the first body give way to the hit by the second? `outHasMemory` is cleared if there was none to find out.
static bool breakJudge(brWorld* world, const BreakTouch* touch, bool* outHasMemory)
{
	int32_t a = touch->sides.a, b = touch->sides.b;
	brDVec3 normal = touch->sides.normal;
	brDynamics* dynamics = &world->dynamics;
	brBreakBody* record = brBreaking_Body(&world->breaking, a);
	if (!breakCanBreak(world, a))
	{
		return false;
	}
	bool isCluster = record->cluster >= 0;
	if (record->hit.isWaiting)
	{
		return true;
	}
	const brBreakSettings* settings = &world->breaking.settings.data[record->settings];
	const brBreakBody* other = brBreaking_Body(&world->breaking, b);
	// Pieces of one body jostle as they part; what that could break is broken already.
	if (other != NULL && record->parent.index1 != 0 && record->parent.index1 == other->parent.index1 &&
		record->parent.generation == other->parent.generation)
	{
		return false;
	}
	double otherCurvature = breakCurvature(dynamics, b, touch->sides.pointB);
	double curvature = breakCurvature(dynamics, a, touch->sides.pointA) + otherCurvature;
	brImpactDef def = brDefaultImpactDef();
	def.a = &settings->def.material;
	def.b = other != NULL ? &world->breaking.settings.data[other->settings].def.material : NULL;
	def.mass = brBreaking_EffectiveMass(dynamics, &touch->sides);
	def.radius = curvature > 0.0 ? 1.0 / curvature : record->measure.radius;
	def.speed = touch->speed;
	// A hit loads a body no deeper than some times the size of what hits, however thick it is.
	double deepest = 2.0 * BREAK_REACH * def.radius;
	def.thickness = fmin(record->measure.thickness, deepest);
	if (!isfinite(def.mass))
	{
		return false;
	}
	// Most contacts are far below; those that are not are looked at closely.
	def.thickness = isCluster ? deepest : def.thickness;
	brImpact guess = brComputeImpact(&def);
	if (isCluster ? !brCluster_IsMoved(world->breaking.clusters.data[record->cluster], def.a, guess.force, guess.energy)
				  : guess.stress < record->strength)
	{
		return false;
	}
	brTransform pose = brWorld_GetPose(world, brDynamics_BodyId(dynamics, a));
	// The middle of several points may lie beside the body: under a foot ring, or in the hollow of what collides as its hull.
	const brHitSurface* surface = brBreaking_Surface(world, a);
	if (surface == NULL)
	{
		*outHasMemory = false;
		return false;
	}
	brDVec3 point = brHitSurface_Nearest(surface, brTransform_InvPoint(pose, touch->sides.pointA));
	brDVec3 inward = brQuat_InvRotate(pose.q, normal);
	double chord = brHitSurface_Chord(surface, point, inward);
	// Lines that cut a corner off are no measure of what holds there.
	def.thickness = fmin(fmax(chord, record->measure.thickness), deepest);
	brImpact impact = brComputeImpact(&def);
	// Whether a cluster stands it is decided by its bonds.
	bool isWorse = !record->hit.isThere || impact.stress > record->hit.stress;
	if (!isCluster && impact.stress < record->strength)
	{
		return false;
	}
	if (!isWorse)
	{
		return true;
	}
	double least = isCluster ? 0.0 : brThresholdSpeed(&def, record->strength);
	record->hit = (brHit){
		.point = point,
		.inward = inward,
		.normal = normal,
		.otherPoint = touch->sides.pointB,
		.speed = touch->speed,
		.time = touch->time,
		.mass = def.mass,
		.stress = impact.stress,
		.force = impact.force,
		.reach = otherCurvature > 0.0 ? 1.0 / otherCurvature : 0.0,
		.energy = settings->def.efficiency * fmax(0.0, impact.energy - 0.5 * def.mass * least * least),
		.other = b,
		.otherGeneration = dynamics->bodies.data[b].generation,
		.isThere = true,
	};
	return true;
}

// What is fast for its size, as far as it is met ahead of where it is.
static bool breakIsFast(const brDynamics* dynamics, int32_t body)
{
	const brBodyFrame* frame = &brDynamics_Frames(dynamics)[body];
	return frame->speed > 0.5f * frame->radius && frame->radius > 0.0f;
}

// B holds, and stops A if that is fast. What is much lighter is pushed aside.
static void breakStop(brWorld* world, int32_t a, int32_t b, double time)
{
	const brBody *bodyA = &world->dynamics.bodies.data[a], *bodyB = &world->dynamics.bodies.data[b];
	bool isHeavy = bodyB->kind != br_bodyDynamic || bodyB->mass > BREAK_STOPS * bodyA->mass;
	if (isHeavy && breakIsFast(&world->dynamics, a))
	{
		world->breaking.stops.data[a] = fmin(world->breaking.stops.data[a], time);
	}
}

// Hits by what had been stopped before.
static void breakDropLate(brWorld* world)
{
	brBreaking* breaking = &world->breaking;
	for (int32_t i = 0; i < breaking->bodies.count; ++i)
	{
		brBreakBody* record = brBreaking_Body(breaking, i);
		if (record != NULL && record->hit.isThere && !record->hit.isWaiting && record->hit.other >= 0)
		{
			double end = fmin(breaking->stops.data[i], breaking->stops.data[record->hit.other]);
			record->hit.isThere = record->hit.time <= end;
		}
	}
}

bool brBreaking_FindHits(brWorld* world, double dt)
{
	brDynamics* dynamics = &world->dynamics;
	brBreaking* breaking = &world->breaking;
	breaking->stops.count = 0;
	if (!BR_RESERVE(&dynamics->allocator, &breaking->stops, dynamics->bodies.count))
	{
		return false;
	}
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		breaking->stops.data[breaking->stops.count++] = INFINITY;
	}
	bool hasMemory = true;
	for (int32_t i = 0; i < dynamics->pairs.count && hasMemory; ++i)
	{
		const brContact* contact = &dynamics->contacts.data[dynamics->pairs.data[i].contact];
		int32_t a = contact->bodyA, b = contact->bodyB;
		bool isMoving = brBody_IsMoving(&dynamics->bodies.data[a]) || brBody_IsMoving(&dynamics->bodies.data[b]);
		// Most pairs are of what has broken as far as it will: a hit there matters only to what is fast and may be stopped.
		bool matters = isMoving && (breakCanBreak(world, a) || breakCanBreak(world, b) || breakIsFast(dynamics, a) ||
									breakIsFast(dynamics, b));
		for (int32_t k = 0; matters && k < contact->manifoldCount; ++k)
		{
			BreakTouch touch = breakTouch(dynamics, contact, brContact_Manifold(dynamics, contact, k), dt);
			if (!(touch.speed > 0.0))
			{
				continue;
			}
			BreakTouch turned = touch;
			turned.sides = (brHitSides){b, a, touch.sides.pointB, touch.sides.pointA, brDNeg(touch.sides.normal)};
			bool isBrokenA = breakJudge(world, &touch, &hasMemory);
			bool isBrokenB = breakJudge(world, &turned, &hasMemory);
			if (!isBrokenA && !isBrokenB)
			{
				breakStop(world, a, b, touch.time);
				breakStop(world, b, a, touch.time);
			}
		}
	}
	breakDropLate(world);
	return hasMemory;
}
