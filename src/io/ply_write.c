// SPDX-License-Identifier: MIT

// Writes PLY, binary little-endian unless asked otherwise.
//
// Everything a brMesh has fits and reads back with the same bits:
//   vertex    x y z (float, double if some coordinate is none), nx ny nz and s t if all corners of each vertex agree, red green
//             blue alpha (bytes if every value is a whole number of 255ths, else float; alpha only if one is not 1)
//   face      vertex_indices; texcoord (two floats a corner, as MeshLab) and normals (three) where corners do not agree;
//             material and group, -1 for none
//   material  name and texture as lists of bytes, red green blue alpha metallic roughness emission_red _green _blue
//   group     name
// The last two come behind the faces, so that programs that stop there miss nothing they know.

#include "io/ply.h"
#include "io/surface.h"
#include "io/text.h"

#include <string.h>

#define PLY_HOLDS                                                                                                      \
	(br_holdsDoubles | br_holdsPolygons | br_holdsUvs | br_holdsNormals | br_holdsColors | br_holdsMaterials |         \
	 br_holdsGroups)

typedef struct PlyWriter
{
	const brMesh* mesh;
	brOutput* output;
	brPlyEncoding encoding;
	brNumberType coordinateType;
	brNumberType colorType;
	brNumberType sizeType;      // of lists of corners
	brNumberType attributeType; // of lists of numbers a corner
	bool hasVertexUvs, hasVertexNormals;
	bool hasCornerUvs, hasCornerNormals;
	bool hasAlpha;
	bool hasMaterials, hasGroups;
	const int32_t* firstCorners; // or null

	uint8_t* start; // of the room being filled
	uint8_t* at;
	bool isInRow;
} PlyWriter;

static void plyFlush(PlyWriter* writer)
{
	brOutput_Advance(writer->output, (size_t)(writer->at - writer->start));
	writer->start = brOutput_Room(writer->output, BR_OUTPUT_ROOM);
	writer->at = writer->start;
}

static void plyStoreWord(PlyWriter* writer, uint64_t word, int32_t bytes)
{
	for (int32_t i = 0; i < bytes; ++i)
	{
		int32_t shift = writer->encoding == br_plyBig ? 8 * (bytes - 1 - i) : 8 * i;
		writer->at[i] = (uint8_t)(word >> shift);
	}
	writer->at += bytes;
}

// Numbers of every type we write are exact as doubles.
static inline void plyPut(PlyWriter* writer, brNumberType type, double value)
{
	if (writer->at - writer->start > BR_OUTPUT_ROOM - 2 * BR_NUMBER_CHARS)
	{
		plyFlush(writer);
	}
	if (writer->encoding == br_plyAscii)
	{
		char* at = (char*)writer->at;
		*at = ' ';
		at += writer->isInRow;
		writer->isInRow = true;
		at += type == br_numberDouble  ? brPrintDouble(at, value)
			  : type == br_numberFloat ? brPrintFloat(at, (float)value)
									   : brPrintInt(at, (int64_t)value);
		writer->at = (uint8_t*)at;
		return;
	}
	if (type == br_numberDouble)
	{
		uint64_t word;
		memcpy(&word, &value, sizeof(word));
		plyStoreWord(writer, word, 8);
	}
	else if (type == br_numberFloat)
	{
		float single = (float)value;
		uint32_t word;
		memcpy(&word, &single, sizeof(word));
		plyStoreWord(writer, word, 4);
	}
	else
	{
		plyStoreWord(writer, (uint64_t)(int64_t)value, (int32_t)brNumberType_Bytes(type));
	}
}

static void plyEndRow(PlyWriter* writer)
{
	if (writer->encoding == br_plyAscii)
	{
		*writer->at++ = '\n'; // plyPut leaves room for it
		writer->isInRow = false;
	}
}

static void plyPutFloats(PlyWriter* writer, const float* values, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		plyPut(writer, br_numberFloat, (double)values[i]);
	}
}

static void plyPutText(PlyWriter* writer, const char* text)
{
	size_t length = strlen(text);
	plyPut(writer, br_numberUint8, (double)length);
	for (size_t i = 0; i < length; ++i)
	{
		plyPut(writer, br_numberUint8, (double)(unsigned char)text[i]);
	}
}

// A byte holds the color if it comes back as the same float.
static bool plyIsByteColor(float value)
{
	return value >= 0.0f && value <= 1.0f && (float)(int32_t)(value * 255.0f + 0.5f) / 255.0f == value;
}

static void plyChooseTypes(PlyWriter* writer, const brWriteJob* job)
{
	const brMesh* mesh = writer->mesh;
	writer->encoding = job->def->ascii ? br_plyAscii : job->def->bigEndian ? br_plyBig : br_plyLittle;
	writer->coordinateType = job->def->doubles || !brPositionsAreFloats(mesh) ? br_numberDouble : br_numberFloat;
	writer->colorType = br_numberUint8;
	for (int32_t v = 0; v < mesh->vertexCount && mesh->colors != NULL; ++v)
	{
		const brVec4* color = &mesh->colors[v];
		bool isByte = plyIsByteColor(color->x) && plyIsByteColor(color->y) && plyIsByteColor(color->z) &&
					  plyIsByteColor(color->w);
		writer->colorType = isByte ? writer->colorType : br_numberFloat;
		writer->hasAlpha = writer->hasAlpha || color->w != 1.0f;
	}
	int32_t largest = 0;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		largest = brMesh_GetFaceSize(mesh, f) > largest ? brMesh_GetFaceSize(mesh, f) : largest;
	}
	writer->sizeType = largest <= UINT8_MAX ? br_numberUint8 : br_numberInt32;
	writer->attributeType = largest <= UINT8_MAX / 3 ? br_numberUint8 : br_numberInt32;
	writer->hasMaterials = mesh->faceMaterials != NULL && mesh->materialCount > 0;
	writer->hasGroups = mesh->faceGroups != NULL && mesh->groupCount > 0;
}

static void plyWriteHeader(const PlyWriter* writer)
{
	static const char* const encodings[] = {"ascii", "binary_little_endian", "binary_big_endian"};
	static const char* const typeNames[] = {
		[br_numberUint8] = "uchar", [br_numberInt32] = "int", [br_numberFloat] = "float", [br_numberDouble] = "double"};
	const brMesh* mesh = writer->mesh;
	brOutput* output = writer->output;
	const char* coordinate = typeNames[writer->coordinateType];
	brOutput_Format(output, "ply\nformat %s 1.0\nelement vertex %d\n", encodings[writer->encoding], mesh->vertexCount);
	brOutput_Format(output, "property %s x\nproperty %s y\nproperty %s z\n", coordinate, coordinate, coordinate);
	if (writer->hasVertexNormals)
	{
		brOutput_Text(output, "property float nx\nproperty float ny\nproperty float nz\n");
	}
	if (mesh->colors != NULL)
	{
		const char* color = typeNames[writer->colorType];
		brOutput_Format(output, "property %s red\nproperty %s green\nproperty %s blue\n", color, color, color);
		if (writer->hasAlpha)
		{
			brOutput_Format(output, "property %s alpha\n", color);
		}
	}
	if (writer->hasVertexUvs)
	{
		brOutput_Text(output, "property float s\nproperty float t\n");
	}
	const char* attribute = typeNames[writer->attributeType];
	brOutput_Format(output, "element face %d\nproperty list %s int vertex_indices\n", mesh->faceCount,
					typeNames[writer->sizeType]);
	if (writer->hasCornerUvs)
	{
		brOutput_Format(output, "property list %s float texcoord\n", attribute);
	}
	if (writer->hasCornerNormals)
	{
		brOutput_Format(output, "property list %s float normals\n", attribute);
	}
	brOutput_Text(output, writer->hasMaterials ? "property int material\n" : "");
	brOutput_Text(output, writer->hasGroups ? "property int group\n" : "");
	if (mesh->materialCount > 0)
	{
		brOutput_Format(output, "element material %d\nproperty list uchar uchar name\n", mesh->materialCount);
		brOutput_Text(output, "property list uchar uchar texture\nproperty float red\nproperty float green\n"
							  "property float blue\nproperty float alpha\nproperty float metallic\n"
							  "property float roughness\nproperty float emission_red\nproperty float emission_green\n"
							  "property float emission_blue\n");
	}
	if (mesh->groupCount > 0)
	{
		brOutput_Format(output, "element group %d\nproperty list uchar uchar name\n", mesh->groupCount);
	}
	brOutput_Text(output, "end_header\n");
}

static void plyWriteVertices(PlyWriter* writer)
{
	static const float none[3];
	const brMesh* mesh = writer->mesh;
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		plyPut(writer, writer->coordinateType, mesh->positions[v].x);
		plyPut(writer, writer->coordinateType, mesh->positions[v].y);
		plyPut(writer, writer->coordinateType, mesh->positions[v].z);
		int32_t corner = writer->firstCorners != NULL ? writer->firstCorners[v] : -1;
		if (writer->hasVertexNormals)
		{
			plyPutFloats(writer, corner >= 0 ? &mesh->normals[corner].x : none, 3);
		}
		if (mesh->colors != NULL)
		{
			const float* color = &mesh->colors[v].x;
			for (int32_t i = 0; i < 3 + writer->hasAlpha; ++i)
			{
				bool isByte = writer->colorType == br_numberUint8;
				double value = isByte ? (double)(int32_t)(color[i] * 255.0f + 0.5f) : (double)color[i];
				plyPut(writer, writer->colorType, value);
			}
		}
		if (writer->hasVertexUvs)
		{
			plyPutFloats(writer, corner >= 0 ? &mesh->uvs[corner].x : none, 2);
		}
		plyEndRow(writer);
	}
}

static void plyWriteFaces(PlyWriter* writer)
{
	const brMesh* mesh = writer->mesh;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		int32_t start = mesh->faceStarts[f];
		int32_t size = brMesh_GetFaceSize(mesh, f);
		plyPut(writer, writer->sizeType, size);
		for (int32_t i = 0; i < size; ++i)
		{
			plyPut(writer, br_numberInt32, mesh->corners[start + i]);
		}
		if (writer->hasCornerUvs)
		{
			plyPut(writer, writer->attributeType, 2.0 * size);
			plyPutFloats(writer, &mesh->uvs[start].x, 2 * size);
		}
		if (writer->hasCornerNormals)
		{
			plyPut(writer, writer->attributeType, 3.0 * size);
			plyPutFloats(writer, &mesh->normals[start].x, 3 * size);
		}
		if (writer->hasMaterials)
		{
			plyPut(writer, br_numberInt32, mesh->faceMaterials[f]);
		}
		if (writer->hasGroups)
		{
			plyPut(writer, br_numberInt32, mesh->faceGroups[f]);
		}
		plyEndRow(writer);
	}
}

static void plyWriteNamed(PlyWriter* writer)
{
	const brMesh* mesh = writer->mesh;
	for (int32_t m = 0; m < mesh->materialCount; ++m)
	{
		const brSurfaceMaterial* material = &mesh->materials[m];
		plyPutText(writer, material->name);
		plyPutText(writer, material->texture);
		plyPutFloats(writer, &material->baseColor.x, 4);
		plyPutFloats(writer, &material->metallic, 1);
		plyPutFloats(writer, &material->roughness, 1);
		plyPutFloats(writer, &material->emission.x, 3);
		plyEndRow(writer);
	}
	for (int32_t g = 0; g < mesh->groupCount; ++g)
	{
		plyPutText(writer, mesh->groupNames[g]);
		plyEndRow(writer);
	}
}

static brResult plyWriteMesh(const brWriteJob* job, const brMesh* mesh)
{
	PlyWriter writer = {.mesh = mesh};
	plyChooseTypes(&writer, job);
	int32_t* firstCorners = NULL;
	if (mesh->uvs != NULL || mesh->normals != NULL)
	{
		firstCorners = brFirstCorners(&job->allocator, mesh);
		if (firstCorners == NULL)
		{
			return brFailMemory(job->report);
		}
		writer.firstCorners = firstCorners;
		writer.hasVertexUvs = mesh->uvs != NULL && brCornersAgree(mesh, firstCorners, mesh->uvs, sizeof(brVec2));
		writer.hasCornerUvs = mesh->uvs != NULL && !writer.hasVertexUvs;
		writer.hasVertexNormals =
			mesh->normals != NULL && brCornersAgree(mesh, firstCorners, mesh->normals, sizeof(brVec3));
		writer.hasCornerNormals = mesh->normals != NULL && !writer.hasVertexNormals;
	}
	brOutput output;
	brResult result = brOutput_Open(&output, &job->allocator, job->path, job->report);
	if (result >= 0)
	{
		writer.output = &output;
		plyWriteHeader(&writer);
		writer.start = brOutput_Room(&output, BR_OUTPUT_ROOM);
		writer.at = writer.start;
		plyWriteVertices(&writer);
		plyWriteFaces(&writer);
		plyWriteNamed(&writer);
		plyFlush(&writer);
		result = brOutput_Commit(&output, job->report);
	}
	BR_FREE(&job->allocator, firstCorners, mesh->vertexCount);
	return result;
}

brResult brWritePly(const brWriteJob* job)
{
	brSurface surface;
	brResult result = brSurface_Open(&surface, job, PLY_HOLDS);
	if (result >= 0)
	{
		result = plyWriteMesh(job, surface.mesh);
	}
	if (result >= 0)
	{
		result = brSurface_Remark(&surface, job, PLY_HOLDS);
	}
	brSurface_Close(&surface, job);
	return result;
}
