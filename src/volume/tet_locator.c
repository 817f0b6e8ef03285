// SPDX-License-Identifier: MIT

// Which tet is a point in? A grid of about one cell a tet lists the tets whose boxes touch each cell, in rising order.
// Points outside look at rings of cells around their own until no nearer tet can be left.

#include "base/report.h"
#include "mesh/tet_faces.h"
#include "volume/surface_tree.h"

#include <stdlib.h>
#include <string.h>

#define LOCATOR_MAX_CELLS ((int64_t)1 << 26)
#define LOCATOR_BLOCK 512

struct brTetLocator
{
	brAllocator allocator;
	const brTetMesh* mesh;
	brDBox3 bounds;
	double cell; // [m]
	int32_t counts[3];
	int64_t cellCount;
	int64_t itemCount;
	int64_t* starts; // [cellCount + 2]
	int32_t* items;  // [itemCount]
};

static void locatorRange(const brTetLocator* locator, brDVec3 lower, brDVec3 upper, int32_t* low, int32_t* high)
{
	for (int k = 0; k < 3; ++k)
	{
		double first = floor(((&lower.x)[k] - (&locator->bounds.lower.x)[k]) / locator->cell);
		double last = floor(((&upper.x)[k] - (&locator->bounds.lower.x)[k]) / locator->cell);
		int32_t most = locator->counts[k] - 1;
		low[k] = first > 0.0 ? (first < most ? (int32_t)first : most) : 0;
		high[k] = last > 0.0 ? (last < most ? (int32_t)last : most) : 0;
	}
}

static inline int64_t locatorCell(const brTetLocator* locator, int32_t x, int32_t y, int32_t z)
{
	return x + (int64_t)locator->counts[0] * (y + (int64_t)locator->counts[1] * z);
}

// Counts the entries of each cell, or writes them.
static void listTets(brTetLocator* locator, bool isWriting)
{
	const brTetMesh* mesh = locator->mesh;
	for (int32_t t = 0; t < mesh->tetCount; ++t)
	{
		brDBox3 box = brMakeDBox3Empty();
		for (int k = 0; k < 4; ++k)
		{
			box = brDBox3_Include(box, mesh->nodes[mesh->tets[t][k]]);
		}
		int32_t low[3], high[3];
		locatorRange(locator, box.lower, box.upper, low, high);
		for (int32_t z = low[2]; z <= high[2]; ++z)
		{
			for (int32_t y = low[1]; y <= high[1]; ++y)
			{
				for (int32_t x = low[0]; x <= high[0]; ++x)
				{
					int64_t cell = locatorCell(locator, x, y, z);
					if (isWriting)
					{
						locator->items[locator->starts[cell + 1]++] = t;
					}
					else
					{
						locator->starts[cell + 2] += 1;
					}
				}
			}
		}
	}
}

brResult brCreateTetLocator(const brContext* context, const brTetMesh* mesh, brTetLocator** outLocator,
							brReport* report)
{
	if (mesh == NULL || outLocator == NULL)
	{
		return brFail(report, br_errorMisuse, "a locator needs a tet mesh and a place for the result");
	}
	if (mesh->tetCount == 0)
	{
		return brFail(report, br_errorGeometry, "the mesh has no tets");
	}
	brAllocator allocator = brContext_Allocator(context);
	brTetLocator* locator = BR_ALLOC_ZERO(&allocator, brTetLocator, 1);
	if (locator == NULL)
	{
		return brFailMemory(report);
	}
	locator->allocator = allocator;
	locator->mesh = mesh;
	locator->bounds = brMakeDBox3Empty();
	double sizes = 0.0;
	for (int32_t t = 0; t < mesh->tetCount; ++t)
	{
		brDBox3 box = brMakeDBox3Empty();
		for (int k = 0; k < 4; ++k)
		{
			box = brDBox3_Include(box, mesh->nodes[mesh->tets[t][k]]);
		}
		locator->bounds = brDBox3_Union(locator->bounds, box);
		brDVec3 size = brDSub(box.upper, box.lower);
		sizes += (size.x + size.y + size.z) / 3.0;
	}
	// Cells of the size of a tet, larger if that made too many.
	brDVec3 extent = brDSub(locator->bounds.upper, locator->bounds.lower);
	locator->cell = sizes / mesh->tetCount;
	locator->cell = locator->cell > 0.0 ? locator->cell : 1.0;
	for (bool fits = false; !fits; locator->cell *= fits ? 1.0 : 1.5)
	{
		double total = 1.0;
		for (int k = 0; k < 3; ++k)
		{
			total *= floor((&extent.x)[k] / locator->cell) + 1.0;
		}
		fits = total <= (double)LOCATOR_MAX_CELLS && total <= 64.0 * mesh->tetCount + 64.0;
	}
	for (int k = 0; k < 3; ++k)
	{
		locator->counts[k] = (int32_t)floor((&extent.x)[k] / locator->cell) + 1;
	}
	locator->cellCount = (int64_t)locator->counts[0] * locator->counts[1] * locator->counts[2];
	locator->starts = BR_ALLOC_ZERO(&allocator, int64_t, locator->cellCount + 2);
	bool complete = locator->starts != NULL;
	if (complete)
	{
		listTets(locator, false);
		for (int64_t i = 0; i < locator->cellCount; ++i)
		{
			locator->starts[i + 2] += locator->starts[i + 1];
		}
		locator->itemCount = locator->starts[locator->cellCount + 1];
		locator->items = BR_ALLOC(&allocator, int32_t, locator->itemCount);
		complete = locator->items != NULL;
	}
	if (!complete)
	{
		brDestroyTetLocator(locator);
		return brFailMemory(report);
	}
	listTets(locator, true);
	*outLocator = locator;
	return brSucceed(report);
}

void brDestroyTetLocator(brTetLocator* locator)
{
	if (locator == NULL)
	{
		return;
	}
	brAllocator allocator = locator->allocator;
	BR_FREE(&allocator, locator->starts, locator->cellCount + 2);
	BR_FREE(&allocator, locator->items, locator->itemCount);
	BR_FREE(&allocator, locator, 1);
}

// Barycentric coordinates; false for a flat tet.
static bool findWeights(const brTetMesh* mesh, int32_t tet, brDVec3 p, double* weights)
{
	const int32_t* n = mesh->tets[tet];
	brDVec3 a = mesh->nodes[n[0]];
	brDVec3 u = brDSub(mesh->nodes[n[1]], a), v = brDSub(mesh->nodes[n[2]], a), w = brDSub(mesh->nodes[n[3]], a);
	brDVec3 q = brDSub(p, a);
	brDVec3 vw = brDCross(v, w);
	double det = brDDot(u, vw);
	weights[1] = brDDot(q, vw) / det;
	weights[2] = brDDot(u, brDCross(q, w)) / det;
	weights[3] = brDDot(u, brDCross(v, q)) / det;
	weights[0] = 1.0 - weights[1] - weights[2] - weights[3];
	return det != 0.0;
}

static bool findAround(const brTetLocator* locator, brDVec3 p, brTetPoint* out)
{
	*out = (brTetPoint){.tet = -1, .distance = INFINITY};
	const brDVec3 *lower = &locator->bounds.lower, *upper = &locator->bounds.upper;
	if (!(p.x >= lower->x && p.x <= upper->x && p.y >= lower->y && p.y <= upper->y && p.z >= lower->z &&
		  p.z <= upper->z))
	{
		return false;
	}
	int32_t low[3], high[3];
	locatorRange(locator, p, p, low, high);
	int64_t cell = locatorCell(locator, low[0], low[1], low[2]);
	for (int64_t i = locator->starts[cell]; i < locator->starts[cell + 1]; ++i)
	{
		double weights[4];
		if (findWeights(locator->mesh, locator->items[i], p, weights) && weights[0] >= 0.0 && weights[1] >= 0.0 &&
			weights[2] >= 0.0 && weights[3] >= 0.0)
		{
			out->tet = locator->items[i];
			memcpy(out->weights, weights, sizeof(weights));
			out->distance = 0.0;
			return true;
		}
	}
	return false;
}

// Distance to a tet that the point is not in.
static double tetDistance(const brTetMesh* mesh, int32_t tet, brDVec3 p)
{
	double best = INFINITY;
	for (int f = 0; f < 4; ++f)
	{
		brDVec3 corners[3];
		for (int k = 0; k < 3; ++k)
		{
			corners[k] = mesh->nodes[mesh->tets[tet][brTetCorners[f][k]]];
		}
		brSurfaceFeature feature;
		int32_t index;
		best = fmin(best, brDDistance(p, brTriangleClosest(corners, p, &feature, &index)));
	}
	return best;
}

// Tets of one cell that are nearer than the nearest so far; of equally near ones the lowest.
static void findNearerInCell(const brTetLocator* locator, int32_t x, int32_t y, int32_t z, brDVec3 p, brTetPoint* out)
{
	if (x < 0 || y < 0 || z < 0 || x >= locator->counts[0] || y >= locator->counts[1] || z >= locator->counts[2])
	{
		return;
	}
	int64_t cell = locatorCell(locator, x, y, z);
	for (int64_t i = locator->starts[cell]; i < locator->starts[cell + 1]; ++i)
	{
		int32_t tet = locator->items[i];
		double weights[4];
		double distance = tetDistance(locator->mesh, tet, p);
		if ((distance < out->distance || (distance == out->distance && tet < out->tet)) &&
			findWeights(locator->mesh, tet, p, weights))
		{
			out->tet = tet;
			out->distance = distance;
			memcpy(out->weights, weights, sizeof(weights));
		}
	}
}

// Shells of cells around the one with the point, until the next is farther than what was found.
static void findNearest(const brTetLocator* locator, brDVec3 p, brTetPoint* out)
{
	int32_t center[3], same[3];
	locatorRange(locator, p, p, center, same);
	int32_t most = locator->counts[0] > locator->counts[1] ? locator->counts[0] : locator->counts[1];
	most = locator->counts[2] > most ? locator->counts[2] : most;
	for (int32_t ring = 0; ring <= most; ++ring)
	{
		// Cells of this ring are at least ring - 1 cells away.
		if (out->tet >= 0 && (ring - 1) * locator->cell > out->distance)
		{
			break;
		}
		for (int32_t z = center[2] - ring; z <= center[2] + ring; ++z)
		{
			for (int32_t y = center[1] - ring; y <= center[1] + ring; ++y)
			{
				// Rows inside the shell have a cell at either end.
				bool isShell = abs(z - center[2]) == ring || abs(y - center[1]) == ring;
				int32_t step = isShell ? 1 : 2 * ring;
				for (int32_t x = center[0] - ring; x <= center[0] + ring; x += step)
				{
					findNearerInCell(locator, x, y, z, p, out);
				}
			}
		}
	}
}

typedef struct LocateBatch
{
	const brTetLocator* locator;
	const brDVec3* points;
	brTetPoint* out;
	bool isNearest;
} LocateBatch;

static void locateRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const LocateBatch* batch = user;
	for (int32_t i = begin; i < end; ++i)
	{
		if (!findAround(batch->locator, batch->points[i], &batch->out[i]) && batch->isNearest)
		{
			findNearest(batch->locator, batch->points[i], &batch->out[i]);
		}
	}
}

void brTetLocator_Find(const brTetLocator* locator, const brContext* context, const brDVec3* points, int32_t count,
					   brTetPoint* outPoints)
{
	LocateBatch batch = {locator, points, outPoints, false};
	brParallelFor(context != NULL ? context->workers : NULL, count, LOCATOR_BLOCK, locateRange, &batch);
}

void brTetLocator_Embed(const brTetLocator* locator, const brContext* context, const brDVec3* points, int32_t count,
						brTetPoint* outPoints)
{
	LocateBatch batch = {locator, points, outPoints, true};
	brParallelFor(context != NULL ? context->workers : NULL, count, LOCATOR_BLOCK, locateRange, &batch);
}
