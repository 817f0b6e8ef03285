// SPDX-License-Identifier: MIT

#include "contact/siblings.h"

// Normals within this cosine make one cluster.
#define SIBLING_COSINE 0.9f

// What is left joins the nearest cluster within this cosine; the rest is too little to matter.
#define SIBLING_JOINS 0.5f

// Ids that no search gives.
#define SIBLING_ID 0x60000000u

static float siblingArea(const brSharedFacets* facets, int32_t facet)
{
	brVec3 sum = {0.0f, 0.0f, 0.0f}, first = facets->corners[facets->starts[facet]];
	for (int32_t i = facets->starts[facet] + 1; i + 1 < facets->starts[facet + 1]; ++i)
	{
		sum = brAdd(sum, brCross(brSub(facets->corners[i], first), brSub(facets->corners[i + 1], first)));
	}
	return 0.5f * brLength(sum);
}

static int32_t siblingNearest(const brVec3* seeds, int32_t count, brVec3 normal, float* outCosine)
{
	int32_t nearest = -1;
	*outCosine = -2.0f;
	for (int32_t k = 0; k < count; ++k)
	{
		float cosine = brDot(seeds[k], normal);
		if (cosine > *outCosine)
		{
			*outCosine = cosine, nearest = k;
		}
	}
	return nearest;
}

// Directions that stand for the crack: each time the largest facet left, and the mean of what looks its way.
static int32_t siblingSeeds(const brSharedFacets* facets, brVec3* outSeeds)
{
	int32_t count = 0;
	for (; count < BR_PAIR_MANIFOLDS; ++count)
	{
		float most = 0.0f, cosine;
		int32_t seed = -1;
		for (int32_t i = 0; i < facets->facetCount; ++i)
		{
			siblingNearest(outSeeds, count, facets->normals[i], &cosine);
			float area = cosine < SIBLING_COSINE ? siblingArea(facets, i) : 0.0f;
			if (area > most)
			{
				most = area, seed = i;
			}
		}
		if (seed < 0)
		{
			break;
		}
		brVec3 sum = {0.0f, 0.0f, 0.0f};
		for (int32_t i = 0; i < facets->facetCount; ++i)
		{
			siblingNearest(outSeeds, count, facets->normals[i], &cosine);
			if (cosine < SIBLING_COSINE && brDot(facets->normals[seed], facets->normals[i]) >= SIBLING_COSINE)
			{
				sum = brMulAdd(sum, siblingArea(facets, i), facets->normals[i]);
			}
		}
		outSeeds[count] = brNormalize(sum);
	}
	return count;
}

static float siblingTwice(brVec3 a, brVec3 b, brVec3 c, brVec3 normal)
{
	return brDot(normal, brCross(brSub(b, a), brSub(c, a)));
}

// What a point adds to those chosen: distance, distance, area, area.
static float siblingValue(const brTouch* touch, brVec3 mean, brVec3 p)
{
	const brVec3* q = touch->points;
	brVec3 d = brSub(p, touch->count == 0 ? mean : q[0]);
	if (touch->count < 2)
	{
		return brDot(d, d);
	}
	float whole = siblingTwice(q[0], q[1], touch->count == 2 ? p : q[2], touch->normal);
	if (touch->count == 2)
	{
		return fabsf(whole);
	}
	float sign = whole < 0.0f ? -1.0f : 1.0f, gain = 0.0f;
	for (int32_t k = 0; k < 3; ++k)
	{
		gain = fmaxf(gain, -sign * siblingTwice(q[k], q[(k + 1) % 3], p, touch->normal));
	}
	return gain;
}

int32_t brTouchSiblings(const brSharedFacets* facets, brTouch* outTouches)
{
	brVec3 seeds[BR_PAIR_MANIFOLDS];
	int32_t count = siblingSeeds(facets, seeds);
	for (int32_t k = 0; k < count; ++k)
	{
		brTouch* touch = &outTouches[k];
		*touch = (brTouch){.normal = seeds[k], .apart = -INFINITY};
		brVec3 sum = {0.0f, 0.0f, 0.0f};
		int32_t cornerCount = 0;
		for (int32_t turn = -1; turn < BR_MANIFOLD_POINTS; ++turn)
		{
			brVec3 mean = brMul(1.0f / (float)(cornerCount > 0 ? cornerCount : 1), sum), best = mean;
			float most = 0.0f;
			for (int32_t i = 0; i < facets->facetCount; ++i)
			{
				float cosine;
				if (siblingNearest(seeds, count, facets->normals[i], &cosine) != k || cosine < SIBLING_JOINS)
				{
					continue;
				}
				for (int32_t c = facets->starts[i]; c < facets->starts[i + 1]; ++c)
				{
					if (turn < 0)
					{
						sum = brAdd(sum, facets->corners[c]);
						cornerCount += 1;
						continue;
					}
					float value = siblingValue(touch, mean, facets->corners[c]);
					if (value > most)
					{
						most = value, best = facets->corners[c];
					}
				}
			}
			if (turn >= 0 && most > 0.0f)
			{
				touch->ids[touch->count] = SIBLING_ID | (uint32_t)(BR_MANIFOLD_POINTS * k + touch->count);
				touch->separations[touch->count] = 0.0f;
				touch->points[touch->count++] = best;
			}
			else if (turn >= 0)
			{
				break;
			}
		}
	}
	return count;
}
