// SPDX-License-Identifier: MIT
#pragma once

// `collide --ccd`: what meets on the way from frame to frame, and when.

#include "command.h"

typedef struct CcdArgs
{
	bool isWanted;
	double separation;
	double tolerance;
} CcdArgs;

/// With `next` the files are objects and these their next frames; without, they are frames of one object, in order, or
/// the scene goes on by a frame at a time.
typedef struct CcdInput
{
	const TextList* next;
	const char* scene; // null: files
	double frame;
	int32_t resolution;
	const char* pairsPath; // or null
	bool self;
	brPairMethod method;
	const char* methodName;
} CcdInput;

/// The whole subcommand after its options were read.
int collideCcd(CommandLine* line, const CcdArgs* args, const CcdInput* input);
