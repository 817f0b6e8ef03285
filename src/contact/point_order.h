// SPDX-License-Identifier: MIT
#pragma once

// Points in farthest-point order, and the sphere tree that comes with it (Glondu et al. 2012, section 5.1).
//
// The first point is the one farthest from the middle; each next one is the one farthest from all before it, of equals
// the lowest. Level l of the tree has the first 2^l points; the parent of a point that enters in level l + 1 is the
// nearest point of level l. So a parent always comes before its children, and a walk down the tree is one rising scan
// over the order.
//
// Cost: few points by going through all others for each, eight at a time. Many are sorted into leaves that lie close
// together, under a tree of boxes which know the farthest point in them: a chosen point goes down only where something
// may be nearer to it than to those before it, and the next is what the root then knows. Together n log n.

#include "base/cpu.h"
#include "base/memory.h"
#include "brittle/math.h"

/// `outOrder[i]` is the point that comes i-th, `outParents[i]` its parent's place in the order, -1 for the first. Both
/// [count], at least one point. Up to `direct` points are done without a tree; -1: as is quickest. In scratch of so many
/// bytes, aligned to BR_ALIGNMENT, on one of the vector paths, which changes nothing but the time.
size_t brOrderPointsBytes(int32_t count, int32_t direct);
void brOrderPointsIn(void* scratch, brCpuPath path, const brVec3* places, int32_t count, int32_t direct,
					 int32_t* outOrder, int32_t* outParents);

/// Radii of balls about the points that hold all their descendants; parents come first. `places` are in order.
void brMeasurePointTree(const brVec3* places, const int32_t* parents, int32_t count, float* outRadii);
