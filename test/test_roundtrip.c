// SPDX-License-Identifier: MIT

// A -> B -> A for every pair of formats that read and write surfaces: what both can hold comes back with the same bits.
//
// A row says what a format can hold. The mesh of a pair has just what both rows have, so that every step must give it
// back unchanged, and going through B in the other direction is the same claim.

#include "io_help.h"

#include <stdio.h>
#include <string.h>

typedef struct FormatRow
{
	const char* title;
	const char* ending;
	bool ascii;
	bool bigEndian;
	int32_t mshVersion; // or 0: the default
	bool doubles;
	bool polygons;
	bool perVertex; // one normal and texture coordinate a vertex
	bool gentle;    // keeps bits of ordinary values only, and faces in the order of their materials and groups
	uint32_t parts;
} FormatRow;

static const FormatRow rows[] = {
	{.title = "OBJ", .ending = "obj", .doubles = true, .polygons = true, .parts = ioAll},
	{.title = "PLY little-endian", .ending = "ply", .doubles = true, .polygons = true, .parts = ioAll},
	{.title = "PLY big-endian", .ending = "ply", .bigEndian = true, .doubles = true, .polygons = true, .parts = ioAll},
	{.title = "PLY text", .ending = "ply", .ascii = true, .doubles = true, .polygons = true, .parts = ioAll},
	{.title = "STL binary", .ending = "stl"},
	{.title = "STL text", .ending = "stl", .ascii = true, .doubles = true, .parts = ioGroups},
	{.title = "OFF",
	 .ending = "off",
	 .doubles = true,
	 .polygons = true,
	 .perVertex = true,
	 .parts = ioUvs | ioNormals | ioColors},
	{.title = "glTF",
	 .ending = "gltf",
	 .gentle = true,
	 .parts = ioUvs | ioNormals | ioColors | ioMaterials | ioMaterialLooks},
	{.title = "GLB",
	 .ending = "glb",
	 .gentle = true,
	 .parts = ioUvs | ioNormals | ioColors | ioMaterials | ioMaterialLooks},
	{.title = "USD",
	 .ending = "usda",
	 .polygons = true,
	 .gentle = true,
	 .parts = ioUvs | ioNormals | ioColors | ioMaterials | ioMaterialLooks},
	{.title = "MSH 4.1", .ending = "msh", .doubles = true, .polygons = true, .gentle = true, .parts = ioGroups},
	{.title = "MSH 4.1 text",
	 .ending = "msh",
	 .ascii = true,
	 .doubles = true,
	 .polygons = true,
	 .gentle = true,
	 .parts = ioGroups},
	{.title = "MSH 2.2",
	 .ending = "msh",
	 .mshVersion = 22,
	 .doubles = true,
	 .polygons = true,
	 .gentle = true,
	 .parts = ioGroups},
	{.title = "VTK",
	 .ending = "vtk",
	 .doubles = true,
	 .polygons = true,
	 .perVertex = true,
	 .gentle = true,
	 .parts = ioUvs | ioNormals | ioColors},
	{.title = "VTK text",
	 .ending = "vtk",
	 .ascii = true,
	 .doubles = true,
	 .polygons = true,
	 .perVertex = true,
	 .gentle = true,
	 .parts = ioUvs | ioNormals | ioColors},
	{.title = "Medit", .ending = "mesh", .doubles = true, .gentle = true},
};

enum
{
	rowCount = sizeof(rows) / sizeof(rows[0])
};

// Through one format and back; what comes back must be what went in.
static void pass(const FormatRow* row, brMesh** mesh, const char* way, uint32_t parts)
{
	char name[32];
	snprintf(name, sizeof(name), "pass.%s", row->ending);
	brSaveDef def = brDefaultSaveDef();
	def.ascii = row->ascii;
	def.bigEndian = row->bigEndian;
	def.mshVersion = row->mshVersion != 0 ? row->mshVersion : def.mshVersion;
	brReport report = {0};
	const char* path = brTest_ScratchPath(name);
	brResult result = brSaveMesh(NULL, *mesh, path, &def, &report);
	CHECK_MESSAGE(result == br_success, "%s: writing %s: %s", way, row->title, report.text);
	brMesh* again = NULL;
	result = brLoadMesh(NULL, path, &again, &report);
	CHECK_MESSAGE(result >= 0, "%s: reading %s: %s", way, row->title, report.text);
	const char* difference = ioDifference(*mesh, again, parts);
	CHECK_MESSAGE(difference == NULL, "%s: %s did not keep it: %s", way, row->title, difference);
	brDestroyMesh(*mesh);
	*mesh = again;
}

static void passPair(const FormatRow* a, const FormatRow* b, brRandom* random)
{
	char way[100];
	snprintf(way, sizeof(way), "%s -> %s -> %s", a->title, b->title, a->title);
	IoSampleDef def = {
		.size = 3 + (int32_t)brRandom_Below(random, 3),
		.doubles = a->doubles && b->doubles,
		.polygons = a->polygons && b->polygons,
		.perVertex = a->perVertex || b->perVertex,
		.gentle = a->gentle || b->gentle,
		.parts = a->parts & b->parts,
	};
	brMesh* mesh = ioMakeSample(random, &def);
	pass(a, &mesh, way, def.parts);
	pass(b, &mesh, way, def.parts);
	pass(a, &mesh, way, def.parts);
	brDestroyMesh(mesh);
}

// Rows of the table with all rows from themselves on, in three tests that can run side by side.
static void passRows(const brTest* test, int32_t first, int32_t end)
{
	brRandom random = brTest_Random(test);
	int32_t pairs = 0;
	for (int32_t a = first; a < end; ++a)
	{
		for (int32_t b = a; b < rowCount; ++b)
		{
			passPair(&rows[a], &rows[b], &random);
			pairs += 1;
		}
	}
	CHECK(pairs > 0);
}

BR_TEST(roundtrip_first_formats_with_all)
{
	passRows(test, 0, 3);
}

BR_TEST(roundtrip_next_formats_with_all)
{
	passRows(test, 3, 6);
}

BR_TEST(roundtrip_last_formats_with_each_other)
{
	passRows(test, 6, rowCount);
}

BR_TEST(roundtrip_table_has_every_format)
{
	// Whoever adds a format that reads and writes surfaces adds a row; TetGen holds tetrahedra alone.
	for (int format = br_formatObj; format < br_formatCount; ++format)
	{
		bool isListed = format == br_formatTetgen;
		for (int32_t r = 0; r < rowCount; ++r)
		{
			char path[32];
			snprintf(path, sizeof(path), "x.%s", rows[r].ending);
			isListed = isListed || brFileFormat_FromPath(path) == (brFileFormat)format;
		}
		bool isBoth = brFileFormat_CanRead((brFileFormat)format) && brFileFormat_CanWrite((brFileFormat)format);
		CHECK_MESSAGE(isListed == isBoth, "%s", brFileFormat_GetName((brFileFormat)format));
	}
}
