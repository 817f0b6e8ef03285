// SPDX-License-Identifier: MIT
#include "mending.h"
#include "outputs.h"

// A surface of fewer triangles that is still a solid, in place of `mesh`.
static brResult decimateSolid(const CommandLine* line, int32_t triangles, double share, brMesh** mesh, double* outError,
							  brReport* report)
{
	brMesh* fewer = NULL;
	brResult result = brDecimateMesh(&line->context, *mesh, triangles, share, &fewer, outError, report);
	if (result < 0)
	{
		return result;
	}
	brDestroyMesh(*mesh);
	*mesh = fewer;
	// Collapses may fold a thin place into itself.
	MendOptions mend = defaultMendOptions();
	result = mendMesh(line, &mend, "the surface of fewer triangles", mesh, report);
	Settling settling = beginSettling(line->positional[1]);
	if (result >= 0)
	{
		measurePiece(&settling, *mesh);
		result = settlePiece(line, &settling, mesh, report);
		tellSettling(line, &settling);
	}
	return result;
}

static int runDecimate(CommandLine* line)
{
	MendOptions mend = defaultMendOptions();
	int32_t triangles = 0;
	double share = 0.01;
	const Option options[] = {
		{"triangles", 'n', option_int, &triangles, "N", "triangles that should be left (default: a quarter)"},
		{"error", 0, option_double, &share, "E",
		 "stop before corners move by more than this share of the longest side "
		 "(default: 0.01)"},
		MEND_OPTIONS(&mend),
	};
	if (!readOptions(line, options, sizeof(options) / sizeof(options[0]), 2, 2))
	{
		return line->exitCode;
	}
	if (triangles < 0 || !(share >= 0.0))
	{
		return failUsage(line, "--triangles takes 4 or more, --error a share of 0 or more");
	}
	if (checkMendOptions(line, &mend) != exit_done || !isSafeOutput(line, line->positional[1]))
	{
		return exit_usage;
	}
	if (!beginWork(line, "decimating"))
	{
		return exit_no;
	}
	brReport report = {0};
	brMesh* mesh = NULL;
	double error = 0.0;
	int32_t before = 0;
	brResult result = loadSolid(line, &mend, line->positional[0], &mesh, &report);
	if (result >= 0)
	{
		before = mesh->cornerCount - 2 * mesh->faceCount;
		result = decimateSolid(line, triangles > 0 ? triangles : before / 4, share, &mesh, &error, &report);
	}
	int32_t after = 0;
	if (result >= 0)
	{
		after = mesh->cornerCount - 2 * mesh->faceCount;
		result = brSaveMesh(&line->context, mesh, line->positional[1], NULL, &report);
	}
	brDestroyMesh(mesh);
	endWork(line);
	if (result < 0)
	{
		return failData(line, &report);
	}
	say(line, "%s: %d of %d triangles, corners moved by %.3g m at most", line->positional[1], after, before, error);
	if (line->json)
	{
		Json json = beginJson();
		jsonText(&json, "output", line->positional[1]);
		jsonInt(&json, "triangles_before", before);
		jsonInt(&json, "triangles", after);
		jsonNumber(&json, "error", error);
		endJson(&json, line);
	}
	return exit_done;
}

const Command command_decimate = {
	"decimate",
	"reduces the triangles of a solid",
	"IN OUT [--triangles N] [--error E]",
	"Edges collapse, those that change the shape least first, until N triangles are left or corners would move too "
	"far;\n"
	"what comes out is a closed solid. Colors and texture coordinates are left out. Needs meshoptimizer.",
	"brittle decimate scan.ply small.ply --triangles 20000",
	runDecimate,
	false,
};
