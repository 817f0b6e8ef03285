// SPDX-License-Identifier: MIT

#include "contact/select.h"

#include <string.h>

// Normals within this cosine make one cluster.
#define SELECT_COSINE 0.9f

// The same for what rolls on its curves: an edge ahead of it does not lie on the floor under it.
#define SELECT_COSINE_ROUND 0.9998f

// A point this near to the deepest, as a part of the thickness, counts in full.
#define SELECT_LEVEL 0.005f
#define SELECT_INSIDE 0.7f
#define SELECT_AHEAD 0.4f
#define SELECT_AHEAD_FADE 0.1f
#define SELECT_KEPT 1.15f

// The most points of a cluster, and the part of the area of those before that each beyond the fourth must add.
#define SELECT_MOST (2 * BR_MANIFOLD_POINTS)
#define SELECT_WIDENS 0.04f

// Thinner than this part of the radius is thin.
#define SELECT_THIN 0.25f

// Those that carry: no higher than this part of the thickness over the deepest.
#define SELECT_NEAR 0.01f

// Points higher by this part of the thickness than the deepest count half for the normal.
#define SELECT_CARRIES 0.003f

// Two clusters that look at each other and are both deeper than this part of the thickness contradict each other.
#define SELECT_CONTRADICTS 0.05f

// Points deeper by this part of the radius than a chosen neighbor take its place.
#define SELECT_TOLERANCE 0.002f

// From this depth on, as a part of the thickness, only if they are deeper than the others make expect: the deep end of
// a tilted shard would take all four, it would turn about them, and so work its way down.
#define SELECT_SUNK 0.1f

// Deepest first, of equals the lower id, so that the order they were found in does not matter.
static bool selectIsBefore(const brCandidate* a, const brCandidate* b)
{
	return a->separation < b->separation || (a->separation == b->separation && a->id < b->id);
}

// Sorts numbers rather than candidates: runs of eight by insertion, then merged without a branch that depends on them.
BR_ALONE static void selectSort(brCandidate* candidates, int32_t count)
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

// Separation at a place as the chosen points have it: on the plane through the first three, or on the line through two.
// A tilted face lies on it, so that its deep side does not draw all points to itself; what bulges out of it is below.
BR_ALONE static float selectExpected(const brCandidate* candidates, const int32_t* chosen, int32_t count, brVec3 p,
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

// Points in full if they are about as deep as the deepest, less if they carry less or are ahead, more if they were
// chosen a step ago.
BR_ALONE static void selectWeigh(const brCandidate* candidates, const SelectCluster* cluster, const brKeptTouches* kept,
								 float thickness, float* outWeights)
{
	float deepest = candidates[cluster->members[0]].separation;
	for (int32_t i = 0; i < cluster->count; ++i)
	{
		const brCandidate* c = &candidates[cluster->members[i]];
		bool isLevel = c->separation < deepest + SELECT_LEVEL * thickness;
		// What is far ahead will hardly touch in this step; of points ahead the near ones stand for the face.
		float ahead = SELECT_AHEAD / (1.0f + fmaxf(c->separation, 0.0f) / (SELECT_AHEAD_FADE * thickness));
		float weight = isLevel ? 1.0f : c->separation < 0.0f ? SELECT_INSIDE : ahead;
		brVec3 old;
		float separation;
		weight *= brFindKept(kept, c->id, &old, &separation) ? SELECT_KEPT : 1.0f;
		outWeights[i] = weight * weight;
	}
}

// Points that were chosen.
typedef struct SelectRing
{
	int32_t chosen[SELECT_MOST], count;
	int32_t corners[SELECT_MOST], cornerCount;      // the ring about them, convex, turning left seen along the normal
	brVec3 places[SELECT_MOST], sides[SELECT_MOST]; // of the corners, and from each to the next
	float area;                                     // twice
	float least;                                    // that a point must add
	const float* weights;                           // of the cluster's members
	brVec3 middle;                                  // of all
} SelectRing;

// What a point adds to the ring, and where it goes into it. The first is to be far from the middle, the second from the
// first.
BR_ALONE static float selectGain(const brCandidate* candidates, const SelectRing* ring, brVec3 p,
								 const SelectCluster* cluster, int32_t* outAt)
{
	*outAt = ring->cornerCount;
	if (ring->count < 2)
	{
		brVec3 d = brSub(p, ring->count == 0 ? ring->middle : candidates[ring->chosen[0]].point);
		return brDot(d, d);
	}
	float most = -INFINITY;
	for (int32_t k = 0; k < ring->cornerCount; ++k)
	{
		float gain = -brDot(cluster->sum, brCross(ring->sides[k], brSub(p, ring->places[k])));
		if (gain > most)
		{
			most = gain, *outAt = k + 1;
		}
	}
	return most;
}

// Puts a corner in; those beside it that it leaves behind are corners no more.
BR_ALONE static void selectInsert(const brCandidate* candidates, brVec3 normal, int32_t member, int32_t at,
								  SelectRing* ring)
{
	int32_t* corners = ring->corners;
	memmove(&corners[at + 1], &corners[at], sizeof(int32_t) * (size_t)(ring->cornerCount - at));
	corners[at] = member;
	ring->cornerCount += 1;
	for (int32_t side = -1; side <= 1; side += 2)
	{
		while (ring->cornerCount > 3)
		{
			int32_t count = ring->cornerCount, beside = (at + side + count) % count;
			int32_t beyond = (at + 2 * side + count) % count;
			brVec3 p = candidates[corners[at]].point, q = candidates[corners[beside]].point;
			if ((float)side * selectArea(p, q, candidates[corners[beyond]].point, normal) > 0.0f)
			{
				break;
			}
			memmove(&corners[beside], &corners[beside + 1], sizeof(int32_t) * (size_t)(count - beside - 1));
			ring->cornerCount -= 1;
			at -= beside < at;
		}
	}
	for (int32_t k = 0; k < ring->cornerCount; ++k)
	{
		int32_t next = k + 1 < ring->cornerCount ? k + 1 : 0;
		ring->places[k] = candidates[corners[k]].point;
		ring->sides[k] = brSub(candidates[corners[next]].point, ring->places[k]);
	}
	ring->area = 0.0f;
	for (int32_t k = 2; k < ring->cornerCount; ++k)
	{
		ring->area += selectArea(candidates[corners[0]].point, candidates[corners[k - 1]].point,
								 candidates[corners[k]].point, normal);
	}
}

// Takes those of the first `members` in turn that add most, while that is more than a part of what the ring has.
BR_ALONE static void selectSpread(const brCandidate* candidates, const SelectCluster* cluster, int32_t members,
								  int32_t most, float part, SelectRing* ring)
{
	while (ring->count < most)
	{
		float best = fmaxf(ring->least, part * ring->area);
		best = ring->count == 0 ? -1.0f : best;
		int32_t member = -1, at = 0;
		for (int32_t i = 0; i < members; ++i)
		{
			int32_t place;
			float gain = selectGain(candidates, ring, candidates[cluster->members[i]].point, cluster, &place);
			if (ring->weights[i] * gain > best)
			{
				best = ring->weights[i] * gain, member = cluster->members[i], at = place;
			}
		}
		if (member < 0)
		{
			return;
		}
		selectInsert(candidates, cluster->sum, member, at, ring);
		ring->chosen[ring->count++] = member;
	}
}

// What was left out must not be deeper than what stands for it. Members are sorted: the deepest asks first.
BR_ALONE static void selectDeeper(const brCandidate* candidates, const SelectCluster* cluster,
								  const brSelectSizes* sizes, int32_t* chosen, int32_t count)
{
	float thickness = sizes->thickness, radius = sizes->radius;
	uint32_t isFixed = 0;
	int32_t spread[SELECT_MOST];
	float deepest = candidates[cluster->members[0]].separation, tolerance = SELECT_TOLERANCE * radius;
	memcpy(spread, chosen, sizeof(int32_t) * (size_t)count);
	for (int32_t i = 0; i < cluster->count; ++i)
	{
		const brCandidate* c = &candidates[cluster->members[i]];
		int32_t nearest = 0;
		float least = INFINITY;
		for (int32_t k = 0; k < count; ++k)
		{
			float d = selectDistanceSq(&candidates[chosen[k]], c->point);
			if (d < least)
			{
				least = d, nearest = k;
			}
		}
		bool isDeeper = c->separation < candidates[chosen[nearest]].separation - tolerance;
		bool isBelow = deepest > -SELECT_SUNK * thickness ||
					   c->separation < selectExpected(candidates, spread, count, c->point, cluster->sum) - tolerance;
		if (isDeeper && isBelow && !(isFixed >> nearest & 1))
		{
			chosen[nearest] = cluster->members[i];
			isFixed |= 1u << nearest;
		}
	}
}

BR_ALONE static void selectFill(const brCandidate* candidates, const int32_t* chosen, int32_t count, brVec3 normal,
								brTouch* touch)
{
	touch->normal = normal;
	touch->count = count;
	touch->apart = -INFINITY;
	for (int32_t k = 0; k < count; ++k)
	{
		touch->points[k] = candidates[chosen[k]].point;
		touch->separations[k] = candidates[chosen[k]].separation;
		touch->ids[k] = candidates[chosen[k]].id;
	}
}

// Points of one cluster: four of those that carry, and as many of all that may come to. A face on a face has up to
// eight corners, and what tips over a corner that is not there lands on other points and goes on so. Those that do not
// fit go into a second manifold of the same normal, if `more` is not null. Returns the number of manifolds.
BR_ALONE static int32_t selectReduce(const brCandidate* candidates, const SelectCluster* cluster,
									 const brKeptTouches* kept, const brSelectSizes* sizes, brTouch* touch,
									 brTouch* more)
{
	float thickness = sizes->thickness;
	if (cluster->count <= BR_MANIFOLD_POINTS)
	{
		selectFill(candidates, cluster->members, cluster->count, cluster->sum, touch);
		return 1;
	}
	float weights[BR_MAX_CANDIDATES], near = candidates[cluster->members[0]].separation + SELECT_NEAR * thickness;
	int32_t nearCount = 1;
	while (nearCount < cluster->count && candidates[cluster->members[nearCount]].separation < near)
	{
		nearCount += 1;
	}
	selectWeigh(candidates, cluster, kept, thickness, weights);
	SelectRing ring = {.weights = weights, .least = 1e-6f * thickness * thickness};
	for (int32_t i = 0; i < cluster->count; ++i)
	{
		ring.middle = brMulAdd(ring.middle, 1.0f / (float)cluster->count, candidates[cluster->members[i]].point);
	}
	bool isSlow = sizes->margin <= thickness;
	if (more != NULL && isSlow)
	{
		selectSpread(candidates, cluster, nearCount, BR_MANIFOLD_POINTS, 0.0f, &ring);
	}
	if (!isSlow || more == NULL)
	{
		selectSpread(candidates, cluster, cluster->count, BR_MANIFOLD_POINTS, 0.0f, &ring);
	}
	// The other end of what is thin slaps down in the same step: there all places count alike.
	for (int32_t i = 0; i < cluster->count && !isSlow; ++i)
	{
		weights[i] = 1.0f;
	}
	if (more != NULL)
	{
		selectSpread(candidates, cluster, cluster->count, SELECT_MOST, SELECT_WIDENS, &ring);
	}
	selectDeeper(candidates, cluster, sizes, ring.chosen, ring.count);
	int32_t first = ring.count < BR_MANIFOLD_POINTS ? ring.count : BR_MANIFOLD_POINTS;
	selectFill(candidates, ring.chosen, first, cluster->sum, touch);
	if (ring.count > first)
	{
		selectFill(candidates, ring.chosen + first, ring.count - first, cluster->sum, more);
	}
	return 1 + (ring.count > first);
}

// Points of a cluster, those of a step ago many times.
BR_ALONE static int32_t selectSupport(const brCandidate* candidates, const SelectCluster* cluster,
									  const brKeptTouches* kept)
{
	int32_t support = cluster->count;
	for (int32_t i = 0; kept != NULL && i < kept->count; ++i)
	{
		support +=
			brDot(kept->touches[i].normal, candidates[cluster->members[0]].normal) > 0.8f ? BR_MAX_CANDIDATES : 0;
	}
	return support;
}

int32_t brSelectTouches(brCandidate* candidates, int32_t count, const brKeptTouches* kept, const brSelectSizes* sizes,
						brTouch* outTouches)
{
	float thickness = sizes->thickness;
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
		if (best < (sizes->isRound ? SELECT_COSINE_ROUND : SELECT_COSINE))
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
	int32_t touchCount = clusterCount;
	for (int32_t k = 0; k < clusterCount; ++k)
	{
		float length = brLength(clusters[k].sum);
		clusters[k].sum = length > 1e-6f ? brMul(1.0f / length, clusters[k].sum) : clusters[k].seed;
		// What comes fast hits with the first points; those behind them are for what rests, and for what is thin.
		bool isMore = sizes->margin <= thickness || thickness < SELECT_THIN * sizes->radius;
		brTouch* more = isMore && touchCount < BR_PAIR_MANIFOLDS ? &outTouches[touchCount] : NULL;
		int32_t made = selectReduce(candidates, &clusters[k], kept, sizes, &outTouches[k], more);
		touchCount += made - 1;
	}
	return touchCount;
}
