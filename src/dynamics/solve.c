// SPDX-License-Identifier: MIT

// The substeps. Each: forces, warm start, bounces, normals with a push, move, normals without and friction.
//
// The sum of all impulses of a substep on a body is u = v_end - b, where b is its velocity after forces and before impulses.
// Anchors and inertia do not change inside a step but for tops (tops.c), so warm starting the next substep with the same impulses adds the same u:
// a pass over bodies does what a pass over contacts would. Only the first substep needs one over contacts.

#include "base/clock.h"
#include "base/cpu.h"
#include "dynamics/solver.h"
#include "dynamics/tuning.h"

// Below this a color is not worth waking workers for.
#define SOLVE_PARALLEL_BLOCKS 24
#define SOLVE_BLOCK_SIZE 8

typedef enum SolvePass
{
	solvePassWarm,
	solvePassBiased,
	solvePassRelax,
	solvePassHits,
	solvePassFollow,
} SolvePass;

typedef struct SolveWork
{
	brDynamics* dynamics;
	const brSolverKernels* kernels;
	const brStepTime* time;
	SolvePass pass;
	int32_t first; // block
	bool isFirstSubstep;
} SolveWork;

static void solveRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const SolveWork* work = user;
	brDynamics* dynamics = work->dynamics;
	brContactBlock* blocks = (brContactBlock*)dynamics->blocks.data + work->first + begin;
	brSolverState* states = dynamics->states.data;
	int32_t count = end - begin;
	float invH = (float)(1.0 / work->time->h);
	switch (work->pass)
	{
		case solvePassWarm:
			work->kernels->warmStart(blocks, count, states);
			break;
		case solvePassBiased:
			work->kernels->solveBiased(blocks, count, states, invH);
			break;
		case solvePassRelax:
			work->kernels->relax(blocks, count, states, invH);
			break;
		case solvePassHits:
			work->kernels->findHits(blocks, count, states, (float)(BR_BOUNCE_AHEAD * work->time->h));
			break;
		case solvePassFollow:
			for (int32_t i = 0; i < count; ++i)
			{
				brSolver_FollowTops(dynamics, &blocks[i], work->kernels, work->time->dt);
			}
			break;
	}
}

// One pass over all blocks, color by color. Blocks of a color share no body that moves, so their order does not matter.
static void solvePass(SolveWork* work, SolvePass pass)
{
	const brColorRange* ranges = work->dynamics->ranges.data;
	work->pass = pass;
	for (int32_t i = 0; i < work->dynamics->rangeCount; ++i)
	{
		int32_t count = ranges[i].end - ranges[i].begin;
		work->first = ranges[i].begin;
		if (ranges[i].isSerial || count < SOLVE_PARALLEL_BLOCKS)
		{
			solveRange(0, count, 0, work);
		}
		else
		{
			brParallelFor(work->dynamics->context.workers, count, SOLVE_BLOCK_SIZE, solveRange, work);
		}
	}
}

static void solveFollow(SolveWork* work)
{
	solvePass(work, solvePassFollow);
	brSolver_HaveFollowed(work->dynamics);
}

// The spin after h without torque, implicit so that it cannot grow: one Newton step of I w' + h w' x I w' = I w in the body's
// axes (Catto 2015).
static brVec3 solveGyroscopic(const brSolverBody* body, const brBodyFrame* f, brVec3 spin, float h)
{
	// Only ratios of the moments matter; a power of two brings those of a splinter up to where their product is no denormal.
	int exponent;
	(void)frexpf(body->inertia.x + body->inertia.y + body->inertia.z, &exponent);
	brVec3 w = {brDot(f->x, spin), brDot(f->y, spin), brDot(f->z, spin)};
	brVec3 i = brMul(ldexpf(1.0f, -exponent), body->inertia);
	brVec3 l = {i.x * w.x, i.y * w.y, i.z * w.z};
	brVec3 r = brMul(h, brCross(w, l));
	// Jacobian I + h (skew(w) I - skew(I w)), by columns.
	brVec3 cx = {i.x, h * (w.z * i.x - l.z), h * (l.y - w.y * i.x)};
	brVec3 cy = {h * (l.z - w.z * i.y), i.y, h * (w.x * i.y - l.x)};
	brVec3 cz = {h * (w.y * i.z - l.y), h * (l.x - w.x * i.z), i.z};
	brVec3 yz = brCross(cy, cz);
	float det = brDot(cx, yz);
	if (!(det > 0.0f))
	{
		return spin;
	}
	float s = 1.0f / det;
	brVec3 d = {s * brDot(r, yz), s * brDot(cx, brCross(r, cz)), s * brDot(cx, brCross(cy, r))};
	brVec3 next = brSub(w, d);
	// One Newton step is far off where it turns by radians, and may end anywhere; but never with more energy.
	float before = brDot(w, l), after = i.x * next.x * next.x + i.y * next.y * next.y + i.z * next.z * next.z;
	next = after > before ? brMul(sqrtf(before / after), next) : next;
	return brMakeVec3(f->x.x * next.x + f->y.x * next.y + f->z.x * next.z,
					  f->x.y * next.x + f->y.y * next.y + f->z.y * next.z,
					  f->x.z * next.x + f->y.z * next.y + f->z.z * next.z);
}

static void solveForces(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const SolveWork* work = user;
	brDynamics* dynamics = work->dynamics;
	brSolverState* states = dynamics->states.data;
	brSolverBody* bodies = dynamics->stateBodies.data;
	for (int32_t i = begin; i < end; ++i)
	{
		brSolverBody* body = &bodies[i];
		float *v = states[i].velocity, *w = states[i].spin;
		if (!body->isDynamic)
		{
			continue;
		}
		brVec3 velocity = {v[0], v[1], v[2]}, spin = {w[0], w[1], w[2]};
		brVec3 zero = {0.0f, 0.0f, 0.0f};
		brVec3 impulse = work->isFirstSubstep ? zero : brSub(velocity, body->baseVelocity);
		brVec3 twist = work->isFirstSubstep ? zero : brSub(spin, body->baseSpin);
		if (body->isGyroscopic && !body->isTop)
		{
			spin = solveGyroscopic(body, &brDynamics_Frames(dynamics)[body->body], spin, (float)work->time->h);
		}
		body->baseVelocity = brAdd(brMul(body->linearKeep, velocity), body->push);
		body->baseSpin = brMul(body->angularKeep, spin);
		brVec3 nextVelocity = brAdd(body->baseVelocity, impulse), nextSpin = brAdd(body->baseSpin, twist);
		v[0] = nextVelocity.x, v[1] = nextVelocity.y, v[2] = nextVelocity.z;
		w[0] = nextSpin.x, w[1] = nextSpin.y, w[2] = nextSpin.z;
	}
}

static void solveMove(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const SolveWork* work = user;
	brSolverState* states = work->dynamics->states.data;
	brSolverBody* bodies = work->dynamics->stateBodies.data;
	float h = (float)work->time->h;
	for (int32_t i = begin; i < end; ++i)
	{
		brSolverBody* body = &bodies[i];
		const float* v = states[i].velocity;
		// What nothing touched in this substep flies along its parabola.
		bool isFree = body->isDynamic && v[0] == body->baseVelocity.x && v[1] == body->baseVelocity.y &&
					  v[2] == body->baseVelocity.z;
		body->isPushed = body->isPushed || brSolver_IsPushed(&states[i], body);
		if (isFree)
		{
			states[i].moved[0] -= 0.5f * h * body->push.x;
			states[i].moved[1] -= 0.5f * h * body->push.y;
			states[i].moved[2] -= 0.5f * h * body->push.z;
		}
		for (int k = 0; k < 3; ++k)
		{
			states[i].moved[k] += h * states[i].velocity[k];
			states[i].turned[k] += h * states[i].spin[k];
		}
		if (body->isTop)
		{
			brSolver_TurnTop(work->dynamics, i, work->time->h);
		}
	}
}

// Whether both lie, or hardly move: slower than what falls for a part of a step.
static bool solveIsHeld(const brDynamics* dynamics, const brContact* contact)
{
	const brBodyFrame *a = &brDynamics_Frames(dynamics)[contact->bodyA],
					  *b = &brDynamics_Frames(dynamics)[contact->bodyB];
	const float part = (float)BR_HELD_PULL;
	return a->speed <= part * (a->motion - a->speed) && b->speed <= part * (b->motion - b->speed);
}

// A contact is a spring and gives way under its load by load / (mass * stiffness): a splinter under a brick would rest in the floor. What it
// gives way by is measured and taken off, so slowly that nothing rocks, and slower the more times its own weight it carries. Never more than the
// spring explains: what is deep for another reason is pushed out by the spring itself. Meanwhile the bodies stay awake, for a while.
static void solveLift(brDynamics* dynamics, const brContactBlock* block, int32_t lane, const brStepTime* time,
					  brContact* contact, brManifold* manifold)
{
	float gravity = (float)brDLength(dynamics->def.gravity);
	float load = 0.0f, depth = 0.0f;
	for (int32_t k = 0; k < manifold->pointCount; ++k)
	{
		float impulse = block->points[k].impulse[lane];
		load += impulse;
		depth -= impulse * (block->points[k].separation[lane] + manifold->lift);
	}
	if (!(load > 0.0f))
	{
		manifold->lift = 0.0f;
		return;
	}
	float speed = load * (block->invMassA[lane] + block->invMassB[lane]); // that the load of a substep would give
	float soft = block->impulseScale[lane] / (block->massScale[lane] * block->rate[lane]), sag = speed * soft;
	float rate = fminf(BR_LIFT_RATE, BR_LIFT_PULL * gravity / speed);
	float weights = manifold->pointCount < 3 ? BR_LIFT_BALANCED : BR_LIFT_WEIGHTS;
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	float thickness = brSmallerSize(frames[contact->bodyA].thickness, frames[contact->bodyB].thickness);
	float burden = fmaxf(frames[contact->bodyA].burden, frames[contact->bodyB].burden);
	bool isBurdened = burden > 0.0f;
	const brBody* bodies = dynamics->bodies.data;
	if (!bodies[contact->bodyA].isPiece &&
		!bodies[contact->bodyB].isPiece) // a crumb under a boulder is nobody's mistake
	{
		dynamics->burdenRatio = fmaxf(dynamics->burdenRatio, burden * (float)fmax(bodies[contact->bodyA].invMass,
																				  bodies[contact->bodyB].invMass));
	}
	float allowed = fmaxf(weights * gravity * (float)time->h * soft, isBurdened ? 0.0f : BR_LIFT_THICKNESS * thickness);
	float excess = depth / load - allowed;
	// What is wedged in is pressed by more than any weight; lifted, it would be pressed the more, until it slips and jumps.
	float invMass = block->invMassA[lane] + block->invMassB[lane];
	float most = BR_LIFT_WEDGED * (burden * invMass + 2.0f) * gravity * (float)time->h * soft;
	float lift = fminf(manifold->lift + (float)time->dt * rate * excess, BR_LIFT_SAGS * fminf(sag, most));
	lift = lift > 0.0f ? lift : 0.0f; // not fmaxf: which of two zeros it takes differs
	bool isLifting = lift > manifold->lift && excess > allowed;
	contact->lifting =
		(uint8_t)(isLifting && contact->lifting < BR_LIFT_STEPS ? contact->lifting + 1 : contact->lifting);
	manifold->isLifting = isLifting && contact->lifting < BR_LIFT_STEPS;
	manifold->lift = lift;
}

static void solveFindBurdened(brDynamics* dynamics)
{
	brBodyFrame* frames = brDynamics_Frames(dynamics);
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		frames[i].burden = 0.0f;
	}
	for (int32_t i = 0; i < dynamics->activeCount; ++i)
	{
		const brContact* contact = brDynamics_ContactOf(dynamics, ((const int32_t*)dynamics->active.data)[i]);
		double a = dynamics->bodies.data[contact->bodyA].invMass, b = dynamics->bodies.data[contact->bodyB].invMass;
		if (b > 0.0 && a > BR_LIFT_RATIO * b)
		{
			frames[contact->bodyA].burden = fmaxf(frames[contact->bodyA].burden, (float)(1.0 / b));
		}
		if (a > 0.0 && b > BR_LIFT_RATIO * a)
		{
			frames[contact->bodyB].burden = fmaxf(frames[contact->bodyB].burden, (float)(1.0 / a));
		}
	}
}

static void solveStore(brDynamics* dynamics, const brStepTime* time)
{
	solveFindBurdened(dynamics);
	dynamics->burdenRatio = 0.0f;
	const brContactBlock* blocks = dynamics->blocks.data;
	for (int32_t i = 0; i < dynamics->blockCount; ++i)
	{
		const brContactBlock* block = &blocks[i];
		for (int32_t lane = 0; lane < BR_SOLVER_LANES; ++lane)
		{
			if (block->manifold[lane] < 0)
			{
				continue;
			}
			brManifold* manifold = brDynamics_Manifold(dynamics, block->manifold[lane]);
			brVec3 n = {block->normal[0][lane], block->normal[1][lane], block->normal[2][lane]};
			brVec3 t = {block->tangent[0][lane], block->tangent[1][lane], block->tangent[2][lane]};
			brVec3 s = brCross(n, t);
			manifold->friction = brMulAdd(brMul(block->tangentImpulse[0][lane], t), block->tangentImpulse[1][lane], s);
			manifold->twist = block->twistImpulse[lane];
			manifold->rolling = brMakeVec3(block->rollingImpulse[0][lane], block->rollingImpulse[1][lane],
										   block->rollingImpulse[2][lane]);
			float approach = 0.0f;
			for (int32_t k = 0; k < manifold->pointCount; ++k)
			{
				manifold->points[k].impulse = block->points[k].impulse[lane];
				manifold->points[k].total = block->points[k].total[lane];
				float closing = -block->points[k].approach[lane];
				approach = closing > approach ? closing : approach; // not fmaxf: which of two zeros it takes differs
			}
			manifold->approach = approach;
			brContact* contact = brDynamics_ContactOf(dynamics, block->manifold[lane]);
			manifold->isLifting = 0;
			if (solveIsHeld(dynamics, contact))
			{
				solveLift(dynamics, block, lane, time, contact, manifold);
			}
			else
			{
				manifold->lift *= BR_LIFT_KEPT;
			}
		}
	}
}

void brDynamics_Solve(brDynamics* dynamics, const brStepTime* time)
{
	SolveWork work = {.dynamics = dynamics, .kernels = brGetSolverKernels(dynamics->def.lanes), .time = time};
	brJointWork* joints = dynamics->jointWork.data;
	int32_t jointCount = dynamics->jointCount > 0 ? brSolver_PrepareJoints(dynamics, joints) : 0;
	brWorkers* workers = dynamics->context.workers;
	dynamics->step.hits = (brEnergyBooks){0};
	for (int32_t substep = 0; substep < time->substeps; ++substep)
	{
		work.isFirstSubstep = substep == 0;
		brParallelFor(workers, dynamics->stateCount, 512, solveForces, &work);
		if (work.isFirstSubstep)
		{
			brSolver_WarmStartJoints(dynamics, joints, jointCount);
			solvePass(&work, solvePassWarm);
		}
		if (dynamics->step.hasBounces)
		{
			solvePass(&work, solvePassHits);
			if (brSolver_Bounce(dynamics, time))
			{
				solveFollow(&work);
			}
		}
		brSolver_SolveJoints(dynamics, joints, jointCount, time->h, true);
		solvePass(&work, solvePassBiased);
		brParallelFor(workers, dynamics->stateCount, 512, solveMove, &work);
		if (dynamics->step.hasTops)
		{
			solveFollow(&work);
		}
		brSolver_SolveJoints(dynamics, joints, jointCount, time->h, false);
		solvePass(&work, solvePassRelax);
	}
	dynamics->jointWorkCount = jointCount;
}

void brDynamics_StoreImpulses(brDynamics* dynamics, const brStepTime* time)
{
	solveStore(dynamics, time);
	brSolver_StoreJoints(dynamics, dynamics->jointWork.data, dynamics->jointWorkCount, time->h);
}
