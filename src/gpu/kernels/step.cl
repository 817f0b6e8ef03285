// SPDX-License-Identifier: MIT

// Rigid bodies through one step on the device: frames and boxes, contacts, colors, soft substeps, poses. The equations
// are those of src/dynamics; docs/world.md derives them.
//
// Pairs come sorted, so a contact lies at the place of its pair, finds itself of a step ago by halving, and keeps its
// color. New contacts get colors in rounds, all by one group: one that has the lowest number among the uncolored of
// both its bodies takes the lowest color that neither has. Contacts of a color share no body that moves, so their order
// means nothing and every run gives the same bits.

#define STEP_GROUP 128
#define STEP_COLORS 63    // and one more, solved by one thread in the order of pairs
#define STEP_MOST_ROUNDS 200u // of coloring
#define STEP_SMALL_COLOR 64
#define STEP_LARGE_COLOR 512
#define STEP_UNCOLORED 254u
#define STEP_INACTIVE 255u

#define STEP_MARGIN 0.02f
#define STEP_CARRY_REACH 0.1f
#define STEP_WARM_COSINE 0.906f
#define STEP_MAX_TURN 1.5
#define STEP_MAX_SPEED 1e6
#define STEP_MAX_POSITION 1e9

// Kinds of bodies.
#define BODY_STATIC 0
#define BODY_DYNAMIC 2

// Counters.
#define STEP_PAIRS 0
#define STEP_POINTS 1
#define STEP_CONTACTS 2
#define STEP_ASIDE 3   // in all steps so far
#define STEP_FRESH 4   // contacts that come without a color
#define STEP_USED 5    // colors
#define STEP_GATE 6    // how often groups of brk_stepSolve have come to wait for each other
#define STEP_LOST 7    // they waited in vain: nothing of this step counts
#define STEP_COUNTS 8  // of each color, 64
#define STEP_FILLED 72 // of each color, 64
#define STEP_STARTS 136 // of each color, 64
#define STEP_ASKED 200  // pairs of meshes whose points are to be found
#define STEP_ASKED_POINTS 201 // their vertices
#define STEP_ALL 204

// Of the kernels in which one group does it all, or all groups wait for each other.
#ifdef BR_PROCESSOR
#define SOLVE_GROUP 1
#else
#define SOLVE_GROUP 256
#endif

// Numbers of the step, as the host writes them.
typedef struct StepNumbers
{
	double gravityX, gravityY, gravityZ;
	double dt, h;
	float rate[2], massScale[2], impulseScale[2]; // between moving bodies, against still ones
	float pushSpeed, sleepSpeed, slowDamping, restitutionSpeed;
	int bodyCount, boxedCount; // half-spaces come after all others
	int substeps;
	float invH;
} StepNumbers;

// What does not change while a body lives.
typedef struct GpuBody
{
	float invMass, gravityScale, linearDamping, angularDamping;
	float inertiaX, inertiaY, inertiaZ, friction;
	float invInertiaX, invInertiaY, invInertiaZ, restitution;
	int kind, shape;
	float spinning, rolling;
	uint category, collidesWith;
	int padding[2];
} GpuBody;

// Pose and motion of the center of mass and the principal axes.
typedef struct GpuMotion
{
	double px, py, pz;
	double qx, qy, qz, qw;
	double vx, vy, vz;
	double wx, wy, wz;
	int isAside; // no longer finite
	int level;   // contacts to the nearest static body, 255: none
	double lost; // energy, in all steps so far
} GpuMotion;

// What the step needs of a body in float: axes, and how far it may go.
typedef struct GpuFrame
{
	float4 x, y, z; // w: motion, speed, thickness
	float inertia[6]; // inverse, in the world: xx yy zz xy xz yz
	float invMass;
	float radius;
} GpuFrame;

// A body inside the step, relative to its start.
typedef struct GpuState
{
	float4 velocity, spin, moved, turned;
	float4 baseVelocity, baseSpin; // w: linear and angular keep
} GpuState;

// A contact at the place of its pair. The normal and anchors are in the axes of their bodies, so that they may be kept.
typedef struct GpuManifold
{
	float normal[3]; // in A's
	int count;
	float friction[3]; // impulses, in the world
	float twist;
	float rolling[3];
	uint axis;
	uint color;
	int a, b; // bodies; A has the lower kind of shape
	int padding;
	float anchorsA[4][3], anchorsB[4][3];
	float separations[4]; // when the anchors were one place
	float impulses[4];
	uint ids[4];
} GpuManifold;

#ifdef cl_khr_fp64

inline double3 stepRotate(double4 q, double3 v)
{
	double3 u = q.xyz, t = 2.0 * cross(u, v);
	return v + q.w * t + cross(u, t);
}

inline double4 stepQuatMul(double4 a, double4 b)
{
	return (double4)(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

inline double4 stepQuatOf(__global const GpuMotion* m)
{
	return (double4)(m->qx, m->qy, m->qz, m->qw);
}

inline bool stepMoves(int kind, int isAside)
{
	return kind != BODY_STATIC && isAside == 0;
}

// Axes, reach and box of each body; what is asked of it later in this step is emptied.
__kernel void brk_stepFrames(__global const StepNumbers* numbers, __global const GpuBody* bodies,
							 __global const GpuShape* shapes, __global GpuMotion* motions, __global GpuFrame* frames,
							 __global float4* boxes, __global uint* masks, __global uint* bests, __global int* levels,
							 __global uint* counters)
{
	const double dt = numbers->dt;
	const double pull = sqrt(numbers->gravityX * numbers->gravityX + numbers->gravityY * numbers->gravityY +
							 numbers->gravityZ * numbers->gravityZ);
	const uint count = (uint)numbers->bodyCount;
	for (uint k = get_global_id(0); k < STEP_ALL; k += get_global_size(0))
	{
		counters[k] = k == STEP_ASIDE ? counters[k] : 0;
	}
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		const GpuBody body = bodies[i];
		__global const GpuMotion* m = &motions[i];
		const double4 q = stepQuatOf(m);
		const double3 x = stepRotate(q, (double3)(1.0, 0.0, 0.0)), y = stepRotate(q, (double3)(0.0, 1.0, 0.0)),
					  z = stepRotate(q, (double3)(0.0, 0.0, 1.0));
		const GpuShape shape = shapes[body.shape];
		GpuFrame frame;
		float motion = 0.0f, speed = 0.0f;
		if (stepMoves(body.kind, m->isAside))
		{
			const double fast = sqrt(m->vx * m->vx + m->vy * m->vy + m->vz * m->vz) +
								sqrt(m->wx * m->wx + m->wy * m->wy + m->wz * m->wz) * shape.radius;
			speed = (float)(dt * fast);
			motion = (float)(dt * (fast + dt * (body.kind == BODY_DYNAMIC ? fabs(body.gravityScale) * pull : 0.0)));
		}
		const float3 fx = convert_float3(x), fy = convert_float3(y), fz = convert_float3(z);
		frame.x = (float4)(fx, motion), frame.y = (float4)(fy, speed), frame.z = (float4)(fz, shape.thickness);
		frame.radius = shape.radius;
		frame.invMass = m->isAside == 0 ? body.invMass : 0.0f;
		const float3 j = m->isAside == 0 ? (float3)(body.invInertiaX, body.invInertiaY, body.invInertiaZ) : (float3)(0.0f);
		frame.inertia[0] = j.x * fx.x * fx.x + j.y * fy.x * fy.x + j.z * fz.x * fz.x;
		frame.inertia[1] = j.x * fx.y * fx.y + j.y * fy.y * fy.y + j.z * fz.y * fz.y;
		frame.inertia[2] = j.x * fx.z * fx.z + j.y * fy.z * fy.z + j.z * fz.z * fz.z;
		frame.inertia[3] = j.x * fx.x * fx.y + j.y * fy.x * fy.y + j.z * fz.x * fz.y;
		frame.inertia[4] = j.x * fx.x * fx.z + j.y * fy.x * fy.z + j.z * fz.x * fz.z;
		frame.inertia[5] = j.x * fx.y * fx.z + j.y * fy.y * fy.z + j.z * fz.y * fz.z;
		frames[i] = frame;
		masks[2 * i] = masks[2 * i + 1] = 0;
		bests[i] = UINT_MAX;
		levels[i] = body.kind == BODY_STATIC ? 0 : 255;
		if (i < (uint)numbers->boxedCount)
		{
			const double3 center = (double3)(m->px, m->py, m->pz) + (double)shape.centerX * x + (double)shape.centerY * y +
								   (double)shape.centerZ * z;
			const double3 half3 = fabs(x) * (double)shape.halfX + fabs(y) * (double)shape.halfY + fabs(z) * (double)shape.halfZ;
			const double3 reach =
				half3 + fabs(z) * (double)shape.along + ((double)shape.round + 0.5 * STEP_MARGIN * shape.thickness + motion);
			const double3 lower = center - reach, upper = center + reach;
			boxes[2 * i] = (float4)(convert_float_rtn(lower.x), convert_float_rtn(lower.y), convert_float_rtn(lower.z), 0.0f);
			boxes[2 * i + 1] =
				-(float4)(convert_float_rtp(upper.x), convert_float_rtp(upper.y), convert_float_rtp(upper.z), 0.0f);
		}
	}
}

// Half-spaces have no box: every body is compared with each of them. Pairs go behind those of the tree.
__kernel void brk_stepPlanes(__global const StepNumbers* numbers, __global const GpuBody* bodies,
							 __global const GpuShape* shapes, __global const GpuMotion* motions,
							 __global const GpuFrame* frames, __global ulong* pairs, uint capacity,
							 volatile __global uint* state, uint counter)
{
	const uint boxed = (uint)numbers->boxedCount, planes = (uint)numbers->bodyCount - boxed;
	for (uint i = get_global_id(0); i < boxed * planes; i += get_global_size(0))
	{
		const uint b = i % boxed, a = boxed + i / boxed;
		const GpuFrame frame = frames[b];
		if (!(frame.invMass > 0.0f))
		{
			continue;
		}
		const double4 q = stepQuatOf(&motions[a]);
		const double3 up = stepRotate(q, (double3)(0.0, 0.0, 1.0));
		const double height = up.x * (motions[b].px - motions[a].px) + up.y * (motions[b].py - motions[a].py) +
							  up.z * (motions[b].pz - motions[a].pz);
		if (height < (double)(frame.radius + STEP_MARGIN * frame.z.w + frame.x.w))
		{
			const uint place = atomic_inc(&state[counter]);
			if (place < capacity)
			{
				pairs[place] = (ulong)b << 32 | a;
			}
		}
	}
}

// The contact of this pair a step ago, -1: none.
inline int stepFind(__global const ulong* keys, uint count, ulong key)
{
	uint low = 0, high = count;
	while (low < high)
	{
		const uint middle = (low + high) / 2;
		low = keys[middle] < key ? middle + 1 : low;
		high = keys[middle] < key ? high : middle;
	}
	return low < count && keys[low] == key ? (int)low : -1;
}

// The second body's axes and place in those of the first, `between` them.
inline Pose stepPose(const GpuFrame* frameA, const GpuFrame* frameB, float3 between)
{
	const float3 bx = frameB->x.xyz, by = frameB->y.xyz, bz = frameB->z.xyz;
	const float3 ax = frameA->x.xyz, ay = frameA->y.xyz, az = frameA->z.xyz;
	const Pose pose = {(float3)(dot(ax, bx), dot(ay, bx), dot(az, bx)), (float3)(dot(ax, by), dot(ay, by), dot(az, by)),
					   (float3)(dot(ax, bz), dot(ay, bz), dot(az, bz)),
					   (float3)(dot(ax, between), dot(ay, between), dot(az, between))};
	return pose;
}

// Different for each contact, in an order that has nothing to do with theirs; lower in later rounds.
inline uint stepPriority(uint i, uint round)
{
	return (255u - round) << 24 | ((i * 0x9E3779B1u) & 0xFFFFFFu);
}

// The lowest bit of two words that is not set, 63 at most.
inline uint stepLowestFree(uint low, uint high)
{
	return ~low != 0    ? popcount((~low & (low + 1)) - 1)
		   : ~high != 0 ? 32u + popcount((~high & (high + 1)) - 1)
						: STEP_COLORS;
}

// Colors for the contacts that `fresh` lists, round by round, by one group: who is lowest at both bodies takes one, the
// others ask again and are listed in the other half. Then where each color begins.
__kernel __attribute__((reqd_work_group_size(SOLVE_GROUP, 1, 1))) void
brk_stepColor(__global GpuManifold* manifolds, __global const GpuFrame* frames, volatile __global uint* masks,
			  volatile __global uint* bests, __global uint* fresh, uint freshCapacity, uint capacity,
			  __global uint* oldCount, __global uint* counters)
{
	__local uint counts[STEP_COLORS + 1], left;
	const uint t = get_local_id(0);
	for (uint c = t; c <= STEP_COLORS; c += SOLVE_GROUP)
	{
		counts[c] = c < STEP_COLORS ? counters[STEP_COUNTS + c] : 0u;
	}
	uint count = counters[STEP_FRESH];
	for (uint round = 0; count > 0; ++round)
	{
		__global const uint* list = fresh + (round % 2) * freshCapacity;
		__global uint* next = fresh + (1 - round % 2) * freshCapacity;
		if (t == 0)
		{
			left = 0;
		}
		for (uint k = t; k < count; k += SOLVE_GROUP)
		{
			const uint i = list[k], a = (uint)manifolds[i].a, b = (uint)manifolds[i].b;
			if (frames[a].invMass > 0.0f)
			{
				atomic_min(&bests[a], stepPriority(i, round));
			}
			if (frames[b].invMass > 0.0f)
			{
				atomic_min(&bests[b], stepPriority(i, round));
			}
		}
		barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
		for (uint k = t; k < count; k += SOLVE_GROUP)
		{
			const uint i = list[k], a = (uint)manifolds[i].a, b = (uint)manifolds[i].b, mine = stepPriority(i, round);
			const bool movesA = frames[a].invMass > 0.0f, movesB = frames[b].invMass > 0.0f;
			const bool isFirst = (!movesA || bests[a] == mine) && (!movesB || bests[b] == mine);
			if (!isFirst && round < STEP_MOST_ROUNDS)
			{
				next[atomic_inc(&left)] = i;
				continue;
			}
			// Beyond the last round: one after the other.
			const uint color =
				!isFirst ? STEP_COLORS
						 : stepLowestFree((movesA ? masks[2 * a] : 0u) | (movesB ? masks[2 * b] : 0u),
										  (movesA ? masks[2 * a + 1] : 0u) | (movesB ? masks[2 * b + 1] : 0u) | 0x80000000u);
			manifolds[i].color = color;
			atomic_inc(&counts[color]);
			if (color < STEP_COLORS && movesA)
			{
				masks[2 * a + color / 32] |= 1u << (color % 32);
			}
			if (color < STEP_COLORS && movesB)
			{
				masks[2 * b + color / 32] |= 1u << (color % 32);
			}
		}
		barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
		count = left;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t == 0)
	{
		uint start = 0, used = 0;
		for (uint c = 0; c <= STEP_COLORS; ++c)
		{
			counters[STEP_COUNTS + c] = counts[c];
			counters[STEP_STARTS + c] = start;
			start += counts[c];
			used = counts[c] > 0 ? c + 1 : used;
		}
		counters[STEP_USED] = used;
		// Beside large colors small ones cost more than they hold: their contacts look for another one in the next
		// step.
		uint most = 0;
		for (uint c = 0; c < STEP_COLORS; ++c)
		{
			most = max(most, counts[c]);
		}
		oldCount[0] = min(counters[STEP_PAIRS], capacity);
		oldCount[1] = oldCount[2] = 0;
		for (uint c = 0; c < STEP_COLORS; ++c)
		{
			oldCount[1 + c / 32] |= most <= STEP_LARGE_COLOR || counts[c] > STEP_SMALL_COLOR ? 1u << (c % 32) : 0u;
		}
	}
}

inline double4 stepTurnBy(double3 axis, double angle)
{
	return (double4)(sin(0.5 * angle) * axis, cos(0.5 * angle));
}

// The motion of one principal axis for a time t: `l` is the angular momentum in the body's axes.
inline void stepTurnAxis(double3 axis, double t, double inverse, double3* l, double4* q)
{
	const double4 turn = stepTurnBy(axis, t * dot(*l, axis) * inverse);
	*l = stepRotate((double4)(-turn.xyz, turn.w), *l);
	*q = stepQuatMul(*q, turn);
}

// What touches nothing: the parabola exactly, and a turn that keeps the angular momentum.
inline void stepFree(__global const StepNumbers* numbers, const GpuBody* body, GpuMotion* m)
{
	const bool isDynamic = body->kind == BODY_DYNAMIC;
	const double h = numbers->h;
	const double scale = isDynamic ? h * body->gravityScale : 0.0;
	const double3 pull = scale * (double3)(numbers->gravityX, numbers->gravityY, numbers->gravityZ);
	const double linear = isDynamic ? 1.0 / (1.0 + h * body->linearDamping) : 1.0;
	const double angular = isDynamic ? 1.0 / (1.0 + h * body->angularDamping) : 1.0;
	const double3 inertia = (double3)(body->inertiaX, body->inertiaY, body->inertiaZ);
	const double3 inverse = 1.0 / inertia; // of the same numbers, so that what goes in comes out
	const bool isTop =
		isDynamic && fabs(inertia.x - inertia.y) + fabs(inertia.y - inertia.z) > 1e-6 * (inertia.x + inertia.y + inertia.z);
	double3 p = (double3)(m->px, m->py, m->pz), v = (double3)(m->vx, m->vy, m->vz), w = (double3)(m->wx, m->wy, m->wz);
	double4 q = (double4)(m->qx, m->qy, m->qz, m->qw);
	for (int k = 0; k < numbers->substeps; ++k)
	{
		const double3 next = linear * v + pull;
		p += 0.5 * h * (v + next);
		v = next;
		w *= angular;
		const double speed = sqrt(dot(w, w));
		if (isTop && speed > 0.0)
		{
			double3 l = inertia * stepRotate((double4)(-q.xyz, q.w), w);
			const double3 x = (double3)(1.0, 0.0, 0.0), y = (double3)(0.0, 1.0, 0.0), z = (double3)(0.0, 0.0, 1.0);
			stepTurnAxis(x, 0.5 * h, inverse.x, &l, &q);
			stepTurnAxis(y, 0.5 * h, inverse.y, &l, &q);
			stepTurnAxis(z, h, inverse.z, &l, &q);
			stepTurnAxis(y, 0.5 * h, inverse.y, &l, &q);
			stepTurnAxis(x, 0.5 * h, inverse.x, &l, &q);
			q = normalize(q);
			w = stepRotate(q, inverse * l);
		}
		else if (speed > 0.0)
		{
			q = normalize(stepQuatMul(stepTurnBy(w / speed, h * speed), q));
		}
	}
	m->px = p.x, m->py = p.y, m->pz = p.z, m->vx = v.x, m->vy = v.y, m->vz = v.z;
	m->wx = w.x, m->wy = w.y, m->wz = w.z, m->qx = q.x, m->qy = q.y, m->qz = q.z, m->qw = q.w;
}

// Kinetic and potential energy of a dynamic body.
inline double stepEnergy(__global const StepNumbers* numbers, const GpuBody* body, const GpuMotion* m)
{
	const double3 l = stepRotate((double4)(-m->qx, -m->qy, -m->qz, m->qw), (double3)(m->wx, m->wy, m->wz));
	const double mass = 1.0 / body->invMass, fall = numbers->gravityX * m->px + numbers->gravityY * m->py + numbers->gravityZ * m->pz;
	return mass * (0.5 * (m->vx * m->vx + m->vy * m->vy + m->vz * m->vz) - body->gravityScale * fall) +
		   0.5 * (body->inertiaX * l.x * l.x + body->inertiaY * l.y * l.y + body->inertiaZ * l.z * l.z);
}

// Poses. A body that is no longer finite is set aside where it was. Nobody moves in a step that does not count.
__kernel void brk_stepFinish(__global const StepNumbers* numbers, __global const GpuBody* bodies,
							 __global GpuMotion* motions, __global const GpuState* states, __global const uint* masks,
							 uint capacity, volatile __global uint* counters)
{
	const uint bodyCount = counters[STEP_PAIRS] > capacity || counters[STEP_LOST] != 0 ? 0u : (uint)numbers->bodyCount;
	for (uint i = get_global_id(0); i < bodyCount; i += get_global_size(0))
	{
		const GpuBody body = bodies[i];
		GpuMotion m = motions[i];
		if (!stepMoves(body.kind, m.isAside))
		{
			continue;
		}
		const GpuMotion old = m;
		const bool isTouching = (masks[2 * i] | masks[2 * i + 1]) != 0 && body.kind == BODY_DYNAMIC;
		if (!isTouching)
		{
			stepFree(numbers, &body, &m);
			m.level = 255;
		}
		else
		{
			const GpuState state = states[i];
			const double3 turned = convert_double3(state.turned.xyz);
			const double angle = sqrt(dot(turned, turned));
			m.px += state.moved.x, m.py += state.moved.y, m.pz += state.moved.z;
			if (angle > 0.0)
			{
				const double4 q = (double4)(m.qx, m.qy, m.qz, m.qw);
				const double4 next = normalize(stepQuatMul(stepTurnBy(turned / angle, fmin(angle, STEP_MAX_TURN)), q));
				m.qx = next.x, m.qy = next.y, m.qz = next.z, m.qw = next.w;
			}
			m.vx = state.velocity.x, m.vy = state.velocity.y, m.vz = state.velocity.z;
			m.wx = state.spin.x, m.wy = state.spin.y, m.wz = state.spin.z;
		}
		const double all = m.px + m.py + m.pz + m.qx + m.qy + m.qz + m.qw + m.wx + m.wy + m.wz;
		const double speedSq = m.vx * m.vx + m.vy * m.vy + m.vz * m.vz;
		const double farthest = fmax(fabs(m.px), fmax(fabs(m.py), fabs(m.pz)));
		if (!(isfinite(all) && speedSq < STEP_MAX_SPEED * STEP_MAX_SPEED && farthest < STEP_MAX_POSITION))
		{
			m = old;
			m.vx = m.vy = m.vz = m.wx = m.wy = m.wz = 0.0;
			m.isAside = 1;
			atomic_inc(&counters[STEP_ASIDE]);
		}
		if (body.kind == BODY_DYNAMIC)
		{
			m.lost += stepEnergy(numbers, &body, &old) - stepEnergy(numbers, &body, &m);
		}
		motions[i] = m;
	}
}

#else

__kernel void brk_stepFrames(void)
{
}
__kernel void brk_stepPlanes(void)
{
}
__kernel void brk_stepColor(void)
{
}
__kernel void brk_stepFinish(void)
{
}

#endif
