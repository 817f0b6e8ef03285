// SPDX-License-Identifier: MIT

// Writes Wavefront OBJ, with a .mtl beside it if there are materials: both files appear or none.
//
// Everything a brMesh has survives: doubles, polygons, per-corner attributes (equal ones are written once), vertex
// colors as x y z r g b, with a behind if some vertex is not opaque. Names must be told apart by `g` and `usemtl`, so
// empty and repeated ones get a number. Groups that no face names, or that come in another order, are declared up
// front.

#include "base/os.h"
#include "io/corner_values.h"
#include "io/obj_mtl.h"
#include "io/surface.h"
#include "io/text.h"

#include <stdio.h>
#include <string.h>

#define OBJ_HOLDS                                                                                                      \
	(br_holdsDoubles | br_holdsPolygons | br_holdsUvs | br_holdsNormals | br_holdsColors | br_holdsMaterials |         \
	 br_holdsGroups)

typedef struct ObjWriter
{
	const brWriteJob* job;
	const brMesh* mesh;
	brOutput* output;
	brCornerValues uvs;
	brCornerValues normals;
	brNames groups;
	brNames materials;
} ObjWriter;

static void objWriteVertices(ObjWriter* writer)
{
	const brMesh* mesh = writer->mesh;
	bool hasAlpha = false;
	for (int32_t v = 0; v < mesh->vertexCount && mesh->colors != NULL && !hasAlpha; ++v)
	{
		hasAlpha = mesh->colors[v].w != 1.0f;
	}
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		char* room = (char*)brOutput_Room(writer->output, 8 * BR_NUMBER_CHARS);
		char* at = room;
		*at++ = 'v';
		const double* p = &mesh->positions[v].x;
		for (int32_t i = 0; i < 3; ++i)
		{
			*at++ = ' ';
			at += brPrintDouble(at, p[i]);
		}
		const float* color = mesh->colors != NULL ? &mesh->colors[v].x : NULL;
		for (int32_t i = 0; color != NULL && i < 3 + hasAlpha; ++i)
		{
			*at++ = ' ';
			at += brPrintFloat(at, color[i]);
		}
		*at++ = '\n';
		brOutput_Advance(writer->output, (size_t)(at - room));
	}
}

static void objWriteValues(brOutput* output, const char* key, const float* values, int32_t size,
						   const brCornerValues* unique)
{
	for (int32_t i = 0; i < unique->count; ++i)
	{
		char* room = (char*)brOutput_Room(output, 4 * BR_NUMBER_CHARS);
		char* at = room;
		*at++ = key[0];
		*at++ = key[1];
		const float* value = values + (size_t)size * (size_t)unique->firsts[i];
		for (int32_t k = 0; k < size; ++k)
		{
			*at++ = ' ';
			at += brPrintFloat(at, value[k]);
		}
		*at++ = '\n';
		brOutput_Advance(output, (size_t)(at - room));
	}
}

// A reader numbers groups as they come. If faces do not name them in that order, all are named before the first face.
static bool objNeedsGroupList(const brMesh* mesh)
{
	int32_t next = 0;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		if (mesh->faceGroups[f] > next)
		{
			return true;
		}
		next += mesh->faceGroups[f] == next;
	}
	return next < mesh->groupCount;
}

static void objWriteFaces(ObjWriter* writer)
{
	const brMesh* mesh = writer->mesh;
	brOutput* output = writer->output;
	bool hasGroups = mesh->faceGroups != NULL && mesh->groupCount > 0;
	bool hasMaterials = mesh->faceMaterials != NULL && mesh->materialCount > 0;
	int32_t group = -1;
	int32_t material = -1;
	char kind = writer->job->assembly->partCount > 1 ? 'o' : 'g'; // programs take objects apart, groups they do not
	if (hasGroups && objNeedsGroupList(mesh))
	{
		for (group = 0; group < mesh->groupCount; ++group)
		{
			brOutput_Format(output, "%c %s\n", kind, writer->groups.list.data[group].text);
		}
		group -= 1;
	}
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		if (hasGroups && mesh->faceGroups[f] != group)
		{
			group = mesh->faceGroups[f];
			brOutput_Format(output, "%c%s%s\n", kind, group >= 0 ? " " : "",
							group >= 0 ? writer->groups.list.data[group].text : "");
		}
		if (hasMaterials && mesh->faceMaterials[f] != material)
		{
			material = mesh->faceMaterials[f];
			brOutput_Format(output, material >= 0 ? "usemtl %s\n" : "usemtl%s\n",
							material >= 0 ? writer->materials.list.data[material].text : "");
		}
		brOutput_Write(output, "f", 1);
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			char* room = (char*)brOutput_Room(output, 4 * BR_NUMBER_CHARS);
			char* at = room;
			*at++ = ' ';
			at += brPrintInt(at, (int64_t)mesh->corners[c] + 1);
			if (mesh->uvs != NULL || mesh->normals != NULL)
			{
				*at++ = '/';
			}
			if (mesh->uvs != NULL)
			{
				at += brPrintInt(at, (int64_t)writer->uvs.indices[c] + 1);
			}
			if (mesh->normals != NULL)
			{
				*at++ = '/';
				at += brPrintInt(at, (int64_t)writer->normals.indices[c] + 1);
			}
			brOutput_Advance(output, (size_t)(at - room));
		}
		brOutput_Write(output, "\n", 1);
	}
}

// Names that can be told apart, and attributes without repetition.
static bool objPrepare(ObjWriter* writer)
{
	const brMesh* mesh = writer->mesh;
	const brAllocator* allocator = &writer->job->allocator;
	bool isComplete = true;
	if (mesh->uvs != NULL)
	{
		isComplete = brCornerValues_Find(&writer->uvs, allocator, mesh->uvs, sizeof(brVec2), mesh->cornerCount);
	}
	if (isComplete && mesh->normals != NULL)
	{
		isComplete = brCornerValues_Find(&writer->normals, allocator, mesh->normals, sizeof(brVec3), mesh->cornerCount);
	}
	for (int32_t g = 0; g < mesh->groupCount && isComplete; ++g)
	{
		isComplete = brNames_AddUnique(&writer->groups, allocator, mesh->groupNames[g], "group");
	}
	for (int32_t m = 0; m < mesh->materialCount && isComplete; ++m)
	{
		isComplete = brNames_AddUnique(&writer->materials, allocator, mesh->materials[m].name, "material");
	}
	return isComplete;
}

// "dir/shape.obj" -> "dir/shape.mtl"
static char* objLibraryPath(const brAllocator* allocator, const char* path, size_t* outBytes)
{
	size_t length = strlen(path);
	const char* dot = strrchr(path, '.');
	const char* slash = brOs_LastSlash(path);
	size_t stem = dot != NULL && (slash == NULL || dot > slash + 1) && dot > path ? (size_t)(dot - path) : length;
	*outBytes = stem + 5;
	char* library = brAlloc(allocator, *outBytes);
	if (library != NULL)
	{
		memcpy(library, path, stem);
		memcpy(library + stem, ".mtl", 5);
	}
	return library;
}

static void objWriteContent(ObjWriter* writer, const char* libraryPath)
{
	brOutput* output = writer->output;
	if (libraryPath != NULL)
	{
		const char* slash = brOs_LastSlash(libraryPath);
		brOutput_Text(output, "mtllib ");
		brOutput_Text(output, slash != NULL ? slash + 1 : libraryPath);
		brOutput_Text(output, "\n");
	}
	objWriteVertices(writer);
	if (writer->mesh->uvs != NULL)
	{
		objWriteValues(output, "vt", &writer->mesh->uvs->x, 2, &writer->uvs);
	}
	if (writer->mesh->normals != NULL)
	{
		objWriteValues(output, "vn", &writer->mesh->normals->x, 3, &writer->normals);
	}
	objWriteFaces(writer);
}

// Two files or none: the .mtl goes first, since an .obj without it is the lesser evil should the second rename fail.
static brResult objWriteFiles(ObjWriter* writer)
{
	const brWriteJob* job = writer->job;
	const brAllocator* allocator = &job->allocator;
	bool hasLibrary = writer->mesh->materialCount > 0;
	size_t libraryBytes = 0;
	char* libraryPath = NULL;
	if (hasLibrary)
	{
		libraryPath = objLibraryPath(allocator, job->path, &libraryBytes);
		if (libraryPath == NULL)
		{
			return brFailMemory(job->report);
		}
	}
	brOutput output;
	brOutput library;
	bool isOpen = false;
	brResult result = brOutput_Open(&output, allocator, job->path, job->report);
	if (result >= 0)
	{
		isOpen = true;
		writer->output = &output;
		objWriteContent(writer, libraryPath);
	}
	if (result >= 0 && hasLibrary)
	{
		result = brOutput_Open(&library, allocator, libraryPath, job->report);
		if (result >= 0)
		{
			brMtl_Write(&library, writer->mesh->materials, writer->materials.list.data, writer->mesh->materialCount);
			result = brOutput_CommitAll((brOutput*[]){&library, &output}, 2, job->report);
			isOpen = false;
		}
	}
	else if (result >= 0)
	{
		result = brOutput_Commit(&output, job->report);
		isOpen = false;
	}
	writer->output = NULL;
	if (isOpen)
	{
		brOutput_Abort(&output);
	}
	brFree(allocator, libraryPath, libraryBytes);
	return result;
}

brResult brWriteObj(const brWriteJob* job)
{
	brSurface surface;
	ObjWriter writer = {.job = job};
	brResult result = brSurface_Open(&surface, job, OBJ_HOLDS);
	if (result >= 0)
	{
		writer.mesh = surface.mesh;
		result = objPrepare(&writer) ? objWriteFiles(&writer) : brFailMemory(job->report);
	}
	if (result >= 0)
	{
		result = brSurface_Remark(&surface, job, OBJ_HOLDS);
	}
	brCornerValues_Free(&writer.uvs, &job->allocator);
	brCornerValues_Free(&writer.normals, &job->allocator);
	brNames_Free(&writer.groups, &job->allocator);
	brNames_Free(&writer.materials, &job->allocator);
	brSurface_Close(&surface, job);
	return result;
}
