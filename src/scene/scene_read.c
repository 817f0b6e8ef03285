// SPDX-License-Identifier: MIT

// Scene files: the top of the schema, includes, and the way from a reader full of arrays to a scene.
//
// docs/scene.md is the schema for people. Includes are read first and in order, so a file's own values win over theirs and
// its bodies may use their names. Joints and events name bodies, so they wait until all files are read.

#include "scene/scene_reader.h"

#include "base/hash.h"
#include "io/file.h"
#include "scene/scene_gltf.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCENE_MAX_FILES 256
#define SCENE_MAX_FRAMES 200000

brResult brSceneReader_Word(brSceneReader* reader, const brDocNode* node, const char* key, const char** outWord)
{
	if (node->kind != br_docScalar || node->text[0] == 0)
	{
		return sceneFail(reader, node, "%s is a name", key);
	}
	*outWord = node->text;
	return br_success;
}

const char* brSceneReader_Path(brSceneReader* reader, const char* path)
{
	size_t folder = path[0] == '/' ? 0 : strlen(reader->folder), length = strlen(path);
	char* whole = brArena_Alloc(&reader->document.arena, folder + length + 1);
	if (whole != NULL)
	{
		memcpy(whole, reader->folder, folder);
		memcpy(whole + folder, path, length + 1);
	}
	return whole;
}

// The value of a byte of an sRGB colour, as light: ((c + 0.055) / 1.055)^2.4 by x^2 x^0.4, the fifth root by Newton.
static float sceneReadLinear(double value)
{
	if (value <= 0.04045)
	{
		return (float)(value / 12.92);
	}
	double x = (value + 0.055) / 1.055, square = x * x, root = 1.0;
	for (int32_t i = 0; i < 32; ++i)
	{
		root -= (root * root * root * root * root - square) / (5.0 * root * root * root * root);
	}
	return (float)(square * root);
}

brResult brSceneReader_Color(brSceneReader* reader, const brDocNode* node, const char* key, brVec4* outColor)
{
	brDVec3 color;
	if (node->kind == br_docScalar)
	{
		unsigned red, green, blue;
		char rest;
		if (strlen(node->text) != 7 || sscanf(node->text, "#%2x%2x%2x%c", &red, &green, &blue, &rest) != 3)
		{
			return sceneFail(reader, node, "%s is \"#rrggbb\" or three numbers from 0 to 1, not '%.60s'", key,
							 node->text);
		}
		*outColor = (brVec4){sceneReadLinear(red / 255.0), sceneReadLinear(green / 255.0),
							 sceneReadLinear(blue / 255.0), outColor->w};
		return br_success;
	}
	brResult result = brDoc_ReadVector(&reader->document, node, key, &color, reader->report);
	if (result < 0)
	{
		return result;
	}
	if (!(color.x >= 0.0 && color.y >= 0.0 && color.z >= 0.0 && color.x <= 1.0 && color.y <= 1.0 && color.z <= 1.0))
	{
		return sceneFail(reader, node, "%s is \"#rrggbb\" or three numbers from 0 to 1", key);
	}
	*outColor = (brVec4){sceneReadLinear(color.x), sceneReadLinear(color.y), sceneReadLinear(color.z), outColor->w};
	return br_success;
}

// Ground: a material, or a map.

typedef struct GroundInput
{
	const brDocNode* material;
	const brDocNode* color;
	double height, size, friction, restitution;
} GroundInput;

static brResult sceneReadGround(brSceneReader* reader, const brDocNode* node)
{
	static const brField fields[] = {
		{"height", br_fieldNumber, offsetof(GroundInput, height), -1e6, 1e6, false, NULL},
		{"material", br_fieldNode, offsetof(GroundInput, material), 0, 0, false, NULL},
		{"color", br_fieldNode, offsetof(GroundInput, color), 0, 0, false, NULL},
		{"size", br_fieldNumber, offsetof(GroundInput, size), 0.0, 1e6, true, NULL},
		{"friction", br_fieldNumber, offsetof(GroundInput, friction), 0.0, 10.0, false, NULL},
		{"restitution", br_fieldNumber, offsetof(GroundInput, restitution), 0.0, 1.0, false, NULL},
	};
	brScene* scene = reader->scene;
	if (node->kind == br_docScalar && (strcmp(node->text, "none") == 0 || strcmp(node->text, "false") == 0))
	{
		scene->hasGround = false;
		return br_success;
	}
	GroundInput input = {.friction = -1.0, .restitution = -1.0};
	brResult result = br_success;
	if (node->kind == br_docMap)
	{
		result = brDoc_ReadMap(&reader->document, node, "ground", fields, (int32_t)(sizeof(fields) / sizeof(fields[0])),
							   &input, reader->report);
	}
	else
	{
		input.material = node;
	}
	brSceneMaterial material = brDefaultSceneMaterial();
	material.physics.friction = 0.6;
	material.physics.restitution = 0.0;
	material.look.baseColor = scene->groundColor;
	if (result >= 0 && input.material != NULL)
	{
		result = brSceneReader_Material(reader, input.material, &material);
	}
	if (result >= 0 && input.color != NULL)
	{
		result = brSceneReader_Color(reader, input.color, "color", &material.look.baseColor);
	}
	if (result < 0)
	{
		return result;
	}
	scene->hasGround = true;
	scene->groundHeight = input.height;
	scene->groundSize = input.size;
	scene->groundMaterial = material.physics;
	scene->groundMaterial.friction = input.friction >= 0.0 ? input.friction : material.physics.friction;
	scene->groundMaterial.restitution = input.restitution >= 0.0 ? input.restitution : material.physics.restitution;
	scene->groundColor = material.look.baseColor;
	scene->groundColor.w = 1.0f;
	return br_success;
}

static brResult sceneReadBox(brSceneReader* reader, const brDocNode* node, const char* key, brDBox3* outBox)
{
	brDVec3 a = {0, 0, 0}, b = {0, 0, 0};
	if (node->kind != br_docList || node->count != 2)
	{
		return sceneFail(reader, node, "%s is a box of two corners, [[x, y, z], [x, y, z]]", key);
	}
	brResult result = brDoc_ReadVector(&reader->document, node->children[0], key, &a, reader->report);
	result = result < 0 ? result : brDoc_ReadVector(&reader->document, node->children[1], key, &b, reader->report);
	*outBox = (brDBox3){brDMin(a, b), brDMax(a, b)};
	return result;
}

typedef struct CameraInput
{
	const brDocNode* frame;
	double azimuth, elevation, fieldOfView, zoom;
} CameraInput;

static brResult sceneReadCamera(brSceneReader* reader, const brDocNode* node)
{
	static const brField fields[] = {
		{"azimuth", br_fieldNumber, offsetof(CameraInput, azimuth), -3600.0, 3600.0, false, NULL},
		{"elevation", br_fieldNumber, offsetof(CameraInput, elevation), -89.0, 89.0, false, NULL},
		{"fov", br_fieldNumber, offsetof(CameraInput, fieldOfView), 1.0, 150.0, false, NULL},
		{"zoom", br_fieldNumber, offsetof(CameraInput, zoom), 0.01, 1000.0, false, NULL},
		{"frame", br_fieldNode, offsetof(CameraInput, frame), 0, 0, false, NULL},
	};
	const double degree = BR_PI / 180.0;
	brSceneCamera* camera = &reader->scene->camera;
	CameraInput input = {NULL, camera->azimuth / degree, camera->elevation / degree, camera->fieldOfView / degree,
						 camera->zoom};
	brResult result = brDoc_ReadMap(&reader->document, node, "camera", fields,
									(int32_t)(sizeof(fields) / sizeof(fields[0])), &input, reader->report);
	if (result >= 0 && input.frame != NULL)
	{
		result = sceneReadBox(reader, input.frame, "frame", &camera->frame);
	}
	if (result >= 0)
	{
		camera->azimuth = input.azimuth * degree;
		camera->elevation = input.elevation * degree;
		camera->fieldOfView = input.fieldOfView * degree;
		camera->zoom = input.zoom;
	}
	return result;
}

static brResult sceneReadOutput(brSceneReader* reader, const brDocNode* node)
{
	typedef struct OutputInput
	{
		brSceneOutput out;
		const brDocNode* posterSize;
		const brDocNode* videoSize;
		const brDocNode* sheetGrid;
	} OutputInput;
	static const brField fields[] = {
		{"glb", br_fieldBool, offsetof(OutputInput, out.glb), 0, 0, false, NULL},
		{"usda", br_fieldBool, offsetof(OutputInput, out.usda), 0, 0, false, NULL},
		{"brec", br_fieldBool, offsetof(OutputInput, out.brec), 0, 0, false, NULL},
		{"csv", br_fieldBool, offsetof(OutputInput, out.csv), 0, 0, false, NULL},
		{"poster", br_fieldBool, offsetof(OutputInput, out.poster), 0, 0, false, NULL},
		{"sheet", br_fieldBool, offsetof(OutputInput, out.sheet), 0, 0, false, NULL},
		{"frames", br_fieldBool, offsetof(OutputInput, out.frames), 0, 0, false, NULL},
		{"video", br_fieldBool, offsetof(OutputInput, out.video), 0, 0, false, NULL},
		{"poster_time", br_fieldNumber, offsetof(OutputInput, out.posterTime), 0.0, 1e6, false, NULL},
		{"poster_size", br_fieldNode, offsetof(OutputInput, posterSize), 0, 0, false, NULL},
		{"samples", br_fieldInteger, offsetof(OutputInput, out.samples), 1, 4096, false, NULL},
		{"sheet_grid", br_fieldNode, offsetof(OutputInput, sheetGrid), 0, 0, false, NULL},
		{"sheet_from", br_fieldNumber, offsetof(OutputInput, out.sheetFrom), 0.0, 1e6, false, NULL},
		{"sheet_to", br_fieldNumber, offsetof(OutputInput, out.sheetTo), 0.0, 1e6, false, NULL},
		{"video_size", br_fieldNode, offsetof(OutputInput, videoSize), 0, 0, false, NULL},
	};
	OutputInput input = {.out = reader->scene->output};
	brResult result = brDoc_ReadMap(&reader->document, node, "output", fields,
									(int32_t)(sizeof(fields) / sizeof(fields[0])), &input, reader->report);
	const brDocNode* pairs[3] = {input.posterSize, input.videoSize, input.sheetGrid};
	const char* names[3] = {"poster_size", "video_size", "sheet_grid"};
	int32_t* targets[3][2] = {{&input.out.posterWidth, &input.out.posterHeight},
							  {&input.out.videoWidth, &input.out.videoHeight},
							  {&input.out.sheetColumns, &input.out.sheetRows}};
	for (int32_t i = 0; i < 3 && result >= 0; ++i)
	{
		double numbers[2], lower = i < 2 ? 16.0 : 1.0, upper = i < 2 ? 8192.0 : 16.0;
		if (pairs[i] == NULL)
		{
			continue;
		}
		result = brDoc_ReadNumbers(&reader->document, pairs[i], names[i], numbers, 2, reader->report);
		for (int32_t k = 0; k < 2 && result >= 0; ++k)
		{
			if (!(numbers[k] >= lower && numbers[k] <= upper && numbers[k] == floor(numbers[k])))
			{
				return sceneFail(reader, pairs[i], "%s is two whole numbers from %g to %g", names[i], lower, upper);
			}
			*targets[i][k] = (int32_t)numbers[k];
		}
	}
	if (result >= 0)
	{
		reader->scene->output = input.out;
	}
	return result;
}

static brResult sceneReadBudget(brSceneReader* reader, const brDocNode* node)
{
	static const brField fields[] = {
		{"bodies", br_fieldInteger, offsetof(brSceneBudget, bodies), 0, 2e9, false, NULL},
		{"contacts", br_fieldInteger, offsetof(brSceneBudget, contacts), 0, 2e9, false, NULL},
		{"pieces_per_step", br_fieldInteger, offsetof(brSceneBudget, piecesPerStep), 0, 2e9, false, NULL},
		{"seconds_per_step", br_fieldNumber, offsetof(brSceneBudget, secondsPerStep), 0.0, 1e6, false, NULL},
		{"dust_size", br_fieldNumber, offsetof(brSceneBudget, dustSize), 0.0, 1e6, false, NULL},
		{"dust_time", br_fieldNumber, offsetof(brSceneBudget, dustTime), 0.0, 1e6, false, NULL},
	};
	return brDoc_ReadMap(&reader->document, node, "budget", fields, (int32_t)(sizeof(fields) / sizeof(fields[0])),
						 &reader->scene->budget, reader->report);
}

// Joints and events, which name bodies.

// Bodies of a name: all copies of an entry, or one of them by its own name.
static brResult sceneReadTargets(brSceneReader* reader, const brDocNode* node, const char* key, int32_t* outFirst,
								 int32_t* outCount)
{
	const char* name = NULL;
	brResult result = brSceneReader_Word(reader, node, key, &name);
	if (result < 0)
	{
		return result;
	}
	const char* names[64];
	int32_t nameCount = 0;
	for (int32_t i = 0; i < reader->entries.count; ++i)
	{
		const brSceneEntry* entry = &reader->entries.data[i];
		if (strcmp(entry->name, name) == 0)
		{
			*outFirst = entry->firstBody;
			*outCount = entry->bodyCount;
			return br_success;
		}
		if (nameCount < 64)
		{
			names[nameCount++] = entry->name;
		}
	}
	for (int32_t i = 0; i < reader->bodies.count; ++i)
	{
		if (strcmp(reader->bodies.data[i].name, name) == 0)
		{
			*outFirst = i;
			*outCount = 1;
			return br_success;
		}
	}
	const char* nearest = brDoc_Nearest(name, names, nameCount);
	return nearest != NULL ? sceneFail(reader, node, "no body is called '%.60s'; did you mean %s?", name, nearest)
						   : sceneFail(reader, node, "no body is called '%.60s'", name);
}

typedef struct JointInput
{
	int32_t kind;
	const brDocNode* a;
	const brDocNode* b;
	brDVec3 anchor, axis;
	double breakForce;
} JointInput;

brResult brSceneReader_Joint(brSceneReader* reader, const brDocNode* node)
{
	static const char* const kinds[] = {"ball", "hinge", "fixed", NULL};
	static const brField fields[] = {
		{"kind", br_fieldChoice, offsetof(JointInput, kind), 0, 0, false, kinds},
		{"a", br_fieldNode, offsetof(JointInput, a), 0, 0, false, NULL},
		{"b", br_fieldNode, offsetof(JointInput, b), 0, 0, false, NULL},
		{"anchor", br_fieldVector, offsetof(JointInput, anchor), 0, 0, false, NULL},
		{"axis", br_fieldVector, offsetof(JointInput, axis), 0, 0, false, NULL},
		{"break_force", br_fieldNumber, offsetof(JointInput, breakForce), 0.0, 1e300, true, NULL},
	};
	JointInput input = {.axis = {0.0, 0.0, 1.0}, .breakForce = INFINITY};
	brResult result = brDoc_ReadMap(&reader->document, node, "a joint", fields,
									(int32_t)(sizeof(fields) / sizeof(fields[0])), &input, reader->report);
	if (result < 0)
	{
		return result;
	}
	if (input.b == NULL || !(brDLength(input.axis) > 0.0))
	{
		return sceneFail(reader, node, "a joint has b, the name of a body, an anchor and an axis that is not zero");
	}
	brSceneJoint joint = {(brJointKind)input.kind, {-1, -1}, input.anchor, brDNormalize(input.axis), input.breakForce};
	const brDocNode* ends[2] = {input.a, input.b};
	for (int32_t i = 0; i < 2 && result >= 0; ++i)
	{
		int32_t count = 1;
		if (ends[i] != NULL)
		{
			result = sceneReadTargets(reader, ends[i], i == 0 ? "a" : "b", &joint.bodies[i], &count);
		}
		if (result >= 0 && count != 1)
		{
			return sceneFail(reader, ends[i], "a joint holds one body; name a copy, like %s_0", ends[i]->text);
		}
		if (result >= 0 && joint.bodies[i] >= 0 && reader->bodies.data[joint.bodies[i]].time > 0.0)
		{
			return sceneFail(reader, ends[i], "a joint holds bodies that are there from the start");
		}
	}
	if (result >= 0 && joint.bodies[0] < 0 && !reader->scene->hasGround)
	{
		return sceneFail(reader, node, "a joint without a holds on to the ground, and there is none");
	}
	if (result >= 0 && joint.bodies[0] == joint.bodies[1])
	{
		return sceneFail(reader, node, "a joint holds two different bodies");
	}
	if (result >= 0 && !BR_PUSH(&reader->allocator, &reader->jointList, joint))
	{
		return brFailMemory(reader->report);
	}
	return result;
}

typedef struct EventInput
{
	double time;
	const brDocNode* throwBody;
	const brDocNode* remove;
	const brDocNode* gravity;
	const brDocNode* push;
	brDVec3 velocity, spin;
} EventInput;

static const brField sceneEventFields[] = {
	{"at", br_fieldNumber, offsetof(EventInput, time), 0.0, 1e6, false, NULL},
	{"throw", br_fieldNode, offsetof(EventInput, throwBody), 0, 0, false, NULL},
	{"remove", br_fieldNode, offsetof(EventInput, remove), 0, 0, false, NULL},
	{"gravity", br_fieldNode, offsetof(EventInput, gravity), 0, 0, false, NULL},
	{"set", br_fieldNode, offsetof(EventInput, push), 0, 0, false, NULL},
	{"velocity", br_fieldVector, offsetof(EventInput, velocity), 0, 0, false, NULL},
	{"spin", br_fieldVector, offsetof(EventInput, spin), 0, 0, false, NULL},
};

static brResult sceneReadEvent(brSceneReader* reader, const brDocNode* node, EventInput* input)
{
	brResult result =
		brDoc_ReadMap(&reader->document, node, "an event", sceneEventFields,
					  (int32_t)(sizeof(sceneEventFields) / sizeof(sceneEventFields[0])), input, reader->report);
	int32_t kinds =
		(input->throwBody != NULL) + (input->remove != NULL) + (input->gravity != NULL) + (input->push != NULL);
	if (result >= 0 && kinds != 1)
	{
		return sceneFail(reader, node, "an event has a time (at) and one of throw, remove, set and gravity");
	}
	return result;
}

static brResult sceneReadGravity(brSceneReader* reader, const brDocNode* node, brDVec3* outGravity)
{
	double down;
	brResult result = br_success;
	if (brDoc_IsNumber(node, &down))
	{
		*outGravity = brMakeDVec3(0.0, 0.0, -down);
	}
	else
	{
		result = brDoc_ReadVector(&reader->document, node, "gravity", outGravity, reader->report);
	}
	if (result >= 0 && !(brDLength(*outGravity) <= 1e6))
	{
		return sceneFail(reader, node, "gravity is a number (downwards) or a vector of at most 1e6 m/s^2");
	}
	return result;
}

brResult brSceneReader_Event(brSceneReader* reader, const brDocNode* node)
{
	EventInput input = {0};
	brResult result = sceneReadEvent(reader, node, &input);
	if (result < 0 || input.throwBody != NULL)
	{
		return result; // what is thrown was read among the bodies
	}
	brSceneEvent event = {.time = input.time, .body = -1};
	int32_t first = -1, count = 1;
	if (input.gravity != NULL)
	{
		event.kind = br_sceneGravity;
		result = sceneReadGravity(reader, input.gravity, &event.vector);
	}
	else
	{
		event.kind = input.remove != NULL ? br_sceneRemove : br_sceneVelocity;
		event.vector = input.velocity;
		event.spin = input.spin;
		const brDocNode* name = input.remove != NULL ? input.remove : input.push;
		result = sceneReadTargets(reader, name, input.remove != NULL ? "remove" : "set", &first, &count);
	}
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		event.body = first < 0 ? -1 : first + i;
		if (reader->events.count >= BR_SCENE_MAX_EVENTS)
		{
			return sceneFail(reader, node, "a scene has at most %d events", BR_SCENE_MAX_EVENTS);
		}
		if (!BR_PUSH(&reader->allocator, &reader->events, event))
		{
			return brFailMemory(reader->report);
		}
	}
	return result;
}

// Files

typedef struct SceneInput
{
	const char* title;
	const brDocNode *include, *gravity, *budget, *materials, *models, *ground, *bodies, *joints, *events, *camera,
		*output;
} SceneInput;

static brResult sceneReadFile(brSceneReader* reader, const brDocNode* place, const char* path);

static brResult sceneReadIncludes(brSceneReader* reader, const brDocNode* node)
{
	const brDocNode* single[1] = {node};
	bool isList = node->kind == br_docList;
	int32_t count = isList ? node->count : 1;
	for (int32_t i = 0; i < count; ++i)
	{
		const brDocNode* item = isList ? node->children[i] : single[0];
		const char* name = NULL;
		brResult result = brSceneReader_Word(reader, item, "include", &name);
		if (result >= 0 && !reader->hasFiles)
		{
			result = sceneFail(reader, item, "a scene from memory includes no files");
		}
		const char* path = result >= 0 ? brSceneReader_Path(reader, name) : NULL;
		if (result >= 0)
		{
			result = path != NULL ? sceneReadFile(reader, item, path) : brFailMemory(reader->report);
		}
		if (result < 0)
		{
			return result;
		}
	}
	return br_success;
}

static brResult sceneRememberAll(brSceneReader* reader, const brDocNode* node, const char* key, bool isJoint)
{
	if (node->kind != br_docList)
	{
		return sceneFail(reader, node, "%s is a list", key);
	}
	for (int32_t i = 0; i < node->count; ++i)
	{
		brSceneLater later = {node->children[i], reader->folder};
		bool done = isJoint ? BR_PUSH(&reader->allocator, &reader->joints, later)
							: BR_PUSH(&reader->allocator, &reader->laters, later);
		if (!done)
		{
			return brFailMemory(reader->report);
		}
	}
	return br_success;
}

static brResult sceneReadBodies(brSceneReader* reader, const brDocNode* node)
{
	if (node->kind != br_docList)
	{
		return sceneFail(reader, node, "bodies is a list of bodies");
	}
	for (int32_t i = 0; i < node->count; ++i)
	{
		brResult result = brSceneReader_Body(reader, node->children[i], 0.0);
		if (result < 0)
		{
			return result;
		}
	}
	return br_success;
}

// What is thrown is a body that enters late.
static brResult sceneReadThrown(brSceneReader* reader, const brDocNode* node)
{
	for (int32_t i = 0; i < node->count; ++i)
	{
		EventInput input = {0};
		brResult result = sceneReadEvent(reader, node->children[i], &input);
		if (result >= 0 && input.throwBody != NULL)
		{
			result = brSceneReader_Body(reader, input.throwBody, input.time);
		}
		if (result < 0)
		{
			return result;
		}
	}
	return br_success;
}

brResult brSceneReader_Root(brSceneReader* reader, const brDocNode* root)
{
	// Numbers go straight into the scene, the rest into the input.
	typedef struct Whole
	{
		brScene scene;
		SceneInput input;
	} Whole;
	static const brField fields[] = {
		{"scene", br_fieldText, offsetof(Whole, input.title), 0, 0, false, NULL},
		{"include", br_fieldNode, offsetof(Whole, input.include), 0, 0, false, NULL},
		{"gravity", br_fieldNode, offsetof(Whole, input.gravity), 0, 0, false, NULL},
		{"duration", br_fieldNumber, offsetof(Whole, scene.duration), 0.0, 3600.0, true, NULL},
		{"frame_rate", br_fieldNumber, offsetof(Whole, scene.frameRate), 1.0, 10000.0, false, NULL},
		{"steps_per_frame", br_fieldInteger, offsetof(Whole, scene.stepsPerFrame), 1, 1000, false, NULL},
		{"substeps", br_fieldInteger, offsetof(Whole, scene.substeps), 1, 64, false, NULL},
		{"seed", br_fieldSeed, offsetof(Whole, scene.seed), 0, 9e15, false, NULL},
		{"sleep", br_fieldBool, offsetof(Whole, scene.enableSleep), 0, 0, false, NULL},
		{"budget", br_fieldNode, offsetof(Whole, input.budget), 0, 0, false, NULL},
		{"materials", br_fieldNode, offsetof(Whole, input.materials), 0, 0, false, NULL},
		{"models", br_fieldNode, offsetof(Whole, input.models), 0, 0, false, NULL},
		{"ground", br_fieldNode, offsetof(Whole, input.ground), 0, 0, false, NULL},
		{"bodies", br_fieldNode, offsetof(Whole, input.bodies), 0, 0, false, NULL},
		{"joints", br_fieldNode, offsetof(Whole, input.joints), 0, 0, false, NULL},
		{"events", br_fieldNode, offsetof(Whole, input.events), 0, 0, false, NULL},
		{"camera", br_fieldNode, offsetof(Whole, input.camera), 0, 0, false, NULL},
		{"output", br_fieldNode, offsetof(Whole, input.output), 0, 0, false, NULL},
	};
	// Includes come first, so that the file's own numbers win; but keys are checked before anything is opened.
	const int32_t count = (int32_t)(sizeof(fields) / sizeof(fields[0]));
	Whole* whole = brArena_Alloc(&reader->document.arena, sizeof(Whole));
	if (whole == NULL)
	{
		return brFailMemory(reader->report);
	}
	for (int32_t pass = 0; pass < 2; ++pass)
	{
		memset(whole, 0, sizeof(*whole));
		whole->scene = *reader->scene;
		brResult result = brDoc_ReadMap(&reader->document, root, "a scene", fields, count, whole, reader->report);
		if (result >= 0 && pass == 0 && whole->input.include != NULL)
		{
			result = sceneReadIncludes(reader, whole->input.include);
		}
		if (result < 0)
		{
			return result;
		}
	}
	SceneInput* input = &whole->input;
	brScene* scene = reader->scene;
	*scene = whole->scene;
	if (input->title != NULL)
	{
		snprintf(scene->title, sizeof(scene->title), "%.127s", input->title);
	}
	brResult result = input->gravity != NULL ? sceneReadGravity(reader, input->gravity, &scene->gravity) : br_success;
	result = result < 0 || input->budget == NULL ? result : sceneReadBudget(reader, input->budget);
	result = result < 0 || input->materials == NULL ? result : brSceneReader_Materials(reader, input->materials);
	result = result < 0 || input->models == NULL ? result : brSceneReader_Models(reader, input->models);
	result = result < 0 || input->ground == NULL ? result : sceneReadGround(reader, input->ground);
	result = result < 0 || input->camera == NULL ? result : sceneReadCamera(reader, input->camera);
	result = result < 0 || input->output == NULL ? result : sceneReadOutput(reader, input->output);
	result = result < 0 || input->joints == NULL ? result : sceneRememberAll(reader, input->joints, "joints", true);
	result = result < 0 || input->events == NULL ? result : sceneRememberAll(reader, input->events, "events", false);
	result = result < 0 || input->bodies == NULL ? result : sceneReadBodies(reader, input->bodies);
	return result < 0 || input->events == NULL ? result : sceneReadThrown(reader, input->events);
}

// Reads one file with what it includes. `place` is the include that names it, or null.
static brResult sceneReadFile(brSceneReader* reader, const brDocNode* place, const char* path)
{
	char real[PATH_MAX];
	if (realpath(path, real) == NULL)
	{
		return place != NULL ? sceneFail(reader, place, "%s cannot be opened", path)
							 : brFail(reader->report, br_errorFile, "%s cannot be opened", path);
	}
	for (int32_t i = 0; i < reader->openCount; ++i)
	{
		if (strcmp(reader->open[i], real) == 0)
		{
			return sceneFail(reader, place, "%s includes itself", path);
		}
	}
	if (reader->openCount == BR_SCENE_MAX_INCLUDES || reader->fileCount == SCENE_MAX_FILES)
	{
		return sceneFail(reader, place, "includes are nested at most %d deep, and there are at most %d of them",
						 BR_SCENE_MAX_INCLUDES, SCENE_MAX_FILES);
	}
	const char* known = brDoc_CopyText(&reader->document, real, strlen(real));
	const char* slash = strrchr(path, '/');
	const char* folder = brDoc_CopyText(&reader->document, path, slash != NULL ? (size_t)(slash - path) + 1 : 0);
	if (known == NULL || folder == NULL)
	{
		return brFailMemory(reader->report);
	}
	uint8_t* bytes = NULL;
	size_t byteCount = 0;
	brReport inner = {0};
	brResult result = brReadFile(&reader->allocator, path, &bytes, &byteCount, &inner);
	if (result < 0)
	{
		if (place != NULL)
		{
			sceneFail(reader, place, "%s", inner.text);
		}
		else
		{
			brFail(reader->report, result, "%s", inner.text);
		}
		return result;
	}
	const char* outerFolder = reader->folder;
	reader->folder = folder;
	reader->open[reader->openCount++] = known;
	reader->fileCount += 1;
	brDocNode* root = NULL;
	result = brDoc_ParseYaml(&reader->document, path, bytes, byteCount, &root, reader->report);
	BR_FREE(&reader->allocator, bytes, byteCount + 1);
	for (int32_t i = 0; i < reader->changeCount && result >= 0 && reader->openCount == 1; ++i)
	{
		result = brSceneReader_Change(reader, root, reader->changes[i]);
	}
	result = result < 0 ? result : brSceneReader_Root(reader, root);
	reader->openCount -= 1;
	reader->folder = outerFolder;
	return result;
}

brResult brSceneReader_Change(brSceneReader* reader, brDocNode* root, const char* change)
{
	const char* equals = strchr(change, '=');
	if (equals == NULL || equals == change)
	{
		return brFail(reader->report, br_errorFormat, "--set takes path=value, not '%.80s'", change);
	}
	const char* path = brDoc_CopyText(&reader->document, change, (size_t)(equals - change));
	return path != NULL ? brDoc_Set(&reader->document, root, path, equals + 1, reader->report)
						: brFailMemory(reader->report);
}

// The finished scene

static bool sceneEventIsLater(const brSceneEvent* a, const brSceneEvent* b)
{
	return a->time > b->time;
}

// Bodies that enter late become events; all are put in order of time, equal ones as they were.
static brResult sceneOrderEvents(brSceneReader* reader)
{
	for (int32_t i = 0; i < reader->bodies.count; ++i)
	{
		brSceneEvent enter = {.kind = br_sceneEnter, .time = reader->bodies.data[i].time, .body = i};
		if (enter.time > 0.0 && !BR_PUSH(&reader->allocator, &reader->events, enter))
		{
			return brFailMemory(reader->report);
		}
	}
	int32_t count = reader->events.count;
	brSceneEvent* scratch = BR_ALLOC(&reader->allocator, brSceneEvent, count);
	if (scratch == NULL)
	{
		return brFailMemory(reader->report);
	}
	brSceneEvent *from = reader->events.data, *to = scratch;
	for (int64_t width = 1; width < count; width *= 2)
	{
		for (int64_t begin = 0; begin < count; begin += 2 * width)
		{
			int64_t middle = begin + width < count ? begin + width : count;
			int64_t end = begin + 2 * width < count ? begin + 2 * width : count;
			int64_t a = begin, b = middle;
			for (int64_t k = begin; k < end; ++k)
			{
				bool takesB = a == middle || (b < end && sceneEventIsLater(&from[a], &from[b]));
				to[k] = takesB ? from[b++] : from[a++];
			}
		}
		brSceneEvent* swap = from;
		from = to;
		to = swap;
	}
	if (from != reader->events.data && count > 0)
	{
		memcpy(reader->events.data, from, (size_t)count * sizeof(brSceneEvent));
	}
	BR_FREE(&reader->allocator, scratch, count);
	return br_success;
}

// Of what decides the motion, so that a checkpoint is not taken up by another scene.
static uint64_t sceneHash(const brScene* scene)
{
	double numbers[] = {
		scene->gravity.x,
		scene->gravity.y,
		scene->gravity.z,
		scene->frameRate,
		scene->groundHeight,
		scene->groundMaterial.friction,
		scene->groundMaterial.restitution,
		scene->groundMaterial.young,
		(double)scene->substeps,
		(double)scene->stepsPerFrame,
		(double)scene->hasGround,
		(double)scene->enableSleep,
	};
	uint64_t hash = brHashBytes(BR_HASH_SEED, numbers, sizeof(numbers));
	hash = brHashBytes(hash, &scene->seed, sizeof(scene->seed));
	for (int32_t i = 0; i < scene->modelCount; ++i)
	{
		const brMesh* mesh = scene->models[i].mesh;
		hash = brHashBytes(hash, mesh->positions, (size_t)mesh->vertexCount * sizeof(brDVec3));
		hash = brHashBytes(hash, mesh->corners, (size_t)mesh->cornerCount * sizeof(int32_t));
	}
	for (int32_t i = 0; i < scene->bodyCount; ++i)
	{
		const brSceneBody* body = &scene->bodies[i];
		double values[] = {(double)body->model, body->pose.p.x, body->pose.p.y, body->pose.p.z,   body->pose.q.x,
						   body->pose.q.y,      body->pose.q.z, body->pose.q.w, body->velocity.x, body->velocity.y,
						   body->velocity.z,    body->spin.x,   body->spin.y,   body->spin.z,     body->mass,
						   (double)body->kind,  body->time};
		hash = brHashBytes(hash, values, sizeof(values));
	}
	for (int32_t i = 0; i < scene->eventCount; ++i)
	{
		const brSceneEvent* event = &scene->events[i];
		double values[] = {(double)event->kind, event->time,   (double)event->body, event->vector.x, event->vector.y,
						   event->vector.z,     event->spin.x, event->spin.y,       event->spin.z};
		hash = brHashBytes(hash, values, sizeof(values));
	}
	return hash;
}

// Hands the arrays over. An empty array is a null pointer.
#define SCENE_TAKE(reader, array, scene, member, counter)                                                              \
	((scene)->counter = (reader)->array.count,                                                                         \
	 (scene)->counter == 0 || ((scene)->member = BR_TAKE(&(reader)->allocator, &(reader)->array)) != NULL)

static brResult sceneFinish(brSceneReader* reader)
{
	brScene* scene = reader->scene;
	brResult result = br_success;
	for (int32_t i = 0; i < reader->joints.count && result >= 0; ++i)
	{
		result = brSceneReader_Joint(reader, reader->joints.data[i].node);
	}
	for (int32_t i = 0; i < reader->laters.count && result >= 0; ++i)
	{
		result = brSceneReader_Event(reader, reader->laters.data[i].node);
	}
	result = result < 0 ? result : sceneOrderEvents(reader);
	if (result < 0)
	{
		return result;
	}
	if (reader->bodies.count == 0)
	{
		return brFail(reader->report, br_errorFormat, "%s: the scene has no bodies", reader->document.files.data[0]);
	}
	if (scene->duration * scene->frameRate > SCENE_MAX_FRAMES)
	{
		return brFail(reader->report, br_errorLimit, "%s: %g s at %g frames a second are more than %d frames",
					  reader->document.files.data[0], scene->duration, scene->frameRate, SCENE_MAX_FRAMES);
	}
	// If one of these fails, what was taken before belongs to the scene and goes with it.
	bool isTaken = SCENE_TAKE(reader, bodies, scene, bodies, bodyCount);
	isTaken = isTaken && SCENE_TAKE(reader, jointList, scene, joints, jointCount);
	isTaken = isTaken && SCENE_TAKE(reader, events, scene, events, eventCount);
	isTaken = isTaken && SCENE_TAKE(reader, models, scene, models, modelCount);
	if (!isTaken)
	{
		scene->bodyCount = scene->bodies != NULL ? scene->bodyCount : 0;
		scene->jointCount = scene->joints != NULL ? scene->jointCount : 0;
		scene->eventCount = scene->events != NULL ? scene->eventCount : 0;
		scene->modelCount = scene->models != NULL ? scene->modelCount : 0;
		return brFailMemory(reader->report);
	}
	scene->hash = sceneHash(scene);
	return brSucceed(reader->report);
}

static void sceneSetDefaults(brScene* scene, const brAllocator* allocator)
{
	memset(scene, 0, sizeof(*scene));
	scene->allocator = *allocator;
	scene->gravity = brMakeDVec3(0.0, 0.0, -9.81);
	scene->duration = 2.0;
	scene->frameRate = 60.0;
	scene->stepsPerFrame = 1;
	scene->substeps = 8;
	scene->enableSleep = true;
	scene->groundColor = (brVec4){0.45f, 0.45f, 0.44f, 1.0f};
	scene->groundMaterial = brDefaultSceneMaterial().physics;
	scene->budget = (brSceneBudget){0, 0, 500, 0.02, 0.0, 1.0};
	scene->camera = (brSceneCamera){-1.0, 0.3, 0.5, 1.0, brMakeDBox3Empty()};
	scene->output = (brSceneOutput){
		.glb = true,
		.usda = true,
		.brec = true,
		.csv = true,
		.poster = true,
		.sheet = true,
		.posterTime = -1.0,
		.posterWidth = 960,
		.posterHeight = 720,
		.samples = 32,
		.sheetColumns = 4,
		.sheetRows = 2,
		.sheetTo = -1.0,
		.videoWidth = 960,
		.videoHeight = 540,
	};
}

void brDestroyScene(brScene* scene)
{
	if (scene == NULL)
	{
		return;
	}
	brAllocator allocator = scene->allocator;
	for (int32_t i = 0; i < scene->modelCount; ++i)
	{
		brDestroyMesh(scene->models[i].mesh);
		brDestroyShape(scene->models[i].shape);
	}
	BR_FREE(&allocator, scene->models, scene->modelCount);
	BR_FREE(&allocator, scene->bodies, scene->bodyCount);
	BR_FREE(&allocator, scene->joints, scene->jointCount);
	BR_FREE(&allocator, scene->events, scene->eventCount);
	BR_FREE(&allocator, scene, 1);
}

static brResult sceneReadAny(const brContext* context, const char* path, const void* bytes, size_t byteCount,
							 const brSceneChanges* changes, brScene** outScene, brReport* report)
{
	brSceneReader reader;
	memset(&reader, 0, sizeof(reader));
	reader.context = context;
	reader.allocator = brContext_Allocator(context);
	reader.report = report;
	reader.folder = "";
	reader.hasFiles = path != NULL;
	reader.changeCount = changes != NULL ? changes->count : 0;
	reader.changes = changes != NULL ? changes->items : NULL;
	brScene* scene = BR_ALLOC(&reader.allocator, brScene, 1);
	if (scene == NULL)
	{
		return brFailMemory(report);
	}
	sceneSetDefaults(scene, &reader.allocator);
	brDoc_Init(&reader.document, &reader.allocator);
	reader.scene = scene;
	brResult result;
	if (bytes != NULL)
	{
		const char* name = path != NULL ? path : "scene";
		const char* slash = strrchr(name, '/');
		reader.folder = brDoc_CopyText(&reader.document, name, slash != NULL ? (size_t)(slash - name) + 1 : 0);
		brDocNode* root = NULL;
		result = reader.folder != NULL ? brDoc_ParseYaml(&reader.document, name, bytes, byteCount, &root, report)
									   : brFailMemory(report);
		for (int32_t i = 0; i < reader.changeCount && result >= 0; ++i)
		{
			result = brSceneReader_Change(&reader, root, reader.changes[i]);
		}
		result = result < 0 ? result : brSceneReader_Root(&reader, root);
	}
	else
	{
		brFileFormat format = brFileFormat_FromPath(path);
		bool isGltf = format == br_formatGlb || format == br_formatGltf;
		result = isGltf ? brSceneReader_Gltf(&reader, path) : sceneReadFile(&reader, NULL, path);
	}
	result = result < 0 ? result : sceneFinish(&reader);

	// What was not handed over.
	for (int32_t i = 0; i < reader.models.count; ++i)
	{
		brDestroyMesh(reader.models.data[i].mesh);
		brDestroyShape(reader.models.data[i].shape);
	}
	BR_FREE_ARRAY(&reader.allocator, &reader.materials);
	BR_FREE_ARRAY(&reader.allocator, &reader.modelNames);
	BR_FREE_ARRAY(&reader.allocator, &reader.entries);
	BR_FREE_ARRAY(&reader.allocator, &reader.joints);
	BR_FREE_ARRAY(&reader.allocator, &reader.laters);
	BR_FREE_ARRAY(&reader.allocator, &reader.models);
	BR_FREE_ARRAY(&reader.allocator, &reader.bodies);
	BR_FREE_ARRAY(&reader.allocator, &reader.jointList);
	BR_FREE_ARRAY(&reader.allocator, &reader.events);
	brDoc_Destroy(&reader.document);
	if (result < 0)
	{
		brDestroyScene(scene);
		return result;
	}
	*outScene = scene;
	return result;
}

brResult brLoadScene(const brContext* context, const char* path, const brSceneChanges* changes, brScene** outScene,
					 brReport* report)
{
	if (path == NULL || outScene == NULL)
	{
		return brFail(report, br_errorMisuse, "a scene needs a path");
	}
	return sceneReadAny(context, path, NULL, 0, changes, outScene, report);
}

brResult brReadScene(const brContext* context, const void* bytes, size_t byteCount, const char* name,
					 const brSceneChanges* changes, brScene** outScene, brReport* report)
{
	if (bytes == NULL || outScene == NULL)
	{
		return brFail(report, br_errorMisuse, "a scene needs bytes");
	}
	return sceneReadAny(context, name, bytes, byteCount, changes, outScene, report);
}
