// SPDX-License-Identifier: MIT

// Spheres and capsules against the triangles of solids and surfaces.
//
// Every triangle within reach of a ball offers its nearest point. Taken from the nearest on, one counts only if it
// stands out over the planes that nearer ones span: what lies behind the tangent plane of a nearer contact cannot be
// touched first. So the edges between the triangles of a floor offer nothing, and a ball rolls over them without a
// jolt, while a wall beside the floor stands out. A capsule is the ball at each end and one at the place of its axis
// that is nearest.

#include "contact/collide_mesh.h"

#define ROUND_TRIANGLES 512
#define ROUND_GOLDEN 0.6180340f

// How far over the plane of a nearer contact another must stand, as a part of the radius.
#define ROUND_STANDS_OUT 0.02f

typedef struct RoundHit
{
	float distance;
	brVec3 nearest, direction;
	int32_t triangle;
} RoundHit;

// Contacts of one ball, in the solid's axes; at most four.
static int32_t roundBall(const brSolid* solid, brVec3 center, float radius, float margin, RoundHit* out)
{
	float reach = radius + margin;
	brFieldAnswer answer;
	if (!brSolid_Field(solid, center, reach, &answer))
	{
		return 0;
	}
	if (answer.distance <= 0.0f && !solid->isOpen)
	{
		out[0] = (RoundHit){answer.distance, answer.nearest, answer.direction, answer.triangle};
		return 1;
	}
	brVec3 more = {reach, reach, reach};
	int32_t triangles[ROUND_TRIANGLES];
	int32_t count =
		brSolid_InBox(solid, (brBox3){brSub(center, more), brAdd(center, more)}, triangles, ROUND_TRIANGLES);
	RoundHit hits[ROUND_TRIANGLES];
	int32_t hitCount = 0, kept = 0;
	if (count > ROUND_TRIANGLES)
	{
		// A surface far finer than the ball is smooth to it.
		triangles[0] = answer.triangle, count = 1;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		brSolid_AnswerAt(solid, triangles[i], center, &answer);
		bool isBehind = answer.distance < (solid->isOpen ? -0.5f * radius : 0.0f);
		if (answer.distance < reach && !isBehind)
		{
			RoundHit hit = {answer.distance, answer.nearest, answer.direction, triangles[i]};
			int32_t at = hitCount++;
			for (; at > 0 && hits[at - 1].distance > hit.distance; --at)
			{
				hits[at] = hits[at - 1];
			}
			hits[at] = hit;
		}
	}
	for (int32_t i = 0; i < hitCount && kept < BR_PAIR_MANIFOLDS; ++i)
	{
		bool standsOut = true;
		for (int32_t k = 0; k < kept && standsOut; ++k)
		{
			float over = brDot(brSub(hits[i].nearest, out[k].nearest), out[k].direction);
			standsOut = over > ROUND_STANDS_OUT * radius;
		}
		if (standsOut)
		{
			out[kept++] = hits[i];
		}
	}
	return kept;
}

// The place of the axis nearest to the surface, from -1 to 1.
static float roundNearestOnAxis(const brSolid* solid, brVec3 middle, brVec3 half, float reach)
{
	float low = -1.0f, high = 1.0f;
	for (int32_t i = 0; i < 12; ++i)
	{
		float x = high - ROUND_GOLDEN * (high - low), y = low + ROUND_GOLDEN * (high - low);
		brFieldAnswer atX, atY;
		brSolid_Field(solid, brMulAdd(middle, x, half), reach, &atX);
		brSolid_Field(solid, brMulAdd(middle, y, half), reach, &atY);
		if (atX.distance < atY.distance)
		{
			high = y;
		}
		else
		{
			low = x;
		}
	}
	return 0.5f * (low + high);
}

int32_t brCollideRound(const BR_FAR brShape* a, const BR_FAR brShape* b, const brRelativePose* pose, float margin,
					   const brKeptTouches* kept, brTouch* outTouches)
{
	brSolid solid = brMakeSolid(b);
	brVec3 middle = brRelativePose_InvRotate(pose, brMul(-1.0f, pose->p));
	brVec3 half = brMul(a->halfLength, brRelativePose_InvRotate(pose, brMakeVec3(0.0f, 0.0f, 1.0f)));
	brFieldAnswer answer;
	float extent = a->halfLength + a->round;
	if (!brSolid_Field(&solid, middle, extent + margin, &answer))
	{
		outTouches[0].apart = answer.distance - extent;
		return 0;
	}
	float places[3] = {0.0f, 0.0f, 0.0f};
	int32_t placeCount = 1;
	if (a->halfLength > 0.0f)
	{
		float nearest = roundNearestOnAxis(&solid, middle, half, extent + margin);
		places[0] = -1.0f, places[1] = 1.0f, places[2] = nearest;
		placeCount = fabsf(nearest) < 0.95f ? 3 : 2;
	}
	brCandidate candidates[3 * BR_PAIR_MANIFOLDS];
	int32_t count = 0;
	for (int32_t i = 0; i < placeCount; ++i)
	{
		RoundHit hits[BR_PAIR_MANIFOLDS];
		brVec3 center = brMulAdd(middle, places[i], half);
		int32_t hitCount = roundBall(&solid, center, a->round, margin, hits);
		for (int32_t k = 0; k < hitCount; ++k)
		{
			float separation = hits[k].distance - a->round;
			brVec3 place = brMulAdd(center, -(a->round + 0.5f * separation), hits[k].direction);
			candidates[count++] = (brCandidate){brRelativePose_Point(pose, place),
												brMul(-1.0f, brRelativePose_Rotate(pose, hits[k].direction)),
												separation, (uint32_t)i << 28 | (uint32_t)hits[k].triangle};
		}
	}
	outTouches[0].apart = count == 0 ? answer.distance - extent : -INFINITY;
	brSelectSizes sizes = {a->thickness, a->radius, margin, true};
	return brSelectTouches(candidates, count, kept, &sizes, outTouches);
}
