// SPDX-License-Identifier: MIT
#pragma once

// Files in memory, in place of a file system: what the library opens, reads, writes and renames is here.
//
// They stand in for the calls of POSIX that src/io uses, under their names, so that readers and writers run unchanged.

#include "handles.h"

/// Adds or replaces a file; the bytes are copied. Names begin with "/".
bool webPutFile(const char* name, const void* bytes, size_t count);

/// Takes the bytes of a file, which is gone then. Null if there is none.
WebBytes* webTakeFile(const char* name);

/// Removes a file if it is there.
void webDropFile(const char* name);
