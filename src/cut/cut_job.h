// SPDX-License-Identifier: MIT
#pragma once

// One cut from start to end, stage by stage. Each stage fills the arrays that the next one reads:
//
//     import     both meshes as triangles over one list of places; who is whose neighbor
//     contacts   pairs of triangles that meet: points, lines, and the stretches of lines that divide a triangle
//     lines      points of each line in order, with those where lines cross inside a triangle
//     cells      every touched triangle as small triangles that no line crosses
//     weave      who follows whom around each edge; winding numbers; copies of cells that survive, paired edge by edge
//     pieces     what hangs together, polygons again, attributes, meshes
//
// Half-edge 3 t + k runs from corner k of triangle t to the next. "Near" triangles are those that meet something; all
// others pass through untouched.

#include "base/array.h"
#include "base/report.h"
#include "brittle/collide.h"
#include "brittle/cut.h"
#include "cut/cut_points.h"

typedef enum brCutFlag
{
	br_cutNear = 1,    // meets something, or has an edge that is not plain
	br_cutChanged = 2, // no longer a triangle of its polygon as it came
	br_cutDoubled = 4, // not near, but source and cutter both have it
} brCutFlag;

// A mesh edge or the common stretch of two triangles.
typedef struct brCutLine
{
	int32_t ends[2];
	int32_t triangles[2]; // of a stretch; -1 for a mesh edge
	int32_t firstRow;     // newest row of `linePoints`, or -1
	int32_t start, count; // in `ordered`, once sorted; both ends included
} brCutLine;

typedef struct brCutLinePoint
{
	int32_t point;
	int32_t next;
} brCutLinePoint;

// A stretch of a line that lies inside a triangle.
typedef struct brCutConstraint
{
	int32_t triangle;
	int32_t line;
	int32_t from, to; // points of the line
} brCutConstraint;

// A piece of a near triangle that no line crosses. All other triangles are cells as they are: their numbers follow, see
// brCut_FarCell.
typedef struct brCutCell
{
	int32_t points[3];
	int32_t triangle;
	int32_t edges[3];     // mesh half-edge that the side lies on, or -1: inside the triangle
	int32_t neighbors[3]; // 3 cell + k across a side that is no line, or -1
} brCutCell;

typedef BR_ARRAY(int32_t) brCutInts;

typedef struct brCutTable
{
	uint64_t* keys; // two words each
	int32_t* values;
	int64_t size; // power of two, or 0
	int64_t count;
} brCutTable;

// A cell that is in the result, turned over or not.
typedef struct brCutCopy
{
	int32_t triangle;
	int8_t kind;  // brCutFaceKind
	int8_t layer; // copies of one cell
	bool isTurned;
} brCutCopy;

typedef struct brCutJob
{
	const brContext* context;
	brAllocator allocator;
	const brCutDef* def;
	brReport* report;
	brResult error;          // first trouble, or 0
	int32_t item;            // of a view: what it works on, or where its trouble was
	const brMesh* meshes[2]; // source, cutter
	bool isResolve; // both are one mesh, whose faces stand on the cutter's side alone; what comes out is the source's
	brCutStats stats;

	// Import
	int32_t vertexCount;  // places of the input: points [0, vertexCount)
	int32_t sourcePlaces; // those of the source come first
	BR_ARRAY(brCutPoint) points;
	brCutSpace space;
	double reach;   // largest |coordinate|
	brDVec3 middle; // of the source's box: volumes are taken about it
	int32_t sourceCount;
	int32_t triangleCount;
	int32_t triangleCapacity;
	int32_t (*triangles)[3];
	int32_t (*corners)[3]; // corners of the mesh that give attributes
	int32_t* faces;        // polygon of its mesh
	int32_t* twins;        // half-edge across, or -1
	bool isTangled;        // the source has places where more than two faces meet at an edge, or faces without area
	uint8_t* flags;
	int32_t* doubles;       // [triangleCount] the same triangle of the other mesh, or -1; null if there is none
	_Atomic uint8_t* views; // axis to look along + 1, and 4 if it then turns right; 0: not asked yet

	// Contacts and lines
	brCutTable names;
	brCutTable places;
	brCutInts placeNext; // per point: next one with the same rounded place
	brCutTable edgeLines;
	BR_ARRAY(brCutLine) lines;
	BR_ARRAY(brCutLinePoint) linePoints;
	BR_ARRAY(brCutConstraint) constraints;
	BR_ARRAY(brPair) overlaps;  // of lines
	BR_ARRAY(brPair) coplanars; // triangles of source and cutter in one plane that meet
	brCutInts ordered;
	brCutTable expectedNames;
	BR_ARRAY(brCutPoint) expected; // points that contacts will ask for, placed by workers

	// Cells
	BR_ARRAY(brCutCell) cells; // of near triangles
	int32_t* firstCells;       // [triangleCount + 1] of each triangle; none for those that are not near

	// Weave
	int32_t copyCount;
	brCutCopy* copies;        // [copyCount]
	int32_t (*copyPoints)[3]; // in the order of the copy
	int32_t* copyTwins;       // [3 copyCount] 3 copy + k, or -1 at a border
	int32_t* copyStrands;     // [copyCount] untouched copies of one strand hang together; -1: near, not known
	int32_t strandCount;
} brCutJob;

/// Keeps the first failure; false, so that `return brCut_Fail(...)` reads well.
bool brCut_Fail(brCutJob* job, brResult code, int64_t element, const char* format, ...) BR_PRINTF_LIKE(4, 5);
bool brCut_FailMemory(brCutJob* job);

static inline bool brCut_IsNear(const brCutJob* job, int32_t triangle)
{
	return (job->flags[triangle] & br_cutNear) != 0;
}

/// Whether the result may have borders.
static inline bool brCut_MayBeOpen(const brCutJob* job)
{
	return job->def->op == br_cutSurface || job->def->op == br_cutFill;
}

static inline bool brCut_IsBoolean(const brCutJob* job)
{
	return job->def->op == br_cutUnion || job->def->op == br_cutIntersection || job->def->op == br_cutDifference;
}

static inline bool brCut_IsDoubled(const brCutJob* job, int32_t triangle)
{
	return (job->flags[triangle] & br_cutDoubled) != 0;
}

/// The cell that an untouched triangle is.
static inline int32_t brCut_FarCell(const brCutJob* job, int32_t triangle)
{
	return job->cells.count + triangle;
}

static inline int32_t brCut_CellTriangle(const brCutJob* job, int32_t cell)
{
	return cell < job->cells.count ? job->cells.data[cell].triangle : cell - job->cells.count;
}

static inline const int32_t* brCut_CellPoints(const brCutJob* job, int32_t cell)
{
	return cell < job->cells.count ? job->cells.data[cell].points : job->triangles[cell - job->cells.count];
}

/// The mesh half-edge that side 3 cell + k lies on, or -1: inside the triangle.
static inline int32_t brCut_SideEdge(const brCutJob* job, int32_t side)
{
	int32_t cell = side / 3;
	return cell < job->cells.count ? job->cells.data[cell].edges[side % 3] : 3 * (cell - job->cells.count) + side % 3;
}

static inline brWorkers* brCut_Workers(const brCutJob* job)
{
	return job->context != NULL ? job->context->workers : NULL;
}

/// One view of the job for each worker: it shares all arrays and has its own memory for exact numbers and its own first
/// trouble. Null without memory. Closing sums up what they counted; the trouble at the lowest `item` is the job's.
brCutJob* brCut_OpenViews(brCutJob* job);
bool brCut_CloseViews(brCutJob* job, brCutJob* views);

// The stages. False: job->error and the report say why.
bool brCut_Import(brCutJob* job);
bool brCut_FindContacts(brCutJob* job);
bool brCut_CrossLines(brCutJob* job);
bool brCut_MakeCells(brCutJob* job);
bool brCut_Weave(brCutJob* job);
bool brCut_MakePieces(brCutJob* job, brCutResult* result);

// Points and lines

/// The point with these makers (its place is found here), or an older one at the same place. -1 without memory.
int32_t brCut_AddPoint(brCutJob* job, brCutPoint point);

/// Says that a point will be asked for; all such are then placed at once by workers.
bool brCut_ExpectPoint(brCutJob* job, brCutPoint point);
bool brCut_PlaceExpected(brCutJob* job);
void brCut_ForgetExpected(brCutJob* job);

/// Makes the corners of a triangle known as places. Before the first point is made.
bool brCut_EnterVertices(brCutJob* job, int32_t triangle);

/// In placeNext: a vertex that was not entered.
#define CUT_NOT_ENTERED (-2)

/// The line of a mesh edge, made when first asked for. -1 without memory.
int32_t brCut_EdgeLine(brCutJob* job, int32_t a, int32_t b);
int32_t brCut_SegmentLine(brCutJob* job, int32_t a, int32_t b, int32_t t, int32_t u);
bool brCut_PutOnLine(brCutJob* job, int32_t line, int32_t point);

/// The edge's line if it has been made, or -1.
int32_t brCut_FindEdgeLine(const brCutJob* job, int32_t a, int32_t b);

/// First row of a triangle among the first `rowCount` constraints, which are sorted.
int32_t brCut_FirstRow(const brCutJob* job, int32_t rowCount, int32_t triangle);

/// Whether c is strictly between a and b, all on one line.
bool brCut_IsBetween(brCutJob* job, int32_t a, int32_t b, int32_t c);

// Tables from two words to an int
int32_t brCutTable_Find(const brCutTable* table, uint64_t a, uint64_t b); // -1: not there
bool brCutTable_Put(brCutTable* table, const brAllocator* allocator, uint64_t a, uint64_t b, int32_t value);
void brCutTable_Free(brCutTable* table, const brAllocator* allocator);

// Triangles

/// Axis along which a triangle is seen with an area, and +1 or -1 as it then turns left or right.
int32_t brCut_View(brCutJob* job, int32_t triangle, int32_t* outSign);

/// Turn of three points seen on the front of a triangle whose plane they are in.
int32_t brCut_TurnOn(brCutJob* job, int32_t triangle, int32_t a, int32_t b, int32_t c);

/// Takes triangles with no area, given in `queue`, out of a surface by joining them to neighbors; dead ones get
/// points[0] = -1. `sources` follow what a triangle is part of; `isIntact` (may be null) becomes false for all that
/// change. Returns how many are left that could not go, or -1.
int32_t brCut_RemoveFlat(brCutJob* job, int32_t (*triangles)[3], int32_t* twins, int32_t* sources, bool* isIntact,
						 brCutInts* queue, int32_t* outRemoved);
bool brCut_IsFlat(const brCutPoint* points, const int32_t* triangle);

/// Volume that triangles of places enclose, or that those named by `order` (may be null) do: the same for any number of
/// workers.
bool brCut_Volume(brCutJob* job, int32_t (*triangles)[3], const int32_t* order, int32_t count, double* outVolume);

/// The vertex of its mesh at the start of a half-edge, or at its end with `step` 1.
int32_t brCut_VertexOf(const brCutJob* job, int32_t halfEdge, int32_t step);

/// Pairs the half-edges of triangles [begin, end) through twins. `outOpen` gets one with no partner, or -1. With
/// `isSheet` edges of other than two opposite half-edges stay unpaired and their triangles become near.
bool brCut_PairEdges(brCutJob* job, int32_t begin, int32_t end, bool isSheet, int32_t* outOpen);

// Half-planes around an axis

typedef struct brCutHalfPlane
{
	int32_t cell;
	int32_t side;     // of the cell
	int32_t triangle; // whose plane it is in
	int32_t edge;     // its half-edge along the axis, or -1: the axis crosses it
	int32_t apex;     // vertex of the triangle on this side of the axis
	bool isLeft;      // the cell runs along the axis, not against it: its front is on the ccw side
	bool isCutter;
	int32_t cluster; // equal for half-planes that coincide
} brCutHalfPlane;

/// Sorts counter-clockwise about the axis a -> b and numbers clusters of coincident ones; returns their number, or -1.
int32_t brCut_SortAround(brCutJob* job, int32_t a, int32_t b, brCutHalfPlane* planes, int32_t count);

/// Winding number of one of the meshes at a point moved off all planes by (e, e^2, e^3).
int32_t brCut_Winding(brCutJob* job, int32_t mesh, const brCutPoint* point);

/// The side of a triangle to which that move goes from a point on it: +1 its front.
int32_t brCut_MoveSide(const brCutJob* job, int32_t triangle);
