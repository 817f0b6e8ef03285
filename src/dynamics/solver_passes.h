// SPDX-License-Identifier: MIT

// The passes over contact blocks, in solver_passes.c once for each set of lanes (base/lanes.h), and on devices with one
// lane a thread (gpu/kernels/blocks.cl).
//
// One contact is one normal n from A to B with up to four points, solved in turn; r are their places relative to the
// centers.
//   separation now   s = s0 + n.(dpB - dpA) + thetaB.(rB x n) - thetaA.(rA x n)
//   normal impulse   dl = -m (c vn + b) - i l, the sum l never below 0
// With s > 0 the contact is ahead: b = s/h, c = 1, i = 0. Inside, b = rate s and c, i make it a damped spring (Catto,
// "Soft constraints") that leaves no more than vn = push behind. The relaxing pass has b = 0 for s <= 0 and is rigid:
// it takes the push out of the velocity again.

typedef struct LANE(solverVec)
{
	brLanes x, y, z;
} LANE(solverVec);

// A body of eight lanes while a block is solved.
typedef struct LANE(solverBody)
{
	LANE(solverVec) v, w;
} LANE(solverBody);

LANE_INLINE LANE(solverVec) LANE(solverLoad)(const brLanes a[3])
{
	return (LANE(solverVec)){a[0], a[1], a[2]};
}

LANE_INLINE void LANE(solverStore)(brLanes out[3], const LANE(solverVec) * a)
{
	out[0] = a->x, out[1] = a->y, out[2] = a->z;
}

#define SV LANE(solverVec)
#define SOLVER_DOT(a, b) ((a).x * (b).x + (a).y * (b).y + (a).z * (b).z)
#define SOLVER_CROSS(a, b)                                                                                             \
	((SV){(a).y * (b).z - (a).z * (b).y, (a).z * (b).x - (a).x * (b).z, (a).x * (b).y - (a).y * (b).x})
#define SOLVER_SUB(a, b) ((SV){(a).x - (b).x, (a).y - (b).y, (a).z - (b).z})
#define SOLVER_ADD_TO(a, s, b) ((a).x += (s) * (b).x, (a).y += (s) * (b).y, (a).z += (s) * (b).z)
#define SOLVER_SUB_FROM(a, s, b) ((a).x -= (s) * (b).x, (a).y -= (s) * (b).y, (a).z -= (s) * (b).z)
// Symmetric matrix xx yy zz xy xz yz.
#define SOLVER_MUL(m, a)                                                                                               \
	((SV){(m)[0] * (a).x + (m)[3] * (a).y + (m)[4] * (a).z, (m)[3] * (a).x + (m)[1] * (a).y + (m)[5] * (a).z,          \
		  (m)[4] * (a).x + (m)[5] * (a).y + (m)[2] * (a).z})
#define SOLVER_SELECT BR_CHOOSE8
#define SOLVER_MAX LANE(brMax8)
#define SOLVER_MIN LANE(brMin8)
#define SOLVER_MORE LANE(brMore8)

#ifdef __OPENCL_VERSION__
// One lane: a thread's.
LANE_INLINE LANE(solverBody) LANE(solverGather)(const BR_FAR brSolverState* states, const int32_t* indices, bool moved)
{
	const BR_FAR brSolverState* s = &states[indices[0]];
	LANE(solverBody) now = {{s->velocity[0], s->velocity[1], s->velocity[2]}, {s->spin[0], s->spin[1], s->spin[2]}};
	LANE(solverBody) way = {{s->moved[0], s->moved[1], s->moved[2]}, {s->turned[0], s->turned[1], s->turned[2]}};
	return moved ? way : now;
}

LANE_INLINE void LANE(solverScatter)(BR_FAR brSolverState* states, const int32_t* indices, const uint8_t* writes,
									 const LANE(solverBody) * body)
{
	if (writes[0])
	{
		BR_FAR brSolverState* s = &states[indices[0]];
		s->velocity[0] = body->v.x, s->velocity[1] = body->v.y, s->velocity[2] = body->v.z;
		s->spin[0] = body->w.x, s->spin[1] = body->w.y, s->spin[2] = body->w.z;
	}
}
#else
// Velocities, or with `moved` what the bodies have moved.
LANE_INLINE LANE(solverBody) LANE(solverGather)(const BR_FAR brSolverState* states, const int32_t* indices, bool moved)
{
	brLanes rows[8];
	for (int i = 0; i < 8; ++i)
	{
		rows[i] = *(const brLanes*)(moved ? states[indices[i]].moved : states[indices[i]].velocity);
	}
	LANE(brTranspose8)(rows);
	return (LANE(solverBody)){{rows[0], rows[1], rows[2]}, {rows[4], rows[5], rows[6]}};
}

LANE_INLINE void LANE(solverScatter)(BR_FAR brSolverState* states, const int32_t* indices, const uint8_t* writes,
									 const LANE(solverBody) * body)
{
	const brLanes zero = {0};
	brLanes rows[8] = {body->v.x, body->v.y, body->v.z, zero, body->w.x, body->w.y, body->w.z, zero};
	LANE(brTranspose8)(rows);
	for (int i = 0; i < 8; ++i)
	{
		if (writes[i])
		{
			*(brLanes*)states[indices[i]].velocity = rows[i];
		}
	}
}

#endif

// Points that leave while they press are looked at where friction changes by more than this share of the load; faster
// than this share of what overlap may push they leave. What lies still stays as it is, to the bit: towers would else
// come to lean while they settle.
#define SOLVER_FRICTION_KEPT 0.1f
#define SOLVER_LEAVING 0.02f

// Impulse p at rA and rB along direction n of one and all lanes.
#define SOLVER_APPLY(block, a, b, p, n, rnA, rnB)                                                                      \
	do                                                                                                                 \
	{                                                                                                                  \
		brLanes pA = (p) * (block)->invMassA, pB = (p) * (block)->invMassB;                                            \
		SV spunA = SOLVER_MUL((block)->invInertiaA, rnA), spunB = SOLVER_MUL((block)->invInertiaB, rnB);               \
		SOLVER_SUB_FROM((a).v, pA, n);                                                                                 \
		SOLVER_SUB_FROM((a).w, p, spunA);                                                                              \
		SOLVER_ADD_TO((b).v, pB, n);                                                                                   \
		SOLVER_ADD_TO((b).w, p, spunB);                                                                                \
	} while (0)

#define SOLVER_SPEED(a, b, n, rnA, rnB)                                                                                \
	(SOLVER_DOT(n, (b).v) + SOLVER_DOT(rnB, (b).w) - SOLVER_DOT(n, (a).v) - SOLVER_DOT(rnA, (a).w))

// Effective masses of points, the friction center, and its masses.
LANE_INLINE void LANE(solverWeighBlock)(brContactBlock* block)
{
	const brLanes zero = {0}, one = zero + 1.0f;
	SV n = LANE(solverLoad)(block->normal), t = LANE(solverLoad)(block->tangent), s = SOLVER_CROSS(n, t);
	brLanes massSum = block->invMassA + block->invMassB;
	SV centerA = {zero, zero, zero}, centerB = {zero, zero, zero};
	brLanes weightSum = zero;
	for (int32_t k = 0; k < block->pointCount; ++k)
	{
		brPointLanes* point = &block->points[k];
		SV rA = LANE(solverLoad)(point->anchorA), rB = LANE(solverLoad)(point->anchorB);
		SV rnA = SOLVER_CROSS(rA, n), rnB = SOLVER_CROSS(rB, n);
		SV turnA = SOLVER_MUL(block->invInertiaA, rnA), turnB = SOLVER_MUL(block->invInertiaB, rnB);
		brLanes sum = massSum + SOLVER_DOT(rnA, turnA) + SOLVER_DOT(rnB, turnB);
		// point->mass comes in as more than 0 for a point, 0 for none.
		brInt8 isPoint = SOLVER_MORE(point->mass, zero) & SOLVER_MORE(sum, zero);
		point->mass = SOLVER_SELECT(isPoint, one / SOLVER_SELECT(isPoint, sum, one), zero);

		// Points ahead hold nothing yet, so they fade out of the friction center.
		brLanes weight = one - SOLVER_MAX(point->separation, zero) * block->fade;
		weight = SOLVER_SELECT(isPoint, SOLVER_MAX(weight, zero + 1e-3f), zero);
		SOLVER_ADD_TO(centerA, weight, rA);
		SOLVER_ADD_TO(centerB, weight, rB);
		weightSum += weight;
	}
	brInt8 hasWeight = SOLVER_MORE(weightSum, zero);
	brLanes invWeight = SOLVER_SELECT(hasWeight, one / SOLVER_SELECT(hasWeight, weightSum, one), zero);
	centerA = (SV){invWeight * centerA.x, invWeight * centerA.y, invWeight * centerA.z};
	centerB = (SV){invWeight * centerB.x, invWeight * centerB.y, invWeight * centerB.z};
	for (int32_t k = 0; k < block->pointCount; ++k)
	{
		brPointLanes* point = &block->points[k];
		SV rB = LANE(solverLoad)(point->anchorB);
		SV d = SOLVER_SUB(rB, centerB);
		brLanes distanceSq = SOLVER_DOT(d, d);
		point->lever = LANE(brRoot8)(distanceSq);
		point->lever += block->spinning;
	}
	// Anchors of balls are at their middle, friction is at their surface.
	SOLVER_SUB_FROM(centerA, -block->roundA, n);
	SOLVER_SUB_FROM(centerB, block->roundB, n);
	LANE(solverStore)(block->centerA, &centerA);
	LANE(solverStore)(block->centerB, &centerB);

	// Friction: the 2x2 matrix at the center, and the twist about the normal.
	SV rtA = SOLVER_CROSS(centerA, t), rtB = SOLVER_CROSS(centerB, t);
	SV rsA = SOLVER_CROSS(centerA, s), rsB = SOLVER_CROSS(centerB, s);
	SV itA = SOLVER_MUL(block->invInertiaA, rtA), itB = SOLVER_MUL(block->invInertiaB, rtB);
	SV isA = SOLVER_MUL(block->invInertiaA, rsA), isB = SOLVER_MUL(block->invInertiaB, rsB);
	brLanes k11 = massSum + SOLVER_DOT(rtA, itA) + SOLVER_DOT(rtB, itB);
	brLanes k22 = massSum + SOLVER_DOT(rsA, isA) + SOLVER_DOT(rsB, isB);
	brLanes k12 = SOLVER_DOT(rtA, isA) + SOLVER_DOT(rtB, isB);
	brLanes det = k11 * k22 - k12 * k12;
	brInt8 isGood = SOLVER_MORE(det, zero);
	brLanes invDet = SOLVER_SELECT(isGood, one / SOLVER_SELECT(isGood, det, one), zero);
	block->tangentMass[0] = invDet * k22;
	block->tangentMass[1] = invDet * k11;
	block->tangentMass[2] = -(invDet * k12);
	SV nA = SOLVER_MUL(block->invInertiaA, n), nB = SOLVER_MUL(block->invInertiaB, n);
	brLanes twist = SOLVER_DOT(n, nA) + SOLVER_DOT(n, nB);
	brInt8 isTwist = SOLVER_MORE(twist, zero);
	block->twistMass = SOLVER_SELECT(isTwist, one / SOLVER_SELECT(isTwist, twist, one), zero);
}

#ifndef __OPENCL_VERSION__
// One side of eight contacts while they follow it.
typedef struct LANE(solverSide)
{
	SV moment; // what moving its impulses adds to its angular momentum
	SV center; // of friction, before
	brInt8 isTop;
	uint32_t forgets;
} LANE(solverSide);

// Anchors and separations to where a side is now; contacts of what rolls stay below it.
LANE_INLINE LANE(solverSide) LANE(solverFollowSide)(brContactBlock* block, bool isA, const brSolverTurn* turns)
{
	const brLanes zero = {0};
	const int32_t* indices = isA ? block->stateA : block->stateB;
	brLanes turn[8], rest[8];
	for (int i = 0; i < 8; ++i)
	{
		turn[i] = *(const brLanes*)turns[indices[i]].turn;
		rest[i] = *(const brLanes*)&turns[indices[i]].last;
	}
	LANE(brTranspose8)(turn);
	LANE(brTranspose8)(rest);
	brLanes* inverse = isA ? block->invInertiaA : block->invInertiaB;
	for (int k = 0; k < 6; ++k)
	{
		inverse[k] = rest[1 + k];
	}
	brInt8 isTop = SOLVER_MORE(rest[7], zero), isCarried = SOLVER_MORE(rest[7], zero + (float)br_turnRolling);
	SV turned = {SOLVER_SELECT(isCarried, zero, turn[0]), SOLVER_SELECT(isCarried, zero, turn[1]),
				 SOLVER_SELECT(isCarried, zero, turn[2])};
	for (int k = 0; k < 3; ++k)
	{
		turn[k] = SOLVER_SELECT(isCarried, turn[k], zero);
	}
	LANE(solverSide)
	side = {.moment = {zero, zero, zero}, .center = LANE(solverLoad)(isA ? block->centerA : block->centerB)};
	side.isTop = isTop;
	side.forgets = LANE(brBits8)(SOLVER_MORE(rest[7], zero + (float)br_turnCarried));
	SV n = LANE(solverLoad)(block->normal);
	brLanes sign = zero + (isA ? -1.0f : 1.0f);
	for (int32_t k = 0; k < block->pointCount; ++k)
	{
		brPointLanes* point = &block->points[k];
		brLanes* anchor = isA ? point->anchorA : point->anchorB;
		SV r = LANE(solverLoad)(anchor), rn = SOLVER_CROSS(r, n);
		SV way = {turn[0] * r.x + turn[3] * r.y + turn[6] * r.z, turn[1] * r.x + turn[4] * r.y + turn[7] * r.z,
				  turn[2] * r.x + turn[5] * r.y + rest[0] * r.z};
		SV now = {r.x + way.x, r.y + way.y, r.z + way.z};
		LANE(solverStore)(anchor, &now);
		point->separation += sign * (SOLVER_DOT(n, way) + SOLVER_DOT(turned, rn));
		SV moment = SOLVER_CROSS(way, n);
		SOLVER_ADD_TO(side.moment, sign * point->impulse, moment);
	}
	return side;
}

// The next substep begins with the impulses of this one, at the levers of now.
LANE_INLINE void LANE(solverLeaveSide)(const brContactBlock* block, bool isA, const LANE(solverSide) * side,
									   brSolverBody* bodies)
{
	SV n = LANE(solverLoad)(block->normal), t = LANE(solverLoad)(block->tangent), s = SOLVER_CROSS(n, t);
	brLanes p = block->tangentImpulse[0], q = block->tangentImpulse[1];
	SV f = {p * t.x + q * s.x, p * t.y + q * s.y, p * t.z + q * s.z};
	SV center = LANE(solverLoad)(isA ? block->centerA : block->centerB), way = SOLVER_SUB(center, side->center);
	SV rubbed = SOLVER_CROSS(way, f), moment = side->moment;
	const brLanes sign = (brLanes){0} + (isA ? -1.0f : 1.0f);
	SOLVER_ADD_TO(moment, sign, rubbed);
	SV spin = SOLVER_MUL(isA ? block->invInertiaA : block->invInertiaB, moment);
	for (uint32_t bits = LANE(brBits8)(side->isTop); bits != 0; bits &= bits - 1)
	{
		int lane = __builtin_ctz(bits);
		brVec3* base = &bodies[isA ? block->stateA[lane] : block->stateB[lane]].baseSpin;
		*base = brSub(*base, brMakeVec3(spin.x[lane], spin.y[lane], spin.z[lane]));
	}
}

// Blocks of one color may follow at once.
LANE_TARGET static void LANE(solverFollow)(brContactBlock* blocks, int32_t count, const brSolverTurn* turns,
										   brSolverBody* bodies, int32_t bits)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brContactBlock* block = &blocks[i];
		if ((block->tops & bits) == 0)
		{
			continue;
		}
		LANE(solverSide) a = LANE(solverFollowSide)(block, true, turns);
		LANE(solverSide) b = LANE(solverFollowSide)(block, false, turns);
		LANE(solverWeighBlock)(block);
		LANE(solverLeaveSide)(block, true, &a, bodies);
		LANE(solverLeaveSide)(block, false, &b, bodies);
		block->tops = BR_BLOCK_HAS_TOP | ((a.forgets | b.forgets) != 0 ? BR_BLOCK_FORGETS : 0);
	}
}
#endif

LANE_TARGET static void LANE(solverPrepare)(brContactBlock* blocks, int32_t count, const BR_FAR brSolverState* states)
{
	const brLanes zero = {0};
	for (int32_t i = 0; i < count; ++i)
	{
		brContactBlock* block = &blocks[i];
		LANE(solverWeighBlock)(block);
		LANE(solverBody) a = LANE(solverGather)(states, block->stateA, false);
		LANE(solverBody) b = LANE(solverGather)(states, block->stateB, false);
		SV n = LANE(solverLoad)(block->normal);
		brLanes fastest = zero;
		for (int32_t k = 0; k < block->pointCount; ++k)
		{
			brPointLanes* point = &block->points[k];
			SV rA = LANE(solverLoad)(point->anchorA), rB = LANE(solverLoad)(point->anchorB);
			SV rnA = SOLVER_CROSS(rA, n), rnB = SOLVER_CROSS(rB, n);
			brInt8 isPoint = SOLVER_MORE(point->mass, zero);
			point->approach = SOLVER_SELECT(isPoint, SOLVER_SPEED(a, b, n, rnA, rnB), zero);
			fastest = SOLVER_MIN(fastest, point->approach);
		}
		// What comes fast hits with all its points at once, whether it bounces or not.
		brInt8 isFast = SOLVER_MORE(block->bounceSpeed, fastest) | SOLVER_MORE(block->restitution, zero);
		block->bounceSpeed = SOLVER_SELECT(isFast, block->bounceSpeed, zero - INFINITY);
		block->hasBounce = block->hasBounce || LANE(brBits8)(isFast) != 0;
	}
}

LANE_TARGET static void LANE(solverWarmStart)(brContactBlock* blocks, int32_t count, BR_FAR brSolverState* states)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brContactBlock* block = &blocks[i];
		LANE(solverBody) a = LANE(solverGather)(states, block->stateA, false);
		LANE(solverBody) b = LANE(solverGather)(states, block->stateB, false);
		SV n = LANE(solverLoad)(block->normal), t = LANE(solverLoad)(block->tangent), s = SOLVER_CROSS(n, t);
		for (int32_t k = 0; k < block->pointCount; ++k)
		{
			brPointLanes* point = &block->points[k];
			SV rA = LANE(solverLoad)(point->anchorA), rB = LANE(solverLoad)(point->anchorB);
			SV rnA = SOLVER_CROSS(rA, n), rnB = SOLVER_CROSS(rB, n);
			SOLVER_APPLY(block, a, b, point->impulse, n, rnA, rnB);
		}
		SV centerA = LANE(solverLoad)(block->centerA), centerB = LANE(solverLoad)(block->centerB);
		brLanes p = block->tangentImpulse[0], q = block->tangentImpulse[1];
		SV f = {p * t.x + q * s.x, p * t.y + q * s.y, p * t.z + q * s.z};
		const brLanes one = (brLanes){0} + 1.0f;
		SV rfA = SOLVER_CROSS(centerA, f), rfB = SOLVER_CROSS(centerB, f);
		SOLVER_APPLY(block, a, b, one, f, rfA, rfB);
		SV roll = LANE(solverLoad)(block->rollingImpulse);
		SOLVER_ADD_TO(roll, block->twistImpulse, n);
		SV turnA = SOLVER_MUL(block->invInertiaA, roll), turnB = SOLVER_MUL(block->invInertiaB, roll);
		SOLVER_SUB_FROM(a.w, one, turnA);
		SOLVER_ADD_TO(b.w, one, turnB);
		LANE(solverScatter)(states, block->stateA, block->writesA, &a);
		LANE(solverScatter)(states, block->stateB, block->writesB, &b);
	}
}

// The points of a block in turn. Moved bodies give the separation now.
LANE_INLINE void LANE(solverSolvePoints)(brContactBlock* block, LANE(solverBody) * a, LANE(solverBody) * b,
										 const LANE(solverBody) * movedA, const LANE(solverBody) * movedB, float invH,
										 bool isBiased)
{
	const brLanes zero = {0}, one = zero + 1.0f;
	SV n = LANE(solverLoad)(block->normal);
	SV apart = SOLVER_SUB(movedB->v, movedA->v);
	brLanes shift = SOLVER_DOT(n, apart);
	for (int32_t k = 0; k < block->pointCount; ++k)
	{
		brPointLanes* point = &block->points[k];
		SV rA = LANE(solverLoad)(point->anchorA), rB = LANE(solverLoad)(point->anchorB);
		SV rnA = SOLVER_CROSS(rA, n), rnB = SOLVER_CROSS(rB, n);
		brLanes s = point->separation + shift + SOLVER_DOT(rnB, movedB->w) - SOLVER_DOT(rnA, movedA->w);
		brInt8 isAhead = SOLVER_MORE(s, zero);
		brLanes bias, massScale = one, impulseScale = zero;
		if (isBiased)
		{
			bias = SOLVER_SELECT(isAhead, s * invH, block->rate * s);
			massScale = SOLVER_SELECT(isAhead, one, block->massScale);
			impulseScale = SOLVER_SELECT(isAhead, zero, block->impulseScale);
		}
		else
		{
			bias = SOLVER_SELECT(isAhead, s * invH, zero);
		}
		brLanes vn = SOLVER_SPEED(*a, *b, n, rnA, rnB);
		brLanes old = point->impulse;
		brLanes next = old - point->mass * massScale * (vn + bias) - impulseScale * old;
		if (isBiased)
		{
			// A spring under load may press as hard as it must, but what is free to go leaves no faster than this.
			brLanes most = old + point->mass * SOLVER_MAX(block->push - vn, zero);
			next = SOLVER_MIN(next, most);
		}
		else
		{
			// What is ahead and carries nothing is stopped when it is there, not before.
			next = SOLVER_SELECT(isAhead & LANE(brAtMost8)(old, zero), old, next);
		}
		next = SOLVER_MAX(next, zero);
		point->impulse = next;
		if (!isBiased)
		{
			point->total += next;
		}
		brLanes p = next - old;
		SOLVER_APPLY(block, *a, *b, p, n, rnA, rnB);
	}
}

// Friction begins with that of the substep before. Where a contact gives way it is more than what presses now holds,
// and would pull bodies along that part; taken off once they have turned it would leave them energy.
LANE_INLINE void LANE(solverLimitFriction)(brContactBlock* block, LANE(solverBody) * a, LANE(solverBody) * b)
{
	const brLanes zero = {0}, one = zero + 1.0f;
	brLanes load = zero, p = block->tangentImpulse[0], q = block->tangentImpulse[1];
	for (int32_t k = 0; k < block->pointCount; ++k)
	{
		load += block->points[k].impulse;
	}
	brLanes limit = block->friction * load, lengthSq = p * p + q * q;
	brInt8 isOver = SOLVER_MORE(lengthSq, limit * limit);
	if (LANE(brBits8)(isOver) == 0)
	{
		return;
	}
	brLanes length = SOLVER_SELECT(isOver, lengthSq, one);
	length = LANE(brRoot8)(length);
	brLanes change = SOLVER_SELECT(isOver, limit / length, one) - one;
	SV n = LANE(solverLoad)(block->normal), t = LANE(solverLoad)(block->tangent), s = SOLVER_CROSS(n, t);
	SV centerA = LANE(solverLoad)(block->centerA), centerB = LANE(solverLoad)(block->centerB);
	block->tangentImpulse[0] = p + change * p, block->tangentImpulse[1] = q + change * q;
	SV f = {change * (p * t.x + q * s.x), change * (p * t.y + q * s.y), change * (p * t.z + q * s.z)};
	SV rfA = SOLVER_CROSS(centerA, f), rfB = SOLVER_CROSS(centerB, f);
	SOLVER_APPLY(block, *a, *b, one, f, rfA, rfB);
}

LANE_TARGET static void LANE(solverSolveBiased)(brContactBlock* blocks, int32_t count, BR_FAR brSolverState* states,
												float invH)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brContactBlock* block = &blocks[i];
		LANE(solverBody) a = LANE(solverGather)(states, block->stateA, false);
		LANE(solverBody) b = LANE(solverGather)(states, block->stateB, false);
		LANE(solverBody) movedA = LANE(solverGather)(states, block->stateA, true);
		LANE(solverBody) movedB = LANE(solverGather)(states, block->stateB, true);
		LANE(solverSolvePoints)(block, &a, &b, &movedA, &movedB, invH, true);
		LANE(solverLimitFriction)(block, &a, &b);
		LANE(solverScatter)(states, block->stateA, block->writesA, &a);
		LANE(solverScatter)(states, block->stateB, block->writesB, &b);
	}
}

// Rolling resistance: an angular impulse against the relative spin, at most rolling times the normal impulse. The 3x3
// matrix is inverted here, since few contacts need it.
LANE_INLINE void LANE(solverSolveRolling)(brContactBlock* block, LANE(solverBody) * a, LANE(solverBody) * b,
										  const brLanes* load)
{
	const brLanes zero = {0}, one = zero + 1.0f;
	brLanes k[6];
	for (int j = 0; j < 6; ++j)
	{
		k[j] = block->invInertiaA[j] + block->invInertiaB[j];
	}
	// By their sum, as products of what turns a grain of dust (1e20 and more) are not finite.
	brLanes sum = k[0] + k[1] + k[2];
	brInt8 isFree = SOLVER_MORE(sum, zero);
	brLanes unit = SOLVER_SELECT(isFree, one / SOLVER_SELECT(isFree, sum, one), zero);
	for (int j = 0; j < 6; ++j)
	{
		k[j] *= unit;
	}
	brLanes c00 = k[1] * k[2] - k[5] * k[5], c01 = k[4] * k[5] - k[3] * k[2], c02 = k[3] * k[5] - k[4] * k[1];
	brLanes det = k[0] * c00 + k[3] * c01 + k[4] * c02;
	brInt8 isGood = SOLVER_MORE(det, zero);
	brLanes invDet = SOLVER_SELECT(isGood, unit / SOLVER_SELECT(isGood, det, one), zero);
	brLanes inverse[6] = {
		invDet * c00, invDet * (k[0] * k[2] - k[4] * k[4]), invDet * (k[0] * k[1] - k[3] * k[3]), invDet * c01,
		invDet * c02, invDet * (k[3] * k[4] - k[0] * k[5])};
	SV spin = SOLVER_SUB(b->w, a->w);
	SV wanted = SOLVER_MUL(inverse, spin);
	SV old = LANE(solverLoad)(block->rollingImpulse);
	SV next = SOLVER_SUB(old, wanted);
	brLanes limit = block->rolling * *load;
	brLanes lengthSq = SOLVER_DOT(next, next);
	brInt8 isOver = SOLVER_MORE(lengthSq, limit * limit);
	brLanes length = SOLVER_SELECT(isOver, lengthSq, one);
	length = LANE(brRoot8)(length);
	brLanes scale = SOLVER_SELECT(isOver, limit / length, one);
	next = (SV){scale * next.x, scale * next.y, scale * next.z};
	LANE(solverStore)(block->rollingImpulse, &next);
	block->rollingTotal[0] += next.x, block->rollingTotal[1] += next.y, block->rollingTotal[2] += next.z;
	SV p = SOLVER_SUB(next, old);
	SV turnA = SOLVER_MUL(block->invInertiaA, p), turnB = SOLVER_MUL(block->invInertiaB, p);
	SOLVER_SUB_FROM(a->w, one, turnA);
	SOLVER_ADD_TO(b->w, one, turnB);
}

// Points that leave while they press give back what they press by: friction has changed since they were solved, and
// with it how they move. This takes energy from the pair, whatever else presses on it.
LANE_INLINE void LANE(solverGiveBack)(brContactBlock* block, LANE(solverBody) * a, LANE(solverBody) * b, brInt8 isMeant)
{
	const brLanes zero = {0}, slow = SOLVER_LEAVING * block->push;
	SV n = LANE(solverLoad)(block->normal);
	for (int32_t k = 0; k < block->pointCount; ++k)
	{
		brPointLanes* point = &block->points[k];
		SV rA = LANE(solverLoad)(point->anchorA), rB = LANE(solverLoad)(point->anchorB);
		SV rnA = SOLVER_CROSS(rA, n), rnB = SOLVER_CROSS(rB, n);
		brLanes back = point->mass * SOLVER_MAX(SOLVER_SPEED(*a, *b, n, rnA, rnB) - slow, zero);
		back = SOLVER_SELECT(isMeant, SOLVER_MIN(back, point->impulse), zero);
		point->impulse -= back;
		point->total -= back;
		brLanes p = zero - back;
		SOLVER_APPLY(block, *a, *b, p, n, rnA, rnB);
	}
}

LANE_TARGET static void LANE(solverRelax)(brContactBlock* blocks, int32_t count, BR_FAR brSolverState* states,
										  float invH)
{
	const brLanes zero = {0}, one = zero + 1.0f;
	for (int32_t i = 0; i < count; ++i)
	{
		brContactBlock* block = &blocks[i];
		LANE(solverBody) a = LANE(solverGather)(states, block->stateA, false);
		LANE(solverBody) b = LANE(solverGather)(states, block->stateB, false);
		LANE(solverBody) movedA = LANE(solverGather)(states, block->stateA, true);
		LANE(solverBody) movedB = LANE(solverGather)(states, block->stateB, true);
		SV n = LANE(solverLoad)(block->normal), t = LANE(solverLoad)(block->tangent), s = SOLVER_CROSS(n, t);
		LANE(solverSolvePoints)(block, &a, &b, &movedA, &movedB, invH, false);

		// Friction holds what the points press.
		brLanes load = zero, twistLoad = zero;
		for (int32_t k = 0; k < block->pointCount; ++k)
		{
			load += block->points[k].impulse;
			twistLoad += block->points[k].impulse * block->points[k].lever;
		}
		SV spin = SOLVER_SUB(b.w, a.w);
		brLanes twistLimit = block->friction * twistLoad;
		brLanes twist = block->twistImpulse - block->twistMass * SOLVER_DOT(n, spin);
		twist = SOLVER_MIN(twist, twistLimit);
		twist = SOLVER_MAX(twist, -twistLimit);
		brLanes dTwist = twist - block->twistImpulse;
		block->twistImpulse = twist;
		block->twistTotal += twist;
		SV turnA = SOLVER_MUL(block->invInertiaA, n), turnB = SOLVER_MUL(block->invInertiaB, n);
		SOLVER_SUB_FROM(a.w, dTwist, turnA);
		SOLVER_ADD_TO(b.w, dTwist, turnB);
		if (block->hasRolling)
		{
			LANE(solverSolveRolling)(block, &a, &b, &load);
		}

		SV centerA = LANE(solverLoad)(block->centerA), centerB = LANE(solverLoad)(block->centerB);
		SV wrA = SOLVER_CROSS(a.w, centerA), wrB = SOLVER_CROSS(b.w, centerB);
		SV slip = {b.v.x + wrB.x - a.v.x - wrA.x, b.v.y + wrB.y - a.v.y - wrA.y, b.v.z + wrB.z - a.v.z - wrA.z};
		brLanes vt = SOLVER_DOT(slip, t), vs = SOLVER_DOT(slip, s);
		brLanes p = block->tangentImpulse[0] - (block->tangentMass[0] * vt + block->tangentMass[2] * vs);
		brLanes q = block->tangentImpulse[1] - (block->tangentMass[2] * vt + block->tangentMass[1] * vs);
		brLanes limit = block->friction * load;
		brInt8 isSliding = SOLVER_MORE(p * p + q * q, limit * limit);
		// What slides is pulled against its way. The impulse that would stop it points elsewhere if it turns more
		// easily about one axis than another; a step by the least mass in any direction, then back to the limit, ends
		// where pull and way oppose.
		brLanes sum = 0.5f * (block->tangentMass[0] + block->tangentMass[1]);
		brLanes spread = 0.5f * (block->tangentMass[0] - block->tangentMass[1]);
		brLanes least = spread * spread + block->tangentMass[2] * block->tangentMass[2];
		least = LANE(brRoot8)(least);
		least = sum - least;
		p = SOLVER_SELECT(isSliding, block->tangentImpulse[0] - least * vt, p);
		q = SOLVER_SELECT(isSliding, block->tangentImpulse[1] - least * vs, q);
		brLanes lengthSq = p * p + q * q;
		brInt8 isOver = SOLVER_MORE(lengthSq, limit * limit);
		brLanes length = SOLVER_SELECT(isOver, lengthSq, one);
		length = LANE(brRoot8)(length);
		brLanes scale = SOLVER_SELECT(isOver, limit / length, one);
		p = scale * p, q = scale * q;
		brLanes dp = p - block->tangentImpulse[0], dq = q - block->tangentImpulse[1];
		block->tangentImpulse[0] = p, block->tangentImpulse[1] = q;
		block->tangentTotal[0] += p, block->tangentTotal[1] += q;
		SV f = {dp * t.x + dq * s.x, dp * t.y + dq * s.y, dp * t.z + dq * s.z};
		SV rfA = SOLVER_CROSS(centerA, f), rfB = SOLVER_CROSS(centerB, f);
		SOLVER_APPLY(block, a, b, one, f, rfA, rfB);
		brInt8 isOther = SOLVER_MORE(dp * dp + dq * dq, SOLVER_FRICTION_KEPT * SOLVER_FRICTION_KEPT * load * load);
		if (LANE(brBits8)(isOther) != 0)
		{
			LANE(solverGiveBack)(block, &a, &b, isOther);
		}
		LANE(solverScatter)(states, block->stateA, block->writesA, &a);
		LANE(solverScatter)(states, block->stateB, block->writesB, &b);
	}
}

LANE_TARGET static void LANE(solverFindHits)(brContactBlock* blocks, int32_t count, const BR_FAR brSolverState* states,
											 float h)
{
	const brLanes zero = {0};
	for (int32_t i = 0; i < count; ++i)
	{
		brContactBlock* block = &blocks[i];
		block->hits = 0;
		if (!block->hasBounce)
		{
			continue;
		}
		LANE(solverBody) a = LANE(solverGather)(states, block->stateA, false);
		LANE(solverBody) b = LANE(solverGather)(states, block->stateB, false);
		LANE(solverBody) movedA = LANE(solverGather)(states, block->stateA, true);
		LANE(solverBody) movedB = LANE(solverGather)(states, block->stateB, true);
		SV n = LANE(solverLoad)(block->normal);
		SV apart = SOLVER_SUB(movedB.v, movedA.v);
		brLanes shift = SOLVER_DOT(n, apart);
		brInt8 isHit = {0};
		for (int32_t k = 0; k < block->pointCount; ++k)
		{
			const brPointLanes* point = &block->points[k];
			SV rA = LANE(solverLoad)(point->anchorA), rB = LANE(solverLoad)(point->anchorB);
			SV rnA = SOLVER_CROSS(rA, n), rnB = SOLVER_CROSS(rB, n);
			brLanes s = point->separation + shift + SOLVER_DOT(rnB, movedB.w) - SOLVER_DOT(rnA, movedA.w);
			brLanes vn = SOLVER_SPEED(a, b, n, rnA, rnB);
			isHit |= SOLVER_MORE(block->bounceSpeed, vn) & LANE(brAtMost8)(s + h * vn, zero) &
					 SOLVER_MORE(point->mass, zero);
		}
		block->hits = (uint8_t)LANE(brBits8)(isHit);
	}
}

LANE_TARGET static void LANE(solverWork)(brContactBlock* blocks, int32_t count, const BR_FAR brSolverState* means,
										 bool isDriven)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brContactBlock* block = &blocks[i];
		LANE(solverBody) a = LANE(solverGather)(means, block->stateA, false);
		LANE(solverBody) b = LANE(solverGather)(means, block->stateB, false);
		SV n = LANE(solverLoad)(block->normal), t = LANE(solverLoad)(block->tangent), s = SOLVER_CROSS(n, t);
		const brLanes zero = {0};
		brLanes pressed = zero;
		for (int32_t k = 0; k < block->pointCount; ++k)
		{
			brPointLanes* point = &block->points[k];
			SV rA = LANE(solverLoad)(point->anchorA), rB = LANE(solverLoad)(point->anchorB);
			SV rnA = SOLVER_CROSS(rA, n), rnB = SOLVER_CROSS(rB, n);
			pressed += (point->total - point->hit) * SOLVER_SPEED(a, b, n, rnA, rnB);
			point->hit = isDriven ? point->hit : point->total;
		}
		SV centerA = LANE(solverLoad)(block->centerA), centerB = LANE(solverLoad)(block->centerB);
		SV wrA = SOLVER_CROSS(a.w, centerA), wrB = SOLVER_CROSS(b.w, centerB);
		SV slip = {b.v.x + wrB.x - a.v.x - wrA.x, b.v.y + wrB.y - a.v.y - wrA.y, b.v.z + wrB.z - a.v.z - wrA.z};
		SV turn = LANE(solverLoad)(block->rollingTotal), spin = SOLVER_SUB(b.w, a.w);
		SOLVER_ADD_TO(turn, block->twistTotal, n);
		brLanes rubbed = block->tangentTotal[0] * SOLVER_DOT(slip, t) + block->tangentTotal[1] * SOLVER_DOT(slip, s) +
						 SOLVER_DOT(turn, spin);
		if (isDriven)
		{
			block->work[2] += pressed + rubbed;
			continue;
		}
		block->work[0] += pressed;
		block->work[1] += rubbed;
		block->tangentTotal[0] = block->tangentTotal[1] = block->twistTotal = zero;
		block->rollingTotal[0] = block->rollingTotal[1] = block->rollingTotal[2] = zero;
	}
}

#ifndef __OPENCL_VERSION__
static const brSolverKernels LANE(solverKernels) = {LANE(solverPrepare),     LANE(solverFollow), LANE(solverWarmStart),
													LANE(solverSolveBiased), LANE(solverRelax),  LANE(solverFindHits),
													LANE(solverWork)};
#endif

#undef SV
#undef SOLVER_DOT
#undef SOLVER_CROSS
#undef SOLVER_SUB
#undef SOLVER_ADD_TO
#undef SOLVER_SUB_FROM
#undef SOLVER_MUL
#undef SOLVER_SELECT
#undef SOLVER_MAX
#undef SOLVER_MIN
#undef SOLVER_MORE
#undef SOLVER_APPLY
#undef SOLVER_FRICTION_KEPT
#undef SOLVER_LEAVING
#undef SOLVER_SPEED
