// SPDX-License-Identifier: MIT
#pragma once

// Reading Gmsh files: what the versions share. msh.c walks over the sections, msh_read2.c knows the sections of
// versions 1 and 2, msh_read4.c those of version 4. Numbers are tokens in ASCII files (line ends do not matter) and
// fixed-size in binary ones, in the byte order that the 1 behind the header shows.

#include "io/cells.h"
#include "io/text.h"

typedef struct brMshType
{
	uint8_t nodeCount;   // 0: not a type
	uint8_t cornerCount; // that come first
	uint8_t kind;        // brMshKind
} brMshType;

typedef enum brMshKind
{
	br_mshTet = br_droppedKindCount, // kinds below are dropped
	br_mshFace,
} brMshKind;

#define BR_MSH_MAX_NODES 125

// Region numbers of one kind of element. A physical group wins; where no element of the kind has one, the elementary
// entity is the region, unless all lie on the same.
typedef struct brMshRegions
{
	bool hasPhysical;
	BR_ARRAY(int32_t) elementary; // one an element until the first with a physical group
} brMshRegions;

typedef struct brMshFile
{
	const brReadJob* job;
	brTextCursor text; // binary files too: `at` is the place
	bool isBinary;
	bool isSwapped;
	int32_t version;   // 10, 20 to 22, 40, 41
	int32_t sizeBytes; // of a size_t in binary version 4
	brFileCells cells;
	BR_ARRAY(int64_t) nodeTags;
	brTagMap nodeMap;
	bool hasNodes;
	bool hasElements;
	brMshRegions tetRegions;
	brMshRegions faceRegions;
	BR_ARRAY(int64_t) entityKeys; // version 4: dimension and tag
	BR_ARRAY(int32_t) entityPhysicals;
	brTagMap entityMap;
	bool hasEntities;
} brMshFile;

/// The sentence with line or byte.
#define BR_MSH_FAIL(file, ...)                                                                                         \
	((file)->isBinary                                                                                                  \
		 ? brFailByte((file)->job, (size_t)((const uint8_t*)(file)->text.at - (file)->job->bytes), __VA_ARGS__)        \
		 : brFailLine((file)->job, (file)->text.line, __VA_ARGS__))

/// Null for a type that is not known.
const brMshType* brMsh_Type(int64_t number);

brResult brMsh_ReadNodes2(brMshFile* file);
brResult brMsh_ReadElements2(brMshFile* file);
brResult brMsh_ReadEntities4(brMshFile* file);
brResult brMsh_ReadNodes4(brMshFile* file);
brResult brMsh_ReadElements4(brMshFile* file);

/// Room for `count` more nodes after a check against the bytes that are left, `bytes` a node in a binary file and
/// `numbers` numbers in an ASCII one.
brResult brMsh_ReserveNodes(brMshFile* file, int64_t count, size_t bytes, size_t numbers);

/// One node; there is room.
static inline bool brMsh_AddNode(brMshFile* file, int64_t tag, brDVec3 p)
{
	file->nodeTags.data[file->nodeTags.count++] = tag;
	file->cells.nodes.data[file->cells.nodes.count++] = p;
	return brDIsFinite(p);
}

/// One element by its node numbers; those of dropped kinds are only counted.
brResult brMsh_AddElement(brMshFile* file, const brMshType* type, const int64_t* nodes, int64_t number,
						  int32_t physical, int32_t elementary);

static inline size_t brMsh_Left(const brMshFile* file)
{
	return (size_t)(file->text.end - file->text.at);
}

/// Could `count` items of that size still follow?
static inline bool brMsh_HasRoom(const brMshFile* file, int64_t count, size_t binaryBytes, size_t asciiNumbers)
{
	size_t bytes = file->isBinary ? binaryBytes : 2 * asciiNumbers - 1;
	return count >= 0 && (uint64_t)count <= brMsh_Left(file) / bytes + (file->isBinary ? 0 : 1);
}

static inline void brMsh_SkipSpace(brMshFile* file)
{
	while (*file->text.at == ' ')
	{
		file->text.at += 1;
	}
	if ((unsigned char)*file->text.at < ' ')
	{
		brText_SkipSpace(&file->text, 0);
	}
}

static inline bool brMsh_TextInt(brMshFile* file, int64_t* outValue)
{
	brMsh_SkipSpace(file);
	return brText_Int64(&file->text, outValue);
}

static inline bool brMsh_Int(brMshFile* file, int64_t* outValue)
{
	if (!file->isBinary)
	{
		return brMsh_TextInt(file, outValue);
	}
	if (brMsh_Left(file) < 4)
	{
		return false;
	}
	*outValue = (int32_t)brLoad32((const uint8_t*)file->text.at, file->isSwapped);
	file->text.at += 4;
	return true;
}

/// A size of version 4.1; values beyond int64 read as negative.
static inline bool brMsh_Size(brMshFile* file, int64_t* outValue)
{
	if (!file->isBinary)
	{
		return brMsh_TextInt(file, outValue);
	}
	if (brMsh_Left(file) < (size_t)file->sizeBytes)
	{
		return false;
	}
	const uint8_t* bytes = (const uint8_t*)file->text.at;
	*outValue = file->sizeBytes == 8 ? (int64_t)brLoad64(bytes, file->isSwapped) : brLoad32(bytes, file->isSwapped);
	file->text.at += file->sizeBytes;
	return true;
}

static inline bool brMsh_Double(brMshFile* file, double* outValue)
{
	if (!file->isBinary)
	{
		brMsh_SkipSpace(file);
		return brText_Double(&file->text, outValue);
	}
	if (brMsh_Left(file) < 8)
	{
		return false;
	}
	*outValue = brLoadDouble((const uint8_t*)file->text.at, file->isSwapped);
	file->text.at += 8;
	return true;
}
