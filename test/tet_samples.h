// SPDX-License-Identifier: MIT
#pragma once

// Meshes and checks that the tests of the cell formats share.

#include "brittle/io.h"

/// A cube of n^3 cells, six positive tets each.
brTetMesh* makeTetCube(int32_t n);

/// The cube with awkward coordinates, tags of tets (0, negative and large among them) and a few tagged triangles.
brTetMesh* makeTaggedTets(void);

/// Triangles, quads and a concave hexagon; with groups if asked.
brMesh* makePolygons(bool withGroups);

/// Equal to the last bit, null arrays included.
void checkSameTets(const brTetMesh* actual, const brTetMesh* expected);
void checkSameSurface(const brMesh* actual, const brMesh* expected);

/// Reads text or bytes; the caller destroys.
brAssembly* readBytes(const void* bytes, size_t byteCount, brFileFormat format);
brAssembly* readText(const char* text, brFileFormat format);

/// The bytes must be refused with a sentence that holds `part`.
void checkRefused(const void* bytes, size_t byteCount, brFileFormat format, const char* part);
void checkTextRefused(const char* text, brFileFormat format, const char* part);

/// Every prefix is read without harm: a result, or one sentence and no output. Returns how many were refused.
int32_t readPrefixes(const void* bytes, size_t byteCount, brFileFormat format);

/// Walks the allocations of reading these bytes, and of writing a mesh to a scratch file of that name.
void walkReading(const void* bytes, size_t byteCount, brFileFormat format);
void walkWriting(const brTetMesh* tets, const brMesh* surface, const char* name, const brSaveDef* def);

/// Writes and reads back through a scratch file; the caller destroys.
brTetMesh* passTets(const brTetMesh* mesh, const char* name, const brSaveDef* def);
brMesh* passSurface(const brMesh* mesh, const char* name, const brSaveDef* def, brResult expected);
