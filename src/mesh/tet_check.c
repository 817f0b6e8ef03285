// SPDX-License-Identifier: MIT

// Is a tet mesh sound, and what is its surface?
//
// Everything combinatorial comes from one table of faces (tet_faces.h).
//
// Signs are exact. Angles of the extreme dihedrals are found at the end: along the way their cotangents are compared,
// which needs no arc functions. Tets with a repeated node are flat, and have no faces here.

#include "base/array.h"
#include "base/forest.h"
#include "base/report.h"
#include "math/predicates.h"
#include "mesh/mesh_build.h"
#include "mesh/tet_faces.h"

#include <float.h>
#include <string.h>

#define TET_MEASURE_BLOCK 16384

// Edge k of a tet and the two of its faces (brTetCorners) that meet there.
static const uint8_t tetEdges[6][4] = {{0, 1, 0, 1}, {0, 2, 0, 3}, {1, 2, 0, 2},
									   {0, 3, 1, 3}, {1, 3, 1, 2}, {2, 3, 2, 3}};

// Counts faces by how many tets they have, joins tets through them, and marks those of one tet.
static void tetWalkFaces(const brTetFaces* faces, int32_t* parents, uint8_t* isBoundary, brTetMeshStats* stats)
{
	for (int32_t v = 0; v < faces->nodeCount; ++v)
	{
		for (int32_t i = faces->starts[v], end; i < faces->starts[v + 1]; i = end)
		{
			end = brTetFaces_RunEnd(faces, v, i);
			if (end - i == 1)
			{
				stats->boundaryFaces += 1;
				isBoundary[faces->items[i]] = 1;
			}
			stats->overfullFaces += end - i > 2;
			stats->misorientedFaces += end - i == 2 && faces->keys[i] == faces->keys[i + 1];
			for (int32_t k = i + 1; k < end && parents != NULL; ++k)
			{
				brJoinRoots(parents, (int32_t)(faces->items[i] / 4), (int32_t)(faces->items[k] / 4));
			}
		}
	}
}

// Is the boundary closed: does each of its edges run as often one way as the other?
static bool tetIsBoundaryClosed(const brAllocator* allocator, const brTetMesh* mesh, const uint8_t* isBoundary,
								int32_t boundaryCount, bool* outClosed)
{
	brTetFaces edges;
	if (!brMakeTetFaceEdges(allocator, mesh, isBoundary, boundaryCount, &edges))
	{
		return false;
	}
	bool isClosed = boundaryCount > 0;
	for (int32_t v = 0; v < edges.nodeCount; ++v)
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
	brFreeTetFaces(&edges);
	*outClosed = isClosed;
	return true;
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
		brDVec3 a = p[brTetCorners[f][0]];
		normals[f] = brDCross(brDSub(p[brTetCorners[f][1]], a), brDSub(p[brTetCorners[f][2]], a));
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
		bool isRepeated = brTet_RepeatsNode(tet);
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
	brTetFaces faces = {.allocator = allocator};
	int64_t faceSlots = 4 * (int64_t)mesh->tetCount;
	uint8_t* isBoundary = BR_ALLOC_ZERO(&allocator, uint8_t, faceSlots);
	int32_t* parents = BR_ALLOC(&allocator, int32_t, mesh->tetCount);
	bool ok = isBoundary != NULL && parents != NULL;
	if (ok)
	{
		brResetForest(parents, mesh->tetCount);
	}
	ok = ok && tetMeasureMesh(context, &allocator, mesh, &stats) && brMakeTetFaces(&allocator, mesh, &faces);
	if (ok)
	{
		tetWalkFaces(&faces, parents, isBoundary, &stats);
	}
	brFreeTetFaces(&faces);
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
			newIndices[mesh->tets[item / 4][brTetCorners[item % 4][k]]] = 0;
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
			surface->corners[corner++] = newIndices[mesh->tets[item / 4][brTetCorners[item % 4][k]]];
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
	brTetFaces faces = {.allocator = allocator};
	int64_t faceSlots = 4 * (int64_t)mesh->tetCount;
	uint8_t* isBoundary = BR_ALLOC_ZERO(&allocator, uint8_t, faceSlots);
	int32_t* newIndices = BR_ALLOC(&allocator, int32_t, mesh->nodeCount);
	brMesh* surface = NULL;
	if (isBoundary != NULL && newIndices != NULL && brMakeTetFaces(&allocator, mesh, &faces))
	{
		tetWalkFaces(&faces, NULL, isBoundary, &stats);
		brFreeTetFaces(&faces);
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
