// SPDX-License-Identifier: MIT
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Rows that differ by less than this are the same, however steady they are.
#define COMPARE_LEAST 0.03

typedef struct CompareRow
{
	char bench[32], name[160], unit[32];
	double saved, best, worst; // best 0: not measured in this run
} CompareRow;

static CompareRow* rows;
static int32_t rowCount;

static bool isRate(const char* unit)
{
	return strstr(unit, "/s") != NULL;
}

static bool isTime(const char* unit)
{
	static const char* const times[] = {"ns", "us", "ms", "s"};
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); ++i)
	{
		if (strncmp(unit, times[i], strlen(times[i])) == 0)
		{
			return true;
		}
	}
	return false;
}

bool brCompare_Load(const char* path)
{
	FILE* file = fopen(path, "r");
	char line[1024];
	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
	{
		CompareRow row = {0};
		const char* start = strstr(line, "{\"bench\":\"");
		const char* unit = strstr(line, "\"unit\":\"");
		if (start == NULL || unit == NULL ||
			sscanf(start, "{\"bench\":\"%31[^\"]\",\"name\":\"%159[^\"]\",\"ours\":%lf", row.bench, row.name,
				   &row.saved) != 3 ||
			sscanf(unit, "\"unit\":\"%31[^\"]", row.unit) != 1)
		{
			continue;
		}
		CompareRow* more = realloc(rows, (size_t)(rowCount + 1) * sizeof(CompareRow));
		if (more == NULL)
		{
			break;
		}
		rows = more;
		rows[rowCount++] = row;
	}
	if (file != NULL)
	{
		fclose(file);
	}
	if (rowCount == 0)
	{
		fprintf(stderr, "%s holds no rows; brittle-bench --json writes such a file\n", path);
	}
	return rowCount > 0;
}

void brCompare_Add(const char* bench, const char* name, double value, const char* unit)
{
	for (int32_t i = 0; i < rowCount; ++i)
	{
		CompareRow* row = &rows[i];
		if (strcmp(row->bench, bench) != 0 || strcmp(row->name, name) != 0 || strcmp(row->unit, unit) != 0)
		{
			continue;
		}
		bool isBetter = row->best == 0.0 || (isRate(unit) ? value > row->best : value < row->best);
		bool isWorse = row->best == 0.0 || (isRate(unit) ? value < row->worst : value > row->worst);
		row->best = isBetter ? value : row->best;
		row->worst = isWorse ? value : row->worst;
	}
}

// Time now over time then.
static double slowdown(const CompareRow* row)
{
	return isRate(row->unit) ? row->saved / row->best : row->best / row->saved;
}

static double noise(const CompareRow* row)
{
	return fmax(COMPARE_LEAST, fabs(row->worst - row->best) / fmin(row->best, row->worst));
}

bool brCompare_Tell(void)
{
	int32_t slower = 0, faster = 0, same = 0;
	for (int32_t i = 0; i < rowCount; ++i)
	{
		const CompareRow* row = &rows[i];
		if (!(row->best > 0.0) || !(row->saved > 0.0) || !(isRate(row->unit) || isTime(row->unit)))
		{
			continue;
		}
		double change = slowdown(row);
		bool isSlower = change > 1.0 + noise(row), isFaster = change < 1.0 / (1.0 + noise(row));
		slower += isSlower, faster += isFaster, same += !isSlower && !isFaster;
		if (isSlower || isFaster)
		{
			printf("%s  %s, %s: %.5g, was %.5g %s (%.2f of the time; noise %.0f %%)\n", isSlower ? "slower" : "faster",
				   row->bench, row->name, row->best, row->saved, row->unit, change, 100.0 * noise(row));
		}
	}
	printf("%d rows slower, %d faster, %d the same\n", slower, faster, same);
	return slower == 0;
}
