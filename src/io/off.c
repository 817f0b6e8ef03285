// SPDX-License-Identifier: MIT

// OFF, the object file format of Geomview: [ST][C][N]OFF, text.
//
// Holds doubles, polygons, and one normal, color and texture coordinate a vertex, in that order behind the position.
// The first word may be missing. A vertex is a line: what the first word does not announce is passed over, as are
// colors of faces. Colors are 0 to 1, or 0 to 255 if any of the file is above 1. Two coordinates a line make a flat
// mesh.

#include "io/surface.h"
#include "io/text.h"

#include <math.h>
#include <string.h>

#define OFF_HOLDS (br_holdsDoubles | br_holdsPolygons | br_holdsUvs | br_holdsNormals | br_holdsColors)

typedef struct OffReader
{
	const brReadJob* job;
	const brAllocator* allocator;
	brTextCursor cursor;
	bool hasUvs, hasColors, hasNormals;
	int32_t vertexCount, faceCount;
	brVec2* uvs;     // [vertexCount] or null
	brVec3* normals; // [vertexCount] or null
	brMesh* mesh;    // without corners, until they are known
	BR_ARRAY(int32_t) corners;
	int32_t skippedFaces; // with fewer than three corners
	int64_t oddValues;    // attributes that were not finite
} OffReader;

static bool offAtLineEnd(brTextCursor* cursor)
{
	brText_SkipBlanks(cursor);
	return brText_AtLineEnd(cursor) || *cursor->at == '#';
}

// The first word: which attributes follow each position.
static brResult offReadKeyword(OffReader* reader)
{
	brTextCursor* cursor = &reader->cursor;
	brText_SkipSpace(cursor, '#');
	brTextCursor ahead = *cursor;
	const char* word;
	size_t length = brText_Word(&ahead, &word);
	if (length == 0)
	{
		return brFailLine(reader->job, cursor->line, "the file is empty, counts of vertices and faces expected");
	}
	const char* end = word + length;
	if (length < 3 || memcmp(end - 3, "OFF", 3) != 0)
	{
		bool isNumber = word[0] >= '0' && word[0] <= '9';
		return isNumber ? br_success // counts at once
						: brFailLine(reader->job, cursor->line, "this is no OFF file, it starts with \"%.*s\"",
									 (int)(length < 20 ? length : 20), word);
	}
	end -= 3;
	const char* at = word;
	if (end - at >= 2 && at[0] == 'S' && at[1] == 'T')
	{
		reader->hasUvs = true;
		at += 2;
	}
	reader->hasColors = at < end && *at == 'C';
	at += reader->hasColors;
	reader->hasNormals = at < end && *at == 'N';
	at += reader->hasNormals;
	if (at != end)
	{
		return brFail(reader->job->report, br_errorUnsupported,
					  "%.100s:%lld: \"%.*s\" files are not read, only [ST][C][N]OFF", reader->job->name,
					  (long long)cursor->line, (int)(length < 20 ? length : 20), word);
	}
	*cursor = ahead;
	brText_SkipSpace(cursor, '#');
	if (brText_TakeWord(cursor, "BINARY"))
	{
		return brFail(reader->job->report, br_errorUnsupported, "%.100s:%lld: binary OFF files are not read",
					  reader->job->name, (long long)cursor->line);
	}
	return br_success;
}

static brResult offReadCounts(OffReader* reader)
{
	brTextCursor* cursor = &reader->cursor;
	brText_SkipSpace(cursor, '#');
	int64_t line = cursor->line;
	int32_t edgeCount;
	bool isRead = brText_Int32(cursor, &reader->vertexCount);
	brText_SkipSpace(cursor, '#');
	isRead = isRead && brText_Int32(cursor, &reader->faceCount);
	if (!isRead || reader->vertexCount < 0 || reader->faceCount < 0)
	{
		return brFailLine(reader->job, line, "counts of vertices and faces expected");
	}
	brText_Int32(cursor, &edgeCount); // nobody needs it, some leave it out
	if (!offAtLineEnd(cursor))
	{
		return brFailLine(reader->job, cursor->line, "three counts expected on this line");
	}

	// "0 0" and a blank is the least a vertex can be, "3 0 0 0" a face.
	int64_t left = cursor->end - cursor->at;
	int64_t least = 4 * (int64_t)reader->vertexCount + 8 * (int64_t)reader->faceCount;
	if (least - 1 > left)
	{
		return brFailLine(reader->job, line, "%d vertices and %d faces cannot fit in the %lld bytes that follow",
						  reader->vertexCount, reader->faceCount, (long long)left);
	}
	return br_success;
}

static brResult offFailVertex(OffReader* reader, int32_t vertex, const char* what)
{
	bool isOver = reader->cursor.at >= reader->cursor.end;
	return isOver ? brFailLine(reader->job, reader->cursor.line, "the file ends at vertex %d of %d", vertex,
							   reader->vertexCount)
				  : brFailLine(reader->job, reader->cursor.line, "vertex %d: %s", vertex, what);
}

// Floats on this line, at least `needed` of them.
static bool offFloats(OffReader* reader, float* out, int32_t needed, int32_t allowed)
{
	for (int32_t i = 0; i < allowed; ++i)
	{
		if (!brText_Float(&reader->cursor, &out[i]))
		{
			return i >= needed;
		}
		out[i] = brFiniteOrZero(out[i], &reader->oddValues);
	}
	return true;
}

// Is there nothing but two numbers on the first line of vertices? Drawings in the plane are written so.
static bool offIsFlat(const OffReader* reader)
{
	brTextCursor ahead = reader->cursor;
	brText_SkipSpace(&ahead, '#');
	int32_t count = 0;
	for (double number; count < 3 && brText_Double(&ahead, &number); ++count)
	{
	}
	return count == 2 && offAtLineEnd(&ahead);
}

static brResult offReadVertices(OffReader* reader)
{
	brTextCursor* cursor = &reader->cursor;
	brMesh* mesh = reader->mesh;
	float brightest = 0.0f;
	int32_t dimension = offIsFlat(reader) ? 2 : 3;
	for (int32_t v = 0; v < reader->vertexCount; ++v)
	{
		double p[3] = {0.0, 0.0, 0.0};
		for (int32_t i = 0; i < dimension; ++i)
		{
			brText_SkipSpace(cursor, '#');
			if (!brText_Double(cursor, &p[i]))
			{
				return offFailVertex(reader, v, "three coordinates expected");
			}
		}
		mesh->positions[v] = (brDVec3){p[0], p[1], p[2]};
		if (!brDIsFinite(mesh->positions[v]))
		{
			return offFailVertex(reader, v, "a coordinate is not finite");
		}
		if (reader->hasNormals && !offFloats(reader, &reader->normals[v].x, 3, 3))
		{
			return offFailVertex(reader, v, "three numbers of its normal expected");
		}
		if (reader->hasColors)
		{
			// Three or four numbers; with texture coordinates behind, they cannot be told apart unless all are there.
			float color[4] = {0.0f, 0.0f, 0.0f, -1.0f};
			if (!offFloats(reader, color, 3, 4))
			{
				return offFailVertex(reader, v, "three or four numbers of its color expected");
			}
			mesh->colors[v] = (brVec4){color[0], color[1], color[2], color[3]};
			for (int32_t i = 0; i < 4; ++i)
			{
				brightest = color[i] > brightest ? color[i] : brightest;
			}
		}
		if (reader->hasUvs && !offFloats(reader, &reader->uvs[v].x, 2, 2))
		{
			return offFailVertex(reader, v, "two texture coordinates expected");
		}
		if ((unsigned char)*cursor->at > ' ' && *cursor->at != '#')
		{
			return offFailVertex(reader, v, "a number expected");
		}
		brText_NextLine(cursor);
		if ((v & 0xFFFF) == 0xFFFF &&
			brCheckCancel(reader->job, (size_t)(cursor->at - (const char*)reader->job->bytes)))
		{
			return br_errorCanceled;
		}
	}
	float scale = brightest > 1.0f ? 255.0f : 1.0f;
	for (int32_t v = 0; v < reader->vertexCount && reader->hasColors; ++v)
	{
		brVec4* color = &mesh->colors[v];
		color->w = color->w >= 0.0f ? color->w : scale;
		*color = (brVec4){color->x / scale, color->y / scale, color->z / scale, color->w / scale};
	}
	return br_success;
}

static brResult offReadFaces(OffReader* reader)
{
	brTextCursor* cursor = &reader->cursor;
	if (!BR_RESERVE(reader->allocator, &reader->corners, 3 * (int64_t)reader->faceCount))
	{
		return brFailMemory(reader->job->report);
	}
	int32_t digits = 0;
	for (int32_t f = 0; f < reader->faceCount; ++f)
	{
		brText_SkipSpace(cursor, '#');
		int32_t size;
		if (!brText_Int32(cursor, &size))
		{
			return cursor->at >= cursor->end
					   ? brFailLine(reader->job, cursor->line, "the file ends at face %d of %d", f, reader->faceCount)
					   : brFailLine(reader->job, cursor->line, "face %d: a count of corners expected", f);
		}
		if (size < 0)
		{
			return brFailLine(reader->job, cursor->line, "face %d has %d corners", f, size);
		}
		int32_t first = reader->corners.count;
		for (int32_t i = 0; i < size; ++i)
		{
			int32_t vertex;
			if (!brText_Index(cursor, &digits, &vertex)) // then perhaps on the next line
			{
				brText_SkipSpace(cursor, '#');
				if (!brText_Int32(cursor, &vertex))
				{
					return brFailLine(reader->job, cursor->line, "face %d: %d corners expected, %d found", f, size, i);
				}
			}
			if (vertex < 0 || vertex >= reader->vertexCount)
			{
				return brFailLine(reader->job, cursor->line, "face %d names vertex %d, there are %d from 0", f, vertex,
								  reader->vertexCount);
			}
			if (!BR_PUSH(reader->allocator, &reader->corners, vertex))
			{
				return brFailMemory(reader->job->report);
			}
		}
		if ((unsigned char)*cursor->at > ' ' && *cursor->at != '#')
		{
			return brFailLine(reader->job, cursor->line, "face %d: a blank expected behind its corners", f);
		}
		if (size < 3)
		{
			reader->corners.count = first;
			reader->skippedFaces += 1;
		}
		reader->mesh->faceStarts[f + 1 - reader->skippedFaces] = reader->corners.count;
		brText_NextLine(cursor);
		if ((f & 0xFFFF) == 0xFFFF &&
			brCheckCancel(reader->job, (size_t)(cursor->at - (const char*)reader->job->bytes)))
		{
			return br_errorCanceled;
		}
	}
	return br_success;
}

// Room for the faces that are left.
static bool offDropSkipped(OffReader* reader)
{
	brMesh* mesh = reader->mesh;
	int32_t count = mesh->faceCount - reader->skippedFaces;
	int32_t* starts = BR_ALLOC(reader->allocator, int32_t, (int64_t)count + 1);
	if (starts == NULL)
	{
		return false;
	}
	memcpy(starts, mesh->faceStarts, ((size_t)count + 1) * sizeof(int32_t));
	BR_FREE(reader->allocator, mesh->faceStarts, (int64_t)mesh->faceCount + 1);
	mesh->faceStarts = starts;
	mesh->faceCount = count;
	return true;
}

// The mesh takes the corners; values per vertex go to each of them.
static brResult offFinishMesh(OffReader* reader)
{
	brMesh* mesh = reader->mesh;
	if (reader->skippedFaces > 0 && !offDropSkipped(reader))
	{
		return brFailMemory(reader->job->report);
	}
	if (!BR_ADOPT(reader->allocator, &mesh->corners, &mesh->cornerCount, &reader->corners))
	{
		return brFailMemory(reader->job->report);
	}
	mesh->uvs = reader->hasUvs ? BR_ALLOC(reader->allocator, brVec2, mesh->cornerCount) : NULL;
	mesh->normals = reader->hasNormals ? BR_ALLOC(reader->allocator, brVec3, mesh->cornerCount) : NULL;
	if ((reader->hasUvs && mesh->uvs == NULL) || (reader->hasNormals && mesh->normals == NULL))
	{
		return brFailMemory(reader->job->report);
	}
	for (int32_t c = 0; c < mesh->cornerCount && mesh->uvs != NULL; ++c)
	{
		mesh->uvs[c] = reader->uvs[mesh->corners[c]];
	}
	for (int32_t c = 0; c < mesh->cornerCount && mesh->normals != NULL; ++c)
	{
		mesh->normals[c] = reader->normals[mesh->corners[c]];
	}
	return br_success;
}

static brResult offRead(OffReader* reader)
{
	brResult result = offReadKeyword(reader);
	if (result >= 0)
	{
		result = offReadCounts(reader);
	}
	if (result < 0)
	{
		return result;
	}
	if (reader->cursor.at < reader->cursor.end)
	{
		brText_NextLine(&reader->cursor);
	}

	brMeshShape shape = {
		.vertexCount = reader->vertexCount, .faceCount = reader->faceCount, .hasColors = reader->hasColors};
	reader->mesh = brAllocMesh(reader->allocator, &shape);
	reader->uvs = reader->hasUvs ? BR_ALLOC(reader->allocator, brVec2, reader->vertexCount) : NULL;
	reader->normals = reader->hasNormals ? BR_ALLOC(reader->allocator, brVec3, reader->vertexCount) : NULL;
	if (reader->mesh == NULL || (reader->hasUvs && reader->uvs == NULL) ||
		(reader->hasNormals && reader->normals == NULL))
	{
		return brFailMemory(reader->job->report);
	}
	result = offReadVertices(reader);
	result = result >= 0 ? offReadFaces(reader) : result;
	return result >= 0 ? offFinishMesh(reader) : result;
}

brResult brReadOff(const brReadJob* job, brAssembly* assembly)
{
	OffReader reader = {.job = job, .allocator = &job->allocator};
	reader.cursor = brMakeTextCursor(job->bytes, job->byteCount);
	brResult result = offRead(&reader);
	if (result >= 0)
	{
		result = brAddReadMesh(job, assembly, reader.mesh, NULL);
		reader.mesh = NULL;
	}
	if (result >= 0)
	{
		result = brRemarkRead(job, reader.oddValues, reader.skippedFaces);
	}
	BR_FREE(reader.allocator, reader.uvs, reader.vertexCount);
	BR_FREE(reader.allocator, reader.normals, reader.vertexCount);
	BR_FREE_ARRAY(reader.allocator, &reader.corners);
	brDestroyMesh(reader.mesh);
	return result;
}

// Writing

static char* offPrintFloats(char* at, const float* values, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		*at++ = ' ';
		at += brPrintFloat(at, values[i]);
	}
	return at;
}

static void offWriteContent(brOutput* output, const brMesh* mesh, const int32_t* firstCorners, bool hasUvs,
							bool hasNormals)
{
	bool hasColors = mesh->colors != NULL;
	brOutput_Format(output, "%s%s%sOFF\n%d %d 0\n", hasUvs ? "ST" : "", hasColors ? "C" : "", hasNormals ? "N" : "",
					mesh->vertexCount, mesh->faceCount);
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		static const float none[3];
		char* room = (char*)brOutput_Room(output, 13 * BR_NUMBER_CHARS);
		char* at = room;
		const double* p = &mesh->positions[v].x;
		for (int32_t i = 0; i < 3; ++i)
		{
			at += brPrintDouble(at, p[i]);
			*at++ = ' ';
		}
		at -= 1;
		int32_t corner = hasUvs || hasNormals ? firstCorners[v] : -1;
		if (hasNormals)
		{
			at = offPrintFloats(at, corner >= 0 ? &mesh->normals[corner].x : none, 3);
		}
		if (hasColors)
		{
			at = offPrintFloats(at, &mesh->colors[v].x, 4);
		}
		if (hasUvs)
		{
			at = offPrintFloats(at, corner >= 0 ? &mesh->uvs[corner].x : none, 2);
		}
		*at++ = '\n';
		brOutput_Advance(output, (size_t)(at - room));
	}
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		brOutput_Int(output, brMesh_GetFaceSize(mesh, f));
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			char* room = (char*)brOutput_Room(output, BR_NUMBER_CHARS + 1);
			room[0] = ' ';
			brOutput_Advance(output, 1 + (size_t)brPrintInt(room + 1, mesh->corners[c]));
		}
		brOutput_Write(output, "\n", 1);
	}
}

brResult brWriteOff(const brWriteJob* job)
{
	brSurface surface;
	int32_t* firstCorners = NULL;
	brResult result = brSurface_Open(&surface, job, OFF_HOLDS);
	const brMesh* mesh = surface.mesh;
	bool hasUvs = false;
	bool hasNormals = false;
	if (result >= 0 && (mesh->uvs != NULL || mesh->normals != NULL))
	{
		firstCorners = brFirstCorners(&job->allocator, mesh);
		if (firstCorners == NULL)
		{
			result = brFailMemory(job->report);
		}
		else
		{
			hasUvs = mesh->uvs != NULL && brCornersAgree(mesh, firstCorners, mesh->uvs, sizeof(brVec2));
			hasNormals = mesh->normals != NULL && brCornersAgree(mesh, firstCorners, mesh->normals, sizeof(brVec3));
			surface.contents |= mesh->uvs != NULL && !hasUvs ? br_holdsVertexUvs : 0;
			surface.contents |= mesh->normals != NULL && !hasNormals ? br_holdsVertexNormals : 0;
		}
	}
	brOutput output;
	if (result >= 0)
	{
		result = brOutput_Open(&output, &job->allocator, job->path, job->report);
	}
	if (result >= 0)
	{
		offWriteContent(&output, mesh, firstCorners, hasUvs, hasNormals);
		result = brOutput_Commit(&output, job->report);
	}
	if (result >= 0)
	{
		result = brSurface_Remark(&surface, job, OFF_HOLDS);
	}
	if (mesh != NULL)
	{
		BR_FREE(&job->allocator, firstCorners, mesh->vertexCount);
	}
	brSurface_Close(&surface, job);
	return result;
}
