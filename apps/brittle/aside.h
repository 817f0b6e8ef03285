// SPDX-License-Identifier: MIT
#pragma once

// Text files that appear complete or not at all: written under another name and renamed when all bytes are there. What
// is at the path already and no regular file (a device, a pipe) is written to as it is.

#include <stdbool.h>
#include <stdio.h>

typedef struct Aside
{
	FILE* file;
	const char* path; // the caller's
	char name[4096];  // empty for devices and pipes
} Aside;

/// False with errno set; there is nothing to finish then.
bool openAside(Aside* aside, const char* path);

/// Closes, and renames if `isGood` and every write went well; else nothing is left behind. False with errno set.
bool finishAside(Aside* aside, bool isGood);
