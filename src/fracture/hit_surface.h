// SPDX-License-Identifier: MIT
#pragma once

// The triangles of a closed mesh for what a hit asks: the nearest place, how thick the body is there, and where random
// lines leave it. Made once for a body that can break, before it is hit.
//
// Triangles are the fans of faces, numbered in their order. Every answer of the tree is that of a look at all triangles
// in order.

#include "base/random.h"
#include "volume/surface_tree.h"

typedef struct brHitTriangle
{
	brDVec3 a, ab, ac;
} brHitTriangle;

/// Triangles with an area, to draw points on.
typedef struct brHitChoice
{
	int32_t* triangles; // [count] rising
	double* before;     // [count] area of those before it
	int32_t count;
	double area;
} brHitChoice;

typedef struct brHitSurface
{
	brAllocator allocator;
	const brMesh* mesh;
	brSurfaceTree* tree; // without moments
	int32_t count;
	brDBox3 bounds;
	int32_t (*corners)[3]; // [count] vertices of each triangle
	brHitChoice all;
} brHitSurface;

/// Null without memory. The mesh outlives it and stays as it is.
brHitSurface* brCreateHitSurface(const brAllocator* allocator, const brMesh* mesh);
void brDestroyHitSurface(brHitSurface* surface);

brHitTriangle brHitSurface_Triangle(const brHitSurface* surface, int32_t triangle);

/// Adds a triangle to a choice that has room for it, if it has an area.
void brHitSurface_Choose(const brHitSurface* surface, int32_t triangle, brHitChoice* choice);

/// A random point of the triangle that has the place `want` in the area of a choice, and the normal there.
brDVec3 brHitSurface_Draw(const brHitSurface* surface, const brHitChoice* choice, double want, brRandom* random,
						  brDVec3* outNormal);

/// The point of the surface nearest to a point.
brDVec3 brHitSurface_Nearest(const brHitSurface* surface, brDVec3 point);

/// From a point of the surface along an inward line of unit direction to where it leaves, farther than `skip`;
/// `deepest` if it does not before that.
double brHitSurface_Depth(const brHitSurface* surface, brDVec3 p, brDVec3 d, double skip, double deepest);

/// Along a line of unit direction to where it enters, farther than `skip`; INFINITY if it does not.
double brHitSurface_Entry(const brHitSurface* surface, brDVec3 p, brDVec3 d, double skip);

/// Marks triangles with a point nearer than `reach`. `marks` has one for each.
void brHitSurface_Mark(const brHitSurface* surface, brDVec3 at, double reach, bool* marks);
