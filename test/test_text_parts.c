// SPDX-License-Identifier: MIT

// Several workers read big texts in parts. The same text with bare carriage returns for line ends is not cut, since no
// part ends there: both must give the same mesh, bit for bit, and the same sentences. So must one thread.

#include "io_help.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct PartsText
{
	char* text;
	size_t length, capacity;
} PartsText;

static void partsPrint(PartsText* out, const char* format, ...)
{
	if (out->capacity - out->length < 400)
	{
		out->capacity = 2 * out->capacity + 1000;
		out->text = realloc(out->text, out->capacity);
		CHECK(out->text != NULL);
	}
	va_list arguments;
	va_start(arguments, format);
	out->length += (size_t)vsnprintf(out->text + out->length, 400, format, arguments);
	va_end(arguments);
}

static double partsRandom(brRandom* random)
{
	return brRandom_Range(random, -1.0, 1.0);
}

static brResult partsRead(brFileFormat format, const PartsText* text, int32_t workers, brMesh** outMesh,
						  brReport* report)
{
	brContext context = {.workers = workers > 1 ? brTest_Workers(workers) : NULL};
	brAssembly* assembly = NULL;
	brResult result = brReadAssembly(&context, text->text, text->length, format, NULL, &assembly, report);
	*outMesh = NULL;
	if (result >= 0)
	{
		CHECK_EQUAL(assembly->meshCount, 1);
		CHECK_RESULT(brCopyMesh(NULL, assembly->meshes[0], outMesh, NULL), NULL);
	}
	brDestroyAssembly(assembly);
	brDestroyWorkers(context.workers);
	return result;
}

// Both ways and with some workers: the same mesh, or the same sentence. Ends the text.
static void partsCheck(brFileFormat format, PartsText* text, bool isGood)
{
	brMesh *parts, *team, *alone, *whole;
	brReport partsReport = {0}, teamReport = {0}, aloneReport = {0}, wholeReport = {0};
	brResult result = partsRead(format, text, 2, &parts, &partsReport);
	CHECK_EQUAL(partsRead(format, text, 3, &team, &teamReport), result);
	CHECK_EQUAL(partsRead(format, text, 1, &alone, &aloneReport), result);
	for (size_t i = 0; i < text->length; ++i)
	{
		text->text[i] = text->text[i] == '\n' ? '\r' : text->text[i];
	}
	CHECK_EQUAL(partsRead(format, text, 1, &whole, &wholeReport), result);
	CHECK_MESSAGE((result >= 0) == isGood, "%s", partsReport.text);
	CHECK(strcmp(partsReport.text, wholeReport.text) == 0 && strcmp(teamReport.text, wholeReport.text) == 0);
	CHECK(strcmp(aloneReport.text, wholeReport.text) == 0);
	if (isGood)
	{
		CHECK_SAME(parts, whole, ioAll);
		CHECK_SAME(team, whole, ioAll);
		CHECK_SAME(alone, whole, ioAll);
	}
	brDestroyMesh(parts);
	brDestroyMesh(team);
	brDestroyMesh(alone);
	brDestroyMesh(whole);
	free(text->text);
	*text = (PartsText){0};
}

// Everything that OBJ has, three megabytes of it: indices ahead and behind, groups, materials, colors from somewhere
// on, lines that go on.
static PartsText partsObj(brRandom* random, bool isRelative)
{
	PartsText out = {0};
	enum
	{
		count = 24000
	};
	for (int32_t i = 1; i <= count; ++i)
	{
		partsPrint(&out, "v %.17g %.17g %.17g%s\n", partsRandom(random), partsRandom(random), partsRandom(random),
				   i > count / 2 && i % 7 == 0 ? " 0.25 0.5 1" : "");
		partsPrint(&out, i % 5 == 0 ? "vn %.9g %.9g \\\n %.9g\n" : "vn %.9g %.9g %.9g\n", partsRandom(random),
				   partsRandom(random), partsRandom(random));
		partsPrint(&out, i % 11 == 0 ? "vt %.9g nan\n" : "vt %.9g %.9g\n", partsRandom(random), partsRandom(random));
		if (i % 400 == 0)
		{
			partsPrint(&out, "g part %d\n# words \\\n more words\nusemtl look%d\n", i % 3000, i % 7);
		}
		int32_t a = 1 + (int32_t)brRandom_Below(random, count), b = i, c = 1 + (i + 5000) % count;
		if (i > count / 3 && i % 3 != 0)
		{
			partsPrint(&out, i % 2 == 0 ? "f %d/%d/%d %d/%d/%d %d/%d/%d\n" : "f %d/%d/%d \\\n%d/%d/%d %d/%d/%d\n", a, b,
					   c, b, c, a, c, a, b);
		}
		else
		{
			partsPrint(&out, i % 13 == 0 ? "f %d %d\n" : "f %d %d %d %d\n", a, b, c, 1 + (c + 7) % count);
		}
	}
	partsPrint(&out, isRelative ? "f -1 -2 -20000\n" : "f 1 2 3\n");
	CHECK(out.length > 3 << 20);
	return out;
}

BR_TEST(text_parts_of_obj_give_the_same_for_all_workers)
{
	brRandom random = brTest_Random(test);
	for (int32_t k = 0; k < 4; ++k)
	{
		PartsText text = partsObj(&random, k == 1);
		partsPrint(&text, k == 2 ? "v 1 2 x\n" : k == 3 ? "f 1 2 99999\n" : "# end");
		partsCheck(br_formatObj, &text, k < 2);
	}
}

// Places and lists, with rows of something else between; `trouble` is put in the middle of each.
static PartsText partsPly(brRandom* random, const char* amongPlaces, const char* amongLists)
{
	PartsText out = {0};
	enum
	{
		count = 50000
	};
	partsPrint(&out,
			   "ply\nformat ascii 1.0\nelement vertex %d\nproperty double x\nproperty double y\nproperty double z\n",
			   count);
	partsPrint(&out, "element other 1000\nproperty int a\nelement face %d\nproperty list uchar int vertex_indices\n",
			   count);
	partsPrint(&out, "end_header\n");
	for (int32_t i = 0; i < count; ++i)
	{
		partsPrint(&out, "%.17g %.17g %.17g%s\n", partsRandom(random), partsRandom(random), partsRandom(random),
				   i == count / 2 ? amongPlaces : "");
	}
	for (int32_t i = 0; i < 1000; ++i)
	{
		partsPrint(&out, "%d\n", i);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		partsPrint(&out, i % 3 == 0 ? "4 %d %d %d 7%s\n" : "3 %d %d %d%s\n", i, (int32_t)brRandom_Below(random, count),
				   count - 1 - i, i == count - 10 ? amongLists : "");
	}
	CHECK(out.length > 3 << 20);
	return out;
}

BR_TEST(text_parts_of_ply_give_the_same_for_all_workers)
{
	static const struct
	{
		const char *amongPlaces, *amongLists;
		bool isGood;
	} cases[] = {{"", "", true},      {" \t", " ", true}, {"\n", "", true}, {"", "\n\n", true},
				 {" nan", "", false}, {"", " 5", false},  {"x", "", false}, {"", "\n3 1 2 50000", false}};
	brRandom random = brTest_Random(test);
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); ++k)
	{
		PartsText text = partsPly(&random, cases[k].amongPlaces, cases[k].amongLists);
		partsCheck(br_formatPly, &text, cases[k].isGood);
	}
}

// Facets that share vertices near and far, written in two ways, twenty megabytes.
static PartsText partsStl(brRandom* random, const char* name, const char* inside)
{
	PartsText out = {0};
	enum
	{
		count = 110000
	};
	partsPrint(&out, "solid %s\n", name);
	for (int32_t i = 0; i < count; ++i)
	{
		partsPrint(&out, "facet normal 0 0 1\n\touter loop\n");
		for (int32_t k = 0; k < 3; ++k)
		{
			int32_t vertex = k < 2 ? i + k : (int32_t)brRandom_Below(random, count);
			bool isZero = vertex % 1000 == 0;
			partsPrint(&out, "\t\tvertex %s%.9f %.12f %.15f\n", isZero && i % 2 == 0 ? "-" : "",
					   isZero ? 0.0 : 1.0 / vertex, vertex * 0.1, (vertex % 77) * 0.3);
		}
		partsPrint(&out, "\tendloop\nendfacet\n%s", i == count - 100 ? inside : "");
	}
	partsPrint(&out, "endsolid %s\n", name);
	CHECK(out.length > 18 << 20);
	return out;
}

BR_TEST(text_parts_of_stl_give_the_same_for_all_workers)
{
	static const struct
	{
		const char *name, *inside;
		bool isGood;
	} cases[] = {
		{"", "", true}, {"of facets", "", true}, {"one", "endsolid one\nsolid two\n", true}, {"", "facet x\n", false}};
	brRandom random = brTest_Random(test);
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); ++k)
	{
		PartsText text = partsStl(&random, cases[k].name, cases[k].inside);
		partsCheck(br_formatStl, &text, cases[k].isGood);
	}
}
