// SPDX-License-Identifier: MIT
#pragma once

// What legacy and XML files of VTK have in common: number types, cell types, and points with cells over them.

#include "io/cells.h"

typedef enum brVtkType
{
	br_vtkNoType,
	br_vtkBit,
	br_vtkString,
	br_vtkInt8,
	br_vtkUInt8,
	br_vtkInt16,
	br_vtkUInt16,
	br_vtkInt32,
	br_vtkUInt32,
	br_vtkInt64,
	br_vtkUInt64,
	br_vtkFloat32,
	br_vtkFloat64,
} brVtkType;

/// By the name in a legacy ("unsigned_char", "vtktypeint64") or XML ("UInt8") file, any case.
brVtkType brVtkType_FromName(const char* name, size_t length);

/// Of one number; 0 for bits and strings.
static inline size_t brVtkType_Bytes(brVtkType type)
{
	static const uint8_t bytes[] = {0, 0, 0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
	return bytes[type];
}

/// One number of a binary array. Integers come out of floats only if they are whole; `outValue` is else untouched and
/// the result false.
double brVtk_LoadDouble(brVtkType type, const uint8_t* bytes, bool isSwapped);
bool brVtk_LoadInt(brVtkType type, const uint8_t* bytes, bool isSwapped, int64_t* outValue);

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
