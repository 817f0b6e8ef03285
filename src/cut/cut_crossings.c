// SPDX-License-Identifier: MIT

// Whether rounding made pieces cross themselves. Exact signs on the rounded coordinates, piece by piece, over the
// triangles of the cut. Triangles that share places are neighbors, and two on the same three places are the walls of an
// incision: neither is a crossing. A source that crosses itself away from the cut is counted too.

#include "cut/cut_shell.h"
#include "narrow/triangle_search.h"

typedef struct CutCrossings
{
	brDVec3* positions;    // [points]
	int32_t (*corners)[3]; // [triangles of pieces] by piece
	int32_t count;
} CutCrossings;

static bool cutIsSameTriangle(const int32_t* a, const int32_t* b)
{
	for (int i = 0; i < 3; ++i)
	{
		if (a[i] != b[0] && a[i] != b[1] && a[i] != b[2])
		{
			return false;
		}
	}
	return true;
}

static bool cutSearchCrossings(CutShell* shell, const CutCrossings* crossings)
{
	brCutJob* job = shell->job;
	brPairSearchDef def = {.method = br_pairsOi, .enableSelf = true, .rule = br_neighborsBeyond};
	brBoxSource source = {.count = crossings->count,
						  .vertexCount = job->points.count,
						  .positions = crossings->positions,
						  .cornersEach = 3,
						  .corners = &crossings->corners[0][0]};
	brTriangleSearch search;
	brTriangleSearch_Init(&search, &job->allocator, &def);
	brResult result =
		brTriangleSearch_Run(&search, job->context, &source, shell->pieceStart, shell->pieceCount, job->report);
	job->error = result < 0 && job->error == 0 ? result : job->error;
	job->stats.selfCrossings = 0;
	for (int64_t i = 0; result >= 0 && i < search.search.pairs.count; ++i)
	{
		brPair pair = search.search.pairs.pairs[i];
		bool isCrossing = !cutIsSameTriangle(crossings->corners[pair.a], crossings->corners[pair.b]);
		job->stats.selfCrossings += isCrossing && job->stats.selfCrossings < INT32_MAX;
	}
	brTriangleSearch_Free(&search);
	return result >= 0;
}

bool brCut_CountCrossings(CutShell* shell)
{
	brCutJob* job = shell->job;
	CutCrossings crossings = {.positions = BR_ALLOC(&job->allocator, brDVec3, job->points.count),
							  .count = shell->pieceStart[shell->pieceCount]};
	crossings.corners = brAllocArray(&job->allocator, crossings.count, sizeof(int32_t[3]));
	bool isDone = (crossings.positions != NULL && crossings.corners != NULL) || brCut_FailMemory(job);
	for (int32_t i = 0; i < job->points.count && isDone; ++i)
	{
		crossings.positions[i] = job->points.data[i].at;
	}
	for (int32_t i = 0; i < crossings.count && isDone; ++i)
	{
		const int32_t* v = shell->triangles[shell->order[i]];
		crossings.corners[i][0] = v[0], crossings.corners[i][1] = v[1], crossings.corners[i][2] = v[2];
	}
	isDone = isDone && cutSearchCrossings(shell, &crossings);
	BR_FREE(&job->allocator, crossings.positions, job->points.count);
	brFreeArray(&job->allocator, crossings.corners, crossings.count, sizeof(int32_t[3]));
	return isDone;
}
