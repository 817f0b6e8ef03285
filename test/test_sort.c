// SPDX-License-Identifier: MIT
#include "base/memory.h"
#include "base/sort.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#define SORT_CAPACITY 400000

typedef struct SortPair
{
	uint64_t key;
	uint32_t value;
} SortPair;

typedef struct SortCase
{
	SortPair expected[SORT_CAPACITY];
	uint64_t keys64[SORT_CAPACITY], scratch64[SORT_CAPACITY];
	uint32_t keys32[SORT_CAPACITY], scratch32[SORT_CAPACITY];
	uint32_t values[SORT_CAPACITY], scratchValues[SORT_CAPACITY];
} SortCase;

static int compareSortPairs(const void* a, const void* b)
{
	const SortPair* x = a;
	const SortPair* y = b;
	return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->value > y->value) - (x->value < y->value);
}

// What keys look like: kinds 0 to 6. Values are positions, so equal keys out of order show.
static uint64_t drawKey(brRandom* random, int kind, int32_t i)
{
	uint64_t wide = (uint64_t)brRandom_Next(random) << 32 | brRandom_Next(random);
	switch (kind)
	{
		case 0:
			return wide;
		case 1:
			return wide & 0xff; // many equal
		case 2:
			return (uint64_t)i; // sorted
		case 3:
			return UINT64_MAX - (uint64_t)i; // falling
		case 4:
			return 0x1234567800000042u | (wide & 0xf00000); // one digit differs
		case 5:
			return 7; // all equal
		default:
			return (wide & 1) != 0 ? UINT64_MAX : 0;
	}
}

static void checkSort(brWorkers* workers, const brAllocator* allocator, SortCase* c, int32_t count, int kind,
					  brRandom* random)
{
	for (int wide = 0; wide < 2; ++wide)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			uint64_t key = drawKey(random, kind, i);
			c->keys64[i] = key;
			c->keys32[i] = (uint32_t)key;
			c->values[i] = (uint32_t)i;
			c->expected[i] = (SortPair){wide ? key : (uint32_t)key, (uint32_t)i};
		}
		qsort(c->expected, (size_t)count, sizeof(SortPair), compareSortPairs);
		bool sorted =
			wide ? brSortPairs64(workers, allocator, c->keys64, c->values, c->scratch64, c->scratchValues, count)
				 : brSortPairs32(workers, allocator, c->keys32, c->values, c->scratch32, c->scratchValues, count);
		CHECK(sorted);
		for (int32_t i = 0; i < count; ++i)
		{
			uint64_t key = wide ? c->keys64[i] : c->keys32[i];
			CHECK_MESSAGE(key == c->expected[i].key && c->values[i] == c->expected[i].value,
						  "%d workers, %d %d-bit keys of kind %d: element %d", brWorkers_GetCount(workers), count,
						  wide ? 64 : 32, kind, i);
		}

		// The same keys alone, shuffled by the payload sort's scratch
		for (int32_t i = 0; i < count; ++i)
		{
			int32_t j = (int32_t)brRandom_Below(random, (uint32_t)i + 1);
			c->keys64[i] = c->keys64[j], c->keys64[j] = c->expected[i].key;
			c->keys32[i] = c->keys32[j], c->keys32[j] = (uint32_t)c->expected[i].key;
		}
		sorted = wide ? brSortKeys64(workers, allocator, c->keys64, c->scratch64, count)
					  : brSortKeys32(workers, allocator, c->keys32, c->scratch32, count);
		CHECK(sorted);
		for (int32_t i = 0; i < count; ++i)
		{
			CHECK((wide ? c->keys64[i] : c->keys32[i]) == c->expected[i].key);
		}
	}
}

BR_TEST(sort_agrees_with_qsort_at_every_size_class)
{
	static const int32_t sizes[] = {0, 1, 2, 3, 47, 48, 49, 50, 255, 256, 257, 1000, 2999, 3000, 5000, 20000};
	SortCase* c = malloc(sizeof(SortCase));
	brAllocator allocator = brContext_Allocator(NULL);
	brRandom random = brTest_Random(test);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); ++s)
	{
		for (int kind = 0; kind < 7; ++kind)
		{
			checkSort(NULL, &allocator, c, sizes[s], kind, &random);
		}
	}
	free(c);
}

BR_TEST(sort_gives_the_same_for_any_number_of_workers)
{
	static const int32_t sizes[] = {99999, 100000, 130001, SORT_CAPACITY};
	static const int32_t teams[] = {1, 2, 3, 5};
	SortCase* c = malloc(sizeof(SortCase));
	brAllocator allocator = brContext_Allocator(NULL);
	brRandom random = brTest_Random(test);
	for (size_t t = 0; t < sizeof(teams) / sizeof(teams[0]); ++t)
	{
		brWorkers* workers = brTest_Workers(teams[t]);
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); ++s)
		{
			int kinds = test->intensity < 1.0 ? 1 : 2;
			for (int k = 0; k < kinds; ++k)
			{
				checkSort(workers, &allocator, c, sizes[s], (int)((s + 3 * (size_t)k + t) % 7), &random);
			}
		}
		checkSort(workers, &allocator, c, 120000, 0, &random);
		brDestroyWorkers(workers);
	}
	free(c);
}

typedef struct SortFault
{
	brWorkers* workers;
	int32_t count;
	SortCase* arrays;
} SortFault;

static brResult sortOnce(const brContext* context, void* user)
{
	SortFault* fault = user;
	for (int32_t i = 0; i < fault->count; ++i)
	{
		fault->arrays->keys64[i] = (uint64_t)(fault->count - i);
		fault->arrays->values[i] = (uint32_t)i;
	}
	bool sorted = brSortPairs64(fault->workers, context->allocator, fault->arrays->keys64, fault->arrays->values,
								fault->arrays->scratch64, fault->arrays->scratchValues, fault->count);
	return sorted ? br_success : br_errorMemory;
}

BR_TEST(sort_survives_a_refusing_allocator)
{
	SortFault fault = {NULL, 1000, malloc(sizeof(SortCase))};
	CHECK_EQUAL(brTest_WalkAllocations(sortOnce, &fault), 1);
	fault.count = 10;
	CHECK_EQUAL(brTest_WalkAllocations(sortOnce, &fault), 0);
	fault.workers = brTest_Workers(2);
	fault.count = 200000;
	CHECK_EQUAL(brTest_WalkAllocations(sortOnce, &fault), 1);
	brDestroyWorkers(fault.workers);
	free(fault.arrays);
}

// Hoare's selection as it is printed.
static void selectPlainly(uint64_t* keys, int32_t count, int32_t rank)
{
	int32_t lower = 0, upper = count - 1;
	while (lower < upper)
	{
		uint64_t pivot = keys[lower + (upper - lower) / 2];
		int32_t i = lower, j = upper;
		while (i <= j)
		{
			for (; keys[i] < pivot; ++i)
			{
			}
			for (; keys[j] > pivot; --j)
			{
			}
			if (i <= j)
			{
				uint64_t swap = keys[i];
				keys[i++] = keys[j], keys[j--] = swap;
			}
		}
		lower = rank > j ? i : lower;
		upper = rank < i ? j : upper;
		if (rank > j && rank < i)
		{
			return;
		}
	}
}

BR_TEST(sort_select_puts_the_smallest_in_front)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 600); ++round)
	{
		uint64_t keys[900], plain[900]; // both ends take several blocks
		int32_t count = 1 + (int32_t)brRandom_Below(&random, round % 2 == 0 ? 70 : 900),
				rank = (int32_t)brRandom_Below(&random, (uint32_t)count);
		for (int32_t i = 0; i < count; ++i)
		{
			uint32_t value = round % 3 == 0 ? (uint32_t)i : brRandom_Below(&random, 1000); // in order, or not
			keys[i] = (uint64_t)value << 32 | (uint32_t)i;                                 // distinct
		}
		memcpy(plain, keys, sizeof(keys[0]) * (size_t)count);
		selectPlainly(plain, count, rank);
		uint64_t key = brSelectKeys64(keys, count, rank);
		CHECK(key == keys[rank]);
		CHECK(memcmp(plain, keys, sizeof(keys[0]) * (size_t)count) == 0);
		for (int32_t i = 0; i < count; ++i)
		{
			CHECK(i < rank ? keys[i] < key : i > rank ? keys[i] > key : keys[i] == key);
		}
	}
}
