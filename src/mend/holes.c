// SPDX-License-Identifier: MIT

// Holes: each border loop gets a cover, and each part that still encloses nothing is a sheet.
//
// A loop is covered by triangles with the least folds (fill_loop.c). Where the surface runs into the hole without a
// sharp edge the cover bends as it does (smooth_cover.c); else a flat loop becomes one polygon, which brTriangulateMesh
// cuts exactly. A cover may cross the surface; the resolution of crossings comes after this stage.

#include "base/array.h"
#include "base/forest.h"
#include "mend/cover.h"
#include "mend/face_list.h"
#include "mend/mend_stages.h"
#include "mesh/face_area.h"
#include "mesh/half_edge.h"
#include "mesh/weld.h"

#include <math.h>

// A loop is flat if no point is farther from its plane than this share of its extent.
#define HOLE_FLATNESS 1e-4

// The surface goes on into a hole if it meets the plain cover at less than 60 degrees on average and no two faces along
// the border meet at more than 45: else there is an edge to be kept. Below 1 degree there is nothing to bend. [cosine]
#define HOLE_ROUND 0.5
#define HOLE_CREASE 0.7
#define HOLE_LEVEL 0.99985
// Longer loops keep their plain covers.
#define HOLE_MOST_SMOOTH 2000

// A part is a sheet if covers have more than this share of its area and it encloses less than this share of what a cube
// of its area would, to the power of 3/2. A closed pane of 1 m by 1 mm encloses 3.5e-4 but its covers are small.
#define SHEET_COVER 0.3
#define SHEET_VOLUME 0.01
// A cover nearly as large as the part itself closes a dish or a piece of ground, which is a sheet unless it is deep.
#define SHEET_LID 0.8
#define SHEET_LID_VOLUME 0.03
// Where a thickness is given, a hole of more than this share of its part's surface is the mouth of a bottle and no
// defect: the part becomes a wall. Without one it becomes solid, which the summary tells of wide mouths.
#define HOLE_DEFECT 0.002
#define HOLE_MOUTH 0.05

typedef struct HolePart
{
	double area, volume; // with covers, about the middle of the box [m^2], [m^3]
	double coverArea, largestCover;
	int32_t loops;
	bool hasOneSide;
	bool isSheet;
} HolePart;

typedef struct HoleLoop
{
	int32_t first; // in loopCorners
	int32_t count;
	int32_t part;
	bool isLeft; // too large
} HoleLoop;

typedef struct Holes
{
	const brMesh* mesh;
	const brMendDef* def;
	brAllocator allocator;
	brHalfEdges edges;
	brDVec3 middle;
	double diagonal;
	int32_t seamStart; // vertices from here on are copies along seams of parts with one side
	int32_t* roots;    // [faceCount] part of each face, as a face
	HolePart* parts;   // [faceCount] by root
	BR_ARRAY(HoleLoop) loops;
	BR_ARRAY(int32_t) loopCorners; // border corners of all loops, against the way of the surface
	brCover cover;                 // of the loop at hand
	BR_ARRAY(brDVec3) borders;     // normals of the faces around it
	BR_ARRAY(int32_t) ringStarts;  // its neighbors in the surface
	BR_ARRAY(brDVec3) ringPoints;
} Holes;

// Volume under a fan of points about `middle`, times 6.
static double holeFanVolume(brDVec3 middle, brDVec3 a, brDVec3 b, brDVec3 c)
{
	return brDDot(brDSub(a, middle), brDCross(brDSub(b, middle), brDSub(c, middle)));
}

static bool holesFindParts(Holes* h)
{
	const brMesh* mesh = h->mesh;
	h->roots = BR_ALLOC(&h->allocator, int32_t, mesh->faceCount);
	h->parts = BR_ALLOC_ZERO(&h->allocator, HolePart, mesh->faceCount);
	if (h->roots == NULL || h->parts == NULL)
	{
		return false;
	}
	brResetForest(h->roots, mesh->faceCount);
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		if (h->edges.twins[c] >= 0)
		{
			brJoinRoots(h->roots, h->edges.faces[c], h->edges.faces[h->edges.twins[c]]);
		}
	}
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		HolePart* part = &h->parts[brFindRoot(h->roots, f)];
		part->area += brDLength(brMesh_FaceArea(mesh, f));
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			part->hasOneSide = part->hasOneSide || mesh->corners[c] >= h->seamStart;
		}
		for (int32_t c = mesh->faceStarts[f] + 1; c + 1 < mesh->faceStarts[f + 1]; ++c)
		{
			part->volume += holeFanVolume(h->middle, mesh->positions[mesh->corners[mesh->faceStarts[f]]],
										  mesh->positions[mesh->corners[c]], mesh->positions[mesh->corners[c + 1]]) /
							6.0;
		}
	}
	return true;
}

// The border corner that follows border corner c around the hole, or -1 if the fan ends in a tangle.
static int32_t holesNextBorder(const Holes* h, int32_t c)
{
	int32_t next = brHalfEdges_Next(&h->edges, c);
	for (int32_t guard = 0; guard <= h->mesh->cornerCount; ++guard)
	{
		int32_t twin = h->edges.twins[next];
		if (twin < 0)
		{
			return twin == br_twinBoundary ? next : -1;
		}
		next = brHalfEdges_Next(&h->edges, twin);
	}
	return -1;
}

typedef struct HoleSplit
{
	int32_t* firsts; // [vertexCount] the first vertex at the same place
	int32_t* depths; // [vertexCount] where a place is in the stack, or -1
	BR_ARRAY(int32_t) stack;
	BR_ARRAY(int32_t) done; // corners of the loops that are whole
} HoleSplit;

// The top of the stack, down to `depth`, is a loop.
static bool holesTakeLoop(Holes* h, HoleSplit* split, HoleLoop loop, int32_t depth)
{
	loop.first += split->done.count;
	loop.count = split->stack.count - depth;
	bool complete = loop.count < 3 || BR_PUSH(&h->allocator, &h->loops, loop);
	for (int32_t i = depth; i < split->stack.count && complete; ++i)
	{
		int32_t corner = split->stack.data[i];
		split->depths[split->firsts[brHalfEdges_Target(&h->edges, corner)]] = -1;
		complete = BR_PUSH(&h->allocator, &split->done, corner);
	}
	split->stack.count = depth;
	return complete;
}

// Holes that touch at a point, where the surface is split into fans, are one border that passes there twice. Each gets a
// cover of its own: one over both would have to fold. What is left open between copies of the point is welded.
static bool holesSplitLoop(Holes* h, HoleSplit* split, HoleLoop loop)
{
	split->stack.count = split->done.count = 0;
	bool complete = true;
	for (int32_t i = 0; i < loop.count && complete; ++i)
	{
		int32_t corner = h->loopCorners.data[loop.first + i];
		int32_t place = split->firsts[brHalfEdges_Target(&h->edges, corner)], depth = split->depths[place];
		complete = depth < 0 || holesTakeLoop(h, split, loop, depth);
		split->depths[place] = split->stack.count;
		complete = complete && BR_PUSH(&h->allocator, &split->stack, corner);
	}
	complete = complete && holesTakeLoop(h, split, loop, 0);
	for (int32_t i = 0; i < loop.count && complete; ++i)
	{
		h->loopCorners.data[loop.first + i] = split->done.data[i];
	}
	return complete;
}

static bool holesBeginSplit(Holes* h, HoleSplit* split)
{
	int32_t count = h->mesh->vertexCount;
	*split = (HoleSplit){.firsts = BR_ALLOC(&h->allocator, int32_t, count),
						 .depths = BR_ALLOC(&h->allocator, int32_t, count)};
	for (int32_t v = 0; v < count && split->depths != NULL; ++v)
	{
		split->depths[v] = -1;
	}
	return split->firsts != NULL && split->depths != NULL &&
		   brFindEqualPositions(&h->allocator, h->mesh->positions, count, split->firsts) >= 0;
}

static void holesEndSplit(Holes* h, HoleSplit* split)
{
	BR_FREE(&h->allocator, split->firsts, h->mesh->vertexCount);
	BR_FREE(&h->allocator, split->depths, h->mesh->vertexCount);
	BR_FREE_ARRAY(&h->allocator, &split->stack);
	BR_FREE_ARRAY(&h->allocator, &split->done);
}

static bool holesFindLoops(Holes* h)
{
	const brMesh* mesh = h->mesh;
	HoleSplit split;
	uint8_t* isDone = BR_ALLOC_ZERO(&h->allocator, uint8_t, mesh->cornerCount);
	bool complete = holesBeginSplit(h, &split) && isDone != NULL;
	for (int32_t start = 0; complete && start < mesh->cornerCount; ++start)
	{
		if (isDone[start] || h->edges.twins[start] != br_twinBoundary)
		{
			continue;
		}
		HoleLoop loop = {.first = h->loopCorners.count, .part = brFindRoot(h->roots, h->edges.faces[start])};
		int32_t c = start;
		do
		{
			isDone[c] = 1;
			complete = complete && BR_PUSH(&h->allocator, &h->loopCorners, c);
			c = holesNextBorder(h, c);
		} while (complete && c >= 0 && c != start && !isDone[c]);
		loop.count = h->loopCorners.count - loop.first;
		if (c != start || loop.count < 3)
		{
			h->loopCorners.count = loop.first;
			continue;
		}
		// The cover runs against the surface: reversed.
		for (int32_t i = loop.first, k = h->loopCorners.count - 1; i < k; ++i, --k)
		{
			int32_t swap = h->loopCorners.data[i];
			h->loopCorners.data[i] = h->loopCorners.data[k];
			h->loopCorners.data[k] = swap;
		}
		complete = complete && holesSplitLoop(h, &split, loop);
	}
	holesEndSplit(h, &split);
	BR_FREE(&h->allocator, isDone, mesh->cornerCount);
	return complete;
}

// The neighbors in the surface of the point at which a border corner ends, those along the border left out.
static bool holesTakeRing(Holes* h, int32_t corner)
{
	int32_t next = brHalfEdges_Next(&h->edges, corner);
	for (int32_t guard = 0; guard <= h->mesh->cornerCount && h->edges.twins[next] >= 0; ++guard)
	{
		brDVec3 neighbor = h->mesh->positions[brHalfEdges_Target(&h->edges, next)];
		if (!BR_PUSH(&h->allocator, &h->ringPoints, neighbor))
		{
			return false;
		}
		next = brHalfEdges_Next(&h->edges, h->edges.twins[next]);
	}
	return BR_PUSH(&h->allocator, &h->ringStarts, h->ringPoints.count);
}

// The points of a loop in the order of its cover, with the surface around: corner i runs from point i + 1 to point i.
static bool holesTakePoints(Holes* h, const HoleLoop* loop)
{
	h->cover.points.count = h->cover.sources.count = h->cover.triangles.count = 0;
	h->cover.loopCount = loop->count;
	h->borders.count = h->ringStarts.count = h->ringPoints.count = 0;
	bool complete = BR_PUSH(&h->allocator, &h->ringStarts, 0);
	for (int32_t i = 0; i < loop->count && complete; ++i)
	{
		// The corner before it starts where this one ends.
		int32_t corner = h->loopCorners.data[loop->first + i];
		int32_t before = h->loopCorners.data[loop->first + (i + loop->count - 1) % loop->count];
		brDVec3 border = brDNormalize(brMesh_FaceArea(h->mesh, h->edges.faces[corner]));
		complete = BR_PUSH(&h->allocator, &h->cover.points, h->mesh->positions[h->mesh->corners[before]]) &&
				   BR_PUSH(&h->allocator, &h->cover.sources, i) && BR_PUSH(&h->allocator, &h->borders, border) &&
				   holesTakeRing(h, corner);
	}
	return complete;
}

// Does the surface go on into the hole, and does it bend there?
static bool holesIsRound(const Holes* h)
{
	int32_t count = h->cover.loopCount;
	const brDVec3* p = h->cover.points.data;
	double sum = 0.0;
	brDVec3 area = {0.0, 0.0, 0.0};
	for (int32_t i = 0; i < count; ++i)
	{
		if (brDDot(h->borders.data[i], h->borders.data[(i + 1) % count]) < HOLE_CREASE)
		{
			return false;
		}
		area = brDAdd(area, brDCross(brDSub(p[i], p[0]), brDSub(p[(i + 1) % count], p[0])));
	}
	// Faces in the teeth of a ragged border follow the surface even where the hole as a whole meets it at an edge, as
	// the rim of half a ball does.
	double facing = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		facing += brDDot(brDNormalize(area), h->borders.data[i]);
	}
	if (!(facing > HOLE_ROUND * count))
	{
		return false;
	}
	for (int32_t t = 0; t < h->cover.triangles.count; t += 3)
	{
		const int32_t* v = &h->cover.triangles.data[t];
		brDVec3 normal = brDNormalize(brDCross(brDSub(p[v[1]], p[v[0]]), brDSub(p[v[2]], p[v[0]])));
		for (int32_t k = 0; k < 3; ++k)
		{
			bool isBorder = v[(k + 1) % 3] == (v[k] + 1) % count;
			sum += isBorder ? brDDot(normal, h->borders.data[v[k]]) : 0.0;
		}
	}
	return sum > HOLE_ROUND * count && sum < HOLE_LEVEL * count;
}

static bool holesIsFlat(const Holes* h, double* outExtent)
{
	brDVec3 sum = {0.0, 0.0, 0.0}, mean = {0.0, 0.0, 0.0};
	brDBox3 box = brMakeDBox3Empty();
	int32_t count = h->cover.points.count;
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 p = h->cover.points.data[i], origin = h->cover.points.data[0];
		sum = brDAdd(sum, brDCross(brDSub(p, origin), brDSub(h->cover.points.data[(i + 1) % count], origin)));
		mean = brDMulAdd(mean, 1.0 / count, p);
		box = brDBox3_Include(box, p);
	}
	*outExtent = brDDistance(box.lower, box.upper);
	brDVec3 normal = brDNormalize(sum);
	if (!(brDLength(sum) > HOLE_FLATNESS * *outExtent * *outExtent))
	{
		return false; // a slit: nothing to see of its plane
	}
	for (int32_t i = 0; i < count; ++i)
	{
		if (fabs(brDDot(normal, brDSub(h->cover.points.data[i], mean))) > HOLE_FLATNESS * *outExtent)
		{
			return false;
		}
	}
	return true;
}

// Area and volume of the cover at hand, for the books of its part.
static void holesCount(const Holes* h, HolePart* part)
{
	const brDVec3* p = h->cover.points.data;
	double cover = 0.0;
	for (int32_t t = 0; t < h->cover.triangles.count; t += 3)
	{
		const int32_t* v = &h->cover.triangles.data[t];
		brDVec3 a = p[v[0]], b = p[v[1]], c = p[v[2]];
		cover += 0.5 * brDLength(brDCross(brDSub(b, a), brDSub(c, a)));
		part->volume += holeFanVolume(h->middle, a, b, c) / 6.0;
	}
	part->area += cover, part->coverArea += cover;
	part->largestCover = fmax(part->largestCover, cover);
	part->loops += 1;
}

// The cover as triangles, or as one polygon.
static bool holesWriteCover(const Holes* h, const HoleLoop* loop, bool isPolygon, brFaceList* list)
{
	const int32_t* corners = &h->loopCorners.data[loop->first];
	const brCover* cover = &h->cover;
	int32_t source = h->edges.faces[corners[0]], count = loop->count, firstInside = list->positions.count;
	for (int32_t i = count; i < cover->points.count; ++i)
	{
		int32_t corner = corners[(cover->sources.data[i] + count - 1) % count];
		brFaceList_AddVertex(list, cover->points.data[i], h->mesh->corners[corner]);
	}
	int32_t size = isPolygon ? count : 3, faceCount = isPolygon ? 1 : cover->triangles.count / 3;
	for (int32_t f = 0; f < faceCount; ++f)
	{
		brFaceList_Begin(list, source);
		for (int32_t i = 0; i < size; ++i)
		{
			int32_t place = isPolygon ? i : cover->triangles.data[3 * f + i];
			int32_t corner = corners[(cover->sources.data[place] + count - 1) % count]; // starts at that point
			brFaceList_AddCorner(list, place < count ? h->mesh->corners[corner] : firstInside + place - count, corner);
		}
	}
	return !list->failed;
}

// Writes the cover of a loop into the list, and adds it to the books of its part.
static bool holesCover(Holes* h, HoleLoop* loop, brFaceList* list, brMendInfo* info)
{
	double extent;
	if (!holesTakePoints(h, loop))
	{
		return false;
	}
	bool isFlat = holesIsFlat(h, &extent);
	if (extent > h->def->largestHole * h->diagonal)
	{
		loop->isLeft = true;
		info->leftHoles += 1;
		return true;
	}
	int32_t count = loop->count;
	brCover* cover = &h->cover;
	if (!BR_RESERVE(&h->allocator, &cover->triangles, 3 * (count - 2)) ||
		!brFillLoop(&h->allocator, cover->points.data, h->borders.data, count,
					(int32_t(*)[3])(void*)cover->triangles.data))
	{
		return false;
	}
	cover->triangles.count = 3 * (count - 2);
	if (count <= HOLE_MOST_SMOOTH && holesIsRound(h))
	{
		brCoverRing ring = {h->ringStarts.data, h->ringPoints.data};
		if (!brCover_Smooth(cover, &h->allocator, &ring))
		{
			return false;
		}
		isFlat = isFlat && cover->points.count == count;
	}
	holesCount(h, &h->parts[loop->part]);
	return holesWriteCover(h, loop, isFlat, list);
}

// Parts that have no inside become walls.
static bool holesThickenSheets(const Holes* h, brFaceList* list, brMendInfo* info)
{
	uint8_t* isThin = BR_ALLOC(&h->allocator, uint8_t, h->mesh->faceCount);
	for (int32_t f = 0; isThin != NULL && f < h->mesh->faceCount; ++f)
	{
		int32_t root = brFindRoot(h->roots, f);
		isThin[f] = h->parts[root].isSheet;
		info->thickenedSheets += root == f && isThin[f];
	}
	bool complete = isThin != NULL && brThickenFaces(&h->allocator, &h->edges, isThin, h->def->thickness, list);
	BR_FREE(&h->allocator, isThin, h->mesh->faceCount);
	return complete;
}

// Which parts are sheets; how many parts are not.
static int32_t holesFindSheets(Holes* h, brMendInfo* info)
{
	int32_t solids = 0;
	for (int32_t f = 0; f < h->mesh->faceCount; ++f)
	{
		HolePart* part = &h->parts[f];
		if (brFindRoot(h->roots, f) != f)
		{
			continue;
		}
		bool isFlat = part->loops == 0 && !(fabs(part->volume) > 1e-12 * part->area * sqrt(part->area));
		double own = part->area - part->coverArea, share = part->coverArea / own, mouth = part->largestCover / own,
			   volume = fabs(part->volume) / (part->area * sqrt(part->area));
		bool isOpen =
			(share > SHEET_COVER && volume < SHEET_VOLUME) || (share > SHEET_LID && volume < SHEET_LID_VOLUME);
		bool isBowl = mouth > HOLE_DEFECT && h->def->thickness > 0.0;
		part->isSheet = isOpen || isFlat || part->hasOneSide || isBowl;
		info->filledMouth = fmax(info->filledMouth, part->isSheet || mouth < HOLE_MOUTH ? 0.0 : mouth);
		solids += !part->isSheet;
	}
	return solids;
}

static brResult holesWrite(Holes* h, brMesh** outMesh, brMendInfo* info, brReport* report)
{
	brFaceList covers, list;
	brFaceList_Init(&covers, &h->allocator, h->mesh);
	brFaceList_Init(&list, &h->allocator, h->mesh);
	bool complete = true;
	for (int32_t i = 0; complete && i < h->loops.count; ++i)
	{
		complete = holesCover(h, &h->loops.data[i], &covers, info);
	}
	int32_t solids = complete ? holesFindSheets(h, info) : 0;
	brResult result = br_success;
	if (complete && solids == 0 && !(h->def->thickness > 0.0))
	{
		result = brFail(report, br_errorGeometry,
						"the surface is a sheet that encloses nothing; a thickness makes it a plate "
						"(--thicken, in a scene thicken:)");
	}
	for (int32_t f = 0; complete && result >= 0 && f < h->mesh->faceCount; ++f)
	{
		if (!h->parts[brFindRoot(h->roots, f)].isSheet)
		{
			brFaceList_CopyFace(&list, f, NULL);
		}
		else if (brFindRoot(h->roots, f) == f && !(h->def->thickness > 0.0))
		{
			info->droppedSheets += 1;
		}
	}
	for (int32_t v = h->mesh->vertexCount; complete && v < covers.positions.count; ++v)
	{
		brFaceList_AddVertex(&list, covers.positions.data[v], covers.vertexSources.data[v]);
	}
	for (int32_t f = 0; complete && result >= 0 && f < covers.faceStarts.count; ++f)
	{
		int32_t source = covers.faceSources.data[f];
		if (h->parts[brFindRoot(h->roots, source)].isSheet)
		{
			continue;
		}
		int32_t end = f + 1 < covers.faceStarts.count ? covers.faceStarts.data[f + 1] : covers.corners.count;
		brFaceList_Begin(&list, source);
		for (int32_t c = covers.faceStarts.data[f]; c < end; ++c)
		{
			brFaceList_AddCorner(&list, covers.corners.data[c], covers.cornerSources.data[c]);
		}
	}
	if (complete && result >= 0 && h->def->thickness > 0.0)
	{
		complete = holesThickenSheets(h, &list, info);
	}
	for (int32_t i = 0; i < h->loops.count; ++i)
	{
		const HoleLoop* loop = &h->loops.data[i];
		info->filledHoles += !loop->isLeft && !h->parts[loop->part].isSheet;
	}
	brMesh* filled = complete && result >= 0 ? brFaceList_Finish(&list) : NULL;
	brFaceList_Free(&covers);
	brFaceList_Free(&list);
	if (result < 0)
	{
		return result;
	}
	if (filled == NULL)
	{
		return brFailMemory(report);
	}
	*outMesh = filled;
	return br_success;
}

static brResult holesFill(Holes* h, brMesh** outMesh, brMendInfo* info, brReport* report)
{
	const brMesh* mesh = h->mesh;
	brResult result = holesFindParts(h) && holesFindLoops(h) ? br_success : brFailMemory(report);
	if (result >= 0)
	{
		result = holesWrite(h, outMesh, info, report);
	}
	brFreeHalfEdges(&h->edges);
	BR_FREE(&h->allocator, h->roots, mesh->faceCount);
	BR_FREE(&h->allocator, h->parts, mesh->faceCount);
	BR_FREE_ARRAY(&h->allocator, &h->loops);
	BR_FREE_ARRAY(&h->allocator, &h->loopCorners);
	BR_FREE_ARRAY(&h->allocator, &h->cover.points);
	BR_FREE_ARRAY(&h->allocator, &h->cover.sources);
	BR_FREE_ARRAY(&h->allocator, &h->cover.triangles);
	BR_FREE_ARRAY(&h->allocator, &h->borders);
	BR_FREE_ARRAY(&h->allocator, &h->ringStarts);
	BR_FREE_ARRAY(&h->allocator, &h->ringPoints);
	return result;
}

// Half-edges, after parts with one side were opened along a seam. `outOpened` is the mesh then, else null.
static brResult holesBegin(Holes* h, const brContext* context, brMesh** outOpened, brReport* report)
{
	*outOpened = NULL;
	if (brMakeHalfEdges(context, h->mesh, &h->edges) < 0)
	{
		return brFailMemory(report);
	}
	bool hasSeam = false;
	for (int32_t c = 0; c < h->mesh->cornerCount; ++c)
	{
		hasSeam = hasSeam || h->edges.twins[c] == br_twinMisoriented;
	}
	if (!hasSeam)
	{
		return br_success;
	}
	brFreeHalfEdges(&h->edges);
	brResult result = brOpenSeams(context, h->mesh, outOpened, report);
	if (result < 0)
	{
		return result;
	}
	h->mesh = *outOpened;
	if (brMakeHalfEdges(context, h->mesh, &h->edges) < 0)
	{
		brDestroyMesh(*outOpened);
		return brFailMemory(report);
	}
	return br_success;
}

brResult brFillHoles(const brContext* context, const brMesh* mesh, const brMendDef* def, brMesh** outMesh,
					 brMendInfo* info, brReport* report)
{
	brMesh* opened;
	brDBox3 box = brMesh_ComputeBounds(mesh);
	Holes h = {.mesh = mesh,
			   .def = def,
			   .allocator = brContext_Allocator(context),
			   .middle = brDLerp(box.lower, box.upper, 0.5),
			   .diagonal = brDDistance(box.lower, box.upper),
			   .seamStart = mesh->vertexCount};
	brResult result = holesBegin(&h, context, &opened, report);
	if (result < 0)
	{
		return result;
	}
	result = holesFill(&h, outMesh, info, report);
	brDestroyMesh(opened);
	return result;
}
