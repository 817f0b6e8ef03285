// SPDX-License-Identifier: MIT
#include "memory_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX 256
#define FILES_OPEN_MAX 16
#define FILES_FIRST 3 // after the three streams

typedef struct MemoryFile
{
	char* name; // null: a free place
	uint8_t* bytes;
	size_t count, capacity;
	ino_t number; // a new one for each file that was ever made
} MemoryFile;

typedef struct OpenFile
{
	MemoryFile* file; // null: closed, or the file was removed
	bool isOpen;
	size_t at;
} OpenFile;

static MemoryFile s_files[FILES_MAX];
static OpenFile s_open[FILES_OPEN_MAX];
static ino_t s_lastNumber;

static MemoryFile* findFile(const char* name)
{
	for (int32_t i = 0; i < FILES_MAX; ++i)
	{
		if (s_files[i].name != NULL && strcmp(s_files[i].name, name) == 0)
		{
			return &s_files[i];
		}
	}
	return NULL;
}

static MemoryFile* makeFile(const char* name)
{
	for (int32_t i = 0; i < FILES_MAX; ++i)
	{
		if (s_files[i].name == NULL)
		{
			char* copy = strdup(name);
			if (copy == NULL)
			{
				return NULL;
			}
			s_files[i] = (MemoryFile){.name = copy, .number = ++s_lastNumber};
			return &s_files[i];
		}
	}
	return NULL;
}

static void removeFile(MemoryFile* file)
{
	for (int32_t i = 0; i < FILES_OPEN_MAX; ++i)
	{
		if (s_open[i].file == file)
		{
			s_open[i].file = NULL;
		}
	}
	free(file->name);
	free(file->bytes);
	*file = (MemoryFile){0};
}

static bool reserveFile(MemoryFile* file, size_t count)
{
	if (count <= file->capacity)
	{
		return true;
	}
	size_t capacity = count > 2 * file->capacity ? count : 2 * file->capacity;
	uint8_t* bytes = realloc(file->bytes, capacity);
	if (bytes == NULL)
	{
		return false;
	}
	file->bytes = bytes;
	file->capacity = capacity;
	return true;
}

bool webPutFile(const char* name, const void* bytes, size_t count)
{
	webDropFile(name);
	MemoryFile* file = makeFile(name);
	if (file == NULL || !reserveFile(file, count))
	{
		webDropFile(name);
		return false;
	}
	memcpy(file->bytes, bytes, count);
	file->count = count;
	return true;
}

WebBytes* webTakeFile(const char* name)
{
	MemoryFile* file = findFile(name);
	WebBytes* bytes = file != NULL ? malloc(sizeof(WebBytes)) : NULL;
	if (bytes == NULL)
	{
		return NULL;
	}
	*bytes = (WebBytes){file->bytes, file->count};
	file->bytes = NULL;
	removeFile(file);
	return bytes;
}

void webDropFile(const char* name)
{
	MemoryFile* file = findFile(name);
	if (file != NULL)
	{
		removeFile(file);
	}
}

// POSIX

static OpenFile* openFileOf(int number)
{
	int32_t at = number - FILES_FIRST;
	if (at < 0 || at >= FILES_OPEN_MAX || !s_open[at].isOpen)
	{
		errno = EBADF;
		return NULL;
	}
	return &s_open[at];
}

static int failWith(int code)
{
	errno = code;
	return -1;
}

int open(const char* path, int flags, ...)
{
	MemoryFile* file = findFile(path);
	if (file == NULL && (flags & O_CREAT) != 0)
	{
		file = makeFile(path);
	}
	if (file == NULL)
	{
		return failWith((flags & O_CREAT) != 0 ? ENOSPC : ENOENT);
	}
	for (int32_t i = 0; i < FILES_OPEN_MAX; ++i)
	{
		if (!s_open[i].isOpen)
		{
			s_open[i] = (OpenFile){.file = file, .isOpen = true};
			file->count = (flags & O_TRUNC) != 0 ? 0 : file->count;
			return FILES_FIRST + i;
		}
	}
	return failWith(EMFILE);
}

int close(int number)
{
	OpenFile* opened = openFileOf(number);
	if (opened == NULL)
	{
		return -1;
	}
	*opened = (OpenFile){0};
	return 0;
}

ssize_t read(int number, void* bytes, size_t count)
{
	OpenFile* opened = openFileOf(number);
	if (opened == NULL || opened->file == NULL)
	{
		return -1;
	}
	size_t left = opened->file->count > opened->at ? opened->file->count - opened->at : 0;
	count = count < left ? count : left;
	if (count > 0)
	{
		memcpy(bytes, opened->file->bytes + opened->at, count);
	}
	opened->at += count;
	return (ssize_t)count;
}

ssize_t write(int number, const void* bytes, size_t count)
{
	OpenFile* opened = openFileOf(number);
	if (opened == NULL || opened->file == NULL)
	{
		return -1;
	}
	MemoryFile* file = opened->file;
	if (!reserveFile(file, opened->at + count))
	{
		return failWith(ENOSPC);
	}
	memcpy(file->bytes + opened->at, bytes, count);
	opened->at += count;
	file->count = file->count > opened->at ? file->count : opened->at;
	return (ssize_t)count;
}

off_t lseek(int number, off_t offset, int from)
{
	OpenFile* opened = openFileOf(number);
	if (opened == NULL || opened->file == NULL)
	{
		return -1;
	}
	off_t base = from == SEEK_SET ? 0 : from == SEEK_CUR ? (off_t)opened->at : (off_t)opened->file->count;
	if (base + offset < 0)
	{
		return failWith(EINVAL);
	}
	opened->at = (size_t)(base + offset);
	return base + offset;
}

int ftruncate(int number, off_t count)
{
	OpenFile* opened = openFileOf(number);
	if (opened == NULL || opened->file == NULL || count < 0 || !reserveFile(opened->file, (size_t)count))
	{
		return -1;
	}
	if ((size_t)count > opened->file->count)
	{
		memset(opened->file->bytes + opened->file->count, 0, (size_t)count - opened->file->count);
	}
	opened->file->count = (size_t)count;
	return 0;
}

static int describe(const MemoryFile* file, struct stat* out)
{
	memset(out, 0, sizeof(*out));
	out->st_mode = file != NULL ? S_IFREG | 0666 : S_IFDIR | 0777;
	out->st_size = file != NULL ? (off_t)file->count : 0;
	out->st_ino = file != NULL ? file->number : 1;
	out->st_dev = 1;
	out->st_nlink = 1;
	return 0;
}

static bool isFolder(const char* path)
{
	return path[0] == 0 || strcmp(path, ".") == 0 || path[strlen(path) - 1] == '/';
}

int fstat(int number, struct stat* out)
{
	OpenFile* opened = openFileOf(number);
	return opened != NULL && opened->file != NULL ? describe(opened->file, out) : -1;
}

int stat(const char* path, struct stat* out)
{
	const MemoryFile* file = findFile(path);
	return file != NULL || isFolder(path) ? describe(file, out) : failWith(ENOENT);
}

int lstat(const char* path, struct stat* out)
{
	return stat(path, out);
}

char* realpath(const char* path, char* out)
{
	if ((findFile(path) == NULL && !isFolder(path)) || strlen(path) >= PATH_MAX)
	{
		errno = ENOENT;
		return NULL;
	}
	const char* real = path[0] == '/' ? path : "/";
	return out != NULL ? strcpy(out, real) : strdup(real);
}

int rename(const char* from, const char* to)
{
	MemoryFile* file = findFile(from);
	char* name = file != NULL ? strdup(to) : NULL;
	if (name == NULL)
	{
		return failWith(file == NULL ? ENOENT : ENOSPC);
	}
	if (strcmp(from, to) != 0)
	{
		webDropFile(to);
	}
	free(file->name);
	file->name = name;
	return 0;
}

int unlink(const char* path)
{
	MemoryFile* file = findFile(path);
	if (file == NULL)
	{
		return failWith(ENOENT);
	}
	removeFile(file);
	return 0;
}

int remove(const char* path)
{
	return unlink(path);
}

int mkdir(const char* path, mode_t mode)
{
	(void)path, (void)mode;
	return failWith(EACCES);
}

int access(const char* path, int mode)
{
	(void)mode;
	return findFile(path) != NULL || isFolder(path) ? 0 : failWith(ENOENT);
}

int fsync(int number)
{
	return openFileOf(number) != NULL ? 0 : -1;
}

int flock(int number, int operation)
{
	(void)operation;
	return openFileOf(number) != NULL ? 0 : -1;
}
