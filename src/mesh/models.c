// SPDX-License-Identifier: MIT

// The table of built-in models: names, parameters, ranges, and who makes them.
//
// Ranges are chosen so that every combination of values inside them gives a sound solid; the one relation that ranges
// cannot say (a knot's windings must be coprime) is refused by its maker.

#include "mesh/models.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

#define PARAMETERS(list) (int32_t)(sizeof(list) / sizeof((list)[0])), list

static const brModelParameter modelBlob[] = {
	{"diameter", "m", 0.2, 0.001, 1000.0, "of the ball before it is roughened"},
	{"amplitude", "1", 0.35, 0.0, 0.8, "largest bump against the radius"},
	{"frequency", "1", 1.6, 0.1, 64.0, "bumps across the radius"},
	{"octaves", "1", 5.0, 1.0, 12.0, "layers of ever finer bumps"},
};
static const brModelParameter modelBowl[] = {
	{"width", "m", 0.16, 0.04, 2.0, "across the rim"},
	{"height", "1", 0.45, 0.25, 0.7, "against the width"},
	{"thickness", "1", 0.03, 0.01, 0.05, "of the wall against the width"},
};
static const brModelParameter modelBox[] = {
	{"width", "m", 1.0, 1e-3, 1e3, "along x"},
	{"depth", "m", 1.0, 1e-3, 1e3, "along y"},
	{"height", "m", 1.0, 1e-3, 1e3, "along z"},
};
static const brModelParameter modelBrick[] = {
	{"width", "m", 0.215, 1e-3, 1e3, "along x"},
	{"depth", "m", 0.1025, 1e-3, 1e3, "along y"},
	{"height", "m", 0.065, 1e-3, 1e3, "along z"},
	{"rounding", "1", 0.07, 0.0, 0.45, "radius of the edges against the shortest side; 0: sharp"},
};
static const brModelParameter modelColumn[] = {
	{"height", "m", 3.0, 0.1, 50.0, "base and capital included"},
	{"diameter", "1", 0.15, 0.05, 0.2, "of the shaft's foot against the height"},
	{"taper", "1", 0.83, 0.6, 1.0, "diameter at the top of the shaft against its foot"},
	{"flutes", "1", 20.0, 8.0, 40.0, "grooves round the shaft"},
	{"depth", "1", 0.075, 0.02, 0.12, "of a groove against the radius"},
};
static const brModelParameter modelCylinder[] = {
	{"diameter", "m", 0.1, 1e-3, 1e3, "across"},
	{"height", "m", 0.2, 1e-3, 1e3, "along z"},
};
static const brModelParameter modelIcosphere[] = {
	{"diameter", "m", 1.0, 1e-3, 1e3, "of the sphere its vertices lie on"},
};
static const brModelParameter modelKnot[] = {
	{"width", "m", 0.3, 1e-3, 1e3, "across, about"},
	{"p", "1", 2.0, 1.0, 7.0, "times round the axis, whole"},
	{"q", "1", 3.0, 1.0, 9.0, "times through the middle, whole, no divisor shared with p"},
	{"thickness", "1", 0.72, 0.1, 0.9, "of the rope against the thickest that does not touch itself"},
};
static const brModelParameter modelPane[] = {
	{"width", "m", 0.8, 0.01, 20.0, "along x"},
	{"height", "m", 0.6, 0.01, 20.0, "along z"},
	{"thickness", "m", 0.006, 1e-4, 0.1, "along y"},
};
static const brModelParameter modelPiggyBank[] = {
	{"length", "m", 0.22, 0.02, 10.0, "snout to tail"},
	{"thickness", "1", 0.03, 0.015, 0.1, "of the wall against the length"},
};
static const brModelParameter modelPlate[] = {
	{"width", "m", 0.27, 0.05, 2.0, "across the rim"},
	{"height", "1", 0.1, 0.07, 0.16, "against the width"},
	{"thickness", "1", 0.02, 0.008, 0.03, "of the wall against the width"},
};
static const brModelParameter modelStatue[] = {
	{"height", "m", 1.8, 0.05, 50.0, "plinth included, about"},
	{"slimness", "1", 1.0, 0.85, 1.25, "1 as drawn, more is thinner arms, neck and waist"},
	{"plinth", "1", 1.0, 0.5, 1.6, "height of the plinth, 1 as drawn"},
};
static const brModelParameter modelTorus[] = {
	{"width", "m", 1.0, 1e-3, 1e3, "across"},
	{"tube", "1", 0.25, 0.01, 0.49, "diameter of the tube against the width"},
};
static const brModelParameter modelVase[] = {
	{"height", "m", 0.32, 0.02, 5.0, "to the lip"},
	{"width", "1", 0.56, 0.4, 0.8, "of the belly against the height"},
	{"neck", "1", 0.4, 0.3, 0.8, "width of the neck against the belly"},
	{"thickness", "1", 0.018, 0.006, 0.03, "of the wall against the height"},
};
static const brModelParameter modelWineGlass[] = {
	{"height", "m", 0.2, 0.05, 1.0, "to the rim"},
	{"width", "1", 0.4, 0.3, 0.55, "of the bowl against the height"},
	{"rim", "1", 0.76, 0.65, 0.95, "width of the rim against the bowl"},
	{"stem", "1", 0.04, 0.03, 0.06, "width of the stem against the height"},
	{"thickness", "1", 0.008, 0.004, 0.012, "of the wall against the height"},
};

typedef struct ModelEntry
{
	brModelInfo info;
	brModelMaker* make;
} ModelEntry;

// In alphabetical order.
static const ModelEntry modelTable[] = {
	{{"blob", "a ball with seeded bumps", 40, 2, 2048, PARAMETERS(modelBlob)}, brMakeBlobModel},
	{{"bowl", "a bowl on a foot ring", 96, 3, 4096, PARAMETERS(modelBowl)}, brMakeBowlModel},
	{{"box", "a box of square cells", 1, 1, 4096, PARAMETERS(modelBox)}, brMakeBoxModel},
	{{"brick", "a box with rounded edges", 48, 1, 4096, PARAMETERS(modelBrick)}, brMakeBrickModel},
	{{"column", "a fluted column with base and capital", 120, 16, 4096, PARAMETERS(modelColumn)}, brMakeColumnModel},
	{{"cylinder", "a straight round bar or disc", 96, 3, 4096, PARAMETERS(modelCylinder)}, brMakeCylinderModel},
	{{"icosphere", "a ball of nearly equal triangles", 32, 1, 4096, PARAMETERS(modelIcosphere)}, brMakeIcosphereModel},
	{{"knot", "a rope along a torus knot", 32, 3, 2048, PARAMETERS(modelKnot)}, brMakeKnotModel},
	{{"pane", "an upright sheet of glass", 1, 1, 4096, PARAMETERS(modelPane)}, brMakePaneModel},
	{{"piggy_bank", "a hollow pig with a slot on its back", 40, 16, 1024, PARAMETERS(modelPiggyBank)},
	 brMakePiggyBankModel},
	{{"plate", "a dinner plate on a foot ring", 96, 3, 4096, PARAMETERS(modelPlate)}, brMakePlateModel},
	{{"statue", "a draped figure on a plinth, one arm free, one akimbo", 72, 16, 1024, PARAMETERS(modelStatue)},
	 brMakeStatueModel},
	{{"torus", "a ring", 128, 3, 4096, PARAMETERS(modelTorus)}, brMakeTorusModel},
	{{"vase", "a hollow vase with belly, neck and lip", 96, 3, 4096, PARAMETERS(modelVase)}, brMakeVaseModel},
	{{"wine_glass", "a thin-walled glass with stem and foot", 96, 3, 4096, PARAMETERS(modelWineGlass)},
	 brMakeWineGlassModel},
};

int32_t brGetModelCount(void)
{
	return (int32_t)(sizeof(modelTable) / sizeof(modelTable[0]));
}

const brModelInfo* brGetModelInfo(int32_t index)
{
	return index >= 0 && index < brGetModelCount() ? &modelTable[index].info : NULL;
}

bool brModel_IsSeeded(const brModelInfo* info)
{
	return ((const ModelEntry*)(const void*)info)->make == brMakeBlobModel; // the info lies first in its entry
}

static const ModelEntry* modelFind(const char* name)
{
	for (int32_t i = 0; i < brGetModelCount() && name != NULL; ++i)
	{
		if (strcmp(modelTable[i].info.name, name) == 0)
		{
			return &modelTable[i];
		}
	}
	return NULL;
}

brModelDef brDefaultModelDef(const char* name)
{
	brModelDef def;
	memset(&def, 0, sizeof(def));
	def.name = name;
	def.stamp = BR_STAMP(def);
	const ModelEntry* entry = modelFind(name);
	for (int32_t i = 0; entry != NULL && i < entry->info.parameterCount; ++i)
	{
		def.parameters[i] = entry->info.parameters[i].value;
	}
	return def;
}

static bool modelAllows(const brModelParameter* parameter, double value)
{
	return value >= parameter->lower && value <= parameter->upper;
}

bool brModelDef_SetParameter(brModelDef* def, const char* parameter, double value)
{
	if (parameter == NULL)
	{
		return false;
	}
	const ModelEntry* entry = modelFind(def->name);
	for (int32_t i = 0; entry != NULL && i < entry->info.parameterCount; ++i)
	{
		if (strcmp(entry->info.parameters[i].name, parameter) == 0 && modelAllows(&entry->info.parameters[i], value))
		{
			def->parameters[i] = value;
			return true;
		}
	}
	return false;
}

static brResult modelRefuseName(const char* name, brReport* report)
{
	char names[300] = "";
	size_t used = 0;
	for (int32_t i = 0; i < brGetModelCount() && used < sizeof(names); ++i)
	{
		used +=
			(size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "", modelTable[i].info.name);
	}
	return brFail(report, br_errorMisuse, "there is no model '%.60s'; there are %s", name != NULL ? name : "", names);
}

brResult brMakeModel(const brContext* context, const brModelDef* def, brMesh** outMesh, brReport* report)
{
	if (def == NULL || def->stamp != BR_STAMP(*def) || outMesh == NULL)
	{
		return brFail(report, br_errorMisuse, "a model needs a def from brDefaultModelDef and a place for the result");
	}
	const ModelEntry* entry = modelFind(def->name);
	if (entry == NULL)
	{
		return modelRefuseName(def->name, report);
	}
	const brModelInfo* info = &entry->info;
	int32_t resolution = def->resolution == 0 ? info->resolution : def->resolution;
	if (resolution < info->lowestResolution || resolution > info->highestResolution)
	{
		return brFail(report, br_errorMisuse, "%s takes a resolution from %d to %d, not %d", info->name,
					  info->lowestResolution, info->highestResolution, def->resolution);
	}
	for (int32_t i = 0; i < info->parameterCount; ++i)
	{
		const brModelParameter* parameter = &info->parameters[i];
		if (!modelAllows(parameter, def->parameters[i]))
		{
			return brFailAt(report, br_errorMisuse, i, "%s takes %s from %g to %g%s%s, not %g", info->name,
							parameter->name, parameter->lower, parameter->upper,
							strcmp(parameter->unit, "1") == 0 ? "" : " ",
							strcmp(parameter->unit, "1") == 0 ? "" : parameter->unit, def->parameters[i]);
		}
	}
	brModelInput input = {
		.allocator = brContext_Allocator(context),
		.workers = context != NULL ? context->workers : NULL,
		.resolution = resolution,
		.seed = def->seed,
		.parameters = def->parameters,
	};
	brMesh* mesh = NULL;
	brResult result = entry->make(&input, &mesh, report);
	if (result < 0)
	{
		return result;
	}
	*outMesh = mesh;
	return brSucceed(report);
}
