// SPDX-License-Identifier: MIT
#include "plot.h"

#include <math.h>
#include <stdio.h>

enum
{
	plotWidth = 640,
	plotHeight = 400,
	plotLeft = 70,
	plotRight = 20,
	plotTop = 40,
	plotBottom = 60,
};

static const char* const plotColours[4] = {"#1f5fa8", "#c2452d", "#3c8a4e", "#7a4fa3"};

// A step of 1, 2 or 5 times a power of ten that cuts a span into five to ten.
static double plotStep(double span)
{
	double step = pow(10.0, floor(log10(span))) / 10.0;
	static const double factors[3] = {2.0, 2.5, 2.0};
	for (int i = 0; span / step > 10.0; ++i)
	{
		step *= factors[i % 3];
	}
	return step;
}

typedef struct PlotScale
{
	double left, right, top;
	bool isLogX;
} PlotScale;

static double plotX(const PlotScale* scale, double x)
{
	double at = scale->isLogX ? log10(x) : x;
	return plotLeft + (plotWidth - plotLeft - plotRight) * (at - scale->left) / (scale->right - scale->left);
}

static double plotY(const PlotScale* scale, double y)
{
	return plotHeight - plotBottom - (plotHeight - plotTop - plotBottom) * y / scale->top;
}

static PlotScale plotFit(const Plot* plot)
{
	PlotScale scale = {INFINITY, -INFINITY, 0.0, plot->isLogX};
	for (int32_t i = 0; i < plot->lineCount; ++i)
	{
		for (int32_t k = 0; k < plot->lines[i].count; ++k)
		{
			double x = plot->isLogX ? log10(plot->lines[i].x[k]) : plot->lines[i].x[k];
			scale.left = fmin(scale.left, x), scale.right = fmax(scale.right, x);
			scale.top = fmax(scale.top, plot->lines[i].y[k]);
		}
	}
	scale.left = plot->isLogX ? floor(scale.left) : scale.left;
	scale.right = plot->isLogX ? ceil(scale.right) : scale.right;
	scale.right = scale.right > scale.left ? scale.right : scale.left + 1.0;
	scale.top = scale.top > 0.0 ? 1.08 * scale.top : 1.0;
	return scale;
}

static void plotAxes(const Plot* plot, const PlotScale* scale, FILE* file)
{
	double bottom = plotHeight - plotBottom, right = plotWidth - plotRight;
	double step = plotStep(scale->top);
	for (double y = 0.0; y <= scale->top; y += step)
	{
		double at = plotY(scale, y);
		fprintf(file, "<path d='M%d %.1fH%.1f' stroke='#ddd'/><text x='%d' y='%.1f' text-anchor='end'>%g</text>\n",
				plotLeft, at, right, plotLeft - 6, at + 4.0, y);
	}
	double xStep = plot->isLogX ? 1.0 : plotStep(scale->right - scale->left);
	for (double x = ceil(scale->left / xStep - 1e-9) * xStep; x <= scale->right + 1e-9 * xStep; x += xStep)
	{
		double value = plot->isLogX ? pow(10.0, x) : x;
		double at = plotX(scale, value);
		fprintf(file, "<path d='M%.1f %.1fv5' stroke='#444'/><text x='%.1f' y='%.1f' text-anchor='middle'>%g</text>\n",
				at, bottom, at, bottom + 19.0, fabs(value) < 1e-12 ? 0.0 : value);
	}
	fprintf(file, "<path d='M%d %dV%.1fH%.1f' stroke='#444' fill='none'/>\n", plotLeft, plotTop, bottom, right);
	fprintf(file, "<text x='%.1f' y='%d' text-anchor='middle'>%s</text>\n", 0.5 * (plotLeft + right), plotHeight - 14,
			plot->xLabel);
	fprintf(file, "<text transform='translate(18 %.1f) rotate(-90)' text-anchor='middle'>%s</text>\n",
			0.5 * (plotTop + bottom), plot->yLabel);
	fprintf(file, "<text x='%d' y='24' font-size='15'>%s</text>\n", plotLeft, plot->title);
}

bool plotWrite(const Plot* plot, const char* path)
{
	FILE* file = fopen(path, "w");
	if (file == NULL)
	{
		return false;
	}
	fprintf(file,
			"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' font-size='12'>\n"
			"<rect width='%d' height='%d' fill='white'/>\n",
			plotWidth, plotHeight, plotWidth, plotHeight);
	PlotScale scale = plotFit(plot);
	plotAxes(plot, &scale, file);
	for (int32_t i = 0; i < plot->lineCount; ++i)
	{
		const PlotLine* line = &plot->lines[i];
		fprintf(file, "<polyline fill='none' stroke='%s' stroke-width='1.5' points='", plotColours[i % 4]);
		for (int32_t k = 0; k < line->count; ++k)
		{
			fprintf(file, "%.1f,%.1f ", plotX(&scale, line->x[k]), plotY(&scale, line->y[k]));
		}
		fprintf(file, "'/>\n");
		for (int32_t k = 0; k < line->count; ++k)
		{
			fprintf(file, "<circle cx='%.1f' cy='%.1f' r='2.5' fill='%s'/>\n", plotX(&scale, line->x[k]),
					plotY(&scale, line->y[k]), plotColours[i % 4]);
		}
		fprintf(file, "<text x='%d' y='%d' fill='%s'>%s</text>\n", plotLeft + 14, plotTop + 14 + 16 * i,
				plotColours[i % 4], line->label);
	}
	fprintf(file, "</svg>\n");
	bool isGood = ferror(file) == 0;
	return fclose(file) == 0 && isGood;
}
