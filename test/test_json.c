// SPDX-License-Identifier: MIT
#include "base/memory.h"
#include "harness.h"
#include "io/json.h"

#include <stdlib.h>
#include <string.h>

static brArena s_arena;

static brResult jsonOf(const char* text, const brJson** outRoot, brReport* report)
{
	static bool isMade;
	if (isMade)
	{
		brArena_Destroy(&s_arena);
	}
	brAllocator allocator = brContext_Allocator(NULL);
	brArena_Init(&s_arena, &allocator);
	isMade = true;
	return brJson_Parse(&s_arena, text, strlen(text), outRoot, report);
}

BR_TEST(json_reads_values_of_every_kind)
{
	const brJson* root = NULL;
	brReport report = {0};
	CHECK_RESULT(
		jsonOf(" {\"a\": [1, -2.5e3, true, false, null, \"x\\n\\u00e9\\ud83d\\ude00\\\"\"],\n \"b\": {}, \"c\": []} ",
			   &root, &report),
		&report);
	CHECK(root->kind == br_jsonObject && root->count == 3);
	const brJson* a = brJson_Get(root, "a");
	CHECK(a != NULL && a->kind == br_jsonArray && a->count == 6);
	CHECK(brJson_At(a, 0)->number == 1.0 && brJson_At(a, 1)->number == -2500.0);
	CHECK(brJson_At(a, 2)->kind == br_jsonTrue && brJson_At(a, 3)->kind == br_jsonFalse);
	CHECK(brJson_At(a, 4)->kind == br_jsonNull && brJson_At(a, 6) == NULL);
	CHECK(strcmp(brJson_At(a, 5)->text, "x\n\xC3\xA9\xF0\x9F\x98\x80\"") == 0);
	CHECK(brJson_Get(root, "b")->line == 2 && brJson_Get(root, "b")->child == NULL);
	CHECK(brJson_Get(root, "c")->count == 0 && brJson_Get(root, "d") == NULL && brJson_Get(NULL, "d") == NULL);
}

BR_TEST(json_refuses_with_a_place)
{
	static const struct
	{
		const char* text;
		int64_t byte;
	} bad[] = {
		{"", 0},           {"{", 1},
		{"[1", 2},         {"[1,]", 3},
		{"{\"a\"}", 4},    {"{\"a\":}", 5},
		{"[01]", 1},       {"[1.]", 1},
		{"[.5]", 1},       {"[+1]", 1},
		{"[1e]", 1},       {"[nan]", 1},
		{"[1] 2", 4},      {"[1}", 2},
		{"{a:1}", 1},      {"[\"a", 3},
		{"[\"\\x\"]", 2},  {"[\"\\ud800\"]", 2},
		{"[tru]", 1},      {"{\"a\":1,}", 7},
		{"[\"a\nb\"]", 3}, {"[\"\\u0000\"]", 2},
		{"]", 0},          {"[\"\\", 3},
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i)
	{
		const brJson* root = NULL;
		brReport report = {0};
		CHECK_MESSAGE(jsonOf(bad[i].text, &root, &report) == br_errorFormat, "%s", bad[i].text);
		CHECK_MESSAGE(report.byte == bad[i].byte, "%s: byte %d: %s", bad[i].text, (int)report.byte, report.text);
		CHECK(root == NULL && report.text[0] != 0);
	}
}

// Bytes behind the text are not read as part of it: in a .glb the binary chunk follows.
BR_TEST(json_ends_where_it_ends)
{
	brAllocator allocator = brContext_Allocator(NULL);
	brArena arena;
	brArena_Init(&arena, &allocator);
	const brJson* root = NULL;
	const char* text = "{\"a\":\"b\"}";
	for (size_t length = 0; length < strlen(text); ++length)
	{
		CHECK_MESSAGE(brJson_Parse(&arena, text, length, &root, NULL) == br_errorFormat, "%d", (int)length);
	}
	CHECK(brJson_Parse(&arena, "[1]2", 3, &root, NULL) == br_success);
	CHECK(brJson_Parse(&arena, "[1]\0 \0", 6, &root, NULL) == br_success);
	brArena_Destroy(&arena);
}
