// SPDX-License-Identifier: MIT
#pragma once

// Names of groups and materials, each once, found by hash.

#include "base/array.h"
#include "base/slots.h"

typedef struct brName
{
	char text[64];
} brName;

typedef struct brNames
{
	BR_ARRAY(brName) list;
	brSlots slots; // indices into the list
} brNames;

/// The name as brMesh stores it: valid UTF-8 (bytes that are not are taken as Latin-1), control characters replaced by
/// '_', cut at a whole character, the rest of `out` zero. `text` needs no terminator.
void brCopyName(char* out, size_t capacity, const char* text, size_t length);

/// Index of the name, which is added if it is new; -1 without memory.
int32_t brNames_Add(brNames* names, const brAllocator* allocator, const char* text, size_t length);

/// Adds a name for sure, for formats that tell things apart by it: no blanks around it, no '#' before and no backslash
/// behind, not empty (then it is `kind` and its number), and if it is taken already, with its number behind. False
/// without memory.
bool brNames_AddUnique(brNames* names, const brAllocator* allocator, const char* text, const char* kind);

void brNames_Free(brNames* names, const brAllocator* allocator);
