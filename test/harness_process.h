// SPDX-License-Identifier: MIT
#pragma once

// How a test becomes a process of its own: harness_posix.c copies this one, harness_windows.c starts the program again.

#include "harness.h"

#include <stdio.h>

#define BR_TEST_MAX_FOLDER 160

#ifdef _WIN32
#define BR_TEST_PROGRAM_ENDING ".exe"
typedef void* brTestProcess;
#else
#include <sys/types.h>
#define BR_TEST_PROGRAM_ENDING ""
typedef pid_t brTestProcess;
#endif

typedef struct brTestEnd
{
	int code;        // what the process returned; negative if it crashed or was ended
	const char* how; // in words
	double processorSeconds;
} brTestEnd;

/// What the test says goes to `output`. False if there can be no process.
bool brTestProcess_Start(brTestProcess* process, brTest* test, FILE* output, const char* scratchFolder);

/// Does not wait, unless `endNow` asks to end it. The process is let go of once it has ended.
bool brTestProcess_HasEnded(brTestProcess* process, bool endNow, brTestEnd* end);

/// A new folder for files that do not stay, '/' between folders.
bool brTest_MakeScratchFolder(char path[BR_TEST_MAX_FOLDER]);
