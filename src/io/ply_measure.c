// SPDX-License-Identifier: MIT

// The first walk over a PLY file: finds where each element starts, proves that all of it is there and counts the
// corners.

#include "io/ply_reader.h"

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
	return element->propertyCount == 1 && property->role == br_plyCorners && property->countType == br_plyUint8 &&
		   brPlyTypeBytes[property->type] == 4 && property->type != br_plyFloat;
}

// In text such lists cost as much to measure as to read, so they are kept. At the first that is not in order all is
// forgotten and the careful way, which knows what to say, starts again.
static brResult plyKeepPlainList(brPlyReader* reader, const brPlyElement* element)
{
	int32_t vertexCount = 0;
	for (int32_t e = 0; e < reader->header.elements.count; ++e)
	{
		const brPlyElement* other = &reader->header.elements.data[e];
		vertexCount = other->kind == br_plyVertexElement ? other->count : vertexCount;
	}
	if (!BR_RESERVE(reader->allocator, &reader->faceEnds, element->count) ||
		!BR_RESERVE(reader->allocator, &reader->corners, 3 * (int64_t)element->count))
	{
		return brFailMemory(reader->job->report);
	}
	brTextCursor cursor = reader->source.cursor;
	bool isInOrder = true;
	for (int32_t row = 0; row < element->count && isInOrder; ++row)
	{
		int32_t size = 0;
		brText_SkipSpace(&cursor, 0);
		isInOrder = brText_Int32(&cursor, &size) && size >= 0 && size <= UINT8_MAX;
		if (isInOrder && !BR_RESERVE(reader->allocator, &reader->corners, size))
		{
			return brFailMemory(reader->job->report);
		}
		for (int32_t i = 0; i < size && isInOrder; ++i)
		{
			int32_t vertex = -1;
			isInOrder = (unsigned char)*cursor.at <= ' ';
			brText_SkipSpace(&cursor, 0);
			isInOrder = isInOrder && brText_Int32(&cursor, &vertex) && vertex >= 0 && vertex < vertexCount;
			reader->corners.data[reader->corners.count++] = vertex;
		}
		isInOrder = isInOrder && (unsigned char)*cursor.at <= ' ';
		reader->faceEnds.data[reader->faceEnds.count++] = reader->corners.count;
		size_t byte = (size_t)(cursor.at - (const char*)reader->job->bytes);
		if ((row & 0xFFFF) == 0xFFFF && brCheckCancel(reader->job, byte) < 0)
		{
			return br_errorCanceled;
		}
	}
	if (isInOrder)
	{
		reader->source.cursor = cursor;
		reader->cornerCount = reader->corners.count;
	}
	reader->faceEnds.count = isInOrder ? reader->faceEnds.count : 0;
	return br_success;
}

// Likewise vertices that are places and nothing else.
static bool plyIsPlainPlaces(const brPlyReader* reader, const brPlyElement* element)
{
	const brPlyProperty* properties = brPly_Properties(reader, element);
	bool isPlain = element->propertyCount == 3;
	for (int32_t k = 0; k < 3 && isPlain; ++k)
	{
		isPlain = !properties[k].isList && (int32_t)properties[k].role == (int32_t)br_plyX + k &&
				  (properties[k].type == br_plyDouble || properties[k].type == br_plyFloat);
	}
	return isPlain;
}

static brResult plyKeepPlainPlaces(brPlyReader* reader, const brPlyElement* element)
{
	const brPlyProperty* properties = brPly_Properties(reader, element);
	if (!BR_RESERVE(reader->allocator, &reader->positions, element->count))
	{
		return brFailMemory(reader->job->report);
	}
	brPlySource source = reader->source;
	bool isInOrder = true;
	for (int32_t row = 0; row < element->count && isInOrder; ++row)
	{
		double p[3];
		isInOrder = brPly_Next(&source, properties[0].type, &p[0]) && brPly_Next(&source, properties[1].type, &p[1]) &&
					brPly_Next(&source, properties[2].type, &p[2]);
		if (isInOrder)
		{
			reader->positions.data[row] = brMakeDVec3(p[0], p[1], p[2]);
			isInOrder = brDIsFinite(reader->positions.data[row]);
		}
		size_t byte = (size_t)(source.cursor.at - (const char*)reader->job->bytes);
		if ((row & 0xFFFF) == 0xFFFF && brCheckCancel(reader->job, byte) < 0)
		{
			return br_errorCanceled;
		}
	}
	reader->source = isInOrder ? source : reader->source;
	reader->positions.count = isInOrder ? element->count : 0;
	return br_success;
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
		brResult result = plyKeepPlainList(reader, element);
		if (result < 0 || reader->faceEnds.count > 0)
		{
			return result;
		}
	}
	if (element->kind == br_plyVertexElement && plyIsPlainPlaces(reader, element))
	{
		brResult result = plyKeepPlainPlaces(reader, element);
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
