// SPDX-License-Identifier: MIT

// Recipes of data sets: YAML into ranges. Every refusal names line and key.

#include "dataset/recipe.h"

#include "base/hash.h"
#include "base/os.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>

double brRecipeRange_Draw(brRecipeRange range, brRandom* random)
{
	double value = brRandom_Range(random, range.lower, range.upper); // drawn in any case: the stream goes on alike
	return value < range.upper ? value : range.upper;
}

int32_t brRecipeRange_DrawWhole(brRecipeRange range, brRandom* random)
{
	uint32_t count = (uint32_t)(range.upper - range.lower) + 1;
	return (int32_t)range.lower + (int32_t)brRandom_Below(random, count);
}

brResult brRecipe_ReadRange(brSceneReader* reader, const brDocNode* node, const brField* bounds,
							brRecipeRange* outRange)
{
	if (node == NULL)
	{
		return br_success;
	}
	double values[2];
	bool isPair = node->kind == br_docList && node->count == 2;
	bool isGood = isPair
					  ? brDoc_IsNumber(node->children[0], &values[0]) && brDoc_IsNumber(node->children[1], &values[1])
					  : brDoc_IsNumber(node, &values[0]);
	values[1] = isPair && isGood ? values[1] : isGood ? values[0] : 0.0;
	bool isWhole = bounds->kind == br_fieldInteger;
	for (int32_t i = 0; i < 2 && isGood; ++i)
	{
		isGood = values[i] >= bounds->lower && values[i] <= bounds->upper &&
				 (!bounds->isOpen || values[i] > bounds->lower) && (!isWhole || values[i] == floor(values[i]));
	}
	if (!isGood)
	{
		return sceneFail(reader, node, "%s is a %snumber or [low, high] %s %g and at most %g", bounds->name,
						 isWhole ? "whole " : "", bounds->isOpen ? "above" : "of at least", bounds->lower,
						 bounds->upper);
	}
	if (values[0] > values[1])
	{
		return sceneFail(reader, node, "%s goes from %g down to %g: the lower number comes first", bounds->name,
						 values[0], values[1]);
	}
	*outRange = (brRecipeRange){values[0], values[1]};
	return br_success;
}

// Calls `add` for a word or for each word of a list.
typedef brResult RecipeWordFcn(brSceneReader* reader, const brDocNode* node, const char* word, brRecipeMethod* method);

static brResult recipeReadWords(brSceneReader* reader, const brDocNode* node, const char* key, RecipeWordFcn* add,
								brRecipeMethod* method)
{
	if (node == NULL)
	{
		return br_success;
	}
	bool isList = node->kind == br_docList;
	int32_t count = isList ? node->count : 1;
	if (count < 1 || count > recipeMaxChoices)
	{
		return sceneFail(reader, node, "%s is a word or a list of 1 to %d words", key, recipeMaxChoices);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		const brDocNode* item = isList ? node->children[i] : node;
		const char* word = NULL;
		brResult result = brSceneReader_Word(reader, item, key, &word);
		result = result < 0 ? result : add(reader, item, word, method);
		if (result < 0)
		{
			return result;
		}
	}
	return br_success;
}

static brResult recipeAddPattern(brSceneReader* reader, const brDocNode* node, const char* word, brRecipeMethod* method)
{
	static const char* const names[] = {"uniform", "clustered", "radial", "grid", "slices", "impact"};
	for (int32_t i = 0; i < 6; ++i)
	{
		if (strcmp(names[i], word) == 0)
		{
			method->patterns[method->patternCount++] = i;
			return br_success;
		}
	}
	return sceneFail(reader, node, "pattern is uniform, clustered, radial, grid, slices or impact, not '%.60s'", word);
}

static brResult recipeAddGround(brSceneReader* reader, const brDocNode* node, const char* word, brRecipeMethod* method)
{
	(void)word;
	brSceneMaterial material;
	brResult result = brSceneReader_Material(reader, node, &material);
	if (result >= 0)
	{
		method->grounds[method->groundCount++] = material.physics;
	}
	return result;
}

// A method as the file has it.
typedef struct MethodInput
{
	int32_t method, by;
	double weight, play;
	const brDocNode *pattern, *ground;
	const brDocNode* ranges[8];
} MethodInput;

static brRecipeMethod recipeDefaultMethod(void)
{
	return (brRecipeMethod){
		.pieces = {5.0, 30.0},
		.energy = {0.05, 0.5},
		.speed = {5.0, 15.0},
		.mass = {0.05, 0.2},
		.angle = {0.0, 30.0},
		.height = {0.5, 2.0},
		.tets = {10000.0, 10000.0},
		.play = 0.5,
	};
}

static const char* const methodKinds[] = {"shatter", "crack", "drop", "shoot", NULL};
static const char* const methodWays[] = {"shatter", "crack", NULL};
// The rows of ranges, in the order of MethodInput.ranges, and the methods that have them as bits of their kind.
static const brField methodBounds[] = {
	{"pieces", br_fieldInteger, 0, 1, 100000, false, NULL}, {"energy", br_fieldNumber, 0, 0, 1e9, true, NULL},
	{"speed", br_fieldNumber, 0, 0, 2000.0, true, NULL},    {"mass", br_fieldNumber, 0, 0, 1e6, true, NULL},
	{"angle", br_fieldNumber, 0, 0, 80.0, false, NULL},     {"height", br_fieldNumber, 0, 0, 1e4, true, NULL},
	{"tets", br_fieldInteger, 0, 100, 1e7, false, NULL},    {"roughness", br_fieldNumber, 0, 0, 0.05, false, NULL},
};
static const uint8_t methodHas[] = {13, 1, 11, 10, 11, 4, 2, 1};
static const brField methodFields[] = {
	{"method", br_fieldChoice, offsetof(MethodInput, method), 0, 0, false, methodKinds},
	{"weight", br_fieldNumber, offsetof(MethodInput, weight), 0, 1e9, true, NULL},
	{"by", br_fieldChoice, offsetof(MethodInput, by), 0, 0, false, methodWays},
	{"play", br_fieldNumber, offsetof(MethodInput, play), 0.0, 60.0, false, NULL},
	{"pattern", br_fieldNode, offsetof(MethodInput, pattern), 0, 0, false, NULL},
	{"ground", br_fieldNode, offsetof(MethodInput, ground), 0, 0, false, NULL},
	{"pieces", br_fieldNode, offsetof(MethodInput, ranges[0]), 0, 0, false, NULL},
	{"energy", br_fieldNode, offsetof(MethodInput, ranges[1]), 0, 0, false, NULL},
	{"speed", br_fieldNode, offsetof(MethodInput, ranges[2]), 0, 0, false, NULL},
	{"mass", br_fieldNode, offsetof(MethodInput, ranges[3]), 0, 0, false, NULL},
	{"angle", br_fieldNode, offsetof(MethodInput, ranges[4]), 0, 0, false, NULL},
	{"height", br_fieldNode, offsetof(MethodInput, ranges[5]), 0, 0, false, NULL},
	{"tets", br_fieldNode, offsetof(MethodInput, ranges[6]), 0, 0, false, NULL},
	{"roughness", br_fieldNode, offsetof(MethodInput, ranges[7]), 0, 0, false, NULL},
};

// A word, or a map of keys.
static brResult recipeReadMethodInput(brSceneReader* reader, const brDocNode* node, MethodInput* input)
{
	brResult result = node->kind == br_docScalar
						  ? brDoc_ReadField(&reader->document, node, &methodFields[0], input, reader->report)
						  : BR_READ_MAP(reader, node, "a method", methodFields, input);
	if (result >= 0 && input->method < 0)
	{
		return sceneFail(reader, node, "a method has no key 'method': shatter, crack, drop or shoot");
	}
	return result;
}

static brResult recipeReadMethod(brRecipe* recipe, brSceneReader* reader, const brDocNode* node)
{
	brRecipeMethod method = recipeDefaultMethod();
	MethodInput input = {.method = -1, .weight = 1.0, .play = -1.0};
	brResult result = recipeReadMethodInput(reader, node, &input);
	if (result < 0)
	{
		return result;
	}
	method.kind = (brRecipeMethodKind)input.method;
	method.weight = input.weight;
	method.isCracking = input.by == 1;
	bool isPlayed = method.kind >= br_recipeDrop;
	if (!isPlayed && (input.play >= 0.0 || input.ground != NULL || input.by != 0))
	{
		return sceneFail(reader, node, "%s has no play, ground and by: drop and shoot have", methodKinds[input.method]);
	}
	if (method.kind != br_recipeShatter && input.pattern != NULL)
	{
		return sceneFail(reader, input.pattern, "%s has no pattern: shatter has", methodKinds[input.method]);
	}
	method.play = input.play >= 0.0 ? input.play : method.play;
	brRecipeRange* ranges[] = {&method.pieces, &method.energy, &method.speed, &method.mass,
							   &method.angle,  &method.height, &method.tets,  &method.roughness};
	if (method.kind == br_recipeShoot)
	{
		method.speed = (brRecipeRange){20.0, 100.0};
		method.mass = (brRecipeRange){0.005, 0.02};
	}
	method.pieces = method.kind == br_recipeShatter ? method.pieces : (brRecipeRange){300.0, 300.0};
	for (int32_t i = 0; i < 8 && result >= 0; ++i)
	{
		if (input.ranges[i] != NULL && (methodHas[i] >> input.method & 1) == 0)
		{
			return sceneFail(reader, input.ranges[i], "%s has no %s", methodKinds[input.method], methodBounds[i].name);
		}
		result = brRecipe_ReadRange(reader, input.ranges[i], &methodBounds[i], ranges[i]);
	}
	if (result >= 0 && isPlayed && method.pieces.lower < 2.0)
	{
		return sceneFail(reader, input.ranges[0], "pieces of %s is the most of one break: 2 or more",
						 methodKinds[input.method]);
	}
	result = result < 0 ? result : recipeReadWords(reader, input.pattern, "pattern", recipeAddPattern, &method);
	result = result < 0 ? result : recipeReadWords(reader, input.ground, "ground", recipeAddGround, &method);
	if (result < 0)
	{
		return result;
	}
	if (method.groundCount == 0)
	{
		method.grounds[method.groundCount++] = *brFindMaterial("marble");
	}
	if (method.patternCount == 0)
	{
		method.patterns[method.patternCount++] = br_sitesUniform;
	}
	recipe->methods[recipe->methodCount++] = method;
	return br_success;
}

static brResult recipeReadMaterials(brRecipe* recipe, brSceneReader* reader, const brDocNode* node)
{
	if (node == NULL)
	{
		recipe->materials[recipe->materialCount++] = *brFindMaterial("porcelain");
		return br_success;
	}
	if (node->kind == br_docMap)
	{
		brResult result = brSceneReader_Materials(reader, node);
		for (int32_t i = 0; i < reader->materials.count && i < recipeMaxMaterials && result >= 0; ++i)
		{
			recipe->materials[recipe->materialCount++] = reader->materials.data[i].physics;
		}
		if (result < 0)
		{
			return result;
		}
	}
	else
	{
		int32_t count = node->kind == br_docList ? node->count : 1;
		for (int32_t i = 0; i < count && i < recipeMaxMaterials; ++i)
		{
			const brDocNode* item = node->kind == br_docList ? node->children[i] : node;
			brSceneMaterial material;
			brResult result = brSceneReader_Material(reader, item, &material);
			if (result < 0)
			{
				return result;
			}
			if (material.isTough)
			{
				return sceneFail(reader, item, "%s does not break; take a brittle material", material.physics.name);
			}
			recipe->materials[recipe->materialCount++] = material.physics;
		}
	}
	if (recipe->materialCount == 0 || node->count > recipeMaxMaterials)
	{
		return sceneFail(reader, node, "materials has 1 to %d of them", recipeMaxMaterials);
	}
	return br_success;
}

static brResult recipeReadMethods(brRecipe* recipe, brSceneReader* reader, const brDocNode* node)
{
	if (node == NULL || node->kind != br_docList || node->count < 1 || node->count > recipeMaxMethods)
	{
		return sceneFail(reader, node,
						 "methods is a list of 1 to %d: shatter, crack, drop, shoot, or maps with a method",
						 recipeMaxMethods);
	}
	for (int32_t i = 0; i < node->count; ++i)
	{
		brResult result = recipeReadMethod(recipe, reader, node->children[i]);
		if (result < 0)
		{
			return result;
		}
	}
	return br_success;
}

typedef struct RecipeInput
{
	const char* title;
	uint64_t seed;
	int32_t samples, shardSize, points, fewest, attempts, layout;
	const brDocNode *objects, *materials, *methods;
} RecipeInput;

static brResult recipeReadRoot(brRecipe* recipe, brSceneReader* reader, const brDocNode* root)
{
	static const char* const layouts[] = {"shards", "folders", NULL};
	static const brField fields[] = {
		{"dataset", br_fieldText, offsetof(RecipeInput, title), 0, 0, false, NULL},
		{"seed", br_fieldSeed, offsetof(RecipeInput, seed), 0, 9007199254740992.0, false, NULL},
		{"samples", br_fieldInteger, offsetof(RecipeInput, samples), 1, recipeMaxSamples, false, NULL},
		{"layout", br_fieldChoice, offsetof(RecipeInput, layout), 0, 0, false, layouts},
		{"shard_size", br_fieldInteger, offsetof(RecipeInput, shardSize), 1, 100000, false, NULL},
		{"points", br_fieldInteger, offsetof(RecipeInput, points), 0, 1000000, false, NULL},
		{"fewest_pieces", br_fieldInteger, offsetof(RecipeInput, fewest), 1, 1000, false, NULL},
		{"attempts", br_fieldInteger, offsetof(RecipeInput, attempts), 1, 100, false, NULL},
		{"objects", br_fieldNode, offsetof(RecipeInput, objects), 0, 0, false, NULL},
		{"materials", br_fieldNode, offsetof(RecipeInput, materials), 0, 0, false, NULL},
		{"methods", br_fieldNode, offsetof(RecipeInput, methods), 0, 0, false, NULL},
	};
	RecipeInput input = {.title = "", .samples = 0, .shardSize = 100, .points = 1000, .fewest = 2, .attempts = 4};
	brResult result = BR_READ_MAP(reader, root, "a recipe", fields, &input);
	if (result < 0)
	{
		return result;
	}
	if (input.samples == 0)
	{
		return sceneFail(reader, root, "a recipe needs samples: how many there are to be");
	}
	recipe->title = input.title;
	recipe->seed = input.seed;
	recipe->sampleCount = input.samples;
	recipe->samplesPerShard = input.shardSize;
	recipe->pointsPerPiece = input.points;
	recipe->fewestPieces = input.fewest;
	recipe->mostAttempts = input.attempts;
	recipe->layout = input.layout;
	result = recipeReadMaterials(recipe, reader, input.materials);
	result = result < 0 ? result : recipeReadMethods(recipe, reader, input.methods);
	if (result >= 0 && input.objects == NULL)
	{
		return sceneFail(reader, root, "a recipe needs objects: a list of models, files and folders");
	}
	return result < 0 ? result : brRecipe_ReadObjects(recipe, reader, input.objects);
}

brResult brReadRecipe(const brContext* context, const void* bytes, size_t byteCount, const char* name,
					  brRecipe** outRecipe, brReport* report)
{
	if (bytes == NULL || outRecipe == NULL)
	{
		return brFail(report, br_errorMisuse, "brReadRecipe needs bytes and a place for its answer");
	}
	brAllocator allocator = brContext_Allocator(context);
	brRecipe* recipe = BR_ALLOC_ZERO(&allocator, brRecipe, 1);
	if (recipe == NULL)
	{
		return brFailMemory(report);
	}
	recipe->allocator = allocator;
	brMutex_Init(&recipe->lock);
	recipe->hash = brHashBytes(BR_HASH_SEED, bytes, byteCount);
	brReport inner = {0};
	brSceneReader reader = {
		.context = context, .allocator = allocator, .report = &inner, .hasFiles = name != NULL, .folder = ""};
	brDoc_Init(&reader.document, &allocator);
	brDocNode* root = NULL;
	brResult result =
		brDoc_ParseYaml(&reader.document, name != NULL ? name : "recipe", bytes, byteCount, &root, &inner);
	const char* slash = name != NULL ? brOs_LastSlash(name) : NULL;
	if (result >= 0 && slash != NULL)
	{
		reader.folder = brDoc_CopyText(&reader.document, name, (size_t)(slash - name) + 1);
		result = reader.folder != NULL ? br_success : brFailMemory(&inner);
	}
	result = result < 0 ? result : recipeReadRoot(recipe, &reader, root);
	BR_FREE_ARRAY(&allocator, &reader.materials);
	recipe->document = reader.document;
	if (result < 0)
	{
		brDestroyRecipe(recipe);
		return brFail(report, result, "%s", inner.text);
	}
	*outRecipe = recipe;
	return brSucceed(report);
}

brResult brLoadRecipe(const brContext* context, const char* path, brRecipe** outRecipe, brReport* report)
{
	if (path == NULL || outRecipe == NULL)
	{
		return brFail(report, br_errorMisuse, "brLoadRecipe needs a path and a place for its answer");
	}
	brAllocator allocator = brContext_Allocator(context);
	uint8_t* bytes = NULL;
	size_t byteCount = 0;
	brResult result = brReadFile(context, &allocator, path, &bytes, &byteCount, report);
	if (result < 0)
	{
		return result;
	}
	result = brReadRecipe(context, bytes, byteCount, path, outRecipe, report);
	BR_FREE(&allocator, bytes, (int64_t)byteCount + 1);
	return result;
}

static void recipeLeaveDevice(brRecipe* recipe)
{
	brDestroyGpuStages(recipe->stages);
	brDestroyGpuElastic(recipe->elastic);
	recipe->gpu = NULL, recipe->stages = NULL, recipe->elastic = NULL;
}

brResult brRecipe_SetDevice(brRecipe* recipe, brGpu* gpu, brReport* report)
{
	if (recipe == NULL)
	{
		return brFail(report, br_errorMisuse, "a device needs a recipe");
	}
	recipeLeaveDevice(recipe);
	if (gpu == NULL)
	{
		return brSucceed(report);
	}
	brContext context = {.allocator = &recipe->allocator};
	brResult result = brCreateGpuStages(&context, gpu, &recipe->stages, report);
	if (result >= 0)
	{
		result = brCreateGpuElastic(&context, gpu, &recipe->elastic, report);
		result = result == br_errorUnavailable ? br_success : result;
	}
	if (result < 0)
	{
		recipeLeaveDevice(recipe);
		return result;
	}
	recipe->gpu = gpu;
	return brSucceed(report);
}

bool brRecipe_TakeDevice(brRecipe* recipe)
{
	brMutex_Lock(&recipe->lock);
	bool isOurs = recipe->gpu != NULL && !recipe->isDeviceTaken;
	recipe->isDeviceTaken = recipe->isDeviceTaken || isOurs;
	brMutex_Unlock(&recipe->lock);
	return isOurs;
}

void brRecipe_GiveDevice(brRecipe* recipe)
{
	brMutex_Lock(&recipe->lock);
	recipe->isDeviceTaken = false;
	brMutex_Unlock(&recipe->lock);
}

void brDestroyRecipe(brRecipe* recipe)
{
	if (recipe == NULL)
	{
		return;
	}
	brAllocator allocator = recipe->allocator;
	for (int32_t i = 0; i < recipe->objects.count; ++i)
	{
		brDestroyMesh(recipe->objects.data[i].mesh);
	}
	recipeLeaveDevice(recipe);
	BR_FREE_ARRAY(&allocator, &recipe->objects);
	BR_FREE_ARRAY(&allocator, &recipe->entries);
	brDoc_Destroy(&recipe->document);
	brMutex_Destroy(&recipe->lock);
	BR_FREE(&allocator, recipe, 1);
}

brRecipeInfo brRecipe_GetInfo(const brRecipe* recipe)
{
	if (recipe == NULL)
	{
		return (brRecipeInfo){.title = ""};
	}
	return (brRecipeInfo){
		.title = recipe->title,
		.seed = recipe->seed,
		.sampleCount = recipe->sampleCount,
		.samplesPerShard = recipe->samplesPerShard,
		.objectCount = recipe->objects.count,
		.pointsPerPiece = recipe->pointsPerPiece,
		.isFolders = recipe->layout == 1,
		.hash = recipe->hash,
	};
}

const char* brRecipe_GetObjectName(const brRecipe* recipe, int32_t object)
{
	return recipe != NULL && object >= 0 && object < recipe->objects.count ? recipe->objects.data[object].name : NULL;
}
