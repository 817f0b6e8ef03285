// SPDX-License-Identifier: MIT

// Contact points of each pair: kept if the two barely moved relative to each other, else found anew (carry.c). Each
// pair writes to its own slot only, so workers cannot change the result.

#include "base/clock.h"
#include "dynamics/dynamics.h"
#include "dynamics/tuning.h"

#include <stdatomic.h>
#include <string.h>

#define TOUCH_PAIRS 8 // a worker's at a time: one of two meshes may take as long as hundreds of others

typedef struct TouchWork
{
	brDynamics* dynamics;
	double dt;
	_Atomic int32_t recycled, postponed; // pairs
	uint8_t* wishes;                     // by pair: TOUCH_IS_ASKED and the like; or null: all points are found here
	const brTouchAnswer* answers;        // while pairs that were asked about are brought up to date
} TouchWork;

// A pair's points are to be found elsewhere. It is up to date already, by a step that then found no memory.
#define TOUCH_IS_ASKED 1
#define TOUCH_IS_REPEATED 2

brRelativePose brMakeRelativePose(const brBody* a, const brBody* b, brQuat turn)
{
	brMat3 m = brMakeMat3FromQuat(turn);
	brDVec3 p = brQuat_InvRotate(a->rotation, brDSub(b->position, a->position));
	return (brRelativePose){brToVec3(m.cx), brToVec3(m.cy), brToVec3(m.cz), brToVec3(p)};
}

// A ball that turns is where it was.
static bool touchTurns(const brBody* body, const brBodyFrame* frame)
{
	return brBody_IsMoving(body) && frame->shapeKind != br_shapeSphere;
}

float brDynamics_PairMotion(const brDynamics* dynamics, int32_t a, int32_t b, double dt)
{
	const brBody *bodyA = &dynamics->bodies.data[a], *bodyB = &dynamics->bodies.data[b];
	const brBodyFrame *frameA = &brDynamics_Frames(dynamics)[a], *frameB = &brDynamics_Frames(dynamics)[b];
	brDVec3 none = {0.0, 0.0, 0.0};
	brDVec3 spinA = touchTurns(bodyA, frameA) ? bodyA->spin : none;
	brDVec3 spinB = touchTurns(bodyB, frameB) ? bodyB->spin : none;
	brDVec3 velocityA = brBody_IsMoving(bodyA) ? bodyA->velocity : none;
	brDVec3 velocityB = brBody_IsMoving(bodyB) ? bodyB->velocity : none;
	// At the middle of the smaller one, and how that differs over its ball.
	bool isSmallerA = frameA->radius > 0.0f && (frameA->radius < frameB->radius || !(frameB->radius > 0.0f));
	brDVec3 way = brDSub(bodyB->position, bodyA->position);
	double radius = (double)(isSmallerA ? frameA->radius : frameB->radius);
	brDVec3 closing = isSmallerA ? brDSub(brDSub(velocityB, brDCross(spinB, way)), velocityA)
								 : brDSub(velocityB, brDAdd(velocityA, brDCross(spinA, way)));
	double speed = brDLength(closing), turn = brDLength(brDSub(spinB, spinA));
	// What a turn of the larger one changes about it until the end.
	double spin = brDLength(isSmallerA ? spinB : spinA);
	double bend = spin * (spin * brDLength(way) + speed);
	return (float)(dt * (speed + turn * radius + dt * bend));
}

// How far a point of B may have moved in A's axes since the contact's points were made. Points that matter are near
// both bodies, so they are no further from the origin of the smaller one than its radius.
static float touchMoved(const brContact* contact, brVec3 position, const float turn[4], float radiusA, float radiusB)
{
	float x = turn[0] - contact->rotation[0], y = turn[1] - contact->rotation[1];
	float z = turn[2] - contact->rotation[2], w = turn[3] - contact->rotation[3];
	float angle = 2.0f * sqrtf(x * x + y * y + z * z + w * w); // the chord of a unit quaternion is half the angle
	if (radiusA > 0.0f && 4.0f * radiusA < radiusB)
	{
		// About A's origin, where B is large: what B carried there moved by the change of B's place seen from there.
		brQuat now = {turn[0], turn[1], turn[2], turn[3]};
		brQuat then = {contact->rotation[0], contact->rotation[1], contact->rotation[2], contact->rotation[3]};
		brQuat change = brQuat_Mul(now, brQuat_Conjugate(then));
		brDVec3 carried = brQuat_Rotate(brQuat_Normalize(change), brToDVec3(contact->position));
		return brLength(brToVec3(brDSub(brToDVec3(position), carried))) + radiusA * angle;
	}
	return brLength(brSub(position, contact->position)) + radiusB * angle;
}

static void touchKeep(const brDynamics* dynamics, const brContact* contact, brKeptTouches* kept)
{
	kept->count = contact->manifoldCount;
	for (int32_t i = 0; i < kept->count; ++i)
	{
		const brManifold* manifold = brContact_Manifold(dynamics, contact, i);
		brKeptTouch* out = &kept->touches[i];
		out->normal = manifold->normal;
		out->count = manifold->pointCount;
		for (int32_t k = 0; k < manifold->pointCount; ++k)
		{
			out->separations[k] = manifold->points[k].separation;
			out->ids[k] = manifold->points[k].id;
		}
	}
}

// One of the two quaternions of a rotation.
static void touchRotation(brQuat turn, float out[4])
{
	float sign = turn.w < 0.0 ? -1.0f : 1.0f;
	out[0] = sign * (float)turn.x, out[1] = sign * (float)turn.y;
	out[2] = sign * (float)turn.z, out[3] = sign * (float)turn.w;
}

static void touchMade(brContact* contact, brVec3 position, brQuat turn, float apart)
{
	contact->isPostponed = contact->isMet = false;
	contact->apart = apart;
	contact->position = position;
	contact->isMade = true;
	touchRotation(turn, contact->rotation);
}

// Over the budget of time a pair keeps its points once more, never twice.
static bool touchPostpone(const brDynamics* dynamics, brContact* contact)
{
	contact->isPostponed =
		dynamics->step.narrowEnd != 0 && !contact->isPostponed && brClockNanoseconds() > dynamics->step.narrowEnd;
	return contact->isPostponed;
}

// What was pressed on a step ago and has not picked up speed is held by something, and goes on being held. Something
// static is looked for as far as a fall goes, unless the body lies on it with more than one point: on one it tips, and
// comes down with its other end.
static bool touchIsHeld(const brBodyFrame* frame, const brContact* contact, bool isStill)
{
	float pull = frame->motion - frame->speed;
	bool isHeld = frame->isPressed && frame->speed < (float)BR_HELD_PULL * pull;
	bool isTipping = contact->manifoldCount == 1 && contact->first.pointCount == 1;
	return isHeld && (!isStill || (contact->wasTouching && !isTipping));
}

// How far gravity may take a body in this step: what is held hardly anywhere. At rest thin things would else look ahead
// by many times their thickness, and find points that have nothing to do with what carries them.
static float touchPull(const brBodyFrame* frame, bool isHeld)
{
	float pull = frame->motion - frame->speed;
	return isHeld ? fminf(pull, (float)BR_HELD_REACH * frame->thickness) : pull;
}

// How far a pair may move before its points are found anew. Where something thin or hollow touches in many places, each
// choice of points may set it in motion towards the next; the longer that goes on the longer points are kept, until it
// lies still on some of them.
static float touchTolerance(const brContact* contact, float calm, float thickness, float radius)
{
	float least = (float)BR_RECYCLE_TOLERANCE * thickness;
	float most = fminf((float)BR_RECYCLE_MOST * thickness, (float)BR_RECYCLE_RADIUS * radius);
	float restless = fminf(most, least * (1.0f + (float)BR_RESTLESS_WIDENS * (float)contact->restless));
	float rise = fminf(1.0f, fmaxf(0.0f, (calm - (float)BR_CALM_TIME) / (float)BR_RECYCLE_CALM_TIME));
	float still = rise * fminf((float)BR_RECYCLE_CALM * thickness, (float)BR_RECYCLE_CALM_RADIUS * radius);
	return fmaxf(fmaxf(least, restless), still);
}

// For how long both have gone nowhere; what stands still for ever. [s]
static float touchCalm(const brBody* a, const brBody* b)
{
	float calmA = a->kind == br_bodyDynamic ? a->calmTime : INFINITY;
	float calmB = b->kind == br_bodyDynamic ? b->calmTime : INFINITY;
	bool isMoved = a->kind == br_bodyKinematic || b->kind == br_bodyKinematic;
	return isMoved ? 0.0f : fminf(calmA, calmB);
}

static void touchCountRestless(brContact* contact, bool isSlow)
{
	int32_t count = contact->restless + (isSlow ? 1 : -BR_RESTLESS_CALMS);
	contact->restless = (uint8_t)(!contact->isTouching || count < 0 ? 0 : count < 255 ? count : 255);
}

// Bodies that are deep in each other and do not find out in a time in which they were pushed apart by more than a
// thickness are stuck: thin shells driven through each other, of which each choice of points pushes another way; a
// shard between another and the ground. What they overlap by then no longer pushes. A half-space has no far side, so
// nothing is stuck in it, nor in anything that pushes one way.
static bool touchIsStuck(const brDynamics* dynamics, brContact* contact, const brShape* const shapes[2],
						 float thickness, bool isOneWay)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	bool isMoved = a->kind == br_bodyKinematic || b->kind == br_bodyKinematic;
	float calm = touchCalm(a, b);
	if (isMoved || shapes[0]->kind == br_shapeHalfSpace || isOneWay)
	{
		contact->deep = 0;
		return false;
	}
	float depth = contact->rest - brContact_Deepest(dynamics, contact);
	bool isDeep = depth > (float)BR_STUCK_DEEP * thickness;
	contact->deep = (uint8_t)(!isDeep ? 0 : contact->deep < 255 ? contact->deep + 1 : 255);
	if (contact->deep >= BR_STUCK_LONG)
	{
		contact->deep = 0;
		return true;
	}
	bool isLong = contact->restless >= BR_STUCK_STEPS && contact->restless % BR_STUCK_STEPS == 0;
	bool isConcave = brShapeKind_IsConcave(shapes[1]->kind) && depth > (float)BR_STUCK_DEPTH * thickness;
	// Hulls that have gone nowhere for seconds are wedged between others: pushed, they move to and fro for ever.
	bool isWedged = calm > (float)BR_CALM_LONG && depth > (float)BR_STUCK_WEDGED * thickness;
	return isLong && (isConcave || isWedged) && depth - contact->rest < (float)BR_STUCK_MOST * thickness;
}

// Whether all points push the same way as before (`old`): they agree on the way out, and it is only a matter of time.
static bool touchIsOneWay(const brDynamics* dynamics, const brContact* contact, brVec3 old)
{
	for (int32_t i = 0; i < contact->manifoldCount; ++i)
	{
		if (!(brDot(brContact_Manifold(dynamics, contact, i)->normal, old) > BR_WARM_COSINE))
		{
			return false;
		}
	}
	return true;
}

// Pieces that collide as hulls overlap where they are hollow, at birth already. Such overlap does not push; it may not
// grow, and once it has shrunk it stays so. The same for what is stuck.
static void touchRest(const brDynamics* dynamics, brContact* contact, bool isNew)
{
	float lowest = brContact_Deepest(dynamics, contact);
	contact->rest = isNew ? lowest : fmaxf(contact->rest, lowest);
	for (int32_t i = 0; i < contact->manifoldCount && contact->rest < 0.0f; ++i)
	{
		brManifold* manifold = brContact_Manifold(dynamics, contact, i);
		for (int32_t k = 0; k < manifold->pointCount; ++k)
		{
			float* separation = &manifold->points[k].separation;
			*separation = *separation < 0.0f ? fminf(0.0f, *separation - contact->rest) : *separation;
		}
	}
}

// Is a pair fast enough to be met where it will be? Where things break there are many fast shards, which do little to
// each other and would cost much: there only what may go through others unseen is met, and not shards by shards. Pieces
// of one body part from where they are.
static bool touchMayMeet(const brDynamics* dynamics, const brBody* a, const brBody* b, float speed, float thickness,
						 float radius)
{
	const brBody* bodies = dynamics->bodies.data;
	if (brDynamics_IsJudged(dynamics, (int32_t)(a - bodies)) || brDynamics_IsJudged(dynamics, (int32_t)(b - bodies)))
	{
		return dynamics->def.enableSweep && speed > 0.5f * thickness && speed > 0.5f * radius &&
			   !(a->isPiece && b->isPiece);
	}
	return dynamics->def.enableSweep && speed > 0.5f * thickness && !a->isNewborn && !b->isNewborn;
}

bool brDynamics_AddBirth(brDynamics* dynamics, int32_t a, int32_t b, const brTouch* touches, int32_t count)
{
	uint64_t key = (uint64_t)a << 32 | (uint32_t)b;
	if (!BR_RESERVE(&dynamics->allocator, &dynamics->births, 1))
	{
		return false;
	}
	// Pieces come one after the other, so the list is nearly sorted.
	int32_t at = dynamics->births.count++;
	for (; at > 0 && dynamics->births.data[at - 1].key > key; --at)
	{
		dynamics->births.data[at] = dynamics->births.data[at - 1];
	}
	brBirth* birth = &dynamics->births.data[at];
	birth->key = key;
	birth->generations[0] = dynamics->bodies.data[a].generation;
	birth->generations[1] = dynamics->bodies.data[b].generation;
	birth->count = count;
	memcpy(birth->touches, touches, sizeof(brTouch) * (size_t)count);
	return true;
}

static const brBirth* touchFindBirth(const brDynamics* dynamics, int32_t a, int32_t b)
{
	uint64_t key = (uint64_t)a << 32 | (uint32_t)b;
	int32_t lower = 0, upper = dynamics->births.count;
	while (lower < upper)
	{
		int32_t middle = (lower + upper) / 2;
		bool isBelow = dynamics->births.data[middle].key < key;
		lower = isBelow ? middle + 1 : lower;
		upper = isBelow ? upper : middle;
	}
	const brBirth* birth = lower < dynamics->births.count ? &dynamics->births.data[lower] : NULL;
	bool isFound = birth != NULL && birth->key == key && birth->generations[0] == dynamics->bodies.data[a].generation &&
				   birth->generations[1] == dynamics->bodies.data[b].generation;
	return isFound ? birth : NULL;
}

static brVec3 touchTurn(brQuat turn, brVec3 a)
{
	return brToVec3(brQuat_Rotate(turn, brToDVec3(a)));
}

// Points are kept in the axes of bodies, and the solver turns them by how bodies lie at the step's start. What is met
// ahead lies as it will then: so the turn until then is put into normals and anchors, and what it does to separations,
// as the solver sees it, is taken out. The anchors of tops the solver turns itself.
static void touchTurnAhead(const brDynamics* dynamics, const brContact* contact, const brMeeting* meeting)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	brDVec3 spinA = brQuat_InvRotate(a->rotation, meeting->spins[0]);
	brDVec3 spinB = brQuat_InvRotate(b->rotation, meeting->spins[1]);
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	bool isCarried[2] = {frames[contact->bodyA].isTop && !frames[contact->bodyA].isRolling,
						 frames[contact->bodyB].isTop && !frames[contact->bodyB].isRolling};
	for (int32_t i = 0; i < contact->manifoldCount; ++i)
	{
		brManifold* manifold = brContact_Manifold(dynamics, contact, i);
		manifold->normal = touchTurn(meeting->turns[0], manifold->normal);
		brDVec3 normalA = brToDVec3(manifold->normal);
		brDVec3 normalB = brQuat_InvRotate(b->rotation, brQuat_Rotate(a->rotation, normalA));
		for (int32_t k = 0; k < manifold->pointCount; ++k)
		{
			brContactPoint* point = &manifold->points[k];
			double closing = 0.0;
			if (!isCarried[0])
			{
				point->anchorA = touchTurn(meeting->turns[0], point->anchorA);
				closing -= brDDot(normalA, brDCross(spinA, brToDVec3(point->anchorA)));
			}
			if (!isCarried[1])
			{
				point->anchorB = touchTurn(meeting->turns[1], point->anchorB);
				closing += brDDot(normalB, brDCross(spinB, brToDVec3(point->anchorB)));
			}
			point->separation -= (float)(meeting->time * closing);
		}
	}
}

void brContact_SetMeeting(const brDynamics* dynamics, brContact* contact, const brMeeting* meeting)
{
	brContact_Replace(dynamics, contact, meeting->touches, meeting->count, &meeting->pose, false);
	touchTurnAhead(dynamics, contact, meeting);
	touchMade(contact, meeting->pose.p, meeting->turn, meeting->margin);
	contact->isMet = true;
	contact->restless = 0;
}

// Where a body overlaps a sensor. It has manifolds and touches nothing, so that nothing is solved.
static void touchSense(const brDynamics* dynamics, brContact* contact)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	brQuat turn = brQuat_Mul(brQuat_Conjugate(a->rotation), b->rotation);
	brRelativePose pose = brMakeRelativePose(a, b, turn);
	brTouch touches[BR_PAIR_MANIFOLDS];
	int32_t count = brCollideShapes(dynamics->shapes.data[a->shape].shape, dynamics->shapes.data[b->shape].shape, &pose,
									0.0f, &contact->memory, NULL, touches);
	brContact_Replace(dynamics, contact, touches, count, &pose, false);
	touchMade(contact, pose.p, turn, 0.0f);
	contact->isTouching = false;
}

// A pair while its contact is brought up to date.
typedef struct TouchPair
{
	brDynamics* dynamics;
	brContact* contact;
	const brBody *a, *b;
	const brShape *shapeA, *shapeB;
	double dt;
	float radii[2];
	float thickness, radius; // of the smaller
	bool isRound;            // both are no more than a ball or a capsule
	float tolerance;         // less than this is no motion
	float speed;             // how far their points come towards each other in the step
	float motion;            // the same with what forces may add
	float margin;            // points farther apart than this do not count
	bool isStill;            // one of them does not move
	bool areHeld;            // both lie where they lay
	brQuat turn;             // of b, seen from a
	brRelativePose pose;     // the same; its place alone until points are looked for
} TouchPair;

static TouchPair touchMakePair(brDynamics* dynamics, brContact* contact, double dt)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	const brShape *shapeA = dynamics->shapes.data[a->shape].shape, *shapeB = dynamics->shapes.data[b->shape].shape;
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	const brBodyFrame *frameA = &frames[contact->bodyA], *frameB = &frames[contact->bodyB];
	TouchPair pair = {
		.dynamics = dynamics, .contact = contact, .a = a, .b = b, .shapeA = shapeA, .shapeB = shapeB, .dt = dt};
	pair.speed = frameA->speed + frameB->speed;
	pair.isStill = a->kind == br_bodyStatic || b->kind == br_bodyStatic;
	bool isHeldA = touchIsHeld(frameA, contact, pair.isStill), isHeldB = touchIsHeld(frameB, contact, pair.isStill);
	float pullA = touchPull(frameA, isHeldA), pullB = touchPull(frameB, isHeldB);
	pair.areHeld = isHeldA && isHeldB;
	pair.motion = pair.speed + pullA + pullB;
	pair.radii[0] = frameA->radius, pair.radii[1] = frameB->radius;
	pair.thickness = brSmallerSize(frameA->thickness, frameB->thickness);
	pair.radius = brSmallerSize(frameA->radius, frameB->radius);
	pair.isRound = frameB->shapeKind < br_shapeBox;
	pair.tolerance = touchTolerance(contact, touchCalm(a, b), pair.thickness, pair.radius);

	// What goes together stays together, unless one of the two is about to hit something else.
	if (pair.speed > pair.tolerance && !a->isMeeting && !b->isMeeting)
	{
		float relative = brDynamics_PairMotion(dynamics, contact->bodyA, contact->bodyB, dt);
		if (relative < pair.speed)
		{
			pair.motion = relative + fmaxf(pullA, pullB);
			pair.speed = relative;
		}
	}

	// Ahead of a fast body a normal means little, so moving pairs look no further than half their size. Against
	// something that stands still a wrong normal is better than a body that goes through.
	float ahead = pair.motion < 0.5f * pair.radius || pair.isStill ? pair.motion : 0.5f * pair.radius;
	pair.margin = (float)BR_CONTACT_MARGIN * pair.thickness + ahead;
	pair.turn = brQuat_Mul(brQuat_Conjugate(a->rotation), b->rotation);
	pair.pose.p = brToVec3(brQuat_InvRotate(a->rotation, brDSub(b->position, a->position)));
	return pair;
}

// Whether what was found before holds on: they have hardly moved, or are still apart.
static bool touchIsKept(const TouchPair* pair)
{
	brContact* contact = pair->contact;
	// Closed forms of round shapes cost no more than the question whether they may be kept.
	if (!contact->isMade || contact->isMet || !pair->dynamics->def.enableRecycle || pair->isRound)
	{
		return false;
	}
	float q[4];
	touchRotation(pair->turn, q);
	float moved = touchMoved(contact, pair->pose.p, q, pair->radii[0], pair->radii[1]);
	bool isStillApart =
		!contact->isTouching && contact->apart - moved > (float)BR_CONTACT_MARGIN * pair->thickness + pair->motion;
	bool isSlow = moved < pair->tolerance && pair->speed < pair->tolerance;
	bool isDone = !(moved > 0.0f) && contact->apart == pair->margin; // by a step that then found no memory
	// Where nothing was found nothing is, if both lie still.
	bool isNothing = !contact->isTouching && isSlow && pair->areHeld;
	return isStillApart || isNothing || (contact->isTouching && (isSlow || isDone)) ||
		   (pair->speed < 0.5f * pair->thickness && touchPostpone(pair->dynamics, contact));
}

// What did not press a step ago and moves fast is met where it will be. So are balls that will bounce: where they hit
// each other at the side the normal is not that of now. True if that is all there is to say about the pair.
static bool touchMeetAhead(const TouchPair* pair)
{
	brDynamics* dynamics = pair->dynamics;
	brContact* contact = pair->contact;
	const brShape *shapeA = pair->shapeA, *shapeB = pair->shapeB;
	bool isBouncing = fmaxf(pair->a->restitution, pair->b->restitution) > 0.0f && shapeA->kind == br_shapeSphere &&
					  pair->speed > (float)(dynamics->def.restitutionSpeed * pair->dt);
	bool isAsked = !contact->wasTouching && shapeA->kind != br_shapeHalfSpace &&
				   (isBouncing || touchMayMeet(dynamics, pair->a, pair->b, pair->speed, pair->thickness, pair->radius));
	if (!isAsked)
	{
		return false;
	}
	brMeeting meeting;
	brPairPath path = brMakePairPath(dynamics, contact, pair->dt);
	// Solids that go together have all their points looked for where they are, once.
	bool isSolid =
		dynamics->step.hasSolids && brPairPath_IsConcave(&path) && !pair->isStill && !dynamics->step.canBreak;
	bool isTogether = isSolid && path.closing * pair->dt < (double)(BR_MEETING_THICKNESSES * pair->thickness);
	if (!isTogether && brPairPath_Meet(&path, &contact->memory, &meeting))
	{
		brContact_SetMeeting(dynamics, contact, &meeting);
		return true;
	}
	// A ball that passes by has no normal of now that means anything.
	bool isPassing = shapeA->kind == br_shapeSphere && !brShapeKind_IsConcave(shapeB->kind);
	if ((isSolid && !isTogether) || isPassing)
	{
		// Should something turn them out of their way, they are asked again.
		float gap = fmaxf(0.0f, brLength(pair->pose.p) - shapeA->radius - shapeB->radius);
		brContact_Replace(dynamics, contact, NULL, 0, &pair->pose, false);
		touchMade(contact, pair->pose.p, pair->turn, gap);
		return true;
	}
	return false;
}

// Pairs that go on without coming to rest are counted, once a step.
static void touchCount(const TouchPair* pair, uint8_t wish)
{
	if ((wish & TOUCH_IS_REPEATED) != 0)
	{
		return;
	}
	const brBodyFrame* frames = brDynamics_Frames(pair->dynamics);
	const brBodyFrame *frameA = &frames[pair->contact->bodyA], *frameB = &frames[pair->contact->bodyB];
	float pull = fmaxf(frameA->motion - frameA->speed, frameB->motion - frameB->speed);
	float slow = fmaxf((float)BR_RESTLESS_THICKNESSES * pair->thickness, (float)BR_RESTLESS_PULL * pull);
	touchCountRestless(pair->contact, pair->speed < slow);
}

// The question where both touch now.
static brTouchQuery touchAsk(TouchPair* pair)
{
	brContact* contact = pair->contact;
	pair->pose = brMakeRelativePose(pair->a, pair->b, pair->turn);
	contact->memory.isRolling = brDDistance(pair->a->spin, pair->b->spin) * pair->dt > BR_ROLLING_TURN;
	contact->memory.isSliding = pair->isStill && pair->speed > BR_SLIDING_THICKNESSES * pair->thickness;
	brTouchQuery query;
	query.shapes[0] = (uint64_t)pair->a->shape, query.shapes[1] = (uint64_t)pair->b->shape;
	query.pose = pair->pose;
	query.margin = pair->margin;
	query.isRolling = contact->memory.isRolling, query.isSliding = contact->memory.isSliding;
	query.unused = 0;
	query.isKept = contact->isTouching;
	touchKeep(pair->dynamics, contact, &query.kept);
	return query;
}

// Contact points where both are now.
static void touchSetPoints(TouchPair* pair, const brTouch* touches, int32_t count)
{
	brDynamics* dynamics = pair->dynamics;
	brContact* contact = pair->contact;
	const brShape *shapeA = pair->shapeA, *shapeB = pair->shapeB;
	bool isCalm = touchCalm(pair->a, pair->b) > (float)BR_CALM_TIME;
	brVec3 old = contact->manifoldCount > 0 ? brContact_Manifold(dynamics, contact, 0)->normal
				 : count > 0                ? touches[0].normal
											: brMakeVec3(0.0f, 0.0f, 0.0f);
	brContact_Replace(dynamics, contact, touches, count, &pair->pose, isCalm);
	bool isOneWay = touchIsOneWay(dynamics, contact, old);
	// A half-space has no far side: whatever is in it is pushed out.
	bool isBirth = !contact->isMade && (pair->a->isNewborn || pair->b->isNewborn) && shapeA->kind != br_shapeHalfSpace;
	bool isStuck = touchIsStuck(dynamics, contact, (const brShape* [2]){shapeA, shapeB}, pair->thickness, isOneWay);
	if (isBirth || isStuck || contact->rest < 0.0f)
	{
		touchRest(dynamics, contact, isBirth || isStuck);
	}
	float apart = count == 0 ? touches[0].apart : pair->margin;
	if (count == 0 && shapeA->kind == br_shapeHalfSpace)
	{
		// The lowest point is known exactly; the bound of a search over points that were not all asked may be too large.
		brVec3 up = brToVec3(brQuat_InvRotate(pair->turn, brMakeDVec3(0.0, 0.0, 1.0)));
		apart = fminf(apart, pair->pose.p.z + brShape_Lowest(shapeB, up));
	}
	touchMade(contact, pair->pose.p, pair->turn, apart);
}

static void touchFindPoints(TouchPair* pair)
{
	brTouchQuery query = touchAsk(pair);
	brTouch touches[BR_PAIR_MANIFOLDS];
	int32_t count = brCollideShapes(pair->shapeA, pair->shapeB, &pair->pose, pair->margin, &pair->contact->memory,
									query.isKept ? &query.kept : NULL, touches);
	touchSetPoints(pair, touches, count);
}

// Brings a contact up to date, but for points that are to be found elsewhere (`outWish`, null: nowhere).
static void touchUpdate(brDynamics* dynamics, brContact* contact, double dt, uint8_t* outWish)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	if (brBody_IsSensed(a, b))
	{
		touchSense(dynamics, contact);
		return;
	}
	contact->isRecycled = dynamics->step.isAgain && contact->isFresh && contact->isMade;
	if (contact->isRecycled)
	{
		return;
	}
	TouchPair pair = touchMakePair(dynamics, contact, dt);
	uint8_t wish = TOUCH_IS_ASKED | (contact->isFresh ? TOUCH_IS_REPEATED : 0);
	contact->isFresh = true;
	contact->isRecycled = touchIsKept(&pair);
	if (contact->isRecycled)
	{
		return;
	}
	bool isBorn = (a->isNewborn || b->isNewborn) && !contact->isMade;
	const brBirth* birth = isBorn ? touchFindBirth(dynamics, contact->bodyA, contact->bodyB) : NULL;
	if (birth != NULL)
	{
		pair.pose = brMakeRelativePose(a, b, pair.turn);
		brContact_Replace(dynamics, contact, birth->touches, birth->count, &pair.pose, false);
		touchMade(contact, pair.pose.p, pair.turn, pair.margin);
		return;
	}
	if (touchMeetAhead(&pair))
	{
		return;
	}
	// Boxes that hold fast bodies wherever they may go overlap long before the bodies are near.
	float gap = brLength(pair.pose.p) - pair.radii[0] - pair.radii[1];
	bool isFar = gap > pair.margin && pair.radii[0] > 0.0f && pair.radii[1] > 0.0f && !contact->isTouching;
	int32_t most = dynamics->toucher.most;
	bool isTaken = pair.shapeA->vertexCount <= most && pair.shapeB->vertexCount <= most;
	if (outWish != NULL && !isFar && isTaken && brShapeKind_IsConcave(pair.shapeB->kind))
	{
		*outWish = wish;
		return;
	}
	touchCount(&pair, wish);
	if (isFar)
	{
		touchMade(contact, pair.pose.p, pair.turn, gap);
		return;
	}
	touchFindPoints(&pair);
}

// Of bodies that fall one behind the other the first is stopped, and the next runs into it in the same step. News of
// that goes on through gaps that add up to less than a body moves by; pieces of something broken are too many for that.
static void touchSpreadMeeting(brDynamics* dynamics)
{
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	brBody* bodies = dynamics->bodies.data;
	brBodyNews* news = brDynamics_News(dynamics);
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		bool isDynamic = bodies[i].kind == br_bodyDynamic;
		news[i] = (brBodyNews){.way = bodies[i].isMeeting && isDynamic ? 0.0f : INFINITY,
							   .reach = isDynamic && !bodies[i].isPiece ? frames[i].speed : 0.0f};
	}
	for (bool isChanged = true; isChanged;)
	{
		isChanged = false;
		for (int32_t i = 0; i < dynamics->pairs.count; ++i)
		{
			uint64_t key = dynamics->pairs.data[i].key;
			int32_t a = (int32_t)(key >> 32), b = (int32_t)(key & 0xFFFFFFFFu);
			int32_t from = news[a].way <= news[b].way ? a : b, to = from == a ? b : a;
			if (!(news[from].way < news[to].way && news[from].way < news[to].reach))
			{
				continue;
			}
			const brContact* contact = brDynamics_PairContact(dynamics, i);
			float gap = contact->isMade && !contact->isTouching ? fmaxf(contact->apart, 0.0f) : 0.0f;
			float way = news[from].way + gap;
			if (way < news[to].way && way < news[to].reach && !brBody_IsSensed(&bodies[a], &bodies[b]))
			{
				news[to].way = way;
				isChanged = bodies[to].isMeeting = true;
			}
		}
	}
}

// What a pair tells of its bodies, a bit each.
#define TOUCH_IS_PRESSED 1
#define TOUCH_IS_FAST 2

static void touchFindFast(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const TouchWork* work = user;
	const brDynamics* dynamics = work->dynamics;
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	uint8_t* told = dynamics->keys[1].data;
	for (int32_t i = begin; i < end; ++i)
	{
		const brContact* contact = brDynamics_PairContact(dynamics, i);
		uint64_t key = dynamics->pairs.data[i].key;
		int32_t a = (int32_t)(key >> 32), b = (int32_t)(key & 0xFFFFFFFFu);
		float limit = BR_STOPPING_THICKNESSES * brSmallerSize(frames[a].thickness, frames[b].thickness);
		// Most pairs are slow, which their own speeds tell.
		bool isFast = frames[a].speed + frames[b].speed > limit && !brDynamics_IsLeftOut(dynamics, a) &&
					  !brDynamics_IsLeftOut(dynamics, b) &&
					  !brBody_IsSensed(&dynamics->bodies.data[a], &dynamics->bodies.data[b]) &&
					  brDynamics_PairMotion(dynamics, a, b, work->dt) > limit;
		told[i] = (uint8_t)((contact->wasTouching && contact->isTouching ? TOUCH_IS_PRESSED : 0) |
							(isFast ? TOUCH_IS_FAST : 0));
	}
}

// Bodies that are pressed on, and those that are fast relative to something within reach, by their thickness.
static void touchFindMeeting(TouchWork* work)
{
	brDynamics* dynamics = work->dynamics;
	brBodyFrame* frames = brDynamics_Frames(dynamics);
	const uint8_t* told = dynamics->keys[1].data; // the keys of pairs have been sorted
	bool isAny = false;
	brParallelFor(dynamics->context.workers, dynamics->pairs.count, 256, touchFindFast, work);
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		dynamics->bodies.data[i].isMeeting = false;
	}
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		uint64_t key = dynamics->pairs.data[i].key;
		int32_t a = (int32_t)(key >> 32), b = (int32_t)(key & 0xFFFFFFFFu);
		if ((told[i] & TOUCH_IS_PRESSED) != 0)
		{
			frames[a].isPressed = frames[b].isPressed = true;
		}
		if ((told[i] & TOUCH_IS_FAST) != 0)
		{
			dynamics->bodies.data[a].isMeeting = dynamics->bodies.data[b].isMeeting = isAny = true;
		}
	}
	if (isAny)
	{
		touchSpreadMeeting(dynamics);
	}
}

static void touchRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	TouchWork* work = user;
	brDynamics* dynamics = work->dynamics;
	int32_t recycled = 0, postponed = 0;
	for (int32_t i = begin; i < end; ++i)
	{
		brContact* contact = brDynamics_PairContact(dynamics, i);
		const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
		// What sleeps keeps its points as they are.
		bool isLeftOut =
			brDynamics_IsLeftOut(dynamics, contact->bodyA) || brDynamics_IsLeftOut(dynamics, contact->bodyB);
		if (!isLeftOut && (brBody_IsMoving(a) || brBody_IsMoving(b)))
		{
			touchUpdate(dynamics, contact, work->dt, work->wishes != NULL ? &work->wishes[i] : NULL);
		}
		else
		{
			contact->isRecycled = true;
		}
		recycled += contact->isRecycled;
		postponed += contact->isRecycled && contact->isPostponed;
	}
	atomic_fetch_add_explicit(&work->recycled, recycled, memory_order_relaxed);
	atomic_fetch_add_explicit(&work->postponed, postponed, memory_order_relaxed);
}

// A pair whose points are found elsewhere.
typedef struct TouchAsked
{
	TouchPair pair;
	int32_t index; // of the pair
} TouchAsked;

static void touchAskRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const TouchWork* work = user;
	TouchAsked* asked = work->dynamics->asked.data;
	brTouchQuery* queries = work->dynamics->queries.data;
	for (int32_t i = begin; i < end; ++i)
	{
		brContact* contact = brDynamics_PairContact(work->dynamics, asked[i].index);
		asked[i].pair = touchMakePair(work->dynamics, contact, work->dt); // as it was: nothing of it has changed since
		queries[i] = touchAsk(&asked[i].pair);
	}
}

static void touchAnswerRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const TouchWork* work = user;
	TouchAsked* asked = work->dynamics->asked.data;
	for (int32_t i = begin; i < end; ++i)
	{
		touchCount(&asked[i].pair, work->wishes[asked[i].index]);
		touchSetPoints(&asked[i].pair, work->answers[i].touches, work->answers[i].count);
	}
}

// Points of the pairs that asked for them, from elsewhere. False if nobody answers; nothing has changed then.
static bool touchElsewhere(TouchWork* work)
{
	brDynamics* dynamics = work->dynamics;
	int32_t count = 0;
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		count += work->wishes[i] != 0;
	}
	if (count < dynamics->toucher.fewest ||
		!brStageMemory_Ensure(&dynamics->asked, &dynamics->allocator, count, sizeof(TouchAsked)) ||
		!brStageMemory_Ensure(&dynamics->queries, &dynamics->allocator, count, sizeof(brTouchQuery)))
	{
		return false;
	}
	TouchAsked* asked = dynamics->asked.data;
	for (int32_t i = 0, at = 0; at < count; ++i)
	{
		asked[at].index = i;
		at += work->wishes[i] != 0;
	}
	brParallelFor(dynamics->context.workers, count, TOUCH_PAIRS, touchAskRange, work);
	brReport trouble = {0};
	if (dynamics->toucher.find(dynamics->toucher.user, dynamics, dynamics->queries.data, count, &work->answers,
							   &trouble) < 0)
	{
		brLog(&dynamics->context, br_logWarning, "%s; the CPU finds where meshes touch", trouble.text);
		dynamics->toucher = (brTouchDevice){0};
		return false;
	}
	brParallelFor(dynamics->context.workers, count, TOUCH_PAIRS, touchAnswerRange, work);
	return true;
}

// The same here.
static void touchHereRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const TouchWork* work = user;
	for (int32_t i = begin; i < end; ++i)
	{
		if (work->wishes[i] != 0)
		{
			brContact* contact = brDynamics_PairContact(work->dynamics, i);
			TouchPair pair = touchMakePair(work->dynamics, contact, work->dt);
			touchCount(&pair, work->wishes[i]);
			touchFindPoints(&pair);
		}
	}
}

void brDynamics_Touch(brDynamics* dynamics, double dt)
{
	TouchWork work = {.dynamics = dynamics, .dt = dt};
	touchFindMeeting(&work);
	if (dynamics->toucher.find != NULL)
	{
		work.wishes = dynamics->keys[1].data; // what pairs told of their bodies has been heard
		memset(work.wishes, 0, (size_t)dynamics->pairs.count);
	}
	brParallelFor(dynamics->context.workers, dynamics->pairs.count, TOUCH_PAIRS, touchRange, &work);
	if (work.wishes != NULL && !touchElsewhere(&work))
	{
		brParallelFor(dynamics->context.workers, dynamics->pairs.count, TOUCH_PAIRS, touchHereRange, &work);
	}
	dynamics->stats.recycled = work.recycled;
	dynamics->stats.postponed = work.postponed;
}
