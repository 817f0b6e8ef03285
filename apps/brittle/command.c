// SPDX-License-Identifier: MIT
#include "command.h"

#include "ask.h"
#include "outputs.h"
#include "system.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double wallSeconds(void)
{
	return 1e-9 * (double)brOs_Nanoseconds();
}

// Options

static void printOptionHelp(const Option* option)
{
	char left[64];
	int used = option->letter != 0 ? snprintf(left, sizeof(left), "-%c, ", option->letter)
								   : snprintf(left, sizeof(left), "    ");
	const char* gap = option->kind == option_optional ? "[=" : option->placeholder != NULL ? " " : "";
	snprintf(left + used, sizeof(left) - (size_t)used, "--%s%s%s%s", option->name, gap,
			 option->placeholder != NULL ? option->placeholder : "", option->kind == option_optional ? "]" : "");
	printf("  %-26s %s\n", left, option->help);
}

static void printHelp(const Command* command, const Option* options, int32_t count, const Option* common,
					  int32_t commonCount)
{
	printf("brittle %s: %s\n\n", command->name, command->summary);
	printf("usage: brittle %s %s\n\n%s\n\noptions:\n", command->name, command->synopsis, command->story);
	for (int32_t i = 0; i < count; ++i)
	{
		printOptionHelp(&options[i]);
	}
	for (int32_t i = 0; i < commonCount; ++i)
	{
		printOptionHelp(&common[i]);
	}
	printf("\nexample:\n  %s\n", command->example);
}

int wordDistance(const char* a, const char* b)
{
	int rows[32][32], m = (int)strlen(a), n = (int)strlen(b);
	if (m > 31 || n > 31)
	{
		return m + n;
	}
	for (int i = 0; i <= m; ++i)
	{
		for (int j = 0; j <= n; ++j)
		{
			int least = i == 0 ? j : rows[i - 1][j] + 1;
			if (j > 0)
			{
				int added = rows[i][j - 1] + 1, changed = i == 0 ? least : rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
				bool isSwap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
				int swapped = isSwap ? rows[i - 2][j - 2] + 1 : least;
				least = added < least ? added : least;
				least = changed < least ? changed : least;
				least = swapped < least ? swapped : least;
			}
			rows[i][j] = least;
		}
	}
	return rows[m][n];
}

static const Option* findOption(const char* word, const Option* options, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		bool isLong = word[0] == '-' && word[1] == '-' && strcmp(word + 2, options[i].name) == 0;
		bool isShort = word[0] == '-' && options[i].letter != 0 && word[1] == options[i].letter && word[2] == 0;
		if (isLong || isShort)
		{
			return &options[i];
		}
	}
	return NULL;
}

static bool parseNumber(const char* text, double* outValue)
{
	char* end;
	errno = 0;
	*outValue = strtod(text, &end);
	return end != text && *end == 0 && isfinite(*outValue);
}

static bool parseVec3(const char* text, brDVec3* outValue)
{
	double values[3];
	char word[64];
	for (int i = 0; i < 3; ++i)
	{
		size_t length = strcspn(text, ",");
		if (length >= sizeof(word) || (text[length] == ',') != (i < 2))
		{
			return false;
		}
		memcpy(word, text, length);
		word[length] = 0;
		if (!parseNumber(word, &values[i]))
		{
			return false;
		}
		text += length + 1;
	}
	*outValue = brMakeDVec3(values[0], values[1], values[2]);
	return true;
}

static bool storeValue(const Option* option, const char* value)
{
	double number;
	switch (option->kind)
	{
		case option_text:
		case option_optional:
		case option_input:
		case option_output:
			*(const char**)option->target = value;
			return true;
		case option_int:
			if (!parseNumber(value, &number) || number != floor(number) || fabs(number) > 2e9)
			{
				return false;
			}
			*(int32_t*)option->target = (int32_t)number;
			return true;
		case option_double:
			return parseNumber(value, (double*)option->target);
		case option_vec3:
			return parseVec3(value, (brDVec3*)option->target);
		case option_list:
		case option_inputs:
		{
			TextList* list = option->target;
			if (list->count == (int32_t)(sizeof(list->items) / sizeof(list->items[0])))
			{
				return false;
			}
			list->items[list->count++] = value;
			return true;
		}
		case option_flag:
		case option_not:
			break;
	}
	return false;
}

static bool parseSeed(const char* text, uint64_t* outSeed)
{
	char* end;
	errno = 0;
	*outSeed = strtoull(text, &end, 0);
	return end != text && *end == 0 && errno == 0 && text[0] != '-';
}

// Options of the subcommand and those that all have.
typedef struct OptionTables
{
	const Option* own;
	int32_t ownCount;
	const Option* common;
	int32_t commonCount;
} OptionTables;

// The name of the option that a mistyped word may mean, or null.
static const char* closestOption(const char* word, const OptionTables* tables)
{
	const char *name = word + strspn(word, "-"), *closest = NULL;
	int least = (int)strlen(name) / 2 + 1;
	for (int32_t i = 0; i < tables->ownCount + tables->commonCount; ++i)
	{
		const Option* option = i < tables->ownCount ? &tables->own[i] : &tables->common[i - tables->ownCount];
		int distance = wordDistance(name, option->name);
		closest = distance < least ? option->name : closest;
		least = distance < least ? distance : least;
	}
	return closest;
}

static bool isOptionWord(const char* word)
{
	bool isNumber = word[0] == '-' && (isdigit((unsigned char)word[1]) || word[1] == '.');
	return word[0] == '-' && word[1] != 0 && !isNumber;
}

static bool addPositional(CommandLine* line, const char* word)
{
	if (line->positionalCount == (int32_t)(sizeof(line->positional) / sizeof(line->positional[0])))
	{
		failUsage(line, "there are too many arguments");
		return false;
	}
	line->positional[line->positionalCount++] = word;
	return true;
}

// The option at word `*at`, and its value, which may be the next word: --name=value is --name value.
static bool readOption(CommandLine* line, const OptionTables* tables, int* at)
{
	const char* word = line->words[*at];
	char name[64];
	const char* value = strchr(word, '=');
	size_t length = value != NULL ? (size_t)(value - word) : strlen(word);
	if (length >= sizeof(name))
	{
		failUsage(line, "there is no option %s", word);
		return false;
	}
	memcpy(name, word, length);
	name[length] = 0;
	value = value != NULL ? value + 1 : NULL;

	const Option* option = findOption(name, tables->own, tables->ownCount);
	option = option != NULL ? option : findOption(name, tables->common, tables->commonCount);
	if (option == NULL)
	{
		const char* meant = closestOption(name, tables);
		failUsage(line, "there is no option %s; %s%s%ssee brittle %s --help", name,
				  meant != NULL ? "did you mean --" : "", meant != NULL ? meant : "", meant != NULL ? "? " : "",
				  line->command->name);
		return false;
	}
	if (option->kind == option_flag || option->kind == option_not)
	{
		if (value != NULL)
		{
			failUsage(line, "%s takes no value", name);
			return false;
		}
		*(bool*)option->target = option->kind == option_flag;
		return true;
	}
	if (value == NULL && option->kind == option_optional)
	{
		value = "";
	}
	if (value == NULL && *at + 1 < line->count)
	{
		*at += 1;
		value = line->words[*at];
	}
	if (value == NULL)
	{
		failUsage(line, "%s needs a value: %s", name, option->placeholder);
		return false;
	}
	if (!storeValue(option, value))
	{
		const char* wanted = option->kind == option_int      ? "a whole number within 2e9"
							 : option->kind == option_double ? "a number"
															 : option->placeholder;
		failUsage(line, "%s takes %s, not '%s'", name, wanted, value);
		return false;
	}
	return true;
}

static bool readWords(CommandLine* line, const OptionTables* tables)
{
	bool onlyFiles = false; // after --
	for (int i = 0; i < line->count; ++i)
	{
		if (!onlyFiles && strcmp(line->words[i], "--") == 0)
		{
			onlyFiles = true;
			continue;
		}
		bool isGood = !onlyFiles && isOptionWord(line->words[i]) ? readOption(line, tables, &i)
																 : addPositional(line, line->words[i]);
		if (!isGood)
		{
			return false;
		}
	}
	return true;
}

static void addInput(CommandLine* line, const char* path)
{
	if (path != NULL && line->inputCount < (int32_t)(sizeof(line->inputs) / sizeof(line->inputs[0])))
	{
		line->inputs[line->inputCount++] = path;
	}
}

// No output may be one of the inputs.
static bool checkFiles(CommandLine* line, const Option* options, int32_t count)
{
	for (int32_t i = 0; i < line->positionalCount; ++i)
	{
		addInput(line, line->positional[i]);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		const TextList* list = options[i].kind == option_inputs ? options[i].target : NULL;
		for (int32_t k = 0; list != NULL && k < list->count; ++k)
		{
			addInput(line, list->items[k]);
		}
		addInput(line, options[i].kind == option_input ? *(const char**)options[i].target : NULL);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		const char* output = options[i].kind == option_output ? *(const char**)options[i].target : NULL;
		if (output != NULL && !isSafeOutput(line, output))
		{
			return false;
		}
	}
	return true;
}

static bool isDeviceName(const char* name)
{
	return strcmp(name, "cpu") == 0 || strcmp(name, "gpu") == 0 || strcmp(name, "auto") == 0 ||
		   (strncmp(name, "gpu:", 4) == 0 && name[4] != 0);
}

bool readOptions(CommandLine* line, const Option* options, int32_t optionCount, int32_t minPositional,
				 int32_t maxPositional)
{
	const char* seed = NULL;
	bool help = false;
	line->device = "auto";
	line->exitCode = exit_usage;
	const Option common[] = {
		{"json", 0, option_flag, &line->json, NULL, "one JSON object on stdout"},
		{"quiet", 'q', option_flag, &line->quiet, NULL, "no talk on stderr"},
		{"workers", 0, option_int, &line->workerCount, "N", "threads to use (default: one per core)"},
		{"seed", 0, option_text, &seed, "N", "seed of everything random (default: 0)"},
		{"device", 0, option_text, &line->device, "D", "cpu, gpu, gpu:NAME, gpu:NUMBER or auto (default: auto)"},
		{"help", 'h', option_flag, &help, NULL, "this page"},
	};
	OptionTables tables = {options, optionCount, common, sizeof(common) / sizeof(common[0])};
	if (!readWords(line, &tables))
	{
		return false;
	}
	if (help)
	{
		printHelp(line->command, options, optionCount, common, tables.commonCount);
		line->exitCode = exit_done;
		return false;
	}
	if (seed != NULL && !parseSeed(seed, &line->seed))
	{
		failUsage(line, "--seed takes a whole number from 0 to 18446744073709551615, not '%s'", seed);
		return false;
	}
	line->hasSeed = seed != NULL;
	if (line->workerCount < 0 || line->workerCount > BR_MAX_WORKERS)
	{
		failUsage(line, "--workers takes 0 to %d", BR_MAX_WORKERS);
		return false;
	}
	if (!isDeviceName(line->device))
	{
		failUsage(line, "--device takes cpu, gpu, gpu:NAME, gpu:NUMBER or auto, not '%s'", line->device);
		return false;
	}
	if (!line->command->usesDevice && strncmp(line->device, "gpu", 3) == 0)
	{
		failUsage(line, "%s works on the CPU alone; leave --device out", line->command->name);
		return false;
	}
	if (line->positionalCount < minPositional || line->positionalCount > maxPositional)
	{
		failUsage(line, "usage: brittle %s %s", line->command->name, line->command->synopsis);
		return false;
	}
	if (!checkFiles(line, options, optionCount))
	{
		return false;
	}
	line->exitCode = exit_done;
	return true;
}

bool canWriteEnding(const char* ending)
{
	char probe[64];
	int length = snprintf(probe, sizeof(probe), "file.%s", ending);
	return length < (int)sizeof(probe) && brFileFormat_CanWrite(brFileFormat_FromPath(probe));
}

// Talk

static void printSentence(const CommandLine* line, const char* format, va_list arguments)
{
	fprintf(stderr, "brittle %s: ", line->command->name);
	vfprintf(stderr, format, arguments);
	fprintf(stderr, "\n");
}

int failUsage(const CommandLine* line, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	printSentence(line, format, arguments);
	va_end(arguments);
	return exit_usage;
}

int readBalls(const CommandLine* line, const TextList* words, brTetRefinement balls[MAX_BALLS])
{
	bool isGood = words->count <= MAX_BALLS;
	for (int32_t i = 0; i < words->count && isGood; ++i)
	{
		char rest;
		brTetRefinement* ball = &balls[i];
		isGood = sscanf(words->items[i], "%lf,%lf,%lf,%lf,%lf%c", &ball->center.x, &ball->center.y, &ball->center.z,
						&ball->radius, &ball->edge, &rest) == 5 &&
				 brDIsFinite(ball->center) && ball->radius > 0.0 && ball->radius < INFINITY && ball->edge > 0.0 &&
				 ball->edge < INFINITY;
	}
	return isGood ? exit_done
				  : failUsage(line, "--refine takes x,y,z,r,h with r and h positive, up to %d times", MAX_BALLS);
}

int failDataText(const CommandLine* line, const char* format, ...)
{
	char text[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fprintf(stderr, "brittle %s: %s\n", line->command->name, text);
	if (line->json)
	{
		Json json = beginJson();
		jsonText(&json, "error", text);
		endJson(&json, line);
	}
	return exit_no;
}

int failData(const CommandLine* line, const brReport* report)
{
	return failDataText(line, "%s", report->text[0] != 0 ? report->text : brResult_Describe(report->code));
}

int failCall(const CommandLine* line, const brReport* report)
{
	int exitCode = failData(line, report);
	return report->code == br_errorMisuse ? exit_usage : exitCode;
}

void say(const CommandLine* line, const char* format, ...)
{
	if (line->quiet)
	{
		return;
	}
	va_list arguments;
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fprintf(stderr, "\n");
}

void sayRemark(const CommandLine* line, brResult result, const brReport* report)
{
	if (result > 0 && report->text[0] != 0)
	{
		say(line, "note: %s", report->text);
	}
}

// Work: clock, workers, bar

static volatile sig_atomic_t endedBy; // the first signal that asked us to end, or 0

// The first one asks: work stops where it can be gone on with. The second one ends the program at once; files are
// written aside and renamed, so none is half done.
static void onEndSignal(int number)
{
	if (endedBy != 0)
	{
		_Exit(128 + number);
	}
	endedBy = number;
}

int endSignal(void)
{
	return endedBy;
}

void heedEndSignals(void)
{
	onEndSignals(onEndSignal);
}

typedef struct Bar
{
	bool isTerminal;
	bool isDrawn;
	const char* what;
	double start;
	double lastDrawn;
	bool isQuiet;
	double lastTold; // progress in the last line, where there is no terminal
} Bar;

static Bar bar;

static void wipeBar(void)
{
	if (bar.isDrawn)
	{
		fprintf(stderr, "\r\033[K");
		fflush(stderr);
		bar.isDrawn = false;
	}
}

// Without a terminal: a line every tenth of the way, every two seconds at the most.
static void tellProgress(double progress, double now)
{
	if (bar.isQuiet || now - bar.lastDrawn < 2.0 || now - bar.start < 1.0 || progress < bar.lastTold + 0.1)
	{
		return;
	}
	fprintf(stderr, "%s: %.0f %%, %.0f s left\n", bar.what, 100.0 * progress,
			(now - bar.start) * (1.0 - progress) / progress);
	bar.lastDrawn = now;
	bar.lastTold = progress;
}

static bool drawBar(double progress, void* user)
{
	(void)user;
	double now = wallSeconds();
	bool due = now - bar.lastDrawn > 0.1 && now - bar.start > 0.3;
	progress = progress < 0.0 ? 0.0 : progress > 1.0 ? 1.0 : progress;
	if (!bar.isTerminal)
	{
		tellProgress(progress, now);
	}
	if (bar.isTerminal && due)
	{
		const int width = 32;
		int full = (int)(progress * width);
		char cells[64];
		memset(cells, ' ', (size_t)width);
		memset(cells, '#', (size_t)full);
		cells[width] = 0;
		double left = progress > 0.01 ? (now - bar.start) * (1.0 - progress) / progress : -1.0;
		fprintf(stderr, "\r\033[K%s [%s] %3.0f%%", bar.what, cells, 100.0 * progress);
		if (left >= 0.0)
		{
			fprintf(stderr, "  %.0f s left", left);
		}
		fflush(stderr);
		bar.lastDrawn = now;
		bar.isDrawn = true;
	}
	return endedBy != 0;
}

bool showProgress(double progress, void* user)
{
	drawBar(progress, user);
	return false;
}

// Warnings of the library; the rest is for hosts that ask.
static void sayLog(brLogLevel level, const char* text, void* user)
{
	if (level >= br_logWarning)
	{
		wipeBar();
		say(user, "note: %s", text);
	}
}

bool openDevice(CommandLine* line, brGpu** outGpu)
{
	*outGpu = NULL;
	if (strncmp(line->device, "gpu", 3) != 0)
	{
		return true;
	}
	char folder[480];
	brGpuDef def = brDefaultGpuDef();
	def.device = line->device[3] == ':' ? line->device + 4 : NULL;
	def.cacheFolder = cachePath(NULL, folder, sizeof(folder)) ? folder : NULL;
	brReport report = {0};
	if (!canAskOpenCl(false, report.text, sizeof(report.text)))
	{
		say(line, "note: %s; the processor does the work", report.text);
		line->device = "cpu";
		return true;
	}
	if (brOpenGpu(&line->context, &def, outGpu, &report) < 0)
	{
		failData(line, &report);
		return false;
	}
	return true;
}

bool beginWork(CommandLine* line, const char* what)
{
	line->startTime = wallSeconds();
	bar = (Bar){.isTerminal = isTerminal(stderr) && !line->quiet, .isQuiet = line->quiet || line->json};
	bar.what = what;
	bar.start = line->startTime;
	heedEndSignals();
	brWorkersDef def = brDefaultWorkersDef();
	def.workerCount = line->workerCount;
	line->context.workers = brCreateWorkers(&def);
	line->context.cancel = drawBar;
	line->context.log = sayLog;
	line->context.logUser = line;
	if (line->context.workers == NULL)
	{
		failDataText(line, "there is not enough memory");
		return false;
	}
	return true;
}

void nextWork(CommandLine* line, const char* what)
{
	(void)line;
	wipeBar();
	bar.what = what;
	bar.start = wallSeconds();
	bar.lastTold = 0.0;
}

void endWork(CommandLine* line)
{
	wipeBar();
	brDestroyWorkers(line->context.workers);
	line->context.workers = NULL;
}

double secondsSinceStart(const CommandLine* line)
{
	return line->startTime > 0.0 ? wallSeconds() - line->startTime : 0.0;
}

// JSON

static void jsonString(FILE* file, const char* text)
{
	fputc('"', file);
	for (const unsigned char* c = (const unsigned char*)text; *c != 0; ++c)
	{
		if (*c == '"' || *c == '\\')
		{
			fprintf(file, "\\%c", *c);
		}
		else if (*c < 0x20)
		{
			fprintf(file, "\\u%04x", *c);
		}
		else
		{
			fputc(*c, file);
		}
	}
	fputc('"', file);
}

static void jsonKey(Json* json, const char* key)
{
	if (json->needsComma)
	{
		fputc(',', json->file);
	}
	json->needsComma = true;
	if (key != NULL)
	{
		jsonString(json->file, key);
		fputc(':', json->file);
	}
}

Json beginJson(void)
{
	fputc('{', stdout);
	return (Json){stdout, 1, false};
}

void endJson(Json* json, const CommandLine* line)
{
	jsonNumber(json, "seconds", secondsSinceStart(line));
	fputs("}\n", json->file);
	fflush(json->file);
}

void jsonText(Json* json, const char* key, const char* value)
{
	jsonKey(json, key);
	jsonString(json->file, value);
}

void jsonInt(Json* json, const char* key, int64_t value)
{
	jsonKey(json, key);
	fprintf(json->file, "%lld", (long long)value);
}

void jsonNumber(Json* json, const char* key, double value)
{
	jsonKey(json, key);
	isfinite(value) ? fprintf(json->file, "%.17g", value) : fprintf(json->file, "null");
}

void jsonBool(Json* json, const char* key, bool value)
{
	jsonKey(json, key);
	fputs(value ? "true" : "false", json->file);
}

void jsonBounds(Json* json, const char* key, brDBox3 box)
{
	jsonKey(json, key);
	if (!(box.lower.x <= box.upper.x))
	{
		fputs("null", json->file);
		return;
	}
	fprintf(json->file, "{\"min\":[%.17g,%.17g,%.17g],\"max\":[%.17g,%.17g,%.17g]}", box.lower.x, box.lower.y,
			box.lower.z, box.upper.x, box.upper.y, box.upper.z);
}

void jsonOpen(Json* json, const char* key, char bracket)
{
	jsonKey(json, key);
	fputc(bracket, json->file);
	json->depth += 1;
	json->needsComma = false;
}

void jsonClose(Json* json, char bracket)
{
	fputc(bracket, json->file);
	json->depth -= 1;
	json->needsComma = true;
}

bool makeFolder(const char* path)
{
	const char* slash = brOs_LastSlash(path);
	if (slash != NULL && slash > path && brOs_FileInfo(path).kind == br_fileAbsent)
	{
		char parent[1024];
		if (snprintf(parent, sizeof(parent), "%.*s", (int)(slash - path), path) >= (int)sizeof(parent))
		{
			return false;
		}
		makeFolder(parent);
	}
	brOs_MakeFolder(path);
	return brOs_FileInfo(path).kind == br_fileFolder;
}

bool canWrite(const CommandLine* line, const char* path)
{
	brFileFormat format = brFileFormat_FromPath(path);
	if (path[0] == 0)
	{
		failUsage(line, "-o takes the name of a file");
		return false;
	}
	if (format == br_formatUnknown)
	{
		failUsage(
			line,
			"%s: the ending names no format that is known here; a file wants .obj, .ply, .stl, .off, .glb or .usda, a "
			"folder of pieces --format with one of these",
			path);
		return false;
	}
	if (!brFileFormat_CanWrite(format))
	{
		failUsage(line, "%s: %s files are read but not written", path, brFileFormat_GetName(format));
		return false;
	}
	return true;
}
