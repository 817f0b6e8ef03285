// SPDX-License-Identifier: MIT
#pragma once

// Playing a scene and writing what came of it, for `run` and for the commands that make a scene first.

#include "command.h"

typedef struct RunOptions
{
	const char* output; // folder, or null: out/ and the scene's name
	double time;
	TextList changes;
	bool resume;
	bool pictures;
	bool frames;
	bool video;
	const char* sceneText; // the scene itself, to be saved beside its outputs; null: it is read from the file
	const char* story;     // what happened, to be told before "broke into N pieces"; null: nothing
	const char* hint;      // what would break it, behind "did not break"; null: nothing
	bool* held;            // set if nothing broke; then nothing is written or told. Null: all runs are alike
} RunOptions;

/// Rows that all commands which play have.
#define RUN_OPTIONS(options)                                                                                           \
	{"output", 'o', option_text, &(options)->output, "DIR", "where to write (default: out/NAME)"},                     \
		{"no-pictures", 0, option_not, &(options)->pictures, NULL, "no poster, no contact sheet"},                     \
		{"frames", 0, option_flag, &(options)->frames, NULL, "a picture of every frame"},                              \
	{                                                                                                                  \
		"video", 0, option_flag, &(options)->video, NULL, "an .mp4, if ffmpeg is here"                                 \
	}

/// Plays the scene at `path`, which also names the outputs. The exit code.
int runScene(CommandLine* line, const RunOptions* options, const char* path);

/// Drops the mesh in a file with default settings: `brittle run model.obj`. The exit code.
int dropFile(CommandLine* line, const RunOptions* options, const char* path);
