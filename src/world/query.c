// SPDX-License-Identifier: MIT

// Questions about a world between steps: a loop over the balls around bodies, and for those in the way what the shapes say.

#include "brittle/query.h"

#include "contact/ray.h"
#include "contact/solid.h"
#include "dynamics/tuning.h"
#include "world/world_state.h"

static const brShape* queryShape(const brWorld* world, int32_t slot)
{
	return world->dynamics.shapes.data[world->dynamics.bodies.data[slot].shape].shape;
}

static bool queryIsThere(const brBody* body)
{
	return brBody_IsThere(body) && !body->isSetAside;
}

// Where bodies can be.
static bool queryIsPlace(brDVec3 p)
{
	return fabs(p.x) < BR_MAX_POSITION && fabs(p.y) < BR_MAX_POSITION && fabs(p.z) < BR_MAX_POSITION;
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
	double radius = (double)shape->radius * (1.0 + 1e-6);
	brDVec3 d = brDSub(body->position, origin);
	double along = brDDot(d, direction), square = radius * radius - brDLengthSq(brDMulAdd(d, -along, direction));
	if (!(square >= 0.0) || along < -radius)
	{
		return INFINITY;
	}
	return fmax(along - sqrt(square), 0.0);
}

bool brWorld_CastRay(const brWorld* world, brDVec3 origin, brDVec3 direction, double reach, const brQueryFilter* filter,
					 brRayHit* outHit)
{
	double length = brDLength(direction);
	if (!queryIsPlace(origin) || !(length > 0.0 && length < INFINITY) || !(reach > 0.0))
	{
		return false;
	}
	direction = brDMul(1.0 / length, direction);
	double best = reach;
	bool isHit = false;
	for (int32_t i = 0; i < world->dynamics.bodies.count; ++i)
	{
		const brBody* body = &world->dynamics.bodies.data[i];
		if (!queryIsThere(body))
		{
			continue;
		}
		const brShape* shape = queryShape(world, i);
		double near = queryBall(body, shape, origin, direction);
		if (!(near <= best) || !queryAccepts(world, filter, i))
		{
			continue;
		}
		// From where the ball begins, so that numbers stay small.
		brDVec3 start = brDMulAdd(origin, near, direction), normal;
		brDVec3 from = brQuat_InvRotate(body->rotation, brDSub(start, body->position));
		double t =
			near + brShape_CastRay(shape, from, brQuat_InvRotate(body->rotation, direction), best - near, &normal);
		if (t < best || (t == best && !isHit && t < INFINITY))
		{
			best = t, isHit = true;
			outHit->body = brDynamics_BodyId(&world->dynamics, i);
			outHit->normal = brQuat_Rotate(body->rotation, normal);
		}
	}
	if (isHit)
	{
		outHit->distance = best;
		outHit->point = brDMulAdd(origin, best, direction);
	}
	return isHit;
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

int32_t brWorld_FindOverlaps(const brWorld* world, const brShape* shape, brTransform pose, const brQueryFilter* filter,
							 brBodyId* outIds, int32_t capacity)
{
	double length = pose.q.x * pose.q.x + pose.q.y * pose.q.y + pose.q.z * pose.q.z + pose.q.w * pose.q.w;
	if (shape == NULL || shape->kind == br_shapeHalfSpace || shape->kind == br_shapeSurface || !queryIsPlace(pose.p) ||
		!(fabs(length - 1.0) < 1e-3))
	{
		return 0;
	}
	brBody probe = {.position = brTransform_Point(pose, shape->frame.p),
					.rotation = brQuat_Normalize(brQuat_Mul(pose.q, shape->frame.q))};
	int32_t count = 0;
	for (int32_t i = 0; i < world->dynamics.bodies.count; ++i)
	{
		const brBody* body = &world->dynamics.bodies.data[i];
		if (!queryIsThere(body))
		{
			continue;
		}
		const brShape* other = queryShape(world, i);
		double reach = (double)shape->radius + (double)other->radius;
		bool isNear =
			other->kind == br_shapeHalfSpace || brDLengthSq(brDSub(body->position, probe.position)) <= reach * reach;
		brTouch touches[BR_PAIR_MANIFOLDS];
		bool isTurned;
		if (isNear && queryCollide(body, other, &probe, shape, 0.0f, touches, &isTurned) > 0 &&
			queryAccepts(world, filter, i))
		{
			if (outIds != NULL && count < capacity)
			{
				outIds[count] = brDynamics_BodyId(&world->dynamics, i);
			}
			count += 1;
		}
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

bool brWorld_FindNearest(const brWorld* world, brDVec3 point, double reach, const brQueryFilter* filter,
						 brNearestBody* outNearest)
{
	if (!queryIsPlace(point) || !(reach >= 0.0))
	{
		return false;
	}
	double best = reach;
	bool isFound = false;
	for (int32_t i = 0; i < world->dynamics.bodies.count; ++i)
	{
		const brBody* body = &world->dynamics.bodies.data[i];
		if (!queryIsThere(body))
		{
			continue;
		}
		const brShape* shape = queryShape(world, i);
		double far =
			shape->kind == br_shapeHalfSpace ? -INFINITY : brDDistance(body->position, point) - (double)shape->radius;
		if (far > best || !queryAccepts(world, filter, i))
		{
			continue;
		}
		// Nothing of it is farther than the far side of its ball.
		double most = shape->kind == br_shapeHalfSpace ? best : fmin(best, far + 2.0 * (double)shape->radius);
		float margin = (float)(fmax(most, 0.0) * (1.0 + 1e-6) + 1e-6);
		brDVec3 normal;
		double distance = brShapeKind_IsConcave(shape->kind) ? queryFieldDistance(body, shape, point, margin, &normal)
															 : queryTouchDistance(body, shape, point, margin, &normal);
		if (distance < best || (distance == best && !isFound && distance < INFINITY))
		{
			best = distance, isFound = true;
			outNearest->body = brDynamics_BodyId(&world->dynamics, i);
			outNearest->normal = normal;
		}
	}
	if (isFound)
	{
		outNearest->distance = best;
		outNearest->point = brDMulAdd(point, -best, outNearest->normal);
	}
	return isFound;
}

brDBox3 brWorld_GetBounds(const brWorld* world, brBodyId id)
{
	int32_t slot = brWorld_IsBody(world, id) ? id.index1 - 1 : -1;
	if (slot < 0 || queryShape(world, slot)->kind == br_shapeHalfSpace)
	{
		return brMakeDBox3Empty();
	}
	const brBody* body = &world->dynamics.bodies.data[slot];
	const brShape* shape = queryShape(world, slot);
	brMat3 axes = brMakeMat3FromQuat(body->rotation);
	brDVec3 x = axes.cx, y = axes.cy, z = axes.cz, half = brToDVec3(shape->half);
	brDVec3 middle = brDAdd(body->position, brQuat_Rotate(body->rotation, brToDVec3(shape->boxCenter)));
	brDVec3 reach = {fabs(x.x) * half.x + fabs(y.x) * half.y + fabs(z.x) * half.z,
					 fabs(x.y) * half.x + fabs(y.y) * half.y + fabs(z.y) * half.z,
					 fabs(x.z) * half.x + fabs(y.z) * half.y + fabs(z.z) * half.z};
	if (shape->kind == br_shapeSphere || shape->kind == br_shapeCapsule)
	{
		double r = shape->round, h = shape->halfLength;
		middle = body->position;
		reach = brMakeDVec3(fabs(z.x) * h + r, fabs(z.y) * h + r, fabs(z.z) * h + r);
	}
	return (brDBox3){brDSub(middle, reach), brDAdd(middle, reach)};
}

int32_t brWorld_GetContactPlaces(const brWorld* world, brBodyId id, brContactPlace* outPlaces, int32_t capacity)
{
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
