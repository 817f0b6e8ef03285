// SPDX-License-Identifier: MIT

// What a recipe breaks: built-in models with parameters drawn from ranges, mesh files, folders of mesh files. Files are
// mended once and kept, as far as the room for them goes; a sample takes a copy at its own size.

#include "base/hash.h"
#include "base/os.h"
#include "brittle/io.h"
#include "brittle/mend.h"
#include "dataset/recipe.h"
#include "mesh/models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OBJECT_ROOM ((int64_t)512 << 20) // of mended files that are kept [bytes]

enum
{
	objectMaxCount = 10000000,
	objectMaxDepth = 16, // of folders in folders
};

// Reading

typedef struct ObjectInput
{
	const char *model, *file, *folder;
	const brDocNode *with, *size, *resolution;
	double thicken;
	int32_t up;
	bool isDeep; // folders in the folder too
} ObjectInput;

// The name of a file without folder and ending, in letters that any file system takes.
static void objectSetName(brRecipeObject* object, const char* path)
{
	const char* slash = brOs_LastSlash(path);
	const char* start = slash != NULL ? slash + 1 : path;
	const char* dot = strrchr(start, '.');
	size_t length = dot != NULL && dot > start ? (size_t)(dot - start) : strlen(start);
	length = length < 48 ? length : 48;
	for (size_t i = 0; i < length; ++i)
	{
		char c = start[i];
		bool isPlain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
		object->name[i] = isPlain ? c : '_';
	}
	object->name[length] = 0;
}

static brResult objectAdd(brRecipe* recipe, brSceneReader* reader, const brDocNode* node, const char* path,
						  const brModelInfo* model)
{
	if (recipe->objects.count >= objectMaxCount)
	{
		return sceneFail(reader, node, "there are more than %d objects", objectMaxCount);
	}
	brRecipeObject object = {.path = path, .model = model, .entry = recipe->entries.count - 1};
	objectSetName(&object, path != NULL ? path : model->name);
	if (path != NULL)
	{
		int64_t bytes = brOs_FileInfo(path).bytes;
		recipe->hash = brHashBytes(recipe->hash, &bytes, sizeof(bytes));
		recipe->hash = brHashBytes(recipe->hash, object.name, strlen(object.name));
	}
	return BR_PUSH(&recipe->allocator, &recipe->objects, object) ? br_success : brFailMemory(reader->report);
}

static bool objectIsMeshName(const char* name)
{
	brFileFormat format = brFileFormat_FromPath(name);
	bool isCompanion = strlen(name) > 4 && strcmp(name + strlen(name) - 4, ".ele") == 0;
	return name[0] != '.' && format != br_formatUnknown && brFileFormat_CanRead(format) && !isCompanion;
}

static int objectCompareNames(const void* a, const void* b)
{
	return strcmp(*(const char* const*)a, *(const char* const*)b);
}

typedef BR_ARRAY(const char*) ObjectPaths;

static brResult objectListFolder(brSceneReader* reader, const brDocNode* node, const char* folder, int32_t depth,
								 ObjectPaths* paths)
{
	brFolderNames* names = brOs_OpenFolder(folder);
	if (names == NULL)
	{
		return sceneFail(reader, node, "the folder %.200s cannot be opened", folder);
	}
	brResult result = br_success;
	for (const char* name = brOs_NextName(names); name != NULL && result >= 0; name = brOs_NextName(names))
	{
		char path[BR_OS_MAX_PATH];
		int length = snprintf(path, sizeof(path), "%s/%s", folder, name);
		if (length < 0 || (size_t)length >= sizeof(path))
		{
			continue;
		}
		bool isFolder = depth > 0 && name[0] != '.' && brOs_FileInfo(path).kind == br_fileFolder;
		if (isFolder)
		{
			result = objectListFolder(reader, node, path, depth - 1, paths);
		}
		else if (objectIsMeshName(name) && brOs_FileInfo(path).kind == br_fileRegular)
		{
			const char* kept = brDoc_CopyText(&reader->document, path, (size_t)length);
			bool isDone = kept != NULL && BR_PUSH(&reader->allocator, paths, kept);
			result = isDone ? br_success : brFailMemory(reader->report);
		}
	}
	brOs_CloseFolder(names);
	return result;
}

static brResult objectAddFolder(brRecipe* recipe, brSceneReader* reader, const brDocNode* node, const char* folder,
								bool isDeep)
{
	ObjectPaths paths = {0};
	brResult result = objectListFolder(reader, node, folder, isDeep ? objectMaxDepth : 0, &paths);
	if (result >= 0 && paths.count == 0)
	{
		result = sceneFail(reader, node, "the folder %.200s holds no mesh file%s", folder,
						   isDeep ? "" : "; 'deep: true' looks into folders in it");
	}
	if (result >= 0)
	{
		qsort((void*)paths.data, (size_t)paths.count, sizeof(paths.data[0]), objectCompareNames);
	}
	for (int32_t i = 0; i < paths.count && result >= 0; ++i)
	{
		result = objectAdd(recipe, reader, node, paths.data[i], NULL);
	}
	BR_FREE_ARRAY(&reader->allocator, &paths);
	return result;
}

static const brModelInfo* objectFindModel(const char* name)
{
	for (int32_t i = 0; i < brGetModelCount(); ++i)
	{
		const brModelInfo* info = brGetModelInfo(i);
		if (strcmp(info->name, name) == 0)
		{
			return info;
		}
	}
	return NULL;
}

// The ranges of a model's parameters.
static brResult objectReadWith(brSceneReader* reader, const brDocNode* map, const brModelInfo* model,
							   brRecipeEntry* entry)
{
	if (map == NULL)
	{
		return br_success;
	}
	if (map->kind != br_docMap || map->count > BR_MODEL_MAX_PARAMETERS)
	{
		return sceneFail(reader, map, "with is a map of the model's parameters");
	}
	for (int32_t i = 0; i < map->count; ++i)
	{
		int32_t found;
		brResult result = brSceneReader_ModelParameter(reader, map->children[2 * i], model, &found);
		if (result < 0)
		{
			return result;
		}
		const brModelParameter* parameter = &model->parameters[found];
		brField bounds = {parameter->name, br_fieldNumber, 0, parameter->lower, parameter->upper, false, NULL};
		entry->parameters[entry->parameterCount].parameter = found;
		result = brRecipe_ReadRange(reader, map->children[2 * i + 1], &bounds,
									&entry->parameters[entry->parameterCount].range);
		if (result < 0)
		{
			return result;
		}
		entry->parameterCount += 1;
	}
	return br_success;
}

static brResult objectReadModel(brRecipe* recipe, brSceneReader* reader, const brDocNode* node,
								const ObjectInput* input)
{
	const brModelInfo* model = objectFindModel(input->model);
	if (model == NULL)
	{
		const char* names[64];
		int32_t count = brGetModelCount() < 64 ? brGetModelCount() : 64;
		for (int32_t i = 0; i < count; ++i)
		{
			names[i] = brGetModelInfo(i)->name;
		}
		return sceneFail(reader, node, "there is no model '%.60s'%s", input->model,
						 brDoc_Advise(input->model, names, count, "there are").text);
	}
	brRecipeEntry* entry = &recipe->entries.data[recipe->entries.count - 1];
	brField bounds = {"resolution", br_fieldInteger, 0, model->lowestResolution, model->highestResolution, false, NULL};
	brResult result = brRecipe_ReadRange(reader, input->resolution, &bounds, &entry->resolution);
	result = result < 0 ? result : objectReadWith(reader, input->with, model, entry);
	return result < 0 ? result : objectAdd(recipe, reader, node, NULL, model);
}

static brResult objectReadFiles(brRecipe* recipe, brSceneReader* reader, const brDocNode* node,
								const ObjectInput* input)
{
	if (!reader->hasFiles)
	{
		return sceneFail(reader, node, "a recipe from memory has no files");
	}
	if (input->with != NULL || input->resolution != NULL)
	{
		return sceneFail(reader, node, "with and resolution go with a model, not with files");
	}
	const char* path = brSceneReader_Path(reader, input->file != NULL ? input->file : input->folder);
	if (path == NULL)
	{
		return brFailMemory(reader->report);
	}
	brFileKind kind = brOs_FileInfo(path).kind;
	if (input->folder != NULL)
	{
		return kind == br_fileFolder ? objectAddFolder(recipe, reader, node, path, input->isDeep)
									 : sceneFail(reader, node, "there is no folder %.200s", path);
	}
	if (kind != br_fileRegular)
	{
		return sceneFail(reader, node, "there is no file %.200s", path);
	}
	if (!objectIsMeshName(brOs_LastSlash(path) != NULL ? brOs_LastSlash(path) + 1 : path))
	{
		return sceneFail(reader, node, "%.200s is no mesh file that can be read", path);
	}
	return objectAdd(recipe, reader, node, path, NULL);
}

static brResult objectReadEntry(brRecipe* recipe, brSceneReader* reader, const brDocNode* node)
{
	static const char* const ups[] = {"guess", "z", "y", NULL};
	static const brField fields[] = {
		{"model", br_fieldText, offsetof(ObjectInput, model), 0, 0, false, NULL},
		{"file", br_fieldText, offsetof(ObjectInput, file), 0, 0, false, NULL},
		{"folder", br_fieldText, offsetof(ObjectInput, folder), 0, 0, false, NULL},
		{"with", br_fieldNode, offsetof(ObjectInput, with), 0, 0, false, NULL},
		{"resolution", br_fieldNode, offsetof(ObjectInput, resolution), 0, 0, false, NULL},
		{"size", br_fieldNode, offsetof(ObjectInput, size), 0, 0, false, NULL},
		{"thicken", br_fieldNumber, offsetof(ObjectInput, thicken), 0, 1e6, true, NULL},
		{"up", br_fieldChoice, offsetof(ObjectInput, up), 0, 0, false, ups},
		{"deep", br_fieldBool, offsetof(ObjectInput, isDeep), 0, 0, false, NULL},
	};
	static const brField sizes = {"size", br_fieldNumber, 0, 1e-4, 1e3, false, NULL};
	ObjectInput input = {0};
	brRecipeEntry entry = {0};
	brResult result = br_success;
	if (node->kind == br_docScalar) // a bare word: a model, or a file if there is no such model
	{
		result = brSceneReader_Word(reader, node, "an object",
									objectFindModel(node->text) != NULL ? &input.model : &input.file);
	}
	else
	{
		result = BR_READ_MAP(reader, node, "an object", fields, &input);
	}
	result = result < 0 ? result : brRecipe_ReadRange(reader, input.size, &sizes, &entry.size);
	if (result < 0)
	{
		return result;
	}
	if ((input.model != NULL) + (input.file != NULL) + (input.folder != NULL) != 1)
	{
		return sceneFail(reader, node, "an object is one of model, file and folder");
	}
	entry.thicken = input.thicken;
	entry.up = input.up;
	if (!BR_PUSH(&recipe->allocator, &recipe->entries, entry))
	{
		return brFailMemory(reader->report);
	}
	return input.model != NULL ? objectReadModel(recipe, reader, node, &input)
							   : objectReadFiles(recipe, reader, node, &input);
}

static int objectCompareObjects(const void* a, const void* b)
{
	const brRecipeObject *x = *(brRecipeObject*const*)a, *y = *(brRecipeObject*const*)b;
	int order = strcmp(x->name, y->name);
	return order != 0 ? order : x < y ? -1 : 1; // they lie in one array
}

// Names that came twice get numbers, in the order of the recipe.
static brResult objectMakeUnique(brRecipe* recipe, brReport* report)
{
	int32_t count = recipe->objects.count;
	brRecipeObject** order = BR_ALLOC(&recipe->allocator, brRecipeObject*, count);
	if (order == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		order[i] = &recipe->objects.data[i];
	}
	qsort((void*)order, (size_t)count, sizeof(order[0]), objectCompareObjects);
	char name[64] = "";
	int32_t number = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		number = i > 0 && strcmp(order[i]->name, name) == 0 ? number + 1 : 1;
		snprintf(name, sizeof(name), "%s", order[i]->name);
		if (number > 1)
		{
			// A dot stands in no name from a file, so no other name is like it.
			snprintf(order[i]->name, sizeof(order[i]->name), "%.48s.%d", name, (int)number);
		}
	}
	BR_FREE(&recipe->allocator, order, count);
	return br_success;
}

brResult brRecipe_ReadObjects(brRecipe* recipe, brSceneReader* reader, const brDocNode* list)
{
	if (list->kind != br_docList || list->count < 1)
	{
		return sceneFail(reader, list, "objects is a list of models, files and folders");
	}
	for (int32_t i = 0; i < list->count; ++i)
	{
		brResult result = objectReadEntry(recipe, reader, list->children[i]);
		if (result < 0)
		{
			return result;
		}
	}
	return objectMakeUnique(recipe, reader->report);
}

// Making

static double objectLongest(const brMesh* mesh)
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 extent = brDSub(box.upper, box.lower);
	return fmax(extent.x, fmax(extent.y, extent.z));
}

static int64_t objectBytes(const brMesh* mesh)
{
	return (int64_t)mesh->vertexCount * (int64_t)sizeof(brDVec3) + (int64_t)mesh->cornerCount * 32 +
		   (int64_t)mesh->faceCount * 8;
}

// The file as a solid, in metres and z-up, not scaled to a size.
static brResult objectLoad(const brRecipe* recipe, const brContext* context, const brRecipeObject* object,
						   brMesh** outMesh, brReport* report)
{
	const brRecipeEntry* entry = &recipe->entries.data[object->entry];
	brMesh *raw = NULL, *solid = NULL;
	brResult result = brLoadMesh(context, object->path, &raw, report);
	if (result < 0)
	{
		return result;
	}
	brMeshFrame frame = brGuessMeshFrame(object->path, raw);
	double longest = objectLongest(raw), size = 0.5 * (entry->size.lower + entry->size.upper);
	if (!(longest > 0.0))
	{
		brDestroyMesh(raw);
		return brFail(report, br_errorGeometry, "%s holds no face with any extent", object->path);
	}
	double unit = size > 0.0 ? size / longest : frame.unit;
	brMendDef mend = brDefaultMendDef();
	mend.thickness = entry->thicken / unit;
	result = brMendMesh(context, raw, &mend, &solid, NULL, report);
	brDestroyMesh(raw);
	if (result < 0)
	{
		return result;
	}
	bool isYUp = entry->up == 2 || (entry->up == 0 && frame.isYUp);
	brAffine map = brMakeAffineIdentity();
	map.m.cx.x = frame.unit;
	map.m.cy = isYUp ? brMakeDVec3(0.0, 0.0, frame.unit) : brMakeDVec3(0.0, frame.unit, 0.0);
	map.m.cz = isYUp ? brMakeDVec3(0.0, -frame.unit, 0.0) : brMakeDVec3(0.0, 0.0, frame.unit);
	brMesh_Transform(solid, &map);
	*outMesh = solid;
	return br_success;
}

// Meshes that were not used for longest make room. Under the lock.
static void objectMakeRoom(brRecipe* recipe, int64_t bytes)
{
	while (recipe->keptBytes + bytes > OBJECT_ROOM)
	{
		brRecipeObject* oldest = NULL;
		for (int32_t i = 0; i < recipe->objects.count; ++i)
		{
			brRecipeObject* object = &recipe->objects.data[i];
			bool isOlder = object->mesh != NULL && (oldest == NULL || object->lastUse < oldest->lastUse);
			oldest = isOlder ? object : oldest;
		}
		if (oldest == NULL)
		{
			return;
		}
		recipe->keptBytes -= objectBytes(oldest->mesh);
		brDestroyMesh(oldest->mesh);
		oldest->mesh = NULL;
	}
}

// What a model is made with. Draws as much whether the model varies or not: samples depend on it.
static brModelDef objectDrawModel(const brRecipeEntry* entry, const brModelInfo* model, brRandom* random)
{
	brModelDef def = brDefaultModelDef(model->name);
	def.seed = ((uint64_t)brRandom_Next(random) << 32) | brRandom_Next(random);
	if (entry->resolution.upper > 0.0)
	{
		def.resolution = brRecipeRange_DrawWhole(entry->resolution, random);
	}
	for (int32_t i = 0; i < entry->parameterCount; ++i)
	{
		def.parameters[entry->parameters[i].parameter] = brRecipeRange_Draw(entry->parameters[i].range, random);
	}
	return def;
}

// Whether all samples have the same mesh but for its size.
static bool objectIsFixed(const brRecipeEntry* entry, const brRecipeObject* object)
{
	bool isFixed = object->model == NULL ||
				   (!brModel_IsSeeded(object->model) && entry->resolution.lower == entry->resolution.upper);
	for (int32_t i = 0; i < entry->parameterCount; ++i)
	{
		isFixed = isFixed && entry->parameters[i].range.lower == entry->parameters[i].range.upper;
	}
	return isFixed;
}

// A mesh that is there for all samples is made once and kept, while there is room. `model`: what it is made with, or
// null for a file.
static brResult objectTakeCopy(brRecipe* recipe, const brContext* context, brRecipeObject* object,
							   const brModelDef* model, brMesh** outMesh, brReport* report)
{
	brMutex_Lock(&recipe->lock);
	bool isKept = object->mesh != NULL;
	brResult result = isKept ? brCopyMesh(context, object->mesh, outMesh, report) : br_success;
	object->lastUse = ++recipe->useCount;
	brMutex_Unlock(&recipe->lock);
	if (isKept)
	{
		return result;
	}
	brContext own = context != NULL ? *context : (brContext){0};
	own.allocator = &recipe->allocator;
	brMesh* mesh = NULL;
	result = model != NULL ? brMakeModel(&own, model, &mesh, report) : objectLoad(recipe, &own, object, &mesh, report);
	result = result < 0 ? result : brCopyMesh(context, mesh, outMesh, report);
	if (result < 0)
	{
		brDestroyMesh(mesh);
		return result;
	}
	int64_t bytes = objectBytes(mesh);
	brMutex_Lock(&recipe->lock);
	objectMakeRoom(recipe, bytes);
	if (object->mesh == NULL && recipe->keptBytes + bytes <= OBJECT_ROOM)
	{
		object->mesh = mesh;
		recipe->keptBytes += bytes;
		mesh = NULL;
	}
	brMutex_Unlock(&recipe->lock);
	brDestroyMesh(mesh);
	return br_success;
}

brResult brRecipe_MakeObject(brRecipe* recipe, const brContext* context, int32_t index, brRandom* random,
							 brMesh** outMesh, brReport* report)
{
	brRecipeObject* object = &recipe->objects.data[index];
	const brRecipeEntry* entry = &recipe->entries.data[object->entry];
	double size = brRecipeRange_Draw(entry->size, random);
	bool isModel = object->model != NULL;
	brModelDef def = isModel ? objectDrawModel(entry, object->model, random) : (brModelDef){0};
	brResult result = objectIsFixed(entry, object)
						  ? objectTakeCopy(recipe, context, object, isModel ? &def : NULL, outMesh, report)
						  : brMakeModel(context, &def, outMesh, report);
	if (result < 0)
	{
		return result;
	}
	double scale = size > 0.0 ? size / objectLongest(*outMesh) : 1.0;
	brDBox3 box = brMesh_ComputeBounds(*outMesh);
	brAffine map = brMakeAffineIdentity();
	map.m.cx.x = map.m.cy.y = map.m.cz.z = scale;
	map.p = brMakeDVec3(-0.5 * scale * (box.lower.x + box.upper.x), -0.5 * scale * (box.lower.y + box.upper.y),
						-scale * box.lower.z);
	brMesh_Transform(*outMesh, &map);
	return br_success;
}
