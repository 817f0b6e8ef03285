// SPDX-License-Identifier: MIT
#pragma once

// JSON as text in memory, written front to back. A failed allocation is remembered and later calls do nothing, so that
// the writer's code need not ask after every word.

#include "base/array.h"

typedef struct brJsonText
{
	brAllocator allocator;
	BR_ARRAY(char) text;
	bool failed;
} brJsonText;

/// Verbatim.
void brJson_Add(brJsonText* json, const char* text);
void brJson_Format(brJsonText* json, const char* format, ...) BR_PRINTF_LIKE(2, 3);

/// In quotes and escaped; bytes that are not UTF-8 become U+FFFD.
void brJson_String(brJsonText* json, const char* text);

void brJson_Float(brJsonText* json, float value);

/// "[a,b,c]".
void brJson_Double(brJsonText* json, double value);
void brJson_Doubles(brJsonText* json, const double* values, int32_t count);
void brJson_Floats(brJsonText* json, const float* values, int32_t count);

/// A comma, unless this is the first of its list; `isFirst` is then false.
void brJson_Comma(brJsonText* json, bool* isFirst);

void brJson_Destroy(brJsonText* json);

/// Length of the valid UTF-8 character at `text` (terminated), 0 if there is none: overlong forms, surrogates and what
/// is beyond U+10FFFF do not count.
int32_t brUtf8Length(const char* text);
