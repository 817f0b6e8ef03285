// SPDX-License-Identifier: MIT
#pragma once

// Concave solids and triangle surfaces as the narrow phase sees them: triangles in a tree, points in a sphere tree,
// sharp edges.
//
// The field answers how far a point is from the surface, exactly up to rounding and everywhere, with the sign and the
// way out: the nearest triangle is found in a tree of arity eight with eight triangles in a leaf, all lanes at once;
// which side is told by the normal of the nearest face, edge or corner (Baerentzen and Aanaes 2005). A coarse grid of
// distances at cell centers answers for points that are far away, and tells the search how far it has to look.
//
// The points are the corners of the mesh and samples between them, in farthest-point order: any first few of them cover
// the surface as well as so few can. Each is the center of a ball around its descendants (Glondu et al. 2012, section
// 5).
//
// Behind brShape lie, each from a multiple of 64 bytes:
//     brTriangleGroup groups[]    brTreeBoxes boxes[]  of a tree over groups    brTriangleLink links[faceCount]
//     brVec3 fans[cornerCount]    brSolidPoint points[vertexCount]    brFloat8 places[3][blocks of eight points]
//     brPointNormals normals[vertexCount]    brPointCurve curves[curveCount]: none, or one a point
//     brSolidEdge edges[edgeCount]    brSolidCell cells[cellCount]
//
// What asks (up to "Making" below, and the files of collide_mesh.h) is OpenCL C too: gpu/kernels/meshes.cl.

#include "contact/manifold.h"
#include "index/box_tree.h"

#define BR_TRIANGLE_LANES 8
#define BR_SOLID_MAX_TRIANGLES (1 << 26)
#define BR_SOLID_CELLS 32 // of the coarse grid, along a side, at most

/// Arrays begin at these.
static inline size_t brSolidAlign(size_t bytes)
{
	return (bytes + 63) & ~(size_t)63;
}

/// Eight triangles, each in axes of its own: from corner a along the first side to b, up towards c, and the unit
/// normal. There a is 0, b is (length, 0), c is (cx, cy) with cy > 0; and 1 / |c-a|^2, 1 / |c-b|^2. Empty lanes and
/// flat triangles have no normal and are far away.
typedef struct brTriangleGroup
{
	brFloat8 corner[3], along[3], up[3], normal[3];
	brFloat8 length, cx, cy, inv1, inv2;
} brTriangleGroup;

/// In place of a neighbor that has no normal.
#define BR_ACROSS_FLAT -2

/// Who is next to a triangle, by its place in the groups. Side k runs from corner k to the next.
typedef struct brTriangleLink
{
	int32_t across[3]; // the triangle over side k, -1 or BR_ACROSS_FLAT
	int32_t fans[3];   // whose normal holds at corner k
} brTriangleLink;

typedef struct brSolidPoint
{
	brVec3 place;
	float radius;        // of the ball that holds all descendants, and the edges that begin in them
	int32_t firstChild;  // or -1; always greater than the point's own number
	int32_t nextSibling; // or -1
	int32_t firstEdge;   // of those that begin here; they end where the next point's begin
	float edgeReach;     // the length of the longest of them, 0 without any
} brSolidPoint;

/// Normals of the faces that meet in a point: one on a face or a smooth part, two on an edge, three at a corner.
typedef struct brPointNormals
{
	brVec3 normals[3];
	int32_t count;
} brPointNormals;

/// How a smooth part curves at a point. Radii of flat and hollow directions are 0; the second direction is across the
/// normal and the first.
typedef struct brPointCurve
{
	brVec3 normal, along;
	float radii[2];
	float reach[2]; // half the way to the next vertex
} brPointCurve;

/// A direction that has less of itself in the plane of a curve says nothing about its lowest place. Within so many
/// reaches a vertex counts as the lowest of its neighbours, a little over 1 so that none is left without.
#define BR_CURVE_FLAT 0.1f
#define BR_CURVE_SHARED 1.25f

/// A piece of a sharp convex edge between two points, with the normals of its faces. Sorted by `a`.
typedef struct brSolidEdge
{
	int32_t a, b;
	brVec3 left, right;
} brSolidEdge;

/// What the middle of a cell knows.
typedef struct brSolidCell
{
	float distance;   // signed
	int32_t triangle; // the nearest, by place
} brSolidCell;

typedef struct brSolidCounts
{
	int32_t triangles, fans, points, edges, cells, curves;
} brSolidCounts;

/// The same with pointers, for the time of a call.
typedef struct brSolid
{
	const BR_FAR brShape* shape;
	const BR_FAR brTriangleGroup* groups;
	brBoxTree tree; // over groups
	int32_t triangleCount, pointCount, edgeCount;
	const BR_FAR brTriangleLink* links;
	const BR_FAR brVec3* fans;
	const BR_FAR brSolidPoint* points;
	const BR_FAR brFloat8* places[3]; // of the same points, eight by eight; what is beyond the last is far away
	int32_t blockCount;
	const BR_FAR brPointNormals* normals;
	const BR_FAR brPointCurve* curves; // or null: nothing is curved
	const BR_FAR brSolidEdge* edges;
	const BR_FAR brSolidCell* cells;
	int32_t cellCounts[3];
	brVec3 cellOrigin; // of the first cell's center
	brVec3 cellSize, invCellSize;
	bool isOpen;    // a surface: nothing is inside
	bool hasAvx2;   // which copy of the search to run; both give the same bits
	float maxReach; // of all edges
	float spacing;  // no point of the surface is farther from a point of the tree, about
} brSolid;

/// Where the arrays are, from the start of the shape. SIZE_MAX in `total` if the counts are senseless.
typedef struct brSolidLayout
{
	size_t groups, boxes, links, fans, points, places, normals, curves, edges, cells, total;
	int32_t groupCount;
	brBoxTree tree; // sizes alone
} brSolidLayout;

brSolidLayout brMakeSolidLayout(const brSolidCounts* counts);
brSolidCounts brShape_SolidCounts(const BR_FAR brShape* shape);
brSolid brMakeSolid(const BR_FAR brShape* shape);

static inline float brClamp01(float x)
{
	return x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x;
}

/// How far, which way.
typedef struct brFieldAnswer
{
	float distance;   // negative inside
	brVec3 direction; // unit, out of the solid; of an open surface towards its front
	int32_t triangle; // the nearest, by place
	int32_t feature;  // 0 face, 1 to 3 side, 4 to 6 corner
	brVec3 nearest;
} brFieldAnswer;

/// What is known of the distance of a point before a triangle is touched. Of an open surface without its sign.
typedef struct brFieldBound
{
	float least, most;
	int32_t hint; // a triangle that is near, by place
} brFieldBound;

brFieldBound brSolid_Bound(const brSolid* solid, brVec3 p);

/// The same of eight points at once.
typedef struct brFieldBounds
{
	brFloat8 least, most;
	brInt8 hints;
} brFieldBounds;

/// Returns by bits which of them may be nearer than `limit`.
uint32_t brSolid_Bounds(const brSolid* solid, const brFloat8 places[3], float limit, brFieldBounds* out);

/// The same for what lies behind planes (n.x <= w), as a box or hull does: no point is nearer to it than to the
/// farthest of them. `slack` is what rounding may do to them.
uint32_t brPlanes_Bounds(const BR_FAR brVec4* planes, int32_t count, float slack, const brFloat8 places[3], float limit,
						 brFloat8* outLeast);

/// The same for planes that are a thread's own.
#ifdef __OPENCL_VERSION__
#define brOwnPlanes_Bounds ownPlaneLanesPlain
#else
#define brOwnPlanes_Bounds brPlanes_Bounds
#endif

/// The point that is farthest along a direction, of equals the first.
int32_t brSolid_Extreme(const brSolid* solid, brVec3 direction);

/// Takes eight points of one body into the axes of another, and tells by bits which of them are in a box there.
uint32_t brSolid_PlaceBlock(const brSolid* solid, int32_t block, const brRelativePose* pose, brBox3 box,
							brFloat8 outPlaces[3]);

static inline int32_t brSolid_EdgesEnd(const brSolid* solid, int32_t point)
{
	return point + 1 < solid->pointCount ? solid->points[point + 1].firstEdge : solid->edgeCount;
}

/// The triangle nearest to a point whose bound is known, and its distance squared; -1 if the point is outside and
/// farther than `reach`.
int32_t brSolid_Search(const brSolid* solid, brVec3 p, float reach, const brFieldBound* bound, float* outSquared);

/// As brSolid_Field, for a point whose bound is known already.
bool brSolid_FieldWithin(const brSolid* solid, brVec3 p, float reach, const brFieldBound* bound, brFieldAnswer* out);

/// The signed distance of a point in the solid's axes. False if it is certainly outside by more than `reach`; then
/// `distance` is a lower bound. Of an open surface also if it is behind by more than that.
bool brSolid_Field(const brSolid* solid, brVec3 p, float reach, brFieldAnswer* out);

/// The nearest triangle, its distance squared, starting from an upper bound of it. -1 if none is nearer. `hint` is a
/// triangle that may be near, or -1: a good one saves time and changes nothing else.
int32_t brSolid_Nearest(const brSolid* solid, brVec3 p, int32_t hint, float* boundSq);

/// Corners of a triangle, as float as its axes.
void brSolid_Corners(const brSolid* solid, int32_t triangle, brVec3 outCorners[3]);

/// The answer for one triangle alone.
void brSolid_AnswerAt(const brSolid* solid, int32_t triangle, brVec3 p, brFieldAnswer* out);

/// A guess at the signed distance: that of one triangle, on the side of its plane. Never nearer than the truth.
float brSolid_Guess(const brSolid* solid, int32_t triangle, brVec3 p);

/// Triangles whose boxes of eight overlap a box, by place, rising. Returns how many there are; writes at most
/// `capacity`.
int32_t brSolid_InBox(const brSolid* solid, brBox3 box, int32_t* outTriangles, int32_t capacity);

#ifndef __OPENCL_VERSION__

// Making

/// Triangles with everything that follows from them, before they are laid out.
typedef struct brSolidTriangles
{
	int32_t triangleCount, vertexCount, fanCount;
	const brVec3* vertices;
	const brDVec3* exact;     // the same before rounding: slivers have normals by these only
	int32_t (*triangles)[3];  // vertices
	int32_t (*across)[3];     // triangle over side k, or -1
	int32_t (*cornerFans)[3]; //
	brDVec3* normals;         // unit, or 0 for flat triangles; these take part in nothing
	double* areas;            // twice
	brVec3* fans;             // normals of fans, unit
	void* scratch;            // as much as the greediest of the functions below needs
} brSolidTriangles;

size_t brLinkScratchBytes(int32_t cornerCount, int32_t vertexCount);
size_t brOrderScratchBytes(int32_t triangleCount);
size_t brSampleScratchBytes(int32_t triangleCount, int32_t vertexCount);

/// Whether every side of the polygons has one other half. Scratch as for links.
bool brMesh_IsLinked(const brMesh* mesh, void* scratch);

/// Fills `across`, `normals` and `areas`. Edges that more than two triangles share are parted by angle, so that each
/// pair bounds the solid between them.
void brLinkTriangles(brSolidTriangles* work);

/// Then `cornerFans` and `fans`, which has room for as many as there are corners.
void brMakeFans(brSolidTriangles* work);

/// Order of the triangles in the tree: aligned runs of eight, and of eight of these, are compact.
void brOrderTriangles(const brSolidTriangles* work, int32_t* outOrder);

/// Groups, their tree and links of the shape. `order` is by place.
void brFillTriangles(brShape* shape, const brSolidTriangles* work, const int32_t* order, int32_t* placeOf);

/// Surface points before they are ordered.
typedef struct brSamples
{
	int32_t pointCount, edgeCount;
	brVec3* places;
	brPointNormals* normals;
	brPointCurve* curves;
	brSolidEdge* edges;
	bool hasCurves;
	double spacing;
	int32_t pointCapacity, edgeCapacity;
} brSamples;

/// Curves of the points that are vertices.
void brMeasureCurves(const brSolidTriangles* t, const int32_t* pointOf, void* scratch, brSamples* samples);
size_t brCurveScratchBytes(int32_t triangleCount, int32_t vertexCount);

/// The curve of a sample between two points, on the side that they share or, without isEdge, in a face.
brPointCurve brMakeSampleCurve(const brSamples* samples, int32_t a, int32_t b, brVec3 normal, bool isEdge);

/// Corners and samples no farther than `spacing` from any place of a face, larger where that would be too many.
bool brMakeSamples(const brAllocator* allocator, const brSolidTriangles* work, double spacing, brSamples* outSamples);
void brFreeSamples(const brAllocator* allocator, brSamples* samples);

/// A hull in place of a closed mesh that is convex up to rounding; null if it is not, or over the limits of hulls.
brResult brTryPolytope(const brContext* context, const brMesh* mesh, double size, const brMassProperties* mass,
					   brShape** outShape, brReport* report);

/// Whether no vertex stands out over the plane of a triangle by more than `tolerance`.
bool brTriangles_AreConvex(const brSolidTriangles* work, double tolerance);

/// The hull of such.
brResult brMakeTriangleHull(const brContext* context, const brMesh* mesh, const brSolidTriangles* work,
							const brMassProperties* mass, brShape** outShape, brReport* report);

/// A shape of kind br_shapeMesh or br_shapeSurface from def->mesh.
brResult brMakeSolidShape(const brContext* context, const brShapeDef* def, brShape** outShape, brReport* report);

/// Whether all indices of a block read from elsewhere are in range.
bool brSolid_IsSound(const brShape* shape);

#endif
