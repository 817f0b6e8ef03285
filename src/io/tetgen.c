// SPDX-License-Identifier: MIT

// TetGen's files: name.node, name.ele, and name.face beside them.
//
//     .node   count 3 attributeCount hasMarker    then  number x y z attributes... marker
//     .ele    count 4|10 hasRegion                then  number nodes... region
//     .face   count hasMarker                     then  number nodes... marker
//
// '#' starts a comment. Numbers start at 0 or 1, as the first node says. Either name may be given; the first line tells
// which it is. Nodes without tets (no .ele beside them, or read from memory) are a surface without faces. The writer
// makes all three files: each is complete on disk under a temporary name before the first is renamed, and if a later
// rename fails the earlier files are removed, so that no pair is left that does not belong together.

#include "base/os.h"
#include "io/cells.h"
#include "io/text.h"

#include <string.h>

typedef struct TetgenFile
{
	const brReadJob* job;
	brTextCursor text;
	int64_t firstNumber;
	brFileCells* cells;
	brRemarks* remarks;
} TetgenFile;

#define TETGEN_FAIL(file, ...) brFailLine((file)->job, (file)->text.line, __VA_ARGS__)

// To the next line that holds something.
static void tetgenNextRow(TetgenFile* file)
{
	brText_SkipSpace(&file->text, '#');
}

static bool tetgenInt(TetgenFile* file, int64_t* outValue)
{
	return brText_Int64(&file->text, outValue);
}

// Rows of `numbers` numbers must fit the text that is left.
static brResult tetgenCheckCount(TetgenFile* file, int64_t count, int64_t numbers, const char* what)
{
	size_t left = (size_t)(file->text.end - file->text.at);
	if (count < 0 || (uint64_t)count > left / (2 * (size_t)numbers) + 1)
	{
		return TETGEN_FAIL(file, "%lld %s cannot follow in the %zu bytes that are left", (long long)count, what, left);
	}
	return count <= INT32_MAX ? br_success
							  : brFail(file->job->report, br_errorLimit, "%.100s: more %s than 32 bits can count",
									   file->job->name, what);
}

// What follows a row on its line is of no interest, but must not be another row.
static void tetgenEndRow(TetgenFile* file)
{
	brText_NextLine(&file->text);
}

static brResult tetgenReadNodes(TetgenFile* file)
{
	int64_t count;
	int64_t dimension;
	tetgenNextRow(file);
	if (!tetgenInt(file, &count) || !tetgenInt(file, &dimension) || dimension != 3)
	{
		return TETGEN_FAIL(file, "a .node file starts with a number of points and the dimension 3");
	}
	tetgenEndRow(file);
	brResult result = tetgenCheckCount(file, count, 4, "nodes");
	if (result >= 0 && !BR_RESERVE(&file->job->allocator, &file->cells->nodes, count))
	{
		return brFailMemory(file->job->report);
	}
	for (int64_t i = 0; i < count && result >= 0; ++i)
	{
		int64_t number;
		brDVec3 p;
		tetgenNextRow(file);
		if (!tetgenInt(file, &number) || !brText_Double(&file->text, &p.x) || !brText_Double(&file->text, &p.y) ||
			!brText_Double(&file->text, &p.z))
		{
			return TETGEN_FAIL(file, "node %lld of %lld needs a number and three coordinates", (long long)i + 1,
							   (long long)count);
		}
		file->firstNumber = i == 0 ? number : file->firstNumber;
		if (number != file->firstNumber + i || file->firstNumber < 0 || file->firstNumber > 1)
		{
			return TETGEN_FAIL(file, "node %lld has the number %lld: nodes are numbered in order from 0 or 1",
							   (long long)i + 1, (long long)number);
		}
		if (!brDIsFinite(p))
		{
			return TETGEN_FAIL(file, "node %lld is not finite", (long long)number);
		}
		tetgenEndRow(file);
		file->cells->nodes.data[file->cells->nodes.count++] = p;
	}
	return result;
}

// The nodes of one row, `size` of them, of which `kept` are corners.
static brResult tetgenReadRow(TetgenFile* file, const char* what, int64_t index, int64_t count, int64_t size,
							  int32_t kept, int32_t* outNodes)
{
	int64_t number;
	tetgenNextRow(file);
	bool ok = tetgenInt(file, &number);
	for (int64_t k = 0; k < size && ok; ++k)
	{
		int64_t node;
		ok = tetgenInt(file, &node);
		int64_t place = node - file->firstNumber;
		if (ok && (place < 0 || place >= file->cells->nodes.count))
		{
			brResult result = TETGEN_FAIL(file, "%s %lld names node %lld, which does not exist", what,
										  (long long)number, (long long)node);
			if (file->job->report != NULL)
			{
				file->job->report->element = index;
			}
			return result;
		}
		if (ok && k < kept)
		{
			outNodes[k] = (int32_t)place;
		}
	}
	return ok ? br_success
			  : TETGEN_FAIL(file, "%s %lld of %lld needs a number and %lld nodes", what, (long long)index + 1,
							(long long)count, (long long)size);
}

static brResult tetgenReadTets(TetgenFile* file)
{
	int64_t count;
	int64_t size;
	int64_t hasRegion = 0;
	tetgenNextRow(file);
	if (!tetgenInt(file, &count) || !tetgenInt(file, &size) || (size != 4 && size != 10))
	{
		return TETGEN_FAIL(file, "an .ele file starts with a number of tetrahedra and 4 or 10");
	}
	hasRegion = tetgenInt(file, &hasRegion) ? hasRegion : 0;
	tetgenEndRow(file);
	brResult result = tetgenCheckCount(file, count, 1 + size, "tetrahedra");
	bool isWhole = true;
	for (int64_t i = 0; i < count && result >= 0; ++i)
	{
		int32_t nodes[4];
		double region = 0.0;
		result = tetgenReadRow(file, "tetrahedron", i, count, size, 4, nodes);
		if (result < 0)
		{
			return result;
		}
		if (hasRegion != 0 && !brText_Double(&file->text, &region))
		{
			return TETGEN_FAIL(file, "tetrahedron %lld of %lld has no region", (long long)i + 1, (long long)count);
		}
		tetgenEndRow(file);
		bool isTag = region >= INT32_MIN && region <= INT32_MAX && floor(region) == region;
		isWhole = isWhole && isTag;
		if (!brFileCells_AddTet(file->cells, nodes, isTag ? (int32_t)region : 0))
		{
			return brFailMemory(file->job->report);
		}
	}
	if (result >= 0)
	{
		file->cells->flattened += size == 10 ? count : 0;
	}
	if (result >= 0 && !isWhole)
	{
		brRemarks_Add(file->remarks, br_remarkDropped, "regions that are no whole numbers are left out");
	}
	return result;
}

static brResult tetgenReadFaces(TetgenFile* file)
{
	int64_t count;
	int64_t hasMarker = 0;
	tetgenNextRow(file);
	if (!tetgenInt(file, &count))
	{
		return TETGEN_FAIL(file, "a .face file starts with a number of faces");
	}
	hasMarker = tetgenInt(file, &hasMarker) ? hasMarker : 0;
	tetgenEndRow(file);
	brResult result = tetgenCheckCount(file, count, 4, "faces");
	for (int64_t i = 0; i < count && result >= 0; ++i)
	{
		int32_t nodes[3];
		int64_t marker = 0;
		result = tetgenReadRow(file, "face", i, count, 3, 3, nodes);
		if (result < 0)
		{
			return result;
		}
		if (hasMarker != 0 && (!tetgenInt(file, &marker) || marker < INT32_MIN || marker > INT32_MAX))
		{
			return TETGEN_FAIL(file, "face %lld of %lld has no marker of 32 bits", (long long)i + 1, (long long)count);
		}
		tetgenEndRow(file);
		if (!brFileCells_AddFace(file->cells, nodes, 3, (int32_t)marker))
		{
			return brFailMemory(file->job->report);
		}
	}
	return result;
}

// Companions

// The path with another ending, in capitals if the given one is; null without memory. `path` ends in .node or .ele.
static char* tetgenPath(const brAllocator* allocator, const char* path, const char* ending, size_t* outBytes)
{
	const char* dot = strrchr(path, '.');
	size_t stem = dot != NULL ? (size_t)(dot - path) : strlen(path);
	bool isCapital = dot != NULL && dot[1] >= 'A' && dot[1] <= 'Z';
	*outBytes = stem + strlen(ending) + 1;
	char* other = brAlloc(allocator, *outBytes);
	if (other == NULL)
	{
		return NULL;
	}
	memcpy(other, path, stem);
	strcpy(other + stem, ending);
	for (char* c = other + stem; *c != 0 && isCapital; ++c)
	{
		*c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
	}
	return other;
}

typedef brResult TetgenReader(TetgenFile* file);

// Reads the file with that ending beside the given one. Not there: `outFound` false, and success.
static brResult tetgenReadBeside(TetgenFile* file, const char* ending, TetgenReader* read, bool* outFound)
{
	const brReadJob* job = file->job;
	size_t pathBytes;
	char* path = tetgenPath(&job->allocator, job->name, ending, &pathBytes);
	if (path == NULL)
	{
		return brFailMemory(job->report);
	}
	uint8_t* bytes = NULL;
	size_t byteCount = 0;
	brResult result = br_success;
	*outFound = brOs_FileInfo(path).kind != br_fileAbsent;
	if (*outFound)
	{
		result = brReadFile(job->context, &job->allocator, path, &bytes, &byteCount, job->report);
	}
	if (result >= 0 && *outFound)
	{
		brReadJob besideJob = *job;
		besideJob.bytes = bytes;
		besideJob.byteCount = byteCount;
		besideJob.name = path;
		TetgenFile beside = *file;
		beside.job = &besideJob;
		beside.text = brMakeTextCursor(bytes, byteCount);
		result = read(&beside);
		file->firstNumber = beside.firstNumber;
	}
	if (bytes != NULL)
	{
		brFree(&job->allocator, bytes, byteCount + 1);
	}
	brFree(&job->allocator, path, pathBytes);
	return result;
}

// The second number of the first line tells what the file is, whatever its name.
static brResult tetgenIsElements(TetgenFile* file, bool* outIsElements)
{
	TetgenFile ahead = *file;
	int64_t count;
	int64_t second;
	tetgenNextRow(&ahead);
	if (!tetgenInt(&ahead, &count) || !tetgenInt(&ahead, &second) || second < 3 || (second > 4 && second != 10))
	{
		return TETGEN_FAIL(&ahead, "a TetGen file starts with a number of points and the dimension 3, or with a number "
								   "of tetrahedra and 4 or 10");
	}
	*outIsElements = second != 3;
	return br_success;
}

brResult brReadTetgen(const brReadJob* job, brAssembly* assembly)
{
	brFileCells cells;
	brRemarks remarks = {0};
	brFileCells_Init(&cells, &job->allocator);
	TetgenFile file = {.job = job,
					   .text = brMakeTextCursor(job->bytes, job->byteCount),
					   .firstNumber = 1,
					   .cells = &cells,
					   .remarks = &remarks};
	bool isElements = false;
	bool isFound = false;
	brResult result = tetgenIsElements(&file, &isElements);
	if (result >= 0 && isElements)
	{
		result = job->hasCompanions ? tetgenReadBeside(&file, ".node", tetgenReadNodes, &isFound) : br_success;
		if (result >= 0 && !isFound)
		{
			result = brFail(job->report, br_errorFile,
							"%.100s: tetrahedra need the .node file beside them, which is not there", job->name);
		}
		result = result < 0 ? result : tetgenReadTets(&file);
	}
	else if (result >= 0)
	{
		result = tetgenReadNodes(&file);
		if (result >= 0 && job->hasCompanions)
		{
			result = tetgenReadBeside(&file, ".ele", tetgenReadTets, &isFound);
		}
		if (result >= 0 && !isFound)
		{
			brRemarks_Add(&remarks, br_remarkDropped, "without the .ele file these are nodes only");
		}
	}
	if (result >= 0 && job->hasCompanions && isFound)
	{
		result = tetgenReadBeside(&file, ".face", tetgenReadFaces, &isFound);
	}
	result = result < 0 ? result : brFileCells_Finish(&cells, job, assembly, &remarks);
	brFileCells_Free(&cells);
	return result;
}

// Writing

static void tetgenPutRow(brOutput* output, int32_t number, const int32_t* nodes, int32_t size, const int32_t* tags)
{
	brOutput_Int(output, number);
	for (int32_t k = 0; k < size; ++k)
	{
		brOutput_Write(output, " ", 1);
		brOutput_Int(output, nodes[k]);
	}
	if (tags != NULL)
	{
		brOutput_Write(output, " ", 1);
		brOutput_Int(output, tags[number]);
	}
	brOutput_Write(output, "\n", 1);
}

static void tetgenWriteMesh(const brTetMesh* mesh, brOutput* outputs)
{
	brOutput_Format(&outputs[0], "%d 3 0 0\n", mesh->nodeCount);
	for (int32_t v = 0; v < mesh->nodeCount; ++v)
	{
		brOutput_Int(&outputs[0], v);
		brOutput_Write(&outputs[0], " ", 1);
		brOutput_Double(&outputs[0], mesh->nodes[v].x);
		brOutput_Write(&outputs[0], " ", 1);
		brOutput_Double(&outputs[0], mesh->nodes[v].y);
		brOutput_Write(&outputs[0], " ", 1);
		brOutput_Double(&outputs[0], mesh->nodes[v].z);
		brOutput_Write(&outputs[0], "\n", 1);
	}
	brOutput_Format(&outputs[1], "%d 4 %d\n", mesh->tetCount, mesh->tetTags != NULL);
	for (int32_t t = 0; t < mesh->tetCount; ++t)
	{
		tetgenPutRow(&outputs[1], t, mesh->tets[t], 4, mesh->tetTags);
	}
	brOutput_Format(&outputs[2], "%d %d\n", mesh->triangleCount, mesh->triangleTags != NULL);
	for (int32_t t = 0; t < mesh->triangleCount; ++t)
	{
		tetgenPutRow(&outputs[2], t, mesh->triangles[t], 3, mesh->triangleTags);
	}
}

brResult brWriteTetgen(const brWriteJob* job)
{
	static const char* const endings[3] = {".node", ".ele", ".face"};
	brRemarks remarks = {0};
	brCellSource source = {0};
	brOutput outputs[3];
	char* paths[3] = {NULL};
	size_t pathBytes[3] = {0};
	int32_t opened = 0;
	brResult result = brCellSource_Open(&source, job, &remarks);
	if (result >= 0 && source.tets == NULL)
	{
		result =
			brFail(job->report, br_errorGeometry, "%s: TetGen files hold tetrahedra, and this is a surface", job->path);
	}
	for (int32_t i = 0; i < 3 && result >= 0; ++i)
	{
		paths[i] = tetgenPath(&job->allocator, job->path, endings[i], &pathBytes[i]);
		result = paths[i] != NULL ? brOutput_Open(&outputs[i], &job->allocator, paths[i], job->report)
								  : brFailMemory(job->report);
		opened += result >= 0;
	}
	if (result >= 0)
	{
		tetgenWriteMesh(source.tets, outputs);
		// The nodes last: a reader that finds them finds the rest.
		result = brOutput_CommitAll((brOutput*[]){&outputs[2], &outputs[1], &outputs[0]}, 3, job->report);
		opened = 0;
	}
	for (int32_t i = 0; i < opened; ++i)
	{
		brOutput_Abort(&outputs[i]);
	}
	for (int32_t i = 0; i < 3; ++i)
	{
		brFree(&job->allocator, paths[i], pathBytes[i]);
	}
	brCellSource_Close(&source);
	return result < 0 ? result : brRemarks_Report(&remarks, job->path, job->report);
}
