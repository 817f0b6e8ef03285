// SPDX-License-Identifier: MIT

// From manifolds to blocks of eight without a common body.
//
// Colors are given greedily in pair order: each body keeps a mask of the colors its manifolds have, a manifold takes
// the lowest that neither body has; those of one pair so come to have different ones. Bodies that stand still take part
// in no mask. That is serial and quick (a few nanoseconds a manifold), so it is done anew in each step and depends on
// nothing but the list of pairs. What finds no color is solved at the end, one manifold a block, in order. Inside a
// color manifolds are ordered by their number of points, so that a block rarely carries an empty one.

#include "base/sort.h"
#include "dynamics/solver.h"
#include "dynamics/tuning.h"

#include <string.h>

#define BLOCK_FAST 0.5f // radii a step
#define BLOCK_KEYS ((BR_SOLVER_COLORS + 1) * BR_MANIFOLD_POINTS)

typedef struct BlockWork
{
	brDynamics* dynamics;
	const brStepTime* time;
	const brSolverKernels* kernels;
} BlockWork;

static bool blockIsDynamic(const brBody* body)
{
	return body->kind == br_bodyDynamic && brBody_IsMoving(body);
}

static float blockDepth(const brManifold* manifold)
{
	float lowest = INFINITY;
	for (int32_t i = 0; i < manifold->pointCount; ++i)
	{
		lowest = fminf(lowest, manifold->points[i].separation);
	}
	return lowest;
}

// Depth first, then pair order, as one number.
static uint64_t blockDepthKey(const brManifold* manifold, int32_t place)
{
	float depth = blockDepth(manifold);
	uint32_t bits;
	memcpy(&bits, &depth, sizeof(bits));
	bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u; // floats as integers in the same order
	return (uint64_t)bits << 32 | (uint32_t)place;
}

// Over the budget: the deepest stay, in pair order.
static void blockDrop(brDynamics* dynamics, int32_t* active, int32_t* count)
{
	int32_t budget = dynamics->def.maxContacts, kept = 0;
	uint64_t* keys = dynamics->keys[0].data;
	for (int32_t i = 0; i < *count; ++i)
	{
		keys[i] = blockDepthKey(brDynamics_Manifold(dynamics, active[i]), i);
	}
	uint64_t last = brSelectKeys64(keys, *count, budget - 1);
	for (int32_t i = 0; i < *count; ++i)
	{
		if (blockDepthKey(brDynamics_Manifold(dynamics, active[i]), i) <= last)
		{
			active[kept++] = active[i];
		}
	}
	dynamics->stats.droppedContacts = *count - kept;
	*count = kept;
}

void brDynamics_DropStates(brDynamics* dynamics)
{
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		brDynamics_Frames(dynamics)[i].state = -1;
	}
}

static void blockGiveState(brDynamics* dynamics, int32_t body)
{
	brBodyFrame* frame = &brDynamics_Frames(dynamics)[body];
	if (frame->state < 0 && brBody_IsMoving(&dynamics->bodies.data[body]))
	{
		frame->state = dynamics->stateCount++;
	}
}

void brSolverBody_SetInertia(brSolverBody* body, brVec3 j, brVec3 x, brVec3 y, brVec3 z)
{
	body->invInertia[0] = j.x * x.x * x.x + j.y * y.x * y.x + j.z * z.x * z.x;
	body->invInertia[1] = j.x * x.y * x.y + j.y * y.y * y.y + j.z * z.y * z.y;
	body->invInertia[2] = j.x * x.z * x.z + j.y * y.z * y.z + j.z * z.z * z.z;
	body->invInertia[3] = j.x * x.x * x.y + j.y * y.x * y.y + j.z * z.x * z.y;
	body->invInertia[4] = j.x * x.x * x.z + j.y * y.x * y.z + j.z * z.x * z.z;
	body->invInertia[5] = j.x * x.y * x.z + j.y * y.y * y.z + j.z * z.y * z.z;
}

// The body of a contact that lies on the other, or -1: they stand side by side, or one is just hitting the other, and
// in a hit each has its own mass.
static int32_t blockUpper(const brDynamics* dynamics, int32_t manifold, double dt)
{
	const brContact* contact = brDynamics_ContactOf(dynamics, manifold);
	brVec3 normal = brDynamics_Manifold(dynamics, manifold)->normal;
	brDVec3 n = brQuat_Rotate(dynamics->bodies.data[contact->bodyA].rotation, brToDVec3(normal));
	brDVec3 speed =
		brDSub(dynamics->bodies.data[contact->bodyB].velocity, dynamics->bodies.data[contact->bodyA].velocity);
	double gravity = brDLength(dynamics->def.gravity);
	if (fabs(brDDot(n, speed)) > dynamics->def.restitutionSpeed + dt * gravity)
	{
		return -1;
	}
	double down = brDDot(n, dynamics->def.gravity), least = BR_CARRIES_SLOPE * gravity;
	return down > least ? contact->bodyA : down < -least ? contact->bodyB : -1;
}

// The heaviest of what lies on each body, on others if need be. Only where something much heavier lies on something light is that asked for.
static void blockFindCarried(brDynamics* dynamics, const int32_t* active, int32_t count, double dt)
{
	brBodyFrame* frames = brDynamics_Frames(dynamics);
	bool isAny = false;
	for (int32_t i = 0; i < count && !isAny; ++i)
	{
		const brContact* contact = brDynamics_ContactOf(dynamics, active[i]);
		double a = dynamics->bodies.data[contact->bodyA].invMass, b = dynamics->bodies.data[contact->bodyB].invMass;
		isAny = a > 0.0 && b > 0.0 && fmax(a, b) > BR_CARRIES * fmin(a, b);
	}
	if (!isAny)
	{
		return;
	}
	// What lies on what: the upper one in the high half.
	uint64_t* lying = dynamics->keys[0].data;
	int32_t lyingCount = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		const brContact* contact = brDynamics_ContactOf(dynamics, active[i]);
		int32_t upper = blockUpper(dynamics, active[i], dt);
		int32_t lower = upper == contact->bodyA ? contact->bodyB : contact->bodyA;
		if (upper >= 0 && blockIsDynamic(&dynamics->bodies.data[upper]))
		{
			lying[lyingCount++] = (uint64_t)upper << 32 | (uint32_t)lower;
		}
	}
	for (int32_t round = 0; round < BR_CARRIES_BODIES && isAny; ++round)
	{
		isAny = false;
		for (int32_t i = 0; i < lyingCount; ++i)
		{
			int32_t upper = (int32_t)(lying[i] >> 32), lower = (int32_t)(lying[i] & 0xFFFFFFFFu);
			float mass = fmaxf((float)dynamics->bodies.data[upper].mass, frames[upper].carried);
			isAny = isAny || mass > frames[lower].carried;
			frames[lower].carried = fmaxf(frames[lower].carried, mass);
		}
	}
}

// How many times its mass a body counts for in its contacts. What stands under a load moves as that does. Pieces of
// this step part before they carry anything, and what goes farther than half its radius in a step stands nowhere: a
// bullet under a vase has its own mass.
static double blockStands(const brDynamics* dynamics, int32_t index)
{
	const brBody* body = &dynamics->bodies.data[index];
	const brBodyFrame* frame = &brDynamics_Frames(dynamics)[index];
	bool isStanding = !body->isNewborn && !(frame->speed > BLOCK_FAST * frame->radius);
	bool isFirm = isStanding && frame->leansOn != 0 && !(frame->leansOn & BR_HAS_JOINT);
	return isFirm ? fmax(1.0, (double)frame->carried / body->mass - (BR_CARRIES - 1.0)) : 1.0;
}

static void blockFillState(brDynamics* dynamics, int32_t index, const brStepTime* time)
{
	const brBody* body = &dynamics->bodies.data[index];
	const brBodyFrame* frame = &brDynamics_Frames(dynamics)[index];
	brSolverState* state = (brSolverState*)dynamics->states.data + frame->state;
	brSolverBody* out = (brSolverBody*)dynamics->stateBodies.data + frame->state;
	memset(state, 0, sizeof(*state));
	memset(out, 0, sizeof(*out));
	brVec3 v = brToVec3(body->velocity), w = brToVec3(body->spin);
	state->velocity[0] = v.x, state->velocity[1] = v.y, state->velocity[2] = v.z;
	state->spin[0] = w.x, state->spin[1] = w.y, state->spin[2] = w.z;
	out->body = index;
	out->isDynamic = body->kind == br_bodyDynamic;
	out->linearKeep = 1.0f, out->angularKeep = 1.0f;
	out->rotation = out->followed = body->rotation;
	if (!out->isDynamic)
	{
		out->isTop = brDLengthSq(body->spin) > 0.0;
		return;
	}
	out->linearKeep = (float)(1.0 / (1.0 + time->h * (double)body->linearDamping));
	out->angularKeep = (float)(1.0 / (1.0 + time->h * (double)body->angularDamping));
	// Slow motion of what leans on the ground dies out: a tall stack would sway for a quarter of a minute.
	double speed = (double)frame->speed / time->dt;
	if ((frame->leansOn & BR_LEANS_ON_STATIC) && speed < dynamics->def.sleepSpeed)
	{
		double fading = dynamics->def.slowDamping * (1.0 - speed / dynamics->def.sleepSpeed);
		out->linearKeep *= (float)(1.0 / (1.0 + time->h * fading));
		out->angularKeep *= (float)(1.0 / (1.0 + time->h * fading));
	}
	if (frame->leansOn == BR_LEANS_ON_STATIC && (double)body->calmTime > BR_CALM_TIME)
	{
		double fading = fmin(BR_CALM_RATE * ((double)body->calmTime - BR_CALM_TIME), BR_CALM_MOST);
		out->linearKeep *= (float)(1.0 / (1.0 + time->h * fading));
		out->angularKeep *= (float)(1.0 / (1.0 + time->h * fading));
	}
	double stands = blockStands(dynamics, index), share = 1.0 / stands;
	int exponent;
	(void)frexp(stands, &exponent);
	brDynamics_Frames(dynamics)[index].weight = (uint8_t)(exponent - 1); // 0: its own
	out->push = brToVec3(brDMul(share * time->h * (double)body->gravityScale, dynamics->def.gravity));
	out->invMass = (float)(share * body->invMass);
	out->inertia = brToVec3(body->inertia);
	brDVec3 i = body->inertia;
	out->isGyroscopic = fabs(i.x - i.y) + fabs(i.y - i.z) > 1e-6 * (i.x + i.y + i.z);
	out->isTop = frame->isTop;
	out->isRolling = frame->isRolling;
	brSolverBody_SetInertia(out, brToVec3(brDMul(share, body->invInertia)), frame->x, frame->y, frame->z);
}

static void blockFillStates(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const BlockWork* work = user;
	for (int32_t i = begin; i < end; ++i)
	{
		if (brDynamics_Frames(work->dynamics)[i].state >= 0)
		{
			blockFillState(work->dynamics, i, work->time);
		}
	}
}

static brVec3 blockRotate(const brBodyFrame* f, brVec3 a)
{
	return brMakeVec3(f->x.x * a.x + f->y.x * a.y + f->z.x * a.z, f->x.y * a.x + f->y.y * a.y + f->z.y * a.z,
					  f->x.z * a.x + f->y.z * a.y + f->z.z * a.z);
}

// How far apart two bodies may be at a point and still touch there in this step. Points of what turns by radians in a
// step are fast and get nowhere: a splinter that spins three meters above the ground is about to hit it no more than
// one that does not.
typedef struct BlockReach
{
	float straight; // what they may come nearer without turning; INFINITY if they turn too little to ask
	float turns[2]; // and what each may by turning
	float radii[2]; // but no farther than its ball is from the point
} BlockReach;

static BlockReach blockMakeReach(const brDynamics* dynamics, const brContact* contact, brVec3 n, double dt)
{
	const brBody* sides[2] = {&dynamics->bodies.data[contact->bodyA], &dynamics->bodies.data[contact->bodyB]};
	BlockReach reach = {.straight = INFINITY, .radii = {INFINITY, INFINITY}};
	double most = fmax(brDLengthSq(sides[0]->spin), brDLengthSq(sides[1]->spin)) * dt * dt;
	if (most < BR_SLICE_TURN * BR_SLICE_TURN || contact->isMet)
	{
		return reach;
	}
	const brBodyFrame* frames[2] = {&brDynamics_Frames(dynamics)[contact->bodyA],
									&brDynamics_Frames(dynamics)[contact->bodyB]};
	float pull = frames[0]->motion - frames[0]->speed + frames[1]->motion - frames[1]->speed;
	float closing = (float)(dt * brDDot(brToDVec3(n), brDSub(sides[0]->velocity, sides[1]->velocity)));
	reach.straight = fmaxf(closing, 0.0f) + pull;
	for (int k = 0; k < 2; ++k)
	{
		bool isTurning = brBody_IsMoving(sides[k]) && frames[k]->shapeKind != br_shapeSphere;
		double turn = isTurning ? dt * brDLength(sides[k]->spin) : 0.0;
		if (turn > 0.0)
		{
			reach.turns[k] = (float)turn * frames[k]->radius, reach.radii[k] = frames[k]->radius;
		}
	}
	return reach;
}

// `along`: how far the point is from the middle of each, towards the other.
static float blockReachAt(const BlockReach* reach, float alongA, float alongB)
{
	return reach->straight + fminf(reach->turns[0], reach->radii[0] - alongA) +
		   fminf(reach->turns[1], reach->radii[1] - alongB);
}

static bool blockForgets(const brBody* body, const brBodyFrame* frame, double dt)
{
	return frame->isTop && !frame->isRolling && brTopForgets(body->spin, dt);
}

// Impulses that a body held as a heavy one are balanced to a part of its weight then. As a light one it would be thrown
// by what is left over.
static bool blockIsRelieved(const brBody* body, const brBodyFrame* frame)
{
	return body->weight > frame->weight + 1;
}

// A contact keeps its levers for a step. At those of its start, what stands on a turning disc goes straight on along
// the tangent, and out by a part of (turn)^2 / 2 in each step; at those of the middle of the step it stays where it is.
// Only what turns about the normal matters. Tops take their contacts along, so theirs are those of the middle of a
// substep.
typedef struct BlockTwist
{
	float tangent, part; // of a half of the turn t, and 2 t / (1 + t^2)
} BlockTwist;

static BlockTwist blockTwist(const brBody* body, const brSolverBody* solver, brVec3 n, const brStepTime* time)
{
	if (!brBody_IsMoving(body) || (solver->isTop && solver->isRolling))
	{
		return (BlockTwist){0.0f, 0.0f};
	}
	double turn = (solver->isTop ? -time->h : time->dt) * brDDot(brToDVec3(n), body->spin);
	float tangent = (float)(0.25 * fmax(-BR_MAX_TURN, fmin(turn, BR_MAX_TURN)));
	return (BlockTwist){tangent, 2.0f * tangent / (1.0f + tangent * tangent)};
}

static brVec3 blockTurn(brVec3 r, brVec3 n, BlockTwist twist)
{
	brVec3 aside = brCross(n, r), across = brMulAdd(aside, twist.tangent, brCross(n, aside));
	return brMulAdd(r, twist.part, across);
}

#define BLOCK_PUT(out, lane, a) ((out)[0][lane] = (a).x, (out)[1][lane] = (a).y, (out)[2][lane] = (a).z)

static void blockFillLane(const BlockWork* work, brContactBlock* block, int32_t lane, int32_t index)
{
	brDynamics* dynamics = work->dynamics;
	const brContact* contact = brDynamics_ContactOf(dynamics, index);
	const brManifold* manifold = brDynamics_Manifold(dynamics, index);
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	const brBodyFrame *frameA = &brDynamics_Frames(dynamics)[contact->bodyA],
					  *frameB = &brDynamics_Frames(dynamics)[contact->bodyB];
	const brSolverBody* bodies = dynamics->stateBodies.data;
	int32_t stateA = frameA->state < 0 ? BR_REST_STATE : frameA->state;
	int32_t stateB = frameB->state < 0 ? BR_REST_STATE : frameB->state;
	block->manifold[lane] = index;
	block->stateA[lane] = stateA, block->stateB[lane] = stateB;
	block->tops |= bodies[stateA].isTop || bodies[stateB].isTop ? BR_BLOCK_HAS_TOP : 0;
	block->writesA[lane] = bodies[stateA].isDynamic, block->writesB[lane] = bodies[stateB].isDynamic;
	block->invMassA[lane] = bodies[stateA].invMass, block->invMassB[lane] = bodies[stateB].invMass;
	for (int k = 0; k < 6; ++k)
	{
		block->invInertiaA[k][lane] = bodies[stateA].invInertia[k];
		block->invInertiaB[k][lane] = bodies[stateB].invInertia[k];
	}
	// What sleeps is no firmer than it was awake: else what lies on it would be moved as soon as it does.
	int32_t isStill = a->kind != br_bodyDynamic || b->kind != br_bodyDynamic;
	block->rate[lane] = work->time->rate[isStill];
	block->massScale[lane] = work->time->massScale[isStill];
	block->impulseScale[lane] = work->time->impulseScale[isStill];
	block->friction[lane] = sqrtf(a->friction * b->friction);
	// What breaks has spent what it would have bounced with.
	block->restitution[lane] = a->isNewborn || b->isNewborn ? 0.0f : fmaxf(a->restitution, b->restitution);
	block->bounceSpeed[lane] = -brDynamics_BounceSpeed(dynamics, block->restitution[lane]);
	float thickness = brSmallerSize(frameA->thickness, frameB->thickness);
	block->fade[lane] = 1.0f / ((float)BR_CONTACT_MARGIN * thickness);
	block->push[lane] = brSolver_Push((float)dynamics->def.pushSpeed * thickness, block->restitution[lane],
									  bodies[stateA].isTop || bodies[stateB].isTop);

	brVec3 n = blockRotate(frameA, manifold->normal);
	brVec3 side = fabsf(n.x) < 0.6f ? brMakeVec3(1.0f, 0.0f, 0.0f) : brMakeVec3(0.0f, 1.0f, 0.0f);
	brVec3 t = brCross(n, side);
	t = brMul(1.0f / sqrtf(brDot(t, t)), t);
	brVec3 s = brCross(n, t);
	BLOCK_PUT(block->normal, lane, n);
	BLOCK_PUT(block->tangent, lane, t);
	bool isForgotten = blockForgets(a, frameA, work->time->dt) || blockForgets(b, frameB, work->time->dt) ||
					   blockIsRelieved(a, frameA) || blockIsRelieved(b, frameB);
	if (!isForgotten)
	{
		block->tangentImpulse[0][lane] = brDot(manifold->friction, t);
		block->tangentImpulse[1][lane] = brDot(manifold->friction, s);
		block->twistImpulse[lane] = manifold->twist;
		BLOCK_PUT(block->rollingImpulse, lane, manifold->rolling);
	}

	float armA = fabsf(brDot(manifold->normal, manifold->points[0].anchorA));
	float armB = fabsf(brDot(n, blockRotate(frameB, manifold->points[0].anchorB)));
	block->rolling[lane] =
		fmaxf(frameA->isRolling ? a->rolling * armA : 0.0f, frameB->isRolling ? b->rolling * armB : 0.0f);
	block->hasRolling = block->hasRolling || block->rolling[lane] > 0.0f;
	block->spinning[lane] =
		fmaxf(a->invMass > 0.0 ? a->spinning * armA : 0.0f, b->invMass > 0.0 ? b->spinning * armB : 0.0f);
	bool isRoundA = frameA->shapeKind == br_shapeSphere, isRoundB = frameB->shapeKind == br_shapeSphere;
	block->roundA[lane] = isRoundA ? dynamics->shapes.data[a->shape].shape->round : 0.0f;
	block->roundB[lane] = isRoundB ? dynamics->shapes.data[b->shape].shape->round : 0.0f;
	brVec3 between = brToVec3(brDSub(b->position, a->position));
	// What was met ahead is turned already.
	BlockTwist none = {0.0f, 0.0f};
	BlockTwist twistA = contact->isMet ? none : blockTwist(a, &bodies[stateA], n, work->time);
	BlockTwist twistB = contact->isMet ? none : blockTwist(b, &bodies[stateB], n, work->time);
	BlockReach reach = blockMakeReach(dynamics, contact, n, work->time->dt);
	for (int32_t k = 0; k < manifold->pointCount; ++k)
	{
		const brContactPoint* point = &manifold->points[k];
		brPointLanes* out = &block->points[k];
		brVec3 rA = blockRotate(frameA, point->anchorA), rB = blockRotate(frameB, point->anchorB);
		// Since they were made the two anchors may have parted.
		out->separation[lane] = point->separation + brDot(n, brAdd(between, brSub(rB, rA))) - manifold->lift;
		rA = isRoundA ? brMakeVec3(0.0f, 0.0f, 0.0f) : blockTurn(rA, n, twistA);
		rB = isRoundB ? brMakeVec3(0.0f, 0.0f, 0.0f) : blockTurn(rB, n, twistB);
		BLOCK_PUT(out->anchorA, lane, rA);
		BLOCK_PUT(out->anchorB, lane, rB);
		bool isInReach = !(out->separation[lane] > blockReachAt(&reach, brDot(n, rA), -brDot(n, rB)));
		out->impulse[lane] = isInReach && !isForgotten ? point->impulse : 0.0f;
		out->mass[lane] = isInReach ? 1.0f : 0.0f;
	}
	block->pointCount = manifold->pointCount > block->pointCount ? manifold->pointCount : block->pointCount;
}

static void blockFill(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const BlockWork* work = user;
	brDynamics* dynamics = work->dynamics;
	brContactBlock* blocks = dynamics->blocks.data;
	const int32_t* order = dynamics->order.data;
	for (int32_t i = begin; i < end; ++i)
	{
		brContactBlock* block = &blocks[i];
		memset(block, 0, sizeof(*block));
		for (int32_t lane = 0; lane < BR_SOLVER_LANES; ++lane)
		{
			int32_t index = order[BR_SOLVER_LANES * i + lane];
			int32_t next = i + 1 < end ? order[BR_SOLVER_LANES * (i + 1) + lane] : -1;
			if (next >= 0)
			{
				const char* ahead = (const char*)brDynamics_ContactOf(dynamics, next);
				__builtin_prefetch(ahead);
				__builtin_prefetch(ahead + 64);
				__builtin_prefetch(ahead + 128);
				__builtin_prefetch(ahead + 192);
			}
			block->manifold[lane] = -1;
			block->normal[2][lane] = 1.0f;
			if (index >= 0)
			{
				blockFillLane(work, block, lane, index);
			}
		}
	}
	work->kernels->prepare(blocks + begin, end - begin, dynamics->states.data);
}

// By color, then by number of points, most first.
static int32_t blockKey(const brDynamics* dynamics, int32_t manifold, int32_t color)
{
	return (color + 1) * BR_MANIFOLD_POINTS - brDynamics_Manifold(dynamics, manifold)->pointCount;
}

// Colors, and each manifold's place in the order of blocks.
static bool blockColor(brDynamics* dynamics, const int32_t* active, int32_t count)
{
	const brAllocator* allocator = &dynamics->allocator;
	int32_t bodyCount = dynamics->bodies.count;
	if (!brStageMemory_Ensure(&dynamics->masks, allocator, bodyCount, sizeof(uint64_t)) ||
		!brStageMemory_Ensure(&dynamics->contactColors, allocator, count, sizeof(uint8_t)) ||
		!brStageMemory_Ensure(&dynamics->ranges, allocator, BR_SOLVER_COLORS + 1, sizeof(brColorRange)))
	{
		return false;
	}
	uint64_t* masks = dynamics->masks.data;
	uint8_t* colors = dynamics->contactColors.data;
	memset(masks, 0, sizeof(uint64_t) * (size_t)bodyCount);
	int32_t counts[BLOCK_KEYS] = {0};
	for (int32_t i = 0; i < count; ++i)
	{
		const brContact* contact = brDynamics_ContactOf(dynamics, active[i]);
		bool isDynamicA = blockIsDynamic(&dynamics->bodies.data[contact->bodyA]);
		bool isDynamicB = blockIsDynamic(&dynamics->bodies.data[contact->bodyB]);
		uint64_t taken = (isDynamicA ? masks[contact->bodyA] : 0) | (isDynamicB ? masks[contact->bodyB] : 0);
		uint64_t open = ~taken & (((uint64_t)1 << BR_SOLVER_COLORS) - 1);
		int32_t color = open != 0 ? __builtin_ctzll(open) : BR_SOLVER_COLORS;
		uint64_t bit = open != 0 ? (uint64_t)1 << color : 0;
		masks[contact->bodyA] |= bit;
		masks[contact->bodyB] |= bit;
		colors[i] = (uint8_t)color;
		counts[blockKey(dynamics, active[i], color)] += 1;
	}

	// Blocks of each color, one color after the other; the last one has one contact a block.
	brColorRange* ranges = dynamics->ranges.data;
	int32_t places[BLOCK_KEYS];
	int32_t blockCount = 0, rangeCount = 0;
	for (int32_t color = 0; color <= BR_SOLVER_COLORS; ++color)
	{
		int32_t first = blockCount, inColor = 0;
		for (int32_t k = 0; k < BR_MANIFOLD_POINTS; ++k)
		{
			places[color * BR_MANIFOLD_POINTS + k] = BR_SOLVER_LANES * first + inColor;
			inColor += counts[color * BR_MANIFOLD_POINTS + k];
		}
		bool isOverflow = color == BR_SOLVER_COLORS;
		blockCount += isOverflow ? inColor : (inColor + BR_SOLVER_LANES - 1) / BR_SOLVER_LANES;
		if (inColor > 0)
		{
			ranges[rangeCount++] = (brColorRange){first, blockCount, isOverflow};
		}
		dynamics->stats.overflow = isOverflow ? inColor : dynamics->stats.overflow;
	}
	if (!brStageMemory_Ensure(&dynamics->order, allocator, BR_SOLVER_LANES * (int64_t)blockCount, sizeof(int32_t)) ||
		!brStageMemory_Ensure(&dynamics->blocks, allocator, blockCount, sizeof(brContactBlock)) ||
		!brSolver_ReserveBounces(dynamics, blockCount))
	{
		return false;
	}
	int32_t* order = dynamics->order.data;
	for (int32_t i = 0; i < BR_SOLVER_LANES * blockCount; ++i)
	{
		order[i] = -1;
	}
	int32_t overflowFirst = places[BR_SOLVER_COLORS * BR_MANIFOLD_POINTS], overflowCount = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t key = blockKey(dynamics, active[i], colors[i]);
		int32_t place =
			colors[i] == BR_SOLVER_COLORS ? overflowFirst + BR_SOLVER_LANES * overflowCount++ : places[key]++;
		order[place] = active[i];
	}
	dynamics->blockCount = blockCount;
	dynamics->rangeCount = rangeCount;
	dynamics->stats.colors = rangeCount;
	return true;
}

bool brDynamics_ReserveBlocks(brDynamics* dynamics, int64_t manifolds)
{
	const brAllocator* allocator = &dynamics->allocator;
	int64_t blocks = manifolds / BR_SOLVER_LANES + BR_SOLVER_COLORS + 1, bodies = dynamics->bodies.count;
	return brStageMemory_Ensure(&dynamics->active, allocator, manifolds, sizeof(int32_t)) &&
		   brStageMemory_Ensure(&dynamics->seams, allocator, bodies + manifolds + manifolds / 4 + 1, sizeof(int32_t)) &&
		   brStageMemory_Ensure(&dynamics->keys[0], allocator, manifolds, sizeof(uint64_t)) &&
		   brStageMemory_Ensure(&dynamics->states, allocator, bodies + 1, sizeof(brSolverState)) &&
		   brStageMemory_Ensure(&dynamics->stateBodies, allocator, bodies + 1, sizeof(brSolverBody)) &&
		   brStageMemory_Ensure(&dynamics->turns, allocator, bodies + 1, sizeof(brSolverTurn)) &&
		   brStageMemory_Ensure(&dynamics->means, allocator, 2 * (bodies + 1), sizeof(brSolverState)) &&
		   brStageMemory_Ensure(&dynamics->jointWork, allocator, dynamics->jointCount, sizeof(brJointWork)) &&
		   brStageMemory_Ensure(&dynamics->masks, allocator, bodies, sizeof(uint64_t)) &&
		   brStageMemory_Ensure(&dynamics->contactColors, allocator, manifolds, sizeof(uint8_t)) &&
		   brStageMemory_Ensure(&dynamics->ranges, allocator, BR_SOLVER_COLORS + 1, sizeof(brColorRange)) &&
		   brStageMemory_Ensure(&dynamics->order, allocator, BR_SOLVER_LANES * blocks, sizeof(int32_t)) &&
		   brStageMemory_Ensure(&dynamics->blocks, allocator, blocks, sizeof(brContactBlock)) &&
		   brSolver_ReserveBounces(dynamics, blocks);
}

// Manifolds of pairs that touch and of which one moves. `outHasSeams`: they touch more than one still body. Returns how
// many.
static int32_t blockList(const brDynamics* dynamics, int32_t* active, bool* outHasSeams)
{
	int32_t count = 0, still = -1;
	*outHasSeams = false;
	for (int32_t i = 0; i < dynamics->touchingCount; ++i)
	{
		int32_t slot = ((const int32_t*)dynamics->touching.data)[i];
		const brContact* contact = brDynamics_Touching(dynamics, i);
		if (contact->isTouching && (blockIsDynamic(&dynamics->bodies.data[contact->bodyA]) ||
									blockIsDynamic(&dynamics->bodies.data[contact->bodyB])))
		{
			for (int32_t k = 0; k < contact->manifoldCount; ++k)
			{
				active[count++] = slot * BR_PAIR_MANIFOLDS + k;
			}
			bool isA = dynamics->bodies.data[contact->bodyA].kind == br_bodyStatic;
			int32_t other = isA || dynamics->bodies.data[contact->bodyB].kind == br_bodyStatic
								? isA ? contact->bodyA : contact->bodyB
								: -1;
			*outHasSeams = *outHasSeams || (still >= 0 && other >= 0 && other != still);
			still = other >= 0 ? other : still;
		}
	}
	return count;
}

// What there is among the states and blocks that asks for more than plain passes.
static void blockNoteKinds(brDynamics* dynamics)
{
	dynamics->step.hasBounces = dynamics->step.hasTops = dynamics->step.isElastic = false;
	dynamics->step.hasDrivers = dynamics->step.hasShares = false;
	for (int32_t i = BR_REST_STATE + 1; i < dynamics->stateCount; ++i)
	{
		const brSolverBody* body = (const brSolverBody*)dynamics->stateBodies.data + i;
		dynamics->step.hasTops |= body->isTop;
		dynamics->step.hasDrivers |= !body->isDynamic;
		dynamics->step.hasShares |= brDynamics_Share(dynamics, i) != 1.0f;
	}
	for (int32_t i = 0; i < dynamics->blockCount; ++i)
	{
		const brContactBlock* block = (const brContactBlock*)dynamics->blocks.data + i;
		dynamics->step.hasBounces |= block->hasBounce;
		for (int32_t lane = 0; lane < BR_SOLVER_LANES && block->hasBounce && !dynamics->step.isElastic; ++lane)
		{
			dynamics->step.isElastic = block->restitution[lane] > BR_BOUNCE_HALF;
		}
	}
}

brResult brDynamics_MakeBlocks(brDynamics* dynamics, const brStepTime* time, brReport* report)
{
	const brAllocator* allocator = &dynamics->allocator;
	int32_t bodyCount = dynamics->bodies.count;
	// Only pairs with a concave body, and hulls on half-spaces, have more than one.
	int64_t most = dynamics->pairs.count + (BR_PAIR_MANIFOLDS - 1) * (int64_t)dynamics->more.count;
	if (!brStageMemory_Ensure(&dynamics->active, allocator, most, sizeof(int32_t)) ||
		!brStageMemory_Ensure(&dynamics->keys[0], allocator, most, sizeof(uint64_t)) ||
		!brStageMemory_Ensure(&dynamics->states, allocator, bodyCount + 1, sizeof(brSolverState)) ||
		!brStageMemory_Ensure(&dynamics->stateBodies, allocator, bodyCount + 1, sizeof(brSolverBody)) ||
		!brStageMemory_Ensure(&dynamics->turns, allocator, bodyCount + 1, sizeof(brSolverTurn)) ||
		!brStageMemory_Ensure(&dynamics->means, allocator, 2 * ((int64_t)bodyCount + 1), sizeof(brSolverState)) ||
		!brStageMemory_Ensure(&dynamics->jointWork, allocator, dynamics->jointCount, sizeof(brJointWork)))
	{
		return brFailMemory(report);
	}
	int32_t* active = dynamics->active.data;
	bool hasSeams;
	int32_t count = blockList(dynamics, active, &hasSeams);
	if (hasSeams)
	{
		if (!brStageMemory_Ensure(&dynamics->seams, allocator, bodyCount + count + count / 4 + 1, sizeof(int32_t)))
		{
			return brFailMemory(report);
		}
		count = brDynamics_DropSeams(dynamics, active, count, time->dt);
	}
	dynamics->stats.droppedContacts = 0;
	if (dynamics->def.maxContacts > 0 && count > dynamics->def.maxContacts)
	{
		blockDrop(dynamics, active, &count);
	}
	if (!blockColor(dynamics, active, count))
	{
		return brFailMemory(report);
	}

	// From here on there is memory for all that follows. States in slot order keep neighbors in memory together.
	memset(dynamics->states.data, 0, sizeof(brSolverState));
	memset(dynamics->stateBodies.data, 0, sizeof(brSolverBody));
	dynamics->stateCount = 1;
	int32_t points = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		const brContact* contact = brDynamics_ContactOf(dynamics, active[i]);
		blockGiveState(dynamics, contact->bodyA);
		blockGiveState(dynamics, contact->bodyB);
		points += brDynamics_Manifold(dynamics, active[i])->pointCount;
	}
	for (int32_t i = 0; i < dynamics->joints.count; ++i)
	{
		const brJoint* joint = &dynamics->joints.data[i];
		if (joint->kind >= 0)
		{
			blockGiveState(dynamics, joint->bodyA);
			blockGiveState(dynamics, joint->bodyB);
		}
	}
	blockFindCarried(dynamics, active, count, time->dt);
	dynamics->activeCount = count;
	dynamics->stats.contacts = count;
	dynamics->stats.points = points;
	BlockWork work = {dynamics, time, brGetSolverKernels(dynamics->def.lanes)};
	brParallelFor(dynamics->context.workers, bodyCount, 256, blockFillStates, &work);
	brParallelFor(dynamics->context.workers, dynamics->blockCount, 16, blockFill, &work);
	blockNoteKinds(dynamics);
	return br_success;
}
