// SPDX-License-Identifier: MIT

// Reads PLY: text, binary of either byte order, elements and properties in any order, what is not known passed over.
//
// Two walks over the data. The first finds where each element starts, proves that all of it is there and counts the corners;
// then the mesh is allocated; the second fills it. Rows without lists are filled column by column in blocks, lists of
// triangles in a loop of their own; everything else goes value by value.
//
// Values per vertex (nx ny nz, s t) are spread to the corners; a list of a face (texcoord, normals) goes before them. Names
// and looks come from the elements `material` and `group` as brWritePly makes them, or from MeshLab's texture comments.

#include "io/ply.h"
#include "io/bytes.h"
#include "io/names.h"
#include "io/text.h"

#include <math.h>
#include <string.h>

#define PLY_BLOCK 256
#define PLY_MAX_UNDEFINED 65536 // materials and groups that faces may name without a definition

typedef struct PlyReader
{
	const brReadJob* job;
	const brAllocator* allocator;
	brPlyHeader header;
	brTextCursor* starts; // [elements] where each begins
	brPlySource source;

	const brPlyElement* vertices; // or null
	const brPlyElement* faces;
	const brPlyElement* materials;
	const brPlyElement* groups;
	int32_t vertexCount;
	int64_t cornerCount;
	uint32_t vertexRoles; // bits of the roles that are there
	uint32_t faceRoles;

	brMesh* mesh;
	brVec2* vertexUvs; // [vertexCount] or null
	brVec3* vertexNormals;
	int32_t materialLimit; // faces name materials below this
	int32_t groupLimit;
	int32_t usedMaterials; // 1 + largest that is named
	int32_t usedGroups;
	int64_t oddValues;         // attributes that were not finite, indices of materials and groups out of range
	BR_ARRAY(double) lists[3]; // corners, uvs, normals of the row
	BR_ARRAY(int32_t) corners; // of plain faces in text, kept from the first walk
	BR_ARRAY(int32_t) faceEnds;
	BR_ARRAY(char) text;
} PlyReader;

static brResult plyFail(PlyReader* reader, const brPlyElement* element, int32_t row, const char* what)
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

static brResult plyCancelled(PlyReader* reader)
{
	return brCheckCancel(reader->job, (size_t)(reader->source.cursor.at - (const char*)reader->job->bytes));
}

// Null for an element without any.
static const brPlyProperty* plyProperties(const PlyReader* reader, const brPlyElement* element)
{
	return element->propertyCount > 0 ? reader->header.properties.data + element->firstProperty : NULL;
}

// First walk

// A list of corners with a byte before it and nothing around it, as nearly every file has.
static bool plyIsPlainList(const PlyReader* reader, const brPlyElement* element)
{
	const brPlyProperty* property = plyProperties(reader, element);
	return element->propertyCount == 1 && property->role == br_plyCorners && property->countType == br_plyUint8 &&
		   brPlyTypeBytes[property->type] == 4 && property->type != br_plyFloat;
}

// In text such lists cost as much to measure as to read, so they are kept. At the first that is not in order all is forgotten
// and the careful way, which knows what to say, starts again.
static brResult plyKeepPlainList(PlyReader* reader, const brPlyElement* element)
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
		isInOrder = brText_Int32(&cursor, &size) && size >= 3 && size <= UINT8_MAX;
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
			return br_errorCancelled;
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

static brResult plyMeasurePlainList(PlyReader* reader, const brPlyElement* element)
{
	brTextCursor* cursor = &reader->source.cursor;
	int64_t corners = 0;
	for (int32_t row = 0; row < element->count; ++row)
	{
		const char* at = cursor->at;
		int32_t size = at < cursor->end ? (uint8_t)*at : 0;
		if (size < 3 || cursor->end - at - 1 < 4 * size)
		{
			return at >= cursor->end || size >= 3 ? plyFail(reader, element, row, "the file ends")
												  : plyFail(reader, element, row, "it has fewer than three corners");
		}
		corners += size;
		cursor->at += 1 + 4 * size;
	}
	reader->cornerCount = corners;
	return br_success;
}

static brResult plyMeasureRow(PlyReader* reader, const brPlyElement* element, int32_t row)
{
	const brPlyProperty* properties = plyProperties(reader, element);
	for (int32_t i = 0; i < element->propertyCount; ++i)
	{
		int64_t count = 1;
		if (properties[i].isList)
		{
			double listed = 0.0;
			if (!brPly_Next(&reader->source, properties[i].countType, &listed) || listed < 0.0)
			{
				return plyFail(reader, element, row, "a count of list values expected");
			}
			count = (int64_t)listed;
		}
		if (properties[i].role == br_plyCorners)
		{
			if (count < 3)
			{
				return plyFail(reader, element, row, "it has fewer than three corners");
			}
			reader->cornerCount += count;
		}
		if (!brPly_Skip(&reader->source, properties[i].type, count))
		{
			return plyFail(reader, element, row, "the file ends");
		}
	}
	return br_success;
}

static brResult plyMeasureElement(PlyReader* reader, const brPlyElement* element)
{
	brTextCursor* cursor = &reader->source.cursor;
	int64_t left = cursor->end - cursor->at;
	int64_t least = reader->source.isText ? 2 * (int64_t)element->count * element->propertyCount - 1
										  : (int64_t)element->count * element->leastRowBytes;
	if (least > left)
	{
		return plyFail(reader, element, 0, "the rows that follow are more than the file holds");
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
	if (!reader->source.isText && plyIsPlainList(reader, element))
	{
		return plyMeasurePlainList(reader, element);
	}
	if (element->kind == br_plyFaceElement && plyIsPlainList(reader, element))
	{
		brResult result = plyKeepPlainList(reader, element);
		if (result < 0 || reader->faceEnds.count > 0)
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
			return plyCancelled(reader);
		}
	}
	for (int32_t row = 0; row < element->count; ++row)
	{
		brResult result = plyMeasureRow(reader, element, row);
		if (result >= 0 && (row & 0xFFFF) == 0xFFFF)
		{
			result = plyCancelled(reader);
		}
		if (result < 0)
		{
			return result;
		}
	}
	return br_success;
}

static brResult plyMeasure(PlyReader* reader)
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
			roles |= 1u << plyProperties(reader, element)[i].role;
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

// Allocation

static bool plyHas(uint32_t roles, brPlyRole first, brPlyRole second)
{
	return (roles >> first & 1) != 0 && (roles >> second & 1) != 0;
}

static brResult plyAllocate(PlyReader* reader)
{
	bool hasVertexUvs = plyHas(reader->vertexRoles, br_plyU, br_plyV);
	bool hasVertexNormals = plyHas(reader->vertexRoles, br_plyNormalX, br_plyNormalY) &&
							plyHas(reader->vertexRoles, br_plyNormalZ, br_plyNormalZ);
	bool hasMaterials = plyHas(reader->faceRoles, br_plyMaterial, br_plyMaterial);
	bool hasTextures = !hasMaterials && reader->materials == NULL && reader->header.textures.count > 0;
	bool hasGroups = plyHas(reader->faceRoles, br_plyGroup, br_plyGroup);
	brMeshShape shape = {
		.vertexCount = reader->vertexCount,
		.faceCount = reader->faces != NULL ? reader->faces->count : 0,
		.cornerCount = (int32_t)reader->cornerCount,
		.materialCount = reader->materials != NULL ? reader->materials->count
						 : hasTextures             ? reader->header.textures.count
												   : 0,
		.groupCount = reader->groups != NULL ? reader->groups->count : 0,
		.hasUvs = hasVertexUvs || plyHas(reader->faceRoles, br_plyCornerUvs, br_plyCornerUvs),
		.hasNormals = hasVertexNormals || plyHas(reader->faceRoles, br_plyCornerNormals, br_plyCornerNormals),
		.hasColors =
			plyHas(reader->vertexRoles, br_plyRed, br_plyGreen) && plyHas(reader->vertexRoles, br_plyBlue, br_plyBlue),
		.hasFaceMaterials = hasMaterials || hasTextures,
		.hasFaceGroups = hasGroups,
	};
	reader->materialLimit = shape.materialCount > 0 ? shape.materialCount : PLY_MAX_UNDEFINED;
	reader->groupLimit = shape.groupCount > 0 ? shape.groupCount : PLY_MAX_UNDEFINED;
	reader->mesh = brAllocMesh(reader->allocator, &shape);
	reader->vertexUvs = hasVertexUvs ? BR_ALLOC_ZERO(reader->allocator, brVec2, reader->vertexCount) : NULL;
	reader->vertexNormals = hasVertexNormals ? BR_ALLOC_ZERO(reader->allocator, brVec3, reader->vertexCount) : NULL;
	if (reader->mesh == NULL || (hasVertexUvs && reader->vertexUvs == NULL) ||
		(hasVertexNormals && reader->vertexNormals == NULL))
	{
		return brFailMemory(reader->job->report);
	}
	for (int32_t v = 0; v < reader->vertexCount && shape.hasColors; ++v)
	{
		reader->mesh->colors[v].w = 1.0f;
	}
	if (hasTextures)
	{
		memcpy(reader->mesh->materials, reader->header.textures.data,
			   (size_t)shape.materialCount * sizeof(brSurfaceMaterial));
	}
	return br_success;
}

// Second walk: vertices

// Where the values of a role go: a float array with a stride, or null.
static float* plyFloatColumn(PlyReader* reader, brPlyRole role, int32_t* outStride)
{
	if (role >= br_plyNormalX && role <= br_plyNormalZ && reader->vertexNormals != NULL)
	{
		*outStride = 3;
		return &reader->vertexNormals->x + (role - br_plyNormalX);
	}
	if (role >= br_plyRed && role <= br_plyAlpha && reader->mesh->colors != NULL)
	{
		*outStride = 4;
		return &reader->mesh->colors->x + (role - br_plyRed);
	}
	if ((role == br_plyU || role == br_plyV) && reader->vertexUvs != NULL)
	{
		*outStride = 2;
		return &reader->vertexUvs->x + (role - br_plyU);
	}
	return NULL;
}

static inline float plyToFloat(PlyReader* reader, brPlyRole role, brPlyType type, double value)
{
	bool isColor = role >= br_plyRed && role <= br_plyAlpha;
	if (isColor && (type == br_plyUint8 || type == br_plyUint16))
	{
		return (float)value / (type == br_plyUint8 ? 255.0f : 65535.0f);
	}
	return brFiniteOrZero((float)value, &reader->oddValues);
}

static void plyStoreColumn(PlyReader* reader, const brPlyProperty* property, int32_t firstRow, int32_t count,
						   const double* values)
{
	brPlyRole role = property->role;
	if (role >= br_plyX && role <= br_plyZ)
	{
		double* out = &reader->mesh->positions->x + (3 * (int64_t)firstRow + (role - br_plyX));
		for (int32_t i = 0; i < count; ++i)
		{
			out[3 * i] = values[i];
		}
		return;
	}
	int32_t stride = 0;
	float* out = plyFloatColumn(reader, role, &stride);
	for (int32_t i = 0; i < count && out != NULL; ++i)
	{
		out[((int64_t)firstRow + i) * stride] = plyToFloat(reader, role, property->type, values[i]);
	}
}

static void plyFillColumns(PlyReader* reader, const brPlyElement* element, const uint8_t* rows)
{
	const brPlyProperty* properties = plyProperties(reader, element);
	for (int32_t first = 0; first < element->count; first += PLY_BLOCK)
	{
		int32_t count = element->count - first < PLY_BLOCK ? element->count - first : PLY_BLOCK;
		const uint8_t* block = rows + (size_t)first * (size_t)element->rowBytes;
		for (int32_t i = 0; i < element->propertyCount; ++i)
		{
			if (properties[i].role != br_plyIgnored)
			{
				double values[PLY_BLOCK];
				brPly_DecodeColumn(block + properties[i].offset, element->rowBytes, properties[i].type,
								   reader->source.isSwapped, count, values);
				plyStoreColumn(reader, &properties[i], first, count, values);
			}
		}
	}
}

static brResult plyFillVertices(PlyReader* reader, const brPlyElement* element)
{
	const brPlyProperty* properties = plyProperties(reader, element);
	const uint8_t* data = (const uint8_t*)reader->source.cursor.at;
	bool isColumns = !reader->source.isText && element->rowBytes > 0;
	if (isColumns)
	{
		plyFillColumns(reader, element, data);
	}
	for (int32_t row = 0; row < element->count; ++row)
	{
		for (int32_t i = 0; i < element->propertyCount && !isColumns; ++i)
		{
			double value;
			if (properties[i].isList)
			{
				if (!brPly_Next(&reader->source, properties[i].countType, &value) ||
					!brPly_Skip(&reader->source, properties[i].type, (int64_t)value))
				{
					return plyFail(reader, element, row, "a list expected");
				}
				continue;
			}
			if (!brPly_Next(&reader->source, properties[i].type, &value))
			{
				return plyFail(reader, element, row, "a number of the property's type expected");
			}
			if (properties[i].role >= br_plyX && properties[i].role <= br_plyZ)
			{
				(&reader->mesh->positions[row].x)[properties[i].role - br_plyX] = value;
			}
			else
			{
				plyStoreColumn(reader, &properties[i], row, 1, &value);
			}
		}
		if (!brDIsFinite(reader->mesh->positions[row]))
		{
			reader->source.cursor.at += isColumns ? (int64_t)row * element->rowBytes : 0;
			return plyFail(reader, element, row, "a coordinate is not finite");
		}
		if (!isColumns && (row & 0xFFFF) == 0xFFFF && plyCancelled(reader) < 0)
		{
			return br_errorCancelled;
		}
	}
	return br_success;
}

// Second walk: faces

static brResult plyFailCorner(PlyReader* reader, const brPlyElement* element, int32_t row, double vertex)
{
	size_t byte = (size_t)(reader->source.cursor.at - (const char*)reader->job->bytes);
	return reader->source.isText
			   ? brFailLine(reader->job, reader->source.cursor.line, "face %d of %d names vertex %.15g, there are %d",
							row, element->count, vertex, reader->vertexCount)
			   : brFailByte(reader->job, byte, "face %d of %d names vertex %.15g, there are %d", row, element->count,
							vertex, reader->vertexCount);
}

// The first walk has proved sizes and bytes.
static brResult plyFillPlainList(PlyReader* reader, const brPlyElement* element)
{
	brMesh* mesh = reader->mesh;
	const uint8_t* at = (const uint8_t*)reader->source.cursor.at;
	bool isSwapped = reader->source.isSwapped;
	uint32_t vertexCount = (uint32_t)reader->vertexCount;
	int32_t corner = 0;
	for (int32_t row = 0; row < element->count; ++row)
	{
		int32_t size = *at;
		uint32_t worst = 0;
		for (int32_t i = 0; i < size; ++i)
		{
			uint32_t vertex = brLoad32(at + 1 + 4 * i, isSwapped);
			mesh->corners[corner + i] = (int32_t)vertex;
			worst = vertex > worst ? vertex : worst;
		}
		if (worst >= vertexCount)
		{
			reader->source.cursor.at = (const char*)at;
			bool isSigned = plyProperties(reader, element)->type == br_plyInt32;
			return plyFailCorner(reader, element, row, isSigned ? (double)(int32_t)worst : (double)worst);
		}
		at += 1 + 4 * size;
		corner += size;
		mesh->faceStarts[row + 1] = corner;
	}
	return br_success;
}

static brResult plyReadList(PlyReader* reader, const brPlyElement* element, const brPlyProperty* property, int32_t row)
{
	bool isKept = property->role >= br_plyCorners && property->role <= br_plyCornerNormals;
	double count = 0.0;
	if (!brPly_Next(&reader->source, property->countType, &count))
	{
		return plyFail(reader, element, row, "a count of list values expected");
	}
	if (!isKept)
	{
		return brPly_Skip(&reader->source, property->type, (int64_t)count)
				   ? br_success
				   : plyFail(reader, element, row, "the file ends");
	}
	int32_t list = property->role - br_plyCorners;
	reader->lists[list].count = 0;
	if (!BR_RESERVE(reader->allocator, &reader->lists[list], (int64_t)count))
	{
		return brFailMemory(reader->job->report);
	}
	for (int32_t i = 0; i < (int32_t)count; ++i)
	{
		if (!brPly_Next(&reader->source, property->type, &reader->lists[list].data[i]))
		{
			return plyFail(reader, element, row, "a number of the list's type expected");
		}
	}
	reader->lists[list].count = (int32_t)count;
	return br_success;
}

// An index of a material or group; what cannot be one is none.
static int32_t plyFaceIndex(PlyReader* reader, double value, int32_t limit, int32_t* used)
{
	bool isNone = value < 0.0;
	bool isIndex = value >= 0.0 && value < (double)limit && value == floor(value);
	reader->oddValues += !isNone && !isIndex;
	int32_t index = isIndex ? (int32_t)value : -1;
	*used = index + 1 > *used ? index + 1 : *used;
	return index;
}

static brResult plyStoreFace(PlyReader* reader, const brPlyElement* element, int32_t row)
{
	brMesh* mesh = reader->mesh;
	int32_t size = reader->lists[0].count;
	int32_t start = mesh->faceStarts[row];
	for (int32_t i = 0; i < size; ++i)
	{
		double vertex = reader->lists[0].data[i];
		if (!(vertex >= 0.0 && vertex < (double)reader->vertexCount) || vertex != floor(vertex))
		{
			return plyFailCorner(reader, element, row, vertex);
		}
		mesh->corners[start + i] = (int32_t)vertex;
	}
	mesh->faceStarts[row + 1] = start + size;

	// Lists that are empty leave zeros.
	for (int32_t list = 1; list < 3; ++list)
	{
		int32_t parts = list + 1;
		int32_t count = reader->lists[list].count;
		if (count != 0 && count != (int64_t)parts * size)
		{
			return plyFail(reader, element, row,
						   list == 1 ? "its list texcoord needs two numbers a corner"
									 : "its list normals needs three numbers a corner");
		}
		for (int32_t i = 0; i < count; ++i)
		{
			float* out = list == 1 ? &mesh->uvs[start].x : &mesh->normals[start].x;
			out[i] = plyToFloat(reader, br_plyIgnored, br_plyFloat, reader->lists[list].data[i]);
		}
	}
	return br_success;
}

static brResult plyFillFaceRow(PlyReader* reader, const brPlyElement* element, int32_t row)
{
	const brPlyProperty* properties = plyProperties(reader, element);
	brMesh* mesh = reader->mesh;
	for (int32_t i = 0; i < element->propertyCount; ++i)
	{
		if (properties[i].isList)
		{
			brResult result = plyReadList(reader, element, &properties[i], row);
			if (result < 0)
			{
				return result;
			}
			continue;
		}
		double value = -1.0;
		if (!brPly_Next(&reader->source, properties[i].type, &value))
		{
			return plyFail(reader, element, row, "a number of the property's type expected");
		}
		bool isTexture = properties[i].role == br_plyTexture && (reader->faceRoles >> br_plyMaterial & 1) == 0;
		if ((properties[i].role == br_plyMaterial || isTexture) && mesh->faceMaterials != NULL)
		{
			mesh->faceMaterials[row] = plyFaceIndex(reader, value, reader->materialLimit, &reader->usedMaterials);
		}
		if (properties[i].role == br_plyGroup)
		{
			mesh->faceGroups[row] = plyFaceIndex(reader, value, reader->groupLimit, &reader->usedGroups);
		}
	}
	return plyStoreFace(reader, element, row);
}

static brResult plyFillFaces(PlyReader* reader, const brPlyElement* element)
{
	if (reader->faceEnds.count > 0)
	{
		memcpy(reader->mesh->faceStarts + 1, reader->faceEnds.data, (size_t)element->count * sizeof(int32_t));
		memcpy(reader->mesh->corners, reader->corners.data, (size_t)reader->cornerCount * sizeof(int32_t));
		return br_success;
	}
	if (!reader->source.isText && plyIsPlainList(reader, element))
	{
		return plyFillPlainList(reader, element);
	}
	for (int32_t row = 0; row < element->count; ++row)
	{
		brResult result = plyFillFaceRow(reader, element, row);
		if (result >= 0 && (row & 0xFFFF) == 0xFFFF)
		{
			result = plyCancelled(reader);
		}
		if (result < 0)
		{
			return result;
		}
	}
	return br_success;
}

// Second walk: materials and groups

static brResult plyReadBytes(PlyReader* reader, const brPlyElement* element, const brPlyProperty* property, int32_t row)
{
	double count = 0.0;
	reader->text.count = 0;
	if (!brPly_Next(&reader->source, property->countType, &count))
	{
		return plyFail(reader, element, row, "a count of list values expected");
	}
	if (!BR_RESERVE(reader->allocator, &reader->text, (int64_t)count + 1))
	{
		return brFailMemory(reader->job->report);
	}
	for (int32_t i = 0; i < (int32_t)count; ++i)
	{
		double value = 0.0;
		if (!brPly_Next(&reader->source, property->type, &value))
		{
			return plyFail(reader, element, row, "a number of the list's type expected");
		}
		reader->text.data[i] = value >= 0.0 && value < 256.0 ? (char)(uint8_t)value : '_';
	}
	reader->text.count = (int32_t)count;
	return br_success;
}

static void plyStoreMaterial(PlyReader* reader, const brPlyProperty* property, double value,
							 brSurfaceMaterial* material)
{
	float number = plyToFloat(reader, property->role, property->type, value);
	switch (property->role)
	{
		case br_plyRed:
		case br_plyGreen:
		case br_plyBlue:
		case br_plyAlpha:
			(&material->baseColor.x)[property->role - br_plyRed] = number;
			break;
		case br_plyMetallic:
			material->metallic = number;
			break;
		case br_plyRoughness:
			material->roughness = number;
			break;
		case br_plyEmissionRed:
		case br_plyEmissionGreen:
		case br_plyEmissionBlue:
			(&material->emission.x)[property->role - br_plyEmissionRed] = number;
			break;
		default:
			break;
	}
}

static brResult plyFillNamed(PlyReader* reader, const brPlyElement* element, int32_t row)
{
	const brPlyProperty* properties = plyProperties(reader, element);
	brSurfaceMaterial material = brDefaultSurfaceMaterial();
	brName name = {0};
	for (int32_t i = 0; i < element->propertyCount; ++i)
	{
		if (properties[i].isList)
		{
			brResult result = plyReadBytes(reader, element, &properties[i], row);
			if (result < 0)
			{
				return result;
			}
			const char* text = reader->text.data;
			size_t length = (size_t)reader->text.count;
			if (properties[i].role == br_plyName)
			{
				brCopyName(name.text, sizeof(name.text), text, length);
			}
			else if (properties[i].role == br_plyTextureName)
			{
				brCopyName(material.texture, sizeof(material.texture), text, length);
			}
			continue;
		}
		double value = 0.0;
		if (!brPly_Next(&reader->source, properties[i].type, &value))
		{
			return plyFail(reader, element, row, "a number of the property's type expected");
		}
		plyStoreMaterial(reader, &properties[i], value, &material);
	}
	if (element->kind == br_plyGroupElement)
	{
		memcpy(reader->mesh->groupNames[row], name.text, sizeof(name.text));
		return br_success;
	}
	memcpy(material.name, name.text, sizeof(name.text));
	reader->mesh->materials[row] = material;
	return br_success;
}

static brResult plyFill(PlyReader* reader)
{
	const brPlyHeader* header = &reader->header;
	for (int32_t e = 0; e < header->elements.count; ++e)
	{
		const brPlyElement* element = &header->elements.data[e];
		reader->source.cursor = reader->starts[e];
		bool isNamed = element->kind == br_plyMaterialElement || element->kind == br_plyGroupElement;
		brResult result = br_success;
		if (element->kind == br_plyVertexElement)
		{
			result = plyFillVertices(reader, element);
		}
		else if (element->kind == br_plyFaceElement && element->count > 0)
		{
			result = plyFillFaces(reader, element);
		}
		for (int32_t row = 0; row < element->count && isNamed && result >= 0; ++row)
		{
			result = plyFillNamed(reader, element, row);
		}
		if (result < 0)
		{
			return result;
		}
	}
	return br_success;
}

// Values per vertex go to the corners, where no list of the face has given them.
static void plySpread(PlyReader* reader)
{
	brMesh* mesh = reader->mesh;
	bool hasCornerUvs = (reader->faceRoles >> br_plyCornerUvs & 1) != 0;
	bool hasCornerNormals = (reader->faceRoles >> br_plyCornerNormals & 1) != 0;
	for (int32_t c = 0; c < mesh->cornerCount && reader->vertexUvs != NULL && !hasCornerUvs; ++c)
	{
		mesh->uvs[c] = reader->vertexUvs[mesh->corners[c]];
	}
	for (int32_t c = 0; c < mesh->cornerCount && reader->vertexNormals != NULL && !hasCornerNormals; ++c)
	{
		mesh->normals[c] = reader->vertexNormals[mesh->corners[c]];
	}
}

// Materials and groups that faces name but the file does not define: plain ones.
static brResult plyDefineUsed(PlyReader* reader)
{
	brMesh* mesh = reader->mesh;
	if (mesh->materialCount == 0 && reader->usedMaterials > 0)
	{
		mesh->materials = BR_ALLOC(reader->allocator, brSurfaceMaterial, reader->usedMaterials);
		if (mesh->materials == NULL)
		{
			return brFailMemory(reader->job->report);
		}
		mesh->materialCount = reader->usedMaterials;
		for (int32_t m = 0; m < mesh->materialCount; ++m)
		{
			mesh->materials[m] = brDefaultSurfaceMaterial();
		}
	}
	if (mesh->groupCount == 0 && reader->usedGroups > 0)
	{
		mesh->groupNames = brAllocZeroArray(reader->allocator, reader->usedGroups, sizeof(char[64]));
		if (mesh->groupNames == NULL)
		{
			return brFailMemory(reader->job->report);
		}
		mesh->groupCount = reader->usedGroups;
	}
	return br_success;
}

static brResult plyRead(PlyReader* reader)
{
	brResult result = brPly_ReadHeader(reader->job, &reader->header);
	if (result < 0)
	{
		return result;
	}
	const char* bytes = (const char*)reader->job->bytes;
	reader->source.cursor =
		(brTextCursor){bytes + reader->header.dataByte, bytes + reader->job->byteCount, reader->header.dataLine};
	reader->source.isText = reader->header.encoding == br_plyAscii;
	reader->source.isSwapped = (reader->header.encoding == br_plyBig) != brIsBigEndianHost();
	result = plyMeasure(reader);
	result = result >= 0 ? plyAllocate(reader) : result;
	result = result >= 0 ? plyFill(reader) : result;
	if (result < 0)
	{
		return result;
	}
	plySpread(reader);
	return plyDefineUsed(reader);
}

brResult brReadPly(const brReadJob* job, brAssembly* assembly)
{
	PlyReader reader = {.job = job, .allocator = &job->allocator};
	brResult result = plyRead(&reader);
	if (result >= 0)
	{
		brMesh* mesh = reader.mesh;
		reader.mesh = NULL;
		result = brAddReadMesh(job, assembly, mesh, NULL);
	}
	if (result >= 0 && reader.oddValues > 0)
	{
		result = brFail(job->report, br_remarkDropped,
						"%.100s: %lld attributes are not finite or name no material or group, they were left out",
						job->name, (long long)reader.oddValues);
	}
	BR_FREE(reader.allocator, reader.starts, reader.header.elements.count);
	BR_FREE(reader.allocator, reader.vertexUvs, reader.vertexCount);
	BR_FREE(reader.allocator, reader.vertexNormals, reader.vertexCount);
	for (int32_t i = 0; i < 3; ++i)
	{
		BR_FREE_ARRAY(reader.allocator, &reader.lists[i]);
	}
	BR_FREE_ARRAY(reader.allocator, &reader.corners);
	BR_FREE_ARRAY(reader.allocator, &reader.faceEnds);
	BR_FREE_ARRAY(reader.allocator, &reader.text);
	brPly_FreeHeader(reader.allocator, &reader.header);
	brDestroyMesh(reader.mesh);
	return result;
}
