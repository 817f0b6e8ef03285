// SPDX-License-Identifier: MIT
#pragma once

// What legacy and XML files of VTK have in common: number types, cell types, and points with cells over them.

#include "io/cells.h"

/// By the name in a legacy ("unsigned_char", "vtktypeint64") or XML ("UInt8") file, any case.
brNumberType brVtk_NumberType(const char* name, size_t length);

/// A whole number of a binary array. Floats that are not whole give false, with `outValue` untouched.
bool brVtk_LoadInt(brNumberType type, const uint8_t* bytes, bool isSwapped, int64_t* outValue);

// Numbers of VTK's cell types that are read or counted.
typedef enum brVtkCell
{
	br_vtkVertex = 1,
	br_vtkPolyVertex = 2,
	br_vtkLine = 3,
	br_vtkPolyLine = 4,
	br_vtkTriangle = 5,
	br_vtkStrip = 6,
	br_vtkPolygon = 7,
	br_vtkPixel = 8,
	br_vtkQuad = 9,
	br_vtkTet = 10,
} brVtkCell;

typedef struct brVtkGrid
{
	brAllocator allocator;
	BR_ARRAY(brDVec3) points;
	BR_ARRAY(int32_t) corners;
	BR_ARRAY(int32_t) ends;  // of each cell in `corners`
	BR_ARRAY(uint8_t) types; // brVtkCell of each cell
	BR_ARRAY(int32_t) tags;  // of each cell, or empty

	// By point, [points.count] or null, owned.
	brVec3* normals;
	brVec2* uvs;
	brVec4* colors;
	int32_t attributeCount;
} brVtkGrid;

void brVtkGrid_Init(brVtkGrid* grid, const brAllocator* allocator);
void brVtkGrid_Free(brVtkGrid* grid);

/// Is a cell array of this name a region number?
bool brVtk_IsTagName(const char* name, size_t length);

/// Is a point array of this name a color?
bool brVtk_IsColorName(const char* name, size_t length);

/// Checks the cells and makes the mesh. The grid is empty afterwards.
brResult brVtkGrid_Finish(brVtkGrid* grid, const brReadJob* job, brAssembly* assembly, brRemarks* remarks);

/// Same word, whatever the case? `lower` is lower-case.
bool brVtk_SameWord(const char* word, size_t length, const char* lower);
