// SPDX-License-Identifier: MIT

// The three ways to load a crack: a cube with an edge crack is pulled open, sheared and torn. Says how hard its front
// is pulled in each mode and where it would go; sample_modes [FOLDER] also plots the intensities along the front, and
// those of an edge notch against the handbook.

#include "brittle/brittle.h"
#include "plot_csv.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
	ACROSS = 24, // quads of the crack
	MOST = 256,
};

#define POISSON 0.3

static int fail(const brReport* report)
{
	fprintf(stderr, "%s\n", report->text);
	return 1;
}

// A sheet across the solid at half height, from outside to x = `front`.
static brCrackSurface makeEdgeCrack(brDBox3 box, double front)
{
	static brDVec3 positions[(ACROSS + 1) * (ACROSS + 1)];
	static int32_t triangles[2 * ACROSS * ACROSS][3];
	brDVec3 size = brDSub(box.upper, box.lower);
	double left = box.lower.x - 0.1 * size.x, z = box.lower.z + 0.503 * size.z;
	for (int32_t i = 0; i < (ACROSS + 1) * (ACROSS + 1); ++i)
	{
		double u = (double)(i % (ACROSS + 1)) / ACROSS, v = (double)(i / (ACROSS + 1)) / ACROSS;
		positions[i] = brMakeDVec3(left + u * (front - left), box.lower.y + (1.4 * v - 0.2) * size.y, z);
	}
	for (int32_t i = 0; i < ACROSS * ACROSS; ++i)
	{
		int32_t a = i / ACROSS * (ACROSS + 1) + i % ACROSS, b = a + 1, c = b + ACROSS + 1, d = a + ACROSS + 1;
		int32_t two[2][3] = {{a, b, c}, {a, c, d}};
		for (int k = 0; k < 6; ++k)
		{
			triangles[2 * i + k / 3][k % 3] = two[k / 3][k % 3];
		}
	}
	return (brCrackSurface){
		(ACROSS + 1) * (ACROSS + 1), 2 * ACROSS * ACROSS, 0, positions, (const int32_t(*)[3])triangles, NULL, NULL};
}

typedef struct Solid
{
	brTetMesh* tets;
	brDBox3 box;
	brMesh* surface; // of the tets
	int32_t* nodeOf; // [surface->vertexCount]
	brElasticBody* body;
	int32_t* nodes; // of the load
	brDVec3* forces;
	int32_t forceCount;
} Solid;

// A block of cubes of edge h, each divided into six tets around its diagonal.
static brResult makeBlock(Solid* solid, double h, int32_t nx, int32_t ny, int32_t nz, brReport* report)
{
	static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	static const bool isTurned[6] = {false, true, true, false, false, true};
	int32_t steps[3] = {1, nx + 1, (nx + 1) * (ny + 1)}, nodeCount = steps[2] * (nz + 1), tetCount = 6 * nx * ny * nz;
	brDVec3* nodes = malloc(sizeof(brDVec3) * (size_t)nodeCount);
	int32_t(*tets)[4] = malloc(sizeof(*tets) * (size_t)tetCount);
	solid->box = (brDBox3){{-0.5 * h * nx, -0.5 * h * ny, 0.0}, {0.5 * h * nx, 0.5 * h * ny, h * nz}};
	for (int32_t i = 0; i < nodeCount; ++i)
	{
		nodes[i] = brMakeDVec3(solid->box.lower.x + h * (i % steps[1]),
							   solid->box.lower.y + h * (i % steps[2] / steps[1]), h * (i / steps[2]));
	}
	for (int32_t i = 0; i < tetCount; ++i)
	{
		int32_t cell = i / 6, k = i % 6, base = cell % nx + steps[1] * (cell / nx % ny) + steps[2] * (cell / nx / ny);
		int32_t a = base + steps[orders[k][0]], b = a + steps[orders[k][1]], c = b + steps[orders[k][2]];
		tets[i][0] = base, tets[i][1] = a, tets[i][2] = isTurned[k] ? c : b, tets[i][3] = isTurned[k] ? b : c;
	}
	brTetMeshDef def = brDefaultTetMeshDef();
	def.nodeCount = nodeCount, def.nodes = nodes;
	def.tetCount = tetCount, def.tets = (const int32_t(*)[4])tets;
	brResult result = brCreateTetMesh(NULL, &def, &solid->tets, report);
	free(nodes);
	free(tets);
	return result;
}

static bool makeSolid(Solid* solid, double h, int32_t nx, int32_t ny, int32_t nz, brReport* report)
{
	*solid = (Solid){0};
	brElasticDef def = brDefaultElasticDef();
	def.youngsModulus = 1.0, def.poissonRatio = POISSON;
	if (makeBlock(solid, h, nx, ny, nz, report) < 0 ||
		brTetMesh_MakeSurface(solid->tets, NULL, &solid->surface, report) < 0)
	{
		return false;
	}
	// The vertices of the surface are nodes in node order.
	solid->nodeOf = malloc(sizeof(int32_t) * (size_t)solid->surface->vertexCount);
	int32_t vertex = 0;
	for (int32_t i = 0; i < solid->tets->nodeCount && vertex < solid->surface->vertexCount; ++i)
	{
		brDVec3 p = solid->surface->positions[vertex], q = solid->tets->nodes[i];
		if (p.x == q.x && p.y == q.y && p.z == q.z)
		{
			solid->nodeOf[vertex++] = i;
		}
	}
	solid->nodes = malloc(sizeof(int32_t) * 12 * (size_t)solid->surface->faceCount);
	solid->forces = malloc(sizeof(brDVec3) * 12 * (size_t)solid->surface->faceCount);
	def.mesh = solid->tets;
	return brCreateElasticBody(NULL, &def, &solid->body, report) >= 0;
}

static void freeSolid(Solid* solid)
{
	brDestroyElasticBody(solid->body);
	free(solid->nodeOf);
	free(solid->nodes);
	free(solid->forces);
	brDestroyMesh(solid->surface);
	brDestroyTetMesh(solid->tets);
}

// A traction on the upper face of an axis and its opposite on the lower one.
static void pullFaces(Solid* solid, int axis, brDVec3 pull)
{
	brDBox3 box = solid->box;
	for (int32_t f = 0; f < solid->surface->faceCount; ++f)
	{
		const int32_t* c = solid->surface->corners + 3 * f;
		brDVec3 p[3] = {solid->surface->positions[c[0]], solid->surface->positions[c[1]],
						solid->surface->positions[c[2]]};
		double area = 0.5 * brDLength(brDCross(brDSub(p[1], p[0]), brDSub(p[2], p[0])));
		double middle = ((&p[0].x)[axis] + (&p[1].x)[axis] + (&p[2].x)[axis]) / 3.0;
		double sign = middle > (&box.upper.x)[axis] - 1e-9 ? 1.0 : middle < (&box.lower.x)[axis] + 1e-9 ? -1.0 : 0.0;
		for (int k = 0; k < 3 && sign != 0.0; ++k)
		{
			solid->nodes[solid->forceCount] = solid->nodeOf[c[k]];
			solid->forces[solid->forceCount++] = brDMul(sign * area / 3.0, pull);
		}
	}
}

static int32_t solveFront(Solid* solid, double front, brCrackFrontPoint* points, brReport* report)
{
	brCrackSurface crack = makeEdgeCrack(solid->box, front);
	brElasticLoad load = brDefaultElasticLoad();
	load.forceCount = solid->forceCount, load.forceNodes = solid->nodes, load.forces = solid->forces;
	int32_t count = 0;
	if (brElasticBody_SetCracks(solid->body, NULL, &crack, 1, report) < 0 ||
		brElasticBody_Solve(solid->body, NULL, &load, NULL, NULL, report) < 0 ||
		brElasticBody_ComputeFrontPoints(solid->body, NULL, 0, NULL, MOST, points, &count, report) < 0)
	{
		return -1;
	}
	return count < MOST ? count : MOST;
}

static int threeModes(const char* folder)
{
	static const char* const names[3] = {"opening", "sliding", "tearing"};
	brReport report = {0};
	PlotLine lines[3];
	static double at[3][MOST], values[3][MOST];
	for (int mode = 0; mode < 3; ++mode)
	{
		Solid cube;
		if (!makeSolid(&cube, 1.0 / 17.0, 17, 17, 17, &report))
		{
			return fail(&report);
		}
		// Opening: along z. Sliding: shear in the plane of x and z. Tearing: in that of y and z.
		brDVec3 along[3] = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
		pullFaces(&cube, 2, along[mode]);
		if (mode > 0)
		{
			pullFaces(&cube, mode == 1 ? 0 : 1, brMakeDVec3(0.0, 0.0, 1.0));
		}
		brCrackFrontPoint points[MOST];
		int32_t count = solveFront(&cube, 0.01, points, &report), used = 0, middle = 0;
		double means[3] = {0.0, 0.0, 0.0};
		for (int32_t i = 0; i < count; ++i)
		{
			if (points[i].isInside && points[i].forward.x > 0.9)
			{
				at[mode][used] = points[i].position.y;
				values[mode][used++] = points[i].intensity[mode];
			}
			if (points[i].isInside && fabs(points[i].position.y) < 0.25 && points[i].forward.x > 0.9)
			{
				for (int k = 0; k < 3; ++k)
				{
					means[k] += points[i].intensity[k];
				}
				middle += 1;
			}
		}
		if (count < 0 || middle == 0)
		{
			return fail(&report);
		}
		for (int k = 0; k < 3; ++k)
		{
			means[k] /= middle;
		}
		printf("%s: K I %+.3f, II %+.3f, III %+.3f; goes on at %+.0f degrees\n", names[mode], means[0], means[1],
			   means[2], 180.0 / BR_PI * brKinkAngle(POISSON, means));
		lines[mode] = (PlotLine){names[mode], at[mode], values[mode], used, false};
		if (folder != NULL)
		{
			char path[600];
			snprintf(path, sizeof(path), "%s/%s.vtk", folder, names[mode]);
			brElasticBody_SaveFrontsVtk(cube.body, NULL, NULL, path, NULL);
		}
		freeSolid(&cube);
	}
	if (folder != NULL)
	{
		PlotDef plot = {0};
		plot.title = "Edge crack in a cube: K I opened, K II sheared, K III torn";
		plot.xLabel = "along the front [m]", plot.yLabel = "K / (pull sqrt(m))";
		plot.lines = lines, plot.lineCount = 3;
		char path[600];
		snprintf(path, sizeof(path), "%s/modes.csv", folder);
		if (!savePlotCsv(&plot, path))
		{
			return 1;
		}
	}
	return 0;
}

// K / (pull sqrt(pi a)) of an edge notch, a / W = x (Tada).
static double handbook(double x)
{
	double angle = 0.5 * BR_PI * x, s = 1.0 - brSin(angle);
	return sqrt(brSin(angle) / brCos(angle) / angle) * (0.752 + 2.02 * x + 0.37 * s * s * s) / brCos(angle);
}

static int edgeNotch(const char* folder)
{
	brReport report = {0};
	static double at[6], ours[6], fine[112], exact[112];
	Solid strip;
	if (!makeSolid(&strip, 1.0 / 33.0, 33, 3, 79, &report))
	{
		return fail(&report);
	}
	// Plane strain: the faces along the front stay where they are.
	brDBox3 box = strip.box;
	int32_t* nodes = malloc(sizeof(int32_t) * (size_t)strip.tets->nodeCount);
	uint32_t* axes = malloc(sizeof(uint32_t) * (size_t)strip.tets->nodeCount);
	int32_t count = 0;
	for (int32_t i = 0; i < strip.tets->nodeCount; ++i)
	{
		double y = strip.tets->nodes[i].y;
		if (y < box.lower.y + 1e-9 || y > box.upper.y - 1e-9)
		{
			nodes[count] = i;
			axes[count++] = BR_AXIS_Y;
		}
	}
	pullFaces(&strip, 2, brMakeDVec3(0.0, 0.0, 1.0));
	bool isGood = brElasticBody_SetSupports(strip.body, NULL, nodes, axes, NULL, count, &report) >= 0;
	free(nodes);
	free(axes);
	for (int32_t i = 0; i < 6 && isGood; ++i)
	{
		brCrackFrontPoint points[MOST];
		double a = 0.1 * (i + 1);
		int32_t pointCount = solveFront(&strip, box.lower.x + a, points, &report), used = 0;
		isGood = pointCount >= 0;
		at[i] = a, ours[i] = 0.0;
		for (int32_t k = 0; k < pointCount; ++k)
		{
			if (points[k].isInside && points[k].forward.x > 0.9)
			{
				ours[i] += points[k].intensity[0] / sqrt(BR_PI * a);
				used += 1;
			}
		}
		ours[i] /= used > 0 ? used : 1;
		printf("edge notch a/W %.1f: %.3f, handbook %.3f (%+.1f %%)\n", a, ours[i], handbook(a),
			   100.0 * (ours[i] / handbook(a) - 1.0));
	}
	for (int32_t i = 0; i < 112; ++i)
	{
		fine[i] = 0.05 + 0.005 * i;
		exact[i] = handbook(fine[i]);
	}
	if (isGood && folder != NULL)
	{
		PlotLine lines[2] = {{"ours", at, ours, 6, true}, {"handbook", fine, exact, 112, false}};
		PlotDef plot = {0};
		plot.title = "Edge notch under tension", plot.xLabel = "a / W", plot.yLabel = "K / (pull sqrt(pi a))";
		plot.fromZero = true;
		plot.lines = lines, plot.lineCount = 2;
		char path[600];
		snprintf(path, sizeof(path), "%s/notch.csv", folder);
		isGood = savePlotCsv(&plot, path);
	}
	freeSolid(&strip);
	return isGood ? 0 : fail(&report);
}

int main(int argumentCount, char** arguments)
{
	const char* folder = argumentCount > 1 ? arguments[1] : NULL;
	int modes = threeModes(folder);
	return modes != 0 ? modes : edgeNotch(folder);
}
