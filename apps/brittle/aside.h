// SPDX-License-Identifier: MIT
#pragma once

// Text files that appear complete or not at all: gathered in memory, then written by brSaveBytes.

#include "system.h"

typedef struct Aside
{
	FILE* file;       // in memory
	const char* path; // the caller's
	MemoryFile memory;
} Aside;

/// False without memory; there is nothing to finish then.
bool openAside(Aside* aside, const char* path);

/// Writes the file if `isGood` and every write went well; else nothing is left behind. False with errno set.
bool finishAside(Aside* aside, bool isGood);
