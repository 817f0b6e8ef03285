// SPDX-License-Identifier: MIT
#pragma once

// Rough cut faces: all places inside the model are moved by one smooth field of noise.
//
// A place moves by where it is, not by the face it is on, so the three cells at an edge of the diagram agree and
// neighbors keep matching bit for bit. On the surface the field is zero, growing to its full height over half a length
// of the noise; its slope is held below one half, so that neither walls nor the surface are crossed where faces are
// fine enough. Where they are not (slivers, sharp corners), pieces are looked at for triangles that cross, and the
// places of those that do are moved less, at last not at all.

#include "brittle/shatter.h"
#include "fracture/caps.h"

/// How often pieces that cross themselves are given less noise; the last time they get none.
#define BR_ROUGH_TRIES 5

typedef struct brRoughness
{
	brAllocator allocator;
	int32_t count;
	brDVec3* flat;  // [count] places as they were cut
	brDVec3* moves; // [count] full height
	double* shares; // [count] of the move that is made, 0 to 1
} brRoughness;

/// Noise of the def's height and seed, with bumps of `length`. `scale` leads from the model to the space that is cut.
/// br_errorMemory is the only failure; nothing is left then.
brResult brRoughness_Make(const brContext* context, const brSurfaceClip* clip, const brCaps* caps, brDVec3 scale,
						  const brShatterDef* def, double length, brRoughness* out, brReport* report);
void brRoughness_Free(brRoughness* roughness);

/// Moves the places of the caps, from where they were cut.
void brRoughness_Apply(const brRoughness* roughness, brCaps* caps);

/// Whether a triangle of the cut faces with a corner that was moved meets another one of the piece beyond what they
/// share. `interior` is the material of the cut faces.
brResult brFindRoughCrossing(const brAllocator* allocator, const brMesh* piece, int32_t interior, bool* outCrosses);
