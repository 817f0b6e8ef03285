// SPDX-License-Identifier: MIT

// Cutting one cell, after Chlubna's box cutting and the dual form of Ray, Sokolov, Lefebvre and Levy (2018): what a plane
// cuts off is a patch of corners around which one new corner per edge is strung.
//
// Sizes of the whole numbers: offsets k up to 2^24 an axis, d = k.k up to 2^49.6, cross products of offsets up to 2^49
// (exact in doubles), determinants of three offsets up to 2^74.4 and of four planes up to 2^126.6.

#include "fracture/voronoi_cell.h"

#include "base/assert.h"
#include "math/predicates.h"

void brVoronoiCell_Init(brVoronoiCell* cell, const brAllocator* allocator)
{
	*cell = (brVoronoiCell){.allocator = *allocator, .path = brCpu_Best()};
}

void brVoronoiCell_Free(brVoronoiCell* cell)
{
	BR_FREE_ARRAY(&cell->allocator, &cell->planes);
	BR_FREE_ARRAY(&cell->allocator, &cell->corners);
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		BR_FREE_ARRAY(&cell->allocator, &cell->points[axis]);
	}
	BR_FREE_ARRAY(&cell->allocator, &cell->distancesSq);
	BR_FREE_ARRAY(&cell->allocator, &cell->errors);
	BR_FREE_ARRAY(&cell->allocator, &cell->heights);
	BR_FREE_ARRAY(&cell->allocator, &cell->removed);
	BR_FREE_ARRAY(&cell->allocator, &cell->starts);
}

// Room for `extra` more corners in all arrays of corners; their counts stay equal.
static bool cellReserve(brVoronoiCell* cell, int32_t extra)
{
	const brAllocator* a = &cell->allocator;
	return BR_RESERVE(a, &cell->corners, extra) && BR_RESERVE(a, &cell->points[0], extra) &&
		   BR_RESERVE(a, &cell->points[1], extra) && BR_RESERVE(a, &cell->points[2], extra) &&
		   BR_RESERVE(a, &cell->distancesSq, extra) && BR_RESERVE(a, &cell->errors, extra) &&
		   BR_RESERVE(a, &cell->heights, extra);
}

static void cellSetCount(brVoronoiCell* cell, int32_t count)
{
	cell->corners.count = count;
	cell->points[0].count = cell->points[1].count = cell->points[2].count = count;
	cell->distancesSq.count = cell->errors.count = cell->heights.count = count;
}

static void cellSetPoint(brVoronoiCell* cell, int32_t corner, double x, double y, double z, double error)
{
	cell->points[0].data[corner] = x;
	cell->points[1].data[corner] = y;
	cell->points[2].data[corner] = z;
	// Each operation loses a part in 2^53, and the corner may be off by `error` on each axis.
	double taxi = fabs(x) + fabs(y) + fabs(z) + error;
	cell->distancesSq.data[corner] = (x * x + y * y + z * z) * (1.0 + 8.0 * BR_PREDICATE_U) + 4.0 * error * taxi;
	cell->errors.data[corner] = error;
}

// What bounds the questions of the next planes.
static void cellMeasure(brVoronoiCell* cell)
{
	double reachSq = 0.0;
	double error = 0.0;
	for (int32_t i = 0; i < cell->corners.count; ++i)
	{
		reachSq = cell->distancesSq.data[i] > reachSq ? cell->distancesSq.data[i] : reachSq;
		error = cell->errors.data[i] > error ? cell->errors.data[i] : error;
	}
	cell->reachSq = reachSq;
	cell->error = error;
	cell->magnitude = sqrt(reachSq); // no coordinate is larger than the distance
}

bool brVoronoiCell_Start(brVoronoiCell* cell, int32_t site, const int32_t place[3], const int32_t size[3])
{
	cell->planes.count = 0;
	cellSetCount(cell, 0);
	if (!BR_RESERVE(&cell->allocator, &cell->planes, 6) || !cellReserve(cell, 8))
	{
		return false;
	}
	cell->site = site;
	for (int32_t side = 0; side < 6; ++side)
	{
		int32_t axis = side / 2;
		double sign = side % 2 == 0 ? -1.0 : 1.0;
		double d = 2.0 * (side % 2 == 0 ? place[axis] : size[axis] - place[axis]);
		cell->planes.data[side] =
			(brCellPlane){axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0, d, -1 - side};
	}
	cell->planes.count = 6;
	// Corner b has the upper side of axis a if bit a is set. Two planes meet in the edge that flips the third's axis.
	cellSetCount(cell, 8);
	for (int32_t b = 0; b < 8; ++b)
	{
		bool isEven = (b & 1 ? 1 : -1) * (b & 2 ? 1 : -1) * (b & 4 ? 1 : -1) > 0;
		int32_t axes[3] = {0, isEven ? 1 : 2, isEven ? 2 : 1};
		double point[3];
		for (int32_t e = 0; e < 3; ++e)
		{
			int32_t axis = axes[e];
			int32_t plane = 2 * axis + (b >> axis & 1);
			cell->corners.data[b].planes[e] = plane;
			cell->corners.data[b].across[e] = b ^ (1 << axes[(e + 2) % 3]);
			point[axis] = plane % 2 == 0 ? -cell->planes.data[plane].d : cell->planes.data[plane].d;
		}
		cellSetPoint(cell, b, point[0], point[1], point[2], 0.0);
	}
	cellMeasure(cell);
	return true;
}

typedef struct CellInts
{
	int64_t x, y, z, d;
} CellInts;

static CellInts cellInts(const brCellPlane* plane)
{
	return (CellInts){(int64_t)plane->x, (int64_t)plane->y, (int64_t)plane->z, (int64_t)plane->d};
}

static CellInts cellCross(CellInts a, CellInts b)
{
	return (CellInts){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, 0};
}

static brInt128 cellDot(CellInts a, CellInts b)
{
	return (brInt128)a.x * b.x + (brInt128)a.y * b.y + (brInt128)a.z * b.z;
}

void brCellCorner_Exact(const brCellPlane* a, const brCellPlane* b, const brCellPlane* c, brInt128 outPoint[3],
						brInt128* outDenominator)
{
	CellInts ka = cellInts(a), kb = cellInts(b), kc = cellInts(c);
	CellInts bc = cellCross(kb, kc), ca = cellCross(kc, ka), ab = cellCross(ka, kb);
	outPoint[0] = (brInt128)ka.d * bc.x + (brInt128)kb.d * ca.x + (brInt128)kc.d * ab.x;
	outPoint[1] = (brInt128)ka.d * bc.y + (brInt128)kb.d * ca.y + (brInt128)kc.d * ab.y;
	outPoint[2] = (brInt128)ka.d * bc.z + (brInt128)kb.d * ca.z + (brInt128)kc.d * ab.z;
	*outDenominator = cellDot(ka, bc);
}

// Exact: whether a corner lies beyond plane `last`. With the cofactors C of the column d,
//   (k_m . X - d_m) D = d_a C_a + d_b C_b + d_c C_c - d_m D.
// Weights add e_i - e_j to the d of the plane to site j, and of those weights the one with the lowest index rules.
static bool cellIsBeyondExact(const brVoronoiCell* cell, const brCellCorner* corner, const brCellPlane* last)
{
	const brCellPlane* planes[4] = {&cell->planes.data[corner->planes[0]], &cell->planes.data[corner->planes[1]],
									&cell->planes.data[corner->planes[2]], last};
	CellInts k[4] = {cellInts(planes[0]), cellInts(planes[1]), cellInts(planes[2]), cellInts(planes[3])};
	CellInts bc = cellCross(k[1], k[2]);
	brInt128 cofactors[4] = {cellDot(k[3], bc), cellDot(k[3], cellCross(k[2], k[0])),
							 cellDot(k[3], cellCross(k[0], k[1])), -cellDot(k[0], bc)};
	// The corners turn left, so D > 0 and the sum has the sign of the height.
	BR_ASSERT(cofactors[3] < 0);
	brInt128 sum = 0;
	brInt128 own = 0;
	for (int32_t i = 0; i < 4; ++i)
	{
		sum += k[i].d * cofactors[i];
		own += planes[i]->site >= 0 ? cofactors[i] : 0;
	}
	if (sum != 0)
	{
		return sum > 0;
	}
	int32_t ruler = own != 0 ? cell->site : INT32_MAX;
	brInt128 change = own;
	for (int32_t i = 0; i < 4; ++i)
	{
		if (planes[i]->site >= 0 && planes[i]->site < ruler && cofactors[i] != 0)
		{
			ruler = planes[i]->site;
			change = -cofactors[i];
		}
	}
	BR_ASSERT(change != 0);
	return change > 0;
}

// Heights of all corners over the plane; whether one is above `level`. Lanes hold corners, so wide and plain give the
// same bits.
static inline __attribute__((always_inline)) bool cellHeightsBody(const brVoronoiCell* cell, const brCellPlane* plane,
																  double level)
{
	const double* restrict x = cell->points[0].data;
	const double* restrict y = cell->points[1].data;
	const double* restrict z = cell->points[2].data;
	double* restrict heights = cell->heights.data;
	double kx = plane->x, ky = plane->y, kz = plane->z, d = plane->d;
	int32_t count = cell->corners.count;
	int64_t above = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		heights[i] = kx * x[i] + ky * y[i] + kz * z[i] - d;
		above |= heights[i] >= level;
	}
	return above != 0;
}

static bool cellHeightsPlain(const brVoronoiCell* cell, const brCellPlane* plane, double level)
{
	return cellHeightsBody(cell, plane, level);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static bool cellHeightsAvx2(const brVoronoiCell* cell, const brCellPlane* plane,
															double level)
{
	return cellHeightsBody(cell, plane, level);
}
#endif

static bool cellHeights(const brVoronoiCell* cell, const brCellPlane* plane, double level)
{
#ifdef __x86_64__
	if (cell->path >= br_cpuAvx2)
	{
		return cellHeightsAvx2(cell, plane, level);
	}
#endif
	return cellHeightsPlain(cell, plane, level);
}

static inline double cellLargest(double a, double b, double c)
{
	double ab = a > b ? a : b;
	return ab > c ? ab : c;
}

// Where the planes of a new corner meet, rounded, with a bound for the error.
static void cellPlaceCorner(brVoronoiCell* cell, int32_t corner)
{
	const int32_t* planes = cell->corners.data[corner].planes;
	const brCellPlane *a = &cell->planes.data[planes[0]], *b = &cell->planes.data[planes[1]],
					  *c = &cell->planes.data[planes[2]];
	// Exact: 24 bits times 24 bits.
	double bcx = b->y * c->z - b->z * c->y, bcy = b->z * c->x - b->x * c->z, bcz = b->x * c->y - b->y * c->x;
	double cax = c->y * a->z - c->z * a->y, cay = c->z * a->x - c->x * a->z, caz = c->x * a->y - c->y * a->x;
	double abx = a->y * b->z - a->z * b->y, aby = a->z * b->x - a->x * b->z, abz = a->x * b->y - a->y * b->x;
	double d = a->x * bcx + a->y * bcy + a->z * bcz;
	double inv = 1.0 / d;
	double x = (a->d * bcx + b->d * cax + c->d * abx) * inv;
	double y = (a->d * bcy + b->d * cay + c->d * aby) * inv;
	double z = (a->d * bcz + b->d * caz + c->d * abz) * inv;
	// Each sum of three products is off by at most 3u times the sum of their sizes, and the division adds 2u.
	double dSize = fabs(a->x * bcx) + fabs(a->y * bcy) + fabs(a->z * bcz);
	double nSize = a->d * cellLargest(fabs(bcx), fabs(bcy), fabs(bcz)) +
				   b->d * cellLargest(fabs(cax), fabs(cay), fabs(caz)) +
				   c->d * cellLargest(fabs(abx), fabs(aby), fabs(abz));
	double size = cellLargest(fabs(x), fabs(y), fabs(z));
	double error = 4.0 * BR_PREDICATE_U * ((nSize + size * dSize) * fabs(inv) + size);
	// Planes that are all but parallel: the bound must stay small for the filters to answer, and d of the right sign.
	if (!(d > 4.0 * BR_PREDICATE_U * dSize) || error > 0x1p-40 * (1.0 + size))
	{
		brInt128 exact[3], denominator;
		brCellCorner_Exact(a, b, c, exact, &denominator);
		BR_ASSERT(denominator > 0);
		x = (double)exact[0] / (double)denominator;
		y = (double)exact[1] / (double)denominator;
		z = (double)exact[2] / (double)denominator;
		error = 4.0 * BR_PREDICATE_U * cellLargest(fabs(x), fabs(y), fabs(z));
	}
	cellSetPoint(cell, corner, x, y, z, error);
}

// Corner `from` becomes corner `to`; its neighbours hear of it.
static void cellMoveCorner(brVoronoiCell* cell, int32_t from, int32_t to)
{
	cell->corners.data[to] = cell->corners.data[from];
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		cell->points[axis].data[to] = cell->points[axis].data[from];
	}
	cell->distancesSq.data[to] = cell->distancesSq.data[from];
	cell->errors.data[to] = cell->errors.data[from];
	for (int32_t e = 0; e < 3; ++e)
	{
		brCellCorner* other = &cell->corners.data[cell->corners.data[to].across[e]];
		for (int32_t f = 0; f < 3; ++f)
		{
			other->across[f] = other->across[f] == from ? to : other->across[f];
		}
	}
}

bool brVoronoiCell_Cut(brVoronoiCell* cell, int32_t site, const int32_t k[3])
{
	if ((k[0] | k[1] | k[2]) == 0)
	{
		if (site < cell->site)
		{
			cellSetCount(cell, 0);
			cellMeasure(cell);
		}
		return true;
	}
	brCellPlane plane = {k[0], k[1], k[2], 0.0, site};
	plane.d = plane.x * plane.x + plane.y * plane.y + plane.z * plane.z;

	// One bound serves all corners: their own errors, and three products, three sums of rounding.
	double taxi = fabs(plane.x) + fabs(plane.y) + fabs(plane.z);
	double bound = taxi * (cell->error + 8.0 * BR_PREDICATE_U * cell->magnitude) + 8.0 * BR_PREDICATE_U * plane.d;
	if (!cellHeights(cell, &plane, -bound))
	{
		return true;
	}
	int32_t count = cell->corners.count;
	cell->removed.count = 0;
	if (!BR_RESERVE(&cell->allocator, &cell->removed, count))
	{
		return false;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		double height = cell->heights.data[i];
		bool isBeyond = fabs(height) > bound ? height > 0.0 : cellIsBeyondExact(cell, &cell->corners.data[i], &plane);
		if (isBeyond)
		{
			cell->removed.data[cell->removed.count++] = i;
		}
		cell->heights.data[i] = isBeyond ? 1.0 : -1.0;
	}
	int32_t removedCount = cell->removed.count;
	if (removedCount == 0)
	{
		return true;
	}
	if (removedCount == count)
	{
		// Only a site outside the box can be nearer everywhere.
		cellSetCount(cell, 0);
		cellMeasure(cell);
		return true;
	}

	// A new corner for every edge that leaves the removed patch, strung in a ring about the new plane.
	int32_t added = cell->planes.count;
	if (!BR_PUSH(&cell->allocator, &cell->planes, plane) || !cellReserve(cell, removedCount + 2) ||
		!BR_RESERVE(&cell->allocator, &cell->starts, added + 1 - cell->starts.count))
	{
		return false;
	}
	int32_t next = count;
	for (int32_t r = 0; r < removedCount; ++r)
	{
		int32_t v = cell->removed.data[r];
		for (int32_t e = 0; e < 3; ++e)
		{
			const brCellCorner* old = &cell->corners.data[v];
			int32_t u = old->across[e];
			if (cell->heights.data[u] > 0.0)
			{
				continue;
			}
			BR_ASSERT(next < count + removedCount + 2); // a tree of r corners of three edges has at most r + 2 leaves
			int32_t a = old->planes[e], b = old->planes[e == 2 ? 0 : e + 1];
			cell->corners.data[next] = (brCellCorner){{a, b, added}, {u, -1, -1}};
			brCellCorner* kept = &cell->corners.data[u];
			for (int32_t f = 0; f < 3; ++f)
			{
				kept->across[f] = kept->across[f] == v ? next : kept->across[f];
			}
			cell->starts.data[a] = next++;
		}
	}
	for (int32_t n = count; n < next; ++n)
	{
		int32_t other = cell->starts.data[cell->corners.data[n].planes[1]];
		cell->corners.data[n].across[1] = other;
		cell->corners.data[other].across[2] = n;
	}
	cellSetCount(cell, next);
	for (int32_t n = count; n < next; ++n)
	{
		cellPlaceCorner(cell, n);
	}
	// Close the gaps from the back: each removed corner takes the place's last one that stays.
	int32_t last = next - 1;
	for (int32_t r = 0; r < removedCount; ++r)
	{
		int32_t hole = cell->removed.data[r];
		while (last < count && last > hole && cell->heights.data[last] > 0.0)
		{
			--last;
		}
		if (last <= hole)
		{
			break;
		}
		cellMoveCorner(cell, last--, hole);
	}
	cellSetCount(cell, next - removedCount);
	cellMeasure(cell);
	return true;
}

bool brVoronoiCell_Volume(brVoronoiCell* cell, double* outVolume)
{
	// Cones from the site over fans of each facet, about the corner of it that comes first. Facets turn left, and at each
	// corner leave along the edge to the plane before.
	if (!BR_RESERVE(&cell->allocator, &cell->starts, cell->planes.count))
	{
		return false;
	}
	int32_t* firsts = cell->starts.data;
	for (int32_t i = 0; i < cell->planes.count; ++i)
	{
		firsts[i] = -1;
	}
	const double *x = cell->points[0].data, *y = cell->points[1].data, *z = cell->points[2].data;
	double sum = 0.0;
	for (int32_t i = 0; i < cell->corners.count; ++i)
	{
		const brCellCorner* corner = &cell->corners.data[i];
		for (int32_t e = 0; e < 3; ++e)
		{
			int32_t plane = corner->planes[e];
			if (firsts[plane] < 0)
			{
				firsts[plane] = i;
				continue; // the fan has nothing at its own tip
			}
			int32_t f = firsts[plane], n = corner->across[e == 0 ? 2 : e - 1];
			sum += x[f] * (y[i] * z[n] - z[i] * y[n]) + y[f] * (z[i] * x[n] - x[i] * z[n]) +
				   z[f] * (x[i] * y[n] - y[i] * x[n]);
		}
	}
	*outVolume = sum / 48.0; // six for the determinant, eight for the doubled coordinates
	return true;
}
