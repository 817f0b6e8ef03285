// SPDX-License-Identifier: MIT
#pragma once

// `collide --sequence` and `collide --scene NAME --frames N`: overlapping boxes of frame after frame, each with the
// help of the last.

#include "command.h"

typedef struct FramesArgs
{
	bool isSequence;      // files are frames of one object, in order
	int32_t count;        // of frames of a scene, 0: none asked for
	double step;          // frames of the scene from one to the next
	const char* strategy; // of --method front
	int32_t cycle;
} FramesArgs;

typedef struct FramesInput
{
	const char* scene; // null: files
	double frame;
	int32_t resolution;
	bool isFront;          // --method front, else oi
	brGpu* gpu;            // null: the CPU
	const char* pairsPath; // of the last frame, or null
} FramesInput;

/// The whole subcommand after its options were read.
int collideFrames(CommandLine* line, const FramesArgs* args, const FramesInput* input);

/// Whether a strategy of this name exists.
bool isFrontStrategy(const char* name);
