// SPDX-License-Identifier: MIT
#pragma once

#include "io/scene_parts.h"

#include <string.h>

#define USDA_NAME_BYTES 96

// A USD file while it is written.
typedef struct brUsdaWriter
{
	const brWriteJob* job;
	brOutput output;
	char (*partNames)[USDA_NAME_BYTES];     // [partCount + groupCount]
	char (*materialNames)[USDA_NAME_BYTES]; // [materialNameCount]
	int32_t materialNameCount;
	int32_t* uses;           // [meshCount + tetMeshCount] parts that show it
	int32_t* firstMaterials; // [meshCount]: where its materials start in materialOf
	int32_t* order;          // [partCount] parts as they are written: those of a group one after the other
	int32_t* materialOf;     // number in `materials` of each material of each mesh
	int64_t materialOfCount;
	brMaterialList materials;
	double frameRate;
	bool isFramed; // nearly all times are whole frames
	double firstTime, lastTime;
	bool hasTime;
	bool isSplit;    // shapes are in a file of their own
	bool hasPhysics; // parts have masses: rigid bodies with colliders

	bool hasRounded, hasFixedValues, hasGroups, hasTets, hasTriangulated;
} brUsdaWriter;

void brUsdaWriter_Text(brUsdaWriter* writer, const char* text);
void brUsdaWriter_Time(brUsdaWriter* writer, double time);
void brUsdaWriter_Float(brUsdaWriter* writer, float value);
void brUsdaWriter_Tuple(brUsdaWriter* writer, const float* values, int32_t count);
void brUsdaWriter_Doubles(brUsdaWriter* writer, const double* values, int32_t count);
void brUsdaWriter_Matrix(brUsdaWriter* writer, const brAffine* map);

/// Parts or shapes by their number; both calls may come from any thread.
typedef struct brUsdaItems
{
	int32_t count;
	int64_t (*corners)(const brUsdaWriter* writer, int32_t item); // that its text has
	brResult (*write)(brUsdaWriter* writer, int32_t item);
} brUsdaItems;

/// Writes all of them, in order.
brResult brUsdaWriter_WriteItems(brUsdaWriter* writer, const brUsdaItems* items);

/// Whether an identifier cannot hold the name as it was given.
static inline bool brUsdaWriter_NeedsDisplayName(const char* identifier, const char* name)
{
	return name[0] != 0 && strcmp(identifier, name) != 0;
}

/// Then a line "displayName = ..." for the prim's parentheses; else nothing.
void brUsdaWriter_DisplayName(brUsdaWriter* writer, const char* identifier, const char* name, const char* indent);

void brUsdaWriter_WriteMaterials(brUsdaWriter* writer);

/// A prim "mesh". Shape `number` counts meshes first, then tet meshes.
brResult brUsdaWriter_WriteShape(brUsdaWriter* writer, int32_t number);

/// How many corners it has at most.
int64_t brUsdaWriter_ShapeCorners(const brUsdaWriter* writer, int32_t number);

/// Whether a shape is a class that parts inherit: those that several show, or all of a file that is split.
static inline bool brUsdaWriter_IsShared(const brUsdaWriter* writer, int32_t number)
{
	return writer->uses[number] > (writer->isSplit ? 0 : 1);
}

/// The text but for shared shapes. `shapesName` is the file they are in, or null if they follow.
brResult brUsdaWriter_WriteScene(brUsdaWriter* writer, const char* shapesName);

/// The classes of shared shapes.
brResult brUsdaWriter_WriteShapes(brUsdaWriter* writer);
