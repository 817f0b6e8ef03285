// SPDX-License-Identifier: MIT

// What a piece collides as: the hull of its mesh with the mass of the mesh. Of meshes with many vertices only the furthest along fixed
// directions count, since a pair of hulls costs as the product of their edges; pieces too flat for a hull get a box of the least thickness that bodies can have.

#include "contact/shape.h"
#include "world/break_state.h"

#include <math.h>

#define BREAK_HULL_VERTICES 48   // meshes up to this number go whole
#define BREAK_HULL_DIRECTIONS 42 // so many corners make at most 80 faces
#define BREAK_LEAST_HALF 0.6e-4  // half of what the thinnest body has, and a little [m]

// The furthest vertex along each of a set of even directions.
static void breakFurthest(const brMesh* mesh, brDVec3 points[BREAK_HULL_DIRECTIONS])
{
	for (int32_t k = 0; k < BREAK_HULL_DIRECTIONS; ++k)
	{
		double z = 1.0 - (2.0 * k + 1.0) / BREAK_HULL_DIRECTIONS, r = sqrt(1.0 - z * z);
		double angle = 2.399963229728653 * k; // golden
		brDVec3 d = {r * brCos(angle), r * brSin(angle), z};
		double best = -INFINITY;
		for (int32_t i = 0; i < mesh->vertexCount; ++i)
		{
			brDVec3 p = mesh->positions[i];
			if (brDDot(d, p) > best)
			{
				best = brDDot(d, p), points[k] = p;
			}
		}
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
		lower[k] = -BREAK_LEAST_HALF, upper[k] = BREAK_LEAST_HALF;
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

brResult brMakeBreakShape(const brContext* context, const brMesh* mesh, const brMassProperties* mass,
						  brShape** outShape, brReport* report)
{
	double moments[3];
	const brMat3* j = &mass->inertia;
	brEigenSymmetric(j->cx.x, j->cy.y, j->cz.z, j->cy.x, j->cz.x, j->cz.y, moments);
	bool isSolid = mass->volume > 0.0 && fmin(moments[0], fmin(moments[1], moments[2])) > 0.0;
	brShapeDef def = brDefaultShapeDef(br_shapeHull);
	def.points = mesh->positions;
	def.pointCount = mesh->vertexCount;
	def.solid = isSolid ? mass : NULL;
	brDVec3 furthest[BREAK_HULL_DIRECTIONS];
	if (mesh->vertexCount > BREAK_HULL_VERTICES)
	{
		breakFurthest(mesh, furthest);
		def.points = furthest, def.pointCount = BREAK_HULL_DIRECTIONS;
	}
	brResult result = brCreateShape(context, &def, outShape, report);
	if (result < 0 && result != br_errorMemory)
	{
		brDVec3 points[8];
		breakFlatBox(mesh, mass, points);
		def.points = points, def.pointCount = 8;
		result = brCreateShape(context, &def, outShape, report);
	}
	return result;
}
