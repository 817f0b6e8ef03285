// SPDX-License-Identifier: MIT

// Which nodes of a lattice are inside.
//
// Closed surfaces: each triangle is drawn into the lines of nodes along x, exactly, as a rasteriser would: where it
// crosses a line it changes the winding number of all nodes before the crossing. One sum along each line gives the
// winding numbers of all nodes, at a cost of the triangles' shadows plus the nodes. Others: the generalized winding
// number, node by node. Inside is where it is above one half.

#include "volume/lattice.h"

#include <string.h>

// First node at or after a coordinate, clamped to [0, count].
static inline int32_t firstNodeFrom(double x, double origin, double step, int32_t count)
{
	double i = ceil((x - origin) / step);
	return i <= 0.0 ? 0 : i >= count ? count : (int32_t)i;
}

static void drawTriangles(const brNodeGrid* grid, const brSurfaceTree* tree, int32_t* changes)
{
	for (int32_t t = 0; t < tree->triangleCount; ++t)
	{
		const brDVec3* p = tree->corners[t];
		brDVec3 lower = brDMin(p[0], brDMin(p[1], p[2])), upper = brDMax(p[0], brDMax(p[1], p[2]));
		// One line more on each side: rounding must not lose one.
		int32_t y0 = firstNodeFrom(lower.y, grid->origin.y, grid->step, grid->counts[1]) - 1;
		int32_t y1 = firstNodeFrom(upper.y, grid->origin.y, grid->step, grid->counts[1]) + 1;
		int32_t z0 = firstNodeFrom(lower.z, grid->origin.z, grid->step, grid->counts[2]) - 1;
		int32_t z1 = firstNodeFrom(upper.z, grid->origin.z, grid->step, grid->counts[2]) + 1;
		y0 = y0 < 0 ? 0 : y0, z0 = z0 < 0 ? 0 : z0;
		y1 = y1 > grid->counts[1] ? grid->counts[1] : y1, z1 = z1 > grid->counts[2] ? grid->counts[2] : z1;
		brDVec3 n = brDCross(brDSub(p[1], p[0]), brDSub(p[2], p[0]));
		for (int32_t k = z0; k < z1; ++k)
		{
			double z = grid->origin.z + grid->step * k;
			if (z < lower.z || z > upper.z)
			{
				continue;
			}
			for (int32_t j = y0; j < y1; ++j)
			{
				double y = grid->origin.y + grid->step * j;
				if (y < lower.y || y > upper.y)
				{
					continue;
				}
				int32_t sign = brLineCrossing(p, y, z);
				if (sign == 0)
				{
					continue;
				}
				double x = p[0].x - (n.y * (y - p[0].y) + n.z * (z - p[0].z)) / n.x;
				x = x > lower.x ? x : lower.x; // not a number for a normal that rounds to zero: the lower end
				x = x < upper.x ? x : upper.x;
				int32_t before = firstNodeFrom(x, grid->origin.x, grid->step, grid->counts[0]);
				if (before > 0)
				{
					changes[before - 1 + (int64_t)grid->counts[0] * (j + (int64_t)grid->counts[1] * k)] += sign;
				}
			}
		}
	}
}

typedef struct SignJob
{
	const brNodeGrid* grid;
	const brSurfaceTree* tree;
	const int32_t* changes; // null: ask the tree
	uint8_t* inside;
	bool isInverted;
} SignJob;

// While lines are summed, nodes that the surface wraps more than once are told apart.
enum
{
	node_outside = 0,
	node_inside = 1,
	node_wrapped = 2,
};

static void sumLines(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const SignJob* job = user;
	int32_t count = job->grid->counts[0];
	for (int32_t line = begin; line < end; ++line)
	{
		const int32_t* changes = job->changes + (int64_t)count * line;
		uint8_t* inside = job->inside + (int64_t)count * line;
		int32_t winding = 0;
		for (int32_t i = count - 1; i >= 0; --i)
		{
			winding += changes[i];
			int32_t wraps = job->isInverted ? -winding : winding;
			inside[i] = wraps > 1 ? node_wrapped : wraps == 1 ? node_inside : node_outside;
		}
	}
}

static void askLines(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const SignJob* job = user;
	const brNodeGrid* grid = job->grid;
	for (int32_t line = begin; line < end; ++line)
	{
		uint8_t* inside = job->inside + (int64_t)grid->counts[0] * line;
		for (int32_t i = 0; i < grid->counts[0]; ++i)
		{
			brDVec3 p = {grid->origin.x + grid->step * i, grid->origin.y + grid->step * (line % grid->counts[1]),
						 grid->origin.z + grid->step * (line / grid->counts[1])};
			double winding = brSurfaceTree_WindingAt(job->tree, p);
			inside[i] = job->isInverted ? winding < -0.5 : winding > 0.5;
		}
	}
}

bool brNodeGrid_FindInside(const brNodeGrid* grid, const brContext* context, const brSurfaceTree* tree, bool isInverted,
						   int32_t* changes, uint8_t* inside)
{
	bool isWrapped = false;
	SignJob job = {grid, tree, changes, inside, isInverted};
	brWorkers* workers = context != NULL ? context->workers : NULL;
	int32_t lines = grid->counts[1] * grid->counts[2];
	if (tree->isClosed)
	{
		memset(changes, 0, (size_t)grid->counts[0] * (size_t)lines * sizeof(int32_t));
		drawTriangles(grid, tree, changes);
		brParallelFor(workers, lines, 256, sumLines, &job);
		for (int64_t i = 0; i < (int64_t)grid->counts[0] * lines; ++i)
		{
			isWrapped = isWrapped || inside[i] == node_wrapped;
			inside[i] = inside[i] != node_outside;
		}
	}
	else
	{
		brParallelFor(workers, lines, 16, askLines, &job);
	}
	return isWrapped;
}

void brLattice_FindInside(brLattice* lattice, const brContext* context, const brSurfaceTree* tree, bool isInverted)
{
	double half = 0.5 * lattice->cell;
	const int32_t* n = lattice->cells;
	brNodeGrid corners = {lattice->origin, {n[0] + 1, n[1] + 1, n[2] + 1}, lattice->cell};
	brNodeGrid centers = {brDAdd(lattice->origin, brMakeDVec3(half, half, half)), {n[0], n[1], n[2]}, lattice->cell};
	// The ids are not in use yet: their memory takes the changes of winding number.
	bool corner =
		brNodeGrid_FindInside(&corners, context, tree, isInverted, lattice->cornerIds, lattice->insideCorners);
	bool center =
		brNodeGrid_FindInside(&centers, context, tree, isInverted, lattice->centerIds, lattice->insideCenters);
	lattice->isWrapped = corner || center;
	memset(lattice->cornerIds, 0xFF, (size_t)lattice->cornerCount * sizeof(int32_t));
	memset(lattice->centerIds, 0xFF, (size_t)lattice->cellCount * sizeof(int32_t));
}

typedef struct GrowJob
{
	brLattice* lattice;
	const brSurfaceTree* tree;
	const uint8_t* near;
	double offset;
} GrowJob;

static void growNode(const GrowJob* job, uint8_t* inside, int32_t x, int32_t y, int32_t z)
{
	if (*inside != 0)
	{
		return;
	}
	brLatticeNode node = {{x, y, z}};
	brDVec3 p = brLattice_Position(job->lattice, &node);
	*inside = brSurfaceTree_ClosestWithin(job->tree, p, job->offset).triangle >= 0;
}

// Layers of nodes: corners of layer z lie between the cells below and above, centers in the cells.
static void growLayers(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const GrowJob* job = user;
	brLattice* lattice = job->lattice;
	const int32_t* n = lattice->cells;
	for (int32_t z = begin; z < end; ++z)
	{
		for (int32_t y = 0; y <= n[1]; ++y)
		{
			for (int32_t x = 0; x <= n[0]; ++x)
			{
				// A corner is near if one of its eight cells is.
				bool isNear = false;
				for (int k = 0; k < 8 && !isNear; ++k)
				{
					int32_t cx = x - (k & 1), cy = y - (k >> 1 & 1), cz = z - (k >> 2);
					isNear = cx >= 0 && cy >= 0 && cz >= 0 && cx < n[0] && cy < n[1] && cz < n[2] &&
							 job->near[brLattice_Cell(lattice, cx, cy, cz)] != 0;
				}
				if (isNear)
				{
					growNode(job, &lattice->insideCorners[brLattice_Corner(lattice, x, y, z)], 2 * x, 2 * y, 2 * z);
				}
				if (x < n[0] && y < n[1] && z < n[2])
				{
					int64_t cell = brLattice_Cell(lattice, x, y, z);
					if (job->near[cell] != 0)
					{
						growNode(job, &lattice->insideCenters[cell], 2 * x + 1, 2 * y + 1, 2 * z + 1);
					}
				}
			}
		}
	}
}

void brLattice_Grow(brLattice* lattice, const brContext* context, const brSurfaceTree* tree, double offset,
					const uint8_t* near)
{
	GrowJob job = {lattice, tree, near, offset};
	brParallelFor(context != NULL ? context->workers : NULL, lattice->cells[2] + 1, 1, growLayers, &job);
}
