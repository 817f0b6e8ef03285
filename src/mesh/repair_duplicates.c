// SPDX-License-Identifier: MIT

// Faces with the same outline, whichever corner they start at and whichever way they run.
//
// They form a class. Which of them stay is decided so that a closed mesh stays closed:
//
//   more one way than the other   one of the majority stays: the others were repeats or cancel out;
//   as many either way            a wall inside a solid (some edge has two classes besides this one): none stays;
//                                 a pillow (all edges have this class alone): all stay, it is closed as it is;
//                                 a surface listed from both sides: the first stays.

#include "base/hash.h"
#include "mesh/half_edge.h"
#include "mesh/repair.h"

#include <string.h>

// +1 if two faces have the same outline the same way, -1 the other way, 0 if they differ.
static int compareOutlines(const brMesh* mesh, int32_t f, int32_t g)
{
	const int32_t* a = mesh->corners + mesh->faceStarts[f];
	const int32_t* b = mesh->corners + mesh->faceStarts[g];
	int32_t count = brMesh_FaceSize(mesh, f);
	if (brMesh_FaceSize(mesh, g) != count)
	{
		return 0;
	}
	for (int32_t shift = 0; shift < count; ++shift)
	{
		if (b[shift] != a[0])
		{
			continue;
		}
		int32_t along = 1, against = 1;
		while (along < count && a[along] == b[(shift + along) % count])
		{
			along += 1;
		}
		while (against < count && a[against] == b[(shift + count - against) % count])
		{
			against += 1;
		}
		if (along == count || against == count)
		{
			return along == count ? 1 : -1;
		}
	}
	return 0;
}

typedef struct FaceClasses
{
	int32_t* firsts;   // by face: the first face with the same outline
	int32_t* balances; // by first face: how many run its way, less those that run the other way
	int32_t* counts;   // by first face
	bool* hasWall;     // by first face: an edge with two other classes
	bool* hasOther;    // by first face: an edge with another class
	bool* keeps;       // by face
} FaceClasses;

// Returns whether any class has two faces; -1 without memory.
static int findClasses(const brRepair* repair, const brMesh* mesh, FaceClasses* classes)
{
	int64_t tableSize = 16;
	while (tableSize < 2 * (int64_t)mesh->faceCount)
	{
		tableSize *= 2;
	}
	int32_t* table = BR_ALLOC(&repair->allocator, int32_t, tableSize);
	if (table == NULL)
	{
		return -1;
	}
	memset(table, 0xff, (size_t)tableSize * sizeof(int32_t));
	int found = 0;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		// A sum does not depend on where the list starts.
		uint64_t hash = 0;
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			hash += brHash64((uint64_t)mesh->corners[c] + 1);
		}
		uint64_t slot = brHash64(hash) & (uint64_t)(tableSize - 1);
		int way = 0;
		while (table[slot] >= 0 && (way = compareOutlines(mesh, table[slot], f)) == 0)
		{
			slot = (slot + 1) & (uint64_t)(tableSize - 1);
		}
		found |= way != 0;
		if (table[slot] < 0)
		{
			table[slot] = f;
			way = 1;
		}
		classes->firsts[f] = table[slot];
		classes->balances[table[slot]] += way;
		classes->counts[table[slot]] += 1;
	}
	BR_FREE(&repair->allocator, table, tableSize);
	return found;
}

// For each class how crowded its edges are.
static void markWalls(const brHalfEdges* edges, FaceClasses* classes)
{
	for (int32_t e = 0; e < edges->edgeCount; ++e)
	{
		const int32_t* corners = edges->edgeCorners + edges->edgeStarts[e];
		int32_t count = edges->edgeStarts[e + 1] - edges->edgeStarts[e];
		int32_t distinct = 0;
		for (int32_t k = 0; k < count; ++k)
		{
			bool isNew = true;
			for (int32_t j = 0; j < k && isNew; ++j)
			{
				isNew = classes->firsts[edges->faces[corners[j]]] != classes->firsts[edges->faces[corners[k]]];
			}
			distinct += isNew;
		}
		for (int32_t k = 0; k < count; ++k)
		{
			int32_t first = classes->firsts[edges->faces[corners[k]]];
			classes->hasWall[first] = classes->hasWall[first] || distinct > 2;
			classes->hasOther[first] = classes->hasOther[first] || distinct > 1;
		}
	}
}

static void chooseFaces(brRepair* repair, const brMesh* mesh, FaceClasses* classes)
{
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		int32_t first = classes->firsts[f];
		int32_t balance = classes->balances[first];
		bool isPillow = balance == 0 && !classes->hasOther[first];
		if (classes->counts[first] == 1 || isPillow)
		{
			classes->keeps[f] = true;
			continue;
		}
		int32_t wanted = balance > 0 ? 1 : (balance < 0 ? -1 : (classes->hasWall[first] ? 0 : 1));
		if (wanted != 0 && compareOutlines(mesh, first, f) == wanted)
		{
			classes->keeps[f] = true;
			classes->hasWall[first] = true; // the next of the class finds its place taken
			classes->balances[first] = 0;
			classes->hasOther[first] = true;
		}
		repair->counts.droppedDuplicates += !classes->keeps[f];
	}
}

bool brRepair_DropDuplicates(brRepair* repair)
{
	const brAllocator* allocator = &repair->allocator;
	brMesh view = brRepair_View(repair);
	int32_t count = view.faceCount;
	brHalfEdges edges = {0};
	FaceClasses classes = {0};
	classes.firsts = BR_ALLOC(allocator, int32_t, count);
	classes.balances = BR_ALLOC_ZERO(allocator, int32_t, count);
	classes.counts = BR_ALLOC_ZERO(allocator, int32_t, count);
	classes.hasWall = BR_ALLOC_ZERO(allocator, bool, count);
	classes.hasOther = BR_ALLOC_ZERO(allocator, bool, count);
	classes.keeps = BR_ALLOC_ZERO(allocator, bool, count);
	bool complete = classes.firsts != NULL && classes.balances != NULL && classes.counts != NULL &&
					classes.hasWall != NULL && classes.hasOther != NULL && classes.keeps != NULL;
	int found = complete ? findClasses(repair, &view, &classes) : -1;
	complete = found >= 0;
	if (found > 0)
	{
		complete = brMakeHalfEdges(repair->context, &view, &edges) >= 0;
	}
	if (found > 0 && complete)
	{
		markWalls(&edges, &classes);
		chooseFaces(repair, &view, &classes);
		brRepair_KeepFaces(repair, classes.keeps);
	}
	brFreeHalfEdges(&edges);
	BR_FREE(allocator, classes.firsts, count);
	BR_FREE(allocator, classes.balances, count);
	BR_FREE(allocator, classes.counts, count);
	BR_FREE(allocator, classes.hasWall, count);
	BR_FREE(allocator, classes.hasOther, count);
	BR_FREE(allocator, classes.keeps, count);
	return complete;
}
