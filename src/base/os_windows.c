// SPDX-License-Identifier: MIT
#include "base/os.h"

#ifdef _WIN32

#define WIN32_LEAN_AND_MEAN
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <process.h>
#include <share.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <wchar.h>
#include <windows.h>

typedef struct OsPath
{
	wchar_t text[BR_OS_MAX_PATH + 8];
} OsPath;

// UTF-8 to what the system takes. Long names become absolute with \\?\ in front, which lifts the limit of 260.
static const wchar_t* osWide(const char* path, OsPath* out)
{
	wchar_t plain[BR_OS_MAX_PATH];
	int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, plain, BR_OS_MAX_PATH);
	if (length <= 0)
	{
		errno = ENOENT;
		out->text[0] = 0;
		return out->text;
	}
	for (int i = 0; i < length; ++i)
	{
		plain[i] = plain[i] == L'/' ? L'\\' : plain[i];
	}
	bool isLong = length > 240 && wcsncmp(plain, L"\\\\", 2) != 0;
	DWORD full = isLong ? GetFullPathNameW(plain, BR_OS_MAX_PATH, out->text + 4, NULL) : 0;
	if (full > 0 && full < BR_OS_MAX_PATH)
	{
		memcpy(out->text, L"\\\\?\\", 4 * sizeof(wchar_t));
		return out->text;
	}
	memcpy(out->text, plain, (size_t)length * sizeof(wchar_t));
	return out->text;
}

// errno from the system's last error.
static int osFail(void)
{
	switch (GetLastError())
	{
		case ERROR_FILE_NOT_FOUND:
		case ERROR_PATH_NOT_FOUND:
		case ERROR_INVALID_NAME:
			errno = ENOENT;
			break;
		case ERROR_ALREADY_EXISTS:
		case ERROR_FILE_EXISTS:
			errno = EEXIST;
			break;
		case ERROR_SHARING_VIOLATION:
		case ERROR_LOCK_VIOLATION:
			errno = EEXIST; // somebody else has it
			break;
		case ERROR_DISK_FULL:
			errno = ENOSPC;
			break;
		default:
			errno = EACCES;
			break;
	}
	return -1;
}

void* brOs_AllocAligned(size_t alignment, size_t bytes)
{
	return _aligned_malloc(bytes, alignment);
}

void brOs_FreeAligned(void* memory)
{
	_aligned_free(memory);
}

void brOs_ForgetPages(void* memory, size_t bytes)
{
	(void)memory, (void)bytes;
}

int64_t brOs_Nanoseconds(void)
{
	LARGE_INTEGER now, rate;
	QueryPerformanceCounter(&now);
	QueryPerformanceFrequency(&rate);
	int64_t seconds = now.QuadPart / rate.QuadPart, rest = now.QuadPart % rate.QuadPart;
	return seconds * 1000000000 + rest * 1000000000 / rate.QuadPart;
}

// SRWLOCK and CONDITION_VARIABLE are one pointer each, null at the start.
void brMutex_Init(brMutex* mutex)
{
	mutex->lock = NULL;
}

void brMutex_Destroy(brMutex* mutex)
{
	(void)mutex;
}

void brMutex_Lock(brMutex* mutex)
{
	AcquireSRWLockExclusive((SRWLOCK*)(void*)mutex);
}

void brMutex_Unlock(brMutex* mutex)
{
	ReleaseSRWLockExclusive((SRWLOCK*)(void*)mutex);
}

void brCondition_Init(brCondition* condition)
{
	condition->variable = NULL;
}

void brCondition_Destroy(brCondition* condition)
{
	(void)condition;
}

void brCondition_Wait(brCondition* condition, brMutex* mutex)
{
	SleepConditionVariableSRW((CONDITION_VARIABLE*)(void*)condition, (SRWLOCK*)(void*)mutex, INFINITE, 0);
}

void brCondition_Signal(brCondition* condition)
{
	WakeConditionVariable((CONDITION_VARIABLE*)(void*)condition);
}

void brCondition_SignalAll(brCondition* condition)
{
	WakeAllConditionVariable((CONDITION_VARIABLE*)(void*)condition);
}

static unsigned __stdcall osThread(void* start)
{
	brThread* thread = start;
	thread->run(thread->argument);
	return 0;
}

bool brThread_Start(brThread* thread, void (*run)(void* argument), void* argument)
{
	thread->run = run, thread->argument = argument;
	thread->handle = (void*)_beginthreadex(NULL, 8 << 20, osThread, thread, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
	return thread->handle != NULL;
}

void brThread_Join(brThread* thread)
{
	WaitForSingleObject(thread->handle, INFINITE);
	CloseHandle(thread->handle);
}

void brThread_Yield(void)
{
	SwitchToThread();
}

int32_t brOs_CoreCount(void)
{
	DWORD count = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
	return count < 1 ? 1 : (int32_t)count;
}

void* brOs_OpenLibrary(const char* name)
{
	OsPath path;
	return (void*)LoadLibraryW(osWide(name, &path));
}

void* brOs_FindSymbol(void* library, const char* name)
{
	FARPROC found = GetProcAddress((HMODULE)library, name);
	void* symbol;
	memcpy(&symbol, &found, sizeof(symbol));
	return symbol;
}

static brFileInfo osInfo(HANDLE handle)
{
	brFileInfo result = {.kind = br_fileAbsent};
	BY_HANDLE_FILE_INFORMATION info;
	if (handle == INVALID_HANDLE_VALUE)
	{
		return result;
	}
	if (GetFileType(handle) != FILE_TYPE_DISK)
	{
		result.kind = br_fileOther;
	}
	else if (GetFileInformationByHandle(handle, &info))
	{
		bool isFolder = (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
		result = (brFileInfo){isFolder ? br_fileFolder : br_fileRegular,
							  (int64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow, info.dwVolumeSerialNumber,
							  (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow,
							  (int64_t)info.ftLastWriteTime.dwHighDateTime << 32 | info.ftLastWriteTime.dwLowDateTime};
	}
	return result;
}

// For questions about a file or folder; shares everything.
static HANDLE osAsk(const char* path)
{
	OsPath wide;
	return CreateFileW(osWide(path, &wide), 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
					   OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
}

brFileInfo brOs_FileInfo(const char* path)
{
	HANDLE handle = osAsk(path);
	brFileInfo info = osInfo(handle);
	if (handle != INVALID_HANDLE_VALUE)
	{
		CloseHandle(handle);
	}
	else
	{
		osFail();
	}
	return info;
}

brFileInfo brOs_OpenFileInfo(int file)
{
	return osInfo((HANDLE)_get_osfhandle(file));
}

bool brOs_IsLink(const char* path)
{
	OsPath wide;
	DWORD attributes = GetFileAttributesW(osWide(path, &wide));
	return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

static int osOpen(const char* path, DWORD access, DWORD share, DWORD how, int flags)
{
	OsPath wide;
	HANDLE handle = CreateFileW(osWide(path, &wide), access, share, NULL, how, FILE_ATTRIBUTE_NORMAL, NULL);
	if (handle == INVALID_HANDLE_VALUE)
	{
		return osFail();
	}
	int file = _open_osfhandle((intptr_t)handle, flags | _O_BINARY | _O_NOINHERIT);
	if (file < 0)
	{
		CloseHandle(handle);
	}
	return file;
}

int brOs_OpenRead(const char* path)
{
	return osOpen(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, OPEN_EXISTING, _O_RDONLY);
}

int brOs_OpenDevice(const char* path)
{
	return osOpen(path, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, OPEN_EXISTING, _O_WRONLY);
}

int brOs_OpenLocked(const char* path)
{
	// Who does not share writing holds the lock. Deleting is shared, so that the file can be renamed while it is held.
	return osOpen(path, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE, CREATE_ALWAYS, _O_WRONLY);
}

int64_t brOs_ReadAt(int file, void* bytes, size_t count, int64_t offset)
{
	OVERLAPPED from = {.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
	DWORD got = 0;
	if (ReadFile((HANDLE)_get_osfhandle(file), bytes, count < INT32_MAX ? (DWORD)count : INT32_MAX, &got, &from))
	{
		return got;
	}
	return GetLastError() == ERROR_HANDLE_EOF ? 0 : osFail();
}

int64_t brOs_Write(int file, const void* bytes, size_t count)
{
	return _write(file, bytes, count < INT32_MAX ? (unsigned)count : INT32_MAX);
}

int brOs_Sync(int file)
{
	return FlushFileBuffers((HANDLE)_get_osfhandle(file)) ? 0 : osFail();
}

void brOs_Close(int file)
{
	_close(file);
}

FILE* brOs_OpenStream(const char* path, const char* mode)
{
	OsPath wide;
	wchar_t wideMode[8] = {0};
	for (size_t i = 0; i < 7 && mode[i] != 0; ++i)
	{
		wideMode[i] = (wchar_t)mode[i];
	}
	return _wfopen(osWide(path, &wide), wideMode);
}

int brOs_Rename(const char* from, const char* to)
{
	OsPath wideFrom, wideTo;
	BOOL isDone = MoveFileExW(osWide(from, &wideFrom), osWide(to, &wideTo), MOVEFILE_REPLACE_EXISTING);
	return isDone ? 0 : osFail();
}

int brOs_Remove(const char* path)
{
	OsPath wide;
	return DeleteFileW(osWide(path, &wide)) ? 0 : osFail();
}

int brOs_MakeFolder(const char* path)
{
	OsPath wide;
	return CreateDirectoryW(osWide(path, &wide), NULL) ? 0 : osFail();
}

bool brOs_RealPath(const char* path, char* out)
{
	HANDLE handle = osAsk(path);
	if (handle == INVALID_HANDLE_VALUE)
	{
		osFail();
		return false;
	}
	OsPath wide;
	DWORD length = GetFinalPathNameByHandleW(handle, wide.text, BR_OS_MAX_PATH, FILE_NAME_NORMALIZED);
	CloseHandle(handle);
	const wchar_t* start = wide.text + (length > 4 && wcsncmp(wide.text, L"\\\\?\\", 4) == 0 ? 4 : 0);
	if (length == 0 || length >= BR_OS_MAX_PATH ||
		WideCharToMultiByte(CP_UTF8, 0, start, -1, out, BR_OS_MAX_PATH, NULL, NULL) == 0)
	{
		return false;
	}
	for (char* at = out; *at != 0; ++at)
	{
		*at = *at == '\\' ? '/' : *at;
	}
	return true;
}

bool brOs_Survives(void (*work)(void* argument), void* argument, double seconds)
{
	(void)work, (void)argument, (void)seconds;
	return true;
}

int64_t brOs_ProcessId(void)
{
	return (int64_t)GetCurrentProcessId();
}

struct brFolderNames
{
	HANDLE handle;
	WIN32_FIND_DATAW data;
	bool isFirst;
	char name[4 * MAX_PATH];
};

brFolderNames* brOs_OpenFolder(const char* path)
{
	brFolderNames* names = malloc(sizeof(*names));
	char pattern[BR_OS_MAX_PATH];
	snprintf(pattern, sizeof(pattern), "%s/*", path);
	OsPath wide;
	HANDLE handle = names != NULL ? FindFirstFileW(osWide(pattern, &wide), &names->data) : INVALID_HANDLE_VALUE;
	if (handle == INVALID_HANDLE_VALUE)
	{
		free(names);
		return NULL;
	}
	names->handle = handle;
	names->isFirst = true;
	return names;
}

const char* brOs_NextName(brFolderNames* names)
{
	while (names->isFirst || FindNextFileW(names->handle, &names->data))
	{
		names->isFirst = false;
		int bytes = WideCharToMultiByte(CP_UTF8, 0, names->data.cFileName, -1, names->name, (int)sizeof(names->name),
										NULL, NULL);
		if (bytes > 0 && strcmp(names->name, ".") != 0 && strcmp(names->name, "..") != 0)
		{
			return names->name;
		}
	}
	return NULL;
}

void brOs_CloseFolder(brFolderNames* names)
{
	if (names != NULL)
	{
		FindClose(names->handle);
		free(names);
	}
}

#else
typedef int brOsWindows; // a file needs one declaration
#endif
