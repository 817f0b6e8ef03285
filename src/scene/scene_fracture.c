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
} FractureMethod;

static const char* const fractureMethods[] = {"none", "shatter", "crack", "bonds", NULL};
static const char* const fracturePatterns[] = {"uniform", "clustered", "radial", "grid", "slices", "impact", NULL};

typedef struct FractureInput
{
	int32_t method;
	int32_t pattern;
	int32_t pieces;
	int32_t generations;
	double smallest, strength, efficiency, bondStrength;
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
		{"fatigue", br_fieldBool, offsetof(FractureInput, fatigue), 0, 0, false, NULL},
		{"efficiency", br_fieldNumber, offsetof(FractureInput, efficiency), 0.0, 1.0, false, NULL},
		{"ready", br_fieldBool, offsetof(FractureInput, ready), 0, 0, false, NULL},
		{"bond_strength", br_fieldNumber, offsetof(FractureInput, bondStrength), 0.0, 1e6, true, NULL},
		{"seed", br_fieldSeed, offsetof(FractureInput, seed), 0, 9e15, false, NULL},
		{"fixed", br_fieldNode, offsetof(FractureInput, fixed), 0, 0, false, NULL},
		{"interior_color", br_fieldNode, offsetof(FractureInput, interior), 0, 0, false, NULL},
	};
	return brDoc_ReadMap(&reader->document, node, "fracture", fields, (int32_t)(sizeof(fields) / sizeof(fields[0])),
						 input, reader->report);
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
	if (result >= 0 && input.method != fracture_none && material->isTough)
	{
		return sceneFail(reader, node,
						 "%s does not break; brittle materials are brick, concrete, glass, granite, ice, marble, "
						 "plaster, porcelain, terracotta, tile and others of docs/materials.md",
						 material->physics.name);
	}
	if (result < 0)
	{
		return result;
	}
	breaking->method = input.method == fracture_none    ? br_breakNone
					   : input.method == fracture_crack ? br_breakCrack
														: br_breakShatter;
	model->isCluster = input.method == fracture_bonds;
	if (input.ready && !model->isCluster)
	{
		return sceneFail(reader, node, "ready goes with the method bonds: the file's pieces hold together by bonds");
	}
	model->isReady = input.ready;
	model->bondStrength = input.bondStrength;
	// What is cut beforehand is hit nowhere yet.
	bool isUnset = model->isCluster && input.pattern == (int32_t)br_sitesImpact;
	breaking->pattern = isUnset ? br_sitesClustered : (brSitePattern)input.pattern;
	breaking->pieces = input.pieces;
	breaking->generations = input.generations;
	breaking->smallest = input.smallest;
	breaking->strength = input.strength;
	breaking->efficiency = input.efficiency;
	breaking->fatigue = input.fatigue;
	breaking->seed = input.seed;
	return br_success;
}
