// SPDX-License-Identifier: MIT
#pragma once

// Concave solids and triangle surfaces as the narrow phase sees them: triangles in a tree, points in a sphere tree, sharp edges.
//
// The field answers how far a point is from the surface, exactly up to rounding and everywhere, with the sign and the way out: the nearest
// triangle is found in a tree of arity eight with eight triangles in a leaf, all lanes at once; which side is told by the
// normal of the nearest face, edge or corner (Baerentzen and Aanaes 2005). A coarse grid of distances at cell centres answers for
// points that are far away, and tells the search how far it has to look.
//
// The points are the corners of the mesh and samples between them, in farthest-point order: any first few of them cover the
// surface as well as so few can. Each is the centre of a ball around its descendants (Glondu et al. 2012, section 5).
//
// Behind brShape lie, each from a multiple of 64 bytes:
//     brTriangleGroup groups[]    brTriangleNode nodes[]  level after level, root last    brTriangleLink links[faceCount]
//     brVec3 fans[cornerCount]    brSolidPoint points[vertexCount]    brPointNormals normals[vertexCount]
//     brSolidEdge edges[edgeCount]    float cells[cellCount]

#include "contact/shape.h"

#define BR_TRIANGLE_LANES 8
#define BR_TRIANGLE_LEVELS 10 // 8^10 triangles

typedef float brLanes8 __attribute__((vector_size(32)));
typedef int32_t brLaneMask8 __attribute__((vector_size(32)));

/// Eight triangles: corner a, sides b - a and c - a, unit normal, 1 / |b-a|^2, 1 / |c-a|^2, 1 / |c-b|^2, (b-a).(b-c). Empty
/// lanes and flat triangles have no normal; empty ones are far away.
typedef struct brTriangleGroup
{
	brLanes8 corner[3], side0[3], side1[3], normal[3];
	brLanes8 inv00, inv11, inv22, along;
} brTriangleGroup;

/// Boxes of eight groups, or of eight nodes one level down.
typedef struct brTriangleNode
{
	brLanes8 lower[3], upper[3];
} brTriangleNode;

/// In place of a neighbour that has no normal.
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
	float radius;        // of the ball that holds all descendants
	int32_t firstChild;  // or -1; always greater than the point's own number
	int32_t nextSibling; // or -1
} brSolidPoint;

/// Normals of the faces that meet in a point: one on a face or a smooth part, two on an edge, three at a corner.
typedef struct brPointNormals
{
	brVec3 normals[3];
	int32_t count;
} brPointNormals;

/// A piece of a sharp convex edge between two points, with the normals of its faces.
typedef struct brSolidEdge
{
	int32_t a, b;
	brVec3 left, right;
} brSolidEdge;

typedef struct brSolidCounts
{
	int32_t triangles, fans, points, edges, cells;
} brSolidCounts;

/// The same with pointers, for the time of a call.
typedef struct brSolid
{
	const brShape* shape;
	const brTriangleGroup* groups;
	const brTriangleNode* levels[BR_TRIANGLE_LEVELS]; // levels[0]: over groups
	int32_t levelCount;
	int32_t triangleCount, pointCount, edgeCount;
	const brTriangleLink* links;
	const brVec3* fans;
	const brSolidPoint* points;
	const brPointNormals* normals;
	const brSolidEdge* edges;
	const float* cells;
	int32_t cellCounts[3];
	brVec3 cellOrigin; // of the first cell's centre
	brVec3 cellSize, invCellSize;
	bool isOpen;   // a surface: nothing is inside
	bool hasAvx2;  // which copy of the search to run; both give the same bits
	float spacing; // no point of the surface is farther from a point of the tree, about
} brSolid;

/// Where the arrays are, from the start of the shape. SIZE_MAX in `total` if the counts are senseless.
typedef struct brSolidLayout
{
	size_t groups, nodes, links, fans, points, normals, edges, cells, total;
	int32_t groupCount, nodeCount, levelCount;
	int32_t levelCounts[BR_TRIANGLE_LEVELS];
} brSolidLayout;

brSolidLayout brMakeSolidLayout(const brSolidCounts* counts);
brSolidCounts brShape_SolidCounts(const brShape* shape);
brSolid brMakeSolid(const brShape* shape);

/// How far, which way.
typedef struct brFieldAnswer
{
	float distance;   // negative inside
	brVec3 direction; // unit, out of the solid; of an open surface towards its front
	int32_t triangle; // the nearest, by place
	int32_t feature;  // 0 face, 1 to 3 side, 4 to 6 corner
	brVec3 nearest;
} brFieldAnswer;

/// The signed distance of a point in the solid's axes. False if it is certainly outside by more than `reach`; then
/// `distance` is a lower bound. Of an open surface also if it is behind by more than that.
bool brSolid_Field(const brSolid* solid, brVec3 p, float reach, brFieldAnswer* out);

/// The nearest triangle, its distance squared, starting from an upper bound of it. -1 if none is nearer.
int32_t brSolid_Nearest(const brSolid* solid, brVec3 p, float* boundSq);

/// The answer for one triangle alone.
void brSolid_AnswerAt(const brSolid* solid, int32_t triangle, brVec3 p, brFieldAnswer* out);

/// Triangles whose boxes of eight overlap a box, by place, rising. Returns how many there are; writes at most `capacity`.
int32_t brSolid_InBox(const brSolid* solid, brBox3 box, int32_t* outTriangles, int32_t capacity);

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
} brSolidTriangles;

/// Fills all but the first arrays and counts; memory for as many fans as corners. Edges that more than two triangles share are parted by
/// angle, so that each pair bounds the solid between them.
bool brLinkTriangles(const brAllocator* allocator, brSolidTriangles* work);

/// Order of the triangles in the tree: aligned runs of eight, and of eight of these, are compact.
bool brOrderTriangles(const brAllocator* allocator, const brSolidTriangles* work, int32_t* outOrder);

/// Groups, nodes and links of the shape. `order` is by place.
void brFillTriangles(brShape* shape, const brSolidTriangles* work, const int32_t* order, int32_t* placeOf);

/// Surface points before they are ordered.
typedef struct brSamples
{
	int32_t pointCount, edgeCount;
	brVec3* places;
	brPointNormals* normals;
	brSolidEdge* edges;
	double spacing;
	int32_t pointCapacity, edgeCapacity;
} brSamples;

/// Corners and samples no farther than `spacing` from any place of a face, larger where that would be too many.
bool brMakeSamples(const brAllocator* allocator, const brSolidTriangles* work, double spacing, brSamples* outSamples);
void brFreeSamples(const brAllocator* allocator, brSamples* samples);

/// A shape of kind br_shapeMesh or br_shapeSurface from def->mesh.
brResult brMakeSolidShape(const brContext* context, const brShapeDef* def, brShape** outShape, brReport* report);

/// Whether all indices of a block read from elsewhere are in range.
bool brSolid_IsSound(const brShape* shape);
