// SPDX-License-Identifier: MIT

// Which bodies may touch in this step: boxes that hold each body wherever it goes until the step's end, a wide tree over
// them built from scratch, and the pairs merged with those of the last step, so that a pair keeps its contact while
// boxes overlap. Half-spaces have no box; every body is compared with each of them.

#include "base/report.h"
#include "dynamics/dynamics.h"
#include "dynamics/tuning.h"

#include <string.h>

typedef struct BroadWork
{
	brDynamics* dynamics;
	double dt;
	const brPair* pairs; // of boxes
	const brReached* reached;
	uint64_t* keys; // of these, or BROAD_NONE
} BroadWork;

// In place of the key of a pair that cannot touch.
#define BROAD_NONE UINT64_MAX

static void broadFrame(brDynamics* dynamics, int32_t index, double dt)
{
	brBody* body = &dynamics->bodies.data[index];
	brBodyFrame* frame = &brDynamics_Frames(dynamics)[index];
	*frame = (brBodyFrame){.state = -1};
	if (!brBody_IsThere(body))
	{
		return;
	}
	const brShape* shape = dynamics->shapes.data[body->shape].shape;
	brMat3 axes = brMakeMat3FromQuat(body->rotation);
	frame->x = brToVec3(axes.cx), frame->y = brToVec3(axes.cy), frame->z = brToVec3(axes.cz);
	frame->thickness = shape->thickness;
	frame->radius = shape->radius;
	frame->shapeKind = (int8_t)shape->kind;
	frame->isRolling = brShape_Rolls(shape);
	if (brBody_IsMoving(body))
	{
		double speed = brBody_Speed(body, shape);
		bool isPulled = body->kind == br_bodyDynamic && body->gravityScale != 0.0f; // the length may be infinite
		double pull = isPulled ? fabs((double)body->gravityScale) * brDLength(dynamics->def.gravity) : 0.0;
		// However fast it turns, that takes no point of it farther than across.
		speed = fmin(speed, brDLength(body->velocity) + 2.0 * (double)shape->radius / dt);
		double motion = dt * (speed + dt * pull);
		if (!(motion < BR_MAX_POSITION))
		{
			brBody_SetAside(body); // no box could hold it
			return;
		}
		frame->speed = (float)(dt * speed);
		frame->travel = (float)(dt * brDLength(body->velocity));
		frame->motion = (float)motion;
		frame->isTop = body->kind == br_bodyDynamic && brIsTop(body->inertia, body->spin, dt);
	}
}

static brDBox3 broadBox(const brBody* body, const brShape* shape, const brBodyFrame* f)
{
	double hx = shape->half.x, hy = shape->half.y, hz = shape->half.z;
	brDVec3 c = brToDVec3(shape->boxCenter);
	brDVec3 x = brToDVec3(f->x), y = brToDVec3(f->y), z = brToDVec3(f->z);
	brDVec3 center = brDMulAdd(brDMulAdd(brDMulAdd(body->position, c.x, x), c.y, y), c.z, z);
	brDVec3 reach;
	if (shape->kind == br_shapeSphere || shape->kind == br_shapeCapsule)
	{
		double r = shape->round, h = shape->halfLength;
		reach = brMakeDVec3(fabs(z.x) * h + r, fabs(z.y) * h + r, fabs(z.z) * h + r);
	}
	else
	{
		reach = brMakeDVec3(fabs(x.x) * hx + fabs(y.x) * hy + fabs(z.x) * hz,
							fabs(x.y) * hx + fabs(y.y) * hy + fabs(z.y) * hz,
							fabs(x.z) * hx + fabs(y.z) * hy + fabs(z.z) * hz);
	}
	double grow = 0.5 * BR_CONTACT_MARGIN * (double)shape->thickness + (double)f->motion;
	reach = brDAdd(reach, brMakeDVec3(grow, grow, grow));
	return (brDBox3){brDSub(center, reach), brDAdd(center, reach)};
}

static void broadFrames(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	BroadWork* work = user;
	for (int32_t i = begin; i < end; ++i)
	{
		broadFrame(work->dynamics, i, work->dt);
	}
}

static void broadBoxes(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brDynamics* dynamics = ((BroadWork*)user)->dynamics;
	const int32_t* boxBodies = dynamics->boxBodies.data;
	brBox3* boxes = dynamics->boxes.data;
	for (int32_t i = begin; i < end; ++i)
	{
		const brBody* body = &dynamics->bodies.data[boxBodies[i]];
		boxes[i] = brMakeBox3Outward(
			broadBox(body, dynamics->shapes.data[body->shape].shape, &brDynamics_Frames(dynamics)[boxBodies[i]]));
	}
}

void brDynamics_MakeFrames(brDynamics* dynamics, double dt)
{
	BroadWork work = {.dynamics = dynamics, .dt = dt};
	brParallelFor(dynamics->context.workers, dynamics->bodies.count, 256, broadFrames, &work);
}

// No contact if neither body can move, or filters exclude the pair. A box is large enough to hold its body whatever
// hits it first, so in a cloud of shards that fly together all boxes overlap. Two pieces therefore search only as far
// as their relative motion; one that is knocked into another meets it a step later.
static bool broadCanTouch(const brDynamics* dynamics, int32_t a, int32_t b, double dt)
{
	const brBody *bodyA = &dynamics->bodies.data[a], *bodyB = &dynamics->bodies.data[b];
	if ((bodyA->invMass == 0.0 && bodyB->invMass == 0.0) || !brBody_MayMeet(bodyA, bodyB))
	{
		return false;
	}
	if (!bodyA->isPiece || !bodyB->isPiece || dynamics->step.isPart)
	{
		return true;
	}
	const brBodyFrame *frameA = &brDynamics_Frames(dynamics)[a], *frameB = &brDynamics_Frames(dynamics)[b];
	double ahead = dt * (brDDistance(bodyA->velocity, bodyB->velocity) + dt * brDLength(dynamics->def.gravity));
	double near = 2.0 * BR_CONTACT_MARGIN * (double)(frameA->thickness + frameB->thickness);
	double reach = (double)frameA->radius + (double)frameB->radius + ahead + near;
	return brDLengthSq(brDSub(bodyA->position, bodyB->position)) < reach * reach;
}

static bool broadHasKey(const uint64_t* keys, int32_t count, uint64_t key)
{
	int32_t lower = 0, upper = count;
	while (lower < upper)
	{
		int32_t middle = (lower + upper) / 2;
		if (keys[middle] < key)
		{
			lower = middle + 1;
		}
		else
		{
			upper = middle;
		}
	}
	return lower < count && keys[lower] == key;
}

// Pairs that joints and holes keep from colliding, sorted. There are few.
static bool broadJointKeys(brDynamics* dynamics)
{
	dynamics->jointKeys.count = 0;
	for (int32_t i = 0; i < dynamics->joints.count; ++i)
	{
		const brJoint* joint = &dynamics->joints.data[i];
		if (joint->kind >= 0 && !joint->enableContact &&
			!BR_PUSH(&dynamics->allocator, &dynamics->jointKeys, brPassKey(joint->bodyA, joint->bodyB)))
		{
			return false;
		}
	}
	for (int32_t i = 0; i < dynamics->passKeys.count; ++i)
	{
		if (!BR_PUSH(&dynamics->allocator, &dynamics->jointKeys, dynamics->passKeys.data[i]))
		{
			return false;
		}
	}
	// Joints come and go one by one, so the list is nearly sorted: by insertion.
	uint64_t* keys = dynamics->jointKeys.data;
	for (int32_t i = 1; i < dynamics->jointKeys.count; ++i)
	{
		uint64_t key = keys[i];
		int32_t at = i;
		for (; at > 0 && keys[at - 1] > key; --at)
		{
			keys[at] = keys[at - 1];
		}
		keys[at] = key;
	}
	return true;
}

// Sorts keys by both slots, counting: two passes with a counter a body, no memory of its own.
static void broadSortKeys(uint64_t* keys, uint64_t* scratch, int32_t count, int32_t* counters, int32_t bodyCount)
{
	uint64_t *from = keys, *to = scratch;
	for (int shift = 0; shift <= 32; shift += 32)
	{
		memset(counters, 0, sizeof(int32_t) * (size_t)bodyCount);
		for (int32_t i = 0; i < count; ++i)
		{
			counters[from[i] >> shift & 0xFFFFFFFFu] += 1;
		}
		int32_t place = 0;
		for (int32_t i = 0; i < bodyCount; ++i)
		{
			int32_t here = counters[i];
			counters[i] = place;
			place += here;
		}
		for (int32_t i = 0; i < count; ++i)
		{
			to[counters[from[i] >> shift & 0xFFFFFFFFu]++] = from[i];
		}
		uint64_t* swap = from;
		from = to, to = swap;
	}
}

// Boxes that overlap.
static brResult broadOverlaps(brDynamics* dynamics, int32_t boxCount, const brPair** outPairs, int64_t* outCount,
							  brReport* report)
{
	if (dynamics->finder.find != NULL && boxCount >= dynamics->finder.fewest)
	{
		brReport trouble = {0};
		if (dynamics->finder.find(dynamics->finder.user, dynamics->boxes.data, boxCount, outPairs, outCount,
								  &trouble) >= 0)
		{
			return br_success;
		}
		brLog(&dynamics->context, br_logWarning, "%s; the CPU goes on", trouble.text);
		dynamics->finder = (brPairFinder){0};
	}
	brBoxSource source = {.count = boxCount, .boxes = dynamics->boxes.data};
	brResult result = brPairSearch_Run(&dynamics->search, &dynamics->context, &source, NULL, 1, report);
	*outPairs = dynamics->search.pairs.pairs;
	*outCount = dynamics->search.pairs.count;
	return result;
}

// Less the pairs that joints or the owner's filter keep from colliding. Returns how many are left.
static int32_t broadDropKeys(const brDynamics* dynamics, uint64_t* keys, int32_t count)
{
	int32_t kept = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		keys[kept] = keys[i];
		bool isJoined =
			dynamics->jointKeys.count > 0 && broadHasKey(dynamics->jointKeys.data, dynamics->jointKeys.count, keys[i]);
		kept += !isJoined &&
				(dynamics->acceptsPair == NULL ||
				 dynamics->acceptsPair(dynamics->owner, (int32_t)(keys[i] >> 32), (int32_t)(keys[i] & 0xFFFFFFFFu)));
	}
	return kept;
}

// Nobody has news of a hit but those on joints.
static void broadStartNews(const brDynamics* dynamics, brBodyNews* news)
{
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		news[i] = (brBodyNews){INFINITY, brDynamics_Frames(dynamics)[i].motion};
	}
	for (int32_t i = 0; i < dynamics->joints.count; ++i)
	{
		const brJoint* joint = &dynamics->joints.data[i];
		if (joint->kind >= 0)
		{
			news[joint->bodyA].way = news[joint->bodyB].way = 0.0f;
		}
	}
}

// Bodies that may reach a half-space, as keys. Returns how many there are.
static int32_t broadPlanes(const brDynamics* dynamics, int32_t boxCount, const int32_t* planes, int32_t planeCount,
						   uint64_t* keys, brBodyNews* news)
{
	const int32_t* boxBodies = dynamics->boxBodies.data;
	int32_t count = 0;
	for (int32_t p = 0; p < planeCount; ++p)
	{
		const brBody* plane = &dynamics->bodies.data[planes[p]];
		brDVec3 n = brToDVec3(brDynamics_Frames(dynamics)[planes[p]].z);
		for (int32_t i = 0; i < boxCount; ++i)
		{
			const brBody* body = &dynamics->bodies.data[boxBodies[i]];
			const brBodyFrame* frame = &brDynamics_Frames(dynamics)[boxBodies[i]];
			double reach = (double)frame->radius + BR_CONTACT_MARGIN * (double)frame->thickness + (double)frame->motion;
			if (body->invMass > 0.0 && brBody_MayMeet(body, plane) &&
				brDDot(n, brDSub(body->position, plane->position)) < reach)
			{
				keys[count++] = brPassKey(boxBodies[i], planes[p]);
				news[boxBodies[i]].way = brBody_IsSensed(body, plane) ? news[boxBodies[i]].way : 0.0f;
			}
		}
	}
	return count;
}

static void broadKeys(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const BroadWork* work = user;
	const int32_t* boxBodies = work->dynamics->boxBodies.data;
	bool isWhole = !work->dynamics->step.isPart;
	for (int32_t i = begin; i < end; ++i)
	{
		int32_t a = boxBodies[work->pairs[i].a], b = boxBodies[work->pairs[i].b];
		bool mayTouch =
			(!isWhole || brReached_Has(work->reached, a, b, i)) && broadCanTouch(work->dynamics, a, b, work->dt);
		work->keys[i] = mayTouch ? brPassKey(a, b) : BROAD_NONE;
	}
}

// All candidate pairs as sorted keys in dynamics->keys[0].
static brResult broadCandidates(brDynamics* dynamics, double dt, int32_t* outCount, brReport* report)
{
	int32_t bodyCount = dynamics->bodies.count;
	const brAllocator* allocator = &dynamics->allocator;
	BroadWork work = {.dynamics = dynamics, .dt = dt};
	if (!brStageMemory_Ensure(&dynamics->frames, allocator, bodyCount, sizeof(brBodyFrame)) ||
		!brStageMemory_Ensure(&dynamics->boxes, allocator, bodyCount, sizeof(brBox3)) ||
		!brStageMemory_Ensure(&dynamics->boxBodies, allocator, 2 * (int64_t)bodyCount, sizeof(int32_t)) ||
		!brStageMemory_Ensure(&dynamics->counters, allocator, bodyCount, sizeof(int32_t)) ||
		!brStageMemory_Ensure(&dynamics->masks, allocator, bodyCount, sizeof(uint64_t)) || !broadJointKeys(dynamics))
	{
		return brFailMemory(report);
	}
	brDynamics_MakeFrames(dynamics, dt);

	// Bodies with a box from the front, half-spaces from the back.
	int32_t* boxBodies = dynamics->boxBodies.data;
	int32_t boxCount = 0, planeCount = 0;
	int32_t* planes = boxBodies + bodyCount;
	for (int32_t i = 0; i < bodyCount; ++i)
	{
		const brBody* body = &dynamics->bodies.data[i];
		if (brBody_IsThere(body) && !body->isSetAside)
		{
			if (dynamics->shapes.data[body->shape].shape->kind == br_shapeHalfSpace)
			{
				planes[planeCount++] = i;
			}
			else
			{
				boxBodies[boxCount++] = i;
			}
		}
	}
	brParallelFor(dynamics->context.workers, boxCount, 256, broadBoxes, &work);
	const brPair* pairs = NULL;
	int64_t pairCount = 0;
	brResult result = broadOverlaps(dynamics, boxCount, &pairs, &pairCount, report);
	if (result < 0)
	{
		return result;
	}
	int64_t capacity = pairCount + (int64_t)boxCount * planeCount;
	if (capacity > INT32_MAX / 2 / BR_PAIR_MANIFOLDS)
	{
		return brFail(report, br_errorLimit, "%lld pairs of bodies overlap", (long long)capacity);
	}
	if (!brStageMemory_Ensure(&dynamics->keys[0], allocator, capacity, sizeof(uint64_t)) ||
		!brStageMemory_Ensure(&dynamics->keys[1], allocator, capacity, sizeof(uint64_t)))
	{
		return brFailMemory(report);
	}
	uint64_t* keys = dynamics->keys[0].data;
	brReached reached = {dynamics->keys[1].data, brDynamics_News(dynamics)}; // lent until keys are sorted
	broadStartNews(dynamics, reached.news);
	int32_t count = broadPlanes(dynamics, boxCount, planes, planeCount, keys, reached.news);
	if (!dynamics->step.isPart)
	{
		brDynamics_FindReached(dynamics, pairs, (int32_t)pairCount, dt, &reached);
	}
	work.pairs = pairs, work.reached = &reached, work.keys = keys + count;
	brParallelFor(dynamics->context.workers, (int32_t)pairCount, 1024, broadKeys, &work);
	int32_t end = count + (int32_t)pairCount;
	for (int32_t i = count; i < end; ++i)
	{
		keys[count] = keys[i];
		count += keys[i] != BROAD_NONE;
	}
	broadSortKeys(keys, dynamics->keys[1].data, count, dynamics->counters.data, bodyCount);
	*outCount = broadDropKeys(dynamics, keys, count);
	return br_success;
}

// Pairs that may have more than one manifold: concave bodies, and hulls on a half-space.
static bool broadHasMore(const brDynamics* dynamics, uint64_t key)
{
	int32_t a = (int32_t)(key >> 32), b = (int32_t)(key & 0xFFFFFFFFu);
	brShapeKind kindA = dynamics->shapes.data[dynamics->bodies.data[a].shape].shape->kind;
	brShapeKind kindB = dynamics->shapes.data[dynamics->bodies.data[b].shape].shape->kind;
	return brShapeKind_IsConcave(kindA) || brShapeKind_IsConcave(kindB) ||
		   (kindA == br_shapeHalfSpace && kindB == br_shapeHull) ||
		   (kindB == br_shapeHalfSpace && kindA == br_shapeHull);
}

// A contact slot for a new pair; there is room.
static int32_t broadNewContact(brDynamics* dynamics, uint64_t key)
{
	int32_t slot = dynamics->freeContact;
	if (slot >= 0)
	{
		dynamics->freeContact = dynamics->contacts.data[slot].bodyA;
	}
	else
	{
		slot = dynamics->contacts.count++;
	}
	int32_t a = (int32_t)(key >> 32), b = (int32_t)(key & 0xFFFFFFFFu);
	int32_t kindA = dynamics->shapes.data[dynamics->bodies.data[a].shape].shape->kind;
	int32_t kindB = dynamics->shapes.data[dynamics->bodies.data[b].shape].shape->kind;
	dynamics->contacts.data[slot] =
		(brContact){.bodyA = kindA <= kindB ? a : b, .bodyB = kindA <= kindB ? b : a, .more = -1};
	if (broadHasMore(dynamics, key))
	{
		int32_t more = dynamics->freeMore;
		if (more >= 0)
		{
			dynamics->freeMore = dynamics->more.data[more].next;
		}
		else
		{
			more = dynamics->more.count++;
		}
		memset(&dynamics->more.data[more], 0, sizeof(brMoreManifolds));
		dynamics->more.data[more].next = -1;
		dynamics->contacts.data[slot].more = more;
	}
	return slot;
}

static void broadFreeContact(brDynamics* dynamics, int32_t slot)
{
	brContact* contact = &dynamics->contacts.data[slot];
	if (contact->wasTouching && dynamics->contactEvents.count < dynamics->contactEvents.capacity)
	{
		dynamics->contactEvents.data[dynamics->contactEvents.count++] =
			(brContactEvent){.bodyA = brDynamics_BodyId(dynamics, contact->bodyA),
							 .bodyB = brDynamics_BodyId(dynamics, contact->bodyB),
							 .isEnd = true};
	}
	if (contact->more >= 0)
	{
		dynamics->more.data[contact->more].next = dynamics->freeMore;
		dynamics->freeMore = contact->more;
	}
	*contact = (brContact){.bodyA = dynamics->freeContact, .bodyB = -1, .more = -1};
	dynamics->freeContact = slot;
}

brResult brDynamics_FindPairs(brDynamics* dynamics, double dt, brReport* report)
{
	int32_t count = 0;
	brResult result = broadCandidates(dynamics, dt, &count, report);
	if (result < 0)
	{
		return result;
	}
	const uint64_t* keys = dynamics->keys[0].data;
	const brContactPair* old = dynamics->pairs.data;
	int32_t oldCount = dynamics->pairs.count;

	int32_t newCount = 0, moreCount = 0;
	for (int32_t i = 0, j = 0; i < count; ++i)
	{
		while (j < oldCount && old[j].key < keys[i])
		{
			j += 1;
		}
		bool isNew = !(j < oldCount && old[j].key == keys[i]);
		newCount += isNew;
		moreCount += isNew && broadHasMore(dynamics, keys[i]);
	}
	dynamics->nextPairs.count = 0;
	if (!BR_RESERVE(&dynamics->allocator, &dynamics->contacts, newCount) ||
		!BR_RESERVE(&dynamics->allocator, &dynamics->more, moreCount) ||
		!BR_RESERVE(&dynamics->allocator, &dynamics->nextPairs, count) ||
		!BR_RESERVE(&dynamics->allocator, &dynamics->contactEvents, oldCount + count))
	{
		return brFailMemory(report);
	}

	// Two sorted lists become one. Slots that fall free are used by later pairs of the same step.
	int32_t j = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		while (j < oldCount && old[j].key < keys[i])
		{
			broadFreeContact(dynamics, old[j++].contact);
		}
		bool isOld = j < oldCount && old[j].key == keys[i];
		int32_t contact = isOld ? old[j++].contact : broadNewContact(dynamics, keys[i]);
		dynamics->nextPairs.data[dynamics->nextPairs.count++] = (brContactPair){.key = keys[i], .contact = contact};
	}
	while (j < oldCount)
	{
		broadFreeContact(dynamics, old[j++].contact);
	}
	brContactPair* data = dynamics->pairs.data;
	int32_t capacity = dynamics->pairs.capacity;
	dynamics->pairs.data = dynamics->nextPairs.data;
	dynamics->pairs.count = dynamics->nextPairs.count;
	dynamics->pairs.capacity = dynamics->nextPairs.capacity;
	dynamics->nextPairs.data = data;
	dynamics->nextPairs.count = 0;
	dynamics->nextPairs.capacity = capacity;
	dynamics->stats.pairs = count;
	return br_success;
}

void brDynamics_Wake(brDynamics* dynamics, int32_t index)
{
	brBody* body = &dynamics->bodies.data[index];
	if (body->kind > br_bodyStatic && !body->isSetAside)
	{
		body->isAwake = true;
		body->sleepTime = 0.0f;
		body->calmTime = 0.0f;
		body->stillTime = 0.0f;
		body->isDriven = true;
	}
}

void brDynamics_DropPairs(brDynamics* dynamics, int32_t body)
{
	int32_t kept = 0;
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		brContactPair pair = dynamics->pairs.data[i];
		int32_t a = (int32_t)(pair.key >> 32), b = (int32_t)(pair.key & 0xFFFFFFFFu);
		if (a == body || b == body)
		{
			if (!brBody_IsSensed(&dynamics->bodies.data[a], &dynamics->bodies.data[b]))
			{
				brDynamics_Wake(dynamics, a == body ? b : a);
			}
			broadFreeContact(dynamics, pair.contact);
		}
		else
		{
			dynamics->pairs.data[kept++] = pair;
		}
	}
	dynamics->pairs.count = kept;
}
