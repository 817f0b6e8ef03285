// SPDX-License-Identifier: MIT
#include "aside.h"
#include "command.h"
#include "loading.h"
#include "mending.h"

#include <stdlib.h>
#include <string.h>

typedef struct TetJob
{
	brTetDef def;
	brSaveDef save;
	const char* output;
	const char* cut; // nx,ny,nz,d
	bool uniform;
	TextList refine; // x,y,z,r,h
	brTetRefinement balls[MAX_BALLS];
	MendOptions mend;
} TetJob;

static void printTetJson(const CommandLine* line, const brTetFaults* verdict, const brTetMesh* mesh,
						 const brTetInfo* info, const char* output)
{
	const double degrees = 180.0 / BR_PI;
	Json json = beginJson();
	jsonText(&json, "file", output != NULL ? output : line->positional[0]);
	jsonInt(&json, "nodes", mesh->nodeCount);
	jsonInt(&json, "tets", mesh->tetCount);
	jsonNumber(&json, "min_dihedral", verdict->stats.minDihedral * degrees);
	jsonNumber(&json, "max_dihedral", verdict->stats.maxDihedral * degrees);
	jsonNumber(&json, "volume", info != NULL ? info->volume : verdict->stats.volume);
	jsonBool(&json, "surface_closed", verdict->stats.isSurfaceClosed);
	jsonBool(&json, "sound", verdict->isSound);
	jsonText(&json, "verdict", verdict->text);
	jsonInt(&json, "components", verdict->stats.components);
	jsonInt(&json, "boundary_faces", verdict->stats.boundaryFaces);
	jsonInt(&json, "inverted", verdict->stats.negativeTets);
	jsonInt(&json, "flat", verdict->stats.zeroTets);
	jsonInt(&json, "unused_nodes", verdict->stats.unusedNodes);
	if (info != NULL)
	{
		jsonNumber(&json, "edge", info->edge);
		jsonNumber(&json, "offset", info->offset);
		jsonNumber(&json, "deviation", info->deviation);
		jsonNumber(&json, "surface_volume", info->surfaceVolume);
		jsonBool(&json, "input_closed", info->isClosed);
		jsonInt(&json, "dropped_specks", info->droppedSpecks);
		jsonBool(&json, "embedded", info->fillCount > 0);
	}
	endJson(&json, line);
}

// One fraction a line, in the order of the tets.
static bool writeFills(const char* path, const brTetInfo* info)
{
	Aside aside;
	if (!openAside(&aside, path))
	{
		return false;
	}
	bool isGood = true;
	for (int32_t i = 0; isGood && i < info->fillCount; ++i)
	{
		isGood = fprintf(aside.file, "%.6f\n", info->fills[i]) > 0;
	}
	return finishAside(&aside, isGood);
}

// The tets behind a plane, whole, for a look inside.
static brResult cutTets(const TetJob* job, const brTetMesh* mesh, brTetMesh** outMesh, brReport* report)
{
	double plane[4];
	char rest;
	if (sscanf(job->cut, "%lf,%lf,%lf,%lf%c", &plane[0], &plane[1], &plane[2], &plane[3], &rest) != 4)
	{
		snprintf(report->text, sizeof(report->text), "--cut takes nx,ny,nz,d, not '%.100s'", job->cut);
		return br_errorMisuse;
	}
	int32_t(*kept)[4] = malloc((size_t)mesh->tetCount * sizeof(int32_t[4]) + 1);
	if (kept == NULL)
	{
		snprintf(report->text, sizeof(report->text), "there is not enough memory");
		return br_errorMemory;
	}
	brTetMeshDef def = brDefaultTetMeshDef();
	for (int32_t t = 0; t < mesh->tetCount; ++t)
	{
		double height = -4.0 * plane[3];
		for (int k = 0; k < 4; ++k)
		{
			brDVec3 p = mesh->nodes[mesh->tets[t][k]];
			height += plane[0] * p.x + plane[1] * p.y + plane[2] * p.z;
		}
		if (height <= 0.0)
		{
			memcpy(kept[def.tetCount++], mesh->tets[t], sizeof(int32_t[4]));
		}
	}
	def.nodeCount = mesh->nodeCount, def.nodes = mesh->nodes;
	def.tets = (const int32_t(*)[4])kept;
	brResult result = brCreateTetMesh(NULL, &def, outMesh, report);
	free(kept);
	return result;
}

static brResult saveTets(CommandLine* line, const TetJob* job, const brTetMesh* mesh, const brTetInfo* info,
						 brReport* report)
{
	brTetMesh* part = NULL;
	if (job->cut != NULL)
	{
		brResult cut = cutTets(job, mesh, &part, report);
		if (cut < 0)
		{
			return cut;
		}
	}
	brResult result = brSaveTetMesh(&line->context, part != NULL ? part : mesh, job->output, &job->save, report);
	brDestroyTetMesh(part);
	sayRemark(line, result, report);
	if (result >= 0 && info->fillCount > 0)
	{
		char path[1024];
		snprintf(path, sizeof(path), "%s.fill", job->output);
		if (!writeFills(path, info))
		{
			snprintf(report->text, sizeof(report->text), "%.400s.fill could not be written", job->output);
			return br_errorFile;
		}
		say(line, "%s: the share of each tet that is inside, one a line", path);
	}
	return result;
}

// A file that holds tets already is judged, and written again if asked.
static int judgeTets(CommandLine* line, const TetJob* job, const brTetMesh* mesh)
{
	brReport report = {0};
	brTetFaults verdict;
	brTetInfo info = {0};
	brResult result = brTetMesh_FindFaults(mesh, &line->context, &verdict, &report);
	if (result >= 0 && job->output != NULL)
	{
		result = saveTets(line, job, mesh, &info, &report);
	}
	endWork(line);
	if (result < 0)
	{
		return failData(line, &report);
	}
	if (line->json)
	{
		printTetJson(line, &verdict, mesh, NULL, job->output);
	}
	if (!verdict.isSound)
	{
		fprintf(stderr, "brittle tet: %s: %s\n", line->positional[0], verdict.text);
		return exit_no;
	}
	say(line, "%s: %d nodes, %d tets; %s", line->positional[0], mesh->nodeCount, mesh->tetCount, verdict.text);
	return exit_done;
}

static int makeTets(CommandLine* line, const TetJob* job, brMesh** surface)
{
	brReport report = {0};
	brTetMesh* mesh = NULL;
	brTetInfo info = {0};
	brTetFaults verdict;
	brResult result = mendMesh(line, &job->mend, line->positional[0], surface, &report);
	result = result < 0 ? result : brMakeTetMesh(&line->context, *surface, &job->def, &mesh, &info, &report);
	if (result >= 0)
	{
		sayRemark(line, result, &report);
		result = brTetMesh_FindFaults(mesh, &line->context, &verdict, &report);
	}
	if (result >= 0)
	{
		result = saveTets(line, job, mesh, &info, &report);
	}
	endWork(line);
	int exitCode = exit_done;
	if (result < 0)
	{
		exitCode = failData(line, &report);
	}
	else if (line->json)
	{
		printTetJson(line, &verdict, mesh, &info, job->output);
	}
	else
	{
		const double degrees = 180.0 / BR_PI;
		say(line, "%s: %d nodes, %d tets of edge %.3g m; angles %.1f to %.1f degrees; volume %.6g m^3", job->output,
			mesh->nodeCount, mesh->tetCount, info.edge, verdict.stats.minDihedral * degrees,
			verdict.stats.maxDihedral * degrees, info.volume);
	}
	brDestroyTetMesh(mesh);
	brFreeTetInfo(&info);
	return exitCode;
}

static int runTet(CommandLine* line)
{
	TetJob job = {.def = brDefaultTetDef(), .save = brDefaultSaveDef(), .mend = defaultMendOptions()};
	int32_t tets = INT32_MIN; // not given
	double edge = 0.0;
	const Option options[] = {
		{"output", 'o', option_output, &job.output, "FILE", "where to write: .msh, .vtk, .mesh, .node"},
		{"tets", 0, option_int, &tets, "N", "about how many, met within 15 % (default: 10000)"},
		{"edge", 0, option_double, &edge, "H", "edge of the lattice cells along the surface [m] instead"},
		{"coarsen", 0, option_int, &job.def.coarsening, "L", "how often cells may double inside, 0 to 5 (default: 2)"},
		{"refine", 0, option_list, &job.refine, "x,y,z,r,h", "cells of edge h within r of x,y,z; may be given again"},
		{"refine-thin", 0, option_flag, &job.def.refineThin, NULL,
		 "finer cells along walls that are too thin for the rest"},
		{"uniform", 0, option_flag, &job.uniform, NULL, "one size everywhere, as --coarsen 0"},
		{"embed", 0, option_flag, &job.def.embed, NULL, "whole lattice tets with fill fractions (FILE.fill)"},
		{"on-surface", 0, option_not, &job.def.matchVolume, NULL,
		 "boundary nodes on the surface itself, volume as it comes"},
		{"allow-broken", 0, option_flag, &job.def.allowBroken, NULL, "keep what is left of walls that fell apart"},
		{"cut", 0, option_text, &job.cut, "nx,ny,nz,d",
		 "write only the tets behind the plane n.x = d, for a look inside"},
		{"ascii", 0, option_flag, &job.save.ascii, NULL, "text where the format has both kinds"},
		MEND_OPTIONS(&job.mend),
	};
	if (!readOptions(line, options, sizeof(options) / sizeof(options[0]), 1, 1))
	{
		return line->exitCode;
	}
	if (checkMendOptions(line, &job.mend) != exit_done)
	{
		return line->exitCode;
	}
	bool isGiven = tets != INT32_MIN;
	tets = isGiven ? tets : 0;
	if ((isGiven && tets <= 0) || edge < 0.0 || (tets > 0 && edge > 0.0) || job.def.coarsening < 0 ||
		job.def.coarsening > 5)
	{
		return failUsage(line, "give --tets N or --edge H, positive, and --coarsen 0 to 5");
	}
	if (readBalls(line, &job.refine, job.balls) != exit_done)
	{
		return exit_usage;
	}
	job.def.refinements = job.balls;
	job.def.refinementCount = job.refine.count;
	if (tets > 0 || edge > 0.0)
	{
		job.def.targetTets = tets;
		job.def.edge = edge;
	}
	if (job.output != NULL && !canWrite(line, job.output))
	{
		return exit_usage;
	}
	job.def.coarsening = job.uniform ? 0 : job.def.coarsening;
	if (!beginWork(line, "filling"))
	{
		return exit_no;
	}
	brReport report = {0};
	brAssembly* file = NULL;
	brMesh* surface = NULL;
	brResult result = loadAssembly(line, line->positional[0], &(Moment)NO_MOMENT, false, &file, &report);
	if (result >= 0)
	{
		sayRemark(line, result, &report);
		if (file->tetMeshCount == 1 && file->meshCount == 0)
		{
			int exitCode = judgeTets(line, &job, file->tetMeshes[0]);
			brDestroyAssembly(file);
			return exitCode;
		}
		result = brAssembly_Flatten(file, &line->context, &surface, &report);
		brDestroyAssembly(file);
	}
	if (result < 0)
	{
		endWork(line);
		return failData(line, &report);
	}
	int exitCode;
	if (job.output == NULL)
	{
		endWork(line);
		exitCode = failUsage(line, "usage: brittle tet %s", line->command->synopsis);
	}
	else
	{
		exitCode = makeTets(line, &job, &surface);
	}
	brDestroyMesh(surface);
	return exitCode;
}

const Command command_tet = {
	"tet",
	"fills a surface with tetrahedra, or checks a file of them",
	"MESH -o FILE [--tets N | --edge H]",
	"Fills a closed surface with tets on a body-centered lattice: fine along the surface, coarser inside, all\n"
	"angles between 10.5 and 163.8 degrees. A surface that is no clean solid is mended first. Walls too\n"
	"thin for the lattice are refused with the edge length they need; --embed keeps a coarse lattice for them.\n"
	"Given a file of tets it names what is wrong with them (exit 1) and, with -o, writes them again.",
	"brittle tet statue.obj -o statue.msh --tets 20000",
	runTet,
	false,
};
