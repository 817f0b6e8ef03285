// SPDX-License-Identifier: MIT

#include "live/hand.h"

#include "brittle/mesh.h"
#include "math/rotation.h"

#define HAND_HERTZ 4.0        // of the spring; a body follows within a tenth of a second
#define HAND_MAX_PULL 600.0   // [m/s^2] enough to throw things about, not enough to tear them through others
#define HAND_SPIN_DAMPING 3.0 // [1/s] so that what hangs does not swing for ever

void brHand_Grab(brHand* hand, const brWorld* world, brBodyId body, const brMesh* mesh, brDVec3 point, brDVec3 target)
{
	double mass = brWorld_GetMass(world, body);
	brMassProperties solid = brMesh_ComputeMass(mesh, 1.0);
	*hand = (brHand){.body = {0, 0}};
	if (!(mass > 0.0) || !(solid.mass > 0.0))
	{
		return;
	}
	brMat3 inertia = solid.inertia;
	double scale = mass / solid.mass;
	inertia.cx = brDMul(scale, inertia.cx), inertia.cy = brDMul(scale, inertia.cy);
	inertia.cz = brDMul(scale, inertia.cz);
	brMat3 inverse = brInvertMat3(&inertia);
	if (brDLengthSq(inverse.cx) > 0.0 && brDIsFinite(inverse.cx) && brDIsFinite(inverse.cy) && brDIsFinite(inverse.cz))
	{
		*hand = (brHand){body, brDAdd(point, solid.center), target, inverse, mass};
	}
}

// Velocity that a unit impulse at `arm` gives to that point.
static brDVec3 handResponse(const brMat3* invInertia, double mass, brDVec3 arm, brDVec3 impulse)
{
	brDVec3 spin = brMat3_MulV(invInertia, brDCross(arm, impulse));
	return brDAdd(brDMul(1.0 / mass, impulse), brDCross(spin, arm));
}

void brHand_Pull(brHand* hand, brWorld* world, double dt)
{
	if (hand->body.index1 == 0 || !brWorld_IsBody(world, hand->body))
	{
		hand->body = (brBodyId){0, 0};
		return;
	}
	brTransform pose = brWorld_GetPose(world, hand->body);
	brDVec3 at = brTransform_Point(pose, hand->point), spin = brWorld_GetSpin(world, hand->body);
	brDVec3 arm = brDSub(at, brWorld_GetCenter(world, hand->body));
	brWorld_SetVelocity(world, hand->body, brWorld_GetVelocity(world, hand->body),
						brDMul(1.0 / (1.0 + HAND_SPIN_DAMPING * dt), spin));
	spin = brWorld_GetSpin(world, hand->body);
	brDVec3 velocity = brDAdd(brWorld_GetVelocity(world, hand->body), brDCross(spin, arm));

	brMat3 turn = brMakeMat3FromQuat(pose.q), back = brMat3_Transpose(&turn);
	brMat3 half = brMat3_Mul(&turn, &hand->invInertia), invInertia = brMat3_Mul(&half, &back);
	brMat3 response = {handResponse(&invInertia, hand->mass, arm, brMakeDVec3(1.0, 0.0, 0.0)),
					   handResponse(&invInertia, hand->mass, arm, brMakeDVec3(0.0, 1.0, 0.0)),
					   handResponse(&invInertia, hand->mass, arm, brMakeDVec3(0.0, 0.0, 1.0))};

	// An implicit step of a critically damped spring on the mass that the point feels.
	double omega = 2.0 * BR_PI * HAND_HERTZ, reach = dt * omega * (2.0 + dt * omega);
	double bias = omega / (2.0 + dt * omega), share = reach / (1.0 + reach);
	brDVec3 wanted = brDMulAdd(velocity, bias, brDSub(at, hand->target));
	brMat3 feels = brInvertMat3(&response);
	brDVec3 impulse = brDMul(-share, brMat3_MulV(&feels, wanted));
	double most = hand->mass * HAND_MAX_PULL * dt, length = brDLength(impulse);
	impulse = length > most ? brDMul(most / length, impulse) : impulse;
	brWorld_ApplyImpulse(world, hand->body, impulse, at);
}
