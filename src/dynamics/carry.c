// SPDX-License-Identifier: MIT

// Contact points that were found anew take over from those of the last step: impulses, friction, and between bodies
// that lie still the points themselves.

#include "dynamics/dynamics.h"
#include "dynamics/tuning.h"

// Manifolds of the last step. A point that was taken over is so once.
typedef struct CarryOld
{
	brManifold manifolds[BR_PAIR_MANIFOLDS];
	int32_t count;
	uint32_t isTaken[BR_PAIR_MANIFOLDS]; // points, by bits
} CarryOld;

// Impulses of old points go to new ones with the same id, then to the nearest that are left: where faces meet edge on
// edge the clipped corner and the true one change places from step to step, and a tower that lost its impulses then
// would sway. Of manifolds with about the same normal a point may go from one to the other.
static void carryPoints(CarryOld* old, brManifold* manifold, float reach)
{
	uint32_t isSet = 0;
	for (int32_t pass = 0; pass < 2; ++pass)
	{
		for (int32_t i = 0; i < manifold->pointCount; ++i)
		{
			brContactPoint* point = &manifold->points[i];
			int32_t from = -1, nearest = -1;
			float best = reach * reach;
			for (int32_t m = 0; m < old->count && !(isSet >> i & 1); ++m)
			{
				const brManifold* other = &old->manifolds[m];
				bool isNear = brDot(other->normal, manifold->normal) > BR_WARM_COSINE;
				for (int32_t k = 0; k < other->pointCount && isNear; ++k)
				{
					brVec3 d = brSub(other->points[k].anchorA, point->anchorA);
					bool isBetter = pass == 0 ? other->points[k].id == point->id && from < 0 : brDot(d, d) < best;
					if (isBetter && !(old->isTaken[m] >> k & 1))
					{
						best = brDot(d, d), from = m, nearest = k;
					}
				}
			}
			if (from >= 0)
			{
				point->impulse = old->manifolds[from].points[nearest].impulse;
				point->total = old->manifolds[from].points[nearest].total;
				old->isTaken[from] |= 1u << nearest, isSet |= 1u << i;
			}
		}
	}
}

static void carryFill(brManifold* manifold, const brTouch* touch, const brRelativePose* pose)
{
	manifold->normal = touch->normal;
	manifold->pointCount = touch->count;
	manifold->friction = brMakeVec3(0.0f, 0.0f, 0.0f);
	manifold->rolling = brMakeVec3(0.0f, 0.0f, 0.0f);
	manifold->twist = 0.0f;
	manifold->approach = 0.0f;
	manifold->lift = 0.0f;
	manifold->isLifting = 0;
	for (int32_t i = 0; i < touch->count; ++i)
	{
		brVec3 p = touch->points[i];
		manifold->points[i] = (brContactPoint){.anchorA = p,
											   .anchorB = brRelativePose_InvRotate(pose, brSub(p, pose->p)),
											   .separation = touch->separations[i],
											   .id = touch->ids[i]};
	}
}

// Friction goes with the normal impulse that was taken over: to each manifold of about the normal it had the part that
// its points have of all.
static void carryFriction(const brDynamics* dynamics, const brContact* contact, const CarryOld* old, int32_t count)
{
	for (int32_t m = 0; m < old->count; ++m)
	{
		float shares[BR_PAIR_MANIFOLDS] = {0.0f}, sum = 0.0f, best = BR_WARM_COSINE;
		int32_t nearest = -1;
		for (int32_t i = 0; i < count; ++i)
		{
			const brManifold* manifold = brContact_Manifold(dynamics, contact, i);
			float cosine = brDot(old->manifolds[m].normal, manifold->normal);
			nearest = cosine > best ? i : nearest, best = fmaxf(best, cosine);
		}
		for (int32_t i = 0; i < count && nearest >= 0; ++i)
		{
			const brManifold* manifold = brContact_Manifold(dynamics, contact, i);
			brVec3 n = brContact_Manifold(dynamics, contact, nearest)->normal;
			bool isSame = n.x == manifold->normal.x && n.y == manifold->normal.y && n.z == manifold->normal.z;
			for (int32_t k = 0; k < manifold->pointCount && isSame; ++k)
			{
				shares[i] += manifold->points[k].impulse, sum += manifold->points[k].impulse;
			}
		}
		for (int32_t i = 0; i < count && nearest >= 0; ++i)
		{
			brManifold* manifold = brContact_Manifold(dynamics, contact, i);
			float share = sum > 0.0f ? shares[i] / sum : i == nearest ? 1.0f : 0.0f;
			manifold->friction = brMulAdd(manifold->friction, share, old->manifolds[m].friction);
			manifold->rolling = brMulAdd(manifold->rolling, share, old->manifolds[m].rolling);
			manifold->twist += share * old->manifolds[m].twist;
		}
	}
}

// How far a place is outside of a box or hull, at least.
static float carryBeyond(const brShape* shape, brVec3 p)
{
	float most = -INFINITY;
	for (int32_t i = 0; i < shape->faceCount; ++i)
	{
		brVec4 plane = brShape_Planes(shape)[i];
		most = fmaxf(most, plane.x * p.x + plane.y * p.y + plane.z * p.z - plane.w);
	}
	return most;
}

// Two hulls touch by one pair of features at a time. What lies on two of them tips from one to the other and back, in
// each step, for ever. Between bodies that go nowhere the points of before stay, beside the new ones, while they are on
// both bodies.
static void carryStay(CarryOld* old, const brContact* contact, const brShape* const shapes[2],
					  const brRelativePose* pose, brManifold* manifold)
{
	float thickness = brSmallerSize(shapes[0]->thickness, shapes[1]->thickness);
	float reach = (float)BR_CARRY_REACH * thickness, margin = (float)BR_CONTACT_MARGIN * thickness;
	for (int32_t m = 0; m < old->count; ++m)
	{
		const brManifold* from = &old->manifolds[m];
		bool isNear = brDot(from->normal, manifold->normal) > BR_WARM_COSINE;
		for (int32_t k = 0; k < from->pointCount && isNear && manifold->pointCount < BR_MANIFOLD_POINTS; ++k)
		{
			brContactPoint point = from->points[k];
			brVec3 gap = brSub(brRelativePose_Point(pose, point.anchorB), point.anchorA);
			float along = brDot(from->normal, gap), separation = point.separation + along;
			brVec3 place = brMulAdd(point.anchorA, 0.5f, gap);
			brVec3 placeB = brRelativePose_InvRotate(pose, brSub(place, pose->p));
			float off = margin + fmaxf(0.5f * separation, 0.0f);
			bool isGone = (old->isTaken[m] >> k & 1) || separation > (float)BR_CARRY_AHEAD * thickness ||
						  brDot(gap, gap) - along * along > reach * reach || carryBeyond(shapes[0], place) > off ||
						  carryBeyond(shapes[1], placeB) > off;
			for (int32_t i = 0; i < manifold->pointCount && !isGone; ++i)
			{
				brVec3 d = brSub(manifold->points[i].anchorA, place);
				isGone = brDot(d, d) < reach * reach;
			}
			if (!isGone)
			{
				point.anchorA = place, point.anchorB = placeB;
				// What does not push is taken off again, from all.
				point.separation = separation < 0.0f ? separation + contact->rest : separation;
				manifold->points[manifold->pointCount++] = point;
			}
		}
	}
}

void brContact_Replace(const brDynamics* dynamics, brContact* contact, const brTouch* touches, int32_t count,
					   const brRelativePose* pose, bool isCalm)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	const brShape* shapes[2] = {dynamics->shapes.data[a->shape].shape, dynamics->shapes.data[b->shape].shape};
	float reach = (float)BR_CARRY_REACH * brSmallerSize(shapes[0]->thickness, shapes[1]->thickness);
	CarryOld old; // large, and most of it is not used
	old.count = contact->manifoldCount;
	for (int32_t k = 0; k < old.count; ++k)
	{
		old.manifolds[k] = *brContact_Manifold(dynamics, contact, k);
		old.isTaken[k] = 0;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		brManifold* manifold = brContact_Manifold(dynamics, contact, i);
		carryFill(manifold, &touches[i], pose);
		float best = BR_WARM_COSINE;
		for (int32_t k = 0; k < old.count; ++k)
		{
			float cosine = brDot(old.manifolds[k].normal, touches[i].normal);
			manifold->lift = cosine > best ? old.manifolds[k].lift : manifold->lift;
			best = cosine > best ? cosine : best;
		}
		carryPoints(&old, manifold, reach);
		if (isCalm && brShape_IsPolytope(shapes[0]) && brShape_IsPolytope(shapes[1]))
		{
			carryStay(&old, contact, shapes, pose, manifold);
		}
	}
	carryFriction(dynamics, contact, &old, count);
	contact->manifoldCount = count;
	contact->isTouching = count > 0;
}
