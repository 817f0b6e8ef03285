// SPDX-License-Identifier: MIT

#include "contact/siblings.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/sort.h"

#include <string.h>

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

// A face of one of the meshes, by the corners it has in whatever order.
typedef struct SiblingFace
{
	int32_t mesh, face;
} SiblingFace;

typedef struct SiblingWork
{
	int64_t faceCount, cornerCount; // of all meshes, of the largest pair at most
	SiblingFace* faces;
	uint64_t* keys;
	uint32_t* order;
	uint64_t* pairs;
	uint32_t* pairFaces;
	int32_t* starts;
	brVec3 *corners, *normals;
} SiblingWork;

static uint64_t siblingKey(const brMesh* mesh, int32_t face)
{
	uint64_t sum = (uint64_t)(mesh->faceStarts[face + 1] - mesh->faceStarts[face]);
	for (int32_t i = mesh->faceStarts[face]; i < mesh->faceStarts[face + 1]; ++i)
	{
		brDVec3 p = mesh->positions[mesh->corners[i]];
		p = brDAdd(p, brMakeDVec3(0.0, 0.0, 0.0)); // -0 is 0
		uint64_t bits[3];
		memcpy(bits, &p, sizeof(bits));
		sum += brHash64(brHash64(brHash64(bits[0]) ^ bits[1]) ^ bits[2]);
	}
	return sum;
}

// Pairs of meshes with the face of the first that they share, sorted. Of more than two faces alike only the first two
// count.
static int32_t siblingPairs(SiblingWork* work)
{
	int32_t count = 0;
	for (int64_t i = 0; i + 1 < work->faceCount; ++i)
	{
		SiblingFace a = work->faces[work->order[i]], b = work->faces[work->order[i + 1]];
		if (work->keys[i] == work->keys[i + 1] && a.mesh != b.mesh)
		{
			SiblingFace low = a.mesh < b.mesh ? a : b, high = a.mesh < b.mesh ? b : a;
			work->pairs[count] = (uint64_t)low.mesh << 32 | (uint32_t)high.mesh;
			work->pairFaces[count++] = (uint32_t)low.face;
			i += 1;
		}
	}
	return count;
}

static void siblingFacet(SiblingWork* work, const brMesh* mesh, brTransform frame, int32_t face, brSharedFacets* facets)
{
	int32_t at = work->starts[facets->facetCount], first = mesh->faceStarts[face];
	brDVec3 sum = {0.0, 0.0, 0.0}, origin = mesh->positions[mesh->corners[first]];
	for (int32_t i = first; i < mesh->faceStarts[face + 1]; ++i)
	{
		brDVec3 p = mesh->positions[mesh->corners[i]];
		int32_t next = i + 1 < mesh->faceStarts[face + 1] ? i + 1 : first;
		brDVec3 q = mesh->positions[mesh->corners[next]];
		sum = brDAdd(sum, brDCross(brDSub(p, origin), brDSub(q, origin)));
		work->corners[at++] = brToVec3(brTransform_InvPoint(frame, p));
	}
	double length = brDLength(sum);
	if (length > 0.0)
	{
		work->normals[facets->facetCount] = brToVec3(brQuat_InvRotate(frame.q, brDMul(1.0 / length, sum)));
		facets->facetCount += 1;
		work->starts[facets->facetCount] = at;
	}
}

static bool siblingList(const brAllocator* allocator, const brMesh* const* meshes, int32_t count, SiblingWork* work)
{
	for (int32_t i = 0; i < count; ++i)
	{
		work->faceCount += meshes[i] != NULL ? meshes[i]->faceCount : 0;
		work->cornerCount += meshes[i] != NULL ? meshes[i]->cornerCount : 0;
	}
	if (work->faceCount > INT32_MAX / 2)
	{
		return false;
	}
	int64_t faces = work->faceCount;
	work->faces = BR_ALLOC(allocator, SiblingFace, faces);
	work->keys = BR_ALLOC(allocator, uint64_t, faces);
	work->order = BR_ALLOC(allocator, uint32_t, faces);
	work->pairs = BR_ALLOC(allocator, uint64_t, faces);
	work->pairFaces = BR_ALLOC(allocator, uint32_t, faces);
	work->starts = BR_ALLOC(allocator, int32_t, faces + 1);
	work->normals = BR_ALLOC(allocator, brVec3, faces);
	work->corners = BR_ALLOC(allocator, brVec3, work->cornerCount);
	if (work->faces == NULL || work->keys == NULL || work->order == NULL || work->pairs == NULL ||
		work->pairFaces == NULL || work->starts == NULL || work->normals == NULL || work->corners == NULL)
	{
		return false;
	}
	int64_t at = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		for (int32_t face = 0; meshes[i] != NULL && face < meshes[i]->faceCount; ++face)
		{
			work->faces[at] = (SiblingFace){i, face};
			work->keys[at] = siblingKey(meshes[i], face);
			work->order[at] = (uint32_t)at;
			at += 1;
		}
	}
	return brSortPairs64(NULL, allocator, work->keys, work->order, work->pairs, work->pairFaces, (int32_t)faces);
}

bool brTouchAllSiblings(const brAllocator* allocator, const brMesh* const* meshes, const brTransform* frames,
						int32_t count, brSiblingVisit* visit, void* user)
{
	SiblingWork work = {0};
	bool isGood = siblingList(allocator, meshes, count, &work);
	int32_t pairCount = isGood ? siblingPairs(&work) : 0;
	isGood = isGood && brSortPairs64(NULL, allocator, work.pairs, work.pairFaces, work.keys, work.order, pairCount);
	for (int32_t i = 0; isGood && i < pairCount;)
	{
		int32_t a = (int32_t)(work.pairs[i] >> 32), b = (int32_t)(work.pairs[i] & 0xFFFFFFFFu);
		brSharedFacets facets = {0, work.starts, work.corners, work.normals};
		work.starts[0] = 0;
		uint64_t pair = work.pairs[i];
		for (; i < pairCount && work.pairs[i] == pair; ++i)
		{
			siblingFacet(&work, meshes[a], frames[a], (int32_t)work.pairFaces[i], &facets);
		}
		brTouch touches[BR_PAIR_MANIFOLDS];
		int32_t touchCount = brTouchSiblings(&facets, touches);
		isGood = touchCount == 0 || visit(user, a, b, touches, touchCount);
	}
	BR_FREE(allocator, work.faces, work.faceCount);
	BR_FREE(allocator, work.keys, work.faceCount);
	BR_FREE(allocator, work.order, work.faceCount);
	BR_FREE(allocator, work.pairs, work.faceCount);
	BR_FREE(allocator, work.pairFaces, work.faceCount);
	BR_FREE(allocator, work.starts, work.faceCount + 1);
	BR_FREE(allocator, work.normals, work.faceCount);
	BR_FREE(allocator, work.corners, work.cornerCount);
	return isGood;
}
