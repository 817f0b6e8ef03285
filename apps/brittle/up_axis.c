// SPDX-License-Identifier: MIT
#include "up_axis.h"

#include <string.h>

static bool endsIn(const char* path, const char* ending)
{
	const char* dot = strrchr(path, '.');
	return strcmp(dot != NULL ? dot + 1 : path, ending) == 0;
}

static bool isGltf(const char* output)
{
	return endsIn(output, "glb") || endsIn(output, "gltf");
}

bool hasUpAxis(const char* output)
{
	return isGltf(output) || endsIn(output, "usda") || endsIn(output, "usdz");
}

void chooseUp(const CommandLine* line, const UpOptions* options, const char* input, const brMesh* mesh,
			  const char* output, brSaveDef* save)
{
	if (output == NULL || !hasUpAxis(output))
	{
		return;
	}
	if (options->turn || options->keep)
	{
		save->yUp = options->turn;
		return;
	}
	brMeshFrame frame = brGuessMeshFrame(input, mesh);
	save->isYUp = frame.isYUp;
	save->yUp = isGltf(output) && !frame.isYUp;
	if (save->yUp && !frame.isStated)
	{
		say(line,
			"note: %s seems to have z up (%.*s) and is turned, since y is up in this format; --z-up keeps its axes",
			input, (int)strcspn(frame.reason, ";"), frame.reason);
	}
}
