// SPDX-License-Identifier: MIT

// Which bodies are hit too hard in this step.
//
// A contact point with separation s whose bodies close at u, pulled together at a by gravity, is hit within the time t
// if u t + a t^2 / 2 >= s, at the speed sqrt(u^2 + 2 a s). Every point of a contact that touches first is a blow of its
// own, and the worst one counts. Points of fast pairs were found where the two will meet, so each body has a point of
// its own: where its surface is now.
//
// What is fast may reach several bodies within a step. A bullet that a wall stops does not break the pane behind it:
// hits that come later than one that neither side gave way to do not count.

#include "math/power.h"
#include "world/cluster.h"
#include "world/world_state.h"

#include <math.h>
#include <string.h>

#define BREAK_TOGETHER 1e-4   // points that touch within this time are one hit: a stiff contact lasts so long [s]
#define BREAK_LEVEL 1e-3      // of the smaller radius: and so are those that lie so level
#define BREAK_SLOWEST 0.02    // hits below this are not looked at [m/s]
#define BREAK_PLACE_STEP 0.25 // of a wall: places that share an answer
#define BREAK_TURN_STEP 0.04  // and directions, in radians
#define BREAK_TURNED 1e-3     // and how far a body must turn until it is hit for that to be asked
#define BREAK_SAME 2.0        // walls: what is nearer to the hit that made a piece belongs to it
#define BREAK_STOPS 0.3       // of its mass: what stands in the way of something fast and holds, stops it

static brDVec3 breakVelocity(const brDynamics* dynamics, int32_t body, brDVec3 point)
{
	if (body < 0)
	{
		return brMakeDVec3(0.0, 0.0, 0.0);
	}
	const brBody* b = &dynamics->bodies.data[body];
	return brDAdd(b->velocity, brDCross(b->spin, brDSub(point, b->position)));
}

brDVec3 brBreaking_Approach(const brDynamics* dynamics, const brHitSides* sides)
{
	return brDSub(breakVelocity(dynamics, sides->b, sides->pointB), breakVelocity(dynamics, sides->a, sides->pointA));
}

double brBreaking_Closing(const brDynamics* dynamics, const brHitSides* sides)
{
	return brDDot(brBreaking_Approach(dynamics, sides), sides->normal);
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
	if (body < 0)
	{
		return;
	}
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

// The first manifold of a contact with the normal of this one. What does not fit into one goes on in others.
static int32_t breakFace(const brDynamics* dynamics, const brContact* contact, int32_t index)
{
	brVec3 n = brContact_Manifold(dynamics, contact, index)->normal;
	for (int32_t k = 0; k < index; ++k)
	{
		brVec3 other = brContact_Manifold(dynamics, contact, k)->normal;
		if (n.x == other.x && n.y == other.y && n.z == other.z)
		{
			return k;
		}
	}
	return index;
}

brHitSides brBreaking_Sides(const brDynamics* dynamics, const brContact* contact, int32_t manifold, int32_t point)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	const brManifold* m = brContact_Manifold(dynamics, contact, manifold);
	brDVec3 normal = brQuat_Rotate(a->rotation, brToDVec3(m->normal));
	// Made halfway between the surfaces.
	double half = 0.5 * (double)m->points[point].separation;
	brDVec3 pA = brDAdd(a->position, brQuat_Rotate(a->rotation, brToDVec3(m->points[point].anchorA)));
	brDVec3 pB = brDAdd(b->position, brQuat_Rotate(b->rotation, brToDVec3(m->points[point].anchorB)));
	return (brHitSides){contact->bodyA, contact->bodyB, brDMulAdd(pA, -half, normal), brDMulAdd(pB, half, normal),
						brDNeg(normal)};
}

// Those points of a normal that touch first. Each is judged on its own: a body that lands on a face or a ring comes
// down on one of its ends.
static int32_t breakTouches(const brDynamics* dynamics, const brContact* contact, int32_t face, double dt,
							brBlowTouch out[BR_CONTACT_POINTS])
{
	// The solver brakes what will touch in the substep after.
	double t = dt + dynamics->step.h, first = t;
	const brBody* a = &dynamics->bodies.data[contact->bodyA];
	brVec3 n = brContact_Manifold(dynamics, contact, face)->normal;
	brDVec3 normal = brQuat_Rotate(a->rotation, brToDVec3(n)), toA = brDNeg(normal);
	double pull = breakPull(dynamics, contact->bodyB, toA) - breakPull(dynamics, contact->bodyA, toA);
	int32_t count = 0, kept = 0;
	for (int32_t k = 0; k < BR_CONTACT_POINTS; ++k)
	{
		int32_t index = k / BR_MANIFOLD_POINTS, place = k % BR_MANIFOLD_POINTS;
		if (index >= contact->manifoldCount || breakFace(dynamics, contact, index) != face ||
			place >= brContact_Manifold(dynamics, contact, index)->pointCount)
		{
			continue;
		}
		brHitSides sides = brBreaking_Sides(dynamics, contact, index, place);
		double s = fmax(0.0, brDDot(normal, brDSub(sides.pointB, sides.pointA)));
		double u = brBreaking_Closing(dynamics, &sides);
		double squared = u * u + 2.0 * pull * s;
		if (u > 0.0 && squared > BREAK_SLOWEST * BREAK_SLOWEST && u * t + 0.5 * pull * t * t >= s)
		{
			double speed = sqrt(squared);
			out[count] = (brBlowTouch){.sides = sides, .speed = speed, .time = 2.0 * s / (u + speed)};
			first = fmin(first, out[count++].time);
		}
	}
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	double level = BREAK_LEVEL * (double)brSmallerSize(frames[contact->bodyA].radius, frames[contact->bodyB].radius);
	for (int32_t k = 0; k < count; ++k)
	{
		double later = out[k].time - first;
		if (later <= BREAK_TOGETHER || later * out[k].speed <= level)
		{
			out[kept++] = out[k];
		}
	}
	return kept;
}

// The normal as the body will have turned when it is hit: a few degrees decide whether an edge lands on its end or lies
// flat.
static brDVec3 breakInward(const brDynamics* dynamics, const brBlowTouch* touch)
{
	const brBody* body = &dynamics->bodies.data[touch->sides.a];
	double speed = brBody_IsMoving(body) ? brDLength(body->spin) : 0.0, angle = speed * touch->time;
	return angle > BREAK_TURNED
			   ? brQuat_InvRotate(brMakeQuatAxisAngle(brDMul(1.0 / speed, body->spin), angle), touch->sides.normal)
			   : touch->sides.normal;
}

// Touches seen from both bodies, one after the other. Returns how many they are.
static int32_t breakSeeBoth(const brDynamics* dynamics, int32_t count, brBlowTouch touches[2 * BR_TOUCH_POINTS])
{
	for (int32_t p = count - 1; p >= 0; --p)
	{
		brBlowTouch one = touches[p], two = one;
		const brHitSides* sides = &one.sides;
		two.sides = (brHitSides){sides->b, sides->a, sides->pointB, sides->pointA, brDNeg(sides->normal)};
		one.inward = breakInward(dynamics, &one), two.inward = breakInward(dynamics, &two);
		touches[2 * p] = one, touches[2 * p + 1] = two;
	}
	return 2 * count;
}

// Whether any hit breaks a body.
static bool breakCanBreak(const brWorld* world, int32_t body)
{
	const brBreakBody* record = brBreaking_Body(&world->breaking, body);
	return record != NULL && (record->cluster >= 0 || record->strength < INFINITY);
}

// Whether a piece of this step was made by this hit, which it has stood. What hits it elsewhere in the same step is
// another blow: the foot of a glass lands, its stem breaks, and the bowl lands. What is left of a cluster meets the
// same hit with other bonds.
static bool breakHasStood(const brWorld* world, const brBlowTouch* touch)
{
	const brBreakBody* record = &world->breaking.bodies.data[touch->sides.a];
	if (!world->dynamics.bodies.data[touch->sides.a].isNewborn || record->cluster >= 0)
	{
		return false;
	}
	bool isNear = false;
	for (int32_t i = 0; i < world->breaking.events.count && !isNear; ++i)
	{
		double distance = brDDistance(world->breaking.events.data[i].point, touch->sides.pointA);
		isNear = distance < BREAK_SAME * record->measure.thickness;
	}
	return isNear;
}

// Radius of the surface of a body where it hits; 0: flat. What is neither round nor still counts as half as thick as it
// is.
static double breakRadius(const brDynamics* dynamics, int32_t body)
{
	const brBody* b = &dynamics->bodies.data[body];
	const brShape* shape = dynamics->shapes.data[b->shape].shape;
	if (shape->kind == br_shapeSphere || shape->kind == br_shapeCapsule)
	{
		return (double)shape->round;
	}
	return b->kind == br_bodyDynamic ? 0.5 * (double)shape->thickness : 0.0;
}

static brDVec3 breakRound(brDVec3 a, double step)
{
	return brMakeDVec3(step * floor(a.x / step + 0.5), step * floor(a.y / step + 0.5), step * floor(a.z / step + 0.5));
}

// The blow as the body feels it, without place and direction.
static brStrike breakStrike(const brWorld* world, const brBlowTouch* touch, double mass)
{
	const brBreakBody* other = brBreaking_Body(&world->breaking, touch->sides.b);
	brStrike strike = {.mass = mass, .energy = 0.5 * mass * touch->speed * touch->speed};
	strike.strength = world->breaking.bodies.data[touch->sides.a].strength;
	if (other != NULL)
	{
		strike.other = world->breaking.settings.data[other->settings].def.material;
	}
	strike.otherRadius = breakRadius(&world->dynamics, touch->sides.b);
	return strike;
}

// The point may lie beside the body: in the hollow of what collides as its hull. False without memory.
static bool breakPutOn(brWorld* world, int32_t body, brDVec3* point)
{
	const brHitSurface* surface = brBreaking_Surface(world, body);
	if (surface == NULL)
	{
		return false;
	}
	*point = brHitSurface_Nearest(surface, *point);
	return true;
}

bool brBreaking_Place(brWorld* world, brDVec3 inward, brBlow* blow)
{
	int32_t a = blow->touch.sides.a;
	const brBreakBody* record = &world->breaking.bodies.data[a];
	double step = BREAK_PLACE_STEP * fmin(record->measure.thickness, 0.1 * record->size);
	brTransform pose = brWorld_GetPose(world, brDynamics_BodyId(&world->dynamics, a));
	blow->strike.point = breakRound(brTransform_InvPoint(pose, blow->touch.sides.pointA), step);
	blow->strike.inward = brDNormalize(breakRound(brQuat_InvRotate(pose.q, inward), BREAK_TURN_STEP));
	blow->isOff = blow->model == NULL && record->cluster < 0;
	return blow->isOff || breakPutOn(world, a, &blow->strike.point);
}

bool brBreaking_PutOn(brWorld* world, int32_t body)
{
	brHit* hit = &world->breaking.bodies.data[body].hit;
	hit->isOff = false;
	return breakPutOn(world, body, &hit->point);
}

// How the other body gives way beyond the contact: bodies in series share the energy.
static double breakOtherGive(brWorld* world, const brBlowTouch* touch, bool* outHasMemory)
{
	int32_t b = touch->sides.b;
	const brBreakBody* other = brBreaking_Body(&world->breaking, b);
	brImpactModel* model =
		other != NULL && other->strength < INFINITY ? brBreaking_Model(world, b, outHasMemory) : NULL;
	if (model == NULL)
	{
		return 0.0;
	}
	brTransform pose = brWorld_GetPose(world, brDynamics_BodyId(&world->dynamics, b));
	return brImpactModel_Give(model, brTransform_InvPoint(pose, touch->sides.pointB),
							  brQuat_InvRotate(pose.q, brDNeg(touch->sides.normal)));
}

// What a blow does.
static void breakFillHit(const brBreaking* breaking, brBreakBody* record, double energy, const brImpact* impact)
{
	const brBreakDef* def = &breaking->settings.data[record->settings].def;
	record->hit.stress = impact->stress;
	record->hit.parting = energy > 0.0 ? impact->parting / energy : 0.0;
	record->hit.partingForce = impact->partingForce;
	record->hit.force = record->cluster >= 0 ? impact->earlyForce : impact->force;
	record->hit.ratio = impact->ratio;
	record->hit.radius = impact->contactRadius;
	record->hit.duration = impact->contactTime;
	record->hit.energy = def->efficiency * fmax(0.0, energy - impact->threshold);
}

// The worst blow of a step is kept.
static void breakKeepHit(brWorld* world, const brBlow* blow)
{
	const brBlowTouch* touch = &blow->touch;
	const brStrike* strike = &blow->strike;
	brBreakBody* record = &world->breaking.bodies.data[touch->sides.a];
	if (record->hit.isThere && blow->impact.ratio <= record->hit.ratio)
	{
		return;
	}
	const brBody* other = &world->dynamics.bodies.data[touch->sides.b];
	double distance = brDDistance(touch->sides.pointB, other->position);
	record->hit = (brHit){
		.point = strike->point,
		.inward = strike->inward,
		.normal = touch->sides.normal,
		.otherPoint = touch->sides.pointB,
		.speed = touch->speed,
		.time = touch->time,
		.mass = strike->mass,
		.otherRadius = strike->otherRadius,
		.reach = other->kind == br_bodyDynamic ? distance : 0.0,
		.other = touch->sides.b,
		.otherGeneration = other->generation,
		.isThere = true,
		.isOff = blow->isOff,
	};
	breakFillHit(&world->breaking, record, strike->energy, &blow->impact);
	if (blow->isRough)
	{
		brBreaking_KeepRough(&record->hit, strike);
	}
}

void brBreaking_KeepRough(brHit* hit, const brStrike* strike)
{
	bool isSoft = strike->other.youngsModulus > 0.0;
	hit->isRough = true;
	hit->point = strike->point, hit->inward = strike->inward;
	hit->rough = (brRoughBlow){
		.mass = strike->mass,
		.energy = strike->energy,
		.otherYoung = strike->other.youngsModulus,
		.otherPoisson = strike->other.poissonRatio,
		.otherHardness = isSoft ? brImpactHardness(&strike->other) : 0.0,
		.otherRadius = strike->otherRadius,
		.otherGive = strike->otherGive,
	};
}

// The blow of a hit, to be asked about again.
static brStrike breakStrikeOf(const brBreakBody* record)
{
	const brRoughBlow* blow = &record->hit.rough;
	brStrike strike = {.point = record->hit.point, .inward = record->hit.inward, .strength = record->strength};
	strike.mass = blow->mass, strike.energy = blow->energy;
	strike.otherRadius = blow->otherRadius, strike.otherGive = blow->otherGive;
	strike.other.youngsModulus = blow->otherYoung;
	strike.other.poissonRatio = blow->otherPoisson;
	strike.other.hardness = blow->otherHardness;
	return strike;
}

bool brBreaking_Settle(brWorld* world, int32_t body)
{
	brBreaking* breaking = &world->breaking;
	bool hasMemory = true;
	brImpactModel* model = brBreaking_Model(world, body, &hasMemory);
	brStrike strikes[BR_FRONT_LANES];
	brImpact impacts[BR_FRONT_LANES];
	int32_t slots[BR_FRONT_LANES], count = 0;
	for (int32_t i = body; model != NULL && i < breaking->bodies.count && count < BR_FRONT_LANES; ++i)
	{
		const brBreakBody* record = brBreaking_Body(breaking, i);
		bool isOne = record != NULL && record->hit.isThere && record->hit.isRough;
		if (isOne && brBreaking_Model(world, i, &hasMemory) == model)
		{
			strikes[count] = breakStrikeOf(record);
			slots[count++] = i;
		}
	}
	if (!hasMemory || model == NULL ||
		!brImpactModel_StrikeAll(&world->dynamics.context, model, strikes, count, NULL, impacts))
	{
		return false;
	}
	for (int32_t n = 0; n < count; ++n)
	{
		brBreakBody* record = &breaking->bodies.data[slots[n]];
		record->hit.isRough = false;
		record->worst = fmax(record->worst, impacts[n].ratio);
		record->hit.isThere = impacts[n].ratio >= 1.0;
		record->hit.isWaiting = record->hit.isWaiting && record->hit.isThere;
		breakFillHit(breaking, record, strikes[n].energy, &impacts[n]);
	}
	return true;
}

// What the body has stood before makes the blow worse. The worst blow of a step tires it once, at the end of the step's
// hits.
static void breakTire(brBreakBody* record, const brMaterial* material, bool isTiring, brImpact* impact)
{
	if (isTiring && material->fatigueExponent > 0.0 && record->damage > 0.0)
	{
		double left = brPower(fmax(1.0 - record->damage, 1e-12), 1.0 / material->fatigueExponent);
		impact->ratio /= left;
		impact->threshold *= left * left;
		impact->parting *= left * left;
		impact->partingForce *= left;
	}
	record->worst = fmax(record->worst, impact->ratio);
	record->blow = fmax(record->blow, impact->ratio);
}

// Blows of this step that were stood. One that is asked about again tires once.
static void breakAddDamage(brBreaking* breaking)
{
	for (int32_t i = 0; i < breaking->bodies.count; ++i)
	{
		brBreakBody* record = brBreaking_Body(breaking, i);
		if (record == NULL || !(record->blow > 0.0))
		{
			continue;
		}
		const brBreakDef* def = &breaking->settings.data[record->settings].def;
		if (def->fatigue && breaking->rounds == 0 && record->blow < 1.0 && def->material.fatigueExponent > 0.0)
		{
			double left = 1.0 - record->damage;
			record->damage += left * brPower(record->blow, def->material.fatigueExponent);
		}
		record->blow = 0.0;
	}
}

// What is fast for its size, as far as it is met ahead of where it is.
static bool breakIsFast(const brDynamics* dynamics, int32_t body)
{
	const brBodyFrame* frame = &brDynamics_Frames(dynamics)[body];
	return frame->speed > 0.5f * frame->radius && frame->radius > 0.0f;
}

// Pieces of one body jostle as they part; what that could break is broken already.
static bool breakAreSiblings(const brBreakBody* a, const brBreakBody* b)
{
	return b != NULL && a->parent.index1 != 0 && a->parent.index1 == b->parent.index1 &&
		   a->parent.generation == b->parent.generation;
}

// A blow on what has no small model, or on a cluster, whose bonds decide. False if it is stood.
static bool breakGuess(const brWorld* world, brBlow* blow)
{
	const brBreakBody* record = &world->breaking.bodies.data[blow->touch.sides.a];
	const brMaterial* material = &world->breaking.settings.data[record->settings].def.material;
	blow->impact = brGuessImpact(material, &record->measure, &blow->strike);
	return record->cluster >= 0 ? brCluster_IsMoved(world->breaking.clusters.data[record->cluster], material,
													blow->impact.force, blow->strike.energy)
								: blow->model != NULL || blow->impact.ratio >= 1.0;
}

// Adds the blow that the second body gives the first, unless it is surely stood: most contacts are far below what could
// matter. False without memory.
static bool breakAddBlow(brWorld* world, const brBlowTouch* touch, brMeetingFace* face)
{
	int32_t a = touch->sides.a;
	const brBreakBody* record = brBreaking_Body(&world->breaking, a);
	if (!breakCanBreak(world, a))
	{
		return true;
	}
	if (record->hit.isWaiting)
	{
		face->isBroken = true;
		return true;
	}
	double mass = touch->mass > 0.0 ? touch->mass : brBreaking_EffectiveMass(&world->dynamics, &touch->sides);
	if (!isfinite(mass) || breakAreSiblings(record, brBreaking_Body(&world->breaking, touch->sides.b)) ||
		breakHasStood(world, touch))
	{
		return true;
	}
	bool hasMemory = true;
	brBlow blow = {.touch = *touch, .strike = breakStrike(world, touch, mass)};
	blow.model = brBreaking_Model(world, a, &hasMemory);
	brStrike bound = blow.strike;
	// Blows of half the load tire by less than a thousandth.
	bound.energy *= world->breaking.settings.data[record->settings].def.fatigue ? 4.0 : 1.0;
	bool isBound = record->cluster < 0 && blow.model != NULL;
	if (!hasMemory || (isBound && brImpactModel_IsSafe(blow.model, &bound)) || !breakGuess(world, &blow))
	{
		return hasMemory;
	}
	if (!brBreaking_Place(world, touch->inward, &blow))
	{
		return false;
	}
	blow.strike.otherGive = blow.model != NULL ? breakOtherGive(world, touch, &hasMemory) : 0.0;
	face->blowCount += 1;
	return hasMemory && BR_PUSH(&world->dynamics.allocator, &world->breaking.blows, blow);
}

// Whether something moves in a contact that nobody only listens to.
static bool breakMoves(const brDynamics* dynamics, const brContact* contact)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	return (brBody_IsMoving(a) || brBody_IsMoving(b)) && !brBody_IsSensed(a, b);
}

// Marks bodies that can break, by slot: most pairs are of what has broken as far as it will, and tell so by two bytes.
static bool breakMark(brWorld* world)
{
	brBreaking* breaking = &world->breaking;
	breaking->marks.count = 0;
	if (!BR_RESERVE(&world->dynamics.allocator, &breaking->marks, world->dynamics.bodies.count))
	{
		return false;
	}
	for (int32_t i = 0; i < world->dynamics.bodies.count; ++i)
	{
		breaking->marks.data[breaking->marks.count++] = breakCanBreak(world, i);
	}
	return true;
}

static bool breakIsMarked(const brWorld* world, int32_t pair)
{
	uint64_t key = world->dynamics.pairs.data[pair].key;
	const uint8_t* marks = world->breaking.marks.data;
	return (marks[key >> 32] | marks[key & 0xFFFFFFFFu]) != 0;
}

static double breakSpinEnergy(const brBody* body)
{
	brDVec3 w = brQuat_InvRotate(body->rotation, body->spin), j = body->inertia;
	return body->kind == br_bodyDynamic ? 0.5 * (j.x * w.x * w.x + j.y * w.y * w.y + j.z * w.z * w.z) : 0.0;
}

// Whether a body surely survives the most that the pair can do: all kinetic energy that the two have against each other.
static bool breakStandsMost(brWorld* world, int32_t body, int32_t other)
{
	const brBody *a = &world->dynamics.bodies.data[body], *b = &world->dynamics.bodies.data[other];
	if (!breakCanBreak(world, body))
	{
		return true;
	}
	const brBreakBody* record = &world->breaking.bodies.data[body];
	brImpactModel* model = body < world->breaking.ready.count ? world->breaking.ready.data[body].model : NULL;
	double mass = 1.0 / (a->invMass + b->invMass);
	brStrike most = {.mass = mass, .strength = record->strength};
	most.energy = 0.5 * mass * brDLengthSq(brDSub(a->velocity, b->velocity)) + breakSpinEnergy(a) + breakSpinEnergy(b);
	return model != NULL && record->cluster < 0 && brImpactModel_IsSafe(model, &most);
}

// Touches that follow from how a pair moves within the step, judged as hits: no contact shows at what speed they were, so
// their impulses are no loads that came through a third body.
static int32_t breakFollow(brWorld* world, const brContact* contact, bool isFirst, double first, double dt,
						   brBlowTouch out[2 * BR_TOUCH_POINTS])
{
	double until = dt + world->dynamics.step.h;
	int32_t count = brBreaking_FindSlaps(world, contact, isFirst, first, until, out);
	const int32_t ends[2] = {contact->bodyA, contact->bodyB};
	for (int k = 0; k < 2 && count > 0; ++k)
	{
		if (ends[k] < world->breaking.loads.count)
		{
			world->breaking.loads.data[ends[k]].impulse = 0.0;
		}
	}
	return count;
}

// The first touches of what turns so fast that it lands on another place than its contact says, seen from both. Returns
// how many blows they are; -1: there are none of that kind.
static int32_t breakTurnTouches(brWorld* world, const brContact* contact, double dt,
								brBlowTouch out[2 * BR_TOUCH_POINTS])
{
	double until = dt + world->dynamics.step.h;
	int32_t a = contact->bodyA, b = contact->bodyB;
	bool isTurning = brBreaking_TurnsOntoPlane(world, contact, until) &&
					 !(breakStandsMost(world, a, b) && breakStandsMost(world, b, a));
	return isTurning ? breakFollow(world, contact, true, 0.0, dt, out) : -1;
}

// Every blow that may break something, in the order of the pairs. False without memory.
static bool breakFindBlows(brWorld* world, double dt)
{
	brDynamics* dynamics = &world->dynamics;
	brBreaking* breaking = &world->breaking;
	breaking->meeting.count = 0;
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = breakIsMarked(world, i) ? brDynamics_PairContact(dynamics, i) : NULL;
		int32_t manifolds = contact != NULL && breakMoves(dynamics, contact) ? contact->manifoldCount : 0;
		for (int32_t k = 0; k < manifolds; ++k)
		{
			brBlowTouch touches[2 * BR_TOUCH_POINTS];
			bool isFirst = breakFace(dynamics, contact, k) == k;
			int32_t count = isFirst ? breakTurnTouches(world, contact, dt, touches) : 0;
			count =
				count < 0 ? breakSeeBoth(dynamics, breakTouches(dynamics, contact, k, dt, touches), touches) : count;
			brMeetingFace face = {
				contact->bodyA, contact->bodyB, i, count > 0 ? touches[0].time : 0.0, breaking->blows.count, 0, false};
			for (int32_t p = 0; p < count; ++p)
			{
				if (!breakAddBlow(world, &touches[p], &face))
				{
					return false;
				}
			}
			if (count > 0 && !BR_PUSH(&dynamics->allocator, &breaking->meeting, face))
			{
				return false;
			}
		}
	}
	return true;
}

// What tires remembers every blow of half the load, also those it stands, and the bonds of a cluster want the force of
// all.
static void breakAskAlone(const brBreakBody* record, brBlow* blow)
{
	brStrike bound = blow->strike;
	bound.energy *= 4.0;
	bool isSafe = record->cluster < 0 && brImpactModel_IsSafeThere(blow->model, &bound);
	blow->impact = isSafe ? (brImpact){.ratio = 0.0} : brImpactModel_Strike(blow->model, &blow->strike);
	blow->model = NULL;
}

// What the blows in `breaking.blows` do, those on one model together. False without memory.
static bool breakAskBlows(brWorld* world)
{
	brBreaking* breaking = &world->breaking;
	const brAllocator* allocator = &world->dynamics.allocator;
	for (int32_t i = 0; i < breaking->blows.count; ++i)
	{
		brBlow* blow = &breaking->blows.data[i];
		const brBreakBody* record = &breaking->bodies.data[blow->touch.sides.a];
		bool isAlone = record->cluster >= 0 || breaking->settings.data[record->settings].def.fatigue;
		if (blow->model != NULL && isAlone)
		{
			breakAskAlone(record, blow);
		}
	}
	for (int32_t i = 0; i < breaking->blows.count; ++i)
	{
		brImpactModel* model = breaking->blows.data[i].model;
		breaking->strikes.count = breaking->needs.count = 0;
		for (int32_t k = i; model != NULL && k < breaking->blows.count; ++k)
		{
			const brBlow* blow = &breaking->blows.data[k];
			// A load that breaks the body has a ratio to be compared with.
			int32_t body = blow->touch.sides.a;
			brBlowNeed need = {body, !breaking->bodies.data[body].hit.isThere, false};
			if (blow->model == model &&
				(!BR_PUSH(allocator, &breaking->strikes, blow->strike) || !BR_PUSH(allocator, &breaking->needs, need)))
			{
				return false;
			}
		}
		int32_t count = breaking->strikes.count, next = 0;
		breaking->impacts.count = 0;
		if (count == 0)
		{
			continue;
		}
		if (!BR_RESERVE(allocator, &breaking->impacts, count))
		{
			return false;
		}
		if (!brImpactModel_StrikeAll(&world->dynamics.context, model, breaking->strikes.data, count,
									 breaking->needs.data, breaking->impacts.data))
		{
			return false;
		}
		for (int32_t k = i; k < breaking->blows.count; ++k)
		{
			brBlow* blow = &breaking->blows.data[k];
			if (blow->model == model)
			{
				blow->isRough = breaking->needs.data[next].isRough;
				blow->impact = breaking->impacts.data[next++];
				blow->model = NULL;
			}
		}
	}
	return true;
}

// Does the body give way to the blow?
static bool breakJudge(brWorld* world, brBlow* blow)
{
	brBreakBody* record = &world->breaking.bodies.data[blow->touch.sides.a];
	const brBreakDef* def = &world->breaking.settings.data[record->settings].def;
	bool isCluster = record->cluster >= 0;
	if (!blow->isRough)
	{
		breakTire(record, &def->material, def->fatigue, &blow->impact);
	}
	// Whether a cluster stands it is decided by its bonds.
	if (!isCluster && blow->impact.ratio < 1.0)
	{
		return false;
	}
	blow->impact.threshold = isCluster ? 0.0 : blow->impact.threshold;
	breakKeepHit(world, blow);
	return true;
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

// What hits something and is fast may be stopped by what cannot break as well.
static void breakStopHitters(brWorld* world, double dt)
{
	const brDynamics* dynamics = &world->dynamics;
	brBreaking* breaking = &world->breaking;
	bool isAny = false;
	memset(breaking->marks.data, 0, (size_t)breaking->marks.count);
	for (int32_t i = 0; i < breaking->bodies.count; ++i)
	{
		const brBreakBody* record = brBreaking_Body(breaking, i);
		bool isNew = record != NULL && record->hit.isThere && !record->hit.isWaiting && record->hit.other >= 0;
		if (isNew && breakIsFast(dynamics, record->hit.other))
		{
			breaking->marks.data[record->hit.other] = isAny = true;
		}
	}
	for (int32_t i = 0; isAny && i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = breakIsMarked(world, i) ? brDynamics_PairContact(dynamics, i) : NULL;
		bool isFirm = contact != NULL && breakMoves(dynamics, contact) && !breakCanBreak(world, contact->bodyA) &&
					  !breakCanBreak(world, contact->bodyB);
		for (int32_t k = 0; isFirm && k < contact->manifoldCount; ++k)
		{
			brBlowTouch touches[BR_CONTACT_POINTS];
			if (breakFace(dynamics, contact, k) == k && breakTouches(dynamics, contact, k, dt, touches) > 0)
			{
				breakStop(world, contact->bodyA, contact->bodyB, touches[0].time);
				breakStop(world, contact->bodyB, contact->bodyA, touches[0].time);
			}
		}
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

static bool breakIsHit(const brWorld* world, int32_t body)
{
	const brBreakBody* record = brBreaking_Body(&world->breaking, body);
	return record != NULL && record->hit.isThere;
}

// Blows by second touches within the step, of pairs in which neither broke by the first. False without memory.
static bool breakFindSlaps(brWorld* world, double dt)
{
	brDynamics* dynamics = &world->dynamics;
	brBreaking* breaking = &world->breaking;
	int32_t last = -1;
	breaking->blows.count = 0;
	for (int32_t i = 0; i < breaking->meeting.count; ++i)
	{
		brMeetingFace* face = &breaking->meeting.data[i];
		bool isNew = face->pair != last; // those of a pair follow each other, and are all looked at with the first
		last = face->pair;
		bool isBroken = breakIsHit(world, face->a) || breakIsHit(world, face->b);
		if (!isNew || isBroken ||
			(breakStandsMost(world, face->a, face->b) && breakStandsMost(world, face->b, face->a)))
		{
			continue;
		}
		double first = face->time;
		for (int32_t k = i + 1; k < breaking->meeting.count && breaking->meeting.data[k].pair == face->pair; ++k)
		{
			first = fmin(first, breaking->meeting.data[k].time);
		}
		brBlowTouch touches[2 * BR_TOUCH_POINTS];
		int32_t count = breakFollow(world, brDynamics_PairContact(dynamics, face->pair), false, first, dt, touches);
		for (int32_t k = 0; k < count; ++k)
		{
			if (!breakAddBlow(world, &touches[k], face))
			{
				return false;
			}
		}
	}
	return true;
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
	// Loads were listed before, and are asked about together with hits.
	int32_t loadCount = breaking->blows.count;
	if (!breakMark(world) || !breakFindBlows(world, dt) || !breakAskBlows(world))
	{
		return false;
	}
	brBreaking_JudgeLoads(world, loadCount);
	for (int32_t i = 0; i < breaking->meeting.count; ++i)
	{
		brMeetingFace* face = &breaking->meeting.data[i];
		for (int32_t k = 0; k < face->blowCount; ++k)
		{
			face->isBroken = breakJudge(world, &breaking->blows.data[face->firstBlow + k]) || face->isBroken;
		}
		if (!face->isBroken)
		{
			breakStop(world, face->a, face->b, face->time);
			breakStop(world, face->b, face->a, face->time);
		}
	}
	if (!breakFindSlaps(world, dt) || !breakAskBlows(world))
	{
		return false;
	}
	for (int32_t i = 0; i < breaking->blows.count; ++i)
	{
		breakJudge(world, &breaking->blows.data[i]);
	}
	breakAddDamage(breaking);
	breakStopHitters(world, dt);
	breakDropLate(world);
	return true;
}
