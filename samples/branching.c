// SPDX-License-Identifier: MIT

// How many cracks branch off others, over the threshold at which they do (brCrackDef.branching): panes of glass hit softly and hard. Writes branching.csv.
//
//     build/samples/branching out

#include "brittle/brittle.h"
#include "plot_csv.h"

#include <math.h>
#include <stdio.h>

enum
{
	BLOWS = 3,
	THRESHOLDS = 9,
};

// Branches of one blow, or -1.
static int32_t countBranches(const brMesh* pane, double impulse, double threshold, int32_t* outPieces, brReport* report)
{
	brCrackDef def = brDefaultCrackDef();
	def.tets = 3000;
	def.hit = brMakeDVec3(0.0, 0.003, 0.3), def.impulse = brMakeDVec3(0.0, -impulse, 0.0);
	def.maxCracks = 24;
	def.branching = threshold;
	brCracks* cracks = NULL;
	if (brCreateCracks(NULL, pane, &def, &cracks, report) < 0)
	{
		return -1;
	}
	int32_t branches = 0;
	for (int32_t i = 0; i < cracks->crackCount; ++i)
	{
		branches += cracks->cracks[i].branchOf >= 0 ? 1 : 0;
	}
	*outPieces = cracks->pieceCount;
	brDestroyCracks(cracks);
	return branches;
}

int main(int argc, char** argv)
{
	static const double impulses[BLOWS] = {3.0, 5.0, 10.0};
	static const char* const labels[BLOWS] = {"3 N s", "5 N s", "10 N s"};
	char path[512];
	brReport report = {0};
	brModelDef model = brDefaultModelDef("pane");
	brMesh* pane = NULL;
	bool isGood = brMakeModel(NULL, &model, &pane, &report) >= 0;
	double thresholds[THRESHOLDS], branches[BLOWS][THRESHOLDS];
	PlotLine lines[BLOWS];
	for (int32_t i = 0; i < BLOWS && isGood; ++i)
	{
		for (int32_t k = 0; k < THRESHOLDS && isGood; ++k)
		{
			int32_t pieces = 0;
			thresholds[k] = pow(10.0, k);
			branches[i][k] = countBranches(pane, impulses[i], thresholds[k], &pieces, &report);
			isGood = branches[i][k] >= 0.0;
			printf("%4.0f N s, threshold 1e%d: %2.0f branches, %d pieces\n", impulses[i], k, branches[i][k], pieces);
		}
		lines[i] = (PlotLine){.label = labels[i], .x = thresholds, .y = branches[i], .count = THRESHOLDS};
	}
	PlotDef plot = {0};
	plot.title = "Branches in a pane of glass", plot.xLabel = "threshold, G at the peak of the load over G_c";
	plot.yLabel = "branches of at most 24 cracks";
	plot.isLogX = plot.fromZero = true;
	plot.lines = lines, plot.lineCount = BLOWS;
	snprintf(path, sizeof(path), "%s/branching.csv", argc > 1 ? argv[1] : ".");
	isGood = isGood && savePlotCsv(&plot, path);
	brDestroyMesh(pane);
	if (!isGood)
	{
		fprintf(stderr, "%s\n", report.text);
	}
	return isGood ? 0 : 1;
}
