// SPDX-License-Identifier: MIT

// Concave bodies: making them, asking them, keeping them up to date when they crack, and whole scenes.
//
// The scenes are look-alikes of those of Glondu et al. (2012), table 3: as many objects, triangles and fragments, cut
// beforehand. Pieces that are convex, as those of the bricks, are hulls, as always. Our figure is the time of boxes,
// pairs and contact points in one step, the peer's is the printed one (one core of an i7-2600 at 3.4 GHz). Times by the
// wall are scaled by the share of the processor that we got.

#include "bench.h"

#include "base/random.h"
#include "brittle/brittle.h"
#include "contact/collide_mesh.h"
#include "research/fragment_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double contactSeconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int contactCompare(const void* a, const void* b)
{
	double x = *(const double*)a, y = *(const double*)b;
	return (x > y) - (x < y);
}

static double contactMedian(double* times, int32_t count)
{
	qsort(times, (size_t)count, sizeof(double), contactCompare);
	return times[count / 2];
}

// A built-in model with its longest side of this size, standing on z = 0.
static brMesh* contactModel(const char* name, int32_t resolution, double size)
{
	brModelDef def = brDefaultModelDef(name);
	def.resolution = resolution;
	brMesh* mesh = NULL;
	brReport report = {0};
	if (brMakeModel(NULL, &def, &mesh, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 extent = brDSub(box.upper, box.lower);
	double s = size / fmax(extent.x, fmax(extent.y, extent.z));
	brAffine map = {{{s, 0, 0}, {0, s, 0}, {0, 0, s}}, {0, 0, 0}};
	brMesh_Transform(mesh, &map);
	return mesh;
}

static brShape* contactShape(const brMesh* mesh, bool keepMesh)
{
	brShapeDef def = brDefaultShapeDef(br_shapeMesh);
	def.mesh = mesh;
	def.keepMesh = keepMesh;
	brShape* shape = NULL;
	brReport report = {0};
	if (brCreateShape(NULL, &def, &shape, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	return shape;
}

static void benchShapes(brBench* bench)
{
	static const struct
	{
		const char *model, *make, *near, *far;
		int32_t resolution;
	} rows[4] = {
		{"box", "make a solid of 12 triangles", "distance of a near point, 12 triangles",
		 "distance of any point, 12 triangles", 1},
		{"torus", "make a solid of 192 triangles", "distance of a near point, 192 triangles",
		 "distance of any point, 192 triangles", 12},
		{"bowl", "make a solid of 2,400 triangles", "distance of a near point, 2,400 triangles",
		 "distance of any point, 2,400 triangles", 16},
		{"statue", "make a solid of 6,188 triangles", "distance of a near point, 6,188 triangles",
		 "distance of any point, 6,188 triangles", 24},
	};
	enum
	{
		queries = 20000,
		runs = 9
	};
	static brVec3 points[2][queries];
	for (int32_t k = 0; k < 4; ++k)
	{
		if (!brBench_Wants(bench, rows[k].make) && !brBench_Wants(bench, rows[k].near) &&
			!brBench_Wants(bench, rows[k].far))
		{
			continue;
		}
		brMesh* mesh = contactModel(rows[k].model, rows[k].resolution, 1.0);
		double times[runs];
		brShape* shape = NULL;
		for (int32_t i = 0; i < runs; ++i)
		{
			brDestroyShape(shape);
			double start = contactSeconds();
			shape = contactShape(mesh, true);
			times[i] = contactSeconds() - start;
		}
		brBench_Row(bench, rows[k].make, 1e3 * contactMedian(times, runs), 0.0, "ms");
		brSolid solid = brMakeSolid(shape);
		brRandom random = brMakeRandom(1, 1);
		for (int32_t i = 0; i < queries; ++i)
		{
			float x = (float)brRandom_Range(&random, -1.0, 1.0), y = (float)brRandom_Range(&random, -1.0, 1.0),
				  z = (float)brRandom_Range(&random, -1.0, 1.0);
			brVec3 near = solid.points[brRandom_Below(&random, (uint32_t)solid.pointCount)].place;
			points[0][i] = brMulAdd(near, 0.05f * shape->thickness, brMakeVec3(x, y, z));
			points[1][i] = brMakeVec3(1.3f * x * shape->half.x, 1.3f * y * shape->half.y, 1.3f * z * shape->half.z);
		}
		for (int32_t m = 0; m < 2; ++m)
		{
			float sum = 0.0f;
			for (int32_t i = 0; i < runs; ++i)
			{
				brFieldAnswer answer;
				double start = contactSeconds();
				for (int32_t q = 0; q < queries; ++q)
				{
					brSolid_Field(&solid, points[m][q], 0.1f * shape->thickness, &answer);
					sum += answer.distance;
				}
				times[i] = contactSeconds() - start;
			}
			if (!isfinite(sum))
			{
				brBench_Fail("a distance is not finite");
			}
			brBench_Row(bench, m == 0 ? rows[k].near : rows[k].far, 1e9 * contactMedian(times, runs) / queries, 0.0,
						"ns");
		}
		brDestroyShape(shape);
		brDestroyMesh(mesh);
	}
}

// What a break needs for each of its pieces: the shape of a mesh as the cut left it, in the mean over all pieces.
static void benchPieces(brBench* bench, const char* row, const char* model, int32_t resolution, int32_t count)
{
	enum
	{
		runs = 15
	};
	if (!brBench_Wants(bench, row))
	{
		return;
	}
	brMesh* mesh = contactModel(model, resolution, 0.25);
	brSiteDef siteDef = brDefaultSiteDef();
	siteDef.count = count;
	brDVec3* sites = malloc(sizeof(brDVec3) * (size_t)count);
	brShatterDef def = brDefaultShatterDef();
	brShatter* shatter = NULL;
	def.sites = sites;
	if (sites == NULL || brMakeSites(NULL, mesh, &siteDef, sites, &def.siteCount, NULL) < 0 ||
		brCreateShatter(NULL, mesh, &def, &shatter, NULL) < 0)
	{
		brBench_Fail("%s does not shatter", model);
	}
	double times[runs];
	for (int32_t i = 0; i < runs; ++i)
	{
		double start = contactSeconds();
		for (int32_t k = 0; k < shatter->pieceCount; ++k)
		{
			brDestroyShape(contactShape(shatter->pieces[k].mesh, false));
		}
		times[i] = (contactSeconds() - start) / shatter->pieceCount;
	}
	brBench_Row(bench, row, 1e3 * contactMedian(times, runs), 0.0, "ms");
	brDestroyShatter(shatter);
	brDestroyMesh(mesh);
	free(sites);
}

// One crack through the middle of a body of 20,000 tets: field and tree updated, against both made anew for the two
// pieces.
static void benchFracture(brBench* bench)
{
	static const char* const rows[2] = {"fragment field on a crack: update, rebuild",
										"fragment tree on a crack: update, rebuild"};
	if (!brBench_Wants(bench, rows[0]) && !brBench_Wants(bench, rows[1]))
	{
		return;
	}
	brMesh* mesh = contactModel("statue", 24, 1.0);
	brTetDef tetDef = brDefaultTetDef();
	tetDef.targetTets = 20000;
	brTetMesh* tets = NULL;
	brReport report = {0};
	if (brMakeTetMesh(NULL, mesh, &tetDef, &tets, NULL, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	brShape* shape = contactShape(mesh, true);
	int32_t* labels = calloc((size_t)tets->nodeCount, sizeof(int32_t));
	brEdgeCut* cuts = malloc(sizeof(brEdgeCut) * 7 * (size_t)tets->tetCount);
	brDVec3 normal = brDNormalize(brMakeDVec3(0.2, 0.1, 1.0)), middle = {0.0, 0.0, 0.45};
	enum
	{
		runs = 7
	};
	double field[runs], tree[runs], fieldAnew[runs], treeAnew[runs];
	for (int32_t run = 0; run < runs; ++run)
	{
		brFragmentField* fragmentField = NULL;
		brFragmentTree* fragmentTree = NULL;
		if (brCreateFragmentField(NULL, tets, shape, &fragmentField, &report) < 0 ||
			brCreateFragmentTree(NULL, tets, &fragmentTree, &report) < 0)
		{
			brBench_Fail("%s", report.text);
		}
		int32_t cutCount = 0;
		for (int32_t i = 0; i < tets->nodeCount; ++i)
		{
			labels[i] = brDDot(normal, brDSub(tets->nodes[i], middle)) > 0.0;
		}
		for (int32_t a = 0; a < tets->nodeCount; ++a)
		{
			for (int32_t k = fragmentField->starts[a]; k < fragmentField->starts[a + 1]; ++k)
			{
				int32_t b = fragmentField->neighbors[k];
				if (labels[a] == 0 && labels[b] == 1)
				{
					double da = brDDot(normal, brDSub(tets->nodes[a], middle)),
						   db = brDDot(normal, brDSub(tets->nodes[b], middle));
					cuts[cutCount++] = (brEdgeCut){
						a, b, brToVec3(brDLerp(tets->nodes[a], tets->nodes[b], da / (da - db))), brToVec3(normal)};
				}
			}
		}
		double start = contactSeconds();
		brFragmentField_Update(fragmentField, labels, 2, cuts, cutCount);
		field[run] = contactSeconds() - start;
		start = contactSeconds();
		brFragmentTree_Update(fragmentTree, labels, cuts, cutCount);
		tree[run] = contactSeconds() - start;
		start = contactSeconds();
		brFragmentTree_Rebuild(fragmentTree);
		treeAnew[run] = contactSeconds() - start;

		// The field anew: the surfaces of the pieces as trees of triangles, and the exact distance of every node.
		brCutResult* cut = NULL;
		if (brCutMeshByPlane(NULL, mesh, middle, normal, NULL, &cut, &report) < 0 || cut->pieceCount < 2)
		{
			brBench_Fail("%s", report.text);
		}
		brShape* pieces[2] = {NULL, NULL};
		for (int32_t i = 0; i < cut->pieceCount; ++i)
		{
			int32_t f = cut->pieces[i].side > 0;
			if (pieces[f] == NULL)
			{
				pieces[f] = contactShape(cut->pieces[i].mesh, true);
			}
		}
		brDestroyShape(pieces[0]);
		brDestroyShape(pieces[1]);
		start = contactSeconds();
		brSolid solids[2];
		brTransform frames[2];
		pieces[0] = pieces[1] = NULL;
		for (int32_t i = 0; i < cut->pieceCount; ++i)
		{
			int32_t f = cut->pieces[i].side > 0;
			if (pieces[f] == NULL)
			{
				pieces[f] = contactShape(cut->pieces[i].mesh, true);
				solids[f] = brMakeSolid(pieces[f]);
				frames[f] = pieces[f]->frame;
			}
		}
		brFragmentField_SetExact(fragmentField, solids, frames);
		fieldAnew[run] = contactSeconds() - start;
		brDestroyShape(pieces[0]);
		brDestroyShape(pieces[1]);
		brDestroyCutResult(cut);
		brDestroyFragmentField(fragmentField);
		brDestroyFragmentTree(fragmentTree);
	}
	brBench_Row(bench, rows[0], 1e3 * contactMedian(field, runs), 1e3 * contactMedian(fieldAnew, runs), "ms");
	brBench_Row(bench, rows[1], 1e3 * contactMedian(tree, runs), 1e3 * contactMedian(treeAnew, runs), "ms");
	free(labels);
	free(cuts);
	brDestroyShape(shape);
	brDestroyTetMesh(tets);
	brDestroyMesh(mesh);
}

typedef struct ContactScene
{
	const char* model;
	int32_t resolution;
	double size;
	int32_t objects, pieces; // pieces of each
	double spacing, height;
	double step;      // [s]
	int32_t steps;    //
	int32_t balls;    // thrown on them
	const char* mean; // rows
	const char* most;
	double printedMean, printedMost; // [ms]
} ContactScene;

static void contactBody(brWorld* world, const brShape* shape, brBodyKind kind, brDVec3 place)
{
	brBodyDef def = brDefaultBodyDef();
	def.shape = shape;
	def.kind = kind;
	def.density = 2000.0;
	def.pose.p = place;
	if (brWorld_CreateBody(world, &def, NULL).index1 == 0)
	{
		brBench_Fail("no body");
	}
}

// `isSwept`: bodies fast for their thickness are met ahead and step in parts, which the peer does not do and our own
// pieces of something broken do not do either.
static void benchScene(brBench* bench, const ContactScene* scene, bool isSwept)
{
	char mean[128], worst[128];
	snprintf(mean, sizeof(mean), "%s%s", scene->mean, isSwept ? ", swept" : "");
	snprintf(worst, sizeof(worst), "%s%s", scene->most, isSwept ? ", swept" : "");
	if (!brBench_Wants(bench, mean) && !brBench_Wants(bench, worst))
	{
		return;
	}
	brReport report = {0};
	brMesh* mesh = contactModel(scene->model, scene->resolution, scene->size);
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brRandom random = brMakeRandom(3, 3);
	brDVec3 sites[64];
	for (int32_t i = 0; i < scene->pieces; ++i)
	{
		double x = brRandom_Unit(&random), y = brRandom_Unit(&random), z = brRandom_Unit(&random);
		brDVec3 size = brDSub(box.upper, box.lower);
		sites[i] = brMakeDVec3(box.lower.x + x * size.x, box.lower.y + y * size.y, box.lower.z + z * size.z);
	}
	brShatterDef shatterDef = brDefaultShatterDef();
	shatterDef.sites = sites;
	shatterDef.siteCount = scene->pieces;
	brShatter* shatter = NULL;
	if (brCreateShatter(NULL, mesh, &shatterDef, &shatter, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	brWorldDef worldDef = brDefaultWorldDef();
	worldDef.enableSleep = false;
	worldDef.enableSweep = isSwept;
	brWorld* world = NULL;
	brShape* plane = NULL;
	brShapeDef planeDef = brDefaultShapeDef(br_shapeHalfSpace);
	if (brCreateWorld(NULL, &worldDef, &world, &report) < 0 || brCreateShape(NULL, &planeDef, &plane, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	contactBody(world, plane, br_bodyStatic, brMakeDVec3(0.0, 0.0, 0.0));
	int32_t side = (int32_t)ceil(cbrt((double)scene->objects) - 1e-9), bodies = 0;
	for (int32_t p = 0; p < shatter->pieceCount; ++p)
	{
		brShape* shape = contactShape(shatter->pieces[p].mesh, false);
		for (int32_t i = 0; i < scene->objects; ++i)
		{
			brDVec3 place = {scene->spacing * (i % side), scene->spacing * (int)(i / side % side),
							 scene->height + scene->spacing * (int)(i / (side * side))};
			contactBody(world, shape, br_bodyDynamic, place);
			bodies += 1;
		}
		brDestroyShape(shape);
	}
	brShapeDef ballDef = brDefaultShapeDef(br_shapeSphere);
	ballDef.radius = 0.04;
	brShape* ball = NULL;
	brCreateShape(NULL, &ballDef, &ball, &report);
	for (int32_t i = 0; i < scene->balls; ++i)
	{
		contactBody(world, ball, br_bodyDynamic, brMakeDVec3(scene->spacing * (i % side), 0.02 * i, 0.5 + 0.3 * i));
	}
	brDestroyShape(ball);
	brDestroyShape(plane);
	brDestroyShatter(shatter);
	brDestroyMesh(mesh);
	double sum = 0.0, most = 0.0;
	for (int32_t i = 0; i < scene->steps; ++i)
	{
		double start = contactSeconds();
		brWorld_Step(world, scene->step, NULL);
		double mine = contactSeconds() - start;
		brStepStats stats = brWorld_GetStats(world);
		double collision = (stats.broadSeconds + stats.narrowSeconds) * fmin(1.0, mine / stats.seconds);
		sum += collision;
		most = fmax(most, collision);
		if (stats.setAside > 0)
		{
			brBench_Fail("a body was set aside");
		}
	}
	brBench_Row(bench, mean, 1e3 * sum / scene->steps, scene->printedMean, "ms");
	brBench_Row(bench, worst, 1e3 * most, scene->printedMost, "ms");
	brDestroyWorld(world);
}

// Ten thousand bricks as meshes, in stacks of two, at rest.
static void benchRest(brBench* bench)
{
	static const char* const row = "10,000 mesh bodies at rest, one step, 2 workers";
	if (!brBench_Wants(bench, row))
	{
		return;
	}
	brWorkersDef workersDef = brDefaultWorkersDef();
	workersDef.workerCount = 2;
	brContext context = {.workers = brCreateWorkers(&workersDef)};
	brWorldDef worldDef = brDefaultWorldDef();
	worldDef.enableSleep = false;
	worldDef.substeps = 4;
	brWorld* world = NULL;
	brShape* plane = NULL;
	brShapeDef planeDef = brDefaultShapeDef(br_shapeHalfSpace);
	if (brCreateWorld(&context, &worldDef, &world, NULL) < 0 || brCreateShape(NULL, &planeDef, &plane, NULL) < 0)
	{
		brBench_Fail("no memory");
	}
	contactBody(world, plane, br_bodyStatic, brMakeDVec3(0.0, 0.0, 0.0));
	brMesh* mesh = contactModel("box", 1, 1.0);
	brMesh_Transform(mesh, &(brAffine){{{0.2, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}}, {0, 0, 0}});
	brShape* shape = contactShape(mesh, true);
	for (int32_t i = 0; i < 10000; ++i)
	{
		contactBody(world, shape, br_bodyDynamic,
					brMakeDVec3(0.25 * (int)(i / 2 % 50), 0.15 * (int)(i / 100), 0.1 * (i % 2)));
	}
	brDestroyShape(shape);
	brDestroyShape(plane);
	brDestroyMesh(mesh);
	double times[30];
	for (int32_t i = 0; i < 110; ++i)
	{
		brWorld_Step(world, 1.0 / 60.0, NULL);
		if (i >= 80)
		{
			times[i - 80] = brWorld_GetStats(world).seconds;
		}
	}
	brBench_Row(bench, row, 1e3 * contactMedian(times, 30), 50.0, "ms");
	brBench_Row(bench, "10,000 mesh bodies at rest: pairs not recycled",
				brWorld_GetStats(world).pairs - brWorld_GetStats(world).recycled, 0.0, "1");
	brDestroyWorld(world);
	brDestroyWorkers(context.workers);
}

BR_BENCH(contact)
{
	benchShapes(bench);
	benchPieces(bench, "make a piece of a box: hull, 35 triangles", "box", 1, 64);
	benchPieces(bench, "make a piece of a brick: hull, 92 triangles", "brick", 4, 30);
	benchPieces(bench, "make a piece of a vase: solid, 251 triangles", "vase", 22, 50);
	benchFracture(bench);
	static const ContactScene scenes[4] = {
		{"vase", 36, 0.3, 1, 14, 1.0, 0.3, 0.015, 200, 0, "a bank in 14 pieces falls: collision, mean",
		 "a bank in 14 pieces falls: collision, most", 1.74, 9.46},
		{"statue", 28, 0.3, 27, 6, 0.35, 0.2, 0.005, 300, 0, "27 statues in 6 pieces each: collision, mean",
		 "27 statues in 6 pieces each: collision, most", 23.0, 70.0},
		{"brick", 4, 0.2, 32, 5, 0.24, 0.1, 0.03, 100, 0, "32 bricks in 5 pieces each: collision, mean",
		 "32 bricks in 5 pieces each: collision, most", 10.7, 27.3},
		{"plate", 48, 0.27, 4, 11, 0.3, 0.1, 0.03, 100, 6, "4 plates in 11 pieces each, 6 balls: collision, mean",
		 "4 plates in 11 pieces each, 6 balls: collision, most", 6.78, 12.2},
	};
	for (int32_t i = 0; i < 8; ++i)
	{
		benchScene(bench, &scenes[i % 4], i >= 4);
	}
	benchRest(bench);
}
