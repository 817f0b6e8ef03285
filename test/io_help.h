// SPDX-License-Identifier: MIT
#pragma once

// What the tests of all formats share: reading from memory, comparing meshes, a mesh that has everything.

#include "brittle/io.h"
#include "harness.h"

/// Attributes that a comparison looks at.
typedef enum IoPart
{
	ioUvs = 1 << 0,
	ioNormals = 1 << 1,
	ioColors = 1 << 2,
	ioMaterials = 1 << 3,     // index of each face, and names
	ioMaterialLooks = 1 << 4, // colors and the rest
	ioGroups = 1 << 5,
	ioTextures = 1 << 6,
	ioAll = (1 << 7) - 1,
} IoPart;

/// Reads bytes as the only mesh of a file; fails the test with the report's sentence if that does not work.
brMesh* ioRead(brFileFormat format, const void* bytes, size_t byteCount);
brMesh* ioReadText(brFileFormat format, const char* text);

/// Fails the test unless reading fails with this code and a sentence that holds `words`.
void ioReadFails(brFileFormat format, const void* bytes, size_t byteCount, brResult code, const char* words);
void ioTextFails(brFileFormat format, const char* text, brResult code, const char* words);

/// Reads every beginning of the content: each must fail with a sentence or give a sound mesh. Returns how many gave
/// one.
int32_t ioTruncate(brFileFormat format, const void* bytes, size_t byteCount);

/// Reads every file of a folder of test/corpus, and its beginnings: each fails with a sentence or gives a sound mesh.
void ioReadCorpus(const char* folderName, brFileFormat format, bool hasPath, int32_t leastLoaded);

/// How often a word stands in a text.
int32_t ioCountText(const char* text, const char* word);

/// Walks the allocations of reading these bytes, and of writing this mesh.
void ioWalkReader(brFileFormat format, const void* bytes, size_t byteCount, const char* name);
void ioWalkWriter(const brMesh* mesh, const char* path, const brSaveDef* def);

/// Whole file; freed with free.
void* ioLoadBytes(const char* path, size_t* outByteCount);
void ioSaveBytes(const char* path, const void* bytes, size_t byteCount);
bool ioSameBytes(const char* path, const char* otherPath);

/// Saves and loads again.
brMesh* ioRoundTrip(const brMesh* mesh, const char* path, const brSaveDef* def);

/// Null if both have the same bits, else what differs. -0 and +0 differ.
const char* ioDifference(const brMesh* a, const brMesh* b, uint32_t parts);
#define CHECK_SAME(a, b, parts)                                                                                        \
	do                                                                                                                 \
	{                                                                                                                  \
		const char* difference_ = ioDifference((a), (b), (parts));                                                     \
		CHECK_MESSAGE(difference_ == NULL, "%s", difference_);                                                         \
	} while (0)

typedef struct IoSampleDef
{
	bool doubles;  // coordinates that are no floats
	bool polygons; // faces of four and five corners
	uint32_t parts;
	bool perVertex; // all corners of a vertex have the same attributes
	// unit normals, texture coordinates in 24 bits, opaque, no emission above 1, faces by material and group
	bool gentle;
	int32_t size; // of the grid
} IoSampleDef;

/// A bumpy grid with the attributes asked for, random from the generator; every vertex is used, no two in one place.
brMesh* ioMakeSample(brRandom* random, const IoSampleDef* def);
