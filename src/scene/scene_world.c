// SPDX-License-Identifier: MIT

// Scene into world: bodies with their masses and how they break, ground, joints, budgets, events.

#include "scene/scene_world.h"

#include "base/hash.h"
#include "base/report.h"
#include "brittle/models.h"

#include <stdio.h>
#include <string.h>

#define SCENE_SLAB 0.02 // height of the slab that shows the ground, against its width

static bool sceneCanBreak(const brSceneModel* model)
{
	return model->breaking.method != br_breakNone || model->isCluster;
}

// The model's mesh with the looks of another material.
static brResult sceneRecolor(const brContext* context, const brMesh* mesh, const brSceneMaterial* material,
							 brMesh** outMesh, brReport* report)
{
	brResult result = brCopyMesh(context, mesh, outMesh, report);
	for (int32_t i = 0; i < mesh->materialCount && result >= 0; ++i)
	{
		(*outMesh)->materials[i] = material->look;
	}
	return result;
}

brResult brSceneWorld_Enter(const brContext* context, const brScene* scene, const brSceneBody* body, int32_t index,
							const brSceneMaterial* instead, brWorld* world, brBodyId* ids, brReport* report)
{
	const brSceneModel* model = &scene->models[body->model];
	instead = sceneCanBreak(model) && model->pieces == NULL ? instead : NULL; // ready pieces keep their looks
	brBodyDef def = brDefaultBodyDef();
	def.kind = body->kind;
	def.shape = model->shape;
	def.pose = body->pose;
	def.velocity = body->velocity;
	def.spin = body->spin;
	// A box or a ball is not quite the mesh: the mass is the mesh's.
	def.mass = body->mass > 0.0 ? body->mass : model->mass > 0.0 ? model->mass : 0.0;
	def.linearDamping = body->linearDamping;
	def.angularDamping = body->angularDamping;
	def.gravityScale = body->gravityScale;
	def.userData = (uint64_t)index + 1;
	// Copies of one entry are as strong as chance has it, each on its own.
	brBreakDef breaking = model->breaking;
	breaking.mesh = sceneCanBreak(model) ? model->mesh : NULL;
	breaking.seed = brHash64(brHash64(scene->seed + breaking.seed) + (uint64_t)index);
	brReport inner = {0};
	brMesh* recolored = NULL;
	if (instead != NULL)
	{
		brResult result = sceneRecolor(context, model->mesh, instead, &recolored, report);
		if (result < 0)
		{
			return result;
		}
		def.mass *= body->mass > 0.0 ? 1.0 : instead->physics.density / breaking.material.density;
		breaking.material = instead->physics;
		breaking.interior = instead->interior;
		breaking.mesh = recolored;
	}
	if (model->isCluster)
	{
		brClusterDef cluster = brDefaultClusterDef();
		cluster.breaking = breaking;
		cluster.pieces = model->pieces;
		cluster.bondStrength = model->bondStrength;
		cluster.clusterSize = model->clusterSize;
		cluster.levelCount = model->levelCount;
		cluster.levelStrength = model->levelStrength;
		cluster.anchors = &model->anchor;
		cluster.anchorCount = model->hasAnchor ? 1 : 0;
		ids[index] = brWorld_CreateCluster(world, &def, &cluster, &inner);
	}
	else
	{
		ids[index] = brWorld_CreateBreakable(world, &def, &breaking, &inner);
	}
	brDestroyMesh(recolored);
	if (ids[index].index1 == 0)
	{
		return brFail(report, inner.code < 0 ? inner.code : br_errorMisuse, "body %s: %s", body->name, inner.text);
	}
	return br_success;
}

static brResult sceneMakeGround(const brContext* context, const brScene* scene, brWorld* world, brBodyId* outGround,
								brReport* report)
{
	brShapeDef plane = brDefaultShapeDef(br_shapeHalfSpace);
	plane.offset = scene->groundHeight;
	brShape* shape = NULL;
	brResult result = brCreateShape(context, &plane, &shape, report);
	if (result < 0)
	{
		return result;
	}
	brBodyDef def = brDefaultBodyDef();
	def.kind = br_bodyStatic;
	def.shape = shape;
	brBreakDef breaking = brDefaultBreakDef();
	breaking.method = br_breakNone;
	breaking.material = scene->groundMaterial;
	*outGround = brWorld_CreateBreakable(world, &def, &breaking, report);
	brDestroyShape(shape);
	return outGround->index1 != 0 ? br_success : br_errorMemory;
}

// A joint of the scene between bodies that are there.
static brJointId sceneMakeJoint(const brScene* scene, const brSceneJoint* joint, brBodyId ground, const brBodyId* ids,
								brWorld* world, brReport* report)
{
	brJointDef def = brDefaultJointDef();
	def.kind = joint->kind;
	def.bodyA = joint->bodies[0] < 0 ? ground : ids[joint->bodies[0]];
	def.bodyB = ids[joint->bodies[1]];
	def.anchor = joint->anchor;
	def.axis = joint->axis;
	def.breakForce = joint->breakForce;
	brReport inner = {0};
	brJointId id = brWorld_CreateJoint(world, &def, &inner);
	if (id.index1 == 0)
	{
		brFail(report, inner.code < 0 ? inner.code : br_errorMisuse, "joint of %s: %s",
			   scene->bodies[joint->bodies[1]].name, inner.text);
	}
	return id;
}

brResult brMakeSceneWorld(const brContext* context, const brScene* scene, const brSceneMaterial* instead,
						  brBodyId* outIds, brWorld** outWorld, brBodyId* outGround, brReport* report)
{
	brWorldDef def = brDefaultWorldDef();
	def.gravity = scene->gravity;
	def.substeps = scene->substeps;
	def.enableSleep = scene->enableSleep;
	def.maxBodies = scene->budget.bodies;
	def.maxContacts = scene->budget.contacts;
	brBreakBudget budget = brDefaultBreakBudget();
	budget.piecesPerStep = scene->budget.piecesPerStep;
	budget.bodies = scene->budget.bodies;
	budget.secondsPerStep = scene->budget.secondsPerStep;
	budget.dustSize = scene->budget.dustSize;
	budget.dustTime = scene->budget.dustTime;
	brResult result = brCreateWorld(context, &def, outWorld, report);
	result = result < 0 ? result : brWorld_SetBreakBudget(*outWorld, &budget, report);
	*outGround = (brBodyId){0, 0};
	if (result >= 0 && scene->hasGround)
	{
		result = sceneMakeGround(context, scene, *outWorld, outGround, report);
	}
	for (int32_t i = 0; i < scene->bodyCount && result >= 0; ++i)
	{
		outIds[i] = (brBodyId){0, 0};
		if (!(scene->bodies[i].time > 0.0))
		{
			result = brSceneWorld_Enter(context, scene, &scene->bodies[i], i, instead, *outWorld, outIds, report);
		}
	}
	for (int32_t i = 0; i < scene->jointCount && result >= 0; ++i)
	{
		brReport inner = {0};
		brJointId id = sceneMakeJoint(scene, &scene->joints[i], *outGround, outIds, *outWorld, &inner);
		result = id.index1 != 0 ? br_success : brFail(report, inner.code, "%s", inner.text);
	}
	return result;
}

// Faster by the push's share at their centers: all of it at the point, none at the radius.
static brResult scenePush(const brContext* context, const brSceneEvent* event, brWorld* world, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	int32_t count = brWorld_GetBodyCount(world);
	brBodyState* states = BR_ALLOC(&allocator, brBodyState, count);
	if (states == NULL)
	{
		return brFailMemory(report);
	}
	brWorld_GetStates(world, states, count);
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 away = brDSub(states[i].center, event->vector);
		double distance = brDLength(away);
		if (states[i].kind != br_bodyDynamic || !(distance < event->radius))
		{
			continue;
		}
		brDVec3 change = event->spin;
		if (distance > 0.0)
		{
			change = brDAdd(change, brDMul(event->speed / distance, away));
		}
		change = brDMul(1.0 - distance / event->radius, change);
		brWorld_SetVelocity(world, states[i].id, brDAdd(states[i].velocity, change), states[i].spin);
	}
	BR_FREE(&allocator, states, count);
	return br_success;
}

brResult brSceneWorld_Event(const brContext* context, const brScene* scene, int32_t index,
							const brSceneMaterial* instead, brWorld* world, brBodyId* ids, brReport* report)
{
	const brSceneEvent* event = &scene->events[index];
	brBodyId none = {0, 0};
	brBodyId id = event->body >= 0 ? ids[event->body] : none;
	switch (event->kind)
	{
		case br_sceneEventEnter:
			return brSceneWorld_Enter(context, scene, &scene->bodies[event->body], event->body, instead, world, ids,
									  report);
		case br_sceneEventRemove:
			brWorld_DestroyBody(world, id); // one that broke before is gone already
			return br_success;
		case br_sceneEventVelocity:
			brWorld_SetVelocity(world, id, event->vector, event->spin);
			return br_success;
		case br_sceneEventGravity:
			brWorld_SetGravity(world, event->vector);
			return br_success;
		case br_sceneEventPush:
			return scenePush(context, event, world, report);
	}
	return br_success;
}

brResult brMakeGroundSlab(const brContext* context, const brScene* scene, brMesh** outMesh, brTransform* outPose,
						  brReport* report)
{
	brDBox3 box = brMakeDBox3Empty();
	for (int32_t i = 0; i < scene->bodyCount; ++i)
	{
		box = brDBox3_Include(box, scene->bodies[i].pose.p);
	}
	brDVec3 middle = brDLerp(box.lower, box.upper, 0.5), extent = brDSub(box.upper, box.lower);
	double size = scene->groundSize > 0.0 ? scene->groundSize : 3.0 * fmax(fmax(extent.x, extent.y), extent.z) + 2.0;
	size = fmin(size, 1000.0);
	brModelDef def = brDefaultModelDef("box");
	brModelDef_SetParameter(&def, "width", size);
	brModelDef_SetParameter(&def, "depth", size);
	brModelDef_SetParameter(&def, "height", SCENE_SLAB * size);
	brResult result = brMakeModel(context, &def, outMesh, report);
	if (result < 0)
	{
		return result;
	}
	brMesh* mesh = *outMesh;
	for (int32_t i = 0; i < mesh->materialCount; ++i)
	{
		snprintf(mesh->materials[i].name, sizeof(mesh->materials[i].name), "ground");
		mesh->materials[i].baseColor = scene->groundColor;
		mesh->materials[i].roughness = 0.9f;
	}
	*outPose = brMakeTransformIdentity();
	outPose->p = brMakeDVec3(middle.x, middle.y, scene->groundHeight - SCENE_SLAB * size);
	return br_success;
}
