// SPDX-License-Identifier: MIT

// Slaps: touches of two bodies after their first one, within one step.
//
// A body that lands on a corner swings over and hits the ground with its other end, often harder than it fell. Where
// both happen within a step, the closing speeds at its start do not say how hard. So the pair is followed from touch to
// touch, with the contact points of the step's start: free flight until the next points touch, an impulse at each of
// these with restitution and friction, and so on. Normals keep their direction. Cost: at most SLAP_EVENTS flights of
// SLAP_ROUNDS passes over 16 points.

#include "world/break_state.h"

#include <math.h>

#define SLAP_EVENTS 24    // flights that are followed
#define SLAP_ROUNDS 24    // passes over the points that touch together
#define SLAP_SHORT 1e-6   // the shortest flight, as a share of the step
#define SLAP_LEVEL 1e-3   // points nearer than this share of the smaller radius touch
#define SLAP_BOUNCES 0.5f // restitution above which a corner bounces
#define SLAP_SLOWEST 0.1  // slower touches are left out [m/s]

typedef struct SlapBody
{
	brDVec3 position, velocity, spin, pull;
	brQuat rotation, turn; // the second since the start
	double invMass;
	brDVec3 invInertia;
} SlapBody;

typedef struct SlapPoint
{
	brHitSides sides; // at the start
	brDVec3 arms[2];  // from the centers, at the start
	brDVec3 armsNow[2];
	double giveNow; // 1 / effective mass along the normal
	double wanted;  // closing speed that the present impulse is to leave
	double impulse;
	brDVec3 friction;
	bool isTouching;
	double speed;    // of the hardest touch after the first
	brQuat turns[2]; // of both bodies from the start to that touch
} SlapPoint;

typedef struct SlapPair
{
	SlapBody bodies[2];
	SlapPoint points[BR_CONTACT_POINTS];
	int32_t count;
	double friction, restitution, bounceSpeed, level;
} SlapPair;

static SlapBody slapBody(const brDynamics* dynamics, int32_t index)
{
	const brBody* body = &dynamics->bodies.data[index];
	SlapBody out = {.position = body->position, .rotation = body->rotation, .turn = brMakeQuatIdentity()};
	if (brBody_IsMoving(body))
	{
		out.velocity = body->velocity, out.spin = body->spin;
	}
	if (body->kind == br_bodyDynamic)
	{
		out.pull = brDMul((double)body->gravityScale, dynamics->def.gravity);
		out.invMass = body->invMass, out.invInertia = body->invInertia;
	}
	return out;
}

static void slapFlyBody(SlapBody* body, double time)
{
	double angle = time * brDLength(body->spin);
	body->position = brDMulAdd(brDMulAdd(body->position, time, body->velocity), 0.5 * time * time, body->pull);
	body->velocity = brDMulAdd(body->velocity, time, body->pull);
	if (angle > 0.0)
	{
		brQuat turn = brMakeQuatAxisAngle(brDMul(time / angle, body->spin), angle);
		body->turn = brQuat_Normalize(brQuat_Mul(turn, body->turn));
		body->rotation = brQuat_Normalize(brQuat_Mul(turn, body->rotation));
	}
}

static void slapFly(SlapPair* pair, double time)
{
	for (int k = 0; k < 2; ++k)
	{
		slapFlyBody(&pair->bodies[k], time);
		for (int32_t i = 0; i < pair->count; ++i)
		{
			pair->points[i].armsNow[k] = brQuat_Rotate(pair->bodies[k].turn, pair->points[i].arms[k]);
		}
	}
}

// Velocity of B against A at a point.
static brDVec3 slapApproach(const SlapPair* pair, const SlapPoint* point)
{
	const SlapBody *a = &pair->bodies[0], *b = &pair->bodies[1];
	brDVec3 ofA = brDAdd(a->velocity, brDCross(a->spin, point->armsNow[0]));
	return brDSub(brDAdd(b->velocity, brDCross(b->spin, point->armsNow[1])), ofA);
}

static double slapGap(const SlapPair* pair, const SlapPoint* point)
{
	brDVec3 a = brDAdd(pair->bodies[0].position, point->armsNow[0]);
	brDVec3 b = brDAdd(pair->bodies[1].position, point->armsNow[1]);
	return brDDot(point->sides.normal, brDSub(a, b));
}

static brDVec3 slapTurn(const SlapBody* body, brDVec3 torque)
{
	brDVec3 t = brQuat_InvRotate(body->rotation, torque), i = body->invInertia;
	return brQuat_Rotate(body->rotation, brMakeDVec3(t.x * i.x, t.y * i.y, t.z * i.z));
}

// 1 / mass along a direction at a point.
static double slapGive(const SlapPair* pair, const SlapPoint* point, brDVec3 direction)
{
	double give = 0.0;
	for (int k = 0; k < 2; ++k)
	{
		brDVec3 lever = brDCross(point->armsNow[k], direction);
		give += pair->bodies[k].invMass + brDDot(lever, slapTurn(&pair->bodies[k], lever));
	}
	return give;
}

// Into A and out of B.
static void slapPush(SlapPair* pair, const SlapPoint* point, brDVec3 impulse)
{
	for (int k = 0; k < 2; ++k)
	{
		SlapBody* body = &pair->bodies[k];
		brDVec3 own = k == 0 ? impulse : brDNeg(impulse);
		body->velocity = brDMulAdd(body->velocity, body->invMass, own);
		body->spin = brDAdd(body->spin, slapTurn(body, brDCross(point->armsNow[k], own)));
	}
}

// The normal impulse of a point, then its friction up to that times the coefficient. Returns whether either has changed.
static bool slapSolvePoint(SlapPair* pair, SlapPoint* point)
{
	brDVec3 n = point->sides.normal;
	double before = point->impulse;
	point->impulse = fmax(0.0, before + (brDDot(slapApproach(pair, point), n) - point->wanted) / point->giveNow);
	slapPush(pair, point, brDMul(point->impulse - before, n));
	brDVec3 slip = slapApproach(pair, point);
	slip = brDMulAdd(slip, -brDDot(slip, n), n);
	double speed = brDLength(slip), most = pair->friction * point->impulse;
	if (!(speed > 0.0) || (most == 0.0 && before == 0.0))
	{
		return point->impulse != before;
	}
	brDVec3 old = point->friction,
			wanted = brDMulAdd(old, 1.0 / slapGive(pair, point, brDMul(1.0 / speed, slip)), slip);
	double size = brDLength(wanted);
	point->friction = size > most ? brDMul(most / size, wanted) : wanted;
	slapPush(pair, point, brDSub(point->friction, old));
	return point->impulse != before || brDDistance(point->friction, old) > 0.0;
}

// Solves the impulses of all points that touch. `isLater`: not the first touch, which was judged by the closing speeds
// at the start.
static void slapHit(SlapPair* pair, bool isLater)
{
	for (int32_t i = 0; i < pair->count; ++i)
	{
		SlapPoint* point = &pair->points[i];
		double closing = brDDot(slapApproach(pair, point), point->sides.normal);
		point->isTouching = slapGap(pair, point) <= pair->level;
		point->giveNow = point->isTouching ? slapGive(pair, point, point->sides.normal) : 0.0;
		point->impulse = 0.0;
		point->friction = brMakeDVec3(0.0, 0.0, 0.0);
		point->wanted = closing > pair->bounceSpeed ? -pair->restitution * closing : 0.0;
		if (isLater && point->isTouching && closing > point->speed)
		{
			point->speed = closing;
			point->turns[0] = pair->bodies[0].turn, point->turns[1] = pair->bodies[1].turn;
		}
	}
	bool isMoving = true;
	for (int32_t round = 0; round < SLAP_ROUNDS && isMoving; ++round)
	{
		isMoving = false;
		for (int32_t i = 0; i < pair->count; ++i)
		{
			isMoving |= pair->points[i].isTouching && slapSolvePoint(pair, &pair->points[i]);
		}
	}
}

// Time until the next point touches faster than SLAP_SLOWEST; INFINITY: none does. 0 for a point that touches and
// closes already.
static double slapNext(const SlapPair* pair)
{
	double next = INFINITY;
	for (int32_t i = 0; i < pair->count; ++i)
	{
		const SlapPoint* point = &pair->points[i];
		brDVec3 n = point->sides.normal;
		double gap = slapGap(pair, point), closing = brDDot(slapApproach(pair, point), n);
		double pull = brDDot(brDSub(pair->bodies[1].pull, pair->bodies[0].pull), n);
		double squared = closing * closing + 2.0 * pull * fmax(gap, 0.0);
		bool isClosing = closing > 0.0 && squared > SLAP_SLOWEST * SLAP_SLOWEST;
		double time = isClosing ? 2.0 * fmax(gap, 0.0) / (closing + sqrt(squared)) : INFINITY;
		next = fmin(next, time);
	}
	return next;
}

static bool slapStart(const brDynamics* dynamics, const brContact* contact, SlapPair* pair)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	float radius = brSmallerSize(frames[contact->bodyA].radius, frames[contact->bodyB].radius);
	*pair = (SlapPair){.bodies = {slapBody(dynamics, contact->bodyA), slapBody(dynamics, contact->bodyB)}};
	pair->level = SLAP_LEVEL * (double)radius;
	pair->friction = sqrt((double)a->friction * (double)b->friction);
	// A corner with others close behind it stays down in the solver, unless it bounces well.
	float restitution = fmaxf(a->restitution, b->restitution);
	pair->restitution = restitution > SLAP_BOUNCES ? (double)restitution : 0.0;
	pair->bounceSpeed = dynamics->def.restitutionSpeed;
	for (int32_t m = 0; m < contact->manifoldCount; ++m)
	{
		for (int32_t k = 0; k < brContact_Manifold(dynamics, contact, m)->pointCount; ++k)
		{
			SlapPoint* point = &pair->points[pair->count++];
			point->sides = brBreaking_Sides(dynamics, contact, m, k);
			point->arms[0] = brDSub(point->sides.pointA, pair->bodies[0].position);
			point->arms[1] = brDSub(point->sides.pointB, pair->bodies[1].position);
		}
	}
	return pair->count > 1;
}

// A touch as one of the two feels it.
static brBlowTouch slapTouch(const SlapPoint* point, int k, double time)
{
	const brHitSides* s = &point->sides;
	brBlowTouch touch = {.speed = point->speed, .time = time};
	touch.sides = k == 0 ? *s : (brHitSides){s->b, s->a, s->pointB, s->pointA, brDNeg(s->normal)};
	touch.inward = brQuat_InvRotate(point->turns[k], touch.sides.normal);
	return touch;
}

int32_t brBreaking_FindSlaps(const brDynamics* dynamics, const brContact* contact, double first, double until,
							 brBlowTouch out[2 * BR_CONTACT_POINTS])
{
	SlapPair pair;
	if (!slapStart(dynamics, contact, &pair))
	{
		return 0;
	}
	double now = first, least = SLAP_SHORT * until;
	slapFly(&pair, first);
	slapHit(&pair, false);
	for (int32_t event = 0; event < SLAP_EVENTS; ++event)
	{
		double time = fmax(slapNext(&pair), least);
		if (!(now + time <= until))
		{
			break;
		}
		slapFly(&pair, time);
		now += time;
		slapHit(&pair, true);
	}
	int32_t count = 0;
	for (int32_t i = 0; i < pair.count; ++i)
	{
		if (pair.points[i].speed > 0.0)
		{
			out[count++] = slapTouch(&pair.points[i], 0, first);
			out[count++] = slapTouch(&pair.points[i], 1, first);
		}
	}
	return count;
}
