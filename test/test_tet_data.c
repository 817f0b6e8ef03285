// SPDX-License-Identifier: MIT

// Every tet mesh of the public collection against the table that came with it.

#include "brittle/io.h"

#include "fuzz/invariants.h"
#include "harness.h"
#include "io_help.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct TetRow
{
	char file[256];
	bool isMalformed; // or without counts
	int64_t nodes, tets, others, positive, negative, zero, unused, boundary, overfull;
	double volume;
} TetRow;

static bool parseTetRow(const char* line, TetRow* row)
{
	memset(row, 0, sizeof(*row));
	const char* comma = strchr(line, ',');
	if (comma == NULL || comma == line || (size_t)(comma - line) >= sizeof(row->file))
	{
		return false;
	}
	memcpy(row->file, line, (size_t)(comma - line));
	const char* counts = strchr(comma + 1, ',');
	long long n[9];
	int found = counts == NULL ? 0
							   : sscanf(counts, ",%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lf", &n[0], &n[1],
										&n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8], &row->volume);
	row->isMalformed = found != 10 || strstr(row->file, "malformed") != NULL;
	if (!row->isMalformed)
	{
		row->nodes = n[0], row->tets = n[1], row->others = n[2], row->positive = n[3], row->negative = n[4];
		row->zero = n[5], row->unused = n[6], row->boundary = n[7], row->overfull = n[8];
	}
	return true;
}

static void checkTetRow(const TetRow* row, const brAssembly* assembly)
{
	CHECK_EQUAL(assembly->partCount, 1);
	if (row->tets == 0)
	{
		CHECK_EQUAL(assembly->meshCount, 1);
		CHECK_EQUAL(assembly->meshes[0]->vertexCount, row->nodes);
		CHECK_EQUAL(assembly->meshes[0]->faceCount, row->others);
		return;
	}
	CHECK_EQUAL(assembly->tetMeshCount, 1);
	brTetMeshStats stats;
	const brTetMesh* mesh = assembly->tetMeshes[0];
	CHECK_RESULT(brTetMesh_Check(mesh, NULL, &stats, NULL), NULL);
#define CHECK_ROW(actual, expected)                                                                                    \
	CHECK_MESSAGE((int64_t)(actual) == (expected), "%s: %s is %lld, the table says %lld", row->file, #actual,          \
				  (long long)(actual), (long long)(expected))
	CHECK_ROW(mesh->nodeCount, row->nodes);
	CHECK_ROW(mesh->tetCount, row->tets);
	CHECK_ROW(stats.positiveTets, row->positive);
	CHECK_ROW(stats.negativeTets, row->negative);
	CHECK_ROW(stats.zeroTets, row->zero);
	CHECK_ROW(stats.unusedNodes, row->unused);
	CHECK_ROW(stats.boundaryFaces, row->boundary);
	CHECK_ROW(stats.overfullFaces, row->overfull);
#undef CHECK_ROW
	// The table has six digits.
	CHECK_MESSAGE(fabs(stats.volume - row->volume) <= 1e-5 * fabs(row->volume), "%s: volume %.9g, the table says %.9g",
				  row->file, stats.volume, row->volume);
}

BR_TEST(tet_collection_agrees_with_its_table)
{
	const char* table = brTest_DataPath("TETS.csv");
	if (table == NULL)
	{
		brTest_Skip("the mesh collection is not there");
	}
	size_t byteCount;
	char* text = ioLoadBytes(table, &byteCount);
	int32_t checked = 0;
	int32_t refused = 0;
	char* rest = text;
	brTest_NextField(&rest, '\n'); // the heading
	for (char* line = brTest_NextField(&rest, '\n'); line != NULL; line = brTest_NextField(&rest, '\n'))
	{
		TetRow row;
		const char* path = parseTetRow(line, &row) ? brTest_DataPath(row.file) : NULL;
		if (path == NULL)
		{
			continue;
		}
		brAssembly* assembly = NULL;
		brReport report = {0};
		brResult result = brLoadAssembly(NULL, path, &assembly, &report);
		CHECK_MESSAGE((result == br_success) == (report.text[0] == 0), "%s: %s says \"%s\"", row.file,
					  brResult_GetName(result), report.text);
		CHECK((result < 0) == (assembly == NULL));
		printf("  %s: %s\n", row.file, report.text);

		// Cells that are neither tets nor polygons are refused in one sentence; everything else in the table is read.
		bool isOther = !row.isMalformed && row.tets == 0 && result == br_errorUnsupported;
		CHECK_MESSAGE(row.isMalformed || isOther || result >= 0, "%s: %s", row.file, report.text);
		if (!row.isMalformed && result >= 0)
		{
			checkTetRow(&row, assembly);
			checked += 1;
		}
		refused += result < 0;
		brDestroyAssembly(assembly);
	}
	free(text);
	CHECK_MESSAGE(checked >= 50 && refused >= 10, "%d files checked, %d refused", checked, refused);
}

BR_TEST(empty_files_of_the_collection_are_empty_surfaces)
{
	static const char* const names[] = {"degenerate/pymesh/empty.mesh", "degenerate/pymesh/empty.msh"};
	for (int32_t i = 0; i < 2; ++i)
	{
		const char* path = brTest_DataPath(names[i]);
		if (path == NULL)
		{
			brTest_Skip("the mesh collection is not there");
		}
		brMesh* mesh = BR_MADE(brMesh, brLoadMesh, NULL, path);
		CHECK_EQUAL(mesh->vertexCount + mesh->faceCount, 0);
		brDestroyMesh(mesh);
	}
}

BR_TEST(tet_corpus_loads_or_fails_with_a_sentence)
{
	static const struct
	{
		const char* folder;
		brFileFormat format;
	} folders[] = {{"msh", br_formatMsh},
				   {"vtk", br_formatVtk},
				   {"vtu", br_formatVtu},
				   {"medit", br_formatMedit},
				   {"tetgen", br_formatTetgen}};
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); ++i)
	{
		ioReadCorpus(folders[i].folder, folders[i].format, true, 2);
	}
}
