// SPDX-License-Identifier: MIT

// How much of a tet is inside: lines along an axis through it, each cut by the surface into stretches inside and
// outside. The axis is the one along which the surface is nearest, so that lines go across a thin wall and measure it;
// along it they would hit or miss it.
//
// Lengths along a line are exact; lines are on a grid of FILL_LINES squared over the tet's shadow, so the error of one
// tet is a few percent and that of many together far less. Open surfaces have no crossings to count: there the winding
// number is asked at points along the lines.

#include "volume/embedding.h"
#include "mesh/tet_faces.h"

#include "base/report.h"
#include "mesh/mesh_build.h"

#include <string.h>

#define FILL_LINES 7
#define FILL_HITS 32
#define FILL_POINTS 4

typedef struct FillJob
{
	const brSurfaceTree* tree;
	const brTetMesh* mesh;
	const brLattice* lattice;
	bool isInverted;
	double* fills;
} FillJob;

// The stretch of the line along x through (y, z) inside a positive tet. False if there is none.
static bool clipLine(const brDVec3* p, double y, double z, double* outFrom, double* outTo)
{
	double from = -INFINITY, to = INFINITY;
	for (int f = 0; f < 4; ++f)
	{
		brDVec3 a = p[brTetCorners[f][0]];
		brDVec3 n = brDCross(brDSub(p[brTetCorners[f][1]], a), brDSub(p[brTetCorners[f][2]], a));
		double rest = n.y * (y - a.y) + n.z * (z - a.z); // n.x (x - a.x) + rest <= 0 inside
		if (n.x > 0.0)
		{
			to = fmin(to, a.x - rest / n.x);
		}
		else if (n.x < 0.0)
		{
			from = fmax(from, a.x - rest / n.x);
		}
		else if (rest > 0.0)
		{
			return false;
		}
	}
	*outFrom = from, *outTo = to;
	return from < to && isfinite(from) && isfinite(to);
}

static double insideLength(const FillJob* job, brDVec3 from, brDVec3 to)
{
	double length = brDDistance(from, to);
	if (!job->tree->isClosed)
	{
		int32_t inside = 0;
		for (int i = 0; i < FILL_POINTS; ++i)
		{
			double winding = brSurfaceTree_WindingAt(job->tree, brDLerp(from, to, (i + 0.5) / FILL_POINTS));
			inside += job->isInverted ? winding < -0.5 : winding > 0.5;
		}
		return length * inside / FILL_POINTS;
	}
	brSegmentHit hits[FILL_HITS];
	int32_t count = brSurfaceTree_Segment(job->tree, from, to, hits, FILL_HITS);
	count = count < FILL_HITS ? count : FILL_HITS;
	int32_t winding = brSurfaceTree_CrossingsAt(job->tree, from);
	double last = 0.0, inside = 0.0;
	for (int32_t i = 0; i <= count; ++i)
	{
		double t = i < count ? hits[i].t : 1.0;
		inside += (job->isInverted ? winding < 0 : winding > 0) ? t - last : 0.0;
		last = t;
		winding -= i < count ? hits[i].sign : 0;
	}
	return length * inside;
}

// Turned so that `axis` is x; by 3 - axis back again.
static brDVec3 fillTurn(brDVec3 p, int32_t axis)
{
	return axis == 1 ? brMakeDVec3(p.y, p.z, p.x) : axis == 2 ? brMakeDVec3(p.z, p.x, p.y) : p;
}

// Along which axis the surface is nearest.
static int32_t fillAxis(const FillJob* job, const brDVec3* p)
{
	brDVec3 center = brDMul(0.25, brDAdd(brDAdd(p[0], p[1]), brDAdd(p[2], p[3])));
	brDVec3 way = brDSub(brSurfaceTree_ClosestWithin(job->tree, center, INFINITY).point, center);
	double x = fabs(way.x), y = fabs(way.y), z = fabs(way.z);
	return y > x && y >= z ? 1 : z > x ? 2 : 0;
}

static void fillRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const FillJob* job = user;
	for (int32_t t = begin; t < end; ++t)
	{
		brDVec3 p[4];
		brDBox3 box;
		bool allInside = true;
		for (int k = 0; k < 4; ++k)
		{
			int32_t node = job->mesh->tets[t][k];
			p[k] = job->mesh->nodes[node];
			allInside = allInside && brLattice_IsInside(job->lattice, &job->lattice->nodes.data[node]);
		}
		if (allInside && !brSurfaceTree_TouchesTet(job->tree, p))
		{
			job->fills[t] = 1.0;
			continue;
		}
		int32_t axis = fillAxis(job, p);
		box = brMakeDBox3Empty();
		for (int k = 0; k < 4; ++k)
		{
			p[k] = fillTurn(p[k], axis);
			box = brDBox3_Include(box, p[k]);
		}
		double total = 0.0, inside = 0.0;
		for (int i = 0; i < FILL_LINES * FILL_LINES; ++i)
		{
			double y = box.lower.y + (box.upper.y - box.lower.y) * (i % FILL_LINES + 0.5) / FILL_LINES;
			double z = box.lower.z + (box.upper.z - box.lower.z) * (i / FILL_LINES + 0.5) / FILL_LINES;
			double from, to;
			if (clipLine(p, y, z, &from, &to))
			{
				total += to - from;
				inside += insideLength(job, fillTurn(brMakeDVec3(from, y, z), 3 - axis),
									   fillTurn(brMakeDVec3(to, y, z), 3 - axis));
			}
		}
		double fill = total > 0.0 ? inside / total : 0.0;
		job->fills[t] = fill < 0.0 ? 0.0 : fill > 1.0 ? 1.0 : fill;
	}
}

brResult brEmbedLattice(const brContext* context, const brLattice* lattice, const brSurfaceTree* tree, bool isInverted,
						brTetMesh** outMesh, brTetInfo* info, brReport* report)
{
	brTetMeshShape shape = {.nodeCount = lattice->nodes.count, .tetCount = lattice->tets.count};
	brTetMesh* mesh = brAllocTetMesh(&lattice->allocator, &shape);
	double* fills = BR_ALLOC(&lattice->allocator, double, shape.tetCount);
	if (mesh == NULL || fills == NULL)
	{
		brDestroyTetMesh(mesh);
		BR_FREE(&lattice->allocator, fills, shape.tetCount);
		return brFailMemory(report);
	}
	for (int32_t i = 0; i < shape.nodeCount; ++i)
	{
		mesh->nodes[i] = brLattice_Position(lattice, &lattice->nodes.data[i]);
	}
	for (int32_t t = 0; t < shape.tetCount; ++t)
	{
		memcpy(mesh->tets[t], lattice->tets.data[t].nodes, sizeof(int32_t[4]));
	}
	FillJob job = {tree, mesh, lattice, isInverted, fills};
	brParallelFor(context != NULL ? context->workers : NULL, shape.tetCount, 64, fillRange, &job);

	double volume = 0.0;
	for (int32_t t = 0; t < shape.tetCount; ++t)
	{
		const int32_t* n = mesh->tets[t];
		brDVec3 a = mesh->nodes[n[0]];
		volume +=
			fills[t] / 6.0 *
			brDDot(brDCross(brDSub(mesh->nodes[n[1]], a), brDSub(mesh->nodes[n[2]], a)), brDSub(mesh->nodes[n[3]], a));
	}
	brFreeTetInfo(info);
	info->fills = fills;
	info->fillCount = shape.tetCount;
	info->volume = volume;
	*outMesh = mesh;
	return br_success;
}
