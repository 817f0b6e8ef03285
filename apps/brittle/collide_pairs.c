// SPDX-License-Identifier: MIT
#include "collide_pairs.h"

#include "aside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool writePairs(FILE* file, const brPair* pairs, int64_t count, int64_t addA, int64_t addB)
{
	bool isGood = true;
	for (int64_t i = 0; i < count && isGood; ++i)
	{
		isGood = fprintf(file, "%lld,%lld\n", (long long)(pairs[i].a + addA), (long long)(pairs[i].b + addB)) > 0;
	}
	return isGood;
}

int comparePairs(const void* left, const void* right)
{
	const brPair *p = left, *q = right;
	return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

int writeSortedPairs(const CommandLine* line, const char* path, brPair* pairs, int64_t count)
{
	if (path == NULL)
	{
		return exit_done;
	}
	qsort(pairs, (size_t)count, sizeof(brPair), comparePairs);
	Aside aside;
	if (!openAside(&aside, path) ||
		!finishAside(&aside, fputs("a,b\n", aside.file) >= 0 && writePairs(aside.file, pairs, count, 0, 0)))
	{
		return failDataText(line, "%s cannot be written (%s)", path, strerror(errno));
	}
	return exit_done;
}

typedef struct MeasuredPair
{
	brPair pair;
	brPenetration penetration;
} MeasuredPair;

static int compareMeasured(const void* left, const void* right)
{
	return comparePairs(&((const MeasuredPair*)left)->pair, &((const MeasuredPair*)right)->pair);
}

int writeMeasuredPairs(const CommandLine* line, const char* path, const brCollision* collision)
{
	size_t count = (size_t)collision->pairCount;
	MeasuredPair* rows = malloc(count * sizeof(MeasuredPair) + 1);
	if (rows == NULL)
	{
		return failDataText(line, "%s: there is not enough memory", path);
	}
	for (size_t i = 0; i < count; ++i)
	{
		rows[i] = (MeasuredPair){collision->pairs[i], collision->penetrations[i]};
	}
	qsort(rows, count, sizeof(MeasuredPair), compareMeasured);
	Aside aside;
	bool isOpen = openAside(&aside, path);
	bool isGood = isOpen && fputs("a,b,depth,x,y,z\n", aside.file) >= 0;
	for (size_t i = 0; i < count && isGood; ++i)
	{
		brDVec3 d = rows[i].penetration.direction;
		isGood = fprintf(aside.file, "%d,%d,%.17g,%.17g,%.17g,%.17g\n", rows[i].pair.a, rows[i].pair.b,
						 rows[i].penetration.depth, d.x, d.y, d.z) > 0;
	}
	free(rows);
	if (!isOpen || !finishAside(&aside, isGood))
	{
		return failDataText(line, "%s cannot be written (%s)", path, strerror(errno));
	}
	return exit_done;
}

int writeSweep(const CommandLine* line, const char* path, const brSweptPairs* sweep)
{
	int64_t firstEdge = sweep->vertexCount, firstFace = firstEdge + sweep->edgeCount;
	if (path == NULL)
	{
		return exit_done;
	}
	qsort(sweep->vertexFaces, (size_t)sweep->vertexFaceCount, sizeof(brPair), comparePairs);
	qsort(sweep->edgeEdges, (size_t)sweep->edgeEdgeCount, sizeof(brPair), comparePairs);
	Aside aside;
	if (!openAside(&aside, path) ||
		!finishAside(&aside, fputs("a,b\n", aside.file) >= 0 &&
								 writePairs(aside.file, sweep->vertexFaces, sweep->vertexFaceCount, 0, firstFace) &&
								 writePairs(aside.file, sweep->edgeEdges, sweep->edgeEdgeCount, firstEdge, firstEdge)))
	{
		return failDataText(line, "%s cannot be written (%s)", path, strerror(errno));
	}
	return exit_done;
}
