// SPDX-License-Identifier: MIT

// What bodies are made of: presets, `like`, own values, and looks.

#include "scene/scene_reader.h"

#include <stdio.h>
#include <string.h>

// What a preset looks like: outside, and inside where it broke. Colors are linear.
typedef struct SceneLook
{
	const char* name;
	brVec4 color;
	float roughness, metallic;
	brVec4 interior;
} SceneLook;

static const SceneLook sceneLooks[] = {
	{"bone_china", {0.88f, 0.87f, 0.82f, 1.0f}, 0.12f, 0.0f, {0.90f, 0.88f, 0.83f, 1.0f}},
	{"brick", {0.42f, 0.13f, 0.075f, 1.0f}, 0.9f, 0.0f, {0.50f, 0.19f, 0.12f, 1.0f}},
	{"concrete", {0.40f, 0.39f, 0.37f, 1.0f}, 0.9f, 0.0f, {0.50f, 0.48f, 0.45f, 1.0f}},
	{"glass", {0.86f, 0.95f, 0.93f, 0.25f}, 0.05f, 0.0f, {0.62f, 0.88f, 0.80f, 0.55f}},
	{"granite", {0.36f, 0.34f, 0.34f, 1.0f}, 0.5f, 0.0f, {0.46f, 0.43f, 0.42f, 1.0f}},
	{"ice", {0.70f, 0.86f, 0.95f, 0.55f}, 0.15f, 0.0f, {0.85f, 0.93f, 0.98f, 0.8f}},
	{"laminated_glass", {0.84f, 0.94f, 0.91f, 0.3f}, 0.05f, 0.0f, {0.62f, 0.88f, 0.80f, 0.55f}},
	{"lead", {0.16f, 0.165f, 0.18f, 1.0f}, 0.5f, 0.6f, {0.16f, 0.165f, 0.18f, 1.0f}},
	{"marble", {0.56f, 0.53f, 0.48f, 1.0f}, 0.35f, 0.0f, {0.78f, 0.77f, 0.74f, 1.0f}},
	{"plaster", {0.64f, 0.61f, 0.54f, 1.0f}, 0.9f, 0.0f, {0.80f, 0.78f, 0.73f, 1.0f}},
	{"porcelain", {0.85f, 0.85f, 0.84f, 1.0f}, 0.15f, 0.0f, {0.80f, 0.74f, 0.64f, 1.0f}},
	{"rubber", {0.03f, 0.03f, 0.03f, 1.0f}, 0.8f, 0.0f, {0.03f, 0.03f, 0.03f, 1.0f}},
	{"steel", {0.30f, 0.31f, 0.33f, 1.0f}, 0.35f, 0.9f, {0.30f, 0.31f, 0.33f, 1.0f}},
	{"sugar_glass", {0.93f, 0.90f, 0.78f, 0.35f}, 0.08f, 0.0f, {0.93f, 0.90f, 0.80f, 0.6f}},
	{"tempered_glass", {0.86f, 0.95f, 0.93f, 0.25f}, 0.05f, 0.0f, {0.62f, 0.88f, 0.80f, 0.55f}},
	{"terracotta", {0.56f, 0.22f, 0.10f, 1.0f}, 0.8f, 0.0f, {0.66f, 0.32f, 0.18f, 1.0f}},
	{"tile", {0.72f, 0.70f, 0.66f, 1.0f}, 0.2f, 0.0f, {0.62f, 0.50f, 0.40f, 1.0f}},
	{"wood", {0.36f, 0.19f, 0.08f, 1.0f}, 0.7f, 0.0f, {0.50f, 0.32f, 0.16f, 1.0f}},
};

#define SCENE_LOOKS BR_COUNT(sceneLooks)

// What throws and stands, but does not break. Strength and toughness are the metals' and are never used.
// name, density, Young, Poisson, tensile, compressive, toughness, friction, restitution, Weibull, specimen, fatigue,
// hardness, rolling, grain, spinning, surface stress, film
static const brMaterial sceneToughMaterials[] = {
	{"lead", 11340.0, 16e9, 0.44, 15e6, 50e6, 20e6, 0.50, 0.10, 0.0, 0.0, 0.0, 60e6, 0.01, 0.0, 0.02, 0.0, 0.0},
	{"rubber", 1100.0, 20e6, 0.49, 15e6, 15e6, 20e6, 0.90, 0.70, 0.0, 0.0, 0.0, 1e9, 0.02, 0.0, 0.02, 0.0, 0.0},
	{"steel", 7850.0, 205e9, 0.29, 400e6, 400e6, 50e6, 0.45, 0.30, 0.0, 0.0, 0.0, 1.5e9, 0.001, 0.0, 0.02, 0.0, 0.0},
	{"wood", 650.0, 11e9, 0.35, 80e6, 40e6, 10e6, 0.50, 0.30, 0.0, 0.0, 0.0, 60e6, 0.01, 0.0, 0.02, 0.0, 0.0},
};

bool brSceneMaterial_Find(const char* name, brSceneMaterial* out)
{
	const brMaterial* physics = brFindMaterial(name);
	memset(out, 0, sizeof(*out));
	for (int32_t i = 0; i < BR_COUNT(sceneToughMaterials) && physics == NULL; ++i)
	{
		bool isIt = strcmp(sceneToughMaterials[i].name, name) == 0;
		physics = isIt ? &sceneToughMaterials[i] : NULL;
		out->isTough = isIt;
	}
	if (physics == NULL)
	{
		return false;
	}
	out->physics = *physics;
	out->look = brDefaultSurfaceMaterial();
	out->interior = out->look;
	for (int32_t i = 0; i < SCENE_LOOKS; ++i)
	{
		const SceneLook* look = &sceneLooks[i];
		if (strcmp(look->name, name) == 0)
		{
			out->look.baseColor = look->color;
			out->look.roughness = look->roughness;
			out->look.metallic = look->metallic;
			out->interior = out->look;
			out->interior.baseColor = look->interior;
			out->interior.roughness = 0.5f + 0.5f * look->roughness;
		}
	}
	snprintf(out->look.name, sizeof(out->look.name), "%s", name);
	snprintf(out->interior.name, sizeof(out->interior.name), "%s_inside", name);
	return true;
}

brSceneMaterial brDefaultSceneMaterial(void)
{
	brSceneMaterial material;
	brSceneMaterial_Find("steel", &material);
	return material;
}

static brResult sceneMaterialByName(brSceneReader* reader, const brDocNode* node, const char* name,
									brSceneMaterial* out)
{
	const char* names[64];
	int32_t count = 0;
	for (int32_t i = reader->materials.count - 1; i >= 0; --i)
	{
		if (strcmp(reader->materials.data[i].physics.name, name) == 0)
		{
			*out = reader->materials.data[i];
			return br_success;
		}
		if (count < 32)
		{
			names[count++] = reader->materials.data[i].physics.name;
		}
	}
	if (brSceneMaterial_Find(name, out))
	{
		return br_success;
	}
	for (int32_t i = 0; i < SCENE_LOOKS; ++i)
	{
		names[count++] = sceneLooks[i].name;
	}
	return sceneFail(reader, node, "there is no material '%.60s'%s", name,
					 brDoc_Advise(name, names, count, "there are").text);
}

typedef struct MaterialInput
{
	const brDocNode* like;
	const brDocNode* color;
	const brDocNode* interior;
	brMaterial physics;
	double roughness, metallic;
} MaterialInput;

static brResult sceneMaterialFromMap(brSceneReader* reader, const brDocNode* node, brSceneMaterial* out)
{
#define PHYSICS(name, member, lower, upper, isOpen)                                                                    \
	{                                                                                                                  \
		name, br_fieldNumber, offsetof(MaterialInput, physics.member), lower, upper, isOpen, NULL                      \
	}
	static const brField fields[] = {
		{"like", br_fieldNode, offsetof(MaterialInput, like), 0, 0, false, NULL},
		PHYSICS("density", density, 0.0, 1e6, true),
		PHYSICS("young", youngsModulus, 0.0, 1e15, true),
		PHYSICS("poisson", poissonRatio, 0.0, 0.4999, false),
		PHYSICS("tensile_strength", tensileStrength, 0.0, 1e15, true),
		PHYSICS("compressive_strength", compressiveStrength, 0.0, 1e15, true),
		PHYSICS("toughness", toughness, 0.0, 1e15, true),
		PHYSICS("friction", friction, 0.0, 10.0, false),
		PHYSICS("restitution", restitution, 0.0, 1.0, false),
		PHYSICS("weibull_modulus", weibullModulus, 0.0, 1e5, false),
		PHYSICS("specimen_volume", specimenVolume, 0.0, 1e6, false),
		PHYSICS("fatigue_exponent", fatigueExponent, 0.0, 1e5, false),
		PHYSICS("hardness", hardness, 0.0, 1e15, false),
		PHYSICS("rolling", rolling, 0.0, 1e5, false),
		PHYSICS("spinning", spinning, 0.0, 10.0, false),
		PHYSICS("surface_stress", surfaceStress, 0.0, 1e15, false),
		PHYSICS("film", film, 0.0, 1e15, false),
		PHYSICS("grain", grain, 0.0, 1e5, false),
		{"color", br_fieldNode, offsetof(MaterialInput, color), 0, 0, false, NULL},
		{"interior_color", br_fieldNode, offsetof(MaterialInput, interior), 0, 0, false, NULL},
		{"roughness", br_fieldNumber, offsetof(MaterialInput, roughness), 0.0, 1.0, false, NULL},
		{"metallic", br_fieldNumber, offsetof(MaterialInput, metallic), 0.0, 1.0, false, NULL},
	};
#undef PHYSICS
	const brDocNode* like = brDoc_Find(node, "like");
	brSceneMaterial material = brDefaultSceneMaterial();
	material.isTough = false; // values of one's own may break
	const char* name = NULL;
	brResult result = br_success;
	if (like != NULL)
	{
		result = brSceneReader_Word(reader, like, "like", &name);
		result = result < 0 ? result : sceneMaterialByName(reader, like, name, &material);
	}
	MaterialInput input;
	memset(&input, 0, sizeof(input));
	input.physics = material.physics;
	input.roughness = (double)material.look.roughness;
	input.metallic = (double)material.look.metallic;
	result = result < 0 ? result : BR_READ_MAP(reader, node, "a material", fields, &input);
	if (result >= 0 && input.color != NULL)
	{
		result = brSceneReader_Color(reader, input.color, "color", &material.look.baseColor);
		material.interior.baseColor = material.look.baseColor;
	}
	if (result >= 0 && input.interior != NULL)
	{
		result = brSceneReader_Color(reader, input.interior, "interior_color", &material.interior.baseColor);
	}
	const char* wrong = result >= 0 ? brMaterial_Check(&input.physics) : NULL;
	if (wrong != NULL)
	{
		return sceneFail(reader, node, "%s", wrong);
	}
	if (result < 0)
	{
		return result;
	}
	material.physics = input.physics;
	material.look.roughness = (float)input.roughness;
	material.look.metallic = (float)input.metallic;
	*out = material;
	return br_success;
}

brResult brSceneReader_Material(brSceneReader* reader, const brDocNode* node, brSceneMaterial* outMaterial)
{
	if (node->kind == br_docMap)
	{
		return sceneMaterialFromMap(reader, node, outMaterial);
	}
	const char* name = NULL;
	brResult result = brSceneReader_Word(reader, node, "material", &name);
	return result < 0 ? result : sceneMaterialByName(reader, node, name, outMaterial);
}

brResult brSceneReader_Materials(brSceneReader* reader, const brDocNode* map)
{
	if (map->kind != br_docMap)
	{
		return sceneFail(reader, map, "materials is a map of names and materials");
	}
	for (int32_t i = 0; i < map->count; ++i)
	{
		const brDocNode* key = map->children[2 * i];
		brSceneMaterial material;
		if (strlen(key->text) >= sizeof(material.physics.name))
		{
			return sceneFail(reader, key, "a material's name has at most %d bytes",
							 (int)sizeof(material.physics.name) - 1);
		}
		brResult result = brSceneReader_Material(reader, map->children[2 * i + 1], &material);
		if (result < 0)
		{
			return result;
		}
		snprintf(material.physics.name, sizeof(material.physics.name), "%s", key->text);
		snprintf(material.look.name, sizeof(material.look.name), "%s", key->text);
		snprintf(material.interior.name, sizeof(material.interior.name), "%s_inside", key->text);
		if (!BR_PUSH(&reader->allocator, &reader->materials, material))
		{
			return brFailMemory(reader->report);
		}
	}
	return br_success;
}
