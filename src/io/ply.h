// SPDX-License-Identifier: MIT
#pragma once

// The words of PLY that reader and writer share.

#include "io/bytes.h"
#include "io/formats.h"
#include "io/text.h"

typedef enum brPlyEncoding
{
	br_plyAscii,
	br_plyLittle,
	br_plyBig,
} brPlyEncoding;

/// What a property is to us.
typedef enum brPlyRole
{
	br_plyIgnored,
	br_plyX, // these are in the order of the columns of a vertex
	br_plyY,
	br_plyZ,
	br_plyNormalX,
	br_plyNormalY,
	br_plyNormalZ,
	br_plyRed,
	br_plyGreen,
	br_plyBlue,
	br_plyAlpha,
	br_plyU,
	br_plyV,
	br_plyCorners, // lists of a face
	br_plyCornerUvs,
	br_plyCornerNormals,
	br_plyMaterial, // numbers of a face
	br_plyGroup,
	br_plyTexture,
	br_plyName, // lists of bytes of a material or group
	br_plyTextureName,
	br_plyMetallic,
	br_plyRoughness,
	br_plyEmissionRed,
	br_plyEmissionGreen,
	br_plyEmissionBlue,
} brPlyRole;

typedef struct brPlyProperty
{
	bool isList;
	brNumberType countType; // of a list
	brNumberType type;
	brPlyRole role;
	int32_t offset; // in a row without lists
} brPlyProperty;

typedef enum brPlyElementKind
{
	br_plyOtherElement,
	br_plyVertexElement,
	br_plyFaceElement,
	br_plyMaterialElement,
	br_plyGroupElement,
	br_plyStripElement,
} brPlyElementKind;

typedef struct brPlyElement
{
	brPlyElementKind kind;
	int32_t count;
	int32_t firstProperty;
	int32_t propertyCount;
	int32_t rowBytes; // without lists, or 0 if there is one
	int32_t minRowBytes;
} brPlyElement;

typedef struct brPlyHeader
{
	brPlyEncoding encoding;
	BR_ARRAY(brPlyElement) elements;
	BR_ARRAY(brPlyProperty) properties;
	BR_ARRAY(brSurfaceMaterial) textures; // from "comment TextureFile", as MeshLab writes
	size_t dataByte;                      // where the header ends
	int64_t dataLine;
} brPlyHeader;

/// Free the header also after a failure.
brResult brPly_ReadHeader(const brReadJob* job, brPlyHeader* header);
void brPly_FreeHeader(const brAllocator* allocator, brPlyHeader* header);

/// Where values come from. Binary data is walked with the same cursor, whose line is then idle.
typedef struct brPlySource
{
	brTextCursor cursor;
	bool isText;
	bool isSwapped; // the other byte order than this machine
} brPlySource;

/// The next value, exact as a double. False at the end of the file, or if the text is no number of this type.
bool brPly_Next(brPlySource* source, brNumberType type, double* outValue);

/// Passes over values. False if the file has fewer.
bool brPly_Skip(brPlySource* source, brNumberType type, int64_t count);

/// Binary values `rowBytes` apart.
void brPly_DecodeColumn(const uint8_t* rows, int32_t rowBytes, brNumberType type, bool isSwapped, int32_t count,
						double* out);
