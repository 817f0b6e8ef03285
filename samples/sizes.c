// SPDX-License-Identifier: MIT

// Into what bodies break: sizes of the pieces of many seeds, and main cracks of a plate by speed, as curves for tools/plot (docs/truth.md).
//
//     build/samples/sizes FOLDER [SEEDS]

#include "brittle/brittle.h"
#include "plot_csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Blow
{
	const char *name, *model;
	brDVec3 at, direction;
	double energy, speed, exponent;
} Blow;

static int compare(const void* a, const void* b)
{
	double x = *(const double*)a, y = *(const double*)b;
	return (x > y) - (x < y);
}

// Volumes of the pieces over that of the body, of all seeds, rising. The caller frees them.
static double* sizesOf(const Blow* blow, int seeds, int* outCount)
{
	brModelDef model = brDefaultModelDef(blow->model);
	model.resolution = 12;
	brMesh* mesh = NULL;
	if (brMakeModel(NULL, &model, &mesh, NULL) < 0)
	{
		return NULL;
	}
	double whole = brMesh_ComputeMass(mesh, 1.0).volume, *sizes = NULL;
	int count = 0;
	for (int seed = 0; seed < seeds; ++seed)
	{
		brCascadeDef def = brDefaultCascadeDef();
		def.at = blow->at, def.direction = blow->direction, def.energy = blow->energy, def.speed = blow->speed;
		def.roughness = 0.0, def.pieces = 3000, def.seed = (uint64_t)seed;
		brShatter* shatter = NULL;
		if (brCreateCascade(NULL, mesh, &def, &shatter, NULL) < 0)
		{
			continue;
		}
		double* more = realloc(sizes, sizeof(double) * (size_t)(count + shatter->pieceCount));
		for (int i = 0; more != NULL && i < shatter->pieceCount; ++i)
		{
			more[count++] = shatter->pieces[i].mass.volume / whole;
		}
		sizes = more != NULL ? more : sizes;
		brDestroyShatter(shatter);
	}
	brDestroyMesh(mesh);
	qsort(sizes, (size_t)count, sizeof(double), compare);
	*outCount = count;
	return sizes;
}

#define POINTS 24 // bins, four to a decade

typedef struct Curve
{
	double x[POINTS], y[POINTS], lawX[2], lawY[2];
	char law[32];
	int count;
} Curve;

// How many pieces of a size there are, and beside it the power law of experiments over the window in which the exponent is measured.
static void fillCurve(const Blow* blow, int seeds, Curve* curve)
{
	int count = 0, at = 0;
	double* sizes = sizesOf(blow, seeds, &count);
	double from = count > 0 ? log10(fmax(sizes[(int)(0.3 * count)], 5e-5)) : 0.0;
	curve->count = 0;
	for (int i = 0, first = 0; i < POINTS; ++i)
	{
		double low = -6.0 + 6.0 * i / POINTS, high = low + 6.0 / POINTS;
		int end = first;
		while (end < count && log10(sizes[end]) < high)
		{
			end += 1;
		}
		if (end > first)
		{
			at = high < from ? curve->count : at;
			curve->x[curve->count] = 0.5 * (low + high);
			curve->y[curve->count++] = log10((end - first) / (seeds * (pow(10.0, high) - pow(10.0, low))));
		}
		first = end;
	}
	at += at + 1 < curve->count;
	snprintf(curve->law, sizeof(curve->law), "m^-%.2f", blow->exponent);
	curve->lawX[0] = curve->x[at], curve->lawX[1] = curve->x[at] + 1.5;
	curve->lawY[0] = curve->y[at], curve->lawY[1] = curve->y[at] - 1.5 * blow->exponent;
	free(sizes);
}

static int raysAt(const brMaterial* material, double speed)
{
	brModelDef model = brDefaultModelDef("pane");
	brModelDef_SetParameter(&model, "thickness", 0.001);
	brMesh* mesh = NULL;
	brShatter* shatter = NULL;
	brCascadeDef def = brDefaultCascadeDef();
	def.material = *material;
	def.at = brMakeDVec3(0.0, 0.1, 0.3), def.direction = brMakeDVec3(0.0, -1.0, 0.0);
	def.energy = 100.0, def.speed = speed, def.smallest = 0.5, def.roughness = 0.0; // main cracks alone
	int count = 0;
	if (brMakeModel(NULL, &model, &mesh, NULL) >= 0 && brCreateCascade(NULL, mesh, &def, &shatter, NULL) >= 0)
	{
		count = shatter->pieceCount;
	}
	brDestroyShatter(shatter);
	brDestroyMesh(mesh);
	return count;
}

int main(int argc, char** argv)
{
	static const Blow blows[] = {
		{"ball; 100 J", "icosphere", {0.0, 0.0, 1.0}, {0.0, 0.0, -1.0}, 100.0, 10.0, 1.8},
		{"pane; 0.5 J", "pane", {0.1, 0.1, 0.5}, {0.0, -1.0, 0.0}, 0.5, 10.0, 1.7},
		{"vase; 6 J", "vase", {0.2, 0.0, 0.15}, {-1.0, 0.0, 0.0}, 6.0, 8.0, 1.35},
	};
	if (argc < 2)
	{
		fprintf(stderr, "usage: sizes FOLDER [SEEDS]\n");
		return 2;
	}
	int seeds = argc > 2 && atoi(argv[2]) > 0 ? atoi(argv[2]) : 100;
	static Curve curves[3];
	PlotLine lines[6];
	for (int i = 0; i < 3; ++i)
	{
		fillCurve(&blows[i], seeds, &curves[i]);
		lines[2 * i] = (PlotLine){blows[i].name, curves[i].x, curves[i].y, curves[i].count, false};
		lines[2 * i + 1] = (PlotLine){curves[i].law, curves[i].lawX, curves[i].lawY, 2, false};
	}
	char path[1024];
	snprintf(path, sizeof(path), "%s/sizes.csv", argv[1]);
	PlotDef sizes = {.title = "Pieces by size",
					 .xLabel = "log10 of volume over that of the body",
					 .yLabel = "log10 of their number by volume",
					 .lines = lines,
					 .lineCount = 6};
	bool isSaved = savePlotCsv(&sizes, path);

	brMaterial plastic = *brFindMaterial("glass");
	plastic.youngsModulus = 3.1e9, plastic.poissonRatio = 0.37, plastic.density = 1190.0, plastic.toughness = 1.1e6;
	double speeds[12], glass[12], pmma[12];
	const double known[2][2] = {{19.0, 78.0}, {4.0, 8.0}};
	for (int i = 0; i < 12; ++i)
	{
		speeds[i] = 10.0 * pow(12.0, i / 11.0);
		glass[i] = raysAt(brFindMaterial("glass"), speeds[i]), pmma[i] = raysAt(&plastic, speeds[i]);
	}
	const PlotLine rays[3] = {{"glass", speeds, glass, 12, false},
							  {"PMMA", speeds, pmma, 12, false},
							  {"PMMA; Vandenberghe 2013", known[0], known[1], 2, true}};
	PlotDef speedDef = {.title = "Main cracks of a plate of 1 mm",
						.xLabel = "speed [m/s]",
						.yLabel = "cracks",
						.fromZero = true,
						.lines = rays,
						.lineCount = 3};
	snprintf(path, sizeof(path), "%s/rays.csv", argv[1]);
	return savePlotCsv(&speedDef, path) && isSaved ? 0 : 1;
}
