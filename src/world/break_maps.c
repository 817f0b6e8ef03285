// SPDX-License-Identifier: MIT

// Strength and grain from pictures and voxels: kept with the settings of a body, and what they say about its strength.

#include "base/memory.h"
#include "math/power.h"
#include "world/break_state.h"

#include <math.h>

enum
{
	mapFinest = 64, // samples of strength along the longest side of a mesh
};

bool brBreakMaps_Keep(const brContext* context, const brBreakDef* def, brBreakDef* own)
{
	const brScalarMap* from[2] = {def->strengthMap, def->grainMap};
	brScalarMap* copies[2] = {NULL, NULL};
	bool isDone = true;
	for (int32_t i = 0; i < 2 && isDone; ++i)
	{
		isDone = from[i] == NULL || brCreateScalarMap(context, from[i]->counts, from[i]->values, &copies[i], NULL) >= 0;
		if (copies[i] != NULL)
		{
			copies[i]->box = from[i]->box;
			copies[i]->isTiled = from[i]->isTiled;
		}
	}
	own->strengthMap = copies[0];
	own->grainMap = copies[1];
	if (!isDone)
	{
		brBreakMaps_Free(own);
	}
	return isDone;
}

void brBreakMaps_Free(brBreakDef* own)
{
	brDestroyScalarMap((brScalarMap*)own->strengthMap); // its own copies
	brDestroyScalarMap((brScalarMap*)own->grainMap);
	own->strengthMap = own->grainMap = NULL;
}

double brBreakMaps_Factor(const brBreakDef* def, brDVec3 point)
{
	brStrengthMap map = {def->strengthMap, def->weakest, 1.0};
	return def->strengthMap != NULL ? brStrengthFromMap(point, &map) : 1.0;
}

// A material without scatter breaks where it is weakest: a high modulus says nearly that.
static double mapModulus(const brBreakDef* def)
{
	return def->material.weibullModulus > 0.0 ? def->material.weibullModulus : 30.0;
}

// Mean of factor^-m over one triangle, in parts no longer than `step`.
static double mapMeanHazard(const brBreakDef* def, const brDVec3 corners[3], double step)
{
	double longest = fmax(brDDistance(corners[0], corners[1]),
						  fmax(brDDistance(corners[1], corners[2]), brDDistance(corners[2], corners[0])));
	int32_t parts = (int32_t)fmin(fmax(ceil(longest / step), 1.0), (double)mapFinest), count = 0;
	double sum = 0.0;
	for (int32_t i = 0; i < parts; ++i)
	{
		for (int32_t k = 0; k + i < parts; ++k)
		{
			double u = (i + 1.0 / 3.0) / parts, v = (k + 1.0 / 3.0) / parts;
			brDVec3 point = brDMul(1.0 - u - v, corners[0]);
			point = brDMulAdd(brDMulAdd(point, u, corners[1]), v, corners[2]);
			sum += brPower(brBreakMaps_Factor(def, point), -mapModulus(def));
			count += 1;
		}
	}
	return sum / count;
}

double brBreakMaps_Strength(const brBreakDef* def, const brMesh* mesh)
{
	if (def->strengthMap == NULL || mesh == NULL)
	{
		return 1.0;
	}
	brDBox3 box = brMesh_ComputeBounds(mesh);
	double step = brDDistance(box.lower, box.upper) / mapFinest, area = 0.0, hazard = 0.0;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		const int32_t* face = mesh->corners + mesh->faceStarts[f];
		for (int32_t k = 2; k < mesh->faceStarts[f + 1] - mesh->faceStarts[f]; ++k)
		{
			const brDVec3 corners[3] = {mesh->positions[face[0]], mesh->positions[face[k - 1]],
										mesh->positions[face[k]]};
			double part = 0.5 * brDLength(brDCross(brDSub(corners[1], corners[0]), brDSub(corners[2], corners[0])));
			area += part;
			hazard += part * mapMeanHazard(def, corners, step);
		}
	}
	return area > 0.0 ? brPower(hazard / area, -1.0 / mapModulus(def)) : 1.0;
}
