// SPDX-License-Identifier: MIT

// A solid as convex hulls: the part with the largest gap between itself and its hull is cut by the plane that leaves the
// smallest gaps, again and again. Planes are tried along faces beside its sharpest reflex edges, where polyhedra want
// to be cut, and across the axes of its box, where round things do.

#include "brittle/convex.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/memory.h"
#include "base/report.h"
#include "brittle/cut.h"
#include "mesh/face_area.h"
#include "mesh/hull.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
	convexMost = 1024,
	convexReflex = 5,   // edges whose planes are tried
	convexSlices = 3,   // across each axis of the box
	convexCorners = 64, // of hulls that have too many
};

#define CONVEX_FLAT 1e-6  // of the size: corners of hulls so near to a plane lie in it
#define CONVEX_FIT 1e-3   // of the size: how far simplified hulls may be off
#define CONVEX_GAP 1e-4   // of the solid's volume: parts that miss less are convex enough
#define CONVEX_EQUAL 1e-6 // share by which one cut must be better than another
#define CONVEX_DUST 1e-8  // share of a part's volume: slivers along a cut, whose hulls would be no solids in a file
#define CONVEX_TURN 0.05  // sine of the angle between two faces from which an edge is reflex

typedef struct ConvexPart
{
	brMesh* mesh;
	brMesh* hull;
	double volume, hullVolume, outside;
	bool isDone; // no plane makes it better
} ConvexPart;

typedef BR_ARRAY(ConvexPart) ConvexPartArray;

typedef struct ConvexPlane
{
	brDVec3 point, normal;
} ConvexPlane;

typedef struct ConvexEdge
{
	int32_t low, high, face;
} ConvexEdge;

brConvexDef brDefaultConvexDef(void)
{
	return (brConvexDef){.most = 16, .error = 0.05, .stamp = BR_STAMP(brConvexDef)};
}

static void convexFree(const brAllocator* allocator, ConvexPartArray* parts)
{
	for (int32_t i = 0; i < parts->count; ++i)
	{
		brDestroyMesh(parts->data[i].mesh);
		brDestroyMesh(parts->data[i].hull);
	}
	BR_FREE_ARRAY(allocator, parts);
}

// The hull of a part, simplified if it has too many corners. A flat part has none, and no volume to speak of.
static brResult convexHull(const brContext* context, ConvexPart* part)
{
	brAllocator allocator = brContext_Allocator(context);
	brDBox3 box = brMesh_ComputeBounds(part->mesh);
	double size = brDDistance(box.lower, box.upper);
	part->volume = brMesh_ComputeMass(part->mesh, 1.0).volume;
	brResult result =
		brMakeHull(context, part->mesh->positions, part->mesh->vertexCount, CONVEX_FLAT * size, &part->hull, NULL);
	if (result < 0 && result != br_errorMemory)
	{
		brHullFit fit = {.tolerance = CONVEX_FIT * size, .most = convexCorners};
		result = brFitHull(&allocator, part->mesh->positions, part->mesh->vertexCount, &fit, NULL);
		result =
			result < 0 ? result : brMakeHull(context, fit.corners, fit.count, CONVEX_FLAT * size, &part->hull, NULL);
		part->outside = fit.error;
	}
	part->hullVolume = part->hull != NULL ? brMesh_ComputeMass(part->hull, 1.0).volume : 0.0;
	return result == br_errorMemory ? result : br_success;
}

static int convexCompareEdges(const void* a, const void* b)
{
	const ConvexEdge *x = a, *y = b;
	return x->low != y->low     ? (x->low < y->low ? -1 : 1)
		   : x->high != y->high ? (x->high < y->high ? -1 : 1)
								: (x->face > y->face) - (x->face < y->face);
}

// How far a face reaches over the plane of its neighbor; 0 where the edge between them is not reflex.
static double convexRise(const brMesh* mesh, int32_t face, brDVec3 point, brDVec3 normal)
{
	double rise = 0.0;
	for (int32_t i = mesh->faceStarts[face]; i < mesh->faceStarts[face + 1]; ++i)
	{
		rise = fmax(rise, brDDot(normal, brDSub(mesh->positions[mesh->corners[i]], point)));
	}
	return rise;
}

// Planes of the faces beside the reflex edges over which most rises.
static int32_t convexReflexPlanes(const brMesh* mesh, ConvexEdge* edges, ConvexPlane* out)
{
	double scores[convexReflex] = {0.0};
	int32_t chosen[convexReflex], count = 0, edgeCount = 0;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		int32_t first = mesh->faceStarts[f], size = mesh->faceStarts[f + 1] - first;
		for (int32_t k = 0; k < size; ++k)
		{
			int32_t a = mesh->corners[first + k], b = mesh->corners[first + (k + 1) % size];
			edges[edgeCount++] = (ConvexEdge){a < b ? a : b, a < b ? b : a, f};
		}
	}
	qsort(edges, (size_t)edgeCount, sizeof(*edges), convexCompareEdges);
	for (int32_t i = 0; i + 1 < edgeCount; ++i)
	{
		if (edges[i].low != edges[i + 1].low || edges[i].high != edges[i + 1].high)
		{
			continue;
		}
		brDVec3 p = mesh->positions[edges[i].low], q = mesh->positions[edges[i].high];
		brDVec3 n = brDNormalize(brMesh_FaceArea(mesh, edges[i].face)),
				m = brDNormalize(brMesh_FaceArea(mesh, edges[i + 1].face));
		double rise = convexRise(mesh, edges[i + 1].face, p, n);
		double score = brDLength(brDCross(n, m)) > CONVEX_TURN ? rise * brDDistance(p, q) : 0.0;
		int32_t at = count;
		while (at > 0 && scores[at - 1] < score)
		{
			at -= 1;
		}
		if (!(score > 0.0) || at == convexReflex)
		{
			continue;
		}
		int32_t last = count < convexReflex ? count++ : convexReflex - 1;
		for (int32_t k = last; k > at; --k)
		{
			scores[k] = scores[k - 1], chosen[k] = chosen[k - 1];
		}
		scores[at] = score, chosen[at] = i;
	}
	for (int32_t k = 0; k < count; ++k)
	{
		const ConvexEdge* edge = &edges[chosen[k]];
		brDVec3 p = mesh->positions[edge->low];
		out[2 * k] = (ConvexPlane){p, brDNormalize(brMesh_FaceArea(mesh, edge->face))};
		out[2 * k + 1] = (ConvexPlane){p, brDNormalize(brMesh_FaceArea(mesh, (edge + 1)->face))};
	}
	return 2 * count;
}

// Across the longest axis first, in the middle first: where no cut wins anything at once, as of a ring, that is the one.
static int32_t convexAxisPlanes(const brMesh* mesh, ConvexPlane* out)
{
	static const double places[convexSlices] = {0.5, 0.25, 0.75};
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 size = brDSub(box.upper, box.lower);
	int32_t count = 0, first = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
	for (int32_t i = 0; i < 3; ++i)
	{
		int32_t axis = (first + i) % 3;
		for (int32_t k = 0; k < convexSlices; ++k)
		{
			brDVec3 normal = {axis == 0, axis == 1, axis == 2};
			out[count++] = (ConvexPlane){brDLerp(box.lower, box.upper, places[k]), normal};
		}
	}
	return count;
}

// One part more, of a copy of the mesh.
static brResult convexAdd(const brContext* context, const brMesh* mesh, ConvexPartArray* parts)
{
	brAllocator allocator = brContext_Allocator(context);
	ConvexPart part = {0};
	brResult result = brCopyMesh(context, mesh, &part.mesh, NULL);
	result = result < 0 ? result : convexHull(context, &part);
	if (result < 0 || !BR_PUSH(&allocator, parts, part))
	{
		brDestroyMesh(part.mesh);
		brDestroyMesh(part.hull);
		return br_errorMemory;
	}
	return br_success;
}

// A part cut by a plane, with hulls. Empty if the plane misses it, if there would be too many, or if it cannot be cut.
static brResult convexCut(const brContext* context, const ConvexPart* part, const ConvexPlane* plane, int32_t room,
						  ConvexPartArray* out)
{
	brCutDef def = brDefaultCutDef();
	brCutResult* cut = NULL;
	brResult result = brCutMeshByPlane(context, part->mesh, plane->point, plane->normal, &def, &cut, NULL);
	if (result < 0)
	{
		return result == br_errorMemory ? result : br_success;
	}
	bool isWanted = cut->pieceCount > 1 && cut->pieceCount <= room;
	for (int32_t i = 0; i < cut->pieceCount && isWanted && result >= 0; ++i)
	{
		bool isDust = cut->pieces[i].volume < CONVEX_DUST * part->volume;
		result = isDust ? result : convexAdd(context, cut->pieces[i].mesh, out);
	}
	brDestroyCutResult(cut);
	return result;
}

static double convexSum(const ConvexPartArray* parts)
{
	double sum = 0.0;
	for (int32_t i = 0; i < parts->count; ++i)
	{
		sum += parts->data[i].hullVolume;
	}
	return sum;
}

// The cut of a part that leaves the least volume of hulls; none if no plane cuts it.
static brResult convexBestCut(const brContext* context, const ConvexPart* part, int32_t room, ConvexPartArray* outBest)
{
	brAllocator allocator = brContext_Allocator(context);
	ConvexPlane planes[2 * convexReflex + 3 * convexSlices];
	ConvexEdge* edges = BR_ALLOC(&allocator, ConvexEdge, part->mesh->cornerCount);
	if (edges == NULL)
	{
		return br_errorMemory;
	}
	int32_t count = convexAxisPlanes(part->mesh, planes);
	count += convexReflexPlanes(part->mesh, edges, planes + count);
	BR_FREE(&allocator, edges, part->mesh->cornerCount);
	double best = INFINITY;
	brResult result = br_success;
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		ConvexPartArray tried = {0};
		result = convexCut(context, part, &planes[i], room, &tried);
		double sum = convexSum(&tried);
		bool isBetter = result >= 0 && tried.count > 0 && sum < (1.0 - CONVEX_EQUAL) * best;
		ConvexPartArray worse = isBetter ? *outBest : tried;
		*outBest = isBetter ? tried : *outBest;
		best = isBetter ? sum : best;
		convexFree(&allocator, &worse);
	}
	return result;
}

static int32_t convexWorst(const ConvexPartArray* parts, double least)
{
	int32_t worst = -1;
	double gap = least;
	for (int32_t i = 0; i < parts->count; ++i)
	{
		const ConvexPart* part = &parts->data[i];
		if (!part->isDone && part->hullVolume - part->volume > gap)
		{
			gap = part->hullVolume - part->volume;
			worst = i;
		}
	}
	return worst;
}

static brResult convexSplit(const brContext* context, const brConvexDef* def, double volume, ConvexPartArray* parts)
{
	brAllocator allocator = brContext_Allocator(context);
	brResult result = br_success;
	int32_t worst;
	while (result >= 0 && parts->count < def->most && convexSum(parts) - volume > def->error * volume &&
		   (worst = convexWorst(parts, CONVEX_GAP * volume)) >= 0)
	{
		ConvexPartArray best = {0};
		result = convexBestCut(context, &parts->data[worst], def->most - parts->count + 1, &best);
		if (result >= 0 && best.count == 0)
		{
			parts->data[worst].isDone = true;
			continue;
		}
		if (result < 0 || !BR_RESERVE(&allocator, parts, best.count))
		{
			convexFree(&allocator, &best);
			return br_errorMemory;
		}
		brDestroyMesh(parts->data[worst].mesh);
		brDestroyMesh(parts->data[worst].hull);
		parts->data[worst] = best.data[0];
		for (int32_t i = 1; i < best.count; ++i)
		{
			parts->data[parts->count++] = best.data[i];
		}
		BR_FREE_ARRAY(&allocator, &best);
	}
	return result;
}

// The hulls leave the parts.
static brConvexParts* convexFinish(const brAllocator* allocator, ConvexPartArray* from, double volume)
{
	brConvexParts* parts = BR_ALLOC_ZERO(allocator, brConvexParts, 1);
	brMesh** hulls = BR_ALLOC_ZERO(allocator, brMesh*, from->count);
	if (parts == NULL || hulls == NULL)
	{
		BR_FREE(allocator, parts, 1);
		BR_FREE(allocator, hulls, from->count);
		return NULL;
	}
	// As many as there are parts, so that the array is freed with the size it was made with: a flat part is its own
	// hull.
	*parts = (brConvexParts){.count = from->count, .hulls = hulls, .volume = volume, .allocator = *allocator};
	for (int32_t i = 0; i < from->count; ++i)
	{
		ConvexPart* part = &from->data[i];
		brMesh** kept = part->hull != NULL ? &part->hull : &part->mesh;
		hulls[i] = *kept;
		*kept = NULL;
		parts->hullVolume += part->hullVolume;
		parts->outside = fmax(parts->outside, part->outside);
	}
	parts->error = (parts->hullVolume - volume) / volume;
	return parts;
}

brResult brCreateConvexParts(const brContext* context, const brMesh* mesh, const brConvexDef* def,
							 brConvexParts** outParts, brReport* report)
{
	brConvexDef standard = brDefaultConvexDef();
	def = def != NULL ? def : &standard;
	if (mesh == NULL || outParts == NULL || def->stamp != BR_STAMP(*def))
	{
		return brFail(report, br_errorMisuse, "brCreateConvexParts needs mesh, outParts and a def from its default");
	}
	if (def->most < 1 || def->most > convexMost || !(def->error >= 0.0))
	{
		return brFail(report, br_errorMisuse, "%d hulls with an error of %g: possible are 1 to %d and 0 or more",
					  def->most, def->error, convexMost);
	}
	brAllocator allocator = brContext_Allocator(context);
	brCutResult* solids = NULL;
	brResult result = brSeparateMesh(context, mesh, &solids, report);
	ConvexPartArray parts = {0};
	double volume = 0.0;
	for (int32_t i = 0; result >= 0 && i < solids->pieceCount; ++i)
	{
		if (!solids->pieces[i].isClosed || !(solids->pieces[i].volume > 0.0))
		{
			result = brFailAt(report, br_errorGeometry, i, "solid %d of the mesh is open, flat or inside out", i);
			break;
		}
		result = convexAdd(context, solids->pieces[i].mesh, &parts) < 0 ? brFailMemory(report) : result;
		volume += result >= 0 ? parts.data[i].volume : 0.0;
	}
	brDestroyCutResult(solids);
	if (result >= 0 && convexSplit(context, def, volume, &parts) < 0)
	{
		result = brFailMemory(report);
	}
	brConvexParts* made = result >= 0 ? convexFinish(&allocator, &parts, volume) : NULL;
	convexFree(&allocator, &parts);
	if (result >= 0 && made == NULL)
	{
		result = brFailMemory(report);
	}
	if (result < 0)
	{
		return result;
	}
	*outParts = made;
	return brSucceed(report);
}

void brDestroyConvexParts(brConvexParts* parts)
{
	if (parts != NULL)
	{
		brAllocator allocator = parts->allocator;
		for (int32_t i = 0; i < parts->count; ++i)
		{
			brDestroyMesh(parts->hulls[i]);
		}
		BR_FREE(&allocator, parts->hulls, parts->count);
		BR_FREE(&allocator, parts, 1);
	}
}
