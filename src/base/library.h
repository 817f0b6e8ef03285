// SPDX-License-Identifier: MIT
#pragma once

// Heavy libraries that we can do without. They are opened when a call first needs them: a program that does not need
// them starts without their threads and memory, and runs where they are not installed. Headers are needed to build, no
// more.
//
//     typedef struct Assimp { __typeof__(aiImportFile)* aiImportFile; ... } Assimp;
//     static Assimp table;
//     if (!brLibrary_Find(br_libraryAssimp, names, count, &table, report)) return br_errorUnavailable;

#include "base/report.h"
#include "brittle/info.h"

typedef enum brLibrary
{
	br_libraryAssimp,
	br_libraryMeshoptimizer,
	br_libraryOpenCl,
	br_libraryPetsc,
	br_libraryCount,
} brLibrary;

/// What `brittle info` says of a library.
const brCapability* brLibrary_Capability(brLibrary library);

/// br_errorUnavailable with a sentence: this build was made without the library, and what brings it.
brResult brLibrary_FailAbsent(brLibrary library, brReport* report);

/// Opens the library; once opened it stays so until the process ends, since drivers do not survive a second load.
/// False with a sentence that names the package to install. `report` may be null.
bool brLibrary_Open(brLibrary library, brReport* report);

/// Opens the library and looks up functions by name. `table` is a struct of `count` function pointers in that order. It
/// is filled by the first call and left alone by later ones, from any thread. False with a sentence.
bool brLibrary_Find(brLibrary library, const char* const* names, int32_t count, void* table, brReport* report);
