// SPDX-License-Identifier: MIT

// Sorting: ours on one and two workers against glibc's qsort and against the plainest radix sort one would write
// instead.

#include "bench.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct SortBench
{
	brAllocator allocator;
	brWorkers* workers;
	int32_t count;
	int32_t capacity;
	bool hasWideKeys;
	uint64_t* source; // [capacity] random
	uint64_t* keys64;
	uint64_t* scratch64;
	uint32_t* keys32;
	uint32_t* scratch32;
	uint32_t* values;
	uint32_t* scratchValues;
	struct SortRecord* records;
} SortBench;

typedef struct SortRecord
{
	uint64_t key;
	uint32_t value;
} SortRecord;

static void fillKeys(SortBench* data)
{
	for (int32_t i = 0; i < data->count; ++i)
	{
		data->keys32[i] = (uint32_t)data->source[i];
		data->keys64[i] = data->source[i];
		data->values[i] = (uint32_t)i;
	}
}

static void sortOurs(SortBench* data)
{
	bool sorted = data->hasWideKeys ? brSortPairs64(data->workers, &data->allocator, data->keys64, data->values,
													data->scratch64, data->scratchValues, data->count)
									: brSortPairs32(data->workers, &data->allocator, data->keys32, data->values,
													data->scratch32, data->scratchValues, data->count);
	if (!sorted)
	{
		brBench_Fail("sorting %d keys: no memory", data->count);
	}
}

// Eight bits a pass, counts taken before each pass, no special cases.
static void sortSimple32(SortBench* data)
{
	uint32_t *keys = data->keys32, *keysTo = data->scratch32, *values = data->values, *valuesTo = data->scratchValues;
	for (int shift = 0; shift < 32; shift += 8)
	{
		uint32_t next[257] = {0};
		for (int32_t i = 0; i < data->count; ++i)
		{
			next[(keys[i] >> shift & 255) + 1] += 1;
		}
		for (int d = 0; d < 256; ++d)
		{
			next[d + 1] += next[d];
		}
		for (int32_t i = 0; i < data->count; ++i)
		{
			uint32_t place = next[keys[i] >> shift & 255]++;
			keysTo[place] = keys[i];
			valuesTo[place] = values[i];
		}
		uint32_t* other = keys;
		keys = keysTo, keysTo = other;
		other = values, values = valuesTo, valuesTo = other;
	}
}

static void sortSimple64(SortBench* data)
{
	uint64_t *keys = data->keys64, *keysTo = data->scratch64;
	uint32_t *values = data->values, *valuesTo = data->scratchValues;
	for (int shift = 0; shift < 64; shift += 8)
	{
		uint32_t next[257] = {0};
		for (int32_t i = 0; i < data->count; ++i)
		{
			next[(keys[i] >> shift & 255) + 1] += 1;
		}
		for (int d = 0; d < 256; ++d)
		{
			next[d + 1] += next[d];
		}
		for (int32_t i = 0; i < data->count; ++i)
		{
			uint32_t place = next[keys[i] >> shift & 255]++;
			keysTo[place] = keys[i];
			valuesTo[place] = values[i];
		}
		uint64_t* otherKeys = keys;
		keys = keysTo, keysTo = otherKeys;
		uint32_t* other = values;
		values = valuesTo, valuesTo = other;
	}
}

static void sortSimple(SortBench* data)
{
	data->hasWideKeys ? sortSimple64(data) : sortSimple32(data);
}

static int compareRecords(const void* a, const void* b)
{
	const SortRecord* x = a;
	const SortRecord* y = b;
	return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->value > y->value) - (x->value < y->value);
}

static void sortLibrary(SortBench* data)
{
	for (int32_t i = 0; i < data->count; ++i)
	{
		data->records[i] = (SortRecord){data->hasWideKeys ? data->keys64[i] : data->keys32[i], data->values[i]};
	}
	qsort(data->records, (size_t)data->count, sizeof(SortRecord), compareRecords);
}

// Median of the sort alone: the keys are put back outside the clock. Small sizes are repeated within one reading.
static double timeSort(SortBench* data, void (*sort)(SortBench* data), int32_t runs)
{
	double times[32];
	int32_t repeats = data->count < 200000 ? 200000 / data->count : 1;
	for (int32_t run = -1; run < runs; ++run)
	{
		int64_t spent = 0;
		for (int32_t i = 0; i < repeats; ++i)
		{
			fillKeys(data);
			int64_t start = brClockNanoseconds();
			sort(data);
			spent += brClockNanoseconds() - start;
		}
		times[run < 0 ? 0 : run] = 1e-9 * (double)spent / repeats;
	}
	return brBench_MedianOf(times, runs);
}

static void checkSort(SortBench* data)
{
	fillKeys(data);
	sortLibrary(data);
	sortOurs(data);
	for (int32_t i = 0; i < data->count; ++i)
	{
		uint64_t key = data->hasWideKeys ? data->keys64[i] : data->keys32[i];
		if (key != data->records[i].key || data->values[i] != data->records[i].value)
		{
			brBench_Fail("sorting %d keys: element %d differs from qsort", data->count, i);
		}
	}
}

static void reportSize(brBench* bench, SortBench* data, int32_t count, brWorkers* pair)
{
	char name[96];
	int bits = data->hasWideKeys ? 64 : 32;
	snprintf(name, sizeof(name), "%d-bit pairs %d,", bits, count);
	if (!brBench_Wants(bench, name))
	{
		return; // the sizes are what takes time
	}
	int32_t runs = count > 2000000 ? 5 : 9;
	data->count = count;
	double rates[2];
	for (int workers = 1; workers <= 2; ++workers)
	{
		data->workers = workers == 2 ? pair : NULL;
		checkSort(data);
		rates[workers - 1] = 1e-6 * count / timeSort(data, sortOurs, runs);
	}
	double simple = 1e-6 * count / timeSort(data, sortSimple, runs);
	double library = 1e-6 * count / timeSort(data, sortLibrary, count > 2000000 ? 1 : 3);
	snprintf(name, sizeof(name), "%d-bit pairs %d, 1 worker, to plain radix", bits, count);
	brBench_Row(bench, name, rates[0], simple, "Mkeys/s");
	snprintf(name, sizeof(name), "%d-bit pairs %d, 1 worker, to qsort", bits, count);
	brBench_Row(bench, name, rates[0], library, "Mkeys/s");
	snprintf(name, sizeof(name), "%d-bit pairs %d, 2 workers, to 1 worker", bits, count);
	brBench_Row(bench, name, rates[1], rates[0], "Mkeys/s");
}

BR_BENCH(sort)
{
	static const int32_t sizes[] = {1000, 10000, 100000, 1000000, 4000000, 16000000};
	SortBench data = {.allocator = brContext_Allocator(NULL), .capacity = 16000000};
	size_t words = (size_t)data.capacity;
	data.source = malloc(8 * words);
	data.keys64 = malloc(8 * words);
	data.scratch64 = malloc(8 * words);
	data.keys32 = malloc(4 * words);
	data.scratch32 = malloc(4 * words);
	data.values = malloc(4 * words);
	data.scratchValues = malloc(4 * words);
	data.records = malloc(sizeof(SortRecord) * words);
	if (!data.source || !data.keys64 || !data.scratch64 || !data.keys32 || !data.scratch32 || !data.values ||
		!data.scratchValues || !data.records)
	{
		brBench_Fail("no memory for %d keys", data.capacity);
	}
	brRandom random = brMakeRandom(1, 0);
	for (int32_t i = 0; i < data.capacity; ++i)
	{
		data.source[i] = (uint64_t)brRandom_Next(&random) << 32 | brRandom_Next(&random);
	}
	brWorkersDef def = brDefaultWorkersDef();
	def.workerCount = 2;
	brWorkers* pair = brCreateWorkers(&def);
	for (int wide = 0; wide < 2; ++wide)
	{
		data.hasWideKeys = wide == 1;
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i)
		{
			reportSize(bench, &data, sizes[i], pair);
		}
	}
	brDestroyWorkers(pair);
	free(data.source);
	free(data.keys64);
	free(data.scratch64);
	free(data.keys32);
	free(data.scratch32);
	free(data.values);
	free(data.scratchValues);
	free(data.records);
}
