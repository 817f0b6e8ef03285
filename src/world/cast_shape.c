// SPDX-License-Identifier: MIT

// A shape that moves without turning, and what it meets first.
//
// Each body whose ball is in the way is approached by steps that cannot jump over it: the distance found, over the
// length of the way (conservative advancement, Mirtich 1996). Bodies are asked in slot order and the nearest wins, so
// the answer does not depend on anything else.

#include "brittle/query.h"

#include "dynamics/tuning.h"
#include "world/world_state.h"

#define CAST_STEPS 128

// Nearer than this part of the smaller thickness counts as touching.
#define CAST_TOUCHES 1e-3

// A way that goes down by less than this part of its length goes along.
#define CAST_ALONG 1e-3

typedef struct CastQuestion
{
	const brShape* shape;
	brBody start; // of the shape: position of its center, principal axes
	brDVec3 way;
	double length, best; // part of the way
} CastQuestion;

// The least separation of the two at a part of the way, and where; at least `apart` if there is no point within the
// margin.
static bool castTouch(const CastQuestion* cast, const brBody* body, const brShape* shape, double part, float margin,
					  brContactPlace* out)
{
	brBody probe = cast->start;
	probe.position = brDMulAdd(probe.position, part, cast->way);
	bool isTurned = shape->kind < cast->shape->kind;
	const brBody *a = isTurned ? body : &probe, *b = isTurned ? &probe : body;
	brPairMemory memory = {0};
	brTouch touches[BR_PAIR_MANIFOLDS];
	brRelativePose pose = brMakeRelativePose(a, b, brQuat_Mul(brQuat_Conjugate(a->rotation), b->rotation));
	int32_t count = brCollideShapes(isTurned ? shape : cast->shape, isTurned ? cast->shape : shape, &pose, margin,
									&memory, NULL, touches);
	out->separation = count > 0 ? INFINITY : fmax((double)touches[0].apart, (double)margin);
	for (int32_t m = 0; m < count; ++m)
	{
		for (int32_t k = 0; k < touches[m].count; ++k)
		{
			if ((double)touches[m].separations[k] < out->separation)
			{
				out->separation = (double)touches[m].separations[k];
				brDVec3 n = brQuat_Rotate(a->rotation, brToDVec3(touches[m].normal));
				out->normal = isTurned ? n : brDNeg(n);
				out->point = brDAdd(a->position, brQuat_Rotate(a->rotation, brToDVec3(touches[m].points[k])));
			}
		}
	}
	return count > 0;
}

static bool castAskBody(CastQuestion* cast, const brBody* body, const brShape* shape, brShapeHit* out)
{
	double thickness = (double)brSmallerSize(shape->thickness, cast->shape->thickness), near = CAST_TOUCHES * thickness;
	double part = 0.0;
	for (int32_t i = 0; i < CAST_STEPS && part <= cast->best; ++i)
	{
		brContactPlace place = {0};
		// Balls are soon asked; half-spaces have none.
		brDVec3 center = brDMulAdd(cast->start.position, part, cast->way);
		double far = shape->kind == br_shapeHalfSpace
						 ? 0.0
						 : brDDistance(center, body->position) - (double)shape->radius - (double)cast->shape->radius;
		if (far > thickness)
		{
			part += far / cast->length;
			continue;
		}
		bool isNear = castTouch(cast, body, shape, part, (float)thickness, &place);
		// What touches and is left, or passed along, is no hit: a ball that rolls on the ground is not stopped by it.
		bool isLeft = isNear && brDDot(place.normal, cast->way) >= -CAST_ALONG * cast->length;
		if (isLeft)
		{
			part += fmax(place.separation, 0.25 * thickness) / cast->length;
			continue;
		}
		if (isNear && place.separation <= near)
		{
			*out = (brShapeHit){.point = place.point, .normal = place.normal, .distance = part * cast->length};
			cast->best = part;
			return true;
		}
		part += fmax(place.separation - 0.5 * near, 0.5 * near) / cast->length;
	}
	return false;
}

bool brWorld_CastShape(const brWorld* world, const brShape* shape, brTransform pose, brDVec3 way,
					   const brQueryFilter* filter, brShapeHit* outHit)
{
	double length = brDLength(way);
	if (shape == NULL || shape->kind == br_shapeHalfSpace || shape->kind == br_shapeSurface ||
		!(length > 0.0 && length < INFINITY) || !brDIsFinite(pose.p))
	{
		return false;
	}
	const brDynamics* dynamics = &world->dynamics;
	CastQuestion cast = {.shape = shape, .way = way, .length = length, .best = 1.0};
	cast.start.position = brTransform_Point(pose, shape->frame.p);
	cast.start.rotation = brQuat_Normalize(brQuat_Mul(pose.q, shape->frame.q));
	bool isHit = false;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		const brBody* body = &dynamics->bodies.data[i];
		if (!brBody_IsThere(body) || body->isSetAside || body->isSensor)
		{
			continue;
		}
		// The ball around the body against the way of the ball around the shape.
		const brShape* other = dynamics->shapes.data[body->shape].shape;
		double reach = (double)other->radius + (double)shape->radius;
		brDVec3 d = brDSub(body->position, cast.start.position);
		double along = fmin(fmax(brDDot(d, way) / (length * length), 0.0), cast.best);
		bool isInWay =
			other->kind == br_shapeHalfSpace || brDLengthSq(brDMulAdd(d, -along, way)) <= reach * reach * (1.0 + 1e-6);
		bool isAccepted = isInWay && (filter == NULL || filter->accept == NULL ||
									  filter->accept(world, brDynamics_BodyId(dynamics, i), filter->user));
		brShapeHit hit;
		if (isAccepted && castAskBody(&cast, body, other, &hit) && (!isHit || hit.distance < outHit->distance))
		{
			*outHit = hit;
			outHit->body = brDynamics_BodyId(dynamics, i);
			isHit = true;
		}
	}
	return isHit;
}
