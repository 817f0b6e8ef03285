// SPDX-License-Identifier: MIT

// Line plots. Lines are drawn by their distance from each pixel, so they are smooth at any angle; letters are five by
// seven dots, twice as large.

#include "brittle/plot.h"

#include "base/assert.h"
#include "base/memory.h"
#include "base/report.h"
#include "brittle/render.h"
#include "math/power.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
	plotLeft = 96,
	plotRight = 40,
	plotTop = 48,
	plotBottom = 72,
	plotDot = 2,     // pixels a dot of a letter
	plotAdvance = 6, // dots from letter to letter
	plotMarks = 64,  // lines of fewer points get marks
};

// From the blank to the tilde: five columns, the lowest bit on top.
static const uint8_t plotGlyphs[95][5] = {
	{0, 0, 0, 0, 0},
	{0, 0, 0x5f, 0, 0},
	{0, 7, 0, 7, 0},
	{0x14, 0x7f, 0x14, 0x7f, 0x14},
	{0x24, 0x2a, 0x7f, 0x2a, 0x12},
	{0x23, 0x13, 8, 0x64, 0x62},
	{0x36, 0x49, 0x56, 0x20, 0x50},
	{0, 0, 7, 0, 0},
	{0, 0x1c, 0x22, 0x41, 0},
	{0, 0x41, 0x22, 0x1c, 0},
	{0x14, 8, 0x3e, 8, 0x14},
	{8, 8, 0x3e, 8, 8},
	{0, 0x50, 0x30, 0, 0},
	{8, 8, 8, 8, 8},
	{0, 0x60, 0x60, 0, 0},
	{0x20, 0x10, 8, 4, 2},
	{0x3e, 0x51, 0x49, 0x45, 0x3e},
	{0, 0x42, 0x7f, 0x40, 0},
	{0x62, 0x51, 0x49, 0x49, 0x46},
	{0x22, 0x41, 0x49, 0x49, 0x36},
	{0x18, 0x14, 0x12, 0x7f, 0x10},
	{0x27, 0x45, 0x45, 0x45, 0x39},
	{0x3c, 0x4a, 0x49, 0x49, 0x30},
	{1, 0x71, 9, 5, 3},
	{0x36, 0x49, 0x49, 0x49, 0x36},
	{6, 0x49, 0x49, 0x29, 0x1e},
	{0, 0x36, 0x36, 0, 0},
	{0, 0x56, 0x36, 0, 0},
	{8, 0x14, 0x22, 0x41, 0},
	{0x14, 0x14, 0x14, 0x14, 0x14},
	{0, 0x41, 0x22, 0x14, 8},
	{2, 1, 0x51, 9, 6},
	{0x3e, 0x41, 0x5d, 0x55, 0x5e},
	{0x7e, 9, 9, 9, 0x7e},
	{0x7f, 0x49, 0x49, 0x49, 0x36},
	{0x3e, 0x41, 0x41, 0x41, 0x22},
	{0x7f, 0x41, 0x41, 0x41, 0x3e},
	{0x7f, 0x49, 0x49, 0x49, 0x41},
	{0x7f, 9, 9, 9, 1},
	{0x3e, 0x41, 0x49, 0x49, 0x7a},
	{0x7f, 8, 8, 8, 0x7f},
	{0, 0x41, 0x7f, 0x41, 0},
	{0x30, 0x40, 0x40, 0x40, 0x3f},
	{0x7f, 8, 0x14, 0x22, 0x41},
	{0x7f, 0x40, 0x40, 0x40, 0x40},
	{0x7f, 2, 4, 2, 0x7f},
	{0x7f, 4, 8, 0x10, 0x7f},
	{0x3e, 0x41, 0x41, 0x41, 0x3e},
	{0x7f, 9, 9, 9, 6},
	{0x3e, 0x41, 0x51, 0x21, 0x5e},
	{0x7f, 9, 0x19, 0x29, 0x46},
	{0x26, 0x49, 0x49, 0x49, 0x32},
	{1, 1, 0x7f, 1, 1},
	{0x3f, 0x40, 0x40, 0x40, 0x3f},
	{0x1f, 0x20, 0x40, 0x20, 0x1f},
	{0x7f, 0x20, 0x10, 0x20, 0x7f},
	{0x63, 0x14, 8, 0x14, 0x63},
	{3, 4, 0x78, 4, 3},
	{0x61, 0x51, 0x49, 0x45, 0x43},
	{0, 0x7f, 0x41, 0x41, 0},
	{2, 4, 8, 0x10, 0x20},
	{0, 0x41, 0x41, 0x7f, 0},
	{4, 2, 1, 2, 4},
	{0x40, 0x40, 0x40, 0x40, 0x40},
	{0, 1, 2, 4, 0},
	{0x20, 0x54, 0x54, 0x54, 0x78},
	{0x7f, 0x48, 0x44, 0x44, 0x38},
	{0x38, 0x44, 0x44, 0x44, 0x28},
	{0x38, 0x44, 0x44, 0x48, 0x7f},
	{0x38, 0x54, 0x54, 0x54, 0x18},
	{8, 0x7e, 9, 1, 2},
	{0x18, 0xa4, 0xa4, 0xa4, 0x7c},
	{0x7f, 8, 4, 4, 0x78},
	{0, 0x44, 0x7d, 0x40, 0},
	{0x40, 0x80, 0x84, 0x7d, 0},
	{0x7f, 0x10, 0x28, 0x44, 0},
	{0, 0x41, 0x7f, 0x40, 0},
	{0x7c, 4, 0x78, 4, 0x78},
	{0x7c, 8, 4, 4, 0x78},
	{0x38, 0x44, 0x44, 0x44, 0x38},
	{0xfc, 0x24, 0x24, 0x24, 0x18},
	{0x18, 0x24, 0x24, 0x28, 0xfc},
	{0x7c, 8, 4, 4, 8},
	{0x48, 0x54, 0x54, 0x54, 0x24},
	{4, 0x3f, 0x44, 0x40, 0x20},
	{0x3c, 0x40, 0x40, 0x20, 0x7c},
	{0x1c, 0x20, 0x40, 0x20, 0x1c},
	{0x3c, 0x40, 0x30, 0x40, 0x3c},
	{0x44, 0x28, 0x10, 0x28, 0x44},
	{0x1c, 0xa0, 0xa0, 0xa0, 0x7c},
	{0x44, 0x64, 0x54, 0x4c, 0x44},
	{0, 8, 0x36, 0x41, 0},
	{0, 0, 0x7f, 0, 0},
	{0, 0x41, 0x36, 8, 0},
	{8, 4, 8, 0x10, 8},
};

typedef struct PlotColor
{
	uint8_t r, g, b;
} PlotColor;

static const PlotColor plotColors[BR_MAX_PLOT_LINES] = {{31, 95, 168},  {194, 69, 45},  {60, 138, 78}, {122, 79, 163},
														{190, 130, 20}, {20, 140, 150}, {90, 90, 90},  {200, 80, 150}};
static const PlotColor plotInk = {40, 40, 40}, plotGrid = {224, 224, 224};

typedef struct PlotPage
{
	uint8_t* pixels;
	int32_t width, height;
	double lower[2], upper[2]; // of the axes, decades where they are logarithmic
	bool isLog[2];
} PlotPage;

static void plotBlend(PlotPage* page, int32_t x, int32_t y, PlotColor color, double cover)
{
	if (x < 0 || y < 0 || x >= page->width || y >= page->height || cover <= 0.0)
	{
		return;
	}
	uint8_t* p = page->pixels + 4 * ((size_t)y * (size_t)page->width + (size_t)x);
	double c = cover < 1.0 ? cover : 1.0;
	p[0] = (uint8_t)(p[0] + c * (color.r - p[0]) + 0.5);
	p[1] = (uint8_t)(p[1] + c * (color.g - p[1]) + 0.5);
	p[2] = (uint8_t)(p[2] + c * (color.b - p[2]) + 0.5);
}

// A stroke with round ends; both ends alike make a dot.
static void plotStroke(PlotPage* page, double ax, double ay, double bx, double by, double thickness, PlotColor color)
{
	double half = 0.5 * thickness, dx = bx - ax, dy = by - ay, lengthSq = dx * dx + dy * dy;
	int32_t x0 = (int32_t)floor(fmax(fmin(ax, bx) - half - 1.0, 0.0));
	int32_t y0 = (int32_t)floor(fmax(fmin(ay, by) - half - 1.0, 0.0));
	int32_t x1 = (int32_t)fmin(fmax(ax, bx) + half + 1.0, page->width - 1.0);
	int32_t y1 = (int32_t)fmin(fmax(ay, by) + half + 1.0, page->height - 1.0);
	for (int32_t y = y0; y <= y1; ++y)
	{
		for (int32_t x = x0; x <= x1; ++x)
		{
			double px = x + 0.5 - ax, py = y + 0.5 - ay;
			double at = lengthSq > 0.0 ? fmin(fmax((px * dx + py * dy) / lengthSq, 0.0), 1.0) : 0.0;
			double ex = px - at * dx, ey = py - at * dy;
			plotBlend(page, x, y, color, half + 0.5 - sqrt(ex * ex + ey * ey));
		}
	}
}

// `align` is the share of the text left of x. Upright texts run up the page.
static void plotText(PlotPage* page, const char* text, double x, double y, double align, bool isUpright,
					 PlotColor color)
{
	int32_t count = text != NULL ? (int32_t)strlen(text) : 0;
	double start = -align * (plotDot * (plotAdvance * count - 1));
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t code = (uint8_t)text[i];
		const uint8_t* glyph = plotGlyphs[code >= 32 && code < 127 ? code - 32 : 31];
		for (int32_t k = 0; k < 8 * 5 * plotDot * plotDot; ++k)
		{
			int32_t across = k % (5 * plotDot), down = k / (5 * plotDot);
			if ((glyph[across / plotDot] >> (down / plotDot) & 1) != 0)
			{
				double along = start + plotDot * plotAdvance * i + across;
				plotBlend(page, (int32_t)floor(isUpright ? x + down : x + along),
						  (int32_t)floor(isUpright ? y - along : y + down), color, 1.0);
			}
		}
	}
}

// Makes room for a text that ends at x: lines behind it become pale.
static void plotClearText(PlotPage* page, const char* text, double x, double y)
{
	int32_t width = text != NULL ? plotDot * plotAdvance * (int32_t)strlen(text) : 0;
	for (int32_t k = 0; k < (width + 8) * 20; ++k)
	{
		plotBlend(page, (int32_t)x - width - 4 + k % (width + 8), (int32_t)y - 3 + k / (width + 8),
				  (PlotColor){255, 255, 255}, 0.8);
	}
}

// Decades; rounded where it is nearly whole, so that 1000 stands on its line.
static double plotDecades(double value)
{
	double decades = brLogarithm(value) / 2.30258509299404568402, whole = floor(decades + 0.5);
	return fabs(decades - whole) < 1e-12 ? whole : decades;
}

static double plotAt(const PlotPage* page, int axis, double value)
{
	double v = page->isLog[axis] ? plotDecades(value) : value;
	double t = (v - page->lower[axis]) / (page->upper[axis] - page->lower[axis]);
	double size[2] = {page->width - plotLeft - plotRight, page->height - plotTop - plotBottom};
	return axis == 0 ? plotLeft + t * size[0] : page->height - plotBottom - t * size[1];
}

static bool plotIsDrawn(const PlotPage* page, double x, double y)
{
	return isfinite(x) && isfinite(y) && (!page->isLog[0] || x > 0.0) && (!page->isLog[1] || y > 0.0);
}

// A step of 1, 2 or 5 times a power of ten that cuts a span into five to ten.
static double plotStep(double span)
{
	double step = brPower(10.0, floor(plotDecades(span)) - 1.0);
	static const double factors[3] = {2.0, 2.5, 2.0};
	for (int i = 0; span / step > 10.0; ++i)
	{
		step *= factors[i % 3];
	}
	return step;
}

// Spans the axes over all values; false if there are none.
static bool plotFit(const brPlotDef* def, PlotPage* page)
{
	for (int axis = 0; axis < 2; ++axis)
	{
		page->lower[axis] = INFINITY, page->upper[axis] = -INFINITY;
	}
	for (int32_t i = 0; i < def->lineCount; ++i)
	{
		const brPlotLine* line = &def->lines[i];
		for (int32_t k = 0; k < line->count; ++k)
		{
			if (!plotIsDrawn(page, line->x[k], line->y[k]))
			{
				continue;
			}
			double values[2] = {line->x[k], line->y[k]};
			for (int axis = 0; axis < 2; ++axis)
			{
				double value = page->isLog[axis] ? plotDecades(values[axis]) : values[axis];
				page->lower[axis] = fmin(page->lower[axis], value);
				page->upper[axis] = fmax(page->upper[axis], value);
			}
		}
	}
	if (!(page->lower[0] <= page->upper[0]))
	{
		return false;
	}
	if (def->fromZero && !page->isLog[1])
	{
		page->lower[1] = fmin(page->lower[1], 0.0), page->upper[1] = fmax(page->upper[1], 0.0);
	}
	for (int axis = 0; axis < 2; ++axis)
	{
		double least = 1e-12 * fmax(fabs(page->lower[axis]), fabs(page->upper[axis]));
		if (page->upper[axis] - page->lower[axis] <= least) // one value
		{
			double half = page->lower[axis] != 0.0 ? 0.5 * fabs(page->lower[axis]) : 1.0;
			page->lower[axis] -= half, page->upper[axis] += half;
		}
		double step = page->isLog[axis] ? 1.0 : plotStep(page->upper[axis] - page->lower[axis]);
		if (axis == 1 || page->isLog[axis])
		{
			page->lower[axis] = step * floor(page->lower[axis] / step + 1e-9);
			page->upper[axis] = step * ceil(page->upper[axis] / step - 1e-9);
		}
	}
	return true;
}

static void plotAxes(const brPlotDef* def, PlotPage* page)
{
	double left = plotLeft, right = page->width - plotRight, top = plotTop, bottom = page->height - plotBottom;
	for (int axis = 0; axis < 2; ++axis)
	{
		double step = page->isLog[axis] ? 1.0 : plotStep(page->upper[axis] - page->lower[axis]);
		int32_t first = (int32_t)ceil(page->lower[axis] / step - 1e-9);
		int32_t last = (int32_t)floor(page->upper[axis] / step + 1e-9);
		for (int32_t i = first; i <= last; ++i)
		{
			char text[32];
			double value = page->isLog[axis] ? brPower(10.0, i) : i * step;
			snprintf(text, sizeof(text), "%.6g", value);
			double at = plotAt(page, axis, value);
			if (axis == 0)
			{
				plotStroke(page, at, top, at, bottom, 1.0, plotGrid);
				plotText(page, text, at, bottom + 10.0, 0.5, false, plotInk);
			}
			else
			{
				plotStroke(page, left, at, right, at, 1.0, plotGrid);
				plotText(page, text, left - 8.0, at - 7.0, 1.0, false, plotInk);
			}
		}
	}
	plotStroke(page, left, top, left, bottom, 1.5, plotInk);
	plotStroke(page, left, bottom, right, bottom, 1.5, plotInk);
	plotText(page, def->title, left, 16.0, 0.0, false, plotInk);
	plotText(page, def->xLabel, 0.5 * (left + right), page->height - 30.0, 0.5, false, plotInk);
	plotText(page, def->yLabel, 8.0, 0.5 * (top + bottom), 0.5, true, plotInk);
}

static void plotLine(const brPlotLine* line, PlotPage* page, PlotColor color)
{
	bool hasMarks = line->isPoints || line->count <= plotMarks;
	for (int32_t k = 0; k < line->count; ++k)
	{
		if (!plotIsDrawn(page, line->x[k], line->y[k]))
		{
			continue;
		}
		double x = plotAt(page, 0, line->x[k]), y = plotAt(page, 1, line->y[k]);
		if (!line->isPoints && k > 0 && plotIsDrawn(page, line->x[k - 1], line->y[k - 1]))
		{
			plotStroke(page, plotAt(page, 0, line->x[k - 1]), plotAt(page, 1, line->y[k - 1]), x, y, 2.0, color);
		}
		if (hasMarks)
		{
			plotStroke(page, x, y, x, y, 7.0, color);
		}
	}
}

brPlotDef brDefaultPlotDef(void)
{
	return (brPlotDef){.width = 960, .height = 600, .stamp = BR_STAMP(brPlotDef)};
}

brResult brSavePlot(const brContext* context, const brPlotDef* def, const char* path, brReport* report)
{
	if (def == NULL || def->stamp != BR_STAMP(*def) || path == NULL || def->lines == NULL || def->lineCount < 1 ||
		def->lineCount > BR_MAX_PLOT_LINES || def->width < 200 || def->height < 200 || def->width > 8192 ||
		def->height > 8192)
	{
		return brFail(report, br_errorMisuse, "a plot needs a path, 1 to %d lines and 200 to 8192 pixels each way",
					  BR_MAX_PLOT_LINES);
	}
	PlotPage page = {.width = def->width, .height = def->height, .isLog = {def->isLogX, def->isLogY}};
	if (!plotFit(def, &page))
	{
		return brFail(report, br_errorGeometry, "the plot has no value that can be drawn");
	}
	brAllocator allocator = brContext_Allocator(context);
	int64_t byteCount = 4 * (int64_t)def->width * def->height;
	page.pixels = BR_ALLOC(&allocator, uint8_t, byteCount);
	if (page.pixels == NULL)
	{
		return brFailMemory(report);
	}
	memset(page.pixels, 255, (size_t)byteCount);
	plotAxes(def, &page);
	for (int32_t i = 0; i < def->lineCount; ++i)
	{
		plotLine(&def->lines[i], &page, plotColors[i]);
		plotClearText(&page, def->lines[i].label, page.width - plotRight - 8.0, plotTop + 8.0 + 20.0 * i);
		plotText(&page, def->lines[i].label, page.width - plotRight - 8.0, plotTop + 8.0 + 20.0 * i, 1.0, false,
				 plotColors[i]);
	}
	brResult result = brSavePng(context, path, def->width, def->height, page.pixels, report);
	BR_FREE(&allocator, page.pixels, byteCount);
	return result;
}
