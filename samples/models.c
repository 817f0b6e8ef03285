// SPDX-License-Identifier: MIT

// Makes built-in models and takes a picture of each: models [FOLDER] [NAME...]

#include <brittle/brittle.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int takePicture(const brContext* context, const char* name, const char* folder)
{
	brReport report = {0};
	brModelDef model = brDefaultModelDef(name);
	brMesh* mesh = NULL;
	if (brMakeModel(context, &model, &mesh, &report) < 0)
	{
		fprintf(stderr, "%s\n", report.text);
		return 1;
	}
	int32_t triangles = mesh->cornerCount - 2 * mesh->faceCount;

	brAssembly* assembly = brCreateAssembly(context);
	brPart part = brDefaultPart();
	part.mesh = brAssembly_AddMesh(assembly, mesh);
	brAssembly_AddPart(assembly, name, &part);

	brRenderDef def = brDefaultRenderDef();
	uint8_t* pixels = malloc(4 * (size_t)def.width * (size_t)def.height);
	char path[512];
	snprintf(path, sizeof(path), "%s/%s.png", folder, name);
	brResult result = brRender(context, assembly, &def, pixels, &report);
	if (result >= 0)
	{
		result = brSavePng(context, path, def.width, def.height, pixels, &report);
	}
	if (result >= 0)
	{
		printf("%s: %d triangles\n", path, triangles);
	}
	else
	{
		fprintf(stderr, "%s\n", report.text);
	}
	free(pixels);
	brDestroyAssembly(assembly);
	return result < 0;
}

int main(int argc, char** argv)
{
	const char* folder = argc > 1 ? argv[1] : ".";
	brWorkersDef workers = brDefaultWorkersDef();
	brContext context = {.workers = brCreateWorkers(&workers)};
	int failures = 0;
	for (int32_t i = 0; i < brModel_Count(); ++i)
	{
		bool isAsked = argc <= 2;
		for (int k = 2; k < argc; ++k)
		{
			isAsked = isAsked || strcmp(argv[k], brModel_Info(i)->name) == 0;
		}
		failures += isAsked ? takePicture(&context, brModel_Info(i)->name, folder) : 0;
	}
	brDestroyWorkers(context.workers);
	return failures != 0;
}
