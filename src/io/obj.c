// SPDX-License-Identifier: MIT

// Reads Wavefront OBJ: polygons with texture coordinates and normals, vertex colors (x y z r g b), groups, materials.
//
// One pass over the text. Vertices stay exactly as the `v` lines give them. Both `g` and `o` start a group, the last
// one counts; a bare one ends it. Lines, points and free-form shapes are passed over. Faces may name vertices that come
// later; the largest such index is remembered with its line and judged at the end. Materials come from the .mtl files
// where they can be read, else `usemtl` gives their names alone.

#include "io/formats.h"
#include "io/number.h"
#include "io/obj_mtl.h"
#include "io/text.h"

#include <math.h>
#include <string.h>

// From this face on, until the next run, faces have this group or material.
typedef struct ObjRun
{
	int32_t firstFace;
	int32_t index;
} ObjRun;

typedef BR_ARRAY(ObjRun) ObjRuns;
typedef BR_ARRAY(int32_t) ObjIndices;

// The largest index that named something not read yet.
typedef struct ObjForward
{
	int64_t index;
	int64_t line;
} ObjForward;

typedef struct ObjReader
{
	const brReadJob* job;
	const brAllocator* allocator;
	brTextCursor cursor;

	BR_ARRAY(brDVec3) positions;
	BR_ARRAY(brVec4) colors; // empty until a vertex has one, then one each
	BR_ARRAY(brVec2) uvs;
	BR_ARRAY(brVec3) normals;

	ObjIndices faceEnds;
	ObjIndices corners;
	ObjIndices cornerUvs; // empty until a corner has one, then one each, -1 for none
	ObjIndices cornerNormals;
	ObjForward forward, forwardUv, forwardNormal;

	brNames groups;
	brMtlList materials;
	ObjRuns groupRuns;
	ObjRuns materialRuns;

	int64_t statements;    // known ones
	int64_t strangeLine;   // first line that starts with no known word
	int32_t skippedFaces;  // with fewer than three corners
	int64_t oddAttributes; // numbers of normals, texture coordinates and colors that were not finite
} ObjReader;

// Blanks, and line ends behind a backslash.
static inline void objSkip(brTextCursor* cursor)
{
	brText_SkipBlanks(cursor);
	while (*cursor->at == '\\')
	{
		brTextCursor ahead = *cursor;
		ahead.at += 1;
		brText_SkipBlanks(&ahead);
		if (!brText_AtLineEnd(&ahead))
		{
			return;
		}
		brText_NextLine(&ahead);
		*cursor = ahead;
		brText_SkipBlanks(cursor);
	}
}

static inline bool objAtEnd(brTextCursor* cursor)
{
	objSkip(cursor);
	return brText_AtLineEnd(cursor) || *cursor->at == '#';
}

static brResult objFailHere(ObjReader* reader, const char* expected)
{
	const char* word;
	brTextCursor ahead = reader->cursor;
	size_t length = brText_Word(&ahead, &word);
	return length > 0 ? brFailLine(reader->job, reader->cursor.line, "%s expected, \"%.*s\" found", expected,
								   (int)(length < 40 ? length : 40), word)
					  : brFailLine(reader->job, reader->cursor.line, "%s expected, the line ends", expected);
}

// v x y z [w] or v x y z r g b [a]
static brResult objVertex(ObjReader* reader)
{
	brTextCursor* cursor = &reader->cursor;
	double p[3];
	for (int32_t i = 0; i < 3; ++i)
	{
		objSkip(cursor);
		const char* after = brScanDouble(cursor->at, cursor->end, &p[i]);
		if (after == NULL)
		{
			return objFailHere(reader, "three coordinates");
		}
		cursor->at = after;
	}
	brDVec3 position = {p[0], p[1], p[2]};
	if (!brDIsFinite(position))
	{
		return brFailLine(reader->job, cursor->line, "vertex %d is not finite", reader->positions.count + 1);
	}
	if (!BR_PUSH(reader->allocator, &reader->positions, position))
	{
		return brFailMemory(reader->job->report);
	}

	float extra[4];
	int32_t extraCount = 0;
	while (!objAtEnd(cursor))
	{
		float value;
		const char* after = brScanFloat(cursor->at, cursor->end, &value);
		if (after == NULL)
		{
			return objFailHere(reader, "a number");
		}
		cursor->at = after;
		if (extraCount < 4)
		{
			extra[extraCount++] = value;
		}
	}
	bool hasColor = extraCount >= 3;
	if (!hasColor && reader->colors.count == 0)
	{
		return br_success;
	}
	for (int32_t i = 0; i < extraCount && hasColor; ++i)
	{
		extra[i] = brFiniteOrZero(extra[i], &reader->oddAttributes);
	}
	brVec4 white = {1.0f, 1.0f, 1.0f, 1.0f};
	brVec4 color = hasColor ? (brVec4){extra[0], extra[1], extra[2], extraCount == 4 ? extra[3] : 1.0f} : white;
	int32_t missing = reader->positions.count - reader->colors.count;
	if (!BR_RESERVE(reader->allocator, &reader->colors, missing))
	{
		return brFailMemory(reader->job->report);
	}
	for (; missing > 1; --missing)
	{
		reader->colors.data[reader->colors.count++] = white;
	}
	reader->colors.data[reader->colors.count++] = color;
	return br_success;
}

// vt u [v [w]] and vn x y z. Values that are not finite become 0 and are counted.
static brResult objFloats(ObjReader* reader, float* out, int32_t needed, int32_t allowed)
{
	brTextCursor* cursor = &reader->cursor;
	for (int32_t i = 0; i < allowed; ++i)
	{
		out[i] = 0.0f;
		objSkip(cursor);
		const char* after = brScanFloat(cursor->at, cursor->end, &out[i]);
		if (after == NULL && i < needed)
		{
			return objFailHere(reader, "a number");
		}
		if (after != NULL)
		{
			cursor->at = after;
			out[i] = brFiniteOrZero(out[i], &reader->oddAttributes);
		}
	}
	return objAtEnd(cursor) ? br_success : objFailHere(reader, "the end of the line");
}

static brResult objUv(ObjReader* reader)
{
	float values[3];
	brResult result = objFloats(reader, values, 1, 3);
	if (result < 0)
	{
		return result;
	}
	brVec2 uv = {values[0], values[1]};
	if (reader->uvs.count == 0 && !BR_RESERVE(reader->allocator, &reader->uvs, reader->positions.count))
	{
		return brFailMemory(reader->job->report); // as many as there are vertices, most often
	}
	return BR_PUSH(reader->allocator, &reader->uvs, uv) ? br_success : brFailMemory(reader->job->report);
}

static brResult objNormal(ObjReader* reader)
{
	float values[3];
	brResult result = objFloats(reader, values, 3, 3);
	if (result < 0)
	{
		return result;
	}
	brVec3 normal = {values[0], values[1], values[2]};
	if (reader->normals.count == 0 && !BR_RESERVE(reader->allocator, &reader->normals, reader->positions.count))
	{
		return brFailMemory(reader->job->report);
	}
	return BR_PUSH(reader->allocator, &reader->normals, normal) ? br_success : brFailMemory(reader->job->report);
}

// One index, from 1 or backwards from -1, made an index from 0. Later elements are allowed for and noted.
static inline bool objIndex(brTextCursor* cursor, int32_t count, ObjForward* forward, int32_t* outIndex)
{
	const char* at = cursor->at;
	bool isNegative = *at == '-';
	at += isNegative;
	if (!brIsDigit(*at))
	{
		return false;
	}
	int64_t value = 0;
	for (; brIsDigit(*at); ++at)
	{
		value = value <= INT32_MAX ? 10 * value + (*at - '0') : value;
	}
	cursor->at = at;
	if (value == 0 || value > count)
	{
		if (isNegative || value == 0 || value > INT32_MAX)
		{
			forward->index = isNegative ? -value : value; // can never be right: a negative line says so
			forward->line = -cursor->line;
			return true;
		}
		if (forward->line >= 0 && value > forward->index)
		{
			forward->index = value;
			forward->line = cursor->line;
		}
	}
	*outIndex = (int32_t)(isNegative ? count - value : value - 1);
	return true;
}

static brResult objFailForward(ObjReader* reader, const ObjForward* forward, const char* kind, int32_t count)
{
	int64_t line = forward->line < 0 ? -forward->line : forward->line;
	brResult result =
		brFailLine(reader->job, line, "%s %lld does not exist, there are %d", kind, (long long)forward->index, count);
	if (reader->job->report != NULL)
	{
		reader->job->report->element = forward->index;
	}
	return result;
}

// Makes an array of per-corner indices that starts late as long as the corners, with room for as many as they have room for.
static bool objCatchUp(ObjReader* reader, ObjIndices* indices)
{
	if (!BR_RESERVE(reader->allocator, indices, reader->corners.capacity - indices->count))
	{
		return false;
	}
	while (indices->count < reader->corners.count)
	{
		indices->data[indices->count++] = -1;
	}
	return true;
}

// The index of the last corner, in an array that has none until a corner has one.
static inline bool objStoreIndex(ObjReader* reader, ObjIndices* indices, int32_t index)
{
	if (index < 0 && indices->count == 0)
	{
		return true;
	}
	int32_t last = reader->corners.count - 1;
	if ((indices->count != last || last >= indices->capacity) && !objCatchUp(reader, indices))
	{
		return false;
	}
	indices->data[last] = index;
	indices->count = last + 1;
	return true;
}

// One corner: v, v/t, v//n or v/t/n.
static inline brResult objCorner(ObjReader* reader)
{
	brTextCursor* cursor = &reader->cursor;
	int32_t vertex = 0;
	int32_t uv = -1;
	int32_t normal = -1;
	if (!objIndex(cursor, reader->positions.count, &reader->forward, &vertex))
	{
		return objFailHere(reader, "a vertex index");
	}
	if (*cursor->at == '/')
	{
		cursor->at += 1;
		if (*cursor->at != '/' && (unsigned char)*cursor->at > ' ' &&
			!objIndex(cursor, reader->uvs.count, &reader->forwardUv, &uv))
		{
			return objFailHere(reader, "a texture coordinate index");
		}
		if (*cursor->at == '/')
		{
			cursor->at += 1;
			if ((unsigned char)*cursor->at > ' ' &&
				!objIndex(cursor, reader->normals.count, &reader->forwardNormal, &normal))
			{
				return objFailHere(reader, "a normal index");
			}
		}
	}
	if ((unsigned char)*cursor->at > ' ' && *cursor->at != '\\' && *cursor->at != '#')
	{
		return objFailHere(reader, "a blank behind the index");
	}
	if (reader->forward.line < 0)
	{
		return objFailForward(reader, &reader->forward, "vertex", reader->positions.count);
	}
	bool isStored = BR_PUSH(reader->allocator, &reader->corners, vertex) &&
					objStoreIndex(reader, &reader->cornerUvs, uv) &&
					objStoreIndex(reader, &reader->cornerNormals, normal);
	return isStored ? br_success : brFailMemory(reader->job->report);
}

static brResult objFace(ObjReader* reader)
{
	int32_t first = reader->corners.count;
	while (!objAtEnd(&reader->cursor))
	{
		brResult result = objCorner(reader);
		if (result < 0)
		{
			return result;
		}
	}
	if (reader->forwardUv.line < 0)
	{
		return objFailForward(reader, &reader->forwardUv, "texture coordinate", reader->uvs.count);
	}
	if (reader->forwardNormal.line < 0)
	{
		return objFailForward(reader, &reader->forwardNormal, "normal", reader->normals.count);
	}
	int32_t size = reader->corners.count - first;
	if (size < 3)
	{
		reader->skippedFaces += 1;
		reader->corners.count = first;
		reader->cornerUvs.count = first < reader->cornerUvs.count ? first : reader->cornerUvs.count;
		reader->cornerNormals.count = first < reader->cornerNormals.count ? first : reader->cornerNormals.count;
		return br_success;
	}
	return BR_PUSH(reader->allocator, &reader->faceEnds, reader->corners.count) ? br_success
																				: brFailMemory(reader->job->report);
}

static brResult objStartRun(ObjReader* reader, ObjRuns* runs, int32_t index)
{
	ObjRun run = {reader->faceEnds.count, index};
	if (runs->count > 0 && runs->data[runs->count - 1].firstFace == run.firstFace)
	{
		runs->data[runs->count - 1] = run;
		return br_success;
	}
	return BR_PUSH(reader->allocator, runs, run) ? br_success : brFailMemory(reader->job->report);
}

static brResult objGroup(ObjReader* reader)
{
	const char* name;
	size_t length = brText_RestOfLine(&reader->cursor, &name);
	int32_t index = -1;
	if (length > 0)
	{
		index = brNames_Add(&reader->groups, reader->allocator, name, length);
		if (index < 0)
		{
			return brFailMemory(reader->job->report);
		}
	}
	return objStartRun(reader, &reader->groupRuns, index);
}

static brResult objUseMaterial(ObjReader* reader)
{
	const char* name;
	size_t length = brText_RestOfLine(&reader->cursor, &name);
	int32_t index = -1;
	if (length > 0)
	{
		index = brMtl_Find(&reader->materials, reader->allocator, name, length);
		if (index < 0)
		{
			return brFailMemory(reader->job->report);
		}
	}
	return objStartRun(reader, &reader->materialRuns, index);
}

// mtllib a.mtl b.mtl
static brResult objLibrary(ObjReader* reader)
{
	const char* names;
	size_t length = brText_RestOfLine(&reader->cursor, &names);
	return brMtl_ReadLibraries(&reader->materials, reader->job, names, length);
}

static bool objIsIgnoredWord(const char* word, size_t length)
{
	static const char* const ignored[] = {"l",         "p",        "s",      "vp",    "deg",   "bmat",   "step",
										  "cstype",    "curv",     "curv2",  "surf",  "parm",  "trim",   "hole",
										  "scrv",      "sp",       "end",    "con",   "mg",    "lod",    "bevel",
										  "c_interp",  "d_interp", "usemap", "ctech", "stech", "maplib", "shadow_obj",
										  "trace_obj", "call",     "csh"};
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); ++i)
	{
		if (strlen(ignored[i]) == length && memcmp(ignored[i], word, length) == 0)
		{
			return true;
		}
	}
	return false;
}

// Everything but v, vt, vn and f.
static brResult objOther(ObjReader* reader)
{
	const char* word;
	brTextCursor* cursor = &reader->cursor;
	size_t length = brText_Word(cursor, &word);
	bool isGroup = length == 1 && (*word == 'g' || *word == 'o');
	bool isUse = length == 6 && memcmp(word, "usemtl", 6) == 0;
	bool isLibrary = length == 6 && memcmp(word, "mtllib", 6) == 0;
	if (isGroup || isUse || isLibrary)
	{
		reader->statements += 1;
		return isGroup ? objGroup(reader) : isUse ? objUseMaterial(reader) : objLibrary(reader);
	}
	if (objIsIgnoredWord(word, length))
	{
		reader->statements += 1;
	}
	else if (reader->strangeLine == 0)
	{
		reader->strangeLine = cursor->line;
	}
	while (!brText_AtLineEnd(cursor))
	{
		cursor->at += 1;
		objSkip(cursor);
	}
	return br_success;
}

// The word before ends here.
static inline bool objIsBlank(char c)
{
	return (unsigned char)c <= ' ';
}

static brResult objReadStatements(ObjReader* reader)
{
	brTextCursor* cursor = &reader->cursor;
	int64_t nextCheck = 0;
	while (cursor->at < cursor->end)
	{
		if (cursor->line >= nextCheck)
		{
			brResult canceled = brCheckCancel(reader->job, (size_t)(cursor->at - (const char*)reader->job->bytes));
			if (canceled < 0)
			{
				return canceled;
			}
			nextCheck = cursor->line + 65536;
		}
		objSkip(cursor);
		const char* at = cursor->at;
		brResult result = br_success;
		if (at[0] == 'v' && objIsBlank(at[1]))
		{
			cursor->at += 1;
			result = objVertex(reader);
		}
		else if (at[0] == 'f' && objIsBlank(at[1]))
		{
			cursor->at += 1;
			result = objFace(reader);
		}
		else if (at[0] == 'v' && at[1] == 'n' && objIsBlank(at[2]))
		{
			cursor->at += 2;
			result = objNormal(reader);
		}
		else if (at[0] == 'v' && at[1] == 't' && objIsBlank(at[2]))
		{
			cursor->at += 2;
			result = objUv(reader);
		}
		else if (!brText_AtLineEnd(cursor) && at[0] != '#')
		{
			result = objOther(reader);
		}
		if (result < 0)
		{
			return result;
		}
		brText_NextLine(cursor);
	}
	return br_success;
}

// Every index that named something not there yet has been caught up with.
static brResult objCheckForward(ObjReader* reader)
{
	if (reader->forward.index > reader->positions.count)
	{
		return objFailForward(reader, &reader->forward, "vertex", reader->positions.count);
	}
	if (reader->forwardUv.index > reader->uvs.count)
	{
		return objFailForward(reader, &reader->forwardUv, "texture coordinate", reader->uvs.count);
	}
	if (reader->forwardNormal.index > reader->normals.count)
	{
		return objFailForward(reader, &reader->forwardNormal, "normal", reader->normals.count);
	}
	bool isEmpty = reader->positions.count == 0 && reader->statements == 0;
	if (isEmpty && reader->strangeLine > 0)
	{
		return brFailLine(reader->job, reader->strangeLine, "this is no OBJ file, no line of it is understood");
	}
	return br_success;
}

static void objExpandRuns(const ObjRuns* runs, int32_t* faces, int32_t faceCount)
{
	int32_t index = -1;
	int32_t next = 0;
	for (int32_t f = 0; f < faceCount; ++f)
	{
		for (; next < runs->count && runs->data[next].firstFace <= f; ++next)
		{
			index = runs->data[next].index;
		}
		faces[f] = index;
	}
}

static brMesh* objBuildMesh(ObjReader* reader)
{
	brMeshShape shape = {
		.vertexCount = reader->positions.count,
		.faceCount = reader->faceEnds.count,
		.cornerCount = reader->corners.count,
		.materialCount = reader->materials.materials.count,
		.groupCount = reader->groups.list.count,
		.hasUvs = reader->cornerUvs.count > 0,
		.hasNormals = reader->cornerNormals.count > 0,
		.hasColors = reader->colors.count > 0,
		.hasFaceMaterials = reader->materialRuns.count > 0,
		.hasFaceGroups = reader->groupRuns.count > 0,
	};
	brMesh* mesh = brAllocMesh(reader->allocator, &shape);
	if (mesh == NULL)
	{
		return NULL;
	}
	if (shape.vertexCount > 0)
	{
		memcpy(mesh->positions, reader->positions.data, (size_t)shape.vertexCount * sizeof(brDVec3));
	}
	if (shape.hasColors)
	{
		memcpy(mesh->colors, reader->colors.data, (size_t)shape.vertexCount * sizeof(brVec4));
	}
	if (shape.faceCount > 0)
	{
		memcpy(mesh->faceStarts + 1, reader->faceEnds.data, (size_t)shape.faceCount * sizeof(int32_t));
		memcpy(mesh->corners, reader->corners.data, (size_t)shape.cornerCount * sizeof(int32_t));
	}
	for (int32_t c = 0; c < reader->cornerUvs.count; ++c)
	{
		int32_t index = reader->cornerUvs.data[c];
		mesh->uvs[c] = index >= 0 ? reader->uvs.data[index] : (brVec2){0};
	}
	for (int32_t c = 0; c < reader->cornerNormals.count; ++c)
	{
		int32_t index = reader->cornerNormals.data[c];
		mesh->normals[c] = index >= 0 ? reader->normals.data[index] : (brVec3){0};
	}
	if (shape.hasFaceGroups)
	{
		objExpandRuns(&reader->groupRuns, mesh->faceGroups, shape.faceCount);
	}
	if (shape.hasFaceMaterials)
	{
		objExpandRuns(&reader->materialRuns, mesh->faceMaterials, shape.faceCount);
	}
	if (shape.groupCount > 0)
	{
		memcpy(mesh->groupNames, reader->groups.list.data, (size_t)shape.groupCount * sizeof(brName));
	}
	if (shape.materialCount > 0)
	{
		memcpy(mesh->materials, reader->materials.materials.data,
			   (size_t)shape.materialCount * sizeof(brSurfaceMaterial));
	}
	return mesh;
}

static void objFree(ObjReader* reader)
{
	BR_FREE_ARRAY(reader->allocator, &reader->positions);
	BR_FREE_ARRAY(reader->allocator, &reader->colors);
	BR_FREE_ARRAY(reader->allocator, &reader->uvs);
	BR_FREE_ARRAY(reader->allocator, &reader->normals);
	BR_FREE_ARRAY(reader->allocator, &reader->faceEnds);
	BR_FREE_ARRAY(reader->allocator, &reader->corners);
	BR_FREE_ARRAY(reader->allocator, &reader->cornerUvs);
	BR_FREE_ARRAY(reader->allocator, &reader->cornerNormals);
	BR_FREE_ARRAY(reader->allocator, &reader->groupRuns);
	BR_FREE_ARRAY(reader->allocator, &reader->materialRuns);
	brNames_Free(&reader->groups, reader->allocator);
	brMtl_Free(&reader->materials, reader->allocator);
}

// What a big file of triangles and long numbers needs, so that the arrays seldom move. Memory that is not touched is
// free.
static bool objReserve(ObjReader* reader)
{
	int64_t bytes = (int64_t)reader->job->byteCount;
	bytes = bytes < INT32_MAX ? bytes : INT32_MAX;
	return BR_RESERVE(reader->allocator, &reader->positions, bytes / 100) &&
		   BR_RESERVE(reader->allocator, &reader->faceEnds, bytes / 50) &&
		   BR_RESERVE(reader->allocator, &reader->corners, bytes / 17);
}

brResult brReadObj(const brReadJob* job, brAssembly* assembly)
{
	ObjReader reader = {.job = job, .allocator = &job->allocator};
	reader.cursor = brMakeTextCursor(job->bytes, job->byteCount);
	brResult result = objReserve(&reader) ? objReadStatements(&reader) : brFailMemory(job->report);
	if (result >= 0)
	{
		result = objCheckForward(&reader);
	}
	if (result >= 0)
	{
		brMesh* mesh = objBuildMesh(&reader);
		result = mesh != NULL ? brAddReadMesh(job, assembly, mesh, NULL) : brFailMemory(job->report);
	}
	if (result >= 0 && reader.materials.missing[0] != 0)
	{
		result = brFail(job->report, br_remarkDropped, "%.100s: the material file %s cannot be read, names are kept",
						job->name, reader.materials.missing);
	}
	else if (result >= 0)
	{
		result = brRemarkRead(job, reader.oddAttributes, reader.skippedFaces);
	}
	objFree(&reader);
	return result;
}
