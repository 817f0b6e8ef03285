// SPDX-License-Identifier: MIT

// Folding flat faces away without opening the mesh.
//
// All corners of a flat face lie on one line, so its outline turns back at its ends. Take such an end A with the
// corners p and n before and after it, n nearer to A than p:
//
//     p ------- n --- A         The edge p-A runs along n-A. Every other face at p-A gets the corner n between p and A,
//       \  other face  /        and the flat face loses A. What lay beyond n-A is now met by the other face, and nothing
//                               moved: the surface is the same set of points.
//
// A flat triangle is gone after one step: its middle corner has gone into the neighbor at its long side. The length of
// the outlines of flat faces shrinks with each step and can take finitely many values, so this ends. A face whose ends
// coincide at different vertices (nobody welded them) cannot be folded and is kept and counted.
//
// Each round makes as many steps as do not touch the same face, then rebuilds; cost is linear a round.

#include "mesh/half_edge.h"
#include "mesh/repair.h"
#include "mesh/topology.h"

#include <string.h>

typedef struct FoldRound
{
	brRepair* repair;
	brMesh view;
	brHalfEdges edges;
	int32_t* cornerEdges; // edge of each corner's half-edge, -1 if void
	int32_t* inserted;    // corner whose vertex goes behind this corner, or -1
	bool* isRemoved;      // by corner
	bool* isTouched;      // by face
	int32_t insertCount;
} FoldRound;

static double foldCoordinate(brDVec3 p, int axis)
{
	return axis == 0 ? p.x : (axis == 1 ? p.y : p.z);
}

// The axis along which a face extends most.
static int foldAxis(const brMesh* mesh, int32_t face)
{
	brDBox3 box = brMakeDBox3Empty();
	for (int32_t c = mesh->faceStarts[face]; c < mesh->faceStarts[face + 1]; ++c)
	{
		box = brDBox3_Include(box, mesh->positions[mesh->corners[c]]);
	}
	double x = box.upper.x - box.lower.x, y = box.upper.y - box.lower.y, z = box.upper.z - box.lower.z;
	return x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
}

typedef enum FoldAnswer
{
	foldDone,
	foldLater, // a face it needs was touched in this round
	foldNever,
} FoldAnswer;

// Whether the other faces at the edge of this half-edge are free; the flat face itself may be there once only.
static FoldAnswer askNeighbors(const FoldRound* round, int32_t half)
{
	int32_t edge = round->cornerEdges[half];
	for (int32_t k = round->edges.edgeStarts[edge]; k < round->edges.edgeStarts[edge + 1]; ++k)
	{
		int32_t other = round->edges.edgeCorners[k];
		if (other != half && round->edges.faces[other] == round->edges.faces[half])
		{
			return foldNever;
		}
		if (other != half && round->isTouched[round->edges.faces[other]])
		{
			return foldLater;
		}
	}
	return foldDone;
}

static FoldAnswer foldFace(FoldRound* round, int32_t face)
{
	const brMesh* mesh = &round->view;
	int axis = foldAxis(mesh, face);
	FoldAnswer answer = foldNever;
	for (int32_t c = mesh->faceStarts[face]; c < mesh->faceStarts[face + 1]; ++c)
	{
		int32_t previous = brHalfEdges_Previous(&round->edges, c), next = brHalfEdges_Next(&round->edges, c);
		double at = foldCoordinate(mesh->positions[mesh->corners[c]], axis);
		double before = foldCoordinate(mesh->positions[mesh->corners[previous]], axis);
		double after = foldCoordinate(mesh->positions[mesh->corners[next]], axis);
		bool isEnd = (before > at && after > at) || (before < at && after < at);
		if (!isEnd || before == after)
		{
			continue;
		}
		bool nextIsNearer = (after > at) == (after < before);
		int32_t half = nextIsNearer ? previous : c; // runs along the longer of the two edges
		int32_t middle = nextIsNearer ? next : previous;
		FoldAnswer asked = askNeighbors(round, half);
		answer = asked == foldLater ? foldLater : answer;
		if (asked != foldDone)
		{
			continue;
		}
		int32_t edge = round->cornerEdges[half];
		for (int32_t k = round->edges.edgeStarts[edge]; k < round->edges.edgeStarts[edge + 1]; ++k)
		{
			int32_t other = round->edges.edgeCorners[k];
			round->isTouched[round->edges.faces[other]] = true;
			if (other != half)
			{
				round->inserted[other] = middle;
				round->insertCount += 1;
			}
		}
		round->isRemoved[c] = true;
		round->isTouched[face] = true;
		return foldDone;
	}
	return answer;
}

// Carries the insertions and removals of a round out.
static bool applyFolds(FoldRound* round)
{
	brRepair* repair = round->repair;
	int64_t capacity = (int64_t)repair->cornerCount + round->insertCount;
	if (capacity > INT32_MAX)
	{
		return false;
	}
	int32_t* corners = BR_ALLOC(&repair->allocator, int32_t, capacity);
	int32_t* sources = BR_ALLOC(&repair->allocator, int32_t, capacity);
	if (corners == NULL || sources == NULL)
	{
		BR_FREE(&repair->allocator, corners, capacity);
		BR_FREE(&repair->allocator, sources, capacity);
		return false;
	}
	int32_t count = 0, begin = 0;
	for (int32_t f = 0; f < repair->faceCount; ++f)
	{
		int32_t end = repair->faceStarts[f + 1];
		for (int32_t c = begin; c < end; ++c)
		{
			if (!round->isRemoved[c])
			{
				corners[count] = repair->corners[c];
				sources[count++] = repair->cornerSources[c];
			}
			if (round->inserted[c] >= 0)
			{
				corners[count] = repair->corners[round->inserted[c]];
				sources[count++] = repair->cornerSources[round->inserted[c]];
			}
		}
		begin = end;
		repair->faceStarts[f + 1] = count;
	}
	BR_FREE(&repair->allocator, repair->corners, repair->cornerCapacity);
	BR_FREE(&repair->allocator, repair->cornerSources, repair->cornerCapacity);
	repair->corners = corners;
	repair->cornerSources = sources;
	repair->cornerCapacity = (int32_t)capacity;
	repair->cornerCount = count;
	repair->counts.insertedCorners += round->insertCount;
	return true;
}

static bool startFolds(FoldRound* round, brRepair* repair)
{
	*round = (FoldRound){.repair = repair, .view = brRepair_View(repair)};
	round->cornerEdges = BR_ALLOC(&repair->allocator, int32_t, repair->cornerCount);
	round->inserted = BR_ALLOC(&repair->allocator, int32_t, repair->cornerCount);
	round->isRemoved = BR_ALLOC_ZERO(&repair->allocator, bool, repair->cornerCount);
	round->isTouched = BR_ALLOC_ZERO(&repair->allocator, bool, repair->faceCount);
	if (round->cornerEdges == NULL || round->inserted == NULL || round->isRemoved == NULL || round->isTouched == NULL ||
		brMakeHalfEdges(repair->context, &round->view, &round->edges) < 0)
	{
		return false;
	}
	memset(round->cornerEdges, 0xff, (size_t)repair->cornerCount * sizeof(int32_t));
	memset(round->inserted, 0xff, (size_t)repair->cornerCount * sizeof(int32_t));
	for (int32_t e = 0; e < round->edges.edgeCount; ++e)
	{
		for (int32_t k = round->edges.edgeStarts[e]; k < round->edges.edgeStarts[e + 1]; ++k)
		{
			round->cornerEdges[round->edges.edgeCorners[k]] = e;
		}
	}
	return true;
}

static void endFolds(FoldRound* round)
{
	brRepair* repair = round->repair;
	brFreeHalfEdges(&round->edges);
	BR_FREE(&repair->allocator, round->cornerEdges, round->view.cornerCount);
	BR_FREE(&repair->allocator, round->inserted, round->view.cornerCount);
	BR_FREE(&repair->allocator, round->isRemoved, round->view.cornerCount);
	BR_FREE(&repair->allocator, round->isTouched, round->view.faceCount);
}

// One round over the faces that are flat and not given up. Returns false without memory.
static bool runFolds(brRepair* repair, bool* isKept, bool* outAgain)
{
	FoldRound round;
	bool complete = startFolds(&round, repair);
	bool folded = false;
	for (int32_t f = 0; f < repair->faceCount && complete; ++f)
	{
		if (round.isTouched[f] || isKept[repair->faceSources[f]] || !brMesh_FaceIsFlat(&round.view, f))
		{
			continue;
		}
		FoldAnswer answer = foldFace(&round, f);
		folded = folded || answer == foldDone;
		if (answer == foldNever)
		{
			isKept[repair->faceSources[f]] = true;
			repair->counts.keptDegenerate += 1;
		}
	}
	complete = complete && (!folded || applyFolds(&round));
	endFolds(&round);
	if (complete && folded)
	{
		brRepair_Trim(repair);
	}
	*outAgain = folded;
	return complete;
}

static bool hasFlatFace(const brRepair* repair)
{
	brMesh view = brRepair_View(repair);
	for (int32_t f = 0; f < repair->faceCount; ++f)
	{
		if (brMesh_FaceIsFlat(&view, f))
		{
			return true;
		}
	}
	return false;
}

bool brRepair_FoldFlatFaces(brRepair* repair)
{
	if (!hasFlatFace(repair))
	{
		return true;
	}
	bool* isKept = BR_ALLOC_ZERO(&repair->allocator, bool, repair->source->faceCount);
	bool complete = isKept != NULL;
	for (bool again = complete; again;)
	{
		complete = runFolds(repair, isKept, &again);
		again = again && complete;
	}
	BR_FREE(&repair->allocator, isKept, repair->source->faceCount);
	return complete;
}
