// SPDX-License-Identifier: MIT
#pragma once

// What every subcommand shares: its row in the table, options that explain themselves, JSON out, a progress bar.
//
// A subcommand is one file. It fills a table of options that point at its own variables, lets readOptions parse and
// answer --help, does its work, and prints data to stdout; talk goes to stderr. It returns 0 when done, 1 when the data
// says no, 2 for bad usage.

#include "brittle/brittle.h"

#include <stdio.h>

enum
{
	exit_done = 0,
	exit_no = 1,
	exit_usage = 2,
};

typedef enum OptionKind
{
	option_flag,     // bool*
	option_not,      // bool*, set to false
	option_text,     // const char**
	option_input,    // const char**, a file that is read
	option_output,   // const char**, a file that is written: refused if it is one that is read
	option_int,      // int32_t*
	option_double,   // double*
	option_vec3,     // brDVec3*, written x,y,z
	option_optional, // const char**, written --name or --name=value; "" without a value
	option_list,     // TextList*, may be given more than once
	option_inputs,   // TextList*, files that are read
} OptionKind;

typedef struct TextList
{
	const char* items[64];
	int32_t count;
} TextList;

#define MAX_BALLS 16

typedef struct Option
{
	const char* name; // without the dashes
	char letter;      // short form, or 0
	OptionKind kind;
	void* target;
	const char* placeholder; // of the value in the help page, or null
	const char* help;
} Option;

struct CommandLine;

typedef struct Command
{
	const char* name;
	const char* summary;  // one line in the list of commands
	const char* synopsis; // what follows the name
	const char* story;    // a paragraph or two of help
	const char* example;
	int (*run)(struct CommandLine* line);
	bool usesDevice; // --device gpu means something
} Command;

/// The words given to one subcommand, and the options that mean the same everywhere.
// Files of one command: all pieces of a large break, as a shell spells them out.
#define BR_MAX_WORDS 4096

typedef struct CommandLine
{
	const Command* command;
	int count;
	char** words;

	// Filled by readOptions
	const char* positional[BR_MAX_WORDS];
	int32_t positionalCount;
	const char* inputs[BR_MAX_WORDS + 64]; // files that are read: positional words and options that name one
	int32_t inputCount;
	int exitCode; // when readOptions says stop
	bool json;
	bool quiet;
	int32_t workerCount; // 0: one per core
	uint64_t seed;
	bool hasSeed;       // it was given
	const char* device; // "cpu", "gpu", "gpu:WHICH" or "auto"

	// Filled by beginWork
	brContext context;
	double startTime;
} CommandLine;

extern const Command command_bench;
extern const Command command_check;
extern const Command command_collide;
extern const Command command_convert;
extern const Command command_crack;
extern const Command command_cut;
extern const Command command_dataset;
extern const Command command_decimate;
extern const Command command_drop;
extern const Command command_hulls;
extern const Command command_info;
extern const Command command_make;
extern const Command command_render;
extern const Command command_run;
extern const Command command_serve;
extern const Command command_shatter;
extern const Command command_shoot;
extern const Command command_tet;
extern const Command command_trim;
extern const Command command_view;

/// Parses the words. False: stop and return line->exitCode (help was shown, or the usage was wrong and said so).
bool readOptions(CommandLine* line, const Option* options, int32_t optionCount, int32_t minPositional,
				 int32_t maxPositional);

/// Whether mesh files of this ending ("obj") can be written.
bool canWriteEnding(const char* ending);

/// Letters to add, take out, change or swap with the next to make one word of the other; words beyond 31 letters count
/// as different.
int wordDistance(const char* a, const char* b);

/// One sentence to stderr, "brittle check: ...", and exit_usage.
int failUsage(const CommandLine* line, const char* format, ...) BR_PRINTF_LIKE(2, 3);

/// Balls of finer tets from the words of --refine, each x,y,z,r,h. Says what is wrong with them otherwise.
int readBalls(const CommandLine* line, const TextList* words, brTetRefinement balls[MAX_BALLS]);

/// One sentence to stderr and exit_no; in JSON mode also {"error":...} on stdout.
int failData(const CommandLine* line, const brReport* report);
/// Of a call whose numbers are those of options: out of range is bad usage.
int failCall(const CommandLine* line, const brReport* report);
int failDataText(const CommandLine* line, const char* format, ...) BR_PRINTF_LIKE(2, 3);

/// Talk: to stderr unless --quiet.
void say(const CommandLine* line, const char* format, ...) BR_PRINTF_LIKE(2, 3);

/// Passes on the remark of a call that succeeded with one.
void sayRemark(const CommandLine* line, brResult result, const brReport* report);

/// The device that --device asks for; null for the CPU, which auto is. False: there is none, and that was said.
bool openDevice(CommandLine* line, brGpu** outGpu);

/// Starts the clock and the workers, and puts a progress bar behind the context's cancel callback. The bar is drawn on
/// stderr when that is a terminal, else there are lines with percentages (none with --quiet or --json); Ctrl-C and
/// other polite ends (SIGTERM, SIGHUP) cancel. `what` names the work. endWork wipes the bar and stops the workers.
bool beginWork(CommandLine* line, const char* what);
void endWork(CommandLine* line);

/// A cancel callback that shows progress and never cancels, for what is to be finished after Ctrl-C too.
bool showProgress(double progress, void* user);

/// Next stage of the work: the bar starts again.
void nextWork(CommandLine* line, const char* what);

double secondsSinceStart(const CommandLine* line);

/// The signal that asked the program to end, or 0. The program exits with 128 and its number once what was done is safe.
int endSignal(void);

/// From now on SIGINT, SIGTERM and SIGHUP are noted instead of ending the program; a second one ends it.
void heedEndSignals(void);

/// Makes a folder and those above it; what exists is fine.
bool makeFolder(const char* path);

// JSON: one object on stdout, written as it is built.

typedef struct Json
{
	FILE* file;
	int32_t depth;
	bool needsComma;
} Json;

/// Whether the ending of an output can be written; said before the work is done for nothing. False: exit_usage, and it
/// was said.
bool canWrite(const CommandLine* line, const char* path);

Json beginJson(void);
/// Closes the object after adding "seconds".
void endJson(Json* json, const CommandLine* line);
void jsonText(Json* json, const char* key, const char* value);
void jsonInt(Json* json, const char* key, int64_t value);
void jsonNumber(Json* json, const char* key, double value); // null unless finite
void jsonBool(Json* json, const char* key, bool value);
void jsonBounds(Json* json, const char* key, brDBox3 box); // null if empty
void jsonOpen(Json* json, const char* key, char bracket);  // '{' or '['; key null inside an array
void jsonClose(Json* json, char bracket);
