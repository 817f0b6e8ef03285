// SPDX-License-Identifier: MIT
#include "mending.h"

#include <string.h>

MendOptions defaultMendOptions(void)
{
	return (MendOptions){.def = brDefaultMendDef()};
}

int checkMendOptions(const CommandLine* line, MendOptions* options)
{
	const char* how = options->repair;
	if (how != NULL && how[0] != 0 && strcmp(how, "remesh") != 0)
	{
		if (strcmp(how, "gentle") != 0 && strcmp(how, "full") != 0)
		{
			return failUsage(line, "--repair takes gentle, full or remesh, not '%s'", how);
		}
		options->def.effort = strcmp(how, "gentle") == 0 ? br_mendGentle : br_mendFull;
	}
	if (options->strict && how != NULL)
	{
		return failUsage(line, "--strict and --repair contradict each other");
	}
	if (!(options->def.thickness >= 0.0))
	{
		return failUsage(line, "--thicken takes a thickness of 0 or more");
	}
	if (options->def.resolution < 8 || options->def.resolution > 512)
	{
		return failUsage(line, "--remesh-cells takes 8 to 512, not %d", options->def.resolution);
	}
	return exit_done;
}

brResult mendMesh(const CommandLine* line, const MendOptions* options, const char* name, brMesh** mesh,
				  brReport* report)
{
	if (options->strict)
	{
		brMeshCheck check;
		brResult result = brMesh_Check(*mesh, &line->context, NULL, &check, report);
		if (result >= 0 && !check.isSolid)
		{
			snprintf(report->text, sizeof(report->text), "%.100s is no clean solid: %s", name, check.verdict);
			return br_errorGeometry;
		}
		return result;
	}
	brMesh* mended = NULL;
	brMendInfo info;
	brResult result = brMendMesh(&line->context, *mesh, &options->def, &mended, &info, report);
	if (result < 0)
	{
		return result;
	}
	if (info.isChanged)
	{
		say(line, "note: %s was mended: %s", name, info.summary);
	}
	brDestroyMesh(*mesh);
	*mesh = mended;
	return result;
}

brResult loadSolid(const CommandLine* line, const MendOptions* options, const char* path, brMesh** outMesh,
				   brReport* report)
{
	brMesh* mesh = NULL;
	brResult result = brLoadMesh(&line->context, path, &mesh, report);
	sayRemark(line, result, report);
	if (result >= 0)
	{
		result = mendMesh(line, options, path, &mesh, report);
	}
	if (result < 0)
	{
		brDestroyMesh(mesh);
		return result;
	}
	*outMesh = mesh;
	return result;
}
