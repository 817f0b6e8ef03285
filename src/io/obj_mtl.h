// SPDX-License-Identifier: MIT
#pragma once

// The materials of an OBJ file, which live in a file of their own.

#include "io/formats.h"
#include "io/names.h"

#include "brittle/mesh.h"

typedef struct brMtlList
{
	brNames names;
	BR_ARRAY(brSurfaceMaterial) materials; // as many as names
	char missing[80];                      // first .mtl that could not be read
} brMtlList;

/// Index of the material with this name, a plain one if it is new; -1 without memory.
int32_t brMtl_Find(brMtlList* list, const brAllocator* allocator, const char* name, size_t length);

/// Reads the .mtl files that a line of an .obj names: several, or one with blanks in its name. Those that are not there
/// are no failure, the first is kept in list->missing. Only memory can fail.
brResult brMtl_ReadLibraries(brMtlList* list, const brReadJob* job, const char* names, size_t length);

/// Writes materials under the given names, which are unique.
void brMtl_Write(brOutput* output, const brSurfaceMaterial* materials, const brName* names, int32_t count);

void brMtl_Free(brMtlList* list, const brAllocator* allocator);
