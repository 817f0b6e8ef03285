// SPDX-License-Identifier: MIT

// Contacts of each pair. Pairs that barely moved keep their points, those that are still apart have none. Points of the
// others are found here, or by meshes.cl, which asks the CPU's own files: what that answers becomes up to four
// contacts.

#ifdef cl_khr_fp64

#define SOLIDS_EACH 4 // contacts of a pair with a mesh or a surface

// As in src/dynamics/tuning.h.
#define TOUCH_TOLERANCE 0.004f
#define TOUCH_MOST 0.3f
#define TOUCH_MOST_RADIUS 0.003f
#define TOUCH_RESTLESS_WIDENS 0.25f
#define TOUCH_RESTLESS_THICKNESSES 0.25f
#define TOUCH_RESTLESS_PULL 0.5f
#define TOUCH_RESTLESS_CALMS 4
#define TOUCH_HELD_PULL 0.5f
#define TOUCH_HELD_REACH 0.25f
#define TOUCH_ROLLING_TURN 0.01f
#define TOUCH_SLIDING 0.05f

// How a pair lay when its points were found: the place of B and its turn, seen from A.
typedef struct StepMade
{
	float place[3];
	float apart; // a bound of the distance, if they did not touch
	float turn[4];
	int restless; // for how many steps it has touched slowly and its points were found anew
} StepMade;

// brTouchQuery and brTouchAnswer.
typedef struct SolidTouch
{
	float normal[3];
	int count;
	float separations[4];
	uint ids[4];
} SolidTouch;

typedef struct SolidQuery
{
	ulong shapes[2];
	float x[3], y[3], z[3], p[3];
	float margin;
	uchar isRolling, isSliding;
	ushort unused;
	int isKept;
	int keptCount;
	SolidTouch kept[SOLIDS_EACH];
} SolidQuery;

typedef struct SolidFound
{
	float normal[3];
	int count;
	float points[4][3];
	float separations[4];
	uint ids[4];
	float apart;
} SolidFound;

typedef struct SolidAnswer
{
	int count;
	SolidFound touches[SOLIDS_EACH];
} SolidAnswer;

// What is held where it lies does not fall: it looks ahead less far.
inline bool stepIsHeld(const GpuFrame* frame, int level, bool isHeld)
{
	return level < 255 && isHeld && frame->y.w < TOUCH_HELD_PULL * (frame->x.w - frame->y.w);
}

inline float stepPull(const GpuFrame* frame, bool isHeld)
{
	const float pull = frame->x.w - frame->y.w;
	return isHeld ? fmin(pull, TOUCH_HELD_REACH * frame->z.w) : pull;
}

inline float4 stepTurn(__global const GpuMotion* a, __global const GpuMotion* b)
{
	const double4 q = stepQuatMul((double4)(-a->qx, -a->qy, -a->qz, a->qw), stepQuatOf(b));
	return convert_float4(q.w < 0.0 ? -q : q);
}

// How far a point of B may have moved in A's axes since then.
inline float stepMoved(const StepMade* made, float3 place, float4 turn, float radiusA, float radiusB)
{
	const float4 d = turn - (float4)(made->turn[0], made->turn[1], made->turn[2], made->turn[3]);
	const float angle = 2.0f * sqrt(dot(d, d));
	const float3 then = (float3)(made->place[0], made->place[1], made->place[2]);
	if (radiusA > 0.0f && 4.0f * radiusA < radiusB)
	{
		// About A's origin, where B is large: what B carried there moved by the change of B's place seen from there.
		const float3 q = (float3)(made->turn[0], made->turn[1], made->turn[2]), u = turn.xyz;
		const float3 v = made->turn[3] * u - turn.w * q - cross(u, q);
		const float w = turn.w * made->turn[3] + dot(u, q);
		const float3 t = 2.0f * cross(v, then), carried = then + w * t + cross(v, t);
		return length(place - carried) + radiusA * angle;
	}
	return length(place - then) + radiusB * angle;
}

inline void stepCopy(float* to, float3 v)
{
	to[0] = v.x, to[1] = v.y, to[2] = v.z;
}

// Impulses of the manifolds a step ago: first of points that are the same, then of the nearest within reach. Each is
// carried over once: `taken` has four bits for each manifold.
inline void stepCarryImpulses(GpuManifold* m, __global const GpuManifold* olds, int oldCount, uint* taken, float reachSq)
{
	uint isSet = 0;
	for (int pass = 0; pass < 2; ++pass)
	{
		for (int k = 0; k < m->count; ++k)
		{
			int nearest = -1;
			float best = reachSq, impulse = 0.0f;
			for (int o = 0; o < 4 * oldCount && (isSet >> k & 1) == 0; ++o)
			{
				__global const GpuManifold* old = &olds[o / 4];
				const int n = o % 4;
				const bool isThere = n < old->count && (*taken >> o & 1) == 0 &&
									 old->normal[0] * m->normal[0] + old->normal[1] * m->normal[1] +
											 old->normal[2] * m->normal[2] > STEP_WARM_COSINE;
				const float3 d = (float3)(old->anchorsA[n][0] - m->anchorsA[k][0], old->anchorsA[n][1] - m->anchorsA[k][1],
										  old->anchorsA[n][2] - m->anchorsA[k][2]);
				const bool isBetter = pass == 0 ? old->ids[n] == m->ids[k] && nearest < 0 : dot(d, d) < best;
				if (isThere && isBetter)
				{
					best = dot(d, d), nearest = o, impulse = old->impulses[n];
				}
			}
			if (nearest >= 0)
			{
				m->impulses[k] = impulse;
				*taken |= 1u << nearest, isSet |= 1u << k;
			}
		}
	}
}

// Its friction goes on in another contact.
inline void stepCarryFriction(GpuManifold* m, __global const GpuManifold* old)
{
	for (int k = 0; k < 3; ++k)
	{
		m->friction[k] += old->friction[k];
		m->rolling[k] += old->rolling[k];
	}
	m->twist += old->twist;
}

// A contact without points.
inline void stepClear(GpuManifold* m, uint a, uint b)
{
	m->count = 0;
	m->color = STEP_INACTIVE;
	m->a = (int)a, m->b = (int)b;
	m->axis = 0;
	m->friction[0] = m->friction[1] = m->friction[2] = m->twist = 0.0f;
	m->rolling[0] = m->rolling[1] = m->rolling[2] = 0.0f;
}

// A point of it: `p` in A's axes.
inline void stepSetPoint(GpuManifold* m, int k, const Pose* pose, float3 p, float separation, uint id)
{
	const float3 r = poseTurnBack(pose, p - pose->p);
	m->anchorsA[k][0] = p.x, m->anchorsA[k][1] = p.y, m->anchorsA[k][2] = p.z;
	m->anchorsB[k][0] = r.x, m->anchorsB[k][1] = r.y, m->anchorsB[k][2] = r.z;
	m->separations[k] = separation;
	m->ids[k] = id;
	m->impulses[k] = 0.0f;
}

// It keeps its color: those it had beside it then had others.
inline uint stepKeepColor(uint old, const GpuManifold* m, __global const GpuFrame* frames, volatile __global uint* masks,
						  __global const uint* kept)
{
	if (old >= STEP_COLORS || (kept[old / 32] >> (old % 32) & 1) == 0)
	{
		return STEP_UNCOLORED;
	}
	if (frames[m->a].invMass > 0.0f)
	{
		atomic_or(&masks[2 * m->a + old / 32], 1u << (old % 32));
	}
	if (frames[m->b].invMass > 0.0f)
	{
		atomic_or(&masks[2 * m->b + old / 32], 1u << (old % 32));
	}
	return old;
}

// What contacts of a step add up to.
typedef struct StepTally
{
	__global const GpuFrame* frames;
	__global const GpuMotion* motions;
	volatile __global uint* masks;
	volatile __global int* levels;
	__global uint* fresh; // those without a color
	__global const uint* oldCount; // then which colors are kept, by bits
	volatile __global uint* counters;
	__local uint* counts; // of this group: of each color, then all, then points
} StepTally;

#define TALLY_COUNTS (STEP_COLORS + 2)

inline void stepBeginTally(const StepTally* tally)
{
	for (uint k = get_local_id(0); k < TALLY_COUNTS; k += get_local_size(0))
	{
		tally->counts[k] = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
}

// A contact at its place; `oldColor` is what it had a step ago.
inline void stepAddContact(const StepTally* tally, GpuManifold* m, uint place, uint oldColor)
{
	m->color = stepKeepColor(oldColor, m, tally->frames, tally->masks, tally->oldCount + 1);
	atomic_min(&tally->levels[m->a], min(tally->motions[m->b].level + 1, 255));
	atomic_min(&tally->levels[m->b], min(tally->motions[m->a].level + 1, 255));
	if (m->color < STEP_COLORS)
	{
		atomic_inc(&tally->counts[m->color]);
	}
	else
	{
		tally->fresh[atomic_inc(&tally->counters[STEP_FRESH])] = place;
	}
	atomic_inc(&tally->counts[STEP_COLORS]);
	atomic_add(&tally->counts[STEP_COLORS + 1], (uint)m->count);
}

inline void stepEndTally(const StepTally* tally)
{
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = get_local_id(0); k < TALLY_COUNTS; k += get_local_size(0))
	{
		if (tally->counts[k] > 0)
		{
			atomic_add(&tally->counters[k < STEP_COLORS    ? STEP_COUNTS + k
										: k == STEP_COLORS ? STEP_CONTACTS
														   : STEP_POINTS],
					   tally->counts[k]);
		}
	}
}

// Two bodies that may touch.
typedef struct StepPair
{
	uint a, b; // A has the lower kind of shape
	GpuShape shapeA, shapeB;
	float thickness, radius; // of the smaller
	bool isStill;            // one of them does not move
	bool isAny;              // they may touch at all
} StepPair;

inline StepPair stepMakePair(__global const GpuBody* bodies, __global const GpuShape* shapes,
							 __global const GpuFrame* frames, ulong key)
{
	StepPair pair;
	pair.a = (uint)(key >> 32), pair.b = (uint)key;
	if (shapes[bodies[pair.a].shape].kind > shapes[bodies[pair.b].shape].kind)
	{
		const uint swap = pair.a;
		pair.a = pair.b, pair.b = swap;
	}
	__global const GpuBody *bodyA = &bodies[pair.a], *bodyB = &bodies[pair.b];
	pair.shapeA = shapes[bodyA->shape], pair.shapeB = shapes[bodyB->shape];
	const bool isPlane = pair.shapeA.kind == SHAPE_HALF_SPACE;
	pair.thickness = isPlane ? pair.shapeB.thickness : fmin(pair.shapeA.thickness, pair.shapeB.thickness);
	pair.radius = isPlane ? pair.shapeB.radius : fmin(pair.shapeA.radius, pair.shapeB.radius);
	pair.isStill = bodyA->kind == BODY_STATIC || bodyB->kind == BODY_STATIC;
	pair.isAny = (frames[pair.a].invMass > 0.0f || frames[pair.b].invMass > 0.0f) &&
				 (bodyA->category & bodyB->collidesWith) != 0 && (bodyB->category & bodyA->collidesWith) != 0;
	return pair;
}

// Points farther apart than this do not count; `motion` is how far both may move towards each other.
inline float stepMargin(const StepPair* pair, float motion)
{
	return STEP_MARGIN * pair->thickness + (motion < 0.5f * pair->radius || pair->isStill ? motion : 0.5f * pair->radius);
}

inline float3 stepBetween(__global const GpuMotion* motions, uint a, uint b)
{
	return (float3)((float)(motions[b].px - motions[a].px), (float)(motions[b].py - motions[a].py),
					(float)(motions[b].pz - motions[a].pz));
}

// How far a pair may move before its points are found anew: farther where each choice of points set it in motion
// towards the next, for many steps.
inline float stepTolerance(const StepMade* then, float thickness, float radius)
{
	const float least = TOUCH_TOLERANCE * thickness, most = fmin(TOUCH_MOST * thickness, TOUCH_MOST_RADIUS * radius);
	return fmax(least, fmin(most, least * (1.0f + TOUCH_RESTLESS_WIDENS * (float)then->restless)));
}

// How a pair lies in this step, and what is left of the last one.
typedef struct StepMeeting
{
	Pose pose;
	StepMade now;
	__global const GpuManifold* olds; // its contacts a step ago
	int oldCount;
	float speed, margin, gap;
	bool isKept; // what was found then holds on
} StepMeeting;

inline StepMeeting stepMeeting(const StepPair* pair, __global const GpuMotion* motions, __global const GpuFrame* frames,
							   __global const GpuManifold* old, __global const StepMade* oldMade, int found, int each)
{
	StepMeeting now;
	const GpuFrame frameA = frames[pair->a], frameB = frames[pair->b];
	now.olds = &old[each * max(found, 0)];
	now.oldCount = 0;
	while (found >= 0 && now.oldCount < each && now.olds[now.oldCount].count > 0)
	{
		now.oldCount += 1;
	}
	const bool isTipping = now.oldCount == 1 && now.olds[0].count == 1;
	const bool mayHold = !pair->isStill || (now.oldCount > 0 && !isTipping);
	const bool isHeldA = stepIsHeld(&frameA, motions[pair->a].level, mayHold);
	const bool isHeldB = stepIsHeld(&frameB, motions[pair->b].level, mayHold);
	now.speed = frameA.y.w + frameB.y.w;
	const float motion = now.speed + stepPull(&frameA, isHeldA) + stepPull(&frameB, isHeldB);
	now.margin = stepMargin(pair, motion);
	now.pose = stepPose(&frameA, &frameB, stepBetween(motions, pair->a, pair->b));
	const float3 p = now.pose.p;
	const float4 turn = stepTurn(&motions[pair->a], &motions[pair->b]);
	const StepMade made = {{p.x, p.y, p.z}, now.margin, {turn.x, turn.y, turn.z, turn.w}, 0};
	now.now = made;
	now.gap = pair->shapeA.kind == SHAPE_HALF_SPACE ? 0.0f : length(p) - pair->shapeA.radius - pair->shapeB.radius;
	now.isKept = false;
	// Closed forms of round shapes cost no more than the question whether they may be kept.
	if (found >= 0 && pair->shapeB.kind > SHAPE_CAPSULE)
	{
		const StepMade then = oldMade[found];
		const float moved = stepMoved(&then, p, turn, pair->shapeA.radius, pair->shapeB.radius);
		const bool isSlow = fmax(moved, now.speed) < stepTolerance(&then, pair->thickness, pair->radius);
		now.isKept = now.oldCount > 0 ? isSlow
									  : then.apart - moved > STEP_MARGIN * pair->thickness + motion ||
											(isSlow && isHeldA && isHeldB);
		const float pull = fmax(frameA.x.w - frameA.y.w, frameB.x.w - frameB.y.w);
		const float slow = fmax(TOUCH_RESTLESS_THICKNESSES * pair->thickness, TOUCH_RESTLESS_PULL * pull);
		const int restless = then.restless + (now.speed < slow ? 1 : -TOUCH_RESTLESS_CALMS);
		now.now.restless = now.oldCount > 0 ? clamp(restless, 0, 255) : 0;
		if (now.isKept)
		{
			now.now = then;
		}
	}
	if (!now.isKept && now.oldCount == 0 && now.gap > now.margin)
	{
		now.now.apart = now.gap;
		now.isKept = true;
	}
	return now;
}

// Points of two convex shapes, with what is carried over.
inline void stepTouchConvex(const Hulls* hulls, const StepPair* pair, StepMeeting* now, GpuManifold* m)
{
	TouchKept kept;
	kept.axis = now->oldCount > 0 ? now->olds[0].axis : 0u;
	kept.count = now->oldCount > 0 ? now->olds[0].count : 0;
	for (int k = 0; k < kept.count; ++k)
	{
		kept.ids[k] = now->olds[0].ids[k];
	}
	Touch touch;
	touch.count = 0;
	touch.axis = 0;
	touch.apart = 0.0f;
	touch.normal = (float3)(0.0f, 0.0f, 1.0f);
	touchShapes(hulls, &pair->shapeA, &pair->shapeB, &now->pose, now->margin, &kept, &touch);
	now->now.apart = touch.count > 0 ? now->margin : touch.apart;
	m->axis = touch.axis;
	m->count = touch.count;
	m->normal[0] = touch.normal.x, m->normal[1] = touch.normal.y, m->normal[2] = touch.normal.z;
	for (int k = 0; k < touch.count; ++k)
	{
		stepSetPoint(m, k, &now->pose, touch.points[k], touch.separations[k], touch.ids[k]);
	}
	__global const GpuManifold* old = now->olds;
	if (kept.count > 0 && touch.count > 0 &&
		old->normal[0] * touch.normal.x + old->normal[1] * touch.normal.y + old->normal[2] * touch.normal.z > STEP_WARM_COSINE)
	{
		uint taken = 0;
		stepCarryFriction(m, old);
		stepCarryImpulses(m, old, 1, &taken, STEP_CARRY_REACH * STEP_CARRY_REACH * pair->thickness * pair->thickness);
	}
}

// The question where a pair touches; `olds` are its contacts a step ago.
inline void solidAsk(__global SolidQuery* query, const Pose* pose, float margin, bool isRolling, bool isSliding,
					 __global const GpuManifold* olds, int oldCount)
{
	SolidQuery q;
	stepCopy(q.x, pose->x), stepCopy(q.y, pose->y), stepCopy(q.z, pose->z), stepCopy(q.p, pose->p);
	q.margin = margin;
	q.isRolling = isRolling ? 1 : 0, q.isSliding = isSliding ? 1 : 0;
	q.unused = 0;
	q.isKept = oldCount > 0 ? 1 : 0;
	q.keptCount = oldCount;
	for (int m = 0; m < oldCount; ++m)
	{
		q.kept[m].count = olds[m].count;
		for (int k = 0; k < 3; ++k)
		{
			q.kept[m].normal[k] = olds[m].normal[k];
		}
		for (int k = 0; k < olds[m].count; ++k)
		{
			q.kept[m].separations[k] = olds[m].separations[k];
			q.kept[m].ids[k] = olds[m].ids[k];
		}
	}
	q.shapes[0] = query->shapes[0], q.shapes[1] = query->shapes[1];
	*query = q;
}

// Contacts of each pair: it has room for `each`. Pairs with a mesh or a surface that have to be asked about are listed:
// `places` is where shapes begin, `firsts` where the points of both sides of a question do.
__kernel __attribute__((reqd_work_group_size(STEP_GROUP, 1, 1))) void
brk_stepTouch(__global const StepNumbers* numbers, __global const GpuBody* bodies, __global const GpuShape* shapes,
			  __global const float4* vertices, __global const float4* planes, __global const int* faceStarts,
			  __global const int* corners, __global const int4* edges, __global const GpuMotion* motions,
			  __global const GpuFrame* frames, __global const ulong* pairs, __global const uint* state, uint counter,
			  uint capacity, uint each, __global const ulong* oldPairs, __global const GpuManifold* old,
			  __global const StepMade* oldMade, __global const uint* oldCount, __global GpuManifold* manifolds,
			  __global StepMade* made, volatile __global uint* masks, volatile __global int* levels,
			  __global uint* fresh, __global const ulong* places, __global SolidQuery* queries, __global uint* firsts,
			  __global uint* askers, volatile __global uint* counters)
{
	__local uint counts[TALLY_COUNTS];
	const Hulls hulls = {shapes, vertices, planes, faceStarts, corners, edges};
	const StepTally tally = {frames, motions, masks, levels, fresh, oldCount, counters, counts};
	const uint count = min(state[counter], capacity);
	stepBeginTally(&tally);
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		const StepPair pair = stepMakePair(bodies, shapes, frames, pairs[i]);
		const int found = pair.isAny ? stepFind(oldPairs, *oldCount, pairs[i]) : -1;
		StepMeeting now = stepMeeting(&pair, motions, frames, old, oldMade, found, (int)each);
		const bool isSolid = pair.shapeB.kind > SHAPE_HULL;
		GpuManifold m;
		for (uint k = 0; k < each; ++k)
		{
			stepClear(&m, pair.a, pair.b);
			uint color = STEP_INACTIVE;
			if (pair.isAny && now.isKept && (int)k < now.oldCount)
			{
				m = now.olds[k];
				color = m.color;
			}
			else if (pair.isAny && !now.isKept && !isSolid && k == 0)
			{
				stepTouchConvex(&hulls, &pair, &now, &m);
				color = now.oldCount > 0 ? now.olds[0].color : STEP_INACTIVE;
			}
			if (m.count > 0)
			{
				stepAddContact(&tally, &m, each * i + k, color);
			}
			manifolds[each * i + k] = m;
		}
		made[i] = now.now;
		if (pair.isAny && !now.isKept && isSolid)
		{
			const uint k = atomic_inc(&counters[STEP_ASKED]);
			const uint points = (uint)(pair.shapeA.vertexCount + pair.shapeB.vertexCount);
			const uint first = atomic_add(&counters[STEP_ASKED_POINTS], points);
			const float3 wA = (float3)((float)motions[pair.a].wx, (float)motions[pair.a].wy, (float)motions[pair.a].wz);
			const float3 wB = (float3)((float)motions[pair.b].wx, (float)motions[pair.b].wy, (float)motions[pair.b].wz);
			askers[k] = i;
			firsts[2 * k] = first, firsts[2 * k + 1] = first + (uint)pair.shapeA.vertexCount;
			queries[k].shapes[0] = places[bodies[pair.a].shape], queries[k].shapes[1] = places[bodies[pair.b].shape];
			solidAsk(&queries[k], &now.pose, now.margin, length(wB - wA) * (float)numbers->dt > TOUCH_ROLLING_TURN,
					 pair.isStill && now.speed > TOUCH_SLIDING * pair.thickness, now.olds, now.oldCount);
		}
	}
	stepEndTally(&tally);
	if (get_global_id(0) == 0)
	{
		counters[STEP_PAIRS] = state[counter];
	}
}

// Answers become contacts, with what is carried over.
__kernel __attribute__((reqd_work_group_size(STEP_GROUP, 1, 1))) void
brk_stepTake(__global const GpuBody* bodies, __global const GpuShape* shapes, __global const GpuMotion* motions,
			  __global const GpuFrame* frames, __global const ulong* pairs, __global const ulong* oldPairs,
			  __global const GpuManifold* old, __global const uint* oldCount, __global GpuManifold* manifolds,
			  __global StepMade* made, volatile __global uint* masks, volatile __global int* levels,
			  __global uint* fresh, __global const SolidQuery* queries, __global const SolidAnswer* answers,
			  __global const uint* askers, uint count, volatile __global uint* counters)
{
	__local uint counts[TALLY_COUNTS];
	const StepTally tally = {frames, motions, masks, levels, fresh, oldCount, counters, counts};
	stepBeginTally(&tally);
	for (uint k = get_global_id(0); k < count; k += get_global_size(0))
	{
		const uint i = askers[k];
		const StepPair pair = stepMakePair(bodies, shapes, frames, pairs[i]);
		__global const SolidQuery* q = &queries[k];
		__global const SolidAnswer* answer = &answers[k];
		const Pose pose = {(float3)(q->x[0], q->x[1], q->x[2]), (float3)(q->y[0], q->y[1], q->y[2]),
						   (float3)(q->z[0], q->z[1], q->z[2]), (float3)(q->p[0], q->p[1], q->p[2])};
		const int found = stepFind(oldPairs, *oldCount, pairs[i]), oldTouches = q->keptCount;
		__global const GpuManifold* olds = &old[SOLIDS_EACH * max(found, 0)];
		// Each old contact gives its friction to the one whose normal is nearest.
		int heirs[SOLIDS_EACH];
		for (int o = 0; o < oldTouches; ++o)
		{
			float best = STEP_WARM_COSINE;
			heirs[o] = -1;
			for (int n = 0; n < answer->count; ++n)
			{
				__global const float* normal = answer->touches[n].normal;
				const float cosine = olds[o].normal[0] * normal[0] + olds[o].normal[1] * normal[1] + olds[o].normal[2] * normal[2];
				heirs[o] = cosine > best ? n : heirs[o];
				best = fmax(best, cosine);
			}
		}
		uint taken = 0;
		for (int n = 0; n < answer->count; ++n)
		{
			__global const SolidFound* touch = &answer->touches[n];
			GpuManifold m;
			stepClear(&m, pair.a, pair.b);
			m.count = touch->count;
			m.normal[0] = touch->normal[0], m.normal[1] = touch->normal[1], m.normal[2] = touch->normal[2];
			for (int j = 0; j < touch->count; ++j)
			{
				const float3 p = (float3)(touch->points[j][0], touch->points[j][1], touch->points[j][2]);
				stepSetPoint(&m, j, &pose, p, touch->separations[j], touch->ids[j]);
			}
			stepCarryImpulses(&m, olds, oldTouches, &taken, STEP_CARRY_REACH * STEP_CARRY_REACH * pair.thickness * pair.thickness);
			for (int o = 0; o < oldTouches; ++o)
			{
				if (heirs[o] == n)
				{
					stepCarryFriction(&m, &olds[o]);
				}
			}
			stepAddContact(&tally, &m, SOLIDS_EACH * i + n, n < oldTouches ? olds[n].color : STEP_INACTIVE);
			manifolds[SOLIDS_EACH * i + n] = m;
		}
		if (answer->count == 0)
		{
			// Of a search over points that were not all asked the bound may be too large, and floors must not be
			// missed.
			const bool isPlane = pair.shapeA.kind == SHAPE_HALF_SPACE;
			made[i].apart = isPlane ? pose.p.z - pair.shapeB.radius : answer->touches[0].apart;
		}
	}
	stepEndTally(&tally);
}

#else

__kernel void brk_stepTouch(void)
{
}
__kernel void brk_stepTake(void)
{
}

#endif
