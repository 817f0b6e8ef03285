// SPDX-License-Identifier: MIT
#pragma once

/// @file models.h
/// Built-in models: closed, oriented, manifold solids with UVs, at any resolution, for demos, tests and benchmarks.
///
///     brModelDef def = brDefaultModelDef("wine_glass");
///     def.resolution = 64;
///     brMesh* glass;
///     brMakeModel(NULL, &def, &glass, NULL);
///
/// Models stand on z = 0 (z up), centered on the z axis, in meters at a natural size. Each has parameters with
/// defaults and ranges, any combination of which is sound; brGetModelInfo lists them.
///
/// Every model has one surface material, UVs and normals per corner. UVs keep the proportions of the surface as far as
/// it allows: boxes and the statue are projected on each side with 1 for the longest edge; revolved bodies and knots
/// have u once round and v along the profile in the same scale as u at the widest place, so v may pass 1 (tile it);
/// balls have u once round and v from pole to pole. Faces are planar: quads where the surface gives them, triangles
/// elsewhere.

#include "brittle/mesh.h"

/// One number that shapes a model.
typedef struct brModelParameter
{
	const char* name;
	const char* unit; ///< "m", "1", "rad"
	double value;     ///< Default.
	double lower, upper;
	const char* description;
} brModelParameter;

typedef struct brModelInfo
{
	const char* name;
	const char* description;
	int32_t resolution; ///< Default.
	int32_t lowestResolution, highestResolution;
	int32_t parameterCount;
	const brModelParameter* parameters;
} brModelInfo;

/// Number of built-in models.
BR_API int32_t brGetModelCount(void);

/// The i-th model in alphabetical order; null out of range.
BR_API const brModelInfo* brGetModelInfo(int32_t index);

#define BR_MODEL_MAX_PARAMETERS 12

/// Start from brDefaultModelDef(name).
typedef struct brModelDef
{
	const char* name;   ///< Of a built-in model.
	int32_t resolution; ///< Segments round the model; triangles grow with its square. 0: the model's default.
	uint64_t seed;      ///< For models with noise.
	double parameters[BR_MODEL_MAX_PARAMETERS]; ///< In the order of brModelInfo.parameters.
	uint32_t stamp;                             ///< Written by the default function. Leave it alone.
} brModelDef;

/// Defaults of that model. An unknown name gives a def that brMakeModel refuses with the list of names.
BR_API brModelDef brDefaultModelDef(const char* name);

/// Sets one parameter by name; false if the model has no such parameter or the value is out of range (NaN included).
BR_API bool brModelDef_SetParameter(brModelDef* def, const char* parameter, double value);

/// Makes the mesh of a built-in model, z up, standing on z = 0. Refuses unknown names and lists those there are.
/// `context` and `report` may be null.
BR_API brResult brMakeModel(const brContext* context, const brModelDef* def, brMesh** outMesh, brReport* report);
