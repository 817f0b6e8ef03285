// SPDX-License-Identifier: MIT

// Plots: the ink is where the values are, what cannot be drawn is refused.

#include "brittle/plot.h"
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef BR_HAVE_PNG
#include <png.h>
#include <string.h>

static uint8_t* readPlot(const char* path, int32_t width, int32_t height)
{
	png_image image;
	memset(&image, 0, sizeof(image));
	image.version = PNG_IMAGE_VERSION;
	CHECK(png_image_begin_read_from_file(&image, path) != 0);
	image.format = PNG_FORMAT_RGBA;
	CHECK_EQUAL(image.width, width);
	CHECK_EQUAL(image.height, height);
	uint8_t* pixels = malloc(PNG_IMAGE_SIZE(image));
	CHECK(png_image_finish_read(&image, NULL, pixels, 0, NULL) != 0);
	return pixels;
}

// Bluish, as the first line is.
static bool isFirstLine(const uint8_t* pixels, int32_t x, int32_t y)
{
	const uint8_t* p = pixels + 4 * (960 * y + x);
	return p[2] > p[0] + 60;
}

BR_TEST(plot_has_its_line_where_the_values_are)
{
	double x[3] = {1.0, 10.0, 100.0}, y[3] = {0.0, 1.0, 2.0};
	for (int32_t isLog = 0; isLog < 2; ++isLog)
	{
		brPlotLine line = {NULL, x, y, 3, false};
		brPlotDef def = brDefaultPlotDef();
		def.title = "a title", def.xLabel = "x", def.yLabel = "y";
		def.isLogX = isLog != 0;
		def.lines = &line, def.lineCount = 1;
		const char* path = brTest_ScratchPath("plot.png");
		brReport report = {0};
		CHECK_RESULT(brSavePlot(NULL, &def, path, &report), &report);
		uint8_t* pixels = readPlot(path, 960, 600);
		// The middle point: halfway on decades, a tenth of the way else; its height is the middle of the axis in both.
		int32_t left = 96, width = 960 - 96 - 40, middle = 48 + (600 - 48 - 72) / 2;
		int32_t at = left + (int32_t)(width * (isLog != 0 ? 0.5 : 9.0 / 99.0));
		CHECK(isFirstLine(pixels, at, middle));
		CHECK(!isFirstLine(pixels, at + 40, middle) && !isFirstLine(pixels, at - 40, middle));
		CHECK(isFirstLine(pixels, left + width, 48) && isFirstLine(pixels, left, 600 - 72));
		free(pixels);
	}
}

static brResult plotOnce(const brContext* context, void* user)
{
	double x[2] = {1.0, 2.0}, y[2] = {3.0, 3.0};
	brPlotLine line = {"one", x, y, 2, true};
	brPlotDef def = brDefaultPlotDef();
	def.lines = &line, def.lineCount = 1;
	return brSavePlot(context, &def, user, NULL);
}

BR_TEST(plot_survives_every_failing_allocation)
{
	char path[512];
	snprintf(path, sizeof(path), "%s", brTest_ScratchPath("plot_walk.png"));
	CHECK(brTest_WalkAllocations(plotOnce, path) >= 2);
}
#endif

BR_TEST(plot_refuses_what_cannot_be_drawn)
{
	double x[2] = {1.0, NAN}, y[2] = {-1.0, 1.0};
	brPlotLine line = {"nothing", x, y, 2, false};
	brPlotDef def = brDefaultPlotDef();
	brReport report = {0};
	CHECK_EQUAL(brSavePlot(NULL, &def, "x.png", &report), br_errorMisuse);
	def.lines = &line, def.lineCount = 1, def.isLogY = true;
	CHECK_EQUAL(brSavePlot(NULL, &def, "x.png", &report), br_errorGeometry);
	def.stamp = 0;
	CHECK_EQUAL(brSavePlot(NULL, &def, "x.png", &report), br_errorMisuse);
}
