// SPDX-License-Identifier: MIT

// Cells to tets. Time and memory grow with the cells of the box; the tets with the cells of the solid.

#include "volume/lattice.h"

#include "base/report.h"

#include <string.h>

// Cells around the box, so that every node that is inside has a full ring of neighbors, grown by a cell or not.
#define LATTICE_MARGIN 3

// Corners of the face of a cell towards +axis, counter-clockwise seen from there; the axis itself is left 0.
static const int8_t faceRing[3][4][3] = {
	{{0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}},
	{{0, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 0, 0}},
	{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
};

static int64_t levelCells(const brLattice* lattice, int32_t level)
{
	return (int64_t)(lattice->cells[0] >> level) * (lattice->cells[1] >> level) * (lattice->cells[2] >> level);
}

static inline bool isSplit(const brLattice* lattice, int32_t level, const int32_t* c)
{
	for (int k = 0; k < 3; ++k)
	{
		if (c[k] < 0 || c[k] >= lattice->cells[k] >> level)
		{
			return false;
		}
	}
	int64_t nx = lattice->cells[0] >> level, ny = lattice->cells[1] >> level;
	return lattice->split[level][c[0] + nx * (c[1] + ny * c[2])] != 0;
}

// A cell of its level that is neither split nor part of a larger one.
static inline bool isLeaf(const brLattice* lattice, int32_t level, const int32_t* c)
{
	if (level > 0 && isSplit(lattice, level, c))
	{
		return false;
	}
	int32_t parent[3] = {c[0] >> 1, c[1] >> 1, c[2] >> 1};
	return level == lattice->levels || isSplit(lattice, level + 1, parent);
}

// Level 0: cells with tets across the surface.
static void markMixed(brLattice* lattice)
{
	const int32_t* n = lattice->cells;
	const int64_t row = n[0] + 1, slab = row * (n[1] + 1);
	const int64_t cellSlab = (int64_t)n[0] * n[1];
	for (int32_t z = 0; z < n[2]; ++z)
	{
		for (int32_t y = 0; y < n[1]; ++y)
		{
			const uint8_t* corner = lattice->insideCorners + brLattice_Corner(lattice, 0, y, z);
			const uint8_t* center = lattice->insideCenters + brLattice_Cell(lattice, 0, y, z);
			uint8_t* mixed = lattice->split[0] + brLattice_Cell(lattice, 0, y, z);
			for (int32_t x = 0; x < n[0]; ++x)
			{
				int sum = corner[x] + corner[x + 1] + corner[x + row] + corner[x + row + 1] + corner[x + slab] +
						  corner[x + slab + 1] + corner[x + slab + row] + corner[x + slab + row + 1];
				sum += x > 0 ? center[x - 1] : 0;
				sum += x + 1 < n[0] ? center[x + 1] : 0;
				sum += y > 0 ? center[x - n[0]] : 0;
				sum += y + 1 < n[1] ? center[x + n[0]] : 0;
				sum += z > 0 ? center[x - cellSlab] : 0;
				sum += z + 1 < n[2] ? center[x + cellSlab] : 0;
				sum += center[x];
				mixed[x] = sum != 0 && sum != 15;
			}
		}
	}
}

// Adds all 26 neighbors of the marked cells, one axis after the other.
static void dilate(uint8_t* marks, uint8_t* scratch, const int64_t* n)
{
	const int64_t strides[3] = {1, n[0], n[0] * n[1]};
	for (int axis = 0; axis < 3; ++axis)
	{
		memcpy(scratch, marks, (size_t)(n[0] * n[1] * n[2]));
		int64_t stride = strides[axis], count = n[axis], block = stride * count;
		for (int64_t start = 0; start < n[0] * n[1] * n[2]; start += block)
		{
			const uint8_t* from = scratch + start;
			uint8_t* to = marks + start;
			for (int64_t i = 0; i < block - stride; ++i)
			{
				to[i] |= from[i + stride];
				to[i + stride] |= from[i];
			}
		}
	}
}

// The level of cells no larger than an edge.
static int32_t levelOfEdge(const brLattice* lattice, double edge)
{
	int32_t level = 0;
	while (level < lattice->sizes->baseLevel && ldexp(lattice->cell, level + 1) <= edge * (1.0 + 1e-9))
	{
		++level;
	}
	return level;
}

// The level that cells along a piece of the surface may have: by balls that reach it, and by the wall behind it.
static int32_t wantedLevel(const brLattice* lattice, const brSurfaceTree* tree, brDVec3 a, brDVec3 b, brDVec3 c)
{
	const brLatticeSizes* sizes = lattice->sizes;
	brDVec3 middle = brDMul(1.0 / 3.0, brDAdd(a, brDAdd(b, c)));
	double edge = ldexp(lattice->cell, sizes->baseLevel);
	for (int32_t i = 0; i < sizes->ballCount; ++i)
	{
		const brTetRefinement* ball = &sizes->balls[i];
		if (brDDistance(middle, ball->center) <= ball->radius)
		{
			edge = fmin(edge, ball->edge);
		}
	}
	brDVec3 normal = brDCross(brDSub(b, a), brDSub(c, a));
	if (sizes->edgePerThickness > 0.0 && brDLengthSq(normal) > 0.0)
	{
		brDVec3 inward = brDMul(tree->leaning < 0.0 ? 1.0 : -1.0, brDNormalize(normal));
		double reach = edge / sizes->edgePerThickness, start = 1e-9 * tree->reach;
		double depth = brSurfaceTree_CastRay(tree, brDMulAdd(middle, start, inward), inward, reach, NULL);
		edge = fmin(edge, sizes->edgePerThickness * depth);
	}
	return levelOfEdge(lattice, edge);
}

// All cells of the balls, along the surface or not.
static void markBalls(brLattice* lattice)
{
	for (int32_t i = 0; i < lattice->sizes->ballCount; ++i)
	{
		const brTetRefinement* ball = &lattice->sizes->balls[i];
		int32_t level = levelOfEdge(lattice, ball->edge), low[3], high[3];
		double size = ldexp(lattice->cell, level);
		int64_t nx = lattice->cells[0] >> level, ny = lattice->cells[1] >> level;
		uint8_t* marks = level > 0 ? lattice->wanted[level] : lattice->split[0];
		for (int k = 0; k < 3; ++k)
		{
			double at = ((&ball->center.x)[k] - (&lattice->origin.x)[k]) / size, reach = ball->radius / size;
			int32_t last = (lattice->cells[k] >> level) - 1;
			low[k] = (int32_t)fmin(fmax(floor(at - reach), 0.0), last + 1.0);
			high[k] = (int32_t)fmax(fmin(floor(at + reach), last), -1.0);
		}
		for (int32_t z = low[2]; z <= high[2]; ++z)
		{
			for (int32_t y = low[1]; y <= high[1]; ++y)
			{
				for (int32_t x = low[0]; x <= high[0]; ++x)
				{
					brDVec3 center = brDMulAdd(lattice->origin, size, brMakeDVec3(x + 0.5, y + 0.5, z + 0.5));
					marks[x + nx * (y + ny * z)] |= brDDistance(center, ball->center) <= ball->radius ? 1 : 0;
				}
			}
		}
	}
}

// Level 0: cells that a triangle may touch; with sizes, cells of the level that is wanted there. Triangles larger than
// a cell are halved across their longest side until their boxes are not.
static void markTouched(brLattice* lattice, const brSurfaceTree* tree, brDVec3 a, brDVec3 b, brDVec3 c, int32_t depth)
{
	brDVec3 lower = brDMin(a, brDMin(b, c)), upper = brDMax(a, brDMax(b, c));
	brDVec3 size = brDSub(upper, lower);
	if (fmax(size.x, fmax(size.y, size.z)) > lattice->cell && depth < 60)
	{
		double ab = brDLengthSq(brDSub(b, a)), bc = brDLengthSq(brDSub(c, b)), ca = brDLengthSq(brDSub(a, c));
		brDVec3 turned[3] = {a, b, c};
		int first = ab >= bc && ab >= ca ? 0 : bc >= ca ? 1 : 2;
		brDVec3 p = turned[first], q = turned[(first + 1) % 3], r = turned[(first + 2) % 3];
		brDVec3 middle = brDLerp(p, q, 0.5);
		markTouched(lattice, tree, p, middle, r, depth + 1);
		markTouched(lattice, tree, middle, q, r, depth + 1);
		return;
	}
	int32_t level = lattice->wanted[0] != NULL ? wantedLevel(lattice, tree, a, b, c) : 0;
	int32_t low[3], high[3];
	for (int k = 0; k < 3; ++k)
	{
		low[k] = (int32_t)floor(((&lower.x)[k] - (&lattice->origin.x)[k]) / lattice->cell - 1e-6);
		high[k] = (int32_t)floor(((&upper.x)[k] - (&lattice->origin.x)[k]) / lattice->cell + 1e-6);
	}
	for (int32_t z = low[2]; z <= high[2]; ++z)
	{
		for (int32_t y = low[1]; y <= high[1]; ++y)
		{
			for (int32_t x = low[0]; x <= high[0]; ++x)
			{
				int64_t nx = lattice->cells[0] >> level, ny = lattice->cells[1] >> level;
				uint8_t* marks = level > 0 ? lattice->wanted[level] : lattice->split[0];
				marks[(x >> level) + nx * ((y >> level) + ny * (z >> level))] = 1;
			}
		}
	}
}

static void markAllTouched(brLattice* lattice, const brSurfaceTree* tree)
{
	for (int32_t t = 0; t < tree->triangleCount; ++t)
	{
		const brDVec3* p = tree->corners[t];
		markTouched(lattice, tree, p[0], p[1], p[2], 0);
	}
}

// Cells that must stay split, level by level: those with a split child or a split neighbor of a child.
static void markSplit(brLattice* lattice, const brSurfaceTree* tree, uint8_t* scratch)
{
	if (lattice->sizes != NULL)
	{
		// Every cell that the surface passes or a ball holds is marked, on the level that it may have.
		memset(lattice->split[0], 0, (size_t)lattice->cellCount);
		markBalls(lattice);
		lattice->wanted[0] = lattice->split[0];
		markAllTouched(lattice, tree);
		lattice->wanted[0] = NULL;
	}
	else
	{
		markMixed(lattice);
	}
	if (lattice->touched != NULL)
	{
		markAllTouched(lattice, lattice->touched);
		if (lattice->levels == 0)
		{
			const int64_t n[3] = {lattice->cells[0], lattice->cells[1], lattice->cells[2]};
			dilate(lattice->split[0], scratch, n);
		}
	}
	for (int32_t level = 0; level < lattice->levels; ++level)
	{
		const int64_t n[3] = {lattice->cells[0] >> level, lattice->cells[1] >> level, lattice->cells[2] >> level};
		for (int64_t i = 0; level > 0 && lattice->sizes != NULL && i < lattice->splitCounts[level]; ++i)
		{
			lattice->split[level][i] |= lattice->wanted[level][i];
		}
		dilate(lattice->split[level], scratch, n);
		// What dilation added to a level above 0 is for its parents only; the cells themselves may stay whole.
		uint8_t* parents = lattice->split[level + 1];
		memset(parents, 0, (size_t)lattice->splitCounts[level + 1]);
		for (int64_t z = 0; z < n[2]; ++z)
		{
			for (int64_t y = 0; y < n[1]; ++y)
			{
				const uint8_t* marks = lattice->split[level] + n[0] * (y + n[1] * z);
				uint8_t* row = parents + n[0] / 2 * (y / 2 + n[1] / 2 * (z / 2));
				for (int64_t x = 0; x < n[0]; ++x)
				{
					row[x / 2] |= marks[x];
				}
			}
		}
		if (level > 0)
		{
			memcpy(lattice->split[level], scratch + lattice->cellCount, (size_t)lattice->splitCounts[level]);
		}
		memcpy(scratch + lattice->cellCount, parents, (size_t)lattice->splitCounts[level + 1]);
	}
}

// Nodes and tets

static int32_t nodeAt(brLattice* lattice, const int32_t* at)
{
	int32_t* id = (at[0] & 1) != 0 ? &lattice->centerIds[brLattice_Cell(lattice, at[0] >> 1, at[1] >> 1, at[2] >> 1)]
								   : &lattice->cornerIds[brLattice_Corner(lattice, at[0] >> 1, at[1] >> 1, at[2] >> 1)];
	if (*id < 0)
	{
		brLatticeNode node = {{at[0], at[1], at[2]}};
		if (!BR_PUSH(&lattice->allocator, &lattice->nodes, node))
		{
			return -1;
		}
		*id = lattice->nodes.count - 1;
	}
	return *id;
}

// A positive tet, if one of its nodes is inside, or the surface touches it and that is enough.
static bool addTet(brLattice* lattice, const int32_t* a, const int32_t* b, const int32_t* c, const int32_t* d)
{
	const int32_t* at[4] = {a, b, c, d};
	bool isWanted = false;
	brDVec3 corners[4];
	for (int k = 0; k < 4; ++k)
	{
		brLatticeNode node = {{at[k][0], at[k][1], at[k][2]}};
		isWanted = isWanted || brLattice_IsInside(lattice, &node);
		corners[k] = brLattice_Position(lattice, &node);
	}
	if (!isWanted && (lattice->touched == NULL || !brSurfaceTree_TouchesTet(lattice->touched, corners)))
	{
		return true;
	}
	brLatticeTet tet;
	for (int k = 0; k < 4; ++k)
	{
		tet.nodes[k] = nodeAt(lattice, at[k]);
		if (tet.nodes[k] < 0)
		{
			return false;
		}
	}
	return BR_PUSH(&lattice->allocator, &lattice->tets, tet);
}

// The four tets, some in halves, between two cells of one size.
static bool addEqualFace(brLattice* lattice, int32_t level, const int32_t* cell, int axis)
{
	int32_t size = 2 << level; // in half cells
	int32_t center[3], next[3];
	for (int k = 0; k < 3; ++k)
	{
		center[k] = size * cell[k] + size / 2;
		next[k] = center[k] + (k == axis ? size : 0);
	}
	for (int e = 0; e < 4; ++e)
	{
		int32_t a[3], b[3], middle[3], outer[3];
		for (int k = 0; k < 3; ++k)
		{
			int base = size * (cell[k] + (k == axis));
			a[k] = base + size * faceRing[axis][e][k];
			b[k] = base + size * faceRing[axis][(e + 1) & 3][k];
			middle[k] = (a[k] + b[k]) / 2;
			// The cell across this edge of the face, on this side: away from the face's middle.
			int away = k == axis ? 0 : middle[k] - center[k];
			outer[k] = cell[k] + (away > 0 ? 1 : away < 0 ? -1 : 0);
		}
		int32_t outerNext[3] = {outer[0] + (axis == 0), outer[1] + (axis == 1), outer[2] + (axis == 2)};
		bool hasMiddle = level > 0 && (isSplit(lattice, level, outer) || isSplit(lattice, level, outerNext));
		bool added = hasMiddle ? addTet(lattice, center, next, a, middle) && addTet(lattice, center, next, middle, b)
							   : addTet(lattice, center, next, a, b);
		if (!added)
		{
			return false;
		}
	}
	return true;
}

// The fan of eight between a cell and the four smaller ones across a face; `side` is +1 or -1 along the axis.
static bool addUnequalFace(brLattice* lattice, int32_t level, const int32_t* cell, int axis, int side)
{
	int32_t size = 2 << level;
	int32_t center[3], middle[3], ring[8][3];
	for (int k = 0; k < 3; ++k)
	{
		center[k] = size * cell[k] + size / 2;
		middle[k] = center[k] + (k == axis ? side * size / 2 : 0);
	}
	for (int e = 0; e < 4; ++e)
	{
		for (int k = 0; k < 3; ++k)
		{
			int base = k == axis ? middle[k] : size * cell[k];
			int32_t a = base + (k == axis ? 0 : size * faceRing[axis][e][k]);
			int32_t b = base + (k == axis ? 0 : size * faceRing[axis][(e + 1) & 3][k]);
			ring[2 * e][k] = a;
			ring[2 * e + 1][k] = (a + b) / 2;
		}
	}
	for (int e = 0; e < 8; ++e)
	{
		const int32_t* a = ring[side > 0 ? e : (e + 1) & 7];
		const int32_t* b = ring[side > 0 ? (e + 1) & 7 : e];
		const int32_t* corner = ring[(e + 1) / 2 * 2 & 7]; // the one of the two that is a corner
		int32_t small[3];                                  // center of the small cell in that corner
		for (int k = 0; k < 3; ++k)
		{
			small[k] = k == axis ? middle[k] + side * size / 4 : (middle[k] + corner[k]) / 2;
		}
		if (!addTet(lattice, center, middle, a, b) || !addTet(lattice, middle, a, b, small))
		{
			return false;
		}
	}
	return true;
}

// Far from everything inside: such a cell has no tets. Level 0 knows them by no mark and an outside center.
static bool isEmptyCell(const brLattice* lattice, int32_t level, const int32_t* c)
{
	if (lattice->sizes != NULL)
	{
		return false; // any cell may have tets across the surface
	}
	if (level == 0)
	{
		int64_t i = brLattice_Cell(lattice, c[0], c[1], c[2]);
		return lattice->split[0][i] == 0 && lattice->insideCenters[i] == 0;
	}
	int32_t half = 1 << (level - 1);
	int64_t i = brLattice_Corner(lattice, (c[0] << level) + half, (c[1] << level) + half, (c[2] << level) + half);
	return lattice->insideCorners[i] == 0;
}

// The tets between a cell and its neighbors: across a face to an equal cell once, from the lower one; to smaller cells
// from the larger one.
static bool addFaces(brLattice* lattice, int32_t level, const int32_t* cell, const int32_t* cellCounts)
{
	for (int axis = 0; axis < 3; ++axis)
	{
		for (int side = -1; side <= 1; side += 2)
		{
			int32_t next[3] = {cell[0], cell[1], cell[2]};
			next[axis] += side;
			if (next[axis] < 0 || next[axis] >= cellCounts[axis])
			{
				continue;
			}
			bool added = true;
			if (level > 0 && isSplit(lattice, level, next))
			{
				added = addUnequalFace(lattice, level, cell, axis, side);
			}
			else if (side > 0 && isLeaf(lattice, level, next))
			{
				added = addEqualFace(lattice, level, cell, axis);
			}
			if (!added)
			{
				return false;
			}
		}
	}
	return true;
}

static bool addLevel(brLattice* lattice, int32_t level)
{
	int32_t n[3] = {lattice->cells[0] >> level, lattice->cells[1] >> level, lattice->cells[2] >> level};
	for (int32_t z = 0; z < n[2]; ++z)
	{
		for (int32_t y = 0; y < n[1]; ++y)
		{
			for (int32_t x = 0; x < n[0]; ++x)
			{
				int32_t cell[3] = {x, y, z};
				if (!isEmptyCell(lattice, level, cell) && isLeaf(lattice, level, cell) &&
					!addFaces(lattice, level, cell, n))
				{
					return false;
				}
			}
		}
	}
	return true;
}

void brLattice_Free(brLattice* lattice)
{
	const brAllocator* allocator = &lattice->allocator;
	BR_FREE(allocator, lattice->insideCorners, lattice->cornerCount);
	BR_FREE(allocator, lattice->insideCenters, lattice->cellCount);
	BR_FREE(allocator, lattice->cornerIds, lattice->cornerCount);
	BR_FREE(allocator, lattice->centerIds, lattice->cellCount);
	for (int level = 0; level < BR_LATTICE_LEVELS; ++level)
	{
		BR_FREE(allocator, lattice->split[level], lattice->splitCounts[level]);
		BR_FREE(allocator, lattice->wanted[level], lattice->splitCounts[level]);
	}
	BR_FREE_ARRAY(allocator, &lattice->nodes);
	BR_FREE_ARRAY(allocator, &lattice->tets);
	memset(lattice, 0, sizeof(*lattice));
}

static bool allocateLattice(brLattice* lattice)
{
	const brAllocator* allocator = &lattice->allocator;
	lattice->insideCorners = BR_ALLOC(allocator, uint8_t, lattice->cornerCount);
	lattice->insideCenters = BR_ALLOC(allocator, uint8_t, lattice->cellCount);
	lattice->cornerIds = BR_ALLOC(allocator, int32_t, lattice->cornerCount);
	lattice->centerIds = BR_ALLOC(allocator, int32_t, lattice->cellCount);
	bool complete = lattice->insideCorners != NULL && lattice->insideCenters != NULL && lattice->cornerIds != NULL &&
					lattice->centerIds != NULL;
	for (int32_t level = 0; level <= lattice->levels && complete; ++level)
	{
		lattice->splitCounts[level] = levelCells(lattice, level);
		lattice->split[level] = BR_ALLOC(allocator, uint8_t, lattice->splitCounts[level]);
		complete = lattice->split[level] != NULL;
		if (complete && level > 0 && lattice->sizes != NULL)
		{
			lattice->wanted[level] = BR_ALLOC_ZERO(allocator, uint8_t, lattice->splitCounts[level]);
			complete = lattice->wanted[level] != NULL;
		}
	}
	return complete;
}

brResult brLattice_Make(brLattice* lattice, const brContext* context, const brLatticeDef* def, brReport* report)
{
	memset(lattice, 0, sizeof(*lattice));
	lattice->allocator = brContext_Allocator(context);
	const brSurfaceTree* tree = def->tree;
	double cell = lattice->cell = def->cell;
	int32_t levels = lattice->levels = def->levels;
	int64_t maxCells = def->maxCells;
	lattice->touched = def->touching ? tree : NULL;
	lattice->sizes = def->sizes;
	lattice->isGraded = def->sizes != NULL;

	brDBox3 bounds = brMakeDBox3Empty();
	for (int32_t t = 0; t < tree->triangleCount; ++t)
	{
		for (int k = 0; k < 3; ++k)
		{
			bounds = brDBox3_Include(bounds, tree->corners[t][k]);
		}
	}
	const double* lower = &bounds.lower.x;
	const double* upper = &bounds.upper.x;
	static const double shifts[3] = {0.21, 0.37, 0.46}; // parts of a cell that nothing has in common with
	double total = 1.0;
	int32_t unit = 1 << levels;
	for (int k = 0; k < 3; ++k)
	{
		double count = ceil((upper[k] - lower[k]) / cell) + 2.0 * LATTICE_MARGIN;
		count = ceil(count / unit) * unit;
		total *= count + 1.0;
		if (!(total <= (double)maxCells) || !(count < 1e6))
		{
			return brFail(report, br_errorLimit,
						  "an edge length of %g m cuts the box of the surface into more than %lld cells", cell,
						  (long long)maxCells);
		}
		lattice->cells[k] = (int32_t)count;
		// The box lies in the middle of the lattice, or nearly so.
		double middle = 0.5 * lower[k] + 0.5 * upper[k];
		(&lattice->origin.x)[k] = middle - 0.5 * count * cell + (def->isShifted ? shifts[k] * cell : 0.0);
	}
	lattice->cellCount = levelCells(lattice, 0);
	lattice->cornerCount = (int64_t)(lattice->cells[0] + 1) * (lattice->cells[1] + 1) * (lattice->cells[2] + 1);

	int64_t scratchBytes = 2 * lattice->cellCount;
	uint8_t* scratch = BR_ALLOC(&lattice->allocator, uint8_t, scratchBytes);
	bool complete = scratch != NULL && allocateLattice(lattice);
	if (complete)
	{
		brLattice_FindInside(lattice, context, tree, def->isInverted);
		if (def->offset > 0.0)
		{
			const int64_t n[3] = {lattice->cells[0], lattice->cells[1], lattice->cells[2]};
			memset(lattice->split[0], 0, (size_t)lattice->cellCount);
			markAllTouched(lattice, tree);
			dilate(lattice->split[0], scratch, n);
			brLattice_Grow(lattice, context, tree, def->offset, lattice->split[0]);
		}
		markSplit(lattice, tree, scratch);
		for (int32_t level = 0; level <= levels && complete; ++level)
		{
			complete = addLevel(lattice, level);
		}
	}
	BR_FREE(&lattice->allocator, scratch, scratchBytes);
	if (!complete)
	{
		brLattice_Free(lattice);
		return brFailMemory(report);
	}
	return br_success;
}
