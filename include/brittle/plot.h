// SPDX-License-Identifier: MIT
#pragma once

/// @file plot.h
/// Line plots as PNG, for validation and for documents. Needs libpng at build time, else brSavePlot says
/// br_errorUnavailable.
///
///     brPlotLine line = {.label = "measured", .x = x, .y = y, .count = n};
///     brPlotDef def = brDefaultPlotDef();
///     def.title = "Edge crack", def.xLabel = "a / W", def.yLabel = "K / handbook";
///     def.lines = &line, def.lineCount = 1;
///     brSavePlot(NULL, &def, "plot.png", NULL);

#include "brittle/context.h"
#include "brittle/result.h"

#define BR_MAX_PLOT_LINES 8

typedef struct brPlotLine
{
	const char* label; ///< ASCII, or null.
	const double* x;   ///< [count]
	const double* y;   ///< [count]
	int32_t count;
	bool isPoints; ///< Marks alone; else a line, with marks where there are few points.
} brPlotLine;

/// Start from brDefaultPlotDef(). Texts are ASCII and may be null.
typedef struct brPlotDef
{
	const char* title;
	const char* xLabel;
	const char* yLabel;
	bool isLogX, isLogY; ///< Axes in decades; then values that are not positive are left out.
	bool fromZero;       ///< The y axis begins at 0. Not for isLogY.
	const brPlotLine* lines;
	int32_t lineCount;     ///< 1 to BR_MAX_PLOT_LINES
	int32_t width, height; ///< 960 x 600 by default, 200 to 8192. [px]
	uint32_t stamp;        ///< Written by the default function. Leave it alone.
} brPlotDef;

BR_EXPERIMENTAL BR_API brPlotDef brDefaultPlotDef(void);

/// Values that are not finite are left out; refuses a plot without any value. `context` and `report` may be null.
BR_EXPERIMENTAL BR_API brResult brSavePlot(const brContext* context, const brPlotDef* def, const char* path,
										   brReport* report);
