// SPDX-License-Identifier: MIT
#pragma once

// Which way up a mesh is when it is written to a file that has an up axis. glTF stands on y: what stands on z in its
// own file is turned. USD says which one it is.

#include "command.h"

typedef struct UpOptions
{
	bool turn, keep;
} UpOptions;

#define UP_OPTIONS(options)                                                                                            \
	{"y-up", 0, option_flag, &(options)->turn, NULL, "glTF, USD: turn z to y, whatever it seems to stand on"},         \
	{                                                                                                                  \
		"z-up", 0, option_flag, &(options)->keep, NULL,                                                                \
			"glTF, USD: keep the axes (default: what stands on z is turned)"                                           \
	}

/// Whether files of this path or ending have an up axis.
bool hasUpAxis(const char* output);

/// Sets how to write `mesh`, which was read from `input`, to a file of the path or ending `output`, or null: none. A
/// guess that turns it is told.
void chooseUp(const CommandLine* line, const UpOptions* options, const char* input, const brMesh* mesh,
			  const char* output, brSaveDef* save);
