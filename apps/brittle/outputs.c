// SPDX-License-Identifier: MIT
#include "outputs.h"

#include "base/os.h"
#include "system.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LIST_NAME ".brittle_files"
#define LIST_HEAD "# Files that brittle wrote into this folder. It replaces or removes no others.\n"

static brResult failOutput(brReport* report, brResult code, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(report->text, sizeof(report->text), format, arguments);
	va_end(arguments);
	report->code = code;
	return code;
}

// Inputs

static bool isSameFile(const brFileInfo* a, const char* path)
{
	brFileInfo b = brOs_FileInfo(path);
	return b.kind != br_fileAbsent && a->device == b.device && a->node == b.node;
}

static bool isThere(const char* path)
{
	return brOs_FileInfo(path).kind != br_fileAbsent;
}

// The input that `path` is, or null. `path` may itself be a word of the command line.
static const char* findInput(const CommandLine* line, const char* path)
{
	brFileInfo info = brOs_FileInfo(path);
	if (info.kind != br_fileRegular && info.kind != br_fileFolder)
	{
		return NULL; // new, or a device, which is written to and not replaced
	}
	for (int32_t i = 0; i < line->inputCount; ++i)
	{
		if (line->inputs[i] != path && isSameFile(&info, line->inputs[i]))
		{
			return line->inputs[i];
		}
	}
	return NULL;
}

// Endings of files that go together, the one that is named by the user first.
static const char* const s_companions[][3] = {
	{".obj", ".mtl", NULL},
	{".gltf", ".bin", NULL},
	{".node", ".ele", NULL},
	{".ele", ".node", NULL},
};

bool isSafeOutput(const CommandLine* line, const char* path)
{
	const char* input = findInput(line, path);
	if (input != NULL)
	{
		failUsage(line, "%s is what is read (%s): give the output another name", path, input);
		return false;
	}
	const char* dot = strrchr(path, '.');
	for (size_t i = 0; dot != NULL && i < sizeof(s_companions) / sizeof(s_companions[0]); ++i)
	{
		char companion[4096];
		bool isRow = strcmp(dot, s_companions[i][0]) == 0 &&
					 snprintf(companion, sizeof(companion), "%.*s%s", (int)(dot - path), path, s_companions[i][1]) <
						 (int)sizeof(companion);
		if (isRow && findInput(line, companion) != NULL)
		{
			failUsage(line, "%s would be written along with %s, and it is what is read", companion, path);
			return false;
		}
		if (isRow && isThere(companion) && !isThere(path))
		{
			failUsage(line,
					  "%s would be replaced along with %s, which is not there: it belongs to something else. Give the "
					  "output another name",
					  companion, path);
			return false;
		}
	}
	return true;
}

// The list: sorted names

static int32_t findName(const OutputFolder* outputs, const char* name)
{
	int32_t low = 0, high = outputs->count;
	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;
		*(strcmp(outputs->names[middle], name) < 0 ? &low : &high) =
			strcmp(outputs->names[middle], name) < 0 ? middle + 1 : middle;
	}
	return low;
}

bool hasOutput(const OutputFolder* outputs, const char* name)
{
	int32_t at = findName(outputs, name);
	return at < outputs->count && strcmp(outputs->names[at], name) == 0;
}

static bool growNames(char*** names, int32_t count, int32_t* capacity)
{
	if (count < *capacity)
	{
		return true;
	}
	int32_t wanted = *capacity > 0 ? 2 * *capacity : 64;
	char** grown = realloc(*names, (size_t)wanted * sizeof(char*));
	if (grown == NULL)
	{
		return false;
	}
	*names = grown;
	*capacity = wanted;
	return true;
}

static bool addName(OutputFolder* outputs, const char* name)
{
	int32_t at = findName(outputs, name);
	if (at < outputs->count && strcmp(outputs->names[at], name) == 0)
	{
		return true;
	}
	char* copy = growNames(&outputs->names, outputs->count, &outputs->capacity) ? strdup(name) : NULL;
	if (copy == NULL)
	{
		return false;
	}
	memmove(outputs->names + at + 1, outputs->names + at, (size_t)(outputs->count - at) * sizeof(char*));
	outputs->names[at] = copy;
	outputs->count += 1;
	return true;
}

static void outputName(const OutputFolder* outputs, const char* name, char* outPath, size_t bytes)
{
	size_t length = strlen(outputs->path);
	snprintf(outPath, bytes, "%s%s%s", outputs->path, length > 0 && outputs->path[length - 1] == '/' ? "" : "/", name);
}

// Adds what the list on disk names. A list that is not there is empty.
static bool readNames(OutputFolder* outputs)
{
	char path[4096], name[1024];
	outputName(outputs, LIST_NAME, path, sizeof(path));
	FILE* file = brOs_OpenStream(path, "r");
	bool isGood = file != NULL || errno == ENOENT || errno == ENOTDIR;
	while (isGood && file != NULL && fgets(name, sizeof(name), file) != NULL)
	{
		size_t length = strcspn(name, "\r\n");
		// Nothing outside of the folder, whatever somebody wrote into the list.
		bool isOurs = name[0] != '#' && name[0] != '/' && length > 0 && name[length] != 0 && !strstr(name, "..");
		name[length] = 0;
		isGood = !isOurs || addName(outputs, name);
	}
	if (file != NULL)
	{
		fclose(file);
	}
	return isGood;
}

static int takeOffList(OutputFolder* outputs, const char* name)
{
	int32_t at = findName(outputs, name);
	if (at == outputs->count || strcmp(outputs->names[at], name) != 0)
	{
		return false;
	}
	free(outputs->names[at]);
	outputs->count -= 1;
	memmove(outputs->names + at, outputs->names + at + 1, (size_t)(outputs->count - at) * sizeof(char*));
	return true;
}

static bool writeNames(const OutputFolder* outputs)
{
	MemoryFile memory;
	if (!openMemoryFile(&memory))
	{
		return false;
	}
	fputs(LIST_HEAD, memory.file);
	for (int32_t i = 0; i < outputs->count; ++i)
	{
		fprintf(memory.file, "%s\n", outputs->names[i]);
	}
	bool isGood = finishMemoryFile(&memory);
	char path[4096];
	outputName(outputs, LIST_NAME, path, sizeof(path));
	isGood = isGood && brSaveBytes(NULL, memory.text, memory.size, path, NULL) >= 0;
	free(memory.text);
	return isGood;
}

// What a killed process left

// "NAME.brittle-0.tmp", as the library calls a file while it is written. Whoever writes one has it locked.
static bool isAsideName(const char* name)
{
	const char* mark = strstr(name, ".brittle-");
	int number = 0, end = 0;
	return mark != NULL && mark != name && sscanf(mark, ".brittle-%d.tmp%n", &number, &end) == 1 && end > 0 &&
		   mark[end] == 0;
}

void sweepAsides(const char* folder)
{
	brFolderNames* names = brOs_OpenFolder(folder);
	for (const char* name = names != NULL ? brOs_NextName(names) : NULL; name != NULL; name = brOs_NextName(names))
	{
		char path[4096];
		if (!isAsideName(name) || snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path) ||
			brOs_FileInfo(path).kind != br_fileRegular || brOs_IsLink(path))
		{
			continue;
		}
		int file = brOs_OpenLocked(path);
		if (file >= 0)
		{
			brOs_Remove(path);
			brOs_Close(file);
		}
	}
	brOs_CloseFolder(names);
}

// Calls

brResult openOutputs(OutputFolder* outputs, const CommandLine* line, const char* folder, brReport* report)
{
	*outputs = (OutputFolder){.line = line};
	if (folder[0] == 0 || snprintf(outputs->path, sizeof(outputs->path), "%s", folder) >= (int)sizeof(outputs->path))
	{
		return failOutput(report, br_errorFile, "the name of the folder is empty or too long");
	}
	sweepAsides(folder);
	if (!readNames(outputs))
	{
		return failOutput(report, br_errorFile, "%s/%s cannot be read: %s", folder, LIST_NAME, strerror(errno));
	}
	return br_success;
}

brResult openOutputsBeside(OutputFolder* outputs, const CommandLine* line, const char* path, const char** outName,
						   brReport* report)
{
	const char* slash = brOs_LastSlash(path);
	char folder[1024] = ".";
	if (slash != NULL)
	{
		snprintf(folder, sizeof(folder), "%.*s", slash == path ? 1 : (int)(slash - path), path);
	}
	*outName = slash != NULL ? slash + 1 : path;
	return openOutputs(outputs, line, folder, report);
}

brResult claimOutput(OutputFolder* outputs, const char* name, brReport* report)
{
	char path[4096];
	outputName(outputs, name, path, sizeof(path));
	const char* input = findInput(outputs->line, path);
	if (input != NULL)
	{
		return failOutput(report, br_errorFile, "%.200s would be replaced, and it is what is read: give another folder",
						  path);
	}
	if ((isThere(path) || brOs_IsLink(path)) && !hasOutput(outputs, name))
	{
		return failOutput(report, br_errorFile,
						  "%.200s is there, and brittle did not write it: move it away or give another folder", path);
	}
	if (strchr(name, '\n') != NULL)
	{
		return failOutput(report, br_errorFile, "a file's name cannot have a line break");
	}
	return addName(outputs, name) ? br_success : failOutput(report, br_errorMemory, "there is not enough memory");
}

brResult saveOutputs(OutputFolder* outputs, brReport* report)
{
	if (!makeFolder(outputs->path))
	{
		return failOutput(report, br_errorFile, "%.200s: the folder cannot be made", outputs->path);
	}
	int folder = lockFolder(outputs->path);
	bool isGood = folder >= 0 && readNames(outputs); // another command's are kept
	for (int32_t i = 0; isGood && i < outputs->goneCount; ++i)
	{
		takeOffList(outputs, outputs->gone[i]);
	}
	isGood = isGood && writeNames(outputs);
	int error = errno;
	if (folder >= 0)
	{
		brOs_Close(folder);
	}
	return isGood ? br_success
				  : failOutput(report, br_errorFile, "%.200s/%s cannot be written: %s", outputs->path, LIST_NAME,
							   strerror(error));
}

// Whether a name is PREFIX, digits, ENDING with a number from `first` on.
static bool isOldName(const char* name, const char* prefix, const char* ending, int32_t first)
{
	size_t length = strlen(prefix);
	if (strncmp(name, prefix, length) != 0)
	{
		return false;
	}
	char* end;
	long number = strtol(name + length, &end, 10);
	return end != name + length && number >= first && strcmp(end, ending) == 0;
}

// Fails if this command reads one of the files that removeOldOutputs will remove.
static brResult checkOldOutputs(const OutputFolder* outputs, const char* prefix, const char* ending, int32_t first,
								brReport* report)
{
	for (int32_t i = 0; i < outputs->count; ++i)
	{
		char path[4096];
		outputName(outputs, outputs->names[i], path, sizeof(path));
		if (isOldName(outputs->names[i], prefix, ending, first) && findInput(outputs->line, path) != NULL)
		{
			return failOutput(report, br_errorFile,
							  "%.200s would be replaced or removed, and it is what is read: give another folder", path);
		}
	}
	return br_success;
}

void removeOutput(OutputFolder* outputs, const char* name)
{
	char path[4096];
	outputName(outputs, name, path, sizeof(path));
	char* copy = growNames(&outputs->gone, outputs->goneCount, &outputs->goneCapacity) ? strdup(name) : NULL;
	if (copy == NULL)
	{
		return; // it stays, and stays on the list
	}
	if (!takeOffList(outputs, name))
	{
		free(copy);
		return;
	}
	brOs_Remove(path);
	outputs->gone[outputs->goneCount++] = copy;
}

brResult removeOldOutputs(OutputFolder* outputs, const char* prefix, const char* ending, int32_t first,
						  brReport* report)
{
	int32_t before = outputs->goneCount;
	for (int32_t i = outputs->count - 1; i >= 0; --i)
	{
		if (isOldName(outputs->names[i], prefix, ending, first))
		{
			char name[1024];
			snprintf(name, sizeof(name), "%s", outputs->names[i]);
			removeOutput(outputs, name);
		}
	}
	int32_t removed = outputs->goneCount - before;
	if (removed > 0)
	{
		say(outputs->line, "note: %d file%s that brittle wrote into %s before went", removed, removed == 1 ? "" : "s",
			outputs->path);
	}
	return removed > 0 ? saveOutputs(outputs, report) : br_success;
}

void closeOutputs(OutputFolder* outputs)
{
	for (int32_t i = 0; i < outputs->count; ++i)
	{
		free(outputs->names[i]);
	}
	for (int32_t i = 0; i < outputs->goneCount; ++i)
	{
		free(outputs->gone[i]);
	}
	free(outputs->names);
	free(outputs->gone);
	*outputs = (OutputFolder){0};
}

// Pieces

static void pieceName(char* outName, size_t bytes, int32_t index, const char* ending)
{
	snprintf(outName, bytes, "piece_%04d.%s", index, ending);
}

void piecePath(char* outPath, size_t bytes, const char* folder, int32_t index, const char* ending)
{
	size_t length = strlen(folder);
	char name[64];
	pieceName(name, sizeof(name), index, ending);
	snprintf(outPath, bytes, "%s%s%s", folder, length > 0 && folder[length - 1] == '/' ? "" : "/", name);
}

brResult openPieces(OutputFolder* outputs, const CommandLine* line, const char* folder, const char* ending,
					brReport* report)
{
	char dotted[64];
	snprintf(dotted, sizeof(dotted), ".%s", ending);
	brResult result = openOutputs(outputs, line, folder, report);
	result = result < 0 ? result : checkOldOutputs(outputs, "piece_", dotted, 0, report);
	if (result < 0)
	{
		closeOutputs(outputs);
	}
	return result;
}

brResult claimPieces(OutputFolder* outputs, int32_t count, const char* ending, brReport* report)
{
	for (int32_t i = 0; i < count; ++i)
	{
		char name[64];
		pieceName(name, sizeof(name), i, ending);
		brResult result = claimOutput(outputs, name, report);
		if (result < 0)
		{
			return result;
		}
	}
	return saveOutputs(outputs, report);
}

brResult removeOldPieces(OutputFolder* outputs, int32_t count, const char* ending, brReport* report)
{
	char dotted[64];
	snprintf(dotted, sizeof(dotted), ".%s", ending);
	return removeOldOutputs(outputs, "piece_", dotted, count, report);
}
