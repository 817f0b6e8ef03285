// SPDX-License-Identifier: MIT

// Which points of one side may be near the other, before a triangle is touched. Compiles as OpenCL C too.

#include "contact/mesh_pair.h"

// A half-space reaches as far as this, which is less than where empty lanes of points lie.
#define MESH_NOWHERE 1e17f

void brMeshScan_Start(brMeshScan* scan, const brMeshPair* pair, int32_t s, float reach)
{
	const brMeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	int32_t count = side->isConcave ? side->solid.pointCount : side->shape->vertexCount;
	scan->side = side, scan->other = other, scan->s = s;
	scan->count = count < BR_MESH_MAX_POINTS ? count : BR_MESH_MAX_POINTS;
	scan->block = 0;
	brVec3 half = brAdd(other->shape->half, brMakeVec3(reach, reach, reach)), center = other->shape->boxCenter;
	half = other->shape->kind == br_shapeHalfSpace ? brMakeVec3(MESH_NOWHERE, MESH_NOWHERE, reach) : half;
	scan->box = (brBox3){brSub(center, half), brAdd(center, half)};
	for (int32_t lane = 0; lane < BR_TRIANGLE_LANES; ++lane)
	{
		scan->bounds.least[lane] = -INFINITY, scan->bounds.most[lane] = INFINITY, scan->bounds.hints[lane] = -1;
	}
}

uint32_t brMeshScan_FindBounds(brMeshScan* scan, float limit)
{
	const brMeshSide* other = scan->other;
	const BR_FAR brShape* shape = other->shape;
	if (shape->kind == br_shapeHalfSpace)
	{
		scan->bounds.least = scan->bounds.most = scan->places[2];
		return (1u << BR_TRIANGLE_LANES) - 1;
	}
	if (!other->isConcave)
	{
		return brPlanes_Bounds(brShape_Planes(shape), shape->faceCount, BR_PLACE_ROUNDING * shape->radius, scan->places,
							   limit, &scan->bounds.least);
	}
	brFloat8 beyond;
	uint32_t bits = brOwnPlanes_Bounds(other->planes, other->planeCount, BR_PLACE_ROUNDING * shape->radius,
									   scan->places, limit, &beyond);
	bits = bits != 0 ? bits & brSolid_Bounds(&other->solid, scan->places, limit, &scan->bounds) : 0;
	scan->bounds.least = brMax8Plain(beyond, scan->bounds.least);
	return bits;
}

// Of a box or hull, one vertex at a time.
static uint32_t scanVertices(brMeshScan* scan, float limit)
{
	for (int32_t i = scan->block; i < scan->count; ++i)
	{
		brVec3 p = brRelativePose_Point(&scan->side->toOther, brShape_Vertices(scan->side->shape)[i]);
		brFieldBound bound = brMeshSide_Bound(scan->other, p);
		if (bound.least < limit)
		{
			scan->block = i + 1;
			scan->points[0] = i;
			scan->places[0][0] = p.x, scan->places[1][0] = p.y, scan->places[2][0] = p.z;
			scan->bounds.least[0] = bound.least, scan->bounds.most[0] = bound.most, scan->bounds.hints[0] = bound.hint;
			return 1;
		}
	}
	scan->block = scan->count;
	return 0;
}

uint32_t brMeshScan_Flat(brMeshScan* scan, float limit)
{
	if (!scan->side->isConcave)
	{
		return scanVertices(scan, limit);
	}
	uint32_t bits = 0;
	while (bits == 0 && scan->block < scan->side->solid.blockCount)
	{
		bits = brSolid_PlaceBlock(&scan->side->solid, scan->block++, &scan->side->toOther, scan->box, scan->places);
		bits = bits != 0 ? bits & brMeshScan_FindBounds(scan, limit) : 0;
	}
	for (int32_t lane = 0; lane < BR_TRIANGLE_LANES; ++lane)
	{
		scan->points[lane] = BR_TRIANGLE_LANES * (scan->block - 1) + lane;
	}
	return bits;
}
