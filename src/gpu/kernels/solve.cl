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
#define F_ROLLING 25
#define F_ROLLING_IMPULSE 26
#define F_POINTS 29
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
	uint s = counters[STEP_STARTS + color];
	if (color < STEP_COLORS)
	{
		return s + atomic_inc(&counters[STEP_FILLED + color]);
	}
	for (uint j = 0; j < i; ++j)
	{
		s += manifolds[j].color == STEP_COLORS ? 1u : 0u; // few, and in order
	}
	return s;
}

// From the axes of a body into the world.
inline float3 stepTurnOut(const GpuFrame* frame, const float* v)
{
	return v[0] * frame->x.xyz + v[1] * frame->y.xyz + v[2] * frame->z.xyz;
}

// Solver data of each contact at its place by color: effective masses, friction center, approach speed.
__kernel void brk_stepPrepare(__global const StepNumbers* numbers, __global const GpuManifold* manifolds,
							  uint capacity, uint each, __global const GpuBody* bodies,
							  __global const GpuShape* shapes, __global const GpuFrame* frames,
							  __global const GpuMotion* motions, __global float* data, __global int4* links, uint stride,
							  volatile __global uint* counters)
{
	const uint count = each * min(counters[STEP_PAIRS], capacity);
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
		const float3 n = stepTurnOut(&frameA, m.normal), between = stepBetween(motions, a, b);
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
			const float3 rA = stepTurnOut(&frameA, m.anchorsA[k]), rB = stepTurnOut(&frameB, m.anchorsB[k]);
			// Since they were made the two anchors may have parted.
			const float separation = m.separations[k] + dot(n, between + rB - rA);
			const float3 rnA = cross(rA, n), rnB = cross(rB, n);
			const float sum = massSum + dot(rnA, stepTimes(frameA.inertia, rnA)) + dot(rnB, stepTimes(frameB.inertia, rnB));
			stepStore(data, stride, s, F_POINTS + P_FIELDS * k + P_ANCHOR_A, rA);
			stepStore(data, stride, s, F_POINTS + P_FIELDS * k + P_ANCHOR_B, rB);
			POINT(k, P_SEPARATION) = separation;
			POINT(k, P_MASS) = sum > 0.0f ? 1.0f / sum : 0.0f;
			POINT(k, P_IMPULSE) = m.impulses[k];
			POINT(k, P_TOTAL) = 0.0f;
			POINT(k, P_APPROACH) = dot(n, vB) + dot(rnB, wB) - dot(n, vA) - dot(rnA, wA);
			// Points ahead hold nothing yet, so they fade out of the friction center.
			const float weight = fmax(1.0f - fmax(separation, 0.0f) / (STEP_MARGIN * thickness), 1e-3f);
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
			const float3 d = stepTurnOut(&frameB, m.anchorsB[k]) - centerB;
			POINT(k, P_LEVER) = sqrt(dot(d, d)) + spinning;
		}
		AT(F_ROLLING) = fmax(frameA.invMass > 0.0f && shapeA.rolls ? bodies[a].rolling * armA : 0.0f,
							 frameB.invMass > 0.0f && shapeB.rolls ? bodies[b].rolling * armB : 0.0f);
		stepStore(data, stride, s, F_ROLLING_IMPULSE, (float3)(m.rolling[0], m.rolling[1], m.rolling[2]));
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

// A function of its own for processors: PoCL's search for what threads have in common takes for ever in larger ones.
#ifdef BR_PROCESSOR
#define SOLVE_ALONE __attribute__((noinline))
#else
#define SOLVE_ALONE inline
#endif

// What a pass works on.
typedef struct StepWork
{
	__global const StepNumbers* numbers;
	__global const GpuBody* bodies;
	__global GpuMotion* motions;
	__global const GpuFrame* frames;
	__global const int* levels;
	__global GpuState* states;
	__global float* data; // of contacts
	__global const int4* links; // bodies, pair and points of a contact
	uint stride;
} StepWork;

// How a body enters the step.
inline GpuState stepStart(const StepWork* work, uint i, int kind, float linear, float angular)
{
	__global GpuMotion* m = &work->motions[i];
	const bool isMoving = stepMoves(kind, m->isAside);
	GpuState state;
	state.velocity = isMoving ? (float4)((float)m->vx, (float)m->vy, (float)m->vz, 0.0f) : (float4)(0.0f);
	state.spin = isMoving ? (float4)((float)m->wx, (float)m->wy, (float)m->wz, 0.0f) : (float4)(0.0f);
	state.moved = state.turned = (float4)(0.0f);
	// Slow motion of what leans on the ground dies out.
	const float speed = work->frames[i].y.w / (float)work->numbers->dt, slow = work->numbers->sleepSpeed;
	if (work->levels[i] < 255 && speed < slow)
	{
		const float fading =
			1.0f / (1.0f + (float)work->numbers->h * work->numbers->slowDamping * (1.0f - speed / slow));
		linear *= fading;
		angular *= fading;
	}
	m->level = work->levels[i];
	state.baseVelocity = (float4)(0.0f, 0.0f, 0.0f, linear);
	state.baseSpin = (float4)(0.0f, 0.0f, 0.0f, angular);
	return state;
}

// Forces of a substep on body i. In the first the state is filled; in others the impulses of the last one are applied
// again, which is what a warm start would do.
inline void stepForces(const StepWork* work, uint i, bool isFirst)
{
	__global const StepNumbers* numbers = work->numbers;
	const float h = (float)numbers->h;
	const GpuBody body = work->bodies[i];
	GpuState state;
	if (isFirst)
	{
		state = stepStart(work, i, body.kind, 1.0f / (1.0f + h * body.linearDamping),
						  1.0f / (1.0f + h * body.angularDamping));
	}
	else
	{
		state = work->states[i];
	}
	if (work->frames[i].invMass > 0.0f)
	{
		const float3 impulse = isFirst ? (float3)(0.0f) : state.velocity.xyz - state.baseVelocity.xyz;
		const float3 twist = isFirst ? (float3)(0.0f) : state.spin.xyz - state.baseSpin.xyz;
		float3 spin = state.spin.xyz;
		const float spread = fabs(body.inertiaX - body.inertiaY) + fabs(body.inertiaY - body.inertiaZ);
		if (spread > 1e-6f * (body.inertiaX + body.inertiaY + body.inertiaZ))
		{
			const GpuFrame frame = work->frames[i];
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
	work->states[i] = state;
}

#define SOLVE_WARM 0u
#define SOLVE_BIASED 1u
#define SOLVE_RELAX 2u
#define SOLVE_BOUNCE 3u
#define SOLVE_FORCES 4u // of the first substep; from here on over bodies
#define SOLVE_FORCES_AGAIN 5u
#define SOLVE_MOVE 6u
#define SOLVE_END 7u

typedef struct Mover
{
	float3 v, w;
	float invMass;
	float inertia[6];
} Mover;

inline void stepLoadMass(Mover* mover, __global const GpuFrame* frame)
{
	mover->invMass = frame->invMass;
	for (int k = 0; k < 6; ++k)
	{
		mover->inertia[k] = frame->inertia[k];
	}
}

inline void stepApply(Mover* a, Mover* b, float3 p, float3 rA, float3 rB)
{
	a->v -= a->invMass * p;
	a->w -= stepTimes(a->inertia, cross(rA, p));
	b->v += b->invMass * p;
	b->w += stepTimes(b->inertia, cross(rB, p));
}

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

// Friction and twist at the center of a contact: they hold what its points press, `load`, and `twistLoad` with their
// levers.
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

// Rolling resistance: an angular impulse against the relative spin, as on the CPU.
inline void stepSolveRolling(__global float* data, uint stride, uint s, Mover* a, Mover* b, float limit)
{
	float k[6];
	for (int j = 0; j < 6; ++j)
	{
		k[j] = a->inertia[j] + b->inertia[j];
	}
	// By their sum, as products of what turns a grain of dust are not finite.
	const float sum = k[0] + k[1] + k[2], unit = sum > 0.0f ? 1.0f / sum : 0.0f;
	for (int j = 0; j < 6; ++j)
	{
		k[j] *= unit;
	}
	const float c00 = k[1] * k[2] - k[5] * k[5], c01 = k[4] * k[5] - k[3] * k[2], c02 = k[3] * k[5] - k[4] * k[1];
	const float det = k[0] * c00 + k[3] * c01 + k[4] * c02, invDet = det > 0.0f ? unit / det : 0.0f;
	const float inverse[6] = {invDet * c00, invDet * (k[0] * k[2] - k[4] * k[4]), invDet * (k[0] * k[1] - k[3] * k[3]),
							  invDet * c01, invDet * c02, invDet * (k[3] * k[4] - k[0] * k[5])};
	const float3 old = stepLoad(data, stride, s, F_ROLLING_IMPULSE);
	float3 next = old - stepTimes(inverse, b->w - a->w);
	const float lengthSq = dot(next, next);
	next *= lengthSq > limit * limit ? limit / sqrt(lengthSq) : 1.0f;
	stepStore(data, stride, s, F_ROLLING_IMPULSE, next);
	a->w -= stepTimes(a->inertia, next - old);
	b->w += stepTimes(b->inertia, next - old);
}

// A point of a contact.
typedef struct ContactPoint
{
	float3 rA, rB;
	float mass, impulse, separation, lever, total, approach;
} ContactPoint;

#define SOLVE_POINTS 4

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

// A contact with all that no other contact changes. It is read in one go, before the pass waits for its turn: a thread
// that reads one number after the other between writes waits for memory each time.
typedef struct SolveContact
{
	int4 link;
	ContactAxes axes;
	ContactFriction friction;
	ContactWay way;
	Mover a, b;
	ContactPoint points[SOLVE_POINTS];
	float rolling;
} SolveContact;

SOLVE_ALONE void stepLoadContact(const StepWork* work, uint s, uint pass, SolveContact* c)
{
	__global const float* data = work->data;
	const uint stride = work->stride;
	c->link = work->links[s];
	c->way.restitution = AT(F_RESTITUTION);
#pragma unroll
	for (int k = 0; k < SOLVE_POINTS; ++k)
	{
		if (k < c->link.w)
		{
			c->points[k] = stepLoadPoint(data, stride, s, k, pass);
		}
	}
	c->axes.n = stepLoad(data, stride, s, F_NORMAL), c->axes.t = stepLoad(data, stride, s, F_TANGENT);
	c->axes.u = cross(c->axes.n, c->axes.t);
	c->axes.centerA = stepLoad(data, stride, s, F_CENTER_A), c->axes.centerB = stepLoad(data, stride, s, F_CENTER_B);
	c->friction = stepLoadFriction(data, stride, s);
	c->rolling = AT(F_ROLLING);
	c->way.rate = AT(F_RATE), c->way.massScale = AT(F_MASS_SCALE), c->way.impulseScale = AT(F_IMPULSE_SCALE);
	c->way.push = AT(F_PUSH);
	stepLoadMass(&c->a, &work->frames[c->link.x]);
	stepLoadMass(&c->b, &work->frames[c->link.y]);
}

// The impulse of one point that it should have after this pass.
inline float stepNextImpulse(const StepWork* work, const ContactPoint* point, const ContactWay* way, float3 rnA,
							 float3 rnB, float vn, uint pass)
{
	const float old = point->impulse, mass = point->mass;
	if (pass == SOLVE_BOUNCE)
	{
		const bool isHit = point->approach < -work->numbers->restitutionSpeed && point->total > 0.0f;
		return isHit ? fmax(old - mass * (vn + way->restitution * point->approach), 0.0f) : old;
	}
	const float separation = point->separation + way->shift + dot(rnB, way->turnedB) - dot(rnA, way->turnedA);
	float next = old - mass * vn;
	if (separation > 0.0f)
	{
		next = old - mass * (vn + separation * work->numbers->invH);
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
SOLVE_ALONE void stepSolveContact(const StepWork* work, uint s, uint pass, SolveContact* c)
{
	__global float* data = work->data;
	__global GpuState *stateA = &work->states[c->link.x], *stateB = &work->states[c->link.y];
	const uint stride = work->stride;
	if (pass == SOLVE_BOUNCE && !(c->way.restitution > 0.0f))
	{
		return;
	}
	Mover a = c->a, b = c->b;
	ContactWay way = c->way;
	const float3 n = c->axes.n;
	a.v = stateA->velocity.xyz, a.w = stateA->spin.xyz;
	b.v = stateB->velocity.xyz, b.w = stateB->spin.xyz;
	way.shift = dot(n, stateB->moved.xyz - stateA->moved.xyz);
	way.turnedA = stateA->turned.xyz, way.turnedB = stateB->turned.xyz;
	float load = 0.0f, twistLoad = 0.0f;
#pragma unroll
	for (int k = 0; k < SOLVE_POINTS; ++k)
	{
		if (k < c->link.w)
		{
			const ContactPoint point = c->points[k];
			const float3 rnA = cross(point.rA, n), rnB = cross(point.rB, n);
			const float vn = dot(n, b.v) + dot(rnB, b.w) - dot(n, a.v) - dot(rnA, a.w);
			const float old = point.impulse;
			const float next = pass == SOLVE_WARM ? old : stepNextImpulse(work, &point, &way, rnA, rnB, vn, pass);
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
		const float3 twist = c->friction.twist * n;
		stepApply(&a, &b, c->friction.p * c->axes.t + c->friction.q * c->axes.u, c->axes.centerA, c->axes.centerB);
		const float3 roll = c->rolling > 0.0f ? twist + stepLoad(data, stride, s, F_ROLLING_IMPULSE) : twist;
		a.w -= stepTimes(a.inertia, roll);
		b.w += stepTimes(b.inertia, roll);
	}
	if (pass == SOLVE_RELAX)
	{
		stepSolveFriction(data, stride, s, &c->friction, &c->axes, &a, &b, load, twistLoad);
		if (c->rolling > 0.0f)
		{
			stepSolveRolling(data, stride, s, &a, &b, c->rolling * load);
		}
	}
	if (a.invMass > 0.0f)
	{
		stateA->velocity.xyz = a.v;
		stateA->spin.xyz = a.w;
	}
	if (b.invMass > 0.0f)
	{
		stateB->velocity.xyz = b.v;
		stateB->spin.xyz = b.w;
	}
}

// A pass over bodies.
SOLVE_ALONE void stepPassBodies(const StepWork* work, uint pass, uint thread, uint threads)
{
	const float h = (float)work->numbers->h;
	for (uint i = thread; i < (uint)work->numbers->bodyCount; i += threads)
	{
		if (pass != SOLVE_MOVE)
		{
			stepForces(work, i, pass == SOLVE_FORCES);
			continue;
		}
		work->states[i].moved += h * work->states[i].velocity;
		work->states[i].turned += h * work->states[i].spin;
	}
}

// One pass over bodies in a launch of its own.
__kernel void brk_stepBodies(__global const StepNumbers* numbers, __global const GpuBody* bodies,
							 __global GpuMotion* motions, __global const GpuFrame* frames, __global const int* levels,
							 __global GpuState* states, uint pass)
{
	const StepWork work = {numbers, bodies, motions, frames, levels, states, 0, 0, 0};
	stepPassBodies(&work, pass, get_global_id(0), get_global_size(0));
}

// The same over one color.
__kernel __attribute__((reqd_work_group_size(SOLVE_GROUP, 1, 1))) void
brk_stepPass(__global const StepNumbers* numbers, __global const GpuFrame* frames,
						   __global GpuState* states, __global float* data, __global const int4* links, uint stride,
						   __global const uint* counters, uint pass, uint color)
{
	const StepWork work = {numbers, 0, 0, frames, 0, states, data, links, stride};
	const uint first = counters[STEP_STARTS + color], end = first + counters[STEP_COUNTS + color];
	// What fits no color by one thread, in order.
	const bool isInOrder = color == STEP_COLORS;
	const uint begin = isInOrder && get_global_id(0) > 0 ? end : first + (uint)get_global_id(0);
	for (uint s = begin; s < end; s += isInOrder ? 1u : (uint)get_global_size(0))
	{
		SolveContact contact;
		stepLoadContact(&work, s, pass, &contact);
		stepSolveContact(&work, s, pass, &contact);
	}
}

// Writes before it are seen by all groups after it. OpenCL 1.2 does not promise that of its fences between groups; PTX
// does. Elsewhere there is one group.
#ifdef BR_NVIDIA
#define SOLVE_FENCE asm volatile("fence.acq_rel.gpu;" ::: "memory")
#else
#define SOLVE_FENCE mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif
#define SOLVE_PATIENCE (1u << 17) // looks at the gate, some 0.1 s

// All groups wait for each other, if they run side by side; none waits for ever. `meetings` counts this one. Those that
// some did not come to are lost, and nothing of this step counts.
inline void stepMeet(volatile __global uint* counters, uint meetings, __local uint* isLost)
{
	const uint all = meetings * (uint)get_num_groups(0);
	uint looks = 0;
	SOLVE_FENCE;
	atomic_inc(&counters[STEP_GATE]);
	while (counters[STEP_GATE] < all && counters[STEP_LOST] == 0 && looks < SOLVE_PATIENCE)
	{
		looks += 1;
	}
	if (looks == SOLVE_PATIENCE || counters[STEP_LOST] != 0)
	{
		counters[STEP_LOST] = 1;
		*isLost = 1;
	}
	SOLVE_FENCE;
}

// The pass after this one.
inline uint stepNextPass(uint pass, int substep, int substeps, uint hasBounce)
{
	switch (pass)
	{
		case SOLVE_FORCES:
			return SOLVE_WARM;
		case SOLVE_BIASED:
			return SOLVE_MOVE;
		case SOLVE_MOVE:
			return SOLVE_RELAX;
		case SOLVE_RELAX:
			return substep + 1 < substeps ? SOLVE_FORCES_AGAIN : hasBounce != 0 ? SOLVE_BOUNCE : SOLVE_END;
		case SOLVE_BOUNCE:
			return SOLVE_END;
		default:
			return SOLVE_BIASED;
	}
}

// All substeps in one launch: groups that run side by side wait for each other between colors. Small colors are the
// first group's, one after the other without the others.
__kernel __attribute__((reqd_work_group_size(SOLVE_GROUP, 1, 1))) void
brk_stepSolve(__global const StepNumbers* numbers, __global const GpuBody* bodies, __global GpuMotion* motions,
			  __global const GpuFrame* frames, __global const int* levels, __global GpuState* states,
			  __global float* data, __global const int4* links, uint stride, volatile __global uint* counters,
			  uint hasBounce)
{
	__local uint isLost, counts[STEP_COLORS + 1], starts[STEP_COLORS + 1];
	const StepWork work = {numbers, bodies, motions, frames, levels, states, data, links, stride};
	const uint t = get_local_id(0), colors = counters[STEP_USED], isFirstGroup = get_group_id(0) == 0 ? 1 : 0;
	for (uint c = t; c <= STEP_COLORS; c += SOLVE_GROUP)
	{
		counts[c] = counters[STEP_COUNTS + c];
		starts[c] = counters[STEP_STARTS + c];
	}
	if (t == 0)
	{
		isLost = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	// Strips of 32 go to groups in turn, so that few contacts are spread over the device.
	const uint strip = SOLVE_GROUP < 32 ? 1 : 32;
	const uint thread = (t / strip * (uint)get_num_groups(0) + (uint)get_group_id(0)) * strip + t % strip;
	uint color = 0, meetings = 0, wasSmall = 0;
	uint pass = colors > 0 && numbers->substeps > 0 ? SOLVE_FORCES : SOLVE_END;
	for (int substep = 0; pass != SOLVE_END;)
	{
		const bool isBodies = pass >= SOLVE_FORCES;
		const uint count = isBodies ? 0 : counts[color], first = starts[color];
		const uint isSmall = !isBodies && (count <= SOLVE_GROUP || color == STEP_COLORS) ? 1 : 0;
		const bool isInOrder = color == STEP_COLORS, isMine = isSmall == 0 || isFirstGroup != 0;
		const uint threads = isInOrder ? 1u : isSmall != 0 ? SOLVE_GROUP : (uint)get_global_size(0);
		const uint begin = isSmall != 0 ? t : thread;
		uint s = isMine && begin < threads ? begin : count;
		SolveContact contact;
		if (s < count)
		{
			stepLoadContact(&work, first + s, pass, &contact);
		}
		barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
		meetings += isSmall & wasSmall ? 0 : 1;
		if (t == 0 && (isSmall & wasSmall) == 0 && get_num_groups(0) > 1 && isLost == 0)
		{
			stepMeet(counters, meetings, &isLost);
		}
		barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
		if (isBodies)
		{
			stepPassBodies(&work, pass, thread, (uint)get_global_size(0));
		}
		for (uint turn = 0; s < count; s += threads, ++turn)
		{
			if (turn > 0)
			{
				stepLoadContact(&work, first + s, pass, &contact);
			}
			stepSolveContact(&work, first + s, pass, &contact);
		}
		wasSmall = isSmall;
		color = isBodies ? color : color + 1;
		if (isBodies || color == colors)
		{
			const uint next = stepNextPass(pass, substep, numbers->substeps, hasBounce);
			substep += pass == SOLVE_RELAX ? 1 : 0;
			color = 0;
			pass = isLost != 0 ? SOLVE_END : next;
		}
	}
}

// Impulses back to their pairs, for the next step.
__kernel void brk_stepKeep(__global const float* data, __global const int4* links, uint stride,
						   __global const uint* counters, __global GpuManifold* manifolds)
{
	for (uint s = get_global_id(0); s < counters[STEP_CONTACTS]; s += get_global_size(0))
	{
		const int4 link = links[s];
		__global GpuManifold* m = &manifolds[link.z];
		const float3 n = stepLoad(data, stride, s, F_NORMAL), t = stepLoad(data, stride, s, F_TANGENT), u = cross(n, t);
		const float3 pull = AT(F_TANGENT_IMPULSE) * t + AT(F_TANGENT_IMPULSE + 1) * u;
		m->friction[0] = pull.x, m->friction[1] = pull.y, m->friction[2] = pull.z;
		m->twist = AT(F_TWIST_IMPULSE);
		for (uint k = 0; k < 3; ++k)
		{
			m->rolling[k] = AT(F_ROLLING_IMPULSE + k);
		}
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
__kernel void brk_stepBodies(void)
{
}
__kernel void brk_stepPass(void)
{
}
__kernel void brk_stepSolve(void)
{
}
__kernel void brk_stepKeep(void)
{
}

#endif
