// SPDX-License-Identifier: MIT

// The contact solver of a step on the device: data of each contact, forces, passes over colors. See step.cl and
// docs/world.md.

#ifdef cl_khr_fp64

// Fields of a contact in the solver: field f of contact s is at data[f * stride + s], so that neighbors read
// neighbors.
#define F_NORMAL 0
#define F_TANGENT 3
#define F_RATE 6
#define F_MASS_SCALE 7
#define F_IMPULSE_SCALE 8
#define F_PUSH 9
#define F_FRICTION 10
#define F_RESTITUTION 11
#define F_CENTER_A 12
#define F_CENTER_B 15
#define F_TANGENT_MASS 18
#define F_TWIST_MASS 21
#define F_TANGENT_IMPULSE 22
#define F_TWIST_IMPULSE 24
#define F_POINTS 25
#define P_ANCHOR_A 0
#define P_ANCHOR_B 3
#define P_SEPARATION 6
#define P_MASS 7
#define P_IMPULSE 8
#define P_TOTAL 9
#define P_APPROACH 10
#define P_LEVER 11
#define P_FIELDS 12

#define AT(f) data[(f) * stride + s]
#define POINT(k, f) AT(F_POINTS + P_FIELDS * (k) + (f))

inline float3 stepLoad(__global const float* data, uint stride, uint s, uint f)
{
	return (float3)(AT(f), AT(f + 1), AT(f + 2));
}

inline void stepStore(__global float* data, uint stride, uint s, uint f, float3 v)
{
	AT(f) = v.x, AT(f + 1) = v.y, AT(f + 2) = v.z;
}

inline float3 stepTimes(const float* m, float3 a)
{
	return (float3)(m[0] * a.x + m[3] * a.y + m[4] * a.z, m[3] * a.x + m[1] * a.y + m[5] * a.z,
					m[4] * a.x + m[5] * a.y + m[2] * a.z);
}

// The place of contact i, by color; those that fit none come last.
inline uint stepPlace(__global const GpuManifold* manifolds, uint i, uint color, volatile __global uint* counters)
{
	uint s = 0;
	for (uint c = 0; c < color; ++c)
	{
		s += counters[STEP_COUNTS + c];
	}
	if (color < STEP_COLORS)
	{
		s += atomic_inc(&counters[STEP_FILLED + color]);
	}
	else
	{
		for (uint j = 0; j < i; ++j)
		{
			s += manifolds[j].color == STEP_COLORS ? 1u : 0u; // few, and in order
		}
	}
	return s;
}

// Solver data of each contact at its place by color: effective masses, friction center, approach speed.
__kernel void brk_stepPrepare(__global const StepNumbers* numbers, __global const GpuManifold* manifolds,
							  __global const uint* state, uint counter, uint capacity, __global const GpuBody* bodies,
							  __global const GpuShape* shapes, __global const GpuFrame* frames,
							  __global const GpuMotion* motions, __global float* data, __global int4* links, uint stride,
							  volatile __global uint* counters)
{
	const uint count = min(state[counter], capacity);
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		const GpuManifold m = manifolds[i];
		if (m.color > STEP_COLORS)
		{
			continue;
		}
		const uint s = stepPlace(manifolds, i, m.color, counters);
		const uint a = (uint)m.a, b = (uint)m.b;
		const GpuFrame frameA = frames[a], frameB = frames[b];
		const GpuShape shapeA = shapes[bodies[a].shape], shapeB = shapes[bodies[b].shape];
		const float thickness = shapeA.kind == SHAPE_HALF_SPACE ? shapeB.thickness : fmin(shapeA.thickness, shapeB.thickness);
		links[s] = (int4)((int)a, (int)b, (int)i, m.count);
		const int isStill = !(frameA.invMass > 0.0f) || !(frameB.invMass > 0.0f) ? 1 : 0;
		const float3 n = (float3)(m.normal[0], m.normal[1], m.normal[2]);
		const float3 aside = fabs(n.x) < 0.6f ? (float3)(1.0f, 0.0f, 0.0f) : (float3)(0.0f, 1.0f, 0.0f);
		float3 t = cross(n, aside);
		t *= 1.0f / sqrt(dot(t, t));
		const float3 u = cross(n, t);
		stepStore(data, stride, s, F_NORMAL, n);
		stepStore(data, stride, s, F_TANGENT, t);
		AT(F_RATE) = numbers->rate[isStill];
		AT(F_MASS_SCALE) = numbers->massScale[isStill];
		AT(F_IMPULSE_SCALE) = numbers->impulseScale[isStill];
		AT(F_PUSH) = numbers->pushSpeed * thickness;
		AT(F_FRICTION) = sqrt(bodies[a].friction * bodies[b].friction);
		AT(F_RESTITUTION) = fmax(bodies[a].restitution, bodies[b].restitution);
		const float3 pull = (float3)(m.friction[0], m.friction[1], m.friction[2]);
		AT(F_TANGENT_IMPULSE) = dot(pull, t);
		AT(F_TANGENT_IMPULSE + 1) = dot(pull, u);
		AT(F_TWIST_IMPULSE) = m.twist;
		const float massSum = frameA.invMass + frameB.invMass;
		const float3 vA = (float3)((float)motions[a].vx, (float)motions[a].vy, (float)motions[a].vz);
		const float3 wA = (float3)((float)motions[a].wx, (float)motions[a].wy, (float)motions[a].wz);
		const float3 vB = (float3)((float)motions[b].vx, (float)motions[b].vy, (float)motions[b].vz);
		const float3 wB = (float3)((float)motions[b].wx, (float)motions[b].wy, (float)motions[b].wz);
		float3 centerA = (float3)(0.0f), centerB = (float3)(0.0f);
		float weights = 0.0f;
		for (int k = 0; k < m.count; ++k)
		{
			const float3 rA = (float3)(m.anchorsA[k][0], m.anchorsA[k][1], m.anchorsA[k][2]);
			const float3 rB = (float3)(m.anchorsB[k][0], m.anchorsB[k][1], m.anchorsB[k][2]);
			const float3 rnA = cross(rA, n), rnB = cross(rB, n);
			const float sum = massSum + dot(rnA, stepTimes(frameA.inertia, rnA)) + dot(rnB, stepTimes(frameB.inertia, rnB));
			stepStore(data, stride, s, F_POINTS + P_FIELDS * k + P_ANCHOR_A, rA);
			stepStore(data, stride, s, F_POINTS + P_FIELDS * k + P_ANCHOR_B, rB);
			POINT(k, P_SEPARATION) = m.separations[k];
			POINT(k, P_MASS) = sum > 0.0f ? 1.0f / sum : 0.0f;
			POINT(k, P_IMPULSE) = m.impulses[k];
			POINT(k, P_TOTAL) = 0.0f;
			POINT(k, P_APPROACH) = dot(n, vB) + dot(rnB, wB) - dot(n, vA) - dot(rnA, wA);
			// Points ahead hold nothing yet, so they fade out of the friction center.
			const float weight = fmax(1.0f - fmax(m.separations[k], 0.0f) / (STEP_MARGIN * thickness), 1e-3f);
			centerA += weight * rA;
			centerB += weight * rB;
			weights += weight;
		}
		centerA *= 1.0f / weights;
		centerB *= 1.0f / weights;
		stepStore(data, stride, s, F_CENTER_A, centerA);
		stepStore(data, stride, s, F_CENTER_B, centerB);
		const float armA = fabs(dot(n, centerA)), armB = fabs(dot(n, centerB));
		const float spinning = fmax(frameA.invMass > 0.0f ? bodies[a].spinning * armA : 0.0f,
									frameB.invMass > 0.0f ? bodies[b].spinning * armB : 0.0f);
		for (int k = 0; k < m.count; ++k)
		{
			const float3 d = (float3)(m.anchorsB[k][0], m.anchorsB[k][1], m.anchorsB[k][2]) - centerB;
			POINT(k, P_LEVER) = sqrt(dot(d, d)) + spinning;
		}
		const float3 rtA = cross(centerA, t), rtB = cross(centerB, t), ruA = cross(centerA, u), ruB = cross(centerB, u);
		const float3 iuA = stepTimes(frameA.inertia, ruA), iuB = stepTimes(frameB.inertia, ruB);
		const float k11 = massSum + dot(rtA, stepTimes(frameA.inertia, rtA)) + dot(rtB, stepTimes(frameB.inertia, rtB));
		const float k22 = massSum + dot(ruA, iuA) + dot(ruB, iuB), k12 = dot(rtA, iuA) + dot(rtB, iuB);
		const float det = k11 * k22 - k12 * k12, invDet = det > 0.0f ? 1.0f / det : 0.0f;
		AT(F_TANGENT_MASS) = invDet * k22;
		AT(F_TANGENT_MASS + 1) = invDet * k11;
		AT(F_TANGENT_MASS + 2) = -(invDet * k12);
		const float twist = dot(n, stepTimes(frameA.inertia, n)) + dot(n, stepTimes(frameB.inertia, n));
		AT(F_TWIST_MASS) = twist > 0.0f ? 1.0f / twist : 0.0f;
	}
}

// The spin after h without torque, implicit so that it cannot grow: one Newton step of I w' + h w' x I w' = I w.
inline float3 stepGyroscopic(const GpuBody* body, const GpuFrame* f, float3 spin, float h)
{
	// Only ratios of the moments matter.
	const float scale = 1.0f / (body->inertiaX + body->inertiaY + body->inertiaZ);
	const float3 i = scale * (float3)(body->inertiaX, body->inertiaY, body->inertiaZ);
	const float3 w = (float3)(dot(f->x.xyz, spin), dot(f->y.xyz, spin), dot(f->z.xyz, spin));
	const float3 l = i * w, r = h * cross(w, l);
	const float3 cx = (float3)(i.x, h * (w.z * i.x - l.z), h * (l.y - w.y * i.x));
	const float3 cy = (float3)(h * (l.z - w.z * i.y), i.y, h * (w.x * i.y - l.x));
	const float3 cz = (float3)(h * (w.y * i.z - l.y), h * (l.x - w.x * i.z), i.z);
	const float3 yz = cross(cy, cz);
	const float det = dot(cx, yz);
	if (!(det > 0.0f))
	{
		return spin;
	}
	const float3 next = w - (1.0f / det) * (float3)(dot(r, yz), dot(cx, cross(r, cz)), dot(cx, cross(cy, r)));
	return next.x * f->x.xyz + next.y * f->y.xyz + next.z * f->z.xyz;
}

// Forces of a substep. In the first the states are filled; in others the impulses of the last one are applied again,
// which is what a warm start would do.
__kernel void brk_stepForces(__global const StepNumbers* numbers, __global const GpuBody* bodies,
							 __global GpuMotion* motions, __global const GpuFrame* frames, __global const int* levels,
							 __global GpuState* states, uint isFirst)
{
	const float h = (float)numbers->h;
	for (uint i = get_global_id(0); i < (uint)numbers->bodyCount; i += get_global_size(0))
	{
		const GpuBody body = bodies[i];
		GpuState state;
		if (isFirst != 0)
		{
			__global GpuMotion* m = &motions[i];
			const bool isMoving = stepMoves(body.kind, m->isAside);
			state.velocity = isMoving ? (float4)((float)m->vx, (float)m->vy, (float)m->vz, 0.0f) : (float4)(0.0f);
			state.spin = isMoving ? (float4)((float)m->wx, (float)m->wy, (float)m->wz, 0.0f) : (float4)(0.0f);
			state.moved = state.turned = (float4)(0.0f);
			float linear = 1.0f / (1.0f + h * body.linearDamping), angular = 1.0f / (1.0f + h * body.angularDamping);
			// Slow motion of what leans on the ground dies out.
			const float speed = frames[i].y.w / (float)numbers->dt;
			if (levels[i] < 255 && speed < numbers->sleepSpeed)
			{
				const float fading = 1.0f / (1.0f + h * numbers->slowDamping * (1.0f - speed / numbers->sleepSpeed));
				linear *= fading;
				angular *= fading;
			}
			m->level = levels[i];
			state.baseVelocity = (float4)(0.0f, 0.0f, 0.0f, linear);
			state.baseSpin = (float4)(0.0f, 0.0f, 0.0f, angular);
		}
		else
		{
			state = states[i];
		}
		if (frames[i].invMass > 0.0f)
		{
			const float3 impulse = isFirst != 0 ? (float3)(0.0f) : state.velocity.xyz - state.baseVelocity.xyz;
			const float3 twist = isFirst != 0 ? (float3)(0.0f) : state.spin.xyz - state.baseSpin.xyz;
			float3 spin = state.spin.xyz;
			const float spread = fabs(body.inertiaX - body.inertiaY) + fabs(body.inertiaY - body.inertiaZ);
			if (spread > 1e-6f * (body.inertiaX + body.inertiaY + body.inertiaZ))
			{
				const GpuFrame frame = frames[i];
				spin = stepGyroscopic(&body, &frame, spin, h);
			}
			const float3 gravity = (float3)((float)(numbers->h * numbers->gravityX * body.gravityScale),
											(float)(numbers->h * numbers->gravityY * body.gravityScale),
											(float)(numbers->h * numbers->gravityZ * body.gravityScale));
			state.baseVelocity.xyz = state.baseVelocity.w * state.velocity.xyz + gravity;
			state.baseSpin.xyz = state.baseSpin.w * spin;
			state.velocity.xyz = state.baseVelocity.xyz + impulse;
			state.spin.xyz = state.baseSpin.xyz + twist;
		}
		states[i] = state;
	}
}

__kernel void brk_stepMove(__global const StepNumbers* numbers, __global GpuState* states)
{
	const float h = (float)numbers->h;
	for (uint i = get_global_id(0); i < (uint)numbers->bodyCount; i += get_global_size(0))
	{
		states[i].moved += h * states[i].velocity;
		states[i].turned += h * states[i].spin;
	}
}

#define SOLVE_WARM 0u
#define SOLVE_BIASED 1u
#define SOLVE_RELAX 2u
#define SOLVE_BOUNCE 3u

typedef struct Mover
{
	float3 v, w;
	float invMass;
	float inertia[6];
} Mover;

inline Mover stepMover(__global const GpuState* states, __global const GpuFrame* frames, uint body)
{
	Mover mover;
	mover.v = states[body].velocity.xyz;
	mover.w = states[body].spin.xyz;
	mover.invMass = frames[body].invMass;
	for (int k = 0; k < 6; ++k)
	{
		mover.inertia[k] = frames[body].inertia[k];
	}
	return mover;
}

inline void stepApply(Mover* a, Mover* b, float3 p, float3 rA, float3 rB)
{
	a->v -= a->invMass * p;
	a->w -= stepTimes(a->inertia, cross(rA, p));
	b->v += b->invMass * p;
	b->w += stepTimes(b->inertia, cross(rB, p));
}

// What a pass works on.
typedef struct StepWork
{
	__global float* data; // of contacts
	uint stride;
	__global const int4* links; // bodies, pair and points of a contact
	__global GpuState* states;
	__global const GpuFrame* frames;
	float invH, threshold;
} StepWork;

// Normal and tangents of a contact, and the center of its friction from both bodies.
typedef struct ContactAxes
{
	float3 n, t, u, centerA, centerB;
} ContactAxes;

// What friction asks of the data of a contact.
typedef struct ContactFriction
{
	float friction, twist, twistMass, p, q, m11, m22, m12;
} ContactFriction;

inline ContactFriction stepLoadFriction(__global const float* data, uint stride, uint s)
{
	const ContactFriction f = {AT(F_FRICTION),          AT(F_TWIST_IMPULSE),    AT(F_TWIST_MASS),
							   AT(F_TANGENT_IMPULSE),   AT(F_TANGENT_IMPULSE + 1),
							   AT(F_TANGENT_MASS),      AT(F_TANGENT_MASS + 1), AT(F_TANGENT_MASS + 2)};
	return f;
}

// Friction and twist at the center of a contact: they hold what its points press, `load`, and `twistLoad` with their levers.
inline void stepSolveFriction(__global float* data, uint stride, uint s, const ContactFriction* f,
							  const ContactAxes* axes, Mover* a, Mover* b, float load, float twistLoad)
{
	const float3 n = axes->n, t = axes->t, u = axes->u, centerA = axes->centerA, centerB = axes->centerB;
	const float twistLimit = f->friction * twistLoad;
	const float twist = clamp(f->twist - f->twistMass * dot(n, b->w - a->w), -twistLimit, twistLimit);
	AT(F_TWIST_IMPULSE) = twist;
	a->w -= (twist - f->twist) * stepTimes(a->inertia, n);
	b->w += (twist - f->twist) * stepTimes(b->inertia, n);

	const float3 slip = b->v + cross(b->w, centerB) - a->v - cross(a->w, centerA);
	const float vt = dot(slip, t), vu = dot(slip, u);
	const float m11 = f->m11, m22 = f->m22, m12 = f->m12;
	float p = f->p - (m11 * vt + m12 * vu), q = f->q - (m12 * vt + m22 * vu);
	const float limit = f->friction * load;
	if (p * p + q * q > limit * limit)
	{
		// As on the CPU: what slides is pulled against its way.
		const float spread = 0.5f * (m11 - m22);
		const float least = 0.5f * (m11 + m22) - sqrt(spread * spread + m12 * m12);
		p = f->p - least * vt, q = f->q - least * vu;
	}
	const float lengthSq = p * p + q * q;
	const float scale = lengthSq > limit * limit ? limit / sqrt(lengthSq) : 1.0f;
	p *= scale, q *= scale;
	AT(F_TANGENT_IMPULSE) = p;
	AT(F_TANGENT_IMPULSE + 1) = q;
	stepApply(a, b, (p - f->p) * t + (q - f->q) * u, centerA, centerB);
}

// A point of a contact, read before anything is written: a thread that reads one after the other between writes waits for memory each time.
typedef struct ContactPoint
{
	float3 rA, rB;
	float mass, impulse, separation, lever, total, approach;
} ContactPoint;

#define STEP_POINTS 4

inline ContactPoint stepLoadPoint(__global const float* data, uint stride, uint s, int k, uint pass)
{
	ContactPoint point;
	point.rA = stepLoad(data, stride, s, F_POINTS + P_FIELDS * k + P_ANCHOR_A);
	point.rB = stepLoad(data, stride, s, F_POINTS + P_FIELDS * k + P_ANCHOR_B);
	point.mass = POINT(k, P_MASS);
	point.impulse = POINT(k, P_IMPULSE);
	point.separation = POINT(k, P_SEPARATION);
	point.lever = POINT(k, P_LEVER);
	point.total = pass == SOLVE_RELAX || pass == SOLVE_BOUNCE ? POINT(k, P_TOTAL) : 0.0f;
	point.approach = pass == SOLVE_BOUNCE ? POINT(k, P_APPROACH) : 0.0f;
	return point;
}

// How two bodies moved since the step's start, and what a contact between them gives way by.
typedef struct ContactWay
{
	float shift;
	float3 turnedA, turnedB;
	float rate, massScale, impulseScale, push, restitution;
} ContactWay;

// The impulse of one point that it should have after this pass.
inline float stepNextImpulse(const ContactPoint* point, const ContactWay* way, const StepWork* work, float3 rnA,
							 float3 rnB, float vn, uint pass)
{
	const float old = point->impulse, mass = point->mass;
	if (pass == SOLVE_BOUNCE)
	{
		const bool isHit = point->approach < -work->threshold && point->total > 0.0f;
		return isHit ? fmax(old - mass * (vn + way->restitution * point->approach), 0.0f) : old;
	}
	const float separation = point->separation + way->shift + dot(rnB, way->turnedB) - dot(rnA, way->turnedA);
	float next = old - mass * vn;
	if (separation > 0.0f)
	{
		next = old - mass * (vn + separation * work->invH);
	}
	else if (pass == SOLVE_BIASED)
	{
		next = old - mass * way->massScale * (vn + way->rate * separation) - way->impulseScale * old;
	}
	// A spring under load may press as hard as it must, but what is free to go leaves no faster than this.
	next = pass == SOLVE_BIASED ? fmin(next, old + mass * fmax(way->push - vn, 0.0f)) : next;
	return fmax(next, 0.0f);
}

// One contact, all its points in turn.
inline void stepSolveOne(const StepWork* work, uint s, uint pass)
{
	__global float* data = work->data;
	__global GpuState* states = work->states;
	const uint stride = work->stride;
	ContactWay way = {.restitution = AT(F_RESTITUTION)};
	if (pass == SOLVE_BOUNCE && !(way.restitution > 0.0f))
	{
		return;
	}
	const int4 link = work->links[s];
	ContactPoint points[STEP_POINTS];
#pragma unroll
	for (int k = 0; k < STEP_POINTS; ++k)
	{
		if (k < link.w)
		{
			points[k] = stepLoadPoint(data, stride, s, k, pass);
		}
	}
	const float3 n = stepLoad(data, stride, s, F_NORMAL), t = stepLoad(data, stride, s, F_TANGENT), u = cross(n, t);
	const ContactAxes axes = {n, t, u, stepLoad(data, stride, s, F_CENTER_A), stepLoad(data, stride, s, F_CENTER_B)};
	const ContactFriction friction = stepLoadFriction(data, stride, s);
	way.rate = AT(F_RATE), way.massScale = AT(F_MASS_SCALE), way.impulseScale = AT(F_IMPULSE_SCALE);
	way.push = AT(F_PUSH);
	const uint bodyA = (uint)link.x, bodyB = (uint)link.y;
	Mover a = stepMover(states, work->frames, bodyA), b = stepMover(states, work->frames, bodyB);
	way.shift = dot(n, states[bodyB].moved.xyz - states[bodyA].moved.xyz);
	way.turnedA = states[bodyA].turned.xyz, way.turnedB = states[bodyB].turned.xyz;
	float load = 0.0f, twistLoad = 0.0f;
#pragma unroll
	for (int k = 0; k < STEP_POINTS; ++k)
	{
		if (k < link.w)
		{
			const ContactPoint point = points[k];
			const float3 rnA = cross(point.rA, n), rnB = cross(point.rB, n);
			const float vn = dot(n, b.v) + dot(rnB, b.w) - dot(n, a.v) - dot(rnA, a.w);
			const float old = point.impulse;
			const float next = pass == SOLVE_WARM ? old : stepNextImpulse(&point, &way, work, rnA, rnB, vn, pass);
			load += next;
			twistLoad += next * point.lever;
			stepApply(&a, &b, (pass == SOLVE_WARM ? old : next - old) * n, point.rA, point.rB);
			if (pass == SOLVE_BIASED || pass == SOLVE_RELAX)
			{
				POINT(k, P_IMPULSE) = next;
			}
			if (pass == SOLVE_RELAX || pass == SOLVE_BOUNCE)
			{
				POINT(k, P_TOTAL) = point.total + (pass == SOLVE_RELAX ? next : next - old);
			}
		}
	}
	if (pass == SOLVE_WARM)
	{
		const float3 twist = friction.twist * n;
		stepApply(&a, &b, friction.p * t + friction.q * u, axes.centerA, axes.centerB);
		a.w -= stepTimes(a.inertia, twist);
		b.w += stepTimes(b.inertia, twist);
	}
	if (pass == SOLVE_RELAX)
	{
		stepSolveFriction(data, stride, s, &friction, &axes, &a, &b, load, twistLoad);
	}
	if (a.invMass > 0.0f)
	{
		states[bodyA].velocity.xyz = a.v;
		states[bodyA].spin.xyz = a.w;
	}
	if (b.invMass > 0.0f)
	{
		states[bodyB].velocity.xyz = b.v;
		states[bodyB].spin.xyz = b.w;
	}
}

// One pass over one color, many groups.
__kernel void brk_stepSolve(__global const StepNumbers* numbers, __global float* data, __global const int4* links,
							uint stride, __global GpuState* states, __global const GpuFrame* frames, uint pass,
							uint first, uint count)
{
	const StepWork work = {data, stride, links, states, frames, numbers->invH, numbers->restitutionSpeed};
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		stepSolveOne(&work, first + i, pass);
	}
}

// One pass over several small colors by one group; the last color, if it is that of what fits none, one contact after
// the other.
#define TAIL_GROUP 256
__kernel __attribute__((reqd_work_group_size(TAIL_GROUP, 1, 1))) void
brk_stepSolveTail(__global const StepNumbers* numbers, __global float* data, __global const int4* links, uint stride,
				  __global GpuState* states, __global const GpuFrame* frames, uint pass, __global const uint* counters,
				  uint first, uint firstColor, uint endColor)
{
	const uint t = get_local_id(0);
	const StepWork work = {data, stride, links, states, frames, numbers->invH, numbers->restitutionSpeed};
	for (uint color = firstColor; color < endColor; ++color)
	{
		const uint count = counters[STEP_COUNTS + color];
		const uint stepOn = color == STEP_COLORS ? 1u : TAIL_GROUP;
		for (uint i = color == STEP_COLORS && t > 0 ? count : t; i < count; i += stepOn)
		{
			stepSolveOne(&work, first + i, pass);
		}
		first += count;
		barrier(CLK_GLOBAL_MEM_FENCE);
	}
}

// Impulses back to their pairs, for the next step.
__kernel void brk_stepKeep(__global const float* data, __global const int4* links, uint stride, uint count,
						   __global GpuManifold* manifolds)
{
	for (uint s = get_global_id(0); s < count; s += get_global_size(0))
	{
		const int4 link = links[s];
		__global GpuManifold* m = &manifolds[link.z];
		const float3 n = stepLoad(data, stride, s, F_NORMAL), t = stepLoad(data, stride, s, F_TANGENT), u = cross(n, t);
		const float3 pull = AT(F_TANGENT_IMPULSE) * t + AT(F_TANGENT_IMPULSE + 1) * u;
		m->friction[0] = pull.x, m->friction[1] = pull.y, m->friction[2] = pull.z;
		m->twist = AT(F_TWIST_IMPULSE);
		for (int k = 0; k < link.w; ++k)
		{
			m->impulses[k] = POINT(k, P_IMPULSE);
		}
	}
}

#else

__kernel void brk_stepPrepare(void)
{
}
__kernel void brk_stepForces(void)
{
}
__kernel void brk_stepMove(void)
{
}
__kernel void brk_stepSolve(void)
{
}
__kernel void brk_stepSolveTail(void)
{
}
__kernel void brk_stepKeep(void)
{
}

#endif
