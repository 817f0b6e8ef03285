// SPDX-License-Identifier: MIT
#pragma once

// JSON text (RFC 8259) as a tree of values. The tree lives in one arena and goes all at once.
//
// Strict in structure, lenient in strings: their bytes are taken as they are, whether valid UTF-8 or not, since names in
// files of others are often neither. A text may end in blanks and zero bytes, which pad the chunk of a .glb.

#include "base/memory.h"

#define BR_JSON_MAX_DEPTH 512

typedef enum brJsonKind
{
	br_jsonNull,
	br_jsonFalse,
	br_jsonTrue,
	br_jsonNumber,
	br_jsonString,
	br_jsonArray,
	br_jsonObject,
} brJsonKind;

typedef struct brJsonValue
{
	brJsonKind kind;
	int32_t count;             // array, object: values in it
	const char* key;           // in an object: its name, terminated; else null
	const char* string;        // terminated, without a zero byte inside; else null
	double number;             // infinite if the text has a larger one
	struct brJsonValue* child; // array, object: the first value in it, in the order of the file
	struct brJsonValue* next;  // the value after this one in the array or object
} brJsonValue;

typedef struct brJsonTree
{
	brArena arena;
	brJsonValue* root;
	const char* problem; // what is wrong, when reading failed; null without memory
	size_t problemAt;    // byte of the text
} brJsonTree;

/// Reads the text. A zero byte must follow somewhere at or behind text[length], and all bytes up to it be readable. False
/// with `problem`; brJsonTree_Destroy is due either way.
bool brJsonTree_Read(brJsonTree* tree, const brAllocator* allocator, const char* text, size_t length);
void brJsonTree_Destroy(brJsonTree* tree);

/// The first member of that name, null if there is none or `object` is null or no object.
const brJsonValue* brJson_Member(const brJsonValue* object, const char* key);

/// The i-th value, null if there is none.
const brJsonValue* brJson_Item(const brJsonValue* array, int32_t index);

static inline bool brJson_Is(const brJsonValue* value, brJsonKind kind)
{
	return value != NULL && value->kind == kind;
}

/// Values in an array or object; 0 for null and everything else.
static inline int32_t brJson_Count(const brJsonValue* value)
{
	return value != NULL ? value->count : 0;
}
