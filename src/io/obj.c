// SPDX-License-Identifier: MIT

// Reads Wavefront OBJ: polygons with texture coordinates and normals, vertex colors (x y z r g b), groups, materials.
//
// Vertices stay exactly as the `v` lines give them. Both `g` and `o` start a group, the last one counts; a bare one ends
// it. Lines, points and free-form shapes are passed over. Faces may name vertices that come later: the largest index is
// remembered with its line and judged at the end. Materials come from the .mtl files where they can be read, else
// `usemtl` gives their names alone.
//
// Several workers read a big file in parts, and what they hold is put together in order. What needs all that stands
// before it, an index counted backwards, and whatever is wrong, makes us read the file once more as one part, which
// knows its lines.

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

// The largest index that named something, and its first line; a line below zero: an index that can never be right.
typedef struct ObjLargest
{
	int64_t index;
	int64_t line;
	int32_t digits; // of the index before
} ObjLargest;

// A line with g, o, usemtl or mtllib. They are few, and wait until all parts are read.
typedef struct ObjStatement
{
	brTextCursor cursor;
	int32_t face; // of its part, that follows
} ObjStatement;

// A stretch of whole lines, and what they give. Indices are those of the file.
typedef struct ObjPart
{
	brReadJob job;
	const brAllocator* allocator;
	brTextCursor cursor;
	bool isWhole; // there is no other

	BR_ARRAY(brDVec3) positions;
	BR_ARRAY(brVec4) colors; // empty until a vertex has one, then one each
	BR_ARRAY(brVec2) uvs;
	BR_ARRAY(brVec3) normals;

	ObjIndices faceEnds;
	ObjIndices corners;
	ObjIndices cornerUvs; // empty until a corner has one, then one each, -1 for none
	ObjIndices cornerNormals;
	ObjLargest largest, largestUv, largestNormal;
	BR_ARRAY(ObjStatement) statements;

	int64_t knownLines;    // of statements that are known
	int64_t strangeLine;   // first line that starts with no known word
	int32_t skippedFaces;  // with fewer than three corners
	int64_t oddAttributes; // numbers of normals, texture coordinates and colors that were not finite
	brResult result;

	int32_t firstVertex, firstUv, firstNormal, firstFace, firstCorner; // in the file
} ObjPart;

typedef struct ObjReader
{
	const brReadJob* job;
	const brAllocator* allocator;
	ObjPart* parts;
	int32_t partCount, partCapacity;
	int32_t firstPart; // of those that are read now
	brMesh* mesh;
	brVec2* uvs;     // [uvCount] of all parts; those of the part if there is one only
	brVec3* normals; // [normalCount]
	int64_t uvCount, normalCount;
	brNames groups;
	brMtlList materials;
	ObjRuns groupRuns;
	ObjRuns materialRuns;
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

static brResult objFailHere(ObjPart* part, const char* expected)
{
	const char* word;
	brTextCursor ahead = part->cursor;
	size_t length = brText_Word(&ahead, &word);
	return length > 0 ? brFailLine(&part->job, part->cursor.line, "%s expected, \"%.*s\" found", expected,
								   (int)(length < 40 ? length : 40), word)
					  : brFailLine(&part->job, part->cursor.line, "%s expected, the line ends", expected);
}

// v x y z [w] or v x y z r g b [a]
static brResult objVertex(ObjPart* part)
{
	brTextCursor* cursor = &part->cursor;
	double p[3];
	for (int32_t i = 0; i < 3; ++i)
	{
		objSkip(cursor);
		const char* after = brScanDouble(cursor->at, cursor->end, &p[i]);
		if (after == NULL)
		{
			return objFailHere(part, "three coordinates");
		}
		cursor->at = after;
	}
	brDVec3 position = {p[0], p[1], p[2]};
	if (!brDIsFinite(position))
	{
		return brFailLine(&part->job, cursor->line, "vertex %d is not finite", part->positions.count + 1);
	}
	if (!BR_PUSH(part->allocator, &part->positions, position))
	{
		return brFailMemory(part->job.report);
	}

	float extra[4];
	int32_t extraCount = 0;
	while (!objAtEnd(cursor))
	{
		float value;
		const char* after = brScanFloat(cursor->at, cursor->end, &value);
		if (after == NULL)
		{
			return objFailHere(part, "a number");
		}
		cursor->at = after;
		if (extraCount < 4)
		{
			extra[extraCount++] = value;
		}
	}
	bool hasColor = extraCount >= 3;
	if (!hasColor && part->colors.count == 0)
	{
		return br_success;
	}
	for (int32_t i = 0; i < extraCount && hasColor; ++i)
	{
		extra[i] = brFiniteOrZero(extra[i], &part->oddAttributes);
	}
	brVec4 white = {1.0f, 1.0f, 1.0f, 1.0f};
	brVec4 color = hasColor ? (brVec4){extra[0], extra[1], extra[2], extraCount == 4 ? extra[3] : 1.0f} : white;
	int32_t missing = part->positions.count - part->colors.count;
	if (!BR_RESERVE(part->allocator, &part->colors, missing))
	{
		return brFailMemory(part->job.report);
	}
	for (; missing > 1; --missing)
	{
		part->colors.data[part->colors.count++] = white;
	}
	part->colors.data[part->colors.count++] = color;
	return br_success;
}

// vt u [v [w]] and vn x y z. Values that are not finite become 0 and are counted.
static brResult objFloats(ObjPart* part, float out[3], int32_t needed)
{
	brTextCursor* cursor = &part->cursor;
	for (int32_t i = 0; i < 3; ++i)
	{
		out[i] = 0.0f;
		objSkip(cursor);
		const char* after = brScanFloat(cursor->at, cursor->end, &out[i]);
		if (after == NULL && i < needed)
		{
			return objFailHere(part, "a number");
		}
		if (after != NULL)
		{
			cursor->at = after;
			out[i] = brFiniteOrZero(out[i], &part->oddAttributes);
		}
	}
	return objAtEnd(cursor) ? br_success : objFailHere(part, "the end of the line");
}

static brResult objUv(ObjPart* part)
{
	float values[3];
	brResult result = objFloats(part, values, 1);
	if (result < 0)
	{
		return result;
	}
	brVec2 uv = {values[0], values[1]};
	if (part->uvs.count == 0 && !BR_RESERVE(part->allocator, &part->uvs, part->positions.count))
	{
		return brFailMemory(part->job.report); // as many as there are vertices, most often
	}
	return BR_PUSH(part->allocator, &part->uvs, uv) ? br_success : brFailMemory(part->job.report);
}

static brResult objNormal(ObjPart* part)
{
	float values[3];
	brResult result = objFloats(part, values, 3);
	if (result < 0)
	{
		return result;
	}
	brVec3 normal = {values[0], values[1], values[2]};
	if (part->normals.count == 0 && !BR_RESERVE(part->allocator, &part->normals, part->positions.count))
	{
		return brFailMemory(part->job.report);
	}
	return BR_PUSH(part->allocator, &part->normals, normal) ? br_success : brFailMemory(part->job.report);
}

// One index, from 1 or backwards from -1, made an index from 0. Later elements are allowed for and noted.
static inline bool objIndex(ObjPart* part, int32_t count, ObjLargest* largest, int32_t* outIndex)
{
	brTextCursor* cursor = &part->cursor;
	int32_t few;
	int64_t value = 0;
	bool isNegative = false;
	if (brScanFewDigits(&cursor->at, cursor->end, &largest->digits, &few))
	{
		value = few;
	}
	else
	{
		const char* at = cursor->at;
		isNegative = *at == '-';
		at += isNegative;
		if (!brIsDigit(*at))
		{
			return false;
		}
		for (; brIsDigit(*at); ++at)
		{
			value = value <= INT32_MAX ? 10 * value + (*at - '0') : value;
		}
		cursor->at = at;
	}
	if (isNegative || value > largest->index || value == 0)
	{
		bool isWrong = value == 0 || (isNegative ? value > count || !part->isWhole : value > INT32_MAX);
		if (isWrong)
		{
			largest->index = isNegative ? -value : value;
			largest->line = -cursor->line;
			return true;
		}
		if (!isNegative && largest->line >= 0)
		{
			largest->index = value;
			largest->line = cursor->line;
		}
	}
	*outIndex = (int32_t)(isNegative ? count - value : value - 1);
	return true;
}

static brResult objFailLargest(const ObjPart* part, const ObjLargest* largest, const char* kind, int32_t count)
{
	int64_t line = largest->line < 0 ? -largest->line : largest->line;
	brResult result =
		brFailLine(&part->job, line, "%s %lld does not exist, there are %d", kind, (long long)largest->index, count);
	if (part->job.report != NULL)
	{
		part->job.report->element = largest->index;
	}
	return result;
}

// Makes an array of per-corner indices that starts late as long as the corners, with room for as many as they have room
// for.
static bool objCatchUp(ObjPart* part, ObjIndices* indices)
{
	if (!BR_RESERVE(part->allocator, indices, part->corners.capacity - indices->count))
	{
		return false;
	}
	while (indices->count < part->corners.count)
	{
		indices->data[indices->count++] = -1;
	}
	return true;
}

// The index of the last corner, in an array that has none until a corner has one.
static inline bool objStoreIndex(ObjPart* part, ObjIndices* indices, int32_t index)
{
	if (index < 0 && indices->count == 0)
	{
		return true;
	}
	int32_t last = part->corners.count - 1;
	if ((indices->count != last || last >= indices->capacity) && !objCatchUp(part, indices))
	{
		return false;
	}
	indices->data[last] = index;
	indices->count = last + 1;
	return true;
}

// One corner: v, v/t, v//n or v/t/n.
static inline brResult objCorner(ObjPart* part)
{
	brTextCursor* cursor = &part->cursor;
	int32_t vertex = 0;
	int32_t uv = -1;
	int32_t normal = -1;
	if (!objIndex(part, part->positions.count, &part->largest, &vertex))
	{
		return objFailHere(part, "a vertex index");
	}
	if (*cursor->at == '/')
	{
		cursor->at += 1;
		if (*cursor->at != '/' && (unsigned char)*cursor->at > ' ' &&
			!objIndex(part, part->uvs.count, &part->largestUv, &uv))
		{
			return objFailHere(part, "a texture coordinate index");
		}
		if (*cursor->at == '/')
		{
			cursor->at += 1;
			if ((unsigned char)*cursor->at > ' ' && !objIndex(part, part->normals.count, &part->largestNormal, &normal))
			{
				return objFailHere(part, "a normal index");
			}
		}
	}
	if ((unsigned char)*cursor->at > ' ' && *cursor->at != '\\' && *cursor->at != '#')
	{
		return objFailHere(part, "a blank behind the index");
	}
	if (part->largest.line < 0)
	{
		return objFailLargest(part, &part->largest, "vertex", part->positions.count);
	}
	bool isStored = BR_PUSH(part->allocator, &part->corners, vertex) && objStoreIndex(part, &part->cornerUvs, uv) &&
					objStoreIndex(part, &part->cornerNormals, normal);
	return isStored ? br_success : brFailMemory(part->job.report);
}

static brResult objFace(ObjPart* part)
{
	int32_t first = part->corners.count;
	while (!objAtEnd(&part->cursor))
	{
		brResult result = objCorner(part);
		if (result < 0)
		{
			return result;
		}
	}
	if (part->largestUv.line < 0)
	{
		return objFailLargest(part, &part->largestUv, "texture coordinate", part->uvs.count);
	}
	if (part->largestNormal.line < 0)
	{
		return objFailLargest(part, &part->largestNormal, "normal", part->normals.count);
	}
	int32_t size = part->corners.count - first;
	if (size < 3)
	{
		part->skippedFaces += 1;
		part->corners.count = first;
		part->cornerUvs.count = first < part->cornerUvs.count ? first : part->cornerUvs.count;
		part->cornerNormals.count = first < part->cornerNormals.count ? first : part->cornerNormals.count;
		return br_success;
	}
	return BR_PUSH(part->allocator, &part->faceEnds, part->corners.count) ? br_success : brFailMemory(part->job.report);
}

static brResult objStartRun(ObjReader* reader, ObjRuns* runs, int32_t face, int32_t index)
{
	ObjRun run = {face, index};
	if (runs->count > 0 && runs->data[runs->count - 1].firstFace == run.firstFace)
	{
		runs->data[runs->count - 1] = run;
		return br_success;
	}
	return BR_PUSH(reader->allocator, runs, run) ? br_success : brFailMemory(reader->job->report);
}

// g, o and usemtl with the rest of the line as name, mtllib a.mtl b.mtl. `face` is the one that follows.
static brResult objStatement(ObjReader* reader, brTextCursor cursor, int32_t face)
{
	const char *word, *name;
	brText_Word(&cursor, &word);
	size_t length = brText_RestOfLine(&cursor, &name);
	bool isUse = word[0] == 'u';
	if (word[0] == 'm')
	{
		return brMtl_ReadLibraries(&reader->materials, reader->job, name, length);
	}
	int32_t index = -1;
	if (length > 0)
	{
		index = isUse ? brMtl_Find(&reader->materials, reader->allocator, name, length)
					  : brNames_Add(&reader->groups, reader->allocator, name, length);
		if (index < 0)
		{
			return brFailMemory(reader->job->report);
		}
	}
	return objStartRun(reader, isUse ? &reader->materialRuns : &reader->groupRuns, face, index);
}

static bool objIsIgnoredWord(const char* word, size_t length)
{
	static const char* const ignored[] = {"l",         "p",        "s",      "vp",    "deg",   "bmat",   "step",
										  "cstype",    "curv",     "curv2",  "surf",  "parm",  "trim",   "hole",
										  "scrv",      "sp",       "end",    "con",   "mg",    "lod",    "bevel",
										  "c_interp",  "d_interp", "usemap", "ctech", "stech", "maplib", "shadow_obj",
										  "trace_obj", "call",     "csh"};
	for (int32_t i = 0; i < BR_COUNT(ignored); ++i)
	{
		if (strlen(ignored[i]) == length && memcmp(ignored[i], word, length) == 0)
		{
			return true;
		}
	}
	return false;
}

// Everything but v, vt, vn and f.
static brResult objOther(ObjPart* part)
{
	const char* word;
	brTextCursor* cursor = &part->cursor;
	ObjStatement statement = {*cursor, part->faceEnds.count};
	size_t length = brText_Word(cursor, &word);
	bool isKept = (length == 1 && (*word == 'g' || *word == 'o')) ||
				  (length == 6 && (memcmp(word, "usemtl", 6) == 0 || memcmp(word, "mtllib", 6) == 0));
	if (isKept)
	{
		const char* rest;
		brText_RestOfLine(cursor, &rest);
		part->knownLines += 1;
		return BR_PUSH(part->allocator, &part->statements, statement) ? br_success : brFailMemory(part->job.report);
	}
	if (objIsIgnoredWord(word, length))
	{
		part->knownLines += 1;
	}
	else if (part->strangeLine == 0)
	{
		part->strangeLine = cursor->line;
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

static brResult objReadStatements(ObjPart* part)
{
	brTextCursor* cursor = &part->cursor;
	int64_t nextCheck = 0;
	while (cursor->at < cursor->end)
	{
		if (cursor->line >= nextCheck)
		{
			brResult canceled = brCheckCancel(&part->job, (size_t)(cursor->at - (const char*)part->job.bytes));
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
			result = objVertex(part);
		}
		else if (at[0] == 'f' && objIsBlank(at[1]))
		{
			cursor->at += 1;
			result = objFace(part);
		}
		else if (at[0] == 'v' && at[1] == 'n' && objIsBlank(at[2]))
		{
			cursor->at += 2;
			result = objNormal(part);
		}
		else if (at[0] == 'v' && at[1] == 't' && objIsBlank(at[2]))
		{
			cursor->at += 2;
			result = objUv(part);
		}
		else if (!brText_AtLineEnd(cursor) && at[0] != '#')
		{
			result = objOther(part);
		}
		if (result < 0)
		{
			return result;
		}
		brText_NextLine(cursor);
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

// What a big part of triangles and long numbers needs, so that the arrays seldom move. Memory that is not touched is
// free.
static bool objReserve(ObjPart* part)
{
	int64_t bytes = part->cursor.end - part->cursor.at;
	bytes = bytes < INT32_MAX ? bytes : INT32_MAX;
	return BR_RESERVE(part->allocator, &part->positions, bytes / 100) &&
		   BR_RESERVE(part->allocator, &part->faceEnds, bytes / 50) &&
		   BR_RESERVE(part->allocator, &part->corners, bytes / 17);
}

static void objReadParts(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	ObjReader* reader = user;
	for (int32_t i = reader->firstPart + begin; i < reader->firstPart + end; ++i)
	{
		ObjPart* part = &reader->parts[i];
		part->result = objReserve(part) ? objReadStatements(part) : brFailMemory(part->job.report);
	}
}

// The end of the part that begins here: behind a line that does not go on in the next.
static const char* objPartEnd(const char* start, const char* end)
{
	const char *at = brText_PartEnd(start, end, BR_TEXT_PART), *last;
	do
	{
		last = at - 1;
		while (last > start && (unsigned char)*last <= ' ')
		{
			last -= 1;
		}
		const char* feed = *last == '\\' ? memchr(at, '\n', (size_t)(end - at)) : NULL;
		at = *last != '\\' ? at : feed != NULL ? feed + 1 : end;
	} while (*last == '\\' && at < end);
	return at;
}

// Cuts the text into parts, or makes one of it.
static bool objMakeParts(ObjReader* reader, bool isWhole)
{
	const brReadJob* job = reader->job;
	const char *start = (const char*)job->bytes, *end = start + job->byteCount;
	int32_t most = isWhole ? 1 : (int32_t)(job->byteCount / BR_TEXT_PART) + 1;
	reader->parts = BR_ALLOC_ZERO(reader->allocator, ObjPart, most);
	reader->partCapacity = most;
	for (const char* at = start; reader->parts != NULL && (at < end || reader->partCount == 0);)
	{
		const char* next = isWhole ? end : objPartEnd(at, end);
		ObjPart* part = &reader->parts[reader->partCount++];
		part->job = *job;
		part->allocator = reader->allocator;
		part->cursor = (brTextCursor){at, next, 1};
		at = next;
	}
	bool isOne = reader->partCount == 1;
	for (int32_t i = 0; i < reader->partCount; ++i)
	{
		// Parts do not speak: what is wrong is said when all is read once more.
		ObjPart* part = &reader->parts[i];
		part->isWhole = isOne;
		part->job.context = isOne ? job->context : NULL;
		part->job.report = isOne ? job->report : NULL;
	}
	return reader->parts != NULL;
}

// Where each part begins in the whole, and what all of them hold. False if that is too much to count.
static bool objCount(ObjReader* reader, brMeshShape* outShape)
{
	int64_t vertices = 0, faces = 0, corners = 0;
	reader->uvCount = reader->normalCount = 0;
	for (int32_t i = 0; i < reader->partCount; ++i)
	{
		ObjPart* part = &reader->parts[i];
		part->firstVertex = (int32_t)vertices, part->firstFace = (int32_t)faces, part->firstCorner = (int32_t)corners;
		part->firstUv = (int32_t)reader->uvCount, part->firstNormal = (int32_t)reader->normalCount;
		vertices += part->positions.count, faces += part->faceEnds.count, corners += part->corners.count;
		reader->uvCount += part->uvs.count, reader->normalCount += part->normals.count;
		outShape->hasUvs |= part->cornerUvs.count > 0;
		outShape->hasNormals |= part->cornerNormals.count > 0;
		outShape->hasColors |= part->colors.count > 0;
		if (vertices > INT32_MAX || faces > INT32_MAX || corners > INT32_MAX || reader->uvCount > INT32_MAX ||
			reader->normalCount > INT32_MAX)
		{
			return false;
		}
	}
	outShape->vertexCount = (int32_t)vertices, outShape->faceCount = (int32_t)faces;
	outShape->cornerCount = (int32_t)corners;
	return true;
}

// Every index names something.
static brResult objCheckLargest(const ObjPart* part, int64_t vertices, int64_t uvs, int64_t normals)
{
	return part->largest.index > vertices ? objFailLargest(part, &part->largest, "vertex", (int32_t)vertices)
		   : part->largestUv.index > uvs  ? objFailLargest(part, &part->largestUv, "texture coordinate", (int32_t)uvs)
		   : part->largestNormal.index > normals
			   ? objFailLargest(part, &part->largestNormal, "normal", (int32_t)normals)
			   : br_success;
}

// Success, or what is wrong: said if there is one part only.
static brResult objJudge(ObjReader* reader, const brMeshShape* shape)
{
	int64_t known = 0;
	brResult result = br_success;
	for (int32_t i = 0; i < reader->partCount && result >= 0; ++i)
	{
		const ObjPart* part = &reader->parts[i];
		known += part->knownLines;
		result = part->result < 0 ? part->result
								  : objCheckLargest(part, shape->vertexCount, reader->uvCount, reader->normalCount);
	}
	if (result >= 0 && shape->vertexCount == 0 && known == 0 && reader->parts[0].strangeLine > 0)
	{
		return brFailLine(&reader->parts[0].job, reader->parts[0].strangeLine,
						  "this is no OBJ file, no line of it is understood");
	}
	return result;
}

#define OBJ_COPY(to, array, first)                                                                                     \
	((array).count > 0 ? memcpy((to) + (first), (array).data, (size_t)(array).count * sizeof(*(array).data)) : NULL)

// Copies what has its place in the whole.
static void objCopyParts(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	ObjReader* reader = user;
	brMesh* mesh = reader->mesh;
	for (int32_t i = begin; i < end; ++i)
	{
		const ObjPart* part = &reader->parts[i];
		OBJ_COPY(mesh->positions, part->positions, part->firstVertex);
		OBJ_COPY(mesh->corners, part->corners, part->firstCorner);
		if (!part->isWhole)
		{
			OBJ_COPY(reader->uvs, part->uvs, part->firstUv);
			OBJ_COPY(reader->normals, part->normals, part->firstNormal);
		}
		for (int32_t v = 0; v < part->positions.count && mesh->colors != NULL; ++v)
		{
			mesh->colors[part->firstVertex + v] =
				v < part->colors.count ? part->colors.data[v] : (brVec4){1.0f, 1.0f, 1.0f, 1.0f};
		}
		for (int32_t f = 0; f < part->faceEnds.count; ++f)
		{
			mesh->faceStarts[part->firstFace + f + 1] = part->firstCorner + part->faceEnds.data[f];
		}
	}
}

// Then corners look up what they name.
static void objFillCorners(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	ObjReader* reader = user;
	brMesh* mesh = reader->mesh;
	for (int32_t i = begin; i < end; ++i)
	{
		const ObjPart* part = &reader->parts[i];
		for (int32_t c = 0; c < part->corners.count && mesh->uvs != NULL; ++c)
		{
			int32_t index = c < part->cornerUvs.count ? part->cornerUvs.data[c] : -1;
			mesh->uvs[part->firstCorner + c] = index >= 0 ? reader->uvs[index] : (brVec2){0};
		}
		for (int32_t c = 0; c < part->corners.count && mesh->normals != NULL; ++c)
		{
			int32_t index = c < part->cornerNormals.count ? part->cornerNormals.data[c] : -1;
			mesh->normals[part->firstCorner + c] = index >= 0 ? reader->normals[index] : (brVec3){0};
		}
	}
}

static brResult objBuildMesh(ObjReader* reader, brMeshShape* shape)
{
	for (int32_t i = 0; i < reader->partCount; ++i)
	{
		const ObjPart* part = &reader->parts[i];
		for (int32_t k = 0; k < part->statements.count; ++k)
		{
			const ObjStatement* statement = &part->statements.data[k];
			brResult result = objStatement(reader, statement->cursor, part->firstFace + statement->face);
			if (result < 0)
			{
				return result;
			}
		}
	}
	shape->materialCount = reader->materials.materials.count;
	shape->groupCount = reader->groups.list.count;
	shape->hasFaceMaterials = reader->materialRuns.count > 0;
	shape->hasFaceGroups = reader->groupRuns.count > 0;
	bool isOne = reader->partCount == 1;
	reader->uvs = isOne ? reader->parts[0].uvs.data : BR_ALLOC(reader->allocator, brVec2, reader->uvCount);
	reader->normals = isOne ? reader->parts[0].normals.data : BR_ALLOC(reader->allocator, brVec3, reader->normalCount);
	reader->mesh = brAllocMesh(reader->allocator, shape);
	if (reader->mesh == NULL || (reader->uvCount > 0 && reader->uvs == NULL) ||
		(reader->normalCount > 0 && reader->normals == NULL))
	{
		return brFailMemory(reader->job->report);
	}
	brWorkers* workers = reader->job->context != NULL ? reader->job->context->workers : NULL;
	brParallelFor(workers, reader->partCount, 1, objCopyParts, reader);
	brParallelFor(workers, reader->partCount, 1, objFillCorners, reader);
	brMesh* mesh = reader->mesh;
	if (shape->hasFaceGroups)
	{
		objExpandRuns(&reader->groupRuns, mesh->faceGroups, shape->faceCount);
	}
	if (shape->hasFaceMaterials)
	{
		objExpandRuns(&reader->materialRuns, mesh->faceMaterials, shape->faceCount);
	}
	if (shape->groupCount > 0)
	{
		memcpy(mesh->groupNames, reader->groups.list.data, (size_t)shape->groupCount * sizeof(brName));
	}
	if (shape->materialCount > 0)
	{
		memcpy(mesh->materials, reader->materials.materials.data,
			   (size_t)shape->materialCount * sizeof(brSurfaceMaterial));
	}
	return br_success;
}

static void objFree(ObjReader* reader)
{
	for (int32_t i = 0; i < reader->partCount; ++i)
	{
		ObjPart* part = &reader->parts[i];
		BR_FREE_ARRAY(part->allocator, &part->positions);
		BR_FREE_ARRAY(part->allocator, &part->colors);
		BR_FREE_ARRAY(part->allocator, &part->uvs);
		BR_FREE_ARRAY(part->allocator, &part->normals);
		BR_FREE_ARRAY(part->allocator, &part->faceEnds);
		BR_FREE_ARRAY(part->allocator, &part->corners);
		BR_FREE_ARRAY(part->allocator, &part->cornerUvs);
		BR_FREE_ARRAY(part->allocator, &part->cornerNormals);
		BR_FREE_ARRAY(part->allocator, &part->statements);
	}
	BR_FREE(reader->allocator, reader->parts, reader->partCapacity);
	if (reader->partCount > 1)
	{
		BR_FREE(reader->allocator, reader->uvs, reader->uvCount);
		BR_FREE(reader->allocator, reader->normals, reader->normalCount);
	}
	BR_FREE_ARRAY(reader->allocator, &reader->groupRuns);
	BR_FREE_ARRAY(reader->allocator, &reader->materialRuns);
	brNames_Free(&reader->groups, reader->allocator);
	brMtl_Free(&reader->materials, reader->allocator);
	brDestroyMesh(reader->mesh);
}

static brResult objRead(const brReadJob* job, brAssembly* assembly, bool isWhole)
{
	ObjReader reader = {.job = job, .allocator = &job->allocator};
	brMeshShape shape = {0};
	if (!objMakeParts(&reader, isWhole))
	{
		return brFailMemory(job->report);
	}
	bool isOne = reader.partCount == 1;
	brResult result = brReadParts(job, reader.partCount, reader.partCount, &reader.firstPart, objReadParts, &reader);
	bool isRead = result >= 0;
	result = !isRead ? result : objCount(&reader, &shape) ? objJudge(&reader, &shape) : br_errorLimit;
	if (isRead && result < 0 && !isOne)
	{
		objFree(&reader);
		return result == br_errorMemory ? brFailMemory(job->report) : objRead(job, assembly, true);
	}
	result = result >= 0 ? objBuildMesh(&reader, &shape) : result;
	int64_t odd = 0;
	int32_t skipped = 0;
	for (int32_t i = 0; i < reader.partCount; ++i)
	{
		odd += reader.parts[i].oddAttributes;
		skipped += reader.parts[i].skippedFaces;
	}
	if (result >= 0)
	{
		brMesh* mesh = reader.mesh;
		reader.mesh = NULL;
		result = brAddReadMesh(job, assembly, mesh, NULL);
	}
	if (result >= 0 && reader.materials.missing[0] != 0)
	{
		result = brFail(job->report, br_remarkDropped, "%.100s: the material file %s cannot be read, names are kept",
						job->name, reader.materials.missing);
	}
	else if (result >= 0)
	{
		result = brRemarkRead(job, odd, skipped);
	}
	objFree(&reader);
	return result;
}

brResult brReadObj(const brReadJob* job, brAssembly* assembly)
{
	return objRead(job, assembly, !brReadJob_IsShared(job));
}
