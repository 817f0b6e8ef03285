// SPDX-License-Identifier: MIT

// Reads PLY: text, binary of either byte order, elements and properties in any order, what is not known passed over.
//
// Two walks over the data. The first (ply_measure.c) proves that all of it is there and counts the corners; then the
// mesh is allocated; the second fills it. Rows without lists are filled column by column in blocks, lists of triangles
// in a loop of their own; everything else goes value by value.
//
// Values per vertex (nx ny nz, s t) are spread to the corners; a list of a face (texcoord, normals) goes before them.
// Names and looks come from the elements `material` and `group` as brWritePly makes them, or from MeshLab's texture
// comments.

#include "io/ply_reader.h"

#include "io/bytes.h"
#include "io/names.h"
#include "io/text.h"

#include <math.h>
#include <string.h>

#define PLY_BLOCK 256
#define PLY_MAX_UNDEFINED 65536 // materials and groups that faces may name without a definition

// Allocation

static bool plyHas(uint32_t roles, brPlyRole first, brPlyRole second)
{
	return (roles >> first & 1) != 0 && (roles >> second & 1) != 0;
}

static brResult plyAllocate(brPlyReader* reader)
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
static float* plyFloatColumn(brPlyReader* reader, brPlyRole role, int32_t* outStride)
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

static inline float plyToFloat(brPlyReader* reader, brPlyRole role, brNumberType type, double value)
{
	bool isColor = role >= br_plyRed && role <= br_plyAlpha;
	if (isColor && (type == br_numberUint8 || type == br_numberUint16))
	{
		return (float)value / (type == br_numberUint8 ? 255.0f : 65535.0f);
	}
	return brFiniteOrZero((float)value, &reader->oddValues);
}

static void plyStoreColumn(brPlyReader* reader, const brPlyProperty* property, int32_t firstRow, int32_t count,
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

static void plyFillColumns(brPlyReader* reader, const brPlyElement* element, const uint8_t* rows)
{
	const brPlyProperty* properties = brPly_Properties(reader, element);
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

static brResult plyFillVertices(brPlyReader* reader, const brPlyElement* element)
{
	if (reader->positions.count > 0)
	{
		bool isAdopted =
			BR_ADOPT(reader->allocator, &reader->mesh->positions, &reader->mesh->vertexCount, &reader->positions);
		return isAdopted ? br_success : brFailMemory(reader->job->report);
	}
	const brPlyProperty* properties = brPly_Properties(reader, element);
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
					return brPly_Fail(reader, element, row, "a list expected");
				}
				continue;
			}
			if (!brPly_Next(&reader->source, properties[i].type, &value))
			{
				return brPly_Fail(reader, element, row, "a number of the property's type expected");
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
			return brPly_Fail(reader, element, row, "a coordinate is not finite");
		}
		if (!isColumns && (row & 0xFFFF) == 0xFFFF && brPly_CheckCancel(reader) < 0)
		{
			return br_errorCanceled;
		}
	}
	return br_success;
}

// Second walk: faces

static brResult plyFailCorner(brPlyReader* reader, const brPlyElement* element, int32_t row, double vertex)
{
	size_t byte = (size_t)(reader->source.cursor.at - (const char*)reader->job->bytes);
	return reader->source.isText
			   ? brFailLine(reader->job, reader->source.cursor.line, "face %d of %d names vertex %.15g, there are %d",
							row, element->count, vertex, reader->vertexCount)
			   : brFailByte(reader->job, byte, "face %d of %d names vertex %.15g, there are %d", row, element->count,
							vertex, reader->vertexCount);
}

// The first walk has proved sizes and bytes.
static brResult plyFillPlainList(brPlyReader* reader, const brPlyElement* element)
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
			bool isSigned = brPly_Properties(reader, element)->type == br_numberInt32;
			return plyFailCorner(reader, element, row, isSigned ? (double)(int32_t)worst : (double)worst);
		}
		at += 1 + 4 * size;
		corner += size;
		mesh->faceStarts[row + 1] = corner;
	}
	return br_success;
}

static brResult plyReadList(brPlyReader* reader, const brPlyElement* element, const brPlyProperty* property,
							int32_t row)
{
	bool isKept = property->role >= br_plyCorners && property->role <= br_plyCornerNormals;
	double count = 0.0;
	if (!brPly_Next(&reader->source, property->countType, &count))
	{
		return brPly_Fail(reader, element, row, "a count of list values expected");
	}
	if (!isKept)
	{
		return brPly_Skip(&reader->source, property->type, (int64_t)count)
				   ? br_success
				   : brPly_Fail(reader, element, row, "the file ends");
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
			return brPly_Fail(reader, element, row, "a number of the list's type expected");
		}
	}
	reader->lists[list].count = (int32_t)count;
	return br_success;
}

// An index of a material or group; what cannot be one is none.
static int32_t plyFaceIndex(brPlyReader* reader, double value, int32_t limit, int32_t* used)
{
	bool isNone = value < 0.0;
	bool isIndex = value >= 0.0 && value < (double)limit && value == floor(value);
	reader->oddValues += !isNone && !isIndex;
	int32_t index = isIndex ? (int32_t)value : -1;
	*used = index + 1 > *used ? index + 1 : *used;
	return index;
}

static brResult plyStoreFace(brPlyReader* reader, const brPlyElement* element, int32_t row)
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
			return brPly_Fail(reader, element, row,
							  list == 1 ? "its list texcoord needs two numbers a corner"
										: "its list normals needs three numbers a corner");
		}
		for (int32_t i = 0; i < count; ++i)
		{
			float* out = list == 1 ? &mesh->uvs[start].x : &mesh->normals[start].x;
			out[i] = plyToFloat(reader, br_plyIgnored, br_numberFloat, reader->lists[list].data[i]);
		}
	}
	return br_success;
}

static brResult plyFillFaceRow(brPlyReader* reader, const brPlyElement* element, int32_t row)
{
	const brPlyProperty* properties = brPly_Properties(reader, element);
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
			return brPly_Fail(reader, element, row, "a number of the property's type expected");
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

static brResult plyFillFaces(brPlyReader* reader, const brPlyElement* element)
{
	if (reader->faceEnds.count > 0)
	{
		memcpy(reader->mesh->faceStarts + 1, reader->faceEnds.data, (size_t)element->count * sizeof(int32_t));
		bool isAdopted =
			BR_ADOPT(reader->allocator, &reader->mesh->corners, &reader->mesh->cornerCount, &reader->corners);
		return isAdopted ? br_success : brFailMemory(reader->job->report);
	}
	if (!reader->source.isText && brPly_IsPlainList(reader, element))
	{
		return plyFillPlainList(reader, element);
	}
	return brPly_WalkRows(reader, element, plyFillFaceRow);
}

// Second walk: materials and groups

static brResult plyReadBytes(brPlyReader* reader, const brPlyElement* element, const brPlyProperty* property,
							 int32_t row)
{
	double count = 0.0;
	reader->text.count = 0;
	if (!brPly_Next(&reader->source, property->countType, &count))
	{
		return brPly_Fail(reader, element, row, "a count of list values expected");
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
			return brPly_Fail(reader, element, row, "a number of the list's type expected");
		}
		reader->text.data[i] = value >= 0.0 && value < 256.0 ? (char)(uint8_t)value : '_';
	}
	reader->text.count = (int32_t)count;
	return br_success;
}

static void plyStoreMaterial(brPlyReader* reader, const brPlyProperty* property, double value,
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

static brResult plyFillNamed(brPlyReader* reader, const brPlyElement* element, int32_t row)
{
	const brPlyProperty* properties = brPly_Properties(reader, element);
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
			return brPly_Fail(reader, element, row, "a number of the property's type expected");
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

static brResult plyFill(brPlyReader* reader)
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
static void plySpread(brPlyReader* reader)
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

// Moves a face and all that hangs on it to the front.
static void plyMoveFace(brMesh* mesh, int32_t from, int32_t to)
{
	int32_t first = mesh->faceStarts[from], size = mesh->faceStarts[from + 1] - first, start = mesh->faceStarts[to];
	for (int32_t i = 0; i < size; ++i)
	{
		mesh->corners[start + i] = mesh->corners[first + i];
		if (mesh->uvs != NULL)
		{
			mesh->uvs[start + i] = mesh->uvs[first + i];
		}
		if (mesh->normals != NULL)
		{
			mesh->normals[start + i] = mesh->normals[first + i];
		}
	}
	if (mesh->faceMaterials != NULL)
	{
		mesh->faceMaterials[to] = mesh->faceMaterials[from];
	}
	if (mesh->faceGroups != NULL)
	{
		mesh->faceGroups[to] = mesh->faceGroups[from];
	}
	mesh->faceStarts[to + 1] = start + size;
}

// Leaves out faces with fewer than three corners.
static brResult plyDropShort(brPlyReader* reader)
{
	brMesh* mesh = reader->mesh;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		reader->skippedFaces += mesh->faceStarts[f + 1] - mesh->faceStarts[f] < 3;
	}
	if (reader->skippedFaces == 0)
	{
		return br_success;
	}
	brMesh left = *mesh;
	left.faceCount = 0;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		if (mesh->faceStarts[f + 1] - mesh->faceStarts[f] >= 3)
		{
			plyMoveFace(mesh, f, left.faceCount++);
		}
	}
	left.cornerCount = mesh->faceStarts[left.faceCount];
	brResult result = brCopyMesh(reader->job->context, &left, &reader->mesh, reader->job->report);
	if (result >= 0)
	{
		brDestroyMesh(mesh);
	}
	return result;
}

// Materials and groups that faces name but the file does not define: plain ones.
static brResult plyDefineUsed(brPlyReader* reader)
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

static brResult plyRead(brPlyReader* reader)
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
	result = brPly_Measure(reader);
	result = result >= 0 ? plyAllocate(reader) : result;
	result = result >= 0 ? plyFill(reader) : result;
	if (result < 0)
	{
		return result;
	}
	plySpread(reader);
	result = plyDefineUsed(reader);
	return result >= 0 ? plyDropShort(reader) : result;
}

brResult brReadPly(const brReadJob* job, brAssembly* assembly)
{
	brPlyReader reader = {.job = job, .allocator = &job->allocator};
	brResult result = plyRead(&reader);
	if (result >= 0)
	{
		brMesh* mesh = reader.mesh;
		reader.mesh = NULL;
		result = brAddReadMesh(job, assembly, mesh, NULL);
	}
	if (result >= 0 && reader.skippedFaces > 0)
	{
		result = brRemarkRead(job, 0, reader.skippedFaces);
	}
	else if (result >= 0 && reader.oddValues > 0)
	{
		result = brFail(job->report, br_remarkDropped,
						"%.100s: %lld attributes are not finite or name no material or group, they were left out",
						job->name, (long long)reader.oddValues);
	}
	for (int32_t i = 0; i < reader.partCount; ++i)
	{
		BR_FREE_ARRAY(reader.allocator, &reader.parts[i].corners);
		BR_FREE_ARRAY(reader.allocator, &reader.parts[i].faceEnds);
	}
	BR_FREE(reader.allocator, reader.parts, reader.partCapacity);
	BR_FREE(reader.allocator, reader.starts, reader.header.elements.count);
	BR_FREE(reader.allocator, reader.vertexUvs, reader.vertexCount);
	BR_FREE(reader.allocator, reader.vertexNormals, reader.vertexCount);
	for (int32_t i = 0; i < 3; ++i)
	{
		BR_FREE_ARRAY(reader.allocator, &reader.lists[i]);
	}
	BR_FREE_ARRAY(reader.allocator, &reader.positions);
	BR_FREE_ARRAY(reader.allocator, &reader.corners);
	BR_FREE_ARRAY(reader.allocator, &reader.faceEnds);
	BR_FREE_ARRAY(reader.allocator, &reader.text);
	brPly_FreeHeader(reader.allocator, &reader.header);
	brDestroyMesh(reader.mesh);
	return result;
}
