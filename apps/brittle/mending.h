// SPDX-License-Identifier: MIT
#pragma once

// Meshes from the user's files, mended on the way in: what a command needs a solid for is made one, and a note says what
// was done. --strict refuses instead.

#include "command.h"

typedef struct MendOptions
{
	const char* repair; // "", "gentle", "full", "remesh", or null: as the command does by itself
	bool strict;
	brMendDef def;
} MendOptions;

MendOptions defaultMendOptions(void);

/// The rows of a command's table of options.
#define MEND_OPTIONS(options)                                                                                          \
	{"repair",        0,                                                                                               \
	 option_optional, &(options)->repair,                                                                              \
	 "HOW",           "gentle (weld, stitch, orient), full (also fill holes, resolve crossings) or remesh (default)"}, \
		{"thicken",     0,                                                                                             \
		 option_double, &(options)->def.thickness,                                                                     \
		 "T",           "open surfaces become walls of this thickness [m]"},                                           \
		{"remesh-cells",                                                                                               \
		 0,                                                                                                            \
		 option_int,                                                                                                   \
		 &(options)->def.resolution,                                                                                   \
		 "N",                                                                                                          \
		 "cells of a new surface along the longest side, 8 to 512 (default: 128)"},                                    \
	{                                                                                                                  \
		"strict", 0, option_flag, &(options)->strict, NULL,                                                            \
			"refuse a mesh that is no clean solid instead of mending it"                                               \
	}

/// Reads the words. exit_usage, said, if they make no sense.
int checkMendOptions(const CommandLine* line, MendOptions* options);

/// Mends a mesh in place if it is no solid; a note says what was done.
brResult mendMesh(const CommandLine* line, const MendOptions* options, const char* name, brMesh** mesh,
				  brReport* report);

/// Pieces on their way into a file: each that would be read back as no clean solid is changed a little. What lies so
/// far from the origin that floats would bend it is moved there, all pieces by the same way.
typedef struct Settling
{
	bool isFloat;
	brDBox3 box; // of all pieces
	int32_t count, changed, bad;
} Settling;

/// For a file of this path or ending.
Settling beginSettling(const char* path);
/// To be called for every piece before the first is settled.
void measurePiece(Settling* settling, const brMesh* piece);
brResult settlePiece(const CommandLine* line, Settling* settling, brMesh** piece, brReport* report);
/// A note on how many were changed, or could not be helped.
void tellSettling(const CommandLine* line, const Settling* settling);

/// Loads a file as one solid.
brResult loadSolid(const CommandLine* line, const MendOptions* options, const char* path, brMesh** outMesh,
				   brReport* report);

/// A note where a file seems to be in another unit than meters, for commands whose answer depends on the size.
void tellUnit(const CommandLine* line, const char* path, const brMesh* mesh);

/// The way from a box to the origin if floats would be wrong by more than a ten-thousandth of its size where it lies,
/// else 0.
brDVec3 wayFromAfar(brDBox3 box);

/// Whether a file of this path or ending holds coordinates as floats.
bool holdsFloats(const char* path);
