// SPDX-License-Identifier: MIT
#pragma once

// A shape as the narrow phase sees it: one block without pointers, in its own axes.
//
// The origin is the center of mass and the axes are the principal ones, so every inertia is diagonal. `frame` leads
// back to the axes the caller used. Boxes and hulls are polytopes: vertices, planes, faces as loops of vertices, edges
// with both their faces. Behind the struct lie the arrays, in this order:
//     brVec3 vertices[vertexCount]     brVec4 planes[faceCount] (n.x <= w)     int32_t faceStarts[faceCount + 1]
//     int32_t corners[cornerCount]     int32_t edges[edgeCount][4] (vertex, vertex, face on the left, on the right)
// What lies behind meshes and surfaces is in solid.h. Devices see shapes as they lie here (gpu/kernels/mesh_memory.cl).

#include "base/far.h"
#include "base/report.h"
#include "brittle/shape.h"

#define BR_SHAPE_VERSION 5

/// What floats may lose, so that bounds hold: of a place or plane in the axes of a shape or brought into them, as a
/// part of the radius, and of a length that came through a square root, as a part of it. Less may let a triangle be
/// passed over that is the nearest.
#define BR_PLACE_ROUNDING 2e-6f
#define BR_LENGTH_ROUNDING 1e-5f

struct brShape
{
	brAllocator allocator; // not part of the block that is hashed and saved

	_Alignas(8) uint32_t version; // where pointers have 4 bytes too: nothing unnamed before what follows
	int32_t kind;
	uint64_t byteCount; // from `version` on, arrays included
	uint64_t hash;      // of what follows
	brTransform frame;  // shape axes to the caller's
	double volume;
	brDVec3 inertia;  // per density, principal
	float radius;     // of the ball about the origin that holds everything; 0 for a half-space
	float thickness;  // smallest width; 0 for a half-space
	float round;      // sphere, capsule
	float halfLength; // capsule, along z
	brVec3 half;      // box; of a hull half the size of its box
	brVec3 boxCenter;
	brVec3 cores[2]; // places deep inside, of a mesh far from each other; else both the origin
	int32_t vertexCount;
	int32_t faceCount;
	int32_t cornerCount;
	int32_t edgeCount;
	int32_t cellCounts[3]; // mesh, surface
	float spacing;         // of their points
	float edgeReach;       // the longest of their edges
	int32_t curveCount;    // of their points: none or all
};

_Static_assert(sizeof(struct brShape) == offsetof(struct brShape, curveCount) + sizeof(int32_t) &&
				   offsetof(struct brShape, byteCount) == offsetof(struct brShape, version) + 8,
			   "bytes that nobody sets");

static inline const BR_FAR brVec3* brShape_Vertices(const BR_FAR brShape* shape)
{
	return (const BR_FAR brVec3*)(shape + 1);
}

static inline const BR_FAR brVec4* brShape_Planes(const BR_FAR brShape* shape)
{
	return (const BR_FAR brVec4*)(brShape_Vertices(shape) + shape->vertexCount);
}

static inline const BR_FAR int32_t* brShape_FaceStarts(const BR_FAR brShape* shape)
{
	return (const BR_FAR int32_t*)(brShape_Planes(shape) + shape->faceCount);
}

static inline const BR_FAR int32_t* brShape_Corners(const BR_FAR brShape* shape)
{
	return brShape_FaceStarts(shape) + shape->faceCount + 1;
}

static inline const BR_FAR int32_t (*brShape_Edges(const BR_FAR brShape* shape))[4]
{
	return (const BR_FAR int32_t(*)[4])(brShape_Corners(shape) + shape->cornerCount);
}

/// Kinds beyond hulls: they may touch another shape in several places.
static inline bool brShapeKind_IsConcave(int32_t kind)
{
	return kind > br_shapeHull;
}

/// Is it round, as far as its kind knows? What is flat all over lies on its faces.
static inline bool brShape_Rolls(const BR_FAR brShape* shape)
{
	return shape->round > 0.0f || shape->curveCount > 0;
}

static inline bool brShape_IsPolytope(const BR_FAR brShape* shape)
{
	return shape->kind == br_shapeBox || shape->kind == br_shapeHull;
}

#ifndef __OPENCL_VERSION__

/// Bytes of the whole allocation for the kind and counts of this head; SIZE_MAX if they make no sense.
size_t brShape_Bytes(const brShape* head);

/// A hull about points, with the mass of `solid` at density 1 unless that is null.
brResult brMakeHullShape(const brContext* context, const brDVec3* points, int32_t pointCount,
						 const brMassProperties* solid, brShape** outShape, brReport* report);

/// A copy from `allocator`; null without memory.
brShape* brCopyShape(const brAllocator* allocator, const brShape* shape);

/// A shape out of the bytes from `version` on, as written to a snapshot: sizes, hash and indices are checked.
brResult brReadShape(const brAllocator* allocator, const void* bytes, size_t byteCount, brShape** outShape,
					 brReport* report);

#endif
