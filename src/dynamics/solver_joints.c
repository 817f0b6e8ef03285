// SPDX-License-Identifier: MIT

// Joints: a point held in common, and for hinges and fixed joints the rotation too.
//
// They are few and stiff, so they are solved one after the other in double, in slot order, with anchors that follow the
// bodies inside the step (a pendulum that kept its anchors for a whole step would swing along tangents). Errors are
// pushed out as by a damped spring at the highest frequency the substep allows; the relaxing pass takes the push out of
// the velocity.

#include "dynamics/solver.h"
#include "dynamics/tuning.h"
#include "math/rotation.h"

typedef struct JointSoft
{
	double rate, massScale, impulseScale;
} JointSoft;

// A spring of a frequency and damping ratio over a substep (Catto, "Soft constraints"), no stiffer than is stable.
static JointSoft jointSoft(double hertz, double damping, double h)
{
	double omega = 2.0 * BR_PI * fmin(hertz, BR_JOINT_HERTZ_STEP / h);
	double a1 = 2.0 * damping + h * omega, a2 = h * omega * a1, a3 = 1.0 / (1.0 + a2);
	return (JointSoft){omega / a1, a2 * a3, a3};
}

static brMat3 jointInvInertia(const brSolverBody* body)
{
	const float* j = body->invInertia;
	return (brMat3){{j[0], j[3], j[4]}, {j[3], j[1], j[5]}, {j[4], j[5], j[2]}};
}

static brDVec3 jointRead(const float a[4])
{
	return brMakeDVec3(a[0], a[1], a[2]);
}

static void jointAdd(float out[4], brDVec3 a)
{
	out[0] = (float)(out[0] + a.x), out[1] = (float)(out[1] + a.y), out[2] = (float)(out[2] + a.z);
}

// Adds invMass - skew(r) invInertia skew(r).
static void jointAddPoint(brMat3* k, const brSolverBody* body, brDVec3 r)
{
	brMat3 j = jointInvInertia(body);
	brDVec3* columns[3] = {&k->cx, &k->cy, &k->cz};
	for (int i = 0; i < 3; ++i)
	{
		brDVec3 unit = {i == 0, i == 1, i == 2};
		brDVec3 spin = brMat3_MulV(&j, brDCross(r, unit));
		*columns[i] = brDAdd(*columns[i], brDMulAdd(brDCross(spin, r), (double)body->invMass, unit));
	}
}

static brQuat jointTurn(brDVec3 turned)
{
	double angle = brDLength(turned);
	return angle > 0.0 ? brMakeQuatAxisAngle(brDMul(1.0 / angle, turned), angle) : brMakeQuatIdentity();
}

// What a vector of the step's start is now.
static brDVec3 jointNow(const brDynamics* dynamics, int32_t state, brDVec3 start)
{
	const brSolverBody* body = (const brSolverBody*)dynamics->stateBodies.data + state;
	if (body->isTop)
	{
		brQuat before = dynamics->bodies.data[body->body].rotation;
		return brQuat_Rotate(body->rotation, brQuat_InvRotate(before, start));
	}
	return brQuat_Rotate(jointTurn(jointRead(((const brSolverState*)dynamics->states.data)[state].turned)), start);
}

static brQuat jointRotation(const brDynamics* dynamics, int32_t state)
{
	const brSolverBody* body = (const brSolverBody*)dynamics->stateBodies.data + state;
	brQuat before = dynamics->bodies.data[body->body].rotation;
	brQuat turn = jointTurn(jointRead(((const brSolverState*)dynamics->states.data)[state].turned));
	return body->isTop ? body->rotation : brQuat_Mul(turn, before);
}

// By how much B is off: of a hinge only what tips the axis. Both turn, and with an axis of the step's start a wheel
// would be stopped that turns fast in a frame that turns too.
static brDVec3 jointError(const brDynamics* dynamics, brJointWork* work)
{
	const brJoint* joint = &dynamics->joints.data[work->joint];
	brDVec3 none = {0.0, 0.0, 0.0};
	if (joint->kind == br_jointHinge)
	{
		work->axis = jointNow(dynamics, work->stateA, work->startAxes[0]);
		return brDCross(work->axis, jointNow(dynamics, work->stateB, work->startAxes[1]));
	}
	if (joint->kind != br_jointFixed)
	{
		return none;
	}
	brQuat a = work->stateA == BR_REST_STATE ? dynamics->bodies.data[joint->bodyA].rotation
											 : jointRotation(dynamics, work->stateA);
	brQuat b = work->stateB == BR_REST_STATE ? dynamics->bodies.data[joint->bodyB].rotation
											 : jointRotation(dynamics, work->stateB);
	// B should be at A's rotation times the relative one; what is left over, as a vector in the world.
	brQuat off = brQuat_Mul(b, brQuat_Conjugate(brQuat_Mul(a, joint->relative)));
	return brDMul(off.w < 0.0 ? -2.0 : 2.0, brMakeDVec3(off.x, off.y, off.z));
}

// Matrices for where the bodies are now.
static void jointRefresh(brDynamics* dynamics, brJointWork* work)
{
	const brSolverBody* bodies = dynamics->stateBodies.data;
	work->error = jointError(dynamics, work);
	work->anchorA = jointNow(dynamics, work->stateA, work->startA);
	work->anchorB = jointNow(dynamics, work->stateB, work->startB);
	brMat3 k = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
	jointAddPoint(&k, &bodies[work->stateA], work->anchorA);
	jointAddPoint(&k, &bodies[work->stateB], work->anchorB);
	work->mass = brInvertMat3(&k);
	brMat3 ja = jointInvInertia(&bodies[work->stateA]), jb = jointInvInertia(&bodies[work->stateB]);
	brMat3 sum = {brDAdd(ja.cx, jb.cx), brDAdd(ja.cy, jb.cy), brDAdd(ja.cz, jb.cz)};
	work->turnMass = brInvertMat3(&sum);
}

// What the pass over bodies added as warm start was the impulse of the last substep at the anchors of then. It belongs
// to where the anchors are now, which is a torque away; without it a pendulum loses energy at a rate proportional to
// the substep.
static void jointMoveWarmStart(brDynamics* dynamics, const brJointWork* work)
{
	brSolverState* states = dynamics->states.data;
	const brSolverBody* bodies = dynamics->stateBodies.data;
	brMat3 ja = jointInvInertia(&bodies[work->stateA]), jb = jointInvInertia(&bodies[work->stateB]);
	brDVec3 torqueA = brDCross(brDSub(work->anchorA, work->pushedA), work->pushed);
	brDVec3 torqueB = brDCross(brDSub(work->anchorB, work->pushedB), work->pushed);
	if (bodies[work->stateA].isDynamic)
	{
		jointAdd(states[work->stateA].spin, brDNeg(brMat3_MulV(&ja, torqueA)));
	}
	if (bodies[work->stateB].isDynamic)
	{
		jointAdd(states[work->stateB].spin, brMat3_MulV(&jb, torqueB));
	}
}

int32_t brSolver_PrepareJoints(brDynamics* dynamics, brJointWork* work)
{
	const brSolverBody* states = dynamics->stateBodies.data;
	int32_t count = 0;
	for (int32_t i = 0; i < dynamics->joints.count; ++i)
	{
		const brJoint* joint = &dynamics->joints.data[i];
		if (joint->kind < 0)
		{
			continue;
		}
		const brBody *a = &dynamics->bodies.data[joint->bodyA], *b = &dynamics->bodies.data[joint->bodyB];
		int32_t stateA = brDynamics_Frames(dynamics)[joint->bodyA].state;
		int32_t stateB = brDynamics_Frames(dynamics)[joint->bodyB].state;
		stateA = stateA < 0 ? BR_REST_STATE : stateA;
		stateB = stateB < 0 ? BR_REST_STATE : stateB;
		if (!states[stateA].isDynamic && !states[stateB].isDynamic)
		{
			continue;
		}
		brJointWork* out = &work[count++];
		*out = (brJointWork){.joint = i, .stateA = stateA, .stateB = stateB};
		out->startA = brQuat_Rotate(a->rotation, joint->anchorA);
		out->startB = brQuat_Rotate(b->rotation, joint->anchorB);
		out->gap = brDSub(brDAdd(b->position, out->startB), brDAdd(a->position, out->startA));
		out->axis = out->startAxes[0] = brQuat_Rotate(a->rotation, joint->axisA);
		if (joint->kind == br_jointHinge)
		{
			brQuat off = brQuat_Mul(b->rotation, brQuat_Conjugate(brQuat_Mul(a->rotation, joint->relative)));
			out->startAxes[1] = brQuat_Rotate(brQuat_Mul(b->rotation, brQuat_Conjugate(joint->relative)), joint->axisA);
			out->angle = 2.0 * brAtan2(brDDot(brMakeDVec3(off.x, off.y, off.z), out->axis), off.w);
			out->angle -= out->angle > BR_PI ? 2.0 * BR_PI : out->angle < -BR_PI ? -2.0 * BR_PI : 0.0;
		}
		out->impulse = joint->impulse;
		out->twisting = joint->twisting;
		jointRefresh(dynamics, out);
	}
	return count;
}

static void jointApply(brDynamics* dynamics, const brJointWork* work, brDVec3 impulse, brDVec3 twisting)
{
	brSolverState* states = dynamics->states.data;
	const brSolverBody* bodies = dynamics->stateBodies.data;
	for (int side = 0; side < 2; ++side)
	{
		int32_t index = side == 0 ? work->stateA : work->stateB;
		double sign = side == 0 ? -1.0 : 1.0;
		if (bodies[index].isDynamic)
		{
			brMat3 j = jointInvInertia(&bodies[index]);
			brDVec3 torque = brDAdd(twisting, brDCross(side == 0 ? work->anchorA : work->anchorB, impulse));
			jointAdd(states[index].velocity, brDMul(sign * (double)bodies[index].invMass, impulse));
			jointAdd(states[index].spin, brDMul(sign, brMat3_MulV(&j, torque)));
		}
	}
}

void brSolver_WarmStartJoints(brDynamics* dynamics, brJointWork* work, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		jointApply(dynamics, &work[i], work[i].impulse, work[i].twisting);
	}
}

// By how much B has turned in this step, seen from A.
static brDVec3 jointTurned(const brDynamics* dynamics, const brJointWork* work)
{
	const brSolverState* states = dynamics->states.data;
	const brSolverBody* bodies = dynamics->stateBodies.data;
	return brDSub(brToDVec3(brSolver_Turned(&states[work->stateB], &bodies[work->stateB])),
				  brToDVec3(brSolver_Turned(&states[work->stateA], &bodies[work->stateA])));
}

static void jointSolveTurn(brDynamics* dynamics, brJointWork* work, bool isHinge, const JointSoft* soft)
{
	const brSolverState* states = dynamics->states.data;
	brDVec3 spin = brDSub(jointRead(states[work->stateB].spin), jointRead(states[work->stateA].spin));
	brDVec3 wanted = brDMulAdd(spin, soft->rate, work->error);
	brDVec3 next = brDMulAdd(brDMul(1.0 - soft->impulseScale, work->twisting), -soft->massScale,
							 brMat3_MulV(&work->turnMass, wanted));
	if (isHinge)
	{
		// Free about the axis: the spin along it is left as it is, by solving in the plane across. With K the angular
		// matrix and P the projection, x = (P K P)^-1 P rhs is found as M rhs + s M axis with x . axis = 0.
		brDVec3 along = brMat3_MulV(&work->turnMass, work->axis);
		double s = brDDot(work->axis, next) / brDDot(work->axis, along);
		next = brDMulAdd(next, -s, along);
	}
	brDVec3 change = brDSub(next, work->twisting);
	work->twisting = next;
	jointApply(dynamics, work, brMakeDVec3(0.0, 0.0, 0.0), change);
}

// What turns a hinge about its axis, and where it ends. One impulse after the other; limits last, so that no motor goes
// through them.
static void jointSolveAxis(brDynamics* dynamics, brJointWork* work, const JointSoft* soft, double h)
{
	const brJoint* joint = &dynamics->joints.data[work->joint];
	const brSolverState* states = dynamics->states.data;
	const brSolverBody* bodies = dynamics->stateBodies.data;
	brMat3 ja = jointInvInertia(&bodies[work->stateA]), jb = jointInvInertia(&bodies[work->stateB]);
	double inverse = brDDot(work->axis, brDAdd(brMat3_MulV(&ja, work->axis), brMat3_MulV(&jb, work->axis)));
	brDVec3 turned = jointTurned(dynamics, work);
	double angle = work->angle + brDDot(work->axis, turned);
	double* impulses[3] = {&work->motor, &work->lower, &work->upper};
	for (int k = joint->enableMotor ? 0 : 1; k < (joint->enableLimit ? 3 : 1) && inverse > 0.0; ++k)
	{
		double sign = k == 2 ? -1.0 : 1.0;
		brDVec3 spin = brDSub(jointRead(states[work->stateB].spin), jointRead(states[work->stateA].spin));
		double speed = sign * brDDot(work->axis, spin), next = *impulses[k], most = joint->motorTorque * h;
		if (k == 0)
		{
			next = fmin(fmax(next - (speed - joint->motorSpeed) / inverse, -most), most);
		}
		else
		{
			// Ahead of a limit it may be reached within the substep and no further.
			double gap = k == 1 ? angle - joint->lowerAngle : joint->upperAngle - angle;
			next = fmax(next - (speed + (gap > 0.0 ? gap / h : soft->rate * gap)) / inverse, 0.0);
		}
		double change = sign * (next - *impulses[k]);
		*impulses[k] = next;
		jointApply(dynamics, work, brMakeDVec3(0.0, 0.0, 0.0), brDMul(change, work->axis));
	}
}

static void jointSolvePoint(brDynamics* dynamics, brJointWork* work, const JointSoft* soft)
{
	const brSolverState *a = (brSolverState*)dynamics->states.data + work->stateA,
						*b = (brSolverState*)dynamics->states.data + work->stateB;
	brDVec3 slip = brDSub(brDAdd(jointRead(b->velocity), brDCross(jointRead(b->spin), work->anchorB)),
						  brDAdd(jointRead(a->velocity), brDCross(jointRead(a->spin), work->anchorA)));
	brDVec3 movedA = brDAdd(jointRead(a->moved), brDSub(work->anchorA, work->startA));
	brDVec3 movedB = brDAdd(jointRead(b->moved), brDSub(work->anchorB, work->startB));
	brDVec3 gap = brDAdd(work->gap, brDSub(movedB, movedA));
	brDVec3 wanted = brDMulAdd(slip, soft->rate, gap);
	brDVec3 next =
		brDMulAdd(brDMul(1.0 - soft->impulseScale, work->impulse), -soft->massScale, brMat3_MulV(&work->mass, wanted));
	brDVec3 change = brDSub(next, work->impulse);
	work->impulse = next;
	jointApply(dynamics, work, change, brMakeDVec3(0.0, 0.0, 0.0));
}

void brSolver_SolveJoints(brDynamics* dynamics, brJointWork* work, int32_t count, double h, bool isBiased)
{
	JointSoft rigid = {0.0, 1.0, 0.0}, stiff = jointSoft(BR_JOINT_HERTZ_STEP / h, BR_JOINT_DAMPING, h);
	for (int32_t i = 0; i < count; ++i)
	{
		const brJoint* joint = &dynamics->joints.data[work[i].joint];
		int32_t kind = joint->kind;
		// A spring has no push to be taken out again: it is one.
		bool isSpring = joint->springHertz > 0.0;
		JointSoft soft = !isBiased ? rigid : isSpring ? jointSoft(joint->springHertz, joint->springDamping, h) : stiff;
		jointRefresh(dynamics, &work[i]);
		if (isBiased)
		{
			jointMoveWarmStart(dynamics, &work[i]);
		}
		if (kind == br_jointHinge && (joint->enableLimit || joint->enableMotor))
		{
			jointSolveAxis(dynamics, &work[i], isBiased ? &stiff : &rigid, h);
		}
		if (isSpring && !isBiased)
		{
			continue;
		}
		if (kind != br_jointBall)
		{
			jointSolveTurn(dynamics, &work[i], kind == br_jointHinge, &soft);
		}
		jointSolvePoint(dynamics, &work[i], &soft);
		if (isBiased)
		{
			work[i].pushed = work[i].impulse;
			work[i].pushedA = work[i].anchorA, work[i].pushedB = work[i].anchorB;
		}
	}
}

void brSolver_StoreJoints(brDynamics* dynamics, const brJointWork* work, int32_t count, double h)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brJoint* joint = &dynamics->joints.data[work[i].joint];
		joint->impulse = work[i].impulse;
		joint->twisting = work[i].twisting;
		// Impulses are those of one substep.
		if (brDLength(joint->impulse) > joint->breakForce * h || brDLength(joint->twisting) > joint->breakTorque * h)
		{
			brJointId id = {work[i].joint + 1, joint->generation};
			dynamics->bodyEvents.data[dynamics->bodyEvents.count++] =
				(brBodyEvent){br_eventJointBroke, brDynamics_BodyId(dynamics, joint->bodyA), id};
			brDynamics_FreeJoint(dynamics, work[i].joint);
		}
	}
}
