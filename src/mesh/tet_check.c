// SPDX-License-Identifier: MIT

// Is a tet mesh sound, and what is its surface?
//
// Everything combinatorial comes from one table of faces: each face goes into the bucket of its lowest node, where a
// 64-bit key of the other two nodes tells faces apart. Buckets are small in any real mesh and are sorted in place, so
// the whole costs O(n); a node with very many faces falls back on the radix sort, so no input makes it slow.
//
// Signs are exact. Angles of the extreme dihedrals are found at the end: along the way their cotangents are compared,
// which needs no arc functions. Tets with a repeated node are flat, and have no faces here.

#include "base/array.h"
#include "base/forest.h"
#include "base/report.h"
#include "base/sort.h"
#include "math/predicates.h"
#include "mesh/mesh_build.h"

#include <float.h>
#include <string.h>

#define TET_MEASURE_BLOCK 16384
#define TET_SMALL_BUCKET 64

// Outward for a positive tet.
static const uint8_t tetFaces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

// Edge k of a tet and the two faces of tetFaces that meet there.
static const uint8_t tetEdges[6][4] = {{0, 1, 0, 1}, {0, 2, 0, 3}, {1, 2, 0, 2},
									   {0, 3, 1, 3}, {1, 3, 1, 2}, {2, 3, 2, 3}};

static bool tetRepeatsNode(const int32_t* tet)
{
	return tet[0] == tet[1] || tet[0] == tet[2] || tet[0] == tet[3] || tet[1] == tet[2] || tet[1] == tet[3] ||
		   tet[2] == tet[3];
}

// Items in buckets by lowest node: key and payload, sorted by key within a bucket.
typedef struct TetBuckets
{
	brAllocator allocator;
	int32_t nodeCount;
	int32_t itemCount;
	int32_t* starts; // [nodeCount + 2]
	uint64_t* keys;  // [itemCount]
	uint32_t* items; // [itemCount]
} TetBuckets;

static void bucketsFree(TetBuckets* buckets)
{
	BR_FREE(&buckets->allocator, buckets->starts, (int64_t)buckets->nodeCount + 2);
	BR_FREE(&buckets->allocator, buckets->keys, buckets->itemCount);
	BR_FREE(&buckets->allocator, buckets->items, buckets->itemCount);
	buckets->starts = NULL;
	buckets->keys = NULL;
	buckets->items = NULL;
}

static bool bucketsAllocate(TetBuckets* buckets, const brAllocator* allocator, int32_t nodeCount, int32_t itemCount)
{
	*buckets = (TetBuckets){.allocator = *allocator, .nodeCount = nodeCount, .itemCount = itemCount};
	buckets->starts = BR_ALLOC_ZERO(allocator, int32_t, (int64_t)nodeCount + 2);
	buckets->keys = BR_ALLOC(allocator, uint64_t, itemCount);
	buckets->items = BR_ALLOC(allocator, uint32_t, itemCount);
	if (buckets->starts == NULL || buckets->keys == NULL || buckets->items == NULL)
	{
		bucketsFree(buckets);
		return false;
	}
	return true;
}

// Counts are in starts[node + 2]; afterwards starts[node + 1] is where the next item of the node goes, and when all are
// in place, where the next node starts.
static void bucketsPlace(TetBuckets* buckets)
{
	for (int32_t v = 0; v < buckets->nodeCount; ++v)
	{
		buckets->starts[v + 2] += buckets->starts[v + 1];
	}
}

static inline void bucketsAdd(TetBuckets* buckets, int32_t node, uint64_t key, uint32_t item)
{
	int32_t place = buckets->starts[node + 1]++;
	buckets->keys[place] = key;
	buckets->items[place] = item;
}

static void bucketsSortSmall(uint64_t* keys, uint32_t* items, int32_t count)
{
	for (int32_t i = 1; i < count; ++i)
	{
		uint64_t key = keys[i];
		uint32_t item = items[i];
		int32_t k = i;
		for (; k > 0 && keys[k - 1] > key; --k)
		{
			keys[k] = keys[k - 1];
			items[k] = items[k - 1];
		}
		keys[k] = key;
		items[k] = item;
	}
}

// Both sorts are stable, so equal keys stay in the order they came in.
static bool bucketsSort(TetBuckets* buckets)
{
	int32_t largest = 0;
	for (int32_t v = 0; v < buckets->nodeCount; ++v)
	{
		int32_t count = buckets->starts[v + 1] - buckets->starts[v];
		largest = count > largest ? count : largest;
	}
	int32_t scratchCount = largest > TET_SMALL_BUCKET ? largest : 0;
	uint64_t* scratchKeys = BR_ALLOC(&buckets->allocator, uint64_t, scratchCount);
	uint32_t* scratchItems = BR_ALLOC(&buckets->allocator, uint32_t, scratchCount);
	bool ok = scratchKeys != NULL && scratchItems != NULL;
	for (int32_t v = 0; v < buckets->nodeCount && ok; ++v)
	{
		int32_t start = buckets->starts[v];
		int32_t count = buckets->starts[v + 1] - start;
		if (count <= TET_SMALL_BUCKET)
		{
			bucketsSortSmall(buckets->keys + start, buckets->items + start, count);
		}
		else
		{
			ok = brSortPairs64(NULL, &buckets->allocator, buckets->keys + start, buckets->items + start, scratchKeys,
							   scratchItems, count);
		}
	}
	BR_FREE(&buckets->allocator, scratchKeys, scratchCount);
	BR_FREE(&buckets->allocator, scratchItems, scratchCount);
	return ok;
}

// Lowest node of a face first, then the others in rising order; true if that takes an odd number of swaps.
static inline bool tetSortFace(int32_t* face)
{
	bool isOdd = false;
	for (int32_t step = 0; step < 3; ++step)
	{
		int32_t k = step & 1;
		if (face[k] > face[k + 1])
		{
			int32_t low = face[k + 1];
			face[k + 1] = face[k];
			face[k] = low;
			isOdd = !isOdd;
		}
	}
	return isOdd;
}

// The key of a face holds its two higher nodes, and in its lowest bit which way round the tet sees it.
static bool tetMakeFaceBuckets(const brAllocator* allocator, const brTetMesh* mesh, TetBuckets* buckets)
{
	int32_t faceCount = 0;
	for (int32_t t = 0; t < mesh->tetCount; ++t)
	{
		faceCount += tetRepeatsNode(mesh->tets[t]) ? 0 : 4;
	}
	if (!bucketsAllocate(buckets, allocator, mesh->nodeCount, faceCount))
	{
		return false;
	}
	for (int32_t pass = 0; pass < 2; ++pass)
	{
		for (int32_t t = 0; t < mesh->tetCount; ++t)
		{
			const int32_t* tet = mesh->tets[t];
			for (int32_t f = 0; f < 4 && !tetRepeatsNode(tet); ++f)
			{
				int32_t face[3] = {tet[tetFaces[f][0]], tet[tetFaces[f][1]], tet[tetFaces[f][2]]};
				if (pass == 0)
				{
					int32_t low = face[0] < face[1] ? face[0] : face[1];
					buckets->starts[(low < face[2] ? low : face[2]) + 2] += 1;
					continue;
				}
				bool isOdd = tetSortFace(face);
				uint64_t key = (uint64_t)(uint32_t)face[1] << 32 | (uint64_t)(uint32_t)face[2] << 1 | isOdd;
				bucketsAdd(buckets, face[0], key, 4 * (uint32_t)t + (uint32_t)f);
			}
		}
		if (pass == 0)
		{
			bucketsPlace(buckets);
		}
	}
	if (!bucketsSort(buckets))
	{
		bucketsFree(buckets);
		return false;
	}
	return true;
}

// Counts faces by how many tets they have, joins tets through them, and marks those of one tet.
static void tetWalkFaces(const TetBuckets* buckets, int32_t* parents, uint8_t* isBoundary, brTetMeshStats* stats)
{
	for (int32_t v = 0; v < buckets->nodeCount; ++v)
	{
		int32_t end = buckets->starts[v + 1];
		for (int32_t i = buckets->starts[v]; i < end;)
		{
			int32_t runEnd = i + 1;
			while (runEnd < end && buckets->keys[runEnd] >> 1 == buckets->keys[i] >> 1)
			{
				runEnd += 1;
			}
			if (runEnd - i == 1)
			{
				stats->boundaryFaces += 1;
				isBoundary[buckets->items[i]] = 1;
			}
			stats->overfullFaces += runEnd - i > 2;
			stats->misorientedFaces += runEnd - i == 2 && buckets->keys[i] == buckets->keys[i + 1];
			for (int32_t k = i + 1; k < runEnd && parents != NULL; ++k)
			{
				brJoinRoots(parents, (int32_t)(buckets->items[i] / 4), (int32_t)(buckets->items[k] / 4));
			}
			i = runEnd;
		}
	}
}

// Is the boundary closed: does each of its edges run as often one way as the other?
static bool tetIsBoundaryClosed(const brAllocator* allocator, const brTetMesh* mesh, const uint8_t* isBoundary,
								int32_t boundaryCount, bool* outClosed)
{
	TetBuckets edges;
	if (!bucketsAllocate(&edges, allocator, mesh->nodeCount, 3 * boundaryCount))
	{
		return false;
	}
	for (int32_t pass = 0; pass < 2; ++pass)
	{
		for (int64_t item = 0; item < 4 * (int64_t)mesh->tetCount; ++item)
		{
			for (int32_t k = 0; k < 3 && isBoundary[item]; ++k)
			{
				const int32_t* tet = mesh->tets[item / 4];
				int32_t a = tet[tetFaces[item % 4][k]];
				int32_t b = tet[tetFaces[item % 4][(k + 1) % 3]];
				if (pass == 0)
				{
					edges.starts[(a < b ? a : b) + 2] += 1;
				}
				else
				{
					bucketsAdd(&edges, a < b ? a : b, (uint64_t)(uint32_t)(a < b ? b : a), a < b);
				}
			}
		}
		if (pass == 0)
		{
			bucketsPlace(&edges);
		}
	}
	bool ok = bucketsSort(&edges);
	bool isClosed = boundaryCount > 0;
	for (int32_t v = 0; v < edges.nodeCount && ok; ++v)
	{
		int32_t balance = 0;
		for (int32_t i = edges.starts[v]; i < edges.starts[v + 1]; ++i)
		{
			balance += edges.items[i] ? 1 : -1;
			bool isLast = i + 1 == edges.starts[v + 1] || edges.keys[i + 1] != edges.keys[i];
			isClosed = isClosed && !(isLast && balance != 0);
			balance = isLast ? 0 : balance;
		}
	}
	bucketsFree(&edges);
	*outClosed = isClosed;
	return ok;
}

// Shapes. Blocks are measured apart and put together in order, so any number of workers gives the same bits.

typedef struct TetMeasure
{
	int32_t positive, negative, zero, repeated;
	int32_t firstBad;
	double volume, volumeError; // compensated sum
	double highCot, lowCot;     // of the smallest and the largest dihedral
} TetMeasure;

typedef struct TetMeasureJob
{
	const brTetMesh* mesh;
	TetMeasure* blocks;
	double scale; // a power of two that brings the mesh to unit size, so that products stay in range
} TetMeasureJob;

static void tetAddCompensated(double* sum, double* error, double value)
{
	double total = *sum + value;
	*error += fabs(*sum) >= fabs(value) ? (*sum - total) + value : (value - total) + *sum;
	*sum = total;
}

// With outward face normals m and n of twice the area, m x n is the edge times six volumes, so that
// cot(dihedral) = -m.n / (|edge| 6 V).
static void tetMeasureDihedrals(const brDVec3* p, double det, TetMeasure* measure)
{
	brDVec3 normals[4];
	for (int32_t f = 0; f < 4; ++f)
	{
		brDVec3 a = p[tetFaces[f][0]];
		normals[f] = brDCross(brDSub(p[tetFaces[f][1]], a), brDSub(p[tetFaces[f][2]], a));
	}
	for (int32_t e = 0; e < 6; ++e)
	{
		double length = brDDistance(p[tetEdges[e][0]], p[tetEdges[e][1]]);
		double cot = -brDDot(normals[tetEdges[e][2]], normals[tetEdges[e][3]]) / (length * det);
		measure->highCot = cot > measure->highCot ? cot : measure->highCot;
		measure->lowCot = cot < measure->lowCot ? cot : measure->lowCot;
	}
}

static void tetMeasureBlock(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const TetMeasureJob* job = user;
	TetMeasure measure = {.firstBad = -1, .highCot = -INFINITY, .lowCot = INFINITY};
	for (int32_t t = begin; t < end; ++t)
	{
		const int32_t* tet = job->mesh->tets[t];
		brDVec3 p[4];
		brDVec3 edges[3];
		for (int32_t k = 0; k < 4; ++k)
		{
			p[k] = job->mesh->nodes[tet[k]];
		}
		bool isRepeated = tetRepeatsNode(tet);
		int32_t sign = isRepeated ? 0 : brOrient3d(p[0], p[1], p[2], p[3]);
		measure.repeated += isRepeated;
		measure.positive += sign > 0;
		measure.negative += sign < 0;
		measure.zero += sign == 0;
		measure.firstBad = sign <= 0 && measure.firstBad < 0 ? t : measure.firstBad;
		if (sign == 0)
		{
			continue;
		}
		for (int32_t k = 0; k < 4; ++k)
		{
			p[k] = brDMul(job->scale, p[k]);
		}
		for (int32_t k = 0; k < 3; ++k)
		{
			edges[k] = brDSub(p[k + 1], p[0]);
		}
		double det = brDDot(brDCross(edges[0], edges[1]), edges[2]);
		tetAddCompensated(&measure.volume, &measure.volumeError, det);
		if (sign > 0)
		{
			tetMeasureDihedrals(p, det > 0.0 ? det : DBL_TRUE_MIN,
								&measure); // so flat that rounding has turned it over
		}
	}
	job->blocks[begin / TET_MEASURE_BLOCK] = measure;
}

static double tetMeshScale(const brTetMesh* mesh)
{
	double largest = 0.0;
	for (int32_t v = 0; v < mesh->nodeCount; ++v)
	{
		brDVec3 p = mesh->nodes[v];
		largest = fmax(largest, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
	}
	int exponent = 0;
	frexp(largest, &exponent);
	exponent = exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
	return largest > 0.0 ? ldexp(1.0, -exponent) : 1.0;
}

static bool tetMeasureMesh(const brContext* context, const brAllocator* allocator, const brTetMesh* mesh,
						   brTetMeshStats* stats)
{
	int32_t blockCount = mesh->tetCount / TET_MEASURE_BLOCK + 1;
	TetMeasureJob job = {mesh, BR_ALLOC_ZERO(allocator, TetMeasure, blockCount), tetMeshScale(mesh)};
	if (job.blocks == NULL)
	{
		return false;
	}
	brParallelFor(context != NULL ? context->workers : NULL, mesh->tetCount, TET_MEASURE_BLOCK, tetMeasureBlock, &job);

	double volume = 0.0;
	double error = 0.0;
	double highCot = -INFINITY;
	double lowCot = INFINITY;
	stats->firstBadTet = -1;
	for (int32_t b = 0; (int64_t)b * TET_MEASURE_BLOCK < mesh->tetCount; ++b)
	{
		const TetMeasure* block = &job.blocks[b];
		stats->positiveTets += block->positive;
		stats->negativeTets += block->negative;
		stats->zeroTets += block->zero;
		stats->repeatedIndexTets += block->repeated;
		stats->firstBadTet = stats->firstBadTet < 0 ? block->firstBad : stats->firstBadTet;
		tetAddCompensated(&volume, &error, block->volume);
		tetAddCompensated(&volume, &error, block->volumeError);
		highCot = block->highCot > highCot ? block->highCot : highCot;
		lowCot = block->lowCot < lowCot ? block->lowCot : lowCot;
	}
	double unscale = 1.0 / job.scale;
	stats->volume = (volume + error) / 6.0 * unscale * unscale * unscale;
	if (highCot >= lowCot)
	{
		stats->minDihedral = brAtan2(1.0, highCot);
		stats->maxDihedral = brAtan2(1.0, lowCot);
	}
	BR_FREE(allocator, job.blocks, blockCount);
	return true;
}

static bool tetCountNodesAndParts(const brAllocator* allocator, const brTetMesh* mesh, int32_t* parents,
								  brTetMeshStats* stats)
{
	uint8_t* isUsed = BR_ALLOC_ZERO(allocator, uint8_t, mesh->nodeCount);
	if (isUsed == NULL)
	{
		return false;
	}
	for (int32_t t = 0; t < mesh->tetCount; ++t)
	{
		stats->components += parents[t] == t;
		for (int32_t k = 0; k < 4; ++k)
		{
			isUsed[mesh->tets[t][k]] = 1;
		}
	}
	for (int32_t v = 0; v < mesh->nodeCount; ++v)
	{
		stats->unusedNodes += !isUsed[v];
	}
	BR_FREE(allocator, isUsed, mesh->nodeCount);
	return true;
}

static brResult tetCheckCount(const brTetMesh* mesh, brReport* report)
{
	return mesh->tetCount <= INT32_MAX / 12
			   ? br_success
			   : brFail(report, br_errorLimit, "%d tets are more than the %d that can be checked", mesh->tetCount,
						INT32_MAX / 12);
}

brResult brTetMesh_Check(const brTetMesh* mesh, const brContext* context, brTetMeshStats* outStats, brReport* report)
{
	if (mesh == NULL || outStats == NULL)
	{
		return brFail(report, br_errorMisuse, "a check needs a tet mesh and a place for the result");
	}
	brResult result = tetCheckCount(mesh, report);
	if (result < 0)
	{
		return result;
	}
	brAllocator allocator = brContext_Allocator(context);
	brTetMeshStats stats;
	memset(&stats, 0, sizeof(stats));
	TetBuckets buckets = {.allocator = allocator};
	int64_t faceSlots = 4 * (int64_t)mesh->tetCount;
	uint8_t* isBoundary = BR_ALLOC_ZERO(&allocator, uint8_t, faceSlots);
	int32_t* parents = BR_ALLOC(&allocator, int32_t, mesh->tetCount);
	bool ok = isBoundary != NULL && parents != NULL;
	if (ok)
	{
		brResetForest(parents, mesh->tetCount);
	}
	ok = ok && tetMeasureMesh(context, &allocator, mesh, &stats) && tetMakeFaceBuckets(&allocator, mesh, &buckets);
	if (ok)
	{
		tetWalkFaces(&buckets, parents, isBoundary, &stats);
	}
	bucketsFree(&buckets);
	ok = ok && tetCountNodesAndParts(&allocator, mesh, parents, &stats);
	ok = ok && tetIsBoundaryClosed(&allocator, mesh, isBoundary, stats.boundaryFaces, &stats.isSurfaceClosed);
	BR_FREE(&allocator, isBoundary, faceSlots);
	BR_FREE(&allocator, parents, mesh->tetCount);
	if (!ok)
	{
		return brFailMemory(report);
	}
	*outStats = stats;
	return brSucceed(report);
}

// The surface: marked faces in the order of tets, nodes in use renumbered in their order.
static brMesh* tetMakeSurface(const brAllocator* allocator, const brTetMesh* mesh, const uint8_t* isBoundary,
							  int32_t boundaryCount, int32_t* newIndices)
{
	memset(newIndices, 0xFF, (size_t)mesh->nodeCount * sizeof(int32_t));
	for (int64_t item = 0; item < 4 * (int64_t)mesh->tetCount; ++item)
	{
		for (int32_t k = 0; k < 3 && isBoundary[item]; ++k)
		{
			newIndices[mesh->tets[item / 4][tetFaces[item % 4][k]]] = 0;
		}
	}
	int32_t vertexCount = 0;
	for (int32_t v = 0; v < mesh->nodeCount; ++v)
	{
		newIndices[v] = newIndices[v] == 0 ? vertexCount++ : -1;
	}
	brMeshShape shape = {.vertexCount = vertexCount, .faceCount = boundaryCount, .cornerCount = 3 * boundaryCount};
	brMesh* surface = brAllocMesh(allocator, &shape);
	if (surface == NULL)
	{
		return NULL;
	}
	for (int32_t v = 0; v < mesh->nodeCount; ++v)
	{
		if (newIndices[v] >= 0)
		{
			surface->positions[newIndices[v]] = mesh->nodes[v];
		}
	}
	int32_t corner = 0;
	for (int64_t item = 0; item < 4 * (int64_t)mesh->tetCount; ++item)
	{
		for (int32_t k = 0; k < 3 && isBoundary[item]; ++k)
		{
			surface->corners[corner++] = newIndices[mesh->tets[item / 4][tetFaces[item % 4][k]]];
		}
	}
	for (int32_t f = 0; f < boundaryCount; ++f)
	{
		surface->faceStarts[f + 1] = 3 * (f + 1);
	}
	return surface;
}

brResult brTetMesh_MakeSurface(const brTetMesh* mesh, const brContext* context, brMesh** outSurface, brReport* report)
{
	if (mesh == NULL || outSurface == NULL)
	{
		return brFail(report, br_errorMisuse, "a surface needs a tet mesh and a place for the result");
	}
	brResult result = tetCheckCount(mesh, report);
	if (result < 0)
	{
		return result;
	}
	brAllocator allocator = brContext_Allocator(context);
	brTetMeshStats stats;
	memset(&stats, 0, sizeof(stats));
	TetBuckets buckets = {.allocator = allocator};
	int64_t faceSlots = 4 * (int64_t)mesh->tetCount;
	uint8_t* isBoundary = BR_ALLOC_ZERO(&allocator, uint8_t, faceSlots);
	int32_t* newIndices = BR_ALLOC(&allocator, int32_t, mesh->nodeCount);
	brMesh* surface = NULL;
	if (isBoundary != NULL && newIndices != NULL && tetMakeFaceBuckets(&allocator, mesh, &buckets))
	{
		tetWalkFaces(&buckets, NULL, isBoundary, &stats);
		bucketsFree(&buckets);
		surface = tetMakeSurface(&allocator, mesh, isBoundary, stats.boundaryFaces, newIndices);
	}
	BR_FREE(&allocator, isBoundary, faceSlots);
	BR_FREE(&allocator, newIndices, mesh->nodeCount);
	if (surface == NULL)
	{
		return brFailMemory(report);
	}
	*outSurface = surface;
	return brSucceed(report);
}
