// SPDX-License-Identifier: MIT

// The passes over contact blocks, written once and compiled for each set of instructions. Whoever includes this file has
// defined
//   SOLVER_NAME(name)  the name of a function in this set
//   SOLVER_TARGET      the attribute that lets the compiler use the set's instructions
//   SOLVER_SQRT(out, x)  correctly rounded square roots of eight lanes
//
// One contact is one normal n from A to B with up to four points, solved in turn; r are their places relative to the centers.
//   separation now   s = s0 + n.(dpB - dpA) + thetaB.(rB x n) - thetaA.(rA x n)
//   normal impulse   dl = -m (c vn + b) - i l, the sum l never below 0
// With s > 0 the contact is ahead: b = s/h, c = 1, i = 0. Inside, b = rate s and c, i make it a damped spring (Catto, "Soft
// constraints") that leaves no more than vn = push behind. The relaxing pass has b = 0 for s <= 0 and is rigid: it takes the push out of the velocity again.

#include "dynamics/solver.h"

#define SOLVER_INLINE SOLVER_TARGET static inline __attribute__((always_inline))

typedef int32_t SOLVER_NAME(Mask) __attribute__((vector_size(32)));

typedef struct SOLVER_NAME(Vec)
{
	brLanes x, y, z;
} SOLVER_NAME(Vec);

// A body of eight lanes while a block is solved.
typedef struct SOLVER_NAME(Body)
{
	SOLVER_NAME(Vec) v, w;
} SOLVER_NAME(Body);

SOLVER_INLINE SOLVER_NAME(Vec) SOLVER_NAME(load)(const brLanes a[3])
{
	return (SOLVER_NAME(Vec)){a[0], a[1], a[2]};
}

SOLVER_INLINE void SOLVER_NAME(store)(brLanes out[3], const SOLVER_NAME(Vec) * a)
{
	out[0] = a->x, out[1] = a->y, out[2] = a->z;
}

#define SV SOLVER_NAME(Vec)
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
#define SOLVER_SELECT(mask, a, b) ((brLanes)(((mask) & (SOLVER_NAME(Mask))(a)) | (~(mask) & (SOLVER_NAME(Mask))(b))))
#define SOLVER_MAX(a, b) SOLVER_SELECT((a) > (b), (a), (b))
#define SOLVER_MIN(a, b) SOLVER_SELECT((a) < (b), (a), (b))

// Rows of eight floats to columns.
SOLVER_INLINE void SOLVER_NAME(transpose)(brLanes r[8])
{
	brLanes t[8], u[8];
	for (int i = 0; i < 4; ++i)
	{
		t[2 * i] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
		t[2 * i + 1] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
	}
	for (int i = 0; i < 2; ++i)
	{
		u[4 * i] = __builtin_shufflevector(t[4 * i], t[4 * i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
		u[4 * i + 1] = __builtin_shufflevector(t[4 * i], t[4 * i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
		u[4 * i + 2] = __builtin_shufflevector(t[4 * i + 1], t[4 * i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
		u[4 * i + 3] = __builtin_shufflevector(t[4 * i + 1], t[4 * i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
	}
	for (int i = 0; i < 4; ++i)
	{
		r[i] = __builtin_shufflevector(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
		r[i + 4] = __builtin_shufflevector(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
	}
}

// Velocities, or with `moved` what the bodies have moved.
SOLVER_INLINE SOLVER_NAME(Body) SOLVER_NAME(gather)(const brSolverState* states, const int32_t* indices, bool moved)
{
	brLanes rows[8];
	for (int i = 0; i < 8; ++i)
	{
		rows[i] = *(const brLanes*)(moved ? states[indices[i]].moved : states[indices[i]].velocity);
	}
	SOLVER_NAME(transpose)(rows);
	return (SOLVER_NAME(Body)){{rows[0], rows[1], rows[2]}, {rows[4], rows[5], rows[6]}};
}

SOLVER_INLINE void SOLVER_NAME(scatter)(brSolverState* states, const int32_t* indices, const uint8_t* writes,
										const SOLVER_NAME(Body) * body)
{
	const brLanes zero = {0};
	brLanes rows[8] = {body->v.x, body->v.y, body->v.z, zero, body->w.x, body->w.y, body->w.z, zero};
	SOLVER_NAME(transpose)(rows);
	for (int i = 0; i < 8; ++i)
	{
		if (writes[i])
		{
			*(brLanes*)states[indices[i]].velocity = rows[i];
		}
	}
}

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

SOLVER_TARGET static void SOLVER_NAME(prepare)(brContactBlock* blocks, int32_t count, const brSolverState* states)
{
	const brLanes zero = {0}, one = zero + 1.0f;
	for (int32_t i = 0; i < count; ++i)
	{
		brContactBlock* block = &blocks[i];
		SOLVER_NAME(Body) a = SOLVER_NAME(gather)(states, block->stateA, false);
		SOLVER_NAME(Body) b = SOLVER_NAME(gather)(states, block->stateB, false);
		SV n = SOLVER_NAME(load)(block->normal), t = SOLVER_NAME(load)(block->tangent), s = SOLVER_CROSS(n, t);
		brLanes massSum = block->invMassA + block->invMassB;
		SV centerA = {zero, zero, zero}, centerB = {zero, zero, zero};
		brLanes weightSum = zero, fastest = zero;
		for (int32_t k = 0; k < block->pointCount; ++k)
		{
			brPointLanes* point = &block->points[k];
			SV rA = SOLVER_NAME(load)(point->anchorA), rB = SOLVER_NAME(load)(point->anchorB);
			SV rnA = SOLVER_CROSS(rA, n), rnB = SOLVER_CROSS(rB, n);
			SV turnA = SOLVER_MUL(block->invInertiaA, rnA), turnB = SOLVER_MUL(block->invInertiaB, rnB);
			brLanes sum = massSum + SOLVER_DOT(rnA, turnA) + SOLVER_DOT(rnB, turnB);
			// point->mass comes in as 1 for a point, 0 for none.
			SOLVER_NAME(Mask) isPoint = (point->mass > zero) & (sum > zero);
			point->mass = SOLVER_SELECT(isPoint, one / SOLVER_SELECT(isPoint, sum, one), zero);
			point->approach = SOLVER_SELECT(isPoint, SOLVER_SPEED(a, b, n, rnA, rnB), zero);
			fastest = SOLVER_MIN(fastest, point->approach);

			// Points ahead hold nothing yet, so they fade out of the friction center.
			brLanes weight = one - SOLVER_MAX(point->separation, zero) * block->fade;
			weight = SOLVER_SELECT(isPoint, SOLVER_MAX(weight, zero + 1e-3f), zero);
			SOLVER_ADD_TO(centerA, weight, rA);
			SOLVER_ADD_TO(centerB, weight, rB);
			weightSum += weight;
		}
		// What comes fast hits with all its points at once, whether it bounces or not.
		SOLVER_NAME(Mask) isFast = (fastest < block->bounceSpeed) | (block->restitution > zero);
		block->bounceSpeed = SOLVER_SELECT(isFast, block->bounceSpeed, zero - INFINITY);
		for (int lane = 0; lane < BR_SOLVER_LANES; ++lane)
		{
			block->hasBounce = block->hasBounce || isFast[lane] != 0;
		}
		SOLVER_NAME(Mask) hasWeight = weightSum > zero;
		brLanes invWeight = SOLVER_SELECT(hasWeight, one / SOLVER_SELECT(hasWeight, weightSum, one), zero);
		centerA = (SV){invWeight * centerA.x, invWeight * centerA.y, invWeight * centerA.z};
		centerB = (SV){invWeight * centerB.x, invWeight * centerB.y, invWeight * centerB.z};
		for (int32_t k = 0; k < block->pointCount; ++k)
		{
			brPointLanes* point = &block->points[k];
			SV rB = SOLVER_NAME(load)(point->anchorB);
			SV d = SOLVER_SUB(rB, centerB);
			brLanes distanceSq = SOLVER_DOT(d, d);
			SOLVER_SQRT(point->lever, distanceSq);
			point->lever += block->spinning;
		}
		// Anchors of balls are at their middle, friction is at their surface.
		SOLVER_SUB_FROM(centerA, -block->roundA, n);
		SOLVER_SUB_FROM(centerB, block->roundB, n);
		SOLVER_NAME(store)(block->centerA, &centerA);
		SOLVER_NAME(store)(block->centerB, &centerB);

		// Friction: the 2x2 matrix at the center, and the twist about the normal.
		SV rtA = SOLVER_CROSS(centerA, t), rtB = SOLVER_CROSS(centerB, t);
		SV rsA = SOLVER_CROSS(centerA, s), rsB = SOLVER_CROSS(centerB, s);
		SV itA = SOLVER_MUL(block->invInertiaA, rtA), itB = SOLVER_MUL(block->invInertiaB, rtB);
		SV isA = SOLVER_MUL(block->invInertiaA, rsA), isB = SOLVER_MUL(block->invInertiaB, rsB);
		brLanes k11 = massSum + SOLVER_DOT(rtA, itA) + SOLVER_DOT(rtB, itB);
		brLanes k22 = massSum + SOLVER_DOT(rsA, isA) + SOLVER_DOT(rsB, isB);
		brLanes k12 = SOLVER_DOT(rtA, isA) + SOLVER_DOT(rtB, isB);
		brLanes det = k11 * k22 - k12 * k12;
		SOLVER_NAME(Mask) isGood = det > zero;
		brLanes invDet = SOLVER_SELECT(isGood, one / SOLVER_SELECT(isGood, det, one), zero);
		block->tangentMass[0] = invDet * k22;
		block->tangentMass[1] = invDet * k11;
		block->tangentMass[2] = -(invDet * k12);
		SV nA = SOLVER_MUL(block->invInertiaA, n), nB = SOLVER_MUL(block->invInertiaB, n);
		brLanes twist = SOLVER_DOT(n, nA) + SOLVER_DOT(n, nB);
		SOLVER_NAME(Mask) isTwist = twist > zero;
		block->twistMass = SOLVER_SELECT(isTwist, one / SOLVER_SELECT(isTwist, twist, one), zero);
	}
}

SOLVER_TARGET static void SOLVER_NAME(warmStart)(brContactBlock* blocks, int32_t count, brSolverState* states)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brContactBlock* block = &blocks[i];
		SOLVER_NAME(Body) a = SOLVER_NAME(gather)(states, block->stateA, false);
		SOLVER_NAME(Body) b = SOLVER_NAME(gather)(states, block->stateB, false);
		SV n = SOLVER_NAME(load)(block->normal), t = SOLVER_NAME(load)(block->tangent), s = SOLVER_CROSS(n, t);
		for (int32_t k = 0; k < block->pointCount; ++k)
		{
			brPointLanes* point = &block->points[k];
			SV rA = SOLVER_NAME(load)(point->anchorA), rB = SOLVER_NAME(load)(point->anchorB);
			SV rnA = SOLVER_CROSS(rA, n), rnB = SOLVER_CROSS(rB, n);
			SOLVER_APPLY(block, a, b, point->impulse, n, rnA, rnB);
		}
		SV centerA = SOLVER_NAME(load)(block->centerA), centerB = SOLVER_NAME(load)(block->centerB);
		brLanes p = block->tangentImpulse[0], q = block->tangentImpulse[1];
		SV f = {p * t.x + q * s.x, p * t.y + q * s.y, p * t.z + q * s.z};
		const brLanes one = (brLanes){0} + 1.0f;
		SV rfA = SOLVER_CROSS(centerA, f), rfB = SOLVER_CROSS(centerB, f);
		SOLVER_APPLY(block, a, b, one, f, rfA, rfB);
		SV roll = SOLVER_NAME(load)(block->rollingImpulse);
		SOLVER_ADD_TO(roll, block->twistImpulse, n);
		SV turnA = SOLVER_MUL(block->invInertiaA, roll), turnB = SOLVER_MUL(block->invInertiaB, roll);
		SOLVER_SUB_FROM(a.w, one, turnA);
		SOLVER_ADD_TO(b.w, one, turnB);
		SOLVER_NAME(scatter)(states, block->stateA, block->writesA, &a);
		SOLVER_NAME(scatter)(states, block->stateB, block->writesB, &b);
	}
}

// The points of a block in turn. Moved bodies give the separation now.
SOLVER_INLINE void SOLVER_NAME(solvePoints)(brContactBlock* block, SOLVER_NAME(Body) * a, SOLVER_NAME(Body) * b,
											const SOLVER_NAME(Body) * movedA, const SOLVER_NAME(Body) * movedB,
											float invH, bool isBiased)
{
	const brLanes zero = {0}, one = zero + 1.0f;
	SV n = SOLVER_NAME(load)(block->normal);
	SV apart = SOLVER_SUB(movedB->v, movedA->v);
	brLanes shift = SOLVER_DOT(n, apart);
	for (int32_t k = 0; k < block->pointCount; ++k)
	{
		brPointLanes* point = &block->points[k];
		SV rA = SOLVER_NAME(load)(point->anchorA), rB = SOLVER_NAME(load)(point->anchorB);
		SV rnA = SOLVER_CROSS(rA, n), rnB = SOLVER_CROSS(rB, n);
		brLanes s = point->separation + shift + SOLVER_DOT(rnB, movedB->w) - SOLVER_DOT(rnA, movedA->w);
		SOLVER_NAME(Mask) isAhead = s > zero;
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
			next = SOLVER_SELECT(isAhead & (old <= zero), old, next);
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

SOLVER_TARGET static void SOLVER_NAME(solveBiased)(brContactBlock* blocks, int32_t count, brSolverState* states,
												   float invH)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brContactBlock* block = &blocks[i];
		SOLVER_NAME(Body) a = SOLVER_NAME(gather)(states, block->stateA, false);
		SOLVER_NAME(Body) b = SOLVER_NAME(gather)(states, block->stateB, false);
		SOLVER_NAME(Body) movedA = SOLVER_NAME(gather)(states, block->stateA, true);
		SOLVER_NAME(Body) movedB = SOLVER_NAME(gather)(states, block->stateB, true);
		SOLVER_NAME(solvePoints)(block, &a, &b, &movedA, &movedB, invH, true);
		SOLVER_NAME(scatter)(states, block->stateA, block->writesA, &a);
		SOLVER_NAME(scatter)(states, block->stateB, block->writesB, &b);
	}
}

// Rolling resistance: an angular impulse against the relative spin, at most rolling times the normal impulse. The 3x3 matrix
// is inverted here, since few contacts need it.
SOLVER_INLINE void SOLVER_NAME(solveRolling)(brContactBlock* block, SOLVER_NAME(Body) * a, SOLVER_NAME(Body) * b,
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
	SOLVER_NAME(Mask) isFree = sum > zero;
	brLanes unit = SOLVER_SELECT(isFree, one / SOLVER_SELECT(isFree, sum, one), zero);
	for (int j = 0; j < 6; ++j)
	{
		k[j] *= unit;
	}
	brLanes c00 = k[1] * k[2] - k[5] * k[5], c01 = k[4] * k[5] - k[3] * k[2], c02 = k[3] * k[5] - k[4] * k[1];
	brLanes det = k[0] * c00 + k[3] * c01 + k[4] * c02;
	SOLVER_NAME(Mask) isGood = det > zero;
	brLanes invDet = SOLVER_SELECT(isGood, unit / SOLVER_SELECT(isGood, det, one), zero);
	brLanes inverse[6] = {
		invDet * c00, invDet * (k[0] * k[2] - k[4] * k[4]), invDet * (k[0] * k[1] - k[3] * k[3]), invDet * c01,
		invDet * c02, invDet * (k[3] * k[4] - k[0] * k[5])};
	SV spin = SOLVER_SUB(b->w, a->w);
	SV wanted = SOLVER_MUL(inverse, spin);
	SV old = SOLVER_NAME(load)(block->rollingImpulse);
	SV next = SOLVER_SUB(old, wanted);
	brLanes limit = block->rolling * *load;
	brLanes lengthSq = SOLVER_DOT(next, next);
	SOLVER_NAME(Mask) isOver = lengthSq > limit * limit;
	brLanes length = SOLVER_SELECT(isOver, lengthSq, one);
	SOLVER_SQRT(length, length);
	brLanes scale = SOLVER_SELECT(isOver, limit / length, one);
	next = (SV){scale * next.x, scale * next.y, scale * next.z};
	SOLVER_NAME(store)(block->rollingImpulse, &next);
	SV p = SOLVER_SUB(next, old);
	SV turnA = SOLVER_MUL(block->invInertiaA, p), turnB = SOLVER_MUL(block->invInertiaB, p);
	SOLVER_SUB_FROM(a->w, one, turnA);
	SOLVER_ADD_TO(b->w, one, turnB);
}

SOLVER_TARGET static void SOLVER_NAME(relax)(brContactBlock* blocks, int32_t count, brSolverState* states, float invH)
{
	const brLanes zero = {0}, one = zero + 1.0f;
	for (int32_t i = 0; i < count; ++i)
	{
		brContactBlock* block = &blocks[i];
		SOLVER_NAME(Body) a = SOLVER_NAME(gather)(states, block->stateA, false);
		SOLVER_NAME(Body) b = SOLVER_NAME(gather)(states, block->stateB, false);
		SOLVER_NAME(Body) movedA = SOLVER_NAME(gather)(states, block->stateA, true);
		SOLVER_NAME(Body) movedB = SOLVER_NAME(gather)(states, block->stateB, true);
		SV n = SOLVER_NAME(load)(block->normal), t = SOLVER_NAME(load)(block->tangent), s = SOLVER_CROSS(n, t);
		SOLVER_NAME(solvePoints)(block, &a, &b, &movedA, &movedB, invH, false);

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
		SV turnA = SOLVER_MUL(block->invInertiaA, n), turnB = SOLVER_MUL(block->invInertiaB, n);
		SOLVER_SUB_FROM(a.w, dTwist, turnA);
		SOLVER_ADD_TO(b.w, dTwist, turnB);
		if (block->hasRolling)
		{
			SOLVER_NAME(solveRolling)(block, &a, &b, &load);
		}

		SV centerA = SOLVER_NAME(load)(block->centerA), centerB = SOLVER_NAME(load)(block->centerB);
		SV wrA = SOLVER_CROSS(a.w, centerA), wrB = SOLVER_CROSS(b.w, centerB);
		SV slip = {b.v.x + wrB.x - a.v.x - wrA.x, b.v.y + wrB.y - a.v.y - wrA.y, b.v.z + wrB.z - a.v.z - wrA.z};
		brLanes vt = SOLVER_DOT(slip, t), vs = SOLVER_DOT(slip, s);
		brLanes p = block->tangentImpulse[0] - (block->tangentMass[0] * vt + block->tangentMass[2] * vs);
		brLanes q = block->tangentImpulse[1] - (block->tangentMass[2] * vt + block->tangentMass[1] * vs);
		brLanes limit = block->friction * load;
		SOLVER_NAME(Mask) isSliding = p * p + q * q > limit * limit;
		// What slides is pulled against its way. The impulse that would stop it points elsewhere if it turns more easily about one axis than
		// another; a step by the least mass in any direction, then back to the limit, ends where pull and way oppose.
		brLanes sum = 0.5f * (block->tangentMass[0] + block->tangentMass[1]);
		brLanes spread = 0.5f * (block->tangentMass[0] - block->tangentMass[1]);
		brLanes least = spread * spread + block->tangentMass[2] * block->tangentMass[2];
		SOLVER_SQRT(least, least);
		least = sum - least;
		p = SOLVER_SELECT(isSliding, block->tangentImpulse[0] - least * vt, p);
		q = SOLVER_SELECT(isSliding, block->tangentImpulse[1] - least * vs, q);
		brLanes lengthSq = p * p + q * q;
		SOLVER_NAME(Mask) isOver = lengthSq > limit * limit;
		brLanes length = SOLVER_SELECT(isOver, lengthSq, one);
		SOLVER_SQRT(length, length);
		brLanes scale = SOLVER_SELECT(isOver, limit / length, one);
		p = scale * p, q = scale * q;
		brLanes dp = p - block->tangentImpulse[0], dq = q - block->tangentImpulse[1];
		block->tangentImpulse[0] = p, block->tangentImpulse[1] = q;
		SV f = {dp * t.x + dq * s.x, dp * t.y + dq * s.y, dp * t.z + dq * s.z};
		SV rfA = SOLVER_CROSS(centerA, f), rfB = SOLVER_CROSS(centerB, f);
		SOLVER_APPLY(block, a, b, one, f, rfA, rfB);
		SOLVER_NAME(scatter)(states, block->stateA, block->writesA, &a);
		SOLVER_NAME(scatter)(states, block->stateB, block->writesB, &b);
	}
}

SOLVER_TARGET static void SOLVER_NAME(findHits)(brContactBlock* blocks, int32_t count, const brSolverState* states,
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
		SOLVER_NAME(Body) a = SOLVER_NAME(gather)(states, block->stateA, false);
		SOLVER_NAME(Body) b = SOLVER_NAME(gather)(states, block->stateB, false);
		SOLVER_NAME(Body) movedA = SOLVER_NAME(gather)(states, block->stateA, true);
		SOLVER_NAME(Body) movedB = SOLVER_NAME(gather)(states, block->stateB, true);
		SV n = SOLVER_NAME(load)(block->normal);
		SV apart = SOLVER_SUB(movedB.v, movedA.v);
		brLanes shift = SOLVER_DOT(n, apart);
		SOLVER_NAME(Mask) isHit = zero > zero;
		for (int32_t k = 0; k < block->pointCount; ++k)
		{
			const brPointLanes* point = &block->points[k];
			SV rA = SOLVER_NAME(load)(point->anchorA), rB = SOLVER_NAME(load)(point->anchorB);
			SV rnA = SOLVER_CROSS(rA, n), rnB = SOLVER_CROSS(rB, n);
			brLanes s = point->separation + shift + SOLVER_DOT(rnB, movedB.w) - SOLVER_DOT(rnA, movedA.w);
			brLanes vn = SOLVER_SPEED(a, b, n, rnA, rnB);
			isHit |= (vn < block->bounceSpeed) & (s + h * vn <= zero) & (point->mass > zero);
		}
		for (int lane = 0; lane < BR_SOLVER_LANES; ++lane)
		{
			block->hits |= isHit[lane] != 0 ? (uint8_t)(1u << lane) : (uint8_t)0;
		}
	}
}

#define SOLVER_KERNELS(label)                                                                                          \
	{                                                                                                                  \
		label, SOLVER_NAME(prepare), SOLVER_NAME(warmStart), SOLVER_NAME(solveBiased), SOLVER_NAME(relax),             \
			SOLVER_NAME(findHits),                                                                                     \
	}
