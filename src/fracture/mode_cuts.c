// SPDX-License-Identifier: MIT

// Modes of a graph: x minimizes sum cost |x_i - x_j| among fields of unit norm (weighted by volume) that are orthogonal
// to constants and to the modes before. Reweighted least squares: cost / |x_i - x_j| of the last round as weights of a
// Laplacian, whose lowest mode comes by inverse iteration with conjugate gradients. Rounds make x nearly two-valued;
// the level at which a sweep over its values finds the least cost for the volume of the smaller side (Cheeger's ratio;
// Buehler and Hein 2009) gives the cut.

#include "fracture/mode_cuts.h"

#include "base/forest.h"
#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
	cutSmooth = 6, // inverse iterations before weights change
	cutRounds = 10,
	cutSolves = 60, // steps of conjugate gradients in one solve: it only steers
};

#define CUT_FLOOR 0.02 // of the mean size of x: jumps below this do not sharpen any further
#define CUT_LEAST 2e-4 // of the volume: smaller parts are crumbs
#define CUT_SHIFT 1e-3 // of the mean diagonal, so that constants are no trouble
#define CUT_SAME 1e-6  // of a mode's norm: what is left of one that was there before
#define CUT_RESIDUAL 1e-4

typedef struct CutWork
{
	const brCellGraph* graph;
	double volume;
	double *x, *y, *r, *z, *p, *q; // [cellCount] each
	double* diagonal;
	double* weights; // [edgeCount]
	double* basis;   // [most * cellCount] orthonormal by volume: modes before
	int32_t basisCount;
	int32_t* order; // [cellCount]
	int32_t* roots;
} CutWork;

static double cutDot(const CutWork* work, const double* a, const double* b)
{
	double sum = 0.0;
	for (int32_t i = 0; i < work->graph->cellCount; ++i)
	{
		sum += work->graph->volumes[i] * a[i] * b[i];
	}
	return sum;
}

// Out of x goes what is constant and what earlier modes have. Returns what is left of its norm; then that is 1.
static double cutProject(const CutWork* work, double* x)
{
	int32_t n = work->graph->cellCount;
	for (int32_t pass = 0; pass < 2; ++pass)
	{
		double mean = 0.0;
		for (int32_t i = 0; i < n; ++i)
		{
			mean += work->graph->volumes[i] * x[i] / work->volume;
		}
		for (int32_t i = 0; i < n; ++i)
		{
			x[i] -= mean;
		}
		for (int32_t k = 0; k < work->basisCount; ++k)
		{
			const double* mode = work->basis + (size_t)k * (size_t)n;
			double share = cutDot(work, x, mode);
			for (int32_t i = 0; i < n; ++i)
			{
				x[i] -= share * mode[i];
			}
		}
	}
	double norm = sqrt(cutDot(work, x, x));
	for (int32_t i = 0; norm > 0.0 && i < n; ++i)
	{
		x[i] /= norm;
	}
	return norm;
}

static void cutApply(const CutWork* work, double shift, const double* x, double* out)
{
	const brCellGraph* graph = work->graph;
	for (int32_t i = 0; i < graph->cellCount; ++i)
	{
		out[i] = shift * graph->volumes[i] * x[i];
	}
	for (int32_t e = 0; e < graph->edgeCount; ++e)
	{
		const int32_t* c = graph->edges[e].cells;
		double jump = work->weights[e] * (x[c[0]] - x[c[1]]);
		out[c[0]] += jump;
		out[c[1]] -= jump;
	}
}

// One step of inverse iteration: x becomes what solves (L + shift M) y = M x, roughly.
static void cutInverse(CutWork* work)
{
	const brCellGraph* graph = work->graph;
	int32_t n = graph->cellCount;
	double sum = 0.0;
	memset(work->diagonal, 0, sizeof(double) * (size_t)n);
	for (int32_t e = 0; e < graph->edgeCount; ++e)
	{
		work->diagonal[graph->edges[e].cells[0]] += work->weights[e];
		work->diagonal[graph->edges[e].cells[1]] += work->weights[e];
		sum += 2.0 * work->weights[e];
	}
	double shift = CUT_SHIFT * sum / work->volume, rz = 0.0, first = 0.0;
	for (int32_t i = 0; i < n; ++i)
	{
		work->diagonal[i] += shift * graph->volumes[i];
		work->y[i] = 0.0;
		work->r[i] = graph->volumes[i] * work->x[i];
		work->p[i] = work->z[i] = work->r[i] / work->diagonal[i];
		rz += work->r[i] * work->z[i];
	}
	first = rz;
	for (int32_t step = 0; step < cutSolves && rz > CUT_RESIDUAL * CUT_RESIDUAL * first; ++step)
	{
		double pq = 0.0, next = 0.0;
		cutApply(work, shift, work->p, work->q);
		for (int32_t i = 0; i < n; ++i)
		{
			pq += work->p[i] * work->q[i];
		}
		if (!(pq > 0.0))
		{
			break;
		}
		for (int32_t i = 0; i < n; ++i)
		{
			work->y[i] += rz / pq * work->p[i];
			work->r[i] -= rz / pq * work->q[i];
			work->z[i] = work->r[i] / work->diagonal[i];
			next += work->r[i] * work->z[i];
		}
		for (int32_t i = 0; i < n; ++i)
		{
			work->p[i] = work->z[i] + next / rz * work->p[i];
		}
		rz = next;
	}
	memcpy(work->x, work->y, sizeof(double) * (size_t)n);
}

static void cutSharpen(CutWork* work)
{
	const brCellGraph* graph = work->graph;
	double floor = CUT_FLOOR / sqrt(work->volume);
	for (int32_t e = 0; e < graph->edgeCount; ++e)
	{
		const int32_t* c = graph->edges[e].cells;
		double jump = fabs(work->x[c[0]] - work->x[c[1]]);
		work->weights[e] = graph->edges[e].cost / sqrt(jump * jump + floor * floor);
	}
}

typedef struct CutKey
{
	double value;
	int32_t cell;
} CutKey;

static int cutCompare(const void* a, const void* b)
{
	const CutKey *x = a, *y = b;
	return x->value != y->value ? (x->value < y->value ? -1 : 1) : (x->cell > y->cell) - (x->cell < y->cell);
}

// The threshold with the least cost for the smaller side, as ranks: cells of a lower rank are one side. Returns that
// rank.
static int32_t cutSweep(CutWork* work, CutKey* keys, double* costs)
{
	const brCellGraph* graph = work->graph;
	int32_t n = graph->cellCount, best = n / 2;
	for (int32_t i = 0; i < n; ++i)
	{
		keys[i] = (CutKey){work->x[i], i};
	}
	qsort(keys, (size_t)n, sizeof(*keys), cutCompare);
	for (int32_t i = 0; i < n; ++i)
	{
		work->order[keys[i].cell] = i;
	}
	memset(costs, 0, sizeof(double) * ((size_t)n + 1));
	for (int32_t e = 0; e < graph->edgeCount; ++e)
	{
		int32_t a = work->order[graph->edges[e].cells[0]], b = work->order[graph->edges[e].cells[1]];
		costs[(a < b ? a : b) + 1] += graph->edges[e].cost; // cut from the rank behind the lower one on
		costs[(a < b ? b : a) + 1] -= graph->edges[e].cost;
	}
	double cost = 0.0, below = 0.0, least = INFINITY;
	for (int32_t i = 1; i < n; ++i)
	{
		cost += costs[i];
		below += graph->volumes[keys[i - 1].cell];
		double smaller = fmin(below, work->volume - below);
		if (smaller > CUT_LEAST * work->volume && cost / smaller < least)
		{
			least = cost / smaller;
			best = i;
		}
	}
	return best;
}

// Of the smaller side, the connected part that costs least for its volume. False if that is nothing.
static bool cutPart(CutWork* work, int32_t rank, double* costs, double* sizes, uint8_t* sides)
{
	const brCellGraph* graph = work->graph;
	int32_t n = graph->cellCount;
	double below = 0.0;
	for (int32_t i = 0; i < n; ++i)
	{
		below += work->order[i] < rank ? graph->volumes[i] : 0.0;
	}
	bool isLow = 2.0 * below <= work->volume;
	for (int32_t i = 0; i < n; ++i)
	{
		work->roots[i] = i;
		costs[i] = sizes[i] = 0.0;
		sides[i] = (work->order[i] < rank) == isLow;
	}
	for (int32_t e = 0; e < graph->edgeCount; ++e)
	{
		const int32_t* c = graph->edges[e].cells;
		if (sides[c[0]] == 1 && sides[c[1]] == 1)
		{
			brJoinRoots(work->roots, c[0], c[1]);
		}
	}
	for (int32_t i = 0; i < n; ++i)
	{
		sizes[brFindRoot(work->roots, i)] += graph->volumes[i];
	}
	for (int32_t e = 0; e < graph->edgeCount; ++e)
	{
		const int32_t* c = graph->edges[e].cells;
		if (sides[c[0]] != sides[c[1]])
		{
			costs[brFindRoot(work->roots, sides[c[0]] == 1 ? c[0] : c[1])] += graph->edges[e].cost;
		}
	}
	int32_t best = -1;
	for (int32_t i = 0; i < n; ++i)
	{
		bool isRoot = sides[i] == 1 && brFindRoot(work->roots, i) == i && sizes[i] > CUT_LEAST * work->volume;
		if (isRoot && (best < 0 || costs[i] * sizes[best] < costs[best] * sizes[i]))
		{
			best = i;
		}
	}
	for (int32_t i = 0; i < n; ++i)
	{
		sides[i] = sides[i] == 1 && brFindRoot(work->roots, i) == best;
	}
	return best >= 0;
}

// The mode after those of the basis, as one more row. False: there is none.
static bool cutNext(CutWork* work, CutKey* keys, double* costs, double* sizes, uint8_t* sides)
{
	const brCellGraph* graph = work->graph;
	int32_t n = graph->cellCount;
	for (int32_t i = 0; i < n; ++i)
	{
		uint64_t bits = brHash64(((uint64_t)work->basisCount << 32) + (uint64_t)i + 1);
		work->x[i] = (double)(bits >> 11) * 0x1p-53 - 0.5;
	}
	for (int32_t e = 0; e < graph->edgeCount; ++e)
	{
		work->weights[e] = graph->edges[e].cost;
	}
	bool isThere = cutProject(work, work->x) > 0.0;
	for (int32_t round = 0; isThere && round < cutSmooth + cutRounds; ++round)
	{
		cutInverse(work);
		isThere = cutProject(work, work->x) > 0.0;
		if (isThere && round >= cutSmooth - 1)
		{
			cutSharpen(work);
		}
	}
	if (!isThere || !cutPart(work, cutSweep(work, keys, costs), costs, sizes, sides))
	{
		return false;
	}
	double* mode = work->basis + (size_t)work->basisCount * (size_t)n;
	for (int32_t i = 0; i < n; ++i)
	{
		mode[i] = sides[i];
	}
	double norm = sqrt(cutDot(work, mode, mode));
	// One that was there before: the field itself keeps the next one from ending here again.
	if (!(cutProject(work, mode) > CUT_SAME * norm))
	{
		memcpy(mode, work->x, sizeof(double) * (size_t)n);
		cutProject(work, mode);
		memset(sides, 0, (size_t)n);
	}
	work->basisCount += 1;
	return true;
}

brResult brFindModeCuts(const brAllocator* allocator, const brCellGraph* graph, int32_t most, uint8_t* outSides,
						int32_t* outCount)
{
	int32_t n = graph->cellCount, count = 0;
	most = most < n - 1 ? most : n - 1;
	CutWork work = {.graph = graph};
	double* numbers = BR_ALLOC(allocator, double, 9 * (int64_t)n + 1 + graph->edgeCount);
	work.basis = BR_ALLOC(allocator, double, (int64_t)(most > 0 ? most : 1) * n);
	int32_t* places = BR_ALLOC(allocator, int32_t, 2 * (int64_t)n);
	CutKey* keys = BR_ALLOC(allocator, CutKey, n);
	bool hasMemory = numbers != NULL && work.basis != NULL && places != NULL && keys != NULL;
	if (hasMemory)
	{
		work.x = numbers, work.y = numbers + n, work.r = numbers + 2 * n, work.z = numbers + 3 * n;
		work.p = numbers + 4 * n, work.q = numbers + 5 * n, work.diagonal = numbers + 6 * n;
		double *sizes = numbers + 7 * n, *costs = numbers + 8 * n; // one more than there are cells
		work.weights = numbers + 9 * n + 1;
		work.order = places, work.roots = places + n;
		for (int32_t i = 0; i < n; ++i)
		{
			work.volume += graph->volumes[i];
		}
		while (work.basisCount < most && cutNext(&work, keys, costs, sizes, outSides + (size_t)count * (size_t)n))
		{
			count += memchr(outSides + (size_t)count * (size_t)n, 1, (size_t)n) != NULL;
		}
	}
	BR_FREE(allocator, numbers, 9 * (int64_t)n + 1 + graph->edgeCount);
	BR_FREE(allocator, work.basis, (int64_t)(most > 0 ? most : 1) * n);
	BR_FREE(allocator, places, 2 * (int64_t)n);
	BR_FREE(allocator, keys, n);
	*outCount = count;
	return hasMemory ? br_success : br_errorMemory;
}
