// SPDX-License-Identifier: MIT
#pragma once

/// @file scene.h
/// Scene files: what is there, how it moves, when something happens, where the camera stands.
///
///     brScene* scene;
///     brReport report = {0};
///     if (brLoadScene(NULL, "scenes/wine_glass.yaml", NULL, &scene, &report) < 0) puts(report.text);
///     printf("%d bodies for %g s\n", scene->bodyCount, scene->duration);
///     brDestroyScene(scene);
///
/// docs/scene.md is the schema. Loading does everything that can be refused: it reads includes and mesh files, makes
/// models and shapes, unfolds repeats. brCreateRun in run.h puts the result into a world. A scene is constant once
/// loaded.
///
/// Scenes have z up. JSON is YAML too. glTF files (.glb, .gltf) with KHR_physics_rigid_bodies are scenes as well.

#include "brittle/break.h"

/// A solid that bodies are copies of.
typedef struct brSceneModel
{
	char name[64];
	brMesh* mesh;   ///< In the body's axes, scaled, with its looks. Owned.
	brShape* shape; ///< What bodies collide as. Owned. Null: the world makes it from the mesh.
	brDVec3 origin; ///< Where the origin of the mesh file or built-in model lies in the body's axes. [m]
	double mass;    ///< By the mesh and the material's density. [kg]
	/// Material and how it breaks; its mesh is null here, its maps are owned.
	brBreakDef breaking;
	bool isCluster;                  ///< Bodies are clusters held together by bonds.
	bool isReady;                    ///< The mesh file already holds the pieces of the cluster, a group or node each.
	brShatter* pieces;               ///< These pieces. Owned. Null: the mesh is cut into pieces.
	double bondStrength;             ///< Factor on the tensile strength. [1]
	int32_t clusterSize, levelCount; ///< As in brClusterDef, and the next one.
	double levelStrength;
	bool hasAnchor; ///< Pieces of the cluster with their middle in this box, in the body's axes, do not move.
	brDBox3 anchor;
} brSceneModel;

/// One body.
typedef struct brSceneBody
{
	char name[64];
	int32_t entry; ///< Which entry of the file it comes from; copies made by `repeat` share it.
	int32_t model; ///< Into models.
	brBodyKind kind;
	brTransform pose;                     ///< Of the model's mesh. [m]
	brDVec3 velocity;                     ///< [m/s]
	brDVec3 spin;                         ///< [rad/s]
	double mass;                          ///< > 0, or 0: by the density. [kg]
	double linearDamping, angularDamping; ///< As in brBodyDef. [1/s]
	double gravityScale;                  ///< Factor on gravity. [1]
	double time;                          ///< When the body enters the world. 0: at the start. [s]
} brSceneBody;

/// A joint between two bodies.
typedef struct brSceneJoint
{
	brJointKind kind;
	int32_t bodies[2]; ///< Into bodies; the first may be -1: the world.
	brDVec3 anchor;    ///< The point that is held, in the world. [m]
	brDVec3 axis;      ///< Of a hinge: a unit vector.
	double breakForce; ///< The joint breaks above it. [N]
} brSceneJoint;

/// What happens at a given time.
typedef enum brSceneEventKind
{
	br_sceneEventEnter = 0,    ///< The body enters the world.
	br_sceneEventRemove = 1,   ///< The body is removed.
	br_sceneEventVelocity = 2, ///< The body gets the velocity `vector` and the angular velocity `spin`.
	br_sceneEventGravity = 3,  ///< Gravity becomes `vector`.
	/// All dynamic bodies with their center within `radius` of the point `vector` get faster: by `speed` away from it
	/// and by `spin`, a velocity here, both falling to nothing at the radius.
	br_sceneEventPush = 4,
} brSceneEventKind;

typedef struct brSceneEvent
{
	brSceneEventKind kind;
	double time;  ///< [s]
	int32_t body; ///< Or -1.
	brDVec3 vector, spin;
	double radius, speed; ///< Of a push. [m, m/s]
} brSceneEvent;

/// How pictures are taken.
typedef struct brSceneCamera
{
	double azimuth, elevation, fieldOfView; ///< As in brRenderDef. [rad]
	double zoom;                            ///< As in brRenderDef. [1]
	brDBox3 frame; ///< Pictures show at least this box. Empty: they are framed by what happens. [m]
	bool isExact;  ///< Pictures show exactly this box, even if something happens outside of it.
} brSceneCamera;

/// Limits of a run; 0: none.
typedef struct brSceneBudget
{
	int32_t bodies, contacts;  ///< As brBreakBudget.bodies and brWorldDef.maxContacts.
	int32_t piecesPerStep;     ///< As in brBreakBudget.
	double secondsPerStep;     ///< For breaking, by estimate. [s]
	double dustSize, dustTime; ///< Smaller pieces go after that time. [m, s]
} brSceneBudget;

/// What a run writes, unless the command line says otherwise.
typedef struct brSceneOutput
{
	bool glb, usda, brec, csv, poster, sheet, frames, video;
	double posterTime;                 ///< Moment of the poster. Below 0: the middle of the scene. [s]
	int32_t posterWidth, posterHeight; ///< [px]
	int32_t samples;                   ///< Rays per pixel.
	int32_t sheetColumns, sheetRows;   ///< Key frames of the contact sheet.
	double sheetFrom, sheetTo;         ///< Times of the first and the last; sheetTo below 0: the end. [s]
	int32_t videoWidth, videoHeight;   ///< [px]
} brSceneOutput;

typedef struct brScene
{
	char title[128];
	brDVec3 gravity;       ///< [m/s^2]
	double duration;       ///< [s]
	double frameRate;      ///< [1/s]
	int32_t stepsPerFrame; ///< Steps of the world in one frame.
	int32_t substeps;      ///< Of the solver in one step.
	uint64_t seed;
	bool enableSleep;
	brSceneBudget budget;

	bool hasGround;
	double groundHeight; ///< [m]
	brMaterial groundMaterial;
	brVec4 groundColor; ///< Linear RGBA.
	double groundSize;  ///< Of what files show of it; 0: by the bodies. [m]

	int32_t modelCount, bodyCount, jointCount, eventCount;
	brSceneModel* models; ///< [modelCount]
	brSceneBody* bodies;  ///< [bodyCount] in the order of the file.
	brSceneJoint* joints; ///< [jointCount]
	brSceneEvent* events; ///< [eventCount] rising by time, those of one time in the order of the file.
	brSceneCamera camera;
	brSceneOutput output;
	uint64_t hash; ///< Of everything above that decides what happens.
	brAllocator allocator;
} brScene;

#define BR_SCENE_MAX_BODIES 100000

/// Changes to a scene file before it is read: "path=value" each, as in --set of `brittle run`.
typedef struct brSceneChanges
{
	int32_t count;
	const char* const* items; ///< [count] "models.glass.res=48", "bodies.0.velocity=[1, 0, 0]"
} brSceneChanges;

/// Reads a scene file: .yaml, .yml, .glb or .gltf. Mesh files and includes are looked for beside the file that names
/// them. `context`, `changes` and `report` may be null.
BR_API brResult brLoadScene(const brContext* context, const char* path, const brSceneChanges* changes,
							brScene** outScene, brReport* report);

/// Same, YAML from memory. `name` is used in messages and to find files beside it; null: there are none.
BR_API brResult brReadScene(const brContext* context, const void* bytes, size_t byteCount, const char* name,
							const brSceneChanges* changes, brScene** outScene, brReport* report);

/// Frees `scene`, which may be null.
BR_API void brDestroyScene(brScene* scene);
