// SPDX-License-Identifier: MIT

// A penny-shaped crack in a block under tension, straight or inclined, against the closed form: sample_penny [DEGREES
// [FOLDER]] also writes a plot of the intensities along the front and the front for VTK.

#include "brittle/brittle.h"
#include "plot_csv.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
	RINGS = 6,
	SECTORS = 48,
};

#define RADIUS 0.22 // in a block of edge 1
#define POISSON 0.3

// A disk across `normal`.
static brCrackSurface makePenny(brDVec3 center, brDVec3 normal)
{
	static brDVec3 positions[1 + RINGS * SECTORS];
	static int32_t triangles[SECTORS * (2 * RINGS - 1)][3];
	brDVec3 v = brMakeDVec3(0.0, 1.0, 0.0), u = brDCross(v, normal);
	int32_t count = 0;
	positions[0] = center;
	for (int32_t i = 0; i < RINGS * SECTORS; ++i)
	{
		int32_t ring = i / SECTORS, a = 1 + i, b = 1 + ring * SECTORS + (i + 1) % SECTORS;
		double angle = 2.0 * BR_PI * (i % SECTORS) / SECTORS, r = RADIUS * (ring + 1) / RINGS;
		positions[a] = brDMulAdd(brDMulAdd(center, r * brCos(angle), u), r * brSin(angle), v);
		int32_t corners[2][3] = {{ring == 0 ? 0 : a - SECTORS, a, b}, {a - SECTORS, b, b - SECTORS}};
		for (int32_t k = 0; k < (ring == 0 ? 1 : 2); ++k, ++count)
		{
			for (int c = 0; c < 3; ++c)
			{
				triangles[count][c] = corners[k][c];
			}
		}
	}
	return (brCrackSurface){1 + RINGS * SECTORS, count, 0, positions, (const int32_t(*)[3])triangles, NULL, NULL};
}

// A pull of 1 on the faces of the block with the lowest and the highest z, shared out to their nodes.
static int32_t pullBlock(const brTetMesh* tets, int32_t* nodes, brDVec3* forces)
{
	brMesh* surface = NULL;
	if (brTetMesh_MakeSurface(tets, NULL, &surface, NULL) < 0)
	{
		return 0;
	}
	brDBox3 box = brMesh_ComputeBounds(surface);
	int32_t* nodeOf = malloc(sizeof(int32_t) * (size_t)surface->vertexCount);
	int32_t vertex = 0, count = 0;
	for (int32_t i = 0; i < tets->nodeCount && vertex < surface->vertexCount; ++i)
	{
		// The vertices of the surface are nodes in node order.
		brDVec3 p = surface->positions[vertex], q = tets->nodes[i];
		if (p.x == q.x && p.y == q.y && p.z == q.z)
		{
			nodeOf[vertex++] = i;
		}
	}
	for (int32_t f = 0; f < surface->faceCount; ++f)
	{
		const int32_t* c = surface->corners + 3 * f;
		brDVec3 a = surface->positions[c[0]], b = surface->positions[c[1]], d = surface->positions[c[2]];
		double middle = (a.z + b.z + d.z) / 3.0, area = 0.5 * brDLength(brDCross(brDSub(b, a), brDSub(d, a)));
		double sign = middle > box.upper.z - 1e-9 ? 1.0 : middle < box.lower.z + 1e-9 ? -1.0 : 0.0;
		for (int k = 0; k < 3 && sign != 0.0; ++k, ++count)
		{
			nodes[count] = nodeOf[c[k]];
			forces[count] = brMakeDVec3(0.0, 0.0, sign * area / 3.0);
		}
	}
	free(nodeOf);
	brDestroyMesh(surface);
	return count;
}

static int fail(const brReport* report)
{
	fprintf(stderr, "%s\n", report->text);
	return 1;
}

int main(int argumentCount, char** arguments)
{
	double tilt = argumentCount > 1 ? atof(arguments[1]) * BR_PI / 180.0 : 0.0;
	brReport report = {0};
	brModelDef model = brDefaultModelDef("box");
	brMesh* block = NULL;
	brTetMesh* tets = NULL;
	brTetDef tetDef = brDefaultTetDef();
	tetDef.targetTets = 48000;
	tetDef.coarsening = 0;
	tetDef.matchVolume = false;
	if (brMakeModel(NULL, &model, &block, &report) < 0 || brMakeTetMesh(NULL, block, &tetDef, &tets, NULL, &report) < 0)
	{
		return fail(&report);
	}
	brElasticDef def = brDefaultElasticDef();
	def.mesh = tets;
	def.youngsModulus = 1.0, def.poissonRatio = POISSON;
	brElasticBody* body = NULL;
	brDVec3 normal = brMakeDVec3(-brSin(tilt), 0.0, brCos(tilt));
	brCrackSurface crack = makePenny(brMakeDVec3(0.003, 0.004, 0.505), normal);
	int32_t* nodes = malloc(sizeof(int32_t) * 12 * (size_t)tets->tetCount);
	brDVec3* forces = malloc(sizeof(brDVec3) * 12 * (size_t)tets->tetCount);
	brElasticLoad load = brDefaultElasticLoad();
	load.forceCount = pullBlock(tets, nodes, forces);
	load.forceNodes = nodes, load.forces = forces;
	brElasticStats stats;
	brCrackFrontPoint points[SECTORS];
	int32_t count = 0;
	if (brCreateElasticBody(NULL, &def, &body, &report) < 0 ||
		brElasticBody_SetCracks(body, NULL, &crack, 1, &report) < 0 ||
		brElasticBody_Solve(body, NULL, &load, NULL, &stats, &report) < 0 ||
		brElasticBody_ComputeFrontPoints(body, NULL, 0, NULL, SECTORS, points, &count, &report) < 0)
	{
		return fail(&report);
	}
	// Closed form for a penny in an infinite body: 4 tau / (2 - nu) sqrt(a / pi) {cos w, (1 - nu) sin w} for modes II
	// and III.
	double sigma = brCos(tilt) * brCos(tilt), tau = brSin(tilt) * brCos(tilt), root = sqrt(RADIUS / BR_PI);
	double k2 = 4.0 * tau / (2.0 - POISSON) * root;
	double angles[SECTORS + 1], ours[3][SECTORS + 1], exact[3][SECTORS + 1], means[3] = {0.0, 0.0, 0.0};
	for (int32_t i = 0; i < count; ++i)
	{
		double w = 2.0 * BR_PI * i / SECTORS;
		const brCrackFrontPoint* point = &points[0];
		for (int32_t k = 0; k < count; ++k)
		{
			point = points[k].vertex == 1 + (RINGS - 1) * SECTORS + i ? &points[k] : point;
		}
		angles[i] = 360.0 * i / SECTORS;
		double values[3] = {2.0 * sigma * root, k2 * brCos(w), (1.0 - POISSON) * k2 * brSin(w)};
		for (int m = 0; m < 3; ++m)
		{
			ours[m][i] = point->intensity[m];
			exact[m][i] = values[m];
			means[m] += values[m] * (point->intensity[m] - values[m]);
		}
	}
	printf("%d tets, %d iterations, residual %.1e\n", tets->tetCount, stats.iterations, stats.residual);
	for (int m = 0; m < 3; ++m)
	{
		double square = 0.0;
		for (int32_t i = 0; i < count; ++i)
		{
			square += exact[m][i] * exact[m][i];
		}
		if (square > 1e-12)
		{
			printf("K %s %+.1f %% from the closed form for an infinite body (this block adds about 4)\n",
				   m == 0   ? "I  "
				   : m == 1 ? "II "
							: "III",
				   100.0 * means[m] / square);
		}
	}
	if (argumentCount > 2)
	{
		static const char* const labels[6] = {
			"K I", "K II", "K III", "K I closed form", "K II closed form", "K III closed form"};
		PlotLine lines[6];
		for (int m = 0; m < 6; ++m)
		{
			lines[m] = (PlotLine){labels[m], angles, m < 3 ? ours[m] : exact[m - 3], count, m < 3};
		}
		PlotDef plot = {0};
		char title[96], path[600];
		snprintf(title, sizeof(title), "Penny crack, normal at %.0f degrees to the load", tilt * 180.0 / BR_PI);
		plot.title = title, plot.xLabel = "angle along the front", plot.yLabel = "K / (pull sqrt(m))";
		plot.lines = lines, plot.lineCount = 6;
		snprintf(path, sizeof(path), "%s/penny.csv", arguments[2]);
		savePlotCsv(&plot, path);
		snprintf(path, sizeof(path), "%s/penny.vtk", arguments[2]);
		brElasticBody_SaveFrontsVtk(body, NULL, NULL, path, NULL);
	}
	brDestroyElasticBody(body);
	free(nodes);
	free(forces);
	brDestroyTetMesh(tets);
	brDestroyMesh(block);
	return 0;
}
