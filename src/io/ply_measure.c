// SPDX-License-Identifier: MIT

// The first walk over a PLY file: finds where each element starts, proves that all of it is there and counts the
// corners.

#include "io/ply_reader.h"

#include <string.h>

brResult brPly_Fail(brPlyReader* reader, const brPlyElement* element, int32_t row, const char* what)
{
	static const char* const kinds[] = {"row", "vertex", "face", "material", "group", "strip"};
	const brTextCursor* cursor = &reader->source.cursor;
	const char* kind = kinds[element->kind];
	if (reader->source.isText)
	{
		return cursor->at >= cursor->end
				   ? brFailLine(reader->job, cursor->line, "the file ends in %s %d of %d", kind, row, element->count)
				   : brFailLine(reader->job, cursor->line, "%s %d: %s", kind, row, what);
	}
	size_t byte = (size_t)(cursor->at - (const char*)reader->job->bytes);
	return brFailByte(reader->job, byte, "%s %d of %d: %s", kind, row, element->count, what);
}

brResult brPly_CheckCancel(brPlyReader* reader)
{
	return brCheckCancel(reader->job, (size_t)(reader->source.cursor.at - (const char*)reader->job->bytes));
}

brResult brPly_WalkRows(brPlyReader* reader, const brPlyElement* element, brPlyRowFcn* read)
{
	for (int32_t row = 0; row < element->count; ++row)
	{
		brResult result = read(reader, element, row);
		if (result >= 0 && (row & 0xFFFF) == 0xFFFF)
		{
			result = brPly_CheckCancel(reader);
		}
		if (result < 0)
		{
			return result;
		}
	}
	return br_success;
}

bool brPly_IsPlainList(const brPlyReader* reader, const brPlyElement* element)
{
	const brPlyProperty* property = brPly_Properties(reader, element);
	return element->propertyCount == 1 && property->role == br_plyCorners && property->countType == br_numberUint8 &&
		   brNumberType_Bytes(property->type) == 4 && property->type != br_numberFloat;
}

// Rows of text that are lines cost as much to measure as to read, so what they hold is kept. The rows of a part of the
// text are read by one worker, whichever it is. At the first that is not in order all is forgotten and the careful way,
// which knows what to say, starts again.
typedef struct PlyRows
{
	brPlyReader* reader;
	const brPlyElement* element;
	brTextCursor start; // of the first row
	int32_t firstPart;
	int32_t vertexCount; // lists are to name vertices below it
	bool isList;
} PlyRows;

// How many line feeds a text has; whole blocks by as many bytes at once as a register holds.
static int64_t plyCountLines(const char* at, const char* end)
{
	enum
	{
		block = 128
	};
	int64_t count = 0;
	for (; end - at >= block; at += block)
	{
		uint8_t feeds = 0;
		for (int32_t i = 0; i < block; ++i)
		{
			feeds = (uint8_t)(feeds + (at[i] == '\n'));
		}
		count += feeds;
	}
	for (; at < end; ++at)
	{
		count += *at == '\n';
	}
	return count;
}

static void plyCountParts(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brPlyReader* reader = user;
	for (int32_t i = begin; i < end; ++i)
	{
		// One part has all lines, however many.
		brPlyPart* part = &reader->parts[i];
		part->lines = reader->partCount > 1 ? plyCountLines(part->cursor.at, part->cursor.end) : INT32_MAX;
	}
}

// Cuts the text that is left into parts of whole lines. Their lines are counted from `line`.
static brResult plyCutText(brPlyReader* reader)
{
	const char *at = reader->source.cursor.at, *end = reader->source.cursor.end;
	int64_t line = reader->source.cursor.line;
	reader->partCapacity = (int32_t)((end - at) / BR_TEXT_PART) + 1;
	reader->parts = BR_ALLOC_ZERO(reader->allocator, brPlyPart, reader->partCapacity);
	if (reader->parts == NULL)
	{
		return brFailMemory(reader->job->report);
	}
	while (at < end)
	{
		const char* next = brReadJob_IsShared(reader->job) ? brText_PartEnd(at, end, BR_TEXT_PART) : end;
		reader->parts[reader->partCount++].cursor = (brTextCursor){at, next, 0};
		at = next;
	}
	brParallelFor(brPly_Workers(reader), reader->partCount, 1, plyCountParts, reader);
	for (int32_t i = 0; i < reader->partCount; ++i)
	{
		reader->parts[i].cursor.line = line;
		line += reader->parts[i].lines;
	}
	return br_success;
}

static inline bool plyKeepPlace(const PlyRows* rows, brPlySource* source, brDVec3* outPlace)
{
	const brPlyProperty* properties = brPly_Properties(rows->reader, rows->element);
	double p[3];
	for (int32_t k = 0; k < 3; ++k)
	{
		if (!brPly_Next(source, properties[k].type, &p[k]))
		{
			return false;
		}
	}
	*outPlace = brMakeDVec3(p[0], p[1], p[2]);
	return brDIsFinite(*outPlace);
}

static inline bool plyKeepList(const PlyRows* rows, brTextCursor* cursor, int32_t* digits, brPlyPart* part)
{
	const brAllocator* allocator = rows->reader->allocator;
	int32_t size = 0;
	if (!brText_Int32(cursor, &size) || size < 0 || size > UINT8_MAX || !BR_RESERVE(allocator, &part->corners, size))
	{
		return false;
	}
	for (int32_t i = 0; i < size; ++i)
	{
		int32_t vertex = -1;
		if ((unsigned char)*cursor->at > ' ' || !brText_Index(cursor, digits, &vertex) || vertex < 0 ||
			vertex >= rows->vertexCount)
		{
			return false;
		}
		part->corners.data[part->corners.count++] = vertex;
	}
	return (unsigned char)*cursor->at <= ' ' && BR_PUSH(allocator, &part->faceEnds, part->corners.count);
}

static void plyKeepParts(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const PlyRows* rows = user;
	for (int32_t i = rows->firstPart + begin; i < rows->firstPart + end; ++i)
	{
		brPlyPart* part = &rows->reader->parts[i];
		int64_t firstRow = part->cursor.line - rows->start.line, endRow = firstRow + part->lines;
		brPlySource source = {.cursor = firstRow > 0 ? part->cursor : rows->start, .isText = true};
		source.cursor.end = rows->start.end; // numbers are read by words of eight characters
		part->corners.count = part->faceEnds.count = 0;
		int64_t row = firstRow > 0 ? firstRow : 0;
		int32_t digits = 0; // of the index before
		int64_t last = endRow < rows->element->count ? endRow : rows->element->count;
		bool isInOrder = !rows->isList || (BR_RESERVE(rows->reader->allocator, &part->faceEnds, last - row) &&
										   BR_RESERVE(rows->reader->allocator, &part->corners, 3 * (last - row)));
		for (; row < last && isInOrder; ++row)
		{
			isInOrder = rows->isList ? plyKeepList(rows, &source.cursor, &digits, part)
									 : plyKeepPlace(rows, &source, &rows->reader->positions.data[row]);
			brText_SkipBlanks(&source.cursor);
			isInOrder = isInOrder && brText_AtLineEnd(&source.cursor);
			brText_NextLine(&source.cursor);
			if ((row & 0xFFFF) == 0xFFFF && rows->reader->partCount == 1)
			{
				size_t byte = (size_t)(source.cursor.at - (const char*)rows->reader->job->bytes);
				part->isCanceled = brCheckCancel(rows->reader->job, byte) < 0;
				isInOrder = isInOrder && !part->isCanceled;
			}
		}
		// Line ends of other kinds would make more rows of the part than were counted.
		part->isInOrder = isInOrder && (endRow > rows->element->count || source.cursor.at == part->cursor.end);
		part->rest = source.cursor;
	}
}

// Puts the lists of parts together.
static brResult plyJoinLists(brPlyReader* reader, int32_t first, int32_t end)
{
	if (end - first == 1 && reader->corners.data == NULL)
	{
		reader->corners = reader->parts[first].corners, reader->faceEnds = reader->parts[first].faceEnds;
		reader->parts[first].corners = reader->parts[first].faceEnds = (brPlyInts){0};
		reader->cornerCount = reader->corners.count;
		return br_success;
	}
	int64_t corners = 0, faces = 0;
	for (int32_t i = first; i < end; ++i)
	{
		corners += reader->parts[i].corners.count;
		faces += reader->parts[i].faceEnds.count;
	}
	if (!BR_RESERVE(reader->allocator, &reader->corners, corners) ||
		!BR_RESERVE(reader->allocator, &reader->faceEnds, faces))
	{
		return brFailMemory(reader->job->report);
	}
	for (int32_t i = first; i < end; ++i)
	{
		brPlyPart* part = &reader->parts[i];
		for (int32_t f = 0; f < part->faceEnds.count; ++f)
		{
			reader->faceEnds.data[reader->faceEnds.count++] = reader->corners.count + part->faceEnds.data[f];
		}
		if (part->corners.count > 0)
		{
			memcpy(reader->corners.data + reader->corners.count, part->corners.data,
				   (size_t)part->corners.count * sizeof(int32_t));
		}
		reader->corners.count += part->corners.count;
		BR_FREE_ARRAY(reader->allocator, &part->corners);
		BR_FREE_ARRAY(reader->allocator, &part->faceEnds);
	}
	reader->cornerCount = reader->corners.count;
	return br_success;
}

static brResult plyKeepRows(brPlyReader* reader, const brPlyElement* element, bool isList)
{
	PlyRows rows = {.reader = reader, .element = element, .start = reader->source.cursor, .isList = isList};
	for (int32_t e = 0; e < reader->header.elements.count && isList; ++e)
	{
		const brPlyElement* other = &reader->header.elements.data[e];
		rows.vertexCount = other->kind == br_plyVertexElement ? other->count : rows.vertexCount;
	}
	brText_SkipSpace(&rows.start, 0);
	brResult result = reader->parts == NULL ? plyCutText(reader) : br_success;
	if (result >= 0 && !isList && !BR_RESERVE(reader->allocator, &reader->positions, element->count))
	{
		result = brFailMemory(reader->job->report);
	}
	int32_t end = 0;
	int64_t endLine = rows.start.line + element->count;
	for (; end < reader->partCount && reader->parts[end].cursor.line < endLine; ++end)
	{
		rows.firstPart += reader->parts[end].cursor.line + reader->parts[end].lines <= rows.start.line;
	}
	bool isInOrder =
		end > rows.firstPart && reader->parts[end - 1].cursor.line + reader->parts[end - 1].lines >= endLine;
	int32_t first = rows.firstPart;
	if (result >= 0 && isInOrder)
	{
		result = brReadParts(reader->job, end, reader->partCount, &rows.firstPart, plyKeepParts, &rows);
	}
	for (int32_t i = first; i < end && isInOrder && result >= 0; ++i)
	{
		isInOrder = reader->parts[i].isInOrder;
	}
	if (result < 0 || !isInOrder)
	{
		return end > first && reader->parts[first].isCanceled ? br_errorCanceled : result;
	}
	reader->source.cursor = reader->parts[end - 1].rest;
	reader->positions.count = isList ? reader->positions.count : element->count;
	return isList ? plyJoinLists(reader, first, end) : br_success;
}

// Vertices that are places and nothing else.
static bool plyIsPlainPlaces(const brPlyReader* reader, const brPlyElement* element)
{
	const brPlyProperty* properties = brPly_Properties(reader, element);
	bool isPlain = element->propertyCount == 3;
	for (int32_t k = 0; k < 3 && isPlain; ++k)
	{
		isPlain = !properties[k].isList && (int32_t)properties[k].role == (int32_t)br_plyX + k &&
				  (properties[k].type == br_numberDouble || properties[k].type == br_numberFloat);
	}
	return isPlain;
}

static brResult plyMeasurePlainList(brPlyReader* reader, const brPlyElement* element)
{
	brTextCursor* cursor = &reader->source.cursor;
	int64_t corners = 0;
	for (int32_t row = 0; row < element->count; ++row)
	{
		const char* at = cursor->at;
		int32_t size = at < cursor->end ? (uint8_t)*at : 0;
		if (at >= cursor->end || cursor->end - at - 1 < 4 * size)
		{
			return brPly_Fail(reader, element, row, "the file ends");
		}
		corners += size;
		cursor->at += 1 + 4 * size;
	}
	reader->cornerCount = corners;
	return br_success;
}

static brResult plyMeasureRow(brPlyReader* reader, const brPlyElement* element, int32_t row)
{
	const brPlyProperty* properties = brPly_Properties(reader, element);
	for (int32_t i = 0; i < element->propertyCount; ++i)
	{
		int64_t count = 1;
		if (properties[i].isList)
		{
			double listed = 0.0;
			if (!brPly_Next(&reader->source, properties[i].countType, &listed) || listed < 0.0)
			{
				return brPly_Fail(reader, element, row, "a count of list values expected");
			}
			count = (int64_t)listed;
		}
		reader->cornerCount += properties[i].role == br_plyCorners ? count : 0;
		if (!brPly_Skip(&reader->source, properties[i].type, count))
		{
			return brPly_Fail(reader, element, row, "the file ends");
		}
	}
	return br_success;
}

static brResult plyMeasureElement(brPlyReader* reader, const brPlyElement* element)
{
	brTextCursor* cursor = &reader->source.cursor;
	int64_t left = cursor->end - cursor->at;
	int64_t least = reader->source.isText ? 2 * (int64_t)element->count * element->propertyCount - 1
										  : (int64_t)element->count * element->minRowBytes;
	if (least > left)
	{
		return brPly_Fail(reader, element, 0, "the rows that follow are more than the file holds");
	}
	if (element->propertyCount == 0)
	{
		return br_success;
	}
	if (!reader->source.isText && element->rowBytes > 0)
	{
		cursor->at += least;
		return br_success;
	}
	if (!reader->source.isText && brPly_IsPlainList(reader, element))
	{
		return plyMeasurePlainList(reader, element);
	}
	if (element->kind == br_plyFaceElement && brPly_IsPlainList(reader, element))
	{
		brResult result = plyKeepRows(reader, element, true);
		if (result < 0 || reader->faceEnds.count > 0)
		{
			return result;
		}
	}
	if (element->kind == br_plyVertexElement && plyIsPlainPlaces(reader, element))
	{
		brResult result = plyKeepRows(reader, element, false);
		if (result < 0 || reader->positions.count > 0)
		{
			return result;
		}
	}
	if (element->rowBytes > 0)
	{
		brTextCursor ahead = *cursor;
		if (brText_SkipWords(&ahead, (int64_t)element->count * element->propertyCount))
		{
			*cursor = ahead;
			return brPly_CheckCancel(reader);
		}
	}
	return brPly_WalkRows(reader, element, plyMeasureRow);
}

brResult brPly_Measure(brPlyReader* reader)
{
	const brPlyHeader* header = &reader->header;
	reader->starts = BR_ALLOC(reader->allocator, brTextCursor, header->elements.count);
	if (reader->starts == NULL)
	{
		return brFailMemory(reader->job->report);
	}
	for (int32_t e = 0; e < header->elements.count; ++e)
	{
		const brPlyElement* element = &header->elements.data[e];
		reader->starts[e] = reader->source.cursor;
		brResult result = plyMeasureElement(reader, element);
		if (result < 0)
		{
			return result;
		}
		uint32_t roles = 0;
		for (int32_t i = 0; i < element->propertyCount; ++i)
		{
			roles |= 1u << brPly_Properties(reader, element)[i].role;
		}
		switch (element->kind)
		{
			case br_plyVertexElement:
				reader->vertices = element;
				reader->vertexRoles = roles;
				reader->vertexCount = element->count;
				break;
			case br_plyFaceElement:
				reader->faces = element;
				reader->faceRoles = roles;
				break;
			case br_plyMaterialElement:
				reader->materials = element;
				break;
			case br_plyGroupElement:
				reader->groups = element;
				break;
			default:
				break;
		}
	}
	if (reader->cornerCount > INT32_MAX)
	{
		return brFail(reader->job->report, br_errorLimit, "%.100s: the faces have more corners than 32 bits can count",
					  reader->job->name);
	}
	return br_success;
}
