// SPDX-License-Identifier: MIT

// Which bodies are hit too hard in this step.
//
// A contact point with separation s whose bodies close at u, pulled together at a by gravity, is hit within the step if u dt + a dt^2 / 2 >= s, at
// the speed sqrt(u^2 + 2 a s). Where several points of a contact are, the middle of them is the hit, with the mean of their speeds.

#include "world/break_state.h"
#include "world/world_state.h"

#include <math.h>

#define BREAK_SLOWEST 0.02 // hits below this are not looked at [m/s]

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

// The hit of one contact: its place, and speed > 0, or 0.
typedef struct BreakTouch
{
	brDVec3 point, normal; // from A to B
	double speed;
} BreakTouch;

static BreakTouch breakTouch(const brDynamics* dynamics, const brContact* contact, double dt)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	BreakTouch touch = {.normal = brQuat_Rotate(a->rotation, brToDVec3(contact->normal))};
	brDVec3 toA = brDNeg(touch.normal), middle = {0.0, 0.0, 0.0};
	double pull = breakPull(dynamics, contact->bodyB, toA) - breakPull(dynamics, contact->bodyA, toA), sum = 0.0;
	int32_t count = 0;
	for (int32_t k = 0; k < contact->pointCount; ++k)
	{
		const brContactPoint* point = &contact->points[k];
		brDVec3 pA = brDAdd(a->position, brQuat_Rotate(a->rotation, brToDVec3(point->anchorA)));
		brDVec3 pB = brDAdd(b->position, brQuat_Rotate(b->rotation, brToDVec3(point->anchorB)));
		double s = fmax(0.0, (double)point->separation + brDDot(touch.normal, brDSub(pB, pA)));
		double u = brBreaking_Closing(dynamics, contact->bodyA, contact->bodyB, pA, toA);
		double squared = u * fabs(u) + 2.0 * pull * s;
		if (u > 0.0 && squared > BREAK_SLOWEST * BREAK_SLOWEST && u * dt + 0.5 * pull * dt * dt >= s)
		{
			sum += sqrt(squared);
			middle = brDAdd(middle, pA);
			count += 1;
		}
	}
	if (count > 0)
	{
		touch.point = brDMul(1.0 / count, middle);
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

// Does body A stand the hit by B? `normal` points into A.
static void breakJudge(brWorld* world, int32_t a, int32_t b, const BreakTouch* touch, brDVec3 normal)
{
	brDynamics* dynamics = &world->dynamics;
	brBreakBody* record = brBreaking_Body(&world->breaking, a);
	if (record == NULL || !(record->strength < INFINITY) || record->hit.isWaiting)
	{
		return;
	}
	const brBreakSettings* settings = &world->breaking.settings.data[record->settings];
	const brBreakBody* other = brBreaking_Body(&world->breaking, b);
	double curvature = breakCurvature(dynamics, a, touch->point) + breakCurvature(dynamics, b, touch->point);
	brImpactDef def = brDefaultImpactDef();
	def.a = &settings->def.material;
	def.b = other != NULL ? &world->breaking.settings.data[other->settings].def.material : NULL;
	def.mass = brBreaking_EffectiveMass(dynamics, a, b, touch->point, normal);
	def.radius = curvature > 0.0 ? 1.0 / curvature : record->measure.radius;
	def.speed = touch->speed;
	def.thickness = 0.5 * record->measure.thickness; // no wall is thinner, or hardly any
	if (!isfinite(def.mass) || brComputeImpact(&def).stress < record->strength)
	{
		return;
	}
	brTransform pose = brWorld_GetPose(world, brDynamics_BodyId(dynamics, a));
	brDVec3 point = brTransform_InvPoint(pose, touch->point), inward = brQuat_InvRotate(pose.q, normal);
	double chord = brMesh_Chord(record->mesh, point, inward, NULL);
	def.thickness = chord > 0.0 ? fmax(chord, def.thickness) : record->measure.thickness;
	brImpact impact = brComputeImpact(&def);
	if (impact.stress < record->strength || (record->hit.isThere && impact.stress <= record->hit.stress))
	{
		return;
	}
	double least = brThresholdSpeed(&def, record->strength);
	record->hit = (brHit){
		.point = point,
		.inward = inward,
		.normal = normal,
		.speed = touch->speed,
		.mass = def.mass,
		.stress = impact.stress,
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
		if (!canBreak || !isMoving || contact->pointCount == 0)
		{
			continue;
		}
		BreakTouch touch = breakTouch(dynamics, contact, dt);
		if (touch.speed > 0.0)
		{
			breakJudge(world, contact->bodyA, contact->bodyB, &touch, brDNeg(touch.normal));
			breakJudge(world, contact->bodyB, contact->bodyA, &touch, touch.normal);
		}
	}
}
