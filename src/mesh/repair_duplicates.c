// SPDX-License-Identifier: MIT

// Faces with the same outline, whichever corner they start at and whichever way they run.
//
// They form a class; its balance is how many run the way of the first, less those that run the other way. Which of them
// stay is decided so that a closed mesh stays closed:
//
//   balance 1 or -1   One of the majority stays: the others cancel out.
//   beyond            One stays, for the others are repeats; unless all edges are run along as often one way as the other
//                     and other faces share them singly: then these faces are the walls of solids that overlap.
//   balance 0         Classes of this kind that share edges are looked at together, as a group. Where an odd number of other
//                     faces meets the group at an edge, the surface goes on through it: the first of each class stays.
//                     Where the others come in even numbers, they close without it: flaps and inner walls go altogether.
//                     With no others at all, a solid listed from both sides keeps the first of each class; a pillow, a
//                     sheet listed from both sides, is closed as it is and stays.

#include "base/forest.h"
#include "base/hash.h"
#include "base/slots.h"
#include "mesh/half_edge.h"
#include "mesh/repair.h"

#include <string.h>

// +1 if two faces have the same outline the same way, -1 the other way, 0 if they differ.
static int compareOutlines(const brMesh* mesh, int32_t f, int32_t g)
{
	const int32_t* a = mesh->corners + mesh->faceStarts[f];
	const int32_t* b = mesh->corners + mesh->faceStarts[g];
	int32_t count = brMesh_GetFaceSize(mesh, f);
	if (brMesh_GetFaceSize(mesh, g) != count)
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

typedef struct FaceClass
{
	int32_t balance;
	int32_t count;
	int32_t kept;       // so far
	bool touchesSingle; // an edge with a class of balance 1 or -1
	bool touchesOther;  // of a group, at its root: an edge with a class that is not balanced
	bool isBridge;      // of a group, at its root: an edge with an odd number of faces that are not balanced
	bool hasOddEdge;    // of a group, at its root: an edge with one class or three and more
	bool hasUnevenEdge; // an edge that is not run along as often one way as the other
} FaceClass;

typedef struct FaceClasses
{
	int32_t* firsts;    // by face: the first face with the same outline
	FaceClass* classes; // by first face
	int32_t* groups;    // by first face: union-find over balanced classes
	bool* keeps;        // by face
} FaceClasses;

// Returns whether any class has two faces; -1 without memory.
static int findClasses(const brRepair* repair, const brMesh* mesh, FaceClasses* classes)
{
	brSlots slots;
	if (!brSlots_Init(&slots, &repair->allocator, mesh->faceCount))
	{
		return -1;
	}
	int32_t* table = slots.values;
	int found = 0;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		// A sum does not depend on where the list starts.
		uint64_t hash = 0;
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			hash += brHash64((uint64_t)mesh->corners[c] + 1);
		}
		int64_t slot = brSlots_First(&slots, brHash64(hash));
		int way = 0;
		while (table[slot] >= 0 && (way = compareOutlines(mesh, table[slot], f)) == 0)
		{
			slot = brSlots_Next(&slots, slot);
		}
		found |= way != 0;
		if (table[slot] < 0)
		{
			table[slot] = f;
			way = 1;
		}
		classes->firsts[f] = table[slot];
		classes->classes[table[slot]].balance += way;
		classes->classes[table[slot]].count += 1;
		classes->groups[f] = f;
	}
	brSlots_Free(&slots, &repair->allocator);
	return found;
}

// What each class meets at its edges. Groups are complete after the first pass, so their marks are set in the second.
static void markEdge(const brHalfEdges* edges, int32_t edge, FaceClasses* classes, bool joinsGroups)
{
	const int32_t* corners = edges->edgeCorners + edges->edgeStarts[edge];
	int32_t count = edges->edgeStarts[edge + 1] - edges->edgeStarts[edge];
	int32_t distinct = 0, balance = 0, lastBalanced = -1;
	int32_t unbalanced = 0;
	bool hasSingle = false;
	for (int32_t k = 0; k < count; ++k)
	{
		int32_t first = classes->firsts[edges->faces[corners[k]]];
		const FaceClass* class = &classes->classes[first];
		bool isNew = true;
		for (int32_t j = 0; j < k && isNew; ++j)
		{
			isNew = classes->firsts[edges->faces[corners[j]]] != first;
		}
		distinct += isNew;
		balance += edges->mesh->corners[corners[k]] == edges->mesh->corners[corners[0]] ? 1 : -1;
		hasSingle = hasSingle || class->balance == 1 || class->balance == -1;
		unbalanced += class->balance != 0;
		if (joinsGroups && class->balance == 0)
		{
			brJoinRoots(classes->groups, lastBalanced >= 0 ? lastBalanced : first, first);
			lastBalanced = first;
		}
	}
	for (int32_t k = 0; k < count && !joinsGroups; ++k)
	{
		int32_t first = classes->firsts[edges->faces[corners[k]]];
		FaceClass* class = &classes->classes[first];
		FaceClass* group = &classes->classes[brFindRoot(classes->groups, first)];
		class->touchesSingle = class->touchesSingle || hasSingle;
		class->hasUnevenEdge = class->hasUnevenEdge || balance != 0;
		group->touchesOther = group->touchesOther || unbalanced > 0;
		group->isBridge = group->isBridge || unbalanced % 2 != 0;
		group->hasOddEdge = group->hasOddEdge || distinct != 2;
	}
}

static void markClasses(const brHalfEdges* edges, FaceClasses* classes)
{
	for (int32_t e = 0; e < edges->edgeCount; ++e)
	{
		markEdge(edges, e, classes, true);
	}
	for (int32_t e = 0; e < edges->edgeCount; ++e)
	{
		markEdge(edges, e, classes, false);
	}
}

// How many of a class stay, those first that run the way of its majority.
static int32_t countKept(FaceClasses* classes, int32_t first)
{
	const FaceClass* class = &classes->classes[first];
	const FaceClass* group = &classes->classes[brFindRoot(classes->groups, first)];
	if (class->balance != 0)
	{
		int32_t size = class->balance > 0 ? class->balance : -class->balance;
		return class->touchesSingle && !class->hasUnevenEdge ? size : 1;
	}
	if (group->touchesOther)
	{
		return group->isBridge ? 1 : 0;
	}
	return group->hasOddEdge ? class->count : 1;
}

static void chooseFaces(brRepair* repair, const brMesh* mesh, FaceClasses* classes)
{
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		int32_t first = classes->firsts[f];
		FaceClass* class = &classes->classes[first];
		bool fits = class->balance == 0 || (compareOutlines(mesh, first, f) > 0) == (class->balance > 0);
		classes->keeps[f] = class->count == 1 || (fits && class->kept < countKept(classes, first));
		class->kept += classes->keeps[f];
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
	classes.classes = BR_ALLOC_ZERO(allocator, FaceClass, count);
	classes.groups = BR_ALLOC(allocator, int32_t, count);
	classes.keeps = BR_ALLOC_ZERO(allocator, bool, count);
	bool complete =
		classes.firsts != NULL && classes.classes != NULL && classes.groups != NULL && classes.keeps != NULL;
	int found = complete ? findClasses(repair, &view, &classes) : -1;
	complete = found >= 0;
	if (found > 0)
	{
		complete = brMakeHalfEdges(repair->context, &view, &edges) >= 0;
	}
	if (found > 0 && complete)
	{
		markClasses(&edges, &classes);
		chooseFaces(repair, &view, &classes);
		brRepair_KeepFaces(repair, classes.keeps);
	}
	brFreeHalfEdges(&edges);
	BR_FREE(allocator, classes.firsts, count);
	BR_FREE(allocator, classes.classes, count);
	BR_FREE(allocator, classes.groups, count);
	BR_FREE(allocator, classes.keeps, count);
	return complete;
}
