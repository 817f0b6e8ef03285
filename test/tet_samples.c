// SPDX-License-Identifier: MIT
#include "tet_samples.h"

#include "io_help.h"

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

brTetMesh* makeTaggedTets(void)
{
	brTetMesh* cube = makeTetCube(1);
	static const int32_t tags[6] = {7, 0, -3, 7, 2147483647, 7};
	static const int32_t triangles[3][3] = {{0, 2, 1}, {5, 6, 7}, {1, 2, 3}};
	static const int32_t triangleTags[3] = {5, 0, 5};
	cube->nodes[0] = brMakeDVec3(-0.1, 1.0 / 3.0, 1e-300);
	cube->nodes[3].x = 1.0000000000000002;
	cube->nodes[5].y = -0.0;
	brTetMeshDef def = brDefaultTetMeshDef();
	def.nodeCount = cube->nodeCount;
	def.nodes = cube->nodes;
	def.tetCount = cube->tetCount;
	def.tets = (const int32_t(*)[4])cube->tets;
	def.tetTags = tags;
	def.triangleCount = 3;
	def.triangles = triangles;
	def.triangleTags = triangleTags;
	brTetMesh* mesh = BR_MADE(brTetMesh, brCreateTetMesh, NULL, &def);
	brDestroyTetMesh(cube);
	return mesh;
}

brMesh* makePolygons(bool withGroups)
{
	static const brDVec3 positions[9] = {{0, 0, 0},   {2, 0, 0},   {2, 2, 0}, {0, 2, 0},       {1, 1, 0},
										 {0.1, 3, 1}, {1, 3.5, 1}, {2, 3, 1}, {-1.5, 0.25, -7}};
	static const int32_t starts[6] = {0, 3, 7, 10, 14, 20};
	static const int32_t corners[20] = {0, 1, 4, 0, 4, 3, 8, 1, 2, 4, 3, 2, 7, 5, 0, 1, 2, 4, 3, 8};
	static const int32_t groups[5] = {0, 1, 1, -1, 0};
	static const char names[2][64] = {"left \xc3\xa4", "right"};
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = 9;
	def.positions = positions;
	def.faceCount = 5;
	def.faceStarts = starts;
	def.corners = corners;
	if (withGroups)
	{
		def.groupCount = 2;
		def.groupNames = names;
		def.faceGroups = groups;
	}
	return BR_MADE(brMesh, brCreateMesh, NULL, &def);
}

static void checkSameArray(const void* actual, const void* expected, size_t bytes, const char* what)
{
	CHECK_MESSAGE((actual == NULL) == (expected == NULL), "%s: one of the arrays is missing", what);
	CHECK_MESSAGE(actual == NULL || memcmp(actual, expected, bytes) == 0, "%s differ", what);
}

void checkSameTets(const brTetMesh* actual, const brTetMesh* expected)
{
	CHECK_EQUAL(actual->nodeCount, expected->nodeCount);
	CHECK_EQUAL(actual->tetCount, expected->tetCount);
	CHECK_EQUAL(actual->triangleCount, expected->triangleCount);
	checkSameArray(actual->nodes, expected->nodes, (size_t)expected->nodeCount * sizeof(brDVec3), "nodes");
	checkSameArray(actual->tets, expected->tets, (size_t)expected->tetCount * 16, "tets");
	checkSameArray(actual->tetTags, expected->tetTags, (size_t)expected->tetCount * 4, "tet tags");
	checkSameArray(actual->triangles, expected->triangles, (size_t)expected->triangleCount * 12, "triangles");
	checkSameArray(actual->triangleTags, expected->triangleTags, (size_t)expected->triangleCount * 4, "triangle tags");
}

void checkSameSurface(const brMesh* actual, const brMesh* expected)
{
	CHECK_EQUAL(actual->vertexCount, expected->vertexCount);
	CHECK_EQUAL(actual->faceCount, expected->faceCount);
	CHECK_EQUAL(actual->cornerCount, expected->cornerCount);
	CHECK_EQUAL(actual->groupCount, expected->groupCount);
	size_t faces = (size_t)expected->faceCount;
	size_t corners = (size_t)expected->cornerCount;
	size_t vertices = (size_t)expected->vertexCount;
	checkSameArray(actual->positions, expected->positions, vertices * sizeof(brDVec3), "positions");
	checkSameArray(actual->faceStarts, expected->faceStarts, (faces + 1) * 4, "face starts");
	checkSameArray(actual->corners, expected->corners, corners * 4, "corners");
	checkSameArray(actual->faceGroups, expected->faceGroups, faces * 4, "face groups");
	checkSameArray(actual->groupNames, expected->groupNames, (size_t)expected->groupCount * 64, "group names");
	checkSameArray(actual->normals, expected->normals, corners * sizeof(brVec3), "normals");
	checkSameArray(actual->uvs, expected->uvs, corners * sizeof(brVec2), "UVs");
	checkSameArray(actual->colors, expected->colors, vertices * sizeof(brVec4), "colors");
}

brAssembly* readBytes(const void* bytes, size_t byteCount, brFileFormat format)
{
	return BR_MADE(brAssembly, brReadAssembly, NULL, bytes, byteCount, format, NULL);
}

brAssembly* readText(const char* text, brFileFormat format)
{
	return readBytes(text, strlen(text), format);
}

void checkRefused(const void* bytes, size_t byteCount, brFileFormat format, const char* part)
{
	brAssembly* assembly = NULL;
	brReport report = {0};
	brResult result = brReadAssembly(NULL, bytes, byteCount, format, NULL, &assembly, &report);
	CHECK_MESSAGE(result < 0, "was read, but \"%s\" was expected", part);
	CHECK(assembly == NULL);
	CHECK_EQUAL(report.code, result);
	CHECK_MESSAGE(strstr(report.text, part) != NULL, "\"%s\" does not say \"%s\"", report.text, part);
	CHECK_MESSAGE(strchr(report.text, '\n') == NULL, "more than one line");
}

void checkTextRefused(const char* text, brFileFormat format, const char* part)
{
	checkRefused(text, strlen(text), format, part);
}

int32_t readPrefixes(const void* bytes, size_t byteCount, brFileFormat format)
{
	return (int32_t)byteCount - ioTruncate(format, bytes, byteCount - 1);
}

typedef struct WalkJob
{
	const void* bytes;
	size_t byteCount;
	brFileFormat format;
	const brTetMesh* tets;
	const brMesh* surface;
	const char* path;
	const brSaveDef* def;
} WalkJob;

static brResult readOnce(const brContext* context, void* user)
{
	WalkJob* job = user;
	brAssembly* assembly = NULL;
	brReport report = {0};
	brResult result = brReadAssembly(context, job->bytes, job->byteCount, job->format, NULL, &assembly, &report);
	brDestroyAssembly(assembly);
	return result;
}

void walkReading(const void* bytes, size_t byteCount, brFileFormat format)
{
	WalkJob job = {.bytes = bytes, .byteCount = byteCount, .format = format};
	CHECK(brTest_WalkAllocations(readOnce, &job) > 3);
}

static brResult writeOnce(const brContext* context, void* user)
{
	WalkJob* job = user;
	brReport report = {0};
	return job->tets != NULL ? brSaveTetMesh(context, job->tets, job->path, job->def, &report)
							 : brSaveMesh(context, job->surface, job->path, job->def, &report);
}

void walkWriting(const brTetMesh* tets, const brMesh* surface, const char* name, const brSaveDef* def)
{
	WalkJob job = {.tets = tets, .surface = surface, .path = brTest_ScratchPath(name), .def = def};
	CHECK(brTest_WalkAllocations(writeOnce, &job) > 1);
}

brTetMesh* passTets(const brTetMesh* mesh, const char* name, const brSaveDef* def)
{
	const char* path = brTest_ScratchPath(name);
	brReport report = {0};
	brTetMesh* back = NULL;
	CHECK_RESULT(brSaveTetMesh(NULL, mesh, path, def, &report), &report);
	CHECK_MESSAGE(report.text[0] == 0, "a remark on writing: %s", report.text);
	CHECK_RESULT(brLoadTetMesh(NULL, path, &back, &report), &report);
	CHECK_MESSAGE(report.text[0] == 0, "a remark on reading: %s", report.text);
	return back;
}

brMesh* passSurface(const brMesh* mesh, const char* name, const brSaveDef* def, brResult expected)
{
	const char* path = brTest_ScratchPath(name);
	brReport report = {0};
	brMesh* back = NULL;
	brResult result = brSaveMesh(NULL, mesh, path, def, &report);
	CHECK_MESSAGE(result == expected, "%s: %s", brResult_GetName(result), report.text);
	CHECK_RESULT(brLoadMesh(NULL, path, &back, &report), &report);
	CHECK_MESSAGE(report.text[0] == 0, "a remark on reading: %s", report.text);
	return back;
}
