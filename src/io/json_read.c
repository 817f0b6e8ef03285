// SPDX-License-Identifier: MIT

// One pass over the text without recursion: open arrays and objects are a stack, each new value is appended to the
// innermost.

#include "io/json_read.h"

#include "io/number.h"

#include <string.h>

typedef struct JsonOpen
{
	brJsonValue* value;
	brJsonValue* last; // its last child, or null
} JsonOpen;

typedef struct JsonReader
{
	brJsonTree* tree;
	const char* text;
	const char* at;
	const char* end; // of the text; a zero byte lies here or behind
	JsonOpen open[BR_JSON_MAX_DEPTH];
	int32_t depth;
} JsonReader;

static bool jsonRefuse(JsonReader* reader, const char* problem)
{
	reader->tree->problem = reader->at < reader->end ? problem : "the JSON text breaks off";
	reader->tree->problemAt = (size_t)(reader->at - reader->text);
	return false;
}

static void jsonSkipBlanks(JsonReader* reader)
{
	while (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\r' || *reader->at == '\n')
	{
		reader->at += 1;
	}
}

// Four hexadecimal digits, or -1.
static int32_t jsonHex(const char* at)
{
	int32_t value = 0;
	for (int i = 0; i < 4; ++i)
	{
		char c = at[i];
		int32_t digit = c >= '0' && c <= '9'   ? c - '0'
						: c >= 'a' && c <= 'f' ? c - 'a' + 10
						: c >= 'A' && c <= 'F' ? c - 'A' + 10
											   : -1;
		if (digit < 0)
		{
			return -1;
		}
		value = 16 * value + digit;
	}
	return value;
}

static char* jsonPutUtf8(char* out, int32_t code)
{
	if (code < 0x80)
	{
		*out++ = (char)code;
	}
	else if (code < 0x800)
	{
		*out++ = (char)(0xC0 | code >> 6);
		*out++ = (char)(0x80 | (code & 63));
	}
	else if (code < 0x10000)
	{
		*out++ = (char)(0xE0 | code >> 12);
		*out++ = (char)(0x80 | (code >> 6 & 63));
		*out++ = (char)(0x80 | (code & 63));
	}
	else
	{
		*out++ = (char)(0xF0 | code >> 18);
		*out++ = (char)(0x80 | (code >> 12 & 63));
		*out++ = (char)(0x80 | (code >> 6 & 63));
		*out++ = (char)(0x80 | (code & 63));
	}
	return out;
}

// What follows a backslash; `at` is behind it and moves on. Null if that is no escape.
static char* jsonEscape(JsonReader* reader, char* out)
{
	static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	const char* letter = *reader->at != 0 ? strchr(letters, *reader->at) : NULL;
	if (letter != NULL)
	{
		reader->at += 1;
		*out++ = meanings[letter - letters];
		return out;
	}
	int32_t code = *reader->at == 'u' ? jsonHex(reader->at + 1) : -1;
	if (code <= 0 || (code >= 0xDC00 && code < 0xE000))
	{
		return NULL; // also \u0000: strings end at a zero byte
	}
	reader->at += 5;
	if (code >= 0xD800 && code < 0xDC00)
	{
		int32_t low = reader->at[0] == '\\' && reader->at[1] == 'u' ? jsonHex(reader->at + 2) : -1;
		if (low < 0xDC00 || low >= 0xE000)
		{
			return NULL;
		}
		reader->at += 6;
		code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
	}
	return jsonPutUtf8(out, code);
}

// A string whose opening quote is at `at`. Null with a problem, or without memory.
static const char* jsonString(JsonReader* reader)
{
	const char* close = reader->at + 1;
	for (; *close != '"' && *close != 0; ++close)
	{
		close += close[0] == '\\' && close[1] != 0;
	}
	if (*close == 0)
	{
		jsonRefuse(reader, "a string has no end");
		return NULL;
	}
	// An escape is never shorter than what it stands for.
	char* string = brArena_Alloc(&reader->tree->arena, (size_t)(close - reader->at));
	char* out = string;
	reader->at += 1;
	while (out != NULL && reader->at < close)
	{
		char c = *reader->at++;
		if (c != '\\')
		{
			*out++ = c;
			continue;
		}
		out = jsonEscape(reader, out);
		if (out == NULL)
		{
			jsonRefuse(reader, "a backslash is followed by no escape");
			return NULL;
		}
	}
	reader->at = close + 1;
	if (out != NULL)
	{
		*out = 0;
	}
	return string;
}

static bool jsonNumber(JsonReader* reader, brJsonValue* value)
{
	const char* digit = reader->at + (*reader->at == '-');
	const char* after = brIsDigit(*digit) ? brScanDouble(reader->at, reader->end, &value->number) : NULL;
	if (after == NULL)
	{
		return jsonRefuse(reader, "there is no value");
	}
	value->kind = br_jsonNumber;
	reader->at = after;
	return true;
}

static bool jsonTakeWord(JsonReader* reader, const char* word)
{
	size_t length = strlen(word);
	if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0)
	{
		return false;
	}
	reader->at += length;
	return true;
}

// Fills a value that begins at `at`; of an array or object only the bracket is taken.
static bool jsonBegin(JsonReader* reader, brJsonValue* value)
{
	char c = *reader->at;
	if (c == '"')
	{
		value->kind = br_jsonString;
		value->string = jsonString(reader);
		return value->string != NULL;
	}
	if (c == '[' || c == '{')
	{
		if (reader->depth == BR_JSON_MAX_DEPTH)
		{
			return jsonRefuse(reader, "the JSON text is nested more than 512 deep");
		}
		value->kind = c == '[' ? br_jsonArray : br_jsonObject;
		reader->at += 1;
		reader->open[reader->depth++] = (JsonOpen){value, NULL};
		return true;
	}
	static const struct
	{
		const char* word;
		brJsonKind kind;
	} words[] = {{"true", br_jsonTrue}, {"false", br_jsonFalse}, {"null", br_jsonNull}};
	for (int i = 0; i < 3; ++i)
	{
		if (jsonTakeWord(reader, words[i].word))
		{
			value->kind = words[i].kind;
			return true;
		}
	}
	return jsonNumber(reader, value);
}

// The key of a member with its colon.
static bool jsonKey(JsonReader* reader, brJsonValue* value)
{
	if (*reader->at != '"')
	{
		return jsonRefuse(reader, "a name in quotes is missing");
	}
	value->key = jsonString(reader);
	if (value->key == NULL)
	{
		return false;
	}
	jsonSkipBlanks(reader);
	if (*reader->at != ':')
	{
		return jsonRefuse(reader, "a colon is missing");
	}
	reader->at += 1;
	jsonSkipBlanks(reader);
	return true;
}

// The next value, appended to the innermost open one or as the root.
static bool jsonAppend(JsonReader* reader)
{
	brJsonValue* value = brArena_Alloc(&reader->tree->arena, sizeof(brJsonValue));
	if (value == NULL)
	{
		return false;
	}
	*value = (brJsonValue){0};
	JsonOpen* open = reader->depth > 0 ? &reader->open[reader->depth - 1] : NULL;
	if (open != NULL && open->value->kind == br_jsonObject && !jsonKey(reader, value))
	{
		return false;
	}
	if (open == NULL)
	{
		reader->tree->root = value;
	}
	else
	{
		open->value->count += 1;
		*(open->last != NULL ? &open->last->next : &open->value->child) = value;
		open->last = value;
	}
	return jsonBegin(reader, value);
}

// Behind a value: closes what ends here. True at a place where another value must follow, or at the end.
static bool jsonSeparate(JsonReader* reader)
{
	jsonSkipBlanks(reader);
	while (reader->depth > 0)
	{
		const JsonOpen* open = &reader->open[reader->depth - 1];
		char close = open->value->kind == br_jsonObject ? '}' : ']';
		bool isNew = open->last == NULL;
		if (*reader->at == close)
		{
			reader->at += 1;
			reader->depth -= 1;
			jsonSkipBlanks(reader);
			continue;
		}
		if (isNew)
		{
			return true;
		}
		if (*reader->at != ',')
		{
			return jsonRefuse(reader, "a comma or a closing bracket is missing");
		}
		reader->at += 1;
		jsonSkipBlanks(reader);
		return true;
	}
	return true;
}

bool brJsonTree_Read(brJsonTree* tree, const brAllocator* allocator, const char* text, size_t length)
{
	*tree = (brJsonTree){0};
	brArena_Init(&tree->arena, allocator);
	JsonReader reader;
	reader.tree = tree, reader.text = text, reader.at = text, reader.end = text + length, reader.depth = 0;
	if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
	{
		reader.at += 3; // a byte order mark
	}
	jsonSkipBlanks(&reader);
	do
	{
		if (!jsonAppend(&reader) || !jsonSeparate(&reader))
		{
			return false;
		}
	} while (reader.depth > 0);
	if (reader.at > reader.end)
	{
		return jsonRefuse(&reader, "the JSON text breaks off");
	}
	for (; reader.at < reader.end; ++reader.at)
	{
		if (strchr(" \t\r\n", *reader.at) == NULL) // which also finds the zero byte
		{
			return jsonRefuse(&reader, "there is something behind the end of the JSON text");
		}
	}
	return true;
}

void brJsonTree_Destroy(brJsonTree* tree)
{
	brArena_Destroy(&tree->arena);
}

const brJsonValue* brJson_Member(const brJsonValue* object, const char* key)
{
	if (!brJson_Is(object, br_jsonObject))
	{
		return NULL;
	}
	for (const brJsonValue* value = object->child; value != NULL; value = value->next)
	{
		if (strcmp(value->key, key) == 0)
		{
			return value;
		}
	}
	return NULL;
}

const brJsonValue* brJson_Item(const brJsonValue* array, int32_t index)
{
	const brJsonValue* value = array != NULL ? array->child : NULL;
	for (; value != NULL && index > 0; --index)
	{
		value = value->next;
	}
	return value;
}
