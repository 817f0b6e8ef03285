// SPDX-License-Identifier: MIT
#include "io/json_text.h"

#include "io/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void jsonAppend(brJsonText* json, const char* bytes, size_t byteCount)
{
	json->failed =
		json->failed || byteCount >= INT32_MAX || !BR_RESERVE(&json->allocator, &json->text, (int64_t)byteCount);
	if (!json->failed && byteCount > 0)
	{
		memcpy(json->text.data + json->text.count, bytes, byteCount);
		json->text.count += (int32_t)byteCount;
	}
}

void brJson_Add(brJsonText* json, const char* text)
{
	jsonAppend(json, text, strlen(text));
}

void brJson_Format(brJsonText* json, const char* format, ...)
{
	char text[512];
	va_list arguments;
	va_start(arguments, format);
	int written = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	jsonAppend(json, text, written > 0 ? (size_t)written : 0);
}

int32_t brUtf8Length(const char* text)
{
	const unsigned char* c = (const unsigned char*)text;
	if (c[0] < 0x80)
	{
		return c[0] != 0;
	}
	int32_t length = c[0] >= 0xC2 && c[0] < 0xE0 ? 2 : (c[0] & 0xF0) == 0xE0 ? 3 : c[0] >= 0xF0 && c[0] < 0xF5 ? 4 : 0;
	for (int32_t i = 1; i < length; ++i)
	{
		if ((c[i] & 0xC0) != 0x80)
		{
			return 0; // also at the terminator
		}
	}
	bool isOverlong = (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xF0 && c[1] < 0x90);
	bool isOutside = (c[0] == 0xED && c[1] >= 0xA0) || (c[0] == 0xF4 && c[1] >= 0x90);
	return isOverlong || isOutside ? 0 : length;
}

void brJson_String(brJsonText* json, const char* text)
{
	jsonAppend(json, "\"", 1);
	while (*text != 0)
	{
		int32_t length = brUtf8Length(text);
		if (length == 0)
		{
			jsonAppend(json, "\xEF\xBF\xBD", 3);
			text += 1;
			continue;
		}
		if (*text == '"' || *text == '\\')
		{
			jsonAppend(json, "\\", 1);
			jsonAppend(json, text, 1);
		}
		else if ((unsigned char)*text < 0x20 || *text == 0x7F)
		{
			brJson_Format(json, "\\u%04x", (unsigned)(unsigned char)*text);
		}
		else
		{
			jsonAppend(json, text, (size_t)length);
		}
		text += length;
	}
	jsonAppend(json, "\"", 1);
}

void brJson_Double(brJsonText* json, double value)
{
	char text[BR_NUMBER_CHARS];
	jsonAppend(json, text, (size_t)brPrintDouble(text, value));
}

void brJson_Float(brJsonText* json, float value)
{
	char text[BR_NUMBER_CHARS];
	jsonAppend(json, text, (size_t)brPrintFloat(text, value));
}

void brJson_Doubles(brJsonText* json, const double* values, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brJson_Add(json, i == 0 ? "[" : ",");
		brJson_Double(json, values[i]);
	}
	brJson_Add(json, "]");
}

void brJson_Floats(brJsonText* json, const float* values, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brJson_Add(json, i == 0 ? "[" : ",");
		brJson_Float(json, values[i]);
	}
	brJson_Add(json, "]");
}

void brJson_Comma(brJsonText* json, bool* isFirst)
{
	if (!*isFirst)
	{
		jsonAppend(json, ",", 1);
	}
	*isFirst = false;
}

void brJson_Destroy(brJsonText* json)
{
	BR_FREE_ARRAY(&json->allocator, &json->text);
}
