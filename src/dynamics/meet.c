// SPDX-License-Identifier: MIT

// Where two fast bodies will first touch, if they go on as they do.
//
// Far ahead of a body the shortest way to another says little about where it will hit. So for pairs that move by more than half a
// thickness the pose is advanced by steps that cannot jump over the other (distance over the most that any two points can
// close by: conservative advancement, Mirtich 1996) until they touch, and contact points are made there. Anchored to both
// bodies they tell the solver how far apart the two are now, and along which normal they will meet.

#include "dynamics/dynamics.h"
#include "dynamics/tuning.h"

#include "contact/solid.h"

#define MEET_ITERATIONS 32

static brQuat meetTurn(brQuat q, brDVec3 spin, double t)
{
	double speed = brDLength(spin);
	return speed > 0.0 ? brQuat_Normalize(brQuat_Mul(brMakeQuatAxisAngle(brDMul(1.0 / speed, spin), speed * t), q)) : q;
}

// Gravity bends the way; half of what it adds is right at the step's end.
static brDVec3 meetVelocity(const brDynamics* dynamics, const brBody* body, double dt)
{
	double pull = body->kind == br_bodyDynamic ? 0.5 * dt * (double)body->gravityScale : 0.0;
	return brBody_IsMoving(body) ? brDMulAdd(body->velocity, pull, dynamics->def.gravity) : brMakeDVec3(0.0, 0.0, 0.0);
}

// A lower bound of the distance: between the balls around both, or of one ball from the solid that the other is. Below the margin: not known.
static float meetFar(const brShape* a, const brShape* b, const brRelativePose* pose, float margin)
{
	float far = brLength(pose->p) - a->radius - b->radius;
	if (far > margin || !brShapeKind_IsConcave(b->kind))
	{
		return far;
	}
	brSolid solid = brMakeSolid(b);
	brFieldAnswer answer;
	brVec3 middle = brRelativePose_InvRotate(pose, brMul(-1.0f, pose->p));
	return brSolid_Field(&solid, middle, a->radius + margin, &answer) ? far : answer.distance - a->radius;
}

bool brContact_Meet(const brDynamics* dynamics, const brContact* contact, double dt, brMeeting* outMeeting)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	const brShape *shapeA = dynamics->shapes.data[a->shape].shape, *shapeB = dynamics->shapes.data[b->shape].shape;
	brDVec3 velocityA = meetVelocity(dynamics, a, dt), velocityB = meetVelocity(dynamics, b, dt), none = {0, 0, 0};
	brDVec3 spinA = brBody_IsMoving(a) ? a->spin : none, spinB = brBody_IsMoving(b) ? b->spin : none;
	float thickness = brSmallerSize(shapeA->thickness, shapeB->thickness);
	float radius = brSmallerSize(shapeA->radius, shapeB->radius);
	float margin = (float)BR_CONTACT_MARGIN * thickness;
	double pull = 0.5 * dt * brDLength(dynamics->def.gravity);
	double closing = (double)brDynamics_PairMotion(dynamics, contact->bodyA, contact->bodyB, dt) / dt + pull;
	brPairMemory memory = {0};
	double t = 0.0;
	for (int32_t i = 0; i < MEET_ITERATIONS && t < dt; ++i)
	{
		brBody nowA = {.position = brDMulAdd(a->position, t, velocityA), .rotation = meetTurn(a->rotation, spinA, t)};
		brBody nowB = {.position = brDMulAdd(b->position, t, velocityB), .rotation = meetTurn(b->rotation, spinB, t)};
		outMeeting->turn = brQuat_Mul(brQuat_Conjugate(nowA.rotation), nowB.rotation);
		outMeeting->pose = brMakeRelativePose(&nowA, &nowB, outMeeting->turn);
		// Balls are soon asked, and most pairs whose boxes overlap are apart by them all the way.
		float far = meetFar(shapeA, shapeB, &outMeeting->pose, margin);
		if (far > margin && i < MEET_ITERATIONS - 1)
		{
			t += ((double)far - 0.5 * (double)margin) / closing;
			continue;
		}
		outMeeting->count =
			brCollideShapes(shapeA, shapeB, &outMeeting->pose, margin, &memory, NULL, outMeeting->touches);
		if (outMeeting->count > 0 || i == MEET_ITERATIONS - 1)
		{
			// What else will touch in the rest of the step, by the normal of here. After so many steps that it is still not settled
			// they pass closely: whatever is near may touch.
			float rest = fminf((float)(closing * (dt - t)), 2.0f * radius);
			outMeeting->margin = margin + rest;
			outMeeting->count = brCollideShapes(shapeA, shapeB, &outMeeting->pose, outMeeting->margin, &memory, NULL,
												outMeeting->touches);
			return outMeeting->count > 0;
		}
		double gap = (double)outMeeting->touches[0].apart;
		t += fmax(gap - 0.5 * (double)margin, 0.5 * (double)margin) / closing;
	}
	return false;
}
