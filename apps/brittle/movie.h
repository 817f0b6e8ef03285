// SPDX-License-Identifier: MIT
#pragma once

// Moving pictures: frames go to ffmpeg as they are drawn. The ending decides: .mp4, .webm, or .webp and .gif that loop.

#include "command.h"

/// Whether the ending names a moving picture.
bool isMovie(const char* path);

typedef struct MoviePlan
{
	double from, to;        // [s]
	double framesPerSecond; // of the movie
	double speed;           // 0.25 is slow motion, a quarter as fast as it was
} MoviePlan;

/// Draws an assembly over time into a movie; `def` is one of its pictures. Stops early, with what there is, if the user
/// wants to.
brResult drawMovie(CommandLine* line, const brAssembly* assembly, const brRenderDef* def, const char* path,
				   const MoviePlan* plan, brReport* report);
