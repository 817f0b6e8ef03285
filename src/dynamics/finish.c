// SPDX-License-Identifier: MIT

// The end of a step: bodies in contact take over what the solver found, bodies that touch nothing move by closed forms,
// and whatever is no longer finite is set aside.
//
// Without contact a body falls along its parabola exactly, and turns by a splitting that keeps its angular momentum
// exactly: the kinetic energy is a sum over the principal axes, and the motion of one term alone is a rotation about
// that axis at constant speed (McLachlan 1993); the terms are composed symmetrically, so the error is of second order
// and energy does not drift.

#include "dynamics/solver.h"
#include "dynamics/tuning.h"

#define FINISH_TURN 0.25 // [rad]
#define FINISH_PARTS 32
// Energy that is off by less, as a part, is left alone: what turns about one of its axes stays there.
#define FINISH_ROUNDING 1e-12

// Normals whose cosine is less than 1 by more are two lines.
#define FINISH_PARALLEL 1e-6f

// A has turned far in a step if the cosine between a normal before and after is below this.
#define FINISH_TURNED 0.995f

// The one line along which a body without friction is pressed: nothing turns it about that.
typedef struct FinishLine
{
	brVec3 normal;
	int32_t kind; // FinishLineKind
} FinishLine;

typedef enum FinishLineKind
{
	finishLineNone, // it has friction, a joint, damping, or is pressed from several sides
	finishLineFree, // nothing has pressed it as yet
	finishLineOne,
} FinishLineKind;

typedef struct FinishWork
{
	brDynamics* dynamics;
	const brStepTime* time;
	const FinishLine* lines; // null: nobody has one
} FinishWork;

// Sine and cosine of a small angle by Taylor's series, good to the last bit or two; of others as ever.
static inline void finishSinCos(double x, double* outSin, double* outCos)
{
	if (!(fabs(x) < 0.125))
	{
		*outSin = brSin(x), *outCos = brCos(x);
		return;
	}
	double q = x * x;
	*outSin = x - x * q * (1.0 / 6.0 - q * (1.0 / 120.0 - q * (1.0 / 5040.0 - q / 362880.0)));
	*outCos = 1.0 - q * (0.5 - q * (1.0 / 24.0 - q * (1.0 / 720.0 - q * (1.0 / 40320.0 - q / 3628800.0))));
}

// The motion of one principal axis for a time t: `l` is the angular momentum in the body's axes, `q` its rotation.
__attribute__((always_inline)) static inline void finishTurnAxis(int axis, double t, const double inverse[3],
																 double l[3], double q[4])
{
	int next = (axis + 1) % 3, last = (axis + 2) % 3;
	double s, c;
	finishSinCos(0.5 * t * l[axis] * inverse[axis], &s, &c);
	// l turns back by the whole angle, q goes on by it.
	double sine = 2.0 * s * c, cosine = 1.0 - 2.0 * s * s;
	double ln = l[next], ll = l[last], qa = q[axis], qn = q[next], ql = q[last], w = q[3];
	l[next] = cosine * ln + sine * ll, l[last] = cosine * ll - sine * ln;
	q[axis] = c * qa + s * w, q[next] = c * qn + s * ql, q[last] = c * ql - s * qn, q[3] = c * w - s * qa;
}

// Twice the energy of an angular momentum in the body's axes.
static double finishEnergy(brDVec3 l, brDVec3 invInertia)
{
	return l.x * l.x * invInertia.x + l.y * l.y * invInertia.y + l.z * l.z * invInertia.z;
}

// Changes the direction of an angular momentum in the body's axes so that it has an energy again: squares of its parts
// go from one axis to another, first between those of the most and the least moment.
static brDVec3 finishRestore(brDVec3 l, brDVec3 invInertia, double energy)
{
	const double inverse[3] = {invInertia.x, invInertia.y, invInertia.z};
	double parts[3] = {l.x, l.y, l.z}, lacks = energy - finishEnergy(l, invInertia);
	int low = 0, high = 0;
	for (int k = 1; k < 3; ++k)
	{
		low = inverse[k] < inverse[low] ? k : low;
		high = inverse[k] >= inverse[high] ? k : high;
	}
	int middle = 3 - low - high;
	int to = lacks > 0.0 ? high : low;
	const int from[2] = {lacks > 0.0 ? low : high, middle};
	for (int k = 0; k < 2 && low != high; ++k)
	{
		double gain = inverse[to] - inverse[from[k]], square = parts[from[k]] * parts[from[k]];
		double moved = gain != 0.0 ? fmin(fmax(lacks / gain, 0.0), square) : 0.0;
		parts[from[k]] = copysign(sqrt(square - moved), parts[from[k]]);
		parts[to] = copysign(sqrt(parts[to] * parts[to] + moved), parts[to]);
		lacks -= moved * gain;
	}
	return brMakeDVec3(parts[0], parts[1], parts[2]);
}

// The shortest turn from one direction to another of the same length.
static brQuat finishTurnTo(brDVec3 from, brDVec3 to)
{
	brDVec3 axis = brDCross(from, to);
	return brQuat_Normalize((brQuat){axis.x, axis.y, axis.z, brDLengthSq(to) + brDDot(from, to)});
}

// An angular momentum in the body's axes, and the rotation of these, for some time in one part or several.
typedef struct FinishTurn
{
	double l[3], q[4];
} FinishTurn;

static FinishTurn finishStartTurn(brDVec3 inertia, brQuat rotation, brDVec3 spin)
{
	brDVec3 w = brQuat_InvRotate(rotation, spin);
	return (FinishTurn){{inertia.x * w.x, inertia.y * w.y, inertia.z * w.z},
						{rotation.x, rotation.y, rotation.z, rotation.w}};
}

static void finishTurn(double t, brDVec3 invInertia, FinishTurn* turn)
{
	const double inverse[3] = {invInertia.x, invInertia.y, invInertia.z};
	double *l = turn->l, *q = turn->q;
	double x = l[0] * inverse[0], y = l[1] * inverse[1], z = l[2] * inverse[2];
	double parts = ceil(fabs(t) * sqrt(x * x + y * y + z * z) / FINISH_TURN);
	int32_t count = parts > 1.0 ? (int32_t)fmin(parts, FINISH_PARTS) : 1;
	for (int32_t k = 0; k < count; ++k)
	{
		double part = t / count;
		finishTurnAxis(0, 0.5 * part, inverse, l, q);
		finishTurnAxis(1, 0.5 * part, inverse, l, q);
		finishTurnAxis(2, part, inverse, l, q);
		finishTurnAxis(1, 0.5 * part, inverse, l, q);
		finishTurnAxis(0, 0.5 * part, inverse, l, q);
	}
}

// The splitting keeps the angular momentum. Its energy swings by the square of a part's turn, so that is set right: to
// what it was, twice.
static void finishEndTurn(const FinishTurn* turn, brDVec3 invInertia, double energy, brQuat* rotation, brDVec3* spin)
{
	brDVec3 l = {turn->l[0], turn->l[1], turn->l[2]};
	brQuat q = {turn->q[0], turn->q[1], turn->q[2], turn->q[3]};
	if (fabs(finishEnergy(l, invInertia) - energy) > FINISH_ROUNDING * energy)
	{
		brDVec3 sound = finishRestore(l, invInertia, energy);
		q = brQuat_Mul(finishTurnTo(brQuat_Rotate(q, sound), brQuat_Rotate(q, l)), q);
		l = sound;
	}
	*rotation = brQuat_Normalize(q);
	brDVec3 w = {l.x * invInertia.x, l.y * invInertia.y, l.z * invInertia.z};
	*spin = brQuat_Rotate(*rotation, w);
}

static double finishTurnEnergy(const FinishTurn* turn, brDVec3 invInertia)
{
	return finishEnergy(brMakeDVec3(turn->l[0], turn->l[1], turn->l[2]), invInertia);
}

void brTurnFreely(double t, brDVec3 inertia, brDVec3 invInertia, brQuat* rotation, brDVec3* spin)
{
	FinishTurn turn = finishStartTurn(inertia, *rotation, *spin);
	double energy = finishTurnEnergy(&turn, invInertia);
	finishTurn(t, invInertia, &turn);
	finishEndTurn(&turn, invInertia, energy, rotation, spin);
}

static void finishFree(brDynamics* dynamics, brBody* body, const brStepTime* time)
{
	double h = time->h;
	bool isDynamic = body->kind == br_bodyDynamic;
	brDVec3 pull =
		isDynamic ? brDMul(h * (double)body->gravityScale, dynamics->def.gravity) : brMakeDVec3(0.0, 0.0, 0.0);
	double linearKeep = isDynamic ? 1.0 / (1.0 + h * (double)body->linearDamping) : 1.0;
	double angularKeep = isDynamic ? 1.0 / (1.0 + h * (double)body->angularDamping) : 1.0;
	brDVec3 i = body->inertia;
	bool isTop = isDynamic && fabs(i.x - i.y) + fabs(i.y - i.z) > 1e-12 * (i.x + i.y + i.z);
	FinishTurn turn = finishStartTurn(i, body->rotation, body->spin);
	double energy = finishTurnEnergy(&turn, body->invInertia);
	for (int32_t k = 0; k < time->substeps; ++k)
	{
		brDVec3 next = brDAdd(brDMul(linearKeep, body->velocity), pull);
		body->position = brDMulAdd(body->position, 0.5 * h, brDAdd(body->velocity, next));
		body->velocity = next;
		if (isTop)
		{
			energy *= angularKeep * angularKeep;
			turn.l[0] *= angularKeep, turn.l[1] *= angularKeep, turn.l[2] *= angularKeep;
			finishTurn(h, body->invInertia, &turn);
			continue;
		}
		body->spin = brDMul(angularKeep, body->spin);
		if (brDLengthSq(body->spin) > 0.0)
		{
			double speed = brDLength(body->spin);
			brQuat way = brMakeQuatAxisAngle(brDMul(1.0 / speed, body->spin), h * speed);
			body->rotation = brQuat_Normalize(brQuat_Mul(way, body->rotation));
		}
	}
	if (isTop)
	{
		finishEndTurn(&turn, body->invInertia, energy, &body->rotation, &body->spin);
	}
}

static void finishPressLine(FinishLine* line, brVec3 normal, bool isSmooth)
{
	if (line->kind == finishLineFree && isSmooth)
	{
		*line = (FinishLine){normal, finishLineOne};
	}
	else if (!isSmooth || fabsf(brDot(normal, line->normal)) < 1.0f - FINISH_PARALLEL)
	{
		line->kind = finishLineNone;
	}
}

// Lines of all bodies without friction, in memory that is not yet needed. Null if there are none.
static const FinishLine* finishFindLines(const brDynamics* dynamics)
{
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	const brBody* bodies = dynamics->bodies.data;
	FinishLine* lines = dynamics->islandEnergy.data;
	bool isAny = false;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		bool isFree = frames[i].state >= 0 && bodies[i].kind == br_bodyDynamic && !(bodies[i].friction > 0.0f) &&
					  (frames[i].leansOn & BR_HAS_JOINT) == 0;
		const brSolverBody* solved = (const brSolverBody*)dynamics->stateBodies.data + (isFree ? frames[i].state : 0);
		lines[i].kind = isFree && solved->angularKeep == 1.0f ? finishLineFree : finishLineNone;
		isAny = isAny || lines[i].kind == finishLineFree;
	}
	const int32_t* active = dynamics->active.data;
	for (int32_t i = 0; i < dynamics->activeCount && isAny; ++i)
	{
		const brContact* contact = brDynamics_ContactOf(dynamics, active[i]);
		const brManifold* manifold = brDynamics_Manifold(dynamics, active[i]);
		float pressed = 0.0f;
		for (int32_t k = 0; k < manifold->pointCount; ++k)
		{
			pressed += manifold->points[k].total;
		}
		bool isLined = lines[contact->bodyA].kind != finishLineNone || lines[contact->bodyB].kind != finishLineNone;
		if (!(pressed > 0.0f) || !isLined)
		{
			continue;
		}
		const brBodyFrame* frame = &frames[contact->bodyA];
		brVec3 n = manifold->normal;
		n = brMulAdd(brMulAdd(brMul(n.x, frame->x), n.y, frame->y), n.z, frame->z);
		bool isSmooth = !(bodies[contact->bodyA].rolling > 0.0f) && !(bodies[contact->bodyB].rolling > 0.0f);
		finishPressLine(&lines[contact->bodyA], n, isSmooth);
		finishPressLine(&lines[contact->bodyB], n, isSmooth);
	}
	return isAny ? lines : NULL;
}

// The solver is float; the angular momentum about the line is what it was, to the last bits of a double.
static void finishKeepLine(brBody* body, brVec3 line, brDVec3 momentum)
{
	brMat3 inertia = brBody_Inertia(body);
	brDVec3 n = brDNormalize(brToDVec3(line));
	double lost = brDDot(n, brDSub(momentum, brMat3_MulV(&inertia, body->spin)));
	brDVec3 own = brQuat_InvRotate(body->rotation, n), i = body->invInertia;
	brDVec3 turn = brQuat_Rotate(body->rotation, brMakeDVec3(i.x * own.x, i.y * own.y, i.z * own.z));
	body->spin = brDMulAdd(body->spin, lost, turn);
}

static void finishSolved(brDynamics* dynamics, int32_t index, const FinishLine* line)
{
	brBody* body = &dynamics->bodies.data[index];
	int32_t stateIndex = brDynamics_Frames(dynamics)[index].state;
	const brSolverState* state = (brSolverState*)dynamics->states.data + stateIndex;
	brDVec3 turned = brMakeDVec3(state->turned[0], state->turned[1], state->turned[2]);
	double angle = brDLength(turned);
	bool hasLine = line != NULL && line->kind == finishLineOne;
	brMat3 inertia = hasLine ? brBody_Inertia(body) : (brMat3){0};
	brDVec3 momentum = brMat3_MulV(&inertia, body->spin);
	brDynamics_Frames(dynamics)[index].moved = brMakeVec3(state->moved[0], state->moved[1], state->moved[2]);
	body->position = brDAdd(body->position, brMakeDVec3(state->moved[0], state->moved[1], state->moved[2]));
	const brSolverBody* solved = (const brSolverBody*)dynamics->stateBodies.data + stateIndex;
	if (solved->isTop)
	{
		body->rotation = solved->rotation;
	}
	else if (angle > 0.0)
	{
		// Turns that a float rotation vector cannot follow are cut.
		brQuat turn = brMakeQuatAxisAngle(brDMul(1.0 / angle, turned), angle < BR_MAX_TURN ? angle : BR_MAX_TURN);
		body->rotation = brQuat_Normalize(brQuat_Mul(turn, body->rotation));
	}
	if (body->kind == br_bodyDynamic)
	{
		brDynamics_Frames(dynamics)[index].isTurned = state->spin[0] != (float)body->spin.x ||
													  state->spin[1] != (float)body->spin.y ||
													  state->spin[2] != (float)body->spin.z;
		// The change is added: what the solver left alone stays as it is to the last bit.
		brVec3 v = brToVec3(body->velocity), w = brToVec3(body->spin);
		body->velocity = brDAdd(body->velocity, brMakeDVec3((double)state->velocity[0] - (double)v.x,
															(double)state->velocity[1] - (double)v.y,
															(double)state->velocity[2] - (double)v.z));
		body->spin =
			brDAdd(body->spin, brMakeDVec3((double)state->spin[0] - (double)w.x, (double)state->spin[1] - (double)w.y,
										   (double)state->spin[2] - (double)w.z));
	}
	if (hasLine)
	{
		finishKeepLine(body, line->normal, momentum);
	}
}

// Whether the solver has anything to say about a body. What is near others and was not touched moves by closed forms.
static bool finishIsPushed(const brDynamics* dynamics, int32_t index)
{
	int32_t state = brDynamics_Frames(dynamics)[index].state;
	if (state < 0)
	{
		return false;
	}
	const brSolverBody* solved = (const brSolverBody*)dynamics->stateBodies.data + state;
	return !solved->isDynamic || solved->isPushed ||
		   brSolver_IsPushed((const brSolverState*)dynamics->states.data + state, solved);
}

static bool finishIsSound(const brBody* body)
{
	double q = body->rotation.x + body->rotation.y + body->rotation.z + body->rotation.w;
	return brDIsFinite(body->position) && brDIsFinite(body->velocity) && brDIsFinite(body->spin) && isfinite(q) &&
		   brDLengthSq(body->velocity) < BR_MAX_SPEED * BR_MAX_SPEED &&
		   fmax(fabs(body->position.x), fmax(fabs(body->position.y), fabs(body->position.z))) < BR_MAX_POSITION;
}

static void finishBodies(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	FinishWork* work = user;
	brDynamics* dynamics = work->dynamics;
	for (int32_t i = begin; i < end; ++i)
	{
		brBody* body = &dynamics->bodies.data[i];
		brBodyFrame* frame = &brDynamics_Frames(dynamics)[i];
		bool isMoving = brBody_IsThere(body) && brBody_IsMoving(body);
		frame->isBooked = isMoving && body->kind == br_bodyDynamic;
		if (!isMoving)
		{
			continue;
		}
		brDVec3 position = body->position;
		brQuat rotation = body->rotation;
		frame->kinetic = brBody_Kinetic(body);
		frame->velocity = brToVec3(body->velocity), frame->spin = brToVec3(body->spin);
		if (finishIsPushed(dynamics, i))
		{
			finishSolved(dynamics, i, work->lines != NULL ? &work->lines[i] : NULL);
		}
		else
		{
			finishFree(dynamics, body, work->time);
			brDynamics_Frames(dynamics)[i].moved = brToVec3(brDSub(body->position, position));
		}
		if (!finishIsSound(body))
		{
			body->position = position;
			body->rotation = rotation;
			brDynamics_Frames(dynamics)[i].moved = brMakeVec3(0.0f, 0.0f, 0.0f);
			brBody_SetAside(body);
		}
	}
}

// All manifolds of a pair as one: impulses summed, the place and the normal where the impulse is.
static brContactEvent finishSum(const brDynamics* dynamics, const brContact* contact)
{
	const brBody* a = &dynamics->bodies.data[contact->bodyA];
	brContactEvent event = {.bodyA = brDynamics_BodyId(dynamics, contact->bodyA),
							.bodyB = brDynamics_BodyId(dynamics, contact->bodyB)};
	brDVec3 middle = {0.0, 0.0, 0.0}, pressed = middle, mean = middle, along = middle;
	int32_t points = 0;
	for (int32_t m = 0; m < contact->manifoldCount; ++m)
	{
		const brManifold* manifold = brContact_Manifold(dynamics, contact, m);
		brDVec3 n = brToDVec3(manifold->normal);
		event.approachSpeed = fmax(event.approachSpeed, (double)manifold->approach);
		for (int32_t k = 0; k < manifold->pointCount; ++k)
		{
			brDVec3 p = brToDVec3(manifold->points[k].anchorA);
			double total = (double)manifold->points[k].total;
			event.impulse += total;
			pressed = brDMulAdd(pressed, total, p);
			along = brDMulAdd(along, total, n);
			middle = brDAdd(middle, p);
			mean = brDAdd(mean, n);
			points += 1;
		}
	}
	bool isPressed = event.impulse > 0.0;
	brDVec3 place = isPressed ? brDMul(1.0 / event.impulse, pressed) : brDMul(1.0 / (points > 0 ? points : 1), middle);
	// Normals on opposite sides of a body may cancel out; then the first one has to do.
	brDVec3 normal = isPressed ? along : mean;
	bool isNormal = brDLengthSq(normal) > 1e-12 * (isPressed ? event.impulse * event.impulse : 1.0);
	normal = isNormal                     ? brDNormalize(normal)
			 : contact->manifoldCount > 0 ? brToDVec3(contact->first.normal)
										  : brMakeDVec3(0.0, 0.0, 0.0);
	event.point = brDAdd(a->position, brQuat_Rotate(a->rotation, place));
	event.normal = brQuat_Rotate(a->rotation, normal);
	return event;
}

static bool finishIsPressed(const brDynamics* dynamics, const brContact* contact, double* outImpulse)
{
	double impulse = 0.0;
	for (int32_t m = 0; m < contact->manifoldCount; ++m)
	{
		const brManifold* manifold = brContact_Manifold(dynamics, contact, m);
		for (int32_t k = 0; k < manifold->pointCount; ++k)
		{
			impulse += (double)manifold->points[k].total;
		}
	}
	*outImpulse = impulse;
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	return impulse > 0.0 || (brBody_IsSensed(a, b) && contact->manifoldCount > 0);
}

// Normals are kept in A's axes. A normal that A's surface does not define stays fixed in the world while A turns: that
// of a ball, of a contact found ahead, and of a still body where A turns far. Otherwise a rod that whirls over the
// ground would be taken for one that came from below.
static void finishNormals(const brDynamics* dynamics, const brContact* contact)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	const brBodyFrame* frame = &brDynamics_Frames(dynamics)[contact->bodyA];
	bool isAlways = frame->shapeKind == br_shapeSphere || contact->isMet;
	bool isOther = b->kind == br_bodyStatic;
	for (int32_t m = 0; m < contact->manifoldCount && (isAlways || isOther); ++m)
	{
		brManifold* manifold = brContact_Manifold(dynamics, contact, m);
		brVec3 n = manifold->normal;
		brVec3 world = brMulAdd(brMulAdd(brMul(n.x, frame->x), n.y, frame->y), n.z, frame->z);
		brVec3 stays = brToVec3(brQuat_InvRotate(a->rotation, brToDVec3(world)));
		manifold->normal = isAlways || brDot(stays, n) < FINISH_TURNED ? stays : n;
	}
}

// What there is to say about a pair. It lies in memory that keys of pairs have been sorted in.
typedef struct FinishSaid
{
	bool isSaid, isBegin, isEnd;
} FinishSaid;

static void finishContacts(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const brDynamics* dynamics = ((const FinishWork*)user)->dynamics;
	FinishSaid* said = dynamics->keys[1].data;
	for (int32_t i = begin; i < end; ++i)
	{
		brContact* contact = brDynamics_PairContact(dynamics, i);
		said[i] = (FinishSaid){false, false, false};
		if (brDynamics_IsLeftOut(dynamics, contact->bodyA) || brDynamics_IsLeftOut(dynamics, contact->bodyB))
		{
			continue;
		}
		double impulse;
		bool isPressed = finishIsPressed(dynamics, contact, &impulse);
		bool isBegin = isPressed && !contact->wasTouching, isEnd = contact->wasTouching && !isPressed;
		// What sleeps keeps its impulses for when it wakes, and has said them.
		bool isNew = brBody_IsMoving(&dynamics->bodies.data[contact->bodyA]) ||
					 brBody_IsMoving(&dynamics->bodies.data[contact->bodyB]);
		bool isSaid = isBegin || isEnd || (impulse > dynamics->def.eventImpulse && isNew);
		said[i] = (FinishSaid){isSaid, isBegin, isEnd};
		if (!isSaid)
		{
			finishNormals(dynamics, contact);
		}
		contact->wasTouching = isPressed;
		contact->isRecycled = contact->isFresh = false;
	}
}

static void finishContactEvents(FinishWork* work)
{
	brDynamics* dynamics = work->dynamics;
	brParallelFor(dynamics->context.workers, dynamics->pairs.count, 256, finishContacts, work);
	const FinishSaid* said = dynamics->keys[1].data;
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		if (said[i].isSaid)
		{
			const brContact* contact = brDynamics_PairContact(dynamics, i);
			brContactEvent event = finishSum(dynamics, contact);
			event.isBegin = said[i].isBegin, event.isEnd = said[i].isEnd;
			dynamics->contactEvents.data[dynamics->contactEvents.count++] = event;
			finishNormals(dynamics, contact);
		}
	}
}

void brDynamics_Finish(brDynamics* dynamics, const brStepTime* time)
{
	FinishWork work = {dynamics, time, finishFindLines(dynamics)};
	brParallelFor(dynamics->context.workers, dynamics->bodies.count, 256, finishBodies, &work);
	brDynamics_Guard(dynamics);
	brDynamics_PutBack(dynamics);
	brDynamics_KeepEnergy(dynamics, time->dt);
	brDynamics_BalanceAfter(dynamics, time->dt);
	finishContactEvents(&work);
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		brBody* body = &dynamics->bodies.data[i];
		body->isMeeting = body->isDriven = false;
		if (brBody_IsThere(body) && body->isSetAside && !body->isReported)
		{
			body->isReported = true;
			dynamics->stats.setAside += 1;
			dynamics->bodyEvents.data[dynamics->bodyEvents.count++] =
				(brBodyEvent){.kind = br_eventBodySetAside, .id = brDynamics_BodyId(dynamics, i)};
		}
	}
	brDynamics_Sleep(dynamics, time->dt);
}
