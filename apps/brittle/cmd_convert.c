// SPDX-License-Identifier: MIT
#include "command.h"
#include "outputs.h"

#include <string.h>

static void sayRepair(const CommandLine* line, const char* part, const brRepairCounts* counts)
{
	const struct
	{
		int32_t count;
		const char* what;
	} rows[] = {
		{counts->weldedVertices, "vertices welded"},
		{counts->trimmedCorners, "repeated corners removed"},
		{counts->droppedDegenerate, "flat faces removed"},
		{counts->droppedDuplicates, "doubled faces removed"},
		{counts->turnedFaces, "faces turned"},
		{counts->splitVertices, "vertices split"},
		{counts->droppedVertices, "unused vertices removed"},
	};
	bool any = false;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
	{
		if (rows[i].count > 0)
		{
			say(line, "repair %s: %d %s", part, rows[i].count, rows[i].what);
			any = true;
		}
	}
	if (!any)
	{
		say(line, "repair %s: nothing to do", part);
	}
}

static brResult repairAll(CommandLine* line, brAssembly* assembly, const brRepairDef* def, brReport* report)
{
	for (int32_t i = 0; i < assembly->meshCount; ++i)
	{
		brMesh* repaired = NULL;
		brRepairCounts counts;
		brResult result = brRepairMesh(&line->context, assembly->meshes[i], def, &repaired, &counts, report);
		if (result < 0)
		{
			return result;
		}
		brDestroyMesh(assembly->meshes[i]);
		assembly->meshes[i] = repaired;
		char name[32];
		snprintf(name, sizeof(name), "mesh %d", i);
		sayRepair(line, name, &counts);
		brMeshCheck check;
		if (brMesh_Check(repaired, &line->context, NULL, &check, NULL) >= 0 && !check.isSolid)
		{
			say(line, "repair %s: still no solid: %s", name, check.verdict);
		}
	}
	return br_success;
}

static int runConvert(CommandLine* line)
{
	brSaveDef save = brDefaultSaveDef();
	brRepairDef repair = brDefaultRepairDef();
	bool doRepair = false;
	double scale = 1.0;
	const Option options[] = {
		{"ascii", 0, option_flag, &save.ascii, NULL, "text where the format has both kinds"},
		{"big-endian", 0, option_flag, &save.bigEndian, NULL, "PLY: big-endian binary"},
		{"doubles", 0, option_flag, &save.doubles, NULL, "PLY, VTK: doubles even where floats would do"},
		{"msh-version", 0, option_int, &save.mshVersion, "22|41", "Gmsh format version (default: 41)"},
		{"triangulate", 0, option_flag, &save.triangulate, NULL, "split polygons into triangles"},
		{"y-up", 0, option_flag, &save.yUp, NULL, "glTF, USD: turn z-up data so that it stands"},
		{"scale", 0, option_double, &scale, "S", "multiply all coordinates, for instance 0.001 for mm"},
		{"repair", 0, option_flag, &doRepair, NULL,
		 "weld, drop flat and doubled faces, orient, split; each is reported"},
		{"weld", 0, option_double, &repair.weldDistance, "D", "with --repair: weld within this distance [m]"},
	};
	if (!readOptions(line, options, sizeof(options) / sizeof(options[0]), 2, 2))
	{
		return line->exitCode;
	}
	if (save.mshVersion != 22 && save.mshVersion != 41)
	{
		return failUsage(line, "--msh-version takes 22 or 41, not %d", save.mshVersion);
	}
	if (!(scale > 0.0) || repair.weldDistance < 0.0)
	{
		return failUsage(line, "--scale takes a positive number, --weld a distance of 0 or more");
	}
	if (!isSafeOutput(line, line->positional[1]))
	{
		return exit_usage;
	}
	if (!beginWork(line, "converting"))
	{
		return exit_no;
	}

	brReport report = {0};
	brAssembly* assembly = NULL;
	brResult result = brLoadAssembly(&line->context, line->positional[0], &assembly, &report);
	sayRemark(line, result, &report);
	if (result >= 0 && doRepair)
	{
		result = repairAll(line, assembly, &repair, &report);
	}
	if (result >= 0 && scale != 1.0)
	{
		brAffine map = brMakeAffineIdentity();
		map.m.cx.x = map.m.cy.y = map.m.cz.z = scale;
		for (int32_t i = 0; i < assembly->partCount; ++i)
		{
			assembly->parts[i].placement = brAffine_Mul(&map, &assembly->parts[i].placement);
		}
	}
	int32_t meshCount = 0;
	int32_t tetMeshCount = 0;
	int32_t partCount = 0;
	if (result >= 0)
	{
		meshCount = assembly->meshCount;
		tetMeshCount = assembly->tetMeshCount;
		partCount = assembly->partCount;
		result = brSaveAssembly(&line->context, assembly, line->positional[1], &save, &report);
		sayRemark(line, result, &report);
	}
	brDestroyAssembly(assembly);
	endWork(line);
	if (result < 0)
	{
		return failData(line, &report);
	}
	if (line->json)
	{
		Json json = beginJson();
		jsonText(&json, "input", line->positional[0]);
		jsonText(&json, "output", line->positional[1]);
		jsonInt(&json, "parts", partCount);
		jsonInt(&json, "meshes", meshCount);
		jsonInt(&json, "tet_meshes", tetMeshCount);
		result > 0 ? jsonText(&json, "remark", report.text) : (void)0;
		endJson(&json, line);
	}
	return exit_done;
}

const Command command_convert = {
	"convert",
	"between all mesh formats",
	"IN OUT [--repair] [--ascii] ...",
	"Endings decide: .obj .ply .stl .off .glb .gltf .usda (out) .msh .vtk .vtu (in) .mesh .node/.ele. Whatever the\n"
	"output format cannot hold is converted or left out with a note; the file appears complete or not at all.",
	"brittle convert scan.ply clean.obj --repair --weld 1e-6",
	runConvert,
};
