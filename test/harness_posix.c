// SPDX-License-Identifier: MIT
#include "harness_process.h"

#ifndef _WIN32

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

bool brTestProcess_Start(brTestProcess* process, brTest* test, FILE* output, const char* scratchFolder)
{
	(void)scratchFolder; // the copy has it
	*process = fork();
	if (*process == 0)
	{
		setpgid(0, 0);
		dup2(fileno(output), STDOUT_FILENO);
		dup2(fileno(output), STDERR_FILENO);
		test->run(test);
		fflush(stdout);
		exit(0); // not _exit: the leak check runs at exit
	}
	return *process > 0;
}

bool brTestProcess_HasEnded(brTestProcess* process, bool endNow, brTestEnd* end)
{
	if (endNow)
	{
		kill(-*process, SIGKILL); // its own children too
		kill(*process, SIGKILL);
	}
	int status = 0;
	struct rusage used;
	if (wait4(*process, &status, endNow ? 0 : WNOHANG, &used) != *process)
	{
		return false;
	}
	end->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	end->how = WIFEXITED(status) ? "failed" : strsignal(WTERMSIG(status));
	end->processorSeconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
							1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
	return true;
}

int brTest_Shell(const char* line)
{
	int status = system(line);
	CHECK_MESSAGE(WIFEXITED(status), "ended by a signal: %s", line);
	return WEXITSTATUS(status);
}

bool brTest_MakeScratchFolder(char path[BR_TEST_MAX_FOLDER])
{
	snprintf(path, BR_TEST_MAX_FOLDER, "/tmp/brittle_tests_XXXXXX");
	return mkdtemp(path) != NULL;
}

#endif
