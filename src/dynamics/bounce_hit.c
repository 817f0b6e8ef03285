// SPDX-License-Identifier: MIT

// A hit: what bodies give to each other at one moment.
//
// Impulses are such that every touching point leaves with restitution times the speed it came with, all points
// together: nothing turns that fell flat, and a ball that meets two others at once sends both off alike. All that a
// body hits at the same time is one hit, with what those bodies hit then. Friction holds with its part of the impulse.
//
// With v- and v+ the normal speeds of the points before and after, impulses P >= 0 solve v+ >= -e v-, P . (v+ + e v-) =
// 0 (Moreau). Then the energy changes by (1-e)/2 P . v-, which is never positive.
//
// Of two that move, both get their impulse along one line. Anchors are where the bodies would meet had nothing slid or
// turned since the contact was found: between a corner and what it slides along they are apart by then, two impulses
// along two lines are a turn out of nothing, and what that is put right by has energy.
//
// What a body rests on stands firm at once and not one after the other: contacts that carry a load and lead to
// something static take part with e = 0 and a neighbor that does not move. A ball so bounces off a tile on the ground
// as off the ground.

#include "dynamics/bounce.h"
#include "dynamics/least_push.h"
#include "dynamics/tuning.h"

#include <string.h>

#define BOUNCE_SWEEPS 200
#define BOUNCE_WORK 8000      // sweeps by the square of the points: from there on the exact method is quicker
#define BOUNCE_ACCURACY 1e-11 // of the speed of the hit
#define BOUNCE_GAIN 1e-9      // of the energy that goes through it

// Points this near to the surface when the first one hits, in contact margins, hit with it.
#define BOUNCE_LEVEL 0.25
// The same for other pairs: no farther than rounding may put them, for their order matters.
#define BOUNCE_TOGETHER 0.002
#define BOUNCE_CONTACTS 12 // pairs of one hit

#define BOUNCE_BELOW 0.5 // cosine: what lies within 60 degrees of straight below carries

// The pairs of a hit and their lanes.
typedef struct BounceContacts
{
	int32_t numbers[BOUNCE_CONTACTS], leads[BOUNCE_CONTACTS], count; // leads: the lanes that waited for it
	int32_t lanes[BOUNCE_CONTACTS * BR_PAIR_MANIFOLDS], laneCount;
} BounceContacts;

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

static brBounceBody bounceBody(const brBounce* bounce, int32_t state)
{
	const brSolverBody* body = (const brSolverBody*)bounce->dynamics->stateBodies.data + state;
	const brBody* from = &bounce->dynamics->bodies.data[body->body];
	// Gravity acts until the hit only.
	double part = body->isDynamic ? 1.0 - bounce->now / bounce->h : 0.0;
	brDVec3 velocity, spin;
	brBounce_Motion(bounce, state, &velocity, &spin);
	brBounceBody out = {.state = state,
						.isDynamic = body->isDynamic,
						.invMass = body->invMass,
						.velocity = brDMulAdd(velocity, -part, brToDVec3(body->push)),
						.spin = spin,
						.rotation = body->rotation,
						.turn = brMakeQuatIdentity()};
	const brSolverState* now = (const brSolverState*)bounce->dynamics->states.data + state;
	brDVec3 way = brDMulAdd(brBounce_Read(now->moved), bounce->now, out.velocity);
	out.position = brDAdd(from->position, way);
	if (body->isTop)
	{
		if (body->isDynamic)
		{
			brTurnFreely(bounce->now, from->inertia, from->invInertia, &out.rotation, &out.spin);
		}
		else
		{
			brSolver_TurnDriven(from, bounce->now, &out.rotation);
		}
		out.turn = brQuat_Mul(out.rotation, brQuat_Conjugate(body->followed));
		out.isCarried = !body->isRolling;
	}
	else if (body->isDynamic)
	{
		// It has not turned far as yet. But what is far from round has another inertia by then, and would leave with
		// another energy.
		out.rotation = bounceTurned(brDMulAdd(brBounce_Read(now->turned), bounce->now, spin), body->rotation);
		out.turn = brQuat_Mul(out.rotation, brQuat_Conjugate(body->rotation));
	}
	out.invInertia = bounceInverse(out.rotation, brDMul(out.invMass * from->mass, from->invInertia));
	return out;
}

// The number of a body in the hit, or -1.
static int32_t bounceFindBody(const brBounce* bounce, int32_t state)
{
	int32_t k = bounce->bodyCount - 1;
	while (k >= 0 && bounce->bodies[k].state != state)
	{
		k -= 1;
	}
	return k;
}

static double bounceSpeed(const brBounce* bounce, const brBounceRow* row)
{
	double speed = 0.0;
	for (int side = 0; side < 2; ++side)
	{
		if (row->bodies[side] >= 0)
		{
			const brBounceBody* body = &bounce->bodies[row->bodies[side]];
			speed += brDDot(row->along[side], body->velocity) + brDDot(row->about[side], body->spin);
		}
	}
	return speed;
}

static void bounceApply(brBounce* bounce, const brBounceRow* row, double impulse)
{
	for (int side = 0; side < 2; ++side)
	{
		brBounceBody* body = row->bodies[side] >= 0 ? &bounce->bodies[row->bodies[side]] : NULL;
		if (body != NULL && body->isDynamic)
		{
			body->velocity = brDMulAdd(body->velocity, impulse * body->invMass, row->along[side]);
			body->spin = brDMulAdd(body->spin, impulse, row->turn[side]);
		}
	}
}

// Where the anchors of a point are from the middles of its bodies when they hit, on one line along the normal if both
// move. A corner is hit where it is, and the face that it slid over meanwhile under it; edges in the middle between the
// two.
static void bouncePlaces(const brBounce* bounce, const int32_t bodies[2], int32_t index, int32_t number,
						 brDVec3 places[2])
{
	const brBounceBody* sides[2] = {NULL, NULL};
	for (int side = 0; side < 2; ++side)
	{
		sides[side] = bodies[side] >= 0 ? &bounce->bodies[bodies[side]] : NULL;
		if (sides[side] != NULL && sides[side]->isCarried)
		{
			places[side] = brQuat_Rotate(sides[side]->turn, places[side]);
		}
	}
	if (sides[0] == NULL || sides[1] == NULL || !sides[0]->isDynamic || !sides[1]->isDynamic)
	{
		return;
	}
	const brContactBlock* block = brBounce_Block(bounce, index);
	int32_t lane = index % BR_SOLVER_LANES;
	const brContact* contact = &bounce->dynamics->contacts.data[brBounce_Contact(bounce, index)];
	const brManifold* manifold = brDynamics_Manifold(bounce->dynamics, block->manifold[lane]);
	const brSolverBody* solved = bounce->dynamics->stateBodies.data;
	brShapeKind kinds[2];
	for (int side = 0; side < 2; ++side)
	{
		const brSolverBody* body = &solved[sides[side]->state];
		kinds[side] = brDynamics_Frames(bounce->dynamics)[body->body].shapeKind;
		// What was met ahead has the anchors of then.
		if (!sides[side]->isCarried && !body->isRolling && !contact->isMet)
		{
			places[side] = brQuat_Rotate(sides[side]->turn, places[side]);
		}
	}
	if (kinds[0] == br_shapeSphere && kinds[1] == br_shapeSphere)
	{
		return;
	}
	brDVec3 n = brBounce_ReadLane(block->normal, lane);
	brDVec3 apart = brDSub(brDAdd(sides[1]->position, places[1]), brDAdd(sides[0]->position, places[0]));
	apart = brDMulAdd(apart, -brDDot(apart, n), n);
	int32_t corner = brTouch_FindCorner(kinds, &contact->memory, manifold->points[number].id);
	double share = corner < 0 ? 0.5 : corner;
	places[0] = brDMulAdd(places[0], share, apart);
	places[1] = brDMulAdd(places[1], share - 1.0, apart);
}

// A row along a direction at places of its two bodies. Returns what an impulse of 1 changes.
static double bounceFillRow(const brBounce* bounce, brDVec3 n, const brDVec3 places[2], brBounceRow* row)
{
	double sum = 0.0;
	for (int side = 0; side < 2; ++side)
	{
		if (row->bodies[side] < 0)
		{
			continue;
		}
		const brBounceBody* body = &bounce->bodies[row->bodies[side]];
		row->along[side] = side == 0 ? brDNeg(n) : n;
		row->about[side] = brDCross(places[side], row->along[side]);
		row->turn[side] = brMat3_MulV(&body->invInertia, row->about[side]);
		sum += body->isDynamic ? body->invMass + brDDot(row->about[side], row->turn[side]) : 0.0;
	}
	row->invMass = sum;
	return sum;
}

// Points of a lane that touch at the time of the hit; `bodies`: those of its sides.
static void bounceAddRows(brBounce* bounce, int32_t index, const int32_t bodies[2], double restitution)
{
	brContactBlock* block = brBounce_Block(bounce, index);
	int32_t lane = index % BR_SOLVER_LANES;
	brBounceWay both = brBounce_Way(bounce, block, lane);
	double level = BOUNCE_LEVEL / (double)block->fade[lane];
	for (int32_t k = 0; k < block->pointCount && bounce->rowCount < BR_BOUNCE_ROWS; ++k)
	{
		brPointLanes* point = &block->points[k];
		brBounceArms arms = brBounceWay_Arms(&both, point, lane);
		double s = brBounceWay_Separation(&both, &arms, point, lane) +
				   bounce->now * (brBounceWay_Speed(&both, &arms) + 0.5 * bounce->now * both.pull);
		brBounceRow* row = &bounce->rows[bounce->rowCount];
		brDVec3 places[2] = {brBounce_ReadLane(point->anchorA, lane), brBounce_ReadLane(point->anchorB, lane)};
		*row = (brBounceRow){.bodies = {bodies[0], bodies[1]}, .point = point, .lane = lane};
		bouncePlaces(bounce, bodies, index, k, places);
		if (point->mass[lane] > 0.0f && s <= level && bounceFillRow(bounce, both.normal, places, row) > 0.0)
		{
			double speed = bounceSpeed(bounce, row);
			row->before = speed;
			row->wanted = -restitution * speed;
			point->approach[lane] = fminf(point->approach[lane], (float)speed);
			bounce->rowCount += 1;
		}
	}
}

static bool bounceHasContact(const BounceContacts* contacts, int32_t contact)
{
	int32_t i = contacts->count - 1;
	while (i >= 0 && contacts->numbers[i] != contact)
	{
		i -= 1;
	}
	return i >= 0;
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

// Whether the weight of one side of a contact lies on the other, and that stands on something static. What stands
// beside it, or came into being in this step, is no support: a ball goes on through a wall of loose blocks.
static bool bounceIsBelow(const brBounce* bounce, int32_t item, bool isA)
{
	const brDynamics* dynamics = bounce->dynamics;
	const brContactBlock* block = brBounce_Block(bounce, item);
	int32_t lane = item % BR_SOLVER_LANES, other = isA ? block->stateB[lane] : block->stateA[lane];
	int32_t body = ((const brSolverBody*)dynamics->stateBodies.data)[other].body;
	brDVec3 n = brBounce_ReadLane(block->normal, lane), gravity = dynamics->def.gravity;
	double down = isA ? brDDot(n, gravity) : -brDDot(n, gravity);
	return down > BOUNCE_BELOW * brDLength(gravity) && !dynamics->bodies.data[body].isNewborn &&
		   (brDynamics_Frames(dynamics)[body].leansOn & BR_LEANS_ON_STATIC) != 0;
}

// What a body of the hit rests on. Neighbors below that lean on something static stand firm.
static void bounceAddSupports(brBounce* bounce, const BounceContacts* contacts, int32_t k)
{
	const brSolverBody* bodies = bounce->dynamics->stateBodies.data;
	int32_t state = bounce->bodies[k].state;
	if (state == BR_REST_STATE)
	{
		return;
	}
	for (int32_t i = bounce->starts[state]; i < bounce->starts[state + 1]; ++i)
	{
		const brContactBlock* block = brBounce_Block(bounce, bounce->items[i]);
		int32_t lane = bounce->items[i] % BR_SOLVER_LANES;
		bool isA = block->stateA[lane] == state;
		int32_t other = isA ? block->stateB[lane] : block->stateA[lane];
		bool isFirm = !bodies[other].isDynamic || bounceIsBelow(bounce, bounce->items[i], isA);
		if (!bounceHasContact(contacts, brBounce_Contact(bounce, bounce->items[i])) && isFirm &&
			bounceIsLoaded(block, lane))
		{
			int32_t first = bounce->rowCount;
			bounceAddRows(bounce, bounce->items[i], (int32_t[2]){isA ? k : -1, isA ? -1 : k}, 0.0);
			// What gravity moves it by in this substep its load takes care of.
			for (int32_t row = first; row < bounce->rowCount; ++row)
			{
				bounce->rows[row].wanted = fmin(bounce->rows[row].before, 0.0);
			}
		}
	}
}

// How an impulse of 1 along one row changes the speed of another.
static double bounceCoupling(const brBounce* bounce, const brBounceRow* row, const brBounceRow* pushed)
{
	double sum = 0.0;
	for (int32_t i = 0; i < 4; ++i)
	{
		int32_t side = i & 1, other = i >> 1, k = row->bodies[side];
		if (k >= 0 && k == pushed->bodies[other] && bounce->bodies[k].isDynamic)
		{
			sum += bounce->bodies[k].invMass * brDDot(row->along[side], pushed->along[other]) +
				   brDDot(row->about[side], pushed->turn[other]);
		}
	}
	return sum;
}

// Projected Gauss-Seidel until every point leaves as it should. False if it creeps. It shares a flat hit out among its
// points. Sweeps go over the speeds of the rows; bodies are moved at the end.
static bool bounceSweep(brBounce* bounce, double speed)
{
	double couplings[BR_BOUNCE_ROWS][BR_BOUNCE_ROWS], off[BR_BOUNCE_ROWS];
	int32_t count = bounce->rowCount, sweeps = BOUNCE_WORK / (count * count + 1);
	sweeps = sweeps < BOUNCE_SWEEPS ? sweeps : BOUNCE_SWEEPS;
	for (int32_t i = 0; i < count; ++i)
	{
		off[i] = bounceSpeed(bounce, &bounce->rows[i]) - bounce->rows[i].wanted;
		for (int32_t k = 0; k <= i; ++k)
		{
			couplings[i][k] = couplings[k][i] = bounceCoupling(bounce, &bounce->rows[i], &bounce->rows[k]);
		}
	}
	bool isDone = false;
	for (int32_t sweep = 0; sweep < sweeps && !isDone; ++sweep)
	{
		double most = 0.0;
		for (int32_t i = 0; i < count; ++i)
		{
			brBounceRow* row = &bounce->rows[i];
			double next = row->impulse - off[i] / row->invMass;
			next = next > 0.0 ? next : 0.0;
			double change = next - row->impulse;
			row->impulse = next;
			for (int32_t k = 0; k < count && change != 0.0; ++k)
			{
				off[k] += change * couplings[i][k];
			}
			double moved = fabs(change) * row->invMass;
			most = moved > most ? moved : most;
		}
		isDone = most < BOUNCE_ACCURACY * speed;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		bounceApply(bounce, &bounce->rows[i], bounce->rows[i].impulse);
	}
	return isDone;
}

// The same by the exact method, for which it does not matter how near points are to each other. False, and nothing
// done, where no impulses do.
static bool bounceSolveExactly(brBounce* bounce, double speed)
{
	brPushRow rows[BR_BOUNCE_ROWS];
	for (int32_t i = 0; i < bounce->rowCount; ++i)
	{
		const brBounceRow* row = &bounce->rows[i];
		rows[i] = (brPushRow){.lack = row->wanted - bounceSpeed(bounce, row)};
		for (int side = 0; side < 2; ++side)
		{
			int32_t k = row->bodies[side];
			if (k < 0 || !bounce->bodies[k].isDynamic)
			{
				continue;
			}
			const brDVec3 pushes[2] = {row->along[side], row->about[side]},
						  changes[2] = {brDMul(bounce->bodies[k].invMass, row->along[side]), row->turn[side]};
			for (int part = 0; part < 2; ++part)
			{
				double *push = &rows[i].push[6 * k + 3 * part], *change = &rows[i].change[6 * k + 3 * part];
				push[0] = pushes[part].x, push[1] = pushes[part].y, push[2] = pushes[part].z;
				change[0] = changes[part].x, change[1] = changes[part].y, change[2] = changes[part].z;
			}
		}
	}
	if (!brFindLeastPush(rows, bounce->rowCount, 6 * bounce->bodyCount, BOUNCE_ACCURACY * speed))
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

// Whether the hit would add to the energy, by more than rounding: impulses times the mean of the speeds before and
// after.
static bool bounceGains(const brBounce* bounce)
{
	double change = 0.0, sum = 0.0;
	for (int32_t i = 0; i < bounce->rowCount; ++i)
	{
		const brBounceRow* row = &bounce->rows[i];
		double after = bounceSpeed(bounce, row);
		change += row->impulse * (row->before + after);
		sum += row->impulse * (fabs(row->before) + fabs(after));
	}
	return change > BOUNCE_GAIN * sum;
}

static void bounceCopyBodies(const brBounce* bounce, brBounceBody to[BR_BOUNCE_BODIES],
							 const brBounceBody from[BR_BOUNCE_BODIES])
{
	memcpy(to, from, sizeof(brBounceBody) * (size_t)bounce->bodyCount);
}

// Every point as it should; false if that gains energy.
static bool bounceSolve(brBounce* bounce, double speed, const brBounceBody before[BR_BOUNCE_BODIES])
{
	bool isSwept = bounceSweep(bounce, speed);
	if (isSwept && !bounceGains(bounce))
	{
		return true;
	}
	brBounceBody swept[BR_BOUNCE_BODIES];
	bounceCopyBodies(bounce, swept, bounce->bodies);
	bounceCopyBodies(bounce, bounce->bodies, before);
	if (!bounceSolveExactly(bounce, speed))
	{
		bounceCopyBodies(bounce, bounce->bodies, swept);
	}
	return !bounceGains(bounce);
}

// Among points of one restitution a hit never gains energy. What bounces on one side and rests on the other may: then
// nothing bounces.
static void bounceSolveSoundly(brBounce* bounce, double speed, const brBounceBody before[BR_BOUNCE_BODIES])
{
	bool isSound = bounceSolve(bounce, speed, before);
	for (int32_t round = 0; round < 2 && !isSound; ++round)
	{
		bounceCopyBodies(bounce, bounce->bodies, before);
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
static double bounceDriven(const brBounce* bounce, const brBounceRow* row)
{
	double speed = 0.0;
	for (int side = 0; side < 2; ++side)
	{
		const brBounceBody* body = row->bodies[side] >= 0 ? &bounce->bodies[row->bodies[side]] : NULL;
		bool isDriven = body != NULL && !body->isDynamic;
		speed -= isDriven ? brDDot(row->along[side], body->velocity) + brDDot(row->about[side], body->spin) : 0.0;
	}
	return speed;
}

// What an impulse along a row takes, from bodies that were as `before` says.
static double bounceTakes(const brBounce* bounce, const brBounceRow* row, double impulse,
						  const brBounceBody before[BR_BOUNCE_BODIES])
{
	double speed = 0.0;
	for (int side = 0; side < 2; ++side)
	{
		int32_t k = row->bodies[side];
		if (k >= 0)
		{
			const brBounceBody* body = &bounce->bodies[k];
			double along = brDDot(row->along[side], brDAdd(before[k].velocity, body->velocity));
			double about = brDDot(row->about[side], brDAdd(before[k].spin, body->spin));
			speed += (double)brDynamics_Share(bounce->dynamics, body->state) * (along + about);
		}
	}
	return -0.5 * impulse * speed;
}

// What the impulses along the normals took.
static void bounceBook(const brBounce* bounce, const brBounceBody before[BR_BOUNCE_BODIES])
{
	brEnergyBooks* books = &bounce->dynamics->step.hits;
	for (int32_t i = 0; i < bounce->rowCount; ++i)
	{
		const brBounceRow* row = &bounce->rows[i];
		books->restitution += bounceTakes(bounce, row, row->impulse, before);
		books->driven += row->impulse * bounceDriven(bounce, row);
	}
}

// Friction of a lane with what its points pressed: against the slip at their center, and no more than stops it.
static void bounceRub(brBounce* bounce, int32_t index)
{
	brContactBlock* block = brBounce_Block(bounce, index);
	int32_t lane = index % BR_SOLVER_LANES;
	double pressed = 0.0;
	for (int32_t i = 0; i < bounce->rowCount; ++i)
	{
		const brBounceRow* row = &bounce->rows[i];
		bool isOwn =
			row->lane == lane && row->point >= block->points && row->point < block->points + BR_MANIFOLD_POINTS;
		pressed += isOwn ? row->impulse : 0.0;
	}
	double limit = (double)block->friction[lane] * pressed;
	if (!(limit > 0.0))
	{
		return;
	}
	brDVec3 n = brBounce_ReadLane(block->normal, lane), t = brBounce_ReadLane(block->tangent, lane);
	brDVec3 places[2] = {brBounce_ReadLane(block->centerA, lane), brBounce_ReadLane(block->centerB, lane)};
	const int32_t bodies[2] = {bounceFindBody(bounce, block->stateA[lane]),
							   bounceFindBody(bounce, block->stateB[lane])};
	bouncePlaces(bounce, bodies, index, 0, places);
	brBounceRow rows[2];
	double p[2], v[2];
	for (int k = 0; k < 2; ++k)
	{
		rows[k] = (brBounceRow){.bodies = {bodies[0], bodies[1]}, .lane = lane};
		bounceFillRow(bounce, k == 0 ? t : brDCross(n, t), places, &rows[k]);
		v[k] = bounceSpeed(bounce, &rows[k]);
	}
	double both = 0.0;
	for (int side = 0; side < 2; ++side)
	{
		bool isMoved = bounce->bodies[rows[0].bodies[side]].isDynamic;
		both += isMoved ? brDDot(rows[0].about[side], rows[1].turn[side]) : 0.0;
	}
	double det = rows[0].invMass * rows[1].invMass - both * both;
	if (!(det > 0.0))
	{
		return;
	}
	p[0] = (both * v[1] - rows[1].invMass * v[0]) / det;
	p[1] = (both * v[0] - rows[0].invMass * v[1]) / det;
	double length = sqrt(p[0] * p[0] + p[1] * p[1]), scale = length > limit ? limit / length : 1.0;
	brBounceBody before[BR_BOUNCE_BODIES];
	bounceCopyBodies(bounce, before, bounce->bodies);
	bounceApply(bounce, &rows[0], scale * p[0]);
	bounceApply(bounce, &rows[1], scale * p[1]);
	for (int k = 0; k < 2; ++k)
	{
		bounce->dynamics->step.hits.friction += bounceTakes(bounce, &rows[k], scale * p[k], before);
		bounce->dynamics->step.hits.driven += scale * p[k] * bounceDriven(bounce, &rows[k]);
	}
}

// From where, and how fast, a top would have come to be where it is now, and go on as it does from here.
static void bounceStoreTop(brBounce* bounce, const brBounceBody* body)
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
		brContactBlock* block = brBounce_Block(bounce, bounce->items[i]);
		int32_t lane = bounce->items[i] % BR_SOLVER_LANES;
		block->tops |= BR_BLOCK_HAS_TOP | BR_BLOCK_IS_HIT;
		block->push[lane] = brSolver_Push(block->push[lane], block->restitution[lane], true);
	}
}

// The change of the bodies into their states. It is no load that goes on, so it goes into the base of the warm start
// too; and what they moved up to the hit stays.
static void bounceStore(brBounce* bounce)
{
	for (int32_t k = 0; k < bounce->bodyCount; ++k)
	{
		const brBounceBody* body = &bounce->bodies[k];
		if (!body->isDynamic)
		{
			continue;
		}
		brSolverState* state = (brSolverState*)bounce->dynamics->states.data + body->state;
		brSolverBody* base = (brSolverBody*)bounce->dynamics->stateBodies.data + body->state;
		brBounceBody before = bounceBody(bounce, body->state);
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

// Adds the pair of a lane with all its manifolds. False if the hit has no room for it.
static bool bounceTakeContact(brBounce* bounce, BounceContacts* contacts, int32_t index)
{
	const brContactBlock* block = brBounce_Block(bounce, index);
	int32_t lane = index % BR_SOLVER_LANES, contact = brBounce_Contact(bounce, index);
	const int32_t states[2] = {block->stateA[lane], block->stateB[lane]};
	int32_t bodies[2], moving = 0;
	for (int side = 0; side < 2; ++side)
	{
		bodies[side] = bounceFindBody(bounce, states[side]);
		if (bodies[side] < 0 && bounce->bodyCount < BR_BOUNCE_BODIES)
		{
			bodies[side] = bounce->bodyCount++;
			bounce->bodies[bodies[side]] = bounceBody(bounce, states[side]);
		}
		moving = bodies[side] >= 0 && bounce->bodies[bodies[side]].isDynamic ? states[side] : moving;
	}
	int32_t rows = bounce->rowCount + BR_PAIR_MANIFOLDS * BR_MANIFOLD_POINTS;
	bool hasRoom = bodies[0] >= 0 && bodies[1] >= 0 && (contacts->count == 0 || rows <= BR_BOUNCE_ROWS);
	if (contacts->count == BOUNCE_CONTACTS || !hasRoom)
	{
		return false;
	}
	contacts->leads[contacts->count] = index;
	contacts->numbers[contacts->count++] = contact;
	// All manifolds of the pair are among those of the body that moves.
	for (int32_t i = bounce->starts[moving]; i < bounce->starts[moving + 1]; ++i)
	{
		if (brBounce_Contact(bounce, bounce->items[i]) == contact)
		{
			bounceAddRows(bounce, bounce->items[i], bodies, (double)block->restitution[lane]);
			contacts->lanes[contacts->laneCount++] = bounce->items[i];
		}
	}
	return true;
}

// Whether a lane that waits for its hit touches now.
static bool bounceIsTogether(const brBounce* bounce, int32_t index)
{
	if (!bounce->lanes[index].isWaiting)
	{
		return false;
	}
	const brContactBlock* block = brBounce_Block(bounce, index);
	int32_t lane = index % BR_SOLVER_LANES;
	bool isNear = false;
	brBounceWay both = brBounce_Way(bounce, block, lane);
	for (int32_t k = 0; k < block->pointCount && !isNear; ++k)
	{
		brBounceArms arms = brBounceWay_Arms(&both, &block->points[k], lane);
		double speed = brBounceWay_Speed(&both, &arms), v = speed + bounce->now * both.pull;
		double s = brBounceWay_Separation(&both, &arms, &block->points[k], lane) +
				   bounce->now * (speed + 0.5 * bounce->now * both.pull);
		isNear = block->points[k].mass[lane] > 0.0f && s <= BOUNCE_TOGETHER / (double)block->fade[lane] && v < 0.0;
	}
	return isNear;
}

// The pair of a lane, at most `most` pairs that its bodies, and theirs, hit at the same time, and what they rest on.
// Returns the speed of the hit.
static double bounceGather(brBounce* bounce, BounceContacts* contacts, int32_t index, int32_t most)
{
	contacts->count = contacts->laneCount = 0;
	bounce->bodyCount = bounce->rowCount = 0;
	bounceTakeContact(bounce, contacts, index);
	for (int32_t k = 0; k < bounce->bodyCount; ++k)
	{
		int32_t state = bounce->bodies[k].state;
		for (int32_t i = bounce->starts[state]; bounce->bodies[k].isDynamic && i < bounce->starts[state + 1]; ++i)
		{
			int32_t item = bounce->items[i];
			if (contacts->count < most && !bounceHasContact(contacts, brBounce_Contact(bounce, item)) &&
				bounceIsTogether(bounce, item))
			{
				bounceTakeContact(bounce, contacts, item);
			}
		}
	}
	double speed = 0.0;
	for (int32_t i = 0; i < bounce->rowCount; ++i)
	{
		speed = fmax(speed, -bounceSpeed(bounce, &bounce->rows[i]));
	}
	for (int32_t k = 0; k < bounce->bodyCount && speed > 0.0; ++k)
	{
		bounceAddSupports(bounce, contacts, k);
	}
	return speed;
}

// Takes down how fast those of a hit turn that bounce well and are not round.
static void bounceNoteWhirling(const brBounce* bounce, int32_t index)
{
	const brDynamics* dynamics = bounce->dynamics;
	bool isElastic = brBounce_Block(bounce, index)->restitution[index % BR_SOLVER_LANES] > BR_BOUNCE_HALF;
	double* most = &bounce->dynamics->step.whirling;
	for (int32_t k = 0; k < bounce->bodyCount && isElastic; ++k)
	{
		const brBounceBody* body = &bounce->bodies[k];
		int32_t of = ((const brSolverBody*)dynamics->stateBodies.data)[body->state].body;
		bool isMeant = body->isDynamic && brDynamics_Frames(dynamics)[of].shapeKind != br_shapeSphere;
		*most = isMeant ? fmax(*most, brDLength(body->spin)) : *most;
	}
}

void brBounce_Hit(brBounce* bounce, int32_t index)
{
	BounceContacts contacts;
	brBounceBody before[BR_BOUNCE_BODIES];
	double speed = bounceGather(bounce, &contacts, index, BOUNCE_CONTACTS);
	if (!(speed > 0.0))
	{
		bounce->lanes[index].hits = BR_BOUNCE_REPEATS; // a point of a top that has gone round by then
		return;
	}
	bounceCopyBodies(bounce, before, bounce->bodies);
	if (contacts.count == 1 || !bounceSolve(bounce, speed, before))
	{
		// Pairs of different restitution may gain together what none of them does alone: then they go one by one.
		speed = contacts.count == 1 ? speed : bounceGather(bounce, &contacts, index, 1);
		bounceCopyBodies(bounce, before, bounce->bodies);
		bounceSolveSoundly(bounce, speed, before);
	}
	for (int32_t i = 0; i < contacts.count; ++i)
	{
		bounce->lanes[contacts.leads[i]].hits += 1;
	}
	bounceBook(bounce, before);
	for (int32_t i = 0; i < contacts.laneCount; ++i)
	{
		bounceRub(bounce, contacts.lanes[i]);
	}
	for (int32_t i = 0; i < bounce->rowCount; ++i)
	{
		const brBounceRow* row = &bounce->rows[i];
		row->point->total[row->lane] += (float)row->impulse;
		row->point->hit[row->lane] += (float)row->impulse;
	}
	bounceNoteWhirling(bounce, index);
	bounceStore(bounce);
}
