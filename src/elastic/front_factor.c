// SPDX-License-Identifier: MIT

#include "elastic/front_factor.h"

#include "base/lanes.h"

#include <math.h>
#include <string.h>

#define FRONT_LEAF_TETS 6 // those of one cube
#define FRONT_BLOCK 24    // columns that are eliminated together
#define FRONT_PAD 8       // rows of a front are a multiple of this
#define FRONT_COLUMNS 4   // that a solution goes through side by side

typedef struct Front
{
	int32_t begin, end;  // tets, in the order of the halving
	int32_t left, right; // fronts, or -1: a leaf
	int32_t ownCount;    // nodes eliminated here
	int32_t nodeCount;   // and those handed on
	int64_t nodes;       // first one in `nodeLists`
	int64_t panel;       // first number in `panels`
	int32_t height;      // rows of the dense matrix with padding
	int32_t padding;
} Front;

struct brFrontFactor
{
	brAllocator allocator;
	int32_t nodeCount;
	int32_t frontCount, frontCapacity;
	Front* fronts; // children before parents
	int64_t listCount, listCapacity;
	int32_t* nodeLists;
	int64_t panelCount;
	double*
		panels; // columns of the own unknowns of each front, four side by side, from the diagonal on: see frontColumns
	int32_t maxRows;
};

// What is needed while the factor is made.
typedef struct FrontBuild
{
	const brFrontProblem* problem;
	brFrontFactor* factor;
	int32_t* order;   // [tetCount] tets in the order of the halving
	int32_t* first;   // [nodeCount] place of the first tet with the node
	int32_t* last;    // and of the last
	int32_t* places;  // [nodeCount] of a node in the front at hand, or -1
	double* front;    // the dense matrix at hand, by columns
	double* stack;    // matrices that children handed on
	int64_t stackTop; //
	int64_t stackMost;
	bool isSingular; // a pivot was not positive
} FrontBuild;

typedef brLooseDouble4 FrontLane;

// Where the columns from `first` on, a multiple of four, begin in the panel of a front of `size` rows. Rows of four
// numbers lie one behind the other, the first one that of the first column's diagonal: a solution goes through memory
// as it lies.
static int64_t frontColumns(int32_t size, int32_t first)
{
	return (int64_t)first * size - (int64_t)first * (first - FRONT_COLUMNS) / 2;
}

#define BR_LANES_FILE "elastic/front_lanes.h"
#include "base/each_lanes.h"

// Cholesky of the first `own` columns of a matrix of `size` rows, the rest updated. False if a pivot is not positive.
static bool frontEliminate(double* front, int32_t height, int32_t own, int32_t size)
{
	for (int32_t begin = 0; begin < own; begin += FRONT_BLOCK)
	{
		int32_t end = begin + FRONT_BLOCK < own ? begin + FRONT_BLOCK : own;
		for (int32_t k = begin; k < end; ++k)
		{
			double* column = front + (int64_t)k * height;
			for (int32_t l = begin; l < k; ++l)
			{
				const double* before = front + (int64_t)l * height;
				double factor = before[k];
				for (int32_t i = k; i < size; ++i)
				{
					column[i] -= factor * before[i];
				}
			}
			double pivot = column[k];
			if (!(pivot > 0.0))
			{
				return false;
			}
			double root = sqrt(pivot), inverse = 1.0 / root;
			column[k] = root;
			for (int32_t i = k + 1; i < size; ++i)
			{
				column[i] *= inverse;
			}
		}
		BR_ON_LANES(brCpu_Best() >= br_cpuAvx2, frontUpdate, (front, height, begin, end, size));
	}
	return true;
}

static int32_t frontHeight(int32_t nodes)
{
	return (3 * nodes + FRONT_PAD - 1) / FRONT_PAD * FRONT_PAD;
}

// Splits the tets of a range across the longest side of the cubes they fill, as evenly as whole layers allow. Returns
// where the second half begins.
static int32_t frontSplit(FrontBuild* build, int32_t begin, int32_t end)
{
	const int32_t(*cubes)[3] = build->problem->cubes;
	int32_t low[3] = {INT32_MAX, INT32_MAX, INT32_MAX}, high[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
	for (int32_t i = begin; i < end; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			int32_t c = cubes[build->order[i]][k];
			low[k] = c < low[k] ? c : low[k];
			high[k] = c > high[k] ? c : high[k];
		}
	}
	int axis = 0;
	for (int k = 1; k < 3; ++k)
	{
		axis = high[k] - low[k] > high[axis] - low[axis] ? k : axis;
	}
	if (high[axis] == low[axis])
	{
		return begin;
	}
	// The layer that halves the count best.
	int32_t half = (end - begin) / 2, best = low[axis] + 1, bestOff = INT32_MAX, count = 0;
	for (int32_t layer = low[axis]; layer < high[axis]; ++layer)
	{
		for (int32_t i = begin; i < end; ++i)
		{
			count += cubes[build->order[i]][axis] == layer;
		}
		int32_t off = count > half ? count - half : half - count;
		if (off < bestOff)
		{
			bestOff = off, best = layer + 1;
		}
	}
	int32_t middle = begin;
	for (int32_t i = begin; i < end; ++i)
	{
		int32_t tet = build->order[i];
		if (cubes[tet][axis] < best)
		{
			build->order[i] = build->order[middle];
			build->order[middle++] = tet;
		}
	}
	return middle;
}

// The tree of halves; returns its root, or -1 without room. Children get lower numbers.
static int32_t frontDivide(FrontBuild* build, int32_t begin, int32_t end)
{
	brFrontFactor* factor = build->factor;
	Front front = {.begin = begin, .end = end, .left = -1, .right = -1};
	int32_t middle = end - begin > FRONT_LEAF_TETS ? frontSplit(build, begin, end) : begin;
	if (middle > begin)
	{
		front.left = frontDivide(build, begin, middle);
		front.right = frontDivide(build, middle, end);
		if (front.left < 0 || front.right < 0)
		{
			return -1;
		}
	}
	if (factor->frontCount == factor->frontCapacity)
	{
		return -1;
	}
	factor->fronts[factor->frontCount] = front;
	return factor->frontCount++;
}

// Places in the front of all nodes that come with a front below it, own ones first.
static void frontCollect(FrontBuild* build, const int32_t* nodes, int32_t count, Front* front, int32_t* lists)
{
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t node = nodes[i];
		if (build->places[node] < 0)
		{
			build->places[node] = 0;
			lists[front->nodeCount++] = node;
		}
	}
}

static void frontSortOwn(const FrontBuild* build, Front* front, int32_t* list)
{
	// Own nodes to the front of the list, without changing their order: nodes handed on keep theirs too.
	int32_t own = 0;
	for (int32_t i = 0; i < front->nodeCount; ++i)
	{
		int32_t node = list[i];
		if (build->first[node] >= front->begin && build->last[node] < front->end)
		{
			list[i] = list[own];
			list[own++] = node;
		}
	}
	front->ownCount = own;
}

// Lists of nodes and the sizes of everything. False without memory.
static bool frontPlan(FrontBuild* build)
{
	brFrontFactor* factor = build->factor;
	int64_t stack = 0;
	for (int32_t f = 0; f < factor->frontCount; ++f)
	{
		Front* front = &factor->fronts[f];
		int64_t most = front->left < 0 ? (int64_t)(front->end - front->begin) * BR_FRONT_NODES
									   : factor->fronts[front->left].nodeCount + factor->fronts[front->right].nodeCount;
		if (factor->listCount + most > factor->listCapacity)
		{
			int64_t capacity = 2 * factor->listCapacity + most;
			int32_t* grown = BR_ALLOC(&factor->allocator, int32_t, capacity);
			if (grown == NULL)
			{
				return false;
			}
			memcpy(grown, factor->nodeLists, sizeof(int32_t) * (size_t)factor->listCount);
			BR_FREE(&factor->allocator, factor->nodeLists, factor->listCapacity);
			factor->nodeLists = grown, factor->listCapacity = capacity;
		}
		int32_t* list = factor->nodeLists + factor->listCount;
		front->nodes = factor->listCount;
		for (int32_t i = front->begin; i < front->end && front->left < 0; ++i)
		{
			frontCollect(build, build->problem->nodes[build->order[i]], BR_FRONT_NODES, front, list);
		}
		const int32_t children[2] = {front->left, front->right};
		for (int k = 0; k < 2 && children[k] >= 0; ++k)
		{
			const Front* child = &factor->fronts[children[k]];
			frontCollect(build, factor->nodeLists + child->nodes + child->ownCount, child->nodeCount - child->ownCount,
						 front, list);
			int64_t rest = 3 * (child->nodeCount - child->ownCount);
			stack -= rest * rest;
		}
		frontSortOwn(build, front, list);
		for (int32_t i = 0; i < front->nodeCount; ++i)
		{
			build->places[list[i]] = -1;
		}
		int64_t rest = 3 * (front->nodeCount - front->ownCount);
		stack += rest * rest;
		build->stackMost = stack > build->stackMost ? stack : build->stackMost;
		front->height = frontHeight(front->nodeCount);
		front->panel = factor->panelCount;
		int32_t own = (3 * front->ownCount + FRONT_COLUMNS - 1) / FRONT_COLUMNS * FRONT_COLUMNS;
		factor->panelCount += frontColumns(3 * front->nodeCount, own);
		factor->listCount += front->nodeCount;
		factor->maxRows = front->height > factor->maxRows ? front->height : factor->maxRows;
	}
	return true;
}

static void frontAddBlock(double* front, int32_t height, int32_t row, int32_t column, const double* block,
						  int32_t stride)
{
	// Only the lower half counts; a block that would lie above is its own mirror image below.
	bool isTurned = row < column;
	double* out = front + (int64_t)(isTurned ? row : column) * 3 * height + 3 * (isTurned ? column : row);
	for (int c = 0; c < 3; ++c)
	{
		for (int r = 0; r < 3; ++r)
		{
			out[(int64_t)c * height + r] += isTurned ? block[r * stride + c] : block[c * stride + r];
		}
	}
}

static void frontAddTets(FrontBuild* build, const Front* front)
{
	const brFrontProblem* problem = build->problem;
	for (int32_t i = front->begin; i < front->end; ++i)
	{
		int32_t tet = build->order[i];
		double k[BR_FRONT_ROWS][BR_FRONT_ROWS];
		memset(k, 0, sizeof(k));
		problem->stiffness(problem->user, tet, k);
		for (int a = 0; a < BR_FRONT_NODES; ++a)
		{
			for (int b = 0; b <= a; ++b)
			{
				int32_t row = build->places[problem->nodes[tet][a]], column = build->places[problem->nodes[tet][b]];
				// Symmetric: a row of the matrix is a column of it.
				frontAddBlock(build->front, front->height, row, column, &k[3 * b][3 * a], BR_FRONT_ROWS);
			}
		}
	}
}

// The matrix that a child handed on lies on top of the stack, by columns.
static void frontAddChild(FrontBuild* build, const Front* front, const Front* child)
{
	int32_t rest = child->nodeCount - child->ownCount;
	const int32_t* nodes = build->factor->nodeLists + child->nodes + child->ownCount;
	build->stackTop -= 9 * (int64_t)rest * rest;
	const double* matrix = build->stack + build->stackTop;
	for (int32_t b = 0; b < rest; ++b)
	{
		int32_t column = build->places[nodes[b]];
		for (int32_t a = b; a < rest; ++a)
		{
			const double* block = matrix + (int64_t)3 * b * 3 * rest + 3 * a;
			if (a == b) // above the diagonal there is nothing
			{
				double* out = build->front + (int64_t)column * 3 * front->height + 3 * column;
				for (int c = 0; c < 3; ++c)
				{
					for (int r = c; r < 3; ++r)
					{
						out[(int64_t)c * front->height + r] += block[(int64_t)c * 3 * rest + r];
					}
				}
				continue;
			}
			frontAddBlock(build->front, front->height, build->places[nodes[a]], column, block, 3 * rest);
		}
	}
}

static void frontKeep(const double* front, int32_t height, int32_t own, int32_t size, double* panel)
{
	for (int32_t first = 0; first < own; first += FRONT_COLUMNS)
	{
		for (int32_t i = first; i < size; ++i)
		{
			for (int32_t k = 0; k < FRONT_COLUMNS; ++k)
			{
				*panel++ = first + k < own ? front[(int64_t)(first + k) * height + i] : 0.0;
			}
		}
	}
}

static bool frontMake(FrontBuild* build, const Front* front)
{
	brFrontFactor* factor = build->factor;
	int32_t size = 3 * front->nodeCount, own = 3 * front->ownCount, height = front->height;
	const int32_t* list = factor->nodeLists + front->nodes;
	memset(build->front, 0, sizeof(double) * (size_t)height * (size_t)(size + 4));
	for (int32_t i = 0; i < front->nodeCount; ++i)
	{
		build->places[list[i]] = i;
	}
	if (front->left < 0)
	{
		frontAddTets(build, front);
	}
	else
	{
		frontAddChild(build, front, &factor->fronts[front->right]); // pushed last
		frontAddChild(build, front, &factor->fronts[front->left]);
	}
	for (int32_t i = 0; i < own && build->problem->springs != NULL; ++i)
	{
		build->front[(int64_t)i * height + i] += build->problem->springs[3 * list[i / 3] + i % 3];
	}
	for (int32_t i = 0; i < front->nodeCount; ++i)
	{
		build->places[list[i]] = -1;
	}
	build->isSingular = !frontEliminate(build->front, height, own, size);
	if (build->isSingular)
	{
		return false;
	}
	frontKeep(build->front, height, own, size, factor->panels + front->panel);
	int32_t rest = size - own;
	for (int32_t c = 0; c < rest; ++c)
	{
		const double* column = build->front + (int64_t)(own + c) * height + own;
		memcpy(build->stack + build->stackTop + (int64_t)c * rest + c, column + c, sizeof(double) * (size_t)(rest - c));
	}
	build->stackTop += (int64_t)rest * rest;
	return true;
}

static bool frontBuildAll(FrontBuild* build)
{
	brFrontFactor* factor = build->factor;
	const brFrontProblem* problem = build->problem;
	for (int32_t i = 0; i < problem->nodeCount; ++i)
	{
		build->places[i] = -1;
	}
	if (frontDivide(build, 0, problem->tetCount) < 0)
	{
		return false;
	}
	for (int32_t i = problem->tetCount - 1; i >= 0; --i)
	{
		for (int k = 0; k < BR_FRONT_NODES; ++k)
		{
			build->first[problem->nodes[build->order[i]][k]] = i;
		}
	}
	for (int32_t i = 0; i < problem->tetCount; ++i)
	{
		for (int k = 0; k < BR_FRONT_NODES; ++k)
		{
			build->last[problem->nodes[build->order[i]][k]] = i;
		}
	}
	if (!frontPlan(build))
	{
		return false;
	}
	int64_t most = (int64_t)factor->maxRows * (factor->maxRows + 4);
	factor->panels = BR_ALLOC(&factor->allocator, double, factor->panelCount);
	build->front = BR_ALLOC(&factor->allocator, double, most);
	build->stack = BR_ALLOC(&factor->allocator, double, build->stackMost + 1);
	bool isDone = factor->panels != NULL && build->front != NULL && build->stack != NULL;
	for (int32_t f = 0; f < factor->frontCount && isDone; ++f)
	{
		isDone = frontMake(build, &factor->fronts[f]);
	}
	BR_FREE(&factor->allocator, build->front, most);
	BR_FREE(&factor->allocator, build->stack, build->stackMost + 1);
	return isDone;
}

brResult brCreateFrontFactor(const brAllocator* allocator, const brFrontProblem* problem, brFrontFactor** outFactor)
{
	brFrontFactor* factor = BR_ALLOC_ZERO(allocator, brFrontFactor, 1);
	if (factor == NULL)
	{
		return br_errorMemory;
	}
	factor->allocator = *allocator;
	factor->nodeCount = problem->nodeCount;
	factor->frontCapacity = 2 * problem->tetCount;
	factor->listCapacity = 8 * (int64_t)problem->nodeCount;
	factor->fronts = BR_ALLOC(allocator, Front, factor->frontCapacity);
	factor->nodeLists = BR_ALLOC(allocator, int32_t, factor->listCapacity);
	FrontBuild build = {.problem = problem, .factor = factor};
	build.order = BR_ALLOC(allocator, int32_t, problem->tetCount);
	build.first = BR_ALLOC(allocator, int32_t, problem->nodeCount);
	build.last = BR_ALLOC(allocator, int32_t, problem->nodeCount);
	build.places = BR_ALLOC(allocator, int32_t, problem->nodeCount);
	bool isDone = factor->fronts != NULL && factor->nodeLists != NULL && build.order != NULL && build.first != NULL &&
				  build.last != NULL && build.places != NULL;
	for (int32_t i = 0; i < problem->tetCount && isDone; ++i)
	{
		build.order[i] = i;
	}
	isDone = isDone && frontBuildAll(&build);
	BR_FREE(allocator, build.order, problem->tetCount);
	BR_FREE(allocator, build.first, problem->nodeCount);
	BR_FREE(allocator, build.last, problem->nodeCount);
	BR_FREE(allocator, build.places, problem->nodeCount);
	if (!isDone)
	{
		brDestroyFrontFactor(factor);
		return build.isSingular ? br_errorGeometry : br_errorMemory;
	}
	*outFactor = factor;
	return br_success;
}

void brDestroyFrontFactor(brFrontFactor* factor)
{
	if (factor == NULL)
	{
		return;
	}
	brAllocator allocator = factor->allocator;
	BR_FREE(&allocator, factor->fronts, factor->frontCapacity);
	BR_FREE(&allocator, factor->nodeLists, factor->listCapacity);
	BR_FREE(&allocator, factor->panels, factor->panelCount);
	BR_FREE(&allocator, factor, 1);
}

int32_t brFrontFactor_Scratch(const brFrontFactor* factor)
{
	return factor->maxRows;
}

void brFrontFactor_Solve(const brFrontFactor* factor, double (*values)[BR_FRONT_LANES],
						 double (*scratch)[BR_FRONT_LANES])
{
	BR_ON_LANES(brCpu_Best() >= br_cpuAvx2, frontSolve, (factor, values, scratch));
}
