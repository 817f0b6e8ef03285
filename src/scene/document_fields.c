// SPDX-License-Identifier: MIT

// Maps into structs by tables of fields. Every refusal says what was expected.

#include "io/number.h"
#include "scene/document.h"

#include <stdio.h>
#include <string.h>

#define FIELD_MAX_NAMES 64

bool brDoc_IsNumber(const brDocNode* node, double* outValue)
{
	if (node->kind != br_docScalar || !node->isPlain || node->text[0] == 0)
	{
		return false;
	}
	double value;
	const char* end = node->text + strlen(node->text);
	const char* rest = brScanDouble(node->text, end, &value);
	if (rest != end || !isfinite(value))
	{
		return false;
	}
	*outValue = value;
	return true;
}

// The value as a message quotes it.
static const char* fieldQuote(const brDocNode* node, char* buffer, size_t capacity)
{
	if (node->kind == br_docScalar)
	{
		snprintf(buffer, capacity, "'%.60s'", node->text);
		return buffer;
	}
	return node->kind == br_docList ? "a list" : "a map";
}

brResult brDoc_ReadNumbers(const brDocument* document, const brDocNode* node, const char* key, double* outValues,
						   int32_t count, brReport* report)
{
	char quote[96];
	if (node->kind != br_docList || node->count != count)
	{
		return brDoc_Fail(document, node, report, "%s is a list of %d numbers, not %s%s", key, count,
						  fieldQuote(node, quote, sizeof(quote)), node->kind == br_docList ? " of another length" : "");
	}
	for (int32_t i = 0; i < count; ++i)
	{
		if (!brDoc_IsNumber(node->children[i], &outValues[i]))
		{
			return brDoc_Fail(document, node->children[i], report, "%s is a list of %d numbers; %s is none", key, count,
							  fieldQuote(node->children[i], quote, sizeof(quote)));
		}
	}
	return br_success;
}

brResult brDoc_ReadVector(const brDocument* document, const brDocNode* node, const char* key, brDVec3* outValue,
						  brReport* report)
{
	double values[3];
	brResult result = brDoc_ReadNumbers(document, node, key, values, 3, report);
	if (result >= 0)
	{
		*outValue = brMakeDVec3(values[0], values[1], values[2]);
	}
	return result;
}

static brResult fieldFailRange(const brDocument* document, const brDocNode* node, const brField* field,
							   brReport* report)
{
	char quote[96], range[96];
	const char* kind = field->kind == br_fieldNumber ? "a number" : "a whole number";
	if (field->upper >= 1e300)
	{
		if (field->lower <= -1e300)
		{
			range[0] = 0;
		}
		else
		{
			snprintf(range, sizeof(range), field->isOpen ? " above %g" : " of at least %g", field->lower);
		}
	}
	else
	{
		snprintf(range, sizeof(range), field->isOpen ? " above %g, up to %g" : " from %g to %g", field->lower,
				 field->upper);
	}
	return brDoc_Fail(document, node, report, "%s is %s%s, not %s", field->name, kind, range,
					  fieldQuote(node, quote, sizeof(quote)));
}

static brResult fieldReadNumber(const brDocument* document, const brDocNode* node, const brField* field, void* target,
								brReport* report)
{
	double value;
	bool isGood = brDoc_IsNumber(node, &value) && value >= field->lower && value <= field->upper &&
				  (!field->isOpen || value > field->lower);
	bool isWhole = isGood && value == floor(value);
	if (!isGood || (field->kind != br_fieldNumber && !isWhole))
	{
		return fieldFailRange(document, node, field, report);
	}
	switch (field->kind)
	{
		case br_fieldInteger:
			*(int32_t*)target = (int32_t)value;
			break;
		case br_fieldSeed:
			*(uint64_t*)target = (uint64_t)value;
			break;
		default:
			*(double*)target = value;
			break;
	}
	return br_success;
}

static brResult fieldReadBool(const brDocument* document, const brDocNode* node, const brField* field, void* target,
							  brReport* report)
{
	static const char* const words[] = {"true", "yes", "on", "false", "no", "off"};
	for (int32_t i = 0; i < 6 && node->kind == br_docScalar; ++i)
	{
		if (strcmp(node->text, words[i]) == 0)
		{
			*(bool*)target = i < 3;
			return br_success;
		}
	}
	char quote[96];
	return brDoc_Fail(document, node, report, "%s is true or false, not %s", field->name,
					  fieldQuote(node, quote, sizeof(quote)));
}

static brResult fieldReadChoice(const brDocument* document, const brDocNode* node, const brField* field, void* target,
								brReport* report)
{
	char list[240] = "";
	size_t used = 0;
	for (int32_t i = 0; field->choices[i] != NULL; ++i)
	{
		if (node->kind == br_docScalar && strcmp(node->text, field->choices[i]) == 0)
		{
			*(int32_t*)target = i;
			return br_success;
		}
		const char* joint = i == 0 ? "" : field->choices[i + 1] == NULL ? " or " : ", ";
		int written = snprintf(list + used, sizeof(list) - used, "%s%s", joint, field->choices[i]);
		used += written > 0 && (size_t)written < sizeof(list) - used ? (size_t)written : 0;
	}
	char quote[96];
	return brDoc_Fail(document, node, report, "%s is %s, not %s", field->name, list,
					  fieldQuote(node, quote, sizeof(quote)));
}

brResult brDoc_ReadField(const brDocument* document, const brDocNode* node, const brField* field, void* target,
						 brReport* report)
{
	void* member = (char*)target + field->offset;
	char quote[96];
	switch (field->kind)
	{
		case br_fieldNumber:
		case br_fieldInteger:
		case br_fieldSeed:
			return fieldReadNumber(document, node, field, member, report);
		case br_fieldBool:
			return fieldReadBool(document, node, field, member, report);
		case br_fieldChoice:
			return fieldReadChoice(document, node, field, member, report);
		case br_fieldVector:
			return brDoc_ReadVector(document, node, field->name, member, report);
		case br_fieldText:
			if (node->kind != br_docScalar || node->text[0] == 0)
			{
				return brDoc_Fail(document, node, report, "%s is a word or a text, not %s", field->name,
								  fieldQuote(node, quote, sizeof(quote)));
			}
			*(const char**)member = node->text;
			return br_success;
		case br_fieldNode:
			*(const brDocNode**)member = node;
			return br_success;
	}
	return br_success;
}

static brResult fieldFailUnknown(const brDocument* document, const brDocNode* key, const char* what,
								 const brField* fields, int32_t fieldCount, brReport* report)
{
	const char* names[FIELD_MAX_NAMES];
	int32_t count = fieldCount < FIELD_MAX_NAMES ? fieldCount : FIELD_MAX_NAMES;
	for (int32_t i = 0; i < count; ++i)
	{
		names[i] = fields[i].name;
	}
	return brDoc_Fail(document, key, report, "%s has no key '%.60s'%s", what, key->text,
					  brDoc_Advise(key->text, names, count, "it has").text);
}

// `depth` counts the merged maps followed so far; what is nearer wins.
static brResult fieldReadMerged(const brDocument* document, const brDocNode* map, const char* what,
								const brField* fields, int32_t fieldCount, void* target, uint64_t* seen,
								brReport* report)
{
	const brDocNode* merged = NULL;
	uint64_t here = 0;
	for (int32_t i = 0; i < map->count; ++i)
	{
		const brDocNode *key = map->children[2 * i], *value = map->children[2 * i + 1];
		if (strcmp(key->text, "<<") == 0)
		{
			merged = value;
			continue;
		}
		int32_t index = 0;
		while (index < fieldCount && strcmp(fields[index].name, key->text) != 0)
		{
			index += 1;
		}
		if (index == fieldCount)
		{
			return fieldFailUnknown(document, key, what, fields, fieldCount, report);
		}
		if ((here >> index & 1) != 0)
		{
			return brDoc_Fail(document, key, report, "%s has the key %s twice", what, key->text);
		}
		here |= (uint64_t)1 << index;
		if ((*seen >> index & 1) == 0)
		{
			brResult result = brDoc_ReadField(document, value, &fields[index], target, report);
			if (result < 0)
			{
				return result;
			}
		}
	}
	*seen |= here;
	return merged == NULL ? br_success
						  : fieldReadMerged(document, merged, what, fields, fieldCount, target, seen, report);
}

brResult brDoc_ReadMap(const brDocument* document, const brDocNode* map, const char* what, const brField* fields,
					   int32_t fieldCount, void* target, brReport* report)
{
	if (map->kind != br_docMap)
	{
		char quote[96];
		return brDoc_Fail(document, map, report, "%s is a map of keys and values, not %s", what,
						  fieldQuote(map, quote, sizeof(quote)));
	}
	uint64_t seen = 0;
	return fieldReadMerged(document, map, what, fields, fieldCount, target, &seen, report);
}
