// SPDX-License-Identifier: MIT
#pragma once

// Whole files in, whole files out.
//
// Input is read in one go. Output is gathered in a buffer, written to a temporary name beside the target and renamed
// over it by commit: a full disk or a crash leaves the old file as it was. A temporary file that a killed process left
// is taken over by the next that writes the same target. A link stays a link, what it names is replaced; devices and
// pipes are written to as they are, since a rename would put a file in their place.

#include "base/array.h"
#include "base/assert.h"
#include "base/report.h"

/// Reads a file, a big one by all workers of the context, which may be null. The block is freed with BR_FREE(allocator,
/// *outBytes, *outByteCount + 1); a zero byte follows the content.
brResult brReadFile(const brContext* context, const brAllocator* allocator, const char* path, uint8_t** outBytes,
					size_t* outByteCount, brReport* report);

/// Ending of temporary names, with a number that tells two writers of one target apart.
#define BR_OUTPUT_ASIDE ".brittle-%d.tmp"

/// Whether a name that a file gives for another one is relative and cannot climb out of the folder: no "..", no drive.
bool brPath_StaysBelow(const char* name);

/// Whether what lies at `path` is below the folder that its first `folderLength` characters name, links followed. True
/// if it is not there.
bool brPath_LeadsInto(const char* path, size_t folderLength);

#define BR_OUTPUT_BUFFER ((size_t)1 << 18)

typedef struct brOutput
{
	brAllocator allocator;
	const char* path; // the caller's, must live until commit or abort
	char* target;     // what a link at `path` leads to, owned; null: `path` itself
	char* temporary;  // owned; null for what is no regular file
	size_t targetBytes, temporaryBytes;
	int file;        // descriptor, or -1
	uint8_t* buffer; // [BR_OUTPUT_BUFFER]
	size_t used;
	bool isInMemory;            // brOutput_OpenMemory
	BR_ARRAY(uint8_t) gathered; // in memory: what has left the buffer
	int error;                  // errno of the first failure, or 0: later writes are ignored and commit reports it
} brOutput;

brResult brOutput_Open(brOutput* output, const brAllocator* allocator, const char* path, brReport* report);

/// An output that no file has, for what a worker writes while others write what comes before; brOutput_Move or
/// brOutput_Abort ends it.
brResult brOutput_OpenMemory(brOutput* output, const brAllocator* allocator, brReport* report);

/// Appends all that was written to one in memory, and closes that one.
void brOutput_Move(brOutput* output, brOutput* from);
void brOutput_Write(brOutput* output, const void* bytes, size_t byteCount);
void brOutput_Text(brOutput* output, const char* text);
void brOutput_Format(brOutput* output, const char* format, ...) BR_PRINTF_LIKE(2, 3);

/// Room for `byteCount` (at most BR_OUTPUT_ROOM) bytes in the buffer, to be filled by hand; then brOutput_Advance.
#define BR_OUTPUT_ROOM 4096
uint8_t* brOutput_MakeRoom(brOutput* output); // flushes
static inline uint8_t* brOutput_Room(brOutput* output, size_t byteCount)
{
	BR_ASSERT(byteCount <= BR_OUTPUT_ROOM);
	return byteCount > BR_OUTPUT_BUFFER - output->used ? brOutput_MakeRoom(output) : output->buffer + output->used;
}

static inline void brOutput_Advance(brOutput* output, size_t byteCount)
{
	output->used += byteCount;
}

/// A number of four or eight bytes in this machine's order. Inline: binary files are millions of them.
static inline void brOutput_Bits32(brOutput* output, uint32_t bits)
{
	__builtin_memcpy(brOutput_Room(output, 4), &bits, 4);
	brOutput_Advance(output, 4);
}

static inline void brOutput_Bits64(brOutput* output, uint64_t bits)
{
	__builtin_memcpy(brOutput_Room(output, 8), &bits, 8);
	brOutput_Advance(output, 8);
}

/// Shortest text that reads back as the same double or float; always with '.' whatever the locale.
void brOutput_Double(brOutput* output, double value);
void brOutput_Float(brOutput* output, float value);
void brOutput_Int(brOutput* output, int64_t value);

/// Flushes, syncs, renames. After any of these calls the output is closed.
brResult brOutput_Commit(brOutput* output, brReport* report);

/// Files that belong together: none is renamed before all bytes of all are on disk. In order, so the one that names the
/// others goes last. If a rename fails, those that went before are removed: no half of a set is left.
brResult brOutput_CommitAll(brOutput* const* outputs, int32_t count, brReport* report);
void brOutput_Abort(brOutput* output);
