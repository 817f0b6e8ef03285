// SPDX-License-Identifier: MIT
#pragma once

#include "io/scene_parts.h"

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

void brUsda_Text(brUsdaWriter* writer, const char* text);
void brUsda_Time(brUsdaWriter* writer, double time);
void brUsda_Float(brUsdaWriter* writer, float value);
void brUsda_Tuple(brUsdaWriter* writer, const float* values, int32_t count);
void brUsda_Doubles(brUsdaWriter* writer, const double* values, int32_t count);
void brUsda_Matrix(brUsdaWriter* writer, const brAffine* map);
void brUsda_WriteMaterials(brUsdaWriter* writer);

/// A mesh prim. Shape `number` counts meshes first, then tet meshes.
brResult brUsda_WriteShape(brUsdaWriter* writer, const char* keyword, const char* name, int32_t number);

/// The whole text.
brResult brUsda_WriteScene(brUsdaWriter* writer);
