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
	int32_t* materialOf;     // number in `materials` of each material of each mesh
	int64_t materialOfCount;
	brMaterialList materials;
	double frameRate;
	bool isFramed; // nearly all times are whole frames
	double firstTime, lastTime;
	bool hasTime;
	bool hasPhysics; // parts have masses: rigid bodies with colliders

	bool hasRounded, hasFixedValues, hasGroups, hasTets, hasTriangulated;
} brUsdaWriter;

void brUsdaWriter_Text(brUsdaWriter* writer, const char* text);
void brUsdaWriter_Time(brUsdaWriter* writer, double time);
void brUsdaWriter_Float(brUsdaWriter* writer, float value);
void brUsdaWriter_Tuple(brUsdaWriter* writer, const float* values, int32_t count);
void brUsdaWriter_Doubles(brUsdaWriter* writer, const double* values, int32_t count);
void brUsdaWriter_Matrix(brUsdaWriter* writer, const brAffine* map);

/// Whether an identifier cannot hold the name as it was given.
static inline bool brUsdaWriter_NeedsDisplayName(const char* identifier, const char* name)
{
	return name[0] != 0 && strcmp(identifier, name) != 0;
}

/// Then a line "displayName = ..." for the prim's parentheses; else nothing.
void brUsdaWriter_DisplayName(brUsdaWriter* writer, const char* identifier, const char* name, const char* indent);

void brUsdaWriter_WriteMaterials(brUsdaWriter* writer);

/// A mesh prim. Shape `number` counts meshes first, then tet meshes.
brResult brUsdaWriter_WriteShape(brUsdaWriter* writer, const char* keyword, const char* name, int32_t number);

/// The whole text.
brResult brUsdaWriter_WriteScene(brUsdaWriter* writer);
