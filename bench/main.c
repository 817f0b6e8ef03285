// SPDX-License-Identifier: MIT

// The benchmark program: `brittle-bench [--json] [--only TEXT] [--compare FILE] [NAME...]`. Prints the machine first,
// then one table a benchmark. The name `papers` stands for the tables and figures of the papers (docs/papers.md).

#include "bench.h"
#include "bench_fronts.h"
#include "bench_kdet.h"
#include "compare.h"

#include "base/clock.h"
#include "brittle/info.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static brBench* allBenches;

void brBench_Register(brBench* bench)
{
	brBench** place = &allBenches;
	while (*place != NULL && strcmp((*place)->name, bench->name) < 0)
	{
		place = &(*place)->next;
	}
	bench->next = *place;
	*place = bench;
}

static int compareDoubles(const void* a, const void* b)
{
	double x = *(const double*)a;
	double y = *(const double*)b;
	return (x > y) - (x < y);
}

double brBench_Median(int32_t runs, void (*call)(void* user), void* user)
{
	double times[64];
	runs = runs < 1 ? 1 : runs > 64 ? 64 : runs;
	call(user);
	for (int32_t i = 0; i < runs; ++i)
	{
		int64_t start = brClockNanoseconds();
		call(user);
		times[i] = brSecondsSince(start);
	}
	return brBench_MedianOf(times, runs);
}

double brBench_MedianOf(double* times, int32_t count)
{
	qsort(times, (size_t)count, sizeof(double), compareDoubles);
	return times[count / 2];
}

void brBench_Must(brResult result, const brReport* report)
{
	if (result != br_success)
	{
		brBench_Fail("%s", report->text);
	}
}

bool brBench_Wants(const brBench* bench, const char* name)
{
	return bench->only == NULL || strstr(name, bench->only) != NULL;
}

void brBench_Row(brBench* bench, const char* name, double ours, double peer, const char* unit)
{
	if (!brBench_Wants(bench, name))
	{
		return;
	}
	if (bench->json)
	{
		printf("%s{\"bench\":\"%s\",\"name\":\"%s\",\"ours\":%.6g,\"peer\":", bench->rowCount > 0 ? ",\n" : "",
			   bench->name, name, ours);
		peer > 0.0 ? printf("%.6g,\"ratio\":%.6g", peer, ours / peer) : printf("null,\"ratio\":null");
		printf(",\"unit\":\"%s\"}", unit);
	}
	else
	{
		if (bench->rowCount == 0)
		{
			printf("%-52s %12s %12s %9s  unit\n", bench->name, "ours", "peer", "ratio");
		}
		printf("  %-50s %12.5g ", name, ours);
		peer > 0.0 ? printf("%12.5g %9.3f", peer, ours / peer) : printf("%12s %9s", "-", "-");
		printf("  %s\n", unit);
	}
	fflush(stdout);
	bench->rowCount += 1;
	brCompare_Add(bench->name, name, ours, unit);
}

void brBench_Fail(const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fprintf(stderr, "wrong answer: ");
	vfprintf(stderr, format, arguments);
	fprintf(stderr, "\n");
	va_end(arguments);
	exit(1);
}

const char* brBench_DataPath(const char* relative)
{
	static char path[2048];
	const char* folder = getenv("BRITTLE_DATA");
	snprintf(path, sizeof(path), "%s/%s", folder != NULL ? folder : BR_SOURCE_DIR "/../shared/data", relative);
	return access(path, R_OK) == 0 ? path : NULL;
}

static void printMachine(void)
{
	char line[256];
	char model[200] = "unknown processor";
	FILE* file = fopen("/proc/cpuinfo", "r");
	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
	{
		if (sscanf(line, "model name : %199[^\n]", model) == 1)
		{
			break;
		}
	}
	if (file != NULL)
	{
		fclose(file);
	}
	fprintf(stderr, "%s, %d cores, %s, brittle %s, compiler %s\n", model, brGetCoreCount(), brGetVectorPath(),
			brGetVersion(), __VERSION__);
}

typedef struct BenchLine
{
	bool json;
	const char* only;
	const char* compare;
	const char* names[32];
	int32_t nameCount;
} BenchLine;

// What `papers` runs.
static const struct
{
	const char *name, *only;
} paperBenches[] = {
	{"trees", NULL},  {"fronts", NULL}, {"contact", NULL}, {"kdet", NULL},
	{"crack", "fig"}, {"cut", "bunny"}, {"shatter", NULL}, {"gpu", NULL},
};

#define PAPER_BENCHES (int32_t)(sizeof(paperBenches) / sizeof(paperBenches[0]))

static bool isBenchName(const char* name)
{
	for (const brBench* bench = allBenches; bench != NULL; bench = bench->next)
	{
		if (strcmp(name, bench->name) == 0)
		{
			return true;
		}
	}
	return strcmp(name, "papers") == 0;
}

// False: the words make no sense, and that was said.
static bool readLine(BenchLine* line, int count, char** words)
{
	for (int i = 1; i < count; ++i)
	{
		bool takesValue = strcmp(words[i], "--only") == 0 || strcmp(words[i], "--compare") == 0;
		if (takesValue && i + 1 < count)
		{
			*(strcmp(words[i], "--only") == 0 ? &line->only : &line->compare) = words[i + 1];
			i += 1;
		}
		else if (strcmp(words[i], "--json") == 0)
		{
			line->json = true;
		}
		else if (isBenchName(words[i]) && line->nameCount < 32)
		{
			line->names[line->nameCount++] = words[i];
		}
		else
		{
			fprintf(stderr,
					"usage: brittle-bench [--json] [--only TEXT] [--compare FILE] [NAME...]; no benchmark is called "
					"%s, there "
					"are: papers",
					words[i]);
			for (const brBench* bench = allBenches; bench != NULL; bench = bench->next)
			{
				fprintf(stderr, " %s", bench->name);
			}
			fprintf(stderr, "\n");
			return false;
		}
	}
	return true;
}

// Whether the line asks for a benchmark, and for which of its rows.
static bool isSelected(const BenchLine* line, const char* name, const char** outOnly)
{
	*outOnly = line->only;
	bool selected = line->nameCount == 0;
	for (int32_t i = 0; i < line->nameCount; ++i)
	{
		selected = selected || strcmp(line->names[i], name) == 0;
		for (int32_t k = 0; k < PAPER_BENCHES && strcmp(line->names[i], "papers") == 0 && !selected; ++k)
		{
			if (strcmp(paperBenches[k].name, name) == 0)
			{
				selected = true;
				*outOnly = line->only != NULL ? line->only : paperBenches[k].only;
			}
		}
	}
	return selected;
}

static void runBenches(const BenchLine* line)
{
	int64_t start = brClockNanoseconds();
	int32_t rows = 0;
	printf("%s", line->json ? "{\"rows\":[" : "");
	for (brBench* bench = allBenches; bench != NULL; bench = bench->next)
	{
		if (isSelected(line, bench->name, &bench->only))
		{
			bench->json = line->json;
			bench->rowCount = line->json ? rows : 0; // one list in JSON, one table each in text
			bench->run(bench);
			rows = line->json ? bench->rowCount : rows + bench->rowCount;
		}
	}
	if (line->json)
	{
		printf("],\"seconds\":%.3f}\n", brSecondsSince(start));
	}
}

int main(int argumentCount, char** arguments)
{
	bool isTool = argumentCount > 2 && strcmp(arguments[1], "kdet") == 0 && arguments[2][0] == '-' &&
				  (strcmp(arguments[2], "--csv") == 0 || strcmp(arguments[2], "--plots") == 0);
	if (isTool)
	{
		return kdetTool(argumentCount - 2, arguments + 2);
	}
	if (argumentCount > 2 && strcmp(arguments[1], "fronts") == 0 && strcmp(arguments[2], "--plots") == 0)
	{
		return frontsTool(argumentCount - 2, arguments + 2);
	}
	BenchLine line = {0};
	if (!readLine(&line, argumentCount, arguments) || (line.compare != NULL && !brCompare_Load(line.compare)))
	{
		return 2;
	}
	printMachine();
	runBenches(&line);
	if (line.compare == NULL)
	{
		return 0;
	}
	runBenches(&line);
	return brCompare_Tell() ? 0 : 1;
}
