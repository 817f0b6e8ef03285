// SPDX-License-Identifier: MIT

// The substeps. Each: forces, warm start, bounces, normals with a push, move, normals without and friction.
//
// The sum of all impulses of a substep on a body is u = v_end - b, where b is its velocity after forces and before
// impulses. Anchors and inertia do not change inside a step but for tops (tops.c), so warm starting the next substep
// with the same impulses adds the same u: a pass over bodies does what a pass over contacts would. Only the first
// substep needs one over contacts.

#include "base/clock.h"
#include "base/cpu.h"
#include "base/phases.h"
#include "dynamics/solver.h"
#include "dynamics/tuning.h"

// Below this a color is not worth sharing; workers get so many parts of a color each, of so many blocks at least.
#define SOLVE_PARALLEL_BLOCKS 24
#define SOLVE_BLOCK_SIZE 8
#define SOLVE_PARTS 2
#define SOLVE_BODIES 256
#define SOLVE_HIT_BLOCKS 64
#define SOLVE_MOST 1024 // parts of a pass

// Passes of a substep that need nothing in between: four over contacts, each with a phase a color, and the passes over
// bodies.
#define SOLVE_PHASES (4 * (BR_SOLVER_COLORS + 4))

// A pass over some blocks, or over bodies, in parts that do not touch each other's bodies.
typedef struct SolvePhase
{
	brSolverPass pass;
	int32_t first, count, size; // blocks or bodies; of a part
	bool isFollowing;           // contacts have to follow tops in the relaxing pass
	int32_t followBits;         // of which blocks they do in the pass for that
} SolvePhase;

// So often hits of a substep are looked for again while tops are hit.
#define SOLVE_TOP_ROUNDS 4

typedef struct SolveWork
{
	brDynamics* dynamics;
	const brSolverKernels* kernels;
	const brStepTime* time;
	SolvePhase phases[SOLVE_PHASES]; // that wait to be run
	int32_t ends[SOLVE_PHASES];
	int32_t phaseCount;
	bool isFollowing;
	int32_t followBits;
	// With a device: contacts are solved there, and bodies move there unless something here asks for them in each
	// substep.
	const brSolverDevice* device; // or null
	bool areBodiesThere;          // there are neither joints nor tops
	bool areStatesThere;          // the newest
	bool haveFollowed;            // contacts here have followed tops, those there not yet
	bool haveForgotten;           // likewise impulses of contacts with tops
	bool isLost;                  // the device no longer answers
} SolveWork;

static void solveForces(const SolveWork* work, int32_t begin, int32_t end, bool isFirst)
{
	brDynamics* dynamics = work->dynamics;
	brSolverState* states = dynamics->states.data;
	brSolverBody* bodies = dynamics->stateBodies.data;
	for (int32_t i = begin; i < end; ++i)
	{
		if (bodies[i].isDynamic)
		{
			const brBodyFrame* frame = &brDynamics_Frames(dynamics)[bodies[i].body];
			brSolverAxes axes = {frame->x, frame->y, frame->z};
			brSolver_Force(&states[i], &bodies[i], &axes, (float)work->time->h, isFirst);
		}
	}
}

static void solveMove(const SolveWork* work, int32_t begin, int32_t end)
{
	brSolverState* states = work->dynamics->states.data;
	brSolverBody* bodies = work->dynamics->stateBodies.data;
	float h = (float)work->time->h;
	for (int32_t i = begin; i < end; ++i)
	{
		brSolverBody* body = &bodies[i];
		brSolver_Move(&states[i], body, h);
		if (body->isTop)
		{
			brSolver_TurnTop(work->dynamics, i, work->time->h, work->time->dt);
		}
	}
}

static void solvePart(const SolveWork* work, const SolvePhase* phase, int32_t first, int32_t count)
{
	brDynamics* dynamics = work->dynamics;
	brContactBlock* blocks = (brContactBlock*)dynamics->blocks.data + first;
	brSolverState* states = dynamics->states.data;
	float invH = (float)(1.0 / work->time->h);
	switch (phase->pass)
	{
		case br_solverFirstForces:
		case br_solverForces:
			solveForces(work, first, first + count, phase->pass == br_solverFirstForces);
			break;
		case br_solverMove:
			solveMove(work, first, first + count);
			break;
		case br_solverTurns:
			brSolver_MakeTurns(dynamics, first, first + count);
			break;
		case br_solverBookBefore:
			brDynamics_BookBefore(dynamics, first, first + count);
			break;
		case br_solverBookAfter:
			brDynamics_BookAfter(dynamics, first, first + count);
			break;
		case br_solverBookBlocks:
			brDynamics_BookBlocks(dynamics, first, first + count);
			break;
		case br_solverWarm:
			work->kernels->warmStart(blocks, count, states);
			break;
		case br_solverBiased:
			work->kernels->solveBiased(blocks, count, states, invH);
			break;
		case br_solverRelax:
			// Where contacts follow tops each block is read once for both.
			for (int32_t i = 0; phase->isFollowing && i < count; ++i)
			{
				work->kernels->follow(&blocks[i], 1, dynamics->turns.data, dynamics->stateBodies.data,
									  BR_BLOCK_HAS_TOP);
				work->kernels->relax(&blocks[i], 1, states, invH);
			}
			if (!phase->isFollowing)
			{
				work->kernels->relax(blocks, count, states, invH);
			}
			break;
		case br_solverHits:
			work->kernels->findHits(blocks, count, states, (float)(BR_BOUNCE_AHEAD * work->time->h));
			break;
		case br_solverFollow:
			work->kernels->follow(blocks, count, dynamics->turns.data, dynamics->stateBodies.data, phase->followBits);
			break;
		case br_solverForget:
			for (int32_t i = 0; i < count; ++i)
			{
				brSolver_ForgetTops(dynamics, &blocks[i]);
			}
			break;
		default:
			break;
	}
}

static void solveItem(int32_t index, int32_t item, void* user)
{
	const SolveWork* work = user;
	const SolvePhase* phase = &work->phases[index];
	int32_t part = item - (index > 0 ? work->ends[index - 1] : 0), begin = part * phase->size;
	int32_t left = phase->count - begin;
	solvePart(work, phase, phase->first + begin, left < phase->size ? left : phase->size);
}

// Runs what waits.
static void solveRun(SolveWork* work)
{
	brParallelPhases(work->dynamics->context.workers, work->ends, work->phaseCount, solveItem, work);
	work->phaseCount = 0;
}

static void solveAdd(SolveWork* work, brSolverPass pass, int32_t first, int32_t count, int32_t size)
{
	if (count <= 0)
	{
		return;
	}
	int32_t least = (count + SOLVE_MOST - 1) / SOLVE_MOST;
	size = size < least ? least : size;
	int32_t items = (count + size - 1) / size, waiting = work->phaseCount > 0 ? work->ends[work->phaseCount - 1] : 0;
	if (work->phaseCount == SOLVE_PHASES || waiting + items > BR_PHASES_ITEMS)
	{
		solveRun(work);
	}
	int32_t at = work->phaseCount++;
	work->phases[at] = (SolvePhase){.pass = pass,
									.first = first,
									.count = count,
									.size = size,
									.isFollowing = work->isFollowing,
									.followBits = work->followBits};
	work->ends[at] = (at > 0 ? work->ends[at - 1] : 0) + items;
}

// One pass over all blocks, color by color. Blocks of a color share no body that moves, so their order does not matter.
// Small colors, which are the last, are one part with what found no color: done in order.
static void solveBlocksHere(SolveWork* work, brSolverPass pass)
{
	const brColorRange* ranges = work->dynamics->ranges.data;
	int32_t rangeCount = work->dynamics->rangeCount, small = -1;
	int32_t parts = SOLVE_PARTS * brWorkers_GetCount(work->dynamics->context.workers);
	for (int32_t i = 0; i < rangeCount; ++i)
	{
		int32_t count = ranges[i].end - ranges[i].begin;
		bool isSmall = ranges[i].isSerial || count < SOLVE_PARALLEL_BLOCKS;
		small = isSmall && small < 0 ? ranges[i].begin : small;
		if (!isSmall)
		{
			if (small >= 0)
			{
				solveAdd(work, pass, small, ranges[i].begin - small, ranges[i].begin - small);
				small = -1;
			}
			int32_t size = (count + parts - 1) / parts;
			solveAdd(work, pass, ranges[i].begin, count, size < SOLVE_BLOCK_SIZE ? SOLVE_BLOCK_SIZE : size);
		}
	}
	if (small >= 0)
	{
		int32_t count = ranges[rangeCount - 1].end - small;
		solveAdd(work, pass, small, count, count);
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

// A contact is a spring and gives way under its load by load / (mass * stiffness): a splinter under a brick would rest
// in the floor. What it gives way by is measured and taken off, so slowly that nothing rocks, and slower the more times
// its own weight it carries. Never more than the spring explains: what is deep for another reason is pushed out by the
// spring itself. Meanwhile the bodies stay awake, for a while.
static void solveLift(brDynamics* dynamics, const brContactBlock* block, int32_t lane, const brStepTime* time,
					  brContact* contact, brManifold* manifold)
{
	float gravity = (float)brDLength(dynamics->def.gravity);
	// By how deep the spring at each point must be to carry what it does: a load at the end of a plank turns it too.
	float load = 0.0f, depth = 0.0f, levers = 0.0f;
	for (int32_t k = 0; k < manifold->pointCount; ++k)
	{
		float impulse = block->points[k].impulse[lane], mass = block->points[k].mass[lane];
		load += impulse;
		depth -= impulse * (block->points[k].separation[lane] + manifold->lift);
		levers += mass > 0.0f ? impulse * impulse / mass : 0.0f;
	}
	if (!(load > 0.0f))
	{
		manifold->lift = 0.0f;
		return;
	}
	float speed = levers / load; // that the load of a substep would give where it acts
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
	float own = fminf(weights * gravity * (float)time->h * soft,
					  fmaxf((float)BR_SUNK_LEAST, (float)BR_SUNK_THICKNESS * thickness));
	float allowed = fmaxf(own, isBurdened ? 0.0f : BR_LIFT_THICKNESS * thickness);
	float excess = depth / load - allowed;
	// What is wedged in is pressed by more than any weight; lifted, it would be pressed the more, until it slips and
	// jumps.
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

// What contacts carried goes back to their manifolds. The lanes that a load may lift are left in `hits`.
static void solveStoreBlocks(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brDynamics* dynamics = user;
	for (int32_t i = begin; i < end; ++i)
	{
		brContactBlock* block = (brContactBlock*)dynamics->blocks.data + i;
		block->hits = 0;
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
			manifold->isLifting = 0;
			bool isHeld = solveIsHeld(dynamics, brDynamics_ContactOf(dynamics, block->manifold[lane]));
			block->hits |= (uint8_t)(isHeld << lane);
			manifold->lift *= isHeld ? 1.0f : BR_LIFT_KEPT;
		}
	}
}

static void solveStore(brDynamics* dynamics, const brStepTime* time)
{
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		const brBodyFrame* frame = &brDynamics_Frames(dynamics)[i];
		dynamics->bodies.data[i].weight = frame->state >= 0 ? frame->weight : dynamics->bodies.data[i].weight;
	}
	solveFindBurdened(dynamics);
	dynamics->burdenRatio = 0.0f;
	brParallelFor(dynamics->context.workers, dynamics->blockCount, 16, solveStoreBlocks, dynamics);
	// Manifolds of one pair share what they were lifted by.
	const brContactBlock* blocks = dynamics->blocks.data;
	for (int32_t i = 0; i < dynamics->blockCount; ++i)
	{
		for (uint32_t bits = blocks[i].hits; bits != 0; bits &= bits - 1)
		{
			int32_t lane = __builtin_ctz(bits), index = blocks[i].manifold[lane];
			solveLift(dynamics, &blocks[i], lane, time, brDynamics_ContactOf(dynamics, index),
					  brDynamics_Manifold(dynamics, index));
		}
	}
}

// The newest states to where they are needed. Contacts follow tops here, and go along once they have.
static void solveBring(SolveWork* work, bool isThere)
{
	const brSolverDevice* device = work->device;
	if (device == NULL || work->areStatesThere == isThere || work->isLost)
	{
		return;
	}
	if (isThere)
	{
		brSolverPart part = work->haveFollowed    ? br_solverAll
							: work->haveForgotten ? br_solverImpulses
												  : br_solverStates;
		work->isLost = !device->send(device->user, work->dynamics, part);
		work->haveFollowed = work->haveForgotten = false;
	}
	else
	{
		brSolverPart part = work->dynamics->step.hasTops ? br_solverImpulses : br_solverStates;
		work->isLost = !device->fetch(device->user, work->dynamics, part);
	}
	work->areStatesThere = isThere;
}

static void solveOnDevice(SolveWork* work, brSolverPass pass)
{
	solveBring(work, true);
	if (!work->isLost)
	{
		work->isLost = !work->device->pass(work->device->user, pass);
	}
}

// What a device does comes at once, and so does what goes before and after it.
static void solveRunForDevice(SolveWork* work)
{
	if (work->device != NULL)
	{
		solveRun(work);
	}
}

static void solveBlocks(SolveWork* work, brSolverPass pass)
{
	if (work->device != NULL)
	{
		solveOnDevice(work, pass);
	}
	else if (pass == br_solverHits)
	{
		solveAdd(work, pass, 0, work->dynamics->blockCount, SOLVE_HIT_BLOCKS); // changes no body
	}
	else
	{
		solveBlocksHere(work, pass);
	}
}

static void solveBodies(SolveWork* work, brSolverPass pass)
{
	if (work->device != NULL && work->areBodiesThere)
	{
		solveOnDevice(work, pass);
		return;
	}
	solveBring(work, false);
	solveAdd(work, pass, 0, work->dynamics->stateCount, SOLVE_BODIES);
	solveRunForDevice(work);
}

static void solveJoints(SolveWork* work, bool isBiased)
{
	if (work->dynamics->jointWorkCount > 0)
	{
		solveBring(work, false);
		solveRun(work);
		brSolver_SolveJoints(work->dynamics, work->dynamics->jointWork.data, work->dynamics->jointWorkCount,
							 work->time->h, isBiased);
	}
}

// What turns fast takes its contacts along: at once, or with the next relaxing pass, which looks at them all anyway.
// This is not for devices.
static void solveFollow(SolveWork* work, bool isRelaxed)
{
	work->followBits = isRelaxed ? BR_BLOCK_HAS_TOP : BR_BLOCK_IS_HIT;
	if (!work->dynamics->step.hasTops || work->isLost)
	{
		return;
	}
	solveBring(work, false);
	solveAdd(work, br_solverTurns, 0, work->dynamics->stateCount, SOLVE_BODIES);
	work->isFollowing = isRelaxed && work->device == NULL;
	if (!work->isFollowing)
	{
		solveBlocksHere(work, br_solverFollow);
		solveRunForDevice(work);
		work->haveFollowed = true;
	}
}

static void solveForget(SolveWork* work)
{
	if (work->dynamics->step.hasTops && !work->isLost)
	{
		solveBring(work, false);
		solveBlocksHere(work, br_solverForget);
		solveRunForDevice(work);
		work->haveForgotten = true;
	}
}

// Hits are few: a device says whether there are any, and then what they are about comes here and goes back. True if a
// top was hit.
static bool solveHits(SolveWork* work, double* now)
{
	const brSolverDevice* device = work->device;
	solveBlocks(work, br_solverHits);
	if (device != NULL && !work->isLost)
	{
		bool isAny = false;
		work->isLost = !device->fetchHits(device->user, work->dynamics, &isAny) ||
					   (isAny && !device->fetch(device->user, work->dynamics, br_solverImpulses));
		if (!isAny || work->isLost)
		{
			return false;
		}
		work->areStatesThere = false;
	}
	solveRun(work);
	bool isTopHit = brSolver_Bounce(work->dynamics, work->time, now);
	if (isTopHit)
	{
		work->areBodiesThere = false; // there is a top now
		solveFollow(work, false);
	}
	if (device != NULL)
	{
		brSolverPart part = work->haveFollowed ? br_solverAll : br_solverImpulses;
		work->isLost = !device->send(device->user, work->dynamics, part);
		work->haveFollowed = false;
		work->areStatesThere = true;
	}
	return isTopHit;
}

// Points of a top go round, so one that would just not have touched may do so once they have followed it; the solver
// would stop it there, which is as good for what loses most of its speed anyway.
static void solveBounces(SolveWork* work)
{
	double now = 0.0;
	for (int32_t round = 0; round < SOLVE_TOP_ROUNDS && solveHits(work, &now); ++round)
	{
		if (now > 0.0 && !work->dynamics->step.isElastic)
		{
			break; // nothing would be found
		}
	}
}

// Where the energy of a substep went.
static void solveBook(SolveWork* work)
{
	brDynamics* dynamics = work->dynamics;
	solveAdd(work, br_solverBookAfter, 0, dynamics->stateCount, SOLVE_BODIES);
	if (dynamics->step.hasDrivers)
	{
		solveRun(work);
		brDynamics_BookDriven(dynamics);
	}
	solveAdd(work, br_solverBookBlocks, 0, dynamics->blockCount, SOLVE_HIT_BLOCKS); // changes no body
}

bool brDynamics_Solve(brDynamics* dynamics, const brStepTime* time)
{
	SolveWork work = {.dynamics = dynamics, .kernels = brGetSolverKernels(dynamics->def.lanes), .time = time};
	dynamics->jointWorkCount = 0;
	if (dynamics->jointCount > 0)
	{
		dynamics->jointWorkCount = brSolver_PrepareJoints(dynamics, dynamics->jointWork.data);
	}
	bool isWorthIt = dynamics->blockCount > 0 && dynamics->blockCount >= dynamics->solver.fewest;
	work.device = dynamics->solver.begin != NULL && isWorthIt ? &dynamics->solver : NULL;
	work.areBodiesThere = dynamics->jointWorkCount == 0 && !dynamics->step.hasTops;
	if (work.device != NULL)
	{
		work.isLost = !work.device->begin(work.device->user, dynamics, time);
		work.areStatesThere = true;
	}
	dynamics->step.hits = (brEnergyBooks){0};
	dynamics->step.whirling = 0.0;
	dynamics->step.areLinked = false;
	// Where contacts follow what turns, or bodies hit each other, a step is too long for the books.
	bool isBooked = work.device == NULL && (dynamics->step.hasBounces || dynamics->step.hasTops);
	dynamics->step.areContactsBooked = isBooked;
	for (int32_t substep = 0; substep < time->substeps && !work.isLost; ++substep)
	{
		bool isFirst = substep == 0;
		if (isBooked)
		{
			solveAdd(&work, br_solverBookBefore, 0, dynamics->stateCount, SOLVE_BODIES);
		}
		solveBodies(&work, isFirst ? br_solverFirstForces : br_solverForces);
		if (isFirst)
		{
			solveBring(&work, dynamics->jointWorkCount == 0);
			solveRun(&work);
			brSolver_WarmStartJoints(dynamics, dynamics->jointWork.data, dynamics->jointWorkCount);
			solveBlocks(&work, br_solverWarm);
		}
		if (dynamics->step.hasBounces)
		{
			solveBounces(&work);
		}
		solveJoints(&work, true);
		solveBlocks(&work, br_solverBiased);
		solveBodies(&work, br_solverMove);
		solveFollow(&work, true);
		solveJoints(&work, false);
		solveBlocks(&work, br_solverRelax);
		work.isFollowing = false;
		if (isBooked)
		{
			solveBook(&work);
		}
		solveForget(&work);
	}
	solveRun(&work);
	if (work.device != NULL && !work.isLost && work.areStatesThere)
	{
		work.isLost = !work.device->fetch(work.device->user, dynamics, br_solverImpulses);
	}
	return !work.isLost;
}

void brDynamics_StoreImpulses(brDynamics* dynamics, const brStepTime* time)
{
	solveStore(dynamics, time);
	brSolver_StoreJoints(dynamics, dynamics->jointWork.data, dynamics->jointWorkCount, time->h);
}
