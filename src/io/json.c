// SPDX-License-Identifier: MIT

// A value is read, then what may follow it: a comma, or the ends of the arrays and objects it closes. Those that are
// open form a stack, so that a deep text costs no stack of the machine.

#include "io/json.h"

#include "io/text.h"

#include <string.h>

typedef struct JsonOpen
{
	brJson* node;
	brJson** end; // where the next member goes
} JsonOpen;

typedef struct JsonReader
{
	brArena* arena;
	brTextCursor cursor;
	const char* begin;
	brReport* report;
	JsonOpen open[BR_JSON_MAX_DEPTH];
	int32_t depth;
} JsonReader;

static brResult jsonFail(const JsonReader* reader, const char* sentence)
{
	if (reader->report != NULL)
	{
		brFail(reader->report, br_errorFormat, "%s", sentence);
		reader->report->byte = reader->cursor.at - reader->begin;
		reader->report->line = reader->cursor.line;
	}
	return br_errorFormat;
}

static void jsonSkipSpace(JsonReader* reader)
{
	brTextCursor* cursor = &reader->cursor;
	for (; *cursor->at == ' ' || *cursor->at == '\t' || *cursor->at == '\n' || *cursor->at == '\r'; ++cursor->at)
	{
		cursor->line += *cursor->at == '\n';
	}
}

static bool jsonIsDigit(char c)
{
	return c >= '0' && c <= '9';
}

// -? (0 | digit of 1 to 9, digits) (. digits)? ([eE] [+-]? digits)?
static brResult jsonNumber(JsonReader* reader, double* outNumber)
{
	const char *begin = reader->cursor.at, *at = begin;
	at += *at == '-';
	bool isGood = jsonIsDigit(*at);
	bool isZero = *at == '0';
	while (jsonIsDigit(*at))
	{
		at += 1;
		if (isZero)
		{
			break;
		}
	}
	if (*at == '.')
	{
		isGood = isGood && jsonIsDigit(at[1]);
		for (++at; jsonIsDigit(*at); ++at)
		{
		}
	}
	if (isGood && (*at == 'e' || *at == 'E'))
	{
		at += at[1] == '+' || at[1] == '-' ? 2 : 1;
		isGood = jsonIsDigit(*at);
		for (; jsonIsDigit(*at); ++at)
		{
		}
	}
	if (!isGood || !brText_Double(&reader->cursor, outNumber) || reader->cursor.at != at)
	{
		reader->cursor.at = begin;
		return jsonFail(reader, "this is no number");
	}
	return br_success;
}

static int32_t jsonHex4(const char* at)
{
	int32_t value = 0;
	for (int32_t i = 0; i < 4; ++i)
	{
		char c = at[i];
		int32_t digit = jsonIsDigit(c)         ? c - '0'
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

static char* jsonWriteUtf8(char* out, int32_t code)
{
	if (code < 0x80)
	{
		*out++ = (char)code;
		return out;
	}
	int32_t more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	static const int32_t lead[] = {0, 0xC0, 0xE0, 0xF0};
	*out++ = (char)(lead[more] | code >> 6 * more);
	for (int32_t i = more - 1; i >= 0; --i)
	{
		*out++ = (char)(0x80 | ((code >> 6 * i) & 0x3F));
	}
	return out;
}

// \uXXXX, or two of them for a character beyond 16 bits. Null if it is none.
static const char* jsonUnicode(const char* at, char** out)
{
	int32_t code = jsonHex4(at);
	if (code <= 0 || (code >= 0xDC00 && code < 0xE000))
	{
		return NULL;
	}
	at += 4;
	if (code >= 0xD800 && code < 0xDC00)
	{
		int32_t low = at[0] == '\\' && at[1] == 'u' ? jsonHex4(at + 2) : -1;
		if (low < 0xDC00 || low >= 0xE000)
		{
			return NULL;
		}
		code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
		at += 6;
	}
	*out = jsonWriteUtf8(*out, code);
	return at;
}

static brResult jsonString(JsonReader* reader, const char** outText)
{
	static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	brTextCursor* cursor = &reader->cursor;
	const char* at = cursor->at + 1;
	size_t length = 0; // an upper bound: no escape is shorter than what it stands for
	for (; at[length] != '"'; ++length)
	{
		if ((unsigned char)at[length] < ' ')
		{
			cursor->at = at + length;
			return jsonFail(reader, "a text is not ended by \"");
		}
		length += at[length] == '\\' && at[length + 1] != 0;
	}
	char* text = brArena_Alloc(reader->arena, length + 1);
	if (text == NULL)
	{
		return brFailMemory(reader->report);
	}
	*outText = text;
	while (*at != '"')
	{
		if (*at != '\\')
		{
			*text++ = *at++;
			continue;
		}
		const char* escape = at[1] != 0 ? strchr(escapes, at[1]) : NULL;
		cursor->at = at;
		at = escape != NULL ? at + 2 : at[1] == 'u' ? jsonUnicode(at + 2, &text) : NULL;
		if (at == NULL)
		{
			return jsonFail(reader, "\\ is followed by something that it cannot be");
		}
		if (escape != NULL)
		{
			*text++ = meanings[escape - escapes];
		}
	}
	*text = 0;
	cursor->at = at + 1;
	return br_success;
}

static bool jsonWord(JsonReader* reader, const char* word)
{
	size_t length = strlen(word);
	bool isIt = strncmp(reader->cursor.at, word, length) == 0;
	reader->cursor.at += isIt ? length : 0;
	return isIt;
}

// One value into `node`; of an array or object the bracket that opens it.
static brResult jsonValue(JsonReader* reader, brJson* node)
{
	char first = *reader->cursor.at;
	if (first == '"')
	{
		node->kind = br_jsonString;
		return jsonString(reader, &node->text);
	}
	if (first == '-' || jsonIsDigit(first))
	{
		node->kind = br_jsonNumber;
		return jsonNumber(reader, &node->number);
	}
	if (first == '{' || first == '[')
	{
		if (reader->depth == BR_JSON_MAX_DEPTH)
		{
			return jsonFail(reader, "the JSON text is nested more than 1000 deep");
		}
		node->kind = first == '{' ? br_jsonObject : br_jsonArray;
		reader->open[reader->depth++] = (JsonOpen){node, &node->child};
		reader->cursor.at += 1;
		return br_success;
	}
	if (jsonWord(reader, "null"))
	{
		return br_success;
	}
	node->kind = jsonWord(reader, "true") ? br_jsonTrue : br_jsonFalse;
	if (node->kind == br_jsonTrue || jsonWord(reader, "false"))
	{
		return br_success;
	}
	return jsonFail(reader,
					reader->cursor.at >= reader->cursor.end ? "the JSON text breaks off" : "here should be a value");
}

static brResult jsonKey(JsonReader* reader, brJson* node)
{
	if (*reader->cursor.at != '"')
	{
		return jsonFail(reader, reader->cursor.at >= reader->cursor.end ? "the JSON text breaks off"
																		: "here should be a key in \"\"");
	}
	brResult result = jsonString(reader, &node->key);
	if (result < 0)
	{
		return result;
	}
	jsonSkipSpace(reader);
	if (*reader->cursor.at != ':')
	{
		return jsonFail(reader, "behind a key should be :");
	}
	reader->cursor.at += 1;
	jsonSkipSpace(reader);
	return br_success;
}

// The next member of what is innermost open, or the root.
static brResult jsonMember(JsonReader* reader, brJson** outRoot)
{
	brJson* node = brArena_Alloc(reader->arena, sizeof(brJson));
	if (node == NULL)
	{
		return brFailMemory(reader->report);
	}
	*node = (brJson){.line = reader->cursor.line < INT32_MAX ? (int32_t)reader->cursor.line : 0};
	if (reader->depth == 0)
	{
		*outRoot = node;
		return jsonValue(reader, node);
	}
	JsonOpen* open = &reader->open[reader->depth - 1];
	brResult result = open->node->kind == br_jsonObject ? jsonKey(reader, node) : br_success;
	if (result < 0)
	{
		return result;
	}
	*open->end = node;
	open->end = &node->next;
	open->node->count += 1;
	return jsonValue(reader, node);
}

// Past the brackets that close, and one comma if another member must follow. A bracket may close at once what `isFirst`
// has opened.
static brResult jsonAfterValue(JsonReader* reader, bool isFirst)
{
	while (reader->depth > 0)
	{
		jsonSkipSpace(reader);
		char c = *reader->cursor.at;
		if (c == (reader->open[reader->depth - 1].node->kind == br_jsonObject ? '}' : ']'))
		{
			reader->depth -= 1;
			reader->cursor.at += 1;
			isFirst = false;
			continue;
		}
		if (isFirst)
		{
			return br_success;
		}
		if (c != ',')
		{
			return jsonFail(reader, reader->cursor.at >= reader->cursor.end
										? "the JSON text breaks off"
										: "here should be , or a bracket that closes");
		}
		reader->cursor.at += 1;
		jsonSkipSpace(reader);
		return br_success;
	}
	return br_success;
}

static brResult jsonRead(JsonReader* reader, brJson** outRoot)
{
	reader->cursor.at += strncmp(reader->cursor.at, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; // the mark of UTF-8
	jsonSkipSpace(reader);
	do
	{
		int32_t depth = reader->depth;
		brResult result = jsonMember(reader, outRoot);
		if (result < 0)
		{
			return result;
		}
		result = jsonAfterValue(reader, reader->depth > depth);
		if (result < 0)
		{
			return result;
		}
		if (reader->cursor.at > reader->cursor.end)
		{
			return jsonFail(reader, "the JSON text breaks off");
		}
	} while (reader->depth > 0);
	jsonSkipSpace(reader);
	while (reader->cursor.at < reader->cursor.end && *reader->cursor.at == 0)
	{
		reader->cursor.at += 1;
		jsonSkipSpace(reader);
	}
	return reader->cursor.at >= reader->cursor.end
			   ? br_success
			   : jsonFail(reader, "there is something behind the end of the JSON text");
}

brResult brJson_Parse(brArena* arena, const char* text, size_t length, const brJson** outRoot, brReport* report)
{
	JsonReader* reader = brArena_Alloc(arena, sizeof(JsonReader)); // too large for the stack of a small thread
	if (reader == NULL)
	{
		return brFailMemory(report);
	}
	reader->arena = arena;
	reader->cursor = brMakeTextCursor(text, length);
	reader->begin = text;
	reader->report = report;
	reader->depth = 0;
	brJson* root = NULL;
	brResult result = jsonRead(reader, &root);
	if (result >= 0)
	{
		*outRoot = root;
	}
	return result;
}

const brJson* brJson_Get(const brJson* object, const char* key)
{
	if (!brJson_Is(object, br_jsonObject))
	{
		return NULL;
	}
	for (const brJson* member = object->child; member != NULL; member = member->next)
	{
		if (strcmp(member->key, key) == 0)
		{
			return member;
		}
	}
	return NULL;
}

const brJson* brJson_At(const brJson* array, int32_t index)
{
	const brJson* member = array != NULL ? array->child : NULL;
	for (; member != NULL && index > 0; --index)
	{
		member = member->next;
	}
	return index == 0 ? member : NULL;
}
