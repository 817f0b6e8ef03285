// SPDX-License-Identifier: MIT

// Questions about a world between steps: a tree over the boxes of bodies, or for few questions and few bodies a look at
// all of them; then the balls around bodies, and for those in the way what the shapes say. Both ways ask the same
// function about each body and settle ties by the lower slot, so the answers are the same to the bit.

#include "brittle/query.h"

#include "contact/ray.h"
#include "contact/solid.h"
#include "dynamics/tuning.h"
#include "index/wide_find.h"
#include "world/query_tree.h"
#include "world/world_state.h"

#include <stdlib.h>

static const brShape* queryShape(const brWorld* world, int32_t slot)
{
	return world->dynamics.shapes.data[world->dynamics.bodies.data[slot].shape].shape;
}

static bool queryIsThere(const brBody* body)
{
	return brBody_IsThere(body) && !body->isSetAside;
}

// Asked last, since it is the caller's.
static bool queryAccepts(const brWorld* world, const brQueryFilter* filter, int32_t slot)
{
	return filter == NULL || filter->accept == NULL ||
		   filter->accept(world, brDynamics_BodyId(&world->dynamics, slot), filter->user);
}

// How far along a ray the ball around a body is entered; INFINITY if not. Half-spaces have no ball and are everywhere.
static double queryBall(const brBody* body, const brShape* shape, brDVec3 origin, brDVec3 direction)
{
	if (shape->kind == br_shapeHalfSpace)
	{
		return 0.0;
	}
	double radius = (double)shape->radius * (1.0 + BR_QUERY_SLACK);
	brDVec3 d = brDSub(body->position, origin);
	double along = brDDot(d, direction), square = radius * radius - brDLengthSq(brDMulAdd(d, -along, direction));
	if (!(square >= 0.0) || along < -radius)
	{
		return INFINITY;
	}
	return fmax(along - sqrt(square), 0.0);
}

// A ray on its way: the nearest hit so far.
typedef struct RayQuestion
{
	const brWorld* world;
	const brQueryFilter* filter;
	const int32_t* slots;      // of the tree
	brDVec3 origin, direction; // of unit length
	double best;               // reach, then the distance of the hit
	int32_t slot;              // or -1
	brDVec3 normal;
} RayQuestion;

static void rayAskBody(RayQuestion* ray, int32_t slot)
{
	const brBody* body = &ray->world->dynamics.bodies.data[slot];
	const brShape* shape = queryShape(ray->world, slot);
	double near = queryBall(body, shape, ray->origin, ray->direction);
	if (!(near <= ray->best) || !queryAccepts(ray->world, ray->filter, slot))
	{
		return;
	}
	// From where the ball begins, so that numbers stay small. A little beyond the best, whose difference is rounded.
	brDVec3 start = brDMulAdd(ray->origin, near, ray->direction), normal;
	brDVec3 from = brQuat_InvRotate(body->rotation, brDSub(start, body->position));
	brDVec3 way = brQuat_InvRotate(body->rotation, ray->direction);
	double limit = (ray->best - near) * (1.0 + BR_QUERY_SLACK) + BR_QUERY_SLACK * (double)shape->radius;
	double t = near + brShape_CastRay(shape, from, way, limit, &normal);
	bool isTie = t == ray->best && t < INFINITY && (ray->slot < 0 || slot < ray->slot);
	if (t < ray->best || isTie)
	{
		ray->best = t, ray->slot = slot;
		ray->normal = brQuat_Rotate(body->rotation, normal);
	}
}

static double rayVisit(uint32_t box, double limit, void* user)
{
	(void)limit;
	RayQuestion* ray = user;
	rayAskBody(ray, ray->slots[box]);
	return ray->best;
}

// The first hit of a ray, by the tree or without.
static bool queryCast(const brWorld* world, const brQueryTree* tree, const brRay* from, const brQueryFilter* filter,
					  brRayHit* outHit)
{
	double length = brDLength(from->direction);
	if (!brIsPlace(from->origin) || !(length > 0.0 && length < INFINITY) || !(from->reach > 0.0))
	{
		return false;
	}
	RayQuestion ray = {.world = world,
					   .filter = filter,
					   .origin = from->origin,
					   .direction = brDMul(1.0 / length, from->direction),
					   .best = from->reach,
					   .slot = -1};
	if (tree != NULL)
	{
		ray.slots = tree->slots.data;
		for (int32_t i = 0; i < tree->boundlessCount; ++i)
		{
			rayAskBody(&ray, ((const int32_t*)tree->boundless.data)[i]);
		}
		brWideTree_VisitRay(brWideBvh_Tree(&tree->bvh, 0), ray.origin, ray.direction, ray.best, rayVisit, &ray);
	}
	for (int32_t i = 0; tree == NULL && i < world->dynamics.bodies.count; ++i)
	{
		if (queryIsThere(&world->dynamics.bodies.data[i]))
		{
			rayAskBody(&ray, i);
		}
	}
	if (ray.slot < 0)
	{
		return false;
	}
	*outHit = (brRayHit){.body = brDynamics_BodyId(&world->dynamics, ray.slot),
						 .point = brDMulAdd(ray.origin, ray.best, ray.direction),
						 .normal = ray.normal,
						 .distance = ray.best};
	return true;
}

bool brWorld_CastRay(const brWorld* world, brDVec3 origin, brDVec3 direction, double reach, const brQueryFilter* filter,
					 brRayHit* outHit)
{
	if (world == NULL)
	{
		return false;
	}
	brRay ray = {origin, direction, reach};
	return queryCast(world, brWorld_QueryTree(world, 1, NULL), &ray, filter, outHit);
}

typedef struct CastWork
{
	const brWorld* world;
	const brQueryTree* tree;
	const brRay* rays;
	const brQueryFilter* filter;
	brRayHit* hits;
	_Atomic int32_t hitCount;
} CastWork;

static void queryCastRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CastWork* work = user;
	int32_t hitCount = 0;
	for (int32_t i = begin; i < end; ++i)
	{
		brRayHit hit = {0};
		hitCount += queryCast(work->world, work->tree, &work->rays[i], work->filter, &hit);
		work->hits[i] = hit;
	}
	atomic_fetch_add_explicit(&work->hitCount, hitCount, memory_order_relaxed);
}

int32_t brWorld_CastRays(const brWorld* world, const brRay* rays, int32_t count, const brQueryFilter* filter,
						 brRayHit* outHits)
{
	if (count <= 0)
	{
		return 0;
	}
	brWorkers* workers = world->dynamics.context.workers;
	CastWork work = {world, brWorld_QueryTree(world, count, workers), rays, filter, outHits, 0};
	brParallelFor(workers, count, 64, queryCastRange, &work);
	return work.hitCount;
}

// A body and another shape, in the order that brCollideShapes wants. Returns manifolds; `isTurned` if the body is A.
static int32_t queryCollide(const brBody* body, const brShape* shape, const brBody* probe, const brShape* probeShape,
							float margin, brTouch* touches, bool* isTurned)
{
	*isTurned = shape->kind < probeShape->kind;
	const brBody *a = *isTurned ? body : probe, *b = *isTurned ? probe : body;
	brPairMemory memory = {0};
	brRelativePose pose = brMakeRelativePose(a, b, brQuat_Mul(brQuat_Conjugate(a->rotation), b->rotation));
	return brCollideShapes(*isTurned ? shape : probeShape, *isTurned ? probeShape : shape, &pose, margin, &memory, NULL,
						   touches);
}

// Bodies whose boxes overlap a box, of which there are few: else a look at all is as good.
typedef struct BoxVisit
{
	const int32_t* bodies;
	int32_t count;
	int32_t slots[512];
} BoxVisit;

static bool boxVisit(uint32_t box, void* user)
{
	BoxVisit* visit = user;
	if (visit->count == (int32_t)(sizeof(visit->slots) / sizeof(visit->slots[0])))
	{
		return false;
	}
	visit->slots[visit->count++] = visit->bodies[box];
	return true;
}

static int queryCompareSlots(const void* a, const void* b)
{
	int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
	return (x > y) - (x < y);
}

// Slots in rising order; false: too many.
static bool queryBoxBodies(const brQueryTree* tree, brBox3 box, BoxVisit* visit)
{
	visit->bodies = tree->slots.data;
	visit->count = 0;
	if (!brWideTree_VisitBox(brWideBvh_Tree(&tree->bvh, 0), box, boxVisit, visit))
	{
		return false;
	}
	visit->bodies = tree->boundless.data;
	for (int32_t i = 0; i < tree->boundlessCount; ++i)
	{
		if (!boxVisit((uint32_t)i, visit))
		{
			return false;
		}
	}
	qsort(visit->slots, (size_t)visit->count, sizeof(int32_t), queryCompareSlots);
	return true;
}

static bool queryOverlaps(const brWorld* world, int32_t slot, const brBody* probe, const brShape* shape,
						  const brQueryFilter* filter)
{
	const brBody* body = &world->dynamics.bodies.data[slot];
	const brShape* other = queryShape(world, slot);
	double reach = (double)shape->radius + (double)other->radius;
	bool isNear =
		other->kind == br_shapeHalfSpace || brDLengthSq(brDSub(body->position, probe->position)) <= reach * reach;
	brTouch touches[BR_PAIR_MANIFOLDS];
	bool isTurned;
	return isNear && queryCollide(body, other, probe, shape, 0.0f, touches, &isTurned) > 0 &&
		   queryAccepts(world, filter, slot);
}

int32_t brWorld_FindOverlaps(const brWorld* world, const brShape* shape, brTransform pose, const brQueryFilter* filter,
							 brBodyId* outIds, int32_t capacity)
{
	double length = pose.q.x * pose.q.x + pose.q.y * pose.q.y + pose.q.z * pose.q.z + pose.q.w * pose.q.w;
	if (shape == NULL || shape->kind == br_shapeHalfSpace || shape->kind == br_shapeSurface || !brIsPlace(pose.p) ||
		!(fabs(length - 1.0) < 1e-3))
	{
		return 0;
	}
	brBody probe = {.position = brTransform_Point(pose, shape->frame.p),
					.rotation = brQuat_Normalize(brQuat_Mul(pose.q, shape->frame.q))};
	const brQueryTree* tree = brWorld_QueryTree(world, 1, NULL);
	BoxVisit visit;
	bool isShort = tree != NULL && queryBoxBodies(tree, brQueryTreeBox(probe.position, probe.rotation, shape), &visit);
	int32_t count = 0, candidates = isShort ? visit.count : world->dynamics.bodies.count;
	for (int32_t i = 0; i < candidates; ++i)
	{
		int32_t slot = isShort ? visit.slots[i] : i;
		if (!queryIsThere(&world->dynamics.bodies.data[slot]) || !queryOverlaps(world, slot, &probe, shape, filter))
		{
			continue;
		}
		if (outIds != NULL && count < capacity)
		{
			outIds[count] = brDynamics_BodyId(&world->dynamics, slot);
		}
		count += 1;
	}
	return count;
}

// Of a point from a convex shape: what a ball without a size touches within a margin says how far and which way.
static double queryTouchDistance(const brBody* body, const brShape* shape, brDVec3 point, float margin,
								 brDVec3* outNormal)
{
	const brShape ball = {.kind = br_shapeSphere};
	const brBody probe = {.position = point, .rotation = {0.0, 0.0, 0.0, 1.0}};
	brTouch touches[BR_PAIR_MANIFOLDS];
	bool isTurned;
	if (queryCollide(body, shape, &probe, &ball, margin, touches, &isTurned) == 0)
	{
		return INFINITY;
	}
	const brBody* axes = isTurned ? body : &probe;
	brDVec3 normal = brQuat_Rotate(axes->rotation, brToDVec3(touches[0].normal)); // from A to B
	*outNormal = isTurned ? normal : brDNeg(normal);
	return (double)touches[0].separations[0];
}

// Of a point from triangles. Surfaces have no inside: both sides are as far.
static double queryFieldDistance(const brBody* body, const brShape* shape, brDVec3 point, float margin,
								 brDVec3* outNormal)
{
	brSolid solid = brMakeSolid(shape);
	brFieldAnswer answer;
	brVec3 p = brToVec3(brQuat_InvRotate(body->rotation, brDSub(point, body->position)));
	if (!brSolid_Field(&solid, p, margin, &answer))
	{
		return INFINITY;
	}
	double side = solid.isOpen && answer.distance < 0.0f ? -1.0 : 1.0;
	*outNormal = brDMul(side, brQuat_Rotate(body->rotation, brToDVec3(answer.direction)));
	return side * (double)answer.distance;
}

// The nearest body so far.
typedef struct NearQuestion
{
	const brWorld* world;
	const brQueryFilter* filter;
	const int32_t* slots; // of the tree
	brDVec3 point;
	double best;  // reach, then the distance; negative inside
	int32_t slot; // or -1
	brDVec3 normal;
} NearQuestion;

static void nearAskBody(NearQuestion* near, int32_t slot)
{
	const brBody* body = &near->world->dynamics.bodies.data[slot];
	const brShape* shape = queryShape(near->world, slot);
	bool isBoundless = shape->kind == br_shapeHalfSpace;
	double radius = shape->radius, far = isBoundless ? -INFINITY : brDDistance(body->position, near->point) - radius;
	// What the shape says is in float: of two balls in one place the other would be a rounding farther.
	if ((!isBoundless && far - BR_QUERY_SLACK * (far + 2.0 * radius) > near->best) ||
		!queryAccepts(near->world, near->filter, slot))
	{
		return;
	}
	// Nothing of it is farther than the far side of its ball.
	double most = isBoundless ? near->best : fmin(near->best, far + 2.0 * radius);
	float margin = (float)(fmax(most, 0.0) * (1.0 + BR_QUERY_SLACK) + BR_QUERY_SLACK);
	brDVec3 normal;
	double distance = brShapeKind_IsConcave(shape->kind)
						  ? queryFieldDistance(body, shape, near->point, margin, &normal)
						  : queryTouchDistance(body, shape, near->point, margin, &normal);
	bool isTie = distance == near->best && distance < INFINITY && (near->slot < 0 || slot < near->slot);
	if (distance < near->best || isTie)
	{
		near->best = distance, near->slot = slot;
		near->normal = normal;
	}
}

// Boxes that hold the point are looked at however deep it is in a body.
static double nearLimitSq(const NearQuestion* near)
{
	double limit = fmax(near->best, 0.0);
	return limit * limit * (1.0 + BR_QUERY_SLACK);
}

static double nearVisit(uint32_t box, double limitSq, void* user)
{
	(void)limitSq;
	NearQuestion* near = user;
	nearAskBody(near, near->slots[box]);
	return nearLimitSq(near);
}

bool brWorld_FindNearest(const brWorld* world, brDVec3 point, double reach, const brQueryFilter* filter,
						 brNearestBody* outNearest)
{
	if (world == NULL)
	{
		return false;
	}
	if (!brIsPlace(point) || !(reach >= 0.0))
	{
		return false;
	}
	NearQuestion near = {.world = world, .filter = filter, .point = point, .best = reach, .slot = -1};
	const brQueryTree* tree = brWorld_QueryTree(world, 1, NULL);
	if (tree != NULL)
	{
		near.slots = tree->slots.data;
		for (int32_t i = 0; i < tree->boundlessCount; ++i)
		{
			nearAskBody(&near, ((const int32_t*)tree->boundless.data)[i]);
		}
		brWideTree_VisitNear(brWideBvh_Tree(&tree->bvh, 0), point, nearLimitSq(&near), nearVisit, &near);
	}
	for (int32_t i = 0; tree == NULL && i < world->dynamics.bodies.count; ++i)
	{
		if (queryIsThere(&world->dynamics.bodies.data[i]))
		{
			nearAskBody(&near, i);
		}
	}
	if (near.slot < 0)
	{
		return false;
	}
	*outNearest = (brNearestBody){.body = brDynamics_BodyId(&world->dynamics, near.slot),
								  .point = brDMulAdd(point, -near.best, near.normal),
								  .normal = near.normal,
								  .distance = near.best};
	return true;
}

brDBox3 brWorld_GetBounds(const brWorld* world, brBodyId id)
{
	int32_t slot = brWorld_IsBody(world, id) ? id.index1 - 1 : -1;
	if (slot < 0 || queryShape(world, slot)->kind == br_shapeHalfSpace)
	{
		return brMakeDBox3Empty();
	}
	const brBody* body = &world->dynamics.bodies.data[slot];
	return brQueryBox(body->position, body->rotation, queryShape(world, slot));
}

int32_t brWorld_GetContactPlaces(const brWorld* world, brBodyId id, brContactPlace* outPlaces, int32_t capacity)
{
	if (world == NULL)
	{
		return 0;
	}
	const brDynamics* dynamics = &world->dynamics;
	bool isAll = id.index1 == 0;
	int32_t slot = brWorld_IsBody(world, id) ? id.index1 - 1 : -1;
	if (!isAll && slot < 0)
	{
		return 0;
	}
	int32_t count = 0;
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = &dynamics->contacts.data[dynamics->pairs.data[i].contact];
		if (!contact->isTouching || (!isAll && contact->bodyA != slot && contact->bodyB != slot))
		{
			continue;
		}
		const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
		for (int32_t m = 0; m < contact->manifoldCount; ++m)
		{
			const brManifold* manifold = brContact_Manifold(dynamics, contact, m);
			for (int32_t k = 0; k < manifold->pointCount; ++k, ++count)
			{
				if (outPlaces == NULL || count >= capacity)
				{
					continue;
				}
				const brContactPoint* point = &manifold->points[k];
				brDVec3 onA = brDAdd(a->position, brQuat_Rotate(a->rotation, brToDVec3(point->anchorA)));
				brDVec3 onB = brDAdd(b->position, brQuat_Rotate(b->rotation, brToDVec3(point->anchorB)));
				outPlaces[count] = (brContactPlace){
					.bodyA = brDynamics_BodyId(dynamics, contact->bodyA),
					.bodyB = brDynamics_BodyId(dynamics, contact->bodyB),
					.point = brDLerp(onA, onB, 0.5),
					.normal = brQuat_Rotate(a->rotation, brToDVec3(manifold->normal)),
					.separation = (double)point->separation,
					.impulse = (double)point->total,
				};
			}
		}
	}
	return count;
}
