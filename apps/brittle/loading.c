// SPDX-License-Identifier: MIT
#include "loading.h"

#include "base/os.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool isRecording(const char* path)
{
	const char* dot = strrchr(path, '.');
	return dot != NULL && strcasecmp(dot, ".brec") == 0;
}

void explainFile(const char* path, brReport* report)
{
	static const struct
	{
		int length;
		const char *begin, *text;
	} kinds[] = {
		{20, "version https://git-", "it is a pointer of Git LFS: 'git lfs pull' brings the file itself"},
		{2, "\xff\xfe", "it is text of two bytes a letter (UTF-16): save it as UTF-8"},
		{2, "\xfe\xff", "it is text of two bytes a letter (UTF-16): save it as UTF-8"},
		{2, "\x1f\x8b", "it is compressed: unpack it first"},
		{4, "PK\x03\x04", "it is a zip archive: unpack it first"},
		{9, "<!DOCTYPE", "it is a web page: the download went wrong"},
		{5, "<html", "it is a web page: the download went wrong"},
		{8, "PXR-USDC", "it is binary USD: Blender, or 'usdcat IN -o OUT.usda', makes text of it"},
	};
	if (strstr(report->text, "names no format") != NULL && strstr(path, ".usdc") == NULL)
	{
		size_t used = strlen(report->text);
		snprintf(report->text + used, sizeof(report->text) - used,
				 "; a mesh ends in .obj .ply .stl .off .glb .gltf .usda .msh .vtk .vtu .mesh ...");
		return;
	}
	char begin[32] = {0};
	FILE* file = brOs_FileInfo(path).kind == br_fileRegular ? fopen(path, "rb") : NULL; // a pipe has been read
	if (file == NULL)
	{
		return;
	}
	size_t length = fread(begin, 1, sizeof(begin), file);
	fclose(file);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && length > 0; ++i)
	{
		if (strncasecmp(begin, kinds[i].begin, (size_t)kinds[i].length) == 0)
		{
			size_t used = strlen(report->text);
			snprintf(report->text + used, sizeof(report->text) - used, "; %s", kinds[i].text);
			return;
		}
	}
}

brResult loadMesh(const CommandLine* line, const char* path, brMesh** outMesh, brReport* report)
{
	brResult result = brLoadMesh(&line->context, path, outMesh, report);
	if (result < 0)
	{
		explainFile(path, report);
	}
	return result;
}

brResult loadAssembly(const CommandLine* line, const char* path, const Moment* moment, bool withGround,
					  brAssembly** outAssembly, brReport* report)
{
	brResult result;
	if (isRecording(path))
	{
		brRecording* recording = NULL;
		brRecordingView view = brDefaultRecordingView();
		view.ground = withGround;
		result = brLoadRecording(&line->context, path, &recording, report);
		if (result < 0)
		{
			return result;
		}
		result = brRecording_MakeAssembly(recording, &line->context, &view, outAssembly, report);
		brDestroyRecording(recording);
	}
	else
	{
		result = brLoadAssembly(&line->context, path, outAssembly, report);
		if (result < 0)
		{
			explainFile(path, report);
		}
	}
	if (result >= 0 && (moment->last || !isnan(moment->time)))
	{
		brAssembly_Freeze(*outAssembly, moment->last ? INFINITY : moment->time);
	}
	return result;
}

brResult loadSurface(const CommandLine* line, const char* path, const Moment* moment, brMesh** outMesh,
					 brReport* report)
{
	brAssembly* assembly = NULL;
	brResult result = loadAssembly(line, path, moment, false, &assembly, report);
	if (result < 0)
	{
		return result;
	}
	brResult flattened = brAssembly_Flatten(assembly, &line->context, outMesh, report);
	brDestroyAssembly(assembly);
	return flattened < 0 ? flattened : result;
}

bool isModelName(const char* name)
{
	for (int32_t i = 0; i < brGetModelCount(); ++i)
	{
		if (strcmp(brGetModelInfo(i)->name, name) == 0)
		{
			return true;
		}
	}
	return false;
}
