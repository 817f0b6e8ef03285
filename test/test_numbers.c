// SPDX-License-Identifier: MIT

// Numbers to text and back. The oracle is the C library, which rounds correctly and prints every digit asked for; it is
// trusted in the plain locale only.

#include "harness.h"
#include "io/number.h"
#include "io/text.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t bitsOfDouble(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static double doubleOfBits(uint64_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static uint32_t bitsOfFloat(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static float floatOfBits(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static double scanDouble(const char* text)
{
	double value = -1.0;
	const char* end = text + strlen(text);
	CHECK_MESSAGE(brScanDouble(text, end, &value) == end, "%.80s is not read to its end", text);
	return value;
}

static float scanFloat(const char* text)
{
	float value = -1.0f;
	const char* end = text + strlen(text);
	CHECK_MESSAGE(brScanFloat(text, end, &value) == end, "%.80s is not read to its end", text);
	return value;
}

static void checkAgainstLibrary(const char* text)
{
	double expected = strtod(text, NULL);
	double actual = scanDouble(text);
	CHECK_MESSAGE(bitsOfDouble(actual) == bitsOfDouble(expected), "%.80s (%zu characters) reads as %a, not %a", text,
				  strlen(text), actual, expected);
#ifndef _WIN32 // mingw-w64's strtof is wrong for long texts below the normal numbers
	float expectedFloat = strtof(text, NULL);
	float actualFloat = scanFloat(text);
	CHECK_MESSAGE(bitsOfFloat(actualFloat) == bitsOfFloat(expectedFloat),
				  "%.80s (%zu characters) reads as float %a, not %a", text, strlen(text), (double)actualFloat,
				  (double)expectedFloat);
#endif
}

static uint64_t draw64(brRandom* random)
{
	uint64_t upper = brRandom_Next(random);
	return (upper << 32) | brRandom_Next(random);
}

BR_TEST(numbers_print_and_read_back_the_same_double)
{
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < brTest_Rounds(test, 2000000); ++i)
	{
		double value = doubleOfBits(draw64(&random));
		if (!isfinite(value))
		{
			continue;
		}
		char text[BR_NUMBER_CHARS];
		int32_t length = brPrintDouble(text, value);
		CHECK(length > 0 && length < BR_NUMBER_CHARS);
		text[length] = 0;
		CHECK_MESSAGE(bitsOfDouble(scanDouble(text)) == bitsOfDouble(value), "%a prints as %s", value, text);
	}
}

BR_TEST(numbers_print_and_read_back_the_same_float)
{
	// Every exponent with its neighbors, then bits at random.
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < brTest_Rounds(test, 2000000); ++i)
	{
		uint32_t bits =
			i < 256 * 64 ? (uint32_t)(i / 64) << 23 | (uint32_t)((i % 64 - 32) & 0x7FFFFF) : brRandom_Next(&random);
		float value = floatOfBits(bits);
		if (!isfinite(value))
		{
			continue;
		}
		char text[BR_NUMBER_CHARS];
		int32_t length = brPrintFloat(text, value);
		text[length] = 0;
		CHECK_MESSAGE(bitsOfFloat(scanFloat(text)) == bitsOfFloat(value), "%a prints as %s", (double)value, text);
	}
}

static int32_t countDigits(const char* text)
{
	// Significant ones: leading and trailing zeros do not count.
	char digits[64];
	int32_t count = 0;
	for (const char* at = text; *at != 0 && *at != 'e'; ++at)
	{
		if (*at >= '0' && *at <= '9' && (count > 0 || *at != '0'))
		{
			digits[count++] = *at;
		}
	}
	while (count > 0 && digits[count - 1] == '0')
	{
		count -= 1;
	}
	return count;
}

BR_TEST(numbers_print_no_digit_too_many)
{
	// Shortest: the library's rounding to one digit less must read back as another number. Closest: the library's
	// rounding to as many digits, which is the closest text of that length, must be ours when it reads back.
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < brTest_Rounds(test, 100000); ++i)
	{
		double value = i % 2 == 0 ? doubleOfBits(draw64(&random)) : brRandom_Range(&random, -100.0, 100.0);
		value = i % 4 == 1 ? (double)(float)value : value;
		if (!isfinite(value) || value == 0.0)
		{
			continue;
		}
		char text[BR_NUMBER_CHARS];
		text[brPrintDouble(text, value)] = 0;
		int32_t digits = countDigits(text);
		CHECK_MESSAGE(digits >= 1 && digits <= 17, "%a prints as %s", value, text);
		char other[64];
		if (digits > 1)
		{
			snprintf(other, sizeof(other), "%.*e", digits - 2, value);
			CHECK_MESSAGE(strtod(other, NULL) != value, "%s prints as %s", other, text);
		}
		snprintf(other, sizeof(other), "%.*e", digits - 1, value);
		CHECK_MESSAGE(strtod(other, NULL) != value || fabs(scanDouble(other) - scanDouble(text)) == 0.0,
					  "%s is closer than %s", other, text);

		float single = (float)value;
		if (!isfinite(single) || single == 0.0f)
		{
			continue;
		}
		text[brPrintFloat(text, single)] = 0;
		digits = countDigits(text);
		CHECK(digits >= 1 && digits <= 9);
		if (digits > 1)
		{
			snprintf(other, sizeof(other), "%.*e", digits - 2, (double)single);
			CHECK_MESSAGE(strtof(other, NULL) != single, "%s prints as %s", other, text);
		}
	}
}

BR_TEST(numbers_print_in_a_readable_form)
{
	static const struct
	{
		double value;
		const char* text;
	} cases[] = {
		{0.0, "0"},
		{-0.0, "-0"},
		{1.0, "1"},
		{-1.0, "-1"},
		{0.1, "0.1"},
		{-0.25, "-0.25"},
		{10.0, "10"},
		{100.0, "100"},
		{123456.789, "123456.789"},
		{0.001, "0.001"},
		{0.00001, "0.00001"},
		{0.000012345, "0.000012345"},
		{0.000001, "1e-6"},
		{1e16, "10000000000000000"},
		{1e17, "1e17"},
		{12345678901234568.0, "12345678901234568"},
		{1e22, "1e22"},
		{1.5e300, "1.5e300"},
		{5e-324, "5e-324"},
		{DBL_MIN, "2.2250738585072014e-308"},
		{DBL_MAX, "1.7976931348623157e308"},
		{9007199254740993.0, "9007199254740992"},
		{1.0 / 3.0, "0.3333333333333333"},
		{2.0 / 3.0, "0.6666666666666666"},
		{INFINITY, "inf"},
		{-INFINITY, "-inf"},
		{NAN, "nan"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		char text[BR_NUMBER_CHARS];
		text[brPrintDouble(text, cases[i].value)] = 0;
		CHECK_MESSAGE(strcmp(text, cases[i].text) == 0, "%a prints as %s, not %s", cases[i].value, text, cases[i].text);
	}
	char text[BR_NUMBER_CHARS];
	text[brPrintFloat(text, 0.1f)] = 0;
	CHECK(strcmp(text, "0.1") == 0);
	text[brPrintFloat(text, FLT_MAX)] = 0;
	CHECK(strcmp(text, "3.4028235e38") == 0);
	text[brPrintFloat(text, 1e-45f)] = 0;
	CHECK(strcmp(text, "1e-45") == 0);
	text[brPrintFloat(text, 16777216.0f)] = 0;
	CHECK(strcmp(text, "16777216") == 0);
}

BR_TEST(numbers_read_as_the_library_reads_them)
{
	static const char* const cases[] = {
		"0",
		"-0",
		"+1",
		"1.",
		".5",
		"-.5e1",
		"1e5",
		"1E+5",
		"1e-5",
		"00012.5000",
		"0.0",
		"0e999999999999",
		"1e400",
		"-1e400",
		"1e-400",
		"123456789012345678901234567890",
		"0.000000000000000000000000000000000000000001",
		// halves between neighbors, just below and just above
		"9007199254740993",
		"9007199254740992.999999999999999999999",
		"9007199254740993.00000000000000000001",
		"1.00000000000000011102230246251565404236316680908203125",
		"1.00000000000000011102230246251565404236316680908203124",
		"1.00000000000000011102230246251565404236316680908203126",
		"1.00000005960464477539062500",
		"1.00000005960464477539062501",
		"1.00000005960464477539062499",
		// famous trouble
		"2.2250738585072011e-308",
		"2.2250738585072012e-308",
		"2.2250738585072014e-308",
		"1.7976931348623158e308",
		"1.7976931348623159e308",
		"179769313486231580793728971405303415079934132710037826936173778980444968292764750946649"
		"01797758720709633028641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176"
		"4"
		"475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880",
		"6.631236846766476e-316",
		"3.237883913302901289588352412501532174863037669423108059901e-317",
		"7.2057594037927933e16",
		"8.589973e9",
		"3.4028235677973366e38",
		"3.4028235677973367e38",
		"1.17549435e-38",
		"7.0064923216240854e-46",
		"7.0064923216240853e-46",
		"4.9406564584124654e-324",
		"2.4703282292062327e-324",
		"2.4703282292062328e-324",
		"1448997445238699",
		"0.1e-6",
		"18446744073709551615",
		"18446744073709551616",
		"9223372036854775807e-10",
		"6929495644600919.5",
		"3.2378839133029012895883524125015321748e-317",
		"30078505129381147446200",
		"30078505129381147446201e0",
	};
	setlocale(LC_ALL, "C");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		checkAgainstLibrary(cases[i]);
	}

	// What is left standing behind the number
	static const struct
	{
		const char* text;
		int32_t used;
	} partial[] = {{"1e", 1},      {"1e+", 1},  {"1.5x", 3},     {"1..2", 2},    {"1e5.5", 3}, {"-inf,", 4},
				   {"nan(7)!", 6}, {"nan(", 3}, {"infinity", 8}, {"infinit", 3}, {"0x10", 1},  {"NaN", 3}};
	for (size_t i = 0; i < sizeof(partial) / sizeof(partial[0]); ++i)
	{
		double value;
		float single;
		const char* end = partial[i].text + strlen(partial[i].text);
		CHECK_EQUAL(brScanDouble(partial[i].text, end, &value) - partial[i].text, partial[i].used);
		CHECK_EQUAL(brScanFloat(partial[i].text, end, &single) - partial[i].text, partial[i].used);
	}
	static const char* const none[] = {"", "-", "+", ".", "-.", "e5", "in", "na", "--1", "+-1", "x"};
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); ++i)
	{
		double value = 7.0;
		CHECK(brScanDouble(none[i], none[i] + strlen(none[i]), &value) == NULL && value == 7.0);
	}
}

// Texts at and around the middle between two neighbors, with every digit written out: the hardest there are.
BR_TEST(numbers_read_halfway_cases_exactly)
{
	setlocale(LC_ALL, "C");
	brRandom random = brTest_Random(test);
	static char text[2048];
	int32_t denormals = 0;
	for (int32_t i = 0; i < brTest_Rounds(test, 12000); ++i)
	{
		uint64_t bits = draw64(&random) & INT64_MAX;
		if (i % 4 == 0)
		{
			bits &= ((uint64_t)1 << 53) - 1; // denormal or nearly
		}
		bits = i % 8 == 1 ? bits & ~(((uint64_t)1 << 52) - 1) : bits; // a power of two
		double value = doubleOfBits(bits);
		if (!isfinite(value) || bits == 0)
		{
			continue;
		}
		denormals += fpclassify(value) == FP_SUBNORMAL;

		// The middle above, exactly: a long double has the bits for it.
		long double middle = (long double)value + ((long double)nextafter(value, INFINITY) - value) / 2;
		if (i % 3 == 2)
		{
			float single =
				(float)brRandom_Range(&random, 0.0, 1.0) * ldexpf(1.0f, (int)brRandom_Below(&random, 200) - 140);
			middle = (long double)single + ((long double)nextafterf(single, INFINITY) - single) / 2;
		}
		int length = snprintf(text, sizeof(text), "%.1100Le", middle);
		CHECK(length > 0 && length < (int)sizeof(text) - 8);
		char* exponent = strchr(text, 'e');
		checkAgainstLibrary(text);

		// A last digit more, and one less than the last that is not zero.
		char kept = exponent[-1];
		exponent[-1] = '1';
		checkAgainstLibrary(text);
		exponent[-1] = kept;
		char* last = exponent - 1;
		while (*last == '0')
		{
			last -= 1;
		}
		if (*last != '.')
		{
			*last -= 1;
			checkAgainstLibrary(text);
			*last += 1;
		}

		// And cut short, where the answer hangs on the first digits.
		snprintf(text, sizeof(text), "%.*Le", (int)brRandom_Below(&random, 40), middle);
		checkAgainstLibrary(text);
	}
	CHECK(test->intensity < 0.1 || denormals > 100);
}

BR_TEST(numbers_read_random_texts_as_the_library)
{
	setlocale(LC_ALL, "C");
	brRandom random = brTest_Random(test);
	int32_t longTexts = 0;
	for (int32_t i = 0; i < brTest_Rounds(test, 300000); ++i)
	{
		char text[160];
		size_t used = 0;
		if (brRandom_Below(&random, 2) == 0)
		{
			text[used++] = '-';
		}
		uint32_t most = i % 16 == 0 ? 60 : 12;
		uint32_t whole = brRandom_Below(&random, most);
		uint32_t fraction = brRandom_Below(&random, most) + (whole == 0);
		longTexts += whole + fraction > 19;
		for (uint32_t d = 0; d < whole; ++d)
		{
			text[used++] = (char)('0' + brRandom_Below(&random, 10));
		}
		if (fraction > 0 || brRandom_Below(&random, 2) == 0)
		{
			text[used++] = '.';
		}
		for (uint32_t d = 0; d < fraction; ++d)
		{
			text[used++] = (char)('0' + brRandom_Below(&random, 10));
		}
		text[used] = 0;
		if (brRandom_Below(&random, 2) == 0)
		{
			int exponent = (int)brRandom_Below(&random, 700) - 350;
			snprintf(text + used, sizeof(text) - used, "e%d", i % 2 == 0 ? exponent : exponent / 8);
		}
		checkAgainstLibrary(text);
	}
	CHECK(test->intensity < 0.1 || longTexts > 1000);
}

BR_TEST(numbers_read_very_long_texts)
{
	setlocale(LC_ALL, "C");
	static char text[20010];
	memset(text, '0', 20000);
	text[0] = '1', text[20000] = 0;
	checkAgainstLibrary(text);
	memcpy(text + 19000, "e-18990", 8);
	checkAgainstLibrary(text);
	memset(text, '0', 20000);
	memcpy(text + 10000, ".0000000000", 11);
	memcpy(text + 19990, "15e9988", 8);
	checkAgainstLibrary(text);
	memset(text, '9', 20000);
	text[1] = '.', text[20000] = 0;
	checkAgainstLibrary(text);
}

// A locale with a decimal comma: one that is installed, or one made here from the library's sources.
static bool useCommaLocale(void)
{
	static const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ru_RU.UTF-8", "de_DE", "fr_FR"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
	{
		if (setlocale(LC_ALL, names[i]) != NULL && localeconv()->decimal_point[0] == ',')
		{
			return true;
		}
	}
#ifdef _WIN32
	return false;
#else
	char folder[300];
	char command[1024];
	snprintf(folder, sizeof(folder), "%s", brTest_ScratchPath("locale"));
	snprintf(command, sizeof(command),
			 "mkdir -p %s && localedef -c -i de_DE -f UTF-8 %s/de_DE.utf8 >/dev/null 2>&1; test -d %s/de_DE.utf8",
			 folder, folder, folder);
	if (system(command) != 0)
	{
		return false;
	}
	setenv("LOCPATH", folder, 1);
	return setlocale(LC_ALL, "de_DE.utf8") != NULL && localeconv()->decimal_point[0] == ',';
#endif
}

BR_TEST(numbers_do_not_follow_the_locale)
{
	if (!useCommaLocale())
	{
		brTest_Skip("there is no locale with a decimal comma");
	}
	char text[BR_NUMBER_CHARS];
	snprintf(text, sizeof(text), "%.1f", 0.5);
	CHECK(strcmp(text, "0,5") == 0); // the library does follow it
	CHECK(scanDouble("0.5") == 0.5 && scanFloat("1.25e2") == 125.0f);
	text[brPrintDouble(text, 0.5)] = 0;
	CHECK(strcmp(text, "0.5") == 0);
	text[brPrintFloat(text, -1234.5f)] = 0;
	CHECK(strcmp(text, "-1234.5") == 0);
}

BR_TEST(numbers_read_integers_that_fit)
{
	static const struct
	{
		const char* text;
		bool fits32, fits64;
		int64_t value;
	} cases[] = {
		{"0", true, true, 0},
		{"-0", true, true, 0},
		{"  +17", true, true, 17},
		{"\t-17", true, true, -17},
		{"2147483647", true, true, INT32_MAX},
		{"2147483648", false, true, 2147483648},
		{"-2147483648", true, true, INT32_MIN},
		{"-2147483649", false, true, -2147483649},
		{"9223372036854775807", false, true, INT64_MAX},
		{"9223372036854775808", false, false, 0},
		{"-9223372036854775808", false, true, INT64_MIN},
		{"-9223372036854775809", false, false, 0},
		{"99999999999999999999999", false, false, 0},
		{"0000000000000000000000007", true, true, 7},
		{"", false, false, 0},
		{"-", false, false, 0},
		{"\n5", false, false, 0},
		{"x", false, false, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		const char* text = cases[i].text;
		brTextCursor cursor = brMakeTextCursor(text, strlen(text));
		int32_t value32 = 99;
		CHECK_MESSAGE(brText_Int32(&cursor, &value32) == cases[i].fits32, "%s", text);
		CHECK_EQUAL(value32, cases[i].fits32 ? cases[i].value : 99);
		CHECK(cursor.at == (cases[i].fits32 ? cursor.end : text));
		cursor = brMakeTextCursor(text, strlen(text));
		int64_t value64 = 99;
		CHECK_MESSAGE(brText_Int64(&cursor, &value64) == cases[i].fits64, "%s", text);
		CHECK_EQUAL(value64, cases[i].fits64 ? cases[i].value : 99);
		CHECK(cursor.at == (cases[i].fits64 ? cursor.end : text));
	}
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < brTest_Rounds(test, 100000); ++i)
	{
		int64_t value = (int64_t)(draw64(&random) >> brRandom_Below(&random, 64));
		value = brRandom_Below(&random, 2) == 0 ? value : -value;
		char text[BR_NUMBER_CHARS];
		char expected[BR_NUMBER_CHARS];
		text[brPrintInt(text, value)] = 0;
		snprintf(expected, sizeof(expected), "%lld", (long long)value);
		CHECK_MESSAGE(strcmp(text, expected) == 0, "%s prints as %s", expected, text);
		brTextCursor cursor = brMakeTextCursor(text, strlen(text));
		int64_t again;
		CHECK(brText_Int64(&cursor, &again) && again == value);
	}
	char text[BR_NUMBER_CHARS];
	text[brPrintInt(text, INT64_MIN)] = 0;
	CHECK(strcmp(text, "-9223372036854775808") == 0);
}

// The way by eight characters at once against the way by one, whatever the length it expects and wherever the text ends.
BR_TEST(numbers_read_indices_of_any_length)
{
	static const char* const behind[] = {"", " ", "/", "\n", "\r\n", "x", ".5", ":", "\x80", " 12345678"};
	static const char* const before[] = {"", "-", "+", " ", "\t ", "0", "\n"};
	brRandom random = brTest_Random(test);
	int32_t lengths[11] = {0}, read = 0, refused = 0;
	for (int32_t i = 0; i < brTest_Rounds(test, 100000); ++i)
	{
		int32_t length = (int32_t)brRandom_Below(&random, 12), digits = (int32_t)brRandom_Below(&random, 9);
		char number[16] = {0}, text[48];
		for (int32_t k = 0; k < length; ++k)
		{
			number[k] = (char)('0' + brRandom_Below(&random, 10));
		}
		bool isPlain = brRandom_Below(&random, 2) == 0;
		snprintf(text, sizeof(text), "%s%s%s%s", isPlain ? "" : before[brRandom_Below(&random, 7)], number,
				 behind[brRandom_Below(&random, 10)], brRandom_Below(&random, 2) == 0 ? "        " : "");
		brTextCursor first = brMakeTextCursor(text, strlen(text)), second = first;
		int32_t value = 99, expected = 99;
		bool isRead = brText_Int32(&first, &expected);
		CHECK_MESSAGE(brText_Index(&second, &digits, &value) == isRead, "\"%s\"", text);
		CHECK_MESSAGE(value == expected && second.at == first.at, "\"%s\" reads as %d, not %d", text, value, expected);
		isRead ? ++read : ++refused;
		lengths[length < 11 ? length : 10] += isRead;
	}
	CHECK(read > 0 && refused > 0);
	for (int32_t k = 1; k <= 10; ++k)
	{
		CHECK_MESSAGE(lengths[k] > 0, "no number of %d digits was read", k);
	}
}

// The fast way over many words against one word after the other.
BR_TEST(text_skips_words_as_one_by_one)
{
	brRandom random = brTest_Random(test);
	int32_t returns = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 2000); ++round)
	{
		char text[301];
		int32_t length = (int32_t)brRandom_Below(&random, 300);
		uint32_t kinds = round % 2 == 0 ? 4 : 5; // with or without carriage returns
		for (int32_t i = 0; i < length; ++i)
		{
			char space = " \t\n \r"[brRandom_Below(&random, kinds)];
			text[i] = brRandom_Below(&random, 3) == 0 ? space : (char)('!' + brRandom_Below(&random, 200));
			returns += text[i] == '\r';
		}
		text[length] = 0;
		int64_t count = brRandom_Below(&random, 120);
		brTextCursor fast = brMakeTextCursor(text, (size_t)length);
		brTextCursor slow = fast;
		int64_t found = 0;
		const char* word;
		for (; found < count; ++found)
		{
			brText_SkipSpace(&slow, 0);
			if (brText_Word(&slow, &word) == 0)
			{
				break;
			}
		}
		CHECK(brText_SkipWords(&fast, count) == (found == count));
		CHECK_EQUAL(fast.line, slow.line);
		CHECK(fast.at == slow.at);
	}
	CHECK(returns > 0);
}

BR_TEST(text_cursor_walks_lines_of_all_kinds)
{
	const char* text = "one two\r\n\tthree # four\rfive\n\n#six\n seven";
	brTextCursor cursor = brMakeTextCursor(text, strlen(text));
	const char* word;
	CHECK(!brText_TakeWord(&cursor, "on") && brText_TakeWord(&cursor, "one"));
	brText_SkipBlanks(&cursor);
	CHECK(brText_Word(&cursor, &word) == 3 && memcmp(word, "two", 3) == 0);
	CHECK(brText_AtLineEnd(&cursor));
	brText_SkipSpace(&cursor, '#');
	CHECK_EQUAL(cursor.line, 2);
	CHECK(brText_TakeWord(&cursor, "three"));
	brText_SkipSpace(&cursor, '#');
	CHECK_EQUAL(cursor.line, 3);
	CHECK(brText_TakeWord(&cursor, "five"));
	brText_SkipSpace(&cursor, '#');
	CHECK_EQUAL(cursor.line, 6);
	CHECK(brText_TakeWord(&cursor, "seven"));
	brText_SkipSpace(&cursor, '#');
	CHECK(cursor.at == cursor.end && brText_Word(&cursor, &word) == 0);
	brText_NextLine(&cursor);
	CHECK(cursor.at == cursor.end);
}
