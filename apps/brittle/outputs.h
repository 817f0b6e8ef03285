// SPDX-License-Identifier: MIT
#pragma once

// What a command writes, and what it must not touch.
//
// A file named by -o is replaced, unless the command also reads it. A folder is another matter: the names in it are
// ours, not the user's, so a file of that name may be somebody else's. Each folder therefore has a list of what brittle
// wrote there, `.brittle_files`, one name a line. Only files on it are replaced or removed; any other in the way stops
// the command before it writes anything. The list names a file before the file is written, so that a process that is
// killed leaves nothing behind that the next one takes for a stranger's.

#include "command.h"

/// Whether `path`, or a file that is written along with it (.mtl, .bin, .ele), is one that the command reads, or is
/// there without `path` and so belongs to something else. False: it was said, and nothing is to be written.
bool isSafeOutput(const CommandLine* line, const char* path);

typedef struct OutputFolder
{
	const CommandLine* line;
	char path[1024];
	char** names; // sorted: those of the list, and those claimed since
	int32_t count, capacity;
	char** gone; // removed by us
	int32_t goneCount, goneCapacity;
} OutputFolder;

/// Reads the list of a folder, which need not be there, and removes temporary files of processes that died.
brResult openOutputs(OutputFolder* outputs, const CommandLine* line, const char* folder, brReport* report);

/// The same for the folder that a file is in; `outName` is the file's name there.
brResult openOutputsBeside(OutputFolder* outputs, const CommandLine* line, const char* path, const char** outName,
						   brReport* report);

/// Temporary files of processes that died while they wrote into a folder: they go.
void sweepAsides(const char* folder);

/// "FOLDER/NAME will be written": fails if it is there and not on the list, or is read by this command.
brResult claimOutput(OutputFolder* outputs, const char* name, brReport* report);

/// Whether the list has the name.
bool hasOutput(const OutputFolder* outputs, const char* name);

/// Makes the folder and those above it, and writes the list.
brResult saveOutputs(OutputFolder* outputs, brReport* report);

/// Removes the listed files PREFIX, number, ENDING with a number from `first` on and writes the list. How many went is
/// said.
brResult removeOldOutputs(OutputFolder* outputs, const char* prefix, const char* ending, int32_t first,
						  brReport* report);

/// One file off the list and off the disk, if it is on both.
void removeOutput(OutputFolder* outputs, const char* name);

void closeOutputs(OutputFolder* outputs);

// Pieces in a folder: piece_0000.ply and so on.

void piecePath(char* outPath, size_t bytes, const char* folder, int32_t index, const char* ending);

/// The list of the folder; fails if the pieces of an earlier command there are what this one reads.
brResult openPieces(OutputFolder* outputs, const CommandLine* line, const char* folder, const char* ending,
					brReport* report);
/// All names at once, before the first is written.
brResult claimPieces(OutputFolder* outputs, int32_t count, const char* ending, brReport* report);
/// Those from `count` on are of an earlier command: they go.
brResult removeOldPieces(OutputFolder* outputs, int32_t count, const char* ending, brReport* report);
