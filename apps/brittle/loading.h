// SPDX-License-Identifier: MIT
#pragma once

// Files as they are at one time: mesh files, recordings (.brec), and animations of .glb files.

#include "command.h"

typedef struct Moment
{
	double time; // NAN: not given
	bool last;
} Moment;

#define NO_MOMENT                                                                                                      \
	{                                                                                                                  \
		.time = NAN                                                                                                    \
	}

/// The rows of a command's table of options.
#define MOMENT_OPTIONS(moment)                                                                                         \
	{"time", 0, option_double, &(moment)->time, "S", "a recording or animation as it is at this time [s]"},            \
	{                                                                                                                  \
		"last", 0, option_flag, &(moment)->last, NULL, "as it is at its end"                                           \
	}

/// Whether a built-in model has this name.
bool isModelName(const char* name);

/// Whether the path names a recording.
bool isRecording(const char* path);

/// Adds to a report about a file that cannot be read what it really is, if its first bytes tell.
void explainFile(const char* path, brReport* report);

/// brLoadMesh, with that.
brResult loadMesh(const CommandLine* line, const char* path, brMesh** outMesh, brReport* report);

/// Reads a mesh file or a recording; a recording with its ground if `withGround`. If the moment is given only what is
/// there then is left, and nothing moves.
brResult loadAssembly(const CommandLine* line, const char* path, const Moment* moment, bool withGround,
					  brAssembly** outAssembly, brReport* report);

/// Same, as one surface. Without a moment it is the first one.
brResult loadSurface(const CommandLine* line, const char* path, const Moment* moment, brMesh** outMesh,
					 brReport* report);
