// SPDX-License-Identifier: MIT

// What stays when a held body breaks, and what goes through it. A pane is held along its rim; anything static is held
// where it touches other static bodies. What is in the way of what hits stays only if its hold stands the force: else
// it would be a wall that nothing can move.

#include "mesh/face_area.h"
#include "world/break_state.h"
#include "world/world_state.h"

#include <math.h>
#include <string.h>

#define HOLD_FLAT 0.3   // a plate is thinner than this share of its middle extent
#define HOLD_RIM 0.5    // faces of the rim lean out of the plate's normal by more than 60 degrees
#define HOLD_LEAST 0.1  // of a piece's width: shorter stretches of rim do not hold it
#define HOLD_TOUCH 0.01 // of the body's size: nearer than this is touching

brHold brBreaking_Hold(const brWorld* world, int32_t body)
{
	const brBreakBody* record = &world->breaking.bodies.data[body];
	brHold hold = {.isStatic = world->dynamics.bodies.data[body].kind == br_bodyStatic && record->mesh != NULL};
	if (!hold.isStatic)
	{
		return hold;
	}
	brMassProperties mass = brMesh_ComputeMass(record->mesh, 1.0);
	double moments[3], extents[3];
	const brMat3* j = &mass.inertia;
	brMat3 frame = brEigenSymmetric(j->cx.x, j->cy.y, j->cz.z, j->cy.x, j->cz.x, j->cz.y, moments);
	brDVec3 axes[3] = {frame.cx, frame.cy, frame.cz};
	for (int32_t k = 0; k < 3; ++k)
	{
		double lower = INFINITY, upper = -INFINITY;
		for (int32_t v = 0; v < record->mesh->vertexCount; ++v)
		{
			double along = brDDot(axes[k], record->mesh->positions[v]);
			lower = fmin(lower, along), upper = fmax(upper, along);
		}
		extents[k] = upper - lower;
	}
	int32_t thin = extents[0] < extents[1] ? (extents[0] < extents[2] ? 0 : 2) : (extents[1] < extents[2] ? 1 : 2);
	double middle = INFINITY;
	for (int32_t k = 0; k < 3; ++k)
	{
		middle = k != thin ? fmin(middle, extents[k]) : middle;
	}
	hold.isPlate = extents[thin] < HOLD_FLAT * middle;
	hold.normal = axes[thin];
	hold.thickness = extents[thin];
	return hold;
}

// Area of the rim of a plate that is left on a piece; 0 if it is too little.
static double holdByRim(const brHold* hold, const brSurfaceMaterial* interior, const brPiece* piece)
{
	const brMesh* mesh = piece->mesh;
	double area = 0.0, width = sqrt(piece->mass.volume / hold->thickness);
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		int32_t material = mesh->faceMaterials != NULL ? mesh->faceMaterials[f] : -1;
		if (material >= 0 && memcmp(&mesh->materials[material], interior, sizeof(*interior)) == 0)
		{
			continue;
		}
		brDVec3 normal = brMesh_FaceArea(mesh, f);
		double own = brDLength(normal);
		area += fabs(brDDot(normal, hold->normal)) < HOLD_RIM * own ? own : 0.0;
	}
	return area > HOLD_LEAST * width * hold->thickness ? area : 0.0;
}

// Area of the faces of a piece that are at another static body, taken as its box. `outTouches`: whether a vertex is.
static double holdByTouch(const brWorld* world, const brBreakJob* job, const brPiece* piece, bool* outTouches)
{
	const brDynamics* dynamics = &world->dynamics;
	const brMesh* mesh = piece->mesh;
	brTransform pose = brWorld_GetPose(world, brDynamics_BodyId(dynamics, job->body));
	double near = HOLD_TOUCH * world->breaking.bodies.data[job->body].measure.radius, area = 0.0;
	*outTouches = false;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		const brBody* body = &dynamics->bodies.data[i];
		const brBreakBody* record = brBreaking_Body(&world->breaking, i);
		bool isSibling = record != NULL && record->parent.index1 != 0;
		if (i == job->body || !brBody_IsThere(body) || body->kind != br_bodyStatic || isSibling)
		{
			continue;
		}
		const brShape* shape = dynamics->shapes.data[body->shape].shape;
		bool isPlane = shape->kind == br_shapeHalfSpace;
		brDVec3 half = isPlane ? brMakeDVec3(INFINITY, INFINITY, 0.0) : brToDVec3(shape->half);
		brDVec3 center = isPlane ? brMakeDVec3(0.0, 0.0, 0.0) : brToDVec3(shape->boxCenter);
		for (int32_t f = 0; f < mesh->faceCount; ++f)
		{
			int32_t count = brMesh_GetFaceSize(mesh, f), inside = 0;
			for (int32_t k = 0; k < count; ++k)
			{
				brDVec3 p = mesh->positions[mesh->corners[mesh->faceStarts[f] + k]];
				p = brDSub(brTransform_Point(pose, p), body->position);
				p = brDSub(brQuat_InvRotate(body->rotation, p), center);
				inside += fabs(p.x) < half.x + near && fabs(p.y) < half.y + near && fabs(p.z) < half.z + near;
			}
			*outTouches = *outTouches || inside > 0;
			area += inside == count ? brDLength(brMesh_FaceArea(mesh, f)) : 0.0;
		}
	}
	return area;
}

// How near the line of a hit passes by an edge, squared, and on which side: `outTurn` has the sign of it.
static double holdEdgeDistance(brDVec3 a, brDVec3 b, brDVec3 axis, double* outTurn)
{
	brDVec3 along = brDSub(b, a);
	double length = brDLengthSq(along), t = length > 0.0 ? fmin(1.0, fmax(0.0, -brDDot(a, along) / length)) : 0.0;
	*outTurn = brDDot(axis, brDCross(a, b));
	return brDLengthSq(brDMulAdd(a, t, along));
}

bool brBreaking_IsInWay(const brHit* hit, const brMesh* mesh)
{
	double reach = hit->otherRadius;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		int32_t count = brMesh_GetFaceSize(mesh, f), left = 0, right = 0;
		for (int32_t k = 0; k < count; ++k)
		{
			const int32_t* c = mesh->corners + mesh->faceStarts[f];
			brDVec3 a = brDSub(mesh->positions[c[k]], hit->point);
			brDVec3 b = brDSub(mesh->positions[c[(k + 1) % count]], hit->point);
			a = brDMulAdd(a, -brDDot(a, hit->inward), hit->inward);
			b = brDMulAdd(b, -brDDot(b, hit->inward), hit->inward);
			double turn;
			if (holdEdgeDistance(a, b, hit->inward, &turn) < reach * reach)
			{
				return true;
			}
			left += turn > 0.0, right += turn < 0.0;
		}
		if (left == count || right == count)
		{
			return true;
		}
	}
	return false;
}

double brBreaking_Through(const brWorld* world, const brHit* hit)
{
	const brBody* other = hit->isThere && hit->other >= 0 ? &world->dynamics.bodies.data[hit->other] : NULL;
	if (other == NULL || other->kind <= br_bodyStatic || other->generation != hit->otherGeneration)
	{
		return 0.0;
	}
	brVec3 half = world->dynamics.shapes.data[other->shape].shape->half;
	float most = fmaxf(half.x, fmaxf(half.y, half.z)), least = fminf(half.x, fminf(half.y, half.z));
	return (double)(half.x + half.y + half.z - most - least);
}

bool brBreaking_TellPassers(brWorld* world)
{
	const brBreaking* breaking = &world->breaking;
	brDynamics* dynamics = &world->dynamics;
	dynamics->passKeys.count = 0;
	for (int32_t i = 0; i < breaking->bodies.count; ++i)
	{
		const brBreakBody* record = brBreaking_Body(breaking, i);
		int32_t other = record != NULL && record->youth > 0.0 ? record->passer.index1 - 1 : -1;
		if (other >= 0 && other < dynamics->bodies.count &&
			dynamics->bodies.data[other].generation == record->passer.generation &&
			!BR_PUSH(&dynamics->allocator, &dynamics->passKeys, brPassKey(i, other)))
		{
			return false;
		}
	}
	return true;
}

bool brBreaking_IsPieceHeld(const brWorld* world, const brBreakJob* job, const brPiece* piece)
{
	if (!job->hold.isStatic)
	{
		return false;
	}
	const brBreakBody* record = &world->breaking.bodies.data[job->body];
	const brBreakDef* def = &world->breaking.settings.data[record->settings].def;
	bool isHeld = false;
	double area = holdByTouch(world, job, piece, &isHeld);
	area += job->hold.isPlate ? holdByRim(&job->hold, &def->interior, piece) : 0.0;
	isHeld = isHeld || area > 0.0;
	bool isTorn = job->hit.isThere && job->hit.force > area * def->strength * def->material.tensileStrength;
	return isHeld && !(isTorn && brBreaking_IsInWay(&job->hit, piece->mesh));
}
