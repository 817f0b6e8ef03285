// SPDX-License-Identifier: MIT
#pragma once

#include "command.h"

/// Tet meshes of which all but the first move through it.
typedef struct ShowArgs
{
	const char* path;   // what is written: surfaces, and the tets that meet in each frame
	const char* times;  // or null: time of each frame as .csv for tools/plot
	brDVec3 move;       // of all meshes but the first, from the first frame to the last [m]
	int32_t frameCount; // 2 or more
	brGpu* gpu;         // null: the CPU
} ShowArgs;

/// Plays the frames, writes them and prints means. The exit code.
int showTets(CommandLine* line, const ShowArgs* args, const brCollideDef* def);
