// SPDX-License-Identifier: MIT

// brittle COMMAND: picks the row of the table. One file a subcommand, cmd_*.c.

#include "command.h"
#include "system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const Command* const commands[] = {
	// One a line, in the order of the overview.
	&command_drop,     //
	&command_shoot,    //
	&command_run,      //
	&command_view,     //
	&command_serve,    //
	&command_check,    //
	&command_convert,  //
	&command_make,     //
	&command_render,   //
	&command_trim,     //
	&command_decimate, //
	&command_cut,      //
	&command_shatter,  //
	&command_crack,    //
	&command_hulls,    //
	&command_tet,      //
	&command_dataset,  //
	&command_collide,  //
	&command_bench,    //
	&command_info,     //
};

enum
{
	commandCount = sizeof(commands) / sizeof(commands[0]),
};

static void printOverview(FILE* file)
{
	fprintf(file, "brittle %s: breaks things\n\nusage: brittle COMMAND [ARGUMENTS]\n\ncommands:\n", brGetVersion());
	for (int i = 0; i < commandCount; ++i)
	{
		fprintf(file, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	}
	fprintf(file, "\nbrittle COMMAND --help explains one of them with an example; defaults are in brackets.\n"
				  "Data goes to stdout (--json: one object), talk to stderr.\n"
				  "Exit 0: done. 1: the data says no. 2: bad usage. 128 + N: stopped early by signal N.\n");
}

// A full disk behind a pipe or a redirection: the data did not arrive, and silence would say that it did.
static int finishOutput(const CommandLine* line, int exitCode)
{
	if ((fflush(stdout) != 0 || ferror(stdout)) && exitCode == exit_done)
	{
		fprintf(stderr, "brittle %s: stdout cannot be written: %s\n", line->command->name, strerror(errno));
		return exit_no;
	}
	return endSignal() != 0 ? 128 + endSignal() : exitCode;
}

int main(int argumentCount, char** arguments)
{
#ifndef _WIN32
	// NVIDIA's driver makes eight hardware queues ready unless told otherwise, a third of the time that it takes to
	// start and to end. We use one.
	setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
#endif
	arguments = utf8Arguments(&argumentCount, arguments);
	if (argumentCount < 2)
	{
		printOverview(stderr);
		return exit_usage;
	}
	const char* word = arguments[1];
	char helpFlag[] = "--help";
	if (strcmp(word, "help") == 0 && argumentCount > 2)
	{
		word = arguments[2]; // brittle help cut is brittle cut --help
		arguments[1] = arguments[2], arguments[2] = helpFlag;
		argumentCount = 3;
	}
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
	{
		printOverview(stdout);
		return exit_done;
	}
	if (strcmp(word, "--version") == 0)
	{
		printf("brittle %s\n", brGetVersion());
		return exit_done;
	}
	const Command* closest = commands[0];
	for (int i = 0; i < commandCount; ++i)
	{
		if (strcmp(word, commands[i]->name) == 0)
		{
			CommandLine line = {.command = commands[i], .count = argumentCount - 2, .words = arguments + 2};
			return finishOutput(&line, commands[i]->run(&line));
		}
		if (wordDistance(word, commands[i]->name) < wordDistance(word, closest->name))
		{
			closest = commands[i];
		}
	}
	bool isNear = 2 * wordDistance(word, closest->name) <= (int)strlen(word);
	fprintf(stderr, "brittle: there is no command '%s'%s%s%s See brittle --help.\n", word,
			isNear ? "; did you mean " : ".", isNear ? closest->name : "", isNear ? "?" : "");
	return exit_usage;
}
