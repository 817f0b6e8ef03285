// SPDX-License-Identifier: MIT

// Makes every built-in model, takes a picture of each and one of all of them: models [FOLDER] [NAME...]

#include <brittle/brittle.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
	shotWidth = 480,
	shotHeight = 420,
	shotsAcross = 5,
	shotsMax = 64,
};

typedef struct Shot
{
	const char* model;
	const char* suffix; // of the file
	bool isCutOpen, showsEdges;
} Shot;

// Fills width * height RGBA pixels with one model.
static brResult shootModel(const brContext* context, const Shot* shot, uint8_t* pixels, brReport* report)
{
	brModelDef model = brDefaultModelDef(shot->model);
	brMesh* mesh = NULL;
	brResult result = brMakeModel(context, &model, &mesh, report);
	if (result < 0)
	{
		return result;
	}
	brAssembly* assembly = brCreateAssembly(context);
	brPart part = brDefaultPart();
	part.mesh = brAssembly_AddMesh(assembly, mesh);
	brAssembly_AddPart(assembly, shot->model, &part);

	brRenderDef def = brDefaultRenderDef();
	def.width = shotWidth;
	def.height = shotHeight;
	def.samples = 64;
	def.clip = shot->isCutOpen;
	def.clipNormal = brMakeDVec3(0.3, -1.0, 0.0);
	def.edges = shot->showsEdges;
	result = brRender(context, assembly, &def, pixels, report);
	brDestroyAssembly(assembly);
	return result;
}

int main(int argc, char** argv)
{
	const char* folder = argc > 1 ? argv[1] : ".";
	Shot shots[shotsMax];
	int32_t count = 0;
	for (int32_t i = 0; i < brGetModelCount() && count < shotsMax - 2; ++i)
	{
		bool isAsked = argc <= 2;
		for (int k = 2; k < argc; ++k)
		{
			isAsked = isAsked || strcmp(argv[k], brGetModelInfo(i)->name) == 0;
		}
		if (isAsked)
		{
			shots[count++] = (Shot){brGetModelInfo(i)->name, "", false, false};
		}
	}
	if (argc <= 2)
	{
		// Two more fill the sheet and show what pictures can do.
		shots[count++] = (Shot){"vase", "_cut", true, false};
		shots[count++] = (Shot){"bowl", "_edges", false, true};
	}

	brWorkersDef workers = brDefaultWorkersDef();
	brContext context = {.workers = brCreateWorkers(&workers)};
	brReport report = {0};
	brResult result = br_success;
	int32_t rows = (count + shotsAcross - 1) / shotsAcross;
	size_t sheetPixels = (size_t)shotsAcross * shotWidth * (size_t)rows * shotHeight;
	uint8_t* shot = malloc(4 * (size_t)shotWidth * shotHeight);
	uint8_t* sheet = calloc(sheetPixels, 4);
	for (int32_t i = 0; i < count && shot != NULL && sheet != NULL && result >= 0; ++i)
	{
		char path[512];
		snprintf(path, sizeof(path), "%s/%s%s.png", folder, shots[i].model, shots[i].suffix);
		result = shootModel(&context, &shots[i], shot, &report);
		if (result >= 0)
		{
			result = brSavePng(&context, path, shotWidth, shotHeight, shot, &report);
		}
		for (int32_t y = 0; y < shotHeight; ++y)
		{
			size_t row = (size_t)(i / shotsAcross) * shotHeight + (size_t)y,
				   column = (size_t)(i % shotsAcross) * shotWidth;
			memcpy(sheet + 4 * (row * shotsAcross * shotWidth + column), shot + 4 * (size_t)y * shotWidth,
				   4 * (size_t)shotWidth);
		}
	}
	if (result >= 0 && sheet != NULL && count > 0)
	{
		char path[512];
		snprintf(path, sizeof(path), "%s/models.png", folder);
		result = brSavePng(&context, path, shotsAcross * shotWidth, rows * shotHeight, sheet, &report);
	}
	if (result < 0)
	{
		fprintf(stderr, "%s\n", report.text);
	}
	free(shot);
	free(sheet);
	brDestroyWorkers(context.workers);
	return result < 0;
}
