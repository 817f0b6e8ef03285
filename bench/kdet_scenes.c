// SPDX-License-Identifier: MIT
#include "kdet_scenes.h"

#include "base/random.h"
#include "bench.h"
#include "brittle/brittle.h"

#include <stdlib.h>
#include <string.h>

const KdetScene kdetScenes[KDET_SCENE_COUNT] = {
	{"pass_through_armadillos",
	 "Pass Through Armadillos",
	 {"models/armadillo.obj", "models/armadillo.obj"},
	 {"statue", "statue"}},
	{"buddha_and_armadillo",
	 "Buddha & Armadillo",
	 {"models/buddha-100k.obj", "models/armadillo.obj"},
	 {"column", "statue"}},
	{"bunny_and_planck",
	 "Bunny & Planck",
	 {"models/stanford-bunny.obj", "models/max-planck-decimated.obj"},
	 {"statue", "column"}},
	{"armadillos", "Armadillos", {"models/armadillo.obj", "models/armadillo.obj"}, {"statue", "statue"}},
};

const KdetScene* kdetFindScene(const char* name)
{
	for (int32_t i = 0; i < KDET_SCENE_COUNT; ++i)
	{
		if (strcmp(kdetScenes[i].name, name) == 0)
		{
			return &kdetScenes[i];
		}
	}
	return NULL;
}

static brTetMesh* makeTets(const char* file, const char* model, int32_t count)
{
	brReport report = {0};
	brMesh* surface = NULL;
	const char* path = brBench_DataPath(file);
	brModelDef modelDef = brDefaultModelDef(model);
	brResult result =
		path != NULL ? brLoadMesh(NULL, path, &surface, &report) : brMakeModel(NULL, &modelDef, &surface, &report);
	brTetDef def = brDefaultTetDef();
	def.targetTets = count;
	def.allowBroken = true;
	brTetMesh* mesh = NULL;
	if (result < 0 || brMakeTetMesh(NULL, surface, &def, &mesh, NULL, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	brDestroyMesh(surface);
	return mesh;
}

static void allocate(KdetBodies* bodies, int32_t nodeCount, int32_t tetCount)
{
	bodies->rest = malloc((size_t)nodeCount * sizeof(brDVec3));
	bodies->nodes = malloc((size_t)nodeCount * sizeof(brDVec3));
	bodies->tets = malloc((size_t)tetCount * sizeof(int32_t[4]));
	if (bodies->rest == NULL || bodies->nodes == NULL || bodies->tets == NULL)
	{
		brBench_Fail("no memory");
	}
	bodies->source = (brBoxSource){.count = tetCount,
								   .vertexCount = nodeCount,
								   .positions = bodies->nodes,
								   .cornersEach = 4,
								   .corners = &bodies->tets[0][0]};
}

void kdetFreeBodies(KdetBodies* bodies)
{
	free(bodies->rest);
	free(bodies->nodes);
	free(bodies->tets);
}

KdetBodies kdetMakeBodies(const KdetScene* scene, int32_t resolution)
{
	static const int32_t counts[4] = {10000, 25000, 50000, 90000};
	KdetBodies bodies = {.scene = scene, .objectCount = 2};
	brTetMesh* meshes[2];
	for (int i = 0; i < 2; ++i)
	{
		meshes[i] = makeTets(scene->files[i], scene->models[i], counts[resolution - 1]);
		bodies.nodeCounts[i] = meshes[i]->nodeCount;
		bodies.starts[i + 1] = bodies.starts[i] + meshes[i]->tetCount;
	}
	allocate(&bodies, bodies.nodeCounts[0] + bodies.nodeCounts[1], bodies.starts[2]);
	for (int i = 0; i < 2; ++i)
	{
		// To size 1 about the origin.
		const brTetMesh* mesh = meshes[i];
		brDBox3 box = brMakeDBox3Empty();
		for (int32_t k = 0; k < mesh->nodeCount; ++k)
		{
			box = brDBox3_Include(box, mesh->nodes[k]);
		}
		brDVec3 side = brDSub(box.upper, box.lower), center = brDMul(0.5, brDAdd(box.upper, box.lower));
		double scale = 1.0 / fmax(side.x, fmax(side.y, side.z));
		int32_t firstNode = i == 0 ? 0 : bodies.nodeCounts[0];
		for (int32_t k = 0; k < mesh->nodeCount; ++k)
		{
			// The second is turned a little: the tets of both come from lattices, which should not be aligned.
			brDVec3 p = brDMul(scale, brDSub(mesh->nodes[k], center));
			double c = brCos(0.35 * i), s = brSin(0.35 * i);
			p = brMakeDVec3(c * p.x + s * p.z, p.y, c * p.z - s * p.x);
			bodies.rest[firstNode + k] = brMakeDVec3(p.x, c * p.y + s * p.z, c * p.z - s * p.y);
		}
		for (int32_t t = 0; t < mesh->tetCount; ++t)
		{
			for (int k = 0; k < 4; ++k)
			{
				bodies.tets[bodies.starts[i] + t][k] = firstNode + mesh->tets[t][k];
			}
		}
		brDestroyTetMesh(meshes[i]);
	}
	return bodies;
}

KdetBodies kdetMakeBlock(int32_t tetCount)
{
	int32_t side = 1;
	while (6 * (int64_t)side * side * side < tetCount)
	{
		side += 1;
	}
	int32_t nodes = side + 1;
	KdetBodies bodies = {.objectCount = 1};
	bodies.nodeCounts[0] = nodes * nodes * nodes;
	bodies.starts[1] = 6 * side * side * side;
	allocate(&bodies, bodies.nodeCounts[0], bodies.starts[1]);
	brRandom random = brMakeRandom(7, 0);
	for (int32_t i = 0; i < bodies.nodeCounts[0]; ++i)
	{
		brDVec3 p = {i % nodes, i / nodes % nodes, (double)(i / nodes / nodes)};
		brDVec3 off = {brRandom_Unit(&random), brRandom_Unit(&random), brRandom_Unit(&random)};
		bodies.rest[i] = brDMulAdd(p, 0.25, off);
	}
	// Six tets around the diagonal of each cube: one for each order of the axes.
	static const int32_t orders[6][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}};
	int32_t steps[3] = {1, nodes, nodes * nodes};
	for (int32_t t = 0; t < bodies.starts[1]; ++t)
	{
		int32_t cube = t / 6, x = cube % side, y = cube / side % side, z = cube / side / side;
		const int32_t* order = orders[t % 6];
		int32_t corner = x + nodes * (y + nodes * z);
		bodies.tets[t][0] = corner;
		bodies.tets[t][1] = corner + steps[order[0]];
		bodies.tets[t][2] = corner + steps[order[0]] + steps[order[1]];
		bodies.tets[t][3] = corner + steps[0] + steps[1] + steps[2];
	}
	kdetPose(&bodies, 0.0);
	return bodies;
}

// A soft body gives way: what is beyond a plane is pressed together, and it sways.
static brDVec3 soften(brDVec3 p, int axis, double plane, double sign, double time)
{
	double* x = axis == 0 ? &p.x : &p.y;
	double beyond = sign * (*x - plane);
	*x = beyond > 0.0 ? plane + 0.4 * sign * beyond : *x;
	p.z += 0.03 * brSin(4.0 * (axis == 0 ? p.y : p.x) + 6.0 * time);
	return p;
}

void kdetPose(KdetBodies* bodies, double time)
{
	const char* name = bodies->scene != NULL ? bodies->scene->name : "";
	bool passes = strcmp(name, "pass_through_armadillos") == 0, run = strcmp(name, "armadillos") == 0;
	int axis = passes || run ? 0 : 1;
	double ends[2][2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
	for (int32_t i = 0; i < bodies->source.vertexCount; ++i)
	{
		int body = i >= bodies->nodeCounts[0];
		brDVec3 p = bodies->rest[i];
		if (passes)
		{
			p.x += body == 1 ? 1.6 * (1.0 - 2.0 * time) : 0.0;
		}
		else if (run)
		{
			double away = 0.75 - 0.55 * time;
			p = soften(p, 0, body == 0 ? 0.2 : -0.2, body == 0 ? 1.0 : -1.0, time);
			p.x += body == 0 ? -away : away;
		}
		else if (bodies->scene != NULL)
		{
			// The first lies, the second falls on it; the armadillo and the bunny are soft.
			bool isSoft = (strcmp(name, "bunny_and_planck") == 0) == (body == 0);
			p = isSoft ? soften(p, 1, body == 0 ? 0.25 : -0.25, body == 0 ? 1.0 : -1.0, time) : p;
			p.y += body == 0 ? -0.5 : 0.7 - 0.62 * time;
		}
		bodies->nodes[i] = p;
		double x = axis == 0 ? p.x : p.y;
		ends[body][0] = fmin(ends[body][0], x), ends[body][1] = fmax(ends[body][1], x);
	}
	double overlap = fmin(ends[0][1], ends[1][1]) - fmax(ends[0][0], ends[1][0]);
	double smaller = fmin(ends[0][1] - ends[0][0], ends[1][1] - ends[1][0]);
	bodies->depth = bodies->objectCount == 2 && overlap > 0.0 ? overlap / smaller : 0.0;
}
