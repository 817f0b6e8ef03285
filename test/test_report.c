// SPDX-License-Identifier: MIT
#include "base/report.h"
#include "harness.h"

#include <string.h>

static const brResult allResults[] = {
	br_success,   br_remarkDropped, br_remarkApproximate, br_errorMisuse, br_errorMemory,   br_errorCanceled,
	br_errorFile, br_errorFormat,   br_errorUnsupported,  br_errorLimit,  br_errorGeometry, br_errorUnavailable,
};

#define RESULT_COUNT (sizeof(allResults) / sizeof(allResults[0]))

BR_TEST(result_codes_have_names_and_sentences)
{
	for (size_t i = 0; i < RESULT_COUNT; ++i)
	{
		const char* name = brResult_GetName(allResults[i]);
		const char* sentence = brResult_Describe(allResults[i]);
		CHECK(strncmp(name, "br_", 3) == 0);
		CHECK(strlen(sentence) > 4 && sentence[strlen(sentence) - 1] == '.');
		for (size_t k = 0; k < i; ++k)
		{
			CHECK(strcmp(name, brResult_GetName(allResults[k])) != 0);
			CHECK(strcmp(sentence, brResult_Describe(allResults[k])) != 0);
		}
	}
	CHECK(strcmp(brResult_GetName(br_errorGeometry), "br_errorGeometry") == 0);

	// Nothing known beyond the list: a new code must be added there, and so gets its texts
	for (int code = -100; code <= 100; ++code)
	{
		bool isListed = false;
		for (size_t i = 0; i < RESULT_COUNT; ++i)
		{
			isListed = isListed || (int)allResults[i] == code;
		}
		CHECK((strcmp(brResult_GetName((brResult)code), "unknown") != 0) == isListed);
		CHECK(brResult_Describe((brResult)code) != NULL);
	}
}

BR_TEST(report_carries_code_element_and_sentence)
{
	brReport report;
	memset(&report, 0x5A, sizeof(report));
	CHECK_EQUAL(brFailAt(&report, br_errorFormat, 7, "face %d names vertex %d", 7, 12), br_errorFormat);
	CHECK(report.code == br_errorFormat && report.element == 7 && report.line == 0 && report.byte == 0);
	CHECK(strcmp(report.text, "face 7 names vertex 12") == 0);
	CHECK_EQUAL(brFail(&report, br_errorFile, "x"), br_errorFile);
	CHECK_EQUAL(report.element, -1);
	CHECK_EQUAL(brFailMemory(&report), br_errorMemory);
	CHECK(report.text[0] != 0);
	CHECK_EQUAL(brSucceed(&report), br_success);
	CHECK(report.text[0] == 0 && report.code == br_success && report.element == -1);
	CHECK_EQUAL(brFail(NULL, br_errorLimit, "nobody listens"), br_errorLimit);
	CHECK_EQUAL(brFailAt(NULL, br_errorLimit, 3, "nobody listens"), br_errorLimit);
	CHECK_EQUAL(brSucceed(NULL), br_success);
}

BR_TEST(report_is_one_line_of_utf8_whatever_it_quotes)
{
	static const char* const cases[][2] = {
		{"a\nb\tc\r\x1b[1m\x7f", "a b c  [1m "},
		{"gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x92\x8E", "gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x92\x8E"},
		{"\x80\xBF", "??"},           // no lead byte
		{"\xC3(", "?("},              // no second byte
		{"\xE2\x82", "??"},           // ends too early
		{"\xC0\xAF", "??"},           // longer than need be
		{"\xE0\x9F\xBF", "???"},      // likewise
		{"\xED\xA0\x80", "???"},      // surrogate
		{"\xF4\x90\x80\x80", "????"}, // beyond Unicode
		{"\xFF\xFE", "??"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		brReport report;
		brFail(&report, br_errorFormat, "%s", cases[i][0]);
		CHECK_MESSAGE(strcmp(report.text, cases[i][1]) == 0, "case %d gives %s", (int)i, report.text);
	}
}

BR_TEST(report_is_cut_on_a_whole_character)
{
	static const char* const characters[] = {"x", "\xC3\xBC", "\xE2\x82\xAC", "\xF0\x9F\x92\x8E"};
	for (size_t c = 0; c < 4; ++c)
	{
		for (size_t lead = 0; lead < 5; ++lead)
		{
			char text[2000] = {0};
			memset(text, '-', lead);
			size_t size = strlen(characters[c]);
			for (size_t at = lead; at + size < sizeof(text); at += size)
			{
				memcpy(text + at, characters[c], size);
			}
			brReport report;
			brFail(&report, br_errorFormat, "%s", text);
			size_t room = sizeof(report.text) - 1;
			size_t expected = lead + (room - lead) / size * size; // as many whole characters as fit
			CHECK_EQUAL((int64_t)strlen(report.text), (int64_t)expected);
			CHECK(memcmp(report.text, text, expected) == 0);
		}
	}
	char noise[1000];
	memset(noise, 0x80, sizeof(noise) - 1);
	noise[sizeof(noise) - 1] = 0;
	brReport report;
	brFail(&report, br_errorFormat, "%s", noise);
	CHECK_EQUAL((int64_t)strlen(report.text), (int64_t)sizeof(report.text) - 1);
}

typedef struct LogProbe
{
	char text[1024];
	int calls;
	brLogLevel level;
} LogProbe;

static void probeLog(brLogLevel level, const char* text, void* user)
{
	LogProbe* probe = user;
	probe->level = level;
	probe->calls += 1;
	strncpy(probe->text, text, sizeof(probe->text) - 1);
}

static bool probeCancel(double progress, void* user)
{
	*(double*)user = progress;
	return progress > 0.5;
}

BR_TEST(report_log_and_cancel_reach_the_host)
{
	LogProbe probe = {0};
	double progress = 0.0;
	brContext context = {.log = probeLog, .logUser = &probe, .cancel = probeCancel, .cancelUser = &progress};
	brLog(&context, br_logWarning, "dropped %d\nfaces", 3);
	CHECK(strcmp(probe.text, "dropped 3 faces") == 0 && probe.calls == 1 && probe.level == br_logWarning);
	char longText[2000];
	memset(longText, 'y', sizeof(longText) - 1);
	longText[sizeof(longText) - 1] = 0;
	brLog(&context, br_logInfo, "%s", longText);
	CHECK_EQUAL((int64_t)strlen(probe.text), 511);
	CHECK(!brIsCanceled(&context, 0.25) && progress == 0.25);
	CHECK(brIsCanceled(&context, 0.75));
	brLog(NULL, br_logInfo, "silence");
	brContext silent = {0};
	brLog(&silent, br_logInfo, "silence");
	CHECK(!brIsCanceled(NULL, 1.0) && !brIsCanceled(&silent, 1.0));
}
