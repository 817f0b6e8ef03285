// SPDX-License-Identifier: MIT
#pragma once

// Plots for documents: points and lines as SVG.

#include <stdbool.h>
#include <stdint.h>

typedef struct PlotLine
{
	const char* label;
	const double* x;
	const double* y;
	int32_t count;
} PlotLine;

typedef struct Plot
{
	const char* title;
	const char* xLabel;
	const char* yLabel;
	bool isLogX; // decades
	PlotLine lines[4];
	int32_t lineCount;
} Plot;

/// False if the file cannot be written. The y axis begins at 0.
bool plotWrite(const Plot* plot, const char* path);
