// SPDX-License-Identifier: MIT

// What a piece collides as: its mesh, as a hull if it is convex. Shards of walls are bent, but a hull that they fill by
// two fifths stands for them, and for what is left of a lump one that it fills by four fifths: hulls cost a tenth of
// meshes in time, and what they overlap at birth does not push. A hull has as many corners as it needs to reach all that
// is visible, so that nothing rests in what it lies on; what too many corners would be needed for stays a mesh.
// Splinters too thin for a solid get a hull too, and the thinnest a box of the least thickness that bodies can have.
// Mass and inertia are the mesh's throughout.

#include "mesh/hull.h"
#include "world/break_state.h"

#include <math.h>

#define BREAK_MAX_CORNERS 64   // so many make at most 124 faces
#define BREAK_HULL_REACH 0.005 // of the thickness: what a hull may lack of its mesh
#define BREAK_HULL_LEAST 1e-4  // or this [m]
#define BREAK_FILLED 0.4       // of a hull that stands for a shard
#define BREAK_REST_FILLED 0.8  // of one that stands for what is left
#define BREAK_HULL_OFF 2.0     // tolerances: what lacks more even with all corners is no hull of it
#define BREAK_SURELY                                                                                                   \
	1.25 // times the volume of a hull that is filled enough: no rounding makes one of a hull that is larger
#define BREAK_MIN_HALF 0.6e-4 // half of what the thinnest body has, and a little [m]

// How far the mesh reaches from its center along its principal axes.
typedef struct BreakExtents
{
	brDVec3 axes[3];
	double lower[3], upper[3];
	double moments[3];
} BreakExtents;

static BreakExtents breakExtents(const brMesh* mesh, const brMassProperties* mass)
{
	BreakExtents extents = {.lower = {0.0, 0.0, 0.0}, .upper = {0.0, 0.0, 0.0}};
	const brMat3* j = &mass->inertia;
	brMat3 axes = brEigenSymmetric(j->cx.x, j->cy.y, j->cz.z, j->cy.x, j->cz.x, j->cz.y, extents.moments);
	extents.axes[0] = axes.cx, extents.axes[1] = axes.cy, extents.axes[2] = axes.cz;
	for (int32_t k = 0; k < 3; ++k)
	{
		for (int32_t i = 0; i < mesh->vertexCount; ++i)
		{
			double along = brDDot(extents.axes[k], brDSub(mesh->positions[i], mass->center));
			extents.lower[k] = fmin(extents.lower[k], along), extents.upper[k] = fmax(extents.upper[k], along);
		}
	}
	return extents;
}

// What a hull may lack of its mesh: a part of the thickness. That of a wall is less than the mesh reaches.
static double breakTolerance(const brMassProperties* mass, double area, const BreakExtents* extents)
{
	double thickness = 6.0 * mass->volume / area; // of a cube its edge, of a plate three times the thickness
	for (int32_t k = 0; k < 3; ++k)
	{
		thickness = fmin(thickness, extents->upper[k] - extents->lower[k]);
	}
	return fmax(BREAK_HULL_LEAST, BREAK_HULL_REACH * thickness);
}

static void breakFlatBox(const brMassProperties* mass, const BreakExtents* extents, brDVec3 points[8])
{
	for (int32_t i = 0; i < 8; ++i)
	{
		points[i] = mass->center;
		for (int32_t k = 0; k < 3; ++k)
		{
			double along =
				i >> k & 1 ? fmax(extents->upper[k], BREAK_MIN_HALF) : fmin(extents->lower[k], -BREAK_MIN_HALF);
			points[i] = brDMulAdd(points[i], along, extents->axes[k]);
		}
	}
}

static double breakHullVolume(const brShape* hull)
{
	const brVec3* vertices = brShape_Vertices(hull);
	const int32_t *starts = brShape_FaceStarts(hull), *corners = brShape_Corners(hull);
	double sum = 0.0;
	for (int32_t f = 0; f < hull->faceCount; ++f)
	{
		brDVec3 a = brToDVec3(vertices[corners[starts[f]]]);
		for (int32_t k = starts[f] + 1; k + 1 < starts[f + 1]; ++k)
		{
			brDVec3 b = brToDVec3(vertices[corners[k]]), c = brToDVec3(vertices[corners[k + 1]]);
			sum += brDDot(a, brDCross(b, c)) / 6.0;
		}
	}
	return sum;
}

typedef struct BreakMesh
{
	const brMesh* mesh;
	const brMassProperties* mass;
	const brMassProperties* solid; // at density 1, or null: it has none to speak of
	double tolerance;              // what a hull may lack of it
	double mostVolume;             // of a hull that may stand for it; 0: it has to do
} BreakMesh;

// A hull that reaches what is visible in all directions, of as few corners as will: two hulls cost as the product of
// their edges. Null if it is too large.
static brResult breakHull(const brContext* context, const BreakMesh* m, brShape** outShape, double* outError,
						  brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	brHullFit fit = {.tolerance = m->tolerance, .most = BREAK_MAX_CORNERS, .mostVolume = m->mostVolume};
	brResult result = brFitHull(&allocator, m->mesh->positions, m->mesh->vertexCount, &fit, report);
	if (result < 0)
	{
		return result;
	}
	if (fit.isTooLarge)
	{
		*outShape = NULL;
		return br_success;
	}
	*outError = fit.error;
	brShapeDef def = brDefaultShapeDef(br_shapeHull);
	def.points = fit.corners;
	def.pointCount = fit.count;
	def.solid = m->solid;
	return brCreateShape(context, &def, outShape, report);
}

static brResult breakBox(const brContext* context, const BreakExtents* extents, const brMassProperties* mass,
						 const brMassProperties* solid, brShape** outShape, brReport* report)
{
	brShapeDef def = brDefaultShapeDef(br_shapeHull);
	brDVec3 points[8];
	breakFlatBox(mass, extents, points);
	def.points = points, def.pointCount = 8;
	def.solid = solid;
	return brCreateShape(context, &def, outShape, report);
}

// A hull, if it reaches the mesh everywhere and the mesh fills it; null if not.
static brResult breakFitHull(const brContext* context, const BreakMesh* m, brBreakFit fit, brShape** outShape,
							 brReport* report)
{
	double error, filled = fit == br_fitShard ? BREAK_FILLED : BREAK_REST_FILLED;
	BreakMesh limited = *m;
	limited.mostVolume = BREAK_SURELY * m->mass->volume / filled;
	brShape* hull = NULL;
	*outShape = NULL;
	brResult result = fit != br_fitWhole ? breakHull(context, &limited, &hull, &error, report) : br_errorGeometry;
	if (result < 0 || hull == NULL)
	{
		return result == br_errorMemory ? result : br_success;
	}
	bool isFilled = m->mass->volume / breakHullVolume(hull) >= filled;
	if (isFilled && error <= BREAK_HULL_OFF * m->tolerance)
	{
		*outShape = hull;
		return br_success;
	}
	brDestroyShape(hull);
	return br_success;
}

brResult brMakeBreakShape(const brContext* context, const brMesh* mesh, const brMassProperties* mass, double area,
						  brBreakFit fit, brShape** outShape, brReport* report)
{
	// Shapes want density 1; pieces that cracks made come with that of the material.
	brMassProperties unit = *mass;
	double scale = mass->mass > 0.0 ? mass->volume / mass->mass : 1.0;
	unit.mass = mass->volume;
	unit.inertia =
		(brMat3){brDMul(scale, mass->inertia.cx), brDMul(scale, mass->inertia.cy), brDMul(scale, mass->inertia.cz)};
	BreakExtents extents = breakExtents(mesh, &unit);
	bool isSolid = mass->volume > 0.0 && fmin(extents.moments[0], fmin(extents.moments[1], extents.moments[2])) > 0.0;
	BreakMesh m = {mesh, mass, isSolid ? &unit : NULL, breakTolerance(mass, area, &extents), 0.0};
	brShape* shape = NULL;
	brResult result = breakFitHull(context, &m, fit, &shape, report);
	if (result >= 0 && shape == NULL)
	{
		brShapeDef def = brDefaultShapeDef(br_shapeMesh);
		def.mesh = mesh;
		def.solid = m.solid;
		result = brCreateShape(context, &def, &shape, report);
	}
	// Too thin for a solid: a hull that has to do, or a box of the least thickness.
	double error;
	if (result < 0 && result != br_errorMemory)
	{
		result = breakHull(context, &m, &shape, &error, report);
	}
	if (result < 0 && result != br_errorMemory)
	{
		result = breakBox(context, &extents, mass, m.solid, &shape, report);
	}
	if (result >= 0)
	{
		*outShape = shape;
	}
	return result;
}
