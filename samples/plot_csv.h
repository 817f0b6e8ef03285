// SPDX-License-Identifier: MIT
#pragma once

// Curves as CSV, for tools/plot, which draws them with gnuplot.
//
//     PlotLine line = {.label = "measured", .x = x, .y = y, .count = n};
//     PlotDef def = {.title = "Edge crack", .xLabel = "a / W", .yLabel = "K / handbook", .lines = &line, .lineCount = 1};
//     savePlotCsv(&def, "notch.csv");
//
// What the picture says comes first, as comments; then one row a value: line,x,y.

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct PlotLine
{
	const char* label; // without commas
	const double* x;   // [count]
	const double* y;   // [count]
	int32_t count;
	bool isPoints; // marks alone
} PlotLine;

typedef struct PlotDef
{
	const char* title;
	const char* xLabel;
	const char* yLabel;
	bool isLogX;
	bool fromZero; // the y axis begins at 0
	const PlotLine* lines;
	int32_t lineCount;
} PlotDef;

// False, with a sentence on stderr, if the file cannot be written.
static inline bool savePlotCsv(const PlotDef* def, const char* path)
{
	FILE* file = fopen(path, "w");
	if (file == NULL)
	{
		fprintf(stderr, "%s cannot be written\n", path);
		return false;
	}
	fprintf(file, "# title: %s\n# x: %s\n# y: %s\n", def->title, def->xLabel, def->yLabel);
	fprintf(file, "%s%s", def->isLogX ? "# log: x\n" : "", def->fromZero ? "# from: 0\n" : "");
	for (int32_t i = 0; i < def->lineCount; ++i)
	{
		if (def->lines[i].isPoints)
		{
			fprintf(file, "# points: %s\n", def->lines[i].label);
		}
	}
	fprintf(file, "line,x,y\n");
	for (int32_t i = 0; i < def->lineCount; ++i)
	{
		for (int32_t k = 0; k < def->lines[i].count; ++k)
		{
			fprintf(file, "%s,%.9g,%.9g\n", def->lines[i].label, def->lines[i].x[k], def->lines[i].y[k]);
		}
	}
	bool isGood = ferror(file) == 0;
	isGood = fclose(file) == 0 && isGood;
	if (!isGood)
	{
		fprintf(stderr, "%s cannot be written\n", path);
	}
	return isGood;
}
