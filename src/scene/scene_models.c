// SPDX-License-Identifier: MIT

// Models of a scene: meshes from makers and files, scaled and colored, and the shapes they collide with.

#include "scene/scene_reader.h"

#include "base/report.h"
#include "brittle/cut.h"
#include "brittle/io.h"
#include "brittle/mend.h"

#include <stdio.h>
#include <string.h>

#define MODEL_HULL_DIRECTIONS 60 // so many corners make at most 116 faces
#define MODEL_FRESH 0.25f        // of the way to white, by which broken faces are lighter than a file of one color

brResult brSceneReader_Models(brSceneReader* reader, const brDocNode* map)
{
	if (map->kind != br_docMap)
	{
		return sceneFail(reader, map, "models is a map of names and models");
	}
	for (int32_t i = 0; i < map->count; ++i)
	{
		brSceneName name = {map->children[2 * i]->text, map->children[2 * i + 1], reader->folder};
		if (!BR_PUSH(&reader->allocator, &reader->modelNames, name))
		{
			return brFailMemory(reader->report);
		}
	}
	return br_success;
}

typedef struct ModelInput
{
	const char* make;
	const char* file;
	const brDocNode* with;
	const brDocNode* scale;
	int32_t resolution;
	uint64_t seed;
	const brDocNode* center;
	double size;               // longest side, 0: as it is [m]
	int32_t up;                // 0: as the file has it, 1: z, 2: y
	int32_t unit;              // of modelUnits; 0: as the file has it
	int32_t repair;            // 0: what is no solid is mended, 1: refused
	double thicken;            // open surfaces become walls of this thickness, 0: they do not [m]
	const brDocNode* parts;    // models of which it is the union
	const brDocNode* rotation; // of a part
	brDVec3 position;          // of a part [m]
} ModelInput;

static const char* const modelUnits[] = {"auto", "m", "cm", "mm", "inch", "foot", NULL};
static const double modelUnitLengths[] = {0.0, 1.0, 0.01, 0.001, 0.0254, 0.3048};

static brResult modelReadMap(brSceneReader* reader, const brDocNode* node, ModelInput* input)
{
	static const char* const ups[] = {"auto", "z", "y", NULL};
	static const char* const repairs[] = {"auto", "never", NULL};
	static const brField fields[] = {
		{"make", br_fieldText, offsetof(ModelInput, make), 0, 0, false, NULL},
		{"file", br_fieldText, offsetof(ModelInput, file), 0, 0, false, NULL},
		{"with", br_fieldNode, offsetof(ModelInput, with), 0, 0, false, NULL},
		{"res", br_fieldInteger, offsetof(ModelInput, resolution), 0, 100000, false, NULL},
		{"seed", br_fieldSeed, offsetof(ModelInput, seed), 0, 9e15, false, NULL},
		{"scale", br_fieldNode, offsetof(ModelInput, scale), 0, 0, false, NULL},
		{"up", br_fieldChoice, offsetof(ModelInput, up), 0, 0, false, ups},
		{"unit", br_fieldChoice, offsetof(ModelInput, unit), 0, 0, false, modelUnits},
		{"size", br_fieldNumber, offsetof(ModelInput, size), 1e-6, 1e6, false, NULL},
		{"center", br_fieldNode, offsetof(ModelInput, center), 0, 0, false, NULL},
		{"repair", br_fieldChoice, offsetof(ModelInput, repair), 0, 0, false, repairs},
		{"thicken", br_fieldNumber, offsetof(ModelInput, thicken), 0, 1e6, false, NULL},
		{"parts", br_fieldNode, offsetof(ModelInput, parts), 0, 0, false, NULL},
		{"position", br_fieldVector, offsetof(ModelInput, position), 0, 0, false, NULL},
		{"rotation", br_fieldNode, offsetof(ModelInput, rotation), 0, 0, false, NULL},
	};
	brResult result = BR_READ_MAP(reader, node, "a model", fields, input);
	if (result >= 0 && (input->make != NULL) + (input->file != NULL) + (input->parts != NULL) != 1)
	{
		return sceneFail(reader, node,
						 "a model has one of make (a built-in model), file (a mesh) and parts (a list of models)");
	}
	return result;
}

static const brModelInfo* modelInfo(const char* name)
{
	for (int32_t i = 0; i < brGetModelCount(); ++i)
	{
		if (strcmp(brGetModelInfo(i)->name, name) == 0)
		{
			return brGetModelInfo(i);
		}
	}
	return NULL;
}

static brResult modelFailName(brSceneReader* reader, const brDocNode* node, const char* name)
{
	const char* names[64];
	int32_t count = 0;
	for (int32_t i = 0; i < reader->modelNames.count && count < 32; ++i)
	{
		names[count++] = reader->modelNames.data[i].name;
	}
	for (int32_t i = 0; i < brGetModelCount() && count < 64; ++i)
	{
		names[count++] = brGetModelInfo(i)->name;
	}
	return sceneFail(reader, node, "there is no model '%.60s'%s", name,
					 brDoc_Advise(name, names, count, "there are").text);
}

brResult brSceneReader_ModelParameter(brSceneReader* reader, const brDocNode* key, const brModelInfo* model,
									  int32_t* outIndex)
{
	const char* names[BR_MODEL_MAX_PARAMETERS];
	for (int32_t i = 0; i < model->parameterCount; ++i)
	{
		names[i] = model->parameters[i].name;
		if (strcmp(names[i], key->text) == 0)
		{
			*outIndex = i;
			return br_success;
		}
	}
	return sceneFail(reader, key, "the model %s has no parameter '%.60s'%s", model->name, key->text,
					 brDoc_Advise(key->text, names, model->parameterCount, "it has").text);
}

static brResult modelMake(brSceneReader* reader, const brDocNode* place, const ModelInput* input, brMesh** outMesh)
{
	const brModelInfo* info = modelInfo(input->make);
	if (info == NULL)
	{
		return modelFailName(reader, place, input->make);
	}
	brModelDef def = brDefaultModelDef(input->make);
	def.resolution = input->resolution;
	def.seed = input->seed;
	if (input->with != NULL && input->with->kind != br_docMap)
	{
		return sceneFail(reader, input->with, "with is a map of the model's parameters");
	}
	for (int32_t i = 0; input->with != NULL && i < input->with->count; ++i)
	{
		const brDocNode *key = input->with->children[2 * i], *value = input->with->children[2 * i + 1];
		int32_t found;
		brResult result = brSceneReader_ModelParameter(reader, key, info, &found);
		if (result < 0)
		{
			return result;
		}
		const brModelParameter* parameter = &info->parameters[found];
		double number;
		if (!brDoc_IsNumber(value, &number) || !brModelDef_SetParameter(&def, key->text, number))
		{
			return sceneFail(reader, value, "%s of %s is a number from %g to %g", key->text, info->name,
							 parameter->lower, parameter->upper);
		}
	}
	brReport inner = {0};
	brResult result = brMakeModel(reader->context, &def, outMesh, &inner);
	if (result < 0)
	{
		sceneFail(reader, place, "%s", inner.text);
	}
	return result;
}

static brResult modelLoad(brSceneReader* reader, const brDocNode* place, const ModelInput* input, brMesh** outMesh,
						  brMeshFrame* outFrame)
{
	if (!reader->hasFiles)
	{
		return sceneFail(reader, place, "a scene from memory has no mesh files");
	}
	const char* path = brSceneReader_Path(reader, input->file);
	if (path == NULL)
	{
		return brFailMemory(reader->report);
	}
	brReport inner = {0};
	brResult result = brLoadMesh(reader->context, path, outMesh, &inner);
	if (result < 0)
	{
		sceneFail(reader, place, "%s", inner.text);
		return result;
	}
	if ((*outMesh)->faceCount == 0)
	{
		brDestroyMesh(*outMesh);
		*outMesh = NULL;
		return sceneFail(reader, place, "%s holds no faces", input->file);
	}
	*outFrame = brGuessMeshFrame(path, *outMesh);
	return br_success;
}

// Length of one unit of the file. [m]
static double modelUnit(const ModelInput* input, const brMeshFrame* frame, brDVec3 scale, const brMesh* mesh)
{
	if (input->size > 0.0)
	{
		brDBox3 box = brMesh_ComputeBounds(mesh);
		brDVec3 extent = brDSub(box.upper, box.lower);
		return input->size / fmax(extent.x, fmax(extent.y, extent.z));
	}
	if (input->unit > 0)
	{
		return modelUnitLengths[input->unit] * scale.x;
	}
	return input->scale != NULL ? scale.x : frame->unit * scale.x;
}

// A mesh from a file as a solid; what was done is told. Static bodies may be any surface.
static brResult modelMend(brSceneReader* reader, const brDocNode* place, const ModelInput* input, double unit,
						  brMesh** mesh)
{
	brMesh* mended = NULL;
	brMendInfo info;
	brReport inner = {0};
	brMendDef def = brDefaultMendDef();
	def.thickness = unit > 0.0 ? input->thicken / unit : 0.0;
	brResult result = brMendMesh(reader->context, *mesh, &def, &mended, &info, &inner);
	if (result >= 0 && info.isChanged && input->repair == 1)
	{
		brDestroyMesh(mended);
		return sceneFail(reader, place, "%.100s is no clean solid (brittle check tells why)", input->file);
	}
	if (result < 0)
	{
		sceneFail(reader, place, "%.100s: %s", input->file, inner.text);
		return result;
	}
	if (info.isChanged)
	{
		brLog(reader->context, br_logWarning, "%s was mended: %s", input->file, info.summary);
	}
	brDestroyMesh(*mesh);
	*mesh = mended;
	return br_success;
}

// Axes and unit: as the scene says, as the format says, or guessed, which is told.
static void modelApplyFrame(const brSceneReader* reader, const ModelInput* input, const brMeshFrame* frame,
							brDVec3* scale, bool* outIsYUp)
{
	bool guessesUp = input->up == 0 && !frame->isStated;
	bool isSized = input->scale != NULL || input->size > 0.0 || input->unit > 0;
	double unit = input->unit > 0 ? modelUnitLengths[input->unit] : isSized ? 1.0 : frame->unit;
	*outIsYUp = input->up == 2 || (input->up == 0 && frame->isYUp);
	*scale = brDMul(unit, *scale);
	if (guessesUp || (!isSized && unit != 1.0))
	{
		brLog(reader->context, br_logWarning, "%s is taken as %s-up%s (%s); up: and unit: say otherwise", input->file,
			  *outIsYUp ? "y" : "z",
			  isSized        ? ""
			  : unit == 1.0  ? " in metres"
			  : unit == 0.01 ? " in centimetres"
							 : " in millimetres",
			  frame->reason);
	}
}

// Fits the longest side, and moves the middle or the middle of the base to the origin.
static brResult modelPlace(brSceneReader* reader, const ModelInput* input, brMesh* mesh)
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 extent = brDSub(box.upper, box.lower);
	if (input->size > 0.0)
	{
		double factor = input->size / fmax(extent.x, fmax(extent.y, extent.z));
		brAffine fit = brMakeAffineIdentity();
		fit.m.cx.x = fit.m.cy.y = fit.m.cz.z = factor;
		brMesh_Transform(mesh, &fit);
		box = brMesh_ComputeBounds(mesh);
	}
	if (input->center == NULL)
	{
		return br_success;
	}
	const char* word = input->center->kind == br_docScalar ? input->center->text : "";
	bool isBase = strcmp(word, "base") == 0;
	if (!isBase && strcmp(word, "true") != 0 && strcmp(word, "false") != 0)
	{
		return sceneFail(reader, input->center, "center is true, false or base");
	}
	if (strcmp(word, "false") != 0)
	{
		brAffine move = brMakeAffineIdentity();
		move.p = brDMul(-0.5, brDAdd(box.lower, box.upper));
		move.p.z = isBase ? -box.lower.z : move.p.z;
		brMesh_Transform(mesh, &move);
	}
	return br_success;
}

// One number for all axes or three.
brResult brSceneReader_Scale(brSceneReader* reader, const brDocNode* node, brDVec3* outScale)
{
	double one;
	brDVec3 scale = {1.0, 1.0, 1.0};
	brResult result = br_success;
	if (brDoc_IsNumber(node, &one))
	{
		scale = brMakeDVec3(one, one, one);
	}
	else
	{
		result = brDoc_ReadVector(&reader->document, node, "scale", &scale, reader->report);
	}
	bool isGood =
		scale.x >= 1e-6 && scale.y >= 1e-6 && scale.z >= 1e-6 && scale.x <= 1e6 && scale.y <= 1e6 && scale.z <= 1e6;
	if (result >= 0 && !isGood)
	{
		return sceneFail(reader, node, "scale is one number or three, from 1e-6 to 1e6");
	}
	*outScale = brMakeDVec3(outScale->x * scale.x, outScale->y * scale.y, outScale->z * scale.z);
	return result;
}

// Fewer points with nearly the same hull: the farthest in each of some directions spread over the sphere.
static int32_t modelHullPoints(const brMesh* mesh, brDVec3* outPoints)
{
	int32_t count = 0;
	for (int32_t i = 0; i < MODEL_HULL_DIRECTIONS; ++i)
	{
		double z = 1.0 - (2.0 * i + 1.0) / MODEL_HULL_DIRECTIONS, r = sqrt(1.0 - z * z);
		double angle = 2.399963229728653 * i; // the golden angle
		brDVec3 direction = {r * brCos(angle), r * brSin(angle), z};
		double farthest = -INFINITY;
		brDVec3 point = {0.0, 0.0, 0.0};
		for (int32_t c = 0; c < mesh->cornerCount; ++c)
		{
			brDVec3 p = mesh->positions[mesh->corners[c]];
			double distance = brDDot(p, direction);
			if (distance > farthest)
			{
				farthest = distance;
				point = p;
			}
		}
		bool isNew = true;
		for (int32_t k = 0; k < count && isNew; ++k)
		{
			isNew = memcmp(&outPoints[k], &point, sizeof(point)) != 0;
		}
		if (isNew)
		{
			outPoints[count++] = point;
		}
	}
	return count;
}

static brSceneShape modelAutoShape(const ModelInput* input, brDVec3 scale)
{
	const char* make = input->make != NULL ? input->make : "";
	bool isEven = scale.x == scale.y && scale.y == scale.z;
	if (strcmp(make, "box") == 0 || strcmp(make, "brick") == 0 || strcmp(make, "pane") == 0)
	{
		return br_sceneShapeBox;
	}
	if (strcmp(make, "icosphere") == 0 && isEven)
	{
		return br_sceneShapeSphere;
	}
	return br_sceneShapeMesh; // also of a cylinder: a hull rolls on its facets
}

// Moves the mesh so that box and ball have their center at the origin, and makes the shape.
static brResult modelMakeShape(brSceneReader* reader, const brDocNode* place, brSceneShape kind, brSceneModel* model)
{
	static const brShapeKind kinds[] = {br_shapeMesh, br_shapeBox,  br_shapeSphere,
										br_shapeHull, br_shapeMesh, br_shapeSurface};
	brShapeDef def = brDefaultShapeDef(kinds[kind]);
	brDVec3 points[MODEL_HULL_DIRECTIONS];
	brMassProperties solid = brMesh_ComputeMass(model->mesh, 1.0);
	brDBox3 box = brMesh_ComputeBounds(model->mesh);
	if (kind == br_sceneShapeBox || kind == br_sceneShapeSphere)
	{
		brAffine move = brMakeAffineIdentity();
		move.p = brDMul(-0.5, brDAdd(box.lower, box.upper));
		brMesh_Transform(model->mesh, &move);
		model->origin = move.p;
		def.halfExtents = brDMul(0.5, brDSub(box.upper, box.lower));
		def.radius = fmax(def.halfExtents.x, fmax(def.halfExtents.y, def.halfExtents.z));
	}
	else if (kind == br_sceneShapeHull)
	{
		def.pointCount = modelHullPoints(model->mesh, points);
		def.points = points;
		def.solid = solid.volume > 0.0 ? &solid : NULL;
	}
	def.mesh = model->mesh;
	brReport inner = {0};
	brResult result = brCreateShape(reader->context, &def, &model->shape, &inner);
	if (result < 0)
	{
		sceneFail(reader, place, "%s", inner.text);
	}
	return result;
}

// One look for all faces: the material's, or the entry's own color. A file with looks of its own keeps them, and where
// it is of one plain color the inside is a lighter shade of it, as fresh breaks are, unless the scene has another for
// it.
static brResult modelSetLook(brSceneReader* reader, const brSceneModelDef* def, bool hasOwnLook, brSceneModel* model)
{
	brMesh* mesh = model->mesh;
	brSurfaceMaterial look = def->material.look;
	if (def->color != NULL)
	{
		brResult result = brSceneReader_Color(reader, def->color, "color", &look.baseColor);
		if (result < 0)
		{
			return result;
		}
		look.baseColor.w = def->material.look.baseColor.w;
	}
	bool keeps = hasOwnLook && def->color == NULL;
	for (int32_t i = 0; i < mesh->materialCount && !keeps; ++i)
	{
		mesh->materials[i] = look;
	}
	brVec4 *inside = &model->breaking.interior.baseColor, usual = def->material.interior.baseColor;
	bool isPlain = mesh->materialCount == 1 && mesh->materials[0].texture[0] == 0;
	if (keeps && isPlain && memcmp(inside, &usual, sizeof(usual)) == 0)
	{
		brVec4 own = mesh->materials[0].baseColor;
		*inside = (brVec4){own.x + MODEL_FRESH * (1.0f - own.x), own.y + MODEL_FRESH * (1.0f - own.y),
						   own.z + MODEL_FRESH * (1.0f - own.z), usual.w};
	}
	return br_success;
}

// A mesh without materials gets room for one.
static brResult modelAddLook(brSceneReader* reader, brMesh* mesh)
{
	if (mesh->materialCount > 0)
	{
		return br_success;
	}
	brSurfaceMaterial* look = BR_ALLOC(&mesh->allocator, brSurfaceMaterial, 1);
	int32_t* faceMaterials = BR_ALLOC_ZERO(&mesh->allocator, int32_t, mesh->faceCount);
	if (look == NULL || faceMaterials == NULL)
	{
		BR_FREE(&mesh->allocator, look, 1);
		BR_FREE(&mesh->allocator, faceMaterials, mesh->faceCount);
		return brFailMemory(reader->report);
	}
	*look = brDefaultSurfaceMaterial();
	BR_FREE(&mesh->allocator, mesh->faceMaterials, mesh->faceCount);
	mesh->materials = look, mesh->materialCount = 1;
	mesh->faceMaterials = faceMaterials;
	return br_success;
}

// A file of pieces: what they make together is the mesh.
static brResult modelGather(brSceneReader* reader, const brDocNode* place, double density, brSceneModel* model)
{
	brReport inner = {0};
	brMesh* whole = NULL;
	brResult result = brCreateShatterOfGroups(reader->context, model->mesh, density, &model->pieces, &inner);
	if (result >= 0)
	{
		result = brShatter_Join(model->pieces, reader->context, &whole, &inner);
	}
	if (result < 0)
	{
		sceneFail(reader, place, "%s", inner.text);
		return result;
	}
	if (model->pieces->bondCount == 0)
	{
		brDestroyMesh(whole);
		return sceneFail(reader, place,
						 "the pieces of the file share no faces corner by corner, so no bonds hold them");
	}
	brDestroyMesh(model->mesh);
	model->mesh = whole;
	return br_success;
}

// Axes, unit and scale.
static void modelStretch(const brSceneReader* reader, const ModelInput* input, const brMeshFrame* frame, brDVec3 scale,
						 brMesh* mesh)
{
	bool isYUp = false;
	modelApplyFrame(reader, input, frame, &scale, &isYUp);
	brAffine map = brMakeAffineIdentity();
	if (isYUp)
	{
		map.m.cy = brMakeDVec3(0.0, 0.0, 1.0), map.m.cz = brMakeDVec3(0.0, -1.0, 0.0);
	}
	brAffine stretch = brMakeAffineIdentity();
	stretch.m.cx.x = scale.x, stretch.m.cy.y = scale.y, stretch.m.cz.z = scale.z;
	map = brAffine_Mul(&stretch, &map);
	brMesh_Transform(mesh, &map);
}

// A part in the axes of its model.
static brResult modelPart(brSceneReader* reader, const brDocNode* node, brMesh** outMesh)
{
	ModelInput part;
	memset(&part, 0, sizeof(part));
	brDVec3 scale = {1.0, 1.0, 1.0};
	brMeshFrame frame = {.unit = 1.0, .isStated = true};
	brTransform pose = brMakeTransformIdentity();
	brResult result = modelReadMap(reader, node, &part);
	if (result >= 0 && part.parts != NULL)
	{
		return sceneFail(reader, node, "a part has no parts of its own");
	}
	result = result < 0 || part.scale == NULL ? result : brSceneReader_Scale(reader, part.scale, &scale);
	result = result < 0 || part.rotation == NULL ? result : brSceneReader_Rotation(reader, part.rotation, &pose.q);
	if (result < 0)
	{
		return result;
	}
	result =
		part.make != NULL ? modelMake(reader, node, &part, outMesh) : modelLoad(reader, node, &part, outMesh, &frame);
	if (result >= 0 && part.file != NULL)
	{
		result = modelMend(reader, node, &part, modelUnit(&part, &frame, scale, *outMesh), outMesh);
	}
	if (result < 0)
	{
		return result;
	}
	modelStretch(reader, &part, &frame, scale, *outMesh);
	pose.p = part.position;
	result = modelPlace(reader, &part, *outMesh);
	brAffine map = brMakeAffineFromTransform(pose);
	brMesh_Transform(*outMesh, &map);
	return result;
}

// A model of parts: what is inside any of them.
static brResult modelUnite(brSceneReader* reader, const ModelInput* input, brMesh** outMesh)
{
	const brDocNode* list = input->parts;
	if (list->kind != br_docList || list->count < 1)
	{
		return sceneFail(reader, list, "parts is a list of models, each with position and rotation if it has some");
	}
	brMesh** meshes = BR_ALLOC_ZERO(&reader->allocator, brMesh*, list->count);
	brResult result = meshes != NULL ? br_success : brFailMemory(reader->report);
	for (int32_t i = 0; i < list->count && result >= 0; ++i)
	{
		result = modelPart(reader, list->children[i], &meshes[i]);
	}
	if (result >= 0)
	{
		brReport inner = {0};
		result = brUniteMeshes(reader->context, (const brMesh* const*)meshes, list->count, outMesh, &inner);
		if (result < 0)
		{
			sceneFail(reader, list, "%s", inner.text);
		}
	}
	for (int32_t i = 0; meshes != NULL && i < list->count; ++i)
	{
		brDestroyMesh(meshes[i]);
	}
	BR_FREE(&reader->allocator, meshes, list->count);
	return result;
}

static brResult modelBuild(brSceneReader* reader, const brDocNode* place, const ModelInput* input,
						   const brSceneModelDef* def, brSceneModel* model)
{
	if (input->rotation != NULL || brDLengthSq(input->position) > 0.0)
	{
		return sceneFail(reader, place, "a model has no position and rotation: its parts and the bodies have");
	}
	brDVec3 scale = def->scale;
	brMeshFrame frame = {.unit = 1.0, .isStated = true};
	brResult result = input->scale != NULL ? brSceneReader_Scale(reader, input->scale, &scale) : br_success;
	if (result >= 0 && def->given->mesh != NULL)
	{
		model->mesh = def->given->mesh;
		def->given->mesh = NULL;
	}
	else if (result >= 0 && input->parts != NULL)
	{
		result = modelUnite(reader, input, &model->mesh);
	}
	else if (result >= 0)
	{
		result = input->make != NULL ? modelMake(reader, place, input, &model->mesh)
									 : modelLoad(reader, place, input, &model->mesh, &frame);
	}
	if (result >= 0 && input->file != NULL && !def->isStatic && !model->isReady)
	{
		result = modelMend(reader, place, input, modelUnit(input, &frame, scale, model->mesh), &model->mesh);
	}
	if (result >= 0)
	{
		modelStretch(reader, input, &frame, scale, model->mesh);
		result = modelPlace(reader, input, model->mesh);
	}
	bool isOwn = input->make == NULL && input->parts == NULL && !def->given->isBare;
	if (result < 0 || def->outMesh != NULL)
	{
		def->given->isBare = !isOwn;
		return result;
	}
	bool hasOwnLook = isOwn && model->mesh->materialCount > 0;
	result = modelAddLook(reader, model->mesh);
	result = result < 0 ? result : modelSetLook(reader, def, hasOwnLook, model);
	result = result < 0 || !model->isReady ? result : modelGather(reader, place, def->material.physics.density, model);
	if (result < 0)
	{
		return result;
	}
	model->mass = brMesh_ComputeMass(model->mesh, def->material.physics.density).mass;
	if (!(model->mass > 0.0) && !def->isStatic)
	{
		return sceneFail(reader, place, "the mesh has no positive volume: it is open or inside out (brittle check)");
	}
	brSceneShape shape = def->shape != br_sceneShapeAuto ? def->shape : modelAutoShape(input, scale);
	bool isWorlds = def->shape == br_sceneShapeAuto && shape >= br_sceneShapeHull &&
					(model->breaking.method != br_breakNone || model->isCluster);
	result = isWorlds ? br_success : modelMakeShape(reader, place, shape, model); // else the world makes one
	model->anchor.lower = brDAdd(model->anchor.lower, model->origin);
	model->anchor.upper = brDAdd(model->anchor.upper, model->origin);
	brSceneModel_PlaceMaps(model);
	return result;
}

brResult brSceneReader_Model(brSceneReader* reader, const brDocNode* place, const brSceneModelDef* def,
							 int32_t* outModel)
{
	ModelInput input;
	memset(&input, 0, sizeof(input));
	const char* folder = reader->folder;
	const brDocNode* node = def->model;
	if ((node == NULL) == (def->given->mesh == NULL))
	{
		return sceneFail(reader, place,
						 node == NULL ? "a body has a model: a name, or a map with make or file"
									  : "the node has a mesh, so its extras name no model");
	}
	const char* name = "body";
	brResult result = br_success;
	if (node == NULL)
	{
		name = def->given->name;
		node = place;
	}
	else if (node->kind == br_docScalar)
	{
		name = node->text;
		const brSceneName* known = NULL;
		for (int32_t i = 0; i < reader->modelNames.count; ++i)
		{
			known = strcmp(reader->modelNames.data[i].name, name) == 0 ? &reader->modelNames.data[i] : known;
		}
		if (known != NULL)
		{
			reader->folder = known->folder;
			result = known->node->kind == br_docScalar ? br_success : modelReadMap(reader, known->node, &input);
			input.make = known->node->kind == br_docScalar ? known->node->text : input.make;
		}
		else if (modelInfo(name) != NULL)
		{
			input.make = name;
		}
		else
		{
			return modelFailName(reader, node, name);
		}
	}
	else
	{
		result = modelReadMap(reader, node, &input);
		name = input.make != NULL ? input.make : name;
	}
	brSceneModel model;
	memset(&model, 0, sizeof(model));
	snprintf(model.name, sizeof(model.name), "%.63s", name);
	model.breaking = brDefaultBreakDef();
	const char* modelFolder = reader->folder;
	reader->folder = folder; // maps lie beside the file of the body
	result = result < 0 ? result : brSceneReader_Fracture(reader, def->fracture, &def->material, &model);
	reader->folder = modelFolder;
	result = result < 0 ? result : modelBuild(reader, node, &input, def, &model);
	reader->folder = folder;
	if (result >= 0 && def->outMesh != NULL)
	{
		*def->outMesh = model.mesh;
		model.mesh = NULL;
	}
	else if (result >= 0 && !BR_PUSH(&reader->allocator, &reader->models, model))
	{
		result = brFailMemory(reader->report);
	}
	if (result < 0 || def->outMesh != NULL)
	{
		brDestroyMesh(model.mesh);
		brDestroyShape(model.shape);
		brDestroyShatter(model.pieces);
		brSceneModel_FreeMaps(&model);
		return result;
	}
	*outModel = reader->models.count - 1;
	return br_success;
}
