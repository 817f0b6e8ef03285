// SPDX-License-Identifier: MIT

// The tables of the thesis (Chitalu 2020) in their own rows: ours, and as peer the figure printed there, which was
// measured on a GPU of its time: GTX 960 (table 2.1) and GTX 1080 (3.1 to 3.4). Scenes are the public frames where the
// collection is there, else made by formula at the same size; flamenco and the I-Cloth scenes are not public, so their
// rows of tables 3.2 and 3.3 are run on cloths of the same number of triangles.

#include "bench.h"
#include "collide_scenes.h"

#include "base/clock.h"
#include "brittle/brittle.h"
#include "brittle/research.h"
#include "research/oi_bvh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
	treeRuns = 5
};

static brMesh* loadPublic(const char* file)
{
	const char* path = brBench_DataPath(file);
	brMesh* mesh = NULL;
	return path != NULL && brLoadMesh(NULL, path, &mesh, NULL) >= 0 ? mesh : NULL;
}

static brMovingScene* makeScene(const char* name, double frame, int32_t resolution)
{
	brMovingSceneDef def = brDefaultMovingSceneDef(name);
	def.frame = frame;
	def.resolution = resolution;
	brMovingScene* motion = NULL;
	brReport report = {0};
	if (brMakeMovingScene(NULL, &def, &motion, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	return motion;
}

// One scene: its triangles and which mesh each belongs to.
typedef struct TreeScene
{
	brTriangleSoup soup;
	brBoxSource source;
} TreeScene;

static TreeScene openScene(const brMesh* const* meshes, int32_t count)
{
	TreeScene scene;
	if (brTriangleSoup_Make(&scene.soup, NULL, meshes, count, NULL) < 0)
	{
		brBench_Fail("no memory");
	}
	scene.source = brTriangleSoup_Source(&scene.soup);
	return scene;
}

static void rowOf(brBench* bench, const char* table, const char* scene, const TreeScene* data, int64_t pairs,
				  double ours, double printed, const char* unit)
{
	char name[96];
	if (pairs >= 0)
	{
		snprintf(name, sizeof(name), "%s %s, %d tri, %lld pairs", table, scene, data->soup.triangleCount,
				 (long long)pairs);
	}
	else
	{
		snprintf(name, sizeof(name), "%s %s, %d tri", table, scene, data->soup.triangleCount);
	}
	brBench_Row(bench, name, ours, printed, unit);
}

// Candidates by one method; seconds of the search alone or of everything, the least of some runs.
static double timeSearch(const TreeScene* scene, const brPairEngine* engine, bool self, bool everything,
						 int64_t* outPairs)
{
	brPairSearchDef def = {.engine = engine, .enableSelf = self, .enableInter = true};
	brPairSearch search;
	brPairSearch_Init(&search, &scene->soup.allocator, &def);
	double best = 1e30;
	for (int r = 0; r < treeRuns; ++r)
	{
		int64_t start = brClockNanoseconds();
		if (brPairSearch_Run(&search, NULL, &scene->source, scene->soup.meshStarts, scene->soup.meshCount, NULL) < 0)
		{
			brBench_Fail("the search failed");
		}
		double seconds = everything ? brSecondsSince(start) : search.stages.search;
		best = seconds < best ? seconds : best;
	}
	*outPairs = search.pairs.count;
	brPairSearch_Free(&search);
	return best;
}

// Everything from positions to true pairs, trees rebuilt.
static double timeFrame(const TreeScene* scene, bool self, int64_t* outPairs)
{
	brPairSearchDef def = {.enableSelf = self, .enableInter = true};
	brTriangleSearch search;
	brTriangleSearch_Init(&search, &scene->soup.allocator, &def);
	double best = 1e30;
	for (int r = 0; r < treeRuns; ++r)
	{
		int64_t start = brClockNanoseconds();
		if (brTriangleSearch_Run(&search, NULL, &scene->source, scene->soup.meshStarts, scene->soup.meshCount, NULL) <
			0)
		{
			brBench_Fail("the search failed");
		}
		double seconds = brSecondsSince(start);
		best = seconds < best ? seconds : best;
	}
	*outPairs = search.search.pairs.count;
	brTriangleSearch_Free(&search);
	return best;
}

typedef struct TableRow
{
	const char* name;
	const char* file; // public, or null
	const char* motion;
	double frame;
	int32_t resolution;
	bool self;
	double printedTraversal; // table 2.1, ms
	double printedFrame;     // tables 3.2 and 3.3, ms
	const char* frameTable;
} TableRow;

static const TableRow tableRows[] = {
	{"Cloth-Ball", "ccd/cloth-ball/frames/cloth_ball92.ply", "cloth_ball", 92, 0, true, 6.43, 1.9, "3.2"},
	{"Funnel", "ccd/cloth-funnel/frames/227.ply", "funnel", 227, 0, true, 0.99, 0.6, "3.2"},
	{"N-Body, 305 bodies", NULL, "bodies", 18, 0, false, 2.42, 3.62, "3.2"},
	{"as Flamenco", NULL, "cloth_ball", 60, 154, true, 0.0, 2.0, "3.2"},
	{"as Andy", NULL, "cloth_ball", 60, 248, true, 0.0, 2.65, "3.3"},
	{"as Bridson", NULL, "cloth_ball", 60, 92, true, 0.0, 0.5, "3.3"},
	{"as Bridson-3", NULL, "cloth_ball", 60, 310, true, 0.0, 4.02, "3.3"},
};

static void benchCollisionTables(brBench* bench)
{
	for (size_t i = 0; i < sizeof(tableRows) / sizeof(tableRows[0]); ++i)
	{
		const TableRow* row = &tableRows[i];
		brMesh* mesh = row->file != NULL ? loadPublic(row->file) : NULL;
		brMovingScene* motion = mesh == NULL ? makeScene(row->motion, row->frame, row->resolution) : NULL;
		TreeScene scene = openScene(mesh != NULL ? (const brMesh* const*)&mesh : (const brMesh* const*)motion->meshes,
									mesh != NULL ? 1 : motion->meshCount);
		int64_t pairs, same;
		if (row->printedTraversal > 0.0)
		{
			double bsp = timeSearch(&scene, brGetResearchEngine(br_researchBsp), row->self, false, &pairs);
			double wide = timeSearch(&scene, NULL, row->self, false, &same);
			if (pairs != same)
			{
				brBench_Fail("%s: %lld pairs level by level, %lld by wide trees", row->name, (long long)pairs,
							 (long long)same);
			}
			rowOf(bench, "2.1 level by level,", row->name, &scene, pairs, 1e3 * bsp, row->printedTraversal, "ms");
			rowOf(bench, "2.1 wide,", row->name, &scene, pairs, 1e3 * wide, row->printedTraversal, "ms");
		}
		char table[32];
		snprintf(table, sizeof(table), "%s frame,", row->frameTable);
		double frame = timeFrame(&scene, row->self, &pairs);
		rowOf(bench, table, row->name, &scene, pairs, 1e3 * frame, row->printedFrame, "ms");
		brTriangleSoup_Free(&scene.soup);
		brDestroyMovingScene(motion);
		brDestroyMesh(mesh);
	}
}

// Cost of a radix tree over the same order: split where the highest bit of the codes changes. The twin of table 3.4.

typedef struct RadixTree
{
	const uint32_t* codes; // in order
	const uint32_t* ids;
	const brTreeBox* boxes;
	double inner, leaves;
} RadixTree;

static double halfArea(const brTreeBox* box)
{
	double x = -(double)box->negUpper[0] - (double)box->lower[0], y = -(double)box->negUpper[1] - (double)box->lower[1];
	double z = -(double)box->negUpper[2] - (double)box->lower[2];
	return x * y + y * z + z * x;
}

static brTreeBox radixCost(RadixTree* tree, int32_t begin, int32_t end)
{
	if (end - begin == 1)
	{
		brTreeBox box = tree->boxes[tree->ids[begin]];
		tree->leaves += halfArea(&box);
		return box;
	}
	uint32_t differs = tree->codes[begin] ^ tree->codes[end - 1];
	int32_t split = begin + (end - begin) / 2; // equal codes: by index, in the middle
	if (differs != 0)
	{
		uint32_t bit = 1u << (31 - __builtin_clz(differs));
		int32_t low = begin, high = end - 1; // codes[low] has no bit, codes[high] has it
		while (high - low > 1)
		{
			int32_t middle = low + (high - low) / 2;
			*((tree->codes[middle] & bit) != 0 ? &high : &low) = middle;
		}
		split = high;
	}
	brTreeBox left = radixCost(tree, begin, split), right = radixCost(tree, split, end);
	brTreeBox box = brTreeBox_Union(&left, &right);
	tree->inner += halfArea(&box);
	return box;
}

// Expected cost of a random ray: 1.2 for each inner node and 1 for each leaf it meets, by their areas over the root's
// (Aila et al. 2013, eq. 1).
static double oiSahCost(const brOiBvh* bvh)
{
	uint32_t nodeCount = brBinary_NodeCount(bvh->layouts[0].leafCount);
	uint32_t innerCount = nodeCount - bvh->layouts[0].leafCount;
	double inner = 0.0, leaves = 0.0, root = 0.0;
	for (uint32_t i = 0; i < nodeCount; ++i)
	{
		const brBox3* box = &bvh->nodes[i];
		double x = (double)box->upper.x - (double)box->lower.x, y = (double)box->upper.y - (double)box->lower.y;
		double z = (double)box->upper.z - (double)box->lower.z, area = x * y + y * z + z * x;
		root = i == 0 ? area : root;
		*(i < innerCount ? &inner : &leaves) += area;
	}
	return root > 0.0 ? (1.2 * inner + leaves) / root : 0.0;
}

// Of the implicit tree, and of the radix tree over the same order.
static double sahCosts(const TreeScene* scene, const brOiBvh* bvh, double* outLbvh)
{
	uint32_t* codes = malloc((size_t)scene->soup.triangleCount * sizeof(uint32_t));
	if (codes == NULL)
	{
		brBench_Fail("no memory");
	}
	for (int32_t i = 0; i < scene->soup.triangleCount; ++i)
	{
		codes[i] = ((const uint32_t*)bvh->order.codes.data)[bvh->ids[i]];
	}
	RadixTree radix = {codes, bvh->ids, bvh->order.boxes.data, 0.0, 0.0};
	brTreeBox root = radixCost(&radix, 0, scene->soup.triangleCount);
	*outLbvh = (1.2 * radix.inner + radix.leaves) / halfArea(&root);
	free(codes);
	return oiSahCost(bvh);
}

// Figures 3.15 and 3.16: one triangle moves away along its normal, by up to ten diagonals of the box.
static void benchOutlier(brBench* bench, const char* name, const brMesh* mesh)
{
	brMesh* moved = NULL;
	if (brCopyMesh(NULL, mesh, &moved, NULL) < 0)
	{
		brBench_Fail("no memory");
	}
	brDBox3 box = brMesh_ComputeBounds(mesh);
	const int32_t* face = mesh->corners + mesh->faceStarts[0];
	const brDVec3* p = mesh->positions;
	brDVec3 normal = brDNormalize(brDCross(brDSub(p[face[1]], p[face[0]]), brDSub(p[face[2]], p[face[0]])));
	double diagonal = brDDistance(box.lower, box.upper);
	for (int32_t step = 0; step <= 10; step += step < 2 ? 1 : 4)
	{
		for (int32_t k = 0; k < 3; ++k)
		{
			moved->positions[face[k]] = brDMulAdd(p[face[k]], step * diagonal, normal); // its neighbors stretch along
		}
		TreeScene scene = openScene((const brMesh* const*)&moved, 1);
		brOiBvh bvh;
		brOiBvh_Init(&bvh, &scene.soup.allocator, 0);
		if (brOiBvh_Build(&bvh, NULL, &scene.source, NULL, 1, NULL) < 0)
		{
			brBench_Fail("the build failed");
		}
		double lbvh, oi = sahCosts(&scene, &bvh, &lbvh);
		char what[64];
		snprintf(what, sizeof(what), "3.16 Oi-BVH over LBVH, outlier at %d diagonals,", step);
		rowOf(bench, what, name, &scene, -1, oi / lbvh, 0.0, "cost ratio");
		brOiBvh_Free(&bvh);
		brTriangleSoup_Free(&scene.soup);
	}
	brDestroyMesh(moved);
}

static void benchModel(brBench* bench, const char* name, const char* file, double printedLbvh, double printedOi)
{
	brMesh* mesh = loadPublic(file);
	if (mesh == NULL)
	{
		return;
	}
	TreeScene scene = openScene((const brMesh* const*)&mesh, 1);
	brOiBvh bvh;
	brOiBvh_Init(&bvh, &scene.soup.allocator, 0);
	double levels = 1e30, all = 1e30;
	for (int r = 0; r < treeRuns; ++r)
	{
		int64_t start = brClockNanoseconds();
		if (brOiBvh_Build(&bvh, NULL, &scene.source, NULL, 1, NULL) < 0)
		{
			brBench_Fail("the build failed");
		}
		double seconds = brSecondsSince(start);
		all = seconds < all ? seconds : all;
		levels = bvh.buildSeconds < levels ? bvh.buildSeconds : levels;
	}
	// Table 3.1 counts from sorted triangles; its best rate is printed as 4.7 billion nodes a second.
	rowOf(bench, "3.1 levels,", name, &scene, -1, 1e-9 * (double)bvh.nodeCount / levels, 4.7, "Gnodes/s");
	rowOf(bench, "3.1 with sort,", name, &scene, -1, 1e-9 * (double)bvh.nodeCount / all, 0.0, "Gnodes/s");
	rowOf(bench, "3.1 bytes a triangle,", name, &scene, -1,
		  (double)bvh.nodeCount * sizeof(brBox3) / scene.soup.triangleCount, 0.0, "B");

	double lbvh, oi = sahCosts(&scene, &bvh, &lbvh);
	rowOf(bench, "3.4 SAH cost of Oi-BVH,", name, &scene, -1, oi, printedOi, "cost");
	rowOf(bench, "3.4 SAH cost of LBVH,", name, &scene, -1, lbvh, printedLbvh, "cost");
	rowOf(bench, "3.4 Oi-BVH over LBVH,", name, &scene, -1, oi / lbvh,
		  printedLbvh > 0.0 ? printedOi / printedLbvh : 0.0, "cost ratio");
	benchOutlier(bench, name, mesh);
	brOiBvh_Free(&bvh);
	brTriangleSoup_Free(&scene.soup);
	brDestroyMesh(mesh);
}

BR_BENCH(trees)
{
	benchCollisionTables(bench);
	// The printed figures are for models of 1.09 and 0.87 million triangles; ours are reductions of the same scans.
	benchModel(bench, "Happy Buddha", "models/buddha-100k.obj", 86.0, 229.16);
	benchModel(bench, "Dragon", "models/dragon-100k.obj", 77.43, 201.54);
	benchModel(bench, "Bunny", "models/stanford-bunny.obj", 0.0, 0.0);
}
