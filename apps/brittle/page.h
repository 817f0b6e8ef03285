// SPDX-License-Identifier: MIT
#pragma once

// The viewer's page, which `make viewer` makes: looked for beside the program, as installed, and in the build folder.

#include <stdbool.h>
#include <stddef.h>

typedef struct PageText
{
	char* bytes; // freed with free
	size_t size;
} PageText;

/// The whole file, with a zero byte behind it. False, and errno says why, if it cannot be read.
bool readPageFile(const char* path, PageText* outText);

/// The page with its mark for a recording. BRITTLE_VIEWER names another one.
bool findPage(PageText* outPage);

/// What to say if it is not there.
extern const char pageIsMissing[];

/// Where a recording, or the word that there is a server, goes into the page. Null if it has no such place.
const char* findPageMark(const PageText* page, size_t* outLength);

/// Hands an address to whatever opens pages here. It is no failure if nothing does.
bool openInBrowser(const char* address);
