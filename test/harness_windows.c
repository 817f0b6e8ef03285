// SPDX-License-Identifier: MIT
#include "harness_process.h"

#ifdef _WIN32

#define WIN32_LEAN_AND_MEAN
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

bool brTestProcess_Start(brTestProcess* process, brTest* test, FILE* output, const char* scratchFolder)
{
	char program[1024], line[2048];
	GetModuleFileNameA(NULL, program, sizeof(program));
	snprintf(line, sizeof(line), "\"%s\" --child %s \"%s\" --seed %llu --intensity %.17g", program, test->name,
			 scratchFolder, (unsigned long long)test->seed, test->intensity);
	HANDLE said = (HANDLE)_get_osfhandle(_fileno(output));
	SetHandleInformation(said, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
	STARTUPINFOA start = {.cb = sizeof(start), .dwFlags = STARTF_USESTDHANDLES, .hStdOutput = said, .hStdError = said};
	PROCESS_INFORMATION info;
	bool isStarted = CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &info);
	SetHandleInformation(said, HANDLE_FLAG_INHERIT, 0);
	if (isStarted)
	{
		CloseHandle(info.hThread);
		*process = info.hProcess;
	}
	return isStarted;
}

static double seconds(FILETIME time)
{
	return 1e-7 * (double)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime);
}

bool brTestProcess_HasEnded(brTestProcess* process, bool endNow, brTestEnd* end)
{
	if (endNow)
	{
		TerminateProcess(*process, (UINT)-1);
	}
	if (WaitForSingleObject(*process, endNow ? INFINITE : 0) != WAIT_OBJECT_0)
	{
		return false;
	}
	DWORD code = 0;
	FILETIME begun, ended, system = {0}, user = {0};
	GetExitCodeProcess(*process, &code);
	GetProcessTimes(*process, &begun, &ended, &system, &user);
	CloseHandle(*process);
	end->code = code <= 255 ? (int)code : -1; // what crashed has a large number
	end->how = code <= 255 ? "failed" : "crashed";
	end->processorSeconds = seconds(system) + seconds(user);
	return true;
}

int brTest_Shell(const char* line)
{
	// Whole paths go with '\\' as a user of Windows has them; names of no drive stay as they are.
	char words[8192];
	size_t used = 0;
	bool isPath = false;
	for (const char* c = line; *c != 0 && used + 8 < sizeof(words); ++c)
	{
		isPath = *c != ' ' && (isPath || strncmp(c, ":/", 2) == 0);
		if (strncmp(c, "/dev/null", 9) == 0 && used > 0 && (words[used - 1] == '>' || words[used - 1] == '<'))
		{
			memcpy(words + used, "NUL", 3);
			used += 3;
			c += 8;
			continue;
		}
		words[used++] = *c == '/' && isPath ? '\\' : *c == '\'' ? '"' : *c;
	}
	words[used] = 0;
	return system(words);
}

bool brTest_MakeScratchFolder(char path[BR_TEST_MAX_FOLDER])
{
	char temporary[MAX_PATH + 1];
	GetTempPathA(sizeof(temporary), temporary);
	snprintf(path, BR_TEST_MAX_FOLDER, "%.100sbrittle_tests_%lu", temporary, (unsigned long)GetCurrentProcessId());
	for (char* c = path; *c != 0; ++c)
	{
		*c = *c == '\\' ? '/' : *c;
	}
	return CreateDirectoryA(path, NULL);
}

#endif
