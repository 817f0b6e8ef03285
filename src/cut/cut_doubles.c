// SPDX-License-Identifier: MIT

// Triangles that both meshes have. A solid cut by a copy of itself, or by a neighbor with the same wall, has whole
// stretches where nothing is to be found out: source and cutter have the same triangles with the same neighbors. Such a
// pair lies on each other and meets nothing else, so both stay untouched and only their labels know that there are two.

#include "base/hash.h"
#include "cut/cut_contacts.h"

#include <string.h>

// The same for triangles with the same corners in any order.
static int32_t cutBucket(const int32_t* v, int32_t mask)
{
	uint64_t hash = 0;
	for (int k = 0; k < 3; ++k)
	{
		hash += brHash64((uint64_t)(uint32_t)v[k] + 1);
	}
	return (int32_t)(brHash64(hash) & (uint64_t)mask);
}

static bool cutHasSameCorners(const int32_t* v, const int32_t* w)
{
	return cutCornerOf(w, v[0]) >= 0 && cutCornerOf(w, v[1]) >= 0 && cutCornerOf(w, v[2]) >= 0;
}

// The only one of `count` triangles with the corners of u, or -1.
static int32_t cutOnlyEqual(const brCutJob* job, const int32_t* list, int32_t count, int32_t u)
{
	int32_t found = -1;
	for (int32_t i = 0; i < count; ++i)
	{
		if (cutHasSameCorners(job->triangles[list[i]], job->triangles[u]))
		{
			if (found >= 0)
			{
				return -1;
			}
			found = list[i];
		}
	}
	return found;
}

// Source triangles in buckets, then each of the cutter looks into its own. One to one, or not at all.
static bool cutMatchTriangles(brCutJob* job)
{
	int32_t mask = 1023;
	while (mask < job->sourceCount)
	{
		mask = 2 * mask + 1;
	}
	int64_t startCount = (int64_t)mask + 3;
	int32_t* starts = BR_ALLOC_ZERO(&job->allocator, int32_t, startCount);
	int32_t* list = BR_ALLOC(&job->allocator, int32_t, job->sourceCount);
	bool isDone = starts != NULL && list != NULL;
	for (int32_t t = 0; t < job->sourceCount && isDone; ++t)
	{
		starts[cutBucket(job->triangles[t], mask) + 2] += 1;
	}
	for (int32_t i = 0; i <= mask && isDone; ++i)
	{
		starts[i + 2] += starts[i + 1];
	}
	for (int32_t t = 0; t < job->sourceCount && isDone; ++t)
	{
		list[starts[cutBucket(job->triangles[t], mask) + 1]++] = t;
	}
	for (int32_t u = job->sourceCount; u < job->triangleCount && isDone; ++u)
	{
		const int32_t* w = job->triangles[u];
		if (w[0] >= job->sourcePlaces || w[1] >= job->sourcePlaces || w[2] >= job->sourcePlaces)
		{
			continue;
		}
		int32_t bucket = cutBucket(w, mask);
		int32_t t = cutOnlyEqual(job, list + starts[bucket], starts[bucket + 1] - starts[bucket], u);
		if (t >= 0)
		{
			job->doubles[u] = t;
			job->doubles[t] = job->doubles[t] == -1 ? u : -2;
		}
	}
	for (int32_t u = job->sourceCount; u < job->triangleCount && isDone; ++u)
	{
		int32_t t = job->doubles[u];
		job->doubles[u] = t >= 0 && job->doubles[t] == u ? t : -1;
	}
	for (int32_t t = 0; t < job->sourceCount && isDone; ++t)
	{
		job->doubles[t] = job->doubles[t] < 0 ? -1 : job->doubles[t];
	}
	BR_FREE(&job->allocator, starts, startCount);
	BR_FREE(&job->allocator, list, job->sourceCount);
	return isDone || brCut_FailMemory(job);
}

bool brCut_FindDoubles(brCutJob* job)
{
	bool isShared = false;
	for (int32_t u = job->sourceCount; u < job->triangleCount && !isShared; ++u)
	{
		const int32_t* w = job->triangles[u];
		isShared = w[0] < job->sourcePlaces && w[1] < job->sourcePlaces && w[2] < job->sourcePlaces;
	}
	if (!isShared || job->sourceCount == 0)
	{
		return true;
	}
	job->doubles = BR_ALLOC(&job->allocator, int32_t, job->triangleCount);
	if (job->doubles == NULL)
	{
		return brCut_FailMemory(job);
	}
	memset(job->doubles, 0xff, (size_t)job->triangleCount * sizeof(int32_t));
	return cutMatchTriangles(job);
}

void brCut_ForgetDoubles(brCutJob* job)
{
	BR_FREE(&job->allocator, job->doubles, job->triangleCount);
	job->doubles = NULL;
}

// Whether the neighbors of a triangle and of its double are doubles too.
static bool cutIsInner(const brCutJob* job, int32_t t)
{
	int32_t u = job->doubles[t];
	const int32_t *v = job->triangles[t], *w = job->triangles[u];
	for (int k = 0; k < 3; ++k)
	{
		int32_t a = cutCornerOf(w, v[k]), b = cutCornerOf(w, v[(k + 1) % 3]);
		int32_t twin = job->twins[3 * t + k], other = job->twins[3 * u + ((a + 1) % 3 == b ? a : b)];
		if (twin < 0 || other < 0 || job->doubles[twin / 3] != other / 3)
		{
			return false;
		}
	}
	return true;
}

bool brCut_SettleDoubles(brCutJob* job, const CutCandidates* pairs)
{
	for (int32_t i = 0; i < pairs->count; ++i)
	{
		for (int which = 0; which < 2; ++which)
		{
			job->flags[pairs->data[i].triangles[which]] |= br_cutNear;
		}
	}
	for (int32_t t = 0; t < job->sourceCount; ++t)
	{
		int32_t u = job->doubles[t];
		if (u < 0)
		{
			continue;
		}
		if (brCut_IsNear(job, t) || brCut_IsNear(job, u) || !cutIsInner(job, t))
		{
			brCut_MarkMeeting(job, t, u);
			if (!BR_PUSH(&job->allocator, &job->coplanars, ((brPair){t, u})))
			{
				return brCut_FailMemory(job);
			}
			continue;
		}
		job->flags[t] |= br_cutDoubled;
		job->flags[u] |= br_cutDoubled;
		job->stats.contacts += 1;
	}
	return true;
}
