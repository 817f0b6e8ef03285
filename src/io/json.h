// SPDX-License-Identifier: MIT
#pragma once

// JSON text to a tree: strict (RFC 8259), bounded in depth, no recursion, numbers rounded correctly in any locale.
//
// The tree lives in an arena of the caller's and goes with it. A string may not hold a zero byte, so texts are plain C
// strings; bytes that are no UTF-8 are passed on as they are.

#include "base/memory.h"
#include "base/report.h"

typedef enum brJsonKind
{
	br_jsonNull = 0,
	br_jsonFalse,
	br_jsonTrue,
	br_jsonNumber,
	br_jsonString,
	br_jsonArray,
	br_jsonObject,
} brJsonKind;

typedef struct brJson
{
	brJsonKind kind;
	int32_t count;        // array and object: members
	int32_t line;         // from 1
	double number;        // number
	const char* text;     // string
	const char* key;      // of a member of an object
	struct brJson* next;  // in the array or object that it is in
	struct brJson* child; // array and object: the first member
} brJson;

#define BR_JSON_MAX_DEPTH 1000

/// The tree of a text. A zero byte must be readable at its end or somewhere behind. br_errorFormat: `report->text` says
/// what is wrong, `report->byte` where, counted from the beginning of the text, and `report->line` in which line. White
/// space and zero bytes may follow the value.
brResult brJson_Parse(brArena* arena, const char* text, size_t length, const brJson** outRoot, brReport* report);

/// The first member of an object with this key, or null; also null if `object` is null or no object.
const brJson* brJson_Get(const brJson* object, const char* key);

/// Member `index` of an array or object, or null.
const brJson* brJson_At(const brJson* array, int32_t index);

/// Whether there is a value of this kind. `json` may be null.
static inline bool brJson_Is(const brJson* json, brJsonKind kind)
{
	return json != NULL && json->kind == kind;
}
