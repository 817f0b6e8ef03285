// SPDX-License-Identifier: MIT

// What a piece collides as: its mesh, as a hull if it is convex. Shards of walls are bent, but a hull that they fill by
// two fifths stands for them, and for what is left of a lump one that it fills by four fifths: hulls cost a tenth of
// meshes in time, and what they overlap at birth does not push. Splinters too thin for a solid get a hull too, and the
// thinnest a box of the least thickness that bodies can have. Mass and inertia are the mesh's throughout.

#include "contact/shape.h"
#include "world/break_state.h"

#include <math.h>

#define BREAK_HULL_DIRECTIONS 26 // so many corners make at most 48 faces
#define BREAK_REST_DIRECTIONS 52 // half of them even, half to the corners and sides of boxes
#define BREAK_FILLED 0.4         // of a hull that stands for a shard
#define BREAK_REST_FILLED 0.8    // of one that stands for what is left
#define BREAK_OVERFILLED 1.05    // such a hull has lost corners
#define BREAK_MIN_HALF 0.6e-4    // half of what the thinnest body has, and a little [m]

// Direction k: even ones first, then those to the sides, edges and corners of a cube.
static brDVec3 breakDirection(int32_t k)
{
	if (k >= BREAK_HULL_DIRECTIONS)
	{
		int32_t code = k - BREAK_HULL_DIRECTIONS, place = code < 13 ? code : code + 1; // 13 is no direction
		return brMakeDVec3(place % 3 - 1, place / 3 % 3 - 1, place / 9 - 1);
	}
	double z = 1.0 - (2.0 * k + 1.0) / BREAK_HULL_DIRECTIONS, r = sqrt(1.0 - z * z);
	double angle = 2.399963229728653 * k; // golden
	return brMakeDVec3(r * brCos(angle), r * brSin(angle), z);
}

// The furthest vertex along each of the first directions.
static void breakFurthest(const brMesh* mesh, int32_t count, brDVec3* points)
{
	for (int32_t k = 0; k < count; ++k)
	{
		brDVec3 d = breakDirection(k);
		double best = -INFINITY;
		int32_t furthest = 0;
		for (int32_t i = 0; i < mesh->vertexCount; ++i)
		{
			double along = brDDot(d, mesh->positions[i]);
			furthest = along > best ? i : furthest;
			best = along > best ? along : best;
		}
		points[k] = mesh->positions[furthest];
	}
}

static void breakFlatBox(const brMesh* mesh, const brMassProperties* mass, brDVec3 points[8])
{
	double moments[3];
	const brMat3* j = &mass->inertia;
	brMat3 axes = brEigenSymmetric(j->cx.x, j->cy.y, j->cz.z, j->cy.x, j->cz.x, j->cz.y, moments);
	brDVec3 axis[3] = {axes.cx, axes.cy, axes.cz};
	double lower[3], upper[3];
	for (int32_t k = 0; k < 3; ++k)
	{
		lower[k] = -BREAK_MIN_HALF, upper[k] = BREAK_MIN_HALF;
		for (int32_t i = 0; i < mesh->vertexCount; ++i)
		{
			double along = brDDot(axis[k], brDSub(mesh->positions[i], mass->center));
			lower[k] = fmin(lower[k], along), upper[k] = fmax(upper[k], along);
		}
	}
	for (int32_t i = 0; i < 8; ++i)
	{
		points[i] = mass->center;
		for (int32_t k = 0; k < 3; ++k)
		{
			points[i] = brDMulAdd(points[i], i >> k & 1 ? upper[k] : lower[k], axis[k]);
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

// A hull of all vertices or, if they are many, of the furthest: two hulls cost as the product of their edges.
static brResult breakHull(const brContext* context, const brMesh* mesh, const brMassProperties* solid,
						  int32_t directions, brShape** outShape, brReport* report)
{
	brShapeDef def = brDefaultShapeDef(br_shapeHull);
	brDVec3 furthest[BREAK_REST_DIRECTIONS];
	def.points = mesh->positions;
	def.pointCount = mesh->vertexCount;
	def.solid = solid;
	if (mesh->vertexCount > directions)
	{
		breakFurthest(mesh, directions, furthest);
		def.points = furthest, def.pointCount = directions;
	}
	return brCreateShape(context, &def, outShape, report);
}

static brResult breakBox(const brContext* context, const brMesh* mesh, const brMassProperties* mass,
						 const brMassProperties* solid, brShape** outShape, brReport* report)
{
	brShapeDef def = brDefaultShapeDef(br_shapeHull);
	brDVec3 points[8];
	breakFlatBox(mesh, mass, points);
	def.points = points, def.pointCount = 8;
	def.solid = solid;
	return brCreateShape(context, &def, outShape, report);
}

brResult brMakeBreakShape(const brContext* context, const brMesh* mesh, const brMassProperties* mass, brBreakFit fit,
						  brShape** outShape, brReport* report)
{
	// Shapes want density 1; pieces that cracks made come with that of the material.
	brMassProperties unit = *mass;
	double scale = mass->mass > 0.0 ? mass->volume / mass->mass : 1.0;
	unit.mass = mass->volume;
	unit.inertia =
		(brMat3){brDMul(scale, mass->inertia.cx), brDMul(scale, mass->inertia.cy), brDMul(scale, mass->inertia.cz)};
	double moments[3];
	const brMat3* j = &unit.inertia;
	brEigenSymmetric(j->cx.x, j->cy.y, j->cz.z, j->cy.x, j->cz.x, j->cz.y, moments);
	bool isSolid = mass->volume > 0.0 && fmin(moments[0], fmin(moments[1], moments[2])) > 0.0;
	const brMassProperties* solid = isSolid ? &unit : NULL;
	brShape* hull = NULL;
	int32_t directions = fit == br_fitShard ? BREAK_HULL_DIRECTIONS : BREAK_REST_DIRECTIONS;
	brResult result =
		fit != br_fitWhole ? breakHull(context, mesh, solid, directions, &hull, report) : br_errorGeometry;
	double fill = result >= 0 ? mass->volume / breakHullVolume(hull) : 0.0;
	bool isFilled = fit == br_fitShard ? fill >= BREAK_FILLED : fill >= BREAK_REST_FILLED && fill <= BREAK_OVERFILLED;
	if (!isFilled && result != br_errorMemory)
	{
		brShapeDef def = brDefaultShapeDef(br_shapeMesh);
		def.mesh = mesh;
		def.solid = solid;
		brShape* shape = NULL;
		result = brCreateShape(context, &def, &shape, report);
		if (result >= 0 || result == br_errorMemory)
		{
			brDestroyShape(hull);
			hull = shape;
		}
		else if (hull == NULL)
		{
			result = breakHull(context, mesh, solid, directions, &hull, report);
			result =
				result < 0 && result != br_errorMemory ? breakBox(context, mesh, mass, solid, &hull, report) : result;
		}
		else
		{
			result = br_success; // the hull will have to do
		}
	}
	if (result >= 0)
	{
		*outShape = hull;
	}
	return result;
}
