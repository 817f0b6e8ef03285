// SPDX-License-Identifier: MIT

// Spheres and capsules against the triangles of solids and surfaces.
//
// Every triangle within reach of a ball offers its nearest point. Taken from the nearest on, one counts only if it
// stands out over the planes that nearer ones span: what lies behind the tangent plane of a nearer contact cannot be
// touched first. So the edges between the triangles of a floor offer nothing, and a ball rolls over them without a
// jolt, while a wall beside the floor stands out. A capsule is the ball at each end and some between, where corners and
// sides come nearest to its axis: it lies on two rails, or beyond an edge, by several places at once.

#include "contact/collide_mesh.h"

#define ROUND_TRIANGLES 512

// Places between the ends of a capsule: the most, of so many parts of its length; no nearer to an end than this, and to
// each other; the shortest part whose triangles are looked at; and the square of the sine between an axis and a side
// that are parallel. From -1 to 1.
#define ROUND_MOST 4
#define ROUND_PARTS 64
#define ROUND_INNER 0.99f
#define ROUND_APART 0.05f
#define ROUND_SHORT 0.0625f
#define ROUND_PARALLEL 1e-6f

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
			hits[hitCount++] = (RoundHit){answer.distance, answer.nearest, answer.direction, triangles[i]};
		}
	}
	// The nearest of those that stand out over all that were taken; what does not, never will.
	while (kept < BR_PAIR_MANIFOLDS && hitCount > 0)
	{
		int32_t nearest = 0, left = 0;
		for (int32_t i = 1; i < hitCount; ++i)
		{
			nearest = hits[i].distance < hits[nearest].distance ? i : nearest;
		}
		RoundHit taken = hits[nearest];
		out[kept++] = taken;
		for (int32_t i = 0; i < hitCount; ++i)
		{
			if (brDot(brSub(hits[i].nearest, taken.nearest), taken.direction) > ROUND_STANDS_OUT * radius)
			{
				hits[left++] = hits[i];
			}
		}
		hitCount = left;
	}
	return kept;
}

// The axis of a capsule in a solid's axes, and the places on it at which its way to the surface may be the least: one
// in each of so many parts of its length, from -1 to 1.
typedef struct RoundAxis
{
	brVec3 middle, half;
	float reach;
	float places[ROUND_PARTS], distances[ROUND_PARTS];
} RoundAxis;

// The place of the axis that is nearest to a point.
static float roundAlong(const RoundAxis* axis, brVec3 p)
{
	return brDot(brSub(p, axis->middle), axis->half) / brDot(axis->half, axis->half);
}

// Notes that a place of the axis, its ends aside, is this far from something.
static void roundOffer(RoundAxis* axis, float place, float distance)
{
	if (!(fabsf(place) < ROUND_INNER) || !(distance < axis->reach))
	{
		return;
	}
	int32_t part = (int32_t)((0.5f * place + 0.5f) * ROUND_PARTS);
	if (distance < axis->distances[part])
	{
		axis->places[part] = place, axis->distances[part] = distance;
	}
}

// Notes where the axis is nearest to a corner, and to the side that goes from there to another one.
static void roundOfferSide(RoundAxis* axis, brVec3 corner, brVec3 next)
{
	brVec3 side = brSub(next, corner), way = brSub(corner, axis->middle);
	float place = roundAlong(axis, corner);
	roundOffer(axis, place, brLength(brMulAdd(way, -place, axis->half)));
	float a = brDot(axis->half, axis->half), b = brDot(axis->half, side), e = brDot(side, side);
	float square = a * e - b * b;
	if (square > ROUND_PARALLEL * a * e)
	{
		place = (e * brDot(axis->half, way) - b * brDot(side, way)) / square;
		float along = (b * place - brDot(side, way)) / e;
		brVec3 apart = brMulAdd(brMulAdd(way, along, side), -place, axis->half);
		roundOffer(axis, along > 0.0f && along < 1.0f ? place : 1.0f, brLength(apart));
	}
}

// Notes where the axis goes through a triangle.
static void roundOfferCrossing(RoundAxis* axis, const brSolid* solid, int32_t triangle, const brVec3 corners[3])
{
	brVec3 normal = brCross(brSub(corners[1], corners[0]), brSub(corners[2], corners[0]));
	float slope = brDot(normal, axis->half), height = brDot(normal, brSub(corners[0], axis->middle));
	if (fabsf(height) < fabsf(slope))
	{
		float place = height / slope;
		brFieldAnswer answer;
		brSolid_AnswerAt(solid, triangle, brMulAdd(axis->middle, place, axis->half), &answer);
		roundOffer(axis, answer.feature == 0 ? place : 1.0f, 0.0f);
	}
}

// Takes the nearest of the places that were noted, then those that are far from all taken, as long as they are, and
// writes them rising behind the ends, which are as far from the surface as it says. Returns how many there are.
static int32_t roundSpread(const RoundAxis* axis, const float ends[2], float places[2 + ROUND_MOST])
{
	float spread[ROUND_PARTS], least = fminf(fminf(ends[0], ends[1]), axis->reach);
	for (int32_t i = 0; i < ROUND_PARTS; ++i)
	{
		least = fminf(least, axis->distances[i]);
	}
	float room = axis->reach - least;
	for (int32_t i = 0; i < ROUND_PARTS; ++i)
	{
		float first = ends[0] < axis->reach ? 1.0f + axis->places[i] : 2.0f;
		float second = ends[1] < axis->reach ? 1.0f - axis->places[i] : 2.0f;
		spread[i] = axis->distances[i] == least ? 4.0f : fminf(first, second);
	}
	int32_t count = 2;
	while (count < 2 + ROUND_MOST && room > 0.0f)
	{
		int32_t best = -1;
		float most = ROUND_APART;
		for (int32_t i = 0; i < ROUND_PARTS; ++i)
		{
			float nearness = (axis->reach - axis->distances[i]) / room;
			if (axis->distances[i] < axis->reach && spread[i] * nearness > most)
			{
				best = i, most = spread[i] * nearness;
			}
		}
		if (best < 0)
		{
			break;
		}
		int32_t at = count++;
		for (; at > 2 && places[at - 1] > axis->places[best]; --at)
		{
			places[at] = places[at - 1];
		}
		places[at] = axis->places[best];
		for (int32_t i = 0; i < ROUND_PARTS; ++i)
		{
			spread[i] = fminf(spread[i], fabsf(axis->places[i] - axis->places[best]));
		}
	}
	return count;
}

// Notes what corners, sides and faces near a part of the axis are nearest to. False if they are too many.
static bool roundLook(RoundAxis* axis, const brSolid* solid, float from, float to)
{
	brVec3 a = brMulAdd(axis->middle, from, axis->half), b = brMulAdd(axis->middle, to, axis->half);
	brVec3 more = {axis->reach, axis->reach, axis->reach};
	brBox3 box = {brSub(brMin(a, b), more), brAdd(brMax(a, b), more)};
	int32_t triangles[ROUND_TRIANGLES];
	int32_t count = brSolid_InBox(solid, box, triangles, ROUND_TRIANGLES);
	for (int32_t i = 0; i < count && count <= ROUND_TRIANGLES; ++i)
	{
		brVec3 corners[3];
		brSolid_Corners(solid, triangles[i], corners);
		for (int32_t k = 0; k < 3; ++k)
		{
			// A side that two have is looked at once.
			if (solid->links[triangles[i]].across[k] <= triangles[i])
			{
				roundOfferSide(axis, corners[k], corners[(k + 1) % 3]);
			}
		}
		roundOfferCrossing(axis, solid, triangles[i], corners);
	}
	return count <= ROUND_TRIANGLES;
}

// How far a place of the axis is from the surface, INFINITY if farther than the reach.
static float roundWay(const RoundAxis* axis, const brSolid* solid, float place)
{
	brFieldAnswer answer;
	bool isNear = brSolid_Field(solid, brMulAdd(axis->middle, place, axis->half), axis->reach, &answer);
	return isNear ? answer.distance : INFINITY;
}

// The places of the axis at which balls are asked: the ends, and those between.
static int32_t roundPlaces(const brSolid* solid, RoundAxis* axis, float places[2 + ROUND_MOST])
{
	for (int32_t i = 0; i < ROUND_PARTS; ++i)
	{
		axis->places[i] = 0.0f, axis->distances[i] = INFINITY;
	}
	float width = 2.0f, from = -1.0f;
	while (from < 1.0f)
	{
		if (!roundLook(axis, solid, from, from + width))
		{
			if (width > ROUND_SHORT)
			{
				width *= 0.5f;
				continue;
			}
			// A surface far finer than this is smooth to it.
			roundOffer(axis, from + 0.5f * width, roundWay(axis, solid, from + 0.5f * width));
		}
		from += width;
	}
	places[0] = -1.0f, places[1] = 1.0f;
	const float ends[2] = {roundWay(axis, solid, -1.0f), roundWay(axis, solid, 1.0f)};
	return roundSpread(axis, ends, places);
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
	float places[2 + ROUND_MOST] = {0.0f};
	RoundAxis axis = {.middle = middle, .half = half, .reach = a->round + margin};
	int32_t placeCount = a->halfLength > 0.0f ? roundPlaces(&solid, &axis, places) : 1;
	brCandidate candidates[(2 + ROUND_MOST) * BR_PAIR_MANIFOLDS];
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
