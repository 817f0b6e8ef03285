// SPDX-License-Identifier: MIT

// Rigid bodies through one step on the device: frames and boxes, contacts, colors, soft substeps, poses. The equations
// are those of src/dynamics; docs/world.md derives them.
//
// Pairs come sorted, so a contact lies at the place of its pair, finds itself of a step ago by halving, and keeps its
// color. New contacts get colors in rounds: one that has the lowest number among the uncolored of both its bodies
// takes the lowest color that neither has. Contacts of a color share no body that moves, so their order means nothing
// and every run gives the same bits. No kernel waits for another group; the host learns the number of colors once a
// step.

#define STEP_GROUP 128
#define STEP_COLORS 63    // and one more, solved by one thread in the order of pairs
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
#define STEP_LEFT 4    // without a color
#define STEP_COUNTS 8  // of each color, 64
#define STEP_FILLED 72 // of each color, 64
#define STEP_ALL 136

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
	float spinning;
	int padding;
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

// A contact at the place of its pair.
typedef struct GpuManifold
{
	float normal[3];
	int count;
	float friction[3]; // impulse, in the world
	float twist;
	uint axis;
	uint color;
	int a, b; // bodies; A has the lower kind of shape
	float anchorsA[4][3], anchorsB[4][3];
	float separations[4];
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
	if (get_global_id(0) < STEP_ALL && get_global_id(0) != STEP_ASIDE)
	{
		counters[get_global_id(0)] = 0;
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
		bests[2 * i] = bests[2 * i + 1] = UINT_MAX;
		levels[i] = body.kind == BODY_STATIC ? 0 : 255;
		if (i < (uint)numbers->boxedCount)
		{
			const double3 center = (double3)(m->px, m->py, m->pz) + (double)shape.centerX * x + (double)shape.centerY * y +
								   (double)shape.centerZ * z;
			const double3 half3 = fabs(x) * (double)shape.halfX + fabs(y) * (double)shape.halfY + fabs(z) * (double)shape.halfZ;
			const double3 reach = (shape.kind == SHAPE_SPHERE ? (double3)((double)shape.round) : half3) +
								  (0.5 * STEP_MARGIN * shape.thickness + motion);
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

// Impulses of the contact a step ago: first of points that are the same, then of the nearest within reach. Each is carried over once.
inline void stepCarryImpulses(GpuManifold* m, __global const GpuManifold* old, float reachSq)
{
	uint taken = 0, isSet = 0;
	for (int k = 0; k < m->count; ++k)
	{
		for (int n = 0; n < old->count; ++n)
		{
			if (old->ids[n] == m->ids[k] && (taken >> n & 1) == 0)
			{
				m->impulses[k] = old->impulses[n];
				taken |= 1u << n, isSet |= 1u << k;
				break;
			}
		}
	}
	for (int k = 0; k < m->count; ++k)
	{
		int nearest = -1;
		float best = reachSq;
		for (int n = 0; (isSet >> k & 1) == 0 && n < old->count; ++n)
		{
			const float3 d = (float3)(old->anchorsA[n][0] - m->anchorsA[k][0],
									  old->anchorsA[n][1] - m->anchorsA[k][1],
									  old->anchorsA[n][2] - m->anchorsA[k][2]);
			if ((taken >> n & 1) == 0 && dot(d, d) < best)
			{
				best = dot(d, d), nearest = n;
			}
		}
		if (nearest >= 0)
		{
			m->impulses[k] = old->impulses[nearest];
			taken |= 1u << nearest;
		}
	}
}

// It keeps its color: those it had beside it then had others.
inline uint stepKeepColor(uint old, uint a, uint b, const GpuFrame* frameA, const GpuFrame* frameB,
						  volatile __global uint* masks)
{
	if (old >= STEP_COLORS)
	{
		return STEP_UNCOLORED;
	}
	if (frameA->invMass > 0.0f)
	{
		atomic_or(&masks[2 * a + old / 32], 1u << (old % 32));
	}
	if (frameB->invMass > 0.0f)
	{
		atomic_or(&masks[2 * b + old / 32], 1u << (old % 32));
	}
	return old;
}

// Contact points of each pair, with what is carried over.
__kernel void brk_stepTouch(__global const StepNumbers* numbers, __global const GpuBody* bodies,
							__global const GpuShape* shapes, __global const float4* vertices, __global const float4* planes,
							__global const int* faceStarts, __global const int* corners, __global const int4* edges,
							__global const GpuMotion* motions, __global const GpuFrame* frames, __global const ulong* pairs,
							__global const uint* state, uint counter, uint capacity, __global const ulong* oldPairs,
							__global const GpuManifold* old, __global const uint* oldCount, __global GpuManifold* manifolds,
							volatile __global uint* masks, volatile __global int* levels, volatile __global uint* counters)
{
	const Hulls hulls = {shapes, vertices, planes, faceStarts, corners, edges};
	const uint count = min(state[counter], capacity);
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		const ulong key = pairs[i];
		uint a = (uint)(key >> 32), b = (uint)key;
		if (shapes[bodies[a].shape].kind > shapes[bodies[b].shape].kind)
		{
			uint swap = a;
			a = b, b = swap;
		}
		const GpuShape shapeA = shapes[bodies[a].shape], shapeB = shapes[bodies[b].shape];
		const GpuFrame frameA = frames[a], frameB = frames[b];
		GpuManifold m;
		m.count = 0;
		m.color = STEP_INACTIVE;
		m.a = (int)a, m.b = (int)b;
		m.axis = 0;
		if (frameA.invMass > 0.0f || frameB.invMass > 0.0f)
		{
			const int place = stepFind(oldPairs, *oldCount, key);
			const float motion = frameA.x.w + frameB.x.w;
			const float thickness = shapeA.kind == SHAPE_HALF_SPACE ? shapeB.thickness : fmin(shapeA.thickness, shapeB.thickness);
			const float radius = shapeA.kind == SHAPE_HALF_SPACE ? shapeB.radius : fmin(shapeA.radius, shapeB.radius);
			const bool isStill = bodies[a].kind == BODY_STATIC || bodies[b].kind == BODY_STATIC;
			const float margin = STEP_MARGIN * thickness + (motion < 0.5f * radius || isStill ? motion : 0.5f * radius);
			const float3 between = (float3)((float)(motions[b].px - motions[a].px), (float)(motions[b].py - motions[a].py),
											(float)(motions[b].pz - motions[a].pz));
			const float3 ax = frameA.x.xyz, ay = frameA.y.xyz, az = frameA.z.xyz;
			const Pose pose = stepPose(&frameA, &frameB, between);
			const bool isFar = shapeA.kind != SHAPE_HALF_SPACE && length(between) - shapeA.radius - shapeB.radius > margin;
			TouchKept kept;
			kept.axis = place >= 0 ? old[place].axis : 0u;
			kept.count = place >= 0 ? old[place].count : 0;
			for (int k = 0; k < kept.count; ++k)
			{
				kept.ids[k] = old[place].ids[k];
			}
			Touch touch;
			touch.count = 0;
			touch.axis = 0;
			touch.normal = (float3)(0.0f, 0.0f, 1.0f);
			if (!isFar)
			{
				touchShapes(&hulls, &shapeA, &shapeB, &pose, margin, &kept, &touch);
			}
			const float3 normal = touch.normal.x * ax + touch.normal.y * ay + touch.normal.z * az;
			m.axis = touch.axis;
			m.count = touch.count;
			m.normal[0] = normal.x, m.normal[1] = normal.y, m.normal[2] = normal.z;
			m.friction[0] = m.friction[1] = m.friction[2] = m.twist = 0.0f;
			bool isWarm = false;
			if (place >= 0 && kept.count > 0 && touch.count > 0)
			{
				isWarm = old[place].normal[0] * normal.x + old[place].normal[1] * normal.y + old[place].normal[2] * normal.z >
						 STEP_WARM_COSINE;
			}
			if (isWarm)
			{
				m.friction[0] = old[place].friction[0], m.friction[1] = old[place].friction[1];
				m.friction[2] = old[place].friction[2], m.twist = old[place].twist;
			}
			for (int k = 0; k < touch.count; ++k)
			{
				const float3 p = touch.points[k].x * ax + touch.points[k].y * ay + touch.points[k].z * az, r = p - between;
				m.anchorsA[k][0] = p.x, m.anchorsA[k][1] = p.y, m.anchorsA[k][2] = p.z;
				m.anchorsB[k][0] = r.x, m.anchorsB[k][1] = r.y, m.anchorsB[k][2] = r.z;
				m.separations[k] = touch.separations[k];
				m.ids[k] = touch.ids[k];
				m.impulses[k] = 0.0f;
			}
			if (isWarm)
			{
				stepCarryImpulses(&m, &old[place], STEP_CARRY_REACH * STEP_CARRY_REACH * thickness * thickness);
			}
			if (touch.count > 0)
			{
				m.color = stepKeepColor(place >= 0 ? old[place].color : STEP_INACTIVE, a, b, &frameA, &frameB, masks);
				atomic_min(&levels[a], min(motions[b].level + 1, 255));
				atomic_min(&levels[b], min(motions[a].level + 1, 255));
				atomic_inc(&counters[STEP_CONTACTS]);
				atomic_add(&counters[STEP_POINTS], (uint)touch.count);
			}
		}
		manifolds[i] = m;
	}
}

// Different for each contact, in an order that has nothing to do with theirs; lower in later rounds.
inline uint stepPriority(uint i, uint round)
{
	return (255u - round) << 24 | ((i * 0x9E3779B1u) & 0xFFFFFFu);
}

// Who was lowest at both bodies in the last round takes a color, the others ask again. `bests` has two numbers a body.
__kernel void brk_stepColor(__global GpuManifold* manifolds, __global const uint* state, uint counter, uint capacity,
							 __global const GpuFrame* frames, __global uint* masks, volatile __global uint* bests,
							 uint round)
{
	const uint count = min(state[counter], capacity);
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		if (manifolds[i].color != STEP_UNCOLORED)
		{
			continue;
		}
		if (round == 255)
		{
			manifolds[i].color = STEP_COLORS; // no more rounds: one after the other
			continue;
		}
		const uint a = (uint)manifolds[i].a, b = (uint)manifolds[i].b;
		const bool movesA = frames[a].invMass > 0.0f, movesB = frames[b].invMass > 0.0f;
		if (round > 0)
		{
			const uint mine = stepPriority(i, round - 1), turn = (round - 1) & 1;
			const bool isFirst = (!movesA || atomic_or(&bests[2 * a + turn], 0u) == mine) &&
								 (!movesB || atomic_or(&bests[2 * b + turn], 0u) == mine);
			if (isFirst)
			{
				const uint low = (movesA ? masks[2 * a] : 0u) | (movesB ? masks[2 * b] : 0u);
				const uint high = (movesA ? masks[2 * a + 1] : 0u) | (movesB ? masks[2 * b + 1] : 0u) | 0x80000000u;
				// The lowest bit that is not set.
				const uint color = ~low != 0    ? popcount((~low & (low + 1)) - 1)
									: ~high != 0 ? 32u + popcount((~high & (high + 1)) - 1)
												 : STEP_COLORS;
				manifolds[i].color = color;
				if (color < STEP_COLORS && movesA)
				{
					masks[2 * a + color / 32] |= 1u << (color % 32);
				}
				if (color < STEP_COLORS && movesB)
				{
					masks[2 * b + color / 32] |= 1u << (color % 32);
				}
				continue;
			}
		}
		const uint priority = stepPriority(i, round);
		if (movesA)
		{
			atomic_min(&bests[2 * a + (round & 1)], priority);
		}
		if (movesB)
		{
			atomic_min(&bests[2 * b + (round & 1)], priority);
		}
	}
}

// How many contacts each color has.
__kernel __attribute__((reqd_work_group_size(STEP_GROUP, 1, 1))) void
brk_stepCount(__global const GpuManifold* manifolds, __global const uint* state, uint counter, uint capacity,
			  volatile __global uint* counters)
{
	__local uint counts[66];
	const uint t = get_local_id(0), count = min(state[counter], capacity);
	if (t < 66)
	{
		counts[t] = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		const uint color = manifolds[i].color;
		if (color != STEP_INACTIVE)
		{
			atomic_inc(&counts[color == STEP_UNCOLORED ? 65u : color]);
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t < 64 && counts[t] > 0)
	{
		atomic_add(&counters[STEP_COUNTS + t], counts[t]);
	}
	if (t == 64 && counts[65] > 0)
	{
		atomic_add(&counters[STEP_LEFT], counts[65]);
	}
	if (t == 65 && get_group_id(0) == 0)
	{
		counters[STEP_PAIRS] = state[counter];
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

// Poses. A body that is no longer finite is set aside where it was.
__kernel void brk_stepFinish(__global const StepNumbers* numbers, __global const GpuBody* bodies,
							 __global GpuMotion* motions, __global const GpuState* states, __global const uint* masks,
							 volatile __global uint* counters)
{
	for (uint i = get_global_id(0); i < (uint)numbers->bodyCount; i += get_global_size(0))
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
__kernel void brk_stepTouch(void)
{
}
__kernel void brk_stepColor(void)
{
}
__kernel void brk_stepCount(void)
{
}
__kernel void brk_stepFinish(void)
{
}

#endif
