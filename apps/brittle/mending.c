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

static bool endsInFloats(const char* ending)
{
	static const char* const endings[] = {"stl", "glb", "gltf", "usda", "usd"};
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); ++i)
	{
		if (strcmp(ending, endings[i]) == 0)
		{
			return true;
		}
	}
	return false;
}

Settling beginSettling(const char* path)
{
	const char* dot = strrchr(path, '.');
	return (Settling){.isFloat = endsInFloats(dot != NULL ? dot + 1 : path)};
}

brResult settlePiece(const CommandLine* line, Settling* settling, brMesh** piece, brReport* report)
{
	brMesh* settled = NULL;
	int32_t faces = (*piece)->faceCount, vertices = (*piece)->vertexCount;
	brResult result = brSettleMesh(&line->context, *piece, settling->isFloat ? BR_GRID_FLOAT : 0.0, &settled, report);
	if (result < 0)
	{
		return result;
	}
	settling->count += 1;
	settling->bad += result > 0;
	settling->changed += settled->faceCount != faces || settled->vertexCount != vertices;
	brDestroyMesh(*piece);
	*piece = settled;
	return br_success;
}

void tellSettling(const CommandLine* line, const Settling* settling)
{
	if (settling->changed > 0)
	{
		say(line, "note: %d of %d pieces touched or crossed themselves as the file holds them, and came apart there",
			settling->changed, settling->count);
	}
	if (settling->bad > 0)
	{
		say(line, "note: %d of %d pieces are no clean solids in such a file", settling->bad, settling->count);
	}
}
