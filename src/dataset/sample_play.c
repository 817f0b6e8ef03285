// SPDX-License-Identifier: MIT

// Drop and shoot: a world of one thing, the ground and perhaps a ball, played until the time is over. Pieces of a world
// keep the axes of the thing they come from, so their meshes are in the common frame already, however often they broke.

#include "brittle/break.h"
#include "dataset/sample.h"
#include "world/world_state.h"

#include <stdio.h>
#include <string.h>

#define PLAY_STEP (1.0 / 60.0) // as scenes have it [s]
#define PLAY_GRAVITY 9.81      // [m/s^2]
#define PLAY_LEAD 0.4          // share of a step before the thing meets the ground

// Evenly over all rotations: a point in the ball of four dimensions, by rejection, needs no functions that round.
static brQuat playDrawRotation(brRandom* random)
{
	for (int32_t i = 0; i < 1000; ++i)
	{
		double v[4], lengthSq = 0.0;
		for (int32_t k = 0; k < 4; ++k)
		{
			v[k] = brRandom_Range(random, -1.0, 1.0);
			lengthSq += v[k] * v[k];
		}
		if (lengthSq <= 1.0 && lengthSq > 0.01)
		{
			double scale = 1.0 / sqrt(lengthSq);
			return (brQuat){scale * v[0], scale * v[1], scale * v[2], scale * v[3]};
		}
	}
	return brMakeQuatIdentity();
}

// The thing a moment before it meets the ground, at the speed that it has then.
static void playPlaceDrop(brSampleJob* job, brBodyDef* body)
{
	const brMesh* mesh = job->object;
	brSample* sample = job->sample;
	brQuat turn = playDrawRotation(&job->random);
	double height = brRecipeRange_Draw(job->method->height, &job->random), lowest = INFINITY;
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		lowest = fmin(lowest, brQuat_Rotate(turn, mesh->positions[i]).z);
	}
	double speed = sqrt(2.0 * PLAY_GRAVITY * height), gap = fmin(height, PLAY_LEAD * speed * PLAY_STEP);
	body->pose = (brTransform){brMakeDVec3(0.0, 0.0, gap - lowest), turn};
	body->velocity = brMakeDVec3(0.0, 0.0, -sqrt(2.0 * PLAY_GRAVITY * (height - gap)));
	// It touches with its lowest vertices, all at once if it falls on a face.
	brDVec3 sum = brMakeDVec3(0.0, 0.0, 0.0);
	int32_t count = 0;
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		if (brQuat_Rotate(turn, mesh->positions[i]).z <= lowest + 1e-6 * sample->size)
		{
			sum = brDAdd(sum, mesh->positions[i]);
			count += 1;
		}
	}
	double mass = sample->volume * sample->material.density;
	sample->blow = (brSampleBlow){
		.point = brDMul(1.0 / count, sum),
		.direction = brQuat_InvRotate(turn, brMakeDVec3(0.0, 0.0, 1.0)),
		.speed = speed,
		.mass = mass,
		.height = height,
		.energy = mass * PLAY_GRAVITY * height,
	};
}

// Distance along a ray to the first triangle of the object, or INFINITY. Möller and Trumbore 1997.
static double playCastRay(const brSampleJob* job, brDVec3 from, brDVec3 way)
{
	const brMesh* mesh = job->object;
	double nearest = INFINITY;
	for (int32_t i = 0; i < job->triangles->triangleCount; ++i)
	{
		const int32_t* corners = &job->triangles->corners[3 * i];
		brDVec3 a = mesh->positions[mesh->corners[corners[0]]];
		brDVec3 u = brDSub(mesh->positions[mesh->corners[corners[1]]], a);
		brDVec3 v = brDSub(mesh->positions[mesh->corners[corners[2]]], a);
		brDVec3 p = brDCross(way, v), t = brDSub(from, a), q = brDCross(t, u);
		double det = brDDot(u, p), s = brDDot(t, p) / det, r = brDDot(way, q) / det, at = brDDot(v, q) / det;
		if (det != 0.0 && s >= 0.0 && r >= 0.0 && s + r <= 1.0 && at > 0.0)
		{
			nearest = fmin(nearest, at);
		}
	}
	return nearest;
}

// The ball flies at a point of the surface, never from below.
// Adds a body that does not break: the ground or the ball.
static brResult playAddWhole(brSampleJob* job, brWorld* world, const brShapeDef* shapeDef, brBodyDef body,
							 const brMaterial* material)
{
	brShape* shape = NULL;
	brResult result = brCreateShape(job->context, shapeDef, &shape, job->report);
	if (result < 0)
	{
		return result;
	}
	body.shape = shape;
	brBreakDef breaking = brDefaultBreakDef();
	breaking.method = br_breakNone;
	breaking.material = *material;
	brBodyId id = brWorld_CreateBreakable(world, &body, &breaking, job->report);
	brDestroyShape(shape);
	return id.index1 != 0 ? br_success : br_errorMemory;
}

static brResult playAddBall(brSampleJob* job, brWorld* world)
{
	brSample* sample = job->sample;
	brDVec3 normal, target = brSampleJob_DrawPoint(job, &normal), way = brSampleJob_DrawDirection(job, normal);
	double speed = brRecipeRange_Draw(job->method->speed, &job->random);
	double mass = brRecipeRange_Draw(job->method->mass, &job->random), radius = brSample_BallRadius(mass);
	way.z = -fabs(way.z);
	target.z = fmax(target.z, 1.2 * radius);
	double back = 1.8 * sample->size + 2.0 * radius;
	brDVec3 start = brDMulAdd(target, -back, way);
	double distance = playCastRay(job, start, way);
	sample->blow = (brSampleBlow){
		.point = isfinite(distance) ? brDMulAdd(start, distance, way) : target,
		.direction = way,
		.speed = speed,
		.mass = mass,
		.energy = 0.5 * mass * speed * speed,
	};
	brSceneMaterial steel = brDefaultSceneMaterial();
	brShapeDef sphere = brDefaultShapeDef(br_shapeSphere);
	sphere.radius = radius;
	brBodyDef body = brDefaultBodyDef();
	body.pose.p = start;
	body.velocity = brDMul(speed, way);
	body.mass = mass;
	body.gravityScale = 0.0;
	return playAddWhole(job, world, &sphere, body, &steel.physics);
}

static brResult playAddGround(brSampleJob* job, brWorld* world)
{
	uint32_t choice = brRandom_Below(&job->random, (uint32_t)job->method->groundCount);
	const brMaterial* material = &job->method->grounds[choice];
	snprintf(job->sample->ground, sizeof(job->sample->ground), "%s", material->name);
	brShapeDef plane = brDefaultShapeDef(br_shapeHalfSpace);
	brBodyDef body = brDefaultBodyDef();
	body.kind = br_bodyStatic;
	return playAddWhole(job, world, &plane, body, material);
}

static brResult playAddThing(brSampleJob* job, brWorld* world)
{
	brBodyDef body = brDefaultBodyDef();
	if (job->method->kind == br_recipeDrop)
	{
		playPlaceDrop(job, &body);
	}
	brBreakDef breaking = brDefaultBreakDef();
	breaking.method = job->method->isCracking ? br_breakCrack : br_breakShatter;
	breaking.mesh = job->object;
	breaking.material = job->sample->material;
	breaking.pieces = brRecipeRange_DrawWhole(job->method->pieces, &job->random);
	breaking.seed = brSampleJob_DrawSeed(job);
	breaking.interior = brSampleJob_Interior();
	brBodyId id = brWorld_CreateBreakable(world, &body, &breaking, job->report);
	return id.index1 != 0 ? br_success : job->report->code < 0 ? job->report->code : br_errorMemory;
}

// What is left of the thing, wherever it lies.
static brResult playTakePieces(brSampleJob* job, brWorld* world)
{
	int32_t count = brWorld_GetBodies(world, NULL, 0);
	brBodyId* ids = BR_ALLOC(&job->sample->allocator, brBodyId, count);
	if (ids == NULL)
	{
		return brFailMemory(job->report);
	}
	brWorld_GetBodies(world, ids, count);
	brResult result = br_success;
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		const brMesh* mesh = brWorld_GetMesh(world, ids[i]);
		brMesh* copy = NULL;
		if (mesh != NULL)
		{
			result = brCopyMesh(job->context, mesh, &copy, job->report);
			result = result < 0 ? result : brSampleJob_AddPiece(job, copy, brWorld_GetPose(world, ids[i]));
		}
	}
	BR_FREE(&job->sample->allocator, ids, count);
	// Crumbs too small for bodies stay where they broke off: without them the others would have holes between them.
	for (int32_t i = 0; i < world->breaking.crumbs.count && result >= 0; ++i)
	{
		brCrumb* crumb = &world->breaking.crumbs.data[i];
		result = brSampleJob_AddPiece(job, crumb->mesh, crumb->pose);
		crumb->mesh = NULL;
	}
	return result;
}

brResult brSampleJob_Play(brSampleJob* job)
{
	brWorldDef def = brDefaultWorldDef();
	brWorld* world = NULL;
	brResult result = brCreateWorld(job->context, &def, &world, job->report);
	if (result >= 0)
	{
		world->breaking.keepsCrumbs = true;
		brWorld_SetGpuStages(world, job->hasDevice ? job->recipe->stages : NULL);
	}
	result = result < 0 ? result : playAddGround(job, world);
	result = result < 0 ? result : playAddThing(job, world);
	if (result >= 0 && job->method->kind == br_recipeShoot)
	{
		result = playAddBall(job, world);
	}
	// The flight of a slow ball, then the time of the play.
	double flight = job->method->kind == br_recipeShoot ? 3.0 * job->sample->size / job->sample->blow.speed : PLAY_STEP;
	int32_t stepCount = 1 + (int32_t)ceil((flight + job->method->play) / PLAY_STEP);
	for (int32_t i = 0; i < stepCount && result >= 0; ++i)
	{
		result = brWorld_Step(world, PLAY_STEP, job->report);
		if (result >= 0 && i > 4 && brWorld_GetStats(world).awake == 0)
		{
			break;
		}
		if (result >= 0 && brIsCanceled(job->context, (double)i / stepCount))
		{
			result = brFail(job->report, br_errorCanceled, "canceled");
		}
	}
	job->sample->hasPoses = true;
	result = result < 0 ? result : playTakePieces(job, world);
	brDestroyWorld(world);
	return result;
}
