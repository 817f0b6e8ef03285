// SPDX-License-Identifier: MIT
#pragma once

// How two surfaces meet: the area that touches at a depth, from the triangles near the hit. Corners, edges, rings and
// faces are one case.

#include "elastic/flex_model.h"

#define BR_CONTACT_STEPS 40

/// The surface of a body as a plane finds it that comes in at a place.
typedef struct brContactPlane
{
	brDVec3 point;    // the lowest of the surface there, in the lattice's axes
	brDVec3 inward;   // unit
	double curvature; // of what comes in: 1 / radius, 0 for a plane [1/m]
	bool isFace;      // a face or ring met the plane all at once, and it was tilted by three degrees
} brContactPlane;

/// Finds the plane. A face, ring or edge that lies flat on it is 5 to 100 times stronger than one that comes in a few
/// degrees off, and nothing lands that flat: then the plane is tilted about the given point. `size` is the edge of a
/// cube of the body's volume.
brContactPlane brFindContactPlane(const brFlexModel* model, brDVec3 point, brDVec3 inward, double curvature,
								  double size);

/// Area within each depth, seen along the plane's normal, over depths that rise by a constant factor.
typedef struct brContactAreas
{
	double depths[BR_CONTACT_STEPS];
	double areas[BR_CONTACT_STEPS];
} brContactAreas;

brContactAreas brMeasureContact(const brFlexModel* model, const brContactPlane* plane, double size);

/// Depth that gives an area, and the other way.
double brContactAreas_Depth(const brContactAreas* areas, double area);
double brContactAreas_Area(const brContactAreas* areas, double depth);

/// Points of the surface within a depth, with shares by pressure: area times how deep they are. At most `capacity`
/// points.
void brFillPatch(const brFlexModel* model, const brContactPlane* plane, double depth, double fine, int32_t capacity,
				 brFlexPatch* patch);

/// The body round a place of its surface.
typedef struct brLocalForm
{
	double wall; // thickness: twice volume over area of what is near, at most that of the whole body
	double
		growth; // the same of what is up to twice as far, over it: about 1 in walls and along their rims, 2 at the corner of a lump
	double
		share; // of half a ball about the place that is solid: 1 on a face, a half on an edge of a box, a quarter at its corner
} brLocalForm;

/// `reach`: radius of that ball.
brLocalForm brFindLocalForm(const brFlexModel* model, brDVec3 point, double reach);
