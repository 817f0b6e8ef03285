// SPDX-License-Identifier: MIT

// Stress at nodes. Linear tets have one stress each, best at their middle; strength asks for it at the surface, where a
// mean over the tets around a node is short by what half a tet makes: a bent bar of four tets across showed 0.76 of its
// stress. So the stress at a node is that of a linear fit through the middles of the tets near it (superconvergent
// patch recovery, Zienkiewicz and Zhu 1992), two rings of them where the node is on the boundary. The fit is linear in
// the stresses: its weights are made once, a step costs one sum. Beside cracks a fit would look across them, so nodes
// there take the mean; nothing starts beside a crack anyway.

#include "base/buckets.h"
#include "base/report.h"
#include "fracture/crack_grow.h"

#include <string.h>

#define STRESS_MIN_PIVOT 1e-4 // of its first size: below it the tets of a patch lie in a plane

// The patch of a node: its tets, then those around their nodes. `stamps` tells which tets are in it.
static int32_t stressPatch(const brTetMesh* mesh, const brBuckets* corners, int32_t node, bool isWide, int32_t* stamps,
						   int32_t* patch)
{
	int32_t count = 0;
	for (int32_t i = corners->starts[node]; i < corners->starts[node + 1]; ++i)
	{
		stamps[corners->items[i] / 4] = node;
		patch[count++] = corners->items[i] / 4;
	}
	int32_t own = count;
	for (int32_t i = 0; i < own && isWide; ++i)
	{
		for (int32_t k = 0; k < 4; ++k)
		{
			int32_t other = mesh->tets[patch[i]][k];
			for (int32_t j = corners->starts[other]; j < corners->starts[other + 1]; ++j)
			{
				if (stamps[corners->items[j] / 4] != node)
				{
					stamps[corners->items[j] / 4] = node;
					patch[count++] = corners->items[j] / 4;
				}
			}
		}
	}
	return count;
}

// Solves the 4x4 normal equations for the first unit vector. False: the middles lie in a plane, or nearly.
static bool stressSolve(double a[4][4], double x[4])
{
	double first[4] = {a[0][0], a[1][1], a[2][2], a[3][3]};
	for (int p = 0; p < 4; ++p)
	{
		if (!(a[p][p] > STRESS_MIN_PIVOT * first[p]))
		{
			return false;
		}
		for (int r = p + 1; r < 4; ++r)
		{
			double factor = a[r][p] / a[p][p];
			for (int c = p; c < 4; ++c)
			{
				a[r][c] -= factor * a[p][c];
			}
			x[r] -= factor * x[p];
		}
	}
	for (int p = 3; p >= 0; --p)
	{
		for (int c = p + 1; c < 4; ++c)
		{
			x[p] -= a[p][c] * x[c];
		}
		x[p] /= a[p][p];
	}
	return true;
}

// Weights of the stresses of a patch in the value at the node of their linear fit.
static void stressFit(const brTetMesh* mesh, int32_t node, double scale, const int32_t* patch, int32_t count,
					  double* outWeights)
{
	double a[4][4] = {{0.0}}, x[4] = {1.0, 0.0, 0.0, 0.0}, all = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 r = brDMul(scale, brDSub(brTetCenter(mesh, patch[i]), mesh->nodes[node]));
		double row[4] = {1.0, r.x, r.y, r.z}, volume = brTetVolume(mesh, patch[i]);
		all += volume;
		for (int k = 0; k < 16; ++k)
		{
			a[k / 4][k % 4] += volume * row[k / 4] * row[k % 4];
		}
	}
	bool isFit = stressSolve(a, x);
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 r = brDMul(scale, brDSub(brTetCenter(mesh, patch[i]), mesh->nodes[node]));
		double volume = brTetVolume(mesh, patch[i]);
		outWeights[i] = isFit ? volume * (x[0] + x[1] * r.x + x[2] * r.y + x[3] * r.z) : volume / all;
	}
}

static bool stressMakeFits(brCrackGrowth* growth, const brBuckets* corners, const uint8_t* isBoundary, int32_t* stamps,
						   int32_t* patch)
{
	const brTetMesh* mesh = growth->tets;
	const brAllocator* allocator = &growth->allocator;
	memset(stamps, 0xff, (size_t)mesh->tetCount * sizeof(int32_t));
	growth->fitStarts[0] = 0;
	for (int32_t i = 0; i < mesh->nodeCount; ++i)
	{
		growth->fitStarts[i + 1] =
			growth->fitStarts[i] + stressPatch(mesh, corners, i, isBoundary[i] != 0, stamps, patch);
	}
	int32_t total = growth->fitStarts[mesh->nodeCount];
	growth->fitTets = BR_ALLOC(allocator, int32_t, total);
	growth->fitWeights = BR_ALLOC(allocator, double, total);
	if (growth->fitTets == NULL || growth->fitWeights == NULL)
	{
		return false;
	}
	memset(stamps, 0xff, (size_t)mesh->tetCount * sizeof(int32_t));
	for (int32_t i = 0; i < mesh->nodeCount; ++i)
	{
		int32_t* tets = growth->fitTets + growth->fitStarts[i];
		int32_t count = stressPatch(mesh, corners, i, isBoundary[i] != 0, stamps, tets);
		stressFit(mesh, i, 1.0 / growth->edge, tets, count, growth->fitWeights + growth->fitStarts[i]);
	}
	return true;
}

brResult brCrackGrowth_PrepareStress(brCrackGrowth* growth, brReport* report)
{
	const brTetMesh* tets = growth->tets;
	const brAllocator* allocator = &growth->allocator;
	growth->nodeStress = BR_ALLOC(allocator, brStress, tets->nodeCount);
	growth->nodeVolumes = BR_ALLOC(allocator, double, tets->nodeCount);
	growth->isCutTet = BR_ALLOC(allocator, uint8_t, tets->tetCount);
	bool isGood = growth->nodeStress != NULL && growth->nodeVolumes != NULL && growth->isCutTet != NULL;
	if (!isGood || growth->fills != NULL)
	{
		return isGood ? brCrackGrowth_FindWalls(growth, report) : brFailMemory(report);
	}
	brBuckets corners = {0};
	const int32_t* nodes = (const int32_t*)(const void*)tets->tets;
	int32_t* scratch = BR_ALLOC(allocator, int32_t, 2 * (int64_t)tets->tetCount);
	growth->fitStarts = BR_ALLOC_ZERO(allocator, int32_t, tets->nodeCount + 1);
	isGood = scratch != NULL && growth->fitStarts != NULL &&
			 brBuckets_Make(&corners, allocator, nodes, 4 * tets->tetCount, tets->nodeCount) &&
			 stressMakeFits(growth, &corners, growth->load.isSurface, scratch, scratch + tets->tetCount);
	BR_FREE(allocator, scratch, 2 * (int64_t)tets->tetCount);
	brBuckets_Free(&corners, allocator);
	return isGood ? br_success : brFailMemory(report);
}

// Mean around each node, weighted by volume.
static void stressMean(brCrackGrowth* growth)
{
	const brTetMesh* tets = growth->tets;
	memset(growth->nodeStress, 0, (size_t)tets->nodeCount * sizeof(brStress));
	memset(growth->nodeVolumes, 0, (size_t)tets->nodeCount * sizeof(double));
	memset(growth->isCutTet, 0, (size_t)tets->tetCount);
	for (int32_t i = 0; i < growth->pieceCount; ++i)
	{
		const brElasticElement* piece = &growth->pieces[i];
		double fill = brCrackGrowth_Fill(growth, piece->tet);
		growth->isCutTet[piece->tet] |= i >= tets->tetCount ? 1 : 0;
		for (int32_t k = 0; k < 4; ++k)
		{
			int32_t node = tets->tets[piece->tet][k];
			brStress_Add(&growth->nodeStress[node], piece->volume, &piece->stress);
			growth->nodeVolumes[node] += fill * piece->volume; // only the solid part takes the stress
		}
	}
}

static void stressFitRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brCrackGrowth* growth = user;
	for (int32_t i = begin; i < end; ++i)
	{
		brStress sum = {0};
		bool isCut = false;
		for (int32_t k = growth->fitStarts[i]; k < growth->fitStarts[i + 1]; ++k)
		{
			int32_t tet = growth->fitTets[k];
			isCut = isCut || growth->isCutTet[tet] != 0;
			brStress_Add(&sum, growth->fitWeights[k], &growth->pieces[tet].stress);
		}
		if (!isCut && growth->nodeVolumes[i] > 0.0)
		{
			growth->nodeStress[i] = sum;
			growth->nodeVolumes[i] = 1.0;
		}
	}
}

brResult brCrackGrowth_FindStress(brCrackGrowth* growth, brReport* report)
{
	const brAllocator* allocator = &growth->allocator;
	int32_t count = brElasticBody_GetElementCount(growth->body);
	if (count > growth->pieceCapacity)
	{
		BR_FREE(allocator, growth->pieces, growth->pieceCapacity);
		growth->pieceCapacity = count + count / 4;
		growth->pieces = BR_ALLOC(allocator, brElasticElement, growth->pieceCapacity);
		if (growth->pieces == NULL)
		{
			growth->pieceCapacity = 0;
			return brFailMemory(report);
		}
	}
	growth->pieceCount = count;
	brElasticBody_GetElements(growth->body, growth->context, growth->pieces);
	stressMean(growth);
	if (growth->fills != NULL)
	{
		brCrackGrowth_AddWallMoments(growth);
		return br_success;
	}
	brParallelFor(growth->context != NULL ? growth->context->workers : NULL, growth->tets->nodeCount, 256,
				  stressFitRange, growth);
	return br_success;
}

static brStress stressAt(const brCrackGrowth* growth, int32_t tet, const double weights[4])
{
	brStress stress = {0};
	for (int32_t k = 0; k < 4; ++k)
	{
		int32_t node = growth->tets->tets[tet][k];
		double volume = growth->nodeVolumes[node];
		brStress_Add(&stress, volume > 0.0 ? weights[k] / volume : 0.0, &growth->nodeStress[node]);
	}
	return stress;
}

brStress brCrackGrowth_MeanStress(const brCrackGrowth* growth, int32_t tet)
{
	static const double middle[4] = {0.25, 0.25, 0.25, 0.25};
	return stressAt(growth, tet, middle);
}

brStress brCrackGrowth_StressIn(const brCrackGrowth* growth, int32_t tet, const double weights[4])
{
	return growth->fills != NULL ? brCrackGrowth_WallStress(growth, tet, brCrackGrowth_MeanStress(growth, tet))
								 : stressAt(growth, tet, weights);
}
