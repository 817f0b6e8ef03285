// SPDX-License-Identifier: MIT
#pragma once

// Two bodies of which one at least is a solid or a surface, for the time of one question: both sides, what was found,
// what is near. For collide_mesh.c, mesh_scan.c, mesh_points.c, mesh_edges.c and mesh_apart.c.

#include "contact/collide_mesh.h"
#include "contact/select.h"
#include "contact/solid.h"

// Ids: the side, whether an edge, whether nothing but depth speaks for it.
#define BR_MESH_SIDE_BIT 0x80000000u
#define BR_MESH_EDGE_BIT 0x40000000u
#define BR_MESH_DEEP_BIT 0x20000000u

// Insets: part of the thickness.
#define BR_MESH_INSET 0.04f

// Points of curved parts that are not lowest, but deeper than this part of the thickness, count all the same.
#define BR_MESH_FLANK_DEPTH 0.05f

// Farther ahead than this part of the thickness a point is seen only since bodies are fast.
#define BR_MESH_AHEAD 0.05f

typedef struct brMeshSide
{
	const BR_FAR brShape* shape;
	brSolid solid; // if the kind is concave
	bool isConcave;
	bool isRound; // it rolls: points of its curved parts are moved to where these are lowest, and only the lowest count
	brRelativePose toOther; // from this side's axes to the other's
	brRelativePose toA;
	brVec4 planes[BR_PAIR_MANIFOLDS]; // behind which all of this side lies (n.x <= w), facing the other
	int32_t planeCount;
} brMeshSide;

// A point with edges that may be near enough.
typedef struct brMeshNear
{
	int32_t point;
	float distance; // at least
} brMeshNear;

#define BR_MESH_MAX_NEAR 256

// What is asked.
typedef struct brMeshPair
{
	brMeshSide sides[2];
	float margin;
	float edgeOut;           // how far points and edges are of interest as long as none touches
	float thickness, radius; // of the smaller
	bool isSliding;          // as of brPairMemory
	const brKeptTouches* kept;
	float keptDepth; // how deep it was a step ago, at most
} brMeshPair;

// What was found of it so far.
typedef struct brMeshFound
{
	brCandidate candidates[BR_MAX_CANDIDATES];
	int32_t count;
	brCandidate inside[BR_MAX_CANDIDATES]; // deep ones that could not be trusted
	int32_t insideCount;
	brCandidate flank;                    // the deepest of those of curved parts that were left out
	float edgesWithin;                    // edges that may be nearer are looked at
	float edgesApart;                     // lower bound of the distance of those
	brMeshNear near[2][BR_MESH_MAX_NEAR]; // of each side
	int32_t nearCount[2];
} brMeshFound;

typedef enum brMeshVerdictKind
{
	br_meshNothing,
	br_meshTouches,
	br_meshFlank,  // touches if nothing lower is found
	br_meshInside, // deep, with nothing that speaks for the way out
} brMeshVerdictKind;

// What one point or edge says, whatever others say.
typedef struct brMeshVerdict
{
	int32_t kind; // brMeshVerdictKind
	brCandidate candidate;
} brMeshVerdict;

typedef struct brMeshAnswer
{
	float distance;
	brVec3 direction;
	bool isFace;
} brMeshAnswer;

/// The field of one side at a point in its axes, of which something may be known. False if it is farther than `reach`.
bool brMeshSide_FieldWithin(const brMeshSide* side, brVec3 p, float reach, const brFieldBound* bound,
							brMeshAnswer* out);
brFieldBound brMeshSide_Bound(const brMeshSide* side, brVec3 p);
bool brMeshSide_Field(const brMeshSide* side, brVec3 p, float reach, brMeshAnswer* out);

/// The place of a side that is farthest along a direction in its axes.
brVec3 brMeshSide_Extreme(const brMeshSide* side, brVec3 direction);

/// What a round side touches a flat face with: the lowest place along a direction, and the line through it if it is
/// straight there. In its axes.
typedef struct brRoundLowest
{
	brVec3 place, axis;
	bool isLine;
} brRoundLowest;

/// False if the lowest vertex is none of a curved part.
bool brMeshSide_RoundLowest(const brMeshSide* side, brVec3 down, brRoundLowest* out);

/// The place on the lowest line or point of the other side that is nearest to a line or point of side s, by a face of
/// side s that looks along `n`. In the axes of s. False if what is lowest is not near the face: the other does not roll
/// on it.
bool brMeshPair_Rolls(const brMeshPair* pair, int32_t s, brVec3 p, brVec3 n, brRoundLowest* out);

/// A candidate from a point of side s in its own axes and the answer in the other's.
brCandidate brMeshPair_Candidate(const brMeshPair* pair, int32_t s, brVec3 p, const brMeshAnswer* answer, uint32_t id);

void brMeshFound_Add(brMeshFound* found, brCandidate candidate);
void brMeshFound_Take(brMeshFound* found, const brMeshVerdict* verdict);

/// What becomes of a candidate of a point of side s, which may lie on a curved part. `way` is out of the other in this
/// side's axes.
brMeshVerdict brMeshPair_JudgeCurve(const brMeshPair* pair, int32_t s, int32_t point, brVec3 way,
									brCandidate candidate);

/// What one point says, given the field's answer there. False if it cannot be trusted.
bool brMeshPair_Judge(const brMeshPair* pair, int32_t s, int32_t point, brMeshAnswer* answer);

/// How far behind an open surface what came through it still counts, from where it was a step ago; what is farther is
/// on its other side.
static inline float brMeshPair_Behind(const brMeshPair* pair)
{
	return 0.5f * pair->thickness + pair->margin + pair->keptDepth;
}

/// What a point of side s says, given the field's answer there.
brMeshVerdict brMeshPair_Visit(const brMeshPair* pair, int32_t s, int32_t point, brMeshAnswer answer);

/// An edge through p with tangent t (in the point's axes) that is inside the other leaves it in two places.
bool brMeshPair_WalkEdge(const brMeshPair* pair, int32_t s, brVec3 p, brVec3 t, brMeshAnswer* answer);

/// Some corners of the difference of two bodies.
typedef struct brApartSimplex
{
	brVec3 corners[4];
	int32_t count;
} brApartSimplex;

/// How far the convex hulls of two bodies are apart. The first five are to be set.
typedef struct brApartSearch
{
	brVec3 way;    // from some place of A to some of B
	float margin;  // what is no farther apart is of no interest
	float enough;  // what the first direction proves to be farther apart is not looked at more closely
	float slack;   // rounding of corners
	float apart;   // a lower bound of the distance, worth something if it is over the margin; from -INFINITY on
	brVec3 normal; // the direction from A to B that proves it, or 0
	brApartSimplex simplex;
	int32_t turn;
	bool isDone;
} brApartSearch;

/// The next direction to look along; false when all is known.
bool brApartSearch_Next(const brApartSearch* search, brVec3* outDirection);

/// The corner of B that is least along that direction, less that of A that is farthest.
void brApartSearch_Add(brApartSearch* search, brVec3 direction, brVec3 corner);

/// A lower bound of the distance of the convex hulls of both, which are no half-spaces; worth something if it is over
/// the margin. `outNormal` is the direction from A to B that proves it, or 0.
float brMeshPair_HullsApart(const brMeshPair* pair, brVec3* outNormal);

/// Planes across this direction from A to B that touch each of them. Between bodies that touch by faces nothing else is
/// so tight.
void brMeshPair_AddPlanes(brMeshPair* pair, brVec3 normal);

// Points of one shape that are looked at; those beyond are the finest of the order.
#define BR_MESH_MAX_POINTS 65536

// Up to so many, all are looked at; of more those the tree leads to.
#define BR_MESH_FLAT_POINTS 4096

/// Points of one side that may be near the other, in their order, eight at a time.
typedef struct brMeshScan
{
	const brMeshSide *side, *other;
	int32_t s;
	int32_t count;
	brBox3 box;    // of the other, grown
	int32_t block; // the next
	int32_t points[BR_TRIANGLE_LANES];
	brFloat8 places[3]; // in the other's axes
	brFieldBounds bounds;
} brMeshScan;

/// Of those that lie no farther from the other's box than `reach`.
void brMeshScan_Start(brMeshScan* scan, const brMeshPair* pair, int32_t s, float reach);

/// What is known of the eight points in hand before a triangle is touched. Returns by bits which of them may be nearer
/// than `limit`.
uint32_t brMeshScan_FindBounds(brMeshScan* scan, float limit);

/// The next points of which some may be nearer than `limit`; which, by bits. 0 at the end. All points are held against
/// the other's box, eight in a dozen instructions.
uint32_t brMeshScan_Flat(brMeshScan* scan, float limit);

static inline brVec3 brMeshScan_Place(const brMeshScan* scan, int32_t lane)
{
	return brMakeVec3(scan->places[0][lane], scan->places[1][lane], scan->places[2][lane]);
}

static inline brFieldBound brMeshScan_Bound(const brMeshScan* scan, int32_t lane)
{
	brFieldBound bound = {scan->bounds.least[lane], scan->bounds.most[lane], scan->bounds.hints[lane]};
	return bound;
}

// An edge that may be near the other body, in its own axes.
typedef struct brMeshEdge
{
	brVec3 a, b, left, right;
	uint32_t id;
	float within;       // of interest if it is nearer
	brFieldBound bound; // at its middle
} brMeshEdge;

#define BR_MESH_MAX_EDGES 128 // of each side

/// Lists the edges of side s that may cross edges of the other; the others tell how far they are apart.
int32_t brMeshPair_ListEdges(const brMeshPair* pair, brMeshFound* found, int32_t s, BR_FAR brMeshEdge* list);

/// What such an edge says. `inOutApart` goes down to how far it is from the other at least.
brMeshVerdict brMeshPair_TryEdge(const brMeshPair* pair, int32_t s, const brMeshEdge* edge, float* inOutApart);
