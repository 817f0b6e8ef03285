// SPDX-License-Identifier: MIT
#pragma once

// A closed surface of triangles, split into closed parts again and again.
//
// A split is decided by the vertices alone: each is below or above the surface that splits, so of a triangle's edges
// none or two are crossed, and the crossings of all triangles make closed loops, whatever rounding does. The loops are
// filled once, and both parts get these triangles, one of them turned: parts are closed by construction. A triangle is
// looked at once for each split of the part that it is in, and copied unless it is crossed.
//
//     brSplit split;
//     brSplit_Make(context, mesh, &split, report);             // part 0
//     brSplit_Divide(&split, worker, 0, &shape, 0.01, &cut);   // several parts at once, a worker each
//     brSplit_Keep(&split, 0, &cut, &children);                // parts children.first ...
//     brSplit_ToShatter(&split, &def, &shatter, report);       // what is left as pieces with bonds
//     brSplit_Free(&split);
//
// Where a part is split on, its neighbor across an earlier split keeps the face as it was: the faces lie on each other,
// corners do not meet. Triangles of cut faces remember the first triangle that they are parts of, so bonds are overlaps
// inside one plane.

#include "base/array.h"
#include "brittle/shatter.h"
#include "fracture/outline.h"
#include "fracture/split_shape.h"

#define BR_SPLIT_NOTHING 1e-9 // of the model's volume: no piece

typedef struct brSplitTriangle
{
	int32_t corners[3];
	int32_t source; // triangle of the model, or -1 - (2 face + side) of a cut face, side 1 above it
} brSplitTriangle;

typedef struct brSplitPart
{
	brSplitTriangle* triangles; // null: it was split
	brDVec3* points;            // its own, which its triangles count
	int32_t* origins;           // [pointCount] vertex of the model, or -1
	int32_t count, pointCount;
	int32_t side; // of the split that made it: 0 below or inside, 1 above or outside
	bool isConnected;
	bool isDust, isPlug; // as in brPiece
	double volume;
	brDVec3 center;
} brSplitPart;

// A triangle of a cut face as it was made.
typedef struct brSplitFace
{
	brDVec3 corners[3]; // seen from above
	int32_t cut;
} brSplitFace;

typedef BR_ARRAY(brSplitTriangle) brSplitTriangles;

// Crossed edges of one cut, and what becomes of them.
typedef struct brSplitTable
{
	uint64_t* keys; // lower vertex << 32 | upper; 0: free
	int32_t* points;
	int64_t capacity;
	int64_t mask; // a power of two less 1: so much of it is in use
} brSplitTable;

// A line of the surface on the shape, from one crossed edge to another. Seen from above it runs with the part below on
// the left.
typedef struct brSplitLine
{
	int32_t from, to;
	int32_t first, count; // points between, in `linePoints`
	bool isTurned;        // they are stored from `to` to `from`
	bool isUsed;
	int32_t after; // another line from the same point, or -1
} brSplitLine;

// What one cut after the other needs, a worker each.
typedef struct brSplitWork
{
	brAllocator allocator;
	brSplitSurface surface;      // that splits
	BR_ARRAY(brDVec3) positions; // those of the part first
	BR_ARRAY(double) heights;    // of points over the shape; the side below it has those below 0
	brSplitTriangles below, above;
	BR_ARRAY(int32_t) crossed;
	brSplitTable table;
	BR_ARRAY(int32_t) linePoints;
	BR_ARRAY(brSplitLine) lines;
	BR_ARRAY(int32_t) lineOf; // by point made in this cut, or -1
	int32_t firstPoint;       // made in this cut
	int32_t firstFace;        // number of its first face
	int32_t loopCount;
	bool isOutside; // its faces come out of the part, or split off next to nothing
	double volume;  // of the model
	brOutline outline;
	brOutlineInts corners, ends;
	BR_ARRAY(int32_t) roots;   // of the union of triangles
	BR_ARRAY(int32_t) owners;  // by vertex: a triangle that has it, or its number in the part that is made
	BR_ARRAY(int32_t) lookups; // stamps of owners
	BR_ARRAY(int32_t) used;    // scratch: vertices of the part that is made
	int32_t lookup;
} brSplitWork;

// What a cut leaves of a part.
typedef struct brSplitCut
{
	brSplitShape shape;          // that it was made by at last
	BR_ARRAY(brSplitPart) parts; // none: the shape does not go through the part, which is as it was
	BR_ARRAY(brSplitFace) faces;
	int32_t firstFace;  // as triangles count them
	int32_t belowCount; // the first parts are below or inside
	double area;
} brSplitCut;

typedef struct brSplit
{
	brAllocator allocator;
	const brContext* context;
	const brMesh* mesh;
	brTriangulation* triangles;
	brMassProperties mass; // of the model at density 1
	BR_ARRAY(brSplitPart) parts;
	BR_ARRAY(brSplitFace) faces;
	BR_ARRAY(brSplitShape) cuts;
	double area;        // of all cut faces
	brSplitWork* works; // [workCount]
	int32_t workCount;  // workers of the context
} brSplit;

typedef struct brSplitChildren
{
	int32_t first;
	int32_t count;      // 0: the shape does not go through the part, which is as it was
	int32_t belowCount; // the first of them are below or inside
	double area;        // of the cut
} brSplitChildren;

/// The mesh is closed and manifold and outlives the split; it becomes part 0.
brResult brSplit_Make(const brContext* context, const brMesh* mesh, brSplit* out, brReport* report);
void brSplit_Free(brSplit* split);

/// Splits a part; each connected rest becomes a part of its own. Lines on the surface and cut faces get points about
/// `spacing` apart. Where bumps would come out of the part they are lower, or the cut is flat; what even that does not
/// split stays whole. Nothing changes before the second step, so several parts may be divided at once by workers of
/// their own; `out` is empty or was emptied by the second. br_errorMemory is the only failure.
brResult brSplit_Divide(const brSplit* split, int32_t worker, int32_t part, const brSplitShape* shape, double spacing,
						brSplitCut* out);
brResult brSplit_Keep(brSplit* split, int32_t part, brSplitCut* cut, brSplitChildren* out);
void brSplitCut_Free(const brAllocator* allocator, brSplitCut* cut);

/// Extent of a part along a direction.
void brSplit_Extent(const brSplit* split, int32_t part, brDVec3 direction, double* outLower, double* outUpper);

/// Whether a vertex is above the shape of the cut at work.
static inline bool brSplitWork_IsAbove(const brSplitWork* work, int32_t point)
{
	return work->heights.data[point] >= 0.0;
}

/// A new vertex; -1 without memory.
int32_t brSplitWork_AddPoint(brSplitWork* work, brDVec3 p);

/// Empties the table of edges and makes room for so many. False without memory.
bool brSplitWork_ClearTable(brSplitWork* work, int32_t edges);

/// The slot of an edge in the table, free if its key is 0.
int64_t brSplitWork_FindEdge(const brSplitWork* work, int32_t v, int32_t w);

/// Divides edges of a part near a ball until they are shorter than it, so that vertices can say what is inside. False
/// without memory.
bool brSplitWork_Refine(brSplitWork* work, brSplitPart* part, const brSplitShape* ball);

/// Fills the loops of a cut: faces go to both sides. Area 0: they cannot be filled, or come out of the part. False
/// without memory.
bool brSplitWork_FillLoops(brSplitWork* work, double spacing, double* outArea);

/// Whether the triangles of the cut at work meet those of the surface nowhere but in its lines. False without memory.
bool brSplitWork_IsInside(const brSplitWork* work, bool* outIsInside);

/// Connected parts of both sides; none if one would be next to nothing. False without memory.
bool brSplitWork_Gather(brSplitWork* work, const brSplitPart* parent, brSplitCut* out);

/// A part of some triangles of the cut at work, with points of its own. `parent` is what the first of them are of.
/// False without memory.
bool brSplitWork_MakePart(brSplitWork* work, const brSplitPart* parent, const brSplitTriangle* triangles, int32_t count,
						  brSplitPart* out);
void brSplitPart_Free(const brAllocator* allocator, brSplitPart* part);

typedef struct brSplitPieceDef
{
	double density;
	const brSurfaceMaterial* interior;
	bool makeHulls;
	bool makeBonds;
} brSplitPieceDef;

/// All parts that were not split, as pieces in their order; `site` is the part. Parts without volume are left out.
brResult brSplit_ToShatter(brSplit* split, const brSplitPieceDef* def, brShatter** outShatter, brReport* report);

/// Bonds between pieces across faces that lie on each other. `pieceOf` by part, or -1.
brResult brSplit_MakeBonds(const brSplit* split, const int32_t* pieceOf, brShatter* shatter, brReport* report);
