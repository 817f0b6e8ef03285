// SPDX-License-Identifier: MIT

// The benchmarks and their peers are a program of their own beside this one, so that no peer is linked into the
// product.

#include "command.h"
#include "system.h"

#include <string.h>

static int runBench(CommandLine* line)
{
	// The flags of `kdet --csv` and `kdet --plots` are the benchmark program's own.
	bool isTool = line->count > 1 && line->count < 60 && strcmp(line->words[0], "kdet") == 0 &&
				  (strcmp(line->words[1], "--csv") == 0 || strcmp(line->words[1], "--plots") == 0);
	const char *only = NULL, *compare = NULL;
	const Option options[] = {
		{"only", 0, option_text, &only, "TEXT", "the rows whose name holds this"},
		{"compare", 0, option_input, &compare, "FILE", "run twice and tell what got slower since a saved run (--json)"},
	};
	if (!isTool && !readOptions(line, options, sizeof(options) / sizeof(options[0]), 0, 32))
	{
		return line->exitCode;
	}
	char path[1024];
	path[0] = 0;
	programPath(path, sizeof(path) - 16);
	char* slash = strrchr(path, '/');
	if (slash == NULL)
	{
		return failDataText(line, "the folder of this program cannot be found");
	}
	snprintf(slash, sizeof(path) - (size_t)(slash - path), "/brittle-bench");

	const char* words[66];
	int count = 0;
	words[count++] = path;
	for (int32_t i = 0; i < (isTool ? line->count : line->positionalCount); ++i)
	{
		words[count++] = isTool ? line->words[i] : line->positional[i];
	}
	if (line->json)
	{
		words[count++] = "--json";
	}
	if (only != NULL)
	{
		words[count++] = "--only";
		words[count++] = only;
	}
	if (compare != NULL)
	{
		words[count++] = "--compare";
		words[count++] = compare;
	}
	words[count] = NULL;
	ProgramEnd end = runProgram(words, NULL, 0, 0.0);
	if (!end.hasStarted || end.code == 127)
	{
		return failDataText(line, "%s cannot be run; make bench builds it", path);
	}
	return end.signal != 0 ? 128 + end.signal : end.code;
}

const Command command_bench = {
	"bench",
	"measures speed beside the best other programs",
	"[NAME...] [--only TEXT] [--compare FILE] [--json]",
	"Runs the named benchmarks, or all. Each checks its answer before its time and prints ours, the peer's and the\n"
	"ratio. `papers` stands for the tables and figures of the papers, with the printed values as peers. --compare "
	"exits 1 if\n"
	"a row got slower by more than the noise. `make bench` builds the benchmark program with the peers that the "
	"machine has.",
	"brittle bench io sort",
	runBench,
	true,
};
