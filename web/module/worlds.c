// SPDX-License-Identifier: MIT

// A world of bodies that break, body by body.

#include "handles.h"
#include "memory_files.h"
#include "team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Gravity; `ground` not 0: a half-space below z = 0 of this friction and restitution.
WEB_API int32_t webMakeWorld(const double* gravity, int32_t hasGround, double friction, double restitution)
{
	brWorldDef def = brDefaultWorldDef();
	memcpy(&def.gravity, gravity, sizeof(def.gravity));
	brWorld* world;
	brResult result = brCreateWorld(webContext(), &def, &world, &webReport);
	if (result < 0)
	{
		return result;
	}
	if (hasGround != 0)
	{
		brShapeDef plane = brDefaultShapeDef(br_shapeHalfSpace);
		brShape* shape = NULL;
		result = brCreateShape(webContext(), &plane, &shape, &webReport);
		brBodyDef body = brDefaultBodyDef();
		body.kind = br_bodyStatic;
		body.shape = shape;
		body.friction = friction;
		body.restitution = restitution;
		bool isMade = result >= 0 && !brBodyId_IsNull(brWorld_CreateBody(world, &body, &webReport));
		brDestroyShape(shape);
		if (!isMade)
		{
			brDestroyWorld(world);
			return webReport.code;
		}
	}
	return webPut(web_world, world);
}

/// What webAddBody takes, in this order.
typedef struct WebBodyOptions
{
	double kind, position[3], rotation[4], velocity[3], spin[3];  // kind as in brBodyKind
	double method, pieces, smallest, strength, generations, seed; // method as in brBreakMethod
} WebBodyOptions;

static brBodyDef webBodyDef(const WebBodyOptions* options)
{
	brBodyDef body = brDefaultBodyDef();
	body.kind = (brBodyKind)options->kind;
	memcpy(&body.pose.p, options->position, sizeof(body.pose.p));
	memcpy(&body.pose.q, options->rotation, sizeof(body.pose.q));
	memcpy(&body.velocity, options->velocity, sizeof(body.velocity));
	memcpy(&body.spin, options->spin, sizeof(body.spin));
	return body;
}

static int32_t webPutId(brBodyId id, uint32_t* outId)
{
	if (brBodyId_IsNull(id))
	{
		return webReport.code;
	}
	outId[0] = (uint32_t)id.index1;
	outId[1] = id.generation;
	return 0;
}

/// A breakable body; its id comes out as two numbers.
WEB_API int32_t webAddBody(int32_t handle, int32_t meshHandle, const char* material, const WebBodyOptions* options,
						   uint32_t* outId)
{
	brWorld* world = webGet(handle, web_world);
	const brMesh* mesh = world != NULL ? webGet(meshHandle, web_mesh) : NULL;
	if (mesh == NULL)
	{
		return webReport.code;
	}
	const brMaterial* preset = brFindMaterial(material);
	if (preset == NULL)
	{
		return webFail(br_errorMisuse, "there is no material %.60s", material);
	}
	brBodyDef body = webBodyDef(options);
	brBreakDef breaking = brDefaultBreakDef();
	breaking.mesh = mesh;
	breaking.material = *preset;
	breaking.method = (brBreakMethod)options->method;
	breaking.pieces = (int32_t)options->pieces;
	breaking.smallest = options->smallest;
	breaking.strength = options->strength;
	breaking.generations = (int32_t)options->generations;
	breaking.seed = (uint64_t)options->seed;
	return webPutId(brWorld_CreateBreakable(world, &body, &breaking, &webReport), outId);
}

/// A ball that does not break.
WEB_API int32_t webAddBall(int32_t handle, double radius, double density, const WebBodyOptions* options,
						   uint32_t* outId)
{
	brWorld* world = webGet(handle, web_world);
	if (world == NULL)
	{
		return webReport.code;
	}
	brShapeDef sphere = brDefaultShapeDef(br_shapeSphere);
	sphere.radius = radius;
	brShape* shape;
	brResult result = brCreateShape(webContext(), &sphere, &shape, &webReport);
	if (result < 0)
	{
		return result;
	}
	brBodyDef body = webBodyDef(options);
	body.shape = shape;
	body.density = density;
	brBodyId id = brWorld_CreateBody(world, &body, &webReport);
	brDestroyShape(shape);
	return webPutId(id, outId);
}

WEB_API int32_t webStepWorld(int32_t handle, double dt)
{
	brWorld* world = webGet(handle, web_world);
	return world != NULL ? brWorld_Step(world, dt, &webReport) : webReport.code;
}

WEB_API int32_t webHashWorld(int32_t handle, uint64_t* out)
{
	const brWorld* world = webGet(handle, web_world);
	if (world == NULL)
	{
		return webReport.code;
	}
	*out = brWorld_ComputeHash(world);
	return 0;
}

/// All bodies as bytes: two numbers (u32) of the id and seven floats of the pose each.
WEB_API int32_t webGetBodies(int32_t handle)
{
	const brWorld* world = webGet(handle, web_world);
	if (world == NULL)
	{
		return webReport.code;
	}
	int32_t count = brWorld_GetBodyCount(world);
	WebBytes* bytes = malloc(sizeof(WebBytes));
	brBodyId* ids = malloc(((size_t)count + 1) * sizeof(brBodyId));
	uint8_t* data = malloc(((size_t)count + 1) * 36);
	if (bytes == NULL || ids == NULL || data == NULL)
	{
		free(bytes);
		free(ids);
		free(data);
		return webFail(br_errorMemory, "there is not enough memory for %d bodies", count);
	}
	brWorld_GetBodies(world, ids, count);
	for (int32_t i = 0; i < count; ++i)
	{
		memcpy(data + 36 * i, &ids[i], 8);
		brTransform pose = brWorld_GetPose(world, ids[i]);
		const float numbers[7] = {(float)pose.p.x, (float)pose.p.y, (float)pose.p.z, (float)pose.q.x,
								  (float)pose.q.y, (float)pose.q.z, (float)pose.q.w};
		memcpy(data + 36 * i + 8, numbers, sizeof(numbers));
	}
	free(ids);
	*bytes = (WebBytes){data, 36 * (size_t)count};
	return webPut(web_bytes, bytes);
}

/// A copy of a body's mesh, in the axes of its pose. 0: it has none.
WEB_API int32_t webGetBodyMesh(int32_t handle, int32_t index1, uint32_t generation)
{
	const brWorld* world = webGet(handle, web_world);
	if (world == NULL)
	{
		return webReport.code;
	}
	const brMesh* mesh = brWorld_GetMesh(world, (brBodyId){index1, generation});
	if (mesh == NULL)
	{
		return 0;
	}
	brMesh* copy;
	brResult result = brCopyMesh(webContext(), mesh, &copy, &webReport);
	return result < 0 ? result : webPut(web_mesh, copy);
}

/// Breaks of the last step as bytes of doubles: for each parent's id (2), point (3), speed, energy, mass, number of
/// pieces, then index and generation of each piece.
WEB_API int32_t webGetBreaks(int32_t handle)
{
	const brWorld* world = webGet(handle, web_world);
	if (world == NULL)
	{
		return webReport.code;
	}
	int32_t count, pieceCount;
	const brBreakEvent* events = brWorld_GetBreakEvents(world, &count);
	const brBodyId* pieces = brWorld_GetBreakPieces(world, &pieceCount);
	size_t size = (9 * (size_t)count + 2 * (size_t)pieceCount) * sizeof(double);
	WebBytes* bytes = malloc(sizeof(WebBytes));
	double* at = malloc(size + 1);
	if (bytes == NULL || at == NULL)
	{
		free(bytes);
		free(at);
		return webFail(br_errorMemory, "there is not enough memory");
	}
	*bytes = (WebBytes){(uint8_t*)at, size};
	for (int32_t i = 0; i < count; ++i)
	{
		const brBreakEvent* e = &events[i];
		const double head[] = {
			e->parent.index1, e->parent.generation, e->point.x, e->point.y, e->point.z, e->speed, e->energy,
			e->mass,          e->pieceCount};
		memcpy(at, head, sizeof(head));
		at += 9;
		for (int32_t k = 0; k < e->pieceCount; ++k)
		{
			*at++ = pieces[e->firstPiece + k].index1;
			*at++ = pieces[e->firstPiece + k].generation;
		}
	}
	return webPut(web_bytes, bytes);
}

/// Velocity (3) and spin (3) of a body.
WEB_API int32_t webGetVelocity(int32_t handle, int32_t index1, uint32_t generation, double* out)
{
	const brWorld* world = webGet(handle, web_world);
	if (world == NULL)
	{
		return webReport.code;
	}
	brBodyId id = {index1, generation};
	brDVec3 velocity = brWorld_GetVelocity(world, id), spin = brWorld_GetSpin(world, id);
	memcpy(out, &velocity, sizeof(velocity));
	memcpy(out + 3, &spin, sizeof(spin));
	return brWorld_IsBody(world, id);
}

/// 1: done, 0: there is no such body, or a number is not finite.
WEB_API int32_t webSetVelocity(int32_t handle, int32_t index1, uint32_t generation, const double* numbers)
{
	brWorld* world = webGet(handle, web_world);
	if (world == NULL)
	{
		return webReport.code;
	}
	brDVec3 velocity = {numbers[0], numbers[1], numbers[2]}, spin = {numbers[3], numbers[4], numbers[5]};
	return brWorld_SetVelocity(world, (brBodyId){index1, generation}, velocity, spin);
}

/// Breaks a body in the next step: point (3), direction (3), energy.
WEB_API int32_t webBreakBody(int32_t handle, int32_t index1, uint32_t generation, const double* numbers)
{
	brWorld* world = webGet(handle, web_world);
	if (world == NULL)
	{
		return webReport.code;
	}
	brDVec3 point = {numbers[0], numbers[1], numbers[2]}, direction = {numbers[3], numbers[4], numbers[5]};
	return brWorld_BreakBody(world, (brBodyId){index1, generation}, point, direction, numbers[6]);
}

WEB_API int32_t webRemoveBody(int32_t handle, int32_t index1, uint32_t generation)
{
	brWorld* world = webGet(handle, web_world);
	return world != NULL ? brWorld_DestroyBody(world, (brBodyId){index1, generation}) : webReport.code;
}

/// The bodies where they are, as a file.
WEB_API int32_t webWriteWorld(int32_t handle, const char* ending)
{
	const brWorld* world = webGet(handle, web_world);
	return world != NULL ? webWriteBodies(world, ending) : webReport.code;
}
