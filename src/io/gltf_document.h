// SPDX-License-Identifier: MIT
#pragma once

// A glTF 2.0 file while it is read: the JSON tree, its lists by index, and the bytes behind its buffers.
//
//     container (.glb, .gltf) -> JSON tree -> lists -> buffers, when asked -> accessors as floats or indices
//
// Everything a number of the file selects goes through a call here that checks it first. Byte sizes are 64 bits wide,
// and what a file may unfold into is bounded by its own size (brGltf_Spend): a small file cannot ask for a large
// allocation.

#include "io/formats.h"
#include "io/json.h"

/// One array of the document, so that an index costs no walk along the list of the tree.
typedef struct brGltfList
{
	const brJson** items;
	int32_t count;
} brGltfList;

typedef struct brGltfBuffer
{
	const uint8_t* bytes; // null until asked for
	size_t byteCount;
	uint8_t* owned; // decoded or read from another file, or null
	size_t ownedBytes;
} brGltfBuffer;

typedef struct brGltf
{
	const brReadJob* job;
	brArena arena; // of the tree
	const brJson* root;
	const uint8_t* chunk; // the binary chunk of a .glb, or null
	size_t chunkBytes;
	brGltfList buffers, views, accessors, meshes, nodes, scenes, materials, textures, images;
	brGltfBuffer* bufferBytes; // [buffers.count]
	int64_t budget;            // elements the file may still unfold into

	// What the remark at the end speaks of.
	int32_t droppedPrimitives; // points and lines
	int32_t droppedIndices;    // one or two left behind the last whole triangle
	int32_t bentMotions;       // parts that change their shape
	int32_t clearedValues;     // normals, texture coordinates and colors that were not finite
} brGltf;

/// Opens the document. brGltf_Close is due whatever it returns.
brResult brGltf_Open(brGltf* gltf, const brReadJob* job);
void brGltf_Close(brGltf* gltf);

/// "name: sentence".
brResult brGltf_Fail(const brGltf* gltf, brResult code, const char* format, ...) BR_PRINTF_LIKE(3, 4);

/// Takes `amount` from what the file may unfold into; a sentence when nothing is left.
brResult brGltf_Spend(brGltf* gltf, int64_t amount);

/// The member of an object, or null.
static inline const brJson* brGltf_Get(const brJson* object, const char* key)
{
	return brJson_Get(object, key);
}

/// A whole number from 0 to 2^53, or `fallback` if the member is absent. False if it is there and something else.
bool brGltf_Integer(const brJson* object, const char* key, int64_t fallback, int64_t* outValue);

/// The same for an index into a list: -1 if absent, false if it points outside.
bool brGltf_Index(const brJson* object, const char* key, const brGltfList* list, int32_t* outIndex);

/// `count` finite numbers, untouched if the member is absent. False if it is there and something else.
bool brGltf_Numbers(const brJson* object, const char* key, double* values, int32_t count);

/// Copies a string, cut between characters; empty if it is none. The rest of the buffer is zero.
void brGltf_CopyString(char* target, size_t capacity, const brJson* string);

/// The bytes of a buffer, fetched the first time.
brResult brGltf_Buffer(brGltf* gltf, int32_t buffer, const uint8_t** outBytes, size_t* outByteCount);

/// Tuples of floats, in the file's own bytes where those are floats already; read them with memcpy, they may lie
/// anywhere.
typedef struct brGltfFloats
{
	const uint8_t* bytes;
	size_t stride;
	int32_t count;
	int32_t components;
	float* owned; // [count * components], or null
} brGltfFloats;

/// Accessor `accessor` with `components` per element, or more (at most `maxComponents`). Integers are always taken as
/// normalized if `isNormalized`, else as the accessor says. `what` names the attribute in messages.
typedef struct brGltfFloatsDef
{
	int32_t accessor;
	int32_t components;
	int32_t maxComponents;
	bool isNormalized;
	const char* what;
} brGltfFloatsDef;

brResult brGltf_Floats(brGltf* gltf, const brGltfFloatsDef* def, brGltfFloats* outFloats);
void brGltf_FreeFloats(brGltf* gltf, brGltfFloats* floats);

typedef struct brGltfIndices
{
	const uint8_t* bytes;
	int32_t indexBytes; // 1, 2 or 4
	int32_t count;
	uint32_t* owned; // [count], or null
} brGltfIndices;

brResult brGltf_Indices(brGltf* gltf, int32_t accessor, brGltfIndices* outIndices);
void brGltf_FreeIndices(brGltf* gltf, brGltfIndices* indices);

/// How many elements an accessor says it has; 0 for nonsense. Nothing is allocated by this number alone.
int32_t brGltf_AccessorCount(const brGltf* gltf, int32_t accessor);

/// All triangles of a mesh as one brMesh; null if it has none.
brResult brGltf_Mesh(brGltf* gltf, int32_t mesh, brMesh** outMesh);
