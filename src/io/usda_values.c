// SPDX-License-Identifier: MIT

// What the prims of a USD layer say: a prim composed of those that it names, the strongest first, and values as numbers
// and texts.

#include "io/usda_layer.h"

#include "io/text.h"

#include <math.h>
#include <string.h>

// Composition

void brUsdaNode_Add(brUsdaNode* node, const brUsdaLayer* layer, int32_t prim)
{
	for (int32_t i = 0; i < node->count; ++i)
	{
		prim = node->prims[i] == prim ? -1 : prim;
	}
	if (prim < 0 || node->count == BR_USDA_MOST_SOURCES)
	{
		return;
	}
	node->prims[node->count++] = prim;
	for (int32_t a = layer->prims.data[prim].firstArc; a >= 0 && node->count < BR_USDA_MOST_SOURCES;
		 a = layer->arcs.data[a].next)
	{
		brUsdaNode_Add(node, layer, brUsda_FindPath(layer, layer->arcs.data[a].path));
	}
}

brUsdaNode brUsdaNode_Child(const brUsdaNode* node, const brUsdaLayer* layer, brUsdaText name)
{
	brUsdaNode child = {.count = 0};
	for (int32_t i = 0; i < node->count; ++i)
	{
		brUsdaNode_Add(&child, layer, brUsda_FindChild(layer, node->prims[i], name));
	}
	return child;
}

brUsdaText brUsdaNode_Type(const brUsdaNode* node, const brUsdaLayer* layer)
{
	for (int32_t i = 0; i < node->count; ++i)
	{
		if (layer->prims.data[node->prims[i]].type.at != NULL)
		{
			return layer->prims.data[node->prims[i]].type;
		}
	}
	return (brUsdaText){0};
}

const brUsdaField* brUsdaNode_Field(const brUsdaNode* node, const brUsdaLayer* layer, const char* name,
									brUsdaFieldKind kind)
{
	for (int32_t i = 0; i < node->count; ++i)
	{
		for (int32_t f = layer->prims.data[node->prims[i]].firstField; f >= 0; f = layer->fields.data[f].next)
		{
			const brUsdaField* field = &layer->fields.data[f];
			if (field->kind == kind && brUsdaText_Is(field->name, name))
			{
				return field;
			}
		}
	}
	return NULL;
}

bool brUsdaNode_NextChild(const brUsdaNode* node, const brUsdaLayer* layer, int32_t* source, int32_t* child)
{
	while (*source < node->count)
	{
		const brUsdaPrim* prim = &layer->prims.data[node->prims[*source]];
		*child = *child < 0 ? prim->firstChild : layer->prims.data[*child].next;
		if (*child < 0)
		{
			*source += 1;
			continue;
		}
		bool isKnown = false;
		for (int32_t i = 0; i < *source; ++i)
		{
			isKnown = isKnown || brUsda_FindChild(layer, node->prims[i], layer->prims.data[*child].name) >= 0;
		}
		if (!isKnown)
		{
			return true;
		}
	}
	return false;
}

// Values

bool brUsda_IsDouble(brUsdaText type)
{
	return type.length >= 2 &&
		   (memcmp(type.at, "double", type.length < 6 ? type.length : 6) == 0 ||
			memcmp(type.at, "matrix", type.length < 6 ? type.length : 6) == 0 || type.at[type.length - 1] == 'd' ||
			(type.length > 3 && memcmp(type.at + type.length - 3, "d[]", 3) == 0));
}

// To the next number of a value; false at its end.
static bool usdaNextNumber(brTextCursor* cursor, const char* end)
{
	while (cursor->at < end)
	{
		cursor->at = brUsda_SkipSpace(cursor->at, end);
		char c = cursor->at < end ? *cursor->at : 0;
		if (c != '(' && c != ')' && c != '[' && c != ']' && c != ',')
		{
			break;
		}
		cursor->at += 1;
	}
	return cursor->at < end;
}

brResult brUsda_Numbers(const brUsdaLayer* layer, brUsdaText value, bool isDouble, brUsdaDoubles* outNumbers)
{
	brTextCursor cursor = {value.at, layer->end, 1};
	const char* end = value.at != NULL ? value.at + value.length : NULL;
	while (value.at != NULL && usdaNextNumber(&cursor, end))
	{
		double number = 0.0;
		float single = 0.0f;
		bool isNumber = isDouble ? brText_Double(&cursor, &number) : brText_Float(&cursor, &single);
		if (!isNumber || cursor.at > end)
		{
			return brUsda_Fail(layer, cursor.at, "a number is expected");
		}
		if (!BR_PUSH(&layer->job->allocator, outNumbers, isDouble ? number : (double)single))
		{
			return brFailMemory(layer->job->report);
		}
	}
	return br_success;
}

brResult brUsda_Ints(const brUsdaLayer* layer, brUsdaText value, brUsdaInts* outNumbers)
{
	brTextCursor cursor = {value.at, layer->end, 1};
	const char* end = value.at != NULL ? value.at + value.length : NULL;
	while (value.at != NULL && usdaNextNumber(&cursor, end))
	{
		int32_t number;
		if (!brText_Int32(&cursor, &number) || cursor.at > end)
		{
			return brUsda_Fail(layer, cursor.at, "a whole number is expected");
		}
		if (!BR_PUSH(&layer->job->allocator, outNumbers, number))
		{
			return brFailMemory(layer->job->report);
		}
	}
	return br_success;
}

int32_t brUsda_Tuple(const brUsdaLayer* layer, brUsdaText value, double* outNumbers, int32_t count)
{
	brTextCursor cursor = {value.at, layer->end, 1};
	int32_t found = 0;
	while (value.at != NULL && found < count && usdaNextNumber(&cursor, value.at + value.length) &&
		   brText_Double(&cursor, &outNumbers[found]))
	{
		found += 1;
	}
	return found;
}

bool brUsda_NextSample(const brUsdaLayer* layer, brUsdaText samples, const char** at, double* outTime,
					   brUsdaText* outValue)
{
	const char* end = samples.at != NULL ? samples.at + samples.length : NULL;
	if (samples.at == NULL || *samples.at != '{')
	{
		return false;
	}
	brTextCursor cursor = {*at != NULL ? *at : samples.at + 1, layer->end, 1};
	for (;;)
	{
		cursor.at = brUsda_SkipSpace(cursor.at, end);
		if (cursor.at < end && *cursor.at == ',')
		{
			cursor.at += 1;
			continue;
		}
		if (cursor.at >= end || !brText_Double(&cursor, outTime) || !isfinite(*outTime))
		{
			return false;
		}
		cursor.at = brUsda_SkipSpace(cursor.at, end);
		if (cursor.at >= end || *cursor.at != ':')
		{
			return false;
		}
		cursor.at = brUsda_SkipSpace(cursor.at + 1, end);
		const char* after = cursor.at < end ? brUsda_SkipValue(cursor.at, end) : NULL;
		if (after == NULL || after == cursor.at)
		{
			return false;
		}
		*outValue = (brUsdaText){cursor.at, (size_t)(after - cursor.at)};
		*at = after;
		if (!brUsdaText_Is(*outValue, "None"))
		{
			return true;
		}
		cursor.at = after;
	}
}

brUsdaText brUsdaNode_Value(const brUsdaNode* node, const brUsdaLayer* layer, const char* name)
{
	const brUsdaField* field = brUsdaNode_Field(node, layer, name, br_usdaValue);
	if (field != NULL)
	{
		return field->value;
	}
	field = brUsdaNode_Field(node, layer, name, br_usdaSamples);
	const char* at = NULL;
	double time;
	brUsdaText value = {0};
	return field != NULL && brUsda_NextSample(layer, field->value, &at, &time, &value) ? value : (brUsdaText){0};
}

bool brUsda_NextString(brUsdaText list, const char** at, brUsdaText* outText)
{
	const char* end = list.at != NULL ? list.at + list.length : NULL;
	for (const char* c = *at != NULL ? *at : list.at; c != NULL && c < end; ++c)
	{
		if (brUsda_IsQuote(*c))
		{
			const char* after = brUsda_SkipQuoted(c, end);
			*outText = brUsdaText_Unquote((brUsdaText){c, (size_t)(after - c)});
			*at = after;
			return outText->at != NULL;
		}
	}
	return false;
}
