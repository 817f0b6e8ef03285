// SPDX-License-Identifier: MIT

// Medit .mesh files (INRIA, also written by CGAL, Mmg, TetGen and libigl), ASCII.
//
// A file is keywords, each with a count and that many rows of numbers that end in a reference number: Vertices,
// Triangles, Quadrilaterals, Tetrahedra. Other lists are passed over; of curved ones the plain list holds the corners.
// Rows count nodes from 1. '#' starts a comment, and line ends do not matter.

#include "io/cells.h"
#include "io/text.h"

#include <string.h>

typedef struct MeditFile
{
	const brReadJob* job;
	brTextCursor text;
	int64_t dimension;
	bool hasVertices;
	brFileCells cells;
} MeditFile;

#define MEDIT_FAIL(file, ...) brFailLine((file)->job, (file)->text.line, __VA_ARGS__)

static inline void meditSkipSpace(MeditFile* file)
{
	while (*file->text.at == ' ')
	{
		file->text.at += 1;
	}
	if ((unsigned char)*file->text.at < ' ' || *file->text.at == '#')
	{
		brText_SkipSpace(&file->text, '#');
	}
}

static inline bool meditInt(MeditFile* file, int64_t* outValue)
{
	meditSkipSpace(file);
	return brText_Int64(&file->text, outValue);
}

static inline bool meditDouble(MeditFile* file, double* outValue)
{
	meditSkipSpace(file);
	return brText_Double(&file->text, outValue);
}

// How many rows of `numbers` numbers follow, checked against the text that is left.
static brResult meditCount(MeditFile* file, const char* what, size_t numbers, int64_t* outCount)
{
	size_t left = (size_t)(file->text.end - file->text.at);
	if (!meditInt(file, outCount) || *outCount < 0)
	{
		return MEDIT_FAIL(file, "the number of %s is expected here", what);
	}
	if ((uint64_t)*outCount > left / (2 * numbers) + 1)
	{
		return MEDIT_FAIL(file, "%lld %s cannot follow in the %zu bytes that are left", (long long)*outCount, what,
						  left);
	}
	return *outCount <= INT32_MAX ? br_success
								  : brFail(file->job->report, br_errorLimit, "%.100s: more %s than 32 bits can count",
										   file->job->name, what);
}

static brResult meditReadVertices(MeditFile* file)
{
	int64_t count;
	if (file->dimension == 0 || file->hasVertices)
	{
		return MEDIT_FAIL(file, file->hasVertices ? "Vertices come twice" : "Dimension must come before Vertices");
	}
	brResult result = meditCount(file, "vertices", (size_t)file->dimension + 1, &count);
	if (result < 0)
	{
		return result;
	}
	file->hasVertices = true;
	if (!BR_RESERVE(&file->job->allocator, &file->cells.nodes, count))
	{
		return brFailMemory(file->job->report);
	}
	for (int64_t i = 0; i < count; ++i)
	{
		brDVec3 p = {0};
		int64_t reference;
		if (!meditDouble(file, &p.x) || !meditDouble(file, &p.y) ||
			(file->dimension == 3 && !meditDouble(file, &p.z)) || !meditInt(file, &reference))
		{
			return MEDIT_FAIL(file, "vertex %lld of %lld needs %lld coordinates and a reference", (long long)i + 1,
							  (long long)count, (long long)file->dimension);
		}
		if (!brDIsFinite(p))
		{
			return MEDIT_FAIL(file, "vertex %lld is not finite", (long long)i + 1);
		}
		file->cells.nodes.data[file->cells.nodes.count++] = p;
	}
	return br_success;
}

static brResult meditReadCells(MeditFile* file, const char* what, int32_t size, bool isTet)
{
	int64_t count;
	brResult result = meditCount(file, what, (size_t)size + 1, &count);
	if (result < 0)
	{
		return result;
	}
	if (count > 0 && !file->hasVertices)
	{
		return MEDIT_FAIL(file, "%s come before the vertices", what);
	}
	for (int64_t i = 0; i < count; ++i)
	{
		int32_t nodes[4];
		int64_t reference;
		for (int32_t k = 0; k < size; ++k)
		{
			int64_t node;
			if (!meditInt(file, &node))
			{
				return MEDIT_FAIL(file, "%lld of the %lld %s are there, then comes something else", (long long)i,
								  (long long)count, what);
			}
			if (node < 1 || node > file->cells.nodes.count)
			{
				result = MEDIT_FAIL(file, "number %lld of the %s names vertex %lld, there are %d", (long long)i + 1,
									what, (long long)node, file->cells.nodes.count);
				if (file->job->report != NULL)
				{
					file->job->report->element = i;
				}
				return result;
			}
			nodes[k] = (int32_t)node - 1;
		}
		if (!meditInt(file, &reference) || reference < INT32_MIN || reference > INT32_MAX)
		{
			return MEDIT_FAIL(file, "number %lld of the %s needs a reference of 32 bits", (long long)i + 1, what);
		}
		bool ok = isTet ? brFileCells_AddTet(&file->cells, nodes, (int32_t)reference)
						: brFileCells_AddFace(&file->cells, nodes, size, (int32_t)reference);
		if (!ok)
		{
			return brFailMemory(file->job->report);
		}
	}
	return br_success;
}

// A list that is not read: its rows have at least one number each.
static brResult meditSkipList(MeditFile* file, const char* name, size_t length)
{
	int64_t count;
	brResult result = meditCount(file, "rows", 1, &count);
	int64_t numbers = 0;
	while (result >= 0)
	{
		brText_SkipSpace(&file->text, '#');
		char c = *file->text.at;
		if (file->text.at >= file->text.end || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'))
		{
			break;
		}
		const char* word;
		if (brText_Word(&file->text, &word) == 0)
		{
			return MEDIT_FAIL(file, "a byte that is no text");
		}
		numbers += 1;
	}
	if (result >= 0 && numbers < count)
	{
		return MEDIT_FAIL(file, "%.*s ends before its %lld rows", (int)(length < 60 ? length : 60), name,
						  (long long)count);
	}
	static const struct
	{
		const char* name;
		brDroppedKind kind;
	} kinds[] = {
		{"Edges", br_droppedLines},       {"Hexahedra", br_droppedHexahedra}, {"Hexaedra", br_droppedHexahedra},
		{"Prisms", br_droppedPrisms},     {"Pentahedra", br_droppedPrisms},   {"Wedges", br_droppedPrisms},
		{"Pyramids", br_droppedPyramids}, {"TetrahedraP2", br_droppedOthers}, {"TrianglesP2", br_droppedOthers}};
	for (int32_t i = 0; i < BR_COUNT(kinds) && result >= 0; ++i)
	{
		if (strlen(kinds[i].name) == length && memcmp(kinds[i].name, name, length) == 0)
		{
			file->cells.dropped[kinds[i].kind] += count;
		}
	}
	return result;
}

static brResult meditReadHeader(MeditFile* file)
{
	// A binary file starts with the integer 1, in either byte order.
	uint32_t first = file->job->byteCount >= 4 ? brLoad32(file->job->bytes, false) : 0;
	if (first == 1 || first == 0x01000000u)
	{
		return brFail(file->job->report, br_errorUnsupported, "%.100s: binary Medit files (.meshb) are not read",
					  file->job->name);
	}
	int64_t version;
	brText_SkipSpace(&file->text, '#');
	if (!brText_TakeWord(&file->text, "MeshVersionFormatted") || !meditInt(file, &version))
	{
		return MEDIT_FAIL(file, "a Medit file starts with MeshVersionFormatted and a number");
	}
	return version >= 0 && version <= 4
			   ? br_success
			   : MEDIT_FAIL(file, "MeshVersionFormatted %lld is not known", (long long)version);
}

static brResult meditReadLists(MeditFile* file)
{
	brResult result = br_success;
	while (result >= 0)
	{
		const char* word;
		brText_SkipSpace(&file->text, '#');
		if (file->text.at >= file->text.end)
		{
			return br_success; // CGAL and libigl write End, others do not
		}
		size_t length = brText_Word(&file->text, &word);
#define IS_LIST(text) (length == sizeof(text) - 1 && memcmp(word, text, sizeof(text) - 1) == 0)
		if (IS_LIST("End"))
		{
			return br_success;
		}
		if (IS_LIST("Dimension"))
		{
			if (!meditInt(file, &file->dimension) || file->dimension < 2 || file->dimension > 3)
			{
				return MEDIT_FAIL(file, "Dimension must be 2 or 3");
			}
		}
		else if (IS_LIST("Vertices"))
		{
			result = meditReadVertices(file);
		}
		else if (IS_LIST("Triangles"))
		{
			result = meditReadCells(file, "triangles", 3, false);
		}
		else if (IS_LIST("Quadrilaterals"))
		{
			result = meditReadCells(file, "quadrilaterals", 4, false);
		}
		else if (IS_LIST("Tetrahedra"))
		{
			result = meditReadCells(file, "tetrahedra", 4, true);
		}
		else if (length > 0 && ((word[0] >= 'A' && word[0] <= 'Z') || (word[0] >= 'a' && word[0] <= 'z')))
		{
			result = meditSkipList(file, word, length);
		}
		else
		{
			return MEDIT_FAIL(file, "a keyword like Vertices is expected here");
		}
#undef IS_LIST
	}
	return result;
}

brResult brReadMedit(const brReadJob* job, brAssembly* assembly)
{
	MeditFile file = {.job = job, .text = brMakeTextCursor(job->bytes, job->byteCount)};
	brFileCells_Init(&file.cells, &job->allocator);
	brResult result = meditReadHeader(&file);
	result = result < 0 ? result : meditReadLists(&file);
	if (result >= 0 && !file.hasVertices)
	{
		result = MEDIT_FAIL(&file, "the file ends without Vertices");
	}
	brRemarks remarks = {0};
	result = result < 0 ? result : brFileCells_Finish(&file.cells, job, assembly, &remarks);
	brFileCells_Free(&file.cells);
	return result;
}

// Writing

static void meditPutRow(brOutput* output, const int32_t* nodes, int32_t size, int32_t reference)
{
	for (int32_t k = 0; k < size; ++k)
	{
		brOutput_Int(output, (int64_t)nodes[k] + 1);
		brOutput_Write(output, " ", 1);
	}
	brOutput_Int(output, reference);
	brOutput_Write(output, "\n", 1);
}

static void meditPutVertices(brOutput* output, const brDVec3* nodes, int32_t count)
{
	brOutput_Format(output, "MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n", count);
	for (int32_t v = 0; v < count; ++v)
	{
		brOutput_Double(output, nodes[v].x);
		brOutput_Write(output, " ", 1);
		brOutput_Double(output, nodes[v].y);
		brOutput_Write(output, " ", 1);
		brOutput_Double(output, nodes[v].z);
		brOutput_Write(output, " 0\n", 3);
	}
}

static void meditWriteTets(brOutput* output, const brTetMesh* mesh)
{
	meditPutVertices(output, mesh->nodes, mesh->nodeCount);
	if (mesh->triangleCount > 0)
	{
		brOutput_Format(output, "Triangles\n%d\n", mesh->triangleCount);
	}
	for (int32_t t = 0; t < mesh->triangleCount; ++t)
	{
		meditPutRow(output, mesh->triangles[t], 3, mesh->triangleTags != NULL ? mesh->triangleTags[t] : 0);
	}
	brOutput_Format(output, "Tetrahedra\n%d\n", mesh->tetCount);
	for (int32_t t = 0; t < mesh->tetCount; ++t)
	{
		meditPutRow(output, mesh->tets[t], 4, mesh->tetTags != NULL ? mesh->tetTags[t] : 0);
	}
	brOutput_Text(output, "End\n");
}

// Runs of triangles and runs of quads take turns, so that faces come back in their order.
static void meditWriteSurface(brOutput* output, const brMesh* mesh, const brWriteFaces* faces, const int32_t* groupTags)
{
	meditPutVertices(output, mesh->positions, mesh->vertexCount);
	for (int32_t f = 0, end = 0; f < faces->count; ++f)
	{
		int32_t size = faces->starts[f + 1] - faces->starts[f];
		if (f == end)
		{
			while (end < faces->count && faces->starts[end + 1] - faces->starts[end] == size)
			{
				end += 1;
			}
			brOutput_Format(output, "%s\n%d\n", size == 3 ? "Triangles" : "Quadrilaterals", end - f);
		}
		int32_t origin = faces->origins != NULL ? faces->origins[f] : f;
		meditPutRow(output, faces->corners + faces->starts[f], size, brFaceTag(mesh, groupTags, origin));
	}
	brOutput_Text(output, "End\n");
}

brResult brWriteMedit(const brWriteJob* job)
{
	brRemarks remarks = {0};
	brCellSource source = {0};
	brWriteFaces faces = {.allocator = job->allocator};
	int32_t* groupTags = NULL;
	bool isNamed = false;
	brOutput output;
	brResult result = brCellSource_Open(&source, job, &remarks);
	const brMesh* surface = source.surface;
	if (result >= 0 && surface != NULL)
	{
		result = brWriteFaces_Open(&faces, job, surface, 4, &remarks);
	}
	if (result >= 0 && surface != NULL && surface->faceGroups != NULL)
	{
		groupTags = brMakeGroupTags(&job->allocator, surface, &isNamed);
		result = groupTags != NULL ? br_success : brFailMemory(job->report);
	}
	if (result >= 0 && surface != NULL)
	{
		brRemarkSurfaceLosses(surface, (brSurfaceHolds){.groups = !isNamed}, "Medit files", &remarks);
	}
	result = result < 0 ? result : brOutput_Open(&output, &job->allocator, job->path, job->report);
	if (result >= 0)
	{
		if (source.tets != NULL)
		{
			meditWriteTets(&output, source.tets);
		}
		else
		{
			meditWriteSurface(&output, surface, &faces, groupTags);
		}
		result = brOutput_Commit(&output, job->report);
	}
	BR_FREE(&job->allocator, groupTags, surface != NULL ? surface->groupCount : 0);
	brWriteFaces_Close(&faces);
	brCellSource_Close(&source);
	return result < 0 ? result : brRemarks_Report(&remarks, job->path, job->report);
}
