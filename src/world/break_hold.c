// SPDX-License-Identifier: MIT

// What stays when a held body breaks, and what goes through it. A pane is held along its rim; anything static is held where it touches other static bodies.

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

// Whether enough of the rim is left on a piece of a plate.
static bool holdByRim(const brHold* hold, const brSurfaceMaterial* interior, const brPiece* piece)
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
		const int32_t* c = mesh->corners + mesh->faceStarts[f];
		brDVec3 sum = {0.0, 0.0, 0.0};
		for (int32_t n = 1; n + 1 < brMesh_GetFaceSize(mesh, f); ++n)
		{
			brDVec3 p = mesh->positions[c[0]];
			sum = brDAdd(sum, brDCross(brDSub(mesh->positions[c[n]], p), brDSub(mesh->positions[c[n + 1]], p)));
		}
		double twice = brDLength(sum);
		area += fabs(brDDot(sum, hold->normal)) < HOLD_RIM * twice ? 0.5 * twice : 0.0;
	}
	return area > HOLD_LEAST * width * hold->thickness;
}

// Whether a vertex of the piece is at another static body, taken as its box.
static bool holdByTouch(const brWorld* world, const brBreakJob* job, const brPiece* piece)
{
	const brDynamics* dynamics = &world->dynamics;
	brTransform pose = brWorld_GetPose(world, brDynamics_BodyId(dynamics, job->body));
	double near = HOLD_TOUCH * world->breaking.bodies.data[job->body].measure.radius;
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
		for (int32_t v = 0; v < piece->mesh->vertexCount; ++v)
		{
			brDVec3 p = brDSub(brTransform_Point(pose, piece->mesh->positions[v]), body->position);
			p = brDSub(brQuat_InvRotate(body->rotation, p), center);
			if (fabs(p.x) < half.x + near && fabs(p.y) < half.y + near && fabs(p.z) < half.z + near)
			{
				return true;
			}
		}
	}
	return false;
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
	const brSurfaceMaterial* interior = &world->breaking.settings.data[record->settings].def.interior;
	return (job->hold.isPlate && holdByRim(&job->hold, interior, piece)) || holdByTouch(world, job, piece);
}
