// SPDX-License-Identifier: MIT
#pragma once

// A scene while it is read: the document, what its names stand for so far, and the arrays that become a brScene.
//
//     file -> document -> includes first -> materials, models (by name) -> bodies -> joints, events -> brScene

#include "brittle/io.h"
#include "brittle/models.h"
#include "brittle/scene.h"

#include "scene/document.h"

/// What a body is made of, and what that looks like.
typedef struct brSceneMaterial
{
	brMaterial physics; // its name is the material's
	bool isTough;       // never breaks, whatever a body asks for
	brSurfaceMaterial look;
	brSurfaceMaterial interior;
} brSceneMaterial;

typedef struct brSceneName
{
	const char* name;
	const brDocNode* node;
	const char* folder; // of the file that it is in, with the slash, or ""
} brSceneName;

typedef struct brSceneEntry
{
	const char* name;
	const brDocNode* node;
	int32_t firstBody, bodyCount;
} brSceneEntry;

/// Events that name bodies wait until all bodies are known.
typedef struct brSceneLater
{
	const brDocNode* node;
	const char* folder;
} brSceneLater;

#define BR_SCENE_MAX_INCLUDES 16
#define BR_SCENE_MAX_EVENTS 100000

typedef struct brSceneReader
{
	const brContext* context;
	brAllocator allocator;
	brReport* report;
	brDocument document;
	brScene* scene;
	bool hasFiles;      // there is a place to look for files
	const char* folder; // of the file being read

	const char* open[BR_SCENE_MAX_INCLUDES]; // real paths of the files being read, outermost first
	int32_t openCount;
	int32_t fileCount;
	int32_t changeCount;
	const char* const* changes;

	BR_ARRAY(brSceneMaterial) materials; // later ones hide earlier ones of the same name
	BR_ARRAY(brSceneName) modelNames;
	BR_ARRAY(brSceneEntry) entries;
	BR_ARRAY(brSceneLater) joints;
	BR_ARRAY(brSceneLater) laters;

	BR_ARRAY(brSceneModel) models;
	BR_ARRAY(brSceneBody) bodies;
	BR_ARRAY(brSceneJoint) jointList;
	BR_ARRAY(brSceneEvent) events;
} brSceneReader;

/// "file:line: sentence".
#define sceneFail(reader, node, ...) brDoc_Fail(&(reader)->document, (node), (reader)->report, __VA_ARGS__)

/// A scalar that is a word, as the value of `key`.
brResult brSceneReader_Word(brSceneReader* reader, const brDocNode* node, const char* key, const char** outWord);

/// "#rrggbb" or three numbers from 0 to 1, to linear values.
brResult brSceneReader_Color(brSceneReader* reader, const brDocNode* node, const char* key, brVec4* outColor);

/// A path in the file, as one to open: absolute or beside the file that names it. Null without memory.
const char* brSceneReader_Path(brSceneReader* reader, const char* path);

/// The `materials` map: each becomes known by its name.
brResult brSceneReader_Materials(brSceneReader* reader, const brDocNode* map);

/// By name, or a map of values.
brResult brSceneReader_Material(brSceneReader* reader, const brDocNode* node, brSceneMaterial* outMaterial);

/// A preset with its looks, by name. False if there is none.
bool brSceneMaterial_Find(const char* name, brSceneMaterial* outMaterial);

/// Steel, which nothing in a scene breaks.
brSceneMaterial brDefaultSceneMaterial(void);

/// One number for all axes or three; multiplied onto what is there.
brResult brSceneReader_Scale(brSceneReader* reader, const brDocNode* node, brDVec3* outScale);

/// [x, y, z] in degrees about the fixed axes, x first; or {axis: [...], degrees: a}.
brResult brSceneReader_Rotation(brSceneReader* reader, const brDocNode* node, brQuat* outRotation);

/// The `models` map: remembered, read when a body asks.
brResult brSceneReader_Models(brSceneReader* reader, const brDocNode* map);

typedef enum brSceneShape
{
	br_sceneShapeAuto = 0,
	br_sceneShapeBox,
	br_sceneShapeSphere,
	br_sceneShapeHull,
	br_sceneShapeMesh,
	br_sceneShapeSurface,
} brSceneShape;

/// What is known of a body before its entry is read: defaults in YAML, a node with its physics in glTF.
typedef struct brSceneGiven
{
	const char* name; // or null
	brMesh* mesh;     // taken over by the model, or null: the entry names a model
	brSceneShape shape;
	brBodyKind kind;
	brTransform pose;
	brDVec3 velocity, spin;
	double mass, gravityScale, time;
	bool hasContact; // friction and restitution replace the material's
	double friction, restitution;
	bool isBare; // what looks the mesh has are not its own
} brSceneGiven;

/// What a body entry asks of its model.
typedef struct brSceneModelDef
{
	brSceneGiven* given;
	const brDocNode* model;
	const brDocNode* color;
	const brDocNode* fracture;
	brSceneMaterial material;
	brSceneShape shape;
	bool isStatic;
	brDVec3 scale;
	brMesh** outMesh; // null, or takes the mesh as it is placed, and no model is made
} brSceneModelDef;

/// Which parameter of a built-in model a key names.
brResult brSceneReader_ModelParameter(brSceneReader* reader, const brDocNode* key, const brModelInfo* model,
									  int32_t* outIndex);

/// Makes the mesh and the shape and appends them to the models.
brResult brSceneReader_Model(brSceneReader* reader, const brDocNode* place, const brSceneModelDef* def,
							 int32_t* outModel);

/// How its bodies break: a word or a map, or null for not at all. Boxes are left in the model's own axes.
brResult brSceneReader_Fracture(brSceneReader* reader, const brDocNode* node, const brSceneMaterial* material,
								brSceneModel* model);

void brSceneModel_FreeMaps(brSceneModel* model);

/// Lays the strength map over the mesh, which is there now: pictures over its box, voxels by the way of the origin.
void brSceneModel_PlaceMaps(brSceneModel* model);

/// One entry of `bodies`, with its copies. `time` is when it enters.
brResult brSceneReader_Body(brSceneReader* reader, const brDocNode* node, double time);

/// The same with other defaults; the mesh of `given` is taken over or destroyed, whatever the result.
brResult brSceneReader_GivenBody(brSceneReader* reader, const brDocNode* node, brSceneGiven* given);

/// Everything in one file, after what it includes.
brResult brSceneReader_Root(brSceneReader* reader, const brDocNode* root);

/// "path=value" onto a document.
brResult brSceneReader_Change(brSceneReader* reader, brDocNode* root, const char* change);

/// Values of the top of a scene.
brResult brSceneReader_Gravity(brSceneReader* reader, const brDocNode* node, brDVec3* outGravity);
brResult brSceneReader_Ground(brSceneReader* reader, const brDocNode* node);
brResult brSceneReader_Budget(brSceneReader* reader, const brDocNode* node);
brResult brSceneReader_Camera(brSceneReader* reader, const brDocNode* node);
brResult brSceneReader_Output(brSceneReader* reader, const brDocNode* node);

/// [[x, y, z], [x, y, z]], any two opposite corners.
brResult brSceneReader_Box(brSceneReader* reader, const brDocNode* node, const char* key, brDBox3* outBox);

/// An event as it stands in the file.
typedef struct brSceneEventInput
{
	double time;
	const brDocNode* throwBody;
	const brDocNode* remove;
	const brDocNode* gravity;
	const brDocNode* set;
	const brDocNode* push;
	brDVec3 velocity, spin;
} brSceneEventInput;

brResult brSceneReader_EventInput(brSceneReader* reader, const brDocNode* node, brSceneEventInput* input);

/// Joints and events, after all bodies.
brResult brSceneReader_Joint(brSceneReader* reader, const brDocNode* node);
brResult brSceneReader_Event(brSceneReader* reader, const brDocNode* node);

/// Tells the context's log what looks wrong in a scene that can be played all the same. False without memory.
bool brScene_Warn(const brContext* context, const brScene* scene);
