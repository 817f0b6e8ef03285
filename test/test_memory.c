// SPDX-License-Identifier: MIT
#include "base/array.h"
#include "harness.h"

#include <string.h>

BR_TEST(memory_sizes_never_wrap)
{
	CHECK(brCheckedBytes(0, 8) == 0);
	CHECK(brCheckedBytes(3, 8) == 24);
	CHECK(brCheckedBytes(-1, 8) == SIZE_MAX);
	CHECK(brCheckedBytes(INT64_MIN, 1) == SIZE_MAX);
	CHECK(brCheckedBytes(PTRDIFF_MAX, 2) == SIZE_MAX - 1);
	CHECK(brCheckedBytes(PTRDIFF_MAX, 3) == SIZE_MAX);
	CHECK(brCheckedBytes((int64_t)1 << 61, 8) == SIZE_MAX); // would be 0
	CHECK(brCheckedBytes(((int64_t)1 << 61) + 1, 8) == SIZE_MAX);
	brAllocator allocator = brContext_Allocator(NULL);
	CHECK(brAlloc(&allocator, SIZE_MAX) == NULL);
	CHECK(brAlloc(&allocator, (size_t)PTRDIFF_MAX + 1) == NULL);
	CHECK(BR_ALLOC(&allocator, int64_t, INT64_MAX) == NULL);
	CHECK(BR_ALLOC_ZERO(&allocator, int64_t, -5) == NULL);
	CHECK(BR_ALLOC(&allocator, int64_t, (int64_t)1 << 61) == NULL);
}

BR_TEST(memory_is_aligned_zeroed_and_may_be_empty)
{
	brTestAllocator counting;
	brTestAllocator_Init(&counting);
	for (int64_t count = 0; count < 200; count += 13)
	{
		int32_t* zeros = BR_ALLOC_ZERO(&counting.allocator, int32_t, count);
		CHECK(zeros != NULL && (uintptr_t)zeros % BR_ALIGNMENT == 0);
		for (int64_t i = 0; i < count; ++i)
		{
			CHECK_EQUAL(zeros[i], 0);
		}
		BR_FREE(&counting.allocator, zeros, count);
	}
	brFree(&counting.allocator, NULL, 12);
	CHECK_EQUAL(counting.liveBlocks, 0);
	brTestAllocator_Destroy(&counting);

	brAllocator normal = brContext_Allocator(NULL);
	void* nothing = brAlloc(&normal, 0);
	CHECK(nothing != NULL);
	brFree(&normal, nothing, 0);
	brContext context = {.allocator = &counting.allocator};
	CHECK(brContext_Allocator(&context).user == counting.allocator.user);
}

BR_TEST(array_grows_and_keeps_its_values)
{
	brAllocator allocator = brContext_Allocator(NULL);
	BR_ARRAY(int32_t) values = {0};
	for (int32_t i = 0; i < 1000; ++i)
	{
		CHECK(BR_PUSH(&allocator, &values, i * i));
	}
	for (int32_t i = 0; i < 1000; ++i)
	{
		CHECK_EQUAL(values.data[i], i * i);
	}
	BR_FREE_ARRAY(&allocator, &values);
	CHECK(values.data == NULL);
}

BR_TEST(array_that_cannot_grow_stays_as_it_was)
{
	brTestAllocator counting;
	brTestAllocator_Init(&counting);
	BR_ARRAY(int32_t) values = {0};
	for (int32_t i = 0; i < 16; ++i)
	{
		CHECK(BR_PUSH(&counting.allocator, &values, i));
	}
	CHECK_EQUAL(counting.allocations, 1);
	counting.failAt = 1;
	CHECK(!BR_PUSH(&counting.allocator, &values, 99));
	CHECK(values.count == 16 && values.capacity == 16 && values.data[15] == 15);
	CHECK(
		!BR_RESERVE(&counting.allocator, &values, (int64_t)INT32_MAX)); // more than a count can say: not even asked for
	CHECK_EQUAL(counting.allocations, 2);
	CHECK(BR_PUSH(&counting.allocator, &values, 99) && values.data[16] == 99);
	CHECK(BR_RESERVE(&counting.allocator, &values, 1000) && values.capacity >= 1017);
	BR_FREE_ARRAY(&counting.allocator, &values);
	CHECK_EQUAL(counting.liveBlocks, 0);
	brTestAllocator_Destroy(&counting);
}

BR_TEST(array_hands_over_exactly_what_it_holds)
{
	brTestAllocator counting;
	brTestAllocator_Init(&counting);
	for (int32_t count = 0; count < 40; ++count) // 16 and 24 are capacities as they are
	{
		BR_ARRAY(int16_t) values = {0};
		CHECK(BR_RESERVE(&counting.allocator, &values, 1));
		for (int32_t i = 0; i < count; ++i)
		{
			CHECK(BR_PUSH(&counting.allocator, &values, (int16_t)(i + 7)));
		}
		int64_t before = counting.allocations;
		int16_t* taken = BR_TAKE(&counting.allocator, &values);
		CHECK(values.data == NULL && values.count == 0 && values.capacity == 0);
		CHECK((taken == NULL) == (count == 0));
		CHECK(counting.allocations - before == (count != 0 && count != 16 && count != 24 && count != 36));
		for (int32_t i = 0; i < count; ++i)
		{
			CHECK_EQUAL(taken[i], i + 7);
		}
		BR_FREE(&counting.allocator, taken, count); // the allocator checks the size
		CHECK_EQUAL(counting.liveBlocks, 0);
	}
	brTestAllocator_Destroy(&counting);
}

static brResult pushAndTake(const brContext* context, void* user)
{
	(void)user;
	BR_ARRAY(double) values = {0};
	for (int32_t i = 0; i < 100; ++i)
	{
		if (!BR_PUSH(context->allocator, &values, i))
		{
			BR_FREE_ARRAY(context->allocator, &values);
			return br_errorMemory;
		}
	}
	double* taken = BR_TAKE(context->allocator, &values);
	if (taken == NULL)
	{
		CHECK(values.count == 100 && values.data[99] == 99.0); // still the array's
		BR_FREE_ARRAY(context->allocator, &values);
		return br_errorMemory;
	}
	BR_FREE(context->allocator, taken, 100);
	return br_success;
}

BR_TEST(array_survives_every_failing_allocation)
{
	CHECK_EQUAL(brTest_WalkAllocations(pushAndTake, NULL), 7); // 16 24 36 54 81 121, then the exact copy
}

BR_TEST(arena_blocks_are_apart_and_aligned)
{
	brTestAllocator counting;
	brTestAllocator_Init(&counting);
	brArena arena;
	brArena_Init(&arena, &counting.allocator);
	brRandom random = brTest_Random(test);
	unsigned char* blocks[300];
	size_t sizes[300];
	for (int i = 0; i < 300; ++i)
	{
		sizes[i] = brRandom_Below(&random, i % 50 == 0 ? 20000 : 200);
		blocks[i] = brArena_Alloc(&arena, sizes[i]);
		CHECK(blocks[i] != NULL && (uintptr_t)blocks[i] % 16 == 0);
		memset(blocks[i], i & 255, sizes[i]);
	}
	for (int i = 0; i < 300; ++i)
	{
		for (size_t k = 0; k < sizes[i]; ++k)
		{
			CHECK_EQUAL(blocks[i][k], i & 255);
		}
	}
	CHECK(brArena_Alloc(&arena, SIZE_MAX) == NULL);
	CHECK(brArena_Alloc(&arena, SIZE_MAX - 20) == NULL);
	CHECK(brArena_AllocArray(&arena, INT64_MAX, 16) == NULL);
	CHECK(brArena_AllocArray(&arena, -1, 16) == NULL);
	CHECK(brArena_AllocArray(&arena, 10, 16) != NULL);
	brArena_Destroy(&arena);
	CHECK_EQUAL(counting.liveBlocks, 0);
	brArena_Destroy(&arena); // and again
	brTestAllocator_Destroy(&counting);
}

static brResult useArena(const brContext* context, void* user)
{
	(void)user;
	brArena arena;
	brArena_Init(&arena, context->allocator);
	brResult result = br_success;
	for (int i = 0; i < 100; ++i)
	{
		char* block = brArena_Alloc(&arena, 500);
		if (block == NULL)
		{
			result = br_errorMemory;
			continue; // the next block may well succeed: the arena goes on
		}
		memset(block, 1, 500);
	}
	brArena_Destroy(&arena);
	return result;
}

BR_TEST(arena_survives_every_failing_allocation)
{
	CHECK(brTest_WalkAllocations(useArena, NULL) > 3);
}
