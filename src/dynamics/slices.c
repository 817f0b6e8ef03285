// SPDX-License-Identifier: MIT

// Steps in parts: what is fast for its thickness meets its neighbors several times in a step.
//
// Contacts are found once a step and then hold for it. Two plates of 4 mm that tumble at 5 m/s have moved twenty
// thicknesses by then, have turned by a radian, and touch where nobody looked. So convex bodies that may hit each other
// while they move by more than a thickness, and everything whose box their boxes reach, step apart from the rest in up
// to 32 parts, with contacts found anew for each; substeps are shared out, at least one a part. The rest of the world
// makes its step as ever. Which bodies those are follows from boxes that hold a body until the step's end whatever hits
// it first, so the two do not meet.
//
// Contacts of concave bodies are too dear for that. Their islands, and all that is with them, step in parts only if a
// solution of the whole step shows that it will not do (turning.c), and in parts as long as will.
//
// What bounces well and turns by more than half a radian in a step, before or after it hits something still, steps in
// parts too: of so many substeps that straight ways do for its corners. Without that small boxes and rods lost all they
// had within a few bounces.
//
// Bodies that do not take part lie still meanwhile as if asleep. Kinematic ones move along with each part.

#include "base/forest.h"
#include "dynamics/solver.h"
#include "dynamics/tuning.h"

#include <string.h>

#define PART_ROUNDING 1e-6                       // substeps
#define PART_SWEEPS (2.0f * (float)BR_SLICE_MAX) // parts that are wanted whatever they cost
#define PART_FASTER 1.1 // hits that raise the fastest spin by less do not make a part solved again

enum
{
	partHas = BR_TAKES_PART,
	partWasAwake = 2, // left out, and to be woken afterwards
};

// Dynamic bodies without BR_TAKES_PART lie still as if asleep, until they are let in again.
static void partsLeaveOut(brDynamics* dynamics)
{
	uint8_t* takesPart = dynamics->takesPart.data;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		brBody* body = &dynamics->bodies.data[i];
		if (takesPart[i] != partHas && brBody_IsThere(body) && body->kind == br_bodyDynamic && body->isAwake)
		{
			takesPart[i] = partWasAwake;
			body->isAwake = false;
		}
	}
	dynamics->step.isPart = true;
}

static void partsLetIn(brDynamics* dynamics)
{
	uint8_t* takesPart = dynamics->takesPart.data;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		if (takesPart[i] == partWasAwake)
		{
			takesPart[i] = 0;
			dynamics->bodies.data[i].isAwake = true;
		}
	}
	dynamics->step.isPart = false;
}

// How far two bodies may move relative to each other in the step. What is about to hit something still will not go on
// as it does, so it counts for itself.
static float partMotion(const brDynamics* dynamics, int32_t a, int32_t b, double dt)
{
	const brBody *bodyA = &dynamics->bodies.data[a], *bodyB = &dynamics->bodies.data[b];
	const brBodyFrame *frameA = &brDynamics_Frames(dynamics)[a], *frameB = &brDynamics_Frames(dynamics)[b];
	if (frameA->isLanding || frameB->isLanding)
	{
		return frameA->speed + frameB->speed;
	}
	double turning = brDLength(bodyA->spin) * (double)frameA->radius + brDLength(bodyB->spin) * (double)frameB->radius;
	return (float)(dt * (brDDistance(bodyA->velocity, bodyB->velocity) + turning));
}

// Balls about the bodies that come to meet while these move.
static bool partMayMeet(const brDynamics* dynamics, int32_t a, int32_t b, float motion)
{
	const brBody *bodyA = &dynamics->bodies.data[a], *bodyB = &dynamics->bodies.data[b];
	const brBodyFrame *frameA = &brDynamics_Frames(dynamics)[a], *frameB = &brDynamics_Frames(dynamics)[b];
	double reach = (double)(frameA->radius + frameB->radius + motion);
	return brDLengthSq(brDSub(bodyA->position, bodyB->position)) < reach * reach;
}

// Bodies that reach something still in this step. A half-space has no radius, and a pair with one is near by its making.
static void partFindLanding(brDynamics* dynamics)
{
	brBodyFrame* frames = brDynamics_Frames(dynamics);
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		uint64_t key = dynamics->pairs.data[i].key;
		int32_t a = (int32_t)(key >> 32), b = (int32_t)(key & 0xFFFFFFFFu);
		bool isStillA = dynamics->bodies.data[a].invMass == 0.0, isStillB = dynamics->bodies.data[b].invMass == 0.0;
		if (isStillA != isStillB && !brBody_IsSensed(&dynamics->bodies.data[a], &dynamics->bodies.data[b]))
		{
			frames[isStillA ? b : a].isLanding = true;
		}
	}
}

static bool partIsSolid(const brDynamics* dynamics, int32_t body)
{
	const brBody* b = &dynamics->bodies.data[body];
	return b->kind == br_bodyDynamic && !b->isSensor && dynamics->shapes.data[b->shape].shape->kind == br_shapeMesh;
}

// What a body costs in a part: contacts of concave ones are dear.
int32_t brDynamics_SliceWeight(const brDynamics* dynamics, int32_t body)
{
	return partIsSolid(dynamics, body) ? BR_SLICE_CONCAVE : 1;
}

// Whether something elastic whirls above something still: it hits with corners that were on its far side when the step
// began, and would lose what they dip in by.
static bool partWhirls(const brDynamics* dynamics, int32_t a, int32_t b, double dt)
{
	const brBody *bodyA = &dynamics->bodies.data[a], *bodyB = &dynamics->bodies.data[b];
	const brBody* mover = bodyA->invMass == 0.0 ? bodyB : bodyA;
	bool isElastic = fmaxf(bodyA->restitution, bodyB->restitution) > BR_BOUNCE_HALF;
	bool isRound = dynamics->shapes.data[mover->shape].shape->kind == br_shapeSphere;
	return isElastic && !isRound && mover->invMass > 0.0 && dt * brDLength(mover->spin) > BR_SLICE_TURN;
}

// Whether something long or flat whirls near what is still and ends somewhere: its tips reach through a thin wall
// between two looks at it.
static bool partSweeps(const brDynamics* dynamics, int32_t a, int32_t b, double dt)
{
	int32_t mover = dynamics->bodies.data[a].invMass == 0.0 ? b : a, wall = mover == a ? b : a;
	const brBodyFrame* frame = &brDynamics_Frames(dynamics)[mover];
	return dynamics->bodies.data[mover].invMass > 0.0 &&
		   brDynamics_Frames(dynamics)[wall].shapeKind != br_shapeHalfSpace && frame->radius > frame->thickness &&
		   dt * brDLength(dynamics->bodies.data[mover].spin) > BR_SLICE_TURN;
}

// Groups of bodies by overlapping boxes; those with a fast pair are marked. Returns into how many parts their step goes.
static int32_t partFindGroups(brDynamics* dynamics, double dt, int32_t* parents, float* most)
{
	int32_t bodyCount = dynamics->bodies.count;
	const brBody* bodies = dynamics->bodies.data;
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	for (int32_t i = 0; i < bodyCount; ++i)
	{
		parents[i] = i;
		most[i] = 0.0f;
	}
	partFindLanding(dynamics);
	bool isFast = false;
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		uint64_t key = dynamics->pairs.data[i].key;
		int32_t a = (int32_t)(key >> 32), b = (int32_t)(key & 0xFFFFFFFFu);
		if (brBody_IsSensed(&bodies[a], &bodies[b]))
		{
			continue;
		}
		if (brDynamics_IsJudged(dynamics, a) || brDynamics_IsJudged(dynamics, b))
		{
			brJoinRoots(parents, a, b); // what is near it goes with it
			continue;
		}
		if (bodies[a].invMass == 0.0 || bodies[b].invMass == 0.0)
		{
			if (partWhirls(dynamics, a, b, dt))
			{
				most[bodies[a].invMass == 0.0 ? b : a] = (float)BR_SLICE_MAX;
				isFast = dynamics->step.isWhirling = true;
			}
			else if (partSweeps(dynamics, a, b, dt))
			{
				most[bodies[a].invMass == 0.0 ? b : a] = PART_SWEEPS;
				isFast = true;
			}
			continue;
		}
		brJoinRoots(parents, a, b);
		// Most pairs are slow; that is settled by the bodies' own motion.
		float thickness = brSmallerSize(frames[a].thickness, frames[b].thickness);
		if (frames[a].speed + frames[b].speed <= BR_SLICE_THICKNESSES * thickness || bodies[a].isPiece ||
			bodies[b].isPiece)
		{
			continue;
		}
		float motion = partMotion(dynamics, a, b, dt);
		if (motion > BR_SLICE_THICKNESSES * thickness && partMayMeet(dynamics, a, b, motion))
		{
			most[a] = fmaxf(most[a], motion / (BR_SLICE_THICKNESSES * thickness));
			isFast = dynamics->step.areFast = true;
		}
	}
	if (!isFast)
	{
		return 1;
	}
	// What a joint holds moves along, wherever its boxes are.
	for (int32_t i = 0; i < dynamics->joints.count; ++i)
	{
		const brJoint* joint = &dynamics->joints.data[i];
		if (joint->kind >= 0 && bodies[joint->bodyA].invMass > 0.0 && bodies[joint->bodyB].invMass > 0.0)
		{
			brJoinRoots(parents, joint->bodyA, joint->bodyB);
		}
	}
	// By root: how fast, how many.
	int32_t* sizes = dynamics->counters.data;
	memset(sizes, 0, sizeof(int32_t) * (size_t)bodyCount);
	for (int32_t i = 0; i < bodyCount; ++i)
	{
		int32_t root = brFindRoot(parents, i);
		sizes[root] += brDynamics_SliceWeight(dynamics, i);
		most[root] = fmaxf(most[root], most[i]);
	}
	// Contacts of solids are too dear for that: they go by what the solver finds (meet_again.c, turning.c).
	for (int32_t i = 0; i < bodyCount; ++i)
	{
		int32_t root = brFindRoot(parents, i);
		bool isLeft = partIsSolid(dynamics, i) && most[root] < PART_SWEEPS;
		most[root] = isLeft || brDynamics_IsJudged(dynamics, i) ? 0.0f : most[root];
	}
	int32_t parts = 1;
	for (int32_t i = 0; i < bodyCount; ++i)
	{
		int32_t root = brFindRoot(parents, i);
		bool hasPart = bodies[i].kind == br_bodyDynamic && most[root] > 0.0f;
		dynamics->takesPart.data[i] = hasPart ? partHas : 0;
		if (hasPart && root == i)
		{
			float limit = fminf((float)BR_SLICE_MAX, (float)BR_SLICE_BODIES / (float)sizes[root]);
			int32_t wanted = (int32_t)ceilf(fminf(most[root], limit));
			parts = wanted > parts ? wanted : parts;
		}
	}
	return parts;
}

// No two can be fast for the thinnest of all: true of most steps, and quickly said.
static bool partIsNoneFast(const brDynamics* dynamics)
{
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	float fastest = 0.0f, thinnest = INFINITY;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		if (dynamics->bodies.data[i].kind == br_bodyDynamic)
		{
			fastest = fmaxf(fastest, frames[i].speed);
			thinnest = fminf(thinnest, frames[i].thickness);
		}
	}
	return 2.0f * fastest <= BR_SLICE_THICKNESSES * thinnest;
}

brResult brDynamics_FindSlices(brDynamics* dynamics, double dt, int32_t* outParts, brReport* report)
{
	const brAllocator* allocator = &dynamics->allocator;
	int32_t bodyCount = dynamics->bodies.count;
	dynamics->takesPart.count = 0;
	dynamics->step.hasSolids = false;
	*outParts = 1;
	for (int32_t i = 0; i < bodyCount && !dynamics->step.hasSolids; ++i)
	{
		dynamics->step.hasSolids = partIsSolid(dynamics, i);
	}
	if (partIsNoneFast(dynamics))
	{
		return br_success;
	}
	if (!BR_RESERVE(allocator, &dynamics->takesPart, bodyCount) ||
		!brStageMemory_Ensure(&dynamics->parents, allocator, bodyCount, sizeof(int32_t)) ||
		!brStageMemory_Ensure(&dynamics->partMost, allocator, bodyCount, sizeof(float)))
	{
		return brFailMemory(report);
	}
	dynamics->takesPart.count = bodyCount;
	*outParts = partFindGroups(dynamics, dt, dynamics->parents.data, dynamics->partMost.data);
	return br_success;
}

// What bodies may move in a part is off what their boxes still hold. False if some body may leave its box: then pairs
// are found anew.
static bool partStaysInBoxes(const brDynamics* dynamics)
{
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	const float* reach = dynamics->partMost.data;
	bool isInside = true;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		isInside = isInside && (dynamics->takesPart.data[i] != partHas || frames[i].motion <= reach[i]);
	}
	return isInside;
}

static void partUseBoxes(const brDynamics* dynamics)
{
	float* reach = dynamics->partMost.data;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		reach[i] -= dynamics->takesPart.data[i] == partHas ? brDynamics_Frames(dynamics)[i].motion : 0.0f;
	}
}

// A kinematic body at the step's start and at its end.
typedef struct PartMover
{
	int32_t slot;
	brBody start, end;
} PartMover;

// Memory for all parts, so that none fails once bodies have moved.
static bool partReserve(brDynamics* dynamics, int32_t parts)
{
	const brAllocator* allocator = &dynamics->allocator;
	int64_t pairs = dynamics->pairs.count, bodies = dynamics->bodies.count;
	int64_t manifolds = 2 * (pairs + (BR_PAIR_MANIFOLDS - 1) * (int64_t)dynamics->more.count) + 64;
	int32_t movers = 0;
	for (int32_t i = 0; i < bodies; ++i)
	{
		movers += dynamics->bodies.data[i].kind == br_bodyKinematic;
	}
	return BR_RESERVE(allocator, &dynamics->contactEvents, (parts + 1) * (2 * pairs + 64)) &&
		   BR_RESERVE(allocator, &dynamics->bodyEvents, (parts + 1) * 3 * bodies + dynamics->joints.count) &&
		   brStageMemory_Ensure(&dynamics->partMovers, allocator, movers, sizeof(PartMover)) &&
		   brStageMemory_Ensure(&dynamics->touching, allocator, 2 * pairs + 64, sizeof(int32_t)) &&
		   // Bodies that leave their boxes have their pairs found anew.
		   BR_RESERVE(allocator, &dynamics->contacts, pairs + 64) &&
		   BR_RESERVE(allocator, &dynamics->more, dynamics->more.count / 2 + 16) &&
		   BR_RESERVE(allocator, &dynamics->nextPairs, 2 * pairs + 64) &&
		   brStageMemory_Ensure(&dynamics->keys[0], allocator, 4 * pairs + bodies + 64, sizeof(uint64_t)) &&
		   brStageMemory_Ensure(&dynamics->keys[1], allocator, 4 * pairs + bodies + 64, sizeof(uint64_t)) &&
		   brDynamics_ReserveBlocks(dynamics, manifolds) && brDynamics_ReserveBalance(dynamics, bodies);
}

static int32_t partFindMovers(brDynamics* dynamics, PartMover* movers)
{
	int32_t count = 0;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		if (dynamics->bodies.data[i].kind == br_bodyKinematic)
		{
			movers[count++] = (PartMover){.slot = i, .start = dynamics->bodies.data[i]};
		}
	}
	return count;
}

// To the start, what was reached being kept, or to what was reached. A body that went meanwhile is not brought back.
static void partSetMovers(brDynamics* dynamics, PartMover* movers, int32_t count, bool isStart)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brBody* body = &dynamics->bodies.data[movers[i].slot];
		if (body->kind == br_bodyKinematic && body->generation == movers[i].start.generation)
		{
			movers[i].end = isStart ? *body : movers[i].end;
			*body = isStart ? movers[i].start : movers[i].end;
		}
	}
}

// Boxes hold everybody until the step's end again. False without memory: then those there are must do.
static bool partFindPairs(brDynamics* dynamics, double dt)
{
	if (brDynamics_FindPairs(dynamics, dt, NULL) < 0 ||
		!brStageMemory_Ensure(&dynamics->partMost, &dynamics->allocator, dynamics->bodies.count, sizeof(float)))
	{
		return false;
	}
	float* reach = dynamics->partMost.data;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		reach[i] = brDynamics_Frames(dynamics)[i].motion;
	}
	return true;
}

// Those who took part do not, and the other way round.
static void partSwap(brDynamics* dynamics)
{
	for (int32_t i = 0; i < dynamics->takesPart.count; ++i)
	{
		dynamics->takesPart.data[i] = dynamics->takesPart.data[i] == partHas ? 0 : partHas;
	}
}

static void partAddCounts(brStepStats* sum, const brStepStats* part)
{
	sum->awake += part->awake;
	sum->islands += part->islands;
	sum->contacts += part->contacts;
	sum->points += part->points;
	sum->overflow += part->overflow;
	sum->droppedContacts += part->droppedContacts;
	sum->colors = sum->colors > part->colors ? sum->colors : part->colors;
}

// How the fast ones move in a part, with boxes that hold them until the step's end. Nothing has moved yet.
static brResult partSolve(brDynamics* dynamics, double dt, const brStepTime* time, bool isTouched)
{
	brDynamics_MakeFrames(dynamics, time->dt);
	if (!partStaysInBoxes(dynamics) && partFindPairs(dynamics, dt))
	{
		brDynamics_MakeFrames(dynamics, time->dt);
	}
	partsLeaveOut(dynamics);
	dynamics->step.isAgain = isTouched;
	return brDynamics_SolveStages(dynamics, time, NULL);
}

static void partEnd(brDynamics* dynamics, const brStepTime* time, brStepStats* sum)
{
	partUseBoxes(dynamics);
	brDynamics_EndStages(dynamics, time);
	partsLetIn(dynamics);
	if (sum->slices == 0)
	{
		partAddCounts(sum, &dynamics->stats);
	}
	sum->slices += 1;
}

// The fastest spin of those who take part and are not round.
static double partFastest(const brDynamics* dynamics)
{
	double fastest = 0.0;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		const brBody* body = &dynamics->bodies.data[i];
		bool isMeant =
			dynamics->takesPart.data[i] == partHas && dynamics->shapes.data[body->shape].shape->kind != br_shapeSphere;
		fastest = isMeant ? fmax(fastest, brDLength(body->spin)) : fastest;
	}
	return fastest;
}

// The solver's substeps for a part in which something turns at a spin. Hits are found along straight ways, so what
// bounces well must not turn far in one.
static int32_t partSubsteps(const brDynamics* dynamics, double length, double dt, double spin)
{
	double shared = (double)dynamics->def.substeps * length / dt;
	double turned = dynamics->step.isWhirling ? length * spin / BR_WHIRL_TURN : 0.0;
	return (int32_t)ceil(fmax(shared - PART_ROUNDING, fmin(turned, BR_WHIRL_SUBSTEPS)));
}

// A part, in more substeps if a hit in it sets something elastic whirling: its other end hits in the same part. False
// without memory.
static bool partStepOne(brDynamics* dynamics, double dt, double length, brStepStats* sum)
{
	double spin = partFastest(dynamics);
	bool isTouched = false;
	for (;;)
	{
		brStepTime time = brMakeStepTime(&dynamics->def, length, partSubsteps(dynamics, length, dt, spin));
		if (partSolve(dynamics, dt, &time, isTouched) < 0)
		{
			partsLetIn(dynamics);
			return false;
		}
		double whirling = dynamics->step.whirling;
		isTouched = whirling > PART_FASTER * spin && time.h * whirling > BR_WHIRL_TURN &&
					time.substeps < (int32_t)BR_WHIRL_SUBSTEPS;
		if (!isTouched)
		{
			partEnd(dynamics, &time, sum);
			return true;
		}
		partsLetIn(dynamics);
		dynamics->step.isWhirling = true;
		spin = whirling;
	}
}

// As many parts as thicknesses.
static void partStepEven(brDynamics* dynamics, double dt, int32_t parts, brStepStats* sum)
{
	bool isStepped = true;
	for (int32_t part = 0; part < parts && isStepped; ++part)
	{
		isStepped = partStepOne(dynamics, dt, dt / parts, sum);
	}
}

// Parts as long as the turning of bodies under their contacts allows. What is in flight until it hits makes a long one,
// and short ones from there on. Contacts that were found for a long part do for a shorter one.
static void partStepTurning(brDynamics* dynamics, double dt, int32_t parts, bool isTouched, brStepStats* sum)
{
	double left = dt, length = 0.5 * dt, shortest = dt / parts, spin = 0.0;
	while (left > 0.0)
	{
		// No longer than ways can be foretold.
		spin = fmax(spin, partFastest(dynamics));
		length = fmin(length, fmax(BR_SLICE_TURN / fmax(spin, BR_SLICE_TURN / dt), shortest));
		length = length < left - 0.5 * shortest ? length : left;
		brStepTime time = brMakeStepTime(&dynamics->def, length, partSubsteps(dynamics, length, dt, spin));
		if (partSolve(dynamics, dt, &time, isTouched) < 0)
		{
			partsLetIn(dynamics);
			return;
		}
		float turning = brDynamics_MostTurning(dynamics);
		double whirling = dynamics->step.whirling;
		bool isLong = turning > 1.0f && length > 1.6 * shortest;
		isTouched = isLong || (whirling > PART_FASTER * spin && time.h * whirling > BR_WHIRL_TURN);
		if (isTouched)
		{
			partsLetIn(dynamics);
			spin = fmax(spin, whirling);
			length = isLong ? fmax(0.5 * length, shortest) : length;
			continue;
		}
		partEnd(dynamics, &time, sum);
		left -= length;
		spin = 0.0;
		length = turning > 0.0f ? (turning < 0.5f ? 2.0 * length : length) : left;
	}
}

brResult brDynamics_StepSlices(brDynamics* dynamics, double dt, int32_t parts, bool isSolved, brReport* report)
{
	bool isTurning = isSolved || !dynamics->step.areFast;
	if (!partReserve(dynamics, isTurning ? 2 * parts : parts))
	{
		return brFailMemory(report);
	}
	dynamics->step.isWhirling = dynamics->step.isWhirling || (isSolved && dynamics->step.isElastic);
	float* reach = dynamics->partMost.data;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		reach[i] = brDynamics_Frames(dynamics)[i].motion;
	}
	brDynamics_DropStates(dynamics);
	PartMover* movers = dynamics->partMovers.data;
	int32_t moverCount = partFindMovers(dynamics, movers);

	// The slow ones, in one go. Nothing has moved if this fails.
	partSwap(dynamics);
	partsLeaveOut(dynamics);
	brStepTime time = brMakeStepTime(&dynamics->def, dt, dynamics->def.substeps);
	dynamics->step.isAgain = isSolved;
	brResult result = brDynamics_StepStages(dynamics, &time, report);
	partsLetIn(dynamics);
	if (result < 0)
	{
		return result;
	}
	brStepStats sum = dynamics->stats;
	sum.slices = 0;

	// The fast ones, part by part. Should memory be short all the same, they lose the rest of the step, and the step is
	// done.
	partSetMovers(dynamics, movers, moverCount, true);
	partSwap(dynamics);
	if (isTurning)
	{
		partStepTurning(dynamics, dt, parts, isSolved, &sum);
	}
	else
	{
		partStepEven(dynamics, dt, parts, &sum);
	}
	partSetMovers(dynamics, movers, moverCount, false);
	sum.setAside = dynamics->stats.setAside;
	sum.narrowSeconds = dynamics->stats.narrowSeconds;
	sum.islandSeconds = dynamics->stats.islandSeconds;
	sum.prepareSeconds = dynamics->stats.prepareSeconds;
	sum.solveSeconds = dynamics->stats.solveSeconds;
	sum.finishSeconds = dynamics->stats.finishSeconds;
	dynamics->stats = sum;
	return br_success;
}
