// SPDX-License-Identifier: MIT

// The header of a PLY file: elements in file order, each with its properties, and what we take them for.

#include "io/names.h"
#include "io/ply.h"
#include "io/text.h"

#include <string.h>

static const struct
{
	const char* name;
	brNumberType type;
} plyTypeNames[] = {
	{"char", br_numberInt8},   {"uchar", br_numberUint8},   {"short", br_numberInt16},   {"ushort", br_numberUint16},
	{"int", br_numberInt32},   {"uint", br_numberUint32},   {"float", br_numberFloat},   {"double", br_numberDouble},
	{"int8", br_numberInt8},   {"uint8", br_numberUint8},   {"int16", br_numberInt16},   {"uint16", br_numberUint16},
	{"int32", br_numberInt32}, {"uint32", br_numberUint32}, {"float32", br_numberFloat}, {"float64", br_numberDouble},
};

typedef struct PlyRoleName
{
	brPlyElementKind element;
	const char* name;
	bool isList;
	brPlyRole role;
} PlyRoleName;

static const PlyRoleName plyRoleNames[] = {
	{br_plyVertexElement, "x", false, br_plyX},
	{br_plyVertexElement, "y", false, br_plyY},
	{br_plyVertexElement, "z", false, br_plyZ},
	{br_plyVertexElement, "nx", false, br_plyNormalX},
	{br_plyVertexElement, "ny", false, br_plyNormalY},
	{br_plyVertexElement, "nz", false, br_plyNormalZ},
	{br_plyVertexElement, "red", false, br_plyRed},
	{br_plyVertexElement, "green", false, br_plyGreen},
	{br_plyVertexElement, "blue", false, br_plyBlue},
	{br_plyVertexElement, "alpha", false, br_plyAlpha},
	{br_plyVertexElement, "r", false, br_plyRed},
	{br_plyVertexElement, "g", false, br_plyGreen},
	{br_plyVertexElement, "b", false, br_plyBlue},
	{br_plyVertexElement, "a", false, br_plyAlpha},
	{br_plyVertexElement, "diffuse_red", false, br_plyRed},
	{br_plyVertexElement, "diffuse_green", false, br_plyGreen},
	{br_plyVertexElement, "diffuse_blue", false, br_plyBlue},
	{br_plyVertexElement, "s", false, br_plyU},
	{br_plyVertexElement, "t", false, br_plyV},
	{br_plyVertexElement, "u", false, br_plyU},
	{br_plyVertexElement, "v", false, br_plyV},
	{br_plyVertexElement, "texture_u", false, br_plyU},
	{br_plyVertexElement, "texture_v", false, br_plyV},
	{br_plyFaceElement, "vertex_indices", true, br_plyCorners},
	{br_plyFaceElement, "vertex_index", true, br_plyCorners},
	{br_plyFaceElement, "texcoord", true, br_plyCornerUvs},
	{br_plyFaceElement, "normals", true, br_plyCornerNormals},
	{br_plyFaceElement, "material", false, br_plyMaterial},
	{br_plyFaceElement, "material_index", false, br_plyMaterial},
	{br_plyFaceElement, "group", false, br_plyGroup},
	{br_plyFaceElement, "texnumber", false, br_plyTexture},
	{br_plyMaterialElement, "name", true, br_plyName},
	{br_plyMaterialElement, "texture", true, br_plyTextureName},
	{br_plyMaterialElement, "red", false, br_plyRed},
	{br_plyMaterialElement, "green", false, br_plyGreen},
	{br_plyMaterialElement, "blue", false, br_plyBlue},
	{br_plyMaterialElement, "alpha", false, br_plyAlpha},
	{br_plyMaterialElement, "diffuse_red", false, br_plyRed},
	{br_plyMaterialElement, "diffuse_green", false, br_plyGreen},
	{br_plyMaterialElement, "diffuse_blue", false, br_plyBlue},
	{br_plyMaterialElement, "metallic", false, br_plyMetallic},
	{br_plyMaterialElement, "roughness", false, br_plyRoughness},
	{br_plyMaterialElement, "emission_red", false, br_plyEmissionRed},
	{br_plyMaterialElement, "emission_green", false, br_plyEmissionGreen},
	{br_plyMaterialElement, "emission_blue", false, br_plyEmissionBlue},
	{br_plyGroupElement, "name", true, br_plyName},
};

static bool plyIsWord(const char* word, size_t length, const char* expected)
{
	return strlen(expected) == length && memcmp(word, expected, length) == 0;
}

static brPlyRole plyFindRole(brPlyElementKind element, bool isList, const char* word, size_t length)
{
	for (int32_t i = 0; i < BR_COUNT(plyRoleNames); ++i)
	{
		const PlyRoleName* row = &plyRoleNames[i];
		if (row->element == element && row->isList == isList && plyIsWord(word, length, row->name))
		{
			return row->role;
		}
	}
	return br_plyIgnored;
}

static bool plyReadType(brTextCursor* cursor, brNumberType* outType)
{
	const char* word;
	brText_SkipBlanks(cursor);
	size_t length = brText_Word(cursor, &word);
	for (int32_t i = 0; i < BR_COUNT(plyTypeNames); ++i)
	{
		if (plyIsWord(word, length, plyTypeNames[i].name))
		{
			*outType = plyTypeNames[i].type;
			return true;
		}
	}
	return false;
}

static brResult plyReadFormat(const brReadJob* job, brTextCursor* cursor, brPlyHeader* header)
{
	const char* word;
	brText_SkipBlanks(cursor);
	size_t length = brText_Word(cursor, &word);
	bool isAscii = plyIsWord(word, length, "ascii");
	bool isLittle = plyIsWord(word, length, "binary_little_endian");
	bool isBig = plyIsWord(word, length, "binary_big_endian");
	if (!isAscii && !isLittle && !isBig)
	{
		return brFailLine(job, cursor->line, "\"%.*s\" is no encoding of PLY", (int)(length < 40 ? length : 40), word);
	}
	header->encoding = isAscii ? br_plyAscii : isLittle ? br_plyLittle : br_plyBig;
	return br_success;
}

static brResult plyReadElement(const brReadJob* job, brTextCursor* cursor, brPlyHeader* header)
{
	static const struct
	{
		const char* name;
		brPlyElementKind kind;
	} kinds[] = {
		{"vertex", br_plyVertexElement}, {"face", br_plyFaceElement},       {"material", br_plyMaterialElement},
		{"group", br_plyGroupElement},   {"tristrips", br_plyStripElement},
	};
	const char* word;
	brText_SkipBlanks(cursor);
	size_t length = brText_Word(cursor, &word);
	brPlyElement element = {.firstProperty = header->properties.count};
	for (int32_t i = 0; i < BR_COUNT(kinds); ++i)
	{
		element.kind = plyIsWord(word, length, kinds[i].name) ? kinds[i].kind : element.kind;
	}
	if (length == 0 || !brText_Int32(cursor, &element.count) || element.count < 0)
	{
		return brFailLine(job, cursor->line, "an element needs a name and a count of 0 to 2147483647");
	}
	for (int32_t i = 0; i < header->elements.count; ++i)
	{
		if (element.kind != br_plyOtherElement && header->elements.data[i].kind == element.kind)
		{
			return brFailLine(job, cursor->line, "the element %.*s is there twice", (int)(length < 40 ? length : 40),
							  word);
		}
	}
	return BR_PUSH(&job->allocator, &header->elements, element) ? br_success : brFailMemory(job->report);
}

static brResult plyReadProperty(const brReadJob* job, brTextCursor* cursor, brPlyHeader* header)
{
	if (header->elements.count == 0)
	{
		return brFailLine(job, cursor->line, "a property before the first element");
	}
	brPlyElement* element = &header->elements.data[header->elements.count - 1];
	brPlyProperty property = {0};
	brText_SkipBlanks(cursor);
	property.isList = brText_TakeWord(cursor, "list");
	if ((property.isList && (!plyReadType(cursor, &property.countType) || property.countType >= br_numberFloat)) ||
		!plyReadType(cursor, &property.type))
	{
		return brFailLine(job, cursor->line, "a property needs a known type");
	}
	const char* word;
	brText_SkipBlanks(cursor);
	size_t length = brText_Word(cursor, &word);
	property.role = plyFindRole(element->kind, property.isList, word, length);

	// The first of two that mean the same counts.
	for (int32_t i = 0; i < element->propertyCount; ++i)
	{
		bool isTaken = header->properties.data[element->firstProperty + i].role == property.role;
		property.role = isTaken ? br_plyIgnored : property.role;
	}
	int32_t bytes = (int32_t)brNumberType_Bytes(property.isList ? property.countType : property.type);
	if (element->minRowBytes > (1 << 20))
	{
		return brFailLine(job, cursor->line, "the element has too many properties");
	}
	property.offset = element->minRowBytes;
	element->minRowBytes += bytes;
	bool hadList = element->propertyCount > 0 && element->rowBytes == 0;
	element->rowBytes = property.isList || hadList ? 0 : element->minRowBytes;
	element->propertyCount += 1;
	return BR_PUSH(&job->allocator, &header->properties, property) ? br_success : brFailMemory(job->report);
}

static brResult plyReadComment(const brReadJob* job, brTextCursor* cursor, brPlyHeader* header)
{
	brText_SkipBlanks(cursor);
	if (!brText_TakeWord(cursor, "TextureFile"))
	{
		return br_success;
	}
	brText_SkipBlanks(cursor);
	const char* start = cursor->at;
	while (!brText_AtLineEnd(cursor))
	{
		cursor->at += 1;
	}
	brSurfaceMaterial material = brDefaultSurfaceMaterial();
	material.baseColor = (brVec4){1.0f, 1.0f, 1.0f, 1.0f};
	brCopyName(material.texture, sizeof(material.texture), start, (size_t)(cursor->at - start));
	return BR_PUSH(&job->allocator, &header->textures, material) ? br_success : brFailMemory(job->report);
}

// What the elements must have to be a mesh.
static brResult plyCheckElements(const brReadJob* job, brPlyHeader* header, int64_t line)
{
	for (int32_t e = 0; e < header->elements.count; ++e)
	{
		brPlyElement* element = &header->elements.data[e];
		bool isNamed = element->kind == br_plyMaterialElement || element->kind == br_plyGroupElement;
		if (isNamed && element->propertyCount == 0)
		{
			element->kind = br_plyOtherElement; // rows without bytes: their count means nothing
		}
		uint32_t roles = 0;
		for (int32_t i = 0; i < element->propertyCount; ++i)
		{
			roles |= 1u << header->properties.data[element->firstProperty + i].role;
		}
		uint32_t position = 1u << br_plyX | 1u << br_plyY | 1u << br_plyZ;
		if (element->kind == br_plyVertexElement && (roles & position) != position)
		{
			return brFailLine(job, line, "vertices need properties x, y and z");
		}
		if (element->kind == br_plyFaceElement && element->count > 0 && (roles & 1u << br_plyCorners) == 0)
		{
			return brFailLine(job, line, "faces need a list vertex_indices");
		}
		if (element->kind == br_plyStripElement && element->count > 0)
		{
			return brFail(job->report, br_errorUnsupported, "%.100s:%lld: triangle strips are not read, only faces",
						  job->name, (long long)line);
		}
	}
	return br_success;
}

brResult brPly_ReadHeader(const brReadJob* job, brPlyHeader* header)
{
	brTextCursor cursor = brMakeTextCursor(job->bytes, job->byteCount);
	if (!brText_TakeWord(&cursor, "ply") || !brText_AtLineEnd(&cursor))
	{
		return brFailLine(job, 1, "this is no PLY file, its first line is not \"ply\"");
	}
	bool hasLoneReturns = *cursor.at == '\r' && cursor.at[1] != '\n';
	bool hasFormat = false;
	for (brText_NextLine(&cursor); cursor.at < cursor.end; brText_NextLine(&cursor))
	{
		brResult result = br_success;
		brText_SkipBlanks(&cursor);
		if (brText_TakeWord(&cursor, "end_header"))
		{
			// Binary data may start with a byte that looks like half a line end.
			brText_SkipBlanks(&cursor);
			bool isPair = cursor.at[0] == '\r' && cursor.at[1] == '\n' && !hasLoneReturns;
			cursor.at += isPair ? 2 : cursor.at < cursor.end;
			header->dataByte = (size_t)(cursor.at - (const char*)job->bytes);
			header->dataLine = cursor.line + 1;
			return hasFormat ? plyCheckElements(job, header, cursor.line)
							 : brFailLine(job, cursor.line, "the header has no line \"format\"");
		}
		if (brText_TakeWord(&cursor, "format"))
		{
			result = plyReadFormat(job, &cursor, header);
			hasFormat = true;
		}
		else if (brText_TakeWord(&cursor, "element"))
		{
			result = plyReadElement(job, &cursor, header);
		}
		else if (brText_TakeWord(&cursor, "property"))
		{
			result = plyReadProperty(job, &cursor, header);
		}
		else if (brText_TakeWord(&cursor, "comment"))
		{
			result = plyReadComment(job, &cursor, header);
		}
		else if (!brText_AtLineEnd(&cursor) && !brText_TakeWord(&cursor, "obj_info"))
		{
			const char* word;
			size_t length = brText_Word(&cursor, &word);
			result = brFailLine(job, cursor.line, "\"%.*s\" has no meaning in a PLY header",
								(int)(length < 40 ? length : 40), word);
		}
		if (result < 0)
		{
			return result;
		}
	}
	return brFailLine(job, cursor.line, "the header does not end");
}

void brPly_FreeHeader(const brAllocator* allocator, brPlyHeader* header)
{
	BR_FREE_ARRAY(allocator, &header->elements);
	BR_FREE_ARRAY(allocator, &header->properties);
	BR_FREE_ARRAY(allocator, &header->textures);
}
