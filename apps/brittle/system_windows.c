// SPDX-License-Identifier: MIT
#include "system.h"

#ifdef _WIN32

#define WIN32_LEAN_AND_MEAN
#include <errno.h>
#include <io.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>
// after windows.h
#include <shellapi.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG count); // RtlGenRandom of advapi32

static bool toUtf8(const wchar_t* wide, char* out, size_t bytes)
{
	return WideCharToMultiByte(CP_UTF8, 0, wide, -1, out, (int)bytes, NULL, NULL) > 0;
}

// Allocated; null without memory.
static wchar_t* toWide(const char* text)
{
	int count = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
	wchar_t* wide = count > 0 ? malloc((size_t)count * sizeof(wchar_t)) : NULL;
	if (wide != NULL)
	{
		MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, count);
	}
	return wide;
}

bool programPath(char* outPath, size_t bytes)
{
	wchar_t wide[BR_OS_MAX_PATH];
	DWORD length = GetModuleFileNameW(NULL, wide, BR_OS_MAX_PATH);
	if (length == 0 || length >= BR_OS_MAX_PATH || !toUtf8(wide, outPath, bytes))
	{
		return false;
	}
	for (char* at = outPath; *at != 0; ++at)
	{
		*at = *at == '\\' ? '/' : *at;
	}
	return true;
}

// Appends a word in quotes; backslashes count only in front of a quote, where they are doubled.
static char* putWord(char* out, const char* word)
{
	*out++ = '"';
	for (;; ++word)
	{
		size_t slashes = strspn(word, "\\");
		word += slashes;
		bool isQuote = *word == '"', isEnd = *word == 0;
		for (size_t i = 0; i < (isQuote || isEnd ? 2 * slashes : slashes) + isQuote; ++i)
		{
			*out++ = '\\';
		}
		if (isEnd)
		{
			break;
		}
		*out++ = *word;
	}
	*out++ = '"';
	return out;
}

static wchar_t* commandLine(const char* const* words)
{
	size_t bytes = 1;
	for (const char* const* word = words; *word != NULL; ++word)
	{
		bytes += 2 * strlen(*word) + 3;
	}
	char* line = malloc(bytes);
	char* out = line;
	for (const char* const* word = words; line != NULL && *word != NULL; ++word)
	{
		out = putWord(out, *word);
		*out++ = ' ';
	}
	if (line == NULL)
	{
		return NULL;
	}
	*out = 0;
	wchar_t* wide = toWide(line);
	free(line);
	return wide;
}

// What comes through the pipe until its other end is closed. False: the time is over.
static bool readUntil(HANDLE from, char* outText, size_t bytes, double seconds)
{
	int64_t end = brOs_Nanoseconds() + (int64_t)(1e9 * seconds);
	size_t used = 0;
	for (;;)
	{
		DWORD waiting = 0, got = 0;
		if (!PeekNamedPipe(from, NULL, 0, NULL, &waiting, NULL))
		{
			break; // closed
		}
		if (waiting == 0)
		{
			if (brOs_Nanoseconds() > end)
			{
				outText[used] = 0;
				return false;
			}
			Sleep(5);
			continue;
		}
		char spill[256];
		bool isFull = used + 1 >= bytes;
		if (!ReadFile(from, isFull ? spill : outText + used, isFull ? sizeof(spill) : (DWORD)(bytes - 1 - used), &got,
					  NULL))
		{
			break;
		}
		used += isFull ? 0 : got;
	}
	outText[used] = 0;
	return true;
}

ProgramEnd runProgram(const char* const* words, char* outText, size_t bytes, double seconds)
{
	ProgramEnd end = {0};
	wchar_t* line = commandLine(words);
	HANDLE reader = NULL, writer = NULL;
	SECURITY_ATTRIBUTES inherit = {sizeof(inherit), NULL, TRUE};
	if (line == NULL || (outText != NULL && !CreatePipe(&reader, &writer, &inherit, 0)))
	{
		free(line);
		return end;
	}
	STARTUPINFOW start = {.cb = sizeof(start)};
	HANDLE nothing = NULL;
	if (outText != NULL)
	{
		outText[0] = 0;
		SetHandleInformation(reader, HANDLE_FLAG_INHERIT, 0);
		nothing = CreateFileW(L"NUL", GENERIC_WRITE, FILE_SHARE_WRITE, &inherit, OPEN_EXISTING, 0, NULL);
		start.dwFlags = STARTF_USESTDHANDLES;
		start.hStdOutput = writer, start.hStdError = nothing, start.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
	}
	PROCESS_INFORMATION process;
	end.hasStarted = CreateProcessW(NULL, line, NULL, NULL, outText != NULL, 0, NULL, NULL, &start, &process) != 0;
	free(line);
	if (outText != NULL)
	{
		CloseHandle(writer);
		CloseHandle(nothing);
		end.isLate = end.hasStarted && !readUntil(reader, outText, bytes, seconds);
		CloseHandle(reader);
	}
	if (end.hasStarted)
	{
		if (end.isLate)
		{
			TerminateProcess(process.hProcess, 1);
		}
		WaitForSingleObject(process.hProcess, INFINITE);
		DWORD code = 0;
		GetExitCodeProcess(process.hProcess, &code);
		end.code = (int)code;
		end.signal = code >= 0xC0000000u ? (int)(code & 0xFFFF) : 0; // an exception ended it
		CloseHandle(process.hThread);
		CloseHandle(process.hProcess);
	}
	return end;
}

bool openAddress(const char* address)
{
	wchar_t* wide = toWide(address);
	bool isShown = wide != NULL && (intptr_t)ShellExecuteW(NULL, L"open", wide, NULL, NULL, SW_SHOWNORMAL) > 32;
	free(wide);
	return isShown;
}

static void (*endHandler)(int signal);

static BOOL WINAPI onConsole(DWORD kind)
{
	(void)kind;
	void (*handler)(int) = endHandler;
	endHandler = NULL;
	if (handler == NULL)
	{
		return FALSE; // the second time: Windows ends us
	}
	handler(SIGINT);
	return TRUE;
}

void onEndSignals(void (*handler)(int signal))
{
	bool isNew = endHandler == NULL;
	endHandler = handler;
	if (isNew)
	{
		SetConsoleCtrlHandler(onConsole, TRUE);
	}
}

bool isTerminal(FILE* file)
{
	return _isatty(_fileno(file)) != 0;
}

bool randomBytes(void* bytes, size_t count)
{
	return SystemFunction036(bytes, (ULONG)count) != 0;
}

char** utf8Arguments(int* count, char** arguments)
{
	SetConsoleOutputCP(CP_UTF8);
	int wideCount = 0;
	wchar_t** wide = CommandLineToArgvW(GetCommandLineW(), &wideCount);
	char** words = wide != NULL ? calloc((size_t)wideCount + 1, sizeof(char*)) : NULL;
	for (int i = 0; words != NULL && i < wideCount; ++i)
	{
		size_t bytes = 4 * wcslen(wide[i]) + 1;
		words[i] = malloc(bytes);
		if (words[i] == NULL || !toUtf8(wide[i], words[i], bytes))
		{
			words = NULL; // those of the C library are better than none
		}
	}
	if (words == NULL)
	{
		return arguments;
	}
	*count = wideCount;
	return words; // until the program ends
}

int removeFolder(const char* path)
{
	wchar_t* wide = toWide(path);
	bool isGone = wide != NULL && RemoveDirectoryW(wide);
	free(wide);
	return isGone ? 0 : -1;
}

void sleepFor(double seconds)
{
	Sleep((DWORD)(1e3 * seconds));
}

int lockFolder(const char* path)
{
	char lock[BR_OS_MAX_PATH];
	snprintf(lock, sizeof(lock), "%s/.brittle_lock", path);
	for (int tries = 0; tries < 1000; ++tries)
	{
		int file = brOs_OpenLocked(lock);
		if (file >= 0)
		{
			brOs_Remove(lock); // goes when it is closed
			return file;
		}
		if (errno != EEXIST && errno != EACCES)
		{
			return -1;
		}
		Sleep(10);
	}
	return -1;
}

bool openMemoryFile(MemoryFile* memory)
{
	*memory = (MemoryFile){0};
	wchar_t folder[MAX_PATH + 1], path[MAX_PATH + 1];
	if (GetTempPathW(MAX_PATH, folder) == 0 || GetTempFileNameW(folder, L"bri", 0, path) == 0)
	{
		return false;
	}
	memory->file = _wfopen(path, L"w+bD"); // gone when it is closed
	return memory->file != NULL;
}

bool finishMemoryFile(MemoryFile* memory)
{
	bool isGood = fflush(memory->file) == 0 && ferror(memory->file) == 0;
	long size = isGood ? ftell(memory->file) : -1;
	memory->text = size >= 0 ? malloc((size_t)size + 1) : NULL;
	isGood = memory->text != NULL && fseek(memory->file, 0, SEEK_SET) == 0 &&
			 fread(memory->text, 1, (size_t)size, memory->file) == (size_t)size;
	memory->size = isGood ? (size_t)size : 0;
	fclose(memory->file);
	return isGood;
}

#else
typedef int SystemWindows; // a file needs one declaration
#endif
