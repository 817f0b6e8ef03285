// SPDX-License-Identifier: MIT
#pragma once

// What the program asks of the operating system beyond the library's base/os.h: other programs, folders, the terminal,
// the signals that end it. system_posix.c and system_windows.c have the bodies.

#include "base/os.h"

/// How another program ended.
typedef struct ProgramEnd
{
	bool hasStarted;
	bool isLate; // it was ended, since its time was over or we were asked to end
	int signal;  // that ended it, or 0
	int code;
} ProgramEnd;

/// Runs a program, found on the PATH, without a shell, and waits for it. `words` ends with null. With `outText` its
/// standard output goes there (at most `bytes`, terminated), what it says on stderr is dropped, and after `seconds`
/// without an end it is ended.
ProgramEnd runProgram(const char* const* words, char* outText, size_t bytes, double seconds);

/// The file of this program.
bool programPath(char* outPath, size_t bytes);

/// Shows an address in the user's browser. False if there is none.
bool openAddress(const char* address);

/// Calls `handler` at Ctrl-C and at requests to end, once; the next one ends the program at once.
void onEndSignals(void (*handler)(int signal));

bool isTerminal(FILE* file);
bool randomBytes(void* bytes, size_t count);

/// The words of the command line in UTF-8.
char** utf8Arguments(int* count, char** arguments);

/// An empty folder goes; 0, or -1.
int removeFolder(const char* path);

void sleepFor(double seconds);

/// Waits until nobody else holds the folder. A descriptor for brOs_Close, or -1.
int lockFolder(const char* path);

/// A stream whose bytes stay in memory: write to `file`, then finish; free(text) in any case.
typedef struct MemoryFile
{
	FILE* file;
	char* text;
	size_t size;
} MemoryFile;
bool openMemoryFile(MemoryFile* memory);
bool finishMemoryFile(MemoryFile* memory);
