// SPDX-License-Identifier: MIT

// Bounces, each at the moment of the hit.
//
// At the start of a substep, after forces and before contacts are solved, everything flies along its parabola. Pairs
// that come to touch in it fast enough to bounce are taken in the order of their hits; what a body hits at the same
// time is one hit (bounce_hit.c). Neighbors that its bodies now run into hit next, at their time; so a blow goes
// through a row of balls one by one, whether they touch or not. What a body moved before the hit it moved with its old
// velocity, so nothing of the substep is lost.
//
// Hits are few. They are solved in double, on one thread.

#include "dynamics/bounce.h"
#include "dynamics/tuning.h"

#include <string.h>

typedef struct BounceHit
{
	double time;     // from the start of the substep [s]
	int32_t lane;    // of all blocks
	int32_t version; // of the lane; later ones have taken its place
} BounceHit;

// Hits that wait, the first one on top.
typedef struct BounceHeap
{
	BounceHit* hits;
	int32_t count, capacity;
} BounceHeap;

static bool bounceIsBefore(const BounceHit* a, const BounceHit* b)
{
	return a->time < b->time || (a->time == b->time && a->lane < b->lane);
}

static void bouncePush(BounceHeap* heap, BounceHit hit)
{
	if (heap->count == heap->capacity)
	{
		return; // left to the solver
	}
	int32_t at = heap->count++;
	while (at > 0 && bounceIsBefore(&hit, &heap->hits[(at - 1) / 2]))
	{
		heap->hits[at] = heap->hits[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap->hits[at] = hit;
}

static BounceHit bouncePop(BounceHeap* heap)
{
	BounceHit top = heap->hits[0], last = heap->hits[--heap->count];
	int32_t at = 0;
	for (int32_t child = 1; child < heap->count; child = 2 * at + 1)
	{
		child += child + 1 < heap->count && bounceIsBefore(&heap->hits[child + 1], &heap->hits[child]);
		if (!bounceIsBefore(&heap->hits[child], &last))
		{
			break;
		}
		heap->hits[at] = heap->hits[child];
		at = child;
	}
	heap->hits[at] = last;
	return top;
}

void brBounce_Motion(const brBounce* bounce, int32_t index, brDVec3* outVelocity, brDVec3* outSpin)
{
	const brSolverState* state = (const brSolverState*)bounce->dynamics->states.data + index;
	const brSolverBody* body = (const brSolverBody*)bounce->dynamics->stateBodies.data + index;
	*outVelocity = body->isDynamic ? brToDVec3(body->baseVelocity) : brBounce_Read(state->velocity);
	*outSpin = body->isDynamic ? brToDVec3(body->baseSpin) : brBounce_Read(state->spin);
}

brBounceWay brBounce_Way(const brBounce* bounce, const brContactBlock* block, int32_t lane)
{
	const brSolverState* states = bounce->dynamics->states.data;
	const brSolverBody* bodies = bounce->dynamics->stateBodies.data;
	brBounceWay way = {.normal = brBounce_ReadLane(block->normal, lane)};
	for (int side = 0; side < 2; ++side)
	{
		int32_t index = side == 0 ? block->stateA[lane] : block->stateB[lane];
		double sign = side == 0 ? -1.0 : 1.0;
		double pull = bodies[index].isDynamic ? brDDot(way.normal, brToDVec3(bodies[index].push)) : 0.0;
		brDVec3 velocity, spin;
		brBounce_Motion(bounce, index, &velocity, &spin);
		way.moved += sign * brDDot(way.normal, brBounce_Read(states[index].moved));
		way.speed += sign * (brDDot(way.normal, velocity) - pull);
		way.pull += sign * pull / bounce->h;
		way.turned[side] = brDMul(sign, brBounce_Read(states[index].turned));
		way.spin[side] = brDMul(sign, spin);
	}
	return way;
}

// When the first point of a lane hits fast enough, or INFINITY.
static double bounceTime(const brBounce* bounce, int32_t index)
{
	const brContactBlock* block = brBounce_Block(bounce, index);
	int32_t lane = index % BR_SOLVER_LANES;
	double first = INFINITY, limit = (double)brDynamics_BounceSpeed(bounce->dynamics, block->restitution[lane]);
	brBounceWay both = brBounce_Way(bounce, block, lane);
	for (int32_t k = 0; k < block->pointCount; ++k)
	{
		brBounceArms arms = brBounceWay_Arms(&both, &block->points[k], lane);
		double speed = brBounceWay_Speed(&both, &arms), pull = both.pull;
		double v = speed + bounce->now * pull, left = bounce->h - bounce->now;
		if (v >= -limit && v + left * pull >= -limit)
		{
			continue; // too slow all the way
		}
		double separation = brBounceWay_Separation(&both, &arms, &block->points[k], lane);
		double s = separation + bounce->now * (speed + 0.5 * bounce->now * pull);
		// From here on along its parabola: s + v t + g t^2 / 2 = 0, the first root.
		double square = v * v - 2.0 * pull * s;
		double root = square > 0.0 ? sqrt(square) : 0.0;
		double t = s > 0.0 ? (v - root < 0.0 ? 2.0 * s / (root - v) : left) : 0.0;
		// What the solver would stop short of the surface hits too.
		double fastest = speed + bounce->h * pull;
		bool isHit = t < left || separation + BR_BOUNCE_AHEAD * bounce->h * fastest <= 0.0;
		t = fmin(t, left);
		isHit = isHit && block->points[k].mass[lane] > 0.0f && v + t * pull < -limit;
		first = isHit ? fmin(first, bounce->now + t) : first;
	}
	return first;
}

static void bounceAsk(brBounce* bounce, BounceHeap* heap, int32_t index)
{
	brBounceLane* lane = &bounce->lanes[index];
	double time = lane->hits < BR_BOUNCE_REPEATS ? bounceTime(bounce, index) : INFINITY;
	lane->version += 1;
	lane->isWaiting = time < INFINITY;
	if (lane->isWaiting)
	{
		bouncePush(heap, (BounceHit){time, index, lane->version});
	}
}

// Who has which lanes.
static void bounceLinks(brBounce* bounce)
{
	brDynamics* dynamics = bounce->dynamics;
	int32_t stateCount = dynamics->stateCount, laneCount = BR_SOLVER_LANES * dynamics->blockCount;
	memset(bounce->starts, 0, sizeof(int32_t) * (size_t)(stateCount + 1));
	for (int pass = 0; pass < 2; ++pass)
	{
		for (int32_t i = laneCount - 1; i >= 0; --i)
		{
			const brContactBlock* block = brBounce_Block(bounce, i);
			int32_t lane = i % BR_SOLVER_LANES;
			for (int side = 0; side < 2 && block->manifold[lane] >= 0; ++side)
			{
				int32_t state = side == 0 ? block->stateA[lane] : block->stateB[lane];
				if (state == BR_REST_STATE)
				{
					continue;
				}
				if (pass == 0)
				{
					bounce->starts[state] += 1;
				}
				else
				{
					bounce->items[--bounce->starts[state]] = i;
				}
			}
		}
		for (int32_t i = 0; i < stateCount && pass == 0; ++i)
		{
			bounce->starts[i + 1] += bounce->starts[i];
		}
	}
	// Ends have become beginnings; the end of the last state is where it was.
}

bool brSolver_ReserveBounces(brDynamics* dynamics, int64_t blocks)
{
	const brAllocator* allocator = &dynamics->allocator;
	int64_t lanes = BR_SOLVER_LANES * blocks;
	return brStageMemory_Ensure(&dynamics->bounceHits, allocator, 4 * lanes + 64, sizeof(BounceHit)) &&
		   brStageMemory_Ensure(&dynamics->bounceLanes, allocator, lanes, sizeof(brBounceLane)) &&
		   brStageMemory_Ensure(&dynamics->bounceLinks, allocator, 2 * lanes + dynamics->bodies.count + 2,
								sizeof(int32_t));
}

bool brSolver_Bounce(brDynamics* dynamics, const brStepTime* time, double* now)
{
	int32_t laneCount = BR_SOLVER_LANES * dynamics->blockCount;
	brBounce bounce = {.dynamics = dynamics,
					   .h = time->h,
					   .dt = time->dt,
					   .now = *now,
					   .lanes = dynamics->bounceLanes.data,
					   .starts = dynamics->bounceLinks.data};
	BounceHeap heap = {.hits = dynamics->bounceHits.data, .capacity = 4 * laneCount + 64};
	bounce.items = bounce.starts + dynamics->stateCount + 1;
	const brContactBlock* blocks = dynamics->blocks.data;
	for (int32_t i = 0; i < dynamics->blockCount; ++i)
	{
		for (uint32_t bits = blocks[i].hits; bits != 0; bits &= bits - 1)
		{
			if (*now > 0.0 && !(blocks[i].restitution[__builtin_ctz(bits)] > BR_BOUNCE_HALF))
			{
				continue;
			}
			if (heap.count == 0)
			{
				memset(bounce.lanes, 0, sizeof(brBounceLane) * (size_t)laneCount);
			}
			bounceAsk(&bounce, &heap, BR_SOLVER_LANES * i + __builtin_ctz(bits));
		}
	}
	if (heap.count == 0)
	{
		return false;
	}
	if (!dynamics->step.areLinked)
	{
		bounceLinks(&bounce);
		dynamics->step.areLinked = true;
	}
	while (heap.count > 0)
	{
		BounceHit hit = bouncePop(&heap);
		if (hit.version != bounce.lanes[hit.lane].version)
		{
			continue;
		}
		bounce.now = hit.time;
		brBounce_Hit(&bounce, hit.lane);
		for (int32_t k = 0; k < bounce.bodyCount; ++k)
		{
			int32_t state = bounce.bodies[k].state;
			bool isMoved = bounce.bodies[k].isDynamic;
			for (int32_t i = bounce.starts[state]; isMoved && i < bounce.starts[state + 1]; ++i)
			{
				bounceAsk(&bounce, &heap, bounce.items[i]);
			}
		}
	}
	*now = bounce.now;
	dynamics->step.hasTops = dynamics->step.hasTops || bounce.isTopHit;
	return bounce.isTopHit;
}
