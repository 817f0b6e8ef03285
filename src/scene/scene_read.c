// SPDX-License-Identifier: MIT

// Scene files: the top of the schema, includes, and the way from a reader full of arrays to a scene.
//
// docs/scene.md is the schema for people. Includes are read first and in order, so a file's own values win over theirs
// and its bodies may use their names. Joints and events name bodies, so they wait until all files are read.

#include "scene/scene_reader.h"

#include "base/hash.h"
#include "base/os.h"
#include "io/file.h"
#include "scene/scene_gltf.h"

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
	size_t folder = brOs_IsAbsolute(path) ? 0 : strlen(reader->folder), length = strlen(path);
	char* whole = brArena_Alloc(&reader->document.arena, folder + length + 1);
	if (whole != NULL)
	{
		memcpy(whole, reader->folder, folder);
		memcpy(whole + folder, path, length + 1);
	}
	return whole;
}

// The value of a byte of an sRGB color, as light: ((c + 0.055) / 1.055)^2.4 by x^2 x^0.4, the fifth root by Newton.
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

// The byte that two hexadecimal digits say; -1: they are none.
static int32_t sceneReadByte(const char* digits)
{
	int32_t value = 0;
	for (int32_t i = 0; i < 2; ++i)
	{
		char c = digits[i];
		int32_t digit = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
		if (digit < 0)
		{
			return -1;
		}
		value = 16 * value + digit;
	}
	return value;
}

brResult brSceneReader_Color(brSceneReader* reader, const brDocNode* node, const char* key, brVec4* outColor)
{
	brDVec3 color;
	if (node->kind == br_docScalar)
	{
		bool isLong = strlen(node->text) == 7 && node->text[0] == '#';
		int32_t red = isLong ? sceneReadByte(node->text + 1) : -1, green = isLong ? sceneReadByte(node->text + 3) : -1,
				blue = isLong ? sceneReadByte(node->text + 5) : -1;
		if (red < 0 || green < 0 || blue < 0)
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
		else if (result >= 0 && !brPath_StaysBelow(name))
		{
			result = sceneFail(reader, item, "%s names no file in the folder of the scene", name);
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
		brSceneEventInput input = {0};
		brResult result = brSceneReader_EventInput(reader, node->children[i], &input);
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
	Whole* whole = brArena_Alloc(&reader->document.arena, sizeof(Whole));
	if (whole == NULL)
	{
		return brFailMemory(reader->report);
	}
	for (int32_t pass = 0; pass < 2; ++pass)
	{
		memset(whole, 0, sizeof(*whole));
		whole->scene = *reader->scene;
		brResult result = BR_READ_MAP(reader, root, "a scene", fields, whole);
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
	brResult result =
		input->gravity != NULL ? brSceneReader_Gravity(reader, input->gravity, &scene->gravity) : br_success;
	result = result < 0 || input->budget == NULL ? result : brSceneReader_Budget(reader, input->budget);
	result = result < 0 || input->materials == NULL ? result : brSceneReader_Materials(reader, input->materials);
	result = result < 0 || input->models == NULL ? result : brSceneReader_Models(reader, input->models);
	result = result < 0 || input->ground == NULL ? result : brSceneReader_Ground(reader, input->ground);
	result = result < 0 || input->camera == NULL ? result : brSceneReader_Camera(reader, input->camera);
	result = result < 0 || input->output == NULL ? result : brSceneReader_Output(reader, input->output);
	result = result < 0 || input->joints == NULL ? result : sceneRememberAll(reader, input->joints, "joints", true);
	result = result < 0 || input->events == NULL ? result : sceneRememberAll(reader, input->events, "events", false);
	result = result < 0 || input->bodies == NULL ? result : sceneReadBodies(reader, input->bodies);
	return result < 0 || input->events == NULL ? result : sceneReadThrown(reader, input->events);
}

// Reads one file with what it includes. `place` is the include that names it, or null.
static brResult sceneReadFile(brSceneReader* reader, const brDocNode* place, const char* path)
{
	char real[BR_OS_MAX_PATH];
	if (!brOs_RealPath(path, real))
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
	const char* slash = brOs_LastSlash(path);
	const char* folder = brDoc_CopyText(&reader->document, path, slash != NULL ? (size_t)(slash - path) + 1 : 0);
	if (known == NULL || folder == NULL)
	{
		return brFailMemory(reader->report);
	}
	uint8_t* bytes = NULL;
	size_t byteCount = 0;
	brReport inner = {0};
	brResult result = brReadFile(reader->context, &reader->allocator, path, &bytes, &byteCount, &inner);
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
		brSceneEvent enter = {.kind = br_sceneEventEnter, .time = reader->bodies.data[i].time, .body = i};
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
		scene->groundMaterial.youngsModulus,
		(double)scene->substeps,
		(double)scene->stepsPerFrame,
		(double)scene->hasGround,
		(double)scene->enableSleep,
	};
	uint64_t hash = brHashNumbers(BR_HASH_SEED, numbers, sizeof(numbers) / sizeof(double), sizeof(double));
	hash = brHashNumbers(hash, &scene->seed, 1, sizeof(scene->seed));
	for (int32_t i = 0; i < scene->modelCount; ++i)
	{
		const brMesh* mesh = scene->models[i].mesh;
		hash = brHashNumbers(hash, mesh->positions, 3 * (size_t)mesh->vertexCount, sizeof(double));
		hash = brHashNumbers(hash, mesh->corners, (size_t)mesh->cornerCount, sizeof(int32_t));
		const brScalarMap* map = scene->models[i].breaking.strengthMap;
		if (map != NULL)
		{
			size_t count = (size_t)map->counts[0] * (size_t)map->counts[1] * (size_t)map->counts[2];
			hash = brHashNumbers(hash, map->values, count, sizeof(float));
		}
	}
	for (int32_t i = 0; i < scene->bodyCount; ++i)
	{
		const brSceneBody* body = &scene->bodies[i];
		double values[] = {(double)body->model, body->pose.p.x, body->pose.p.y, body->pose.p.z,   body->pose.q.x,
						   body->pose.q.y,      body->pose.q.z, body->pose.q.w, body->velocity.x, body->velocity.y,
						   body->velocity.z,    body->spin.x,   body->spin.y,   body->spin.z,     body->mass,
						   (double)body->kind,  body->time};
		hash = brHashNumbers(hash, values, sizeof(values) / sizeof(double), sizeof(double));
	}
	for (int32_t i = 0; i < scene->eventCount; ++i)
	{
		const brSceneEvent* event = &scene->events[i];
		double values[] = {(double)event->kind, event->time,   (double)event->body, event->vector.x, event->vector.y,
						   event->vector.z,     event->spin.x, event->spin.y,       event->spin.z};
		hash = brHashNumbers(hash, values, sizeof(values) / sizeof(double), sizeof(double));
		if (event->kind == br_sceneEventPush)
		{
			double push[] = {event->radius, event->speed};
			hash = brHashNumbers(hash, push, 2, sizeof(double));
		}
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
	scene->camera = (brSceneCamera){-1.0, 0.3, 0.5, 1.0, brMakeDBox3Empty(), false};
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
		.samples = 16,
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
		brDestroyShatter(scene->models[i].pieces);
		brSceneModel_FreeMaps(&scene->models[i]);
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
		const char* slash = brOs_LastSlash(name);
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
	if (result >= 0 && !brScene_Warn(context, scene))
	{
		result = brFailMemory(report);
	}

	// What was not handed over.
	for (int32_t i = 0; i < reader.models.count; ++i)
	{
		brDestroyMesh(reader.models.data[i].mesh);
		brDestroyShatter(reader.models.data[i].pieces);
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
