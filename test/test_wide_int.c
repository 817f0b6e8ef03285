// SPDX-License-Identifier: MIT

// Numbers of two words against the compiler's own of 128 bits.

#include "base/wide_int.h"
#include "harness.h"

#include <string.h>

#if defined(__SIZEOF_INT128__) && !defined(BR_NO_INT128)

// Words at the ends of their range, near powers of two, and anything.
static uint64_t wideWord(brRandom* random)
{
	static const uint64_t ends[] = {0, 1, UINT64_MAX, (uint64_t)1 << 63, ((uint64_t)1 << 63) - 1, UINT32_MAX};
	uint64_t word = brRandom_Next(random);
	switch (brRandom_Below(random, 4))
	{
		case 0:
			return ends[brRandom_Below(random, 6)];
		case 1:
			return ((uint64_t)1 << brRandom_Below(random, 64)) + brRandom_Below(random, 5) - 2;
		case 2:
			return word >> brRandom_Below(random, 64);
		default:
			return word;
	}
}

BR_TEST(wide_two_words_are_one_number)
{
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < brTest_Rounds(test, 200000); ++i)
	{
		uint64_t a = wideWord(&random), b = wideWord(&random), c = wideWord(&random), d = wideWord(&random);
		brTwoWords product = brTwo_Multiply(a, b);
		brUint128 expected = (brUint128)a * b;
		CHECK(product.low == (uint64_t)expected && product.high == (uint64_t)(expected >> 64));
		brTwoWords x = {a, b}, y = {c, d}, sum = brTwo_Add(x, y), negative = brTwo_Negate(x);
		brInt128 n = brInt128_FromWords(x), m = brInt128_FromWords(y);
		expected = (brUint128)n + (brUint128)m;
		CHECK(sum.low == (uint64_t)expected && sum.high == (uint64_t)(expected >> 64));
		expected = 0 - (brUint128)n;
		CHECK(negative.low == (uint64_t)expected && negative.high == (uint64_t)(expected >> 64));
		CHECK(brTwo_Sign(x) == brInt128_Sign(n));
		double ours = brTwo_ToDouble(x), theirs = (double)n;
		CHECK_MESSAGE(memcmp(&ours, &theirs, sizeof(ours)) == 0, "%016llx%016llx", (unsigned long long)b,
					  (unsigned long long)a);
		brTwoWords mixed = brWide_MultiplySigned((int64_t)a, b >> 1);
		brInt128 whole = (brInt128)(int64_t)a * (int64_t)(b >> 1);
		CHECK(memcmp(&mixed, &(brTwoWords){brInt128_Words(whole).low, brInt128_Words(whole).high}, sizeof(mixed)) == 0);
	}
}

#endif
