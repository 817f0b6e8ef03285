// SPDX-License-Identifier: MIT
#pragma once

// What the writers of whole scenes (glTF, USD) share: parts checked, named, and their materials gathered.

#include "io/formats.h"

/// Every part names one mesh that exists, keys that exist, and only finite numbers; or a sentence about the first that
/// does not.
brResult brCheckParts(const brWriteJob* job);

/// The part's name, or "part_N".
void brNamePart(const brPart* part, int32_t index, char outName[64]);

/// Does it move, or come and go?
static inline bool brPart_IsAnimated(const brPart* part)
{
	return part->keyCount > 0 || isfinite(part->bornTime) || isfinite(part->goneTime);
}

/// A copy of job->assembly turned from z up to y up; tet meshes become their surfaces. The caller destroys it.
brResult brMakeYUpAssembly(const brWriteJob* job, brAssembly** outAssembly);

/// First and last of all key, birth and end times. False if there is none.
bool brFindTimeRange(const brAssembly* assembly, double* outFirst, double* outLast);

typedef struct brMaterialList
{
	BR_ARRAY(brSurfaceMaterial) items;
	bool hasClamped; // a factor was out of range and is not any more
} brMaterialList;

/// Number of a material in the list, equal ones shared; its factors in range, its strings padded with zeros. Without
/// `keepTexture` the texture is left out. -1 without memory.
int32_t brMaterialList_Add(brMaterialList* list, const brAllocator* allocator, const brSurfaceMaterial* material,
						   bool keepTexture);

/// To 0 to 1, NaN to 0. True if that changed it.
static inline bool brClampUnit(float* value)
{
	float old = *value;
	*value = !(old >= 0.0f) ? 0.0f : old > 1.0f ? 1.0f : old;
	return *value != old;
}
