// SPDX-License-Identifier: MIT
#pragma once

// Moving pictures: frames go to ffmpeg as they are drawn. The ending decides: .mp4, .webm, or .webp and .gif that loop.

#include "command.h"

#include <sys/types.h>

typedef struct Movie
{
	char path[1600], partial[1640]; // written under the second name, which becomes the first
	size_t frameBytes;
	pid_t encoder;
	int pipe;
	bool isBroken;
} Movie;

/// Whether the ending names a moving picture.
bool isMovie(const char* path);

/// Starts ffmpeg. Sizes are even. False: it is not here.
bool openMovie(Movie* movie, const char* path, int32_t width, int32_t height, double framesPerSecond);

/// One frame of RGBA bytes.
void addMovieFrame(Movie* movie, const uint8_t* pixels);

/// Waits for the file. False: ffmpeg failed, and there is none.
bool closeMovie(Movie* movie);

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
