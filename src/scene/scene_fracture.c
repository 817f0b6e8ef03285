// SPDX-License-Identifier: MIT

// How the bodies of an entry break: `fracture: shatter`, or a map with the method and its settings.

#include "scene/scene_reader.h"

#include <string.h>

typedef enum FractureMethod
{
	fracture_none = 0,
	fracture_shatter,
	fracture_crack,
	fracture_bonds,
	fracture_modal,
} FractureMethod;

static const char* const fractureMethods[] = {"none", "shatter", "crack", "bonds", "modal", NULL};
static const char* const fracturePatterns[] = {"uniform", "clustered", "radial", "grid", "slices", "impact", NULL};

typedef struct FractureInput
{
	int32_t method;
	int32_t pattern;
	int32_t pieces;
	int32_t generations;
	int32_t cluster, levels;
	double smallest, strength, efficiency, bondStrength, levelStrength, weakest, grain, grainSize;
	const char *strengthMap, *grainMap;
	bool fatigue, ready;
	uint64_t seed;
	const brDocNode* fixed;
	const brDocNode* interior;
} FractureInput;

static brResult fractureReadMap(brSceneReader* reader, const brDocNode* node, FractureInput* input)
{
	static const brField fields[] = {
		{"method", br_fieldChoice, offsetof(FractureInput, method), 0, 0, false, fractureMethods},
		{"pattern", br_fieldChoice, offsetof(FractureInput, pattern), 0, 0, false, fracturePatterns},
		{"pieces", br_fieldInteger, offsetof(FractureInput, pieces), 2, 10000, false, NULL},
		{"generations", br_fieldInteger, offsetof(FractureInput, generations), 1, 100, false, NULL},
		{"smallest", br_fieldNumber, offsetof(FractureInput, smallest), 0.0, 1e6, false, NULL},
		{"strength", br_fieldNumber, offsetof(FractureInput, strength), 0.0, 1e6, true, NULL},
		{"strength_map", br_fieldText, offsetof(FractureInput, strengthMap), 0, 0, false, NULL},
		{"weakest", br_fieldNumber, offsetof(FractureInput, weakest), 0.0, 1.0, true, NULL},
		{"grain", br_fieldNumber, offsetof(FractureInput, grain), 0.0, 1e3, false, NULL},
		{"grain_size", br_fieldNumber, offsetof(FractureInput, grainSize), 0.0, 1e3, false, NULL},
		{"grain_map", br_fieldText, offsetof(FractureInput, grainMap), 0, 0, false, NULL},
		{"fatigue", br_fieldBool, offsetof(FractureInput, fatigue), 0, 0, false, NULL},
		{"efficiency", br_fieldNumber, offsetof(FractureInput, efficiency), 0.0, 1.0, false, NULL},
		{"ready", br_fieldBool, offsetof(FractureInput, ready), 0, 0, false, NULL},
		{"bond_strength", br_fieldNumber, offsetof(FractureInput, bondStrength), 0.0, 1e6, true, NULL},
		{"cluster", br_fieldInteger, offsetof(FractureInput, cluster), 2, 10000, false, NULL},
		{"levels", br_fieldInteger, offsetof(FractureInput, levels), 1, BR_SHATTER_MAX_LEVELS, false, NULL},
		{"level_strength", br_fieldNumber, offsetof(FractureInput, levelStrength), 1.0, 1e6, false, NULL},
		{"seed", br_fieldSeed, offsetof(FractureInput, seed), 0, 9e15, false, NULL},
		{"fixed", br_fieldNode, offsetof(FractureInput, fixed), 0, 0, false, NULL},
		{"interior_color", br_fieldNode, offsetof(FractureInput, interior), 0, 0, false, NULL},
	};
	return BR_READ_MAP(reader, node, "fracture", fields, input);
}

static brResult fractureLoadMap(brSceneReader* reader, const brDocNode* node, const char* name,
								const brScalarMap** outMap)
{
	if (!reader->hasFiles)
	{
		return sceneFail(reader, node, "a scene from memory has no map files");
	}
	const char* path = brSceneReader_Path(reader, name);
	brReport inner = {0};
	brScalarMap* map = NULL;
	brResult result = path != NULL ? brLoadScalarMap(reader->context, path, &map, &inner) : br_errorMemory;
	if (result < 0)
	{
		sceneFail(reader, node, "%s", path != NULL ? inner.text : "there is no memory for a path");
		return result;
	}
	*outMap = map;
	return result;
}

static brResult fractureLoadMaps(brSceneReader* reader, const brDocNode* node, const FractureInput* input,
								 brSceneModel* model)
{
	bool isHit = input->method != fracture_none && input->method != fracture_bonds;
	if ((input->strengthMap != NULL && !isHit) ||
		((input->grain > 0.0 || input->grainMap != NULL) && input->method != fracture_crack))
	{
		return sceneFail(reader, node, "strength_map goes with the methods crack, shatter and modal, grain with crack");
	}
	brResult result = br_success;
	if (input->strengthMap != NULL)
	{
		result = fractureLoadMap(reader, node, input->strengthMap, &model->breaking.strengthMap);
	}
	if (result >= 0 && input->grainMap != NULL)
	{
		result = fractureLoadMap(reader, node, input->grainMap, &model->breaking.grainMap);
	}
	return result;
}

void brSceneModel_FreeMaps(brSceneModel* model)
{
	brDestroyScalarMap((brScalarMap*)model->breaking.strengthMap); // loaded above
	brDestroyScalarMap((brScalarMap*)model->breaking.grainMap);
	model->breaking.strengthMap = model->breaking.grainMap = NULL;
}

void brSceneModel_PlaceMaps(brSceneModel* model)
{
	brScalarMap* map = (brScalarMap*)model->breaking.strengthMap;
	if (map != NULL && map->counts[1] == 1)
	{
		map->box = brMesh_ComputeBounds(model->mesh);
	}
	else if (map != NULL)
	{
		map->box.lower = brDAdd(map->box.lower, model->origin);
		map->box.upper = brDAdd(map->box.upper, model->origin);
	}
}

brResult brSceneReader_Fracture(brSceneReader* reader, const brDocNode* node, const brSceneMaterial* material,
								brSceneModel* model)
{
	brBreakDef* breaking = &model->breaking;
	breaking->material = material->physics;
	breaking->interior = material->interior;
	FractureInput input = {
		.pattern = (int32_t)breaking->pattern,
		.pieces = breaking->pieces,
		.generations = breaking->generations,
		.smallest = breaking->smallest,
		.strength = breaking->strength,
		.fatigue = breaking->fatigue,
		.efficiency = breaking->efficiency,
		.bondStrength = 1.0,
		.levels = BR_SHATTER_MAX_LEVELS,
		.levelStrength = 2.0,
		.weakest = breaking->weakest,
	};
	brResult result = br_success;
	if (node != NULL && node->kind == br_docMap)
	{
		input.method = fracture_shatter;
		result = fractureReadMap(reader, node, &input);
	}
	else if (node != NULL)
	{
		const brField word = {"fracture", br_fieldChoice, 0, 0, 0, false, fractureMethods};
		result = brDoc_ReadField(&reader->document, node, &word, &input.method, reader->report);
	}
	if (result >= 0 && input.interior != NULL)
	{
		result = brSceneReader_Color(reader, input.interior, "interior_color", &breaking->interior.baseColor);
	}
	if (result >= 0 && input.fixed != NULL)
	{
		model->hasAnchor = true;
		result = input.method == fracture_bonds ? brSceneReader_Box(reader, input.fixed, "fixed", &model->anchor)
												: sceneFail(reader, input.fixed, "fixed goes with the method bonds");
	}
	result = result < 0 ? result : fractureLoadMaps(reader, node, &input, model);
	if (result >= 0 && input.method != fracture_none && material->isTough)
	{
		return sceneFail(
			reader, node, "%s does not break%s; docs/materials.md and brittle info list the materials that do",
			material->physics.name,
			strcmp(material->physics.name, "steel") == 0 ? ", and is what bodies without a material are of" : "");
	}
	if (result < 0)
	{
		return result;
	}
	breaking->method = input.method == fracture_none    ? br_breakNone
					   : input.method == fracture_crack ? br_breakCrack
					   : input.method == fracture_modal ? br_breakModal
														: br_breakShatter;
	model->isCluster = input.method == fracture_bonds;
	if (input.cluster > 0 && !model->isCluster)
	{
		return sceneFail(reader, node, "cluster goes with the method bonds: clusters of pieces that hold by them");
	}
	if (input.ready && !model->isCluster)
	{
		return sceneFail(reader, node, "ready goes with the method bonds: the file's pieces hold together by bonds");
	}
	model->isReady = input.ready;
	model->bondStrength = input.bondStrength;
	model->clusterSize = input.cluster;
	model->levelCount = input.levels;
	model->levelStrength = input.levelStrength;
	// What is cut beforehand is hit nowhere yet.
	bool isUnset = model->isCluster && input.pattern == (int32_t)br_sitesImpact;
	breaking->pattern = isUnset ? br_sitesClustered : (brSitePattern)input.pattern;
	breaking->pieces = input.pieces;
	breaking->generations = input.generations;
	breaking->smallest = input.smallest;
	breaking->strength = input.strength;
	breaking->efficiency = input.efficiency;
	breaking->fatigue = input.fatigue;
	breaking->weakest = input.weakest;
	breaking->grain = input.grain;
	breaking->grainSize = input.grainSize;
	breaking->seed = input.seed;
	return br_success;
}
