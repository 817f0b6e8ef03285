// SPDX-License-Identifier: MIT

// Which triangles may meet. Trees give candidates; workers take their exact signs and strike out what is apart or is no
// more than a plain neighbor. For what is left they find where sides pass through triangles, and the places of these
// points: exact numbers are most of the work of a contact, and they do not depend on each other.

#include "cut/cut_contacts.h"
#include "math/predicates.h"
#include "narrow/triangle_search.h"

#include <string.h>

static brDVec3 cutAt(const brCutJob* job, int32_t point)
{
	return job->points.data[point].at;
}

// Signs of the corners of t against the plane of u; a shared corner is in it without a question.
static void cutSides(const brCutJob* job, int32_t t, int32_t u, int8_t signs[3])
{
	const int32_t *v = job->triangles[t], *w = job->triangles[u];
	brDVec3 a = cutAt(job, w[0]), b = cutAt(job, w[1]), c = cutAt(job, w[2]);
	for (int i = 0; i < 3; ++i)
	{
		signs[i] = (int8_t)(cutCornerOf(w, v[i]) >= 0 ? 0 : brOrient3d(a, b, c, cutAt(job, v[i])));
	}
}

// Of the point where edge p q passes through the plane of a triangle.
static int32_t cutPlacePassage(const brCutJob* job, int32_t p, int32_t q, int32_t triangle)
{
	const int32_t* v = job->triangles[triangle];
	brDVec3 a = cutAt(job, p), b = cutAt(job, q);
	int32_t signs[3];
	for (int i = 0; i < 3; ++i)
	{
		// Asked from the lesser end so that both triangles at an edge get answers from one computation.
		signs[i] = p < q ? brOrient3d(a, b, cutAt(job, v[i]), cutAt(job, v[(i + 1) % 3]))
						 : -brOrient3d(b, a, cutAt(job, v[i]), cutAt(job, v[(i + 1) % 3]));
	}
	return brCut_PlaceFromSigns(signs);
}

// Candidates are looked at in blocks by all workers. Those that are certainly apart, or that have no more in common
// than a corner, are struck out: first = -1. Those with a common edge and nothing else are marked: second = -1 -
// second.
typedef struct CutSieve
{
	brCutJob* job;
	brPair* pairs;
	int64_t count;
	int32_t firstOffset, secondOffset;
} CutSieve;

enum
{
	CUT_SIEVE_BLOCK = 2048
};

// Whether all corners that are not shared lie strictly on one side.
static bool cutIsClear(const int8_t signs[3])
{
	bool isAbove = signs[0] >= 0 && signs[1] >= 0 && signs[2] >= 0;
	bool isBelow = signs[0] <= 0 && signs[1] <= 0 && signs[2] <= 0;
	return isAbove || isBelow;
}

// Whether the side of t opposite to its one corner in the plane of u passes through u.
static bool cutPassesOpposite(const brCutJob* job, int32_t t, int32_t u, const int8_t signs[3])
{
	const int32_t* v = job->triangles[t];
	int32_t k = signs[0] == 0 ? 0 : signs[1] == 0 ? 1 : 2;
	return cutPlacePassage(job, v[(k + 1) % 3], v[(k + 2) % 3], u) >= 0;
}

// The number of corners that two triangles share if they meet nowhere else, or 0.
static int32_t cutPlainNeighbor(const brCutJob* job, int32_t t, int32_t u, const int8_t mine[3], const int8_t others[3])
{
	const int32_t *v = job->triangles[t], *w = job->triangles[u];
	int32_t shared = 0, zeros = 0, otherZeros = 0;
	for (int k = 0; k < 3; ++k)
	{
		shared += cutCornerOf(w, v[k]) >= 0;
		zeros += mine[k] == 0;
		otherZeros += others[k] == 0;
	}
	if (shared == 0 || shared == 3)
	{
		return shared;
	}
	if ((zeros == shared && cutIsClear(mine)) || (otherZeros == shared && cutIsClear(others)))
	{
		return shared;
	}
	// One common corner, and both opposite sides pass through the other's plane: they meet again if one of these does
	// so inside.
	bool isPlain = shared == 1 && zeros == 1 && otherZeros == 1 && !cutPassesOpposite(job, t, u, mine) &&
				   !cutPassesOpposite(job, u, t, others);
	return isPlain ? 1 : 0;
}

static void cutSievePairs(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CutSieve* sieve = user;
	int64_t last = (int64_t)end * CUT_SIEVE_BLOCK < sieve->count ? (int64_t)end * CUT_SIEVE_BLOCK : sieve->count;
	for (int64_t i = (int64_t)begin * CUT_SIEVE_BLOCK; i < last; ++i)
	{
		brPair* pair = &sieve->pairs[i];
		int32_t t = pair->a + sieve->firstOffset, u = pair->b + sieve->secondOffset;
		int8_t mine[3], others[3];
		cutSides(sieve->job, t, u, mine);
		bool isApart = cutIsApart(mine);
		if (!isApart)
		{
			cutSides(sieve->job, u, t, others);
			isApart = cutIsApart(others);
			int32_t shared = isApart ? 0 : cutPlainNeighbor(sieve->job, t, u, mine, others);
			// A common corner is nothing. A common edge of source and cutter, and equal triangles, are for the weave.
			isApart = isApart || shared == 1 || (shared == 2 && t >= sieve->job->sourceCount);
			pair->b = !isApart && shared >= 2 ? -1 - pair->b : pair->b;
		}
		pair->a = isApart ? -1 : pair->a;
	}
}

// Keeps the pairs that are left after the sieve, as triangles of the job, and marks those with no more than an edge in
// common.
static bool cutKeepPairs(brCutJob* job, brPairSearch* search, int32_t firstOffset, int32_t secondOffset,
						 CutCandidates* outPairs)
{
	brPairBuffer* pairs = &search->pairs;
	CutSieve sieve = {job, pairs->pairs, pairs->count, firstOffset, secondOffset};
	int64_t blocks = (pairs->count + CUT_SIEVE_BLOCK - 1) / CUT_SIEVE_BLOCK;
	if (blocks > INT32_MAX)
	{
		return brCut_Fail(job, br_errorLimit, -1, "there are too many candidate pairs");
	}
	brParallelFor(brCut_Workers(job), (int32_t)blocks, 1, cutSievePairs, &sieve);
	for (int64_t i = 0; i < pairs->count; ++i)
	{
		brPair pair = pairs->pairs[i];
		if (pair.a < 0)
		{
			continue;
		}
		bool isPlain = pair.b < 0;
		int32_t t = pair.a + firstOffset, u = (isPlain ? -1 - pair.b : pair.b) + secondOffset;
		if (!isPlain)
		{
			if (!BR_PUSH(&job->allocator, outPairs, ((CutCandidate){.triangles = {t, u}})))
			{
				return brCut_FailMemory(job);
			}
			continue;
		}
		const int32_t *v = job->triangles[t], *w = job->triangles[u];
		bool isSame = cutCornerOf(w, v[0]) >= 0 && cutCornerOf(w, v[1]) >= 0 && cutCornerOf(w, v[2]) >= 0;
		brCut_MarkMeeting(job, t, u);
		if (isSame && t < job->sourceCount && !BR_PUSH(&job->allocator, &job->coplanars, ((brPair){t, u})))
		{
			return brCut_FailMemory(job);
		}
	}
	return true;
}

enum
{
	CUT_SINGLES,
	CUT_DOUBLES,
	CUT_ALL
};

typedef struct CutSubset
{
	int32_t* triangles;
	int32_t (*corners)[3];
	int32_t count, capacity;
} CutSubset;

static brBoxSource cutBoxes(const brCutJob* job, const brDVec3* positions, int32_t (*corners)[3], int32_t count)
{
	return (brBoxSource){.count = count,
						 .vertexCount = job->vertexCount,
						 .positions = positions,
						 .cornersEach = 3,
						 .corners = &corners[0][0]};
}

// Candidates of triangles of the source against triangles of the cutter.
static bool cutFindPairsOf(brCutJob* job, const brBoxSource* source, const brBoxSource* cutter,
						   const CutSubset* subsets, CutCandidates* outPairs)
{
	brPairSearchDef def = {.method = br_pairsOi, .enableInter = true, .rule = br_neighborsKeep};
	brPairSearch search;
	brPairSearch_Init(&search, &job->allocator, &def);
	brResult result = brPairSearch_RunBetween(&search, job->context, source, cutter, job->report);
	job->error = result < 0 && job->error == 0 ? result : job->error;
	for (int64_t i = 0; result >= 0 && subsets != NULL && i < search.pairs.count; ++i)
	{
		brPair* pair = &search.pairs.pairs[i];
		*pair = (brPair){subsets[0].triangles[pair->a], subsets[1].triangles[pair->b] - job->sourceCount};
	}
	bool isDone = result >= 0 && cutKeepPairs(job, &search, 0, job->sourceCount, outPairs);
	brPairSearch_Free(&search);
	return isDone;
}

// Triangles of one mesh that are doubles, or that are not, or all.
static bool cutMakeSubset(brCutJob* job, int32_t begin, int32_t end, int wanted, CutSubset* subset)
{
	subset->capacity = end - begin;
	subset->triangles = BR_ALLOC(&job->allocator, int32_t, subset->capacity);
	subset->corners = brAllocArray(&job->allocator, subset->capacity, sizeof(int32_t[3]));
	if (subset->triangles == NULL || subset->corners == NULL)
	{
		return brCut_FailMemory(job);
	}
	subset->count = 0;
	for (int32_t t = begin; t < end; ++t)
	{
		if (wanted == CUT_ALL || (job->doubles[t] >= 0) == (wanted == CUT_DOUBLES))
		{
			subset->triangles[subset->count] = t;
			memcpy(subset->corners[subset->count++], job->triangles[t], sizeof(int32_t[3]));
		}
	}
	return true;
}

static void cutFreeSubset(brCutJob* job, CutSubset* subset)
{
	BR_FREE(&job->allocator, subset->triangles, subset->capacity);
	brFreeArray(&job->allocator, subset->corners, subset->capacity, sizeof(int32_t[3]));
	*subset = (CutSubset){0};
}

// What a double meets in the other mesh is what its double meets in its own: for a source without crossings nothing.
static bool cutFindPairsBesideDoubles(brCutJob* job, const brDVec3* positions, CutCandidates* outPairs)
{
	static const int wanted[2][2] = {{CUT_SINGLES, CUT_ALL}, {CUT_DOUBLES, CUT_SINGLES}};
	bool isDone = true;
	for (int i = 0; i < 2 && isDone; ++i)
	{
		CutSubset subsets[2] = {{0}};
		isDone = cutMakeSubset(job, 0, job->sourceCount, wanted[i][0], &subsets[0]) &&
				 cutMakeSubset(job, job->sourceCount, job->triangleCount, wanted[i][1], &subsets[1]);
		if (isDone && subsets[0].count > 0 && subsets[1].count > 0)
		{
			brBoxSource source = cutBoxes(job, positions, subsets[0].corners, subsets[0].count);
			brBoxSource cutter = cutBoxes(job, positions, subsets[1].corners, subsets[1].count);
			isDone = cutFindPairsOf(job, &source, &cutter, subsets, outPairs);
		}
		cutFreeSubset(job, &subsets[0]);
		cutFreeSubset(job, &subsets[1]);
	}
	return isDone;
}

static bool cutFindPairsBetween(brCutJob* job, const brDVec3* positions, CutCandidates* outPairs)
{
	if (job->doubles != NULL)
	{
		return cutFindPairsBesideDoubles(job, positions, outPairs);
	}
	brBoxSource source = cutBoxes(job, positions, job->triangles, job->sourceCount);
	brBoxSource cutter =
		cutBoxes(job, positions, job->triangles + job->sourceCount, job->triangleCount - job->sourceCount);
	return cutFindPairsOf(job, &source, &cutter, NULL, outPairs);
}

// Triangles of the cutter that meet beyond what they share: few or none.
static bool cutFindPairsWithin(brCutJob* job, const brDVec3* positions, CutCandidates* outPairs)
{
	brPairSearchDef def = {.method = br_pairsOi, .enableSelf = true, .rule = br_neighborsBeyond};
	brBoxSource cutter =
		cutBoxes(job, positions, job->triangles + job->sourceCount, job->triangleCount - job->sourceCount);
	brTriangleSearch search;
	brTriangleSearch_Init(&search, &job->allocator, &def);
	brResult result = brTriangleSearch_Run(&search, job->context, &cutter, NULL, 1, job->report);
	job->error = result < 0 && job->error == 0 ? result : job->error;
	bool isDone = result >= 0 && cutKeepPairs(job, &search.search, job->sourceCount, job->sourceCount, outPairs);
	brTriangleSearch_Free(&search);
	return isDone;
}

typedef struct CutLook
{
	const brCutJob* job;
	CutCandidate* pairs;
} CutLook;

// The signs of a pair that is left, and where sides pass through the other triangle.
static void cutLookAtPairs(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const CutLook* look = user;
	const brCutJob* job = look->job;
	for (int32_t i = begin; i < end; ++i)
	{
		CutCandidate* pair = &look->pairs[i];
		for (int which = 0; which < 2; ++which)
		{
			cutSides(job, pair->triangles[which], pair->triangles[1 - which], pair->signs[which]);
		}
		bool isApart = cutIsApart(pair->signs[0]) || cutIsApart(pair->signs[1]);
		for (int which = 0; which < 2; ++which)
		{
			const int32_t* v = job->triangles[pair->triangles[which]];
			for (int k = 0; k < 3; ++k)
			{
				bool passes = !isApart && pair->signs[which][k] * pair->signs[which][(k + 1) % 3] < 0;
				pair->passages[which][k] =
					(int8_t)(passes ? cutPlacePassage(job, v[k], v[(k + 1) % 3], pair->triangles[1 - which])
									: CUT_NO_PASSAGE);
			}
		}
	}
}

static bool cutExpectPassages(brCutJob* job, const CutCandidate* pair)
{
	for (int which = 0; which < 2; ++which)
	{
		const int32_t* v = job->triangles[pair->triangles[which]];
		for (int k = 0; k < 3; ++k)
		{
			if (pair->passages[which][k] >= CUT_ON_SIDE &&
				!brCut_ExpectPoint(job, cutPassage(v[k], v[(k + 1) % 3], pair->triangles[1 - which])))
			{
				return false;
			}
		}
	}
	return true;
}

bool brCut_FindPairs(brCutJob* job, CutCandidates* outPairs)
{
	brDVec3* positions = BR_ALLOC(&job->allocator, brDVec3, job->vertexCount);
	if (positions == NULL)
	{
		return brCut_FailMemory(job);
	}
	for (int32_t i = 0; i < job->vertexCount; ++i)
	{
		positions[i] = job->points.data[i].at;
	}
	// The cutter with itself first: where doubles cross, they are like all others.
	CutCandidates within = {0};
	bool isDone =
		brCut_FindDoubles(job) && (job->def->assumeCutterSimple || cutFindPairsWithin(job, positions, &within));
	for (int32_t i = 0; i < within.count && isDone && job->doubles != NULL; ++i)
	{
		const int32_t* pair = within.data[i].triangles;
		if (job->doubles[pair[0]] >= 0 && job->doubles[pair[1]] >= 0)
		{
			brCut_ForgetDoubles(job);
		}
	}
	isDone = isDone && (job->sourceCount == 0 || cutFindPairsBetween(job, positions, outPairs));
	isDone = isDone && (BR_RESERVE(&job->allocator, outPairs, within.count) || brCut_FailMemory(job));
	if (isDone && within.count > 0)
	{
		memcpy(outPairs->data + outPairs->count, within.data, (size_t)within.count * sizeof(CutCandidate));
		outPairs->count += within.count;
	}
	BR_FREE_ARRAY(&job->allocator, &within);
	BR_FREE(&job->allocator, positions, job->vertexCount);
	isDone = isDone && (job->doubles == NULL || brCut_SettleDoubles(job, outPairs));
	CutLook look = {job, outPairs->data};
	brParallelFor(brCut_Workers(job), isDone ? outPairs->count : 0, 256, cutLookAtPairs, &look);
	for (int32_t i = 0; i < outPairs->count && isDone; ++i)
	{
		isDone = cutExpectPassages(job, &outPairs->data[i]);
	}
	return isDone && brCut_PlaceExpected(job);
}
