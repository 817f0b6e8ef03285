// SPDX-License-Identifier: MIT

// From which height do everyday things break? Ten of them in six attitudes on stone, wood and rubber, and how near a wine
// glass is to breaking as the height grows. Writes thresholds.csv and heights.csv for tools/plot.

#include "brittle/brittle.h"
#include "plot_csv.h"

#include <math.h>
#include <string.h>

#define THINGS 10
#define ATTITUDES 6
#define HEIGHTS 40

typedef struct Thing
{
	const char *model, *material;
	double sizes[3]; // of the model's first parameters that are named below; 0: as it is
	const char* names[3];
	double low, high; // known on stone [m]
} Thing;

static const Thing things[THINGS] = {
	{"wine_glass", "glass", {0}, {0}, 0.2, 1.0},
	{"plate", "porcelain", {0}, {0}, 0.3, 1.0},
	{"bowl", "porcelain", {0}, {0}, 0.3, 1.0},
	{"vase", "terracotta", {0}, {0}, 0.3, 0.5},
	{"brick", "brick", {0}, {0}, 1.0, 2.0},
	{"icosphere", "glass", {0.016}, {"diameter"}, 20.0, 45.0},
	{"icosphere", "marble", {0.3}, {"diameter"}, 1.0, 3.0},
	{"icosphere", "ice", {0.05}, {"diameter"}, 0.5, 1.0},
	{"pane", "tile", {0.3, 0.3, 0.008}, {"width", "height", "thickness"}, 0.3, 1.0},
	{"plate", "bone_china", {0}, {0}, 0.3, 1.5},
};

static const double attitudes[ATTITUDES][2] = {{0, 0},  {0, 30},  {20, 60},
											   {0, 90}, {0, 130}, {180, 0}}; // about x, then y

// Tets of a lattice whose cubes have half the edge of those that a model has by default: of what is in walls four times as many, of what is in lumps eight.
static int32_t halvedTets(const brMesh* mesh, int32_t tets)
{
	double volume = brMesh_ComputeMass(mesh, 1.0).volume, area = brMesh_ComputeArea(mesh), low = 0.0, high = 1e3;
	for (int k = 0; k < 100; ++k)
	{
		double edge = 0.5 * (low + high), count = 6.0 * volume / (edge * edge * edge) + 3.5 * area / (edge * edge);
		low = count > tets ? edge : low;
		high = count > tets ? high : edge;
	}
	return (int32_t)(48.0 * volume / (low * low * low) + 14.0 * area / (low * low));
}

static brImpactModel* thingModel(const Thing* thing, bool isFine)
{
	brModelDef modelDef = brDefaultModelDef(thing->model);
	for (int k = 0; k < 3 && thing->names[k] != NULL; ++k)
	{
		brModelDef_SetParameter(&modelDef, thing->names[k], thing->sizes[k]);
	}
	brMesh* mesh = NULL;
	brImpactModel* model = NULL;
	brReport report = {0};
	brImpactModelDef def = brDefaultImpactModelDef();
	if (brMakeModel(NULL, &modelDef, &mesh, &report) >= 0)
	{
		def.mesh = mesh, def.material = *brFindMaterial(thing->material);
		def.tets = isFine ? halvedTets(mesh, def.tets) : def.tets;
		brCreateImpactModel(NULL, &def, &model, &report);
	}
	if (model == NULL)
	{
		fprintf(stderr, "%s\n", report.text);
	}
	brDestroyMesh(mesh);
	return model;
}

static brDVec3 attitudeDown(const double degrees[2])
{
	const double radian = 3.14159265358979323846 / 180.0;
	brQuat turn = brQuat_Mul(brMakeQuatAxisAngle(brMakeDVec3(0.0, 1.0, 0.0), degrees[1] * radian),
							 brMakeQuatAxisAngle(brMakeDVec3(1.0, 0.0, 0.0), degrees[0] * radian));
	return brQuat_InvRotate(turn, brMakeDVec3(0.0, 0.0, -1.0));
}

int main(int count, char** words)
{
	bool isFine = count > 1 && strcmp(words[1], "--fine") == 0;
	brMaterial grounds[3] = {*brFindMaterial("marble"), *brFindMaterial("marble"), *brFindMaterial("marble")};
	grounds[1].youngsModulus = 11e9, grounds[1].poissonRatio = 0.35, grounds[1].hardness = 60e6; // wood
	grounds[2].youngsModulus = 20e6, grounds[2].poissonRatio = 0.49, grounds[2].hardness = 1e9;  // rubber
	double x[3][THINGS * ATTITUDES], y[3][THINGS * ATTITUDES], known[2][THINGS], number[THINGS];
	printf("height [m] from which it breaks on marble / wood / rubber\n");
	for (int i = 0; i < THINGS; ++i)
	{
		brImpactModel* model = thingModel(&things[i], isFine);
		if (model == NULL)
		{
			return 1;
		}
		known[0][i] = things[i].low, known[1][i] = things[i].high, number[i] = i + 1;
		printf("%2d %s of %s, known on stone: %g to %g\n  ", i + 1, things[i].model, things[i].material, things[i].low,
			   things[i].high);
		for (int a = 0; a < ATTITUDES; ++a)
		{
			for (int g = 0; g < 3; ++g)
			{
				brStrike strike = brImpactModel_Drop(model, attitudeDown(attitudes[a]), &grounds[g]);
				double height = brImpactModel_ThresholdEnergy(model, &strike) / (9.81 * strike.mass);
				x[g][i * ATTITUDES + a] = height, y[g][i * ATTITUDES + a] = i + 1 + 0.2 * (g - 1);
				printf("%s%.3g", g == 0 ? "  " : "/", height);
			}
		}
		printf("\n");
		brDestroyImpactModel(model);
	}
	PlotLine lines[5] = {{"on stone", x[0], y[0], THINGS * ATTITUDES, true},
						 {"on wood", x[1], y[1], THINGS * ATTITUDES, true},
						 {"on rubber", x[2], y[2], THINGS * ATTITUDES, true},
						 {"known on stone: from", known[0], number, THINGS, true},
						 {"known on stone: to", known[1], number, THINGS, true}};
	PlotDef plot = {.title = "Height from which things break",
					.xLabel = "height [m]",
					.yLabel = "1 glass 2 plate 3 bowl 4 vase 5 brick 6-8 balls 9 tile 10 china",
					.isLogX = true,
					.lines = lines,
					.lineCount = 5};
	bool isSaved = savePlotCsv(&plot, "thresholds.csv");

	// The same glass in four attitudes: how near it is to breaking, up to a fall of 50 m.
	static double heights[HEIGHTS], ratios[4][HEIGHTS];
	static const char* const labels[4] = {"upright", "tilted by 30 degrees", "on its side", "upside down"};
	static const int chosen[4] = {0, 1, 3, 5};
	brImpactModel* glass = thingModel(&things[0], isFine);
	PlotLine curves[4];
	for (int c = 0; c < 4 && glass != NULL; ++c)
	{
		brStrike strike = brImpactModel_Drop(glass, attitudeDown(attitudes[chosen[c]]), &grounds[0]);
		for (int k = 0; k < HEIGHTS; ++k)
		{
			heights[k] = 0.01 * pow(5000.0, k / (HEIGHTS - 1.0));
			strike.energy = strike.mass * 9.81 * heights[k];
			ratios[c][k] = brImpactModel_Strike(glass, &strike).ratio;
		}
		curves[c] = (PlotLine){labels[c], heights, ratios[c], HEIGHTS, false};
	}
	brDestroyImpactModel(glass);
	PlotDef second = {.title = "A wine glass on stone: load over what it stands",
					  .xLabel = "height [m]",
					  .yLabel = "ratio",
					  .isLogX = true,
					  .fromZero = true,
					  .lines = curves,
					  .lineCount = 4};
	return isSaved && savePlotCsv(&second, "heights.csv") ? 0 : 1;
}
