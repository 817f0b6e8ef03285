// SPDX-License-Identifier: MIT

// Where two fast bodies will first touch, if they go on as they do.
//
// Far ahead of a body the shortest way to another says little about where it will hit. So for pairs that move by more
// than half a thickness the pose is advanced by steps that cannot jump over the other until they touch, and contact
// points are made there. Anchored to both bodies they tell the solver how far apart the two are now, and along which
// normal they will meet.
//
// Convex bodies advance by distance over the most that any two points can close by (conservative advancement, Mirtich
// 1996). Distances of concave ones are dear, and most pairs pass by: these are asked first whether a plane stays
// between them (swept_hulls.h) for the whole step, then for as long as possible, by steps that double while it does.
// Only where no plane does for a fraction of a thickness are contact points searched for, a few times at most.

#include "dynamics/dynamics.h"
#include "dynamics/tuning.h"

#include "contact/solid.h"
#include "contact/swept_hulls.h"

#define MEET_ITERATIONS 32

// Steps from within the margin to the touch, and how near that is, in margins.
#define MEET_REFINED 8
#define MEET_TOUCHES 1e-3f

// Concave bodies: the shortest step in thicknesses, and how many times their points may be searched for.
#define MEET_RESOLUTION 0.25
#define MEET_MAX_ASKED 3

// Length of a direction in memory.
#define MEET_MEMORY 16384.0f

static brQuat meetTurn(brQuat q, brDVec3 spin, double t)
{
	double speed = brDLength(spin);
	return speed > 0.0 ? brQuat_Normalize(brQuat_Mul(brMakeQuatAxisAngle(brDMul(1.0 / speed, spin), speed * t), q)) : q;
}

// The mean spin of a body that nothing touches. An asymmetric one does not keep its axis: what it has half-way is right
// to second order.
static brDVec3 meetSpin(const brBody* body, double dt)
{
	brDVec3 i = body->inertia, w = brQuat_InvRotate(body->rotation, body->spin);
	if (body->kind != br_bodyDynamic || brDLengthSq(w) * dt * dt > BR_MAX_TURN * BR_MAX_TURN)
	{
		return body->spin;
	}
	brDVec3 torque = brDCross(brMakeDVec3(i.x * w.x, i.y * w.y, i.z * w.z), w), inverse = body->invInertia;
	brDVec3 change = brMakeDVec3(inverse.x * torque.x, inverse.y * torque.y, inverse.z * torque.z);
	return brDMulAdd(body->spin, 0.5 * dt, brQuat_Rotate(body->rotation, change));
}

brPairPath brMakePairPath(const brDynamics* dynamics, const brContact* contact, double dt)
{
	brPairPath path = {.dt = dt};
	brDVec3 none = {0.0, 0.0, 0.0}, pulls[2];
	for (int k = 0; k < 2; ++k)
	{
		int32_t index = k == 0 ? contact->bodyA : contact->bodyB;
		const brBody* body = &dynamics->bodies.data[index];
		bool isMoving = brBody_IsMoving(body);
		path.isStill = path.isStill || body->kind == br_bodyStatic;
		path.shapes[k] = dynamics->shapes.data[body->shape].shape;
		path.positions[k] = body->position;
		path.rotations[k] = body->rotation;
		pulls[k] =
			isMoving && body->kind == br_bodyDynamic ? brDMul((double)body->gravityScale, dynamics->def.gravity) : none;
		// Gravity bends the way; half of what it adds is right at the step's end.
		path.velocities[k] = isMoving ? brDMulAdd(body->velocity, 0.5 * dt, pulls[k]) : none;
		path.spins[k] = isMoving ? meetSpin(body, dt) : none;
	}
	path.pull = brDDistance(pulls[0], pulls[1]);
	path.closing = (double)brDynamics_PairMotion(dynamics, contact->bodyA, contact->bodyB, dt) / dt +
				   0.5 * dt * brDLength(dynamics->def.gravity);
	return path;
}

static brBody meetBody(const brPairPath* path, int k, double t)
{
	return (brBody){.position = brDMulAdd(path->positions[k], t, path->velocities[k]),
					.rotation = meetTurn(path->rotations[k], path->spins[k], t)};
}

// The relative pose at a time.
static void meetPose(const brPairPath* path, double t, brMeeting* meeting)
{
	brBody a = meetBody(path, 0, t), b = meetBody(path, 1, t);
	meeting->turn = brQuat_Mul(brQuat_Conjugate(a.rotation), b.rotation);
	meeting->pose = brMakeRelativePose(&a, &b, meeting->turn);
	meeting->time = t;
	for (int k = 0; k < 2; ++k)
	{
		meeting->spins[k] = path->spins[k];
		meeting->turns[k] = brQuat_Mul(brQuat_Conjugate(path->rotations[k]), k == 0 ? a.rotation : b.rotation);
	}
}

// A lower bound of the distance: between the balls around both, or of one ball from the solid that the other is. Below
// the margin: not known.
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

// Contact points at the pose that was reached: what touches there and what else will in the rest of the step, by the
// normals of here.
static bool meetTouch(const brPairPath* path, double t, float margin, float most, brPairMemory* memory,
					  brMeeting* meeting)
{
	const brShape *a = path->shapes[0], *b = path->shapes[1];
	float rest = fminf((float)(path->closing * (path->dt - t)), most * brSmallerSize(a->radius, b->radius));
	meeting->margin = margin + rest;
	meeting->count = brCollideShapes(a, b, &meeting->pose, meeting->margin, memory, NULL, meeting->touches);
	return meeting->count > 0;
}

// How fast the nearest points of two bodies that are within the margin close by, and how far they are apart.
static double meetClosing(const brPairPath* path, double t, const brMeeting* meeting, float* outGap)
{
	const brTouch* touch = &meeting->touches[0];
	int32_t nearest = 0;
	for (int32_t i = 1; i < touch->count; ++i)
	{
		nearest = touch->separations[i] < touch->separations[nearest] ? i : nearest;
	}
	brQuat turn = meetTurn(path->rotations[0], path->spins[0], t);
	brDVec3 n = brQuat_Rotate(turn, brToDVec3(touch->normal));
	brDVec3 fromA = brQuat_Rotate(turn, brToDVec3(touch->points[nearest]));
	brDVec3 between =
		brDMulAdd(brDSub(path->positions[1], path->positions[0]), t, brDSub(path->velocities[1], path->velocities[0]));
	brDVec3 a = brDAdd(path->velocities[0], brDCross(path->spins[0], fromA));
	brDVec3 b = brDAdd(path->velocities[1], brDCross(path->spins[1], brDSub(fromA, between)));
	*outGap = touch->separations[nearest];
	return brDDot(n, brDSub(a, b));
}

// From within the margin on to where they touch: a ball that hits another at its side would else bounce off askew.
// Newton's steps; if they pass by after all, the last pose is as good as any.
static double meetRefine(const brPairPath* path, double t, float margin, brPairMemory* memory, brMeeting* meeting)
{
	for (int32_t i = 0; i < MEET_REFINED; ++i)
	{
		float gap;
		double closing = meetClosing(path, t, meeting, &gap);
		double next = fmin(closing > 0.0 ? t + (double)gap / closing : path->dt, path->dt);
		if (fabsf(gap) < MEET_TOUCHES * margin || next == t || next < 0.0)
		{
			break;
		}
		brMeeting there = *meeting;
		meetPose(path, next, &there);
		there.count =
			brCollideShapes(path->shapes[0], path->shapes[1], &there.pose, margin, memory, NULL, there.touches);
		if (there.count == 0)
		{
			break;
		}
		*meeting = there;
		t = next;
	}
	return t;
}

static bool meetConvex(const brPairPath* path, float margin, brMeeting* meeting)
{
	const brShape *a = path->shapes[0], *b = path->shapes[1];
	brPairMemory memory = {.isRolling = true, .isSliding = path->isStill};
	double t = 0.0;
	for (int32_t i = 0; i < MEET_ITERATIONS && t < path->dt; ++i)
	{
		meetPose(path, t, meeting);
		// Balls are soon asked, and most pairs whose boxes overlap are apart by them all the way.
		float far = meetFar(a, b, &meeting->pose, margin);
		if (far > margin && i < MEET_ITERATIONS - 1)
		{
			t += ((double)far - 0.5 * (double)margin) / path->closing;
			continue;
		}
		meeting->count = brCollideShapes(a, b, &meeting->pose, margin, &memory, NULL, meeting->touches);
		// After so many steps that it is still not settled they pass closely: whatever is near may touch.
		if (meeting->count > 0 || i == MEET_ITERATIONS - 1)
		{
			t = meeting->count > 0 ? meetRefine(path, t, margin, &memory, meeting) : t;
			return meetTouch(path, t, margin, 2.0f, &memory, meeting);
		}
		double gap = (double)meeting->touches[0].apart;
		t += fmax(gap - 0.5 * (double)margin, 0.5 * (double)margin) / path->closing;
	}
	return false;
}

static brRelativePose meetAxes(brQuat rotation, brDVec3 position)
{
	brMat3 m = brMakeMat3FromQuat(rotation);
	return (brRelativePose){brToVec3(m.cx), brToVec3(m.cy), brToVec3(m.cz), brToVec3(position)};
}

// Whether a plane stays between the two from one time to another. Seen from the middle of the first, whose own way then
// is only a turn.
static bool meetIsParted(const brPairPath* path, double from, double to, float gap, brVec3* direction)
{
	brHullWay ways[2];
	double time = to - from;
	brDVec3 between = brDSub(path->positions[1], path->positions[0]);
	brDVec3 speed = brDSub(path->velocities[1], path->velocities[0]), none = {0.0, 0.0, 0.0};
	for (int k = 0; k < 2; ++k)
	{
		ways[k].shape = path->shapes[k];
		ways[k].from = meetAxes(meetTurn(path->rotations[k], path->spins[k], from),
								k == 0 ? none : brDMulAdd(between, from, speed));
		ways[k].to =
			meetAxes(meetTurn(path->rotations[k], path->spins[k], to), k == 0 ? none : brDMulAdd(between, to, speed));
		// The height of an arc over its chord, of the turn and of the fall.
		double bend = brDLengthSq(path->spins[k]) * (double)path->shapes[k]->radius;
		ways[k].sag = (float)(0.125 * time * time * (bend + (k == 0 ? path->pull : 0.0)));
	}
	return brAreWaysParted(&ways[0], &ways[1], gap, direction);
}

// A direction in a pair's memory: what parted two bodies a moment ago mostly still does.
static brVec3 meetRecall(const brPairMemory* memory)
{
	return brMakeVec3(memory->direction[0], memory->direction[1], memory->direction[2]);
}

static void meetRemember(brPairMemory* memory, brVec3 direction)
{
	float length = brLength(direction), scale = length > 0.0f ? MEET_MEMORY / length : 0.0f;
	memory->direction[0] = (int16_t)(scale * direction.x);
	memory->direction[1] = (int16_t)(scale * direction.y);
	memory->direction[2] = (int16_t)(scale * direction.z);
}

static bool meetConcave(const brPairPath* path, float margin, float thickness, brPairMemory* kept, brMeeting* meeting)
{
	const brShape *a = path->shapes[0], *b = path->shapes[1];
	brPairMemory memory = {.isRolling = true, .isSliding = path->isStill};
	brVec3 direction = meetRecall(kept);
	double shortest = fmax(MEET_RESOLUTION * (double)thickness / path->closing, 1e-6 * path->dt);
	if (meetIsParted(path, 0.0, path->dt, margin, &direction))
	{
		meetRemember(kept, direction);
		return false;
	}
	double t = 0.0, step = shortest;
	for (int32_t asked = 0; t < path->dt;)
	{
		double end = fmin(t + step, path->dt);
		if (meetIsParted(path, t, end, margin, &direction))
		{
			t = end;
			step = 2.0 * step;
			continue;
		}
		if (step > shortest)
		{
			step = fmax(0.5 * step, shortest);
			continue;
		}
		meetPose(path, t, meeting);
		float reach = margin + (float)(path->closing * (end - t));
		asked += 1;
		if (asked == MEET_MAX_ASKED ||
			brCollideShapes(a, b, &meeting->pose, reach, &memory, NULL, meeting->touches) > 0)
		{
			return meetTouch(path, t, margin, 0.5f, &memory, meeting);
		}
		t = fmax(end, t + (double)meeting->touches[0].apart / path->closing);
		if (t < path->dt && meetIsParted(path, t, path->dt, margin, &direction))
		{
			meetRemember(kept, direction);
			return false;
		}
	}
	return false;
}

// Whether the balls about both stay apart all the way, however the two turn in them.
static bool meetPassesBy(const brPairPath* path, float margin)
{
	brDVec3 between = brDSub(path->positions[1], path->positions[0]);
	brDVec3 speed = brDSub(path->velocities[1], path->velocities[0]);
	double square = brDLengthSq(speed), toward = -brDDot(between, speed);
	double t = toward > 0.0 && square > 0.0 ? fmin(toward / square, path->dt) : 0.0;
	double sag = 0.125 * path->dt * path->dt * path->pull;
	double reach = (double)(path->shapes[0]->radius + path->shapes[1]->radius + margin) + sag;
	return brDLengthSq(brDMulAdd(between, t, speed)) > reach * reach;
}

// Whether the boxes about both, each along the axes of its body, stay apart along one of these all the way. Turns make
// them larger.
static bool meetBoxesPassBy(const brPairPath* path, float margin)
{
	const brShape* const* shapes = path->shapes;
	brMat3 axes[2] = {brMakeMat3FromQuat(path->rotations[0]), brMakeMat3FromQuat(path->rotations[1])};
	brDVec3 between = brDSub(path->positions[1], path->positions[0]);
	brDVec3 way = brDMul(path->dt, brDSub(path->velocities[1], path->velocities[0]));
	double wanted = (double)margin + 0.125 * path->dt * path->dt * path->pull;
	for (int k = 0; k < 2; ++k)
	{
		brDVec3 center = brMat3_MulV(&axes[k], brToDVec3(shapes[k]->boxCenter));
		between = k == 0 ? brDSub(between, center) : brDAdd(between, center);
		wanted += path->dt * brDLength(path->spins[k]) * (double)shapes[k]->radius;
	}
	for (int i = 0; i < 6; ++i)
	{
		const brMat3* own = &axes[i / 3];
		brDVec3 n = i % 3 == 0 ? own->cx : i % 3 == 1 ? own->cy : own->cz;
		double from = brDDot(n, between), to = from + brDDot(n, way), reach = wanted;
		for (int k = 0; k < 2; ++k)
		{
			brVec3 half = shapes[k]->half;
			reach += fabs(brDDot(n, axes[k].cx)) * (double)half.x + fabs(brDDot(n, axes[k].cy)) * (double)half.y +
					 fabs(brDDot(n, axes[k].cz)) * (double)half.z;
		}
		if ((from > reach && to > reach) || (from < -reach && to < -reach))
		{
			return true;
		}
	}
	return false;
}

bool brPairPath_Meet(const brPairPath* path, brPairMemory* memory, brMeeting* outMeeting)
{
	const brShape *a = path->shapes[0], *b = path->shapes[1];
	float thickness = brSmallerSize(a->thickness, b->thickness);
	float margin = (float)BR_CONTACT_MARGIN * thickness;
	bool areBodies = a->kind != br_shapeHalfSpace; // what has no end has no box
	if (meetPassesBy(path, margin) || (areBodies && meetBoxesPassBy(path, margin)))
	{
		return false;
	}
	return brPairPath_IsConcave(path) ? meetConcave(path, margin, thickness, memory, outMeeting)
									  : meetConvex(path, margin, outMeeting);
}
