// SPDX-License-Identifier: MIT
#pragma once

// Who is next to whom: the half-edges of a polygon mesh, made on demand and thrown away.
//
// Corner c stands for the half-edge from its vertex to the vertex of the next corner of the face. Its twin is the
// corner that runs along the same edge the other way. Edges that do not have exactly two half-edges in opposite
// directions have no twins, and the mark in place of the twin says why. All half-edges of an edge can be listed, so
// nothing is lost.
//
//     brHalfEdges edges;
//     if (brMakeHalfEdges(context, mesh, &edges) < 0) return brFailMemory(report);
//     int32_t c = edges.vertexCorners[v], first = c;
//     do ... while ((c = brHalfEdges_TurnLeft(&edges, c)) >= 0 && c != first);      // the fan of v
//     brFreeHalfEdges(&edges);
//
// Cost: linear, two passes over the corners; the mesh must outlive the half-edges and keep its corners.

#include "brittle/mesh.h"

typedef enum brTwinMark
{
	br_twinBoundary = -1,    // no other half-edge at this edge
	br_twinMisoriented = -2, // one other, running the same way
	br_twinNonmanifold = -3, // two others or more
	br_twinVoid = -4,        // from a vertex to itself: no edge at all
} brTwinMark;

typedef struct brHalfEdges
{
	const brMesh* mesh;
	int32_t edgeCount;
	int32_t halfEdgeCount; // those that are no void
	int32_t* twins;        // [cornerCount] corner, or a brTwinMark
	int32_t* faces;        // [cornerCount] face of the corner
	// [vertexCount] first corner of a fan if some fan is open, else the lowest corner; -1: unused
	int32_t* vertexCorners;
	int32_t* edgeStarts;  // [edgeCount + 1] into edgeCorners; edges rise by (lesser, greater) vertex
	int32_t* edgeCorners; // [halfEdgeCount] rising within an edge
	int32_t edgeCapacity; // of edgeStarts, less one
	brAllocator allocator;
} brHalfEdges;

/// br_errorMemory is the only failure; nothing is left then. `context` may be null.
brResult brMakeHalfEdges(const brContext* context, const brMesh* mesh, brHalfEdges* outEdges);
void brFreeHalfEdges(brHalfEdges* edges);

/// The corner after c in its face, and the one before.
static inline int32_t brHalfEdges_Next(const brHalfEdges* edges, int32_t c)
{
	int32_t f = edges->faces[c];
	return c + 1 < edges->mesh->faceStarts[f + 1] ? c + 1 : edges->mesh->faceStarts[f];
}

static inline int32_t brHalfEdges_Previous(const brHalfEdges* edges, int32_t c)
{
	int32_t f = edges->faces[c];
	return c > edges->mesh->faceStarts[f] ? c - 1 : edges->mesh->faceStarts[f + 1] - 1;
}

/// Where the half-edge of c ends.
static inline int32_t brHalfEdges_Target(const brHalfEdges* edges, int32_t c)
{
	return edges->mesh->corners[brHalfEdges_Next(edges, c)];
}

/// The next corner at the same vertex, counter-clockwise seen from outside, or a mark if the fan ends.
static inline int32_t brHalfEdges_TurnLeft(const brHalfEdges* edges, int32_t c)
{
	return edges->twins[brHalfEdges_Previous(edges, c)];
}

/// The same clockwise.
static inline int32_t brHalfEdges_TurnRight(const brHalfEdges* edges, int32_t c)
{
	int32_t twin = edges->twins[c];
	return twin >= 0 ? brHalfEdges_Next(edges, twin) : twin;
}
