// SPDX-License-Identifier: MIT

// Bounces, each at the moment of the hit.
//
// At the start of a substep, after forces and before contacts are solved, everything flies along its parabola. Pairs that come to touch in it fast
// enough to bounce are taken in the order of their hits, those at the same time in the order of contacts. A hit exchanges impulses so that every
// touching point of the pair leaves with restitution times the speed it came with, all points together: nothing turns that fell flat. Friction
// then holds with its part of that impulse. Neighbors that the two now run into hit next, at their time; so a blow goes through a row of balls
// one by one, whether they touch or not. What a body moved before the hit it moved with its old velocity, so nothing of the substep is lost.
//
// With v- and v+ the normal speeds of the points before and after, impulses P >= 0 solve v+ >= -e v-, P . (v+ + e v-) = 0 (Moreau). Then the
// energy changes by (1-e)/2 P . v-, which is never positive.
//
// What a body rests on stands firm at once and not one after the other: contacts that carry a load and lead to something static take part with
// e = 0 and a neighbor that does not move. A ball so bounces off a tile on the ground as off the ground.
//
// Hits are few. They are solved in double, on one thread.

#include "dynamics/least_push.h"
#include "dynamics/solver.h"
#include "dynamics/tuning.h"

#include <string.h>

#define BOUNCE_ROWS 48
#define BOUNCE_SWEEPS 200
#define BOUNCE_ACCURACY 1e-11 // of the speed of the hit
#define BOUNCE_GAIN 1e-9      // of the energy that goes through it

// A pair may hit this often in a substep: what is squeezed between others and never loses energy would go on for ever.
#define BOUNCE_REPEATS 8

// Points this near to the surface when the first one hits, in contact margins, hit with it.
#define BOUNCE_LEVEL 0.25

#define BOUNCE_BELOW 0.5 // cosine: what lies within 60 degrees of straight below carries

typedef struct BounceHit
{
	double time;     // from the start of the substep [s]
	int32_t lane;    // of all blocks
	int32_t version; // of the lane; later ones have taken its place
} BounceHit;

typedef struct BounceLane
{
	int32_t version, hits;
} BounceLane;

// Velocities of the two bodies of a hit, at its time.
typedef struct BounceBody
{
	int32_t state;
	bool isDynamic;
	bool isCarried; // its points are turned along with it
	double invMass;
	brMat3 invInertia;
	brDVec3 velocity, spin;
	brQuat rotation; // of a top
	brQuat turn;     // since the start of the substep, likewise
} BounceBody;

// One point. The directions in which it moves the two bodies; zero for one that it does not move.
typedef struct BounceRow
{
	brDVec3 along[2], about[2], turn[2]; // turn: inverse inertia times about
	double invMass, before, wanted, impulse;
	brPointLanes* point;
	int32_t lane; // of its block
} BounceRow;

typedef struct Bounce
{
	brDynamics* dynamics;
	double h, dt;
	bool isTopHit;
	BounceHit* heap;
	BounceLane* lanes;
	int32_t* starts; // by state, into `items`
	int32_t* items;  // lanes of a state
	int32_t heapCount, heapCapacity;
	double now;
	BounceBody bodies[2];
	BounceRow rows[BOUNCE_ROWS];
	int32_t rowCount;
} Bounce;

static brContactBlock* bounceBlock(const Bounce* bounce, int32_t lane)
{
	return (brContactBlock*)bounce->dynamics->blocks.data + lane / BR_SOLVER_LANES;
}

static brDVec3 bounceRead(const float a[3])
{
	return brMakeDVec3(a[0], a[1], a[2]);
}

static brDVec3 bounceLane(const brLanes a[3], int32_t lane)
{
	return brMakeDVec3(a[0][lane], a[1][lane], a[2][lane]);
}

static bool bounceIsBefore(const BounceHit* a, const BounceHit* b)
{
	return a->time < b->time || (a->time == b->time && a->lane < b->lane);
}

static void bouncePush(Bounce* bounce, BounceHit hit)
{
	if (bounce->heapCount == bounce->heapCapacity)
	{
		return; // left to the solver
	}
	int32_t at = bounce->heapCount++;
	while (at > 0 && bounceIsBefore(&hit, &bounce->heap[(at - 1) / 2]))
	{
		bounce->heap[at] = bounce->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	bounce->heap[at] = hit;
}

static BounceHit bouncePop(Bounce* bounce)
{
	BounceHit top = bounce->heap[0], last = bounce->heap[--bounce->heapCount];
	int32_t at = 0;
	for (int32_t child = 1; child < bounce->heapCount; child = 2 * at + 1)
	{
		child += child + 1 < bounce->heapCount && bounceIsBefore(&bounce->heap[child + 1], &bounce->heap[child]);
		if (!bounceIsBefore(&bounce->heap[child], &last))
		{
			break;
		}
		bounce->heap[at] = bounce->heap[child];
		at = child;
	}
	bounce->heap[at] = last;
	return top;
}

// How a body moves before the loads of this substep act on it. What they add is taken away again where others hold it, and in a jam they are far
// from each other's balance: what moves by them alone hits nothing.
static void bounceMotion(const Bounce* bounce, int32_t index, brDVec3* outVelocity, brDVec3* outSpin)
{
	const brSolverState* state = (const brSolverState*)bounce->dynamics->states.data + index;
	const brSolverBody* body = (const brSolverBody*)bounce->dynamics->stateBodies.data + index;
	*outVelocity = body->isDynamic ? brToDVec3(body->baseVelocity) : bounceRead(state->velocity);
	*outSpin = body->isDynamic ? brToDVec3(body->baseSpin) : bounceRead(state->spin);
}

// Separation at the start of the substep, speed then, and pull along the normal of a point. Bodies that hit something meanwhile are where they
// would have come from.
static void bouncePoint(const Bounce* bounce, const brContactBlock* block, int32_t k, int32_t lane, double out[3])
{
	const brSolverState* states = bounce->dynamics->states.data;
	const brSolverBody* bodies = bounce->dynamics->stateBodies.data;
	const brPointLanes* point = &block->points[k];
	brDVec3 n = bounceLane(block->normal, lane);
	out[0] = point->separation[lane], out[1] = out[2] = 0.0;
	for (int side = 0; side < 2; ++side)
	{
		int32_t index = side == 0 ? block->stateA[lane] : block->stateB[lane];
		const brSolverState* state = &states[index];
		double sign = side == 0 ? -1.0 : 1.0;
		brDVec3 about = brDCross(bounceLane(side == 0 ? point->anchorA : point->anchorB, lane), n);
		double pull = bodies[index].isDynamic ? brDDot(n, brToDVec3(bodies[index].push)) : 0.0;
		out[0] += sign * (brDDot(n, bounceRead(state->moved)) + brDDot(about, bounceRead(state->turned)));
		brDVec3 velocity, spin;
		bounceMotion(bounce, index, &velocity, &spin);
		out[1] += sign * (brDDot(n, velocity) + brDDot(about, spin) - pull);
		out[2] += sign * pull / bounce->h;
	}
}

// When the first point of a lane hits fast enough, or INFINITY.
static double bounceTime(const Bounce* bounce, int32_t index)
{
	const brContactBlock* block = bounceBlock(bounce, index);
	int32_t lane = index % BR_SOLVER_LANES;
	double first = INFINITY, limit = (double)brDynamics_BounceSpeed(bounce->dynamics, block->restitution[lane]);
	for (int32_t k = 0; k < block->pointCount; ++k)
	{
		double way[3];
		bouncePoint(bounce, block, k, lane, way);
		double s = way[0] + bounce->now * (way[1] + 0.5 * bounce->now * way[2]), v = way[1] + bounce->now * way[2];
		double left = bounce->h - bounce->now;
		// From here on along its parabola: s + v t + g t^2 / 2 = 0, the first root.
		double square = v * v - 2.0 * way[2] * s;
		double root = square > 0.0 ? sqrt(square) : 0.0;
		double t = s > 0.0 ? (v - root < 0.0 ? 2.0 * s / (root - v) : left) : 0.0;
		// What the solver would stop short of the surface hits too.
		double fastest = way[1] + bounce->h * way[2];
		bool isHit = t < left || way[0] + BR_BOUNCE_AHEAD * bounce->h * fastest <= 0.0;
		t = fmin(t, left);
		isHit = isHit && block->points[k].mass[lane] > 0.0f && v + t * way[2] < -limit;
		first = isHit ? fmin(first, bounce->now + t) : first;
	}
	return first;
}

static void bounceAsk(Bounce* bounce, int32_t lane)
{
	double time = bounceTime(bounce, lane);
	bounce->lanes[lane].version += 1;
	if (time < INFINITY && bounce->lanes[lane].hits < BOUNCE_REPEATS)
	{
		bouncePush(bounce, (BounceHit){time, lane, bounce->lanes[lane].version});
	}
}

// Who has which lanes.
static void bounceLinks(Bounce* bounce)
{
	brDynamics* dynamics = bounce->dynamics;
	int32_t stateCount = dynamics->stateCount, laneCount = BR_SOLVER_LANES * dynamics->blockCount;
	memset(bounce->starts, 0, sizeof(int32_t) * (size_t)(stateCount + 1));
	for (int pass = 0; pass < 2; ++pass)
	{
		for (int32_t i = laneCount - 1; i >= 0; --i)
		{
			const brContactBlock* block = bounceBlock(bounce, i);
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

// The inverse of an inertia in the world.
static brMat3 bounceInverse(brQuat rotation, brDVec3 inverse)
{
	brMat3 axes = brMakeMat3FromQuat(rotation), back = brMat3_Transpose(&axes);
	brMat3 scaled = {brDMul(inverse.x, axes.cx), brDMul(inverse.y, axes.cy), brDMul(inverse.z, axes.cz)};
	return brMat3_Mul(&scaled, &back);
}

static brQuat bounceTurned(brDVec3 turned, brQuat rotation)
{
	double angle = brDLength(turned);
	return angle > 0.0 ? brQuat_Mul(brMakeQuatAxisAngle(brDMul(1.0 / angle, turned), angle), rotation) : rotation;
}

static BounceBody bounceBody(const Bounce* bounce, int32_t state)
{
	const brSolverBody* body = (const brSolverBody*)bounce->dynamics->stateBodies.data + state;
	const brBody* from = &bounce->dynamics->bodies.data[body->body];
	// Gravity acts until the hit only.
	double part = body->isDynamic ? 1.0 - bounce->now / bounce->h : 0.0;
	brDVec3 velocity, spin;
	bounceMotion(bounce, state, &velocity, &spin);
	BounceBody out = {.state = state,
					  .isDynamic = body->isDynamic,
					  .invMass = body->invMass,
					  .velocity = brDMulAdd(velocity, -part, brToDVec3(body->push)),
					  .spin = spin,
					  .rotation = body->rotation};
	if (body->isTop)
	{
		brTurnFreely(bounce->now, from->inertia, from->invInertia, &out.rotation, &out.spin);
		out.turn = brQuat_Mul(out.rotation, brQuat_Conjugate(body->followed));
		out.isCarried = !body->isRolling;
	}
	else if (body->isDynamic)
	{
		// It has not turned far as yet. But what is far from round has another inertia by then, and would leave with another energy.
		const brSolverState* now = (const brSolverState*)bounce->dynamics->states.data + state;
		out.rotation = bounceTurned(brDMulAdd(bounceRead(now->turned), bounce->now, spin), body->rotation);
	}
	out.invInertia = bounceInverse(out.rotation, brDMul(out.invMass * from->mass, from->invInertia));
	return out;
}

static double bounceSpeed(const Bounce* bounce, const BounceRow* row)
{
	double speed = 0.0;
	for (int k = 0; k < 2; ++k)
	{
		speed += brDDot(row->along[k], bounce->bodies[k].velocity) + brDDot(row->about[k], bounce->bodies[k].spin);
	}
	return speed;
}

static void bounceApply(Bounce* bounce, const BounceRow* row, double impulse)
{
	for (int k = 0; k < 2; ++k)
	{
		BounceBody* body = &bounce->bodies[k];
		if (body->isDynamic)
		{
			body->velocity = brDMulAdd(body->velocity, impulse * body->invMass, row->along[k]);
			body->spin = brDMulAdd(body->spin, impulse, row->turn[k]);
		}
	}
}

// A row along a direction at places of both bodies, `sides` those of its lane that move. Returns what an impulse of 1 changes.
static double bounceFillRow(const Bounce* bounce, brDVec3 n, const brDVec3 places[2], const int sides[2],
							BounceRow* row)
{
	double sum = 0.0;
	for (int side = 0; side < 2; ++side)
	{
		int k = sides[side];
		if (k < 0)
		{
			continue;
		}
		const BounceBody* body = &bounce->bodies[k];
		brDVec3 place = body->isCarried ? brQuat_Rotate(body->turn, places[side]) : places[side];
		row->along[k] = side == 0 ? brDNeg(n) : n;
		row->about[k] = brDCross(place, row->along[k]);
		row->turn[k] = brMat3_MulV(&body->invInertia, row->about[k]);
		sum += body->isDynamic ? body->invMass + brDDot(row->about[k], row->turn[k]) : 0.0;
	}
	row->invMass = sum;
	return sum;
}

// Points of a lane that touch at the time of the hit.
static void bounceAddRows(Bounce* bounce, int32_t index, const int sides[2], double restitution)
{
	brContactBlock* block = bounceBlock(bounce, index);
	int32_t lane = index % BR_SOLVER_LANES;
	brDVec3 n = bounceLane(block->normal, lane);
	double level = BOUNCE_LEVEL / (double)block->fade[lane];
	for (int32_t k = 0; k < block->pointCount && bounce->rowCount < BOUNCE_ROWS; ++k)
	{
		brPointLanes* point = &block->points[k];
		double way[3];
		bouncePoint(bounce, block, k, lane, way);
		double s = way[0] + bounce->now * (way[1] + 0.5 * bounce->now * way[2]);
		BounceRow* row = &bounce->rows[bounce->rowCount];
		brDVec3 places[2] = {bounceLane(point->anchorA, lane), bounceLane(point->anchorB, lane)};
		*row = (BounceRow){.point = point, .lane = lane};
		if (point->mass[lane] > 0.0f && s <= level && bounceFillRow(bounce, n, places, sides, row) > 0.0)
		{
			double speed = bounceSpeed(bounce, row);
			row->before = speed;
			row->wanted = -restitution * speed;
			point->approach[lane] = fminf(point->approach[lane], (float)speed);
			bounce->rowCount += 1;
		}
	}
}

static bool bounceIsLoaded(const brContactBlock* block, int32_t lane)
{
	float load = 0.0f;
	for (int32_t k = 0; k < block->pointCount; ++k)
	{
		load += block->points[k].impulse[lane];
	}
	return load > 0.0f;
}

// Whether the weight of one side of a contact lies on the other, and that stands on something static. What stands beside it, or came into being in
// this step, is no support: a ball goes on through a wall of loose blocks.
static bool bounceIsBelow(const Bounce* bounce, int32_t item, bool isA)
{
	const brDynamics* dynamics = bounce->dynamics;
	const brContactBlock* block = bounceBlock(bounce, item);
	int32_t lane = item % BR_SOLVER_LANES, other = isA ? block->stateB[lane] : block->stateA[lane];
	int32_t body = ((const brSolverBody*)dynamics->stateBodies.data)[other].body;
	brDVec3 n = bounceLane(block->normal, lane), gravity = dynamics->def.gravity;
	double down = isA ? brDDot(n, gravity) : -brDDot(n, gravity);
	return down > BOUNCE_BELOW * brDLength(gravity) && !dynamics->bodies.data[body].isNewborn &&
		   (brDynamics_Frames(dynamics)[body].leansOn & BR_LEANS_ON_STATIC) != 0;
}

// What a body of the hit rests on. Neighbors below that lean on something static stand firm.
static void bounceAddSupports(Bounce* bounce, int k, int32_t contact)
{
	const brSolverBody* bodies = bounce->dynamics->stateBodies.data;
	int32_t state = bounce->bodies[k].state;
	if (state == BR_REST_STATE)
	{
		return;
	}
	for (int32_t i = bounce->starts[state]; i < bounce->starts[state + 1]; ++i)
	{
		const brContactBlock* block = bounceBlock(bounce, bounce->items[i]);
		int32_t lane = bounce->items[i] % BR_SOLVER_LANES;
		bool isA = block->stateA[lane] == state;
		int32_t other = isA ? block->stateB[lane] : block->stateA[lane];
		bool isFirm = !bodies[other].isDynamic || bounceIsBelow(bounce, bounce->items[i], isA);
		if (block->manifold[lane] / BR_PAIR_MANIFOLDS != contact && isFirm && bounceIsLoaded(block, lane))
		{
			int32_t first = bounce->rowCount;
			bounceAddRows(bounce, bounce->items[i], (int[2]){isA ? k : -1, isA ? -1 : k}, 0.0);
			// What gravity moves it by in this substep its load takes care of.
			for (int32_t row = first; row < bounce->rowCount; ++row)
			{
				bounce->rows[row].wanted = fmin(bounce->rows[row].before, 0.0);
			}
		}
	}
}

// Projected Gauss-Seidel until every point leaves as it should. False if it creeps. It shares a flat hit out among its points.
static bool bounceSweep(Bounce* bounce, double speed)
{
	for (int32_t sweep = 0; sweep < BOUNCE_SWEEPS; ++sweep)
	{
		double most = 0.0;
		for (int32_t i = 0; i < bounce->rowCount; ++i)
		{
			BounceRow* row = &bounce->rows[i];
			double off = bounceSpeed(bounce, row) - row->wanted;
			double next = fmax(row->impulse - off / row->invMass, 0.0), change = next - row->impulse;
			row->impulse = next;
			bounceApply(bounce, row, change);
			most = fmax(most, fabs(change) * row->invMass);
		}
		if (most < BOUNCE_ACCURACY * speed)
		{
			return true;
		}
	}
	return false;
}

// The same by the exact method, for which it does not matter how near points are to each other. False, and nothing done, where no impulses do.
static bool bounceSolveExactly(Bounce* bounce, double speed)
{
	brPushRow rows[BOUNCE_ROWS];
	for (int32_t i = 0; i < bounce->rowCount; ++i)
	{
		const BounceRow* row = &bounce->rows[i];
		rows[i] = (brPushRow){.lack = row->wanted - bounceSpeed(bounce, row)};
		for (int k = 0; k < 2; ++k)
		{
			const BounceBody* body = &bounce->bodies[k];
			const brDVec3 pushes[2] = {row->along[k], row->about[k]},
						  changes[2] = {brDMul(body->invMass, row->along[k]), row->turn[k]};
			for (int part = 0; part < 2 && body->isDynamic; ++part)
			{
				double *push = &rows[i].push[6 * k + 3 * part], *change = &rows[i].change[6 * k + 3 * part];
				push[0] = pushes[part].x, push[1] = pushes[part].y, push[2] = pushes[part].z;
				change[0] = changes[part].x, change[1] = changes[part].y, change[2] = changes[part].z;
			}
		}
	}
	if (!brFindLeastPush(rows, bounce->rowCount, BOUNCE_ACCURACY * speed))
	{
		return false;
	}
	for (int32_t i = 0; i < bounce->rowCount; ++i)
	{
		bounce->rows[i].impulse = rows[i].impulse;
		bounceApply(bounce, &bounce->rows[i], rows[i].impulse);
	}
	return true;
}

// Whether the hit would add to the energy, by more than rounding: impulses times the mean of the speeds before and after.
static bool bounceGains(const Bounce* bounce)
{
	double change = 0.0, sum = 0.0;
	for (int32_t i = 0; i < bounce->rowCount; ++i)
	{
		const BounceRow* row = &bounce->rows[i];
		double after = bounceSpeed(bounce, row);
		change += row->impulse * (row->before + after);
		sum += row->impulse * (fabs(row->before) + fabs(after));
	}
	return change > BOUNCE_GAIN * sum;
}

// Every point as it should; false if that gains energy.
static bool bounceSolve(Bounce* bounce, double speed, const BounceBody before[2])
{
	bool isSwept = bounceSweep(bounce, speed);
	if (isSwept && !bounceGains(bounce))
	{
		return true;
	}
	const BounceBody swept[2] = {bounce->bodies[0], bounce->bodies[1]};
	bounce->bodies[0] = before[0], bounce->bodies[1] = before[1];
	if (!bounceSolveExactly(bounce, speed))
	{
		bounce->bodies[0] = swept[0], bounce->bodies[1] = swept[1];
	}
	return !bounceGains(bounce);
}

// Among points of one restitution a hit never gains energy. What bounces on one side and rests on the other may: then nothing bounces.
static void bounceSolveSoundly(Bounce* bounce, double speed)
{
	const BounceBody before[2] = {bounce->bodies[0], bounce->bodies[1]};
	bool isSound = bounceSolve(bounce, speed, before);
	for (int32_t round = 0; round < 2 && !isSound; ++round)
	{
		bounce->bodies[0] = before[0], bounce->bodies[1] = before[1];
		for (int32_t i = 0; i < bounce->rowCount; ++i)
		{
			bounce->rows[i].impulse = 0.0;
			bounce->rows[i].wanted = fmin(bounce->rows[i].wanted, 0.0);
		}
		// Should even that not do, since too many points are in each other's way, the hit is left to the substep.
		isSound = round == 0 && bounceSolve(bounce, speed, before);
	}
}

// Speed of a row by bodies that nothing moves: what they give to the hit.
static double bounceDriven(const Bounce* bounce, const BounceRow* row)
{
	double speed = 0.0;
	for (int k = 0; k < 2; ++k)
	{
		const BounceBody* body = &bounce->bodies[k];
		speed -= body->isDynamic ? 0.0 : brDDot(row->along[k], body->velocity) + brDDot(row->about[k], body->spin);
	}
	return speed;
}

// What an impulse along a row takes, from bodies that were as `before` says.
static double bounceTakes(const Bounce* bounce, const BounceRow* row, double impulse, const BounceBody before[2])
{
	double speed = 0.0;
	for (int k = 0; k < 2; ++k)
	{
		const BounceBody* body = &bounce->bodies[k];
		double along = brDDot(row->along[k], brDAdd(before[k].velocity, body->velocity));
		double about = brDDot(row->about[k], brDAdd(before[k].spin, body->spin));
		speed += (double)brDynamics_Share(bounce->dynamics, body->state) * (along + about);
	}
	return -0.5 * impulse * speed;
}

// What the impulses along the normals took.
static void bounceBook(const Bounce* bounce, const BounceBody before[2])
{
	brEnergyBooks* books = &bounce->dynamics->step.hits;
	for (int32_t i = 0; i < bounce->rowCount; ++i)
	{
		const BounceRow* row = &bounce->rows[i];
		books->restitution += bounceTakes(bounce, row, row->impulse, before);
		books->driven += row->impulse * bounceDriven(bounce, row);
	}
}

// Friction of a lane with what its points pressed: against the slip at their center, and no more than stops it.
static void bounceRub(Bounce* bounce, int32_t index)
{
	brContactBlock* block = bounceBlock(bounce, index);
	int32_t lane = index % BR_SOLVER_LANES;
	double pressed = 0.0;
	for (int32_t i = 0; i < bounce->rowCount; ++i)
	{
		const BounceRow* row = &bounce->rows[i];
		bool isOwn =
			row->lane == lane && row->point >= block->points && row->point < block->points + BR_MANIFOLD_POINTS;
		pressed += isOwn ? row->impulse : 0.0;
	}
	double limit = (double)block->friction[lane] * pressed;
	if (!(limit > 0.0))
	{
		return;
	}
	brDVec3 n = bounceLane(block->normal, lane), t = bounceLane(block->tangent, lane);
	brDVec3 places[2] = {bounceLane(block->centerA, lane), bounceLane(block->centerB, lane)};
	BounceRow rows[2] = {{.lane = lane}, {.lane = lane}};
	double p[2], v[2];
	for (int k = 0; k < 2; ++k)
	{
		bounceFillRow(bounce, k == 0 ? t : brDCross(n, t), places, (int[2]){0, 1}, &rows[k]);
		v[k] = bounceSpeed(bounce, &rows[k]);
	}
	double both = 0.0;
	for (int k = 0; k < 2; ++k)
	{
		const BounceBody* body = &bounce->bodies[k];
		brDVec3 turn = rows[1].turn[k];
		both += body->isDynamic ? brDDot(rows[0].about[k], turn) : 0.0;
	}
	double det = rows[0].invMass * rows[1].invMass - both * both;
	if (!(det > 0.0))
	{
		return;
	}
	p[0] = (both * v[1] - rows[1].invMass * v[0]) / det;
	p[1] = (both * v[0] - rows[0].invMass * v[1]) / det;
	double length = sqrt(p[0] * p[0] + p[1] * p[1]), scale = length > limit ? limit / length : 1.0;
	const BounceBody before[2] = {bounce->bodies[0], bounce->bodies[1]};
	bounceApply(bounce, &rows[0], scale * p[0]);
	bounceApply(bounce, &rows[1], scale * p[1]);
	for (int k = 0; k < 2; ++k)
	{
		bounce->dynamics->step.hits.friction += bounceTakes(bounce, &rows[k], scale * p[k], before);
		bounce->dynamics->step.hits.driven += scale * p[k] * bounceDriven(bounce, &rows[k]);
	}
}

// From where, and how fast, a top would have come to be where it is now, and go on as it does from here.
static void bounceStoreTop(Bounce* bounce, const BounceBody* body)
{
	const brSolverBody* base = (const brSolverBody*)bounce->dynamics->stateBodies.data + body->state;
	const brBody* from = &bounce->dynamics->bodies.data[base->body];
	brQuat rotation = body->rotation;
	brDVec3 spin = body->spin;
	brTurnFreely(-bounce->now, from->inertia, from->invInertia, &rotation, &spin);
	brSolver_HitTop(bounce->dynamics, body->state, rotation, spin);
	bounce->isTopHit = true;
	for (int32_t i = bounce->starts[body->state]; i < bounce->starts[body->state + 1]; ++i)
	{
		brContactBlock* block = bounceBlock(bounce, bounce->items[i]);
		int32_t lane = bounce->items[i] % BR_SOLVER_LANES;
		block->tops |= BR_BLOCK_HAS_TOP | BR_BLOCK_IS_HIT;
		block->push[lane] = brSolver_Push(block->push[lane], block->restitution[lane], true);
	}
}

// The change of the two bodies into their states. It is no load that goes on, so it goes into the base of the warm start too; and what they moved
// up to the hit stays.
static void bounceStore(Bounce* bounce)
{
	for (int k = 0; k < 2; ++k)
	{
		const BounceBody* body = &bounce->bodies[k];
		if (!body->isDynamic)
		{
			continue;
		}
		brSolverState* state = (brSolverState*)bounce->dynamics->states.data + body->state;
		brSolverBody* base = (brSolverBody*)bounce->dynamics->stateBodies.data + body->state;
		BounceBody before = bounceBody(bounce, body->state);
		brVec3 v = brToVec3(brDSub(body->velocity, before.velocity)), w = brToVec3(brDSub(body->spin, before.spin));
		float past = (float)bounce->now;
		state->velocity[0] += v.x, state->velocity[1] += v.y, state->velocity[2] += v.z;
		state->moved[0] -= past * v.x, state->moved[1] -= past * v.y, state->moved[2] -= past * v.z;
		state->turned[0] -= past * w.x, state->turned[1] -= past * w.y, state->turned[2] -= past * w.z;
		base->isPushed = true;
		base->hitVelocity = brAdd(base->hitVelocity, v);
		base->hitSpin = brAdd(base->hitSpin, w);
		base->baseVelocity = brAdd(base->baseVelocity, v);
		const brBody* from = &bounce->dynamics->bodies.data[base->body];
		// What was slow when the step began is no longer: it keeps what its own damping leaves it.
		base->linearKeep = (float)(1.0 / (1.0 + bounce->h * (double)from->linearDamping));
		base->angularKeep = (float)(1.0 / (1.0 + bounce->h * (double)from->angularDamping));
		if (base->isTop || brIsTop(from->inertia, body->spin, bounce->dt))
		{
			bounceStoreTop(bounce, body);
			continue;
		}
		state->spin[0] += w.x, state->spin[1] += w.y, state->spin[2] += w.z;
		base->baseSpin = brAdd(base->baseSpin, w);
	}
}

static void bounceHit(Bounce* bounce, int32_t index)
{
	const brContactBlock* block = bounceBlock(bounce, index);
	int32_t lane = index % BR_SOLVER_LANES, contact = block->manifold[lane] / BR_PAIR_MANIFOLDS;
	bounce->bodies[0] = bounceBody(bounce, block->stateA[lane]);
	bounce->bodies[1] = bounceBody(bounce, block->stateB[lane]);
	bounce->rowCount = 0;
	// All manifolds of the pair are among those of the body that moves.
	int32_t state = bounce->bodies[bounce->bodies[0].isDynamic ? 0 : 1].state;
	int32_t own[BR_PAIR_MANIFOLDS], ownCount = 0;
	for (int32_t i = bounce->starts[state]; i < bounce->starts[state + 1]; ++i)
	{
		int32_t other = bounce->items[i];
		if (bounceBlock(bounce, other)->manifold[other % BR_SOLVER_LANES] / BR_PAIR_MANIFOLDS == contact)
		{
			bounceAddRows(bounce, other, (int[2]){0, 1}, (double)block->restitution[lane]);
			own[ownCount++] = other;
		}
	}
	double speed = 0.0;
	for (int32_t i = 0; i < bounce->rowCount; ++i)
	{
		speed = fmax(speed, -bounceSpeed(bounce, &bounce->rows[i]));
	}
	if (!(speed > 0.0))
	{
		bounce->lanes[index].hits = BOUNCE_REPEATS; // a point of a top that has gone round by then
		return;
	}
	bounceAddSupports(bounce, 0, contact);
	bounceAddSupports(bounce, 1, contact);
	const BounceBody before[2] = {bounce->bodies[0], bounce->bodies[1]};
	bounceSolveSoundly(bounce, speed);
	bounceBook(bounce, before);
	for (int32_t i = 0; i < ownCount; ++i)
	{
		bounceRub(bounce, own[i]);
	}
	for (int32_t i = 0; i < bounce->rowCount; ++i)
	{
		const BounceRow* row = &bounce->rows[i];
		row->point->total[row->lane] += (float)row->impulse;
		row->point->hit[row->lane] += (float)row->impulse;
	}
	for (int k = 0; k < 2 && block->restitution[lane] > BR_BOUNCE_HALF; ++k)
	{
		const BounceBody* body = &bounce->bodies[k];
		double* most = &bounce->dynamics->step.whirling;
		*most = body->isDynamic ? fmax(*most, brDLength(body->spin)) : *most;
	}
	bounceStore(bounce);
}

bool brSolver_ReserveBounces(brDynamics* dynamics, int64_t blocks)
{
	const brAllocator* allocator = &dynamics->allocator;
	int64_t lanes = BR_SOLVER_LANES * blocks;
	return brStageMemory_Ensure(&dynamics->bounceHits, allocator, 4 * lanes + 64, sizeof(BounceHit)) &&
		   brStageMemory_Ensure(&dynamics->bounceLanes, allocator, lanes, sizeof(BounceLane)) &&
		   brStageMemory_Ensure(&dynamics->bounceLinks, allocator, 2 * lanes + dynamics->bodies.count + 2,
								sizeof(int32_t));
}

bool brSolver_Bounce(brDynamics* dynamics, const brStepTime* time, double* now)
{
	int32_t laneCount = BR_SOLVER_LANES * dynamics->blockCount;
	Bounce bounce = {.dynamics = dynamics,
					 .h = time->h,
					 .dt = time->dt,
					 .now = *now,
					 .heap = dynamics->bounceHits.data,
					 .lanes = dynamics->bounceLanes.data,
					 .starts = dynamics->bounceLinks.data,
					 .heapCapacity = 4 * laneCount + 64};
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
			if (bounce.heapCount == 0)
			{
				memset(bounce.lanes, 0, sizeof(BounceLane) * (size_t)laneCount);
			}
			bounceAsk(&bounce, BR_SOLVER_LANES * i + __builtin_ctz(bits));
		}
	}
	if (bounce.heapCount == 0)
	{
		return false;
	}
	if (!dynamics->step.areLinked)
	{
		bounceLinks(&bounce);
		dynamics->step.areLinked = true;
	}
	while (bounce.heapCount > 0)
	{
		BounceHit hit = bouncePop(&bounce);
		if (hit.version != bounce.lanes[hit.lane].version)
		{
			continue;
		}
		bounce.now = hit.time;
		bounce.lanes[hit.lane].hits += 1;
		bounceHit(&bounce, hit.lane);
		for (int k = 0; k < 2; ++k)
		{
			int32_t state = bounce.bodies[k].state;
			bool isMoved = bounce.bodies[k].isDynamic;
			for (int32_t i = bounce.starts[state]; isMoved && i < bounce.starts[state + 1]; ++i)
			{
				bounceAsk(&bounce, bounce.items[i]);
			}
		}
	}
	*now = bounce.now;
	dynamics->step.hasTops = dynamics->step.hasTops || bounce.isTopHit;
	return bounce.isTopHit;
}
