// SPDX-License-Identifier: MIT

// Lattice to solid in three steps, each a table lookup in spirit:
//   cut    every lattice edge with one end inside and one outside gets a cut point where it meets the surface;
//   warp   a node with a cut point nearer than a fixed part of the edge moves there, and is then on the surface: the other
//          cut points around it vanish, so what is left is never close to a node;
//   fill   each tet is kept, dropped, or replaced by the part inside: a tet, a pyramid or a wedge, cut into tets.
//
// For good angles the diagonals of the quads that two tets share must be chosen well: a quad between a long and a short
// cut edge takes the diagonal that ends at the cut point of the long one; one between two short cut edges has its
// corners at the ends of a long edge, and takes the end that has an even number of coordinates above those of the node
// cut off (the parity rule of the paper), so that in a wedge between two long edges the diagonals end at different
// corners.
//
// All dihedral angles are then between 10.5 and 163.8 degrees whatever the surface is, as long as the tets along the
// surface are of the regular kind: the extremes over some 10^7 tets of lattices with random signs and cut points at the
// limits. The paper's own parts, 0.24999 and 0.41189, for which it proves 10.78 and 164.74, give 9.3 and 161.7 with our
// diagonals.

#include "volume/stuffing.h"

#include "base/report.h"
#include "base/sort.h"
#include "mesh/mesh_build.h"
#include "volume/tet_polish.h"

#include <string.h>

// A node moves to a cut point nearer than this part of the edge: the best of a scan for the smallest angle.
#define WARP_LONG 0.28
#define WARP_SHORT 0.40
#define WARP_FACE 0.33

// Between cells of different size no node moves by more than this part of its shortest edge, whatever the cut edge is.
#define WARP_MOST 0.45

// What graded lattices are polished to [rad]: 12 and 162 degrees, so that stopping short is still good.
#define POLISH_LEAST 0.20943951
#define POLISH_MOST 2.8274334

// Hits of one lattice edge that we look at; more than this many layers within an edge is beyond the lattice anyway.
#define CUT_HITS 16
#define CUT_BISECTIONS 16
#define CUT_STEPS 6
#define CUT_CLOSE 0.004 // of the edge

enum
{
	sign_outside = -1,
	sign_surface = 0,
	sign_inside = 1,
};

// A lattice edge across the surface. `t` runs from a to b.
typedef struct CutEdge
{
	int32_t a, b;
	int32_t node; // of the output; -1: not used (yet)
	double t;
} CutEdge;

#define CUT_BATCH 65536 // edges between two looks whether to stop

typedef struct Stuffer
{
	brAllocator allocator;
	const brLattice* lattice;
	const brSurfaceTree* tree;
	bool isInverted;
	double offset;
	int32_t cutCount;
	int32_t firstCut;   // of the batch that is worked on
	CutEdge* cuts;      // [cutCount] by (a, b), a < b
	int32_t* cutStarts; // [nodes + 1] by a
	int8_t* signs;      // [nodes]
	int32_t* warps;     // [nodes] cut edge whose point the node moved to, or -1
	int32_t* outNodes;  // [nodes] of the output, or -1
	int32_t* shortest;  // [nodes] of a graded lattice: squared length of the shortest edge there [half cells^2]
	int32_t outNodeCount;
	BR_ARRAY(brLatticeTet) tets;
} Stuffer;

static const uint8_t stuffEdges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

// Squared, in half cells: 4 along an axis between two corners or two centers of the finest cells, 3 between a corner
// and a center.
static inline int64_t edgeLengthSq(const brLattice* lattice, int32_t a, int32_t b)
{
	const int32_t *p = lattice->nodes.data[a].at, *q = lattice->nodes.data[b].at;
	int64_t x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
	return x * x + y * y + z * z;
}

// How near to its end a cut point of an edge draws that end to itself, by the edge's direction: along an axis, along
// the diagonal of a cell, or of its face (only between cells of different size).
static inline double warpPart(const brLattice* lattice, int32_t a, int32_t b)
{
	const int32_t *p = lattice->nodes.data[a].at, *q = lattice->nodes.data[b].at;
	int same = (p[0] == q[0]) + (p[1] == q[1]) + (p[2] == q[2]);
	return same == 2 ? WARP_LONG : same == 0 ? WARP_SHORT : WARP_FACE;
}

// Cut

static bool gatherCuts(Stuffer* s)
{
	const brLattice* lattice = s->lattice;
	BR_ARRAY(uint64_t) keys = {0};
	uint64_t* scratch = NULL;
	bool complete = true;
	for (int32_t i = 0; i < lattice->tets.count && complete; ++i)
	{
		const int32_t* n = lattice->tets.data[i].nodes;
		int sum = s->signs[n[0]] + s->signs[n[1]] + s->signs[n[2]] + s->signs[n[3]];
		if (sum == 4 || sum == -4)
		{
			continue;
		}
		complete = BR_RESERVE(&s->allocator, &keys, 6);
		for (int e = 0; e < 6 && complete; ++e)
		{
			uint32_t a = (uint32_t)n[stuffEdges[e][0]], b = (uint32_t)n[stuffEdges[e][1]];
			if (s->signs[a] != s->signs[b])
			{
				keys.data[keys.count++] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
			}
		}
	}
	int32_t count = keys.count;
	complete = complete && (scratch = BR_ALLOC(&s->allocator, uint64_t, count)) != NULL &&
			   brSortKeys64(NULL, &s->allocator, keys.data, scratch, count);
	if (complete)
	{
		int32_t used = 0;
		for (int32_t i = 0; i < count; ++i)
		{
			if (i == 0 || keys.data[i] != keys.data[i - 1])
			{
				keys.data[used++] = keys.data[i];
			}
		}
		s->cutCount = used;
		s->cuts = BR_ALLOC(&s->allocator, CutEdge, used);
		complete = s->cuts != NULL;
	}
	if (complete)
	{
		memset(s->cutStarts, 0, ((size_t)lattice->nodes.count + 1) * sizeof(int32_t));
		for (int32_t i = 0; i < s->cutCount; ++i)
		{
			s->cuts[i] = (CutEdge){(int32_t)(keys.data[i] >> 32), (int32_t)(uint32_t)keys.data[i], -1, 0.5};
			s->cutStarts[s->cuts[i].a + 1] += 1;
		}
		for (int32_t i = 0; i < lattice->nodes.count; ++i)
		{
			s->cutStarts[i + 1] += s->cutStarts[i];
		}
	}
	BR_FREE_ARRAY(&s->allocator, &keys);
	BR_FREE(&s->allocator, scratch, count);
	return complete;
}

static CutEdge* findCut(const Stuffer* s, int32_t a, int32_t b)
{
	int32_t low = a < b ? a : b, high = a < b ? b : a;
	for (int32_t i = s->cutStarts[low]; i < s->cutStarts[low + 1]; ++i)
	{
		if (s->cuts[i].b == high)
		{
			return &s->cuts[i];
		}
	}
	return NULL;
}

static bool isInsideByWinding(const Stuffer* s, brDVec3 p)
{
	double winding = brSurfaceTree_WindingAt(s->tree, p);
	return s->isInverted ? winding < -0.5 : winding > 0.5;
}

// Where the segment from outside to inside enters the solid, 0 to 1.
static double findEntry(const Stuffer* s, brDVec3 outside, brDVec3 inside)
{
	brSegmentHit hits[CUT_HITS];
	int32_t count = brSurfaceTree_Segment(s->tree, outside, inside, hits, CUT_HITS);
	count = count < CUT_HITS ? count : CUT_HITS;
	int32_t inward = s->isInverted ? 1 : -1;
	if (s->tree->isClosed)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			if (hits[i].sign == inward)
			{
				return hits[i].t;
			}
		}
	}
	else
	{
		// The surface itself where the winding number truly changes there, else wherever it passes one half.
		for (int32_t i = 0; i < count; ++i)
		{
			double before = hits[i].t - 1e-3, after = hits[i].t + 1e-3;
			if ((before <= 0.0 || !isInsideByWinding(s, brDLerp(outside, inside, before))) &&
				(after >= 1.0 || isInsideByWinding(s, brDLerp(outside, inside, after))))
			{
				return hits[i].t;
			}
		}
		double low = 0.0, high = 1.0;
		for (int i = 0; i < CUT_BISECTIONS; ++i)
		{
			double middle = 0.5 * (low + high);
			if (isInsideByWinding(s, brDLerp(outside, inside, middle)))
			{
				high = middle;
			}
			else
			{
				low = middle;
			}
		}
		return 0.5 * (low + high);
	}
	// Both ends within rounding of the surface: distances say where it is.
	double from = brSurfaceTree_ClosestWithin(s->tree, outside, INFINITY).distance;
	double to = brSurfaceTree_ClosestWithin(s->tree, inside, INFINITY).distance;
	return from + to > 0.0 ? from / (from + to) : 0.5;
}

// Where the segment comes nearer to the surface than the offset: false position (the Illinois kind) on the distance,
// which counts as negative from the surface inward.
static double findGrownEntry(const Stuffer* s, brDVec3 outside, brDVec3 inside)
{
	brSegmentHit hits[CUT_HITS];
	int32_t count = brSurfaceTree_Segment(s->tree, outside, inside, hits, CUT_HITS);
	double surface = count > 0 ? hits[0].t : 2.0;
	double low = 0.0, high = count > 0 ? surface : 1.0;
	double reach = brDDistance(outside, inside);
	double lowValue = brSurfaceTree_ClosestWithin(s->tree, outside, 2.0 * reach + s->offset).distance - s->offset;
	double highValue =
		count > 0 ? -s->offset : brSurfaceTree_ClosestWithin(s->tree, inside, s->offset).distance - s->offset;
	if (!(lowValue > 0.0) || !(highValue < 0.0))
	{
		return lowValue > 0.0 ? high : low; // within rounding of the offset
	}
	for (int i = 0; i < CUT_STEPS; ++i)
	{
		double t = low + (high - low) * (lowValue / (lowValue - highValue));
		brDVec3 p = brDLerp(outside, inside, t);
		double value = brSurfaceTree_ClosestWithin(s->tree, p, lowValue + s->offset + reach).distance - s->offset;
		if (fabs(value) <= CUT_CLOSE * reach)
		{
			return t;
		}
		if (value > 0.0)
		{
			low = t, lowValue = value, highValue *= 0.5;
		}
		else
		{
			high = t, highValue = value, lowValue *= 0.5;
		}
	}
	return low + (high - low) * (lowValue / (lowValue - highValue));
}

static double findStart(const Stuffer* s, brDVec3 outside, brDVec3 inside)
{
	return s->offset > 0.0 ? findGrownEntry(s, outside, inside) : findEntry(s, outside, inside);
}

static void cutRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	Stuffer* s = user;
	for (int32_t i = begin; i < end; ++i)
	{
		CutEdge* cut = &s->cuts[s->firstCut + i];
		brDVec3 a = brLattice_Position(s->lattice, &s->lattice->nodes.data[cut->a]);
		brDVec3 b = brLattice_Position(s->lattice, &s->lattice->nodes.data[cut->b]);
		cut->t = s->signs[cut->a] == sign_outside ? findStart(s, a, b) : 1.0 - findStart(s, b, a);
	}
}

// Warp

typedef struct WarpChoice
{
	double distance; // [half cells]
	int32_t cut;
} WarpChoice;

// Nodes in order; each looks at its cut edges whose other end has not moved, and goes to the nearest point that is too
// close. Edges at a node are those it starts (by cutStarts) and those it ends (by the lists made here).
static bool warpNodes(Stuffer* s)
{
	const brLattice* lattice = s->lattice;
	int32_t nodeCount = lattice->nodes.count;
	int32_t* endStarts = BR_ALLOC_ZERO(&s->allocator, int32_t, (int64_t)nodeCount + 2);
	int32_t* ends = BR_ALLOC(&s->allocator, int32_t, s->cutCount);
	bool complete = endStarts != NULL && ends != NULL;
	if (complete)
	{
		for (int32_t i = 0; i < s->cutCount; ++i)
		{
			endStarts[s->cuts[i].b + 2] += 1;
		}
		for (int32_t i = 0; i < nodeCount; ++i)
		{
			endStarts[i + 2] += endStarts[i + 1];
		}
		for (int32_t i = 0; i < s->cutCount; ++i)
		{
			ends[endStarts[s->cuts[i].b + 1]++] = i;
		}
	}
	for (int32_t node = 0; node < nodeCount && complete; ++node)
	{
		WarpChoice best = {INFINITY, -1};
		int32_t startCount = s->cutStarts[node + 1] - s->cutStarts[node];
		int32_t endCount = endStarts[node + 1] - endStarts[node];
		for (int32_t i = 0; i < startCount + endCount; ++i)
		{
			int32_t index = i < startCount ? s->cutStarts[node] + i : ends[endStarts[node] + i - startCount];
			const CutEdge* cut = &s->cuts[index];
			int32_t other = cut->a == node ? cut->b : cut->a;
			if (s->signs[other] == sign_surface)
			{
				continue; // the cut point has gone with the other end
			}
			double part = cut->a == node ? cut->t : 1.0 - cut->t;
			double distance = part * sqrt((double)edgeLengthSq(lattice, cut->a, cut->b));
			bool isNear = part < warpPart(lattice, cut->a, cut->b) &&
						  (s->shortest == NULL || distance < WARP_MOST * sqrt((double)s->shortest[node]));
			if (isNear && distance < best.distance)
			{
				best = (WarpChoice){distance, index};
			}
		}
		if (best.cut >= 0)
		{
			s->warps[node] = best.cut;
			s->signs[node] = sign_surface;
		}
	}
	BR_FREE(&s->allocator, endStarts, (int64_t)nodeCount + 2);
	BR_FREE(&s->allocator, ends, s->cutCount);
	return complete;
}

// Fill

// Whether the diagonal of the quad between a, b (inside) and the cut points towards c (outside) runs from a to the cut
// point of b and c, not from b to that of a and c.
static bool diagonalStartsAt(const Stuffer* s, int32_t a, int32_t b, int32_t c)
{
	const brLattice* lattice = s->lattice;
	int64_t lengthA = edgeLengthSq(lattice, a, c), lengthB = edgeLengthSq(lattice, b, c);
	if (lengthA != lengthB)
	{
		return lengthB > lengthA;
	}
	const int32_t *p = lattice->nodes.data[a].at, *q = lattice->nodes.data[c].at, *r = lattice->nodes.data[b].at;
	int above = (p[0] > q[0]) + (p[1] > q[1]) + (p[2] > q[2]);
	int aboveB = (r[0] > q[0]) + (r[1] > q[1]) + (r[2] > q[2]);
	// Across a face between cells of different size both may be even; then any fixed order does.
	return above % 2 != aboveB % 2 ? above % 2 == 0 : a < b;
}

static int32_t keepNode(Stuffer* s, int32_t node)
{
	if (s->outNodes[node] < 0)
	{
		s->outNodes[node] = s->outNodeCount++;
	}
	return s->outNodes[node];
}

static int32_t keepCut(Stuffer* s, int32_t a, int32_t b)
{
	CutEdge* cut = findCut(s, a, b);
	if (cut->node < 0)
	{
		cut->node = s->outNodeCount++;
	}
	return cut->node;
}

// Adds a tet that is positive if `isTurned` is not set, and the other way round if it is.
static void putTet(Stuffer* s, bool isTurned, int32_t a, int32_t b, int32_t c, int32_t d)
{
	brLatticeTet tet = {{a, b, isTurned ? d : c, isTurned ? c : d}};
	s->tets.data[s->tets.count++] = tet;
}

// The wedge with triangles a and b, b on the front of a; quad i is between i and i + 1, its diagonal from a[i] to b[i +
// 1] if diagonals[i], else from a[i + 1] to b[i]. They are not all alike, so one a has two of them.
static void putWedge(Stuffer* s, bool isTurned, const int32_t* a, const int32_t* b, const bool* diagonals)
{
	int i = 0;
	while (!diagonals[i] || diagonals[(i + 2) % 3])
	{
		i += 1;
	}
	int j = (i + 1) % 3, k = (i + 2) % 3;
	putTet(s, isTurned, a[i], b[0], b[1], b[2]);
	if (diagonals[j])
	{
		putTet(s, isTurned, a[i], a[j], a[k], b[k]);
		putTet(s, isTurned, a[i], a[j], b[k], b[j]);
	}
	else
	{
		putTet(s, isTurned, a[i], a[j], a[k], b[j]);
		putTet(s, isTurned, a[i], a[k], b[k], b[j]);
	}
}

static void fillTet(Stuffer* s, const brLatticeTet* tet)
{
	// Inside first, then surface, then outside, by exchanges of neighbors.
	int32_t v[4];
	memcpy(v, tet->nodes, sizeof(v));
	bool isTurned = false;
	for (int pass = 0; pass < 3; ++pass)
	{
		for (int i = 0; i < 3; ++i)
		{
			if (s->signs[v[i]] < s->signs[v[i + 1]])
			{
				int32_t swap = v[i];
				v[i] = v[i + 1], v[i + 1] = swap;
				isTurned = !isTurned;
			}
		}
	}
	int inside = 0, outside = 0;
	for (int i = 0; i < 4; ++i)
	{
		inside += s->signs[v[i]] == sign_inside;
		outside += s->signs[v[i]] == sign_outside;
	}
	if (inside == 0)
	{
		return;
	}
	if (outside == 0)
	{
		// One after the other, not as arguments of one call: compilers differ in whose number comes first.
		int32_t corners[4];
		for (int i = 3; i >= 0; --i)
		{
			corners[i] = keepNode(s, v[i]);
		}
		putTet(s, isTurned, corners[0], corners[1], corners[2], corners[3]);
		return;
	}
	if (inside == 1)
	{
		int32_t corners[4] = {keepNode(s, v[0])};
		for (int i = 1; i < 4; ++i)
		{
			corners[i] = s->signs[v[i]] == sign_surface ? keepNode(s, v[i]) : keepCut(s, v[0], v[i]);
		}
		putTet(s, isTurned, corners[0], corners[1], corners[2], corners[3]);
		return;
	}
	if (inside == 2 && outside == 1)
	{
		// A pyramid on the quad v0, v1 and their cut points towards v3, with v2 on the surface as its top.
		int32_t a = keepNode(s, v[0]), b = keepNode(s, v[1]), top = keepNode(s, v[2]);
		int32_t cutA = keepCut(s, v[0], v[3]), cutB = keepCut(s, v[1], v[3]);
		if (diagonalStartsAt(s, v[0], v[1], v[3]))
		{
			putTet(s, isTurned, a, b, top, cutB);
			putTet(s, isTurned, a, cutB, top, cutA);
		}
		else
		{
			putTet(s, isTurned, a, b, top, cutA);
			putTet(s, isTurned, cutA, b, top, cutB);
		}
		return;
	}
	if (inside == 3)
	{
		int32_t a[3], b[3];
		bool diagonals[3];
		for (int i = 0; i < 3; ++i)
		{
			a[i] = keepNode(s, v[i]);
			b[i] = keepCut(s, v[i], v[3]);
			diagonals[i] = diagonalStartsAt(s, v[i], v[(i + 1) % 3], v[3]);
		}
		putWedge(s, isTurned, a, b, diagonals);
		return;
	}
	// Two and two: triangles at v0 and v1; the quad of cut points is on the surface and takes the diagonal that fits.
	int32_t a[3], b[3];
	a[0] = keepNode(s, v[0]), a[1] = keepCut(s, v[0], v[2]), a[2] = keepCut(s, v[0], v[3]);
	b[0] = keepNode(s, v[1]), b[1] = keepCut(s, v[1], v[2]), b[2] = keepCut(s, v[1], v[3]);
	bool first = diagonalStartsAt(s, v[0], v[1], v[2]);
	bool diagonals[3] = {first, !first, !diagonalStartsAt(s, v[0], v[1], v[3])};
	putWedge(s, isTurned, a, b, diagonals);
}

static bool fillTets(Stuffer* s)
{
	for (int32_t i = 0; i < s->lattice->tets.count; ++i)
	{
		if (!BR_RESERVE(&s->allocator, &s->tets, 3))
		{
			return false;
		}
		fillTet(s, &s->lattice->tets.data[i]);
	}
	return true;
}

// Shortest edges of a graded lattice.
static bool findShortest(Stuffer* s)
{
	int32_t count = s->lattice->nodes.count;
	s->shortest = BR_ALLOC(&s->allocator, int32_t, count);
	for (int32_t i = 0; s->shortest != NULL && i < count; ++i)
	{
		s->shortest[i] = INT32_MAX;
	}
	for (int32_t i = 0; s->shortest != NULL && i < s->lattice->tets.count; ++i)
	{
		const int32_t* n = s->lattice->tets.data[i].nodes;
		for (int e = 0; e < 6; ++e)
		{
			int32_t a = n[stuffEdges[e][0]], b = n[stuffEdges[e][1]];
			int64_t length = edgeLengthSq(s->lattice, a, b);
			s->shortest[a] = length < s->shortest[a] ? (int32_t)length : s->shortest[a];
			s->shortest[b] = length < s->shortest[b] ? (int32_t)length : s->shortest[b];
		}
	}
	return s->shortest != NULL;
}

// Tets along the surface of a graded lattice are not all of one shape: the worst are made better.
static bool polishMesh(const Stuffer* s, brTetMesh* mesh)
{
	uint8_t* isOnSurface = BR_ALLOC_ZERO(&s->allocator, uint8_t, mesh->nodeCount);
	if (isOnSurface == NULL)
	{
		return false;
	}
	for (int32_t i = 0; i < s->lattice->nodes.count; ++i)
	{
		if (s->outNodes[i] >= 0 && s->warps[i] >= 0)
		{
			isOnSurface[s->outNodes[i]] = 1;
		}
	}
	for (int32_t i = 0; i < s->cutCount; ++i)
	{
		if (s->cuts[i].node >= 0)
		{
			isOnSurface[s->cuts[i].node] = 1;
		}
	}
	bool done = brPolishTets(&s->allocator, mesh, s->tree, s->offset, isOnSurface, POLISH_LEAST, POLISH_MOST);
	BR_FREE(&s->allocator, isOnSurface, mesh->nodeCount);
	return done;
}

// Output

static brDVec3 cutPosition(const Stuffer* s, const CutEdge* cut)
{
	brDVec3 a = brLattice_Position(s->lattice, &s->lattice->nodes.data[cut->a]);
	brDVec3 b = brLattice_Position(s->lattice, &s->lattice->nodes.data[cut->b]);
	return brDLerp(a, b, cut->t);
}

static brTetMesh* writeMesh(const Stuffer* s)
{
	brTetMeshShape shape = {.nodeCount = s->outNodeCount, .tetCount = s->tets.count};
	brTetMesh* mesh = brAllocTetMesh(&s->allocator, &shape);
	if (mesh == NULL)
	{
		return NULL;
	}
	for (int32_t i = 0; i < s->lattice->nodes.count; ++i)
	{
		if (s->outNodes[i] >= 0)
		{
			mesh->nodes[s->outNodes[i]] = s->warps[i] >= 0 ? cutPosition(s, &s->cuts[s->warps[i]])
														   : brLattice_Position(s->lattice, &s->lattice->nodes.data[i]);
		}
	}
	for (int32_t i = 0; i < s->cutCount; ++i)
	{
		if (s->cuts[i].node >= 0)
		{
			mesh->nodes[s->cuts[i].node] = cutPosition(s, &s->cuts[i]);
		}
	}
	for (int32_t i = 0; i < s->tets.count; ++i)
	{
		memcpy(mesh->tets[i], s->tets.data[i].nodes, sizeof(int32_t[4]));
	}
	return mesh;
}

// Cut points of all edges, in batches between which the caller may be told to stop.
static bool findCuts(Stuffer* s, const brContext* context, double progress)
{
	for (s->firstCut = 0; s->firstCut < s->cutCount; s->firstCut += CUT_BATCH)
	{
		if (brIsCanceled(context, progress))
		{
			return false;
		}
		int32_t count = s->cutCount - s->firstCut < CUT_BATCH ? s->cutCount - s->firstCut : CUT_BATCH;
		brParallelFor(context != NULL ? context->workers : NULL, count, 256, cutRange, s);
	}
	return true;
}

static brResult stuff(Stuffer* s, const brContext* context, double progress, brTetMesh** outMesh, brReport* report)
{
	for (int32_t i = 0; i < s->lattice->nodes.count; ++i)
	{
		s->signs[i] = brLattice_IsInside(s->lattice, &s->lattice->nodes.data[i]) ? sign_inside : sign_outside;
		s->warps[i] = -1;
		s->outNodes[i] = -1;
	}
	if (!gatherCuts(s) || (s->lattice->isGraded && !findShortest(s)))
	{
		return brFailMemory(report);
	}
	if (!findCuts(s, context, progress))
	{
		return brFail(report, br_errorCanceled, "filling was canceled");
	}
	if (!warpNodes(s))
	{
		return brFailMemory(report);
	}
	if (brIsCanceled(context, progress))
	{
		return brFail(report, br_errorCanceled, "filling was canceled");
	}
	brTetMesh* mesh = fillTets(s) ? writeMesh(s) : NULL;
	if (mesh == NULL || (s->lattice->isGraded && !polishMesh(s, mesh)))
	{
		brDestroyTetMesh(mesh);
		return brFailMemory(report);
	}
	*outMesh = mesh;
	return br_success;
}

brResult brStuffLattice(const brContext* context, const brLattice* lattice, const brSurfaceTree* tree,
						const brStuffDef* def, brTetMesh** outMesh, brReport* report)
{
	Stuffer s = {.allocator = brContext_Allocator(context),
				 .lattice = lattice,
				 .tree = tree,
				 .isInverted = def->isInverted,
				 .offset = def->offset};
	int32_t nodeCount = lattice->nodes.count;
	s.signs = BR_ALLOC(&s.allocator, int8_t, nodeCount);
	s.warps = BR_ALLOC(&s.allocator, int32_t, nodeCount);
	s.outNodes = BR_ALLOC(&s.allocator, int32_t, nodeCount);
	s.cutStarts = BR_ALLOC(&s.allocator, int32_t, (int64_t)nodeCount + 1);
	bool isReady = s.signs != NULL && s.warps != NULL && s.outNodes != NULL && s.cutStarts != NULL;
	brResult result = isReady ? stuff(&s, context, def->progress, outMesh, report) : brFailMemory(report);
	BR_FREE(&s.allocator, s.cuts, s.cutCount);
	BR_FREE(&s.allocator, s.signs, nodeCount);
	BR_FREE(&s.allocator, s.warps, nodeCount);
	BR_FREE(&s.allocator, s.outNodes, nodeCount);
	BR_FREE(&s.allocator, s.shortest, nodeCount);
	BR_FREE(&s.allocator, s.cutStarts, (int64_t)nodeCount + 1);
	BR_FREE_ARRAY(&s.allocator, &s.tets);
	return result;
}
