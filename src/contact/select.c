// SPDX-License-Identifier: MIT

#include "contact/select.h"

#include <string.h>

// Normals within this cosine make one cluster.
#define SELECT_COSINE 0.9f

// A point this near to the deepest, as a part of the thickness, counts in full.
#define SELECT_LEVEL 0.005f
#define SELECT_INSIDE 0.7f
#define SELECT_AHEAD 0.4f
#define SELECT_AHEAD_FADE 0.1f
#define SELECT_KEPT 1.15f

// Points higher by this part of the thickness than the deepest count half for the normal.
#define SELECT_CARRIES 0.003f

// Two clusters that look at each other and are both deeper than this part of the thickness contradict each other.
#define SELECT_CONTRADICTS 0.05f

// Points deeper by this part of the radius than a chosen neighbor take its place.
#define SELECT_TOLERANCE 0.002f

// From this depth on, as a part of the thickness, only if they are deeper than the others make expect: the deep end of a tilted shard would
// take all four, it would turn about them, and so work its way down.
#define SELECT_SUNK 0.1f

bool brFindKept(const brKeptTouches* kept, uint32_t id, brVec3* outNormal, float* outSeparation)
{
	for (int32_t i = 0; kept != NULL && i < kept->count; ++i)
	{
		for (int32_t k = 0; k < kept->touches[i].count; ++k)
		{
			if (kept->touches[i].ids[k] == id)
			{
				*outNormal = kept->touches[i].normal;
				*outSeparation = kept->touches[i].separations[k];
				return true;
			}
		}
	}
	return false;
}

// Deepest first, of equals the lower id, so that the order they were found in does not matter.
static bool selectIsBefore(const brCandidate* a, const brCandidate* b)
{
	return a->separation < b->separation || (a->separation == b->separation && a->id < b->id);
}

// Sorts numbers rather than candidates: runs of eight by insertion, then merged without a branch that depends on them.
static void selectSort(brCandidate* candidates, int32_t count)
{
	uint64_t lists[2][BR_MAX_CANDIDATES], *from = lists[0], *to = lists[1];
	for (int32_t i = 0; i < count; ++i)
	{
		uint32_t bits;
		float separation = candidates[i].separation + 0.0f; // one zero, not two
		memcpy(&bits, &separation, sizeof(bits));
		bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u; // floats as integers in the same order
		uint64_t key = (uint64_t)bits << 32 | (uint32_t)i;
		int32_t at = i;
		for (; at % 8 != 0 && from[at - 1] > key; --at)
		{
			from[at] = from[at - 1];
		}
		from[at] = key;
	}
	for (int32_t size = 8; size < count; size *= 2)
	{
		for (int32_t start = 0; start < count; start += 2 * size)
		{
			int32_t left = start, middle = start + size < count ? start + size : count;
			int32_t right = middle, end = start + 2 * size < count ? start + 2 * size : count, out = start;
			while (left < middle && right < end)
			{
				bool isLeft = from[left] < from[right];
				to[out++] = isLeft ? from[left] : from[right];
				left += isLeft, right += !isLeft;
			}
			memcpy(&to[out], &from[left], sizeof(uint64_t) * (size_t)(middle - left));
			memcpy(&to[out + middle - left], &from[right], sizeof(uint64_t) * (size_t)(end - right));
		}
		uint64_t* sorted = to;
		to = from, from = sorted;
	}
	brCandidate copies[BR_MAX_CANDIDATES];
	memcpy(copies, candidates, sizeof(brCandidate) * (size_t)count);
	for (int32_t i = 0; i < count; ++i)
	{
		// Those equally deep came in the order they were found in; now by their ids.
		brCandidate candidate = copies[(uint32_t)from[i]];
		int32_t at = i;
		for (; at > 0 && selectIsBefore(&candidate, &candidates[at - 1]); --at)
		{
			candidates[at] = candidates[at - 1];
		}
		candidates[at] = candidate;
	}
}

typedef struct SelectCluster
{
	brVec3 seed;
	brVec3 sum; // of the normals, in the end their mean
	int32_t count;
	int32_t members[BR_MAX_CANDIDATES];
} SelectCluster;

static float selectDistanceSq(const brCandidate* a, brVec3 p)
{
	brVec3 d = brSub(a->point, p);
	return brDot(d, d);
}

// Twice the area of a triangle seen along the normal, positive if it turns left.
static float selectArea(brVec3 a, brVec3 b, brVec3 c, brVec3 normal)
{
	return brDot(normal, brCross(brSub(b, a), brSub(c, a)));
}

// What a point adds to the area of a triangle.
static float selectGain(const brVec3 corners[3], brVec3 p, brVec3 normal)
{
	float sign = selectArea(corners[0], corners[1], corners[2], normal) < 0.0f ? -1.0f : 1.0f;
	float gain = 0.0f;
	for (int32_t k = 0; k < 3; ++k)
	{
		gain = fmaxf(gain, -sign * selectArea(corners[k], corners[(k + 1) % 3], p, normal));
	}
	return gain;
}

// Separation at a place as the chosen points have it: on the plane through the first three, or on the line through two. A tilted face lies
// on it, so that its deep side does not draw all points to itself; what bulges out of it is below.
static float selectExpected(const brCandidate* candidates, const int32_t* chosen, int32_t count, brVec3 p,
							brVec3 normal)
{
	const brCandidate* first = &candidates[chosen[0]];
	if (count < 2)
	{
		return first->separation;
	}
	const brCandidate* second = &candidates[chosen[1]];
	brVec3 way = brSub(second->point, first->point);
	if (count == 2)
	{
		float t = brDot(brSub(p, first->point), way) / fmaxf(brDot(way, way), 1e-30f);
		return first->separation + t * (second->separation - first->separation);
	}
	const brCandidate* third = &candidates[chosen[2]];
	float area = selectArea(first->point, second->point, third->point, normal);
	float a = selectArea(first->point, p, third->point, normal) / area;
	float b = selectArea(first->point, second->point, p, normal) / area;
	return first->separation + a * (second->separation - first->separation) +
		   b * (third->separation - first->separation);
}

static void selectReduce(const brCandidate* candidates, const SelectCluster* cluster, const brKeptTouches* kept,
						 float thickness, float radius, brTouch* touch)
{
	int32_t chosen[BR_MANIFOLD_POINTS], chosenCount = 0;
	const int32_t* members = cluster->members;
	if (cluster->count <= BR_MANIFOLD_POINTS)
	{
		for (int32_t i = 0; i < cluster->count; ++i)
		{
			chosen[chosenCount++] = members[i];
		}
	}
	else
	{
		float weights[BR_MAX_CANDIDATES];
		brVec3 normal = cluster->sum, corners[BR_MANIFOLD_POINTS];
		float deepest = candidates[members[0]].separation;
		brVec3 mean = {0.0f, 0.0f, 0.0f};
		for (int32_t i = 0; i < cluster->count; ++i)
		{
			const brCandidate* c = &candidates[members[i]];
			bool isLevel = c->separation < deepest + SELECT_LEVEL * thickness;
			// What is far ahead will hardly touch in this step; of points ahead the near ones stand for the face.
			float ahead = SELECT_AHEAD / (1.0f + fmaxf(c->separation, 0.0f) / (SELECT_AHEAD_FADE * thickness));
			float weight = isLevel ? 1.0f : c->separation < 0.0f ? SELECT_INSIDE : ahead;
			brVec3 old;
			float separation;
			weight *= brFindKept(kept, c->id, &old, &separation) ? SELECT_KEPT : 1.0f;
			weights[i] = weight * weight;
			mean = brMulAdd(mean, 1.0f / (float)cluster->count, c->point);
		}
		// Furthest from the mean, furthest from that, furthest from their line, and what adds most to the triangle.
		for (int32_t turn = 0; turn < BR_MANIFOLD_POINTS; ++turn)
		{
			int32_t best = -1;
			float most = turn == 0 ? -1.0f : 1e-6f * thickness * thickness;
			for (int32_t i = 0; i < cluster->count; ++i)
			{
				const brVec3 p = candidates[members[i]].point;
				float value = turn == 0   ? selectDistanceSq(&candidates[members[i]], mean)
							  : turn == 1 ? selectDistanceSq(&candidates[members[i]], corners[0])
							  : turn == 2 ? fabsf(selectArea(corners[0], corners[1], p, normal))
										  : selectGain(corners, p, normal);
				value *= weights[i];
				if (value > most)
				{
					most = value, best = i;
				}
			}
			if (best < 0)
			{
				break;
			}
			corners[chosenCount] = candidates[members[best]].point;
			chosen[chosenCount++] = members[best];
		}
		// What was left out must not be deeper than what stands for it. Members are sorted: the deepest asks first.
		uint32_t isFixed = 0;
		int32_t spread[BR_MANIFOLD_POINTS];
		memcpy(spread, chosen, sizeof(spread));
		for (int32_t i = 0; i < cluster->count; ++i)
		{
			const brCandidate* c = &candidates[members[i]];
			int32_t nearest = 0;
			float least = INFINITY;
			for (int32_t k = 0; k < chosenCount; ++k)
			{
				float d = selectDistanceSq(&candidates[chosen[k]], c->point);
				if (d < least)
				{
					least = d, nearest = k;
				}
			}
			float tolerance = SELECT_TOLERANCE * radius;
			bool isDeeper = c->separation < candidates[chosen[nearest]].separation - tolerance;
			bool isBelow =
				deepest > -SELECT_SUNK * thickness ||
				c->separation < selectExpected(candidates, spread, chosenCount, c->point, normal) - tolerance;
			if (isDeeper && isBelow && c->separation < 0.0f && !(isFixed >> nearest & 1))
			{
				chosen[nearest] = members[i];
				isFixed |= 1u << nearest;
			}
		}
	}
	touch->normal = cluster->sum;
	touch->count = chosenCount;
	touch->apart = -INFINITY;
	for (int32_t k = 0; k < chosenCount; ++k)
	{
		touch->points[k] = candidates[chosen[k]].point;
		touch->separations[k] = candidates[chosen[k]].separation;
		touch->ids[k] = candidates[chosen[k]].id;
	}
}

// Points of a cluster, those of a step ago many times.
static int32_t selectSupport(const brCandidate* candidates, const SelectCluster* cluster, const brKeptTouches* kept)
{
	int32_t support = cluster->count;
	for (int32_t i = 0; kept != NULL && i < kept->count; ++i)
	{
		support +=
			brDot(kept->touches[i].normal, candidates[cluster->members[0]].normal) > 0.8f ? BR_MAX_CANDIDATES : 0;
	}
	return support;
}

int32_t brSelectTouches(brCandidate* candidates, int32_t count, const brKeptTouches* kept, float thickness,
						float radius, brTouch* outTouches)
{
	selectSort(candidates, count);
	SelectCluster clusters[BR_PAIR_MANIFOLDS];
	int32_t clusterCount = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		brVec3 n = candidates[i].normal;
		int32_t nearest = -1;
		float best = -2.0f;
		for (int32_t k = 0; k < clusterCount; ++k)
		{
			float cosine = brDot(clusters[k].seed, n);
			if (cosine > best)
			{
				best = cosine, nearest = k;
			}
		}
		if (best < SELECT_COSINE)
		{
			if (clusterCount == BR_PAIR_MANIFOLDS)
			{
				continue; // the deepest ones have their places
			}
			nearest = clusterCount++;
			clusters[nearest].seed = n;
			clusters[nearest].sum = brMakeVec3(0.0f, 0.0f, 0.0f);
			clusters[nearest].count = 0;
		}
		// Those that carry decide on the normal; others are ahead and may look elsewhere.
		SelectCluster* cluster = &clusters[nearest];
		float above = cluster->count > 0 ? candidates[i].separation - candidates[cluster->members[0]].separation : 0.0f;
		above /= SELECT_CARRIES * thickness;
		cluster->sum = brMulAdd(cluster->sum, 1.0f / (1.0f + above * above), n);
		cluster->members[cluster->count++] = i;
	}
	// Something thin that went through is pushed both ways: the way that held a step ago, or most points, decides.
	for (int32_t k = 1; k < clusterCount; ++k)
	{
		for (int32_t m = 0; m < k; ++m)
		{
			float deep = -SELECT_CONTRADICTS * thickness;
			bool isAgainst = brDot(clusters[k].seed, clusters[m].seed) < -0.5f &&
							 candidates[clusters[k].members[0]].separation < deep &&
							 candidates[clusters[m].members[0]].separation < deep;
			if (isAgainst)
			{
				int32_t drop =
					selectSupport(candidates, &clusters[k], kept) > selectSupport(candidates, &clusters[m], kept) ? m
																												  : k;
				clusters[drop] = clusters[--clusterCount];
				k = 0;
				break;
			}
		}
	}
	for (int32_t k = 0; k < clusterCount; ++k)
	{
		float length = brLength(clusters[k].sum);
		clusters[k].sum = length > 1e-6f ? brMul(1.0f / length, clusters[k].sum) : clusters[k].seed;
		selectReduce(candidates, &clusters[k], kept, thickness, radius, &outTouches[k]);
	}
	return clusterCount;
}
