// SPDX-License-Identifier: MIT
#include "base/hash.h"
#include "harness.h"
#include "io_help.h"
#include "tet_samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef BR_HAVE_ZLIB
#include <zlib.h>
#endif

// A tet, a pixel, a strip of three, a curved triangle, a hexahedron and a line; attributes of all sorts around the tags.
static const char gridText[] =
	"# vtk DataFile Version 4.2\nsample\nASCII\nDATASET UNSTRUCTURED_GRID\n"
	"FIELD FieldData 2\nTIME 1 1 double\n0.5\nnames 0 0 string\n"
	"POINTS 8 double\n0 0 0 1 0 0\n0 1 0\n1 1 0 0 0 1 1 0 1 0 1 1 1 1 1\n"
	"METADATA\nINFORMATION 0\n\n"
	"CELLS 6 35\n4 0 1 2 4\n4 0 1 2 3\n5 0 1 2 3 4\n6 0 1 2 3 4 5\n8 0 1 2 3 4 5 6 7\n2 0 1\n"
	"cell_types 6\n10\n8 6\n22 12 3\n"
	"CELL_DATA 6\nSCALARS pressure float\nLOOKUP_TABLE mine\n1 2 3 4 5 6\nLOOKUP_TABLE mine 2\n0 0 0 1 1 1 1 1\n"
	"VECTORS v float\n0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
	"FIELD more 1\nMaterialIds 1 6 int\n7 8 9 0 11 12\n"
	"POINT_DATA 8\nTENSORS t double\n"
	"1 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 1\n"
	"1 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 1\n";

BR_TEST(vtk_reads_a_grid_with_all_sorts_of_cells)
{
	brAssembly* assembly = NULL;
	brReport report = {0};
	CHECK_EQUAL(brReadAssembly(NULL, gridText, strlen(gridText), br_formatVtk, NULL, &assembly, &report),
				br_remarkDropped);
	CHECK(strstr(report.text, "1 line, 1 polygon, 1 hexahedron") != NULL);
	const brTetMesh* mesh = assembly->tetMeshes[0];
	CHECK(mesh->nodeCount == 8 && mesh->tetCount == 1 && mesh->triangleCount == 4);
	CHECK_EQUAL(mesh->tetTags[0], 7);
	static const int32_t triangles[4][3] = {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {0, 1, 2}};
	static const int32_t tags[4] = {9, 9, 9, 0};
	CHECK(memcmp(mesh->triangles, triangles, sizeof(triangles)) == 0);
	CHECK(memcmp(mesh->triangleTags, tags, sizeof(tags)) == 0);
	brDestroyAssembly(assembly);
}

BR_TEST(vtk_pixels_are_quads_and_offsets_are_read)
{
	brAssembly* assembly = readText("# vtk DataFile Version 5.1\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"
									"0 0 0 1 0 0 0 1 0 1 1 0 0.1 2 0\n"
									"CELLS 3 7\nOFFSETS vtktypeint64\n0 4 7\nCONNECTIVITY vtktypeint64\n0 1 2 3 0 1 4\n"
									"CELL_TYPES 2\n8\n5\n",
									br_formatVtk);
	const brMesh* mesh = assembly->meshes[0];
	static const int32_t corners[7] = {0, 1, 3, 2, 0, 1, 4};
	CHECK(mesh->cornerCount == 7 && memcmp(mesh->corners, corners, sizeof(corners)) == 0);
	CHECK(mesh->positions[4].x == (double)0.1f); // the file says float
	brDestroyAssembly(assembly);
}

// Curved cells keep their corners and lose the points between; another number of points is refused.
BR_TEST(vtk_curved_cells_are_their_corners)
{
	static const struct
	{
		int32_t type, points, corners;
		bool isTet;
	} kinds[] = {{22, 6, 3, false}, {34, 7, 3, false}, {23, 8, 4, false}, {28, 9, 4, false}, {24, 10, 4, true}};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i)
	{
		for (int32_t extra = 0; extra < 2; ++extra)
		{
			char text[1024];
			int32_t count = kinds[i].points + extra;
			int length = snprintf(text, sizeof(text),
								  "# vtk DataFile Version 2.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 11 float\n"
								  "0 0 0 1 0 0 1 1 0 0 1 1 2 0 0 2 1 0 2 2 0 3 0 0 3 1 0 3 2 0 4 0 0\nCELLS 1 %d\n%d",
								  count + 1, count);
			for (int32_t k = 0; k < count; ++k)
			{
				length += snprintf(text + length, sizeof(text) - (size_t)length, " %d", k);
			}
			snprintf(text + length, sizeof(text) - (size_t)length, "\nCELL_TYPES 1\n%d\n", kinds[i].type);
			if (extra != 0)
			{
				char words[64];
				snprintf(words, sizeof(words), "cell 0 of type %d has %d points", kinds[i].type, count);
				checkTextRefused(text, br_formatVtk, words);
				continue;
			}
			brAssembly* assembly = BR_MADE(brAssembly, brReadAssembly, NULL, text, strlen(text), br_formatVtk, NULL);
			CHECK_EQUAL(kinds[i].isTet ? assembly->tetMeshes[0]->tetCount : assembly->meshes[0]->faceCount, 1);
			CHECK_EQUAL(kinds[i].isTet ? 4 : assembly->meshes[0]->cornerCount, kinds[i].corners);
			brDestroyAssembly(assembly);
		}
	}
}

BR_TEST(vtk_poly_data_tags_follow_the_order_of_vtk)
{
	// Strips stand before polygons here; cell data counts polygons first.
	brAssembly* assembly = NULL;
	brReport report = {0};
	const char* text =
		"# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 1 1 0\n"
		"TRIANGLE_STRIPS 1 5\n4 0 1 2 3\nPOLYGONS 2 9\n3 0 1 2\n4 0 1 3 2\nVERTICES 1 2\n1 0\n"
		"POINT_DATA 4\nNORMALS n float\n0 0 1 0 0 1 0 0 1 0 0 1\nTEXTURE_COORDINATES t 2 float\n"
		"0 0 1 0 0 1 1 1\nCOLOR_SCALARS c 3\n1 0 0 0 1 0 0 0 1 0.5 0.5 0.5\n"
		"CELL_DATA 4\nSCALARS tag int 1\nLOOKUP_TABLE default\n100 5 6 7\n";
	CHECK_EQUAL(brReadAssembly(NULL, text, strlen(text), br_formatVtk, NULL, &assembly, &report), br_remarkDropped);
	const brMesh* mesh = assembly->meshes[0];
	CHECK_EQUAL(mesh->faceCount, 4);
	CHECK_EQUAL(mesh->groupCount, 3);
	static const int32_t groups[4] = {2, 2, 0, 1};
	CHECK(memcmp(mesh->faceGroups, groups, sizeof(groups)) == 0);
	CHECK(mesh->normals[5].z == 1.0f && mesh->uvs[1].x == 1.0f);
	CHECK(mesh->colors[3].x == 0.5f && mesh->colors[3].w == 1.0f);
	brDestroyAssembly(assembly);
}

static brSaveDef vtkDef(int32_t variant)
{
	brSaveDef def = brDefaultSaveDef();
	def.ascii = (variant & 1) != 0;
	def.doubles = (variant & 2) != 0;
	return def;
}

BR_TEST(vtk_writes_what_it_reads)
{
	brRandom random = brTest_Random(test);
	for (int32_t variant = 0; variant < 4; ++variant)
	{
		brSaveDef def = vtkDef(variant);
		brTetMesh* meshes[2] = {makeTaggedTets(), makeTetCube(3)};
		for (int32_t v = 0; v < meshes[1]->nodeCount; ++v)
		{
			meshes[1]->nodes[v].x = (double)(float)brRandom_Unit(&random); // float is enough
		}
		for (int32_t i = 0; i < 2; ++i)
		{
			brTetMesh* back = passTets(meshes[i], "pass.vtk", &def);
			checkSameTets(back, meshes[i]);
			brDestroyTetMesh(back);
			brDestroyTetMesh(meshes[i]);
		}

		brMesh* polygons = makePolygons(true);
		snprintf(polygons->groupNames[0], 64, "3");
		memset(polygons->groupNames[0] + 1, 0, 63);
		memset(polygons->groupNames[1], 0, 64);
		snprintf(polygons->groupNames[1], 64, "44");
		brMeshDef meshDef = brDefaultMeshDef();
		meshDef.vertexCount = polygons->vertexCount;
		meshDef.positions = polygons->positions;
		meshDef.faceCount = polygons->faceCount;
		meshDef.faceStarts = polygons->faceStarts;
		meshDef.corners = polygons->corners;
		meshDef.groupCount = 2;
		meshDef.faceGroups = polygons->faceGroups;
		meshDef.groupNames = (const char(*)[64])polygons->groupNames;
		brVec3 normals[20];
		brVec2 uvs[20];
		brVec4 colors[9];
		for (int32_t c = 0; c < 20; ++c)
		{
			float v = (float)polygons->corners[c];
			normals[c] = brMakeVec3(0.1f * v, 1.0f - v, 0.3f);
			uvs[c] = brMakeVec2(v / 7.0f, -v);
		}
		for (int32_t v = 0; v < 9; ++v)
		{
			colors[v] = (brVec4){0.1f * (float)v, 0.2f, 1.0f / 3.0f, 1.0f};
		}
		meshDef.normals = normals;
		meshDef.uvs = uvs;
		meshDef.colors = colors;
		brMesh* full = BR_MADE(brMesh, brCreateMesh, NULL, &meshDef);
		brMesh* back = passSurface(full, "surface.vtk", &def, br_success);
		checkSameSurface(back, full);
		brDestroyMesh(back);

		// A seam has no place in point data: the UVs go, with a remark.
		full->uvs[0].x += 1.0f;
		back = passSurface(full, "surface.vtk", &def, br_remarkApproximate);
		CHECK(back->uvs == NULL && back->normals != NULL);
		brDestroyMesh(back);
		def.triangulate = true;
		back = passSurface(full, "surface.vtk", &def, br_remarkApproximate);
		CHECK_EQUAL(back->cornerCount, 3 * back->faceCount);
		CHECK_EQUAL(back->faceCount, 10);
		brDestroyMesh(back);
		brDestroyMesh(full);
		brDestroyMesh(polygons);
	}
}

// Larger than the buffer that files are written through, so that numbers fall on its end. VTK files have the high byte
// first on all machines, so their bytes can be pinned.
BR_TEST(vtk_and_msh_files_beyond_the_buffer_keep_their_bytes)
{
	static const uint64_t hashes[2] = {0x832a59da6ec5d042u, 0xbb11064a00cb0585u};
	brTetMesh* mesh = makeTetCube(27);
	for (int32_t v = 0; v < mesh->nodeCount; ++v)
	{
		mesh->nodes[v] = brToDVec3(brToVec3(mesh->nodes[v]));
	}
	for (int32_t doubles = 0; doubles < 2; ++doubles)
	{
		brSaveDef def = brDefaultSaveDef();
		def.doubles = doubles != 0;
		const char* path = brTest_ScratchPath("big.vtk");
		CHECK_RESULT(brSaveTetMesh(NULL, mesh, path, &def, NULL), NULL);
		size_t byteCount;
		uint8_t* bytes = ioLoadBytes(path, &byteCount);
		CHECK(byteCount > 1 << 20);
		CHECK_EQUAL(brHashBytes(0, bytes, byteCount), hashes[doubles]);
		free(bytes);
		brTetMesh* vtk = passTets(mesh, "pass.vtk", &def);
		brTetMesh* msh = passTets(mesh, "pass.msh", &def);
		checkSameTets(vtk, mesh);
		checkSameTets(msh, mesh);
		brDestroyTetMesh(vtk);
		brDestroyTetMesh(msh);
	}
	brDestroyTetMesh(mesh);
}

BR_TEST(vtk_refuses_in_one_sentence)
{
#define HEAD "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define POINTS3 "POINTS 3 float\n0 0 0 1 0 0 0 1 0\n"
	static const char* const cases[][2] = {
		{"", "starts with '# vtk"},
		{"# vtk DataFile Version 3.0\nx\nTEXT\n", "ASCII or BINARY"},
		{"# vtk DataFile Version 3.0\nx\nASCII\nDATASET STRUCTURED_GRID\n", "STRUCTURED_GRID is not read"},
		{HEAD, "without POINTS"},
		{HEAD "POINTS 3 quaternion\n", "unknown type"},
		{HEAD "POINTS 300 float\n0 0 0\n", "900 numbers cannot follow"},
		{HEAD "POINTS 3 float\n0 0 0 1 0 0\nCELLS 0 0\n", "point 2 of 3"},
		{HEAD "POINTS 1 float\n0 nan 0\n", "point 0 is not finite"},
		{HEAD "POINTS 1 float\n0 1e39 0\n", "point 0 is not finite"}, // beyond float
		{HEAD POINTS3 POINTS3, "POINTS come twice"},
		{HEAD POINTS3 "CELLS 1 4\n3 0 1 2\n", "without CELL_TYPES"},
		{HEAD POINTS3 "CELLS 1 4\n3 0 1 3\nCELL_TYPES 1\n5\n", "cell 0 names point 3, there are 3"},
		{HEAD POINTS3 "CELLS 1 4\n3 0 1 -1\nCELL_TYPES 1\n5\n", "cell 0 names no point"},
		{HEAD POINTS3 "CELLS 1 4\n4 0 1 2\nCELL_TYPES 1\n5\n", "longer than the list"},
		{HEAD POINTS3 "CELLS 1 5\n3 0 1 2 0\nCELL_TYPES 1\n5\n", "leave 1 numbers"},
		{HEAD POINTS3 "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", "cell 0 of type 10 has 3 points"},
		{HEAD POINTS3 "CELLS 1 4\n3 0 1 2\nCELL_TYPES 2\n5 5\n", "does not fit the 1 cells"},
		{HEAD POINTS3 "CELLS 2 3\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n0 1 2\n", "offset 1 does not"},
		{HEAD POINTS3 "CELL_DATA 3\n", "does not fit the 0"},
		{HEAD POINTS3 "CELLS 99999999999 99999999999\n", "cannot follow"},
		{HEAD POINTS3 "NONSENSE 3\n", "'NONSENSE' is not expected here"},
		{HEAD POINTS3 "POINT_DATA 3\nSCALARS a float\nLOOKUP_TABLE default\n1 2\n", "ends inside attributes"},
		{HEAD POINTS3 "POINT_DATA 3\nSCALORS a float\n", "'SCALORS' is no attribute"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		checkTextRefused(cases[i][0], br_formatVtk, cases[i][1]);
	}
}

BR_TEST(vtk_prefixes_and_failing_allocations_do_no_harm)
{
	CHECK(readPrefixes(gridText, strlen(gridText), br_formatVtk) > 500);
	walkReading(gridText, strlen(gridText), br_formatVtk);
	brTetMesh* tets = makeTaggedTets();
	brMesh* surface = makePolygons(true);
	for (int32_t variant = 0; variant < 2; ++variant)
	{
		brSaveDef def = vtkDef(variant);
		for (int32_t kind = 0; kind < 2; ++kind)
		{
			const char* path = brTest_ScratchPath("prefix.vtk");
			CHECK((kind == 0 ? brSaveTetMesh(NULL, tets, path, &def, NULL)
							 : brSaveMesh(NULL, surface, path, &def, NULL)) >= 0);
			size_t byteCount;
			uint8_t* bytes = ioLoadBytes(path, &byteCount);
			CHECK(readPrefixes(bytes, byteCount, br_formatVtk) > 100);
			walkReading(bytes, byteCount, br_formatVtk);
			walkWriting(kind == 0 ? tets : NULL, kind == 0 ? NULL : surface, "walk.vtk", &def);
			free(bytes);
		}
	}
	brDestroyTetMesh(tets);
	brDestroyMesh(surface);
}

// XML. One grid of two tets in every way a file can hold it.

typedef enum VtuForm
{
	vtu_ascii,
	vtu_inline,
	vtu_appendedRaw,
	vtu_appendedBase64,
	vtu_formCount,
} VtuForm;

typedef struct VtuSample
{
	uint8_t bytes[8192];
	size_t count;
	uint8_t tail[4096]; // appended data
	size_t tailCount;
	VtuForm form;
	bool isBig, isWide, isPacked;
} VtuSample;

static void vtuPut(VtuSample* out, const char* text)
{
	memcpy(out->bytes + out->count, text, strlen(text));
	out->count += strlen(text);
}

static size_t storeNumber(const VtuSample* out, uint8_t* target, uint64_t bits, size_t size)
{
	for (size_t i = 0; i < size; ++i)
	{
		target[out->isBig ? size - 1 - i : i] = (uint8_t)(bits >> (8 * i));
	}
	return size;
}

static size_t encodeBase64(const uint8_t* bytes, size_t count, uint8_t* out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t used = 0;
	for (size_t i = 0; i < count; i += 3)
	{
		uint32_t group = (uint32_t)bytes[i] << 16;
		group |= i + 1 < count ? (uint32_t)bytes[i + 1] << 8 : 0;
		group |= i + 2 < count ? bytes[i + 2] : 0;
		for (int k = 0; k < 4; ++k)
		{
			out[used++] = (uint8_t)(i + (size_t)k > count ? '=' : digits[group >> (18 - 6 * k) & 63]);
		}
	}
	return used;
}

// Header and data of one array as the file stores them.
static size_t packArray(const VtuSample* out, const uint8_t* data, size_t size, uint8_t* target)
{
	uint8_t header[64];
	uint8_t body[2048];
	size_t width = out->isWide ? 8 : 4;
	size_t headerBytes = 0;
	size_t bodyBytes = size;
	memcpy(body, data, size);
#ifdef BR_HAVE_ZLIB
	if (out->isPacked)
	{
		// Two blocks. A last one that is full is stored as 0.
		size_t block = (size + 1) / 2;
		uLongf sizes[2] = {1000, 1000};
		CHECK(compress(body, &sizes[0], data, block) == Z_OK);
		CHECK(compress(body + sizes[0], &sizes[1], data + block, size - block) == Z_OK);
		const uint64_t numbers[5] = {2, block, size - block == block ? 0 : size - block, sizes[0], sizes[1]};
		for (int i = 0; i < 5; ++i)
		{
			headerBytes += storeNumber(out, header + headerBytes, numbers[i], width);
		}
		bodyBytes = sizes[0] + sizes[1];
	}
#endif
	headerBytes = headerBytes > 0 ? headerBytes : storeNumber(out, header, size, width);
	if (out->form == vtu_appendedRaw)
	{
		memcpy(target, header, headerBytes);
		memcpy(target + headerBytes, body, bodyBytes);
		return headerBytes + bodyBytes;
	}
	if (out->isPacked)
	{
		size_t used = encodeBase64(header, headerBytes, target);
		return used + encodeBase64(body, bodyBytes, target + used);
	}
	uint8_t joined[2200];
	memcpy(joined, header, headerBytes);
	memcpy(joined + headerBytes, body, bodyBytes);
	return encodeBase64(joined, headerBytes + bodyBytes, target);
}

static void putArray(VtuSample* out, const char* attributes, const double* values, int count, size_t size)
{
	static const char* const formats[vtu_formCount] = {"ascii", "binary", "appended", "appended"};
	char tag[300];
	uint8_t data[2048];
	size_t dataBytes = 0;
	snprintf(tag, sizeof(tag), "<DataArray %s format=\"%s\" offset='%zu'>", attributes, formats[out->form],
			 out->tailCount);
	vtuPut(out, tag);
	for (int i = 0; i < count; ++i)
	{
		if (out->form == vtu_ascii)
		{
			char number[40];
			snprintf(number, sizeof(number), "%.17g\n", values[i]);
			vtuPut(out, number);
		}
		uint64_t bits = (uint64_t)(int64_t)values[i];
		if (strstr(attributes, "Float64") != NULL)
		{
			memcpy(&bits, &values[i], 8);
		}
		dataBytes += storeNumber(out, data + dataBytes, bits, size);
	}
	if (out->form == vtu_inline)
	{
		out->count += packArray(out, data, dataBytes, out->bytes + out->count);
	}
	else if (out->form != vtu_ascii)
	{
		out->tailCount += packArray(out, data, dataBytes, out->tail + out->tailCount);
	}
	vtuPut(out, "</DataArray>\n");
}

static void makeVtu(VtuSample* out)
{
	static const double points[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1.0 / 3.0, 1, 1};
	static const double corners[11] = {0, 1, 2, 3, 1, 2, 3, 4, 0, 1, 2};
	static const double offsets[3] = {4, 8, 11};
	static const double types[3] = {10, 10, 5};
	static const double tags[3] = {70000, 2, 3};
	char head[300];
	snprintf(head, sizeof(head),
			 "<?xml version=\"1.0\"?>\n<!-- <Piece> in a comment -->\n<VTKFile type=\"UnstructuredGrid\" "
			 "version=\"1.0\" byte_order=\"%s\" header_type=\"%s\"%s>\n<UnstructuredGrid>\n",
			 out->isBig ? "BigEndian" : "LittleEndian", out->isWide ? "UInt64" : "UInt32",
			 out->isPacked ? " compressor=\"vtkZLibDataCompressor\"" : "");
	vtuPut(out, head);
	vtuPut(out, "<Piece NumberOfPoints=\"5\" NumberOfCells=\"3\">\n<PointData></PointData>\n<CellData>\n");
	putArray(out, "type=\"Int32\" Name=\"tag\"", tags, 3, 4);
	vtuPut(out, "</CellData>\n<Points>\n");
	putArray(out, "type=\"Float64\" NumberOfComponents=\"3\"", points, 15, 8);
	vtuPut(out, "</Points>\n<Cells>\n");
	putArray(out, "type=\"Int64\" Name=\"connectivity\"", corners, 11, 8);
	putArray(out, "type=\"Int32\" Name=\"offsets\"", offsets, 3, 4);
	putArray(out, "type=\"UInt8\" Name=\"types\"", types, 3, 1);
	vtuPut(out, "</Cells>\n</Piece>\n</UnstructuredGrid>\n");
	if (out->form >= vtu_appendedRaw)
	{
		vtuPut(out, out->form == vtu_appendedRaw ? "<AppendedData encoding=\"raw\">\n_"
												 : "<AppendedData encoding=\"base64\">\n_");
		memcpy(out->bytes + out->count, out->tail, out->tailCount);
		out->count += out->tailCount;
		vtuPut(out, "\n</AppendedData>\n");
	}
	vtuPut(out, "</VTKFile>\n");
}

BR_TEST(vtu_reads_every_way_of_storing_numbers)
{
	int32_t packedCount = 1;
#ifdef BR_HAVE_ZLIB
	packedCount = 2;
#endif
	for (int32_t variant = 0; variant < vtu_formCount * 4 * packedCount; ++variant)
	{
		VtuSample sample = {.form = variant % vtu_formCount};
		sample.isBig = (variant / vtu_formCount & 1) != 0;
		sample.isWide = (variant / vtu_formCount & 2) != 0;
		sample.isPacked = variant / vtu_formCount / 4 != 0;
		makeVtu(&sample);
		brAssembly* assembly = readBytes(sample.bytes, sample.count, br_formatVtu);
		const brTetMesh* mesh = assembly->tetMeshes[0];
		CHECK(mesh->nodeCount == 5 && mesh->tetCount == 2 && mesh->triangleCount == 1);
		CHECK(mesh->nodes[4].x == 1.0 / 3.0 && mesh->tets[1][3] == 4 && mesh->triangles[0][2] == 2);
		CHECK(mesh->tetTags[0] == 70000 && mesh->tetTags[1] == 2 && mesh->triangleTags[0] == 3);
		brDestroyAssembly(assembly);
		readPrefixes(sample.bytes, sample.count, br_formatVtu);
		walkReading(sample.bytes, sample.count, br_formatVtu);
	}
}

BR_TEST(vtu_pieces_are_put_one_behind_the_other)
{
#define PIECE(extra)                                                                                                   \
	"<Piece NumberOfPoints=\"3\" NumberOfCells=\"1\">" extra                                                           \
	"<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" "                                                    \
	"format=\"ascii\">0 0 0 1 0 0 0 1 0.1</DataArray></Points><Cells><DataArray type=\"Int32\" Name=\"connectivity\" " \
	"format=\"ascii\">0 1 2</DataArray><DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">3</DataArray>"      \
	"<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">5</DataArray></Cells></Piece>"
	brAssembly* assembly = readText(
		"<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>" PIECE("")
			PIECE("<CellData><DataArray type=\"Float64\" Name=\"region\" format=\"ascii\">4</DataArray></CellData>")
				PIECE("") "<Piece NumberOfPoints=\"0\" NumberOfCells=\"0\"/></UnstructuredGrid></VTKFile>",
		br_formatVtu);
	const brMesh* mesh = assembly->meshes[0];
	CHECK(mesh->vertexCount == 9 && mesh->faceCount == 3);
	CHECK_EQUAL(mesh->corners[8], 8);
	CHECK(mesh->faceGroups[0] == -1 && mesh->faceGroups[1] == 0 && mesh->faceGroups[2] == -1);
	CHECK(mesh->positions[2].z == (double)0.1f);
	brDestroyAssembly(assembly);
}

BR_TEST(vtu_refuses_in_one_sentence)
{
#define OPEN "<VTKFile type=\"UnstructuredGrid\">\n<UnstructuredGrid>\n"
#define POINT(number)                                                                                                  \
	"<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">" number "</DataArray></Points>"
#define CELL(corners, offset, type)                                                                                    \
	"<Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">" corners                                 \
	"</DataArray><DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">" offset                                  \
	"</DataArray><DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">" type "</DataArray></Cells>"
#define CLOSE "</Piece></UnstructuredGrid></VTKFile>"
#define ONE "<Piece NumberOfPoints=\"1\" NumberOfCells=\"1\">"
	static const char* const cases[][2] = {
		{"", "starts with <VTKFile>"},
		{"<html>", "starts with <VTKFile>"},
		{"<VTKFile type=\"PolyData\">", "only those of type UnstructuredGrid"},
		{"<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\">", "vtkLZ4DataCompressor is not read"},
		{OPEN, "memory:3: the file ends inside"},
		{OPEN "</UnstructuredGrid>", "no complete piece"},
		{OPEN "<Piece NumberOfPoints=\"x\">", "memory:3: a Piece needs"},
		// An attribute that ends with its tag has no value, whatever comes behind.
		{OPEN "<Piece NumberOfPoints=\"1\" NumberOfCells>0>" POINT("0 0 0") CLOSE, "memory:3: a Piece needs"},
		{OPEN "<Piece NumberOfPoints=\"9999999999\" NumberOfCells=\"1\">", "32 bits"},
		{OPEN ONE "</Piece>", "the piece has no points"},
		{OPEN ONE POINT("0 0"), "point 0 of 1"},
		{OPEN ONE POINT("0 0 nan"), "point 0 is not finite"},
		{OPEN ONE POINT("0 0 0 1"), "more than the 1 points"},
		{OPEN ONE POINT("0 0 0") CELL("0 1 0", "3", "5") CLOSE, "corner 1 of the cells"},
		{OPEN ONE POINT("0 0 0") CELL("0 0 0", "4", "5") CLOSE, "offsets end at 4, there are 3"},
		{OPEN ONE POINT("0 0 0") CELL("0 0 0", "", "5") CLOSE, "offset 0 of 1"},
		{OPEN ONE POINT("0 0 0") CELL("0 0 0", "3 3", "5") CLOSE, "more offsets"},
		{OPEN ONE POINT("0 0 0") CELL("0 0 0", "3", "500") CLOSE, "the type of cell 0"},
		{OPEN ONE POINT("0 0 0") CELL("0 0 0", "3", "10") CLOSE, "cell 0 of type 10 has 3 points"},
		{OPEN ONE "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/>",
		 "offset leads nowhere"},
		{OPEN ONE "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"binary\">////fwAA</DataArray>",
		 "longer than the file"},
		{OPEN ONE "<Points><DataArray type=\"Complex\" NumberOfComponents=\"3\" format=\"binary\">", "unknown type"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		checkTextRefused(cases[i][0], br_formatVtu, cases[i][1]);
	}

	// A header that claims far more than zlib could have packed.
	checkTextRefused("<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkZLibDataCompressor\"><UnstructuredGrid>" ONE
					 "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"binary\">"
					 "AQAAAAAAAH8AAAB/CAAAAA==AAAAAAAAAAA=</DataArray>",
					 br_formatVtu, "cannot come out of 8 packed bytes");
}
