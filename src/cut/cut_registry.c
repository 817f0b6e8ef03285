// SPDX-License-Identifier: MIT

// Points and lines, each stored once. A point is looked up by what made it, then by its rounded place: equal points
// have equal bits however they were made, so a coincidence is found without a list of cases.

#include "base/hash.h"
#include "cut/cut_job.h"

#include <string.h>

static int64_t cutTableSlot(const brCutTable* table, uint64_t a, uint64_t b)
{
	uint64_t mask = (uint64_t)table->size - 1;
	uint64_t slot = brHash64(a + 0x9e3779b97f4a7c15u * brHash64(b)) & mask;
	while (table->values[slot] >= 0 && (table->keys[2 * slot] != a || table->keys[2 * slot + 1] != b))
	{
		slot = (slot + 1) & mask;
	}
	return (int64_t)slot;
}

int32_t brCutTable_Find(const brCutTable* table, uint64_t a, uint64_t b)
{
	return table->size > 0 ? table->values[cutTableSlot(table, a, b)] : -1;
}

static bool cutTableGrow(brCutTable* table, const brAllocator* allocator)
{
	int64_t size = table->size > 0 ? 2 * table->size : 1024;
	brCutTable bigger = {BR_ALLOC(allocator, uint64_t, 2 * size), BR_ALLOC(allocator, int32_t, size), size,
						 table->count};
	if (bigger.keys == NULL || bigger.values == NULL)
	{
		brCutTable_Free(&bigger, allocator);
		return false;
	}
	memset(bigger.values, 0xff, (size_t)size * sizeof(int32_t));
	for (int64_t i = 0; i < table->size; ++i)
	{
		if (table->values[i] >= 0)
		{
			int64_t slot = cutTableSlot(&bigger, table->keys[2 * i], table->keys[2 * i + 1]);
			bigger.keys[2 * slot] = table->keys[2 * i];
			bigger.keys[2 * slot + 1] = table->keys[2 * i + 1];
			bigger.values[slot] = table->values[i];
		}
	}
	brCutTable_Free(table, allocator);
	*table = bigger;
	return true;
}

bool brCutTable_Put(brCutTable* table, const brAllocator* allocator, uint64_t a, uint64_t b, int32_t value)
{
	if (2 * (table->count + 1) > table->size && !cutTableGrow(table, allocator))
	{
		return false;
	}
	int64_t slot = cutTableSlot(table, a, b);
	table->count += table->values[slot] < 0;
	table->keys[2 * slot] = a;
	table->keys[2 * slot + 1] = b;
	table->values[slot] = value;
	return true;
}

void brCutTable_Free(brCutTable* table, const brAllocator* allocator)
{
	BR_FREE(allocator, table->keys, 2 * table->size);
	BR_FREE(allocator, table->values, table->size);
	*table = (brCutTable){0};
}

static uint64_t cutPairKey(int32_t a, int32_t b)
{
	uint64_t lesser = (uint64_t)(uint32_t)(a < b ? a : b), greater = (uint64_t)(uint32_t)(a < b ? b : a);
	return lesser << 32 | greater;
}

// Makers in an order that does not depend on who asked, and their key. The kinds do not mix: an edge and a triangle
// number in the second word are told apart by its lowest bits.
static void cutNameKey(brCutPoint* point, int32_t triangle, uint64_t key[2])
{
	int32_t* m = point->makers;
	if (point->kind == br_cutPointLines)
	{
		uint64_t p = cutPairKey(m[0], m[1]), q = cutPairKey(m[2], m[3]);
		key[0] = p < q ? p : q;
		key[1] = p < q ? q : p;
		return;
	}
	if (point->kind == br_cutPointLinePlane)
	{
		key[0] = cutPairKey(m[0], m[1]);
		key[1] = (uint64_t)(uint32_t)triangle << 32 | 0xffffffffu;
		return;
	}
	for (int i = 0; i < 2; ++i)
	{
		for (int j = 0; j < 2 - i; ++j)
		{
			if (m[j] > m[j + 1])
			{
				int32_t swap = m[j];
				m[j] = m[j + 1], m[j + 1] = swap;
			}
		}
	}
	key[0] = (uint64_t)(uint32_t)m[0] << 32 | (uint32_t)m[1];
	key[1] = (uint64_t)(uint32_t)m[2] << 32 | 0xfffffffeu;
}

// The older point at the same place, or -1; appends to the chain of its rounded place otherwise.
static int32_t cutFindPlace(brCutJob* job, const brCutPoint* point, uint64_t key[2], int32_t* outFirst)
{
	uint64_t words[3];
	memcpy(words, &point->at, sizeof(words));
	key[0] = words[0] ^ brHash64(words[2]);
	key[1] = words[1];
	*outFirst = brCutTable_Find(&job->places, key[0], key[1]);
	for (int32_t i = *outFirst; i >= 0; i = job->placeNext.data[i])
	{
		if (brCutSpace_Equal(&job->space, &job->points.data[i], point))
		{
			return i;
		}
	}
	return -1;
}

bool brCut_EnterVertices(brCutJob* job, int32_t triangle)
{
	for (int k = 0; k < 3; ++k)
	{
		int32_t v = job->triangles[triangle][k];
		if (job->placeNext.data[v] != CUT_NOT_ENTERED)
		{
			continue;
		}
		uint64_t key[2];
		int32_t first;
		cutFindPlace(job, &job->points.data[v], key, &first);
		job->placeNext.data[v] = first;
		if (!brCutTable_Put(&job->places, &job->allocator, key[0], key[1], v))
		{
			return brCut_FailMemory(job);
		}
	}
	return true;
}

// A passage comes with its triangle; the plane's vertices go in here. `key` gets the name.
static void cutNamePoint(const brCutJob* job, brCutPoint* point, uint64_t key[2])
{
	int32_t triangle = -1;
	if (point->kind == br_cutPointLinePlane)
	{
		triangle = point->makers[4];
		const int32_t* v = job->triangles[triangle];
		point->makers[2] = v[0], point->makers[3] = v[1], point->makers[4] = v[2];
	}
	cutNameKey(point, triangle, key);
}

bool brCut_ExpectPoint(brCutJob* job, brCutPoint point)
{
	uint64_t name[2];
	cutNamePoint(job, &point, name);
	if (brCutTable_Find(&job->expectedNames, name[0], name[1]) >= 0)
	{
		return true;
	}
	return (brCutTable_Put(&job->expectedNames, &job->allocator, name[0], name[1], job->expected.count) &&
			BR_PUSH(&job->allocator, &job->expected, point)) ||
		   brCut_FailMemory(job);
}

static void cutPlaceBlock(int32_t begin, int32_t end, int32_t worker, void* user)
{
	brCutJob* views = user;
	for (int32_t i = begin; i < end; ++i)
	{
		brCutSpace_Place(&views[worker].space, &views[worker].expected.data[i]);
	}
}

bool brCut_PlaceExpected(brCutJob* job)
{
	brCutJob* views = brCut_OpenViews(job);
	if (views == NULL)
	{
		return false;
	}
	brParallelFor(brCut_Workers(job), job->expected.count, 64, cutPlaceBlock, views);
	return brCut_CloseViews(job, views);
}

void brCut_ForgetExpected(brCutJob* job)
{
	BR_FREE_ARRAY(&job->allocator, &job->expected);
	brCutTable_Free(&job->expectedNames, &job->allocator);
}

int32_t brCut_AddPoint(brCutJob* job, brCutPoint point)
{
	uint64_t name[2], place[2];
	cutNamePoint(job, &point, name);
	int32_t found = brCutTable_Find(&job->names, name[0], name[1]);
	if (found >= 0)
	{
		return found;
	}
	int32_t expected = brCutTable_Find(&job->expectedNames, name[0], name[1]);
	if (expected >= 0)
	{
		point.at = job->expected.data[expected].at;
	}
	else
	{
		brCutSpace_Place(&job->space, &point);
	}
	if (job->space.isFull)
	{
		brCut_Fail(job, br_errorLimit, -1, "the coordinates span too many magnitudes to be cut exactly");
		return -1;
	}
	int32_t first;
	int32_t id = cutFindPlace(job, &point, place, &first);
	if (id < 0)
	{
		id = job->points.count;
		if (!BR_PUSH(&job->allocator, &job->points, point) || !BR_PUSH(&job->allocator, &job->placeNext, first) ||
			!brCutTable_Put(&job->places, &job->allocator, place[0], place[1], id))
		{
			brCut_FailMemory(job);
			return -1;
		}
		job->space.points = job->points.data;
	}
	if (!brCutTable_Put(&job->names, &job->allocator, name[0], name[1], id))
	{
		brCut_FailMemory(job);
		return -1;
	}
	return id;
}

static int32_t cutAddLine(brCutJob* job, brCutLine line)
{
	if (!BR_PUSH(&job->allocator, &job->lines, line))
	{
		brCut_FailMemory(job);
		return -1;
	}
	return job->lines.count - 1;
}

int32_t brCut_FindEdgeLine(const brCutJob* job, int32_t a, int32_t b)
{
	return brCutTable_Find(&job->edgeLines, cutPairKey(a, b), 0);
}

int32_t brCut_EdgeLine(brCutJob* job, int32_t a, int32_t b)
{
	int32_t found = brCut_FindEdgeLine(job, a, b);
	if (found >= 0)
	{
		return found;
	}
	int32_t lesser = a < b ? a : b, greater = a < b ? b : a;
	int32_t line = cutAddLine(job, (brCutLine){{lesser, greater}, {-1, -1}, -1, 0, 0});
	if (line >= 0 && !brCutTable_Put(&job->edgeLines, &job->allocator, cutPairKey(a, b), 0, line))
	{
		brCut_FailMemory(job);
		return -1;
	}
	return line;
}

int32_t brCut_SegmentLine(brCutJob* job, int32_t a, int32_t b, int32_t t, int32_t u)
{
	return cutAddLine(job, (brCutLine){{a, b}, {t, u}, -1, 0, 0});
}

bool brCut_PutOnLine(brCutJob* job, int32_t line, int32_t point)
{
	brCutLine* l = &job->lines.data[line];
	if (point == l->ends[0] || point == l->ends[1])
	{
		return true;
	}
	for (int32_t row = l->firstRow; row >= 0; row = job->linePoints.data[row].next)
	{
		if (job->linePoints.data[row].point == point)
		{
			return true;
		}
	}
	if (!BR_PUSH(&job->allocator, &job->linePoints, ((brCutLinePoint){point, l->firstRow})))
	{
		return brCut_FailMemory(job);
	}
	l->firstRow = job->linePoints.count - 1;
	return true;
}
