// SPDX-License-Identifier: MIT

// Slaps: touches of two bodies after their first one, within one step.
//
// A body that lands on a corner swings over and hits the ground with its other end, often harder than it fell. Where
// both happen within a step, the closing speeds at its start do not say how hard. So the pair is followed from touch to
// touch: free flight until the next points touch, an impulse at each of these with restitution and friction, and so on.
// Normals keep their direction. Cost: at most SLAP_EVENTS flights of SLAP_ROUNDS passes over the points.
//
// The points are those of the contact as the step begins. On a plane they are places of the body itself: the lowest
// vertices as it lies and as it would lie turned by up to forty degrees any way. A contact has only what is near as the
// step begins, and what turns by twenty degrees until it lands comes down on another end. There the first touch is
// found so too.

#include "world/world_state.h"

#include <math.h>

#define SLAP_EVENTS 24    // flights that are followed
#define SLAP_ROUNDS 24    // passes over the points that touch together
#define SLAP_SHORT 1e-6   // the shortest flight, as a share of the step
#define SLAP_LEVEL 1e-3   // points nearer than this share of the smaller radius touch
#define SLAP_BOUNCES 0.5f // restitution above which a corner bounces
#define SLAP_SLOWEST 0.1  // slower touches are left out [m/s]
#define SLAP_TURNS 0.02   // what turns by less in a step touches where it would unturned
#define SLAP_RINGS 4      // of directions about the one down
#define SLAP_FAN (1 + 8 * SLAP_RINGS)
#define SLAP_DIAGONAL 0.7071067811865476
#define SLAP_APART 0.05 // of the radius: places nearer to each other are one
#define SLAP_FASTER 2.0 // times as fast as at first: no touch makes a body's surface

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
	double speed;    // of the hardest touch that counts
	double mass;     // effective, at that touch
	brQuat turns[2]; // of both bodies from the start to that touch
} SlapPoint;

typedef struct SlapPair
{
	SlapBody bodies[2];
	SlapPoint points[BR_TOUCH_POINTS];
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

// Solves the impulses of all points that touch, and returns whether any did and was closing. `counts`: the touch is one
// of those that are looked for.
static bool slapHit(SlapPair* pair, bool counts)
{
	bool isAny = false;
	for (int32_t i = 0; i < pair->count; ++i)
	{
		SlapPoint* point = &pair->points[i];
		double closing = brDDot(slapApproach(pair, point), point->sides.normal);
		point->isTouching = slapGap(pair, point) <= pair->level;
		point->giveNow = point->isTouching ? slapGive(pair, point, point->sides.normal) : 0.0;
		point->impulse = 0.0;
		point->friction = brMakeDVec3(0.0, 0.0, 0.0);
		point->wanted = closing > pair->bounceSpeed ? -pair->restitution * closing : 0.0;
		isAny |= point->isTouching && closing > 0.0;
		if (counts && point->isTouching && closing > point->speed)
		{
			point->speed = closing, point->mass = 1.0 / point->giveNow;
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
	return isAny;
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

// Which of the two lies on a plane and has a mesh of its own: 0 or 1; -1: neither.
static int slapMover(const brWorld* world, const brContact* contact)
{
	const brDynamics* dynamics = &world->dynamics;
	const int32_t slots[2] = {contact->bodyA, contact->bodyB};
	for (int k = 0; k < 2; ++k)
	{
		const brBreakBody* record = brBreaking_Body(&world->breaking, slots[k]);
		int32_t other = dynamics->bodies.data[slots[1 - k]].shape;
		if (record != NULL && record->mesh != NULL && dynamics->shapes.data[other].shape->kind == br_shapeHalfSpace)
		{
			return k;
		}
	}
	return -1;
}

static void slapAddPoint(SlapPair* pair, brHitSides sides)
{
	SlapPoint* point = &pair->points[pair->count++];
	point->sides = sides;
	point->arms[0] = brDSub(sides.pointA, pair->bodies[0].position);
	point->arms[1] = brDSub(sides.pointB, pair->bodies[1].position);
}

// The vertices of a body that lie lowest over a plane, now and turned by up to forty degrees any way, of those that may
// come down in this time.
static void slapAddOutline(brWorld* world, const brContact* contact, int mover, double radius, double until,
						   SlapPair* pair)
{
	static const double tilts[SLAP_RINGS] = {0.05, 0.15, 0.35, 0.8};
	static const double around[8][2] = {
		{1, 0},  {SLAP_DIAGONAL, SLAP_DIAGONAL},   {0, 1},  {-SLAP_DIAGONAL, SLAP_DIAGONAL},
		{-1, 0}, {-SLAP_DIAGONAL, -SLAP_DIAGONAL}, {0, -1}, {SLAP_DIAGONAL, -SLAP_DIAGONAL}};
	int32_t slot = mover == 0 ? contact->bodyA : contact->bodyB, best[SLAP_FAN];
	const brMesh* mesh = world->breaking.bodies.data[slot].mesh;
	brTransform pose = brWorld_GetPose(world, brDynamics_BodyId(&world->dynamics, slot));
	brHitSides sides = brBreaking_Sides(&world->dynamics, contact, 0, 0);
	brDVec3 up = mover == 0 ? sides.normal : brDNeg(sides.normal), ground = mover == 0 ? sides.pointB : sides.pointA;
	brDVec3 z = brQuat_InvRotate(pose.q, up), side = {fabs(z.x) < 0.6, fabs(z.x) >= 0.6, 0.0};
	brDVec3 x = brDNormalize(brDCross(z, side)), y = brDCross(z, x);
	double base = brDDot(up, brDSub(pose.p, ground)), values[SLAP_FAN];
	const SlapBody* body = &pair->bodies[mover];
	double fastest = brDLength(body->velocity) + brDLength(body->spin) * radius + brDLength(body->pull) * until;
	double reach = pair->level + SLAP_FASTER * fastest * until;
	for (int i = 0; i < SLAP_FAN; ++i)
	{
		best[i] = -1, values[i] = INFINITY;
	}
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		brDVec3 p = mesh->positions[v];
		double height = base + brDDot(p, z), px = brDDot(p, x), py = brDDot(p, y);
		for (int i = 0; i < SLAP_FAN && height < reach; ++i)
		{
			const double* way = around[(i + 7) % 8];
			double value = i == 0 ? height : height + tilts[(i - 1) / 8] * (way[0] * px + way[1] * py);
			best[i] = value < values[i] ? v : best[i];
			values[i] = fmin(value, values[i]);
		}
	}
	for (int i = 0; i < SLAP_FAN; ++i)
	{
		bool isNew = best[i] >= 0;
		brDVec3 p = isNew ? brTransform_Point(pose, mesh->positions[best[i]]) : ground;
		for (int32_t k = 0; k < pair->count; ++k)
		{
			const brHitSides* own = &pair->points[k].sides;
			isNew = isNew && brDDistance(mover == 0 ? own->pointA : own->pointB, p) > SLAP_APART * radius;
		}
		if (isNew)
		{
			brDVec3 under = brDMulAdd(p, -brDDot(up, brDSub(p, ground)), up);
			sides.pointA = mover == 0 ? p : under, sides.pointB = mover == 0 ? under : p;
			slapAddPoint(pair, sides);
		}
	}
}

static void slapStart(brWorld* world, const brContact* contact, double until, SlapPair* pair)
{
	const brDynamics* dynamics = &world->dynamics;
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	double radius = (double)brSmallerSize(frames[contact->bodyA].radius, frames[contact->bodyB].radius);
	*pair = (SlapPair){.bodies = {slapBody(dynamics, contact->bodyA), slapBody(dynamics, contact->bodyB)}};
	pair->level = SLAP_LEVEL * radius;
	pair->friction = sqrt((double)a->friction * (double)b->friction);
	// A corner with others close behind it stays down in the solver, unless it bounces well.
	float restitution = fmaxf(a->restitution, b->restitution);
	pair->restitution = restitution > SLAP_BOUNCES ? (double)restitution : 0.0;
	pair->bounceSpeed = dynamics->def.restitutionSpeed;
	int mover = slapMover(world, contact);
	if (mover >= 0)
	{
		slapAddOutline(world, contact, mover, radius, until, pair);
		return;
	}
	for (int32_t m = 0; m < contact->manifoldCount; ++m)
	{
		for (int32_t k = 0; k < brContact_Manifold(dynamics, contact, m)->pointCount; ++k)
		{
			slapAddPoint(pair, brBreaking_Sides(dynamics, contact, m, k));
		}
	}
}

// A touch as one of the two feels it.
static brBlowTouch slapTouch(const SlapPoint* point, int k, double time)
{
	const brHitSides* s = &point->sides;
	brBlowTouch touch = {.speed = point->speed, .mass = point->mass, .time = time};
	touch.sides = k == 0 ? *s : (brHitSides){s->b, s->a, s->pointB, s->pointA, brDNeg(s->normal)};
	touch.inward = brQuat_InvRotate(point->turns[k], touch.sides.normal);
	return touch;
}

static int32_t slapTouches(const SlapPair* pair, double time, brBlowTouch out[2 * BR_TOUCH_POINTS])
{
	int32_t count = 0;
	for (int32_t i = 0; i < pair->count; ++i)
	{
		if (pair->points[i].speed > 0.0)
		{
			out[count++] = slapTouch(&pair->points[i], 0, time);
			out[count++] = slapTouch(&pair->points[i], 1, time);
		}
	}
	return count;
}

bool brBreaking_TurnsOntoPlane(const brWorld* world, const brContact* contact, double until)
{
	int mover = slapMover(world, contact);
	const brBody* body = &world->dynamics.bodies.data[mover == 0 ? contact->bodyA : contact->bodyB];
	return mover >= 0 && brBody_IsMoving(body) && brDLength(body->spin) * until > SLAP_TURNS;
}

int32_t brBreaking_FindSlaps(brWorld* world, const brContact* contact, bool isFirst, double first, double until,
							 brBlowTouch out[2 * BR_TOUCH_POINTS])
{
	SlapPair pair;
	slapStart(world, contact, until, &pair);
	if (!isFirst && pair.count < 2)
	{
		return 0;
	}
	double now = 0.0, least = SLAP_SHORT * until;
	bool hasMet = false;
	slapFly(&pair, 0.0);
	for (int32_t event = 0; event < SLAP_EVENTS && !(isFirst && hasMet); ++event)
	{
		double time = fmax(slapNext(&pair), least);
		if (!(now + time <= until))
		{
			break;
		}
		slapFly(&pair, time);
		now += time;
		hasMet |= slapHit(&pair, isFirst || hasMet);
		first = isFirst ? now : first;
	}
	return slapTouches(&pair, first, out);
}
