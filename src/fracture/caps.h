// SPDX-License-Identifier: MIT
#pragma once

// The cut faces inside a model: each Voronoi facet, less what lies outside.
//
// A cap is bounded by the lines in which the surface crosses its facet, which the clipped surface gives, and by
// stretches of the facet's edges that lie inside. Along an edge of the diagram the surface is entered and left; each
// entrance is joined to the exit after it, and at the edge's ends the winding number of the vertex says how many
// stretches go on. Windings spread from the box, which is outside. All this is counting, done once per edge for its
// three facets, so caps and clipped surface always close, whatever rounding does to the order of crossings that all but
// coincide.

#include "fracture/outline.h"
#include "fracture/surface_clip.h"

typedef struct brCaps
{
	brAllocator allocator;
	BR_ARRAY(brDVec3) places; // Voronoi vertices inside the model, and points added inside; points of the clip go on so

	// Faces in the order of facets. Seen from cell 0 (the lower), outward; the other cell has them the other way round.
	BR_ARRAY(int32_t) faceCells; // two a face
	brOutlineInts faceStarts;    // one more than faces
	brOutlineInts corners;       // points
} brCaps;

/// With a `spacing` above 0 caps are triangles with points inside about so far apart, and stretches inside the model are
/// divided so too; lines on the surface stay whole. br_errorMemory is the only failure; nothing is left then.
brResult brCaps_Make(const brSurfaceClip* clip, double spacing, brCaps* outCaps, brReport* report);
void brCaps_Free(brCaps* caps);

/// Position of a vertex of the model, a point of the clip or a place.
static inline brDVec3 brCaps_Position(const brSurfaceClip* clip, const brCaps* caps, int32_t point)
{
	int32_t made = point - clip->mesh->vertexCount;
	if (made < 0)
	{
		return clip->mesh->positions[point];
	}
	return made < clip->points.count ? clip->positions.data[made] : caps->places.data[made - clip->points.count];
}
