// SPDX-License-Identifier: MIT
#include "loading.h"

#include <stdlib.h>
#include <string.h>

static void listModels(const CommandLine* line)
{
	if (line->json)
	{
		Json json = beginJson();
		jsonOpen(&json, "models", '[');
		for (int32_t i = 0; i < brGetModelCount(); ++i)
		{
			const brModelInfo* info = brGetModelInfo(i);
			jsonOpen(&json, NULL, '{');
			jsonText(&json, "name", info->name);
			jsonText(&json, "description", info->description);
			jsonInt(&json, "resolution", info->resolution);
			jsonOpen(&json, "parameters", '{');
			for (int32_t p = 0; p < info->parameterCount; ++p)
			{
				jsonNumber(&json, info->parameters[p].name, info->parameters[p].value);
			}
			jsonClose(&json, '}');
			jsonClose(&json, '}');
		}
		jsonClose(&json, ']');
		endJson(&json, line);
		return;
	}
	for (int32_t i = 0; i < brGetModelCount(); ++i)
	{
		const brModelInfo* info = brGetModelInfo(i);
		printf("%s: %s (--res %d)\n", info->name, info->description, info->resolution);
		for (int32_t p = 0; p < info->parameterCount; ++p)
		{
			const brModelParameter* parameter = &info->parameters[p];
			printf("    -p %s=%g  %s [%s], %g to %g\n", parameter->name, parameter->value, parameter->description,
				   parameter->unit, parameter->lower, parameter->upper);
		}
	}
}

// key=value onto the def, or a usage sentence.
static int setParameter(const CommandLine* line, brModelDef* def, const char* text)
{
	char key[64];
	const char* equals = strchr(text, '=');
	if (equals == NULL || (size_t)(equals - text) >= sizeof(key))
	{
		return failUsage(line, "-p takes key=value, not '%s'", text);
	}
	memcpy(key, text, (size_t)(equals - text));
	key[equals - text] = 0;
	char* end;
	double value = strtod(equals + 1, &end);
	const brModelInfo* info = NULL;
	for (int32_t i = 0; i < brGetModelCount(); ++i)
	{
		info = strcmp(brGetModelInfo(i)->name, def->name) == 0 ? brGetModelInfo(i) : info;
	}
	for (int32_t p = 0; info != NULL && p < info->parameterCount; ++p)
	{
		const brModelParameter* parameter = &info->parameters[p];
		bool isNumber = end != equals + 1 && *end == 0;
		if (strcmp(parameter->name, key) == 0 && !(isNumber && value >= parameter->lower && value <= parameter->upper))
		{
			return failUsage(line, "%s of %s takes %g to %g, not '%s'", key, def->name, parameter->lower,
							 parameter->upper, equals + 1);
		}
	}
	if (end == equals + 1 || *end != 0 || !brModelDef_SetParameter(def, key, value))
	{
		return failUsage(line, "%s takes no '%s'; brittle make --list shows its parameters and their ranges", def->name,
						 text);
	}
	return exit_done;
}

static void printModel(const CommandLine* line, const char* name, const char* path, const brMesh* mesh)
{
	int32_t triangles = mesh->cornerCount - 2 * mesh->faceCount;
	if (!line->json)
	{
		say(line, "%s: %d vertices, %d triangles", path, mesh->vertexCount, triangles);
		return;
	}
	Json json = beginJson();
	jsonText(&json, "model", name);
	jsonText(&json, "file", path);
	jsonInt(&json, "vertices", mesh->vertexCount);
	jsonInt(&json, "faces", mesh->faceCount);
	jsonInt(&json, "triangles", triangles);
	endJson(&json, line);
}

static int runMake(CommandLine* line)
{
	const char* output = NULL;
	int32_t resolution = 0;
	bool list = false;
	TextList parameters = {0};
	brSaveDef save = brDefaultSaveDef();
	save.yUp = true; // models stand on z; a .glb viewer expects y
	const Option options[] = {
		{"output", 'o', option_output, &output, "FILE", "where to write; the ending decides the format"},
		{"res", 0, option_int, &resolution, "N", "segments round the model; triangles grow with its square"},
		{"param", 'p', option_list, &parameters, "key=value", "a parameter of the model; may be given again"},
		{"list", 0, option_flag, &list, NULL, "list the models and their parameters"},
		{"ascii", 0, option_flag, &save.ascii, NULL, "text where the format has both kinds"},
		{"z-up", 0, option_not, &save.yUp, NULL, "glTF, USD: keep z up"},
	};
	if (!readOptions(line, options, sizeof(options) / sizeof(options[0]), 0, 1))
	{
		return line->exitCode;
	}
	if (list)
	{
		listModels(line);
		return exit_done;
	}
	if (line->positionalCount == 0 || output == NULL)
	{
		return failUsage(line, "usage: brittle make %s", line->command->synopsis);
	}
	if (!canWrite(line, output))
	{
		return exit_usage;
	}
	const char* name = line->positional[0];
	if (!isModelName(name))
	{
		return failUsage(line, "there is no model '%s'; brittle make --list shows them", name);
	}
	if (resolution < 0)
	{
		return failUsage(line, "--res takes a positive number");
	}
	brModelDef def = brDefaultModelDef(name);
	def.resolution = resolution;
	def.seed = line->seed;
	for (int32_t i = 0; i < parameters.count; ++i)
	{
		int exitCode = setParameter(line, &def, parameters.items[i]);
		if (exitCode != exit_done)
		{
			return exitCode;
		}
	}
	if (!beginWork(line, "making"))
	{
		return exit_no;
	}
	brReport report = {0};
	brMesh* mesh = NULL;
	brResult result = brMakeModel(&line->context, &def, &mesh, &report);
	result = result >= 0 ? brSaveMesh(&line->context, mesh, output, &save, &report) : result;
	endWork(line);
	int exitCode = result < 0 ? failData(line, &report) : exit_done;
	if (exitCode == exit_done)
	{
		printModel(line, name, output, mesh);
	}
	brDestroyMesh(mesh);
	return exitCode;
}

const Command command_make = {
	"make",
	"writes a built-in model: a glass, a vase, a brick, a statue...",
	"NAME [--res N] [-p key=value]... -o FILE",
	"Makes a closed, oriented, manifold solid with UVs, standing on the ground at its natural size in\n"
	"meters (z up; .glb and .usda are turned so that they stand in y-up tools too). --list shows what there is.",
	"brittle make wine_glass --res 96 -p height=0.22 -o glass.glb",
	runMake,
	false,
};
