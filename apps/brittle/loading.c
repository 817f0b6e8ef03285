// SPDX-License-Identifier: MIT
#include "loading.h"

#include <math.h>
#include <string.h>
#include <strings.h>

bool isRecording(const char* path)
{
	const char* dot = strrchr(path, '.');
	return dot != NULL && strcasecmp(dot, ".brec") == 0;
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
