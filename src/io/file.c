// SPDX-License-Identifier: MIT
#include "io/file.h"

#include "base/assert.h"
#include "base/os.h"
#include "io/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A file is read in parts of so many bytes: pages of new memory are cleared and filled by all workers.
#define FILE_PART ((size_t)4 << 20)

typedef struct FileRead
{
	int file;
	uint8_t* bytes;
	size_t size;
	_Atomic int error; // one of a part that failed, or -1: the file was too short
} FileRead;

static void fileReadParts(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	FileRead* job = user;
	size_t at = FILE_PART * (size_t)begin, last = FILE_PART * (size_t)end;
	last = last < job->size ? last : job->size;
	while (at < last)
	{
		int64_t got = brOs_ReadAt(job->file, job->bytes + at, last - at, (int64_t)at);
		if (got <= 0)
		{
			job->error = got < 0 ? errno : -1;
			return;
		}
		at += (size_t)got;
	}
}

brResult brReadFile(const brContext* context, const brAllocator* allocator, const char* path, uint8_t** outBytes,
					size_t* outByteCount, brReport* report)
{
	int file = brOs_OpenRead(path);
	if (file < 0)
	{
		return brFail(report, br_errorFile, "cannot open %s: %s", path, strerror(errno));
	}
	brFileInfo info = brOs_OpenFileInfo(file);
	if (info.kind != br_fileRegular)
	{
		brOs_Close(file);
		return brFail(report, br_errorFile, "%s is not a regular file", path);
	}
	if ((uint64_t)info.bytes >= SIZE_MAX)
	{
		brOs_Close(file);
		return brFail(report, br_errorMemory, "%s is larger than this machine's memory can be", path);
	}
	size_t size = (size_t)info.bytes;
	uint8_t* bytes = brAlloc(allocator, size + 1);
	if (bytes == NULL)
	{
		brOs_Close(file);
		return brFail(report, br_errorMemory, "there is not enough memory for the %zu bytes of %s", size, path);
	}
	FileRead job = {.file = file, .bytes = bytes, .size = size};
	brParallelFor(context != NULL ? context->workers : NULL, (int32_t)((size + FILE_PART - 1) / FILE_PART), 1,
				  fileReadParts, &job);
	if (job.error != 0)
	{
		int error = job.error;
		brOs_Close(file);
		brFree(allocator, bytes, size + 1);
		return error > 0 ? brFail(report, br_errorFile, "cannot read %s: %s", path, strerror(error))
						 : brFail(report, br_errorFile, "%s shrank while it was read", path);
	}
	brOs_Close(file);
	bytes[size] = 0;
	*outBytes = bytes;
	*outByteCount = size;
	return br_success;
}

bool brPath_StaysBelow(const char* name)
{
	if (name[0] == '/' || name[0] == 0 || strchr(name, '\\') != NULL || strchr(name, ':') != NULL)
	{
		return false;
	}
	for (const char* at = name; at != NULL; at = strchr(at, '/'))
	{
		at += *at == '/';
		if (at[0] == '.' && at[1] == '.' && (at[2] == '/' || at[2] == 0))
		{
			return false;
		}
	}
	return true;
}

bool brPath_LeadsInto(const char* path, size_t folderLength)
{
	char folder[BR_OS_MAX_PATH], realFolder[BR_OS_MAX_PATH], real[BR_OS_MAX_PATH];
	if (folderLength >= sizeof(folder) || !brOs_RealPath(path, real))
	{
		return true; // nothing to read: opening it will say so
	}
	memcpy(folder, folderLength > 0 ? path : ".", folderLength > 0 ? folderLength : 1);
	folder[folderLength > 0 ? folderLength : 1] = 0;
	if (!brOs_RealPath(folder, realFolder))
	{
		return false;
	}
	size_t length = strlen(realFolder);
	return strncmp(real, realFolder, length) == 0 && (length == 1 || real[length] == '/');
}

// Where bytes end up: a link's target, so that the link stays.
static const char* outputPlace(const brOutput* output)
{
	return output->target != NULL ? output->target : output->path;
}

// A name of our own beside the target, so that the rename cannot cross file systems; new, or left by a process that died
// while it wrote. A lock tells: who writes holds it until the file has its final name or is gone, and the system drops
// it when a process ends in any way.
static void outputOpenAside(brOutput* output)
{
	for (int attempt = 0; attempt < 100 && output->file < 0; ++attempt)
	{
		snprintf(output->temporary, output->temporaryBytes, "%s" BR_OUTPUT_ASIDE, outputPlace(output), attempt);
		output->file = brOs_OpenLocked(output->temporary);
		if (output->file < 0 && errno != EEXIST)
		{
			break;
		}
	}
}

brResult brOutput_Open(brOutput* output, const brAllocator* allocator, const char* path, brReport* report)
{
	memset(output, 0, sizeof(*output));
	output->allocator = *allocator;
	output->path = path;
	output->file = -1;
	output->buffer = brAlloc(allocator, BR_OUTPUT_BUFFER);
	bool hasMemory = output->buffer != NULL;

	// What is there already?
	char resolved[BR_OS_MAX_PATH];
	bool isLink = brOs_IsLink(path) && brOs_RealPath(path, resolved);
	if (isLink)
	{
		output->targetBytes = strlen(resolved) + 1;
		output->target = brAlloc(allocator, output->targetBytes);
		hasMemory = hasMemory && output->target != NULL;
		if (output->target != NULL)
		{
			memcpy(output->target, resolved, output->targetBytes);
		}
	}
	brFileKind kind = brOs_FileInfo(path).kind;
	bool isFile = kind != br_fileOther;
	if (isFile)
	{
		output->temporaryBytes = strlen(outputPlace(output)) + 32;
		output->temporary = brAlloc(allocator, output->temporaryBytes);
		hasMemory = hasMemory && output->temporary != NULL;
	}
	if (!hasMemory)
	{
		brFree(allocator, output->temporary, output->temporaryBytes);
		output->temporary = NULL;
		brOutput_Abort(output);
		return brFailMemory(report);
	}

	errno = EISDIR;
	if (!isFile)
	{
		output->file = brOs_OpenDevice(path);
	}
	else if (kind != br_fileFolder)
	{
		outputOpenAside(output);
	}
	if (output->file < 0)
	{
		int error = errno;
		brFail(report, br_errorFile, "cannot write %s: %s", path, strerror(error));
		brFree(allocator, output->temporary, output->temporaryBytes);
		output->temporary = NULL;
		brOutput_Abort(output);
		return br_errorFile;
	}
	return br_success;
}

brResult brOutput_OpenMemory(brOutput* output, const brAllocator* allocator, brReport* report)
{
	*output = (brOutput){.allocator = *allocator, .file = -1, .isInMemory = true};
	output->buffer = brAlloc(allocator, BR_OUTPUT_BUFFER);
	return output->buffer != NULL ? br_success : brFailMemory(report);
}

void brOutput_Move(brOutput* output, brOutput* from)
{
	brOutput_Write(output, from->gathered.data, (size_t)from->gathered.count);
	brOutput_Write(output, from->buffer, from->used);
	output->error = output->error != 0 ? output->error : from->error;
	brOutput_Abort(from);
}

static void outputGather(brOutput* output, const uint8_t* bytes, size_t byteCount)
{
	if (byteCount == 0 || output->error != 0)
	{
		return;
	}
	if (byteCount > INT32_MAX || !BR_RESERVE(&output->allocator, &output->gathered, (int64_t)byteCount))
	{
		output->error = ENOMEM;
		return;
	}
	memcpy(output->gathered.data + output->gathered.count, bytes, byteCount);
	output->gathered.count += (int32_t)byteCount;
}

static void outputFlush(brOutput* output, const uint8_t* bytes, size_t byteCount)
{
	if (output->isInMemory)
	{
		outputGather(output, bytes, byteCount);
		return;
	}
	while (byteCount > 0 && output->error == 0)
	{
		int64_t written = brOs_Write(output->file, bytes, byteCount);
		if (written < 0)
		{
			output->error = errno;
			return;
		}
		bytes += written;
		byteCount -= (size_t)written;
	}
}

void brOutput_Write(brOutput* output, const void* bytes, size_t byteCount)
{
	if (byteCount > BR_OUTPUT_BUFFER - output->used)
	{
		outputFlush(output, output->buffer, output->used);
		output->used = 0;
		if (byteCount > BR_OUTPUT_BUFFER)
		{
			outputFlush(output, bytes, byteCount);
			return;
		}
	}
	if (byteCount > 0)
	{
		memcpy(output->buffer + output->used, bytes, byteCount);
		output->used += byteCount;
	}
}

void brOutput_Text(brOutput* output, const char* text)
{
	brOutput_Write(output, text, strlen(text));
}

uint8_t* brOutput_MakeRoom(brOutput* output)
{
	outputFlush(output, output->buffer, output->used);
	output->used = 0;
	return output->buffer;
}

void brOutput_Format(brOutput* output, const char* format, ...)
{
	char* room = (char*)brOutput_Room(output, BR_OUTPUT_ROOM);
	va_list arguments;
	va_start(arguments, format);
	int written = vsnprintf(room, BR_OUTPUT_ROOM, format, arguments);
	va_end(arguments);
	BR_ASSERT(written >= 0 && written < BR_OUTPUT_ROOM);
	brOutput_Advance(output, (size_t)written);
}

void brOutput_Double(brOutput* output, double value)
{
	char* room = (char*)brOutput_Room(output, BR_NUMBER_CHARS);
	brOutput_Advance(output, (size_t)brPrintDouble(room, value));
}

void brOutput_Float(brOutput* output, float value)
{
	char* room = (char*)brOutput_Room(output, BR_NUMBER_CHARS);
	brOutput_Advance(output, (size_t)brPrintFloat(room, value));
}

void brOutput_Int(brOutput* output, int64_t value)
{
	char* room = (char*)brOutput_Room(output, BR_NUMBER_CHARS);
	brOutput_Advance(output, (size_t)brPrintInt(room, value));
}

// All bytes on disk under the temporary name. The file stays open, and with it locked, until it is renamed.
static void outputFinish(brOutput* output)
{
	outputFlush(output, output->buffer, output->used);
	output->used = 0;
	if (output->error == 0 && brOs_Sync(output->file) != 0)
	{
		output->error = errno;
	}
}

brResult brOutput_CommitAll(brOutput* const* outputs, int32_t count, brReport* report)
{
	const brOutput* failed = NULL;
	for (int32_t i = 0; i < count; ++i)
	{
		outputFinish(outputs[i]);
		// A folder in the way is all that can stop a rename in a folder we could write to: found before any is done.
		if (outputs[i]->error == 0 && outputs[i]->temporary != NULL &&
			brOs_FileInfo(outputs[i]->path).kind == br_fileFolder)
		{
			outputs[i]->error = EISDIR;
		}
		failed = failed == NULL && outputs[i]->error != 0 ? outputs[i] : failed;
	}
	for (int32_t i = 0; i < count && failed == NULL; ++i)
	{
		brOutput* output = outputs[i];
		if (output->temporary == NULL)
		{
			continue; // a device or a pipe has its bytes
		}
		if (brOs_Rename(output->temporary, outputPlace(output)) != 0)
		{
			output->error = errno;
			failed = output;
			for (int32_t k = 0; k < i; ++k)
			{
				const char* place = outputPlace(outputs[k]);
				if (brOs_FileInfo(place).kind == br_fileRegular)
				{
					brOs_Remove(place); // half a set would pass for a whole one
				}
			}
			break;
		}
		brFree(&output->allocator, output->temporary, output->temporaryBytes);
		output->temporary = NULL; // renamed: nothing left to remove
	}
	brResult result = br_success;
	if (failed != NULL)
	{
		result = brFail(report, br_errorFile, "cannot write %s: %s", failed->path, strerror(failed->error));
	}
	for (int32_t i = 0; i < count; ++i)
	{
		brOutput_Abort(outputs[i]);
	}
	return result;
}

brResult brOutput_Commit(brOutput* output, brReport* report)
{
	return brOutput_CommitAll(&output, 1, report);
}

void brOutput_Abort(brOutput* output)
{
	if (output->temporary != NULL)
	{
		brOs_Remove(output->temporary);
		brFree(&output->allocator, output->temporary, output->temporaryBytes);
		output->temporary = NULL;
	}
	if (output->file >= 0)
	{
		brOs_Close(output->file); // last, since it lets go of the lock
		output->file = -1;
	}
	brFree(&output->allocator, output->target, output->targetBytes);
	output->target = NULL;
	brFree(&output->allocator, output->buffer, BR_OUTPUT_BUFFER);
	output->buffer = NULL;
	BR_FREE_ARRAY(&output->allocator, &output->gathered);
}
