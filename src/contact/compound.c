// SPDX-License-Identifier: MIT

// Compounds: several solids as one shape.
//
// Parts become meshes, and the exact union of these the mesh of a concave solid: contacts, casts, sweeps, pictures and
// snapshots need to know nothing of parts, and what two parts share is inside and touches nothing. Balls and capsules
// are polyhedra of their volume, within 0.2 % of their radius.

#include "base/memory.h"
#include "base/report.h"
#include "brittle/cut.h"
#include "brittle/models.h"
#include "brittle/shape.h"
#include "math/power.h"
#include "mesh/hull.h"

#include <math.h>

#define COMPOUND_ROUND 12       // parts of an icosahedron's edge in a ball
#define COMPOUND_FLATNESS 1e-4  // of a hull's size: corners this near to a plane make one face
#define COMPOUND_MAX_PARTS 1000 // more are a mistake

brShapePart brDefaultShapePart(brShapeKind kind)
{
	return (brShapePart){.shape = brDefaultShapeDef(kind), .pose = brMakeTransformIdentity(), .density = 1.0};
}

static brResult compoundHull(const brContext* context, const brDVec3* points, int32_t count, brMesh** outMesh,
							 brReport* report)
{
	brDBox3 box = brMakeDBox3Empty();
	for (int32_t i = 0; i < count; ++i)
	{
		box = brDBox3_Include(box, points[i]);
	}
	return brMakeHull(context, points, count, COMPOUND_FLATNESS * brDDistance(box.lower, box.upper), outMesh, report);
}

static brResult compoundBox(const brContext* context, brDVec3 e, brMesh** outMesh, brReport* report)
{
	brDVec3 points[8];
	for (int32_t i = 0; i < 8; ++i)
	{
		points[i] = brMakeDVec3(i & 1 ? e.x : -e.x, i & 2 ? e.y : -e.y, i & 4 ? e.z : -e.z);
	}
	return compoundHull(context, points, 8, outMesh, report);
}

// A ball, its halves moved out by h along z.
static brResult compoundRound(const brContext* context, double r, double h, brMesh** outMesh, brReport* report)
{
	brModelDef def = brDefaultModelDef("icosphere");
	def.resolution = COMPOUND_ROUND;
	brMesh* mesh = NULL;
	brResult result = brMakeModel(context, &def, &mesh, report);
	if (result < 0)
	{
		return result;
	}
	brAffine map = brMakeAffineIdentity();
	map.m.cx.x = map.m.cy.y = map.m.cz.z = 2.0 * r;
	brMesh_Transform(mesh, &map);
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		mesh->positions[i].z += mesh->positions[i].z > 0.0 ? h : -h;
	}
	double volume = BR_PI * r * r * (4.0 / 3.0 * r + 2.0 * h);
	double fit = brPower(volume / brMesh_ComputeMass(mesh, 1.0).volume, 1.0 / 3.0);
	map.m.cx.x = map.m.cy.y = map.m.cz.z = fit;
	brMesh_Transform(mesh, &map);
	*outMesh = mesh;
	return br_success;
}

// The surface of a part in the compound's axes. Its shape is made once to see that it may be one.
static brResult compoundMesh(const brContext* context, const brShapePart* part, brMesh** outMesh, brReport* report)
{
	const brShapeDef* def = &part->shape;
	if (def->kind == br_shapeHalfSpace || def->kind == br_shapeSurface || !(part->density > 0.0) ||
		!isfinite(part->density) || !brDIsFinite(part->pose.p) ||
		!isfinite(part->pose.q.x + part->pose.q.y + part->pose.q.z + part->pose.q.w))
	{
		return brFail(report, br_errorMisuse,
					  "a part of a compound is a ball, a capsule, a box, a hull or a mesh with a pose and a density");
	}
	brShape* shape = NULL;
	brResult result = brCreateShape(context, def, &shape, report);
	if (result < 0)
	{
		return result;
	}
	brDestroyShape(shape);
	switch (def->kind)
	{
		case br_shapeSphere:
			result = compoundRound(context, def->radius, 0.0, outMesh, report);
			break;
		case br_shapeCapsule:
			result = compoundRound(context, def->radius, def->halfLength, outMesh, report);
			break;
		case br_shapeBox:
			result = compoundBox(context, def->halfExtents, outMesh, report);
			break;
		case br_shapeHull:
			result = compoundHull(context, def->points, def->pointCount, outMesh, report);
			break;
		default:
			result = brMergeMeshes(context, &def->mesh, 1, outMesh, report);
			break;
	}
	if (result >= 0)
	{
		brTransform pose = {part->pose.p, brQuat_Normalize(part->pose.q)};
		brAffine map = brMakeAffineFromTransform(pose);
		brMesh_Transform(*outMesh, &map);
	}
	return result;
}

static brMat3 compoundAbout(const brMassProperties* mass, brDVec3 point)
{
	brDVec3 r = brDSub(mass->center, point);
	double square = mass->mass * brDLengthSq(r);
	brMat3 sum = mass->inertia;
	sum.cx = brDAdd(sum.cx, brDMulAdd(brMakeDVec3(square, 0.0, 0.0), -mass->mass * r.x, r));
	sum.cy = brDAdd(sum.cy, brDMulAdd(brMakeDVec3(0.0, square, 0.0), -mass->mass * r.y, r));
	sum.cz = brDAdd(sum.cz, brDMulAdd(brMakeDVec3(0.0, 0.0, square), -mass->mass * r.z, r));
	return sum;
}

static void compoundAddMass(brMassProperties* sum, brMassProperties more)
{
	double mass = sum->mass + more.mass;
	if (!(more.mass > 0.0))
	{
		return;
	}
	brDVec3 center = brDMulAdd(brDMul(sum->mass / mass, sum->center), more.mass / mass, more.center);
	brMat3 a = compoundAbout(sum, center), b = compoundAbout(&more, center);
	sum->inertia = (brMat3){brDAdd(a.cx, b.cx), brDAdd(a.cy, b.cy), brDAdd(a.cz, b.cz)};
	sum->center = center;
	sum->mass = sum->volume = mass; // at density 1
}

// What each part adds to those before it.
static brResult compoundMass(const brContext* context, const brShapePart* parts, brMesh* const* meshes, int32_t count,
							 brMassProperties* outMass, brReport* report)
{
	brCutDef def = brDefaultCutDef();
	def.op = br_cutDifference;
	for (int32_t i = 0; i < count; ++i)
	{
		if (i == 0)
		{
			*outMass = (brMassProperties){0};
			compoundAddMass(outMass, brMesh_ComputeMass(meshes[0], parts[0].density));
			continue;
		}
		brCutResult* rest = NULL;
		brResult result = brCutMeshByMany(context, meshes[i], (const brMesh* const*)meshes, i, &def, &rest, report);
		if (result < 0)
		{
			return result;
		}
		for (int32_t k = 0; k < rest->pieceCount; ++k)
		{
			compoundAddMass(outMass, brMesh_ComputeMass(rest->pieces[k].mesh, parts[i].density));
		}
		brDestroyCutResult(rest);
	}
	return br_success;
}

brResult brCreateCompound(const brContext* context, const brShapePart* parts, int32_t count, brShape** outShape,
						  brReport* report)
{
	if (parts == NULL || outShape == NULL || count < 1 || count > COMPOUND_MAX_PARTS)
	{
		return brFail(report, br_errorMisuse, "a compound has 1 to %d parts and an output", COMPOUND_MAX_PARTS);
	}
	brAllocator allocator = brContext_Allocator(context);
	brMesh** meshes = BR_ALLOC_ZERO(&allocator, brMesh*, count);
	brMesh* whole = NULL;
	brMassProperties mass;
	brResult result = meshes != NULL ? br_success : brFailMemory(report);
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		result = compoundMesh(context, &parts[i], &meshes[i], report);
	}
	result = result < 0 ? result : brUniteMeshes(context, (const brMesh* const*)meshes, count, &whole, report);
	result = result < 0 ? result : compoundMass(context, parts, meshes, count, &mass, report);
	if (result >= 0)
	{
		brShapeDef def = brDefaultShapeDef(br_shapeMesh);
		def.mesh = whole;
		def.solid = &mass;
		result = brCreateShape(context, &def, outShape, report);
	}
	for (int32_t i = 0; meshes != NULL && i < count; ++i)
	{
		brDestroyMesh(meshes[i]);
	}
	BR_FREE(&allocator, meshes, count);
	brDestroyMesh(whole);
	return result;
}
