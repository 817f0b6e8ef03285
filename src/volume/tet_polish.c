// SPDX-License-Identifier: MIT

// Where the surface passes between cells of different size, one tet in some ten thousand comes out flat. A node of it
// is tried in fourteen directions, at steps that halve, and goes where the worst tet around it is best (pattern search
// on the quality, as in Freitag and Ollivier-Gooch 1997). Nodes are taken in order and one at a time, so the outcome
// depends on nothing else. Cost: that of the bad tets.

#include "volume/tet_polish.h"

#include "base/array.h"
#include "base/buckets.h"

#define POLISH_SWEEPS 24
#define POLISH_STEPS 5
#define POLISH_FIRST_STEP 0.3 // of the shortest edge at the node

typedef struct Polisher
{
	brTetMesh* mesh;
	const brSurfaceTree* tree;
	double offset;
	double small, large;        // 1 - cosine of the smallest angle that will do, 1 + that of the largest
	brBuckets corners;          // of tets, four each, by node
	const uint8_t* isOnSurface; // [nodeCount]
} Polisher;

// 1 and more: all angles will do; 0: flat; below: inverted.
static double polishQuality(const Polisher* p, const brDVec3 n[4])
{
	brDVec3 a = brDSub(n[1], n[0]), b = brDSub(n[2], n[0]), c = brDSub(n[3], n[0]);
	double volume = brDDot(brDCross(a, b), c);
	brDVec3 d = brDSub(n[2], n[1]), e = brDSub(n[3], n[1]);
	// Outward normals of the faces across from nodes 0 to 3.
	brDVec3 normals[4] = {brDCross(d, e), brDCross(c, b), brDCross(a, c), brDCross(b, a)};
	double worst = INFINITY;
	for (int i = 0; i < 4; ++i)
	{
		double length = brDLength(normals[i]);
		if (!(length > 0.0))
		{
			return -1.0;
		}
		normals[i] = brDMul(1.0 / length, normals[i]);
	}
	for (int i = 0; i < 4; ++i)
	{
		for (int j = i + 1; j < 4; ++j)
		{
			double cosine = -brDDot(normals[i], normals[j]);
			double room = cosine > 0.0 ? (1.0 - cosine) / p->small : (1.0 + cosine) / p->large;
			worst = room < worst ? room : worst;
		}
	}
	return volume > 0.0 ? worst : -1.0 - worst;
}

static double polishTet(const Polisher* p, int32_t tet)
{
	const int32_t* n = p->mesh->tets[tet];
	brDVec3 places[4] = {p->mesh->nodes[n[0]], p->mesh->nodes[n[1]], p->mesh->nodes[n[2]], p->mesh->nodes[n[3]]};
	return polishQuality(p, places);
}

// The worst tet at a node, if the node were elsewhere; no need to know it exactly below `enough`.
static double polishAround(const Polisher* p, int32_t node, brDVec3 place, double enough)
{
	double worst = INFINITY;
	for (int32_t k = p->corners.starts[node]; k < p->corners.starts[node + 1] && worst > enough; ++k)
	{
		const int32_t* n = p->mesh->tets[p->corners.items[k] / 4];
		brDVec3 places[4];
		for (int i = 0; i < 4; ++i)
		{
			places[i] = n[i] == node ? place : p->mesh->nodes[n[i]];
		}
		double quality = polishQuality(p, places);
		worst = quality < worst ? quality : worst;
	}
	return worst;
}

// A place for a node of the boundary: as far from the surface as it is now, up to the offset.
static brDVec3 polishProject(const Polisher* p, brDVec3 place)
{
	brClosestPoint closest = brSurfaceTree_ClosestWithin(p->tree, place, INFINITY);
	double keep = closest.distance > 0.0 ? fmin(1.0, p->offset / closest.distance) : 0.0;
	return brDLerp(closest.point, place, keep);
}

// True if the node moved to a better place.
static bool polishNode(Polisher* p, int32_t node)
{
	static const double d = 0.57735026918962576;
	static const brDVec3 directions[14] = {{1, 0, 0},  {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},  {0, 0, 1},
										   {0, 0, -1}, {d, d, d},   {d, d, -d},  {d, -d, d},  {d, -d, -d},
										   {-d, d, d}, {-d, d, -d}, {-d, -d, d}, {-d, -d, -d}};
	brDVec3 at = p->mesh->nodes[node];
	double shortest = INFINITY;
	for (int32_t k = p->corners.starts[node]; k < p->corners.starts[node + 1]; ++k)
	{
		const int32_t* n = p->mesh->tets[p->corners.items[k] / 4];
		for (int i = 0; i < 4; ++i)
		{
			shortest = n[i] != node ? fmin(shortest, brDDistance(at, p->mesh->nodes[n[i]])) : shortest;
		}
	}
	double best = polishAround(p, node, at, -INFINITY), before = best;
	double step = POLISH_FIRST_STEP * shortest;
	for (int32_t halving = 0; halving < POLISH_STEPS && best < 1.0; ++halving, step *= 0.5)
	{
		brDVec3 from = at;
		for (int i = 0; i < 14; ++i)
		{
			brDVec3 place = brDMulAdd(from, step, directions[i]);
			place = p->isOnSurface[node] ? polishProject(p, place) : place;
			double quality = polishAround(p, node, place, best);
			if (quality > best)
			{
				best = quality;
				at = place;
			}
		}
	}
	p->mesh->nodes[node] = at;
	return best > before;
}

bool brPolishTets(const brAllocator* allocator, brTetMesh* mesh, const brSurfaceTree* tree, double offset,
				  const uint8_t* isOnSurface, double least, double most)
{
	Polisher p = {.mesh = mesh, .tree = tree, .offset = offset, .isOnSurface = isOnSurface};
	p.small = 1.0 - brCos(least), p.large = 1.0 + brCos(most);
	BR_ARRAY(int32_t) bad = {0};
	bool complete = brBuckets_Make(&p.corners, allocator, (const int32_t*)(const void*)mesh->tets, 4 * mesh->tetCount,
								   mesh->nodeCount);
	for (int32_t t = 0; complete && t < mesh->tetCount; ++t)
	{
		complete = polishTet(&p, t) >= 1.0 || BR_PUSH(allocator, &bad, t);
	}
	bool isBetter = true;
	for (int32_t sweep = 0; complete && isBetter && sweep < POLISH_SWEEPS; ++sweep)
	{
		isBetter = false;
		for (int32_t k = 0; k < bad.count; ++k)
		{
			for (int i = 0; i < 4 && polishTet(&p, bad.data[k]) < 1.0; ++i)
			{
				isBetter = polishNode(&p, mesh->tets[bad.data[k]][i]) || isBetter;
			}
		}
	}
	BR_FREE_ARRAY(allocator, &bad);
	brBuckets_Free(&p.corners, allocator);
	return complete;
}
