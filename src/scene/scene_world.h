// SPDX-License-Identifier: MIT
#pragma once

// A scene's bodies in a world: what a run and a live world have in common.

#include "brittle/scene.h"

#include "scene/scene_reader.h"

/// A world with the ground, the bodies that are there from the start, and the joints. `outIds` [scene->bodyCount] gets
/// the bodies, none for those that enter later; `outGround` none if there is no ground. `instead` may be null: else
/// everything that can break is made of it. The caller destroys the world, on failure too if there is one.
brResult brMakeSceneWorld(const brContext* context, const brScene* scene, const brSceneMaterial* instead,
						  brBodyId* outIds, brWorld** outWorld, brBodyId* outGround, brReport* report);

/// Puts one body of the scene into the world and its id into `ids`; `pose` and the velocities may differ from the
/// scene's.
brResult brSceneWorld_Enter(const brContext* context, const brScene* scene, const brSceneBody* body, int32_t index,
							const brSceneMaterial* instead, brWorld* world, brBodyId* ids, brReport* report);

/// Lets one event of the scene happen.
brResult brSceneWorld_Event(const brContext* context, const brScene* scene, int32_t event,
							const brSceneMaterial* instead, brWorld* world, brBodyId* ids, brReport* report);

/// A slab of the scene's size whose top is the ground, to look at.
brResult brMakeGroundSlab(const brContext* context, const brScene* scene, brMesh** outMesh, brTransform* outPose,
						  brReport* report);
