// SPDX-License-Identifier: MIT

// Nodes of a scene document: making them, finding and replacing values, sentences with a place.

#include "scene/document.h"

#include "io/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void brDoc_Init(brDocument* document, const brAllocator* allocator)
{
	memset(document, 0, sizeof(*document));
	document->allocator = *allocator;
	brArena_Init(&document->arena, allocator);
}

void brDoc_Destroy(brDocument* document)
{
	BR_FREE_ARRAY(&document->allocator, &document->files);
	brArena_Destroy(&document->arena);
}

brResult brDoc_Fail(const brDocument* document, const brDocNode* node, brReport* report, const char* format, ...)
{
	char sentence[400];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	brResult result;
	if (node == NULL || node->file < 0 || node->file >= document->files.count)
	{
		result = brFail(report, br_errorFormat, "%s", sentence);
	}
	else if (node->line > 0)
	{
		result =
			brFail(report, br_errorFormat, "%s:%d: %s", document->files.data[node->file], (int)node->line, sentence);
	}
	else
	{
		result = brFail(report, br_errorFormat, "%s: %s", document->files.data[node->file], sentence);
	}
	if (report != NULL && node != NULL)
	{
		report->line = node->line;
	}
	return result;
}

brDocNode* brDoc_MakeNode(brDocument* document, brDocKind kind, int32_t file, int32_t line)
{
	brDocNode* node = brArena_Alloc(&document->arena, sizeof(brDocNode));
	if (node != NULL)
	{
		*node = (brDocNode){.kind = kind, .file = file, .line = line, .weight = 1};
	}
	return node;
}

const char* brDoc_CopyText(brDocument* document, const char* text, size_t length)
{
	char* copy = brArena_Alloc(&document->arena, length + 1);
	if (copy != NULL)
	{
		if (length > 0)
		{
			memcpy(copy, text, length);
		}
		copy[length] = 0;
	}
	return copy;
}

brDocNode* brDoc_Find(const brDocNode* map, const char* key)
{
	if (map == NULL || map->kind != br_docMap)
	{
		return NULL;
	}
	const brDocNode* merged = NULL;
	for (int32_t i = 0; i < map->count; ++i)
	{
		const char* name = map->children[2 * i]->text;
		if (strcmp(name, key) == 0)
		{
			return map->children[2 * i + 1];
		}
		if (strcmp(name, "<<") == 0)
		{
			merged = map->children[2 * i + 1];
		}
	}
	// The parser has made sure that a merged node is a map that was complete before this one began: no cycles.
	return brDoc_Find(merged, key);
}

static bool docAppendPair(brDocument* document, brDocNode* map, brDocNode* key, brDocNode* value)
{
	brDocNode** children = brArena_AllocArray(&document->arena, 2 * ((int64_t)map->count + 1), sizeof(brDocNode*));
	if (children == NULL)
	{
		return false;
	}
	if (map->count > 0)
	{
		memcpy(children, map->children, 2 * (size_t)map->count * sizeof(brDocNode*));
	}
	children[2 * map->count] = key;
	children[2 * map->count + 1] = value;
	map->children = children;
	map->count += 1;
	return true;
}

brResult brDoc_Set(brDocument* document, brDocNode* root, const char* path, const char* value, brReport* report)
{
	brDocNode* replacement = NULL;
	brResult result = brDoc_ParseValue(document, "--set", value, &replacement, report);
	if (result < 0)
	{
		return result;
	}
	brDocNode* at = root;
	const char* word = path;
	for (;;)
	{
		size_t length = strcspn(word, ".");
		bool isLast = word[length] == 0;
		const char* key = brDoc_CopyText(document, word, length);
		if (key == NULL)
		{
			return brFailMemory(report);
		}
		if (length == 0)
		{
			return brFail(report, br_errorFormat, "--set: '%s' has an empty name in its path", path);
		}
		brDocNode** slot = NULL;
		if (at->kind == br_docList)
		{
			int32_t index = 0;
			const char* digit = key;
			for (; *digit >= '0' && *digit <= '9' && index < 1000000; ++digit)
			{
				index = 10 * index + (*digit - '0');
			}
			if (*digit != 0 || index >= at->count)
			{
				return brFail(report, br_errorFormat, "--set: '%s' names item '%s' of a list of %d", path, key,
							  (int)at->count);
			}
			slot = &at->children[index];
		}
		else if (at->kind == br_docMap)
		{
			for (int32_t i = 0; i < at->count && slot == NULL; ++i)
			{
				slot = strcmp(at->children[2 * i]->text, key) == 0 ? &at->children[2 * i + 1] : NULL;
			}
			if (slot == NULL)
			{
				brDocNode* name = brDoc_MakeNode(document, br_docScalar, replacement->file, 0);
				brDocNode* empty = brDoc_MakeNode(document, br_docMap, replacement->file, 0);
				if (name == NULL || empty == NULL)
				{
					return brFailMemory(report);
				}
				name->text = key;
				if (!docAppendPair(document, at, name, empty))
				{
					return brFailMemory(report);
				}
				slot = &at->children[2 * at->count - 1];
			}
		}
		else
		{
			return brFail(report, br_errorFormat, "--set: '%s' goes into a value that has no members", path);
		}
		if (isLast)
		{
			*slot = replacement;
			return br_success;
		}
		at = *slot;
		word += length + 1;
	}
}

// Edits between two words: letters added, left out, changed, or two swapped. Words beyond 31 letters are never near.
static int32_t docDistance(const char* a, const char* b)
{
	int32_t rows[3][32];
	int32_t aLength = (int32_t)strlen(a), bLength = (int32_t)strlen(b);
	if (aLength > 31 || bLength > 31)
	{
		return 99;
	}
	for (int32_t j = 0; j <= bLength; ++j)
	{
		rows[0][j] = j;
	}
	for (int32_t i = 1; i <= aLength; ++i)
	{
		int32_t *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
		now[0] = i;
		for (int32_t j = 1; j <= bLength; ++j)
		{
			int32_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
			best = last[j] + 1 < best ? last[j] + 1 : best;
			best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
			bool isSwap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
			best = isSwap && before[j - 2] + 1 < best ? before[j - 2] + 1 : best;
			now[j] = best;
		}
	}
	return rows[aLength % 3][bLength];
}

// The name nearest to `word`, or null if none is near: at most a third of its letters are wrong, or it is a part of the
// name.
static const char* docNearest(const char* word, const char* const* names, int32_t count)
{
	const char* nearest = NULL;
	int32_t length = (int32_t)strlen(word), limit = (length + 1) / 3;
	int32_t best = limit < 3 ? limit : 3;
	for (int32_t i = 0; i < count; ++i)
	{
		bool isPart = length >= 4 && strstr(names[i], word) != NULL;
		int32_t distance = isPart ? 1 : docDistance(word, names[i]);
		if (distance < best || (distance == best && nearest == NULL))
		{
			best = distance;
			nearest = names[i];
		}
	}
	return nearest;
}

brDocAdvice brDoc_Advise(const char* word, const char* const* names, int32_t count, const char* lead)
{
	brDocAdvice advice = {""};
	const char* nearest = docNearest(word, names, count);
	if (nearest != NULL)
	{
		snprintf(advice.text, sizeof(advice.text), "; did you mean %s?", nearest);
	}
	size_t used = 0;
	for (int32_t i = 0; i < count && nearest == NULL; ++i)
	{
		size_t left = sizeof(advice.text) - used;
		int written = i == 0 ? snprintf(advice.text, left, "; %s %s", lead, names[i])
							 : snprintf(advice.text + used, left, ", %s", names[i]);
		if (written < 0 || (size_t)written >= left)
		{
			advice.text[used] = 0; // whole names only
			break;
		}
		used += (size_t)written;
	}
	return advice;
}

brDocNode* brDoc_FromJson(brDocument* document, const brJson* json, int32_t file, int32_t depth)
{
	bool isMap = brJson_Is(json, br_jsonObject), isList = brJson_Is(json, br_jsonArray);
	brDocNode* node = brDoc_MakeNode(document,
									 isMap    ? br_docMap
									 : isList ? br_docList
											  : br_docScalar,
									 file, json->line);
	if (node == NULL || depth > BR_DOC_MAX_DEPTH)
	{
		return NULL;
	}
	if (!isMap && !isList)
	{
		char number[BR_NUMBER_CHARS];
		const char* text = brJson_Is(json, br_jsonString) ? json->text
						   : brJson_Is(json, br_jsonTrue) ? "true"
														  : "false";
		if (brJson_Is(json, br_jsonNumber))
		{
			number[brPrintDouble(number, json->number)] = 0;
			text = number;
		}
		node->isPlain = !brJson_Is(json, br_jsonString);
		node->text = brDoc_CopyText(document, text, strlen(text));
		return node->text != NULL ? node : NULL;
	}
	node->count = json->count;
	node->children = brArena_AllocArray(&document->arena, (isMap ? 2 : 1) * (int64_t)node->count, sizeof(brDocNode*));
	int32_t at = 0;
	for (const brJson* item = json->child; item != NULL && node->children != NULL; item = item->next)
	{
		brDocNode* value = brDoc_FromJson(document, item, file, depth + 1);
		if (value == NULL)
		{
			return NULL;
		}
		if (isMap)
		{
			brDocNode* key = brDoc_MakeNode(document, br_docScalar, file, json->line);
			const char* text = key != NULL ? brDoc_CopyText(document, item->key, strlen(item->key)) : NULL;
			if (text == NULL)
			{
				return NULL;
			}
			key->text = text;
			node->children[at++] = key;
		}
		node->children[at++] = value;
		node->weight += value->weight;
	}
	return node->children != NULL ? node : NULL;
}
