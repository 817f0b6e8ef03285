// SPDX-License-Identifier: MIT
#pragma once

// Asking a library of this machine whether it works, in a child process: drivers of devices and their helpers abort,
// hang or start threads without end on some machines, and then only the child is lost.

#include "command.h"

typedef enum AskAnswer
{
	ask_here,   // it works; the text is what it told
	ask_absent, // it said that it does not work, in a sentence
	ask_died,   // the child did not survive it; the sentence is ours
} AskAnswer;

/// `brittle info --ask NAME` in a child; its answer, at most `bytes` with the zero. A child that is silent for 20 s
/// (BRITTLE_ASK_SECONDS) is ended.
AskAnswer askLibrary(const char* name, char* outText, size_t bytes);

/// Whether OpenCL can be asked in this process without ending it. The answer is remembered in the cache folder until the
/// drivers, the environment or the kernel's start change; `isFresh` asks again. False: `outText` is a sentence.
bool canAskOpenCl(bool isFresh, char* outText, size_t bytes);

/// A file in the user's cache folder, $XDG_CACHE_HOME/brittle or ~/.cache/brittle; null: the folder. False: there is
/// none.
bool cachePath(const char* name, char* outPath, size_t bytes);
