// SPDX-License-Identifier: MIT
#include "base/array.h"
#include "harness.h"

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
