// SPDX-License-Identifier: MIT

// Who is across each edge of a triangle. Half-edges are sorted by their lesser end by counting, then by the greater one
// within each end's few; so those of one edge stand side by side. Nearly all edges have two that run against each
// other, which workers pair; the others wait and are settled one by one, in order.

#include "base/sort.h"
#include "cut/cut_job.h"

#include <stdatomic.h>
#include <string.h>

int32_t brCut_VertexOf(const brCutJob* job, int32_t halfEdge, int32_t step)
{
	int32_t t = halfEdge / 3;
	const brMesh* mesh = job->meshes[t >= job->sourceCount ? 1 : 0];
	return mesh->corners[job->corners[t][(halfEdge % 3 + step) % 3]];
}

static void cutPair(brCutJob* job, int32_t a, int32_t b)
{
	job->twins[a] = b;
	job->twins[b] = a;
}

// A triangle without area has no direction to be sorted by: it takes the first partner there is.
static void cutPairFlat(brCutJob* job, const uint32_t* edges, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t h = (int32_t)edges[i];
		if (job->twins[h] >= 0 || !brCut_IsFlat(job->points.data, job->triangles[h / 3]))
		{
			continue;
		}
		for (int32_t j = 0; j < count && job->twins[h] < 0; ++j)
		{
			int32_t g = (int32_t)edges[j];
			if (job->twins[g] < 0 && job->triangles[g / 3][g % 3] != job->triangles[h / 3][h % 3])
			{
				cutPair(job, h, g);
			}
		}
	}
}

// Pairs half-edges of one edge by the order around it: where material begins with where it ends.
static bool cutPairAround(brCutJob* job, int32_t a, int32_t b, const uint32_t* edges, int32_t count)
{
	brCutHalfPlane* planes = BR_ALLOC(&job->allocator, brCutHalfPlane, count);
	int32_t* stack = BR_ALLOC(&job->allocator, int32_t, count);
	bool isDone = planes != NULL && stack != NULL;
	int32_t open = 0;
	cutPairFlat(job, edges, count);
	if (!isDone)
	{
		brCut_FailMemory(job);
	}
	for (int32_t i = 0; i < count && isDone; ++i)
	{
		int32_t h = (int32_t)edges[i];
		if (job->twins[h] < 0)
		{
			bool isLeft = job->triangles[h / 3][h % 3] == a;
			planes[open++] = (brCutHalfPlane){.cell = h, .triangle = h / 3, .edge = h, .isLeft = isLeft};
		}
	}
	isDone = isDone && brCut_SortAround(job, a, b, planes, open) >= 0;
	if (isDone)
	{
		// Within a cluster the ends of material come first, so sheets that touch stay apart.
		for (int32_t i = 1; i < open; ++i)
		{
			for (int32_t j = i;
				 j > 0 && planes[j].cluster == planes[j - 1].cluster && planes[j].isLeft && !planes[j - 1].isLeft; --j)
			{
				brCutHalfPlane swap = planes[j];
				planes[j] = planes[j - 1], planes[j - 1] = swap;
			}
		}
		int32_t sum = 0, lowest = 0, start = 0;
		for (int32_t i = 0; i < open; ++i)
		{
			sum += planes[i].isLeft ? -1 : 1;
			if (sum < lowest)
			{
				lowest = sum, start = i + 1;
			}
		}
		int32_t depth = 0;
		for (int32_t i = 0; i < open; ++i)
		{
			const brCutHalfPlane* plane = &planes[(start + i) % open];
			if (!plane->isLeft)
			{
				stack[depth++] = plane->cell;
			}
			else if (depth > 0)
			{
				cutPair(job, stack[--depth], plane->cell);
			}
		}
	}
	BR_FREE(&job->allocator, planes, count);
	BR_FREE(&job->allocator, stack, count);
	return isDone;
}

// Half-edges [begin, end) of the sorted list all run along one edge.
static bool cutPairGroup(brCutJob* job, const uint32_t* edges, int32_t count, bool isSheet, int32_t* outOpen)
{
	int32_t first = (int32_t)edges[0];
	int32_t p = job->triangles[first / 3][first % 3], q = job->triangles[first / 3][(first % 3 + 1) % 3];
	int32_t a = p < q ? p : q, b = p < q ? q : p;
	int32_t balance = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		balance += job->triangles[edges[i] / 3][edges[i] % 3] == a ? 1 : -1;
	}
	if (balance != 0 && *outOpen < 0)
	{
		*outOpen = first;
	}
	if (count == 2 && balance == 0)
	{
		cutPair(job, (int32_t)edges[0], (int32_t)edges[1]);
		return true;
	}
	job->isTangled |= !isSheet;
	if (isSheet)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			job->flags[edges[i] / 3] |= br_cutNear;
		}
		return true;
	}
	// The mesh's own vertices may say who belongs together.
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t h = (int32_t)edges[i], found = -1, foundCount = 0;
		if (job->twins[h] >= 0)
		{
			continue;
		}
		for (int32_t j = 0; j < count; ++j)
		{
			int32_t g = (int32_t)edges[j];
			bool isOpposite = job->twins[g] < 0 && brCut_VertexOf(job, h, 0) == brCut_VertexOf(job, g, 1) &&
							  brCut_VertexOf(job, h, 1) == brCut_VertexOf(job, g, 0);
			bool isRival = j != i && brCut_VertexOf(job, h, 0) == brCut_VertexOf(job, g, 0) &&
						   brCut_VertexOf(job, h, 1) == brCut_VertexOf(job, g, 1);
			found = isOpposite ? g : found;
			foundCount += isOpposite + 2 * isRival;
		}
		if (foundCount == 1)
		{
			cutPair(job, h, found);
		}
	}
	return balance != 0 || cutPairAround(job, a, b, edges, count);
}

// Sorting half-edges

enum
{
	CUT_MAX_RUNS = 8,      // of triangles, counted apart
	CUT_PAIR_BLOCK = 2048, // vertices
	CUT_LARGE_VERTEX = 64, // half-edges
};

typedef struct CutPairing
{
	brCutJob* job;
	int32_t begin, end; // triangles
	int32_t runCount;
	int32_t* counts;    // [runCount][vertexCount] half-edges by lesser end, then where the next goes
	int32_t* starts;    // [vertexCount + 1] of each lesser end
	uint32_t* fars;     // [half-edges] greater end
	uint32_t* edges;    // [half-edges]
	int32_t* oddCounts; // [blocks] half-edges of edges that are not plain, moved to the front of the block
	atomic_bool isFull;
} CutPairing;

static void cutRunOf(const CutPairing* pairing, int32_t run, int32_t* begin, int32_t* end)
{
	int64_t count = pairing->end - pairing->begin;
	*begin = pairing->begin + (int32_t)(count * run / pairing->runCount);
	*end = pairing->begin + (int32_t)(count * (run + 1) / pairing->runCount);
}

static void cutCountEdges(int32_t first, int32_t last, int32_t worker, void* user)
{
	(void)worker;
	CutPairing* pairing = user;
	brCutJob* job = pairing->job;
	for (int32_t run = first; run < last; ++run)
	{
		int32_t begin, end;
		cutRunOf(pairing, run, &begin, &end);
		int32_t* counts = pairing->counts + (int64_t)run * job->vertexCount;
		for (int32_t t = begin; t < end; ++t)
		{
			const int32_t* v = job->triangles[t];
			counts[v[0] < v[1] ? v[0] : v[1]] += 1;
			counts[v[1] < v[2] ? v[1] : v[2]] += 1;
			counts[v[2] < v[0] ? v[2] : v[0]] += 1;
		}
	}
}

static void cutSpreadEdges(int32_t first, int32_t last, int32_t worker, void* user)
{
	(void)worker;
	CutPairing* pairing = user;
	brCutJob* job = pairing->job;
	for (int32_t run = first; run < last; ++run)
	{
		int32_t begin, end;
		cutRunOf(pairing, run, &begin, &end);
		int32_t* next = pairing->counts + (int64_t)run * job->vertexCount;
		for (int32_t t = begin; t < end; ++t)
		{
			const int32_t* v = job->triangles[t];
			for (int k = 0; k < 3; ++k)
			{
				int32_t p = v[k], q = v[k == 2 ? 0 : k + 1];
				int32_t at = next[p < q ? p : q]++;
				pairing->fars[at] = (uint32_t)(p < q ? q : p);
				pairing->edges[at] = (uint32_t)(3 * t + k);
				job->twins[3 * t + k] = -1;
			}
		}
	}
}

// By the greater end; equal ones stay in their order.
static bool cutSortVertex(const brCutJob* job, uint32_t* fars, uint32_t* edges, int32_t count)
{
	if (count > CUT_LARGE_VERTEX)
	{
		uint32_t* scratch = BR_ALLOC(&job->allocator, uint32_t, 2 * (int64_t)count);
		bool isDone =
			scratch != NULL && brSortPairs32(NULL, &job->allocator, fars, edges, scratch, scratch + count, count);
		BR_FREE(&job->allocator, scratch, 2 * (int64_t)count);
		return isDone;
	}
	for (int32_t i = 1; i < count; ++i)
	{
		uint32_t far = fars[i], edge = edges[i];
		int32_t j = i;
		for (; j > 0 && fars[j - 1] > far; --j)
		{
			fars[j] = fars[j - 1];
			edges[j] = edges[j - 1];
		}
		fars[j] = far;
		edges[j] = edge;
	}
	return true;
}

static void cutPairBlocks(int32_t first, int32_t last, int32_t worker, void* user)
{
	(void)worker;
	CutPairing* pairing = user;
	brCutJob* job = pairing->job;
	for (int32_t block = first; block < last; ++block)
	{
		int32_t v = block * CUT_PAIR_BLOCK;
		int32_t end = job->vertexCount - v < CUT_PAIR_BLOCK ? job->vertexCount : v + CUT_PAIR_BLOCK;
		int32_t kept = pairing->starts[v];
		for (; v < end; ++v)
		{
			int32_t start = pairing->starts[v], stop = pairing->starts[v + 1];
			if (!cutSortVertex(job, pairing->fars + start, pairing->edges + start, stop - start))
			{
				atomic_store_explicit(&pairing->isFull, true, memory_order_relaxed);
				return;
			}
			for (int32_t i = start, j = start; i < stop; i = j)
			{
				while (j < stop && pairing->fars[j] == pairing->fars[i])
				{
					j += 1;
				}
				int32_t g = (int32_t)pairing->edges[i], h = (int32_t)pairing->edges[j - 1];
				if (j - i == 2 && job->triangles[g / 3][g % 3] != job->triangles[h / 3][h % 3])
				{
					cutPair(job, g, h);
					continue;
				}
				for (int32_t k = i; k < j; ++k)
				{
					pairing->edges[kept] = pairing->edges[k];
					pairing->fars[kept++] = pairing->fars[k];
				}
			}
		}
		pairing->oddCounts[block] = kept - pairing->starts[block * CUT_PAIR_BLOCK];
	}
}

// Each run's half-edges at a vertex go behind those of the runs before it.
static void cutPlaceRuns(CutPairing* pairing)
{
	int32_t vertexCount = pairing->job->vertexCount, sum = 0;
	for (int32_t v = 0; v < vertexCount; ++v)
	{
		pairing->starts[v] = sum;
		for (int32_t run = 0; run < pairing->runCount; ++run)
		{
			int32_t* count = &pairing->counts[(int64_t)run * vertexCount + v];
			int32_t own = *count;
			*count = sum;
			sum += own;
		}
	}
	pairing->starts[vertexCount] = sum;
}

// Edges that are not plain, by lesser, then greater end.
static bool cutSettleOdd(CutPairing* pairing, int32_t blockCount, bool isSheet, int32_t* outOpen)
{
	brCutJob* job = pairing->job;
	for (int32_t block = 0; block < blockCount; ++block)
	{
		int32_t i = pairing->starts[block * CUT_PAIR_BLOCK], end = i + pairing->oddCounts[block];
		for (int32_t j = i; i < end; i = j)
		{
			int32_t h = (int32_t)pairing->edges[i];
			int32_t p = job->triangles[h / 3][h % 3], q = job->triangles[h / 3][(h % 3 + 1) % 3];
			int32_t lesser = p < q ? p : q;
			for (j = i; j < end && pairing->fars[j] == pairing->fars[i]; ++j)
			{
				int32_t g = (int32_t)pairing->edges[j];
				int32_t r = job->triangles[g / 3][g % 3], s = job->triangles[g / 3][(g % 3 + 1) % 3];
				if ((r < s ? r : s) != lesser)
				{
					break;
				}
			}
			if (!cutPairGroup(job, pairing->edges + i, j - i, isSheet, outOpen))
			{
				return false;
			}
		}
	}
	return true;
}

bool brCut_PairEdges(brCutJob* job, int32_t begin, int32_t end, bool isSheet, int32_t* outOpen)
{
	brWorkers* workers = brCut_Workers(job);
	int32_t workerCount = brWorkers_GetCount(workers);
	int64_t count = 3 * (int64_t)(end - begin);
	int32_t blockCount = (job->vertexCount + CUT_PAIR_BLOCK - 1) / CUT_PAIR_BLOCK;
	CutPairing pairing = {
		.job = job, .begin = begin, .end = end, .runCount = workerCount < CUT_MAX_RUNS ? workerCount : CUT_MAX_RUNS};
	*outOpen = -1;
	int64_t countCount = (int64_t)pairing.runCount * job->vertexCount;
	pairing.counts = BR_ALLOC_ZERO(&job->allocator, int32_t, countCount);
	pairing.starts = BR_ALLOC(&job->allocator, int32_t, (int64_t)job->vertexCount + 1);
	pairing.fars = BR_ALLOC(&job->allocator, uint32_t, count);
	pairing.edges = BR_ALLOC(&job->allocator, uint32_t, count);
	pairing.oddCounts = BR_ALLOC(&job->allocator, int32_t, blockCount);
	bool isDone = pairing.counts != NULL && pairing.starts != NULL && pairing.fars != NULL && pairing.edges != NULL &&
				  pairing.oddCounts != NULL;
	if (isDone)
	{
		brParallelFor(workers, pairing.runCount, 1, cutCountEdges, &pairing);
		cutPlaceRuns(&pairing);
		brParallelFor(workers, pairing.runCount, 1, cutSpreadEdges, &pairing);
		brParallelFor(workers, blockCount, 1, cutPairBlocks, &pairing);
		isDone = !pairing.isFull;
	}
	if (!isDone)
	{
		brCut_FailMemory(job);
	}
	isDone = isDone && cutSettleOdd(&pairing, blockCount, isSheet, outOpen);
	BR_FREE(&job->allocator, pairing.counts, countCount);
	BR_FREE(&job->allocator, pairing.starts, (int64_t)job->vertexCount + 1);
	BR_FREE(&job->allocator, pairing.fars, count);
	BR_FREE(&job->allocator, pairing.edges, count);
	BR_FREE(&job->allocator, pairing.oddCounts, blockCount);
	return isDone;
}
