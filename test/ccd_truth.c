// SPDX-License-Identifier: MIT

// Readers of the ground truth: lists of ids and of booleans in JSON, and roots as Mathematica expressions (WXF) in a
// compressed archive. Only what these files hold is understood, everything else fails the test.

#include "ccd_truth.h"

#include "brittle/brittle.h"
#include "harness.h"

#include "narrow/sweep.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BR_HAVE_ZLIB
#include <zlib.h>
#endif

static char* readText(const char* name, size_t* outBytes)
{
	const char* path = brTest_DataPath(name);
	if (path == NULL)
	{
		brTest_Skip("%s is not there", name);
	}
	FILE* file = fopen(path, "rb");
	CHECK(file != NULL);
	fseek(file, 0, SEEK_END);
	size_t bytes = (size_t)ftell(file);
	rewind(file);
	char* text = malloc(bytes + 1);
	CHECK(text != NULL && fread(text, 1, bytes, file) == bytes);
	fclose(file);
	text[bytes] = 0;
	*outBytes = bytes;
	return text;
}

static brMesh* readFrame(const char* scene, const char* file)
{
	char name[256];
	snprintf(name, sizeof(name), "ccd/%s/frames/%s", scene, file);
	const char* path = brTest_DataPath(name);
	if (path == NULL)
	{
		brTest_Skip("%s is not there", name);
	}
	return BR_MADE(brMesh, brLoadMesh, NULL, path);
}

// Expressions

typedef struct Wxf
{
	const uint8_t* at;
	const uint8_t* end;
} Wxf;

typedef struct WxfValue
{
	char head[16]; // of a function, symbol or string; empty for a number
	long double number;
	bool hasTime; // a list of rules that has one for t
} WxfValue;

static uint8_t wxfByte(Wxf* wxf)
{
	CHECK(wxf->at < wxf->end);
	return *wxf->at++;
}

static size_t wxfCount(Wxf* wxf)
{
	size_t value = 0;
	for (int shift = 0; shift < 56; shift += 7)
	{
		uint8_t byte = wxfByte(wxf);
		value |= (size_t)(byte & 127) << shift;
		if (byte < 128)
		{
			break;
		}
	}
	CHECK(value < 100000);
	return value;
}

static long double wxfInteger(Wxf* wxf, int bytes)
{
	uint64_t value = 0;
	for (int i = 0; i < bytes; ++i)
	{
		value |= (uint64_t)wxfByte(wxf) << (8 * i);
	}
	int unused = 64 - 8 * bytes;
	return (long double)((int64_t)(value << unused) >> unused);
}

static void wxfText(Wxf* wxf, char* out, size_t capacity)
{
	size_t count = wxfCount(wxf);
	CHECK(count < capacity && (size_t)(wxf->end - wxf->at) >= count);
	memcpy(out, wxf->at, count);
	out[count] = 0;
	wxf->at += count;
}

// The real roots of c0 + c1 x + c2 x^2 + c3 x^3 in order, between the extremes by bisection.
static int cubicRoots(const long double c[4], long double roots[3])
{
	// No root is larger than this (Cauchy).
	long double bound = 1.0L + fmaxl(fabsl(c[0] / c[3]), fmaxl(fabsl(c[1] / c[3]), fabsl(c[2] / c[3])));
	long double edges[4] = {-bound};
	int edgeCount = 1, count = 0;
	long double a = 3.0L * c[3], b = 2.0L * c[2], disc = b * b - 4.0L * a * c[1];
	if (disc > 0.0L)
	{
		long double q = -0.5L * (b + (b < 0.0L ? -sqrtl(disc) : sqrtl(disc))), x = q / a, y = c[1] / q;
		edges[1] = x < y ? x : y, edges[2] = x < y ? y : x, edgeCount = 3;
	}
	edges[edgeCount] = bound;
	for (int i = 0; i < edgeCount; ++i)
	{
		long double low = edges[i], high = edges[i + 1];
		long double atLow = c[0] + low * (c[1] + low * (c[2] + low * c[3]));
		long double atHigh = c[0] + high * (c[1] + high * (c[2] + high * c[3]));
		if ((atLow < 0.0L) == (atHigh < 0.0L))
		{
			continue;
		}
		for (int turn = 0; turn < 200; ++turn)
		{
			long double middle = 0.5L * (low + high);
			long double at = c[0] + middle * (c[1] + middle * (c[2] + middle * c[3]));
			*((at < 0.0L) == (atLow < 0.0L) ? &low : &high) = middle;
		}
		roots[count++] = 0.5L * (low + high);
	}
	return count;
}

static WxfValue wxfRead(Wxf* wxf);

// A polynomial in the slot, added to `poly`: Plus, Times, Power of the slot.
static void wxfPolynomial(Wxf* wxf, long double poly[4], long double factor)
{
	const uint8_t* before = wxf->at;
	if (wxfByte(wxf) != 'f')
	{
		wxf->at = before;
		poly[0] += factor * wxfRead(wxf).number;
		return;
	}
	size_t count = wxfCount(wxf);
	char head[16];
	CHECK(wxfByte(wxf) == 's');
	wxfText(wxf, head, sizeof(head));
	if (strcmp(head, "Plus") == 0)
	{
		for (size_t i = 0; i < count; ++i)
		{
			wxfPolynomial(wxf, poly, factor);
		}
	}
	else if (strcmp(head, "Times") == 0)
	{
		CHECK(count == 2);
		factor *= wxfRead(wxf).number;
		wxfPolynomial(wxf, poly, factor);
	}
	else if (strcmp(head, "Power") == 0)
	{
		long double slot[4] = {0};
		CHECK(count == 2);
		wxfPolynomial(wxf, slot, 1.0L);
		int power = (int)wxfRead(wxf).number;
		CHECK(slot[1] == 1.0L && power >= 2 && power <= 3);
		poly[power] += factor;
	}
	else
	{
		CHECK(strcmp(head, "Slot") == 0 && wxfRead(wxf).number == 1.0L);
		poly[1] += factor;
	}
}

static WxfValue wxfFunction(Wxf* wxf)
{
	size_t count = wxfCount(wxf);
	WxfValue value = {0};
	CHECK(wxfByte(wxf) == 's');
	wxfText(wxf, value.head, sizeof(value.head));
	if (strcmp(value.head, "Root") == 0)
	{
		long double poly[4] = {0}, roots[3];
		char head[16];
		CHECK(count == 3 && wxfByte(wxf) == 'f' && wxfCount(wxf) == 1 && wxfByte(wxf) == 's');
		wxfText(wxf, head, sizeof(head));
		CHECK(strcmp(head, "Function") == 0);
		wxfPolynomial(wxf, poly, 1.0L);
		int which = (int)wxfRead(wxf).number;
		wxfRead(wxf);
		int rootCount = cubicRoots(poly, roots);
		CHECK(which >= 1 && which <= rootCount);
		return (WxfValue){.number = roots[which - 1]};
	}
	WxfValue parts[8];
	CHECK(count <= 8);
	for (size_t i = 0; i < count; ++i)
	{
		parts[i] = wxfRead(wxf);
	}
	if (strcmp(value.head, "List") == 0) // of rules: one solution; of solutions: the earliest
	{
		for (size_t i = 0; i < count; ++i)
		{
			if (parts[i].hasTime && (!value.hasTime || parts[i].number < value.number))
			{
				value.number = parts[i].number, value.hasTime = true;
			}
		}
		return value;
	}
	if (strcmp(value.head, "Rule") == 0)
	{
		value.hasTime = strcmp(parts[0].head, "t") == 0;
		value.number = parts[1].number;
		return value;
	}
	WxfValue number = {.number = strcmp(value.head, "Plus") == 0 ? 0.0L : 1.0L};
	for (size_t i = 0; i < count; ++i)
	{
		number.number =
			strcmp(value.head, "Plus") == 0 ? number.number + parts[i].number : number.number * parts[i].number;
	}
	if (strcmp(value.head, "Rational") == 0)
	{
		number.number = parts[0].number / parts[1].number;
	}
	else if (strcmp(value.head, "Power") == 0)
	{
		number.number = powl(parts[0].number, parts[1].number);
	}
	else
	{
		CHECK(strcmp(value.head, "Plus") == 0 || strcmp(value.head, "Times") == 0);
	}
	return number;
}

static WxfValue wxfRead(Wxf* wxf)
{
	WxfValue value = {0};
	uint8_t type = wxfByte(wxf);
	char digits[4096];
	switch (type)
	{
		case 'f':
			return wxfFunction(wxf);
		case 's':
		case 'S':
			wxfText(wxf, value.head, sizeof(value.head));
			return value;
		case 'C':
		case 'j':
		case 'i':
		case 'L':
			value.number = wxfInteger(wxf, type == 'C' ? 1 : type == 'j' ? 2 : type == 'i' ? 4 : 8);
			return value;
		default:
			CHECK_MESSAGE(type == 'I', "an expression of type %c", type);
			wxfText(wxf, digits, sizeof(digits));
			value.number = strtold(digits, NULL);
			return value;
	}
}

// The archive: tar in gzip, one file a pair that meets, its number in the name.
static void readRoots(brCcdTruth* truth, const char* name)
{
#ifdef BR_HAVE_ZLIB
	const char* path = brTest_DataPath(name);
	if (path == NULL)
	{
		return;
	}
	gzFile file = gzopen(path, "rb");
	CHECK(file != NULL);
	char header[512];
	static uint8_t content[1 << 16];
	while (gzread(file, header, 512) == 512 && header[0] != 0)
	{
		size_t bytes = strtoul(header + 124, NULL, 8), padded = (bytes + 511) / 512 * 512;
		CHECK(padded <= sizeof(content) && gzread(file, content, (unsigned)padded) == (int)padded);
		const char* number = strstr(header, "_q");
		if (bytes < 3 || number == NULL)
		{
			continue;
		}
		int32_t i = (int32_t)strtol(number + 2, NULL, 10);
		CHECK(i >= 0 && i < truth->count && content[0] == '8' && content[1] == ':');
		Wxf wxf = {content + 2, content + bytes};
		WxfValue value = wxfRead(&wxf);
		CHECK(value.hasTime && truth->meets[i]);
		truth->times[i] = (double)value.number;
		truth->timeCount += 1;
	}
	gzclose(file);
#else
	(void)truth;
	(void)name;
#endif
}

brCcdTruth brCcdTruth_Load(const char* scene, const char* frame, const char* next, int32_t step, const char* kind)
{
	brCcdTruth truth = {.frames = {readFrame(scene, frame), readFrame(scene, next)}};
	char name[256];
	size_t bytes;
	snprintf(name, sizeof(name), "ccd/%s/boxes/%d%s.json", scene, step, kind);
	char* text = readText(name, &bytes);
	int32_t room = 0, numbers = 0;
	for (size_t i = 0; i < bytes; ++i)
	{
		room += text[i] == ',';
	}
	truth.ids = malloc((size_t)(room + 2) * sizeof(int32_t[2]));
	CHECK(truth.ids != NULL);
	for (char* at = text; *at != 0;)
	{
		if (isdigit((unsigned char)*at))
		{
			truth.ids[numbers / 2][numbers % 2] = (int32_t)strtol(at, &at, 10);
			numbers += 1;
		}
		else
		{
			at += 1;
		}
	}
	free(text);
	truth.count = numbers / 2;
	CHECK(numbers > 0 && numbers % 2 == 0);

	snprintf(name, sizeof(name), "ccd/%s/mma_bool/%d%s_mma_bool.json", scene, step, kind);
	text = readText(name, &bytes);
	truth.meets = malloc((size_t)truth.count);
	truth.times = malloc((size_t)truth.count * sizeof(double));
	truth.corners = malloc((size_t)truth.count * sizeof(int32_t[4]));
	CHECK(truth.meets != NULL && truth.times != NULL && truth.corners != NULL);
	int32_t flags = 0;
	for (const char* at = text; *at != 0; ++at)
	{
		if (*at == 't' || *at == 'f')
		{
			CHECK(flags < truth.count);
			truth.meets[flags++] = *at == 't';
			at += *at == 't' ? 3 : 4;
		}
	}
	free(text);
	CHECK_EQUAL(flags, truth.count);

	int32_t edgeCount = 0, vertexCount = truth.frames[0]->vertexCount;
	brTriangleSoup soup;
	CHECK_RESULT(brTriangleSoup_Make(&soup, NULL, (const brMesh* const*)&truth.frames[0], 1, NULL), NULL);
	brEdge* edges = brFindEdges(&soup.allocator, NULL, &soup, &edgeCount);
	CHECK(edges != NULL);
	bool areEdges = strcmp(kind, "ee") == 0;
	for (int32_t i = 0; i < truth.count; ++i)
	{
		truth.times[i] = -1.0;
		int32_t *id = truth.ids[i], *corner = truth.corners[i];
		int32_t low = id[0] < id[1] ? id[0] : id[1], high = id[0] < id[1] ? id[1] : id[0];
		id[0] = low - (areEdges ? vertexCount : 0);
		id[1] = high - vertexCount - (areEdges ? 0 : edgeCount);
		if (areEdges)
		{
			CHECK(id[0] >= 0 && id[1] < edgeCount);
			corner[0] = edges[id[0]][0], corner[1] = edges[id[0]][1];
			corner[2] = edges[id[1]][0], corner[3] = edges[id[1]][1];
		}
		else
		{
			CHECK(id[0] < vertexCount && id[1] >= 0 && id[1] < truth.frames[0]->faceCount);
			corner[0] = id[0];
			memcpy(corner + 1, truth.frames[0]->corners + 3 * (int64_t)id[1], sizeof(int32_t[3]));
		}
	}
	BR_FREE(&soup.allocator, edges, edgeCount);
	brTriangleSoup_Free(&soup);
	snprintf(name, sizeof(name), "ccd/%s/roots/%d%s_roots.tar.gz", scene, step, kind);
	readRoots(&truth, name);
	return truth;
}

void brCcdTruth_Free(brCcdTruth* truth)
{
	brDestroyMesh(truth->frames[0]);
	brDestroyMesh(truth->frames[1]);
	free(truth->ids);
	free(truth->corners);
	free(truth->meets);
	free(truth->times);
}

void brCcdTruth_Corners(const brCcdTruth* truth, int32_t i, brDVec3 outStart[4], brDVec3 outEnd[4])
{
	for (int k = 0; k < 4; ++k)
	{
		outStart[k] = truth->frames[0]->positions[truth->corners[i][k]];
		outEnd[k] = truth->frames[1]->positions[truth->corners[i][k]];
	}
}
