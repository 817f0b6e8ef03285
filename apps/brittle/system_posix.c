// SPDX-License-Identifier: MIT
#include "system.h"

#ifndef _WIN32

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

bool programPath(char* outPath, size_t bytes)
{
#ifdef __APPLE__
	uint32_t size = (uint32_t)bytes;
	return _NSGetExecutablePath(outPath, &size) == 0;
#else
	ssize_t length = readlink("/proc/self/exe", outPath, bytes - 1);
	outPath[length > 0 ? length : 0] = 0;
	return length > 0 && (size_t)length < bytes - 1;
#endif
}

// Reads until the program closes its end or the time is over. False: the time is over, or a signal asks us to end.
static bool readUntil(int from, char* outText, size_t bytes, double seconds)
{
	int64_t end = brOs_Nanoseconds() + (int64_t)(1e9 * seconds);
	size_t used = 0;
	for (;;)
	{
		int64_t left = (end - brOs_Nanoseconds()) / 1000000;
		struct pollfd wait = {.fd = from, .events = POLLIN};
		int ready = left > 0 ? poll(&wait, 1, left < 3600000 ? (int)left : 3600000) : 0;
		if (ready <= 0)
		{
			outText[used] = 0;
			return false;
		}
		char spill[256];
		bool isFull = used + 1 >= bytes;
		ssize_t got = read(from, isFull ? spill : outText + used, isFull ? sizeof(spill) : bytes - 1 - used);
		if (got <= 0)
		{
			outText[used] = 0;
			return true;
		}
		used += isFull ? 0 : (size_t)got;
	}
}

ProgramEnd runProgram(const char* const* words, char* outText, size_t bytes, double seconds)
{
	ProgramEnd end = {0};
	int ends[2] = {-1, -1};
	if (outText != NULL && pipe(ends) != 0)
	{
		return end;
	}
	pid_t child = fork();
	if (child == 0)
	{
		FILE* quiet = stderr;
		if (outText != NULL)
		{
			// What it says as it dies is not for the user.
			quiet = freopen("/dev/null", "w", stderr);
			dup2(ends[1], STDOUT_FILENO);
			close(ends[0]), close(ends[1]);
		}
		if (quiet != NULL)
		{
			execvp(words[0], (char* const*)(uintptr_t)words);
		}
		_exit(127);
	}
	if (outText != NULL)
	{
		outText[0] = 0;
		close(ends[1]);
		end.isLate = child > 0 && !readUntil(ends[0], outText, bytes, seconds);
		close(ends[0]);
	}
	if (end.isLate)
	{
		kill(child, SIGKILL);
	}
	int status = 0;
	pid_t ended;
	do
	{
		ended = child > 0 ? waitpid(child, &status, 0) : -1;
	} while (ended < 0 && child > 0 && errno == EINTR);
	end.hasStarted = ended == child && child > 0;
	end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	end.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	return end;
}

bool openAddress(const char* address)
{
#ifdef __APPLE__
	const char* words[] = {"open", address, NULL};
#else
	if (getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL)
	{
		return false;
	}
	const char* words[] = {"xdg-open", address, NULL};
#endif
	ProgramEnd end = runProgram(words, NULL, 0, 0.0);
	return end.hasStarted && end.code == 0;
}

void onEndSignals(void (*handler)(int signal))
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action, before;
	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	action.sa_flags = (int)SA_RESETHAND; // a second one ends the program at once
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); ++i)
	{
		if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) // nohup stays nohup
		{
			sigaction(signals[i], &action, NULL);
		}
	}
}

bool isTerminal(FILE* file)
{
	return isatty(fileno(file)) != 0;
}

bool randomBytes(void* bytes, size_t count)
{
	int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	bool isRead = file >= 0 && read(file, bytes, count) == (ssize_t)count;
	if (file >= 0)
	{
		close(file);
	}
	return isRead;
}

char** utf8Arguments(int* count, char** arguments)
{
	(void)count;
	return arguments;
}

int removeFolder(const char* path)
{
	return rmdir(path);
}

void sleepFor(double seconds)
{
	struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
	nanosleep(&time, NULL);
}

int lockFolder(const char* path)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder >= 0 && flock(folder, LOCK_EX) != 0)
	{
		close(folder);
		folder = -1;
	}
	return folder;
}

bool openMemoryFile(MemoryFile* memory)
{
	*memory = (MemoryFile){0};
	memory->file = open_memstream(&memory->text, &memory->size);
	return memory->file != NULL;
}

bool finishMemoryFile(MemoryFile* memory)
{
	bool isGood = ferror(memory->file) == 0;
	return fclose(memory->file) == 0 && isGood;
}

#else
typedef int SystemPosix; // a file needs one declaration
#endif
